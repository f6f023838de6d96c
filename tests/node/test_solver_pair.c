// A solver of two media on the scaffold (support/node_pair.c): strands follow their animation, particles fall onto a
// solid that both meet, each comes out of its own output, frames in any order have the same bits, and edits of P and v
// of the particles are taken.
#include <math.h>
#include <string.h>

#include "rig/node.h"
#include "support/cook.h"
#include "support/node_pair.h"
#include "support/rv_test.h"
#include "support/scene_log.h"

static const char scene_text[] =
    "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.1, \"t\": [0, -0.25, 0]}},"
    "\"hair\": {\"type\": \"groom\", \"parms\": {\"count\": 5, \"points\": 4, \"length\": 0.1}},"
    "\"move\": {\"type\": \"transform\", \"inputs\": [\"hair\"], \"parms\": {\"tx\": {\"keys\": [[1, 1], [13, 2]]}}},"
    "\"drops\": {\"type\": \"grid\", \"parms\": {\"size\": [0.02, 0.02], \"rows\": 3, \"cols\": 3}},"
    "\"s\": {\"type\": \"testpair\", \"inputs\": [\"move\", \"drops\", \"ball\"], \"parms\": {\"substeps\": 16}}";

static int register_pair(void** state) {
  (void)state;
  RvError error = {0};
  CHECK_OK(rv_node_register(&rv_test_pair, &error), error);
  return 0;
}

static void moves_both(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = rv_test_scene(scene_text, &log);
  const RvDetail* strands = rv_test_scene_cook(scene, "s:strands", 13);
  assert_int_equal(rv_detail_count(strands, RV_PRIM), 5);
  assert_int_equal(rv_detail_count(strands, RV_POINT), 20);
  // springs lag behind by less than the way of their period of 0.3 s, 0.6 m
  double first = rv_detail_f32(strands, RV_POINT, "P", 3)[0];
  assert_true(first > 1.4 && first < 2.6);
  // particles reach the ball 0.15 m below after 0.17 s and stay outside, but for a voxel of 2 mm
  const RvDetail* drops = rv_test_scene_cook(scene, "s:particles", 13);
  assert_int_equal(rv_detail_count(drops, RV_POINT), 9);
  const float* P = rv_detail_f32(drops, RV_POINT, "P", 3) + 3 * 4;
  double height = sqrt(P[0] * P[0] + (P[1] + 0.25) * (P[1] + 0.25) + P[2] * P[2]) - 0.1;
  assert_true(height > -0.002 && height < 0.01);
  rv_scene_free(scene);
}

static void resumes_to_the_bit(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = rv_test_scene(scene_text, &log);
  uint64_t straight = rv_test_scene_hash(scene, "s:state", 8);
  rv_scene_free(scene);
  scene = rv_test_scene(scene_text, &log);
  rv_test_scene_cook(scene, "s:state", 5);
  rv_test_scene_cook(scene, "s:state", 2);
  assert_true(rv_test_scene_hash(scene, "s:state", 8) == straight);
  rv_scene_free(scene);
}

//---------------------------------------------------------------------------------------------- edits

// RvNodeRigDef.make: strands and particles that stand still; no solids.
static RvResult make(void* user, size_t index, double frame, RvDetail** out, RvError* error) {
  RvTestCook* made = user;
  (void)frame;
  if (index > 1) return RV_OK;
  *out = rv_detail_copy(made[index].output[0]);
  return *out ? RV_OK : rv_fail(error, RV_NO_MEMORY, "no memory");
}

// RvHost.message: keeps the last one.
static char last_text[200];
static void message(void* user, RvLevel level, const char* text) {
  (void)user;
  (void)level;
  snprintf(last_text, sizeof last_text, "%s", text);
}

// The edited particles and their coordinate.
enum { MOVED = 4, PUSHED = 7, AXIS = 2, PARTICLES = 9, STRAND_POINTS = 20 };
static const float MOVE = 0.05f, PUSH = 0.5f;

