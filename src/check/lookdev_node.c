// Checks of the lookdev solver as the node that ships: how a clamped strand hangs, and a groom that stays.
#include <math.h>
#include <stdio.h>

#include "check/list.h"
#include "math/vec.h"
#include "rig/scene.h"

#define LENGTH 0.05  // m from the clamp, the middle of the first edge, to the tip

// A horizontal strand and its solver.
typedef struct Hang {
  const char* type;
  const char* parms;
  int points;
  double gamma;
} Hang;

// Tip of the strand after five seconds, in lengths from the clamp.
static RvResult hang(const Hang* h, double tip[2], RvError* error) {
  const double radius = 50e-6, density = 1300, gravity = 9.81;
  const double youngs = density * gravity * 4 * LENGTH * LENGTH * LENGTH / (h->gamma * radius * radius);
  const double whole = LENGTH * (h->points - 1) / (h->points - 1.5);
  enum { LAST = 121 };
  char nodes[2000];
  snprintf(nodes, sizeof nodes,
           "\"hair\": {\"type\": \"groom\", \"parms\": {\"count\": 1, \"layout\": \"row\", \"length\": %.17g,"
           "  \"points\": %d, \"style\": \"straight\", \"lift\": 1, \"bend\": 0, \"directionrandom\": 0,"
           "  \"lengthrandom\": 0}},"
           "\"lie\": {\"type\": \"transform\", \"inputs\": [\"hair\"], \"parms\": {\"rz\": -90}},"
           "\"plain\": {\"type\": \"attribute\", \"inputs\": [\"lie\"], \"parms\": {\"name\": \"hairradius\","
           "  \"class\": \"prim\", \"value\": [%g, 0, 0, 0]}},"
           "\"s\": {\"type\": \"%s\", \"inputs\": [\"plain\"], \"parms\": {\"restmode\": \"natural\", \"damping\": 0,"
           "  \"density\": %g, \"youngs\": %.17g, \"shear\": %.17g, \"dragnormal\": 6e-4, \"dragtangent\": 6e-4%s}}",
           whole, h->points, radius, h->type, density, youngs, youngs / 2.6, h->parms);
  RvSceneRig rig;
  RvDetail* now = NULL;
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  result = rv_rig_scene_cook(&rig, "s:state", LAST, &now, error);
  const double* x = result ? NULL : rv_detail_f64(now, RV_POINT, "rv_x", 3);
  if (!result && !x) result = rv_fail(error, RV_INTERNAL, "the state has no places");
  if (!result) {
    const double* last = x + (ptrdiff_t)3 * (h->points - 1);
    tip[0] = (last[0] - 0.5 * (x[0] + x[3])) / LENGTH;
    tip[1] = -(last[1] - 0.5 * (x[1] + x[4])) / LENGTH;
  }
  rv_detail_free(now);
  rv_rig_scene_close(&rig);
  return result;
}

RvResult rv_check_lookdev_hang(const RvCheckOut* out, RvError* error) {
  const double elastica[][3] = {{1, 0.99125, 0.12347}, {5, 0.84666, 0.49591}, {10, 0.65635, 0.70020}};
  RvResult result = RV_OK;
  for (int g = 0; g < 3 && !result; ++g) {
    const double gamma = elastica[g][0];
    const Hang ways[] = {{"lookdevsolver", ", \"substeps\": 2", 30, gamma},
                         {"lookdevsolver", ", \"substeps\": 10, \"niter\": 4", 30, gamma},
                         {"lookdevsolver", "", 15, gamma},
                         {"strandsolver", "", 30, gamma}};
    double tip[4][2];
    char name[64];
    for (int k = 0; k < 4 && !result; ++k) result = hang(&ways[k], tip[k], error);
    if (result) break;
    const double sag = elastica[g][2];
    snprintf(name, sizeof name, "gamma_%g_elastica", gamma);
    rv_check_emit(out, name, hypot(tip[0][0] - elastica[g][1], tip[0][1] - sag) / sag, 0, 0.02);
    snprintf(name, sizeof name, "gamma_%g_substeps", gamma);
    rv_check_emit(out, name, hypot(tip[1][0] - tip[0][0], tip[1][1] - tip[0][1]) / tip[0][1], 0, 0.005);
    snprintf(name, sizeof name, "gamma_%g_points", gamma);
    rv_check_emit(out, name, hypot(tip[2][0] - tip[0][0], tip[2][1] - tip[0][1]) / tip[0][1], 0, 0.02);
    snprintf(name, sizeof name, "gamma_%g_strandsolver", gamma);
    rv_check_emit(out, name, hypot(tip[3][0] - tip[0][0], tip[3][1] - tip[0][1]) / tip[0][1], 0, 0.02);
  }
  return result;
}

