// The lookdev solver as a node: frame 1 is the groom, roots, pins and goals hold, solids keep hair out, volume pushes
// it apart, bad input is told of, and wetsolver's wires and parameters fit.
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "math/vec.h"
#include "support/rv_test.h"
#include "support/scene_log.h"

#define BALL "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.05, \"rows\": 25, \"cols\": 36}},"
#define HAIR                                                                                                  \
  BALL "\"hair\": {\"type\": \"groom\", \"inputs\": [\"ball\"], \"parms\": {\"count\": 60, \"length\": 0.06," \
       "  \"points\": 20, \"style\": \"coiled\"}},"
#define TURN                                                                                                       \
  "\"turn\": {\"type\": \"transform\", \"inputs\": [\"hair\"], \"parms\": {\"ry\": {\"keys\": [[1, 0], [12, 90]]," \
  "  \"extend\": \"hold\"}}},"

static const float* places(const RvDetail* d) {
  return rv_detail_f32(d, RV_POINT, "P", 3);
}

static double apart(const RvDetail* a, const RvDetail* b, size_t i) {
  return rv_distance(rv_vec3_load(places(a) + 3 * i), rv_vec3_load(places(b) + 3 * i));
}

static double largest_move(const RvDetail* a, const RvDetail* b) {
  double most = 0;
  assert_int_equal(rv_detail_count(a, RV_POINT), rv_detail_count(b, RV_POINT));
  for (size_t i = 0; i < rv_detail_count(a, RV_POINT); ++i) most = fmax(most, apart(a, b, i));
  return most;
}

static void expect(const RvTestLog* log, const char* words) {
  if (!strstr(log->text, words)) fail_msg("no warning with '%s' in: %s", words, log->text);
}

//---------------------------------------------------------------------------------------------- groom

static void frame_1_is_the_groom_and_it_stays(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = rv_test_scene(HAIR "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"hair\"]}", &log);
  RvDetail *groom = rv_test_scene_copy(scene, "hair", 1), *first = rv_test_scene_copy(scene, "s", 1),
           *last = rv_test_scene_copy(scene, "s", 24);
  CHECK_NEAR(largest_move(groom, first), 0, 0);
  CHECK_NEAR(largest_move(groom, last), 0, 1e-6);
  // and without the balance it sags
  RvError error = {0};
  CHECK_OK(rv_scene_set(scene, "s.restmode=natural", &error), error);
  RvDetail* sagged = rv_test_scene_copy(scene, "s", 12);
  assert_true(largest_move(groom, sagged) > 1e-3);
  rv_detail_free(groom);
  rv_detail_free(first);
  rv_detail_free(last);
  rv_detail_free(sagged);
  rv_scene_free(scene);
}

// Without the balance, but held by pins or goals, hair follows the input.
static void roots_pins_and_goals_follow(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = rv_test_scene(
      HAIR TURN
      "\"pin\": {\"type\": \"attribute\", \"inputs\": [\"turn\"], \"parms\": {\"name\": \"pintoanimation\","
      "  \"value\": [1, 0, 0, 0]}},"
      "\"goal\": {\"type\": \"attribute\", \"inputs\": [\"turn\"], \"parms\": {\"name\": \"targetweight\","
      "  \"value\": [1, 0, 0, 0]}},"
      "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"turn\"], \"parms\": {\"restmode\": \"natural\","
      "  \"stiffness\": 0.01}},"
      "\"p\": {\"type\": \"lookdevsolver\", \"inputs\": [\"pin\"], \"parms\": {\"restmode\": \"natural\"}},"
      "\"g\": {\"type\": \"lookdevsolver\", \"inputs\": [\"goal\"], \"parms\": {\"restmode\": \"natural\","
      "  \"stiffness\": 0.01, \"targettime\": 0.05}},"
      "\"a\": {\"type\": \"lookdevsolver\", \"inputs\": [\"turn\"], \"parms\": {\"hairmode\": \"animated\"}}",
      &log);
  RvDetail *input = rv_test_scene_copy(scene, "turn", 24), *plain = rv_test_scene_copy(scene, "s", 24),
           *pinned = rv_test_scene_copy(scene, "p", 24), *goals = rv_test_scene_copy(scene, "g", 24),
           *animated = rv_test_scene_copy(scene, "a", 24);
  // the first edge of every strand; sums of an origin and a place are rounded to floats
  for (size_t i = 0; i < rv_detail_count(input, RV_POINT); i += 20) {
    CHECK_NEAR(apart(input, plain, i), 0, 1e-7);
    CHECK_NEAR(apart(input, plain, i + 1), 0, 1e-7);
  }
  CHECK_NEAR(largest_move(input, pinned), 0, 1e-7);
  CHECK_NEAR(largest_move(input, animated), 0, 1e-7);
  print_message("goals %g, plain %g\n", largest_move(input, goals), largest_move(input, plain));
  assert_true(largest_move(input, goals) < 0.2 * largest_move(input, plain));
  rv_detail_free(input);
  rv_detail_free(plain);
  rv_detail_free(pinned);
  rv_detail_free(goals);
  rv_detail_free(animated);
  rv_scene_free(scene);
}

