// Checks of the liquid's whole step: still_liquid, blob, slosh, dam, liquid_volume (WH-36, WH-43, WH-46).
#include <math.h>

#include "cli/check_list.h"
#include "cli/liquid_rig.h"
#include "math/scalar.h"

#define G 9.81

static RvResult step_for(RvLiquidRig* rig, double longest, double* dt, RvError* error) {
  *dt = fmin(rv_liquid_longest(&rig->liquid), longest);
  return rv_liquid_substep(&rig->liquid, *dt, &rig->hooks, error);
}

//---------------------------------------------------------------------------------------------- still liquid

RvResult rv_check_still_liquid(const RvCheckOut* out, RvError* error) {
  // 24 x 20 x 16 cells of 1 cm, 12 deep
  const double dx = 0.01, low[3] = {0, 0, 0}, high[3] = {0.24, 0.2, 0.16}, top[3] = {0.24, 0.12, 0.16};
  RvLiquidRig rig;
  RvLiquidModel model = rv_liquid_model_default(dx);
  RvResult result = rv_liquid_rig_new(&rig, &model, error);
  rv_liquid_rig_tank(&rig, low, high, 8);
  if (!result) result = rv_liquid_rig_fill(&rig, low, top, 0, error);
  double dt, off = 0, sum = 0, most = 0;
  for (double t = 0; t < 1 && !result; t += dt) result = step_for(&rig, 1.0 / 48, &dt, error);
  const RvLiquidGrid* g = &rig.liquid.grid;
  for (int j = 0; j < 12 && !result; ++j) {
    int64_t at = rv_tiles_locate(&g->tiles, 11, j, 7);
    double expected = 1000 * G * (0.12 - dx * (j + 0.5));
    if (at >= 0) off = fmax(off, fabs((double)g->pressure.data[at] / expected - 1));
  }
  const RvParticles* p = &rig.liquid.particles;
  for (size_t i = 0; i < p->count; ++i) {
    double square = 0;
    for (int a = 0; a < 3; ++a) square += (double)p->v[a][i] * (double)p->v[a][i];
    sum += square;
    most = fmax(most, sqrt(square));
  }
  if (!result) {
    rv_check_emit(out, "pressure", off, 0, 0.01);
    rv_check_emit(out, "speed_rms", sqrt(sum / (double)p->count), 0, 1e-3);
    rv_check_emit(out, "speed_most", most, 0, 1e-2);
    rv_check_emit(out, "divergence", rig.liquid.report.pressure.worst, 0, 1e-6);
  }
  rv_liquid_rig_free(&rig);
  return result;
}

//---------------------------------------------------------------------------------------------- blob

RvResult rv_check_blob(const RvCheckOut* out, RvError* error) {
  // spinning and pulled apart, far from everything
  const double dx = 0.01, low[3] = {0, 0, 0}, high[3] = {0.16, 0.1, 0.12};
  RvLiquidRig rig;
  RvLiquidModel model = rv_liquid_model_default(dx);
  for (int a = 0; a < 3; ++a) model.gravity[a] = 0;
  RvResult result = rv_liquid_rig_new(&rig, &model, error);
  if (!result) result = rv_liquid_rig_fill(&rig, low, high, 0.6, error);
  RvParticles* p = &rig.liquid.particles;
  for (size_t i = 0; !result && i < p->count; ++i) {
    RvVec3 x = rv_sub(rv_liquid_rig_at(&rig, i), rv_vec3(0.08, 0.05, 0.06));
    RvVec3 v = rv_add(rv_vec3(0.5, -0.2, 0.3), rv_cross(rv_vec3(2, 6, -3), x));
    v = rv_add(v, rv_vec3(3 * x.x, -3 * x.y, 0));
    p->v[0][i] = (float)v.x, p->v[1][i] = (float)v.y, p->v[2][i] = (float)v.z;
  }
  RvVec3 zero = {0, 0, 0};
  RvLiquidSums before = rv_liquid_rig_sums(&rig, zero);
  double dt, time = 0;
  while (time < 0.5 && !result) result = step_for(&rig, 1.0 / 96, &dt, error), time += dt;
  RvLiquidSums after = rv_liquid_rig_sums(&rig, zero);
  RvVec3 way = rv_mad(rv_sub(after.center, before.center), -time / (before.volume * 1000), before.linear);
  if (!result) {
    rv_check_emit(out, "linear_momentum", rv_distance(after.linear, before.linear) / rv_length(before.linear), 0, 1e-3);
    rv_check_emit(out, "center", rv_length(way) / (rv_length(before.linear) * time / (before.volume * 1000)), 0, 0.036);
    rv_check_emit(out, "volume", after.volume / before.volume - 1, 0, 1e-12);
  }
  rv_liquid_rig_free(&rig);
  return result;
}

