// Energy, gradient and Hessian of the discrete elastic rod, in SIMD lanes (WH-1 to WH-3, spec 1.2.1; equation numbers A
// are those of its appendix).
//
// The strains of an inner vertex depend only on its two edges e, f and their angles. So derivatives are accumulated
// with respect to these eight numbers, and mapped to the eleven unknowns of the vertex last (rod_assemble.h).
#include "math/lanes_math.h"
#include "strand/rod.h"

void RV_KERNEL(rv_strand_rod_energy)(const RvRodBatch* rod, const double* q, double* energy);
void RV_KERNEL(rv_strand_rod_derivatives)(const RvRodBatch* rod, const double* q, RvRodHessian kind, double* g,
                                          double* band);
void RV_KERNEL(rv_strand_rod_strain)(const RvRodBatch* rod, const double* q, const RvRodStrain* out);

// Least 1 + cos of the turn between two edges: it is singular where they fold back on each other (spec 1.2.1).
#define MIN_CHI 1e-4
#define TINY_LENGTH 1e-30  // m: keeps divisions finite
#define TINY_SQUARED_LENGTH 1e-300

#define SET rv_lanes_set

// An edge at q.
typedef struct Edge {
  RvLanes length, inverse;  // m, 1/m
  RvLanes3 t;               // tangent
  RvLanes3 u;               // reference director, transported from the start of the step
  RvLanes3 m1, m2;          // material frame: u and t x u rotated by the angle
  RvLanes3 p;     // rotation of the transported frame about t beyond time-parallel transport, by the edge: rad/m
  RvLanes angle;  // rad
} Edge;

// Strains of an inner vertex.
typedef struct Bend {
  RvLanes chi;               // 1 + cos of the turn
  RvLanes3 kb, half;         // curvature binormal; (t_e + t_f) / chi
  RvLanes kappa[4];          // kappa_1, kappa_2 in the frame of e, then of f
  RvLanes reference, twist;  // rad: of the reference frames, and of the material
} Bend;

// Edge j at q.
RV_INLINE Edge read_edge(const RvRodBatch* rod, const double* q, int j, int lane) {
  Edge e;
  const double* x = q + (size_t)j * 4 * RV_W + lane;
  const RvLanes3 d = rv_lanes3_sub(rv_lanes3_load(x + 4 * RV_W), rv_lanes3_load(x));
  e.length = rv_lanes_max(rv_lanes_sqrt(rv_lanes3_dot(d, d)), SET(TINY_LENGTH));
  e.inverse = SET(1) / e.length;
  e.t = rv_lanes3_scale(d, e.inverse);
  e.angle = rv_lanes_load(x + 3 * RV_W);
  // reference director: that of the start, rotated by the shortest arc from its tangent to this one (E51)
  const RvLanes3 t0 = rv_lanes3_load(rod->tangent + (size_t)j * 3 * RV_W + lane);
  const RvLanes3 u0 = rv_lanes3_load(rod->director + (size_t)j * 3 * RV_W + lane);
  const RvLanes turn = SET(1) / rv_lanes_max(SET(1) + rv_lanes3_dot(t0, e.t), SET(MIN_CHI));
  e.u = rv_lanes3_mad(u0, -(rv_lanes3_dot(u0, e.t) * turn), rv_lanes3_add(t0, e.t));
  e.p = rv_lanes3_scale(rv_lanes3_cross(t0, e.t), -(turn * e.inverse));
  // material frame
  RvLanes s, c;
  rv_lanes_sincos(e.angle, &s, &c);
  const RvLanes3 v = rv_lanes3_cross(e.t, e.u);
  e.m1 = rv_lanes3_mad(rv_lanes3_scale(e.u, c), s, v);
  e.m2 = rv_lanes3_mad(rv_lanes3_scale(v, c), -s, e.u);
  return e;
}

