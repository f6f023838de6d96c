// Notes on the inputs of a solver at its start frame: parameters without effect, and sizes that hint at wrong units.
#ifndef RV_NODE_SOLVER_INPUT_NOTES_H
#define RV_NODE_SOLVER_INPUT_NOTES_H

#include "node/solver/solver.h"
#include "strand/io.h"

// Warns of parameters that were set and that attributes of the strands override.
void rv_solver_note_overrides(const RvCook* cook, const RvDetail* strands);
// Hints at wrong units where the strands are far larger, smaller, thicker or thinner than any hair.
void rv_solver_note_hair_size(const RvCook* cook, const RvStrandSet* strands);
// The same for the separation of particles, m.
void rv_solver_note_separation(const RvCook* cook, double separation);

#endif
