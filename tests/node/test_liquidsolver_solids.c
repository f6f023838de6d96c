// The liquid solver among solids: nothing gets into them or through them, closed, open, thin, turning, growing or
// as VDBs; what has nowhere to go is bounded and told of.
#include <math.h>
#include <string.h>

#include "rivulet/node.h"
#include "support/rv_test.h"
#include "support/scene_log.h"

// `nodes` make the node "solid"; `fill` and `solver` are parameters
static RvScene* open_scene(const char* nodes, const char* fill, const char* solver, RvTestLog* log) {
  char text[4000];
  snprintf(text, sizeof text,
           "%s, \"pool\": {\"type\": \"fill\", "
           "\"parms\": {%s}}, \"s\": {\"type\": \"liquidsolver\", \"inputs\": [\"pool\", \"solid\"], \"parms\": "
           "{%s}}",
           nodes, fill, solver);
  return rv_test_scene(text, log);
}

static const RvDetail* cook(RvScene* scene, double frame) {
  return rv_test_scene_cook(scene, "s:liquid", frame);
}

static double fastest(const RvDetail* d) {
  const float* v = rv_detail_f32(d, RV_POINT, "v", 3);
  double most = 0;
  for (size_t i = 0; i < 3 * rv_detail_count(d, RV_POINT); ++i) {
    assert_true(isfinite(v[i]));
    most = fmax(most, fabs((double)v[i]));
  }
  return most;
}

// the deepest particle in a ball
static double deepest(const RvDetail* d, double x, double y, double z, double radius) {
  const float* P = rv_detail_f32(d, RV_POINT, "P", 3);
  double most = -INFINITY;
  for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) {
    double a = P[3 * i] - x, b = P[3 * i + 1] - y, c = P[3 * i + 2] - z;
    most = fmax(most, radius - sqrt(a * a + b * b + c * c));
  }
  return most;
}

#define POOL "\"size\": [0.3, 0.1, 0.2], \"particlesep\": 0.01"
#define TANK "\"walls\": true, \"wallsmin\": [-0.15, -0.05, -0.1], \"wallsmax\": [0.15, 0.5, 0.1]"
#define GOES "\"t\": [0, 0.02, 0], \"tx\": {\"keys\": [[1, -0.25], [13, 0.25]], \"interp\": \"linear\"}"

// a ball ploughs through a tank at 1 m/s, as a bare mesh, turned inside out, and by the node collider
static void ball_goes_through(void** state) {
  (void)state;
  static const char* const solids[] = {
      "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.05}}, \"solid\": {\"type\": \"transform\", \"inputs\": "
      "[\"b\"], \"parms\": {" GOES "}}",
      "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.05}}, \"m\": {\"type\": \"transform\", \"inputs\": "
      "[\"b\"], \"parms\": {" GOES
      ", \"rz\": {\"keys\": [[1, 0], [13, 200]]}}}, \"solid\": {\"type\": \"collider\", "
      "\"inputs\": [\"m\"], \"parms\": {\"voxelsize\": 0.003}}"};
  for (int k = 0; k < 2; ++k) {
    RvTestLog log;
    RvScene* scene = open_scene(solids[k], POOL, TANK, &log);
    double start = rv_test_volume(cook(scene, 1));
    for (int frame = 2; frame <= 8; ++frame) {
      const RvDetail* d = cook(scene, frame);
      double x = -0.25 + 0.5 * (frame - 1) / 12;
      // beyond, it presses liquid into the wall; the mesh lies inside its ball by the sagitta of its faces, the level
      // set rounds it by an eighth of a voxel
      assert_true(deepest(d, x, 0.02, 0, 0.05) < 0.002);
      CHECK_NEAR(rv_test_volume(d), start, 1e-12 * start);
      assert_true(fastest(d) < 10);
    }
    rv_test_scene_quiet(scene, &log);
  }
}

