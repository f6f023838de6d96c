#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "support/cook.h"
#include "support/rv_test.h"
#include "support/shapes.h"

// x' = R x + t with R a turn of `angle` about (1, 2, 2) / 3, by Rodrigues' formula
static void rigid(double angle, const double t[3], const float* x, double out[3]) {
  const double k[3] = {1.0 / 3, 2.0 / 3, 2.0 / 3};
  double c = cos(angle), s = sin(angle), dot = k[0] * x[0] + k[1] * x[1] + k[2] * x[2];
  for (int i = 0; i < 3; ++i) {
    int a = (i + 1) % 3, b = (i + 2) % 3;
    out[i] = x[i] * c + (k[a] * x[b] - k[b] * x[a]) * s + k[i] * dot * (1 - c) + t[i];
  }
}

static RvDetail* moved_copy(const RvDetail* from, double angle, const double t[3]) {
  RvError error = {0};
  RvDetail* to = rv_detail_copy(from);
  float* P = rv_detail_f32_write(to, RV_POINT, "P", 3, &error);
  for (size_t i = 0; i < rv_detail_count(to, RV_POINT); ++i) {
    double q[3];
    rigid(angle, t, P + 3 * i, q);
    for (int k = 0; k < 3; ++k) P[3 * i + k] = (float)q[k];
  }
  return to;
}

static RvDetail* groom(const RvDetail* skin) {
  RvTestCook c = rv_test_cook("groom", "count=300; points=10; style=wavy; length=0.1", 1, &skin);
  CHECK_OK(c.result, c.error);
  return c.output[0];
}

static void check_rigid(const RvDetail* strands, const RvDetail* out, double angle, const double t[3],
                        double tolerance) {
  const float *A = rv_detail_f32(strands, RV_POINT, "P", 3), *B = rv_detail_f32(out, RV_POINT, "P", 3);
  for (size_t i = 0; i < rv_detail_count(strands, RV_POINT); ++i) {
    double q[3];
    rigid(angle, t, A + 3 * i, q);
    for (int k = 0; k < 3; ++k) CHECK_NEAR(B[3 * i + k], q[k], tolerance);
  }
}

// the skin's own positions are rounded to 32 bits: 3e-8 at half a metre, and a frame of a 2 cm face turns 0.1 m of hair
static void strands_follow_a_rigid_skin(void** state) {
  (void)state;
  const double t[3] = {0.1, -0.2, 0.3};
  RvDetail *skin = rv_test_sphere(0.09, 10, 12), *moved = moved_copy(skin, 1.1, t), *strands = groom(skin);
  RvTestCook c = rv_test_cook("deform", "", 3, (const RvDetail*[]){strands, skin, moved});
  CHECK_OK(c.result, c.error);
  assert_int_equal(c.nwarning, 0);
  check_rigid(strands, c.output[0], 1.1, t, 1e-6);
  // orient's z axis is still the edge
  const float *P = rv_detail_f32(c.output[0], RV_POINT, "P", 3), *o = rv_detail_f32(c.output[0], RV_POINT, "orient", 4);
  double h = sqrt(pow(P[3] - P[0], 2) + pow(P[4] - P[1], 2) + pow(P[5] - P[2], 2));
  CHECK_NEAR(2.0 * (o[0] * o[2] + o[3] * o[1]), (P[3] - P[0]) / h, 1e-5);
  CHECK_NEAR(2.0 * (o[1] * o[2] - o[3] * o[0]), (P[4] - P[1]) / h, 1e-5);
  assert_memory_equal(rv_detail_f32(c.output[0], RV_POINT, "rest", 3), rv_detail_f32(strands, RV_POINT, "rest", 3),
                      3000 * 3 * sizeof(float));
  rv_test_cook_free(&c);
  rv_detail_free(skin);
  rv_detail_free(moved);
  rv_detail_free(strands);
}

static void same_skin_changes_nothing(void** state) {
  (void)state;
  RvDetail *skin = rv_test_sphere(0.09, 10, 12), *strands = groom(skin);
  RvTestCook c = rv_test_cook("deform", "", 3, (const RvDetail*[]){strands, skin, skin});
  CHECK_OK(c.result, c.error);
  check_rigid(strands, c.output[0], 0, (double[3]){0, 0, 0}, 3e-8);
  rv_test_cook_free(&c);
  rv_detail_free(skin);
  rv_detail_free(strands);
}

