// groom: guides, partings and a painted direction comb the hair as they say.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cook.h"
#include "support/rv_test.h"
#include "support/shapes.h"

enum { POINTS = 9 };

// A groom of straight strands along the normal on a disk, whose comb direction is +Z.
#define PLAIN \
  "count=200; size=0.1; points=9; length=0.1; lengthrandom=0; directionrandom=0; lift=1; bend=0; style=straight"

// A straight guide rooted at (x, 0, z).
static RvDetail* guide(float x, float z, float dx, float dy, float dz) {
  RvDetail* d = rv_detail_new();
  assert_non_null(d);
  assert_int_equal(rv_detail_add_curves(d, 1, 3, NULL, NULL, NULL), RV_OK);
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, NULL);
  for (int i = 0; i < 3; ++i) {
    P[3 * i] = x + 0.03f * (float)i * dx;
    P[3 * i + 1] = 0.03f * (float)i * dy;
    P[3 * i + 2] = z + 0.03f * (float)i * dz;
  }
  return d;
}

static RvTestCook cooked(const char* parms, const RvDetail* skin, const RvDetail* guides, const RvDetail* partings) {
  RvTestCook c = rv_test_cook("groom", parms, 3, (const RvDetail*[]){skin, guides, partings});
  CHECK_OK(c.result, c.error);
  return c;
}

// Points of strand i.
static const float* strand(const RvTestCook* c, size_t i) {
  return rv_detail_f32(c->output[0], RV_POINT, "P", 3) + 3 * POINTS * i;
}

// Cosine between the chord of a strand and a direction.
static double cosine(const float* p, double x, double y, double z) {
  double d[3], length = 0;
  for (int k = 0; k < 3; ++k) {
    d[k] = (double)p[3 * (POINTS - 1) + k] - p[k];
    length += d[k] * d[k];
  }
  return (d[0] * x + d[1] * y + d[2] * z) / sqrt(length * (x * x + y * y + z * z));
}

// With full weight all strands are parallel to the only guide; with weight 0 nothing changes.
static void strands_follow_a_guide(void** state) {
  (void)state;
  RvDetail* g = guide(0, 0, 0.6f, 0.8f, 0);
  RvTestCook c = cooked(PLAIN, NULL, g, NULL), none = cooked(PLAIN, NULL, NULL, NULL);
  RvTestCook zero = cooked(PLAIN "; combweight=0", NULL, g, NULL);
  for (size_t i = 0; i < 200; ++i) {
    CHECK_NEAR(cosine(strand(&c, i), 0.6, 0.8, 0), 1, 1e-9);
    CHECK_NEAR(cosine(strand(&none, i), 0, 1, 0), 1, 1e-9);
  }
  assert_memory_equal(strand(&zero, 0), strand(&none, 0), 200 * POINTS * 3 * sizeof(float));
  rv_test_cook_free(&c);
  rv_test_cook_free(&none);
  rv_test_cook_free(&zero);
  rv_detail_free(g);
}

// Within a reach of 1 cm a strand at distance d follows by e^-(d/reach)^2: checked against the blend itself.
static void reach_bounds_a_guide(void** state) {
  (void)state;
  RvDetail* g = guide(0, 0, 1, 0, 0);
  RvTestCook c = cooked(PLAIN "; combreach=0.01", NULL, g, NULL);
  for (size_t i = 0; i < 200; ++i) {
    const float* p = strand(&c, i);
    double w = exp(-(p[0] * p[0] + p[2] * p[2]) / 1e-4);
    CHECK_NEAR(cosine(p, w, 1 - w, 0), 1, 1e-9);
  }
  rv_test_cook_free(&c);
  rv_detail_free(g);
}

