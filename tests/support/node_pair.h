// A trial solver of strands and particles on the scaffold.
#ifndef RV_TEST_NODE_PAIR_H
#define RV_TEST_NODE_PAIR_H

#include "rivulet/node.h"

extern const RvNodeType rv_test_pair;

#endif
