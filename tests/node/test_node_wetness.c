#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "support/cook.h"
#include "support/rv_test.h"

enum { STRANDS = 6, POINTS = 5, ALL = STRANDS * POINTS };
static const double FULL = 5e-5;  // m, the default of filmfull

static RvDetail* lines(void) {
  RvTestCook c = rv_test_cook("curve", "points=5; count=6; dist=0.1", 0, NULL);
  CHECK_OK(c.result, c.error);
  return c.output[0];
}

static float* floats(RvDetail* d, const char* name, int size) {
  RvError error = {0};
  float* out = rv_detail_f32_write(d, RV_POINT, name, size, &error);
  assert_non_null(out);
  return out;
}

// strands with everything a shader may have, and random film and absorbed liquid
static RvDetail* dressed(double film, double absorbed) {
  RvDetail* d = lines();
  float *Cd = floats(d, "Cd", 3), *width = floats(d, "width", 1), *rough = floats(d, "roughness", 1),
        *clump = floats(d, "clump", 1), *h = floats(d, "filmheight", 1), *a = floats(d, "absorbed", 1);
  for (int i = 0; i < ALL; ++i) {
    RvRandom4 r = rv_random4(1, 2, (uint64_t)i);
    for (int c = 0; c < 3; ++c) Cd[3 * i + c] = (float)((r.v[c] >> 8) * 0x1p-24);
    width[i] = 8e-5f + 1e-6f * (float)i;
    rough[i] = 0.3f + 0.01f * (float)i;
    clump[i] = 0.02f * (float)i;
    h[i] = (float)(film * (double)(r.v[3] >> 8) * 0x1p-24);
    a[i] = (float)(absorbed * (double)(r.v[0] >> 8) * 0x1p-24);
  }
  return d;
}

static RvDetail* remapped(const RvDetail* in, const char* parms) {
  RvTestCook c = rv_test_cook("wetness", parms, 1, (const RvDetail*[]){in});
  CHECK_OK(c.result, c.error);
  if (c.nwarning) fail_msg("%s", c.warnings);
  return c.output[0];
}

static void same(const RvDetail* a, const RvDetail* b, const char* name, int size) {
  assert_memory_equal(rv_detail_f32(a, RV_POINT, name, size), rv_detail_f32(b, RV_POINT, name, size),
                      sizeof(float) * (size_t)(size * ALL));
}

//---------------------------------------------------------------------------------------------- dry

// all that was there keeps its bits, also what is no number; what is made is neutral
static void dry_hair_is_not_changed(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* in = dressed(0, 0);
  floats(in, "Cd", 3)[4] = NAN;
  floats(in, "width", 1)[3] = INFINITY;
  floats(in, "clump", 1)[2] = NAN;
  floats(in, "wetness", 1)[1] = 0;
  RvGroup* group;
  CHECK_OK(rv_detail_add_group(in, RV_POINT, "tips", &group, &error), error);
  rv_group_write(group)[7] = 1;
  RvDetail* out = remapped(in, "");
  assert_int_equal(rv_detail_hash(in), rv_detail_hash(out));
  rv_detail_free(out);
  rv_detail_free(in);
  // bare strands that are told to be dry have the look of natural hair
  const float brown[3] = {0.1f, 0.045f, 0.02f};
  in = lines();
  floats(in, "filmheight", 1);
  out = remapped(in, "");
  for (int i = 0; i < ALL; ++i) {
    for (int c = 0; c < 3; ++c) assert_true(rv_detail_f32(out, RV_POINT, "Cd", 3)[3 * i + c] == brown[c]);
    assert_true(rv_detail_f32(out, RV_POINT, "roughness", 1)[i] == 0.3f);
    assert_true(rv_detail_f32(out, RV_POINT, "clump", 1)[i] == 0);
    assert_true(rv_detail_f32(out, RV_POINT, "wetness", 1)[i] == 0);
  }
  assert_int_equal(rv_attrib_tag(rv_detail_find(out, RV_POINT, "Cd")), RV_TAG_COLOR);
  assert_null(rv_detail_find(out, RV_POINT, "width"));
  rv_detail_free(out);
  rv_detail_free(in);
}

