// Exchange of momentum between film and strands after the strands' step (WH-20, WH-22, E43); see film.h and work.h.
#include "film/parts.h"
#include "film/work.h"
#include "math/lanes_math.h"

#define LEAST_SQUARE 1e-12  // square of the shortest vector that is normalised

// Momentum along the tangent that the film of vertex i gains relative to the strand (WH-20, WH-22, E43).
//   - Film in air gains gravity and inertia, but for the share b that friction holds: that part is in the strand's
//   load.
//   - Film under water gains inertia only, as its velocity in the world stays; the grid does the rest.
//   - Friction removes the share b of the previous flow.
RV_INLINE RvLanes3 gained_momentum(const RvFilmWork* w, int i, int lane, RvLanes* mass, RvLanes* hold) {
  const int k = i * RV_W + lane;
  const RvFilmShape* s = &w->before;
  const RvLanes3 t = rv_lanes3_load(s->along + 3 * i * RV_W + lane);
  const RvLanes3 v0 = rv_lanes3_load(w->v_before + 4 * i * RV_W + lane);
  const RvLanes3 v1 = rv_lanes3_load(w->v + 4 * i * RV_W + lane);
  const RvLanes3 g = {rv_lanes_set(w->gravity[0] * w->dt), rv_lanes_set(w->gravity[1] * w->dt),
                      rv_lanes_set(w->gravity[2] * w->dt)};
  const RvLanes one = rv_lanes_set(1), share = rv_lanes_load(s->share + k);
  const RvLanes m = rv_lanes_set(w->density) * rv_lanes_load(w->volume + k), b = rv_lanes_load(w->hold + k);
  // Speed of the film along the vertex's tangent before the step.
  RvLanes flow = rv_lanes_set(0);
  if (i > 0) {
    const RvLanes3 left = rv_lanes3_load(s->tangent + 3 * (i - 1) * RV_W + lane);
    flow = (one - share) * rv_lanes_load(w->speed + k - RV_W) * rv_lanes3_dot(left, t);
  }
  if (i + 1 < w->n) {
    const RvLanes3 right = rv_lanes3_load(s->tangent + 3 * i * RV_W + lane);
    flow += share * rv_lanes_load(w->speed + k) * rv_lanes3_dot(right, t);
  }
  // Gain of speed: gravity less the strand's acceleration, and friction.
  const RvLanes wet = w->wet ? rv_lanes_load(w->wet + k) : one;
  const RvLanes weight = w->weight ? rv_lanes_load(w->weight + k) : one;
  const RvLanes turned = rv_lanes3_dot(t, rv_lanes3_sub(v1, v0)), falls = weight * rv_lanes3_dot(t, g);
  const RvLanes gain = (one - b) * wet * (falls - turned) - (one - wet) * turned - b * flow;
  *mass = m;
  *hold = b;
  return rv_lanes3_scale(t, m * gain);
}

// Whether the film of the tip is pulled off it (RvFilmWork.closed): gravity less the strand's acceleration along the
// tangent, from 1 where it points inward to 0 at RV_FILM_DRAINS.
static void find_closed_tips(RvFilmWork* w, int lane) {
  const int i = w->n - 1, k = i * RV_W + lane;
  const RvLanes3 t = rv_lanes3_load(w->before.along + 3 * i * RV_W + lane);
  const RvLanes3 gain =
      rv_lanes3_sub(rv_lanes3_load(w->v + 4 * i * RV_W + lane), rv_lanes3_load(w->v_before + 4 * i * RV_W + lane));
  const RvLanes3 g = {rv_lanes_set(w->gravity[0]), rv_lanes_set(w->gravity[1]), rv_lanes_set(w->gravity[2])};
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1);
  const RvLanes weight = w->weight ? rv_lanes_load(w->weight + k) : one;
  const RvLanes pull = weight * rv_lanes3_dot(t, g) - rv_lanes3_dot(t, gain) / rv_lanes_set(w->dt);
  const RvLanes closed = rv_lanes_max(one - pull / rv_lanes_set(RV_FILM_DRAINS), zero);
  rv_lanes_store(w->closed + lane, rv_lanes_select(rv_lanes_positive(closed - one), one, closed));
}

