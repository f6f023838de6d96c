#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cook.h"
#include "support/rv_test.h"
#include "support/shapes.h"

// a strip of faces of very unequal area: a triangle, quads that shrink by halves, a trapezium and a hexagon
static RvDetail* unequal_mesh(void) {
  const float points[] = {0,  0, 0, 1,    0, 0, 0,    0, 1,                 // 0..2 triangle, area 0.5
                          2,  0, 0, 3,    0, 0, 3,    0, 1,    2, 0, 1,     // 3..6 square, area 1
                          4,  0, 0, 4.1f, 0, 0, 4.1f, 0, 0.1f, 4, 0, 0.1f,  // 7..10 area 0.01
                          5,  0, 0, 7,    0, 0, 6,    0, 1,    5, 0, 1,     // 11..14 trapezium, area 1.5
                          8,  0, 0, 9,    0, 0, 9.5f, 0, 1,    9, 0, 2,
                          8,  0, 2, 7.5f, 0, 1,               // 15..20 hexagon, area 3
                          20, 0, 0, 21,   0, 0, 22,   0, 0};  // 21..23 a face of no area
  const int32_t sizes[] = {3, 4, 4, 4, 6, 3};
  const int32_t corners[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};
  return rv_test_polygons(24, points, 6, sizes, corners);
}

static double strand_length(const float* p, int n) {
  double sum = 0;
  for (int i = 1; i < n; ++i)
    sum += sqrt(pow((double)p[3 * i] - p[3 * i - 3], 2) + pow((double)p[3 * i + 1] - p[3 * i - 2], 2) +
                pow((double)p[3 * i + 2] - p[3 * i - 1], 2));
  return sum;
}

// Chi-square over faces. 4 degrees of freedom: 18.47 is the 0.1% point for independent roots; ours are more even than
// independent ones, so a right sampler stays far below, and one that weighs faces wrongly is thousands above.
static void roots_are_uniform_by_area(void** state) {
  (void)state;
  RvDetail* skin = unequal_mesh();
  RvTestCook c = rv_test_cook("groom", "count=20000; points=2; bend=0", 1, (const RvDetail*[]){skin});
  CHECK_OK(c.result, c.error);
  const int32_t* prim = rv_detail_i32(c.output[0], RV_PRIM, "skinprim", 1);
  const double area[6] = {0.5, 1, 0.01, 1.5, 3, 0}, total = 6.01;
  double seen[6] = {0}, chi = 0;
  for (int i = 0; i < 20000; ++i) seen[prim[i]]++;
  assert_true(seen[5] == 0);
  for (int f = 0; f < 5; ++f) chi += pow(seen[f] - 20000 * area[f] / total, 2) / (20000 * area[f] / total);
  CHECK_NEAR(chi, 0, 18.47);
  // within the trapezium (x from 5 to 7 - z) and the hexagon, by strips of equal height in z: 9 degrees of freedom,
  // 27.88 is the 0.1% point
  const float* P = rv_detail_f32(c.output[0], RV_POINT, "P", 3);
  double strips[2][10] = {{0}}, strip_chi[2] = {0, 0};
  for (int i = 0; i < 20000; ++i) {
    double z = P[6 * i + 2];
    if (prim[i] == 3) strips[0][(int)fmin(z * 10, 9)]++;
    if (prim[i] == 4) strips[1][(int)fmin(z * 5, 9)]++;
  }
  for (int k = 0; k < 10; ++k) {
    double share = (2 - (k + 0.5) / 10) / 10 / 1.5, expected = seen[3] * share;
    strip_chi[0] += pow(strips[0][k] - expected, 2) / expected;
    double z = (k + 0.5) / 5, wide = 1 + (z < 1 ? z : 2 - z);
    expected = seen[4] * wide * 0.2 / 3;
    strip_chi[1] += pow(strips[1][k] - expected, 2) / expected;
  }
  CHECK_NEAR(strip_chi[0], 0, 27.88);
  CHECK_NEAR(strip_chi[1], 0, 27.88);
  rv_test_cook_free(&c);
  rv_detail_free(skin);
}

