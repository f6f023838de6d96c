// Bubbles in air (VI-12 to VI-14, VI-17; spec 5.2): a bubble is a drop of gas particles whose outer layer is part film.
//
// The film of a bubble has a volume that stays. It is spread evenly over the particles of the bubble's surface, so the
// share of film in them is a = V_film / (volume of the surface particles), and varies with their number (E70). The pair
// force of two particles is mixed by their shares a and b, (11): a b of film on film, a (1 - b) + (1 - a) b of film on
// gas, and the rest of gas on gas.
//
// Each bubble has a surface of its own, so where two meet their wall is two layers of film. Particles of different
// bubbles attract each other by the factor `across`: with 1/2 the wall has the tension of one outer surface, since
// gamma_12 = (c_11 + c_22) / 2 - c_12, and three equal tensions meet at 120 degrees.
#ifndef RV_INTERFACE_BUBBLES_H
#define RV_INTERFACE_BUBBLES_H

#include "interface/layers.h"

// Largest number of a bubble.
enum { RV_INTERFACE_MOST_BUBBLES = 65535 };

typedef struct RvInterfaceBubbles {
  int count;                // bubbles are numbered 1 to count; 0 is liquid outside of all
  const int32_t* row_body;  // bubbles of the particles' rows; NULL: there are none
  const double* film;       // [count + 1] m3: volume of film
  double film_gas;          // attraction of film and gas, and of gas and gas, over that of film
  double gas_gas;
  double across;  // attraction of particles of different bubbles, over that within one
} RvInterfaceBubbles;

// Particles whose film is shared out.
typedef struct RvInterfaceFilm {
  size_t count;
  const int32_t* body;   // [count]
  const double* volume;  // [count] m3
  const uint8_t* layer;  // [count] 1: of the surface
  int bubbles;
  const double* film;  // [bubbles + 1] m3
  double* share;       // [count] result: of the particle's volume, 1 in liquid outside of all bubbles
  size_t overfull;     // result: bubbles with more film than their surfaces hold; the rest is inside
} RvInterfaceFilm;

// Shares of film, whose volumes add up to those of the bubbles.
RvResult rv_interface_share_film(RvInterfaceFilm* film, RvArena* arena, RvError* error);

#endif
