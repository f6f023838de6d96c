// Checks of solids given as level sets, and of sources and sinks (WH-43).
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "check/list.h"
#include "liquid/solid_grids.h"
#include "liquid/transfer.h"
#include "math/scalar.h"
#include "rig/scene.h"

//---------------------------------------------------------------------------------------------- openings

// Tiles of a cube of cells around the origin, of half side `cells`.
static RvResult make_tiles(RvLiquidGrid* grid, int cells, RvError* error) {
  RvParticles p = {0};
  RvResult result = RV_OK;
  for (int z = -cells; z < cells; z += 8)
    for (int y = -cells; y < cells; y += 8)
      for (int x = -cells; x < cells; x += 8) {
        size_t i = rv_liquid_particles_add(&p, (double[3]){x + 4.5, y + 4.5, z + 4.5});
        if (i == SIZE_MAX) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
        if (i != SIZE_MAX) p.volume[i] = 1;
      }
  if (!result) result = rv_liquid_particles_sort(&p, NULL, error);
  if (!result) result = rv_liquid_grid_build(grid, &p, error);
  rv_liquid_particles_free(&p);
  return result;
}

// Closed area of all faces of an axis, and the largest of one plane of faces, in faces.
static void closed_area(const RvLiquidGrid* g, const RvLiquidSolids* s, int axis, double* all, double* largest_plane) {
  double plane[64] = {0};
  *all = *largest_plane = 0;
  for (size_t t = 0; t < g->tiles.count; ++t)
    for (int k = 0; k < RV_TILE_CELLS; ++k) {
      double shut = 1 - (double)s->open[axis].data[t * RV_TILE_CELLS + (size_t)k];
      int at = g->tiles.coord[t][axis] * RV_TILE_SIDE + (k >> (3 * axis) & 7) + 32;
      if (at >= 0 && at < 64) plane[at] += shut;
      *all += shut;
    }
  for (int i = 0; i < 64; ++i) *largest_plane = fmax(*largest_plane, plane[i]);
}

// Share of the unit square at (u, v) that lies outside of a disc of this radius about the origin: the mean over columns
// of the part of a column outside, exact in v.
static double outside_disc(double u, double v, double radius) {
  enum { COLUMNS = 256 };
  double sum = 0;
  for (int k = 0; k < COLUMNS; ++k) {
    double x = u + (k + 0.5) / COLUMNS, square = radius * radius - x * x;
    double half = square > 0 ? sqrt(square) : 0;
    sum += 1 - fmax(fmin(v + 1, half) - fmax(v, -half), 0);
  }
  return sum / COLUMNS;
}

// Largest error of a face's open share against the ball's disc in the plane of the face.
static double face_error(const RvLiquidGrid* grid, const RvLiquidSolids* s, const double centre[3], double radius) {
  double largest_error = 0;
  for (size_t t = 0; t < grid->tiles.count; ++t)
    for (int i = 0; i < 3 * RV_TILE_CELLS; ++i) {
      int a = i / RV_TILE_CELLS, c = i % RV_TILE_CELLS;
      double x[3];
      for (int b = 0; b < 3; ++b) x[b] = rv_liquid_corner(grid, t, b, c >> (3 * b) & 7) - centre[b];
      // Where the ball cuts the plane at less than 45 degrees, a small error of the distance opens much of the face.
      double square = radius * radius - x[a] * x[a];
      if (square < 0.5 * radius * radius) continue;
      double open = outside_disc(x[(a + 1) % 3], x[(a + 2) % 3], sqrt(square));
      largest_error = fmax(largest_error, fabs(open - (double)s->open[a].data[t * RV_TILE_CELLS + (size_t)c]));
    }
  return largest_error;
}

typedef struct Openings {
  double volume, section;  // largest relative errors
  double face;             // largest error of a face's open share
  double motion;           // largest error of a face's velocity
} Openings;

// Largest error of the solid's velocity at partly open faces, which is that of the rotating ball.
static double velocity_error(const RvLiquidGrid* grid, const RvLiquidSolids* s, const RvLiquidSolid* solid) {
  double largest_error = 0;
  for (size_t t = 0; t < grid->tiles.count; ++t)
    for (int i = 0; i < 3 * RV_TILE_CELLS && s->touched[t]; ++i) {
      int a = i / RV_TILE_CELLS, c = i % RV_TILE_CELLS;
      size_t at = t * RV_TILE_CELLS + (size_t)c;
      if (s->open[a].data[at] == 1 || s->open[a].data[at] == 0) continue;
      double x[3], v[3];
      for (int b = 0; b < 3; ++b) x[b] = rv_liquid_corner(grid, t, b, c >> (3 * b) & 7) + (a == b ? 0 : 0.5);
      RvVec3 arm = rv_sub(rv_vec3_load64(x), solid->placed.to);
      rv_vec3_store64(v, rv_cross(rv_vec3_load64(solid->angular), arm));
      largest_error = fmax(largest_error, fabs(v[a] - (double)s->velocity[a].data[at]));
    }
  return largest_error;
}

