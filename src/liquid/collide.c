// Particles stay out of solids (WH-43).
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "liquid/stages.h"

// a particle moves at most three cells a substep, and the slope needs one more
enum { HALO = 4, WIDE = RV_TILE_SIDE + 2 * HALO, ROUNDS = 3 };

typedef struct Job {
  const RvLiquidGrid* grid;
  const RvLiquidSolids* solids;
  const RvScatter* scatter;
  RvParticles* p;
  float margin;
  float cells;  // that a metre a second makes in the substep
  float sweep;  // cells that solids may have gone
  RvCollided* of_tile;
} Job;

// where the particle was before it moved: in the room of the sort, which comes next
static inline void place_before(const RvParticles* p, size_t i, float x[3]) {
  const float* xy = (const float*)p->room;
  x[0] = xy[i];
  x[1] = xy[p->capacity + i];
  x[2] = ((const float*)p->spare)[i];
}

typedef struct Field {
  float d[WIDE * WIDE * WIDE];  // distance at corners, in cells
  const RvTiles* tiles;
  const RvLiquidSolids* solids;
  size_t tile;
} Field;

// what is no number is the lower end
static inline float within(float x, float low, float high) {
  return x > low ? x < high ? x : high : low;
}

// distance and its slope at x (cells from the tile's corner)
static float look_up(const Field* f, const float x[3], float slope[3]) {
  int at = 0;
  float w[3];
  for (int a = 2; a >= 0; --a) {
    float y = within(x[a] + HALO, 0, WIDE - 1.0625f);
    int node = (int)y;
    w[a] = y - (float)node;
    at = at * WIDE + node;
  }
  float c[8];
  for (int k = 0; k < 8; ++k) c[k] = f->d[at + (k & 1) + (k >> 1 & 1) * WIDE + (k >> 2) * WIDE * WIDE];
  float y00 = c[0] + (c[1] - c[0]) * w[0], y10 = c[2] + (c[3] - c[2]) * w[0];
  float y01 = c[4] + (c[5] - c[4]) * w[0], y11 = c[6] + (c[7] - c[6]) * w[0];
  float z0 = y00 + (y10 - y00) * w[1], z1 = y01 + (y11 - y01) * w[1];
  float s0 = (c[1] - c[0]) + ((c[3] - c[2]) - (c[1] - c[0])) * w[1];
  float s1 = (c[5] - c[4]) + ((c[7] - c[6]) - (c[5] - c[4])) * w[1];
  slope[0] = s0 + (s1 - s0) * w[2];
  slope[1] = (y10 - y00) + ((y11 - y01) - (y10 - y00)) * w[2];
  slope[2] = z1 - z0;
  return z0 + (z1 - z0) * w[2];
}

// the velocity of the face next to x along each axis
static void solid_velocity(const Field* f, const float x[3], float v[3]) {
  for (int a = 0; a < 3; ++a) {
    int at[3];
    v[a] = 0;
    if (!f->solids->velocity[a].data) continue;
    for (int b = 0; b < 3; ++b) at[b] = (int)within(x[b] + HALO + (a == b ? 0.5f : 0), 0, WIDE - 1) - HALO;
    v[a] = rv_tiles_read(f->tiles, f->solids->velocity[a].data, f->tile, at[0], at[1], at[2], 0);
  }
}

// How far within the margin x is, in terms of the distance: in the corners of solids the distance between its nodes
// grows slower than space, so it is measured by its slope. `square` is that of the slope.
static float depth(const Field* f, const float x[3], float margin, float n[3], float* square) {
  float d = look_up(f, x, n);
  *square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
  return margin * fminf(sqrtf(*square), 1) - d;
}

// what x is at least away from solids, by the corner next to it: distances change no faster than space does
static float clear_of(const Field* f, const float x[3]) {
  int at = 0;
  for (int a = 2; a >= 0; --a) {
    int node = (int)within(x[a] + (HALO + 0.5f), 0, WIDE - 1);
    at = at * WIDE + node;
  }
  return f->d[at] - 0.87f;
}

// Where the way from x to `to` enters a solid: x is there then. A way that begins inside and leaves enters nothing.
static bool enters(const Field* f, float x[3], const float to[3]) {
  float way[3], n[3], length = 0, slope = 0;
  for (int a = 0; a < 3; ++a) {
    way[a] = to[a] - x[a];
    length += way[a] * way[a];
  }
  length = sqrtf(length);
  float d = look_up(f, x, n);
  for (int a = 0; a < 3; ++a) slope += n[a] * way[a];
  if (d < 0) return slope < 0;
  for (float gone = 0; gone < length && d < length - gone;) {
    // a sheet of a cell's thickness has two sides as far as a tenth of a cell deep
    float step = fminf(fmaxf(d, 0.05f), length - gone);
    gone += step;
    for (int a = 0; a < 3; ++a) x[a] += way[a] * (step / length);
    d = look_up(f, x, n);
    if (d < 0) return true;
  }
  return false;
}