//---------------------------------------------------------------------------------------------- sloshing

// a tank a metre long and four cells wide, its level a cosine of that amplitude
static RvResult make_wave(RvLiquidRig* rig, int cells, double depth, double amplitude, RvError* error) {
  double dx = 1.0 / cells, low[3] = {0, 0, 0}, high[3] = {1, 2, 4 * dx}, top[3] = {1, depth, 4 * dx};
  RvLiquidModel model = rv_liquid_model_default(dx);
  RvResult result = rv_liquid_rig_new(rig, &model, error);
  rv_liquid_rig_tank(rig, low, high, 8);
  if (!result) result = rv_liquid_rig_fill(rig, low, top, 0, error);
  if (result) return result;
  // each column is stretched, and its particles with it
  RvParticles flat = rig->liquid.particles;
  rig->liquid.particles = (RvParticles){0};
  for (size_t i = 0; i < flat.count && !result; ++i) {
    double cell[3], s;
    rv_particles_place(&flat, i, cell);
    s = 1 + amplitude / depth * cos(RV_PI * cell[0] * dx);
    cell[1] *= s;
    size_t at = rv_particles_add(&rig->liquid.particles, cell);
    if (at == SIZE_MAX) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
    if (result) break;
    rig->liquid.particles.volume[at] = flat.volume[i] * s;
    rig->liquid.particles.id[at] = flat.id[i];
  }
  rv_particles_free(&flat);
  return result;
}

RvResult rv_check_slosh(const RvCheckOut* out, RvError* error) {
  RvLiquidRig rig;
  RvResult result = make_wave(&rig, 24, 0.5, 0.02, error);
  double dt, before = 0, first = 0, last = 0;
  int crossings = 0;
  for (double t = 0; t < 3.2 && !result; t += dt) {
    result = step_for(&rig, 1.0 / 96, &dt, error);
    double x = rv_liquid_rig_sums(&rig, rv_vec3(0, 0, 0)).center.x - 0.5;
    if (before * x < 0) {
      last = t + dt - dt * x / (x - before);
      if (!crossings++) first = last;
    }
    before = x;
  }
  double period = crossings > 1 ? 2 * (last - first) / (crossings - 1) : 0;
  double e = exp(2 * RV_PI * 0.5), tanh_kh = (e - 1) / (e + 1);
  if (!result) rv_check_emit(out, "period", period * sqrt(G * RV_PI * tanh_kh) / (2 * RV_PI), 1, 0.02);
  rv_liquid_rig_free(&rig);
  return result;
}

//---------------------------------------------------------------------------------------------- volume

// volume of the cells by where the surface cuts them
static double occupied(const RvLiquidGrid* g) {
  double sum = 0;
  for (size_t i = 0; i < g->tiles.count * RV_TILE_CELLS; ++i)
    if (g->fill.data[i] > 0) sum += rv_clamp(0.5 - (double)g->distance.data[i] / g->dx, 0, 1);
  return sum * g->dx * g->dx * g->dx;
}

RvResult rv_check_liquid_volume(const RvCheckOut* out, RvError* error) {
  RvLiquidRig rig;
  RvResult result = make_wave(&rig, 16, 0.5, 0.12, error);
  double volume = rv_particles_volume(&rig.liquid.particles), dt, early = 0, late = 0;
  int nearly = 0, nlate = 0;
  for (double t = 0; t < 20 && !result; t += dt) {
    result = step_for(&rig, 1.0 / 60, &dt, error);
    if (t < 2) early += occupied(&rig.liquid.grid), nearly++;
    if (t > 18) late += occupied(&rig.liquid.grid), nlate++;
  }
  if (!result) {
    rv_check_emit(out, "occupied", late / nlate / (early / nearly) - 1, 0, 0.01);
    rv_check_emit(out, "particles", rv_particles_volume(&rig.liquid.particles) / volume - 1, 0, 1e-12);
  }
  rv_liquid_rig_free(&rig);
  return result;
}

