// The scaffold of solver nodes, by a trial solver of under 60 lines (support/node_spring.c): it starts at the input,
// follows it, stays outside of a solid that is a bare mesh, loses no liquid, and goes on from a saved state with the
// same bits; edits of P are taken.
#include <math.h>
#include <string.h>

#include "rig/node.h"
#include "support/cook.h"
#include "support/node_spring.h"
#include "support/rv_test.h"
#include "support/scene_log.h"

#define SCENE                                                                                    \
  "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.1, \"t\": [0, -0.25, 0]}},"        \
  "\"grid\": {\"type\": \"grid\", \"parms\": {\"size\": [0.1, 0.1], \"rows\": 3, \"cols\": 3}}," \
  "\"move\": {\"type\": \"transform\", \"inputs\": [\"grid\"], \"parms\": {\"tx\": {\"keys\": [[1, 0], [13, 1]]}}},"

static void register_spring(void) {
  static bool done;
  RvError error = {0};
  if (!done) CHECK_OK(rv_node_register(&rv_test_spring, &error), error);
  done = true;
}

static const RvDetail* cook(RvScene* scene, const char* output, double frame) {
  RvError error = {0};
  const RvDetail* out = NULL;
  CHECK_OK(rv_scene_cook(scene, output, frame, &out, &error), error);
  return out;
}

static void starts_and_follows(void** state) {
  (void)state;
  register_spring();
  RvTestLog log;
  RvScene* scene = rv_test_scene(SCENE "\"s\": {\"type\": \"testspring\", \"inputs\": [\"move\"]}", &log);
  const RvDetail* in = cook(scene, "grid", 1);
  float first[27];
  memcpy(first, rv_detail_f32(in, RV_POINT, "P", 3), sizeof first);
  // frame 1 is the input
  assert_memory_equal(rv_detail_f32(cook(scene, "s", 1), RV_POINT, "P", 3), first, sizeof first);
  // a critically loaded spring hangs g / stiffness below its goal and lags behind it by less than its period's way
  const float* P = rv_detail_f32(cook(scene, "s", 13), RV_POINT, "P", 3);
  assert_true(P[0] > first[0] + 0.8 && P[0] < first[0] + 1.2);
  rv_scene_free(scene);
}

// The bare mesh of a ball below the points keeps them out; without it they fall through its place.
static void meets_a_bare_mesh(void** state) {
  (void)state;
  register_spring();
  for (int solid = 0; solid < 2; ++solid) {
    RvTestLog log;
    RvScene* scene = rv_test_scene(solid ? SCENE
                                       "\"s\": {\"type\": \"testspring\", \"inputs\": [\"grid\", \"ball\"], \"parms\": "
                                       "{\"stiffness\": 20, \"substeps\": 16}}"
                                         : SCENE
                                       "\"s\": {\"type\": \"testspring\", \"inputs\": [\"grid\"], \"parms\": "
                                       "{\"stiffness\": 20, \"substeps\": 16}}",
                                   &log);
    double deepest = INFINITY;
    for (int frame = 2; frame <= 12; ++frame) {
      const float* P = rv_detail_f32(cook(scene, "s", frame), RV_POINT, "P", 3) + 3 * 4;
      deepest = fmin(deepest, sqrt(P[0] * P[0] + (P[1] + 0.25) * (P[1] + 0.25) + P[2] * P[2]) - 0.1);
    }
    // a step goes 6 mm at most, less than the band of the level set; a voxel of it is 2 mm
    assert_true(solid ? deepest > -0.002 : deepest < -0.05);
    rv_scene_free(scene);
  }
}

