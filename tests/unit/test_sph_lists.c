// Neighbour lists and liquid: complete and thinned lists in crowds; same bits for any threads and instruction set,
// lists of particles in one place end, places that are no numbers or too far apart are refused.
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"
#include "rig/lookdev_pore.h"
#include "sph/crowd.h"
#include "support/rv_test.h"

enum { COUNT = 3000 };

static double places[3 * COUNT];

static void scatter(void) {
  for (size_t i = 0; i < COUNT; ++i)
    for (size_t a = 0; a < 3; ++a) places[3 * i + a] = 0.06 * (rv_random(5, i, a, 0) - 0.5);
}

// Hash of the lists of a cloud.
static uint64_t hash_lists(void) {
  RvError error = {0};
  RvArena* arena = rv_arena_new(1 << 16);
  const double* sets[] = {places};
  const size_t counts[] = {COUNT};
  RvSphLattice lattice;
  RvSphSet set;
  RvSphLists lists;
  scatter();
  CHECK_OK(rv_sph_lattice_fit(&lattice, 0.01, 1, sets, counts, &error), error);
  CHECK_OK(rv_sph_set_sort(&set, &lattice, places, NULL, COUNT, arena, &error), error);
  CHECK_OK(rv_sph_lists_find(&lists, &lattice, &set, &set, arena, &error), error);
  uint64_t hash = 0;
  for (size_t i = 0; i < COUNT; ++i)
    hash ^= rv_hash(lists.index + 8 * (size_t)lists.first[i], 32 * (size_t)lists.groups[i], i);
  rv_arena_free(arena);
  return hash;
}

static void lists_have_the_same_bits(void** state) {
  (void)state;
  rv_test_same_bits(hash_lists);
}

// Hash of liquid and pores after some substeps.
static uint64_t hash_liquid(void) {
  RvError error = {0};
  RvLookdevLiquidModel liquid = rv_lookdev_liquid_defaults(0.005);
  RvPoreModel model = rv_pore_defaults();
  RvPoreRig rig;
  const double low[3] = {-0.02, -0.02, -0.02};
  const double high[3] = {0.02, 0.02, 0.02};
  model.drying = 1e-6;
  CHECK_OK(rv_rig_pore_new(&rig, &liquid, &model, 5, 0.004, 8, 0.06, 70, &error), error);
  RvCollider ball = {.shape = RV_COLLIDER_SPHERE, .radius = 0.015, .orientation = {0, 0, 0, 1}, .friction = 0.3};
  ball.position = rv_vec3(0, -0.05, 0);
  rig.bulk.liquid.solids.colliders = &ball;
  rig.bulk.liquid.solids.ncollider = 1;
  CHECK_OK(rv_rig_lookdev_liquid_fill(&rig.bulk, low, high, 0.3, &error), error);
  for (int f = 0; f < 4; ++f) CHECK_OK(rv_rig_pore_frame(&rig, 1.0 / 30, 5, &error), error);
  const RvParticles* p = &rig.bulk.particles;
  uint64_t hash = rv_hash(rig.pores.held, rig.pores.count * sizeof(double), 1);
  for (int a = 0; a < 3; ++a) hash = rv_hash(p->x[a], p->count * sizeof(float), hash);
  for (int a = 0; a < 3; ++a) hash = rv_hash(p->v[a], p->count * sizeof(float), hash);
  hash = rv_hash(rig.force, 3 * rig.pores.points * sizeof(double), hash);
  rv_rig_pore_free(&rig);
  return hash;
}

static void liquid_and_pores_have_the_same_bits(void** state) {
  (void)state;
  rv_test_same_bits(hash_liquid);
}

// Liquid runs down alike in all strands, in whichever task a strand is: strands far apart, more pores than a task has.
static void strands_drain_alike(void** state) {
  (void)state;
  enum { SIDE = 15, POINTS = 19, PORES = POINTS - 1, STRANDS = SIDE * SIDE };
  RvError error = {0};
  RvLookdevLiquidModel liquid = rv_lookdev_liquid_defaults(0.005);
  RvPoreModel model = rv_pore_defaults();
  RvPoreRig rig;
  CHECK_OK(rv_rig_pore_new(&rig, &liquid, &model, SIDE, 0.05, POINTS, 0.09, 70, &error), error);
  for (size_t k = 0; k < rig.pores.count; ++k) rig.pores.held[k] = 1e-7;
  CHECK_OK(rv_rig_pore_frame(&rig, 1.0 / 30, 1, &error), error);
  // The lowest pore lets a drop fall, the highest one has run down.
  assert_true(rig.pores.held[0] < 0.95e-7);
  assert_int_equal(rig.bulk.particles.count, STRANDS);
  for (size_t k = PORES; k < rig.pores.count; ++k)
    assert_true(fabs(rig.pores.held[k] / rig.pores.held[k % PORES] - 1) < 1e-4);
  rv_rig_pore_free(&rig);
}

