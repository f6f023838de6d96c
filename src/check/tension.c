// Check tension (WH-36): pressure in a drop at rest, and the initial acceleration of a squeezed one.
#include <math.h>

#include "check/list.h"
#include "liquid/tension.h"
#include "rig/pressure.h"

static const double DENSITY = 1000;   // kg/m3
static const double TENSION = 0.072;  // N/m
static const double RADIUS = 0.01;    // m

// r = R (1 + squeeze P2(cos)) about the y axis.
typedef struct Drop {
  double squeeze;
} Drop;

// Away from the corners of cells, as in general position.
static const double CENTER[3] = {0.000113, -0.000207, 0.000071};

// Distance to the drop's surface along the radius.
static double drop(const void* user, const double at[3]) {
  const Drop* d = user;
  double x[3] = {at[0] - CENTER[0], at[1] - CENTER[1], at[2] - CENTER[2]};
  double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], r = sqrt(square);
  double p2 = square > 0 ? 1.5 * x[1] * x[1] / square - 0.5 : 0;
  return r - RADIUS * (1 + d->squeeze * p2);
}

typedef struct Measure {
  double pressure;  // mean, over Laplace's 2 tension / R
  double spread;    // largest difference from 1
  double noise;     // largest acceleration over 2 tension / (density R^2)
  double mode;      // amplitude of the flow (-x, 2 y, -z), 1/s: second mode
} Measure;

// Compares pressures with Laplace's, and projects the velocities on the second mode.
static void measure(const RvPressureRig* rig, const RvPressureIn* in, double dt, Measure* m) {
  double sum = 0, count = 0, with = 0, square = 0;
  const double laplace = 2 * TENSION / RADIUS;
  const double flow[3] = {-1, 2, -1};
  *m = (Measure){0};
  for (size_t t = 0; t < in->tiles->count; ++t)
    for (int c = 0; c < RV_TILE_CELLS; ++c) {
      size_t at = t * RV_TILE_CELLS + (size_t)c;
      double x[3];
      rv_rig_pressure_center(rig, t, c, x);
      if (in->distance[at] < 0) {
        sum += in->pressure[at] / laplace;
        count += 1;
        m->spread = fmax(m->spread, fabs(in->pressure[at] / laplace - 1));
      }
      // Velocities at the faces of the liquid: projection on the mode, and the largest acceleration.
      for (int a = 0; a < 3; ++a) {
        if (!(in->valid[a][at] > 0)) continue;
        double f = flow[a] * (x[a] - 0.5 * in->dx - CENTER[a]);
        with += f * in->velocity[a][at];
        square += f * f;
        m->noise = fmax(m->noise, fabs(in->velocity[a][at]) * DENSITY * RADIUS / (laplace * dt));
      }
    }
  m->pressure = sum / count;
  m->mode = with / square;
}

// One step of a drop squeezed by that share, from rest.
static RvResult step_drop(double squeeze, double dt, Measure* m, RvError* error) {
  RvPressureRig rig = {0};
  Drop d = {squeeze};
  // 16 cells a radius.
  const double dx = RADIUS / 16;
  RvChannel surface = {0};
  RvResult result = rv_rig_pressure_build(&rig, (int[3]){-3, -3, -3}, (int[3]){3, 3, 3}, dx, drop, &d, true, error);
  if (!result && !rv_channel_fit(&surface, rig.grid.tiles.count))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) {
    rv_liquid_tension_surface(&rig.grid.tiles, rig.grid.distance.data, dx, TENSION, surface.data);
    RvPressureIn in = rv_liquid_pressure_of_grid(&rig.grid, NULL, DENSITY, dt);
    in.surface = surface.data;
    result = rv_liquid_pressure_solve(rig.pressure, &in, NULL, NULL, error);
    measure(&rig, &in, dt, m);
  }
  rv_channel_free(&surface);
  rv_rig_pressure_free(&rig);
  return result;
}

// A round drop, one stretched and one squeezed by 2%; the mean of both cancels the second order.
RvResult rv_check_tension(const RvCheckOut* out, RvError* error) {
  const double squeeze = 0.02, dt = 1e-4;
  Measure still = {0}, tall = {0}, flat = {0};
  RvResult result = step_drop(0, dt, &still, error);
  if (!result) result = step_drop(squeeze, dt, &tall, error);
  if (!result) result = step_drop(-squeeze, dt, &flat, error);
  if (result) return result;
  // At 16 cells a radius.
  rv_check_emit(out, "pressure_over_laplace", still.pressure, 1, 0.01);
  rv_check_emit(out, "pressure_spread", still.spread, 0, 0.01);
  rv_check_emit(out, "spurious_acceleration", still.noise, 0, 0.02);
  // The surface moves with u_r = 2 mode R P2 after dt, so its acceleration is u_r / dt = -omega^2 squeeze R P2.
  double omega = sqrt((flat.mode - tall.mode) / (squeeze * dt));
  rv_check_emit(out, "frequency_over_rayleigh", omega / sqrt(8 * TENSION / (DENSITY * RADIUS * RADIUS * RADIUS)), 1,
                0.02);
  return RV_OK;
}
