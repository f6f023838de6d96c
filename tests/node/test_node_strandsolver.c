// The strand solver as a node: the groom stays, roots follow, pins and goals hold, bad strands are left alone, and the
// state is all there is.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "node/solver/sampler.h"
#include "support/detail_compare.h"
#include "support/rv_test.h"
#include "support/scene_log.h"

#define HAIR                                                                                                 \
  "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.1, \"rows\": 25, \"cols\": 36}},"              \
  "\"hair\": {\"type\": \"groom\", \"inputs\": [\"ball\"], \"parms\": {\"count\": %d, \"length\": 0.15,"     \
  "  \"points\": 24, \"style\": \"curly\", \"curlradius\": 0.006, \"curlpitch\": 0.03, \"curlrandom\": 0.3," \
  "  \"lift\": 0.55, \"bend\": 0.85, \"bendlength\": 0.05}},"
#define TURN                                                                                                          \
  "\"turn\": {\"type\": \"transform\", \"inputs\": [\"hair\"], \"parms\": {\"ry\": {\"keys\": [[1, 0], [9, 90]],"     \
  "  \"interp\": \"smooth\", \"extend\": \"hold\"}, \"t\": [{\"wave\": {\"amplitude\": 0.05, \"frequency\": 2}}, 0, " \
  "0]}},"

static RvScene* open_scene(const char* format, int count, const char* rest, RvTestLog* log) {
  char nodes[4000], text[6000];
  snprintf(nodes, sizeof nodes, format, count);
  snprintf(text, sizeof text, "%s %s", nodes, rest);
  return rv_test_scene(text, log);
}

// a copy of an output, because the scene's goes with the next call
static const float* places(const RvDetail* d) {
  return rv_detail_f32(d, RV_POINT, "P", 3);
}

static double largest_move(const RvDetail* a, const RvDetail* b, int stride) {
  double most = 0;
  const float *p = places(a), *q = places(b);
  assert_int_equal(rv_detail_count(a, RV_POINT), rv_detail_count(b, RV_POINT));
  for (size_t i = 0; i < rv_detail_count(a, RV_POINT); i += (size_t)stride) {
    double d = 0;
    for (size_t c = 3 * i; c < 3 * i + 3; ++c) d += ((double)p[c] - q[c]) * ((double)p[c] - q[c]);
    most = fmax(most, sqrt(d));
  }
  return most;
}

//---------------------------------------------------------------------------------------------- the groom stays

static void still_groom_stays(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = open_scene(HAIR, 200, "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"hair\"]}", &log);
  RvDetail *groom = rv_test_scene_copy(scene, "hair", 1), *first = rv_test_scene_copy(scene, "s", 1),
           *last = rv_test_scene_copy(scene, "s", 48);
  // frame 1 is the groom, to the bit
  CHECK_NEAR(largest_move(groom, first, 1), 0, 0);
  double move = largest_move(groom, last, 1);
  // nor does it only look still because Newton stops at once
  RvError error = {0};
  CHECK_OK(rv_scene_set(scene, "s.tolerance=1e-11", &error), error);
  RvDetail* exact = rv_test_scene_copy(scene, "s", 48);
  double moved = largest_move(groom, exact, 1);
  print_message("still groom: %.2e of its length after 48 frames, %.2e if solved to rounding\n", move / 0.15,
                moved / 0.15);
  assert_true(move < 0.005 * 0.15 && moved < 0.005 * 0.15);
  // and without the balance it would sag by centimetres
  CHECK_OK(rv_scene_set(scene, "s.restmode=natural", &error), error);
  RvDetail* sagged = rv_test_scene_copy(scene, "s", 12);
  assert_true(largest_move(groom, sagged, 1) > 0.02);
  rv_detail_free(groom);
  rv_detail_free(first);
  rv_detail_free(last);
  rv_detail_free(sagged);
  rv_detail_free(exact);
  rv_scene_free(scene);
}

