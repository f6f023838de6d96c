// What an embedding program reads of its simulation.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "node/embed/sim.h"

// Results are there from the start on.
static RvResult check_state(const RvSim* sim, RvError* error) {
  if (!rv_state_empty(&sim->state)) return RV_OK;
  return rv_fail(error, RV_BAD_INPUT, "sim '%s' has no state yet: call rv_sim_start before", sim->name);
}

// Makes the outputs that are parts of the state.
static RvResult split(RvSim* sim, RvError* error) {
  RvError own = {0};
  if (!error) error = &own;
  RvVars vars = {.frame = sim->frame, .fps = sim->def.fps, .out = ".", .hip = ".", .node = sim->name};
  RvHost host = {0};
  RvStats stats = {0};
  void* parms = rv_alloc_zero(1, sim->type->parms->struct_bytes + 1);
  if (!parms) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvCook cook = {.type = sim->type,
                 .node = sim->name,
                 .time = {sim->frame, sim->def.fps, (sim->frame - 1) / sim->def.fps, sim->def.meters_per_unit},
                 .parms = parms,
                 .stats = &stats,
                 .cache = &sim->cache,
                 .vars = &vars,
                 .host = &host};
  RvResult result = rv_parms_eval(sim->values, &vars, parms, error);
  if (!result) result = sim->type->split(&cook, &sim->state, error);
  // kept until the state changes
  for (size_t i = 0; i + 1 < sim->type->noutput; ++i) {
    if (result)
      rv_detail_free(cook.output[i]);
    else
      sim->output[i] = cook.output[i];
  }
  rv_free(parms);
  return result;
}

RvResult rv_sim_detail(RvSim* sim, const char* port, const RvDetail** out, RvError* error) {
  size_t index;
  *out = NULL;
  RvResult result = rv_sim_check_idle(sim, error);
  if (!result) result = rv_sim_find_port(sim, port, true, &index, error);
  if (!result) result = check_state(sim, error);
  if (result) return result;
  // outputs are made of the state when they are first asked for; the last is the state as one detail
  if (!sim->output[index] && index == sim->type->noutput - 1)
    result = rv_node_join_state(&sim->state, &sim->output[index], error);
  else if (!sim->output[index])
    result = split(sim, error);
  *out = sim->output[index];
  return result || *out ? result : rv_fail(error, RV_INTERNAL, "the solver made no output '%s'", port);
}

// The names of all attributes of an output, as an error tells them.
static RvResult tell_names(const RvDetail* detail, const char* port, const char* name, RvError* error) {
  static const RvOwner owners[] = {RV_POINT, RV_PRIM, RV_GLOBAL};
  char names[768] = "";
  for (int k = 0; k < 3; ++k)
    for (size_t i = 0; i < rv_detail_attrib_count(detail, owners[k]); ++i) {
      const char* has = rv_attrib_name(rv_detail_attrib(detail, owners[k], i));
      size_t used = strlen(names);
      // the solver's own are many, and no caller looks for them
      if (strncmp(has, "rv_", 3) != 0) snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", has);
    }
  return rv_fail(error, RV_NOT_FOUND, "output '%s' has no attribute '%s'; it has %s", port, name, names);
}

RvResult rv_sim_get(RvSim* sim, const char* port, const char* attrib, RvSimArray* out, RvError* error) {
  static const RvOwner owners[] = {RV_POINT, RV_PRIM, RV_GLOBAL};
  const RvDetail* detail;
  *out = (RvSimArray){0};
  RvResult result = rv_sim_detail(sim, port, &detail, error);
  if (result) return result;
  const RvAttrib* found = NULL;
  for (int i = 0; i < 3 && !found; ++i) found = rv_detail_find(detail, owners[i], attrib ? attrib : "");
  if (!found) return tell_names(detail, port, attrib ? attrib : "", error);
  *out = (RvSimArray){.data = rv_attrib_read(found),
                      .count = rv_attrib_count(found),
                      .size = rv_attrib_size(found),
                      .storage = rv_attrib_storage(found),
                      .owner = rv_attrib_owner(found)};
  return RV_OK;
}

const RvStats* rv_sim_stats(const RvSim* sim) {
  return &sim->stats;
}

const char* rv_sim_stage(const RvSim* sim, size_t index, double* seconds) {
  const char* const* stages = sim->type->stages;
  for (size_t i = 0; stages && i < RV_STAGE_MAX && stages[i]; ++i) {
    if (i != index) continue;
    if (seconds) *seconds = sim->stats.stage_seconds[i];
    return stages[i];
  }
  return NULL;
}

size_t rv_sim_warning_count(const RvSim* sim) {
  return sim->warning_count;
}

const char* rv_sim_warning(const RvSim* sim, size_t index) {
  return index < RV_STATS_MAX_WARNINGS ? sim->warnings[index] : NULL;
}

uint64_t rv_sim_hash(const RvSim* sim) {
  return rv_state_empty(&sim->state) ? 0 : rv_state_hash(&sim->state, sim->type->fields, sim->type->nfield);
}
