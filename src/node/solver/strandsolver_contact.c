#include "node/solver/strandsolver_contact.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { LINK_NUMBERS = 14, TOUCH_NUMBERS = 10 };

//---------------------------------------------------------------------------------------------- solids

static RvResult begin_solids(RvStrandContacts* c, RvStrandSolve* s, RvError* error) {
  if (!c->def.solids) return RV_OK;
  RvCollidersDef def = {s->cook, .input = 1, .unit = s->set.metersperunit, .timescale = s->def.timescale};
  RvResult result = rv_colliders_begin(&c->solids, &def, error);
  if (result || !c->solids.count) return result;
  c->colliders = rv_alloc_zero(c->solids.count, sizeof *c->colliders);
  c->steps = rv_alloc_zero(c->solids.count, sizeof *c->steps);
  return c->colliders && c->steps ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the colliders");
}

// pose of x -> motion(x) at its start, in the solver's places, and the rates that lead to its end
static void set_motion(RvCollider* c, const RvRigid* a, const RvRigid* b, RvVec3 origin, double dt) {
  // both are maps from the grid's space
  RvVec3 pa = rv_sub(rv_rigid_apply(a, rv_vec3(0, 0, 0)), origin),
         pb = rv_sub(rv_rigid_apply(b, rv_vec3(0, 0, 0)), origin);
  double rates[9];
  RvRigid turn = {.turn = rv_quat_normalize(rv_quat_mul(b->turn, rv_quat_conjugate(a->turn)))};
  if (turn.turn.w < 0) turn.turn = (RvQuat){-turn.turn.x, -turn.turn.y, -turn.turn.z, -turn.turn.w};
  rv_rigid_rates(&turn, dt, rates);
  c->position = pa;
  c->orientation = a->turn;
  c->linear = rv_scale(rv_sub(pb, pa), 1 / dt);
  c->angular = rv_vec3_load64(rates + 3);
}

static RvResult set_colliders(RvStrandContacts* c, RvStrandSolve* s, double from, double to, double dt,
                              RvError* error) {
  RvVec3 origin = rv_scale(rv_vec3_load64(s->set.origin), s->set.metersperunit);
  RvResult result = rv_colliders_step(&c->solids, from, to, dt, c->steps, error);
  for (size_t i = 0; i < c->solids.count && !result; ++i) {
    const RvSolidStep* step = &c->steps[i];
    RvCollider* collider = &c->colliders[i];
    *collider = (RvCollider){.shape = RV_COLLIDER_GRID,
                             .distance = step->distance,
                             .orientation = rv_quat_identity(),
                             .position = rv_neg(origin),
                             .offset = c->def.thickness,
                             .velocity = step->velocity,
                             .grid_time = step->field_time,
                             .angle = step->solid->angle,
                             .friction = step->solid->friction >= 0 ? step->solid->friction : 0};
    if (step->solid->rigid) set_motion(collider, &step->from, &step->to, origin, dt);
    if (!step->motion) continue;
    collider->motion = rv_mesh_motion_at;
    collider->motion_user = step->motion;
    collider->fastest = step->motion->fastest;
  }
  return result;
}

//---------------------------------------------------------------------------------------------- memory

static bool take_memory(RvContactMemory* m, size_t nlink, size_t ntouch) {
  rv_free(m->links);
  rv_free(m->touches);
  m->links = rv_alloc(nlink, sizeof *m->links);
  m->touches = rv_alloc(ntouch, sizeof *m->touches);
  m->nlink = nlink;
  m->ntouch = ntouch;
  return m->links && m->touches;
}

RvResult rv_strand_contacts_remember(RvStrandContacts* c, RvError* error) {
  if (!c->contacts) return RV_OK;
  RvContactMemory* m = &c->memory;
  m->begun = c->begun;
  if (!take_memory(m, rv_contacts_link_count(c->contacts), rv_contacts_touch_count(c->contacts)))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for contacts");
  for (size_t i = 0; i < m->nlink; ++i) m->links[i] = rv_contacts_link(c->contacts, i);
  for (size_t i = 0; i < m->ntouch; ++i) m->touches[i] = rv_contacts_touch(c->contacts, i);
  return RV_OK;
}

RvResult rv_strand_contacts_recall(RvStrandContacts* c, const RvStrandSolve* s, RvError* error) {
  if (!c->contacts) return RV_OK;
  const RvContactMemory* m = &c->memory;
  c->begun = m->begun;
  if (!m->begun) {
    rv_contacts_free(c->contacts);
    return rv_contacts_new(s->model, &c->contacts, error);
  }
  return rv_contacts_restore(c->contacts, m->links, m->nlink, m->touches, m->ntouch, error);
}

