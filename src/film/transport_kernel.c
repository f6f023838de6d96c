// Transport of volume, of the strands' momentum that it carries and of its own (WH-21, 23 to 26, E43); see work.h.
//
// A second-order upwind scheme with limited slopes. Where the line density is smooth, the flux through the middle of an
// edge uses the mean density of its ends: then flux times length is the relative momentum, the centre of mass moves
// with the momentum, and angular momentum is conserved. Elsewhere slopes are limited (minmod of half the difference
// ahead and all of that behind), which is monotone up to half a cell a substep. Momentum is advected as the difference
// to the local velocity: uniform motion stays uniform to the last bit. Below, the donor is the upwind vertex or edge.
#include "film/parts.h"
#include "film/work.h"
#include "math/lanes_math.h"

RV_INLINE RvLanes smaller(RvLanes a, RvLanes b) {
  return rv_lanes_select(rv_lanes_positive(a - b), b, a);
}

// The limiter: the number nearer to 0 of two of one sign, else 0.
RV_INLINE RvLanes minmod(RvLanes a, RvLanes b) {
  const RvLanes least = rv_lanes_select(rv_lanes_positive(rv_lanes_abs(a) - rv_lanes_abs(b)), b, a);
  return rv_lanes_select(rv_lanes_positive(a * b), least, rv_lanes_set(0));
}

// Selects by components.
RV_INLINE RvLanes3 select3(RvLaneMask mask, RvLanes3 yes, RvLanes3 no) {
  return (RvLanes3){rv_lanes_select(mask, yes.x, no.x), rv_lanes_select(mask, yes.y, no.y),
                    rv_lanes_select(mask, yes.z, no.z)};
}

// Line density at a vertex, m2 of liquid.
RV_INLINE RvLanes line_density(const RvFilmWork* w, int i, int lane) {
  const int k = i * RV_W + lane;
  return rv_lanes_load(w->volume + k) / rv_lanes_load(w->now.cell + k);
}

// Length of edge j over that of a neighbour: scales the neighbour's difference to a slope over edge j.
RV_INLINE RvLanes length_ratio(const RvFilmWork* w, int j, int behind, int lane) {
  return rv_lanes_load((behind < j ? w->ratio_before : w->ratio_after) + j * RV_W + lane);
}

void RV_KERNEL(rv_film_ratios)(const RvFilmWork* w) {
  for (int j = 0; j + 1 < w->n; ++j)
    for (int lane = 0; lane < RV_W; lane += RV_V) {
      const double* length = w->now.length + j * RV_W + lane;
      const RvLanes own = rv_lanes_load(length);
      if (j > 0) rv_lanes_store(w->ratio_before + j * RV_W + lane, own / rv_lanes_load(length - RV_W));
      if (j + 2 < w->n) rv_lanes_store(w->ratio_after + j * RV_W + lane, own / rv_lanes_load(length + RV_W));
    }
}

// Change of an edge's flux until the middle of the substep as the flow diverges: 1 - dt du/ds, within 1/2 to 3/2.
RV_INLINE RvLanes spreading(const RvFilmWork* w, int j, int lane, RvLanes dt) {
  const int k = j * RV_W + lane;
  const RvLanes u = rv_lanes_load(w->speed + k), half = rv_lanes_set(0.5);
  const RvLanes slope_behind = j > 0 ? u - rv_lanes_load(w->speed + k - RV_W) : rv_lanes_set(0);
  const RvLanes slope_ahead = j + 2 < w->n ? rv_lanes_load(w->speed + k + RV_W) - u : slope_behind;
  const RvLanes change =
      dt * minmod(j > 0 ? slope_behind : slope_ahead, slope_ahead) / rv_lanes_load(w->now.length + k);
  return rv_lanes_set(1) - rv_lanes_max(smaller(change, half), -half);
}

