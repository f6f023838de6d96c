// Work memory of tasks that run at the same time: one room a worker, taken from an arena before the parallel loop, so
// that a step allocates nothing inside it. What a task finds in its room is undefined. For the solvers of strands.
#ifndef RV_STRAND_ROOMS_H
#define RV_STRAND_ROOMS_H

#include <stdatomic.h>

#include "base/arena.h"

typedef struct RvStrandRooms {
  double* memory;     // [count][doubles]
  atomic_bool* used;  // [count] whether a task has the room
  size_t count;       // rooms: one a worker, and no more than there are tasks
  size_t doubles;     // numbers a room holds
} RvStrandRooms;

// Takes rooms of `doubles` numbers each for loops over `tasks` tasks. False: out of memory.
bool rv_strand_rooms_take(RvStrandRooms* rooms, RvArena* arena, size_t tasks, size_t doubles);
// A free room, 64-byte aligned. If all are in use, as after the number of threads was raised, it is allocated; NULL:
// out of memory.
double* rv_strand_rooms_enter(RvStrandRooms* rooms);
void rv_strand_rooms_leave(RvStrandRooms* rooms, double* room);

#endif
