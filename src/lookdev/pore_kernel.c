// The sums of pores; see pore_kernel.h.
#include "lookdev/pore_kernel.h"

#include "sph/lanes.h"

// Offsets to the particles of a group from particle i.
typedef struct Pair {
  RvSphRow x, y, z, w;  // towards the others, and their weights
  RvSphRow square;
} Pair;

RV_INLINE Pair pair_of(const RvPoreSums* s, const float* x, const uint32_t* j) {
  RvSphRow4 p = rv_sph_gather4(s->to, j);
  RvSphRow d0 = p.x - rv_sph_set(x[0]), d1 = p.y - rv_sph_set(x[1]), d2 = p.z - rv_sph_set(x[2]);
  return (Pair){d0, d1, d2, p.w, d0 * d0 + d1 * d1 + d2 * d2};
}

void RV_KERNEL(rv_pore_density)(const RvPoreSums* s, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    RvSphRow sum = rv_sph_set(0);
    RV_SPH_EACH(j, s->lists->index + 8 * (size_t)s->lists->first[i], s->lists->groups[i]) {
      Pair p = pair_of(s, s->of + 4 * i, j);
      sum += p.w * rv_sph_poly6(p.square);
    }
    s->out[4 * i] = rv_sph_total(sum);
  }
}

void RV_KERNEL(rv_pore_adhesion)(const RvPoreSums* s, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    const float* v = s->velocity_of + 4 * i;
    RvSphRow a0 = rv_sph_set(0), a1 = a0, a2 = a0, g0 = a0, g1 = a0, g2 = a0, sum = a0;
    RV_SPH_EACH(j, s->lists->index + 8 * (size_t)s->lists->first[i], s->lists->groups[i]) {
      Pair p = pair_of(s, s->of + 4 * i, j);
      RvSphRow4 u = rv_sph_gather4(s->velocity_to, j);
      RvSphDistance r = rv_sph_distance(p.square);
      RvSphRow pull = p.w * rv_sph_adhesion(r.q) * r.inverse;
      RvSphRow drag = p.w * rv_sph_poly6(p.square);
      a0 += pull * p.x;
      a1 += pull * p.y;
      a2 += pull * p.z;
      g0 += drag * (u.x - rv_sph_set(v[0]));
      g1 += drag * (u.y - rv_sph_set(v[1]));
      g2 += drag * (u.z - rv_sph_set(v[2]));
      sum += drag;
    }
    float pull[4] __attribute__((aligned(16)));
    float drag[4] __attribute__((aligned(16)));
    rv_sph_totals(a0, a1, a2, a2, pull);
    rv_sph_totals(g0, g1, g2, sum, drag);
    float share = 1 / (1 + s->dt * s->drag * drag[3]);
    s->drag_share[4 * i] = share;
    for (size_t a = 0; a < 3; ++a) s->out[4 * i + a] = s->adhesion * pull[a] + share * s->drag * drag[a];
    s->out[4 * i + 3] = drag[3];
  }
}

void RV_KERNEL(rv_pore_reaction)(const RvPoreSums* s, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    const float* v = s->velocity_of + 4 * i;
    const RvSphRow space = rv_sph_set(s->of[4 * i + 3]);
    RvSphRow a0 = rv_sph_set(0), a1 = a0, a2 = a0, sum = a0;
    RV_SPH_EACH(j, s->lists->index + 8 * (size_t)s->lists->first[i], s->lists->groups[i]) {
      Pair p = pair_of(s, s->of + 4 * i, j);
      RvSphRow4 u = rv_sph_gather4(s->velocity_to, j);
      RvSphDistance r = rv_sph_distance(p.square);
      RvSphRow weight = rv_sph_poly6(p.square);
      RvSphRow pull = p.w * (space * rv_sph_set(s->adhesion) * rv_sph_adhesion(r.q) * r.inverse);
      RvSphRow drag = p.w * (space * rv_sph_set(s->drag) * weight * u.w);
      a0 += pull * p.x + drag * (u.x - rv_sph_set(v[0]));
      a1 += pull * p.y + drag * (u.y - rv_sph_set(v[1]));
      a2 += pull * p.z + drag * (u.z - rv_sph_set(v[2]));
      sum += p.w * weight;
    }
    float total[4] __attribute__((aligned(16)));
    rv_sph_totals(a0, a1, a2, sum, total);
    for (size_t a = 0; a < 4; ++a) s->out[4 * i + a] = total[a];
  }
}

