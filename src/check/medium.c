// Checks of the hair medium: equation of state, density, momentum, lone strands (HC-1 to HC-8, HC-22).
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "math/scalar.h"
#include "rig/continuum.h"

static const RvMediumLaw LAW = {.rest_density = 200, .packing_density = 1197, .stiffness = 5e3, .power = 2};

//---------------------------------------------------------------------------------------------- equation of state

// Largest violation of p = P(density y) + friction max(0, y - 1), y = ratio - give p, over the pressure.
static double worst_cell(const RvMediumLaw* law) {
  double worst = 0;
  for (int k = 0; k < 200; ++k) {
    const RvMediumCell c = {.density = 2000 * rv_random(1, 0, (uint64_t)k, 0),
                            .ratio = 0.5 + 2 * rv_random(1, 1, (uint64_t)k, 0),
                            .give = pow(10, -6 * rv_random(1, 2, (uint64_t)k, 0)),
                            .friction = k % 2 ? 1e4 * rv_random(1, 3, (uint64_t)k, 0) : 0};
    double p = rv_medium_cell_pressure(law, &c), y = c.ratio - c.give * p;
    double right = rv_medium_pressure(law, c.density * y).pressure + c.friction * fmax(0, y - 1);
    // The root is found to rounding in y.
    double slope = rv_medium_pressure(law, c.density * y * (1 + 1e-9)).slope * c.density + c.friction;
    worst = fmax(worst, fabs(right - p) / (p + slope + 1e-300));
  }
  return worst;
}

