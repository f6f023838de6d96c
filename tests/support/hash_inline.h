// base/hash.c under other names with xxhash compiled in, as the Houdini plug-in has it.
#ifndef RV_TEST_HASH_INLINE_H
#define RV_TEST_HASH_INLINE_H

#include "base/hash.h"

uint64_t inline_hash(const void* bytes, size_t count, uint64_t seed);
RvHasher inline_hasher_new(uint64_t seed);
void inline_hasher_add(RvHasher* hasher, const void* bytes, size_t count);
uint64_t inline_hasher_done(const RvHasher* hasher);

#endif
