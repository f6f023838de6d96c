// Loops over the vertices of a batch, a row of lanes at a time (volume_kernel.h).
#include "lookdev/volume_kernel.h"

#include <string.h>

#include "math/lanes.h"

void RV_KERNEL(rv_volume_extend)(const RvVolumeBatch* b, RvVolumeBox* all, RvVolumeBox* roots);
void RV_KERNEL(rv_volume_place)(const RvVolumeBatch* b);
void RV_KERNEL(rv_volume_spread)(const RvVolumeBatch* b, bool slopes, float* quads);
int RV_KERNEL(rv_volume_sample)(const RvVolumeBatch* b, const float* quads);
bool RV_KERNEL(rv_volume_near)(const RvVolumeBatch* b, const float* push);
void RV_KERNEL(rv_volume_push)(const RvVolumeBatch* b, const float* push, const float* density);

enum { CORNERS = 8, ROW = RV_LANES };

//---------------------------------------------------------------------------------------------- places

// RV_V integers and floats.
#if RV_V == 1
typedef int32_t Ints;
typedef float Floats;
#define TO_INTS(x) ((int32_t)(x))
#define TO_LANES(x) ((double)(x))
#define TO_FLOATS(x) ((float)(x))
#else
typedef int32_t Ints __attribute__((vector_size(4 * RV_V)));
typedef float Floats __attribute__((vector_size(4 * RV_V)));
#define TO_INTS(x) __builtin_convertvector(x, Ints)
#define TO_LANES(x) __builtin_convertvector(x, RvLanes)
#define TO_FLOATS(x) __builtin_convertvector(x, Floats)
#endif

// RV_V floats as lanes.
RV_INLINE RvLanes widen(const float* p) {
  Floats x;
  memcpy(&x, p, sizeof x);
  return TO_LANES(x);
}

// Places of RV_V vertices along one axis; `counts` becomes 0 beyond the grid.
RV_INLINE Ints place_axis(const double* x, double per_cell, int32_t low, int32_t size, float* at, RvLanes* counts) {
  const RvLanes zero = rv_lanes_set(0);
  RvLanes p = rv_lanes_load(x) * rv_lanes_set(per_cell) - rv_lanes_set(low);
  // Below 0, beyond the last cell, or not a number.
  const RvLaneMask inside = ~rv_lanes_positive(-p) & rv_lanes_positive(rv_lanes_set(size - 1) - p);
  p = rv_lanes_select(inside, p, zero);
  *counts = rv_lanes_select(inside, *counts, zero);
  const Ints whole = TO_INTS(p);
  const Floats share = TO_FLOATS(p - TO_LANES(whole));
  memcpy(at, &share, sizeof share);
  return whole;
}

// Lanes from k on of the vertices [begin, end). Numbers that are not finite do not count.
RV_INLINE void extend_lanes(const RvVolumeBatch* b, int begin, int end, int k, RvVolumeBox* box) {
  for (int c = 0; c < 3; ++c) {
    RvLanes low = rv_lanes_load(box->low[c] + k), high = rv_lanes_load(box->high[c] + k);
    for (int i = begin; i < end; ++i) {
      const RvLanes x = rv_lanes_load(b->x + (ptrdiff_t)(4 * i + c) * ROW + k);
      low = rv_lanes_select(rv_lanes_positive(low - x), x, low);
      high = rv_lanes_select(rv_lanes_positive(x - high), x, high);
    }
    rv_lanes_store(box->low[c] + k, low);
    rv_lanes_store(box->high[c] + k, high);
  }
}

void RV_KERNEL(rv_volume_extend)(const RvVolumeBatch* b, RvVolumeBox* all, RvVolumeBox* roots) {
  for (int k = 0; k < ROW; k += RV_V) {
    extend_lanes(b, 0, 1, k, roots);
    extend_lanes(b, 0, b->vertices, k, all);
  }
}

