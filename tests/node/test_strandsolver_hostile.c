// Bad input to the strand solver: every fault is told of with the strand that has it and what was done about it, and
// all other strands simulate as if it were not there.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "rivulet/vdb.h"
#include "support/rv_test.h"
#include "support/scene_log.h"
#include "support/shapes.h"

enum { STRANDS = 6, N = 12, BAD = 3 };

// level strands of 5.5 cm, which sag
static RvDetail* strands(void) {
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, STRANDS, N, NULL, NULL, &error), error);
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  for (int i = 0; i < STRANDS * N; ++i) {
    P[3 * i] = 0.005f * (float)(i % N);
    P[3 * i + 1] = 0;
    P[3 * i + 2] = 0.02f * (float)(i / N);
  }
  return d;
}

static void save(const RvDetail* d, const char* name) {
  RvError error = {0};
  CHECK_OK(rv_detail_save(d, rv_test_path(name), NULL, &error), error);
}

// how far the tip of a strand has sunk
static double sunk(const RvDetail* d, int strand) {
  return -rv_detail_f32(d, RV_POINT, "P", 3)[3 * (strand * N + N - 1) + 1];
}

static void expect(const RvTestLog* log, const char* words) {
  if (!strstr(log->text, words)) fail_msg("no warning with '%s' in: %s", words, log->text);
}

// `parms` NULL: in equilibrium
static RvDetail* solve(const RvDetail* d, const char* parms, RvTestLog* log) {
  char nodes[1200];
  bool balanced = !parms;
  save(d, "bad.bgeo.sc");
  snprintf(nodes, sizeof nodes,
           "\"f\": {\"type\": \"file\", \"parms\": {\"file\": \"%s\"}}, \"s\": {\"type\": \"strandsolver\", "
           "\"inputs\": [\"f\"], \"parms\": {\"restmode\": \"%s\" %s}}",
           rv_test_path("bad.bgeo.sc"), balanced ? "equilibrium" : "natural", balanced ? "" : parms);
  RvScene* scene = rv_test_scene(nodes, log);
  RvDetail* out = rv_test_scene_copy(scene, "s", 4);
  rv_scene_free(scene);
  return out;
}

// An attribute of the solver's name and another type: the result is the code of the error that tells it.
static void velocity_of_another_size(void** state) {
  (void)state;
  RvTestLog log;
  RvError error = {0};
  const RvDetail* out = NULL;
  RvScene* scene = rv_test_scene(
      "\"g\": {\"type\": \"groom\", \"parms\": {\"count\": 2}}, \"v\": {\"type\": \"attribute\", \"inputs\": "
      "[\"g\"], \"parms\": {\"name\": \"v\", \"size\": 1}}, \"s\": {\"type\": \"strandsolver\", \"inputs\": [\"v\"]}",
      &log);
  assert_int_equal(rv_scene_cook(scene, "s", 1, &out, &error), RV_BAD_INPUT);
  assert_int_equal(error.code, RV_BAD_INPUT);
  rv_scene_free(scene);
}

//---------------------------------------------------------------------------------------------- one strand is bad

// what is done to strand BAD, and what is said of it
typedef struct Fault {
  const char* said;
  const char* attribute;  // of primitives; NULL: points are moved
  float value;
} Fault;

