// Keeps a region full (WH-43). Each cell of the grid that the region covers lacks the volume of its covered part less
// that of its particles; the sum over the region says how many particles come, and the cells that lack most get them
// first.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/rng.h"
#include "liquid/source_work.h"
#include "math/scalar.h"

// What a cell lacks is counted in 64ths of a particle: sums of whole numbers do not depend on their order.
enum { UNIT = 64 };
enum { MOST_SITES_AXIS = 4, MOST_SITES = 64 };  // sites of a cell along an axis, and in all
enum { MOST_TILES = 1 << 18 };                  // of the region's box
enum { LEVELS = 512 };                          // levels of the histogram of what cells lack, in particles
static const double MOST_SEPARATIONS =
    7;                        // largest dx / separation: a full cell has 7^3 particles, which is below LEVELS
#define HALF_DIAGONAL 0.8661  // of a cell: sqrt(3) / 2, rounded up

typedef struct Fill {
  const RvLiquidSource* source;
  const RvSourceSettings* set;
  const RvParticles* p;
  int sites;                   // places for particles in a cell, along each axis
  double full;                 // particles that fill a cell
  double particle;             // m^3 of one
  int32_t first[3], count[3];  // tiles of the region's box
  int16_t* lack;               // of each cell, in 64ths of a particle; 512 a tile
  bool* failed;                // of each tile
} Fill;

// Distance of points to what is filled: below 0 in the region and outside of solids. False: out of memory.
static bool inside(const Fill* f, size_t n, const double* at, float* out) {
  const RvRegion *r = &f->source->region, *solid = f->set->solid;
  float d[RV_TILE_CELLS];
  if (!r->distance(r->user, n, at, out)) return false;
  if (!solid) return true;
  if (!solid->distance(solid->user, n, at, d)) return false;
  for (size_t i = 0; i < n; ++i) out[i] = fmaxf(out[i], -d[i]);
  return true;
}

// Coordinates of tile `index` of the box.
static void tile_of(const Fill* f, size_t index, int32_t tile[3]) {
  for (int a = 0; a < 3; ++a) {
    tile[a] = f->first[a] + (int32_t)(index % (size_t)f->count[a]);
    index /= (size_t)f->count[a];
  }
}

// World coordinate along an axis, `cells` from the corner of a tile.
static double place(const Fill* f, const int32_t tile[3], int axis, double cells) {
  return f->set->origin[axis] + f->set->dx * ((double)tile[axis] * RV_TILE_SIDE + cells);
}

// Centres of the sites of a cell; returns their number.
static size_t site_places(const Fill* f, const int32_t tile[3], int cell, double* at) {
  int n = f->sites, c[3] = {cell & 7, cell >> 3 & 7, cell >> 6};
  size_t k = 0;
  for (int i = 0; i < n * n * n; ++i) {
    int s[3] = {i % n, i / n % n, i / n / n};
    for (int a = 0; a < 3; ++a) at[k++] = place(f, tile, a, c[a] + (s[a] + 0.5) / n);
  }
  return k / 3;
}

// Volume of the particles of a cell; if it is covered in part, of those inside. False: out of memory.
static bool volume_in(const Fill* f, int32_t home, int cell, bool part, double* sum) {
  const uint32_t* first = f->p->cell_first + (size_t)home * RV_TILE_CELLS + cell;
  double at[3 * MOST_SITES];
  float d[MOST_SITES];
  *sum = 0;
  for (size_t i = first[0]; i < first[1]; i += MOST_SITES) {
    size_t n = first[1] - i < MOST_SITES ? first[1] - i : MOST_SITES;
    for (size_t k = 0; part && k < n; ++k) {
      rv_liquid_particles_place(f->p, i + k, at + 3 * k);
      for (size_t a = 0; a < 3; ++a) at[3 * k + a] = f->set->origin[a] + f->set->dx * at[3 * k + a];
    }
    if (part && !inside(f, n, at, d)) return false;
    for (size_t k = 0; k < n; ++k)
      if (!part || d[k] < 0) *sum += f->p->volume[i + k];
  }
  return true;
}

