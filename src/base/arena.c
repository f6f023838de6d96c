#include "base/arena.h"

#include "base/array.h"
#include "base/memory.h"

enum { ALIGN = 64, LARGEST_STEP = 1 << 20 };

typedef struct Block {
  unsigned char* data;
  size_t bytes;
} Block;

struct RvArena {
  RV_ARRAY(Block) blocks;
  size_t block, used;  // the current block and its fill; earlier blocks count as full
  size_t taken;        // bytes in use; what was skipped at the end of a block is not
  size_t next_bytes, peak;
};

RvArena* rv_arena_new(size_t first_block_bytes) {
  RvArena* arena = rv_alloc_zero(1, sizeof *arena);
  if (arena) arena->next_bytes = first_block_bytes < 4096 ? 4096 : first_block_bytes;
  return arena;
}

void rv_arena_free(RvArena* arena) {
  if (!arena) return;
  for (size_t i = 0; i < arena->blocks.count; ++i) rv_free(arena->blocks.data[i].data);
  rv_array_free(&arena->blocks);
  rv_free(arena);
}

void* rv_arena_take(RvArena* arena, size_t count, size_t size) {
  size_t bytes;
  if (!rv_mul_ok(count, size, &bytes) || bytes > PTRDIFF_MAX - ALIGN) return NULL;
  bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
  // go to the first later block that is large enough; what is skipped comes back with the release
  while (arena->block < arena->blocks.count && arena->blocks.data[arena->block].bytes - arena->used < bytes) {
    arena->block++;
    arena->used = 0;
  }
  if (arena->block == arena->blocks.count) {
    Block block = {.bytes = bytes > arena->next_bytes ? bytes : arena->next_bytes};
    block.data = rv_alloc(block.bytes, 1);
    if (!block.data) return NULL;
    if (!rv_array_push(&arena->blocks, block)) {
      rv_free(block.data);
      return NULL;
    }
    if (arena->next_bytes < LARGEST_STEP) arena->next_bytes *= 2;
  }
  void* memory = arena->blocks.data[arena->block].data + arena->used;
  arena->used += bytes;
  arena->taken += bytes;
  if (arena->taken > arena->peak) arena->peak = arena->taken;
  return memory;
}

RvArenaMark rv_arena_mark(const RvArena* arena) {
  return (RvArenaMark){arena->block, arena->used, arena->taken};
}

// Pieces become one block that holds all there ever was, so that what takes turns in it shares the same memory, however
// differently each cuts it up. Some more, as what grows from step to step would else be joined anew in each: pages that
// are not touched cost nothing, and fresh ones are cleared.
static void join_blocks(RvArena* arena) {
  for (size_t i = 0; i < arena->blocks.count; ++i) rv_free(arena->blocks.data[i].data);
  arena->blocks.count = 0;
  arena->next_bytes = arena->peak + arena->peak / 4;
}

void rv_arena_release(RvArena* arena, RvArenaMark mark) {
  arena->block = mark.block;
  arena->used = mark.used;
  arena->taken = mark.taken;
  if (rv_arena_empty(arena) && arena->blocks.count > 1) join_blocks(arena);
}

bool rv_arena_empty(const RvArena* arena) {
  return arena->block == 0 && arena->used == 0;
}

size_t rv_arena_peak(const RvArena* arena) {
  return arena->peak;
}
