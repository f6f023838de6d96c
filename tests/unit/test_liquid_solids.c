// Solids of the liquid from level sets against the same solids by formula, and what thin and moving ones must do.
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"
#include "liquid/solid_grids.h"
#include "liquid/transfer.h"
#include "support/rv_test.h"

#define DX 0.01

// a grid of all tiles that have cells in a box around the origin
static void make_grid(RvLiquidGrid* grid, int cells) {
  RvError error = {0};
  RvParticles p = {0};
  *grid = (RvLiquidGrid){.dx = DX, .origin = {0.0013, -0.0021, 0.0007}};
  for (int z = -cells; z < cells; z += 4)
    for (int y = -cells; y < cells; y += 4)
      for (int x = -cells; x < cells; x += 4) {
        size_t i = rv_liquid_particles_add(&p, (double[3]){x + 2.5, y + 2.5, z + 2.5});
        p.volume[i] = 1;
      }
  CHECK_OK(rv_liquid_particles_sort(&p, NULL, &error), error);
  CHECK_OK(rv_liquid_grid_build(grid, &p, &error), error);
  rv_liquid_particles_free(&p);
}

static RvGrid* make_ball(double radius, double voxel, double band) {
  RvError error = {0};
  RvGrid* grid = NULL;
  float zero[3] = {0}, r = (float)radius;
  CHECK_OK(rv_grid_from_spheres("collision", voxel, band, 1, zero, &r, &grid, &error), error);
  return grid;
}

static void walls_are_as_by_formula(void** state) {
  (void)state;
  RvLiquidGrid grid;
  RvLiquidSolids a = {0}, b = {0};
  make_grid(&grid, 16);
  RvSolidShape tank = {.kind = RV_SHAPE_BOX,
                       .inside_out = true,
                       .open_sides = 8,
                       .size = {0.1, 0.07, 0.11},
                       .velocity = {1, 2, 3},
                       .spin = {0, 0, 4},
                       .friction = 0.5};
  RvSolidShapes shapes = {1, &tank};
  assert_true(rv_liquid_solids_from_fn(&a, &grid, rv_liquid_solid_shapes_distance, &shapes));
  assert_true(rv_liquid_solids_from_grids(&b, &grid, NULL, 0, &shapes));
  size_t n = grid.tiles.count;
  assert_memory_equal(a.touched, b.touched, n);
  for (size_t i = 0; i < n * RV_TILE_CELLS; ++i) {
    CHECK_NEAR(a.distance.data[i], b.distance.data[i], 0);
    for (int x = 0; x < 3; ++x) {
      CHECK_NEAR(a.open[x].data[i], b.open[x].data[i], 0);
      if (a.distance.data[i] < 2 * DX) CHECK_NEAR(a.velocity[x].data[i], b.velocity[x].data[i], 0);
    }
  }
  rv_liquid_solids_free(&a);
  rv_liquid_solids_free(&b);
  rv_liquid_grid_free(&grid);
}

static uint64_t hash_of(const RvLiquidSolids* s, size_t tiles) {
  RvHasher h = rv_hasher_new(1);
  rv_hasher_add(&h, s->touched, tiles);
  for (int a = 0; a < 3; ++a) {
    rv_hasher_add(&h, s->open[a].data, tiles * 2048);
    rv_hasher_add(&h, s->velocity[a].data, tiles * 2048);
  }
  rv_hasher_add(&h, s->distance.data, tiles * 2048);
  return rv_hasher_done(&h);
}

