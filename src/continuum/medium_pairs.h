// The hair medium as particles (HC-1 to HC-8, spec 4.2): direct sums over the pairs of the links' points within the
// support of the cubic spline, twice its h.
//
//   rho_i = sum m_j W_ij, or over a frame d rho_i / dt = sum m_j v_ij . grad W_ij from there on (E30)
//   p_i   = the equation of state (medium_law.h)
//   F_i   = - m_i sum m_j (p_i / rho_i^2 + p_j / rho_j^2 + Pi_ij) grad W_ij
//   Pi_ij = - c mu_ij / mean rho, mu_ij = h v_ij . r_ij / (r_ij^2 + h^2 / 100), of points that approach each other
//
// Forces act along the line of a pair and with the same size on both: their sum and that of their torques is 0 to
// rounding. They are explicit, so that a step must resolve the sound of the medium (rv_medium_pairs_longest).
#ifndef RV_CONTINUUM_MEDIUM_PAIRS_H
#define RV_CONTINUUM_MEDIUM_PAIRS_H

#include "base/arena.h"
#include "continuum/medium.h"

// A point, in the order of the cells.
typedef struct RvPairPoint {
  double x[3], v[3];  // m, m/s
  double mass;        // kg
  double share;       // p / rho^2
  double density;     // kg/m3
  double rest;        // kg/m3: rest density
} RvPairPoint;

typedef struct RvMediumPairs {
  int parts;                        // points a link
  RV_ARRAY(double) density;         // of the points in the order of the links; empty before the first step of a frame
  RV_ARRAY(RvPairPoint) points;     // in the order of the cells
  RV_ARRAY(double) force;           // [points][3] N, in the order of the links
  RV_ARRAY(double) place;           // [points][3] m
  bool summed;                      // density is that of the start of this step; else it is found by a sum
  size_t pairs;                     // of the last step
  double largest_density, largest_pressure;
} RvMediumPairs;

void rv_medium_pairs_free(RvMediumPairs* pairs);
// Adds the forces of a step of dt to those of the links.
RvResult rv_medium_pairs_load(RvMediumPairs* pairs, const RvMediumDef* def, const RvChainModel* model, const double* x,
                              const double* v, double dt, RvArena* scratch, double* force, double* torque,
                              RvError* error);
// The longest step that resolves sound and friction, s.
double rv_medium_pairs_longest(const RvMediumDef* def);

#endif
