// Memory, tiles and pressure of the air around hair (air.h).
#include "continuum/air.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"

enum { TILES_A_TASK = 4, MOST_REACH = RV_TILE_SIDE };
// Share of a cell that air keeps at least, as for liquid between hairs (spec 1.2.10, clamp of the volume fraction).
static const double LEAST_SHARE = 0.6;
// Residual of the pressure at which a substep ends, over that of no pressure. What is left is taken up by the next.
static const double TOLERANCE = 1e-4;
static const double DIVERGENCE = 1e-3;  // of RvPressureOptions

//---------------------------------------------------------------------------------------------- memory

void rv_air_free(RvAir* a) {
  rv_medium_free(&a->hair);
  rv_tiles_free(&a->tiles_before);
  rv_liquid_pressure_free(a->solver);
  rv_array_free(&a->inside);
  rv_array_free(&a->blocked);
  rv_array_free(&a->corner);
  rv_array_free(&a->distance);
  rv_array_free(&a->divergence);
  rv_array_free(&a->pressure);
  rv_array_free(&a->points);
  for (int k = 0; k < 3; ++k) {
    rv_array_free(&a->w[k]);
    rv_array_free(&a->spare[k]);
    rv_array_free(&a->gust[k]);
    rv_array_free(&a->drag[k]);
    rv_array_free(&a->pull[k]);
    rv_array_free(&a->fibre[k]);
    rv_array_free(&a->velocity[k]);
    rv_array_free(&a->open[k]);
    rv_array_free(&a->solid[k]);
    rv_array_free(&a->share[k]);
    rv_array_free(&a->rate[k]);
    rv_array_free(&a->target[k]);
  }
  *a = (RvAir){0};
}

static RvResult no_memory(RvError* error) {
  return rv_fail(error, RV_NO_MEMORY, "out of memory for the air around the hair");
}

// Room over the tiles of this substep.
static bool fit(RvAir* a) {
  size_t tiles = a->hair.tiles.count, n = tiles * RV_TILE_CELLS, gusts = a->def.gusts ? n : 0;
  bool solid = a->def.ncollider > 0;
  bool done = rv_array_resize(&a->inside, tiles) && rv_array_resize(&a->blocked, tiles) &&
              rv_array_resize(&a->corner, solid ? n : 0) && rv_array_resize(&a->distance, n) &&
              rv_array_resize(&a->divergence, n) && rv_array_resize(&a->pressure, n);
  for (int k = 0; k < 3 && done; ++k)
    done = rv_array_resize(&a->spare[k], n) && rv_array_resize(&a->gust[k], gusts) &&
           rv_array_resize(&a->drag[k], n) && rv_array_resize(&a->pull[k], n) && rv_array_resize(&a->fibre[k], n) &&
           rv_array_resize(&a->velocity[k], n) && rv_array_resize(&a->open[k], solid ? n : 0) &&
           rv_array_resize(&a->solid[k], solid ? n : 0) && rv_array_resize(&a->share[k], n) &&
           rv_array_resize(&a->rate[k], n) && rv_array_resize(&a->target[k], n);
  return done;
}

//---------------------------------------------------------------------------------------------- tiles

bool rv_air_acts(const RvAir* a, size_t tile, int axis, int x, int y, int z) {
  const RvTiles* tiles = &a->hair.tiles;
  int32_t own = tiles->near[tile][rv_tile_near(x >> 3, y >> 3, z >> 3)];
  if (own < 0) return false;
  if (a->inside.data[own]) return true;
  int c[3] = {x & 7, y & 7, z & 7};
  if (c[axis] > 0) return false;
  int32_t below = tiles->near[own][rv_tile_near(-(axis == 0), -(axis == 1), -(axis == 2))];
  return below >= 0 && a->inside.data[below];
}

int rv_air_planes(const RvAir* a, size_t tile, int axis) {
  if (a->inside.data[tile]) return RV_TILE_SIDE;
  int32_t below = a->hair.tiles.near[tile][rv_tile_near(-(axis == 0), -(axis == 1), -(axis == 2))];
  return below >= 0 && a->inside.data[below];
}

