// Counter-based random numbers: pure functions of (seed, stream, counter), so that the order of calls does not matter.
// Philox4x32-10 of Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3".
#ifndef RV_BASE_RNG_H
#define RV_BASE_RNG_H

#include "rivulet/base.h"

typedef struct RvRandom4 {
  uint32_t v[4];  // independent, uniform
} RvRandom4;

// Four random words.
RvRandom4 rv_random4(uint64_t seed, uint64_t stream, uint64_t counter);
// A uniform number in [0, 1) with 53 bits; `lane` 0 or 1 selects one of the two numbers of a counter.
double rv_random(uint64_t seed, uint64_t stream, uint64_t counter, int lane);
// Philox itself, exposed for the test against its published results.
RvRandom4 rv_philox(const uint32_t counter[4], const uint32_t key[2]);

#endif