// A ball at six random places within a cell and six rotations: largest errors of volume, cross-section and velocity.
static RvResult measure_ball(double radius, const RvLiquidGrid* grid, Openings* o, RvError* error) {
  float zero[3] = {0};
  float r = (float)radius;
  RvLiquidSolids s = {0};
  RvGrid* ball = NULL;
  RvResult result = rv_grid_from_spheres("collision", 0.5, 8, 1, zero, &r, &ball, error);
  for (uint64_t k = 0; k < 6 && !result; ++k) {
    RvLiquidSolid solid = {.placed = {.distance = ball, .turn = rv_quat_axis_angle(rv_vec3(0, 1, 0), (double)k)},
                           .angular = {1, -2, 3}};
    double to[3] = {rv_random(1, k, 0, 0), rv_random(1, k, 1, 0), rv_random(1, k, 2, 0)};
    solid.placed.to = rv_vec3_load64(to);
    memcpy(solid.center, to, sizeof to);
    // Open areas of the faces from the level set.
    if (!rv_liquid_solids_from_grids(&s, grid, &solid, 1, NULL)) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
    for (int a = 0; a < 3 && !result; ++a) {
      double all, largest_plane, away = fmin(to[a], 1 - to[a]);
      closed_area(grid, &s, a, &all, &largest_plane);
      o->volume = fmax(o->volume, fabs(all / (4.0 / 3 * RV_PI * radius * radius * radius) - 1));
      // The plane of faces nearest to the centre.
      o->section = fmax(o->section, fabs(largest_plane / (RV_PI * (radius * radius - away * away)) - 1));
    }
    if (!result) o->motion = fmax(o->motion, velocity_error(grid, &s, &solid));
    if (!result) o->face = fmax(o->face, face_error(grid, &s, to, radius));
  }
  rv_liquid_solids_free(&s);
  if (ball) rv_grid_release(ball);
  return result;
}

// 12 and 6 cells a radius.
RvResult rv_check_openings(const RvCheckOut* out, RvError* error) {
  RvLiquidGrid grid = {.dx = 1};
  Openings o[2] = {{0}};
  RvResult result = make_tiles(&grid, 16, error);
  for (int k = 0; k < 2 && !result; ++k) result = measure_ball(k ? 12 : 6, &grid, &o[k], error);
  if (!result) {
    // The distance is linear between corners: second order in the cell.
    rv_check_emit(out, "volume", o[1].volume, 0, 0.01);
    rv_check_emit(out, "section", o[1].section, 0, 0.01);
    rv_check_emit(out, "volume_order", o[0].volume / o[1].volume, 4, 1);
    // The linear distance is wrong by up to 2 / (8 R) at the middle of a face, a quarter of that in voxels of half a
    // cell, 0.023 together: at 45 degrees the outline is off by 0.033, along at most 1.4 of a side.
    rv_check_emit(out, "face", o[1].face, 0, 0.05);
    rv_check_emit(out, "face_velocity", fmax(o[0].motion, o[1].motion), 0, 1e-5);
  }
  rv_liquid_grid_free(&grid);
  return result;
}

//---------------------------------------------------------------------------------------------- obstacles

#define POOL "\"pool\": {\"type\": \"fill\", \"parms\": {\"size\": [0.3, 0.1, 0.2], \"particlesep\": 0.008}}, "
#define TANK \
  "\"walls\": true, \"wallsmin\": [-0.15, -0.05, -0.1], \"wallsmax\": [0.15, 0.5, 0.1], \"particlesep\": 0.008"

// Largest penetration of a particle into the ball, in cells, and rms normal velocity into it of the particles beside
// it, relative to the ball's speed.
static void at_ball(const RvDetail* d, double x, double radius, double dx, double* depth, double* approach_speed) {
  const float* P = rv_detail_f32(d, RV_POINT, "P", 3);
  const float* v = rv_detail_f32(d, RV_POINT, "v", 3);
  double sum = 0, n = 0;
  for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) {
    RvVec3 arm = rv_sub(rv_vec3_load(P + 3 * i), rv_vec3(x, 0, 0));
    double far = rv_length(arm);
    *depth = fmax(*depth, (radius - far) / dx);
    if (far > radius + 0.25 * dx) continue;
    // Potential flow around a moving ball: the normal velocity falls with the cube of the distance.
    double cube = radius * radius * radius / (far * far * far);
    double in = rv_dot(rv_sub(rv_vec3_load(v + 3 * i), rv_vec3(0.6 * cube, 0, 0)), rv_scale(arm, 1 / far));
    if (in < 0) sum += in * in;
    n++;
  }
  *approach_speed = fmax(*approach_speed, n > 0 ? sqrt(sum / n) / 0.6 : 0);
}

