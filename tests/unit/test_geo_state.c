#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "rivulet/state.h"
#include "support/rv_test.h"

// The hash of a state of one part.
static uint64_t hash_of(const RvDetail* detail, const RvFieldDef* fields, size_t count) {
  return rv_state_hash(&(RvState){{(RvDetail*)detail}}, fields, count);
}

static const RvFieldDef FIELDS[] = {
    RV_FIELD("P", RV_POINT, RV_F32, 3, RV_TAG_POINT, "", "m", "advance", true, "position"),
    RV_FIELD("rv_x64", RV_POINT, RV_F64, 3, RV_TAG_NONE, "", "m", "advance", true, "position in full"),
    RV_FIELD("rv_twist", RV_VERTEX, RV_F64, 1, RV_TAG_NONE, "", "", "advance", true, "twist"),
    RV_FIELD("rv_link", RV_PRIM, RV_I32, 2, RV_TAG_NONE, "", "", "contact", true, "links"),
    RV_FIELD("rv_nextid", RV_GLOBAL, RV_I64, 1, RV_TAG_NONE, "", "", "seed", true, "counter"),
    RV_FIELD("rv_flag", RV_POINT, RV_I8, 1, RV_TAG_NONE, "", "", "seed", true, "flag"),
    RV_FIELD("rv_half", RV_POINT, RV_F16, 3, RV_TAG_NONE, "", "", "seed", true, "coarse"),
    RV_FIELD("rv_derived", RV_POINT, RV_F64, 1, RV_TAG_NONE, "", "", "build", false, "rebuilt"),
};
enum { NFIELD = sizeof FIELDS / sizeof *FIELDS };

// a state whose every byte is random
static RvDetail* random_state(void) {
  RvError error = {0};
  RvDetail* detail = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(detail, 3, 4, NULL, NULL, &error), error);
  CHECK_OK(rv_state_prepare(detail, FIELDS, NFIELD, &error), error);
  uint64_t counter = 0;
  for (int i = 0; i < NFIELD; ++i) {
    RvAttrib* attrib = rv_detail_find_mutable(detail, FIELDS[i].owner, FIELDS[i].name);
    if (!FIELDS[i].saved) continue;
    size_t bytes = rv_attrib_count(attrib) * (size_t)FIELDS[i].size * rv_storage_bytes(FIELDS[i].storage);
    uint8_t* data = rv_attrib_write(attrib);
    for (size_t b = 0; b < bytes; ++b) data[b] = (uint8_t)rv_random4(11, 0, counter++).v[0];
  }
  return detail;
}

static void prepare_adds_saved_fields(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* detail = random_state();
  assert_null(rv_detail_find(detail, RV_POINT, "rv_derived"));
  assert_non_null(rv_detail_f64(detail, RV_POINT, "rv_x64", 3));
  assert_int_equal(rv_detail_i32(detail, RV_GLOBAL, RV_STATE_VERSION, 1)[0], RV_STATE_SCHEMA);
  CHECK_OK(rv_state_check(detail, FIELDS, NFIELD, &error), error);
  // a second time changes nothing
  uint64_t before = rv_detail_hash(detail);
  CHECK_OK(rv_state_prepare(detail, FIELDS, NFIELD, &error), error);
  assert_int_equal(rv_detail_hash(detail), before);
  rv_detail_free(detail);
}

