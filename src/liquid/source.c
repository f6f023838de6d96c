// Emission of particles from triangles by a rate (WH-43; source.h). Places and times are quasirandom, so that a stream
// is even in space and time whatever the substeps.
#include "liquid/source.h"

#include <math.h>

#include "base/budget.h"
#include "base/rng.h"
#include "liquid/drop.h"
#include "liquid/source_work.h"
#include "math/scalar.h"

// Whether n numbers are finite.
static bool all_finite(const double* x, size_t n) {
  for (size_t i = 0; i < n; ++i)
    if (!isfinite(x[i])) return false;
  return true;
}

// Refuses settings that make no sense.
static RvResult check(const RvLiquidSource* s, const RvSourceSettings* set, double dt, RvError* error) {
  if (!(set->separation > 0) || !isfinite(set->separation) || !(set->dx > 0) || !isfinite(set->dx))
    return rv_fail(error, RV_BAD_INPUT, "particlesep is %g: it must be above 0", set->separation);
  if (!(s->drop >= 0) || !isfinite(s->drop))
    return rv_fail(error, RV_BAD_INPUT, "source %d: its drops have %g m^3; the drop size must be 0 or more", s->id,
                   s->drop);
  if (!(s->rate >= 0) || !isfinite(s->rate))
    return rv_fail(error, RV_BAD_INPUT, "source %d: its rate is %g m^3/s; it must be 0 or more", s->id, s->rate);
  if (!all_finite(s->velocity, 3) || !isfinite(s->speed) || !isfinite(s->inherit) || !isfinite(s->spread) ||
      !all_finite(s->linear, 3) || !all_finite(s->angular, 3) || !isfinite(dt))
    return rv_fail(error, RV_BAD_INPUT,
                   "source %d: its velocity is not a finite number; check velocity, speed, inherit and spread", s->id);
  return RV_OK;
}

// A direction of the cone around `base`, uniformly distributed over its solid angle.
RvVec3 rv_liquid_source_spread(const RvLiquidSource* s, const RvSourceSettings* set, RvVec3 base, int64_t number) {
  double speed = rv_length(base);
  if (!(s->spread > 0) || !(speed > 0)) return base;
  uint64_t stream = RV_SOURCE_STREAM(s->id);
  double low = rv_cos(fmin(s->spread, RV_PI)), c = 1 - (1 - low) * rv_random(set->seed, stream, (uint64_t)number, 0);
  double around = 2 * RV_PI * rv_random(set->seed, stream, (uint64_t)number, 1), sine = sqrt(fmax(0, 1 - c * c));
  RvVec3 axis = rv_scale(base, 1 / speed), u = rv_perpendicular(axis), v = rv_cross(axis, u);
  RvVec3 d = rv_mad(rv_mad(rv_scale(axis, c), sine * rv_cos(around), u), sine * rv_sin(around), v);
  return rv_scale(d, speed);
}

bool rv_liquid_source_add(const RvLiquidSource* s, const RvSourceSettings* set, RvParticles* p, RvVec3 at, RvVec3 v,
                          double volume, double age, int64_t id) {
  double cell[3] = {(at.x - set->origin[0]) / set->dx, (at.y - set->origin[1]) / set->dx,
                    (at.z - set->origin[2]) / set->dx};
  size_t i = rv_liquid_particles_add(p, cell);
  if (i == SIZE_MAX) return false;
  p->v[0][i] = (float)v.x;
  p->v[1][i] = (float)v.y;
  p->v[2][i] = (float)v.z;
  p->volume[i] = volume;
  p->age[i] = (float)age;
  p->id[i] = id;
  p->row[i] = s->row;
  return true;
}

RvResult rv_liquid_source_room(const RvLiquidSource* s, const RvSourceSettings* set, RvParticles* p, double more,
                               RvError* error) {
  if ((double)p->count + more > (double)set->max_particles)
    return rv_fail(error, RV_LIMIT,
                   "source %d: %.0f new particles beside %zu are more than the %zu allowed; use a larger particlesep "
                   "than %g%s, or lower the rate",
                   s->id, more, p->count, set->max_particles, set->separation,
                   s->drop > 0 ? " and larger drops (dropsize)" : "");
  RvResult result = rv_budget_check(more * RV_PARTICLE_BYTES, error,
                                    "source %d: %.3g new particles at once; lower its rate, or use a larger "
                                    "particlesep than %g%s",
                                    s->id, more, set->separation, s->drop > 0 ? " and larger drops (dropsize)" : "");
  if (result) return result;
  return rv_liquid_particles_reserve(p, p->count + (size_t)more, error);
}

