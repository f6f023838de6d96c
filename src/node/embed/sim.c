// An embedded simulation: its life, its parameters, and its steps by the solver's start and step.
#include "node/embed/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/result.h"
#include "parm/values.h"

//---------------------------------------------------------------------------------------------- life

// The type of a solver by name; the error lists all solvers.
static RvResult find_solver(const char* kind, const RvNodeType** out, RvError* error) {
  *out = kind ? rv_node_find(kind) : NULL;
  if (*out && (*out)->flags & RV_NODE_SOLVER) return RV_OK;
  char names[512] = "";
  for (size_t i = 0; i < rv_node_type_count(); ++i) {
    const RvNodeType* type = rv_node_type(i);
    size_t used = strlen(names);
    if (type->flags & RV_NODE_SOLVER && !(type->flags & RV_NODE_HIDDEN))
      snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", type->type);
  }
  RvResult code = *out ? RV_BAD_INPUT : RV_NOT_FOUND;
  return rv_fail(error, code, "RvSimDef: kind '%s' is no solver; there are %s", kind ? kind : "", names);
}

// The definition must be one of this library, and its rates above 0.
static RvResult check_def(const RvSimDef* def, RvError* error) {
  if (!def) return rv_fail(error, RV_BAD_INPUT, "RvSimDef is NULL: begin with rv_sim_def_default()");
  RvResult result = rv_struct_check("RvSimDef", "rv_sim_def_default", def->size, def->version, sizeof *def, error);
  if (result) return result;
  if (!(def->fps > 0) || !isfinite(def->fps))
    return rv_fail(error, RV_BAD_INPUT, "RvSimDef: fps is %g; it must be above 0", def->fps);
  if (!(def->meters_per_unit > 0) || !isfinite(def->meters_per_unit))
    return rv_fail(error, RV_BAD_INPUT, "RvSimDef: meters_per_unit is %g; it must be above 0", def->meters_per_unit);
  return RV_OK;
}

RvResult rv_sim_create(const RvSimDef* def, RvSim** out, RvError* error) {
  const RvNodeType* type = NULL;
  *out = NULL;
  // nothing is taken for a definition that is refused
  RvResult result = check_def(def, error);
  if (!result) result = find_solver(def->kind, &type, error);
  if (result) return result;
  RvSim* sim = rv_alloc_zero(1, sizeof *sim);
  if (!sim) return rv_fail(error, RV_NO_MEMORY, "out of memory for a simulation");
  sim->def = *def;
  sim->type = type;
  sim->name = rv_strdup(def->name ? def->name : "sim");
  sim->values = rv_parms_new(type->parms);
  if (!sim->name || !sim->values) {
    rv_sim_free(sim);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for a simulation");
  }
  rv_parms_set_meters(sim->values, def->meters_per_unit);
  // the texts are the caller's, and may go
  sim->def.name = sim->name;
  sim->def.kind = type->type;
  sim->frame = 1;
  *out = sim;
  return RV_OK;
}

// Warnings are those of one call; the next one begins without.
static void drop_warnings(RvSim* sim) {
  for (size_t i = 0; i < RV_STATS_MAX_WARNINGS; ++i) {
    rv_free(sim->warnings[i]);
    sim->warnings[i] = NULL;
  }
  sim->warning_count = 0;
}

void rv_sim_drop_outputs(RvSim* sim) {
  for (size_t i = 0; i < RV_NODE_MAX_OUTPUTS; ++i) {
    rv_detail_free(sim->output[i]);
    sim->output[i] = NULL;
  }
}

void rv_sim_free(RvSim* sim) {
  if (!sim) return;
  rv_sim_drop_outputs(sim);
  drop_warnings(sim);
  for (size_t i = 0; i < RV_NODE_MAX_INPUTS; ++i) rv_sim_port_clear(&sim->ports[i]);
  rv_array_free(&sim->samples);
  if (sim->cache && sim->type->free_cache) sim->type->free_cache(sim->cache);
  rv_state_free(&sim->state);
  rv_parms_free(sim->values);
  rv_parms_free(sim->between);
  rv_free(sim->name);
  rv_free(sim);
}

RvResult rv_sim_check_idle(const RvSim* sim, RvError* error) {
  if (!sim->running) return RV_OK;
  return rv_fail(error, RV_BAD_INPUT, "sim '%s' is running: its callbacks may not call it", sim->name);
}

//---------------------------------------------------------------------------------------------- parameters

// Puts the simulation's name before the error of a setter.
static RvResult named(const RvSim* sim, RvResult result, RvError* error) {
  if (result) rv_error_context(error, "sim '%s' (%s)", sim->name, sim->type->type);
  return result;
}

