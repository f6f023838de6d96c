// Hair of a groom as chains: the strands of an RvStrandSolver, whose roots, pins and goals the input moves, with the
// bases of the chains on the skin (HC-10).
//
// The strand solver has set, inputs, and the places that artists see; this one has the links. Batches of both are the
// same. A link keeps the length of its edge in the start pose.
#ifndef RV_CONTINUUM_HAIR_H
#define RV_CONTINUUM_HAIR_H

#include "continuum/chain_rest.h"
#include "continuum/solver.h"
#include "strand/solver.h"

typedef struct RvContinuumHair {
  RvStrandSolver* strands;  // the caller's
  RvContinuum continuum;
  // Of the substep: the bases at its end, [batches][k][RV_LANES], and the goals of the vertices, NULL without any.
  double *base_x, *base_orient, *base_v, *base_spin;
  double *goal, *goal_velocity;  // [vertices][3]
  RvRigid carried;               // motion that the strands were carried by
  const float* wind_at;          // [vertices of the set][3] m/s, in place of that of the strands; NULL: theirs
  // Report of the frame.
  int substeps;
  size_t healed;  // strands that failed in a substep and took their rest shape
} RvContinuumHair;

// Model, state and work memory for the strands, which have their guide. The state is zero.
RvResult rv_continuum_hair_init(RvContinuumHair* hair, RvStrandSolver* strands, RvError* error);
void rv_continuum_hair_free(RvContinuumHair* hair);
// The start frame: the pose and velocities of the strands. With `equilibrium` of the strands' settings the pose is at
// rest under gravity; strands->stiffen gets how many times stiffer each strand became for it.
RvResult rv_continuum_hair_start(RvContinuumHair* hair, RvChainRestReport* report, RvError* error);
// After the state was loaded: lengths and places. `moved` [vertices of the set] marks vertices whose place (1) or
// velocity (2) an artist changed in the state of the strands: links turn to them. NULL: none.
void rv_continuum_hair_loaded(RvContinuumHair* hair, const uint8_t* moved);
// One substep of dt seconds to the inputs `sample` at its end.
RvResult rv_continuum_hair_substep(RvContinuumHair* hair, const RvStrandSample* sample, double dt, RvError* error);

#endif
