// The pressure of the film's tension, p = -sigma h'' (WH-20, E8, E49), semi-implicit; see work.h.
//
// u' = u - (1 - b) dt / rho grad (p(h) + theta dp), where dp is the linearised change of pressure by the fluxes of u'.
// Theta goes from 0, where capillary waves are slow against the step (symplectic Euler, no damping), to 1, where they
// are far too fast for it; theta = a / (a + 4) with a = (omega dt)^2 of the fastest wave is stable for every a. The
// matrix is pentadiagonal: an edge couples with two on each side. It is similar to 1 + a positive matrix, so
// elimination needs no pivots. Both ends of the strand are mirrors (h' = 0), so the pressure has no gradient at a tip.
// The film leaves the tip with the speed of the last edge, half a cell above: where the tip drains, that edge has no
// pressure gradient either (factor). With one, the outflow and the height at the tip would have a family of steady
// states, and a bead that tension holds up would dam up the flow, the more so the finer the edges are. The film's gain
// of momentum is an impulse on the strand of opposite sign, so the strand supports the weight of a film that tension
// holds (E49).
#include "film/parts.h"
#include "film/work.h"
#include "math/lanes_math.h"

// Temporary numbers of vertices, in of_vertices[]: height, m; dh/dA = 1 / (2 pi (r + h) hairs); 1 / cell.
enum { HEIGHT, SPREAD, INVERSE };
// And of edges, in of_edges[]: dh/dA / length; line density, m2 of liquid; slope of the height.
enum { STIFF, LINE, SLOPE };

// Number `which` of vertex or edge i.
static inline double* slot(double* room, int i, int which, int lane) {
  return room + (3 * i + which) * RV_W + lane;
}

RV_INLINE RvLanes of(double* room, int i, int which, int lane) {
  return rv_lanes_load(slot(room, i, which, lane));
}

// Number `which` of edge j; 0 beyond the ends.
RV_INLINE RvLanes edge(const RvFilmWork* w, int j, int which, int lane) {
  return j < 0 || j > w->n - 2 ? rv_lanes_set(0) : of(w->of_edges, j, which, lane);
}

// Bundles (WH-20, E74). Filling the space between hairs by dA of section wets more of the hairs and gains energy, so
// the liquid there has the pressure P = -suction f(S), S = A / free area. f is about 1 until the space is nearly full
// and 0 where it is: engulfed hairs gain nothing. At rest P' = density g along the strand, which is a column of suction
// / (density g). P is stiff, so it is fully implicit, by its secant to S = 1: however long the step, liquid that flows
// in finds the pressure 0 there, not one beyond. The film's own curvature h'' counts the less for it: between hairs
// there is no surface around each of them.
//
// f(S) = FULL (1 - S^16). A column by f is FULL high and holds 16/17 FULL of suction / (density g) times the free area;
// both are within 3% of the energy balance, for which f is 1 up to S = 1 and 0 beyond.
#define FULL 1.03

// Pressure of the film in a bundle and its slope, at vertex i, of unit tension.
static void fill_bundle(const RvFilmWork* w, int i, int lane) {
  const int k = i * RV_W + lane;
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1);
  const RvLanes area = rv_lanes_load(w->free_area + k), hairs = rv_lanes_load(w->hairs + k);
  const RvLaneMask some = rv_lanes_positive(area);
  const RvLanes inverse = rv_lanes_select(some, one / rv_lanes_select(some, area, one), zero);
  const RvLanes suction = rv_lanes_load(w->suction + k) * rv_lanes_set(FULL / w->tension);
  const RvLanes volume = of(w->of_vertices, i, INVERSE, lane) / hairs * inverse;
  const RvLanes full = rv_lanes_load(w->volume + k) * volume;
  const RvLanes room = one - full;
  const RvLaneMask below = rv_lanes_positive(room);
  // 1 - S^16 = (1 - S) (1 + S) (1 + S^2) (1 + S^4) (1 + S^8)
  const RvLanes s2 = full * full, s4 = s2 * s2;
  const RvLanes secant = suction * (one + full) * (one + s2) * (one + s4) * (one + s4 * s4);
  // Engulfed hairs have no pressure, but the slope of a full vertex, to S = 2: one that runs empty finds it in time.
  const RvLanes beyond = suction * rv_lanes_set(16) * rv_lanes_max(one + room, zero);
  rv_lanes_store(w->bundle_pressure + k, rv_lanes_select(below, -(secant * room), zero));
  rv_lanes_store(w->bundle_slope + k, rv_lanes_select(below, secant, beyond) * volume);
}

