#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geo/detail.h"
#include "geo/half.h"
#include "support/rv_test.h"

static void new_detail_has_position_only(void** state) {
  (void)state;
  RvDetail* detail = rv_detail_new();
  assert_int_equal(rv_detail_count(detail, RV_POINT), 0);
  assert_int_equal(rv_detail_count(detail, RV_GLOBAL), 1);
  assert_int_equal(rv_detail_attrib_count(detail, RV_POINT), 1);
  const RvAttrib* position = rv_detail_attrib(detail, RV_POINT, 0);
  assert_string_equal(rv_attrib_name(position), "P");
  assert_int_equal(rv_attrib_storage(position), RV_F32);
  assert_int_equal(rv_attrib_size(position), 3);
  assert_int_equal(rv_attrib_tag(position), RV_TAG_POINT);
  // P cannot go
  rv_detail_remove_attrib(detail, RV_POINT, "P");
  assert_non_null(rv_detail_find(detail, RV_POINT, "P"));
  assert_int_equal(rv_detail_prim_start(detail)[0], 0);
  RvError error = {0};
  CHECK_OK(rv_detail_check(detail, &error), error);
  double lo[3], hi[3];
  assert_false(rv_detail_bounds(detail, lo, hi));
  rv_detail_free(detail);
}

static void curves_and_polygons(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* detail = rv_detail_new();
  size_t point, prim;
  CHECK_OK(rv_detail_add_points(detail, 4, &point, &error), error);
  assert_int_equal(point, 0);
  int32_t nvertex[2] = {3, 4}, points[7] = {0, 1, 2, 3, 2, 1, 0};
  CHECK_OK(rv_detail_add_polygons(detail, RV_PRIM_POLYGON, 2, nvertex, points, &prim, &error), error);
  assert_int_equal(prim, 0);
  CHECK_OK(rv_detail_add_curves(detail, 3, 5, &point, &prim, &error), error);
  assert_int_equal(point, 4);
  assert_int_equal(prim, 2);
  assert_int_equal(rv_detail_count(detail, RV_POINT), 19);
  assert_int_equal(rv_detail_count(detail, RV_VERTEX), 22);
  assert_int_equal(rv_detail_count(detail, RV_PRIM), 5);
  int32_t start[6] = {0, 3, 7, 12, 17, 22};
  assert_memory_equal(rv_detail_prim_start(detail), start, sizeof start);
  assert_int_equal(rv_detail_prim_type(detail, 1), RV_PRIM_POLYGON);
  assert_int_equal(rv_detail_prim_type(detail, 2), RV_PRIM_CURVE);
  assert_int_equal(rv_detail_vertex_point(detail)[7], 4);
  assert_int_equal(rv_detail_vertex_point(detail)[21], 18);
  CHECK_OK(rv_detail_check(detail, &error), error);
  rv_detail_free(detail);
}

static void bad_topology_is_refused(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* detail = rv_detail_new();
  CHECK_OK(rv_detail_add_points(detail, 3, NULL, &error), error);
  uint64_t before = rv_detail_hash(detail);
  int32_t three = 3, minus = -1, points[3] = {0, 1, 3}, low[3] = {0, -1, 2};
  CHECK_FAILS(rv_detail_add_polygons(detail, RV_PRIM_POLYGON, 1, &three, points, NULL, &error), RV_BAD_INPUT, error,
              "names point 3");
  CHECK_FAILS(rv_detail_add_polygons(detail, RV_PRIM_CURVE, 1, &three, low, NULL, &error), RV_BAD_INPUT, error,
              "point -1");
  CHECK_FAILS(rv_detail_add_polygons(detail, RV_PRIM_CURVE, 1, &minus, low, NULL, &error), RV_BAD_INPUT, error,
              "no number of vertices");
  CHECK_FAILS(rv_detail_add_polygons(detail, RV_PRIM_VDB, 0, NULL, NULL, NULL, &error), RV_BAD_INPUT, error, "neither");
  CHECK_FAILS(rv_detail_add_points(detail, (size_t)1 << 31, NULL, &error), RV_LIMIT, error, "more than a detail");
  CHECK_FAILS(rv_detail_add_points(detail, SIZE_MAX, NULL, &error), RV_LIMIT, error, "more than a detail");
  CHECK_FAILS(rv_detail_add_curves(detail, SIZE_MAX / 2, 5, NULL, NULL, &error), RV_LIMIT, error, "more than");
  CHECK_FAILS(rv_detail_add_vdb(detail, NULL, &error), RV_BAD_INPUT, error, "needs a grid");
  assert_int_equal(rv_detail_hash(detail), before);
  rv_detail_free(detail);
}

