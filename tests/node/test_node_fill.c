// fill: counts and volumes of boxes, meshes and VDBs, jitter, determinism, limits.
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "support/cook.h"
#include "support/rv_test.h"
#include "support/scene_log.h"

static const double pi = 3.14159265358979323846;

static void box_counts(void** state) {
  (void)state;
  RvDetail* d = rv_test_cooked("fill", "size=0.4 0.2 0.3; particlesep=0.02; v=1 2 3; material=water; sourceid=7", NULL);
  size_t n = rv_detail_count(d, RV_POINT);
  assert_int_equal(n, 20 * 10 * 15);
  CHECK_NEAR(rv_test_volume(d), 0.4 * 0.2 * 0.3, 1e-12);
  const int32_t *id = rv_detail_i32(d, RV_POINT, "id", 1), *source = rv_detail_i32(d, RV_POINT, "source", 1);
  const float *v = rv_detail_f32(d, RV_POINT, "v", 3), *pscale = rv_detail_f32(d, RV_POINT, "pscale", 1);
  const RvAttrib* material = rv_detail_find(d, RV_POINT, "material");
  for (size_t i = 0; i < n; ++i) {
    assert_int_equal(id[i], i);
    assert_int_equal(source[i], 7);
    CHECK_NEAR(v[3 * i + 1], 2, 0);
    // the sphere of radius pscale has the particle's volume
    CHECK_NEAR(4 * pi / 3 * pow(pscale[i], 3), 8e-6, 1e-11);
    assert_string_equal(rv_attrib_string(material, i, 0), "water");
  }
  assert_int_equal(rv_detail_i32(d, RV_GLOBAL, "nextid", 1)[0], n);
  rv_detail_free(d);
  // an odd number of cells about the origin too, and sides that are no multiples: the volume to half a particle
  d = rv_test_cooked("fill", "size=0.06 0.1 0.14; particlesep=0.02", NULL);
  assert_int_equal(rv_detail_count(d, RV_POINT), 3 * 5 * 7);
  rv_detail_free(d);
  d = rv_test_cooked("fill", "size=0.31 0.17 0.23; particlesep=0.02", NULL);
  CHECK_NEAR(rv_test_volume(d), 0.31 * 0.17 * 0.23, 0.5 * 8e-6 * 1.0001);
  rv_detail_free(d);
}

// without jitter the middles of cells; with jitter each cell holds exactly one, inside it
static void jitter_stays_in_the_cell(void** state) {
  (void)state;
  const char* parms[] = {"size=0.8 0.8 0.8; particlesep=0.1; jitter=0", "size=0.8 0.8 0.8; particlesep=0.1; jitter=1",
                         "size=0.8 0.8 0.8; particlesep=0.1; jitter=0.5; jitterseed=3"};
  const double most[] = {0, 0.5, 0.25};
  for (int c = 0; c < 3; ++c) {
    RvDetail* d = rv_test_cooked("fill", parms[c], NULL);
    const float* p = rv_detail_f32(d, RV_POINT, "P", 3);
    unsigned char seen[512] = {0};
    double farthest = 0;
    assert_int_equal(rv_detail_count(d, RV_POINT), 512);
    for (size_t i = 0; i < 512; ++i) {
      int cell[3];
      for (int k = 0; k < 3; ++k) {
        double x = (p[3 * i + (size_t)k] + 0.4) / 0.1;
        cell[k] = (int)floor(x);
        assert_in_range(cell[k], 0, 7);
        farthest = fmax(farthest, fabs(x - cell[k] - 0.5));
      }
      assert_int_equal(seen[cell[0] + 8 * cell[1] + 64 * cell[2]]++, 0);
    }
    assert_true(farthest <= most[c] + 1e-5);
    assert_true(farthest >= 0.95 * most[c]);
    rv_detail_free(d);
  }
}

