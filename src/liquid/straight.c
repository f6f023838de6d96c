#include "base/parallel.h"
#include "liquid/straight.h"

enum { GRAIN = 4, SIDE = RV_HALO1_SIDE };  // tiles a task; cells along an axis of a tile with halo
static const int STEP[3] = {1, SIDE, SIDE * SIDE};

typedef struct Job {
  RvLiquidGrid* grid;
  float step;
} Job;

// A tile of face velocities with halo; known where there is mass.
typedef struct Faces {
  float u[3][RV_HALO1_CELLS];
  float mass[3][RV_HALO1_CELLS];
} Faces;

// Change of the velocity of a face along another axis, per cell: central, or to the side that is known.
static inline float across(const float* u, const float* mass, int at, int step) {
  if (!(mass[at] > 0)) return 0;
  bool up = mass[at + step] > 0, down = mass[at - step] > 0;
  float high = up ? u[at + step] : u[at], low = down ? u[at - step] : u[at];
  return up && down ? 0.5f * (high - low) : high - low;
}

static float divergence_of(const Faces* f, int at, float step) {
  float g[3][3], square = 0;
  for (int a = 0; a < 3; ++a) {
    const float *u = f->u[a], *mass = f->mass[a];
    int up = at + STEP[a];
    bool low = mass[at] > 0, high = mass[up] > 0;
    for (int b = 0; b < 3; ++b) {
      if (a == b)
        g[a][b] = low && high ? u[up] - u[at] : 0;
      else {
        g[a][b] = across(u, mass, at, STEP[b]) + across(u, mass, up, STEP[b]);
        if (low && high) g[a][b] *= 0.5f;
      }
      g[a][b] *= step;
      square += g[a][b] * g[a][b];
    }
  }
  float second = g[0][0] * g[1][1] - g[0][1] * g[1][0] + g[1][1] * g[2][2] - g[1][2] * g[2][1] + g[2][2] * g[0][0] -
                 g[2][0] * g[0][2];
  return -second * rv_liquid_straight_share(square);
}

static void find_some(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  const RvLiquidGrid* g = job->grid;
  Faces f;
  for (size_t t = begin; t < end; ++t) {
    for (int a = 0; a < 3; ++a) {
      rv_channel_gather1(&g->tiles, g->velocity[a].data, t, 0, f.u[a]);
      rv_channel_gather1(&g->tiles, g->mass[a].data, t, 0, f.mass[a]);
    }
    const float* distance = g->distance.data + t * RV_TILE_CELLS;
    float* out = g->divergence.data + t * RV_TILE_CELLS;
    for (int k = 0; k < RV_TILE_CELLS; ++k)
      out[k] = distance[k] < 0
                   ? divergence_of(&f, rv_halo1_at(k & 7, k >> 3 & 7, k >> 6), job->step) / (job->step * (float)g->dx)
                   : 0;
  }
}

RvResult rv_liquid_straight_divergence(RvLiquidGrid* g, double dt, RvError* error) {
  if (!rv_liquid_grid_fit(g, &g->divergence, g->tiles.count))
    return rv_fail(error, RV_NO_MEMORY, "no memory for the divergence of %zu tiles of liquid; use a larger particlesep",
                   g->tiles.count);
  g->divergent = true;
  rv_parallel_for(g->tiles.count, GRAIN, find_some, &(Job){g, (float)(dt / g->dx)});
  return RV_OK;
}