static void turned_groom_stays(void** state) {
  (void)state;
  // a pose that is not the rest shape of the groom, but the same moved as a whole
  RvTestLog log;
  RvScene* scene =
      open_scene(HAIR, 60,
                 "\"tilt\": {\"type\": \"transform\", \"inputs\": [\"hair\"], \"parms\": {\"rx\": 70}},"
                 "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"tilt\"], \"parms\": {\"restangle\": 150}}",
                 &log);
  RvDetail *first = rv_test_scene_copy(scene, "tilt", 1), *last = rv_test_scene_copy(scene, "s", 24);
  double move = largest_move(first, last, 1);
  print_message("tilted groom: %.2e of its length, %s\n", move / 0.15, log.text);
  assert_true(move < 0.005 * 0.15);
  rv_detail_free(first);
  rv_detail_free(last);
  rv_scene_free(scene);
}

// a head that turns and stops has its groom again when the hair has come to rest
static void groom_comes_back(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene =
      open_scene(HAIR TURN, 32,
                 "\"n\": {\"type\": \"transform\", \"inputs\": [\"hair\"], \"parms\": {\"ry\": {\"keys\": [[1, "
                 "0], [9, 90]], \"interp\": \"smooth\", \"extend\": \"hold\"}}},"
                 "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"n\"]}",
                 &log);
  RvDetail *in = rv_test_scene_copy(scene, "n", 96), *swinging = rv_test_scene_copy(scene, "s", 9),
           *out = rv_test_scene_copy(scene, "s", 96), *at9 = rv_test_scene_copy(scene, "n", 9);
  double swung = largest_move(at9, swinging, 1), left = largest_move(in, out, 1);
  print_message("a turn moves hair by %.3f m, of which %.1e m are left after 87 frames; %s\n", swung, left, log.text);
  assert_true(swung > 0.05 && left < 0.005 * 0.15);
  rv_detail_free(in);
  rv_detail_free(swinging);
  rv_detail_free(out);
  rv_detail_free(at9);
  rv_scene_free(scene);
}

//---------------------------------------------------------------------------------------------- roots

static void roots_follow(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = open_scene(HAIR TURN, 40, "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"turn\"]}", &log);
  for (int frame = 2; frame <= 10; frame += 2) {
    RvDetail *in = rv_test_scene_copy(scene, "turn", frame), *out = rv_test_scene_copy(scene, "s", frame);
    RvDetail *a = rv_test_scene_copy(scene, "turn", frame - 0.5), *b = rv_test_scene_copy(scene, "turn", frame + 0.5);
    const float *p = places(in), *q = places(out), *v = rv_detail_f32(out, RV_POINT, "v", 3);
    double moved = 0;
    for (size_t i = 0; i < rv_detail_count(in, RV_POINT); ++i) {
      if (i % 24 > 1) {
        moved = fmax(moved, fabs(p[3 * i] - q[3 * i]));
        continue;
      }
      for (size_t c = 3 * i; c < 3 * i + 3; ++c) {
        CHECK_NEAR(q[c], p[c], 0);
        // the way from half a frame before to half a frame after, rounded to float
        double skin = 24 * ((double)places(b)[c] - places(a)[c]);
        CHECK_NEAR(v[c], skin, 1e-6 * (1 + fabs(skin)));
      }
    }
    assert_true(moved > 1e-3);
    rv_detail_free(in);
    rv_detail_free(out);
    rv_detail_free(a);
    rv_detail_free(b);
  }
  rv_scene_free(scene);
}

static void inertia_scale(void** state) {
  (void)state;
  // without inertia a whole turn leaves the groom as it is on the head
  RvTestLog log;
  const double scales[] = {1, 0.5, 0};
  double moved[3];
  for (int k = 0; k < 3; ++k) {
    char node[200];
    snprintf(
        node, sizeof node,
        "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"turn\"], \"parms\": {\"inertiascale\": %g, \"gravity\": "
        "[0, 0, 0], \"dragnormal\": 0, \"dragtangent\": 0}}",
        scales[k]);
    RvScene* scene = open_scene(HAIR TURN, 20, node, &log);
    RvDetail *in = rv_test_scene_copy(scene, "turn", 6), *out = rv_test_scene_copy(scene, "s", 6);
    moved[k] = largest_move(in, out, 1);
    rv_detail_free(in);
    rv_detail_free(out);
    rv_scene_free(scene);
  }
  print_message("inertiascale 1, 0.5, 0: %.4f %.4f %.1e m\n", moved[0], moved[1], moved[2]);
  assert_true(moved[0] > 0.02 && moved[1] < 0.8 * moved[0]);
  // the rest is the rounding of the animated float positions
  assert_true(moved[2] < 2e-5);
}

