// Checks of the liquid's whole substep in tanks: column at rest, sloshing, collapse of a dam (WH-36, WH-43).
#include <math.h>

#include "check/check.h"
#include "math/scalar.h"
#include "rig/liquid.h"

static const double G = 9.81;
enum { TOP = 1 << 3 };  // bit of RvSolidShape's open_sides: the tanks are open above

// Advances by dt, with as many substeps as are needed.
static RvResult advance(RvLiquidRig* rig, double dt, RvError* error) {
  return rv_liquid_advance(&rig->liquid, dt, 1, 1000, error);
}

typedef struct Speeds {
  double rms, largest;  // m/s
} Speeds;

// Rms and largest speed of the particles.
static Speeds speeds_of(const RvLiquidRig* rig) {
  const RvParticles* p = &rig->liquid.particles;
  Speeds s = {0, 0};
  for (size_t i = 0; i < p->count; ++i) {
    double v2 = 0;
    for (int a = 0; a < 3; ++a) v2 += (double)p->v[a][i] * p->v[a][i];
    s.rms += v2;
    s.largest = fmax(s.largest, v2);
  }
  return (Speeds){sqrt(s.rms / (double)p->count), sqrt(s.largest)};
}

//---------------------------------------------------------------------------------------------- at rest

// Largest relative error of the pressure against density g depth, deeper than two cells below the surface.
static double pressure_error(const RvLiquidRig* rig, double surface) {
  const RvLiquidGrid* g = &rig->liquid.grid;
  double worst = 0;
  for (size_t t = 0; t < g->tiles.count; ++t)
    for (int i = 0; i < RV_TILE_CELLS; ++i) {
      if (!(g->distance.data[t * RV_TILE_CELLS + (size_t)i] < 0)) continue;
      double depth = surface - (rv_liquid_corner(g, t, 1, i / RV_TILE_SIDE % RV_TILE_SIDE) + 0.5 * g->dx);
      if (depth < 2 * g->dx) continue;
      double expected = rig->liquid.model.density * G * depth;
      worst = fmax(worst, fabs(g->pressure.data[t * RV_TILE_CELLS + (size_t)i] / expected - 1));
    }
  return worst;
}

// A column at rest for a second. Its surface at `top` may lie within a cell, and the particles may be jittered.
static RvResult check_rest(const RvCheckOut* out, double top, double jitter, const char* const names[4],
                           RvError* error) {
  RvLiquidRig rig;
  const double dx = 1.0 / 32;
  const double lo[3] = {0, 0, 0}, hi[3] = {0.5, 1, 0.5};
  const double full[3] = {0.5, top, 0.5};
  RvLiquidModel model = rv_liquid_model_default(dx);
  RvResult result = rv_rig_liquid_new(&rig, &model, error);
  if (result) return result;
  rv_rig_liquid_tank(&rig, lo, hi, TOP);
  result = rv_rig_liquid_fill(&rig, lo, full, jitter, error);
  for (int step = 0; step < 48 && !result; ++step) result = advance(&rig, 1.0 / 48, error);
  if (!result) {
    Speeds s = speeds_of(&rig);
    // The surface's place within its cell at two cells of depth; particles in float against the drift correction.
    rv_check_emit(out, names[0], pressure_error(&rig, top), 0, 0.01);
    rv_check_emit(out, names[1], s.rms, 0, 1e-3);
    rv_check_emit(out, names[2], s.largest, 0, 1e-2);
    rv_check_emit(out, names[3], rig.liquid.report.pressure.worst, 0, 1e-6);
  }
  rv_rig_liquid_free(&rig);
  return result;
}

// A surface at a cell's face, within a cell, and jittered particles.
RvResult rv_check_column(const RvCheckOut* out, RvError* error) {
  static const char* const even[] = {"pressure", "speed_rms", "speed_max", "divergence"};
  static const char* const odd[] = {"half_cell_pressure", "half_cell_speed_rms", "half_cell_speed_max",
                                    "half_cell_divergence"};
  static const char* const rough[] = {"jittered_pressure", "jittered_speed_rms", "jittered_speed_max",
                                      "jittered_divergence"};
  RvResult result = check_rest(out, 0.75, 0, even, error);
  if (!result) result = check_rest(out, 47.0 / 64, 0, odd, error);
  return result ? result : check_rest(out, 0.75, 0.5, rough, error);
}

