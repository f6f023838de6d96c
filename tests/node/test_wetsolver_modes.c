// Liquid and strands that were simulated before, from files, go through both one-way modes: what is captured counts as
// a source, no particle gives more than it has, and the ledger closes.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rivulet/scene.h"
#include "rivulet/vdb.h"
#include "support/rv_test.h"
#include "support/scene_log.h"

enum { LAST = 8 };

#define FUR                                                                                                         \
  "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.02}},"                                                   \
  "\"h\": {\"type\": \"groom\", \"inputs\": [\"b\"], \"parms\": {\"count\": 60, \"length\": 0.02, \"points\": 9}}," \
  "\"turn\": {\"type\": \"transform\", \"inputs\": [\"h\"], \"parms\": {\"rz\": {\"keys\": [[1, 0], [8, 40]]}}},"
#define WATER                                                                                  \
  "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.05, 0.02, 0.05], \"t\": [0, 0.05, 0]," \
  "  \"particlesep\": 0.004, \"v\": [0, -0.5, 0]}},"

static char nodes[4000];

static RvScene* open_with(const char* text, RvTestLog* log) {
  const char* folder = rv_test_folder();
  char* to = nodes;
  // %F: the test's folder
  for (const char* c = text; *c; ++c)
    if (c[0] == '%' && c[1] == 'F') {
      to += sprintf(to, "%s", folder);
      ++c;
    } else
      *to++ = *c;
  *to = 0;
  return rv_test_scene(nodes, log);
}

// frames of liquid and of strands, each of its own solver
static int bake(void** state) {
  (void)state;
  RvTestLog log;
  RvError error = {0};
  RvScene* scene = open_with(FUR WATER
                             "\"l\": {\"type\": \"liquidsolver\", \"inputs\": [\"w\"]},"
                             "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"turn\"]},"
                             "\"ol\": {\"type\": \"filecache\", \"inputs\": [\"l:liquid\"], \"parms\": {\"file\": "
                             "\"%F/flip.$F.bgeo.sc\"}},"
                             "\"os\": {\"type\": \"filecache\", \"inputs\": [\"s\"], \"parms\": {\"file\": "
                             "\"%F/hair.$F.bgeo.sc\"}}",
                             &log);
  CHECK_OK(rv_scene_run(scene, &(RvRun){.first = 1, .last = LAST}, &error), error);
  rv_scene_free(scene);
  return 0;
}

#define FLIP "\"flip\": {\"type\": \"file\", \"parms\": {\"file\": \"%F/flip.$F.bgeo.sc\"}},"
#define HAIR "\"hair\": {\"type\": \"file\", \"parms\": {\"file\": \"%F/hair.$F.bgeo.sc\"}},"

typedef struct Seen {
  RvLedger ledger;
  double drift;
} Seen;

static void see(void* user, const RvFrameReport* report) {
  Seen* s = user;
  const RvLedger* l = &s->ledger;
  s->ledger = report->stats.ledger;
  double in = l->initial + l->sources, out = l->killed + l->evaporated + l->outflow;
  if (in > 0) s->drift = fmax(s->drift, fabs(l->bulk + l->film + l->absorbed + out - in) / in);
}

// largest volume of a particle of the cache, and how many there are
static double largest(int* count) {
  RvError error = {0};
  char path[500];
  RvDetail* d = NULL;
  double most = 0;
  snprintf(path, sizeof path, "%s/flip.1.bgeo.sc", rv_test_folder());
  CHECK_OK(rv_detail_load(path, &d, NULL, &error), error);
  const RvAttrib* volume = rv_detail_find(d, RV_POINT, "volume");
  assert_non_null(volume);
  *count = (int)rv_detail_count(d, RV_POINT);
  for (int i = 0; i < *count; ++i) most = fmax(most, rv_attrib_get(volume, (size_t)i, 0));
  rv_detail_free(d);
  return most;
}