// Volumes that flow through the middles of edges and off the tip within dt.
static void find_fluxes(const RvFilmWork* w, RvLanes dt, int lane) {
  const RvLanes half = rv_lanes_set(0.5), zero = rv_lanes_set(0), one = rv_lanes_set(1);
  RvLanes za = zero, a = line_density(w, 0, lane), b = line_density(w, 1, lane);
  for (int j = 0; j + 1 < w->n; ++j) {
    const int k = j * RV_W + lane;
    const RvLanes c = j + 2 < w->n ? line_density(w, j + 2, lane) : zero;
    const RvLanes u = rv_lanes_load(w->speed + k);
    const RvLaneMask out = rv_lanes_positive(u);
    // Slopes behind and ahead; beyond the ends the slope continues.
    const RvLanes behind = j > 0 ? (a - za) * length_ratio(w, j, j - 1, lane) : b - a;
    const RvLanes ahead = j + 2 < w->n ? (b - c) * length_ratio(w, j, j + 1, lane) : a - b;
    const RvLanes donor = rv_lanes_select(out, a, b), step = rv_lanes_select(out, b - a, a - b);
    // Density at the face: the donor's plus its limited slope, at most twice the donor's.
    const RvLanes far = rv_lanes_select(out, behind, ahead),
                  part = dt * rv_lanes_abs(u) / rv_lanes_load(w->now.length + k);
    const RvLanes still = half * smaller(part, one);
    const RvLanes slope = smaller(minmod(half * step, far), donor), mean = half * (a + b);
    const RvLanes face = donor + smaller(minmod((half - still) * step, far), donor);
    const RvLaneMask any = rv_lanes_positive(mean);
    rv_lanes_store(w->flux + k, dt * u * face * spreading(w, j, lane, dt));
    rv_lanes_store(w->flow + k, rv_lanes_select(any, (donor + slope) / rv_lanes_select(any, mean, one), one));
    za = a;
    a = b;
    b = c;
  }
  const int last = (w->n - 2) * RV_W + lane;
  rv_lanes_store(w->flux + last + RV_W, dt * rv_lanes_max(rv_lanes_load(w->speed + last), zero) * a);
}

// Liquid leaves the tip of a bundle only where the space between the hairs is full: below that its pressure is lower
// than the air's (WH-20, E74). What flows into a full tip leaves it in the same substep.
static void hold_tip(const RvFilmWork* w, int lane) {
  const int k = (w->n - 1) * RV_W + lane;
  const RvLanes flux = rv_lanes_load(w->flux + k), zero = rv_lanes_set(0);
  const RvLanes holds = rv_lanes_load(w->free_area + k) * rv_lanes_load(w->hairs + k) * rv_lanes_load(w->now.cell + k);
  const RvLanes inflow = rv_lanes_max(rv_lanes_load(w->flux + k - RV_W), zero);
  const RvLanes excess = rv_lanes_max(rv_lanes_load(w->volume + k) + inflow - holds, zero);
  rv_lanes_store(w->flux + k, rv_lanes_select(rv_lanes_positive(holds), smaller(flux, excess), flux));
}

// Limits the outflow of every cell to its volume for any step. A cell whose volume is below a trace empties, as films
// would otherwise thin out for ever. The factors 0.99 and 1 - 1e-15 keep the rounded volume from going below 0.
static void limit_fluxes(const RvFilmWork* w, int lane) {
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1);
  RvLanes left = zero, before = one;
  for (int i = 0; i < w->n; ++i) {
    const int k = i * RV_W + lane;
    const RvLanes right = rv_lanes_load(w->flux + k);
    const RvLanes gives = rv_lanes_max(right, zero) + rv_lanes_max(-left, zero), has = rv_lanes_load(w->volume + k);
    const RvLaneMask more = rv_lanes_positive(gives - has);
    const RvLanes part = has / rv_lanes_select(rv_lanes_positive(gives), gives, one);
    const RvLaneMask trace = rv_lanes_positive(rv_lanes_set(RV_FILM_TRACE) - (has - gives)) & rv_lanes_positive(gives);
    const RvLanes most = rv_lanes_select(more, rv_lanes_set(0.99) * part, one);
    const RvLanes scale = rv_lanes_select(trace & rv_lanes_positive(rv_lanes_set(RV_FILM_TRACE) - has),
                                          rv_lanes_set(1 - 1e-15) * part, most);
    if (i > 0) {
      const RvLanes s = rv_lanes_select(rv_lanes_positive(left), before, scale);
      rv_lanes_store(w->flux + k - RV_W, left * s);
      rv_lanes_store(w->flow + k - RV_W, rv_lanes_load(w->flow + k - RV_W) * s);
    }
    if (i + 1 == w->n) rv_lanes_store(w->flux + k, right * scale);
    left = right;
    before = scale;
  }
}

// Velocity of a vertex's film across the strand, as transport has changed it so far.
RV_INLINE RvLanes3 film_velocity(const RvFilmWork* w, int i, int lane) {
  return rv_lanes3_load(w->own + 3 * i * RV_W + lane);
}

RV_INLINE RvLanes3 minmod3(RvLanes3 a, RvLanes3 b) {
  return (RvLanes3){minmod(a.x, b.x), minmod(a.y, b.y), minmod(a.z, b.z)};
}

