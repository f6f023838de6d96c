// Check capture_turning (WH-25, WH-31): captured liquid does not turn about the strand. What turned before turns with
// it from then on, so that the angular momentum about the strand stays.
#include <math.h>

#include "base/rng.h"
#include "check/list.h"
#include "rig/wet.h"

enum { POINTS = 11 };
static const double KEPT = 0.1;     // of the particles: drops, no body of liquid
static const double DX = 2e-3;      // m, cell of the liquid
static const double LENGTH = 0.02;  // m
static const double RATE = 50;      // rad/s, of the strand about itself
static const double STEP = 0.05;    // s: the liquid that is swept up then turns as heavily as the strand
static const double SLOWED = 0.5;   // of RATE: so far the captured liquid slows the strand at least

// A straight strand.
static RvVec3 place(void* user, size_t strand, int vertex) {
  (void)user;
  (void)strand;
  return rv_vec3(0, LENGTH * vertex / (POINTS - 1), 0);
}

// A free strand that turns about itself between drops at rest, without gravity.
static RvResult make(RvWetRig* rig, RvError* error) {
  RvContactRigDef hair = rv_rig_contact_hair(1, POINTS, place, NULL);
  hair.gravity = rv_vec3(0, 0, 0);
  RvWetRigDef def = rv_rig_wet_water(hair);
  def.clamped = 0;
  def.liquid = rv_liquid_model_default(DX);
  RvResult result = rv_rig_wet_new(rig, &def, error);
  if (result) return result;
  const double lo[3] = {-DX, 0, -DX}, hi[3] = {DX, LENGTH, DX};
  result = rv_rig_liquid_fill(&rig->pool, lo, hi, 0.8, error);
  RvParticles* p = &rig->pool.liquid.particles;
  for (size_t i = 0; i < p->count; ++i) {
    p->age[i] = 1;
    if (rv_random(3, i, 0, 0) > KEPT) p->volume[i] = 0;
  }
  const RvStrandBatch* b = &rig->hair.model->batches[0];
  for (int lane = 0; lane < RV_LANES; ++lane)
    for (int i = 0; i + 1 < POINTS; ++i) rig->hair.state->v[rv_strand_index(b, lane, i, 3)] = RATE;
  return result;
}

// Angular momentum of the first strand and its film about itself, kg m2/s; and the mean rate.
static double turning(const RvWetRig* rig, double* rate) {
  const RvStrandModel* m = rig->hair.model;
  const RvStrandBatch* b = &m->batches[0];
  double sum = 0;
  *rate = 0;
  for (int i = 0; i + 1 < POINTS; ++i) {
    size_t edge = b->edge_at + (size_t)i * RV_LANES;
    double own = rig->hair.state->v[rv_strand_index(b, 0, i, 3)];
    sum += (m->hair_turn[edge] + rig->wet.turn[edge]) * own;
    *rate += own / (POINTS - 1);
  }
  return sum;
}

RvResult rv_check_capture_turning(const RvCheckOut* out, RvError* error) {
  RvWetRig rig;
  double rate, before = 0, after = 0;
  bool any = false;
  RvResult result = make(&rig, error);
  if (!result) {
    // the first stages of the substep
    rv_wet_begin_pose(&rig.wet);
    result = rv_wet_weigh(&rig.wet, STEP, error);
    before = turning(&rig, &rate);
    if (!result) result = rv_liquid_arrange(&rig.pool.liquid, error);
  }
  if (!result) result = rv_wet_capture(&rig.wet, &rig.pool.liquid.particles, STEP, &any, error);
  if (!result) {
    after = turning(&rig, &rate);
    rv_check_emit(out, "angular_momentum", after / before, 1, 1e-9);
    rv_check_emit(out, "slowed", rate < SLOWED * RATE && rate > 0, 1, 0);
  }
  rv_rig_wet_free(&rig);
  return result;
}
