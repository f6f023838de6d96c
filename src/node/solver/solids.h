// Solids of a part of the frame as contacts see them.
#ifndef RV_NODE_SOLVER_SOLIDS_H
#define RV_NODE_SOLVER_SOLIDS_H

#include "contact/contact.h"
#include "node/solver/colliders.h"

// `steps` of all solids over dt simulated seconds, as colliders in places relative to `origin` (m), each thickened by
// `offset` m; room for as many in `out`.
void rv_solver_solids(const RvColliderView* solids, const RvSolidStep* steps, RvVec3 origin, double offset, double dt,
                      RvCollider* out);

#endif
