// Check chain_dense: the articulated-body method against the equations of motion written out as one dense system.
#include <math.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "rig/chain.h"
#include "rig/dense.h"

static const double GRAVITY[3] = {0, -9.81, 0};  // m/s2
static const double DT = 1.0 / 60;               // s

// A moving chain with every kind of load.
typedef struct Loaded {
  RvRigChain rig;
  double *force, *torque, *line_mass, *end_mass;  // as in RvChainStepDef
  double base_v[3 * RV_LANES], base_spin[3 * RV_LANES];
} Loaded;

// A number in [-1, 1).
static double random_number(uint64_t stream, int counter) {
  return 2 * rv_random(23, stream, (uint64_t)counter, 0) - 1;
}

static RvVec3 random_vector(uint64_t stream, int counter) {
  return rv_vec3(random_number(stream, 3 * counter), random_number(stream, 3 * counter + 1),
                 random_number(stream, 3 * counter + 2));
}

static void set_loads(Loaded* l, double mass, bool implicit) {
  const RvChainBatch* b = l->rig.model->batches;
  for (int i = 0; i < l->rig.links; ++i) {
    RvVec3 force = rv_scale(random_vector(1, i), 20 * mass), torque = rv_scale(random_vector(2, i), 0.1 * mass);
    RvVec3 end = random_vector(3, i);
    const double matrix[6] = {1 + end.x * end.x, end.x * end.y, end.x * end.z,
                              1 + end.y * end.y, end.y * end.z, 1 + end.z * end.z};
    for (int lane = 0; lane < RV_LANES; ++lane) {
      rv_strand_set_vector(l->force, rv_chain_link(b, lane, i, 3, 0), force);
      rv_strand_set_vector(l->torque, rv_chain_link(b, lane, i, 3, 0), torque);
      l->line_mass[rv_chain_link(b, lane, i, 1, 0)] = mass * (1 + random_number(4, i));
      for (int c = 0; c < 6; ++c) l->end_mass[rv_chain_link(b, lane, i, 6, c)] = mass * matrix[c];
    }
    rv_rig_chain_turn(&l->rig, i, rv_quat_normalize((RvQuat){0.4 * force.z / mass / 20, 0.3 * end.x, 0.3 * end.y, 1}));
    rv_rig_chain_set_spin(&l->rig, i, rv_scale(random_vector(5, i), 10));
  }
  RvChainStepDef* def = &l->rig.def;
  for (int c = 0; c < 3; ++c) {
    def->gravity[c] = GRAVITY[c];
    for (int lane = 0; lane < RV_LANES; ++lane) {
      l->base_v[c * RV_LANES + lane] = 0.3 * random_number(6, c);
      l->base_spin[c * RV_LANES + lane] = 2 * random_number(7, c);
    }
  }
  def->dt = DT;
  def->integrator = implicit ? RV_CHAIN_IMPLICIT : RV_CHAIN_RK4;
  def->implicitness = 0.7;
  def->base_v = l->base_v;
  def->base_spin = l->base_spin;
  def->force = l->force;
  def->torque = l->torque;
  def->line_mass = l->line_mass;
  def->end_mass = l->end_mass;
}

//---------------------------------------------------------------------------------------------- dense system

// The system [3 n][3 n] of the angular accelerations of the links. Its unknowns are in the body axes of each link,
// where the small inertia along a link and the large one across it do not mix.
typedef struct Dense {
  const Loaded* l;
  size_t n;  // links
  double *matrix, *rhs;
  RvVec3 *arm, *spin;  // of the links
  RvMat3* axes;        // of the links
  RvVec3 base;         // m/s2: acceleration of the base, with -g
} Dense;

static RvMat3 outer(RvVec3 a, RvVec3 b) {
  return (RvMat3){{rv_scale(a, b.x), rv_scale(a, b.y), rv_scale(a, b.z)}};
}

static RvMat3 add_scaled(RvMat3 a, double s, RvMat3 b) {
  for (int k = 0; k < 3; ++k) a.c[k] = rv_mad(a.c[k], s, b.c[k]);
  return a;
}

// Adds s m, a matrix of the world, to the block of links i and j in their body axes.
static void add_block(Dense* d, size_t i, size_t j, double s, RvMat3 m) {
  for (size_t c = 0; c < 3; ++c) {
    RvVec3 column = rv_mat3_apply(m, d->axes[j].c[c]);
    for (size_t r = 0; r < 3; ++r) d->matrix[(3 * i + r) * 3 * d->n + 3 * j + c] += s * rv_dot(d->axes[i].c[r], column);
  }
}

