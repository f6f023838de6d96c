// The lattice under fill: draws among equal cells, and errors of the shape that is asked.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/lattice.h"
#include "support/rv_test.h"

typedef struct Slab {
  double height;      // inside below it
  double fails_from;  // places with a z above it cannot be asked
} Slab;

static RvResult slab_distance(const void* arg, size_t count, const double* positions, float* out, RvError* error) {
  const Slab* s = arg;
  for (size_t i = 0; i < count; ++i) {
    if (positions[3 * i + 2] > s->fails_from)
      return rv_fail(error, RV_BAD_FILE, "leaf at z %.0f is damaged", floor(positions[3 * i + 2] / 8));
    out[i] = (float)(positions[3 * i + 1] - s->height);
  }
  return RV_OK;
}

// a slab of 64 x 64 cells whose surface covers a quarter of the topmost layer
static RvLattice slab(const Slab* s, double depth) {
  RvError error = {0};
  RvLattice lattice = {.spacing = 1, .distance = slab_distance, .arg = s, .metric = true};
  const double lo[3] = {0.5, 0.5, 0.5}, hi[3] = {63.5, s->height + 0.5, depth - 0.5};
  CHECK_OK(rv_lattice_begin(&lattice, lo, hi, &error), error);
  const double top[3] = {0, s->height - 0.5, 0}, end[3] = {64, s->height + 0.5, depth};
  rv_lattice_mark(&lattice, top, end);
  return lattice;
}

// what is known before memory is taken
static void survey_counts_blocks(void** state) {
  (void)state;
  RvError error = {0};
  Slab s = {17.25, INFINITY};
  RvLattice lattice = slab(&s, 64);
  CHECK_OK(rv_lattice_survey(&lattice, &error), error);
  assert_int_equal(lattice.nfull, 2 * 8 * 8);
  assert_int_equal(lattice.nused, 3 * 8 * 8);
  assert_null(lattice.parts);
  rv_lattice_free(&lattice);
}

// a quarter of the 4096 cells of the top layer are taken: as many as there must be, spread evenly, and others by
// another seed
static void ties_are_drawn(void** state) {
  (void)state;
  RvError error = {0};
  Slab s = {17.25, INFINITY};
  bool taken[2][4096] = {{0}};
  for (uint64_t seed = 0; seed < 2; ++seed) {
    RvLattice lattice = slab(&s, 64);
    CHECK_OK(rv_lattice_survey(&lattice, &error), error);
    CHECK_OK(rv_lattice_measure(&lattice, &error), error);
    assert_int_equal(lattice.count, 17 * 4096 + 1024);
    CHECK_OK(rv_lattice_take(&lattice, seed, &error), error);
    assert_int_equal(lattice.count, 17 * 4096 + 1024);
    float* p = rv_alloc(lattice.count, 3 * sizeof *p);
    CHECK_OK(rv_lattice_positions(&lattice, 0, seed, p, &error), error);
    size_t top = 0, quarter[4] = {0};
    for (size_t i = 0; i < lattice.count; ++i) {
      if (p[3 * i + 1] < 17) continue;
      int x = (int)p[3 * i], z = (int)p[3 * i + 2];
      assert_false(taken[seed][64 * z + x]);
      taken[seed][64 * z + x] = true;
      quarter[(x >= 32) + 2 * (z >= 32)]++;
      ++top;
    }
    assert_int_equal(top, 1024);
    // 256 of 1024 without putting back have a deviation of 12; five of them
    for (int k = 0; k < 4; ++k) assert_in_range(quarter[k], 256 - 60, 256 + 60);
    rv_free(p);
    rv_lattice_free(&lattice);
  }
  assert_true(memcmp(taken[0], taken[1], sizeof taken[0]) != 0);
}

// the shape's own error comes through, of the lowest block, for any number of threads
static void errors_are_kept(void** state) {
  (void)state;
  const int threads[] = {1, 2, 8};
  for (int i = 0; i < 3; ++i) {
    rv_threads_set(threads[i]);
    RvError error = {0};
    Slab s = {17.25, 64 * 8 + 1};
    RvLattice lattice = slab(&s, 4096 * 8);
    CHECK_FAILS(rv_lattice_survey(&lattice, &error), RV_BAD_FILE, error, "leaf at z 64 is damaged");
    s.fails_from = INFINITY;
    CHECK_OK(rv_lattice_survey(&lattice, &error), error);
    s.fails_from = 40 * 8 + 1;
    CHECK_FAILS(rv_lattice_measure(&lattice, &error), RV_BAD_FILE, error, "leaf at z 40 is damaged");
    rv_lattice_free(&lattice);
  }
  rv_threads_set(0);
}

// cells that are 2^21 of them apart have random numbers of their own
static void jitter_does_not_repeat(void** state) {
  (void)state;
  enum { APART = 1 << 21, CELLS = 64 * 64 * 17 };
  RvError error = {0};
  Slab s = {17, INFINITY};
  float* p[2];
  for (int k = 0; k < 2; ++k) {
    RvLattice lattice = slab(&s, 64);
    // the same blocks, with other coordinates
    lattice.anchor[0] = -(double)k * APART;
    lattice.first[0] += k * APART / RV_LATTICE_BLOCK;
    CHECK_OK(rv_lattice_survey(&lattice, &error), error);
    CHECK_OK(rv_lattice_measure(&lattice, &error), error);
    CHECK_OK(rv_lattice_take(&lattice, 0, &error), error);
    assert_int_equal(lattice.count, CELLS);
    p[k] = rv_alloc(lattice.count, 3 * sizeof *p[k]);
    CHECK_OK(rv_lattice_positions(&lattice, 1, 0, p[k], &error), error);
    rv_lattice_free(&lattice);
  }
  size_t same = 0;
  for (size_t i = 0; i < 3 * CELLS; ++i) same += p[0][i] == p[1][i];
  // random numbers of 24 bits agree once in 2^24: hardly ever among 2^18
  assert_in_range(same, 0, 10);
  rv_free(p[0]);
  rv_free(p[1]);
}

RV_TESTS(cmocka_unit_test(survey_counts_blocks), cmocka_unit_test(ties_are_drawn), cmocka_unit_test(errors_are_kept),
         cmocka_unit_test(jitter_does_not_repeat))
