// A trial solver on the scaffold: wet points on springs that follow the input, dry out and stay outside of solids.
#include "support/node_spring.h"
#include <math.h>

#include "node/solver/scaffold.h"

#define SPRING_PARMS(X)                                                                           \
  RV_SOLVER_PARMS(X)                                                                              \
  X(FLOAT, stiffness, "Stiffness", 400, HARD(0), SOFT(1e3), "s-2", "Pull towards the animation.") \
  X(FLOAT, drying, "Drying", 0.5, HARD(0), SOFT(10), "s-1", "Rate at which the points dry.")
RV_PARM_TABLE(SpringParms, spring_table, SPRING_PARMS)

typedef struct Spring {
  double *x, *v;
  double *volume, evaporated, initial;  // m3
} Spring;

static const RvFieldDef fields[] = {
    RV_SOLVER_FIELDS(Spring),
    RV_SOLVER_ARRAY(Spring, volume, RV_POINT, RV_F64, 1, "m3", "substep", "Liquid of the point."),
    RV_SOLVER_NUMBERS(Spring, evaporated, RV_F64, 1, "m3", "substep", "What dried so far."),
    RV_SOLVER_NUMBERS(Spring, initial, RV_F64, 1, "m3", "start", "Liquid at the start.")};

static RvResult start(RvSolver* s, RvError* error) {
  Spring* d = s->data;
  (void)error;
  for (size_t i = 0; i < s->count; ++i) d->initial += d->volume[i] = 1e-9;
  return RV_OK;
}

static double longest(const RvSolver* s) {
  return 0.2 / sqrt(((const SpringParms*)s->parms)->stiffness + 1);
}

static RvResult substep(RvSolver* s, double dt, RvError* error) {
  const SpringParms* p = s->parms;
  Spring* d = s->data;
  RvResult result = RV_OK;
  for (size_t i = 0; i < s->count && !result; ++i) {
    double distance, *x = d->x + 3 * i, *v = d->v + 3 * i;
    RvVec3 normal, velocity;
    for (int c = 0; c < 3; ++c) v[c] += dt * (p->stiffness * (s->goal[3 * i + c] - x[c]) - (c == 1) * 9.81);
    for (int c = 0; c < 3; ++c) x[c] += dt * v[c];
    result = rv_solver_distance(s, x, &distance, &normal, &velocity, error);
    if (distance < 0) {
      rv_vec3_store64(x, rv_mad(rv_vec3_load64(x), -distance, normal));
      rv_vec3_store64(v, velocity);
    }
    double dried = d->volume[i] * fmin(p->drying * dt, 1);
    d->volume[i] -= dried;
    d->evaporated += dried;
  }
  return result;
}

static RvResult look(RvSolver* s, RvDetail* out, RvError* error) {
  Spring* d = s->data;
  RvLedger* ledger = &s->cook->stats->ledger;
  *ledger = (RvLedger){.initial = d->initial, .evaporated = d->evaporated};
  for (size_t i = 0; i < s->count; ++i) ledger->bulk += d->volume[i];
  return rv_detail_f32_write(out, RV_POINT, "pscale", 1, error) ? RV_OK : error->code;
}

static const RvSolverType spring = {RV_SOLVER_DATA(Spring), .collider_input = 1, .start = start,
                                    .longest = longest,     .substep = substep,  .look = look};
RV_SOLVER_NODE(rv_test_spring, "testspring", "Spring", "Wet points on springs.", "", spring_table, fields, spring)