void RV_KERNEL(rv_volume_place)(const RvVolumeBatch* b) {
  double used[ROW] __attribute__((aligned(64)));
  for (int k = 0; k < ROW; ++k) used[k] = k < b->lanes;
  for (int i = 0; i < b->vertices; ++i)
    for (int k = 0; k < ROW; k += RV_V) {
      RvVolumeRow* r = &b->row[i];
      const double* x = b->x + (ptrdiff_t)(4 * i) * ROW + k;
      RvLanes counts = rv_lanes_load(used + k);
      const Ints nx = place_axis(x, b->per_cell, b->low[0], b->size[0], r->at[0] + k, &counts);
      const Ints ny = place_axis(x + ROW, b->per_cell, b->low[1], b->size[1], r->at[1] + k, &counts);
      const Ints nz = place_axis(x + 2 * ROW, b->per_cell, b->low[2], b->size[2], r->at[2] + k, &counts);
      const Ints node = (nz * b->size[1] + ny) * b->size[0] + nx;
      const Floats mass = TO_FLOATS(rv_lanes_load(b->mass + (ptrdiff_t)i * ROW + k) * counts);
      memcpy(r->node + k, &node, sizeof node);
      memcpy(r->mass + k, &mass, sizeof mass);
    }
}

//---------------------------------------------------------------------------------------------- spread

// The four nodes of a face of a cell, and those of both its faces across z.
typedef float Quad __attribute__((vector_size(16)));
typedef float Corners __attribute__((vector_size(32)));
typedef int32_t CornerBits __attribute__((vector_size(32)));

// Adds `mass` of the vertex in lane k of a row to the faces of its cell.
RV_INLINE void spread_vertex(const RvVolumeRow* r, int k, float mass, int32_t plane, float* quads) {
  const Quad x0 = {1, 0, 1, 0}, x1 = {-1, 1, -1, 1}, y0 = {1, 1, 0, 0}, y1 = {-1, -1, 1, 1};
  const Quad both = (x0 + x1 * r->at[0][k]) * (y0 + y1 * r->at[1][k]) * mass;
  const Quad upper = both * r->at[2][k];
  float* face = quads + 4 * (ptrdiff_t)r->node[k];
  Quad low, high;
  memcpy(&low, face, sizeof low);
  memcpy(&high, face + 4 * (ptrdiff_t)plane, sizeof high);
  low += both - upper;
  high += upper;
  memcpy(face, &low, sizeof low);
  memcpy(face + 4 * (ptrdiff_t)plane, &high, sizeof high);
}

void RV_KERNEL(rv_volume_spread)(const RvVolumeBatch* b, bool slopes, float* quads) {
  const int32_t plane = b->size[0] * b->size[1];
  for (int i = 0; i < b->vertices; ++i)
    for (int k = 0; k < ROW; ++k) {
      const RvVolumeRow* r = &b->row[i];
      const float mass = r->mass[k] * (slopes ? b->slope[i * ROW + k] : 1);
      if (mass > 0) spread_vertex(r, k, mass, plane, quads);
    }
}

//---------------------------------------------------------------------------------------------- sample

