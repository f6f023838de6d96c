// Philox4x32-10.
#include "base/rng.h"

enum { ROUNDS = 10 };
// Constants of Philox4x32 (Salmon et al. 2011): multipliers, and Weyl increments of the key.
static const uint64_t multiplier0 = 0xD2511F53u;
static const uint64_t multiplier1 = 0xCD9E8D57u;
static const uint32_t weyl0 = 0x9E3779B9u;  // golden ratio
static const uint32_t weyl1 = 0xBB67AE85u;  // sqrt(3) - 1

RvRandom4 rv_philox(const uint32_t counter[4], const uint32_t key[2]) {
  uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  uint32_t k0 = key[0], k1 = key[1];
  // Each round multiplies two words to 64 bits, mixes and permutes the halves, and advances the key.
  for (int i = 0; i < ROUNDS; ++i) {
    uint64_t p0 = multiplier0 * c0;
    uint64_t p1 = multiplier1 * c2;
    uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
    uint32_t n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
    c0 = n0;
    c1 = (uint32_t)p1;
    c2 = n2;
    c3 = (uint32_t)p0;
    k0 += weyl0;
    k1 += weyl1;
  }
  return (RvRandom4){{c0, c1, c2, c3}};
}

RvRandom4 rv_random4(uint64_t seed, uint64_t stream, uint64_t counter) {
  uint32_t words[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)};
  uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  return rv_philox(words, key);
}

double rv_random(uint64_t seed, uint64_t stream, uint64_t counter, int lane) {
  RvRandom4 r = rv_random4(seed, stream, counter);
  uint64_t bits = (uint64_t)r.v[2 * (lane & 1)] << 32 | r.v[2 * (lane & 1) + 1];
  return (double)(bits >> 11) * 0x1p-53;  // the upper 53 bits
}
