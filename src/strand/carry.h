// A moving reference frame: how much of the roots' common motion the strands are spared (inertiascale).
#ifndef RV_STRAND_CARRY_H
#define RV_STRAND_CARRY_H

#include "math/rigid.h"
#include "strand/strand.h"

// The rigid motion of the strands' first edges from the state to `target` [unknowns].
RvResult rv_strand_root_motion(const RvStrandModel* model, const RvStrandState* state, const double* target,
                               RvArena* scratch, RvRigid* out, RvError* error);

// Moves the whole state with its past: places, velocities, frames.
void rv_strand_move(const RvStrandModel* model, RvStrandState* state, const RvRigid* rigid);
// Adds `sign` times the field velocity + turning x (q - centre) of carry[9] to the velocities.
void rv_strand_add_carry(const RvStrandModel* model, RvStrandState* state, const double carry[9], double sign);

#endif
