// The passes of capture over the particles of a tile, eight at a time on every machine. Products and sums are rounded
// one by one, so every instruction set gives the same bits. Weights are float; all that must balance is double.
#include "couple/capture_kernel.h"

#include "math/lanes_float.h"

void RV_KERNEL(rv_couple_capture_weigh)(const RvCaptureTile* tile, RvCapturePiece* p, RvCaptureGroup* groups,
                                        double sums[2 * RV_CAPTURE_WEIGHTS]);
void RV_KERNEL(rv_couple_capture_ask)(const RvCaptureTile* tile, const RvCapturePiece* p, const RvCaptureGroup* groups,
                                      const double share[4]);
void RV_KERNEL(rv_couple_capture_return)(const RvCaptureTile* tile, const RvCapturePiece* p,
                                         const RvCaptureGroup* groups, const double share[2], double u[2][3]);
void RV_KERNEL(rv_couple_capture_take)(const RvCaptureTile* tile, const RvCapturePiece* p, const RvCaptureGroup* groups,
                                       const double share[4], double sums[2 * RV_CAPTURE_TAKEN]);

typedef int32_t Mask __attribute__((vector_size(32)));
typedef double SumLoose __attribute__((vector_size(64), aligned(8), may_alias));

// Eight particles from index i on, of which `lanes` count; the others have weight 0 and stay unchanged.
typedef struct Reach {
  size_t i;
  uint32_t lanes;  // bits
  bool all;        // there are eight particles, so that input can be read at once
  bool tiles;      // they are in this tile, so that sums can be too: those of other tiles may be being written
} Reach;

RV_INLINE Reach reach_of(const RvCaptureTile* tile, size_t i, uint32_t lanes) {
  return (Reach){i, lanes, i + 8 <= tile->count, i + 8 <= tile->cell[RV_TILE_CELLS]};
}

#define FOR_LANES(k, r)       \
  for (int k = 0; k < 8; ++k) \
    if ((r).lanes >> k & 1)

RV_INLINE RvRow load(const float* p, Reach r) {
  if (__builtin_expect(r.all, 1)) return rv_row_load_loose(p + r.i);
  RvRow x = {0};
  FOR_LANES(k, r) x[k] = p[r.i + (size_t)k];
  return x;
}

// The same of numbers that are known for particles of this tile alone.
RV_INLINE RvRow load_own(const float* p, Reach r) {
  if (__builtin_expect(r.tiles, 1)) return rv_row_load_loose(p + r.i);
  RvRow x = {0};
  FOR_LANES(k, r) x[k] = p[r.i + (size_t)k];
  return x;
}

RV_INLINE RvRowSum load_sum(const double* p, Reach r) {
  if (__builtin_expect(r.tiles, 1)) return *(const SumLoose*)(p + r.i);
  RvRowSum x = {0};
  FOR_LANES(k, r) x[k] = p[r.i + (size_t)k];
  return x;
}

RV_INLINE void store_sum(double* p, Reach r, RvRowSum x) {
  if (__builtin_expect(r.tiles, 1))
    *(SumLoose*)(p + r.i) = x;
  else
    FOR_LANES(k, r) p[r.i + (size_t)k] = x[k];
}

RV_INLINE RvRow only(Mask m, RvRow x) {
  return (RvRow)((Mask)x & m);
}

RV_INLINE RvRow larger(RvRow a, RvRow b) {
  Mask m = a > b;
  return (RvRow)(((Mask)a & m) | ((Mask)b & ~m));
}

// Bits of a mask.
RV_INLINE uint32_t bits_of(Mask m) {
#if defined(__AVX2__)
  return (uint32_t)_mm256_movemask_ps((__m256)m);
#else
  uint32_t bits = 0;
  for (int k = 0; k < 8; ++k) bits |= (uint32_t)(m[k] & 1) << k;
  return bits;
#endif
}

RV_INLINE Mask mask_of(uint32_t bits) {
  const Mask bit = {1, 2, 4, 8, 16, 32, 64, 128};
  return ((int32_t)bits & bit) == bit;
}

