// The search of neighbours, eight candidates at a time.
#ifndef RV_SPH_FIND_KERNEL_H
#define RV_SPH_FIND_KERNEL_H

#include "math/kernel.h"
#include "sph/lists.h"

typedef struct RvSphFind {
  const RvSphSet *of, *to;
  const RvSphLattice* lattice;
  RvSphLists* lists;
} RvSphFind;

// What a task met.
typedef struct RvSphFound {
  size_t full, pairs;
} RvSphFound;

// Lists of the particles begin to end of one task, which begins at a multiple of RV_SPH_GRAIN.
RV_KERNEL_DECLARE(RvSphFound, rv_sph_find, (const RvSphFind* find, size_t begin, size_t end))

#endif