// Largest distance of a point of the state from the groom, m.
static double farthest(const RvDetail* groom, const RvDetail* state) {
  const float* p = rv_detail_f32(groom, RV_POINT, "P", 3);
  const double* x = rv_detail_f64(state, RV_POINT, "rv_x", 3);
  const double* origin = rv_detail_f64(state, RV_GLOBAL, "rv_origin", 3);
  double most = p && x && origin ? 0 : INFINITY;
  for (size_t i = 0; p && x && origin && i < 3 * rv_detail_count(groom, RV_POINT); ++i)
    most = fmax(most, fabs(x[i] + origin[i % 3] - p[i]));
  return most;
}

// Afro hair on a head that does not move, with its volume; in two substeps and in ten.
RvResult rv_check_lookdev_still(const RvCheckOut* out, RvError* error) {
  enum { LAST = 48 };
  static const char format[] =
      "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.09, \"rows\": 25, \"cols\": 36}},"
      "\"hair\": {\"type\": \"groom\", \"inputs\": [\"ball\"], \"parms\": {\"count\": 500, \"length\": 0.1,"
      "  \"points\": 30, \"style\": \"afro\"}},"
      "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"hair\"], \"parms\": {\"substeps\": %d}}";
  RvResult result = RV_OK;
  for (int k = 0; k < 2 && !result; ++k) {
    char nodes[1000];
    RvSceneRig rig;
    RvDetail *groom = NULL, *now = NULL;
    snprintf(nodes, sizeof nodes, format, k ? 10 : 2);
    result = rv_rig_scene_open(&rig, nodes, error);
    if (result) return result;
    result = rv_rig_scene_cook(&rig, "hair", 1, &groom, error);
    if (!result) result = rv_rig_scene_cook(&rig, "s:state", LAST, &now, error);
    if (!result) rv_check_emit(out, k ? "substeps_10" : "substeps_2", farthest(groom, now), 0, 1e-6);
    rv_detail_free(groom);
    rv_detail_free(now);
    rv_rig_scene_close(&rig);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- coils

// A coil that hangs, with the film that it brings.
typedef struct Coil {
  const char* type;
  double radius, pitch;  // m
  int points;
  double film;        // m
  const char* parms;  // of the solver
} Coil;
#define COIL_LENGTH 0.25  // m of fibre

// What a coil comes to.
typedef struct Droop {
  double way;       // m: how far its tip sinks below the groom
  double expected;  // m: the same of a close-coiled spring of the groom's shape under its own weight
  double wetness;   // 0 where the node has none
} Droop;

// Torsion of the defaults' fibre under the weight below each edge, 2 rho g / (G r^2) times the sum of
// (S - s) R^2 l over the edges; R is the distance from the axis of the coil, at the mean of its points.
static double torsion_of(const float* P, int points) {
  const double density = 1320, gravity = 9.81, shear = 8.9e8, radius = 4e-5;
  double x = 0;
  double z = 0;
  for (int i = 0; i < points; ++i) {
    x += (double)P[3 * i] / points;
    z += (double)P[3 * i + 2] / points;
  }
  double sum = 0;
  double below = 0;
  for (int i = points - 2; i >= 0; --i) {
    RvVec3 a = rv_vec3_load(P + 3 * i);
    RvVec3 b = rv_vec3_load(P + 3 * (i + 1));
    RvVec3 ra = rv_vec3(a.x - x, 0, a.z - z);
    RvVec3 rb = rv_vec3(b.x - x, 0, b.z - z);
    double length = rv_distance(a, b);
    double square = (rv_dot(ra, ra) + rv_dot(ra, rb) + rv_dot(rb, rb)) / 3;
    sum += (below + 0.5 * length) * square * length;
    below += length;
  }
  return 2 * density * gravity / (shear * radius * radius) * sum;
}

static RvResult droop(const Coil* coil, Droop* out, RvError* error) {
  enum { LAST = 60 };
  char nodes[2000];
  snprintf(nodes, sizeof nodes,
           "\"hair\": {\"type\": \"groom\", \"parms\": {\"count\": 1, \"layout\": \"row\", \"length\": %g,"
           "  \"lengthrandom\": 0, \"points\": %d, \"style\": \"curly\", \"curlradius\": %g, \"curlpitch\": %g,"
           "  \"curlrandom\": 0, \"curlstart\": 0, \"curlblend\": 0, \"lift\": 1, \"bend\": 0,"
           "  \"directionrandom\": 0}},"
           "\"hang\": {\"type\": \"transform\", \"inputs\": [\"hair\"], \"parms\": {\"rz\": 180}},"
           "\"damp\": {\"type\": \"attribute\", \"inputs\": [\"hang\"], \"parms\": {\"name\": \"filmheight\","
           "  \"value\": [%g, 0, 0, 0]}},"
           "\"s\": {\"type\": \"%s\", \"inputs\": [\"damp\"], \"parms\": {\"damping\": 1,"
           "  \"strandcollisions\": false%s}}",
           COIL_LENGTH, coil->points, coil->radius, coil->pitch, coil->film, coil->type, coil->parms);
  RvSceneRig rig;
  RvDetail *groom = NULL, *now = NULL;
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  result = rv_rig_scene_cook(&rig, "hang", 1, &groom, error);
  if (!result) result = rv_rig_scene_cook(&rig, "s", LAST, &now, error);
  const float* from = result ? NULL : rv_detail_f32(groom, RV_POINT, "P", 3);
  const float* to = result ? NULL : rv_detail_f32(now, RV_POINT, "P", 3);
  const float* wet = result ? NULL : rv_detail_f32(now, RV_POINT, "wetness", 1);
  if (!result && (!from || !to)) result = rv_fail(error, RV_INTERNAL, "the strands have no places");
  if (!result) {
    ptrdiff_t tip = 3 * (ptrdiff_t)(coil->points - 1) + 1;
    out->way = (double)from[tip] - (double)to[tip];
    out->expected = torsion_of(from, coil->points);
    out->wetness = wet ? (double)wet[coil->points / 2] : 0;
  }
  rv_detail_free(groom);
  rv_detail_free(now);
  rv_rig_scene_close(&rig);
  return result;
}

// Eight turns of dry hair in its natural shape, in both solvers.
RvResult rv_check_lookdev_spring(const RvCheckOut* out, RvError* error) {
  // 24 points a turn, then 12; and 48 beside the strand solver, which needs more.
  static const Coil coils[] = {
      {"lookdevsolver", 0.005, 5e-4, 192, 0, ", \"restmode\": \"natural\""},
      {"lookdevsolver", 0.005, 5e-4, 192, 0, ", \"restmode\": \"natural\", \"substeps\": 10, \"niter\": 4"},
      {"lookdevsolver", 0.005, 5e-4, 96, 0, ", \"restmode\": \"natural\""},
      {"strandsolver", 0.005, 5e-4, 384, 0, ", \"restmode\": \"natural\""},
      {"lookdevsolver", 0.005, 5e-4, 384, 0, ", \"restmode\": \"natural\""}};
  enum { COILS = sizeof coils / sizeof *coils };
  Droop d[COILS];
  RvResult result = RV_OK;
  for (int k = 0; k < COILS && !result; ++k) result = droop(&coils[k], &d[k], error);
  if (result) return result;
  rv_check_emit(out, "spring", d[0].way / d[0].expected, 1, 0.05);
  rv_check_emit(out, "spring_substeps", d[1].way / d[0].way, 1, 0.005);
  rv_check_emit(out, "spring_points", d[2].way / d[2].expected, 1, 0.05);
  rv_check_emit(out, "strandsolver", d[3].way / d[4].way, 1, 0.02);
  return RV_OK;
}

RvResult rv_check_lookdev_droop(const RvCheckOut* out, RvError* error) {
#define WET_COIL "\"drip\": 0, \"cohesion\": 0"
  const double film = 4e-4, pitch = 0.003, mass = 2, softness = 0.8;
  // 16 points a turn.
  const Coil coils[] = {
      {"lookdevsolver", 0.005, pitch, 129, film, ", " WET_COIL ", \"wetmass\": 2, \"wetsoftness\": 0"},
      {"lookdevsolver", 0.0025, pitch, 257, film, ", " WET_COIL ", \"wetmass\": 2, \"wetsoftness\": 0"},
      {"lookdevsolver", 0.005, pitch, 129, film, ", " WET_COIL ", \"wetmass\": 0, \"wetsoftness\": 0.8"}};
  Droop d[3];
  RvResult result = RV_OK;
  for (int k = 0; k < 3 && !result; ++k) result = droop(&coils[k], &d[k], error);
  if (result) return result;
  rv_check_emit(out, "loose_over_tight", d[0].way / d[1].way, 4, 0.2);
  rv_check_emit(out, "heavier", d[0].way / (mass * d[0].wetness * d[0].expected), 1, 0.05);
  rv_check_emit(out, "heavier_tight", d[1].way / (mass * d[1].wetness * d[1].expected), 1, 0.05);
  double stiffness = 1 - softness * d[2].wetness;
  rv_check_emit(out, "softer", d[2].way / ((1 / stiffness - 1) * d[2].expected), 1, 0.05);
  return RV_OK;
}