// What a cell lacks; `center` is the distance at its centre. False: out of memory.
static bool measure_cell(const Fill* f, const int32_t tile[3], int32_t home, int cell, float center, int16_t* lack) {
  double at[3 * MOST_SITES], there = 0;
  float d[MOST_SITES];
  size_t n = (size_t)(f->sites * f->sites * f->sites), covered = n;
  // a cell whose centre is nearer to the boundary than half its diagonal may be covered in part: its sites are counted
  bool part = fabsf(center) < HALF_DIAGONAL * f->set->dx;
  if (part) {
    n = site_places(f, tile, cell, at);
    covered = 0;
    if (!inside(f, n, at, d)) return false;
    for (size_t k = 0; k < n; ++k) covered += d[k] < 0;
  } else if (center > 0) {
    covered = 0;
  }
  if (!covered && !part) return true;
  if (home >= 0 && !volume_in(f, home, cell, part, &there)) return false;
  double lacks = f->full * (double)covered / (double)n - there / f->particle;
  *lack = (int16_t)floor(rv_clamp(lacks, -LEVELS + 1, f->full) * UNIT + 0.5);
  return true;
}

// What the cells of a tile lack. False: out of memory.
static bool measure_tile(const Fill* f, size_t index) {
  double at[3 * RV_TILE_CELLS];
  float center[RV_TILE_CELLS];
  int16_t* lack = f->lack + index * RV_TILE_CELLS;
  int32_t tile[3];
  tile_of(f, index, tile);
  memset(lack, 0, RV_TILE_CELLS * sizeof *lack);
  // regions do not exceed the distance, so the centre bounds that of the tile
  for (int a = 0; a < 3; ++a) at[a] = place(f, tile, a, RV_TILE_SIDE / 2);
  if (!f->source->region.distance(f->source->region.user, 1, at, center)) return false;
  if (center[0] > HALF_DIAGONAL * RV_TILE_SIDE * f->set->dx) return true;
  for (int k = 0; k < RV_TILE_CELLS; ++k)
    for (int a = 0; a < 3; ++a) at[3 * k + a] = place(f, tile, a, (k >> (3 * a) & 7) + 0.5);
  if (!inside(f, RV_TILE_CELLS, at, center)) return false;
  int32_t home = rv_tiles_find(&f->p->homes, tile[0], tile[1], tile[2]);
  for (int k = 0; k < RV_TILE_CELLS; ++k)
    if (!measure_cell(f, tile, home, k, center[k], &lack[k])) return false;
  return true;
}

static void measure_tiles(void* arg, size_t begin, size_t end) {
  const Fill* f = arg;
  for (size_t t = begin; t < end; ++t) f->failed[t] = !measure_tile(f, t);
}

//---------------------------------------------------------------------------------------------- new particles

// Whole particles that a cell lacks.
static int whole(int16_t lack) {
  int n = (lack + UNIT / 2) / UNIT;
  return lack <= 0 ? 0 : n < LEVELS ? n : LEVELS - 1;
}

typedef struct Share {
  int level;         // cells get what they lack above this many
  int64_t at_level;  // cells that lack more than `level` - 1
  int64_t extra;     // how many of these get one more
} Share;

// Number of new particles, and the level above which cells get them: the emptiest first.
static int64_t share_out(const Fill* f, size_t tiles, Share* out) {
  int64_t sum = 0, cells[LEVELS + 1] = {0}, total, got = 0;
  for (size_t i = 0; i < tiles * RV_TILE_CELLS; ++i) {
    sum += f->lack[i];
    cells[whole(f->lack[i])]++;
  }
  total = sum > 0 ? sum / UNIT : 0;
  // cells[l]: number of cells that lack l or more
  int level = LEVELS - 1;
  for (int l = LEVELS - 1; l > 0; --l) cells[l] += cells[l + 1];
  while (level > 0 && got + cells[level] <= total) got += cells[level--];
  *out = (Share){level, level > 0 ? cells[level] : 0, level > 0 ? total - got : 0};
  return got + out->extra;
}

