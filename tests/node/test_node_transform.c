// transform: against quaternions, by tag, about a pivot, in part, mirrored, and of VDBs.
#include <math.h>
#include <string.h>

#include "math/vec.h"
#include "rivulet/scene.h"
#include "support/cook.h"
#include "support/mesh.h"
#include "support/rv_test.h"

static const double pi = 3.14159265358979323846;

static RvVec3 point(const RvDetail* d, size_t i) {
  return rv_vec3_load(rv_detail_f32(d, RV_POINT, "P", 3) + 3 * i);
}

static RvQuat about(char axis, double degrees) {
  double h = degrees * pi / 360;
  return (RvQuat){axis == 'x' ? sin(h) : 0, axis == 'y' ? sin(h) : 0, axis == 'z' ? sin(h) : 0, cos(h)};
}

static void check_vec(RvVec3 a, RvVec3 b, double tolerance) {
  CHECK_NEAR(a.x, b.x, tolerance);
  CHECK_NEAR(a.y, b.y, tolerance);
  CHECK_NEAR(a.z, b.z, tolerance);
}

// every order of rotation and of the parts, against quaternions applied in that order
static void orders(void** state) {
  (void)state;
  const char* rotate[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"};
  const char* parts[] = {"srt", "str", "rst", "rts", "tsr", "trs"};
  RvDetail* box = rv_test_cooked("box", "size=1 2 3", NULL);
  const double angle[3] = {30, -50, 70};
  RvVec3 t = {0.1, 0.2, -0.3}, s = {2 * 1.5, 0.5 * 1.5, 1.5}, pivot = {0.4, -0.1, 0.2};
  for (int ro = 0; ro < 6; ++ro)
    for (int xo = 0; xo < 6; ++xo) {
      char parms[256];
      snprintf(parms, sizeof parms,
               "t=0.1 0.2 -0.3; r=30 -50 70; s=2 0.5 1; scale=1.5; p=0.4 -0.1 0.2; rOrd=%s; xOrd=%s", rotate[ro],
               parts[xo]);
      RvDetail* out = rv_test_cooked("transform", parms, box);
      for (size_t i = 0; i < 8; ++i) {
        RvVec3 q = rv_sub(point(box, i), pivot);
        for (int k = 0; k < 3; ++k) {
          char part = parts[xo][k];
          if (part == 't') q = rv_add(q, t);
          if (part == 's') q = rv_mul(q, s);
          for (int m = 0; part == 'r' && m < 3; ++m)
            q = rv_quat_rotate(about(rotate[ro][m], angle[rotate[ro][m] - 'x']), q);
        }
        // float storage of coordinates up to 6
        check_vec(point(out, i), rv_add(q, pivot), 1e-6);
      }
      rv_detail_free(out);
    }
  rv_detail_free(box);
}

static void inverse_undoes(void** state) {
  (void)state;
  const char* parms = "t=0.1 0.2 -0.3; r=30 -50 70; s=2 0.5 -1; p=0.4 -0.1 0.2; rOrd=zxy";
  char back[200];
  snprintf(back, sizeof back, "%s; invertxform=on", parms);
  RvDetail* box = rv_test_cooked("box", "size=1 2 3", NULL);
  RvDetail* there = rv_test_cooked("transform", parms, box);
  RvDetail* here = rv_test_cooked("transform", back, there);
  for (size_t i = 0; i < 8; ++i) check_vec(point(here, i), point(box, i), 2e-6);
  // mirrored twice, wound as before
  CHECK_NEAR(rv_test_mesh(here).volume, 6, 1e-4);
  rv_detail_free(box);
  rv_detail_free(there);
  rv_detail_free(here);
  RvDetail* flat = rv_test_cooked("box", NULL, NULL);
  RvTestCook c = rv_test_cook("transform", "s=0 1 1; invertxform=on", 1, (const RvDetail*[]){flat});
  CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, "s:");
  rv_test_cook_free(&c);
  rv_detail_free(flat);
}

