// Check viscosity (WH-36): decay of vortices with a closed form, rigid motion and momentum of a free ball, Couette
// flow.
#include <math.h>

#include "check/list.h"
#include "liquid/viscosity.h"
#include "math/scalar.h"
#include "rig/pressure.h"

static const double DENSITY = 1000;  // kg/m3

// Distance functions: liquid everywhere, and a ball about the origin.
static double everywhere(const void* user, const double x[3]) {
  (void)user;
  (void)x;
  return -1;
}

static double ball(const void* user, const double x[3]) {
  return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - *(const double*)user;
}

// Centre of the lower face of a cell along an axis.
static void face_point(const RvPressureRig* rig, size_t t, int cell, int axis, double x[3]) {
  rv_rig_pressure_center(rig, t, cell, x);
  x[axis] -= 0.5 * rig->grid.dx;
}

typedef double Flow(int axis, const double x[3]);

// Sets the velocity of every face from a function of the axis and the point.
static void set_flow(RvPressureRig* rig, Flow* flow) {
  for (size_t t = 0; t < rig->grid.tiles.count; ++t)
    for (int c = 0; c < RV_TILE_CELLS; ++c)
      for (int a = 0; a < 3; ++a) {
        double x[3];
        face_point(rig, t, c, a, x);
        rig->grid.velocity[a].data[t * RV_TILE_CELLS + (size_t)c] = (float)flow(a, x);
      }
}

// One implicit viscous step; `stick`: no slip at solids.
static RvResult solve(RvPressureRig* rig, double viscosity, double dt, bool stick, RvViscosityReport* report,
                      RvError* error) {
  RvViscosity* memory = rv_liquid_viscosity_new();
  if (!memory) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvViscosityIn in = rv_liquid_viscosity_of_grid(&rig->grid, &rig->solids, DENSITY, viscosity, dt);
  in.stick = stick;
  RvResult result = rv_liquid_viscosity_solve(memory, &in, 1e-6, 0, report, error);
  rv_liquid_viscosity_free(memory);
  return result;
}

// Vortices that neither cross nor shear the walls of a unit box.
static double vortices(int axis, const double x[3]) {
  return axis == 0   ? rv_sin(RV_PI * x[0]) * rv_cos(RV_PI * x[1])
         : axis == 1 ? -rv_cos(RV_PI * x[0]) * rv_sin(RV_PI * x[1])
                     : 0;
}

// 1 - the decay rate over 2 nu k^2, from implicit Euler's factor 1 / (1 + rate dt), by projection on the start.
static RvResult decay(int tiles, double* off, RvError* error) {
  RvPressureRig rig = {0};
  RvViscosityReport report;
  const double viscosity = 2, dt = 0.5;
  RvResult result = rv_rig_pressure_build(&rig, (int[3]){0, 0, 0}, (int[3]){tiles, tiles, 1}, 1.0 / (8 * tiles),
                                          everywhere, NULL, true, error);
  if (!result) {
    set_flow(&rig, vortices);
    result = solve(&rig, viscosity, dt, false, &report, error);
    double with = 0, square = 0;
    for (size_t t = 0; t < rig.grid.tiles.count; ++t)
      for (int c = 0; c < RV_TILE_CELLS; ++c)
        for (int a = 0; a < 2; ++a) {
          double x[3];
          face_point(&rig, t, c, a, x);
          with += vortices(a, x) * rig.grid.velocity[a].data[t * RV_TILE_CELLS + (size_t)c];
          square += vortices(a, x) * vortices(a, x);
        }
    // Implicit Euler's factor 1 / (1 + rate dt) is with / square.
    double rate = (square / with - 1) / dt, expected = 2 * viscosity / DENSITY * RV_PI * RV_PI;
    *off = 1 - rate / expected;
  }
  rv_rig_pressure_free(&rig);
  return result;
}

// A rotation with a translation, and the same with short waves on it.
static double rigid_motion(int axis, const double x[3]) {
  const double w[3] = {1.0, -2.0, 0.5};
  int a = (axis + 1) % 3, b = (axis + 2) % 3;
  return w[a] * x[b] - w[b] * x[a] + 0.1 * axis;
}

static double random_flow(int axis, const double x[3]) {
  return rigid_motion(axis, x) + 0.3 * rv_sin(40 * x[(axis + 1) % 3] + axis) + 0.2 * rv_cos(30 * x[axis]);
}

