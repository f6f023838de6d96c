// Velocity and wetness grids: means over nearby particles and films, weighted by volume and closeness. They cover the
// band of the surface, so that every point of it finds a velocity.
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/parallel.h"
#include "math/scalar.h"
#include "surface/parts.h"

enum {
  SIDE = RV_BLOCK + 1,  // voxels of a block, and one more on the lower sides for the staggered faces
  VOXELS = SIDE * SIDE * SIDE,
  BATCH = 16,          // blocks computed before their leaves go into the grid
  LEAF = 512,          // voxels of a leaf
  FIRST_SLOTS = 1024,  // of the set of leaves
  LEAF_BITS = 20       // of a leaf coordinate in a key
};

static const double REACH = 1.2;                           // of a sample, in its separation
static const double LARGEST_REACH = 200;                   // voxels
static const double MOST_PIECES = 1e5;                     // samples of a segment
static const float SOFTENING = 0.02f;                      // of the weight 1 / q^2 at a sample, in squared reaches
static const uint64_t GOLDEN_RATIO = 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio: multiplicative hashing

// A particle, or a piece of film.
typedef struct Sample {
  double x[3];  // position, voxels
  float v[3], wetness;
  float weight;  // volume, voxels^3
  float reach;   // voxels
} Sample;

// Weighted sums in the voxels of a block.
typedef struct Sums {
  float weight[VOXELS], v[3][VOXELS], wetness[VOXELS];
} Sums;

// Leaves of a block.
typedef struct Leaves {
  size_t count;
  int32_t* origin;   // [3 count] voxels
  float* vel;        // [3 * 512 count]
  float* wetness;    // [512 count]
  uint64_t* active;  // [8 count]
  bool failed;       // out of memory
} Leaves;

// State of one build.
typedef struct Velocity {
  RV_ARRAY(Sample) samples;
  RvBlockList list;
  RvRoom* room;
  size_t first;
  Leaves leaves[BATCH];
} Velocity;

//---------------------------------------------------------------------------------------------- samples

// Reach of a sample of separation s, voxels: it covers the band of the surface.
static double reach_of(const RvSurfaceDef* def, double s) {
  return rv_min(REACH * s, LARGEST_REACH) + RV_SURFACE_BAND / def->vel + 1;
}

// Adds the wet segments as samples, at most two voxels apart; false: out of memory.
static bool add_film(Velocity* w, const RvSurfaceDef* def, const RvSurfaceFilm* f, double scale) {
  for (size_t e = 0; e + 1 < f->count; ++e) {
    if (f->strand[e] != f->strand[e + 1] || !(f->height[e] > 0 || f->height[e + 1] > 0)) continue;
    double length = 0, wide = 0;
    for (size_t c = 0; c < 3; ++c)
      length += (f->x[3 * e + 3 + c] - f->x[3 * e + c]) * (f->x[3 * e + 3 + c] - f->x[3 * e + c]);
    length = sqrt(length) * scale;
    for (size_t i = e; i <= e + 1; ++i) wide = rv_max(wide, (f->radius[i] + f->height[i]) * scale);
    int pieces = (int)rv_min(length / 2, MOST_PIECES) + 1;
    for (int k = 0; k < pieces; ++k) {
      double t = (k + 0.5) / pieces, r = f->radius[e] * (1 - t) + f->radius[e + 1] * t;
      double h = f->height[e] * (1 - t) + f->height[e + 1] * t;
      Sample s = {.reach = (float)(reach_of(def, wide) + 1),
                  .weight = (float)(RV_PI * h * (h + 2 * r) * scale * scale * length / pieces),
                  .wetness = (float)(f->wetness[e] * (1 - t) + f->wetness[e + 1] * t)};
      for (size_t c = 0; c < 3; ++c) {
        s.x[c] = (f->x[3 * e + c] * (1 - t) + f->x[3 * e + 3 + c] * t) * scale;
        s.v[c] = (float)(f->v[3 * e + c] * (1 - t) + f->v[3 * e + 3 + c] * t);
      }
      if (!rv_array_push(&w->samples, s)) return false;
    }
  }
  return true;
}

// Adds particles and films as samples; false: out of memory.
static bool add_samples(Velocity* w, const RvSurfaceDef* def, double scale, const RvSurfaceParticles* p,
                        const RvSurfaceFilm* film) {
  if (!rv_array_reserve(&w->samples, p->count)) return false;
  for (size_t i = 0; i < p->count; ++i) {
    Sample s = {.weight = (float)(p->volume[i] * scale * scale * scale), .wetness = 1};
    s.reach = (float)reach_of(def, rv_pow(p->volume[i], 1.0 / 3) * scale);
    for (size_t c = 0; c < 3; ++c) {
      s.x[c] = p->x[3 * i + c] * scale;
      s.v[c] = p->v[3 * i + c];
    }
    w->samples.data[w->samples.count++] = s;
  }
  return add_film(w, def, film, scale);
}