// Strains of inner vertex i between the edges e and f.
RV_INLINE Bend read_bend(const RvRodBatch* rod, const Edge* e, const Edge* f, int i, int lane) {
  Bend b;
  // curvature binormal and its components in both material frames
  b.chi = rv_lanes_max(SET(1) + rv_lanes3_dot(e->t, f->t), SET(MIN_CHI));
  const RvLanes inverse = SET(1) / b.chi;
  b.kb = rv_lanes3_scale(rv_lanes3_cross(e->t, f->t), SET(2) * inverse);
  b.half = rv_lanes3_scale(rv_lanes3_add(e->t, f->t), inverse);
  b.kappa[0] = rv_lanes3_dot(e->m2, b.kb);
  b.kappa[1] = -rv_lanes3_dot(e->m1, b.kb);
  b.kappa[2] = rv_lanes3_dot(f->m2, b.kb);
  b.kappa[3] = -rv_lanes3_dot(f->m1, b.kb);
  // reference twist: angle from the director of e, transported across the vertex, to that of f, on the branch of the
  // start of the step
  const RvLanes3 carried = rv_lanes3_mad(e->u, -(rv_lanes3_dot(e->u, f->t)), b.half);
  const RvLanes sine = rv_lanes3_dot(rv_lanes3_cross(carried, f->u), f->t), cosine = rv_lanes3_dot(carried, f->u);
  const RvLanes angle = rv_lanes_atan2(sine, cosine);
  const RvLanes before = rv_lanes_load(rod->reference_twist + (size_t)i * RV_W + lane);
  b.reference = rv_lanes_fma(rv_lanes_round((before - angle) * SET(1 / (2 * RV_PI))), SET(2 * RV_PI), angle);
  b.twist = f->angle - e->angle + b.reference;
  return b;
}

// Derivative of the energy with respect to each strain (stress), and second derivative (weight).
typedef struct Stress {
  RvLanes force[4], weight[2];  // curvatures: the weight of kappa_1 and of kappa_2
  RvLanes torque, torsion;
} Stress;

// Stresses and weights of inner vertex i; adds its elastic energy.
RV_INLINE Stress read_stress(const RvRodBatch* rod, const Bend* b, int i, int lane, RvLanes* energy) {
  Stress s;
  s.weight[0] = SET(0.5) * rv_lanes_load(rod->bend + (size_t)(2 * i) * RV_W + lane);
  s.weight[1] = SET(0.5) * rv_lanes_load(rod->bend + (size_t)(2 * i + 1) * RV_W + lane);
  RV_UNROLL
  for (int k = 0; k < 4; ++k) {
    const RvLanes strain = b->kappa[k] - rv_lanes_load(rod->curvature + (size_t)(4 * i + k) * RV_W + lane);
    s.force[k] = s.weight[k & 1] * strain;
    *energy = rv_lanes_fma(SET(0.5) * s.force[k], strain, *energy);
  }
  s.torsion = rv_lanes_load(rod->torsion + (size_t)i * RV_W + lane);
  const RvLanes strain = b->twist - rv_lanes_load(rod->twist + (size_t)i * RV_W + lane);
  s.torque = s.torsion * strain;
  *energy = rv_lanes_fma(SET(0.5) * s.torque, strain, *energy);
  return s;
}

// Gradient of one strain with respect to e, f and the angle of one of them.
typedef struct Slope {
  RvLanes3 e, f;
  RvLanes angle;
} Slope;

// Gradient of the curvature kappa = sign * m . kb (A13 to A16); `other` is its derivative by the frame's angle.
RV_INLINE Slope curvature_slope(const Edge* e, const Edge* f, const Bend* b, RvLanes kappa, RvLanes3 m, RvLanes sign,
                                RvLanes other) {
  const RvLanes scale = SET(2) * sign / b->chi;
  const RvLanes3 bend = rv_lanes3_scale(b->half, -kappa);
  Slope s;
  s.e = rv_lanes3_scale(rv_lanes3_mad(bend, scale, rv_lanes3_cross(f->t, m)), e->inverse);
  s.f = rv_lanes3_scale(rv_lanes3_mad(bend, -scale, rv_lanes3_cross(e->t, m)), f->inverse);
  s.angle = other;
  return s;
}

// Symmetric 8 x 8 matrix in (e, f, angle of e, angle of f).
typedef struct Block {
  RvLanes ee[6], ff[6], ef[9];  // 6: xx yx yy zx zy zz; ef[3 r + c] = by e_r and f_c
  RvLanes3 ea, eb, fa, fb;      // a: angle of e, b: angle of f
  RvLanes aa, ab, bb;
} Block;

