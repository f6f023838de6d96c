// filmheight and wetadd of the lookdev solver's strands, as the wet solver reads them: film at the start, and film that
// is added in every frame, become liquid of the pores.
#ifndef RV_NODE_SOLVER_LOOKDEV_FILM_H
#define RV_NODE_SOLVER_LOOKDEV_FILM_H

#include "lookdev/pore_hair.h"
#include "rivulet/node.h"

// Whether strands bring film.
bool rv_lookdev_film_wanted(const RvDetail* strands);
// rv_held of the start frame from filmheight; *painted is its sum, m3.
RvResult rv_lookdev_film_start(RvCook* cook, const RvStrandSet* set, RvDetail* strands, double* painted,
                               RvError* error);
// wetadd by vertex, m/s, into `rates`, which is allocated; NULL where the strands have none.
RvResult rv_lookdev_film_rates(RvCook* cook, const RvStrandSet* set, const RvDetail* strands, double** rates,
                               RvError* error);
// filmheight of the pores' liquid, in units of the scene.
RvResult rv_lookdev_film_show(const RvLookdevWater* water, RvDetail* strands, RvError* error);

#endif
