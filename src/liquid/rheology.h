// The law of a liquid that yields, thins or thickens (SD-1, 3, 4, 6): an elastic solid below its yield stress, above it
// a flow of Herschel and Bulkley.
//
// A material is given by the numbers that a rheometer measures in simple shear,
//
//   stress = yield + consistency rate^index,
//
// and a shear modulus. The elastic strain b (the left Cauchy-Green tensor, of determinant 1) follows the velocity, and
// flow takes it back:
//
//   db/dt = L b + b L^T - (2/3) tr(b) gamma(s) n,   s = |modulus dev b|,   gamma(s) = ((s - threshold) / eta)^(1/index)
//
// with n the direction of dev b. A norm s of a deviator is sqrt(2) times the stress of simple shear, so threshold =
// sqrt(2) yield and eta = 2^((1 + index) / 2) consistency (spec 2.2.1; E19).
//
// A step is backward Euler in s (E52): with s* the norm after the elastic part,
//
//   s + (2/3) tr(b) modulus dt gamma(s) = s*,   that is   z + a z^(1/index) = 1   with z = (s - threshold) / (s* -
//   threshold).
//
// The steady stress is then that of the law whatever the step, which the closed form of the seed misses (E41). The
// trace is that of the strain before the step: with it the steady stress at strains of 0.05 a step is within 0.7% of
// the integrated law, with the trace after the elastic part within 1.4%. z is a function of log2(a) alone, for each
// index one table. Afterwards the strain is brought to determinant 1 by its trace (E53).
#ifndef RV_LIQUID_RHEOLOGY_H
#define RV_LIQUID_RHEOLOGY_H

#include "rivulet/base.h"

// Indices of flow that are allowed: thinner liquids than 0.1 hardly exist, and thicker ones than 3 are no liquids.
#define RV_FLOW_INDEX_LEAST 0.1
#define RV_FLOW_INDEX_MOST 3.0

typedef struct RvRheology {
  double modulus;      // Pa, of shear
  double yield;        // Pa, in simple shear
  double consistency;  // Pa s^index, in simple shear
  double index;
} RvRheology;

// RV_BAD_INPUT, with the name of the parameter, if there is no such material.
RvResult rv_liquid_rheology_check(const RvRheology* law, RvError* error);
// Stress in steady simple shear at a rate (1/s), Pa, for small elastic strain.
double rv_liquid_rheology_stress(const RvRheology* law, double rate);

// z over log2(a), cubic between RV_FLOW_CELLS values an octave.
enum {
  RV_FLOW_FIRST = -24,
  RV_FLOW_OCTAVES = 96,
  RV_FLOW_CELLS = 32,
  RV_FLOW_VALUES = RV_FLOW_OCTAVES * RV_FLOW_CELLS + 1
};
typedef struct RvFlowTable {
  double index;
  double z[RV_FLOW_VALUES], slope[RV_FLOW_VALUES];  // slope: change of z from one value to the next
} RvFlowTable;

void rv_liquid_flow_table_make(RvFlowTable* table, double index);
// z at log2(a).
double rv_liquid_flow_table_at(const RvFlowTable* table, double log2_a);

// The law for steps of one length.
typedef struct RvPlasticStep {
  double modulus;    // Pa
  double threshold;  // Pa: norm of the deviator at which flow begins
  double power;      // 1 / index
  double log2_a;     // of a strain of trace 3 at s* - threshold = 1 Pa
  const RvFlowTable* table;
} RvPlasticStep;

// The table is the caller's and is of the law's index.
RvPlasticStep rv_liquid_plastic_step(const RvRheology* law, const RvFlowTable* table, double dt);
// s / s* after flow: 1 below the threshold. `trial`: s*, Pa. `mean`: a third of the trace of b before the step.
// `slope`, unless NULL: ds / ds*, by the implicit function.
double rv_liquid_plastic_share(const RvPlasticStep* step, double trial, double mean, double* slope);

// The elastic strain b - 1 of a particle: xx, yy, zz, yz, xz, xy.
enum { RV_STRAIN_XX, RV_STRAIN_YY, RV_STRAIN_ZZ, RV_STRAIN_YZ, RV_STRAIN_XZ, RV_STRAIN_XY, RV_STRAINS };
// Advances a strain by dt in a velocity gradient, gradient[3 a + b] the change of component a along axis b, 1/s.
// Returns the plastic strain that was added, dt gamma (SD-34).
double rv_liquid_plastic_advance(const RvPlasticStep* step, double dt, const double gradient[9],
                                 double strain[RV_STRAINS]);
// Gives a strain the determinant 1 by its trace; the deviator stays.
void rv_liquid_plastic_unit_determinant(double strain[RV_STRAINS]);
// Whether a strain is one that rv_liquid_plastic_advance can have made: of determinant 1 to the rounding of floats, and
// positive.
bool rv_liquid_plastic_possible(const double strain[RV_STRAINS]);
// Frobenius norm of a symmetric tensor, its components in the order of a strain.
double rv_liquid_plastic_norm(const double tensor[RV_STRAINS]);
// Deviator of the stress, Pa.
void rv_liquid_plastic_stress(const RvPlasticStep* step, const double strain[RV_STRAINS], double stress[RV_STRAINS]);

#endif
