// Checks of pressure and solids (WH-36, WH-43): fluxes at moving solids, force on a solid at rest, closed rooms.
#include <math.h>

#include "check/list.h"
#include "math/scalar.h"
#include "rig/pressure.h"

static const double GRAVITY = 9.81;  // m/s2
static const double DENSITY = 1000;  // kg/m3

// Distance functions: liquid up to an x, up to a height, and everywhere.
static double before(const void* user, const double x[3]) {
  return x[0] - *(const double*)user;
}
static double below(const void* user, const double x[3]) {
  return x[1] - *(const double*)user;
}
static double everywhere(const void* user, const double x[3]) {
  (void)user;
  (void)x;
  return -1;
}

// A piston that starts within a cell moves along a channel; the liquid before it ends in air.
static RvResult piston(const RvCheckOut* out, RvError* error) {
  const double dx = 0.01, speed = 0.7, end = 0.2233;
  const RvSolidShape wall = {
      .kind = RV_SHAPE_PLANE,
      .center = {0.0372, 0, 0},
      .size = {1, 0, 0},
      .velocity = {speed, 0, 0},
  };
  RvPressureRig rig = {0};
  double worst = 0;
  RvResult result = rv_rig_pressure_build(&rig, (int[3]){0, 0, 0}, (int[3]){4, 2, 2}, dx, before, &end, true, error);
  if (!result) result = rv_rig_pressure_solids(&rig, &wall, 1, error);
  if (!result) {
    RvPressureIn in = rv_liquid_pressure_of_grid(&rig.grid, &rig.solids, DENSITY, 0.01);
    result = rv_liquid_pressure_solve(rig.pressure, &in, NULL, NULL, error);
    // Every liquid face along the channel.
    for (size_t i = 0; i < in.tiles->count * RV_TILE_CELLS; ++i)
      if (in.valid[0][i] > 0) worst = fmax(worst, fabs(in.velocity[0][i] / speed - 1));
  }
  if (!result) rv_check_emit(out, "piston_speed_error", worst, 0, 1e-5);
  rv_rig_pressure_free(&rig);
  return result;
}

// A ball that moves through a pool: the fluxes of every cut cell sum to 0.
static RvResult ball_flux(const RvCheckOut* out, RvError* error) {
  const double dx = 0.01, height = 0.3;
  const RvSolidShape ball = {
      .kind = RV_SHAPE_SPHERE,
      .center = {0.163, 0.151, 0.158},
      .size = {0.07},
      .velocity = {0.4, -0.9, 0.3},
  };
  RvPressureRig rig = {0};
  RvResult result = rv_rig_pressure_build(&rig, (int[3]){0, 0, 0}, (int[3]){4, 4, 4}, dx, below, &height, true, error);
  if (!result) result = rv_rig_pressure_solids(&rig, &ball, 1, error);
  if (!result) {
    RvPressureIn in = rv_liquid_pressure_of_grid(&rig.grid, &rig.solids, DENSITY, 0.01);
    result = rv_liquid_pressure_solve(rig.pressure, &in, NULL, NULL, error);
    double speed, divergence = rv_rig_pressure_divergence(&in, &speed);
    if (!result) rv_check_emit(out, "ball_divergence", divergence / speed, 0, 1e-6);
  }
  rv_rig_pressure_free(&rig);
  return result;
}

RvResult rv_check_moving_solid(const RvCheckOut* out, RvError* error) {
  RvResult result = piston(out, error);
  return result ? result : ball_flux(out, error);
}

