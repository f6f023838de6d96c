// Bad input to the continuum solver: an error or a counted warning that names the parameter or attribute, and hair that
// is sound simulates on.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "rivulet/vdb.h"
#include "support/rv_test.h"
#include "support/scene_log.h"
#include "support/shapes.h"

enum { LONGEST = 4096 };  // points of a strand

static void expect(const RvTestLog* log, const char* words) {
  if (!strstr(log->text, words)) fail_msg("no warning with '%s' in: %s", words, log->text);
}

static const float* places(const RvDetail* d) {
  return rv_detail_f32(d, RV_POINT, "P", 3);
}

// Level strands along x, a centimetre apart, of `counts` points.
static RvDetail* level(const int* counts, int strands, double spacing) {
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  for (int s = 0; s < strands; ++s) CHECK_OK(rv_detail_add_curves(d, 1, counts[s], NULL, NULL, &error), error);
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  for (int s = 0, i = 0; s < strands; ++s)
    for (int k = 0; k < counts[s]; ++k, ++i) {
      P[3 * i] = (float)(spacing * k);
      P[3 * i + 1] = 0;
      P[3 * i + 2] = 0.01f * (float)s;
    }
  return d;
}

static void save(const RvDetail* d, const char* name) {
  RvError error = {0};
  CHECK_OK(rv_detail_save(d, rv_test_path(name), NULL, &error), error);
}

// The strands of a file at frame 4, in a solver with these parameters.
static RvDetail* solve(const RvDetail* d, const char* parms, RvTestLog* log) {
  char nodes[1200];
  save(d, "hair.bgeo.sc");
  snprintf(nodes, sizeof nodes,
           "\"f\": {\"type\": \"file\", \"parms\": {\"file\": \"%s\"}}, \"s\": {\"type\": \"continuumsolver\","
           "  \"inputs\": [\"f\"], \"parms\": {\"restmode\": \"natural\" %s}}",
           rv_test_path("hair.bgeo.sc"), parms);
  RvScene* scene = rv_test_scene(nodes, log);
  RvDetail* out = rv_test_scene_copy(scene, "s", 4);
  rv_scene_free(scene);
  return out;
}

//---------------------------------------------------------------------------------------------- strands

// Two points are no strand; three, and as many as there may be, are, and every count is simulated beside the others.
static void counts_of_points(void** state) {
  (void)state;
  static const int counts[] = {2, 3, 8, 30, LONGEST, LONGEST + 1};
  enum { STRANDS = sizeof counts / sizeof *counts };
  RvTestLog log;
  RvDetail* d = level(counts, STRANDS, 1e-3);
  RvDetail* out = solve(d, ", \"stiffness\": 1e-5", &log);
  expect(&log, "1 strand cannot be simulated and stays as animated; the first, primitive 0, has fewer than 3 points");
  expect(&log, "the first, primitive 5, has more than 4096 points");
  const float* p = places(out);
  for (int s = 0, first = 0; s < STRANDS; first += counts[s++]) {
    bool simulated = counts[s] > 2 && counts[s] <= LONGEST;
    const float* tip = p + 3 * (first + counts[s] - 1);
    if (simulated)
      assert_true(tip[1] < -1e-7f);
    else
      CHECK_NEAR(tip[1], 0, 0);
    // Links keep their length: floats of places up to 4 m.
    for (int i = first; simulated && i + 1 < first + counts[s]; ++i) {
      double length = 0;
      for (int c = 0; c < 3; ++c)
        length += (double)(p[3 * i + 3 + c] - p[3 * i + c]) * (p[3 * i + 3 + c] - p[3 * i + c]);
      CHECK_NEAR(sqrt(length), 1e-3, 1e-6);
    }
  }
  rv_detail_free(d);
  rv_detail_free(out);
}

static void no_radius_and_no_edge(void** state) {
  (void)state;
  static const int counts[] = {8, 8, 8};
  RvError error = {0};
  RvTestLog log;
  RvDetail* d = level(counts, 3, 5e-3);
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  memcpy(P + 3 * 12, P + 3 * 11, 3 * sizeof *P);
  float* radius = rv_detail_f32_write(d, RV_PRIM, "hairradius", 1, &error);
  radius[0] = radius[1] = 4e-5f;
  radius[2] = 0;
  RvDetail* out = solve(d, "", &log);
  expect(&log, "primitive 1, has two neighbouring points in one place");
  expect(&log, "primitive 2, has a hairradius or width that is 0");
  assert_true(places(out)[3 * 7 + 1] < -1e-4f);
  rv_detail_free(d);
  rv_detail_free(out);
}