RvResult rv_sim_set_number(RvSim* sim, const char* parm, int component, double value, RvError* error) {
  return named(sim, rv_parms_set(sim->values, parm, component, value, error), error);
}

RvResult rv_sim_set_text(RvSim* sim, const char* parm, const char* text, RvError* error) {
  return named(sim, rv_parms_set_text(sim->values, parm, text, error), error);
}

RvResult rv_sim_set_keys(RvSim* sim, const char* parm, int component, const RvKey* keys, size_t count, RvInterp interp,
                         RvExtend extend, RvError* error) {
  return named(sim, rv_parms_set_keys(sim->values, parm, component, keys, count, interp, extend, error), error);
}

RvParms* rv_sim_parms(RvSim* sim) {
  return sim->values;
}

RvParms* rv_sim_mesh_parms(RvSim* sim, const char* port, size_t mesh) {
  size_t index;
  if (rv_sim_find_port(sim, port, false, &index, NULL) || mesh >= sim->ports[index].pieces.count) return NULL;
  return sim->ports[index].pieces.data[mesh].parms;
}

// Values of the solver at a frame, into a new struct of its table; rv_free it.
static RvResult eval(RvSim* sim, double frame, void** out, RvError* error) {
  RvVars vars = {.frame = frame, .fps = sim->def.fps, .out = ".", .hip = ".", .node = sim->name};
  *out = rv_alloc_zero(1, sim->type->parms->struct_bytes + 1);
  if (!*out) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvResult result = rv_parms_eval(sim->values, &vars, *out, error);
  if (result) {
    rv_free(*out);
    *out = NULL;
  }
  return result;
}

RvResult rv_sim_start_frame(RvSim* sim, double* out, RvError* error) {
  const RvParmDef* row = rv_parm_find(sim->type->parms, "startframe");
  // a solver without the parameter starts at frame 1, as in a scene
  *out = 1;
  if (!row || (row->type != RV_PARM_INT && row->type != RV_PARM_FLOAT)) return RV_OK;
  void* parms;
  RvResult result = eval(sim, 1, &parms, error);
  if (result) return result;
  const char* at = (const char*)parms + row->offset;
  *out = row->type == RV_PARM_INT ? (double)*(const int64_t*)at : *(const double*)at;
  rv_free(parms);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- what the solver asks

void rv_sim_message(RvSim* sim, RvLevel level, const char* text) {
  if (level == RV_LEVEL_WARNING) {
    // a solver that warns of every strand must not fill the memory: the first texts are kept, the others counted
    if (sim->warning_count < RV_STATS_MAX_WARNINGS) sim->warnings[sim->warning_count] = rv_strdup(text);
    sim->warning_count++;
  }
  if (sim->def.message) sim->def.message(sim->def.user, level, text);
}

// RvHost.message
static void host_message(void* user, RvLevel level, const char* text) {
  rv_sim_message(user, level, text);
}

// RvHost.cancelled
static bool host_cancelled(void* user, double fraction, const char* stage) {
  const RvSim* sim = user;
  return sim->def.cancelled && sim->def.cancelled(sim->def.user, fraction, stage);
}

// RvHost.parms_at. Texts of an evaluation live until the next one, so samples have values of their own.
static RvResult host_parms_at(void* user, double frame, void* out, RvError* error) {
  const RvSim* sim = user;
  RvVars vars = {.frame = frame, .fps = sim->def.fps, .out = ".", .hip = ".", .node = sim->name};
  return rv_parms_eval(sim->between, &vars, out, error);
}

//---------------------------------------------------------------------------------------------- steps

// The inputs as the solver takes them; an empty one that it needs is an error.
static RvResult check_inputs(const RvSim* sim, const RvDetail** inputs, RvError* error) {
  for (size_t i = 0; i < sim->type->ninput; ++i) {
    const RvSimPort* port = &sim->ports[i];
    inputs[i] = port->made_next ? port->made_next : port->made;
    if (!inputs[i] && sim->type->inputs[i].required)
      return rv_fail(error, RV_BAD_INPUT, "input '%s' is empty, and this solver needs it", sim->type->inputs[i].name);
    RvResult result = rv_node_check_input(sim->type, i, inputs[i], error);
    if (result) return result;
  }
  return RV_OK;
}

// The solver's start without a state before it, else its step.
static RvResult run(RvSim* sim, double start, const RvState* before, RvState* out, RvError* error) {
  const RvDetail* inputs[RV_NODE_MAX_INPUTS] = {0};
  void* parms = NULL;
  // parameters and inputs of the frame
  if (host_cancelled(sim, 0, before ? "step" : "start")) return rv_fail(error, RV_CANCELLED, "interrupted");
  RvResult result = eval(sim, sim->target, &parms, error);
  rv_parms_free(sim->between);
  sim->between = rv_parms_copy(sim->values);
  if (!result && !sim->between) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) result = rv_sim_make_inputs(sim, error);
  if (!result) result = check_inputs(sim, inputs, error);
  // what the solver sees of its host
  RvVars vars = {.frame = sim->target, .fps = sim->def.fps, .out = ".", .hip = ".", .node = sim->name};
  RvHost host = {.user = sim,
                 .cancelled = host_cancelled,
                 .message = host_message,
                 .input_at = rv_sim_input_at,
                 .parms_at = host_parms_at};
  RvCook cook = {.type = sim->type,
                 .node = sim->name,
                 .time = {sim->target, sim->def.fps, (sim->target - 1) / sim->def.fps, sim->def.meters_per_unit},
                 .dt = before ? 1 / sim->def.fps : 0,
                 .start_frame = start,
                 .parms = parms,
                 .ninput = sim->type->ninput,
                 .input = inputs,
                 .prev = before,
                 .stats = &sim->stats,
                 .cache = &sim->cache,
                 .vars = &vars,
                 .host = &host};
  if (!result) result = before ? sim->type->step(&cook, error) : sim->type->start(&cook, error);
  if (!result && rv_state_empty(&cook.state)) result = rv_fail(error, RV_INTERNAL, "the solver made no state");
  if (result)
    rv_state_free(&cook.state);
  else
    *out = cook.state;
  for (size_t i = 0; i < RV_NODE_MAX_OUTPUTS; ++i) rv_detail_free(cook.output[i]);
  rv_free(parms);
  return result;
}