// The end of the way of a particle: past the first solid that it meets it goes on along its surface, past the next it
// does not.
static bool follow(const Field* f, const float from[3], float to[3], float unit[3]) {
  float x[3] = {from[0], from[1], from[2]}, n[3], square = 0, into = 0;
  if (!enters(f, x, to)) return false;
  look_up(f, x, n);
  for (int a = 0; a < 3; ++a) {
    square += n[a] * n[a];
    into += n[a] * (to[a] - x[a]);
  }
  for (int a = 0; a < 3 && square > 1e-6f; ++a) {
    unit[a] = n[a] / sqrtf(square);
    if (into < 0) to[a] -= into * n[a] / square;
  }
  // a little outside, so as not to meet the same surface
  float start[3] = {x[0] + 0.25f * unit[0], x[1] + 0.25f * unit[1], x[2] + 0.25f * unit[2]};
  if (enters(f, start, to))
    for (int a = 0; a < 3; ++a) to[a] = start[a];
  return true;
}

static float friction_at(const Field* f, const float x[3]) {
  int at[3];
  for (int b = 0; b < 3; ++b) at[b] = (int)within(x[b] + HALO, 0, WIDE - 1) - HALO;
  return rv_tiles_read(f->tiles, f->solids->friction.data, f->tile, at[0], at[1], at[2], 0);
}

// Velocity at a solid: what goes into it is taken away, and of what goes along it as much as Coulomb's law gives for
// that blow; with a coefficient of 1 all, so that it sticks.
static void rub(const Field* f, RvParticles* p, size_t i, const float x[3], const float unit[3]) {
  float solid[3], along[3], into = 0, speed = 0, friction = friction_at(f, x);
  solid_velocity(f, x, solid);
  for (int a = 0; a < 3; ++a) into += (p->v[a][i] - solid[a]) * unit[a];
  if (!(into < 0)) return;
  for (int a = 0; a < 3; ++a) {
    along[a] = p->v[a][i] - solid[a] - into * unit[a];
    speed += along[a] * along[a];
  }
  speed = sqrtf(speed);
  float left = friction >= 1 ? 0 : friction * -into < speed ? 1 - friction * -into / speed : 0;
  for (int a = 0; a < 3; ++a) p->v[a][i] = solid[a] + (friction > 0 ? left : 1) * along[a];
}

typedef enum Fate { FREE, MOVED, CAUGHT, INSIDE } Fate;

static Fate push_out(const Field* f, RvParticles* p, size_t i, const float from[3], float margin) {
  float x[3] = {p->x[0][i], p->x[1][i], p->x[2][i]}, n[3], square, unit[3] = {0};
  bool met = follow(f, from, x, unit);
  float in = depth(f, x, margin, n, &square);
  if (!(in > 0) && !met) return FREE;
  for (int round = 0; round < ROUNDS && in > 0 && square > 1e-6f; ++round) {
    float step = fminf(in / square, 2);
    for (int a = 0; a < 3; ++a) {
      unit[a] = n[a] / sqrtf(square);
      x[a] += step * n[a];
    }
    in = depth(f, x, margin, n, &square);
  }
  for (int a = 0; a < 3; ++a) p->x[a][i] = x[a];
  if (!(in > margin + 0.05f)) {
    rub(f, p, i, x, unit);
    return MOVED;
  }
  // solids on all sides: it waits in them, and goes where they go
  float solid[3];
  solid_velocity(f, x, solid);
  for (int a = 0; a < 3; ++a) p->v[a][i] = solid[a];
  for (int a = 0; a < 9; ++a) p->c[a][i] = 0;
  return in > margin + 1 ? INSIDE : CAUGHT;
}

static void collide_tile(const Job* job, const Field* f, size_t begin, size_t end, RvCollided* sum) {
  RvParticles* p = job->p;
  for (size_t i = begin; i < end; ++i) {
    float from[3], to[3] = {p->x[0][i], p->x[1][i], p->x[2][i]}, way = 0, solid[3];
    place_before(p, i, from);
    for (int a = 0; a < 3; ++a) way += (to[a] - from[a]) * (to[a] - from[a]);
    // the balls around both ends that are clear of solids hold the whole way
    float begin_clear = clear_of(f, from) - job->sweep - job->margin, end_clear = clear_of(f, to) - job->margin;
    if (begin_clear > 0 && end_clear > 0 && begin_clear + end_clear > sqrtf(way)) continue;
    // beside the solid as it is now
    if (job->sweep > 0) {
      solid_velocity(f, from, solid);
      for (int a = 0; a < 3; ++a) from[a] += within(solid[a] * job->cells, -3, 3);
    }
    Fate fate = push_out(f, p, i, from, job->margin);
    sum->moved += fate != FREE;
    sum->caught += fate >= CAUGHT;
    sum->inside += fate == INSIDE;
  }
}