// Weakens the curvature of edge j by the share of a bundle.
static void flatten(const RvFilmWork* w, int j, int lane) {
  const int k = j * RV_W + lane;
  const RvLanes bundled = rv_lanes_load(w->bundled + k) + rv_lanes_load(w->bundled + k + RV_W);
  const RvLanes lone = rv_lanes_set(1) - rv_lanes_set(0.5) * bundled;
  rv_lanes_store(slot(w->of_edges, j, STIFF, lane), lone * of(w->of_edges, j, STIFF, lane));
  rv_lanes_store(slot(w->of_edges, j, SLOPE, lane), lone * of(w->of_edges, j, SLOPE, lane));
}

// Fills the temporary numbers of vertices and edges.
static void prepare(const RvFilmWork* w, int lane) {
  const RvLanes pi = rv_lanes_set(RV_PI), half = rv_lanes_set(0.5), one = rv_lanes_set(1);
  for (int i = 0; i < w->n; ++i) {
    const int k = i * RV_W + lane;
    const RvLanes r = rv_lanes_load(w->radius + k), hairs = rv_lanes_load(w->hairs + k);
    const RvLanes inverse = one / rv_lanes_load(w->now.cell + k);
    const RvLanes section = rv_lanes_load(w->volume + k) * inverse / (pi * hairs);
    const RvLanes outer = rv_lanes_sqrt(rv_lanes_fma(r, r, section));
    rv_lanes_store(slot(w->of_vertices, i, HEIGHT, lane), section / (outer + r));
    rv_lanes_store(slot(w->of_vertices, i, SPREAD, lane), half / (pi * outer * hairs));
    rv_lanes_store(slot(w->of_vertices, i, INVERSE, lane), inverse);
    if (w->suction) fill_bundle(w, i, lane);
  }
  for (int j = 0; j + 1 < w->n; ++j) {
    const int k = j * RV_W + lane;
    const RvLanes inverse = one / rv_lanes_load(w->now.length + k);
    const RvLanes spread = half * (of(w->of_vertices, j, SPREAD, lane) + of(w->of_vertices, j + 1, SPREAD, lane));
    rv_lanes_store(slot(w->of_edges, j, STIFF, lane), spread * inverse);
    rv_lanes_store(slot(w->of_edges, j, LINE, lane), rv_lanes_load(w->mass + k) * inverse / rv_lanes_set(w->density));
    rv_lanes_store(slot(w->of_edges, j, SLOPE, lane),
                   (of(w->of_vertices, j + 1, HEIGHT, lane) - of(w->of_vertices, j, HEIGHT, lane)) * inverse);
    if (w->suction) flatten(w, j, lane);
  }
}

// dt^2 sigma / rho (1 - b) / length of edge j; 0 on the last edge where the tip drains
RV_INLINE RvLanes factor(const RvFilmWork* w, int j, int lane) {
  const int k = j * RV_W + lane;
  const RvLanes f = rv_lanes_set(w->flow_dt * w->flow_dt * w->tension / w->density) *
                    (rv_lanes_set(1) - rv_lanes_load(w->stuck + k)) / rv_lanes_load(w->now.length + k);
  return j + 2 < w->n ? f : f * rv_lanes_load(w->closed + lane);
}

// Diagonal of the operator from fluxes to grad dp: a fourth difference.
RV_INLINE RvLanes middle(const RvFilmWork* w, int j, int lane) {
  const RvLanes a = of(w->of_vertices, j, INVERSE, lane), b = of(w->of_vertices, j + 1, INVERSE, lane);
  return (a + b) * (a + b) * edge(w, j, STIFF, lane) + a * a * edge(w, j - 1, STIFF, lane) +
         b * b * edge(w, j + 1, STIFF, lane);
}

// Theta of each lane, from the fastest capillary wave of its strand.
static RvLanes implicitness(const RvFilmWork* w, int lane) {
  RvLanes most = rv_lanes_set(0);
  for (int j = 0; j + 1 < w->n; ++j)
    most = rv_lanes_max(most, factor(w, j, lane) * middle(w, j, lane) * edge(w, j, LINE, lane));
  // the largest eigenvalue of a fourth difference (1 -4 6 -4 1) is 16, its diagonal 6
  most = most * rv_lanes_set(16.0 / 6);
  return most / (most + rv_lanes_set(4));
}

// -h'' at vertex i, the pressure of unit tension.
RV_INLINE RvLanes pressure(const RvFilmWork* w, int i, int lane) {
  return -(of(w->of_vertices, i, INVERSE, lane) * (edge(w, i, SLOPE, lane) - edge(w, i - 1, SLOPE, lane)));
}

