// Checks wet_dry, wet_dry_flip and wet_touch (WH-12, WH-31, WH-46): hair that gets wet and dries again, through the
// nodes: clumps, distance from the groom, and the attribute wetness.
#include <math.h>

#include "check/list.h"
#include "rig/scene.h"

//---------------------------------------------------------------------------------------------- dry, wet, dry

// A hanging tuft of 24 hairs with film, which dries in half a second.
static const char tuft[] =
    "\"skin\": {\"type\": \"grid\", \"parms\": {\"size\": [0.0012, 0.0012], \"rows\": 4, \"cols\": 4}},"
    "\"under\": {\"type\": \"transform\", \"inputs\": [\"skin\"], \"parms\": {\"rx\": 180}},"
    "\"hair\": {\"type\": \"groom\", \"inputs\": [\"under\"], \"parms\": {\"count\": 24, \"length\": 0.05, \"points\": "
    "12,"
    "  \"lift\": 1, \"bend\": 0, \"directionrandom\": 0.02}},"
    "\"damp\": {\"type\": \"attribute\", \"inputs\": [\"hair\"], \"parms\": {\"name\": \"filmheight\","
    "  \"value\": [0.00013, 0, 0, 0]}},"
    "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"damp\"], \"parms\": {\"drying\": 2e-4, \"absorption\": 5,"
    "  \"killbox\": true, \"killmin\": [-1, -0.06, -1], \"killmax\": [1, 1, 1]}}";

// Largest magnitude of a point attribute; NaN without it.
static double largest(const RvDetail* d, const char* name) {
  const float* a = rv_detail_f32(d, RV_POINT, name, 1);
  double result = 0;
  for (size_t i = 0; a && i < rv_detail_count(d, RV_POINT); ++i) result = fmax(result, fabs((double)a[i]));
  return a ? result : NAN;
}

// Mean distance of corresponding points, m.
static double mean_distance(const RvDetail* a, const RvDetail* b) {
  const float *p = rv_detail_f32(a, RV_POINT, "P", 3), *q = rv_detail_f32(b, RV_POINT, "P", 3);
  double sum = 0;
  size_t n = rv_detail_count(a, RV_POINT);
  for (size_t i = 0; i < n; ++i) {
    double square = 0;
    for (size_t c = 0; c < 3; ++c) square += pow((double)p[3 * i + c] - (double)q[3 * i + c], 2);
    sum += sqrt(square);
  }
  return sum / (double)n;
}

// Root mean square distance of the tips from their centre in the plane xz, m; n points a strand.
static double spread(const RvDetail* d, size_t n) {
  const float* P = rv_detail_f32(d, RV_POINT, "P", 3);
  size_t strands = rv_detail_count(d, RV_POINT) / n;
  double square = 0;
  for (size_t c = 0; c < 3; c += 2) {
    double mean = 0, total = 0;
    for (size_t k = 0; k < strands; ++k) mean += (double)P[3 * (k * n + n - 1) + c] / (double)strands;
    for (size_t k = 0; k < strands; ++k) total += pow((double)P[3 * (k * n + n - 1) + c] - mean, 2);
    square += total;
  }
  return sqrt(square / (double)strands);
}

// A scene whose node "s" has strands that are wet at first and dry in the last frame.
typedef struct Drying {
  const char* nodes;
  int strands, points;  // points of a strand
  int wet_frame;        // frame at which they hang in one bundle; 0: they hang in several
  int last_frame;
  double length;  // m
} Drying;

// Cooks the scene and compares its last frame with the groom.
static RvResult dry_out(const RvCheckOut* out, const Drying* d, RvError* error) {
  RvSceneRig rig;
  RvDetail *groom = NULL, *now = NULL, *wet = NULL;
  size_t points = (size_t)d->points;
  RvResult result = rv_rig_scene_open(&rig, d->nodes, error);
  if (result) return result;
  // The groom, the wet frame and the last one.
  result = rv_rig_scene_cook(&rig, "s", 1, &groom, error);
  if (!result) result = rv_rig_scene_run(&rig, d->last_frame, error);
  if (!result && d->wet_frame) result = rv_rig_scene_cook(&rig, "s", d->wet_frame, &wet, error);
  if (!result) result = rv_rig_scene_cook(&rig, "s", d->last_frame, &now, error);
  // Wet: clumps and spread of the tips. Dry: no liquid, clumps and groom as before.
  if (!result) {
    rv_check_emit(out, "clumped", rig.figures.fewest_clumps / d->strands, 0, 0.6);
    if (wet) rv_check_emit(out, "drawn_together", spread(wet, points) / spread(groom, points), 0, 0.7);
    rv_check_emit(out, "film", largest(now, "filmheight"), 0, 0);
    rv_check_emit(out, "absorbed", largest(now, "absorbed"), 0, 0);
    rv_check_emit(out, "clumps", rig.figures.clumps / d->strands, 1, 0.2);
    rv_check_emit(out, "from_groom", mean_distance(groom, now) / d->length, 0, 0.02);
    rv_check_emit(out, "volume", rig.figures.drift, 0, 1e-12);
  }
  rv_detail_free(groom);
  rv_detail_free(wet);
  rv_detail_free(now);
  rv_rig_scene_close(&rig);
  return result;
}

RvResult rv_check_wet_dry(const RvCheckOut* out, RvError* error) {
  const Drying drying = {.nodes = tuft, .strands = 24, .points = 12, .wet_frame = 8, .last_frame = 30, .length = 0.05};
  return dry_out(out, &drying, error);
}

