// Times the kernels of chains on copies of one batch, at eight lanes and at one.
#ifndef RV_BENCH_CHAIN_LANES_H
#define RV_BENCH_CHAIN_LANES_H

#include "continuum/chain.h"

typedef struct RvBenchChainLanes {
  double wide, single;  // s a link and step
} RvBenchChainLanes;

RvResult rv_bench_chain_lanes(const RvChainModel* model, const RvChainState* state, RvBenchChainLanes* out,
                              RvError* error);

#endif