//---------------------------------------------------------------------------------------------- guiding

static void pins_and_goals(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = open_scene(
      HAIR TURN, 20,
      "\"w\": {\"type\": \"attribute\", \"inputs\": [\"turn\"], \"parms\": {\"name\": \"pintoanimation\","
      "  \"value\": [1, 0, 0, 0]}},"
      "\"g\": {\"type\": \"attribute\", \"inputs\": [\"turn\"], \"parms\": {\"name\": \"targetweight\", \"value\": [1, "
      "0, 0, 0]}},"
      "\"pin\": {\"type\": \"strandsolver\", \"inputs\": [\"w\"]},"
      "\"goal\": {\"type\": \"strandsolver\", \"inputs\": [\"g\"]},"
      "\"none\": {\"type\": \"strandsolver\", \"inputs\": [\"turn\"]}",
      &log);
  RvDetail *in = rv_test_scene_copy(scene, "turn", 8), *pin = rv_test_scene_copy(scene, "pin", 8),
           *goal = rv_test_scene_copy(scene, "goal", 8), *none = rv_test_scene_copy(scene, "none", 8);
  assert_non_null(rv_detail_find(pin, RV_POINT, "pintoanimation"));
  CHECK_NEAR(largest_move(in, pin, 1), 0, 0);
  double pulled = largest_move(in, goal, 1), loose = largest_move(in, none, 1);
  print_message("goal %.4f, none %.4f m\n", pulled, loose);
  assert_true(loose > 0.02 && pulled < 0.5 * loose);
  rv_detail_free(in);
  rv_detail_free(pin);
  rv_detail_free(goal);
  rv_detail_free(none);
  rv_scene_free(scene);
}

static void attributes_pass(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = open_scene(
      HAIR, 10,
      "\"c\": {\"type\": \"attribute\", \"inputs\": [\"hair\"], \"parms\": {\"name\": \"mine\", \"value\": [3, 0, 0, "
      "0]}},"
      "\"n\": {\"type\": \"group\", \"inputs\": [\"c\"], \"parms\": {\"groupname\": \"some\", \"grouptype\": \"prims\","
      "  \"mode\": \"box\", \"boxmin\": [0, -1, -1], \"boxmax\": [1, 1, 1]}},"
      "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"n\"]}",
      &log);
  RvDetail *in = rv_test_scene_copy(scene, "n", 3), *out = rv_test_scene_copy(scene, "s", 3),
           *liquid = rv_test_scene_copy(scene, "s:liquid", 3);
  for (int o = 0; o < RV_OWNER_COUNT; ++o) {
    for (size_t i = 0; i < rv_detail_attrib_count(in, (RvOwner)o); ++i) {
      const RvAttrib* a = rv_detail_attrib(in, (RvOwner)o, i);
      const RvAttrib* b = rv_detail_find(out, (RvOwner)o, rv_attrib_name(a));
      if (!b) fail_msg("%s is gone", rv_attrib_name(a));
      if (strcmp(rv_attrib_name(a), "P") == 0) continue;
      size_t bytes = rv_attrib_count(a) * (size_t)rv_attrib_size(a) * rv_storage_bytes(rv_attrib_storage(a));
      assert_memory_equal(rv_attrib_read(a), rv_attrib_read(b), bytes);
    }
    // nothing of the solver's own is left
    for (size_t i = 0; i < rv_detail_attrib_count(out, (RvOwner)o); ++i)
      assert_true(strncmp(rv_attrib_name(rv_detail_attrib(out, (RvOwner)o, i)), "rv_", 3) != 0);
  }
  assert_non_null(rv_detail_find_group(out, RV_PRIM, "some"));
  assert_memory_equal(rv_group_read(rv_detail_find_group(in, RV_PRIM, "some")),
                      rv_group_read(rv_detail_find_group(out, RV_PRIM, "some")), rv_detail_count(in, RV_PRIM));
  assert_int_equal(rv_detail_count(liquid, RV_POINT), 0);
  rv_detail_free(in);
  rv_detail_free(out);
  rv_detail_free(liquid);
  rv_scene_free(scene);
}