// s += w (a b^T + b a^T) / 2
RV_INLINE void add_symmetric(RvLanes s[6], RvLanes w, RvLanes3 a, RvLanes3 b) {
  const RvLanes h = SET(0.5) * w;
  s[0] = rv_lanes_fma(w * a.x, b.x, s[0]);
  s[1] = rv_lanes_fma(h, rv_lanes_fma(a.x, b.y, a.y * b.x), s[1]);
  s[2] = rv_lanes_fma(w * a.y, b.y, s[2]);
  s[3] = rv_lanes_fma(h, rv_lanes_fma(a.x, b.z, a.z * b.x), s[3]);
  s[4] = rv_lanes_fma(h, rv_lanes_fma(a.y, b.z, a.z * b.y), s[4]);
  s[5] = rv_lanes_fma(w * a.z, b.z, s[5]);
}

// s += w a a^T
RV_INLINE void add_square(RvLanes s[6], RvLanes w, RvLanes3 a) {
  const RvLanes x = w * a.x, y = w * a.y, z = w * a.z;
  s[0] = rv_lanes_fma(x, a.x, s[0]);
  s[1] = rv_lanes_fma(y, a.x, s[1]);
  s[2] = rv_lanes_fma(y, a.y, s[2]);
  s[3] = rv_lanes_fma(z, a.x, s[3]);
  s[4] = rv_lanes_fma(z, a.y, s[4]);
  s[5] = rv_lanes_fma(z, a.z, s[5]);
}

// m += w a b^T
RV_INLINE void add_outer(RvLanes m[9], RvLanes w, RvLanes3 a, RvLanes3 b) {
  const RvLanes x = w * a.x, y = w * a.y, z = w * a.z;
  m[0] = rv_lanes_fma(x, b.x, m[0]);
  m[1] = rv_lanes_fma(x, b.y, m[1]);
  m[2] = rv_lanes_fma(x, b.z, m[2]);
  m[3] = rv_lanes_fma(y, b.x, m[3]);
  m[4] = rv_lanes_fma(y, b.y, m[4]);
  m[5] = rv_lanes_fma(y, b.z, m[5]);
  m[6] = rv_lanes_fma(z, b.x, m[6]);
  m[7] = rv_lanes_fma(z, b.y, m[7]);
  m[8] = rv_lanes_fma(z, b.z, m[8]);
}

// m += w [v]x, the matrix of the cross product.
RV_INLINE void add_cross(RvLanes m[9], RvLanes w, RvLanes3 v) {
  m[1] -= w * v.z;
  m[2] += w * v.y;
  m[3] += w * v.z;
  m[5] -= w * v.x;
  m[6] -= w * v.y;
  m[7] += w * v.x;
}

// h += w s s^T, the Gauss-Newton part of one curvature; `of_f`: its angle is that of f.
RV_INLINE void add_slope(Block* h, RvLanes w, const Slope* s, int of_f) {
  add_square(h->ee, w, s->e);
  add_square(h->ff, w, s->f);
  add_outer(h->ef, w, s->e, s->f);
  const RvLanes wa = w * s->angle;
  if (of_f) {
    h->eb = rv_lanes3_mad(h->eb, wa, s->e);
    h->fb = rv_lanes3_mad(h->fb, wa, s->f);
    h->bb = rv_lanes_fma(wa, s->angle, h->bb);
  } else {
    h->ea = rv_lanes3_mad(h->ea, wa, s->e);
    h->fa = rv_lanes3_mad(h->fa, wa, s->f);
    h->aa = rv_lanes_fma(wa, s->angle, h->aa);
  }
}

// The same for the twist, whose gradient by the angles is -1 and 1.
RV_INLINE void add_torsion_slope(Block* h, RvLanes w, RvLanes3 e, RvLanes3 f) {
  add_square(h->ee, w, e);
  add_square(h->ff, w, f);
  add_outer(h->ef, w, e, f);
  h->ea = rv_lanes3_mad(h->ea, -w, e);
  h->fa = rv_lanes3_mad(h->fa, -w, f);
  h->eb = rv_lanes3_mad(h->eb, w, e);
  h->fb = rv_lanes3_mad(h->fb, w, f);
  h->aa += w;
  h->bb += w;
  h->ab -= w;
}