// Box of a sample for the assignment to blocks.
static void sample_box(const void* user, size_t e, double lo[3], double hi[3]) {
  const Sample* s = (const Sample*)user + e;
  for (int c = 0; c < 3; ++c) {
    // The assignment adds RV_MARGIN to each side; one voxel for the staggered faces suffices here.
    double reach = (double)s->reach + 1 - RV_MARGIN;
    lo[c] = s->x[c] - reach;
    hi[c] = s->x[c] + reach;
  }
}

//---------------------------------------------------------------------------------------------- a block

// Truncates to an integer within bounds.
static int clamp_int(double x, int lo, int hi) {
  return x < lo ? lo : x > hi ? hi : (int)x;
}

// Adds a sample to the voxels within its reach, with the weight volume (1 - q^2)^2 / q^2.
static void add_sample(Sums* sums, const Sample* s, const double origin[3]) {
  // Box of the reach within the block.
  float at[3], inverse = 1 / (s->reach * s->reach);
  int lo[3], hi[3];
  for (int c = 0; c < 3; ++c) {
    at[c] = (float)(s->x[c] - origin[c]);
    lo[c] = clamp_int(ceilf(at[c] - s->reach), 0, SIDE);
    hi[c] = clamp_int(floorf(at[c] + s->reach), -1, SIDE - 1);
  }
  for (int i = lo[0]; i <= hi[0]; ++i)
    for (int j = lo[1]; j <= hi[1]; ++j) {
      float dx = (float)i - at[0], dy = (float)j - at[1], xy = dx * dx + dy * dy;
      float remaining = s->reach * s->reach - xy;
      if (!(remaining > 0)) continue;
      // Interval of the row inside the sphere of the reach.
      float half = sqrtf(remaining);
      int from = clamp_int(ceilf(at[2] - half), lo[2], hi[2] + 1);
      int to = clamp_int(floorf(at[2] + half), lo[2] - 1, hi[2]);
      int row = (i * SIDE + j) * SIDE;
      for (int k = from; k <= to; ++k) {
        float dz = (float)k - at[2];
        float q = (xy + dz * dz) * inverse;
        float fall = q < 1 ? 1 - q : 0;
        float w = s->weight * fall * fall / (q + SOFTENING);
        sums->weight[row + k] += w;
        sums->v[0][row + k] += w * s->v[0];
        sums->v[1][row + k] += w * s->v[1];
        sums->v[2][row + k] += w * s->v[2];
        sums->wetness[row + k] += w * s->wetness;
      }
    }
}

// Divides the sums by the weights.
static void divide(Sums* sums) {
  for (int i = 0; i < VOXELS; ++i) {
    float w = sums->weight[i] > 0 ? 1 / sums->weight[i] : 0;
    for (int c = 0; c < 3; ++c) sums->v[c][i] *= w;
    sums->wetness[i] *= w;
  }
}

// Values of a leaf. The grid is staggered: a component is taken at the lower face, between two voxels. False: empty.
static bool cut_leaf(const Sums* sums, const int leaf[3], float* vel, float* wetness, uint64_t* active) {
  static const int step[3] = {SIDE * SIDE, SIDE, 1};
  uint64_t any = 0;
  memset(active, 0, 64);
  for (int v = 0; v < 512; ++v) {
    int i = 1 + 8 * leaf[0] + v / 64, j = 1 + 8 * leaf[1] + v / 8 % 8, k = 1 + 8 * leaf[2] + v % 8;
    int at = (i * SIDE + j) * SIDE + k;
    bool on = sums->weight[at] > 0;
    for (int c = 0; c < 3; ++c) {
      int below = at - step[c];
      float here = sums->v[c][at];
      vel[3 * v + c] = !on ? 0 : sums->weight[below] > 0 ? 0.5f * (here + sums->v[c][below]) : here;
    }
    wetness[v] = on ? sums->wetness[at] : 0;
    active[v / 64] |= (uint64_t)on << (v % 64);
    any |= on;
  }
  return any != 0;
}

