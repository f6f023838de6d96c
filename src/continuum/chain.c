// The step of all chains: every batch is one task.
#include "continuum/chain.h"

#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "continuum/chain_kernel.h"
#include "strand/rooms.h"

// Numbers of the bases of a batch: acceleration 3, spin rate 3, orientation 4 and spin 3 within a step, for each lane.
enum { BASE_NUMBERS = 13 };
// Numbers a link and lane: the kernels' room, spin rates, and start and sums of Runge and Kutta.
enum { NUMBERS_A_LINK = RV_CHAIN_ROOM + 3 + 2 * 7 };
// Tasks of several batches, so that the next one is mostly of the same task; but so many tasks that all workers have
// some.
enum { MOST_BATCHES_A_TASK = 8, LEAST_TASKS = 64 };

typedef struct Step {
  const RvChainModel* m;
  RvChainState* s;
  const RvChainStepDef* def;
  double* spin_rate;  // [links][3] result of rv_chain_accelerate, or NULL
  double* velocity;   // [vertices][3] result of rv_chain_predict, or NULL; a step has neither
  RvStrandRooms rooms;
  atomic_bool no_memory;
} Step;

// A batch while it is stepped.
typedef struct Room {
  double *acceleration, *spin_rate, *orient, *spin;  // of the bases
  double *start, *sum;                               // [links][7]
} Room;

static size_t room_size(int links) {
  return (size_t)(BASE_NUMBERS + NUMBERS_A_LINK * links) * RV_LANES;
}

// The change of a base's velocity over the step, as an acceleration.
static void rates(double* rate, const double* from, const double* to, double dt) {
  for (int i = 0; i < 3 * RV_LANES; ++i) rate[i] = to ? (to[i] - from[i]) / dt : 0;
}

static RvChainWork work_of(const Step* p, size_t k, double* memory, Room* room) {
  const RvChainModel* m = p->m;
  const RvChainBatch* b = &m->batches[k];
  const RvChainStepDef* def = p->def;
  size_t links = (size_t)b->links * RV_LANES;
  // Memory.
  room->acceleration = memory;
  room->spin_rate = memory + 3 * RV_LANES;
  room->orient = memory + 6 * RV_LANES;
  room->spin = memory + 10 * RV_LANES;
  double* next = memory + BASE_NUMBERS * RV_LANES;
  double* spin_rate = next + RV_CHAIN_ROOM * links;
  room->start = spin_rate + 3 * links;
  room->sum = room->start + 7 * links;
  // Motion of the bases.
  const double* base_v = def->base_v ? def->base_v + 3 * k * RV_LANES : NULL;
  const double* base_spin = def->base_spin ? def->base_spin + 3 * k * RV_LANES : NULL;
  rates(room->acceleration, p->s->base_v + 3 * k * RV_LANES, base_v, def->dt);
  rates(room->spin_rate, p->s->base_spin + 3 * k * RV_LANES, base_spin, def->dt);
  return (RvChainWork){.links = b->links,
                       .dt = def->dt,
                       .implicitness = def->integrator == RV_CHAIN_IMPLICIT ? def->implicitness : 0,
                       .gravity = {def->gravity[0], def->gravity[1], def->gravity[2]},
                       .length = m->length + b->at,
                       .mass = m->mass + b->at,
                       .across = m->across + b->at,
                       .axial = m->axial + b->at,
                       .stiffness = m->stiffness + 3 * b->at,
                       .damping = m->damping + 3 * b->at,
                       .rest = m->rest + 4 * b->at,
                       .orient = p->s->orient + 4 * b->at,
                       .spin = p->s->spin + 3 * b->at,
                       .base_x = p->s->base_x + 3 * k * RV_LANES,
                       .base_orient = p->s->base_orient + 4 * k * RV_LANES,
                       .base_v = p->s->base_v + 3 * k * RV_LANES,
                       .base_spin = p->s->base_spin + 3 * k * RV_LANES,
                       .base_acceleration = room->acceleration,
                       .base_spin_rate = room->spin_rate,
                       .force = def->force ? def->force + 3 * b->at : NULL,
                       .torque = def->torque ? def->torque + 3 * b->at : NULL,
                       .line_mass = def->line_mass ? def->line_mass + b->at : NULL,
                       .end_mass = def->end_mass ? def->end_mass + 6 * b->at : NULL,
                       .end_force = def->end_force ? def->end_force + 3 * b->at : NULL,
                       .spin_rate = spin_rate,
                       .x = p->s->x + 3 * b->vertex_at,
                       .v = p->s->v + 3 * b->vertex_at,
                       .room = next};
}

//---------------------------------------------------------------------------------------------- Runge and Kutta

// The bases at a part of the step: orientations between those of its start and end, spins by their rate.
static void move_bases(const Step* p, size_t k, const Room* room, double part) {
  const RvChainStepDef* def = p->def;
  for (int lane = 0; lane < RV_LANES; ++lane) {
    size_t at = rv_chain_base(k, lane, 4, 0);
    RvQuat q = rv_chain_quat(p->s->base_orient, at);
    if (def->base_orient) q = rv_quat_slerp(q, rv_chain_quat(def->base_orient, at), part);
    rv_chain_set_quat(room->orient, (size_t)lane, q);
    for (int c = 0; c < 3; ++c) {
      size_t i = (size_t)(c * RV_LANES + lane);
      room->spin[i] = p->s->base_spin[rv_chain_base(k, lane, 3, c)] + part * def->dt * room->spin_rate[i];
    }
  }
}