// Factor of the velocity slope at a vertex: 1, but less where the vertex runs empty. Slopes that repeatedly take more
// than the mean momentum would otherwise give the remaining film an arbitrarily large opposite velocity.
RV_INLINE RvLanes steady(const RvFilmWork* w, int i, int lane) {
  const int k = i * RV_W + lane;
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1), two = rv_lanes_set(2),
                has = rv_lanes_load(w->volume + k);
  const RvLanes left = i > 0 ? rv_lanes_max(-rv_lanes_load(w->flux + k - RV_W), zero) : zero;
  const RvLanes gives = left + rv_lanes_max(rv_lanes_load(w->flux + k), zero);
  const RvLaneMask some = rv_lanes_positive(has);
  const RvLanes kept = rv_lanes_max(one - gives / rv_lanes_select(some, has, one), zero);
  const RvLanes most = rv_lanes_max(rv_lanes_load(w->most + k), has);
  // 1 while at least a fifth of the largest volume of the step is left
  const RvLanes full = rv_lanes_set(5) * has / rv_lanes_select(some, most, one);
  return rv_lanes_select(some, smaller(two * kept, one) * smaller(full, one), zero);
}

// Velocity that the flux of edge j carries: the donor's plus its limited slope to the middle of the edge. A velocity
// that is linear along the strand, as in a rigid rotation, gives the mean of both ends, which makes angular momentum
// exact.
// steady_below, steady_above: `steady` of its ends.
RV_INLINE RvLanes3 carried_velocity(const RvFilmWork* w, int j, int lane, RvLanes flux, RvLanes steady_below,
                                    RvLanes steady_above) {
  const RvLanes half = rv_lanes_set(0.5);
  const RvLaneMask out = rv_lanes_positive(flux);
  const RvLanes3 a = film_velocity(w, j, lane), b = film_velocity(w, j + 1, lane), d = rv_lanes3_sub(b, a);
  const RvLanes3 slope_behind =
      j > 0 ? rv_lanes3_scale(rv_lanes3_sub(a, film_velocity(w, j - 1, lane)), length_ratio(w, j, j - 1, lane)) : d;
  const RvLanes3 slope_ahead =
      j + 2 < w->n ? rv_lanes3_scale(rv_lanes3_sub(film_velocity(w, j + 2, lane), b), length_ratio(w, j, j + 1, lane))
                   : d;
  const RvLanes calm = rv_lanes_select(out, steady_below, steady_above);
  const RvLanes3 step =
      rv_lanes3_scale(minmod3(rv_lanes3_scale(d, half), select3(out, slope_behind, slope_ahead)), calm);
  return select3(out, rv_lanes3_add(a, step), rv_lanes3_sub(b, step));
}

// Advected momentum in excess of m v (WH-24): in- and outflow at a velocity other than the vertex's own.
static void carry_momentum(const RvFilmWork* w, int lane) {
  const RvLanes zero = rv_lanes_set(0), density = rv_lanes_set(w->density);
  RvLanes3 in = {zero, zero, zero};
  RvLanes left = zero, steady_below = steady(w, 0, lane);
  for (int i = 0; i < w->n; ++i) {
    const int k = i * RV_W + lane, k3 = 3 * i * RV_W + lane;
    const RvLanes3 v = rv_lanes3_load(w->v + 4 * i * RV_W + lane);
    RvLanes3 p = rv_lanes3_load(w->carried + k3);
    p = rv_lanes3_mad(p, left, rv_lanes3_sub(in, v));
    if (i + 1 < w->n) {
      const RvLanes right = density * rv_lanes_load(w->flux + k);
      const RvLanes steady_above = steady(w, i + 1, lane);
      const RvLanes3 out = carried_velocity(w, i, lane, right, steady_below, steady_above);
      p = rv_lanes3_mad(p, -right, rv_lanes3_sub(out, v));
      in = out;
      left = right;
      steady_below = steady_above;
    } else {
      // liquid leaves the tip with the velocity of the tip's film
      const RvLanes off = density * rv_lanes_load(w->flux + k);
      p = rv_lanes3_mad(p, -off, rv_lanes3_sub(film_velocity(w, i, lane), v));
    }
    rv_lanes3_store(w->carried + k3, p);
  }
}

// Liquid that leaves the tip joins the pendant drop (WH-23, WH-28), with its momentum relative to the tip.
static void fill_drop(RvFilmWork* w, int lane) {
  const int i = w->n - 1;
  const RvLanes off = rv_lanes_load(w->flux + i * RV_W + lane), mass = rv_lanes_set(w->density) * off;
  const RvLanes3 t = rv_lanes3_load(w->before.tangent + 3 * (i - 1) * RV_W + lane);
  const RvLanes3 v = rv_lanes3_load(w->v + 4 * i * RV_W + lane), beyond = rv_lanes3_sub(film_velocity(w, i, lane), v);
  RvLanes3 p = rv_lanes3_load(w->drop_momentum + lane);
  p = rv_lanes3_mad(p, mass * rv_lanes_load(w->speed + (i - 1) * RV_W + lane), t);
  rv_lanes3_store(w->drop_momentum + lane, rv_lanes3_mad(p, mass, beyond));
  const RvLanes drop = rv_lanes_load(w->drop + lane) + off;
  rv_lanes_store(w->drop + lane, drop);
  if (w->solids) {
    const RvLanes has = rv_lanes_load(w->drop_solids + lane), comes = rv_lanes_load(w->solids + i * RV_W + lane);
    const RvLaneMask some = rv_lanes_positive(drop);
    const RvLanes part = off / rv_lanes_select(some, drop, rv_lanes_set(1));
    rv_lanes_store(w->drop_solids + lane, rv_lanes_select(some, has + part * (comes - has), has));
  }
  rv_lanes_store(w->outflow + lane, rv_lanes_load(w->outflow + lane) + off);
}