// a ball as a level set that is turned and moved, against the formula
static void ball_is_as_by_formula(void** state) {
  (void)state;
  RvLiquidGrid grid;
  RvLiquidSolids a = {0}, b = {0};
  make_grid(&grid, 24);
  double c[3] = {0.013, -0.02, 0.04};
  RvSolidShape ball = {.kind = RV_SHAPE_SPHERE, .size = {0.08}, .velocity = {0.3, -1, 0.2}, .spin = {5, 2, -7}};
  memcpy(ball.center, c, sizeof c);
  RvSolidShapes shapes = {1, &ball};
  RvGrid* level = make_ball(0.08, DX / 3, 14);
  RvLiquidSolid solid = {.placed = {.distance = level, .turn = rv_quat_axis_angle(rv_vec3(0.6, 0, 0.8), 2)}};
  solid.placed.to = rv_vec3_load64(c);
  solid.friction = 0.25;
  memcpy(solid.center, c, sizeof c);
  memcpy(solid.linear, ball.velocity, sizeof c);
  memcpy(solid.angular, ball.spin, sizeof c);
  assert_true(rv_liquid_solids_from_fn(&a, &grid, rv_liquid_solid_shapes_distance, &shapes));
  uint64_t first = 0;
  for (int workers = 1; workers <= 4; ++workers) {
    rv_threads_set(workers);
    assert_true(rv_liquid_solids_from_grids(&b, &grid, &solid, 1, NULL));
    uint64_t hash = hash_of(&b, grid.tiles.count);
    if (workers == 1) first = hash;
    assert_true(hash == first);
  }
  rv_threads_set(0);
  double area[2][3] = {{0}};
  for (size_t t = 0; t < grid.tiles.count; ++t)
    for (size_t i = t * RV_TILE_CELLS; a.touched[t] && i < (t + 1) * RV_TILE_CELLS; ++i) {
      // a level set of thirds of a cell is linear between its voxels: h^2 / 8 of the curvature
      if (fabsf(a.distance.data[i]) < 1.5f * (float)DX) CHECK_NEAR(b.distance.data[i], a.distance.data[i], 0.01 * DX);
      for (int x = 0; x < 3; ++x) {
        area[0][x] += 1 - (double)a.open[x].data[i];
        area[1][x] += 1 - (double)b.open[x].data[i];
        if (a.distance.data[i] < 2 * DX) {
          assert_true(b.touched[t]);
          CHECK_NEAR(b.velocity[x].data[i], a.velocity[x].data[i], 1e-6);
          CHECK_NEAR(b.friction.data[i], 0.25, 1e-7);
        }
      }
    }
  // closed area times the side is the volume, whichever way the faces look
  double volume = 4.0 / 3 * acos(-1) * 0.08 * 0.08 * 0.08;
  for (int x = 0; x < 3; ++x) CHECK_NEAR(area[1][x] * DX * DX * DX, volume, 0.01 * volume);
  rv_liquid_solids_free(&a);
  rv_liquid_solids_free(&b);
  rv_liquid_grid_free(&grid);
  rv_grid_release(level);
}

// no row of cells goes through a plate thinner than a cell with all of its faces open
// tiles that come, go and change places: some of a cube of them
static void some_tiles(RvLiquidGrid* grid, uint64_t seed) {
  int32_t coord[125][3];
  size_t count = 0;
  for (int k = 0; k < 125; ++k) {
    int32_t c[3] = {k % 5 - 2, k / 5 % 5 - 2, k / 25 - 2};
    if (rv_random(seed, 0, (uint64_t)k, 0) < 0.6) memcpy(coord[count++], c, sizeof c);
  }
  RvError error = {0};
  *grid = (RvLiquidGrid){.dx = DX, .origin = {0.0013, -0.0021, 0.0007}, .tiles = grid->tiles};
  CHECK_OK(rv_tiles_build_coords(&grid->tiles, (const int32_t(*)[3])coord, count, &error), error);
}

static void same_channels(const RvChannel* a, const RvChannel* b, size_t t) {
  assert_memory_equal(a->data + t * RV_TILE_CELLS, b->data + t * RV_TILE_CELLS, RV_TILE_CELLS * sizeof(float));
}

static void what_stands_still_is_kept(void** state) {
  (void)state;
  RvLiquidGrid grid = {0};
  RvLiquidSolids kept = {0};
  RvSolidShape shape[2] = {
      {.kind = RV_SHAPE_BOX, .inside_out = true, .size = {0.1, 0.07, 0.11}, .friction = 0.5},
      {.kind = RV_SHAPE_SPHERE, .center = {0.02, 0.03, -0.01}, .size = {0.031}, .friction = 0.25},
  };
  RvSolidShapes shapes = {2, shape};
  for (uint64_t k = 0; k < 12; ++k) {
    RvLiquidSolids fresh = {0};
    some_tiles(&grid, k);
    // at last the ball has moved, then moves: nothing of before may stay
    if (k == 9) shape[1].center[0] = 0.01;
    if (k == 10) shape[1].velocity[1] = 1;
    assert_true(rv_liquid_solids_from_fn(&kept, &grid, rv_liquid_solid_shapes_distance, &shapes));
    assert_true(rv_liquid_solids_from_fn(&fresh, &grid, rv_liquid_solid_shapes_distance, &shapes));
    size_t stayed = 0;
    for (size_t t = 0; t < grid.tiles.count; ++t) {
      stayed += kept.from[t] >= 0;
      assert_int_equal(kept.touched[t], fresh.touched[t]);
      same_channels(&kept.distance, &fresh.distance, t);
      for (int a = 0; a < 3; ++a) same_channels(&kept.open[a], &fresh.open[a], t);
      if (fresh.touched[t]) same_channels(&kept.friction, &fresh.friction, t);
      for (int a = 0; a < 3 && k >= 10; ++a) same_channels(&kept.velocity[a], &fresh.velocity[a], t);
    }
    assert_int_equal(kept.velocity[0].data != NULL, k >= 10);
    assert_int_equal(stayed > grid.tiles.count / 10, k > 0 && k < 9);
    rv_liquid_solids_free(&fresh);
  }
  rv_liquid_solids_free(&kept);
  rv_tiles_free(&grid.tiles);
}

