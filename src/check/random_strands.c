#include "check/random_strands.h"

#include <string.h>

#include "base/rng.h"

enum { STRANDS = 13 };
static const double RADIUS = 5e-5;        // of a hair, m
static const double HAIR_DENSITY = 1300;  // kg/m3
enum { SEED_STRANDS = 1, SEED_STRAND_VELOCITY, SEED_FILM_SPEED, SEED_LIQUID };

RvResult rv_check_random_scene(RvCoupleRig* rig, RvLiquidRig* bulk, double dx, RvError* error) {
  RvCoupleLine lines[STRANDS];
  for (uint64_t k = 0; k < STRANDS; ++k) {
    lines[k] = (RvCoupleLine){.radius = RADIUS, .density = HAIR_DENSITY};
    for (uint64_t a = 0; a < 3; ++a) {
      lines[k].from[a] = 0.03 * rv_random(SEED_STRANDS, k, a, 0);
      lines[k].to[a] = lines[k].from[a] + 0.02 * (rv_random(SEED_STRANDS, k, a, 1) - 0.3);
    }
  }
  RvResult result = rv_rig_couple_new(rig, lines, STRANDS, RV_CHECK_RANDOM_VERTICES, 1, error);
  if (result) return result;
  // Velocities: one for each strand, and a part for each vertex.
  for (size_t b = 0; b < rig->model->nbatch; ++b)
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int i = 0; i < RV_CHECK_RANDOM_VERTICES; ++i)
        for (int c = 0; c < 3; ++c) {
          uint64_t strand = (uint64_t)rig->model->batches[b].strand[lane];
          rig->state->v[rv_strand_index(&rig->model->batches[b], lane, i, c)] =
              rv_random(SEED_STRAND_VELOCITY, strand, (uint64_t)c, 0) - 0.5 +
              0.2 * rv_random(SEED_STRAND_VELOCITY, strand, (uint64_t)(8 + i), 1);
        }
  rv_rig_couple_set_film(rig, 2e-7);
  for (size_t e = 0; e < rig->model->edges; ++e)
    rig->film_state.speed[e] = 0.2 * (rv_random(SEED_FILM_SPEED, e, 0, 0) - 0.5);
  // Liquid old enough to be captured.
  const double lo[3] = {0, 0, 0}, hi[3] = {0.032, 0.032, 0.032};
  RvLiquidModel model = rv_liquid_model_default(dx);
  for (int a = 0; a < 3; ++a) model.gravity[a] = 0;
  result = rv_rig_liquid_new(bulk, &model, error);
  if (!result) result = rv_rig_liquid_fill(bulk, lo, hi, 0.8, error);
  RvParticles* p = &bulk->liquid.particles;
  for (size_t i = 0; i < p->count && !result; ++i) {
    p->age[i] = 1;
    for (int a = 0; a < 3; ++a) p->v[a][i] = (float)(rv_random(SEED_LIQUID, i, (uint64_t)a, 0) - 0.3);
  }
  rig->set.nominal = dx * dx * dx / 8;
  memset(rig->set.gravity, 0, sizeof rig->set.gravity);
  return result ? result : rv_liquid_particles_sort(p, &bulk->liquid.report.lost, error);
}

RvVec3 rv_check_bulk_momentum(const RvLiquidRig* bulk) {
  return rv_rig_liquid_sums(bulk, rv_vec3(0, 0, 0)).linear;
}

double rv_check_relative_size(RvVec3 error, RvVec3 scale) {
  return rv_length(error) / rv_length(scale);
}

void rv_check_clear_spare(RvCoupleRig* rig) {
  for (size_t b = 0; b < rig->model->nbatch; ++b)
    for (int lane = rig->model->batches[b].lanes; lane < RV_LANES; ++lane)
      for (int i = 0; i < rig->model->batches[b].vertices; ++i)
        rig->film_state.volume[rig->model->batches[b].vertex_at + (size_t)(i * RV_LANES + lane)] = 0;
}
