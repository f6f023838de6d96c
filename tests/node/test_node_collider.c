// collider: distances of spheres, boxes and sheets against their formulas, velocity of a spinning sphere, VDB input.
#include <math.h>
#include <string.h>

#include "math/vec.h"
#include "support/cook.h"
#include "support/rv_test.h"

static const double pi = 3.14159265358979323846;

static float sample(const RvGrid* grid, double x, double y, double z) {
  RvError error = {0};
  float out;
  CHECK_OK(rv_grid_sample(grid, 1, (const double[]){x, y, z}, &out, &error), error);
  return out;
}

static void sphere_distance(void** state) {
  (void)state;
  RvDetail* ball = rv_test_cooked("sphere", "radius=1; rows=97; cols=192; t=0.1 0.2 0.3", NULL);
  RvDetail* d = rv_test_cooked("collider", "voxelsize=0.05; band=6; friction=0.7; contactangle=110", ball);
  RvGrid* grid = rv_detail_find_vdb(d, "collision");
  assert_non_null(grid);
  assert_int_equal(rv_grid_class(grid), RV_GRID_LEVEL_SET);
  CHECK_NEAR(rv_grid_voxel_size(grid), 0.05, 1e-12);
  for (int i = 0; i < 200; ++i) {
    double a = 0.7 * i, b = 0.31 * i, r = 0.85 + 0.0015 * i;
    double x = r * sin(b) * cos(a), y = r * sin(b) * sin(a), z = r * cos(b);
    // trilinear error h^2 / (8 R) in two directions, and the facets' 3e-4
    CHECK_NEAR(sample(grid, 0.1 + x, 0.2 + y, 0.3 + z), r - 1, 0.0025 / (4 * 0.85) + 4e-4);
  }
  assert_true(sample(grid, 0.1, 0.2, 0.3) < -0.15);
  assert_true(sample(grid, 5, 5, 5) > 0.15);
  // the mesh is still there, with its properties and at rest
  assert_int_equal(rv_detail_count(d, RV_POINT), rv_detail_count(ball, RV_POINT));
  assert_int_equal(rv_detail_count(d, RV_PRIM), rv_detail_count(ball, RV_PRIM) + 1);
  CHECK_NEAR(rv_detail_f32(d, RV_PRIM, "friction", 1)[0], 0.7, 1e-7);
  CHECK_NEAR(rv_detail_f32(d, RV_PRIM, "contactangle", 1)[rv_detail_count(d, RV_PRIM) - 1], 110, 0);
  CHECK_NEAR(rv_detail_f32(d, RV_POINT, "v", 3)[7], 0, 0);
  rv_detail_free(d);
  rv_detail_free(ball);
}

// a box on the lattice: flat sides are exact, wherever they look
static void box_distance(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* box = rv_test_cooked("box", "size=1 2 3", NULL);
  for (int turn = 0; turn < 2; ++turn) {
    RvTestCook c = rv_test_cook("collider", "voxelsize=0.05", 1, (const RvDetail*[]){box});
    CHECK_OK(c.result, c.error);
    assert_int_equal(c.nwarning, turn);
    if (turn) assert_non_null(strstr(c.warnings, "inside out"));
    RvGrid* grid = rv_detail_find_vdb(c.output[0], "collision");
    for (double s = -0.15; s < 0.151; s += 0.025) {
      CHECK_NEAR(sample(grid, 0.5 + s, 0.3, 0.2), s, 1e-6);
      CHECK_NEAR(sample(grid, 0.1, -1 - s, 0.2), s, 1e-6);
      CHECK_NEAR(sample(grid, 0.1, -0.2, 1.5 + s), s, 1e-6);
    }
    rv_test_cook_free(&c);
    CHECK_OK(rv_detail_reverse(box, NULL, &error), error);
  }
  rv_detail_free(box);
}

