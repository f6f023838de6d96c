// Rows of eight neighbours for kernel files, and the smoothing kernels on them (sph/kernels.h). With RV_W = 1, the
// baseline of the benchmarks, a row is one number.
//
// Only operations with one rounding are used, no contraction and no approximation, so that every instruction set gives
// the same bits.
#ifndef RV_SPH_LANES_H
#define RV_SPH_LANES_H

#include <stdint.h>

#include "math/lanes_float.h"

#if RV_W == 1
typedef float RvSphRow;
typedef int32_t RvSphMask;
#else
typedef RvRow RvSphRow;
typedef int32_t RvSphMask __attribute__((vector_size(32)));
typedef float RvSphQuad __attribute__((vector_size(16)));  // one particle: x, y, z and a fourth number
#endif

// Three coordinates, and a fourth number, of the particles of a row.
typedef struct RvSphRow4 {
  RvSphRow x, y, z, w;
} RvSphRow4;

// The same number in all lanes.
RV_INLINE RvSphRow rv_sph_set(float x) {
#if RV_W == 1
  return x;
#else
  return rv_row_set(x);
#endif
}

// x where the mask is set, else 0.
RV_INLINE RvSphRow rv_sph_where(RvSphMask mask, RvSphRow x) {
#if RV_W == 1
  return mask ? x : 0;
#else
  return (RvSphRow)(mask & (RvSphMask)x);
#endif
}

// Maximum of x and 0; 0 for NaN.
RV_INLINE RvSphRow rv_sph_positive(RvSphRow x) {
#if RV_W == 8 && defined(__AVX2__)
  return (RvSphRow)_mm256_max_ps((__m256)x, _mm256_setzero_ps());
#else
  return rv_sph_where(x > rv_sph_set(0), x);
#endif
}

// Maximum: a if it is larger, else b.
RV_INLINE RvSphRow rv_sph_max(RvSphRow a, RvSphRow b) {
#if RV_W == 1
  return a > b ? a : b;
#elif defined(__AVX2__)
  return (RvSphRow)_mm256_max_ps((__m256)a, (__m256)b);
#else
  RvSphMask mask = a > b;
  return (RvSphRow)((mask & (RvSphMask)a) | (~mask & (RvSphMask)b));
#endif
}

// Minimum.
RV_INLINE RvSphRow rv_sph_min(RvSphRow a, RvSphRow b) {
  return -rv_sph_max(-a, -b);
}

// Square root, correctly rounded by every instruction set.
RV_INLINE RvSphRow rv_sph_sqrt(RvSphRow x) {
#if RV_W == 1
  return __builtin_sqrtf(x);
#elif defined(__AVX2__)
  return (RvSphRow)_mm256_sqrt_ps((__m256)x);
#else
  RvSphRow r;
  RV_UNROLL
  for (int i = 0; i < 8; ++i) r[i] = __builtin_sqrtf(x[i]);
  return r;
#endif
}

// Sum of the lanes by a fixed tree.
RV_INLINE float rv_sph_total(RvSphRow s) {
#if RV_W == 1
  return s;
#else
  return ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
#endif
}

// Largest of the lanes.
RV_INLINE float rv_sph_largest(RvSphRow s) {
#if RV_W == 1
  return s;
#else
  float largest = s[0];
  RV_UNROLL
  for (int i = 1; i < 8; ++i) largest = s[i] > largest ? s[i] : largest;
  return largest;
#endif
}

// Sums of the lanes of four rows, by the same tree each.
RV_INLINE void rv_sph_totals(RvSphRow a, RvSphRow b, RvSphRow c, RvSphRow d, float out[4]) {
#if RV_W == 1
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
#else
  // Halves, then pairs, then the two pairs, of all four at once.
  RvSphRow ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
  RvSphRow ab2 = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
  RvSphRow cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
  RvSphRow cd2 = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
  // Lane k of a particle's numbers: 0 and 4, 1 and 5 here; 2 and 6, 3 and 7 in the second.
  RvSphRow low0 = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13);
  RvSphRow low1 = __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
  RvSphRow low2 = __builtin_shufflevector(ab2, cd2, 0, 1, 8, 9, 4, 5, 12, 13);
  RvSphRow low3 = __builtin_shufflevector(ab2, cd2, 2, 3, 10, 11, 6, 7, 14, 15);
  RvSphQuad s0 = __builtin_shufflevector(low0, low0, 0, 1, 2, 3) + __builtin_shufflevector(low0, low0, 4, 5, 6, 7);
  RvSphQuad s1 = __builtin_shufflevector(low1, low1, 0, 1, 2, 3) + __builtin_shufflevector(low1, low1, 4, 5, 6, 7);
  RvSphQuad s2 = __builtin_shufflevector(low2, low2, 0, 1, 2, 3) + __builtin_shufflevector(low2, low2, 4, 5, 6, 7);
  RvSphQuad s3 = __builtin_shufflevector(low3, low3, 0, 1, 2, 3) + __builtin_shufflevector(low3, low3, 4, 5, 6, 7);
  *(RvSphQuad*)out = (s0 + s1) + (s2 + s3);
#endif
}

