// The sums of position-based liquid; see liquid_kernel.h.
#include "lookdev/liquid_kernel.h"

#include "sph/lanes.h"

// Largest 1 / q of the viscosity kernel: it is infinite at 0, and pairs nearer than a quarter of the support are not
// slowed more than those at it, so that the explicit step stays stable.
#define VISCOSITY_STEEPEST 4.0f
// Share of the speed around that an impact may give back.
#define RESTITUTION 0.3f
// Least relative density by which cohesion is divided: about that of a full particle alone.
#define LEAST_DENSITY 0.2f

// The sums of particle i over its neighbours.
typedef struct Around {
  float value;        // sum of m W
  float gradient[3];  // of its own constraint by its place, over -slope_factor
  float square;       // sum of m (slope)^2, over slope_factor^2
} Around;

RV_INLINE Around sum_around(const RvLookdevSums* s, size_t i) {
  const float* x = s->at + 4 * i;
  const RvSphRow x0 = rv_sph_set(x[0]), x1 = rv_sph_set(x[1]), x2 = rv_sph_set(x[2]);
  RvSphRow value = rv_sph_set(0), square = value, g0 = value, g1 = value, g2 = value;
  RV_SPH_EACH(j, s->lists->index + 8 * (size_t)s->lists->first[i], s->lists->groups[i]) {
    RvSphRow4 p = rv_sph_gather4(s->at, j);
    RvSphRow d0 = x0 - p.x, d1 = x1 - p.y, d2 = x2 - p.z;
    RvSphRow r2 = d0 * d0 + d1 * d1 + d2 * d2;
    RvSphDistance r = rv_sph_distance(r2);
    value += p.w * rv_sph_poly6(r2);
    RvSphRow slope = rv_sph_where(r2 > rv_sph_set(0), rv_sph_spiky_slope(r.q));
    square += p.w * (slope * slope);
    RvSphRow push = p.w * (slope * r.inverse);
    g0 += push * d0;
    g1 += push * d1;
    g2 += push * d2;
  }
  float total[4] __attribute__((aligned(16)));
  rv_sph_totals(value, g0, g1, g2, total);
  return (Around){total[0], {total[1], total[2], total[3]}, rv_sph_total(square)};
}

RvLookdevExcess RV_KERNEL(rv_lookdev_density)(const RvLookdevSums* s, size_t begin, size_t end) {
  RvLookdevExcess excess = {0};
  const float factor = s->slope_factor;
  for (size_t i = begin; i < end; ++i) {
    float solid[3];
    Around around = sum_around(s, i);
    float density = s->value_factor * around.value + rv_lookdev_solid_share(s, i, solid);
    // Gradient of the constraint by the particle's own place; it points to where the liquid is denser.
    float* normal = s->normal + 4 * i;
    float diagonal = 0;
    for (int a = 0; a < 3; ++a) {
      normal[a] = solid[a] - factor * around.gradient[a];
      s->solid[4 * i + (size_t)a] = solid[a];
      diagonal += normal[a] * normal[a];
    }
    normal[3] = density > LEAST_DENSITY ? density : LEAST_DENSITY;
    diagonal += s->at[4 * i + 3] * factor * factor * around.square;
    // A Jacobi step of the multiplier, which stays at or above 0: particles are pushed apart, never together.
    float now = s->multiplier[i] + s->over * (density - 1) / (diagonal + s->relaxation);
    now = now > 0 ? now : 0;
    s->change[i] = now - s->multiplier[i];
    s->multiplier[i] = now;
    s->density[i] = density;
    if (density > 1) excess.sum += density - 1;
    excess.largest = density - 1 > excess.largest ? density - 1 : excess.largest;
  }
  return excess;
}

void RV_KERNEL(rv_lookdev_displace)(const RvLookdevSums* s, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    const float* x = s->at + 4 * i;
    const float own = s->change[i];
    const RvSphRow x0 = rv_sph_set(x[0]), x1 = rv_sph_set(x[1]), x2 = rv_sph_set(x[2]), own_row = rv_sph_set(own);
    RvSphRow g0 = rv_sph_set(0), g1 = g0, g2 = g0;
    RV_SPH_EACH(j, s->lists->index + 8 * (size_t)s->lists->first[i], s->lists->groups[i]) {
      RvSphRow4 p = rv_sph_gather4(s->at, j);
      RvSphRow both = own_row + rv_sph_gather(s->change, j);
      RvSphRow d0 = x0 - p.x, d1 = x1 - p.y, d2 = x2 - p.z;
      RvSphDistance r = rv_sph_distance(d0 * d0 + d1 * d1 + d2 * d2);
      RvSphRow push = p.w * both * (rv_sph_spiky_slope(r.q) * r.inverse);
      g0 += push * d0;
      g1 += push * d1;
      g2 += push * d2;
    }
    float total[4] __attribute__((aligned(16)));
    rv_sph_totals(g0, g1, g2, g2, total);
    for (size_t a = 0; a < 3; ++a) s->next[4 * i + a] = x[a] + (s->slope_factor * total[a] - own * s->solid[4 * i + a]);
    s->next[4 * i + 3] = x[3];
  }
}

