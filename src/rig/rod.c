// The rig of one Cosserat rod (rig/rod.h).
#include "rig/rod.h"

#include <math.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "math/vec.h"

RvResult rv_rig_rod_new(RvRodRig* rig, const RvRigDef* d, RvError* error) {
  *rig = (RvRodRig){.step = {.iterations = 1, .relaxation = 1}};
  RvResult result = rv_rig_new(&rig->strand, d, error);
  if (result) return result;
  const RvStrandModel* m = rig->strand.model;
  rig->root = rv_alloc_zero(4, RV_LANES * sizeof(double));
  rig->scratch = rv_arena_new(0);
  if (!rig->root || !rig->scratch || !rv_cosserat_alloc(m, &rig->model, &rig->state)) {
    rv_rig_rod_free(rig);
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  const RvStrandDef def = {.vertices = d->vertices, .x = d->x, .rest = d->rest};
  rv_cosserat_rest_from_defs(m, &def, &rig->model);
  rv_cosserat_elasticity(m, NULL, &rig->model);
  rv_cosserat_frames(m, rig->strand.state, &rig->state);
  for (size_t k = 0; k < (size_t)4 * RV_LANES; ++k) rig->root[k] = rig->state.quat[k];
  rig->step.target = rig->strand.target;
  rig->step.root = rig->root;
  return RV_OK;
}

void rv_rig_rod_free(RvRodRig* rig) {
  rv_cosserat_free(&rig->model, &rig->state);
  rv_free(rig->root);
  rv_arena_free(rig->scratch);
  rv_rig_free(&rig->strand);
  *rig = (RvRodRig){0};
}

RvResult rv_rig_rod_step(RvRodRig* rig, double dt, RvError* error) {
  size_t failed = 0;
  rig->step.dt = dt;
  RvResult result = rv_cosserat_step(rig->strand.model, rig->strand.state, &rig->model, &rig->state, &rig->step,
                                     rig->scratch, &failed, error);
  if (!result && failed) result = rv_fail(error, RV_INTERNAL, "the rod's places are no longer numbers");
  return result;
}

void rv_rig_rod_balance(RvRodRig* rig) {
  RvCosseratBalance report;
  rv_rig_gravity(&rig->strand, rig->step.forces.gravity);
  rv_cosserat_balance(rig->strand.model, rig->strand.state, rig->strand.force, RV_PI, &rig->model, &rig->state,
                      &report);
}

double rv_rig_rod_stretch(const RvRodRig* rig) {
  double worst = 0;
  for (int j = 0; j + 1 < rig->strand.n; ++j) {
    double square = 0;
    for (int c = 0; c < 3; ++c) {
      double d = rv_rig_x(&rig->strand, j + 1, c) - rv_rig_x(&rig->strand, j, c);
      square += d * d;
    }
    worst = fmax(worst, fabs(sqrt(square) / rig->model.length[j * RV_LANES] - 1));
  }
  return worst;
}
