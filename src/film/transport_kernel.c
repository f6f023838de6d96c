// Transport of volume, of the strands' momentum that it carries and of its own (WH-21, 23 to 26, E43); see work.h.
//
// Volume goes through the middles of edges with the mean of the line densities at both ends where these are smooth:
// then flux times length is the relative momentum, the centre of mass moves as momentum says, and angular momentum is
// kept. Elsewhere slopes are limited (minmod of half the difference ahead and all of that behind), which is monotone
// for half a cell a substep. Momenta are carried as differences to what is there: uniform motion stays uniform to the
// last bit.
#include "film/parts.h"
#include "film/work.h"
#include "math/lanes_math.h"

RV_INLINE RvLanes smaller(RvLanes a, RvLanes b) {
  return rv_lanes_select(rv_lanes_positive(a - b), b, a);
}

// the one nearer to 0 of two numbers of one sign, else 0
RV_INLINE RvLanes minmod(RvLanes a, RvLanes b) {
  const RvLanes least = rv_lanes_select(rv_lanes_positive(rv_lanes_abs(a) - rv_lanes_abs(b)), b, a);
  return rv_lanes_select(rv_lanes_positive(a * b), least, rv_lanes_set(0));
}

RV_INLINE RvLanes3 sides(RvLaneMask mask, RvLanes3 yes, RvLanes3 no) {
  return (RvLanes3){rv_lanes_select(mask, yes.x, no.x), rv_lanes_select(mask, yes.y, no.y),
                    rv_lanes_select(mask, yes.z, no.z)};
}

RV_INLINE RvLanes line(const RvFilmWork* w, int i, int lane) {
  const int k = i * RV_W + lane;
  return rv_lanes_load(w->volume + k) / rv_lanes_load(w->now.cell + k);
}

// how far behind the giving vertex of edge j the next one is, against the edge
RV_INLINE RvLanes stretch(const RvFilmWork* w, int j, int behind, int lane) {
  return rv_lanes_load(w->now.length + j * RV_W + lane) / rv_lanes_load(w->now.length + behind * RV_W + lane);
}

// What the flux of an edge becomes until the middle of the substep as the flow spreads: 1 - dt du/ds
RV_INLINE RvLanes spreading(const RvFilmWork* w, int j, int lane, RvLanes dt) {
  const int k = j * RV_W + lane;
  const RvLanes u = rv_lanes_load(w->speed + k), half = rv_lanes_set(0.5);
  const RvLanes back = j > 0 ? u - rv_lanes_load(w->speed + k - RV_W) : rv_lanes_set(0);
  const RvLanes front = j + 2 < w->n ? rv_lanes_load(w->speed + k + RV_W) - u : back;
  const RvLanes change = dt * minmod(j > 0 ? back : front, front) / rv_lanes_load(w->now.length + k);
  return rv_lanes_set(1) - rv_lanes_max(smaller(change, half), -half);
}

// volumes through the middles of edges and off the tip within dt
static void fluxes(const RvFilmWork* w, RvLanes dt, int lane) {
  const RvLanes half = rv_lanes_set(0.5), zero = rv_lanes_set(0), one = rv_lanes_set(1);
  RvLanes za = zero, a = line(w, 0, lane), b = line(w, 1, lane);
  for (int j = 0; j + 1 < w->n; ++j) {
    const int k = j * RV_W + lane;
    const RvLanes c = j + 2 < w->n ? line(w, j + 2, lane) : zero;
    const RvLanes u = rv_lanes_load(w->speed + k);
    const RvLaneMask out = rv_lanes_positive(u);
    // beyond the ends the slope goes on
    const RvLanes behind = j > 0 ? (a - za) * stretch(w, j, j - 1, lane) : b - a;
    const RvLanes ahead = j + 2 < w->n ? (b - c) * stretch(w, j, j + 1, lane) : a - b;
    const RvLanes giver = rv_lanes_select(out, a, b), step = rv_lanes_select(out, b - a, a - b);
    // never more than twice what the giver has
    const RvLanes far = rv_lanes_select(out, behind, ahead),
                  part = dt * rv_lanes_abs(u) / rv_lanes_load(w->now.length + k);
    const RvLanes still = half * smaller(part, one);
    const RvLanes slope = smaller(minmod(half * step, far), giver), mean = half * (a + b);
    const RvLanes face = giver + smaller(minmod((half - still) * step, far), giver);
    const RvLaneMask any = rv_lanes_positive(mean);
    rv_lanes_store(w->flux + k, dt * u * face * spreading(w, j, lane, dt));
    rv_lanes_store(w->flow + k, rv_lanes_select(any, (giver + slope) / rv_lanes_select(any, mean, one), one));
    za = a;
    a = b;
    b = c;
  }
  const int last = (w->n - 2) * RV_W + lane;
  rv_lanes_store(w->flux + last + RV_W, dt * rv_lanes_max(rv_lanes_load(w->speed + last), zero) * a);
}

