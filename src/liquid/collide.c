// Particles stay out of solids (WH-43): a path that would enter one ends at its surface or slides along it; then the
// particle is moved out of the margin along the gradient of the distance, and its velocity loses the normal part and,
// by Coulomb's law, some of the tangential part.
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/parallel.h"
#include "liquid/stages.h"

// A particle moves at most three cells a substep, and the gradient needs one more.
enum { MOST_CELLS = 3, HALO = MOST_CELLS + 1, WIDE = RV_TILE_SIDE + 2 * HALO };
enum { PUSH_ROUNDS = 3 };                         // gradient steps out of a solid
enum { TILE_GRAIN = 4, PARTICLE_GRAIN = 16384 };  // tiles and particles a task

// Lengths in cells.
#define UPPER_NODE (WIDE - 1.0625f)  // largest coordinate that is interpolated: just inside the last cell of nodes
#define HALF_DIAGONAL 0.87f          // sqrt(3) / 2, rounded up: farthest that a point is from its nearest node
// Smallest step along a path: the interpolated distance of a sheet one cell thick tells its sides apart only to a depth
// of 0.1, which a step must not pass.
#define LEAST_MARCH 0.05f
#define RESTART_GAP 0.25f    // gap to the surface from which a sliding path goes on, so as not to meet it again
#define LARGEST_PUSH 2.0f    // longest single step out of a solid
#define CAUGHT_DEPTH 0.05f   // deeper than this after the push: solids on all sides
#define INSIDE_DEPTH 1.0f    // deeper than this: well inside
#define FAR_AWAY 1e3f        // stands for absent distances
#define FLAT_GRADIENT 1e-6f  // squared gradient below which there is no direction

typedef struct Job {
  const RvLiquidGrid* grid;
  const RvLiquidSolids* solids;
  const RvScatter* scatter;
  RvParticles* p;
  float margin;  // cells that particles keep from solids
  float cells;   // cells that 1 m/s moves in the substep
  float sweep;   // cells that solids may have moved
  // RvCollided as whole numbers, whose sums do not depend on their order
  atomic_size_t moved, caught, inside;
} Job;

// Position before the move, in cells of the tile: kept in the room of the sort, which is needed only afterwards.
static inline void place_before(const RvParticles* p, size_t i, float x[3]) {
  const float* xy = (const float*)p->room;
  x[0] = xy[i];
  x[1] = xy[p->capacity + i];
  x[2] = ((const float*)p->spare)[i];
}

// Distance of solids in a tile and its halo.
typedef struct Field {
  float d[WIDE * WIDE * WIDE];  // distance at corners, in cells
  const RvTiles* tiles;
  const RvLiquidSolids* solids;
  size_t tile;
} Field;

// x within [low, high]; a NaN becomes `low`.
static inline float clamp_to(float x, float low, float high) {
  return x > low ? x < high ? x : high : low;
}

