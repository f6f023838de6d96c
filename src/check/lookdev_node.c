// Checks of the lookdev solver as the node that ships: how a clamped strand hangs, and a groom that stays.
#include <math.h>
#include <stdio.h>

#include "check/list.h"
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

//---------------------------------------------------------------------------------------------- wet coils

// A coil that hangs, wet all along by the film that it brings.
typedef struct Coil {
  double radius;  // m
  int points;
  double mass, softness;  // parameters wetmass and wetsoftness
} Coil;
#define COIL_LENGTH 0.25  // m of fibre

// How far its tip sinks below the groom, and the wetness.
static RvResult droop(const Coil* coil, double* way, double* wetness, RvError* error) {
  enum { LAST = 60 };
  char nodes[2000];
  snprintf(nodes, sizeof nodes,
           "\"hair\": {\"type\": \"groom\", \"parms\": {\"count\": 1, \"layout\": \"row\", \"length\": %g,"
           "  \"lengthrandom\": 0, \"points\": %d, \"style\": \"curly\", \"curlradius\": %g, \"curlpitch\": 0.003,"
           "  \"curlrandom\": 0, \"curlstart\": 0, \"curlblend\": 0, \"lift\": 1, \"bend\": 0,"
           "  \"directionrandom\": 0}},"
           "\"hang\": {\"type\": \"transform\", \"inputs\": [\"hair\"], \"parms\": {\"rz\": 180}},"
           "\"damp\": {\"type\": \"attribute\", \"inputs\": [\"hang\"], \"parms\": {\"name\": \"filmheight\","
           "  \"value\": [4e-4, 0, 0, 0]}},"
           "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"damp\"], \"parms\": {\"drip\": 0, \"cohesion\": 0,"
           "  \"damping\": 1, \"strandcollisions\": false, \"wetmass\": %g, \"wetsoftness\": %g}}",
           COIL_LENGTH, coil->points, coil->radius, coil->mass, coil->softness);
  RvSceneRig rig;
  RvDetail *groom = NULL, *now = NULL;
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  result = rv_rig_scene_cook(&rig, "hang", 1, &groom, error);
  if (!result) result = rv_rig_scene_cook(&rig, "s", LAST, &now, error);
  const float* from = result ? NULL : rv_detail_f32(groom, RV_POINT, "P", 3);
  const float* to = result ? NULL : rv_detail_f32(now, RV_POINT, "P", 3);
  const float* wet = result ? NULL : rv_detail_f32(now, RV_POINT, "wetness", 1);
  if (!result && (!from || !to || !wet)) result = rv_fail(error, RV_INTERNAL, "the strands have no places");
  if (!result) {
    ptrdiff_t tip = 3 * (ptrdiff_t)(coil->points - 1) + 1;
    *way = (double)from[tip] - (double)to[tip];
    *wetness = (double)wet[coil->points / 2];
  }
  rv_detail_free(groom);
  rv_detail_free(now);
  rv_rig_scene_close(&rig);
  return result;
}

// Way of the tip of a close-coiled spring under its own weight, m: the torsion of a fibre of the defaults of the node,
// rho g R^2 S^2 / (G r^2).
static double spring(double coil_radius) {
  const double density = 1320, gravity = 9.81, shear = 8.9e8, radius = 4e-5;
  double ratio = coil_radius * COIL_LENGTH / radius;
  return density * gravity * ratio * ratio / shear;
}

RvResult rv_check_lookdev_droop(const RvCheckOut* out, RvError* error) {
  // 16 points a turn.
  const Coil coils[] = {{0.005, 129, 2, 0}, {0.0025, 257, 2, 0}, {0.005, 129, 0, 0.8}};
  double way[3], wet[3];
  RvResult result = RV_OK;
  for (int k = 0; k < 3 && !result; ++k) result = droop(&coils[k], &way[k], &wet[k], error);
  if (result) return result;
  rv_check_emit(out, "loose_over_tight", way[0] / way[1], 4, 0.2);
  rv_check_emit(out, "heavier", way[0] / (coils[0].mass * wet[0] * spring(0.005)), 1, 0.1);
  rv_check_emit(out, "heavier_tight", way[1] / (coils[1].mass * wet[1] * spring(0.0025)), 1, 0.1);
  double stiffness = 1 - coils[2].softness * wet[2];
  rv_check_emit(out, "softer", way[2] / ((1 / stiffness - 1) * spring(0.005)), 1, 0.1);
  return RV_OK;
}
