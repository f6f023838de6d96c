// Functions of a node that does nothing, for rows of the table that are never cooked.
#ifndef RV_TEST_NODE_STUB_H
#define RV_TEST_NODE_STUB_H

#include "rivulet/node.h"

static RvResult nothing(RvCook* cook, RvError* error) {
  (void)cook;
  (void)error;
  return RV_OK;
}

static RvResult split(RvCook* cook, const RvState* state, RvError* error) {
  (void)state;
  return nothing(cook, error);
}

#endif
