// The bulk liquid at the strands: what it is there, what it gets from them, and what its pressure gives back.
#include <math.h>

#include "base/parallel.h"
#include "math/scalar.h"
#include "wet/film.h"
#include "wet/impulse.h"

enum { GRAIN = 8192, VERTICES_OF_TASK = 1024 };
// The fibres around strands are counted anew in every fourth substep, in each of which the pose changes twice.
enum { COUNT_EVERY = 4, POSES_OF_SUBSTEP = 2 };

// The liquid that strands are in.
static const RvLiquid* bulk_of(const RvWetFilm* w) {
  return w->cached ? w->cached : w->liquid;
}

// E51: submerged film belongs to the bulk, as much of it as there is room for. Around a hair whose surroundings are
// fibres by the share phi that room is pi r^2 (1 - phi) / phi a length. More than that stays with its strand, its
// weight borne by the bulk: on the grid it would be in one place with the bulk, and heavier than the pressure knows. Of
// what may go, a part 1 - exp(-dt / RV_WET_SINK_TIME) goes to the grid in this substep and comes back with the bulk's
// velocity, so that mixing does not depend on the number of substeps.
static void share_some_film(void* arg, size_t begin, size_t end) {
  const RvWetFilm* w = arg;
  const RvStrandModel* m = w->strands;
  const double mixed_share = 1 - rv_exp(-w->dt / RV_WET_SINK_TIME);
  for (size_t i = begin; i < end; ++i) {
    w->air_share[i] = w->bulk->wet[i];
    double fibre_share = w->bulk->share[i];
    double film_area = fibre_share * w->area[i];
    double room = RV_PI * m->radius[i] * m->radius[i] * (1 - fibre_share);
    double fitting_share = film_area > room ? room / film_area : 1;
    double part = mixed_share * fitting_share;
    w->film_share_in_bulk[i] = (1 - w->air_share[i]) * part;
    w->film_share_on_strand[i] = 1 - w->film_share_in_bulk[i];
    bool carried = w->film_share_on_strand[i] > 0;
    w->unsupported_weight_share[i] = carried ? w->air_share[i] / w->film_share_on_strand[i] : 1;
  }
}

// In air all of the film is the strand's.
static void set_in_air(void* arg, size_t begin, size_t end) {
  const RvWetFilm* w = arg;
  for (size_t i = begin; i < end; ++i) {
    w->air_share[i] = 1;
    w->film_share_in_bulk[i] = 0;
    w->film_share_on_strand[i] = 1;
    w->unsupported_weight_share[i] = 1;
  }
}

RvResult rv_wet_sample(RvWetFilm* w, double dt, RvError* error) {
  const size_t vertices = w->strands->vertices, unknowns = w->strands->unknowns;

  // in air, until the bulk says otherwise
  w->dt = dt;
  w->bulk = NULL;
  rv_wet_clear(w->explicit_drag, unknowns);
  rv_wet_clear(w->mean_velocity, unknowns);
  if (w->film_lag) rv_wet_clear(w->film_lag, unknowns);
  rv_parallel_for(vertices, VERTICES_OF_TASK, set_in_air, w);

  // submersion, drag and velocity of the bulk at the strands
  const RvLiquid* bulk = bulk_of(w);
  if (!bulk || !bulk->particles.count || !w->strands->nstrand) return RV_OK;
  RvCoupleStrands strands = rv_wet_strands(w);
  RvCoupleSettings settings = w->settings.couple;
  settings.count_key = w->pose_key / (POSES_OF_SUBSTEP * COUNT_EVERY) + 1;
  RvResult result =
      rv_couple_sample(w->couple, &strands, &settings, &bulk->grid, dt, w->explicit_drag, &w->bulk, error);
  if (result || !w->bulk) return result;

  // what of the film the grid carries in this substep
  rv_film_areas(&w->film, &w->film_state, w->state->q, w->area);
  rv_parallel_for(vertices, VERTICES_OF_TASK, share_some_film, w);
  return RV_OK;
}

RvResult rv_wet_react(RvWetFilm* w, double dt, RvError* error) {
  if (!w->bulk || w->cached) return RV_OK;
  RvCoupleStrands strands = rv_wet_strands(w);
  strands.v_step = w->mean_velocity;
  strands.lag = w->film_lag;
  strands.film_share_in_bulk = w->film_share_in_bulk;
  RvLiquid* l = w->liquid;
  RvResult result = rv_couple_react(w->couple, &strands, &w->settings.couple, &l->grid, dt, error);
  if (result) return result;
  // fibres displace liquid: the surface lies higher than the liquid alone would tell
  const uint32_t* tiles;
  size_t count = rv_couple_crowded_tiles(w->couple, &tiles);
  rv_liquid_surface_again(&l->grid, &l->particles, &l->scatter, tiles, count);
  return RV_OK;
}

typedef struct Feedback {
  double* impulse;
  double dt;
} Feedback;

// Forces become impulses: it is the impulse that counts, whatever the next step's length. Those that are not numbers
// are refused and counted. What drag hands over may be more than the mass could bear; drag holds it back in the next
// step.
static double to_impulses(void* arg, size_t begin, size_t end) {
  const Feedback* f = arg;
  size_t refused = 0;
  for (size_t k = begin; k < end; ++k) {
    bool bad = !isfinite(f->impulse[k]);
    refused += bad;
    f->impulse[k] = bad ? 0 : f->impulse[k] * f->dt;
  }
  return (double)refused;
}

RvResult rv_wet_feedback(RvWetFilm* w, double dt, RvError* error) {
  rv_wet_clear(w->feedback_impulse, w->strands->unknowns);
  if (!w->bulk) return RV_OK;
  rv_wet_clear(w->impulse, w->strands->unknowns);
  RvCoupleStrands strands = rv_wet_strands(w);
  strands.lag = w->cached ? NULL : w->film_lag;
  RvResult result = rv_couple_pressure(w->couple, &strands, &w->settings.couple, &bulk_of(w)->grid, dt,
                                       w->feedback_impulse, w->impulse, error);
  Feedback feedback = {w->feedback_impulse, dt};
  w->report.refused += (size_t)rv_parallel_sum(w->strands->unknowns, GRAIN, to_impulses, &feedback);
  rv_wet_bound_speeds(w);
  RvFilmStepDef def = rv_wet_impulse_def(w, dt);
  return result ? result : rv_wet_take_impulse(w, &def, error);
}
