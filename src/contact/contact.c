// Life of the contacts and the order of the search: rv_contacts_find.
#include "contact/contact.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "contact/collider.h"
#include "contact/store.h"
#include "space/sort.h"

// The reasons for stiffness and width are in contact.h.
RvContactDef rv_contact_defaults(void) {
  return (RvContactDef){.strands = true,
                        .reach = 1.5,
                        .stiffness = 1e3,
                        .friction = 0.3,
                        .solid_stiffness = 1e3,
                        .solid_width = 1e-4,
                        .slip = 0.5,
                        .slip_speed = 0.004,
                        .margin = 1,
                        .acceleration = {0, -9.81, 0},
                        .neighbours = 4};
}

//---------------------------------------------------------------------------------------------- life

enum { PREDICT_UNKNOWNS = 16384 };  // unknowns of a parallel task
enum { OWN_ARENA = 1 << 16 };       // bytes of the own arena at first

// Numbers the strands and their edges in the order of batches and lanes.
static void number_edges(RvContacts* c) {
  const RvStrandModel* m = c->model;
  size_t strand = 0, edge = 0;
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < m->batches[k].lanes; ++lane, ++strand) {
      c->strands[strand] = (RvContactStrand){(uint32_t)edge, (uint32_t)k, lane, m->batches[k].strand[lane]};
      for (int j = 0; j + 1 < m->batches[k].vertices; ++j, ++edge) {
        c->strand_of[edge] = (uint32_t)strand;
        c->unknown_of[edge] = (uint32_t)rv_contact_unknown(c, &c->strands[strand], (size_t)j);
      }
    }
  c->strands[strand] = (RvContactStrand){.first = (uint32_t)edge};
}

RvResult rv_contacts_new(const RvStrandModel* m, RvContacts** out, RvError* error) {
  *out = NULL;
  if (m->nvertex > UINT32_MAX / 4 || m->unknowns > UINT32_MAX)
    return rv_fail(error, RV_LIMIT, "contacts: %zu points of strands are more than fit; use fewer points or strands",
                   m->nvertex);
  RvContacts* c = rv_alloc_zero(1, sizeof *c);
  if (!c) return rv_fail(error, RV_NO_MEMORY, "contacts: out of memory");
  c->model = m;
  c->nstrand = m->nstrand;
  c->nedge = m->nvertex - m->nstrand;
  RvSegments* s = &c->segments;
  // Arrays of strands, edges and vertices; those of liquid come with the first wet step.
  bool room =
      (c->strands = rv_alloc_zero(m->nstrand + 1, sizeof *c->strands)) &&
      (c->strand_of = rv_alloc_zero(c->nedge, sizeof *c->strand_of)) &&
      (c->old_first = rv_alloc_zero(c->nedge + 1, sizeof *c->old_first)) &&
      (c->unknown_of = rv_alloc_zero(c->nedge, sizeof *c->unknown_of)) &&
      (c->pair_first = rv_alloc_zero(c->nedge + 1, sizeof *c->pair_first)) &&
      (s->x = rv_alloc_zero(m->nvertex + 1, sizeof *s->x)) && (s->v = rv_alloc_zero(m->nvertex + 1, sizeof *s->v)) &&
      (s->radius = rv_alloc(m->nvertex, sizeof(double))) &&
      (s->search_extent = rv_alloc(c->nedge, sizeof *s->search_extent)) &&
      (s->tangent = rv_alloc_zero(c->nedge + 1, sizeof *s->tangent)) &&
      (s->plane = rv_alloc_zero(m->nvertex + 1, sizeof *s->plane)) &&
      (s->edge_length = rv_alloc(c->nedge, sizeof(double))) && (s->edge_radius = rv_alloc(c->nedge, sizeof(double))) &&
      (s->film = rv_alloc_zero(c->nedge, sizeof(double))) && (c->bridged_lanes = rv_alloc_zero(m->nbatch, 1)) &&
      (c->end_at = rv_alloc_zero(m->nbatch + 1, sizeof(size_t))) &&
      (c->stiff_count = rv_alloc_zero(m->nbatch, sizeof *c->stiff_count)) &&
      (c->touch_at = rv_alloc_zero(m->nbatch + 1, sizeof(size_t)));
  if (!room) {
    rv_contacts_free(c);
    return rv_fail(error, RV_NO_MEMORY, "contacts: out of memory for %zu strands", m->nstrand);
  }
  number_edges(c);
  rv_contact_bind_operator(c);
  *out = c;
  return RV_OK;
}