// No cell gives more than it has, however large the step; and one that would be left with a trace gives it all, or
// films would thin out for ever.
static void limit(const RvFilmWork* w, int lane) {
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

RV_INLINE RvLanes3 film_velocity(const RvFilmWork* w, int i, int lane) {
  return rv_lanes3_load(w->own + 3 * i * RV_W + lane);
}

RV_INLINE RvLanes3 minmod3(RvLanes3 a, RvLanes3 b) {
  return (RvLanes3){minmod(a.x, b.x), minmod(a.y, b.y), minmod(a.z, b.z)};
}

// 1, but less for a vertex that runs empty: what is left there must not go as fast to the other side as rounding lets
// it when slopes take more than the mean away again and again.
RV_INLINE RvLanes steady(const RvFilmWork* w, int i, int lane) {
  const int k = i * RV_W + lane;
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1), two = rv_lanes_set(2),
                has = rv_lanes_load(w->volume + k);
  const RvLanes left = i > 0 ? rv_lanes_max(-rv_lanes_load(w->flux + k - RV_W), zero) : zero;
  const RvLanes gives = left + rv_lanes_max(rv_lanes_load(w->flux + k), zero);
  const RvLaneMask some = rv_lanes_positive(has);
  const RvLanes kept = rv_lanes_max(one - gives / rv_lanes_select(some, has, one), zero);
  const RvLanes most = rv_lanes_max(rv_lanes_load(w->most + k), has);
  const RvLanes full = rv_lanes_set(5) * has / rv_lanes_select(some, most, one);
  return rv_lanes_select(some, smaller(two * kept, one) * smaller(full, one), zero);
}

// Velocity of the strand that the flux of edge j carries: that of the giving vertex and half of the way to the other.
// One that is linear along the strand, as of a rigid turn, gives the mean: with it angular momentum is exact.
RV_INLINE RvLanes3 carried_velocity(const RvFilmWork* w, int j, int lane, RvLanes flux) {
  const RvLanes half = rv_lanes_set(0.5);
  const RvLaneMask out = rv_lanes_positive(flux);
  const RvLanes3 a = film_velocity(w, j, lane), b = film_velocity(w, j + 1, lane), d = rv_lanes3_sub(b, a);
  const RvLanes3 back =
      j > 0 ? rv_lanes3_scale(rv_lanes3_sub(a, film_velocity(w, j - 1, lane)), stretch(w, j, j - 1, lane)) : d;
  const RvLanes3 front =
      j + 2 < w->n ? rv_lanes3_scale(rv_lanes3_sub(film_velocity(w, j + 2, lane), b), stretch(w, j, j + 1, lane)) : d;
  const RvLanes calm = rv_lanes_select(out, steady(w, j, lane), steady(w, j + 1, lane));
  const RvLanes3 step = rv_lanes3_scale(minmod3(rv_lanes3_scale(d, half), sides(out, back, front)), calm);
  return sides(out, rv_lanes3_add(a, step), rv_lanes3_sub(b, step));
}

