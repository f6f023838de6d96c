// Mass of the liquid on strands (WH-5, WH-25), and impulses that change their velocities between steps.
#include "base/parallel.h"
#include "strand/strand.h"

enum { BATCHES_A_TASK = 8 };

typedef struct Masses {
  RvStrandModel* m;
  const double* add;  // [vertices] kg or [edges] kg m2, NULL: 0
} Masses;

// Mass of each vertex: hair and load.

static void set_loads(void* arg, size_t begin, size_t end) {
  const Masses* s = arg;
  RvStrandModel* m = s->m;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int i = 0; i < b->vertices; ++i)
      for (int q = 0; q < 3; ++q) {
        const size_t vertex = b->vertex_at + (size_t)i * RV_LANES;
        const double* hair = m->hair_mass + vertex;
        const double* add = s->add ? s->add + vertex : NULL;
        double* mass = m->mass + rv_strand_index(b, 0, i, q);
        for (int lane = 0; lane < RV_LANES; ++lane) mass[lane] = hair[lane] + (add ? add[lane] : 0);
      }
  }
}

void rv_strand_set_load(RvStrandModel* m, const double* load) {
  Masses s = {m, load};
  rv_parallel_for(m->nbatch, BATCHES_A_TASK, set_loads, &s);
}

// Moment of inertia of each edge about its tangent: hair and film.
static void set_turns(void* arg, size_t begin, size_t end) {
  const Masses* s = arg;
  RvStrandModel* m = s->m;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int j = 0; j + 1 < b->vertices; ++j) {
      size_t edge = b->edge_at + (size_t)j * RV_LANES;
      double* mass = m->mass + rv_strand_index(b, 0, j, 3);
      for (size_t lane = 0; lane < RV_LANES; ++lane)
        mass[lane] = m->hair_turn[edge + lane] + (s->add ? s->add[edge + lane] : 0);
    }
  }
}

void rv_strand_set_turn(RvStrandModel* m, const double* turn) {
  Masses s = {m, turn};
  rv_parallel_for(m->nbatch, BATCHES_A_TASK, set_turns, &s);
}

void rv_strand_kick_batch(const RvStrandModel* m, RvStrandState* s, const RvStrandBatch* b, double dt,
                          const double* dv) {
  size_t count = (size_t)b->vertices * 4 * RV_LANES;
  for (size_t k = b->at; k < b->at + count; ++k) {
    double change = m->free[k] * dv[k];
    s->v[k] += change;
    s->v_before[k] += change;
    s->q_before[k] -= dt * change;
  }
}
