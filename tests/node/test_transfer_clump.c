// Wet hairs go to the clump of their guide.
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "math/vec.h"
#include "support/cook.h"
#include "support/rv_test.h"

enum { HAIRS = 400, GUIDES = 8, POINTS = 24 };
static const double WIDTH = 8e-5, LENGTH = 0.12;

static float* floats(RvDetail* d, const char* name, int size) {
  RvError error = {0};
  float* out = rv_detail_f32_write(d, RV_POINT, name, size, &error);
  assert_non_null(out);
  return out;
}

static RvVec3 place(const RvDetail* d, size_t strand, size_t k) {
  return rv_vec3_load(rv_detail_f32(d, RV_POINT, "P", 3) + 3 * (strand * POINTS + k));
}

// strands that hang from a square of 2 cm and bend a little, all alike; `scatter`: rooted at random, else in a grid of
// two rows
static RvDetail* strands(size_t count, bool scatter) {
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, count, POINTS, NULL, NULL, &error), error);
  float *P = floats(d, "P", 3), *width = floats(d, "width", 1);
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < POINTS; ++k) {
      double s = LENGTH * (double)k / (POINTS - 1), x = 0.0025 + 0.005 * (double)(i % 4),
             z = 0.005 + 0.01 * (double)(i / 4);
      if (scatter) {
        x = 0.02 * rv_random(7, 1, i, 0);
        z = 0.02 * rv_random(7, 1, i, 1);
      }
      rv_vec3_store(P + 3 * (i * POINTS + k), rv_vec3(x + 2 * s * s, -s, z));
      width[i * POINTS + k] = (float)WIDTH;
    }
  return d;
}

static RvDetail* wet(const RvDetail* guides, double wetness) {
  RvDetail* d = rv_detail_copy(guides);
  float* w = floats(d, "wetness", 1);
  for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) w[i] = (float)wetness;
  return d;
}

static RvDetail* carried_wet(const RvDetail* hairs, const RvDetail* rest, double wetness, const char* parms) {
  RvDetail *moved = wet(rest, wetness), *out = rv_test_carried(hairs, rest, moved, parms);
  rv_detail_free(moved);
  return out;
}

// from a guide's tip across its end
static double beside(const RvDetail* out, size_t hair, const RvDetail* rest, size_t guide) {
  RvVec3 tip = place(rest, guide, POINTS - 1), d = rv_sub(place(out, hair, POINTS - 1), tip);
  RvVec3 ahead = rv_normalize(rv_sub(tip, place(rest, guide, POINTS - 2)), rv_vec3(0, 1, 0));
  return rv_length(rv_mad(d, -rv_dot(d, ahead), ahead));
}

static size_t nearest_guide(const RvDetail* guides, RvVec3 root) {
  size_t best = 0;
  for (size_t g = 1; g < rv_detail_count(guides, RV_PRIM); ++g)
    if (rv_distance(place(guides, g, 0), root) < rv_distance(place(guides, best, 0), root)) best = g;
  return best;
}

static double largest(const RvDetail* a, const RvDetail* b) {
  const float *p = rv_detail_f32(a, RV_POINT, "P", 3), *q = rv_detail_f32(b, RV_POINT, "P", 3);
  double most = 0;
  for (size_t i = 0; i < rv_detail_count(a, RV_POINT); ++i)
    most = fmax(most, rv_distance(rv_vec3_load(p + 3 * i), rv_vec3_load(q + 3 * i)));
  return most;
}

//---------------------------------------------------------------------------------------------- shape

