// Checks of position-based liquid: a column at rest, the collapse of a dam, a drop, and pairs (AH-12 to AH-16).
#include <math.h>

#include "check/check.h"
#include "math/scalar.h"
#include "rig/lookdev_liquid.h"

static const double G = 9.81;
static const double FRAME = 1.0 / 30;  // s

//---------------------------------------------------------------------------------------------- at rest

typedef struct Rest {
  double mean, largest, speed;  // over the second half of the time
  double iterations;            // of a substep, mean
} Rest;

// A column 10 cm deep for `frames`.
static RvResult settle(double spacing, double wide, int substeps, int iterations, int frames, Rest* rest,
                       RvError* error) {
  RvLookdevLiquidModel model = rv_lookdev_liquid_defaults(spacing);
  RvLookdevLiquidRig rig;
  const double low[3] = {0, 0, 0};
  const double high[3] = {wide, 0.1, wide};
  model.iterations = iterations;
  RvResult result = rv_rig_lookdev_liquid_new(&rig, &model, error);
  if (result) return result;
  rv_rig_lookdev_liquid_tank(&rig, low, high);
  result = rv_rig_lookdev_liquid_fill(&rig, low, high, 0, error);
  *rest = (Rest){0};
  for (int f = 0; f < frames && !result; ++f) {
    RvLookdevLiquidReport* report = &rig.liquid.report;
    *report = (RvLookdevLiquidReport){0};
    result = rv_rig_lookdev_liquid_frame(&rig, FRAME, substeps, error);
    if (f < frames / 2) continue;
    int measured = frames - frames / 2;
    rest->mean += report->excess / measured;
    rest->largest = rv_max(rest->largest, report->largest);
    rest->speed += rv_rig_lookdev_liquid_speed(&rig) / measured;
    rest->iterations += (double)report->iterations / (substeps * measured);
  }
  rv_rig_lookdev_liquid_free(&rig);
  return result;
}