static void more_strands_leave_the_first_alone(void** state) {
  (void)state;
  RvDetail* skin = rv_test_sphere(0.09, 12, 16);
  const RvDetail* in[] = {skin};
  const char* parms = "points=12; style=curly; clumpsize=0.02; strayamount=0.1; lengthrandom=0.5; length=0.1";
  char few[200], many[200], other[200];
  snprintf(few, sizeof few, "count=100; %s", parms);
  snprintf(many, sizeof many, "count=1000; %s", parms);
  snprintf(other, sizeof other, "count=100; seed=1; %s", parms);
  RvTestCook a = rv_test_cook("groom", few, 1, in), b = rv_test_cook("groom", many, 1, in);
  RvTestCook c = rv_test_cook("groom", other, 1, in);
  CHECK_OK(a.result, a.error);
  CHECK_OK(b.result, b.error);
  CHECK_OK(c.result, c.error);
  const float* P = rv_detail_f32(a.output[0], RV_POINT, "P", 3);
  assert_memory_equal(P, rv_detail_f32(b.output[0], RV_POINT, "P", 3), 100 * 12 * 3 * sizeof(float));
  assert_memory_equal(rv_detail_f32(a.output[0], RV_POINT, "orient", 4),
                      rv_detail_f32(b.output[0], RV_POINT, "orient", 4), 100 * 12 * 4 * sizeof(float));
  assert_memory_not_equal(P, rv_detail_f32(c.output[0], RV_POINT, "P", 3), 3 * sizeof(float));
  rv_test_cook_free(&a);
  rv_test_cook_free(&b);
  rv_test_cook_free(&c);
  rv_detail_free(skin);
}

// 32-bit positions within 0.3 m of the origin are rounded to 1.5e-8 m, two ends a segment
static void segments_are_equal_and_add_up(void** state) {
  (void)state;
  RvDetail* skin = rv_test_sphere(0.09, 12, 16);
  const char* styles[] = {"straight", "wavy", "curly", "coiled", "afro"};
  for (int s = 0; s < 5; ++s) {
    char parms[200];
    snprintf(parms, sizeof parms,
             "count=200; length=0.2; lengthrandom=0; points=100; clumpsize=0.02; frizz=0.001; style=%s", styles[s]);
    RvTestCook c = rv_test_cook("groom", parms, 1, (const RvDetail*[]){skin});
    CHECK_OK(c.result, c.error);
    CHECK_OK(rv_detail_check(c.output[0], &c.error), c.error);
    assert_int_equal(rv_detail_count(c.output[0], RV_POINT), 200 * 100);
    const float* P = rv_detail_f32(c.output[0], RV_POINT, "P", 3);
    for (int i = 0; i < 200; ++i) {
      CHECK_NEAR(strand_length(P + 300 * i, 100), 0.2, 2e-6);
      for (int k = 0; k < 99; ++k) CHECK_NEAR(strand_length(P + 300 * i + 3 * k, 2), 0.2 / 99, 5e-8);
    }
    rv_test_cook_free(&c);
  }
  rv_detail_free(skin);
}

// A straight centre line along Y with a helix about it. The compass walks a curve of 36 chords a turn, so points lie
// inside the true helix by at most radius (1 - cos(pi / 36)), 0.4%.
static void helix_radius_and_pitch_come_back(void** state) {
  (void)state;
  const double radius = 0.004, pitch = 0.012, turn = sqrt(pitch * pitch + pow(2 * M_PI * radius, 2));
  enum { POINTS = 97 };
  char parms[256];
  snprintf(parms, sizeof parms,
           "layout=row; count=3; spacing=0.1; lift=1; bend=0; length=%.17g; points=%d; style=coiled; lengthrandom=0; "
           "curlradius=%g; curlpitch=%g; curlrandom=0; curlstart=0; curlblend=0.1; directionrandom=0",
           8 * turn, POINTS, radius, pitch);
  RvTestCook c = rv_test_cook("groom", parms, 0, NULL);
  CHECK_OK(c.result, c.error);
  assert_int_equal(c.nwarning, 0);
  const float* P = rv_detail_f32(c.output[0], RV_POINT, "P", 3);
  for (int s = 0; s < 3; ++s) {
    double angle = 0, first_y = 0, last_y = 0;
    for (int i = 14; i < POINTS; ++i) {
      const float* p = P + 3 * (s * POINTS + i);
      double x = p[0] - 0.1 * s, z = p[2];
      CHECK_NEAR(hypot(x, z), radius, 0.005 * radius);
      if (i > 14) {
        double ox = p[-3] - 0.1 * s, oz = p[-1];
        angle += atan2(ox * z - oz * x, ox * x + oz * z);
      } else
        first_y = p[1];
      last_y = p[1];
    }
    CHECK_NEAR(2 * M_PI * (last_y - first_y) / fabs(angle), pitch, 0.005 * pitch);
  }
  rv_test_cook_free(&c);
}