// rows of numbers, with primitives in place of strands: a strand that is lost takes its contacts along
static RvResult put_rows(RvDetail* d, const char* name, size_t count, double** out, RvError* error) {
  rv_detail_remove_attrib(d, RV_GLOBAL, name);
  *out = NULL;
  if (count > INT32_MAX / 2) return rv_fail(error, RV_LIMIT, "there are more contacts than a state can hold");
  if (!count) return RV_OK;
  *out = rv_detail_f64_write(d, RV_GLOBAL, name, (int)count, error);
  return *out ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for contacts");
}

RvResult rv_strand_contacts_save(RvStrandContacts* c, const RvStrandSolve* s, RvDetail* state, RvError* error) {
  double *links = NULL, *touches = NULL;
  RvResult result = rv_strand_contacts_remember(c, error);
  const RvContactMemory* m = &c->memory;
  size_t nlink = c->contacts ? m->nlink : 0, ntouch = c->contacts ? m->ntouch : 0;
  if (!result && c->begun && !rv_detail_i32_write(state, RV_GLOBAL, "rv_contacts", 1, error))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory for contacts");
  if (!result) result = put_rows(state, "rv_links", nlink * LINK_NUMBERS, &links, error);
  if (!result) result = put_rows(state, "rv_touches", ntouch * TOUCH_NUMBERS, &touches, error);
  for (size_t i = 0; !result && i < nlink; ++i) {
    const RvLinkState* l = &m->links[i];
    const double row[LINK_NUMBERS] = {s->set.prim[l->strand[0]],
                                      s->set.prim[l->strand[1]],
                                      l->edge[0],
                                      l->edge[1],
                                      l->age,
                                      l->slip[0],
                                      l->slip[1],
                                      l->slip[2],
                                      l->normal[0],
                                      l->normal[1],
                                      l->normal[2],
                                      l->reach,
                                      l->area,
                                      l->pull};
    memcpy(links + i * LINK_NUMBERS, row, sizeof row);
  }
  for (size_t i = 0; !result && i < ntouch; ++i) {
    const RvTouchState* t = &m->touches[i];
    const double row[TOUCH_NUMBERS] = {s->set.prim[t->strand],
                                       t->point,
                                       t->collider,
                                       t->age,
                                       t->slip[0],
                                       t->slip[1],
                                       t->slip[2],
                                       t->reach,
                                       t->area,
                                       t->pull};
    memcpy(touches + i * TOUCH_NUMBERS, row, sizeof row);
  }
  return result;
}

// a whole number of an attribute within [0, end), or -1
static int32_t whole(double x, double end) {
  return x >= 0 && x < end && x == floor(x) ? (int32_t)x : -1;
}

static const double* get_rows(const RvDetail* d, const char* name, size_t width, size_t* count) {
  const RvAttrib* a = rv_detail_find(d, RV_GLOBAL, name);
  *count = a && rv_attrib_storage(a) == RV_F64 ? (size_t)rv_attrib_size(a) / width : 0;
  // rows of another width are those of an older state: as if nothing had touched yet
  if (*count * width != (size_t)(a ? rv_attrib_size(a) : 0)) *count = 0;
  return *count ? rv_attrib_read(a) : NULL;
}

static RvResult load(RvStrandContacts* c, const RvStrandSolve* s, const RvDetail* state, RvError* error) {
  size_t nlink, ntouch, nprim = rv_detail_count(state, RV_PRIM), kept = 0;
  const double* links = get_rows(state, "rv_links", LINK_NUMBERS, &nlink);
  const double* touches = get_rows(state, "rv_touches", TOUCH_NUMBERS, &ntouch);
  int32_t* strand = rv_alloc(nprim + 1, sizeof *strand);
  if (!strand || !take_memory(&c->memory, nlink, ntouch)) {
    rv_free(strand);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for contacts");
  }
  memset(strand, 0xff, (nprim + 1) * sizeof *strand);
  for (size_t i = 0; i < s->set.count; ++i) strand[s->set.prim[i]] = (int32_t)i;
  RvContactMemory* m = &c->memory;
  for (size_t i = 0; i < nlink; ++i) {
    const double* r = links + i * LINK_NUMBERS;
    int32_t a = whole(r[0], (double)nprim), b = whole(r[1], (double)nprim);
    a = a < 0 ? -1 : strand[a];
    b = b < 0 ? -1 : strand[b];
    if (a < 0 || b < 0) continue;
    RvLinkState l = {.strand = {a, b},
                     .edge = {whole(r[2], s->set.defs[a].vertices - 1), whole(r[3], s->set.defs[b].vertices - 1)},
                     .age = whole(r[4], INT32_MAX),
                     .slip = {r[5], r[6], r[7]},
                     .normal = {r[8], r[9], r[10]},
                     .reach = r[11],
                     .area = r[12],
                     .pull = r[13]};
    if (l.edge[0] >= 0 && l.edge[1] >= 0 && l.age >= 0) m->links[kept++] = l;
  }
  m->nlink = kept;
  kept = 0;
  for (size_t i = 0; i < ntouch; ++i) {
    const double* r = touches + i * TOUCH_NUMBERS;
    int32_t a = whole(r[0], (double)nprim);
    a = a < 0 ? -1 : strand[a];
    if (a < 0) continue;
    RvTouchState t = {.strand = a,
                      .point = whole(r[1], 2.0 * s->set.defs[a].vertices - 1),
                      .collider = whole(r[2], (double)c->solids.count),
                      .age = whole(r[3], INT32_MAX),
                      .slip = {r[4], r[5], r[6]},
                      .reach = r[7],
                      .area = r[8],
                      .pull = r[9]};
    if (t.point >= 0 && t.collider >= 0 && t.age >= 0) m->touches[kept++] = t;
  }
  m->ntouch = kept;
  rv_free(strand);
  m->begun = rv_detail_find(state, RV_GLOBAL, "rv_contacts") != NULL;
  return rv_strand_contacts_recall(c, s, error);
}