//---------------------------------------------------------------------------------------------- wet

// fully wet hair has the ends of the ramps
static void soaked_hair_has_the_ends(void** state) {
  (void)state;
  RvDetail* in = dressed(0, 0);
  float *h = floats(in, "filmheight", 1), *a = floats(in, "absorbed", 1);
  for (int i = 0; i < ALL; ++i) {
    h[i] = 1e-3f;
    a[i] = 1;
  }
  RvDetail* out = remapped(in, "");
  const double wet[3] = {0.4, 0.36, 0.33};
  for (int i = 0; i < ALL; ++i) {
    for (int c = 0; c < 3; ++c)
      CHECK_NEAR(rv_detail_f32(out, RV_POINT, "Cd", 3)[3 * i + c],
                 wet[c] * rv_detail_f32(in, RV_POINT, "Cd", 3)[3 * i + c], 1e-7);
    CHECK_NEAR(rv_detail_f32(out, RV_POINT, "roughness", 1)[i], 0.4 * rv_detail_f32(in, RV_POINT, "roughness", 1)[i],
               1e-7);
    CHECK_NEAR(rv_detail_f32(out, RV_POINT, "width", 1)[i], 1.15 * rv_detail_f32(in, RV_POINT, "width", 1)[i], 1e-11);
    CHECK_NEAR(rv_detail_f32(out, RV_POINT, "clump", 1)[i], 1, 1e-7);
  }
  same(in, out, "filmheight", 1);
  same(in, out, "absorbed", 1);
  same(in, out, "P", 3);
  rv_detail_free(out);
  rv_detail_free(in);
  // towelled: no film, but the fibre is full: dark and thick, neither glossy nor clumped
  in = dressed(0, 0);
  a = floats(in, "absorbed", 1);
  for (int i = 0; i < ALL; ++i) a[i] = 1;
  out = remapped(in, "");
  same(in, out, "roughness", 1);
  same(in, out, "clump", 1);
  assert_true(rv_detail_f32(out, RV_POINT, "Cd", 3)[3] < 0.5f * rv_detail_f32(in, RV_POINT, "Cd", 3)[3]);
  rv_detail_free(out);
  rv_detail_free(in);
}

typedef struct Look {
  double Cd, roughness, width, clump;
} Look;

static Look look_of(const RvDetail* d, size_t i) {
  return (Look){rv_detail_f32(d, RV_POINT, "Cd", 3)[3 * i], rv_detail_f32(d, RV_POINT, "roughness", 1)[i],
                rv_detail_f32(d, RV_POINT, "width", 1)[i], rv_detail_f32(d, RV_POINT, "clump", 1)[i]};
}

