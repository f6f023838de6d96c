// Geometry of pairs of edges, eight at a time (pair.h). The operations are those of pair.c one by one, so the bits are
// the same.
#include <stddef.h>

#include "contact/choose.h"
#include "contact/pair.h"

#define PARALLEL_LINES 1e-12  // as in pair.c
#define BLEND 0.01            // as in pair.c
#define LEAST_LENGTH 1e-150   // as rv_normalize: a shorter vector has no direction

void RV_KERNEL(rv_contact_closest_lanes)(const RvVec3* x, const RvPairIndex* index, RvClosestLanes* out);
void RV_KERNEL(rv_contact_facing_lanes)(const RvPairSource* from, const RvPairIndex* index, RvFacingLanes* out);
void RV_KERNEL(rv_contact_facing_moved_lanes)(const RvPairSource* from, const RvPairIndex* index, const double* time,
                                              RvFacingLanes* out);
void RV_KERNEL(rv_contact_boxes_meet)(const RvBoxes* boxes, size_t i, size_t first, size_t last, uint32_t* out);

// Gathers vectors of several indices: loads each as a whole, then transposes. (Storing numbers one by one and loading
// them as a vector would stall on store forwarding.)
RV_INLINE RvLanes3 pick3(const RvVec3* p, const uint32_t* at) {
#if RV_V == 8
  const __m512d a =
      _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(&p[at[0]].x)), _mm256_loadu_pd(&p[at[4]].x), 1);
  const __m512d b =
      _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(&p[at[1]].x)), _mm256_loadu_pd(&p[at[5]].x), 1);
  const __m512d c =
      _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(&p[at[2]].x)), _mm256_loadu_pd(&p[at[6]].x), 1);
  const __m512d d =
      _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(&p[at[3]].x)), _mm256_loadu_pd(&p[at[7]].x), 1);
  const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  const __m512d ab = _mm512_unpacklo_pd(a, b), cd = _mm512_unpacklo_pd(c, d);
  const __m512d y = _mm512_permutex2var_pd(_mm512_unpackhi_pd(a, b), low, _mm512_unpackhi_pd(c, d));
  return (RvLanes3){(RvLanes)_mm512_permutex2var_pd(ab, low, cd), (RvLanes)y,
                    (RvLanes)_mm512_permutex2var_pd(ab, high, cd)};
#elif RV_V == 4
  const __m256d a = _mm256_loadu_pd(&p[at[0]].x), b = _mm256_loadu_pd(&p[at[1]].x);
  const __m256d c = _mm256_loadu_pd(&p[at[2]].x), d = _mm256_loadu_pd(&p[at[3]].x);
  const __m256d ab = _mm256_unpacklo_pd(a, b), cd = _mm256_unpacklo_pd(c, d);
  const __m256d y = _mm256_permute2f128_pd(_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d), 0x20);
  return (RvLanes3){(RvLanes)_mm256_permute2f128_pd(ab, cd, 0x20), (RvLanes)y,
                    (RvLanes)_mm256_permute2f128_pd(ab, cd, 0x31)};
#elif RV_V == 2
  const RvVec3 *a = &p[at[0]], *b = &p[at[1]];
  return (RvLanes3){{a->x, b->x}, {a->y, b->y}, {a->z, b->z}};
#else
  return (RvLanes3){p[at[0]].x, p[at[0]].y, p[at[0]].z};
#endif
}

// Gathers numbers of several indices.
RV_INLINE RvLanes pick(const double* p, const uint32_t* at) {
#if RV_V == 8
  return (RvLanes){p[at[0]], p[at[1]], p[at[2]], p[at[3]], p[at[4]], p[at[5]], p[at[6]], p[at[7]]};
#elif RV_V == 4
  return (RvLanes){p[at[0]], p[at[1]], p[at[2]], p[at[3]]};
#elif RV_V == 2
  return (RvLanes){p[at[0]], p[at[1]]};
#else
  return p[at[0]];
#endif
}

