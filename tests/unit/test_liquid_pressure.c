// The pressure solve against dense elimination of the equations as liquid/pressure.h states them, assembled here anew
// from cell to cell, and the same bits whatever the workers and the instruction set.
#include "liquid/pressure.h"

#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/rng.h"
#include "rig/pressure.h"
#include "support/rv_test.h"

enum { SIDE = 8, MOST = 1500 };

typedef struct Extra {
  RvChannel open[3], solid[3], share[3], drag[3], target[3], surface;
} Extra;

static void each(Extra* e, void (*fn)(RvChannel*, size_t), size_t tiles) {
  RvChannel* axes[] = {e->open, e->solid, e->share, e->drag, e->target};
  for (int k = 0; k < 5; ++k)
    for (int a = 0; a < 3; ++a) fn(&axes[k][a], tiles);
  fn(&e->surface, tiles);
}
static void fit(RvChannel* channel, size_t tiles) {
  assert_true(rv_channel_fit(channel, tiles));
}
static void drop(RvChannel* channel, size_t tiles) {
  (void)tiles;
  rv_channel_free(channel);
}

// blobs of liquid, about half of the room
static double blobs(const void* user, const double x[3]) {
  (void)user;
  return sin(3.1 * x[0] + 0.3) * cos(2.7 * x[1]) + sin(2.3 * x[2] + x[0]) - 0.2;
}

static double noise(uint64_t cell, uint64_t what, uint64_t axis) {
  return rv_random(9, cell, 3 * what + axis, 0);
}

// rough numbers in all channels: some faces shut, some half, fibres in some
static RvPressureIn rough(RvPressureRig* rig, Extra* e, bool with_all) {
  const RvTiles* tiles = &rig->grid.tiles;
  each(e, fit, tiles->count);
  RvPressureIn in = rv_liquid_pressure_of_grid(&rig->grid, NULL, 800, 0.01);
  for (size_t i = 0; i < tiles->count * RV_TILE_CELLS; ++i) {
    e->surface.data[i] = (float)(50 * noise(i, 0, 0));
    rig->grid.divergence.data[i] = (float)(noise(i, 1, 0) - 0.5);
    for (uint64_t a = 0; a < 3; ++a) {
      double choice = noise(i, 2, a);
      e->open[a].data[i] = choice < 0.1 ? 0 : choice < 0.5 ? (float)noise(i, 3, a) : 1;
      e->share[a].data[i] = choice > 0.8 ? 0.7f : 1;
      e->drag[a].data[i] = choice > 0.6 ? (float)(1e5 * noise(i, 4, a)) : 0;
      e->solid[a].data[i] = (float)(noise(i, 5, a) - 0.5);
      e->target[a].data[i] = (float)(noise(i, 6, a) - 0.5);
      rig->grid.velocity[a].data[i] = (float)(noise(i, 7, a) - 0.5);
      if (!with_all) continue;
      in.open[a] = e->open[a].data;
      in.solid[a] = e->solid[a].data;
      in.share[a] = e->share[a].data;
      in.fibre[a] = in.drag_target[a] = e->target[a].data;
      in.drag[a] = e->drag[a].data;
    }
  }
  if (with_all) in.surface = e->surface.data;
  return in;
}

typedef struct Dense {
  int n, *of;  // number of a cell's unknown, -1
  double *a, *b;
} Dense;

