#include "base/hash.h"

#include <string.h>
#include <xxhash.h>

uint64_t rv_hash(const void* bytes, size_t count, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes, count, seed);
}

RvHasher rv_hasher_new(uint64_t seed) {
  XXH3_state_t* state = XXH3_createState();
  if (state) XXH3_64bits_reset_withSeed(state, seed);
  return (RvHasher){state};
}

void rv_hasher_add(RvHasher* hasher, const void* bytes, size_t count) {
  if (hasher->state && count) XXH3_64bits_update(hasher->state, bytes, count);
}

void rv_hasher_add_u64(RvHasher* hasher, uint64_t value) {
  rv_hasher_add(hasher, &value, sizeof value);
}

void rv_hasher_add_string(RvHasher* hasher, const char* text) {
  size_t count = strlen(text);
  rv_hasher_add_u64(hasher, count);
  rv_hasher_add(hasher, text, count);
}

uint64_t rv_hasher_done(RvHasher* hasher) {
  if (!hasher->state) return 0;
  uint64_t value = XXH3_64bits_digest(hasher->state);
  XXH3_freeState(hasher->state);
  hasher->state = NULL;
  return value;
}
