// Keeps the candidates that become links or hold liquid, and puts the active ones into the operator's slots.
#include <stddef.h>
#include <string.h>

#include "base/parallel.h"
#include "contact/store.h"

//---------------------------------------------------------------------------------------------- the nearest few

typedef struct Near {
  double gap;    // m
  size_t index;  // of the candidate
} Near;

static bool is_nearer(Near a, Near b) {
  return a.gap < b.gap || (a.gap == b.gap && a.index < b.index);
}

// Distance of a candidate along its normal at the start of the step.
static double gap_of(const RvContacts* c, const RvLinkCandidate* l) {
  const RvVec3* x = c->segments.x;
  size_t i = rv_contact_vertex(c, (size_t)(l->key >> 32));
  size_t j = rv_contact_vertex(c, (size_t)(l->key & UINT32_MAX));
  return rv_dot(l->normal, rv_sub(rv_lerp(x[i], x[i + 1], l->along[0]), rv_lerp(x[j], x[j + 1], l->along[1])));
}

// Deactivates all but the nearest links of one source edge; returns their number.
static uint32_t keep_nearest(const RvContacts* c, RvLinkCandidate* links, size_t count) {
  Near near[RV_CONTACT_MAX_LINKS + 1];  // sorted, with room for one more
  size_t n = 0, kept = 0;
  for (size_t k = 0; k < count; ++k) n += links[k].active;
  if (n <= RV_CONTACT_MAX_LINKS) return 0;
  for (size_t k = 0; k < count; ++k) {
    if (!links[k].active) continue;
    Near one = {gap_of(c, &links[k]), k};
    size_t at = kept++;
    for (; at > 0 && is_nearer(one, near[at - 1]); --at) near[at] = near[at - 1];
    near[at] = one;
    // the farthest leaves
    if (kept > RV_CONTACT_MAX_LINKS) links[near[--kept].index].active = false;
  }
  return (uint32_t)(n - RV_CONTACT_MAX_LINKS);
}

// The same for all source edges of a block.
static uint32_t drop_far(const RvContacts* c, RvLinkCandidate* links, size_t count) {
  uint32_t dropped = 0;
  for (size_t first = 0, last; first < count; first = last) {
    for (last = first; last < count && links[last].key >> 32 == links[first].key >> 32;) ++last;
    if (last - first > RV_CONTACT_MAX_LINKS) dropped += keep_nearest(c, links + first, last - first);
  }
  return dropped;
}

//---------------------------------------------------------------------------------------------- blocks

void rv_contact_count(RvContacts* c, size_t block) {
  RvLinkCandidate* l = c->candidates.links[block];
  size_t n = c->candidates.count[block];
  RvKeptCount count = {.dropped = drop_far(c, l, n)};
  for (size_t k = 0; k < n; ++k) {
    // a bridge that has no force in this step is kept, but not active
    count.links += l[k].active || l[k].weight > 0;
    count.wet += l[k].active && l[k].has_law;
    count.dry += l[k].active && !l[k].has_law;
  }
  c->candidates.kept[block] = count;
}

static void count_blocks(void* arg, size_t begin, size_t end) {
  for (size_t block = begin; block < end; ++block) rv_contact_count(arg, block);
}

// Parameters of a link into its slot.
static void put_shape(RvContacts* c, size_t slot, const RvLinkCandidate* l) {
  RvLinkBlock* to = &c->blocks.data[slot / RV_LINKS];
  size_t k = slot % RV_LINKS;
  to->normal[0][k] = l->normal.x;
  to->normal[1][k] = l->normal.y;
  to->normal[2][k] = l->normal.z;
  to->origin[0][k] = l->origin.x;
  to->origin[1][k] = l->origin.y;
  to->origin[2][k] = l->origin.z;
  to->reach[k] = l->reach;
  to->width[k] = l->width;
  to->stiffness[k] = l->stiffness;
  to->friction_limit[k] = l->friction_limit;
  to->slip[k] = l->slip;
}

