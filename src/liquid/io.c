// The state of the liquid as point attributes and back, bit for bit (io.h): points of a start frame are read in units
// of the scene; a state is read from its exact rv_ attributes, unless an artist edited the rounded P and v beside them.
#include "liquid/io.h"

#include <math.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "liquid/rheology.h"
#include "math/scalar.h"
#include "space/sort.h"

const RvFieldDef rv_liquid_fields[RV_LIQUID_FIELD_COUNT] = {RV_LIQUID_FIELDS("")};

void rv_liquid_remove_own(RvDetail* detail, RvOwner owner) {
  // What artists see of the state, beside its rows.
  static const char* const shown[] = {"v", "pscale", "id", "age", "volume"};
  for (size_t i = 0; owner == RV_POINT && i < sizeof shown / sizeof *shown; ++i)
    rv_detail_remove_attrib(detail, owner, shown[i]);
  if (owner == RV_GLOBAL) rv_detail_remove_attrib(detail, owner, "nextid");
  for (size_t i = 0; i < RV_LIQUID_FIELD_COUNT; ++i)
    if (rv_liquid_fields[i].owner == owner) rv_detail_remove_attrib(detail, owner, rv_liquid_fields[i].name);
}

static RvResult no_memory(size_t count, RvError* error) {
  return rv_fail(error, RV_NO_MEMORY, "no memory for %zu particles", count);
}

// Numeric point attribute of this size; NULL: there is none.
static const RvAttrib* find_number(const RvDetail* d, const char* name, int size) {
  const RvAttrib* a = rv_detail_find(d, RV_POINT, name);
  return a && rv_attrib_storage(a) != RV_STRING && rv_attrib_size(a) == size ? a : NULL;
}

enum { SHOW_GRAIN = 4096 };  // points of a parallel task

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

// *unique: no id occurs twice.
static RvResult ids_unique(const RvParticles* p, bool* unique, RvError* error) {
  uint64_t* keys = rv_alloc(p->count, sizeof *keys);
  uint64_t* spare = rv_alloc(p->count, sizeof *spare);
  bool made = keys && spare;
  *unique = true;
  for (size_t i = 0; made && i < p->count; ++i) keys[i] = (uint64_t)p->id[i];
  if (made) rv_sort_keys(keys, NULL, spare, NULL, p->count, 64);
  for (size_t i = 1; made && *unique && i < p->count; ++i) *unique = keys[i] != keys[i - 1];
  rv_free(keys);
  rv_free(spare);
  return made ? RV_OK : rv_fail(error, RV_NO_MEMORY, "no memory for the ids of %zu particles", p->count);
}

