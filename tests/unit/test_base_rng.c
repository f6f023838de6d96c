#include "base/rng.h"
#include "support/rv_test.h"

// known answers of Philox4x32-10 from the authors' Random123 distribution (kat_vectors)
static void philox_known_answers(void** state) {
  (void)state;
  RvRandom4 zero = rv_philox((uint32_t[4]){0}, (uint32_t[2]){0});
  uint32_t expected0[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  assert_memory_equal(zero.v, expected0, sizeof expected0);
  uint32_t ones = 0xffffffff;
  RvRandom4 full = rv_philox((uint32_t[4]){ones, ones, ones, ones}, (uint32_t[2]){ones, ones});
  uint32_t expected1[4] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
  assert_memory_equal(full.v, expected1, sizeof expected1);
  RvRandom4 pi =
      rv_philox((uint32_t[4]){0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, (uint32_t[2]){0xa4093822, 0x299f31d0});
  uint32_t expected2[4] = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
  assert_memory_equal(pi.v, expected2, sizeof expected2);
}

// mean of n uniforms is 1/2 with a standard error of 1/sqrt(12 n); five of them
static void uniform_mean_and_range(void** state) {
  (void)state;
  enum { N = 100000 };
  double sum = 0;
  for (int i = 0; i < N; ++i) {
    double x = rv_random(7, 1, (uint64_t)i, i & 1);
    assert_true(x >= 0 && x < 1);
    sum += x;
  }
  CHECK_NEAR(sum / N, 0.5, 5 * 0.2887 / 316.2);
}

RV_TESTS(cmocka_unit_test(philox_known_answers), cmocka_unit_test(uniform_mean_and_range))