//---------------------------------------------------------------------------------------------- files as input

// horizontal strands of `n` points with edges of 2^-8 m and bends on a grid of 2^-10 m, which floats hold at 10 km too
static RvDetail* quantised(size_t count, int n, double shift) {
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, count, (size_t)n, NULL, NULL, &error), error);
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  for (size_t i = 0; i < count * (size_t)n; ++i) {
    size_t k = i % (size_t)n, s = i / (size_t)n;
    P[3 * i] = (float)(shift + (double)k / 256);
    P[3 * i + 1] = (float)(k * (s + k) % 5 % 3) / 1024;
    P[3 * i + 2] = (float)s / 64;
  }
  return d;
}

static RvScene* open_file(const RvDetail* d, const char* name, const char* parms, RvTestLog* log) {
  RvError error = {0};
  char path[400], rest[1000];
  snprintf(path, sizeof path, "%s/%s.bgeo.sc", rv_test_folder(), name);
  CHECK_OK(rv_detail_save(d, path, NULL, &error), error);
  snprintf(rest, sizeof rest,
           "\"f\": {\"type\": \"file\", \"parms\": {\"file\": \"%s\"}},"
           "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"f\"], \"parms\": {%s}}",
           path, parms);
  return open_scene("", 0, rest, log);
}

static void bad_strands_stay(void** state) {
  (void)state;
  RvError error = {0};
  enum { N = 12, GOOD = 9 };
  RvDetail* d = quantised(GOOD, N, 0);
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  float* radius = rv_detail_f32_write(d, RV_PRIM, "hairradius", 1, &error);
  for (int i = 0; i < GOOD; ++i) radius[i] = 4e-5f;
  P[3 * (1 * N + 4) + 1] = NAN;
  memcpy(P + 3 * (2 * N + 6), P + 3 * (2 * N + 5), 3 * sizeof *P);
  radius[3] = 0;
  radius[4] = NAN;
  size_t first;
  CHECK_OK(rv_detail_add_points(d, 3, &first, &error), error);
  const int32_t few[] = {(int32_t)first, (int32_t)first + 1, (int32_t)first + 2}, sizes[] = {1, 2}, again[] = {0, 1, 2},
                three[] = {3};
  CHECK_OK(rv_detail_add_polygons(d, RV_PRIM_CURVE, 2, sizes, few, NULL, &error), error);
  CHECK_OK(rv_detail_add_polygons(d, RV_PRIM_CURVE, 1, three, again, NULL, &error), error);
  P = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  for (size_t i = 0; i < 3; ++i) {
    P[3 * (first + i)] = (float)i;
    P[3 * (first + i) + 1] = 1;
    P[3 * (first + i) + 2] = 0;
  }
  RvTestLog log;
  RvScene* scene = open_file(d, "bad", "\"restmode\": \"natural\"", &log);
  RvDetail *in = rv_test_scene_copy(scene, "f", 1), *out = rv_test_scene_copy(scene, "s", 6);
  const float *p = places(in), *q = places(out);
  for (int s = 0; s < GOOD; ++s) {
    double moved = fabs(p[3 * (s * N + N - 1) + 1] - q[3 * (s * N + N - 1) + 1]);
    assert_true((moved > 1e-4) == (s == 0 || s > 4));
  }
  for (size_t i = 3 * first; i < 3 * first + 9; ++i) CHECK_NEAR(p[i], q[i], 0);
  // each is told of once, with the first that has it
  const char* const parts[] = {"2 strands cannot be simulated and stay as animated; the first, primitive 9, has fewer",
                               "the first, primitive 11, shares a point", "the first, primitive 1, has a point whose",
                               "the first, primitive 2, has two neighbouring", "the first, primitive 3, has a hairradius"};
  for (int i = 0; i < 5; ++i)
    if (!strstr(log.text, parts[i])) fail_msg("no warning with '%s' in: %s", parts[i], log.text);
  assert_int_equal(log.warnings, 5);
  rv_detail_free(d);
  rv_detail_free(in);
  rv_detail_free(out);
  rv_scene_free(scene);
}

