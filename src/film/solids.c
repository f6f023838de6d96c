// The law of solids.h.
#include "film/solids.h"

#include "math/scalar.h"

// Share of RV_FILM_PACKED that is always thought free: a dry crust is 1e4 to 1e5 times as stiff as its mud.
static const double LEAST_FREE = 1e-3;
static const double KRIEGER_EXPONENT = 2.5 * RV_FILM_PACKED;

static double free_of(double share) {
  return rv_max(RV_FILM_PACKED - share, LEAST_FREE * RV_FILM_PACKED);
}

double rv_film_solids_yield(double solids_of_liquid, double share) {
  if (!(solids_of_liquid > 0) || share == solids_of_liquid) return 1;
  double ratio = rv_clamp(share, 0, RV_FILM_PACKED) / solids_of_liquid;
  return ratio * ratio * ratio * free_of(solids_of_liquid) / free_of(share);
}

RvFilmLiquid rv_film_solids_liquid(const RvFilmLiquid* l, double share) {
  RvFilmLiquid out = *l;
  if (!(l->solids > 0) || share == l->solids) return out;
  out.yield *= rv_film_solids_yield(l->solids, share);
  out.consistency *= rv_pow(free_of(l->solids) / free_of(share), KRIEGER_EXPONENT);
  return out;
}
