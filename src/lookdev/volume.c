// Density of strands on a grid and the forces of its excess (volume.h).
#include "lookdev/volume.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/scalar.h"
#include "math/vec.h"

// Share of the groom's density that is tolerated, and vertices a cell besides: moving through the grid changes a
// density by some percent, and that of a lone strand by all of its own mass.
static const double SLACK = 0.2;
static const double SLACK_VERTICES = 1;
// Cells that squeezed hair may expand by in a substep: explicit forces are stable below 1.
static const double MOST_CELLS = 0.5;
enum { BATCHES_A_PART = 16, BATCHES_A_TASK = 16, NODES_A_TASK = 16384 };

typedef struct Grid {
  RvVolume* g;
  const RvStrandModel* m;
  const RvStrandState* s;
  double cell, per_cell, speed2;
  const double* rest;  // [vertices of the blocks] density of the groom
  double* density;     // [vertices of the blocks], or NULL
  bool slopes;         // masses are multiplied by the slopes
  float* nodes;        // sum of the parts
  void (*claim)(void*, size_t);
  void* user;
  double* force;
} Grid;

//---------------------------------------------------------------------------------------------- memory

RvResult rv_volume_init(RvVolume* g, const RvStrandModel* m, RvError* error) {
  *g = (RvVolume){0};
  g->slope = rv_alloc_zero(m->vertices + RV_LANES, sizeof *g->slope);
  if (!g->slope) return rv_fail(error, RV_NO_MEMORY, "out of memory for the volume of %zu points", m->vertices);
  size_t parts = (m->nbatch + BATCHES_A_PART - 1) / BATCHES_A_PART;
  g->parts = (int)(parts < RV_VOLUME_PARTS ? parts : RV_VOLUME_PARTS);
  return RV_OK;
}

void rv_volume_free(RvVolume* g) {
  for (int k = 0; k < RV_VOLUME_PARTS; ++k) rv_free(g->part[k]);
  RV_FREE_ALL(g->density, g->push, g->slope);
  *g = (RvVolume){0};
}

// Room for the nodes. False: out of memory.
static bool fit_nodes(RvVolume* g) {
  if (g->nodes <= g->room) return true;
  size_t room = g->nodes + g->nodes / 4;
  bool fine = true;
  for (int k = 0; k < g->parts; ++k) {
    rv_free(g->part[k]);
    g->part[k] = rv_alloc(room, sizeof(float));
    fine &= g->part[k] != NULL;
  }
  RV_FREE_ALL(g->density, g->push);
  g->density = rv_alloc(room, sizeof(float));
  g->push = rv_alloc(room, sizeof(float));
  fine &= g->density && g->push;
  g->room = fine ? room : 0;
  return fine;
}

//---------------------------------------------------------------------------------------------- places

// A vertex on the grid: its first node, or -1 beyond, and its place in the cell.
typedef struct Place {
  int64_t node;
  float at[3];
} Place;

static inline Place place_of(const Grid* w, size_t unknown) {
  const RvVolume* g = w->g;
  const double* q = w->s->q + unknown;
  const double x = q[0] * w->per_cell - g->low[0];
  const double y = q[RV_LANES] * w->per_cell - g->low[1];
  const double z = q[2 * RV_LANES] * w->per_cell - g->low[2];
  if (!(x >= 0 && y >= 0 && z >= 0 && x < g->size[0] - 1 && y < g->size[1] - 1 && z < g->size[2] - 1))
    return (Place){.node = -1};
  // conversion cuts off: none of them is below 0
  const int32_t i = (int32_t)x, j = (int32_t)y, k = (int32_t)z;
  return (Place){((int64_t)k * g->size[1] + j) * g->size[0] + i, {(float)(x - i), (float)(y - j), (float)(z - k)}};
}

// Offsets of the eight nodes of a cell, and shares of a place in it.
static inline void corner_offsets(const RvVolume* g, int64_t out[8]) {
  for (int k = 0; k < 8; ++k)
    out[k] = ((int64_t)(k >> 2) * g->size[1] + (k >> 1 & 1)) * g->size[0] + (k & 1);
}

static inline void corner_shares(const float at[3], float out[8]) {
  const float x[2] = {1 - at[0], at[0]}, y[2] = {1 - at[1], at[1]}, z[2] = {1 - at[2], at[2]};
  for (int k = 0; k < 8; ++k) out[k] = x[k & 1] * y[k >> 1 & 1] * z[k >> 2];
}

