// Contacts in the state of the strands: the detail attributes rv_links and rv_touches, a row of numbers a contact, and
// rv_contacts, which is present after the first step; and the report of a frame on strands and contacts.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "node/solver/strand_port.h"

// Numbers of a row: see rv_links and rv_touches in strand/io.h.
enum { LINK_NUMBERS = 14, TOUCH_NUMBERS = 10 };

//---------------------------------------------------------------------------------------------- saving

// Replaces an attribute of `count` numbers; *out receives its values, NULL where count is 0. Rows name primitives, not
// strands: strands are numbered anew when some are left out, primitives are not.
static RvResult write_rows(RvDetail* d, const char* name, size_t count, double** out, RvError* error) {
  rv_detail_remove_attrib(d, RV_GLOBAL, name);
  *out = NULL;
  if (count > INT32_MAX / 2) return rv_fail(error, RV_LIMIT, "there are more contacts than a state can hold");
  if (!count) return RV_OK;
  *out = rv_detail_f64_write(d, RV_GLOBAL, name, (int)count, error);
  return *out ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for contacts");
}

// The row of a contact of two strands.
static void save_link(const RvStrandSet* set, const RvLinkState* l, double* out) {
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
  memcpy(out, row, sizeof row);
}

// The row of a contact with a solid.
static void save_touch(const RvStrandSet* set, const RvTouchState* t, double* out) {
  const double row[TOUCH_NUMBERS] = {set->prim[t->strand], t->point,   t->collider, t->age,  t->slip[0],
                                     t->slip[1],           t->slip[2], t->reach,    t->area, t->pull};
  memcpy(out, row, sizeof row);
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
  if (!result) result = write_rows(state, "rv_links", nlink * LINK_NUMBERS, &links, error);
  if (!result) result = write_rows(state, "rv_touches", ntouch * TOUCH_NUMBERS, &touches, error);
  for (size_t i = 0; !result && i < nlink; ++i) save_link(set, &m->links[i], links + i * LINK_NUMBERS);
  for (size_t i = 0; !result && i < ntouch; ++i) save_touch(set, &m->touches[i], touches + i * TOUCH_NUMBERS);
  return result;
}

//---------------------------------------------------------------------------------------------- loading

// An integer within [0, end) from a number of a row, or -1.
static int32_t whole(double x, double end) {
  return x >= 0 && x < end && x == floor(x) ? (int32_t)x : -1;
}

// The strand of a primitive that a row names, or -1. `strands` [nprim + 1] maps primitives to strands.
static int32_t strand_of(double prim, size_t nprim, const int32_t* strands) {
  int32_t index = whole(prim, (double)nprim);
  return index < 0 ? -1 : strands[index];
}

// The rows of an attribute and their number; NULL where there are none.
static const double* read_rows(const RvDetail* d, const char* name, size_t width, size_t* count) {
  const RvAttrib* a = rv_detail_find(d, RV_GLOBAL, name);
  *count = a && rv_attrib_storage(a) == RV_F64 ? (size_t)rv_attrib_size(a) / width : 0;
  // Rows of another width come from an older version: the strands start without contacts.
  if (*count * width != (size_t)(a ? rv_attrib_size(a) : 0)) *count = 0;
  return *count ? rv_attrib_read(a) : NULL;
}

// Reads a contact of two strands; false where the row names a strand or edge that does not exist.
static bool load_link(const double* r, const RvStrandSet* set, size_t nprim, const int32_t* strands, RvLinkState* out) {
  int32_t a = strand_of(r[0], nprim, strands);
  int32_t b = strand_of(r[1], nprim, strands);
  if (a < 0 || b < 0) return false;
  *out = (RvLinkState){.strand = {a, b},
                       .edge = {whole(r[2], set->defs[a].vertices - 1), whole(r[3], set->defs[b].vertices - 1)},
                       .age = whole(r[4], INT32_MAX),
                       .slip = {r[5], r[6], r[7]},
                       .normal = {r[8], r[9], r[10]},
                       .reach = r[11],
                       .area = r[12],
                       .pull = r[13]};
  return out->edge[0] >= 0 && out->edge[1] >= 0 && out->age >= 0;
}

// Reads a contact with a solid; false where the row names a strand, point or collider that does not exist.
static bool load_touch(const double* r, const RvStrandSet* set, size_t nprim, const int32_t* strands, size_t ncollider,
                       RvTouchState* out) {
  int32_t a = strand_of(r[0], nprim, strands);
  if (a < 0) return false;
  *out = (RvTouchState){.strand = a,
                        .point = whole(r[1], 2.0 * set->defs[a].vertices - 1),
                        .collider = whole(r[2], (double)ncollider),
                        .age = whole(r[3], INT32_MAX),
                        .slip = {r[4], r[5], r[6]},
                        .reach = r[7],
                        .area = r[8],
                        .pull = r[9]};
  return out->point >= 0 && out->collider >= 0 && out->age >= 0;
}

