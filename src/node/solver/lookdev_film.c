// Film of the strands as liquid of pores; see lookdev_film.h.
#include "node/solver/lookdev_film.h"

#include "base/memory.h"
#include "film/film.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "node/solver/film_port.h"
#include "node/solver/solver.h"

// m/s: more than this a second is a mistake of units.
static const double MOST_RATE = 1;

bool rv_lookdev_film_wanted(const RvDetail* strands) {
  return strands && (rv_detail_find(strands, RV_POINT, "filmheight") || rv_detail_find(strands, RV_POINT, "wetadd") ||
                     rv_detail_find(strands, RV_PRIM, "wetadd"));
}

// Film of half an edge at a point, m3.
static double half_film(const RvAttrib* height, const RvStrandSet* set, const RvStrandDef* strand, size_t point, int i,
                        double edge) {
  double h = rv_min(rv_attrib_get(height, point, 0) * set->metersperunit, RV_WET_MAX_FILM);
  if (!(h > 0)) return 0;
  double volume = 0.5 * edge * strand->multiple * rv_film_area(h, strand->radius[i]);
  return volume <= RV_FILM_MOST_VOLUME ? volume : 0;
}

RvResult rv_lookdev_film_start(RvCook* cook, const RvStrandSet* set, RvDetail* d, double* painted, RvError* error) {
  *painted = 0;
  RvResult result = rv_film_port_check_height(cook, d, error);
  const RvAttrib* height = rv_detail_find(d, RV_POINT, "filmheight");
  if (result || !height || rv_attrib_storage(height) == RV_STRING || rv_attrib_size(height) < 1) return result;
  double* held = rv_detail_f64_write(d, RV_POINT, "rv_held", 1, error);
  if (!held) return rv_fail(error, RV_NO_MEMORY, "out of memory for the film");
  // A pore has the film of the two halves of its edge.
  RvSum sum = {0, 0};
  for (size_t k = 0; k < set->count; ++k) {
    const RvStrandDef* strand = &set->defs[k];
    for (int i = 0; i + 1 < strand->vertices; ++i) {
      const int32_t* point = set->point + set->first[k] + i;
      double edge = rv_distance(rv_vec3_load64(strand->x + 3 * i), rv_vec3_load64(strand->x + 3 * i + 3));
      double volume = half_film(height, set, strand, (size_t)point[0], i, edge) +
                      half_film(height, set, strand, (size_t)point[1], i + 1, edge);
      held[point[0]] = volume;
      rv_sum_add(&sum, volume);
    }
  }
  *painted = rv_sum_total(&sum);
  return RV_OK;
}

RvResult rv_lookdev_film_rates(RvCook* cook, const RvStrandSet* set, const RvDetail* d, double** rates,
                               RvError* error) {
  const RvAttrib *point, *prim;
  *rates = NULL;
  if (!d) return RV_OK;
  rv_solver_find_attrib(d, "wetadd", 1, &point, &prim);
  if (!point && !prim) return RV_OK;
  *rates = rv_alloc_zero(set->vertices + 1, sizeof **rates);
  if (!*rates) return rv_fail(error, RV_NO_MEMORY, "out of memory for the attribute wetadd");
  size_t bad = 0;
  for (size_t k = 0; k < set->count; ++k)
    for (int i = set->first[k]; i < set->first[k + 1]; ++i) {
      double rate =
          point ? rv_attrib_get(point, (size_t)set->point[i], 0) : rv_attrib_get(prim, (size_t)set->prim[k], 0);
      rate *= set->metersperunit;
      bad += !(rate >= 0 && rate <= MOST_RATE);
      (*rates)[i] = rate > 0 ? rv_min(rate, MOST_RATE) : 0;
    }
  if (bad)
    rv_cook_warn(cook,
                 "wetadd of %zu points of the strands is below 0, above %g m/s or no number: it is brought to 0 to %g "
                 "m/s; is the scene in centimetres (metersperunit)?",
                 bad, MOST_RATE, MOST_RATE);
  return RV_OK;
}

RvResult rv_lookdev_film_show(const RvLookdevWater* w, RvDetail* d, RvError* error) {
  float* height = rv_detail_f32_write(d, RV_POINT, "filmheight", 1, error);
  if (!height) return rv_fail(error, RV_NO_MEMORY, "out of memory for the height of the film");
  const RvStrandSet* set = &w->strands->set;
  const RvPores* p = &w->pores;
  for (size_t k = 0; k < set->count; ++k) {
    // A point has the mean of its two edges; at an end that of its only one.
    double before = 0;
    for (int i = set->first[k]; i < set->first[k + 1]; ++i) {
      bool first = i == set->first[k];
      bool last = i + 1 == set->first[k + 1];
      double after = last ? before : rv_pores_film_height(p->held[p->pore_of[i + 1]], w->area[i], w->radius[i]);
      height[set->point[i]] = (float)(0.5 * ((first ? after : before) + after) / set->metersperunit);
      before = after;
    }
  }
  return RV_OK;
}
