// What liquid on strands adds to their mass, and blows that change their velocities between steps.
#include "strand/strand.h"

void rv_strand_set_load(RvStrandModel* m, const double* load) {
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int i = 0; i < b->vertices; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        size_t vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
        double mass = m->hair_mass[vertex] + (load ? load[vertex] : 0);
        for (int q = 0; q < 3; ++q) m->mass[rv_strand_index(b, lane, i, q)] = mass;
      }
  }
}

void rv_strand_set_turn(RvStrandModel* m, const double* turn) {
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int j = 0; j + 1 < b->vertices; ++j)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        size_t edge = b->edge_at + (size_t)j * RV_LANES + (size_t)lane;
        m->mass[rv_strand_index(b, lane, j, 3)] = m->hair_turn[edge] + (turn ? turn[edge] : 0);
      }
  }
}

void rv_strand_kick(const RvStrandModel* m, RvStrandState* s, double dt, const double* dv) {
  for (size_t k = 0; k < m->unknowns; ++k) {
    double change = m->free[k] * dv[k];
    s->v[k] += change, s->v_before[k] += change;
    s->q_before[k] -= dt * change;
  }
}
