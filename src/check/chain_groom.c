// Checks of what artists ask of chains: frame 1 is the groom, pins, goals and drag (HC-12, HC-16).
#include <math.h>

#include "base/memory.h"
#include "check/list.h"
#include "continuum/chain_loads.h"
#include "continuum/chain_rest.h"
#include "math/scalar.h"
#include "rig/chain.h"

enum { LINKS = 30 };
static const double GRAVITY = 9.81;  // m/s2
static const double LENGTH = 0.15;   // m

// A curl that leaves sideways and bends down.
static void fill_curl(double* x) {
  for (int i = 0; i <= LINKS; ++i) {
    double s = LENGTH * i / LINKS, angle = 2 * RV_PI * s / 0.04;
    double radius = 4e-3 * fmin(1, s / 0.02), along = 0.06 * (1 - exp(-s / 0.06));
    rv_vec3_store64(x + 3 * i, rv_vec3(along + radius * cos(angle), 0.3 * along - 0.7 * s, radius * sin(angle)));
  }
}

static RvResult new_curl(RvRigChain* rig, RvError* error) {
  double x[3 * LINKS + 3];
  fill_curl(x);
  const RvRigChainDef def = {
      .links = LINKS, .x = x, .radius = 40e-6, .density = 1320, .youngs = 3e9, .shear = 1.1e9, .viscosity = 1e6};
  RvResult result = rv_rig_chain_new(rig, &def, error);
  rig->def.gravity[1] = -GRAVITY;
  return result;
}

// Largest way of a vertex from where it was, over the length.
static double moved(const RvRigChain* rig, const RvVec3* from) {
  double worst = 0;
  for (int i = 0; i <= rig->links; ++i) worst = fmax(worst, rv_distance(rv_rig_chain_x(rig, i), from[i]));
  return worst / LENGTH;
}