static void each_fault_alone(void** state) {
  (void)state;
  static const Fault faults[] = {
      {"primitive 3, has a point whose place is not a number", NULL, NAN},
      {"primitive 3, has a point whose place is not a number", NULL, 1e30f},
      {"primitive 3, has two neighbouring points in one place", NULL, 0},
      {"primitive 3, has a hairradius or width that is 0", "hairradius", 0},
      {"primitive 3, has a hairradius or width that is 0, negative", "hairradius", -1e-5f},
      {"primitive 3, has a hairradius or width that is 0, negative or not a number", "hairradius", NAN},
      {"primitive 3, has a density, youngs or shear that is not a number", "youngs", NAN},
      {"primitive 3, has a density, youngs or shear", "density", -1},
      {"primitive 3, has a density, youngs or shear", "shear", INFINITY},
      {"primitive 3, has a density, youngs or shear", "stiffness", NAN},
  };
  RvError error = {0};
  RvTestLog log;
  RvDetail* good = strands();
  RvDetail* sound = solve(good, "", &log);
  assert_int_equal(log.warnings, 0);
  for (size_t k = 0; k < sizeof faults / sizeof *faults; ++k) {
    RvDetail* d = strands();
    float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
    float* place = P + 3 * (BAD * N + 5);
    if (faults[k].attribute) {
      const float usual = strcmp(faults[k].attribute, "hairradius") == 0 ? 4e-5f : 0;
      float* values = rv_detail_f32_write(d, RV_PRIM, faults[k].attribute, 1, &error);
      for (int s = 0; s < STRANDS; ++s) values[s] = s == BAD ? faults[k].value : usual;
    } else if (faults[k].value == 0) {
      memcpy(place, place - 3, 3 * sizeof *place);
    } else {
      place[1] = faults[k].value;
    }
    RvDetail* out = solve(d, "", &log);
    expect(&log, faults[k].said);
    expect(&log, "1 strand cannot be simulated and stays as animated");
    if (log.warnings != 1) fail_msg("fault %zu: %d warnings: %s", k, log.warnings, log.text);
    // the others go to the bit where they go without it
    const float *p = rv_detail_f32(sound, RV_POINT, "P", 3), *q = rv_detail_f32(out, RV_POINT, "P", 3),
                *in = rv_detail_f32(d, RV_POINT, "P", 3);
    for (int i = 0; i < 3 * N * STRANDS; ++i) {
      float want = (i / (3 * N) == BAD ? in : p)[i];
      // an attribute has the radius as a float, which is another number than the parameter's
      double rounding = faults[k].attribute && strcmp(faults[k].attribute, "hairradius") == 0 ? 1e-7 : 0;
      if (isfinite(want)) CHECK_NEAR(q[i], want, rounding);
    }
    assert_true(sunk(out, 0) > 1e-3);
    rv_detail_free(d);
    rv_detail_free(out);
  }
  rv_detail_free(good);
  rv_detail_free(sound);
}

static void points_that_are_too_few(void** state) {
  (void)state;
  RvError error = {0};
  RvTestLog log;
  RvDetail* d = strands();
  size_t first;
  CHECK_OK(rv_detail_add_points(d, 3, &first, &error), error);
  const int32_t corners[] = {(int32_t)first, (int32_t)first + 1, (int32_t)first + 2}, sizes[] = {1, 2};
  CHECK_OK(rv_detail_add_polygons(d, RV_PRIM_CURVE, 2, sizes, corners, NULL, &error), error);
  RvDetail* out = solve(d, "", &log);
  expect(&log, "2 strands cannot be simulated and stay as animated; the first, primitive 6, has fewer than 3 points");
  assert_true(sunk(out, 0) > 1e-3);
  rv_detail_free(d);
  rv_detail_free(out);
}

// nothing is left to simulate
static void all_are_bad(void** state) {
  (void)state;
  RvError error = {0};
  RvTestLog log;
  RvDetail* d = strands();
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  for (int i = 0; i < 3 * N * STRANDS; ++i) P[i] = NAN;
  RvDetail* out = solve(d, ", \"strandcollisions\": true", &log);
  expect(&log, "6 strands cannot be simulated");
  assert_int_equal(rv_detail_count(out, RV_PRIM), STRANDS);
  rv_detail_free(d);
  rv_detail_free(out);
}

// a natural shape that is none is not taken, and the strand simulates
static void rest_that_is_no_shape(void** state) {
  (void)state;
  RvError error = {0};
  RvTestLog log;
  RvDetail* d = strands();
  float* rest = rv_detail_f32_write(d, RV_POINT, "rest", 3, &error);
  memcpy(rest, rv_detail_f32(d, RV_POINT, "P", 3), 3 * N * STRANDS * sizeof *rest);
  rest[3 * (BAD * N + 4)] = NAN;
  RvDetail* out = solve(d, "", &log);
  expect(&log, "rest of 1 strand is no shape");
  expect(&log, "the first is primitive 3");
  assert_true(fabs(sunk(out, BAD) / sunk(out, 0) - 1) < 1e-6);
  rv_detail_free(d);
  rv_detail_free(out);
}

//---------------------------------------------------------------------------------------------- roots

