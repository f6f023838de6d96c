#include "node/solver/film_port.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"

//---------------------------------------------------------------------------------------------- settings

// a numeric attribute of the strands' points, else of their primitives, in the blocks; NULL where there is none
static RvResult gather(const RvFilmPort* s, const RvDetail* d, const char* name, double** out, RvError* error) {
  const RvAttrib *point, *prim;
  const RvStrandModel* m = s->strands->solver.model;
  const RvStrandSet* set = &s->strands->solver.set;
  rv_solver_find_attrib(d, name, 1, &point, &prim);
  if (!point && !prim) return RV_OK;
  // (multipliers; more of drag than that, and what pressure gives back to hair that leaves the water throws it about)
  static const double MOST = 1e4;
  size_t bad = 0;
  double* values = *out = rv_alloc_zero(m->vertices, sizeof *values);
  if (!values) return rv_fail(error, RV_NO_MEMORY, "out of memory for the attribute %s", name);
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int i = 0; i < b->vertices; ++i) {
        size_t strand = (size_t)b->strand[lane];
        double x = point ? rv_attrib_get(point, (size_t)set->point[set->first[strand] + i], 0)
                         : rv_attrib_get(prim, (size_t)set->prim[strand], 0);
        bad += lane < b->lanes && !(x >= 0 && x <= MOST);
        values[b->vertex_at + (size_t)i * RV_LANES + (size_t)lane] = x > 0 ? fmin(x, MOST) : 0;
      }
  }
  if (bad)
    rv_cook_warn(s->cook, "%s of %zu points of the strands is below 0, above %g or no number: it is brought to 0 to %g",
                 name, bad, MOST, MOST);
  return RV_OK;
}

// The attributes of the strands that scale the film, its painting and its contact angle.
static RvResult gather_all(RvFilmPort* s, RvError* error) {
  const struct {
    const char* name;
    double** array;
  } rows[] = {{"cohesion", &s->cohesion}, {"drag", &s->drag},    {"capture", &s->capture},
              {"capacity", &s->capacity}, {"drip", &s->drip},    {"filmfriction", &s->filmfriction},
              {"drying", &s->drying},     {"wetadd", &s->paint}, {"contactangle", &s->angle}};
  const RvDetail* in = s->cook->input[s->strands->input];
  RvResult result = RV_OK;
  for (size_t i = 0; i < sizeof rows / sizeof *rows && !result; ++i)
    result = gather(s, in, rows[i].name, rows[i].array, error);
  // the one that is no multiple: degrees, within what the parameter allows
  for (size_t k = 0; s->angle && !result && k < s->strands->solver.model->vertices; ++k)
    s->angle[k] = rv_radians(fmin(fmax(s->angle[k], 5), 85));
  // film is painted in units of the scene a second
  for (size_t k = 0; s->paint && !result && k < s->strands->solver.model->vertices; ++k)
    s->paint[k] *= rv_cook_meters(s->cook);
  return result;
}

// Settings of film, coupling and bridges from the parameters; `sep` is the particle separation, m.
static RvWetSettings settings_of(const RvFilmPort* s, const RvWetParms* p, double sep) {
  RvWetSettings w = {.liquid = {.density = p->liquiddensity,
                                .tension = p->tension,
                                .consistency = p->filmviscosity,
                                .index = p->flowindex,
                                .yield = p->yieldstress,
                                .angle = rv_radians(p->contactangle),
                                .solids = p->solids},
                     .film = {.friction = p->filmfriction,
                              .friction_at = s->filmfriction,
                              .viscous = p->viscousfilm,
                              .slip = p->sliplength,
                              .absorption = p->absorption,
                              .saturation = p->saturation,
                              .drying = p->drying,
                              .drying_at = s->drying,
                              .transverse = p->transverse,
                              .most_substeps = 32},
                     .couple = {.viscosity = p->filmviscosity,
                                .density = p->liquiddensity,
                                .tension = p->tension,
                                .yield = p->yieldstress,
                                .solids = p->solids,
                                .added_solids = p->addedsolids >= 0 ? p->addedsolids : p->solids,
                                .index = p->flowindex,
                                .drag = p->drag,
                                .drag_at = s->drag,
                                .law = p->draglaw ? RV_DRAG_FORCHHEIMER : RV_DRAG_LITERAL,
                                .capture = p->capture,
                                .capture_at = s->capture,
                                .capacity = p->capacity,
                                .capacity_at = s->capacity,
                                .drip = p->drip,
                                .drip_at = s->drip,
                                .nominal = sep * sep * sep,
                                .film_in_bulk = p->liquidmode == 0,
                                .bulk_fixed = p->liquidmode != 0},
                     .cohesion = p->cohesion,
                     .cohesion_at = s->cohesion,
                     .angle_at = s->angle};
  memcpy(w.gravity, p->gravity, sizeof w.gravity);
  memcpy(w.couple.gravity, p->gravity, sizeof w.couple.gravity);
  return w;
}