static void copies_share_until_written(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* a = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(a, 10, 4, NULL, NULL, &error), error);
  float* x = rv_detail_f32_write(a, RV_POINT, "P", 3, &error);
  for (int i = 0; i < 120; ++i) x[i] = (float)i;
  rv_detail_f32_write(a, RV_POINT, "v", 3, &error)[5] = 1;
  RvGroup* group;
  CHECK_OK(rv_detail_add_group(a, RV_PRIM, "wet", &group, &error), error);
  RvDetail* b = rv_detail_copy(a);
  assert_int_equal(rv_detail_hash(a), rv_detail_hash(b));
  // the same addresses before, other ones only where written
  assert_ptr_equal(rv_detail_f32(a, RV_POINT, "P", 3), rv_detail_f32(b, RV_POINT, "P", 3));
  assert_ptr_equal(rv_detail_vertex_point(a), rv_detail_vertex_point(b));
  rv_detail_f32_write(b, RV_POINT, "P", 3, &error)[7] = -1;
  assert_ptr_not_equal(rv_detail_f32(a, RV_POINT, "P", 3), rv_detail_f32(b, RV_POINT, "P", 3));
  assert_ptr_equal(rv_detail_f32(a, RV_POINT, "v", 3), rv_detail_f32(b, RV_POINT, "v", 3));
  CHECK_NEAR(rv_detail_f32(a, RV_POINT, "P", 3)[7], 7, 0);
  CHECK_NEAR(rv_detail_f32(b, RV_POINT, "P", 3)[7], -1, 0);
  CHECK_NEAR(rv_detail_f32(b, RV_POINT, "P", 3)[8], 8, 0);
  assert_int_not_equal(rv_detail_hash(a), rv_detail_hash(b));
  rv_detail_f32_write(b, RV_POINT, "P", 3, &error)[7] = 7;
  assert_int_equal(rv_detail_hash(a), rv_detail_hash(b));
  // groups and topology as well
  rv_group_write(rv_detail_find_group(b, RV_PRIM, "wet"))[3] = 1;
  assert_int_equal(rv_group_read(group)[3], 0);
  CHECK_OK(rv_detail_add_curves(b, 1, 2, NULL, NULL, &error), error);
  assert_int_equal(rv_detail_count(a, RV_PRIM), 10);
  assert_int_equal(rv_detail_prim_start(a)[10], 40);
  CHECK_OK(rv_detail_check(a, &error), error);
  CHECK_OK(rv_detail_check(b, &error), error);
  // writing the only holder does not copy
  rv_detail_free(b);
  const float* alone = rv_detail_f32(a, RV_POINT, "P", 3);
  assert_ptr_equal(rv_detail_f32_write(a, RV_POINT, "P", 3, &error), alone);
  rv_detail_free(a);
}

// a hash remembered while shared must not survive a write by the last holder
static void remembered_hash_is_forgotten(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* a = rv_detail_new();
  CHECK_OK(rv_detail_add_points(a, 100, NULL, &error), error);
  RvDetail* b = rv_detail_copy(a);
  uint64_t before = rv_detail_hash(a);
  rv_detail_free(b);
  rv_detail_f32_write(a, RV_POINT, "P", 3, &error)[0] = 1;
  assert_int_not_equal(rv_detail_hash(a), before);
  rv_detail_f32_write(a, RV_POINT, "P", 3, &error)[0] = 0;
  assert_int_equal(rv_detail_hash(a), before);
  rv_detail_free(a);
}

