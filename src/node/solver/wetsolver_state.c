// The state of strands, film and liquid as one detail: the strands' points first, then the particles.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "node/solver/wetsolver.h"

const RvFieldDef rv_wet_fields[RV_WET_FIELD_COUNT] = {
    RV_STRAND_FIELDS("strands"),
    RV_LIQUID_FIELDS("liquid"),
    RV_WET_FILM_FIELDS("film"),
    {"rv_points", RV_GLOBAL, RV_I64, 1, RV_TAG_NONE, "both", "", "start", true,
     "How many points are the strands'; those after them are liquid."}};

//---------------------------------------------------------------------------------------------- two details in one

static int by_text(const void* a, const void* b) {
  return strcmp(*(const char* const*)a, *(const char* const*)b);
}

// names of the point attributes of a part, to be told apart again; sorted, since hosts keep attributes in orders of
// their own, which must not be seen in the state
static RvResult keep_names(const RvDetail* part, const char* key, RvDetail* out, RvError* error) {
  RvAttrib* names;
  size_t n = rv_detail_attrib_count(part, RV_POINT), length = 1;
  for (size_t i = 0; i < n; ++i) length += strlen(rv_attrib_name(rv_detail_attrib(part, RV_POINT, i))) + 1;
  char* text = rv_alloc_zero(length, 1);
  const char** sorted = rv_alloc(n + 1, sizeof *sorted);
  if (!text || !sorted) {
    rv_free(text);
    rv_free(sorted);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
  }
  for (size_t i = 0; i < n; ++i) sorted[i] = rv_attrib_name(rv_detail_attrib(part, RV_POINT, i));
  qsort(sorted, n, sizeof *sorted, by_text);
  for (size_t i = 0; i < n; ++i) strcat(strcat(text, i ? " " : ""), sorted[i]);
  rv_free(sorted);
  RvResult result = rv_detail_add_attrib(out, RV_GLOBAL, key, RV_STRING, 1, RV_TAG_NONE, &names, error);
  if (!result) result = rv_attrib_set_string(names, 0, 0, text, error);
  rv_free(text);
  return result;
}

RvResult rv_wetsolve_join(const RvDetail* strands, const RvDetail* liquid, RvDetail** out, RvError* error) {
  RvDetail* d = rv_detail_copy(strands ? strands : liquid);
  RvResult result = d ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
  if (!result && strands && liquid) {
    int64_t* points = rv_detail_i64_write(d, RV_GLOBAL, "rv_points", 1, error);
    if (points) *points = (int64_t)rv_detail_count(strands, RV_POINT);
    result = points ? keep_names(strands, "rv_strandnames", d, error) : error->code;
    if (!result) result = keep_names(liquid, "rv_liquidnames", d, error);
    if (!result) result = rv_detail_merge(d, liquid, error);
  }
  if (result)
    rv_detail_free(d);
  else
    *out = d;
  return result;
}