// Wet through, tips lie in rings about their guide's, none nearer to another than the spacing, and all of them within
// the rings that so many hairs fill. Lengths are kept, roots stay.
static void tips_lie_beside_each_other(void** state) {
  (void)state;
  RvDetail *hairs = strands(HAIRS, true), *rest = strands(GUIDES, false);
  RvDetail* out = carried_wet(hairs, rest, 1, "strayamount=0; spacing=1.2");
  size_t own[HAIRS], count[GUIDES] = {0};
  for (size_t i = 0; i < HAIRS; ++i) count[own[i] = nearest_guide(rest, place(hairs, i, 0))]++;
  double nearest = 1, widest = 0, before = 0;
  for (size_t i = 0; i < HAIRS; ++i) {
    size_t rings = 0;
    while (1 + 3 * rings * (rings + 1) < count[own[i]]) ++rings;
    widest = fmax(widest, beside(out, i, rest, own[i]) / (1.2 * WIDTH * (double)rings));
    before = fmax(before, beside(hairs, i, rest, own[i]));
    for (size_t j = 0; j < i; ++j)
      nearest = fmin(nearest, rv_distance(place(out, i, POINTS - 1), place(out, j, POINTS - 1)));
    CHECK_NEAR(rv_distance(place(out, i, 0), place(hairs, i, 0)), 0, 1e-8);
    for (size_t k = 1; k < POINTS; ++k)
      CHECK_NEAR(rv_distance(place(out, i, k), place(out, i, k - 1)),
                 rv_distance(place(hairs, i, k), place(hairs, i, k - 1)), 1e-7);
  }
  print_message("nearest tips %.3f spacings apart, widest %.3f of the rings, from %.1f mm\n", nearest / (1.2 * WIDTH),
                widest, 1e3 * before);
  // within the bend of the guide from tip to tip, as tips are not all level
  assert_true(nearest > 0.98 * 1.2 * WIDTH && widest < 1.05 && before > 3e-3);
  rv_detail_free(hairs);
  rv_detail_free(rest);
  rv_detail_free(out);
}

// Two guides end in one place, as in a simulated clump: their bundles lie side by side there.
static void bundles_lie_beside_each_other(void** state) {
  (void)state;
  RvDetail *hairs = strands(HAIRS, true), *rest = strands(2, false), *moved = wet(rest, 1);
  float* P = floats(moved, "P", 3);
  for (size_t k = 0; k < POINTS; ++k) {
    // the second comes to the first
    double t = fmin(1, 2.0 * (double)k / (POINTS - 1)), to = t * t * (3 - 2 * t);
    P[3 * (POINTS + k)] -= (float)(to * (0.005 - 1e-7));
  }
  RvDetail* out = rv_test_carried(hairs, rest, moved, "strayamount=0; keeplength=0");
  double nearest = 1;
  for (size_t i = 0; i < HAIRS; ++i)
    for (size_t j = 0; j < i; ++j)
      nearest = fmin(nearest, rv_distance(place(out, i, POINTS - 1), place(out, j, POINTS - 1)));
  print_message("nearest tips of two bundles %.3f spacings apart\n", nearest / (1.2 * WIDTH));
  assert_true(nearest > 0.95 * 1.2 * WIDTH);
  rv_detail_free(hairs);
  rv_detail_free(rest);
  rv_detail_free(moved);
  rv_detail_free(out);
}

//---------------------------------------------------------------------------------------------- wetting

static double spread(const RvDetail* out, const RvDetail* hairs, const RvDetail* rest) {
  double sum = 0;
  for (size_t i = 0; i < HAIRS; ++i) {
    size_t own = nearest_guide(rest, place(hairs, i, 0));
    sum += rv_distance(place(out, i, POINTS - 1), place(rest, own, POINTS - 1)) / HAIRS;
  }
  return sum;
}