RvResult rv_check_medium_state(const RvCheckOut* out, RvError* error) {
  static const double powers[3] = {1, 2, 3.5};
  static const char* const names[3][8] = {
      {"rest_1", "below_rest_1", "middle_1", "packing_1", "cell_1", "line_1", "capped_1", "capped_cell_1"},
      {"rest_2", "below_rest_2", "middle_2", "packing_2", "cell_2", "line_2", "capped_2", "capped_cell_2"},
      {"rest_3.5", "below_rest_3.5", "middle_3.5", "packing_3.5", "cell_3.5", "line_3.5", "capped_3.5", "capped_cell_3.5"}};
  (void)error;
  for (int k = 0; k < 3; ++k) {
    RvMediumLaw law = LAW;
    law.power = powers[k];
    double middle = 0.5 * (law.rest_density + law.packing_density);
    rv_check_emit(out, names[k][0], rv_medium_pressure(&law, law.rest_density).pressure, 0, 0);
    rv_check_emit(out, names[k][1], rv_medium_pressure(&law, 0.5 * law.rest_density).pressure, 0, 0);
    rv_check_emit(out, names[k][2], rv_medium_pressure(&law, middle).pressure, law.stiffness / pow(2, powers[k]),
                  1e-12 * law.stiffness);
    rv_check_emit(out, names[k][3], rv_medium_pressure(&law, law.packing_density).pressure, law.stiffness,
                  1e-12 * law.stiffness);
    rv_check_emit(out, names[k][4], worst_cell(&law), 0, 1e-9);
    // Above packing: a straight line, or the seed's cap.
    double above = law.packing_density + 0.1 * (law.packing_density - law.rest_density);
    rv_check_emit(out, names[k][5], rv_medium_pressure(&law, above).pressure, law.stiffness * (1 + 0.1 * law.power),
                  1e-12 * law.stiffness);
    law.capped = true;
    rv_check_emit(out, names[k][6], rv_medium_pressure(&law, above).pressure, law.stiffness, 0);
    rv_check_emit(out, names[k][7], worst_cell(&law), 0, 1e-9);
  }
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- density

enum { SIDE = 24 };  // strands of a square lattice along an axis

// A square lattice of strands of 4 cm at a spacing.
static RvResult new_lattice(RvContinuum* c, double spacing, double hairs, RvError* error) {
  static double root[SIDE * SIDE][2];
  for (int i = 0; i < SIDE * SIDE; ++i) {
    root[i][0] = spacing * (i % SIDE);
    root[i][1] = spacing * (i / SIDE);
  }
  return rv_rig_bundle_new(c,
                           &(RvRigBundleDef){.root = (const double(*)[2])root,
                                             .strands = SIDE * SIDE,
                                             .links = 10,
                                             .length = 0.04,
                                             .radius = 40e-6,
                                             .density = 1320,
                                             .youngs = 3e9,
                                             .shear = 1.1e9,
                                             .hairs = hairs},
                           error);
}

static RvMediumDef medium_def(double smoothing, double friction) {
  return (RvMediumDef){.law = LAW, .smoothing = smoothing, .friction = friction, .tolerance = 1e-6, .max_sweeps = 400};
}

// Largest relative error of the cells' density within the lattice, and of the nodes' mass as a whole.
static RvResult density_error(double smoothing, double* density, double* mass, RvError* error) {
  const double spacing = 1e-3, hairs = 20;
  RvContinuum c;
  RvResult result = new_lattice(&c, spacing, hairs, error);
  if (result) return result;
  const RvMediumDef def = medium_def(smoothing, 0);
  result = rv_medium_place(&c.medium, &def, c.model, c.state->x, NULL, error);
  double *values = rv_alloc(c.model->vertices, sizeof(double)),
         expected = hairs * 1320 * RV_PI * 1.6e-9 / (spacing * spacing);
  if (!values && !result) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  *density = *mass = 0;
  size_t counted = 0;
  if (!result) rv_medium_density(&c.medium, c.model, c.state->x, values);
  for (size_t k = 0; !result && k < c.model->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int i = 0; i <= 10; ++i) {
        const RvChainBatch* b = &c.model->batches[k];
        RvVec3 x = rv_strand_vector(c.state->x, rv_chain_vertex(b, lane, i, 3, 0));
        // Three cells away from the border of the lattice, beyond the smoothing.
        double inside = fmin(fmin(x.x, x.z), fmin(spacing * (SIDE - 1) - x.x, spacing * (SIDE - 1) - x.z));
        if (fmin(inside, fmin(-x.y, x.y + 0.04)) < 3 * smoothing) continue;
        counted++;
        *density = fmax(*density, fabs(values[rv_chain_vertex(b, lane, i, 1, 0)] / expected - 1));
      }
  if (counted == 0) *density = INFINITY;
  RvSum sum = {0};
  for (size_t i = 0; !result && i < c.medium.nodes.count; ++i) rv_sum_add(&sum, c.medium.nodes.data[i].mass);
  if (!result) *mass = fabs(rv_sum_total(&sum) / rv_rig_bundle_mass(&c) - 1);
  rv_free(values);
  rv_continuum_free(&c);
  return result;
}

RvResult rv_check_medium_density(const RvCheckOut* out, RvError* error) {
  static const double smoothing[3] = {2e-3, 2.7e-3, 3.3e-3};
  static const char* const names[3][2] = {
      {"lattice_2.0", "mass_2.0"}, {"lattice_2.7", "mass_2.7"}, {"lattice_3.3", "mass_3.3"}};
  RvResult result = RV_OK;
  for (int k = 0; k < 3 && !result; ++k) {
    double density, mass;
    result = density_error(smoothing[k], &density, &mass, error);
    if (!result) rv_check_emit(out, names[k][0], density, 0, 0.01);
    if (!result) rv_check_emit(out, names[k][1], mass, 0, 1e-12);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- momentum

// Sum of the medium's forces on a dense lattice with random velocities, over the sum of their sizes.
static RvResult force_sum(double friction, double* share, RvError* error) {
  RvContinuum c;
  RvResult result = new_lattice(&c, 1e-3, 60, error);
  if (result) return result;
  const RvMediumDef def = medium_def(2.7e-3, friction);
  for (size_t i = 0; i < 3 * c.model->vertices; ++i) c.velocity[i] = rv_random(3, 0, i, 0) - 0.5;
  result = rv_medium_place(&c.medium, &def, c.model, c.state->x, c.velocity, error);
  if (!result) {
    rv_medium_solve(&c.medium, 1.0 / 120);
    rv_medium_load(&c.medium, c.model, c.state->x, c.velocity, 1.0 / 120, c.load.force, c.load.torque);
  }
  RvSum sum[3] = {{0}};
  double size = 0;
  for (size_t k = 0; !result && k < c.model->nbatch; ++k)
    for (int lane = 0; lane < c.model->batches[k].lanes; ++lane)
      for (int i = 0; i < 10; ++i)
        for (int d = 0; d < 3; ++d) {
          double f = c.load.force[rv_chain_link(&c.model->batches[k], lane, i, 3, d)];
          rv_sum_add(&sum[d], f);
          size += fabs(f);
        }
  double worst = 0;
  for (int d = 0; d < 3; ++d) worst = fmax(worst, fabs(rv_sum_total(&sum[d])));
  *share = size > 0 ? worst / size : INFINITY;
  rv_continuum_free(&c);
  return result;
}

RvResult rv_check_medium_momentum(const RvCheckOut* out, RvError* error) {
  static const char* const names[2] = {"pressure", "pressure_and_friction"};
  RvResult result = RV_OK;
  for (int k = 0; k < 2 && !result; ++k) {
    double share;
    result = force_sum(k ? 0.5 : 0, &share, error);
    if (!result) rv_check_emit(out, names[k], share, 0, 1e-12);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- lone strands

// Bits of the state of a lattice after some steps in its own weight.
static RvResult run_lattice(double spacing, const RvMediumDef* def, RvContinuum* c, RvError* error) {
  RvResult result = new_lattice(c, spacing, 20, error);
  if (result) return result;
  c->gravity[0] = 9.81;
  c->loads.drag_normal = c->loads.drag_tangent = 1e-5;
  if (def) c->medium_def = *def;
  for (int k = 0; k < 24 && !result; ++k) result = rv_continuum_substep(c, 1.0 / 120, error);
  return result;
}

// 1 if a run with the medium has the bits of one without.
static RvResult same_bits(double spacing, const RvMediumDef* def, double* same, RvError* error) {
  RvContinuum alone = {0}, other = {0};
  RvResult result = run_lattice(spacing, NULL, &alone, error);
  if (!result) result = run_lattice(spacing, def, &other, error);
  if (!result)
    *same = !memcmp(alone.state->orient, other.state->orient, 4 * alone.model->links * sizeof(double)) &&
            !memcmp(alone.state->spin, other.state->spin, 3 * alone.model->links * sizeof(double));
  rv_continuum_free(&alone);
  rv_continuum_free(&other);
  return result;
}

RvResult rv_check_medium_alone(const RvCheckOut* out, RvError* error) {
  RvMediumDef def = medium_def(2.7e-3, 0);
  double same = 0;
  // No stiffness and no friction, though packed; then a medium below its rest density; then one that acts.
  def.law.stiffness = 0;
  RvResult result = same_bits(1e-3, &def, &same, error);
  if (!result) rv_check_emit(out, "no_stiffness", same, 1, 0);
  def = medium_def(2.7e-3, 0);
  if (!result) result = same_bits(3e-3, &def, &same, error);
  if (!result) rv_check_emit(out, "below_rest_density", same, 1, 0);
  def.law.rest_density = 20;
  if (!result) result = same_bits(1e-3, &def, &same, error);
  if (!result) rv_check_emit(out, "packed", same, 0, 0);
  return result;
}