// strands follow the skin, turned by 1.1 and moved by t; frees all three
static void check_carried_rigidly(RvDetail* strands, RvDetail* skin, RvDetail* moved, const double t[3]) {
  RvTestCook c = rv_test_cook("deform", "", 3, (const RvDetail*[]){strands, skin, moved});
  CHECK_OK(c.result, c.error);
  check_rigid(strands, c.output[0], 1.1, t, 1e-6);
  rv_test_cook_free(&c);
  rv_detail_free(skin);
  rv_detail_free(moved);
  rv_detail_free(strands);
}

static void unbound_strands_find_the_nearest_face(void** state) {
  (void)state;
  const double t[3] = {0.1, -0.2, 0.3};
  RvDetail *skin = rv_test_sphere(0.09, 10, 12), *moved = moved_copy(skin, 1.1, t), *strands = groom(skin);
  rv_detail_remove_attrib(strands, RV_PRIM, "skinprim");
  rv_detail_remove_attrib(strands, RV_PRIM, "skinprimuv");
  check_carried_rigidly(strands, skin, moved, t);
}

// a quad sheared: the root goes where the bilinear formula says, the strand stays as long as it was
static void roots_go_with_a_stretched_skin(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *skin = rv_test_square(1), *moved = rv_detail_copy(skin), *strands;
  RvTestCook g = rv_test_cook("groom", "count=100; points=5; bend=0; lift=1; length=0.1; lengthrandom=0", 1,
                              (const RvDetail*[]){skin});
  CHECK_OK(g.result, g.error);
  strands = g.output[0];
  float* P = rv_detail_f32_write(moved, RV_POINT, "P", 3, &error);
  for (int i = 0; i < 4; ++i) P[3 * i] = 2 * P[3 * i] + P[3 * i + 2];
  RvTestCook c = rv_test_cook("deform", "", 3, (const RvDetail*[]){strands, skin, moved});
  CHECK_OK(c.result, c.error);
  const float *A = rv_detail_f32(strands, RV_POINT, "P", 3), *B = rv_detail_f32(c.output[0], RV_POINT, "P", 3);
  for (int i = 0; i < 100; ++i) {
    CHECK_NEAR(B[15 * i], 2 * A[15 * i] + A[15 * i + 2], 2e-7);
    CHECK_NEAR(B[15 * i + 13], 0.1, 1e-7);
  }
  rv_test_cook_free(&c);
  rv_test_cook_free(&g);
  rv_detail_free(skin);
  rv_detail_free(moved);
}

// a closed curve that ends on its first point, and a second strand that shares it: every point moves once
static void points_move_once(void** state) {
  (void)state;
  RvError error = {0};
  const double t[3] = {0.1, -0.2, 0.3};
  const float places[12] = {0, 0.09f, 0, 0.02f, 0.12f, 0, -0.02f, 0.13f, 0.01f, 0, 0.15f, 0};
  const int32_t counts[2] = {4, 2}, points[6] = {0, 1, 2, 0, 0, 3};
  RvDetail *skin = rv_test_sphere(0.09, 10, 12), *moved = moved_copy(skin, 1.1, t), *strands = rv_detail_new();
  CHECK_OK(rv_detail_add_points(strands, 4, NULL, &error), error);
  memcpy(rv_detail_f32_write(strands, RV_POINT, "P", 3, &error), places, sizeof places);
  CHECK_OK(rv_detail_add_polygons(strands, RV_PRIM_CURVE, 2, counts, points, NULL, &error), error);
  check_carried_rigidly(strands, skin, moved, t);
}

static void check_turned(const RvDetail* strands, const RvDetail* out, RvOwner owner, const char* name,
                         double tolerance) {
  const RvAttrib *a = rv_detail_find(strands, owner, name), *b = rv_detail_find(out, owner, name);
  for (size_t i = 0; i < rv_attrib_count(a); ++i) {
    float x[3];
    double q[3];
    for (int k = 0; k < 3; ++k) x[k] = (float)rv_attrib_get(a, i, k);
    rigid(1.1, (double[3]){0, 0, 0}, x, q);
    for (int k = 0; k < 3; ++k) CHECK_NEAR(rv_attrib_get(b, i, k), q[k], tolerance);
  }
}