// Head and hair of the wet hair flip, with the same density, on a patch of the crown.
static const char crown[] =
    "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.1, \"rows\": 49, \"cols\": 72}},"
    "\"skull\": {\"type\": \"transform\", \"inputs\": [\"ball\"], \"parms\": {\"s\": [0.8, 1.15, 0.98]}},"
    "\"crown\": {\"type\": \"group\", \"inputs\": [\"skull\"], \"parms\": {\"groupname\": \"scalp\","
    "  \"grouptype\": \"prims\", \"mode\": \"box\", \"boxmin\": [-0.02, 0.052, -0.02], \"boxmax\": [0.02, 0.2, 0.02]}},"
    "\"bowed\": {\"type\": \"transform\", \"inputs\": [\"crown\"], \"parms\": {\"p\": [0, -0.14, -0.02], \"rx\": 118}},"
    "\"hair\": {\"type\": \"groom\", \"inputs\": [\"bowed\"], \"parms\": {\"group\": \"scalp\", \"count\": 64,"
    "  \"length\": 0.28, \"lengthrandom\": 0.15, \"points\": 18, \"style\": \"wavy\", \"curlradius\": 0.003,"
    "  \"curlpitch\": 0.11, \"lift\": 0.35, \"bend\": 0.97, \"bendlength\": 0.03, \"direction\": [0, -1, 0],"
    "  \"directionrandom\": 0.06}},"
    "\"damp\": {\"type\": \"attribute\", \"inputs\": [\"hair\"], \"parms\": {\"name\": \"filmheight\","
    "  \"value\": [0.0003, 0, 0, 0]}},"
    "\"head\": {\"type\": \"collider\", \"inputs\": [\"bowed\"]},"
    "\"nod\": {\"type\": \"transform\", \"inputs\": [\"head\"], \"parms\": {\"p\": [0, -0.14, -0.02], \"rx\":"
    "  {\"keys\": [[1, 0], [6, -20], [12, 0]], \"interp\": \"smooth\", \"extend\": \"hold\"}}},"
    "\"follow\": {\"type\": \"deform\", \"inputs\": [\"damp\", \"head\", \"nod\"]},"
    "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"follow\", null, \"nod\"], \"parms\": {\"substeps\": 4,"
    "  \"tolerance\": 0.01, \"hairsperguide\": 10, \"friction\": 0.1, \"reststiffen\": 8, \"drying\": 4e-4,"
    "  \"killbox\": true, \"killmin\": [-1, -0.6, -1], \"killmax\": [1, 1, 1]}}";

RvResult rv_check_wet_dry_flip(const RvCheckOut* out, RvError* error) {
  const Drying drying = {.nodes = crown, .strands = 64, .points = 18, .wet_frame = 0, .last_frame = 48, .length = 0.28};
  return dry_out(out, &drying, error);
}

//---------------------------------------------------------------------------------------------- wetness

// A drop at rest on dry hair, so dense (0.5 mm) that it holds liquid between its hairs. On hairs farther apart a drop leaves
// no more than the film of Landau, Levich and Quere, a tenth of their radius.
static const char drop[] =
    "\"skin\": {\"type\": \"grid\", \"parms\": {\"size\": [0.01, 0.01], \"rows\": 4, \"cols\": 4}},"
    "\"hair\": {\"type\": \"groom\", \"inputs\": [\"skin\"], \"parms\": {\"count\": 400, \"length\": 0.012, "
    "\"points\": 8}},"
    "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.004}},"
    "\"up\": {\"type\": \"transform\", \"inputs\": [\"ball\"], \"parms\": {\"t\": [0, 0.013, 0]}},"
    "\"w\": {\"type\": \"fill\", \"inputs\": [\"up\"], \"parms\": {\"particlesep\": 0.001}},"
    "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"hair\", \"w\"]}";

// Largest change of wetness in a frame, largest wetness, and largest film height over the default radius of hair.
RvResult rv_check_wet_touch(const RvCheckOut* out, RvError* error) {
  enum { FRAMES = 8 };
  static const double HAIR_RADIUS = 3.5e-5;  // m: default of the solver
  RvSceneRig rig;
  RvDetail* before = NULL;
  double largest_change = 0, wettest = 0, height = 0;
  RvResult result = rv_rig_scene_open(&rig, drop, error);
  if (result) return result;
  for (int f = 1; f <= FRAMES && !result; ++f) {
    RvDetail* now;
    result = rv_rig_scene_cook(&rig, "s", f, &now, error);
    const float* a = before ? rv_detail_f32(before, RV_POINT, "wetness", 1) : NULL;
    const float* b = now ? rv_detail_f32(now, RV_POINT, "wetness", 1) : NULL;
    for (size_t i = 0; a && b && i < rv_detail_count(now, RV_POINT); ++i) {
      largest_change = fmax(largest_change, fabs((double)b[i] - (double)a[i]));
      wettest = fmax(wettest, (double)b[i]);
    }
    if (now) height = fmax(height, largest(now, "filmheight"));
    rv_detail_free(before);
    before = now;
  }
  if (!result) {
    rv_check_emit(out, "wetness_a_frame", largest_change, 0, 0.25);
    rv_check_emit(out, "wettest", wettest, 1, 0.5);
    rv_check_emit(out, "film_in_radii", fmin(height / HAIR_RADIUS, 1), 1, 0);
  }
  rv_detail_free(before);
  rv_rig_scene_close(&rig);
  return result;
}
