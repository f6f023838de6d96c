// The articulated-body method for chains with spherical joints, RV_V strands at a time (Featherstone; HC-9 to HC-13).
//
// All vectors are of the world and all moments about the joint of their link, so that passing from link to link is a
// shift by r = length times direction. The outer part of a strand from link i on answers the acceleration a of joint i
// and the angular acceleration alpha of link i by the torque and force
//
//   n = A alpha + B a + p,   f = B^T alpha + M a + q
//
// through the joint. The joint's own law is n = t - E (alpha - alpha_inner): t is its torque now with the implicit
// terms of the spins now, E = theta h C + theta^2 h^2 K (spec 4.2). So with D = A + E
//
//   alpha = D^-1 (t - p - B a + E alpha_inner),
//
// and the strand from joint i on answers the inner link with A' = E D^-1 A, B' = E D^-1 B, M' = M - B^T D^-1 B,
// p' = p + A D^-1 (t - p), q' = q + B^T D^-1 (t - p). Without springs E = 0 and a joint passes only forces. D is
// factorised, not inverted: the moments of inertia along and across a hair differ by a factor of 1e4.
//
// Tension: a pulling force T along a link is a stiffness T length (1 - d d^T) against its turning. It is taken at the
// end of the step too, with the T of the spins now, so that a swung strand does not flutter.
#include "continuum/chain_kernel.h"

#include <stddef.h>

#include "math/lanes_math.h"

void RV_KERNEL(rv_chain_accelerate)(const RvChainWork* w);
void RV_KERNEL(rv_chain_advance)(const RvChainWork* w);
void RV_KERNEL(rv_chain_place)(const RvChainWork* w);
void RV_KERNEL(rv_chain_predict)(const RvChainWork* w);
void RV_KERNEL(rv_chain_stage)(const RvChainWork* w, double weight, double reach, const double* start, double* sum);
void RV_KERNEL(rv_chain_normalize)(const RvChainWork* w);

//---------------------------------------------------------------------------------------------- small matrices

typedef struct Quat {
  RvLanes x, y, z, w;
} Quat;
// Columns.
typedef struct Matrix {
  RvLanes3 c[3];
} Matrix;
// L D L^T of a symmetric matrix: the entries of L below its diagonal and the reciprocals of D.
typedef struct Factor {
  RvLanes l21, l31, l32, i1, i2, i3;
} Factor;

