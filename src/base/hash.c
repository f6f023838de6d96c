// Hashes by XXH3.
#include "base/hash.h"

#include <string.h>

#define XXH_STATIC_LINKING_ONLY  // for the size of the state
#include <xxhash.h>

// RvHasher hides the type of the library from our headers.
_Static_assert(sizeof(XXH3_state_t) <= sizeof(RvHasher) && _Alignof(XXH3_state_t) <= _Alignof(RvHasher),
               "the state of XXH3 must fit");

uint64_t rv_hash(const void* bytes, size_t count, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes, count, seed);
}

// The state is made as what it is and copied as bytes. Written through a cast, with xxhash compiled in as in the Houdini plug-in,
// gcc took the struct that is returned for unrelated and copied it before it was written.
RvHasher rv_hasher_new(uint64_t seed) {
  XXH3_state_t state;
  XXH3_INITSTATE(&state);
  XXH3_64bits_reset_withSeed(&state, seed);
  RvHasher hasher;
  memcpy(hasher.state, &state, sizeof state);
  return hasher;
}

void rv_hasher_add(RvHasher* hasher, const void* bytes, size_t count) {
  if (count) XXH3_64bits_update((XXH3_state_t*)hasher->state, bytes, count);
}

void rv_hasher_add_u64(RvHasher* hasher, uint64_t value) {
  rv_hasher_add(hasher, &value, sizeof value);
}

void rv_hasher_add_string(RvHasher* hasher, const char* text) {
  size_t count = strlen(text);
  rv_hasher_add_u64(hasher, count);
  rv_hasher_add(hasher, text, count);
}

uint64_t rv_hasher_done(const RvHasher* hasher) {
  return XXH3_64bits_digest((const XXH3_state_t*)hasher->state);
}
