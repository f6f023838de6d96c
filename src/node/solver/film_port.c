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
  return result;
}

static RvWetSettings settings_of(const RvFilmPort* s, const RvWetParms* p, double sep) {
  RvWetSettings w = {.liquid = {.density = p->liquiddensity,
                                .tension = p->tension,
                                .consistency = p->filmviscosity,
                                .index = 1,
                                .angle = rv_radians(p->contactangle)},
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

typedef struct Each {
  size_t point, vertex, edge, at;  // of the detail; of the blocks; edge SIZE_MAX at the tip
  size_t strand, lane;             // lane: of all batches
  bool tip;
} Each;

// calls for every vertex of every strand
#define FOR_EACH_VERTEX(s, e)                                                  \
  for (size_t k_ = 0; k_ < (s)->film.strands->nbatch; ++k_)                    \
    for (int lane_ = 0; lane_ < (s)->film.strands->batches[k_].lanes; ++lane_) \
      for (int i_ = 0; i_ < (s)->film.strands->batches[k_].vertices && ((e) = each(s, k_, lane_, i_), true); ++i_)

static Each each(const RvFilmPort* s, size_t k, int lane, int i) {
  const RvStrandBatch* b = &s->film.strands->batches[k];
  size_t strand = (size_t)b->strand[lane];
  return (Each){.point = (size_t)s->strands->solver.set.point[s->strands->solver.set.first[strand] + i],
                .vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane,
                .edge = b->edge_at + (size_t)i * RV_LANES + (size_t)lane,
                .at = rv_strand_index(b, lane, i, 0),
                .strand = strand,
                .lane = k * RV_LANES + (size_t)lane,
                .tip = i + 1 == b->vertices};
}

static RvResult no_memory(RvError* error) {
  return rv_fail(error, RV_NO_MEMORY, "out of memory for the film");
}

// A volume or another number of a state, at most `most` in size; else it is counted and 0.
static double sane(double x, double least, double most, size_t* bad) {
  if (x >= least && x <= most) return x;
  ++*bad;
  return 0;
}

// Beyond these no state of ours comes: m3 at a vertex (a film of RV_WET_MAX_FILM on 10 m of ten thousand hairs), m/s,
// N, kg m/s.
static const double MOST_VOLUME = 100, MOST_SPEED = 1e4, MOST_FORCE = 1e6;

static RvResult load(RvFilmPort* s, const RvDetail* d, RvError* error) {
  const double *film = rv_detail_f64(d, RV_POINT, "rv_film", 4), *speed = rv_detail_f64(d, RV_POINT, "rv_filmspeed", 1);
  const double* pull = rv_detail_f64(d, RV_POINT, "rv_dropacceleration", 3);
  const double *back = rv_detail_f64(d, RV_POINT, "rv_feedback", 3), *drop = rv_detail_f64(d, RV_PRIM, "rv_drop", 4);
  const double* air = rv_detail_f64(d, RV_POINT, "rv_exchangeair", 1);
  const double* ledger = rv_detail_f64(d, RV_GLOBAL, "rv_wetledger", 3);
  const RvAttrib* taken = rv_detail_find(d, RV_GLOBAL, "rv_taken");
  RvWetFilm* w = &s->film;
  size_t bad = 0;
  Each e;
  if (!film || !speed || !back || !pull || !air || !drop || !ledger)
    return rv_fail(error, RV_BAD_INPUT, "the state of the strands has no film; it was made by another solver");
  FOR_EACH_VERTEX(s, e) {
    const double* f = film + 4 * e.point;
    w->film_state.volume[e.vertex] = sane(f[0], 0, MOST_VOLUME, &bad);
    w->film_state.absorbed[e.vertex] = sane(f[1], 0, MOST_VOLUME, &bad);
    w->film_state.strain[e.vertex] = sane(f[2], -1e30, 1e30, &bad);
    w->air_share[e.vertex] = f[3] >= 0 && f[3] <= 1 ? f[3] : 1;
    w->exchange_air[e.vertex] = air[e.point] >= 0 && air[e.point] <= 1 ? air[e.point] : -1;
    for (size_t c = 0; c < 3; ++c) {
      w->feedback_impulse[e.at + c * RV_LANES] = sane(back[3 * e.point + c], -MOST_FORCE, MOST_FORCE, &bad);
      w->drop_acceleration[e.at + c * RV_LANES] = sane(pull[3 * e.point + c], -MOST_FORCE, MOST_FORCE, &bad);
    }
    if (!e.tip) {
      w->film_state.speed[e.edge] = sane(speed[e.point], -MOST_SPEED, MOST_SPEED, &bad);
      continue;
    }
    const double* hang = drop + 4 * (size_t)s->strands->solver.set.prim[e.strand];
    w->film_state.drop[e.lane] = sane(hang[0], 0, MOST_VOLUME, &bad);
    for (size_t c = 0; c < 3; ++c)
      w->film_state.drop_momentum[(e.lane / RV_LANES * 3 + c) * RV_LANES + e.lane % RV_LANES] =
          sane(hang[1 + c], -MOST_FORCE, MOST_FORCE, &bad);
  }
  for (size_t k = 0; k < 3; ++k) bad += !isfinite(ledger[k]);
  if (bad)
    return rv_fail(
        error, RV_BAD_INPUT,
        "%zu numbers of the film's state (rv_film rv_filmspeed rv_feedback rv_drop rv_wetledger) are none that the "
        "solver writes: the state was changed or damaged; simulate from the start frame, or from another state",
        bad);
  s->initial = ledger[0];
  s->sources = ledger[1];
  s->evaporated = ledger[2];
  s->ncaptured = taken && rv_attrib_storage(taken) == RV_F64 ? (size_t)rv_attrib_size(taken) / 2 : 0;
  if (!s->ncaptured) return RV_OK;
  s->captured = rv_alloc(2 * s->ncaptured, sizeof *s->captured);
  if (!s->captured) return no_memory(error);
  memcpy(s->captured, rv_attrib_read(taken), 2 * s->ncaptured * sizeof *s->captured);
  return RV_OK;
}

static RvResult save_taken(const RvFilmPort* s, RvDetail* d, RvError* error) {
  rv_detail_remove_attrib(d, RV_GLOBAL, "rv_taken");
  if (!s->ncaptured) return RV_OK;
  if (s->ncaptured > INT32_MAX / 4)
    return rv_fail(error, RV_LIMIT, "more particles were captured than a state can hold");
  double* out = rv_detail_f64_write(d, RV_GLOBAL, "rv_taken", (int)(2 * s->ncaptured), error);
  if (!out) return no_memory(error);
  memcpy(out, s->captured, 2 * s->ncaptured * sizeof *out);
  return RV_OK;
}

static RvResult save(RvFilmPort* s, RvDetail* d, RvError* error) {
  const RvFieldDef fields[] = {RV_WET_FILM_FIELDS("")};
  RvResult result = rv_state_prepare(d, fields, RV_WET_FILM_FIELD_COUNT, error);
  if (result) return result;
  double *film = rv_detail_f64_write(d, RV_POINT, "rv_film", 4, error),
         *speed = rv_detail_f64_write(d, RV_POINT, "rv_filmspeed", 1, error),
         *pull = rv_detail_f64_write(d, RV_POINT, "rv_dropacceleration", 3, error),
         *back = rv_detail_f64_write(d, RV_POINT, "rv_feedback", 3, error),
         *air = rv_detail_f64_write(d, RV_POINT, "rv_exchangeair", 1, error),
         *drop = rv_detail_f64_write(d, RV_PRIM, "rv_drop", 4, error),
         *ledger = rv_detail_f64_write(d, RV_GLOBAL, "rv_wetledger", 3, error);
  if (!film || !speed || !back || !pull || !air || !drop || !ledger) return no_memory(error);
  const RvWetFilm* w = &s->film;
  Each e;
  FOR_EACH_VERTEX(s, e) {
    double* f = film + 4 * e.point;
    f[0] = w->film_state.volume[e.vertex];
    f[1] = w->film_state.absorbed[e.vertex];
    f[2] = w->film_state.strain[e.vertex];
    f[3] = w->air_share[e.vertex];
    air[e.point] = w->exchange_air[e.vertex];
    for (size_t c = 0; c < 3; ++c) {
      back[3 * e.point + c] = w->feedback_impulse[e.at + c * RV_LANES];
      pull[3 * e.point + c] = w->drop_acceleration[e.at + c * RV_LANES];
    }
    speed[e.point] = e.tip ? 0 : w->film_state.speed[e.edge];
    if (!e.tip) continue;
    double* hang = drop + 4 * (size_t)s->strands->solver.set.prim[e.strand];
    hang[0] = w->film_state.drop[e.lane];
    for (size_t c = 0; c < 3; ++c)
      hang[1 + c] = w->film_state.drop_momentum[(e.lane / RV_LANES * 3 + c) * RV_LANES + e.lane % RV_LANES];
  }
  ledger[0] = s->initial;
  ledger[1] = s->sources + w->report.added;
  ledger[2] = s->evaporated + w->report.film.evaporated;
  return save_taken(s, d, error);
}

//---------------------------------------------------------------------------------------------- start frame

// m3 of film of a height on a length of hair
static double volume_of(double height, double radius, double length, double hairs) {
  return height > 0 ? rv_film_area(height, radius) * length * hairs : 0;
}

RvResult rv_film_port_start(RvCook* cook, const RvWetParms* parms, RvDetail* d, RvError* error) {
  const RvFieldDef fields[] = {RV_WET_FILM_FIELDS("")};
  RvResult result = rv_state_prepare(d, fields, RV_WET_FILM_FIELD_COUNT, error);
  if (result) return result;
  const RvAttrib* height = rv_detail_find(d, RV_POINT, "filmheight");
  double *film = rv_detail_f64_write(d, RV_POINT, "rv_film", 4, error),
         *ledger = rv_detail_f64_write(d, RV_GLOBAL, "rv_wetledger", 3, error),
         *air = rv_detail_f64_write(d, RV_POINT, "rv_exchangeair", 1, error);
  if (!film || !ledger || !air) return no_memory(error);
  for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) {
    film[4 * i + 3] = 1;
    air[i] = -1;
  }
  if (!height || rv_attrib_storage(height) == RV_STRING) return RV_OK;
  RvStrandSet set;
  RvSum painted = {0};
  size_t bad = 0;
  RvStrandSettings settings = rv_strand_port_settings(parms, rv_cook_meters(cook));
  double origin[3];
  rv_strands_origin(d, origin);
  result = rv_strands_read(d, &settings.material, origin, false, &set, error);
  if (result) return result;
  for (size_t k = 0; k < set.count; ++k) {
    const RvStrandDef* strand = &set.defs[k];
    for (int i = 0; i < strand->vertices; ++i) {
      size_t point = (size_t)set.point[set.first[k] + i];
      double length = 0;
      for (int j = i > 0 ? i - 1 : 0; j <= i && j + 1 < strand->vertices; ++j)
        length += 0.5 * rv_distance(rv_vec3_load64(strand->x + 3 * j), rv_vec3_load64(strand->x + 3 * j + 3));
      double h = rv_attrib_get(height, point, 0);
      // attributes are floats: a little more is the same
      bad += !(h >= 0 && h <= RV_WET_MAX_FILM * 1.000001);
      if (!(h > 0)) continue;
      h = fmin(h, RV_WET_MAX_FILM);
      double volume = volume_of(h, strand->radius[i], length, strand->multiple);
      film[4 * point] = volume <= MOST_VOLUME ? volume : 0;
      rv_sum_add(&painted, film[4 * point]);
    }
  }
  ledger[0] += rv_sum_total(&painted);
  rv_strands_free(&set);
  if (bad)
    rv_cook_warn(cook, "filmheight of %zu points is below 0, above %g m or no number: it is brought to 0 to %g m", bad,
                 RV_WET_MAX_FILM, RV_WET_MAX_FILM);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- the frame

RvResult rv_film_port_begin(RvFilmPort* s, RvStrandPort* strands, RvLiquidPort* liquid, const RvWetParms* parms,
                            const RvDetail* state, RvError* error) {
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
  return load(s, state, error);
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
  ledger->sources += s->sources + r->added;
  ledger->evaporated += s->evaporated + r->film.evaporated;
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
  rv_free(s->captured);
}
