// Film under hostile input, and the same bits for any number of workers and any instruction set.
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "base/timer.h"
#include "film/film.h"
#include "film/flow_law.h"
#include "math/ldlt.h"
#include "support/rv_test.h"

// strands of several batches with film, curled, moving
typedef struct Hair {
  size_t count;
  RvFilmBatch* batches;
  RvFilmModel model;
  RvFilmState state;
  RvFilmStepDef def;
  double *x0, *v0, *x, *v, *radius, *hairs, *kick, *load, *slide, *turn, *force, *arrays;
  RvFilmReport report;
} Hair;

static void make(Hair* h, size_t batches, int vertices) {
  size_t each = (size_t)vertices * RV_LANES, n = each * batches;
  *h = (Hair){.count = batches, .batches = rv_alloc_zero(batches, sizeof(RvFilmBatch))};
  double* a = h->arrays = rv_alloc_zero(31 * n, sizeof(double));
  assert_true(h->batches && a);
  double** large[] = {&h->x0, &h->v0, &h->x, &h->v, &h->kick, &h->force};
  for (size_t k = 0; k < 6; ++k) {
    *large[k] = a;
    a += 4 * n;
  }
  h->radius = a;
  h->hairs = a + n;
  h->load = a + 2 * n;
  h->turn = a + 3 * n;
  h->slide = a + 4 * n;
  for (size_t k = 0; k < batches; ++k)
    h->batches[k] = (RvFilmBatch){vertices, RV_LANES, 4 * k * each, k * each, k * (each - RV_LANES)};
  h->model = (RvFilmModel){.nbatch = batches,
                           .batches = h->batches,
                           .unknowns = 4 * n,
                           .vertices = n,
                           .edges = n - batches * RV_LANES,
                           .radius = h->radius,
                           .hairs = h->hairs,
                           .liquid = {.density = 1000, .tension = 0.072, .consistency = 1e-3, .index = 1}};
  h->def = (RvFilmStepDef){.dt = 1e-3,
                           .gravity = {0, -9.81, 0},
                           .x_before = h->x0,
                           .v_before = h->v0,
                           .x = h->x,
                           .v = h->v,
                           .settings = {.friction = 1, .viscous = true, .most_substeps = 8}};
  assert_true(rv_film_state_init(&h->state, &h->model));
  for (size_t k = 0; k < batches; ++k)
    for (size_t i = 0; i < (size_t)vertices; ++i)
      for (size_t lane = 0; lane < RV_LANES; ++lane) {
        size_t v = h->batches[k].vertex_at + i * RV_LANES + lane, at = h->batches[k].at + 4 * i * RV_LANES + lane;
        double s = (double)i, q = (double)(k * 8 + lane);
        h->radius[v] = 4e-5;
        h->hairs[v] = 1;
        h->x[at] = 1e-3 * sin(0.4 * s + q);
        h->x[at + RV_LANES] = -2e-3 * s;
        h->x[at + 2 * RV_LANES] = 1e-3 * cos(0.4 * s);
        for (size_t c = 0; c < 4; ++c) h->v[at + c * RV_LANES] = 0.1 * sin(3 * s + 5 * q + (double)c);
        h->state.volume[v] = fmax(sin(0.9 * s + q), 0) * 2e-11;
        if (i + 1 < (size_t)vertices)
          h->state.speed[h->batches[k].edge_at + i * RV_LANES + lane] = 0.3 * sin(2 * s + q);
      }
  memcpy(h->x0, h->x, h->model.unknowns * sizeof(double));
  memcpy(h->v0, h->v, h->model.unknowns * sizeof(double));
}

static void drop(Hair* h) {
  rv_film_state_free(&h->state);
  rv_free(h->arrays);
  rv_free(h->batches);
}

static RvResult step(Hair* h, RvError* error) {
  RvResult result = rv_film_load(&h->model, &h->state, &h->def, h->load, h->slide, h->turn, h->force, error);
  if (result) return result;
  return rv_film_step(&h->model, &h->state, &h->def, h->kick, &h->report, error);
}

static double total(const Hair* h) {
  double film, absorbed;
  rv_film_volumes(&h->model, &h->state, &film, &absorbed);
  return film + absorbed;
}

