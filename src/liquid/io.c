// The state of the liquid as point attributes and back, bit for bit (io.h): points of a start frame are read in units
// of the scene; a state is read from its exact rv_ attributes, unless an artist edited the rounded P and v beside them.
#include "liquid/io.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "space/sort.h"

const RvFieldDef rv_liquid_fields[RV_LIQUID_FIELD_COUNT] = {RV_LIQUID_FIELDS("")};

// Attributes that the solver writes itself; all others are carried along.
static const char own[] = "P v pscale id age volume rv_cell rv_flow rv_c rv_volume rv_id rv_age";
static const char own_globals[] = "rv_gridorigin rv_dx rv_nextid rv_ledger rv_sources nextid";

static RvResult no_memory(size_t count, RvError* error) {
  return rv_fail(error, RV_NO_MEMORY, "no memory for %zu particles", count);
}

// Numeric point attribute of this size; NULL: there is none.
static const RvAttrib* find_number(const RvDetail* d, const char* name, int size) {
  const RvAttrib* a = rv_detail_find(d, RV_POINT, name);
  return a && rv_attrib_storage(a) != RV_STRING && rv_attrib_size(a) == size ? a : NULL;
}

static const double SPACING_OF_NOTHING = 0.01;  // m: cells of a liquid without any points

//---------------------------------------------------------------------------------------------- start

// Attributes of points of a start frame; all but P may be absent.
typedef struct Reader {
  const float* P;
  const RvAttrib *v, *volume, *pscale, *id, *age;
  double meters;      // of a unit of the scene
  double separation;  // m, of particles without volume and pscale
} Reader;

// Finds the attributes of a start frame.
static Reader reader_of(const RvDetail* d, double meters, double separation) {
  return (Reader){.P = rv_detail_f32(d, RV_POINT, "P", 3),
                  .v = find_number(d, "v", 3),
                  .volume = find_number(d, "volume", 1),
                  .pscale = find_number(d, "pscale", 1),
                  .id = find_number(d, "id", 1),
                  .age = find_number(d, "age", 1),
                  .meters = meters,
                  .separation = separation};
}

// Volume of point i in m^3: by volume, else by pscale as a ball, else the cube of the separation.
static double volume_of(const Reader* r, size_t i) {
  double cube = r->meters * r->meters * r->meters;
  if (r->volume) return rv_attrib_get(r->volume, i, 0) * cube;
  if (r->pscale) {
    double radius = rv_attrib_get(r->pscale, i, 0);
    return 4.0 / 3 * RV_PI * radius * radius * radius * cube;  // ball
  }
  return r->separation * r->separation * r->separation;
}

RvResult rv_liquid_measure(const RvDetail* d, double separation, const RvLiquidUnits* units, double* spacing,
                           double origin[3], RvError* error) {
  Reader r = reader_of(d, units->meters, separation);
  size_t count = rv_detail_count(d, RV_POINT), known = 0;
  double sum = 0, lo[3] = {INFINITY, INFINITY, INFINITY};
  // mean volume and the lowest corner
  for (size_t i = 0; i < count; ++i) {
    double volume = volume_of(&r, i);
    const float* p = r.P + 3 * i;
    if (volume > 0 && isfinite(volume)) {
      sum += volume;
      known++;
    }
    if (isfinite(p[0] + p[1] + p[2]))
      for (int a = 0; a < 3; ++a) lo[a] = fmin(lo[a], (double)p[a]);
  }
  *spacing = separation > 0 ? separation : known ? rv_pow(sum / (double)known, 1.0 / 3) : 0;
  if (!(*spacing > 0) && count)
    return rv_fail(error, RV_BAD_INPUT,
                   "particlesep is 0 and the points have neither volume nor pscale: set particlesep to their spacing");
  if (!(*spacing > 0)) *spacing = SPACING_OF_NOTHING;
  // the lower corner of the cube of the lowest particle
  for (int a = 0; a < 3; ++a) origin[a] = isfinite(lo[a]) ? lo[a] - 0.5 * *spacing / units->meters : 0;
  return RV_OK;
}

