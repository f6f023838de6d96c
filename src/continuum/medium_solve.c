// Cells with pressure, and the sweeps that find it.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "continuum/medium.h"
#include "continuum/wet.h"

enum { CELLS_A_TASK = 512 };
// Sweeps between two looks at the residual.
enum { SWEEPS_A_LOOK = 4 };

//---------------------------------------------------------------------------------------------- cells

// The nodes of the cell (x, y, z) of a tile; false: one of them has no mass, or its tile does not exist.
static bool corners(const RvMedium* m, size_t tile, int x, int y, int z, int32_t corner[8]) {
  for (int n = 0; n < 8; ++n) {
    int64_t at = rv_tiles_at(&m->tiles, tile, x + (n & 1), y + (n >> 1 & 1), z + (n >> 2));
    if (at < 0 || !(m->nodes.data[at].mass > 0)) return false;
    corner[n] = (int32_t)at;
  }
  return true;
}

// Density of the hair in a cell, without its water, and the rest density that its wetness gives.
static void set_density(const RvMedium* m, double mass, RvMediumFull* cell) {
  const RvMediumLaw* law = &m->def.law;
  const double volume = m->def.smoothing * m->def.smoothing * m->def.smoothing;
  double water = 0;
  cell->rest = law->rest_density;
  if (m->water.count) {
    for (int n = 0; n < 8; ++n) water += m->water.data[cell->corner[n]];
    double wetness = rv_wetness(water / (mass - water));
    cell->rest += m->def.collapse * wetness * (law->packing_density - law->rest_density);
  }
  cell->density = 0.125 * (mass - water) / volume;
}

// Counts the cells of a tile by colour, or adds them at `at` where that is not NULL.
static void visit_tile(RvMedium* m, size_t tile, size_t count[RV_MEDIUM_COLOURS], size_t* at) {
  for (int c = 0; c < RV_TILE_CELLS; ++c) {
    RvMediumFull cell = {0};
    int x = c & 7, y = c >> 3 & 7, z = c >> 6, colour = (x & 1) | (y & 1) << 1 | (z & 1) << 2;
    if (!(m->nodes.data[tile * RV_TILE_CELLS + (size_t)c].mass > 0) || !corners(m, tile, x, y, z, cell.corner))
      continue;
    count[colour]++;
    if (!at) continue;
    double mass = 0, inverse = 0;
    for (int n = 0; n < 8; ++n) {
      mass += m->nodes.data[cell.corner[n]].mass;
      inverse += m->nodes.data[cell.corner[n]].inverse;
    }
    set_density(m, mass, &cell);
    // 3/16 dx sum 1/m, to be multiplied by dt^2: divergence of the velocities that a pascal gives the nodes
    cell.give = 0.1875 * m->def.smoothing * inverse;
    m->largest_density = fmax(m->largest_density, cell.density);
    m->cells.data[at[colour]++] = cell;
  }
}

