// 64-bit hashes (XXH3) of bytes and of streams of bytes. Equal on every machine.
#ifndef RV_BASE_HASH_H
#define RV_BASE_HASH_H

#include "rivulet/base.h"

uint64_t rv_hash(const void* bytes, size_t count, uint64_t seed);

// The state is inside, so that hashing cannot fail.
typedef struct RvHasher {
  unsigned char state[640];
} __attribute__((aligned(64))) RvHasher;

RvHasher rv_hasher_new(uint64_t seed);
void rv_hasher_add(RvHasher* hasher, const void* bytes, size_t count);
// With its length, so that "ab","c" differs from "a","bc".
void rv_hasher_add_string(RvHasher* hasher, const char* text);
void rv_hasher_add_u64(RvHasher* hasher, uint64_t value);
// The hash of all that was added.
uint64_t rv_hasher_done(const RvHasher* hasher);

#endif
