// The hashes with xxhash compiled in, as the Houdini plug-in has it, are those with the library. The compiler sees the whole of
// XXH3 there and may move what it takes for unrelated.
#include "support/hash_inline.h"
#include "support/rv_test.h"

enum { BYTES = 5000, PART = 97 };  // several of XXH3's blocks of 1,024, added in parts

static void same_numbers_as_the_library(void** state) {
  (void)state;
  static unsigned char bytes[BYTES];
  for (int i = 0; i < BYTES; ++i) bytes[i] = (unsigned char)(i * 37 + i / 256);
  for (uint64_t seed = 0; seed < 3; ++seed)
    for (size_t count = 0; count <= BYTES; count += 1 + count / 3) {
      assert_int_equal(inline_hash(bytes, count, seed), rv_hash(bytes, count, seed));
      RvHasher ours = inline_hasher_new(seed);
      RvHasher library = rv_hasher_new(seed);
      for (size_t at = 0; at < count; at += PART) {
        size_t part = count - at < PART ? count - at : PART;
        inline_hasher_add(&ours, bytes + at, part);
        rv_hasher_add(&library, bytes + at, part);
      }
      assert_int_equal(inline_hasher_done(&ours), rv_hasher_done(&library));
    }
}

RV_TESTS(cmocka_unit_test(same_numbers_as_the_library))
