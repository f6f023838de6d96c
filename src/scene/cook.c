// Cooking: a result is pulled through the graph. Cached results are reused; the other nodes are cooked in topological
// order.
#include <math.h>
#include <string.h>

#include "base/budget.h"
#include "base/hash.h"
#include "base/timer.h"
#include "node/empty_output.h"
#include "rivulet/host.h"
#include "scene/host.h"
#include "scene/outputs.h"

//------------------------------------------------------------------------------------------------ one call of a node

// The functions of RvHost that a node may call during its cook.
static bool host_cancelled(void* user, double fraction, const char* stage) {
  RvCall* call = user;
  return rv_scene_is_cancelled(call->scene, call->node->name, call->frame, fraction, stage);
}

static void host_message(void* user, RvLevel level, const char* text) {
  RvCall* call = user;
  rv_scene_message(call->scene, level, call->node->name, call->frame, "%s", text);
}

// Cooks input `index` at a frame and pins it until the call ends. *out is NULL if it is not connected.
static RvResult take_input(RvCall* call, size_t index, double frame, const RvDetail** out, RvError* error) {
  const RvWire* wire = &call->node->inputs[index];
  *out = NULL;
  if (!wire->node) return RV_OK;
  RvEntry* entry;
  RvResult result = rv_scene_cook_node(call->scene, wire->node, frame, false, &entry, error);
  if (result) return result;
  if (!rv_array_push(&call->pins, entry)) {
    rv_scene_entry_unpin(&call->scene->cache, entry);
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  return rv_scene_cook_output(call->scene, entry, wire->output, out, error);
}

// Input `index` at another frame.
static RvResult host_input_at(void* user, size_t index, double frame, const RvDetail** out, RvError* error) {
  RvCall* call = user;
  *out = NULL;
  if (index >= call->node->type->ninput) return RV_OK;
  if (!isfinite(frame))
    return rv_fail(error, RV_INTERNAL, "input %zu was requested at a frame that is not finite", index + 1);
  return take_input(call, index, frame, out, error);
}

// Copies the text parameters: those of an evaluation live until the next one, and a sample at another frame evaluates
// the node again.
static RvResult keep_texts(RvCall* call, char* parms, RvError* error) {
  const RvParmTable* table = call->node->type->parms;
  for (size_t i = 0; i < table->count; ++i) {
    if (table->rows[i].type != RV_PARM_STRING && table->rows[i].type != RV_PARM_FILE) continue;
    const char** text = (const char**)(parms + table->rows[i].offset);
    char* copy = rv_strdup(*text ? *text : "");
    if (!copy || !rv_array_push(&call->texts, copy)) {
      rv_free(copy);
      return rv_fail(error, RV_NO_MEMORY, "out of memory");
    }
    *text = copy;
  }
  return RV_OK;
}

// Evaluates the parameters at a frame, with texts that live until the call ends.
static RvResult eval_parms(RvCall* call, double frame, void* out, RvError* error) {
  RvResult result = rv_scene_order_eval(call->scene, call->node, frame, out, error);
  return result ? result : keep_texts(call, out, error);
}

static RvResult host_parms_at(void* user, double frame, void* out, RvError* error) {
  return eval_parms(user, frame, out, error);
}

static RvResult host_may_read(void* user, const char* path, RvError* error) {
  const RvCall* call = user;
  return rv_scene_confine_check(call->scene, path, false, error);
}

RvResult rv_scene_call_begin(RvCall* call, RvScene* scene, RvSceneNode* node, double frame, RvStats* stats,
                             RvError* error) {
  *call = (RvCall){.scene = scene, .node = node, .frame = frame};
  // The host as the node sees it.
  call->host = (RvHost){call, host_cancelled, host_message, host_input_at, host_parms_at, host_may_read};
  call->vars = (RvVars){frame, scene->fps, scene->out, scene->hip, node->name};
  if (scene->drop_caches) rv_scene_solve_drop_cache(node);
  // Parameters.
  call->parms = rv_alloc_zero(1, node->type->parms->struct_bytes + 1);
  if (!call->parms) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvResult result = eval_parms(call, frame, call->parms, error);
  if (!result) result = rv_scene_confine_node(scene, node, call->parms, error);
  // The cook; time 0 is at frame 1.
  call->cook = (RvCook){
      .type = node->type,
      .node = node->name,
      .time = {frame, scene->fps, (frame - 1) / scene->fps, scene->meters},
      .start_frame = node->start,
      .parms = call->parms,
      .ninput = node->type->ninput,
      .input = call->inputs,
      .stats = stats,
      .cache = &node->cache,
      .vars = &call->vars,
      .host = &call->host,
  };
  return result ? rv_scene_call_finish(call, result, error) : RV_OK;
}

RvResult rv_scene_call_inputs(RvCall* call, RvError* error) {
  RvResult result = RV_OK;
  for (size_t i = 0; i < call->node->type->ninput && !result; ++i)
    result = take_input(call, i, call->frame, &call->inputs[i], error);
  return result ? result : rv_scene_call_check_inputs(call, error);
}

RvResult rv_scene_call_check_inputs(const RvCall* call, RvError* error) {
  const RvNodeType* type = call->node->type;
  for (size_t i = 0; i < type->ninput; ++i)
    if (type->inputs[i].required && !call->node->inputs[i].node)
      return rv_fail(error, RV_BAD_INPUT, "node '%s' (%s): input %zu (%s) is not connected; wire a node into it",
                     call->node->name, type->type, i + 1, type->inputs[i].label);
  for (size_t i = 0; i < type->ninput; ++i)
    if (rv_node_check_input(type, i, call->inputs[i], error))
      return rv_error_context(error, "node '%s' (%s), frame %g", call->node->name, type->type, call->frame);
  return RV_OK;
}

// Elements of all inputs of a call.
static size_t input_count(const RvCall* call, RvOwner owner) {
  size_t count = 0;
  for (size_t i = 0; i < call->node->type->ninput; ++i)
    if (call->inputs[i]) count += rv_detail_count(call->inputs[i], owner);
  return count;
}

// Out of memory is the user's to mend where the limit of the process was reached: says so, with what the node works on.
static RvResult explain_memory(const RvCall* call, RvResult result, RvError* error) {
  const double gib = 0x1p30;
  size_t used = 0;
  size_t refused = rv_budget_refused(&used);
  if (result != RV_NO_MEMORY || !refused) return result;
  const RvStats* stats = call->cook.stats;
  const RvError before = *error;
  *error = (RvError){0};
  return rv_fail(
      error, RV_LIMIT,
      "%.200s: the memory limit of %.3g GiB is reached: %.3g GiB are in use, and the next array needs %.3g "
      "GiB. The inputs have %zu points and %zu primitives; the node made %lld particles, %lld tiles and %lld "
      "points of strands so far. Make the scene smaller, or raise --max-memory",
      before.text, (double)rv_memory_limit() / gib, (double)used / gib, (double)refused / gib,
      input_count(call, RV_POINT), input_count(call, RV_PRIM), (long long)stats->particles, (long long)stats->tiles,
      (long long)stats->vertices);
}

RvResult rv_scene_call_finish(RvCall* call, RvResult result, RvError* error) {
  if (!result) return RV_OK;
  result = explain_memory(call, result, error);
  for (int i = 0; i < RV_NODE_MAX_OUTPUTS; ++i) {
    rv_detail_free(call->cook.output[i]);
    call->cook.output[i] = NULL;
  }
  rv_state_free(&call->cook.state);
  rv_fail(error, result, "%s", rv_result_text(result));
  // The error of a failed input already names its node.
  static const char node_prefix[] = "node '";
  if (strncmp(error->text, node_prefix, sizeof node_prefix - 1) != 0)
    rv_error_context(error, "node '%s' (%s), frame %g", call->node->name, call->node->type->type, call->frame);
  return result;
}

void rv_scene_call_end(RvCall* call) {
  for (size_t i = 0; i < call->pins.count; ++i) rv_scene_entry_unpin(&call->scene->cache, call->pins.data[i]);
  rv_array_free(&call->pins);
  for (size_t i = 0; i < call->texts.count; ++i) rv_free(call->texts.data[i]);
  rv_array_free(&call->texts);
  rv_free(call->parms);
  call->parms = NULL;
}

//------------------------------------------------------------------------------------------------ one pass

// One pass cooks everything upstream of a target at one frame. It stops at solvers, which cook their own inputs at each
// of their frames. Arrays are indexed by the position in `order` except `slot`.
typedef struct Pass {
  RvScene* scene;
  double frame;
  RvSceneNode* target;
  bool write;           // the target may write its files
  RvSceneNode** order;  // topological, the target last
  size_t count;
  int32_t* slot;      // position in `order`, by index of the node in the scene
  uint64_t* keys;     // cache keys
  RvEntry** entries;  // results, pinned; NULL: not cooked, or no longer needed
  uint32_t* uses;     // readers that still need the entry
  bool* needed;       // to be taken from the cache or cooked
} Pass;

// Releases the results and frees the arrays.
static void pass_free(Pass* pass) {
  for (size_t i = 0; pass->entries && i < pass->count; ++i) rv_scene_entry_unpin(&pass->scene->cache, pass->entries[i]);
  rv_free(pass->order);
  rv_free(pass->slot);
  rv_free(pass->keys);
  rv_free(pass->entries);
  rv_free(pass->uses);
  rv_free(pass->needed);
}

// Cache key of a node's result at the pass's frame: its own key, its files, the keys of its inputs, and the frame if
// the result depends on it.
static RvResult node_key(const Pass* pass, RvSceneNode* node, uint64_t* key, RvError* error) {
  if (node->type->flags & RV_NODE_SOLVER)
    return rv_scene_solve_key(pass->scene, node, rv_scene_solve_state_frame(node, pass->frame), key, error);
  struct {
    uint64_t own;                           // own_key
    uint64_t stamp;                         // files at this frame
    uint64_t around;                        // files one frame before and after, for nodes that sample frames
    double frame;                           // 0 if the result does not depend on it
    uint64_t input[RV_NODE_MAX_INPUTS][2];  // key of the source, output + 1
  } facts;
  memset(&facts, 0, sizeof facts);
  facts.own = node->own_key;
  RvResult result = rv_scene_files_stamp(pass->scene, node, pass->frame, &facts.stamp, error);
  if (!result && (node->type->flags & RV_NODE_SAMPLES_FRAMES))
    result =
        rv_scene_files_above(pass->scene, node, floor(pass->frame) - 1, ceil(pass->frame) + 1, &facts.around, error);
  // A result that does not depend on the frame has one key for all frames.
  if (node->own_time_dependent) facts.frame = pass->frame == 0 ? 0 : pass->frame;
  for (size_t i = 0; i < rv_scene_graph_live_inputs(node); ++i) {
    const RvWire* wire = &node->inputs[i];
    if (!wire->node) continue;
    facts.input[i][0] = pass->keys[pass->slot[wire->node->index]];
    facts.input[i][1] = wire->output + 1;
  }
  *key = rv_hash(&facts, sizeof facts, RV_SCENE_SEED_RESULT);
  return result;
}

// Decides from the target upward which nodes are needed: a cached result needs none of its inputs.
static void mark_needed(Pass* pass) {
  pass->needed[pass->count - 1] = true;
  for (size_t i = pass->count; i-- > 0;) {
    RvSceneNode* node = pass->order[i];
    if (!pass->needed[i]) continue;
    // A target that writes is cooked even if its result is cached.
    bool writes = node == pass->target && pass->write && (node->type->flags & RV_NODE_WRITES);
    if (!writes) pass->entries[i] = rv_scene_cache_find(&pass->scene->cache, pass->keys[i]);
    if (pass->entries[i] || (node->type->flags & RV_NODE_SOLVER)) continue;
    for (size_t k = 0; k < rv_scene_graph_live_inputs(node); ++k) {
      if (!node->inputs[k].node) continue;
      size_t input = (size_t)pass->slot[node->inputs[k].node->index];
      pass->needed[input] = true;
      ++pass->uses[input];
    }
  }
}

// Orders the nodes, computes their keys and decides what to cook.
static RvResult pass_begin(Pass* pass, RvError* error) {
  RvResult result = rv_scene_order_upstream(pass->scene, pass->target, true, &pass->order, &pass->count, error);
  if (result) return result;
  size_t n = pass->count;
  pass->slot = rv_alloc(pass->scene->nodes.count, sizeof *pass->slot);
  pass->keys = rv_alloc(n, sizeof *pass->keys);
  pass->entries = rv_alloc_zero(n, sizeof *pass->entries);
  pass->uses = rv_alloc_zero(n, sizeof *pass->uses);
  pass->needed = rv_alloc_zero(n, sizeof *pass->needed);
  if (!pass->slot || !pass->keys || !pass->entries || !pass->uses || !pass->needed)
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  // Positions and keys, in topological order because a key depends on those of the inputs.
  for (size_t i = 0; i < n && !result; ++i) {
    pass->slot[pass->order[i]->index] = (int32_t)i;
    result = node_key(pass, pass->order[i], &pass->keys[i], error);
  }
  // The keys examined the files: fail if one changed during the run.
  if (!result) result = rv_scene_files_check(pass->scene, error);
  if (!result) mark_needed(pass);
  return result;
}

// Sets the inputs of a call from the results of the pass.
static RvResult pass_inputs(Pass* pass, RvCall* call, RvError* error) {
  for (size_t i = 0; i < rv_scene_graph_live_inputs(call->node); ++i) {
    const RvWire* wire = &call->node->inputs[i];
    if (!wire->node) continue;
    RvEntry* entry = pass->entries[pass->slot[wire->node->index]];
    RvResult result = rv_scene_cook_output(pass->scene, entry, wire->output, &call->inputs[i], error);
    if (result) return result;
  }
  return rv_scene_call_check_inputs(call, error);
}

// Adds the time of a cook to the report, unless it happened within a solver's function, whose own timers count it.
static void count_time(RvScene* scene, const RvSceneNode* node, double seconds) {
  if (scene->in_step) return;
  *(node->type->flags & RV_NODE_WRITES ? &scene->log.write_seconds : &scene->log.geometry_seconds) += seconds;
}

// Cooks node `i` of the order and caches its result.
static RvResult cook_one(Pass* pass, size_t i, RvError* error) {
  RvScene* scene = pass->scene;
  RvSceneNode* node = pass->order[i];
  if (node->type->flags & RV_NODE_SOLVER) return rv_scene_solve(scene, node, pass->frame, &pass->entries[i], error);
  if (rv_scene_is_cancelled(scene, node->name, pass->frame, 0, "cook"))
    return rv_fail(error, RV_CANCELLED, "interrupted at node '%s', frame %g", node->name, pass->frame);
  // Call the node's function.
  RvEntry* entry = rv_scene_entry_new(node, pass->keys[i], pass->frame);
  if (!entry) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvCall call;
  RvResult result = rv_scene_call_begin(&call, scene, node, pass->frame, &entry->stats, error);
  if (!result) result = pass_inputs(pass, &call, error);
  if (!result) {
    call.cook.write = pass->write && node == pass->target;
    double began = rv_clock_wall();
    result = node->type->cook(&call.cook, error);
    if (!result && call.cook.write)
      result = rv_scene_outputs_wrote(scene, node, pass->frame, call.parms, call.cook.output[0], error);
    count_time(scene, node, rv_clock_wall() - began);
    ++node->ncook;
    if (!result && !call.cook.output[0]) result = rv_fail(error, RV_INTERNAL, "the node made no output");
    result = rv_scene_call_finish(&call, result, error);
  }
  // Cache its outputs.
  if (result) {
    rv_scene_entry_unpin(&scene->cache, entry);
  } else {
    memcpy(entry->output, call.cook.output, sizeof entry->output);
    rv_scene_cache_put(&scene->cache, entry);
    pass->entries[i] = entry;
  }
  rv_scene_call_end(&call);
  return result;
}

// Unpins the results that only node `i` still needed.
static void release_inputs(Pass* pass, size_t i) {
  const RvSceneNode* node = pass->order[i];
  if (node->type->flags & RV_NODE_SOLVER) return;
  for (size_t k = 0; k < rv_scene_graph_live_inputs(node); ++k) {
    if (!node->inputs[k].node) continue;
    size_t input = (size_t)pass->slot[node->inputs[k].node->index];
    if (--pass->uses[input] > 0) continue;
    rv_scene_entry_unpin(&pass->scene->cache, pass->entries[input]);
    pass->entries[input] = NULL;
  }
}

RvResult rv_scene_cook_node(RvScene* scene, RvSceneNode* node, double frame, bool write, RvEntry** out,
                            RvError* error) {
  *out = NULL;
  if (scene->nesting >= RV_SCENE_MAX_NESTING)
    return rv_fail(
        error, RV_LIMIT,
        "node '%s': more than %d solvers in a row read one another; shorten the chain of solvers upstream of this node",
        node->name, RV_SCENE_MAX_NESTING);
  ++scene->nesting;
  // Cook what is needed and not cached, in topological order.
  Pass pass = {.scene = scene, .frame = frame, .target = node, .write = write};
  RvResult result = pass_begin(&pass, error);
  for (size_t i = 0; i < pass.count && !result; ++i) {
    if (!pass.needed[i] || pass.entries[i]) continue;
    result = cook_one(&pass, i, error);
    if (!result) release_inputs(&pass, i);
  }
  // Hand over the pin of the target, which is the last node.
  if (!result) {
    *out = pass.entries[pass.count - 1];
    pass.entries[pass.count - 1] = NULL;
  }
  pass_free(&pass);
  --scene->nesting;
  return result;
}

RvResult rv_scene_cook_output(RvScene* scene, RvEntry* entry, size_t output, const RvDetail** out, RvError* error) {
  const RvNodeType* type = entry->node->type;
  RvResult result = RV_OK;
  bool missing = !entry->output[output] && (type->flags & RV_NODE_SOLVER);
  if (missing && output == rv_scene_solve_state_output(type)) {
    result = rv_node_join_state(&entry->state, &entry->output[output], error);
    if (!result) rv_scene_cache_changed(&scene->cache, entry);
  } else if (missing) {
    result = rv_scene_solve_split(scene, entry, error);
  }
  *out = entry->output[output];
  char empty[RV_EMPTY_OUTPUT_BYTES];
  if (rv_node_output_is_empty(type, output, empty))
    rv_scene_message(scene, RV_LEVEL_WARNING, entry->node->name, entry->frame, "%s", empty);
  if (!result && !*out)
    result =
        rv_fail(error, RV_INTERNAL, "node '%s' (%s) made no output %zu", entry->node->name, type->type, output + 1);
  return result;
}

//------------------------------------------------------------------------------------------------ from outside

RvResult rv_scene_cook(RvScene* scene, const char* output, double frame, const RvDetail** out, RvError* error) {
  RvError own = {0};
  if (!error) error = &own;
  *out = NULL;
  if (scene->cooking)
    return rv_fail(error, RV_BAD_INPUT, "the scene is cooking already; wait until that call has ended");
  if (!isfinite(frame)) return rv_fail(error, RV_BAD_INPUT, "the frame to cook must be a finite number");
  // The result of the previous call is no longer borrowed.
  rv_scene_entry_unpin(&scene->cache, scene->lent_entry);
  scene->lent_entry = NULL;
  // Cook the output.
  RvWire wire;
  RvResult result = rv_scene_graph_resolve(scene, output, &wire, error);
  if (!result) result = rv_scene_order_prepare(scene, error);
  if (result) return result;
  scene->cooking = true;
  result = rv_scene_cook_node(scene, wire.node, frame, false, &scene->lent_entry, error);
  if (!result) result = rv_scene_cook_output(scene, scene->lent_entry, wire.output, out, error);
  scene->cooking = false;
  return result;
}

void rv_scene_forget(RvScene* scene, const char* name) {
  rv_scene_entry_unpin(&scene->cache, scene->lent_entry);
  scene->lent_entry = NULL;
  RvSceneNode* from = name ? rv_scene_graph_find(scene, name) : NULL;
  if (name && !from) return;
  RvSceneNode** order = NULL;
  size_t count = 0;
  RvError ignored = {0};
  bool* marked = rv_alloc_zero(scene->nodes.count, sizeof *marked);
  if (!marked || rv_scene_order_upstream(scene, NULL, false, &order, &count, &ignored)) {
    // Out of memory to tell them apart: forget everything.
    for (size_t i = 0; i < scene->nodes.count; ++i) rv_scene_solve_forget(scene, scene->nodes.data[i]);
    rv_scene_cache_clear(&scene->cache);
  }
  // Mark the node and everything downstream, in topological order.
  for (size_t i = 0; marked && i < count; ++i) {
    RvSceneNode* node = order[i];
    bool mark = !from || node == from;
    for (size_t k = 0; k < node->type->ninput && !mark; ++k)
      mark = node->inputs[k].node && marked[node->inputs[k].node->index];
    marked[node->index] = mark;
    if (mark) rv_scene_solve_forget(scene, node);
  }
  // Drop their results.
  for (RvEntry *entry = marked ? scene->cache.oldest : NULL, *next; entry; entry = next) {
    next = entry->newer;
    if (marked[entry->node->index]) rv_scene_cache_drop(&scene->cache, entry);
  }
  rv_free(marked);
  rv_free(order);
}