static void strings_are_interned(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* a = rv_detail_new();
  CHECK_OK(rv_detail_add_points(a, 1000, NULL, &error), error);
  RvAttrib* name;
  CHECK_OK(rv_detail_add_attrib(a, RV_POINT, "name", RV_STRING, 2, RV_TAG_NONE, &name, &error), error);
  assert_string_equal(rv_attrib_string(name, 999, 1), "");
  char text[32];
  for (int i = 0; i < 1000; ++i) {
    snprintf(text, sizeof text, "piece%d", i % 37);
    CHECK_OK(rv_attrib_set_string(name, (size_t)i, i & 1, text, &error), error);
  }
  assert_int_equal(rv_attrib_string_count(name), 37);
  assert_string_equal(rv_attrib_string(name, 999, 1), "piece0");
  assert_string_equal(rv_attrib_string(name, 999, 0), "");
  // a copy that learns a new text leaves the first one's table alone
  RvDetail* b = rv_detail_copy(a);
  RvAttrib* other = rv_detail_find_mutable(b, RV_POINT, "name");
  CHECK_OK(rv_attrib_set_string(other, 0, 0, "new", &error), error);
  assert_int_equal(rv_attrib_string_count(name), 37);
  assert_int_equal(rv_attrib_string_count(other), 38);
  assert_string_equal(rv_attrib_string(name, 0, 0), "piece0");
  assert_string_equal(rv_attrib_string(other, 0, 0), "new");
  // setting a text to itself and back gives the same hash, whatever the tables hold
  CHECK_OK(rv_attrib_set_string(other, 0, 0, rv_attrib_string(other, 37, 1), &error), error);
  assert_string_equal(rv_attrib_string(other, 0, 0), "piece0");
  assert_int_equal(rv_detail_hash(a), rv_detail_hash(b));
  CHECK_FAILS(rv_attrib_set_string(name, 1000, 0, "x", &error), RV_BAD_INPUT, error, "no element 1000");
  CHECK_FAILS(rv_attrib_set_string(name, 0, 2, "x", &error), RV_BAD_INPUT, error, "component 2");
  CHECK_FAILS(rv_attrib_set_string(rv_detail_find_mutable(a, RV_POINT, "P"), 0, 0, "x", &error), RV_BAD_INPUT, error,
              "numbers");
  assert_string_equal(rv_attrib_string(name, 5000, 0), "");
  assert_string_equal(rv_attrib_string_at(name, 37), "");
  assert_string_equal(rv_attrib_string_at(name, -1), "");
  rv_detail_free(a);
  rv_detail_free(b);
}

static void many_strings_stay_fast_and_right(void** state) {
  (void)state;
  enum { N = 50000 };
  RvError error = {0};
  RvDetail* a = rv_detail_new();
  CHECK_OK(rv_detail_add_points(a, N, NULL, &error), error);
  RvAttrib* name;
  CHECK_OK(rv_detail_add_attrib(a, RV_POINT, "s", RV_STRING, 1, RV_TAG_NONE, &name, &error), error);
  char text[32];
  for (int i = 0; i < N; ++i) {
    snprintf(text, sizeof text, "t%d", i);
    CHECK_OK(rv_attrib_set_string(name, (size_t)i, 0, text, &error), error);
  }
  for (int i = 0; i < N; i += 997) {
    snprintf(text, sizeof text, "t%d", i);
    assert_string_equal(rv_attrib_string(name, (size_t)i, 0), text);
  }
  rv_detail_free(a);
}

