// Redistancing of a block: solves |grad phi| = 1 outwards from the voxels next to the surface by fast sweeping over a
// list of the voxels of the narrow band. A sweep advances the distance by at least one voxel, so few sweeps suffice.
#include <math.h>

#include "surface/parts.h"

enum { SWEEP_PAIRS = 3, CELLS3 = RV_CELLS * RV_CELLS * RV_CELLS };  // pairs of a forward and a backward sweep
static const float FAR = RV_SURFACE_BAND + 1;                       // beyond the band, voxels
static const float CONVERGED = 1e-3f;  // smallest change that calls for another sweep, voxels

static float smaller(float a, float b) {
  return a < b ? a : b;
}

// Solution of the discrete eikonal equation from the upwind neighbours along the three axes (Godunov scheme).
static float solve(float a, float b, float c) {
  float t;
  if (a > b) {
    t = a;
    a = b;
    b = t;
  }
  if (b > c) {
    t = b;
    b = c;
    c = t;
  }
  if (a > b) {
    t = a;
    a = b;
    b = t;
  }
  // Sorted a <= b <= c: use one, two or three neighbours, as long as the result exceeds them.
  float d = a + 1;
  if (d <= b) return d;
  float gap = 2 - (a - b) * (a - b);
  d = 0.5f * (a + b + sqrtf(gap > 0 ? gap : 0));
  if (d <= c) return d;
  float sum = a + b + c, more = sum * sum - 3 * (a * a + b * b + c * c - 1);
  return more > 0 ? (sum + sqrtf(more)) / 3 : d;
}

// Distance of a voxel from its six neighbours.
static float update(const float* phi, uint32_t at) {
  const uint32_t X = RV_SPAN * RV_SPAN, Y = RV_SPAN;
  return solve(smaller(fabsf(phi[at - X]), fabsf(phi[at + X])), smaller(fabsf(phi[at - Y]), fabsf(phi[at + Y])),
               smaller(fabsf(phi[at - 1]), fabsf(phi[at + 1])));
}

// True if the sign of phi changes between a voxel and one of its six neighbours.
static bool at_surface(const float* phi, int at, int x, int y, int z) {
  const int X = RV_SPAN * RV_SPAN, Y = RV_SPAN, last = RV_SPAN - 1;
  bool in = phi[at] < 0;
  return (x > 0 && (phi[at - X] < 0) != in) || (x < last && (phi[at + X] < 0) != in) ||
         (y > 0 && (phi[at - Y] < 0) != in) || (y < last && (phi[at + Y] < 0) != in) ||
         (z > 0 && (phi[at - 1] < 0) != in) || (z < last && (phi[at + 1] < 0) != in);
}

// Runs the body for the voxels of all cells whose mark is at least `mark`.
#define FOR_VOXELS(mark, body)                                                                  \
  for (int cell = 0; cell < CELLS3; ++cell) {                                                   \
    if (cells[cell] < (mark)) continue;                                                         \
    int cx = cell / (RV_CELLS * RV_CELLS) * RV_CELL, cy = cell / RV_CELLS % RV_CELLS * RV_CELL; \
    int cz = cell % RV_CELLS * RV_CELL;                                                         \
    for (int x = cx; x < cx + RV_CELL; ++x)                                                     \
      for (int y = cy; y < cy + RV_CELL; ++y)                                                   \
        for (int z = cz; z < cz + RV_CELL; ++z) {                                               \
          int at = rv_surface_span_at(x, y, z);                                                 \
          body                                                                                  \
        }                                                                                       \
  }

// Marks the cells around cells with surface voxels with 2: the band does not reach farther.
static void mark_near(uint8_t* cells, const uint8_t* with) {
  for (int cell = 0; cell < CELLS3; ++cell) {
    if (!with[cell]) continue;
    int i = cell / (RV_CELLS * RV_CELLS), j = cell / RV_CELLS % RV_CELLS, k = cell % RV_CELLS;
    for (int a = 0; a < 27; ++a) {
      int x = i + a / 9 - 1, y = j + a / 3 % 3 - 1, z = k + a % 3 - 1;
      bool inside = x >= 0 && y >= 0 && z >= 0 && x < RV_CELLS && y < RV_CELLS && z < RV_CELLS;
      if (inside && cells[rv_surface_cell_at(x, y, z)]) cells[rv_surface_cell_at(x, y, z)] = 2;
    }
  }
}

// One sweep over the list; true if any distance changed noticeably.
static bool sweep(float* phi, const uint32_t* list, size_t count, bool forward) {
  bool changed = false;
  for (size_t i = 0; i < count; ++i) {
    uint32_t at = forward ? list[i] : list[count - 1 - i];
    float d = fabsf(phi[at]), new = update(phi, at);
    if (!(new < d)) continue;
    changed |= new < d - CONVERGED;
    phi[at] = phi[at] < 0 ? -new : new;
  }
  return changed;
}

void rv_surface_block_redistance(float* phi, uint8_t* cells, uint8_t* frozen, uint32_t* room) {
  uint8_t with[CELLS3] = {0};
  size_t count = 0;
  // Find the voxels at the surface.
  FOR_VOXELS(1, {
    frozen[at] = at_surface(phi, at, x, y, z);
    with[cell] |= frozen[at];
  })
  FOR_VOXELS(1, {
    float d = fabsf(phi[at]);
    // Voxels at the surface keep their value, limited to one voxel; all others start far away.
    d = frozen[at] ? smaller(d, 1) : FAR;
    phi[at] = phi[at] < 0 ? -d : d;
  })
  mark_near(cells, with);
  // List the voxels to update. The outermost voxels of the halo are too far away to matter.
  FOR_VOXELS(2, {
    bool inside = x > 0 && y > 0 && z > 0 && x < RV_SPAN - 1 && y < RV_SPAN - 1 && z < RV_SPAN - 1;
    if (inside && !frozen[at]) room[count++] = (uint32_t)at;
  })
  for (int pass = 0; pass < 2 * SWEEP_PAIRS && sweep(phi, room, count, pass % 2 == 0); ++pass) continue;
}
