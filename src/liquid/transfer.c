// Transfers of particles to the grid and back, over tiles (transfer.h, WH-34).
#include "liquid/transfer.h"

#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/kernel.h"

RV_KERNEL_DECLARE(void, rv_liquid_scatter, (const RvTransferSpan*, double*, float*))
RV_KERNEL_DECLARE(void, rv_liquid_sample, (const RvTransferSpan*, const RvSampleField*))

void rv_liquid_scatter_free(RvScatter* s) {
  if (!s->scratch) rv_free(s->room);
  rv_free(s->home_of);
  *s = (RvScatter){0};
}

// Room for the tiles that hold particles, and for home_of. False: out of memory.
static bool fit(RvScatter* s, size_t homes, size_t tiles) {
  // rooms: from the arena, or own memory with a quarter to spare
  if (s->scratch) {
    s->room = RV_TAKE(s->scratch, float, homes* RV_SCATTER_FLOATS);
  } else if (homes > s->room_capacity || !s->room) {
    rv_free(s->room);
    s->room_capacity = homes + homes / 4 + 1;
    if (!(s->room = rv_alloc(s->room_capacity, RV_SCATTER_FLOATS * sizeof *s->room))) s->room_capacity = 0;
  }
  // homes
  if (tiles > s->tile_capacity || !s->home_of) {
    rv_free(s->home_of);
    s->tile_capacity = tiles + tiles / 4 + 1;
    if (!(s->home_of = rv_alloc(s->tile_capacity, sizeof *s->home_of))) s->tile_capacity = 0;
  }
  return s->room && s->home_of;
}

enum { HOME_GRAIN = 64, SCATTER_GRAIN = 1, COMBINE_GRAIN = 4, SAMPLE_GRAIN = 2 };  // tiles a task

typedef struct Job {
  const RvLiquidGrid* grid;
  RvScatter* scatter;
  const RvParticles* p;
  double density, dt;
  const RvTransferWeights* weights;  // NULL: none
} Job;

// The particles of a tile.
static RvTransferSpan span_of(const Job* job, size_t home) {
  const RvParticles* p = job->p;
  RvTransferSpan span = {
      .volume = p->volume,
      .row = p->row,
      .weights = job->weights,
      .dx = job->grid->dx,
      .dt = job->dt,
  };
  span.begin = p->cell_first[home * RV_TILE_CELLS];
  span.end = p->cell_first[(home + 1) * RV_TILE_CELLS];
  memcpy(span.x, p->x, sizeof span.x);
  memcpy(span.v, p->v, sizeof span.v);
  memcpy(span.c, p->c, sizeof span.c);
  return span;
}

// Gathers the particles of each tile into its room.
static void scatter_some(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  double room[RV_SCATTER_FLOATS] __attribute__((aligned(64)));
  for (size_t home = begin; home < end; ++home) {
    RvTransferSpan span = span_of(job, home);
    RV_KERNEL_CALL(rv_liquid_scatter, (&span, room, job->scatter->room + home * RV_SCATTER_FLOATS));
  }
}

// For each tile of the grid, the particles' tile there.
static void find_homes(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  for (size_t t = begin; t < end; ++t) {
    const int32_t* c = job->grid->tiles.coord[t];
    job->scatter->home_of[t] = rv_tiles_find(&job->p->homes, c[0], c[1], c[2]);
  }
}

// Nodes lo..hi of a tile that the room of its neighbour reaches, and their shift in that room.
typedef struct Overlap {
  int lo, hi, shift;
} Overlap;

// For a neighbour at d (-1, 0, 1) along an axis.
static Overlap overlap(int d) {
  return d < 0 ? (Overlap){0, 0, 8} : d > 0 ? (Overlap){7, 7, -8} : (Overlap){0, 7, 0};
}

typedef struct Sums {
  double axis[3][RV_TILE_CELLS][2];  // volume, and volume times velocity, of the faces of each axis
  double fill[RV_TILE_CELLS];
} Sums;

// Adds the part of a neighbour's room that lies in the tile.
static void add_room(Sums* sums, const float* room, Overlap x, Overlap y, Overlap z) {
  for (int k = z.lo; k <= z.hi; ++k)
    for (int j = y.lo; j <= y.hi; ++j) {
      int to = rv_tile_cell(x.lo, j, k);
      int from = rv_halo1_at(x.lo + x.shift, j + y.shift, k + z.shift);
      int n = x.hi - x.lo + 1;
      for (int a = 0; a < 3; ++a) {
        double* out = sums->axis[a][to];
        const float* in = room + a * RV_SCATTER_AXIS + 2 * from;
        for (int i = 0; i < 2 * n; ++i) out[i] += (double)in[i];
      }
      for (int i = 0; i < n; ++i) sums->fill[to + i] += (double)room[RV_SCATTER_FILL + from + i];
    }
}

