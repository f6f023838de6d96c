// One substep of hair as a continuum.
#include "continuum/solver.h"

#include "base/memory.h"
#include "base/timer.h"

RvResult rv_continuum_init(RvContinuum* c, RvChainModel* model, RvChainState* state, bool held, RvError* error) {
  *c = (RvContinuum){.model = model, .state = state, .implicitness = 1, .scratch = rv_arena_new(0)};
  size_t links = model->links, numbers = (held ? 16 : 7) * links + 3 * model->vertices;
  double* memory = rv_alloc_zero(numbers, sizeof(double));
  if (!memory || !c->scratch) {
    rv_free(memory);
    rv_continuum_free(c);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", model->nstrand);
  }
  c->load.force = memory;
  c->load.torque = memory + 3 * links;
  c->load.line_mass = memory + 6 * links;
  c->velocity = memory + 7 * links;
  if (held) {
    c->load.end_mass = c->velocity + 3 * model->vertices;
    c->load.end_force = c->load.end_mass + 6 * links;
  }
  return RV_OK;
}

void rv_continuum_free(RvContinuum* c) {
  rv_medium_free(&c->medium);
  rv_wet_hair_free(&c->wet);
  rv_chain_solids_free(&c->solids);
  rv_free(c->load.force);
  rv_arena_free(c->scratch);
  rv_chain_state_free(c->state);
  rv_chain_model_free(c->model);
  *c = (RvContinuum){0};
}

// The step of the chains with the loads so far.
static RvChainStepDef step_def(const RvContinuum* c, double dt) {
  return (RvChainStepDef){.dt = dt,
                          .implicitness = c->implicitness,
                          .gravity = {c->gravity[0], c->gravity[1], c->gravity[2]},
                          .base_x = c->base_x,
                          .base_orient = c->base_orient,
                          .base_v = c->base_v,
                          .base_spin = c->base_spin,
                          .force = c->load.force,
                          .torque = c->load.torque,
                          .line_mass = c->load.line_mass,
                          .end_mass = c->load.end_mass,
                          .end_force = c->load.end_force,
                          .scratch = c->scratch};
}

// wetness: the model with the water on the strands.
static RvResult wetness(RvContinuum* c, RvError* error) {
  return rv_wet_hair_model(&c->wet, c->model, &c->now, error);
}

// loads: drag, forces, springs and pins.
static RvResult loads(RvContinuum* c, double dt) {
  c->loads.dt = dt;
  c->loads.implicitness = c->implicitness;
  rv_chain_loads(&c->now, c->state, &c->loads, &c->load);
  return RV_OK;
}

// medium: the velocities that the chains would end with alone, the pressures that these need, and the force of both
// pressure and friction on the links.
static RvResult medium(RvContinuum* c, double dt, RvError* error) {
  const RvChainStepDef def = step_def(c, dt);
  if (!rv_medium_acts(&c->medium_def)) return RV_OK;
  c->medium_def.water = c->wet.load ? c->wet.water : NULL;
  c->medium_def.collapse = c->wet.collapse;
  RvResult result = rv_chain_predict(&c->now, c->state, &def, c->velocity, error);
  if (!result) result = rv_medium_place(&c->medium, &c->medium_def, &c->now, c->state->x, c->velocity, error);
  if (result) return result;
  rv_medium_solve(&c->medium, dt);
  rv_medium_load(&c->medium, &c->now, c->state->x, c->velocity, dt, c->load.force, c->load.torque);
  for (int k = 0; k < c->medium_def.corrections && !result; ++k) {
    result = rv_chain_predict(&c->now, c->state, &def, c->velocity, error);
    if (result) break;
    rv_medium_correct(&c->medium, &c->now, c->velocity, dt);
    rv_medium_load(&c->medium, &c->now, c->state->x, c->velocity, dt, c->load.force, c->load.torque);
  }
  return result;
}

// contacts: planes of the solids that hold vertices, with friction.
static RvResult contacts(RvContinuum* c, double dt, RvError* error) {
  const RvChainStepDef def = step_def(c, dt);
  if (!c->solids.count) return RV_OK;
  return rv_chain_solids_load(&c->solids, &c->now, c->state, &def, c->loads.multiple, c->velocity, &c->load, error);
}

// chains: one step of all strands; no vertex of them passes a solid.
static RvResult chains(RvContinuum* c, double dt, RvError* error) {
  const RvChainStepDef def = step_def(c, dt);
  RvResult result = rv_chain_step(&c->now, c->state, &def, error);
  if (result || !c->solids.count) return result;
  return rv_chain_solids_project(&c->solids, &c->now, c->state, dt, c->scratch, error);
}

//---------------------------------------------------------------------------------------------- the method

#define STAGE(name, call)                                             \
  if (!result) {                                                      \
    double start = rv_clock_wall();                                   \
    result = call;                                                    \
    c->seconds[RV_CONTINUUM_STAGE_##name] += rv_clock_wall() - start; \
  }

RvResult rv_continuum_substep(RvContinuum* c, double dt, RvError* error) {
  RvResult result = RV_OK;
  STAGE(wetness, wetness(c, error))
  STAGE(loads, loads(c, dt))
  STAGE(medium, medium(c, dt, error))
  STAGE(contacts, contacts(c, dt, error))
  STAGE(chains, chains(c, dt, error))
  return result;
}