static void mark_inside(RvAir* a) {
  for (size_t t = 0; t < a->hair.tiles.count; ++t) {
    a->inside.data[t] = 1;
    for (int n = 0; n < RV_TILE_NEAR; ++n) a->inside.data[t] &= a->hair.tiles.near[t][n] >= 0;
  }
}

// Counts the momentum of a tile as lost.
static void lose(RvAir* a, const double* const w[3], size_t tile) {
  for (int k = 0; k < 3; ++k)
    for (size_t i = 0; i < RV_TILE_CELLS; ++i)
      a->lost[k] += rv_air_face_mass(a) * w[k][tile * RV_TILE_CELLS + i];
}

// w of the tiles before on the tiles now, where it is 0 on faces that do not act.
static bool remap(RvAir* a) {
  const RvTiles *from = &a->tiles_before, *to = &a->hair.tiles;
  size_t n = to->count * RV_TILE_CELLS;
  const double* const before[3] = {a->w[0].data, a->w[1].data, a->w[2].data};
  for (size_t t = 0; t < from->count; ++t)
    if (rv_tiles_find(to, from->coord[t][0], from->coord[t][1], from->coord[t][2]) < 0) lose(a, before, t);
  for (int k = 0; k < 3; ++k) {
    double* out = a->spare[k].data;
    // without hair there are no tiles, and nothing to clear
    if (n) memset(out, 0, n * sizeof *out);
    for (size_t t = 0; t < to->count; ++t) {
      int32_t old = rv_tiles_find(from, to->coord[t][0], to->coord[t][1], to->coord[t][2]);
      if (old < 0) continue;
      const double* in = before[k] + (size_t)old * RV_TILE_CELLS;
      const int planes = rv_air_planes(a, t, k);
      for (int c = 0; c < RV_TILE_CELLS; ++c) {
        if ((c >> 3 * k & 7) < planes)
          out[t * RV_TILE_CELLS + (size_t)c] = in[c];
        else
          a->lost[k] += rv_air_face_mass(a) * in[c];
      }
    }
    RvAirFaces swap = a->w[k];
    a->w[k] = a->spare[k];
    a->spare[k] = swap;
    if (!rv_array_resize(&a->spare[k], n)) return false;
  }
  return true;
}

// Points, tiles, and w on them.
static RvResult place(RvAir* a, const RvAirHair* hair, RvError* error) {
  RvTiles swap = a->tiles_before;
  a->tiles_before = a->hair.tiles;
  a->hair.tiles = swap;
  a->hair.def = (RvMediumDef){.smoothing = a->def.dx, .reach = a->def.reach, .border = true, .parts = 1};
  RvResult result = rv_medium_make_points(&a->hair, hair->model, hair->x, error);
  if (result) return result;
  if (a->def.most_tiles > 0 && a->hair.tiles.count > a->def.most_tiles)
    return rv_fail(error, RV_LIMIT,
                   "the air around the hair has %zu tiles of %g m, more than maxmemory allows (%zu); raise airsize or "
                   "maxmemory",
                   a->hair.tiles.count, RV_TILE_SIDE * a->def.dx, a->def.most_tiles);
  if (!fit(a)) return no_memory(error);
  mark_inside(a);
  return remap(a) ? RV_OK : no_memory(error);
}

//---------------------------------------------------------------------------------------------- gusts

typedef struct Gusts {
  RvAir* a;
  RvResult* result;  // [tiles]
} Gusts;

static void gust_tiles(void* arg, size_t begin, size_t end) {
  const Gusts* g = arg;
  RvAir* a = g->a;
  for (size_t t = begin; t < end; ++t)
    for (int axis = 0; axis < 3 && !g->result[t]; ++axis) {
      double origin[3];
      for (int k = 0; k < 3; ++k)
        origin[k] = a->def.dx * (RV_TILE_SIDE * a->hair.tiles.coord[t][k] + (k == axis ? 0 : 0.5));
      g->result[t] =
          a->def.gusts(a->def.gusts_user, origin, a->def.dx, axis, a->gust[axis].data + t * RV_TILE_CELLS);
    }
}