static void coarse_helix_is_told(void** state) {
  (void)state;
  RvTestCook c = rv_test_cook("groom", "count=2; style=coiled; points=8; length=0.2", 0, NULL);
  CHECK_OK(c.result, c.error);
  assert_int_equal(c.nwarning, 1);
  assert_non_null(strstr(c.warnings, "points a turn"));
  rv_test_cook_free(&c);
}

// the formulas of the parametric spaces, written again here
static void skinprimuv_gives_the_root_back(void** state) {
  (void)state;
  RvDetail* skin = unequal_mesh();
  RvTestCook c = rv_test_cook("groom", "count=3000; points=3", 1, (const RvDetail*[]){skin});
  CHECK_OK(c.result, c.error);
  const float *P = rv_detail_f32(c.output[0], RV_POINT, "P", 3),
              *uvw = rv_detail_f32(c.output[0], RV_PRIM, "skinprimuv", 3);
  const int32_t* prim = rv_detail_i32(c.output[0], RV_PRIM, "skinprim", 1);
  const float* S = rv_detail_f32(skin, RV_POINT, "P", 3);
  const int32_t first[] = {0, 3, 7, 11, 15};
  for (int i = 0; i < 3000; ++i) {
    double u = uvw[3 * i], v = uvw[3 * i + 1];
    const float* q = S + 3 * first[prim[i]];
    for (int k = 0; k < 3; ++k) {
      double at;
      if (prim[i] == 0)
        at = q[k] * (1 - u - v) + q[3 + k] * u + q[6 + k] * v;
      else if (prim[i] < 4)
        at = q[k] * (1 - u) * (1 - v) + q[3 + k] * (1 - u) * v + q[6 + k] * u * v + q[9 + k] * u * (1 - v);
      else {
        int e = (int)(u * 6);
        double f = u * 6 - e, mean = 0;
        for (int m = 0; m < 6; ++m) mean += q[3 * m + k] / 6.0;
        at = (1 - v) * ((1 - f) * q[3 * e + k] + f * q[3 * ((e + 1) % 6) + k]) + v * mean;
      }
      // half a unit in the last place of a number below 16
      CHECK_NEAR(P[9 * i + k], at, 5e-7);
    }
  }
  rv_test_cook_free(&c);
  rv_detail_free(skin);
}

static void same_bits_for_any_number_of_threads(void** state) {
  (void)state;
  RvDetail* skin = rv_test_sphere(0.09, 12, 16);
  uint64_t expected = 0;
  for (int threads = 1; threads <= 8; threads *= 2) {
    rv_threads_set(threads);
    RvTestCook c =
        rv_test_cook("groom", "count=2000; style=afro; points=40; clumpsize=0.01", 1, (const RvDetail*[]){skin});
    CHECK_OK(c.result, c.error);
    uint64_t hash = rv_detail_hash(c.output[0]);
    if (threads == 1) expected = hash;
    assert_true(hash == expected);
    rv_test_cook_free(&c);
  }
  rv_threads_set(0);
  rv_detail_free(skin);
}