// Trilinear distance and its gradient at x, in cells from the tile's corner.
static float distance_at(const Field* f, const float x[3], float slope[3]) {
  int at = 0;
  float w[3];
  for (int a = 2; a >= 0; --a) {
    float y = clamp_to(x[a] + HALO, 0, UPPER_NODE);
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

// Velocity of the solid at x: per axis that of the nearest face, m/s.
static void solid_velocity(const Field* f, const float x[3], float v[3]) {
  for (int a = 0; a < 3; ++a) {
    int at[3];
    v[a] = 0;
    if (!f->solids->velocity[a].data) continue;
    for (int b = 0; b < 3; ++b) at[b] = (int)clamp_to(x[b] + HALO + (a == b ? 0.5f : 0), 0, WIDE - 1) - HALO;
    v[a] = rv_tiles_read(f->tiles, f->solids->velocity[a].data, f->tile, at[0], at[1], at[2], 0);
  }
}

// How far x is within the margin, in units of the distance. In corners of solids the interpolated distance grows slower
// than space, so the margin is scaled by its gradient n; `square` is n . n.
static float depth(const Field* f, const float x[3], float margin, float n[3], float* square) {
  float d = distance_at(f, x, n);
  *square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
  return margin * fminf(sqrtf(*square), 1) - d;
}

// Lower bound of the distance of x to solids, from the nearest node: distances change no faster than space does.
static float clearance(const Field* f, const float x[3]) {
  int at = 0;
  for (int a = 2; a >= 0; --a) {
    int node = (int)clamp_to(x[a] + (HALO + 0.5f), 0, WIDE - 1);
    at = at * WIDE + node;
  }
  return f->d[at] - HALF_DIAGONAL;
}

// Whether the path from x to `to` enters a solid; x becomes the point where. A path that begins inside enters only if
// it goes deeper.
static bool enters_solid(const Field* f, float x[3], const float to[3]) {
  float path[3], n[3], length = 0, slope = 0;
  for (int a = 0; a < 3; ++a) {
    path[a] = to[a] - x[a];
    length += path[a] * path[a];
  }
  length = sqrtf(length);
  float d = distance_at(f, x, n);
  for (int a = 0; a < 3; ++a) slope += n[a] * path[a];
  if (d < 0) return slope < 0;
  // sphere tracing: a step of the distance cannot pass a surface
  for (float travelled = 0; travelled < length && d < length - travelled;) {
    float step = fminf(fmaxf(d, LEAST_MARCH), length - travelled);
    travelled += step;
    for (int a = 0; a < 3; ++a) x[a] += path[a] * (step / length);
    d = distance_at(f, x, n);
    if (d < 0) return true;
  }
  return false;
}

// End of the path of a particle: it slides along the first solid that it meets, and stops at the second. `unit`: normal
// of the first. False: it meets none.
static bool slide_path(const Field* f, const float from[3], float to[3], float unit[3]) {
  float x[3] = {from[0], from[1], from[2]}, n[3], square = 0, into = 0;
  if (!enters_solid(f, x, to)) return false;
  distance_at(f, x, n);
  for (int a = 0; a < 3; ++a) {
    square += n[a] * n[a];
    into += n[a] * (to[a] - x[a]);
  }
  for (int a = 0; a < 3 && square > FLAT_GRADIENT; ++a) {
    unit[a] = n[a] / sqrtf(square);
    if (into < 0) to[a] -= into * n[a] / square;
  }
  // the second solid stops it
  float start[3];
  for (int a = 0; a < 3; ++a) start[a] = x[a] + RESTART_GAP * unit[a];
  if (enters_solid(f, start, to))
    for (int a = 0; a < 3; ++a) to[a] = start[a];
  return true;
}

// Friction coefficient of the solid in the cell of x.
static float friction_at(const Field* f, const float x[3]) {
  int at[3];
  for (int b = 0; b < 3; ++b) at[b] = (int)clamp_to(x[b] + HALO, 0, WIDE - 1) - HALO;
  return rv_tiles_read(f->tiles, f->solids->friction.data, f->tile, at[0], at[1], at[2], 0);
}

// Velocity after contact with the normal `unit`: the part into the solid is removed, and of the tangential part as much
// as Coulomb's law gives for that impulse. With a coefficient of 1 all of it, so that the particle sticks.
static void resolve_velocity(const Field* f, RvParticles* p, size_t i, const float x[3], const float unit[3]) {
  float solid[3], along[3], into = 0, speed = 0, friction = friction_at(f, x);
  solid_velocity(f, x, solid);
  for (int a = 0; a < 3; ++a) into += (p->v[a][i] - solid[a]) * unit[a];
  if (!(into < 0)) return;
  for (int a = 0; a < 3; ++a) {
    along[a] = p->v[a][i] - solid[a] - into * unit[a];
    speed += along[a] * along[a];
  }
  speed = sqrtf(speed);
  float kept_share = friction >= 1 ? 0 : friction * -into < speed ? 1 - friction * -into / speed : 0;
  for (int a = 0; a < 3; ++a) p->v[a][i] = solid[a] + (friction > 0 ? kept_share : 1) * along[a];
}

// What became of a particle: no contact, moved out, solids on all sides, and well inside them.
typedef enum Fate { FREE, MOVED, CAUGHT, INSIDE } Fate;

// Contact of particle i that moved from `from`: path, margin and velocity.
static Fate push_out(const Field* f, RvParticles* p, size_t i, const float from[3], float margin) {
  float x[3] = {p->x[0][i], p->x[1][i], p->x[2][i]}, n[3], square, unit[3] = {0};
  // the path up to the first solid, and along it
  bool met = slide_path(f, from, x, unit);
  float penetration = depth(f, x, margin, n, &square);
  if (!(penetration > 0) && !met) return FREE;
  // Newton steps along the gradient of the distance, out of the margin
  for (int round = 0; round < PUSH_ROUNDS && penetration > 0 && square > FLAT_GRADIENT; ++round) {
    float step = fminf(penetration / square, LARGEST_PUSH);
    for (int a = 0; a < 3; ++a) {
      unit[a] = n[a] / sqrtf(square);
      x[a] += step * n[a];
    }
    penetration = depth(f, x, margin, n, &square);
  }
  for (int a = 0; a < 3; ++a) p->x[a][i] = x[a];
  if (!(penetration > margin + CAUGHT_DEPTH)) {
    resolve_velocity(f, p, i, x, unit);
    return MOVED;
  }
  // solids on all sides: it moves with them until it is free
  float solid[3];
  solid_velocity(f, x, solid);
  for (int a = 0; a < 3; ++a) p->v[a][i] = solid[a];
  for (int a = 0; a < 9; ++a) p->c[a][i] = 0;
  return penetration > margin + INSIDE_DEPTH ? INSIDE : CAUGHT;
}

// Contacts of the particles of one tile.
static void collide_tile(const Job* job, const Field* f, size_t begin, size_t end, RvCollided* sum) {
  RvParticles* p = job->p;
  for (size_t i = begin; i < end; ++i) {
    float from[3], to[3] = {p->x[0][i], p->x[1][i], p->x[2][i]}, squared_path = 0, solid[3];
    place_before(p, i, from);
    for (int a = 0; a < 3; ++a) squared_path += (to[a] - from[a]) * (to[a] - from[a]);
    // no contact if the balls around both ends that are clear of solids cover the whole path
    float begin_clear = clearance(f, from) - job->sweep - job->margin;
    float end_clear = clearance(f, to) - job->margin;
    if (begin_clear > 0 && end_clear > 0 && begin_clear + end_clear > sqrtf(squared_path)) continue;
    // start of the path relative to the solid where it is now
    if (job->sweep > 0) {
      solid_velocity(f, from, solid);
      for (int a = 0; a < 3; ++a) from[a] += clamp_to(solid[a] * job->cells, -MOST_CELLS, MOST_CELLS);
    }
    Fate fate = push_out(f, p, i, from, job->margin);
    sum->moved += fate != FREE;
    sum->caught += fate >= CAUGHT;
    sum->inside += fate == INSIDE;
  }
}

// Contacts in all tiles that have a solid near.
static void collide_some(void* arg, size_t begin, size_t end) {
  Job* job = arg;
  const RvTiles* tiles = &job->grid->tiles;
  RvCollided sum = {0};
  Field f;
  for (size_t t = begin; t < end; ++t) {
    // tiles with particles and a solid clamp_to their neighbours
    int32_t home = job->scatter->home_of[t];
    bool near = false;
    for (int n = 0; n < RV_TILE_NEAR && home >= 0; ++n) {
      int32_t other = tiles->near[t][n];
      near = near || (other >= 0 && job->solids->touched[other]);
    }
    if (!near) continue;
    // distances in cells, with a halo as wide as a particle can move
    float dx = (float)job->grid->dx;
    rv_channel_gather(tiles, job->solids->distance.data, t, HALO, FAR_AWAY * dx, f.d);
    // Distances are known up to `known`; beyond it they are capped, which keeps their gradient at most 1.
    float known = job->solids->known / dx;
    for (int i = 0; i < WIDE * WIDE * WIDE; ++i) f.d[i] = clamp_to(f.d[i] / dx, -FAR_AWAY, known);
    f.tiles = tiles;
    f.solids = job->solids;
    f.tile = t;
    const uint32_t* first = job->p->cell_first + (size_t)home * RV_TILE_CELLS;
    collide_tile(job, &f, first[0], first[RV_TILE_CELLS], &sum);
  }
  atomic_fetch_add(&job->moved, sum.moved);
  atomic_fetch_add(&job->caught, sum.caught);
  atomic_fetch_add(&job->inside, sum.inside);
}

// Copies positions to the room of the sort.
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
  rv_parallel_for(p->count, PARTICLE_GRAIN, remember_some, p);
  return true;
}

RvCollided rv_liquid_collide(const RvLiquidGrid* grid, const RvLiquidSolids* solids, const RvScatter* scatter,
                             RvParticles* p, const RvCollide* how) {
  if (!solids || !solids->any) return (RvCollided){0};
  float cells = (float)(how->dt / grid->dx);
  Job job = {grid, solids, scatter, p, (float)how->margin, cells, fminf((float)how->speed * cells, MOST_CELLS),
             0,    0,      0};
  rv_parallel_for(grid->tiles.count, TILE_GRAIN, collide_some, &job);
  return (RvCollided){atomic_load(&job.moved), atomic_load(&job.caught), atomic_load(&job.inside)};
}

//---------------------------------------------------------------------------------------------- speed

enum { SPEED_GRAIN = 8192 };

typedef struct Speeds {
  const RvParticles* p;
  _Atomic uint32_t largest;  // bits of a float: those of numbers from 0 to infinity are ordered as whole numbers
} Speeds;

// Largest |component| of a velocity; infinite if one is NaN or infinite.
static void speed_some(void* arg, size_t begin, size_t end) {
  Speeds* s = arg;
  float largest = 0;
  bool bad = false;
  for (int a = 0; a < 3; ++a)
    for (size_t i = begin; i < end; ++i) {
      float v = fabsf(s->p->v[a][i]);
      bad |= !(v < INFINITY);
      largest = v > largest ? v : largest;
    }
  if (bad) largest = INFINITY;
  uint32_t bits, known = atomic_load(&s->largest);
  memcpy(&bits, &largest, sizeof bits);
  while (bits > known && !atomic_compare_exchange_weak(&s->largest, &known, bits)) continue;
}

double rv_liquid_speed(const RvParticles* p) {
  Speeds s = {p, 0};
  rv_parallel_for(p->count, SPEED_GRAIN, speed_some, &s);
  uint32_t bits = atomic_load(&s.largest);
  float largest;
  memcpy(&largest, &bits, sizeof largest);
  return (double)largest;
}
