// Builds the surface: elements in voxel units, the estimate of memory and choice of the voxel size, and the grid block
// by block.
#include <math.h>

#include "base/budget.h"
#include "base/parallel.h"
#include "math/scalar.h"
#include "space/tiles.h"
#include "surface/parts.h"

enum {
  LEAF_BYTES = 2200,     // memory of a float leaf with its share of the tree
  LEAF3_BYTES = 6300,    // the same of a vector leaf
  PARTICLE_BYTES = 130,  // memory of a particle during the build
  VERTEX_BYTES = 140,    // memory of a film vertex during the build
  BATCH = 32,            // blocks that are computed before their leaves go into the grid
  WORKERS = 8,           // assumed by the estimate: the voxel size must not depend on the actual number of threads
  BLOCKS_A_TASK = 4,     // of the survey
  MAX_ROUNDS = 200       // of the search for a voxel size
};

static const double FIXED_BYTES = 32e6;     // of everything else
static const double PAIRS_SHARE = 0.5;      // of the memory limit that sorting may take
static const double PAIRS_FACTOR = 64;      // memory over that of sorting, where sorting alone is too large to try
static const double COARSER_MARGIN = 1.02;  // on the predicted voxel size
static const double LEAST_COARSER = 1.05;   // smallest and largest step of the voxel size
static const double MOST_COARSER = 8;

// State of one build.
typedef struct Build {
  const RvSurfaceDef* def;
  const RvSurfaceParticles* particles;
  const RvSurfaceFilm* film;
  double voxel;   // size
  RvParts parts;  // elements in voxels
  RvBlockList list;
  RvRoom* room;  // work areas of blocks
  float* share;  // [film vertices] share of the film that is in bridges
  size_t first;   // first block of the batch, or of those that are looked at
  size_t stride;  // of the blocks that are looked at
  RvBlockLeaves leaves[BATCH];
  bool failed[BATCH];  // out of memory
} Build;

// Number of elements.
static size_t part_count(const RvParts* p) {
  return p->nblob + p->ntube + p->nweb;
}

// Frees the elements and their assignment to blocks.
static void drop_parts(Build* b) {
  rv_free(b->parts.blobs);
  rv_free(b->parts.tubes);
  rv_free(b->parts.webs);
  rv_free(b->share);
  b->parts = (RvParts){0};
  b->share = NULL;
  rv_surface_bins_free(&b->list);
}

// Makes the elements for the current voxel size.
static RvResult make_parts(Build* b, RvError* error) {
  double scale = 1 / b->voxel;
  drop_parts(b);
  b->parts.nblob = b->particles->count;
  b->parts.blobs = rv_alloc(b->particles->count + 1, sizeof(RvBlob));
  b->share = rv_alloc_zero(b->film->count + 1, sizeof(float));
  if (!b->parts.blobs || !b->share) return rv_fail(error, RV_NO_MEMORY, "out of memory for the surface's parts");
  RvResult r = rv_surface_kernels(b->def, b->particles, scale, b->parts.blobs, error);
  if (!r && b->def->bridges) r = rv_surface_webs(b->def, b->film, scale, b->share, &b->parts, error);
  return r ? r : rv_surface_tubes(b->def, b->film, b->share, scale, &b->parts, error);
}

//---------------------------------------------------------------------------------------------- the estimate

// Estimated leaves of a range of the blocks that are looked at; infinite: out of memory.
static double survey_range(void* arg, size_t begin, size_t end) {
  Build* b = arg;
  RvBlockWork* work = rv_surface_room_take(b->room);
  double leaves = 0;
  for (size_t i = begin; i < end && work; ++i)
    leaves += (double)rv_surface_block_survey(work, &b->parts, &b->list, b->first + i * b->stride);
  rv_surface_room_give(b->room, work);
  return work ? leaves : INFINITY;
}

// Whether a number of leaves is far more than there is room for. The limit of the process decides only where that of the
// surface is kept anyway: what comes out must not depend on the machine.
static bool is_hopeless(const RvSurfaceDef* d, double leaves) {
  static const double FACTOR = 1.5;
  const double bytes = leaves * LEAF_BYTES * (1 + d->copies);
  return bytes > FACTOR * d->memory || (bytes > FACTOR * (double)rv_budget_room() && FACTOR * bytes < d->memory);
}