// Part of v orthogonal to the unit vector t.
RV_INLINE RvLanes3 reject(RvLanes3 v, RvLanes3 t) {
  return rv_lanes3_mad(v, -rv_lanes3_dot(v, t), t);
}

// Second derivatives of a curvature by one edge twice: h += we times them, with the gradient `slope` by that edge, the
// derivative `chi_edge` of chi by it, and `cross` = t_other x m~ of weight `cross_weight`.
RV_INLINE void add_same_edge(RvLanes h[6], RvLanes we, const Edge* edge, const Bend* b, RvLanes kappa, RvLanes chi,
                             RvLanes3 slope, RvLanes3 chi_edge, RvLanes cross_weight, RvLanes3 cross) {
  add_symmetric(h, we, slope, rv_lanes3_add(edge->t, b->half));
  // kappa d half / d e = kappa chi / |e| [(I - t t^T) - half d^T], d the part of the other tangent orthogonal to t
  const RvLanes te = we * kappa * chi * edge->inverse;
  h[0] += te;
  h[2] += te;
  h[5] += te;
  add_square(h, -te, edge->t);
  add_symmetric(h, -(te * edge->length), b->half, chi_edge);
  add_symmetric(h, cross_weight, cross, chi_edge);
}

// Second derivatives by the angle: gradient t of the curvature that the angle rotates this one into, and minus kappa.
RV_INLINE void add_angle(Block* h, RvLanes w, RvLanes kappa, const Slope* t, int of_f) {
  if (of_f) {
    h->eb = rv_lanes3_mad(h->eb, w, t->e);
    h->fb = rv_lanes3_mad(h->fb, w, t->f);
    h->bb = rv_lanes_fma(-w, kappa, h->bb);
  } else {
    h->ea = rv_lanes3_mad(h->ea, w, t->e);
    h->fa = rv_lanes3_mad(h->fa, w, t->f);
    h->aa = rv_lanes_fma(-w, kappa, h->aa);
  }
}

// h += w times the second derivatives of one curvature, w its stress (A17 to A30 with the corrections of spec 1.2.1).
RV_INLINE void add_curvature_hessian(Block* h, RvLanes w, const Edge* e, const Edge* f, const Bend* b, const Slope* s,
                                     RvLanes kappa, RvLanes3 m, RvLanes sign, RvLanes3 m_turned, RvLanes sign_turned,
                                     RvLanes turned, int of_f) {
  // m~ with its sign, and the derivatives of chi by e and f
  const RvLanes chi = SET(1) / b->chi;
  const RvLanes3 mt = rv_lanes3_scale(m, SET(2) * sign * chi);
  const RvLanes3 chi_e = rv_lanes3_scale(reject(f->t, e->t), e->inverse);
  const RvLanes3 chi_f = rv_lanes3_scale(reject(e->t, f->t), f->inverse);
  const RvLanes3 cross_f = rv_lanes3_cross(f->t, mt), cross_e = rv_lanes3_cross(e->t, mt);
  const RvLanes we = -(w * e->inverse), wf = -(w * f->inverse);
  // e twice, f twice
  add_same_edge(h->ee, we, e, b, kappa, chi, s->e, chi_e, we * chi, cross_f);
  add_same_edge(h->ff, wf, f, b, kappa, chi, s->f, chi_f, -(wf * chi), cross_e);
  // the material vector rotates with its own edge
  if (of_f)
    add_symmetric(h->ff, w * sign * f->inverse * f->inverse, b->kb, m);
  else
    add_symmetric(h->ee, w * sign * e->inverse * e->inverse, b->kb, m);
  // e and f
  add_outer(h->ef, we, b->half, s->f);
  const RvLanes tm = we * kappa * chi * f->inverse;
  h->ef[0] += tm;
  h->ef[4] += tm;
  h->ef[8] += tm;
  add_outer(h->ef, -tm, f->t, f->t);
  add_outer(h->ef, -(tm * f->length), b->half, chi_f);
  add_outer(h->ef, we * chi, cross_f, chi_f);
  // [m~]x (I - t t^T) / |f|
  add_cross(h->ef, we * f->inverse, mt);
  add_outer(h->ef, -(we * f->inverse), rv_lanes3_cross(mt, f->t), f->t);
  // the angle
  const Slope t = curvature_slope(e, f, b, turned, m_turned, sign_turned, SET(0));
  add_angle(h, w, kappa, &t, of_f);
}