// Velocity of a new particle at x.
static RvVec3 velocity_at(const Fill* f, RvVec3 x, int64_t number) {
  const RvLiquidSource* s = f->source;
  RvVec3 base = rv_vec3_load64(s->velocity);
  if (s->speed != 0) {
    // along the gradient of the region's distance, by central differences
    double h = 0.5 * f->set->dx, at[18];
    float d[6];
    for (int k = 0; k < 6; ++k) {
      rv_vec3_store64(at + 3 * k, x);
      at[3 * k + k / 2] += k & 1 ? h : -h;
    }
    if (s->region.distance(s->region.user, 6, at, d)) {
      RvVec3 slope = rv_vec3((double)(d[1] - d[0]), (double)(d[3] - d[2]), (double)(d[5] - d[4]));
      base = rv_mad(base, s->speed, rv_normalize(slope, rv_vec3(0, 0, 0)));
    }
  }
  RvVec3 turning = rv_cross(rv_vec3_load64(s->angular), rv_sub(x, rv_vec3_load64(s->center)));
  RvVec3 own = rv_add(rv_vec3_load64(s->linear), turning);
  return rv_mad(rv_liquid_source_spread(s, f->set, base, number), s->inherit, own);
}

// Particles at each site of a cell; -1: the site is not inside. False: out of memory.
static bool count_sites(const Fill* f, const int32_t tile[3], int cell, const double* at, int* used) {
  float d[MOST_SITES];
  size_t n = (size_t)(f->sites * f->sites * f->sites);
  if (!inside(f, n, at, d)) return false;
  for (size_t k = 0; k < n; ++k) used[k] = d[k] < 0 ? 0 : -1;
  int32_t home = rv_tiles_find(&f->p->homes, tile[0], tile[1], tile[2]);
  if (home < 0) return true;
  const uint32_t* first = f->p->cell_first + (size_t)home * RV_TILE_CELLS + cell;
  for (size_t i = first[0]; i < first[1]; ++i) {
    int site = 0;
    for (int a = 2; a >= 0; --a) {
      float in = f->p->x[a][i] - (float)(cell >> (3 * a) & 7);
      int s = (int)(in * (float)f->sites);
      site = site * f->sites + (s < 0 ? 0 : s >= f->sites ? f->sites - 1 : s);
    }
    if (used[site] >= 0) used[site]++;
  }
  return true;
}

// Adds `count` particles at the emptiest sites of a cell. False: out of memory or range.
static bool fill_cell(const Fill* f, RvParticles* p, const int32_t tile[3], int cell, int count, int64_t number,
                      int64_t id) {
  double at[3 * MOST_SITES];
  int used[MOST_SITES], n = (int)site_places(f, tile, cell, at);
  if (!count_sites(f, tile, cell, at, used)) return false;
  uint64_t stream = RV_SOURCE_STREAM(f->source->id);
  for (int c = 0; c < count; ++c, ++number, ++id) {
    RvRandom4 r = rv_random4(f->set->seed, ~stream, (uint64_t)number);
    int best = -1;
    for (int i = 0; i < n; ++i) {
      // from a random site on, so that no side of the cell is preferred
      int k = (int)((r.v[3] % (uint32_t)n + (uint32_t)i) % (uint32_t)n);
      if (used[k] >= 0 && (best < 0 || used[k] < used[best])) best = k;
    }
    if (best < 0) return false;
    used[best]++;
    double x[3], jitter_width = f->set->jitter * f->set->dx / f->sites;
    float d;
    for (int a = 0; a < 3; ++a) x[a] = at[3 * best + a] + jitter_width * ((double)r.v[a] * 0x1p-32 - 0.5);
    if (!inside(f, 1, x, &d)) return false;
    RvVec3 to = rv_vec3_load64(d < 0 ? x : at + (size_t)3 * (size_t)best);
    double volume = f->set->separation * f->set->separation * f->set->separation;
    if (!rv_liquid_source_add(f->source, f->set, p, to, velocity_at(f, to, number), volume, 0, id)) return false;
  }
  return true;
}