// Adds the pressure of a bundle to the row of edge j: coefficients b, m, d of the edges j - 1 to j + 1, right-hand side
// r. The tip of a bundle holds its liquid (transport_kernel.c), so the last edge is as any other.
RV_INLINE void add_bundle(const RvFilmWork* w, int j, int lane, RvLanes* b, RvLanes* m, RvLanes* d, RvLanes* r) {
  const int k = j * RV_W + lane;
  const RvLanes c = rv_lanes_set(w->flow_dt * w->flow_dt * w->tension / w->density) *
                    (rv_lanes_set(1) - rv_lanes_load(w->stuck + k)) / rv_lanes_load(w->now.length + k);
  const RvLanes low = c * rv_lanes_load(w->bundle_slope + k), high = c * rv_lanes_load(w->bundle_slope + k + RV_W);
  const RvLanes rise = rv_lanes_load(w->bundle_pressure + k + RV_W) - rv_lanes_load(w->bundle_pressure + k);
  *b = *b - low * edge(w, j - 1, LINE, lane);
  *m = *m + (low + high) * edge(w, j, LINE, lane);
  *d = *d - high * edge(w, j + 1, LINE, lane);
  *r = *r - c * rise / rv_lanes_set(w->flow_dt);
}

// Rows of 1 + theta factor S LINE with S the fourth difference, eliminated from the root to the tip.
static void eliminate(const RvFilmWork* w, int lane, RvLanes theta) {
  const RvLanes one = rv_lanes_set(1), zero = rv_lanes_set(0);
  RvLanes d1 = zero, e1 = zero, r1 = zero, d2 = zero, e2 = zero, r2 = zero, p0 = pressure(w, 0, lane);
  for (int j = 0; j + 1 < w->n; ++j) {
    const int k = j * RV_W + lane;
    const RvLanes c = factor(w, j, lane), f = theta * c, p1 = pressure(w, j + 1, lane);
    const RvLanes wa = of(w->of_vertices, j, INVERSE, lane), wb = of(w->of_vertices, j + 1, INVERSE, lane);
    const RvLanes wz = j > 0 ? of(w->of_vertices, j - 1, INVERSE, lane) : zero;
    const RvLanes wc = j + 2 < w->n ? of(w->of_vertices, j + 2, INVERSE, lane) : zero;
    const RvLanes kz = edge(w, j - 1, STIFF, lane), ka = edge(w, j, STIFF, lane), kb = edge(w, j + 1, STIFF, lane);
    // The row: coefficients a, b, m, d, e of the edges j - 2 to j + 2, and the right-hand side r.
    const RvLanes own = (wa + wb) * ka;
    const RvLanes a = f * wa * kz * wz * edge(w, j - 2, LINE, lane);
    RvLanes b = -f * wa * (own + (wz + wa) * kz) * edge(w, j - 1, LINE, lane);
    RvLanes m = one + f * middle(w, j, lane) * edge(w, j, LINE, lane);
    RvLanes d = -f * wb * (own + (wb + wc) * kb) * edge(w, j + 1, LINE, lane);
    const RvLanes e = f * wb * kb * wc * edge(w, j + 2, LINE, lane);
    // `pressure` is that of unit tension, and the factor has one dt too many
    RvLanes r = rv_lanes_load(w->speed + k) - c * (p1 - p0) / rv_lanes_set(w->flow_dt);
    if (w->suction) add_bundle(w, j, lane, &b, &m, &d, &r);
    // Elimination of the edges j - 2 and j - 1.
    b = b - a * d2;
    m = m - a * e2;
    r = r - a * r2;
    m = m - b * d1;
    d = d - b * e1;
    r = r - b * r1;
    const RvLanes inverse = one / m;
    d2 = d1;
    e2 = e1;
    r2 = r1;
    d1 = d * inverse;
    e1 = e * inverse;
    r1 = r * inverse;
    rv_lanes_store(w->upper + k, d1);
    rv_lanes_store(w->upper2 + k, e1);
    rv_lanes_store(w->solved + k, r1);
    p0 = p1;
  }
}

// Back substitution from the tip to the root: `solved` becomes the new speeds.
static void substitute(const RvFilmWork* w, int lane) {
  RvLanes u1 = rv_lanes_set(0), u2 = u1;
  for (int j = w->n - 2; j >= 0; --j) {
    const int k = j * RV_W + lane;
    const RvLanes u =
        rv_lanes_load(w->solved + k) - rv_lanes_load(w->upper + k) * u1 - rv_lanes_load(w->upper2 + k) * u2;
    rv_lanes_store(w->solved + k, u);
    u2 = u1;
    u1 = u;
  }
}