// momentum beyond m v (WH-24): what comes in or goes out at another velocity than the vertex has
static void carry(const RvFilmWork* w, int lane) {
  const RvLanes zero = rv_lanes_set(0), density = rv_lanes_set(w->density);
  RvLanes3 in = {zero, zero, zero};
  RvLanes left = zero;
  for (int i = 0; i < w->n; ++i) {
    const int k = i * RV_W + lane, k3 = 3 * i * RV_W + lane;
    const RvLanes3 v = rv_lanes3_load(w->v + 4 * i * RV_W + lane);
    RvLanes3 p = rv_lanes3_load(w->carried + k3);
    p = rv_lanes3_mad(p, left, rv_lanes3_sub(in, v));
    if (i + 1 < w->n) {
      const RvLanes right = density * rv_lanes_load(w->flux + k);
      const RvLanes3 out = carried_velocity(w, i, lane, right);
      p = rv_lanes3_mad(p, -right, rv_lanes3_sub(out, v));
      in = out;
      left = right;
    } else {
      // what comes off the tip has its velocity
      const RvLanes off = density * rv_lanes_load(w->flux + k);
      p = rv_lanes3_mad(p, -off, rv_lanes3_sub(film_velocity(w, i, lane), v));
    }
    rv_lanes3_store(w->carried + k3, p);
  }
}

// what leaves the tip hangs there (WH-23, WH-28), with the momentum that it has beyond that of the tip
static void drip(RvFilmWork* w, int lane) {
  const int i = w->n - 1;
  const RvLanes off = rv_lanes_load(w->flux + i * RV_W + lane), mass = rv_lanes_set(w->density) * off;
  const RvLanes3 t = rv_lanes3_load(w->before.tangent + 3 * (i - 1) * RV_W + lane);
  const RvLanes3 v = rv_lanes3_load(w->v + 4 * i * RV_W + lane), beyond = rv_lanes3_sub(film_velocity(w, i, lane), v);
  RvLanes3 p = rv_lanes3_load(w->drop_momentum + lane);
  p = rv_lanes3_mad(p, mass * rv_lanes_load(w->speed + (i - 1) * RV_W + lane), t);
  rv_lanes3_store(w->drop_momentum + lane, rv_lanes3_mad(p, mass, beyond));
  rv_lanes_store(w->drop + lane, rv_lanes_load(w->drop + lane) + off);
  rv_lanes_store(w->outflow + lane, rv_lanes_load(w->outflow + lane) + off);
}

// What the flux of edge j has of something that film has a volume of: the giver's, and half of the way to the other's
// less what goes until the middle of the substep, where that makes no new extremes.
RV_INLINE RvLanes carried_strain(const RvFilmWork* w, int j, int lane) {
  const int k = j * RV_W + lane;
  const RvLanes half = rv_lanes_set(0.5), one = rv_lanes_set(1), flux = rv_lanes_load(w->flux + k);
  const RvLanes a = rv_lanes_load(w->strain + k), b = rv_lanes_load(w->strain + k + RV_W), d = b - a;
  const RvLanes back = j > 0 ? (a - rv_lanes_load(w->strain + k - RV_W)) * stretch(w, j, j - 1, lane) : d;
  const RvLanes front = j + 2 < w->n ? (rv_lanes_load(w->strain + k + 2 * RV_W) - b) * stretch(w, j, j + 1, lane) : d;
  const RvLaneMask out = rv_lanes_positive(flux);
  const RvLanes has = rv_lanes_select(out, rv_lanes_load(w->volume + k), rv_lanes_load(w->volume + k + RV_W));
  const RvLaneMask some = rv_lanes_positive(has);
  const RvLanes left = rv_lanes_max(one - rv_lanes_abs(flux) / rv_lanes_select(some, has, one), rv_lanes_set(0));
  const RvLanes step = left * minmod(half * d, rv_lanes_select(out, back, front));
  return rv_lanes_select(out, a + step, b - step);
}

