#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/rng.h"
#include "support/rv_test.h"

enum { N = 100003 };
static double values[N];
static unsigned char visits[N];

static double sum_range(void* arg, size_t begin, size_t end) {
  (void)arg;
  double s = 0;
  for (size_t i = begin; i < end; ++i) s += values[i];
  return s;
}

static void count_visit(void* arg, size_t begin, size_t end) {
  (void)arg;
  for (size_t i = begin; i < end; ++i) visits[i]++;
}

// values over 40 decades, so that any other order of adding would show in the bits
static void same_bits_for_1_to_16_workers(void** state) {
  (void)state;
  for (int i = 0; i < N; ++i)
    values[i] = (rv_random(1, 0, (uint64_t)i, 0) - 0.5) * pow(10, 40 * rv_random(1, 0, (uint64_t)i, 1) - 20);
  const size_t grains[] = {1, 7, 64, 1000, 200000};
  for (size_t g = 0; g < sizeof grains / sizeof *grains; ++g) {
    rv_threads_set(1);
    double expected = rv_parallel_sum(N, grains[g], sum_range, NULL);
    for (int workers = 1; workers <= 16; ++workers) {
      rv_threads_set(workers);
      for (int repeat = 0; repeat < 3; ++repeat) {
        double got = rv_parallel_sum(N, grains[g], sum_range, NULL);
        assert_memory_equal(&got, &expected, sizeof got);
      }
    }
  }
}

static void every_index_once(void** state) {
  (void)state;
  for (int workers = 1; workers <= 16; workers += 5) {
    rv_threads_set(workers);
    memset(visits, 0, sizeof visits);
    rv_parallel_for(N, 97, count_visit, NULL);
    for (int i = 0; i < N; ++i) assert_int_equal(visits[i], 1);
  }
  rv_parallel_for(0, 1, count_visit, NULL);
}

static void outer(void* arg, size_t begin, size_t end) {
  double* out = arg;
  for (size_t i = begin; i < end; ++i) out[i] = rv_parallel_sum(N, 1000, sum_range, NULL);
}

static void nested_loops_give_the_same(void** state) {
  (void)state;
  rv_threads_set(4);
  double out[8], expected = rv_parallel_sum(N, 1000, sum_range, NULL);
  rv_parallel_for(8, 1, outer, out);
  for (int i = 0; i < 8; ++i) assert_memory_equal(&out[i], &expected, sizeof expected);
}

RV_TESTS(cmocka_unit_test(same_bits_for_1_to_16_workers), cmocka_unit_test(every_index_once),
         cmocka_unit_test(nested_loops_give_the_same))
