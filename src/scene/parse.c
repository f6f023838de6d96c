// Reads a scene from JSON. Every error names the file, the line and the node.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/platform.h"
#include "scene/doc.h"
#include "scene/host.h"

enum {
  SCENE_VERSION = 1,           // of the format, the value of "rivulet"
  MAX_SCENE_BYTES = 64 << 20,  // of the text; larger files are refused
  ARENA_BYTES = 1 << 16,       // first block of the parsed tree
  HINT_BYTES = 120,            // of "; did you mean ..."
};
// Bounds of scene settings; values beyond them are refused.
static const double max_fps = 1e6;              // frames per second
static const double max_meters_per_unit = 1e9;  // metres
static const double max_frame = 1e9;            // magnitude

typedef struct Parser {
  const char* name;  // of the file, for errors
  RvScene* scene;    // being built
  RvError* error;
} Parser;

// Puts file and line before the text of an error.
static RvResult at_line(const Parser* p, int line, RvResult result) {
  rv_error_context(p->error, "%s:%d", p->name, line);
  return result;
}

// The error for a value that is not what the format wants.
static RvResult wants(const Parser* p, const RvDoc* value, const char* what) {
  return rv_fail(p->error, RV_BAD_INPUT, "%s:%d: %s", p->name, value->line, what);
}

// Refuses keys of an object that are not in `known`; `where` names the node.
static RvResult refuse_unknown(const Parser* p, const RvDoc* object, const char* const* known, const char* where) {
  const RvDoc* member = rv_scene_doc_unknown(object, known);
  char hint[HINT_BYTES];
  if (!member) return RV_OK;
  return rv_fail(p->error, RV_BAD_INPUT, "%s:%d: %sunknown key '%.60s'%s", p->name, member->line, where, member->key,
                 rv_scene_graph_suggest_list(member->key, known, hint, sizeof hint));
}

//------------------------------------------------------------------------------------------------ nodes

// Sets the parameters of a node.
static RvResult read_parms(const Parser* p, const char* node, const RvDoc* parms) {
  if (parms->kind != RV_DOC_OBJECT) return wants(p, parms, "\"parms\" must be an object {\"token\": value, ...}");
  for (const RvDoc* value = parms->first; value; value = value->next) {
    int line = value->line;
    RvResult result = rv_scene_values_read(rv_scene_parms(p->scene, node), value, &line, p->error);
    if (!result) continue;
    rv_error_context(p->error, "node '%s'", node);
    return at_line(p, line, result);
  }
  return RV_OK;
}

// Adds a node with its parameters.
static RvResult read_node(const Parser* p, const RvDoc* node) {
  static const char* const known[] = {"type", "inputs", "parms", NULL};
  char where[RV_SCENE_MAX_NAME + sizeof "node '': "];
  if (strlen(node->key) > RV_SCENE_MAX_NAME)
    return wants(p, node, "the name of this node is longer than 64 characters");
  snprintf(where, sizeof where, "node '%s': ", node->key);
  if (node->kind != RV_DOC_OBJECT)
    return rv_fail(p->error, RV_BAD_INPUT, "%s:%d: node '%s' must be an object {\"type\": ...}, not %s", p->name,
                   node->line, node->key, rv_scene_doc_kind_name(node->kind));
  RvResult result = refuse_unknown(p, node, known, where);
  if (result) return result;
  // Type.
  const RvDoc* type = rv_scene_doc_find(node, "type");
  if (!type || type->kind != RV_DOC_STRING)
    return rv_fail(p->error, RV_BAD_INPUT, "%s:%d: node '%s' needs a \"type\" in quotes", p->name,
                   type ? type->line : node->line, node->key);
  result = rv_scene_add(p->scene, node->key, type->string, p->error);
  if (result) return at_line(p, type->line, result);
  // Parameters.
  const RvDoc* parms = rv_scene_doc_find(node, "parms");
  return parms ? read_parms(p, node->key, parms) : RV_OK;
}

// Connects the inputs of a node.
static RvResult read_inputs(const Parser* p, const RvDoc* node) {
  const RvDoc* inputs = rv_scene_doc_find(node, "inputs");
  if (!inputs) return RV_OK;
  if (inputs->kind != RV_DOC_ARRAY)
    return rv_fail(p->error, RV_BAD_INPUT, "%s:%d: node '%s': \"inputs\" must be a list such as [\"head\", null]",
                   p->name, inputs->line, node->key);
  // Connect them in order; null leaves an input unconnected.
  RvSceneNode* target = rv_scene_graph_find(p->scene, node->key);
  size_t index = 0;
  for (const RvDoc* input = inputs->first; input; input = input->next, ++index) {
    if (input->kind != RV_DOC_STRING && input->kind != RV_DOC_NULL)
      return rv_fail(p->error, RV_BAD_INPUT,
                     "%s:%d: node '%s', input %zu must be the name of a node in quotes or null, not %s", p->name,
                     input->line, node->key, index + 1, rv_scene_doc_kind_name(input->kind));
    const char* source = input->kind == RV_DOC_STRING ? input->string : NULL;
    RvResult result = rv_scene_graph_wire(p->scene, target, index, source, false, p->error);
    if (result) return at_line(p, input->line, result);
  }
  return RV_OK;
}

