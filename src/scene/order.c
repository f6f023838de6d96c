// The order of cooking, cycles, and the keys that tell whether a result is still good.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "scene/host.h"

//------------------------------------------------------------------------------------------------ order

typedef struct Visit {
  RvSceneNode* node;
  size_t next;  // input to look at
} Visit;

typedef struct Walk {
  RvSceneNode** order;
  size_t count, capacity;
  Visit* stack;
  size_t depth, stack_capacity;
  uint8_t* mark;  // 1 on the stack, 2 done
} Walk;

static bool push(Walk* walk, RvSceneNode* node) {
  if (!rv_array_reserve_bytes((void**)&walk->stack, &walk->stack_capacity, walk->depth, walk->depth + 1, sizeof(Visit)))
    return false;
  walk->stack[walk->depth++] = (Visit){node, 0};
  walk->mark[node->index] = 1;
  return true;
}

static bool finish(Walk* walk, RvSceneNode* node) {
  if (!rv_array_reserve_bytes((void**)&walk->order, &walk->capacity, walk->count, walk->count + 1, sizeof node))
    return false;
  walk->order[walk->count++] = node;
  walk->mark[node->index] = 2;
  --walk->depth;
  return true;
}

// the ring in the direction of the data: a feeds b feeds c feeds a
static RvResult name_cycle(const Walk* walk, const RvSceneNode* closing, RvError* error) {
  size_t start = walk->depth - 1;
  while (walk->stack[start].node != closing) --start;
  RvText text = {0};
  // the stack goes upstream, so the data flows from its top to its bottom
  rv_text_add(&text, closing->name);
  for (size_t i = walk->depth, shown = 0; i-- > start; ++shown) {
    if (shown < 20 || i == start)
      rv_text_addf(&text, " -> %s", walk->stack[i].node->name);
    else if (shown == 20)
      rv_text_add(&text, " -> ...");
  }
  char* ring = rv_text_done(&text);
  RvResult result = rv_fail(error, RV_BAD_INPUT, "the wires form a cycle: %s", ring ? ring : "");
  rv_free(ring);
  return result;
}

