// The two loops over particles, which take most of the time outside of the solves: scatter to the grid (APIC, spec
// 1.2.11) and sampling with the move. Multiplications and additions only, without contraction, so that every
// instruction set gives the same bits.
#include <string.h>

#include "liquid/transfer.h"
#include "math/lanes.h"

void RV_KERNEL(rv_liquid_scatter)(const RvTransferSpan* s, double* room, float* out);
void RV_KERNEL(rv_liquid_sample)(const RvTransferSpan* s, const RvSampleField* from);

//---------------------------------------------------------------------------------------------- to the grid

typedef double Two __attribute__((vector_size(16)));
typedef double Four __attribute__((vector_size(32)));
// Rows of the rooms, which are arrays of double, are not aligned.
typedef double TwoLoose __attribute__((vector_size(16), aligned(8), may_alias));
typedef double FourLoose __attribute__((vector_size(32), aligned(8), may_alias));

enum { ROW = RV_HALO1_SIDE, SLAB = RV_HALO1_SIDE * RV_HALO1_SIDE };  // steps along y and z in a room

// Position along an axis: the node below it, of the faces (at whole numbers) and of the centres, and the part of the
// way to the next.
typedef struct Spot {
  int face, center;
  double face_part, center_part;
} Spot;

// Spot of a position along an axis.
RV_INLINE Spot find_spot(float x) {
  Spot s;
  s.face = (int)x;
  s.face_part = (double)(x - (float)s.face);
  // truncation rounds down, as the argument is never negative
  int up = (int)(x + 0.5f);
  s.center = up - 1;
  s.center_part = (double)(x - (float)up) + 0.5;
  return s;
}

// Adds mass and momentum of one particle to the eight faces of one axis around it (28).
RV_INLINE void add_axis(double* room, const Spot at[3], int axis, double mass, double v, const double c[3]) {
  int node[3];
  double f[3];
  RV_UNROLL for (int b = 0; b < 3; ++b) {
    node[b] = b == axis ? at[b].face : at[b].center;
    f[b] = b == axis ? at[b].face_part : at[b].center_part;
  }
  // affine velocity at the lower and upper node along x, and its change along y and z
  double* base = room + 2 * rv_halo1_at(node[0], node[1], node[2]);
  double low = ((v - c[0] * f[0]) - c[1] * f[1]) - c[2] * f[2], high = low + c[0];
  double a = mass * (1 - f[0]), b = mass * f[0];
  Four weight = {a, a, b, b}, value = {1, low, 1, high};
  Four step_y = {0, c[1], 0, c[1]}, step_z = {0, c[2], 0, c[2]};
  Four w0 = weight * (1 - f[1]), w1 = weight * f[1];
  double z0 = 1 - f[2], z1 = f[2];
  // (mass, momentum) of both nodes along x at once, in four rows
  FourLoose* row;
  row = (FourLoose*)base;
  *row = *row + (w0 * z0) * value;
  Four up = value + step_y;
  row = (FourLoose*)(base + 2 * ROW);
  *row = *row + (w1 * z0) * up;
  row = (FourLoose*)(base + 2 * SLAB);
  *row = *row + (w0 * z1) * (value + step_z);
  row = (FourLoose*)(base + 2 * (SLAB + ROW));
  *row = *row + (w1 * z1) * (up + step_z);
}

// Adds the volume of one particle to the eight cells around it.
RV_INLINE void add_fill(double* room, const Spot at[3], double mass) {
  double* base = room + rv_halo1_at(at[0].center, at[1].center, at[2].center);
  double fx = at[0].center_part, fy = at[1].center_part, fz = at[2].center_part;
  Two weight = {mass * (1 - fx), mass * fx};
  Two w0 = weight * (1 - fy), w1 = weight * fy;
  TwoLoose* row;
  row = (TwoLoose*)base;
  *row = *row + w0 * (1 - fz);
  row = (TwoLoose*)(base + ROW);
  *row = *row + w1 * (1 - fz);
  row = (TwoLoose*)(base + SLAB);
  *row = *row + w0 * fz;
  row = (TwoLoose*)(base + SLAB + ROW);
  *row = *row + w1 * fz;
}

