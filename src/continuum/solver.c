// One substep of hair as a continuum.
#include "continuum/solver.h"

#include "base/memory.h"

RvResult rv_continuum_init(RvContinuum* c, RvChainModel* model, RvChainState* state, bool held, RvError* error) {
  *c = (RvContinuum){.model = model, .state = state, .implicitness = 1, .scratch = rv_arena_new(0)};
  size_t links = model->links, numbers = (held ? 13 : 7) * links + 3 * model->vertices;
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
  if (held) c->load.end_mass = c->velocity + 3 * model->vertices;
  return RV_OK;
}

void rv_continuum_free(RvContinuum* c) {
  rv_medium_free(&c->medium);
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
                          .scratch = c->scratch};
}

// medium: the velocities that the chains would end with alone, the pressures that these need, and the force of both
// pressure and friction on the links.
static RvResult medium(RvContinuum* c, double dt, RvError* error) {
  RvChainStepDef def = step_def(c, dt);
  if (!rv_medium_acts(&c->medium_def)) return RV_OK;
  RvResult result = rv_chain_predict(c->model, c->state, &def, c->velocity, error);
  if (!result) result = rv_medium_place(&c->medium, &c->medium_def, c->model, c->state->x, c->velocity, error);
  if (result) return result;
  rv_medium_solve(&c->medium, dt);
  rv_medium_load(&c->medium, c->model, c->state->x, c->velocity, dt, c->load.force, c->load.torque);
  for (int k = 0; k < c->medium_def.corrections && !result; ++k) {
    result = rv_chain_predict(c->model, c->state, &def, c->velocity, error);
    if (result) break;
    rv_medium_correct(&c->medium, c->model, c->velocity, dt);
    rv_medium_load(&c->medium, c->model, c->state->x, c->velocity, dt, c->load.force, c->load.torque);
  }
  return result;
}

RvResult rv_continuum_substep(RvContinuum* c, double dt, RvError* error) {
  c->loads.dt = dt;
  c->loads.implicitness = c->implicitness;
  rv_chain_loads(c->model, c->state, &c->loads, &c->load);
  RvResult result = medium(c, dt, error);
  const RvChainStepDef def = step_def(c, dt);
  return result ? result : rv_chain_step(c->model, c->state, &def, error);
}
