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

// Capillary lengths that a strand leaves the bulk by within a substep: what it passes is the height of a meniscus,
// which then acts on every place of the strand twice.
static const double DRAWN_PER_STEP = 0.5;

// s: time in which the strongest meniscus, whose slope is 1, draws a capillary length of hair aside by as much. A
// strand that leaves faster passes its meniscus before it has moved, so shorter substeps would show nothing.
static double closing_time(const RvWetFilm* w, const RvStrandBatch* b, size_t vertex, size_t edge, double length) {
  const RvWetSettings* set = &w->settings;
  const size_t at = b->vertex_at + vertex;
  double cosine = fmax(rv_cos(set->angle_at ? set->angle_at[at] : set->liquid.angle), 0);
  double force = 2 * RV_PI * set->liquid.tension * w->strands->radius[at] * cosine * w->hairs[at];
  double mass = w->strands->hair_mass[at] / w->strands->rest_length[b->edge_at + edge] * length;
  return sqrt(2 * DRAWN_PER_STEP * length * mass / force);
}

// Longest substep for the strands that leave the bulk against gravity, where liquid was exchanged last.
static double longest_drawn(const RvWetFilm* w, const double up[3], double length) {
  double longest = INFINITY;
  for (size_t k = 0; k < w->strands->nbatch; ++k) {
    const RvStrandBatch* b = &w->strands->batches[k];
    for (int i = 0; i + 1 < b->vertices; ++i)
      for (int lane = 0; lane < b->lanes; ++lane) {
        const size_t at = (size_t)i * RV_LANES + (size_t)lane;
        const double* air = w->exchange_air + b->vertex_at + at;
        const double* v = w->state->v + rv_strand_index(b, lane, i, 0);
        if ((air[0] > 0.5) == (air[RV_LANES] > 0.5) || air[0] < 0 || air[RV_LANES] < 0) continue;
        double speed = up[0] * v[0] + up[1] * v[RV_LANES] + up[2] * v[2 * RV_LANES];
        if (!(speed * longest > DRAWN_PER_STEP * length)) continue;
        // a vertex has the mass of an edge, the first one of half an edge
        double least = closing_time(w, b, at + (i ? 0 : RV_LANES), at, length);
        longest = fmin(longest, fmax(DRAWN_PER_STEP * length / speed, least));
      }
  }
  return longest;
}

double rv_wet_longest(const RvWetFilm* w) {
  const RvWetSettings* set = &w->settings;
  const double* g = set->gravity;
  double gravity = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  if (!(gravity > 0) || !(set->cohesion > 0) || !(set->liquid.tension > 0)) return INFINITY;
  double length = sqrt(set->liquid.tension / (set->liquid.density * gravity));
  return longest_drawn(w, (double[3]){-g[0] / gravity, -g[1] / gravity, -g[2] / gravity}, length);
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
