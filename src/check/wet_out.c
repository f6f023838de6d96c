// Checks wet_age (WH-47) and wet_tube (WH-46, WH-48): the age of drops and the radius of the tube of strand and film
// are exact.
#include <math.h>

#include "base/memory.h"
#include "check/list.h"
#include "math/scalar.h"
#include "rig/scene.h"
#include "rig/wet.h"

//---------------------------------------------------------------------------------------------- age

// Horizontal strands.
static RvVec3 level(void* user, size_t strand, int vertex) {
  (void)user;
  return rv_vec3(0.002 * vertex, 0, 0.004 * (double)strand);
}

// Each drop is born at the start of a step. Steps are a power of two, so that floats add them without rounding.
RvResult rv_check_wet_age(const RvCheckOut* out, RvError* error) {
  enum { STEPS = 96, MAX_DROPS = 4096, MIN_DROPS = 20 };
  static double born[MAX_DROPS];    // s, by id
  const double dt = 0x1p-10;        // s
  static const double FILM = 9e-4;  // m: height, more than the strands retain
  RvWetRig rig;
  RvWetRigDef def = rv_rig_wet_water(rv_rig_contact_hair(4, 12, level, NULL));
  def.liquid = rv_liquid_model_default(1e-3);
  // Drops stay the same particles: no resampling, no capture.
  def.liquid.resample_every = 0;
  def.wet.couple.capture = 0;
  RvResult result = rv_rig_wet_new(&rig, &def, error);
  if (result) return result;
  rv_rig_wet_film(&rig, FILM);
  const RvParticles* p = &rig.pool.liquid.particles;
  double worst = 0, oldest = 0;
  for (int k = 0; k < STEPS && !result; ++k) {
    int64_t first_new = rig.pool.liquid.next_id;
    double now = rig.time;
    result = rv_rig_wet_step(&rig, dt, error);
    for (int64_t id = first_new; id < rig.pool.liquid.next_id && id < MAX_DROPS; ++id) born[id] = now;
    for (size_t i = 0; i < p->count; ++i) {
      worst = fmax(worst, fabs((double)p->age[i] - (rig.time - born[p->id[i] % MAX_DROPS])));
      oldest = fmax(oldest, (double)p->age[i]);
    }
  }
  if (!result) {
    rv_check_emit(out, "age", worst, 0, 0);
    rv_check_emit(out, "drops", p->count > MIN_DROPS, 1, 0);
    rv_check_emit(out, "oldest", oldest / rig.time, 1, 0.2);
  }
  rv_rig_wet_free(&rig);
  return result;
}

//---------------------------------------------------------------------------------------------- tubes

// Hair with film that neither drips nor runs.
static const char strands[] =
    "\"skin\": {\"type\": \"grid\", \"parms\": {\"size\": [0.02, 0.02], \"rows\": 4, \"cols\": 4}},"
    "\"hair\": {\"type\": \"groom\", \"inputs\": [\"skin\"], \"parms\": {\"count\": 30, \"length\": 0.02, \"points\": "
    "9}},"
    "\"damp\": {\"type\": \"attribute\", \"inputs\": [\"hair\"], \"parms\": {\"name\": \"filmheight\","
    "  \"value\": [0.00005, 0, 0, 0]}},"
    "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"damp\"], \"parms\": {\"drip\": 0, \"filmfriction\": 1000,"
    "  \"hairradius\": 4e-5}}";

static const double TUBE_RADIUS = 4e-5;     // m: hairradius of the scene
enum { TUBE_POINTS = 9, TUBE_FRAMES = 4 };  // points of a strand; last frame

// Volume of film by the tubes, m3: pi (R^2 - r^2) over half of each edge of a point, R the tube's radius.
static double tube_volume(const RvDetail* d, int n) {
  const float *P = rv_detail_f32(d, RV_POINT, "P", 3), *R = rv_detail_f32(d, RV_POINT, "filmradius", 1);
  double sum = 0;
  if (!P || !R) return NAN;
  for (size_t k = 0; k < rv_detail_count(d, RV_POINT); ++k) {
    double length = 0, r = TUBE_RADIUS;
    for (size_t j = k % (size_t)n ? k - 1 : k; j <= k && j % (size_t)n + 1 < (size_t)n; ++j)
      length += 0.5 * rv_distance(rv_vec3_load(P + 3 * j), rv_vec3_load(P + 3 * j + 3));
    sum += RV_PI * ((double)R[k] * (double)R[k] - r * r) * length;
  }
  return sum;
}

RvResult rv_check_wet_tube(const RvCheckOut* out, RvError* error) {
  RvSceneRig rig;
  RvDetail* now = NULL;
  RvResult result = rv_rig_scene_open(&rig, strands, error);
  if (result) return result;
  result = rv_rig_scene_run(&rig, TUBE_FRAMES, error);
  if (!result) result = rv_rig_scene_cook(&rig, "s", TUBE_FRAMES, &now, error);
  if (!result) {
    rv_check_emit(out, "volume", tube_volume(now, TUBE_POINTS) / rig.figures.film, 1, 1e-5);
    rv_check_emit(out, "ledger", rig.figures.drift, 0, 1e-12);
  }
  rv_detail_free(now);
  rv_rig_scene_close(&rig);
  return result;
}
