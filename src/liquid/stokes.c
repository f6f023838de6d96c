// Pressure and shear together (stokes.h): liquid fractions, outer iterations, and what comes out of them.
#include "liquid/stokes.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "liquid/pressure_work.h"
#include "liquid/straight.h"
#include "liquid/tension.h"
#include "liquid/viscosity_work.h"
#include "math/scalar.h"

enum { GRAIN = 4 };        // tiles a task
enum { MOST_OUTER = 60 };  // outer iterations
// Cells with a smaller fraction are dry: the pressure of a face between two of them would move it by 1 / fraction.
#define LEAST_PART 0.02f
static const double RESIDUAL_TOLERANCE = 2e-6;  // of the outer iterations
// A viscosity solve goes to a tenth of the last residual of the outer iterations, within these bounds: what it leaves
// is then small beside what the pressure still has to change. The last solve goes to RESIDUAL_TOLERANCE at least. All
// solves to 1e-7 took 2.5 times as many iterations of conjugate gradients, and as many outer ones. Liquids that thicken
// need exact solves: the first shares may else be thousands of times too large, and the iterations do not meet.
static const double SHEAR_PART = 0.1;
static const double FIRST_SHEAR_TOLERANCE = 1e-3;
static const double LAST_SHEAR_TOLERANCE = 1e-7;
static const double FIRST_TOLERANCE = 1e-4;     // of the pressure that the iterations begin with
static const double PRESSURE_TOLERANCE = 1e-3;  // of an increment; its bound of the divergence is absolute

// Steps of Anderson's acceleration that are kept.
enum { KEPT = 5 };
// Part of a correction that is taken: the free corners of the liquid answer up to three times as much as its inside.
static const double MIXING = 0.6;
static const double SINGULAR = 1e-10;  // relative pivot below which the kept steps are no longer independent

struct RvStokes {
  RvChannel part;       // cells: liquid fraction w
  RvChannel level;      // cells: below 0 where w counts
  RvChannel pressure;   // Pa, cells: P = w p
  RvChannel increment;  // Pa, cells: phi
  // faces
  RvChannel mobility[3], inertia[3];  // factors
  RvChannel start[3];                 // m/s: velocity with forces and drag
  RvChannel sheared[3];               // m/s: velocity of a viscosity solve, then the excess flux of its divergence
  RvChannel pushed[3];                // m/s: velocity with the pressure, before the shear
  // Pa, cells, of the outer iterations: the last correction, and the last changes of P and of the correction
  RvChannel correction, change_of_pressure[KEPT], change_of_correction[KEPT];
};

enum { CELL_CHANNELS = 5 + 2 * KEPT, FACE_CHANNELS = 15, CHANNELS = CELL_CHANNELS + FACE_CHANNELS };

static void list_channels(RvStokes* s, RvChannel* list[CHANNELS]) {
  RvChannel* cells[5] = {&s->part, &s->level, &s->pressure, &s->increment, &s->correction};
  RvChannel* faces[5] = {s->mobility, s->inertia, s->start, s->sheared, s->pushed};
  memcpy(list, cells, sizeof cells);
  for (int k = 0; k < KEPT; ++k) {
    list[5 + k] = &s->change_of_pressure[k];
    list[5 + KEPT + k] = &s->change_of_correction[k];
  }
  for (int k = 0; k < FACE_CHANNELS; ++k) list[CELL_CHANNELS + k] = &faces[k / 3][k % 3];
}

RvStokes* rv_liquid_stokes_new(void) {
  return rv_alloc_zero(1, sizeof(RvStokes));
}

void rv_liquid_stokes_free(RvStokes* s) {
  if (!s) return;
  RvChannel* list[CHANNELS];
  list_channels(s, list);
  for (int k = 0; k < CHANNELS; ++k) rv_channel_free(list[k]);
  rv_free(s);
}

size_t rv_liquid_stokes_bytes(const RvStokes* s) {
  return s ? CHANNELS * s->part.capacity * RV_TILE_CELLS * sizeof(float) : 0;
}

static bool fit(RvStokes* s, size_t tiles) {
  RvChannel* list[CHANNELS];
  list_channels(s, list);
  bool made = true;
  for (int k = 0; k < CHANNELS; ++k) made = made && rv_channel_fit(list[k], tiles);
  return made;
}