// five frames of strands that go along X; at the third a point of strand BAD is nowhere
static void save_lost(int point) {
  RvError error = {0};
  for (int frame = 1; frame <= 5; ++frame) {
    char name[40];
    RvDetail* d = strands();
    float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
    for (int i = 0; i < N * STRANDS; ++i) P[3 * i] += 0.002f * (float)frame;
    if (frame == 3) P[3 * (BAD * N + point)] = NAN;
    snprintf(name, sizeof name, "lost.%d.bgeo.sc", frame);
    save(d, name);
    rv_detail_free(d);
  }
}

// the place of a root is lost in the middle of a shot
static void root_that_is_lost(void** state) {
  (void)state;
  RvTestLog log;
  char nodes[1200];
  save_lost(0);
  snprintf(nodes, sizeof nodes,
           "\"f\": {\"type\": \"file\", \"parms\": {\"file\": \"%s/lost.$F.bgeo.sc\"}}, \"s\": {\"type\": "
           "\"strandsolver\", \"inputs\": [\"f\"], \"parms\": {\"restmode\": \"natural\"}}",
           rv_test_folder());
  RvScene* scene = rv_test_scene(nodes, &log);
  RvDetail* out = rv_test_scene_copy(scene, "s", 5);
  expect(&log,
         "the root or a pinned point of 1 strand is not a number in the input and stays where it was; the first "
         "is primitive 3");
  const float* P = rv_detail_f32(out, RV_POINT, "P", 3);
  for (int i = 0; i < 3 * N * STRANDS; ++i) assert_true(isfinite(P[i]));
  // and it is on its way again
  CHECK_NEAR(P[3 * BAD * N], 0.01, 1e-6);
  rv_detail_free(out);
  rv_scene_free(scene);
}

// animated strands are given whole, so any of their points can be lost
static void animated_point_that_is_lost(void** state) {
  (void)state;
  RvTestLog log;
  char nodes[1200];
  save_lost(N - 1);
  snprintf(nodes, sizeof nodes,
           "\"f\": {\"type\": \"file\", \"parms\": {\"file\": \"%s/lost.$F.bgeo.sc\"}}, \"s\": {\"type\": "
           "\"filmsolver\", \"inputs\": [\"f\"]}",
           rv_test_folder());
  RvScene* scene = rv_test_scene(nodes, &log);
  RvDetail* out = rv_test_scene_copy(scene, "s", 5);
  expect(&log, "a point of 1 strand is not a number in the input and stays where it was; the first is primitive 3");
  const float* P = rv_detail_f32(out, RV_POINT, "P", 3);
  for (int i = 0; i < 3 * N * STRANDS; ++i) assert_true(isfinite(P[i]));
  rv_detail_free(out);
  rv_scene_free(scene);
}

// strands that name no face of their skin stay where they are, and simulate there
static void roots_without_skin(void** state) {
  (void)state;
  RvError error = {0};
  RvTestLog log;
  char nodes[2000];
  RvDetail* d = strands();
  int32_t* face = rv_detail_i32_write(d, RV_PRIM, "skinprim", 1, &error);
  float* uvw = rv_detail_f32_write(d, RV_PRIM, "skinprimuv", 3, &error);
  for (int s = 0; s < STRANDS; ++s) {
    face[s] = s == BAD ? 77 : 0;
    uvw[3 * s] = uvw[3 * s + 1] = 0.5f;
  }
  save(d, "skinless.bgeo.sc");
  RvDetail* skin = rv_test_square(1);
  save(skin, "skin.bgeo.sc");
  snprintf(nodes, sizeof nodes,
           "\"f\": {\"type\": \"file\", \"parms\": {\"file\": \"%s/skinless.bgeo.sc\"}},"
           "\"skin\": {\"type\": \"file\", \"parms\": {\"file\": \"%s/skin.bgeo.sc\"}},"
           "\"up\": {\"type\": \"transform\", \"inputs\": [\"skin\"], \"parms\": {\"t\": [0, {\"keys\": [[1, 0], [9, "
           "0.1]]}, 0]}},"
           "\"d\": {\"type\": \"deform\", \"inputs\": [\"f\", \"skin\", \"up\"], \"parms\": {\"primnumattrib\": "
           "\"skinprim\", \"primuvwattrib\": \"skinprimuv\"}},"
           "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"d\"]}",
           rv_test_folder(), rv_test_folder());
  RvScene* scene = rv_test_scene(nodes, &log);
  RvDetail* out = rv_test_scene_copy(scene, "s", 5);
  expect(&log, "1 of 6 strands name no face of the skin in skinprim and stay where they are; the first is primitive 3");
  const float* P = rv_detail_f32(out, RV_POINT, "P", 3);
  CHECK_NEAR(P[3 * BAD * N + 1], 0, 0);
  CHECK_NEAR(P[1], 0.05, 1e-3);
  rv_detail_free(d);
  rv_detail_free(skin);
  rv_detail_free(out);
  rv_scene_free(scene);
}