static void free_segments(RvSegments* s) {
  void* memory[] = {s->x,       s->v,           s->radius,      s->area, s->tension_factor, s->plane,
                    s->tangent, s->edge_length, s->edge_radius, s->film, s->height,         s->search_extent};
  for (size_t k = 0; k < sizeof memory / sizeof *memory; ++k) rv_free(memory[k]);
}

void rv_contacts_free(RvContacts* c) {
  if (!c) return;
  // Arrays.
  free_segments(&c->segments);
  void* memory[] = {c->strands,
                    c->strand_of,
                    c->old_first,
                    c->pair_first,
                    c->bridged_lanes,
                    c->unknown_of,
                    c->share,
                    c->bridge_range,
                    c->wet_touches.data,
                    c->touch_laws.data,
                    c->spans.data,
                    c->pairs.data,
                    c->keys.data,
                    c->memory.data,
                    c->along.data,
                    c->link_of.data,
                    c->blocks.data,
                    c->law_blocks.data,
                    c->hessian.data,
                    c->ends.data,
                    c->end_of.data,
                    c->end_at,
                    c->stiff_ends.data,
                    c->stiff_of.data,
                    c->stiff_count,
                    c->end_values.data,
                    c->link_energies.data,
                    c->touch_keys.data,
                    c->touch_shapes.data,
                    c->touch_memory.data,
                    c->touch_ends.data,
                    c->touch_at,
                    c->old_keys.data,
                    c->old_touch_keys.data,
                    c->old_memory.data,
                    c->old_touch_memory.data};
  for (size_t k = 0; k < sizeof memory / sizeof *memory; ++k) rv_free(memory[k]);
  // Tables of bridges, and lists of the search.
  for (int k = 0; k < RV_ANGLE_PAIRS; ++k) rv_contact_bridge_table_free(&c->tables[k]);
  rv_free(c->angle_of);
  for (size_t k = 0; k < c->solid_tables.count; ++k) rv_contact_bridge_table_free(&c->solid_tables.data[k]);
  rv_free(c->solid_tables.data);
  rv_contact_broad_free(c->broad);
  rv_contact_stretch_free(c->stretch);
  rv_contact_touch_free(c->touch_work);
  rv_arena_free(c->own);
  rv_free(c);
}

//---------------------------------------------------------------------------------------------- finding

typedef struct Predict {
  const RvStrandModel* m;
  const RvStrandState* s;
  const RvStrandStepDef* step;
  double* out;
} Predict;

// A fixed unknown moves to its target, a free one by its velocity and force.
static void predict_some(void* arg, size_t begin, size_t end) {
  const Predict* p = arg;
  const RvStrandStepDef* step = p->step;
  for (size_t k = begin; k < end; ++k) {
    double mass = p->m->mass[k];
    bool fixed = p->m->free[k] == 0;
    bool has_target = fixed && step->target;
    double gain = step->force && mass > 0 ? step->dt * step->force[k] / mass : 0;
    p->out[k] = has_target ? (step->target[k] - p->s->q[k]) / step->dt : fixed ? 0 : p->s->v[k] + gain;
  }
}

void rv_contacts_predict(const RvStrandModel* m, const RvStrandState* s, const RvStrandStepDef* step, double* out) {
  rv_parallel_for(m->unknowns, PREDICT_UNKNOWNS, predict_some, &(Predict){m, s, step, out});
}