// A tile of the grid from the rooms of its neighbours, always in the order of the neighbours.
static void combine_some(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  const RvLiquidGrid* g = job->grid;
  double mass = job->density * g->dx * g->dx * g->dx;
  Sums sums;
  for (size_t t = begin; t < end; ++t) {
    // rooms of the 27 tiles around
    memset(&sums, 0, sizeof sums);
    for (int n = 0; n < RV_TILE_NEAR; ++n) {
      int32_t near = g->tiles.near[t][n], home = near < 0 ? -1 : job->scatter->home_of[near];
      if (home < 0) continue;
      add_room(&sums, job->scatter->room + (size_t)home * RV_SCATTER_FLOATS, overlap(n % 3 - 1), overlap(n / 3 % 3 - 1),
               overlap(n / 9 - 1));
    }
    // mass and momentum in SI units
    for (int a = 0; a < 3; ++a) {
      float *m = g->mass[a].data + t * RV_TILE_CELLS, *p = g->momentum[a].data + t * RV_TILE_CELLS;
      for (int i = 0; i < RV_TILE_CELLS; ++i) {
        m[i] = (float)(sums.axis[a][i][0] * mass);
        p[i] = (float)(sums.axis[a][i][1] * mass);
      }
    }
    for (int i = 0; i < RV_TILE_CELLS; ++i) g->fill.data[t * RV_TILE_CELLS + (size_t)i] = (float)sums.fill[i];
  }
}

RvResult rv_liquid_to_grid(RvLiquidGrid* grid, RvScatter* scatter, const RvParticles* p, double density,
                           const RvTransferWeights* weights, RvError* error) {
  RvArenaMark mark = scatter->scratch ? rv_arena_mark(scatter->scratch) : (RvArenaMark){0};
  bool fits = fit(scatter, p->homes.count, grid->tiles.count);
  Job job = {.grid = grid, .scatter = scatter, .p = p, .density = density, .weights = weights};
  // scatter to rooms, then combine the rooms
  if (fits) {
    rv_parallel_for(grid->tiles.count, HOME_GRAIN, find_homes, &job);
    rv_parallel_for(p->homes.count, SCATTER_GRAIN, scatter_some, &job);
    rv_parallel_for(grid->tiles.count, COMBINE_GRAIN, combine_some, &job);
  }
  // the rooms are needed no more
  if (scatter->scratch) {
    rv_arena_release(scatter->scratch, mark);
    scatter->room = NULL;
  }
  if (fits) return RV_OK;
  return rv_fail(error, RV_NO_MEMORY,
                 "no memory to transfer %zu tiles of particles to the grid; use a larger particlesep", p->homes.count);
}

// Share of the straight paths around a tile, in `room`; NULL where all paths are straight.
static const float* straight_share(const RvLiquidGrid* g, size_t t, float room[RV_HALO1_CELLS]) {
  if (!g->divergent) {
    memset(room, 0, RV_HALO1_CELLS * sizeof *room);
    return room;
  }
  rv_channel_gather1(&g->tiles, g->straight.data, t, 1, room);
  float least = 1;
  for (int i = 0; i < RV_HALO1_CELLS; ++i) least = room[i] < least ? room[i] : least;
  return least < 1 ? room : NULL;
}

// Samples and moves the particles of each tile.
static void sample_some(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  const RvLiquidGrid* g = job->grid;
  float velocity[3][RV_SAMPLE_CELLS] __attribute__((aligned(64)));
  float shift[3][RV_SAMPLE_CELLS] __attribute__((aligned(64)));
  float straight[RV_HALO1_CELLS] __attribute__((aligned(64)));
  for (size_t t = begin; t < end; ++t) {
    int32_t home = job->scatter->home_of[t];
    if (home < 0) continue;
    RvSampleField from = {.straight = job->dt > 0 ? straight_share(g, t, straight) : NULL};
    for (int a = 0; a < 3; ++a) {
      rv_channel_gather(&g->tiles, g->velocity[a].data, t, RV_SAMPLE_HALO, 0, velocity[a]);
      from.velocity[a] = velocity[a];
      if (!g->shifted) continue;
      rv_channel_gather(&g->tiles, g->shift[a].data, t, RV_SAMPLE_HALO, 0, shift[a]);
      from.shift[a] = shift[a];
    }
    RvTransferSpan span = span_of(job, (size_t)home);
    RV_KERNEL_CALL(rv_liquid_sample, (&span, &from));
  }
}

void rv_liquid_from_grid(const RvLiquidGrid* grid, const RvScatter* scatter, RvParticles* p, double dt) {
  Job job = {.grid = grid, .scatter = (RvScatter*)scatter, .p = p, .dt = dt};
  rv_parallel_for(grid->tiles.count, SAMPLE_GRAIN, sample_some, &job);
}