static RvResult set_gusts(RvAir* a, RvError* error) {
  if (!a->def.gusts) return RV_OK;
  RvResult* results = rv_alloc_zero(a->hair.tiles.count + 1, sizeof *results);
  if (!results) return no_memory(error);
  Gusts g = {a, results};
  rv_parallel_for(a->hair.tiles.count, 1, gust_tiles, &g);
  RvResult result = RV_OK;
  for (size_t t = 0; t < a->hair.tiles.count && !result; ++t) result = results[t];
  rv_free(results);
  if (result == RV_NO_MEMORY) return rv_fail(error, result, "out of memory for the wind around the hair");
  return result ? rv_fail(error, result, "the wind around the hair could not be sampled") : RV_OK;
}

// The wind at a face.
static double wind_at(const RvAir* a, int axis, size_t at) {
  return a->def.wind[axis] + (a->gust[axis].count ? a->gust[axis].data[at] : 0);
}

//---------------------------------------------------------------------------------------------- pressure

static bool is_open(const RvAir* a, int axis, int64_t at) {
  return !a->open[axis].count || at < 0 || a->open[axis].data[at] >= 1;
}

// Sum of the wind's flux out of a cell, over dx: the wind's own divergence on the grid, which hair does not change. A
// cell that a solid cuts has none, since little of it is open.
static double wind_divergence(const RvAir* a, size_t t, int c) {
  double sum = 0;
  if (!a->gust[0].count) return 0;
  for (int axis = 0; axis < 3; ++axis) {
    int x[3] = {c & 7, c >> 3 & 7, c >> 6};
    x[axis]++;
    int64_t own = (int64_t)t * RV_TILE_CELLS + c, above = rv_tiles_at(&a->hair.tiles, t, x[0], x[1], x[2]);
    if (!is_open(a, axis, own) || !is_open(a, axis, above)) return 0;
    sum += (above < 0 ? 0 : a->gust[axis].data[above]) - a->gust[axis].data[own];
  }
  return sum / a->def.dx;
}

// Channels of the pressure solve in a range of tiles.
static void set_channels(void* arg, size_t begin, size_t end) {
  RvAir* a = arg;
  const double volume = a->def.dx * a->def.dx * a->def.dx;
  for (size_t t = begin; t < end; ++t)
    for (int c = 0; c < RV_TILE_CELLS; ++c) {
      size_t at = t * RV_TILE_CELLS + (size_t)c;
      a->distance.data[at] = (float)(a->inside.data[t] ? -a->def.dx : a->def.dx);
      a->divergence.data[at] = a->inside.data[t] ? (float)wind_divergence(a, t, c) : 0;
      for (int k = 0; k < 3; ++k) {
        double wind = wind_at(a, k, at), drag = a->drag[k].data[at];
        double share = fmax(1 - a->fibre[k].data[at] / volume, LEAST_SHARE);
        a->velocity[k].data[at] = (float)(wind + a->w[k].data[at]);
        a->target[k].data[at] = (float)(wind + (drag > 0 ? a->pull[k].data[at] / drag : 0));
        a->share[k].data[at] = (float)share;
        // the air of a face has the inertia of a full one, the solver's that of the share
        a->rate[k].data[at] = (float)(share * drag / volume);
      }
    }
}

// Whether a face is closed by a solid.
static bool is_closed(const RvAir* a, int axis, size_t at) {
  return a->open[axis].count && !(a->open[axis].data[at] > 0);
}

typedef struct Push {
  RvAir* a;
  double dt;
  double (*taken)[3];  // [tiles] kg m/s that solids took
} Push;

// w with the pressure, and the share g of the drag that strands feel in place of the drag.
static void push_tiles(void* arg, size_t begin, size_t end) {
  const Push* p = arg;
  RvAir* a = p->a;
  const double mass = rv_air_face_mass(a), push = p->dt / (a->def.density * a->def.dx);
  for (size_t t = begin; t < end; ++t)
    for (int k = 0; k < 3; ++k) {
      const int planes = rv_air_planes(a, t, k);
      for (int c = 0; c < RV_TILE_CELLS; ++c) {
        size_t at = t * RV_TILE_CELLS + (size_t)c;
        double *w = &a->w[k].data[at], *drag = &a->drag[k].data[at];
        *drag = mass / (mass + p->dt * *drag);
        int x[3] = {c & 7, c >> 3 & 7, c >> 6};
        if (x[k] >= planes) continue;
        x[k]--;
        int64_t below = rv_tiles_at(&a->hair.tiles, t, x[0], x[1], x[2]);
        double low = below < 0 ? 0 : a->pressure.data[below], high = a->pressure.data[at], before = *w;
        *w -= push * (high - low);
        if (!is_closed(a, k, at)) continue;
        *w = (double)a->solid[k].data[at] - wind_at(a, k, at);
        *drag = 0;
        p->taken[t][k] += mass * (before - push * (high - low) - *w);
      }
    }
}