static void loses_no_liquid(void** state) {
  (void)state;
  register_spring();
  RvTestLog log;
  RvScene* scene = rv_test_scene(SCENE "\"s\": {\"type\": \"testspring\", \"inputs\": [\"move\"]}", &log);
  const RvDetail* out = cook(scene, "s:state", 12);
  const double* volume = rv_detail_f64(out, RV_POINT, "rv_volume", 1);
  const double* evaporated = rv_detail_f64(out, RV_GLOBAL, "rv_evaporated", 1);
  double sum = *evaporated;
  for (size_t i = 0; i < 9; ++i) sum += volume[i];
  assert_true(*evaporated > 1e-9);
  CHECK_NEAR(sum, 9e-9, 1e-22);
  rv_scene_free(scene);
}

// Frames that are asked for in any order step again from the state of an earlier one, with the same bits.
static void resumes_to_the_bit(void** state) {
  (void)state;
  register_spring();
  const RvNodeType* type = &rv_test_spring;
  RvTestLog log;
  RvScene* scene = rv_test_scene(SCENE "\"s\": {\"type\": \"testspring\", \"inputs\": [\"move\", \"ball\"]}", &log);
  uint64_t straight = rv_node_state_hash(type, cook(scene, "s:state", 8));
  rv_scene_free(scene);
  // frames in any order drop what was kept and step again
  scene = rv_test_scene(SCENE "\"s\": {\"type\": \"testspring\", \"inputs\": [\"move\", \"ball\"]}", &log);
  cook(scene, "s:state", 5);
  cook(scene, "s:state", 2);
  assert_true(rv_node_state_hash(type, cook(scene, "s:state", 8)) == straight);
  rv_scene_free(scene);
}

// Volumes and sums that another solver left on the points are not taken for the solver's own: the second of two in a
// row has the bits and the liquid that it has where the first keeps nothing.
static void starts_without_the_state_of_another(void** state) {
  (void)state;
  register_spring();
  for (int substeps = 1; substeps <= 3; substeps += 2) {
    uint64_t hash[2];
    for (int kept = 0; kept < 2; ++kept) {
      char nodes[1200];
      snprintf(nodes, sizeof nodes,
               SCENE
               "\"first\": {\"type\": \"testspring\", \"inputs\": [\"move\"], \"parms\": {\"keepstate\": %s}},"
               "\"s\": {\"type\": \"testspring\", \"inputs\": [\"first\"], \"parms\": {\"startframe\": 5, "
               "\"substeps\": %d}}",
               kept ? "true" : "false", substeps);
      RvTestLog log;
      RvScene* scene = rv_test_scene(nodes, &log);
      const RvDetail* before = cook(scene, "first", 5);
      assert_int_equal(rv_detail_find(before, RV_GLOBAL, "rv_evaporated") != NULL, kept);
      CHECK_NEAR(*rv_detail_f64(cook(scene, "s:state", 5), RV_GLOBAL, "rv_initial", 1), 9e-9, 1e-22);
      hash[kept] = rv_node_state_hash(&rv_test_spring, cook(scene, "s:state", 8));
      rv_scene_free(scene);
    }
    assert_true(hash[0] == hash[1]);
  }
}

//---------------------------------------------------------------------------------------------- edits

// RvNodeRigDef.make: points that stand still.
static RvResult make(void* user, size_t index, double frame, RvDetail** out, RvError* error) {
  (void)index;
  (void)frame;
  *out = rv_detail_copy(user);
  return *out ? RV_OK : rv_fail(error, RV_NO_MEMORY, "no memory");
}

// RvHost.message: keeps the last one.
static RvLevel last_level;
static char last_text[200];
static void message(void* user, RvLevel level, const char* text) {
  (void)user;
  last_level = level;
  snprintf(last_text, sizeof last_text, "%s", text);
}

// The edited points and their coordinate.
enum { MOVED = 4, PUSHED = 7, AXIS = 2 };
typedef struct Points {
  double x[27], v[27];
} Points;

static Points points_of(const RvDetail* state) {
  Points p;
  assert_int_equal(rv_detail_count(state, RV_POINT), 9);
  memcpy(p.x, rv_detail_f64(state, RV_POINT, "rv_x", 3), sizeof p.x);
  memcpy(p.v, rv_detail_f64(state, RV_POINT, "rv_v", 3), sizeof p.v);
  return p;
}

