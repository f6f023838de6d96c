// What is wired into a node of a scene, for hosts in tests that build the same graph.
#ifndef RV_TEST_SCENE_WIRES_H
#define RV_TEST_SCENE_WIRES_H

#include "rivulet/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// The name of the source of an input and its output from 0; NULL if nothing is wired.
const char* rv_test_wire(const RvScene* scene, const char* node, size_t index, size_t* output);

#ifdef __cplusplus
}
#endif
#endif