static void attributes_keep_their_kind(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* detail = rv_detail_new();
  CHECK_OK(rv_detail_add_points(detail, 2, NULL, &error), error);
  RvAttrib *first, *again;
  CHECK_OK(rv_detail_add_attrib(detail, RV_POINT, "a", RV_F16, 2, RV_TAG_NONE, &first, &error), error);
  CHECK_OK(rv_detail_add_attrib(detail, RV_POINT, "a", RV_F16, 2, RV_TAG_NONE, &again, &error), error);
  assert_ptr_equal(first, again);
  CHECK_FAILS(rv_detail_add_attrib(detail, RV_POINT, "a", RV_F32, 2, RV_TAG_NONE, &again, &error), RV_BAD_INPUT, error,
              "'a' is fpreal16 2");
  CHECK_FAILS(rv_detail_add_attrib(detail, RV_POINT, "a", RV_F16, 3, RV_TAG_NONE, &again, &error), RV_BAD_INPUT, error,
              "fpreal16 3 is wanted");
  CHECK_FAILS(rv_detail_add_attrib(detail, RV_POINT, "a", RV_F16, 2, RV_TAG_COLOR, &again, &error), RV_BAD_INPUT, error,
              "color");
  CHECK_FAILS(rv_detail_add_attrib(detail, RV_POINT, "", RV_F16, 2, RV_TAG_NONE, &again, &error), RV_BAD_INPUT, error,
              "empty");
  CHECK_FAILS(rv_detail_add_attrib(detail, RV_POINT, "b", RV_F16, 0, RV_TAG_NONE, &again, &error), RV_LIMIT, error,
              "0 components");
  CHECK_FAILS(rv_detail_add_attrib(detail, RV_POINT, "b", RV_F16, 1 << 20, RV_TAG_NONE, &again, &error), RV_LIMIT,
              error, "components");
  // the same name may belong to every owner
  CHECK_OK(rv_detail_add_attrib(detail, RV_GLOBAL, "a", RV_I64, 1, RV_TAG_NONE, &again, &error), error);
  assert_int_equal(rv_attrib_count(again), 1);
  assert_null(rv_detail_f32(detail, RV_POINT, "a", 2));
  assert_null(rv_detail_f32(detail, RV_POINT, "P", 4));
  assert_null(rv_detail_i32_write(detail, RV_POINT, "P", 3, &error));
  assert_int_equal(error.code, RV_BAD_INPUT);
  rv_detail_free(detail);
}

static void shorthands_know_the_names(void** state) {
  (void)state;
  static const struct {
    const char* name;
    int size;
    bool real;
    RvTag tag;
  } rows[] = {
      {"v", 3, true, RV_TAG_VECTOR},      {"w", 3, true, RV_TAG_VECTOR},    {"N", 3, true, RV_TAG_NORMAL},
      {"rest", 3, true, RV_TAG_POINT},    {"Cd", 3, true, RV_TAG_COLOR},    {"orient", 4, true, RV_TAG_QUATERNION},
      {"force", 3, true, RV_TAG_VECTOR},  {"wind", 3, true, RV_TAG_VECTOR}, {"accel", 3, true, RV_TAG_VECTOR},
      {"id", 1, false, RV_TAG_ID},        {"nextid", 1, false, RV_TAG_ID},  {"pscale", 1, true, RV_TAG_NONE},
      {"win", 3, true, RV_TAG_NONE},      {"ind", 3, true, RV_TAG_NONE},    {"v ", 3, true, RV_TAG_NONE},
      {"skinprim", 1, false, RV_TAG_NONE}};
  RvError error = {0};
  RvDetail* detail = rv_detail_new();
  CHECK_OK(rv_detail_add_points(detail, 2, NULL, &error), error);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (rows[i].real) {
      assert_non_null(rv_detail_f32_write(detail, RV_POINT, rows[i].name, rows[i].size, &error));
    } else {
      assert_non_null(rv_detail_i32_write(detail, RV_POINT, rows[i].name, rows[i].size, &error));
    }
    assert_int_equal(rv_attrib_tag(rv_detail_find(detail, RV_POINT, rows[i].name)), rows[i].tag);
  }
  // points that nobody turned have the identity
  const float* orient = rv_detail_f32(detail, RV_POINT, "orient", 4);
  CHECK_NEAR(orient[3], 1, 0);
  CHECK_OK(rv_detail_add_points(detail, 1, NULL, &error), error);
  orient = rv_detail_f32(detail, RV_POINT, "orient", 4);
  CHECK_NEAR(orient[8], 0, 0);
  CHECK_NEAR(orient[11], 1, 0);
  rv_detail_free(detail);
}

