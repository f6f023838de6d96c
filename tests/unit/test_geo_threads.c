// A detail that many threads read, copy, write in their copies and free at once.
#include <stdatomic.h>

#include "base/parallel.h"
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

RV_TESTS(cmocka_unit_test(copies_in_threads))