// runs, and looks at what was captured of each id
static Seen wet(const char* text, bool cached) {
  RvTestLog log;
  RvError error = {0};
  Seen seen = {0};
  int count;
  double most = largest(&count);
  RvScene* scene = open_with(text, &log);
  rv_scene_set_hooks(scene, &(RvSceneHooks){.user = &seen, .frame_done = see});
  CHECK_OK(rv_scene_run(scene, &(RvRun){.node = "s", .first = 1, .last = LAST}, &error), error);
  const RvDetail* state;
  CHECK_OK(rv_scene_cook(scene, "s:state", LAST, &state, &error), error);
  const RvAttrib* taken = rv_detail_find(state, RV_GLOBAL, "rv_taken");
  double sum = 0, before = -1;
  if (cached) assert_non_null(taken);
  for (int i = 0; taken && i + 1 < rv_attrib_size(taken); i += 2) {
    double id = rv_attrib_get(taken, 0, i), volume = rv_attrib_get(taken, 0, i + 1);
    assert_true(id > before && volume != 0);
    if (volume > most * (1 + 1e-12)) fail_msg("particle %g of %g m3 gave %g m3", id, most, volume);
    sum += volume;
    before = id;
  }
  print_message("film %g, sources %g, captured %g m3, drift %g\n", seen.ledger.film, seen.ledger.sources, sum,
                seen.drift);
  if (cached) CHECK_NEAR((sum + seen.ledger.outflow) / seen.ledger.sources, 1, 1e-12);
  assert_true(seen.drift < 1e-12);
  assert_true(seen.ledger.film > 1e-9);
  const float* P = rv_detail_f32(state, RV_POINT, "P", 3);
  for (size_t i = 0; i < 3 * rv_detail_count(state, RV_POINT); ++i) assert_true(isfinite(P[i]));
  rv_scene_free(scene);
  return seen;
}

static void cached_liquid_wets_simulated_strands(void** state) {
  (void)state;
  wet(FUR FLIP
      "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"turn\", \"flip\"], \"parms\": {\"liquidmode\": \"cached\"}}",
      true);
}

static void liquid_wets_cached_strands(void** state) {
  (void)state;
  wet(HAIR WATER
      "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"hair\", \"w\"], \"parms\": {\"hairmode\": \"animated\"}}",
      false);
}

static void both_are_cached(void** state) {
  (void)state;
  Seen a = wet(HAIR FLIP
               "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"hair\", \"flip\"], \"parms\": {\"hairmode\": "
               "\"animated\", \"liquidmode\": \"cached\"}}",
               true);
  Seen b = wet(HAIR FLIP "\"s\": {\"type\": \"filmsolver\", \"inputs\": [\"hair\", \"flip\"]}", true);
  CHECK_NEAR(b.ledger.film / a.ledger.film, 1, 0.1);
}

// strands that are animated are where the file has them
static void animated_strands_stay(void** state) {
  (void)state;
  RvTestLog log;
  RvError error = {0};
  const RvDetail *in, *out;
  RvScene* scene = open_with(HAIR FLIP "\"s\": {\"type\": \"filmsolver\", \"inputs\": [\"hair\", \"flip\"]}", &log);
  CHECK_OK(rv_scene_cook(scene, "s", 5, &out, &error), error);
  RvDetail* copy = rv_detail_copy(out);
  CHECK_OK(rv_scene_cook(scene, "hair", 5, &in, &error), error);
  const float *p = rv_detail_f32(copy, RV_POINT, "P", 3), *q = rv_detail_f32(in, RV_POINT, "P", 3);
  for (size_t i = 0; i < 3 * rv_detail_count(in, RV_POINT); ++i) CHECK_NEAR(p[i], q[i], 1e-7);
  rv_detail_free(copy);
  rv_scene_free(scene);
}

// animated strands have no contacts that film could pass: a control that can do nothing says so, once
static void transverse_flow_needs_contacts(void** state) {
  (void)state;
  static const char* const nodes[2] = {
      HAIR FLIP
      "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"hair\", \"flip\"], \"parms\": {\"transverse\": true, "
      "\"liquidmode\": \"cached\", \"hairmode\": \"animated\"}}",
      HAIR FLIP
      "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"hair\", \"flip\"], \"parms\": {\"transverse\": true, "
      "\"liquidmode\": \"cached\"}}"};
  for (int i = 0; i < 2; ++i) {
    RvTestLog log;
    RvScene* scene = open_with(nodes[i], &log);
    rv_test_scene_cook(scene, "s", 3);
    const char* told = strstr(log.text, "transverse has no effect");
    assert_true((told != NULL) == (i < 1));
    assert_true(!told || !strstr(told + 1, "transverse has no effect"));
    rv_scene_free(scene);
  }
}