// an open sheet is a shell: |y| - thickness / 2
static void open_shell(void** state) {
  (void)state;
  RvDetail* sheet = rv_test_cooked("grid", "size=2 2", NULL);
  RvTestCook c = rv_test_cook("collider", "voxelsize=0.05; thickness=0.2", 1, (const RvDetail*[]){sheet});
  CHECK_OK(c.result, c.error);
  assert_int_equal(c.nwarning, 1);
  assert_non_null(strstr(c.warnings, "open at 36 edges"));
  RvGrid* grid = rv_detail_find_vdb(c.output[0], "collision");
  assert_non_null(grid);
  for (double y = -0.25; y < 0.251; y += 0.05) CHECK_NEAR(sample(grid, 0.2, y, 0.3), fabs(y) - 0.1, 1e-6);
  CHECK_NEAR(rv_detail_f32(c.output[0], RV_PRIM, "thickness", 1)[0], 0.2, 1e-7);
  float background[3];
  rv_grid_background(grid, background);
  CHECK_NEAR(background[0], 4 * 0.05, 1e-6);
  rv_test_cook_free(&c);
  // meant so: no warning; too thin: told
  c = rv_test_cook("collider", "voxelsize=0.05; mode=open; thickness=0.01", 1, (const RvDetail*[]){sheet});
  CHECK_OK(c.result, c.error);
  assert_int_equal(c.nwarning, 1);
  assert_non_null(strstr(c.warnings, "two voxels"));
  CHECK_NEAR(rv_detail_f32(c.output[0], RV_PRIM, "thickness", 1)[0], 0.1, 1e-6);
  rv_test_cook_free(&c);
  rv_detail_free(sheet);
}

// A shell as thick as its sheet is wide has the voxels of its own shape, not a hundred of the sheet's: 0.1 / 16 each.
static void thick_shell(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* sheet = rv_test_cooked("grid", "size=0.1 0.1", NULL);
  RvTestCook c = rv_test_cook("collider", "mode=open; thickness=0.1", 1, (const RvDetail*[]){sheet});
  CHECK_OK(c.result, c.error);
  RvGrid* grid = rv_detail_find_vdb(c.output[0], "collision");
  assert_non_null(grid);
  uint64_t active = 0;
  CHECK_OK(rv_grid_active_count(grid, &active, &error), error);
  print_message("%llu voxels\n", (unsigned long long)active);
  // The box of the shell and its band of 4 voxels: (0.2 / h + 8)^2 (0.1 / h + 8) = 38,400; the corners are round.
  assert_in_range(active, 10000, 38400);
  for (double y = 0; y < 0.07; y += 0.01) CHECK_NEAR(sample(grid, 0.02, y, 0.03), y - 0.05, 1e-6);
  rv_test_cook_free(&c);
  rv_detail_free(sheet);
}

static void same_bits_for_any_threads(void** state) {
  (void)state;
  RvDetail* ball = rv_test_cooked("sphere", "radius=1; rows=33; cols=64", NULL);
  uint64_t expected = 0;
  const int threads[] = {1, 2, 8, 8};
  for (int i = 0; i < 4; ++i) {
    rv_threads_set(threads[i]);
    RvDetail* d = rv_test_cooked("collider", "voxelsize=0.04; band=6", ball);
    uint64_t hash = rv_detail_hash(d);
    if (i) assert_true(hash == expected);
    expected = hash;
    rv_detail_free(d);
  }
  rv_threads_set(0);
  rv_detail_free(ball);
}

//---------------------------------------------------------------------------------------------- motion

typedef struct Spin {
  const RvDetail* rest;
  double speed;  // degrees a frame about y
  RvDetail* made[8];
  size_t count;
  double absent_below;  // no input before this frame
  bool change;          // another topology after frame 10
  RvResult damage;      // what frames after 10 fail with
} Spin;

static RvResult spin_at(void* user, size_t index, double frame, const RvDetail** out, RvError* error) {
  Spin* s = user;
  (void)index;
  if (frame < s->absent_below) return rv_fail(error, RV_NOT_FOUND, "no frame %g", frame);
  if (s->damage && frame > 10) return rv_fail(error, s->damage, "ball.0011.bgeo is damaged at byte 7");
  char parms[64];
  snprintf(parms, sizeof parms, "r=0 %.17g 0; t=%.17g 0 0", s->speed * frame, 0.01 * frame);
  RvTestCook c =
      s->change && frame > 10 ? rv_test_cook("box", NULL, 0, NULL) : rv_test_cook("transform", parms, 1, &s->rest);
  CHECK_OK(c.result, c.error);
  *out = s->made[s->count++] = c.output[0];
  return RV_OK;
}

static void spin_free(Spin* s) {
  while (s->count) rv_detail_free(s->made[--s->count]);
}

