// Check of two liquids that meet in air in the interface solver's node: Neumann's triangle of their tensions (VI-8,
// VI-10).
#include <math.h>
#include <stdio.h>

#include "check/list.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "rig/interface.h"
#include "rig/scene.h"

static const double SPACING = 1e-3;
static const double TENSION = 0.05;  // N/m, of both liquids in air

// Two drops side by side, each of a liquid of its own, as a scene.
static RvResult open_drops(double radius, double between, RvSceneRig* rig, RvError* error) {
  char nodes[2500];
  double R = radius * SPACING, x = R + 0.4 * SPACING;
  snprintf(nodes, sizeof nodes,
           "\"m1\": {\"type\": \"sphere\", \"parms\": {\"radius\": %g, \"rows\": 30, \"cols\": 40, \"t\": [%g, 0, 0]}},"
           "\"m2\": {\"type\": \"sphere\", \"parms\": {\"radius\": %g, \"rows\": 30, \"cols\": 40, \"t\": [%g, 0, 0]}},"
           "\"f1\": {\"type\": \"fill\", \"inputs\": [\"m1\"], \"parms\": {\"particlesep\": %g}},"
           "\"f2\": {\"type\": \"fill\", \"inputs\": [\"m2\"], \"parms\": {\"particlesep\": %g}},"
           "\"a\": {\"type\": \"attribute\", \"inputs\": [\"f2\"], \"parms\": {\"name\": \"phase\", \"type\": \"int\","
           "  \"class\": \"point\", \"value\": [1, 0, 0, 0]}},"
           "\"w\": {\"type\": \"merge\", \"inputs\": [\"f1\", \"a\"]},"
           "\"s\": {\"type\": \"interfacesolver\", \"inputs\": [\"w\"], \"parms\": {\"gravity\": [0, 0, 0],"
           "  \"density2\": 1000, \"viscosity\": 0.05, \"viscosity2\": 0.05, \"surfacetension\": %g,"
           "  \"surfacetension2\": %g, \"interfacetension\": %g}}",
           R, -x, R, x, SPACING, SPACING, TENSION, TENSION, between);
  return rv_rig_scene_open(rig, nodes, error);
}

// Distance of the centres of the two liquids over the cube root of the volume of each.
static RvResult measure(const RvDetail* d, double* distance, RvError* error) {
  const float* P = rv_detail_f32(d, RV_POINT, "P", 3);
  const int32_t* phase = rv_detail_i32(d, RV_POINT, "phase", 1);
  if (!P || !phase) return rv_fail(error, RV_INTERNAL, "the liquid has no phase");
  RvVec3 centre[2] = {{0, 0, 0}, {0, 0, 0}};
  double count[2] = {0, 0};
  for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) {
    int k = phase[i] == 1;
    centre[k] = rv_add(centre[k], rv_vec3_load(P + 3 * i));
    count[k] += 1;
  }
  RvVec3 apart = rv_sub(rv_scale(centre[0], 1 / rv_max(count[0], 1)), rv_scale(centre[1], 1 / rv_max(count[1], 1)));
  *distance = rv_length(apart) / (cbrt(0.5 * (count[0] + count[1])) * SPACING);
  return RV_OK;
}

RvResult rv_check_interface_lens(const RvCheckOut* out, RvError* error) {
  // The drops have met; the mean of four frames, as they swing a little.
  enum { FIRST = 18, STEP = 2, FRAMES = 4 };
  static const double radii[] = {5, 6.5};
  static const double between[] = {0.03, 0.05, 0.07};
  RvResult result = RV_OK;
  for (int k = 0; k < 6 && !result; ++k) {
    RvSceneRig rig;
    double angle = 0;
    char name[64];
    double tension = between[k % 3];
    result = open_drops(radii[k / 3], tension, &rig, error);
    if (result) break;
    for (int frame = 0; frame < FRAMES && !result; ++frame) {
      RvDetail* now = NULL;
      double distance = 0;
      result = rv_rig_scene_cook(&rig, "s:liquid", FIRST + STEP * frame, &now, error);
      if (!result) result = measure(now, &distance, error);
      angle += rv_rig_meeting_angle(distance) / FRAMES;
      rv_detail_free(now);
    }
    rv_rig_scene_close(&rig);
    if (result) break;
    // 2 sigma cos(180 - angle) = sigma_12: the two surfaces hold the wall where they meet.
    double law = acos(-tension / (2 * TENSION)) * 180 / RV_PI;
    snprintf(name, sizeof name, "angle_%g_%g", radii[k / 3], tension);
    rv_check_emit(out, name, angle / law, 1, 0.1);
  }
  return result;
}
