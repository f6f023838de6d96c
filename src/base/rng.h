// Counter-based random numbers: a pure function of (seed, stream, counter), so no order of calls matters.
// Philox4x32-10, Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3".
#ifndef RV_BASE_RNG_H
#define RV_BASE_RNG_H

#include "rivulet/base.h"

typedef struct RvRandom4 {
  uint32_t v[4];
} RvRandom4;

RvRandom4 rv_random4(uint64_t seed, uint64_t stream, uint64_t counter);
// [0, 1) with 53 bits; `lane` 0 or 1 chooses one of the two doubles of a counter.
double rv_random(uint64_t seed, uint64_t stream, uint64_t counter, int lane);
// Philox itself, for its known answers.
RvRandom4 rv_philox(const uint32_t counter[4], const uint32_t key[2]);

#endif