// A ball of 2.5 cells a radius crosses the tank at 0.6 m/s.
static RvResult check_ball(const RvCheckOut* out, RvError* error) {
  RvSceneRig rig = {0};
  RvDetail* d = NULL;
  double depth = 0, approach_speed = 0;
  RvResult result = rv_rig_scene_open(
      &rig,
      POOL
      "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.04, \"type\": \"poly\", \"freq\": 12}}, \"m\": "
      "{\"type\": \"transform\", \"inputs\": [\"b\"], \"parms\": {\"tx\": {\"keys\": [[1, -0.2], [17, 0.2]], "
      "\"interp\": \"linear\"}}}, \"s\": {\"type\": \"liquidsolver\", \"inputs\": [\"pool\", \"m\"], \"parms\": "
      "{" TANK "}}",
      error);
  // Frames in which the ball is within the liquid.
  for (int frame = 6; frame <= 11 && !result; ++frame) {
    result = rv_rig_scene_cook(&rig, "s:liquid", frame, &d, error);
    if (!result) at_ball(d, -0.2 + 0.025 * (frame - 1), 0.04, 0.016, &depth, &approach_speed);
    rv_detail_free(d);
    d = NULL;
  }
  if (!result) {
    // Linear interpolation of the distance; first order at a cut surface, 2.5 cells a radius.
    rv_check_emit(out, "ball_depth", depth, 0, 0.1);
    rv_check_emit(out, "ball_normal_velocity", approach_speed, 0, 0.2 / 2.5);
    rv_check_emit(out, "ball_warnings", rig.warnings, 0, 0);
  }
  rv_rig_scene_close(&rig);
  return result;
}

// A block of liquid at 12 m/s hits an inclined sheet without thickness.
static RvResult check_sheet(const RvCheckOut* out, RvError* error) {
  RvSceneRig rig = {0};
  RvDetail* d = NULL;
  double passed = 0;
  RvResult result = rv_rig_scene_open(
      &rig,
      "\"pool\": {\"type\": \"fill\", \"parms\": {\"size\": [0.1, 0.1, 0.1], \"t\": [0, 0.2, 0], \"particlesep\": "
      "0.01, \"v\": [0, -12, 0]}}, \"g\": {\"type\": \"grid\", \"parms\": {\"size\": [4, 4]}}, \"m\": {\"type\": "
      "\"transform\", \"inputs\": [\"g\"], \"parms\": {\"r\": [0, 0, 10]}}, \"s\": {\"type\": \"liquidsolver\", "
      "\"inputs\": [\"pool\", \"m\"], \"parms\": {\"cfl\": 3, \"maxsubsteps\": 12}}",
      error);
  if (!result) result = rv_rig_scene_cook(&rig, "s:liquid", 4, &d, error);
  const float* P = result ? NULL : rv_detail_f32(d, RV_POINT, "P", 3);
  double c = rv_cos(rv_radians(10)), s = rv_sin(rv_radians(10));
  for (size_t i = 0; P && i < rv_detail_count(d, RV_POINT); ++i) {
    // Jets may have left the sheet over its edges.
    bool over = fabs(c * P[3 * i] + s * P[3 * i + 1]) < 1.9 && fabsf(P[3 * i + 2]) < 1.9f;
    passed += over && c * P[3 * i + 1] - s * P[3 * i] < 0;
  }
  if (!result) rv_check_emit(out, "sheet_passed", passed, 0, 0);
  rv_detail_free(d);
  rv_rig_scene_close(&rig);
  return result;
}

RvResult rv_check_obstacles(const RvCheckOut* out, RvError* error) {
  RvResult result = check_ball(out, error);
  return result ? result : check_sheet(out, error);
}

//---------------------------------------------------------------------------------------------- sources

// Numbers of rv_ledger.
enum { INITIAL, SOURCES, KILLED, EVAPORATED, OUTFLOW, LEDGER };

// The ledger and the sum of the particles' volumes at a frame.
static RvResult ledger_of(RvSceneRig* rig, double frame, double ledger[LEDGER], double* bulk, RvError* error) {
  RvDetail* d = NULL;
  RvResult result = rv_rig_scene_cook(rig, "s:3", frame, &d, error);
  if (!result) {
    const double* volume = rv_detail_f64(d, RV_POINT, "rv_volume", 1);
    memcpy(ledger, rv_detail_f64(d, RV_GLOBAL, "rv_ledger", LEDGER), LEDGER * sizeof *ledger);
    *bulk = 0;
    for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) *bulk += volume[i];
  }
  rv_detail_free(d);
  return result;
}

