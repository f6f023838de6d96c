// Sum of particle kernels over the rows of a block, eight voxels at a time (see math/lanes.h).
#include "surface/blob_kernel.h"

#include "math/lanes_float.h"
#include "surface/parts.h"

// Adds a kernel to all voxels of the cells in `columns` that its box meets. Voxels that share a row of eight with them
// are added to as well; their sums are not used.
void RV_KERNEL(rv_surface_blob_add)(float* share, const uint32_t* columns, const RvBlobLocal* l) {
  const RvRow steps = {0, 1, 2, 3, 4, 5, 6, 7}, none = {0};
  float inverse = 1 / (4 * l->m[2]);
  for (int ci = l->lo[0] / RV_CELL; ci <= l->hi[0] / RV_CELL; ++ci)
    for (int cj = l->lo[1] / RV_CELL; cj <= l->hi[1] / RV_CELL; ++cj) {
      uint32_t bits = columns[ci * RV_CELLS + cj] & l->along;
      if (!bits) continue;
      // Rows of eight voxels (two cells) along z, and the voxels of this cell inside the box.
      int first = __builtin_ctz(bits) / 2, last = (31 - __builtin_clz(bits)) / 2;
      int i0 = ci * RV_CELL < l->lo[0] ? l->lo[0] : ci * RV_CELL;
      int j0 = cj * RV_CELL < l->lo[1] ? l->lo[1] : cj * RV_CELL;
      int i1 = ci * RV_CELL + 3 > l->hi[0] ? l->hi[0] : ci * RV_CELL + 3;
      int j1 = cj * RV_CELL + 3 > l->hi[1] ? l->hi[1] : cj * RV_CELL + 3;
      for (int i = i0; i <= i1; ++i)
        for (int j = j0; j <= j1; ++j) {
          float dx = (float)i - l->x[0], dy = (float)j - l->x[1];
          float a = 1 - (l->m[0] * dx * dx + l->m[1] * dy * dy + 2 * l->m[5] * dx * dy);
          float b = -2 * (l->m[3] * dy + l->m[4] * dx);
          // Maximum of 1 - q^2 in the row: skip the row if the kernel does not reach it.
          if (!(a + b * b * inverse > 0)) continue;
          float* row = share + rv_surface_span_at(i, j, 0);
          for (int chunk = first; chunk <= last; ++chunk) {
            RvRow z = rv_row_set((float)(8 * chunk) - l->x[2]) + steps;
            RvRow q = rv_row_set(a) + z * (rv_row_set(b) - rv_row_set(l->m[2]) * z);
            q = (RvRow)((__typeof__(q > none))q & (q > none));
            rv_row_store(row + 8 * chunk, rv_row_load(row + 8 * chunk) + rv_row_set(l->amount) * (q * q * q));
          }
        }
    }
}