// Number of the flux of edge j, of one that each vertex has: the donor's plus its limited slope to the middle of the
// edge, taken at the middle of the substep. Makes no new extremes.
RV_INLINE RvLanes carried_number(const RvFilmWork* w, const double* number, int j, int lane) {
  const int k = j * RV_W + lane;
  const RvLanes half = rv_lanes_set(0.5), one = rv_lanes_set(1), flux = rv_lanes_load(w->flux + k);
  const RvLanes a = rv_lanes_load(number + k), b = rv_lanes_load(number + k + RV_W), d = b - a;
  const RvLanes slope_behind = j > 0 ? (a - rv_lanes_load(number + k - RV_W)) * length_ratio(w, j, j - 1, lane) : d;
  const RvLanes slope_ahead =
      j + 2 < w->n ? (rv_lanes_load(number + k + 2 * RV_W) - b) * length_ratio(w, j, j + 1, lane) : d;
  const RvLaneMask out = rv_lanes_positive(flux);
  const RvLanes has = rv_lanes_select(out, rv_lanes_load(w->volume + k), rv_lanes_load(w->volume + k + RV_W));
  const RvLaneMask some = rv_lanes_positive(has);
  const RvLanes left = rv_lanes_max(one - rv_lanes_abs(flux) / rv_lanes_select(some, has, one), rv_lanes_set(0));
  const RvLanes step = left * minmod(half * d, rv_lanes_select(out, slope_behind, slope_ahead));
  return rv_lanes_select(out, a + step, b - step);
}

// Advection of a number with the volume, as of strain (SD-8, spec 2.2.3). The sum of volume times number is conserved
// but for outflow at the tip, and a uniform number stays uniform to the last bit. Called before the volumes change.
static void move_number(const RvFilmWork* w, double* number, int lane) {
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1);
  RvLanes left = zero, in = zero;
  for (int i = 0; i < w->n; ++i) {
    const int k = i * RV_W + lane;
    const RvLanes right = rv_lanes_load(w->flux + k), has = rv_lanes_load(number + k);
    const RvLanes out = i + 1 < w->n ? carried_number(w, number, i, lane) : has;
    const RvLanes volume = rv_lanes_load(w->volume + k) + (left - right);
    const RvLaneMask some = rv_lanes_positive(volume);
    const RvLanes gain = left * (in - has) - right * (out - has);
    // into a temporary array, as the neighbours still need the old one
    rv_lanes_store(w->solved + k, rv_lanes_select(some, has + gain / rv_lanes_select(some, volume, one), zero));
    left = right;
    in = out;
  }
  for (int i = 0; i < w->n; ++i) rv_lanes_store(number + i * RV_W + lane, rv_lanes_load(w->solved + i * RV_W + lane));
}

// Advection of volume; before further substeps also the film's new velocity, m v + carried over m.
static void move_volume(const RvFilmWork* w, int lane, bool last) {
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1), density = rv_lanes_set(w->density);
  RvLanes left = zero;
  for (int i = 0; i < w->n; ++i) {
    const int k = i * RV_W + lane, k3 = 3 * i * RV_W + lane;
    const RvLanes right = rv_lanes_load(w->flux + k);
    const RvLanes now = rv_lanes_load(w->volume + k) + (left - right);
    rv_lanes_store(w->volume + k, now);
    left = right;
    if (last) continue;
    const RvLanes mass = density * now;
    const RvLaneMask any = rv_lanes_positive(mass - rv_lanes_set(RV_FILM_NO_MASS));
    const RvLanes inverse = rv_lanes_select(any, one / rv_lanes_select(any, mass, one), zero);
    const RvLanes3 v = rv_lanes3_load(w->v + 4 * i * RV_W + lane);
    rv_lanes3_store(w->own + k3, rv_lanes3_mad(v, inverse, rv_lanes3_load(w->carried + k3)));
  }
}

// Flux of momentum through vertex i, from the edge before it to the one after, within a substep.
typedef struct Crossing {
  RvLanes mass;           // kg
  RvLanes before, after;  // m/s, its speed along either edge
  RvLanes collision;      // kg m/s that the edge before loses to the one after where films collide
  RvLanes spin;           // kg m2/s
} Crossing;