static void empty_and_changing(void** state) {
  (void)state;
  RvError error = {0};
  RvTestLog log;
  RvDetail* none = rv_detail_new();
  RvScene* scene = open_file(none, "none", "", &log);
  RvDetail* out = rv_test_scene_copy(scene, "s", 4);
  assert_int_equal(rv_detail_count(out, RV_POINT), 0);
  rv_detail_free(out);
  rv_detail_free(none);
  rv_scene_free(scene);
  // another count at frame 2
  for (int k = 1; k <= 2; ++k) {
    char path[400];
    snprintf(path, sizeof path, "%s/grows.%d.bgeo.sc", rv_test_folder(), k);
    RvDetail* d = quantised((size_t)k, 6, 0);
    CHECK_OK(rv_detail_save(d, path, NULL, &error), error);
    rv_detail_free(d);
  }
  char rest[600];
  snprintf(rest, sizeof rest,
           "\"f\": {\"type\": \"file\", \"parms\": {\"file\": \"%s/grows.$F.bgeo.sc\"}},"
           "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"f\"]}",
           rv_test_folder());
  scene = open_scene("", 0, rest, &log);
  const RvDetail* frame;
  CHECK_FAILS(rv_scene_cook(scene, "s", 2, &frame, &error), RV_BAD_INPUT, error, "12 points and 2 primitives");
  rv_scene_free(scene);
}

// hair that is groomed through its own head, with all contacts on, is as still as without
static void groomed_inside_stays(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene =
      open_scene(HAIR, 60,
                 "\"c\": {\"type\": \"collider\", \"inputs\": [\"ball\"]},"
                 "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"hair\", \"c\"], \"parms\": {\"rootfree\": 0, "
                 "\"strandcollisions\": true}}",
                 &log);
  RvDetail *groom = rv_test_scene_copy(scene, "hair", 1), *last = rv_test_scene_copy(scene, "s", 6);
  double move = largest_move(groom, last, 1);
  print_message("groomed inside: %.2e of its length; %s\n", move / 0.15, log.text);
  assert_true(move < 0.005 * 0.15);
  rv_detail_free(groom);
  rv_detail_free(last);
  rv_scene_free(scene);
}

// a ball that sweeps through hanging strands takes them along: none is left inside
static void solids_push(void** state) {
  (void)state;
  enum { COUNT = 25, N = 25 };
  RvError error = {0};
  RvTestLog log;
  char path[400], rest[1500];
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, COUNT, N, NULL, NULL, &error), error);
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  for (int i = 0; i < COUNT * N; ++i) {
    int s = i / N;
    P[3 * i] = 0.01f * (float)(s % 5 - 2);
    P[3 * i + 1] = -0.005f * (float)(i % N);
    P[3 * i + 2] = 0.01f * (float)(s / 5 - 2);
  }
  snprintf(path, sizeof path, "%s/hanging.bgeo.sc", rv_test_folder());
  CHECK_OK(rv_detail_save(d, path, NULL, &error), error);
  rv_detail_free(d);
  snprintf(
      rest, sizeof rest,
      "\"f\": {\"type\": \"file\", \"parms\": {\"file\": \"%s\"}},"
      "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.03, \"rows\": 25, \"cols\": 36}},"
      "\"move\": {\"type\": \"transform\", \"inputs\": [\"ball\"], \"parms\": {\"t\": [{\"keys\": [[1, -0.08], [13, "
      "0.01]], \"interp\": \"linear\", \"extend\": \"hold\"}, -0.08, 0], \"ry\": {\"keys\": [[1, 0], [13, 90]]}}},"
      "\"c\": {\"type\": \"collider\", \"inputs\": [\"move\"]},"
      "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"f\", \"c\"]},"
      "\"free\": {\"type\": \"strandsolver\", \"inputs\": [\"f\"]}",
      path);
  RvScene* scene = open_scene("", 0, rest, &log);
  double deepest[2] = {0, 0};
  for (int frame = 6; frame <= 14; frame += 4) {
    double centre = -0.08 + 0.09 * fmin(frame - 1, 12) / 12;
    for (int k = 0; k < 2; ++k) {
      RvDetail* out = rv_test_scene_copy(scene, k ? "free" : "s", frame);
      const float* p = places(out);
      for (size_t i = 0; i < rv_detail_count(out, RV_POINT); ++i) {
        double x = p[3 * i] - centre, y = p[3 * i + 1] + 0.08, z = p[3 * i + 2];
        deepest[k] = fmax(deepest[k], 0.03 - sqrt(x * x + y * y + z * z));
      }
      rv_detail_free(out);
    }
  }
  print_message("deepest in the ball: %.2e m, without contact %.2e m; %s\n", deepest[0], deepest[1], log.text);
  // half a voxel of the level set, and the chords of the mesh
  assert_true(deepest[0] < 5e-4 && deepest[1] > 0.02);
  rv_scene_free(scene);
}

