// Check wall_drops: a drop on an inclined collider, in the node liquidsolver (sessile.h). It is held up to the
// acceleration of Furmidge's law and runs above it; hanging, it falls above the volume of the largest pendant drop.
#include <math.h>
#include <stdio.h>

#include "check/list.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "rig/scene.h"

static const double SIDE = 0.004;                     // m: the drop begins as a cube
static const double SLOPE = 35;                       // degrees
static const double TENSION = 0.072, DENSITY = 1000;  // of water
static const double VISCOSITY = 8.9e-4;               // Pa s
static const double ADVANCING = 85, RECEDING = 30;    // degrees
enum { FRAMES = 5 };
static const double WEDGE_LOG = 12, ROUND_LINE = 0.774;  // of the laws

// A run: a cube of particles on a plate, turned over by `flip` degrees more.
typedef struct Drop {
  double separation, gravity, flip, trail;
  int substeps, frames;
} Drop;

// What became of it.
typedef struct Fate {
  double downhill;  // m, way of the mean of the particles along the plate
  double away;      // m, off the plate
  double drift;     // of the ledger
  double points;    // particles at the end, over those of the start
} Fate;

// Mean of the particles, weighed by volume.
static RvResult mean_of(RvSceneRig* rig, double frame, double mean[3], double* count, RvError* error) {
  RvDetail* d = NULL;
  RvResult result = rv_rig_scene_cook(rig, "s", frame, &d, error);
  if (result) return result;
  size_t n = rv_detail_count(d, RV_POINT);
  const float* x = rv_detail_f32(d, RV_POINT, "P", 3);
  const double* volume = rv_detail_f64(d, RV_POINT, "volume", 1);
  double sum = 0;
  for (int a = 0; a < 3; ++a) mean[a] = 0;
  for (size_t i = 0; i < n; ++i) {
    sum += volume[i];
    for (int a = 0; a < 3; ++a) mean[a] += volume[i] * (double)x[3 * i + (size_t)a];
  }
  for (int a = 0; a < 3; ++a) mean[a] /= sum;
  *count = (double)n;
  rv_detail_free(d);
  return RV_OK;
}

// Lets a drop go.
static RvResult run(const Drop* drop, Fate* fate, RvError* error) {
  char nodes[2400];
  snprintf(nodes, sizeof nodes,
           "\"plate\": {\"type\": \"box\", \"parms\": {\"size\": [0.2, 0.03, 0.2]}},"
           "\"hard\": {\"type\": \"collider\", \"inputs\": [\"plate\"], \"parms\": {\"voxelsize\": 0.002}},"
           "\"tilted\": {\"type\": \"transform\", \"inputs\": [\"hard\"], \"parms\": {\"r\": [%g, 25, 0]}},"
           "\"cube\": {\"type\": \"fill\", \"parms\": {\"size\": [%g, %g, %g], \"t\": [0, %.9g, 0], \"jitter\": 0,"
           "  \"particlesep\": %g}},"
           "\"drop\": {\"type\": \"transform\", \"inputs\": [\"cube\"], \"parms\": {\"r\": [%g, 25, 0]}},"
           "\"s\": {\"type\": \"liquidsolver\", \"inputs\": [\"drop\", \"tilted\"], \"parms\": {\"substeps\": %d,"
           "  \"gravity\": [0, %.9g, 0], \"droptension\": %g, \"dropadvancing\": %g, \"dropreceding\": %g,"
           "  \"dropviscosity\": %g, \"droptrail\": %g}}",
           -SLOPE + drop->flip, SIDE, SIDE, SIDE, 0.015 + SIDE / 2, drop->separation, -SLOPE + drop->flip,
           drop->substeps, -drop->gravity, TENSION, ADVANCING, RECEDING, VISCOSITY, drop->trail);
  RvSceneRig rig;
  double from[3], to[3], count = 1, end = 0;
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  result = mean_of(&rig, 1, from, &count, error);
  if (!result) result = rv_rig_scene_run(&rig, 1 + drop->frames, error);
  if (!result) result = mean_of(&rig, 1 + drop->frames, to, &end, error);
  if (!result) {
    // normal of the plate, turned about x and then about y, and the direction in which it falls
    double tilt = rv_radians(drop->flip - SLOPE), turn = rv_radians(25);
    RvVec3 normal = rv_vec3(sin(tilt) * sin(turn), cos(tilt), sin(tilt) * cos(turn));
    RvVec3 down = rv_normalize(rv_mad(rv_vec3(0, -1, 0), normal.y, normal), rv_vec3(0, 0, 0));
    RvVec3 way = rv_sub(rv_vec3_load64(to), rv_vec3_load64(from));
    *fate = (Fate){rv_dot(way, down), rv_dot(way, normal), rig.figures.drift, end / count};
  }
  rv_rig_scene_close(&rig);
  return result;
}

