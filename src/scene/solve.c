// Solvers, by the rules of the Solver SOP: before the start frame the initial state, at the start frame no step, and a
// request for frame N steps through every missing frame with the inputs of each.
#include <math.h>
#include <string.h>

#include "base/budget.h"
#include "base/hash.h"
#include "rivulet/host.h"
#include "scene/checkpoint.h"
#include "scene/host.h"

// Slack in frames when a frame is rounded down to that of a state. Frames added up from fractions may end just below a
// whole one.
static const double frame_slack = 1e-6;

size_t rv_scene_solve_state_output(const RvNodeType* type) {
  return type->flags & RV_NODE_SOLVER ? type->noutput - 1 : 0;
}

double rv_scene_solve_state_frame(const RvSceneNode* node, double frame) {
  // States exist at whole frames from the start; between two of them the earlier one is shown.
  double steps = floor(frame - node->start + frame_slack);
  return steps > 0 ? node->start + steps : node->start;
}

RvResult rv_scene_solve_key(RvScene* scene, RvSceneNode* node, double frame, uint64_t* key, RvError* error) {
  double first = frame, last = frame;
  rv_scene_files_range(node, &first, &last);
  struct {
    uint64_t graph;  // the solver and everything upstream
    uint64_t files;  // sequences upstream, over all frames that matter
    double frame;
  } facts;
  facts.graph = node->graph_key;
  facts.frame = frame == 0 ? 0 : frame;  // -0 becomes 0
  RvResult result = rv_scene_files_above(scene, node, first, last, &facts.files, error);
  *key = result ? 0 : rv_hash(&facts, sizeof facts, RV_SCENE_SEED_STATE);
  return result;
}

void rv_scene_solve_drop_cache(RvSceneNode* node) {
  if (node->cache && node->type->free_cache) node->type->free_cache(node->cache);
  node->cache = NULL;
}

void rv_scene_solve_forget(RvScene* scene, RvSceneNode* node) {
  for (int i = 0; i < 2; ++i) {
    rv_scene_entry_unpin(&scene->cache, node->latest_states[i]);
    node->latest_states[i] = NULL;
  }
  rv_scene_solve_drop_cache(node);
}

// Pins an entry as the latest state of the solver; the one before the previous is released.
static void set_latest(RvScene* scene, RvSceneNode* node, RvEntry* entry) {
  ++entry->pins;
  rv_scene_entry_unpin(&scene->cache, node->latest_states[1]);
  node->latest_states[1] = node->latest_states[0];
  node->latest_states[0] = entry;
}

//------------------------------------------------------------------------------------------------ states from elsewhere

RvResult rv_scene_solve_check_state(const RvSceneNode* node, const RvState* state, RvError* error) {
  RvResult result = rv_node_check_state(node->type, state, error);
  if (result) rv_error_context(error, "this is not a state of a %s", node->type->type);
  return result;
}

// A pinned entry for the state of a frame, still without it.
static RvResult new_entry(RvScene* scene, RvSceneNode* node, double frame, RvEntry** out, RvError* error) {
  uint64_t key;
  *out = NULL;
  RvResult result = rv_scene_solve_key(scene, node, frame, &key, error);
  if (!result) *out = rv_scene_entry_new(node, key, frame);
  return result || *out ? result : rv_fail(error, RV_NO_MEMORY, "out of memory");
}

RvResult rv_scene_solve_adopt(RvScene* scene, RvSceneNode* node, double frame, RvState* state, const RvStats* stats,
                              RvError* error) {
  // The entry becomes the latest state and is cached.
  RvEntry* entry;
  RvResult result = new_entry(scene, node, frame, &entry, error);
  if (result) {
    rv_state_free(state);
    return result;
  }
  entry->state = *state;
  *state = (RvState){0};
  if (stats) entry->stats = *stats;
  rv_scene_cache_put(&scene->cache, entry);
  set_latest(scene, node, entry);
  rv_scene_entry_unpin(&scene->cache, entry);
  return RV_OK;
}

//------------------------------------------------------------------------------------------------ stepping

// Bytes that a solver takes for each point of an input, with its state, its own arrays and its outputs. Measured with
// pools of 62,500 and 500,000 particles (490) and grooms of 16,000 and 128,000 points (1,770); a fifth less is asked
// for, so that nothing is refused that fits.
static const struct {
  const char* input;
  double bytes;
} point_costs[] = {{"strands", 1400}, {"liquid", 400}};
// New state and outputs of a frame over the bytes of the state before it.
static const double STEP_COPIES = 2;

// Refuses a solver whose inputs are too large for it, before it starts.
static RvResult check_start(const RvCall* call, RvError* error) {
  const RvNodeType* type = call->node->type;
  double bytes = 0, points = 0;
  for (size_t i = 0; i < type->ninput; ++i)
    for (size_t k = 0; call->inputs[i] && k < sizeof point_costs / sizeof *point_costs; ++k) {
      if (strcmp(type->inputs[i].name, point_costs[k].input) != 0) continue;
      bytes += point_costs[k].bytes * (double)rv_detail_count(call->inputs[i], RV_POINT);
      points += (double)rv_detail_count(call->inputs[i], RV_POINT);
    }
  return rv_budget_check(bytes, error, "a solver of %.0f points and particles", points);
}

// Refuses a frame that cannot fit, before it begins.
static RvResult check_step(const RvEntry* prev, RvError* error) {
  double bytes = 0, points = 0;
  for (int i = 0; i < RV_STATE_PARTS; ++i) {
    if (!prev->state.part[i]) continue;
    bytes += (double)rv_detail_bytes(prev->state.part[i]);
    points += (double)rv_detail_count(prev->state.part[i], RV_POINT);
  }
  return rv_budget_check(STEP_COPIES * bytes, error, "a frame of %.0f points and particles", points);
}

