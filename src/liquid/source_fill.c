// Keeps a region full. Each cell of the grid that the region covers lacks the volume of its covered part less that of
// the particles there; the sum over the region says how many particles come, the cells that lack most get them first.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "liquid/source_work.h"
#include "math/scalar.h"

// a lack is counted in 64ths of a particle; sums of whole numbers have no order
enum { UNIT = 64, MOST_SITES = 64, MOST_TILES = 1 << 18, LEVELS = 512 };

typedef struct Fill {
  const RvLiquidSource* source;
  const RvSourceSettings* set;
  const RvParticles* p;
  int sites;    // of a cell along each axis
  double full;  // particles that fill a cell
  double particle;
  int32_t first[3], count[3];  // tiles of the region's box
  int16_t* lack;               // 512 a tile
  bool* failed;                // of each tile
} Fill;

// below 0: in the region and in no solid
static bool inside(const Fill* f, size_t n, const double* at, float* out) {
  const RvRegion *r = &f->source->region, *solid = f->set->solid;
  float d[RV_TILE_CELLS];
  if (!r->distance(r->user, n, at, out)) return false;
  if (!solid) return true;
  if (!solid->distance(solid->user, n, at, d)) return false;
  for (size_t i = 0; i < n; ++i) out[i] = fmaxf(out[i], -d[i]);
  return true;
}

static void tile_of(const Fill* f, size_t index, int32_t tile[3]) {
  for (int a = 0; a < 3; ++a) {
    tile[a] = f->first[a] + (int32_t)(index % (size_t)f->count[a]);
    index /= (size_t)f->count[a];
  }
}

static double place(const Fill* f, const int32_t tile[3], int axis, double cells) {
  return f->set->origin[axis] + f->set->dx * ((double)tile[axis] * RV_TILE_SIDE + cells);
}

// centres of the sites of a cell
static size_t site_places(const Fill* f, const int32_t tile[3], int cell, double* at) {
  int n = f->sites, c[3] = {cell & 7, cell >> 3 & 7, cell >> 6};
  size_t k = 0;
  for (int i = 0; i < n * n * n; ++i) {
    int s[3] = {i % n, i / n % n, i / n / n};
    for (int a = 0; a < 3; ++a) at[k++] = place(f, tile, a, c[a] + (s[a] + 0.5) / n);
  }
  return k / 3;
}

// volume of the particles of a cell; of a cell that is covered in part, of those within
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

static bool look_at_cell(const Fill* f, const int32_t tile[3], int32_t home, int cell, float center, int16_t* lack) {
  double at[3 * MOST_SITES], there = 0;
  float d[MOST_SITES];
  size_t n = (size_t)(f->sites * f->sites * f->sites), covered = n;
  // half the diagonal of a cell
  bool part = fabsf(center) < 0.8661 * f->set->dx;
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

static bool look_at_tile(const Fill* f, size_t index) {
  double at[3 * RV_TILE_CELLS];
  float center[RV_TILE_CELLS];
  int16_t* lack = f->lack + index * RV_TILE_CELLS;
  int32_t tile[3];
  tile_of(f, index, tile);
  memset(lack, 0, RV_TILE_CELLS * sizeof *lack);
  // no distance is larger than it is, so the centre tells whether the region can be near
  for (int a = 0; a < 3; ++a) at[a] = place(f, tile, a, RV_TILE_SIDE / 2);
  if (!f->source->region.distance(f->source->region.user, 1, at, center)) return false;
  if (center[0] > 0.8661 * RV_TILE_SIDE * f->set->dx) return true;
  for (int k = 0; k < RV_TILE_CELLS; ++k)
    for (int a = 0; a < 3; ++a) at[3 * k + a] = place(f, tile, a, (k >> (3 * a) & 7) + 0.5);
  if (!inside(f, RV_TILE_CELLS, at, center)) return false;
  int32_t home = rv_tiles_find(&f->p->homes, tile[0], tile[1], tile[2]);
  for (int k = 0; k < RV_TILE_CELLS; ++k)
    if (!look_at_cell(f, tile, home, k, center[k], &lack[k])) return false;
  return true;
}

static void look_at_tiles(void* arg, size_t begin, size_t end) {
  const Fill* f = arg;
  for (size_t t = begin; t < end; ++t) f->failed[t] = !look_at_tile(f, t);
}

//---------------------------------------------------------------------------------------------- new particles

// whole particles that a cell takes of its lack
static int whole(int16_t lack) {
  int n = (lack + UNIT / 2) / UNIT;
  return lack <= 0 ? 0 : n < LEVELS ? n : LEVELS - 1;
}

typedef struct Share {
  int level;         // cells get what they lack above this many
  int64_t at_level;  // cells that lack more than `level` - 1
  int64_t rest;      // and of these as many get one more
} Share;

// how many particles come, and what each cell gets: the emptiest first
static int64_t share_out(const Fill* f, size_t tiles, Share* out) {
  int64_t sum = 0, cells[LEVELS + 1] = {0}, total, got = 0;
  for (size_t i = 0; i < tiles * RV_TILE_CELLS; ++i) {
    sum += f->lack[i];
    cells[whole(f->lack[i])]++;
  }
  total = sum > 0 ? sum / UNIT : 0;
  int level = LEVELS - 1;
  // cells[l]: those that lack l or more
  for (int l = LEVELS - 1; l > 0; --l) cells[l] += cells[l + 1];
  while (level > 0 && got + cells[level] <= total) got += cells[level--];
  *out = (Share){level, level > 0 ? cells[level] : 0, level > 0 ? total - got : 0};
  return got + out->rest;
}

static RvVec3 velocity_at(const Fill* f, RvVec3 x, int64_t number) {
  const RvLiquidSource* s = f->source;
  RvVec3 base = rv_vec3_load64(s->velocity);
  if (s->speed != 0) {
    // along the slope of the region
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

// particles at each site of a cell that is inside; -1: it is not
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

// `count` particles into the emptiest sites of a cell
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
      // from a site by chance on, so that no side of the cell is liked more
      int k = (int)((r.v[3] % (uint32_t)n + (uint32_t)i) % (uint32_t)n);
      if (used[k] >= 0 && (best < 0 || used[k] < used[best])) best = k;
    }
    if (best < 0) return false;
    used[best]++;
    double x[3], wide = f->set->jitter * f->set->dx / f->sites;
    float d;
    for (int a = 0; a < 3; ++a) x[a] = at[3 * best + a] + wide * ((double)r.v[a] * 0x1p-32 - 0.5);
    if (!inside(f, 1, x, &d)) return false;
    RvVec3 to = rv_vec3_load64(d < 0 ? x : at + (size_t)3 * (size_t)best);
    if (!rv_liquid_source_add(f->source, f->set, p, to, velocity_at(f, to, number), 0, id)) return false;
  }
  return true;
}

