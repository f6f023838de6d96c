// Sums over the ends of a batch's links (at_ends.h). Four numbers at a time on every machine; products and sums are
// rounded one by one, as in operate.c.
#include "contact/at_ends.h"
#include "math/lanes.h"
#include "strand/rod.h"

void RV_KERNEL(rv_contact_gather_ends)(const RvBatchEnds* at, const double* in, RvEndValue* values);
void RV_KERNEL(rv_contact_push_ends)(const RvBatchEnds* at, const RvLinkEnergy* energies, double* out);
void RV_KERNEL(rv_contact_spread_ends)(const RvBatchEnds* at, const RvEndValue* values, const RvSym3f* hessian,
                                       double* out);
void RV_KERNEL(rv_contact_band_ends)(const RvBatchEnds* at, const RvSym3f* hessian, double* band);

enum { VERTEX = 4 * RV_LANES };  // numbers of a vertex of all lanes
enum { BLOCK = 20 };             // numbers of a vertex of one lane in a turned band

typedef double Four __attribute__((vector_size(32)));
typedef double Eight __attribute__((vector_size(64)));
typedef double EightAt __attribute__((vector_size(64), aligned(8)));  // in memory of any alignment
typedef float FourFloats __attribute__((vector_size(16)));

//---------------------------------------------------------------------------------------------- turning

// [4][RV_LANES] of each vertex to [RV_LANES][4].
RV_INLINE void turn(const double* in, int vertices, double* out) {
  for (int i = 0; i < vertices; ++i) {
    const EightAt* from = (const EightAt*)(in + (size_t)i * VERTEX);
    Eight* to = (Eight*)(out + (size_t)i * VERTEX);
    Eight low = __builtin_shufflevector(from[0], from[1], 0, 8, 1, 9, 2, 10, 3, 11);
    Eight high = __builtin_shufflevector(from[0], from[1], 4, 12, 5, 13, 6, 14, 7, 15);
    Eight low_rest = __builtin_shufflevector(from[2], from[3], 0, 8, 1, 9, 2, 10, 3, 11);
    Eight high_rest = __builtin_shufflevector(from[2], from[3], 4, 12, 5, 13, 6, 14, 7, 15);
    to[0] = __builtin_shufflevector(low, low_rest, 0, 1, 8, 9, 2, 3, 10, 11);
    to[1] = __builtin_shufflevector(low, low_rest, 4, 5, 12, 13, 6, 7, 14, 15);
    to[2] = __builtin_shufflevector(high, high_rest, 0, 1, 8, 9, 2, 3, 10, 11);
    to[3] = __builtin_shufflevector(high, high_rest, 4, 5, 12, 13, 6, 7, 14, 15);
  }
}

// The way back, of x, y and z: angles stay as they were.
RV_INLINE void turn_back(const double* in, int vertices, double* out) {
  for (int i = 0; i < vertices; ++i) {
    const Eight* from = (const Eight*)(in + (size_t)i * VERTEX);
    EightAt* to = (EightAt*)(out + (size_t)i * VERTEX);
    Eight low = __builtin_shufflevector(from[0], from[1], 0, 4, 8, 12, 1, 5, 9, 13);
    Eight high = __builtin_shufflevector(from[2], from[3], 0, 4, 8, 12, 1, 5, 9, 13);
    Eight low_rest = __builtin_shufflevector(from[0], from[1], 2, 6, 10, 14, 3, 7, 11, 15);
    Eight high_rest = __builtin_shufflevector(from[2], from[3], 2, 6, 10, 14, 3, 7, 11, 15);
    to[0] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 8, 9, 10, 11);
    to[1] = __builtin_shufflevector(low, high, 4, 5, 6, 7, 12, 13, 14, 15);
    to[2] = __builtin_shufflevector(low_rest, high_rest, 0, 1, 2, 3, 8, 9, 10, 11);
  }
}

// The turned vertex at the start of an end's edge; the next one is VERTEX numbers on.
RV_INLINE size_t turned_at(const RvBatchEnds* at, const RvContactEnd* e) {
  size_t unknown = e->unknown - at->first;
  return unknown + 3 * (unknown % RV_LANES);
}

// GCC 12 converts halves one by one.
RV_INLINE Four widen(FourFloats x) {
#if defined(__AVX2__)
  return (Four)_mm256_cvtps_pd((__m128)x);
#else
  return __builtin_convertvector(x, Four);
#endif
}

// t of an end, four times.
RV_INLINE Four position(const RvContactEnd* e) {
  return widen((FourFloats){e->t, e->t, e->t, e->t});
}

//---------------------------------------------------------------------------------------------- vectors

void RV_KERNEL(rv_contact_gather_ends)(const RvBatchEnds* at, const double* in, RvEndValue* values) {
  double turned[RV_TURNED_VERTICES * VERTEX] __attribute__((aligned(64)));
  turn(in, at->vertices, turned);
  for (size_t k = 0; k < at->count; ++k) {
    const RvContactEnd* e = &at->ends[k];
    const Four* x = (const Four*)(turned + turned_at(at, e));
    const Four t = position(e);
    *(Four*)&values[k] = x[0] * (1 - t) + x[VERTEX / 4] * t;
  }
}

