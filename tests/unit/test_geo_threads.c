// A detail that many threads read, copy, write in their copies and free at once.
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/parallel.h"
#include "base/rng.h"
#include "rivulet/geo.h"
#include "support/rv_test.h"

enum { COPIES = 400, POINTS = 1000 };

static atomic_int wrong;

static void copy_and_write(void* arg, size_t begin, size_t end) {
  const RvDetail* shared = arg;
  for (size_t i = begin; i < end; ++i) {
    RvError error = {0};
    uint64_t before = rv_detail_hash(shared);
    RvDetail* own = rv_detail_copy(shared);
    float* p = own ? rv_detail_f32_write(own, RV_POINT, "P", 3, &error) : NULL;
    if (!p) {
      atomic_fetch_add(&wrong, 1);
      continue;
    }
    for (int k = 0; k < 3 * POINTS; ++k) p[k] = (float)i;
    RvAttrib* name = rv_detail_find_mutable(own, RV_POINT, "name");
    char text[32];
    snprintf(text, sizeof text, "copy %zu", i);
    bool fine = rv_attrib_set_string(name, 5, 0, text, &error) == RV_OK;
    fine = fine && rv_detail_add_points(own, 10, NULL, &error) == RV_OK;
    // its own are written, the shared ones are not
    fine = fine && rv_detail_f32(own, RV_POINT, "P", 3)[17] == (float)i;
    fine = fine && rv_detail_f32(shared, RV_POINT, "P", 3)[17] == -1;
    fine = fine && rv_detail_hash(shared) == before && rv_detail_hash(own) != before;
    fine = fine && rv_attrib_string(rv_detail_find(shared, RV_POINT, "name"), 5, 0)[0] == 's';
    if (!fine) atomic_fetch_add(&wrong, 1);
    rv_detail_free(own);
  }
}

static void copies_in_threads(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* shared = rv_detail_new();
  CHECK_OK(rv_detail_add_points(shared, POINTS, NULL, &error), error);
  float* p = rv_detail_f32_write(shared, RV_POINT, "P", 3, &error);
  for (int i = 0; i < 3 * POINTS; ++i) p[i] = -1;
  RvAttrib* name;
  CHECK_OK(rv_detail_add_attrib(shared, RV_POINT, "name", RV_STRING, 1, RV_TAG_NONE, &name, &error), error);
  for (size_t i = 0; i < POINTS; ++i) CHECK_OK(rv_attrib_set_string(name, i, 0, "shared", &error), error);
  uint64_t before = rv_detail_hash(shared);
  rv_threads_set(8);
  rv_parallel_for(COPIES, 1, copy_and_write, shared);
  rv_threads_set(0);
  assert_int_equal(atomic_load(&wrong), 0);
  assert_int_equal(rv_detail_hash(shared), before);
  CHECK_OK(rv_detail_check(shared, &error), error);
  rv_detail_free(shared);
}

// around the sizes at which the points are cut into parts; the point that counts may be anywhere
static void boxes_in_threads(void** state) {
  (void)state;
  static const size_t counts[] = {1, 2, 16383, 16384, 16385, 1048576, 1048577, 1200001};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
    RvError error = {0};
    RvDetail* d = rv_detail_new();
    size_t count = counts[k], outer[2] = {count - 1, count / 2};
    CHECK_OK(rv_detail_add_points(d, count, NULL, &error), error);
    float* p = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
    for (size_t i = 0; i < count; ++i) {
      RvRandom4 r = rv_random4(3, k, i);
      for (int c = 0; c < 3; ++c) p[3 * i + c] = (float)(r.v[c] >> 8) * 0x1p-24f;
    }
    p[3 * outer[0]] = 7;
    p[3 * outer[1] + 2] = -5;
    // points that are not finite do not count, with none of their coordinates
    if (count > 100) {
      memcpy(p + 30, ((float[]){INFINITY, 90, 90}), 12);
      memcpy(p + 60, ((float[]){-90, NAN, -90}), 12);
    }
    double naive_lo[3] = {INFINITY, INFINITY, INFINITY}, naive_hi[3] = {-INFINITY, -INFINITY, -INFINITY}, lo[3], hi[3];
    for (size_t i = 0; i < count; ++i) {
      if (!isfinite(p[3 * i]) || !isfinite(p[3 * i + 1])) continue;
      for (int c = 0; c < 3; ++c) {
        naive_lo[c] = fmin(naive_lo[c], p[3 * i + c]);
        naive_hi[c] = fmax(naive_hi[c], p[3 * i + c]);
      }
    }
    for (int threads = 1; threads <= 8; threads += 7) {
      rv_threads_set(threads);
      assert_true(rv_detail_bounds(d, lo, hi));
      assert_memory_equal(lo, naive_lo, sizeof lo);
      assert_memory_equal(hi, naive_hi, sizeof hi);
    }
    rv_threads_set(0);
    for (size_t i = 0; i < count; ++i) p[3 * i + 1] = NAN;
    assert_false(rv_detail_bounds(d, lo, hi));
    assert_true(lo[0] == 0 && hi[2] == 0);
    rv_detail_free(d);
  }
}

RV_TESTS(cmocka_unit_test(copies_in_threads), cmocka_unit_test(boxes_in_threads))
