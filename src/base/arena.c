// Arenas: stacks of memory blocks.
#include "base/arena.h"

#include "base/array.h"
#include "base/memory.h"

enum {
  ALIGN = 64,              // bytes: a cache line and the widest vector
  MIN_BLOCK = 4096,        // bytes of the first block, at least
  LARGEST_STEP = 1 << 20,  // bytes; block sizes double up to this
};

typedef struct Block {
  unsigned char* data;
  size_t bytes;
} Block;

struct RvArena {
  RV_ARRAY(Block) blocks;
  size_t block, used;  // the current block and its fill; earlier blocks count as full
  size_t taken;        // bytes in use, without the unused ends of blocks
  size_t next_bytes;   // size of the next block
  size_t peak;         // largest `taken`
};

RvArena* rv_arena_new(size_t first_block_bytes) {
  RvArena* arena = rv_alloc_zero(1, sizeof *arena);
  if (arena) arena->next_bytes = first_block_bytes < MIN_BLOCK ? MIN_BLOCK : first_block_bytes;
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
  // Go to the next block that is large enough; what is skipped is used again after the release.
  while (arena->block < arena->blocks.count && arena->blocks.data[arena->block].bytes - arena->used < bytes) {
    arena->block++;
    arena->used = 0;
  }
  // Allocate a new block.
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

// Frees all blocks of an empty arena; the next one is large enough for everything that was ever taken at once. So users
// that take turns share the same memory, however they divide it. A quarter is added because needs that grow from step
// to step would otherwise cause a new block in each; memory pages that are not touched cost nothing.
static void join_blocks(RvArena* arena) {
  for (size_t i = 0; i < arena->blocks.count; ++i) rv_free(arena->blocks.data[i].data);
  arena->blocks.count = 0;
  arena->next_bytes = arena->peak + arena->peak / 4;
}

void rv_arena_release(RvArena* arena, RvArenaMark mark) {
  // Go back to the mark; an empty arena of several blocks gets a single one.
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
