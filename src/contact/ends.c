// Ends of links and touches, sorted by batch: the operator sums over a batch's own ends in a fixed order, without
// atomics.
#include <string.h>

#include "base/parallel.h"
#include "contact/store.h"

// Bisection: strand s has the vertices from first + s on.
size_t rv_contact_strand(const RvContacts* c, size_t vertex) {
  size_t lo = 0, hi = c->nstrand;
  while (hi - lo > 1) {
    size_t mid = lo + (hi - lo) / 2;
    if (c->strands[mid].first + mid <= vertex)
      lo = mid;
    else
      hi = mid;
  }
  return lo;
}

enum { PARTS = 16 };  // parts in which slots are counted; fixed, so that the order does not depend on the threads

typedef struct Sorting {
  RvContacts* c;
  size_t grain;
  uint32_t* at;      // [parts][batches] number of ends, then index of the first
  uint8_t* bridged;  // [parts][batches]
} Sorting;

// Slots between the last wet one and the next whole block are unused.
static bool is_used(const RvContacts* c, size_t slot) {
  return slot < c->wet_slots || slot >= (c->wet_slots + RV_LINKS - 1) / RV_LINKS * RV_LINKS;
}

static size_t edge_of(const RvContacts* c, size_t slot, int side) {
  uint64_t key = c->keys.data[c->link_of.data[slot]];
  return (size_t)(side ? key & UINT32_MAX : key >> 32);
}

// Numbers of ends of some parts, and the lanes that bridges pull at.
static void count_ends(void* arg, size_t begin, size_t end) {
  const Sorting* w = arg;
  const RvContacts* c = w->c;
  for (size_t part = begin; part < end; ++part) {
    uint32_t* at = w->at + part * c->model->nbatch;
    uint8_t* bridged = w->bridged + part * c->model->nbatch;
    memset(at, 0, c->model->nbatch * sizeof *at);
    memset(bridged, 0, c->model->nbatch);
    size_t last = (part + 1) * w->grain < c->slots ? (part + 1) * w->grain : c->slots;
    for (size_t slot = part * w->grain; slot < last; ++slot)
      for (int side = 0; side < 2 && is_used(c, slot); ++side) {
        const RvContactStrand* s = &c->strands[c->strand_of[edge_of(c, slot, side)]];
        at[s->batch]++;
        if (slot < c->wet_slots) bridged[s->batch] |= (uint8_t)(1U << s->lane);
      }
  }
}

// Puts the ends of some parts in order.
static void put_ends(void* arg, size_t begin, size_t end) {
  const Sorting* w = arg;
  RvContacts* c = w->c;
  for (size_t part = begin; part < end; ++part) {
    uint32_t* at = w->at + part * c->model->nbatch;
    size_t last = (part + 1) * w->grain < c->slots ? (part + 1) * w->grain : c->slots;
    for (size_t slot = part * w->grain; slot < last; ++slot) {
      if (!is_used(c, slot)) continue;
      uint32_t to[2];
      for (int side = 0; side < 2; ++side) {
        size_t edge = edge_of(c, slot, side);
        to[side] = at[c->strands[c->strand_of[edge]].batch]++;
        c->end_of.data[2 * slot + (size_t)side] = to[side];
        c->ends.data[to[side]] = (RvContactEnd){c->along.data[2 * c->link_of.data[slot] + (size_t)side],
                                                c->unknown_of[edge], (uint32_t)(2 * slot) + (uint32_t)side, 0};
      }
      c->ends.data[to[0]].other = to[1];
      c->ends.data[to[1]].other = to[0];
    }
  }
}

// Counting sort of the ends by batch; it is stable, so within a batch they are by (slot, side).
static RvResult link_ends(RvContacts* c, RvError* error) {
  size_t n = 2 * c->active, nbatch = c->model->nbatch;
  if (2 * c->slots > UINT32_MAX)
    return rv_fail(error, RV_LIMIT,
                   "contacts: %zu contacts between strands are more than fit; use fewer strands or points", c->active);
  // Memory.
  Sorting w = {c, (c->slots + PARTS - 1) / PARTS, RV_TAKE(c->scratch, uint32_t, PARTS * nbatch),
               RV_TAKE(c->scratch, uint8_t, PARTS * nbatch)};
  // Batches without ends have a place in the lists too: there is one where nothing touches.
  bool placed = rv_array_reserve(&c->ends, n + 1) && rv_array_reserve(&c->stiff_ends, n + 1) &&
                rv_array_reserve(&c->end_values, n + 1);
  if (!placed || !w.at || !w.bridged || !rv_array_resize(&c->ends, n) || !rv_array_resize(&c->end_of, 2 * c->slots) ||
      !rv_array_resize(&c->stiff_ends, n) || !rv_array_resize(&c->stiff_of, n) ||
      !rv_array_resize(&c->end_values, n) || !rv_array_resize(&c->link_energies, c->slots) ||
      !rv_array_resize(&c->hessian, c->slots))
    return rv_fail(error, RV_NO_MEMORY, "contacts: out of memory for %zu contacts", c->active);
  // Numbers of ends, and their prefix sums over batches and parts.
  rv_parallel_for(PARTS, 1, count_ends, &w);
  uint32_t sum = 0;
  for (size_t k = 0; k < nbatch; ++k) {
    c->end_at[k] = sum;
    c->bridged_lanes[k] = 0;
    for (size_t part = 0; part < PARTS; ++part) {
      uint32_t own = w.at[part * nbatch + k];
      w.at[part * nbatch + k] = sum;
      sum += own;
      c->bridged_lanes[k] |= w.bridged[part * nbatch + k];
    }
  }
  c->end_at[nbatch] = sum;
  // The ends in order.
  rv_parallel_for(PARTS, 1, put_ends, &w);
  return RV_OK;
}

// Ends of touches, which are sorted by points and so by batches already.
static void set_touch_ends(RvContacts* c) {
  size_t nbatch = c->model->nbatch, n = c->touch_keys.count;
  for (size_t k = 0; k <= nbatch; ++k) c->touch_at[k] = 0;
  for (size_t k = 0; k < n; ++k) {
    // a point is 2 x vertex, or that plus 1 for the middle of the edge after it
    size_t point = (size_t)(c->touch_keys.data[k] >> 32);
    size_t vertex = point / 2;
    size_t lo = rv_contact_strand(c, vertex);
    const RvContactStrand* s = &c->strands[lo];
    size_t i = vertex - lo - s->first, last = c->strands[lo + 1].first - s->first;
    double t = point % 2 ? 0.5 : 0;
    // the last vertex is the far end of the last edge
    if (i == last) {
      i = last - 1;
      t = 1;
    }
    c->touch_ends.data[k] = (RvContactEnd){(float)t, (uint32_t)rv_contact_unknown(c, s, i), (uint32_t)k, 0};
    c->touch_at[s->batch + 1]++;
  }
  for (size_t k = 0; k < nbatch; ++k) c->touch_at[k + 1] += c->touch_at[k];
}

RvResult rv_contact_ends(RvContacts* c, RvError* error) {
  size_t n = c->touch_keys.count;
  if (!rv_array_resize(&c->touch_ends, n))
    return rv_fail(error, RV_NO_MEMORY, "contacts: out of memory for %zu contacts with solids", n);
  RvResult result = link_ends(c, error);
  if (!result) set_touch_ends(c);
  return result;
}
