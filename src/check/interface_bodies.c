// Checks of free bodies of particles in the interface solver's node: they take what the liquid loses, keep their shape,
// and float (VI-20).
#include <math.h>
#include <stdio.h>

#include "check/list.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "rig/scene.h"

//---------------------------------------------------------------------------------------------- a body hits a drop

// Sums over liquid and bodies.
typedef struct Sums {
  RvVec3 momentum, angular;  // kg/m3 m/s of a particle's volume, and times m
  double speed, moment;      // what the two are relative to: sums of absolute values
  double liquid;             // momentum of the liquid along x over `speed`
  double diagonal;           // m: between the first and the last particle of the body
} Sums;

static RvResult sum_up(const RvDetail* d, double density, Sums* out, RvError* error) {
  const float* P = rv_detail_f32(d, RV_POINT, "P", 3);
  const float* v = rv_detail_f32(d, RV_POINT, "v", 3);
  const int32_t* body = rv_detail_i32(d, RV_POINT, "bodyid", 1);
  *out = (Sums){0};
  if (!P || !v || !body) return rv_fail(error, RV_INTERNAL, "the liquid has no bodies");
  size_t first = SIZE_MAX, last = 0;
  for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) {
    RvVec3 x = rv_vec3_load(P + 3 * i);
    RvVec3 p = rv_scale(rv_vec3_load(v + 3 * i), body[i] ? density : 1000);
    out->momentum = rv_add(out->momentum, p);
    out->angular = rv_add(out->angular, rv_cross(x, p));
    out->speed += rv_length(p);
    out->moment += rv_length(p) * rv_length(x);
    if (!body[i]) out->liquid += p.x;
    if (body[i] && first == SIZE_MAX) first = i;
    if (body[i]) last = i;
  }
  out->liquid /= out->speed;
  out->diagonal = rv_length(rv_sub(rv_vec3_load(P + 3 * last), rv_vec3_load(P + 3 * first)));
  return RV_OK;
}

// A block hits a drop off its centre, without gravity; both are 1 / `fine` of a millimetre fine.
static RvResult hit(double fine, double density, Sums* before, Sums* after, RvError* error) {
  enum { LAST = 9 };
  char nodes[2000];
  snprintf(nodes, sizeof nodes,
           "\"a\": {\"type\": \"fill\", \"parms\": {\"size\": [0.009, 0.009, 0.009], \"particlesep\": %g}},"
           "\"b\": {\"type\": \"fill\", \"parms\": {\"size\": [0.005, 0.005, 0.007], \"t\": [0.0076, 0.002, 0.001],"
           "  \"particlesep\": %g}},"
           "\"n\": {\"type\": \"attribute\", \"inputs\": [\"b\"], \"parms\": {\"name\": \"bodyid\", \"type\": \"int\","
           "  \"value\": [1, 0, 0, 0]}},"
           "\"v\": {\"type\": \"attribute\", \"inputs\": [\"n\"], \"parms\": {\"name\": \"v\", \"size\": 3,"
           "  \"class\": \"point\", \"value\": [-0.1, 0, 0, 0]}},"
           "\"m\": {\"type\": \"merge\", \"inputs\": [\"a\", \"v\"]},"
           "\"s\": {\"type\": \"interfacesolver\", \"inputs\": [\"m\"], \"parms\": {\"gravity\": [0, 0, 0],"
           "  \"viscosity\": 0.01, \"bodydensity\": %g, \"bodyangle\": 60}}",
           1e-3 / fine, 1e-3 / fine, density);
  RvSceneRig rig;
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  for (int k = 0; k < 2 && !result; ++k) {
    RvDetail* now = NULL;
    result = rv_rig_scene_cook(&rig, "s:liquid", k ? LAST : 1, &now, error);
    if (!result) result = sum_up(now, density, k ? after : before, error);
    rv_detail_free(now);
  }
  rv_rig_scene_close(&rig);
  return result;
}

