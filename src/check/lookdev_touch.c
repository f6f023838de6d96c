// Checks of the lookdev node: friction of hair on a belt, and frames that turn with the head.
#include <math.h>
#include <stdio.h>

#include "check/list.h"
#include "math/scalar.h"
#include "rig/scene.h"

#define LENGTH 0.05  // m from the clamp, the middle of the first edge, to the tip

//---------------------------------------------------------------------------------------------- friction

typedef struct Belt {
  double friction;
  int substeps, points;
} Belt;

// A horizontal strand lies on a belt that moves sideways: how far friction carries its tip, in lengths. Its weight has
// Gamma 2, so that friction of 0.5 is a sideways load of Gamma 1.
static RvResult lie(const Belt* b, double* tip, RvError* error) {
  const double radius = 50e-6, density = 1300, gravity = 9.81, gamma = 2;
  const double youngs = density * gravity * 4 * LENGTH * LENGTH * LENGTH / (gamma * radius * radius);
  const double whole = LENGTH * (b->points - 1) / (b->points - 1.5);
  enum { LAST = 121 };
  char nodes[2400];
  snprintf(nodes, sizeof nodes,
           "\"hair\": {\"type\": \"groom\", \"parms\": {\"count\": 1, \"layout\": \"row\", \"length\": %.17g,"
           "  \"points\": %d, \"style\": \"straight\", \"lift\": 1, \"bend\": 0, \"directionrandom\": 0,"
           "  \"lengthrandom\": 0}},"
           "\"flat\": {\"type\": \"transform\", \"inputs\": [\"hair\"], \"parms\": {\"rz\": -90}},"
           "\"plain\": {\"type\": \"attribute\", \"inputs\": [\"flat\"], \"parms\": {\"name\": \"hairradius\","
           "  \"class\": \"prim\", \"value\": [%g, 0, 0, 0]}},"
           "\"slab\": {\"type\": \"box\", \"parms\": {\"size\": [0.16, 0.02, 0.5], \"t\": [0.03, -0.01, 0]}},"
           "\"solid\": {\"type\": \"collider\", \"inputs\": [\"slab\"], \"parms\": {\"friction\": %g,"
           "  \"voxelsize\": 0.005}},"
           "\"belt\": {\"type\": \"transform\", \"inputs\": [\"solid\"], \"parms\": {\"tz\": {\"keys\": [[1, -0.125],"
           "  [121, 0.125]], \"interp\": \"linear\"}}},"
           "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"plain\", null, \"belt\"], \"parms\": {\"restmode\":"
           "  \"natural\", \"damping\": 0, \"density\": %g, \"youngs\": %.17g, \"shear\": %.17g, \"dragnormal\": 6e-4,"
           "  \"dragtangent\": 6e-4, \"rootfree\": 0, \"thickness\": 0, \"strandcollisions\": false,"
           "  \"substeps\": %d}}",
           whole, b->points, radius, b->friction, density, youngs, youngs / 2.6, b->substeps);
  RvSceneRig rig;
  RvDetail* now = NULL;
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  result = rv_rig_scene_cook(&rig, "s:state", LAST, &now, error);
  const double* x = result ? NULL : rv_detail_f64(now, RV_POINT, "rv_x", 3);
  if (!result && !x) result = rv_fail(error, RV_INTERNAL, "the state has no places");
  if (!result) *tip = (x[3 * (b->points - 1) + 2] - 0.5 * (x[2] + x[5])) / LENGTH;
  rv_detail_free(now);
  rv_rig_scene_close(&rig);
  return result;
}