// Adds the new particles, cell by cell. False: out of memory or range.
static bool fill_all(const Fill* f, size_t tiles, const Share* share, RvParticles* p, int64_t number, int64_t id) {
  int64_t seen = 0;
  for (size_t i = 0; i < tiles * RV_TILE_CELLS; ++i) {
    int n = whole(f->lack[i]), more = n > share->level ? n - share->level : 0;
    // `extra` of the cells at the level get one more, evenly distributed
    if (share->extra && n >= share->level) {
      more += (seen + 1) * share->extra / share->at_level > seen * share->extra / share->at_level;
      seen++;
    }
    if (!more) continue;
    int32_t tile[3];
    tile_of(f, i / RV_TILE_CELLS, tile);
    if (!fill_cell(f, p, tile, (int)(i % RV_TILE_CELLS), more, number, id)) return false;
    number += more;
    id += more;
  }
  return true;
}

// Tiles of the region's box; *any false: it is empty.
static RvResult frame_tiles(Fill* f, bool* any, RvError* error) {
  const RvRegion* r = &f->source->region;
  double total = 1;
  *any = false;
  for (int a = 0; a < 3; ++a) {
    double lo = floor((r->lo[a] - f->set->origin[a]) / (f->set->dx * RV_TILE_SIDE));
    double hi = floor((r->hi[a] - f->set->origin[a]) / (f->set->dx * RV_TILE_SIDE));
    if (!(r->lo[a] <= r->hi[a])) return RV_OK;
    if (!(lo >= -RV_TILE_RANGE && hi < RV_TILE_RANGE))
      return rv_fail(
          error, RV_LIMIT,
          "source %d is too far away or unbounded: beyond 8 million cells; move it nearer or close its shape",
          f->source->id);
    f->first[a] = (int32_t)lo;
    f->count[a] = (int32_t)(hi - lo) + 1;
    total *= hi - lo + 1;
  }
  if (total > MOST_TILES)
    return rv_fail(error, RV_LIMIT,
                   "source %d: the box of the region to fill has %.3g cells, more than the limit of %.3g; "
                   "use a larger particlesep or a smaller shape",
                   f->source->id, total * RV_TILE_CELLS, (double)MOST_TILES * RV_TILE_CELLS);
  *any = true;
  return RV_OK;
}

RvResult rv_liquid_source_fill(const RvLiquidSource* s, RvSourceState* state, const RvSourceSettings* set,
                               RvParticles* p, int64_t* next_id, RvLiquidFlow* flow, RvError* error) {
  double separations = set->dx / set->separation;
  Fill f = {.source = s, .set = set, .p = p};
  f.full = separations * separations * separations;
  f.particle = set->separation;
  f.particle *= set->separation * set->separation;
  f.sites = (int)rv_clamp(floor(separations + 0.5), 1, MOST_SITES_AXIS);
  bool any;
  if (separations > MOST_SEPARATIONS)
    return rv_fail(error, RV_BAD_INPUT,
                   "particlesep of %g is less than a seventh of the cell size %g; use a larger one", set->separation,
                   set->dx);
  // tiles of the region's box
  RvResult result = frame_tiles(&f, &any, error);
  if (result || !any) {
    flow->idle += !result;
    return result;
  }
  size_t tiles = (size_t)f.count[0] * (size_t)f.count[1] * (size_t)f.count[2], before = p->count;
  RvArenaMark mark = rv_arena_mark(set->scratch);
  f.lack = RV_TAKE(set->scratch, int16_t, tiles * RV_TILE_CELLS);
  f.failed = RV_TAKE(set->scratch, bool, tiles);
  // what each cell lacks
  bool ok = f.lack && f.failed;
  if (ok) rv_parallel_for(tiles, 1, measure_tiles, &f);
  for (size_t t = 0; ok && t < tiles; ++t) ok = !f.failed[t];
  if (!ok) result = rv_fail(error, RV_NO_MEMORY, "no memory for source %d", s->id);
  // particles for the emptiest
  Share share;
  int64_t count = result ? 0 : share_out(&f, tiles, &share);
  if (!result && count) result = rv_liquid_source_room(s, set, p, (double)count, error);
  if (!result && count && !fill_all(&f, tiles, &share, p, state->born, *next_id)) {
    p->count = before;
    result = rv_fail(error, RV_NO_MEMORY, "no memory for source %d", s->id);
  }
  // ledger
  if (!result) {
    state->born += count;
    *next_id += count;
    flow->born += (size_t)count;
    flow->sources += (double)count * f.particle;
  }
  rv_arena_release(set->scratch, mark);
  return result;
}
