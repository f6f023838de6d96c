// The film's step: exchange with the strands, capillary pressure, transport (WH-19 to WH-26). One batch is one task.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "film/work.h"
#include "math/ldlt.h"

enum { STEP_GRAIN = 2 };  // least number of batches of a parallel task

// Result of one batch.
typedef struct Outcome {
  double outflow;  // m3
  int substeps;    // 0: the batch is dry
  bool limited;    // it needed more substeps than it was allowed
} Outcome;

typedef struct Step {
  const RvFilmModel* model;
  RvFilmState* state;
  const RvFilmStepDef* def;
  double* kick;
  Outcome* outcomes;  // [nbatch]
  RvFilmRooms rooms;
} Step;

//---------------------------------------------------------------------------------------------- temporary memory

enum { MOST_ROOMS = 64 };  // tasks of a loop at most, so that memory does not grow with the number of strands

bool rv_film_rooms_take(RvFilmRooms* rooms, RvArena* arena, const RvFilmModel* model, size_t least_grain,
                        size_t (*size)(int vertices)) {
  // Batches of a task, and the largest of all batches.
  size_t grain = (model->nbatch + MOST_ROOMS - 1) / MOST_ROOMS;
  if (grain < least_grain) grain = least_grain;
  int vertices = 0;
  for (size_t k = 0; k < model->nbatch; ++k)
    if (model->batches[k].vertices > vertices) vertices = model->batches[k].vertices;

  // One piece a task.
  size_t tasks = (model->nbatch + grain - 1) / grain;
  *rooms = (RvFilmRooms){.arena = arena, .each = size(vertices), .grain = grain};
  if (arena) {
    rooms->mark = rv_arena_mark(arena);
    rooms->memory = RV_TAKE(arena, double, tasks * rooms->each);
  } else {
    rooms->memory = rv_alloc(tasks * rooms->each, sizeof(double));
  }
  return rooms->memory != NULL;
}

void rv_film_rooms_release(RvFilmRooms* rooms) {
  if (rooms->arena)
    rv_arena_release(rooms->arena, rooms->mark);
  else
    rv_free(rooms->memory);
}

enum { WORK_SCALARS = 20, WORK_VECTORS = 4 };  // arrays of RvFilmWork with one and with three numbers a vertex

static size_t work_size(int vertices) {
  return 2 * rv_film_shape_size(vertices) + (size_t)vertices * RV_LANES * (WORK_SCALARS + 3 * WORK_VECTORS);
}

static bool is_bundled(const double* suction, size_t count) {
  double most = 0;
  for (size_t k = 0; k < count; ++k) most = suction[k] > most ? suction[k] : most;
  return most > 0;
}

// Sets the arrays of a batch's work: those of the caller, and the temporary ones in `memory`.
static void set_work(RvFilmWork* w, const Step* step, size_t index, double* memory) {
  const RvFilmModel* m = step->model;
  const RvFilmBatch* b = &m->batches[index];
  const RvFilmStepDef* d = step->def;
  RvFilmState* s = step->state;
  size_t n = (size_t)b->vertices * RV_LANES;
  *w = (RvFilmWork){.n = b->vertices,
                    .v_before = d->v_before + b->at,
                    .v = d->v + b->at,
                    .radius = m->radius + b->vertex_at,
                    .hairs = m->hairs + b->vertex_at,
                    .wet = d->wet ? d->wet + b->vertex_at : NULL,
                    .weight = d->weight ? d->weight + b->vertex_at : NULL,
                    .volume = s->volume + b->vertex_at,
                    .speed = s->speed + b->edge_at,
                    .strain = m->liquid.modulus > 0 ? s->strain + b->vertex_at : NULL,
                    .solids = s->solids ? s->solids + b->vertex_at : NULL,
                    .drop_solids = s->solids ? s->drop_solids + index * RV_LANES : NULL,
                    .kick = step->kick + b->at,
                    .drop = s->drop + index * RV_LANES,
                    .drop_momentum = s->drop_momentum + 3 * index * RV_LANES,
                    .density = m->liquid.density,
                    .tension = m->liquid.tension,
                    .dt = d->dt,
                    .flow_dt = d->dt,
                    .gravity = {d->gravity[0], d->gravity[1], d->gravity[2]}};
  if (d->suction && is_bundled(d->suction + b->vertex_at, n)) {
    w->suction = d->suction + b->vertex_at;
    w->free_area = d->free_area + b->vertex_at;
    w->bundled = d->bundled + b->vertex_at;
  }
  // Temporary arrays.
  memory = rv_film_shape_place(&w->before, b->vertices, memory);
  memory = rv_film_shape_place(&w->now, b->vertices, memory);
  double** scalars[WORK_SCALARS] = {&w->hold,
                                    &w->stuck,
                                    &w->mass,
                                    &w->flux,
                                    &w->flow,
                                    &w->spin,
                                    &w->most,
                                    &w->upper,
                                    &w->upper2,
                                    &w->solved,
                                    &w->bundle_pressure,
                                    &w->bundle_slope,
                                    &w->ratio_before,
                                    &w->ratio_after,
                                    &w->gain,
                                    &w->gain_mass,
                                    &w->hold_now,
                                    &w->free_speed,
                                    &w->braked,
                                    &w->speed_before};
  for (size_t k = 0; k < WORK_SCALARS; ++k) {
    *scalars[k] = memory;
    memory += n;
  }
  w->carried = memory;
  w->own = memory + 3 * n;
  w->of_vertices = memory + 6 * n;
  w->of_edges = memory + 9 * n;
}