// From nothing to more than full in small steps: nothing turns back, and no step is longer than the ramps allow. Smooth
// ramps from 0 to 1 are at most 1.5 steep (a cubic that rests at both ends); Cd goes through two of film or of
// absorbed, and loses 0.6 of itself at most; roughness through two and 0.6; width through two and 0.15, of which one
// is straight; clump through two and what is left to 1.
static void looks_are_monotone_and_continuous(void** state) {
  (void)state;
  enum { STEPS = 2000 };
  RvDetail* in = dressed(0, 0);
  double step = 1.2 / STEPS, rounding = 3e-7;
  Look before[ALL], most = {0};
  for (int k = 0; k <= STEPS; ++k) {
    float *h = floats(in, "filmheight", 1), *a = floats(in, "absorbed", 1);
    // half of the strands take it in, half carry it
    for (int i = 0; i < ALL; ++i) (i < ALL / 2 ? h : a)[i] = (float)(k * step * (i < ALL / 2 ? FULL : 1));
    RvDetail* out = remapped(in, "");
    for (size_t i = 0; i < ALL; ++i) {
      Look now = look_of(out, i), base = look_of(in, i);
      if (k > 0) {
        Look d = {before[i].Cd - now.Cd, before[i].roughness - now.roughness, now.width - before[i].width,
                  now.clump - before[i].clump};
        assert_true(d.Cd >= 0 && d.roughness >= 0 && d.width >= 0 && d.clump >= 0);
        assert_true(d.Cd <= 0.6 * 1.5 * step * base.Cd + rounding);
        assert_true(d.roughness <= 0.6 * 1.5 * 1.5 * step * base.roughness + rounding);
        assert_true(d.width <= 0.15 * 1.5 * step * base.width + 1e-4 * rounding);
        assert_true(d.clump <= 1.5 * 1.5 * step * (1 - base.clump) + rounding);
        most = (Look){fmax(most.Cd, d.Cd / base.Cd), fmax(most.roughness, d.roughness / base.roughness),
                      fmax(most.width, d.width / base.width), fmax(most.clump, d.clump)};
      }
      before[i] = now;
    }
    rv_detail_free(out);
  }
  print_message("steepest: Cd %.2f, roughness %.2f, width %.3f, clump %.2f a full film or fibre\n", most.Cd / step,
                most.roughness / step, most.width / step, most.clump / step);
  // and it does something
  assert_true(most.Cd > 0.5 * step && most.roughness > 0.5 * step && most.width > 0.1 * step && most.clump > step);
  rv_detail_free(in);
}

// the number of a clump may jump from frame to frame: as the ramps stand that changes nothing
static void clump_numbers_do_not_pop(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *in = dressed(1e-4, 1), *other = rv_detail_copy(in);
  int32_t *a = rv_detail_i32_write(in, RV_POINT, "clumpid", 1, &error),
          *b = rv_detail_i32_write(other, RV_POINT, "clumpid", 1, &error);
  // pairs of strands; and the third alone, the fourth with the first two
  for (int i = 0; i < ALL; ++i) {
    a[i] = i / (2 * POINTS);
    b[i] = i / POINTS == 3 ? 0 : a[i];
  }
  RvDetail *x = remapped(in, ""), *y = remapped(other, "");
  same(x, y, "Cd", 3);
  same(x, y, "roughness", 1);
  same(x, y, "width", 1);
  same(x, y, "clump", 1);
  rv_detail_free(x);
  rv_detail_free(y);
  // who wants it: strands of larger clumps, and each clump in its own tone
  x = remapped(in, "clumpsizeramp=0 0, 1 1; clumpvary=0.5");
  y = remapped(other, "clumpsizeramp=0 0, 1 1; clumpvary=0.5");
  for (size_t i = 0; i < ALL; ++i) {
    double p = look_of(x, i).clump, q = look_of(y, i).clump, base = look_of(in, i).clump;
    size_t strand = i / POINTS;
    if (strand == 2) assert_true(q == base && p >= base);
    if (strand < 2 || strand == 3) assert_true(q >= p);
    if (strand > 3) assert_true(p == q);
    assert_true(look_of(x, i).Cd <= look_of(in, i).Cd);
    if (strand == 3 && rv_detail_f32(in, RV_POINT, "absorbed", 1)[i] > 0.1f)
      assert_true(look_of(x, i).Cd != look_of(y, i).Cd);
  }
  rv_detail_free(x);
  rv_detail_free(y);
  rv_detail_free(in);
  rv_detail_free(other);
}

static void wetness_can_drive(void** state) {
  (void)state;
  RvDetail* in = dressed(1e-4, 0);
  float* w = floats(in, "wetness", 1);
  for (int i = 0; i < ALL; ++i) w[i] = (float)i / (ALL - 1);
  RvDetail *out = remapped(in, "driver=wetness; promote=1"), *bare = rv_detail_copy(in);
  CHECK_NEAR(look_of(out, ALL - 1).roughness, 0.4 * look_of(in, ALL - 1).roughness, 1e-7);
  CHECK_NEAR(look_of(out, 0).roughness, look_of(in, 0).roughness, 0);
  const float* prim = rv_detail_f32(out, RV_PRIM, "wetness", 1);
  for (int s = 0; s < STRANDS; ++s) CHECK_NEAR(prim[s], (POINTS * s + 2.0) / (ALL - 1), 1e-6);
  // it does so where there is nothing else
  rv_detail_remove_attrib(bare, RV_POINT, "filmheight");
  rv_detail_remove_attrib(bare, RV_POINT, "absorbed");
  RvDetail* same_look = remapped(bare, "");
  same(out, same_look, "Cd", 3);
  same(out, same_look, "clump", 1);
  rv_detail_free(in);
  rv_detail_free(out);
  rv_detail_free(bare);
  rv_detail_free(same_look);
}

