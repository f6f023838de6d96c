// Sets up the pressure solve: finds the tiles that hold liquid, the coefficients of those that are not plain, the right
// side (minus the divergence of the velocity), and the first guess.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "liquid/pressure_work.h"

#define INLINE static inline __attribute__((always_inline))

// Plain: wet everywhere, all faces open, no drag, wet cells around.
enum { DRY, PLAIN, GENERAL };
enum { COUNT_GRAIN = 64 };  // slots a task that only counts

typedef struct Sides {
  int32_t near[6];  // input tiles at -x, +x, -y, +y, -z, +z; -1: absent
} Sides;

// The six neighbours of a tile.
static Sides sides_of(const RvTiles* tiles, size_t t) {
  static const int step[6][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
  Sides s;
  for (int k = 0; k < 6; ++k) s.near[k] = tiles->near[t][rv_tile_near(step[k][0], step[k][1], step[k][2])];
  return s;
}

// Cell i of the 64 of the plane of a tile normal to `axis`, at `at` along it.
static int plane_cell(int axis, int at, int i) {
  int a = i & 7, b = i >> 3;
  return axis == 0 ? rv_tile_cell(at, a, b) : axis == 1 ? rv_tile_cell(a, at, b) : rv_tile_cell(a, b, at);
}

// Smallest value of a tile.
static float smallest_in(const float* v) {
  float m = v[0];
  for (int i = 1; i < RV_TILE_CELLS; ++i) m = v[i] < m ? v[i] : m;
  return m;
}

// Largest value of a tile.
static float largest_in(const float* v) {
  float m = v[0];
  for (int i = 1; i < RV_TILE_CELLS; ++i) m = v[i] > m ? v[i] : m;
  return m;
}

// Whether all faces of a tile along an axis, those on its upper side included, are open, without fibres and drag.
static bool faces_plain(const RvPressureIn* in, int axis, size_t t, size_t above) {
  const size_t at = t * RV_TILE_CELLS, up = above * RV_TILE_CELLS;
  const float *open = in->open[axis], *share = in->share[axis], *drag = in->drag[axis];
  const float *mobility = in->mobility[axis], *heavy = in->heavy[axis];
  if (open && !(smallest_in(open + at) >= 1)) return false;
  if (share && !(smallest_in(share + at) >= 1)) return false;
  if (drag && !(largest_in(drag + at) <= 0)) return false;
  if (mobility && !(smallest_in(mobility + at) >= 1 && largest_in(mobility + at) <= 1)) return false;
  if (heavy && !(smallest_in(heavy + at) >= 1 && largest_in(heavy + at) <= 1)) return false;
  for (int i = 0; i < 64; ++i) {
    size_t c = up + (size_t)plane_cell(axis, 0, i);
    if ((open && !(open[c] >= 1)) || (share && !(share[c] >= 1)) || (drag && !(drag[c] <= 0))) return false;
    if ((mobility && mobility[c] != 1) || (heavy && heavy[c] != 1)) return false;
  }
  return true;
}

// Kind of an input tile.
static int classify(const RvPressureIn* in, size_t t) {
  const float* distance = in->distance + t * RV_TILE_CELLS;
  if (!(smallest_in(distance) < 0)) return DRY;
  if (!(largest_in(distance) < 0)) return GENERAL;
  // wet cells around
  Sides s = sides_of(in->tiles, t);
  for (int k = 0; k < 6; ++k) {
    if (s.near[k] < 0) return GENERAL;
    const float* other = in->distance + (size_t)s.near[k] * RV_TILE_CELLS;
    for (int i = 0; i < 64; ++i)
      if (!(other[plane_cell(k / 2, k % 2 ? 0 : 7, i)] < 0)) return GENERAL;
  }
  // open faces
  for (int axis = 0; axis < 3; ++axis)
    if (!faces_plain(in, axis, t, (size_t)s.near[2 * axis + 1])) return GENERAL;
  return PLAIN;
}

static void classify_tiles(void* arg, size_t begin, size_t end) {
  RvPressureWork* work = arg;
  for (size_t t = begin; t < end; ++t) work->wet[t] = classify(work->in, t);
}

// A tile while it is set up; its right side is summed in double.
typedef struct Tile {
  double b[RV_TILE_CELLS];
  float distance[RV_HALO1_CELLS];
  float coef[RV_MG_COEF], drain[RV_TILE_CELLS];
} Tile;

// Adds a face of the tile between the cells lo and hi (-1: outside of it), whose distances are d_lo and d_hi, to the
// right side, and to the coefficients or the drain.
INLINE void add_face(const RvPressureIn* in, Tile* tile, int axis, size_t at, int lo, int hi, float d_lo, float d_hi,
                     size_t at_lo, float* coef) {
  RvPressureFace f = rv_liquid_pressure_face(in, axis, at);
  // flux of liquid, fibres and solid through the face, to the right sides of both cells
  double flux = (double)(f.open * f.share) * f.velocity;
  if (f.share < 1 && in->fibre[axis]) flux += (double)(f.open * (1 - f.share)) * in->fibre[axis][at];
  if (f.open < 1 && in->solid[axis]) flux += (1 - (double)f.open) * in->solid[axis][at];
  if (lo >= 0) tile->b[lo] -= flux;
  if (hi >= 0) tile->b[hi] += flux;
  // coupling of two wet cells
  float c = f.open * f.share * f.scale;
  bool wet_lo = d_lo < 0, wet_hi = d_hi < 0;
  *coef = wet_lo && wet_hi ? c : 0;
  if (wet_lo == wet_hi) return;
  // free surface between a wet and a dry cell: drain, and the pressure of the tension
  int wet = wet_lo ? lo : hi;
  if (wet < 0) return;
  float theta = wet_lo ? rv_liquid_pressure_theta(in, d_lo, d_hi) : rv_liquid_pressure_theta(in, d_hi, d_lo);
  tile->drain[wet] += c / theta;
  double surface = wet_lo ? rv_liquid_pressure_surface(in, at_lo, at) : rv_liquid_pressure_surface(in, at, at_lo);
  tile->b[wet] += c / theta * surface;
}

// All faces of a tile along an axis. Inlined for each axis, so that all strides are constants.
INLINE void add_faces(const RvPressureIn* in, Tile* tile, size_t t, int axis) {
  static const int stride[3] = {1, 8, 64}, halo[3] = {1, RV_HALO1_SIDE, RV_HALO1_SIDE * RV_HALO1_SIDE};
  Sides s = sides_of(in->tiles, t);
  int32_t below = s.near[2 * axis], above = s.near[2 * axis + 1];
  for (int i = 0; i < 64; ++i)
    for (int k = 0; k < 9; ++k) {
      int a = i & 7, b = i >> 3;
      int x = axis == 0 ? k : a, y = axis == 0 ? a : axis == 1 ? k : b, z = axis == 2 ? k : b;
      float* coef = &tile->coef[axis == 0   ? rv_liquid_mg_face_x(x, y, z)
                                : axis == 1 ? rv_liquid_mg_face_y(x, y, z)
                                            : rv_liquid_mg_face_z(x, y, z)];
      *coef = 0;
      if ((k == 0 && below < 0) || (k == 8 && above < 0)) continue;
      int hi = rv_tile_cell(x, y, z), far = hi - 8 * stride[axis], lo = hi - stride[axis];
      size_t at = k < 8 ? t * RV_TILE_CELLS + (size_t)hi : (size_t)above * RV_TILE_CELLS + (size_t)far;
      size_t at_lo =
          k > 0 ? t * RV_TILE_CELLS + (size_t)lo : (size_t)below * RV_TILE_CELLS + (size_t)(lo + 8 * stride[axis]);
      const float* d = &tile->distance[rv_halo1_at(x, y, z)];
      if (!(d[0] < 0) && !(d[-halo[axis]] < 0)) continue;
      add_face(in, tile, axis, at, k > 0 ? lo : -1, k < 8 ? hi : -1, d[-halo[axis]], d[0], at_lo, coef);
    }
}

// Coefficients, drain and right side of a general tile.
static void set_general(RvPressureWork* work, size_t wet) {
  const RvPressureIn* in = work->in;
  const RvMgLevel* level = &work->mg.level[0];
  size_t t = (size_t)work->tile[wet], slot = (size_t)level->slot[wet];
  Tile tile;
  // faces of the three axes
  memset(tile.b, 0, sizeof tile.b);
  memset(tile.drain, 0, sizeof tile.drain);
  rv_channel_gather1(in->tiles, in->distance, t, 1, tile.distance);
  add_faces(in, &tile, t, 0);
  add_faces(in, &tile, t, 1);
  add_faces(in, &tile, t, 2);
  // coefficients, and the right side of wet cells
  float* inverse = level->inverse + slot * RV_TILE_CELLS;
  memcpy(level->coef + slot * RV_MG_COEF, tile.coef, sizeof tile.coef);
  memcpy(level->drain + slot * RV_TILE_CELLS, tile.drain, sizeof tile.drain);
  rv_liquid_mg_invert(level, slot);
  for (int c = 0; c < RV_TILE_CELLS; ++c) {
    double source = in->divergence ? in->divergence[t * RV_TILE_CELLS + (size_t)c] * in->dx : 0;
    work->r[wet * RV_TILE_CELLS + (size_t)c] = inverse[c] > 0 ? (float)(tile.b[c] + source) : 0;
  }
}

// Right side of a plain tile: wanted less actual divergence.
static void set_plain(RvPressureWork* work, size_t wet) {
  const RvPressureIn* in = work->in;
  size_t t = (size_t)work->tile[wet];
  Sides s = sides_of(in->tiles, t);
  const float *u = in->velocity[0], *v = in->velocity[1], *w = in->velocity[2];
  size_t at = t * RV_TILE_CELLS;
  size_t px = (size_t)s.near[1] * RV_TILE_CELLS, py = (size_t)s.near[3] * RV_TILE_CELLS;
  size_t pz = (size_t)s.near[5] * RV_TILE_CELLS;
  for (int z = 0; z < 8; ++z)
    for (int y = 0; y < 8; ++y)
      for (int x = 0; x < 8; ++x) {
        size_t c = at + (size_t)rv_tile_cell(x, y, z);
        double up_u = u[x < 7 ? c + 1 : px + (size_t)rv_tile_cell(0, y, z)];
        double up_v = v[y < 7 ? c + 8 : py + (size_t)rv_tile_cell(x, 0, z)];
        double up_w = w[z < 7 ? c + 64 : pz + (size_t)rv_tile_cell(x, y, 0)];
        double out = ((up_u - u[c]) + (up_v - v[c])) + (up_w - w[c]);
        double source = in->divergence ? in->divergence[c] * in->dx : 0;
        work->r[wet * RV_TILE_CELLS + (size_t)rv_tile_cell(x, y, z)] = (float)(source - out);
      }
}

// First guess (warm start), and the largest speed of the liquid's faces in this tile.
static void set_guess(RvPressureWork* work, size_t wet) {
  const RvPressureIn* in = work->in;
  const RvMgLevel* level = &work->mg.level[0];
  const float* inverse = level->slot[wet] < 0 ? NULL : level->inverse + (size_t)level->slot[wet] * RV_TILE_CELLS;
  size_t t = (size_t)work->tile[wet];
  double scale = in->dt / (in->density * in->dx);
  double* x = work->x + wet * RV_TILE_CELLS;
  float speed = 0;
  for (int c = 0; c < RV_TILE_CELLS; ++c) {
    size_t at = t * RV_TILE_CELLS + (size_t)c;
    x[c] = in->warm && (!inverse || inverse[c] > 0) ? in->pressure[at] * scale : 0;
    if (in->distance[at] < 0)
      for (int axis = 0; axis < 3; ++axis) speed = fmaxf(speed, fabsf(in->velocity[axis][at]));
  }
  work->largest[wet] = speed;
}

// Sets up wet tiles. Returns the sum of squares of the right side.
static double set_tiles(void* arg, size_t begin, size_t end) {
  RvPressureWork* work = arg;
  double sum = 0;
  for (size_t wet = begin; wet < end; ++wet) {
    if (work->mg.level[0].slot[wet] < 0)
      set_plain(work, wet);
    else
      set_general(work, wet);
    set_guess(work, wet);
    const float* r = work->r + wet * RV_TILE_CELLS;
    for (int c = 0; c < RV_TILE_CELLS; ++c) sum += (double)r[c] * r[c];
  }
  return sum;
}

// Numbers the wet tiles and gives slots to those that need coefficients. False: out of memory.
static bool list_wet(RvPressureWork* work) {
  const RvTiles* tiles = work->in->tiles;
  RvMgLevel* level = &work->mg.level[0];
  for (size_t t = 0; t < tiles->count; ++t) level->count += work->wet[t] != DRY;
  level->coord = rv_arena_take(work->arena, level->count, sizeof *level->coord);
  level->near = rv_arena_take(work->arena, level->count, sizeof *level->near);
  level->slot = RV_TAKE(work->arena, int32_t, level->count);
  work->tile = RV_TAKE(work->arena, int32_t, level->count);
  if (!level->coord || !level->near || !level->slot || !work->tile) return false;
  // numbers and slots
  size_t n = 0;
  for (size_t t = 0; t < tiles->count; ++t) {
    if (work->wet[t] == DRY) {
      work->wet[t] = -1;
      continue;
    }
    level->slot[n] = work->wet[t] == PLAIN ? -1 : (int32_t)level->slots++;
    memcpy(level->coord[n], tiles->coord[t], sizeof *level->coord);
    work->tile[n] = (int32_t)t;
    work->wet[t] = (int32_t)n++;
  }
  // neighbours; absent and dry ones are number n
  for (size_t wet = 0; wet < n; ++wet) {
    Sides s = sides_of(tiles, (size_t)work->tile[wet]);
    for (int k = 0; k < 6; ++k) {
      int32_t other = s.near[k] < 0 ? -1 : work->wet[s.near[k]];
      level->near[wet][k] = other < 0 ? (int32_t)n : other;
    }
  }
  return true;
}

// Vectors of the finest level and of CG. False: out of memory.
static bool take_vectors(RvPressureWork* work) {
  RvMgLevel* level = &work->mg.level[0];
  // operator
  level->coef = RV_TAKE(work->arena, float, level->slots* RV_MG_COEF);
  level->drain = RV_TAKE(work->arena, float, level->slots* RV_TILE_CELLS);
  level->inverse = RV_TAKE(work->arena, float, level->slots* RV_TILE_CELLS);
  level->rows = RV_TAKE(work->arena, uint64_t, level->slots);
  // preconditioner and CG
  level->x = rv_liquid_mg_vector(level, work->arena);
  level->y = rv_liquid_mg_vector(level, work->arena);
  work->r = rv_liquid_mg_vector(level, work->arena);
  for (int k = 0; k < RV_MG_KEPT; ++k)
    if (!(work->p[k] = rv_liquid_mg_vector(level, work->arena))) return false;
  work->q = rv_liquid_mg_vector(level, work->arena);
  work->x = RV_TAKE(work->arena, double, (level->count + 1) * RV_TILE_CELLS);
  work->largest = RV_TAKE(work->arena, float, level->count);
  work->cross = RV_TAKE(work->arena, double, level->count);
  if (!level->coef || !level->drain || !level->inverse || !level->rows || !level->x || !level->y || !work->r ||
      !work->q || !work->x || !work->largest || !work->cross)
    return false;
  // CG's first direction adds beta = 0 times the last one, which must be finite
  memset(work->p[RV_MG_KEPT - 1], 0, level->count * RV_TILE_CELLS * sizeof(float));
  memset(work->x + level->count * RV_TILE_CELLS, 0, RV_TILE_CELLS * sizeof *work->x);
  return true;
}

// Number of dry cells in general tiles.
static double count_dry(void* arg, size_t begin, size_t end) {
  const RvMgLevel* level = arg;
  size_t dry = 0;
  for (size_t i = begin * RV_TILE_CELLS; i < end * RV_TILE_CELLS; ++i) dry += !(level->inverse[i] > 0);
  return (double)dry;
}

// Number of unknowns, and the largest speed.
static void count_cells(RvPressureWork* work) {
  RvMgLevel* level = &work->mg.level[0];
  work->cells = level->count * RV_TILE_CELLS - (size_t)rv_parallel_sum(level->slots, COUNT_GRAIN, count_dry, level);
  level->coupled = work->cells;
  for (size_t wet = 0; wet < level->count; ++wet) work->speed = fmax(work->speed, work->largest[wet]);
}

bool rv_liquid_pressure_set_up(RvPressureWork* work) {
  work->wet = RV_TAKE(work->arena, int32_t, work->in->tiles->count);
  if (!work->wet) return false;
  // tiles
  rv_parallel_for(work->in->tiles->count, RV_MG_GRAIN, classify_tiles, work);
  if (!list_wet(work) || !take_vectors(work)) return false;
  // operator and right side
  work->norm = sqrt(rv_parallel_sum(work->mg.level[0].count, RV_MG_GRAIN, set_tiles, work));
  count_cells(work);
  return true;
}