// root mean square distance of tips from their clump's mean
static double tip_spread(const RvDetail* d, int count, int points, const int32_t* clump, int nclump) {
  const float* P = rv_detail_f32(d, RV_POINT, "P", 3);
  double *sum = calloc((size_t)nclump, 3 * sizeof(double)), *n = calloc((size_t)nclump, sizeof *n), total = 0;
  for (int i = 0; i < count; ++i) {
    n[clump[i]]++;
    for (int k = 0; k < 3; ++k) sum[3 * clump[i] + k] += P[3 * (i * points + points - 1) + k];
  }
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k)
      total += pow(P[3 * (i * points + points - 1) + k] - sum[3 * clump[i] + k] / n[clump[i]], 2);
  free(sum);
  free(n);
  return sqrt(total / count);
}

// Parallel hair on a flat skin: the help says that distances shrink by 1 - tightness at the tip. Drawn strands lean, so
// their tips, at equal length, end a little short of it: 2% at a clump of 2 cm and 20 cm of hair.
static void clumps_shrink_the_tips(void** state) {
  (void)state;
  RvDetail* skin = rv_test_square(0.1);
  const RvDetail* in[] = {skin};
  const char* parms = "count=2000; points=20; length=0.2; lengthrandom=0; lift=1; bend=0; clumpsize=0.02; tightness=%g";
  char loose[200], tight[200];
  snprintf(loose, sizeof loose, parms, 0.0);
  snprintf(tight, sizeof tight, parms, 0.75);
  RvTestCook a = rv_test_cook("groom", loose, 1, in), b = rv_test_cook("groom", tight, 1, in);
  CHECK_OK(a.result, a.error);
  CHECK_OK(b.result, b.error);
  const int32_t* clump = rv_detail_i32(a.output[0], RV_PRIM, "clumpid", 1);
  int most = 0;
  for (int i = 0; i < 2000; ++i) most = clump[i] > most ? clump[i] : most;
  assert_int_equal(most, 24);  // 0.1^2 / 0.02^2 = 25 clumps
  double ratio = tip_spread(b.output[0], 2000, 20, clump, 25) / tip_spread(a.output[0], 2000, 20, clump, 25);
  CHECK_NEAR(ratio, 0.25, 0.02);
  rv_test_cook_free(&a);
  rv_test_cook_free(&b);
  rv_detail_free(skin);
}

// hair of a head hangs outside of it, and ends below its roots
static void hair_hangs_and_stays_out_of_the_head(void** state) {
  (void)state;
  RvDetail* skin = rv_test_sphere(0.09, 24, 32);
  RvTestCook c = rv_test_cook("groom", "count=500; points=24; length=0.25", 1, (const RvDetail*[]){skin});
  CHECK_OK(c.result, c.error);
  const float* P = rv_detail_f32(c.output[0], RV_POINT, "P", 3);
  int below = 0;
  for (int i = 0; i < 500 * 24; ++i) {
    const float* p = P + 3 * i;
    // the mesh lies inside its sphere by 0.09 (1 - cos(pi / 24)) = 0.8 mm, chords of 11 mm by another 0.2 mm
    assert_true(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) > 0.0885);
    if (i % 24 == 23) below += p[1] < p[1 - 3 * 23];
  }
  assert_true(below == 500);
  rv_test_cook_free(&c);
  rv_detail_free(skin);
}

// Strands cross at the crown, so that some fall to the other side than the clump they belong to: they are drawn to it
// round the head, not through it.
static void clumps_stay_out_of_the_head(void** state) {
  (void)state;
  RvDetail* skin = rv_test_sphere(0.09, 24, 32);
  RvTestCook c = rv_test_cook("groom", "count=2000; points=24; length=0.25; clumpsize=0.012; tightness=0.6", 1,
                              (const RvDetail*[]){skin});
  CHECK_OK(c.result, c.error);
  const float* P = rv_detail_f32(c.output[0], RV_POINT, "P", 3);
  for (int i = 0; i < 2000 * 24; ++i) {
    const float* p = P + 3 * i;
    // as above
    assert_true(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) > 0.0885);
  }
  rv_test_cook_free(&c);
  rv_detail_free(skin);
}

