// Checks of the pressure solve alone, on liquid given by a distance function (WH-36): multigrid, projection,
// hydrostatic, free_surface.
#include <math.h>
#include <stdio.h>

#include "check/list.h"
#include "rig/pressure.h"

static const double GRAVITY = 9.81;  // m/s2
static const double DENSITY = 1000;  // kg/m3
enum { BOX, POOL, SPLASH, SHEET };   // scenes of rv_rig_pressure_scenes
enum { NOT_CONVERGED = 1000 };       // iterations that fail the check

// Iterations of the four scenes at 32 and 96 cells.
RvResult rv_check_multigrid(const RvCheckOut* out, RvError* error) {
  RvPressureOptions options = {.tolerance = 1e-6, .divergence = -1};
  RvResult result = RV_OK;
  for (int scene = 0; scene < RV_PRESSURE_SCENES && !result; ++scene) {
    int iterations[2] = {0};
    for (int k = 0; k < 2 && !result; ++k) {
      RvPressureRig rig = {0};
      RvPressureReport report = {0};
      result = rv_rig_pressure_scene(&rig, scene, k ? 96 : 32, error);
      if (!result) {
        rv_rig_pressure_stir(&rig);
        // From zero, relative residual only.
        RvPressureIn in = rv_liquid_pressure_of_grid(&rig.grid, &rig.solids, DENSITY, 1e-3);
        result = rv_liquid_pressure_solve(rig.pressure, &in, &options, &report, error);
        iterations[k] = report.converged ? report.iterations : NOT_CONVERGED;
      }
      rv_rig_pressure_free(&rig);
    }
    char name[64];
    snprintf(name, sizeof name, "%s_iterations_96", rv_rig_pressure_scenes[scene]);
    rv_check_emit(out, name, iterations[1], 0, 20);
    snprintf(name, sizeof name, "%s_growth_from_32", rv_rig_pressure_scenes[scene]);
    rv_check_emit(out, name, (double)iterations[1] / fmax(iterations[0], 1), 1, 0.5);
  }
  return result;
}

// Divergence of three stirred scenes after a solve with the default tolerance.
RvResult rv_check_projection(const RvCheckOut* out, RvError* error) {
  static const int scenes[] = {BOX, SPLASH, SHEET};
  RvResult result = RV_OK;
  for (int k = 0; k < 3 && !result; ++k) {
    RvPressureRig rig = {0};
    result = rv_rig_pressure_scene(&rig, scenes[k], 64, error);
    if (!result) {
      rv_rig_pressure_stir(&rig);
      RvPressureIn in = rv_liquid_pressure_of_grid(&rig.grid, &rig.solids, DENSITY, 1e-3);
      result = rv_liquid_pressure_solve(rig.pressure, &in, NULL, NULL, error);
      char name[64];
      double speed, divergence = rv_rig_pressure_divergence(&in, &speed);
      snprintf(name, sizeof name, "%s_divergence", rv_rig_pressure_scenes[scenes[k]]);
      if (!result) rv_check_emit(out, name, divergence / speed, 0, 1e-6);
    }
    rv_rig_pressure_free(&rig);
  }
  return result;
}

// Liquid below a height.
static double below(const void* user, const double x[3]) {
  return x[1] - *(const double*)user;
}

// Largest speed of a valid face, and largest error of p = density g depth.
static void measure_rest(const RvPressureRig* rig, const RvPressureIn* in, double height, double* speed,
                         double* worst) {
  *speed = *worst = 0;
  for (size_t t = 0; t < in->tiles->count; ++t)
    for (int c = 0; c < RV_TILE_CELLS; ++c) {
      size_t at = t * RV_TILE_CELLS + (size_t)c;
      double x[3];
      rv_rig_pressure_center(rig, t, c, x);
      for (int a = 0; a < 3; ++a)
        if (in->valid[a][at] > 0) *speed = fmax(*speed, fabs(in->velocity[a][at]));
      if (in->pressure[at] != 0) *worst = fmax(*worst, fabs(in->pressure[at] - DENSITY * GRAVITY * (height - x[1])));
    }
}

// One step of gravity on liquid at rest: speed over g dt and pressure error over density g height, both 0 expected.
static RvResult solve_at_rest(RvPressureRig* rig, double height, double dt, double* speed, double* worst,
                              RvError* error) {
  rv_rig_pressure_add_velocity(rig, (const double[3]){0, -GRAVITY * dt, 0});
  RvPressureIn in = rv_liquid_pressure_of_grid(&rig->grid, &rig->solids, DENSITY, dt);
  RvPressureReport report;
  RvResult result = rv_liquid_pressure_solve(rig->pressure, &in, NULL, &report, error);
  measure_rest(rig, &in, height, speed, worst);
  *speed /= GRAVITY * dt;
  *worst /= DENSITY * GRAVITY * height;
  return result;
}