// Position t along the edge and 1 - d^2 / reach^2 of some particles; `beside`: those beside the edge, not before or
// behind it.
RV_INLINE void place(const RvCaptureTile* tile, const RvCapturePiece* p, Reach r, RvRow* t, RvRow* near, Mask* beside) {
  const RvRow zero = {0}, one = rv_row_set(1);
  RvRow x = load(tile->x[0], r) - p->a[0], y = load(tile->x[1], r) - p->a[1], z = load(tile->x[2], r) - p->a[2];
  RvRow at = (x * p->d[0] + y * p->d[1] + z * p->d[2]) * p->inverse;
  *beside = (at >= zero) & (at < one);
  at = larger(at, zero);
  at = -larger(-at, -one);
  x -= at * p->d[0];
  y -= at * p->d[1];
  z -= at * p->d[2];
  *t = at;
  *near = one - (x * x + y * y + z * z) * p->near;
}

// Bits of the particles that are within reach of the piece.
RV_INLINE uint32_t find_near(const RvCapturePiece* p, Reach r, RvRow t, RvRow near) {
  Mask in = (near > (RvRow){0}) & (t >= rv_row_set(p->from));
  if (p->to < 1) in &= t < rv_row_set(p->to);
  return bits_of(in) & r.lanes;
}

// Their positions and weights (1 - d^2 / reach^2)^2.
RV_INLINE void weigh(const RvCaptureTile* tile, const RvCapturePiece* p, Reach r, RvRow* t, RvRow* w) {
  RvRow near;
  Mask beside;
  place(tile, p, r, t, &near, &beside);
  *w = only(mask_of(r.lanes), near * near);
}

// Square root of eight floats. IEEE rounds it correctly, so every instruction set gives the same bits.
RV_INLINE RvRow root(RvRow x) {
  RvRow y;
  for (int k = 0; k < 8; ++k) y[k] = __builtin_sqrtf(x[k]);
  return y;
}

RV_INLINE RvRow bound(RvRow x, RvRow low, RvRow high) {
  x = larger(x, low);
  return -larger(-x, -high);
}

