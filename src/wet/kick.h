// What the film weighs on its strands, and what they are pushed by it. Private to src/wet.
#ifndef RV_WET_KICK_H
#define RV_WET_KICK_H

#include "wet/wet.h"

// The film's step of dt at the strands as they are.
RvFilmStepDef rv_wet_film_def(const RvWet* wet, double dt, const double* x_before, const double* v_before);
// Masses, what slides, and force for a step of the strands.
void rv_wet_load_now(RvWet* wet, const RvFilmStepDef* def);
// The mass with all film, before anything changed it.
void rv_wet_weigh(RvWet* wet, double dt);
// The strands take `kick`.
void rv_wet_take_kick(RvWet* wet, const RvFilmStepDef* def);

#endif
