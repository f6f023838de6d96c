// The deviation from the wind is carried along by the air (air.h, step 1).
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "continuum/air.h"

// Cells that the air may go in a cycle, summed over the axes: upwind fluxes are stable up to 1.
static const double COURANT = 0.8;
enum { MOST_CYCLES = 256 };
enum { HALO = 2, SIDE = RV_TILE_SIDE + 2 * HALO, ROOM = SIDE * SIDE * SIDE };

typedef struct Flow {
  RvAir* a;
  double step;        // dt / dx of a cycle, s/m
  double (*lost)[3];  // [tiles] kg m/s that left through open sides
} Flow;

// A tile with its halo.
typedef struct Room {
  double w[3][ROOM];  // m/s: deviation
  double u[3][ROOM];  // m/s: velocity of the air
} Room;

static int room_at(int x, int y, int z) {
  return ((z + HALO) * SIDE + y + HALO) * SIDE + x + HALO;
}
static const int STEP[3] = {1, SIDE, SIDE * SIDE};

// Cells [from, to) of a row of the room, all in one tile.
static void gather_row(const RvAir* a, int32_t tile, Room* room, int from, int to, int y, int z) {
  const size_t first = (size_t)(tile < 0 ? 0 : tile) * RV_TILE_CELLS + (size_t)rv_tile_cell(from & 7, y & 7, z & 7);
  for (int k = 0; k < 3; ++k) {
    double *w = &room->w[k][room_at(from, y, z)], *u = &room->u[k][room_at(from, y, z)];
    for (int x = 0; x < to - from; ++x) {
      w[x] = tile < 0 ? 0 : a->w[k].data[first + (size_t)x];
      u[x] = w[x] + a->def.wind[k] + (tile >= 0 && a->gust[k].count ? a->gust[k].data[first + (size_t)x] : 0);
    }
  }
}

static void gather(const RvAir* a, size_t t, Room* room) {
  for (int z = -HALO; z < RV_TILE_SIDE + HALO; ++z)
    for (int y = -HALO; y < RV_TILE_SIDE + HALO; ++y) {
      const int32_t* near = &a->hair.tiles.near[t][rv_tile_near(-1, y >> 3, z >> 3)];
      gather_row(a, near[0], room, -HALO, 0, y, z);
      gather_row(a, near[1], room, 0, RV_TILE_SIDE, y, z);
      gather_row(a, near[2], room, RV_TILE_SIDE, RV_TILE_SIDE + HALO, y, z);
    }
}

// Van Leer's slope between the differences to both sides.
static double slope(double below, double above) {
  double product = below * above;
  return product > 0 ? 2 * product / (below + above) : 0;
}

// Velocity through the lower side, along b, of the volume of an a-face.
static double through(const Room* room, int a, int b, int at) {
  return a == b ? 0.5 * (room->u[a][at] + room->u[a][at - STEP[a]])
                : 0.5 * (room->u[b][at] + room->u[b][at - STEP[a]]);
}

// What goes through that side: velocity times the upwind value at the middle of the cycle.
static double flux(const Room* room, int a, int b, int at, double step) {
  const double* w = room->w[a];
  double u = through(room, a, b, at), between = w[at] - w[at - STEP[b]], rest = 0.5 * (1 - fabs(u) * step);
  if (u > 0) return u * (w[at - STEP[b]] + rest * slope(w[at - STEP[b]] - w[at - 2 * STEP[b]], between));
  return u * (w[at] - rest * slope(between, w[at + STEP[b]] - w[at]));
}

// Fluxes through the lower sides of the volumes of a tile's a-faces along one axis, and through the upper ones of the
// last.
typedef struct Sides {
  double n[RV_TILE_SIDE + 1][RV_TILE_SIDE + 1][RV_TILE_SIDE + 1];
} Sides;

static void set_sides(const Room* room, int a, int b, double step, Sides* out) {
  for (int z = 0; z < RV_TILE_SIDE + (b == 2); ++z)
    for (int y = 0; y < RV_TILE_SIDE + (b == 1); ++y)
      for (int x = 0; x < RV_TILE_SIDE + (b == 0); ++x) out->n[z][y][x] = flux(room, a, b, room_at(x, y, z), step);
}

