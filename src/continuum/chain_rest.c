// The rest shape that makes a pose an equilibrium (chain_rest.h).
//
// A chain is statically determinate: the torque of joint i is the moment of the weight of all links outside it. The
// joint law -2 (w K e + (K e) x e) = t is solved for the turn e by Newton's method, and the rest turn is the present
// turn of the joint without it. The pose is stable where the second derivative of the energy is positive: joints couple
// only neighbouring links and the weight each link with itself, so it is eliminated link by link from the tip, as in
// chain_kernel.c.
#include "continuum/chain_rest.h"

#include <math.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/scalar.h"

// A strand that cannot support its pose is made stiffer by this factor, the root of 2, until it can.
static const double STIFFENING = 1.4142135623730951;
static const double STIFFEN_ROUNDING = 1 + 1e-9;  // of the product of such factors, against the limit
// rad: the law has its largest torque at a right angle, so no joint is asked for more than nearly that.
static const double LARGEST_TURN = 1.5;
// 1/s2: squared angular frequency of the slowest oscillation about a stable pose: a radian in half a second.
static const double LEAST_STIFFNESS = 4;
static const double NEWTON_TOLERANCE = 1e-14;  // of the largest turn
enum { NEWTON_ITERATIONS = 30 };
enum { BATCHES_A_TASK = 4 };

// Result of one batch.
typedef struct Outcome {
  bool no_memory;
  size_t capped, loose, stiffened;
} Outcome;

typedef struct Balance {
  RvChainModel* m;
  const RvChainState* s;
  const RvChainRestDef* def;
  double* stiffen;
  Outcome* out;  // [batches]
} Balance;

//---------------------------------------------------------------------------------------------- joint law

static RvMat3 cross_matrix(RvVec3 a) {
  return (RvMat3){{{0, a.z, -a.y}, {-a.z, 0, a.x}, {a.y, -a.x, 0}}};
}

static RvMat3 mat_add(RvMat3 a, double s, RvMat3 b) {
  for (int k = 0; k < 3; ++k) a.c[k] = rv_mad(a.c[k], s, b.c[k]);
  return a;
}

static RvMat3 outer(RvVec3 a, RvVec3 b) {
  return (RvMat3){{rv_scale(a, b.x), rv_scale(a, b.y), rv_scale(a, b.z)}};
}

