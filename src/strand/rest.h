// The rest shape that makes a pose an equilibrium: frame 1 is the groom.
#ifndef RV_STRAND_REST_H
#define RV_STRAND_REST_H

#include "strand/strand.h"

typedef struct RvRestDef {
  const double* force;  // [unknowns] N: load that the pose has to support, the weight
  double max_turn;      // rad a vertex: largest difference of rest curvature and twist from the natural shape
  double max_stretch;   // largest relative difference of a rest length
  double max_stiffen;   // largest factor by which a strand is stiffened to support its pose
} RvRestDef;

typedef struct RvRestReport {
  size_t capped;     // strands that reached a limit, and so will move
  size_t loose;      // others whose equilibrium is not stable: a push will make them fall into another pose
  size_t stiffened;  // strands that were made stiffer
  double residual;   // largest unbalanced force of an uncapped strand, relative to the largest weight of its vertices
} RvRestReport;

// Sets the rest lengths, curvatures and twists of the model so that the state, with its first edge clamped, is an
// equilibrium under the forces, and stable. The state must be one of rv_strand_state_new. `stiffen` [strands] gets how
// many times stiffer each strand was made, which the model then has.
RvResult rv_strand_balance(RvStrandModel* model, const RvStrandState* state, const RvRestDef* def, double* stiffen,
                           RvRestReport* report, RvError* error);

#endif