// Collects the leaves of a block; false: out of memory.
static bool collect_leaves(const Sums* sums, const int32_t at[3], Leaves* out) {
  float vel[3 * 512], wetness[512];
  uint64_t active[8];
  uint16_t found[512];
  size_t count = 0;
  for (int leaf = 0; leaf < 512; ++leaf)
    if (cut_leaf(sums, (int[3]){leaf / 64, leaf / 8 % 8, leaf % 8}, vel, wetness, active))
      found[count++] = (uint16_t)leaf;
  if (!count) return true;
  out->origin = rv_alloc(3 * count, 4);
  out->vel = rv_alloc(3 * 512 * count, 4);
  out->wetness = rv_alloc(512 * count, 4);
  out->active = rv_alloc(8 * count, 8);
  if (!out->origin || !out->vel || !out->wetness || !out->active) return false;
  for (size_t n = 0; n < count; ++n) {
    int leaf[3] = {found[n] / 64, found[n] / 8 % 8, found[n] % 8};
    cut_leaf(sums, leaf, out->vel + 1536 * n, out->wetness + 512 * n, out->active + 8 * n);
    for (int c = 0; c < 3; ++c) out->origin[3 * n + (size_t)c] = at[c] * RV_BLOCK + 8 * leaf[c];
  }
  out->count = count;
  return true;
}

// Computes a range of blocks of the batch.
static void make_blocks(void* arg, size_t begin, size_t end) {
  Velocity* w = arg;
  Sums* sums = rv_surface_room_take(w->room);
  for (size_t b = begin; b < end; ++b) {
    size_t block = w->first + b;
    Leaves* leaves = &w->leaves[b];
    *leaves = (Leaves){.failed = !sums};
    if (!sums) continue;
    double origin[3];
    for (int c = 0; c < 3; ++c) origin[c] = (double)w->list.at[block][c] * RV_BLOCK - 1;
    memset(sums, 0, sizeof *sums);
    for (size_t i = w->list.first[block]; i < w->list.first[block + 1]; ++i)
      add_sample(sums, &w->samples.data[w->list.element[i]], origin);
    divide(sums);
    leaves->failed = !collect_leaves(sums, w->list.at[block], leaves);
  }
  rv_surface_room_give(w->room, sums);
}

// Computes a batch of blocks in parallel and adds their leaves to the grids in order.
static RvResult add_batch(Velocity* w, size_t count, RvSurfaceOut* out, RvError* error) {
  RvResult r = RV_OK;
  rv_parallel_for(count, 1, make_blocks, w);
  for (size_t i = 0; i < count; ++i) {
    Leaves* m = &w->leaves[i];
    if (m->failed && !r) r = rv_fail(error, RV_NO_MEMORY, "out of memory for a block of velocities");
    if (!r && m->count) r = rv_grid_set_leaves(out->vel, m->count, m->origin, m->vel, m->active, error);
    if (!r && m->count && out->wetness)
      r = rv_grid_set_leaves(out->wetness, m->count, m->origin, m->wetness, m->active, error);
    rv_free(m->origin);
    rv_free(m->vel);
    rv_free(m->wetness);
    rv_free(m->active);
  }
  return r;
}

RvResult rv_surface_velocity(const RvSurfaceDef* def, double voxel, const RvSurfaceParticles* p,
                             const RvSurfaceFilm* film, RvSurfaceOut* out, RvError* error) {
  Velocity w = {.room = rv_surface_room_new(sizeof(Sums))};
  RvResult r = RV_OK;
  if (!w.room || !add_samples(&w, def, 1 / voxel, p, film))
    r = rv_fail(error, RV_NO_MEMORY, "out of memory for velocities of %zu particles", p->count);
  if (!r) r = rv_grid_create(RV_GRID_VEC3, "vel", RV_GRID_STAGGERED, voxel, NULL, &out->vel, error);
  if (!r && def->wetness)
    r = rv_grid_create(RV_GRID_FLOAT, "wetness", RV_GRID_UNKNOWN, voxel, NULL, &out->wetness, error);
  if (!r) r = rv_surface_bins(w.samples.count, sample_box, w.samples.data, &w.list, error);
  for (w.first = 0; w.first < w.list.count && !r; w.first += BATCH) {
    size_t remaining = w.list.count - w.first;
    if (def->cancelled && def->cancelled(def->user, (double)w.first / (double)w.list.count))
      r = rv_fail(error, RV_CANCELLED, "interrupted");
    if (!r) r = add_batch(&w, remaining < BATCH ? remaining : BATCH, out, error);
  }
  rv_surface_room_free(w.room);
  rv_array_free(&w.samples);
  rv_surface_bins_free(&w.list);
  return r;
}