// No curves, and no points at all: nothing comes out, and nothing fails.
static void no_strands(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = rv_test_scene(
      "\"h\": {\"type\": \"groom\", \"parms\": {\"count\": 5}},"
      "\"all\": {\"type\": \"group\", \"inputs\": [\"h\"], \"parms\": {\"groupname\": \"all\", \"grouptype\": "
      "\"prims\","
      "  \"mode\": \"box\", \"boxmin\": [-9, -9, -9], \"boxmax\": [9, 9, 9]}},"
      "\"none\": {\"type\": \"blast\", \"inputs\": [\"all\"], \"parms\": {\"group\": \"all\", \"grouptype\": "
      "\"prims\"}},"
      "\"s\": {\"type\": \"continuumsolver\", \"inputs\": [\"none\"], \"parms\": {\"air\": \"solved\"}},"
      "\"t\": {\"type\": \"continuumsolver\", \"inputs\": [\"none\"], \"parms\": {\"interaction\": \"particles\"}}",
      &log);
  assert_int_equal(rv_detail_count(rv_test_scene_cook(scene, "s", 3), RV_POINT), 0);
  assert_int_equal(rv_detail_count(rv_test_scene_cook(scene, "t", 3), RV_POINT), 0);
  rv_scene_free(scene);
}

//---------------------------------------------------------------------------------------------- parameters

#define HANG                                                                                                  \
  "\"h\": {\"type\": \"groom\", \"parms\": {\"count\": 100, \"size\": 0.03, \"length\": 0.1, \"points\": 12," \
  "  \"lift\": 1, \"bend\": 0, \"directionrandom\": 0.1, \"style\": \"straight\"}},"                          \
  "\"hang\": {\"type\": \"transform\", \"inputs\": [\"h\"], \"parms\": {\"rx\": 180}},"

static void refuse(const char* parms, const char* word) {
  char nodes[1200];
  RvTestLog log;
  RvError error = {0};
  const RvDetail* out;
  snprintf(nodes, sizeof nodes, HANG "\"s\": {\"type\": \"continuumsolver\", \"inputs\": [\"hang\"], \"parms\": {%s}}",
           parms);
  RvScene* scene = rv_test_scene(nodes, &log);
  assert_int_not_equal(rv_scene_cook(scene, "s", 2, &out, &error), RV_OK);
  print_message("%s\n", error.text);
  if (!strstr(error.text, word) || !strstr(error.text, "'s'")) fail_msg("no '%s' in: %s", word, error.text);
  rv_scene_free(scene);
}

static void parameters_without_meaning(void** state) {
  (void)state;
  refuse("\"restdensity\": 1197", "packingdensity");
  // the groom itself is closer than close packing
  refuse("\"hairsperguide\": 1000000", "packingdensity");
  refuse("\"air\": \"solved\", \"airsize\": 0.001, \"maxmemory\": 0.02", "maxmemory");
  refuse("\"interaction\": \"particles\", \"volumepressure\": 1e9", "volumepressure");
  refuse("\"integrator\": \"rk4\"", "damping");
}

// Values below the range of a parameter are clamped, with a warning that names it.
static void power_below_one(void** state) {
  (void)state;
  char text[60] = "s.volumepower=0.5";
  RvTestLog log;
  RvError error = {0};
  RvScene* scene = rv_test_scene(HANG "\"s\": {\"type\": \"continuumsolver\", \"inputs\": [\"hang\"]}", &log);
  RvResult result = rv_scene_set(scene, text, &error);
  print_message("%s%s\n", error.text, log.text);
  if (result)
    assert_non_null(strstr(error.text, "volumepower"));
  else
    expect(&log, "volumepower");
  rv_scene_free(scene);
}

//---------------------------------------------------------------------------------------------- motion and solids