// omega x r + u at every vertex; over a whole frame a chord is shorter than its arc by sin(x) / x
static void spinning_sphere(void** state) {
  (void)state;
  RvDetail* ball = rv_test_cooked("sphere", "radius=1; rows=9; cols=16", NULL);
  Spin spin = {.rest = ball, .speed = 15, .absent_below = -100};
  const RvDetail* now;
  RvError error = {0};
  CHECK_OK(spin_at(&spin, 0, 10, &now, &error), error);
  RvTestCook c =
      rv_test_cook_host("collider", "voxelsize=0.1", 1, &now, 10, &(RvTestHost){.input_at = spin_at, .user = &spin});
  CHECK_OK(c.result, c.error);
  assert_int_equal(c.nwarning, 0);
  const float *p = rv_detail_f32(c.output[0], RV_POINT, "P", 3), *v = rv_detail_f32(c.output[0], RV_POINT, "v", 3);
  double half = 15 * pi / 180 / 2, omega = 15 * pi / 180 * 24, chord = sin(half) / half;
  for (size_t i = 0; i < rv_detail_count(c.output[0], RV_POINT); ++i) {
    double x = p[3 * i] - 0.1, z = p[3 * i + 2];
    // float positions of 1 over 1/24 s: 2 * 6e-8 * 24
    CHECK_NEAR(v[3 * i], omega * z * chord + 0.24, 1e-5);
    CHECK_NEAR(v[3 * i + 1], 0, 1e-5);
    CHECK_NEAR(v[3 * i + 2], -omega * x * chord, 1e-5);
  }
  assert_int_equal(rv_attrib_tag(rv_detail_find(c.output[0], RV_POINT, "v")), RV_TAG_VECTOR);
  rv_test_cook_free(&c);
  spin_free(&spin);
  // at the first frame of a sequence the half frame after it counts alone
  spin = (Spin){.rest = ball, .speed = 0, .absent_below = 10};
  CHECK_OK(spin_at(&spin, 0, 10, &now, &error), error);
  c = rv_test_cook_host("collider", "voxelsize=0.1", 1, &now, 10, &(RvTestHost){.input_at = spin_at, .user = &spin});
  CHECK_OK(c.result, c.error);
  CHECK_NEAR(rv_detail_f32(c.output[0], RV_POINT, "v", 3)[0], 0.24, 1e-5);
  rv_test_cook_free(&c);
  spin_free(&spin);
  rv_detail_free(ball);
}

// the frame beside may be missing; if it is there and cannot be read, the velocity would be wrong without a word
static void damaged_neighbour(void** state) {
  (void)state;
  const RvResult damages[] = {RV_BAD_FILE, RV_IO, RV_BAD_INPUT, RV_CANCELLED, RV_NO_MEMORY};
  RvError error = {0};
  RvDetail* ball = rv_test_cooked("sphere", "radius=1; rows=9; cols=16", NULL);
  for (size_t i = 0; i < sizeof damages / sizeof *damages; ++i) {
    Spin spin = {.rest = ball, .absent_below = -100, .damage = damages[i]};
    RvTestHost host = {.input_at = spin_at, .user = &spin};
    const RvDetail* now;
    CHECK_OK(spin_at(&spin, 0, 10, &now, &error), error);
    RvTestCook c = rv_test_cook_host("collider", "voxelsize=0.1", 1, &now, 10, &host);
    CHECK_FAILS(c.result, damages[i], c.error, "byte 7");
    rv_test_cook_free(&c);
    spin_free(&spin);
  }
  rv_detail_free(ball);
}

static void given_velocity_and_changing_topology(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* ball = rv_test_cooked("sphere", "radius=1", NULL);
  Spin spin = {.rest = ball, .speed = 15, .absent_below = -100, .change = true};
  const RvDetail* now;
  CHECK_OK(spin_at(&spin, 0, 10, &now, &error), error);
  RvTestHost host = {.input_at = spin_at, .user = &spin};
  RvTestCook c = rv_test_cook_host("collider", "voxelsize=0.1", 1, &now, 10, &host);
  CHECK_OK(c.result, c.error);
  assert_non_null(strstr(c.warnings, "topology"));
  CHECK_NEAR(rv_detail_f32(c.output[0], RV_POINT, "v", 3)[1], 0, 0);
  rv_test_cook_free(&c);
  // with v of its own nothing is asked
  rv_detail_f32_write(spin.made[0], RV_POINT, "v", 3, &error)[4] = 5;
  c = rv_test_cook_host("collider", "voxelsize=0.1", 1, &now, 10, &host);
  CHECK_OK(c.result, c.error);
  assert_int_equal(c.nwarning, 0);
  CHECK_NEAR(rv_detail_f32(c.output[0], RV_POINT, "v", 3)[4], 5, 0);
  rv_test_cook_free(&c);
  c = rv_test_cook_host("collider", "voxelsize=0.1; vmode=none", 1, &now, 10, &host);
  CHECK_OK(c.result, c.error);
  assert_null(rv_detail_find(c.output[0], RV_POINT, "v"));
  rv_test_cook_free(&c);
  rv_test_cook_fails("collider", "vmode=attribute", ball, RV_BAD_INPUT, "vmode");
  spin_free(&spin);
  rv_detail_free(ball);
}

