// What a film leaves when it dries: solids, which make it thicker until a crust holds.
//
// A share of the film's volume is solid. Water that evaporates or soaks into the fibre leaves it there; at
// RV_FILM_PACKED the grains touch, and the film can lose no more. The numbers of a liquid hold at its own share; at
// another share c, with m = RV_FILM_PACKED,
//
//   yield stress ~ c^3 / (m - c),   consistency ~ (m - c)^(-2.5 m),
//
// the first by Flatt and Bowen (2006, "Yodel: a yield stress model for suspensions", J. Am. Ceram. Soc. 89) for grains
// that attract each other, of which the threshold is left out, the second by Krieger and Dougherty (1959). Liquid that
// is added lowers the share again: a crust softens.
#ifndef RV_FILM_SOLIDS_H
#define RV_FILM_SOLIDS_H

#include "film/film.h"

// Share of the volume at which grains of one size touch, dropped at random.
#define RV_FILM_PACKED 0.64

// Yield stress of a film with a share of solids over that of its liquid; 1 of a liquid without solids.
double rv_film_solids_yield(double solids_of_liquid, double share);
// The liquid of a film with a share of solids.
RvFilmLiquid rv_film_solids_liquid(const RvFilmLiquid* liquid, double share);
// m3 that a film of `volume` cannot lose.
static inline double rv_film_solids_kept(double volume, double share) {
  return share < RV_FILM_PACKED ? volume * (share / RV_FILM_PACKED) : volume;
}

#endif