// a sphere mesh, anywhere on the lattice: the volume of the mesh's ball within 1%, all particles inside
static void sphere_mesh(void** state) {
  (void)state;
  const char* places[] = {"0 0 0", "0.13 0.27 0.41", "100.05 -20 3.33"};
  for (int c = 0; c < 3; ++c) {
    char parms[128];
    snprintf(parms, sizeof parms, "radius=1; rows=65; cols=128; t=%s", places[c]);
    RvDetail* ball = rv_test_cooked("sphere", parms, NULL);
    RvDetail* d = rv_test_cooked("fill", "particlesep=0.1; jitter=1", ball);
    double lo[3], hi[3];
    assert_true(rv_detail_bounds(ball, lo, hi));
    CHECK_NEAR(rv_test_volume(d), 4 * pi / 3, 0.01 * 4 * pi / 3);
    const float* p = rv_detail_f32(d, RV_POINT, "P", 3);
    for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) {
      double r2 = 0;
      for (int k = 0; k < 3; ++k) r2 += pow(p[3 * i + (size_t)k] - (lo[k] + hi[k]) / 2, 2);
      // a quarter cell: the grain of the look at a cell
      assert_true(sqrt(r2) < 1 + 0.025);
    }
    rv_detail_free(d);
    rv_detail_free(ball);
  }
}

// a box mesh on the lattice is exact; turned inside out it holds the same
static void box_mesh(void** state) {
  (void)state;
  RvDetail* box = rv_test_cooked("box", "size=0.4 0.2 0.3; t=0.2 0.1 0.15", NULL);
  RvDetail* d = rv_test_cooked("fill", "particlesep=0.02; jitter=0", box);
  assert_int_equal(rv_detail_count(d, RV_POINT), 20 * 10 * 15);
  RvError error = {0};
  CHECK_OK(rv_detail_reverse(box, NULL, &error), error);
  RvDetail* same = rv_test_cooked("fill", "particlesep=0.02; jitter=0", box);
  assert_true(rv_detail_hash(d) == rv_detail_hash(same));
  rv_detail_free(same);
  // the lattice hangs on the world: a larger box has the same particles and more
  RvDetail* larger = rv_test_cooked("box", "size=0.6 0.2 0.3; t=0.3 0.1 0.15", NULL);
  RvDetail* more = rv_test_cooked("fill", "particlesep=0.02; jitter=0.7", larger);
  RvDetail* less = rv_test_cooked("fill", "particlesep=0.02; jitter=0.7", box);
  const float *a = rv_detail_f32(less, RV_POINT, "P", 3), *b = rv_detail_f32(more, RV_POINT, "P", 3);
  size_t na = rv_detail_count(less, RV_POINT), nb = rv_detail_count(more, RV_POINT), shared = 0;
  assert_int_equal(nb, 30 * 10 * 15);
  for (size_t i = 0; i < na; ++i)
    for (size_t j = 0; j < nb; ++j)
      if (memcmp(a + 3 * i, b + 3 * j, 3 * sizeof *a) == 0) {
        ++shared;
        break;
      }
  assert_int_equal(shared, na);
  rv_detail_free(more);
  rv_detail_free(less);
  rv_detail_free(larger);
  rv_detail_free(d);
  rv_detail_free(box);
}

static void vdb_level_set_and_fog(void** state) {
  (void)state;
  RvError error = {0};
  RvGrid *ball = NULL, *fog = NULL;
  CHECK_OK(rv_grid_from_spheres("surface", 0.05, 4, 1, (const float[]){0.3f, 0, 0}, (const float[]){1}, &ball, &error),
           error);
  CHECK_OK(rv_grid_to_fog(ball, "density", &fog, &error), error);
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_vdb(d, ball, &error), error);
  CHECK_OK(rv_detail_add_vdb(d, fog, &error), error);
  RvDetail* out = rv_test_cooked("fill", "particlesep=0.1", d);
  CHECK_NEAR(rv_test_volume(out), 4 * pi / 3, 0.01 * 4 * pi / 3);
  rv_detail_free(out);
  // shrunk by 0.1: (0.9)^3
  out = rv_test_cooked("fill", "particlesep=0.1; isovalue=-0.1", d);
  CHECK_NEAR(rv_test_volume(out), 0.729 * 4 * pi / 3, 0.01 * 4 * pi / 3);
  rv_detail_free(out);
  // fog is 0.5 in the middle of the inner half of its band, which is 4 voxels wide: at radius 0.9
  out = rv_test_cooked("fill", "particlesep=0.1; vdbname=density; fogisovalue=0.5", d);
  CHECK_NEAR(rv_test_volume(out), 0.729 * 4 * pi / 3, 0.02 * 4 * pi / 3);
  rv_detail_free(out);
  RvTestCook c = rv_test_cook("fill", "vdbname=nothing", 1, (const RvDetail*[]){d});
  CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, "vdbname");
  rv_test_cook_free(&c);
  rv_grid_release(ball);
  rv_grid_release(fog);
  rv_detail_free(d);
}