// Edits the state as one detail, as artists have it: the particles come after the points of the strands.
static void edit_joined(RvState* state) {
  RvError error = {0};
  RvDetail* joined;
  CHECK_OK(rv_node_join_state(state, &joined, &error), error);
  rv_detail_f32_write(joined, RV_POINT, "P", 3, &error)[3 * (STRAND_POINTS + MOVED) + AXIS] += MOVE;
  rv_detail_f32_write(joined, RV_POINT, "v", 3, &error)[3 * (STRAND_POINTS + PUSHED) + AXIS] += PUSH;
  rv_state_free(state);
  CHECK_OK(rv_node_cut_state(&rv_test_pair, joined, state, &error), error);
  rv_detail_free(joined);
}

// The state after the third frame, with one particle moved and one pushed before it, or none.
static RvState frame_three(RvTestCook* inputs, bool edit) {
  RvError error = {0};
  const char* const parms[] = {"substeps", "4", "maxsubsteps", "4", NULL};
  RvNodeRig r;
  CHECK_OK(rv_rig_node_open(&r, &(RvNodeRigDef){"testpair", parms, 3, make, inputs, false}, &error), error);
  r.host.message = message;
  for (int frame = 2; frame <= 3; ++frame) {
    CHECK_OK(rv_rig_node_next(&r, &error), error);
    if (frame == 3 && edit) edit_joined(&r.state);
    CHECK_OK(rv_rig_node_step(&r, &error), error);
  }
  RvState out = r.state;
  r.state = (RvState){0};
  rv_rig_node_close(&r);
  return out;
}

// Particles fall freely, so an edited one keeps its distance and its speed; all other numbers keep their bits.
static void takes_edits_of_particles(void** state) {
  (void)state;
  RvTestCook inputs[2] = {rv_test_cook("groom", "count=5; points=4; length=0.1", 0, NULL),
                          rv_test_cook("grid", "size=0.02 0.02; rows=3; cols=3", 0, NULL)};
  for (int k = 0; k < 2; ++k) CHECK_OK(inputs[k].result, inputs[k].error);
  RvState plain = frame_three(inputs, false);
  assert_string_equal(last_text, "");
  RvState edited = frame_three(inputs, true);
  assert_non_null(strstr(last_text, "edited: the edits are taken (2 numbers)"));
  // the strands
  assert_int_equal(rv_detail_count(plain.part[0], RV_POINT), STRAND_POINTS);
  assert_memory_equal(rv_detail_f64(plain.part[0], RV_POINT, "rv_x", 3),
                      rv_detail_f64(edited.part[0], RV_POINT, "rv_x", 3), 3 * STRAND_POINTS * sizeof(double));
  // the particles
  assert_int_equal(rv_detail_count(plain.part[1], RV_POINT), PARTICLES);
  const double* x = rv_detail_f64(plain.part[1], RV_POINT, "rv_x", 3);
  const double* v = rv_detail_f64(plain.part[1], RV_POINT, "rv_v", 3);
  const double* new_x = rv_detail_f64(edited.part[1], RV_POINT, "rv_x", 3);
  const double* new_v = rv_detail_f64(edited.part[1], RV_POINT, "rv_v", 3);
  for (size_t i = 0; i < 3 * PARTICLES; ++i) {
    double dv = i == 3 * PUSHED + AXIS ? PUSH : 0;
    double dx = i == 3 * MOVED + AXIS ? MOVE : dv / 24;
    // edits are rounded to 32 bits, of numbers up to 0.5; what is not edited keeps its bits
    double tolerance = dx > 0 ? 6e-8 : 0;
    CHECK_NEAR(new_x[i] - x[i], dx, tolerance);
    CHECK_NEAR(new_v[i] - v[i], dv, tolerance);
  }
  rv_state_free(&plain);
  rv_state_free(&edited);
  for (int k = 0; k < 2; ++k) rv_test_cook_free(&inputs[k]);
}

RV_TESTS(cmocka_unit_test_setup(moves_both, register_pair), cmocka_unit_test(resumes_to_the_bit),
         cmocka_unit_test(takes_edits_of_particles))