//---------------------------------------------------------------------------------------------- one batch

static bool is_dry(const RvFilmWork* w) {
  double most = 0;
  for (int k = 0; k < w->n * RV_LANES; ++k) most = w->volume[k] > most ? w->volume[k] : most;
  return most == 0;
}

// At the start of transport the film of a vertex has the strand's velocity, and no momentum has been advected.
static void start_transport(const RvFilmWork* w) {
  memcpy(w->most, w->volume, (size_t)w->n * RV_LANES * sizeof(double));
  memset(w->carried, 0, (size_t)w->n * 3 * RV_LANES * sizeof(double));
  for (int i = 0; i < w->n; ++i)
    memcpy(w->own + 3 * i * RV_LANES, w->v + 4 * i * RV_LANES, 3 * RV_LANES * sizeof(double));
}

// The advected momentum in excess of m v is an impulse on the strand (WH-24, E43).
static void add_carried_momentum(const RvFilmWork* w) {
  for (int i = 0; i < w->n; ++i)
    for (int c = 0; c < 3; ++c)
      for (int lane = 0; lane < RV_LANES; ++lane)
        w->kick[(4 * i + c) * RV_LANES + lane] += w->carried[(3 * i + c) * RV_LANES + lane];
}

// Substeps that keep every cell below the Courant number of the transport, whose largest one in the step is `courant`.
static int count_substeps(double courant, int most, bool* limited) {
  double wanted = courant / RV_FILM_COURANT;
  if (most < 1) most = 1;
  *limited = !(wanted <= most);
  if (*limited) return most;
  int count = (int)ceil(wanted);
  return count < 1 ? 1 : count;
}

// Flow of film on single hairs: the pressure of the whole step, then transport.
static int flow(RvFilmWork* w, int most, bool* limited) {
  if (w->tension > 0) RV_KERNEL_CALL(rv_film_tension, (w));
  int count = count_substeps(RV_KERNEL_CALL(rv_film_courant, (w)), most, limited);
  start_transport(w);
  for (int k = 0; k < count; ++k) RV_KERNEL_CALL(rv_film_transport, (w, w->dt / count, k + 1 == count));
  return count;
}

// Flow of film in bundles. The end of a column that falls passes several cells within a long step, and the suction acts
// where that end is. So the speeds gain evenly over the step, and each substep of transport has its own pressure.
static int flow_in_bundle(const Step* step, const RvFilmBatch* b, RvFilmWork* w, bool* limited) {
  const RvFilmSettings* set = &step->def->settings;
  double after = RV_KERNEL_CALL(rv_film_courant, (w));
  RV_KERNEL_CALL(rv_film_take_gain_back, (w));
  int count = count_substeps(fmax(after, RV_KERNEL_CALL(rv_film_courant, (w))), set->most_substeps, limited);
  w->flow_dt = w->dt / count;
  start_transport(w);
  for (int k = 0; k < count; ++k) {
    RV_KERNEL_CALL(rv_film_add_gain, (w, 1.0 / count));
    // The friction of a law of flow is not linear: that of thinned film comes with the next step.
    if (k > 0 && !step->model->liquid.flow) {
      rv_film_hold(step->model, b, step->def, w->flow_dt, w->volume, w->solids, w->speed, &w->now, w->hold_now);
      RV_KERNEL_CALL(rv_film_slow_thinned, (w));
    }
    RV_KERNEL_CALL(rv_film_tension, (w));
    RV_KERNEL_CALL(rv_film_transport, (w, w->flow_dt, k + 1 == count));
  }
  return count;
}