// Values at the eight nodes of each vertex of a row: a transposition of eight by eight.
RV_INLINE void corners_of(const RvVolumeRow* r, int32_t plane, const float* quads, Corners out[CORNERS]) {
  Corners v[ROW], pair[ROW], four[ROW];
  RV_UNROLL
  for (int k = 0; k < ROW; ++k) {
    Quad low, high;
    memcpy(&low, quads + 4 * (ptrdiff_t)r->node[k], sizeof low);
    memcpy(&high, quads + 4 * (ptrdiff_t)(r->node[k] + plane), sizeof high);
    v[k] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
  }
  RV_UNROLL
  for (int k = 0; k < ROW; k += 2) {
    pair[k] = __builtin_shufflevector(v[k], v[k + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pair[k + 1] = __builtin_shufflevector(v[k], v[k + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  RV_UNROLL
  for (int k = 0; k < ROW; k += 4)
    for (int q = 0; q < 2; ++q) {
      four[k + 2 * q] = __builtin_shufflevector(pair[k + q], pair[k + 2 + q], 0, 1, 8, 9, 4, 5, 12, 13);
      four[k + 2 * q + 1] = __builtin_shufflevector(pair[k + q], pair[k + 2 + q], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  RV_UNROLL
  for (int q = 0; q < 4; ++q) {
    out[q] = __builtin_shufflevector(four[q], four[q + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    out[q + 4] = __builtin_shufflevector(four[q], four[q + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

RV_INLINE Corners load_row(const float* p) {
  Corners row;
  memcpy(&row, p, sizeof row);
  return row;
}

// Value and gradient, by the place in the cell, of the trilinear interpolation.
RV_INLINE Corners interpolate(const RvVolumeRow* r, const Corners v[CORNERS], Corners slope[3]) {
  const Corners x = load_row(r->at[0]), y = load_row(r->at[1]), z = load_row(r->at[2]);
  const Corners d0 = v[1] - v[0], d1 = v[3] - v[2], d2 = v[5] - v[4], d3 = v[7] - v[6];
  const Corners e0 = v[0] + x * d0, e1 = v[2] + x * d1, e2 = v[4] + x * d2, e3 = v[6] + x * d3;
  const Corners low = d0 + y * (d1 - d0), high = d2 + y * (d3 - d2);
  const Corners f0 = e1 - e0, f1 = e3 - e2;
  const Corners bottom = e0 + y * f0, top = e2 + y * f1;
  slope[0] = low + z * (high - low);
  slope[1] = f0 + z * (f1 - f0);
  slope[2] = top - bottom;
  return bottom + z * slope[2];
}

// Slopes of RV_V vertices: the derivative of c^2 / 2 (density / limit - 1)^2, an energy a mass. Returns how many have
// one.
RV_INLINE int slopes_of(const RvVolumeBatch* b, int i, int k, const float* density) {
  const RvLanes zero = rv_lanes_set(0);
  const RvLanes rest = rv_lanes_load(b->rest + i * ROW + k), mass = rv_lanes_load(b->mass + i * ROW + k);
  const RvLanes limit = rv_lanes_set(1 + b->slack) * rest + rv_lanes_set(b->slack_density) * mass;
  const RvLanes excess = widen(density + k) - limit;
  const RvLaneMask some = rv_lanes_positive(excess) & rv_lanes_positive(rest);
  const Floats slope = TO_FLOATS(rv_lanes_select(some, rv_lanes_set(b->speed2) * excess / (limit * limit), zero));
  memcpy(b->slope + i * ROW + k, &slope, sizeof slope);
  return __builtin_popcount(rv_lanes_bits(some));
}

int RV_KERNEL(rv_volume_sample)(const RvVolumeBatch* b, const float* quads) {
  const int32_t plane = b->size[0] * b->size[1];
  int squeezed = 0;
  for (int i = 0; i < b->vertices; ++i) {
    const RvVolumeRow* r = &b->row[i];
    Corners v[CORNERS], slope[3];
    corners_of(r, plane, quads, v);
    const Corners mass = load_row(r->mass), found = interpolate(r, v, slope);
    const Corners density = (Corners)((mass > (Corners){0}) & (CornerBits)found);
    float own[ROW] __attribute__((aligned(64)));
    memcpy(own, &density, sizeof own);
    for (int k = 0; k < ROW; k += RV_V) {
      if (b->density) rv_lanes_store(b->density + i * ROW + k, widen(own + k));
      if (b->rest) squeezed += slopes_of(b, i, k, own);
    }
  }
  return squeezed;
}

//---------------------------------------------------------------------------------------------- push

bool RV_KERNEL(rv_volume_near)(const RvVolumeBatch* b, const float* push) {
  const int32_t plane = b->size[0] * b->size[1];
  Quad sum = {0};
  for (int i = 0; i < b->vertices; ++i)
    for (int k = 0; k < ROW; ++k) {
      Quad low, high;
      memcpy(&low, push + 4 * (ptrdiff_t)b->row[i].node[k], sizeof low);
      memcpy(&high, push + 4 * (ptrdiff_t)(b->row[i].node[k] + plane), sizeof high);
      sum += low + high;
    }
  return sum[0] + sum[1] + sum[2] + sum[3] > 0;
}

void RV_KERNEL(rv_volume_push)(const RvVolumeBatch* b, const float* push, const float* density) {
  const int32_t plane = b->size[0] * b->size[1];
  const RvLanes per_cell = rv_lanes_set(b->per_cell);
  for (int i = 0; i < b->vertices; ++i) {
    const RvVolumeRow* r = &b->row[i];
    Corners v[CORNERS], own[CORNERS], slope[3];
    const Corners excess = load_row(b->slope + i * ROW), mass = load_row(r->mass);
    corners_of(r, plane, push, v);
    corners_of(r, plane, density, own);
    RV_UNROLL
    for (int q = 0; q < CORNERS; ++q) v[q] += excess * own[q];
    interpolate(r, v, slope);
    for (int a = 0; a < 3; ++a) {
      const Corners force = mass * slope[a];
      float row[ROW] __attribute__((aligned(64)));
      memcpy(row, &force, sizeof row);
      for (int k = 0; k < ROW; k += RV_V) {
        double* to = b->force + (ptrdiff_t)(4 * i + a) * ROW + k;
        rv_lanes_store(to, rv_lanes_load(to) - widen(row + k) * per_cell);
      }
    }
  }
}