static void add(RvDetail* d, const char* name, RvStorage storage, int size, RvTag tag, const double* value) {
  RvError error = {0};
  RvAttrib* a = NULL;
  CHECK_OK(rv_detail_add_attrib(d, RV_POINT, name, storage, size, tag, &a, &error), error);
  void* v = rv_attrib_write(a);
  for (size_t i = 0; i < rv_attrib_count(a); ++i)
    for (int k = 0; k < size; ++k) {
      if (storage == RV_F32) ((float*)v)[i * (size_t)size + (size_t)k] = (float)value[k];
      if (storage == RV_F64) ((double*)v)[i * (size_t)size + (size_t)k] = value[k];
      if (storage == RV_I32) ((int32_t*)v)[i * (size_t)size + (size_t)k] = (int32_t)value[k];
    }
}

static RvVec3 value3(const RvDetail* d, const char* name, size_t i) {
  const RvAttrib* a = rv_detail_find(d, RV_POINT, name);
  return rv_vec3(rv_attrib_get(a, i, 0), rv_attrib_get(a, i, 1), rv_attrib_get(a, i, 2));
}

static void tags(void** state) {
  (void)state;
  RvDetail* d = rv_test_cooked("box", NULL, NULL);
  const double one[3] = {1, 2, 3}, identity[4] = {0, 0, 0, 1}, axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double frame[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1};
  add(d, "where", RV_F64, 3, RV_TAG_POINT, one);
  add(d, "v", RV_F32, 3, RV_TAG_VECTOR, one);
  add(d, "N", RV_F32, 3, RV_TAG_NORMAL, one);
  add(d, "Cd", RV_F32, 3, RV_TAG_COLOR, one);
  add(d, "rest", RV_F32, 3, RV_TAG_POINT, one);
  add(d, "plain", RV_F32, 3, RV_TAG_NONE, one);
  add(d, "kept", RV_F32, 3, RV_TAG_VECTOR, one);
  add(d, "orient", RV_F32, 4, RV_TAG_QUATERNION, identity);
  add(d, "m3", RV_F32, 9, RV_TAG_MATRIX3, axes);
  add(d, "m4", RV_F64, 16, RV_TAG_MATRIX, frame);
  add(d, "id", RV_I32, 1, RV_TAG_ID, one);
  RvDetail* out = rv_test_cooked("transform", "t=10 0 0; r=0 0 90; s=2 1 1; attribs=* ^rest ^kept", d);
  // x becomes 2 y, y becomes -x
  check_vec(value3(out, "where", 3), rv_vec3(10 - 2, 2, 3), 1e-12);
  check_vec(value3(out, "v", 3), rv_vec3(-2, 2, 3), 1e-6);
  // normals: inverse transpose, (1/2, 2, 3) turned, with the length of (1, 2, 3)
  double n = sqrt(14) / sqrt(0.25 + 4 + 9);
  check_vec(value3(out, "N", 3), rv_vec3(-2 * n, 0.5 * n, 3 * n), 1e-6);
  check_vec(value3(out, "Cd", 3), rv_vec3(1, 2, 3), 0);
  // a rest that is left out takes the scale, in its own place and orientation
  check_vec(value3(out, "rest", 3), rv_vec3(2, 2, 3), 1e-6);
  check_vec(value3(out, "plain", 3), rv_vec3(1, 2, 3), 0);
  check_vec(value3(out, "kept", 3), rv_vec3(1, 2, 3), 0);
  const float* q = rv_detail_f32(out, RV_POINT, "orient", 4);
  CHECK_NEAR(fabs(q[2]), sqrt(0.5), 1e-6);
  CHECK_NEAR(q[3] * (q[2] < 0 ? -1 : 1), sqrt(0.5), 1e-6);
  const RvAttrib* m3 = rv_detail_find(out, RV_POINT, "m3");
  CHECK_NEAR(rv_attrib_get(m3, 0, 1), 2, 1e-6);   // the x axis is now 2 y
  CHECK_NEAR(rv_attrib_get(m3, 0, 3), -1, 1e-6);  // the y axis -x
  const RvAttrib* m4 = rv_detail_find(out, RV_POINT, "m4");
  CHECK_NEAR(rv_attrib_get(m4, 0, 12), 8, 1e-12);
  CHECK_NEAR(rv_attrib_get(m4, 0, 13), 2, 1e-12);
  CHECK_NEAR(rv_attrib_get(m4, 0, 15), 1, 0);
  assert_int_equal(rv_detail_i32(out, RV_POINT, "id", 1)[3], 1);
  // the input is not touched
  check_vec(value3(d, "v", 3), rv_vec3(1, 2, 3), 0);
  rv_detail_free(out);
  rv_detail_free(d);
}

