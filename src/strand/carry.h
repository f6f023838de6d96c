// The moving reference frame of `inertiascale`: a share of the roots' common rigid motion is applied to the whole
// state, so that the strands feel no inertia from it.
#ifndef RV_STRAND_CARRY_H
#define RV_STRAND_CARRY_H

#include "math/rigid.h"
#include "strand/strand.h"

// The rigid motion that best takes the strands' first edges from the state to `target` [unknowns].
RvResult rv_strand_root_motion(const RvStrandModel* model, const RvStrandState* state, const double* target,
                               RvArena* scratch, RvRigid* out, RvError* error);

// Moves the whole state rigidly: positions, velocities, frames, and those of one step before.
void rv_strand_move(const RvStrandModel* model, RvStrandState* state, const RvRigid* rigid);
// Adds `sign` times the velocity field of a rigid motion, v + omega x (q - centre), to the velocities; carry holds v,
// omega and centre.
void rv_strand_add_carry(const RvStrandModel* model, RvStrandState* state, const double carry[9], double sign);

#endif