// Roots at 100 m/s: more steps than maxsubsteps would be needed, which is told; points stay numbers.
static void roots_at_100_m_s(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = rv_test_scene(
      HANG
      "\"move\": {\"type\": \"transform\", \"inputs\": [\"hang\"], \"parms\": {\"tx\": {\"keys\": [[1, 0],"
      "  [4, 12.5]], \"extend\": \"hold\"}}},"
      "\"s\": {\"type\": \"continuumsolver\", \"inputs\": [\"move\"]}",
      &log);
  const RvDetail* out = rv_test_scene_cook(scene, "s", 3);
  expect(&log, "maxsubsteps allows 64");
  for (size_t i = 0; i < 3 * rv_detail_count(out, RV_POINT); ++i) assert_true(isfinite(places(out)[i]));
  rv_scene_free(scene);
}

static const double SIDE = 0.05;  // m: half of the box below

// A box around the origin; without its bottom if open, and wound either way.
static RvDetail* box(bool open, bool inside_out) {
  float points[24];
  for (int i = 0; i < 8; ++i)
    for (int c = 0; c < 3; ++c) points[3 * i + c] = (float)(i >> c & 1 ? SIDE : -SIDE);
  static const int32_t faces[24] = {2, 3, 7, 6, 0, 1, 3, 2, 4, 6, 7, 5, 0, 2, 6, 4, 1, 5, 7, 3, 0, 4, 5, 1};
  int32_t corners[24], count[6] = {4, 4, 4, 4, 4, 4};
  for (int i = 0; i < 24; ++i) corners[i] = inside_out ? faces[i / 4 * 4 + 3 - i % 4] : faces[i];
  return rv_test_polygons(8, points, open ? 5 : 6, count, corners);
}

// Limp hair on the top of a box whose collider is this mesh, at frame 12: points in the box.
static size_t inside_of(bool open, bool inside_out, const char* collider, RvTestLog* log) {
  // Level sets round edges by half a voxel of 4 mm.
  const double depth = 2e-3;
  char nodes[2000];
  RvDetail* mesh = box(open, inside_out);
  save(mesh, "box.bgeo.sc");
  rv_detail_free(mesh);
  snprintf(
      nodes, sizeof nodes,
      "\"plain\": {\"type\": \"box\", \"parms\": {\"size\": [0.1, 0.1, 0.1]}},"
      "\"top\": {\"type\": \"group\", \"inputs\": [\"plain\"], \"parms\": {\"groupname\": \"scalp\", \"grouptype\":"
      "  \"prims\", \"mode\": \"box\", \"boxmin\": [-1, 0.049, -1], \"boxmax\": [1, 1, 1]}},"
      "\"hair\": {\"type\": \"groom\", \"inputs\": [\"top\"], \"parms\": {\"group\": \"scalp\", \"count\": 60,"
      "  \"length\": 0.1, \"points\": 16, \"style\": \"straight\", \"lift\": 1, \"bend\": 0,"
      "  \"directionrandom\": 0.5}},"
      "\"mesh\": {\"type\": \"file\", \"parms\": {\"file\": \"%s\"}},"
      "\"c\": {\"type\": \"collider\", \"inputs\": [\"mesh\"], \"parms\": {\"voxelsize\": 0.004 %s}},"
      "\"s\": {\"type\": \"continuumsolver\", \"inputs\": [\"hair\", \"c\"], \"parms\": {\"restmode\": \"natural\","
      "  \"stiffness\": 1e-4, \"rootfree\": 0.008}}",
      rv_test_path("box.bgeo.sc"), collider);
  RvScene* scene = rv_test_scene(nodes, log);
  const RvDetail* out = rv_test_scene_cook(scene, "s", 12);
  const float* p = places(out);
  size_t inside = 0;
  double mean = 0;
  for (size_t i = 0; i < rv_detail_count(out, RV_POINT); ++i) {
    double outermost = fmax(fmax(fabs((double)p[3 * i]), fabs((double)p[3 * i + 1])), fabs((double)p[3 * i + 2]));
    inside += i % 16 > 1 && outermost < SIDE - depth;
    mean += p[3 * i + 1] / (double)rv_detail_count(out, RV_POINT);
  }
  print_message("mean height %g, %zu points inside\n", mean, inside);
  // It stood 5 cm high on the mean, and has fallen onto the box.
  assert_true(mean < SIDE + 0.02);
  rv_scene_free(scene);
  return inside;
}

