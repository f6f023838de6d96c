// Particles and their transfers: the sort against plain rules, the sums on faces against a brute-force oracle, and the
// same bits whatever the order of input, the workers and the instruction set.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/hash.h"
#include "base/rng.h"
#include "liquid/transfer.h"
#include "support/rv_test.h"

enum { N = 4000 };
#define DX 0.01
#define DENSITY 1000.0

// a cloud over several tiles around a far place, with affine motion and unequal volumes
static void make_cloud(RvParticles* p, int n, double spread, bool turned) {
  for (int k = 0; k < n; ++k) {
    uint64_t i = (uint64_t)(turned ? n - 1 - k : k);
    double cell[3];
    for (int a = 0; a < 3; ++a) cell[a] = 100000.0 + spread * rv_random(5, i, (uint64_t)a, 0);
    size_t at = rv_liquid_particles_add(p, cell);
    assert_int_equal(at, (size_t)k);
    for (int a = 0; a < 3; ++a) p->v[a][at] = (float)rv_random(6, i, (uint64_t)a, 0) - 0.3f;
    for (int a = 0; a < 9; ++a) p->c[a][at] = 40 * ((float)rv_random(7, i, (uint64_t)a, 0) - 0.5f);
    p->volume[at] = 1e-7 * (0.5 + rv_random(8, i, 0, 0));
    p->id[at] = (int64_t)i * 3 + 7;
    p->row[at] = (int32_t)(i % 5);
    p->age[at] = (float)i;
  }
}

static uint64_t hash_all(const RvParticles* p) {
  RvHasher h = rv_hasher_new(1);
  for (int a = 0; a < 3; ++a) {
    rv_hasher_add(&h, p->x[a], p->count * 4);
    rv_hasher_add(&h, p->v[a], p->count * 4);
  }
  for (int a = 0; a < 9; ++a) rv_hasher_add(&h, p->c[a], p->count * 4);
  rv_hasher_add(&h, p->volume, p->count * 8);
  rv_hasher_add(&h, p->id, p->count * 8);
  rv_hasher_add(&h, p->home, p->count * 4);
  return rv_hasher_done(&h);
}

static void sort_keeps_all_and_orders_them(void** state) {
  (void)state;
  RvParticles p = {0};
  RvError error = {0};
  make_cloud(&p, N, 30, false);
  static double before[N][3];
  for (size_t i = 0; i < N; ++i) rv_liquid_particles_place(&p, i, before[(p.id[i] - 7) / 3]);
  CHECK_OK(rv_liquid_particles_sort(&p, NULL, &error), error);
  assert_int_equal(p.count, N);
  assert_true(rv_liquid_particles_bytes(&p) <= 110 * p.capacity);
  static uint8_t seen[N];
  memset(seen, 0, sizeof seen);
  for (size_t t = 0; t < p.homes.count; ++t)
    for (int k = 0; k < RV_TILE_CELLS; ++k)
      for (size_t i = p.cell_first[t * 512 + (size_t)k]; i < p.cell_first[t * 512 + (size_t)k + 1]; ++i) {
        size_t was = (size_t)(p.id[i] - 7) / 3;
        double cell[3];
        rv_liquid_particles_place(&p, i, cell);
        assert_memory_equal(cell, before[was], sizeof cell);
        assert_int_equal(p.home[i], t);
        assert_int_equal(rv_tile_cell((int)p.x[0][i], (int)p.x[1][i], (int)p.x[2][i]), k);
        assert_int_equal(p.row[i], was % 5);
        assert_true(p.age[i] == (float)was && p.v[2][i] == (float)rv_random(6, was, 2, 0) - 0.3f);
        assert_true(p.c[8][i] == 40 * ((float)rv_random(7, was, 8, 0) - 0.5f));
        assert_false(seen[was]++);
      }
  rv_liquid_particles_free(&p);
}