static RvResult check_hit(const RvCheckOut* out, RvError* error) {
  // All particles of a block round alike: 2^-23 of its momentum a substep, over 400 of them.
  const double rounding = 5e-5;
  static const double fine[] = {1, 1.25}, density[] = {3000, 500};
  RvResult result = RV_OK;
  for (int k = 0; k < 2 && !result; ++k) {
    Sums before, after;
    char name[64];
    result = hit(fine[k], density[k], &before, &after, error);
    if (result) break;
    snprintf(name, sizeof name, "momentum_%g", density[k]);
    rv_check_emit(out, name, rv_length(rv_sub(after.momentum, before.momentum)) / before.speed, 0, rounding);
    snprintf(name, sizeof name, "angular_%g", density[k]);
    rv_check_emit(out, name, rv_length(rv_sub(after.angular, before.angular)) / before.moment, 0, rounding);
    snprintf(name, sizeof name, "shape_%g", density[k]);
    rv_check_emit(out, name, after.diagonal / before.diagonal, 1, 1e-4);
    // The drop has taken a part of what the block had.
    snprintf(name, sizeof name, "given_%g", density[k]);
    rv_check_emit(out, name, rv_max(0.1 + after.liquid, 0), 0, 0);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- a body floats

enum { SIDE = 6, ACROSS = 12, HIGH = 8 };  // spacings: of the block, and of the water in its basin

// Share of a block's height that is below the water, where the level follows from the volume of the water.
static RvResult float_block(double spacing, double density, double* submerged, RvError* error) {
  enum { LAST = 25 };
  char nodes[2000];
  double across = ACROSS * spacing;
  snprintf(nodes, sizeof nodes,
           "\"a\": {\"type\": \"fill\", \"parms\": {\"size\": [%g, %g, %g], \"t\": [0, %g, 0], \"particlesep\": %g}},"
           "\"b\": {\"type\": \"fill\", \"parms\": {\"size\": [%g, %g, %g], \"t\": [0, %g, 0], \"particlesep\": %g}},"
           "\"n\": {\"type\": \"attribute\", \"inputs\": [\"b\"], \"parms\": {\"name\": \"bodyid\", \"type\": \"int\","
           "  \"value\": [1, 0, 0, 0]}},"
           "\"m\": {\"type\": \"merge\", \"inputs\": [\"a\", \"n\"]},"
           "\"s\": {\"type\": \"interfacesolver\", \"inputs\": [\"m\"], \"parms\": {\"viscosity\": 5,"
           "  \"surfacetension\": 0, \"bodydensity\": %g, \"walls\": true, \"wallsmin\": [%g, 0, %g],"
           "  \"wallsmax\": [%g, 1, %g]}}",
           across, HIGH * spacing, across, HIGH * spacing / 2, spacing, SIDE * spacing, SIDE * spacing, SIDE * spacing,
           (HIGH + 0.5 * SIDE + 0.3) * spacing, spacing, density, -across / 2, -across / 2, across / 2, across / 2);
  RvSceneRig rig;
  RvDetail* now = NULL;
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  result = rv_rig_scene_cook(&rig, "s:liquid", LAST, &now, error);
  const float* P = result ? NULL : rv_detail_f32(now, RV_POINT, "P", 3);
  const int32_t* body = result ? NULL : rv_detail_i32(now, RV_POINT, "bodyid", 1);
  double water = 0, count = 0, height = 0;
  for (size_t i = 0; P && body && i < rv_detail_count(now, RV_POINT); ++i) {
    if (!body[i]) water += 1;
    if (body[i]) count += 1;
    if (body[i]) height += (double)P[3 * i + 1] / spacing;
  }
  if (!result && !(count > 0)) result = rv_fail(error, RV_INTERNAL, "the liquid has no bodies");
  double bottom = height / rv_max(count, 1) - 0.5 * SIDE;
  double level = (water - bottom * SIDE * SIDE) / (ACROSS * ACROSS - SIDE * SIDE);
  *submerged = (level - bottom) / SIDE;
  rv_detail_free(now);
  rv_rig_scene_close(&rig);
  return result;
}

RvResult rv_check_interface_bodies(const RvCheckOut* out, RvError* error) {
  // Half a spacing of height, and a twentieth by which water at rest is packed more closely than the block.
  const double near = 0.5 / SIDE + 0.05;
  static const double density[] = {300, 500}, spacing[] = {0.02, 0.01};
  RvResult result = check_hit(out, error);
  for (int k = 0; k < 2 && !result; ++k) {
    char name[64];
    double submerged = 0;
    result = float_block(spacing[k], density[k], &submerged, error);
    snprintf(name, sizeof name, "submerged_%g", density[k]);
    if (!result) rv_check_emit(out, name, submerged, density[k] / 1000, near);
  }
  return result;
}
