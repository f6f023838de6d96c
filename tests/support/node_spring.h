// The trial solver of the scaffold's test.
#ifndef RV_TEST_NODE_SPRING_H
#define RV_TEST_NODE_SPRING_H

#include "rivulet/node.h"

extern const RvNodeType rv_test_spring;

#endif