static RvMat3 diagonal(RvVec3 d) {
  return (RvMat3){{{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}};
}

static RvMat3 inverse(RvMat3 m) {
  double scale = 1 / rv_mat3_det(m);
  RvMat3 a = rv_mat3_adjugate(m);
  for (int k = 0; k < 3; ++k) a.c[k] = rv_scale(a.c[k], scale);
  return a;
}

static double scalar_of(RvVec3 e) {
  return sqrt(fmax(1 - rv_dot(e, e), 0));
}

// w K e + (K e) x e
static RvVec3 half_torque(RvVec3 k, RvVec3 e) {
  RvVec3 ke = rv_mul(k, e);
  return rv_mad(rv_cross(ke, e), scalar_of(e), ke);
}

// Its derivative by e.
static RvMat3 derivative(RvVec3 k, RvVec3 e) {
  double w = scalar_of(e);
  RvVec3 ke = rv_mul(k, e);
  RvMat3 d = mat_add(diagonal(rv_scale(k, w)), -1 / w, outer(ke, e));
  d = mat_add(d, 1, cross_matrix(ke));
  return mat_add(d, -1, rv_mat3_mul(cross_matrix(e), diagonal(k)));
}

// The turn e with the torque t in body axes; false: it is beyond `limit`, to which e is then cut.
static bool turn_of_torque(RvVec3 k, RvVec3 t, double limit, RvVec3* e) {
  RvVec3 goal = rv_scale(t, -0.5);
  *e = rv_vec3(0, 0, 0);
  bool converged = false;
  for (int i = 0; i < NEWTON_ITERATIONS && !converged; ++i) {
    RvVec3 step = rv_mat3_apply(inverse(derivative(k, *e)), rv_sub(goal, half_torque(k, *e)));
    if (!rv_vec3_finite(step)) break;
    *e = rv_add(*e, step);
    double size = rv_length(*e);
    converged = rv_length(step) <= NEWTON_TOLERANCE * limit && size <= limit;
    if (size > limit) *e = rv_scale(*e, limit / size);
  }
  return converged;
}

//---------------------------------------------------------------------------------------------- one strand

// A strand from its tip inwards.
typedef struct Outside {
  RvVec3 weight, moment;  // N, and N m about the joint
  RvMat3 stiffness;       // N m: what the outer part answers a turn of the link with
  bool stable;
} Outside;

// Stiffness that joint and weight give to the turning of a link, less that of the slowest allowed oscillation.
static void add_stiffness(const Balance* w, const RvChainBatch* b, int lane, int i, RvVec3 arm, RvVec3 pull,
                          RvMat3 axes, RvVec3 k, RvVec3 e, Outside* o) {
  size_t at = rv_chain_link(b, lane, i, 1, 0);
  // The weight: arm and pull, symmetric part.
  RvMat3 a = mat_add(o->stiffness, rv_dot(arm, pull), rv_mat3_identity());
  a = mat_add(mat_add(a, -0.5, outer(arm, pull)), -0.5, outer(pull, arm));
  double across = w->m->across[at], axial = w->m->axial[at];
  a = mat_add(mat_add(a, -LEAST_STIFFNESS * across, rv_mat3_identity()), -LEAST_STIFFNESS * (axial - across),
              outer(axes.c[2], axes.c[2]));
  // The joint: the derivative of its torque by a turn, symmetric part.
  RvMat3 tangent = rv_mat3_mul(
      derivative(k, e), mat_add(diagonal(rv_vec3(scalar_of(e), scalar_of(e), scalar_of(e))), 1, cross_matrix(e)));
  tangent = rv_mat3_mul(axes, rv_mat3_mul(tangent, rv_mat3_transpose(axes)));
  RvMat3 joint = mat_add(tangent, 1, rv_mat3_transpose(tangent));
  for (int c = 0; c < 3; ++c) joint.c[c] = rv_scale(joint.c[c], 0.5);
  // Elimination of the link; positive leading minors mean a positive definite block.
  RvMat3 d = mat_add(a, 1, joint);
  o->stable &= d.c[0].x > 0 && d.c[0].x * d.c[1].y - d.c[1].x * d.c[0].y > 0 && rv_mat3_det(d) > 0;
  o->stiffness = rv_mat3_mul(joint, rv_mat3_mul(inverse(d), a));
}

// The new rest turn of a joint, not farther than the limit from the natural one; true: it reached the limit.
static bool set_rest(const Balance* w, size_t at, RvQuat natural, RvQuat rest) {
  RvQuat change = rv_quat_mul(rv_quat_conjugate(natural), rest);
  double size = sqrt(change.x * change.x + change.y * change.y + change.z * change.z);
  double angle = 2 * rv_atan2(size, fabs(change.w));
  bool capped = angle > w->def->max_turn;
  if (capped) rest = rv_quat_slerp(natural, rest, w->def->max_turn / angle);
  rv_chain_set_quat(w->m->rest, at, rest);
  return capped;
}

// Rest turns of one strand; natural [links].
static void balance_lane(const Balance* w, const RvChainBatch* b, size_t batch, int lane, const RvQuat* natural,
                         bool* capped, bool* stable) {
  const RvVec3 gravity = rv_vec3_load64(w->def->gravity);
  const double limit = rv_sin(0.5 * fmin(w->def->max_turn, LARGEST_TURN));
  Outside o = {.stable = true};
  *capped = false;
  for (int i = b->links - 1; i >= 0; --i) {
    size_t at = rv_chain_link(b, lane, i, 4, 0);
    RvQuat q = rv_chain_quat(w->s->orient, at);
    RvQuat inner = i > 0 ? rv_chain_quat(w->s->orient, at - 4 * RV_LANES)
                         : rv_chain_quat(w->s->base_orient, rv_chain_base(batch, lane, 4, 0));
    RvMat3 axes = rv_quat_matrix(q);
    RvVec3 k = rv_strand_vector(w->m->stiffness, rv_chain_link(b, lane, i, 3, 0));
    RvVec3 arm = rv_scale(axes.c[2], w->m->length[rv_chain_link(b, lane, i, 1, 0)]);
    // The weight outside the joint, and its moment.
    RvVec3 own = rv_scale(gravity, w->m->mass[rv_chain_link(b, lane, i, 1, 0)]);
    RvVec3 pull = rv_mad(o.weight, 0.5, own);
    o.moment = rv_add(o.moment, rv_cross(arm, pull));
    o.weight = rv_add(o.weight, own);
    // The turn that balances it.
    RvVec3 e;
    RvVec3 torque = rv_mat3_apply(rv_mat3_transpose(axes), rv_neg(o.moment));
    *capped |= !turn_of_torque(k, torque, limit, &e);
    RvQuat turn = {e.x, e.y, e.z, scalar_of(e)};
    RvQuat rest = rv_quat_mul(rv_quat_mul(rv_quat_conjugate(inner), q), rv_quat_conjugate(turn));
    *capped |= set_rest(w, at, natural[i], rv_quat_normalize(rest));
    add_stiffness(w, b, lane, i, arm, pull, axes, k, e, &o);
  }
  *stable = o.stable;
}

static void stiffen_lane(RvChainModel* m, const RvChainBatch* b, int lane, double by) {
  for (int i = 0; i < b->links; ++i)
    for (int c = 0; c < 3; ++c) {
      m->stiffness[rv_chain_link(b, lane, i, 3, c)] *= by;
      m->damping[rv_chain_link(b, lane, i, 3, c)] *= by;
    }
}

//---------------------------------------------------------------------------------------------- all

// Balances a strand; while it reaches a limit or is unstable it is stiffened, up to the limit.
static void balance_strand(const Balance* w, size_t batch, int lane, RvQuat* natural) {
  const RvChainBatch* b = &w->m->batches[batch];
  Outcome* out = &w->out[batch];
  double factor = 1;
  bool capped, stable;
  for (int i = 0; i < b->links; ++i) natural[i] = rv_chain_quat(w->m->rest, rv_chain_link(b, lane, i, 4, 0));
  balance_lane(w, b, batch, lane, natural, &capped, &stable);
  while ((capped || !stable) && factor * STIFFENING <= w->def->max_stiffen * STIFFEN_ROUNDING) {
    stiffen_lane(w->m, b, lane, STIFFENING);
    factor *= STIFFENING;
    balance_lane(w, b, batch, lane, natural, &capped, &stable);
  }
  if (lane >= b->lanes) return;
  out->capped += capped;
  out->loose += !capped && !stable;
  out->stiffened += factor > 1;
  w->stiffen[b->strand[lane]] = factor;
}

static void balance_batches(void* arg, size_t begin, size_t end) {
  const Balance* w = arg;
  for (size_t k = begin; k < end; ++k) {
    RvQuat* natural = rv_alloc((size_t)w->m->batches[k].links, sizeof *natural);
    w->out[k].no_memory = !natural;
    for (int lane = 0; natural && lane < RV_LANES; ++lane) balance_strand(w, k, lane, natural);
    rv_free(natural);
  }
}

RvResult rv_chain_balance(RvChainModel* m, const RvChainState* s, const RvChainRestDef* def, double* stiffen,
                          RvChainRestReport* report, RvError* error) {
  *report = (RvChainRestReport){0};
  Balance w = {m, s, def, stiffen, rv_alloc_zero(m->nbatch, sizeof(Outcome))};
  bool done = w.out != NULL;
  if (done) rv_parallel_for(m->nbatch, BATCHES_A_TASK, balance_batches, &w);
  for (size_t k = 0; done && k < m->nbatch; ++k) {
    done = !w.out[k].no_memory;
    report->capped += w.out[k].capped;
    report->loose += w.out[k].loose;
    report->stiffened += w.out[k].stiffened;
  }
  rv_free(w.out);
  return done ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the rest shape");
}
