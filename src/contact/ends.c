// Ends of links and touches, batch by batch: each batch then gathers its own in a fixed order, with no atomics.
#include "contact/store.h"
#include "space/sort.h"

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

static RvContactEnd end_at(const RvContacts* c, size_t edge, double t, size_t tag) {
  const RvContactStrand* s = &c->strands[c->strand_of[edge]];
  return (RvContactEnd){t, (uint32_t)rv_contact_place(c, s, edge - s->first), (uint32_t)tag};
}

static size_t edge_of(const RvContacts* c, size_t tag) {
  uint64_t key = c->keys.data[tag / 2];
  return (size_t)(tag % 2 ? key & UINT32_MAX : key >> 32);
}

// stable by batch, so that within one they are by (link, side)
static RvResult link_ends(RvContacts* c, RvError* error) {
  size_t n = 2 * c->active, nbatch = c->model->nbatch;
  if (n > UINT32_MAX) return rv_fail(error, RV_LIMIT, "%zu contacts between strands are more than can be held", n / 2);
  if (!rv_array_resize(&c->ends, n) || !rv_array_resize(&c->end_of, n) || !rv_array_resize(&c->value, n) ||
      !rv_array_resize(&c->force, n / 2) || !rv_array_resize(&c->energy, n / 2) || !rv_array_resize(&c->hessian, n / 2))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu contacts", n / 2);
  for (size_t k = 0; k <= nbatch; ++k) c->end_at[k] = 0;
  for (size_t k = 0; k < nbatch; ++k) c->held[k] = 0;
  for (size_t tag = 0; tag < n; ++tag) c->end_at[c->strands[c->strand_of[edge_of(c, tag)]].batch + 1]++;
  for (size_t k = 0; k < nbatch; ++k) c->end_at[k + 1] += c->end_at[k];
  for (size_t tag = 0; tag < n; ++tag) {
    size_t edge = edge_of(c, tag);
    const RvContactStrand* s = &c->strands[c->strand_of[edge]];
    size_t at = c->end_at[s->batch]++;
    if (c->wet && c->law_of.data[tag / 2] != RV_NO_LAW) c->held[s->batch] |= (uint8_t)(1U << s->lane);
    c->ends.data[at] = end_at(c, edge, c->along.data[tag], tag);
    c->end_of.data[tag] = (uint32_t)at;
  }
  for (size_t k = nbatch; k > 0; --k) c->end_at[k] = c->end_at[k - 1];
  c->end_at[0] = 0;
  return RV_OK;
}

// touches are by their points, so by their batches already
static void touch_ends(RvContacts* c) {
  size_t nbatch = c->model->nbatch, n = c->touch_keys.count;
  for (size_t k = 0; k <= nbatch; ++k) c->touch_at[k] = 0;
  for (size_t k = 0; k < n; ++k) {
    // points are numbered 2 x (vertex), or that plus 1 for the middle of the edge after it
    size_t point = (size_t)(c->touch_keys.data[k] >> 32), vertex = point / 2, lo = rv_contact_strand(c, vertex);
    const RvContactStrand* s = &c->strands[lo];
    size_t i = vertex - lo - s->first, last = c->strands[lo + 1].first - s->first;
    double t = point % 2 ? 0.5 : 0;
    // the last vertex is the end of the last edge
    if (i == last) i = last - 1, t = 1;
    c->touch_ends.data[k] = (RvContactEnd){t, (uint32_t)rv_contact_place(c, s, i), (uint32_t)k};
    c->touch_at[s->batch + 1]++;
  }
  for (size_t k = 0; k < nbatch; ++k) c->touch_at[k + 1] += c->touch_at[k];
}

RvResult rv_contact_ends(RvContacts* c, RvError* error) {
  size_t n = c->touch_keys.count;
  if (!rv_array_resize(&c->touch_ends, n))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu contacts with solids", n);
  RvResult result = link_ends(c, error);
  if (!result) touch_ends(c);
  return result;
}