// Share of its speed that film keeps at a corner of angle a: c (2 - c) with c = cos(a). Film in a smooth bend keeps its
// speed as in a pipe; the loss is of fourth order in a, so curls do not slow it as their polygon of edges would.
RV_INLINE RvLanes corner_speed_share(const RvFilmWork* w, int i, int lane) {
  const RvLanes3 a = rv_lanes3_load(w->before.tangent + 3 * (i - 1) * RV_W + lane);
  const RvLanes3 b = rv_lanes3_load(w->before.tangent + 3 * i * RV_W + lane);
  const RvLanes c = smaller(rv_lanes_max(rv_lanes3_dot(a, b), rv_lanes_set(0)), rv_lanes_set(1));
  return c * (rv_lanes_set(2) - c);
}

// Films of which the slower has at least a third of the other's speed go on with one speed when they collide: the
// exchange is full from COLLIDES times the slower speed on.
#define COLLIDES 4

// Momentum exchanged by films that collide at a vertex: they flow towards each other and the neighbours are empty, so
// that no flux carries it, and they go on with one speed (at the root, a wall, they stop). Films that flow one after
// the other do not collide. The exchange fades between the two with the slower speed: else it would set in at once
// where film at rest begins to yield, and the more often the shorter the steps are. w->flow says which share of each
// still arrives.
RV_INLINE RvLanes collide(const RvFilmWork* w, int i, int lane, RvLanes before, RvLanes after, RvLanes share) {
  const int k = i * RV_W + lane;
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1),
                m = rv_lanes_set(w->density) * rv_lanes_load(w->volume + k);
  RvLanes stopped = one - rv_lanes_load(w->flow + k), part = one;
  if (i > 0) {
    stopped = rv_lanes_max(stopped, one - rv_lanes_load(w->flow + k - RV_W));
    part = share * (one - share);
  }
  stopped = smaller(rv_lanes_max(stopped, zero), one);
  const RvLanes slower = rv_lanes_max(smaller(before, -after), zero);
  const RvLanes approach =
      i > 0 ? smaller(rv_lanes_set(COLLIDES) * slower, rv_lanes_max(before - after, zero)) : rv_lanes_max(-after, zero);
  return stopped * part * m * approach;
}

RV_INLINE RvLanes inverse_mass(const RvFilmWork* w, int j, int lane) {
  const RvLanes mass = rv_lanes_load(w->mass + j * RV_W + lane), one = rv_lanes_set(1);
  const RvLaneMask any = rv_lanes_positive(mass - rv_lanes_set(RV_FILM_NO_MASS));
  return rv_lanes_select(any, one / rv_lanes_select(any, mass, one), rv_lanes_set(0));
}

// Momentum flux through vertex i. u: speeds of the edges i - 2 to i + 1; s: spin per mass of the edges i - 1 and i.
RV_INLINE Crossing cross_vertex(const RvFilmWork* w, int i, int lane, const RvLanes u[4], const RvLanes s[2]) {
  const int k = i * RV_W + lane;
  const RvLanes one = rv_lanes_set(1), zero = rv_lanes_set(0), share = rv_lanes_load(w->now.share + k);
  const RvLanes density = rv_lanes_set(w->density), right = rv_lanes_load(w->flux + k);
  if (i == 0) return (Crossing){zero, zero, zero, collide(w, 0, lane, zero, u[2], share), zero};
  if (i + 1 == w->n) return (Crossing){density * right, u[1], zero, zero, density * right * s[0]};
  Crossing c;
  c.mass = density * (share * rv_lanes_load(w->flux + k - RV_W) + (one - share) * right);
  const RvLaneMask out = rv_lanes_positive(c.mass);
  // Speed at the vertex: the donor edge's plus its limited slope,
  const RvLanes d = u[2] - u[1], slope_behind = i > 1 ? u[1] - u[0] : d, slope_ahead = i + 2 < w->n ? u[3] - u[2] : d;
  // taken at the middle of the substep.
  const RvLanes donor = rv_lanes_select(out, rv_lanes_load(w->mass + k - RV_W), rv_lanes_load(w->mass + k));
  const RvLaneMask any = rv_lanes_positive(donor - rv_lanes_set(RV_FILM_NO_MASS));
  const RvLanes part = smaller(rv_lanes_abs(c.mass) / rv_lanes_select(any, donor, one), one), left = one - part;
  const RvLanes kept = corner_speed_share(w, i, lane);
  const RvLanes up = u[1] + minmod(left * (one - share) * d, slope_behind),
                down = u[2] - minmod(left * share * d, slope_ahead);
  c.before = rv_lanes_select(out, up, kept * down);
  c.after = rv_lanes_select(out, kept * up, down);
  c.spin = c.mass * rv_lanes_select(out, s[0], s[1]);
  c.collision = collide(w, i, lane, u[1], u[2], share);
  return c;
}