void RV_KERNEL(rv_contact_push_ends)(const RvBatchEnds* at, const RvLinkEnergy* energies, double* out) {
  double turned[RV_TURNED_VERTICES * VERTEX] __attribute__((aligned(64)));
  turn(out, at->vertices, turned);
  for (size_t k = 0; k < at->count; ++k) {
    const RvContactEnd* e = &at->ends[k];
    Four* x = (Four*)(turned + turned_at(at, e));
    // the receiver's end has negative weights
    double sign = e->link % 2 ? -1 : 1, t = (double)e->t;
    Four g = sign * *(const Four*)&energies[e->link / 2];
    x[0] += (1 - t) * g;
    x[VERTEX / 4] += t * g;
  }
  turn_back(turned, at->vertices, out);
}

// Columns of a symmetric matrix; of the second and third the last number is arbitrary.
typedef struct Columns {
  Four c[3];
  Four rest;  // yy yz zz 0
} Columns;

RV_INLINE Columns columns_of(const RvSym3f* s) {
  const FourFloats* m = (const FourFloats*)s->m;
  FourFloats second = __builtin_shufflevector(m[0], m[1], 1, 4, 5, 5);
  FourFloats third = __builtin_shufflevector(m[0], m[1], 2, 5, 6, 6);
  return (Columns){{widen(m[0]), widen(second), widen(third)}, widen(m[1])};
}

void RV_KERNEL(rv_contact_spread_ends)(const RvBatchEnds* at, const RvEndValue* values, const RvSym3f* hessian,
                                       double* out) {
  double turned[RV_TURNED_VERTICES * VERTEX] __attribute__((aligned(64)));
  turn(out, at->vertices, turned);
  for (size_t k = 0; k < at->count; ++k) {
    const RvContactEnd* e = &at->ends[k];
    RvVec3 v = values[e->other].x;
    Columns h = columns_of(&hessian[e->link / 2]);
    Four f = h.c[0] * v.x + h.c[1] * v.y + h.c[2] * v.z;
    Four* x = (Four*)(turned + turned_at(at, e));
    const Four t = position(e);
    x[0] -= (1 - t) * f;
    x[VERTEX / 4] -= t * f;
  }
  turn_back(turned, at->vertices, out);
}

//---------------------------------------------------------------------------------------------- band

// Where a number of the turned blocks lies in the band, from the first row of its vertex and lane on: of the vertex
// with itself the lower triangle by columns xx xy xz . yy yz zz ., then its columns with the next vertex.
static const int16_t BAND_AT[BLOCK] = {
#define IN_BAND(column, down) ((column) * (RV_ROD_BAND + 1) + (down)) * RV_LANES
    IN_BAND(0, 0), IN_BAND(0, 1), IN_BAND(0, 2), -1, IN_BAND(1, 0), IN_BAND(1, 1), IN_BAND(2, 0), -1,
    IN_BAND(0, 4), IN_BAND(0, 5), IN_BAND(0, 6), -1, IN_BAND(1, 3), IN_BAND(1, 4), IN_BAND(1, 5), -1,
    IN_BAND(2, 2), IN_BAND(2, 3), IN_BAND(2, 4), -1
#undef IN_BAND
};

RV_INLINE void turn_band(const double* band, int vertices, double* out) {
  for (int i = 0; i < vertices; ++i)
    for (int n = 0; n < BLOCK; ++n) {
      const double* from = band + (size_t)i * 4 * (RV_ROD_BAND + 1) * RV_LANES + BAND_AT[n];
      double* to = out + (size_t)i * BLOCK * RV_LANES + n;
      for (int lane = 0; lane < RV_LANES; ++lane) to[lane * BLOCK] = BAND_AT[n] < 0 ? 0 : from[lane];
    }
}

RV_INLINE void turn_band_back(const double* in, int vertices, double* band) {
  for (int i = 0; i < vertices; ++i)
    for (int n = 0; n < BLOCK; ++n) {
      const double* from = in + (size_t)i * BLOCK * RV_LANES + n;
      double* to = band + (size_t)i * 4 * (RV_ROD_BAND + 1) * RV_LANES + BAND_AT[n];
      if (BAND_AT[n] < 0) continue;
      for (int lane = 0; lane < RV_LANES; ++lane) to[lane] = from[lane * BLOCK];
    }
}

void RV_KERNEL(rv_contact_band_ends)(const RvBatchEnds* at, const RvSym3f* hessian, double* band) {
  double turned[RV_TURNED_VERTICES * BLOCK * RV_LANES] __attribute__((aligned(64)));
  turn_band(band, at->vertices, turned);
  for (size_t k = 0; k < at->count; ++k) {
    const RvContactEnd* e = &at->ends[k];
    size_t unknown = e->unknown - at->first, vertex = unknown / VERTEX, lane = unknown % RV_LANES;
    Four* x = (Four*)(turned + (vertex * RV_LANES + lane) * BLOCK);
    Four* next = x + BLOCK / 4 * RV_LANES;
    Columns h = columns_of(&hessian[e->link / 2]);
    double t = (double)e->t, s = 1 - t;
    x[0] += s * s * h.c[0];
    x[1] += s * s * h.rest;
    for (int n = 0; n < 3; ++n) x[2 + n] += s * t * h.c[n];
    next[0] += t * t * h.c[0];
    next[1] += t * t * h.rest;
  }
  turn_band_back(turned, at->vertices, band);
}