static void moved_particles_find_their_tiles(void** state) {
  (void)state;
  RvParticles p = {0};
  RvError error = {0};
  RvParticlesLost lost = {0};
  make_cloud(&p, 6, 2, false);
  CHECK_OK(rv_liquid_particles_sort_by_id(&p, &lost, &error), error);
  size_t at[6];
  for (size_t i = 0; i < 6; ++i) at[(p.id[i] - 7) / 3] = i;
  double expected[3], got[3];
  rv_liquid_particles_place(&p, at[0], expected);
  expected[0] += 16;
  expected[1] -= 8;
  p.x[0][at[0]] += 16;
  p.x[1][at[0]] -= 8;      // whole tiles: no rounding but that of the float itself
  p.x[1][at[1]] = -1e-9f;  // rounds up into the same tile's lower corner
  p.x[2][at[2]] = NAN;     // lost
  p.x[2][at[3]] = 1e30f;   // lost
  p.volume[at[4]] = 0;     // dead
  double volume = p.volume[at[2]] + p.volume[at[3]];
  CHECK_OK(rv_liquid_particles_sort(&p, &lost, &error), error);
  assert_int_equal(p.count, 3);
  assert_int_equal(lost.count, 2);
  CHECK_NEAR(lost.volume, volume, 1e-20);
  for (size_t i = 0; i < 3; ++i) {
    rv_liquid_particles_place(&p, i, got);
    for (int a = 0; a < 3; ++a) assert_true(p.x[a][i] >= 0 && p.x[a][i] < 8);
    if (p.id[i] == 7)
      for (int a = 0; a < 3; ++a) CHECK_NEAR(got[a], expected[a], 1e-6);
  }
  // none at all is fine
  for (size_t i = 0; i < 3; ++i) p.volume[i] = 0;
  CHECK_OK(rv_liquid_particles_sort(&p, &lost, &error), error);
  assert_int_equal(p.count, 0);
  assert_int_equal(rv_liquid_particles_add(&p, (double[3]){NAN, 0, 0}), SIZE_MAX);
  assert_int_equal(rv_liquid_particles_add(&p, (double[3]){0, 1e12, 0}), SIZE_MAX);
  rv_liquid_particles_free(&p);
}

// Particles that give a part of their volume are in order, and a sort leaves them as they are; one that came or left is
// noticed.
static void order_is_known(void** state) {
  (void)state;
  RvParticles p = {0};
  RvError error = {0};
  make_cloud(&p, N, 30, false);
  assert_false(rv_liquid_particles_in_order(&p));
  CHECK_OK(rv_liquid_particles_sort(&p, NULL, &error), error);
  for (size_t i = 0; i < N; i += 3) p.volume[i] *= 0.5;
  uint64_t before = hash_all(&p), tiles = p.homes.count;
  assert_true(rv_liquid_particles_in_order(&p));
  CHECK_OK(rv_liquid_particles_sort(&p, NULL, &error), error);
  assert_true(hash_all(&p) == before && p.homes.count == tiles && p.count == N);
  // one is empty, one is no number, one is new
  const double bad[] = {0, -1e-9, NAN, INFINITY};
  for (size_t k = 0; k < 4; ++k) {
    double volume = p.volume[N - 1];
    p.volume[N - 1] = bad[k];
    assert_false(rv_liquid_particles_in_order(&p));
    p.volume[N - 1] = volume;
  }
  assert_true(rv_liquid_particles_in_order(&p));
  size_t one = rv_liquid_particles_add(&p, (double[3]){100000, 100000, 100000});
  p.volume[one] = 1e-7;
  assert_false(rv_liquid_particles_in_order(&p));
  rv_liquid_particles_free(&p);
}

typedef struct Rig {
  RvParticles p;
  RvLiquidGrid grid;
  RvScatter scatter;
} Rig;

static void to_grid(Rig* rig) {
  RvError error = {0};
  rig->grid.dx = DX;
  CHECK_OK(rv_liquid_grid_build(&rig->grid, &rig->p, &error), error);
  CHECK_OK(rv_liquid_to_grid(&rig->grid, &rig->scatter, &rig->p, DENSITY, NULL, &error), error);
}

static void free_rig(Rig* rig) {
  rv_liquid_particles_free(&rig->p);
  rv_liquid_grid_free(&rig->grid);
  rv_liquid_scatter_free(&rig->scatter);
}

static double hat(double s) {
  return fabs(s) < 1 ? 1 - fabs(s) : 0;
}

// every face by the definition (28), over all particles
static void faces_get_the_sums_of_the_definition(void** state) {
  (void)state;
  Rig rig = {0};
  RvError error = {0};
  make_cloud(&rig.p, 300, 11, false);
  CHECK_OK(rv_liquid_particles_sort(&rig.p, NULL, &error), error);
  to_grid(&rig);
  const RvTiles* tiles = &rig.grid.tiles;
  for (size_t t = 0; t < tiles->count; ++t)
    for (int k = 0; k < RV_TILE_CELLS; ++k)
      for (int a = 0; a < 4; ++a) {  // 3: the cell's centre
        double node[3], mass = 0, momentum = 0;
        int at[3] = {k & 7, k >> 3 & 7, k >> 6};
        for (int b = 0; b < 3; ++b) node[b] = tiles->coord[t][b] * 8 + at[b] + (a == b ? 0 : 0.5);
        for (size_t i = 0; i < rig.p.count; ++i) {
          double x[3], w = DENSITY * rig.p.volume[i];
          rv_liquid_particles_place(&rig.p, i, x);
          for (int b = 0; b < 3; ++b) w *= hat(node[b] - x[b]);
          if (w == 0) continue;
          mass += w;
          if (a == 3) continue;
          double q = rig.p.v[a][i];
          for (int b = 0; b < 3; ++b) q += rig.p.c[3 * a + b][i] * (node[b] - x[b]) * DX;
          momentum += w * q;
        }
        size_t cell = t * 512 + (size_t)k;
        // units in the last place of floats near 1e-4 kg
        if (a == 3) {
          CHECK_NEAR(rig.grid.fill.data[cell], mass / DENSITY / (DX * DX * DX), 1e-6);
          continue;
        }
        CHECK_NEAR(rig.grid.mass[a].data[cell], mass, 1e-10);
        CHECK_NEAR(rig.grid.momentum[a].data[cell], momentum, 1e-10);
      }
  free_rig(&rig);
}

