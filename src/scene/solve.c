// Solvers, by the rules of the Solver SOP: before the start frame the initial state, at the start frame no step, and a
// request for frame N steps through every missing frame with the inputs of each.
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "scene/checkpoint.h"
#include "scene/host.h"

size_t rv_scene_solve_state_output(const RvNodeType* type) {
  return type->flags & RV_NODE_SOLVER ? type->noutput - 1 : 0;
}

double rv_scene_solve_state_frame(const RvSceneNode* node, double frame) {
  // states stand at whole frames from the start; between them the last one shows. The slack forgives frames that were
  // added up from fractions
  double steps = floor(frame - node->start + 1e-6);
  return steps > 0 ? node->start + steps : node->start;
}

uint64_t rv_scene_solve_key(RvScene* scene, RvSceneNode* node, double frame) {
  double first = frame, last = frame;
  rv_scene_files_range(node, &first, &last);
  struct {
    uint64_t graph, files;
    double frame;
  } facts = {node->graph_key, rv_scene_files_above(scene, node, first, last), frame == 0 ? 0 : frame};
  return rv_hash(&facts, sizeof facts, 4);
}

void rv_scene_solve_drop_cache(RvSceneNode* node) {
  if (node->cache && node->type->free_cache) node->type->free_cache(node->cache);
  node->cache = NULL;
}

void rv_scene_solve_forget(RvScene* scene, RvSceneNode* node) {
  for (int i = 0; i < 2; ++i) {
    rv_scene_entry_unpin(&scene->cache, node->latest[i]);
    node->latest[i] = NULL;
  }
  rv_scene_solve_drop_cache(node);
}

static void set_latest(RvScene* scene, RvSceneNode* node, RvEntry* entry) {
  ++entry->pins;
  rv_scene_entry_unpin(&scene->cache, node->latest[1]);
  node->latest[1] = node->latest[0];
  node->latest[0] = entry;
}

//------------------------------------------------------------------------------------------------ states from elsewhere

RvResult rv_scene_solve_check_state(const RvSceneNode* node, const RvDetail* state, RvError* error) {
  RvResult result = rv_state_check(state, node->type->fields, node->type->nfield, error);
  if (result) rv_error_context(error, "this is no state of a %s", node->type->type);
  return result;
}