// Adds all nodes, connects them and checks for cycles.
static RvResult read_nodes(const Parser* p, const RvDoc* nodes) {
  if (nodes->kind != RV_DOC_OBJECT) return wants(p, nodes, "\"nodes\" must be an object {\"name\": {...}, ...}");
  RvResult result = RV_OK;
  for (const RvDoc* node = nodes->first; node && !result; node = node->next) result = read_node(p, node);
  // Connect after all nodes exist: a scene may list them in any order.
  for (const RvDoc* node = nodes->first; node && !result; node = node->next) result = read_inputs(p, node);
  if (result) return result;
  // A cycle makes the sort fail.
  RvSceneNode** order;
  size_t count;
  result = rv_scene_order_upstream(p->scene, NULL, false, &order, &count, p->error);
  if (result) return at_line(p, nodes->line, result);
  rv_free(order);
  return RV_OK;
}

//------------------------------------------------------------------------------------------------ settings

// Reads "frames": [first, last].
static RvResult read_frames(const Parser* p, const RvDoc* frames) {
  const RvDoc* first = frames->kind == RV_DOC_ARRAY && frames->count == 2 ? frames->first : NULL;
  const RvDoc* last = first ? first->next : NULL;
  if (!last || first->kind != RV_DOC_NUMBER || last->kind != RV_DOC_NUMBER || first->number > last->number ||
      first->number < -max_frame || last->number > max_frame)
    return wants(p, frames, "\"frames\" must be [first, last] with first <= last");
  if (last->number - first->number > RV_SCENE_MAX_FRAMES)
    return wants(p, frames, "\"frames\" spans more than a million frames");
  rv_scene_set_frames(p->scene, first->number, last->number);
  return RV_OK;
}

// Reads the version and the settings of the scene.
static RvResult read_settings(const Parser* p, const RvDoc* root) {
  const RvDoc* version = rv_scene_doc_find(root, "rivulet");
  if (!version) return wants(p, root, "this is not a Rivulet scene: \"rivulet\": 1 is missing");
  if (version->kind != RV_DOC_NUMBER || version->number != SCENE_VERSION)
    return wants(p, version, "\"rivulet\" must be 1: this program reads scenes of version 1 only");
  // Optional settings; the negated comparisons also refuse NaN.
  const RvDoc* fps = rv_scene_doc_find(root, "fps");
  if (fps && (fps->kind != RV_DOC_NUMBER || !(fps->number > 0 && fps->number <= max_fps)))
    return wants(p, fps, "\"fps\" must be a number above 0 (and at most 1e6)");
  if (fps) rv_scene_set_fps(p->scene, fps->number);
  const RvDoc* meters = rv_scene_doc_find(root, "metersperunit");
  if (meters && (meters->kind != RV_DOC_NUMBER || !(meters->number > 0 && meters->number <= max_meters_per_unit)))
    return wants(p, meters, "\"metersperunit\" must be a number above 0 (and at most 1e9)");
  if (meters) rv_scene_set_meters_per_unit(p->scene, meters->number);
  const RvDoc* frames = rv_scene_doc_find(root, "frames");
  return frames ? read_frames(p, frames) : RV_OK;
}

// Reads the whole scene from the root object.
static RvResult read_scene(const Parser* p, const RvDoc* root) {
  static const char* const known[] = {"rivulet", "fps", "frames", "metersperunit", "nodes", NULL};
  if (root->kind != RV_DOC_OBJECT) return wants(p, root, "a scene is an object {\"rivulet\": 1, \"nodes\": {...}}");
  RvResult result = refuse_unknown(p, root, known, "");
  if (!result) result = read_settings(p, root);
  const RvDoc* nodes = rv_scene_doc_find(root, "nodes");
  if (!result && !nodes) result = wants(p, root, "the scene has no \"nodes\"");
  return result ? result : read_nodes(p, nodes);
}

RvResult rv_scene_parse(const char* text, size_t bytes, const char* name, RvScene** out, RvError* error) {
  *out = NULL;
  RvError own = {0};
  Parser p = {name ? name : "scene", rv_scene_new(), error ? error : &own};
  // Parse the text into a tree, then build the scene from it.
  RvArena* arena = rv_arena_new(ARENA_BYTES);
  RvResult result;
  RvDoc* root = NULL;
  if (!p.scene || !arena)
    result = rv_fail(p.error, RV_NO_MEMORY, "%s: out of memory", p.name);
  else if (bytes > MAX_SCENE_BYTES)
    result = rv_fail(p.error, RV_LIMIT, "%s: a scene has at most 64 MB of text, this one %zu bytes", p.name, bytes);
  else
    result = rv_scene_doc_parse(text, bytes, p.name, arena, &root, p.error);
  if (!result) result = read_scene(&p, root);
  rv_arena_free(arena);
  if (result)
    rv_scene_free(p.scene);
  else
    *out = p.scene;
  return result;
}

// Sets $HIP to the folder of the scene file. False: out of memory.
static bool set_hip(RvScene* scene, const char* path) {
  // The folder of the resolved path, so that $HIP does not depend on the current folder.
  char real[RV_PATH_BYTES];
  const char* from = rv_platform_real_path(path, real) ? real : path;
  const char* slash = strrchr(from, '/');
  char* hip = slash ? rv_strf("%.*s", slash == from ? 1 : (int)(slash - from), from) : rv_strdup(".");
  if (!hip) return false;
  rv_free(scene->hip);
  scene->hip = hip;
  return true;
}

RvResult rv_scene_load(const char* path, RvScene** out, RvError* error) {
  *out = NULL;
  void* bytes;
  size_t count;
  RvResult result = rv_file_read(path, MAX_SCENE_BYTES, &bytes, &count, error);
  if (result) return result;
  result = rv_scene_parse(bytes, count, path, out, error);
  rv_free(bytes);
  if (!result && !set_hip(*out, path)) {
    rv_scene_free(*out);
    *out = NULL;
    result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  return result;
}
