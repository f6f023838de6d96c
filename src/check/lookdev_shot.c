// Checks of the liquid of the node lookdevsolver: a column at rest, the collapse of a dam, a drop, and a pair of
// particles (AH-12, AH-15, AH-16).
#include <math.h>
#include <stdio.h>

#include "check/check.h"
#include "check/list.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "rig/scene.h"
#include "sph/half.h"
#include "sph/kernels.h"

static const double G = 9.81;

// The node needs a strand; this one is far from the liquid.
#define FAR_STRAND                                                                                                    \
  "\"hair\": {\"type\": \"groom\", \"parms\": {\"count\": 1, \"layout\": \"row\", \"length\": 0.02, \"points\": 4}}," \
  "\"far\": {\"type\": \"transform\", \"inputs\": [\"hair\"], \"parms\": {\"tx\": 0.6}},"
// Time scale by which a frame of 1/24 s takes 1/30 s, the frame of the seed.
#define SEED_FRAME "0.8"

// Particles of a frame; borrowed from the detail.
typedef struct Cloud {
  size_t count;
  const float *P, *v;
} Cloud;

static RvVec3 place_of(const Cloud* cloud, size_t i) {
  return rv_vec3_load(cloud->P + 3 * i);
}

static RvVec3 velocity_of(const Cloud* cloud, size_t i) {
  return rv_vec3_load(cloud->v + 3 * i);
}

// Cooks the liquid of a frame; free *detail.
static RvResult cook_cloud(RvSceneRig* rig, int frame, RvDetail** detail, Cloud* cloud, RvError* error) {
  RvResult result = rv_rig_scene_cook(rig, "s:liquid", frame, detail, error);
  if (result) return result;
  *cloud = (Cloud){rv_detail_count(*detail, RV_POINT), rv_detail_f32(*detail, RV_POINT, "P", 3),
                   rv_detail_f32(*detail, RV_POINT, "v", 3)};
  if (cloud->count && cloud->P && cloud->v) return RV_OK;
  return rv_fail(error, RV_INTERNAL, "the liquid has no particles");
}

//---------------------------------------------------------------------------------------------- at rest

#define DEEP 0.1  // m

typedef struct Pool {
  double spacing, wide;  // m
  int substeps, iterations, frames;
  const char* timescale;
} Pool;

typedef struct Rest {
  double mean, largest, speed;  // over the second half of the frames
  double iterations;            // of a substep, at most, in the first half
} Rest;

// Density of every particle by a sum over all pairs, over that of a lattice at rest; floor and walls count as full of
// liquid at rest. Adds the mean and takes the largest excess.
static void measure_density(const Pool* pool, const Cloud* cloud, double* mean, double* largest) {
  const double support = 2 * pool->spacing;
  const double share =
      pool->spacing * pool->spacing * pool->spacing / rv_sph_lattice_share(RV_SPH_POLY6, pool->spacing, support);
  RvSphHalf half;
  rv_sph_half_init(&half, RV_SPH_POLY6);
  for (size_t i = 0; i < cloud->count; ++i) {
    const RvVec3 x = place_of(cloud, i);
    double sum = 0;
    for (size_t j = 0; j < cloud->count; ++j) {
      double r = rv_distance(x, place_of(cloud, j));
      if (r < support) sum += share * rv_sph_value(RV_SPH_POLY6, r, support);
    }
    const double walls[] = {x.y, 0.5 * pool->wide - fabs(x.x), 0.5 * pool->wide - fabs(x.z)};
    double free = 1;
    for (int k = 0; k < 3; ++k) free *= 1 - (double)rv_sph_half_at(&half, (float)(walls[k] / support)).share;
    double excess = rv_max(sum + 1 - free - 1, 0);
    *mean += excess / (double)cloud->count;
    *largest = rv_max(*largest, excess);
  }
}

static double rms_speed(const Cloud* cloud) {
  double sum = 0;
  for (size_t i = 0; i < cloud->count; ++i) {
    RvVec3 v = velocity_of(cloud, i);
    sum += rv_dot(v, v) / (double)cloud->count;
  }
  return sqrt(sum);
}