static const double PARTICLE = 1e-6;  // volume of a particle at a separation of 1 cm, m3

// A moving, rotating source at a constant rate: the volume that has flowed but makes no whole particle yet, in
// particles, is 0 to 1.
static RvResult check_rate(const RvCheckOut* out, RvError* error) {
  RvSceneRig rig = {0};
  double l[LEDGER] = {0}, bulk = 0;
  const double rate = 0.00217;  // m3/s, as in the scene
  RvResult result = rv_rig_scene_open(
      &rig,
      "\"a\": {\"type\": \"source\", \"parms\": {\"rate\": 0.00217, \"vel\": [1, -1, 0], \"spread\": 20, \"sourceid\": "
      "3}}, \"m\": {\"type\": \"transform\", \"inputs\": [\"a\"], \"parms\": {\"ry\": {\"keys\": [[1, 0], [24, 300]]}, "
      "\"tx\": {\"keys\": [[1, 0], [24, 0.3]]}}}, \"s\": {\"type\": \"liquidsolver\", \"inputs\": [null, null, "
      "\"m\"], \"parms\": {\"particlesep\": 0.01}}",
      error);
  double least_owed = 1e9, most_owed = -1e9;
  for (int frame = 2; frame <= 14 && !result; frame += 4) {
    result = ledger_of(&rig, frame, l, &bulk, error);
    double owed = (rate * (frame - 1) / 24.0 - l[SOURCES]) / PARTICLE;
    least_owed = fmin(least_owed, owed);
    most_owed = fmax(most_owed, owed);
  }
  rv_rig_scene_close(&rig);
  if (result) return result;
  rv_check_emit(out, "rate_least_owed", least_owed, 0.5, 0.500001);
  rv_check_emit(out, "rate_most_owed", most_owed, 0.5, 0.500001);
  return RV_OK;
}

// A filled region, a drain, an open side and a kill box at once.
static RvResult check_ledger(const RvCheckOut* out, RvError* error) {
  RvSceneRig rig = {0};
  double l[LEDGER] = {0}, bulk = 0, before = 0;
  RvResult result = rv_rig_scene_open(
      &rig,
      "\"pool\": {\"type\": \"fill\", \"parms\": {\"size\": [0.2, 0.05, 0.2], \"t\": [0, -0.075, 0], \"particlesep\": "
      "0.01}}, \"a\": {\"type\": \"source\", \"parms\": {\"mode\": \"fill\", \"shape\": \"box\", \"size\": [0.06, "
      "0.06, 0.06], \"t\": [0.03, 0.03, 0], \"sourceid\": 1}}, \"b\": {\"type\": \"source\", \"parms\": {\"mode\": "
      "\"sink\", \"shape\": \"box\", \"size\": [0.05, 0.05, 0.05], \"t\": [-0.06, -0.08, 0], \"sourceid\": 2}}, \"f\": "
      "{\"type\": \"merge\", \"inputs\": [\"a\", \"b\"]}, \"s\": {\"type\": \"liquidsolver\", \"inputs\": [\"pool\", "
      "null, \"f\"], \"parms\": {\"walls\": true, \"wallsmin\": [-0.1, -0.1, -0.1], \"wallsmax\": [0.1, 0.1, 0.1], "
      "\"wallpx\": false, \"killbox\": true, \"killmin\": [-1, -1, -0.06]}}",
      error);
  if (!result) result = ledger_of(&rig, 2, l, &before, error);
  if (!result) {
    // 6^3 sites of a centimetre.
    rv_check_emit(out, "filled", l[SOURCES] / (216 * PARTICLE), 1, 0.1);
    result = ledger_of(&rig, 14, l, &bulk, error);
  }
  if (!result) {
    double came = l[INITIAL] + l[SOURCES];
    rv_check_emit(out, "ledger", (bulk - came + l[KILLED] + l[EVAPORATED] + l[OUTFLOW]) / came, 0, 1e-12);
    // Every sink and source took part.
    rv_check_emit(out, "flows_missing", !(l[SOURCES] > 1e-4) + !(l[KILLED] > 1e-4) + !(l[OUTFLOW] > 1e-4), 0, 0);
  }
  rv_rig_scene_close(&rig);
  return result;
}

RvResult rv_check_sources(const RvCheckOut* out, RvError* error) {
  RvResult result = check_rate(out, error);
  return result ? result : check_ledger(out, error);
}
