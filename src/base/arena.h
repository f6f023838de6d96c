// Scratch memory that is given back all at once: mark, take, release. Grows by whole blocks; what was ever needed at
// once is kept, as one block when it is empty again.
#ifndef RV_BASE_ARENA_H
#define RV_BASE_ARENA_H

#include "rivulet/base.h"

typedef struct RvArena RvArena;
typedef struct RvArenaMark {
  size_t block, used, taken;
} RvArenaMark;

RvArena* rv_arena_new(size_t first_block_bytes);
void rv_arena_free(RvArena* arena);
// 64-byte aligned, not cleared; NULL on overflow or when there is no memory.
void* rv_arena_take(RvArena* arena, size_t count, size_t size);
RvArenaMark rv_arena_mark(const RvArena* arena);
void rv_arena_release(RvArena* arena, RvArenaMark mark);
bool rv_arena_empty(const RvArena* arena);
size_t rv_arena_peak(const RvArena* arena);

#define RV_TAKE(arena, T, count) ((T*)rv_arena_take((arena), (count), sizeof(T)))

#endif
