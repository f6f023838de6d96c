// Checks wet_dry and wet_touch: what an artist sees of hair that gets wet and dries again, from the nodes.
#include <math.h>

#include "cli/check_list.h"
#include "cli/scene_rig.h"

//---------------------------------------------------------------------------------------------- dry, wet, dry

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

// what the frames reported
typedef struct Seen {
  double clumps, least, drift;
} Seen;

static void see(void* user, const RvFrameReport* report) {
  Seen* s = user;
  const RvLedger* l = &report->stats.ledger;
  s->clumps = (double)report->stats.clumps;
  if (report->frame > 1) s->least = fmin(s->least, s->clumps);
  double in = l->initial + l->sources, out = l->killed + l->evaporated + l->outflow;
  s->drift = fmax(s->drift, fabs(l->bulk + l->film + l->absorbed + out - in) / in);
}

static double largest(const RvDetail* d, const char* name) {
  const float* a = rv_detail_f32(d, RV_POINT, name, 1);
  double most = 0;
  for (size_t i = 0; a && i < rv_detail_count(d, RV_POINT); ++i) most = fmax(most, fabs((double)a[i]));
  return a ? most : NAN;
}

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

// root mean square distance of the tips from their middle
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

RvResult rv_check_wet_dry(const RvCheckOut* out, RvError* error) {
  enum { STRANDS = 24, LAST = 30 };
  RvSceneRig rig;
  RvDetail *groom = NULL, *now = NULL, *wet = NULL;
  Seen seen = {.least = STRANDS};
  RvResult result = rv_scene_rig_open(&rig, tuft, error);
  if (result) return result;
  rv_scene_set_hooks(rig.scene, &(RvSceneHooks){.user = &seen, .frame_done = see});
  result = rv_scene_rig_cook(&rig, "s", 1, &groom, error);
  if (!result) result = rv_scene_run(rig.scene, &(RvRun){.node = "s", .first = 1, .last = LAST}, error);
  if (!result) result = rv_scene_rig_cook(&rig, "s", 8, &wet, error);
  if (!result) result = rv_scene_rig_cook(&rig, "s", LAST, &now, error);
  if (!result) {
    rv_check_emit(out, "clumped", seen.least / STRANDS, 0, 0.6);
    rv_check_emit(out, "drawn_together", spread(wet, 12) / spread(groom, 12), 0, 0.7);
    rv_check_emit(out, "film", largest(now, "filmheight"), 0, 0);
    rv_check_emit(out, "absorbed", largest(now, "absorbed"), 0, 0);
    rv_check_emit(out, "clumps", seen.clumps / STRANDS, 1, 0.2);
    rv_check_emit(out, "from_groom", mean_distance(groom, now) / 0.05, 0, 0.02);
    rv_check_emit(out, "volume", seen.drift, 0, 1e-12);
  }
  rv_detail_free(groom), rv_detail_free(wet), rv_detail_free(now);
  rv_scene_rig_close(&rig);
  return result;
}

//---------------------------------------------------------------------------------------------- wetness

// a drop lies on hair that was dry
static const char drop[] =
    "\"skin\": {\"type\": \"grid\", \"parms\": {\"size\": [0.02, 0.02], \"rows\": 4, \"cols\": 4}},"
    "\"hair\": {\"type\": \"groom\", \"inputs\": [\"skin\"], \"parms\": {\"count\": 100, \"length\": 0.012, "
    "\"points\": 8}},"
    "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.004}},"
    "\"up\": {\"type\": \"transform\", \"inputs\": [\"ball\"], \"parms\": {\"t\": [0, 0.013, 0]}},"
    "\"w\": {\"type\": \"fill\", \"inputs\": [\"up\"], \"parms\": {\"particlesep\": 0.001}},"
    "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"hair\", \"w\"]}";

RvResult rv_check_wet_touch(const RvCheckOut* out, RvError* error) {
  RvSceneRig rig;
  RvDetail* before = NULL;
  double most = 0, wettest = 0, height = 0;
  RvResult result = rv_scene_rig_open(&rig, drop, error);
  if (result) return result;
  for (int f = 1; f <= 8 && !result; ++f) {
    RvDetail* now;
    result = rv_scene_rig_cook(&rig, "s", f, &now, error);
    const float *a = before ? rv_detail_f32(before, RV_POINT, "wetness", 1) : NULL,
                *b = now ? rv_detail_f32(now, RV_POINT, "wetness", 1) : NULL;
    for (size_t i = 0; a && b && i < rv_detail_count(now, RV_POINT); ++i) {
      most = fmax(most, fabs((double)b[i] - (double)a[i]));
      wettest = fmax(wettest, (double)b[i]);
    }
    if (now) height = fmax(height, largest(now, "filmheight"));
    rv_detail_free(before);
    before = now;
  }
  if (!result) {
    rv_check_emit(out, "wetness_a_frame", most, 0, 0.25);
    rv_check_emit(out, "wettest", wettest, 1, 0.5);
    rv_check_emit(out, "film_in_radii", fmin(height / 3.5e-5, 1), 1, 0);
  }
  rv_detail_free(before);
  rv_scene_rig_close(&rig);
  return result;
}