//---------------------------------------------------------------------------------------------- state

const RvFieldDef rv_wet_film_fields[RV_WET_FILM_FIELD_COUNT] = {RV_WET_FILM_FIELDS("")};

// Fails for want of memory.
static RvResult no_memory(RvError* error) {
  return rv_fail(error, RV_NO_MEMORY, "out of memory for the film");
}

// Spare lanes stay dry: the film's volumes are summed over all lanes.
static RvResult load(RvFilmPort* s, const RvDetail* d, RvError* error) {
  RvStateLanes lanes = rv_strands_lanes(&s->strands->solver.set, s->film.strands);
  RvResult result = rv_state_load(d, rv_wet_film_fields, RV_WET_FILM_FIELD_COUNT, s, error);
  if (!result) result = rv_state_load_lanes(d, rv_wet_film_fields, RV_WET_FILM_FIELD_COUNT, s, &lanes, error);
  return result;
}

// Takes what is left of an attribute of volumes out of it, after the elements of the set are cleared: their film is
// loaded, and the end of the frame writes it again. m3 of the others.
static double take_rest(double* volume, size_t count, const int32_t* elements, size_t loaded) {
  RvSum sum = {0, 0};
  for (size_t i = 0; i < loaded; ++i) volume[elements[i]] = 0;
  for (size_t i = 0; i < count; ++i) {
    if (volume[i] > 0 && isfinite(volume[i])) rv_sum_add(&sum, volume[i]);
    volume[i] = 0;
  }
  return rv_sum_total(&sum);
}

// Counts the liquid of strands that are no longer simulated as outflow: no step would ever reach it again.
static RvResult drop_lost(RvFilmPort* s, RvDetail* d, RvError* error) {
  const RvStrandSet* set = &s->strands->solver.set;
  const size_t points = rv_detail_count(d, RV_POINT), prims = rv_detail_count(d, RV_PRIM);
  if (set->count == prims) return RV_OK;
  double* film = rv_detail_f64_write(d, RV_POINT, "rv_film", 1, error);
  double* absorbed = film ? rv_detail_f64_write(d, RV_POINT, "rv_absorbed", 1, error) : NULL;
  double* drop = absorbed ? rv_detail_f64_write(d, RV_PRIM, "rv_drop", 1, error) : NULL;
  if (!drop) return no_memory(error);
  double volume = take_rest(film, points, set->point, set->vertices) +
                  take_rest(absorbed, points, set->point, set->vertices) +
                  take_rest(drop, prims, set->prim, set->count);
  s->returned += volume;
  if (volume > 0)
    rv_cook_warn(s->cook, "strands that cannot be simulated any more held %g m3 of liquid, which counts as outflow",
                 volume);
  return RV_OK;
}

// The ledger goes on from this frame; rv_film_port_tell reads it after it was saved.
static RvResult save(RvFilmPort* s, RvDetail* d, RvError* error) {
  s->sources += s->film.report.added;
  s->evaporated += s->film.report.film.evaporated;
  RvStateLanes lanes = rv_strands_lanes(&s->strands->solver.set, s->film.strands);
  RvResult result = rv_state_save(d, rv_wet_film_fields, RV_WET_FILM_FIELD_COUNT, s, error);
  if (!result) result = rv_state_save_lanes(d, rv_wet_film_fields, RV_WET_FILM_FIELD_COUNT, s, &lanes, error);
  return result;
}