// Keeps the ids of the input if each is unique, else numbers by order. *next: the first free id.
static RvResult number_all(RvParticles* p, bool given, int64_t* next, RvLiquidFaults* faults, RvError* error) {
  bool unique = false;
  RvResult result = given ? ids_unique(p, &unique, error) : RV_OK;
  if (result) return result;
  if (!unique) {
    faults->numbered = given;
    for (size_t i = 0; i < p->count; ++i) p->id[i] = (int64_t)i;
  }
  *next = 0;
  for (size_t i = 0; i < p->count; ++i)
    if (p->id[i] >= *next) *next = p->id[i] + 1;
  return RV_OK;
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
  result = rv_liquid_particles_complete(p, error);
  if (!result) result = number_all(p, r.id != NULL, &globals->next_id, faults, error);
  if (result) return result;
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

// Points of a state, and the record that is loaded of them.
typedef struct State {
  const float *P, *v;  // shown: rounded, in units of the scene
  const RvLiquidUnits* units;
  RvLiquidRecord record;
} State;

// Place of point i in cells. Where P differs from what was shown, an artist edited it and the edit is taken. Returns
// whether there was one.
static bool read_place(const State* s, size_t i, double cell[3]) {
  const RvLiquidGlobals* g = &s->record.globals;
  bool edited = false;
  for (int a = 0; a < 3; ++a) {
    const size_t k = 3 * i + (size_t)a;
    cell[a] = s->record.cell[k];
    if (shown_place(g, s->units, a, cell[a]) == s->P[k]) continue;
    edited = true;
    cell[a] = ((double)s->P[k] - g->origin[a]) * s->units->meters / g->dx;
  }
  return edited;
}

// Takes edits of the velocity of point i into v, the exact one. Returns whether there was one.
static bool read_velocity(const State* s, size_t i, float v[3]) {
  bool edited = false;
  for (size_t a = 0; a < 3 && s->v && s->units->rate > 0; ++a) {
    float shown = s->v[3 * i + a];
    if (shown_velocity(s->units, v[a]) == shown) continue;
    edited = true;
    v[a] = (float)((double)shown * s->units->meters / s->units->rate);
  }
  return edited;
}

// Adds a particle for each point with a place, a velocity and a volume; the others are counted as lost. The numbers of
// point i are in the particles' arrays at i, behind the last particle that was added.
static void add_particles(const State* s, size_t count, RvLiquidFaults* faults) {
  RvParticles* p = s->record.particles;
  for (size_t i = 0; i < count; ++i) {
    double cell[3], volume = p->volume[i];
    float v[3] = {p->v[0][i], p->v[1][i], p->v[2][i]};
    bool moved = read_place(s, i, cell);
    bool pushed = read_velocity(s, i, v);
    faults->edited += moved || pushed;
    const bool sound = isfinite(v[0] + v[1] + v[2]) && volume > 0;
    const size_t at = sound ? rv_liquid_particles_add(p, cell) : SIZE_MAX;
    if (at != SIZE_MAX) {
      p->row[at] = (int32_t)i;
      continue;
    }
    faults->lost++;
    if (volume > 0 && isfinite(volume)) faults->lost_volume += volume;
  }
}

// What the rows do not say: edited velocities, slopes that are no numbers, and the first free id.
static void repair(State* s) {
  RvParticles* p = s->record.particles;
  for (size_t i = 0; i < p->count; ++i) {
    float v[3] = {p->v[0][i], p->v[1][i], p->v[2][i]};
    read_velocity(s, (size_t)p->row[i], v);
    for (int a = 0; a < 3; ++a) p->v[a][i] = v[a];
    for (int a = 0; a < 9; ++a) p->c[a][i] = isfinite(p->c[a][i]) ? p->c[a][i] : 0;
    if (p->id[i] >= s->record.globals.next_id) s->record.globals.next_id = p->id[i] + 1;
  }
}

// Strains that no liquid can have, with a number that is none or a determinant that is not 1, become 0. Their number.
static size_t repair_strains(RvParticles* p) {
  size_t bad = 0;
  for (size_t i = 0; i < p->count; ++i) {
    double strain[RV_STRAINS];
    for (int k = 0; k < RV_STRAINS; ++k) strain[k] = (double)p->strain[k][i];
    if (rv_liquid_plastic_possible(strain)) continue;
    for (int k = 0; k < RV_STRAINS; ++k) p->strain[k][i] = 0;
    bad++;
  }
  return bad;
}

RvResult rv_liquid_load(const RvDetail* d, const RvLiquidUnits* units, RvLiquidGlobals* g, RvParticles* p,
                        RvLiquidFaults* faults, RvError* error) {
  const size_t count = rv_detail_count(d, RV_POINT);
  State s = {.P = rv_detail_f32(d, RV_POINT, "P", 3),
             .v = rv_detail_f32(d, RV_POINT, "v", 3),
             .units = units,
             .record = {.particles = p}};
  // Numbers beside the particles, and their places.
  RvResult result = rv_state_load(d, rv_liquid_fields, RV_LIQUID_FIELD_COUNT, &s.record, error);
  const double dx = s.record.globals.dx;
  if (!result && !(dx > 0 && isfinite(dx)))
    result = rv_fail(error, RV_BAD_INPUT,
                     "rv_dx: the cell size is %g m; the state is damaged, resume from another frame", dx);
  if (!result) result = rv_liquid_particles_reserve(p, count, error);
  if (!result && rv_detail_find(d, RV_POINT, "rv_strain")) result = rv_liquid_particles_strain(p, error);
  // The arrays of all points tell which become particles; adding these clears them, so they are loaded again.
  if (!result) result = rv_state_load_planes(d, rv_liquid_fields, RV_LIQUID_FIELD_COUNT, &s.record, NULL, count, error);
  if (!result) add_particles(&s, count, faults);
  if (!result) result = rv_liquid_particles_complete(p, error);
  if (!result)
    result = rv_state_load_planes(d, rv_liquid_fields, RV_LIQUID_FIELD_COUNT, &s.record, p->row, p->count, error);
  if (!result) repair(&s);
  if (!result && p->strained) faults->strained = repair_strains(p);
  *g = s.record.globals;
  rv_state_release(rv_liquid_fields, RV_LIQUID_FIELD_COUNT, &s.record);
  return result;
}

//---------------------------------------------------------------------------------------------- save

// What artists see of the particles.
typedef struct Shown {
  float *P, *v, *pscale, *age;
  int32_t* id;
  double* volume;
  const RvParticles* particles;
  const RvLiquidUnits* units;
  const RvLiquidGlobals* globals;
  const uint32_t* order;  // particle of each point
  double* cell;           // [points][3] exact places, for the record
} Shown;

// False: out of memory.
static bool open_shown(RvDetail* d, Shown* s, RvError* e) {
  s->P = rv_detail_f32_write(d, RV_POINT, "P", 3, e);
  s->v = rv_detail_f32_write(d, RV_POINT, "v", 3, e);
  s->pscale = rv_detail_f32_write(d, RV_POINT, "pscale", 1, e);
  s->age = rv_detail_f32_write(d, RV_POINT, "age", 1, e);
  s->id = rv_detail_i32_write(d, RV_POINT, "id", 1, e);
  s->volume = rv_detail_f64_write(d, RV_POINT, "volume", 1, e);
  return s->P && s->v && s->pscale && s->age && s->id && s->volume;
}

// Writes the points [begin, end).
static void show_points(void* arg, size_t begin, size_t end) {
  const Shown* s = arg;
  const RvParticles* p = s->particles;
  const double cube = s->units->meters * s->units->meters * s->units->meters;
  for (size_t to = begin; to < end; ++to) {
    const size_t i = s->order[to];
    double* cell = s->cell + 3 * to;
    rv_liquid_particles_place(p, i, cell);
    for (int a = 0; a < 3; ++a) {
      s->P[3 * to + (size_t)a] = shown_place(s->globals, s->units, a, cell[a]);
      s->v[3 * to + (size_t)a] = shown_velocity(s->units, p->v[a][i]);
    }
    // volume, and pscale as the radius of a ball of it
    s->volume[to] = p->volume[i] / cube;
    s->pscale[to] = (float)rv_pow(p->volume[i] / cube * (3 / (4 * RV_PI)), 1.0 / 3);
    // the id that the artist sees has 32 bits
    s->id[to] = (int32_t)(p->id[i] & INT32_MAX);
    s->age[to] = p->age[i];
  }
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

// Adds the points of `from` that the rows of the particles name, with the attributes that are only carried.
static RvResult carry(RvDetail* d, const RvDetail* from, const int32_t* rows, size_t count, RvError* error) {
  RvDetail* carried = rv_detail_copy(from);
  if (!carried) return no_memory(count, error);
  rv_liquid_remove_own(carried, RV_POINT);
  rv_liquid_remove_own(carried, RV_GLOBAL);
  RvResult result = rv_detail_gather(d, RV_POINT, 0, count, carried, rows, "P", error);
  if (!result) result = rv_detail_gather(d, RV_GLOBAL, 0, 1, carried, (const int32_t[]){0}, NULL, error);
  rv_detail_free(carried);
  return result;
}

RvResult rv_liquid_save(const RvParticles* p, const RvLiquidUnits* units, const RvLiquidGlobals* g,
                        const RvDetail* from, RvDetail** out, RvError* error) {
  RvDetail* d = rv_detail_new();
  uint32_t* order = rv_alloc(p->count, sizeof *order);
  int32_t* rows = rv_alloc(p->count, sizeof *rows);
  RvLiquidRecord record = {*g, (RvParticles*)p, rv_alloc(3 * p->count, sizeof(double))};
  RvResult result = d && order && rows && record.cell ? RV_OK : no_memory(p->count, error);
  if (!result && !order_by_id(p, order, rows)) result = no_memory(p->count, error);
  // points by id, with the attributes that are only carried
  if (!result) result = rv_detail_add_points(d, p->count, NULL, error);
  if (!result && from) result = carry(d, from, rows, p->count, error);
  // what artists see, then the exact fields by their rows
  Shown shown = {.particles = p, .units = units, .globals = g, .order = order, .cell = record.cell};
  if (!result) result = rv_state_prepare(d, rv_liquid_fields, RV_LIQUID_FIELD_COUNT, error);
  if (!result && !open_shown(d, &shown, error)) result = no_memory(p->count, error);
  if (!result) rv_parallel_for(p->count, SHOW_GRAIN, show_points, &shown);
  if (!result) result = rv_state_save(d, rv_liquid_fields, RV_LIQUID_FIELD_COUNT, &record, error);
  if (!result)
    result = rv_state_save_planes(d, rv_liquid_fields, RV_LIQUID_FIELD_COUNT, &record, order, p->count, error);
  rv_free(order);
  rv_free(rows);
  rv_free(record.cell);
  if (result)
    rv_detail_free(d);
  else
    *out = d;
  return result;
}
