// The rig of one chain: a model of a single strand in lane 0; spare lanes repeat it.
#include "rig/chain.h"

#include "base/memory.h"

static const RvChainBatch* batch(const RvRigChain* rig) {
  return rig->model->batches;
}

// Positions of the straight strand, and equal radii.
static void fill_straight(const RvRigChainDef* d, double* x, double* radius) {
  RvVec3 direction = rv_normalize(d->direction, rv_vec3(0, -1, 0));
  for (int i = 0; i <= d->links; ++i) {
    radius[i] = d->radius;
    rv_vec3_store64(x + 3 * i, rv_scale(direction, d->length * i / d->links));
  }
}

RvResult rv_rig_chain_new(RvRigChain* rig, const RvRigChainDef* d, RvError* error) {
  *rig = (RvRigChain){.links = d->links, .def = {.implicitness = 1}};
  size_t vertices = (size_t)d->links + 1;
  double* memory = rv_alloc(4 * vertices, sizeof(double));
  if (!memory) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  fill_straight(d, memory, memory + 3 * vertices);
  const RvStrandDef def = {.vertices = d->links + 1,
                           .x = d->x ? d->x : memory,
                           .rest = d->rest,
                           .radius = memory + 3 * vertices,
                           .density = d->density,
                           .youngs = d->youngs,
                           .shear = d->shear,
                           .viscosity = d->viscosity,
                           .ellipse = 1,
                           .multiple = 1};
  RvResult result = rv_chain_model_new(&def, 1, &rig->model, error);
  if (!result) result = rv_chain_state_new(rig->model, &def, &rig->state, error);
  rv_free(memory);
  for (int lane = 0; !result && d->hinged && lane < RV_LANES; ++lane)
    for (int c = 0; c < 3; ++c) rig->model->stiffness[rv_chain_link(batch(rig), lane, 0, 3, c)] = 0;
  if (result) rv_rig_chain_free(rig);
  return result;
}

void rv_rig_chain_free(RvRigChain* rig) {
  rv_chain_state_free(rig->state);
  rv_chain_model_free(rig->model);
  *rig = (RvRigChain){0};
}

RvResult rv_rig_chain_step(RvRigChain* rig, double dt, RvError* error) {
  rig->def.dt = dt;
  return rv_chain_step(rig->model, rig->state, &rig->def, error);
}

RvResult rv_rig_chain_run(RvRigChain* rig, double dt, double seconds, RvError* error) {
  RvResult result = RV_OK;
  for (long k = (long)(seconds / dt + 0.5); k > 0 && !result; --k) result = rv_rig_chain_step(rig, dt, error);
  return result;
}

//---------------------------------------------------------------------------------------------- reading and setting

RvVec3 rv_rig_chain_x(const RvRigChain* rig, int vertex) {
  return rv_strand_vector(rig->state->x, rv_chain_vertex(batch(rig), 0, vertex, 3, 0));
}

RvQuat rv_rig_chain_orient(const RvRigChain* rig, int link) {
  return rv_chain_quat(rig->state->orient, rv_chain_link(batch(rig), 0, link, 4, 0));
}

RvVec3 rv_rig_chain_spin(const RvRigChain* rig, int link) {
  return rv_strand_vector(rig->state->spin, rv_chain_link(batch(rig), 0, link, 3, 0));
}

void rv_rig_chain_set_spin(RvRigChain* rig, int link, RvVec3 spin) {
  for (int lane = 0; lane < RV_LANES; ++lane)
    rv_strand_set_vector(rig->state->spin, rv_chain_link(batch(rig), lane, link, 3, 0), spin);
  rv_chain_place(rig->model, rig->state);
}

void rv_rig_chain_turn(RvRigChain* rig, int link, RvQuat turn) {
  RvQuat q = rv_quat_normalize(rv_quat_mul(turn, rv_rig_chain_orient(rig, link)));
  for (int lane = 0; lane < RV_LANES; ++lane)
    rv_chain_set_quat(rig->state->orient, rv_chain_link(batch(rig), lane, link, 4, 0), q);
  rv_chain_place(rig->model, rig->state);
}

RvVec3 rv_rig_chain_arm(const RvRigChain* rig, int link) {
  double length = rig->model->length[rv_chain_link(batch(rig), 0, link, 1, 0)];
  return rv_quat_rotate(rv_rig_chain_orient(rig, link), rv_vec3(0, 0, length));
}

RvQuat rv_rig_chain_joint(const RvRigChain* rig, int link) {
  RvQuat inner =
      link > 0 ? rv_rig_chain_orient(rig, link - 1) : rv_chain_quat(rig->state->base_orient, rv_chain_base(0, 0, 4, 0));
  RvQuat rest = rv_chain_quat(rig->model->rest, rv_chain_link(batch(rig), 0, link, 4, 0));
  return rv_quat_mul(rv_quat_conjugate(rest), rv_quat_mul(rv_quat_conjugate(inner), rv_rig_chain_orient(rig, link)));
}

//---------------------------------------------------------------------------------------------- energies

// Of the centre of mass, and of the rotation about it.
double rv_rig_chain_kinetic(const RvRigChain* rig) {
  double sum = 0;
  for (int i = 0; i < rig->links; ++i) {
    size_t at = rv_chain_link(batch(rig), 0, i, 1, 0);
    double mass = rig->model->mass[at], length = rig->model->length[at], axial = rig->model->axial[at];
    double across = rig->model->across[at] - 0.25 * mass * length * length;
    RvVec3 spin = rv_rig_chain_spin(rig, i), arm = rv_rig_chain_arm(rig, i);
    RvVec3 v = rv_strand_vector(rig->state->v, rv_chain_vertex(batch(rig), 0, i, 3, 0));
    v = rv_mad(v, 0.5, rv_cross(spin, arm));
    double along = rv_dot(spin, arm) / length;
    sum +=
        0.5 * mass * rv_dot(v, v) + 0.5 * across * (rv_dot(spin, spin) - along * along) + 0.5 * axial * along * along;
  }
  return sum;
}

double rv_rig_chain_elastic(const RvRigChain* rig) {
  double sum = 0;
  for (int i = 0; i < rig->links; ++i) {
    RvVec3 k = rv_strand_vector(rig->model->stiffness, rv_chain_link(batch(rig), 0, i, 3, 0));
    RvQuat turn = rv_rig_chain_joint(rig, i);
    sum += 2 * (k.x * turn.x * turn.x + k.y * turn.y * turn.y + k.z * turn.z * turn.z);
  }
  return sum;
}

double rv_rig_chain_weight(const RvRigChain* rig) {
  double sum = 0;
  for (int i = 0; i < rig->links; ++i) {
    RvVec3 centre = rv_mad(rv_rig_chain_x(rig, i), 0.5, rv_rig_chain_arm(rig, i));
    sum -= rig->model->mass[rv_chain_link(batch(rig), 0, i, 1, 0)] * rv_dot(rv_vec3_load64(rig->def.gravity), centre);
  }
  return sum;
}
