// The order of cooking (depth-first topological sort, with detection of cycles), and the keys by which cached results
// are found: equal keys mean equal results.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "parm/values.h"
#include "scene/host.h"

//------------------------------------------------------------------------------------------------ order

enum { MAX_CYCLE_SHOWN = 20 };  // nodes of a cycle that an error names

// A node on the stack of the depth-first search.
typedef struct Visit {
  RvSceneNode* node;
  size_t next;  // next input to visit
} Visit;

typedef enum Mark { UNVISITED, ON_STACK, DONE } Mark;

// Depth-first search with an explicit stack, so that long chains of nodes do not exhaust the C stack.
typedef struct Walk {
  RvSceneNode** order;  // finished nodes
  size_t count, capacity;
  Visit* stack;
  size_t depth, stack_capacity;
  uint8_t* mark;  // a Mark for each node of the scene
} Walk;

// Puts a node on the stack. False: out of memory.
static bool push(Walk* walk, RvSceneNode* node) {
  if (!rv_array_reserve_bytes((void**)&walk->stack, &walk->stack_capacity, walk->depth, walk->depth + 1, sizeof(Visit)))
    return false;
  walk->stack[walk->depth++] = (Visit){node, 0};
  walk->mark[node->index] = ON_STACK;
  return true;
}

// Moves the top of the stack to the order. False: out of memory.
static bool finish(Walk* walk, RvSceneNode* node) {
  if (!rv_array_reserve_bytes((void**)&walk->order, &walk->capacity, walk->count, walk->count + 1, sizeof node))
    return false;
  walk->order[walk->count++] = node;
  walk->mark[node->index] = DONE;
  --walk->depth;
  return true;
}

// The error for a cycle. It names the nodes in the direction of the data: a feeds b feeds c feeds a.
static RvResult name_cycle(const Walk* walk, const RvSceneNode* closing, RvError* error) {
  // The cycle begins where the stack has the same node.
  size_t start = walk->depth - 1;
  while (walk->stack[start].node != closing) --start;
  RvText text = {0};
  // The stack goes upstream, so the data flows from its top to its bottom.
  rv_text_add(&text, closing->name);
  for (size_t i = walk->depth, shown = 0; i-- > start; ++shown) {
    if (shown < MAX_CYCLE_SHOWN || i == start)
      rv_text_addf(&text, " -> %s", walk->stack[i].node->name);
    else if (shown == MAX_CYCLE_SHOWN)
      rv_text_add(&text, " -> ...");
  }
  char* ring = rv_text_done(&text);
  RvResult result =
      rv_fail(error, RV_BAD_INPUT, "the wires form a cycle: %s; disconnect one of them", ring ? ring : "");
  rv_free(ring);
  return result;
}