// A strand that stands for many hairs hangs and swings as one of them: mass, stiffness and drag grow alike.
static void many_hairs_hang_as_one(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = rv_test_scene(HAIR TURN
                                 "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"turn\"], \"parms\": {"
                                 "  \"restmode\": \"natural\", \"strandcollisions\": false}}",
                                 &log);
  RvDetail* out[2];
  for (int k = 0; k < 2; ++k) {
    RvError error = {0};
    CHECK_OK(rv_scene_set(scene, k ? "s.hairsperguide=50" : "s.hairsperguide=1", &error), error);
    out[k] = rv_test_scene_copy(scene, "s", 10);
  }
  RvDetail* groom = rv_test_scene_copy(scene, "turn", 10);
  print_message("apart %g, way %g\n", largest_move(out[0], out[1]), largest_move(groom, out[0]));
  assert_true(largest_move(groom, out[0]) > 1e-3);
  CHECK_NEAR(largest_move(out[0], out[1]), 0, 1e-6);
  rv_detail_free(out[0]);
  rv_detail_free(out[1]);
  rv_detail_free(groom);
  rv_scene_free(scene);
}

// Half of the head's motion felt is less lag than all of it, and none is none.
static void inertia_scales(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = rv_test_scene(HAIR TURN "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"turn\"]}", &log);
  RvDetail* input = rv_test_scene_copy(scene, "turn", 6);
  double lag[3];
  for (int k = 0; k < 3; ++k) {
    char text[40];
    RvError error = {0};
    snprintf(text, sizeof text, "s.inertiascale=%g", 0.5 * k);
    CHECK_OK(rv_scene_set(scene, text, &error), error);
    RvDetail* out = rv_test_scene_copy(scene, "s", 6);
    lag[k] = largest_move(input, out);
    rv_detail_free(out);
  }
  print_message("lag %g %g %g\n", lag[0], lag[1], lag[2]);
  assert_true(lag[0] < 1e-4 && lag[0] < lag[1] && lag[1] < lag[2]);
  rv_detail_free(input);
  rv_scene_free(scene);
}

//---------------------------------------------------------------------------------------------- solids

// A ball rises through hair that hangs beside it: no point is left inside, and friction carries the hair along.
static void a_moving_ball_stays_empty(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = rv_test_scene(
      "\"h\": {\"type\": \"groom\", \"parms\": {\"count\": 20, \"layout\": \"row\", \"spacing\": 0.004,"
      "  \"length\": 0.1, \"lengthrandom\": 0, \"points\": 20, \"lift\": 1, \"bend\": 0, \"directionrandom\": 0}},"
      "\"hang\": {\"type\": \"transform\", \"inputs\": [\"h\"], \"parms\": {\"rz\": 180, \"tx\": 0.04}},"
      "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.02, \"rows\": 33, \"cols\": 48}},"
      "\"m\": {\"type\": \"transform\", \"inputs\": [\"b\"], \"parms\": {\"ty\": -0.08, \"tz\": {\"keys\": [[1, 0.05],"
      "  [12, 0]], \"extend\": \"hold\"}}},"
      "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"hang\", null, \"m\"]}",
      &log);
  double deepest = 0, moved = 0;
  for (int frame = 2; frame <= 30; ++frame) {
    const RvDetail* out = rv_test_scene_cook(scene, "s", frame);
    double z = frame < 12 ? 0.05 - 0.05 * (frame - 1) / 11.0 : 0;
    for (size_t i = 0; i < rv_detail_count(out, RV_POINT); ++i) {
      RvVec3 x = rv_vec3_load(places(out) + 3 * i);
      deepest = fmax(deepest, 0.02 - rv_distance(x, rv_vec3(0, -0.08, z)));
      moved = fmax(moved, fabs(x.z));
    }
  }
  print_message("deepest %g m, moved %g m\n", deepest, moved);
  // a voxel of the level set is a fortieth of the ball; a vertex may enter by its way in a substep
  assert_true(deepest < 1.5e-3 && moved > 0.01);
  rv_scene_free(scene);
}

