// Density of strands on a grid and the forces of its excess (volume.h).
#include "lookdev/volume.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "lookdev/volume_kernel.h"
#include "math/scalar.h"

// Share of the groom's density that is tolerated, and vertices a cell besides: moving through the grid changes a
// density by some percent, and that of a lone strand by all of its own mass.
static const double SLACK = 0.2;
static const double SLACK_VERTICES = 1;
// Cells that squeezed hair may expand by in a substep: explicit forces are stable below 1.
static const double MOST_CELLS = 0.5;
// One squeezed vertex in so many: to look for batches without any costs more than it saves.
enum { MANY_SQUEEZED = 16 };
enum { VERTICES_A_PART = 8192, BATCHES_A_TASK = 16, NODES_A_TASK = 8192 };
// Floats of a node's quad; and of all parts together at most, unless one alone has more: a huge grid has few parts.
enum { QUAD = 4 };
static const size_t MOST_FLOATS = (size_t)1 << 25;

typedef struct Grid {
  RvVolume* g;
  const RvStrandModel* m;
  const RvStrandState* s;
  double cell, per_cell, speed2;
  const double* rest;  // [vertices of the blocks] density of the groom
  double* density;     // [vertices of the blocks], or NULL
  bool slopes;         // masses are multiplied by the slopes
  bool many;           // so many vertices are squeezed that every batch is taken to be near one
  float* quads;        // of the sum of the parts
  void (*claim)(void*, size_t);
  void* user;
  double* force;
} Grid;

//---------------------------------------------------------------------------------------------- memory

RvResult rv_volume_init(RvVolume* g, const RvStrandModel* m, RvError* error) {
  *g = (RvVolume){0};
  g->slope = rv_alloc_zero(m->vertices + RV_LANES, sizeof *g->slope);
  g->row = rv_alloc(m->vertices / RV_LANES + 1, sizeof *g->row);
  if (!g->slope || !g->row)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the volume of %zu points", m->vertices);
  return RV_OK;
}

void rv_volume_free(RvVolume* g) {
  for (int k = 0; k < RV_VOLUME_PARTS; ++k) rv_free(g->part[k]);
  RV_FREE_ALL(g->node, g->density, g->push, g->slope, g->row);
  *g = (RvVolume){0};
}

// Nodes that a node's quad reaches back to, and forward.
static size_t reach_of(const RvVolume* g) {
  return (size_t)g->size[0] + 1;
}

// Parts of the batches, and room for their quads. False: out of memory.
static bool fit_nodes(RvVolume* g, size_t vertices) {
  size_t floats = QUAD * (g->nodes + reach_of(g)), parts = (vertices + VERTICES_A_PART - 1) / VERTICES_A_PART;
  parts = parts < RV_VOLUME_PARTS ? parts : RV_VOLUME_PARTS;
  parts = parts < MOST_FLOATS / floats ? parts : MOST_FLOATS / floats;
  g->parts = parts > 1 ? (int)parts : 1;
  bool fine = true;
  if (floats > g->room) {
    for (int k = 0; k < RV_VOLUME_PARTS; ++k) {
      rv_free(g->part[k]);
      g->part[k] = NULL;
    }
    RV_FREE_ALL(g->node, g->density, g->push);
    g->room = floats + floats / 4;
    g->node = rv_alloc(g->room / QUAD, sizeof(float));
    g->density = rv_alloc(g->room, sizeof(float));
    g->push = rv_alloc(g->room, sizeof(float));
    fine = g->node && g->density && g->push;
  }
  for (int k = 0; k < g->parts && fine; ++k) {
    if (!g->part[k]) g->part[k] = rv_alloc(g->room, sizeof(float));
    fine = g->part[k] != NULL;
  }
  if (!fine) g->room = 0;
  return fine;
}

//---------------------------------------------------------------------------------------------- grid

// Boxes of the parts, to be found.
typedef struct Boxes {
  const Grid* grid;
  RvVolumeBox *all, *roots;
} Boxes;