// what the header says of the face between two cells, `lo` and `hi` by number, hi at `at`
static void assemble_face(const RvPressureIn* in, Dense* d, int axis, size_t lo, size_t at) {
  double open = in->open[axis] ? in->open[axis][at] : 1, share = in->share[axis] ? in->share[axis][at] : 1;
  double drag = in->drag[axis] ? in->drag[axis][at] : 0;
  double s = share * in->density / (share * in->density + in->dt * drag);
  double u = s * in->velocity[axis][at] + (drag > 0 ? (1 - s) * in->drag_target[axis][at] : 0);
  double flux = open * share * u + (share < 1 ? open * (1 - share) * in->fibre[axis][at] : 0) +
                (open < 1 ? (1 - open) * in->solid[axis][at] : 0);
  double c = open * share * s * in->dt / (in->density * in->dx);
  int i = d->of[lo], j = d->of[at];
  if (i >= 0) d->b[i] -= flux;
  if (j >= 0) d->b[j] += flux;
  if (in->distance[lo] < 0 && in->distance[at] < 0) {
    if (i < 0 || j < 0) return;
    d->a[i * d->n + i] += c;
    d->a[j * d->n + j] += c;
    d->a[i * d->n + j] -= c;
    d->a[j * d->n + i] -= c;
  } else if (i >= 0 || j >= 0) {
    size_t wet = i >= 0 ? lo : at, dry = i >= 0 ? at : lo;
    int k = i >= 0 ? i : j;
    double theta = in->distance[wet] / (in->distance[wet] - in->distance[dry]);
    double surface = in->surface ? (1 - theta) * in->surface[wet] + theta * in->surface[dry] : 0;
    theta = fmax(theta, RV_PRESSURE_THETA);
    d->a[k * d->n + k] += c / theta;
    d->b[k] += c / theta * surface;
  }
}

static void assemble(const RvPressureIn* in, Dense* d) {
  for (size_t t = 0; t < in->tiles->count; ++t)
    for (int c = 0; c < RV_TILE_CELLS; ++c)
      for (int axis = 0; axis < 3; ++axis) {
        int at[3] = {c & 7, c >> 3 & 7, c >> 6};
        at[axis]--;
        int64_t lo = rv_tiles_at(in->tiles, t, at[0], at[1], at[2]);
        if (lo >= 0) assemble_face(in, d, axis, (size_t)lo, t * RV_TILE_CELLS + (size_t)c);
      }
  for (size_t i = 0; i < in->tiles->count * RV_TILE_CELLS; ++i)
    if (d->of[i] >= 0) d->b[d->of[i]] += in->divergence[i] * in->dx;
}

// symmetric positive elimination, in place; an unknown without an equation stays 0
static void eliminate(Dense* d) {
  int n = d->n;
  for (int k = 0; k < n; ++k) {
    double pivot = d->a[k * n + k];
    for (int i = k + 1; i < n; ++i) {
      double f = pivot > 0 ? d->a[i * n + k] / pivot : 0;
      if (f == 0) continue;
      for (int j = k; j < n; ++j) d->a[i * n + j] -= f * d->a[k * n + j];
      d->b[i] -= f * d->b[k];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) d->b[k] -= d->a[k * n + j] * d->b[j];
    d->b[k] = d->a[k * n + k] > 0 ? d->b[k] / d->a[k * n + k] : 0;
  }
}

static void compare_dense(bool with_all) {
  RvPressureRig rig = {0};
  Extra extra = {0};
  assert_int_equal(rv_rig_pressure_build(&rig, (int[3]){-1, 0, -1}, (int[3]){1, 1, 1}, 0.25, blobs, NULL, true, NULL),
                   RV_OK);
  RvPressureIn in = rough(&rig, &extra, with_all);
  size_t cells = in.tiles->count * RV_TILE_CELLS;
  Dense d = {.of = rv_alloc(cells, sizeof(int))};
  for (size_t i = 0; i < cells; ++i) d.of[i] = in.distance[i] < 0 ? d.n++ : -1;
  assert_in_range(d.n, 500, MOST);
  d.a = rv_alloc_zero((size_t)d.n * (size_t)d.n, sizeof(double));
  d.b = rv_alloc_zero((size_t)d.n, sizeof(double));
  assemble(&in, &d);
  eliminate(&d);
  RvPressureReport report;
  RvPressureOptions options = {.tolerance = 1e-7, .divergence = -1};
  assert_int_equal(rv_liquid_pressure_solve(rig.pressure, &in, &options, &report, NULL), RV_OK);
  assert_true(report.converged);
  double worst = 0, most = 0;
  for (size_t i = 0; i < cells; ++i) {
    double p = d.of[i] >= 0 ? d.b[d.of[i]] : 0;
    worst = fmax(worst, fabs(p - in.pressure[i]));
    most = fmax(most, fabs(p));
  }
  // float coefficients of a matrix with condition below 1e3
  assert_true(worst < 2e-5 * most);
  double speed, left = rv_rig_pressure_divergence(&in, &speed);
  assert_true(left < 2e-6 * speed);
  rv_free(d.a);
  rv_free(d.b);
  rv_free(d.of);
  each(&extra, drop, 0);
  rv_rig_pressure_free(&rig);
}

