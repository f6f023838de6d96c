// Velocity and wetness as grids: means of particles and films near a voxel, the nearest counting most, by volume. They
// reach over the band of the surface, so that whatever lies on it finds a velocity.
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/parallel.h"
#include "math/scalar.h"
#include "surface/parts.h"

enum { SIDE = RV_BLOCK + 1, VOXELS = SIDE * SIDE * SIDE, BATCH = 16 };  // one more on the lower sides, for faces

typedef struct Sample {
  double x[3];  // voxels
  float v[3], wetness, weight, reach;
} Sample;

typedef struct Sums {
  float weight[VOXELS], v[3][VOXELS], wetness[VOXELS];
} Sums;

typedef struct Made {
  size_t count;
  int32_t* origin;
  float *vel, *wetness;
  uint64_t* active;
  bool failed;
} Made;

typedef struct Velocity {
  RV_ARRAY(Sample) samples;
  RvBlockList list;
  RvRoom* room;
  size_t first;
  Made made[BATCH];
} Velocity;

//---------------------------------------------------------------------------------------------- samples

// how far a particle of the separation s counts, in voxels
static double reach_of(const RvSurfaceDef* def, double s) {
  return rv_min(1.2 * s, 200) + RV_SURFACE_BAND / def->vel + 1;
}