// Unit vector; a vector shorter than a millionth stays as it is.
RV_INLINE RvLanes3 unit(RvLanes3 a) {
  const RvLanes square = rv_lanes3_dot(a, a), one = rv_lanes_set(1);
  const RvLaneMask good = rv_lanes_positive(square - rv_lanes_set(LEAST_SQUARE));
  return rv_lanes3_scale(a, rv_lanes_select(good, one / rv_lanes_sqrt(rv_lanes_select(good, square, one)), one));
}

// Speeds after the strands' step. Each edge projects its old momentum and the gains of its vertices on the tangent of
// the middle of the step. The component across that tangent is an impulse on the strand, half to each end, so that
// angular momentum is conserved (E43: half of the Coriolis force). rv_film_settle projects on the new tangent after
// transport; with fluxes of the middle of the step the whole is of second order. The tangents of the middle replace
// those of `before`, which are not needed any more.
void RV_KERNEL(rv_film_exchange)(RvFilmWork* w) {
  const RvLanes one = rv_lanes_set(1), zero = rv_lanes_set(0);
  const RvLanes least = rv_lanes_set(RV_FILM_NO_MASS);
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    RvLanes m0, b0, m1, b1;
    find_closed_tips(w, lane);
    RvLanes3 gain0 = gained_momentum(w, 0, lane, &m0, &b0), kick = {zero, zero, zero};
    for (int j = 0; j + 1 < w->n; ++j) {
      const int k = j * RV_W + lane, k3 = 3 * j * RV_W + lane;
      const RvLanes3 gain1 = gained_momentum(w, j + 1, lane, &m1, &b1);
      // Momentum of the edge: what it had, and its shares of the gains of both vertices.
      const RvLanes old0 = rv_lanes_load(w->before.share + k), old1 = one - rv_lanes_load(w->before.share + k + RV_W);
      const RvLanes new0 = rv_lanes_load(w->now.share + k), new1 = one - rv_lanes_load(w->now.share + k + RV_W);
      const RvLanes had = (old0 * m0 + old1 * m1) * rv_lanes_load(w->speed + k);
      const RvLanes3 old = rv_lanes3_load(w->before.tangent + k3);
      const RvLanes3 t = unit(rv_lanes3_add(old, rv_lanes3_load(w->now.tangent + k3)));
      RvLanes3 q = rv_lanes3_scale(old, had);
      q = rv_lanes3_mad(rv_lanes3_mad(q, old0, gain0), old1, gain1);
      // New speed, and the share of momentum that friction holds.
      const RvLanes mass = new0 * m0 + new1 * m1;
      const RvLaneMask any = rv_lanes_positive(mass - least);
      const RvLanes inverse = rv_lanes_select(any, one / rv_lanes_select(any, mass, one), zero);
      const RvLanes stuck = (new0 * m0 * b0 + new1 * m1 * b1) * inverse;
      const RvLanes u = rv_lanes3_dot(q, t) * inverse;
      const RvLanes3 across = rv_lanes3_mad(q, -(u * mass), t);
      rv_lanes3_store(w->before.tangent + k3, t);
      rv_lanes_store(w->speed + k, u);
      rv_lanes_store(w->gain + k, u - had * rv_lanes3_dot(old, t) * inverse);
      rv_lanes_store(w->gain_mass + k, mass);
      rv_lanes_store(w->mass + k, mass);
      rv_lanes_store(w->stuck + k, stuck);
      // Impulse on both ends.
      const RvLanes below = rv_film_lower_part(new0 * m0, new1 * m1);
      rv_lanes3_store(w->kick + 4 * j * RV_W + lane, rv_lanes3_mad(kick, below, across));
      rv_lanes_store(w->kick + (4 * j + 3) * RV_W + lane, zero);
      kick = rv_lanes3_scale(across, one - below);
      gain0 = gain1;
      m0 = m1;
      b0 = b1;
    }
    rv_lanes3_store(w->kick + 4 * (w->n - 1) * RV_W + lane, kick);
    rv_lanes_store(w->kick + (4 * (w->n - 1) + 3) * RV_W + lane, zero);
  }
}