// Refuses settings without meaning, and colliders that are not valid.
static RvResult validate(const RvContactDef* def, double dt, RvError* error) {
  if (!(dt > 0) || !isfinite(dt))
    return rv_fail(error, RV_BAD_INPUT, "contacts: the step of %g s must be above 0 and finite", dt);
  if (!(def->reach > 1) || !(def->stiffness >= 0) || !(def->solid_stiffness >= 0) || !(def->friction >= 0) ||
      !(def->slip > 0) || !(def->margin >= 0) || def->neighbours < 1 || !rv_vec3_finite(def->acceleration))
    return rv_fail(error, RV_BAD_INPUT,
                   "contacts: reach must be above 1, slip above 0, and stiffness, friction and margin not below 0");
  for (size_t k = 0; k < def->ncollider; ++k) {
    RvResult result = rv_contact_collider_check(&def->colliders[k], k, error);
    if (result) return result;
  }
  return RV_OK;
}

#define SWAP(a, b)                 \
  do {                             \
    char swap[sizeof(a)];          \
    memcpy(swap, &(a), sizeof(a)); \
    memcpy(&(a), &(b), sizeof(a)); \
    memcpy(&(b), swap, sizeof(a)); \
  } while (0)

// The memory of the last accepted step becomes the old one. A step that is repeated begins from the same memory.
static void keep_old_memory(RvContacts* c) {
  if (!c->accepted) return;
  SWAP(c->keys, c->old_keys);
  SWAP(c->memory, c->old_memory);
  SWAP(c->touch_keys, c->old_touch_keys);
  SWAP(c->touch_memory, c->old_touch_memory);
  c->accepted = false;
}

static void clear_links(RvContacts* c) {
  c->pairs.count = 0;
  c->keys.count = 0;
  c->memory.count = 0;
  c->along.count = 0;
  c->spans.count = 0;
  c->active = 0;
  c->slots = 0;
  c->wet_slots = 0;
  c->candidates = (RvLinkCandidates){0};
}

static void clear_touches(RvContacts* c) {
  c->touch_keys.count = 0;
  c->touch_shapes.count = 0;
  c->touch_memory.count = 0;
}

// The caller's scratch, or the contacts' own; false: no memory.
static bool take_scratch(RvContacts* c, const RvContactDef* def) {
  if (!def->scratch && !c->own) c->own = rv_arena_new(OWN_ARENA);
  c->scratch = def->scratch ? def->scratch : c->own;
  return c->scratch != NULL;
}

RvResult rv_contacts_find(RvContacts* c, const double* q, const double* velocity, double dt, const RvContactDef* def,
                          RvContactStats* stats, RvError* error) {
  *stats = (RvContactStats){0};
  // Settings, temporary memory, and the memory of the last step.
  RvResult result = validate(def, dt, error);
  if (result) return result;
  if (!take_scratch(c, def)) return rv_fail(error, RV_NO_MEMORY, "contacts: out of memory");
  RvArenaMark mark = rv_arena_mark(c->scratch);
  keep_old_memory(c);
  clear_links(c);
  clear_touches(c);
  // The search, stage by stage.
  if (c->nstrand > 0) {
    rv_contact_index_old(c);
    result = rv_contact_wet_begin_step(c, def, error);
    if (!result) result = rv_contact_segments_fill(c, q, velocity, dt, def, stats, error);
    if (!result && def->strands) result = rv_contact_stretched(c, def, error);
    if (!result && def->strands) result = rv_contact_pairs(c, dt, def, stats, error);
    if (!result && def->strands) result = rv_contact_links(c, dt, def, error);
    if (!result) result = rv_contact_touches(c, dt, def, stats, error);
    if (!result) result = rv_contact_wet_share(c, dt, def, stats, error);
    if (!result) result = rv_contact_keep(c, stats, error);
  }
  // After an error there are no contacts; the operator is valid in any case.
  if (result) {
    clear_links(c);
    clear_touches(c);
  }
  RvResult ends = rv_contact_ends(c, error);
  rv_arena_release(c->scratch, mark);
  rv_contact_bind_operator(c);
  return result ? result : ends;
}

const RvOperator* rv_contacts_operator(RvContacts* c) {
  return &c->op;
}

size_t rv_contacts_link_count(const RvContacts* c) {
  return c->keys.count;
}

size_t rv_contacts_touch_count(const RvContacts* c) {
  return c->touch_keys.count;
}