void RV_KERNEL(rv_liquid_scatter)(const RvTransferSpan* s, double* room, float* out) {
  memset(room, 0, RV_SCATTER_FLOATS * sizeof *room);
  double cell = 1 / (s->dx * s->dx * s->dx);
  for (size_t i = s->begin; i < s->end; ++i) {
    Spot at[3];
    RV_UNROLL for (int a = 0; a < 3; ++a) at[a] = find_spot(s->x[a][i]);
    double volume = s->volume[i] * cell, mass = volume;
    if (s->weights) mass *= s->weights->heaviness[rv_liquid_material_of(s->weights->materials, s->row[i])];
    RV_UNROLL for (int a = 0; a < 3; ++a) {
      double c[3] = {(double)s->c[3 * a][i] * s->dx, (double)s->c[3 * a + 1][i] * s->dx,
                     (double)s->c[3 * a + 2][i] * s->dx};
      add_axis(room + a * RV_SCATTER_AXIS, at, a, mass, (double)s->v[a][i], c);
    }
    add_fill(room + RV_SCATTER_FILL, at, volume);
  }
  for (int k = 0; k < RV_SCATTER_FLOATS; ++k) out[k] = (float)room[k];
}

//---------------------------------------------------------------------------------------------- from the grid

enum { LANES = 8, SIDE = RV_SAMPLE_SIDE, PLANE = RV_SAMPLE_SIDE * RV_SAMPLE_SIDE };
typedef float Lanes __attribute__((vector_size(32)));
typedef int32_t Index __attribute__((vector_size(32)));

#define LOWEST_SAMPLE 0.5f  // range of x + 3 that is sampled, within the cube of 14 nodes
#define HIGHEST_SAMPLE 12.4375f
#define LARGEST_MOVE 3.0f    // cells along an axis in a substep
#define LARGEST_SHIFT 0.25f  // cells of the volume correction

// Eight particles, loaded and stored whole or in part.
typedef struct Group {
  float x[3][LANES], v[3][LANES], c[9][LANES];
} Group __attribute__((aligned(32)));

// from[at] and from[at + 1] of each lane. Pairs are loaded and separated by shuffles, in a third of the time of
// gathers.
RV_INLINE void pick(const float* from, const int32_t at[LANES], Lanes* first, Lanes* second) {
#if defined(__AVX2__)
  __m128 pair[4];
  RV_UNROLL for (int l = 0; l < 4; ++l) pair[l] = _mm_loadl_pi(_mm_setzero_ps(), (const __m64*)(from + at[2 * l]));
  RV_UNROLL for (int l = 0; l < 4; ++l) pair[l] = _mm_loadh_pi(pair[l], (const __m64*)(from + at[2 * l + 1]));
  __m256 even = _mm256_insertf128_ps(_mm256_castps128_ps256(pair[0]), pair[2], 1);
  __m256 odd = _mm256_insertf128_ps(_mm256_castps128_ps256(pair[1]), pair[3], 1);
  *first = (Lanes)_mm256_shuffle_ps(even, odd, 0x88);
  *second = (Lanes)_mm256_shuffle_ps(even, odd, 0xdd);
#else
  Lanes a, b;
  for (int l = 0; l < LANES; ++l) {
    a[l] = from[at[l]];
    b[l] = from[at[l] + 1];
  }
  *first = a;
  *second = b;
#endif
}

// Rounds towards zero.
RV_INLINE Index whole(Lanes x) {
  return __builtin_convertvector(x, Index);
}
// Whole numbers as floats.
RV_INLINE Lanes number(Index x) {
  return __builtin_convertvector(x, Lanes);
}
// x in all lanes.
RV_INLINE Lanes all(float x) {
  return x - (Lanes){0};
}
// Linear interpolation.
RV_INLINE Lanes mix(Lanes a, Lanes b, Lanes t) {
  return a * (1 - t) + b * t;
}
// yes where the mask is set, else no.
RV_INLINE Lanes choose(Index mask, Lanes yes, Lanes no) {
  return (Lanes)((mask & (Index)yes) | (~mask & (Index)no));
}

// Spot of eight positions along the three axes, counted from the corner of the halo.
typedef struct Spots {
  Index face[3], center[3];
  Lanes face_part[3], center_part[3];
} Spots;

