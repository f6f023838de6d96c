// Terms of points of edges in the band of a batch's Hessian.
#ifndef RV_STRAND_BAND_H
#define RV_STRAND_BAND_H

#include "math/ldlt.h"
#include "strand/rod.h"

// A symmetric 3 x 3: xx xy yy xz yz zz.
typedef struct RvSym3 {
  double m[6];
} RvSym3;

// Adds the Hessian M of the point (1 - t) x_i + t x_{i+1} to the band of its batch, w_i w_j M of the two vertices.
// `unknown` is x_i, counted from the batch's first unknown.
static inline void rv_strand_add_to_band(double* band, size_t unknown, double t, const RvSym3* m) {
  static const int8_t entry[3][3] = {{0, 1, 3}, {1, 2, 4}, {3, 4, 5}};  // of RvSym3
  size_t row = unknown / RV_LANES;
  size_t lane = unknown % RV_LANES;
  size_t stride = (RV_ROD_BAND + 1) * RV_LANES;
  double w[2] = {1 - t, t};
  for (size_t i = 0; i < 2; ++i)
    for (size_t r = 0; r < 3; ++r) {
      double* column = band + (row + 4 * i + r) * stride + lane;
      // the block of vertex i with itself: its lower triangle
      for (size_t s = r; s < 3; ++s) column[(s - r) * RV_LANES] += w[i] * w[i] * m->m[entry[r][s]];
      if (i > 0) continue;
      // the block of the first vertex with the second: four rows further down
      for (size_t s = 0; s < 3; ++s) column[(4 + s - r) * RV_LANES] += w[0] * w[1] * m->m[entry[r][s]];
    }
}

#endif