static void crowds_end_in_full_lists(void** state) {
  (void)state;
  RvError error = {0};
  RvArena* arena = rv_arena_new(1 << 16);
  const double* sets[] = {places};
  const size_t counts[] = {COUNT};
  RvSphLattice lattice;
  RvSphSet set;
  RvSphLists lists;
  memset(places, 0, sizeof places);
  CHECK_OK(rv_sph_lattice_fit(&lattice, 0.01, 1, sets, counts, &error), error);
  CHECK_OK(rv_sph_set_sort(&set, &lattice, places, NULL, COUNT, arena, &error), error);
  CHECK_OK(rv_sph_lists_find(&lists, &lattice, &set, &set, arena, &error), error);
  assert_int_equal(lists.full, COUNT);
  for (size_t i = 0; i < COUNT; ++i) assert_int_equal(8 * lists.groups[i], RV_SPH_MOST_LISTED);
  rv_arena_free(arena);
}

//---------------------------------------------------------------------------------------------- crowds

// A cloud in which particles have some hundreds of neighbours, sorted.
typedef struct Crowd {
  RvArena* arena;
  RvSphLattice lattice;
  RvSphSet set;
} Crowd;

static Crowd crowd(void) {
  RvError error = {0};
  Crowd c = {.arena = rv_arena_new(1 << 20)};
  const double* sets[] = {places};
  const size_t counts[] = {COUNT};
  scatter();
  CHECK_OK(rv_sph_lattice_fit(&c.lattice, 0.025, 1, sets, counts, &error), error);
  CHECK_OK(rv_sph_set_sort(&c.set, &c.lattice, places, NULL, COUNT, c.arena, &error), error);
  return c;
}

static double squared_distance(const Crowd* c, size_t i, size_t j) {
  double sum = 0;
  for (int a = 0; a < 3; ++a) {
    float d = c->set.x[a][j] - c->set.x[a][i];
    sum += (double)(d * d);
  }
  return sum;
}

static bool listed(const RvSphLists* lists, size_t i, size_t j) {
  const uint32_t* list = lists->index + 8 * (size_t)lists->first[i];
  for (size_t k = 0; k < 8 * (size_t)lists->groups[i]; ++k)
    if (list[k] == j) return true;
  return false;
}

static void complete_lists_have_all_neighbours(void** state) {
  (void)state;
  RvError error = {0};
  Crowd c = crowd();
  RvSphLists lists;
  uint32_t* number;
  float* sum;
  CHECK_OK(rv_sph_crowd_measure(&c.lattice, &c.set, &c.set, &number, &sum, c.arena, &error), error);
  CHECK_OK(rv_sph_lists_find_all(&lists, &c.lattice, &c.set, &c.set, c.arena, &error), error);
  assert_int_equal(lists.full, 0);
  for (size_t i = 0; i < COUNT; i += 97) {
    size_t near = 0;
    double total = 0;
    for (size_t j = 0; j < COUNT; ++j) {
      double square = squared_distance(&c, i, j);
      if (fabs(square - 1) < 1e-5) continue;
      assert_true(listed(&lists, i, j) == (square < 1));
      near += square < 1;
      total += square < 1 ? (1 - square) * (1 - square) * (1 - square) : 0;
    }
    assert_true(near > RV_SPH_MOST_LISTED);
    assert_true(near <= number[i] && number[i] <= near + 2);
    CHECK_NEAR((double)sum[i] / total, 1, 1e-4);
  }
  rv_arena_free(c.arena);
}

