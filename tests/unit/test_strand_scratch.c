// A step of strands takes its memory from the given arena (RvStrandStepDef.scratch): the bits are those of a step with
// memory of its own, the arena is empty afterwards, and it does not grow once it has held a step.
#include <string.h>

#include "base/arena.h"
#include "base/parallel.h"
#include "strand/rooms.h"
#include "support/rv_test.h"
#include "support/strands.h"

enum { STRANDS = 21, VERTICES = 12, STEPS = 6 };

static RvVec3 horizontal(void* user, size_t strand, int vertex) {
  (void)user;
  return rv_vec3(0.01 * vertex, 0, 0.01 * (double)strand);
}

//---------------------------------------------------------------------------------------------- a coupling of no force

static double no_energy(void* user, const double* q, double* lanes) {
  (void)user;
  (void)q;
  (void)lanes;
  return 0;
}

static void no_gradient(void* user, const double* q, double* g) {
  (void)user;
  (void)q;
  (void)g;
}

static void prepare_nothing(void* user, const double* q, const uint8_t* careful) {
  (void)user;
  (void)q;
  (void)careful;
}

static void gather_nothing(void* user, size_t block, const double* p) {
  (void)user;
  (void)block;
  (void)p;
}

static void spread_nothing(void* user, size_t block, double* out) {
  (void)user;
  (void)block;
  (void)out;
}

static void block_of_nothing(void* user, size_t block, const double* q, uint8_t careful, double* lanes, double* g,
                             double* band) {
  (void)user;
  (void)block;
  (void)q;
  (void)careful;
  (void)lanes;
  (void)g;
  (void)band;
}

static const RvOperator nothing = {.energy = no_energy,
                                   .gradient = no_gradient,
                                   .prepare = prepare_nothing,
                                   .gather = gather_nothing,
                                   .spread = spread_nothing,
                                   .block = block_of_nothing};

//---------------------------------------------------------------------------------------------- steps

// Lets strands swing, and compares steps in the arena with steps in memory of their own.
static void compare_steps(const RvOperator* couple) {
  RvTestStrands own = rv_test_strands(STRANDS, VERTICES, rv_test_hair(), horizontal, NULL, rv_vec3(0, -9.81, 0));
  RvTestStrands shared = rv_test_strands(STRANDS, VERTICES, rv_test_hair(), horizontal, NULL, rv_vec3(0, -9.81, 0));
  RvArena* arena = rv_arena_new(0);
  RvStrandStepDef def = {.dt = 2e-3,
                         .dt_before = 2e-3,
                         .integrator = RV_BDF2,
                         .max_iterations = 12,
                         .tolerance = 1e-6,
                         .force = own.force,
                         .couple = couple,
                         .max_cg = 100,
                         .cg_tolerance = 1e-6};
  size_t first_peak = 0;
  for (int k = 0; k < STEPS; ++k) {
    RvStrandStats stats;
    assert_int_equal(rv_strand_step(own.model, own.state, &def, &stats, NULL), RV_OK);
    RvStrandStepDef with_scratch = def;
    with_scratch.scratch = arena;
    assert_int_equal(rv_strand_step(shared.model, shared.state, &with_scratch, &stats, NULL), RV_OK);
    assert_true(rv_arena_empty(arena));
    assert_memory_equal(own.state->q, shared.state->q, own.model->unknowns * sizeof(double));
    assert_memory_equal(own.state->v, shared.state->v, own.model->unknowns * sizeof(double));
    // BDF2 checks its energy from the second step on, for which it takes some more
    if (k == 1) first_peak = rv_arena_peak(arena);
    if (k > 1) assert_int_equal(rv_arena_peak(arena), first_peak);
  }
  assert_true(first_peak > 0);
  rv_arena_free(arena);
  rv_test_strands_free(&own);
  rv_test_strands_free(&shared);
}

static void free_steps_use_the_arena(void** state) {
  (void)state;
  compare_steps(NULL);
}

static void coupled_steps_use_the_arena(void** state) {
  (void)state;
  compare_steps(&nothing);
}

//---------------------------------------------------------------------------------------------- rooms

static void rooms_are_distinct_and_come_back(void** state) {
  (void)state;
  RvArena* arena = rv_arena_new(0);
  RvStrandRooms rooms;
  assert_true(rv_strand_rooms_take(&rooms, arena, 1, 100));
  assert_int_equal(rooms.count, 1);
  double* first = rv_strand_rooms_enter(&rooms);
  // one task, one room: the second is allocated
  double* second = rv_strand_rooms_enter(&rooms);
  assert_ptr_equal(first, rooms.memory);
  assert_non_null(second);
  assert_true(second + 100 <= first || first + 100 <= second);
  memset(first, 0, 100 * sizeof *first);
  memset(second, 0, 100 * sizeof *second);
  rv_strand_rooms_leave(&rooms, second);
  rv_strand_rooms_leave(&rooms, first);
  assert_ptr_equal(rv_strand_rooms_enter(&rooms), first);
  rv_arena_free(arena);
}

RV_TESTS(cmocka_unit_test(free_steps_use_the_arena), cmocka_unit_test(coupled_steps_use_the_arena),
         cmocka_unit_test(rooms_are_distinct_and_come_back))
