// The host of a solver node for the checks: inputs, parameters and states frame by frame.
#include "rig/node.h"

#include "base/memory.h"

// Frames a second.
enum { FPS = 24 };

// RvHost.input_at: makes an input that lives until the frame ends.
static RvResult input_at(void* user, size_t index, double frame, const RvDetail** out, RvError* error) {
  RvNodeRig* r = user;
  *out = NULL;
  if (r->nlent == RV_NODE_RIG_LENT) return rv_fail(error, RV_LIMIT, "more than %d samples a frame", RV_NODE_RIG_LENT);
  RvResult result = r->def.make(r->def.user, index, frame, &r->lent[r->nlent], error);
  if (!result) *out = r->lent[r->nlent++];
  return result;
}

// RvHost.parms_at.
static RvResult parms_at(void* user, double frame, void* out, RvError* error) {
  const RvNodeRig* r = user;
  RvVars vars = r->vars;
  vars.frame = frame;
  return rv_parms_eval(r->values, &vars, out, error);
}

// Makes the inputs of a frame, and frees those of the frame before.
static RvResult make_inputs(RvNodeRig* r, double frame, RvError* error) {
  RvResult result = RV_OK;
  while (r->nlent) rv_detail_free(r->lent[--r->nlent]);
  for (size_t i = 0; i < r->def.ninput && !result; ++i) {
    rv_detail_free(r->now[i]);
    r->now[i] = NULL;
    result = r->def.make(r->def.user, i, frame, &r->now[i], error);
    r->inputs[i] = r->now[i];
  }
  return result;
}

RvResult rv_rig_node_open(RvNodeRig* r, const RvNodeRigDef* def, RvError* error) {
  *r = (RvNodeRig){.def = *def, .vars = {.frame = 1, .fps = FPS, .out = ".", .hip = ".", .node = "check"}};
  const RvNodeType* type = rv_node_find(def->type);
  if (!type) return rv_fail(error, RV_INTERNAL, "there is no node type %s", def->type);
  // Parameters and inputs of frame 1.
  r->values = rv_parms_new(type->parms);
  r->parms = rv_alloc_zero(1, type->parms->struct_bytes);
  RvResult result = r->values && r->parms ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t i = 0; def->parms && def->parms[i] && !result; i += 2)
    result = rv_parms_set_text(r->values, def->parms[i], def->parms[i + 1], error);
  if (!result) result = rv_parms_eval(r->values, &r->vars, r->parms, error);
  if (!result) result = make_inputs(r, 1, error);
  // The cook of the start frame.
  r->host = (RvHost){.user = r, .parms_at = parms_at, .input_at = def->whole ? NULL : input_at};
  r->cook = (RvCook){.type = type,
                     .node = "check",
                     .time = {.frame = 1, .fps = FPS, .time = 0, .meters_per_unit = 1},
                     .start_frame = 1,
                     .parms = r->parms,
                     .ninput = def->ninput,
                     .input = r->inputs,
                     .stats = &r->stats,
                     .cache = &r->cache,
                     .vars = &r->vars,
                     .host = &r->host};
  if (!result) result = type->start(&r->cook, error);
  r->state = r->cook.state;
  return result;
}

RvResult rv_rig_node_next(RvNodeRig* r, RvError* error) {
  double frame = r->cook.time.frame + 1;
  r->stats = (RvStats){0};
  r->vars.frame = frame;
  r->cook.prev = &r->state;
  r->cook.state = (RvState){0};
  r->cook.time.frame = frame;
  r->cook.time.time = (frame - 1) / FPS;
  r->cook.dt = 1.0 / FPS;
  RvResult result = rv_parms_eval(r->values, &r->vars, r->parms, error);
  return result ? result : make_inputs(r, frame, error);
}

RvResult rv_rig_node_step(RvNodeRig* r, RvError* error) {
  RvResult result = r->cook.type->step(&r->cook, error);
  if (result) return result;
  rv_state_free(&r->state);
  r->state = r->cook.state;
  return RV_OK;
}

void rv_rig_node_close(RvNodeRig* r) {
  while (r->nlent) rv_detail_free(r->lent[--r->nlent]);
  for (size_t i = 0; i < RV_NODE_MAX_INPUTS; ++i) rv_detail_free(r->now[i]);
  rv_state_free(&r->state);
  if (r->cache && r->cook.type->free_cache) r->cook.type->free_cache(r->cache);
  rv_parms_free(r->values);
  rv_free(r->parms);
}
