// Contact in the strand solver: solids from the collider input, and what of the contacts goes into the state.
#ifndef RV_NODE_SOLVER_STRANDSOLVER_CONTACT_H
#define RV_NODE_SOLVER_STRANDSOLVER_CONTACT_H

#include "contact/contact.h"
#include "node/solver/colliders.h"
#include "node/solver/strandsolver.h"

typedef struct RvStrandContactDef {
  bool strands, solids;
  double friction;   // of strand on strand
  double thickness;  // m, added to solids
  double rootfree;   // m
} RvStrandContactDef;

// What was between the steps, as the state keeps it.
typedef struct RvContactMemory {
  RvLinkState* links;
  RvTouchState* touches;
  size_t nlink, ntouch;
  bool begun;  // there was a step: what comes close after it is pushed out, what was close before stays
} RvContactMemory;

typedef struct RvStrandContacts {
  RvStrandContactDef def;
  RvContacts* contacts;
  bool begun;
  RvColliders solids;
  RvSolidStep* steps;     // of the solids
  RvCollider* colliders;  // of the solids, in this substep
  double* velocity;       // [unknowns]
  RvContactMemory memory;
  RvContactStats stats;
  size_t skipped, clipped;     // largest of any substep
  const RvContactWet* liquid;  // between strands in the next substep; NULL: dry
} RvStrandContacts;

struct RvStrandParms;
RvStrandContactDef rv_strandsolve_contact_def(const struct RvStrandParms* parms);
// Reads the solids of the frame and the contacts of the state. Nothing is made when nothing can touch.
RvResult rv_strand_contacts_begin(RvStrandContacts* contacts, RvStrandSolve* solve, const RvDetail* state,
                                  RvError* error);
// The coupling of a step from `from` to `to` of the frame; NULL if nothing can touch.
RvResult rv_strand_contacts_find(RvStrandContacts* contacts, RvStrandSolve* solve, const RvStrandStepDef* step,
                                 double from, double to, const RvOperator** out, RvError* error);
void rv_strand_contacts_accept(RvStrandContacts* contacts, RvStrandSolve* solve);
// Remembers the contacts before a step, and puts them back.
RvResult rv_strand_contacts_remember(RvStrandContacts* contacts, RvError* error);
RvResult rv_strand_contacts_recall(RvStrandContacts* contacts, const RvStrandSolve* solve, RvError* error);
// Writes them into the state: the detail attributes rv_links and rv_touches, a row of numbers each, and rv_contacts,
// which says that there was a step.
RvResult rv_strand_contacts_save(RvStrandContacts* contacts, const RvStrandSolve* solve, RvDetail* state,
                                 RvError* error);
// Tells what of the frame's contacts was left out, and what to do about it.
void rv_strand_contacts_warn(const RvStrandContacts* contacts, const RvCook* cook);
void rv_strand_contacts_end(RvStrandContacts* contacts);

#endif
