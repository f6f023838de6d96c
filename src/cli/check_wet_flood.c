// Check wet_flood: film that outweighs its hair by far, and is filled up again and again, does not throw it about.
#include <math.h>

#include "base/memory.h"
#include "base/rng.h"
#include "cli/check_list.h"
#include "cli/wet_rig.h"

enum { HAIRS = 6, POINTS = 20, STEPS = 75, PAINTED = 15 };
static const double LENGTH = 0.08, STEP = 4e-3, HEIGHT = 3e-3, FLOOD = 1e-2;

// hanging, and crooked by a fifth of an edge
static RvVec3 place(void* user, size_t strand, int vertex) {
  (void)user;
  double s = LENGTH * vertex / (POINTS - 1), rough = vertex > 1 ? 0.2 * LENGTH / (POINTS - 1) : 0;
  double x = 2 * rv_random(4, strand, (uint64_t)vertex, 0) - 1, z = 2 * rv_random(4, strand, (uint64_t)vertex, 1) - 1;
  return rv_vec3(8e-3 * (double)(strand % 3) + rough * x, -s, 8e-3 * (double)(strand / 3) + rough * z);
}

static double fastest(const RvWetRig* rig) {
  double most = 0;
  for (size_t k = 0; k < HAIRS; ++k)
    for (int i = 0; i < POINTS; ++i)
      most = fmax(most, rv_length(rv_contact_rig_get(&rig->hair, rig->hair.state->v, k, i)));
  return most;
}

// kg m/s of film along its strands
static double running(const RvWetRig* rig, double* mass) {
  double sum = 0;
  rv_film_edge_masses(&rig->wet.film, &rig->wet.film_state, rig->hair.state->q, mass);
  for (size_t k = 0; k < rig->hair.model->edges; ++k) sum += mass[k] * rig->wet.film_state.speed[k];
  return sum;
}

RvResult rv_check_wet_flood(const RvCheckOut* out, RvError* error) {
  RvWetRig rig;
  RvContactRigDef hair = rv_contact_rig_hair(HAIRS, POINTS, place, NULL);
  RvWetRigDef def = rv_wet_rig_water(hair);
  def.liquid = rv_liquid_model_default(4e-3);
  def.wet.film.viscous = true;
  RvResult result = rv_wet_rig_new(&rig, &def, error);
  if (result) return result;
  double *paint = rv_alloc(rig.hair.model->vertices, sizeof *paint), speed = 0, painted = 0;
  double* mass = rv_alloc(rig.hair.model->edges, sizeof *mass);
  if (!paint || !mass) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t k = 0; !result && k < rig.hair.model->vertices; ++k) paint[k] = HEIGHT / STEP;
  for (int k = 0; k < STEPS && !result; ++k) {
    double before = running(&rig, mass);
    if (k < PAINTED)
      rv_wet_paint(&rig.wet, paint, STEP);
    else
      rv_wet_rig_film(&rig, FLOOD);
    if (k < PAINTED && before != 0) painted = fmax(painted, fabs(running(&rig, mass) / before - 1));
    result = rv_wet_rig_step(&rig, STEP, error);
    speed = fmax(speed, fastest(&rig));
    RvParticles* p = &rig.pool.liquid.particles;
    for (size_t i = 0; i < p->count; ++i)
      if (rv_liquid_rig_at(&rig.pool, i).y < -LENGTH - 0.05) p->volume[i] = 0;
  }
  if (!result) {
    rv_check_emit(out, "refused", (double)rig.wet.report.wild, 0, 0);
    rv_check_emit(out, "fastest", speed / sqrt(2 * 9.81 * LENGTH), 0, 2);
    rv_check_emit(out, "painting_gives_no_momentum", painted, 0, 1e-12);
    rv_check_emit(out, "dripped", rig.wet.report.couple.dripped > 100, 1, 0);
  }
  rv_free(paint), rv_free(mass);
  rv_wet_rig_free(&rig);
  return result;
}
