// Writes a scene as JSON that parses back to the same scene.
#include "base/memory.h"
#include "scene/doc.h"
#include "scene/host.h"

// Writes the source of an input: "node", "node:2" or null.
static void write_wire(RvText* text, const RvWire* wire) {
  if (!wire->node)
    rv_text_add(text, "null");
  else if (wire->output)
    rv_text_addf(text, "\"%s:%zu\"", wire->node->name, wire->output + 1);
  else
    rv_text_addf(text, "\"%s\"", wire->node->name);
}

// Writes a node with its wires and the parameters that differ from their defaults.
static void write_node(RvText* text, const RvSceneNode* node) {
  rv_text_addf(text, "    \"%s\": {\"type\": \"%s\"", node->name, node->type->type);
  // Inputs up to the last connected one.
  size_t wired = node->type->ninput;
  while (wired && !node->inputs[wired - 1].node) --wired;
  if (wired) rv_text_add(text, ", \"inputs\": [");
  for (size_t i = 0; i < wired; ++i) {
    if (i) rv_text_add(text, ", ");
    write_wire(text, &node->inputs[i]);
  }
  if (wired) rv_text_add(text, "]");
  // Parameters.
  RvText parms = {0};
  size_t count = rv_scene_values_write(&parms, node->parms, ",\n      ");
  char* values = rv_text_done(&parms);
  if (!values)
    text->failed = true;
  else if (count)
    rv_text_addf(text, ", \"parms\": {\n      %s}", values);
  rv_free(values);
  rv_text_add(text, "}");
}

RvResult rv_scene_write(const RvScene* scene, char** out, RvError* error) {
  // Settings.
  RvText text = {0};
  rv_text_add(&text, "{\"rivulet\": 1, \"fps\": ");
  rv_scene_doc_add_number(&text, scene->fps);
  rv_text_add(&text, ", \"frames\": [");
  rv_scene_doc_add_number(&text, scene->first);
  rv_text_add(&text, ", ");
  rv_scene_doc_add_number(&text, scene->last);
  rv_text_add(&text, "], \"metersperunit\": ");
  rv_scene_doc_add_number(&text, scene->meters);
  rv_text_add(&text, ",\n  \"nodes\": {");
  // Nodes.
  for (size_t i = 0; i < scene->nodes.count; ++i) {
    rv_text_add(&text, i ? ",\n" : "\n");
    write_node(&text, scene->nodes.data[i]);
  }
  rv_text_add(&text, "}}\n");
  *out = rv_text_done(&text);
  return *out ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory writing the scene");
}