typedef struct Job {
  RvStokes* s;
  const RvStokesIn* in;
  RvPressureIn of_pressure;
  RvViscosityIn of_viscosity;
  double unit;             // m/s a Pa: velocity that a difference of pressure gives a full face
  double shear_tolerance;  // of the last viscosity solve
} Job;

static const int steps[3] = {1, RV_HALO1_SIDE, RV_HALO1_SIDE* RV_HALO1_SIDE};

//---------------------------------------------------------------------------------------------- liquid fractions

// Fractions of the cells, and the pressure's first guess.
static void weigh_cells(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  const RvLiquidGrid* g = job->in->grid;
  for (size_t at = begin * RV_TILE_CELLS; at < end * RV_TILE_CELLS; ++at) {
    float part = rv_liquid_viscosity_part(g->dx, g->distance.data[at]);
    bool wet = part >= LEAST_PART;
    job->s->part.data[at] = wet ? part : 0;
    job->s->level.data[at] = wet ? -part : 1;
    job->s->pressure.data[at] = wet && job->in->warm ? part * g->pressure.data[at] : 0;
  }
}

// Mobility and inertia of the faces, and their velocity with drag and tension.
static void weigh_faces(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  const RvLiquidGrid* g = job->in->grid;
  float part[RV_HALO1_CELLS], surface[RV_HALO1_CELLS];
  for (size_t t = begin; t < end; ++t) {
    rv_channel_gather1(&g->tiles, job->s->part.data, t, 0, part);
    if (job->in->tension > 0) rv_channel_gather1(&g->tiles, g->surface.data, t, 0, surface);
    for (int axis = 0; axis < 3; ++axis)
      for (int c = 0; c < RV_TILE_CELLS; ++c) {
        size_t at = t * RV_TILE_CELLS + (size_t)c;
        int hi = rv_halo1_at(c & 7, c >> 3 & 7, c >> 6), lo = hi - steps[axis];
        float mass = 0.5f * (part[lo] + part[hi]);
        // the drag's part of the scale, as there is no mobility yet
        RvPressureFace f = rv_liquid_pressure_face(&job->of_pressure, axis, at);
        float mobility = mass > 0 ? 1 / mass : 1;
        double velocity = f.velocity;
        // tension pulls towards the liquid: pressure at the surface times the gradient of the fraction
        if (job->in->tension > 0)
          velocity +=
              job->unit * (double)(f.scale * mobility * 0.5f * (surface[lo] + surface[hi]) * (part[hi] - part[lo]));
        job->s->mobility[axis].data[at] = mobility;
        job->s->inertia[axis].data[at] = 1 / f.scale;
        job->s->start[axis].data[at] = (float)velocity;
      }
  }
}

//---------------------------------------------------------------------------------------------- outer iterations

// Whether the pressure acts on the face below cell c of tile t.
static bool is_pressed(const Job* job, size_t t, int axis, const float* level, const int x[3], size_t at) {
  int hi = rv_halo1_at(x[0], x[1], x[2]), lo = hi - steps[axis];
  if (!(level[hi] < 0) && !(level[lo] < 0)) return false;
  if (x[axis] == 0 && job->in->grid->tiles.near[t][rv_tile_near(-(axis == 0), -(axis == 1), -(axis == 2))] < 0)
    return false;
  return !job->of_pressure.open[axis] || job->of_pressure.open[axis][at] > 0;
}

// velocity = start - gradient of P. Returns the sum of squares of the change, by mass.
static double push_tiles(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  const RvLiquidGrid* g = job->in->grid;
  float pressure[RV_HALO1_CELLS], level[RV_HALO1_CELLS];
  double sum = 0;
  for (size_t t = begin; t < end; ++t) {
    rv_channel_gather1(&g->tiles, job->s->pressure.data, t, 0, pressure);
    rv_channel_gather1(&g->tiles, job->s->level.data, t, 1, level);
    for (int axis = 0; axis < 3; ++axis)
      for (int c = 0; c < RV_TILE_CELLS; ++c) {
        const int x[3] = {c & 7, c >> 3 & 7, c >> 6};
        size_t at = t * RV_TILE_CELLS + (size_t)c;
        float* u = &job->s->pushed[axis].data[at];
        *u = job->s->start[axis].data[at];
        if (!is_pressed(job, t, axis, level, x, at)) continue;
        int hi = rv_halo1_at(x[0], x[1], x[2]);
        RvPressureFace f = rv_liquid_pressure_face(&job->of_pressure, axis, at);
        double change = job->unit * (double)f.scale * ((double)pressure[hi] - (double)pressure[hi - steps[axis]]);
        *u = (float)((double)*u - change);
        sum += change * change / (double)f.scale;
      }
  }
  return sum;
}

