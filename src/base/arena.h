// Scratch memory that is released all at once: mark, take, release. It grows by whole blocks; when it is empty again,
// its blocks are replaced by one that is large enough for the peak.
#ifndef RV_BASE_ARENA_H
#define RV_BASE_ARENA_H

#include "rivulet/base.h"

typedef struct RvArena RvArena;
// A fill level of an arena.
typedef struct RvArenaMark {
  size_t block, used, taken;
} RvArenaMark;

// A new arena, whose first block has at least 4 KiB and is allocated when it is needed. NULL: out of memory.
RvArena* rv_arena_new(size_t first_block_bytes);
// Frees the arena and everything taken from it. NULL is allowed.
void rv_arena_free(RvArena* arena);
// count x size bytes, aligned to 64 bytes and not cleared; NULL on overflow or out of memory.
void* rv_arena_take(RvArena* arena, size_t count, size_t size);
// The current fill level, for rv_arena_release.
RvArenaMark rv_arena_mark(const RvArena* arena);
// Releases everything that was taken since the mark.
void rv_arena_release(RvArena* arena, RvArenaMark mark);
// True if nothing is taken.
bool rv_arena_empty(const RvArena* arena);
// Largest number of bytes that were taken at once.
size_t rv_arena_peak(const RvArena* arena);

// Takes an array of a type.
#define RV_TAKE(arena, T, count) ((T*)rv_arena_take((arena), (count), sizeof(T)))

#endif