// The grid around the vertices, at most RV_VOLUME_REACH cells from the centre of the roots.
static RvResult fit_grid(Grid* w, RvError* error) {
  RvVolume* g = w->g;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  double root_low[3] = {INFINITY, INFINITY, INFINITY}, root_high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (size_t k = 0; k < w->m->nbatch; ++k) {
    const RvStrandBatch* b = &w->m->batches[k];
    for (int i = 0; i < b->vertices; ++i)
      for (int c = 0; c < 3; ++c) {
        const double* x = w->s->q + rv_strand_index(b, 0, i, c);
        for (int lane = 0; lane < RV_LANES; ++lane) {
          low[c] = x[lane] < low[c] ? x[lane] : low[c];
          high[c] = x[lane] > high[c] ? x[lane] : high[c];
          if (i) continue;
          root_low[c] = x[lane] < root_low[c] ? x[lane] : root_low[c];
          root_high[c] = x[lane] > root_high[c] ? x[lane] : root_high[c];
        }
      }
  }
  g->nodes = 1;
  for (int c = 0; c < 3; ++c) {
    double centre = floor(0.5 * (root_low[c] + root_high[c]) * w->per_cell);
    double first = rv_max(floor(low[c] * w->per_cell), centre - RV_VOLUME_REACH);
    double last = rv_min(floor(high[c] * w->per_cell), centre + RV_VOLUME_REACH);
    // a place farther than this from the origin has no cell
    const double FARTHEST = 1e9;
    bool usable = last >= first && fabs(first) < FARTHEST;
    g->low[c] = usable ? (int32_t)first : 0;
    g->size[c] = usable ? (int32_t)(last - first) + 2 : 0;
    g->nodes *= (size_t)g->size[c];
  }
  return fit_nodes(g) ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the volume of hair");
}

//---------------------------------------------------------------------------------------------- nodes

// Adds the vertices of a part to its nodes; the lanes in use.
static void spread_parts(void* arg, size_t begin, size_t end) {
  const Grid* w = arg;
  RvVolume* g = w->g;
  int64_t offset[8];
  corner_offsets(g, offset);
  for (size_t part = begin; part < end; ++part) {
    float* nodes = g->part[part];
    memset(nodes, 0, g->nodes * sizeof *nodes);
    size_t first = part * w->m->nbatch / (size_t)g->parts, last = (part + 1) * w->m->nbatch / (size_t)g->parts;
    for (size_t k = first; k < last; ++k) {
      const RvStrandBatch* b = &w->m->batches[k];
      for (int i = 0; i < b->vertices; ++i)
        for (int lane = 0; lane < b->lanes; ++lane) {
          size_t vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
          if (w->slopes && !(g->slope[vertex] > 0)) continue;
          Place p = place_of(w, rv_strand_index(b, lane, i, 0));
          if (p.node < 0) continue;
          float mass = (float)w->m->hair_mass[vertex] * (w->slopes ? g->slope[vertex] : 1), share[8];
          corner_shares(p.at, share);
          for (int q = 0; q < 8; ++q) nodes[p.node + offset[q]] += mass * share[q];
        }
    }
  }
}

// Sum of the parts, a volume.
static void join_parts(void* arg, size_t begin, size_t end) {
  const Grid* w = arg;
  const RvVolume* g = w->g;
  const float per_volume = (float)(w->per_cell * w->per_cell * w->per_cell);
  for (size_t n = begin; n < end; ++n) w->nodes[n] = g->part[0][n];
  for (int k = 1; k < g->parts; ++k)
    for (size_t n = begin; n < end; ++n) w->nodes[n] += g->part[k][n];
  for (size_t n = begin; n < end; ++n) w->nodes[n] *= per_volume;
}

static void spread(Grid* w, bool slopes, float* nodes) {
  w->slopes = slopes;
  w->nodes = nodes;
  rv_parallel_for((size_t)w->g->parts, 1, spread_parts, w);
  rv_parallel_for(w->g->nodes, NODES_A_TASK, join_parts, w);
}

//---------------------------------------------------------------------------------------------- density

