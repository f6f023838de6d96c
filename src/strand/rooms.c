// Rooms are claimed by an atomic flag each; the first free one is taken, so that few workers keep to few rooms, which
// stay in the cache.
#include "strand/rooms.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/ldlt.h"

bool rv_strand_rooms_take(RvStrandRooms* rooms, RvArena* arena, size_t tasks, size_t doubles) {
  const size_t workers = (size_t)rv_threads();
  rooms->count = workers < tasks ? workers : tasks;
  // whole rows of lanes, so that every room is aligned
  rooms->doubles = (doubles + RV_LANES - 1) / RV_LANES * RV_LANES;
  rooms->memory = rv_arena_take(arena, rooms->count, rooms->doubles * sizeof *rooms->memory);
  rooms->used = RV_TAKE(arena, atomic_bool, rooms->count);
  if (!rooms->memory || !rooms->used) return false;
  for (size_t i = 0; i < rooms->count; ++i) atomic_init(&rooms->used[i], false);
  return true;
}

double* rv_strand_rooms_enter(RvStrandRooms* rooms) {
  for (size_t i = 0; i < rooms->count; ++i)
    if (!atomic_exchange_explicit(&rooms->used[i], true, memory_order_acquire))
      return rooms->memory + i * rooms->doubles;
  return rv_alloc(rooms->doubles, sizeof(double));
}

void rv_strand_rooms_leave(RvStrandRooms* rooms, double* room) {
  for (size_t i = 0; i < rooms->count; ++i)
    if (room == rooms->memory + i * rooms->doubles) {
      atomic_store_explicit(&rooms->used[i], false, memory_order_release);
      return;
    }
  rv_free(room);
}