static bool add_film(Velocity* w, const RvSurfaceDef* def, const RvSurfaceFilm* f, double scale) {
  for (size_t e = 0; e + 1 < f->count; ++e) {
    if (f->strand[e] != f->strand[e + 1] || !(f->height[e] > 0 || f->height[e + 1] > 0)) continue;
    double length = 0, wide = 0;
    for (size_t c = 0; c < 3; ++c)
      length += (f->x[3 * e + 3 + c] - f->x[3 * e + c]) * (f->x[3 * e + 3 + c] - f->x[3 * e + c]);
    length = sqrt(length) * scale;
    for (size_t i = e; i <= e + 1; ++i) wide = rv_max(wide, (f->radius[i] + f->height[i]) * scale);
    int pieces = (int)rv_min(length / 2, 1e5) + 1;
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

static void sample_box(const void* user, size_t e, double lo[3], double hi[3]) {
  const Sample* s = (const Sample*)user + e;
  for (int c = 0; c < 3; ++c) {
    // bins see elements from RV_MARGIN on; here only the lower faces are needed
    double reach = (double)s->reach + 1 - RV_MARGIN;
    lo[c] = s->x[c] - reach;
    hi[c] = s->x[c] + reach;
  }
}

//---------------------------------------------------------------------------------------------- a block

static int clamp_int(double x, int lo, int hi) {
  return x < lo ? lo : x > hi ? hi : (int)x;
}

static void add_sample(Sums* sums, const Sample* s, const double origin[3]) {
  float at[3], inverse = 1 / (s->reach * s->reach);
  int lo[3], hi[3];
  for (int c = 0; c < 3; ++c) {
    at[c] = (float)(s->x[c] - origin[c]);
    lo[c] = clamp_int(ceilf(at[c] - s->reach), 0, SIDE);
    hi[c] = clamp_int(floorf(at[c] + s->reach), -1, SIDE - 1);
  }
  for (int i = lo[0]; i <= hi[0]; ++i)
    for (int j = lo[1]; j <= hi[1]; ++j) {
      float dx = (float)i - at[0], dy = (float)j - at[1], xy = dx * dx + dy * dy, left = s->reach * s->reach - xy;
      if (!(left > 0)) continue;
      float half = sqrtf(left);
      int from = clamp_int(ceilf(at[2] - half), lo[2], hi[2] + 1),
          to = clamp_int(floorf(at[2] + half), lo[2] - 1, hi[2]);
      int row = (i * SIDE + j) * SIDE;
      for (int k = from; k <= to; ++k) {
        float dz = (float)k - at[2], q = (xy + dz * dz) * inverse, fall = q < 1 ? 1 - q : 0;
        float w = s->weight * fall * fall / (q + 0.02f);
        sums->weight[row + k] += w;
        sums->v[0][row + k] += w * s->v[0];
        sums->v[1][row + k] += w * s->v[1];
        sums->v[2][row + k] += w * s->v[2];
        sums->wetness[row + k] += w * s->wetness;
      }
    }
}

static void divide(Sums* sums) {
  for (int i = 0; i < VOXELS; ++i) {
    float w = sums->weight[i] > 0 ? 1 / sums->weight[i] : 0;
    for (int c = 0; c < 3; ++c) sums->v[c][i] *= w;
    sums->wetness[i] *= w;
  }
}

// a leaf: the component along an axis is that of the lower face, between two voxels
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

static bool hand_over(const Sums* sums, const int32_t at[3], Made* out) {
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

static void make_blocks(void* arg, size_t begin, size_t end) {
  Velocity* w = arg;
  Sums* sums = rv_surface_room_take(w->room);
  for (size_t b = begin; b < end; ++b) {
    size_t block = w->first + b;
    Made* made = &w->made[b];
    *made = (Made){.failed = !sums};
    if (!sums) continue;
    double origin[3];
    for (int c = 0; c < 3; ++c) origin[c] = (double)w->list.at[block][c] * RV_BLOCK - 1;
    memset(sums, 0, sizeof *sums);
    for (size_t i = w->list.first[block]; i < w->list.first[block + 1]; ++i)
      add_sample(sums, &w->samples.data[w->list.element[i]], origin);
    divide(sums);
    made->failed = !hand_over(sums, w->list.at[block], made);
  }
  rv_surface_room_give(w->room, sums);
}

static RvResult add_batch(Velocity* w, size_t count, RvSurfaceOut* out, RvError* error) {
  RvResult r = RV_OK;
  rv_parallel_for(count, 1, make_blocks, w);
  for (size_t i = 0; i < count; ++i) {
    Made* m = &w->made[i];
    if (m->failed && !r) r = rv_fail(error, RV_NO_MEMORY, "no memory for a block of velocities");
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
    r = rv_fail(error, RV_NO_MEMORY, "no memory for velocities of %zu particles", p->count);
  if (!r) r = rv_grid_create(RV_GRID_VEC3, "vel", RV_GRID_STAGGERED, voxel, NULL, &out->vel, error);
  if (!r && def->wetness)
    r = rv_grid_create(RV_GRID_FLOAT, "wetness", RV_GRID_UNKNOWN, voxel, NULL, &out->wetness, error);
  if (!r) r = rv_surface_bins(w.samples.count, sample_box, w.samples.data, &w.list, error);
  for (w.first = 0; w.first < w.list.count && !r; w.first += BATCH) {
    size_t left = w.list.count - w.first;
    if (def->cancelled && def->cancelled(def->user, (double)w.first / (double)w.list.count))
      r = rv_fail(error, RV_CANCELLED, "interrupted");
    if (!r) r = add_batch(&w, left < BATCH ? left : BATCH, out, error);
  }
  rv_surface_room_free(w.room);
  rv_array_free(&w.samples);
  rv_surface_bins_free(&w.list);
  return r;
}

//---------------------------------------------------------------------------------------------- the estimate

typedef struct Set {
  uint64_t* key;  // + 1; 0 free
  size_t slots, count;
} Set;

static bool grow_set(Set* s) {
  Set old = *s;
  s->slots = old.slots ? 2 * old.slots : 1024;
  s->count = 0;
  s->key = rv_alloc_zero(s->slots, 8);
  if (!s->key) return rv_free(old.key), false;
  for (size_t i = 0; i < old.slots; ++i)
    if (old.key[i]) {
      size_t at = (size_t)(old.key[i] * 0x9e3779b97f4a7c15u >> 20) & (s->slots - 1);
      while (s->key[at]) at = (at + 1) & (s->slots - 1);
      s->key[at] = old.key[i];
      s->count++;
    }
  rv_free(old.key);
  return true;
}

static bool put(Set* s, const double leaf[3]) {
  uint64_t key = 1;
  if (2 * s->count >= s->slots && !grow_set(s)) return false;
  for (int c = 0; c < 3; ++c) key = key << 20 | ((uint64_t)(int64_t)leaf[c] & 0xfffff);
  for (size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (s->slots - 1);; at = (at + 1) & (s->slots - 1)) {
    if (s->key[at] == key) return true;
    if (!s->key[at]) return s->key[at] = key, s->count++, true;
  }
}

double rv_surface_velocity_leaves(const RvSurfaceDef* def, double voxel, const RvSurfaceParticles* p,
                                  const RvSurfaceFilm* film) {
  // leaves with something in them, each with a rim as wide as what is in it reaches
  Set set = {0};
  double scale = 1 / voxel, reach = 0;
  bool good = true;
  for (size_t i = 0; i < p->count && good; ++i) {
    double leaf[3], own = reach_of(def, rv_pow(p->volume[i], 1.0 / 3) * scale);
    for (size_t c = 0; c < 3; ++c) leaf[c] = floor(p->x[3 * i + c] * scale / 8);
    good = put(&set, leaf);
    reach += own;
  }
  double leaves = (double)set.count;
  if (p->count) reach /= (double)p->count;
  if (leaves > 0) {
    // of a ball of so many leaves
    double radius = rv_pow(3 * leaves / (4 * RV_PI), 1.0 / 3);
    leaves = rv_min(leaves * 27, 4.0 / 3 * RV_PI * rv_pow(radius + 1 + reach / 8, 3));
  }
  rv_free(set.key);
  set = (Set){0};
  for (size_t e = 0; e + 1 < film->count && good; ++e) {
    if (film->strand[e] != film->strand[e + 1] || !(film->height[e] > 0 || film->height[e + 1] > 0)) continue;
    double length = 0;
    for (size_t c = 0; c < 3; ++c) length = rv_max(length, fabs(film->x[3 * e + 3 + c] - film->x[3 * e + c]));
    int pieces = (int)rv_min(length * scale / 4, 1e5) + 1;
    double rim = reach_of(def, (film->radius[e] + film->height[e]) * scale) + 1;
    for (int k = 0; k <= pieces && good; ++k)
      for (int corner = 0; corner < 8 && good; ++corner) {
        double leaf[3], t = (double)k / pieces;
        for (size_t c = 0; c < 3; ++c) {
          double x = (film->x[3 * e + c] * (1 - t) + film->x[3 * e + 3 + c] * t) * scale;
          leaf[c] = floor((x + (corner >> c & 1 ? rim : -rim)) / 8);
        }
        good = put(&set, leaf);
      }
  }
  leaves += (double)set.count;
  rv_free(set.key);
  return good ? leaves : INFINITY;
}