// Spots of eight positions.
RV_INLINE Spots find_spots(const Lanes x[3]) {
  Spots s;
  RV_UNROLL for (int a = 0; a < 3; ++a) {
    // all samples are kept within the cube
    Lanes y = x[a] + (float)RV_SAMPLE_HALO;
    // (comparisons that a NaN fails too)
    y = choose(y > LOWEST_SAMPLE, y, all(LOWEST_SAMPLE));
    y = choose(y < HIGHEST_SAMPLE, y, all(HIGHEST_SAMPLE));
    s.face[a] = whole(y);
    s.face_part[a] = y - number(s.face[a]);
    Lanes half = y - 0.5f;
    s.center[a] = whole(half);
    s.center_part[a] = half - number(s.center[a]);
  }
  return s;
}

// Trilinear velocity along an axis and, with `slope`, its change per cell along each axis.
RV_INLINE Lanes interpolate(const float* from, const Spots* s, int axis, Lanes slope[3]) {
  Index node[3];
  Lanes f[3];
  RV_UNROLL for (int b = 0; b < 3; ++b) {
    node[b] = b == axis ? s->face[b] : s->center[b];
    f[b] = b == axis ? s->face_part[b] : s->center_part[b];
  }
  Index at = (node[2] * SIDE + node[1]) * SIDE + node[0];
  int32_t node_at[LANES] __attribute__((aligned(32)));
  *(Index*)node_at = at;
  Lanes v000, v100, v010, v110, v001, v101, v011, v111;
  pick(from, node_at, &v000, &v100);
  pick(from + SIDE, node_at, &v010, &v110);
  pick(from + PLANE, node_at, &v001, &v101);
  pick(from + PLANE + SIDE, node_at, &v011, &v111);
  Lanes r00 = mix(v000, v100, f[0]), r10 = mix(v010, v110, f[0]);
  Lanes r01 = mix(v001, v101, f[0]), r11 = mix(v011, v111, f[0]);
  Lanes p0 = mix(r00, r10, f[1]), p1 = mix(r01, r11, f[1]);
  if (slope) {
    slope[0] = mix(mix(v100 - v000, v110 - v010, f[1]), mix(v101 - v001, v111 - v011, f[1]), f[2]);
    slope[1] = mix(r10 - r00, r11 - r01, f[2]);
    slope[2] = p1 - p0;
  }
  return mix(p0, p1, f[2]);
}

// Trilinear value of cells, in a cube with a halo of one.
RV_INLINE Lanes interpolate_cells(const float* from, const Lanes x[3]) {
  enum { UP_Y = RV_HALO1_SIDE, UP_Z = RV_HALO1_SIDE * RV_HALO1_SIDE };
  Index node[3];
  Lanes f[3];
  RV_UNROLL for (int b = 0; b < 3; ++b) {
    // centres lie at half cells; places of sorted particles are within the tile
    Lanes y = x[b] + 0.5f;
    y = choose(y > 0, y, all(0));
    y = choose(y < RV_TILE_SIDE + 0.5f, y, all(RV_TILE_SIDE + 0.5f));
    node[b] = whole(y);
    f[b] = y - number(node[b]);
  }
  int32_t at[LANES] __attribute__((aligned(32)));
  *(Index*)at = (node[2] * RV_HALO1_SIDE + node[1]) * RV_HALO1_SIDE + node[0];
  Lanes v000, v100, v010, v110, v001, v101, v011, v111;
  pick(from, at, &v000, &v100);
  pick(from + UP_Y, at, &v010, &v110);
  pick(from + UP_Z, at, &v001, &v101);
  pick(from + UP_Z + UP_Y, at, &v011, &v111);
  Lanes p0 = mix(mix(v000, v100, f[0]), mix(v010, v110, f[0]), f[1]);
  Lanes p1 = mix(mix(v001, v101, f[0]), mix(v011, v111, f[0]), f[1]);
  return mix(p0, p1, f[2]);
}