// Pairs are those of both or of neither; the sum of the kernel over the listed ones, with their weights, is that over
// all pairs.
static void thinned_lists_keep_pairs_and_means(void** state) {
  (void)state;
  RvError error = {0};
  Crowd c = crowd();
  RvSphLists lists;
  uint32_t* number;
  float* sum;
  static float thin[COUNT];
  CHECK_OK(rv_sph_crowd_measure(&c.lattice, &c.set, &c.set, &number, &sum, c.arena, &error), error);
  for (size_t i = 0; i < COUNT; ++i) thin[i] = rv_sph_thin_of(number[i]);
  CHECK_OK(rv_sph_lists_find_thinned(&lists, &c.lattice, &c.set, c.set.from, thin, c.arena, &error), error);
  assert_int_equal(lists.full, 0);
  double all = 0;
  double some = 0;
  for (size_t i = 0; i < COUNT; ++i) {
    const uint32_t* list = lists.index + 8 * (size_t)lists.first[i];
    bool self = false;
    for (size_t k = 0; k < 8 * (size_t)lists.groups[i]; ++k) {
      if (list[k] == COUNT) continue;
      self = self || list[k] == i;
      if (list[k] == i) continue;
      assert_true(listed(&lists, list[k], i));
      double t = 1 - squared_distance(&c, i, list[k]);
      assert_true(t > 0);
      some += t * t * t * fmax((double)thin[i], (double)thin[list[k]]);
    }
    assert_true(self);
    // Its own kernel is 1.
    all += (double)sum[i] - 1;
  }
  print_message("%.1f neighbours of %.1f are listed, their sum is %.4f of all\n", (double)lists.pairs / COUNT,
                (double)number[0], some / all);
  assert_true(lists.pairs < RV_SPH_MOST_LISTED * COUNT);
  // 85,000 random pairs: 1 / sqrt(85,000) times the spread of the kernel.
  CHECK_NEAR(some / all, 1, 0.02);
  rv_arena_free(c.arena);
}

static uint64_t hash_crowd(void) {
  RvError error = {0};
  Crowd c = crowd();
  RvSphLists all;
  RvSphLists thinned;
  uint32_t* number;
  float* sum;
  static float thin[COUNT];
  CHECK_OK(rv_sph_crowd_measure(&c.lattice, &c.set, &c.set, &number, &sum, c.arena, &error), error);
  uint64_t hash = rv_hash(sum, COUNT * sizeof *sum, 0);
  for (size_t i = 0; i < COUNT; ++i) thin[i] = rv_sph_thin_of(number[i]);
  CHECK_OK(rv_sph_lists_find_all(&all, &c.lattice, &c.set, &c.set, c.arena, &error), error);
  CHECK_OK(rv_sph_lists_find_thinned(&thinned, &c.lattice, &c.set, c.set.from, thin, c.arena, &error), error);
  for (size_t i = 0; i < COUNT; ++i) {
    hash ^= rv_hash(all.index + 8 * (size_t)all.first[i], 32 * (size_t)all.groups[i], i);
    hash ^= rv_hash(thinned.index + 8 * (size_t)thinned.first[i], 32 * (size_t)thinned.groups[i], COUNT + i);
  }
  rv_arena_free(c.arena);
  return hash;
}

static void crowds_have_the_same_bits(void** state) {
  (void)state;
  rv_test_same_bits(hash_crowd);
}

static void bad_places_are_refused(void** state) {
  (void)state;
  RvError error = {0};
  const double* sets[] = {places};
  const size_t counts[] = {COUNT};
  RvSphLattice lattice;
  scatter();
  places[7] = NAN;
  CHECK_FAILS(rv_sph_lattice_fit(&lattice, 0.01, 1, sets, counts, &error), RV_BAD_INPUT, error, "finite");
  places[7] = 1e9;
  CHECK_FAILS(rv_sph_lattice_fit(&lattice, 0.01, 1, sets, counts, &error), RV_LIMIT, error, "killbox");
}

RV_TESTS(cmocka_unit_test(lists_have_the_same_bits), cmocka_unit_test(liquid_and_pores_have_the_same_bits),
         cmocka_unit_test(strands_drain_alike), cmocka_unit_test(crowds_end_in_full_lists),
         cmocka_unit_test(complete_lists_have_all_neighbours), cmocka_unit_test(thinned_lists_keep_pairs_and_means),
         cmocka_unit_test(crowds_have_the_same_bits), cmocka_unit_test(bad_places_are_refused))