// unit quaternions whose z is the edge, turning from one to the next by no twist
static void orient_follows_the_strand(void** state) {
  (void)state;
  RvTestCook c = rv_test_cook("groom", "count=20; points=60; style=curly; length=0.2", 0, NULL);
  CHECK_OK(c.result, c.error);
  const float *P = rv_detail_f32(c.output[0], RV_POINT, "P", 3), *q = rv_detail_f32(c.output[0], RV_POINT, "orient", 4);
  for (int i = 0; i < 20 * 60; ++i) {
    const float *o = q + 4 * i, *p = P + 3 * i;
    CHECK_NEAR(o[0] * o[0] + o[1] * o[1] + o[2] * o[2] + o[3] * o[3], 1, 1e-6);
    if (i % 60 == 59) continue;
    double z[3] = {2.0 * (o[0] * o[2] + o[3] * o[1]), 2.0 * (o[1] * o[2] - o[3] * o[0]),
                   1 - 2.0 * (o[0] * o[0] + o[1] * o[1])};
    double h = strand_length(p, 2);
    for (int k = 0; k < 3; ++k) CHECK_NEAR(z[k], (p[3 + k] - p[k]) / h, 1e-5);
  }
  rv_test_cook_free(&c);
}

static void density_thins_and_stays(void** state) {
  (void)state;
  RvDetail* skin = rv_test_square(1);
  RvError error = {0};
  RvTestCook all = rv_test_cook("groom", "count=4000; points=2", 1, (const RvDetail*[]){skin});
  // 0 at x = -0.5, 1 at x = 0.5: half of the strands stay, none of them elsewhere than before
  float* density = rv_detail_f32_write(skin, RV_POINT, "density", 1, &error);
  density[0] = density[3] = 0;
  density[1] = density[2] = 1;
  RvTestCook some = rv_test_cook("groom", "count=4000; points=2", 1, (const RvDetail*[]){skin});
  CHECK_OK(all.result, all.error);
  CHECK_OK(some.result, some.error);
  size_t n = rv_detail_count(some.output[0], RV_PRIM);
  // binomial, at most 31.6 standard deviation; 5 of them
  CHECK_NEAR(n, 2000, 158);
  const int32_t* id = rv_detail_i32(some.output[0], RV_PRIM, "id", 1);
  const float *A = rv_detail_f32(all.output[0], RV_POINT, "P", 3), *B = rv_detail_f32(some.output[0], RV_POINT, "P", 3);
  double mean = 0;
  for (size_t i = 0; i < n; ++i) {
    assert_memory_equal(B + 6 * i, A + 6 * id[i], 6 * sizeof(float));
    mean += B[6 * i] / (double)n;
  }
  CHECK_NEAR(mean, 1.0 / 6, 0.03);  // of the density x + 1/2; standard deviation 0.0053
  rv_test_cook_free(&all);
  rv_test_cook_free(&some);
  rv_detail_free(skin);
}