static void groups(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* d = rv_test_cooked("box", NULL, NULL);
  RvGroup* g = NULL;
  CHECK_OK(rv_detail_add_group(d, RV_POINT, "left", &g, &error), error);
  uint8_t* in = rv_group_write(g);
  for (size_t i = 0; i < 8; ++i) in[i] = point(d, i).x < 0;
  CHECK_OK(rv_detail_add_group(d, RV_PRIM, "top", &g, &error), error);
  const int32_t *start = rv_detail_prim_start(d), *corner = rv_detail_vertex_point(d);
  for (size_t i = 0; i < 6; ++i) {
    bool all = true;
    for (int32_t v = start[i]; v < start[i + 1]; ++v) all = all && point(d, (size_t)corner[v]).y > 0;
    rv_group_write(g)[i] = all;
  }
  struct {
    const char* parms;
    int axis, side;
  } cases[] = {{"t=5 0 0; group=left", 0, -1},
               {"t=5 0 0; group=!left", 0, 1},
               {"t=5 0 0; group=top", 1, 1},
               {"t=5 0 0; group=top; grouptype=prims", 1, 1}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    RvDetail* out = rv_test_cooked("transform", cases[c].parms, d);
    for (size_t i = 0; i < 8; ++i) {
      RvVec3 p = point(d, i);
      bool moved = (cases[c].axis ? p.y : p.x) * cases[c].side > 0;
      check_vec(point(out, i), rv_vec3(p.x + 5 * moved, p.y, p.z), 0);
    }
    assert_non_null(rv_detail_find_group(out, RV_POINT, "left"));
    rv_detail_free(out);
  }
  RvDetail* out = rv_test_cooked("transform", "t=5 0 0; group=0-3:2 7", d);
  for (size_t i = 0; i < 8; ++i) {
    bool moved = i == 0 || i == 2 || i == 7;
    CHECK_NEAR(point(out, i).x, point(d, i).x + 5 * moved, 0);
  }
  rv_detail_free(out);
  RvTestCook c = rv_test_cook("transform", "group=lfet", 1, (const RvDetail*[]){d});
  CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, "left");
  rv_test_cook_free(&c);
  rv_test_cook_fails("transform", "group=3-", d, RV_BAD_INPUT, "3-");
  rv_detail_free(d);
}

// a mirrored closed mesh still looks outward, with its vertex values; a strand keeps its order
static void mirror(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* d = rv_test_cooked("box", "size=1 2 3; addnormals=on", NULL);
  size_t first;
  CHECK_OK(rv_detail_add_curves(d, 1, 3, &first, NULL, &error), error);
  float* p = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  for (size_t i = 0; i < 3; ++i) p[3 * (first + i)] = (float)i;
  RvDetail* out = rv_test_cooked("transform", "s=-1 1 1", d);
  RvTestMesh m = rv_test_mesh(out);
  assert_true(m.closed);
  CHECK_NEAR(m.volume, 6, 1e-5);
  const int32_t *start = rv_detail_prim_start(out), *corner = rv_detail_vertex_point(out);
  for (int k = 0; k < 3; ++k) assert_int_equal(corner[start[6] + k], (int)first + k);
  const float* n = rv_detail_f32(out, RV_VERTEX, "N", 3);
  for (int32_t v = 0; v < 24; ++v) {
    // a face's normal points from the centre to the face
    RvVec3 q = point(out, (size_t)corner[v]);
    assert_true(rv_dot(rv_vec3_load(n + 3 * v), q) > 0.4);
  }
  rv_detail_free(out);
  rv_detail_free(d);
}