static void check_names_the_field(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* plain = rv_detail_new();
  CHECK_FAILS(rv_state_check(plain, FIELDS, NFIELD, &error), RV_BAD_INPUT, error, "no solver state");
  rv_detail_free(plain);
  for (int i = 1; i < NFIELD; ++i) {
    if (!FIELDS[i].saved) continue;
    RvDetail* detail = random_state();
    rv_detail_remove_attrib(detail, FIELDS[i].owner, FIELDS[i].name);
    CHECK_FAILS(rv_state_check(detail, FIELDS, NFIELD, &error), RV_BAD_INPUT, error, FIELDS[i].name);
    // the same name with another size, then with another storage
    RvStorage other = FIELDS[i].storage == RV_F32 ? RV_F64 : RV_F32;
    CHECK_OK(
        rv_detail_add_attrib(detail, FIELDS[i].owner, FIELDS[i].name, FIELDS[i].storage, 5, RV_TAG_NONE, NULL, &error),
        error);
    CHECK_FAILS(rv_state_check(detail, FIELDS, NFIELD, &error), RV_BAD_INPUT, error, FIELDS[i].name);
    CHECK_FAILS(rv_state_prepare(detail, FIELDS, NFIELD, &error), RV_BAD_INPUT, error, FIELDS[i].name);
    rv_detail_remove_attrib(detail, FIELDS[i].owner, FIELDS[i].name);
    CHECK_OK(
        rv_detail_add_attrib(detail, FIELDS[i].owner, FIELDS[i].name, other, FIELDS[i].size, RV_TAG_NONE, NULL, &error),
        error);
    CHECK_FAILS(rv_state_check(detail, FIELDS, NFIELD, &error), RV_BAD_INPUT, error, FIELDS[i].name);
    rv_detail_free(detail);
  }
  // states of a later and of an earlier schema are refused
  for (int other = RV_STATE_SCHEMA - 1; other <= RV_STATE_SCHEMA + 1; other += 2) {
    RvDetail* stranger = random_state();
    rv_detail_i32_write(stranger, RV_GLOBAL, RV_STATE_VERSION, 1, &error)[0] = other;
    CHECK_FAILS(rv_state_check(stranger, FIELDS, NFIELD, &error), RV_UNSUPPORTED, error, "schema");
    rv_detail_free(stranger);
  }
}

