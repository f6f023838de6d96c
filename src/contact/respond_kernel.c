// Energy, gradient and Hessian of eight links (respond.h). The laws are those of law.h and bridge_table.h.
#include "contact/choose.h"
#include "contact/respond.h"

void RV_KERNEL(rv_contact_respond_lanes)(const RvLinkBlock* link, const RvLawBlock* law, const double* delta,
                                         RvLinkResponse* out);

#if RV_V == 1
RV_INLINE RvLanes widen(const float* p) {
  return *p;
}
#else
typedef float Floats __attribute__((vector_size(4 * RV_V)));
RV_INLINE RvLanes widen(const float* p) {
  return __builtin_convertvector(*(const Floats*)p, RvLanes);
}
#endif

RV_INLINE RvLanes3 load3(const double p[3][RV_LINKS], int k) {
  return (RvLanes3){rv_lanes_load(p[0] + k), rv_lanes_load(p[1] + k), rv_lanes_load(p[2] + k)};
}

// Without fused operations: where the machine has none, emulating them costs more than they save.
RV_INLINE RvLanes dot(RvLanes3 a, RvLanes3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

RV_INLINE RvLanes3 mad(RvLanes3 a, RvLanes s, RvLanes3 b) {
  return (RvLanes3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

typedef struct Response {
  RvLanes energy;
  RvLanes3 gradient;
  RvLanes h[6];
} Response;

// h += k v v^T
RV_INLINE void sym_add(Response* r, RvLanes k, RvLanes3 v) {
  const RvLanes3 w = rv_lanes3_scale(v, k);
  r->h[0] += w.x * v.x;
  r->h[1] += w.x * v.y;
  r->h[2] += w.y * v.y;
  r->h[3] += w.x * v.z;
  r->h[4] += w.y * v.z;
  r->h[5] += w.z * v.z;
}

typedef struct Force {
  RvLanes energy, force, slope;
} Force;

// WH-10 with A_L = 0, as rv_contact_force.
RV_INLINE Force dry_force(RvLanes d, RvLanes reach, RvLanes width, RvLanes k) {
  const RvLanes zero = rv_lanes_set(0), p = reach - d, y = p / width, kw = k * width;
  const RvLaneMask on = MASK(y > zero), line = MASK(y >= rv_lanes_set(1));
  const RvLanes near = kw * width * y * y * y * (rv_lanes_set(2.0 / 3) - rv_lanes_set(0.25) * y);
  const RvLanes far = k * (rv_lanes_set(0.5) * p * p - width * width * rv_lanes_set(1.0 / 12));
  const RvLanes force = rv_lanes_select(line, -k * p, -kw * y * y * (rv_lanes_set(2) - y));
  const RvLanes slope = rv_lanes_select(line, k, k * y * (rv_lanes_set(4) - rv_lanes_set(3) * y));
  return (Force){rv_lanes_select(on, rv_lanes_select(line, far, near), zero), rv_lanes_select(on, force, zero),
                 rv_lanes_select(on, slope, zero)};
}

// Friction as rv_contact_friction_force, with the careful Hessian of evaluate() in operate.c.
RV_INLINE void add_friction(Response* r, const RvLinkBlock* link, int at, RvLanes3 n, RvLanes3 delta, RvLanes d) {
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1), two = rv_lanes_set(2);
  const RvLanes limit = widen(link->friction_limit + at), full_slip = widen(link->slip + at);
  const RvLanes3 slip = rv_lanes3_sub(mad(delta, -d, n), load3(link->origin, at));
  const RvLanes slid = rv_lanes_sqrt(dot(slip, slip)), y = slid / full_slip;
  const RvLaneMask slides = MASK(y >= one), moved = MASK(slid > zero);
  const RvLanes stick = limit / full_slip, inverse = one / rv_lanes_select(moved, slid, one);
  const RvLanes pull = rv_lanes_select(slides, limit * inverse, stick * (two - y));
  const RvLanes slope = rv_lanes_select(slides, zero, stick * two * (one - y));
  const RvLanes third = rv_lanes_set(1.0 / 3);
  r->energy +=
      rv_lanes_select(slides, limit * (slid - full_slip * third), limit * full_slip * y * y * (one - y * third));
  r->gradient = mad(r->gradient, pull, slip);
  r->h[0] += pull;
  r->h[2] += pull;
  r->h[5] += pull;
  sym_add(r, -pull, n);
  const RvLanes half = rv_lanes_select(moved, rv_lanes_set(0.5) * (slope - pull), zero);
  sym_add(r, half, rv_lanes3_scale(slip, inverse));
}

// The interval of a law that contains a distance: its start, length, forces and slopes at its ends, energy at its
// start.
typedef struct Piece {
  RvLanes from, h, f0, f1, m0, m1, energy;
} Piece;

// Takes over an interval in the lanes of the mask.
RV_INLINE void pick(Piece* p, RvLaneMask mask, Piece q) {
  p->from = rv_lanes_select(mask, q.from, p->from);
  p->h = rv_lanes_select(mask, q.h, p->h);
  p->f0 = rv_lanes_select(mask, q.f0, p->f0);
  p->f1 = rv_lanes_select(mask, q.f1, p->f1);
  p->m0 = rv_lanes_select(mask, q.m0, p->m0);
  p->m1 = rv_lanes_select(mask, q.m1, p->m1);
  p->energy = rv_lanes_select(mask, q.energy, p->energy);
}

// As rv_contact_wet_force. Goes through the intervals from rupture inwards and keeps the last one that contains d.
RV_INLINE Force wet_force(const RvLawBlock* w, int at, RvLanes d) {
  enum { LAST = RV_WET_KNOTS - 1 };
  const RvLanes zero = rv_lanes_set(0), half = rv_lanes_set(0.5), twelfth = rv_lanes_set(1.0 / 12);
  const RvLanes low = widen(w->low + at), rupture = widen(w->rupture + at), turn = widen(w->turn + at);
  const RvLanes fade = widen(w->fade + at), step = (fade - turn) * rv_lanes_set(1.0 / (RV_WET_KNOTS - 4));
  // Find the interval of d; energies are integrated on the way.
  Piece p = {.f1 = zero, .m1 = zero}, q = {.f1 = zero, .m1 = zero, .energy = zero};
  RvLanes end = rupture;
  RV_UNROLL
  for (int k = LAST - 1; k >= 0; --k) {
    q.from = k == LAST - 1 ? fade : k == 0 ? low : k == 1 ? widen(w->start + at) : turn + rv_lanes_set(k - 2) * step;
    q.h = k >= 2 && k < LAST - 1 ? step : end - q.from;
    q.f0 = k >= 2 ? widen(w->force[k >= 2 ? k - 2 : 0] + at) : zero;
    q.m0 = k >= 1 ? widen(w->slope[k >= 1 ? k - 1 : 0] + at) : zero;
    q.energy -= q.h * (half * (q.f0 + q.f1) + q.h * (q.m0 - q.m1) * twelfth);
    if (k == LAST - 1)
      p = q;
    else
      pick(&p, MASK(d < end), q);
    end = q.from;
    q.f1 = q.f0;
    q.m1 = q.m0;
  }
  // The cubic Hermite polynomial in it.
  const RvLanes inverse = rv_lanes_set(1) / p.h, u = (d - p.from) * inverse;
  const RvLanes f0 = p.f0, f1 = p.f1, m0 = p.m0 * p.h, m1 = p.m1 * p.h, two = rv_lanes_set(2), three = rv_lanes_set(3);
  const RvLanes c2 = three * (f1 - f0) - two * m0 - m1, c3 = two * (f0 - f1) + m0 + m1;
  const RvLanes rise = u * (f0 + u * (half * m0 + u * (c2 * rv_lanes_set(1.0 / 3) + rv_lanes_set(0.25) * u * c3)));
  // below the first knot the energy is constant; beyond rupture it is 0
  const RvLaneMask in = MASK(d > low) & MASK(d < rupture), below = MASK(d <= low);
  return (Force){rv_lanes_select(in, p.energy + p.h * rise, rv_lanes_select(below, q.energy, zero)),
                 rv_lanes_select(in, f0 + u * (m0 + u * (c2 + u * c3)), zero),
                 rv_lanes_select(in, (m0 + u * (two * c2 + three * u * c3)) * inverse, zero)};
}

RV_INLINE RvLanes positive(RvLanes x) {
  return rv_lanes_select(rv_lanes_positive(x), x, rv_lanes_set(0));
}

// As add_bridge in operate.c (E46).
RV_INLINE void add_bridge(Response* r, const RvLawBlock* law, int at, RvLanes3 n, RvLanes3 delta, RvLanes d) {
  const RvLanes3 side = {widen(law->side[0] + at), widen(law->side[1] + at), widen(law->side[2] + at)};
  const RvLanes sideways = dot(side, delta);
  const RvLanes3 gradient = mad(n, sideways, side);
  const RvLanes strength = rv_lanes_load(law->strength + at);
  const Force f = wet_force(law, at, d + rv_lanes_set(0.5) * sideways * sideways);
  r->energy += strength * f.energy;
  r->gradient = mad(r->gradient, strength * f.force, gradient);
  sym_add(r, strength * positive(f.slope), gradient);
  sym_add(r, strength * positive(f.force), side);
}

// Stores some lanes of a response.
RV_INLINE void store(const Response* r, int at, RvLinkResponse* out) {
  rv_lanes_store(out->energy + at, r->energy);
  rv_lanes_store(out->gradient[0] + at, r->gradient.x);
  rv_lanes_store(out->gradient[1] + at, r->gradient.y);
  rv_lanes_store(out->gradient[2] + at, r->gradient.z);
  RV_UNROLL
  for (int k = 0; k < 6; ++k) rv_lanes_store(out->hessian[k] + at, r->h[k]);
}

void RV_KERNEL(rv_contact_respond_lanes)(const RvLinkBlock* link, const RvLawBlock* law, const double* delta,
                                         RvLinkResponse* out) {
  // The largest friction limit of all eight, so that every instruction set takes the same branch.
  float largest_limit = 0;
  for (int k = 0; k < RV_LINKS; ++k)
    largest_limit = link->friction_limit[k] > largest_limit ? link->friction_limit[k] : largest_limit;
  for (int at = 0; at < RV_LINKS; at += RV_V) {
    const RvLanes3 n = load3(link->normal, at), x = {rv_lanes_load(delta + at), rv_lanes_load(delta + RV_LINKS + at),
                                                     rv_lanes_load(delta + 2 * RV_LINKS + at)};
    const RvLanes d = dot(n, x), zero = rv_lanes_set(0);
    const Force f = dry_force(d, rv_lanes_load(link->reach + at), widen(link->width + at), widen(link->stiffness + at));
    Response r = {f.energy, rv_lanes3_scale(n, f.force), {zero, zero, zero, zero, zero, zero}};
    sym_add(&r, f.slope, n);
    if (largest_limit > 0) add_friction(&r, link, at, n, x, d);
    if (law) add_bridge(&r, law, at, n, x, d);
    store(&r, at, out);
  }
}
