// Pool of work areas: a thread takes one for a task and returns it, so that no more exist than threads at work.
#include <stdatomic.h>

#include "surface/parts.h"

enum { SLOTS = 64 };  // areas kept for reuse; further ones are freed when returned

struct RvRoom {
  size_t bytes;                // of a work area
  _Atomic(void*) slot[SLOTS];  // idle areas; NULL: empty
};

RvRoom* rv_surface_room_new(size_t bytes) {
  RvRoom* room = rv_alloc_zero(1, sizeof *room);
  if (room) room->bytes = bytes;
  return room;
}

void rv_surface_room_free(RvRoom* room) {
  for (int i = 0; room && i < SLOTS; ++i) rv_free(atomic_load(&room->slot[i]));
  rv_free(room);
}

void* rv_surface_room_take(RvRoom* room) {
  for (int i = 0; i < SLOTS; ++i) {
    void* work = atomic_exchange(&room->slot[i], NULL);
    if (work) return work;
  }
  return rv_alloc(1, room->bytes);
}

void rv_surface_room_give(RvRoom* room, void* work) {
  for (int i = 0; work && i < SLOTS; ++i) {
    void* none = NULL;
    if (atomic_compare_exchange_strong(&room->slot[i], &none, work)) return;
  }
  rv_free(work);
}