RV_INLINE RvLanes3 load3(const double p[3][RV_PAIRS], int k) {
  return (RvLanes3){rv_lanes_load(p[0] + k), rv_lanes_load(p[1] + k), rv_lanes_load(p[2] + k)};
}

RV_INLINE void store3(double p[3][RV_PAIRS], int k, RvLanes3 a) {
  rv_lanes_store(p[0] + k, a.x);
  rv_lanes_store(p[1] + k, a.y);
  rv_lanes_store(p[2] + k, a.z);
}

// These have no fused operations, unlike rv_lanes3_dot and others, to give the bits of math/vec.h.
RV_INLINE RvLanes dot(RvLanes3 a, RvLanes3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

RV_INLINE RvLanes3 cross(RvLanes3 a, RvLanes3 b) {
  return (RvLanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

RV_INLINE RvLanes3 mad(RvLanes3 a, RvLanes s, RvLanes3 b) {
  return (RvLanes3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

RV_INLINE RvLanes3 select3(RvLaneMask mask, RvLanes3 yes, RvLanes3 no) {
  return (RvLanes3){rv_lanes_select(mask, yes.x, no.x), rv_lanes_select(mask, yes.y, no.y),
                    rv_lanes_select(mask, yes.z, no.z)};
}

RV_INLINE RvLanes3 normalize(RvLanes3 a, RvLanes3 fallback) {
  RvLanes n = rv_lanes_sqrt(dot(a, a));
  return select3(MASK(n > rv_lanes_set(LEAST_LENGTH)), rv_lanes3_scale(a, rv_lanes_set(1) / n), fallback);
}

RV_INLINE RvLanes clamp01(RvLanes x) {
  return clamp(x, rv_lanes_set(0), rv_lanes_set(1));
}

// Nearest points of the segments a + s d and b + t e.
typedef struct Closest {
  RvLanes s, t;
  RvLanes3 delta;
} Closest;

// As rv_contact_closest_points.
RV_INLINE Closest closest(RvLanes3 a, RvLanes3 d, RvLanes3 b, RvLanes3 e) {
  const RvLanes3 r = rv_lanes3_sub(a, b);
  const RvLanes dd = dot(d, d), ee = dot(e, e), de = dot(d, e), dr = dot(d, r), er = dot(e, r);
  const RvLanes det = dd * ee - de * de, zero = rv_lanes_set(0), one = rv_lanes_set(1);
  const RvLanes per_d = one / dd, per_e = one / ee;
  const RvLanes t0 = er * per_e, t1 = (er + de) * per_e, lo = clamp01(lesser(t0, t1)), hi = clamp01(greater(t0, t1));
  const RvLanes abreast = clamp01((rv_lanes_set(0.5) * (lo + hi) * de - dr) * per_d);
  RvLanes s =
      rv_lanes_select(MASK(det > rv_lanes_set(PARALLEL_LINES) * dd * ee), clamp01((de * er - ee * dr) / det), abreast);
  RvLanes t = (de * s + er) * per_e;
  const RvLaneMask outside = MASK(t < zero) | MASK(t > one);
  t = clamp01(t);
  s = rv_lanes_select(outside, clamp01((de * t - dr) * per_d), s);
  return (Closest){s, t, rv_lanes3_sub(mad(a, s, d), mad(b, t, e))};
}

void RV_KERNEL(rv_contact_closest_lanes)(const RvVec3* x, const RvPairIndex* index, RvClosestLanes* out) {
  for (int k = 0; k < RV_PAIRS; k += RV_V) {
    const uint32_t *i = index->vertex[0] + k, *j = index->vertex[1] + k;
    const RvLanes3 a = pick3(x, i), b = pick3(x, j);
    Closest c = closest(a, rv_lanes3_sub(pick3(x + 1, i), a), b, rv_lanes3_sub(pick3(x + 1, j), b));
    rv_lanes_store(out->s + k, c.s);
    rv_lanes_store(out->t + k, c.t);
    store3(out->delta, k, c.delta);
    rv_lanes_store(out->distance + k, rv_lanes_sqrt(dot(c.delta, c.delta)));
  }
}

// As rv_perpendicular.
RV_INLINE RvLanes3 perpendicular(RvLanes3 n) {
  const RvLanes one = rv_lanes_set(1);
#if RV_V == 1
  const RvLanes sign = __builtin_copysign(1.0, n.z);
#else
  const RvLanes sign = (RvLanes)(((RvLaneMask)n.z & (RvLaneMask)rv_lanes_set(-0.0)) | (RvLaneMask)one);
#endif
  const RvLanes a = -one / (sign + n.z), b = n.x * n.y * a;
  return (RvLanes3){one + sign * n.x * n.x * a, sign * b, -sign * n.x};
}

// As normal_of in pair.c; `side` NULL: none.
RV_INLINE RvLanes3 normal_of(RvLanes3 ta, RvLanes3 tb, RvLanes3 delta, const RvLanes3* side) {
  const RvLanes3 c = cross(ta, tb);
  const RvLanes blend = rv_lanes_set(BLEND), sine2 = dot(c, c), parallel = blend / (sine2 + blend);
  const RvLanes3 across = normalize(c, perpendicular(tb)), out = rv_lanes3_scale(across, dot(across, delta));
  const RvLanes3 m = normalize(mad(out, parallel, rv_lanes3_sub(delta, out)), side ? *side : across);
  if (!side) return m;
  return select3(MASK(dot(m, *side) < rv_lanes_set(0)), (RvLanes3){-m.x, -m.y, -m.z}, m);
}

// As clip in pair.c.
RV_INLINE void clip(RvLanes value, RvLanes slope, RvLanes* lo, RvLanes* hi) {
  const RvLanes zero = rv_lanes_set(0), at_lo = value + slope * *lo, at_hi = value + slope * *hi;
  const RvLaneMask below = MASK(at_lo < zero), above = MASK(at_hi < zero);
  const RvLanes cut = clamp(-value / slope, *lo, *hi), from = *lo;
  *lo = rv_lanes_select(below & ~above, cut, *lo);
  *hi = rv_lanes_select(below & above, from, rv_lanes_select(above, cut, *hi));
}

// Edges a + d and b + e with their tangents and lengths, and the plane normals of b.
typedef struct Edges {
  RvLanes3 a, d, b, e, b1, ta, tb, before, after;
  RvLanes da, db, wide;
} Edges;

typedef struct Facing {
  RvLanes u, v, length, gap;
  RvLanes3 normal;
} Facing;

// As rv_contact_facing.
RV_INLINE Facing facing(const Edges* x, const RvLanes3* side) {
  const RvLanes zero = rv_lanes_set(0), wide = x->wide;
  const RvLanes3 a = x->a, d = x->d, b = x->b, e = x->e, b1 = x->b1, tb = x->tb;
  const RvLanes3 normal = normal_of(x->ta, tb, closest(a, d, b, e).delta, side);
  const RvLanes3 from = rv_lanes3_sub(a, b), beside = normalize(cross(normal, tb), (RvLanes3){zero, zero, zero});
  const RvLanes off = dot(from, beside), slope = dot(d, beside);
  RvLanes lo = zero, hi = rv_lanes_set(1);
  clip(wide - off, -slope, &lo, &hi);
  clip(wide + off, slope, &lo, &hi);
  clip(dot(from, x->before), dot(d, x->before), &lo, &hi);
  clip(dot(rv_lanes3_sub(b1, a), x->after), -dot(d, x->after), &lo, &hi);
  const RvLanes u = rv_lanes_set(0.5) * (lo + hi);
  const RvLanes3 at = mad(a, u, d);
  const RvLanes v = clamp01(dot(rv_lanes3_sub(at, b), tb) / x->db);
  const RvLanes gap = dot(normal, rv_lanes3_sub(at, mad(b, v, e)));
  const RvLaneMask good = MASK(x->da > zero) & MASK(x->db > zero);
  return (Facing){rv_lanes_select(good, u, zero), rv_lanes_select(good, v, zero),
                  rv_lanes_select(good, (hi - lo) * x->da, zero), rv_lanes_select(good, gap, zero),
                  select3(good, normal, (RvLanes3){zero, zero, zero})};
}

RV_INLINE RvLanes3 lerp(RvLanes3 a, RvLanes3 b, RvLanes t) {
  return rv_lanes3_add(rv_lanes3_scale(a, rv_lanes_set(1) - t), rv_lanes3_scale(b, t));
}

// As closing in links.c.
RV_INLINE RvLanes closing(const RvPairSource* p, const uint32_t* i, const uint32_t* j, const Facing* at) {
  const RvLanes3 a = lerp(pick3(p->v, i), pick3(p->v + 1, i), at->u);
  const RvLanes3 b = lerp(pick3(p->v, j), pick3(p->v + 1, j), at->v);
  const RvLanes3 g = {rv_lanes_set(p->acceleration.x), rv_lanes_set(p->acceleration.y),
                      rv_lanes_set(p->acceleration.z)};
  const RvLanes dt = rv_lanes_set(p->dt), fall = dot(at->normal, g);
  return dt * (dt * rv_lanes_select(rv_lanes_positive(fall), fall, -fall) - dot(at->normal, rv_lanes3_sub(a, b)));
}

// Stores the lanes of the mask.
RV_INLINE void put(RvLaneMask mask, RvLanes x, double* to) {
  rv_lanes_store(to, rv_lanes_select(mask, x, rv_lanes_load(to)));
}

// Stores the lanes of the mask of a facing.
RV_INLINE void put_facing(RvLaneMask mask, const Facing* f, RvLanes close, int k, RvFacingLanes* out) {
  put(mask, f->u, out->u + k);
  put(mask, f->v, out->v + k);
  put(mask, f->length, out->length + k);
  put(mask, f->gap, out->gap + k);
  put(mask, close, out->close + k);
  put(mask, f->normal.x, out->normal[0] + k);
  put(mask, f->normal.y, out->normal[1] + k);
  put(mask, f->normal.z, out->normal[2] + k);
}

void RV_KERNEL(rv_contact_facing_lanes)(const RvPairSource* p, const RvPairIndex* index, RvFacingLanes* out) {
  const RvLaneMask all = MASK(rv_lanes_set(0) < rv_lanes_set(1));
  for (int k = 0; k < RV_PAIRS; k += RV_V) {
    const uint32_t *i = index->vertex[0] + k, *j = index->vertex[1] + k;
    const uint32_t *e = index->edge[0] + k, *f = index->edge[1] + k;
    Edges x = {.a = pick3(p->x, i), .b = pick3(p->x, j), .b1 = pick3(p->x + 1, j)};
    x.d = rv_lanes3_sub(pick3(p->x + 1, i), x.a);
    x.e = rv_lanes3_sub(x.b1, x.b);
    x.ta = pick3(p->tangent, e);
    x.tb = pick3(p->tangent, f);
    x.da = pick(p->edge_length, e);
    x.db = pick(p->edge_length, f);
    x.before = pick3(p->plane, j);
    x.after = pick3(p->plane + 1, j);
    x.wide = rv_lanes_set(p->reach) * (pick(p->edge_radius, e) + pick(p->edge_radius, f));
    const Facing at = facing(&x, NULL);
    put_facing(all, &at, closing(p, i, j, &at), k, out);
  }
}

// Positions after some time of free motion.
RV_INLINE RvLanes3 moved(const RvPairSource* p, size_t shift, const uint32_t* at, RvLanes time) {
  return mad(pick3(p->x + shift, at), time, pick3(p->v + shift, at));
}

void RV_KERNEL(rv_contact_facing_moved_lanes)(const RvPairSource* p, const RvPairIndex* index, const double* time,
                                              RvFacingLanes* out) {
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1);
  const RvLanes3 none = {zero, zero, zero};
  for (int k = 0; k < RV_PAIRS; k += RV_V) {
    const uint32_t *i = index->vertex[0] + k, *j = index->vertex[1] + k;
    const RvLanes t = rv_lanes_load(time + k);
    Edges x = {.a = moved(p, 0, i, t), .b = moved(p, 0, j, t), .b1 = moved(p, 1, j, t)};
    x.d = rv_lanes3_sub(moved(p, 1, i, t), x.a);
    x.e = rv_lanes3_sub(x.b1, x.b);
    // Lengths and tangents after the motion.
    x.da = rv_lanes_sqrt(dot(x.d, x.d));
    x.db = rv_lanes_sqrt(dot(x.e, x.e));
    x.ta = rv_lanes3_scale(x.d, one / x.da);
    x.tb = rv_lanes3_scale(x.e, one / x.db);
    // Plane normals: the mean of both tangents; at an end of the strand the other edge has length 0 and no direction.
    const RvLanes3 own = normalize(x.e, none);
    const RvLanes3 left = normalize(rv_lanes3_sub(x.b, moved(p, 0, index->beside[0] + k, t)), none);
    const RvLanes3 right = normalize(rv_lanes3_sub(moved(p, 0, index->beside[1] + k, t), x.b1), none);
    x.before = normalize(rv_lanes3_add(own, left), own);
    x.after = normalize(rv_lanes3_add(own, right), own);
    x.wide =
        rv_lanes_set(p->reach) * (pick(p->edge_radius, index->edge[0] + k) + pick(p->edge_radius, index->edge[1] + k));
    // On the side of the present normal.
    const RvLanes3 side = load3(out->normal, k);
    const Facing at = facing(&x, &side);
    put_facing(~MASK(t < zero), &at, closing(p, i, j, &at), k, out);
  }
}

// Bits of 16 numbers that are at most, or at least, a limit.
#if defined(__AVX512F__)
RV_INLINE uint32_t at_most(const float* p, float limit) {
  return _mm512_cmp_ps_mask(_mm512_loadu_ps(p), _mm512_set1_ps(limit), _CMP_LE_OQ);
}
RV_INLINE uint32_t at_least(const float* p, float limit) {
  return _mm512_cmp_ps_mask(_mm512_loadu_ps(p), _mm512_set1_ps(limit), _CMP_GE_OQ);
}
#elif defined(__AVX2__)
RV_INLINE uint32_t at_most(const float* p, float limit) {
  const __m256 l = _mm256_set1_ps(limit);
  return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(p), l, _CMP_LE_OQ)) |
         (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(p + 8), l, _CMP_LE_OQ)) << 8;
}
RV_INLINE uint32_t at_least(const float* p, float limit) {
  const __m256 l = _mm256_set1_ps(limit);
  return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(p), l, _CMP_GE_OQ)) |
         (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(p + 8), l, _CMP_GE_OQ)) << 8;
}
#else
RV_INLINE uint32_t at_most(const float* p, float limit) {
  uint32_t bits = 0;
  for (int k = 0; k < RV_BOXES; ++k) bits |= (uint32_t)(p[k] <= limit) << k;
  return bits;
}
RV_INLINE uint32_t at_least(const float* p, float limit) {
  uint32_t bits = 0;
  for (int k = 0; k < RV_BOXES; ++k) bits |= (uint32_t)(p[k] >= limit) << k;
  return bits;
}
#endif

void RV_KERNEL(rv_contact_boxes_meet)(const RvBoxes* x, size_t i, size_t first, size_t last, uint32_t* out) {
  for (size_t j = first; j < last; j += RV_BOXES) {
    uint32_t bits = last - j < RV_BOXES ? (1U << (last - j)) - 1 : 0xffffu;
    for (int k = 0; k < 3; ++k) bits &= at_most(x->lo[k] + j, x->hi[k][i]) & at_least(x->hi[k] + j, x->lo[k][i]);
    *out++ = bits;
  }
}
