// The rest turns of the joints that make a pose an equilibrium: frame 1 is the groom.
#ifndef RV_CONTINUUM_CHAIN_REST_H
#define RV_CONTINUUM_CHAIN_REST_H

#include "continuum/chain.h"

typedef struct RvChainRestDef {
  double gravity[3];   // m/s2
  double max_turn;     // rad a joint: largest difference from the natural shape
  double max_stiffen;  // largest factor by which a strand is stiffened to support its pose
} RvChainRestDef;

typedef struct RvChainRestReport {
  size_t capped;     // strands that reached a limit, and so will move
  size_t loose;      // others whose equilibrium is not stable: a push will make them fall into another pose
  size_t stiffened;  // strands that were made stiffer
} RvChainRestReport;

// Sets the rest turns of the model, which must be those of the natural shape. `stiffen` [strands] gets how many times
// stiffer each strand was made, which the model then has.
RvResult rv_chain_balance(RvChainModel* model, const RvChainState* state, const RvChainRestDef* def, double* stiffen,
                          RvChainRestReport* report, RvError* error);

#endif