// Dry guides clump nothing, to the bit; the wetter, the closer; and no step of wetness makes hairs jump: of half the
// step the largest move is half as long, and nowhere longer than the steepest ramp (1.5 / 0.5) times the way.
static void hairs_come_together_smoothly(void** state) {
  (void)state;
  RvDetail *hairs = strands(HAIRS, true), *rest = strands(GUIDES, false),
           *dry = rv_test_carried(hairs, rest, rest, "attribs=");
  double jump[2] = {0};
  for (int fine = 0; fine < 2; ++fine) {
    int steps = fine ? 100 : 50;
    RvDetail* before = NULL;
    double was = 1;
    for (int k = 0; k <= steps; ++k) {
      RvDetail* out = carried_wet(hairs, rest, (double)k / steps, "attribs=");
      double now = spread(out, hairs, rest);
      if (k == 0) assert_int_equal(rv_detail_hash(out), rv_detail_hash(dry));
      assert_true(now <= was + 1e-7);
      if (before) jump[fine] = fmax(jump[fine], largest(before, out));
      was = now;
      rv_detail_free(before);
      before = out;
    }
    // of 2.9 mm, half a millimetre: rings of 50 hairs, and what longer ways leave behind
    print_message("spread %.2f mm of %.2f\n", 1e3 * was, 1e3 * spread(dry, hairs, rest));
    assert_true(was < 0.2 * spread(dry, hairs, rest));
    rv_detail_free(before);
  }
  print_message("largest move in a fiftieth of wetness %.1f um, in a hundredth %.1f\n", 1e6 * jump[0], 1e6 * jump[1]);
  assert_true(jump[1] < 0.55 * jump[0]);
  // the way to the clump is at most from the middle between guides, 5.6 mm; hairs kept at length swing by a little more
  assert_true(jump[0] < 1.5 * 3 * 5.6e-3 / 50);
  rv_detail_free(hairs);
  rv_detail_free(rest);
  rv_detail_free(dry);
}

// the number of a clump says nothing about places
static void numbers_move_nothing(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *hairs = strands(HAIRS, true), *rest = strands(GUIDES, false), *a = wet(rest, 0.3), *b = rv_detail_copy(a);
  int32_t *one = rv_detail_i32_write(a, RV_POINT, "clumpid", 1, &error),
          *two = rv_detail_i32_write(b, RV_POINT, "clumpid", 1, &error);
  for (int i = 0; i < GUIDES * POINTS; ++i) {
    one[i] = i / POINTS;
    two[i] = i % 3;
  }
  RvDetail *x = rv_test_carried(hairs, rest, a, ""), *y = rv_test_carried(hairs, rest, b, "");
  assert_true(largest(x, y) == 0);
  assert_true(rv_detail_hash(x) != rv_detail_hash(y));
  const float* w = rv_detail_f32(x, RV_POINT, "wetness", 1);
  for (int i = 0; i < HAIRS * POINTS; ++i) CHECK_NEAR(w[i], 0.3, 1e-6);
  rv_detail_free(hairs);
  rv_detail_free(rest);
  rv_detail_free(a);
  rv_detail_free(b);
  rv_detail_free(x);
  rv_detail_free(y);
}

// only what hangs below a wet place clumps; a hair that is wet in its middle does not open again below it
static void dry_roots_stay(void** state) {
  (void)state;
  RvDetail *hairs = strands(HAIRS, true), *rest = strands(GUIDES, false), *moved = wet(rest, 0);
  float* w = floats(moved, "wetness", 1);
  for (size_t i = 0; i < GUIDES; ++i) w[i * POINTS + 15] = w[i * POINTS + 16] = 1;
  RvDetail *out = rv_test_carried(hairs, rest, moved, "strayamount=0"), *dry = rv_test_carried(hairs, rest, rest, "");
  for (size_t i = 0; i < HAIRS; ++i) {
    for (size_t k = 0; k < 15; ++k) CHECK_NEAR(rv_distance(place(out, i, k), place(dry, i, k)), 0, 1e-8);
    size_t own = nearest_guide(rest, place(hairs, i, 0));
    assert_true(beside(out, i, rest, own) < 1e-3);
  }
  rv_detail_free(hairs);
  rv_detail_free(rest);
  rv_detail_free(moved);
  rv_detail_free(out);
  rv_detail_free(dry);
}

//---------------------------------------------------------------------------------------------- motion

static RvVec3 rigid(RvVec3 x) {
  RvQuat q = rv_quat_axis_angle(rv_vec3(1.0 / 3, 2.0 / 3, 2.0 / 3), 1.9);
  return rv_add(rv_quat_rotate(q, x), rv_vec3(0.3, -0.2, 0.1));
}