static uint64_t run(bool turned, int workers) {
  Rig rig = {0};
  RvError error = {0};
  rv_threads_set(workers);
  make_cloud(&rig.p, N, 30, turned);
  CHECK_OK(rv_liquid_particles_sort_by_id(&rig.p, NULL, &error), error);
  for (int step = 0; step < 3; ++step) {
    CHECK_OK(rv_liquid_particles_sort(&rig.p, NULL, &error), error);
    to_grid(&rig);
    rv_liquid_grid_velocity(&rig.grid);
    rv_liquid_from_grid(&rig.grid, &rig.scatter, &rig.p, 0.01);
  }
  uint64_t hash = hash_all(&rig.p);
  free_rig(&rig);
  rv_threads_set(0);
  return hash;
}

static void same_bits_for_any_order_workers_and_path(void** state) {
  (void)state;
  uint64_t expected = run(false, 1);
  assert_true(run(true, 5) == expected);
  for (int isa = 0; isa < RV_ISA_COUNT; ++isa)
    if (rv_cpu_force((RvIsa)isa)) assert_true(run(isa == 1, isa + 1) == expected);
  rv_cpu_force(RV_ISA_COUNT);
}

// the grid holds a linear field: what comes back is that field and its slopes, and a move follows its flow
static void linear_fields_are_sampled_exactly(void** state) {
  (void)state;
  Rig rig = {0};
  RvError error = {0};
  const double A[3][3] = {{0.2, -3, 1}, {2, 0.1, -1}, {0.5, 4, -0.3}}, u0[3] = {0.1, -0.2, 0.3}, x0 = 100005;
  make_cloud(&rig.p, 500, 10, false);
  CHECK_OK(rv_liquid_particles_sort(&rig.p, NULL, &error), error);
  to_grid(&rig);
  for (size_t t = 0; t < rig.grid.tiles.count; ++t)
    for (int k = 0; k < RV_TILE_CELLS; ++k)
      for (int a = 0; a < 3; ++a) {
        int at[3] = {k & 7, k >> 3 & 7, k >> 6};
        double u = u0[a];
        for (int b = 0; b < 3; ++b)
          u += A[a][b] * DX * (rig.grid.tiles.coord[t][b] * 8 + at[b] + (a == b ? 0 : 0.5) - x0);
        rig.grid.velocity[a].data[t * 512 + (size_t)k] = (float)u;
      }
  double(*before)[3] = malloc(500 * sizeof *before);
  for (size_t i = 0; i < 500; ++i) rv_liquid_particles_place(&rig.p, i, before[i]);
  const double dt = 0.02;
  rv_liquid_from_grid(&rig.grid, &rig.scatter, &rig.p, dt);
  for (size_t i = 0; i < 500; ++i) {
    // the flow of u = u0 + A x: Taylor's series of the exponential, to the third order as the method
    double x[3], y[3], term[3], now[3];
    for (int a = 0; a < 3; ++a) {
      x[a] = (before[i][a] - x0) * DX;
      y[a] = x[a];
      term[a] = 0;
    }
    for (int order = 1; order <= 3; ++order) {
      double next[3];
      for (int a = 0; a < 3; ++a) {
        next[a] = order == 1 ? u0[a] : 0;
        for (int b = 0; b < 3; ++b) next[a] += A[a][b] * (order == 1 ? x[b] : term[b]);
      }
      for (int a = 0; a < 3; ++a) {
        if (order == 1) CHECK_NEAR(rig.p.v[a][i], next[a], 1e-6);
        for (int b = 0; b < 3; ++b) CHECK_NEAR(rig.p.c[3 * a + b][i], A[a][b], 2e-4);  // 1e-6 m/s over a cell and more
        term[a] = next[a] * dt / order;
        y[a] += term[a];
      }
    }
    rv_liquid_particles_place(&rig.p, i, now);
    for (int a = 0; a < 3; ++a) CHECK_NEAR((now[a] - x0) * DX, y[a], 1e-7);
  }
  free(before);
  free_rig(&rig);
}

RV_TESTS(cmocka_unit_test(sort_keeps_all_and_orders_them), cmocka_unit_test(moved_particles_find_their_tiles),
         cmocka_unit_test(order_is_known), cmocka_unit_test(faces_get_the_sums_of_the_definition),
         cmocka_unit_test(same_bits_for_any_order_workers_and_path),
         cmocka_unit_test(linear_fields_are_sampled_exactly))