// Share of an edge's impulse that its lower vertex takes, by the film of both after the fluxes.
RV_INLINE RvLanes lower_part(const RvFilmWork* w, int j, int lane) {
  const int k = j * RV_W + lane;
  const RvLanes one = rv_lanes_set(1), zero = rv_lanes_set(0), mid = rv_lanes_load(w->flux + k);
  const RvLanes in = j > 0 ? rv_lanes_load(w->flux + k - RV_W) : zero, out = rv_lanes_load(w->flux + k + RV_W);
  const RvLanes low = rv_lanes_max(rv_lanes_load(w->volume + k) + in - mid, zero),
                high = rv_lanes_max(rv_lanes_load(w->volume + k + RV_W) + mid - out, zero);
  return rv_film_lower_part(rv_lanes_load(w->now.share + k) * low,
                            (one - rv_lanes_load(w->now.share + k + RV_W)) * high);
}

// Limits a gain of speed: mixed film is not faster than the films that mix, or 0 (at corners it may stop). Unequal edge
// lengths and rounding would otherwise give an edge that runs dry any speed.
RV_INLINE RvLanes tame(const RvLanes u[4], RvLanes gain) {
  const RvLanes zero = rv_lanes_set(0);
  const RvLanes high = rv_lanes_max(rv_lanes_max(rv_lanes_max(u[0], u[1]), rv_lanes_max(u[2], u[3])), zero);
  const RvLanes low = smaller(smaller(smaller(u[0], u[1]), smaller(u[2], u[3])), zero);
  return rv_lanes_max(smaller(u[1] + gain, high), low) - u[1];
}

// Impulse on the strand's vertex i as film turns from the direction of one edge to that of the next (E43: the u^2 kappa
// term). It acts where the lines of both edges meet, so it has no torque.
static void push_corner(const RvFilmWork* w, int i, int lane, const Crossing* c) {
  double* at = w->kick + 4 * i * RV_W + lane;
  RvLanes3 push = rv_lanes3_load(at);
  if (i + 1 == w->n) return;  // at the tip the film goes straight on
  if (i > 0)
    push = rv_lanes3_mad(push, c->mass * c->before + c->collision,
                         rv_lanes3_load(w->before.tangent + 3 * (i - 1) * RV_W + lane));
  push = rv_lanes3_mad(push, -(c->mass * c->after + c->collision),
                       rv_lanes3_load(w->before.tangent + 3 * i * RV_W + lane));
  rv_lanes3_store(at, push);
}

// Advection of the edges' relative momentum by the mass fluxes through their vertices.
static void move_momentum(const RvFilmWork* w, int lane) {
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1);
  const int n = w->n;
  RvLanes u[4] = {zero, zero, rv_lanes_load(w->speed + lane), zero}, s[2] = {zero, zero};
  u[3] = n > 2 ? rv_lanes_load(w->speed + RV_W + lane) : zero;
  s[1] = rv_lanes_load(w->spin + lane) * inverse_mass(w, 0, lane);
  Crossing in = cross_vertex(w, 0, lane, u, s);
  push_corner(w, 0, lane, &in);
  for (int j = 0; j + 1 < n; ++j) {
    const int k = j * RV_W + lane, at = 4 * j * RV_W + lane;
    const RvLanes spin = rv_lanes_load(w->spin + k), had = rv_lanes_load(w->mass + k);
    u[0] = u[1];
    u[1] = u[2];
    u[2] = u[3];
    s[0] = s[1];
    u[3] = j + 3 < n ? rv_lanes_load(w->speed + k + 2 * RV_W) : zero;
    s[1] = j + 2 < n ? rv_lanes_load(w->spin + k + RV_W) * inverse_mass(w, j + 1, lane) : zero;
    // Fluxes through the upper vertex; that through the lower one is known.
    const Crossing out = cross_vertex(w, j + 1, lane, u, s);
    push_corner(w, j + 1, lane, &out);
    // New speed of the edge.
    const RvLanes d = (in.mass * (in.after - u[1]) + in.collision) - (out.mass * (out.before - u[1]) + out.collision);
    const RvLanes mass = had + (in.mass - out.mass);
    const RvLaneMask any = rv_lanes_positive(mass - rv_lanes_set(RV_FILM_NO_MASS));
    const RvLanes gain = tame(u, d * rv_lanes_select(any, one / rv_lanes_select(any, mass, one), zero));
    rv_lanes_store(w->speed + k, rv_lanes_select(any, u[1] + gain, zero));
    rv_lanes_store(w->spin + k, spin + (in.spin - out.spin));
    // momentum that the speed does not hold is an impulse on the strand
    const RvLanes below = lower_part(w, j, lane);
    const RvLanes3 impulse = rv_lanes3_scale(rv_lanes3_load(w->before.tangent + 3 * j * RV_W + lane), d - gain * mass);
    rv_lanes3_store(w->kick + at, rv_lanes3_mad(rv_lanes3_load(w->kick + at), below, impulse));
    rv_lanes3_store(w->kick + at + 4 * RV_W,
                    rv_lanes3_mad(rv_lanes3_load(w->kick + at + 4 * RV_W), one - below, impulse));
    in = out;
  }
}