static bool fill_all(const Fill* f, size_t tiles, const Share* share, RvParticles* p, int64_t number, int64_t id) {
  int64_t seen = 0;
  for (size_t i = 0; i < tiles * RV_TILE_CELLS; ++i) {
    int n = whole(f->lack[i]), more = n > share->level ? n - share->level : 0;
    // `rest` of the cells at the level, evenly among them
    if (share->rest && n >= share->level) {
      more += (seen + 1) * share->rest / share->at_level > seen * share->rest / share->at_level;
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

// the tiles of the region's box; false when there are none
static RvResult frame_tiles(Fill* f, bool* any, RvError* error) {
  const RvRegion* r = &f->source->region;
  double total = 1;
  *any = false;
  for (int a = 0; a < 3; ++a) {
    double lo = floor((r->lo[a] - f->set->origin[a]) / (f->set->dx * RV_TILE_SIDE));
    double hi = floor((r->hi[a] - f->set->origin[a]) / (f->set->dx * RV_TILE_SIDE));
    if (!(r->lo[a] <= r->hi[a])) return RV_OK;
    if (!(lo >= -RV_TILE_RANGE && hi < RV_TILE_RANGE))
      return rv_fail(error, RV_LIMIT, "source %d is too far away, or has no end: beyond 8 million cells",
                     f->source->id);
    f->first[a] = (int32_t)lo;
    f->count[a] = (int32_t)(hi - lo) + 1;
    total *= hi - lo + 1;
  }
  if (total > MOST_TILES)
    return rv_fail(error, RV_LIMIT,
                   "source %d: the box of what is kept full has %.3g cells, more than the %.3g that can be looked at; "
                   "use a larger particlesep or a smaller shape",
                   f->source->id, total * RV_TILE_CELLS, (double)MOST_TILES * RV_TILE_CELLS);
  *any = true;
  return RV_OK;
}

RvResult rv_liquid_source_fill(const RvLiquidSource* s, RvSourceState* state, const RvSourceSettings* set,
                               RvParticles* p, int64_t* next_id, RvLiquidFlow* flow, RvError* error) {
  double wide = set->dx / set->separation;
  Fill f = {.source = s, .set = set, .p = p, .full = wide * wide * wide, .particle = set->separation};
  f.particle *= set->separation * set->separation;
  f.sites = (int)rv_clamp(floor(wide + 0.5), 1, 4);
  bool any;
  if (wide > 7)
    return rv_fail(error, RV_BAD_INPUT, "particlesep of %g is less than a seventh of the cells' side, %g",
                   set->separation, set->dx);
  RvResult result = frame_tiles(&f, &any, error);
  if (result || !any) {
    flow->idle += !result;
    return result;
  }
  size_t tiles = (size_t)f.count[0] * (size_t)f.count[1] * (size_t)f.count[2], before = p->count;
  f.lack = rv_alloc(tiles, RV_TILE_CELLS * sizeof *f.lack);
  f.failed = rv_alloc(tiles, sizeof *f.failed);
  bool ok = f.lack && f.failed;
  if (ok) rv_parallel_for(tiles, 1, look_at_tiles, &f);
  for (size_t t = 0; ok && t < tiles; ++t) ok = !f.failed[t];
  if (!ok) result = rv_fail(error, RV_NO_MEMORY, "no memory for source %d", s->id);
  Share share;
  int64_t count = result ? 0 : share_out(&f, tiles, &share);
  if (!result && count) result = rv_liquid_source_room(s, set, p, (double)count, error);
  if (!result && count && !fill_all(&f, tiles, &share, p, state->born, *next_id)) {
    p->count = before;
    result = rv_fail(error, RV_NO_MEMORY, "no memory for source %d", s->id);
  }
  if (!result) {
    state->born += count;
    *next_id += count;
    flow->born += (size_t)count;
    flow->sources += (double)count * f.particle;
  }
  rv_free(f.lack);
  rv_free(f.failed);
  return result;
}