// h += w times the second derivatives of the twist, w its torque.
RV_INLINE void add_twist_hessian(Block* h, RvLanes w, const Edge* e, const Edge* f, const Bend* b) {
  add_symmetric(h->ee, SET(-0.5) * w * e->inverse * e->inverse, b->kb, rv_lanes3_add(e->t, b->half));
  add_symmetric(h->ff, SET(-0.5) * w * f->inverse * f->inverse, b->kb, rv_lanes3_add(f->t, b->half));
  const RvLanes m = SET(0.5) * w * e->inverse * f->inverse;
  add_cross(h->ef, m * SET(2) / b->chi, e->t);
  add_outer(h->ef, -m, b->kb, b->half);
}

// The reference frame rotates with its edge by p beyond time-parallel transport: angle becomes angle + p . edge.
RV_INLINE void rotate_frames(Block* h, RvLanes3 pe, RvLanes3 pf) {
  add_symmetric(h->ee, SET(2), pe, h->ea);
  add_square(h->ee, h->aa, pe);
  add_symmetric(h->ff, SET(2), pf, h->fb);
  add_square(h->ff, h->bb, pf);
  add_outer(h->ef, SET(1), pe, h->fa);
  add_outer(h->ef, SET(1), h->eb, pf);
  add_outer(h->ef, h->ab, pe, pf);
  h->ea = rv_lanes3_mad(h->ea, h->aa, pe);
  h->eb = rv_lanes3_mad(h->eb, h->ab, pe);
  h->fa = rv_lanes3_mad(h->fa, h->ab, pf);
  h->fb = rv_lanes3_mad(h->fb, h->bb, pf);
}

#include "strand/rod_assemble.h"

// Adds the gradient of an inner vertex to g and, if h is not NULL, its Hessian to the 8 x 8 matrix.
RV_INLINE void vertex_derivatives(const Edge* e, const Edge* f, const Bend* b, const Stress* s, int full, double* g,
                                  Block* h) {
  const RvLanes one = SET(1), minus = SET(-1);
  const RvLanes3 m[4] = {e->m2, e->m1, f->m2, f->m1};
  // twist
  RvLanes3 ge = rv_lanes3_scale(b->kb, SET(0.5) * s->torque * e->inverse);
  RvLanes3 gf = rv_lanes3_scale(b->kb, SET(0.5) * s->torque * f->inverse);
  RvLanes ga = -s->torque, gb = s->torque;
  // four curvatures
  RV_UNROLL
  for (int k = 0; k < 4; ++k) {
    const int of_f = k >= 2, second = k & 1;
    const RvLanes sign = second ? minus : one;
    // d kappa_1 / d angle = kappa_2, d kappa_2 / d angle = -kappa_1
    const RvLanes turned = second ? -b->kappa[k - 1] : b->kappa[k + 1];
    const Slope slope = curvature_slope(e, f, b, b->kappa[k], m[k], sign, turned);
    ge = rv_lanes3_mad(ge, s->force[k], slope.e);
    gf = rv_lanes3_mad(gf, s->force[k], slope.f);
    if (of_f)
      gb = rv_lanes_fma(s->force[k], slope.angle, gb);
    else
      ga = rv_lanes_fma(s->force[k], slope.angle, ga);
    if (!h) continue;
    add_slope(h, s->weight[second], &slope, of_f);
    if (full)
      add_curvature_hessian(h, s->force[k], e, f, b, &slope, b->kappa[k], m[k], sign, m[second ? k - 1 : k + 1], minus,
                            turned, of_f);
  }
  // Hessian of the twist, and rotation of the reference frames
  if (h) {
    add_torsion_slope(h, s->torsion, rv_lanes3_scale(b->kb, SET(0.5) * e->inverse),
                      rv_lanes3_scale(b->kb, SET(0.5) * f->inverse));
    if (full) add_twist_hessian(h, s->torque, e, f, b);
    rotate_frames(h, e->p, f->p);
  }
  // gradient, mapped from edges to vertices
  ge = rv_lanes3_mad(ge, ga, e->p);
  gf = rv_lanes3_mad(gf, gb, f->p);
  add3(g, rv_lanes3_scale(ge, minus));
  add3(g + 4 * RV_W, rv_lanes3_sub(ge, gf));
  add3(g + 8 * RV_W, gf);
  rv_lanes_store(g + 3 * RV_W, rv_lanes_load(g + 3 * RV_W) + ga);
  rv_lanes_store(g + 7 * RV_W, rv_lanes_load(g + 7 * RV_W) + gb);
}