static void agrees_with_elimination(void** state) {
  (void)state;
  compare_dense(false);
  compare_dense(true);
}

static uint64_t hash_of(const RvPressureIn* in) {
  size_t bytes = in->tiles->count * RV_TILE_CELLS * sizeof(float);
  uint64_t h = rv_hash(in->pressure, bytes, 0);
  for (int a = 0; a < 3; ++a) h = rv_hash(in->velocity[a], bytes, h);
  return h;
}

static uint64_t solve_once(void) {
  RvPressureRig rig = {0};
  Extra extra = {0};
  assert_int_equal(rv_rig_pressure_build(&rig, (int[3]){-2, -2, -2}, (int[3]){3, 3, 3}, 0.1, blobs, NULL, true, NULL),
                   RV_OK);
  RvPressureIn in = rough(&rig, &extra, true);
  RvPressureReport report;
  assert_int_equal(rv_liquid_pressure_solve(rig.pressure, &in, NULL, &report, NULL), RV_OK);
  assert_true(report.converged && report.iterations <= 25);
  uint64_t h = hash_of(&in);
  each(&extra, drop, 0);
  rv_rig_pressure_free(&rig);
  return h;
}

static void same_bits(void** state) {
  (void)state;
  rv_test_same_bits(solve_once);
}

// a solve that starts from its own answer has nothing to do
static void warm_start(void** state) {
  (void)state;
  RvPressureRig rig = {0};
  Extra extra = {0};
  assert_int_equal(rv_rig_pressure_build(&rig, (int[3]){-2, -2, -2}, (int[3]){3, 3, 3}, 0.1, blobs, NULL, true, NULL),
                   RV_OK);
  RvPressureIn in = rough(&rig, &extra, true);
  RvPressureOptions options = {.tolerance = 1e-5, .divergence = -1};
  RvPressureReport report;
  assert_int_equal(rv_liquid_pressure_solve(rig.pressure, &in, &options, &report, NULL), RV_OK);
  assert_in_range(report.iterations, 2, 20);
  RvPressureIn again = rough(&rig, &extra, true);
  again.warm = true;
  assert_int_equal(rv_liquid_pressure_solve(rig.pressure, &again, &options, &report, NULL), RV_OK);
  assert_in_range(report.iterations, 0, 1);
  each(&extra, drop, 0);
  rv_rig_pressure_free(&rig);
}

// Single cells, 16 apart, and a pool: none is lost on the coarse levels.
static double drops(const void* user, const double x[3]) {
  (void)user;
  double square = 0;
  for (int a = 0; a < 3; ++a) {
    double d = x[a] - 16 * floor(x[a] / 16) - 7.6;
    square += d * d;
  }
  return fmin(sqrt(square) - 0.7, x[1] + 20);
}