// One start or step to the frame `target`; a failed one leaves state, frame and inputs as they were.
static RvResult go(RvSim* sim, double target, bool step, RvError* error) {
  RvError own = {0};
  if (!error) error = &own;
  // one step, during which callbacks may not call back
  RvStats before = sim->stats;
  RvState state = {0};
  double start = target;
  RvResult result = step ? rv_sim_start_frame(sim, &start, error) : RV_OK;
  sim->stats = (RvStats){0};
  sim->target = target;
  sim->running = true;
  if (!result) result = run(sim, start, step ? &sim->state : NULL, &state, error);
  sim->running = false;
  rv_sim_end_inputs(sim, result == RV_OK);
  // a failed one is undone
  if (result) {
    sim->stats = before;
    sim->target = sim->frame;
    rv_fail(error, result, "%s", rv_result_text(result));
    rv_error_context(error, "sim '%s' (%s), frame %g", sim->name, sim->type->type, target);
    return result;
  }
  rv_sim_drop_outputs(sim);
  rv_state_free(&sim->state);
  sim->state = state;
  sim->frame = target;
  return RV_OK;
}

// The inputs as they are now become those of the start frame.
static void begin_inputs(RvSim* sim) {
  for (size_t i = 0; i < sim->type->ninput; ++i) {
    RvSimPort* port = &sim->ports[i];
    rv_detail_free(port->made);
    port->made = NULL;
    for (size_t k = 0; k < port->pieces.count; ++k) {
      RvSimPiece* piece = &port->pieces.data[k];
      rv_detail_free(piece->earlier);
      piece->earlier = NULL;
      if (!piece->next) continue;
      rv_detail_free(piece->shape);
      piece->shape = piece->next;
      piece->next = NULL;
    }
  }
}

RvResult rv_sim_start(RvSim* sim, RvError* error) {
  double frame;
  RvResult result = rv_sim_check_idle(sim, error);
  if (!result) result = rv_sim_start_frame(sim, &frame, error);
  if (result) return result;
  // what was before is forgotten, also if the start fails
  rv_sim_drop_outputs(sim);
  rv_state_free(&sim->state);
  drop_warnings(sim);
  begin_inputs(sim);
  sim->frame = frame;
  return go(sim, frame, false, error);
}

RvResult rv_sim_advance(RvSim* sim, int frames, RvError* error) {
  RvResult result = rv_sim_check_idle(sim, error);
  if (result) return result;
  if (rv_state_empty(&sim->state))
    return rv_fail(error, RV_BAD_INPUT, "sim '%s' has no state to advance: call rv_sim_start before", sim->name);
  if (frames < 0) return rv_fail(error, RV_BAD_INPUT, "rv_sim_advance: %d frames; it goes forward only", frames);
  drop_warnings(sim);
  for (int i = 0; i < frames && !result; ++i) result = go(sim, sim->frame + 1, true, error);
  return result;
}

double rv_sim_frame(const RvSim* sim) {
  return sim->frame;
}
