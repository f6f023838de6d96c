// The memory budget: what the allocator counts and refuses, and what it says.
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/budget.h"
#include "base/memory.h"
#include "rivulet/host.h"
#include "support/rv_test.h"
#include "support/sanitized.h"

#define MIB ((size_t)1 << 20)

// A limit of so many bytes more than are in use.
static void allow(size_t bytes) {
  rv_memory_limit_set(rv_budget_used() + bytes);
}

static void what_does_not_fit_is_refused_before_it_is_taken(void** state) {
  (void)state;
  allow(64 * MIB);
  void* half = rv_alloc(32 * MIB, 1);
  assert_non_null(half);
  rv_budget_refused(NULL);
  assert_null(rv_alloc(4096 * MIB, 1));
  assert_int_equal(rv_budget_refused(NULL), 4096 * MIB);
  // the refusal is told once, and costs nothing
  assert_int_equal(rv_budget_refused(NULL), 0);
  void* rest = rv_alloc(16 * MIB, 1);
  assert_non_null(rest);
  rv_free(rest);
  rv_free(half);
  rv_memory_limit_set(0);
  assert_int_equal(rv_memory_limit(), 0);
}

static void freed_memory_can_be_taken_again(void** state) {
  (void)state;
  allow(64 * MIB);
  // 4,000 times 1 MiB is far beyond the limit; small blocks and large ones, arrays and arenas
  for (int i = 0; i < 4000; ++i) {
    void* block = rv_alloc(MIB, 1);
    assert_non_null(block);
    rv_free(block);
  }
  for (int i = 0; i < 200; ++i) {
    RV_ARRAY(double) list = {0};
    assert_true(rv_array_resize(&list, MIB));
    RvArena* arena = rv_arena_new(0);
    assert_non_null(arena);
    assert_non_null(RV_TAKE(arena, char, 4 * MIB));
    rv_arena_free(arena);
    rv_array_free(&list);
  }
  rv_memory_limit_set(0);
}

static void small_blocks_count_together(void** state) {
  (void)state;
  enum { BLOCKS = 4096, BYTES = 65536 };  // 256 MiB
  static void* blocks[BLOCKS];
  allow(64 * MIB);
  size_t taken = 0;
  while (taken < BLOCKS && (blocks[taken] = rv_alloc(BYTES, 1))) ++taken;
  // 64 MiB are 1,024 blocks, and every block has a head. What was resident but is free again is counted too, so that
  // there may be some more.
  assert_true(taken >= 900 && taken < 2048);
  for (size_t i = 0; i < taken; ++i) rv_free(blocks[i]);
  rv_memory_limit_set(0);
}

static void a_check_says_what_is_too_large(void** state) {
  (void)state;
  RvError error = {0};
  allow(64 * MIB);
  assert_int_equal(rv_budget_check(1e6, &error, "%d points", 7), RV_OK);
  CHECK_FAILS(rv_budget_check(4e9, &error, "%d particles", 8), RV_LIMIT, error, "8 particles");
  error = (RvError){0};
  rv_budget_check(4e9, &error, "%d particles", 8);
  assert_non_null(strstr(error.text, "--max-memory"));
  rv_memory_limit_set(0);
  assert_int_equal(rv_budget_room(), SIZE_MAX);
}

static void the_machine_has_memory(void** state) {
  (void)state;
  size_t bytes = rv_budget_machine();
  assert_true(bytes > 64 * MIB);
}

// The count of blocks comes first: the address sanitizer keeps what was freed, so that later more is resident.
RV_TESTS(cmocka_unit_test(small_blocks_count_together),
         cmocka_unit_test(what_does_not_fit_is_refused_before_it_is_taken),
         cmocka_unit_test(freed_memory_can_be_taken_again), cmocka_unit_test(a_check_says_what_is_too_large),
         cmocka_unit_test(the_machine_has_memory))