static RvResult push(RvAir* a, double dt, RvError* error) {
  Push p = {a, dt, rv_alloc_zero(a->hair.tiles.count + 1, sizeof *p.taken)};
  if (!p.taken) return no_memory(error);
  rv_parallel_for(a->hair.tiles.count, TILES_A_TASK, push_tiles, &p);
  for (size_t t = 0; t < a->hair.tiles.count; ++t)
    for (int k = 0; k < 3; ++k) a->lost[k] += p.taken[t][k];
  rv_free(p.taken);
  return RV_OK;
}

// The pressure is single precision, but it acts in double: what one face gains its neighbour loses.
static RvResult solve(RvAir* a, double dt, RvError* error) {
  if (!a->solver) a->solver = rv_liquid_pressure_new();
  if (!a->solver) return no_memory(error);
  rv_parallel_for(a->hair.tiles.count, TILES_A_TASK, set_channels, a);
  RvPressureIn in = {.tiles = &a->hair.tiles,
                     .dx = a->def.dx,
                     .dt = dt,
                     .density = a->def.density,
                     .distance = a->distance.data,
                     .dry_centres = true,
                     .divergence = a->divergence.data,
                     .pressure = a->pressure.data};
  for (int k = 0; k < 3; ++k) {
    in.velocity[k] = a->velocity[k].data;
    in.open[k] = a->open[k].count ? a->open[k].data : NULL;
    in.solid[k] = a->solid[k].count ? a->solid[k].data : NULL;
    in.share[k] = a->share[k].data;
    in.fibre[k] = a->target[k].data;
    in.drag[k] = a->rate[k].data;
    in.drag_target[k] = a->target[k].data;
  }
  const RvPressureOptions options = {.tolerance = TOLERANCE, .divergence = DIVERGENCE};
  RvPressureReport report;
  RvResult result = rv_liquid_pressure_solve(a->solver, &in, &options, &report, error);
  a->iterations = report.iterations;
  a->residual = report.residual;
  return result ? result : push(a, dt, error);
}

//---------------------------------------------------------------------------------------------- substep

static RvResult check(const RvAirDef* d, RvError* error) {
  if (!(d->dx > 0) || !isfinite(d->dx)) return rv_fail(error, RV_BAD_INPUT, "airsize is %g; it must be above 0", d->dx);
  if (!(d->density > 0) || !isfinite(d->density))
    return rv_fail(error, RV_BAD_INPUT, "airdensity is %g; it must be above 0", d->density);
  if (d->reach < 1 || d->reach > MOST_REACH)
    return rv_fail(error, RV_BAD_INPUT, "airreach is %d; it must be from 1 to %d", d->reach, MOST_REACH);
  return RV_OK;
}

// Cells of another size begin as the wind.
static void forget(RvAir* a) {
  rv_tiles_free(&a->hair.tiles);
  for (int k = 0; k < 3; ++k) a->w[k].count = 0;
}

RvResult rv_air_begin(RvAir* a, const RvAirDef* def, const RvAirHair* hair, double dt, double implicitness,
                      double* force, double* torque, double* line_mass, RvError* error) {
  RvResult result = check(def, error);
  if (result) return result;
  if (a->size != def->dx) forget(a);
  a->def = *def;
  a->size = def->dx;
  result = place(a, hair, error);
  if (!result) result = set_gusts(a, error);
  if (!result) result = rv_air_block(a, dt, error);
  if (!result) result = rv_air_flow(a, dt, error);
  if (!result) result = rv_air_sum_hair(a, hair, error);
  if (!result) result = solve(a, dt, error);
  if (!result) rv_air_load_hair(a, hair, dt, implicitness, force, torque, line_mass);
  return result;
}