// guides that move as one take their clumps with them
static void clumps_move_rigidly(void** state) {
  (void)state;
  RvDetail *hairs = strands(HAIRS, true), *rest = strands(GUIDES, false), *moved = wet(rest, 0.4);
  RvDetail *still = rv_test_carried(hairs, rest, moved, ""), *out;
  float* P = floats(moved, "P", 3);
  for (size_t i = 0; i < GUIDES * POINTS; ++i) rv_vec3_store(P + 3 * i, rigid(rv_vec3_load(P + 3 * i)));
  out = rv_test_carried(hairs, rest, moved, "");
  P = floats(still, "P", 3);
  for (size_t i = 0; i < HAIRS * POINTS; ++i) rv_vec3_store(P + 3 * i, rigid(rv_vec3_load(P + 3 * i)));
  CHECK_NEAR(largest(still, out), 0, 1e-6);
  rv_detail_free(hairs);
  rv_detail_free(rest);
  rv_detail_free(moved);
  rv_detail_free(still);
  rv_detail_free(out);
}

// hairs longer than their guide go on beside each other
static void longer_hairs_go_on(void** state) {
  (void)state;
  RvDetail *hairs = strands(HAIRS, true), *rest = strands(GUIDES, false);
  float* P = floats(rest, "P", 3);
  for (size_t i = 0; i < GUIDES; ++i) {
    RvVec3 root = place(rest, i, 0), middle = place(rest, i, POINTS / 2);
    for (size_t k = 0; k < POINTS; ++k)
      rv_vec3_store(P + 3 * (i * POINTS + k), rv_lerp(root, middle, (double)k / (POINTS - 1)));
  }
  RvDetail* out = carried_wet(hairs, rest, 1, "strayamount=0; clumpprofile=0 0 smooth, 0.4 1");
  double nearest = 1;
  for (size_t i = 0; i < HAIRS; ++i) {
    double far = rv_distance(place(out, i, POINTS - 1), place(out, i, 0));
    if (far < 0.95 * LENGTH) fail_msg("hair %zu ends %g m from its root", i, far);
    for (size_t j = 0; j < i; ++j)
      nearest = fmin(nearest, rv_distance(place(out, i, POINTS - 1), place(out, j, POINTS - 1)));
  }
  assert_true(nearest > 0.95 * 1.2 * WIDTH);
  rv_detail_free(hairs);
  rv_detail_free(rest);
  rv_detail_free(out);
}

//---------------------------------------------------------------------------------------------- faults and bits

static void bad_wetness_is_dry(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *hairs = strands(50, true), *rest = strands(GUIDES, false), *moved = wet(rest, 0),
           *dry = rv_test_carried(hairs, rest, rest, "attribs=");
  float* w = floats(moved, "wetness", 1);
  w[30] = NAN;
  w[31] = -INFINITY;
  w[40] = -7;
  RvTestCook c = rv_test_cook("transfer", "attribs=", 3, (const RvDetail*[]){hairs, rest, moved});
  CHECK_OK(c.result, c.error);
  assert_int_equal(c.nwarning, 1);
  assert_non_null(strstr(
      c.warnings, "2 points of the guides count as dry, because their wetness is not finite; the first is point 30"));
  assert_int_equal(rv_detail_hash(c.output[0]), rv_detail_hash(dry));
  rv_test_cook_free(&c);
  // wetter than wet is wet; absurd widths and texts
  for (size_t i = 0; i < GUIDES * POINTS; ++i) w[i] = 1e30f;
  RvDetail *full = rv_test_carried(hairs, rest, moved, "attribs="), *one = carried_wet(hairs, rest, 1, "attribs=");
  assert_int_equal(rv_detail_hash(full), rv_detail_hash(one));
  float* width = floats(hairs, "width", 1);
  for (size_t i = 0; i < 50 * POINTS; ++i) width[i] = i % 2 ? NAN : -1;
  RvDetail* odd = rv_test_carried(hairs, rest, moved, "");
  for (size_t i = 0; i < 50; ++i) assert_true(rv_vec3_finite(place(odd, i, POINTS - 1)));
  RvAttrib* text;
  rv_detail_remove_attrib(moved, RV_POINT, "wetness");
  CHECK_OK(rv_detail_add_attrib(moved, RV_POINT, "wetness", RV_STRING, 1, RV_TAG_NONE, &text, &error), error);
  c = rv_test_cook("transfer", "attribs=", 3, (const RvDetail*[]){hairs, rest, moved});
  CHECK_OK(c.result, c.error);
  assert_non_null(strstr(c.warnings, "the attribute wetness of the guides is a string, so hairs do not clump"));
  rv_test_cook_free(&c);
  rv_detail_free(hairs);
  rv_detail_free(rest);
  rv_detail_free(moved);
  rv_detail_free(dry);
  rv_detail_free(full);
  rv_detail_free(one);
  rv_detail_free(odd);
}