// The frame after the third, in 6 substeps, with one point moved and one pushed between both, or none; *moved (m) and
// *pushed (m/s) receive what the edits change.
static Points frame_four(RvDetail* grid, bool edit, double* moved, double* pushed) {
  RvError error = {0};
  const char* const parms[] = {"substeps", "6", "maxsubsteps", "6", NULL};
  RvNodeRig r;
  CHECK_OK(rv_rig_node_open(&r, &(RvNodeRigDef){"testspring", parms, 1, make, grid, false}, &error), error);
  r.host.message = message;
  for (int frame = 2; frame <= 4; ++frame) {
    CHECK_OK(rv_rig_node_next(&r, &error), error);
    if (frame == 4 && edit) {
      Points p = points_of(r.state.part[0]);
      float* P = rv_detail_f32_write(r.state.part[0], RV_POINT, "P", 3, &error);
      float* v = rv_detail_f32_write(r.state.part[0], RV_POINT, "v", 3, &error);
      P[3 * MOVED + AXIS] += 0.05f;
      v[3 * PUSHED + AXIS] += 0.5f;
      *moved = P[3 * MOVED + AXIS] - p.x[3 * MOVED + AXIS];
      *pushed = v[3 * PUSHED + AXIS] - p.v[3 * PUSHED + AXIS];
    }
    CHECK_OK(rv_rig_node_step(&r, &error), error);
  }
  Points out = points_of(r.state.part[0]);
  rv_rig_node_close(&r);
  return out;
}

// Points whose P or v an artist edited go on from there, all others keep their bits, and a message tells of it.
static void takes_edits(void** state) {
  (void)state;
  register_spring();
  RvTestCook grid = rv_test_cook("grid", "size=0.1 0.1; rows=3; cols=3", 0, NULL);
  CHECK_OK(grid.result, grid.error);
  double dx = 0, dv = 0;
  Points plain = frame_four(grid.output[0], false, NULL, NULL);
  assert_string_equal(last_text, "");
  Points edited = frame_four(grid.output[0], true, &dx, &dv);
  assert_int_equal(last_level, RV_LEVEL_INFO);
  assert_non_null(strstr(last_text, "edited: the edits are taken (2 numbers)"));
  rv_test_cook_free(&grid);
  // a spring is linear: the edit goes on as its own oscillation, in six steps of symplectic Euler
  double offsets[2][2] = {{dx, 0}, {0, dv}};
  const double dt = 1.0 / 24 / 6, stiffness = 400;
  for (int k = 0; k < 2; ++k)
    for (int step = 0; step < 6; ++step) {
      offsets[k][1] -= dt * stiffness * offsets[k][0];
      offsets[k][0] += dt * offsets[k][1];
    }
  for (size_t i = 0; i < 27; ++i) {
    int k = i == 3 * MOVED + AXIS ? 0 : i == 3 * PUSHED + AXIS ? 1 : -1;
    if (k < 0 && (plain.x[i] != edited.x[i] || plain.v[i] != edited.v[i])) fail_msg("number %zu changed", i);
    if (k < 0) continue;
    // rounding of six steps of numbers up to 0.1 m and 3 m/s
    CHECK_NEAR(edited.x[i] - plain.x[i], offsets[k][0], 1e-15);
    CHECK_NEAR(edited.v[i] - plain.v[i], offsets[k][1], 1e-13);
  }
}

RV_TESTS(cmocka_unit_test(starts_and_follows), cmocka_unit_test(meets_a_bare_mesh), cmocka_unit_test(loses_no_liquid),
         cmocka_unit_test(resumes_to_the_bit), cmocka_unit_test(starts_without_the_state_of_another),
         cmocka_unit_test(takes_edits))