// At 5 mm, at other numbers of substeps, and at half the spacing.
RvResult rv_check_lookdev_pool(const RvCheckOut* out, RvError* error) {
  static const struct {
    double spacing, wide;
    int substeps, iterations, frames;
    const char* names[4];
  } runs[] = {{0.005, 0.1, 10, 4, 24, {"mean", "largest", "speed", "iterations"}},
              {0.005, 0.1, 10, 3, 24, {"three_mean", "three_largest", "three_speed", "three_iterations"}},
              {0.005, 0.05, 20, 2, 16, {"short_mean", "short_largest", "short_speed", "short_iterations"}},
              {0.0025, 0.03, 20, 4, 12, {"fine_mean", "fine_largest", "fine_speed", "fine_iterations"}}};
  RvResult result = RV_OK;
  for (size_t k = 0; k < sizeof runs / sizeof *runs && !result; ++k) {
    Rest rest;
    result = settle(runs[k].spacing, runs[k].wide, runs[k].substeps, runs[k].iterations, runs[k].frames, &rest, error);
    if (result) break;
    rv_check_emit(out, runs[k].names[0], rest.mean, 0, 0.03);
    rv_check_emit(out, runs[k].names[1], rest.largest, 0, 0.15);
    rv_check_emit(out, runs[k].names[2], rest.speed, 0, 0.2);
    rv_check_emit(out, runs[k].names[3], rest.iterations, 0, runs[k].iterations);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- a dam breaks

// Martin and Moyce 1952, table 2, n^2 = 2, a = 0.05715 m: front / a over t sqrt(n^2 g / a). The first reading falls
// into the opening of the gate and is left out, as in the check `dam`.
static const double front_of[][2] = {{0.84, 1.22}, {1.19, 1.44}, {1.43, 1.67}, {1.63, 1.89}, {1.83, 2.11},
                                     {1.98, 2.33}, {2.20, 2.56}, {2.32, 2.78}, {2.51, 3.00}, {2.65, 3.22},
                                     {2.83, 3.44}, {2.98, 3.67}, {3.11, 3.89}, {3.33, 4.11}};
enum { READINGS = sizeof front_of / sizeof *front_of, DAM_STEPS = 44 };

// Front on the floor, m: the end of the last column of two spacings that is half full in the lowest two layers.
static double front_at(const RvLookdevLiquidRig* rig, double deep) {
  enum { COLUMNS = 256 };
  double s = rig->liquid.model.spacing;
  double volume[COLUMNS] = {0};
  double full = 2 * s * 2 * s * deep;
  int last = -1;
  for (size_t i = 0; i < rig->particles.count; ++i) {
    RvVec3 x = rv_rig_lookdev_liquid_at(rig, i);
    int column = (int)(x.x / (2 * s));
    if (x.y < 2 * s && column >= 0 && column < COLUMNS) volume[column] += rig->particles.volume[i];
  }
  for (int i = 0; i + 1 < COLUMNS; ++i)
    if (volume[i] > 0.5 * full) last = i;
  return 2 * s * (last + 1 + rv_min(volume[last + 1] / full, 0.5));
}

// The front over time for one spacing.
static RvResult break_dam(int across, double* T, double* front, RvError* error) {
  const double a = 0.05715;
  const double deep = 4 * a / across;
  const double low[3] = {0, 0, 0};
  const double high[3] = {8 * a, 4 * a, deep};
  const double full[3] = {a, 2 * a, deep};
  const double unit = sqrt(a / (2 * G));
  const double step = 4.2 * unit / DAM_STEPS;
  RvLookdevLiquidModel model = rv_lookdev_liquid_defaults(a / across);
  RvLookdevLiquidRig rig;
  RvResult result = rv_rig_lookdev_liquid_new(&rig, &model, error);
  if (result) return result;
  rv_rig_lookdev_liquid_tank(&rig, low, high);
  result = rv_rig_lookdev_liquid_fill(&rig, low, full, 0, error);
  for (int i = 0; i < DAM_STEPS && !result; ++i) {
    T[i] = i * step / unit;
    front[i] = front_at(&rig, deep) / a;
    result = rv_rig_lookdev_liquid_frame(&rig, step, 4, error);
  }
  rv_rig_lookdev_liquid_free(&rig);
  return result;
}

// Largest relative error of the front, for the best shift of time from 0 to 0.3: the gate takes time to open.
static double front_error(const double* T, const double* front) {
  double best = INFINITY;
  for (int k = 0; k <= 30; ++k) {
    double worst = 0;
    for (int i = 0; i < READINGS; ++i) {
      double t = front_of[i][0] - 0.01 * k;
      int n = 0;
      while (n + 2 < DAM_STEPS && T[n + 1] < t) ++n;
      double y = front[n] + (t - T[n]) / (T[n + 1] - T[n]) * (front[n + 1] - front[n]);
      worst = rv_max(worst, fabs(y / front_of[i][1] - 1));
    }
    best = rv_min(best, worst);
  }
  return best;
}

RvResult rv_check_lookdev_dam(const RvCheckOut* out, RvError* error) {
  static const char* const names[] = {"front_16", "front_24"};
  RvResult result = RV_OK;
  for (int k = 0; k < 2 && !result; ++k) {
    double T[DAM_STEPS];
    double front[DAM_STEPS];
    result = break_dam(16 + 8 * k, T, front, error);
    if (!result) rv_check_emit(out, names[k], front_error(T, front), 0, 0.15);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- shear

// Rate at which a shear flow v_x = U cos(pi y / high) of a block of liquid at rest decays in a substep, over that of
// the Navier-Stokes equation, nu (pi / high)^2: by the particles that have all their neighbours.
static RvResult shear(double spacing, double viscosity, double dt, double* ratio, RvError* error) {
  const double high = 0.1, wide = 0.03, speed = 1e-4;
  RvLookdevLiquidModel model = rv_lookdev_liquid_defaults(spacing);
  RvLookdevLiquidRig rig;
  model.gravity[1] = 0;
  model.tension = 0;
  model.smoothing = 0;
  model.viscosity = viscosity;
  RvResult result = rv_rig_lookdev_liquid_new(&rig, &model, error);
  if (result) return result;
  const double low[3] = {0, 0, 0};
  const double up[3] = {wide, high, wide};
  result = rv_rig_lookdev_liquid_fill(&rig, low, up, 0, error);
  RvParticles* p = &rig.particles;
  const double k = RV_PI / high;
  for (size_t i = 0; i < p->count && !result; ++i)
    p->v[0][i] = (float)(speed * cos(k * rv_rig_lookdev_liquid_at(&rig, i).y));
  if (!result) result = rv_rig_lookdev_liquid_frame(&rig, dt, 1, error);
  double moved = 0;
  double left = 0;
  for (size_t i = 0; i < p->count && !result; ++i) {
    RvVec3 x = rv_rig_lookdev_liquid_at(&rig, i);
    double edge = rv_min(rv_min(x.x, wide - x.x), rv_min(x.z, wide - x.z));
    edge = rv_min(edge, rv_min(x.y, high - x.y));
    if (edge < model.support) continue;
    double mode = cos(k * x.y);
    moved += mode * mode * speed;
    left += mode * (double)p->v[0][i];
  }
  *ratio = (1 - left / moved) / (viscosity / model.density * k * k * dt);
  rv_rig_lookdev_liquid_free(&rig);
  return result;
}

RvResult rv_check_lookdev_shear(const RvCheckOut* out, RvError* error) {
  double ratio[3] = {0};
  RvResult result = shear(0.005, 0.1, 1.0 / 120, &ratio[0], error);
  if (!result) result = shear(0.005, 0.05, 1.0 / 240, &ratio[1], error);
  if (!result) result = shear(0.0025, 0.02, 1.0 / 240, &ratio[2], error);
  if (result) return result;
  rv_check_emit(out, "decay", ratio[0], 1, 0.01);
  rv_check_emit(out, "half_substep", ratio[1], 1, 0.01);
  rv_check_emit(out, "half_spacing", ratio[2], 1, 0.01);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- drops and pairs

// How far the places reach from their centre: rms and largest distance, m.
typedef struct Reach {
  double rms, largest;
} Reach;

static Reach reach_of(const RvLookdevLiquidRig* rig) {
  RvVec3 centre = rv_vec3(0, 0, 0);
  size_t count = rig->particles.count;
  for (size_t i = 0; i < count; ++i) centre = rv_mad(centre, 1.0 / (double)count, rv_rig_lookdev_liquid_at(rig, i));
  Reach reach = {0, 0};
  for (size_t i = 0; i < count; ++i) {
    double d = rv_distance(rv_rig_lookdev_liquid_at(rig, i), centre);
    reach.rms += d * d / (double)count;
    reach.largest = rv_max(reach.largest, d);
  }
  reach.rms = sqrt(reach.rms);
  return reach;
}

// A cube of 5 cm without gravity: its reach after `frames`, and the sum of its momentum relative to that of its parts.
static RvResult round_cube(int substeps, int frames, Reach* reach, double* momentum, RvError* error) {
  RvLookdevLiquidModel model = rv_lookdev_liquid_defaults(0.005);
  const double low[3] = {-0.025, -0.025, -0.025};
  const double high[3] = {0.025, 0.025, 0.025};
  RvLookdevLiquidRig rig;
  model.gravity[1] = 0;
  RvResult result = rv_rig_lookdev_liquid_new(&rig, &model, error);
  if (result) return result;
  result = rv_rig_lookdev_liquid_fill(&rig, low, high, 0, error);
  double worst = 0;
  for (int f = 0; f < frames && !result; ++f) {
    result = rv_rig_lookdev_liquid_frame(&rig, FRAME, substeps, error);
    RvVec3 sum = rv_vec3(0, 0, 0);
    double parts = 0;
    for (size_t i = 0; i < rig.particles.count; ++i) {
      RvVec3 v = rv_vec3(rig.particles.v[0][i], rig.particles.v[1][i], rig.particles.v[2][i]);
      sum = rv_add(sum, v);
      parts += rv_length(v);
    }
    // What a frame adds: the sums since the start are those of its substeps.
    worst = rv_max(worst, rv_length(sum) / parts / ((f + 1) * substeps));
  }
  *reach = reach_of(&rig);
  *momentum = worst;
  rv_rig_lookdev_liquid_free(&rig);
  return result;
}

// Speed at which two particles three quarters of the support apart approach each other after a frame.
static RvResult approach(int substeps, double* speed, double* momentum, RvError* error) {
  RvLookdevLiquidModel model = rv_lookdev_liquid_defaults(0.005);
  RvLookdevLiquidRig rig;
  model.gravity[1] = 0;
  model.curvature = 0;
  model.viscosity = 0;
  model.smoothing = 0;
  RvResult result = rv_rig_lookdev_liquid_new(&rig, &model, error);
  if (result) return result;
  result = rv_rig_lookdev_liquid_add(&rig, rv_vec3(0.001, 0.002, -0.003), error);
  if (!result) result = rv_rig_lookdev_liquid_add(&rig, rv_vec3(0.001 + 0.006, 0.002 + 0.0045, -0.003), error);
  if (!result) result = rv_rig_lookdev_liquid_frame(&rig, FRAME / 2, substeps, error);
  if (!result) {
    const RvParticles* p = &rig.particles;
    double sum = 0;
    *speed = 0;
    for (int a = 0; a < 3; ++a) {
      double relative = (double)p->v[a][1] - (double)p->v[a][0];
      double total = (double)p->v[a][1] + (double)p->v[a][0];
      *speed += relative * relative;
      sum += total * total;
    }
    *speed = sqrt(*speed);
    *momentum = sqrt(sum) / *speed;
  }
  rv_rig_lookdev_liquid_free(&rig);
  return result;
}

RvResult rv_check_lookdev_drop(const RvCheckOut* out, RvError* error) {
  Reach coarse;
  Reach fine;
  double momentum = 0;
  double speed[2] = {0};
  double pair[2] = {0};
  RvResult result = round_cube(5, 20, &coarse, &momentum, error);
  if (!result) rv_check_emit(out, "cube_momentum", momentum, 0, 1e-6);
  // The farthest particle of a cube is 1.73 times its half side from the centre; of a ball of its volume 1.24 times.
  // The rms distance of a ball is 0.775 of its radius.
  if (!result) rv_check_emit(out, "roundness", 0.775 * coarse.largest / coarse.rms, 1, 0.08);
  if (!result) result = round_cube(10, 20, &fine, &momentum, error);
  if (!result) rv_check_emit(out, "roundness_substeps", fine.largest / coarse.largest, 1, 0.05);
  if (!result) result = approach(5, &speed[0], &pair[0], error);
  if (!result) result = approach(10, &speed[1], &pair[1], error);
  if (!result) {
    rv_check_emit(out, "cohesion_substeps", speed[1] / speed[0], 1, 0.05);
    rv_check_emit(out, "pair_momentum", rv_max(pair[0], pair[1]), 0, 1e-6);
  }
  return result;
}
