// The fibres around strands, as two different things need them (WH-39, spec 1.2.10 with E48, E75).
//
// The drag law wants the volume fraction phi of a physical neighbourhood: all fibre within R of a strand, over the
// volume of that cylinder. R is r_max of one hair in water that hangs under its weight (17), (3 r c^2)^(1/3) with the
// capillary length c, so phi depends neither on the grid nor on the vertices, nor on how the strands move. A guide
// stands for hairs that are spread around it as the hairs of a groom are, not for a wick: its R is sqrt(hairs) times as
// large, so that a groom of guides has the phi of the groom of hairs that it stands for, and a single guide that of a
// single hair.
//
// The grid wants the volume that a cell really holds: fibres leave 1 - phi of it to the liquid. `fill` is divided by
// this, so that a cell full of liquid and fibres has 1: then the volume correction leaves the liquid where fibres have
// displaced it to, and the surface lies at the same height between fibres and beside them.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "couple/stencil.h"
#include "math/scalar.h"

enum { STRANDS_OF_TASK = 64, TILES_OF_TASK = 8 };
static const double CAPILLARY_LENGTH = 2.71e-3;  // m: sqrt(tension / (density g)) of water
// Volume fraction of a tile's cells from which the surface is found again: below it the surface moves by less than a
// hundredth of a cell, which is as exact as the pressure solve knows it (RV_PRESSURE_THETA).
static const float NOTICEABLE = 0.01f;

//---------------------------------------------------------------------------------------------- around strands

// R of one hair.
static double neighbourhood(double radius) {
  return rv_root3(3 * radius * CAPILLARY_LENGTH * CAPILLARY_LENGTH);
}

// Sum of R of some strands' middles; their number; the sum of their hairs.
static double sum_radius(void* arg, size_t begin, size_t end) {
  const RvCouple* c = arg;
  double sum = 0;
  for (size_t k = begin; k < end; ++k) {
    const RvCoupleStrand* s = &c->strands.data[k];
    if (s->valid) sum += neighbourhood(c->vertices.data[s->first + (size_t)(s->count / 2)].radius);
  }
  return sum;
}

static double sum_valid(void* arg, size_t begin, size_t end) {
  const RvCouple* c = arg;
  double sum = 0;
  for (size_t k = begin; k < end; ++k) sum += c->strands.data[k].valid;
  return sum;
}

static double sum_hairs(void* arg, size_t begin, size_t end) {
  const RvCouple* c = arg;
  double sum = 0;
  for (size_t k = begin; k < end; ++k) sum += c->strands.data[k].valid ? c->strands.data[k].hairs : 0;
  return sum;
}

// The box of the grid's tiles.
static void set_box(const RvLiquidGrid* g, RvCoupleFibres* f) {
  const double side = g->dx * RV_TILE_SIDE;
  for (int a = 0; a < 3; ++a) {
    int32_t lo = INT32_MAX, hi = INT32_MIN;
    for (size_t t = 0; t < g->tiles.count; ++t) {
      int32_t at = g->tiles.coord[t][a];
      lo = at < lo ? at : lo;
      hi = at > hi ? at : hi;
    }
    f->lo[a] = g->origin[a] + side * (double)lo;
    f->hi[a] = g->origin[a] + side * ((double)hi + 1);
  }
}

typedef struct Share {
  RvCouple* c;
  double radius;  // m, R of the count
} Share;

// Volume fractions of some strands from the hairs counted within R. No strand has less around it than itself in its own
// neighbourhood, whatever the others stand for.
static void set_shares(void* arg, size_t begin, size_t end) {
  const Share* h = arg;
  RvCouple* c = h->c;
  for (size_t k = begin; k < end; ++k) {
    const RvCoupleStrand* s = &c->strands.data[k];
    for (int i = 0; i < s->count; ++i) {
      size_t packed = s->first + (size_t)i;
      double radius = c->vertices.data[packed].radius, *share = &c->fibre_share.data[packed];
      double own = radius / neighbourhood(radius), ratio = radius / h->radius;
      *share = rv_clamp(fmax(*share * ratio * ratio, own * own), RV_COUPLE_SHARE_LEAST, RV_COUPLE_SHARE_MOST);
    }
  }
}

bool rv_couple_find_fibre_share(RvCouple* c, const RvCoupleSettings* set, const RvLiquidGrid* grid) {
  bool known = set->count_key && set->count_key == c->fibre_key && c->fibre_share.count == c->vertices.count;
  if (known) return true;
  c->fibre_key = 0;
  if (!rv_array_resize(&c->fibre_share, c->vertices.count)) return false;
  // the neighbourhood of the mean strand
  double valid = rv_parallel_sum(c->strands.count, STRANDS_OF_TASK, sum_valid, c);
  double radius = rv_parallel_sum(c->strands.count, STRANDS_OF_TASK, sum_radius, c) / fmax(valid, 1);
  double hairs = rv_parallel_sum(c->strands.count, STRANDS_OF_TASK, sum_hairs, c) / fmax(valid, 1);
  RvCoupleFibres fibres = {.radius = radius * sqrt(hairs), .count = c->fibre_share.data};
  if (!(fibres.radius > 0)) {
    for (size_t i = 0; i < c->vertices.count; ++i) c->fibre_share.data[i] = RV_COUPLE_SHARE_LEAST;
    return true;
  }
  // the hairs within it, as their share of its volume
  set_box(grid, &fibres);
  if (!rv_couple_count_fibres(c, &fibres)) return false;
  rv_parallel_for(c->strands.count, STRANDS_OF_TASK, set_shares, &(Share){c, fibres.radius});
  c->fibre_key = set->count_key;
  return true;
}

