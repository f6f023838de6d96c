// Checks of the continuum solver as the node that ships: how a clamped strand hangs, whatever its points and steps.
#include <math.h>
#include <stdio.h>

#include "check/list.h"
#include "rig/scene.h"

static const double LENGTH = 0.05;  // m from the root to the tip

// A horizontal strand and its solver.
typedef struct Hang {
  int points;
  const char* parms;
  double gamma;
} Hang;

// Sag of the tip after five seconds, in lengths.
static RvResult hang(const Hang* h, double* sag, RvError* error) {
  const double radius = 50e-6, density = 1300, gravity = 9.81;
  const double youngs = density * gravity * 4 * LENGTH * LENGTH * LENGTH / (h->gamma * radius * radius);
  enum { LAST = 121 };
  char nodes[2000];
  snprintf(nodes, sizeof nodes,
           "\"hair\": {\"type\": \"groom\", \"parms\": {\"count\": 1, \"layout\": \"row\", \"length\": %.17g,"
           "  \"points\": %d, \"style\": \"straight\", \"lift\": 1, \"bend\": 0, \"directionrandom\": 0,"
           "  \"lengthrandom\": 0}},"
           "\"lie\": {\"type\": \"transform\", \"inputs\": [\"hair\"], \"parms\": {\"rz\": -90}},"
           "\"plain\": {\"type\": \"attribute\", \"inputs\": [\"lie\"], \"parms\": {\"name\": \"hairradius\","
           "  \"class\": \"prim\", \"value\": [%g, 0, 0, 0]}},"
           "\"s\": {\"type\": \"continuumsolver\", \"inputs\": [\"plain\"], \"parms\": {\"restmode\": \"natural\","
           "  \"damping\": 0, \"density\": %g, \"youngs\": %.17g, \"shear\": %.17g, \"dragnormal\": 6e-4,"
           "  \"dragtangent\": 6e-4%s}}",
           LENGTH, h->points, radius, density, youngs, youngs / 2.6, h->parms);
  RvSceneRig rig;
  RvDetail* now = NULL;
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  result = rv_rig_scene_cook(&rig, "s:state", LAST, &now, error);
  const double* x = result ? NULL : rv_detail_f64(now, RV_POINT, "rv_x", 3);
  if (!result && !x) result = rv_fail(error, RV_INTERNAL, "the state has no places");
  if (!result) *sag = -(x[(ptrdiff_t)3 * (h->points - 1) + 1] - x[1]) / LENGTH;
  rv_detail_free(now);
  rv_rig_scene_close(&rig);
  return result;
}

RvResult rv_check_continuum_hang(const RvCheckOut* out, RvError* error) {
  // The heavy elastica, spec 8.1.
  static const double elastica[][2] = {{1, 0.12347}, {5, 0.49591}, {10, 0.70020}};
  RvResult result = RV_OK;
  for (int g = 0; g < 3 && !result; ++g) {
    const double gamma = elastica[g][0], expected = elastica[g][1];
    const Hang ways[] = {
        {31, "", gamma}, {16, "", gamma}, {31, ", \"substeps\": 2", gamma}, {31, ", \"substeps\": 10", gamma}};
    double sag[4];
    char name[64];
    for (int k = 0; k < 4 && !result; ++k) result = hang(&ways[k], &sag[k], error);
    if (result) break;
    // Second order: 15 links err four times as much as 30, which are within 0.5%.
    snprintf(name, sizeof name, "gamma_%g", gamma);
    rv_check_emit(out, name, sag[0], expected, 5e-3 * expected);
    snprintf(name, sizeof name, "gamma_%g_links_15", gamma);
    rv_check_emit(out, name, sag[1], expected, 2e-2 * expected);
    snprintf(name, sizeof name, "gamma_%g_substeps_2", gamma);
    rv_check_emit(out, name, sag[2], sag[0], 1e-3 * expected);
    snprintf(name, sizeof name, "gamma_%g_substeps_10", gamma);
    rv_check_emit(out, name, sag[3], sag[0], 1e-3 * expected);
  }
  return result;
}