//---------------------------------------------------------------------------------------------- colliders

// strands that sink on what is 1 cm below them; the deepest tip
static double sink_on(const RvDetail* solid, bool with_node, RvTestLog* log) {
  char nodes[2000];
  RvDetail* d = strands();
  const char* ending = rv_detail_count(solid, RV_POINT) ? "bgeo.sc" : "vdb";
  char name[40];
  snprintf(name, sizeof name, "solid.%s", ending);
  save(d, "above.bgeo.sc");
  save(solid, name);
  snprintf(nodes, sizeof nodes,
           "\"f\": {\"type\": \"file\", \"parms\": {\"file\": \"%s/above.bgeo.sc\"}},"
           "\"m\": {\"type\": \"file\", \"parms\": {\"file\": \"%s/solid.%s\"}},"
           "\"c\": {\"type\": \"collider\", \"inputs\": [\"m\"], \"parms\": {\"voxelsize\": 0.004}},"
           "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"f\", \"%s\"], \"parms\": {\"restmode\": \"natural\", "
           "\"youngs\": 1e7}}",
           rv_test_folder(), rv_test_folder(), ending, with_node ? "c" : "m");
  RvScene* scene = rv_test_scene(nodes, log);
  RvDetail* out = rv_test_scene_copy(scene, "s", 24);
  const float* P = rv_detail_f32(out, RV_POINT, "P", 3);
  double deepest = 0;
  for (int i = 0; i < N * STRANDS; ++i) {
    assert_true(isfinite(P[3 * i + 1]));
    deepest = fmax(deepest, -P[3 * i + 1]);
  }
  rv_detail_free(d);
  rv_detail_free(out);
  rv_scene_free(scene);
  return deepest;
}

// a box from 1 cm to 7 cm below the strands, under all of them; without its bottom if open, and wound either way
static RvDetail* box(bool open, bool inside_out) {
  const float lo[3] = {-0.1f, -0.07f, -0.1f}, hi[3] = {0.2f, -0.01f, 0.2f};
  float points[24];
  for (int i = 0; i < 8; ++i)
    for (int c = 0; c < 3; ++c) points[3 * i + c] = i >> c & 1 ? hi[c] : lo[c];
  static const int32_t faces[24] = {2, 3, 7, 6, 0, 1, 3, 2, 4, 6, 7, 5, 0, 2, 6, 4, 1, 5, 7, 3, 0, 4, 5, 1};
  int32_t corners[24], count[6] = {4, 4, 4, 4, 4, 4};
  for (int i = 0; i < 24; ++i) corners[i] = inside_out ? faces[i / 4 * 4 + 3 - i % 4] : faces[i];
  return rv_test_polygons(8, points, open ? 5 : 6, count, corners);
}

static void colliders_open_and_inside_out(void** state) {
  (void)state;
  RvTestLog log, first;
  RvDetail* solids[] = {box(false, false), box(false, true), box(true, false)};
  double deepest[3];
  deepest[0] = sink_on(solids[0], true, &first);
  deepest[1] = sink_on(solids[1], true, &log);
  // one of the two windings is the wrong one
  const RvTestLog* wrong = first.warnings ? &first : &log;
  assert_int_equal(first.warnings + log.warnings > 0, 1);
  expect(wrong, "the mesh is inside out");
  deepest[2] = sink_on(solids[2], true, &log);
  expect(&log, "the mesh is open at 4 edges: it becomes a shell");
  print_message("deepest %.4f %.4f %.4f m\n", deepest[0], deepest[1], deepest[2]);
  // half a voxel; a shell stands out by its thickness
  for (int k = 0; k < 3; ++k) assert_true(deepest[k] < 0.012 && deepest[k] > (k == 2 ? 0 : 0.008));
  for (int k = 0; k < 3; ++k) rv_detail_free(solids[k]);
}

