// Checks of wet hair in the node lookdevsolver: what does not clump, how porosity weakens clumps, and hair that dries
// (AH-20, AH-21, AH-23).
#include <math.h>
#include <stdio.h>

#include "check/check.h"
#include "check/list.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "rig/scene.h"

#define LENGTH 0.06  // m, of the strands
enum { STRANDS = 40 };

// A tuft of straight hair that hangs.
typedef struct Tuft {
  int points;          // of a strand
  int substeps;        // of a frame
  double film;         // m: filmheight of the input
  const char* liquid;  // a node "w"
  const char* parms;   // of the solver
} Tuft;

// The spacing of the liquid, where there is none.
#define SEPARATION ", \"particlesep\": 0.004"
// Water around the whole tuft, in a tank that it fills.
#define POOL                                                                                       \
  "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.048, 0.136, 0.048], \"t\": [0, -0.01, 0]," \
  "  \"particlesep\": 0.004}},"
#define IN_POOL                                                                                   \
  ", \"walls\": true, \"wallsmin\": [-0.024, -0.078, -0.024], \"wallsmax\": [0.024, 0.1, 0.024]," \
  "  \"drag\": 0, \"adhesion\": 0, \"capture\": 0"

// Strands at a frame; free *now.
static RvResult cook_tuft(const Tuft* tuft, int frame, RvDetail** now, RvError* error) {
  char nodes[2000];
  RvSceneRig rig;
  snprintf(nodes, sizeof nodes,
           "\"hair\": {\"type\": \"groom\", \"parms\": {\"layout\": \"disk\", \"size\": 0.02, \"count\": %d,"
           "  \"length\": %g, \"lengthrandom\": 0, \"points\": %d, \"lift\": 1, \"bend\": 0}},"
           "\"hang\": {\"type\": \"transform\", \"inputs\": [\"hair\"], \"parms\": {\"r\": [180, 0, 0]}},"
           "\"damp\": {\"type\": \"attribute\", \"inputs\": [\"hang\"], \"parms\": {\"name\": \"filmheight\","
           "  \"value\": [%g, 0, 0, 0]}},"
           "%s"
           "\"s\": {\"type\": \"lookdevsolver\", \"inputs\": [\"damp\", %s], \"parms\": {\"hairsperguide\": 20,"
           "  \"drip\": 0, \"strandcollisions\": false, \"substeps\": %d%s}}",
           STRANDS, LENGTH, tuft->points, tuft->film, tuft->liquid ? tuft->liquid : "", tuft->liquid ? "\"w\"" : "null",
           tuft->substeps, tuft->parms);
  RvResult result = rv_rig_scene_open(&rig, nodes, error);
  if (result) return result;
  result = rv_rig_scene_cook(&rig, "s", frame, now, error);
  rv_rig_scene_close(&rig);
  return result;
}

// Largest distance between the points of two tufts, m.
static double apart(const RvDetail* a, const RvDetail* b) {
  const float* p = rv_detail_f32(a, RV_POINT, "P", 3);
  const float* q = rv_detail_f32(b, RV_POINT, "P", 3);
  const size_t count = rv_detail_count(a, RV_POINT);
  if (!p || !q || rv_detail_count(b, RV_POINT) != count) return INFINITY;
  double most = 0;
  for (size_t i = 0; i < count; ++i) most = rv_max(most, rv_distance(rv_vec3_load(p + 3 * i), rv_vec3_load(q + 3 * i)));
  return most;
}

// Largest distance between the points of the same tuft with other parameters, and at another frame.
static RvResult difference(const Tuft* one, int frame, const Tuft* other, int other_frame, double* most,
                           RvError* error) {
  RvDetail* a = NULL;
  RvDetail* b = NULL;
  RvResult result = cook_tuft(one, frame, &a, error);
  if (!result) result = cook_tuft(other, other_frame, &b, error);
  if (!result) *most = apart(a, b);
  rv_detail_free(a);
  rv_detail_free(b);
  return result;
}