static RvResult walk_from(Walk* walk, RvSceneNode* root, bool stop_at_solvers, RvError* error) {
  if (walk->mark[root->index]) return RV_OK;
  if (!push(walk, root)) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  while (walk->depth) {
    Visit* top = &walk->stack[walk->depth - 1];
    RvSceneNode* node = top->node;
    bool leaf = stop_at_solvers && (node->cut || (node->type->flags & RV_NODE_SOLVER));
    RvSceneNode* input = NULL;
    while (!leaf && !input && top->next < node->type->ninput) {
      input = node->inputs[top->next++].node;
      if (!input) continue;
      if (walk->mark[input->index] == 1) return name_cycle(walk, input, error);
      if (walk->mark[input->index] == 2) input = NULL;
    }
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
  for (size_t i = 0; i < ntarget && !result; ++i) wanted[targets[i]->index] = true;
  for (size_t i = all; i-- > 0;)
    for (size_t k = 0; wanted[(*order)[i]->index] && k < rv_scene_graph_live_inputs((*order)[i]); ++k)
      if ((*order)[i]->inputs[k].node) wanted[(*order)[i]->inputs[k].node->index] = true;
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

void* rv_scene_order_values(RvScene* scene, RvSceneNode* node, double frame) {
  void* parms = rv_alloc_zero(1, node->type->parms->struct_bytes);
  RvError ignored = {0};
  if (!parms || !rv_scene_order_eval(scene, node, frame, parms, &ignored)) return parms;
  rv_free(parms);
  return NULL;
}

static double start_frame(RvScene* scene, RvSceneNode* node) {
  if (node->from) return node->from_frame;
  const RvParmDef* def = rv_parm_find(node->type->parms, "startframe");
  if (!def || (def->type != RV_PARM_FLOAT && def->type != RV_PARM_INT)) return scene->first;
  char* parms = rv_scene_order_values(scene, node, scene->first);
  if (!parms) return scene->first;
  double start = def->type == RV_PARM_INT ? (double)*(int64_t*)(parms + def->offset) : *(double*)(parms + def->offset);
  rv_free(parms);
  return isfinite(start) ? start : scene->first;
}

static void add_double(RvHasher* hasher, double value) {
  // +0 and -0 are one frame
  value = value == 0 ? 0 : value;
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  rv_hasher_add_u64(hasher, bits);
}

// a node that writes may be told to read what it wrote
static bool loads_from_disk(RvScene* scene, RvSceneNode* node) {
  const RvParmDef* def = node->type->flags & RV_NODE_WRITES ? rv_parm_find(node->type->parms, "loadfromdisk") : NULL;
  char* parms = def && def->type == RV_PARM_TOGGLE ? rv_scene_order_values(scene, node, scene->first) : NULL;
  bool loads = parms && *(bool*)(parms + def->offset);
  rv_free(parms);
  return loads;
}

// what a node has from its inputs, which are prepared
static void prepare_upstream(RvScene* scene, RvSceneNode* node) {
  bool solver = node->type->flags & RV_NODE_SOLVER, moves = false;
  node->sequence = rv_scene_files_sequence(node);
  node->samples = node->type->flags & RV_NODE_SAMPLES_FRAMES;
  node->earliest = solver ? node->start : INFINITY;
  node->latest_start = solver ? node->start : -INFINITY;
  node->sums.to.count = 0;
  RvHasher graph = rv_hasher_new(2);
  rv_hasher_add_u64(&graph, node->own_key);
  for (size_t i = 0; i < rv_scene_graph_live_inputs(node); ++i) {
    const RvWire* wire = &node->inputs[i];
    rv_hasher_add_u64(&graph, wire->node ? wire->node->graph_key : 0);
    rv_hasher_add_u64(&graph, wire->node ? wire->output + 1 : 0);
    if (!wire->node) continue;
    moves = moves || wire->node->time_dependent;
    node->sequence = node->sequence || wire->node->sequence;
    node->samples = node->samples || wire->node->samples;
    node->earliest = fmin(node->earliest, wire->node->earliest);
    node->latest_start = fmax(node->latest_start, wire->node->latest_start);
  }
  // an input that shows the same at two frames may differ beside them
  node->own_time = solver || (node->type->flags & RV_NODE_TIME_DEPENDENT) || rv_parms_animated(node->parms) ||
                   (moves && (node->type->flags & RV_NODE_SAMPLES_FRAMES));
  node->time_dependent = node->own_time || moves;
  // a sequence's files are looked at frame by frame, one that stands still here
  if (rv_scene_files_read(node) && !rv_scene_files_sequence(node))
    rv_hasher_add_u64(&graph, rv_scene_files_stamp(scene, node, scene->first));
  node->graph_key = rv_hasher_done(&graph);
}

static void prepare_node(RvScene* scene, RvSceneNode* node) {
  bool solver = node->type->flags & RV_NODE_SOLVER;
  node->cut = loads_from_disk(scene, node);
  RvHasher own = rv_hasher_new(1);
  rv_hasher_add_string(&own, node->type->type);
  rv_hasher_add_u64(&own, (uint64_t)node->type->revision);
  rv_hasher_add_string(&own, node->name);
  rv_hasher_add_string(&own, scene->out);
  rv_hasher_add_string(&own, scene->hip);
  rv_hasher_add_u64(&own, rv_parms_hash(node->parms));
  add_double(&own, scene->fps);
  add_double(&own, scene->meters);
  if (solver) {
    node->start = start_frame(scene, node);
    add_double(&own, node->start);
    rv_hasher_add_u64(&own, node->from ? node->from_hash : 0);
  }
  node->own_key = rv_hasher_done(&own);
  prepare_upstream(scene, node);
}

static bool files_changed(RvScene* scene) {
  // cheap when there are none, and only asked at the top of a call
  for (size_t i = 0; i < scene->nodes.count; ++i)
    if (rv_scene_files_read(scene->nodes.data[i])) return true;
  return false;
}

RvResult rv_scene_order_prepare(RvScene* scene, RvError* error) {
  if (scene->prepared && !files_changed(scene)) return RV_OK;
  RvSceneNode** order;
  size_t count;
  RvResult result = rv_scene_order_upstream(scene, NULL, false, &order, &count, error);
  if (result) return result;
  for (size_t i = 0; i < count; ++i) prepare_node(scene, order[i]);
  rv_free(order);
  scene->prepared = true;
  return RV_OK;
}