RV_INLINE RvRow dot(const RvRow a[3], const RvRow b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Integral of (c - x^2 / R^2)^2 from 0 to x; `ball`: 1 / R^2.
RV_INLINE RvRow along_chord(RvRow x, RvRow c, RvRow ball) {
  const RvRow square = x * x * ball;
  return x * (c * c - square * (c * (2.0f / 3) - square * 0.2f));
}

// Below this share of its radius, squared, a drop's way counts by its place: the integral would be lost in rounding.
#define SHORT_WAY 1e-4f

// Drops of known size near the edge: their weights, and where along the edge they pass it nearest. All lengths in
// cells.
RV_INLINE void weigh_drops(const RvCaptureTile* tile, const RvCapturePiece* p, Reach r, RvRow* t, RvRow* w) {
  const RvRow zero = {0}, one = rv_row_set(1);
  const Mask known = mask_of(r.lanes) & (load_own(tile->drop, r) > zero);
  const RvRow own = (RvRow)(((Mask)load_own(tile->ball, r) & known) | ((Mask)one & ~known));
  const RvRow ball = own / (one + p->hit * own);
  // Place and way relative to the edge. Particles out of reach may have velocities that are not finite.
  RvRow q[3], u[3], d[3], e[3];
  RV_UNROLL for (int a = 0; a < 3; ++a) {
    d[a] = rv_row_set(p->d[a]);
    e[a] = rv_row_set(p->along[a]);
    q[a] = load(tile->x[a], r) - p->a[a];
  }
  const RvRow at = bound(dot(q, d) * p->inverse, zero, one);
  RV_UNROLL for (int a = 0; a < 3; ++a) u[a] = only(known, load(tile->v[a], r) - (p->v[a] + at * p->dv[a])) * tile->way;
  const RvRow q_along = dot(q, d), u_along = dot(u, d), q_edge = dot(q, e), u_edge = dot(u, e);
  RV_UNROLL for (int a = 0; a < 3; ++a) {
    q[a] -= q_edge * e[a];
    u[a] -= u_edge * e[a];
  }
  // The way across the edge: its length, the part of it behind the nearest place, and its distance from the edge.
  const RvRow square = dot(u, u), far = dot(q, q), turned = dot(q, u);
  const Mask goes = square * ball > rv_row_set(SHORT_WAY);
  const RvRow safe = (RvRow)(((Mask)square & goes) | ((Mask)one & ~goes)), length = root(safe);
  const RvRow end = turned / length, aside = larger(far - end * end, zero);
  const RvRow nearest = only(goes, bound(turned / safe, zero, one));
  // The mean of the weight over the way.
  const RvRow c = larger(one - aside * ball, zero), half = root(c / ball);
  const RvRow passed =
      along_chord(bound(end, -half, half), c, ball) - along_chord(bound(end - length, -half, half), c, ball);
  const RvRow still = larger(one - far * ball, zero), mean = passed / length;
  const RvRow weight = (RvRow)(((Mask)mean & goes) | ((Mask)(still * still) & ~goes));
  *t = (q_along - nearest * u_along) * p->inverse;
  const Mask met = known & (*t >= rv_row_set(p->from)) & (*t < rv_row_set(p->to));
  *w = only(met, larger(weight, zero) * (ball / p->near));
}

// The piece's box along an axis.
typedef struct Span {
  float low, high;
} Span;

RV_INLINE Span span_of(const RvCapturePiece* p, int axis) {
  float x0 = p->a[axis] + p->from * p->d[axis], x1 = p->a[axis] + p->to * p->d[axis];
  return x0 < x1 ? (Span){x0, x1} : (Span){x1, x0};
}

// Distance from the box to a cell along an axis, cells.
RV_INLINE float gap(Span s, int cell) {
  float below = s.low - (float)(cell + 1), above = (float)cell - s.high;
  float far = below > above ? below : above;
  return far > 0 ? far : 0;
}

// A cell number within the tile.
RV_INLINE int within(float x) {
  return x > 0 ? x < RV_TILE_SIDE - 1 ? (int)x : RV_TILE_SIDE - 1 : 0;
}

// Ranges of particles in the rows of cells within reach of the piece's box; those of a row are consecutive.
typedef struct Rows {
  int count;
  uint32_t first[RV_TILE_SIDE * RV_TILE_SIDE], last[RV_TILE_SIDE * RV_TILE_SIDE];
} Rows;

// Finds the ranges of a piece.
RV_INLINE void find_rows(const RvCaptureTile* tile, const RvCapturePiece* p, Rows* rows) {
  // the margin is above the rounding of floats in a tile
  const float margin = 1e-3f, wide = p->reach + margin, square = p->reach * p->reach;
  Span x = span_of(p, 0), y = span_of(p, 1), z = span_of(p, 2);
  uint64_t left = tile->rows & rv_couple_capture_rows(within(y.low - wide), within(y.high + wide), within(z.low - wide),
                                                      within(z.high + wide));
  for (rows->count = 0; left; left &= left - 1) {
    int row = __builtin_ctzll(left);
    float dy = gap(y, row & 7), dz = gap(z, row >> 3), square_left = square - (dy * dy + dz * dz);
    if (!(square_left > 0)) continue;
    // reach along x in this row
    float along = __builtin_sqrtf(square_left) + margin;
    const uint32_t* cell = tile->cell + 8 * row;
    uint32_t first = cell[within(x.low - along)], last = cell[within(x.high + along) + 1];
    rows->first[rows->count] = first;
    rows->last[rows->count] = last;
    rows->count += first < last;
  }
}

// What a demand asks of some particles for the lower and the upper end. `r` gets the lanes of bodies and drops.
RV_INLINE void ask(const RvCaptureTile* tile, const RvCapturePiece* p, const RvCaptureGroup* g, const double share[4],
                   Reach* r, RvRowSum* lower, RvRowSum* upper) {
  RvRow t, w;
  *r = reach_of(tile, g->at, g->lanes);
  weigh(tile, p, *r, &t, &w);
  RvRowSum wide = rv_row_wide(w), up = wide * rv_row_wide(t), drop = rv_row_wide(load_own(tile->dispersed, *r));
  *lower = (wide - up) * (share[0] + drop * share[2]);
  *upper = up * (share[1] + drop * share[3]);
  if (__builtin_expect(!g->drops, 1)) return;
  const Reach drops = reach_of(tile, g->at, g->drops);
  weigh_drops(tile, p, drops, &t, &w);
  wide = rv_row_wide(w) * rv_row_wide(load_own(tile->drop, drops));
  up = wide * rv_row_wide(t);
  *lower += (wide - up) * share[2];
  *upper += up * share[3];
  r->lanes |= g->drops;
}

// Speed of some particles relative to the edge, m/s: the whole and the part across it. Particles out of reach may have
// velocities that are not finite.
RV_INLINE void speeds(const RvCaptureTile* tile, const RvCapturePiece* p, Reach r, RvRow t, RvRow w, RvRow* whole,
                      RvRow* across) {
  RvRow square = {0}, along = {0};
  RV_UNROLL for (int a = 0; a < 3; ++a) {
    RvRow u = only(w > (RvRow){0}, load(tile->v[a], r) - (p->v[a] + t * p->dv[a]));
    square += u * u;
    along += u * p->along[a];
  }
  *whole = root(square);
  *across = root(larger(square - along * along, (RvRow){0}));
}

// Adds the drops of known size among some particles to the sums of a piece; returns the bits of those that it meets.
RV_INLINE uint32_t add_drops(const RvCaptureTile* tile, const RvCapturePiece* p, Reach r, RvRowSum* sum) {
  RvRow t, w, whole, across;
  weigh_drops(tile, p, r, &t, &w);
  const uint32_t bits = bits_of(w > (RvRow){0});
  if (!bits) return 0;
  r.lanes = bits;
  speeds(tile, p, r, t, w, &whole, &across);
  const RvRowSum volume = rv_row_wide(w) * load_sum(tile->available, r) * rv_row_wide(load_own(tile->drop, r));
  const RvRowSum fill = volume * (double)p->density, swept = fill * rv_row_wide(across), up = rv_row_wide(t);
  sum[RV_CAPTURE_DROPS] += volume - volume * up;
  sum[RV_CAPTURE_FILL] += fill - fill * up;
  sum[RV_CAPTURE_ACROSS] += swept - swept * up;
  sum[RV_CAPTURE_WEIGHTS + RV_CAPTURE_DROPS] += volume * up;
  sum[RV_CAPTURE_WEIGHTS + RV_CAPTURE_FILL] += fill * up;
  sum[RV_CAPTURE_WEIGHTS + RV_CAPTURE_ACROSS] += swept * up;
  return bits;
}

void RV_KERNEL(rv_couple_capture_weigh)(const RvCaptureTile* tile, RvCapturePiece* p, RvCaptureGroup* groups,
                                        double sums[2 * RV_CAPTURE_WEIGHTS]) {
  RvRowSum sum[2 * RV_CAPTURE_WEIGHTS] = {{0}};
  Rows rows;
  uint32_t count = 0;
  find_rows(tile, p, &rows);
  for (int row = 0; row < rows.count; ++row)
    for (size_t i = rows.first[row], last = rows.last[row]; i < last; i += 8) {
      Reach at = reach_of(tile, i, last - i < 8 ? (1u << (last - i)) - 1 : 0xff);
      RvRow t, near, whole, across;
      Mask beside;
      place(tile, p, at, &t, &near, &beside);
      const uint32_t drops = tile->has_drops ? add_drops(tile, p, at, sum) : 0;
      at.lanes = find_near(p, at, t, near);
      if (!(at.lanes | drops)) continue;
      groups[count++] = (RvCaptureGroup){(uint32_t)i, (uint8_t)at.lanes, (uint8_t)drops};
      RvRow w = only(mask_of(at.lanes), near * near);
      speeds(tile, p, at, t, w, &whole, &across);
      RvRowSum up = rv_row_wide(t), part[RV_CAPTURE_WEIGHTS];
      part[RV_CAPTURE_VOLUME] = rv_row_wide(w) * load_sum(tile->available, at);
      part[RV_CAPTURE_SPEED] = part[RV_CAPTURE_VOLUME] * rv_row_wide(whole);
      RvRow dispersed = load_own(tile->dispersed, at);
      part[RV_CAPTURE_DROPS] = part[RV_CAPTURE_VOLUME] * rv_row_wide(dispersed);
      // the section that an edge sweeps ends with it
      part[RV_CAPTURE_FILL] = part[RV_CAPTURE_VOLUME] * rv_row_wide(only(beside, dispersed)) * (double)p->density;
      part[RV_CAPTURE_ACROSS] = part[RV_CAPTURE_FILL] * rv_row_wide(across);
      RV_UNROLL for (int n = 0; n < RV_CAPTURE_WEIGHTS; ++n) {
        sum[n] += part[n] - part[n] * up;
        sum[RV_CAPTURE_WEIGHTS + n] += part[n] * up;
      }
    }
  p->groups = count;
  for (int k = 0; k < 2 * RV_CAPTURE_WEIGHTS; ++k) sums[k] = rv_row_total(sum[k]);
}

void RV_KERNEL(rv_couple_capture_ask)(const RvCaptureTile* tile, const RvCapturePiece* p, const RvCaptureGroup* groups,
                                      const double share[4]) {
  for (uint32_t g = 0; g < p->groups; ++g) {
    Reach at;
    RvRowSum lower, upper;
    ask(tile, p, &groups[g], share, &at, &lower, &upper);
    store_sum(tile->asked, at, load_sum(tile->asked, at) + (lower + upper));
  }
}

void RV_KERNEL(rv_couple_capture_return)(const RvCaptureTile* tile, const RvCapturePiece* p,
                                         const RvCaptureGroup* groups, const double share[2], double u[2][3]) {
  for (uint32_t g = 0; g < p->groups; ++g) {
    Reach at = reach_of(tile, groups[g].at, groups[g].lanes);
    RvRow t, w;
    weigh(tile, p, at, &t, &w);
    RvRowSum wide = rv_row_wide(w), upper = wide * rv_row_wide(t) * share[1];
    RvRowSum lower = (wide - wide * rv_row_wide(t)) * share[0];
    store_sum(tile->returned, at, load_sum(tile->returned, at) + (lower + upper));
    RV_UNROLL for (int a = 0; a < 3; ++a)
        store_sum(tile->momentum[a], at, load_sum(tile->momentum[a], at) + (lower * u[0][a] + upper * u[1][a]));
  }
}

void RV_KERNEL(rv_couple_capture_take)(const RvCaptureTile* tile, const RvCapturePiece* p, const RvCaptureGroup* groups,
                                       const double share[4], double sums[2 * RV_CAPTURE_TAKEN]) {
  RvRowSum sum[2 * RV_CAPTURE_TAKEN] = {{0}};
  for (uint32_t g = 0; g < p->groups; ++g) {
    Reach at;
    RvRowSum lower, upper;
    ask(tile, p, &groups[g], share, &at, &lower, &upper);
    const RvRowSum each = load_sum(tile->each, at);
    lower *= each;
    upper *= each;
    sum[0] += lower;
    sum[RV_CAPTURE_TAKEN] += upper;
    RV_UNROLL for (int a = 0; a < 3; ++a) {
      // a particle out of reach may have a velocity that is not finite
      RvRowSum v = rv_row_wide(only(mask_of(at.lanes), load(tile->v[a], at)));
      sum[1 + a] += lower * v;
      sum[RV_CAPTURE_TAKEN + 1 + a] += upper * v;
    }
  }
  for (int k = 0; k < 2 * RV_CAPTURE_TAKEN; ++k) sums[k] = rv_row_total(sum[k]);
}