// A batch on the grid.
static RvVolumeBatch batch_of(const Grid* w, size_t k) {
  const RvStrandBatch* b = &w->m->batches[k];
  const RvVolume* g = w->g;
  RvVolumeBatch out = {.per_cell = w->per_cell,
                       .vertices = b->vertices,
                       .lanes = b->lanes,
                       .x = w->s->q + b->at,
                       .mass = w->m->hair_mass + b->vertex_at,
                       .rest = w->rest ? w->rest + b->vertex_at : NULL,
                       .slack = SLACK,
                       .slack_density = SLACK_VERTICES * w->per_cell * w->per_cell * w->per_cell,
                       .speed2 = w->speed2,
                       .density = w->density ? w->density + b->vertex_at : NULL,
                       .slope = g->slope + b->vertex_at,
                       .force = w->force ? w->force + b->at : NULL,
                       .row = g->row + b->vertex_at / RV_LANES};
  memcpy(out.low, g->low, sizeof out.low);
  memcpy(out.size, g->size, sizeof out.size);
  return out;
}

// A box without places. Its bounds are finite, so that differences of places are.
static RvVolumeBox no_box(void) {
  RvVolumeBox box;
  for (int c = 0; c < 3; ++c)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      box.low[c][lane] = DBL_MAX / 2;
      box.high[c][lane] = -DBL_MAX / 2;
    }
  return box;
}

// Bounds along an axis over all lanes of all parts.
static void bounds_of(const RvVolumeBox box[RV_VOLUME_PARTS], int axis, double* low, double* high) {
  *low = DBL_MAX / 2;
  *high = -DBL_MAX / 2;
  for (int part = 0; part < RV_VOLUME_PARTS; ++part)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      *low = rv_min(*low, box[part].low[axis][lane]);
      *high = rv_max(*high, box[part].high[axis][lane]);
    }
}

// Batches [begin, end) of a part of `parts`.
static void part_range(const Grid* w, size_t part, size_t parts, size_t* begin, size_t* end) {
  *begin = part * w->m->nbatch / parts;
  *end = (part + 1) * w->m->nbatch / parts;
}

// Boxes of the vertices and roots of the parts [begin, end) of RV_VOLUME_PARTS.
static void extend_parts(void* arg, size_t begin, size_t end) {
  const Boxes* boxes = arg;
  for (size_t part = begin; part < end; ++part) {
    size_t first, last;
    part_range(boxes->grid, part, RV_VOLUME_PARTS, &first, &last);
    boxes->all[part] = no_box();
    boxes->roots[part] = no_box();
    for (size_t k = first; k < last; ++k) {
      const RvVolumeBatch b = batch_of(boxes->grid, k);
      RV_KERNEL_CALL(rv_volume_extend, (&b, &boxes->all[part], &boxes->roots[part]));
    }
  }
}

// The grid around the vertices, at most RV_VOLUME_REACH cells from the centre of the roots.
static RvResult fit_grid(Grid* w, RvError* error) {
  RvVolume* g = w->g;
  RvVolumeBox all[RV_VOLUME_PARTS], roots[RV_VOLUME_PARTS];
  rv_parallel_for(RV_VOLUME_PARTS, 1, extend_parts, &(Boxes){w, all, roots});
  g->nodes = 1;
  for (int c = 0; c < 3; ++c) {
    double low, high, root_low, root_high;
    bounds_of(all, c, &low, &high);
    bounds_of(roots, c, &root_low, &root_high);
    double centre = floor(0.5 * (root_low + root_high) * w->per_cell);
    double first = rv_max(floor(low * w->per_cell), centre - RV_VOLUME_REACH);
    double last = rv_min(floor(high * w->per_cell), centre + RV_VOLUME_REACH);
    // a place farther than this from the origin has no cell
    const double FARTHEST = 1e9;
    bool usable = last >= first && fabs(first) < FARTHEST;
    g->low[c] = usable ? (int32_t)first : 0;
    g->size[c] = usable ? (int32_t)(last - first) + 2 : 0;
    g->nodes *= (size_t)g->size[c];
  }
  return fit_nodes(g, w->m->nvertex) ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the volume of hair");
}

//---------------------------------------------------------------------------------------------- nodes