// Appends `root` and its unvisited upstream nodes to the order.
static RvResult walk_from(Walk* walk, RvSceneNode* root, bool stop_at_solvers, RvError* error) {
  if (walk->mark[root->index]) return RV_OK;
  if (!push(walk, root)) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  while (walk->depth) {
    Visit* top = &walk->stack[walk->depth - 1];
    RvSceneNode* node = top->node;
    // Find the next unvisited input.
    bool leaf = stop_at_solvers && (node->loads_from_disk || (node->type->flags & RV_NODE_SOLVER));
    RvSceneNode* input = NULL;
    while (!leaf && !input && top->next < node->type->ninput) {
      input = node->inputs[top->next++].node;
      if (!input) continue;
      if (walk->mark[input->index] == ON_STACK) return name_cycle(walk, input, error);
      if (walk->mark[input->index] == DONE) input = NULL;
    }
    // Descend into it, or finish the node.
    if (!(input ? push(walk, input) : finish(walk, node))) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  return RV_OK;
}

RvResult rv_scene_order_upstream(const RvScene* scene, const RvSceneNode* target, bool stop_at_solvers,
                                 RvSceneNode*** order, size_t* count, RvError* error) {
  Walk walk = {.mark = rv_alloc_zero(scene->nodes.count, 1)};
  *order = NULL;
  *count = 0;
  if (!walk.mark) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  // Search from the target, or from all nodes.
  RvResult result = RV_OK;
  for (size_t i = 0; i < scene->nodes.count && !result; ++i)
    if (!target || scene->nodes.data[i] == target)
      result = walk_from(&walk, scene->nodes.data[i], stop_at_solvers, error);
  rv_free(walk.mark);
  rv_free(walk.stack);
  if (result) {
    rv_free(walk.order);
    return result;
  }
  *order = walk.order;
  *count = walk.count;
  return RV_OK;
}

RvResult rv_scene_order_live(const RvScene* scene, RvSceneNode* const* targets, size_t ntarget, RvSceneNode*** order,
                             size_t* count, RvError* error) {
  *count = 0;
  size_t all = 0;
  bool* wanted = rv_alloc_zero(scene->nodes.count, sizeof *wanted);
  if (!wanted) *order = NULL;
  RvResult result = wanted ? rv_scene_order_upstream(scene, NULL, false, order, &all, error)
                           : rv_fail(error, RV_NO_MEMORY, "out of memory");
  // Mark the targets, then the live inputs of marked nodes, downstream nodes first.
  for (size_t i = 0; i < ntarget && !result; ++i) wanted[targets[i]->index] = true;
  for (size_t i = all; i-- > 0;)
    for (size_t k = 0; wanted[(*order)[i]->index] && k < rv_scene_graph_live_inputs((*order)[i]); ++k)
      if ((*order)[i]->inputs[k].node) wanted[(*order)[i]->inputs[k].node->index] = true;
  // Keep the marked nodes.
  for (size_t i = 0; i < all; ++i)
    if (wanted[(*order)[i]->index]) (*order)[(*count)++] = (*order)[i];
  rv_free(wanted);
  return result;
}

//------------------------------------------------------------------------------------------------ keys

RvResult rv_scene_order_eval(RvScene* scene, RvSceneNode* node, double frame, void* out, RvError* error) {
  RvVars vars = {frame, scene->fps, scene->out, scene->hip, node->name};
  return rv_parms_eval(node->parms, &vars, out, error);
}

RvResult rv_scene_order_values(RvScene* scene, RvSceneNode* node, double frame, void** out, RvError* error) {
  RvError why = {0};
  *out = rv_alloc_zero(1, node->type->parms->struct_bytes);
  RvResult result = *out ? rv_scene_order_eval(scene, node, frame, *out, &why) : RV_NO_MEMORY;
  if (!result) return RV_OK;
  rv_free(*out);
  *out = NULL;
  return result == RV_NO_MEMORY ? rv_fail(error, RV_NO_MEMORY, "out of memory") : RV_OK;
}

// Sets the start frame of a solver: that of its given initial state, else its parameter, else the scene's first frame.
static RvResult find_start(RvScene* scene, RvSceneNode* node, RvError* error) {
  bool given = !rv_state_empty(&node->initial_state);
  node->start = given ? node->initial_state_frame : scene->first;
  const RvParmDef* def = rv_parm_find(node->type->parms, "startframe");
  if (given || !def || (def->type != RV_PARM_FLOAT && def->type != RV_PARM_INT)) return RV_OK;
  // Evaluate the parameter at the scene's first frame.
  void* parms;
  RvResult result = rv_scene_order_values(scene, node, scene->first, &parms, error);
  if (!parms) return result;
  const void* value = (const char*)parms + def->offset;
  double start = def->type == RV_PARM_INT ? (double)*(const int64_t*)value : *(const double*)value;
  rv_free(parms);
  if (isfinite(start)) node->start = start;
  return RV_OK;
}

// Adds a number to a hash; +0 and -0 are the same.
static void add_double(RvHasher* hasher, double value) {
  value = value == 0 ? 0 : value;
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  rv_hasher_add_u64(hasher, bits);
}

// Finds out whether the node's "Load from Disk" is on: it then reads the files that it wrote instead of its inputs.
static RvResult find_loads_from_disk(RvScene* scene, RvSceneNode* node, RvError* error) {
  node->loads_from_disk = false;
  const RvParmDef* def = node->type->flags & RV_NODE_WRITES ? rv_parm_find(node->type->parms, "loadfromdisk") : NULL;
  if (!def || def->type != RV_PARM_TOGGLE) return RV_OK;
  void* parms;
  RvResult result = rv_scene_order_values(scene, node, scene->first, &parms, error);
  node->loads_from_disk = parms && *(const bool*)((const char*)parms + def->offset);
  rv_free(parms);
  return result;
}

// Derives what depends on the inputs: graph key, time dependence, sequences and start frames. The inputs are prepared.
static RvResult prepare_upstream(RvScene* scene, RvSceneNode* node, RvError* error) {
  bool solver = node->type->flags & RV_NODE_SOLVER;
  bool input_time_dependent = false;
  // Begin with the node's own properties.
  node->depends_on_sequence = rv_scene_files_sequence(node);
  node->samples_frames = node->type->flags & RV_NODE_SAMPLES_FRAMES;
  node->earliest_start = solver ? node->start : INFINITY;
  node->latest_start = solver ? node->start : -INFINITY;
  node->sums.prefix_sums.count = 0;
  // Combine them with those of the inputs.
  RvHasher graph = rv_hasher_new(RV_SCENE_SEED_GRAPH);
  rv_hasher_add_u64(&graph, node->own_key);
  for (size_t i = 0; i < rv_scene_graph_live_inputs(node); ++i) {
    const RvWire* wire = &node->inputs[i];
    rv_hasher_add_u64(&graph, wire->node ? wire->node->graph_key : 0);
    rv_hasher_add_u64(&graph, wire->node ? wire->output + 1 : 0);
    if (!wire->node) continue;
    input_time_dependent = input_time_dependent || wire->node->time_dependent;
    node->depends_on_sequence = node->depends_on_sequence || wire->node->depends_on_sequence;
    node->samples_frames = node->samples_frames || wire->node->samples_frames;
    node->earliest_start = fmin(node->earliest_start, wire->node->earliest_start);
    node->latest_start = fmax(node->latest_start, wire->node->latest_start);
  }
  // The name of a file that is written, with its $F, does not change what passes through the node.
  bool writes = (node->type->flags & RV_NODE_WRITES) && !node->loads_from_disk;
  bool animated = writes ? rv_parms_animated_beside_files(node->parms) : rv_parms_animated(node->parms);
  // A node that samples other frames depends on the frame as soon as an input does: an input that is equal at two
  // frames may still differ next to them.
  node->own_time_dependent = solver || animated || (node->type->flags & RV_NODE_TIME_DEPENDENT) ||
                             (input_time_dependent && (node->type->flags & RV_NODE_SAMPLES_FRAMES));
  node->time_dependent = node->own_time_dependent || input_time_dependent;
  // A file with a fixed name is part of the graph key; files of a sequence are examined frame by frame.
  RvResult result = RV_OK;
  if (rv_scene_files_read(node) && !rv_scene_files_sequence(node)) {
    uint64_t stamp;
    result = rv_scene_files_stamp(scene, node, scene->first, &stamp, error);
    rv_hasher_add_u64(&graph, stamp);
  }
  node->graph_key = rv_hasher_done(&graph);
  return result;
}

// Computes the node's own key, then everything that depends on the inputs.
static RvResult prepare_node(RvScene* scene, RvSceneNode* node, RvError* error) {
  bool solver = node->type->flags & RV_NODE_SOLVER;
  RvResult result = find_loads_from_disk(scene, node, error);
  if (!result && solver) result = find_start(scene, node, error);
  if (result) return result;
  // Hash of everything that the node's own result depends on, apart from inputs and files.
  RvHasher own = rv_hasher_new(RV_SCENE_SEED_NODE);
  rv_hasher_add_string(&own, node->type->type);
  rv_hasher_add_u64(&own, (uint64_t)node->type->revision);
  rv_hasher_add_string(&own, node->name);
  rv_hasher_add_string(&own, scene->out);
  rv_hasher_add_string(&own, scene->hip);
  rv_hasher_add_u64(&own, rv_parms_hash(node->parms));
  add_double(&own, scene->fps);
  add_double(&own, scene->meters);
  // A solver also depends on its start.
  if (solver) {
    add_double(&own, node->start);
    rv_hasher_add_u64(&own, rv_state_empty(&node->initial_state) ? 0 : node->initial_state_hash);
  }
  node->own_key = rv_hasher_done(&own);
  return prepare_upstream(scene, node, error);
}

// True if any node reads files: they may have changed, so the keys must be computed again.
static bool any_node_reads_files(const RvScene* scene) {
  for (size_t i = 0; i < scene->nodes.count; ++i)
    if (rv_scene_files_read(scene->nodes.data[i])) return true;
  return false;
}

RvResult rv_scene_order_prepare(RvScene* scene, RvError* error) {
  if (scene->prepared && !any_node_reads_files(scene)) return RV_OK;
  RvSceneNode** order;
  size_t count;
  RvResult result = rv_scene_order_upstream(scene, NULL, false, &order, &count, error);
  if (result) return result;
  for (size_t i = 0; i < count && !result; ++i) result = prepare_node(scene, order[i], error);
  rv_free(order);
  scene->prepared = !result;
  return result;
}