//---------------------------------------------------------------------------------------------- dam break

// Martin and Moyce 1952, tables 2 and 6, a column twice as high as wide: front over a against t sqrt(2 g / a), height
// over 2 a against t sqrt(g / a). The front's first point is left out: the gate is still in the way.
static const double front[][2] = {{0.84, 1.22}, {1.19, 1.44}, {1.43, 1.67}, {1.63, 1.89}, {1.83, 2.11},
                                  {1.98, 2.33}, {2.20, 2.56}, {2.32, 2.78}, {2.51, 3.00}, {2.65, 3.22},
                                  {2.83, 3.44}, {2.98, 3.67}, {3.11, 3.89}, {3.33, 4.11}};
static const double height[][2] = {{0.56, 0.94}, {0.77, 0.89}, {0.93, 0.83}, {1.08, 0.78}, {1.28, 0.72},
                                   {1.46, 0.67}, {1.66, 0.61}, {1.84, 0.56}, {2.00, 0.50}, {2.21, 0.44},
                                   {2.45, 0.39}, {2.70, 0.33}, {3.06, 0.28}};
enum { FRONTS = sizeof front / sizeof *front, HEIGHTS = sizeof height / sizeof *height, MOST_STEPS = 400 };

typedef struct Curve {
  int count;
  double t[MOST_STEPS], y[MOST_STEPS];  // time in its own units
} Curve;

static double value_at(const Curve* c, double t) {
  int k = 1;
  while (k < c->count - 1 && c->t[k] < t) ++k;
  double share = rv_clamp((t - c->t[k - 1]) / (c->t[k] - c->t[k - 1]), 0, 1);
  return c->y[k - 1] + share * (c->y[k] - c->y[k - 1]);
}

// the largest relative error with the best shift of time of at most 0.3
static double fit(const Curve* c, const double (*data)[2], int count, double* shift) {
  double least = INFINITY;
  for (int s = -60; s <= 60; ++s) {
    double worst = 0;
    for (int i = 0; i < count; ++i) worst = fmax(worst, fabs(value_at(c, data[i][0] - 0.005 * s) / data[i][1] - 1));
    if (worst < least) least = worst, *shift = 0.005 * s;
  }
  return least;
}

RvResult rv_check_dam(const RvCheckOut* out, RvError* error) {
  const double a = 0.05715, dx = a / 16;
  const double low[3] = {0, 0, 0}, high[3] = {6 * a, 4 * a, 4 * dx}, top[3] = {a, 2 * a, 4 * dx};
  RvLiquidRig rig;
  RvLiquidModel model = rv_liquid_model_default(dx);
  RvResult result = rv_liquid_rig_new(&rig, &model, error);
  rv_liquid_rig_tank(&rig, low, high, 8);
  if (!result) result = rv_liquid_rig_fill(&rig, low, top, 0.3, error);
  Curve fronts = {0}, heights = {0};
  double dt, time = 0, end = 3.2 * sqrt(a / G);
  while (time < end && fronts.count < MOST_STEPS && !result) {
    result = step_for(&rig, 0.002, &dt, error);
    time += dt;
    double furthest = 0, highest = 0;
    for (size_t i = 0; i < rig.liquid.particles.count; ++i) {
      RvVec3 x = rv_liquid_rig_at(&rig, i);
      furthest = fmax(furthest, x.x);
      if (x.x < dx) highest = fmax(highest, x.y);
    }
    // a particle is half a cell wide
    fronts.t[fronts.count] = time * sqrt(2 * G / a), fronts.y[fronts.count++] = (furthest + 0.25 * dx) / a;
    heights.t[heights.count] = time * sqrt(G / a), heights.y[heights.count++] = (highest + 0.25 * dx) / (2 * a);
  }
  double front_shift = 0, height_shift = 0;
  if (!result) {
    rv_check_emit(out, "front", fit(&fronts, front, FRONTS, &front_shift), 0, 0.05);
    rv_check_emit(out, "front_shift", front_shift, 0, 0.3);
    rv_check_emit(out, "height", fit(&heights, height, HEIGHTS, &height_shift), 0, 0.05);
    rv_check_emit(out, "height_shift", height_shift, 0, 0.3);
  }
  rv_liquid_rig_free(&rig);
  return result;
}
