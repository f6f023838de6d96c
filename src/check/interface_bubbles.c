// Check of bubbles in the interface solver's node: film stays, two meet at 120 degrees, one pops (VI-12 to VI-14,
// VI-17).
#include <math.h>
#include <stdio.h>

#include "check/list.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "rig/interface.h"
#include "rig/scene.h"

static const double SPACING = 1e-3;

// Two bubbles of a frame.
typedef struct Pair {
  size_t count[3];   // particles of no bubble and of each
  RvVec3 centre[3];  // of each
  double film[3];    // m3 of each
  double reach;      // m: mean of the support function of all particles
  double wall;       // m: standard deviation, along x, of the particles of the first that touch the second
} Pair;

// Roughness of the wall, which stands across x. Particles of the first bubble are of it that are nearer to one of the
// second than 1.4 spacings, the distance of the first minimum of neighbours in a liquid.
static double measure_wall(const float* P, const int32_t* bubble, size_t count) {
  const double reach = 1.4 * SPACING;
  double sum = 0, squares = 0, touching = 0;
  for (size_t i = 0; i < count; ++i) {
    bool near = false;
    for (size_t j = 0; j < count && bubble[i] == 1 && !near; ++j) {
      RvVec3 d = rv_sub(rv_vec3_load(P + 3 * j), rv_vec3_load(P + 3 * i));
      near = bubble[j] == 2 && rv_dot(d, d) < reach * reach;
    }
    if (!near) continue;
    double x = (double)P[3 * i];
    sum += x;
    squares += x * x;
    touching += 1;
  }
  double mean = sum / rv_max(touching, 1);
  return touching > 0 ? sqrt(rv_max(squares / touching - mean * mean, 0)) : INFINITY;
}

static RvResult measure(const RvDetail* d, Pair* out, RvError* error) {
  const float* P = rv_detail_f32(d, RV_POINT, "P", 3);
  const int32_t* bubble = rv_detail_i32(d, RV_POINT, "bubbleid", 1);
  const double* film = rv_detail_f64(d, RV_POINT, "film", 1);
  *out = (Pair){0};
  if (!P || !bubble || !film) return rv_fail(error, RV_INTERNAL, "the liquid has no bubbles");
  size_t count = rv_detail_count(d, RV_POINT);
  for (size_t i = 0; i < count; ++i) {
    int b = bubble[i];
    out->count[b]++;
    out->centre[b] = rv_add(out->centre[b], rv_vec3_load(P + 3 * i));
    out->film[b] += film[i] * SPACING * SPACING * SPACING;
  }
  for (int b = 0; b < 3; ++b) out->centre[b] = rv_scale(out->centre[b], 1 / rv_max((double)out->count[b], 1));
  out->wall = measure_wall(P, bubble, count);
  RvDropFigures all;
  RvResult result = rv_rig_drop_measure(d, &all, error);
  out->reach = result ? 0 : all.reach;
  return result;
}

// The angle, degrees, at which outer surface and wall meet.
static double meeting_angle(const Pair* p) {
  double volume = (double)p->count[1] * SPACING * SPACING * SPACING;
  return rv_rig_meeting_angle(rv_length(rv_sub(p->centre[1], p->centre[2])) / cbrt(volume));
}