// vectors of every owner and storage turn, however many there are; what cannot turn is told
static void every_vector_turns(void** state) {
  (void)state;
  RvError error = {0};
  const double t[3] = {0.1, -0.2, 0.3};
  RvDetail *skin = rv_test_sphere(0.09, 10, 12), *moved = moved_copy(skin, 1.1, t), *strands = groom(skin);
  const RvOwner owners[] = {RV_POINT, RV_VERTEX, RV_PRIM};
  const RvStorage storages[] = {RV_F32, RV_F64, RV_F16};
  char name[32];
  for (int i = 0; i < 45; ++i) {
    RvAttrib* a = NULL;
    snprintf(name, sizeof name, "vector%d", i);
    RvTag tag = i & 1 ? RV_TAG_NORMAL : RV_TAG_VECTOR;
    CHECK_OK(rv_detail_add_attrib(strands, owners[i < 36 ? 0 : i % 3], name, storages[i / 3 % 3], 3, tag, &a, &error),
             error);
    size_t n = 3 * rv_attrib_count(a);
    void* values = rv_attrib_write(a);
    for (size_t k = 0; k < n; ++k) {
      // 0, 1 and 2 are exact in every storage; 0x3c00 and 0x4000 are 1 and 2 in 16 bits
      int x = (int)((k + (size_t)i) % 3);
      if (rv_attrib_storage(a) == RV_F64) ((double*)values)[k] = x;
      if (rv_attrib_storage(a) == RV_F32) ((float*)values)[k] = (float)x;
      if (rv_attrib_storage(a) == RV_F16) ((uint16_t*)values)[k] = (uint16_t)(x == 0 ? 0 : x == 1 ? 0x3c00 : 0x4000);
    }
  }
  RvAttrib* whole = NULL;
  CHECK_OK(rv_detail_add_attrib(strands, RV_POINT, "whole", RV_I32, 3, RV_TAG_VECTOR, &whole, &error), error);
  RvTestCook c = rv_test_cook("deform", "", 3, (const RvDetail*[]){strands, skin, moved});
  CHECK_OK(c.result, c.error);
  assert_int_equal(c.nwarning, 1);
  assert_non_null(strstr(c.warnings, "whole"));
  for (int i = 0; i < 45; ++i) {
    snprintf(name, sizeof name, "vector%d", i);
    // frames of the skin's rounded points are good to 1e-5; 16 bits near 2 have steps of 2^-9
    check_turned(strands, c.output[0], owners[i < 36 ? 0 : i % 3], name, i / 3 % 3 == 2 ? 0x1p-9 : 2e-5);
  }
  rv_test_cook_free(&c);
  rv_detail_free(skin);
  rv_detail_free(moved);
  rv_detail_free(strands);
}

static void wrong_input_is_told(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail *skin = rv_test_sphere(0.09, 10, 12), *other = rv_test_sphere(0.09, 10, 13), *strands = groom(skin);
  RvTestCook c = rv_test_cook("deform", "", 3, (const RvDetail*[]){strands, skin, other});
  CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, "topology");
  assert_null(c.output[0]);
  c = rv_test_cook("deform", "", 2, (const RvDetail*[]){strands, skin});
  CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, "animated skin");
  // strands that name no face stay, and are counted
  RvDetail* lost = rv_detail_copy(strands);
  int32_t* prim = rv_detail_i32_write(lost, RV_PRIM, "skinprim", 1, &error);
  prim[0] = -1;
  prim[7] = 100000;
  const double t[3] = {1, 0, 0};
  RvDetail* moved = moved_copy(skin, 0, t);
  c = rv_test_cook("deform", "", 3, (const RvDetail*[]){lost, skin, moved});
  CHECK_OK(c.result, c.error);
  assert_int_equal(c.nwarning, 1);
  assert_non_null(strstr(c.warnings, "2 of 300"));
  const float *A = rv_detail_f32(lost, RV_POINT, "P", 3), *B = rv_detail_f32(c.output[0], RV_POINT, "P", 3);
  assert_memory_equal(A, B, 30 * sizeof(float));
  CHECK_NEAR(B[30], A[30] + 1, 1e-6);
  rv_test_cook_free(&c);
  rv_detail_remove_attrib(lost, RV_PRIM, "skinprimuv");
  c = rv_test_cook("deform", "", 3, (const RvDetail*[]){lost, skin, moved});
  CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, "skinprimuv");
  rv_detail_free(skin);
  rv_detail_free(other);
  rv_detail_free(strands);
  rv_detail_free(lost);
  rv_detail_free(moved);
}

RV_TESTS(cmocka_unit_test(strands_follow_a_rigid_skin), cmocka_unit_test(same_skin_changes_nothing),
         cmocka_unit_test(unbound_strands_find_the_nearest_face), cmocka_unit_test(roots_go_with_a_stretched_skin),
         cmocka_unit_test(points_move_once), cmocka_unit_test(every_vector_turns),
         cmocka_unit_test(wrong_input_is_told))
