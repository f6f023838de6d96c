// Distances from values that are right next to the surface only: |grad phi| = 1 solved outwards, a few passes over the
// voxels of the band. A pass carries the distance at least one voxel on, so the band needs few.
#include <math.h>

#include "surface/parts.h"

enum { PASSES = 3, CELLS3 = RV_CELLS * RV_CELLS * RV_CELLS };  // passes there and back
static const float FAR = RV_SURFACE_BAND + 1;

static float smaller(float a, float b) {
  return a < b ? a : b;
}

// the distance that three upwind neighbours give
static float solve(float a, float b, float c) {
  float t;
  if (a > b) t = a, a = b, b = t;
  if (b > c) t = b, b = c, c = t;
  if (a > b) t = a, a = b, b = t;
  float d = a + 1;
  if (d <= b) return d;
  float gap = 2 - (a - b) * (a - b);
  d = 0.5f * (a + b + sqrtf(gap > 0 ? gap : 0));
  if (d <= c) return d;
  float sum = a + b + c, more = sum * sum - 3 * (a * a + b * b + c * c - 1);
  return more > 0 ? (sum + sqrtf(more)) / 3 : d;
}

static float update(const float* phi, int at, int x, int y, int z) {
  const int X = RV_SPAN * RV_SPAN, Y = RV_SPAN, last = RV_SPAN - 1;
  float a = smaller(x > 0 ? fabsf(phi[at - X]) : FAR, x < last ? fabsf(phi[at + X]) : FAR);
  float b = smaller(y > 0 ? fabsf(phi[at - Y]) : FAR, y < last ? fabsf(phi[at + Y]) : FAR);
  float c = smaller(z > 0 ? fabsf(phi[at - 1]) : FAR, z < last ? fabsf(phi[at + 1]) : FAR);
  return solve(a, b, c);
}

static bool at_surface(const float* phi, int at, int x, int y, int z) {
  const int X = RV_SPAN * RV_SPAN, Y = RV_SPAN, last = RV_SPAN - 1;
  bool in = phi[at] < 0;
  return (x > 0 && (phi[at - X] < 0) != in) || (x < last && (phi[at + X] < 0) != in) ||
         (y > 0 && (phi[at - Y] < 0) != in) || (y < last && (phi[at + Y] < 0) != in) ||
         (z > 0 && (phi[at - 1] < 0) != in) || (z < last && (phi[at + 1] < 0) != in);
}

// calls body for the voxels of all cells with the mark, in raster order or backwards
#define FOR_VOXELS(mark, forward, body)                                                           \
  for (int i_ = 0; i_ < CELLS3; ++i_) {                                                           \
    int cell = (forward) ? i_ : CELLS3 - 1 - i_;                                                  \
    if (cells[cell] < (mark)) continue;                                                           \
    int cx = cell / (RV_CELLS * RV_CELLS), cy = cell / RV_CELLS % RV_CELLS, cz = cell % RV_CELLS; \
    for (int j_ = 0; j_ < RV_CELL * RV_CELL * RV_CELL; ++j_) {                                    \
      int v = (forward) ? j_ : RV_CELL * RV_CELL * RV_CELL - 1 - j_;                              \
      int x = cx * RV_CELL + v / 16, y = cy * RV_CELL + v / 4 % 4, z = cz * RV_CELL + v % 4;      \
      int at = rv_span_at(x, y, z);                                                               \
      body                                                                                        \
    }                                                                                             \
  }

// cells next to one with a piece of surface get the mark 2: the band does not go farther
static void mark_near(uint8_t* cells, const uint8_t* with) {
  for (int cell = 0; cell < CELLS3; ++cell) {
    if (!with[cell]) continue;
    int i = cell / (RV_CELLS * RV_CELLS), j = cell / RV_CELLS % RV_CELLS, k = cell % RV_CELLS;
    for (int a = 0; a < 27; ++a) {
      int x = i + a / 9 - 1, y = j + a / 3 % 3 - 1, z = k + a % 3 - 1;
      bool inside = x >= 0 && y >= 0 && z >= 0 && x < RV_CELLS && y < RV_CELLS && z < RV_CELLS;
      if (inside && cells[rv_cell_at(x, y, z)]) cells[rv_cell_at(x, y, z)] = 2;
    }
  }
}

void rv_block_redistance(float* phi, uint8_t* cells, uint8_t* frozen) {
  uint8_t with[CELLS3] = {0};
  FOR_VOXELS(1, true, {
    frozen[at] = at_surface(phi, at, x, y, z);
    with[cell] |= frozen[at];
  })
  FOR_VOXELS(1, true, {
    float d = fabsf(phi[at]);
    // what a voxel next to a change of sign says can only be trusted as far as that is away
    d = frozen[at] ? smaller(d, 1) : FAR;
    phi[at] = phi[at] < 0 ? -d : d;
  })
  mark_near(cells, with);
  for (int pass = 0; pass < 2 * PASSES; ++pass) {
    FOR_VOXELS(2, pass % 2 == 0, {
      if (frozen[at]) continue;
      float d = smaller(fabsf(phi[at]), update(phi, at, x, y, z));
      phi[at] = phi[at] < 0 ? -d : d;
    })
  }
}
