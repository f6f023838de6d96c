// Means of the materials' densities and tensions (mixture_grid.h).
#include "liquid/mixture_grid.h"

#include <string.h>

#include "base/parallel.h"

enum { GRAIN = 8 };  // tiles a task

typedef struct Job {
  RvLiquidGrid* grid;
  const RvLiquidMaterials* materials;
  const RvChannel* part;
  double value[RV_LIQUID_MOST_MATERIALS];  // of each material, over the model's
} Job;

static bool differ(const double* value, int count) {
  for (int k = 1; k < count; ++k)
    if (value[k] != value[0]) return true;
  return false;
}

bool rv_liquid_mixture_weighed(const RvLiquidMaterials* m) {
  return differ(m->density, m->count);
}

bool rv_liquid_mixture_tense(const RvLiquidMaterials* m) {
  return differ(m->tension, m->count);
}

// Mean of the cells of a tile and its halo; below 0 where there is no liquid.
static void find_means(const Job* job, size_t t, float mean[RV_HALO1_CELLS]) {
  double sum[RV_HALO1_CELLS] = {0}, share[RV_HALO1_CELLS] = {0};
  float part[RV_HALO1_CELLS];
  for (int k = 0; k < job->materials->count; ++k) {
    rv_channel_gather1(&job->grid->tiles, job->part[k].data, t, 0, part);
    for (int i = 0; i < RV_HALO1_CELLS; ++i) {
      sum[i] += (double)part[i] * job->value[k];
      share[i] += (double)part[i];
    }
  }
  for (int i = 0; i < RV_HALO1_CELLS; ++i) mean[i] = share[i] > 0 ? (float)(sum[i] / share[i]) : -1;
}

static void divide_tiles(void* arg, size_t begin, size_t end) {
  const RvLiquidGrid* g = arg;
  for (int a = 0; a < 3; ++a) {
    const float* mass = g->mass[a].data;
    float* heavy = g->heavy[a].data;
    for (size_t i = begin * RV_TILE_CELLS; i < end * RV_TILE_CELLS; ++i)
      heavy[i] = heavy[i] > 0 ? mass[i] / heavy[i] : 0;
  }
}

RvResult rv_liquid_mixture_to_grid(RvLiquidGrid* g, RvScatter* scatter, const RvParticles* p,
                                   const RvLiquidMaterials* m, double density, RvError* error) {
  // The mass that particles of the model's density would have.
  RvResult result = rv_liquid_to_grid(g, scatter, p, density, NULL, error);
  for (int a = 0; a < 3 && !result; ++a) {
    if (!rv_channel_fit(&g->heavy[a], g->tiles.count))
      return rv_fail(error, RV_NO_MEMORY, "no memory for the density of %zu tiles of liquid; use a larger particlesep",
                     g->tiles.count);
    memcpy(g->heavy[a].data, g->mass[a].data, g->tiles.count * RV_TILE_CELLS * sizeof(float));
  }
  // And that which they have.
  RvTransferWeights weights = {.materials = m};
  for (int k = 0; k < m->count; ++k) weights.heaviness[k] = m->density[k] / density;
  if (!result) result = rv_liquid_to_grid(g, scatter, p, density, &weights, error);
  if (!result) rv_parallel_for(g->tiles.count, GRAIN, divide_tiles, g);
  g->weighed = !result;
  return result;
}

static void complete_tiles(void* arg, size_t begin, size_t end) {
  static const int steps[3] = {1, RV_HALO1_SIDE, RV_HALO1_SIDE * RV_HALO1_SIDE};
  const Job* job = arg;
  float mean[RV_HALO1_CELLS];
  for (size_t t = begin; t < end; ++t) {
    find_means(job, t, mean);
    for (int a = 0; a < 3; ++a)
      for (int c = 0; c < RV_TILE_CELLS; ++c) {
        float* heavy = &job->grid->heavy[a].data[t * RV_TILE_CELLS + (size_t)c];
        if (*heavy > 0) continue;
        int hi = rv_halo1_at(c & 7, c >> 3 & 7, c >> 6);
        float above = mean[hi], below = mean[hi - steps[a]];
        float one = above >= 0 ? above : below >= 0 ? below : 1;
        *heavy = above >= 0 && below >= 0 ? 0.5f * (above + below) : one;
      }
  }
}

void rv_liquid_mixture_complete(RvLiquidGrid* g, const RvLiquidMaterials* m, const RvChannel* part, double density) {
  Job job = {.grid = g, .materials = m, .part = part};
  for (int k = 0; k < m->count; ++k) job.value[k] = m->density[k] / density;
  rv_parallel_for(g->tiles.count, GRAIN, complete_tiles, &job);
}

// Mean of the 26 cells around one; 1 where they hold no liquid.
static float mean_around(const float mean[RV_HALO1_CELLS], const int x[3]) {
  double sum = 0;
  int count = 0;
  for (int n = 0; n < RV_TILE_NEAR; ++n) {
    float one = mean[rv_halo1_at(x[0] + n % 3 - 1, x[1] + n / 3 % 3 - 1, x[2] + n / 9 - 1)];
    if (one < 0) continue;
    sum += (double)one;
    count++;
  }
  return count ? (float)(sum / count) : 1;
}

static void tension_tiles(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  float mean[RV_HALO1_CELLS];
  for (size_t t = begin; t < end; ++t) {
    find_means(job, t, mean);
    for (int c = 0; c < RV_TILE_CELLS; ++c) {
      const int x[3] = {c & 7, c >> 3 & 7, c >> 6};
      float* surface = &job->grid->surface.data[t * RV_TILE_CELLS + (size_t)c];
      float own = mean[rv_halo1_at(x[0], x[1], x[2])];
      if (*surface != 0) *surface *= own >= 0 ? own : mean_around(mean, x);
    }
  }
}

void rv_liquid_mixture_tension(RvLiquidGrid* g, const RvLiquidMaterials* m, const RvChannel* part, double tension) {
  Job job = {.grid = g, .materials = m, .part = part};
  for (int k = 0; k < m->count; ++k) job.value[k] = m->tension[k] / tension;
  rv_parallel_for(g->tiles.count, GRAIN, tension_tiles, &job);
}