// What leaves the flow through the sides of an a-face's volume along b.
static double leaving(const RvAir* air, size_t t, int a, int b, const int x[3], double in, double out) {
  double sum = 0;
  int y[3] = {x[0], x[1], x[2]};
  y[b]--;
  if (!rv_air_acts(air, t, a, y[0], y[1], y[2])) sum -= in;
  y[b] += 2;
  if (!rv_air_acts(air, t, a, y[0], y[1], y[2])) sum += out;
  return sum;
}

// Carries the a-faces of a tile along an axis; counts what leaves the flow.
static void carry(const Flow* f, const Room* room, const Sides* sides, size_t t, int a, int b) {
  RvAir* air = f->a;
  const bool blocked = air->blocked.data[t], edge = !air->inside.data[t];
  const int planes = rv_air_planes(air, t, a);
  const double mass = rv_air_face_mass(air);
  for (int c = 0; c < RV_TILE_CELLS; ++c) {
    const int x[3] = {c & 7, c >> 3 & 7, c >> 6};
    if (x[a] >= planes) continue;
    double in = sides->n[x[2]][x[1]][x[0]], out = sides->n[x[2] + (b == 2)][x[1] + (b == 1)][x[0] + (b == 0)];
    double sum = out - in;
    // Beside a solid the flow is not free of divergence: nothing gathers there.
    if (blocked) {
      int at = room_at(x[0], x[1], x[2]);
      double gathered = room->w[a][at] * (through(room, a, b, at + STEP[b]) - through(room, a, b, at));
      sum -= gathered;
      f->lost[t][a] -= f->step * mass * gathered;
    }
    if (edge || x[b] == 0 || x[b] == RV_TILE_SIDE - 1)
      f->lost[t][a] += f->step * mass * leaving(air, t, a, b, x, in, out);
    air->spare[a].data[t * RV_TILE_CELLS + (size_t)c] -= f->step * sum;
  }
}

static void flow_tiles(void* arg, size_t begin, size_t end) {
  const Flow* f = arg;
  RvAir* air = f->a;
  Room room;
  Sides sides;
  for (size_t t = begin; t < end; ++t) {
    bool gathered = false;
    for (int a = 0; a < 3; ++a) {
      memcpy(air->spare[a].data + t * RV_TILE_CELLS, air->w[a].data + t * RV_TILE_CELLS,
             RV_TILE_CELLS * sizeof(double));
      if (!rv_air_planes(air, t, a)) continue;
      if (!gathered) gather(air, t, &room);
      gathered = true;
      for (int b = 0; b < 3; ++b) {
        set_sides(&room, a, b, f->step, &sides);
        carry(f, &room, &sides, t, a, b);
      }
    }
  }
}

// Sum over the axes of the largest speeds.
static double fastest(const RvAir* a) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    double most = fabs(a->def.wind[k]);
    for (size_t i = 0; i < a->w[k].count; ++i)
      most = fmax(most, fabs(a->def.wind[k] + a->w[k].data[i] + (a->gust[k].count ? a->gust[k].data[i] : 0)));
    sum += most;
  }
  return sum;
}

RvResult rv_air_flow(RvAir* a, double dt, RvError* error) {
  double cycles = ceil(fastest(a) * dt / (COURANT * a->def.dx));
  if (!(cycles <= MOST_CYCLES))
    return rv_fail(error, RV_LIMIT,
                   "the air goes %g cells of %g m in a step; raise airsize or substeps, or lower the wind",
                   COURANT * cycles, a->def.dx);
  a->cycles = (int)cycles;
  if (a->cycles == 0) return RV_OK;
  Flow f = {a, dt / (a->def.dx * cycles), rv_alloc_zero(a->hair.tiles.count + 1, sizeof *f.lost)};
  if (!f.lost) return rv_fail(error, RV_NO_MEMORY, "out of memory for the air around the hair");
  for (int cycle = 0; cycle < a->cycles; ++cycle) {
    rv_parallel_for(a->hair.tiles.count, 1, flow_tiles, &f);
    for (int k = 0; k < 3; ++k) {
      RvAirFaces swap = a->w[k];
      a->w[k] = a->spare[k];
      a->spare[k] = swap;
    }
  }
  for (size_t t = 0; t < a->hair.tiles.count; ++t)
    for (int k = 0; k < 3; ++k) a->lost[k] += f.lost[t][k];
  rv_free(f.lost);
  return RV_OK;
}