void rv_air_end(RvAir* a, const RvAirHair* hair, const double* v, double dt) {
  rv_air_pay_back(a, hair, v, dt);
  a->fastest = 0;
  for (int k = 0; k < 3; ++k)
    for (size_t i = 0; i < a->w[k].count; ++i) a->fastest = fmax(a->fastest, fabs(a->w[k].data[i]));
}

//---------------------------------------------------------------------------------------------- report and state

void rv_air_momentum(const RvAir* a, double sum[3]) {
  for (int k = 0; k < 3; ++k) {
    sum[k] = 0;
    for (size_t i = 0; i < a->w[k].count; ++i) sum[k] += rv_air_face_mass(a) * a->w[k].data[i];
  }
}

void rv_air_at(const RvAir* a, const double x[3], double w[3]) {
  for (int axis = 0; axis < 3; ++axis) {
    int32_t cell[3];
    double f[3];
    w[axis] = 0;
    for (int c = 0; c < 3; ++c) {
      double at = x[c] / a->def.dx - (c == axis ? 0 : 0.5), whole = floor(at);
      if (!(fabs(whole) < (double)RV_TILE_RANGE * (RV_TILE_SIDE - 1))) return;
      cell[c] = (int32_t)whole;
      f[c] = at - whole;
    }
    for (int n = 0; n < 8; ++n) {
      int64_t at = rv_tiles_locate(&a->hair.tiles, cell[0] + (n & 1), cell[1] + (n >> 1 & 1), cell[2] + (n >> 2));
      double weight = (n & 1 ? f[0] : 1 - f[0]) * (n & 2 ? f[1] : 1 - f[1]) * (n & 4 ? f[2] : 1 - f[2]);
      if (at >= 0) w[axis] += weight * a->w[axis].data[at];
    }
  }
}

size_t rv_air_state_tiles(const RvAir* a) {
  return a->w[0].count / RV_TILE_CELLS;
}

void rv_air_save(const RvAir* a, double* coords, double* w) {
  for (size_t t = 0; t < rv_air_state_tiles(a); ++t)
    for (size_t k = 0; k < 3; ++k) {
      coords[3 * t + k] = a->hair.tiles.coord[t][k];
      memcpy(w + (3 * t + k) * RV_TILE_CELLS, a->w[k].data + t * RV_TILE_CELLS, RV_TILE_CELLS * sizeof *w);
    }
}

RvResult rv_air_load(RvAir* a, double dx, const double* coords, const double* w, size_t count, RvError* error) {
  uint64_t* keys = rv_alloc(count + 1, sizeof *keys);
  if (!keys) return no_memory(error);
  for (size_t t = 0; t < count; ++t) {
    const double* c = coords + 3 * t;
    bool fine = true;
    for (int k = 0; k < 3; ++k) fine = fine && c[k] >= -RV_TILE_RANGE && c[k] < RV_TILE_RANGE && c[k] == floor(c[k]);
    if (!fine) {
      rv_free(keys);
      return rv_fail(error, RV_BAD_INPUT, "the state of the air names tiles that cannot be: reset the simulation");
    }
    keys[t] = rv_tile_key((int32_t)c[0], (int32_t)c[1], (int32_t)c[2]);
  }
  RvResult result = rv_tiles_build(&a->hair.tiles, keys, count, error);
  rv_free(keys);
  a->size = dx;
  size_t n = a->hair.tiles.count * RV_TILE_CELLS;
  for (int k = 0; k < 3 && !result; ++k) {
    if (!rv_array_resize(&a->w[k], n)) return no_memory(error);
    memset(a->w[k].data, 0, n * sizeof *a->w[k].data);
  }
  for (size_t t = 0; t < count && !result; ++t) {
    const double* c = coords + 3 * t;
    size_t at = (size_t)rv_tiles_find(&a->hair.tiles, (int32_t)c[0], (int32_t)c[1], (int32_t)c[2]) * RV_TILE_CELLS;
    for (size_t i = 0; i < 3 * RV_TILE_CELLS; ++i) {
      double value = w[3 * t * RV_TILE_CELLS + i];
      if (!isfinite(value)) return rv_fail(error, RV_BAD_INPUT, "the state of the air is no number: reset the simulation");
      a->w[i / RV_TILE_CELLS].data[at + i % RV_TILE_CELLS] = value;
    }
  }
  return result;
}