// The classic stages: rates at the start, twice at the middle, and at the end of the step (HC-19).
static void runge_kutta(const Step* p, size_t k, RvChainWork* w, const Room* room) {
  static const double weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, part[4] = {0, 0.5, 0.5, 1};
  size_t links = (size_t)w->links * RV_LANES;
  memcpy(room->start, w->orient, 4 * links * sizeof(double));
  memcpy(room->start + 4 * links, w->spin, 3 * links * sizeof(double));
  memcpy(room->sum, room->start, 7 * links * sizeof(double));
  w->base_orient = room->orient;
  w->base_spin = room->spin;
  for (int i = 0; i < 4; ++i) {
    move_bases(p, k, room, part[i]);
    RV_KERNEL_CALL(rv_chain_accelerate, (w));
    double reach = i < 3 ? part[i + 1] * w->dt : 0;
    RV_KERNEL_CALL(rv_chain_stage, (w, weight[i] * w->dt, reach, room->start, room->sum));
  }
  memcpy(w->orient, room->sum, 4 * links * sizeof(double));
  memcpy(w->spin, room->sum + 4 * links, 3 * links * sizeof(double));
  RV_KERNEL_CALL(rv_chain_normalize, (w));
}

//---------------------------------------------------------------------------------------------- step

static void copy(double* to, const double* from, size_t k, size_t size) {
  if (from) memcpy(to + size * k * RV_LANES, from + size * k * RV_LANES, size * RV_LANES * sizeof(double));
}

static void step_batch(const Step* p, size_t k, bool last, double* memory) {
  const RvChainStepDef* def = p->def;
  Room room;
  RvChainWork w = work_of(p, k, memory, &room);
  w.fetch_next = !last;
  if (p->spin_rate) {
    w.spin_rate = p->spin_rate + 3 * p->m->batches[k].at;
    RV_KERNEL_CALL(rv_chain_accelerate, (&w));
    return;
  }
  if (p->velocity) {
    w.v = p->velocity + 3 * p->m->batches[k].vertex_at;
    RV_KERNEL_CALL(rv_chain_accelerate, (&w));
    if (def->base_v) w.base_v = def->base_v + 3 * k * RV_LANES;
    RV_KERNEL_CALL(rv_chain_predict, (&w));
    return;
  }
  if (def->integrator == RV_CHAIN_RK4) {
    runge_kutta(p, k, &w, &room);
  } else {
    RV_KERNEL_CALL(rv_chain_accelerate, (&w));
    RV_KERNEL_CALL(rv_chain_advance, (&w));
  }
  // The bases, and with them the vertices.
  copy(p->s->base_x, def->base_x, k, 3);
  copy(p->s->base_orient, def->base_orient, k, 4);
  copy(p->s->base_v, def->base_v, k, 3);
  copy(p->s->base_spin, def->base_spin, k, 3);
  RV_KERNEL_CALL(rv_chain_place, (&w));
}

static void step_batches(void* arg, size_t begin, size_t end) {
  Step* p = arg;
  for (size_t k = begin; k < end; ++k) {
    double* room = rv_strand_rooms_enter(&p->rooms);
    if (!room) {
      atomic_store(&p->no_memory, true);
      continue;
    }
    step_batch(p, k, k + 1 == end, room);
    rv_strand_rooms_leave(&p->rooms, room);
  }
}

static RvResult run(Step* p, RvError* error) {
  RvArena* arena = p->def->scratch ? p->def->scratch : rv_arena_new(0);
  RvArenaMark mark = {0};
  bool done = arena != NULL;
  if (done) {
    mark = rv_arena_mark(arena);
    done = rv_strand_rooms_take(&p->rooms, arena, p->m->nbatch, room_size(p->m->longest));
  }
  if (done) {
    size_t grain = p->m->nbatch / LEAST_TASKS;
    grain = grain < 1 ? 1 : grain > MOST_BATCHES_A_TASK ? MOST_BATCHES_A_TASK : grain;
    rv_parallel_for(p->m->nbatch, grain, step_batches, p);
    done = !atomic_load(&p->no_memory);
  }
  if (arena) rv_arena_release(arena, mark);
  if (!p->def->scratch) rv_arena_free(arena);
  return done ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory in the step of %zu strands", p->m->nstrand);
}

RvResult rv_chain_step(const RvChainModel* m, RvChainState* s, const RvChainStepDef* def, RvError* error) {
  Step p = {.m = m, .s = s, .def = def};
  return run(&p, error);
}

RvResult rv_chain_accelerate(const RvChainModel* m, const RvChainState* s, const RvChainStepDef* def, double* spin_rate,
                             RvError* error) {
  RvChainState state = *s;  // the kernel reads it only
  Step p = {.m = m, .s = &state, .def = def, .spin_rate = spin_rate};
  return run(&p, error);
}

RvResult rv_chain_predict(const RvChainModel* m, const RvChainState* s, const RvChainStepDef* def, double* velocity,
                          RvError* error) {
  RvChainState state = *s;  // the kernels read it only
  Step p = {.m = m, .s = &state, .def = def, .velocity = velocity};
  return run(&p, error);
}
