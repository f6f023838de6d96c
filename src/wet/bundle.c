// Capillarity of bundles: the space between parallel hairs draws liquid in (WH-20, WH-31, E74).
#include <math.h>

#include "base/parallel.h"
#include "math/scalar.h"
#include "wet/film.h"
#include "wet/impulse.h"

enum { GRAIN = 2048 };
// A smaller share of a bundle is none: it would hold less than a thousandth of a film.
static const double LEAST_SHARE = 1e-3;

// Energy balance of a length of hair: liquid that fills the free area s wets the circumference 2 pi r, which gains
// tension cos(angle) an area. Under water there is no surface to gain from: the air's share of a vertex counts.
static void set_suction(void* arg, size_t begin, size_t end) {
  const RvWetFilm* w = arg;
  const RvWetSettings* set = &w->settings;
  double everywhere = rv_cos(set->liquid.angle);
  for (size_t i = begin; i < end; ++i) {
    double share = w->bundle_share[i] * w->air_share[i];
    double cosine = set->angle_at ? rv_cos(set->angle_at[i]) : everywhere;
    double energy = 2 * RV_PI * w->strands->radius[i] * set->liquid.tension * fmax(cosine, 0);
    bool bundled = share > LEAST_SHARE && energy > 0;
    w->suction[i] = bundled ? share * energy / w->free_area[i] : 0;
    w->bundle_area[i] = bundled ? share * w->free_area[i] : 0;
    w->bundled[i] = bundled ? share : 0;
  }
}

RvResult rv_wet_bundle(RvWetFilm* w, RvError* error) {
  if (!w->strands->nstrand) return RV_OK;
  RvCoupleStrands strands = rv_wet_strands(w);
  RvCoupleSettings settings = rv_wet_couple_settings(w);
  RvResult result = rv_couple_spacing(w->couple, &strands, &settings, w->free_area, w->bundle_share, error);
  if (!result) rv_parallel_for(w->strands->vertices, GRAIN, set_suction, w);
  return result;
}

RvResult rv_wet_meniscus(RvWetFilm* w, RvError* error) {
  rv_couple_meniscus_clear(w->couple);
  if (!w->bulk || !w->strands->nstrand) return RV_OK;
  RvCoupleStrands strands = rv_wet_strands(w);
  RvCoupleSettings settings = rv_wet_couple_settings(w);
  RvCoupleMeniscus def = {.strands = &strands,
                          .settings = &settings,
                          .under_water = w->bulk->under_water,
                          .cohesion = w->settings.cohesion,
                          .cohesion_at = w->settings.cohesion_at};
  return rv_couple_meniscus(w->couple, &def, error);
}

const RvOperator* rv_wet_join_menisci(RvWetFilm* w, const RvOperator* contacts) {
  const RvOperator* menisci = rv_couple_meniscus_operator(w->couple);
  if (!menisci || !contacts) return menisci ? menisci : contacts;
  return rv_operator_sum(&w->joined, contacts, menisci);
}
