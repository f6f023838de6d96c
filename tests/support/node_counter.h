// Node types for the host's tests: a small solver with real state, and a node that only counts.
#ifndef RV_TEST_NODE_COUNTER_H
#define RV_TEST_NODE_COUNTER_H

#include "rivulet/node.h"
#include "rivulet/scene.h"

// "testsolver": damped springs on the points of its input, kicked at random, that shed particles which age and die.
extern const RvNodeType rv_node_testsolver;
// "testpoints": `count` points on a line, moved by `t`; "testcopy": passes its first input on, up to 8 inputs merged.
extern const RvNodeType rv_node_testpoints;
extern const RvNodeType rv_node_testcopy;
// "testfail": passes its input on, but fails, warns or stops at `frame`.
extern const RvNodeType rv_node_testfail;

// "testmotion": its input's points, put where they go from half a frame before to half a frame after.
extern const RvNodeType rv_node_testmotion;

// Registers all of them; a second call does nothing.
void rv_test_register(void);
// A scene of these nodes and those of the program; a failure ends the test.
RvScene* rv_test_parse(const char* text);

#endif
