// One frame of strands, film and liquid together. The method is rv_wet_substep in wet/wet.c, and for the strands
// strand_substep here.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "math/scalar.h"
#include "node/solver/wetsolver.h"
#include "node/solver/wetsolver_cache.h"

#define STRAND_STAGES(X) \
  X(ROOTS, "roots")      \
  X(CARRY, "carry") X(FORCES, "hairforces") X(CONTACTS, "contacts") X(STRANDS, "strands") X(UPDATE, "update")
enum {
#define STAGE_ENUM(name, text) STAGE_##name,
  STRAND_STAGES(STAGE_ENUM) STRAND_STAGE_COUNT
};
const char* const rv_wetsolve_stages[] = {
#define STAGE_TEXT(name, text) text,
    STRAND_STAGES(STAGE_TEXT)
#define WET_TEXT(name) #name,
        RV_WET_STAGES(WET_TEXT) RV_LIQUID_STAGES(WET_TEXT) NULL};

//---------------------------------------------------------------------------------------------- one substep

// The strands from one share of the frame to another. Without film it is the strand solver's own, to the bit.
static RvResult strand_substep(RvStrandSolve* s, RvStrandSampler* sampler, double from, double to, RvStrandStats* stats,
                               RvError* error) {
  RvWetSolve* whole = s->user;
  RvWet* wet = whole->has_film ? &whole->wet : NULL;
  RvStrandSample in;
  RvForceDef forces;
  double dt = s->cook->dt * s->def.timescale * (to - from), clock[STRAND_STAGE_COUNT + 1] = {rv_clock_wall()};
  RvResult result = rv_strandsolve_sample(s, sampler, to, dt, &in, error);
  clock[1] = rv_clock_wall();
  if (!result) result = rv_strandsolve_carry(s, &in, dt, error);
  clock[2] = rv_clock_wall();
  if (!result && wet) result = rv_wet_load(wet, dt, error);
  if (!result) rv_strand_forces(s->model, s->state, rv_strandsolve_force_def(s, &forces), &s->forces);
  if (!result && wet) rv_wet_forces(wet, s->forces.force, s->forces.drag, s->forces.drag_velocity);
  RvStrandStepDef step = rv_strandsolve_step_def(s, dt);
  if (wet) {
    step.slide = wet->slide;
    step.accept_predicted = true;
    step.scratch = wet->scratch;
  }
  if (wet) whole->contacts.liquid = &wet->bridges;
  clock[3] = rv_clock_wall();
  if (!result) result = rv_strand_contacts_find(s->contacts, s, &step, from, to, &step.couple, error);
  clock[4] = rv_clock_wall();
  if (!result) result = rv_strandsolve_step(s, &step, stats, error);
  clock[5] = rv_clock_wall();
  if (!result) rv_strandsolve_update(s, dt);
  clock[6] = rv_clock_wall();
  for (int i = 0; i < STRAND_STAGE_COUNT; ++i) whole->cook->stats->stage_seconds[i] += clock[i + 1] - clock[i];
  return result;
}

// a step that is taken moves the film on
static RvResult film_follows(RvStrandSolve* s, double from, double to, RvError* error) {
  RvWetSolve* whole = s->user;
  double dt = s->cook->dt * s->def.timescale * (to - from);
  whole->wet.dt_before = s->globals.dt;
  if (whole->paint) rv_wet_paint(&whole->wet, whole->paint, dt);
  RvResult result = rv_wet_film(&whole->wet, dt, s->backup->q, s->backup->v, whole->contacts.contacts, error);
  s->healed += rv_solve_heal(s);
  return result;
}

static RvResult strands_advance(void* user, double from, double to, RvError* error) {
  RvWetSolve* s = user;
  double frame = s->cook->dt * s->parms.timescale;
  int count = (int)s->parms.strandsubsteps;
  RvResult result = RV_OK;
  if (!s->has_strands) return RV_OK;
  for (int i = 0; i < count && !result; ++i) {
    double a = (from + (to - from) * i / count) / frame, b = (from + (to - from) * (i + 1) / count) / frame;
    // the frame ends where the input does
    if (b > 1 - 1e-9) b = 1;
    result = rv_strandsolve_advance(&s->strands, &s->sampler, a, b, 0, error);
  }
  return result;
}

