// 64-bit hashes (XXH3) of bytes and of streams of bytes. Equal on every machine.
#ifndef RV_BASE_HASH_H
#define RV_BASE_HASH_H

#include "rivulet/base.h"

uint64_t rv_hash(const void* bytes, size_t count, uint64_t seed);

typedef struct RvHasher {
  void* state;
} RvHasher;

RvHasher rv_hasher_new(uint64_t seed);
void rv_hasher_add(RvHasher* hasher, const void* bytes, size_t count);
// With its length, so that "ab","c" differs from "a","bc".
void rv_hasher_add_string(RvHasher* hasher, const char* text);
void rv_hasher_add_u64(RvHasher* hasher, uint64_t value);
// The hash of all that was added; frees the state.
uint64_t rv_hasher_done(RvHasher* hasher);

#endif