// a ball that grows pushes the liquid away with its surface
static void ball_grows(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = open_scene(
      "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.05}}, \"solid\": {\"type\": \"transform\", \"inputs\": "
      "[\"b\"], \"parms\": {\"t\": [0, 0, 0], \"scale\": {\"keys\": [[1, 0.6], [9, 1.2]], \"interp\": \"linear\"}}}",
      POOL, TANK, &log);
  double start = rv_test_volume(cook(scene, 1));
  for (int frame = 3; frame <= 9; frame += 2) {
    const RvDetail* d = cook(scene, frame);
    assert_true(deepest(d, 0, 0, 0, 0.05 * (0.6 + 0.6 * (frame - 1) / 8)) < 0.0025);
    CHECK_NEAR(rv_test_volume(d), start, 1e-12 * start);
  }
  rv_test_scene_quiet(scene, &log);
}

// the winding of a mesh changes nothing
static void inside_out_is_the_same(void** state) {
  (void)state;
  RvTestLog log;
  RvError error = {0};
  RvDetail* result[2];
  for (int k = 0; k < 2; ++k) {
    char nodes[600], path[400];
    const RvDetail* box;
    RvScene* scene =
        open_scene("\"solid\": {\"type\": \"box\", \"parms\": {\"size\": [0.1, 0.06, 0.1]}}", POOL, "", &log);
    CHECK_OK(rv_scene_cook(scene, "solid", 1, &box, &error), error);
    RvDetail* turned = rv_detail_copy(box);
    if (k) CHECK_OK(rv_detail_reverse(turned, NULL, &error), error);
    snprintf(path, sizeof path, "%s/box.bgeo", rv_test_folder());
    CHECK_OK(rv_detail_save(turned, path, NULL, &error), error);
    rv_detail_free(turned);
    rv_scene_free(scene);
    snprintf(nodes, sizeof nodes, "\"solid\": {\"type\": \"file\", \"parms\": {\"file\": \"%s\"}}", path);
    scene = open_scene(nodes, "\"size\": [0.1, 0.1, 0.1], \"t\": [0, 0.1, 0], \"particlesep\": 0.01", "", &log);
    result[k] = rv_detail_copy(cook(scene, 6));
    rv_test_scene_quiet(scene, &log);
  }
  size_t n = rv_detail_count(result[0], RV_POINT);
  assert_int_equal(n, rv_detail_count(result[1], RV_POINT));
  assert_memory_equal(rv_detail_f32(result[0], RV_POINT, "P", 3), rv_detail_f32(result[1], RV_POINT, "P", 3), 12 * n);
  rv_detail_free(result[0]);
  rv_detail_free(result[1]);
}

// a sheet without thickness, flat or tilted: nothing falls through
static void open_sheet_holds(void** state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    RvTestLog log;
    char nodes[600];
    snprintf(nodes, sizeof nodes,
             "\"g\": {\"type\": \"grid\", \"parms\": {\"size\": [2, 2]}}, \"solid\": {\"type\": \"transform\", "
             "\"inputs\": [\"g\"], \"parms\": {\"r\": [0, 0, %d]}}",
             20 * k);
    RvScene* scene =
        open_scene(nodes, "\"size\": [0.1, 0.1, 0.1], \"t\": [0, 0.1, 0], \"particlesep\": 0.01", "", &log);
    double start = rv_test_volume(cook(scene, 1)), angle = 20 * k * acos(-1) / 180, least = 1;
    const RvDetail* d = cook(scene, 8);
    const float* P = rv_detail_f32(d, RV_POINT, "P", 3);
    for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i)
      least = fmin(least, P[3 * i + 1] * cos(angle) - P[3 * i] * sin(angle));
    assert_true(least > -0.001);
    assert_true(least < 0.03);
    CHECK_NEAR(rv_test_volume(d), start, 1e-12 * start);
    rv_scene_free(scene);
  }
}

