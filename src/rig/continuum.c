// Bundles of straight, parallel strands.
#include "rig/continuum.h"

#include "base/memory.h"

RvResult rv_rig_bundle_new(RvContinuum* c, const RvRigBundleDef* d, RvError* error) {
  size_t vertices = (size_t)d->links + 1;
  double* x = rv_alloc(3 * vertices * d->strands, sizeof(double));
  double* radius = rv_alloc(vertices, sizeof(double));
  RvStrandDef* defs = rv_alloc_zero(d->strands, sizeof *defs);
  RvChainModel* model = NULL;
  RvChainState* state = NULL;
  RvResult result = x && radius && defs ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t i = 0; !result && i < vertices; ++i) radius[i] = d->radius;
  for (size_t s = 0; !result && s < d->strands; ++s) {
    double* own = x + 3 * vertices * s;
    for (size_t i = 0; i < vertices; ++i)
      rv_vec3_store64(own + 3 * i, rv_vec3(d->root[s][0], -d->length * (double)i / d->links, d->root[s][1]));
    defs[s] = (RvStrandDef){.vertices = (int)vertices,
                            .x = own,
                            .radius = radius,
                            .density = d->density,
                            .youngs = d->youngs,
                            .shear = d->shear,
                            .viscosity = d->viscosity,
                            .ellipse = 1,
                            .multiple = d->hairs,
                            .id = (int64_t)s};
  }
  if (!result) result = rv_chain_model_new(defs, d->strands, &model, error);
  if (!result) result = rv_chain_state_new(model, defs, &state, error);
  if (!result) result = rv_continuum_init(c, model, state, false, error);
  rv_free(x);
  rv_free(radius);
  rv_free(defs);
  return result;
}

double rv_rig_bundle_mass(const RvContinuum* c) {
  double sum = 0;
  for (size_t k = 0; k < c->model->nbatch; ++k) {
    const RvChainBatch* b = &c->model->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane)
      for (int i = 0; i < b->links; ++i) sum += c->model->mass[rv_chain_link(b, lane, i, 1, 0)];
  }
  return sum;
}