// Two balls of bubbles side by side, that have a radius in spacings.
static RvResult open_pair(double radius, const char* parms, RvSceneRig* rig, RvError* error) {
  char nodes[3000];
  double R = radius * SPACING, x = R + 0.4 * SPACING;
  snprintf(
      nodes, sizeof nodes,
      "\"m1\": {\"type\": \"sphere\", \"parms\": {\"radius\": %g, \"rows\": 30, \"cols\": 40, \"t\": [%g, 0, 0]}},"
      "\"m2\": {\"type\": \"sphere\", \"parms\": {\"radius\": %g, \"rows\": 30, \"cols\": 40, \"t\": [%g, 0, 0]}},"
      "\"f1\": {\"type\": \"fill\", \"inputs\": [\"m1\"], \"parms\": {\"particlesep\": %g}},"
      "\"f2\": {\"type\": \"fill\", \"inputs\": [\"m2\"], \"parms\": {\"particlesep\": %g}},"
      "\"a1\": {\"type\": \"attribute\", \"inputs\": [\"f1\"], \"parms\": {\"name\": \"bubbleid\", \"type\": \"int\","
      "  \"class\": \"point\", \"value\": [1, 0, 0, 0]}},"
      "\"a2\": {\"type\": \"attribute\", \"inputs\": [\"f2\"], \"parms\": {\"name\": \"bubbleid\", \"type\": \"int\","
      "  \"class\": \"point\", \"value\": [2, 0, 0, 0]}},"
      "\"w\": {\"type\": \"merge\", \"inputs\": [\"a1\", \"a2\"]},"
      "\"s\": {\"type\": \"interfacesolver\", \"inputs\": [\"w\"], \"parms\": {\"gravity\": [0, 0, 0],"
      "  \"density\": 100, \"surfacetension\": 0.03%s}}",
      R, -x, R, x, SPACING, SPACING, parms);
  return rv_rig_scene_open(rig, nodes, error);
}

// Both bubbles at a frame.
static RvResult see(RvSceneRig* rig, int frame, Pair* out, RvError* error) {
  RvDetail* now = NULL;
  RvResult result = rv_rig_scene_cook(rig, "s:liquid", frame, &now, error);
  if (!result) result = measure(now, out, error);
  rv_detail_free(now);
  return result;
}

RvResult rv_check_interface_bubbles(const RvCheckOut* out, RvError* error) {
  enum { MET = 10, POPPED = 15, LATER = 20 };  // frames: the two have met; the one that is left is round; and later
  static const char* const parms =
      ", \"viscosity\": 0.01, \"popbubble\": {\"keys\": [[1, 0], [11, 2], [12, 0]], \"interp\": \"constant\"}";
  static const double radii[] = {5, 6};
  RvResult result = RV_OK;
  Pair first, met, popped, last;
  for (int k = 0; k < 2 && !result; ++k) {
    RvSceneRig rig;
    char name[64];
    result = open_pair(radii[k], parms, &rig, error);
    if (result) break;
    result = see(&rig, 1, &first, error);
    if (!result) result = see(&rig, MET, &met, error);
    if (!result && k) result = see(&rig, POPPED, &popped, error);
    if (!result && k) result = see(&rig, LATER, &last, error);
    rv_rig_scene_close(&rig);
    if (result) break;
    snprintf(name, sizeof name, "angle_%g", radii[k]);
    rv_check_emit(out, name, meeting_angle(&met), 120, 5);
    snprintf(name, sizeof name, "wall_%g", radii[k]);
    rv_check_emit(out, name, met.wall / SPACING, 0, 0.5);
  }
  if (result) return result;
  // The larger bubbles: film over all frames, and what is left after one has popped.
  rv_check_emit(out, "film_met", met.film[1] / first.film[1], 1, 1e-12);
  rv_check_emit(out, "film_popped", last.film[1] / first.film[1], 1, 1e-12);
  rv_check_emit(out, "particles_popped", (double)last.count[2], 0, 0);
  rv_check_emit(out, "particles_left", (double)last.count[1], (double)first.count[1], 0);
  // The surface is half a spacing outside of the outermost particles.
  double before = popped.reach + 0.5 * SPACING;
  double after = last.reach + 0.5 * SPACING;
  rv_check_emit(out, "volume_drift", pow(after / before, 3), 1, 0.01);
  double ball = 4 * RV_PI / 3 * after * after * after / (SPACING * SPACING * SPACING);
  rv_check_emit(out, "volume_left", ball / (double)last.count[1], 1, 0.01);
  return RV_OK;
}
