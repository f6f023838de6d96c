// Benchmark lookdev: the rods of the lookdev solver on a swinging head, by instruction set and lane, and frames a
// second. Jolt's rods take 5 x 40 ns a particle a substep, PositionBasedDynamics 5 x 86, at 5 iterations each.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "bench/groom.h"
#include "bench/list.h"
#include "lookdev/solver.h"
#include "math/scalar.h"
#include "math/vec.h"

enum { REPEATS = 12, SUBSTEPS = 5, POINTS_A_TASK = 4096 };
static const double FRAME = 1.0 / 30;  // s, of the seed
#define HEAD_RADIUS 0.09               // m

typedef struct Rods {
  RvBenchGroom groom;
  RvCosseratModel model;
  RvCosseratState state;
  double *root, *start_root;  // [batches][4]
  RvArena* scratch;
  RvRodStepDef step;
} Rods;

static void end_rods(Rods* r) {
  rv_cosserat_free(&r->model, &r->state);
  RV_FREE_ALL(r->root, r->start_root);
  rv_arena_free(r->scratch);
  rv_bench_groom_free(&r->groom);
}

// Hair of `strands` x `points` in its natural shape.
static RvResult begin_rods(Rods* r, size_t strands, int points, RvError* error) {
  *r = (Rods){0};
  const RvBenchGroomDef def = {
      .strands = strands, .of = strands, .vertices = points, .length = 0.1, .curl = 0.004, .dt = FRAME / SUBSTEPS};
  RvResult result = rv_bench_groom_new(&r->groom, &def, error);
  if (result) return result;
  const RvStrandModel* m = r->groom.model;
  r->root = rv_alloc_zero(4 * m->nbatch, RV_LANES * sizeof(double));
  r->start_root = rv_alloc_zero(4 * m->nbatch, RV_LANES * sizeof(double));
  r->scratch = rv_arena_new(0);
  if (!r->root || !r->start_root || !r->scratch || !rv_cosserat_alloc(m, &r->model, &r->state)) {
    end_rods(r);
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  rv_cosserat_frames(m, r->groom.state, &r->state);
  rv_cosserat_rest_from_pose(m, &r->state, &r->model);
  rv_cosserat_elasticity(m, NULL, &r->model);
  for (size_t k = 0; k < m->nbatch; ++k)
    memcpy(r->start_root + 4 * RV_LANES * k, r->state.quat + 4 * m->batches[k].edge_at, 4 * RV_LANES * sizeof(double));
  r->step = (RvRodStepDef){.dt = FRAME / SUBSTEPS,
                           .iterations = 1,
                           .relaxation = 1,
                           .root = r->root,
                           .forces = {.gravity = {0, -9.81, 0}, .dragnormal = 3e-5, .dragtangent = 1.5e-5}};
  return RV_OK;
}

// Roots of the next substep: the head swings about y.
static void move_roots(Rods* r) {
  const RvStrandStepDef def = rv_bench_groom_move(&r->groom);
  const RvStrandModel* m = r->groom.model;
  r->step.target = def.target;
  // The angle of the head, from the first root.
  size_t at = rv_strand_index(&m->batches[0], 0, 0, 0);
  double x = r->groom.x[0], z = r->groom.z[0], tx = def.target[at], tz = def.target[at + 2 * RV_LANES];
  RvQuat turn = rv_quat_axis_angle(rv_vec3(0, 1, 0), rv_atan2(tx * z - tz * x, tx * x + tz * z));
  for (size_t i = 0; i < m->nbatch * RV_LANES; ++i) {
    size_t row = i / RV_LANES * 4 * RV_LANES + i % RV_LANES;
    const double* from = r->start_root + row;
    RvQuat q = rv_quat_mul(turn, (RvQuat){from[0], from[RV_LANES], from[2 * RV_LANES], from[3 * RV_LANES]});
    r->root[row] = q.x;
    r->root[row + RV_LANES] = q.y;
    r->root[row + 2 * RV_LANES] = q.z;
    r->root[row + 3 * RV_LANES] = q.w;
  }
}

// Least CPU seconds of a substep, roots included.
static RvResult time_substeps(Rods* r, int repeats, double* least, RvError* error) {
  RvResult result = RV_OK;
  *least = INFINITY;
  for (int k = 0; k < repeats && !result; ++k) {
    size_t failed;
    double start = rv_clock_cpu();
    move_roots(r);
    result =
        rv_cosserat_step(r->groom.model, r->groom.state, &r->model, &r->state, &r->step, r->scratch, &failed, error);
    *least = fmin(*least, rv_clock_cpu() - start);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- one lane

// Copies the rows of one lane.
static double* lane_of(double** next, const double* from, size_t rows, int lane) {
  double* to = *next;
  for (size_t k = 0; k < rows; ++k) to[k] = from[k * RV_LANES + (size_t)lane];
  *next += rows;
  return to;
}

// Nanoseconds a particle of the kernel on one batch at eight lanes, and of the same source at one.
static RvResult time_lanes(Rods* r, double ns[2], RvError* error) {
  const RvStrandModel* m = r->groom.model;
  const RvStrandBatch* b = &m->batches[m->nbatch / 2];
  const size_t n = (size_t)b->vertices, rows = 4 * n * 4 + 4 * n + 3 * n + 8 * n + 11 * n + 64;
  double* memory = rv_alloc_zero(rows * RV_LANES, sizeof(double));
  double* room = rv_alloc(rv_cosserat_room(b->vertices), sizeof(double));
  if (!memory || !room) {
    rv_free(memory);
    rv_free(room);
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  const size_t k = m->nbatch / 2;
  RvCosseratBatch wide = {.vertices = b->vertices,
                          .dt = r->step.dt,
                          .iterations = 1,
                          .x = r->groom.state->q + b->at,
                          .v = r->groom.state->v + b->at,
                          .quat = r->state.quat + 4 * b->edge_at,
                          .spin = r->state.spin + 3 * b->edge_at,
                          .tension = r->state.tension + b->edge_at,
                          .mass = m->mass + b->at,
                          .free = m->free + b->at,
                          .target = r->step.target + b->at,
                          .root = r->root + 4 * RV_LANES * k,
                          .length = r->model.length + b->edge_at,
                          .stretch = r->model.stretch + b->edge_at,
                          .rest = r->model.rest + 4 * b->vertex_at,
                          .bend = r->model.bend + 6 * b->vertex_at,
                          .delay = r->model.delay + b->vertex_at,
                          .hairs = r->model.hairs + RV_LANES * k,
                          .gravity = {0, -9.81, 0},
                          .dragnormal = 3e-5,
                          .dragtangent = 1.5e-5};
  RvCosseratBatch lane[RV_LANES];
  double* next = memory;
  for (int i = 0; i < RV_LANES; ++i) {
    lane[i] = wide;
    lane[i].x = lane_of(&next, wide.x, 4 * n, i);
    lane[i].v = lane_of(&next, wide.v, 4 * n, i);
    lane[i].quat = lane_of(&next, wide.quat, 4 * (n - 1), i);
    lane[i].spin = lane_of(&next, wide.spin, 3 * (n - 1), i);
    lane[i].tension = lane_of(&next, wide.tension, n - 1, i);
    lane[i].mass = lane_of(&next, wide.mass, 4 * n, i);
    lane[i].free = lane_of(&next, wide.free, 4 * n, i);
    lane[i].target = lane_of(&next, wide.target, 4 * n, i);
    lane[i].root = lane_of(&next, wide.root, 4, i);
    lane[i].length = lane_of(&next, wide.length, n - 1, i);
    lane[i].stretch = lane_of(&next, wide.stretch, n - 1, i);
    lane[i].rest = lane_of(&next, wide.rest, 4 * n, i);
    lane[i].bend = lane_of(&next, wide.bend, 6 * n, i);
    lane[i].delay = lane_of(&next, wide.delay, n, i);
    lane[i].hairs = lane_of(&next, wide.hairs, 1, i);
  }
  // The same substeps from the same state, in turn.
  const int runs = 200;
  double best[2] = {INFINITY, INFINITY};
  for (int repeat = 0; repeat < REPEATS; ++repeat) {
    double start = rv_clock_cpu();
    for (int q = 0; q < runs; ++q) rv_cosserat_direct(&wide, room);
    double middle = rv_clock_cpu();
    for (int q = 0; q < runs; ++q)
      for (int i = 0; i < RV_LANES; ++i) rv_cosserat_direct_single(&lane[i], room);
    best[0] = fmin(best[0], middle - start);
    best[1] = fmin(best[1], rv_clock_cpu() - middle);
  }
  for (int q = 0; q < 2; ++q) ns[q] = 1e9 * best[q] / (runs * (double)n * RV_LANES);
  rv_free(memory);
  rv_free(room);
  return RV_OK;
}

// Nanoseconds a particle a substep with each instruction set, and the speed-up of eight lanes.
static RvResult run_lanes(const RvBenchOut* out, Rods* r, RvError* error) {
  static const char* const names[RV_ISA_COUNT] = {"base", "avx2", "avx512"};
  const RvIsa own = rv_cpu_isa();
  RvResult result = RV_OK;
  for (int isa = 0; isa < RV_ISA_COUNT && !result; ++isa) {
    char metric[64];
    double ns[2] = {0}, least = 0;
    if (!rv_cpu_force((RvIsa)isa)) continue;
    result = time_substeps(r, REPEATS, &least, error);
    if (!result) result = time_lanes(r, ns, error);
    if (result) break;
    snprintf(metric, sizeof metric, "rods_%s_substep", names[isa]);
    rv_bench_emit(out, metric, 1e9 * least / (double)r->groom.model->nvertex, "ns/particle");
    snprintf(metric, sizeof metric, "rods_%s_kernel", names[isa]);
    rv_bench_emit(out, metric, ns[0], "ns/particle");
    snprintf(metric, sizeof metric, "rods_%s_speedup_over_w1", names[isa]);
    rv_bench_emit(out, metric, ns[1] / ns[0], "x");
  }
  rv_cpu_force(own);
  return result;
}

//---------------------------------------------------------------------------------------------- whole solver

// What is on the head. The seed's settings are those of a head of 20 units and a gravity of 30 units/s2: at 9 cm hair
// of 18 mm, particles 3.15 mm apart and 1/73 of our gravity (spec 6.2, E61).
typedef struct HeadDef {
  const char* name;
  size_t strands;
  int points;
  size_t particles;
  int substeps, iterations;  // of a frame; density iterations of a substep
  double length, curl;       // m
  double spacing;            // m between particles
  double gravity;            // m/s2
  double swing;              // rad: amplitude of the head's rotation
  bool stages;               // nanoseconds of each stage, too
} HeadDef;
#define SEED_SCALE (HEAD_RADIUS / 20)
#define SEED_HAIR .length = 4 * SEED_SCALE, .curl = 0.5 * SEED_SCALE
#define SEED .iterations = 1, SEED_HAIR, .spacing = 0.7 * SEED_SCALE, .gravity = 30 * SEED_SCALE
#define EARTH .length = 0.1, .curl = 0.004, .spacing = 0.005, .gravity = 9.81, .swing = 0.6

// Hair on a head that swings, with everything that the node does in a substep.
typedef struct Head {
  HeadDef def;
  RvBenchGroom groom;  // its model and state are lent to the strands
  RvStrandSolver strands;
  RvLookdevSolver solver;
  RvCollider ball;
  RvLiquid bulk;  // particles of the liquid, where there is some
  RvLookdevWater water;
  float* P;       // [points][3] the animated input
  double* start;  // the same at the start
} Head;

static void end_head(Head* h) {
  rv_lookdev_free(&h->solver);
  rv_lookdev_water_free(&h->water);
  rv_liquid_free(&h->bulk);
  rv_free(h->P);
  rv_free(h->start);
  h->groom.model = NULL;
  h->groom.state = NULL;
  rv_strand_solver_free(&h->strands);
  rv_bench_groom_free(&h->groom);
}

// A set of the strands alone: points are the vertices in order.
static RvResult make_set(Head* h, RvError* error) {
  const RvStrandModel* m = h->groom.model;
  RvStrandDef* defs = rv_alloc_zero(m->nstrand, sizeof *defs);
  if (!defs) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < m->batches[k].lanes; ++lane)
      defs[m->batches[k].strand[lane]] = (RvStrandDef){.vertices = m->batches[k].vertices, .multiple = 1};
  RvResult result = rv_strands_from_defs(defs, m->nstrand, &h->strands.set, error);
  rv_free(defs);
  return result;
}

static RvResult begin_head(Head* h, const HeadDef* head, RvError* error) {
  *h = (Head){.def = *head};
  const RvBenchGroomDef def = {.strands = head->strands,
                               .of = head->strands,
                               .vertices = head->points,
                               .length = head->length,
                               .curl = head->curl,
                               .dt = FRAME / head->substeps};
  RvResult result = rv_bench_groom_new(&h->groom, &def, error);
  if (!result) result = make_set(h, error);
  if (result) return result;
  h->strands.model = h->groom.model;
  h->strands.state = h->groom.state;
  const RvStrandModel* m = h->strands.model;
  h->strands.settings = (RvStrandSettings){.gravity = {0, -head->gravity, 0},
                                           .dragnormal = 3e-5,
                                           .dragtangent = 1.5e-5,
                                           .inertiascale = 1,
                                           .targettime = 0.2};
  h->ball =
      (RvCollider){.shape = RV_COLLIDER_SPHERE, .radius = 0.088, .orientation = rv_quat_identity(), .friction = 0.3};
  h->solver = (RvLookdevSolver){
      .settings = {.iterations = 1, .relaxation = 1, .rootfree = 0.01, .volume = {.speed = 0.5, .cell = 0.01}},
      .strands = &h->strands,
      .colliders = &h->ball,
      .ncollider = 1};
  h->P = rv_alloc(3 * m->nvertex, sizeof *h->P);
  h->start = rv_alloc(3 * m->nvertex, sizeof *h->start);
  result = h->P && h->start ? rv_strand_solver_init(&h->strands, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) result = rv_lookdev_init(&h->solver, error);
  if (result) return result;
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < m->batches[k].lanes; ++lane)
      for (int i = 0; i < head->points; ++i)
        for (int c = 0; c < 3; ++c)
          h->start[3 * (size_t)(h->strands.set.first[m->batches[k].strand[lane]] + i) + (size_t)c] =
              h->strands.state->q[rv_strand_index(&m->batches[k], lane, i, c)];
  // As the node at a start frame: the groom is in equilibrium.
  rv_cosserat_frames(m, h->strands.state, &h->solver.state);
  rv_cosserat_rest_from_pose(m, &h->solver.state, &h->solver.model);
  rv_cosserat_elasticity(m, NULL, &h->solver.model);
  for (size_t k = 0; k < m->unknowns; ++k) h->groom.force[k] *= head->gravity / 9.81;
  RvCosseratBalance report;
  rv_cosserat_balance(m, h->strands.state, h->groom.force, RV_PI / 3, &h->solver.model, &h->solver.state, &report);
  return rv_volume_density(&h->solver.volume, m, h->strands.state, 0.01, h->solver.rest_density, error);
}

// Liquid on and above the upper half of the head.
static RvResult add_water(Head* h, RvError* error) {
  const double spacing = h->def.spacing, radius = HEAD_RADIUS + 0.002;
  const size_t count = h->def.particles;
  const int half = 14;
  const RvLiquidModel bulk = rv_liquid_model_default(2 * spacing);
  if (!rv_liquid_init(&h->bulk, &bulk)) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (int j = 0; h->bulk.particles.count < count; ++j)
    for (int k = -half; k < half; ++k)
      for (int i = -half; i < half && h->bulk.particles.count < count; ++i) {
        const double x[3] = {spacing * (i + 0.5), spacing * (j + 0.5), spacing * (k + 0.5)};
        const double cell[3] = {x[0] / bulk.dx, x[1] / bulk.dx, x[2] / bulk.dx};
        if (x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < radius * radius) continue;
        size_t at = rv_liquid_particles_add(&h->bulk.particles, cell);
        if (at == SIZE_MAX) return rv_fail(error, RV_NO_MEMORY, "out of memory");
        h->bulk.particles.volume[at] = spacing * spacing * spacing;
        h->bulk.particles.id[at] = h->bulk.next_id++;
      }
  RvParticlesLost lost = {0};
  RvResult result = rv_liquid_particles_sort_by_id(&h->bulk.particles, &lost, error);
  RvLookdevLiquidModel liquid = rv_lookdev_liquid_defaults(spacing);
  RvPoreModel pores = rv_pore_defaults();
  liquid.iterations = h->def.iterations;
  liquid.gravity[1] = -h->def.gravity;
  // The other forces keep their proportion to the weight.
  const double share = h->def.gravity / 9.81;
  liquid.tension *= share;
  pores.adhesion *= share;
  pores.clumping *= share;
  h->water = (RvLookdevWater){.strands = &h->strands, .bulk = &h->bulk};
  if (!result) result = rv_lookdev_water_init(&h->water, &liquid, &pores, error);
  h->solver.water = &h->water;
  return result;
}

// Points of the input, turned about y.
typedef struct Turned {
  Head* h;
  double c, s;
} Turned;

static void turn_some(void* arg, size_t begin, size_t end) {
  const Turned* t = arg;
  for (size_t i = begin; i < end; ++i) {
    const double* from = t->h->start + 3 * i;
    float* to = t->h->P + 3 * i;
    to[0] = (float)(t->c * from[0] + t->s * from[2]);
    to[1] = (float)from[1];
    to[2] = (float)(t->c * from[2] - t->s * from[0]);
  }
}

// One frame of `substeps`; the head swings about y.
static RvResult head_frame(Head* h, int frame, RvError* error) {
  const int substeps = h->def.substeps;
  const double swing = h->def.swing, frequency = 1.5, dt = FRAME / substeps;
  RvResult result = RV_OK;
  for (int k = 0; k < substeps && !result; ++k) {
    double time = (frame + (double)(k + 1) / substeps) * FRAME, phase = 2 * RV_PI * frequency * time;
    double angle = swing * sin(phase);
    rv_parallel_for(h->strands.model->nvertex, POINTS_A_TASK, turn_some, &(Turned){h, cos(angle), sin(angle)});
    h->ball.angular = rv_vec3(0, swing * 2 * RV_PI * frequency * cos(phase), 0);
    result = rv_lookdev_substep(&h->solver, &(RvStrandSample){.P = h->P}, dt, error);
  }
  return result;
}

enum { FRAMES = 8, RUNS = 3 };

// Least seconds of each frame and stage over some runs: CPU of one worker, by the clock of two.
typedef struct Least {
  double frame[FRAMES];
  double stage[RV_LOOKDEV_STAGE_COUNT];  // of all frames but the first
  double vertices;
  double excess, largest;  // of the liquid's density at the last frame
} Least;

static double clock_of(int workers) {
  return workers > 1 ? rv_clock_wall() : rv_clock_cpu();
}

// One run; the first frame takes the memory, so that it is not counted.
static RvResult run_once(const HeadDef* def, int workers, Least* least, RvError* error) {
  Head h;
  RvResult result = begin_head(&h, def, error);
  if (!result && def->particles) result = add_water(&h, error);
  h.solver.cpu_time = workers == 1;
  for (int k = 0; k < FRAMES && !result; ++k) {
    if (k == 1) memset(h.solver.seconds, 0, sizeof h.solver.seconds);
    double start = clock_of(workers);
    result = head_frame(&h, k, error);
    least->frame[k] = fmin(least->frame[k], clock_of(workers) - start);
    if (rv_bench_interrupted()) result = rv_fail(error, RV_CANCELLED, "interrupted");
  }
  for (int k = 0; k < RV_LOOKDEV_STAGE_COUNT && !result; ++k)
    least->stage[k] = fmin(least->stage[k], h.solver.seconds[k]);
  least->vertices = result ? 1 : (double)h.strands.model->nvertex;
  least->excess = h.water.liquid.report.excess;
  least->largest = h.water.liquid.report.largest;
  end_head(&h);
  return result;
}

// All runs with that many workers; the seconds of a frame.
static RvResult run_workers(const HeadDef* def, int workers, Least* least, double* seconds, RvError* error) {
  const int threads = rv_threads();
  *least = (Least){0};
  for (int k = 0; k < FRAMES; ++k) least->frame[k] = INFINITY;
  for (int k = 0; k < RV_LOOKDEV_STAGE_COUNT; ++k) least->stage[k] = INFINITY;
  RvResult result = RV_OK;
  rv_threads_set(workers);
  for (int k = 0; k < RUNS && !result; ++k) result = run_once(def, workers, least, error);
  rv_threads_set(threads);
  *seconds = 0;
  for (int k = 1; k < FRAMES; ++k) *seconds += least->frame[k] / (FRAMES - 1);
  return result;
}

// CPU nanoseconds a particle of each stage on one core, and the liquid's density.
static void emit_stages(const RvBenchOut* out, const HeadDef* def, const Least* least) {
  static const char* const names[] = {
#define NAME(stage) #stage,
      RV_LOOKDEV_STAGES(NAME)
#undef NAME
  };
  char metric[64];
  const double count = least->vertices * (FRAMES - 1) * def->substeps;
  if (def->particles) {
    snprintf(metric, sizeof metric, "%s_mean_excess_of_density", def->name);
    rv_bench_emit(out, metric, least->excess, "1");
    snprintf(metric, sizeof metric, "%s_largest_excess_of_density", def->name);
    rv_bench_emit(out, metric, least->largest, "1");
  }
  for (int k = 0; k < RV_LOOKDEV_STAGE_COUNT; ++k) {
    snprintf(metric, sizeof metric, "%s_%s", def->name, names[k]);
    rv_bench_emit(out, metric, 1e9 * least->stage[k] / count, "ns/particle");
  }
}

// Frames a second of two cores, twice those of the CPU time of one, in which other programs do not count; and of two
// workers by the clock, which is what an artist sees of an idle machine.
static RvResult run_head(const RvBenchOut* out, const HeadDef* def, RvError* error) {
  char metric[64];
  HeadDef shrunk = *def;
  Least one, two;
  double one_seconds = 0, two_seconds = 0;
  shrunk.strands /= (size_t)out->shrink;
  shrunk.particles /= (size_t)out->shrink;
  RvResult result = run_workers(&shrunk, 1, &one, &one_seconds, error);
  if (!result) result = run_workers(&shrunk, 2, &two, &two_seconds, error);
  if (result) return result;
  snprintf(metric, sizeof metric, "%s_frames_two_cores", def->name);
  rv_bench_emit(out, metric, 2 / one_seconds, "1/s");
  snprintf(metric, sizeof metric, "%s_frames_two_workers", def->name);
  rv_bench_emit(out, metric, 1 / two_seconds, "1/s");
  if (def->stages) emit_stages(out, &shrunk, &one);
  return RV_OK;
}

RvResult rv_bench_lookdev(const RvBenchOut* out, RvError* error) {
  const int threads = rv_threads();
  Rods r;
  RvResult result = begin_rods(&r, 1365 / (size_t)out->shrink, 15, error);
  if (result) return result;
  rv_threads_set(1);
  result = run_lanes(out, &r, error);
  end_rods(&r);
  rv_threads_set(threads);
  // Hair alone; the seed's two tables, strands and points at 5 substeps, then substeps at 1,365 x 15 (spec 6.5); and
  // the same with hair of 10 cm at full gravity, last with the substeps and iterations that keep the liquid's density.
  static const HeadDef heads[] = {
      {"1365x15_dry", 1365, 15, .substeps = 5, EARTH, .stages = true},
      {"20000x15_dry", 20000, 15, .substeps = 5, EARTH, .stages = true},
      {"20000x15_dry_3_substeps", 20000, 15, .substeps = 3, EARTH},
      {"1365x10", 1365, 10, 20000, 5, SEED},
      {"1365x15", 1365, 15, 20000, 5, SEED, .stages = true},
      {"1365x30", 1365, 30, 20000, 5, SEED},
      {"5287x10", 5287, 10, 20000, 5, SEED},
      {"5287x15", 5287, 15, 20000, 5, SEED},
      {"1365x15_3_substeps", 1365, 15, 20000, 3, SEED},
      {"1365x15_10_substeps", 1365, 15, 20000, 10, SEED},
      {"1365x15_15_substeps", 1365, 15, 20000, 15, SEED},
      {"1365x10_earth", 1365, 10, 20000, 5, 1, EARTH},
      {"1365x15_earth", 1365, 15, 20000, 5, 1, EARTH, .stages = true},
      {"1365x30_earth", 1365, 30, 20000, 5, 1, EARTH},
      {"5287x10_earth", 5287, 10, 20000, 5, 1, EARTH},
      {"5287x15_earth", 5287, 15, 20000, 5, 1, EARTH},
      {"1365x15_earth_dense", 1365, 15, 20000, 10, 3, EARTH, .stages = true},
  };
  for (size_t k = 0; k < sizeof heads / sizeof *heads && !result; ++k) result = run_head(out, &heads[k], error);
  return result;
}
