// Contacts over the parts of a frame: found before each step of the strands, accepted after it, remembered where a part
// may have to be done again, and kept from frame to frame as RvLinkState and RvTouchState.
#ifndef RV_CONTACT_SOLVER_H
#define RV_CONTACT_SOLVER_H

#include "contact/contact.h"
#include "strand/solver.h"

// s, time constant with which a bridge reaches its force and follows its share of the films.
#define RV_CONTACT_BRIDGE_TIME 4e-3

// All that lasts from one step to the next.
typedef struct RvContactMemory {
  RvLinkState* links;
  RvTouchState* touches;
  size_t nlink, ntouch;
  size_t link_capacity, touch_capacity;
  bool begun;  // there was a step: what comes close after it is pushed out, what was close before stays
} RvContactMemory;

typedef struct RvContactSolver {
  RvContactDef def;      // without liquid, colliders and scratch, which are those of a step
  RvContacts* contacts;  // NULL: nothing can touch
  bool begun;            // as RvContactMemory
  // inputs of a part
  const RvCollider* colliders;
  size_t ncollider;
  const RvContactWet* liquid;  // between strands; NULL: dry
  double* velocity;            // [unknowns] that the step is predicted to have
  RvContactMemory memory;      // of the start of the part
  RvContactStats stats;        // of the last step
  size_t skipped, clipped;     // the largest of any step
} RvContactSolver;

// Makes room for contacts of the model, which must outlive the solver.
RvResult rv_contact_solver_init(RvContactSolver* solver, const RvStrandModel* model, RvError* error);
void rv_contact_solver_free(RvContactSolver* solver);

// contacts: the coupling of a step, into step->couple; NULL where nothing touches.
RvResult rv_contact_solver_find(RvContactSolver* solver, const RvStrandSolver* strands, RvStrandStepDef* step,
                                RvError* error);
// After the step.
void rv_contact_solver_accept(RvContactSolver* solver, const RvStrandSolver* strands);

// Whether liquid joins strands at the end of the last step.
bool rv_contact_solver_bridged(const RvContactSolver* solver);

// Keeps the contacts of the start of a part in `memory`, and puts back what is there.
RvResult rv_contact_solver_remember(RvContactSolver* solver, RvError* error);
RvResult rv_contact_solver_recall(RvContactSolver* solver, const RvStrandModel* model, RvError* error);
// Room for so many links and touches in `memory`, whose content is lost. False: no memory.
bool rv_contact_memory_reserve(RvContactMemory* memory, size_t nlink, size_t ntouch);

#endif