//---------------------------------------------------------------------------------------------- sloshing

typedef struct Wave {
  double length, depth, height;  // of the tank; of the liquid; amplitude; m
} Wave;

// Removes particles above the wave: those of volume 0 leave with the next sort.
static void cut_wave(RvLiquidRig* rig, const Wave* w) {
  for (size_t i = 0; i < rig->liquid.particles.count; ++i) {
    RvVec3 x = rv_rig_liquid_at(rig, i);
    if (x.y > w->depth + w->height * cos(RV_PI * x.x / w->length)) rig->liquid.particles.volume[i] = 0;
  }
}

// Period from the first and last zero crossings about the mean, which are half periods apart.
static double period_of(const double* x, int count, double dt, double mean) {
  double first = 0, last = 0;
  int crossings = 0;
  for (int i = 1; i < count; ++i) {
    double a = x[i - 1] - mean, b = x[i] - mean;
    if (a * b >= 0 || a == 0) continue;
    last = dt * (i - 1 + a / (a - b));
    if (crossings++ == 0) first = last;
  }
  return crossings > 1 ? 2 * (last - first) / (crossings - 1) : 0;
}

// Period of the centre of mass over four seconds.
RvResult rv_check_slosh(const RvCheckOut* out, RvError* error) {
  enum { STEPS = 192 };
  RvLiquidRig rig;
  const Wave wave = {1, 0.5, 0.04};
  const double dx = 1.0 / 40;
  const double lo[3] = {0, 0, 0};
  const double hi[3] = {1, 1, 4 * dx};
  const double top[3] = {1, 0.6, 4 * dx};
  RvLiquidModel model = rv_liquid_model_default(dx);
  double x[STEPS];
  double k = RV_PI / wave.length;
  double expected = 2 * RV_PI / sqrt(G * k * tanh(k * wave.depth));
  RvResult result = rv_rig_liquid_new(&rig, &model, error);
  if (result) return result;
  // The wave is cut out of a block; it starts at rest at its largest amplitude.
  rv_rig_liquid_tank(&rig, lo, hi, TOP);
  result = rv_rig_liquid_fill(&rig, lo, top, 0, error);
  if (!result) cut_wave(&rig, &wave);
  for (int i = 0; i < STEPS && !result; ++i) {
    x[i] = rv_rig_liquid_sums(&rig, rv_vec3(0, 0, 0)).center.x;
    result = advance(&rig, 1.0 / 48, error);
  }
  // 0.3% from the amplitude, below 1% from 40 cells.
  if (!result) rv_check_emit(out, "period", period_of(x, STEPS, 1.0 / 48, 0.5) / expected, 1, 0.02);
  rv_rig_liquid_free(&rig);
  return result;
}

//---------------------------------------------------------------------------------------------- a dam breaks

// Martin and Moyce 1952, tables 2 and 6, n^2 = 2, a = 0.05715 m: front / a over t sqrt(n^2 g / a), and height / (n^2 a)
// over t sqrt(g / a). (Scaled with n^2 as well, the column would fall faster than freely.)
static const double front_of[][2] = {{0.41, 1.11}, {0.84, 1.22}, {1.19, 1.44}, {1.43, 1.67}, {1.63, 1.89},
                                     {1.83, 2.11}, {1.98, 2.33}, {2.20, 2.56}, {2.32, 2.78}, {2.51, 3.00},
                                     {2.65, 3.22}, {2.83, 3.44}, {2.98, 3.67}, {3.11, 3.89}, {3.33, 4.11}};
static const double height_of[][2] = {{0.56, 0.94}, {0.77, 0.89}, {0.93, 0.83}, {1.08, 0.78}, {1.28, 0.72},
                                      {1.46, 0.67}, {1.66, 0.61}, {1.84, 0.56}, {2.00, 0.50}, {2.21, 0.44},
                                      {2.45, 0.39}, {2.70, 0.33}, {3.06, 0.28}};

enum { DAM_STEPS = 160 };
// The simulated front and height over time, in the units of the front's table.
typedef struct Dam {
  double T[DAM_STEPS], front[DAM_STEPS], height[DAM_STEPS];
} Dam;