RvResult rv_check_lookdev_friction(const RvCheckOut* out, RvError* error) {
  const double elastica = 0.12347;  // sideways, of Gamma 1 (spec 8.1)
  const Belt ways[] = {{0.5, 5, 30}, {0.5, 1, 30}, {0.5, 10, 15}, {0, 5, 30}};
  double tip[4] = {0};
  RvResult result = RV_OK;
  for (int k = 0; k < 4 && !result; ++k) result = lie(&ways[k], &tip[k], error);
  if (result) return result;
  rv_check_emit(out, "belt", tip[0] / elastica, 1, 0.02);
  rv_check_emit(out, "belt_one_substep", tip[1] / elastica, 1, 0.02);
  rv_check_emit(out, "belt_15_points", tip[2] / elastica, 1, 0.03);
  rv_check_emit(out, "no_friction", tip[3], 0, 1e-6);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- turn

#define COILS                                                                                             \
  "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.05}},"                                      \
  "\"grown\": {\"type\": \"groom\", \"inputs\": [\"ball\"], \"parms\": {\"count\": 16, \"length\": 0.05," \
  "  \"points\": 24, \"style\": \"coiled\"}},"
// Two bent strands that bring no frames: these follow the common motion of the roots, which one alone would not define.
#define BENT(name, coords) \
  "\"" name "\": {\"type\": \"curve\", \"parms\": {\"method\": \"coords\", \"coords\": \"" coords "\"}},"
#define CURVES                                                                                                       \
  BENT("one", "0.02 0 0, 0.023 0.004 0, 0.027 0.007 0.001, 0.031 0.008 0.004, 0.034 0.007 0.008, 0.035 0.005 0.012") \
  BENT("two", "0 0 0.03, 0.001 0.002 0.034, 0 0.006 0.037, 0 0.011 0.038, 0.003 0.014 0.036, 0.007 0.014 0.034")     \
  "\"grown\": {\"type\": \"merge\", \"inputs\": [\"one\", \"two\"]},"

// Strands without weight that turn by 200 degrees about y: how far they are at the end from the groom that turns with
// them, in lengths of a strand.
static RvResult turn(const char* grown, int substeps, double* away, RvError* error) {
  enum { LAST = 97 };
  char nodes[2000];
  snprintf(nodes, sizeof nodes,
           "%s"
           "\"spun\": {\"type\": \"transform\", \"inputs\": [\"grown\"], \"parms\": {\"ry\": {\"keys\": [[1, 0],"
           "  [25, 200]], \"interp\": \"smooth\", \"extend\": \"hold\"}}},"
           "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"spun\"], \"parms\": {\"gravity\": [0, 0, 0],"
           "  \"dragnormal\": 1e-3, \"dragtangent\": 1e-3, \"strandcollisions\": false, \"substeps\": %d}}",
           grown, substeps);
  RvSceneRig rig;
  RvDetail *goal = NULL, *now = NULL;
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  result = rv_rig_scene_cook(&rig, "spun", LAST, &goal, error);
  if (!result) result = rv_rig_scene_cook(&rig, "s:state", LAST, &now, error);
  const float* p = result ? NULL : rv_detail_f32(goal, RV_POINT, "P", 3);
  const double* x = result ? NULL : rv_detail_f64(now, RV_POINT, "rv_x", 3);
  const double* origin = result ? NULL : rv_detail_f64(now, RV_GLOBAL, "rv_origin", 3);
  if (!result && (!p || !x || !origin)) result = rv_fail(error, RV_INTERNAL, "the state has no places");
  *away = 0;
  for (size_t i = 0; !result && i < 3 * rv_detail_count(now, RV_POINT); ++i)
    *away = rv_max(*away, fabs(x[i] + origin[i % 3] - (double)p[i]) / LENGTH);
  rv_detail_free(goal);
  rv_detail_free(now);
  rv_rig_scene_close(&rig);
  return result;
}

RvResult rv_check_lookdev_turn(const RvCheckOut* out, RvError* error) {
  double away[3] = {0};
  RvResult result = turn(COILS, 2, &away[0], error);
  if (!result) result = turn(COILS, 10, &away[1], error);
  if (!result) result = turn(CURVES, 5, &away[2], error);
  if (result) return result;
  rv_check_emit(out, "substeps_2", away[0], 0, 1e-4);
  rv_check_emit(out, "substeps_10", away[1], 0, 1e-4);
  rv_check_emit(out, "without_orient", away[2], 0, 1e-4);
  return RV_OK;
}