#if RV_W == 8
// Two particles side by side. The second is inserted from memory, which is cheaper than a shuffle of two registers.
RV_INLINE RvSphRow rv_sph_two(const float* from, uint32_t first, uint32_t second) {
#if defined(__AVX2__)
  __m256 one = _mm256_castps128_ps256(_mm_load_ps(from + 4 * (size_t)first));
  return (RvSphRow)_mm256_insertf128_ps(one, _mm_load_ps(from + 4 * (size_t)second), 1);
#else
  const RvSphQuad* q = (const RvSphQuad*)from;
  return __builtin_shufflevector(q[first], q[second], 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}
#endif

// Four numbers of each particle of a group, from an array of four a particle.
RV_INLINE RvSphRow4 rv_sph_gather4(const float* from, const uint32_t* index) {
#if RV_W == 1
  const float* p = from + 4 * (size_t)index[0];
  return (RvSphRow4){p[0], p[1], p[2], p[3]};
#else
  // Particles k and k + 4 side by side, then two transpositions of four.
  RvSphRow p0 = rv_sph_two(from, index[0], index[4]);
  RvSphRow p1 = rv_sph_two(from, index[1], index[5]);
  RvSphRow p2 = rv_sph_two(from, index[2], index[6]);
  RvSphRow p3 = rv_sph_two(from, index[3], index[7]);
  RvSphRow xy01 = __builtin_shufflevector(p0, p1, 0, 8, 1, 9, 4, 12, 5, 13);
  RvSphRow zw01 = __builtin_shufflevector(p0, p1, 2, 10, 3, 11, 6, 14, 7, 15);
  RvSphRow xy23 = __builtin_shufflevector(p2, p3, 0, 8, 1, 9, 4, 12, 5, 13);
  RvSphRow zw23 = __builtin_shufflevector(p2, p3, 2, 10, 3, 11, 6, 14, 7, 15);
  return (RvSphRow4){__builtin_shufflevector(xy01, xy23, 0, 1, 8, 9, 4, 5, 12, 13),
                     __builtin_shufflevector(xy01, xy23, 2, 3, 10, 11, 6, 7, 14, 15),
                     __builtin_shufflevector(zw01, zw23, 0, 1, 8, 9, 4, 5, 12, 13),
                     __builtin_shufflevector(zw01, zw23, 2, 3, 10, 11, 6, 7, 14, 15)};
#endif
}

// One number of each particle of a group.
RV_INLINE RvSphRow rv_sph_gather(const float* from, const uint32_t* index) {
#if RV_W == 1
  return from[index[0]];
#else
  return (RvSphRow){from[index[0]], from[index[1]], from[index[2]], from[index[3]],
                    from[index[4]], from[index[5]], from[index[6]], from[index[7]]};
#endif
}

// Indices of a group are read RV_W at a time.
#define RV_SPH_EACH(index, first, groups)                                                                   \
  for (const uint32_t *index = (first), *index##_end = (first) + 8 * (size_t)(groups); index < index##_end; \
       index += RV_W)

//---------------------------------------------------------------------------------------------- kernels

// Smallest distance by which a direction is divided, in supports: pairs nearer than this have no direction.
#define RV_SPH_LEAST_DISTANCE 1e-6f

// Distance and its reciprocal, 0 where a pair has no direction.
typedef struct RvSphDistance {
  RvSphRow q, inverse;
} RvSphDistance;

RV_INLINE RvSphDistance rv_sph_distance(RvSphRow square) {
  RvSphRow q = rv_sph_sqrt(square);
  RvSphRow inverse = rv_sph_set(1) / rv_sph_max(q, rv_sph_set(RV_SPH_LEAST_DISTANCE));
  return (RvSphDistance){q, rv_sph_where(q > rv_sph_set(RV_SPH_LEAST_DISTANCE), inverse)};
}

// poly6 over its factor, of the square of the distance.
RV_INLINE RvSphRow rv_sph_poly6(RvSphRow square) {
  RvSphRow t = rv_sph_positive(rv_sph_set(1) - square);
  return t * t * t;
}

// Slope of spiky over its factor 45 / pi, its sign changed.
RV_INLINE RvSphRow rv_sph_spiky_slope(RvSphRow q) {
  RvSphRow u = rv_sph_positive(rv_sph_set(1) - q);
  return u * u;
}

// viscosity over its factor 15 / (2 pi); `inverse` is 1 / q, 0 for pairs in one place.
RV_INLINE RvSphRow rv_sph_viscosity(RvSphRow q, RvSphRow inverse) {
  RvSphRow w = q * q * (rv_sph_set(1) - rv_sph_set(0.5f) * q) + rv_sph_set(0.5f) * inverse - rv_sph_set(1);
  return rv_sph_where(q < rv_sph_set(1), rv_sph_positive(w));
}

// cohesion over its factor 32 / pi.
RV_INLINE RvSphRow rv_sph_cohesion(RvSphRow q) {
  RvSphRow u = rv_sph_positive(rv_sph_set(1) - q);
  RvSphRow c = u * u * u * q * q * q;
  RvSphRow inner = c - rv_sph_set(1.0f / 64);
  return rv_sph_where(q < rv_sph_set(1), c + rv_sph_where(q <= rv_sph_set(0.5f), inner));
}

// adhesion over its factor 0.007.
RV_INLINE RvSphRow rv_sph_adhesion(RvSphRow q) {
  RvSphRow t = (rv_sph_set(6) - rv_sph_set(4) * q) * q - rv_sph_set(2);
  t = rv_sph_where(q > rv_sph_set(0.5f), rv_sph_where(q < rv_sph_set(1), rv_sph_positive(t)));
  return rv_sph_sqrt(rv_sph_sqrt(t));
}

#endif