// Limits what the projection added to a velocity. Layers that an impact at a long substep pushes into one would throw
// each other out; so along the direction of the gain no particle gets faster than its surroundings came, but for a
// share of their speed and the allowance. Gains below the allowance, as in calm liquid, are left alone. Returns the
// speed that was taken away.
static float calm_impact(const RvLookdevSums* s, size_t i, float* v) {
  const float* before = s->before + 4 * i;
  float gain[3];
  float square = 0;
  for (int a = 0; a < 3; ++a) {
    gain[a] = v[a] - before[a];
    square += gain[a] * gain[a];
  }
  if (!(square > s->allowance * s->allowance)) return 0;
  float size = __builtin_sqrtf(square);
  for (int a = 0; a < 3; ++a) gain[a] /= size;
  // Largest velocity around along the gain, and largest speed.
  RvSphRow along = rv_sph_set(before[0] * gain[0] + before[1] * gain[1] + before[2] * gain[2]);
  RvSphRow fastest = rv_sph_set(before[3]);
  RV_SPH_EACH(j, s->lists->index + 8 * (size_t)s->lists->first[i], s->lists->groups[i]) {
    RvSphRow4 u = rv_sph_gather4(s->before, j);
    along = rv_sph_max(along, u.x * rv_sph_set(gain[0]) + u.y * rv_sph_set(gain[1]) + u.z * rv_sph_set(gain[2]));
    fastest = rv_sph_max(fastest, u.w);
  }
  float most = rv_sph_largest(along);
  float bounce = RESTITUTION * rv_sph_largest(fastest);
  most = (most > bounce ? most : bounce) + s->allowance;
  float over = v[0] * gain[0] + v[1] * gain[1] + v[2] * gain[2] - most;
  if (!(over > 0)) return 0;
  for (int a = 0; a < 3; ++a) v[a] -= over * gain[a];
  return over;
}

RvLookdevCalmed RV_KERNEL(rv_lookdev_forces)(const RvLookdevSums* s, size_t begin, size_t end) {
  RvLookdevCalmed calmed = {0};
  const RvSphRow cohesion = rv_sph_set(s->cohesion), curvature = rv_sph_set(s->curvature);
  const RvSphRow viscosity = rv_sph_set(s->viscosity), two = rv_sph_set(2);
  for (size_t i = begin; i < end; ++i) {
    const float* x = s->at + 4 * i;
    const float* v = s->velocity + 4 * i;
    const float* n = s->normal + 4 * i;
    RvSphRow a0 = rv_sph_set(0), a1 = a0, a2 = a0;
    RV_SPH_EACH(j, s->lists->index + 8 * (size_t)s->lists->first[i], s->lists->groups[i]) {
      RvSphRow4 p = rv_sph_gather4(s->at, j);
      RvSphRow4 u = rv_sph_gather4(s->velocity, j);
      RvSphRow4 m = rv_sph_gather4(s->normal, j);
      RvSphRow d0 = rv_sph_set(x[0]) - p.x, d1 = rv_sph_set(x[1]) - p.y, d2 = rv_sph_set(x[2]) - p.z;
      RvSphDistance r = rv_sph_distance(d0 * d0 + d1 * d1 + d2 * d2);
      // Pairs of sparse particles attract each other more: K = 2 rho0 / (rho_i + rho_j).
      RvSphRow scarce = p.w * (two / (rv_sph_set(n[3]) + m.w));
      RvSphRow pull = scarce * cohesion * rv_sph_cohesion(r.q) * r.inverse;
      RvSphRow bend = rv_sph_where(r.q < rv_sph_set(1), scarce * curvature);
      RvSphRow steep = rv_sph_min(r.inverse, rv_sph_set(VISCOSITY_STEEPEST));
      RvSphRow slow = p.w * viscosity * rv_sph_viscosity(rv_sph_max(r.q, rv_sph_set(1 / VISCOSITY_STEEPEST)), steep);
      a0 += slow * (u.x - rv_sph_set(v[0])) - pull * d0 - bend * (rv_sph_set(n[0]) - m.x);
      a1 += slow * (u.y - rv_sph_set(v[1])) - pull * d1 - bend * (rv_sph_set(n[1]) - m.y);
      a2 += slow * (u.z - rv_sph_set(v[2])) - pull * d2 - bend * (rv_sph_set(n[2]) - m.z);
    }
    float total[4] __attribute__((aligned(16)));
    rv_sph_totals(a0, a1, a2, a2, total);
    float calm[3] = {v[0], v[1], v[2]};
    float taken = calm_impact(s, i, calm);
    calmed.count += taken > 0;
    calmed.speed += (double)(x[3] * taken);
    for (size_t a = 0; a < 3; ++a) s->velocity_next[4 * i + a] = calm[a] + total[a];
    s->velocity_next[4 * i + 3] = v[3];
  }
  return calmed;
}