// sheared becomes the flux that the pressure took away. Returns the sum of squares of its velocity, by mass.
static double take_flux(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  const RvLiquidGrid* g = job->in->grid;
  float level[RV_HALO1_CELLS];
  double sum = 0;
  for (size_t t = begin; t < end; ++t) {
    rv_channel_gather1(&g->tiles, job->s->level.data, t, 1, level);
    for (int axis = 0; axis < 3; ++axis)
      for (int c = 0; c < RV_TILE_CELLS; ++c) {
        const int x[3] = {c & 7, c >> 3 & 7, c >> 6};
        size_t at = t * RV_TILE_CELLS + (size_t)c;
        float* flux = &job->s->sheared[axis].data[at];
        bool pressed = is_pressed(job, t, axis, level, x, at);
        RvPressureFace f = rv_liquid_pressure_face(&job->of_pressure, axis, at);
        double change = pressed ? (double)*flux - (double)g->velocity[axis].data[at] : 0;
        *flux = (float)(change * (double)(f.open * f.share));
        sum += change * change / (double)f.scale;
      }
  }
  return sum;
}

// increment = phi - 2 w viscosity excess.
static void correct_tiles(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  const RvLiquidGrid* g = job->in->grid;
  float flux[3][RV_HALO1_CELLS];
  for (size_t t = begin; t < end; ++t) {
    for (int axis = 0; axis < 3; ++axis) rv_channel_gather1(&g->tiles, job->s->sheared[axis].data, t, 0, flux[axis]);
    for (int c = 0; c < RV_TILE_CELLS; ++c) {
      size_t at = t * RV_TILE_CELLS + (size_t)c;
      if (!(job->s->level.data[at] < 0)) {
        job->s->increment.data[at] = 0;
        continue;
      }
      int here = rv_halo1_at(c & 7, c >> 3 & 7, c >> 6);
      double excess = 0;
      for (int axis = 0; axis < 3; ++axis) excess += (double)flux[axis][here + steps[axis]] - (double)flux[axis][here];
      double viscosity =
          job->of_viscosity.viscosity * (job->of_viscosity.field ? (double)job->of_viscosity.field[at] : 1);
      double more = 2 * (double)job->s->part.data[at] * viscosity * excess / g->dx;
      job->s->increment.data[at] = (float)((double)job->s->increment.data[at] - more);
    }
  }
}

static void add_increment(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  for (size_t at = begin * RV_TILE_CELLS; at < end * RV_TILE_CELLS; ++at)
    job->s->pressure.data[at] += job->s->increment.data[at];
}

// The grid's pressure p = P / w.
static void store_pressure(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  for (size_t at = begin * RV_TILE_CELLS; at < end * RV_TILE_CELLS; ++at) {
    float part = job->s->part.data[at];
    job->in->grid->pressure.data[at] = part > 0 ? job->s->pressure.data[at] / part : 0;
  }
}

//---------------------------------------------------------------------------------------------- acceleration

typedef struct Mix {
  const float *a, *b;  // factors of a product
  RvStokes* s;
  int kept, slot;  // steps in use, and the one that is written
  double weight[KEPT];
} Mix;

static double dot_tiles(void* arg, size_t begin, size_t end) {
  const Mix* m = arg;
  double sum = 0;
  for (size_t at = begin * RV_TILE_CELLS; at < end * RV_TILE_CELLS; ++at) sum += (double)m->a[at] * (double)m->b[at];
  return sum;
}

static double dot(size_t tiles, const float* a, const float* b) {
  Mix m = {.a = a, .b = b};
  return rv_parallel_sum(tiles, GRAIN, dot_tiles, &m);
}