// guides of one point guide nothing
static void dots_do_not_guide(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *hairs = strands(5, true), *dots = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(dots, 3, 1, NULL, NULL, &error), error);
  RvTestCook c = rv_test_cook("transfer", "", 3, (const RvDetail*[]){hairs, dots, dots});
  CHECK_FAILS(c.result, RV_BAD_INPUT, c.error,
              "none of the 3 guides is usable; the first, primitive 0, has fewer than 2 points");
  rv_detail_free(hairs);
  rv_detail_free(dots);
}

static void threads_and_cache_change_nothing(void** state) {
  (void)state;
  const RvNodeType* type = rv_node_find("transfer");
  RvDetail *hairs = strands(HAIRS, true), *rest = strands(GUIDES, false), *moved = wet(rest, 0.4);
  uint64_t hash = 0;
  void* cache = NULL;
  for (int n = 1; n <= 8; n = 2 * n + 1) {
    rv_threads_set(n);
    RvDetail* out = rv_test_carried(hairs, rest, moved, "strayamount=0.3");
    if (!hash) hash = rv_detail_hash(out);
    assert_int_equal(rv_detail_hash(out), hash);
    RvTestCook c = rv_test_cook_type(type, "strayamount=0.3", 3, (const RvDetail*[]){hairs, rest, moved}, n, &cache);
    CHECK_OK(c.result, c.error);
    assert_int_equal(rv_detail_hash(c.output[0]), hash);
    rv_test_cook_free(&c);
    rv_detail_free(out);
  }
  rv_threads_set(0);
  // wider hairs need more room: the cache must notice
  float* width = floats(hairs, "width", 1);
  for (size_t i = 0; i < HAIRS * POINTS; ++i) width[i] *= 2;
  RvTestCook c = rv_test_cook_type(type, "strayamount=0.3", 3, (const RvDetail*[]){hairs, rest, moved}, 9, &cache);
  RvDetail* fresh = rv_test_carried(hairs, rest, moved, "strayamount=0.3");
  CHECK_OK(c.result, c.error);
  assert_int_equal(rv_detail_hash(c.output[0]), rv_detail_hash(fresh));
  assert_true(rv_detail_hash(fresh) != hash);
  type->free_cache(cache);
  rv_test_cook_free(&c);
  rv_detail_free(hairs);
  rv_detail_free(rest);
  rv_detail_free(moved);
  rv_detail_free(fresh);
}

RV_TESTS(cmocka_unit_test(tips_lie_beside_each_other), cmocka_unit_test(bundles_lie_beside_each_other),
         cmocka_unit_test(hairs_come_together_smoothly), cmocka_unit_test(numbers_move_nothing),
         cmocka_unit_test(dry_roots_stay), cmocka_unit_test(clumps_move_rigidly), cmocka_unit_test(longer_hairs_go_on),
         cmocka_unit_test(bad_wetness_is_dry), cmocka_unit_test(dots_do_not_guide),
         cmocka_unit_test(threads_and_cache_change_nothing))