//---------------------------------------------------------------------------------------------- VDB

static void vdb_input(void** state) {
  (void)state;
  RvError error = {0};
  RvGrid *ball = NULL, *vel = NULL, *fog = NULL;
  CHECK_OK(rv_grid_from_spheres("surface", 0.1, 4, 1, (const float[]){0, 0, 0}, (const float[]){1}, &ball, &error),
           error);
  CHECK_OK(rv_grid_create(RV_GRID_VEC3, "vel", RV_GRID_UNKNOWN, 0.1, (const float[]){1, 2, 3}, &vel, &error), error);
  CHECK_OK(rv_grid_to_fog(ball, "collision", &fog, &error), error);
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_vdb(d, ball, &error), error);
  CHECK_OK(rv_detail_add_vdb(d, vel, &error), error);
  RvDetail* out = rv_test_cooked("collider", NULL, d);
  assert_int_equal(rv_detail_count(out, RV_PRIM), 2);
  RvGrid* grid = rv_detail_find_vdb(out, "collision");
  assert_non_null(grid);
  CHECK_NEAR(sample(grid, 1.2, 0, 0), 0.2, 0.01);
  assert_non_null(rv_detail_find_vdb(out, "collisionvel"));
  assert_string_equal(rv_grid_name(ball), "surface");
  CHECK_NEAR(rv_detail_f32(out, RV_PRIM, "friction", 1)[1], 0.3, 1e-7);
  rv_detail_free(out);
  // a fog is no distance
  CHECK_OK(rv_detail_add_vdb(d, fog, &error), error);
  RvTestCook c = rv_test_cook("collider", NULL, 1, (const RvDetail*[]){d});
  CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, "collision");
  rv_test_cook_free(&c);
  rv_grid_release(ball);
  rv_grid_release(vel);
  rv_grid_release(fog);
  rv_detail_free(d);
}

static void refusals_and_paint(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* box = rv_test_cooked("box", "size=100 100 100", NULL);
  RvTestCook c = rv_test_cook("collider", "voxelsize=0.001", 1, (const RvDetail*[]){box});
  CHECK_FAILS(c.result, RV_LIMIT, c.error, "voxelsize");
  // painted friction stays
  float* friction = rv_detail_f32_write(box, RV_POINT, "friction", 1, &error);
  friction[3] = 0.9f;
  RvDetail* out = rv_test_cooked("collider", NULL, box);
  CHECK_NEAR(rv_detail_f32(out, RV_POINT, "friction", 1)[3], 0.9, 1e-7);
  assert_null(rv_detail_find(out, RV_PRIM, "friction"));
  // by itself a voxel is a hundredth of the largest side
  CHECK_NEAR(rv_grid_voxel_size(rv_detail_find_vdb(out, "collision")), 1, 1e-9);
  rv_detail_free(out);
  rv_detail_free(box);
  RvDetail* nothing = rv_detail_new();
  c = rv_test_cook("collider", NULL, 1, (const RvDetail*[]){nothing});
  CHECK_OK(c.result, c.error);
  assert_int_equal(c.nwarning, 1);
  rv_test_cook_free(&c);
  rv_detail_free(nothing);
}

RV_TESTS(cmocka_unit_test(sphere_distance), cmocka_unit_test(box_distance), cmocka_unit_test(open_shell),
         cmocka_unit_test(thick_shell), cmocka_unit_test(same_bits_for_any_threads), cmocka_unit_test(spinning_sphere),
         cmocka_unit_test(damaged_neighbour), cmocka_unit_test(given_velocity_and_changing_topology),
         cmocka_unit_test(vdb_input), cmocka_unit_test(refusals_and_paint))