// Width of the contact line of the cap, m.
static double width_of(double volume) {
  double angle = rv_radians(0.5 * (ADVANCING + RECEDING)), c = cos(angle);
  return 2 * sin(angle) * cbrt(3 * volume / (RV_PI * (2 + c) * (1 - c) * (1 - c)));
}

// Accelerations (m/s2) of the laws for the drop.
typedef struct Laws {
  double hold, drag, hang;
} Laws;

static Laws laws_of(void) {
  // Largest pendant drop in cubes of the capillary length, at the mean angle: the table of sessile.c between 45 and 60
  // degrees.
  const double pendant = 11.11 + (7.99 - 11.11) * (0.5 * (ADVANCING + RECEDING) - 45) / 15;
  double volume = SIDE * SIDE * SIDE, mass = DENSITY * volume, width = width_of(volume);
  double hysteresis = cos(rv_radians(RECEDING)) - cos(rv_radians(ADVANCING));
  return (Laws){.hold = ROUND_LINE * TENSION * width * hysteresis / mass,
                .drag = 6 * VISCOSITY * width * WEDGE_LOG / (rv_radians(0.5 * (ADVANCING + RECEDING)) * mass),
                .hang = TENSION / DENSITY * pow(pendant / volume, 2.0 / 3)};
}

// Way of a body that is held by `hold` and slowed by `drag`, m.
static double way_of(const Laws* laws, double along, double time) {
  double terminal = (along - laws->hold) / laws->drag;
  return terminal * (time - (1 - exp(-laws->drag * time)) / laws->drag);
}

typedef struct Way {
  const char* name;
  double separation;
  int substeps;
} Way;

// On the slope: below, above and far above what the contact line holds.
static RvResult check_slope(const RvCheckOut* out, const Way* way, RvError* error) {
  Laws laws = laws_of();
  double sine = sin(rv_radians(SLOPE)), time = FRAMES / 24.0;
  static const double loads[] = {0.97, 1.05, 2};
  static const char* const names[] = {"held", "freed", "runs"};
  RvResult result = RV_OK;
  for (int k = 0; k < 3 && !result; ++k) {
    Drop drop = {.separation = way->separation, .substeps = way->substeps, .frames = FRAMES};
    Fate fate;
    char name[64];
    drop.gravity = loads[k] * laws.hold / sine;
    result = run(&drop, &fate, error);
    if (result) break;
    snprintf(name, sizeof name, "%s_%s", names[k], way->name);
    double expected = k ? way_of(&laws, loads[k] * laws.hold, time) : 0, step = 1.0 / 24 / way->substeps;
    // Held: to the rounding of floats. Else the step's first order: half of it longer at the speed of the end.
    rv_check_emit(out, name, fate.downhill, expected, k ? (0.02 + step / time) * expected : 1e-6);
  }
  return result;
}

// Under the plate, turned over: below and above what can hang.
static RvResult check_ceiling(const RvCheckOut* out, const Way* way, RvError* error) {
  Laws laws = laws_of();
  RvResult result = RV_OK;
  for (int k = 0; k < 2 && !result; ++k) {
    Drop drop = {.separation = way->separation, .substeps = way->substeps, .frames = 2 * FRAMES, .flip = 180 + SLOPE};
    Fate fate;
    char name[64];
    drop.gravity = (k ? 1.05 : 0.95) * laws.hang;
    result = run(&drop, &fate, error);
    if (result) break;
    snprintf(name, sizeof name, "%s_%s", k ? "falls" : "hangs", way->name);
    // A drop that fell is more than its side away.
    rv_check_emit(out, name, fate.away > SIDE, k, 0);
  }
  return result;
}

// Beads: a fast drop leaves some, and no volume is lost.
static RvResult check_trail(const RvCheckOut* out, RvError* error) {
  Laws laws = laws_of();
  Drop drop = {.separation = 0.001, .substeps = 4, .frames = FRAMES, .trail = 1};
  Fate fate;
  drop.gravity = 2 * laws.hold / sin(rv_radians(SLOPE));
  RvResult result = run(&drop, &fate, error);
  if (result) return result;
  rv_check_emit(out, "trail_leaves_beads", fate.points > 1, 1, 0);
  rv_check_emit(out, "trail_drift", fate.drift, 0, 1e-14);
  return RV_OK;
}

RvResult rv_check_wall_drops(const RvCheckOut* out, RvError* error) {
  static const Way ways[] = {{"4mm", 0.004, 4}, {"2mm", 0.002, 4}, {"1mm", 0.001, 4}, {"2mm_16_substeps", 0.002, 16}};
  RvResult result = RV_OK;
  for (size_t k = 0; k < sizeof ways / sizeof *ways && !result; ++k) result = check_slope(out, &ways[k], error);
  for (size_t k = 0; k < 2 && !result; ++k) result = check_ceiling(out, &ways[k], error);
  return result ? result : check_trail(out, error);
}
