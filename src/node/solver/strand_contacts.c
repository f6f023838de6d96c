// Contacts in the state of the strands: the detail attributes rv_links and rv_touches, a row of numbers each, and
// rv_contacts, which says that there was a step; and what a frame tells of strands and contacts.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "node/solver/strand_port.h"

// Numbers of a row: see rv_links and rv_touches in strand/io.h.
enum { LINK_NUMBERS = 14, TOUCH_NUMBERS = 10 };

// rows of numbers, with primitives in place of strands: a strand that is lost takes its contacts along
static RvResult put_rows(RvDetail* d, const char* name, size_t count, double** out, RvError* error) {
  rv_detail_remove_attrib(d, RV_GLOBAL, name);
  *out = NULL;
  if (count > INT32_MAX / 2) return rv_fail(error, RV_LIMIT, "there are more contacts than a state can hold");
  if (!count) return RV_OK;
  *out = rv_detail_f64_write(d, RV_GLOBAL, name, (int)count, error);
  return *out ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for contacts");
}

RvResult rv_strand_port_save_contacts(RvStrandPort* port, RvDetail* state, RvError* error) {
  RvContactSolver* c = &port->contacts;
  const RvStrandSet* set = &port->solver.set;
  double *links = NULL, *touches = NULL;
  RvResult result = rv_contact_solver_remember(c, error);
  const RvContactMemory* m = &c->memory;
  size_t nlink = c->contacts ? m->nlink : 0, ntouch = c->contacts ? m->ntouch : 0;
  if (!result && c->begun && !rv_detail_i32_write(state, RV_GLOBAL, "rv_contacts", 1, error))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory for contacts");
  if (!result) result = put_rows(state, "rv_links", nlink * LINK_NUMBERS, &links, error);
  if (!result) result = put_rows(state, "rv_touches", ntouch * TOUCH_NUMBERS, &touches, error);
  for (size_t i = 0; !result && i < nlink; ++i) {
    const RvLinkState* l = &m->links[i];
    const double row[LINK_NUMBERS] = {set->prim[l->strand[0]],
                                      set->prim[l->strand[1]],
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
    const double row[TOUCH_NUMBERS] = {set->prim[t->strand], t->point,   t->collider, t->age,  t->slip[0],
                                       t->slip[1],           t->slip[2], t->reach,    t->area, t->pull};
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

RvResult rv_strand_port_load_contacts(RvStrandPort* port, const RvDetail* state, RvError* error) {
  RvContactSolver* c = &port->contacts;
  const RvStrandSet* set = &port->solver.set;
  size_t nlink, ntouch, nprim = rv_detail_count(state, RV_PRIM), kept = 0;
  const double* links = get_rows(state, "rv_links", LINK_NUMBERS, &nlink);
  const double* touches = get_rows(state, "rv_touches", TOUCH_NUMBERS, &ntouch);
  int32_t* strand = rv_alloc(nprim + 1, sizeof *strand);
  if (!strand || !rv_contact_memory_reserve(&c->memory, nlink, ntouch)) {
    rv_free(strand);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for contacts");
  }
  memset(strand, 0xff, (nprim + 1) * sizeof *strand);
  for (size_t i = 0; i < set->count; ++i) strand[set->prim[i]] = (int32_t)i;
  RvContactMemory* m = &c->memory;
  for (size_t i = 0; i < nlink; ++i) {
    const double* r = links + i * LINK_NUMBERS;
    int32_t a = whole(r[0], (double)nprim), b = whole(r[1], (double)nprim);
    a = a < 0 ? -1 : strand[a];
    b = b < 0 ? -1 : strand[b];
    if (a < 0 || b < 0) continue;
    RvLinkState l = {.strand = {a, b},
                     .edge = {whole(r[2], set->defs[a].vertices - 1), whole(r[3], set->defs[b].vertices - 1)},
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
                      .point = whole(r[1], 2.0 * set->defs[a].vertices - 1),
                      .collider = whole(r[2], (double)c->ncollider),
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
  return rv_contact_solver_recall(c, port->solver.model, error);
}

//---------------------------------------------------------------------------------------------- telling

// of the links
static const double FEW = 1e-3;

static void warn_contacts(const RvContactSolver* c, const RvCook* cook) {
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

void rv_strand_port_tell(const RvStrandPort* s) {
  RvStats* stats = s->cook->stats;
  const RvStrandSolver* solver = &s->solver;
  const RvContactStats* found = &s->contacts.stats;
  stats->strands = (int64_t)solver->set.count;
  stats->vertices = (int64_t)solver->set.vertices;
  stats->contacts = (int64_t)(found->links + found->touches);
  stats->bridges = (int64_t)found->bridges;
  if (solver->unconverged)
    rv_cook_warn(s->cook, "%zu of %d substeps did not converge (residual %.1e); raise niter, substeps or maxsubsteps",
                 solver->unconverged, solver->substeps, solver->residual);
  if (solver->healed)
    rv_cook_warn(s->cook, "%zu strands were lost in a step and put back where they were, at rest", solver->healed);
  if (s->contacts.contacts) warn_contacts(&s->contacts, s->cook);
}