static void new_elements_get_defaults(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* detail = rv_detail_new();
  RvAttrib* attrib;
  CHECK_OK(rv_detail_add_attrib(detail, RV_POINT, "d", RV_F64, 2, RV_TAG_NONE, &attrib, &error), error);
  double tuple[2] = {0.1, -3};
  CHECK_OK(rv_attrib_set_default(attrib, tuple, &error), error);
  for (int i = 0; i < 100; ++i) CHECK_OK(rv_detail_add_points(detail, 1, NULL, &error), error);
  for (size_t i = 0; i < 100; ++i) {
    CHECK_NEAR(rv_attrib_get(attrib, i, 0), 0.1, 0);
    CHECK_NEAR(rv_attrib_get(attrib, i, 1), -3, 0);
  }
  CHECK_NEAR(rv_attrib_get(attrib, 100, 0), 0, 0);
  CHECK_NEAR(rv_attrib_get(attrib, 0, 2), 0, 0);
  RvAttrib* text;
  CHECK_OK(rv_detail_add_attrib(detail, RV_POINT, "t", RV_STRING, 1, RV_TAG_NONE, &text, &error), error);
  int32_t wrong = 4;
  CHECK_FAILS(rv_attrib_set_default(text, &wrong, &error), RV_BAD_INPUT, error, "no text 4");
  rv_detail_free(detail);
}

// every number of every storage reads back as what was written
static void numbers_of_every_storage(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* detail = rv_detail_new();
  CHECK_OK(rv_detail_add_points(detail, 1, NULL, &error), error);
  RvAttrib* a[RV_STORAGE_COUNT];
  for (int s = 0; s < RV_STRING; ++s) {
    CHECK_OK(rv_detail_add_attrib(detail, RV_POINT, rv_storage_name(s), s, 1, RV_TAG_NONE, &a[s], &error), error);
    assert_int_equal(rv_storage_bytes(s) * 1, a[s]->values->bytes);
  }
  *(uint16_t*)rv_attrib_write(a[RV_F16]) = 0x3555;  // the half nearest to 1/3
  *(float*)rv_attrib_write(a[RV_F32]) = 0.1f;
  *(double*)rv_attrib_write(a[RV_F64]) = 0.1;
  *(int8_t*)rv_attrib_write(a[RV_I8]) = -128;
  *(int32_t*)rv_attrib_write(a[RV_I32]) = INT32_MIN;
  *(int64_t*)rv_attrib_write(a[RV_I64]) = INT64_C(1) << 53;
  CHECK_NEAR(rv_attrib_get(a[RV_F16], 0, 0), 0.333251953125, 0);
  CHECK_NEAR(rv_attrib_get(a[RV_F32], 0, 0), (double)0.1f, 0);
  CHECK_NEAR(rv_attrib_get(a[RV_F64], 0, 0), 0.1, 0);
  CHECK_NEAR(rv_attrib_get(a[RV_I8], 0, 0), -128, 0);
  CHECK_NEAR(rv_attrib_get(a[RV_I32], 0, 0), INT32_MIN, 0);
  CHECK_NEAR(rv_attrib_get(a[RV_I64], 0, 0), 9007199254740992.0, 0);
  rv_detail_free(detail);
}

