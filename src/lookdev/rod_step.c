// A substep of all strands, batch by batch, and the choice of the kernel for this machine.
#include <string.h>

#include "base/parallel.h"
#include "lookdev/rod.h"
#include "math/kernel.h"
#include "strand/rooms.h"

// Batches of a task: some 10 microseconds of work.
enum { BATCHES_A_TASK = 4 };

RV_KERNEL_DECLARE(unsigned, rv_cosserat_direct, (const RvCosseratBatch*, double*))
RV_KERNEL_DECLARE(unsigned, rv_cosserat_sweeps, (const RvCosseratBatch*, double*))
RV_KERNEL_DECLARE(size_t, rv_cosserat_room, (int))

size_t rv_cosserat_room(int vertices) {
  return RV_KERNEL_CALL(rv_cosserat_room, (vertices));
}

unsigned rv_cosserat_direct(const RvCosseratBatch* b, double* room) {
  return RV_KERNEL_CALL(rv_cosserat_direct, (b, room));
}

unsigned rv_cosserat_sweeps(const RvCosseratBatch* b, double* room) {
  return RV_KERNEL_CALL(rv_cosserat_sweeps, (b, room));
}

unsigned rv_cosserat_direct_single(const RvCosseratBatch* b, double* room) {
  return RV_KERNEL_CALL_SINGLE(rv_cosserat_direct, (b, room));
}

typedef struct Step {
  const RvStrandModel* m;
  RvStrandState* s;
  const RvCosseratModel* model;
  RvCosseratState* state;
  const RvRodStepDef* def;
  RvStrandRooms rooms;
  unsigned char* failed;  // [batches] bits of lanes; all: out of memory
  bool* no_memory;        // [batches]
} Step;

// A batch's blocks of all arrays.
static RvCosseratBatch batch_of(const Step* w, size_t k) {
  const RvStrandBatch* b = &w->m->batches[k];
  const RvRodForces* f = &w->def->forces;
  const bool busy = !f->busy || f->busy[k];
  const bool stiff = !f->stiff || f->stiff[k];
  RvCosseratBatch out = {.vertices = b->vertices,
                         .dt = w->def->dt,
                         .iterations = w->def->iterations,
                         .relaxation = w->def->relaxation,
                         .x = w->s->q + b->at,
                         .v = w->s->v + b->at,
                         .quat = w->state->quat + 4 * b->edge_at,
                         .spin = w->state->spin + 3 * b->edge_at,
                         .tension = w->state->tension + b->edge_at,
                         .mass = w->m->mass + b->at,
                         .free = w->m->free + b->at,
                         .target = w->def->target + b->at,
                         .root = w->def->root + 4 * RV_LANES * k,
                         .length = w->model->length + b->edge_at,
                         .stretch = w->model->stretch + b->edge_at,
                         .rest = w->model->rest + 4 * b->vertex_at,
                         .bend = w->model->bend + 6 * b->vertex_at,
                         .delay = w->model->delay + b->vertex_at,
                         .hairs = w->model->hairs + RV_LANES * k,
                         .air = f->air ? f->air + b->at : NULL,
                         .force = f->force && busy ? f->force + b->at : NULL,
                         .stiffness = f->stiffness && stiff ? f->stiffness + 6 * b->vertex_at : NULL,
                         .dragnormal = f->dragnormal,
                         .dragtangent = f->dragtangent};
  memcpy(out.gravity, f->gravity, sizeof out.gravity);
  memcpy(out.wind, f->wind, sizeof out.wind);
  return out;
}

static void step_batches(void* arg, size_t begin, size_t end) {
  Step* w = arg;
  double* room = rv_strand_rooms_enter(&w->rooms);
  for (size_t k = begin; k < end; ++k) {
    w->no_memory[k] = !room;
    w->failed[k] = 0;
    if (!room) continue;
    const RvCosseratBatch b = batch_of(w, k);
    w->failed[k] =
        (unsigned char)(w->def->solve == RV_ROD_SWEEPS ? rv_cosserat_sweeps(&b, room) : rv_cosserat_direct(&b, room));
  }
  if (room) rv_strand_rooms_leave(&w->rooms, room);
}

RvResult rv_cosserat_step(const RvStrandModel* m, RvStrandState* s, const RvCosseratModel* model,
                          RvCosseratState* state, const RvRodStepDef* def, RvArena* scratch, size_t* failed,
                          RvError* error) {
  RvArenaMark mark = rv_arena_mark(scratch);
  Step w = {.m = m, .s = s, .model = model, .state = state, .def = def};
  int longest = 0;
  for (size_t k = 0; k < m->nbatch; ++k) longest = m->batches[k].vertices > longest ? m->batches[k].vertices : longest;
  w.failed = RV_TAKE(scratch, unsigned char, m->nbatch);
  w.no_memory = RV_TAKE(scratch, bool, m->nbatch);
  size_t tasks = (m->nbatch + BATCHES_A_TASK - 1) / BATCHES_A_TASK;
  bool fine = w.failed && w.no_memory;
  fine = fine && rv_strand_rooms_take(&w.rooms, scratch, tasks, rv_cosserat_room(longest));
  *failed = 0;
  if (fine) rv_parallel_for(m->nbatch, BATCHES_A_TASK, step_batches, &w);
  for (size_t k = 0; fine && k < m->nbatch; ++k) {
    for (int lane = 0; lane < m->batches[k].lanes; ++lane) *failed += w.failed[k] >> lane & 1;
    fine = !w.no_memory[k];
  }
  rv_arena_release(scratch, mark);
  return fine ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the rods of %zu strands", m->nstrand);
}