// Linear interpolation of y over T.
static double at(const double* T, const double* y, double t) {
  int i = 0;
  while (i + 2 < DAM_STEPS && T[i + 1] < t) ++i;
  double s = (t - T[i]) / (T[i + 1] - T[i]);
  return y[i] + s * (y[i + 1] - y[i]);
}

// Length of a filled row of cells, in cells: up to the last that is half full, plus the share of the next, at most
// half.
static double reach_of(const double* volume, int count, double cell) {
  int last = -1;
  for (int i = 0; i + 1 < count; ++i)
    if (volume[i] > 0.5 * cell) last = i;
  return last + 1 + fmin(volume[last + 1] / cell, 0.5);
}

// Position of the front on the floor and height at the wall, m, by the volume in cells, so that single drops and the
// thin layer that stays on the wall do not count.
static void measure_dam(const RvLiquidRig* rig, double wide, double* front, double* height) {
  enum { MAX_CELLS = 512 };
  const RvLiquid* l = &rig->liquid;
  const RvParticles* p = &l->particles;
  double dx = l->model.dx;
  double floor_of[MAX_CELLS] = {0}, wall_of[MAX_CELLS] = {0};
  for (size_t i = 0; i < p->count; ++i) {
    double cell[3];
    rv_liquid_particles_place(p, i, cell);
    if (cell[1] < 1 && cell[0] >= 0 && cell[0] < MAX_CELLS) floor_of[(int)cell[0]] += p->volume[i];
    if (cell[0] < 2 && cell[1] >= 0 && cell[1] < MAX_CELLS) wall_of[(int)cell[1]] += p->volume[i];
  }
  *front = dx * reach_of(floor_of, MAX_CELLS, dx * dx * wide);
  *height = dx * reach_of(wall_of, MAX_CELLS, 2 * dx * dx * wide);
}

typedef struct Fit {
  double shift, error;
} Fit;

// The time shift of 0 to 0.3 that minimises the largest error. Errors are relative to `part`, or to each value if it is
// 0.
static Fit fit(const double (*table)[2], int count, double unit, const double* T, const double* y, double part) {
  Fit best = {0, INFINITY};
  for (int k = 0; k <= 60; ++k) {
    double shift = 0.005 * k, worst = 0;
    for (int i = 0; i < count; ++i)
      worst = fmax(worst, fabs(at(T, y, unit * table[i][0] - shift) - table[i][1]) / (part > 0 ? part : table[i][1]));
    if (worst < best.error) best = (Fit){shift, worst};
  }
  return best;
}

// 16 cells a width, 4 cells deep in z.
RvResult rv_check_dam(const RvCheckOut* out, RvError* error) {
  const double a = 0.05715;
  const double dx = a / 16;
  const double wide = 4 * dx;
  const double lo[3] = {0, 0, 0};
  const double hi[3] = {8 * a, 4 * a, wide};
  const double full[3] = {a, 2 * a, wide};
  RvLiquidRig rig;
  RvLiquidModel model = rv_liquid_model_default(dx);
  static Dam dam;
  RvResult result = rv_rig_liquid_new(&rig, &model, error);
  if (result) return result;
  rv_rig_liquid_tank(&rig, lo, hi, TOP);
  result = rv_rig_liquid_fill(&rig, lo, full, 0, error);
  const double unit = sqrt(a / (2 * G)), step = 4.4 * unit / DAM_STEPS;
  for (int i = 0; i < DAM_STEPS && !result; ++i) {
    dam.T[i] = i * step / unit;
    measure_dam(&rig, wide, &dam.front[i], &dam.height[i]);
    dam.front[i] /= a;
    dam.height[i] /= 2 * a;
    result = advance(&rig, step, error);
  }
  rv_rig_liquid_free(&rig);
  if (result) return result;
  // The tables are two experiments, each with its own gate. The first reading of the front falls into the gate's
  // opening and is left out.
  Fit front = fit(front_of + 1, 14, 1, dam.T, dam.front, 0), height = fit(height_of, 13, sqrt(2), dam.T, dam.height, 1);
  rv_check_emit(out, "front_shift", front.shift, 0.15, 0.15);
  rv_check_emit(out, "front", front.error, 0, 0.05);
  rv_check_emit(out, "height_shift", height.shift, 0.15, 0.15);
  rv_check_emit(out, "height", height.error, 0, 0.05);
  return RV_OK;
}