RvResult rv_strand_port_load_contacts(RvStrandPort* port, const RvDetail* state, RvError* error) {
  RvContactSolver* c = &port->contacts;
  const RvStrandSet* set = &port->solver.set;
  size_t nprim = rv_detail_count(state, RV_PRIM);
  size_t nlink, ntouch;
  const double* links = read_rows(state, "rv_links", LINK_NUMBERS, &nlink);
  const double* touches = read_rows(state, "rv_touches", TOUCH_NUMBERS, &ntouch);
  // The map from primitives to strands; -1: no strand.
  int32_t* strands = rv_alloc(nprim + 1, sizeof *strands);
  if (!strands || !rv_contact_memory_reserve(&c->memory, nlink, ntouch)) {
    rv_free(strands);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for contacts");
  }
  memset(strands, 0xff, (nprim + 1) * sizeof *strands);
  for (size_t i = 0; i < set->count; ++i) strands[set->prim[i]] = (int32_t)i;
  // The contacts whose strands, edges and solids still exist.
  RvContactMemory* m = &c->memory;
  m->nlink = 0;
  m->ntouch = 0;
  for (size_t i = 0; i < nlink; ++i)
    m->nlink += load_link(links + i * LINK_NUMBERS, set, nprim, strands, &m->links[m->nlink]);
  for (size_t i = 0; i < ntouch; ++i)
    m->ntouch += load_touch(touches + i * TOUCH_NUMBERS, set, nprim, strands, c->ncollider, &m->touches[m->ntouch]);
  rv_free(strands);
  m->begun = rv_detail_find(state, RV_GLOBAL, "rv_contacts") != NULL;
  return rv_contact_solver_recall(c, port->solver.model, error);
}

//---------------------------------------------------------------------------------------------- report

// Skipped pairs over links below which they are a message and not a warning: so few in a crowd need no action.
static const double FEW_SKIPPED = 1e-3;

// Warnings about contacts that were not resolved.
static void warn_contacts(const RvContactSolver* c, const RvCook* cook) {
  if (c->stats.lost)
    rv_cook_warn(cook,
                 "%zu places on strands are so deep inside a collider that the way out is unknown, and are not pushed; "
                 "groom them outside, or raise rootfree or the collider's band",
                 c->stats.lost);
  if (!c->def.strands || !c->stats.segments) return;
  if (c->skipped) {
    bool few = (double)c->skipped < FEW_SKIPPED * (double)c->stats.links;
    (few ? rv_cook_info : rv_cook_warn)(
        cook,
        "strands are heaped on one spot: %zu pairs of edges there are not tested, and may pass through each other; "
        "move these strands apart, or use fewer",
        c->skipped);
  }
  // The speed is relative to the mean of all strands. Neighbours mostly move along, so this is no warning.
  double share = 100 * (double)c->clipped / (double)c->stats.segments;
  if (c->clipped)
    rv_cook_info(cook,
                 "%s%.0f%% of the edges move by more than a third of an edge a substep relative to the others, and may "
                 "pass through slower ones; raise substeps",
                 share < 1 ? "less than " : "", fmax(share, 1));
}

// Human hair leaves its elastic range at 2 to 5% of strain. More than that is a step that is too long, a strand that is
// too soft, or input that pulls its points apart.
static const double MAX_STRETCH = 1.05;

// Warns of stretched strands: a picture with torn hair is wrong although every step may have converged.
static void warn_stretch(const RvStrandPort* s) {
  const RvStrandSolver* solver = &s->solver;
  // A frozen frame (timescale 0) loads no strands: they are as they were.
  if (!solver->model) return;
  RvStrandStretch found = rv_strand_solver_stretch(solver, MAX_STRETCH);
  if (!found.count) return;
  rv_cook_warn(s->cook,
               "%zu of %zu strands are stretched by more than 5%%, worst primitive %d (id %lld): an edge is %.3g times "
               "its rest length; %s",
               found.count, solver->set.count, solver->set.prim[found.strand],
               (long long)solver->set.defs[found.strand].id, found.worst,
               solver->animated ? "the input moves the points of a strand apart"
                                : "raise youngs or substeps, lower the drag, or move the roots more slowly");
}

void rv_strand_port_tell_squeezed(const RvStrandPort* s) {
  const RvStrandSolver* solver = &s->solver;
  RvStrandStretch found = rv_strand_solver_stretch(solver, 1 / MAX_STRETCH);
  if (!found.count || solver->animated) return;
  rv_cook_warn(s->cook,
               "%zu of %zu strands are more than 5%% shorter than their rest shape and will lengthen, worst primitive "
               "%d (id %lld): an edge is %.3g times its rest length; scale rest like P, or delete rest",
               found.count, solver->set.count, solver->set.prim[found.strand],
               (long long)solver->set.defs[found.strand].id, found.worst);
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
    rv_cook_warn(s->cook,
                 "%zu strands were lost in a step and put back where they were, at rest; raise substeps or maxsubsteps",
                 solver->healed);
  if (s->bad_wind)
    rv_cook_warn(s->cook, "%s, has a VDB vel that is not a number at %zu of %zu points of the strands: no wind there",
                 rv_solver_port(s->cook, s->wind_input).text, s->bad_wind, solver->set.vertices);
  warn_stretch(s);
  if (s->contacts.contacts) warn_contacts(&s->contacts, s->cook);
}
