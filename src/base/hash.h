// 64-bit hashes (XXH3) of bytes and of streams of bytes. They are the same on every machine.
#ifndef RV_BASE_HASH_H
#define RV_BASE_HASH_H

#include "rivulet/base.h"

// Hash of a block of bytes.
uint64_t rv_hash(const void* bytes, size_t count, uint64_t seed);

// Hash of a stream. The state of XXH3 is stored in the struct, so that hashing cannot run out of memory.
typedef struct RvHasher {
  unsigned char state[640];
} __attribute__((aligned(64))) RvHasher;

// An empty stream.
RvHasher rv_hasher_new(uint64_t seed);
// Adds bytes; `count` may be 0.
void rv_hasher_add(RvHasher* hasher, const void* bytes, size_t count);
// Adds a text with its length, so that "ab","c" differs from "a","bc".
void rv_hasher_add_string(RvHasher* hasher, const char* text);
// Adds a number.
void rv_hasher_add_u64(RvHasher* hasher, uint64_t value);
// The hash of everything added so far; more may be added afterwards.
uint64_t rv_hasher_done(const RvHasher* hasher);

#endif
