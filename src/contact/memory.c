// The state of the contacts in the input's numbering: reading it, and restoring it.
#include <math.h>
#include <stdlib.h>

#include "contact/store.h"

// Input strand and number of an edge.
static void name_edge(const RvContacts* c, size_t edge, int32_t* strand, int32_t* number) {
  const RvContactStrand* s = &c->strands[c->strand_of[edge]];
  *strand = s->input;
  *number = (int32_t)(edge - s->first);
}

RvLinkState rv_contacts_link(const RvContacts* c, size_t k) {
  const RvLinkMemory* m = &c->memory.data[k];
  RvLinkState s = {.age = m->age, .reach = m->reach, .area = m->area, .pull = m->pull};
  name_edge(c, (size_t)(c->keys.data[k] >> 32), &s.strand[0], &s.edge[0]);
  name_edge(c, (size_t)(c->keys.data[k] & UINT32_MAX), &s.strand[1], &s.edge[1]);
  rv_vec3_store64(s.slip, rv_contact_from_float3(m->slip));
  rv_vec3_store64(s.normal, rv_contact_from_float3(m->normal));
  return s;
}

RvTouchState rv_contacts_touch(const RvContacts* c, size_t k) {
  const RvTouchMemory* m = &c->touch_memory.data[k];
  size_t point = (size_t)(c->touch_keys.data[k] >> 32);
  size_t lo = rv_contact_strand(c, point / 2);
  RvTouchState s = {.strand = c->strands[lo].input,
                    .point = (int32_t)(point - 2 * (c->strands[lo].first + lo)),
                    .collider = (int32_t)(c->touch_keys.data[k] & UINT32_MAX),
                    .age = m->age,
                    .reach = m->reach,
                    .area = m->area,
                    .pull = m->pull};
  rv_vec3_store64(s.slip, m->slip);
  return s;
}

//---------------------------------------------------------------------------------------------- restoring

typedef struct Keyed {
  uint64_t key;
  size_t index;
  double sign;  // -1: source and receiver are exchanged
} Keyed;