// Sums of volumes in doubles, so that what particles lose and what pores get differ by roundings of doubles only.
#if RV_W == 1
typedef double Sum;
RV_INLINE Sum widen(RvSphRow x) {
  return (double)x;
}
RV_INLINE double total_of(Sum x) {
  return x;
}
#else
typedef RvRowSum Sum;
RV_INLINE Sum widen(RvSphRow x) {
  return rv_row_wide(x);
}
RV_INLINE double total_of(Sum x) {
  return rv_row_total(x);
}
#endif

void RV_KERNEL(rv_pore_wanted)(const RvPoreSums* s, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    Sum sum = widen(rv_sph_set(0));
    RV_SPH_EACH(j, s->lists->index + 8 * (size_t)s->lists->first[i], s->lists->groups[i]) {
      Pair p = pair_of(s, s->of + 4 * i, j);
      sum += widen(rv_sph_poly6(p.square) * p.w);
    }
    s->total[i] = total_of(sum);
  }
}

void RV_KERNEL(rv_pore_gained)(const RvPoreSums* s, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    const RvSphRow wish = rv_sph_set(s->of[4 * i + 3]);
    Sum sum = widen(rv_sph_set(0));
    // A pore that is full wishes nothing.
    unsigned groups = s->of[4 * i + 3] > 0 ? s->lists->groups[i] : 0;
    RV_SPH_EACH(j, s->lists->index + 8 * (size_t)s->lists->first[i], groups) {
      Pair p = pair_of(s, s->of + 4 * i, j);
      sum += widen(rv_sph_poly6(p.square) * wish) * widen(p.w);
    }
    s->total[i] = total_of(sum);
  }
}

void RV_KERNEL(rv_pore_clumping)(const RvPoreSums* s, size_t begin, size_t end) {
  const RvSphRow half = rv_sph_set(0.5f);
  for (size_t i = begin; i < end; ++i) {
    const float* wet = s->wet + 4 * i;
    const float* v = s->velocity + 4 * i;
    const RvSphRow thin = rv_sph_set(s->thin ? s->thin[i] : 1);
    RvSphRow a0 = rv_sph_set(0), a1 = a0, a2 = a0;
    const uint32_t* first = s->lists->index + 8 * (size_t)s->lists->first[i];
    // A pore that is dry or under water has no pair.
    unsigned groups = wet[0] > 0 ? s->lists->groups[i] : 0;
    RV_SPH_EACH(j, first, groups) {
      Pair p = pair_of(s, s->of + 4 * i, j);
      RvSphRow4 other = rv_sph_gather4(s->wet, j);
      RvSphRow4 u = rv_sph_gather4(s->velocity, j);
      RvSphDistance r = rv_sph_distance(p.square);
      RvSphRow apart = u.w - rv_sph_set(v[3]);
      apart = rv_sph_max(apart, -apart);
      // Both factors of the pair are symmetric: wetness as a product, mass times space and the place along as means.
      RvSphRow both = rv_sph_set(wet[0]) * other.x * half * (rv_sph_set(wet[3]) + other.w);
      if (s->thin) both *= rv_sph_max(thin, rv_sph_gather(s->thin, j));
      RvSphRow load = half * (rv_sph_set(wet[1]) * other.z + rv_sph_set(wet[2]) * other.y);
      RvSphRow weight = rv_sph_where(apart > rv_sph_set(RV_PORE_APART), both * load);
      // Attraction alone: the kernel's repulsion would hold hairs apart by the spacing of the liquid.
      RvSphRow pull = weight * rv_sph_set(s->clumping) * rv_sph_positive(rv_sph_cohesion(r.q)) * r.inverse;
      RvSphRow drag = weight * rv_sph_set(s->damping) * rv_sph_poly6(p.square);
      a0 += pull * p.x + drag * (u.x - rv_sph_set(v[0]));
      a1 += pull * p.y + drag * (u.y - rv_sph_set(v[1]));
      a2 += pull * p.z + drag * (u.z - rv_sph_set(v[2]));
    }
    float total[4] __attribute__((aligned(16)));
    rv_sph_totals(a0, a1, a2, a2, total);
    for (size_t a = 0; a < 3; ++a) s->out[4 * i + a] = total[a];
  }
}