// What the film is strained by goes with its volume (SD-8, spec 2.2.3): the sum of volume times strain stays but for
// what leaves the tip, and what is the same everywhere stays so to the last bit. Before the volumes move.
static void move_strain(const RvFilmWork* w, int lane) {
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1);
  RvLanes left = zero, in = zero;
  for (int i = 0; i < w->n; ++i) {
    const int k = i * RV_W + lane;
    const RvLanes right = rv_lanes_load(w->flux + k), has = rv_lanes_load(w->strain + k);
    const RvLanes out = i + 1 < w->n ? carried_strain(w, i, lane) : has;
    const RvLanes rest = rv_lanes_load(w->volume + k) + (left - right);
    const RvLaneMask some = rv_lanes_positive(rest);
    const RvLanes gain = left * (in - has) - right * (out - has);
    // (its neighbours still ask for what was here)
    rv_lanes_store(w->solved + k, rv_lanes_select(some, has + gain / rv_lanes_select(some, rest, one), zero));
    left = right;
    in = out;
  }
  for (int i = 0; i < w->n; ++i)
    rv_lanes_store(w->strain + i * RV_W + lane, rv_lanes_load(w->solved + i * RV_W + lane));
}

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

// What crosses vertex i from the edge before it to the one after, within a substep.
typedef struct Crossing {
  RvLanes mass;           // kg
  RvLanes before, after;  // the speed that it has along either edge
  RvLanes blow;           // kg m/s beyond, where films meet
  RvLanes spin;           // kg m2/s
} Crossing;

// Share of its speed that film keeps round a corner: all of it, as in a bent pipe, but for what is no bend any more.
// Exact to the fourth order of the angle, so curls do not brake it as their edges do.
RV_INLINE RvLanes kept_round(const RvFilmWork* w, int i, int lane) {
  const RvLanes3 a = rv_lanes3_load(w->before.tangent + 3 * (i - 1) * RV_W + lane);
  const RvLanes3 b = rv_lanes3_load(w->before.tangent + 3 * i * RV_W + lane);
  const RvLanes c = smaller(rv_lanes_max(rv_lanes3_dot(a, b), rv_lanes_set(0)), rv_lanes_set(1));
  return c * (rv_lanes_set(2) - c);
}

// Films that flow towards each other at a vertex whose neighbours have nothing left to give meet there and go on as one
// (a wall at the root: they stop). `Flow` says how much of each is still on its way.
RV_INLINE RvLanes meet(const RvFilmWork* w, int i, int lane, RvLanes before, RvLanes after, RvLanes share) {
  const int k = i * RV_W + lane;
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1),
                m = rv_lanes_set(w->density) * rv_lanes_load(w->volume + k);
  RvLanes stopped = one - rv_lanes_load(w->flow + k), part = one;
  if (i > 0) {
    stopped = rv_lanes_max(stopped, one - rv_lanes_load(w->flow + k - RV_W));
    part = share * (one - share);
  }
  stopped = smaller(rv_lanes_max(stopped, zero), one);
  const RvLaneMask towards = rv_lanes_positive(-after) & (i > 0 ? rv_lanes_positive(before) : rv_lanes_positive(one));
  return rv_lanes_select(towards, stopped * part * m * (before - after), zero);
}

RV_INLINE RvLanes inverse_mass(const RvFilmWork* w, int j, int lane) {
  const RvLanes mass = rv_lanes_load(w->mass + j * RV_W + lane), one = rv_lanes_set(1);
  const RvLaneMask any = rv_lanes_positive(mass - rv_lanes_set(RV_FILM_NO_MASS));
  return rv_lanes_select(any, one / rv_lanes_select(any, mass, one), rv_lanes_set(0));
}