// all 65536 halves survive float and back; known roundings
static void halves(void** state) {
  (void)state;
  for (uint32_t h = 0; h < 65536; ++h) {
    float f = rv_half_to_float((uint16_t)h);
    if (isnan(f)) {
      assert_true((h & 0x7c00) == 0x7c00 && (h & 0x3ff));
      assert_true(isnan(rv_half_to_float(rv_half_from_float(f))));
    } else {
      assert_int_equal(rv_half_from_float(f), h);
    }
  }
  assert_int_equal(rv_half_from_float(65504), 0x7bff);
  assert_int_equal(rv_half_from_float(65519.996f), 0x7bff);
  assert_int_equal(rv_half_from_float(65520), 0x7c00);
  assert_int_equal(rv_half_from_float(1 + 0x1p-11f), 0x3c00);      // a tie goes to the even one below
  assert_int_equal(rv_half_from_float(1 + 3 * 0x1p-11f), 0x3c02);  // and to the even one above
  assert_int_equal(rv_half_from_float(0x1p-24f), 1);
  assert_int_equal(rv_half_from_float(0x1p-25f), 0);
  assert_int_equal(rv_half_from_float(0x1.8p-25f), 1);
  assert_int_equal(rv_half_from_float(-0.0f), 0x8000);
}

static void hash_sees_everything(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* base = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(base, 3, 3, NULL, NULL, &error), error);
  RvAttrib* attrib;
  CHECK_OK(rv_detail_add_attrib(base, RV_PRIM, "x", RV_I32, 1, RV_TAG_NONE, &attrib, &error), error);
  CHECK_OK(rv_detail_add_group(base, RV_POINT, "g", NULL, &error), error);
  uint64_t seen[16], count = 0;
  seen[count++] = rv_detail_hash(base);
  for (int change = 0; change < 11; ++change) {
    RvDetail* d = rv_detail_copy(base);
    RvAttrib* x = rv_detail_find_mutable(d, RV_PRIM, "x");
    int32_t one = 1, three = 3, back[3] = {2, 1, 0};
    switch (change) {
      case 0:
        *(int32_t*)rv_attrib_write(x) = 1;
        break;
      case 1:
        CHECK_OK(rv_attrib_set_default(x, &one, &error), error);
        break;
      case 2:
        x->tag = RV_TAG_ID;
        break;
      case 3:
        rv_detail_remove_attrib(d, RV_PRIM, "x");
        break;
      case 4:
        rv_group_write(rv_detail_find_group(d, RV_POINT, "g"))[8] = 1;
        break;
      case 5:
        rv_detail_remove_group(d, RV_POINT, "g");
        break;
      case 6:
        CHECK_OK(rv_detail_add_points(d, 1, NULL, &error), error);
        break;
      case 7:
        CHECK_OK(rv_detail_add_polygons(d, RV_PRIM_CURVE, 1, &three, back, NULL, &error), error);
        break;
      case 8:
        CHECK_OK(rv_detail_add_polygons(d, RV_PRIM_POLYGON, 1, &three, back, NULL, &error), error);
        break;
      case 9:
        CHECK_OK(rv_detail_add_group(d, RV_PRIM, "g", NULL, &error), error);
        break;
      case 10:
        CHECK_OK(rv_detail_add_attrib(d, RV_GLOBAL, "y", RV_STRING, 1, RV_TAG_NONE, NULL, &error), error);
        break;
    }
    seen[count] = rv_detail_hash(d);
    for (uint64_t k = 0; k < count; ++k) assert_int_not_equal(seen[k], seen[count]);
    ++count;
    rv_detail_free(d);
  }
  // the order of adding is no content
  RvDetail* d = rv_detail_copy(base);
  CHECK_OK(rv_detail_add_attrib(base, RV_POINT, "q", RV_F32, 1, RV_TAG_NONE, NULL, &error), error);
  CHECK_OK(rv_detail_add_attrib(base, RV_POINT, "r", RV_F32, 1, RV_TAG_NONE, NULL, &error), error);
  CHECK_OK(rv_detail_add_attrib(d, RV_POINT, "r", RV_F32, 1, RV_TAG_NONE, NULL, &error), error);
  CHECK_OK(rv_detail_add_attrib(d, RV_POINT, "q", RV_F32, 1, RV_TAG_NONE, NULL, &error), error);
  assert_int_equal(rv_detail_hash(base), rv_detail_hash(d));
  rv_detail_free(d);
  rv_detail_free(base);
}