static void thin_plates_close(void** state) {
  (void)state;
  RvError error = {0};
  RvLiquidGrid grid;
  make_grid(&grid, 24);
  for (int k = 0; k < 6; ++k) {
    double thick = k % 3 == 0 ? 0.15 * DX : k % 3 == 1 ? 0.4 * DX : 0.9 * DX, w = 0.3;
    float points[24];
    static const int32_t triangles[36] = {0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                          2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
    for (int i = 0; i < 8; ++i) {
      points[3 * i] = (float)(i & 1 ? w : -w);
      points[3 * i + 2] = (float)(i >> 2 ? w : -w);
      points[3 * i + 1] = (float)(i >> 1 & 1 ? thick / 2 : -thick / 2);
    }
    RvGrid* level = NULL;
    CHECK_OK(rv_grid_from_mesh("collision", DX / 2, 6, 8, points, 12, triangles, false, &level, &error), error);
    RvLiquidSolids s = {0};
    RvLiquidSolid solid = {.placed = {.distance = level, .thicken = rv_liquid_solid_thicken(level, DX)}};
    solid.placed.turn = rv_quat_axis_angle(rv_normalize(rv_vec3(1, 0, k * 0.3), rv_vec3(1, 0, 0)), 0.1 * k);
    solid.placed.to = rv_vec3(0, 0.0007 * k, 0);
    assert_true(rv_liquid_solids_from_grids(&s, &grid, &solid, 1, NULL));
    for (int z = -20; z < 20; ++z)
      for (int x = -20; x < 20; ++x) {
        float least = 1, deepest = 1;
        for (int y = -24; y < 24; ++y) {
          int64_t at = rv_tiles_locate(&grid.tiles, x, y, z);
          assert_true(at >= 0);
          least = fminf(least, s.open[1].data[at]);
          deepest = fminf(deepest, s.distance.data[at]);
        }
        if (!(least < 0.35f) || !(deepest < 0)) fail_msg("plate %d leaks at %d %d: %g", k, x, z, (double)least);
      }
    rv_liquid_solids_free(&s);
    rv_grid_release(level);
  }
  rv_liquid_grid_free(&grid);
}

// two solids and a tank: the nearest one speaks
static void nearest_of_many(void** state) {
  (void)state;
  RvLiquidGrid grid;
  make_grid(&grid, 24);
  RvGrid* level = make_ball(0.05, DX / 2, 10);
  RvLiquidSolid two[2] = {
      {.placed = {.distance = level, .turn = rv_quat_identity(), .to = {-0.1, 0, 0}}, .friction = 1},
      {.placed = {.distance = level, .turn = rv_quat_identity(), .to = {0.1, 0, 0}}}};
  two[0].linear[1] = 1;
  two[1].linear[1] = -2;
  RvSolidShape floor = {.kind = RV_SHAPE_PLANE, .center = {0, -0.12, 0}, .size = {0, 1, 0}, .velocity = {0, 9, 0}};
  RvSolidShapes shapes = {1, &floor};
  RvLiquidSolids s = {0};
  assert_true(rv_liquid_solids_from_grids(&s, &grid, two, 2, &shapes));
  for (size_t t = 0; t < grid.tiles.count; ++t)
    for (int k = 0; k < RV_TILE_CELLS; ++k) {
      size_t i = t * RV_TILE_CELLS + (size_t)k;
      double x[3], best = RV_SOLID_FAR, v = 0, second;
      for (int a = 0; a < 3; ++a) x[a] = rv_liquid_corner(&grid, t, a, k >> (3 * a) & 7);
      for (int b = -1; b <= 1; b += 2) {
        double d = sqrt((x[0] - 0.1 * b) * (x[0] - 0.1 * b) + x[1] * x[1] + x[2] * x[2]) - 0.05;
        if (d < best) {
          best = d;
          v = b < 0 ? 1 : -2;
        }
      }
      second = x[1] + 0.12;
      if (fabs(best - second) < 2 * DX) continue;
      if (second < best) {
        best = second;
        v = 9;
      }
      if (fabs(best) > 2 * DX) continue;
      assert_true(s.touched[t]);
      CHECK_NEAR(s.distance.data[i], best, 0.03 * DX);
      CHECK_NEAR(s.velocity[1].data[i], v, 1e-6);
      CHECK_NEAR(s.friction.data[i], v == 1 ? 1 : 0, 1e-6);
    }
  // as a region
  RvSolidUnion both = {two, 2, &shapes};
  RvRegion r = rv_liquid_region_solids(&both);
  double at[9] = {0.1, 0.01, 0, 0, 0.1, 0, 0.5, -0.2, 0.7};
  float d[3];
  assert_true(r.distance(r.user, 3, at, d));
  assert_true(d[0] < 0 && d[1] > 0 && d[2] < 0);
  CHECK_NEAR(d[2], -0.08, 1e-6);
  rv_liquid_solids_free(&s);
  rv_liquid_grid_free(&grid);
  rv_grid_release(level);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(walls_are_as_by_formula),   cmocka_unit_test(ball_is_as_by_formula),
      cmocka_unit_test(what_stands_still_is_kept), cmocka_unit_test(thin_plates_close),
      cmocka_unit_test(nearest_of_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