//---------------------------------------------------------------------------------------------- start frame

// m3 of film of a height on a length of hair
static double volume_of(double height, double radius, double length, double hairs) {
  return height > 0 ? rv_film_area(height, radius) * length * hairs : 0;
}

// A number that is not in 0 to `most`; attributes are floats, so a little more is the same.
static bool is_bad_height(double height, double most) {
  return !(height >= 0 && height <= most * 1.000001);
}

RvResult rv_film_port_check_height(RvCook* cook, RvDetail* d, RvError* error) {
  const RvAttrib* height = rv_detail_find(d, RV_POINT, "filmheight");
  if (!height || rv_attrib_storage(height) == RV_STRING) return RV_OK;
  // Count the bad ones; a good attribute is not touched. Heights are in units of the scene.
  const double most = RV_WET_MAX_FILM / rv_cook_meters(cook);
  size_t bad = 0, points = rv_detail_count(d, RV_POINT), size = (size_t)rv_attrib_size(height);
  for (size_t i = 0; i < points; ++i) bad += size && is_bad_height(rv_attrib_get(height, i, 0), most);
  if (!bad) return RV_OK;
  // Bring them within the bounds.
  double* values = rv_alloc(points * size, sizeof *values);
  if (!values) return no_memory(error);
  rv_attrib_get_doubles(height, values);
  for (size_t i = 0; i < points * size; ++i)
    if (is_bad_height(values[i], most)) values[i] = values[i] > 0 ? most : 0;
  RvResult result = rv_attrib_set_doubles(rv_detail_find_mutable(d, RV_POINT, "filmheight"), values, error);
  rv_free(values);
  if (!result)
    rv_cook_warn(cook,
                 "filmheight of %zu points is below 0, above %g (%g m) or no number: it is brought to 0 to %g; is the "
                 "scene in centimetres (metersperunit)?",
                 bad, most, RV_WET_MAX_FILM, most);
  return result;
}

// Film volumes from the heights at the points of the strands. Returns their sum; *refused counts impossible volumes.
static double paint_strands(const RvStrandSet* set, const RvAttrib* height, double* film, size_t* refused) {
  RvSum painted = {0};
  for (size_t k = 0; k < set->count; ++k) {
    const RvStrandDef* strand = &set->defs[k];
    for (int i = 0; i < strand->vertices; ++i) {
      size_t point = (size_t)set->point[set->first[k] + i];
      double length = 0;
      for (int j = i > 0 ? i - 1 : 0; j <= i && j + 1 < strand->vertices; ++j)
        length += 0.5 * rv_distance(rv_vec3_load64(strand->x + 3 * j), rv_vec3_load64(strand->x + 3 * j + 3));
      double h = fmin(rv_attrib_get(height, point, 0) * set->metersperunit, RV_WET_MAX_FILM);
      if (!(h > 0)) continue;
      double volume = volume_of(h, strand->radius[i], length, strand->multiple);
      bool possible = volume <= RV_FILM_MOST_VOLUME;
      *refused += !possible;
      film[point] = possible ? volume : 0;
      rv_sum_add(&painted, film[point]);
    }
  }
  return rv_sum_total(&painted);
}