// Change of the correction since the last iteration, into the slot; the correction is the new one.
static void note_tiles(void* arg, size_t begin, size_t end) {
  const Mix* m = arg;
  float *last = m->s->correction.data, *change = m->s->change_of_correction[m->slot].data;
  const float* now = m->s->increment.data;
  for (size_t at = begin * RV_TILE_CELLS; at < end * RV_TILE_CELLS; ++at) {
    change[at] = now[at] - last[at];
    last[at] = now[at];
  }
}

// P += step, with the step into the slot.
static void mix_tiles(void* arg, size_t begin, size_t end) {
  const Mix* m = arg;
  RvStokes* s = m->s;
  for (size_t at = begin * RV_TILE_CELLS; at < end * RV_TILE_CELLS; ++at) {
    double step = MIXING * (double)s->correction.data[at];
    for (int k = 0; k < m->kept; ++k)
      step -= m->weight[k] *
              ((double)s->change_of_pressure[k].data[at] + MIXING * (double)s->change_of_correction[k].data[at]);
    s->change_of_pressure[m->slot].data[at] = (float)step;
    s->pressure.data[at] = (float)((double)s->pressure.data[at] + step);
  }
}

// Solves gram w = right by Cholesky; false if it is singular to rounding.
static bool solve_small(int n, double gram[KEPT][KEPT], double w[KEPT]) {
  for (int i = 0; i < n; ++i) {
    double diagonal = gram[i][i];
    for (int j = 0; j <= i; ++j) {
      double sum = gram[i][j];
      for (int k = 0; k < j; ++k) sum -= gram[i][k] * gram[j][k];
      if (j == i) {
        if (!(sum > SINGULAR * diagonal)) return false;
        gram[i][i] = sqrt(sum);
      } else {
        gram[i][j] = sum / gram[j][j];
      }
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) w[i] -= gram[i][k] * w[k];
    w[i] /= gram[i][i];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) w[i] -= gram[k][i] * w[k];
    w[i] /= gram[i][i];
  }
  return true;
}

// The next P (Anderson 1965): of the last steps those weights that make the correction smallest.
static void accelerate(RvStokes* s, size_t tiles, int iteration) {
  Mix m = {.s = s};
  // the change of the correction belongs to the last step of P
  m.slot = (iteration + KEPT - 1) % KEPT;
  rv_parallel_for(tiles, GRAIN, note_tiles, &m);
  m.kept = iteration < KEPT ? iteration : KEPT;
  double gram[KEPT][KEPT];
  for (int i = 0; i < m.kept; ++i) {
    for (int j = 0; j <= i; ++j)
      gram[i][j] = gram[j][i] = dot(tiles, s->change_of_correction[i].data, s->change_of_correction[j].data);
    m.weight[i] = dot(tiles, s->change_of_correction[i].data, s->correction.data);
  }
  if (!solve_small(m.kept, gram, m.weight)) m.kept = 0;
  m.slot = iteration % KEPT;
  rv_parallel_for(tiles, GRAIN, mix_tiles, &m);
}

static double push(Job* job) {
  return rv_parallel_sum(job->in->grid->tiles.count, GRAIN, push_tiles, job);
}

static void copy_velocity(const Job* job, RvChannel* const from, RvChannel* to) {
  size_t bytes = job->in->grid->tiles.count * RV_TILE_CELLS * sizeof(float);
  for (int axis = 0; axis < 3; ++axis) memcpy(to[axis].data, from[axis].data, bytes);
}

// The pressure that the iterations begin with: that of the last substep, else that of a liquid without shear. From here
// on velocities are the flow's own at the place (straight.h), except in pressure solves.
static RvResult begin_pressure(Job* job, RvStokesReport* report, RvError* error) {
  RvLiquidGrid* g = job->in->grid;
  copy_velocity(job, job->s->start, g->velocity);
  rv_liquid_turn(g, -1);
  copy_velocity(job, g->velocity, job->s->start);
  push(job);
  copy_velocity(job, job->s->pushed, g->velocity);
  if (job->in->warm) return RV_OK;
  rv_liquid_turn(g, 1);
  RvPressureOptions options = {.tolerance = FIRST_TOLERANCE, .divergence = -1};
  RvResult result = rv_liquid_pressure_solve(job->in->pressure, &job->of_pressure, &options, &report->pressure, error);
  rv_liquid_turn(g, -1);
  if (!result) rv_parallel_for(g->tiles.count, GRAIN, add_increment, job);
  return result;
}