// A level column, then a tilted tank.
RvResult rv_check_hydrostatic(const RvCheckOut* out, RvError* error) {
  // 40 cells wide, the surface a third into a cell.
  const double dx = 0.01, height = 0.3033;
  RvPressureRig rig = {0};
  double speed = 1, worst = 1;
  RvResult result = rv_rig_pressure_build(&rig, (int[3]){0, 0, 0}, (int[3]){5, 5, 5}, dx, below, &height, true, error);
  if (!result) result = solve_at_rest(&rig, height, 0.01, &speed, &worst, error);
  if (!result) {
    // Linear pressures are exact, so what is left is the solver's tolerance.
    rv_check_emit(out, "column_pressure_error", worst, 0, 1e-5);
    rv_check_emit(out, "column_speed_over_g_dt", speed, 0, 1e-5);
  }
  rv_rig_pressure_free(&rig);
  if (result) return result;
  // A tank of five planes rotated about z by 0.4 and about x by 0.3 rad; gravity is not rotated.
  // Cosine and sine of 0.4, then of 0.3.
  const double c = 0.92106099400288510, s = 0.38941834230865049, k = 0.95533648912560602, m = 0.29552020666133957;
  const double axes[3][3] = {{c, s * k, s * m}, {-s, c * k, c * m}, {0, -m, k}};
  RvSolidShape walls[5];
  for (int w = 0; w < 5; ++w) {
    int axis = w < 4 ? (w / 2) * 2 : 1;
    double side = w == 4 ? 1 : w % 2 ? -1 : 1;
    walls[w] = (RvSolidShape){.kind = RV_SHAPE_PLANE};
    for (int a = 0; a < 3; ++a) {
      walls[w].size[a] = side * axes[axis][a];
      walls[w].center[a] = 0.2 - side * 0.11 * axes[axis][a];
    }
  }
  const double level = 0.2171;
  result = rv_rig_pressure_build(&rig, (int[3]){0, 0, 0}, (int[3]){5, 5, 5}, dx, below, &level, true, error);
  if (!result) result = rv_rig_pressure_solids(&rig, walls, 5, error);
  if (!result) result = solve_at_rest(&rig, level, 0.01, &speed, &worst, error);
  if (!result) {
    rv_check_emit(out, "tilted_pressure_error", worst, 0, 1e-5);
    rv_check_emit(out, "tilted_speed_over_g_dt", speed, 0, 1e-4);
  }
  rv_rig_pressure_free(&rig);
  return result;
}

// Signed distance to a ball about the origin.
static double ball(const void* user, const double x[3]) {
  return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - *(const double*)user;
}

// A drop with uniform divergence S: p = density S (R^2 - r^2) / (6 dt), u = S x / 3. Gives the largest errors relative
// to the pressure at the centre and the speed at the surface.
static RvResult expand(double dx, double* error_p, double* error_u, RvError* error) {
  const double radius = 0.1, rate = 3, dt = 0.01;
  RvPressureRig rig = {0};
  int tiles = (int)ceil((radius + 2 * dx) / (8 * dx));
  RvResult result = rv_rig_pressure_build(&rig, (int[3]){-tiles, -tiles, -tiles}, (int[3]){tiles, tiles, tiles}, dx,
                                          ball, &radius, true, error);
  if (result) goto done;
  // Uniform divergence in a liquid at rest.
  rv_channel_fill(rig.grid.divergence.data, rig.grid.tiles.count, (float)rate);
  RvPressureIn in = rv_liquid_pressure_of_grid(&rig.grid, NULL, DENSITY, dt);
  result = rv_liquid_pressure_solve(rig.pressure, &in, NULL, NULL, error);
  // Pressures at cell centres, velocities at faces.
  *error_p = *error_u = 0;
  for (size_t t = 0; t < in.tiles->count && !result; ++t)
    for (int c = 0; c < RV_TILE_CELLS; ++c) {
      size_t at = t * RV_TILE_CELLS + (size_t)c;
      double x[3], square = 0;
      rv_rig_pressure_center(&rig, t, c, x);
      for (int a = 0; a < 3; ++a) square += x[a] * x[a];
      if (in.distance[at] < 0) {
        double p = DENSITY * rate * (radius * radius - square) / (6 * dt);
        *error_p = fmax(*error_p, fabs(in.pressure[at] - p) / (DENSITY * rate * radius * radius / (6 * dt)));
      }
      for (int a = 0; a < 3; ++a)
        if (in.valid[a][at] > 0)
          *error_u = fmax(*error_u, fabs(in.velocity[a][at] - rate * (x[a] - 0.5 * dx) / 3) / (rate * radius / 3));
    }
done:
  rv_rig_pressure_free(&rig);
  return result;
}

// 10, 20 and 40 cells a radius.
RvResult rv_check_free_surface(const RvCheckOut* out, RvError* error) {
  double p[3] = {0}, u[3] = {0};
  RvResult result = RV_OK;
  const double dx[3] = {0.01, 0.005, 0.0025};
  for (int k = 0; k < 3 && !result; ++k) result = expand(dx[k], &p[k], &u[k], error);
  if (result) return result;
  // Second order of the pressure: 16-fold from 10 to 40 cells, within what the surface's place in its cells allows.
  rv_check_emit(out, "pressure_error_at_40_cells", p[2], 0, 0.001);
  rv_check_emit(out, "pressure_error_ratio_10_to_40", p[0] / p[2], 16, 6);
  rv_check_emit(out, "velocity_error_at_40_cells", u[2], 0, 0.03);
  return RV_OK;
}