static void inside_out_and_open_bodies(void** state) {
  (void)state;
  RvTestLog first, second, log;
  assert_int_equal(inside_of(false, false, "", &first), 0);
  assert_int_equal(inside_of(false, true, "", &second), 0);
  // One of the two windings is the wrong one.
  expect(strstr(first.text, "inside out") ? &first : &second, "the mesh is inside out");
  assert_int_equal(inside_of(true, false, "", &log), 0);
  expect(&log, "the mesh is open at 4 edges: it becomes a shell");
  inside_of(true, false, ", \"mode\": \"closed\"", &log);
  expect(&log, "mode: the mesh is taken as closed");
}

//---------------------------------------------------------------------------------------------- wind

// Wind that is no number, of points and of a VDB: counted, and there is none there.
static void wind_that_is_no_number(void** state) {
  (void)state;
  static const int counts[] = {8, 8};
  static const float none[3] = {0}, nowhere[3] = {NAN, NAN, NAN};
  RvError error = {0};
  RvTestLog log;
  RvDetail* d = level(counts, 2, 5e-3);
  float* wind = rv_detail_f32_write(d, RV_POINT, "wind", 3, &error);
  for (int i = 0; i < 3 * 16; ++i) wind[i] = i < 3 * 8 ? NAN : 0;
  RvDetail *out = solve(d, "", &log), *solved = solve(d, ", \"air\": \"solved\"", &log);
  expect(&log, "wind of 8 of 16 points of the strands is not a number");
  for (size_t i = 0; i < 3 * rv_detail_count(out, RV_POINT); ++i)
    assert_true(isfinite(places(out)[i]) && isfinite(places(solved)[i]));
  // Both strands hang alike.
  CHECK_NEAR(places(out)[3 * 7 + 1], places(out)[3 * 15 + 1], 1e-7);
  rv_detail_free(d);
  rv_detail_free(out);
  rv_detail_free(solved);
  // A VDB.
  RvGrid* vel = NULL;
  char nodes[1200];
  RvDetail* air = rv_detail_new();
  CHECK_OK(rv_grid_create(RV_GRID_VEC3, "vel", RV_GRID_UNKNOWN, 0.02, none, &vel, &error), error);
  for (int i = 0; i < 12 * 12 * 12; ++i)
    CHECK_OK(rv_grid_set(vel, (const int32_t[]){i % 12 - 6, i / 12 % 12 - 6, i / 144 - 6}, nowhere, &error), error);
  CHECK_OK(rv_detail_add_vdb(air, vel, &error), error);
  save(air, "wind.vdb");
  snprintf(nodes, sizeof nodes,
           HANG
           "\"w\": {\"type\": \"file\", \"parms\": {\"file\": \"%s\"}}, \"s\": {\"type\": \"continuumsolver\","
           "  \"inputs\": [\"hang\", null, \"w\"], \"parms\": {\"air\": \"solved\"}}",
           rv_test_path("wind.vdb"));
  RvScene* scene = rv_test_scene(nodes, &log);
  const RvDetail* blown = NULL;
  RvResult result = rv_scene_cook(scene, "s", 3, &blown, &error);
  print_message("%s%s\n", error.text, log.text);
  assert_int_equal(result, RV_OK);
  expect(&log, "VDB vel that is not a number at 1200 of 1200 points");
  for (size_t i = 0; i < 3 * rv_detail_count(blown, RV_POINT); ++i) assert_true(isfinite(places(blown)[i]));
  rv_scene_free(scene);
  rv_detail_free(air);
  rv_grid_release(vel);
}

RV_TESTS(cmocka_unit_test(counts_of_points), cmocka_unit_test(no_radius_and_no_edge), cmocka_unit_test(no_strands),
         cmocka_unit_test(parameters_without_meaning), cmocka_unit_test(power_below_one),
         cmocka_unit_test(roots_at_100_m_s), cmocka_unit_test(inside_out_and_open_bodies),
         cmocka_unit_test(wind_that_is_no_number))
