// Check of the layers of the surface that the interface solver's node finds, against a rolling ball (VI-15, VI-16).
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "check/list.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "rig/scene.h"

// The ball, in spacings, and the directions in which it is laid against a particle.
static const double BALL = 2.5;
enum { DIRECTIONS = 6000 };

// Points of a spiral on the unit sphere.
static RvVec3 spiral(int k) {
  double y = 1 - (2.0 * k + 1) / DIRECTIONS;
  double turn = RV_PI * (3 - sqrt(5.0)) * k;
  double r = sqrt(1 - y * y);
  return rv_vec3(r * cos(turn), y, r * sin(turn));
}

// Neighbours of i that a ball laid against it could meet: those within its diameter; the nearest come first in no
// order, but most directions end with one of the last that was met, which is kept in front.
static size_t gather(const float* P, size_t count, size_t i, double reach, RvVec3* out) {
  size_t n = 0;
  for (size_t j = 0; j < count; ++j) {
    RvVec3 d = rv_sub(rv_vec3_load(P + 3 * j), rv_vec3_load(P + 3 * i));
    if (j != i && rv_dot(d, d) < reach * reach) out[n++] = d;
  }
  return n;
}

// Whether a ball of the radius touches the particle from some side without another particle inside.
static bool is_touched(RvVec3* near, size_t count, double radius) {
  for (int k = 0; k < DIRECTIONS; ++k) {
    RvVec3 centre = rv_scale(spiral(k), radius);
    size_t j = 0;
    while (j < count && rv_dot(rv_sub(near[j], centre), rv_sub(near[j], centre)) >= radius * radius) ++j;
    if (j == count) return true;
    RvVec3 met = near[j];
    near[j] = near[0];
    near[0] = met;
  }
  return false;
}

typedef struct Found {
  double precision, recall;
  double unlayered;  // particles without a layer
  int layers;
} Found;

static RvResult compare(const RvDetail* d, double spacing, Found* out, RvError* error) {
  const float* P = rv_detail_f32(d, RV_POINT, "P", 3);
  const int32_t* layer = rv_detail_i32(d, RV_POINT, "layer", 1);
  size_t count = rv_detail_count(d, RV_POINT);
  RvVec3* near = rv_alloc_zero(count + 1, sizeof *near);
  if (!P || !layer || !near) return rv_fail(error, RV_INTERNAL, "the liquid has no layers");
  double both = 0, found = 0, real = 0;
  *out = (Found){0};
  for (size_t i = 0; i < count; ++i) {
    size_t n = gather(P, count, i, 2 * BALL * spacing, near);
    bool touched = is_touched(near, n, BALL * spacing);
    both += touched && layer[i] == 1;
    found += layer[i] == 1;
    real += touched;
    out->unlayered += layer[i] < 1;
    if (layer[i] > out->layers) out->layers = layer[i];
  }
  out->precision = both / found;
  out->recall = both / real;
  rv_free(near);
  return RV_OK;
}

RvResult rv_check_interface_layers(const RvCheckOut* out, RvError* error) {
  static const double spacing = 1e-3;
  static const struct {
    const char *name, *liquid;
  } shapes[] = {
      {"drop", "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.013, 0.013, 0.013], \"particlesep\": 0.001}},"},
      {"sheet", "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.026, 0.005, 0.026], \"particlesep\": 0.001}},"},
      {"two_drops",
       "\"a\": {\"type\": \"fill\", \"parms\": {\"size\": [0.01, 0.01, 0.01], \"particlesep\": 0.001}},"
       "\"b\": {\"type\": \"fill\", \"parms\": {\"size\": [0.01, 0.01, 0.01], \"t\": [0.0125, 0, 0],"
       "  \"particlesep\": 0.001}},"
       "\"w\": {\"type\": \"merge\", \"inputs\": [\"a\", \"b\"]},"}};
  RvResult result = RV_OK;
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes && !result; ++k) {
    char nodes[1500], name[64];
    RvSceneRig rig;
    RvDetail* now = NULL;
    Found found = {0};
    snprintf(nodes, sizeof nodes,
             "%s\"s\": {\"type\": \"interfacesolver\", \"inputs\": [\"w\"], \"parms\": {\"gravity\": [0, 0, 0],"
             "  \"viscosity\": 0.03, \"layers\": 255}}",
             shapes[k].liquid);
    result = rv_rig_scene_open(&rig, nodes, error);
    if (result) break;
    result = rv_rig_scene_cook(&rig, "s:liquid", 10, &now, error);
    if (!result) result = compare(now, spacing, &found, error);
    rv_detail_free(now);
    rv_rig_scene_close(&rig);
    if (result) break;
    snprintf(name, sizeof name, "%s_precision", shapes[k].name);
    rv_check_emit(out, name, found.precision, 1, 1e-3);
    snprintf(name, sizeof name, "%s_recall", shapes[k].name);
    rv_check_emit(out, name, found.recall, 1, 1e-3);
    snprintf(name, sizeof name, "%s_unlayered", shapes[k].name);
    rv_check_emit(out, name, found.unlayered, 0, 0);
  }
  return result;
}