RvResult rv_film_port_start(RvCook* cook, const RvWetParms* parms, RvDetail* d, RvError* error) {
  RvResult result = rv_state_prepare(d, rv_wet_film_fields, RV_WET_FILM_FIELD_COUNT, error);
  if (!result) result = rv_film_port_check_height(cook, d, error);
  if (result) return result;
  if (parms->transverse && parms->hairmode != 0)
    rv_cook_warn(cook,
                 "transverse has no effect: film passes from strand to strand through their contacts, which animated "
                 "strands do not have; simulate the strands, or switch transverse off");
  const RvAttrib* height = rv_detail_find(d, RV_POINT, "filmheight");
  double* film = rv_detail_f64_write(d, RV_POINT, "rv_film", 1, error);
  double* air = rv_detail_f64_write(d, RV_POINT, "rv_airshare", 1, error);
  double* before = rv_detail_f64_write(d, RV_POINT, "rv_exchangeair", 1, error);
  double* ledger = rv_detail_f64_write(d, RV_GLOBAL, "rv_wetledger", 4, error);
  if (!film || !air || !before || !ledger) return no_memory(error);
  for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) {
    air[i] = 1;
    before[i] = -1;
  }
  if (!height || rv_attrib_storage(height) == RV_STRING) return RV_OK;
  // Film at the start, from the heights.
  RvStrandSet set;
  RvStrandSettings settings = rv_strand_port_settings(parms, rv_cook_meters(cook));
  double origin[3];
  rv_strands_origin(d, origin);
  result = rv_strands_read(d, &settings.material, origin, false, &set, error);
  if (result) return result;
  size_t refused = 0;
  ledger[0] += paint_strands(&set, height, film, &refused);
  rv_strands_free(&set);
  if (refused)
    rv_cook_warn(cook, "the film of %zu points is more than %g m3 and is left out: check filmheight and metersperunit",
                 refused, RV_FILM_MOST_VOLUME);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- the frame

RvResult rv_film_port_begin(RvFilmPort* s, RvStrandPort* strands, RvLiquidPort* liquid, const RvWetParms* parms,
                            RvDetail* state, RvError* error) {
  RvStrandSolver* solver = &strands->solver;
  s->strands = strands;
  RvResult result = gather_all(s, error);
  RvWetSettings settings = settings_of(s, parms, liquid->separation);
  if (!result)
    result =
        rv_wet_film_init(&s->film, solver->model, solver->state, solver->multiple, &liquid->liquid, &settings, error);
  if (result) return result;
  for (int a = 0; a < 3; ++a)
    s->film.offset[a] = (solver->set.origin[a] - liquid->globals.origin[a]) * liquid->units.meters;
  s->film.dt_before = solver->globals.dt;
  // substeps of different frames draw different random numbers
  s->film.drop_seed = (uint64_t)llround(s->cook->time.frame * 1000) << 20;
  s->film.drip_row = liquid->drip_row;
  s->film.drop_kind = liquid->drop_kind;
  result = load(s, state, error);
  return result ? result : drop_lost(s, state, error);
}

RvResult rv_film_port_end(RvFilmPort* s, const RvWetParms* parms, double dt, RvDetail* state, RvError* error) {
  RvResult result = save(s, state, error);
  return result ? result : rv_film_port_look(s, parms, dt, state, error);
}

void rv_film_port_tell(const RvFilmPort* s) {
  const RvWetReport* r = &s->film.report;
  RvLedger* ledger = &s->cook->stats->ledger;
  double film = 0, absorbed = 0;
  rv_wet_volumes(&s->film, &film, &absorbed);
  ledger->film = film;
  ledger->absorbed = absorbed;
  ledger->initial += s->initial;
  ledger->sources += s->sources;
  ledger->evaporated += s->evaporated;
  ledger->outflow += s->returned;
  if (r->refused)
    rv_cook_warn(s->cook,
                 "liquid pushed %zu times at strands with more than %g m/s, which was not taken; raise substeps",
                 r->refused, RV_WET_MAX_KICK);
  if (r->film.limited)
    rv_cook_info(s->cook, "the film of some strands is faster than substeps allow and lags behind; raise substeps");
}

void rv_film_port_free(RvFilmPort* s) {
  double* arrays[] = {s->cohesion,     s->drag,   s->capture, s->capacity, s->drip,
                      s->filmfriction, s->drying, s->paint,   s->angle};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) rv_free(arrays[i]);
  rv_wet_film_free(&s->film);
  rv_state_release(rv_wet_film_fields, RV_WET_FILM_FIELD_COUNT, s);
}
