// Lists of neighbours within the support, made once a substep and used by all sums of it.
//
// The list of a particle is a number of groups of eight indices into the other set, in a fixed order: by cells along x,
// y and z, and within a cell by the sort. Groups are filled up with the index of the far particle. A set that is
// searched for itself has every particle in its own list, as sums over a kernel have. Two sets are each in the lists of
// the other, so that what a pair exchanges can be summed on both sides with the same bits.
//
// A list holds RV_SPH_MOST_LISTED neighbours; those beyond are left out and counted. At rest a particle has about 33 at
// a support of two spacings; more than 88 means particles in one place, and the bound keeps time and memory linear.
#ifndef RV_SPH_LISTS_H
#define RV_SPH_LISTS_H

#include "sph/cells.h"

enum {
  RV_SPH_MOST_LISTED = 88,  // neighbours of a particle
  RV_SPH_GRAIN = 256,       // particles a task of the sums
  // Indices of a task: its lists, and what groups of the search write beyond the end of the last.
  RV_SPH_TASK_INDICES = RV_SPH_GRAIN * RV_SPH_MOST_LISTED + 32,
};

typedef struct RvSphLists {
  size_t count;      // particles that have a list
  uint32_t* first;   // [count] first group
  uint16_t* groups;  // [count] number of groups
  uint32_t* index;   // groups of RV_SPH_LANES
  size_t full;       // particles whose list is full
  size_t pairs;      // neighbours in all lists
} RvSphLists;

// Neighbours in `to` of all particles of `of`, both sorted with one lattice; they may be the same set. All memory is
// the arena's.
RvResult rv_sph_lists_find(RvSphLists* lists, const RvSphLattice* lattice, const RvSphSet* of, const RvSphSet* to,
                           RvArena* arena, RvError* error);
// The same one candidate at a time, the baseline of the benchmarks.
RvResult rv_sph_lists_find_single(RvSphLists* lists, const RvSphLattice* lattice, const RvSphSet* of,
                                  const RvSphSet* to, RvArena* arena, RvError* error);

#endif
