#include "support/scene_wires.h"

#include "scene/host.h"

const char* rv_test_wire(const RvScene* scene, const char* node, size_t index, size_t* output) {
  const RvSceneNode* found = rv_scene_graph_find(scene, node);
  if (!found || index >= found->type->ninput || !found->inputs[index].node) return NULL;
  *output = found->inputs[index].output;
  return found->inputs[index].node->name;
}
