// What liquid on strands adds to their mass, and blows that change their velocities between steps.
#include "base/parallel.h"
#include "strand/strand.h"

typedef struct Masses {
  RvStrandModel* m;
  const double* add;
} Masses;

static void set_loads(void* arg, size_t begin, size_t end) {
  const Masses* s = arg;
  RvStrandModel* m = s->m;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int i = 0; i < b->vertices; ++i)
      for (int q = 0; q < 3; ++q) {
        const double *hair = m->hair_mass + b->vertex_at + (size_t)i * RV_LANES,
                     *add = s->add ? s->add + b->vertex_at + (size_t)i * RV_LANES : NULL;
        double* mass = m->mass + rv_strand_index(b, 0, i, q);
        for (int lane = 0; lane < RV_LANES; ++lane) mass[lane] = hair[lane] + (add ? add[lane] : 0);
      }
  }
}

void rv_strand_set_load(RvStrandModel* m, const double* load) {
  Masses s = {m, load};
  rv_parallel_for(m->nbatch, 32, set_loads, &s);
}

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
  rv_parallel_for(m->nbatch, 32, set_turns, &s);
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