static bool listed(const char* names, const char* name) {
  size_t length = strlen(name);
  for (const char* at = names; (at = strstr(at, name)); at += length)
    if ((at == names || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
  return false;
}

// the points [first, last), with the attributes that are theirs
static RvResult cut(const RvDetail* state, size_t first, size_t last, const char* key, RvDetail** out, RvError* error) {
  size_t n = rv_detail_count(state, RV_POINT);
  const RvAttrib* names = rv_detail_find(state, RV_GLOBAL, key);
  RvDetail* d = rv_detail_copy(state);
  uint8_t* keep = rv_alloc_zero(n + 1, 1);
  RvResult result = d && keep ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
  for (size_t i = rv_detail_attrib_count(state, RV_POINT); !result && names && i > 0; --i) {
    const char* name = rv_attrib_name(rv_detail_attrib(state, RV_POINT, i - 1));
    if (strcmp(name, "P") != 0 && !listed(rv_attrib_string(names, 0, 0), name))
      rv_detail_remove_attrib(d, RV_POINT, name);
  }
  if (!result) {
    memset(keep + first, 1, last - first);
    result = rv_detail_keep(d, keep, NULL, false, error);
  }
  rv_free(keep);
  if (result)
    rv_detail_free(d);
  else
    *out = d;
  return result;
}

RvResult rv_wetsolve_part(const RvDetail* state, RvDetail** strands, RvDetail** liquid, RvError* error) {
  const int64_t* points = rv_detail_i64(state, RV_GLOBAL, "rv_points", 1);
  size_t n = rv_detail_count(state, RV_POINT), first = points && *points >= 0 ? (size_t)*points : 0;
  *strands = *liquid = NULL;
  if (!points) {
    RvDetail* only = rv_detail_copy(state);
    *(rv_detail_find(state, RV_POINT, "rv_x") ? strands : liquid) = only;
    return only ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the state");
  }
  if (first > n)
    return rv_fail(error, RV_BAD_INPUT, "rv_points of the state is %lld, but it has %zu points", (long long)*points, n);
  RvResult result = cut(state, 0, first, "rv_strandnames", strands, error);
  if (!result) result = cut(state, first, n, "rv_liquidnames", liquid, error);
  static const RvFieldDef own[][RV_LIQUID_FIELD_COUNT] = {{RV_LIQUID_FIELDS("")}};
  for (size_t i = 0; !result && i < RV_LIQUID_FIELD_COUNT; ++i)
    if (own[0][i].owner == RV_GLOBAL) rv_detail_remove_attrib(*strands, RV_GLOBAL, own[0][i].name);
  static const char* const both[] = {"rv_points", "rv_strandnames", "rv_liquidnames", "rv_sources", "nextid"};
  for (size_t i = 0; !result && i < sizeof both / sizeof *both; ++i) {
    rv_detail_remove_attrib(*strands, RV_GLOBAL, both[i]);
    if (i < 3) rv_detail_remove_attrib(*liquid, RV_GLOBAL, both[i]);
  }
  for (size_t i = 0; !result && i < RV_WET_FIELD_COUNT; ++i)
    if (rv_wet_fields[i].owner == RV_GLOBAL && strcmp(rv_wet_fields[i].group, "liquid") != 0)
      rv_detail_remove_attrib(*liquid, RV_GLOBAL, rv_wet_fields[i].name);
  return result;
}

//---------------------------------------------------------------------------------------------- film

typedef struct Each {
  size_t point, vertex, edge, at;  // of the detail; of the blocks; edge SIZE_MAX at the tip
  size_t strand, lane;             // lane: of all batches
  bool tip;
} Each;

// calls for every vertex of every strand
#define FOR_EACH_VERTEX(s, e)                                                 \
  for (size_t k_ = 0; k_ < (s)->wet.strands->nbatch; ++k_)                    \
    for (int lane_ = 0; lane_ < (s)->wet.strands->batches[k_].lanes; ++lane_) \
      for (int i_ = 0; i_ < (s)->wet.strands->batches[k_].vertices && ((e) = each(s, k_, lane_, i_), true); ++i_)

static Each each(const RvWetSolve* s, size_t k, int lane, int i) {
  const RvStrandBatch* b = &s->wet.strands->batches[k];
  size_t strand = (size_t)b->strand[lane];
  return (Each){.point = (size_t)s->strands.set.point[s->strands.set.first[strand] + i],
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

// Beyond these no state of ours comes: m3 at a vertex (a film of RV_WET_MOST_FILM on 10 m of ten thousand hairs), m/s,
// N, kg m/s.
static const double MOST_VOLUME = 100, MOST_SPEED = 1e4, MOST_FORCE = 1e6;

RvResult rv_wetsolve_film_load(RvWetSolve* s, const RvDetail* d, RvError* error) {
  const double *film = rv_detail_f64(d, RV_POINT, "rv_film", 4), *speed = rv_detail_f64(d, RV_POINT, "rv_filmspeed", 1);
  const double* pull = rv_detail_f64(d, RV_POINT, "rv_pull", 3);
  const double *back = rv_detail_f64(d, RV_POINT, "rv_back", 3), *drop = rv_detail_f64(d, RV_PRIM, "rv_drop", 4);
  const double* ledger = rv_detail_f64(d, RV_GLOBAL, "rv_wetledger", 3);
  const RvAttrib* taken = rv_detail_find(d, RV_GLOBAL, "rv_taken");
  RvWet* w = &s->wet;
  size_t bad = 0;
  Each e;
  if (!film || !speed || !back || !pull || !drop || !ledger)
    return rv_fail(error, RV_BAD_INPUT, "the state of the strands has no film; it was made by another solver");
  FOR_EACH_VERTEX(s, e) {
    const double* f = film + 4 * e.point;
    w->film_state.volume[e.vertex] = sane(f[0], 0, MOST_VOLUME, &bad);
    w->film_state.absorbed[e.vertex] = sane(f[1], 0, MOST_VOLUME, &bad);
    w->film_state.strain[e.vertex] = sane(f[2], -1e30, 1e30, &bad);
    w->wet[e.vertex] = f[3] >= 0 && f[3] <= 1 ? f[3] : 1;
    for (size_t c = 0; c < 3; ++c) {
      w->back[e.at + c * RV_LANES] = sane(back[3 * e.point + c], -MOST_FORCE, MOST_FORCE, &bad);
      w->pull[e.at + c * RV_LANES] = sane(pull[3 * e.point + c], -MOST_FORCE, MOST_FORCE, &bad);
    }
    if (!e.tip) {
      w->film_state.speed[e.edge] = sane(speed[e.point], -MOST_SPEED, MOST_SPEED, &bad);
      continue;
    }
    const double* hang = drop + 4 * (size_t)s->strands.set.prim[e.strand];
    w->film_state.drop[e.lane] = sane(hang[0], 0, MOST_VOLUME, &bad);
    for (size_t c = 0; c < 3; ++c)
      w->film_state.drop_momentum[(e.lane / RV_LANES * 3 + c) * RV_LANES + e.lane % RV_LANES] =
          sane(hang[1 + c], -MOST_FORCE, MOST_FORCE, &bad);
  }
  for (size_t k = 0; k < 3; ++k) bad += !isfinite(ledger[k]);
  if (bad)
    return rv_fail(
        error, RV_BAD_INPUT,
        "%zu numbers of the film's state (rv_film rv_filmspeed rv_back rv_drop rv_wetledger) are none that the "
        "solver writes: the state was changed or damaged; simulate from the start frame, or from another state",
        bad);
  s->film_initial = ledger[0];
  s->film_sources = ledger[1];
  s->film_evaporated = ledger[2];
  s->ntaken = taken && rv_attrib_storage(taken) == RV_F64 ? (size_t)rv_attrib_size(taken) / 2 : 0;
  if (!s->ntaken) return RV_OK;
  s->taken = rv_alloc(2 * s->ntaken, sizeof *s->taken);
  if (!s->taken) return no_memory(error);
  memcpy(s->taken, rv_attrib_read(taken), 2 * s->ntaken * sizeof *s->taken);
  return RV_OK;
}

static RvResult save_taken(const RvWetSolve* s, RvDetail* d, RvError* error) {
  rv_detail_remove_attrib(d, RV_GLOBAL, "rv_taken");
  if (!s->ntaken) return RV_OK;
  if (s->ntaken > INT32_MAX / 4) return rv_fail(error, RV_LIMIT, "more particles were captured than a state can hold");
  double* out = rv_detail_f64_write(d, RV_GLOBAL, "rv_taken", (int)(2 * s->ntaken), error);
  if (!out) return no_memory(error);
  memcpy(out, s->taken, 2 * s->ntaken * sizeof *out);
  return RV_OK;
}

RvResult rv_wetsolve_film_save(RvWetSolve* s, RvDetail* d, RvError* error) {
  const RvFieldDef fields[] = {RV_WET_FILM_FIELDS("")};
  RvResult result = rv_state_prepare(d, fields, RV_WET_FILM_FIELD_COUNT, error);
  if (result) return result;
  double *film = rv_detail_f64_write(d, RV_POINT, "rv_film", 4, error),
         *speed = rv_detail_f64_write(d, RV_POINT, "rv_filmspeed", 1, error),
         *pull = rv_detail_f64_write(d, RV_POINT, "rv_pull", 3, error),
         *back = rv_detail_f64_write(d, RV_POINT, "rv_back", 3, error),
         *drop = rv_detail_f64_write(d, RV_PRIM, "rv_drop", 4, error),
         *ledger = rv_detail_f64_write(d, RV_GLOBAL, "rv_wetledger", 3, error);
  if (!film || !speed || !back || !pull || !drop || !ledger) return no_memory(error);
  const RvWet* w = &s->wet;
  Each e;
  FOR_EACH_VERTEX(s, e) {
    double* f = film + 4 * e.point;
    f[0] = w->film_state.volume[e.vertex];
    f[1] = w->film_state.absorbed[e.vertex];
    f[2] = w->film_state.strain[e.vertex];
    f[3] = w->wet[e.vertex];
    for (size_t c = 0; c < 3; ++c) {
      back[3 * e.point + c] = w->back[e.at + c * RV_LANES];
      pull[3 * e.point + c] = w->pull[e.at + c * RV_LANES];
    }
    speed[e.point] = e.tip ? 0 : w->film_state.speed[e.edge];
    if (!e.tip) continue;
    double* hang = drop + 4 * (size_t)s->strands.set.prim[e.strand];
    hang[0] = w->film_state.drop[e.lane];
    for (size_t c = 0; c < 3; ++c)
      hang[1 + c] = w->film_state.drop_momentum[(e.lane / RV_LANES * 3 + c) * RV_LANES + e.lane % RV_LANES];
  }
  ledger[0] = s->film_initial;
  ledger[1] = s->film_sources + w->report.added;
  ledger[2] = s->film_evaporated + w->report.film.evaporated;
  return save_taken(s, d, error);
}

// m3 of film of a height on a length of hair
static double volume_of(double height, double radius, double length, double hairs) {
  return height > 0 ? rv_film_area(height, radius) * length * hairs : 0;
}

RvResult rv_wetsolve_film_start(RvWetSolve* s, RvDetail* d, RvError* error) {
  const RvFieldDef fields[] = {RV_WET_FILM_FIELDS("")};
  RvResult result = rv_state_prepare(d, fields, RV_WET_FILM_FIELD_COUNT, error);
  if (result) return result;
  const RvAttrib* height = rv_detail_find(d, RV_POINT, "filmheight");
  double *film = rv_detail_f64_write(d, RV_POINT, "rv_film", 4, error),
         *ledger = rv_detail_f64_write(d, RV_GLOBAL, "rv_wetledger", 3, error);
  if (!film || !ledger) return no_memory(error);
  for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) film[4 * i + 3] = 1;
  if (!height || rv_attrib_storage(height) == RV_STRING) return RV_OK;
  RvStrandSet set;
  RvSum painted = {0};
  size_t bad = 0;
  RvStrandSolveDef def = rv_strandsolve_def(&s->strand_part.parms.strands, rv_cook_meters(s->cook));
  double origin[3];
  rv_strands_origin(d, origin);
  result = rv_strands_read(d, &def.material, origin, false, &set, error);
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
      bad += !(h >= 0 && h <= RV_WET_MOST_FILM * 1.000001);
      if (!(h > 0)) continue;
      h = fmin(h, RV_WET_MOST_FILM);
      double volume = volume_of(h, strand->radius[i], length, strand->multiple);
      film[4 * point] = volume <= MOST_VOLUME ? volume : 0;
      rv_sum_add(&painted, film[4 * point]);
    }
  }
  ledger[0] += rv_sum_total(&painted);
  rv_strands_free(&set);
  if (bad)
    rv_cook_warn(s->cook, "filmheight of %zu points is below 0, above %g m or no number: it is brought to 0 to %g m",
                 bad, RV_WET_MOST_FILM, RV_WET_MOST_FILM);
  return RV_OK;
}