// a level set of a sphere, moved: distances at moved places are the old ones times the scale
static void vdb_moves(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  RvGrid *ball = NULL, *vel = NULL;
  CHECK_OK(rv_grid_from_spheres("surface", 0.05, 4, 1, (const float[]){0.1f, 0.2f, 0.3f}, (const float[]){0.5f}, &ball,
                                &error),
           error);
  CHECK_OK(rv_grid_create(RV_GRID_VEC3, "vel", RV_GRID_UNKNOWN, 0.05, (const float[]){1, 2, 3}, &vel, &error), error);
  CHECK_OK(rv_grid_set(vel, (const int32_t[]){0, 0, 0}, (const float[]){1, 0, 0}, &error), error);
  CHECK_OK(rv_detail_add_vdb(d, ball, &error), error);
  CHECK_OK(rv_detail_add_vdb(d, vel, &error), error);
  RvDetail* out = rv_test_cooked("transform", "t=1 0 0; r=0 0 90; scale=2", d);
  RvGrid *moved = rv_detail_find_vdb(out, "surface"), *turned = rv_detail_find_vdb(out, "vel");
  assert_non_null(moved);
  assert_non_null(turned);
  CHECK_NEAR(rv_grid_voxel_size(moved), 0.1, 1e-9);
  for (int i = 0; i < 50; ++i) {
    double a = 0.37 * i, r = 0.4 + 0.004 * i;
    double p[3] = {0.1 + r * cos(a), 0.2 + r * sin(a) * cos(3 * a), 0.3 + r * sin(a) * sin(3 * a)};
    double q[3] = {1 - 2 * p[1], 2 * p[0], 2 * p[2]};
    float before, after;
    CHECK_OK(rv_grid_sample(ball, 1, p, &before, &error), error);
    CHECK_OK(rv_grid_sample(moved, 1, q, &after, &error), error);
    // rounding of the transform only
    CHECK_NEAR(after, 2 * before, 1e-5);
  }
  float value[3];
  rv_grid_get(turned, (const int32_t[]){0, 0, 0}, value);
  CHECK_NEAR(value[0], 0, 1e-6);
  CHECK_NEAR(value[1], 2, 1e-6);
  rv_grid_background(turned, value);
  CHECK_NEAR(value[0], -4, 1e-6);
  CHECK_NEAR(value[1], 2, 1e-6);
  CHECK_NEAR(value[2], 6, 1e-6);
  // inside, far from the surface, still inside and scaled
  float deep;
  CHECK_OK(rv_grid_sample(moved, 1, (const double[]){1 - 0.4, 0.2, 0.6}, &deep, &error), error);
  CHECK_NEAR(deep, -0.4, 1e-5);
  rv_detail_free(out);
  RvTestCook c = rv_test_cook("transform", "s=1 2 1", 1, (const RvDetail*[]){d});
  CHECK_OK(c.result, c.error);
  assert_non_null(strstr(c.warnings, "non-uniform scale"));
  rv_test_cook_free(&c);
  rv_test_cook_fails("transform", "s=0 1 1", d, RV_BAD_INPUT, "surface");
  rv_grid_release(ball);
  rv_grid_release(vel);
  rv_detail_free(d);
}

