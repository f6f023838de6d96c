// Checks of the continuum solver as the node that ships: how a clamped strand hangs, whatever its points and steps, and
// how it swings by the explicit method.
#include <math.h>
#include <stdio.h>

#include "check/list.h"
#include "math/vec.h"
#include "rig/scene.h"

static const double LENGTH = 0.05;  // m from the root to the tip

// A horizontal strand and its solver.
typedef struct Hang {
  int points;
  const char* parms;
  double gamma;
  double drag;  // kg/(m s)
  int last;     // frame that is looked at; the first is 1, at 24 a second
} Hang;

static const double DRAG = 6e-4;  // that brings a strand to rest within five seconds
enum { FIVE_SECONDS = 121 };

// Place of the tip from the root at the last frame, in lengths.
static RvResult hang(const Hang* h, RvVec3* tip, RvError* error) {
  const double radius = 50e-6, density = 1300, gravity = 9.81;
  const double youngs = density * gravity * 4 * LENGTH * LENGTH * LENGTH / (h->gamma * radius * radius);
  char nodes[2000];
  snprintf(nodes, sizeof nodes,
           "\"hair\": {\"type\": \"groom\", \"parms\": {\"count\": 1, \"layout\": \"row\", \"length\": %.17g,"
           "  \"points\": %d, \"style\": \"straight\", \"lift\": 1, \"bend\": 0, \"directionrandom\": 0,"
           "  \"lengthrandom\": 0}},"
           "\"lie\": {\"type\": \"transform\", \"inputs\": [\"hair\"], \"parms\": {\"rz\": -90}},"
           "\"plain\": {\"type\": \"attribute\", \"inputs\": [\"lie\"], \"parms\": {\"name\": \"hairradius\","
           "  \"class\": \"prim\", \"value\": [%g, 0, 0, 0]}},"
           "\"s\": {\"type\": \"continuumsolver\", \"inputs\": [\"plain\"], \"parms\": {\"restmode\": \"natural\","
           "  \"damping\": 0, \"density\": %g, \"youngs\": %.17g, \"shear\": %.17g, \"dragnormal\": %g,"
           "  \"dragtangent\": %g%s}}",
           LENGTH, h->points, radius, density, youngs, youngs / 2.6, h->drag, h->drag, h->parms);
  RvSceneRig rig;
  RvDetail* now = NULL;
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  result = rv_rig_scene_cook(&rig, "s:state", h->last, &now, error);
  const double* x = result ? NULL : rv_detail_f64(now, RV_POINT, "rv_x", 3);
  if (!result && !x) result = rv_fail(error, RV_INTERNAL, "the state has no places");
  if (!result)
    *tip = rv_scale(rv_sub(rv_vec3_load64(x + (ptrdiff_t)3 * (h->points - 1)), rv_vec3_load64(x)), 1 / LENGTH);
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
    const Hang ways[] = {{31, "", gamma, DRAG, FIVE_SECONDS},
                         {16, "", gamma, DRAG, FIVE_SECONDS},
                         {31, ", \"substeps\": 2", gamma, DRAG, FIVE_SECONDS},
                         {31, ", \"substeps\": 10", gamma, DRAG, FIVE_SECONDS}};
    double sag[4];
    char name[64];
    for (int k = 0; k < 4 && !result; ++k) {
      RvVec3 tip = {0};
      result = hang(&ways[k], &tip, error);
      sag[k] = -tip.y;
    }
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

// A strand is let go and swings for an eighth of a second: by Runge and Kutta's method, by the midpoint rule and by
// implicit Euler. Small swings: in large ones the midpoint rule, whose spins enter as at the start of the step, is of
// first order.
RvResult rv_check_continuum_explicit(const RvCheckOut* out, RvError* error) {
  enum { LAST = 4, POINTS = 4 };
  static const char* const parms[] = {", \"integrator\": \"rk4\"", ", \"integrator\": \"rk4\", \"substeps\": 1000",
                                      ", \"integrator\": \"midpoint\", \"substeps\": 250",
                                      ", \"integrator\": \"midpoint\", \"substeps\": 500",
                                      ", \"integrator\": \"euler\", \"substeps\": 500"};
  RvVec3 tip[5] = {0};
  RvResult result = RV_OK;
  for (int k = 0; k < 5 && !result; ++k) result = hang(&(Hang){POINTS, parms[k], 0.2, 0, LAST}, &tip[k], error);
  if (result) return result;
  const double coarse = rv_distance(tip[2], tip[0]), fine = rv_distance(tip[3], tip[0]);
  rv_check_emit(out, "swings", tip[0].y < -1e-3, 1, 0);
  rv_check_emit(out, "steps_of_stability", rv_distance(tip[1], tip[0]), 0, 0.01 * fine);
  rv_check_emit(out, "midpoint", fine, 0, 1e-4);
  rv_check_emit(out, "midpoint_order", log2(coarse / fine), 2, 0.3);
  rv_check_emit(out, "euler_is_farther", rv_distance(tip[4], tip[0]) > 4 * fine, 1, 0);
  return result;
}