static void add_rhs(Dense* d, size_t i, double s, RvVec3 v) {
  for (size_t r = 0; r < 3; ++r) d->rhs[3 * i + r] += s * rv_dot(d->axes[i].c[r], v);
}

static RvVec3 centripetal(RvVec3 spin, RvVec3 r) {
  return rv_cross(spin, rv_cross(spin, r));
}

// Velocity of a point at `at` from the joint of link i for a unit spin about body axis c. All points are on the links,
// so that the third axis moves none.
static RvVec3 moved(const Dense* d, size_t i, int c, RvVec3 at) {
  return c < 2 ? rv_cross(d->axes[i].c[c], at) : rv_vec3(0, 0, 0);
}

// A mass (a matrix) on link k at `at` from its joint, and a force on it: virtual work of J^T (m (J alpha + bias) - f).
static void add_point(Dense* d, size_t k, RvVec3 at, RvMat3 mass, bool has_weight, RvVec3 force) {
  RvVec3 bias = d->base;
  if (!has_weight) bias = rv_add(bias, rv_vec3_load64(GRAVITY));
  for (size_t i = 0; i < k; ++i) bias = rv_add(bias, centripetal(d->spin[i], d->arm[i]));
  bias = rv_add(bias, centripetal(d->spin[k], at));
  RvVec3 load = rv_sub(force, rv_mat3_apply(mass, bias));
  for (size_t i = 0; i <= k; ++i)
    for (int a = 0; a < 3; ++a) {
      RvVec3 left = moved(d, i, a, i < k ? d->arm[i] : at);
      d->rhs[3 * i + (size_t)a] += rv_dot(left, load);
      for (size_t j = 0; j <= k; ++j)
        for (int c = 0; c < 3; ++c) {
          RvVec3 right = moved(d, j, c, j < k ? d->arm[j] : at);
          d->matrix[(3 * i + (size_t)a) * 3 * d->n + 3 * j + (size_t)c] += rv_dot(left, rv_mat3_apply(mass, right));
        }
    }
}

static RvMat3 times_identity(double s) {
  return (RvMat3){{{s, 0, 0}, {0, s, 0}, {0, 0, s}}};
}

// Inertia of link k, its loads, and the mass that is spread over it or put to its end.
static void add_link(Dense* d, size_t k) {
  const RvRigChain* rig = &d->l->rig;
  const RvChainBatch* b = rig->model->batches;
  size_t at = rv_chain_link(b, 0, (int)k, 1, 0);
  double mass = rig->model->mass[at], length = rig->model->length[at], axial = rig->model->axial[at];
  double across = rig->model->across[at] - 0.25 * mass * length * length, added = d->l->line_mass[at];
  RvVec3 arm = d->arm[k], axis = rv_scale(arm, 1 / length), spin = d->spin[k], none = {0};
  // Centres of mass, and rotation about them.
  add_point(d, k, rv_scale(arm, 0.5), times_identity(mass), true, none);
  add_point(d, k, rv_scale(arm, 0.5), times_identity(added), false, none);
  across += added * length * length / 12;
  for (size_t c = 0; c < 3; ++c) d->matrix[(3 * k + c) * (3 * d->n + 1)] += c < 2 ? across : axial;
  add_rhs(d, k, (across - axial) * rv_dot(axis, spin), rv_cross(spin, axis));
  // The end, and the loads.
  const double* z = d->l->end_mass + rv_chain_link(b, 0, (int)k, 6, 0);
  const double xx = z[0], xy = z[RV_LANES], xz = z[2 * RV_LANES], yy = z[3 * RV_LANES], yz = z[4 * RV_LANES];
  const double zz = z[5 * RV_LANES];
  add_point(d, k, arm, (RvMat3){{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}}, false, none);
  add_point(d, k, none, times_identity(0), false, rv_strand_vector(d->l->force, rv_chain_link(b, 0, (int)k, 3, 0)));
  add_rhs(d, k, 1, rv_strand_vector(d->l->torque, rv_chain_link(b, 0, (int)k, 3, 0)));
}