// How far cohesion moves any point of a tuft in half a second, with other parameters `more` in both runs.
static RvResult pull(Tuft tuft, double cohesion, const char* more, double* most, RvError* error) {
  enum { LAST = 13 };
  char with[400];
  char without[400];
  Tuft loose = tuft;
  snprintf(with, sizeof with, ", \"cohesion\": %g%s", cohesion, more);
  snprintf(without, sizeof without, ", \"cohesion\": 0%s", more);
  tuft.parms = with;
  loose.parms = without;
  return difference(&tuft, LAST, &loose, LAST, most, error);
}

#define FILM 3e-5  // m
static const Tuft coarse = {.points = 20, .substeps = 5, .film = FILM};
static const Tuft fine = {.points = 40, .substeps = 10, .film = FILM};

// Tufts with more pores around each than lists hold clump as others do; dry ones and those under water do not.
static RvResult check_clumps(const RvCheckOut* out, RvError* error) {
  const Tuft dry = {.points = 20, .substeps = 5};
  const Tuft crowded = {.points = 80, .substeps = 5, .film = FILM};
  const Tuft under = {.points = 10, .substeps = 10, .film = FILM, .liquid = POOL};
  const Tuft under_fine = {.points = 20, .substeps = 20, .film = FILM, .liquid = POOL};
  double air = 0;
  double moved[5] = {0};
  RvResult result = pull(coarse, 1, SEPARATION, &air, error);
  if (!result) result = pull(fine, 1, SEPARATION, &moved[0], error);
  if (!result) result = pull(crowded, 1, SEPARATION, &moved[1], error);
  if (!result) result = pull(dry, 1, SEPARATION, &moved[2], error);
  if (!result) result = pull(under, 1, IN_POOL, &moved[3], error);
  if (!result) result = pull(under_fine, 1, IN_POOL, &moved[4], error);
  if (result) return result;
  rv_check_emit(out, "clumps", air > 0.05 * LENGTH, 1, 0);
  rv_check_emit(out, "clumps_40_points", moved[0] / air, 1, 0.1);
  rv_check_emit(out, "clumps_80_points", moved[1] / air, 1, 0.1);
  rv_check_emit(out, "dry", moved[2], 0, 0);
  rv_check_emit(out, "under_water", moved[3] / air, 0, 1e-3);
  rv_check_emit(out, "under_water_fine", moved[4] / air, 0, 1e-3);
  return RV_OK;
}

RvResult rv_check_lookdev_locks(const RvCheckOut* out, RvError* error) {
  const Tuft* const ways[] = {&coarse, &fine};
  static const char* const porosity[] = {"porosity", "porosity_fine"};
  static const char* const clumped[] = {"clumped", "clumped_fine"};
  static const char* const dried[] = {"dried", "dried_fine"};
  enum { WET_FRAME = 25, DRY_FRAME = 145 };
  RvResult result = check_clumps(out, error);
  for (int k = 0; k < 2 && !result; ++k) {
    // Weak forces, in whose proportion the tips move.
    const double weak = 0.02;
    double once = 0;
    double twice = 0;
    result = pull(*ways[k], weak, SEPARATION ", \"porosity\": 0.2", &once, error);
    if (!result) result = pull(*ways[k], weak, SEPARATION ", \"porosity\": 0.4", &twice, error);
    if (!result) rv_check_emit(out, porosity[k], twice / once, 0.5, 0.05);
  }
  for (int k = 0; k < 2 && !result; ++k) {
    Tuft drying = *ways[k];
    double wet = 0;
    double back = 0;
    drying.parms = SEPARATION ", \"drying\": 2e-5";
    result = difference(&drying, 1, &drying, WET_FRAME, &wet, error);
    if (!result) result = difference(&drying, 1, &drying, DRY_FRAME, &back, error);
    if (result) break;
    rv_check_emit(out, clumped[k], wet > 1e-3 * LENGTH, 1, 0);
    rv_check_emit(out, dried[k], back / LENGTH, 0, 1e-4);
  }
  return result;
}