static void wrong_input_is_told(void** state) {
  (void)state;
  RvDetail *empty = rv_detail_new(), *flat = rv_test_square(0), *broken = rv_test_square(1), *good = rv_test_square(1);
  RvError error = {0};
  rv_detail_f32_write(broken, RV_POINT, "P", 3, &error)[5] = NAN;
  struct {
    const RvDetail* skin;
    const char* parms;
    RvResult code;
    const char* part;
  } cases[] = {
      {empty, "", RV_BAD_INPUT, "no faces"},
      {flat, "", RV_BAD_INPUT, "no face has any area"},
      {broken, "", RV_BAD_INPUT, "point 1"},
      {good, "count=0", RV_BAD_INPUT, "count"},
      {good, "points=1", RV_BAD_INPUT, "points"},
      {good, "length=0", RV_BAD_INPUT, "length"},
      {good, "count=2000000000; points=1000", RV_LIMIT, "GiB"},
      {good, "method=density; density=1e18", RV_LIMIT, "GiB"},
      {good, "clumpsize=1e-9", RV_LIMIT, "clumpsize"},
      {good, "group=scalp", RV_BAD_INPUT, "scalp"},
      {good, "lengthattrib=long", RV_BAD_INPUT, "long"},
      {good, "skinattribs=Cd", RV_BAD_INPUT, "Cd"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    RvTestCook c = rv_test_cook("groom", cases[i].parms, 1, &cases[i].skin);
    CHECK_FAILS(c.result, cases[i].code, c.error, cases[i].part);
    assert_null(c.output[0]);
    rv_test_cook_free(&c);
  }
  rv_detail_free(empty);
  rv_detail_free(flat);
  rv_detail_free(broken);
  rv_detail_free(good);
}

static void skin_attributes_come_along(void** state) {
  (void)state;
  RvDetail* skin = rv_test_square(2);
  RvError error = {0};
  float* Cd = rv_detail_f32_write(skin, RV_POINT, "Cd", 3, &error);
  const float* S = rv_detail_f32(skin, RV_POINT, "P", 3);
  for (int i = 0; i < 12; ++i) Cd[i] = 3 * S[i] + 1;
  RvTestCook c = rv_test_cook("groom", "count=50; points=4; skinattribs=Cd", 1, (const RvDetail*[]){skin});
  CHECK_OK(c.result, c.error);
  const float *P = rv_detail_f32(c.output[0], RV_POINT, "P", 3), *got = rv_detail_f32(c.output[0], RV_PRIM, "Cd", 3);
  for (int i = 0; i < 50; ++i)
    for (int k = 0; k < 3; ++k) CHECK_NEAR(got[3 * i + k], 3 * P[12 * i + k] + 1, 1e-6);
  const float* radius = rv_detail_f32(c.output[0], RV_PRIM, "hairradius", 1);
  CHECK_NEAR(radius[7], 4e-5, 1e-11);
  CHECK_NEAR(rv_detail_f32(c.output[0], RV_POINT, "width", 1)[0], 8e-5, 1e-11);
  rv_test_cook_free(&c);
  rv_detail_free(skin);
}

// how much hair lies over the ground within 1 cm of the pole of a head, as points, roots apart
static int hair_over_the_crown(const char* random) {
  char parms[128];
  snprintf(parms, sizeof parms, "count=40000; points=24; length=0.12; directionrandom=%s", random);
  RvDetail* skin = rv_test_sphere(0.1, 24, 36);
  RvTestCook c = rv_test_cook("groom", parms, 1, (const RvDetail*[]){skin});
  CHECK_OK(c.result, c.error);
  const float* p = rv_detail_f32(c.output[0], RV_POINT, "P", 3);
  int count = 0;
  for (size_t i = 0; i < rv_detail_count(c.output[0], RV_POINT); ++i)
    count += i % 24 && p[3 * i + 1] > 0 && hypot(p[3 * i], p[3 * i + 2]) < 0.01;
  rv_test_cook_free(&c);
  rv_detail_free(skin);
  return count;
}

// Hair that is combed down on every side flows away from the point where it parts: with no randomness only the 100
// strands that stand within 1 cm are over it, each for less than that. With it strands cross there.
static void crown_is_covered(void** state) {
  (void)state;
  int bare = hair_over_the_crown("0"), little = hair_over_the_crown("0.05"), covered = hair_over_the_crown("0.1");
  assert_in_range(bare, 30, 100 * 3);
  assert_true(covered > 2 * bare);
  assert_true(little > bare && little < covered);
}

RV_TESTS(cmocka_unit_test(roots_are_uniform_by_area), cmocka_unit_test(more_strands_leave_the_first_alone),
         cmocka_unit_test(segments_are_equal_and_add_up), cmocka_unit_test(helix_radius_and_pitch_come_back),
         cmocka_unit_test(coarse_helix_is_told), cmocka_unit_test(skinprimuv_gives_the_root_back),
         cmocka_unit_test(same_bits_for_any_number_of_threads), cmocka_unit_test(clumps_shrink_the_tips),
         cmocka_unit_test(hair_hangs_and_stays_out_of_the_head), cmocka_unit_test(clumps_stay_out_of_the_head),
         cmocka_unit_test(orient_follows_the_strand), cmocka_unit_test(density_thins_and_stays),
         cmocka_unit_test(wrong_input_is_told), cmocka_unit_test(skin_attributes_come_along),
         cmocka_unit_test(crown_is_covered))