// A curve along Z through the middle: strands on either side leave the skin to that side, the nearer the more; clumps
// do not reach across, though their centres lie nearer than the strands' own.
static void partings_part(void** state) {
  (void)state;
  const char* flat =
      "count=400; size=0.1; points=9; length=0.1; lengthrandom=0; directionrandom=0; lift=0.5; bend=0.9; "
      "bendlength=0.02; direction=0 0 1; style=straight; partingstrength=1; partingwidth=0.04; clumpsize=0.03; "
      "tightness=0.9";
  RvDetail* line = guide(0, -0.06f, 0, 0, 4);
  RvTestCook c = cooked(flat, NULL, NULL, line), none = cooked(flat, NULL, NULL, NULL);
  size_t crossed = 0, crossed_without = 0;
  for (size_t i = 0; i < 400; ++i) {
    const float* p = strand(&c, i);
    const float* q = strand(&none, i);
    if (fabsf(p[0]) > 0.02f) continue;
    crossed += p[0] * p[3 * (POINTS - 1)] < 0;
    crossed_without += q[0] * q[3 * (POINTS - 1)] < 0;
    // the first segment leads away from the line
    assert_true(p[0] * (p[3] - p[0]) > 0);
  }
  assert_int_equal(crossed, 0);
  assert_true(crossed_without > 20);
  rv_test_cook_free(&c);
  rv_test_cook_free(&none);
  rv_detail_free(line);
}

// The menu's partings lie at -0.4, 0 and 0.4 of the half width: hair to the left and right of each leads to its side.
static void menu_partings(void** state) {
  (void)state;
  const struct {
    const char* name;
    float x;
  } rows[] = {{"middle", 0}, {"left", 0.02f}, {"right", -0.02f}};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
    char parms[512];
    snprintf(parms, sizeof parms,
             "count=300; size=0.1; points=9; length=0.05; directionrandom=0; lift=0.5; bend=0; partingstrength=1; "
             "partingwidth=0.05; parting=%s",
             rows[r].name);
    RvTestCook c = cooked(parms, NULL, NULL, NULL);
    for (size_t i = 0; i < 300; ++i) {
      const float* p = strand(&c, i);
      float from = p[0] - rows[r].x;
      if (fabsf(from) < 0.02f) assert_true(from * (p[3] - p[0]) > 0);
    }
    rv_test_cook_free(&c);
  }
}

// A vector painted on the skin replaces the comb direction.
static void painted_direction(void** state) {
  (void)state;
  const float corners[] = {0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1};
  const int32_t sizes[] = {4}, order[] = {0, 1, 2, 3};
  RvDetail* skin = rv_test_polygons(4, corners, 1, sizes, order);
  float* comb = rv_detail_f32_write(skin, RV_POINT, "comb", 3, NULL);
  for (int i = 0; i < 4; ++i) {
    comb[3 * i] = i % 2 ? 2.0f : 1.0f;
    comb[3 * i + 1] = 0;
    comb[3 * i + 2] = 0;
  }
  const char* parms =
      "count=50; points=9; length=0.1; directionrandom=0; lift=0; bend=1; bendlength=0; style=straight; "
      "direction=0 0 1; avoidskin=0";
  RvTestCook c = cooked(parms, skin, NULL, NULL);
  for (size_t i = 0; i < 50; ++i) CHECK_NEAR(cosine(strand(&c, i), 1, 0, 0), 1, 2e-3);
  rv_test_cook_free(&c);
  rv_detail_free(skin);
}

// Errors name the input and what to do.
static void refusals(void** state) {
  (void)state;
  RvDetail* bad = guide(0, 0, NAN, 0, 0);
  RvDetail* empty = rv_detail_new();
  RvTestCook c = rv_test_cook("groom", PLAIN, 2, (const RvDetail*[]){NULL, bad});
  CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, "input 2");
  rv_test_cook_free(&c);
  c = rv_test_cook("groom", PLAIN, 3, (const RvDetail*[]){NULL, NULL, empty});
  CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, "input 3");
  rv_test_cook_free(&c);
  rv_detail_free(bad);
  rv_detail_free(empty);
}

RV_TESTS(cmocka_unit_test(strands_follow_a_guide), cmocka_unit_test(reach_bounds_a_guide),
         cmocka_unit_test(partings_part), cmocka_unit_test(menu_partings), cmocka_unit_test(painted_direction),
         cmocka_unit_test(refusals))