// Hair whose goals squeeze it to half its width gives way less with volume than without.
static void volume_pushes_hair_apart(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = rv_test_scene(
      "\"h\": {\"type\": \"groom\", \"parms\": {\"count\": 400, \"size\": 0.03, \"length\": 0.08, \"points\": 16,"
      "  \"lift\": 1, \"bend\": 0, \"directionrandom\": 0.02}},"
      "\"g\": {\"type\": \"attribute\", \"inputs\": [\"h\"], \"parms\": {\"name\": \"targetweight\","
      "  \"mode\": \"ramp\", \"value\": [0.2, 0, 0, 0]}},"
      "\"squeeze\": {\"type\": \"transform\", \"inputs\": [\"g\"], \"parms\": {\"s\": [{\"keys\": [[1, 1],"
      "  [12, 0.5]], \"extend\": \"hold\"}, 1, 1]}},"
      "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"squeeze\"], \"parms\": {\"volumecell\": 0.006}}",
      &log);
  double width[2];
  for (int k = 0; k < 2; ++k) {
    RvError error = {0};
    CHECK_OK(rv_scene_set(scene, k ? "s.strandcollisions=1" : "s.strandcollisions=0", &error), error);
    const RvDetail* out = rv_test_scene_cook(scene, "s", 24);
    width[k] = 0;
    for (size_t i = 15; i < rv_detail_count(out, RV_POINT); i += 16) width[k] += fabs((double)places(out)[3 * i]) / 400;
  }
  print_message("mean way of the tips from the axis: %g without, %g with volume\n", width[0], width[1]);
  assert_true(width[1] > 1.1 * width[0]);
  rv_scene_free(scene);
}

//---------------------------------------------------------------------------------------------- swap

// The wires and parameters of wetsolver fit.
static void it_takes_the_place_of_wetsolver(void** state) {
  (void)state;
  static const char* const types[] = {"wetsolver", "lookdevsolver"};
  for (int k = 0; k < 2; ++k) {
    char nodes[3000];
    RvTestLog log;
    snprintf(nodes, sizeof nodes,
             HAIR TURN
             "\"c\": {\"type\": \"collider\", \"inputs\": [\"ball\"]},"
             "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.03, 0.03, 0.03], \"t\": [0, 0.1, 0],"
             "  \"particlesep\": 0.005}},"
             "\"s\": {\"type\": \"%s\", \"inputs\": [\"turn\", \"w\", \"c\", null, null], \"parms\": {\"substeps\": 2,"
             "  \"youngs\": 3e9, \"hairsperguide\": 20, \"drying\": 1e-6, \"cohesion\": 1.5,"
             "  \"capture\": 1, \"killbox\": true}}",
             types[k]);
    RvScene* scene = rv_test_scene(nodes, &log);
    const RvDetail* strands = rv_test_scene_cook(scene, "s", 3);
    assert_int_equal(rv_detail_count(strands, RV_POINT), 1200);
    assert_non_null(rv_detail_find(strands, RV_POINT, "wetness"));
    assert_true(rv_detail_count(rv_test_scene_cook(scene, "s:liquid", 3), RV_POINT) > 100);
    rv_scene_free(scene);
  }
}

//---------------------------------------------------------------------------------------------- bad input

static void coarse_coils_and_inner_points_are_counted(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = rv_test_scene(
      BALL
      "\"hair\": {\"type\": \"groom\", \"inputs\": [\"ball\"], \"parms\": {\"count\": 60, \"length\": 0.1,"
      "  \"points\": 12, \"style\": \"coiled\", \"curlradius\": 0.004, \"curlpitch\": 0.004}},"
      "\"in\": {\"type\": \"transform\", \"inputs\": [\"hair\"], \"parms\": {\"ty\": -0.02}},"
      "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"in\", null, \"ball\"], \"parms\": {\"rootfree\": 0}}",
      &log);
  rv_test_scene_cook(scene, "s", 2);
  expect(&log, "fewer than 4 points a turn");
  expect(&log, "inside of solids");
  rv_scene_free(scene);
}

static void more_than_maxmemory_is_refused(void** state) {
  (void)state;
  RvTestLog log;
  RvError error = {0};
  const RvDetail* out;
  RvScene* scene = rv_test_scene(
      "\"h\": {\"type\": \"groom\", \"parms\": {\"count\": 2000, \"points\": 30}},"
      "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"h\"], \"parms\": {\"maxmemory\": 0.05}}",
      &log);
  assert_int_not_equal(rv_scene_cook(scene, "s", 1, &out, &error), RV_OK);
  assert_non_null(strstr(error.text, "'s'"));
  assert_non_null(strstr(error.text, "maxmemory"));
  rv_scene_free(scene);
}