// Estimated leaves of all blocks. Voxels that are far too small have millions of blocks, most of them inside: as soon as a
// sample of them is hopeless, its mean stands for the others.
static RvResult survey(Build* b, double* leaves, RvError* error) {
  enum { SAMPLE = 4096 };
  const size_t count = b->list.count;
  double sum = 0;
  *leaves = 0;
  b->stride = count / SAMPLE + 1;
  for (b->first = 0; b->first < b->stride && b->first < count; ++b->first) {
    sum += rv_parallel_sum((count - b->first + b->stride - 1) / b->stride, BLOCKS_A_TASK, survey_range, b);
    if (!(sum < INFINITY)) return rv_fail(error, RV_NO_MEMORY, "out of memory to look at the blocks of the surface");
    *leaves = b->first + 1 < b->stride ? sum * (double)b->stride / (double)(b->first + 1) : sum;
    if (is_hopeless(b->def, *leaves)) return RV_OK;
    if (b->def->cancelled && b->def->cancelled(b->def->user, 0)) return rv_fail(error, RV_CANCELLED, "interrupted");
  }
  return RV_OK;
}

// Estimates the memory in bytes: independent of the voxel size (*fixed), and growing with finer voxels (*grown).
static RvResult estimate(Build* b, double* fixed, double* grown, RvError* error) {
  const RvSurfaceDef* d = b->def;
  *fixed = (double)b->particles->count * PARTICLE_BYTES + (double)b->film->count * VERTEX_BYTES +
           WORKERS * (double)rv_surface_block_work_bytes + FIXED_BYTES;
  double pairs = rv_surface_pairs(part_count(&b->parts), rv_surface_parts_box, &b->parts);
  if (!(pairs * RV_PAIR_BYTES < PAIRS_SHARE * d->memory)) {
    *grown = pairs < 1e300 ? pairs * RV_PAIR_BYTES * PAIRS_FACTOR : INFINITY;
    return RV_OK;
  }
  RvResult r = rv_budget_check(pairs * RV_PAIR_BYTES, error, "voxelsize: a surface with voxels of %g", b->voxel);
  if (!r) r = rv_surface_bins(part_count(&b->parts), rv_surface_parts_box, &b->parts, &b->list, error);
  if (r) return r;
  double leaves = 0, vel = 0;
  r = survey(b, &leaves, error);
  if (r) return r;
  if (d->vel > 0) r = rv_surface_velocity_leaves(d, b->voxel * d->vel, b->particles, b->film, &vel, error);
  *grown = leaves * LEAF_BYTES * (1 + d->copies) + vel * (LEAF3_BYTES + LEAF_BYTES) + pairs * 4;
  return r;
}

// Factor by which voxels must grow: leaves follow a surface, so their number falls with the square of the voxel size.
static double coarser(double grown, double room) {
  if (!(grown < INFINITY)) return MOST_COARSER;
  return rv_clamp(sqrt(grown / room) * COARSER_MARGIN, LEAST_COARSER, MOST_COARSER);
}

// Makes the elements with a voxel size that fits into memory.
static RvResult choose_voxel(Build* b, RvSurfaceOut* out, RvError* error) {
  double limit = b->def->memory;
  for (int round = 0; round < MAX_ROUNDS; ++round) {
    // Elements and memory at the current voxel size.
    double fixed = 0, grown = 0;
    RvResult r = make_parts(b, error);
    if (!r) r = estimate(b, &fixed, &grown, error);
    if (r) return r;
    out->estimate = fixed + grown;
    if (out->estimate <= limit)
      return rv_budget_check(out->estimate, error, "voxelsize: a surface with voxels of %g", b->voxel);
    if (!(fixed < limit))
      return rv_fail(
          error, RV_LIMIT,
          "%zu particles and %zu wet points alone take %.2g GB, more than memorylimit of %.2g: raise memorylimit",
          b->particles->count, b->film->count, fixed / 1e9, limit / 1e9);
    // Enlarge the voxels, or report a size that fits.
    double larger = b->voxel * coarser(grown, limit - fixed);
    if (!b->def->coarsen)
      return rv_fail(
          error, RV_LIMIT,
          "voxels of %g take about %.3g GB, more than memorylimit of %.3g: raise voxelsize to about %.3g, or "
          "set onlimit to coarsen",
          b->voxel, out->estimate / 1e9, limit / 1e9, larger);
    b->voxel = larger;
  }
  return rv_fail(error, RV_LIMIT, "no voxel size keeps the surface within memorylimit of %g GB: raise memorylimit",
                 limit / 1e9);
}

//---------------------------------------------------------------------------------------------- the grid

