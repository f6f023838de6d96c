// Surface tension of the bulk, optional: a pressure of tension times curvature at the free surface, which the pressure
// solve takes as its boundary value (ghost fluid; Kang, Fedkiw, Liu 2000, with air of no density).
//
// The curvature is the divergence of the normal of `distance`, central differences, twice the mean curvature (2 / R of
// a drop), at the cells within two of the surface; between two of them the solve interpolates. Radii below a
// cell are not resolved and limited: |curvature| <= 2 / dx.
//
// Explicit in time, so the step is bound by the shortest capillary wave (Brackbill, Kothe, Zemach 1992), with all
// inertia on one side: rv_liquid_tension_step.
#ifndef RV_LIQUID_TENSION_H
#define RV_LIQUID_TENSION_H

#include "space/channel.h"

// Fills `surface` (Pa) for RvPressureIn.surface: 0 away from the surface. Tension in N/m.
void rv_liquid_tension_surface(const RvTiles* tiles, const float* distance, double dx, double tension, float* surface);
// The longest stable step, s: sqrt(density dx^3 / (4 pi tension)). Infinite without tension.
double rv_liquid_tension_step(double density, double dx, double tension);

#endif
