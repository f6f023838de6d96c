// How the film's weight and impulses reach the strands. Private to src/wet.
#ifndef RV_WET_IMPULSE_H
#define RV_WET_IMPULSE_H

#include "wet/film.h"

// The film's step of dt at the strands as they are.
RvFilmStepDef rv_wet_film_def(const RvWetFilm* wet, double dt, const double* x_before, const double* v_before);
// The same for impulses outside of the strands' step: over their last step, or dt before the first.
RvFilmStepDef rv_wet_impulse_def(const RvWetFilm* wet, double dt);
// Masses of the film that moves with its strand, what slides, and force, for a step of the strands.
RvResult rv_wet_load_strands(RvWetFilm* wet, const RvFilmStepDef* def, RvError* error);
// The strands take `impulse`.
RvResult rv_wet_take_impulse(RvWetFilm* wet, const RvFilmStepDef* def, RvError* error);
// Film speeds and momenta of drops that no film has become 0, and are counted.
void rv_wet_bound_speeds(RvWetFilm* wet);
// The strands as the coupling sees them.
RvCoupleStrands rv_wet_strands(const RvWetFilm* wet);
// The coupling's settings in this substep.
RvCoupleSettings rv_wet_couple_settings(const RvWetFilm* wet);

static inline void rv_wet_clear(double* a, size_t count) {
  for (size_t i = 0; i < count; ++i) a[i] = 0;
}

#endif