// u0, u1, u2, u3: speeds of the edges i - 2 to i + 1; s1, s2: spin a mass of i - 1 and i
RV_INLINE Crossing cross(const RvFilmWork* w, int i, int lane, const RvLanes u[4], const RvLanes s[2]) {
  const int k = i * RV_W + lane;
  const RvLanes one = rv_lanes_set(1), zero = rv_lanes_set(0), share = rv_lanes_load(w->now.share + k);
  const RvLanes density = rv_lanes_set(w->density), right = rv_lanes_load(w->flux + k);
  if (i == 0) return (Crossing){zero, zero, zero, meet(w, 0, lane, zero, u[2], share), zero};
  if (i + 1 == w->n) return (Crossing){density * right, u[1], zero, zero, density * right * s[0]};
  Crossing c;
  c.mass = density * (share * rv_lanes_load(w->flux + k - RV_W) + (one - share) * right);
  const RvLaneMask out = rv_lanes_positive(c.mass);
  // from the middle of the giving edge to the vertex, with the slope ahead or that behind, whichever is less
  const RvLanes d = u[2] - u[1], back = i > 1 ? u[1] - u[0] : d, front = i + 2 < w->n ? u[3] - u[2] : d;
  // (less what it goes until the middle of the substep)
  const RvLanes giver = rv_lanes_select(out, rv_lanes_load(w->mass + k - RV_W), rv_lanes_load(w->mass + k));
  const RvLaneMask any = rv_lanes_positive(giver - rv_lanes_set(RV_FILM_NO_MASS));
  const RvLanes part = smaller(rv_lanes_abs(c.mass) / rv_lanes_select(any, giver, one), one), left = one - part;
  const RvLanes kept = kept_round(w, i, lane);
  const RvLanes up = u[1] + minmod(left * (one - share) * d, back), down = u[2] - minmod(left * share * d, front);
  c.before = rv_lanes_select(out, up, kept * down);
  c.after = rv_lanes_select(out, kept * up, down);
  c.spin = c.mass * rv_lanes_select(out, s[0], s[1]);
  c.blow = meet(w, i, lane, u[1], u[2], share);
  return c;
}

// The part of what an edge pushes aside that its lower vertex takes, by what both will hold after the fluxes.
RV_INLINE RvLanes lower_part(const RvFilmWork* w, int j, int lane) {
  const int k = j * RV_W + lane;
  const RvLanes one = rv_lanes_set(1), zero = rv_lanes_set(0), mid = rv_lanes_load(w->flux + k);
  const RvLanes in = j > 0 ? rv_lanes_load(w->flux + k - RV_W) : zero, out = rv_lanes_load(w->flux + k + RV_W);
  const RvLanes low = rv_lanes_max(rv_lanes_load(w->volume + k) + in - mid, zero),
                high = rv_lanes_max(rv_lanes_load(w->volume + k + RV_W) + mid - out, zero);
  return rv_film_lower_part(rv_lanes_load(w->now.share + k) * low,
                            (one - rv_lanes_load(w->now.share + k + RV_W)) * high);
}

// Film that mixes is no faster than the films were that mix, whatever unequal edges and rounding make of an edge that
// runs dry; at corners it may stop.
RV_INLINE RvLanes tame(const RvLanes u[4], RvLanes gain) {
  const RvLanes zero = rv_lanes_set(0);
  const RvLanes high = rv_lanes_max(rv_lanes_max(rv_lanes_max(u[0], u[1]), rv_lanes_max(u[2], u[3])), zero);
  const RvLanes low = smaller(smaller(smaller(u[0], u[1]), smaller(u[2], u[3])), zero);
  return rv_lanes_max(smaller(u[1] + gain, high), low) - u[1];
}

// What the strand's vertex i gets of a crossing: film that leaves one edge along it goes on along the other (E43: the
// rest of Coriolis, u^2 kappa). It acts where the edges' lines meet, so it has no torque.
static void push_corner(const RvFilmWork* w, int i, int lane, const Crossing* c) {
  double* at = w->kick + 4 * i * RV_W + lane;
  RvLanes3 push = rv_lanes3_load(at);
  if (i + 1 == w->n) return;  // off the tip it goes on as it is
  if (i > 0)
    push = rv_lanes3_mad(push, c->mass * c->before + c->blow,
                         rv_lanes3_load(w->before.tangent + 3 * (i - 1) * RV_W + lane));
  push = rv_lanes3_mad(push, -(c->mass * c->after + c->blow), rv_lanes3_load(w->before.tangent + 3 * i * RV_W + lane));
  rv_lanes3_store(at, push);
}