// The speeds as they were before the exchange, along the tangents of the middle of the step.
void RV_KERNEL(rv_film_take_gain_back)(const RvFilmWork* w) {
  for (int lane = 0; lane < RV_W; lane += RV_V)
    for (int j = 0; j + 1 < w->n; ++j) {
      const int k = j * RV_W + lane;
      rv_lanes_store(w->speed + k, rv_lanes_load(w->speed + k) - rv_lanes_load(w->gain + k));
    }
}

// Adds a part of the gain. The strands' step has paid for the momentum of the film that was there at its start; what
// the film that is there now does not take is an impulse on the strand.
void RV_KERNEL(rv_film_add_gain)(const RvFilmWork* w, double part) {
  const RvLanes one = rv_lanes_set(1), zero = rv_lanes_set(0), density = rv_lanes_set(w->density);
  const RvLanes least = rv_lanes_set(RV_FILM_NO_MASS);
  for (int lane = 0; lane < RV_W; lane += RV_V)
    for (int j = 0; j + 1 < w->n; ++j) {
      const int k = j * RV_W + lane, at = 4 * j * RV_W + lane;
      const RvLanes mass = rv_lanes_load(w->mass + k), gain = rv_lanes_set(part) * rv_lanes_load(w->gain + k);
      const RvLanes taken = rv_lanes_select(rv_lanes_positive(mass - least), gain, zero);
      rv_lanes_store(w->speed + k, rv_lanes_load(w->speed + k) + taken);
      const RvLanes below = rv_film_lower_part(
          density * rv_lanes_load(w->now.share + k) * rv_lanes_load(w->volume + k),
          density * (one - rv_lanes_load(w->now.share + k + RV_W)) * rv_lanes_load(w->volume + k + RV_W));
      const RvLanes3 rest = rv_lanes3_scale(rv_lanes3_load(w->before.tangent + 3 * j * RV_W + lane),
                                            rv_lanes_load(w->gain_mass + k) * gain - mass * taken);
      rv_lanes3_store(w->kick + at, rv_lanes3_mad(rv_lanes3_load(w->kick + at), below, rest));
      rv_lanes3_store(w->kick + at + 4 * RV_W,
                      rv_lanes3_mad(rv_lanes3_load(w->kick + at + 4 * RV_W), one - below, rest));
    }
}

// Share of its speed that the film of a vertex loses within flow_dt because it has become thinner since the start of
// the step: implicit Euler of the difference of both rates of friction, each from the share that it removes.
RV_INLINE RvLanes lost_by_thinning(const RvFilmWork* w, int i, int lane) {
  const int k = i * RV_W + lane;
  const RvLanes one = rv_lanes_set(1), b0 = rv_lanes_load(w->hold + k), b1 = rv_lanes_load(w->hold_now + k);
  const RvLanes before = b0 / (one - b0) * rv_lanes_set(w->flow_dt / w->dt), now = b1 / (one - b1);
  const RvLanes more = rv_lanes_max(now - before, rv_lanes_set(0));
  return more / (one + more);
}

// The friction of the exchange is that of the film at the start of the step. Behind a column that falls the film
// becomes thin within a step and stays behind: here it gets the rest of its friction, with an impulse on the strand.
void RV_KERNEL(rv_film_slow_thinned)(const RvFilmWork* w) {
  const RvLanes one = rv_lanes_set(1), zero = rv_lanes_set(0), density = rv_lanes_set(w->density);
  const RvLanes least = rv_lanes_set(RV_FILM_NO_MASS);
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    RvLanes lost0 = lost_by_thinning(w, 0, lane);
    for (int j = 0; j + 1 < w->n; ++j) {
      const int k = j * RV_W + lane, at = 4 * j * RV_W + lane;
      const RvLanes lost1 = lost_by_thinning(w, j + 1, lane), u = rv_lanes_load(w->speed + k);
      const RvLanes m0 = density * rv_lanes_load(w->now.share + k) * rv_lanes_load(w->volume + k);
      const RvLanes m1 = density * (one - rv_lanes_load(w->now.share + k + RV_W)) * rv_lanes_load(w->volume + k + RV_W);
      const RvLanes mass = m0 + m1;
      const RvLaneMask any = rv_lanes_positive(mass - least);
      const RvLanes loss = rv_lanes_select(any, u * (m0 * lost0 + m1 * lost1) / rv_lanes_select(any, mass, one), zero);
      const RvLanes below = rv_film_lower_part(m0, m1);
      const RvLanes3 impulse =
          rv_lanes3_scale(rv_lanes3_load(w->before.tangent + 3 * j * RV_W + lane), rv_lanes_load(w->mass + k) * loss);
      rv_lanes_store(w->speed + k, u - loss);
      rv_lanes3_store(w->kick + at, rv_lanes3_mad(rv_lanes3_load(w->kick + at), below, impulse));
      rv_lanes3_store(w->kick + at + 4 * RV_W,
                      rv_lanes3_mad(rv_lanes3_load(w->kick + at + 4 * RV_W), one - below, impulse));
      lost0 = lost1;
    }
  }
}

