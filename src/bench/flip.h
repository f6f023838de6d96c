// The linear system of one Newton iteration of a wet ponytail in a flip: hairs in a hexagonal bundle at the distance of
// rest d0, each joined to its six neighbours along all its length by liquid bridges at carrying capacity.
#ifndef RV_BENCH_FLIP_H
#define RV_BENCH_FLIP_H

#include "strand/strand.h"

typedef struct RvFlipDef {
  size_t hairs;
  int vertices;
  double length, dt;
  double tension;  // of the liquid, N/m
} RvFlipDef;

enum { RV_FLIP_STRIDE = RV_ROD_BAND + 1, RV_FLIP_CLAMPED = 2 };

// Strands are counted [batch][lane]. The matrix is the band of each and, for each pair of strands and each edge, pull
// pull^T between the middles of their edges.
typedef struct RvFlip {
  RvStrandModel* model;
  RvStrandState* state;
  double dt, bridge;        // s; stiffness of a bridge, N/m a metre
  int vertices, edges;      // of a strand; its edges rounded up to 8
  size_t wide, nstrand;     // hairs in a row of the lattice; strands with the spare lanes
  uint32_t *first, *other;  // the pairs of strand s are from first[s] to first[s + 1]; each stands on both sides
  double* pull;             // [pairs][3][edges] the root of the stiffness times the normal
  double* value;            // [strands][3][edges] the vector at hand, at the middles of the edges
  double* zero;             // [3][edges]
  double* right;            // [unknowns] the right side
  double* inverse;          // [unknowns] one over the diagonal of the whole matrix
  double* band;             // of the strands, without bridges; a batch has its own from RV_FLIP_STRIDE at on
  double* factor;           // of that
  double* factor_own;       // with the bridges' own terms
} RvFlip;

// The slope of the merged force at its zero d0, per length, for two hairs of radius r joined by a bridge of area A_L
// (WH-10, spec 1.2.2, 1.2.3, E46): f_s(B) / (B - d0), not below 0.
double rv_bench_flip_slope(double radius, double area, double tension, double angle);
// The area of a bridge at carrying capacity in a hexagonal bundle at d0 = 3 r. With r_max of (17), counted over 2 r_max
// of length and the hairs within r_max (spec 1.2.8, E50), a hair has (2/3)(sqrt(3)/2) d0^2 whatever the tension and the
// acceleration; a bridge has a sixth of either side's (E51).
double rv_bench_flip_capacity(double radius);

RvResult rv_bench_flip_new(RvFlip* flip, const RvFlipDef* def, RvError* error);
void rv_bench_flip_free(RvFlip* flip);
// out += what the bridges do to p: with the terms of each strand with itself, or only those between strands.
void rv_bench_flip_bridges(RvFlip* flip, const double* p, double* out, bool own);
// y = the bands times x
void rv_bench_flip_bands(const RvFlip* flip, const RvStrandBatch* batch, const double* x, double* y);
// Where hair `hair` stands in the cross-section, in distances.
void rv_bench_flip_lattice(const RvFlip* flip, size_t hair, double at[2]);
// The place of the x of a vertex.
static inline size_t rv_bench_flip_place(const RvFlip* flip, size_t strand, int vertex) {
  return rv_strand_index(&flip->model->batches[strand / RV_LANES], (int)(strand % RV_LANES), vertex, 0);
}
// The hair of a strand, or -1 for a spare lane.
static inline int32_t rv_bench_flip_hair(const RvFlip* flip, size_t strand) {
  const RvStrandBatch* b = &flip->model->batches[strand / RV_LANES];
  return (int)(strand % RV_LANES) < b->lanes ? b->strand[strand % RV_LANES] : -1;
}

#endif