static double shear_tolerance(const Job* job, const RvStokesReport* report) {
  if (job->in->shear && rv_liquid_shear_thickens(job->in->shear)) return LAST_SHEAR_TOLERANCE;
  if (report->outer == 0) return FIRST_SHEAR_TOLERANCE;
  return rv_clamp(SHEAR_PART * report->residual, LAST_SHEAR_TOLERANCE, FIRST_SHEAR_TOLERANCE);
}

// One outer iteration: shares, shear, pressure.
static RvResult iterate(Job* job, RvStokesReport* report, double* share_change, RvError* error) {
  RvLiquidGrid* g = job->in->grid;
  size_t tiles = g->tiles.count;
  double impulse = push(job);
  // shear
  *share_change = job->in->shear ? rv_liquid_shear_share(job->in->shear, &job->of_viscosity, job->in->dt) : 0;
  RvViscosityReport shear;
  job->shear_tolerance = shear_tolerance(job, report);
  RvResult result =
      rv_liquid_viscosity_solve(job->in->viscosity, &job->of_viscosity, job->shear_tolerance, 0, &shear, error);
  report->iterations += shear.iterations;
  if (result) return result;
  // pressure
  rv_liquid_turn(g, 1);
  copy_velocity(job, g->velocity, job->s->sheared);
  RvPressureOptions options = {.tolerance = PRESSURE_TOLERANCE};
  result = rv_liquid_pressure_solve(job->in->pressure, &job->of_pressure, &options, &report->pressure, error);
  if (result) return result;
  double off = rv_parallel_sum(tiles, GRAIN, take_flux, job);
  rv_liquid_turn(g, -1);
  report->residual = impulse > 0 ? sqrt(off / impulse) : 0;
  rv_parallel_for(tiles, GRAIN, correct_tiles, job);
  accelerate(job->s, tiles, report->outer);
  return RV_OK;
}

static void set_inputs(Job* job) {
  const RvStokesIn* in = job->in;
  job->of_pressure = rv_liquid_pressure_of_grid(in->grid, in->solids, in->of_viscosity.density, in->dt);
  job->unit = in->dt / (in->of_viscosity.density * in->grid->dx);
  job->of_viscosity = in->of_viscosity;
  for (int axis = 0; axis < 3; ++axis) {
    job->of_viscosity.inertia[axis] = job->s->inertia[axis].data;
    job->of_viscosity.before[axis] = job->s->pushed[axis].data;
  }
}

RvResult rv_liquid_stokes_solve(RvStokes* s, const RvStokesIn* in, RvStokesReport* report, RvError* error) {
  size_t tiles = in->grid->tiles.count;
  *report = (RvStokesReport){0};
  if (!fit(s, tiles))
    return rv_fail(error, RV_NO_MEMORY, "no memory for the shear of %zu tiles of liquid; use a larger particlesep",
                   tiles);
  Job job = {.s = s, .in = in};
  set_inputs(&job);
  // fractions, then what they make of the pressure solve
  rv_parallel_for(tiles, GRAIN, weigh_cells, &job);
  rv_parallel_for(tiles, GRAIN, weigh_faces, &job);
  job.of_pressure.pressure = s->increment.data;
  job.of_pressure.distance = s->level.data;
  job.of_pressure.dry_centres = true;
  job.of_pressure.drag_done = true;
  for (int axis = 0; axis < 3; ++axis) job.of_pressure.mobility[axis] = s->mobility[axis].data;
  RvResult result = begin_pressure(&job, report, error);
  if (!result && in->shear) result = rv_liquid_shear_begin(in->shear, &job.of_viscosity, in->dt, error);
  // outer iterations
  while (!result && !report->converged && report->outer < MOST_OUTER) {
    double share_change = 0;
    result = iterate(&job, report, &share_change, error);
    report->outer++;
    report->converged = report->residual <= RESIDUAL_TOLERANCE && job.shear_tolerance <= RESIDUAL_TOLERANCE &&
                        share_change < RV_SHEAR_TOLERANCE;
  }
  rv_liquid_turn(in->grid, 1);
  rv_parallel_for(tiles, GRAIN, store_pressure, &job);
  return result;
}
