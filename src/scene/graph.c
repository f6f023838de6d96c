// The graph of a scene: nodes by name, the wires between them, and the assignment of parameters.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "parm/find.h"
#include "parm/values.h"
#include "scene/host.h"

enum {
  MAX_CANDIDATES = 10000,   // names searched for a suggestion; bounds the cost of an error in a huge scene
  SUGGESTION_BYTES = 120,   // of the text "; did you mean '...'?"
  FIRST_NAME_BUCKETS = 64,  // of the name table; a power of two
};

//------------------------------------------------------------------------------------------------ suggestions

const char* rv_scene_graph_suggest(const char* word, RvCandidateFn* next, const void* user, char* text, size_t size) {
  const char* best = NULL;
  // A candidate must be within an edit distance of a third of the word's length.
  int best_distance = (int)strlen(word) / 3 + 1;
  for (size_t i = 0; i < MAX_CANDIDATES; ++i) {
    const char* candidate = next(user, i);
    if (!candidate) break;
    int distance = rv_edit_distance(word, candidate);
    if (distance <= best_distance && (!best || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  if (best)
    snprintf(text, size, "; did you mean '%s'?", best);
  else if (size)
    text[0] = 0;
  return text;
}

// Candidate of a list that NULL ends.
static const char* list_item(const void* user, size_t index) {
  return ((const char* const*)user)[index];
}

const char* rv_scene_graph_suggest_list(const char* word, const char* const* list, char* text, size_t size) {
  return rv_scene_graph_suggest(word, list_item, list, text, size);
}

// Candidate: the name of a node of the scene.
static const char* node_item(const void* user, size_t index) {
  const RvScene* scene = user;
  return index < scene->nodes.count ? scene->nodes.data[index]->name : NULL;
}

// Candidate: the name of a node type.
static const char* type_item(const void* user, size_t index) {
  (void)user;
  return index < rv_node_type_count() ? rv_node_type(index)->type : NULL;
}

//------------------------------------------------------------------------------------------------ names

// Bucket of a name; the table must not be empty.
static size_t name_slot(const RvScene* scene, const char* name) {
  return (size_t)rv_hash(name, strlen(name), 0) & (scene->nname - 1);
}

RvSceneNode* rv_scene_graph_find(const RvScene* scene, const char* name) {
  if (!name || !scene->nname) return NULL;
  RvSceneNode* node = scene->names[name_slot(scene, name)];
  while (node && strcmp(node->name, name) != 0) node = node->chain;
  return node;
}

// Adds a node to the name table.
static void name_insert(RvScene* scene, RvSceneNode* node) {
  size_t slot = name_slot(scene, node->name);
  node->chain = scene->names[slot];
  scene->names[slot] = node;
}

// Doubles the name table when there are as many nodes as buckets. False: out of memory.
static bool names_grow(RvScene* scene) {
  if (scene->nodes.count < scene->nname) return true;
  size_t wanted = scene->nname ? scene->nname * 2 : FIRST_NAME_BUCKETS;
  RvSceneNode** names = rv_alloc_zero(wanted, sizeof *names);
  if (!names) return false;
  rv_free(scene->names);
  scene->names = names;
  scene->nname = wanted;
  for (size_t i = 0; i < scene->nodes.count; ++i) name_insert(scene, scene->nodes.data[i]);
  return true;
}

// Takes a node out of the name table.
static void name_remove(RvScene* scene, RvSceneNode* node) {
  RvSceneNode** link = &scene->names[name_slot(scene, node->name)];
  while (*link != node) link = &(*link)->chain;
  *link = node->chain;
}

// Refuses names that are empty, too long, taken, or have characters that wires, settings or file names cannot hold.
static RvResult check_name(const RvScene* scene, const char* name, RvError* error) {
  size_t length = name ? strlen(name) : 0;
  if (!length || length > RV_SCENE_MAX_NAME)
    return rv_fail(error, RV_BAD_INPUT, "a node's name has 1 to %d characters; '%.80s' has %zu", RV_SCENE_MAX_NAME,
                   name ? name : "", length);
  for (const char* c = name; *c; ++c)
    if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_' || *c == '-'))
      return rv_fail(error, RV_BAD_INPUT, "the node name '%s' may only have letters, digits, '_' and '-'", name);
  if (rv_scene_graph_find(scene, name))
    return rv_fail(error, RV_BAD_INPUT, "there is already a node '%s'; choose another name", name);
  return RV_OK;
}

//------------------------------------------------------------------------------------------------ nodes

// Frees a node that is no longer in the name table. NULL is allowed.
static void node_free(RvScene* scene, RvSceneNode* node) {
  if (!node) return;
  rv_scene_solve_forget(scene, node);
  rv_state_free(&node->initial_state);
  rv_parms_free(node->parms);
  rv_array_free(&node->sums.prefix_sums);
  rv_free(node->inputs);
  rv_free(node->name);
  rv_free(node);
}

// True if the type has a file parameter that it reads; the file parameters of writers are outputs.
static bool reads_files(const RvNodeType* type) {
  if (type->flags & RV_NODE_WRITES) return false;
  for (size_t i = 0; i < type->parms->count; ++i)
    if (type->parms->rows[i].type == RV_PARM_FILE) return true;
  return false;
}

RvResult rv_scene_add(RvScene* scene, const char* name, const char* type_name, RvError* error) {
  RvResult result = check_name(scene, name, error);
  if (result) return result;
  // Find the type.
  const RvNodeType* type = type_name ? rv_node_find(type_name) : NULL;
  char hint[SUGGESTION_BYTES];
  if (!type)
    return rv_fail(error, RV_NOT_FOUND, "node '%s': there is no node type '%.80s'%s", name, type_name ? type_name : "",
                   rv_scene_graph_suggest(type_name ? type_name : "", type_item, NULL, hint, sizeof hint));
  if (scene->nodes.count >= RV_SCENE_MAX_NODES)
    return rv_fail(error, RV_LIMIT, "a scene has at most %d nodes", RV_SCENE_MAX_NODES);
  // Make the node.
  RvSceneNode* node = rv_alloc_zero(1, sizeof *node);
  if (node) {
    node->type = type;
    node->name = rv_strdup(name);
    node->parms = rv_parms_new(type->parms);
    if (node->parms) rv_parms_set_meters(node->parms, scene->meters);
    node->inputs = rv_alloc_zero(type->ninput, sizeof *node->inputs);
    node->reads_files = reads_files(type);
    node->index = scene->nodes.count;
  }
  // Add it to the list and the name table.
  if (!node || !node->name || !node->parms || !node->inputs || !names_grow(scene) ||
      !rv_array_push(&scene->nodes, node)) {
    node_free(scene, node);
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  name_insert(scene, node);
  scene->prepared = false;
  return RV_OK;
}

// The error for an unknown node name, with the nearest existing name.
static RvResult no_such_node(const RvScene* scene, const char* name, RvError* error) {
  char hint[SUGGESTION_BYTES];
  return rv_fail(error, RV_NOT_FOUND, "there is no node '%.80s'%s", name ? name : "",
                 rv_scene_graph_suggest(name ? name : "", node_item, scene, hint, sizeof hint));
}

RvResult rv_scene_remove(RvScene* scene, const char* name, RvError* error) {
  RvSceneNode* node = rv_scene_graph_find(scene, name);
  if (!node) return no_such_node(scene, name, error);
  // Forget its results and those downstream, while the wires still exist.
  rv_scene_forget(scene, name);
  for (size_t i = 0; i < node->type->ninput; ++i)
    if (node->inputs[i].node) --node->inputs[i].node->readers;
  name_remove(scene, node);
  // Close the gap in the list of nodes and disconnect the readers.
  size_t kept = 0;
  for (size_t i = 0; i < scene->nodes.count; ++i) {
    RvSceneNode* other = scene->nodes.data[i];
    if (other == node) continue;
    for (size_t k = 0; node->readers && k < other->type->ninput; ++k)
      if (other->inputs[k].node == node) other->inputs[k] = (RvWire){0};
    other->index = kept;
    scene->nodes.data[kept++] = other;
  }
  scene->nodes.count = kept;
  node_free(scene, node);
  scene->prepared = false;
  return RV_OK;
}

void rv_scene_graph_free(RvScene* scene) {
  for (size_t i = 0; i < scene->nodes.count; ++i) node_free(scene, scene->nodes.data[i]);
  rv_array_free(&scene->nodes);
  rv_free(scene->names);
}

//------------------------------------------------------------------------------------------------ wires

// Finds the output of a node type by its number (from 1) or its name.
static RvResult find_output(const RvSceneNode* node, const char* text, size_t* output, RvError* error) {
  const RvNodeType* type = node->type;
  // By number.
  char* end;
  long number = strtol(text, &end, 10);
  if (text[0] >= '0' && text[0] <= '9' && !*end) {
    if (number < 1 || (size_t)number > type->noutput)
      return rv_fail(error, RV_NOT_FOUND, "'%s' (%s) has outputs 1 to %zu, not %.20s", node->name, type->type,
                     type->noutput, text);
    *output = (size_t)number - 1;
    return RV_OK;
  }
  // By name; the names also serve for a suggestion.
  const char* names[RV_NODE_MAX_OUTPUTS + 1] = {0};
  for (size_t i = 0; i < type->noutput; ++i) {
    names[i] = type->outputs[i].name;
    if (strcmp(names[i], text) != 0) continue;
    *output = i;
    return RV_OK;
  }
  char hint[SUGGESTION_BYTES];
  return rv_fail(error, RV_NOT_FOUND, "'%s' (%s) has no output '%.40s'%s", node->name, type->type, text,
                 rv_scene_graph_suggest_list(text, names, hint, sizeof hint));
}

RvResult rv_scene_graph_resolve(const RvScene* scene, const char* text, RvWire* wire, RvError* error) {
  const char* colon = strchr(text, ':');
  size_t length = colon ? (size_t)(colon - text) : strlen(text);
  // The part before the colon is the node.
  char name[RV_SCENE_MAX_NAME + 1];
  if (length > RV_SCENE_MAX_NAME) return no_such_node(scene, text, error);
  memcpy(name, text, length);
  name[length] = 0;
  RvSceneNode* node = rv_scene_graph_find(scene, name);
  if (!node) return no_such_node(scene, name, error);
  *wire = (RvWire){node, 0};
  return colon ? find_output(node, colon + 1, &wire->output, error) : RV_OK;
}

RvResult rv_scene_graph_wire(RvScene* scene, RvSceneNode* node, size_t index, const char* source, bool check,
                             RvError* error) {
  if (index >= node->type->ninput) {
    if (!node->type->ninput)
      return rv_fail(error, RV_BAD_INPUT, "node '%s' (%s) takes no inputs", node->name, node->type->type);
    return rv_fail(error, RV_BAD_INPUT, "node '%s' (%s) takes at most %zu inputs, and this would be number %zu",
                   node->name, node->type->type, node->type->ninput, index + 1);
  }
  RvWire wire = {0};
  if (source) {
    RvResult result = rv_scene_graph_resolve(scene, source, &wire, error);
    if (result) {
      rv_error_context(error, "node '%s', input %zu", node->name, index + 1);
      return result;
    }
  }
  // Connect, keeping the count of readers.
  RvWire before = node->inputs[index];
  if (before.node) --before.node->readers;
  if (wire.node) ++wire.node->readers;
  node->inputs[index] = wire;
  scene->prepared = false;
  // A node without readers cannot close a cycle, so building a scene in the direction of the data needs no search.
  if (!check || !wire.node || (node->readers == 0 && wire.node != node)) return RV_OK;
  RvSceneNode** order = NULL;
  size_t count;
  RvResult result = rv_scene_order_upstream(scene, node, false, &order, &count, error);
  rv_free(order);
  if (!result) return RV_OK;
  // A cycle: restore the former wire.
  --wire.node->readers;
  if (before.node) ++before.node->readers;
  node->inputs[index] = before;
  return result;
}

RvResult rv_scene_connect(RvScene* scene, const char* name, size_t index, const char* source, RvError* error) {
  RvSceneNode* node = rv_scene_graph_find(scene, name);
  if (!node) return no_such_node(scene, name, error);
  return rv_scene_graph_wire(scene, node, index, source, true, error);
}

//------------------------------------------------------------------------------------------------ values

RvParms* rv_scene_parms(RvScene* scene, const char* name) {
  RvSceneNode* node = rv_scene_graph_find(scene, name);
  return node ? node->parms : NULL;
}

void rv_scene_touch(RvScene* scene, const char* name) {
  (void)name;
  scene->prepared = false;
}

RvResult rv_scene_set(RvScene* scene, const char* assignment, RvError* error) {
  // The first dot ends the node's name, which has none; the first '=' ends the parameter.
  const char* dot = strchr(assignment, '.');
  const char* equals = strchr(assignment, '=');
  if (!dot || !equals || dot > equals || dot == assignment || equals == dot + 1)
    return rv_fail(error, RV_BAD_INPUT, "'%.200s' is not of the form NODE.PARM=VALUE (such as 'groom.length=0.1')",
                   assignment);
  // Split into node, parameter and value.
  char* name = rv_strf("%.*s", (int)(dot - assignment), assignment);
  char* token = rv_strf("%.*s", (int)(equals - dot - 1), dot + 1);
  RvResult result = RV_OK;
  if (!name || !token) {
    result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  } else {
    RvSceneNode* node = rv_scene_graph_find(scene, name);
    result = node ? rv_parms_set_text(node->parms, token, equals + 1, error) : no_such_node(scene, name, error);
    if (result && node) rv_error_context(error, "node '%s'", name);
    scene->prepared = false;
  }
  rv_free(name);
  rv_free(token);
  return result;
}