static int by_key(const void* pa, const void* pb) {
  const Keyed *a = pa, *b = pb;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

// Index of each input strand in the contacts' order; NULL: no memory.
static uint32_t* order_of_inputs(const RvContacts* c) {
  uint32_t* order = rv_alloc_zero(c->nstrand, sizeof *order);
  for (size_t k = 0; order && k < c->nstrand; ++k) order[c->strands[k].input] = (uint32_t)k;
  return order;
}

// Edge or point from its input numbers; false: there is none.
static bool edge_from(const RvContacts* c, const uint32_t* order, int32_t strand, int32_t edge, uint64_t* out) {
  if (strand < 0 || (size_t)strand >= c->nstrand || edge < 0) return false;
  const RvContactStrand* s = &c->strands[order[strand]];
  *out = s[0].first + (uint64_t)edge;
  return *out < s[1].first;
}

static bool point_from(const RvContacts* c, const uint32_t* order, int32_t strand, int32_t point, uint64_t* out) {
  if (strand < 0 || (size_t)strand >= c->nstrand || point < 0) return false;
  const RvContactStrand* s = &c->strands[order[strand]];
  *out = 2 * ((uint64_t)s[0].first + order[strand]) + (uint64_t)point;
  return (size_t)point <= 2 * (size_t)(s[1].first - s[0].first);
}

static bool all_finite(const double* v, int n) {
  for (int k = 0; k < n; ++k)
    if (!isfinite(v[k])) return false;
  return true;
}

static bool is_bridge(double area, double pull) {
  return area >= 0 && pull >= 0 && pull <= 1;
}

// Sorts the links by key and restores their memory.
static RvResult restore_links(RvContacts* c, const uint32_t* order, const RvLinkState* links, size_t n, Keyed* keyed,
                              RvError* error) {
  for (size_t k = 0; k < n; ++k) {
    uint64_t a, b;
    if (!edge_from(c, order, links[k].strand[0], links[k].edge[0], &a) ||
        !edge_from(c, order, links[k].strand[1], links[k].edge[1], &b) || !all_finite(links[k].slip, 3) ||
        !all_finite(links[k].normal, 3) || !isfinite(links[k].reach) || !is_bridge(links[k].area, links[k].pull))
      return rv_fail(error, RV_BAD_INPUT, "contact %zu of the state: strand %d, edge %d does not exist or is damaged",
                     k, links[k].strand[0], links[k].edge[0]);
    // the source is the earlier edge in the order of the batches, which follows the roots: as these move it may change
    keyed[k] = a < b ? (Keyed){a << 32 | b, k, 1} : (Keyed){b << 32 | a, k, -1};
  }
  qsort(keyed, n, sizeof *keyed, by_key);
  if (!rv_array_resize(&c->keys, n) || !rv_array_resize(&c->memory, n))
    return rv_fail(error, RV_NO_MEMORY, "contacts: out of memory for %zu contacts", n);
  for (size_t k = 0; k < n; ++k) {
    const RvLinkState* s = &links[keyed[k].index];
    RvVec3 slip = rv_scale(rv_vec3_load64(s->slip), keyed[k].sign);
    RvVec3 normal = rv_scale(rv_vec3_load64(s->normal), keyed[k].sign);
    c->keys.data[k] = keyed[k].key;
    c->memory.data[k] = (RvLinkMemory){
        rv_contact_float3(slip), rv_contact_float3(normal), (float)s->reach, s->age, (float)s->area, (float)s->pull};
  }
  return RV_OK;
}

// Sorts the touches by key and restores their memory.
static RvResult restore_touches(RvContacts* c, const uint32_t* order, const RvTouchState* touches, size_t n,
                                Keyed* keyed, RvError* error) {
  for (size_t k = 0; k < n; ++k) {
    uint64_t point;
    if (!point_from(c, order, touches[k].strand, touches[k].point, &point) || touches[k].collider < 0 ||
        !all_finite(touches[k].slip, 3) || !isfinite(touches[k].reach) || !is_bridge(touches[k].area, touches[k].pull))
      return rv_fail(error, RV_BAD_INPUT, "contact %zu of the state: strand %d, point %d does not exist or is damaged",
                     k, touches[k].strand, touches[k].point / 2);
    keyed[k] = (Keyed){point << 32 | (uint64_t)touches[k].collider, k, 1};
  }
  qsort(keyed, n, sizeof *keyed, by_key);
  if (!rv_array_resize(&c->touch_keys, n) || !rv_array_resize(&c->touch_memory, n))
    return rv_fail(error, RV_NO_MEMORY, "contacts: out of memory for %zu contacts", n);
  for (size_t k = 0; k < n; ++k) {
    const RvTouchState* s = &touches[keyed[k].index];
    c->touch_keys.data[k] = keyed[k].key;
    c->touch_memory.data[k] = (RvTouchMemory){rv_vec3_load64(s->slip), s->reach, s->area, s->age, (float)s->pull};
  }
  return RV_OK;
}

RvResult rv_contacts_restore(RvContacts* c, const RvLinkState* links, size_t nlink, const RvTouchState* touches,
                             size_t ntouch, RvError* error) {
  uint32_t* order = order_of_inputs(c);
  Keyed* keyed = rv_alloc(nlink > ntouch ? nlink : ntouch, sizeof *keyed);
  RvResult result =
      order && keyed ? RV_OK : rv_fail(error, RV_NO_MEMORY, "contacts: out of memory for %zu contacts", nlink);
  if (!result) result = restore_links(c, order, links, nlink, keyed, error);
  if (!result) result = restore_touches(c, order, touches, ntouch, keyed, error);
  c->active = 0;
  c->slots = 0;
  c->wet_slots = 0;
  // as after an accepted step; the next find makes what the operator needs
  c->accepted = !result;
  c->begun = !result;
  rv_free(order);
  rv_free(keyed);
  return result;
}