static void negative_porosity_is_refused(void** state) {
  (void)state;
  RvTestLog log;
  RvError error = {0};
  RvScene* scene = rv_test_scene(HAIR "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"hair\"]}", &log);
  assert_int_not_equal(rv_scene_set(scene, "s.porosity=-0.2", &error), RV_OK);
  print_message("%s\n", error.text);
  assert_non_null(strstr(error.text, "s"));
  assert_non_null(strstr(error.text, "porosity"));
  assert_non_null(strstr(error.text, "0.01"));
  rv_scene_free(scene);
}

// Topology that changes, NaN, two points and points in one place are the strand port's; the node's messages name it.
static void changing_topology_is_refused(void** state) {
  (void)state;
  RvTestLog log;
  RvError error = {0};
  const RvDetail* out;
  RvScene* scene = rv_test_scene(
      "\"h\": {\"type\": \"groom\", \"parms\": {\"count\": {\"keys\": [[1, 10], [3, 30]]}, \"points\": 8}},"
      "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"h\"]}",
      &log);
  assert_int_not_equal(rv_scene_cook(scene, "s", 4, &out, &error), RV_OK);
  print_message("%s\n", error.text);
  assert_non_null(strstr(error.text, "'s'"));
  rv_scene_free(scene);
}

static void bad_strands_stay_as_animated(void** state) {
  (void)state;
  enum { STRANDS = 3, N = 8 };
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, STRANDS, N, NULL, NULL, &error), error);
  CHECK_OK(rv_detail_add_curves(d, 1, 2, NULL, NULL, &error), error);
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  for (int i = 0; i < STRANDS * N + 2; ++i) {
    P[3 * i] = 0.005f * (float)(i % N);
    P[3 * i + 1] = 0;
    P[3 * i + 2] = 0.02f * (float)(i / N);
  }
  P[3 * (N + 4)] = NAN;
  memcpy(P + 3 * (2 * N + 4), P + 3 * (2 * N + 3), 3 * sizeof *P);
  CHECK_OK(rv_detail_save(d, rv_test_path("bad.bgeo.sc"), NULL, &error), error);
  rv_detail_free(d);
  char nodes[1000];
  RvTestLog log;
  snprintf(nodes, sizeof nodes,
           "\"f\": {\"type\": \"file\", \"parms\": {\"file\": \"%s\"}}, \"s\": {\"type\": \"lookdevsolver\","
           "  \"inputs\": [\"f\"], \"parms\": {\"restmode\": \"natural\"}}",
           rv_test_path("bad.bgeo.sc"));
  RvScene* scene = rv_test_scene(nodes, &log);
  const RvDetail* out = rv_test_scene_cook(scene, "s", 6);
  expect(&log, "fewer than 3 points");
  expect(&log, "not a number");
  expect(&log, "in one place");
  // the sound strand sags, the others are where they were
  assert_true(places(out)[3 * (N - 1) + 1] < -1e-3f);
  CHECK_NEAR(places(out)[3 * (3 * N - 1) + 1], 0, 0);
  CHECK_NEAR(places(out)[3 * (STRANDS * N + 1) + 1], 0, 0);
  rv_scene_free(scene);
}

//---------------------------------------------------------------------------------------------- bits

// The same hash with every instruction set.
static void every_instruction_set_has_the_same_bits(void** state) {
  (void)state;
  uint64_t hash[RV_ISA_COUNT] = {0};
  const RvIsa own = rv_cpu_isa();
  for (int isa = 0; isa < RV_ISA_COUNT; ++isa) {
    if (!rv_cpu_force((RvIsa)isa)) continue;
    RvTestLog log;
    RvScene* scene = rv_test_scene(HAIR TURN
                                   "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"turn\", null, \"ball\"],"
                                   "  \"parms\": {\"volumecell\": 0.005}}",
                                   &log);
    hash[isa] = rv_test_scene_hash(scene, "s:state", 4);
    rv_scene_free(scene);
    if (hash[0]) assert_int_equal(hash[isa], hash[0]);
  }
  rv_cpu_force(own);
}

RV_TESTS(cmocka_unit_test(frame_1_is_the_groom_and_it_stays), cmocka_unit_test(roots_pins_and_goals_follow),
         cmocka_unit_test(many_hairs_hang_as_one), cmocka_unit_test(inertia_scales), cmocka_unit_test(a_moving_ball_stays_empty),
         cmocka_unit_test(volume_pushes_hair_apart), cmocka_unit_test(it_takes_the_place_of_wetsolver),
         cmocka_unit_test(coarse_coils_and_inner_points_are_counted), cmocka_unit_test(more_than_maxmemory_is_refused),
         cmocka_unit_test(negative_porosity_is_refused), cmocka_unit_test(changing_topology_is_refused), cmocka_unit_test(bad_strands_stay_as_animated),
         cmocka_unit_test(every_instruction_set_has_the_same_bits))