// a particle that is gone for a while has not forgotten what it gave
static void no_particle_gives_twice(void** state) {
  (void)state;
  RvTestLog log;
  RvError error = {0};
  // every other frame is empty: whatever comes back was there before
  for (int f = 1; f <= LAST; ++f) {
    char path[500];
    RvDetail* d = NULL;
    snprintf(path, sizeof path, "%s/flip.2.bgeo.sc", rv_test_folder());
    CHECK_OK(rv_detail_load(path, &d, NULL, &error), error);
    if (f % 2 == 0) {
      rv_detail_free(d);
      d = rv_detail_new();
    }
    snprintf(path, sizeof path, "%s/blink.%d.bgeo.sc", rv_test_folder(), f);
    CHECK_OK(rv_detail_save(d, path, NULL, &error), error);
    rv_detail_free(d);
  }
  RvScene* scene = open_with(HAIR
                             "\"flip\": {\"type\": \"file\", \"parms\": {\"file\": \"%F/blink.$F.bgeo.sc\"}},"
                             "\"s\": {\"type\": \"filmsolver\", \"inputs\": [\"hair\", \"flip\"], \"parms\": "
                             "{\"capture\": 1000, \"capacity\": "
                             "4}}",
                             &log);
  const RvDetail* made;
  double before = 0;
  for (int f = 2; f <= LAST; ++f) {
    CHECK_OK(rv_scene_cook(scene, "s:state", f, &made, &error), error);
    const RvAttrib* taken = rv_detail_find(made, RV_GLOBAL, "rv_taken");
    double sum = 0;
    for (int i = 1; taken && i < rv_attrib_size(taken); i += 2) sum += rv_attrib_get(taken, 0, i);
    print_message("frame %d: %g m3 of %d\n", f, sum, taken ? rv_attrib_size(taken) / 2 : 0);
    assert_true(sum >= before);
    before = sum;
  }
  assert_true(before > 0);
  rv_scene_free(scene);
}

// a falling ball of liquid, as a level set and its velocity; `drop` leaves out vel
static void write_ball(int frame, bool drop) {
  RvError error = {0};
  char path[500];
  RvGrid* grids[2];
  float centre[3] = {0, (float)(0.06 - 0.5 * (frame - 1) / 24.0), 0}, radius = 0.02f, v[3] = {0, -0.5f, 0};
  CHECK_OK(rv_grid_from_spheres("surface", 0.002, 3, 1, centre, &radius, &grids[0], &error), error);
  // everywhere the same: no voxel is needed
  CHECK_OK(rv_grid_create(RV_GRID_VEC3, "vel", RV_GRID_UNKNOWN, 0.002, v, &grids[1], &error), error);
  snprintf(path, sizeof path, "%s/ball.%d.vdb", rv_test_folder(), frame);
  CHECK_OK(rv_grid_write_file(path, grids, drop ? 1 : 2, false, &error), error);
  for (int k = 0; k < 2; ++k) rv_grid_release(grids[k]);
}

#define BALL                                                                   \
  "\"ball\": {\"type\": \"file\", \"parms\": {\"file\": \"%F/ball.$F.vdb\"}}," \
  "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"turn\", \"ball\"], \"parms\": {\"liquidmode\": \"cached\"}}"

// A cache of VDBs has no ids: what a frame gives counts as a source, and no more than the ball holds in each.
static void liquid_of_vdbs_wets(void** state) {
  (void)state;
  RvTestLog log;
  RvError error = {0};
  Seen seen = {0};
  for (int f = 1; f <= LAST; ++f) write_ball(f, false);
  RvScene* scene = open_with(FUR BALL, &log);
  rv_scene_set_hooks(scene, &(RvSceneHooks){.user = &seen, .frame_done = see});
  CHECK_OK(rv_scene_run(scene, &(RvRun){.node = "s", .first = 1, .last = LAST}, &error), error);
  print_message("film %g, sources %g m3, drift %g\n", seen.ledger.film, seen.ledger.sources, seen.drift);
  // a hair draws a film of 1e-9 m2 out of water that passes at 0.5 m/s (Landau and Levich): a centimetre of one hair
  assert_true(seen.ledger.film > 1e-11);
  assert_true(seen.ledger.sources < LAST * 4.0 / 3 * 3.2 * 8e-6);
  assert_true(seen.drift < 1e-12);
  const RvDetail* made;
  CHECK_OK(rv_scene_cook(scene, "s:liquid", LAST, &made, &error), error);
  // the ball itself is not ours: only drops are
  const RvAttrib* source = rv_detail_find(made, RV_POINT, "source");
  for (size_t i = 0; i < rv_detail_count(made, RV_POINT); ++i) assert_true(rv_attrib_get(source, i, 0) == -1);
  rv_scene_free(scene);
}

