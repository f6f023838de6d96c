#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "support/rv_test.h"

static void sizes_that_overflow_are_refused(void** state) {
  (void)state;
  assert_null(rv_alloc(SIZE_MAX / 2, 3));
  assert_null(rv_alloc(SIZE_MAX, 1));
  assert_null(rv_alloc_zero(SIZE_MAX / 8 + 2, 8));
  void* none = rv_alloc(0, 8);
  assert_non_null(none);
  assert_int_equal((uintptr_t)none % 64, 0);
  rv_free(none);
}

static void arrays_grow_and_keep(void** state) {
  (void)state;
  RV_ARRAY(int) a = {0};
  for (int i = 0; i < 10000; ++i) assert_true(rv_array_push(&a, i * 3));
  for (int i = 0; i < 10000; ++i) assert_int_equal(a.data[i], i * 3);
  // a request that cannot be met leaves the array as it was
  assert_false(rv_array_reserve(&a, SIZE_MAX / 2));
  assert_int_equal(a.count, 10000);
  assert_int_equal(a.data[9999], 9999 * 3);
  rv_array_free(&a);
  assert_null(a.data);
}

static void arena_gives_back_and_reuses(void** state) {
  (void)state;
  RvArena* arena = rv_arena_new(1 << 12);
  assert_true(rv_arena_empty(arena));
  char* first = RV_TAKE(arena, char, 100);
  assert_int_equal((uintptr_t)first % 64, 0);
  memset(first, 7, 100);
  RvArenaMark mark = rv_arena_mark(arena);
  char* second = RV_TAKE(arena, char, 50);
  char* large = RV_TAKE(arena, char, 1 << 20);  // a block of its own
  memset(second, 1, 50);
  memset(large, 2, 1 << 20);
  for (int i = 0; i < 100; ++i) assert_int_equal(first[i], 7);
  rv_arena_release(arena, mark);
  assert_ptr_equal(RV_TAKE(arena, char, 50), second);
  assert_ptr_equal(RV_TAKE(arena, char, 1 << 20), large);
  assert_true(rv_arena_peak(arena) >= (1 << 20) + 150);
  assert_null(RV_TAKE(arena, double, SIZE_MAX / 4));
  rv_arena_release(arena, (RvArenaMark){0});
  assert_true(rv_arena_empty(arena));
  // what took two blocks fits in one, cut up in another way
  char* whole = RV_TAKE(arena, char, (1 << 20) + 64);
  assert_ptr_equal(RV_TAKE(arena, char, 64), whole + (1 << 20) + 64);
  rv_arena_free(arena);
}

// the known answer of XXH3-64 for the empty input, and that a stream in parts is the whole
static void hash_is_known_and_streams(void** state) {
  (void)state;
  assert_true(rv_hash("", 0, 0) == 0x2d06800538d394c2ull);
  char bytes[3000];
  for (int i = 0; i < 3000; ++i) bytes[i] = (char)(i * 31);
  for (size_t cut = 0; cut <= sizeof bytes; cut += 77) {
    RvHasher hasher = rv_hasher_new(5);
    rv_hasher_add(&hasher, bytes, cut);
    rv_hasher_add(&hasher, bytes + cut, sizeof bytes - cut);
    assert_true(rv_hasher_done(&hasher) == rv_hash(bytes, sizeof bytes, 5));
  }
  RvHasher a = rv_hasher_new(0), b = rv_hasher_new(0);
  rv_hasher_add_string(&a, "ab");
  rv_hasher_add_string(&a, "c");
  rv_hasher_add_string(&b, "a");
  rv_hasher_add_string(&b, "bc");
  assert_true(rv_hasher_done(&a) != rv_hasher_done(&b));
}

RV_TESTS(cmocka_unit_test(sizes_that_overflow_are_refused), cmocka_unit_test(arrays_grow_and_keep),
         cmocka_unit_test(arena_gives_back_and_reuses), cmocka_unit_test(hash_is_known_and_streams))