// a bare mesh is a solid for strands as it is for liquid: no collider node is needed
static void mesh_alone(void** state) {
  (void)state;
  RvTestLog log;
  RvDetail* d = box(false, false);
  double deepest = sink_on(d, false, &log);
  assert_int_equal(log.warnings, 0);
  // within the half voxel that the node collider leaves too
  assert_true(deepest < 0.012 && deepest > 0.008);
  rv_detail_free(d);
}

// a level set of the wrong sign would have all of space inside
static void level_set_inside_out(void** state) {
  (void)state;
  RvError error = {0};
  RvTestLog log;
  double deepest[2];
  for (int k = 0; k < 2; ++k) {
    const float centre[3] = {0.03f, -0.11f, 0.05f}, radius = 0.1f;
    const double turn[9] = {-1, 0, 0, 0, -1, 0, 0, 0, -1};
    RvGrid* grid = NULL;
    CHECK_OK(rv_grid_from_spheres("collision", 0.004, 4, 1, centre, &radius, &grid, &error), error);
    if (k) CHECK_OK(rv_grid_map_values(grid, turn, &error), error);
    RvDetail* d = rv_detail_new();
    CHECK_OK(rv_detail_add_vdb(d, grid, &error), error);
    deepest[k] = sink_on(d, false, &log);
    if (k) expect(&log, "input 2, the colliders: level set 1 is inside out");
    rv_grid_release(grid);
    rv_detail_free(d);
  }
  CHECK_NEAR(deepest[1], deepest[0], 1e-6);
  assert_true(deepest[0] > 0.005 && deepest[0] < 0.06);
}

// strands in the middle of a ball, far deeper than its distances are known, sag as if it were not there
static void deep_inside(void** state) {
  (void)state;
  RvError error = {0};
  RvTestLog log;
  const float centre[3] = {0.03f, 0, 0.05f}, radius = 0.3f;
  RvGrid* grid = NULL;
  CHECK_OK(rv_grid_from_spheres("collision", 0.005, 4, 1, centre, &radius, &grid, &error), error);
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_vdb(d, grid, &error), error);
  assert_true(sink_on(d, false, &log) > 0.02);
  expect(&log, "so deep inside a collider that the way out is unknown");
  rv_grid_release(grid);
  rv_detail_free(d);
}

// a scene of a wrong unit: nothing holds curls of 50 km in equilibrium, which is said, and the state is one of numbers
static void strands_of_kilometres(void** state) {
  (void)state;
  RvTestLog log;
  RvError error = {0};
  RvDetail* d = strands();
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  for (int i = 0; i < STRANDS * N; ++i) {
    P[3 * i] *= 1e6f;
    P[3 * i + 2] *= 1e6f;
    P[3 * i + 1] = 1e3f * (float)(i % N % 3);
  }
  RvDetail* out = solve(d, NULL, &log);
  expect(&log, "6 of 6 strands sag from the start");
  P = rv_detail_f32_write(out, RV_POINT, "P", 3, &error);
  for (int i = 0; i < 3 * STRANDS * N; ++i) assert_true(isfinite(P[i]));
  rv_detail_free(d);
  rv_detail_free(out);
}

// strands of one place: what contact leaves out is told
static void a_heap(void** state) {
  (void)state;
  enum { HEAP = 300 };
  RvTestLog log;
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, HEAP, 4, NULL, NULL, &error), error);
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  for (int i = 0; i < HEAP * 4; ++i) {
    P[3 * i] = 0.005f * (float)(i % 4);
    P[3 * i + 1] = P[3 * i + 2] = 0;
  }
  RvDetail* out = solve(d, ", \"strandcollisions\": true", &log);
  expect(&log, "heaped on one spot");
  rv_detail_free(d);
  rv_detail_free(out);
}

//---------------------------------------------------------------------------------------------- state of another solver

// Three wet strands so close that they touch, and a ball in their way.
#define WET_STRANDS                                                                                         \
  "\"c\": {\"type\": \"curve\", \"parms\": {\"points\": 8, \"count\": 3, \"spacing\": [5e-5, 0, 0]}},"      \
  "\"a\": {\"type\": \"attribute\", \"inputs\": [\"c\"], \"parms\": {\"name\": \"filmheight\", \"class\": " \
  "\"point\", \"value\": [1e-5, 0, 0, 0]}},"                                                                \
  "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.1, \"t\": [0, 0.5, 0]}},"

