// Flow of a film that yields, thins or thickens along its fibre: the exact flux of a liquid of Herschel and Bulkley on
// a cylinder with slip (SD-9, E55).
//
// The liquid is that of simple shear, stress = yield + consistency rate^index, as in the bulk. A force G on a volume
// (Pa/m) drives a film of height h on a fibre of radius r; its outer surface at R = r + h is free. The balance of
// forces gives the stress G (R^2 - s^2) / (2 s) at the distance s from the axis, and so at the fibre, with x = h / r,
//
//   wall = G h (1 + x / 2).
//
// Nothing flows up to wall = yield. Above it the excess e = wall - yield gives the mean speed
//
//   U = (e / consistency)^(1 / index) (h e / wall form(x, yield / wall) + slip),
//
// form being the mean of the speed over the section, in units of the factors before it. On a plane it is n / (n + 1)
// (1 - n / (2 n + 1) e / wall); on a cylinder its logarithm is a table over log2(x) and yield / wall, one for an index.
#ifndef RV_FILM_FLOW_LAW_H
#define RV_FILM_FLOW_LAW_H

#include "film/film.h"

enum {
  RV_FILM_FLOW_FIRST = -6,    // log2 of the thinnest film over the radius: below it the fibre is a plane
  RV_FILM_FLOW_OCTAVES = 13,  // the thickest is 128 radii
  RV_FILM_FLOW_PER_OCTAVE = 4,
  RV_FILM_FLOW_COLUMNS = RV_FILM_FLOW_OCTAVES * RV_FILM_FLOW_PER_OCTAVE + 1,
  RV_FILM_FLOW_ROWS = 17  // yield / wall from 0 to 1
};

// Logarithms of form.
struct RvFilmFlow {
  double form[RV_FILM_FLOW_COLUMNS][RV_FILM_FLOW_ROWS];
};

// Whether the liquid has a plain viscosity, which needs no table.
bool rv_film_flow_is_plain(const RvFilmLiquid* liquid);
void rv_film_flow_make(RvFilmFlow* flow, double index);

// Stress at the fibre that a force of 1 Pa/m makes, m.
static inline double rv_film_flow_arm(double height, double radius) {
  return height * (1 + 0.5 * height / radius);
}

// Mean speed under a force on the volume, Pa/m.
double rv_film_flow_speed(const RvFilmLiquid* liquid, double height, double radius, double slip, double force);

// Share of its speed that a film keeps within a step: kept speed + dt (friction + G(kept) / density) = speed, with G
// the force that the flow at the kept speed needs. A film that stops keeps RV_FILM_FLOW_STILL.
double rv_film_flow_kept(const RvFilmLiquid* liquid, double height, double radius, double slip, double friction,
                         double dt, double speed);
// 1e-9 of the gain of a step is 1e-11 m/s: what rests may not divide by zero.
#define RV_FILM_FLOW_STILL 1e-9

#endif