//---------------------------------------------------------------------------------------------- in cells

typedef struct Cells {
  RvCouple* c;
  const RvLiquidGrid* grid;
  float* share;    // [near cells] volume of fibre over dx^3, by the weights of `fill`
  float* largest;  // [near] share of a tile's open cells that fibres take
} Cells;

static bool give_volume(void* user, size_t point, double* give) {
  const Cells* job = user;
  *give = rv_couple_point_volume(job->c, &job->c->points.data[point]);
  return true;
}

static void take_volume(void* user, int axis, size_t at, int count, const double* sums, size_t stride,
                        double carry[2]) {
  const Cells* job = user;
  double inverse = 1 / (job->grid->dx * job->grid->dx * job->grid->dx);
  (void)axis;
  (void)stride;
  (void)carry;
  for (int i = 0; i < count; ++i) job->share[at + (size_t)i] += (float)(sums[i] * inverse);
}

// Fill of the cells of some tiles near points: what fibres leave of their open part is the liquid's. Cells in solids
// (fill < 0) stay so.
static void fill_tiles(void* arg, size_t begin, size_t end) {
  const Cells* job = arg;
  const RvLiquidGrid* g = job->grid;
  RvCouple* c = job->c;
  for (size_t t = begin; t < end; ++t) {
    size_t home = (size_t)c->near_home.data[t] * RV_TILE_CELLS;
    const float *fill = g->fill.data + home, *open = g->opened ? g->open.data + home : NULL;
    const float* share = job->share + t * RV_TILE_CELLS;
    float *out = c->fill.data + t * RV_TILE_CELLS, largest = 0;
    for (int k = 0; k < RV_TILE_CELLS; ++k) {
      float part = open ? share[k] / open[k] : share[k];
      part = part < (float)RV_COUPLE_SHARE_MOST ? part : (float)RV_COUPLE_SHARE_MOST;
      out[k] = fill[k] > 0 ? fill[k] / (1 - part) : fill[k];
      largest = part > largest ? part : largest;
    }
    job->largest[t] = largest;
  }
}

// Cached liquid was made without fibres.
static void copy_fill(void* arg, size_t begin, size_t end) {
  const Cells* job = arg;
  RvCouple* c = job->c;
  const size_t bytes = RV_TILE_CELLS * sizeof(float);
  for (size_t t = begin; t < end; ++t) {
    const float* fill = job->grid->fill.data + (size_t)c->near_home.data[t] * RV_TILE_CELLS;
    memcpy(c->fill.data + t * RV_TILE_CELLS, fill, bytes);
  }
}

// The fill beside fibres, and the list of crowded tiles; false: no memory.
static bool fill_beside_fibres(Cells* job) {
  RvCouple* c = job->c;
  size_t count = 0;
  job->share = RV_TAKE(c->scratch, float, c->near.count* RV_TILE_CELLS);
  job->largest = RV_TAKE(c->scratch, float, c->near.count);
  if (!job->share || !job->largest || !rv_array_resize(&c->crowded, c->near.count)) return false;
  rv_channel_fill(job->share, c->near.count, 0);
  rv_couple_scatter_to_cells(c, &c->near, give_volume, take_volume, job);
  rv_parallel_for(c->near.count, TILES_OF_TASK, fill_tiles, job);
  for (size_t t = 0; t < c->near.count; ++t)
    if (job->largest[t] > NOTICEABLE) c->crowded.data[count++] = c->near_home.data[t];
  c->crowded.count = count;
  return true;
}

bool rv_couple_find_fill(RvCouple* c, const RvCoupleSettings* set, const RvLiquidGrid* grid) {
  Cells job = {.c = c, .grid = grid};
  c->crowded.count = 0;
  if (!rv_channel_fit(&c->fill, c->near.count)) return false;
  RvArenaMark mark = rv_arena_mark(c->scratch);
  bool fits = set->bulk_fixed || fill_beside_fibres(&job);
  if (set->bulk_fixed) rv_parallel_for(c->near.count, TILES_OF_TASK, copy_fill, &job);
  rv_arena_release(c->scratch, mark);
  return fits;
}

size_t rv_couple_crowded_tiles(const RvCouple* c, const uint32_t** tiles) {
  *tiles = c->crowded.data;
  return c->has_points ? c->crowded.count : 0;
}