// a bucket with walls of nothing, open at the top, that turns about its axis and tilts
static void bucket_holds(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = open_scene(
      "\"b\": {\"type\": \"box\", \"parms\": {\"size\": [0.16, 0.2, 0.16], \"divrate\": [2, 2, 2]}}, \"t\": {\"type\": "
      "\"group\", \"inputs\": [\"b\"], \"parms\": {\"groupname\": \"top\", \"grouptype\": \"prims\", \"mode\": "
      "\"box\", \"boxmin\": [-1, 0.095, -1], \"boxmax\": [1, 0.105, 1]}}, \"o\": {\"type\": \"blast\", \"inputs\": "
      "[\"t\"], "
      "\"parms\": {\"group\": \"top\", \"grouptype\": \"prims\"}}, \"solid\": {\"type\": \"transform\", \"inputs\": "
      "[\"o\"], \"parms\": {\"ry\": {\"keys\": [[1, 0], [13, 90]]}, \"rz\": {\"keys\": [[1, 0], [13, 20]]}}}",
      "\"size\": [0.12, 0.1, 0.12], \"t\": [0, -0.02, 0], \"particlesep\": 0.01", "", &log);
  double start = rv_test_volume(cook(scene, 1));
  const RvDetail* d = cook(scene, 13);
  const float* P = rv_detail_f32(d, RV_POINT, "P", 3);
  double angle = 20 * acos(-1) / 180;
  for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) {
    // what is below the rim is between the walls
    double down = -sin(angle) * P[3 * i] + cos(angle) * P[3 * i + 1],
           side = cos(angle) * P[3 * i] + sin(angle) * P[3 * i + 1];
    assert_true(down > -0.102);
    if (down < 0.09) assert_true(fabs(side) < 0.082 && fabsf(P[3 * i + 2]) < 0.082);
  }
  CHECK_NEAR(rv_test_volume(d), start, 1e-12 * start);
  rv_scene_free(scene);
}

// the pair surface and vel of a cache: it moves between frames by its field
static void vdb_pair(void** state) {
  (void)state;
  RvError error = {0};
  char folder[300], nodes[600];
  snprintf(folder, sizeof folder, "%s", rv_test_folder());
  for (int frame = 1; frame <= 4; ++frame) {
    RvGrid* grids[2] = {NULL, NULL};
    float c[3] = {0, (float)(0.1 - 0.02 * frame), 0}, r = 0.04f, none[3] = {0}, v[3] = {0, -0.48f, 0};
    CHECK_OK(rv_grid_from_spheres("surface", 0.005, 4, 1, c, &r, &grids[0], &error), error);
    CHECK_OK(rv_grid_create(RV_GRID_VEC3, "vel", RV_GRID_UNKNOWN, 0.02, none, &grids[1], &error), error);
    for (int k = 0; k < 512; ++k) {
      int32_t at[3] = {k % 8 - 4, k / 8 % 8 - 4, k / 64 - 4};
      CHECK_OK(rv_grid_set(grids[1], at, v, &error), error);
    }
    char path[400];
    snprintf(path, sizeof path, "%s/c.%04d.vdb", folder, frame);
    CHECK_OK(rv_grid_write_file(path, grids, 2, false, &error), error);
    rv_grid_release(grids[0]);
    rv_grid_release(grids[1]);
  }
  snprintf(nodes, sizeof nodes, "\"solid\": {\"type\": \"file\", \"parms\": {\"file\": \"%s/c.$F4.vdb\"}}", folder);
  RvTestLog log;
  RvScene* scene = open_scene(nodes, POOL, TANK, &log);
  cook(scene, 1);
  for (int frame = 2; frame <= 4; ++frame)
    assert_true(deepest(cook(scene, frame), 0, 0.1 - 0.02 * frame, 0, 0.04) < 0.002);
  rv_test_scene_quiet(scene, &log);
}

