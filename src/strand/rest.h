// The rest shape that makes a pose an equilibrium: frame 1 is the groom.
#ifndef RV_STRAND_REST_H
#define RV_STRAND_REST_H

#include "strand/strand.h"

typedef struct RvRestDef {
  const double* force;  // [unknowns] N, what the pose has to bear: the weight
  double max_turn;      // rad a vertex that rest curvature and twist may differ from the natural shape's
  double max_stretch;   // share that a rest length may differ
} RvRestDef;

typedef struct RvRestReport {
  size_t capped;    // strands that reached a cap, and so will move
  double residual;  // largest force left on an uncapped strand, relative to the largest weight of a vertex of it
} RvRestReport;

// Sets the rest lengths, curvatures and twists of the model so that the state, with its first edge held, is at rest
// under the forces. The state must be one of rv_strand_state_new.
RvResult rv_strand_balance(RvStrandModel* model, const RvStrandState* state, const RvRestDef* def, RvRestReport* report,
                           RvError* error);

#endif