static void a_vdb_without_vel_is_told(void** state) {
  (void)state;
  RvTestLog log;
  RvError error = {0};
  const RvDetail* made;
  for (int f = 1; f <= 2; ++f) write_ball(f, true);
  RvScene* scene = open_with(FUR BALL, &log);
  CHECK_OK(rv_scene_cook(scene, "s", 2, &made, &error), error);
  assert_non_null(strstr(log.text, "no vel"));
  rv_scene_free(scene);
}

// A ball of coarse water around the origin, as a level set.
static void write_pool(void) {
  RvError error = {0};
  char path[500];
  RvGrid* grid;
  float centre[3] = {0, 0, 0}, radius = 0.06f;
  CHECK_OK(rv_grid_from_spheres("surface", 0.008, 3, 1, centre, &radius, &grid, &error), error);
  snprintf(path, sizeof path, "%s/pool.vdb", rv_test_folder());
  CHECK_OK(rv_grid_write_file(path, &grid, 1, false, &error), error);
  rv_grid_release(grid);
}

#define DIPPED                                                                                                        \
  "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.02}},"                                                     \
  "\"h\": {\"type\": \"groom\", \"inputs\": [\"b\"], \"parms\": {\"count\": 20, \"length\": 0.02, \"points\": 9}},"   \
  "\"f\": {\"type\": \"attribute\", \"inputs\": [\"h\"], \"parms\": {\"name\": \"filmheight\", \"value\": [1e-5, 0, " \
  "0, 0]}},"                                                                                                          \
  "\"dip\": {\"type\": \"transform\", \"inputs\": [\"f\"], \"parms\": {\"ty\": {\"keys\": [[1, 0.1], [5, 0], "        \
  "[9, 0.1], [13, 0]]}}},"
#define POINT_POOL "\"pool\": {\"type\": \"fill\", \"parms\": {\"size\": [0.2, 0.1, 0.2], \"particlesep\": 0.008}},"
#define GRID_POOL "\"pool\": {\"type\": \"file\", \"parms\": {\"file\": \"%F/pool.vdb\"}},"
#define CACHED(type) \
  "\"s\": {\"type\": \"" type "\", \"inputs\": [\"dip\", \"pool\"], \"parms\": {\"liquidmode\": \"cached\"}}"
#define FILM "\"s\": {\"type\": \"filmsolver\", \"inputs\": [\"dip\", \"pool\"]}"

// Wet hair goes under water, comes out and drowns again: nearly all of its film goes back to the cache, whose particles
// hold thousands of times as much. The ledger closes relative to what came in.
static void dipped_hair_keeps_the_ledger(void** state) {
  (void)state;
  static const char* const scenes[] = {DIPPED POINT_POOL FILM, DIPPED GRID_POOL FILM,
                                       DIPPED POINT_POOL CACHED("wetsolver"), DIPPED GRID_POOL CACHED("wetsolver")};
  write_pool();
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
    RvTestLog log;
    RvError error = {0};
    Seen seen = {0};
    RvScene* scene = open_with(scenes[i], &log);
    rv_scene_set_hooks(scene, &(RvSceneHooks){.user = &seen, .frame_done = see});
    CHECK_OK(rv_scene_run(scene, &(RvRun){.node = "s", .first = 1, .last = 14}, &error), error);
    print_message("scene %zu: film %g, initial %g, sources %g, outflow %g m3, drift %g\n", i, seen.ledger.film,
                  seen.ledger.initial, seen.ledger.sources, seen.ledger.outflow, seen.drift);
    assert_true(seen.ledger.initial > 1e-10 && seen.ledger.sources > 1e-12);
    assert_true(seen.ledger.outflow > 0.5 * seen.ledger.initial);
    // every sum is compensated, and film loses a rounding of its volume in each of some hundred substeps
    assert_true(seen.drift < 1e-12);
    rv_scene_free(scene);
  }
}

RV_TESTS(cmocka_unit_test(dipped_hair_keeps_the_ledger),
         cmocka_unit_test_setup(cached_liquid_wets_simulated_strands, bake),
         cmocka_unit_test(liquid_wets_cached_strands), cmocka_unit_test(both_are_cached),
         cmocka_unit_test(animated_strands_stay), cmocka_unit_test(no_particle_gives_twice),
         cmocka_unit_test(liquid_of_vdbs_wets), cmocka_unit_test(a_vdb_without_vel_is_told),
         cmocka_unit_test(transverse_flow_needs_contacts))