RvResult rv_scene_solve_adopt(RvScene* scene, RvSceneNode* node, double frame, RvDetail* state, const RvStats* stats,
                              RvError* error) {
  RvEntry* entry = rv_scene_entry_new(node, rv_scene_solve_key(scene, node, frame), frame);
  if (!entry) {
    rv_detail_free(state);
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  entry->output[rv_scene_solve_state_output(node->type)] = state;
  if (stats) entry->stats = *stats;
  rv_scene_cache_put(&scene->cache, entry);
  set_latest(scene, node, entry);
  rv_scene_entry_unpin(&scene->cache, entry);
  return RV_OK;
}

//------------------------------------------------------------------------------------------------ stepping

// runs start or step and takes its state
static RvResult make_state(RvScene* scene, RvSceneNode* node, double frame, const RvEntry* prev, RvEntry** out,
                           RvError* error) {
  size_t state = rv_scene_solve_state_output(node->type);
  if (rv_scene_is_cancelled(scene, node->name, frame, 0, prev ? "step" : "start"))
    return rv_fail(error, RV_CANCELLED, "interrupted at node '%s', frame %g", node->name, frame);
  RvEntry* entry = rv_scene_entry_new(node, rv_scene_solve_key(scene, node, frame), frame);
  if (!entry) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvCall call;
  RvResult result = rv_scene_call_begin(&call, scene, node, frame, &entry->stats, error);
  if (!result && node->from && !prev) {
    // started from a file: the inputs are not asked
    call.cook.output[state] = rv_detail_copy(node->from);
    entry->stats = node->from_stats;
    if (!call.cook.output[state]) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  } else if (!result && !(result = rv_scene_call_inputs(&call, error))) {
    call.cook.prev = prev ? prev->output[state] : NULL;
    call.cook.dt = prev ? 1 / scene->fps : 0;
    ++scene->in_step;
    result = prev ? node->type->step(&call.cook, error) : node->type->start(&call.cook, error);
    --scene->in_step;
    ++*(prev ? &node->nstep : &node->ncook);
    if (!result && !call.cook.output[state]) result = rv_fail(error, RV_INTERNAL, "the solver made no state");
    result = rv_scene_call_finish(&call, result, error);
  }
  if (result) {
    rv_scene_entry_unpin(&scene->cache, entry);
  } else {
    entry->output[state] = call.cook.output[state];
    for (size_t i = 0; i < state; ++i) rv_detail_free(call.cook.output[i]);
    rv_scene_cache_put(&scene->cache, entry);
    set_latest(scene, node, entry);
    *out = entry;
  }
  rv_scene_call_end(&call);
  return result;
}

// the last state at or before `frame` that is still there, pinned
static RvEntry* nearest_state(RvScene* scene, RvSceneNode* node, double frame) {
  for (double step = round(frame - node->start); step >= 0; --step) {
    uint64_t key = rv_scene_solve_key(scene, node, node->start + step);
    for (int i = 0; i < 2; ++i) {
      if (!node->latest[i] || node->latest[i]->key != key) continue;
      ++node->latest[i]->pins;
      return node->latest[i];
    }
    RvEntry* entry = rv_scene_cache_find(&scene->cache, key);
    if (entry) return entry;
  }
  return NULL;
}

static RvResult checkpoint(RvScene* scene, RvEntry* entry, RvError* error) {
  return scene->checkpoint_dir ? rv_scene_checkpoint_keep(scene, entry, error) : RV_OK;
}

RvResult rv_scene_solve(RvScene* scene, RvSceneNode* node, double frame, RvEntry** out, RvError* error) {
  *out = NULL;
  double wanted = rv_scene_solve_state_frame(node, frame);
  if (!(wanted - node->start <= RV_SCENE_MAX_FRAMES))
    return rv_fail(error, RV_LIMIT, "node '%s': frame %g is more than a million frames after its start frame %g",
                   node->name, frame, node->start);
  RvEntry* entry = nearest_state(scene, node, wanted);
  RvResult result = RV_OK;
  if (!entry) {
    result = make_state(scene, node, node->start, NULL, &entry, error);
    if (!result) result = checkpoint(scene, entry, error);
  }
  while (!result && entry->frame < wanted) {
    RvEntry* next = NULL;
    double step = round(entry->frame - node->start) + 1;
    result = make_state(scene, node, node->start + step, entry, &next, error);
    if (!result) {
      rv_scene_entry_unpin(&scene->cache, entry);
      entry = next;
      result = checkpoint(scene, entry, error);
    }
  }
  if (result)
    rv_scene_entry_unpin(&scene->cache, entry);
  else
    *out = entry;
  return result;
}

RvResult rv_scene_solve_split(RvScene* scene, RvEntry* entry, RvError* error) {
  RvSceneNode* node = entry->node;
  size_t state = rv_scene_solve_state_output(node->type);
  RvStats scratch = {0};
  RvCall call;
  RvResult result = rv_scene_call_begin(&call, scene, node, entry->frame, &scratch, error);
  if (!result) {
    result = node->type->split(&call.cook, entry->output[state], error);
    result = rv_scene_call_finish(&call, result, error);
  }
  for (size_t i = 0; i < RV_NODE_MAX_OUTPUTS && !result; ++i) {
    if (i < state && !entry->output[i])
      entry->output[i] = call.cook.output[i];
    else
      rv_detail_free(call.cook.output[i]);
  }
  if (!result) rv_scene_cache_changed(&scene->cache, entry);
  rv_scene_call_end(&call);
  return result;
}