static void keeps_drops(void** state) {
  (void)state;
  RvPressureRig rig = {0};
  assert_int_equal(rv_rig_pressure_build(&rig, (int[3]){-6, -6, -6}, (int[3]){6, 6, 6}, 1, drops, NULL, true, NULL),
                   RV_OK);
  rv_rig_pressure_stir(&rig);
  RvPressureIn in = rv_liquid_pressure_of_grid(&rig.grid, NULL, 1000, 0.01);
  RvPressureReport report;
  assert_int_equal(rv_liquid_pressure_solve(rig.pressure, &in, NULL, &report, NULL), RV_OK);
  assert_true(report.converged && report.closed == 0);

  assert_in_range(report.iterations, 2, 20);
  double speed, left = rv_rig_pressure_divergence(&in, &speed);
  assert_true(left < 1e-6 * speed);
  rv_rig_pressure_free(&rig);
}

// Two pools of unequal height on both sides of a wall thinner than a cell: coarse cells see both.
static double pools(const void* user, const double x[3]) {
  (void)user;
  return x[1] - (x[0] < 3 ? 10.3 : -12.6);
}

static void parts_pools(void** state) {
  (void)state;
  RvPressureRig rig = {0};
  assert_int_equal(rv_rig_pressure_build(&rig, (int[3]){-3, -3, -2}, (int[3]){3, 3, 2}, 1, pools, NULL, true, NULL),
                   RV_OK);
  assert_true(rv_liquid_solids_clear(&rig.solids, &rig.grid.tiles));
  rig.solids.any = true;
  for (size_t t = 0; t < rig.grid.tiles.count; ++t)
    for (int c = 0; c < RV_TILE_CELLS; ++c) {
      size_t at = t * RV_TILE_CELLS + (size_t)c;
      for (int a = 0; a < 3; ++a) rig.solids.velocity[a].data[at] = 0;
      if (rig.grid.tiles.coord[t][0] == 0 && (c & 7) == 3) rig.solids.open[0].data[at] = 0;
    }
  rv_rig_pressure_add_velocity(&rig, (const double[3]){0, -0.1, 0});
  RvPressureIn in = rv_liquid_pressure_of_grid(&rig.grid, &rig.solids, 1000, 0.01);
  RvPressureReport report;
  assert_int_equal(rv_liquid_pressure_solve(rig.pressure, &in, NULL, &report, NULL), RV_OK);
  assert_true(report.converged);
  // the wall is what piecewise constant corrections are worst at

  assert_in_range(report.iterations, 2, 30);
  // p = density g depth, each by its own surface, at two cells beside the wall
  assert_true(fabs(in.pressure[rv_tiles_locate(in.tiles, 2, -20, 0)] / (1e4 * (10.3 + 19.5)) - 1) < 1e-5);
  assert_true(fabs(in.pressure[rv_tiles_locate(in.tiles, 3, -20, 0)] / (1e4 * (-12.6 + 19.5)) - 1) < 1e-5);
  rv_rig_pressure_free(&rig);
}

static void refuses_bad_numbers(void** state) {
  (void)state;
  RvPressureRig rig = {0};
  RvError error = {0};
  assert_int_equal(rv_rig_pressure_build(&rig, (int[3]){0, 0, 0}, (int[3]){1, 1, 1}, 0.1, blobs, NULL, true, NULL),
                   RV_OK);
  RvPressureIn in = rv_liquid_pressure_of_grid(&rig.grid, NULL, 0, 0.01);
  assert_int_equal(rv_liquid_pressure_solve(rig.pressure, &in, NULL, NULL, &error), RV_BAD_INPUT);
  assert_non_null(strstr(error.text, "density"));
  // and no tiles at all is no fault
  RvTiles none = {0};
  in = rv_liquid_pressure_of_grid(&rig.grid, NULL, 1000, 0.01);
  in.tiles = &none;
  assert_int_equal(rv_liquid_pressure_solve(rig.pressure, &in, NULL, NULL, &error), RV_OK);
  rv_rig_pressure_free(&rig);
}

RV_TESTS(cmocka_unit_test(agrees_with_elimination), cmocka_unit_test(same_bits), cmocka_unit_test(warm_start),
         cmocka_unit_test(keeps_drops), cmocka_unit_test(parts_pools), cmocka_unit_test(refuses_bad_numbers))