static RvWetSolve* whole_of(void* liquid) {
  return (RvWetSolve*)((char*)liquid - offsetof(RvWetSolve, liquid));
}

static RvResult liquid_flow(void* user, RvParticles* particles, int64_t* next_id, double from, double to, bool* any,
                            RvError* error) {
  RvWetSolve* s = whole_of(user);
  bool exchanged = false;
  RvResult result = s->has_film ? rv_wet_capture(&s->wet, particles, to - from, &exchanged, error) : RV_OK;
  if (!result && s->has_film) result = rv_wet_drip(&s->wet, particles, next_id, to - from, &exchanged, error);
  if (!result) result = rv_liquid_flows_at(user, particles, next_id, from, to, any, error);
  *any |= exchanged;
  return result;
}

//---------------------------------------------------------------------------------------------- settings

// a numeric attribute of the strands' points, else of their primitives, in the blocks; NULL where there is none
static RvResult gather(const RvWetSolve* s, const RvDetail* d, const char* name, double** out, RvError* error) {
  const RvAttrib *point = rv_detail_find(d, RV_POINT, name), *prim = rv_detail_find(d, RV_PRIM, name);
  const RvStrandModel* m = s->strands.model;
  const RvStrandSet* set = &s->strands.set;
  if (point && rv_attrib_storage(point) == RV_STRING) point = NULL;
  if (prim && rv_attrib_storage(prim) == RV_STRING) prim = NULL;
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

static RvResult gather_all(RvWetSolve* s, RvError* error) {
  const struct {
    const char* name;
    double** array;
  } rows[] = {{"cohesion", &s->cohesion}, {"drag", &s->drag},    {"capture", &s->capture},
              {"capacity", &s->capacity}, {"drip", &s->drip},    {"filmfriction", &s->filmfriction},
              {"drying", &s->drying},     {"wetadd", &s->paint}, {"contactangle", &s->angle}};
  const RvDetail* in = s->strand_part.input[0];
  RvResult result = RV_OK;
  for (size_t i = 0; i < sizeof rows / sizeof *rows && !result; ++i)
    result = gather(s, in, rows[i].name, rows[i].array, error);
  // the one that is no multiple: degrees, within what the parameter allows
  for (size_t k = 0; s->angle && !result && k < s->strands.model->vertices; ++k)
    s->angle[k] = rv_radians(fmin(fmax(s->angle[k], 5), 85));
  return result;
}

static RvWetSettings settings_of(const RvWetSolve* s) {
  const RvWetParms* p = &s->parms;
  double sep = s->liquid.separation;
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

//---------------------------------------------------------------------------------------------- the frame

// all points of animated strands are given
static void fix_all(RvStrandModel* m) {
  for (size_t k = 0; k < m->unknowns; ++k) m->free[k] = 0;
  for (size_t k = 0; k < m->nbatch; ++k) m->batches[k].pinned = true;
}

static RvResult begin_strands(RvWetSolve* s, RvError* error) {
  s->contacts.def = rv_strandsolve_contact_def(&s->strand_part.parms.strands);
  s->strands = (RvStrandSolve){.cook = &s->strand_part.cook,
                               .def = rv_strandsolve_def(&s->strand_part.parms.strands, rv_cook_meters(s->cook)),
                               .contacts = &s->contacts,
                               .animated = s->parms.hairmode != 0,
                               .substep = strand_substep,
                               .taken = s->has_film ? film_follows : NULL,
                               .user = s};
  if (s->parms.hairmode) s->contacts.def.strands = s->contacts.def.solids = false;
  RvResult result = rv_strandsolve_begin(&s->strands, &s->sampler, s->strand_state, error);
  if (!result && s->parms.hairmode) fix_all(s->strands.model);
  return result;
}

static RvResult begin_film(RvWetSolve* s, RvError* error) {
  RvResult result = gather_all(s, error);
  RvWetSettings settings = settings_of(s);
  if (!result)
    result = rv_wet_init(&s->wet, s->strands.model, s->strands.state, s->strands.multiple, &s->liquid.liquid, &settings,
                         error);
  if (result) return result;
  for (int a = 0; a < 3; ++a)
    s->wet.offset[a] = (s->strands.set.origin[a] - s->liquid.globals.origin[a]) * s->liquid.units.meters;
  s->wet.dt_before = s->strands.globals.dt;
  s->wet.random = (uint64_t)llround(s->cook->time.frame * 1000) << 20;
  s->wet.drip_row = s->liquid.flows.drip_row;
  return rv_wetsolve_film_load(s, s->strand_state, error);
}

static RvResult begin(RvWetSolve* s, RvError* error) {
  RvResult result = rv_wetsolve_part(s->cook->prev, &s->strand_state, &s->liquid_state, error);
  if (result) return result;
  s->has_strands = s->strand_state != NULL;
  s->has_liquid = s->liquid_state != NULL;
  s->has_film = s->has_strands && rv_detail_find(s->strand_state, RV_POINT, "rv_film");
  if (s->has_strands && !s->strand_part.input[0])
    return rv_fail(error, RV_BAD_INPUT, "input 1, the strands, is empty, but was not at the start frame");
  s->strand_part.cook.prev = s->strand_state;
  s->liquid_part.cook.prev = s->liquid_state;
  s->liquid.flows.drips = s->has_film;
  s->liquid.cook = &s->liquid_part.cook;
  if (s->has_strands) result = begin_strands(s, error);
  if (!result && s->has_liquid) result = rv_liquidsolve_begin(&s->liquid, error);
  if (!result && s->has_film) result = begin_film(s, error);
  return result;
}

static RvResult coupled_frame(RvWetSolve* s, RvError* error) {
  RvWetCache cache = {0};
  RvLiquid* l = &s->liquid.liquid;
  double total = s->cook->dt * s->parms.timescale, left = total;
  int least = 1;
  RvResult result = rv_strandsolve_count(&s->strands, &s->sampler, &least, error);
  int most = s->parms.maxsubsteps > least ? (int)s->parms.maxsubsteps : least;
  if (!result) result = rv_liquidsolve_open(&s->liquid, error);
  if (!result && s->parms.liquidmode) result = rv_wetcache_open(&cache, s, error);
  s->liquid_hooks = rv_liquidsolve_hooks(&s->liquid);
  s->liquid_hooks.flow = liquid_flow;
  s->hooks = (RvWetHooks){.user = s, .strands = strands_advance, .liquid = &s->liquid_hooks, .cached = &cache.hooks};
  for (int taken = 0; !result && left > 0; ++taken) {
    double from = total - left, step = rv_liquid_next(l, &left, taken, least, most);
    result = rv_wet_substep(&s->wet, from, step, &s->hooks, error);
  }
  if (!result) result = rv_liquidsolve_close(&s->liquid, error);
  if (!result && s->parms.liquidmode) result = rv_wetcache_close(&cache, s, error);
  rv_wetcache_free(&cache);
  return result;
}

static RvResult frame(RvWetSolve* s, RvError* error) {
  if (!(s->parms.timescale > 0)) return s->has_strands ? rv_strandsolve_freeze(s->strand_state, error) : RV_OK;
  if (!s->has_liquid) return rv_strandsolve_frame(&s->strands, &s->sampler, error);
  if (!s->has_film) return rv_liquidsolve_frame(&s->liquid, error);
  return coupled_frame(s, error);
}

static RvResult finish(RvWetSolve* s, RvError* error) {
  bool moving = s->parms.timescale > 0;
  RvDetail* liquid = NULL;
  RvResult result = RV_OK;
  if (s->has_strands && moving) result = rv_strandsolve_end(&s->strands, &s->sampler, s->strand_state, error);
  if (!result && s->has_film) result = rv_wetsolve_film_save(s, s->strand_state, error);
  if (!result && s->has_film) result = rv_wetsolve_look(s, s->strand_state, s->cook->dt * s->parms.timescale, error);
  if (!result && s->has_liquid) result = rv_liquidsolve_save(&s->liquid, &liquid, error);
  if (!result) result = rv_wetsolve_join(s->has_strands ? s->strand_state : NULL, liquid, &s->cook->output[2], error);
  rv_detail_free(liquid);
  return result;
}

//---------------------------------------------------------------------------------------------- telling

static void add_ledger(const RvWetSolve* s, RvLedger* ledger) {
  double film = 0, absorbed = 0;
  rv_wet_volumes(&s->wet, &film, &absorbed);
  ledger->film = film;
  ledger->absorbed = absorbed;
  ledger->initial += s->film_initial;
  ledger->sources += s->film_sources + s->wet.report.added;
  ledger->evaporated += s->film_evaporated + s->wet.report.film.evaporated;
}

static void tell(RvWetSolve* s) {
  RvStats* out = s->cook->stats;
  const RvStats *strands = &s->strand_part.stats, *liquid = &s->liquid_part.stats;
  if (s->has_strands) rv_strandsolve_tell(&s->strands);
  if (s->has_liquid) rv_liquidsolve_tell(&s->liquid);
  if (s->has_strands && s->contacts.contacts) rv_strand_contacts_warn(&s->contacts, s->cook);
  out->strands = strands->strands;
  out->vertices = strands->vertices;
  out->particles = liquid->particles;
  out->tiles = liquid->tiles;
  out->contacts = (int64_t)(s->contacts.stats.links + s->contacts.stats.touches);
  out->bridges = (int64_t)s->contacts.stats.bridges;
  out->substeps = s->has_film ? liquid->substeps : s->has_strands ? strands->substeps : liquid->substeps;
  out->iterations = strands->iterations > liquid->iterations ? strands->iterations : liquid->iterations;
  out->residual = s->has_strands ? strands->residual : liquid->residual;
  out->ledger = liquid->ledger;
  if (s->has_film) {
    add_ledger(s, &out->ledger);
    for (int i = 0; i < RV_WET_STAGE_COUNT; ++i) out->stage_seconds[STRAND_STAGE_COUNT + i] = s->wet.report.seconds[i];
    if (s->wet.report.wild)
      rv_cook_warn(s->cook,
                   "liquid pushed %zu times at strands with more than %g m/s, which was not taken; raise substeps",
                   s->wet.report.wild, RV_WET_MOST_KICK);
    if (s->wet.report.film.limited)
      rv_cook_info(s->cook, "the film of some strands is faster than substeps allow and lags behind; raise substeps");
  }
  for (int i = 0; i < RV_LIQUID_STAGE_COUNT; ++i)
    out->stage_seconds[STRAND_STAGE_COUNT + RV_WET_STAGE_COUNT + i] = liquid->stage_seconds[i];
}

//---------------------------------------------------------------------------------------------- the node's calls

static bool has_points(const RvDetail* d) {
  return d && rv_detail_count(d, RV_POINT) > 0;
}

// whether anything can ever be wet
static bool wets(const RvWetSolve* s) {
  const RvDetail* strands = s->strand_part.input[0];
  if (s->liquid_part.input[0] || s->liquid_part.input[2]) return true;
  return rv_detail_find(strands, RV_POINT, "filmheight") || rv_detail_find(strands, RV_POINT, "wetadd") ||
         rv_detail_find(strands, RV_PRIM, "wetadd");
}

// Drops of strands without liquid around them are as large as one hair holds.
static double drop_separation(const RvWetParms* p) {
  double g = sqrt(p->gravity[0] * p->gravity[0] + p->gravity[1] * p->gravity[1] + p->gravity[2] * p->gravity[2]);
  double r = rv_couple_capacity_radius(p->hairradius, p->tension, p->liquiddensity, fmax(g, 1), 1);
  return 1.61 * fmax(r, 1e-5);  // the side of a cube of a ball's volume
}

static RvResult start_liquid(RvWetSolve* s, RvDetail** out, RvError* error) {
  RvLiquidParms* p = &s->liquid_part.parms.liquid;
  const RvDetail* in = s->liquid_part.input[0];
  if (s->parms.liquidmode && has_points(in) && !rv_wetcache_surface(in)) {
    // only drops are ours: the cache tells how large particles are
    RvLiquidUnits units = {rv_cook_meters(s->cook), p->timescale > 0 ? p->timescale : 1};
    double spacing, origin[3];
    RvResult result = rv_liquid_measure(in, p->particlesep, &units, &spacing, origin, error);
    if (result) return result;
    p->particlesep = spacing;
    s->liquid_part.input[0] = NULL;
  } else if (s->parms.liquidmode && rv_wetcache_surface(in)) {
    if (!(p->particlesep > 0)) p->particlesep = rv_grid_voxel_size(rv_wetcache_surface(in)) * rv_cook_meters(s->cook);
    s->liquid_part.input[0] = NULL;
  } else if (!has_points(in) && !(p->particlesep > 0)) {
    p->particlesep = drop_separation(&s->parms);
  }
  return rv_liquidsolve_start(&s->liquid_part.cook, out, error);
}

RvResult rv_wetsolve_start(RvCook* cook, RvWetTranslate* translate, RvError* error) {
  RvWetSolve s;
  RvDetail *strands = NULL, *liquid = NULL;
  RvResult result = rv_wetsolve_init(&s, cook, translate, error);
  if (!result) {
    s.has_strands = has_points(s.strand_part.input[0]);
    if (cook->input[0] && !s.has_strands) rv_cook_warn(cook, "input 1 has no strands: only liquid is simulated");
    s.has_liquid = !s.has_strands || wets(&s);
    s.has_film = s.has_strands && s.has_liquid;
    if (s.has_strands) result = rv_strandsolve_start(&s.strand_part.cook, &strands, error);
  }
  if (!result && s.has_film) result = rv_wetsolve_film_start(&s, strands, error);
  if (!result && s.has_liquid) result = start_liquid(&s, &liquid, error);
  if (!result) result = rv_wetsolve_join(strands, liquid, &cook->output[2], error);
  if (!result) {
    RvStats *out = cook->stats, *a = &s.strand_part.stats, *b = &s.liquid_part.stats;
    out->strands = a->strands;
    out->vertices = a->vertices;
    out->particles = b->particles;
    out->ledger = b->ledger;
    const double* ledger = strands ? rv_detail_f64(strands, RV_GLOBAL, "rv_wetledger", 3) : NULL;
    if (ledger) {
      out->ledger.initial += ledger[0];
      out->ledger.film += ledger[0];
    }
  }
  rv_detail_free(strands);
  rv_detail_free(liquid);
  rv_wetsolve_free(&s);
  return result;
}

RvResult rv_wetsolve_step(RvCook* cook, RvWetTranslate* translate, RvError* error) {
  RvWetSolve s;
  RvResult result = rv_state_check(cook->prev, rv_wet_fields, RV_WET_FIELD_COUNT, error);
  if (result) return result;
  result = rv_wetsolve_init(&s, cook, translate, error);
  if (!result) result = begin(&s, error);
  if (!result) result = frame(&s, error);
  if (!result) result = finish(&s, error);
  if (!result) tell(&s);
  rv_wetsolve_free(&s);
  return result;
}

RvResult rv_wetsolve_split(RvCook* cook, const RvDetail* state, bool keepstate, RvError* error) {
  RvResult result = rv_wetsolve_part(state, &cook->output[0], &cook->output[1], error);
  for (int i = 0; i < 2 && !result; ++i) {
    if (!cook->output[i] && !(cook->output[i] = rv_detail_new())) return rv_fail(error, RV_NO_MEMORY, "out of memory");
    rv_state_strip(cook->output[i], keepstate);
  }
  return result;
}