RV_INLINE Quat load_quat(const double* p) {
  return (Quat){rv_lanes_load(p), rv_lanes_load(p + RV_W), rv_lanes_load(p + 2 * RV_W), rv_lanes_load(p + 3 * RV_W)};
}
RV_INLINE void store_quat(double* p, Quat q) {
  rv_lanes_store(p, q.x);
  rv_lanes_store(p + RV_W, q.y);
  rv_lanes_store(p + 2 * RV_W, q.z);
  rv_lanes_store(p + 3 * RV_W, q.w);
}
// The turn b, then a.
RV_INLINE Quat multiply(Quat a, Quat b) {
  return (Quat){rv_lanes_fma(a.w, b.x, rv_lanes_fma(a.x, b.w, rv_lanes_fma(a.y, b.z, -(a.z * b.y)))),
                rv_lanes_fma(a.w, b.y, rv_lanes_fma(a.y, b.w, rv_lanes_fma(a.z, b.x, -(a.x * b.z)))),
                rv_lanes_fma(a.w, b.z, rv_lanes_fma(a.z, b.w, rv_lanes_fma(a.x, b.y, -(a.y * b.x)))),
                rv_lanes_fma(a.w, b.w, -rv_lanes_fma(a.x, b.x, rv_lanes_fma(a.y, b.y, a.z * b.z)))};
}
RV_INLINE Quat conjugate(Quat q) {
  return (Quat){-q.x, -q.y, -q.z, q.w};
}
// Direction of a link: the third body axis.
RV_INLINE RvLanes3 direction(Quat q) {
  const RvLanes two = rv_lanes_set(2);
  return (RvLanes3){two * rv_lanes_fma(q.x, q.z, q.w * q.y), two * rv_lanes_fma(q.y, q.z, -(q.w * q.x)),
                    rv_lanes_fma(-two, rv_lanes_fma(q.x, q.x, q.y * q.y), rv_lanes_set(1))};
}
// Body axes.
RV_INLINE Matrix axes_of(Quat q) {
  const RvLanes two = rv_lanes_set(2), one = rv_lanes_set(1);
  Matrix m;
  m.c[0].x = rv_lanes_fma(-two, rv_lanes_fma(q.y, q.y, q.z * q.z), one);
  m.c[0].y = two * rv_lanes_fma(q.x, q.y, q.w * q.z);
  m.c[0].z = two * rv_lanes_fma(q.x, q.z, -(q.w * q.y));
  m.c[1] =
      (RvLanes3){two * rv_lanes_fma(q.x, q.y, -(q.w * q.z)), rv_lanes_fma(-two, rv_lanes_fma(q.x, q.x, q.z * q.z), one),
                 two * rv_lanes_fma(q.y, q.z, q.w * q.x)};
  m.c[2] = direction(q);
  return m;
}
RV_INLINE RvLanes3 apply(const Matrix* m, RvLanes3 v) {
  return rv_lanes3_mad(rv_lanes3_mad(rv_lanes3_scale(m->c[0], v.x), v.y, m->c[1]), v.z, m->c[2]);
}
RV_INLINE RvLanes3 apply_transpose(const Matrix* m, RvLanes3 v) {
  return (RvLanes3){rv_lanes3_dot(m->c[0], v), rv_lanes3_dot(m->c[1], v), rv_lanes3_dot(m->c[2], v)};
}
RV_INLINE RvLanes3 row(const Matrix* m, int i) {
  if (i == 0) return (RvLanes3){m->c[0].x, m->c[1].x, m->c[2].x};
  if (i == 1) return (RvLanes3){m->c[0].y, m->c[1].y, m->c[2].y};
  return (RvLanes3){m->c[0].z, m->c[1].z, m->c[2].z};
}
// a^T b where the product is symmetric.
RV_INLINE Matrix symmetric_product(const Matrix* a, const Matrix* b) {
  const RvLanes xx = rv_lanes3_dot(a->c[0], b->c[0]), xy = rv_lanes3_dot(a->c[0], b->c[1]);
  const RvLanes xz = rv_lanes3_dot(a->c[0], b->c[2]), yy = rv_lanes3_dot(a->c[1], b->c[1]);
  const RvLanes yz = rv_lanes3_dot(a->c[1], b->c[2]), zz = rv_lanes3_dot(a->c[2], b->c[2]);
  return (Matrix){{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
}
RV_INLINE Matrix add(const Matrix* a, const Matrix* b) {
  return (Matrix){{rv_lanes3_add(a->c[0], b->c[0]), rv_lanes3_add(a->c[1], b->c[1]), rv_lanes3_add(a->c[2], b->c[2])}};
}
// m + s 1 + t d d^T
RV_INLINE Matrix add_axial(const Matrix* m, RvLanes s, RvLanes t, RvLanes3 d) {
  const RvLanes3 td = rv_lanes3_scale(d, t);
  Matrix out = {{rv_lanes3_mad(m->c[0], td.x, d), rv_lanes3_mad(m->c[1], td.y, d), rv_lanes3_mad(m->c[2], td.z, d)}};
  out.c[0].x += s;
  out.c[1].y += s;
  out.c[2].z += s;
  return out;
}
// m plus the matrix of the cross product with a, v -> a x v.
RV_INLINE Matrix add_cross(const Matrix* m, RvLanes3 a) {
  Matrix out = *m;
  out.c[0].y += a.z;
  out.c[0].z -= a.y;
  out.c[1].x -= a.z;
  out.c[1].z += a.x;
  out.c[2].x += a.y;
  out.c[2].y -= a.x;
  return out;
}
RV_INLINE Factor factorize(const Matrix* m) {
  const RvLanes one = rv_lanes_set(1);
  Factor f;
  f.i1 = one / m->c[0].x;
  f.l21 = m->c[0].y * f.i1;
  f.l31 = m->c[0].z * f.i1;
  f.i2 = one / rv_lanes_fma(-f.l21, m->c[0].y, m->c[1].y);
  const RvLanes t = rv_lanes_fma(-f.l31, m->c[0].y, m->c[1].z);
  f.l32 = t * f.i2;
  f.i3 = one / rv_lanes_fma(-f.l32, t, rv_lanes_fma(-f.l31, m->c[0].z, m->c[2].z));
  return f;
}
RV_INLINE RvLanes3 solve(const Factor* f, RvLanes3 b) {
  const RvLanes y2 = rv_lanes_fma(-f->l21, b.x, b.y);
  const RvLanes y3 = rv_lanes_fma(-f->l32, y2, rv_lanes_fma(-f->l31, b.x, b.z));
  RvLanes3 x;
  x.z = y3 * f->i3;
  x.y = rv_lanes_fma(-f->l32, x.z, y2 * f->i2);
  x.x = rv_lanes_fma(-f->l31, x.z, rv_lanes_fma(-f->l21, x.y, b.x * f->i1));
  return x;
}
RV_INLINE Matrix solve_matrix(const Factor* f, const Matrix* b) {
  return (Matrix){{solve(f, b->c[0]), solve(f, b->c[1]), solve(f, b->c[2])}};
}

//---------------------------------------------------------------------------------------------- room

// Work memory of a link: first what the joints give, then what the solve gives. Numbers are rows of RV_W lanes.
enum {
  AT_TORQUE = 0,     // of the joint, N m
  AT_E = 3,          // xx xy xz yy yz zz
  AT_AXIS = 9,       // direction of the link
  AT_BIAS = 12,      // m/s2: acceleration of the joint by the spins alone
  AT_BY_A = 15,      // D^-1 B by columns
  AT_BY_ALPHA = 24,  // D^-1 E by columns
  AT_FREE = 33,      // D^-1 (t - p)
  AT_STEADY = 36,    // N m s: resistance to the spin along the links on both sides of the joint
};
_Static_assert(AT_STEADY + 1 == RV_CHAIN_ROOM, "numbers a link");

RV_INLINE void store_matrix(double* p, const Matrix* m) {
  for (int k = 0; k < 3; ++k) rv_lanes3_store(p + 3 * k * RV_W, m->c[k]);
}
RV_INLINE Matrix load_matrix(const double* p) {
  return (Matrix){{rv_lanes3_load(p), rv_lanes3_load(p + 3 * RV_W), rv_lanes3_load(p + 6 * RV_W)}};
}
RV_INLINE Matrix load_symmetric(const double* p) {
  const RvLanes xy = rv_lanes_load(p + RV_W), xz = rv_lanes_load(p + 2 * RV_W), yz = rv_lanes_load(p + 4 * RV_W);
  return (Matrix){
      {{rv_lanes_load(p), xy, xz}, {xy, rv_lanes_load(p + 3 * RV_W), yz}, {xz, yz, rv_lanes_load(p + 5 * RV_W)}}};
}
// w x (w x r)
RV_INLINE RvLanes3 centripetal(RvLanes3 spin, RvLanes3 r) {
  return rv_lanes3_sub(rv_lanes3_scale(spin, rv_lanes3_dot(spin, r)), rv_lanes3_scale(r, rv_lanes3_dot(spin, spin)));
}

// From a link's joint to its end.
RV_INLINE RvLanes3 arm_of(const RvChainWork* w, int i, int lane, const double* room) {
  return rv_lanes3_scale(rv_lanes3_load(room + AT_AXIS * RV_W), rv_lanes_load(w->length + i * RV_W + lane));
}

//---------------------------------------------------------------------------------------------- joints

// E of a joint with the body-diagonal `e`, in the axes of the world.
RV_INLINE void store_implicit(double* p, const Matrix* axes, RvLanes3 e) {
  const RvLanes3 a = rv_lanes3_scale(axes->c[0], e.x), b = rv_lanes3_scale(axes->c[1], e.y),
                 c = rv_lanes3_scale(axes->c[2], e.z);
  const RvLanes3 *x = &axes->c[0], *y = &axes->c[1], *z = &axes->c[2];
  rv_lanes_store(p, rv_lanes_fma(a.x, x->x, rv_lanes_fma(b.x, y->x, c.x * z->x)));
  rv_lanes_store(p + RV_W, rv_lanes_fma(a.x, x->y, rv_lanes_fma(b.x, y->y, c.x * z->y)));
  rv_lanes_store(p + 2 * RV_W, rv_lanes_fma(a.x, x->z, rv_lanes_fma(b.x, y->z, c.x * z->z)));
  rv_lanes_store(p + 3 * RV_W, rv_lanes_fma(a.y, x->y, rv_lanes_fma(b.y, y->y, c.y * z->y)));
  rv_lanes_store(p + 4 * RV_W, rv_lanes_fma(a.y, x->z, rv_lanes_fma(b.y, y->z, c.y * z->z)));
  rv_lanes_store(p + 5 * RV_W, rv_lanes_fma(a.z, x->z, rv_lanes_fma(b.z, y->z, c.z * z->z)));
}

// Torque on the outer link in its body axes: from the potential (E71), less the damping and what the implicit spring
// takes from the relative spin.
RV_INLINE RvLanes3 joint_torque(Quat turn, RvLanes3 stiffness, RvLanes3 against_spin, RvLanes3 spin) {
  const RvLanes3 e = {turn.x, turn.y, turn.z};
  const RvLanes3 ke = {stiffness.x * e.x, stiffness.y * e.y, stiffness.z * e.z};
  const RvLanes3 sum = rv_lanes3_mad(rv_lanes3_cross(ke, e), turn.w, ke);
  const RvLanes minus = rv_lanes_set(-2);
  return (RvLanes3){rv_lanes_fma(minus, sum.x, -(against_spin.x * spin.x)),
                    rv_lanes_fma(minus, sum.y, -(against_spin.y * spin.y)),
                    rv_lanes_fma(minus, sum.z, -(against_spin.z * spin.z))};
}

// How much a joint steadies the spin of its links along themselves, N m, to be multiplied by the part of the step. The
// moment of a joint that is bent far from its rest turns with the links, and bending it in another direction twists
// it. Both are terms beside the diagonal that are not implicit. Links have hardly any inertia along themselves, so that
// a limp curl answered at once and drove itself: the angle of links within a step, K_t e / c a step and radian of
// bending, must move the moment 2 K_b e less than the implicit bending K_b does. The resistance falls with the step and
// is no torque at rest.
static const double STEADYING = 2;
RV_INLINE RvLanes steadying(Quat turn, RvLanes3 stiffness) {
  const RvLanes bend = rv_lanes_set(0.5) * (stiffness.x + stiffness.y);
  const RvLanes e2 = rv_lanes_fma(turn.x, turn.x, turn.y * turn.y);
  return rv_lanes_set(STEADYING) * (bend + stiffness.z) * e2;
}

// Asks for the rows of a link of the next batch, in an array of `rows` numbers a link. A step does so little with a
// number that without this it waits for memory where the strands do not fit into the caches.
RV_INLINE void fetch(const double* array, int rows, int links, int i) {
  enum { READ, INTO_LEVEL_2 = 2 };
  if (!array) return;
  const double* next = array + (ptrdiff_t)rows * (links + i) * RV_W;
  for (int k = 0; k < rows; ++k) __builtin_prefetch(next + k * RV_W, READ, INTO_LEVEL_2);
}

RV_INLINE void fetch_joint(const RvChainWork* w, int i) {
  fetch(w->orient, 4, w->links, i);
  fetch(w->rest, 4, w->links, i);
  fetch(w->spin, 3, w->links, i);
  fetch(w->stiffness, 3, w->links, i);
  fetch(w->damping, 3, w->links, i);
  fetch(w->length, 1, w->links, i);
}

RV_INLINE void fetch_link(const RvChainWork* w, int i) {
  fetch(w->mass, 1, w->links, i);
  fetch(w->across, 1, w->links, i);
  fetch(w->axial, 1, w->links, i);
  fetch(w->line_mass, 1, w->links, i);
  fetch(w->force, 3, w->links, i);
  fetch(w->torque, 3, w->links, i);
  fetch(w->end_mass, 6, w->links, i);
  fetch(w->end_force, 3, w->links, i);
}

RV_INLINE void fetch_vertex(const RvChainWork* w, int i) {
  fetch(w->x, 3, w->links + 1, i);
  fetch(w->v, 3, w->links + 1, i);
}

// From the base outwards: torque and implicit block of every joint, directions, accelerations by the spins alone.
RV_INLINE void visit_joints(const RvChainWork* w, int lane) {
  const RvLanes h = rv_lanes_set(w->implicitness * w->dt), h2 = h * h;
  Quat inner = load_quat(w->base_orient + lane);
  RvLanes3 inner_spin = rv_lanes3_load(w->base_spin + lane);
  RvLanes3 a = rv_lanes3_load(w->base_acceleration + lane);
  a.x -= rv_lanes_set(w->gravity[0]);
  a.y -= rv_lanes_set(w->gravity[1]);
  a.z -= rv_lanes_set(w->gravity[2]);
  for (int i = 0; i < w->links; ++i) {
    double* room = w->room + (ptrdiff_t)i * RV_CHAIN_ROOM * RV_W + lane;
    const Quat q = load_quat(w->orient + 4 * i * RV_W + lane);
    const Quat rest = load_quat(w->rest + 4 * i * RV_W + lane);
    const RvLanes3 spin = rv_lanes3_load(w->spin + 3 * i * RV_W + lane);
    const RvLanes3 stiffness = rv_lanes3_load(w->stiffness + 3 * i * RV_W + lane);
    const RvLanes3 damping = rv_lanes3_load(w->damping + 3 * i * RV_W + lane);
    const Matrix axes = axes_of(q);
    // The joint.
    const Quat turn = multiply(conjugate(rest), multiply(conjugate(inner), q));
    const RvLanes3 relative = apply_transpose(&axes, rv_lanes3_sub(spin, inner_spin));
    const RvLanes3 torque = joint_torque(turn, stiffness, rv_lanes3_mad(damping, h, stiffness), relative);
    rv_lanes3_store(room + AT_TORQUE * RV_W, apply(&axes, torque));
    rv_lanes_store(room + AT_STEADY * RV_W, h * steadying(turn, stiffness));
    store_implicit(room + AT_E * RV_W, &axes, rv_lanes3_mad(rv_lanes3_scale(damping, h), h2, stiffness));
    // The link.
    const RvLanes length = rv_lanes_load(w->length + i * RV_W + lane);
    rv_lanes3_store(room + AT_AXIS * RV_W, axes.c[2]);
    rv_lanes3_store(room + AT_BIAS * RV_W, a);
    a = rv_lanes3_add(a, centripetal(spin, rv_lanes3_scale(axes.c[2], length)));
    inner = q;
    inner_spin = spin;
    if (w->fetch_next && lane == 0) fetch_joint(w, i);
  }
}

//---------------------------------------------------------------------------------------------- inward

// What the strand from a joint on answers with; `pull` is the force that its outer part exerts by the spins alone.
typedef struct Answer {
  Matrix a, b, m;
  RvLanes3 p, q, pull;
} Answer;

// Adds mass at the end of the link, with its inertia but without its weight, and the force that belongs to it.
RV_INLINE void add_end(Answer* s, const double* end_mass, RvLanes3 force, RvLanes3 r, RvLanes3 acceleration) {
  const Matrix z = load_symmetric(end_mass);
  const Matrix rz = {{rv_lanes3_cross(r, z.c[0]), rv_lanes3_cross(r, z.c[1]), rv_lanes3_cross(r, z.c[2])}};
  const Matrix rzr = {
      {rv_lanes3_cross(r, row(&rz, 0)), rv_lanes3_cross(r, row(&rz, 1)), rv_lanes3_cross(r, row(&rz, 2))}};
  const RvLanes3 f = rv_lanes3_sub(apply(&z, acceleration), force);
  s->a = add(&s->a, &rzr);
  s->b = add(&s->b, &rz);
  s->m = add(&s->m, &z);
  s->q = rv_lanes3_add(s->q, f);
  s->p = rv_lanes3_add(s->p, rv_lanes3_cross(r, f));
}

// Adds a link's own inertia, spin, tension and loads.
RV_INLINE void add_link(const RvChainWork* w, int i, int lane, const double* room, RvLanes3 gravity, RvLanes3 r,
                        RvLanes3 zeta, Answer* s) {
  const RvLanes h = rv_lanes_set(w->implicitness * w->dt), half = rv_lanes_set(0.5), zero = rv_lanes_set(0);
  const RvLanes length = rv_lanes_load(w->length + i * RV_W + lane), mass = rv_lanes_load(w->mass + i * RV_W + lane);
  const RvLanes added = w->line_mass ? rv_lanes_load(w->line_mass + i * RV_W + lane) : zero;
  const RvLanes axial = rv_lanes_load(w->axial + i * RV_W + lane);
  RvLanes steady = rv_lanes_load(room + AT_STEADY * RV_W);
  if (i + 1 < w->links) steady += rv_lanes_load(room + (RV_CHAIN_ROOM + AT_STEADY) * RV_W);
  const RvLanes across =
      rv_lanes_fma(added * length, length * rv_lanes_set(1.0 / 3), rv_lanes_load(w->across + i * RV_W + lane));
  const RvLanes3 spin = rv_lanes3_load(w->spin + 3 * i * RV_W + lane);
  const RvLanes3 d = rv_lanes3_load(room + AT_AXIS * RV_W), bias = rv_lanes3_load(room + AT_BIAS * RV_W);
  const RvLanes3 centre = rv_lanes3_scale(r, half), zeta_c = rv_lanes3_scale(zeta, half);
  const RvLanes3 zeros = {zero, zero, zero};
  const RvLanes3 force = w->force ? rv_lanes3_load(w->force + 3 * i * RV_W + lane) : zeros;
  // Tension by the spins alone.
  const RvLanes3 own = rv_lanes3_mad(force, -mass, rv_lanes3_add(bias, zeta_c));
  const RvLanes tension = rv_lanes_max(rv_lanes3_dot(d, rv_lanes3_mad(s->pull, half, own)), zero) * length;
  s->pull = rv_lanes3_add(s->pull, own);
  // Inertia.
  const RvLanes total = mass + added, along = rv_lanes3_dot(d, spin), stiff = rv_lanes_fma(h * h, tension, across);
  s->a = add_axial(&s->a, stiff, rv_lanes_fma(h, steady, axial) - stiff, d);
  s->b = add_cross(&s->b, rv_lanes3_scale(centre, total));
  s->m.c[0].x += total;
  s->m.c[1].y += total;
  s->m.c[2].z += total;
  // Forces and torques: of the spin, of the implicit tension, of the weight that added mass must not have, of the
  // loads.
  const RvLanes3 q = rv_lanes3_mad(rv_lanes3_scale(zeta_c, total), added, gravity);
  s->q = rv_lanes3_add(s->q, rv_lanes3_sub(q, force));
  RvLanes3 p = rv_lanes3_scale(rv_lanes3_cross(spin, d), (axial - across) * along);
  p = rv_lanes3_mad(p, added, rv_lanes3_cross(centre, gravity));
  p = rv_lanes3_mad(p, steady * along, d);
  p = rv_lanes3_mad(p, h * tension, rv_lanes3_mad(spin, -along, d));
  if (w->torque) p = rv_lanes3_sub(p, rv_lanes3_load(w->torque + 3 * i * RV_W + lane));
  s->p = rv_lanes3_add(s->p, p);
  if (w->end_mass) {
    const RvLanes3 end_force = w->end_force ? rv_lanes3_load(w->end_force + 3 * i * RV_W + lane) : zeros;
    add_end(s, w->end_mass + 6 * i * RV_W + lane, end_force, r, rv_lanes3_add(zeta, gravity));
  }
}

// Eliminates the joint: stores what gives the link's acceleration, and leaves the answer to the inner link's.
RV_INLINE void eliminate(double* room, Answer* s) {
  const Matrix e = load_symmetric(room + AT_E * RV_W);
  const Matrix d = add(&s->a, &e);
  const Factor f = factorize(&d);
  const Matrix by_a = solve_matrix(&f, &s->b), by_alpha = solve_matrix(&f, &e);
  const RvLanes3 free = solve(&f, rv_lanes3_sub(rv_lanes3_load(room + AT_TORQUE * RV_W), s->p));
  store_matrix(room + AT_BY_A * RV_W, &by_a);
  store_matrix(room + AT_BY_ALPHA * RV_W, &by_alpha);
  rv_lanes3_store(room + AT_FREE * RV_W, free);
  s->p = rv_lanes3_add(s->p, apply(&s->a, free));
  s->q = rv_lanes3_add(s->q, apply_transpose(&s->b, free));
  const Matrix lost = symmetric_product(&s->b, &by_a);
  for (int k = 0; k < 3; ++k) s->m.c[k] = rv_lanes3_sub(s->m.c[k], lost.c[k]);
  s->a = symmetric_product(&by_alpha, &s->a);
  s->b = (Matrix){{apply_transpose(&by_alpha, s->b.c[0]), apply_transpose(&by_alpha, s->b.c[1]),
                   apply_transpose(&by_alpha, s->b.c[2])}};
}

// Moves the reference to the inner link's joint: a = a_inner + alpha_inner x r + zeta.
RV_INLINE void shift(Answer* s, RvLanes3 r, RvLanes3 zeta) {
  s->q = rv_lanes3_add(s->q, apply(&s->m, zeta));
  s->p = rv_lanes3_add(rv_lanes3_add(s->p, apply(&s->b, zeta)), rv_lanes3_cross(r, s->q));
  // B'' = B' + r x M', A'' = A' + r x B'^T - B'' r x
  Matrix b = s->b;
  for (int k = 0; k < 3; ++k) b.c[k] = rv_lanes3_add(b.c[k], rv_lanes3_cross(r, s->m.c[k]));
  const RvLanes3 u0 = rv_lanes3_cross(r, row(&s->b, 0)), u1 = rv_lanes3_cross(r, row(&s->b, 1)),
                 u2 = rv_lanes3_cross(r, row(&s->b, 2));
  const RvLanes3 v0 = rv_lanes3_cross(r, row(&b, 0)), v1 = rv_lanes3_cross(r, row(&b, 1)),
                 v2 = rv_lanes3_cross(r, row(&b, 2));
  const RvLanes xy = s->a.c[1].x + (u1.x + v0.y), xz = s->a.c[2].x + (u2.x + v0.z), yz = s->a.c[2].y + (u2.y + v1.z);
  s->a = (Matrix){{{s->a.c[0].x + (u0.x + v0.x), xy, xz},
                   {xy, s->a.c[1].y + (u1.y + v1.y), yz},
                   {xz, yz, s->a.c[2].z + (u2.z + v2.z)}}};
  s->b = b;
}

//---------------------------------------------------------------------------------------------- accelerations

RV_INLINE void accelerate(const RvChainWork* w, int lane) {
  const RvLanes3 gravity = {rv_lanes_set(w->gravity[0]), rv_lanes_set(w->gravity[1]), rv_lanes_set(w->gravity[2])};
  visit_joints(w, lane);
  // From the tip to the base.
  const RvLanes zero = rv_lanes_set(0);
  const RvLanes3 zeros = {zero, zero, zero};
  Answer s = {{{zeros, zeros, zeros}}, {{zeros, zeros, zeros}}, {{zeros, zeros, zeros}}, zeros, zeros, zeros};
  for (int i = w->links - 1; i >= 0; --i) {
    double* room = w->room + (ptrdiff_t)i * RV_CHAIN_ROOM * RV_W + lane;
    const RvLanes3 r = arm_of(w, i, lane, room);
    const RvLanes3 zeta = centripetal(rv_lanes3_load(w->spin + 3 * i * RV_W + lane), r);
    shift(&s, r, zeta);
    add_link(w, i, lane, room, gravity, r, zeta, &s);
    eliminate(room, &s);
    if (w->fetch_next && lane == 0) fetch_link(w, i);
  }
  // And back: alpha = free - D^-1 B a + D^-1 E alpha_inner.
  RvLanes3 a = rv_lanes3_sub(rv_lanes3_load(w->base_acceleration + lane), gravity);
  RvLanes3 alpha = rv_lanes3_load(w->base_spin_rate + lane);
  for (int i = 0; i < w->links; ++i) {
    const double* room = w->room + (ptrdiff_t)i * RV_CHAIN_ROOM * RV_W + lane;
    const Matrix by_a = load_matrix(room + AT_BY_A * RV_W), by_alpha = load_matrix(room + AT_BY_ALPHA * RV_W);
    const RvLanes3 spin = rv_lanes3_load(w->spin + 3 * i * RV_W + lane);
    const RvLanes3 r = arm_of(w, i, lane, room);
    const RvLanes3 free = rv_lanes3_load(room + AT_FREE * RV_W);
    alpha = rv_lanes3_add(rv_lanes3_sub(free, apply(&by_a, a)), apply(&by_alpha, alpha));
    rv_lanes3_store(w->spin_rate + 3 * i * RV_W + lane, alpha);
    a = rv_lanes3_add(a, rv_lanes3_add(rv_lanes3_cross(alpha, r), centripetal(spin, r)));
    if (w->fetch_next && lane == 0) fetch_vertex(w, i);
  }
}

void RV_KERNEL(rv_chain_accelerate)(const RvChainWork* w) {
  for (int lane = 0; lane < RV_W; lane += RV_V) accelerate(w, lane);
}

//---------------------------------------------------------------------------------------------- motion

// rad: largest turn of a link in a step.
static const double MOST_TURN = 2;

RV_INLINE Quat normalized(Quat q) {
  const RvLanes square = rv_lanes_fma(q.x, q.x, rv_lanes_fma(q.y, q.y, rv_lanes_fma(q.z, q.z, q.w * q.w)));
  const RvLanes scale = rv_lanes_set(1) / rv_lanes_sqrt(square);
  return (Quat){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

// The turn by a rotation vector.
RV_INLINE Quat turn_by(RvLanes3 angle) {
  const RvLanes half = rv_lanes_set(0.5), tiny = rv_lanes_set(1e-150);  // keeps the quotient finite
  const RvLanes size = rv_lanes_max(rv_lanes_sqrt(rv_lanes3_dot(angle, angle)), tiny);
  RvLanes s, c;
  rv_lanes_sincos(half * size, &s, &c);
  const RvLanes3 e = rv_lanes3_scale(angle, s / size);
  return (Quat){e.x, e.y, e.z, c};
}

// A spin of at most MOST_TURN a step. Faster links whip: the terms of their spin, which are not implicit, would drive
// them without bound.
RV_INLINE RvLanes3 bounded(RvLanes3 spin, RvLanes dt) {
  const RvLanes most = rv_lanes_set(MOST_TURN), turn = dt * rv_lanes_sqrt(rv_lanes3_dot(spin, spin));
  const RvLanes scale = most / rv_lanes_max(turn, most);
  return rv_lanes3_scale(spin, scale);
}

void RV_KERNEL(rv_chain_advance)(const RvChainWork* w) {
  const RvLanes dt = rv_lanes_set(w->dt), part = rv_lanes_set(w->implicitness);
  for (int lane = 0; lane < RV_W; lane += RV_V)
    for (int i = 0; i < w->links; ++i) {
      double *orient = w->orient + 4 * i * RV_W + lane, *spin = w->spin + 3 * i * RV_W + lane;
      const RvLanes3 before = rv_lanes3_load(spin), rate = rv_lanes3_load(w->spin_rate + 3 * i * RV_W + lane);
      const RvLanes3 after = bounded(rv_lanes3_mad(before, dt, rate), dt);
      const RvLanes3 mean = rv_lanes3_mad(before, part, rv_lanes3_sub(after, before));
      const Quat turn = turn_by(rv_lanes3_scale(mean, dt));
      store_quat(orient, normalized(multiply(turn, load_quat(orient))));
      rv_lanes3_store(spin, after);
    }
}

void RV_KERNEL(rv_chain_place)(const RvChainWork* w) {
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    RvLanes3 x = rv_lanes3_load(w->base_x + lane), v = rv_lanes3_load(w->base_v + lane);
    for (int i = 0; i < w->links; ++i) {
      const RvLanes3 d = direction(load_quat(w->orient + 4 * i * RV_W + lane));
      const RvLanes3 r = rv_lanes3_scale(d, rv_lanes_load(w->length + i * RV_W + lane));
      rv_lanes3_store(w->x + 3 * i * RV_W + lane, x);
      rv_lanes3_store(w->v + 3 * i * RV_W + lane, v);
      x = rv_lanes3_add(x, r);
      v = rv_lanes3_add(v, rv_lanes3_cross(rv_lanes3_load(w->spin + 3 * i * RV_W + lane), r));
    }
    rv_lanes3_store(w->x + 3 * w->links * RV_W + lane, x);
    rv_lanes3_store(w->v + 3 * w->links * RV_W + lane, v);
  }
}

void RV_KERNEL(rv_chain_predict)(const RvChainWork* w) {
  const RvLanes dt = rv_lanes_set(w->dt);
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    RvLanes3 v = rv_lanes3_load(w->base_v + lane);
    for (int i = 0; i < w->links; ++i) {
      const RvLanes3 rate = rv_lanes3_load(w->spin_rate + 3 * i * RV_W + lane);
      const RvLanes3 spin = rv_lanes3_mad(rv_lanes3_load(w->spin + 3 * i * RV_W + lane), dt, rate);
      const RvLanes3 d = direction(load_quat(w->orient + 4 * i * RV_W + lane));
      rv_lanes3_store(w->v + 3 * i * RV_W + lane, v);
      v = rv_lanes3_add(v, rv_lanes3_scale(rv_lanes3_cross(spin, d), rv_lanes_load(w->length + i * RV_W + lane)));
    }
    rv_lanes3_store(w->v + 3 * w->links * RV_W + lane, v);
  }
}

//---------------------------------------------------------------------------------------------- Runge and Kutta

// sum += weight rate, at = start + reach rate
RV_INLINE void stage(RvLanes rate, RvLanes weight, RvLanes reach, const double* start, double* sum, double* at) {
  rv_lanes_store(sum, rv_lanes_fma(weight, rate, rv_lanes_load(sum)));
  rv_lanes_store(at, rv_lanes_fma(reach, rate, rv_lanes_load(start)));
}

void RV_KERNEL(rv_chain_stage)(const RvChainWork* w, double weight, double reach, const double* start, double* sum) {
  const RvLanes wl = rv_lanes_set(weight), rl = rv_lanes_set(reach), half = rv_lanes_set(0.5);
  const ptrdiff_t spins = 4 * (ptrdiff_t)w->links * RV_W;
  for (int lane = 0; lane < RV_W; lane += RV_V)
    for (int i = 0; i < w->links; ++i) {
      const ptrdiff_t q = 4 * (ptrdiff_t)i * RV_W + lane, s = 3 * (ptrdiff_t)i * RV_W + lane;
      const RvLanes3 spin = rv_lanes3_load(w->spin + s), rate = rv_lanes3_load(w->spin_rate + s);
      // The rate of an orientation is half the product of spin and orientation.
      const Quat turn = {half * spin.x, half * spin.y, half * spin.z, rv_lanes_set(0)};
      const Quat dq = multiply(turn, load_quat(w->orient + q));
      stage(dq.x, wl, rl, start + q, sum + q, w->orient + q);
      stage(dq.y, wl, rl, start + q + RV_W, sum + q + RV_W, w->orient + q + RV_W);
      stage(dq.z, wl, rl, start + q + 2 * RV_W, sum + q + 2 * RV_W, w->orient + q + 2 * RV_W);
      stage(dq.w, wl, rl, start + q + 3 * RV_W, sum + q + 3 * RV_W, w->orient + q + 3 * RV_W);
      stage(rate.x, wl, rl, start + spins + s, sum + spins + s, w->spin + s);
      stage(rate.y, wl, rl, start + spins + s + RV_W, sum + spins + s + RV_W, w->spin + s + RV_W);
      stage(rate.z, wl, rl, start + spins + s + 2 * RV_W, sum + spins + s + 2 * RV_W, w->spin + s + 2 * RV_W);
    }
}

void RV_KERNEL(rv_chain_normalize)(const RvChainWork* w) {
  for (int lane = 0; lane < RV_W; lane += RV_V)
    for (int i = 0; i < w->links; ++i) {
      double* q = w->orient + 4 * i * RV_W + lane;
      store_quat(q, normalized(load_quat(q)));
    }
}
