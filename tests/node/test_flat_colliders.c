// Meshes without an area as colliders of every solver: a ball that grows from a point, a sheet that is flattened, and
// curves beside a collider, which bound no solid.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rivulet/scene.h"
#include "support/rv_test.h"
#include "support/scene_log.h"

static const struct {
  const char *solver, *inputs;  // before the colliders
} solvers[] = {
    {"strandsolver", "\"grow\""},
    {"liquidsolver", "\"pool\""},
    {"filmsolver", "\"grow\", \"pool\""},
    {"wetsolver", "\"grow\", \"pool\""},
    {"lookdevsolver", "\"grow\", \"pool\""},
    {"continuumsolver", "\"grow\""},
    {"interfacesolver", "\"pool\""},
};

#define FLAT "has a mesh without area"
static const struct {
  const char *nodes, *warning;
} shapes[] = {
    {"\"shape\": {\"type\": \"transform\", \"inputs\": [\"ball\"], \"parms\": {\"scale\": {\"keys\": [[1, 0], [3, 1]], "
     "  \"interp\": \"linear\"}}}",
     FLAT},
    {"\"shape\": {\"type\": \"transform\", \"inputs\": [\"ball\"], \"parms\": {\"s\": [0, {\"keys\": [[1, 1], [2, 0]], "
     "  \"interp\": \"linear\"}, 0]}}",
     FLAT},
    {"\"body\": {\"type\": \"collider\", \"inputs\": [\"ball\"], \"parms\": {\"voxelsize\": 0.004}},"
     "\"curves\": {\"type\": \"curve\", \"parms\": {\"points\": 3, \"count\": 2}},"
     "\"shape\": {\"type\": \"merge\", \"inputs\": [\"body\", \"curves\"]}",
     NULL},
};

static bool all_finite(const RvDetail* d) {
  const float* P = rv_detail_f32(d, RV_POINT, "P", 3);
  for (size_t i = 0; i < 3 * rv_detail_count(d, RV_POINT); ++i)
    if (!isfinite(P[i])) return false;
  return rv_detail_count(d, RV_POINT) > 0;
}

// Cooks a solver with a shape as its colliders.
static void try_one(size_t solver, size_t shape) {
  char text[4096];
  snprintf(
      text, sizeof text,
      "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.01, \"rows\": 6, \"cols\": 8}},"
      "\"grow\": {\"type\": \"groom\", \"inputs\": [\"ball\"], \"parms\": {\"count\": 4, \"length\": 0.02, "
      "  \"points\": 5}},"
      "\"pool\": {\"type\": \"fill\", \"parms\": {\"size\": [0.01, 0.01, 0.01], \"t\": [0, 0.03, 0], "
      "  \"particlesep\": 0.003}},"
      "%s, \"s\": {\"type\": \"%s\", \"inputs\": [%s, \"shape\"], \"parms\": {\"substeps\": 1, \"timescale\": 0.1}}",
      shapes[shape].nodes, solvers[solver].solver, solvers[solver].inputs);
  RvTestLog log;
  RvScene* scene = rv_test_scene(text, &log);
  RvDetail* out = rv_test_scene_copy(scene, "s", 3);
  if (!all_finite(out)) fail_msg("%s, shape %zu: a place is not a finite number", solvers[solver].solver, shape);
  const char* warning = shapes[shape].warning;
  if (warning && !strstr(log.text, warning))
    fail_msg("%s, shape %zu: no warning with '%s' in: %s", solvers[solver].solver, shape, warning, log.text);
  if (!warning && strstr(log.text, FLAT)) fail_msg("%s: curves are taken for a mesh", solvers[solver].solver);
  rv_detail_free(out);
  rv_scene_free(scene);
}

static void every_solver(size_t shape) {
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; ++i) try_one(i, shape);
}

static void ball_grows_from_a_point(void** state) {
  (void)state;
  every_solver(0);
}

static void ball_is_flattened(void** state) {
  (void)state;
  every_solver(1);
}

static void curves_bound_no_solid(void** state) {
  (void)state;
  every_solver(2);
}

RV_TESTS(cmocka_unit_test(ball_grows_from_a_point), cmocka_unit_test(ball_is_flattened),
         cmocka_unit_test(curves_bound_no_solid))
