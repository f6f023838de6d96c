// One substep of hair as a continuum.
#include "continuum/solver.h"

#include <string.h>

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
  rv_medium_pairs_free(&c->pairs);
  rv_air_free(&c->air);
  rv_free(c->place);
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
                          .integrator = c->integrator,
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
  RvChainLoadDef def = c->loads;
  def.dt = dt;
  def.implicitness = c->implicitness;
  if (c->air_solved) def.drag_normal = def.drag_tangent = 0;
  rv_chain_loads(&c->now, c->state, &def, &c->load);
  return RV_OK;
}

// Without strands there are no tiles of air.
static bool air_acts(const RvContinuum* c) {
  return c->air_solved && c->model->nlink > 0;
}

static RvAirHair air_hair(const RvContinuum* c) {
  return (RvAirHair){.model = &c->now,
                     .x = c->state->x,
                     .v = c->state->v,
                     .first = c->loads.first,
                     .multiple = c->loads.multiple,
                     .wind_at = c->loads.wind_at};
}

// air: the flow around the strands, and its drag on them.
static RvResult air(RvContinuum* c, double dt, RvError* error) {
  if (!air_acts(c)) return RV_OK;
  RvAirDef def = c->air_def;
  const RvAirHair hair = air_hair(c);
  def.drag_normal = c->loads.drag_normal;
  def.drag_tangent = c->loads.drag_tangent;
  memcpy(def.wind, c->loads.wind, sizeof def.wind);
  if (c->solids.count) {
    def.colliders = c->solids.colliders;
    def.ncollider = c->solids.count;
  }
  if (!c->place) c->place = rv_alloc(6 * c->model->vertices + 3 * c->model->links + 1, sizeof(double));
  if (!c->place) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", c->model->nstrand);
  return rv_air_begin(&c->air, &def, &hair, dt, c->implicitness, c->load.force, c->load.torque, c->load.line_mass,
                      error);
}

// The start of the step, kept for the air: places and velocities of the vertices, spins of the links.
typedef struct Before {
  double *x, *v, *spin;
} Before;

static Before before_step(const RvContinuum* c) {
  const size_t size = 3 * c->model->vertices;
  return (Before){c->place, c->place + size, c->place + 2 * size};
}

static void keep_start(const RvContinuum* c) {
  const Before b = before_step(c);
  memcpy(b.x, c->state->x, 3 * c->model->vertices * sizeof(double));
  memcpy(b.v, c->state->v, 3 * c->model->vertices * sizeof(double));
  memcpy(b.spin, c->state->spin, 3 * c->model->links * sizeof(double));
}

// Velocities of a lane's vertices that the chains' accelerations lead to, in the places before the step: by the spins
// after it, and by the centripetal acceleration of the old ones, which added mass resists too.
static void turn_lane(const RvContinuum* c, size_t k, int lane, double dt, double* v) {
  const RvChainBatch* b = &c->model->batches[k];
  const Before old = before_step(c);
  RvVec3 velocity = rv_strand_vector(c->state->base_v, rv_chain_base(k, lane, 3, 0));
  for (int i = 0; i <= b->links; ++i) {
    size_t at = rv_chain_vertex(b, lane, i, 3, 0);
    rv_strand_set_vector(v, at, velocity);
    if (i == b->links) break;
    const size_t link = rv_chain_link(b, lane, i, 3, 0);
    RvVec3 arm = rv_sub(rv_strand_vector(old.x, at + 3 * RV_LANES), rv_strand_vector(old.x, at));
    RvVec3 spin = rv_strand_vector(old.spin, link);
    velocity = rv_add(velocity, rv_cross(rv_strand_vector(c->state->spin, link), arm));
    velocity = rv_mad(velocity, dt, rv_cross(spin, rv_cross(spin, arm)));
  }
}

// What the strands took of the air's momentum in the step, is taken from the air.
static void pay_air(RvContinuum* c, double dt) {
  const Before old = before_step(c);
  RvAirHair hair = air_hair(c);
  for (size_t k = 0; k < c->model->nbatch; ++k)
    for (int lane = 0; lane < c->model->batches[k].lanes; ++lane) turn_lane(c, k, lane, dt, c->velocity);
  hair.x = old.x;
  hair.v = old.v;
  rv_air_end(&c->air, &hair, c->velocity, dt);
}

// medium: the velocities that the chains would end with alone, the pressures that these need, and the force of both
// pressure and friction on the links.
static RvResult medium(RvContinuum* c, double dt, RvError* error) {
  const RvChainStepDef def = step_def(c, dt);
  if (!rv_medium_acts(&c->medium_def)) return RV_OK;
  c->medium_def.water = c->wet.load ? c->wet.water : NULL;
  c->medium_def.collapse = c->wet.collapse;
  if (c->medium_def.particles)
    return rv_medium_pairs_load(&c->pairs, &c->medium_def, &c->now, c->state->x, c->state->v, dt, c->scratch,
                                c->load.force, c->load.torque, error);
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
  if (air_acts(c)) keep_start(c);
  RvResult result = rv_chain_step(&c->now, c->state, &def, error);
  if (!result && air_acts(c)) pay_air(c, dt);
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
  STAGE(air, air(c, dt, error))
  STAGE(medium, medium(c, dt, error))
  STAGE(contacts, contacts(c, dt, error))
  STAGE(chains, chains(c, dt, error))
  return result;
}
