// Particles stay out of solids (WH-43).
#include <math.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "liquid/stages.h"

// a particle moves at most three cells a substep, and the slope needs one more
enum { HALO = 4, WIDE = RV_TILE_SIDE + 2 * HALO, ROUNDS = 3 };

typedef struct Job {
  const RvLiquidGrid* grid;
  const RvLiquidSolids* solids;
  const RvScatter* scatter;
  RvParticles* p;
  float margin;
} Job;

typedef struct Field {
  float d[WIDE * WIDE * WIDE];  // distance at corners, in cells
  const RvTiles* tiles;
  const RvLiquidSolids* solids;
  size_t tile;
} Field;

// distance and its slope at x (cells from the tile's corner)
static float look_up(const Field* f, const float x[3], float slope[3]) {
  int at = 0;
  float w[3];
  for (int a = 2; a >= 0; --a) {
    float y = fminf(fmaxf(x[a] + HALO, 0), WIDE - 1.0625f);
    int node = (int)y;
    w[a] = y - (float)node;
    at = at * WIDE + node;
  }
  float c[8];
  for (int k = 0; k < 8; ++k) c[k] = f->d[at + (k & 1) + (k >> 1 & 1) * WIDE + (k >> 2) * WIDE * WIDE];
  float y00 = c[0] + (c[1] - c[0]) * w[0], y10 = c[2] + (c[3] - c[2]) * w[0];
  float y01 = c[4] + (c[5] - c[4]) * w[0], y11 = c[6] + (c[7] - c[6]) * w[0];
  float z0 = y00 + (y10 - y00) * w[1], z1 = y01 + (y11 - y01) * w[1];
  float s0 = (c[1] - c[0]) + ((c[3] - c[2]) - (c[1] - c[0])) * w[1];
  float s1 = (c[5] - c[4]) + ((c[7] - c[6]) - (c[5] - c[4])) * w[1];
  slope[0] = s0 + (s1 - s0) * w[2];
  slope[1] = (y10 - y00) + ((y11 - y01) - (y10 - y00)) * w[2];
  slope[2] = z1 - z0;
  return z0 + (z1 - z0) * w[2];
}

// the velocity of the face next to x along each axis
static void solid_velocity(const Field* f, const float x[3], float v[3]) {
  for (int a = 0; a < 3; ++a) {
    int at[3];
    for (int b = 0; b < 3; ++b) at[b] = (int)fminf(fmaxf(x[b] + HALO + (a == b ? 0.5f : 0), 0), WIDE - 1) - HALO;
    v[a] = rv_tiles_read(f->tiles, f->solids->velocity[a].data, f->tile, at[0], at[1], at[2], 0);
  }
}

// How far within the margin x is, in terms of the distance: in the corners of solids the distance between its nodes
// grows slower than space, so it is measured by its slope. `square` is that of the slope.
static float depth(const Field* f, const float x[3], float margin, float n[3], float* square) {
  float d = look_up(f, x, n);
  *square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
  return margin * fminf(sqrtf(*square), 1) - d;
}

// whether the corner next to x is so far out that x is too: distances change no faster than space does
static bool far_out(const Field* f, const RvParticles* p, size_t i, float margin) {
  int at = 0;
  for (int a = 2; a >= 0; --a) {
    int node = (int)fminf(fmaxf(p->x[a][i] + (HALO + 0.5f), 0), WIDE - 1);
    at = at * WIDE + node;
  }
  return f->d[at] > 0.87f + margin;
}

// true when the particle had to be moved
static bool push_out(const Field* f, RvParticles* p, size_t i, float margin) {
  float x[3] = {p->x[0][i], p->x[1][i], p->x[2][i]}, n[3], square, unit[3] = {0};
  float in = depth(f, x, margin, n, &square);
  if (!(in > 0)) return false;
  for (int round = 0; round < ROUNDS && in > 0 && square > 1e-6f; ++round) {
    float step = fminf(in / square, 2);
    for (int a = 0; a < 3; ++a) unit[a] = n[a] / sqrtf(square), x[a] += step * n[a];
    in = depth(f, x, margin, n, &square);
  }
  float solid[3], into = 0;
  solid_velocity(f, x, solid);
  for (int a = 0; a < 3; ++a) into += (p->v[a][i] - solid[a]) * unit[a];
  for (int a = 0; a < 3; ++a) {
    p->x[a][i] = x[a];
    if (into < 0) p->v[a][i] -= into * unit[a];
  }
  return true;
}

static double collide_some(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  const RvTiles* tiles = &job->grid->tiles;
  Field f;
  double moved = 0;
  for (size_t t = begin; t < end; ++t) {
    int32_t home = job->scatter->home_of[t];
    bool near = false;
    for (int n = 0; n < RV_TILE_NEAR && home >= 0; ++n) {
      int32_t other = tiles->near[t][n];
      near = near || (other >= 0 && job->solids->touched[other]);
    }
    if (!near) continue;
    float dx = (float)job->grid->dx;
    rv_channel_gather(tiles, job->solids->distance.data, t, HALO, 1e3f * dx, f.d);
    for (int i = 0; i < WIDE * WIDE * WIDE; ++i) f.d[i] /= dx;
    f.tiles = tiles, f.solids = job->solids, f.tile = t;
    const uint32_t* first = job->p->cell_first + (size_t)home * RV_TILE_CELLS;
    for (size_t i = first[0]; i < first[RV_TILE_CELLS]; ++i)
      if (!far_out(&f, job->p, i, job->margin)) moved += push_out(&f, job->p, i, job->margin);
  }
  return moved;
}

size_t rv_liquid_collide(const RvLiquidGrid* grid, const RvLiquidSolids* solids, const RvScatter* scatter,
                         RvParticles* p, double margin) {
  if (!solids || !solids->any) return 0;
  Job job = {grid, solids, scatter, p, (float)margin};
  return (size_t)rv_parallel_sum(grid->tiles.count, 4, collide_some, &job);
}

//---------------------------------------------------------------------------------------------- speed

enum { SPEED_GRAIN = 8192 };

typedef struct Speeds {
  const RvParticles* p;
  float* most;
} Speeds;

static void speed_some(void* arg, size_t begin, size_t end) {
  const Speeds* s = arg;
  float most = 0;
  bool bad = false;
  for (int a = 0; a < 3; ++a)
    for (size_t i = begin; i < end; ++i) {
      float v = fabsf(s->p->v[a][i]);
      bad |= !(v < INFINITY);
      most = v > most ? v : most;
    }
  s->most[begin / SPEED_GRAIN] = bad ? INFINITY : most;
}

double rv_liquid_speed(const RvParticles* p) {
  size_t chunks = (p->count + SPEED_GRAIN - 1) / SPEED_GRAIN;
  Speeds s = {p, rv_alloc_zero(chunks, sizeof(float))};
  if (!s.most) return INFINITY;
  rv_parallel_for(p->count, SPEED_GRAIN, speed_some, &s);
  float most = 0;
  for (size_t k = 0; k < chunks; ++k) most = fmaxf(most, s.most[k]);
  rv_free(s.most);
  return (double)most;
}