// lengths scale by the mean scale, volumes by its cube, ratios not; a rigid motion changes no bit of them
static void lengths_scale(void** state) {
  (void)state;
  static const struct {
    const char* name;
    double power;
  } rows[] = {{"width", 1},  {"pscale", 1},     {"filmheight", 1}, {"filmradius", 1}, {"dropradius", 1}, {"filmv", 1},
              {"volume", 3}, {"hairradius", 1}, {"wetadd", 1},     {"thickness", 1},  {"wetness", 0},    {"age", 0}};
  enum { ROWS = sizeof rows / sizeof *rows };
  RvDetail* d = rv_test_cooked("groom", "count=3; points=4; style=curly", NULL);
  RvError error = {0};
  for (int k = 0; k < ROWS; ++k) {
    float* values = rv_detail_f32_write(d, RV_POINT, rows[k].name, 1, &error);
    assert_non_null(values);
    for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) values[i] = (float)(k + 1);
  }
  RvDetail* turned = rv_test_cooked("transform", "t=1 2 3; r=30 40 50", d);
  RvDetail* scaled = rv_test_cooked("transform", "t=1 2 3; r=30 40 50; scale=0.5; s=4 1 2", d);
  for (int k = 0; k < ROWS; ++k) {
    assert_true(rv_detail_f32(turned, RV_POINT, rows[k].name, 1)[5] == (float)(k + 1));
    // the mean of the scales 2, 0.5, 1 is 1
    CHECK_NEAR(rv_detail_f32(scaled, RV_POINT, rows[k].name, 1)[5], k + 1, 1e-6);
  }
  rv_detail_free(scaled);
  scaled = rv_test_cooked("transform", "t=1 2 3; r=30 40 50; scale=3", d);
  for (int k = 0; k < ROWS; ++k)
    CHECK_NEAR(rv_detail_f32(scaled, RV_POINT, rows[k].name, 1)[5], (k + 1) * pow(3, rows[k].power), 1e-4);
  CHECK_NEAR(rv_detail_f32(scaled, RV_PRIM, "hairradius", 1)[1], 3 * rv_detail_f32(d, RV_PRIM, "hairradius", 1)[1],
             1e-10);
  // rest: as it was, or scaled about the origin
  const float *rest = rv_detail_f32(d, RV_POINT, "rest", 3), *same = rv_detail_f32(turned, RV_POINT, "rest", 3);
  const float* larger = rv_detail_f32(scaled, RV_POINT, "rest", 3);
  assert_memory_equal(rest, same, 3 * sizeof(float) * rv_detail_count(d, RV_POINT));
  for (size_t i = 0; i < 3 * rv_detail_count(d, RV_POINT); ++i) CHECK_NEAR(larger[i], 3 * rest[i], 1e-6);
  rv_detail_free(turned);
  rv_detail_free(scaled);
  rv_detail_free(d);
}

// Mean length of the strands.
static double mean_length(const RvDetail* d) {
  const int32_t *start = rv_detail_prim_start(d), *corner = rv_detail_vertex_point(d);
  double sum = 0;
  size_t count = rv_detail_count(d, RV_PRIM);
  for (size_t k = 0; k < count; ++k)
    for (int32_t v = start[k] + 1; v < start[k + 1]; ++v)
      sum += rv_distance(point(d, (size_t)corner[v]), point(d, (size_t)corner[v - 1]));
  return sum / (double)count;
}

// A groom that is scaled keeps its length in the solver, which takes lengths from rest: unscaled they would pull it to
// its former size within a few frames.
static void scaled_groom_keeps_its_size(void** state) {
  (void)state;
  static const char* const scales[] = {"0.4", "3"};
  for (int k = 0; k < 2; ++k) {
    char text[700];
    snprintf(text, sizeof text,
             "{\"rivulet\": 1, \"frames\": [1, 6], \"nodes\": {"
             "\"hair\": {\"type\": \"groom\", \"parms\": {\"count\": 8, \"length\": 0.08, \"points\": 12, \"style\": "
             "\"curly\"}},"
             "\"size\": {\"type\": \"transform\", \"inputs\": [\"hair\"], \"parms\": {\"scale\": %s}},"
             "\"sim\": {\"type\": \"strandsolver\", \"inputs\": [\"size\"], \"parms\": {\"restmode\": \"natural\"}}}}",
             scales[k]);
    RvError error = {0};
    RvScene* scene = NULL;
    CHECK_OK(rv_scene_parse(text, strlen(text), NULL, &scene, &error), error);
    const RvDetail* out = NULL;
    CHECK_OK(rv_scene_cook(scene, "size", 1, &out, &error), error);
    double before = mean_length(out);
    CHECK_OK(rv_scene_cook(scene, "sim", 6, &out, &error), error);
    // stretching of a hair under its weight is below 0.1 percent
    CHECK_NEAR(mean_length(out) / before, 1, 0.01);
    rv_scene_free(scene);
  }
}

RV_TESTS(cmocka_unit_test(lengths_scale), cmocka_unit_test(scaled_groom_keeps_its_size), cmocka_unit_test(orders),
         cmocka_unit_test(inverse_undoes), cmocka_unit_test(tags), cmocka_unit_test(groups), cmocka_unit_test(mirror),
         cmocka_unit_test(vdb_moves))