// The relative momentum of edges with the fluxes through their vertices.
static void move_momentum(const RvFilmWork* w, int lane) {
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1);
  const int n = w->n;
  RvLanes u[4] = {zero, zero, rv_lanes_load(w->speed + lane), zero}, s[2] = {zero, zero};
  u[3] = n > 2 ? rv_lanes_load(w->speed + RV_W + lane) : zero;
  s[1] = rv_lanes_load(w->spin + lane) * inverse_mass(w, 0, lane);
  Crossing in = cross(w, 0, lane, u, s);
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
    const Crossing out = cross(w, j + 1, lane, u, s);
    push_corner(w, j + 1, lane, &out);
    const RvLanes d = (in.mass * (in.after - u[1]) + in.blow) - (out.mass * (out.before - u[1]) + out.blow);
    const RvLanes mass = had + (in.mass - out.mass);
    const RvLaneMask any = rv_lanes_positive(mass - rv_lanes_set(RV_FILM_NO_MASS));
    const RvLanes gain = tame(u, d * rv_lanes_select(any, one / rv_lanes_select(any, mass, one), zero));
    rv_lanes_store(w->speed + k, rv_lanes_select(any, u[1] + gain, zero));
    rv_lanes_store(w->spin + k, spin + (in.spin - out.spin));
    // all that is not m u now is the strand's: mass that is gone takes nothing along
    const RvLanes below = lower_part(w, j, lane);
    const RvLanes3 rest = rv_lanes3_scale(rv_lanes3_load(w->before.tangent + 3 * j * RV_W + lane), d - gain * mass);
    rv_lanes3_store(w->kick + at, rv_lanes3_mad(rv_lanes3_load(w->kick + at), below, rest));
    rv_lanes3_store(w->kick + at + 4 * RV_W, rv_lanes3_mad(rv_lanes3_load(w->kick + at + 4 * RV_W), one - below, rest));
    in = out;
  }
}

// Share of what vertex i was pushed that goes on with its film: none while half of the most that it held within the
// step is left, all of it with the last of the film. The push was that of a heavy drop, and must not be left to a bare
// hair where the drop was (E43: heavy drops). `now` is what it holds after the fluxes.
RV_INLINE RvLanes left_bare(RvLanes has, RvLanes now, RvLanes most, RvLanes gives) {
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1), much = rv_lanes_set(0.5) * most;
  const RvLanes could = smaller(has, much), can = smaller(rv_lanes_max(now, zero), much);
  const RvLaneMask some = rv_lanes_positive(could) & rv_lanes_positive(gives);
  const RvLanes kept = can / rv_lanes_select(some, could, one);
  return rv_lanes_select(some, one - smaller(kept, one), zero);
}