// One step of gravity, then the pressure force on the ball alone.
RvResult rv_check_archimedes(const RvCheckOut* out, RvError* error) {
  const double dx = 0.01, height = 0.37, dt = 0.01, radius = 0.1;
  const RvSolidShape ball = {.kind = RV_SHAPE_SPHERE, .center = {0.203, 0.191, 0.198}, .size = {radius}};
  RvPressureRig rig = {0};
  RvResult result = rv_rig_pressure_build(&rig, (int[3]){0, 0, 0}, (int[3]){5, 5, 5}, dx, below, &height, true, error);
  if (!result) result = rv_rig_pressure_solids(&rig, &ball, 1, error);
  if (!result) {
    rv_rig_pressure_add_velocity(&rig, (const double[3]){0, -GRAVITY * dt, 0});
    RvPressureIn in = rv_liquid_pressure_of_grid(&rig.grid, &rig.solids, DENSITY, dt);
    result = rv_liquid_pressure_solve(rig.pressure, &in, NULL, NULL, error);
    // Weights of 1 around the ball leave out the force on the tank's walls.
    float* weight = rig.grid.divergence.data;
    for (size_t t = 0; t < in.tiles->count; ++t)
      for (int c = 0; c < RV_TILE_CELLS; ++c) {
        double x[3], away = 0;
        rv_rig_pressure_center(&rig, t, c, x);
        for (int a = 0; a < 3; ++a) away += (x[a] - ball.center[a]) * (x[a] - ball.center[a]);
        weight[t * RV_TILE_CELLS + (size_t)c] = away < 2 * radius * radius;
      }
    // Archimedes: the weight of the displaced liquid.
    double force[3], expected = DENSITY * GRAVITY * 4 / 3 * RV_PI * radius * radius * radius;
    rv_liquid_pressure_force(&in, weight, force);
    if (!result) {
      // Cut cells at 10 cells a radius.
      rv_check_emit(out, "lift_over_weight_of_liquid", force[1] / expected, 1, 0.03);
      rv_check_emit(out, "sideways_over_lift", hypot(force[0], force[2]) / expected, 0, 0.001);
    }
  }
  rv_rig_pressure_free(&rig);
  return result;
}

// A step of gravity with a moving wall between two closed rooms.
RvResult rv_check_closed(const RvCheckOut* out, RvError* error) {
  // Two full, closed rooms with a wall between them, two cells thick, that moves from one into the other.
  const double dx = 0.01, dt = 0.01, side = 0.16, speed = 0.05;
  const RvSolidShape wall = {
      .kind = RV_SHAPE_BOX,
      .center = {0.16, 0.08, 0.08},
      .size = {0.01, 1, 1},
      .velocity = {speed, 0, 0},
  };
  RvPressureRig rig = {0};
  RvPressureReport report = {0};
  RvResult result =
      rv_rig_pressure_build(&rig, (int[3]){0, 0, 0}, (int[3]){4, 2, 2}, dx, everywhere, NULL, true, error);
  if (!result) result = rv_rig_pressure_solids(&rig, &wall, 1, error);
  if (!result) {
    rv_rig_pressure_add_velocity(&rig, (const double[3]){0, -GRAVITY * dt, 0});
    RvPressureIn in = rv_liquid_pressure_of_grid(&rig.grid, &rig.solids, DENSITY, dt);
    result = rv_liquid_pressure_solve(rig.pressure, &in, NULL, &report, error);
    // Vertical velocities of both rooms; the moving wall only squeezes along x.
    double worst = 0;
    for (size_t i = 0; i < in.tiles->count * RV_TILE_CELLS; ++i)
      if (in.valid[1][i] > 0) worst = fmax(worst, fabs(in.velocity[1][i]) / (GRAVITY * dt));
    if (!result) {
      rv_check_emit(out, "rooms", (double)report.closed, 2, 0);
      rv_check_emit(out, "not_converged", !report.converged, 0, 0);
      // Each room reports the volume that the wall sweeps.
      rv_check_emit(out, "squeezed_over_swept", report.incompatible / (2 * speed * side * side), 1, 1e-4);
      rv_check_emit(out, "speed_over_g_dt", worst, 0, 1e-4);
    }
  }
  rv_rig_pressure_free(&rig);
  return result;
}