// Places the vertices of a part, and adds them to its quads.
static void spread_parts(void* arg, size_t begin, size_t end) {
  const Grid* w = arg;
  const RvVolume* g = w->g;
  for (size_t part = begin; part < end; ++part) {
    size_t first, last;
    part_range(w, part, (size_t)g->parts, &first, &last);
    memset(g->part[part], 0, QUAD * (g->nodes + reach_of(g)) * sizeof(float));
    // the first quads stay 0, so that every node has some before it
    float* quads = g->part[part] + QUAD * reach_of(g);
    for (size_t k = first; k < last; ++k) {
      const RvVolumeBatch b = batch_of(w, k);
      if (!w->slopes) RV_KERNEL_CALL(rv_volume_place, (&b));
      RV_KERNEL_CALL(rv_volume_spread, (&b, w->slopes, quads));
    }
  }
}

// Adds the parts to the first one.
static void join_parts(void* arg, size_t begin, size_t end) {
  const Grid* w = arg;
  const RvVolume* g = w->g;
  const size_t skip = QUAD * reach_of(g);
  for (int k = 1; k < g->parts; ++k)
    for (size_t i = skip + QUAD * begin; i < skip + QUAD * end; ++i) g->part[0][i] += g->part[k][i];
}

// The number of each node, a volume: from its own quad and those before it along x and y.
static void fold_quads(void* arg, size_t begin, size_t end) {
  const Grid* w = arg;
  const RvVolume* g = w->g;
  const size_t row = (size_t)g->size[0], reach = reach_of(g);
  const float per_volume = (float)(w->per_cell * w->per_cell * w->per_cell);
  for (size_t n = begin; n < end; ++n) {
    const float* quad = g->part[0] + QUAD * (n + reach);
    const float along = quad[0] + *(quad - QUAD + 1);
    const float across = *(quad - QUAD * row + 2) + *(quad - QUAD * (row + 1) + 3);
    g->node[n] = (along + across) * per_volume;
  }
}

// The quads of the numbers.
static void make_quads(void* arg, size_t begin, size_t end) {
  const Grid* w = arg;
  const float* node = w->g->node;
  const size_t row = (size_t)w->g->size[0];
  for (size_t n = begin; n < end; ++n) {
    float* quad = w->quads + QUAD * n;
    quad[0] = node[n];
    quad[1] = node[n + 1];
    quad[2] = node[n + row];
    quad[3] = node[n + row + 1];
  }
}

static void spread(Grid* w, bool slopes, float* quads) {
  RvVolume* g = w->g;
  w->slopes = slopes;
  w->quads = quads;
  rv_parallel_for((size_t)g->parts, 1, spread_parts, w);
  rv_parallel_for(g->nodes, NODES_A_TASK, join_parts, w);
  // quads of the last nodes reach beyond the grid
  memset(g->node + g->nodes, 0, reach_of(g) * sizeof(float));
  rv_parallel_for(g->nodes, NODES_A_TASK, fold_quads, w);
  rv_parallel_for(g->nodes, NODES_A_TASK, make_quads, w);
}

//---------------------------------------------------------------------------------------------- density

// Density at the vertices, and what its excess over the groom's costs. Returns how many vertices are squeezed.
static double sample_batches(void* arg, size_t begin, size_t end) {
  const Grid* w = arg;
  double squeezed = 0;
  for (size_t k = begin; k < end; ++k) {
    const RvVolumeBatch b = batch_of(w, k);
    squeezed += RV_KERNEL_CALL(rv_volume_sample, (&b, w->g->density));
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

static void push_batches(void* arg, size_t begin, size_t end) {
  const Grid* w = arg;
  const RvVolume* g = w->g;
  for (size_t k = begin; k < end; ++k) {
    const RvVolumeBatch b = batch_of(w, k);
    if (!w->many && !RV_KERNEL_CALL(rv_volume_near, (&b, g->push))) continue;
    w->claim(w->user, k);
    RV_KERNEL_CALL(rv_volume_push, (&b, g->push, g->density));
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
  w.many = g->squeezed > m->nvertex / MANY_SQUEEZED;
  spread(&w, true, g->push);
  rv_parallel_for(m->nbatch, BATCHES_A_TASK, push_batches, &w);
  return RV_OK;
}
