#include "contact/solver.h"

#include "base/memory.h"
#include "contact/store.h"

RvResult rv_contact_solver_init(RvContactSolver* c, const RvStrandModel* model, RvError* error) {
  c->velocity = rv_alloc_zero(model->unknowns, sizeof *c->velocity);
  if (!c->velocity) return rv_fail(error, RV_NO_MEMORY, "out of memory for contacts");
  return rv_contacts_new(model, &c->contacts, error);
}

void rv_contact_solver_free(RvContactSolver* c) {
  rv_contacts_free(c->contacts);
  rv_free(c->velocity);
  rv_free(c->memory.links);
  rv_free(c->memory.touches);
  *c = (RvContactSolver){0};
}

bool rv_contact_solver_bridged(const RvContactSolver* c) {
  for (size_t k = 0; c->contacts && k < c->contacts->memory.count; ++k)
    if (c->contacts->memory.data[k].area > 0) return true;
  return false;
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

RvResult rv_contact_solver_find(RvContactSolver* c, const RvStrandSolver* s, RvStrandStepDef* step, RvError* error) {
  step->couple = NULL;
  if (!c->contacts) return RV_OK;
  RvContactDef def = c->def;
  def.multiple = s->multiple;
  def.colliders = c->colliders;
  def.ncollider = c->ncollider;
  def.acceleration = rv_vec3_load64(s->settings.gravity);
  def.liquid = c->liquid;
  def.scratch = step->scratch;
  rv_contacts_predict(s->model, s->state, step, c->velocity);
  RvResult result = rv_contacts_find(c->contacts, s->state->q, c->velocity, step->dt, &def, &c->stats, error);
  c->skipped = larger(c->skipped, c->stats.skipped);
  c->clipped = larger(c->clipped, c->stats.clipped);
  if (!result && c->stats.links + c->stats.touches > 0) step->couple = rv_contacts_operator(c->contacts);
  return result;
}

void rv_contact_solver_accept(RvContactSolver* c, const RvStrandSolver* s) {
  if (!c->contacts) return;
  rv_contacts_accept(c->contacts, s->state->q);
  c->begun = true;
}

bool rv_contact_memory_reserve(RvContactMemory* m, size_t nlink, size_t ntouch) {
  if (nlink > m->link_capacity || !m->links) {
    rv_free(m->links);
    m->link_capacity = nlink + nlink / 4;
    m->links = rv_alloc(m->link_capacity, sizeof *m->links);
  }
  if (ntouch > m->touch_capacity || !m->touches) {
    rv_free(m->touches);
    m->touch_capacity = ntouch + ntouch / 4;
    m->touches = rv_alloc(m->touch_capacity, sizeof *m->touches);
  }
  m->nlink = nlink;
  m->ntouch = ntouch;
  return m->links && m->touches;
}

RvResult rv_contact_solver_remember(RvContactSolver* c, RvError* error) {
  if (!c->contacts) return RV_OK;
  RvContactMemory* m = &c->memory;
  m->begun = c->begun;
  if (!rv_contact_memory_reserve(m, rv_contacts_link_count(c->contacts), rv_contacts_touch_count(c->contacts)))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for contacts");
  for (size_t i = 0; i < m->nlink; ++i) m->links[i] = rv_contacts_link(c->contacts, i);
  for (size_t i = 0; i < m->ntouch; ++i) m->touches[i] = rv_contacts_touch(c->contacts, i);
  return RV_OK;
}

RvResult rv_contact_solver_recall(RvContactSolver* c, const RvStrandModel* model, RvError* error) {
  if (!c->contacts) return RV_OK;
  const RvContactMemory* m = &c->memory;
  c->begun = m->begun;
  if (!m->begun) {
    rv_contacts_free(c->contacts);
    c->contacts = NULL;
    return rv_contacts_new(model, &c->contacts, error);
  }
  return rv_contacts_restore(c->contacts, m->links, m->nlink, m->touches, m->ntouch, error);
}