// A bundle is full at its tip at the pressure of the air, and what flows in beyond that leaves the tip
// (transport_kernel.c). The slope of its pressure is that of a closed end: it would let only so much flow in that the
// pressure drives out in one step, however long the step is. So the tip has no slope and the pressure 0 where the step
// would raise its pressure above that. Returns the lanes of `among` with such a tip.
static RvLaneMask open_full_tips(const RvFilmWork* w, int lane, RvLaneMask among) {
  const int tip = (w->n - 1) * RV_W + lane, last = w->n - 2;
  const RvLanes zero = rv_lanes_set(0), before = rv_lanes_load(w->bundle_pressure + tip);
  const RvLanes slope = rv_lanes_load(w->bundle_slope + tip);
  const RvLanes inflow =
      rv_lanes_set(w->flow_dt) * edge(w, last, LINE, lane) * rv_lanes_load(w->solved + last * RV_W + lane);
  const RvLaneMask full = rv_lanes_positive(before + slope * inflow) & among;
  rv_lanes_store(w->bundle_pressure + tip, rv_lanes_select(full, zero, before));
  rv_lanes_store(w->bundle_slope + tip, rv_lanes_select(full, zero, slope));
  return full;
}

// Liquid that leaves a vertex lowers the pressure there to that of an empty bundle, -FULL suction, and no further. The
// slope of a full vertex is 16 times as steep: where more than a sixteenth of the liquid leaves within a step, as above
// a column that falls, the suction would hold it back by the more the longer the step is. So there the slope becomes
// that of the secant to the pressure of an empty bundle. Returns the lanes of `among` with such a vertex.
static RvLaneMask bound_suction(const RvFilmWork* w, int lane, RvLaneMask among) {
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1), dt = rv_lanes_set(w->flow_dt);
  RvLaneMask any = rv_lanes_positive(zero);
  RvLanes in = zero;
  for (int i = 0; i < w->n; ++i) {
    const int k = i * RV_W + lane;
    const RvLanes out = i + 1 < w->n ? edge(w, i, LINE, lane) * rv_lanes_load(w->solved + k) : zero;
    const RvLanes loss = dt * (out - in), slope = rv_lanes_load(w->bundle_slope + k);
    const RvLanes empty = rv_lanes_load(w->suction + k) * rv_lanes_set(FULL / w->tension);
    const RvLanes room = rv_lanes_max(rv_lanes_load(w->bundle_pressure + k) + empty, zero);
    const RvLaneMask below = rv_lanes_positive(slope * loss - room) & among;
    rv_lanes_store(w->bundle_slope + k, rv_lanes_select(below, room / rv_lanes_select(below, loss, one), slope));
    any = any | below;
    in = out;
  }
  return any;
}

// Solves for the new speeds, in `solved`. The pressure of a bundle is linear only near the state before the step, so
// its slopes are corrected by the flow that they give. A lane ends with the first solve that asks for no correction,
// whatever its neighbours do: its result does not depend on the width of the vectors.
enum { CORRECTIONS = 3 };

static void solve(const RvFilmWork* w, int lane) {
  const RvLanes theta = implicitness(w, lane);
  eliminate(w, lane, theta);
  substitute(w, lane);
  if (!w->suction) return;
  RvLaneMask wrong = rv_lanes_positive(rv_lanes_set(1));
  for (int k = 0; k < CORRECTIONS; ++k) {
    const RvLaneMask shut = open_full_tips(w, lane, wrong);
    wrong = shut | bound_suction(w, lane, wrong);
    if (!rv_lanes_bits(wrong)) return;
    eliminate(w, lane, theta);
    substitute(w, lane);
  }
}

// Solves for the new speeds and gives the reaction to the strand.
void RV_KERNEL(rv_film_tension)(const RvFilmWork* w) {
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1), density = rv_lanes_set(w->density);
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    prepare(w, lane);
    solve(w, lane);
    // The new speeds, and the impulses on the strand.
    for (int j = w->n - 2; j >= 0; --j) {
      const int k = j * RV_W + lane, at = 4 * j * RV_W + lane;
      const RvLanes u = rv_lanes_load(w->solved + k);
      const RvLanes gain = (u - rv_lanes_load(w->speed + k)) * rv_lanes_load(w->mass + k);
      const RvLanes3 t = rv_lanes3_load(w->before.tangent + 3 * j * RV_W + lane);
      const RvLanes below = rv_film_lower_part(
          density * rv_lanes_load(w->now.share + k) * rv_lanes_load(w->volume + k),
          density * (one - rv_lanes_load(w->now.share + k + RV_W)) * rv_lanes_load(w->volume + k + RV_W));
      rv_lanes3_store(w->kick + at, rv_lanes3_mad(rv_lanes3_load(w->kick + at), -below * gain, t));
      rv_lanes3_store(w->kick + at + 4 * RV_W,
                      rv_lanes3_mad(rv_lanes3_load(w->kick + at + 4 * RV_W), (below - one) * gain, t));
      // an edge without liquid has no speed
      rv_lanes_store(
          w->speed + k,
          rv_lanes_select(rv_lanes_positive(rv_lanes_load(w->mass + k) - rv_lanes_set(RV_FILM_NO_MASS)), u, zero));
    }
  }
}