// A column that fills its tank; the fill is jittered, as artists have it.
static RvResult settle(const Pool* pool, Rest* rest, RvError* error) {
  char nodes[1600];
  RvSceneRig rig;
  snprintf(nodes, sizeof nodes,
           FAR_STRAND
           "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [%g, %g, %g], \"t\": [0, %g, 0], \"particlesep\": %g}},"
           "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"far\", \"w\"], \"parms\": {\"walls\": true,"
           "  \"wallsmin\": [%g, 0, %g], \"wallsmax\": [%g, 0.2, %g], \"substeps\": %d, \"densityiter\": %d,"
           "  \"timescale\": %s}}",
           pool->wide, DEEP, pool->wide, 0.5 * DEEP, pool->spacing, -0.5 * pool->wide, -0.5 * pool->wide,
           0.5 * pool->wide, 0.5 * pool->wide, pool->substeps, pool->iterations, pool->timescale);
  *rest = (Rest){0};
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  const int first = 1 + pool->frames / 2;
  const int measured = 1 + pool->frames - first;
  result = rv_rig_scene_run(&rig, first, error);
  for (int frame = first; frame <= pool->frames && !result; ++frame) {
    RvDetail* now = NULL;
    Cloud cloud;
    double mean = 0;
    result = cook_cloud(&rig, frame, &now, &cloud, error);
    if (!result) {
      measure_density(pool, &cloud, &mean, &rest->largest);
      rest->mean += mean / measured;
      rest->speed += rms_speed(&cloud) / measured;
    }
    rv_detail_free(now);
  }
  rest->iterations = rig.figures.iterations;
  rv_rig_scene_close(&rig);
  return result;
}