//---------------------------------------------------------------------------------------------- owners, groups, names

static void attributes_of_every_owner(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* in = lines();
  float* h = floats(in, "filmheight", 1);
  for (int i = 0; i < ALL; ++i) h[i] = i % 2 ? 1e-3f : 0;
  float *prim = rv_detail_f32_write(in, RV_PRIM, "Cd", 3, &error),
        *whole = rv_detail_f32_write(in, RV_GLOBAL, "roughness", 1, &error),
        *radius = rv_detail_f32_write(in, RV_PRIM, "hairradius", 1, &error);
  double* corner = rv_detail_f64_write(in, RV_VERTEX, "clump", 1, &error);
  for (int i = 0; i < 3 * STRANDS; ++i) prim[i] = 0.01f * (float)i;
  for (int i = 0; i < STRANDS; ++i) radius[i] = 4e-5f;
  for (int i = 0; i < ALL; ++i) corner[i] = 0.25;
  *whole = 0.5f;
  RvDetail* out = remapped(in, "");
  assert_memory_equal(rv_detail_f32(out, RV_PRIM, "Cd", 3), prim, 3 * STRANDS * sizeof *prim);
  for (int i = 0; i < ALL; ++i) {
    CHECK_NEAR(rv_detail_f32(out, RV_POINT, "Cd", 3)[3 * i + 2], prim[3 * (i / POINTS) + 2] * (i % 2 ? 0.33 : 1), 1e-7);
    CHECK_NEAR(rv_detail_f32(out, RV_POINT, "roughness", 1)[i], i % 2 ? 0.2 : 0.5, 1e-7);
    CHECK_NEAR(rv_detail_f32(out, RV_POINT, "width", 1)[i], 8e-5, 1e-11);
    CHECK_NEAR(rv_detail_f64(out, RV_VERTEX, "clump", 1)[i], i % 2 ? 1 : 0.25, 0);
  }
  assert_null(rv_detail_find(out, RV_POINT, "clump"));
  rv_detail_free(out);
  // a group, other names and none
  out = remapped(in, "group=5-9; colorattrib=tint; basecolor=1 1 1; roughnessattrib=; clumpattrib=; widthattrib=");
  for (int i = 0; i < ALL; ++i)
    CHECK_NEAR(rv_detail_f32(out, RV_POINT, "tint", 3)[3 * i], i % 2 && i >= 5 && i < 10 ? 0.4 : 1, 1e-7);
  assert_true(!rv_detail_find(out, RV_POINT, "roughness") && !rv_detail_find(out, RV_POINT, "width") &&
              !rv_detail_find(out, RV_POINT, "Cd"));
  rv_detail_free(out);
  rv_detail_free(in);
}

//---------------------------------------------------------------------------------------------- faults