static void collide_some(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  const RvTiles* tiles = &job->grid->tiles;
  Field f;
  for (size_t t = begin; t < end; ++t) {
    int32_t home = job->scatter->home_of[t];
    bool near = false;
    job->of_tile[t] = (RvCollided){0};
    for (int n = 0; n < RV_TILE_NEAR && home >= 0; ++n) {
      int32_t other = tiles->near[t][n];
      near = near || (other >= 0 && job->solids->touched[other]);
    }
    if (!near) continue;
    float dx = (float)job->grid->dx;
    rv_channel_gather(tiles, job->solids->distance.data, t, HALO, 1e3f * dx, f.d);
    // beyond what is known a bound from below, so that between its nodes the distance changes no faster than space
    float known = job->solids->known / dx;
    for (int i = 0; i < WIDE * WIDE * WIDE; ++i) f.d[i] = within(f.d[i] / dx, -1e3f, known);
    f.tiles = tiles;
    f.solids = job->solids;
    f.tile = t;
    const uint32_t* first = job->p->cell_first + (size_t)home * RV_TILE_CELLS;
    collide_tile(job, &f, first[0], first[RV_TILE_CELLS], &job->of_tile[t]);
  }
}

static void remember_some(void* arg, size_t begin, size_t end) {
  const RvParticles* p = arg;
  float *xy = (float*)p->room, *z = (float*)p->spare;
  size_t bytes = (end - begin) * sizeof *xy;
  memcpy(xy + begin, p->x[0] + begin, bytes);
  memcpy(xy + p->capacity + begin, p->x[1] + begin, bytes);
  memcpy(z + begin, p->x[2] + begin, bytes);
}

bool rv_liquid_remember_places(RvParticles* p) {
  RvArenaMark mark;
  if (!rv_liquid_particles_take_room(p, &mark)) return false;
  rv_parallel_for(p->count, 16384, remember_some, p);
  return true;
}

RvResult rv_liquid_collide(const RvLiquidGrid* grid, const RvLiquidSolids* solids, const RvScatter* scatter,
                           RvParticles* p, const RvCollide* how, RvCollided* out, RvError* error) {
  *out = (RvCollided){0};
  if (!solids || !solids->any) return RV_OK;
  float cells = (float)(how->dt / grid->dx);
  Job job = {grid, solids, scatter, p, (float)how->margin, cells, fminf((float)how->speed * cells, 3), NULL};
  job.of_tile = rv_alloc(grid->tiles.count, sizeof *job.of_tile);
  if (!job.of_tile) return rv_fail(error, RV_NO_MEMORY, "no memory for collisions");
  rv_parallel_for(grid->tiles.count, 4, collide_some, &job);
  for (size_t t = 0; t < grid->tiles.count; ++t) {
    out->moved += job.of_tile[t].moved;
    out->caught += job.of_tile[t].caught;
    out->inside += job.of_tile[t].inside;
  }
  rv_free(job.of_tile);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- speed

enum { SPEED_GRAIN = 8192 };

typedef struct Speeds {
  const RvParticles* p;
  float* most;
} Speeds;

static void speed_some(void* arg, size_t begin, size_t end) {
  const Speeds* s = arg;
  float most = 0;
  bool bad = false;
  for (int a = 0; a < 3; ++a)
    for (size_t i = begin; i < end; ++i) {
      float v = fabsf(s->p->v[a][i]);
      bad |= !(v < INFINITY);
      most = v > most ? v : most;
    }
  s->most[begin / SPEED_GRAIN] = bad ? INFINITY : most;
}

double rv_liquid_speed(const RvParticles* p) {
  size_t chunks = (p->count + SPEED_GRAIN - 1) / SPEED_GRAIN;
  Speeds s = {p, rv_alloc_zero(chunks, sizeof(float))};
  if (!s.most) return INFINITY;
  rv_parallel_for(p->count, SPEED_GRAIN, speed_some, &s);
  float most = 0;
  for (size_t k = 0; k < chunks; ++k) most = fmaxf(most, s.most[k]);
  rv_free(s.most);
  return (double)most;
}
