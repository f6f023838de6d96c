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
  float d = a + 1;
  if (d <= b) return d;
  float gap = 2 - (a - b) * (a - b);
  d = 0.5f * (a + b + sqrtf(gap > 0 ? gap : 0));
  if (d <= c) return d;
  float sum = a + b + c, more = sum * sum - 3 * (a * a + b * b + c * c - 1);
  return more > 0 ? (sum + sqrtf(more)) / 3 : d;
}

static float update(const float* phi, uint32_t at) {
  const uint32_t X = RV_SPAN * RV_SPAN, Y = RV_SPAN;
  return solve(smaller(fabsf(phi[at - X]), fabsf(phi[at + X])), smaller(fabsf(phi[at - Y]), fabsf(phi[at + Y])),
               smaller(fabsf(phi[at - 1]), fabsf(phi[at + 1])));
}

static bool at_surface(const float* phi, int at, int x, int y, int z) {
  const int X = RV_SPAN * RV_SPAN, Y = RV_SPAN, last = RV_SPAN - 1;
  bool in = phi[at] < 0;
  return (x > 0 && (phi[at - X] < 0) != in) || (x < last && (phi[at + X] < 0) != in) ||
         (y > 0 && (phi[at - Y] < 0) != in) || (y < last && (phi[at + Y] < 0) != in) ||
         (z > 0 && (phi[at - 1] < 0) != in) || (z < last && (phi[at + 1] < 0) != in);
}

// calls body for the voxels of all cells with the mark
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

// cells next to one with a piece of surface get the mark 2: the band does not go farther
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

// over the list, there or back; whether anything changed
static bool pass_over(float* phi, const uint32_t* list, size_t count, bool forward) {
  bool changed = false;
  for (size_t i = 0; i < count; ++i) {
    uint32_t at = forward ? list[i] : list[count - 1 - i];
    float d = fabsf(phi[at]), new = update(phi, at);
    if (!(new < d)) continue;
    changed |= new < d - 1e-3f;
    phi[at] = phi[at] < 0 ? -new : new;
  }
  return changed;
}

void rv_surface_block_redistance(float* phi, uint8_t* cells, uint8_t* frozen, uint32_t* room) {
  uint8_t with[CELLS3] = {0};
  size_t count = 0;
  FOR_VOXELS(1, {
    frozen[at] = at_surface(phi, at, x, y, z);
    with[cell] |= frozen[at];
  })
  FOR_VOXELS(1, {
    float d = fabsf(phi[at]);
    // what a voxel next to a change of sign says can only be trusted as far as that is away
    d = frozen[at] ? smaller(d, 1) : FAR;
    phi[at] = phi[at] < 0 ? -d : d;
  })
  mark_near(cells, with);
  // the outermost voxels of the halo are too far off to matter
  FOR_VOXELS(2, {
    bool inside = x > 0 && y > 0 && z > 0 && x < RV_SPAN - 1 && y < RV_SPAN - 1 && z < RV_SPAN - 1;
    if (inside && !frozen[at]) room[count++] = (uint32_t)at;
  })
  for (int pass = 0; pass < 2 * PASSES && pass_over(phi, room, count, pass % 2 == 0); ++pass) continue;
}