// Torque of joint k on its outer link: minus the derivative of the energy 2 e K e by a turn of that link.
static RvVec3 joint_torque(const RvRigChain* rig, int k) {
  RvVec3 stiffness = rv_strand_vector(rig->model->stiffness, rv_chain_link(rig->model->batches, 0, k, 3, 0));
  RvQuat turn = rv_rig_chain_joint(rig, k), q = rv_rig_chain_orient(rig, k);
  double torque[3];
  for (int c = 0; c < 3; ++c) {
    RvQuat half = {0.5 * (c == 0), 0.5 * (c == 1), 0.5 * (c == 2), 0};
    RvQuat change = rv_quat_mul(turn, rv_quat_mul(rv_quat_conjugate(q), rv_quat_mul(half, q)));
    torque[c] =
        -4 * (stiffness.x * turn.x * change.x + stiffness.y * turn.y * change.y + stiffness.z * turn.z * change.z);
  }
  return rv_vec3_load64(torque);
}

// A joint with its implicit terms, which act on the relative spin at a part h of the step.
static void add_joint(Dense* d, size_t k, double h) {
  const RvRigChain* rig = &d->l->rig;
  const size_t at = rv_chain_link(rig->model->batches, 0, (int)k, 3, 0);
  double stiffness[3], damping[3];
  rv_vec3_store64(stiffness, rv_strand_vector(rig->model->stiffness, at));
  rv_vec3_store64(damping, rv_strand_vector(rig->model->damping, at));
  RvMat3 axes = rv_quat_matrix(rv_rig_chain_orient(rig, (int)k)), e = times_identity(0), against_spin = e;
  for (int c = 0; c < 3; ++c) {
    e = add_scaled(e, h * damping[c] + h * h * stiffness[c], outer(axes.c[c], axes.c[c]));
    against_spin = add_scaled(against_spin, damping[c] + h * stiffness[c], outer(axes.c[c], axes.c[c]));
  }
  RvVec3 inner = k > 0 ? d->spin[k - 1] : rv_strand_vector(rig->state->base_spin, 0);
  RvVec3 torque = rv_sub(joint_torque(rig, (int)k), rv_mat3_apply(against_spin, rv_sub(d->spin[k], inner)));
  add_rhs(d, k, 1, torque);
  add_block(d, k, k, 1, e);
  if (k == 0) {
    RvVec3 rate = rv_scale(rv_sub(rv_strand_vector(d->l->base_spin, 0), inner), 1 / DT);
    add_rhs(d, 0, 1, rv_mat3_apply(e, rate));
  } else {
    add_rhs(d, k - 1, -1, torque);
    add_block(d, k - 1, k - 1, 1, e);
    add_block(d, k - 1, k, -1, e);
    add_block(d, k, k - 1, -1, e);
  }
}

// The implicit tension of link k: what the spins alone make the strand outside its middle pull with.
static void add_tension(Dense* d, size_t k, double h) {
  const RvRigChain* rig = &d->l->rig;
  RvVec3 pull = {0}, bias = d->base;
  for (size_t i = 0; i < d->n; ++i) {
    RvVec3 zeta = centripetal(d->spin[i], d->arm[i]);
    double mass = rig->model->mass[rv_chain_link(rig->model->batches, 0, (int)i, 1, 0)];
    RvVec3 own = rv_strand_vector(d->l->force, rv_chain_link(rig->model->batches, 0, (int)i, 3, 0));
    own = rv_mad(own, -mass, rv_mad(bias, 0.5, zeta));
    if (i >= k) pull = rv_mad(pull, i == k ? 0.5 : 1, own);
    bias = rv_add(bias, zeta);
  }
  double length = rv_length(d->arm[k]);
  RvVec3 axis = rv_scale(d->arm[k], 1 / length);
  double stiffness = length * fmax(rv_dot(axis, pull), 0);
  RvMat3 across = add_scaled(times_identity(1), -1, outer(axis, axis));
  add_block(d, k, k, h * h * stiffness, across);
  add_rhs(d, k, -h * stiffness, rv_mat3_apply(across, d->spin[k]));
}

// The resistance of bent joints to the spin of link k along itself, which acts at a part h of the step.
static void add_steadying(Dense* d, size_t k, double h) {
  const RvRigChain* rig = &d->l->rig;
  const double steadying = 2;
  double rate = 0;
  for (size_t joint = k; joint <= k + 1 && joint < d->n; ++joint) {
    RvVec3 stiffness = rv_strand_vector(rig->model->stiffness, rv_chain_link(rig->model->batches, 0, (int)joint, 3, 0));
    RvQuat turn = rv_rig_chain_joint(rig, (int)joint);
    double both = 0.5 * (stiffness.x + stiffness.y) + stiffness.z;
    rate += h * steadying * both * (turn.x * turn.x + turn.y * turn.y);
  }
  RvVec3 axis = d->axes[k].c[2];
  add_block(d, k, k, h * rate, outer(axis, axis));
  add_rhs(d, k, -rate * rv_dot(axis, d->spin[k]), axis);
}