// Linear momentum over mass and angular momentum over mass and radius (0.1 m), with the face masses of the solver.
static void momentum(const RvPressureRig* rig, double out[6]) {
  double mass = 0;
  for (int k = 0; k < 6; ++k) out[k] = 0;
  for (size_t t = 0; t < rig->grid.tiles.count; ++t)
    for (int c = 0; c < RV_TILE_CELLS; ++c)
      for (int a = 0; a < 3; ++a) {
        int at[3] = {c & 7, c >> 3 & 7, c >> 6};
        at[a]--;
        double d[2] = {rig->grid.distance.data[t * RV_TILE_CELLS + (size_t)c],
                       rv_tiles_read(&rig->grid.tiles, rig->grid.distance.data, t, at[0], at[1], at[2], 1)};
        double m = 0, x[3], u = rig->grid.velocity[a].data[t * RV_TILE_CELLS + (size_t)c];
        for (int k = 0; k < 2; ++k) m += 0.5 * rv_clamp(0.5 - d[k] / rig->grid.dx, 0, 1);
        face_point(rig, t, c, a, x);
        mass += m / 3;
        out[a] += m * u;
        // The cross product of the position with u along axis a.
        int b = (a + 1) % 3, e = (a + 2) % 3;
        out[3 + e] -= m * u * x[b];
        out[3 + b] += m * u * x[e];
      }
  for (int k = 0; k < 6; ++k) out[k] /= mass * (k < 3 ? 1 : 0.1);
}

// A free ball of very viscous liquid: rigid motion is unchanged, and any motion keeps its momentum.
static RvResult free_ball(const RvCheckOut* out, RvError* error) {
  const double radius = 0.1, dx = 0.01;
  RvPressureRig rig = {0};
  RvViscosityReport report;
  // viscosity dt / (density dx^2) = 100.
  RvResult result =
      rv_rig_pressure_build(&rig, (int[3]){-2, -2, -2}, (int[3]){2, 2, 2}, dx, ball, &radius, true, error);
  if (result) goto done;
  // Rigid motion.
  set_flow(&rig, rigid_motion);
  result = solve(&rig, 100, 0.1, false, &report, error);
  double worst = 0;
  for (size_t t = 0; t < rig.grid.tiles.count; ++t)
    for (int c = 0; c < RV_TILE_CELLS; ++c)
      for (int a = 0; a < 3; ++a) {
        double x[3];
        face_point(&rig, t, c, a, x);
        worst = fmax(worst, fabs(rig.grid.velocity[a].data[t * RV_TILE_CELLS + (size_t)c] - rigid_motion(a, x)));
      }
  // Momentum of a random flow.
  double before[6], after[6], lost = 0;
  set_flow(&rig, random_flow);
  momentum(&rig, before);
  if (!result) result = solve(&rig, 100, 0.1, false, &report, error);
  momentum(&rig, after);
  for (int k = 0; k < 6; ++k) lost = fmax(lost, fabs(after[k] - before[k]));
  if (!result) {
    rv_check_emit(out, "rigid_motion_change", worst, 0, 1e-6);
    rv_check_emit(out, "momentum_change", lost, 0, 1e-5);
  }
done:
  rv_rig_pressure_free(&rig);
  return result;
}

// Couette flow: a plate moves at 1 m/s ten cells above a floor; in the middle of a long channel u is linear.
static RvResult couette(const RvCheckOut* out, RvError* error) {
  const double dx = 0.01;
  const RvSolidShape plates[2] = {
      {.kind = RV_SHAPE_PLANE, .center = {0, 0.05, 0}, .size = {0, 1, 0}},
      {.kind = RV_SHAPE_PLANE, .center = {0, 0.15, 0}, .size = {0, -1, 0}, .velocity = {1, 0, 0}}};
  RvPressureRig rig = {0};
  RvViscosityReport report;
  double worst = 0;
  RvResult result =
      rv_rig_pressure_build(&rig, (int[3]){-6, 0, 0}, (int[3]){6, 3, 1}, dx, everywhere, NULL, true, error);
  if (!result) result = rv_rig_pressure_solids(&rig, plates, 2, error);
  if (!result) result = solve(&rig, 1, 1e4, true, &report, error);
  for (int j = 5; j < 15 && !result; ++j) {
    double y = ((j + 0.5) * dx - 0.05) / 0.1;
    worst = fmax(worst, fabs(rig.grid.velocity[0].data[rv_tiles_locate(&rig.grid.tiles, 0, j, 4)] - y));
  }
  if (!result) rv_check_emit(out, "couette_error", worst, 0, 2e-4);
  rv_rig_pressure_free(&rig);
  return result;
}

// 16 and 32 cells for the vortices; then the free ball and Couette flow.
RvResult rv_check_viscosity(const RvCheckOut* out, RvError* error) {
  double off[2] = {0};
  RvResult result = decay(2, &off[0], error);
  if (!result) result = decay(4, &off[1], error);
  if (!result) {
    rv_check_emit(out, "decay_rate_error_at_32", off[1], 0, 1e-3);
    rv_check_emit(out, "decay_error_ratio_16_to_32", off[0] / off[1], 4, 0.1);
    result = free_ball(out, error);
  }
  return result ? result : couette(out, error);
}