static RvDetail* ball_and_fog(double voxel) {
  RvError error = {0};
  RvGrid *ball = NULL, *fog = NULL;
  CHECK_OK(rv_grid_from_spheres("surface", voxel, 4, 1, (const float[]){0, 0, 0}, (const float[]){1}, &ball, &error),
           error);
  CHECK_OK(rv_grid_to_fog(ball, "density", &fog, &error), error);
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_vdb(d, ball, &error), error);
  CHECK_OK(rv_detail_add_vdb(d, fog, &error), error);
  rv_grid_release(ball);
  rv_grid_release(fog);
  return d;
}

// beyond the band of 0.2 m nothing is known: neither a full box nor an empty ball may come of it
static void isovalue_beyond_the_band(void** state) {
  (void)state;
  RvDetail* d = ball_and_fog(0.05);
  const char* outside[] = {"isovalue=0.21", "isovalue=0.2", "isovalue=-0.21", "isovalue=-5"};
  for (int i = 0; i < 4; ++i) {
    char parms[64];
    snprintf(parms, sizeof parms, "particlesep=0.1; %s", outside[i]);
    RvTestCook c = rv_test_cook("fill", parms, 1, (const RvDetail*[]){d});
    assert_non_null(strstr(c.error.text, "isovalue"));
    CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, "VDB surface");
    rv_test_cook_free(&c);
  }
  RvDetail* out = rv_test_cooked("fill", "particlesep=0.05; isovalue=-0.15", d);
  CHECK_NEAR(rv_test_volume(out), 0.85 * 0.85 * 0.85 * 4 * pi / 3, 0.01 * 4 * pi / 3);
  rv_detail_free(out);
  rv_detail_free(d);
  // a fog that is denser outside than the isovalue
  RvError error = {0};
  RvGrid* fog = NULL;
  CHECK_OK(rv_grid_create(RV_GRID_FLOAT, "mist", RV_GRID_FOG, 0.1, (const float[]){0.7f}, &fog, &error), error);
  d = rv_detail_new();
  CHECK_OK(rv_detail_add_vdb(d, fog, &error), error);
  rv_grid_release(fog);
  RvTestCook c = rv_test_cook("fill", "particlesep=0.1", 1, (const RvDetail*[]){d});
  CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, "fogisovalue");
  rv_detail_free(d);
}

static long peak_megabytes(void) {
  struct rusage usage;
  assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
  return usage.ru_maxrss / 1024;
}

// a billion cells would be half a gigabyte and more before the first particle
static void refused_before_memory_is_taken(void** state) {
  (void)state;
  RvDetail* d = ball_and_fog(0.05);
  long before = peak_megabytes();
  RvTestCook c = rv_test_cook("fill", "particlesep=0.002; maxparticles=100000", 1, (const RvDetail*[]){d});
  CHECK_FAILS(c.result, RV_LIMIT, c.error, "maxparticles");
  rv_test_cook_free(&c);
  // of a fog no block is known to be full
  rv_test_cook_fails("fill", "particlesep=0.003; maxparticles=100000; vdbname=density", d, RV_LIMIT, "particlesep");
  assert_in_range(peak_megabytes() - before, 0, 100);
  rv_detail_free(d);
}

static void same_bits_for_any_threads(void** state) {
  (void)state;
  RvDetail* ball = rv_test_cooked("sphere", "radius=1; rows=33; cols=64", NULL);
  uint64_t expected = 0;
  const int threads[] = {1, 2, 8};
  for (int i = 0; i < 3; ++i) {
    rv_threads_set(threads[i]);
    RvDetail* d = rv_test_cooked("fill", "particlesep=0.07; jitter=0.9; jitterseed=5", ball);
    uint64_t hash = rv_detail_hash(d);
    if (i) assert_true(hash == expected);
    expected = hash;
    rv_detail_free(d);
  }
  rv_threads_set(0);
  RvDetail* other = rv_test_cooked("fill", "particlesep=0.07; jitter=0.9; jitterseed=6", ball);
  assert_false(rv_detail_hash(other) == expected);
  rv_detail_free(other);
  rv_detail_free(ball);
}

