// The bridges between strands for other modules: a list for the flow across strands, and the clumps that they form.
#include <math.h>

#include "contact/store.h"

static const double TIPS = 0.75;  // share of the length from which on a strand counts as its tip

// An edge of a strand.
typedef struct End {
  const RvContactStrand* strand;
  size_t edge;  // within its strand
} End;

static End end_of(const RvContacts* c, size_t edge) {
  const RvContactStrand* s = &c->strands[c->strand_of[edge]];
  return (End){s, edge - s->first};
}

// Index of a vertex in the blocks of vertices.
static size_t block_index(const RvContacts* c, const RvContactStrand* s, size_t vertex) {
  return c->model->batches[s->batch].vertex_at + vertex * RV_LANES + (size_t)s->lane;
}

size_t rv_contacts_bridges(const RvContacts* c, RvFilmBridge* out, size_t most) {
  size_t count = 0;
  for (size_t k = 0; k < c->spans.count; ++k) {
    if (!(c->memory.data[k].area > 0)) continue;
    End a = end_of(c, (size_t)(c->keys.data[k] >> 32)), b = end_of(c, (size_t)(c->keys.data[k] & UINT32_MAX));
    if (count < most)
      out[count] =
          (RvFilmBridge){{(uint32_t)block_index(c, a.strand, a.edge), (uint32_t)block_index(c, b.strand, b.edge)},
                         {c->along.data[2 * k], c->along.data[2 * k + 1]},
                         fmax(c->spans.data[k].distance, 0),  // pressed hairs are at 0
                         c->spans.data[k].length};
    ++count;
  }
  return count;
}

//---------------------------------------------------------------------------------------------- clumps

// Representative of a component (union-find with path halving).
static uint32_t root_of(uint32_t* parent, uint32_t k) {
  while (parent[k] != k) {
    parent[k] = parent[parent[k]];
    k = parent[k];
  }
  return k;
}

// Joins the vertices nearest to the two ends of each bridge.
static void join(const RvContacts* c, uint32_t* parent) {
  for (size_t k = 0; k < c->spans.count; ++k) {
    if (!(c->memory.data[k].area > 0)) continue;
    size_t e = (size_t)(c->keys.data[k] >> 32);
    size_t f = (size_t)(c->keys.data[k] & UINT32_MAX);
    uint32_t a = root_of(parent, (uint32_t)(rv_contact_vertex(c, e) + (c->along.data[2 * k] >= 0.5)));
    uint32_t b = root_of(parent, (uint32_t)(rv_contact_vertex(c, f) + (c->along.data[2 * k + 1] >= 0.5)));
    if (a < b)
      parent[b] = a;
    else
      parent[a] = b;
  }
}

// Position of a bridge's end along its strand, 0 at the root to 1 at the tip.
static double level(const RvContacts* c, size_t edge, double t) {
  End at = end_of(c, edge);
  return ((double)at.edge + t) / (c->model->batches[at.strand->batch].vertices - 1);
}

// Number of groups of strands that bridges join in their last quarters; `parent` [strands] is temporary.
static size_t count_tips(const RvContacts* c, uint32_t* parent) {
  size_t count = c->nstrand;
  for (size_t s = 0; s < c->nstrand; ++s) parent[s] = (uint32_t)s;
  for (size_t k = 0; k < c->spans.count; ++k) {
    if (!(c->memory.data[k].area > 0)) continue;
    size_t e = (size_t)(c->keys.data[k] >> 32);
    size_t f = (size_t)(c->keys.data[k] & UINT32_MAX);
    if (level(c, e, c->along.data[2 * k]) < TIPS || level(c, f, c->along.data[2 * k + 1]) < TIPS) continue;
    uint32_t a = root_of(parent, (uint32_t)c->strand_of[e]);
    uint32_t b = root_of(parent, (uint32_t)c->strand_of[f]);
    if (a == b) continue;
    parent[a < b ? b : a] = a < b ? a : b;
    --count;
  }
  return count;
}

size_t rv_contacts_clumps(const RvContacts* c, int32_t* clump) {
  size_t n = c->model->nvertex, count = SIZE_MAX;
  uint32_t* parent = rv_alloc(n + 1, sizeof *parent);
  int32_t* least = rv_alloc(n + 1, sizeof *least);
  if (parent && least) {
    for (size_t k = 0; k < n; ++k) {
      parent[k] = (uint32_t)k;
      least[k] = INT32_MAX;
    }
    // Components.
    join(c, parent);
    for (size_t k = 0; k < n; ++k) parent[k] = root_of(parent, (uint32_t)k);
    // Smallest input strand of each.
    for (size_t s = 0; s < c->nstrand; ++s)
      for (size_t k = c->strands[s].first + s; k < c->strands[s + 1].first + s + 1; ++k)
        if (c->strands[s].input < least[parent[k]]) least[parent[k]] = c->strands[s].input;
    // Output in the order of the blocks.
    for (size_t s = 0; s < c->nstrand; ++s) {
      const RvContactStrand* strand = &c->strands[s];
      const RvStrandBatch* b = &c->model->batches[strand->batch];
      for (int i = 0; i < b->vertices; ++i) {
        int32_t* at = clump + block_index(c, strand, (size_t)i);
        *at = least[parent[strand->first + s + (size_t)i]];
        // unused lanes repeat the last strand
        for (int lane = b->lanes; strand->lane == b->lanes - 1 && lane < RV_LANES; ++lane)
          at[lane - strand->lane] = *at;
      }
    }
    count = count_tips(c, parent);
  }
  rv_free(parent);
  rv_free(least);
  return count;
}