// Share of a vertex's impulse that moves on with its film: none while half of its largest volume of the step is left,
// all of it with the last of the film. The impulse was that of a heavy drop and must not stay on the bare hair behind
// it (E43: heavy drops). `has` and `now` are the volumes before and after the fluxes, `gives` the outflow.
RV_INLINE RvLanes share_of_bared(RvLanes has, RvLanes now, RvLanes most, RvLanes gives) {
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1), much = rv_lanes_set(0.5) * most;
  const RvLanes could = smaller(has, much), can = smaller(rv_lanes_max(now, zero), much);
  const RvLaneMask some = rv_lanes_positive(could) & rv_lanes_positive(gives);
  const RvLanes kept = can / rv_lanes_select(some, could, one);
  return rv_lanes_select(some, one - smaller(kept, one), zero);
}

// The same where much film passes a vertex that holds little. The impulse of all that passes within a step would
// accelerate the little film that is there at its end and create energy. The vertex keeps an impulse that moves it by
// at most half a cell within the step and makes it at most half as fast as the film; the rest moves on with the
// outflow.
RV_INLINE RvLanes share_of_passing(const RvFilmWork* w, int i, int lane, RvLanes3 push, RvLanes has, RvLanes gives) {
  const int k = i * RV_W + lane;
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1);
  const RvLanes before = i > 0 ? rv_lanes_abs(rv_lanes_load(w->speed + k - RV_W)) : zero;
  const RvLanes after = i + 1 < w->n ? rv_lanes_abs(rv_lanes_load(w->speed + k)) : zero;
  const RvLanes p = rv_lanes_sqrt(rv_lanes3_dot(push, push));
  const RvLanes cell = rv_lanes_load(w->now.cell + k) / rv_lanes_set(w->dt);
  const RvLanes bears = rv_lanes_set(0.5 * w->density) * has * smaller(rv_lanes_max(before, after), cell);
  const RvLaneMask some = rv_lanes_positive(p - bears) & rv_lanes_positive(gives) & rv_lanes_positive(has);
  const RvLanes part = smaller(gives / rv_lanes_select(some, has, one), one);
  return rv_lanes_select(some, part * (one - bears / rv_lanes_select(some, p, one)), zero);
}

// Moves impulses on with the liquid that caused them; their sum is conserved. At the tip they stay.
// The torque of an impulse p that moves by s changes by s x p, as that of a drop that flies on across the strand. Over
// many steps the strand, which is displaced too, compensates; within one step the error is of the order of s
// (check film_push).
static void pass_on(const RvFilmWork* w, int lane) {
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1);
  RvLanes3 from_lower = {zero, zero, zero};
  RvLanes left = zero;
  for (int i = 0; i < w->n; ++i) {
    const int k = i * RV_W + lane;
    double* at = w->kick + 4 * i * RV_W + lane;
    const bool tip = i + 1 == w->n;
    // the drop holds the outflow of this substep already
    const RvLanes flux = rv_lanes_load(w->flux + k), right = tip ? zero : flux;
    const RvLanes drop = tip ? rv_lanes_load(w->drop + lane) - flux : zero, has = rv_lanes_load(w->volume + k) + drop;
    const RvLanes up = rv_lanes_max(right, zero), gives = up + rv_lanes_max(-left, zero), now = has + (left - right);
    const RvLanes most = rv_lanes_max(rv_lanes_load(w->most + k), now);
    const RvLanes3 push = rv_lanes3_load(at);
    const RvLanes goes =
        rv_lanes_max(share_of_bared(has, now, most, gives), share_of_passing(w, i, lane, push, has, gives));
    const RvLanes share = up / rv_lanes_select(rv_lanes_positive(gives), gives, one);
    const RvLanes3 to_upper = rv_lanes3_scale(push, goes * share),
                   to_lower = rv_lanes3_scale(push, goes * (one - share));
    rv_lanes3_store(at, rv_lanes3_sub(rv_lanes3_sub(rv_lanes3_add(push, from_lower), to_upper), to_lower));
    if (i > 0) rv_lanes3_store(at - 4 * RV_W, rv_lanes3_add(rv_lanes3_load(at - 4 * RV_W), to_lower));
    rv_lanes_store(w->most + k, most);
    from_lower = to_upper;
    left = right;
  }
}