static void all_numbers(const Hair* h) {
  for (size_t k = 0; k < h->model.vertices; ++k) {
    assert_true(isfinite(h->state.volume[k]) && h->state.volume[k] >= 0);
    assert_true(isfinite(h->load[k]) && isfinite(h->slide[k]));
  }
  for (size_t k = 0; k < h->model.edges; ++k) assert_true(isfinite(h->state.speed[k]));
  for (size_t k = 0; k < h->model.unknowns; ++k) assert_true(isfinite(h->kick[k]));
}

// what is no number is said, and nothing is changed
static void no_numbers(void** unused) {
  (void)unused;
  for (int kind = 0; kind < 7; ++kind) {
    Hair h;
    RvError error = {0};
    make(&h, 2, 9);
    double* bad[] = {&h.state.speed[70], &h.state.volume[90], &h.x[300],          &h.v[5],
                     &h.def.dt,          &h.def.gravity[1],   &h.state.volume[91]};
    double was[3] = {h.state.volume[3], h.state.speed[4], total(&h)};
    *bad[kind] = kind == 6 ? -1e-12 : kind % 2 ? NAN : INFINITY;
    if (kind == 4) h.def.dt = -1;
    assert_int_equal(rv_film_step(&h.model, &h.state, &h.def, h.kick, &h.report, &error), RV_BAD_INPUT);
    assert_true(error.text[0] != 0);
    assert_true(h.state.volume[3] == was[0] && h.state.speed[4] == was[1]);
    drop(&h);
  }
}

// steps of hours, speeds of sound, edges without length, strands of two vertices: volumes stay, numbers stay numbers
static void beyond_reason(void** unused) {
  (void)unused;
  for (int kind = 0; kind < 6; ++kind) {
    Hair h;
    RvError error = {0};
    make(&h, 3, kind == 3 ? 2 : 12);
    if (kind == 0) h.def.dt = 3600;
    if (kind == 1)
      for (size_t k = 0; k < h.model.edges; ++k) h.state.speed[k] *= 1e4;
    if (kind == 2) memset(h.x, 0, h.model.unknowns * sizeof(double));
    if (kind == 4)
      for (size_t k = 0; k < h.model.vertices; ++k) h.state.volume[k] *= k % 3 ? 1e-30 : 1e6;
    if (kind == 5) h.def.dt = 0;
    double first = total(&h);
    for (int k = 0; k < 20; ++k) CHECK_OK(step(&h, &error), error);
    all_numbers(&h);
    CHECK_NEAR(total(&h) / first, 1, 1e-11);
    if (kind < 2) assert_true(h.report.limited > 0);
    drop(&h);
  }
}

// hair without film is left alone
static void dry_hair(void** unused) {
  (void)unused;
  Hair h;
  RvError error = {0};
  make(&h, 2, 9);
  memset(h.state.volume, 0, h.model.vertices * sizeof(double));
  CHECK_OK(step(&h, &error), error);
  for (size_t k = 0; k < h.model.unknowns; ++k) assert_true(h.kick[k] == 0 && h.force[k] == 0);
  for (size_t k = 0; k < h.model.vertices; ++k) assert_true(h.load[k] == 0 && h.slide[k] == 0);
  rv_film_dry(&h.model, &h.state, &h.def, NULL, &h.report);
  CHECK_NEAR(total(&h), 0, 0);
  drop(&h);
}

// `scratch`: temporary memory of the steps; NULL: their own
static void run(Hair* out, int workers, RvIsa isa, RvArena* scratch) {
  RvError error = {0};
  make(out, 20, 15);
  out->def.scratch = scratch;
  rv_threads_set(workers);
  rv_cpu_force(isa);
  out->def.settings.absorption = 3;
  out->def.settings.saturation = 0.1;
  out->def.settings.drying = 1e-6;
  for (int k = 0; k < 30; ++k) {
    CHECK_OK(step(out, &error), error);
    rv_film_dry(&out->model, &out->state, &out->def, out->kick, &out->report);
  }
  rv_threads_set(0);
  rv_cpu_force(RV_ISA_COUNT);
}