// Law of a bridge into its slot. After the strengths a block of laws consists of rows of eight floats.
static void put_law(RvContacts* c, size_t slot, const RvLawBlock* from, size_t lane) {
  enum { ROWS = (sizeof(RvLawBlock) - offsetof(RvLawBlock, low)) / (RV_LINKS * sizeof(float)) };
  RvLawBlock* to = &c->law_blocks.data[slot / RV_LINKS];
  to->strength[slot % RV_LINKS] = from->strength[lane];
  const float* in = from->low + lane;
  float* out = to->low + slot % RV_LINKS;
  for (size_t k = 0; k < ROWS; ++k) out[k * RV_LINKS] = in[k * RV_LINKS];
}

// Keeps the candidates of some blocks.
static void put_blocks(void* arg, size_t begin, size_t end) {
  RvContacts* c = arg;
  for (size_t block = begin; block < end; ++block) {
    const RvLinkCandidate* l = c->candidates.links[block];
    RvKeptCount at = c->candidates.kept[block];
    size_t law = 0;
    for (size_t k = 0; k < c->candidates.count[block]; ++k, ++l) {
      const RvLawBlock* laws = c->wet ? c->candidates.laws + c->candidates.law_first[block] : NULL;
      size_t own = law;
      law += l->law_lane;
      if (!l->active && !(l->weight > 0)) continue;
      // A link or bridge that lasts.
      size_t link = at.links++;
      c->keys.data[link] = l->key;
      c->memory.data[link] = l->memory;
      c->along.data[2 * link] = l->along[0];
      c->along.data[2 * link + 1] = l->along[1];
      if (c->wet)
        c->spans.data[link] = (RvSpan){l->weight > 0 ? l->distance - l->touch : 0, l->weight > 0 ? l->length : 0};
      if (!l->active) continue;
      // A slot of the operator, if it may have a force.
      size_t slot = l->has_law ? at.wet++ : at.dry++;
      c->link_of.data[slot] = (uint32_t)link;
      put_shape(c, slot, l);
      if (l->has_law) put_law(c, slot, laws + own / RV_LINKS, own % RV_LINKS);
    }
  }
}

// Room for all that is kept; false: no memory.
static bool make_room(RvContacts* c, RvKeptCount total) {
  size_t wet = ((size_t)total.wet + RV_LINKS - 1) / RV_LINKS;
  size_t all = wet + ((size_t)total.dry + RV_LINKS - 1) / RV_LINKS;
  if (!rv_array_resize(&c->keys, total.links) || !rv_array_resize(&c->memory, total.links) ||
      !rv_array_resize(&c->along, 2 * (size_t)total.links) || !rv_array_resize(&c->link_of, all * RV_LINKS) ||
      !rv_array_resize(&c->blocks, all) || !rv_array_resize(&c->law_blocks, wet) ||
      (c->wet && !rv_array_resize(&c->spans, total.links)))
    return false;
  c->wet_slots = total.wet;
  c->active = (size_t)total.wet + total.dry;
  c->slots = wet * RV_LINKS + total.dry;
  // unused lanes of the last blocks are computed too, so they must be numbers
  if (wet) memset(&c->blocks.data[wet - 1], 0, sizeof *c->blocks.data);
  if (wet) memset(&c->law_blocks.data[wet - 1], 0, sizeof *c->law_blocks.data);
  if (all > wet) memset(&c->blocks.data[all - 1], 0, sizeof *c->blocks.data);
  return true;
}

RvResult rv_contact_keep(RvContacts* c, RvContactStats* stats, RvError* error) {
  size_t blocks = c->candidates.blocks;
  RvKeptCount* at = c->candidates.kept;
  if (!c->wet) rv_parallel_for(blocks, 4, count_blocks, c);
  // Prefix sums over the blocks.
  RvKeptCount sum = {0};
  for (size_t k = 0; k < blocks; ++k) {
    RvKeptCount own = at[k];
    at[k] = sum;
    sum.links += own.links;
    sum.wet += own.wet;
    sum.dry += own.dry;
    stats->dropped += own.dropped;
  }
  // Dry links begin with a whole block.
  uint32_t dry = (sum.wet + RV_LINKS - 1) / RV_LINKS * RV_LINKS;
  for (size_t k = 0; k < blocks; ++k) at[k].dry += dry;
  if (!make_room(c, sum)) return rv_fail(error, RV_NO_MEMORY, "contacts: out of memory for %u contacts", sum.links);
  rv_parallel_for(blocks, 4, put_blocks, c);
  stats->links = c->active;
  return RV_OK;
}
