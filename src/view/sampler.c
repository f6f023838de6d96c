// Sample points of the picture. One Sobol sequence runs through the pixels of a block in Morton order, so that the
// samples of neighbouring pixels complement each other: what noise few samples leave is fine and even instead of
// blotchy (Ahmed and Wonka 2020, "Screen-space blue-noise diffusion of Monte Carlo sampling error via hierarchical
// ordering of pixels"). A sample depends on its pixel, its number and the seed only.
#include "base/rng.h"
#include "view/view_scene.h"

enum { BLOCK_BITS = 7 };  // a block has 128 pixels a side: 14 bits of a pixel and 16 of a sample fit into an index

// Reverses the order of the 32 bits.
static uint32_t reversed(uint32_t x) {
  x = __builtin_bswap32(x);
  x = ((x & 0xf0f0f0f0u) >> 4) | ((x & 0x0f0f0f0fu) << 4);
  x = ((x & 0xccccccccu) >> 2) | ((x & 0x33333333u) << 2);
  return ((x & 0xaaaaaaaau) >> 1) | ((x & 0x55555555u) << 1);
}

// Owen scrambling of a number whose bits are reversed, by a hash in which each bit depends on lower bits only (Laine
// and Karras 2011; constants and the product with the seed of Vegdahl 2021, "Building a better LK hash": without the
// product the sequences of different seeds are correlated).
static uint32_t scrambled(uint32_t x, uint32_t seed) {
  x ^= x * 0x3d20adeau;
  x += seed;
  x *= (seed >> 16) | 1;
  x ^= x * 0x05526c56u;
  x ^= x * 0x53a22864u;
  return x;
}

// Hash of a seed and a number: finaliser of MurmurHash3.
static uint32_t mixed(uint32_t seed, uint32_t k) {
  uint32_t h = seed ^ (k * 0x9e3779b9u);
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  return h ^ (h >> 16);
}

// Product with Pascal's triangle modulo 2, which generates the second dimension of the Sobol sequence: bit i becomes
// the sum over all bits j whose number contains the bits of i.
static uint32_t pascal(uint32_t x) {
  x ^= (x >> 1) & 0x55555555u;
  x ^= (x >> 2) & 0x33333333u;
  x ^= (x >> 4) & 0x0f0f0f0fu;
  x ^= (x >> 8) & 0x00ff00ffu;
  return x ^ (x >> 16);
}

// Spreads the low bits of x to the even places.
static uint32_t spread(uint32_t x) {
  x &= (1u << BLOCK_BITS) - 1;
  x = (x | (x << 4)) & 0x0f0f0f0fu;
  x = (x | (x << 2)) & 0x33333333u;
  return (x | (x << 1)) & 0x55555555u;
}

RvSampler rv_view_sampler_at(uint64_t seed, int x, int y, int samples) {
  uint32_t bits = 0;
  while (1 << bits < samples) bits++;
  uint64_t block = ((uint64_t)(uint32_t)(y >> BLOCK_BITS) << 32) | (uint32_t)(x >> BLOCK_BITS);
  return (RvSampler){.seed = rv_random4(seed, block, 0).v[0],
                     .first = (spread((uint32_t)x) | (spread((uint32_t)y) << 1)) << bits};
}

// The first two dimensions of the Sobol sequence, shuffled and scrambled with a new key for each pair of dimensions.
void rv_view_sampler_next(RvSampler* s, double out[2]) {
  uint32_t key = mixed(s->seed, s->dimension++);
  // A shuffled index, its bits reversed: the first dimension as it is.
  uint32_t x = scrambled(reversed(s->first + s->index), key), y = pascal(reversed(x));
  // Scrambling works on reversed bits; the second dimension comes reversed, the first does not.
  out[0] = reversed(scrambled(reversed(x), mixed(key, 1))) * 0x1p-32;
  out[1] = reversed(scrambled(y, mixed(key, 2))) * 0x1p-32;
}