//---------------------------------------------------------------------------------------------- emission

// Sum of the areas up to each triangle; the last is the total.
static RvResult sum_areas(const RvLiquidSource* s, double* sum, RvError* error) {
  sum[0] = 0;
  for (size_t i = 0; i < s->ntriangle; ++i) {
    const double* c = s->corners + 9 * i;
    RvVec3 a = rv_vec3_load64(c), b = rv_vec3_load64(c + 3), d = rv_vec3_load64(c + 6);
    sum[i + 1] = sum[i] + 0.5 * rv_length(rv_cross(rv_sub(d, a), rv_sub(b, a)));
  }
  if (isfinite(sum[s->ntriangle])) return RV_OK;
  return rv_fail(error, RV_BAD_INPUT, "source %d: a point of its shape is not a finite number; repair the geometry",
                 s->id);
}

// The triangle in which the cumulated area reaches `area` (bisection).
static size_t find_triangle(const double* sum, size_t count, double area) {
  size_t lo = 0, hi = count;
  while (hi - lo > 1) {
    size_t mid = lo + (hi - lo) / 2;
    *(sum[mid] <= area ? &lo : &hi) = mid;
  }
  return lo;
}

// Steps of the recurrence along both axes: fractions of 1 / rho and 1 / rho^2 of 2^64, rho^3 = rho + 1.
#define STEP_ALONG 0xc13fa9a902a6328full
#define STEP_ACROSS 0x91e10da5c79e7b1dull

// Member `number` of the additive recurrence in the plane (Roberts 2018, "The unreasonable effectiveness of quasirandom
// sequences"), in [0, 1): successive members are far from each other, so a stream is even. In whole numbers, so it is
// exact after any count.
static double even(uint64_t step, uint64_t shift, int64_t number) {
  return (double)((shift + step * (uint64_t)number) >> 11) * 0x1p-53;
}

// What is born at once: a particle of a stream, or the particles of a drop.
typedef struct Birth {
  double volume;  // m3, of all of them
  size_t count;   // particles
  double radius;  // m, of the ball that they are in
  RvVec3 mean;    // of their places in a ball of radius 1
} Birth;

static Birth birth_of(const RvLiquidSource* s, const RvSourceSettings* set) {
  double nominal = set->separation * set->separation * set->separation;
  if (!(s->drop > 0)) return (Birth){.volume = nominal, .count = 1};
  size_t count = rv_liquid_drop_count(s->drop, nominal);
  return (Birth){s->drop, count, rv_liquid_drop_radius(s->drop), rv_liquid_drop_mean(count)};
}

// The particles of one birth around a place; the last one has what rounding left. False: out of memory or range.
static bool add_birth(const RvLiquidSource* s, const RvSourceSettings* set, const Birth* b, RvVec3 at, RvVec3 v,
                      double since, RvParticles* p, int64_t id) {
  double left = b->volume, each = b->volume / (double)b->count;
  for (size_t n = 0; n < b->count; ++n) {
    RvVec3 place = b->radius > 0 ? rv_mad(at, b->radius, rv_sub(rv_liquid_drop_place(n, b->count), b->mean)) : at;
    double volume = n + 1 < b->count ? each : left;
    if (!rv_liquid_source_add(s, set, p, place, v, volume, since, id + (int64_t)n)) return false;
    left -= volume;
  }
  return true;
}