// Cooks strands with the attributes of a solver's state, or without them, for three frames by a solver: hash of the
// strands.
static uint64_t go_on(const RvDetail* strands, bool keepstate, const char* solver, int substeps) {
  char nodes[1600];
  RvTestLog log;
  RvDetail* start = rv_detail_copy(strands);
  rv_state_strip(start, keepstate);
  save(start, "start.bgeo.sc");
  rv_detail_free(start);
  snprintf(nodes, sizeof nodes,
           WET_STRANDS
           "\"f\": {\"type\": \"file\", \"parms\": {\"file\": \"%s\"}}, \"next\": {\"type\": \"%s\", \"inputs\": "
           "[\"f\"], \"parms\": {\"substeps\": %d, \"strandcollisions\": true}}",
           rv_test_path("start.bgeo.sc"), solver, substeps);
  RvScene* scene = rv_test_scene(nodes, &log);
  const RvDetail* out = rv_test_scene_cook(scene, "next", 4);
  const float* P = rv_detail_f32(out, RV_POINT, "P", 3);
  for (size_t i = 0; i < 3 * rv_detail_count(out, RV_POINT); ++i) assert_true(isfinite(P[i]));
  uint64_t hash = rv_test_scene_hash(scene, "next", 4);
  rv_scene_free(scene);
  return hash;
}

// Contacts, film and ledger that another solver left on the strands are not taken for the solver's own.
static void state_of_another_solver(void** state) {
  (void)state;
  static const char* const solvers[] = {"strandsolver", "wetsolver"};
  RvTestLog log;
  RvScene* scene =
      rv_test_scene(WET_STRANDS
                    "\"u\": {\"type\": \"wetsolver\", \"inputs\": [\"a\"], \"parms\": {\"keepstate\": true, "
                    "\"strandcollisions\": true}}",
                    &log);
  RvDetail* strands = rv_test_scene_copy(scene, "u", 4);
  rv_scene_free(scene);
  assert_non_null(rv_detail_find(strands, RV_POINT, "rv_film"));
  assert_non_null(rv_detail_find(strands, RV_GLOBAL, "rv_links"));
  for (int substeps = 1; substeps <= 3; substeps += 2)
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k)
      if (go_on(strands, true, solvers[k], substeps) != go_on(strands, false, solvers[k], substeps))
        fail_msg("the state of another solver changes the strands of a %s, %d substeps", solvers[k], substeps);
  rv_detail_free(strands);
}

// Strands that start from a state with film go on dry, as a strandsolver has no liquid.
static void start_from_wet_strands(void** state) {
  (void)state;
  RvError error = {0};
  RvTestLog log;
  RvScene* wet = rv_test_scene(
      WET_STRANDS "\"u\": {\"type\": \"filmsolver\", \"inputs\": [\"a\"], \"parms\": {\"keepstate\": true}}", &log);
  save(rv_test_scene_cook(wet, "u", 2), "wet_strands.bgeo.sc");
  rv_scene_free(wet);
  for (int substeps = 1; substeps <= 3; substeps += 2) {
    char nodes[1200];
    snprintf(nodes, sizeof nodes,
             WET_STRANDS
             "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"a\", \"ball\"], \"parms\": {\"substeps\": %d}}",
             substeps);
    RvScene* scene = rv_test_scene(nodes, &log);
    RvRun job = {
        .node = "s", .first = 2, .last = 4, .from_state = rv_test_path("wet_strands.bgeo.sc"), .from_start = 2};
    CHECK_OK(rv_scene_run(scene, &job, &error), error);
    rv_scene_free(scene);
  }
}

RV_TESTS(cmocka_unit_test(state_of_another_solver), cmocka_unit_test(start_from_wet_strands),
         cmocka_unit_test(strands_of_kilometres), cmocka_unit_test(a_heap), cmocka_unit_test(each_fault_alone),
         cmocka_unit_test(points_that_are_too_few), cmocka_unit_test(all_are_bad),
         cmocka_unit_test(rest_that_is_no_shape), cmocka_unit_test(root_that_is_lost),
         cmocka_unit_test(animated_point_that_is_lost), cmocka_unit_test(roots_without_skin),
         cmocka_unit_test(colliders_open_and_inside_out), cmocka_unit_test(mesh_alone),
         cmocka_unit_test(velocity_of_another_size), cmocka_unit_test(level_set_inside_out),
         cmocka_unit_test(deep_inside))