// two blocks close on the liquid in a tank without a way out: it stays what it was, stays slow, and is told of
static void crushed(void** state) {
  (void)state;
  RvTestLog log;
  RvScene* scene = open_scene(
      "\"b\": {\"type\": \"box\", \"parms\": {\"size\": [0.4, 0.2, 0.4]}}, \"solid\": {\"type\": \"transform\", "
      "\"inputs\": [\"b\"], \"parms\": {\"ty\": {\"keys\": [[1, 0.17], [9, 0.05], [13, 0.05], [21, 0.17]]}}}",
      POOL, "\"walls\": true, \"wallsmin\": [-0.15, -0.05, -0.1], \"wallsmax\": [0.15, 0.5, 0.1], \"maxsubsteps\": 8",
      &log);
  double start = rv_test_volume(cook(scene, 1));
  for (int frame = 3; frame <= 21; frame += 2) {
    const RvDetail* d = cook(scene, frame);
    CHECK_NEAR(rv_test_volume(d), start, 1e-12 * start);
    if (!(fastest(d) < 60)) fail_msg("frame %d: %g m/s", frame, fastest(d));
  }
  if (!strstr(log.text, "caught")) fail_msg("%s", log.text);
  rv_scene_free(scene);
}

// a tube with caps is a cylinder: liquid in it is in the solid, which is told; without caps it is a wall, as with the
// mode open
static void closed_vessel(void** state) {
  (void)state;
  static const char* const kind[3][2] = {{"true", "auto"}, {"false", "open"}, {"true", "open"}};
  for (int k = 0; k < 3; ++k) {
    RvTestLog log;
    char nodes[1000];
    snprintf(nodes, sizeof nodes,
             "\"w\": {\"type\": \"tube\", \"parms\": {\"cap\": %s, \"rad\": [0.1, 0.1], \"height\": 0.3, "
             "\"cols\": 32}}, \"t\": {\"type\": \"transform\", \"inputs\": [\"w\"], \"parms\": {\"ry\": {\"keys\": "
             "[[1, 0], [9, 90]], \"interp\": \"linear\"}}}, \"solid\": {\"type\": \"collider\", \"inputs\": [\"t\"], "
             "\"parms\": {\"mode\": \"%s\"}}",
             kind[k][0], kind[k][1]);
    RvScene* scene = open_scene(nodes, "\"size\": [0.1, 0.1, 0.1], \"particlesep\": 0.01",
                                "\"gravity\": [0, 0, 0], \"viscosity\": 0.1", &log);
    cook(scene, 3);
    bool told = strstr(log.text, "inside of a collider") != NULL;
    if (told != (k == 0) || log.warnings > 2) fail_msg("%d: %s", k, log.text);
    rv_scene_free(scene);
  }
}

// wrong input is one error or one warning
static void bad_input(void** state) {
  (void)state;
  RvTestLog log;
  RvError error = {0};
  const RvDetail* out;
  // a curve is no collider
  RvScene* scene = open_scene("\"solid\": {\"type\": \"curve\", \"parms\": {}}", POOL, TANK, &log);
  assert_int_equal(rv_scene_cook(scene, "s:liquid", 2, &out, &error), RV_BAD_INPUT);
  assert_non_null(strstr(error.text, "input 2 (Colliders) takes faces or VDBs"));
  rv_scene_free(scene);
  error = (RvError){0};
  // a level set of more voxels than memory
  scene = open_scene("\"solid\": {\"type\": \"box\", \"parms\": {\"size\": [1000, 1000, 1000]}}",
                     "\"size\": [0.02, 0.02, 0.02], \"t\": [0, 501, 0], \"particlesep\": 0.002", "", &log);
  RvResult result = rv_scene_cook(scene, "s:liquid", 2, &out, &error);
  assert_int_equal(result, RV_LIMIT);
  assert_non_null(strstr(error.text, "particlesep"));
  rv_scene_free(scene);
}

RV_TESTS(cmocka_unit_test(ball_goes_through), cmocka_unit_test(ball_grows), cmocka_unit_test(inside_out_is_the_same),
         cmocka_unit_test(open_sheet_holds), cmocka_unit_test(bucket_holds), cmocka_unit_test(vdb_pair),
         cmocka_unit_test(crushed), cmocka_unit_test(closed_vessel), cmocka_unit_test(bad_input))