// Masses of the edges from the new volumes.
static void weigh_edges(const RvFilmWork* w, int lane) {
  const RvLanes one = rv_lanes_set(1), density = rv_lanes_set(w->density);
  for (int j = 0; j + 1 < w->n; ++j) {
    const int k = j * RV_W + lane;
    const RvLanes a = rv_lanes_load(w->now.share + k), b = one - rv_lanes_load(w->now.share + k + RV_W);
    rv_lanes_store(w->mass + k, density * (a * rv_lanes_load(w->volume + k) + b * rv_lanes_load(w->volume + k + RV_W)));
  }
}

// One substep. `last`: the film's own velocity is not needed any more.
void RV_KERNEL(rv_film_transport)(RvFilmWork* w, double dt, bool last) {
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    find_fluxes(w, rv_lanes_set(dt), lane);
    if (w->suction) hold_tip(w, lane);
    limit_fluxes(w, lane);
    carry_momentum(w, lane);
    fill_drop(w, lane);
    move_momentum(w, lane);
    pass_on(w, lane);
    if (w->strain) move_number(w, w->strain, lane);
    if (w->solids) move_number(w, w->solids, lane);
    move_volume(w, lane, last);
    weigh_edges(w, lane);
  }
}

// Film thinner than this share of the radius does not limit the substeps, however fast it is: it cannot be seen, and no
// cell loses more than it has (limit_fluxes). Traces on hair that bulk liquid has left took 32 substeps.
#define THIN_FILM 1e-3

// Whether the film of a cell counts for the Courant number: it is neither dry nor a trace, and can leave the cell.
RV_INLINE RvLaneMask counts_for_courant(const RvFilmWork* w, int i, int lane) {
  const int k = i * RV_W + lane;
  const RvLanes r = rv_lanes_load(w->radius + k), volume = rv_lanes_load(w->volume + k);
  const RvLanes hairs_in_cell = rv_lanes_load(w->hairs + k) * rv_lanes_load(w->now.cell + k);
  const RvLaneMask visible = rv_lanes_positive(volume - rv_lanes_set(2 * RV_PI * THIN_FILM) * r * r * hairs_in_cell);
  if (!w->suction || i + 1 < w->n) return visible;
  // the tip of a bundle gives only what is beyond its free area (hold_tip)
  const RvLanes free_area = rv_lanes_load(w->free_area + k);
  return visible & ~(rv_lanes_positive(free_area) & rv_lanes_positive(free_area * hairs_in_cell - volume));
}

// Courant number: the largest share of a cell that would leave it within the step.
double RV_KERNEL(rv_film_courant)(const RvFilmWork* w) {
  double most = 0;
  const RvLanes zero = rv_lanes_set(0);
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    RvLanes worst = zero, left = zero;
    for (int i = 0; i < w->n; ++i) {
      const int k = i * RV_W + lane;
      const RvLanes right = i + 1 < w->n ? rv_lanes_load(w->speed + k) : rv_lanes_max(left, zero);
      const RvLanes out = (rv_lanes_max(right, zero) + rv_lanes_max(-left, zero)) / rv_lanes_load(w->now.cell + k);
      worst = rv_lanes_max(worst, rv_lanes_select(counts_for_courant(w, i, lane), out, zero));
      left = right;
    }
    double each[RV_V] __attribute__((aligned(64)));
    rv_lanes_store(each, worst);
    for (int i = 0; i < RV_V; ++i) most = each[i] > most ? each[i] : most;
  }
  return most * w->dt;
}

// Angular momentum about the tangent (WH-25, spec (15)): rho / 2 pi ((h + r)^4 - r^4) l omega of each edge. Sign 1 sets
// `spin` before transport; sign -1 gives the difference of the advected spin to I omega to the strand after it.
void RV_KERNEL(rv_film_spin)(const RvFilmWork* w, int sign) {
  const RvLanes half = rv_lanes_set(0.5), two = rv_lanes_set(2);
  for (int lane = 0; lane < RV_W; lane += RV_V)
    for (int j = 0; j + 1 < w->n; ++j) {
      const int k = j * RV_W + lane;
      const RvLanes r = half * (rv_lanes_load(w->radius + k) + rv_lanes_load(w->radius + k + RV_W));
      const RvLanes hairs = half * (rv_lanes_load(w->hairs + k) + rv_lanes_load(w->hairs + k + RV_W));
      const RvLanes mass = rv_lanes_load(w->mass + k);
      const RvLanes section = mass / (rv_lanes_set(w->density * RV_PI) * hairs * rv_lanes_load(w->now.length + k));
      const RvLanes inertia = half * mass * (section + two * r * r);
      const RvLanes spin = inertia * rv_lanes_load(w->v + (4 * j + 3) * RV_W + lane);
      if (sign > 0)
        rv_lanes_store(w->spin + k, spin);
      else
        rv_lanes_store(w->kick + (4 * j + 3) * RV_W + lane, rv_lanes_load(w->spin + k) - spin);
    }
}