// Whether no id occurs twice; also false when out of memory.
static bool ids_unique(const RvParticles* p) {
  uint64_t* keys = rv_alloc(p->count, sizeof *keys);
  uint64_t* spare = rv_alloc(p->count, sizeof *spare);
  bool unique = keys && spare;
  for (size_t i = 0; unique && i < p->count; ++i) keys[i] = (uint64_t)p->id[i];
  if (unique) rv_sort_keys(keys, NULL, spare, NULL, p->count, 64);
  for (size_t i = 1; unique && i < p->count; ++i) unique = keys[i] != keys[i - 1];
  rv_free(keys);
  rv_free(spare);
  return unique;
}

// Keeps the ids of the input if each is unique, else numbers by order. *next: the first free id.
static void number_all(RvParticles* p, bool given, int64_t* next, RvLiquidFaults* faults) {
  if (!given || !ids_unique(p)) {
    faults->numbered = given;
    for (size_t i = 0; i < p->count; ++i) p->id[i] = (int64_t)i;
  }
  *next = 0;
  for (size_t i = 0; i < p->count; ++i)
    if (p->id[i] >= *next) *next = p->id[i] + 1;
}

RvResult rv_liquid_read(const RvDetail* d, const RvLiquidUnits* units, double separation, RvLiquidGlobals* globals,
                        RvParticles* p, RvLiquidFaults* faults, RvError* error) {
  Reader r = reader_of(d, units->meters, separation);
  size_t count = rv_detail_count(d, RV_POINT);
  RvResult result = rv_liquid_particles_reserve(p, count, error);
  if (result) return result;
  for (size_t i = 0; i < count; ++i) {
    // place in cells, velocity in m/s of the simulation's time
    double cell[3], v[3] = {0}, sum = 0;
    double volume = volume_of(&r, i);
    for (int a = 0; a < 3; ++a) {
      cell[a] = ((double)r.P[3 * i + (size_t)a] - globals->origin[a]) * units->meters / globals->dx;
      if (r.v) v[a] = rv_attrib_get(r.v, i, a) * units->meters / units->rate;
      sum += v[a];
    }
    // points without volume, and values that are not numbers, are left out and counted
    if (volume <= 0) {
      faults->empty++;
      continue;
    }
    size_t at = isfinite(sum) && isfinite(volume) ? rv_liquid_particles_add(p, cell) : SIZE_MAX;
    if (at == SIZE_MAX) {
      faults->lost++;
      if (isfinite(volume)) faults->lost_volume += volume;
      continue;
    }
    for (int a = 0; a < 3; ++a) p->v[a][at] = (float)v[a];
    p->volume[at] = volume;
    p->id[at] = r.id ? (int64_t)rv_attrib_get(r.id, i, 0) : (int64_t)i;
    p->age[at] = r.age ? (float)rv_attrib_get(r.age, i, 0) : 0;
    p->row[at] = (int32_t)i;
  }
  // ids, and the first that is free
  number_all(p, r.id != NULL, &globals->next_id, faults);
  const int32_t* next = rv_detail_i32(d, RV_GLOBAL, "nextid", 1);
  if (next && *next > globals->next_id) globals->next_id = *next;
  globals->initial = rv_liquid_particles_volume(p);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- state

// Rounded place as it is shown in P; the same rounding decides whether P was edited.
static float shown_place(const RvLiquidGlobals* g, const RvLiquidUnits* u, int axis, double cell) {
  return (float)(g->origin[axis] + cell * (g->dx / u->meters));
}

// Rounded velocity as it is shown in v.
static float shown_velocity(const RvLiquidUnits* u, float v) {
  return (float)((double)v * (u->rate / u->meters));
}

// Arrays of a state.
typedef struct State {
  const float *P, *v;  // shown: rounded, in units of the scene
  const double *cell, *volume;
  const float *flow, *c, *age;
  const int64_t* id;
} State;

// Finds the arrays of a state.
static State state_of(const RvDetail* d) {
  return (State){.P = rv_detail_f32(d, RV_POINT, "P", 3),
                 .v = rv_detail_f32(d, RV_POINT, "v", 3),
                 .cell = rv_detail_f64(d, RV_POINT, "rv_cell", 3),
                 .volume = rv_detail_f64(d, RV_POINT, "rv_volume", 1),
                 .flow = rv_detail_f32(d, RV_POINT, "rv_flow", 3),
                 .c = rv_detail_f32(d, RV_POINT, "rv_c", 9),
                 .age = rv_detail_f32(d, RV_POINT, "rv_age", 1),
                 .id = rv_detail_i64(d, RV_POINT, "rv_id", 1)};
}

// Origin, cell size, ids and ledger of a state.
static RvResult read_globals(const RvDetail* d, RvLiquidGlobals* g, RvError* error) {
  RvResult result = rv_state_load(d, rv_liquid_fields, RV_LIQUID_FIELD_COUNT, g, error);
  if (result || (g->dx > 0 && isfinite(g->dx))) return result;
  return rv_fail(error, RV_BAD_INPUT, "rv_dx: the cell size is %g m; the state is damaged, resume from another frame",
                 g->dx);
}

// Place and velocity of point i. Where P or v differs from what was shown, an artist edited it and the edit is taken.
// Returns whether there was one.
static bool read_motion(const State* s, size_t i, const RvLiquidGlobals* g, const RvLiquidUnits* units, double cell[3],
                        float v[3]) {
  bool edited = false;
  for (int a = 0; a < 3; ++a) {
    const size_t k = 3 * i + (size_t)a;
    cell[a] = s->cell[k];
    v[a] = s->flow[k];
    if (shown_place(g, units, a, cell[a]) != s->P[k]) {
      edited = true;
      cell[a] = ((double)s->P[k] - g->origin[a]) * units->meters / g->dx;
    }
    if (s->v && shown_velocity(units, s->flow[k]) != s->v[k] && units->rate > 0) {
      edited = true;
      v[a] = (float)((double)s->v[k] * units->meters / units->rate);
    }
  }
  return edited;
}

// Adds the particle of point i, or counts it as lost.
static void load_point(const State* s, size_t i, const RvLiquidUnits* units, RvLiquidGlobals* g, RvParticles* p,
                       RvLiquidFaults* faults) {
  double cell[3];
  float v[3];
  faults->edited += read_motion(s, i, g, units, cell, v);
  const bool sound = isfinite(v[0] + v[1] + v[2]) && s->volume[i] > 0;
  const size_t at = sound ? rv_liquid_particles_add(p, cell) : SIZE_MAX;
  if (at == SIZE_MAX) {
    faults->lost++;
    if (s->volume[i] > 0 && isfinite(s->volume[i])) faults->lost_volume += s->volume[i];
    return;
  }
  for (int a = 0; a < 3; ++a) p->v[a][at] = v[a];
  for (size_t a = 0; a < 9; ++a) p->c[a][at] = isfinite(s->c[9 * i + a]) ? s->c[9 * i + a] : 0;
  p->volume[at] = s->volume[i];
  p->age[at] = s->age[i];
  p->id[at] = s->id[i];
  p->row[at] = (int32_t)i;
  if (s->id[i] >= g->next_id) g->next_id = s->id[i] + 1;
}

RvResult rv_liquid_load(const RvDetail* d, const RvLiquidUnits* units, RvLiquidGlobals* g, RvParticles* p,
                        RvLiquidFaults* faults, RvError* error) {
  const size_t count = rv_detail_count(d, RV_POINT);
  const State state = state_of(d);
  RvResult result = read_globals(d, g, error);
  if (!result) result = rv_liquid_particles_reserve(p, count, error);
  for (size_t i = 0; i < count && !result; ++i) load_point(&state, i, units, g, p, faults);
  return result;
}

//---------------------------------------------------------------------------------------------- save

// Arrays of a new state.
typedef struct Writer {
  float *P, *v, *pscale, *age, *rv_v, *rv_c, *rv_age;
  int32_t* id;
  int64_t* rv_id;
  double *volume, *rv_cell, *rv_volume;
} Writer;

// False: out of memory.
static bool open_writer(RvDetail* d, Writer* w, RvError* e) {
  *w = (Writer){.P = rv_detail_f32_write(d, RV_POINT, "P", 3, e),
                .v = rv_detail_f32_write(d, RV_POINT, "v", 3, e),
                .pscale = rv_detail_f32_write(d, RV_POINT, "pscale", 1, e),
                .age = rv_detail_f32_write(d, RV_POINT, "age", 1, e),
                .id = rv_detail_i32_write(d, RV_POINT, "id", 1, e),
                .volume = rv_detail_f64_write(d, RV_POINT, "volume", 1, e),
                .rv_cell = rv_detail_f64_write(d, RV_POINT, "rv_cell", 3, e),
                .rv_v = rv_detail_f32_write(d, RV_POINT, "rv_flow", 3, e),
                .rv_c = rv_detail_f32_write(d, RV_POINT, "rv_c", 9, e),
                .rv_volume = rv_detail_f64_write(d, RV_POINT, "rv_volume", 1, e),
                .rv_id = rv_detail_i64_write(d, RV_POINT, "rv_id", 1, e),
                .rv_age = rv_detail_f32_write(d, RV_POINT, "rv_age", 1, e)};
  return w->P && w->v && w->pscale && w->age && w->id && w->volume && w->rv_cell && w->rv_v && w->rv_c &&
         w->rv_volume && w->rv_id && w->rv_age;
}

// Writes particle i as point `to`.
static void write_point(const Writer* w, size_t to, const RvParticles* p, size_t i, const RvLiquidUnits* u,
                        const RvLiquidGlobals* g) {
  double cell[3], cube = u->meters * u->meters * u->meters;
  rv_liquid_particles_place(p, i, cell);
  // place and velocity, exact and shown
  for (int a = 0; a < 3; ++a) {
    size_t k = 3 * to + (size_t)a;
    w->rv_cell[k] = cell[a];
    w->P[k] = shown_place(g, u, a, cell[a]);
    w->rv_v[k] = p->v[a][i];
    w->v[k] = shown_velocity(u, p->v[a][i]);
  }
  for (size_t a = 0; a < 9; ++a) w->rv_c[9 * to + a] = p->c[a][i];
  // volume, and pscale as the radius of a ball of it
  w->rv_volume[to] = p->volume[i];
  w->volume[to] = p->volume[i] / cube;
  w->pscale[to] = (float)rv_pow(p->volume[i] / cube * (3 / (4 * RV_PI)), 1.0 / 3);
  w->rv_id[to] = p->id[i];
  // the id that the artist sees has 32 bits
  w->id[to] = (int32_t)(p->id[i] & INT32_MAX);
  w->age[to] = p->age[i];
  w->rv_age[to] = p->age[i];
}

// Order of the particles by id, and the rows of their points in that order. False: out of memory.
static bool order_by_id(const RvParticles* p, uint32_t* order, int32_t* rows) {
  const uint64_t sign = (uint64_t)1 << 63;  // flipped, so that signed ids sort as unsigned keys
  uint64_t* keys = rv_alloc(p->count, sizeof *keys);
  uint64_t* spare = rv_alloc(p->count, sizeof *spare);
  uint32_t* spare_order = rv_alloc(p->count, sizeof *spare_order);
  bool sorted = keys && spare && spare_order;
  for (size_t i = 0; sorted && i < p->count; ++i) {
    keys[i] = (uint64_t)p->id[i] ^ sign;
    order[i] = (uint32_t)i;
  }
  if (sorted) rv_sort_keys(keys, order, spare, spare_order, p->count, 64);
  for (size_t i = 0; sorted && i < p->count; ++i) rows[i] = p->row[order[i]];
  rv_free(keys);
  rv_free(spare);
  rv_free(spare_order);
  return sorted;
}

RvResult rv_liquid_save(const RvParticles* p, const RvLiquidUnits* units, const RvLiquidGlobals* g,
                        const RvDetail* from, RvDetail** out, RvError* error) {
  RvDetail* d = rv_detail_new();
  uint32_t* order = rv_alloc(p->count, sizeof *order);
  int32_t* rows = rv_alloc(p->count, sizeof *rows);
  RvResult result = d && order && rows ? RV_OK : no_memory(p->count, error);
  if (!result && !order_by_id(p, order, rows)) result = no_memory(p->count, error);
  // points by id, with the attributes that are only carried
  if (!result) result = rv_detail_add_points(d, p->count, NULL, error);
  if (!result && from) result = rv_detail_gather(d, RV_POINT, 0, p->count, from, rows, own, error);
  if (!result && from) result = rv_detail_gather(d, RV_GLOBAL, 0, 1, from, (const int32_t[]){0}, own_globals, error);
  // the solver's own attributes
  if (!result) result = rv_state_prepare(d, rv_liquid_fields, RV_LIQUID_FIELD_COUNT, error);
  Writer w;
  if (!result && !open_writer(d, &w, error)) result = no_memory(p->count, error);
  for (size_t i = 0; !result && i < p->count; ++i) write_point(&w, i, p, order[i], units, g);
  if (!result) result = rv_state_save(d, rv_liquid_fields, RV_LIQUID_FIELD_COUNT, g, error);
  rv_free(order);
  rv_free(rows);
  if (result)
    rv_detail_free(d);
  else
    *out = d;
  return result;
}