//---------------------------------------------------------------------------------------------- the estimate

// Set of leaf coordinates: a hash table with open addressing.
typedef struct Set {
  uint64_t* key;        // packed coordinates under a leading 1; 0: free
  size_t slots, count;  // slots are a power of two
} Set;

// Doubles the table; false: out of memory.
static bool grow_set(Set* s) {
  Set old = *s;
  s->slots = old.slots ? 2 * old.slots : FIRST_SLOTS;
  s->count = 0;
  s->key = rv_alloc_zero(s->slots, 8);
  if (!s->key) {
    rv_free(old.key);
    return false;
  }
  for (size_t i = 0; i < old.slots; ++i)
    if (old.key[i]) {
      size_t at = (size_t)(old.key[i] * GOLDEN_RATIO >> LEAF_BITS) & (s->slots - 1);
      while (s->key[at]) at = (at + 1) & (s->slots - 1);
      s->key[at] = old.key[i];
      s->count++;
    }
  rv_free(old.key);
  return true;
}

// Adds a leaf; false: out of memory.
static bool put(Set* s, const double leaf[3]) {
  uint64_t key = 1;
  if (2 * s->count >= s->slots && !grow_set(s)) return false;
  for (int c = 0; c < 3; ++c) key = key << LEAF_BITS | ((uint64_t)(int64_t)leaf[c] & 0xfffff);
  for (size_t at = (size_t)(key * GOLDEN_RATIO >> LEAF_BITS) & (s->slots - 1);; at = (at + 1) & (s->slots - 1)) {
    if (s->key[at] == key) return true;
    if (!s->key[at]) {
      s->key[at] = key;
      s->count++;
      return true;
    }
  }
}

// Leaves of the particles: those that contain particles, and a rim as wide as the mean reach, which is estimated for a
// ball of as many leaves. *good: false when out of memory.
static double particle_leaves(const RvSurfaceDef* def, double scale, const RvSurfaceParticles* p, bool* good) {
  Set set = {0};
  double reach = 0;
  for (size_t i = 0; i < p->count && *good; ++i) {
    double leaf[3], own = reach_of(def, rv_pow(p->volume[i], 1.0 / 3) * scale);
    for (size_t c = 0; c < 3; ++c) leaf[c] = floor(p->x[3 * i + c] * scale / 8);
    *good = put(&set, leaf);
    reach += own;
  }
  double leaves = (double)set.count;
  if (p->count) reach /= (double)p->count;
  if (leaves > 0) {
    double radius = rv_pow(3 * leaves / (4 * RV_PI), 1.0 / 3);
    leaves = rv_min(leaves * 27, 4.0 / 3 * RV_PI * rv_pow(radius + 1 + reach / 8, 3));
  }
  rv_free(set.key);
  return leaves;
}

// Leaves of the films: those at the corners of boxes of the reach, in steps along each wet segment.
static double film_leaves(const RvSurfaceDef* def, double scale, const RvSurfaceFilm* film, bool* good) {
  Set set = {0};
  for (size_t e = 0; e + 1 < film->count && *good; ++e) {
    if (film->strand[e] != film->strand[e + 1] || !(film->height[e] > 0 || film->height[e + 1] > 0)) continue;
    double length = 0;
    for (size_t c = 0; c < 3; ++c) length = rv_max(length, fabs(film->x[3 * e + 3 + c] - film->x[3 * e + c]));
    int pieces = (int)rv_min(length * scale / 4, MOST_PIECES) + 1;
    double rim = reach_of(def, (film->radius[e] + film->height[e]) * scale) + 1;
    for (int k = 0; k <= pieces && *good; ++k)
      for (int corner = 0; corner < 8 && *good; ++corner) {
        double leaf[3], t = (double)k / pieces;
        for (size_t c = 0; c < 3; ++c) {
          double x = (film->x[3 * e + c] * (1 - t) + film->x[3 * e + 3 + c] * t) * scale;
          leaf[c] = floor((x + (corner >> c & 1 ? rim : -rim)) / 8);
        }
        *good = put(&set, leaf);
      }
  }
  double leaves = (double)set.count;
  rv_free(set.key);
  return leaves;
}

RvResult rv_surface_velocity_leaves(const RvSurfaceDef* def, double voxel, const RvSurfaceParticles* p,
                                    const RvSurfaceFilm* film, double* leaves, RvError* error) {
  bool good = true;
  *leaves = particle_leaves(def, 1 / voxel, p, &good);
  *leaves += film_leaves(def, 1 / voxel, film, &good);
  return good ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory to count the blocks of the velocity");
}
