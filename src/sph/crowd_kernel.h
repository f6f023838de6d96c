// Searches in crowds; see crowd.h.
#ifndef RV_SPH_CROWD_KERNEL_H
#define RV_SPH_CROWD_KERNEL_H

#include "math/kernel.h"
#include "sph/find_kernel.h"

typedef struct RvSphCrowdFind {
  const RvSphSet *of, *to;
  const RvSphLattice* lattice;
  RvSphLists* lists;
  uint32_t* count;        // [of->count] neighbours
  float* sum;             // [of->count] of poly6 over its factor; NULL: not wanted
  const uint32_t* key;    // [count + RV_SPH_SPARE] random numbers of the set, for thinned lists
  const uint32_t* limit;  // [count + RV_SPH_SPARE] a pair is listed up to the lower limit of its two
} RvSphCrowdFind;

// Numbers of neighbours, and sums of the kernel over them.
RV_KERNEL_DECLARE(void, rv_sph_crowd, (const RvSphCrowdFind* find, size_t begin, size_t end))
// Lists of `count` neighbours, at the groups that lists->first and lists->groups already say.
RV_KERNEL_DECLARE(void, rv_sph_find_all, (const RvSphCrowdFind* find, size_t begin, size_t end))
// Lists of the pairs of a set that a hash of their keys selects; as rv_sph_find.
RV_KERNEL_DECLARE(RvSphFound, rv_sph_find_thinned, (const RvSphCrowdFind* find, size_t begin, size_t end))

#endif