static void ten_kilometres_away(void** state) {
  (void)state;
  RvTestLog log;
  double most = 0, moved = 0;
  RvDetail* states[2];
  for (int k = 0; k < 2; ++k) {
    RvDetail* d = quantised(9, 24, k ? 10000 : 0);
    RvScene* scene = open_file(d, k ? "far" : "near", "\"restmode\": \"natural\", \"wind\": [0.5, 0, 1]", &log);
    states[k] = rv_test_scene_copy(scene, "s:state", 24);
    rv_detail_free(d);
    rv_scene_free(scene);
  }
  const double *a = rv_detail_f64(states[0], RV_POINT, "rv_x", 3), *b = rv_detail_f64(states[1], RV_POINT, "rv_x", 3);
  const double *oa = rv_detail_f64(states[0], RV_GLOBAL, "rv_origin", 3),
               *ob = rv_detail_f64(states[1], RV_GLOBAL, "rv_origin", 3);
  for (size_t i = 0; i < 3 * rv_detail_count(states[0], RV_POINT); ++i) {
    double shift = i % 3 == 0 ? 10000 : 0;
    most = fmax(most, fabs(a[i] + oa[i % 3] - (b[i] + (ob[i % 3] - shift))));
    if (i % 3 == 1) moved = fmax(moved, fabs(a[i]));
  }
  print_message("10 km away: %.1e m, after a fall of %.3f m\n", most, moved);
  assert_true(moved > 0.03 && most < 1e-6);
  rv_detail_free(states[0]);
  rv_detail_free(states[1]);
}

//---------------------------------------------------------------------------------------------- fast turning

static RvDetail* bristles(double angle) {
  RvError error = {0};
  enum { COUNT = 24, N = 8 };
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, COUNT, N, NULL, NULL, &error), error);
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  for (int s = 0; s < COUNT; ++s)
    for (int i = 0; i < N; ++i) {
      double r = 0.03 + 0.02 * i / (N - 1), a = angle + 2 * RV_PI * s / COUNT;
      float* p = P + 3 * (s * N + i);
      p[0] = (float)(r * cos(a));
      p[1] = (float)(r * sin(a));
      p[2] = 0.01f * (float)(s % 5);
    }
  return d;
}