// Computes a state into call->cook: by the solver's start function, or by its step function from `prev`.
static RvResult call_solver(RvCall* call, const RvEntry* prev, RvError* error) {
  RvScene* scene = call->scene;
  RvSceneNode* node = call->node;
  RvResult result = rv_scene_call_inputs(call, error);
  if (!result) result = prev ? check_step(prev, error) : check_start(call, error);
  if (result) return rv_scene_call_finish(call, result, error);
  call->cook.prev = prev ? &prev->state : NULL;
  call->cook.dt = prev ? 1 / scene->fps : 0;
  ++scene->in_step;
  result = prev ? node->type->step(&call->cook, error) : node->type->start(&call->cook, error);
  --scene->in_step;
  ++*(prev ? &node->nstep : &node->ncook);
  if (!result && rv_state_empty(&call->cook.state)) result = rv_fail(error, RV_INTERNAL, "the solver made no state");
  return rv_scene_call_finish(call, result, error);
}

// Makes the state of a frame from the previous one, or the initial state if `prev` is NULL. It becomes the latest state
// of the solver, cached and pinned in *out.
static RvResult make_state(RvScene* scene, RvSceneNode* node, double frame, const RvEntry* prev, RvEntry** out,
                           RvError* error) {
  if (rv_scene_is_cancelled(scene, node->name, frame, 0, prev ? "step" : "start"))
    return rv_fail(error, RV_CANCELLED, "interrupted at node '%s', frame %g", node->name, frame);
  RvEntry* entry;
  RvResult result = new_entry(scene, node, frame, &entry, error);
  if (result) return result;
  RvCall call;
  result = rv_scene_call_begin(&call, scene, node, frame, &entry->stats, error);
  if (!result && !rv_state_empty(&node->initial_state) && !prev) {
    // A run started from a state file takes it as the initial state; the inputs are not cooked.
    result = rv_state_copy(&node->initial_state, &call.cook.state, error);
    entry->stats = node->initial_state_stats;
  } else if (!result) {
    result = call_solver(&call, prev, error);
  }
  // Outputs are made of the state when they are needed.
  if (result) {
    rv_scene_entry_unpin(&scene->cache, entry);
  } else {
    entry->state = call.cook.state;
    rv_scene_cache_put(&scene->cache, entry);
    set_latest(scene, node, entry);
    *out = entry;
  }
  rv_scene_call_end(&call);
  return result;
}

// The last state at or before `frame` that is still in memory, pinned; *out is NULL if there is none.
static RvResult nearest_state(RvScene* scene, RvSceneNode* node, double frame, RvEntry** out, RvError* error) {
  *out = NULL;
  // Go back frame by frame; look among the latest states, then in the cache.
  for (double step = round(frame - node->start); step >= 0 && !*out; --step) {
    uint64_t key;
    RvResult result = rv_scene_solve_key(scene, node, node->start + step, &key, error);
    if (result) return result;
    for (int i = 0; i < 2 && !*out; ++i) {
      if (!node->latest_states[i] || node->latest_states[i]->key != key) continue;
      ++node->latest_states[i]->pins;
      *out = node->latest_states[i];
    }
    if (!*out) *out = rv_scene_cache_find(&scene->cache, key);
  }
  return RV_OK;
}

// The memory limit may be reached while a state is packed for its checkpoint. That is the user's to mend, as it is
// where a node reaches it.
static RvResult explain_limit(const RvEntry* entry, RvResult result, RvError* error) {
  const double gib = 0x1p30;
  size_t used = 0;
  size_t refused = result == RV_NO_MEMORY ? rv_budget_refused(&used) : 0;
  if (!refused) return result;
  const RvError before = *error;
  *error = (RvError){0};
  return rv_fail(error, RV_LIMIT,
                 "node '%s' (%s), frame %g: its checkpoint: %.200s: the memory limit of %.3g GiB is reached: %.3g GiB "
                 "are in use, and the next array needs %.3g GiB. Make the scene smaller, or raise --max-memory",
                 entry->node->name, entry->node->type->type, entry->frame, before.text, (double)rv_memory_limit() / gib,
                 (double)used / gib, (double)refused / gib);
}

// Writes a checkpoint of a new state, if the run has a folder for them.
static RvResult checkpoint(RvScene* scene, RvEntry* entry, RvError* error) {
  if (!scene->checkpoint_dir) return RV_OK;
  return explain_limit(entry, rv_scene_checkpoint_keep(scene, entry, error), error);
}

RvResult rv_scene_solve(RvScene* scene, RvSceneNode* node, double frame, RvEntry** out, RvError* error) {
  *out = NULL;
  double wanted = rv_scene_solve_state_frame(node, frame);
  if (!(wanted - node->start <= RV_SCENE_MAX_FRAMES))
    return rv_fail(
        error, RV_LIMIT,
        "node '%s': frame %g is more than a million frames after its start frame %g; set a later start frame",
        node->name, frame, node->start);
  // Begin with the nearest state in memory, or the initial one.
  RvEntry* entry;
  RvResult result = nearest_state(scene, node, wanted, &entry, error);
  if (!result && !entry) {
    result = make_state(scene, node, node->start, NULL, &entry, error);
    if (!result) result = checkpoint(scene, entry, error);
  }
  // Step to the requested frame.
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
    result = node->type->split(&call.cook, &entry->state, error);
    result = rv_scene_call_finish(&call, result, error);
  }
  // Keep the outputs that are missing.
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