static void bad_liquid_is_dry(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* in = dressed(1e-4, 1);
  float* h = floats(in, "filmheight", 1);
  float* a = floats(in, "absorbed", 1);
  h[4] = NAN;
  h[5] = -1;
  h[6] = INFINITY;
  a[4] = a[5] = a[6] = 0;
  a[9] = NAN;
  h[9] = 0;
  a[10] = 1e30f;
  RvTestCook c = rv_test_cook("wetness", "", 1, (const RvDetail*[]){in});
  CHECK_OK(c.result, c.error);
  assert_int_equal(c.nwarning, 2);
  assert_non_null(strstr(c.warnings, "3 points count as dry, because their filmheight is negative or not finite"));
  assert_non_null(strstr(
      c.warnings, "1 points count as dry, because their absorbed is negative or not finite; the first is point 9"));
  for (size_t i = 0; i < ALL; ++i) {
    Look x = look_of(c.output[0], i), y = look_of(in, i);
    assert_true(isfinite(x.Cd) && isfinite(x.roughness) && isfinite(x.width) && isfinite(x.clump));
    if (i == 4 || i == 5 || i == 6 || i == 9) assert_memory_equal(&x, &y, sizeof x);
  }
  rv_test_cook_free(&c);
  rv_detail_free(in);
  // nothing to go by, and attributes of other kinds
  in = lines();
  c = rv_test_cook("wetness", "", 1, (const RvDetail*[]){in});
  CHECK_OK(c.result, c.error);
  // as at a solver's start frame: dry, and no fault
  assert_int_equal(c.nwarning, 0);
  assert_null(rv_detail_find(c.output[0], RV_GLOBAL, "rv_look_wet"));
  for (int i = 0; i < ALL; ++i)
    assert_true(rv_detail_f32(c.output[0], RV_POINT, "Cd", 3)[3 * i] == 0.1f &&
                rv_detail_f32(c.output[0], RV_POINT, "clump", 1)[i] == 0);
  rv_test_cook_free(&c);
  floats(in, "filmheight", 1);
  RvAttrib* text;
  CHECK_OK(rv_detail_add_attrib(in, RV_POINT, "Cd", RV_STRING, 1, RV_TAG_NONE, &text, &error), error);
  rv_detail_i32_write(in, RV_POINT, "width", 1, &error);
  floats(in, "clump", 1);
  c = rv_test_cook("wetness", "", 1, (const RvDetail*[]){in});
  CHECK_OK(c.result, c.error);
  assert_int_equal(c.nwarning, 2);
  assert_non_null(strstr(c.warnings, "the attribute Cd is 1 x string and stays unchanged: it must have 3 floats"));
  assert_non_null(strstr(c.warnings, "the attribute width is 1 x int32 and stays unchanged"));
  rv_test_cook_free(&c);
  rv_test_cook_fails("wetness", "group=nobody", in, RV_BAD_INPUT, "nobody");
  rv_test_cook_fails("wetness", "", NULL, RV_BAD_INPUT, "input 1, the strands, is not wired");
  rv_detail_free(in);
  RvDetail* none = rv_detail_new();
  c = rv_test_cook("wetness", "", 1, (const RvDetail*[]){none});
  CHECK_OK(c.result, c.error);
  rv_test_cook_free(&c);
  rv_detail_free(none);
}

static void threads_change_nothing(void** state) {
  (void)state;
  RvTestCook big = rv_test_cook("curve", "points=20; count=2000; dist=0.1", 0, NULL);
  CHECK_OK(big.result, big.error);
  float* h = floats(big.output[0], "filmheight", 1);
  for (size_t i = 0; i < 40000; ++i) h[i] = (float)(1e-4 * (double)(rv_random4(3, 0, i).v[0] >> 8) * 0x1p-24);
  uint64_t hash = 0;
  for (int n = 1; n <= 8; n = 2 * n + 1) {
    rv_threads_set(n);
    RvDetail* out = remapped(big.output[0], "");
    if (!hash) hash = rv_detail_hash(out);
    assert_int_equal(rv_detail_hash(out), hash);
    rv_detail_free(out);
  }
  rv_threads_set(0);
  rv_test_cook_free(&big);
}

RV_TESTS(cmocka_unit_test(dry_hair_is_not_changed), cmocka_unit_test(soaked_hair_has_the_ends),
         cmocka_unit_test(looks_are_monotone_and_continuous), cmocka_unit_test(clump_numbers_do_not_pop),
         cmocka_unit_test(wetness_can_drive), cmocka_unit_test(attributes_of_every_owner),
         cmocka_unit_test(bad_liquid_is_dry), cmocka_unit_test(threads_change_nothing))