// 300 rpm is 75 degrees a frame; between whole frames chords would cut the radius by a fifth
static void roller_keeps_its_radius(void** state) {
  (void)state;
  RvError error = {0};
  double turn = 75 * RV_PI / 180, worst = 0;
  const RvNodeType* type = rv_node_find("strandsolver");
  RvStats stats = {0};
  RvHost host = {0};
  void* cache = NULL;
  RvParms* values = rv_parms_new(type->parms);
  void* parms = calloc(1, type->parms->struct_bytes);
  RvVars vars = {.frame = 1, .fps = 24, .out = "/tmp", .hip = ".", .node = "test"};
  CHECK_OK(rv_parms_eval(values, &vars, parms, &error), error);
  RvDetail* now = bristles(0);
  const RvDetail* inputs[3] = {now};
  RvCook c = {.type = type,
              .node = "test",
              .time = {1, 24, 0, 1},
              .start_frame = 1,
              .parms = parms,
              .ninput = 3,
              .input = inputs,
              .stats = &stats,
              .cache = &cache,
              .vars = &vars,
              .host = &host};
  CHECK_OK(type->start(&c, &error), error);
  RvState before = c.state;
  int most = 0;
  for (int frame = 2; frame <= 12; ++frame) {
    rv_detail_free(now);
    now = bristles(turn * (frame - 1));
    inputs[0] = now;
    c.time.frame = frame;
    c.time.time = (frame - 1) / 24.0;
    c.dt = 1 / 24.0;
    c.prev = &before;
    c.state = (RvState){0};
    // what every substep is given
    RvPointSampler sampler;
    CHECK_OK(rv_sampler_begin(&sampler, &c, 0, before.part[0], &error), error);
    for (int k = 1; k <= 32; ++k) {
      RvStrandSample in;
      CHECK_OK(rv_sampler_at(&sampler, k / 32.0, &in, &error), error);
      for (size_t i = 0; i < rv_detail_count(now, RV_POINT); i += 8) {
        double p[3];
        rv_strand_sample_point(&in, i, p);
        double r = hypot(p[0], p[1]), a = turn * (frame - 2 + k / 32.0) + 2 * RV_PI * (double)i / 192;
        worst = fmax(worst, fabs(r / 0.03 - 1));
        // an even turn, so the angle is known too
        CHECK_NEAR(p[0] - 0.03 * cos(a), 0, 3e-5);
      }
    }
    rv_sampler_end(&sampler);
    CHECK_OK(type->step(&c, &error), error);
    rv_state_free(&before);
    before = c.state;
    const float *p = places(before.part[0]), *v = rv_detail_f32(before.part[0], RV_POINT, "v", 3);
    for (size_t i = 0; i < rv_detail_count(now, RV_POINT); ++i) {
      assert_true(isfinite(p[3 * i]) && isfinite(v[3 * i]));
      double r = hypot(p[3 * i], p[3 * i + 1]);
      if (i % 8 == 0) worst = fmax(worst, fabs(r / 0.03 - 1));
      // no tip is torn off by the spin: hair stretches by less than a thousandth under it
      assert_true(r < 0.0501);
    }
    most = stats.substeps > most ? stats.substeps : most;
  }
  print_message("roller: root radius within %.1e, %d substeps\n", worst, most);
  assert_true(worst < 1e-3 && most > 4);
  rv_detail_free(now);
  rv_state_free(&before);
  type->free_cache(cache);
  rv_parms_free(values);
  free(parms);
}

static void frozen_by_timescale(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene =
      open_scene(HAIR, 10,
                 "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"hair\"], \"parms\": {\"restmode\": "
                 "\"natural\", \"timescale\": {\"keys\": [[1, 1], [4, 1], [5, 0], [8, 0], [9, 0.5]], \"interp\": "
                 "\"constant\"}}}",
                 &log);
  RvDetail *a = rv_test_scene_copy(scene, "s", 4), *b = rv_test_scene_copy(scene, "s", 8),
           *c = rv_test_scene_copy(scene, "s", 9), *d = rv_test_scene_copy(scene, "s", 10);
  CHECK_NEAR(largest_move(a, b, 1), 0, 0);
  // half as far in a frame of half a frame's time, and v is of the scene's seconds
  double way = largest_move(c, d, 1), fastest = 0;
  const float* v = rv_detail_f32(d, RV_POINT, "v", 3);
  for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i)
    fastest = fmax(fastest, sqrt((double)v[3 * i] * v[3 * i] + (double)v[3 * i + 1] * v[3 * i + 1] +
                                 (double)v[3 * i + 2] * v[3 * i + 2]));
  assert_true(way > 1e-3 && fabs(fastest / 24 / way - 1) < 0.3);
  rv_detail_free(a);
  rv_detail_free(b);
  rv_detail_free(c);
  rv_detail_free(d);
  rv_scene_free(scene);
}

//---------------------------------------------------------------------------------------------- material