// The same where more passes than is there: a vertex goes aside with the film that it holds, and what leaves it has
// that velocity too. All that passes within a step would else push the little that is there at its end, and energy
// would come of nothing. A push that moves it by half a cell within the step, or makes it as fast as half the film's
// own speed, is not small any more: what is beyond goes with what leaves.
RV_INLINE RvLanes passed(const RvFilmWork* w, int i, int lane, RvLanes3 push, RvLanes has, RvLanes gives) {
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

// What strands were pushed so far goes where the liquid that pushed them goes; the sum stays. What leaves the tip hangs
// there.
// Its torque about any point changes by way x push, as that of a drop that goes on with a velocity across: over many
// steps the strand, which goes aside too, makes up for it. Within one step nothing does, and no couple could but the
// one that puts the push back: the loss is of the order of the way (check film_push).
static void pass_on(const RvFilmWork* w, int lane) {
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1);
  RvLanes3 came = {zero, zero, zero};
  RvLanes left = zero;
  for (int i = 0; i < w->n; ++i) {
    const int k = i * RV_W + lane;
    double* at = w->kick + 4 * i * RV_W + lane;
    const bool tip = i + 1 == w->n;
    // (the drop has what goes off already)
    const RvLanes flux = rv_lanes_load(w->flux + k), right = tip ? zero : flux;
    const RvLanes hangs = tip ? rv_lanes_load(w->drop + lane) - flux : zero, has = rv_lanes_load(w->volume + k) + hangs;
    const RvLanes up = rv_lanes_max(right, zero), gives = up + rv_lanes_max(-left, zero), now = has + (left - right);
    const RvLanes most = rv_lanes_max(rv_lanes_load(w->most + k), now);
    const RvLanes3 push = rv_lanes3_load(at);
    const RvLanes goes = rv_lanes_max(left_bare(has, now, most, gives), passed(w, i, lane, push, has, gives));
    const RvLanes share = up / rv_lanes_select(rv_lanes_positive(gives), gives, one);
    const RvLanes3 ahead = rv_lanes3_scale(push, goes * share), back = rv_lanes3_scale(push, goes * (one - share));
    rv_lanes3_store(at, rv_lanes3_sub(rv_lanes3_sub(rv_lanes3_add(push, came), ahead), back));
    if (i > 0) rv_lanes3_store(at - 4 * RV_W, rv_lanes3_add(rv_lanes3_load(at - 4 * RV_W), back));
    rv_lanes_store(w->most + k, most);
    came = ahead;
    left = right;
  }
}

static void weigh_edges(const RvFilmWork* w, int lane) {
  const RvLanes one = rv_lanes_set(1), density = rv_lanes_set(w->density);
  for (int j = 0; j + 1 < w->n; ++j) {
    const int k = j * RV_W + lane;
    const RvLanes a = rv_lanes_load(w->now.share + k), b = one - rv_lanes_load(w->now.share + k + RV_W);
    rv_lanes_store(w->mass + k, density * (a * rv_lanes_load(w->volume + k) + b * rv_lanes_load(w->volume + k + RV_W)));
  }
}

// One substep. `last`: nothing after it asks for the film's own velocity.
void RV_KERNEL(rv_film_transport)(RvFilmWork* w, double dt, bool last) {
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    fluxes(w, rv_lanes_set(dt), lane);
    limit(w, lane);
    carry(w, lane);
    drip(w, lane);
    move_momentum(w, lane);
    pass_on(w, lane);
    if (w->strain) move_strain(w, lane);
    move_volume(w, lane, last);
    weigh_edges(w, lane);
  }
}

// The largest share of a cell that would leave it within the step.
double RV_KERNEL(rv_film_courant)(const RvFilmWork* w) {
  double most = 0;
  const RvLanes zero = rv_lanes_set(0);
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    RvLanes worst = zero, left = zero;
    for (int i = 0; i < w->n; ++i) {
      const int k = i * RV_W + lane;
      const RvLanes right = i + 1 < w->n ? rv_lanes_load(w->speed + k) : rv_lanes_max(left, zero);
      const RvLanes out = (rv_lanes_max(right, zero) + rv_lanes_max(-left, zero)) / rv_lanes_load(w->now.cell + k);
      // cells without liquid give none at any speed
      worst = rv_lanes_max(worst, rv_lanes_select(rv_lanes_positive(rv_lanes_load(w->volume + k)), out, zero));
      left = right;
    }
    double each[RV_V] __attribute__((aligned(64)));
    rv_lanes_store(each, worst);
    for (int i = 0; i < RV_V; ++i) most = each[i] > most ? each[i] : most;
  }
  return most * w->dt;
}

// Momentum about the tangent (WH-25, spec (15)): rho / 2 pi ((h + r)^4 - r^4) l omega of each edge, as the angles turn
// now. Sign 1: into `spin`, before volumes move; -1: what `spin` has beyond it is the strand's.
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