// Density at the vertices, and what its excess over the groom's costs. Returns how many vertices are squeezed.
static double sample_batches(void* arg, size_t begin, size_t end) {
  const Grid* w = arg;
  RvVolume* g = w->g;
  int64_t offset[8];
  double squeezed = 0;
  corner_offsets(g, offset);
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &w->m->batches[k];
    for (int i = 0; i < b->vertices; ++i)
      for (int lane = 0; lane < b->lanes; ++lane) {
        size_t vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
        Place p = place_of(w, rv_strand_index(b, lane, i, 0));
        float density = 0, share[8];
        corner_shares(p.at, share);
        for (int q = 0; q < 8 && p.node >= 0; ++q) density += share[q] * g->density[p.node + offset[q]];
        if (w->density) w->density[vertex] = density;
        if (!w->rest) continue;
        // Derivative of c^2 / 2 (density / limit - 1)^2, an energy a mass.
        double own = w->m->hair_mass[vertex] * w->per_cell * w->per_cell * w->per_cell;
        double limit = (1 + SLACK) * w->rest[vertex] + SLACK_VERTICES * own, excess = density - limit;
        g->slope[vertex] = excess > 0 && w->rest[vertex] > 0 ? (float)(w->speed2 * excess / (limit * limit)) : 0;
        squeezed += g->slope[vertex] > 0;
      }
  }
  return squeezed;
}

RvResult rv_volume_density(RvVolume* g, const RvStrandModel* m, const RvStrandState* s, double cell, double* density,
                           RvError* error) {
  Grid w = {.g = g, .m = m, .s = s, .cell = cell, .per_cell = 1 / cell, .density = density};
  RvResult result = fit_grid(&w, error);
  if (result || !g->nodes) return result;
  spread(&w, false, g->density);
  rv_parallel_sum(m->nbatch, BATCHES_A_TASK, sample_batches, &w);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- forces

// Gradient by the place in the cell.
static inline RvVec3 gradient(const float* nodes, const int64_t offset[8], const Place* p) {
  const float x[2] = {1 - p->at[0], p->at[0]}, y[2] = {1 - p->at[1], p->at[1]}, z[2] = {1 - p->at[2], p->at[2]};
  float g[3] = {0};
  for (int k = 0; k < 8; ++k) {
    float v = nodes[p->node + offset[k]];
    g[0] += (k & 1 ? v : -v) * y[k >> 1 & 1] * z[k >> 2];
    g[1] += (k >> 1 & 1 ? v : -v) * x[k & 1] * z[k >> 2];
    g[2] += (k >> 2 ? v : -v) * x[k & 1] * y[k >> 1 & 1];
  }
  return rv_vec3(g[0], g[1], g[2]);
}

// Whether a vertex is near one that is squeezed.
static inline bool is_pushed(const float* push, const int64_t offset[8], const Place* p) {
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += push[p->node + offset[k]];
  return sum > 0;
}

static void push_batches(void* arg, size_t begin, size_t end) {
  const Grid* w = arg;
  RvVolume* g = w->g;
  int64_t offset[8];
  corner_offsets(g, offset);
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &w->m->batches[k];
    bool claimed = false;
    for (int i = 0; i < b->vertices; ++i)
      for (int lane = 0; lane < b->lanes; ++lane) {
        size_t vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane, x = rv_strand_index(b, lane, i, 0);
        Place p = place_of(w, x);
        if (p.node < 0 || !is_pushed(g->push, offset, &p)) continue;
        if (!claimed) w->claim(w->user, k);
        claimed = true;
        RvVec3 slope = gradient(g->push, offset, &p);
        if (g->slope[vertex] > 0) slope = rv_mad(slope, g->slope[vertex], gradient(g->density, offset, &p));
        double factor = -w->m->hair_mass[vertex] * w->per_cell;
        rv_strand_set_vector(w->force, x, rv_mad(rv_strand_vector(w->force, x), factor, slope));
      }
  }
}

RvResult rv_volume_forces(RvVolume* g, const RvStrandModel* m, const RvStrandState* s, const double* rest_density,
                          const RvVolumeSettings* settings, double dt, void (*claim)(void*, size_t), void* user,
                          double* force, RvError* error) {
  const double cell = settings->cell, speed = fmin(settings->speed, MOST_CELLS * cell / dt);
  Grid w = {.g = g,
            .m = m,
            .s = s,
            .cell = cell,
            .per_cell = 1 / cell,
            .speed2 = speed * speed,
            .rest = rest_density,
            .claim = claim,
            .user = user,
            .force = force};
  g->squeezed = 0;
  RvResult result = fit_grid(&w, error);
  if (result || !g->nodes) return result;
  spread(&w, false, g->density);
  g->squeezed = (size_t)rv_parallel_sum(m->nbatch, BATCHES_A_TASK, sample_batches, &w);
  if (!g->squeezed) return RV_OK;
  spread(&w, true, g->push);
  rv_parallel_for(m->nbatch, BATCHES_A_TASK, push_batches, &w);
  return RV_OK;
}