// Computes a range of blocks of the batch; distances become lengths.
static void make_blocks(void* arg, size_t begin, size_t end) {
  Build* b = arg;
  RvBlockWork* work = rv_surface_room_take(b->room);
  for (size_t i = begin; i < end; ++i) {
    RvBlockLeaves* leaves = &b->leaves[i];
    *leaves = (RvBlockLeaves){0};
    b->failed[i] =
        !work || !rv_surface_block_make(work, &b->parts, &b->list, b->first + i, (float)b->def->blend, leaves);
    for (size_t k = 0; k < 512 * leaves->count; ++k) leaves->values[k] *= (float)b->voxel;
  }
  rv_surface_room_give(b->room, work);
}

// Computes a batch of blocks in parallel and adds their leaves to the grid in order.
static RvResult add_batch(Build* b, size_t count, RvGrid* grid, RvError* error) {
  RvResult r = RV_OK;
  rv_parallel_for(count, 1, make_blocks, b);
  for (size_t i = 0; i < count; ++i) {
    RvBlockLeaves* leaves = &b->leaves[i];
    if (b->failed[i] && !r) r = rv_fail(error, RV_NO_MEMORY, "out of memory for a block of the surface");
    if (!r && leaves->count)
      r = rv_grid_set_leaves(grid, leaves->count, leaves->origin, leaves->values, leaves->active, error);
    rv_free(leaves->origin);
    rv_free(leaves->values);
    rv_free(leaves->active);
  }
  return r;
}

// Makes the level set batch by batch, and fills the sign of its interior.
static RvResult make_grid(Build* b, RvGrid** out, RvError* error) {
  float background = (float)(RV_SURFACE_BAND * b->voxel);
  RvResult r = rv_grid_create(RV_GRID_FLOAT, "surface", RV_GRID_LEVEL_SET, b->voxel, &background, out, error);
  for (b->first = 0; b->first < b->list.count && !r; b->first += BATCH) {
    size_t remaining = b->list.count - b->first;
    if (b->def->cancelled && b->def->cancelled(b->def->user, (double)b->first / (double)b->list.count))
      return rv_fail(error, RV_CANCELLED, "interrupted");
    r = add_batch(b, remaining < BATCH ? remaining : BATCH, *out, error);
  }
  return r ? r : rv_grid_flood_fill(*out, error);
}

// Sums the input volumes, and those of particles and films too small for the voxels.
static void account(const Build* b, RvSurfaceOut* out) {
  const RvSurfaceFilm* f = b->film;
  for (size_t i = 0; i < b->particles->count - b->particles->mirrored; ++i) {
    double v = b->particles->volume[i], voxel3 = b->voxel * b->voxel * b->voxel;
    out->bulk += v;
    if (v < 4.0 / 3 * RV_PI * voxel3) out->small += v;
  }
  for (size_t e = 0; e + 1 < f->count; ++e) {
    if (f->strand[e] != f->strand[e + 1]) continue;
    double length = 0, area = 0, outer = INFINITY;
    for (size_t c = 0; c < 3; ++c)
      length += (f->x[3 * e + 3 + c] - f->x[3 * e + c]) * (f->x[3 * e + 3 + c] - f->x[3 * e + c]);
    for (size_t i = e; i <= e + 1; ++i) {
      double r = f->radius[i], h = f->height[i];
      area += 0.5 * RV_PI * h * (h + 2 * r);
      outer = rv_min(outer, r + h);
    }
    out->film += area * sqrt(length);
    if (outer < 1.5 * b->voxel) out->thin += area * sqrt(length);
  }
}

RvResult rv_surface_make(const RvSurfaceDef* def, const RvSurfaceParticles* particles, const RvSurfaceFilm* film,
                         RvSurfaceOut* out, RvError* error) {
  Build b = {.def = def, .particles = particles, .film = film, .voxel = def->voxel};
  *out = (RvSurfaceOut){0};
  b.room = rv_surface_room_new(rv_surface_block_work_bytes);
  RvResult r = b.room ? choose_voxel(&b, out, error) : rv_fail(error, RV_NO_MEMORY, "out of memory for the surface");
  if (!r) r = make_grid(&b, &out->surface, error);
  rv_surface_room_free(b.room);
  out->voxel = b.voxel;
  out->bridges = b.parts.nweb;
  if (!r) account(&b, out);
  drop_parts(&b);
  if (!r && def->vel > 0) r = rv_surface_velocity(def, b.voxel * def->vel, particles, film, out, error);
  if (r) rv_surface_release(out);
  return r;
}

void rv_surface_release(RvSurfaceOut* out) {
  rv_grid_release(out->surface);
  rv_grid_release(out->vel);
  rv_grid_release(out->wetness);
  out->surface = NULL;
  out->vel = NULL;
  out->wetness = NULL;
}