// The share that the law of flow removes from the speed of every edge: from the speed without friction, but with
// gravity, inertia and capillary pressure, which together move the film or do not. Leaves the state as it was.
static void find_braking(const Step* step, const RvFilmBatch* b, RvFilmWork* w) {
  size_t edges = (size_t)(w->n - 1) * RV_LANES * sizeof(double);
  memcpy(w->speed_before, w->speed, edges);
  memset(w->hold, 0, edges + RV_LANES * sizeof(double));
  RV_KERNEL_CALL(rv_film_exchange, (w));
  memcpy(w->free_speed, w->speed, edges);
  if (w->tension > 0) RV_KERNEL_CALL(rv_film_tension, (w));
  rv_film_hold_edges(step->model, b, &step->def->settings, w->dt, w->volume, w->solids, w->speed, &w->now, w->braked);
  memcpy(w->speed, w->speed_before, edges);
  // the exchange has put the tangents of the middle of the step in the place of those before
  RV_KERNEL_CALL(rv_film_shape, (w->n, step->def->x_before + b->at, &w->before));
}

// The film's step of one batch.
static void step_batch(const Step* step, RvFilmWork* w, size_t index) {
  const RvFilmBatch* b = &step->model->batches[index];
  const RvFilmStepDef* d = step->def;
  Outcome* out = &step->outcomes[index];

  // Geometry before and after the strands' step, and friction.
  RV_KERNEL_CALL(rv_film_shape, (w->n, d->x_before + b->at, &w->before));
  RV_KERNEL_CALL(rv_film_shape, (w->n, d->x + b->at, &w->now));
  const bool by_law = step->model->liquid.flow != NULL;
  if (by_law) find_braking(step, b, w);
  rv_film_hold(step->model, b, d, d->dt, w->volume, w->solids, w->speed, &w->before, w->hold);

  // Speeds: gravity, inertia and friction.
  RV_KERNEL_CALL(rv_film_exchange, (w));
  if (by_law) RV_KERNEL_CALL(rv_film_brake, (w));

  // Capillary pressure, and transport of volume and momentum.
  RV_KERNEL_CALL(rv_film_ratios, (w));
  RV_KERNEL_CALL(rv_film_spin, (w, 1));
  if (w->suction && w->tension > 0)
    out->substeps = flow_in_bundle(step, b, w, &out->limited);
  else
    out->substeps = flow(w, d->settings.most_substeps, &out->limited);

  // Impulses on the strands.
  RV_KERNEL_CALL(rv_film_settle, (w));
  RV_KERNEL_CALL(rv_film_spin, (w, -1));
  add_carried_momentum(w);
  for (int lane = 0; lane < RV_LANES; ++lane) out->outflow += w->outflow[lane];
}

// Steps some batches; dry ones have speed 0 and no impulse.
static void step_batches(void* arg, size_t begin, size_t end) {
  const Step* step = arg;
  double* memory = rv_film_room(&step->rooms, begin);
  for (size_t k = begin; k < end; ++k) {
    const RvFilmBatch* b = &step->model->batches[k];
    RvFilmWork w;
    memset(step->kick + b->at, 0, (size_t)b->vertices * 4 * RV_LANES * sizeof(double));
    set_work(&w, step, k, memory);
    if (is_dry(&w))
      memset(w.speed, 0, (size_t)(w.n - 1) * RV_LANES * sizeof(double));
    else
      step_batch(step, &w, k);
  }
}

//---------------------------------------------------------------------------------------------- all batches

// Steps all batches and adds up their reports. False: no memory.
static bool step_all(Step* step, RvFilmReport* report) {
  const RvFilmModel* m = step->model;
  if (!rv_film_rooms_take(&step->rooms, step->def->scratch, m, STEP_GRAIN, work_size)) return false;
  memset(step->outcomes, 0, m->nbatch * sizeof *step->outcomes);
  rv_parallel_for(m->nbatch, step->rooms.grain, step_batches, step);
  rv_film_rooms_release(&step->rooms);
  for (size_t k = 0; k < m->nbatch; ++k) {
    const Outcome* o = &step->outcomes[k];
    report->substeps = o->substeps > report->substeps ? o->substeps : report->substeps;
    report->limited += o->limited;
    report->outflow += o->outflow;
  }
  return true;
}

RvResult rv_film_step(const RvFilmModel* model, RvFilmState* state, const RvFilmStepDef* def, double* kick,
                      RvFilmReport* report, RvError* error) {
  RvResult result = rv_film_validate(model, state, def, error);
  if (result) return result;
  if (def->dt == 0) {
    memset(kick, 0, model->unknowns * sizeof(double));
    return RV_OK;
  }
  RvArena* scratch = def->scratch;
  RvArenaMark mark = scratch ? rv_arena_mark(scratch) : (RvArenaMark){0};
  Step step = {.model = model, .state = state, .def = def, .kick = kick};
  step.outcomes = scratch ? RV_TAKE(scratch, Outcome, model->nbatch) : rv_alloc(model->nbatch, sizeof(Outcome));
  bool done = step.outcomes && step_all(&step, report);
  if (scratch)
    rv_arena_release(scratch, mark);
  else
    rv_free(step.outcomes);
  return done ? RV_OK : rv_fail(error, RV_NO_MEMORY, "film: out of memory for the step of %zu batches", model->nbatch);
}
