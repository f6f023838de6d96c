#include "scene/cached.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geo/text.h"
#include "scene/checkpoint.h"

enum { CHANGE_BYTES = 600 };  // of the text that says what changed

// How the files of a cache relate to the values of the scene.
typedef enum Standing {
  NOT_A_CACHE,  // another node, or a cache that the scene itself tells to read its files
  SAME,         // cooked with these values
  CHANGED,      // cooked with other values
  UNKNOWN,      // no run has left a record of it
} Standing;

// One call: the nodes of the scene by their index.
typedef struct Work {
  RvScene* scene;
  RvRunNote note;  // of the run that wrote the files
  bool found;      // there is a note
  Standing* standing;
  char (*change)[CHANGE_BYTES];  // what differs, of a changed cache
  bool* wanted;                  // upstream of what is drawn
} Work;

//------------------------------------------------------------------------------------------------ comparison

// Order of lines, for qsort.
static int by_text(const void* a, const void* b) {
  return strcmp(*(char* const*)a, *(char* const*)b);
}

// True if the line of a manifest is about the scene as a whole, or about a node of `member`. Lines of file sequences
// are left out: they depend on the range of frames.
static bool belongs(const RvScene* scene, const char* line, const bool* member) {
  const char* node = strchr(line, '\t');
  const char* end = node ? strchr(node + 1, '\t') : NULL;
  if (!end || strncmp(line, "files\t", strlen("files\t")) == 0) return false;
  if (end == node + 1) return true;
  char name[RV_SCENE_MAX_NAME + 1];
  snprintf(name, sizeof name, "%.*s", (int)(end - node - 1), node + 1);
  const RvSceneNode* found = rv_scene_graph_find(scene, name);
  return found && member[found->index];
}

// The lines of a manifest that belong to some nodes, sorted: the order of nodes in it may change with unrelated ones.
// NULL: out of memory. `text` is cut into lines.
static char* sorted_facts(const RvScene* scene, char* text, const bool* member) {
  size_t count = 0;
  for (const char* c = text; *c; ++c) count += *c == '\n';
  char** lines = rv_alloc(count + 1, sizeof *lines);
  if (!lines) return NULL;
  size_t kept = 0;
  for (char *line = text, *next; *line; line = next) {
    char* end = strchr(line, '\n');
    next = end ? end + 1 : line + strlen(line);
    if (end) *end = 0;
    if (belongs(scene, line, member)) lines[kept++] = line;
  }
  if (kept) qsort(lines, kept, sizeof *lines, by_text);
  RvText out = {0};
  rv_text_add(&out, "");
  for (size_t i = 0; i < kept; ++i) rv_text_addf(&out, "%s\n", lines[i]);
  rv_free(lines);
  return rv_text_done(&out);
}

// True if the manifest names the node.
static bool records(const char* manifest, const RvSceneNode* node) {
  char line[RV_SCENE_MAX_NAME + 16];
  snprintf(line, sizeof line, "\ntype\t%s\t", node->name);
  return strstr(manifest, line) != NULL;
}

// Compares what a cache depends on now with what it depended on in the run.
static RvResult compare(Work* w, RvSceneNode* node, RvError* error) {
  RvSceneNode** order = NULL;
  size_t count = 0;
  bool* member = rv_alloc_zero(w->scene->nodes.count, sizeof *member);
  char* now = NULL;
  char* then = rv_strdup(w->note.manifest);
  RvResult result = member && then ? rv_scene_order_live(w->scene, &node, 1, &order, &count, error)
                                   : rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < count && !result; ++i) member[order[i]->index] = true;
  if (!result) result = rv_scene_manifest_write(w->scene, &node, 1, &now, error);
  char* before = result ? NULL : sorted_facts(w->scene, then, member);
  char* after = result ? NULL : sorted_facts(w->scene, now, member);
  if (!result && !(before && after)) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) {
    bool same = strcmp(before, after) == 0;
    w->standing[node->index] = same ? SAME : CHANGED;
    if (!same) rv_scene_manifest_compare(before, after, w->change[node->index], CHANGE_BYTES);
  }
  rv_free(order);
  rv_free(member);
  rv_free(now);
  rv_free(then);
  rv_free(before);
  rv_free(after);
  return result;
}