//---------------------------------------------------------------------------------------------- the frame

RvResult rv_strand_contacts_begin(RvStrandContacts* c, RvStrandSolve* s, const RvDetail* state, RvError* error) {
  RvResult result = begin_solids(c, s, error);
  if (result || !s->set.count || (!c->solids.count && !c->def.strands)) return result;
  c->velocity = rv_alloc_zero(s->model->unknowns, sizeof *c->velocity);
  if (!c->velocity) return rv_fail(error, RV_NO_MEMORY, "out of memory for contacts");
  result = rv_contacts_new(s->model, &c->contacts, error);
  return result ? result : load(c, s, state, error);
}

RvResult rv_strand_contacts_find(RvStrandContacts* c, RvStrandSolve* s, const RvStrandStepDef* step, double from,
                                 double to, const RvOperator** out, RvError* error) {
  *out = NULL;
  if (!c->contacts) return RV_OK;
  RvResult result = set_colliders(c, s, from, to, step->dt, error);
  if (result) return result;
  RvContactDef def = rv_contact_defaults();
  def.strands = c->def.strands;
  def.friction = c->def.friction;
  def.root_free = c->def.rootfree;
  def.multiple = s->multiple;
  def.colliders = c->colliders;
  def.ncollider = c->solids.count;
  def.acceleration = rv_vec3_load64(s->def.gravity);
  def.liquid = c->liquid;
  def.scratch = step->scratch;
  rv_contacts_predict(s->model, s->state, step, c->velocity);
  result = rv_contacts_find(c->contacts, s->state->q, c->velocity, step->dt, &def, &c->stats, error);
  c->skipped = c->stats.skipped > c->skipped ? c->stats.skipped : c->skipped;
  c->clipped = c->stats.clipped > c->clipped ? c->stats.clipped : c->clipped;
  if (!result && c->stats.links + c->stats.touches > 0) *out = rv_contacts_operator(c->contacts);
  return result;
}

void rv_strand_contacts_accept(RvStrandContacts* c, RvStrandSolve* s) {
  if (c->contacts) {
    rv_contacts_accept(c->contacts, s->state->q);
    c->begun = true;
  }
  rv_colliders_release(&c->solids);
}

// of the links
static const double FEW = 1e-3;

void rv_strand_contacts_warn(const RvStrandContacts* c, const RvCook* cook) {
  if (c->stats.lost)
    rv_cook_warn(cook,
                 "%zu places on strands are so deep inside a collider that the way out is unknown, and are not pushed; "
                 "groom them outside, raise rootfree, or the collider's band",
                 c->stats.lost);
  if (!c->def.strands || !c->stats.segments) return;
  if (c->skipped) {
    // a few in a crowd are no fault of the artist's
    bool few = (double)c->skipped < FEW * (double)c->stats.links;
    (few ? rv_cook_info : rv_cook_warn)(
        cook,
        "strands are heaped on one spot: %zu pairs of edges there are not looked at, and may pass through each "
        "other; part them, or thin them out",
        c->skipped);
  }
  // against the mean of all: neighbours mostly go along, so this is no warning
  double share = 100 * (double)c->clipped / (double)c->stats.segments;
  if (c->clipped)
    rv_cook_info(cook,
                 "%s%.0f%% of the edges move more than a third of an edge a substep against the others: where these do "
                 "not go along they may pass through; raise substeps",
                 share < 1 ? "less than " : "", fmax(share, 1));
}

void rv_strand_contacts_end(RvStrandContacts* c) {
  rv_contacts_free(c->contacts);
  rv_colliders_end(&c->solids);
  rv_free(c->colliders);
  rv_free(c->steps);
  rv_free(c->velocity);
  rv_free(c->memory.links);
  rv_free(c->memory.touches);
}