RvResult rv_medium_make_cells(RvMedium* m, RvError* error) {
  size_t count[RV_MEDIUM_COLOURS] = {0}, at[RV_MEDIUM_COLOURS], total = 0;
  if (m->tiles.count > INT32_MAX / RV_TILE_CELLS)
    return rv_fail(error, RV_LIMIT, "the hair medium has %zu tiles; raise smoothing", m->tiles.count);
  for (size_t t = 0; t < m->tiles.count; ++t) visit_tile(m, t, count, NULL);
  for (int k = 0; k < RV_MEDIUM_COLOURS; ++k) {
    at[k] = m->cell_colour[k] = total;
    total += count[k];
  }
  m->cell_colour[RV_MEDIUM_COLOURS] = total;
  if (!rv_array_resize(&m->cells, total) || !rv_array_resize(&m->changes, total / CELLS_A_TASK + 1))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the hair medium");
  m->largest_density = 0;
  for (size_t t = 0; t < m->tiles.count; ++t) visit_tile(m, t, count, at);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- sweeps

typedef struct Sweep {
  RvMedium* m;
  double dt;
  double divergence;  // dt / (4 dx): relative change of density by the sum of the corners' outward velocities
  double push;        // dt dx^2 / 4: impulse of a pascal on a corner, along each axis
  size_t first;       // cells of this colour begin here
  double* change;     // [tasks of the colour] largest change of a pressure
} Sweep;

// Solves one cell for its pressure and gives its nodes the velocity of the change. Returns the change.
static double solve_cell(const Sweep* s, RvMediumFull* cell) {
  static const double sign[2] = {-1, 1};
  RvMediumNode* nodes = s->m->nodes.data;
  double spread = 0;
  for (int n = 0; n < 8; ++n) {
    const double* v = nodes[cell->corner[n]].v;
    spread += sign[n & 1] * v[0] + sign[n >> 1 & 1] * v[1] + sign[n >> 2] * v[2];
  }
  double give = cell->give * s->dt * s->dt;
  const RvMediumCell own = {.density = cell->density,
                            .ratio = 1 - s->divergence * spread + give * cell->pressure,
                            .give = give,
                            .friction = cell->density * s->m->def.friction * s->m->def.smoothing / s->dt};
  RvMediumLaw law = s->m->def.law;
  law.rest_density = cell->rest;
  double pressure = rv_medium_cell_pressure(&law, &own), change = pressure - cell->pressure;
  if (change == 0) return 0;
  cell->pressure = pressure;
  for (int n = 0; n < 8; ++n) {
    RvMediumNode* node = &nodes[cell->corner[n]];
    double kick = change * s->push * node->inverse;
    node->v[0] += sign[n & 1] * kick;
    node->v[1] += sign[n >> 1 & 1] * kick;
    node->v[2] += sign[n >> 2] * kick;
  }
  return fabs(change);
}

static void sweep_cells(void* arg, size_t begin, size_t end) {
  const Sweep* s = arg;
  double worst = 0;
  for (size_t k = begin; k < end; ++k) worst = fmax(worst, solve_cell(s, &s->m->cells.data[s->first + k]));
  s->change[begin / CELLS_A_TASK] = worst;
}

// One sweep over all colours; returns the largest change.
static double sweep(Sweep* s) {
  double worst = 0;
  for (int colour = 0; colour < RV_MEDIUM_COLOURS; ++colour) {
    s->first = s->m->cell_colour[colour];
    size_t count = s->m->cell_colour[colour + 1] - s->first;
    rv_parallel_for(count, CELLS_A_TASK, sweep_cells, s);
    for (size_t k = 0; k < (count + CELLS_A_TASK - 1) / CELLS_A_TASK; ++k) worst = fmax(worst, s->change[k]);
  }
  return worst;
}

static double largest_pressure(const RvMedium* m) {
  double largest = 0;
  for (size_t k = 0; k < m->cells.count; ++k) largest = fmax(largest, m->cells.data[k].pressure);
  return largest;
}

// Sweeps from the pressures as they are.
static void relax(RvMedium* m, double dt) {
  const double dx = m->def.smoothing;
  m->sweeps = 0;
  m->residual = 0;
  m->largest_pressure = 0;
  if (m->cells.count == 0) return;
  Sweep s = {.m = m, .dt = dt, .divergence = dt / (4 * dx), .push = 0.25 * dt * dx * dx, .change = m->changes.data};
  do {
    double change = 0;
    for (int k = 0; k < SWEEPS_A_LOOK; ++k, ++m->sweeps) change = sweep(&s);
    m->largest_pressure = largest_pressure(m);
    m->residual = m->largest_pressure > 0 ? change / m->largest_pressure : 0;
  } while (m->residual > m->def.tolerance && m->sweeps < m->def.max_sweeps);
}

void rv_medium_solve(RvMedium* m, double dt) {
  for (size_t k = 0; k < m->cells.count; ++k) m->cells.data[k].pressure = 0;
  m->corrected = false;
  relax(m, dt);
}

void rv_medium_correct(RvMedium* m, const RvChainModel* model, const double* v, double dt) {
  rv_medium_scatter(m, model->mass, v);
  rv_medium_begin_nodes(m);
  m->corrected = true;
  relax(m, dt);
}