RvResult rv_check_lookdev_pool(const RvCheckOut* out, RvError* error) {
  static const struct {
    Pool pool;
    const char* names[4];
  } runs[] = {
      {{0.005, 0.05, 10, 4, 24, SEED_FRAME}, {"mean", "largest", "speed", "iterations"}},
      {{0.005, 0.05, 10, 3, 24, SEED_FRAME}, {"three_mean", "three_largest", "three_speed", "three_iterations"}},
      {{0.005, 0.05, 13, 3, 24, "1"}, {"film_mean", "film_largest", "film_speed", "film_iterations"}},
      {{0.005, 0.05, 20, 2, 16, SEED_FRAME}, {"short_mean", "short_largest", "short_speed", "short_iterations"}},
      {{0.0025, 0.03, 20, 4, 12, SEED_FRAME}, {"fine_mean", "fine_largest", "fine_speed", "fine_iterations"}}};
  RvResult result = RV_OK;
  for (size_t k = 0; k < sizeof runs / sizeof *runs && !result; ++k) {
    Rest rest;
    result = settle(&runs[k].pool, &rest, error);
    if (result) break;
    rv_check_emit(out, runs[k].names[0], rest.mean, 0, 0.03);
    rv_check_emit(out, runs[k].names[1], rest.largest, 0, 0.15);
    rv_check_emit(out, runs[k].names[2], rest.speed, 0, 0.2);
    rv_check_emit(out, runs[k].names[3], rest.iterations, 0, runs[k].pool.iterations);
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
static double front_at(const Cloud* cloud, double spacing, double deep) {
  enum { COLUMNS = 256 };
  const double full = 2 * spacing * 2 * spacing * deep;
  double volume[COLUMNS] = {0};
  int last = -1;
  for (size_t i = 0; i < cloud->count; ++i) {
    RvVec3 x = place_of(cloud, i);
    int column = (int)(x.x / (2 * spacing));
    if (x.y < 2 * spacing && column >= 0 && column < COLUMNS) volume[column] += spacing * spacing * spacing;
  }
  for (int i = 0; i + 1 < COLUMNS; ++i)
    if (volume[i] > 0.5 * full) last = i;
  return 2 * spacing * (last + 1 + rv_min(volume[last + 1] / full, 0.5));
}

// The front over time for some particles across the column.
static RvResult break_dam(int across, double* T, double* front, RvError* error) {
  const double a = 0.05715;
  const double spacing = a / across;
  const double deep = 4 * spacing;
  const double unit = sqrt(a / (2 * G));
  const double step = 4.2 * unit / DAM_STEPS;
  char nodes[1600];
  RvSceneRig rig;
  snprintf(
      nodes, sizeof nodes,
      FAR_STRAND
      "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [%.17g, %.17g, %.17g], \"t\": [%.17g, %.17g, 0],"
      "  \"particlesep\": %.17g, \"jitter\": 0}},"
      "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"far\", \"w\"], \"parms\": {\"walls\": true,"
      "  \"wallsmin\": [0, 0, %.17g], \"wallsmax\": [%.17g, %.17g, %.17g], \"substeps\": 4, \"timescale\": %.17g}}",
      a, 2 * a, deep, 0.5 * a, a, spacing, -0.5 * deep, 8 * a, 4 * a, 0.5 * deep, 24 * step);
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  for (int i = 0; i < DAM_STEPS && !result; ++i) {
    RvDetail* now = NULL;
    Cloud cloud;
    result = cook_cloud(&rig, i + 1, &now, &cloud, error);
    T[i] = i * step / unit;
    if (!result) front[i] = front_at(&cloud, spacing, deep) / a;
    rv_detail_free(now);
  }
  rv_rig_scene_close(&rig);
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

//---------------------------------------------------------------------------------------------- drops and pairs

// Time scale and parameters by which cohesion alone acts, in a frame so short that particles keep about their distance.
#define PULL_ALONE ", \"smoothing\": 0, \"viscosity\": 0, \"curvature\": 0, \"timescale\": 0.25"

// A block of liquid without weight.
typedef struct Block {
  double size[3], spacing;  // m
  int substeps;
  int frames;
  const char* parms;
} Block;

// What it has become.
typedef struct Shape {
  double rms, largest;  // m: distances from the centre
  double momentum;      // length of the sum of velocities over the sum of their lengths
  double stretch;       // m/s: velocity of the last particle relative to the first, along their distance
} Shape;

static Shape shape_of(const Cloud* cloud) {
  const double per_particle = 1.0 / (double)cloud->count;
  Shape shape = {0};
  RvVec3 centre = rv_vec3(0, 0, 0);
  RvVec3 momentum = rv_vec3(0, 0, 0);
  double parts = 0;
  for (size_t i = 0; i < cloud->count; ++i) {
    centre = rv_mad(centre, per_particle, place_of(cloud, i));
    momentum = rv_add(momentum, velocity_of(cloud, i));
    parts += rv_length(velocity_of(cloud, i));
  }
  for (size_t i = 0; i < cloud->count; ++i) {
    double d = rv_distance(place_of(cloud, i), centre);
    shape.rms += d * d * per_particle;
    shape.largest = rv_max(shape.largest, d);
  }
  shape.rms = sqrt(shape.rms);
  shape.momentum = rv_length(momentum) / parts;
  RvVec3 apart = rv_sub(place_of(cloud, cloud->count - 1), place_of(cloud, 0));
  RvVec3 relative = rv_sub(velocity_of(cloud, cloud->count - 1), velocity_of(cloud, 0));
  shape.stretch = rv_dot(apart, relative) / rv_length(apart);
  return shape;
}

static RvResult float_block(const Block* block, Shape* shape, RvError* error) {
  char nodes[1200];
  RvSceneRig rig;
  RvDetail* now = NULL;
  Cloud cloud;
  snprintf(nodes, sizeof nodes,
           FAR_STRAND
           "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [%g, %g, %g], \"particlesep\": %g, \"jitter\": 0}},"
           "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"far\", \"w\"], \"parms\": {\"gravity\": [0, 0, 0],"
           "  \"substeps\": %d%s}}",
           block->size[0], block->size[1], block->size[2], block->spacing, block->substeps, block->parms);
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  result = cook_cloud(&rig, 1 + block->frames, &now, &cloud, error);
  if (!result) *shape = shape_of(&cloud);
  rv_detail_free(now);
  rv_rig_scene_close(&rig);
  return result;
}

// Largest distance over the rms distance of a cube that has become a ball, over what a ball of whole particles has: the
// outermost ones lie half a spacing within the surface.
static double roundness(const Block* block, const Shape* shape) {
  const double side = block->size[0];
  const double radius = cbrt(3 * side * side * side / (4 * RV_PI));
  const double ball = (radius - 0.5 * block->spacing) / (sqrt(0.6) * radius);
  return shape->largest / shape->rms / ball;
}

RvResult rv_check_lookdev_drop(const RvCheckOut* out, RvError* error) {
  static const Block cubes[] = {{{0.05, 0.05, 0.05}, 0.005, 5, 16, ""},
                                {{0.05, 0.05, 0.05}, 0.005, 10, 16, ""},
                                {{0.05, 0.05, 0.05}, 0.0035714285714285713, 10, 16, ""}};
  static const char* const round[] = {"roundness", "roundness_substeps", "roundness_spacing"};
  static const char* const momentum[] = {"cube_momentum", "cube_momentum_substeps", "cube_momentum_spacing"};
  // Two particles a spacing apart, and cohesion alone.
  static const Block pairs[] = {{{0.01, 0.005, 0.005}, 0.005, 5, 1, PULL_ALONE},
                                {{0.01, 0.005, 0.005}, 0.005, 10, 1, PULL_ALONE}};
  Shape shape[2];
  RvResult result = RV_OK;
  for (int k = 0; k < 3 && !result; ++k) {
    result = float_block(&cubes[k], &shape[0], error);
    if (result) break;
    // The sums since the start are those of all substeps.
    rv_check_emit(out, momentum[k], shape[0].momentum / (cubes[k].frames * cubes[k].substeps), 0, 1e-6);
    rv_check_emit(out, round[k], roundness(&cubes[k], &shape[0]), 1, 0.05);
  }
  for (int k = 0; k < 2 && !result; ++k) result = float_block(&pairs[k], &shape[k], error);
  if (result) return result;
  rv_check_emit(out, "attraction", shape[0].stretch < 0, 1, 0);
  rv_check_emit(out, "cohesion_substeps", shape[1].stretch / shape[0].stretch, 1, 0.05);
  rv_check_emit(out, "pair_momentum", rv_max(shape[0].momentum, shape[1].momentum), 0, 1e-6);
  return RV_OK;
}