RvResult rv_check_chain_groom(const RvCheckOut* out, RvError* error) {
  RvRigChain rig;
  RvVec3 start[LINKS + 1];
  RvChainRestReport report;
  RvResult result = new_curl(&rig, error);
  if (result) return result;
  for (int i = 0; i <= LINKS; ++i) start[i] = rv_rig_chain_x(&rig, i);
  const RvChainRestDef def = {.gravity = {0, -GRAVITY, 0}, .max_turn = 1, .max_stiffen = 1};
  double stiffen = 0;
  result = rv_chain_balance(rig.model, rig.state, &def, &stiffen, &report, error);
  if (!result) rv_check_emit(out, "capped_or_loose", (double)(report.capped + report.loose), 0, 0);
  // It stays, and returns after a push.
  if (!result) result = rv_rig_chain_run(&rig, 1.0 / 60, 2, error);
  if (!result) rv_check_emit(out, "moved", moved(&rig, start), 0, 1e-9);
  for (int i = 0; i < LINKS; ++i) rv_rig_chain_set_spin(&rig, i, rv_vec3(5, 0, 5));
  if (!result) result = rv_rig_chain_run(&rig, 1.0 / 60, 0.1, error);
  if (!result) rv_check_emit(out, "pushed", fmin(moved(&rig, start), 0.05), 0.05, 0);
  if (!result) result = rv_rig_chain_run(&rig, 1.0 / 60, 60, error);
  if (!result) rv_check_emit(out, "returned", moved(&rig, start), 0, 1e-6);
  rv_rig_chain_free(&rig);
  // A straight hair of a third of a metre that stands up cannot be supported; stiffened enough it can.
  static const char* const names[2] = {"upright_loose", "upright_stiffened"};
  for (int k = 0; k < 2 && !result; ++k) {
    result = rv_rig_chain_new(&rig,
                              &(RvRigChainDef){.links = LINKS,
                                               .length = 0.3,
                                               .direction = rv_vec3(0, 1, 0),
                                               .radius = 40e-6,
                                               .density = 1320,
                                               .youngs = 3e9,
                                               .shear = 1.1e9},
                              error);
    const RvChainRestDef up = {.gravity = {0, -GRAVITY, 0}, .max_turn = 1, .max_stiffen = k ? 1000 : 1};
    if (!result) result = rv_chain_balance(rig.model, rig.state, &up, &stiffen, &report, error);
    // Greenhill 1881: an upright rod buckles at rho A g L^3 / EI = 7.8373.
    double gamma = 1320 * GRAVITY * 0.3 * 0.3 * 0.3 * 4 / (3e9 * 1.6e-9);
    if (!result && k == 0) rv_check_emit(out, names[k], (double)report.loose, 1, 0);
    if (!result && k == 1) rv_check_emit(out, names[k], log2(stiffen * 7.8373 / gamma), 0.25, 0.3);
    rv_rig_chain_free(&rig);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- pins, goals, drag

// A rig with arrays for its loads.
typedef struct Loaded {
  RvRigChain rig;
  RvChainLoads loads;
  RvChainLoadDef def;
  double *goal, *goal_velocity;
  float weight[LINKS + 1];
  uint8_t pinned[LINKS + 1];
  int32_t first[1];
} Loaded;

static RvResult new_loaded(Loaded* l, RvError* error) {
  *l = (Loaded){0};
  RvResult result = new_curl(&l->rig, error);
  if (result) return result;
  size_t links = l->rig.model->links, vertices = l->rig.model->vertices;
  double* memory = rv_alloc_zero(16 * links + 6 * vertices, sizeof(double));
  if (!memory) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  l->loads = (RvChainLoads){memory, memory + 3 * links, memory + 6 * links, memory + 7 * links, memory + 13 * links};
  l->goal = memory + 16 * links;
  l->goal_velocity = l->goal + 3 * vertices;
  for (size_t i = 0; i < 3 * vertices; ++i) l->goal[i] = l->rig.state->x[i];
  l->def = (RvChainLoadDef){.implicitness = 1, .first = l->first, .goal = l->goal, .goal_velocity = l->goal_velocity};
  RvChainStepDef* step = &l->rig.def;
  step->force = l->loads.force;
  step->torque = l->loads.torque;
  step->line_mass = l->loads.line_mass;
  step->end_mass = l->loads.end_mass;
  step->end_force = l->loads.end_force;
  return RV_OK;
}

static void free_loaded(Loaded* l) {
  rv_free(l->loads.force);
  rv_rig_chain_free(&l->rig);
}

static RvResult run(Loaded* l, double dt, double seconds, RvError* error) {
  RvResult result = RV_OK;
  l->def.dt = dt;
  for (long k = (long)(seconds / dt + 0.5); k > 0 && !result; --k) {
    rv_chain_loads(l->rig.model, l->rig.state, &l->def, &l->loads);
    result = rv_rig_chain_step(&l->rig, dt, error);
  }
  return result;
}

// Terminal velocity of the tip region is that of the wind: a soft strand without weight in strong wind ends along it.
static RvResult drag(const RvCheckOut* out, RvError* error) {
  Loaded l;
  RvResult result = new_loaded(&l, error);
  // Loose joints, so that a strand in the wind has nothing but drag and weight: it hangs at tan = drag / weight a
  // length.
  for (size_t i = 0; !result && i < 3 * l.rig.model->links; ++i) l.rig.model->stiffness[i] *= 1e-6;
  const double wind = 0.2, coefficient = 1e-4;
  l.def.drag_normal = l.def.drag_tangent = coefficient;
  l.def.wind[0] = wind;
  if (!result) result = run(&l, 1.0 / 120, 40, error);
  RvVec3 arm = result ? rv_vec3(0, 1, 0) : rv_sub(rv_rig_chain_x(&l.rig, LINKS), rv_rig_chain_x(&l.rig, LINKS / 2));
  double weight = RV_PI * 1.6e-9 * 1320 * GRAVITY;
  if (!result)
    rv_check_emit(out, "drag_tilt", -arm.x / arm.y, coefficient * wind / weight, 1e-3 * coefficient * wind / weight);
  free_loaded(&l);
  return result;
}

RvResult rv_check_chain_loads(const RvCheckOut* out, RvError* error) {
  Loaded l;
  RvResult result = new_loaded(&l, error);
  if (result) return result;
  // Pinned vertices stay at their goals while the hair falls around them.
  l.pinned[LINKS / 2] = l.pinned[LINKS] = 1;
  l.def.pinned = l.pinned;
  result = run(&l, 1.0 / 60, 1, error);
  double miss = 0, way = 0;
  for (int i = 0; i <= LINKS && !result; ++i) {
    RvVec3 goal = rv_strand_vector(l.goal, rv_chain_vertex(l.rig.model->batches, 0, i, 3, 0));
    double distance = rv_distance(rv_rig_chain_x(&l.rig, i), goal) / LENGTH;
    if (l.pinned[i])
      miss = fmax(miss, distance);
    else
      way = fmax(way, distance);
  }
  if (!result) rv_check_emit(out, "pin_miss", miss, 0, 1e-4);
  if (!result) rv_check_emit(out, "unpinned_way", fmin(way, 0.002), 0.002, 0);
  free_loaded(&l);
  // Springs of 10 rad/s on all vertices sag by g / 100 at most, and those of 40 by a sixteenth of it.
  double sag[2] = {0};
  for (int k = 0; k < 2 && !result; ++k) {
    result = new_loaded(&l, error);
    for (int i = 0; i <= LINKS; ++i) l.weight[i] = 1;
    // Loose joints, so that the springs alone carry the weight.
    for (size_t i = 0; !result && i < 3 * l.rig.model->links; ++i) l.rig.model->stiffness[i] *= 1e-3;
    l.def.goal_weight = l.weight;
    l.def.pull = k ? 400 : 100;
    if (!result) result = run(&l, 1.0 / 60, 3, error);
    for (int i = 0; i <= LINKS && !result; ++i) {
      RvVec3 goal = rv_strand_vector(l.goal, rv_chain_vertex(l.rig.model->batches, 0, i, 3, 0));
      sag[k] = fmax(sag[k], rv_distance(rv_rig_chain_x(&l.rig, i), goal));
    }
    free_loaded(&l);
  }
  if (!result) rv_check_emit(out, "goal_ratio", sag[1] / sag[0], 1.0 / 16, 0.01);
  return result ? result : drag(out, error);
}
