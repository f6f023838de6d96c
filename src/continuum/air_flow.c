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

static void gather(const RvAir* a, size_t t, Room* room) {
  for (int z = -HALO; z < RV_TILE_SIDE + HALO; ++z)
    for (int y = -HALO; y < RV_TILE_SIDE + HALO; ++y)
      for (int x = -HALO; x < RV_TILE_SIDE + HALO; ++x) {
        int64_t at = rv_tiles_at(&a->hair.tiles, t, x, y, z);
        int to = room_at(x, y, z);
        for (int k = 0; k < 3; ++k) {
          double w = at < 0 ? 0 : a->w[k].data[at];
          room->w[k][to] = w;
          room->u[k][to] = w + a->def.wind[k] + (at >= 0 && a->gust[k].count ? a->gust[k].data[at] : 0);
        }
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

// Change of an a-face of the tile; counts what leaves the flow.
static double change(const Flow* f, const Room* room, size_t t, int a, const int x[3]) {
  const double mass = rv_air_face_mass(f->a);
  const bool blocked = f->a->blocked.data[t], edge = !f->a->inside.data[t];
  int at = room_at(x[0], x[1], x[2]);
  double sum = 0;
  for (int b = 0; b < 3; ++b) {
    double in = flux(room, a, b, at, f->step), out = flux(room, a, b, at + STEP[b], f->step);
    sum += out - in;
    // Beside a solid the flow is not free of divergence: nothing gathers there.
    if (blocked) {
      double gathered = room->w[a][at] * (through(room, a, b, at + STEP[b]) - through(room, a, b, at));
      sum -= gathered;
      f->lost[t][a] -= f->step * mass * gathered;
    }
    int y[3] = {x[0], x[1], x[2]};
    y[b]--;
    if ((edge || y[b] < 0) && !rv_air_acts(f->a, t, a, y[0], y[1], y[2])) f->lost[t][a] -= f->step * mass * in;
    y[b] += 2;
    if ((edge || y[b] > 7) && !rv_air_acts(f->a, t, a, y[0], y[1], y[2])) f->lost[t][a] += f->step * mass * out;
  }
  return -f->step * sum;
}

static void flow_tiles(void* arg, size_t begin, size_t end) {
  const Flow* f = arg;
  RvAir* a = f->a;
  Room room;
  for (size_t t = begin; t < end; ++t) {
    gather(a, t, &room);
    for (int k = 0; k < 3; ++k)
      for (int c = 0; c < RV_TILE_CELLS; ++c) {
        const int x[3] = {c & 7, c >> 3 & 7, c >> 6};
        double w = room.w[k][room_at(x[0], x[1], x[2])];
        if (rv_air_acts(a, t, k, x[0], x[1], x[2])) w += change(f, &room, t, k, x);
        a->spare[k].data[t * RV_TILE_CELLS + (size_t)c] = w;
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