// Angular accelerations [n][3] by elimination of the dense system.
static bool solve_dense(Dense* d, bool implicit) {
  const RvRigChain* rig = &d->l->rig;
  double h = implicit ? rig->def.implicitness * DT : 0;
  for (size_t k = 0; k < d->n; ++k) {
    d->arm[k] = rv_rig_chain_arm(rig, (int)k);
    d->spin[k] = rv_rig_chain_spin(rig, (int)k);
    d->axes[k] = rv_quat_matrix(rv_rig_chain_orient(rig, (int)k));
  }
  d->base = rv_sub(rv_scale(rv_strand_vector(d->l->base_v, 0), 1 / DT), rv_vec3_load64(GRAVITY));
  for (size_t k = 0; k < d->n; ++k) {
    add_link(d, k);
    add_joint(d, k, h);
    add_tension(d, k, h);
    add_steadying(d, k, h);
  }
  return rv_rig_dense_solve(3 * d->n, d->matrix, d->rhs);
}

//---------------------------------------------------------------------------------------------- check

// Largest difference of both solutions over the largest acceleration.
static RvResult difference(Loaded* l, bool implicit, double* worst, RvError* error) {
  size_t n = (size_t)l->rig.links;
  Dense d = {.l = l, .n = n};
  d.matrix = rv_alloc_zero(9 * n * n + 3 * n, sizeof(double));
  d.arm = rv_alloc_zero(2 * n, sizeof *d.arm);
  d.axes = rv_alloc_zero(n, sizeof *d.axes);
  double* rate = rv_alloc_zero(3 * l->rig.model->links, sizeof(double));
  RvResult result = RV_OK;
  if (d.matrix && d.arm && d.axes && rate) {
    d.rhs = d.matrix + 9 * n * n;
    d.spin = d.arm + n;
    result = rv_chain_accelerate(l->rig.model, l->rig.state, &l->rig.def, rate, error);
    double size = 0, error_size = solve_dense(&d, implicit) ? 0 : INFINITY;
    for (size_t i = 0; i < n; ++i) {
      RvVec3 a = rv_strand_vector(rate, rv_chain_link(l->rig.model->batches, 0, (int)i, 3, 0));
      RvVec3 b = rv_mat3_apply(d.axes[i], rv_vec3_load64(d.rhs + 3 * i));
      size = fmax(size, rv_length(b));
      error_size = fmax(error_size, rv_distance(a, b));
    }
    *worst = error_size / size;
  } else {
    result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  RV_FREE_ALL(d.matrix, d.arm, d.axes, rate);
  return result;
}

static RvResult compare(int links, bool implicit, double* worst, RvError* error) {
  Loaded l = {0};
  // Hair of 5 mm links.
  RvResult result = rv_rig_chain_new(&l.rig,
                                     &(RvRigChainDef){.links = links,
                                                      .length = 5e-3 * links,
                                                      .radius = 40e-6,
                                                      .density = 1320,
                                                      .youngs = 3e9,
                                                      .shear = 1.1e9,
                                                      .viscosity = 1e5},
                                     error);
  if (result) return result;
  size_t count = l.rig.model->links;
  double* memory = rv_alloc_zero(13 * count, sizeof(double));
  if (memory) {
    l.force = memory;
    l.torque = memory + 3 * count;
    l.line_mass = memory + 6 * count;
    l.end_mass = memory + 7 * count;
    set_loads(&l, l.rig.model->mass[0], implicit);
    result = difference(&l, implicit, worst, error);
  } else {
    result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  rv_free(memory);
  rv_rig_chain_free(&l.rig);
  return result;
}

RvResult rv_check_chain_dense(const RvCheckOut* out, RvError* error) {
  static const int links[4] = {1, 2, 5, 30};
  static const char* const names[2][4] = {{"explicit_1", "explicit_2", "explicit_5", "explicit_30"},
                                          {"implicit_1", "implicit_2", "implicit_5", "implicit_30"}};
  RvResult result = RV_OK;
  for (int implicit = 0; implicit < 2; ++implicit)
    for (int k = 0; k < 4 && !result; ++k) {
      double worst = INFINITY;
      result = compare(links[k], implicit, &worst, error);
      if (!result) rv_check_emit(out, names[implicit][k], worst, 0, 1e-9);
    }
  return result;
}