static void limits(void** state) {
  (void)state;
  RvTestCook c = rv_test_cook("fill", "particlesep=0.001; maxparticles=1000000", 0, NULL);
  CHECK_FAILS(c.result, RV_LIMIT, c.error, "maxparticles");
  // the advice works, and is not far too much
  c = rv_test_cook("fill", "particlesep=0.02; maxparticles=1000", 0, NULL);
  assert_int_equal(c.result, RV_LIMIT);
  const char* advice = strstr(c.error.text, "raise particlesep to ");
  assert_non_null(advice);
  char parms[100];
  double sep = 0;
  assert_int_equal(sscanf(advice, "raise particlesep to %lf", &sep), 1);
  assert_true(sep < 0.105);
  snprintf(parms, sizeof parms, "particlesep=%g; maxparticles=1000", sep);
  RvDetail* d = rv_test_cooked("fill", parms, NULL);
  assert_in_range(rv_detail_count(d, RV_POINT), 900, 1000);
  rv_detail_free(d);
  rv_test_cook_fails("fill", "particlesep=0", NULL, RV_BAD_INPUT, "particlesep");
  rv_test_cook_fails("fill", "size=0 1 1", NULL, RV_BAD_INPUT, "sizex");
  // a mesh whose level set alone would be too large
  RvDetail* box = rv_test_cooked("box", "size=1000 0.001 1000", NULL);
  rv_test_cook_fails("fill", "particlesep=0.01", box, RV_LIMIT, "particlesep");
  rv_detail_free(box);
}

static void open_and_empty_input(void** state) {
  (void)state;
  RvDetail* tube = rv_test_cooked("tube", "cap=off", NULL);
  // a mesh that is open and holds no water is an error
  RvTestCook c = rv_test_cook("fill", "particlesep=0.1", 1, (const RvDetail*[]){tube});
  assert_int_equal(c.result, RV_BAD_INPUT);
  assert_non_null(strstr(c.error.text, "open at 24 edges and has no inside"));
  assert_non_null(strstr(c.warnings, "open at 24 edges"));
  rv_test_cook_free(&c);
  rv_detail_free(tube);
  RvDetail* nothing = rv_detail_new();
  c = rv_test_cook("fill", NULL, 1, (const RvDetail*[]){nothing});
  CHECK_OK(c.result, c.error);
  assert_int_equal(rv_detail_count(c.output[0], RV_POINT), 0);
  assert_int_equal(c.nwarning, 1);
  rv_test_cook_free(&c);
  rv_detail_free(nothing);
}

// a NaN in the mesh is told, detail attributes pass through
static void bad_and_passed(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* box = rv_test_cooked("box", NULL, NULL);
  *rv_detail_f32_write(box, RV_GLOBAL, "mood", 1, &error) = 3;
  RvDetail* d = rv_test_cooked("fill", "particlesep=0.2", box);
  assert_non_null(rv_detail_f32(d, RV_GLOBAL, "mood", 1));
  CHECK_NEAR(*rv_detail_f32(d, RV_GLOBAL, "mood", 1), 3, 0);
  rv_detail_free(d);
  rv_detail_f32_write(box, RV_POINT, "P", 3, &error)[4] = NAN;
  RvTestCook c = rv_test_cook("fill", "particlesep=0.2", 1, (const RvDetail*[]){box});
  CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, "point 1");
  rv_test_cook_free(&c);
  rv_detail_free(box);
}

RV_TESTS(cmocka_unit_test(box_counts), cmocka_unit_test(jitter_stays_in_the_cell), cmocka_unit_test(sphere_mesh),
         cmocka_unit_test(box_mesh), cmocka_unit_test(vdb_level_set_and_fog),
         cmocka_unit_test(isovalue_beyond_the_band), cmocka_unit_test(refused_before_memory_is_taken),
         cmocka_unit_test(same_bits_for_any_threads), cmocka_unit_test(limits), cmocka_unit_test(open_and_empty_input),
         cmocka_unit_test(bad_and_passed))