// every bit of every saved field counts, one at a time
static void any_flipped_bit_is_seen(void** state) {
  (void)state;
  RvDetail* detail = random_state();
  uint64_t before = hash_of(detail, FIELDS, NFIELD);
  size_t flips = 0;
  for (int i = 0; i < NFIELD; ++i) {
    if (!FIELDS[i].saved) continue;
    RvAttrib* attrib = rv_detail_find_mutable(detail, FIELDS[i].owner, FIELDS[i].name);
    size_t bytes = rv_attrib_count(attrib) * (size_t)FIELDS[i].size * rv_storage_bytes(FIELDS[i].storage);
    for (size_t bit = 0; bit < bytes * 8; ++bit, ++flips) {
      uint8_t* data = rv_attrib_write(attrib);
      data[bit / 8] ^= (uint8_t)(1 << bit % 8);
      assert_int_not_equal(hash_of(detail, FIELDS, NFIELD), before);
      data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
  }
  assert_int_equal(hash_of(detail, FIELDS, NFIELD), before);
  // 12 points of 12 + 24 + 1 + 6 bytes, 12 vertices of 8, 3 primitives of 8, 8 of the detail
  assert_int_equal(flips, 8 * (12 * 43 + 12 * 8 + 3 * 8 + 8));
  rv_detail_free(detail);
}

static void topology_counts_and_strangers(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* detail = random_state();
  uint64_t before = hash_of(detail, FIELDS, NFIELD);
  // what is no state does not count
  rv_detail_f32_write(detail, RV_POINT, "Cd", 3, &error)[0] = 1;
  assert_int_equal(hash_of(detail, FIELDS, NFIELD), before);
  int32_t two = 2, points[2] = {0, 1};
  CHECK_OK(rv_detail_add_polygons(detail, RV_PRIM_CURVE, 1, &two, points, NULL, &error), error);
  assert_int_not_equal(hash_of(detail, FIELDS, NFIELD), before);
  rv_detail_free(detail);
}

// a part is there whole or not at all, and what is not there changes no hash
static void parts_may_be_absent(void** state) {
  (void)state;
  static const RvFieldDef parts[] = {
      RV_FIELD("rv_a", RV_POINT, RV_F64, 1, RV_TAG_NONE, "", "", "", true, "always"),
      RV_FIELD("rv_b", RV_POINT, RV_F64, 1, RV_TAG_NONE, "liquid", "", "", true, "one of the part"),
      RV_FIELD("rv_c", RV_GLOBAL, RV_F64, 2, RV_TAG_NONE, "liquid", "", "", true, "the other"),
  };
  RvError error = {0};
  RvDetail* detail = rv_detail_new();
  CHECK_OK(rv_state_prepare(detail, parts, 1, &error), error);
  CHECK_OK(rv_state_check(detail, parts, 3, &error), error);
  uint64_t alone = hash_of(detail, parts, 1);
  assert_int_equal(hash_of(detail, parts, 3), alone);
  CHECK_OK(rv_state_prepare(detail, parts, 2, &error), error);
  CHECK_FAILS(rv_state_check(detail, parts, 3, &error), RV_BAD_INPUT, error, "rv_c");
  CHECK_OK(rv_state_prepare(detail, parts, 3, &error), error);
  CHECK_OK(rv_state_check(detail, parts, 3, &error), error);
  assert_int_not_equal(hash_of(detail, parts, 3), alone);
  rv_detail_free(detail);
}

static void strip_leaves_the_artists_names(void** state) {
  (void)state;
  RvError error = {0};
  // what cameras, lamps, looks and sources are is no state of a solver; a list of sources that a solver met is
  static const char* const shared[] = {"rv_cam_fov", "rv_light_kind", "rv_look_water", "rv_source_mode"};
  RvDetail* detail = random_state();
  rv_detail_f32_write(detail, RV_POINT, "v", 3, &error);
  rv_detail_f32_write(detail, RV_POINT, "rvx", 1, &error);
  CHECK_OK(rv_detail_add_group(detail, RV_PRIM, "rv_awake", NULL, &error), error);
  CHECK_OK(rv_detail_add_group(detail, RV_PRIM, "wet", NULL, &error), error);
  for (size_t i = 0; i < sizeof shared / sizeof *shared; ++i)
    rv_detail_f32_write(detail, RV_PRIM, shared[i], 1, &error);
  rv_detail_f64_write(detail, RV_GLOBAL, "rv_sources", 2, &error);
  uint64_t before = rv_detail_hash(detail);
  rv_state_strip(detail, true);
  assert_int_equal(rv_detail_hash(detail), before);
  rv_state_strip(detail, false);
  assert_int_equal(rv_detail_attrib_count(detail, RV_POINT), 3);
  assert_non_null(rv_detail_find(detail, RV_POINT, "rvx"));
  assert_int_equal(rv_detail_attrib_count(detail, RV_GLOBAL), 0);
  assert_int_equal(rv_detail_attrib_count(detail, RV_VERTEX), 0);
  assert_null(rv_detail_find_group(detail, RV_PRIM, "rv_awake"));
  assert_non_null(rv_detail_find_group(detail, RV_PRIM, "wet"));
  for (size_t i = 0; i < sizeof shared / sizeof *shared; ++i)
    if (!rv_detail_find(detail, RV_PRIM, shared[i])) fail_msg("%s was stripped", shared[i]);
  CHECK_OK(rv_detail_check(detail, &error), error);
  rv_detail_free(detail);
}

static void edits_win(void** state) {
  (void)state;
  enum { N = 1000 };
  double exact[3 * N], kept[3 * N], origin[3] = {1e4, 0, -2.5e3};
  float shown[3 * N];
  for (int i = 0; i < 3 * N; ++i) {
    exact[i] = rv_random(3, 0, (uint64_t)i, 0) - 0.5;
    shown[i] = (float)(origin[i % 3] + exact[i]);
  }
  memcpy(kept, exact, sizeof exact);
  // untouched: nothing changes, not even the digits that a float cannot show
  assert_int_equal(rv_state_reconcile(shown, exact, N, 3, origin), 0);
  assert_memory_equal(exact, kept, sizeof exact);
  // two numbers of one point and one of another
  shown[30] = 10001.5f;
  shown[31] = 7;
  shown[2 * 3 + 2] = -2500;
  assert_int_equal(rv_state_reconcile(shown, exact, N, 3, origin), 2);
  CHECK_NEAR(exact[30], 1.5, 0);
  CHECK_NEAR(exact[31], 7, 0);
  CHECK_NEAR(exact[32], kept[32], 0);
  CHECK_NEAR(exact[8], 0, 0);
  assert_int_equal(rv_state_reconcile(shown, exact, N, 3, origin), 0);
  // NaN in both is no edit; NaN put in is one
  double one[2] = {NAN, 1};
  float seen[2] = {NAN, NAN};
  assert_int_equal(rv_state_reconcile(seen, one, 2, 1, NULL), 1);
  assert_true(isnan(one[1]));
}

// a list may be absent, has any length, and counts in the hash
static void lists_are_optional(void** state) {
  (void)state;
  RvError error = {0};
  const RvFieldDef fields[] = {
      RV_FIELD("rv_x64", RV_POINT, RV_F64, 3, RV_TAG_NONE, "", "m", "advance", true, "position in full"),
      RV_FIELD("rv_list", RV_GLOBAL, RV_F64, 0, RV_TAG_NONE, "", "", "contact", true, "rows"),
  };
  RvDetail* detail = rv_detail_new();
  CHECK_OK(rv_state_prepare(detail, fields, 2, &error), error);
  assert_null(rv_detail_find(detail, RV_GLOBAL, "rv_list"));
  CHECK_OK(rv_state_check(detail, fields, 2, &error), error);
  uint64_t before = hash_of(detail, fields, 2);
  double* rows = rv_detail_f64_write(detail, RV_GLOBAL, "rv_list", 8, &error);
  assert_non_null(rows);
  for (int i = 0; i < 8; ++i) rows[i] = i;
  CHECK_OK(rv_state_check(detail, fields, 2, &error), error);
  uint64_t after = hash_of(detail, fields, 2);
  assert_true(after != before);
  rv_detail_f64_write(detail, RV_GLOBAL, "rv_list", 8, &error)[5] = -5;
  assert_true(hash_of(detail, fields, 2) != after);
  rv_detail_remove_attrib(detail, RV_GLOBAL, "rv_list");
  assert_non_null(rv_detail_i32_write(detail, RV_GLOBAL, "rv_list", 1, &error));
  CHECK_FAILS(rv_state_check(detail, fields, 2, &error), RV_BAD_INPUT, error, "rv_list");
  rv_detail_free(detail);
}

// Fields that their rows lay out come back with the same bits; one of another kind is named.
static void rows_load_and_save(void** state) {
  (void)state;
  typedef struct Data {
    double* x;
    int32_t* mark;
    double sum[2];
  } Data;
  static const RvFieldDef rows[] = {
      RV_FIELD_OF(Data, x, "rv_rowx", RV_POINT, RV_F64, 3, RV_LAYOUT_ARRAY, "", "m", "s", "Place."),
      RV_FIELD_OF(Data, mark, "rv_mark", RV_POINT, RV_I32, 1, RV_LAYOUT_ARRAY, "", "", "s", "Mark."),
      RV_FIELD_OF(Data, sum, "rv_sum", RV_GLOBAL, RV_F64, 2, RV_LAYOUT_NUMBERS, "", "", "s", "Sums.")};
  enum { ROWS = sizeof rows / sizeof *rows };
  RvError error = {0};
  RvDetail* d = random_state();
  size_t n = rv_detail_count(d, RV_POINT);
  Data first = {0}, second = {0};
  CHECK_OK(rv_state_prepare(d, rows, ROWS, &error), error);
  CHECK_OK(rv_state_load(d, rows, ROWS, &first, &error), error);
  for (size_t i = 0; i < 3 * n; ++i) first.x[i] = 1.0 / (double)(i + 3);
  for (size_t i = 0; i < n; ++i) first.mark[i] = (int32_t)i - 2;
  first.sum[1] = 0.1;
  CHECK_OK(rv_state_save(d, rows, ROWS, &first, &error), error);
  CHECK_OK(rv_state_load(d, rows, ROWS, &second, &error), error);
  assert_memory_equal(first.x, second.x, 3 * n * sizeof(double));
  assert_memory_equal(first.mark, second.mark, n * sizeof(int32_t));
  assert_memory_equal(first.sum, second.sum, sizeof first.sum);
  rv_state_release(rows, ROWS, &first);
  rv_state_release(rows, ROWS, &second);
  rv_detail_remove_attrib(d, RV_POINT, "rv_mark");
  CHECK_FAILS(rv_state_load(d, rows, ROWS, &second, &error), RV_BAD_INPUT, error, "rv_mark");
  rv_state_release(rows, ROWS, &second);
  rv_detail_free(d);
}

RV_TESTS(cmocka_unit_test(rows_load_and_save), cmocka_unit_test(lists_are_optional),
         cmocka_unit_test(prepare_adds_saved_fields), cmocka_unit_test(check_names_the_field),
         cmocka_unit_test(any_flipped_bit_is_seen), cmocka_unit_test(topology_counts_and_strangers),
         cmocka_unit_test(parts_may_be_absent), cmocka_unit_test(strip_leaves_the_artists_names),
         cmocka_unit_test(edits_win))