// Samples eight particles, and moves them, straight or through the field by Ralston's third-order method: x + dt (2 k1
// + 3 k2 + 4 k3) / 9 with k2 at dt/2 along k1 and k3 at 3 dt/4 along k2; `step` is dt / dx.
RV_INLINE void sample_group(Group* g, const RvSampleField* from, float per_dx, float step) {
  Lanes x[3], k1[3], k2[3], y[3], moved[3], path[3];
  RV_UNROLL for (int a = 0; a < 3; ++a) x[a] = *(Lanes*)g->x[a];
  // velocity and affine vectors
  Spots s = find_spots(x);
  RV_UNROLL for (int a = 0; a < 3; ++a) {
    Lanes slope[3];
    k1[a] = interpolate(from->velocity[a], &s, a, slope);
    *(Lanes*)g->v[a] = k1[a];
    RV_UNROLL for (int b = 0; b < 3; ++b) * (Lanes*)g->c[3 * a + b] = slope[b] * per_dx;
  }
  if (step == 0) return;
  // the volume correction is a displacement: it is added to the move and leaves the velocity alone
  RV_UNROLL for (int a = 0; a < 3; ++a) {
    moved[a] = x[a];
    if (!from->shift[a]) continue;
    Lanes displacement = interpolate(from->shift[a], &s, a, NULL) * per_dx;
    displacement = choose(displacement > LARGEST_SHIFT, all(LARGEST_SHIFT), displacement);
    moved[a] = x[a] + choose(displacement < -LARGEST_SHIFT, all(-LARGEST_SHIFT), displacement);
  }
  // the straight path, and where it is not all of it, that by the stages of Ralston's method
  RV_UNROLL for (int a = 0; a < 3; ++a) path[a] = k1[a] * step;
  if (from->straight) {
    Lanes straight = interpolate_cells(from->straight, x);
    RV_UNROLL for (int a = 0; a < 3; ++a) y[a] = x[a] + k1[a] * (0.5f * step);
    s = find_spots(y);
    RV_UNROLL for (int a = 0; a < 3; ++a) k2[a] = interpolate(from->velocity[a], &s, a, NULL);
    RV_UNROLL for (int a = 0; a < 3; ++a) y[a] = x[a] + k2[a] * (0.75f * step);
    s = find_spots(y);
    RV_UNROLL for (int a = 0; a < 3; ++a) {
      Lanes k3 = interpolate(from->velocity[a], &s, a, NULL);
      Lanes curved = ((k1[a] * 2 + k2[a] * 3) + k3 * 4) * (step / 9);
      path[a] = mix(curved, path[a], straight);
    }
  }
  RV_UNROLL for (int a = 0; a < 3; ++a) {
    path[a] = choose(path[a] > LARGEST_MOVE, all(LARGEST_MOVE), path[a]);
    *(Lanes*)g->x[a] = moved[a] + choose(path[a] < -LARGEST_MOVE, all(-LARGEST_MOVE), path[a]);
  }
}

RV_INLINE void load_group(Group* g, const RvTransferSpan* s, size_t i, size_t n) {
  for (int a = 0; a < 3; ++a) memcpy(g->x[a], s->x[a] + i, n * sizeof(float));
}

RV_INLINE void store_group(const Group* g, const RvTransferSpan* s, size_t i, size_t n, bool moved) {
  for (int a = 0; moved && a < 3; ++a) memcpy(s->x[a] + i, g->x[a], n * sizeof(float));
  for (int a = 0; a < 3; ++a) memcpy(s->v[a] + i, g->v[a], n * sizeof(float));
  for (int a = 0; a < 9; ++a) memcpy(s->c[a] + i, g->c[a], n * sizeof(float));
}

void RV_KERNEL(rv_liquid_sample)(const RvTransferSpan* s, const RvSampleField* from) {
  float per_dx = (float)(1 / s->dx), step = (float)(s->dt / s->dx);
  bool moved = step != 0;
  size_t i = s->begin;
  Group g;
  for (; i + LANES <= s->end; i += LANES) {
    load_group(&g, s, i, LANES);
    sample_group(&g, from, per_dx, step);
    store_group(&g, s, i, LANES, moved);
  }
  // the last ones, fewer than eight
  if (i == s->end) return;
  memset(&g, 0, sizeof g);
  load_group(&g, s, i, s->end - i);
  sample_group(&g, from, per_dx, step);
  store_group(&g, s, i, s->end - i, moved);
}