static void check_finds_faults(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* detail = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(detail, 2, 3, NULL, NULL, &error), error);
  RvGroup* group;
  CHECK_OK(rv_detail_add_group(detail, RV_POINT, "g", &group, &error), error);
  rv_group_write(group)[2] = 7;
  CHECK_FAILS(rv_detail_check(detail, &error), RV_BAD_INPUT, error, "group 'g' holds 7 at element 2");
  rv_group_write(group)[2] = 0;
  ((int32_t*)detail->vertex_point->data)[4] = 6;
  CHECK_FAILS(rv_detail_check(detail, &error), RV_BAD_INPUT, error, "vertex 4 names point 6");
  ((int32_t*)detail->vertex_point->data)[4] = 4;
  ((int32_t*)detail->prim_start->data)[1] = 9;
  CHECK_FAILS(rv_detail_check(detail, &error), RV_BAD_INPUT, error, "primitive 0");
  ((int32_t*)detail->prim_start->data)[1] = 3;
  ((uint8_t*)detail->prim_type->data)[1] = RV_PRIM_VDB;
  CHECK_FAILS(rv_detail_check(detail, &error), RV_BAD_INPUT, error, "primitive 1");
  ((uint8_t*)detail->prim_type->data)[1] = RV_PRIM_CURVE;
  RvAttrib* text;
  CHECK_OK(rv_detail_add_attrib(detail, RV_PRIM, "t", RV_STRING, 1, RV_TAG_NONE, &text, &error), error);
  ((int32_t*)rv_attrib_write(text))[1] = 0;
  CHECK_FAILS(rv_detail_check(detail, &error), RV_BAD_INPUT, error, "'t' names text 0");
  rv_detail_free(detail);
}

static void* copied(const void* bytes, size_t count) {
  void* memory = rv_alloc(count, 1);
  return memcpy(memory, bytes, count);
}

