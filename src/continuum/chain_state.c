// The state of chains: allocation, the start pose, and the places of the vertices.
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "continuum/chain.h"
#include "continuum/chain_kernel.h"

// Batches of a task of the parallel loop.
enum { BATCHES_A_TASK = 8 };

// The arrays of a state with their numbers.
typedef struct Arrays {
  double** array[8];
  size_t count[8];
} Arrays;

static Arrays arrays_of(const RvChainModel* m, RvChainState* s) {
  size_t base = m->nbatch * RV_LANES;
  return (Arrays){
      {&s->orient, &s->spin, &s->base_x, &s->base_orient, &s->base_v, &s->base_spin, &s->x, &s->v},
      {4 * m->links, 3 * m->links, 3 * base, 4 * base, 3 * base, 3 * base, 3 * m->vertices, 3 * m->vertices}};
}

RvChainState* rv_chain_state_alloc(const RvChainModel* m) {
  RvChainState* s = rv_alloc_zero(1, sizeof *s);
  if (!s) return NULL;
  Arrays a = arrays_of(m, s);
  bool done = true;
  for (int i = 0; i < 8; ++i) done &= (*a.array[i] = rv_alloc_zero(a.count[i], sizeof(double))) != NULL;
  if (done) return s;
  rv_chain_state_free(s);
  return NULL;
}

void rv_chain_state_copy(const RvChainModel* m, const RvChainState* from, RvChainState* to) {
  RvChainState source = *from;
  Arrays a = arrays_of(m, &source), b = arrays_of(m, to);
  for (int i = 0; i < 8; ++i) memcpy(*b.array[i], *a.array[i], a.count[i] * sizeof(double));
}

void rv_chain_state_free(RvChainState* s) {
  if (!s) return;
  RV_FREE_ALL(s->orient, s->spin, s->base_x, s->base_orient, s->base_v, s->base_spin, s->x, s->v, s);
}

RvResult rv_chain_state_new(const RvChainModel* m, const RvStrandDef* strands, RvChainState** out, RvError* error) {
  *out = NULL;
  RvChainState* s = rv_chain_state_alloc(m);
  RvQuat* frames = s ? rv_alloc((size_t)m->longest, sizeof *frames) : NULL;
  if (!frames) {
    rv_chain_state_free(s);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", m->nstrand);
  }
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane) {
      const RvChainBatch* b = &m->batches[k];
      const RvStrandDef* d = &strands[b->strand[lane]];
      rv_chain_frames(d, d->x, frames);
      for (int i = 0; i < b->links; ++i) rv_chain_set_quat(s->orient, rv_chain_link(b, lane, i, 4, 0), frames[i]);
      rv_chain_set_quat(s->base_orient, rv_chain_base(k, lane, 4, 0), frames[0]);
      for (int c = 0; c < 3; ++c) s->base_x[rv_chain_base(k, lane, 3, c)] = d->x[c];
    }
  rv_free(frames);
  rv_chain_place(m, s);
  *out = s;
  return RV_OK;
}

typedef struct Place {
  const RvChainModel* m;
  RvChainState* s;
} Place;

static void place_batches(void* arg, size_t begin, size_t end) {
  const Place* p = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvChainBatch* b = &p->m->batches[k];
    const RvChainWork w = {.links = b->links,
                           .length = p->m->length + b->at,
                           .orient = p->s->orient + 4 * b->at,
                           .spin = p->s->spin + 3 * b->at,
                           .base_x = p->s->base_x + 3 * k * RV_LANES,
                           .base_v = p->s->base_v + 3 * k * RV_LANES,
                           .x = p->s->x + 3 * b->vertex_at,
                           .v = p->s->v + 3 * b->vertex_at};
    RV_KERNEL_CALL(rv_chain_place, (&w));
  }
}

void rv_chain_place(const RvChainModel* m, RvChainState* s) {
  Place p = {m, s};
  rv_parallel_for(m->nbatch, BATCHES_A_TASK, place_batches, &p);
}
