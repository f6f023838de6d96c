// Neighbours in crowds: lists for particles that have more neighbours than RV_SPH_MOST_LISTED, as pores of dense hair
// do. A list that is cut off has the neighbours of the lowest cells alone, so that its sums point that way.
//
// Complete lists have all neighbours, up to RV_SPH_MOST_CROWD. They are for few particles among many of the other set.
//
// Thinned lists are random batches of a set's pairs (Jin, Li and Liu 2020): a pair is listed with the probability 1 /
// w, w = max(thin of the two), and its force is multiplied by w, so that sums keep their mean. A hash of the pair
// selects, alike for both and in every substep, so that forces stay equal and opposite and do not tremble.
#ifndef RV_SPH_CROWD_H
#define RV_SPH_CROWD_H

#include "sph/lists.h"

enum {
  RV_SPH_MOST_CROWD = 4096,  // neighbours of a particle in a complete list: its bound keeps memory linear
  RV_SPH_THINNED = 56,       // mean number of neighbours in a thinned list: 88 is four standard deviations above
};

// Numbers of neighbours in `to` of all particles of `of`, and sums of poly6 over its factor, both [of->count]. The
// memory is the arena's.
RvResult rv_sph_crowd_measure(const RvSphLattice* lattice, const RvSphSet* of, const RvSphSet* to, uint32_t** number,
                              float** sum, RvArena* arena, RvError* error);
// Lists of all neighbours.
RvResult rv_sph_lists_find_all(RvSphLists* lists, const RvSphLattice* lattice, const RvSphSet* of, const RvSphSet* to,
                               RvArena* arena, RvError* error);
// Factor of the forces of a particle with that many neighbours, at least 1.
float rv_sph_thin_of(uint32_t neighbours);
// Thinned lists of a set. `name` [count] tells particles apart and `thin` [count] are their factors.
RvResult rv_sph_lists_find_thinned(RvSphLists* lists, const RvSphLattice* lattice, const RvSphSet* set,
                                   const uint32_t* name, const float* thin, RvArena* arena, RvError* error);

#endif
