// The linear system of one Newton iteration of a wet ponytail in a flip: hairs in a hexagonal bundle at the equilibrium
// distance d0, each joined to its six neighbours along its whole length by liquid bridges at carrying capacity.
#ifndef RV_BENCH_FLIP_H
#define RV_BENCH_FLIP_H

#include "strand/strand.h"

typedef struct RvFlipDef {
  size_t hairs;
  int vertices;
  double length, dt;  // m, s
  double tension;     // of the liquid, N/m
} RvFlipDef;

enum { RV_FLIP_STRIDE = RV_ROD_BAND + 1, RV_FLIP_CLAMPED = 2 };

// Strands are numbered [batch][lane]. The matrix is the band of each strand plus, for each pair of strands and each
// edge, pull pull^T between the middles of the edges.
typedef struct RvFlip {
  RvStrandModel* model;
  RvStrandState* state;
  double dt, bridge;        // s; stiffness of a bridge, N/m a metre
  int vertices, edges;      // of a strand; its edges rounded up to 8
  size_t wide, nstrand;     // hairs in a row of the lattice; strands with the spare lanes
  uint32_t *first, *other;  // the pairs of strand s are first[s] to first[s + 1]; each is listed on both sides
  double* pull;             // [pairs][3][edges] root of the stiffness times the normal
  double* value;            // [strands][3][edges] the vector to be multiplied, at the middles of the edges
  double* zero;             // [3][edges]
  double* right;            // [unknowns] the right side
  double* inverse;          // [unknowns] one over the diagonal of the whole matrix
  double* band;             // of the strands, without bridges; a batch has its own from RV_FLIP_STRIDE at on
  double* factor;           // LDL^T of `band`
  double* factor_own;       // LDL^T with the diagonal blocks of the bridges
} RvFlip;

// Slope of the merged force at its zero d0, per length, for two hairs of radius r joined by a bridge of area A_L
// (WH-10, spec 1.2.2, 1.2.3, E46): f_s(B) / (B - d0), not below 0.
double rv_bench_flip_slope(double radius, double area, double tension, double angle);
// Area of a bridge at carrying capacity in a hexagonal bundle at d0 = 3 r. With r_max of (17), over 2 r_max of length
// and the hairs within r_max (spec 1.2.8, E50), a hair has (2/3)(sqrt(3)/2) d0^2 at any tension and acceleration; a
// bridge has a sixth of either side's (E51).
double rv_bench_flip_capacity(double radius);

RvResult rv_bench_flip_new(RvFlip* flip, const RvFlipDef* def, RvError* error);
void rv_bench_flip_free(RvFlip* flip);
// out += the bridges' part of A p, with (`own`) or without the diagonal blocks of the strands.
void rv_bench_flip_bridges(RvFlip* flip, const double* p, double* out, bool own);
// y = the strands' bands times x, in one batch.
void rv_bench_flip_bands(const RvFlip* flip, const RvStrandBatch* batch, const double* x, double* y);
// Position of a hair in the cross-section, in units of d0.
void rv_bench_flip_lattice(const RvFlip* flip, size_t hair, double at[2]);
// Index of the x unknown of a vertex.
static inline size_t rv_bench_flip_place(const RvFlip* flip, size_t strand, int vertex) {
  return rv_strand_index(&flip->model->batches[strand / RV_LANES], (int)(strand % RV_LANES), vertex, 0);
}
// The hair of a strand, or -1 for a spare lane.
static inline int32_t rv_bench_flip_hair(const RvFlip* flip, size_t strand) {
  const RvStrandBatch* b = &flip->model->batches[strand / RV_LANES];
  return (int)(strand % RV_LANES) < b->lanes ? b->strand[strand % RV_LANES] : -1;
}

#endif