// how far the tips of natural strands have come down after half a second, on the mean
static double sag_of(const char* name, const char* attribute, double root, double tip) {
  enum { N = 12, COUNT = 5 };
  RvError error = {0};
  RvTestLog log;
  RvDetail* d = quantised(COUNT, N, 0);
  if (attribute) {
    float* values = rv_detail_f32_write(d, RV_POINT, attribute, 1, &error);
    for (int i = 0; i < COUNT * N; ++i) values[i] = (float)(i % N < N / 2 ? root : tip);
  }
  RvScene* scene = open_file(d, name, "\"restmode\": \"natural\"", &log);
  RvDetail *before = rv_test_scene_copy(scene, "f", 1), *after = rv_test_scene_copy(scene, "s", 13);
  double sum = 0;
  for (int s = 0; s < COUNT; ++s) {
    int at = 3 * (s * N + N - 1) + 1;
    sum += (places(before)[at] - places(after)[at]) / COUNT;
  }
  assert_int_equal(log.warnings, 0);
  rv_detail_free(d);
  rv_detail_free(before);
  rv_detail_free(after);
  rv_scene_free(scene);
  return sum;
}

// A section twice as wide in one axis is stiffer in both (the area doubles as well, so it is no lighter); a strand that
// is soft at the root sags much more than a uniform one of the same mean, and than one that is soft at the tip.
static void sections_and_moduli(void** state) {
  (void)state;
  double plain = sag_of("plain", NULL, 0, 0), wide = sag_of("wide", "ellipse", 0.5, 0.5);
  double firm = sag_of("firm", "youngs", 7.6e9, 2e8), weak = sag_of("weak", "youngs", 2e8, 7.6e9);
  print_message("sag %.4f m, wide %.4f, stiff roots %.4f, weak roots %.4f\n", plain, wide, firm, weak);
  assert_true(plain > 1e-3 && wide < 0.97 * plain && firm < 0.5 * weak && weak > 2 * plain);
}

//---------------------------------------------------------------------------------------------- wind

// a VDB whose every value is the keyed wind's does to the bit what the keyed one does
static void wind_of_a_volume(void** state) {
  (void)state;
  static const float speed[3] = {2, 0, -1};
  RvError error = {0};
  RvTestLog log;
  RvDetail *volume = rv_detail_new(), *blown[3];
  RvGrid* grid;
  CHECK_OK(rv_grid_create(RV_GRID_VEC3, "vel", RV_GRID_UNKNOWN, 0.1, speed, &grid, &error), error);
  for (int32_t i = -4; i < 4; ++i) CHECK_OK(rv_grid_set(grid, (int32_t[]){i, i, i}, speed, &error), error);
  CHECK_OK(rv_detail_add_vdb(volume, grid, &error), error);
  rv_grid_release(grid);
  char path[400], parms[1000];
  snprintf(path, sizeof path, "%s/wind.vdb", rv_test_folder());
  CHECK_OK(rv_detail_save(volume, path, NULL, &error), error);
  for (int k = 0; k < 3; ++k) {
    snprintf(parms, sizeof parms,
             "\"w\": {\"type\": \"file\", \"parms\": {\"file\": \"%s\"}}, \"none\": {\"type\": \"merge\"},"
             "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"hair\", \"none\", \"%s\"], \"parms\": "
             "{\"wind\": [%d, 0, %d]}}",
             path, k == 1 ? "w" : "none", k ? 0 : 2, k ? 0 : -1);
    RvScene* scene = open_scene(HAIR, 20, parms, &log);
    blown[k] = rv_test_scene_copy(scene, "s", 6);
    rv_scene_free(scene);
  }
  // the keyed wind, the volume's, and none
  CHECK_NEAR(largest_move(blown[0], blown[1], 1), 0, 0);
  assert_true(largest_move(blown[0], blown[2], 1) > 1e-3);
  for (int k = 0; k < 3; ++k) rv_detail_free(blown[k]);
  rv_detail_free(volume);
}

RV_TESTS(cmocka_unit_test(still_groom_stays), cmocka_unit_test(turned_groom_stays), cmocka_unit_test(groom_comes_back),
         cmocka_unit_test(roots_follow), cmocka_unit_test(inertia_scale), cmocka_unit_test(pins_and_goals),
         cmocka_unit_test(groomed_inside_stays), cmocka_unit_test(solids_push), cmocka_unit_test(attributes_pass),
         cmocka_unit_test(bad_strands_stay), cmocka_unit_test(empty_and_changing),
         cmocka_unit_test(ten_kilometres_away), cmocka_unit_test(roller_keeps_its_radius),
         cmocka_unit_test(frozen_by_timescale), cmocka_unit_test(wind_of_a_volume),
         cmocka_unit_test(sections_and_moduli))