// One birth: place on the triangles, velocity, and motion since then, `since` seconds ago. False: out of memory or
// range.
static bool emit_one(const RvLiquidSource* s, const RvSourceSettings* set, const Birth* b, const double* sum,
                     int64_t number, double since, RvParticles* p, int64_t id) {
  // quasirandom place on the triangles
  RvRandom4 shift = rv_random4(set->seed, RV_SOURCE_STREAM(s->id), UINT64_MAX);
  double area = sum[s->ntriangle] * even(STEP_ALONG, (uint64_t)shift.v[0] << 32 | shift.v[1], number);
  double across = even(STEP_ACROSS, (uint64_t)shift.v[2] << 32 | shift.v[3], number);
  size_t t = find_triangle(sum, s->ntriangle, area);
  // maps the unit square to the triangle, area-preserving
  double root = sqrt(rv_clamp((area - sum[t]) / (sum[t + 1] - sum[t]), 0, 1));
  double w[3] = {1 - root, root * (1 - across), root * across};
  RvVec3 corner[3], at = {0}, own = {0};
  for (size_t k = 0; k < 3; ++k) {
    corner[k] = rv_vec3_load64(s->corners + 9 * t + 3 * k);
    at = rv_mad(at, w[k], corner[k]);
    if (s->corner_velocity) own = rv_mad(own, w[k], rv_vec3_load(s->corner_velocity + 9 * t + 3 * k));
  }
  // velocity: along the normal, spread, and a share of the shape's own
  RvVec3 normal = rv_normalize(rv_cross(rv_sub(corner[2], corner[0]), rv_sub(corner[1], corner[0])), rv_vec3(0, 0, 0));
  RvVec3 base = rv_mad(rv_vec3_load64(s->velocity), s->speed, normal);
  RvVec3 v = rv_mad(rv_liquid_source_spread(s, set, base, number), s->inherit, own);
  // the triangle was elsewhere when the particle was born, and the particle has moved since
  at = rv_mad(at, since, rv_sub(v, own));
  return add_birth(s, set, b, at, v, since, p, id);
}

// All particles of a substep: a birth whenever the volume that flowed reaches that of one.
static RvResult emit(const RvLiquidSource* s, RvSourceState* state, const RvSourceSettings* set, double dt,
                     RvParticles* p, int64_t* next_id, RvLiquidFlow* flow, RvError* error) {
  const Birth birth = birth_of(s, set);
  const double volume = birth.volume;
  double flowed = state->owed + s->rate * dt;
  double count = floor(flowed / volume);
  if (!(s->rate > 0) || !(dt > 0)) return RV_OK;
  // areas of the triangles
  RvArenaMark mark = rv_arena_mark(set->scratch);
  double* sum = RV_TAKE(set->scratch, double, s->ntriangle + 1);
  RvResult result = sum ? RV_OK : rv_fail(error, RV_NO_MEMORY, "no memory for source %d", s->id);
  if (!result) result = sum_areas(s, sum, error);
  bool idle = !result && !(sum[s->ntriangle] > 0);
  if (idle) flow->idle++;
  if (result || idle) goto done;
  // births, each at the time when its volume had flowed
  result = rv_liquid_source_room(s, set, p, count * (double)birth.count, error);
  size_t before = p->count;
  for (double k = 0; !result && k < count; ++k) {
    // seconds since the volume of k + 1 births had flowed
    double since = rv_clamp(dt - ((k + 1) * volume - state->owed) / s->rate, 0, dt);
    int64_t id = *next_id + (int64_t)k * (int64_t)birth.count;
    if (emit_one(s, set, &birth, sum, state->born + (int64_t)k, since, p, id)) continue;
    result = rv_liquid_particles_complete(p, error);
    if (!result)
      result = rv_fail(error, RV_LIMIT,
                       "source %d is too far away: beyond 8 million cells from the origin; move it nearer", s->id);
  }
  if (result) {
    p->count = before;
    goto done;
  }
  // ledger
  state->owed = fmax(flowed - count * volume, 0);
  state->born += (int64_t)count;
  *next_id += (int64_t)count * (int64_t)birth.count;
  flow->born += (size_t)count * birth.count;
  flow->sources += count * volume;
done:
  rv_arena_release(set->scratch, mark);
  return result;
}

RvResult rv_liquid_source_flow(const RvLiquidSource* s, RvSourceState* state, const RvSourceSettings* set, double dt,
                               RvParticles* p, int64_t* next_id, RvLiquidFlow* flow, RvError* error) {
  if (!s->active) return RV_OK;
  RvResult result = check(s, set, dt, error);
  if (result) return result;
  if (s->mode == RV_SOURCE_FILL) return rv_liquid_source_fill(s, state, set, p, next_id, flow, error);
  return emit(s, state, set, dt, p, next_id, flow, error);
}