// Gradient and, if band is not NULL, Hessian of RV_V lanes; `full` selects the Hessian and is a constant of each copy.
RV_INLINE void derivatives(const RvRodBatch* rod, const double* q, int full, double* g, double* band, int lane) {
  Edge e = read_edge(rod, q, 0, lane);
  add_stretch(rod, &e, 0, lane, full, g, band);
  for (int i = 1; i + 1 < rod->vertices; ++i) {
    const Edge f = read_edge(rod, q, i, lane);
    const Bend b = read_bend(rod, &e, &f, i, lane);
    RvLanes unused = SET(0);
    const Stress s = read_stress(rod, &b, i, lane, &unused);
    Block h = {0};
    vertex_derivatives(&e, &f, &b, &s, full, g + (size_t)(4 * i - 4) * RV_W, band ? &h : 0);
    if (band) spread(&h, band, 4 * i - 4);
    add_stretch(rod, &f, i, lane, full, g, band);
    e = f;
  }
}

void RV_KERNEL(rv_strand_rod_derivatives)(const RvRodBatch* rod, const double* q, RvRodHessian kind, double* g,
                                          double* band) {
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    if (!band)
      derivatives(rod, q, 0, g + lane, 0, lane);
    else if (kind == RV_ROD_FULL)
      derivatives(rod, q, 1, g + lane, band + lane, lane);
    else
      derivatives(rod, q, 0, g + lane, band + lane, lane);
  }
}

void RV_KERNEL(rv_strand_rod_energy)(const RvRodBatch* rod, const double* q, double* energy) {
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    Edge e = read_edge(rod, q, 0, lane);
    RvLanes sum = stretch_energy(rod, &e, 0, lane);
    for (int i = 1; i + 1 < rod->vertices; ++i) {
      const Edge f = read_edge(rod, q, i, lane);
      const Bend b = read_bend(rod, &e, &f, i, lane);
      read_stress(rod, &b, i, lane, &sum);
      sum += stretch_energy(rod, &f, i, lane);
      e = f;
    }
    rv_lanes_store(energy + lane, sum);
  }
}

// Tangent, length and reference director of an edge.
RV_INLINE void store_edge(const RvRodStrain* out, const Edge* e, int j, int lane) {
  if (out->tangent) rv_lanes3_store(out->tangent + (size_t)(3 * j) * RV_W + lane, e->t);
  if (out->length) rv_lanes_store(out->length + (size_t)j * RV_W + lane, e->length);
  if (!out->director) return;
  // orthonormalised, against the rounding of many steps
  const RvLanes3 u = reject(e->u, e->t);
  const RvLanes scale = SET(1) / rv_lanes_sqrt(rv_lanes_max(rv_lanes3_dot(u, u), SET(TINY_SQUARED_LENGTH)));
  rv_lanes3_store(out->director + (size_t)(3 * j) * RV_W + lane, rv_lanes3_scale(u, scale));
}

void RV_KERNEL(rv_strand_rod_strain)(const RvRodBatch* rod, const double* q, const RvRodStrain* out) {
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    Edge e = read_edge(rod, q, 0, lane);
    store_edge(out, &e, 0, lane);
    for (int i = 1; i + 1 < rod->vertices; ++i) {
      const Edge f = read_edge(rod, q, i, lane);
      const Bend b = read_bend(rod, &e, &f, i, lane);
      store_edge(out, &f, i, lane);
      if (out->reference_twist) rv_lanes_store(out->reference_twist + (size_t)i * RV_W + lane, b.reference);
      if (out->twist) rv_lanes_store(out->twist + (size_t)i * RV_W + lane, b.twist);
      for (int k = 0; out->curvature && k < 4; ++k)
        rv_lanes_store(out->curvature + (size_t)(4 * i + k) * RV_W + lane, b.kappa[k]);
      e = f;
    }
  }
}