// Finds the standing of every cache.
static RvResult judge(Work* w, RvError* error) {
  RvResult result = RV_OK;
  for (size_t i = 0; i < w->scene->nodes.count && !result; ++i) {
    RvSceneNode* node = w->scene->nodes.data[i];
    bool cache = (node->type->flags & RV_NODE_WRITES) && rv_parm_find(node->type->parms, "loadfromdisk");
    if (!cache || node->loads_from_disk) continue;
    w->standing[i] = UNKNOWN;
    if (w->found && records(w->note.manifest, node)) result = compare(w, node, error);
  }
  return result;
}

//------------------------------------------------------------------------------------------------ use

// Tells a cache to read its files.
static RvResult load(RvScene* scene, const RvSceneNode* node, RvError* error) {
  char* assignment = rv_strf("%s.loadfromdisk=1", node->name);
  RvResult result = assignment ? rv_scene_set(scene, assignment, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_free(assignment);
  return result;
}

// True if the files of a cache hold all of its geometry.
static bool is_lossless(const RvSceneNode* node) {
  RvValue value;
  if (!rv_parms_get(node->parms, "file", 0, &value) || !value.text) return false;
  return rv_text_ends(value.text, ".bgeo.sc") || rv_text_ends(value.text, ".bgeo") || rv_text_ends(value.text, ".geo");
}

// Nodes that read the output of a solver read the cache of that output instead.
static void reroute(RvScene* scene, RvSceneNode* cache) {
  const RvWire source = cache->inputs[0];
  if (!source.node || !(source.node->type->flags & RV_NODE_SOLVER) || !is_lossless(cache)) return;
  for (size_t i = 0; i < scene->nodes.count; ++i) {
    RvSceneNode* node = scene->nodes.data[i];
    for (size_t k = 0; k < node->type->ninput; ++k) {
      RvWire* wire = &node->inputs[k];
      // Caches of the same output keep their wires: two that read each other would form a cycle.
      if (wire->node != source.node || wire->output != source.output || (node->type->flags & RV_NODE_WRITES)) continue;
      --wire->node->readers;
      *wire = (RvWire){cache, 0};
      ++cache->readers;
    }
  }
  scene->prepared = false;
}

// The solver that has to run for a node; NULL: none.
static RvResult live_solver(RvScene* scene, RvSceneNode* node, const RvSceneNode** solver, RvError* error) {
  *solver = NULL;
  RvSceneNode** order = NULL;
  size_t count = 0;
  RvResult result = rv_scene_order_prepare(scene, error);
  if (!result) result = rv_scene_order_live(scene, &node, 1, &order, &count, error);
  for (size_t i = 0; i < count && !result; ++i)
    if (order[i]->type->flags & RV_NODE_SOLVER) *solver = order[i];
  rv_free(order);
  return result;
}

// A cache with other values than those of the run: cooked anew where that needs no simulation, else refused.
static RvResult use_changed(Work* w, RvSceneNode* node, bool anyway, RvError* error) {
  const RvSceneNode* solver;
  RvResult result = live_solver(w->scene, node, &solver, error);
  if (result) return result;
  const char* change = w->change[node->index];
  if (!solver) {
    rv_scene_message(w->scene, RV_LEVEL_INFO, node->name, w->note.first,
                     "it is cooked anew for the picture, as a value differs from its files: %s", change);
    return RV_OK;
  }
  if (anyway) {
    rv_scene_message(w->scene, RV_LEVEL_WARNING, node->name, w->note.first,
                     "its files were cooked with other values and are drawn as they are: %s", change);
    return load(w->scene, node, error);
  }
  return rv_fail(error, RV_BAD_INPUT,
                 "the files of '%s' were cooked with other values (%s), and '%s' would have to simulate again. Cook "
                 "again, undo the change, or draw the files as they are with --anyway. A node after a file cache of "
                 "the solver's output changes the look without simulating",
                 node->name, change, solver->name);
}

// Tells of a cache whose values nobody has recorded.
static void tell_unknown(const Work* w, const RvSceneNode* node) {
  rv_scene_message(
      w->scene, RV_LEVEL_INFO, node->name, w->scene->first,
      "its files are drawn as they are: no run in this folder recorded with which values they were cooked");
}

// Lets the caches read their files, or cook, according to their standing.
static RvResult apply(Work* w, bool anyway, RvError* error) {
  RvScene* scene = w->scene;
  RvResult result = RV_OK;
  for (size_t i = 0; i < scene->nodes.count && !result; ++i) {
    RvSceneNode* node = scene->nodes.data[i];
    if (w->standing[i] != SAME && w->standing[i] != UNKNOWN) continue;
    if (w->standing[i] == UNKNOWN && w->wanted[i]) tell_unknown(w, node);
    result = load(scene, node, error);
    if (!result && w->standing[i] == SAME) reroute(scene, node);
  }
  for (size_t i = 0; i < scene->nodes.count && !result; ++i)
    if (w->standing[i] == CHANGED && w->wanted[i]) result = use_changed(w, scene->nodes.data[i], anyway, error);
  return result;
}

// Marks everything that is cooked for the outputs.
static RvResult mark_wanted(Work* w, const char* const* outputs, size_t count, RvError* error) {
  RvResult result = RV_OK;
  for (size_t i = 0; i < count && !result; ++i) {
    RvWire wire;
    RvSceneNode** order = NULL;
    size_t norder = 0;
    result = rv_scene_graph_resolve(w->scene, outputs[i], &wire, error);
    if (!result) result = rv_scene_order_live(w->scene, &wire.node, 1, &order, &norder, error);
    for (size_t k = 0; k < norder && !result; ++k) w->wanted[order[k]->index] = true;
    rv_free(order);
  }
  return result;
}

RvResult rv_scene_cached_use(RvScene* scene, const char* folder, const char* const* outputs, size_t count, bool anyway,
                             RvError* error) {
  size_t nodes = scene->nodes.count;
  Work w = {.scene = scene,
            .standing = rv_alloc_zero(nodes, sizeof(Standing)),
            .change = rv_alloc_zero(nodes, CHANGE_BYTES),
            .wanted = rv_alloc_zero(nodes, sizeof(bool))};
  RvResult result = w.standing && w.change && w.wanted ? rv_scene_order_prepare(scene, error)
                                                       : rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) result = rv_scene_note_load(scene, folder, &w.note, &w.found, error);
  if (!result) result = mark_wanted(&w, outputs, count, error);
  if (!result) result = judge(&w, error);
  if (!result) result = apply(&w, anyway, error);
  rv_free(w.note.manifest);
  rv_free(w.standing);
  rv_free(w.change);
  rv_free(w.wanted);
  return result;
}

RvResult rv_scene_cached_reaches_solver(RvScene* scene, const char* name, bool* simulated, RvError* error) {
  *simulated = false;
  const RvSceneNode* node = rv_scene_graph_find(scene, name);
  RvResult result = RV_OK;
  for (size_t i = 0; node && i < scene->nodes.count && !result && !*simulated; ++i) {
    RvSceneNode* solver = scene->nodes.data[i];
    if (!(solver->type->flags & RV_NODE_SOLVER)) continue;
    RvSceneNode** order = NULL;
    size_t count = 0;
    result = rv_scene_order_live(scene, &solver, 1, &order, &count, error);
    for (size_t k = 0; k < count && !result; ++k) *simulated = *simulated || order[k] == node;
    rv_free(order);
  }
  return result;
}