static void bulk_ways_in(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* detail = rv_detail_new();
  int32_t points[5] = {0, 1, 2, 2, 3}, start[3] = {0, 3, 5}, bad[3] = {0, 6, 5};
  uint8_t type[2] = {RV_PRIM_POLYGON, RV_PRIM_CURVE};
  CHECK_FAILS(rv_detail_set_topology(detail, 4, 5, 2, copied(points, 20), copied(bad, 12), copied(type, 2), &error),
              RV_BAD_INPUT, error, "primitive 0 has vertices 0 to 6");
  CHECK_FAILS(rv_detail_set_topology(detail, 3, 5, 2, copied(points, 20), copied(start, 12), copied(type, 2), &error),
              RV_BAD_INPUT, error, "vertex 4 names point 3");
  CHECK_FAILS(rv_detail_set_topology(detail, 4, 5, 0, copied(points, 20), NULL, NULL, &error), RV_BAD_INPUT, error,
              "belong to no primitive");
  CHECK_OK(rv_detail_set_topology(detail, 4, 5, 2, copied(points, 20), copied(start, 12), copied(type, 2), &error),
           error);
  CHECK_FAILS(rv_detail_set_topology(detail, 4, 0, 0, NULL, NULL, NULL, &error), RV_INTERNAL, error, "already");
  float p[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  float* adopted = copied(p, sizeof p);
  RvAttrib* attrib;
  CHECK_OK(rv_detail_adopt_attrib(detail, RV_POINT, "P", RV_F32, 3, RV_TAG_POINT, adopted, &attrib, &error), error);
  assert_ptr_equal(rv_detail_f32(detail, RV_POINT, "P", 3), adopted);
  int64_t id[2] = {5, INT64_MAX};
  CHECK_OK(rv_detail_adopt_attrib(detail, RV_PRIM, "id", RV_I64, 1, RV_TAG_ID, copied(id, 16), &attrib, &error), error);
  CHECK_FAILS(rv_detail_adopt_attrib(detail, RV_PRIM, "id", RV_I64, 1, RV_TAG_ID, copied(id, 16), &attrib, &error),
              RV_BAD_INPUT, error, "two prim attributes named 'id'");
  // a table with a text twice and an empty one is made distinct
  const char* table[4] = {"a", "b", "a", ""};
  int32_t index[4] = {2, 1, 3, -7}, over[4] = {0, 0, 0, 4};
  CHECK_OK(rv_detail_adopt_strings(detail, RV_POINT, "s", 1, copied(index, 16), table, 4, &attrib, &error), error);
  assert_int_equal(rv_attrib_string_count(attrib), 2);
  assert_string_equal(rv_attrib_string(attrib, 0, 0), "a");
  assert_string_equal(rv_attrib_string(attrib, 1, 0), "b");
  assert_string_equal(rv_attrib_string(attrib, 2, 0), "");
  assert_string_equal(rv_attrib_string(attrib, 3, 0), "");
  CHECK_FAILS(rv_detail_adopt_strings(detail, RV_POINT, "u", 1, copied(over, 16), table, 4, &attrib, &error),
              RV_BAD_INPUT, error, "names text 4");
  uint8_t mask[4] = {0, 3, 1, 0};
  CHECK_OK(rv_detail_adopt_group(detail, RV_POINT, "g", copied(mask, 4), &error), error);
  assert_int_equal(rv_group_read(rv_detail_find_group(detail, RV_POINT, "g"))[1], 1);
  CHECK_FAILS(rv_detail_adopt_group(detail, RV_POINT, "g", copied(mask, 4), &error), RV_BAD_INPUT, error, "two");
  CHECK_OK(rv_detail_check(detail, &error), error);
  rv_detail_free(detail);
}

static void names_are_limited(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* detail = rv_detail_new();
  char name[RV_GEO_MAX_NAME + 2];
  memset(name, 'n', sizeof name);
  name[sizeof name - 1] = 0;
  CHECK_FAILS(rv_detail_add_attrib(detail, RV_POINT, name, RV_F32, 1, RV_TAG_NONE, NULL, &error), RV_LIMIT, error,
              "longer");
  CHECK_FAILS(rv_detail_add_group(detail, RV_POINT, "", NULL, &error), RV_BAD_INPUT, error, "empty");
  CHECK_FAILS(rv_detail_add_group(detail, RV_GLOBAL, "g", NULL, &error), RV_BAD_INPUT, error, "points, vertices");
  RvResult result = RV_OK;
  for (int i = 0; !result && i <= RV_GEO_MAX_NAMES; ++i) {
    snprintf(name, sizeof name, "g%d", i);
    result = rv_detail_add_group(detail, RV_POINT, name, NULL, &error);
  }
  CHECK_FAILS(result, RV_LIMIT, error, "more than 8192 point groups");
  rv_detail_free(detail);
}

RV_TESTS(cmocka_unit_test(new_detail_has_position_only), cmocka_unit_test(curves_and_polygons),
         cmocka_unit_test(bad_topology_is_refused), cmocka_unit_test(copies_share_until_written),
         cmocka_unit_test(remembered_hash_is_forgotten), cmocka_unit_test(strings_are_interned),
         cmocka_unit_test(many_strings_stay_fast_and_right), cmocka_unit_test(attributes_keep_their_kind),
         cmocka_unit_test(shorthands_know_the_names), cmocka_unit_test(new_elements_get_defaults),
         cmocka_unit_test(numbers_of_every_storage), cmocka_unit_test(halves), cmocka_unit_test(hash_sees_everything),
         cmocka_unit_test(check_finds_faults), cmocka_unit_test(bulk_ways_in), cmocka_unit_test(names_are_limited))
