// Several materials in one liquid: each particle has that of its row, and a cell the law of its mixture.
//
// A cell that holds one material flows by it. In a mixture of the shares p, yield stress and consistency are the
// logarithmic means exp(sum p ln), as the viscosity of liquids that mix is nearer to that than to the sum; modulus and
// index are the linear means, as are density and surface tension. A material without a shear modulus has no elastic
// strain.
#ifndef RV_LIQUID_MIXTURE_H
#define RV_LIQUID_MIXTURE_H

#include <stddef.h>

#include "liquid/rheology.h"

enum { RV_LIQUID_MOST_MATERIALS = 8 };

typedef struct RvLiquidMaterials {
  int count;
  RvRheology law[RV_LIQUID_MOST_MATERIALS];
  double density[RV_LIQUID_MOST_MATERIALS];  // kg/m3
  double tension[RV_LIQUID_MOST_MATERIALS];  // N/m
  const uint8_t* of_row;                     // [rows] material of the particles of a row
  size_t rows;
} RvLiquidMaterials;

static inline int rv_liquid_material_of(const RvLiquidMaterials* m, int32_t row) {
  return row >= 0 && (size_t)row < m->rows ? m->of_row[row] : 0;
}

// Index of the material that makes up all of a cell but a thousandth; -1: none does. `part` [count]: shares, sum 1.
int rv_liquid_mixture_pure(int count, const double* part);
// The law of a mixture.
RvRheology rv_liquid_mixture_law(const RvLiquidMaterials* materials, const double* part);
// Largest modulus, yield stress and consistency of all, with an index of 1: what steps and bounds go by.
RvRheology rv_liquid_mixture_bounds(const RvLiquidMaterials* materials);
// Fastest shear wave of all, m/s.
double rv_liquid_mixture_wave(const RvLiquidMaterials* materials);
// Smallest density over tension of all, s2/m3: what the step of surface waves goes by; infinite without tension.
double rv_liquid_mixture_ripple(const RvLiquidMaterials* materials);
// As rv_liquid_plastic_share, without a table: for laws that change from cell to cell.
double rv_liquid_mixture_share(const RvRheology* law, double dt, double trial);

#endif