static void same_bits(void** unused) {
  (void)unused;
  Hair first;
  run(&first, 1, RV_ISA_BASE, NULL);
  RvArena* scratch = rv_arena_new(0);
  for (int kind = 0; kind < 5; ++kind) {
    Hair other;
    RvIsa isa = kind < 2 ? RV_ISA_BASE : kind == 2 ? RV_ISA_AVX2 : RV_ISA_AVX512;
    if (!rv_cpu_force(isa)) continue;
    run(&other, kind == 0 ? 2 : kind == 1 ? 7 : 3, isa, kind % 2 ? scratch : NULL);
    assert_true(rv_arena_empty(scratch));
    const size_t n = first.model.vertices * sizeof(double);
    assert_memory_equal(first.state.volume, other.state.volume, n);
    assert_memory_equal(first.state.absorbed, other.state.absorbed, n);
    assert_memory_equal(first.state.speed, other.state.speed, first.model.edges * sizeof(double));
    assert_memory_equal(first.kick, other.kick, first.model.unknowns * sizeof(double));
    assert_memory_equal(first.load, other.load, n);
    assert_true(first.report.evaporated == other.report.evaporated && first.report.outflow == other.report.outflow);
    drop(&other);
  }
  rv_arena_free(scratch);
  drop(&first);
}

// bridges that stand nowhere are told
static void bad_bridges(void** unused) {
  (void)unused;
  Hair h;
  make(&h, 2, 5);
  const RvFilmBridge bad[] = {{{0, 4 * RV_LANES}, {0, 0}, 1e-5, 1e-3},
                              {{0, 100000}, {0, 0}, 1e-5, 1e-3},
                              {{0, 41}, {NAN, 0}, 1e-5, 1e-3},
                              {{0, 41}, {0, 0}, NAN, 1e-3},
                              {{0, 41}, {0, 0}, 1e-5, -1}};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
    RvError error = {0};
    CHECK_FAILS(rv_film_across(&h.model, &h.state, &h.def, &bad[k], 1, h.kick, &error), RV_BAD_INPUT, error,
                "bridge 0");
  }
  drop(&h);
}

// liquids whose viscosity depends on the shear rate run slower the thicker they are, and stand below their yield stress
static void shear_dependent(void** unused) {
  (void)unused;
  double speed[3];
  for (int kind = 0; kind < 3; ++kind) {
    Hair h;
    RvError error = {0};
    make(&h, 1, 12);
    if (kind) {
      h.model.liquid.index = 0.5;
      h.model.liquid.consistency = 0.05;
    }
    if (kind == 2) h.model.liquid.yield = 50;
    RvFilmFlow flow;
    rv_film_flow_make(&flow, h.model.liquid.index);
    if (kind) h.model.liquid.flow = &flow;
    for (int k = 0; k < 100; ++k) CHECK_OK(step(&h, &error), error);
    speed[kind] = 0;
    for (size_t k = 0; k < h.model.edges; ++k) speed[kind] = fmax(speed[kind], fabs(h.state.speed[k]));
    drop(&h);
  }
  assert_true(speed[1] < speed[0] && speed[2] < 1e-4);
}

// told, not asked: what a step costs
static void cost(void** unused) {
  (void)unused;
  Hair h;
  RvError error = {0};
  make(&h, 400, 30);
  h.def.dt = 2e-4;
  h.def.settings.most_substeps = 1;
  rv_threads_set(1);
  CHECK_OK(step(&h, &error), error);
  double load = rv_clock_cpu();
  for (int k = 0; k < 20; ++k)
    CHECK_OK(rv_film_load(&h.model, &h.state, &h.def, h.load, h.slide, h.turn, h.force, &error), error);
  double film = rv_clock_cpu();
  for (int k = 0; k < 20; ++k) CHECK_OK(rv_film_step(&h.model, &h.state, &h.def, h.kick, &h.report, &error), error);
  double end = rv_clock_cpu(), each = 1e9 / (20.0 * (double)h.model.vertices);
  print_message("load %.1f ns, step %.1f ns a vertex, %zu batches capped\n", (film - load) * each, (end - film) * each,
                h.report.limited);
  rv_threads_set(0);
  drop(&h);
}

RV_TESTS(cmocka_unit_test(no_numbers), cmocka_unit_test(beyond_reason), cmocka_unit_test(dry_hair),
         cmocka_unit_test(same_bits), cmocka_unit_test(bad_bridges), cmocka_unit_test(shear_dependent),
         cmocka_unit_test(cost))