// A liquid with a law of flow (flow_law.h) brakes by the speed that it would have without friction, which the strands'
// step could only guess. The difference of momentum is an impulse on the strand.
void RV_KERNEL(rv_film_brake)(const RvFilmWork* w) {
  const RvLanes one = rv_lanes_set(1), density = rv_lanes_set(w->density);
  for (int lane = 0; lane < RV_W; lane += RV_V)
    for (int j = 0; j + 1 < w->n; ++j) {
      const int k = j * RV_W + lane, at = 4 * j * RV_W + lane;
      const RvLanes braked = rv_lanes_load(w->braked + k);
      const RvLanes u = (one - braked) * rv_lanes_load(w->free_speed + k);
      const RvLanes loss = rv_lanes_load(w->speed + k) - u;
      const RvLanes below = rv_film_lower_part(
          density * rv_lanes_load(w->now.share + k) * rv_lanes_load(w->volume + k),
          density * (one - rv_lanes_load(w->now.share + k + RV_W)) * rv_lanes_load(w->volume + k + RV_W));
      const RvLanes3 impulse =
          rv_lanes3_scale(rv_lanes3_load(w->before.tangent + 3 * j * RV_W + lane), rv_lanes_load(w->mass + k) * loss);
      rv_lanes_store(w->speed + k, u);
      rv_lanes_store(w->gain + k, rv_lanes_load(w->gain + k) - loss);
      rv_lanes_store(w->stuck + k, braked);
      rv_lanes3_store(w->kick + at, rv_lanes3_mad(rv_lanes3_load(w->kick + at), below, impulse));
      rv_lanes3_store(w->kick + at + 4 * RV_W,
                      rv_lanes3_mad(rv_lanes3_load(w->kick + at + 4 * RV_W), one - below, impulse));
    }
}

// Projects the speeds from the tangents of the middle of the step on the new ones; the difference of momentum is an
// impulse on the strand.
void RV_KERNEL(rv_film_settle)(const RvFilmWork* w) {
  const RvLanes one = rv_lanes_set(1);
  for (int lane = 0; lane < RV_W; lane += RV_V)
    for (int j = 0; j + 1 < w->n; ++j) {
      const int k = j * RV_W + lane, k3 = 3 * j * RV_W + lane, at = 4 * j * RV_W + lane;
      const RvLanes density = rv_lanes_set(w->density);
      const RvLanes below = rv_film_lower_part(
          density * rv_lanes_load(w->now.share + k) * rv_lanes_load(w->volume + k),
          density * (one - rv_lanes_load(w->now.share + k + RV_W)) * rv_lanes_load(w->volume + k + RV_W));
      const RvLanes u = rv_lanes_load(w->speed + k), mass = rv_lanes_load(w->mass + k);
      const RvLanes3 old = rv_lanes3_load(w->before.tangent + k3), t = rv_lanes3_load(w->now.tangent + k3);
      const RvLanes now = u * rv_lanes3_dot(old, t);
      const RvLanes3 difference = rv_lanes3_mad(rv_lanes3_scale(old, mass * u), -(mass * now), t);
      rv_lanes_store(w->speed + k, now);
      rv_lanes3_store(w->kick + at, rv_lanes3_mad(rv_lanes3_load(w->kick + at), below, difference));
      rv_lanes3_store(w->kick + at + 4 * RV_W,
                      rv_lanes3_mad(rv_lanes3_load(w->kick + at + 4 * RV_W), one - below, difference));
    }
}
