// The node surface: what its grids, mesh and points are, that memory is bounded, the same bits by any way, and what bad
// input gives.
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "base/rng.h"
#include "math/scalar.h"
#include "rig/scene.h"
#include "rig/surface.h"
#include "rivulet/geo.h"
#include "support/grids.h"
#include "support/cook.h"
#include "support/rv_test.h"

static RvError error;

enum { SIDE = 9, STRAND = 11 };

// a cube of particles and two wet strands beside it, all moving alike
static RvDetail* liquid(void) {
  RvDetail* d = rv_detail_new();
  size_t first;
  CHECK_OK(rv_detail_add_curves(d, 2, STRAND, NULL, NULL, &error), error);
  CHECK_OK(rv_detail_add_points(d, SIDE * SIDE * SIDE, &first, &error), error);
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  float* v = rv_detail_f32_write(d, RV_POINT, "v", 3, &error);
  float* film = rv_detail_f32_write(d, RV_POINT, "filmheight", 1, &error);
  float* wet = rv_detail_f32_write(d, RV_POINT, "wetness", 1, &error);
  double* volume = rv_detail_f64_write(d, RV_POINT, "volume", 1, &error);
  for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) {
    v[3 * i] = 1;
    v[3 * i + 1] = -2;
    v[3 * i + 2] = 0.5f;
    if (i < first) {
      P[3 * i] = 0.2f + 0.0015f * (float)(i / STRAND);
      P[3 * i + 1] = 0.01f * (float)(i % STRAND);
      P[3 * i + 2] = 0.01f;
      film[i] = i % STRAND < 6 ? 0.0006f : 0;
      wet[i] = 0.25f;
      continue;
    }
    size_t k = i - first, at[3] = {k / (SIDE * SIDE), k / SIDE % SIDE, k % SIDE};
    for (size_t c = 0; c < 3; ++c) P[3 * i + c] = 0.01f * ((float)at[c] + 0.4f * (float)rv_random(1, k, c, 0));
    volume[i] = 1e-6;
  }
  return d;
}

static RvTestCook cook(const RvDetail* d, const char* parms) {
  return rv_test_cook("surface", parms, 1, (const RvDetail*[]){d});
}

static const char all_parts[] =
    "voxelsize=0.0005; hairradius=5e-5; density=1; mesh=1; points=1; half=1; velscale=2; bridges=1";

static void grids_are_as_houdini_wants_them(void** state) {
  (void)state;
  RvDetail* d = liquid();
  RvTestCook c = cook(d, all_parts);
  CHECK_OK(c.result, c.error);
  RvGrid *surface = rv_detail_find_vdb(c.output[0], "surface"), *fog = rv_detail_find_vdb(c.output[0], "density");
  RvGrid* vel = rv_detail_find_vdb(c.output[0], "vel");
  assert_non_null(surface);
  assert_non_null(fog);
  assert_non_null(vel);
  assert_int_equal(rv_detail_count(c.output[0], RV_PRIM), 3);
  assert_int_equal(rv_grid_class(surface), RV_GRID_LEVEL_SET);
  assert_int_equal(rv_grid_class(fog), RV_GRID_FOG);
  assert_int_equal(rv_grid_class(vel), RV_GRID_STAGGERED);
  float background[3], value[3];
  rv_grid_background(surface, background);
  CHECK_NEAR(background[0], 0.0015, 1e-9);
  CHECK_NEAR(rv_grid_voxel_size(vel), 0.001, 1e-12);
  char *type = rv_test_meta(vel, "vector_type"), *half = rv_test_meta(surface, "is_saved_as_half_float");
  assert_string_equal(type, "contravariant relative");
  assert_string_equal(half, "true");
  rv_free(type);
  rv_free(half);
  CHECK_NEAR(*rv_detail_f64(c.output[0], RV_GLOBAL, "bulkvolume", 1), SIDE * SIDE * SIDE * 1e-6, 1e-12);
  // frusta of five edges whole, and of one down to the hair
  CHECK_NEAR(*rv_detail_f64(c.output[0], RV_GLOBAL, "filmvolume", 1), 2 * 0.055 * 3.14159265 * 0.0006 * 0.0007, 1e-12);
  // deep inside of the cube, and far away
  rv_grid_get(surface, (int32_t[]){80, 80, 80}, value);
  CHECK_NEAR(value[0], -0.0015, 1e-9);
  rv_grid_get(surface, (int32_t[]){1000, 80, 80}, value);
  CHECK_NEAR(value[0], 0.0015, 1e-9);
  rv_grid_get(fog, (int32_t[]){80, 80, 80}, value);
  CHECK_NEAR(value[0], 1, 0);
  // every velocity is that of all
  for (size_t n = 0; n < rv_grid_leaf_count(vel); ++n) {
    RvLeaf leaf;
    leaf = rv_test_leaf(vel, n);
    for (int i = 0; i < 512; ++i)
      if (leaf.active[i / 64] >> (i % 64) & 1) {
        CHECK_NEAR(leaf.values[3 * i], 1, 1e-5);
        CHECK_NEAR(leaf.values[3 * i + 1], -2, 1e-5);
        CHECK_NEAR(leaf.values[3 * i + 2], 0.5, 1e-5);
      }
  }
  rv_test_cook_free(&c);
  rv_detail_free(d);
}

// neighbours differ by a voxel at most along each axis, and there is a band on both sides
static void distances_are_distances(void** state) {
  (void)state;
  RvDetail* d = liquid();
  RvTestCook c = cook(d, "voxelsize=0.002; vel=0");
  CHECK_OK(c.result, c.error);
  const RvGrid* grid = rv_detail_find_vdb(c.output[0], "surface");
  double worst = 0, lo = 0, hi = 0, sum = 0, count = 0;
  for (size_t n = 0; n < rv_grid_leaf_count(grid); ++n) {
    RvLeaf leaf;
    leaf = rv_test_leaf(grid, n);
    for (int i = 0; i < 512; ++i) {
      double v = leaf.values[i] / 0.002;
      if (!(leaf.active[i / 64] >> (i % 64) & 1)) continue;
      lo = fmin(lo, v);
      hi = fmax(hi, v);
      if (i % 8 == 7 || i / 8 % 8 == 7 || i / 64 == 7 || fabs(v) > 1.5) continue;
      double g = 0;
      for (int step = 1; step <= 64; step *= 8) g += pow(leaf.values[i + step] / 0.002 - v, 2);
      worst = fmax(worst, sqrt(g));
      sum += sqrt(g);
      count++;
    }
  }
  assert_true(lo < -2.5 && hi > 2.5);
  CHECK_NEAR(sum / count, 1, 0.1);
  assert_true(worst < 2.5);
  rv_test_cook_free(&c);
  rv_detail_free(d);
}

static void mesh_has_velocity_and_wetness(void** state) {
  (void)state;
  RvDetail* d = liquid();
  RvTestCook c = cook(d, all_parts);
  CHECK_OK(c.result, c.error);
  const float *P = rv_detail_f32(c.output[1], RV_POINT, "P", 3), *v = rv_detail_f32(c.output[1], RV_POINT, "v", 3);
  const float* wet = rv_detail_f32(c.output[1], RV_POINT, "wetness", 1);
  size_t n = rv_detail_count(c.output[1], RV_POINT), strand = 0;
  assert_non_null(v);
  assert_non_null(wet);
  assert_true(n > 1000 && rv_detail_count(c.output[1], RV_PRIM) > 1000);
  CHECK_OK(rv_detail_check(c.output[1], &error), error);
  for (size_t i = 0; i < n; ++i) {
    bool on_strand = P[3 * i] > 0.15f;
    strand += on_strand;
    for (int k = 0; k < 3; ++k) CHECK_NEAR(v[3 * i + (size_t)k], ((float[]){1, -2, 0.5f})[k], 1e-4);
    CHECK_NEAR(wet[i], on_strand ? 0.25 : 1, 1e-4);
  }
  assert_true(strand > 100);
  // flat faces are larger with adaptivity
  RvTestCook coarse = cook(d, "voxelsize=0.0005; hairradius=5e-5; mesh=1; adaptivity=0.8");
  CHECK_OK(coarse.result, coarse.error);
  assert_true(rv_detail_count(coarse.output[1], RV_PRIM) < rv_detail_count(c.output[1], RV_PRIM));
  rv_test_cook_free(&coarse);
  // the particles alone, as a .vdb of points wants them
  assert_int_equal(rv_detail_count(c.output[2], RV_POINT), SIDE * SIDE * SIDE);
  assert_int_equal(rv_detail_count(c.output[2], RV_PRIM), 0);
  rv_test_cook_free(&c);
  rv_detail_free(d);
}

static uint64_t hash_of(const RvDetail* d) {
  RvTestCook c = cook(d, "voxelsize=0.001; minfilm=0.7; hairradius=5e-5; density=1; mesh=1");
  CHECK_OK(c.result, c.error);
  uint64_t hash = rv_detail_hash(c.output[0]) * 31 + rv_detail_hash(c.output[1]);
  rv_test_cook_free(&c);
  return hash;
}

static void same_bits_for_threads_and_instructions(void** state) {
  (void)state;
  static const int workers[] = {1, 2, 3, 8};
  RvDetail* d = liquid();
  uint64_t hash = hash_of(d);
  for (size_t i = 0; i < 4; ++i) {
    rv_threads_set(workers[i]);
    assert_true(hash_of(d) == hash);
  }
  rv_threads_set(0);
  for (int isa = 0; isa < RV_ISA_COUNT; ++isa) {
    if (!rv_cpu_force((RvIsa)isa)) continue;
    assert_true(hash_of(d) == hash);
  }
  rv_cpu_force(RV_ISA_COUNT);
  rv_detail_free(d);
}

static void nothing_gives_an_empty_grid(void** state) {
  (void)state;
  RvDetail* none = rv_detail_new();
  for (int i = 0; i < 2; ++i) {
    RvTestCook c = i ? rv_test_cook("surface", all_parts, 0, NULL) : cook(none, all_parts);
    CHECK_OK(c.result, c.error);
    const RvGrid* grid = rv_detail_find_vdb(c.output[0], "surface");
    assert_non_null(grid);
    assert_int_equal(rv_test_active(grid), 0);
    assert_int_equal(rv_grid_class(grid), RV_GRID_LEVEL_SET);
    assert_int_equal(rv_detail_count(c.output[1], RV_POINT), 0);
    rv_test_cook_free(&c);
  }
  rv_detail_free(none);
}

//---------------------------------------------------------------------------------------------- limits

static void memory_is_bounded(void** state) {
  (void)state;
  RvDetail* d = liquid();
  RvTestCook c = cook(d, "voxelsize=0.00005; memorylimit=0.15; onlimit=refuse");
  assert_int_equal(c.result, RV_LIMIT);
  assert_non_null(strstr(c.error.text, "voxelsize"));
  rv_test_cook_free(&c);
  c = cook(d, "voxelsize=0.00005; memorylimit=0.15; onlimit=coarsen");
  CHECK_OK(c.result, c.error);
  const RvGrid* grid = rv_detail_find_vdb(c.output[0], "surface");
  assert_true(rv_grid_voxel_size(grid) > 0.00005);
  assert_true(rv_grid_bytes(grid) < 0.15e9);
  assert_non_null(strstr(c.warnings, "voxels of"));
  char text[32];
  snprintf(text, sizeof text, "%.4g", rv_grid_voxel_size(grid));
  assert_non_null(strstr(c.warnings, text));
  rv_test_cook_free(&c);
  // absurd voxels end too
  c = cook(d, "voxelsize=1e-30; memorylimit=0.15; onlimit=refuse");
  assert_int_equal(c.result, RV_LIMIT);
  rv_test_cook_free(&c);
  c = cook(d, "voxelsize=1e-9; memorylimit=0.2");
  CHECK_OK(c.result, c.error);
  rv_test_cook_free(&c);
  // and voxels larger than all of the liquid
  c = cook(d, "voxelsize=10");
  CHECK_OK(c.result, c.error);
  rv_test_cook_free(&c);
  c = cook(d, "voxelsize=-1");
  assert_int_not_equal(c.result, RV_OK);
  rv_test_cook_free(&c);
  rv_detail_free(d);
}

// one number of one attribute is spoiled
static void spoiled(RvOwner owner, const char* name, size_t at, double value, RvResult wanted) {
  RvDetail* d = liquid();
  RvAttrib* a = rv_detail_find_mutable(d, owner, name);
  void* data = rv_attrib_write(a);
  if (rv_attrib_storage(a) == RV_F64)
    ((double*)data)[at] = value;
  else
    ((float*)data)[at] = (float)value;
  RvTestCook c = cook(d, "voxelsize=0.002; memorylimit=0.5; onlimit=refuse; hairradius=5e-5");
  if (c.result != wanted) fail_msg("%s = %g: %s %s", name, value, rv_result_name(c.result), c.error.text);
  if (wanted) assert_true(strlen(c.error.text) > 10);
  rv_test_cook_free(&c);
  rv_detail_free(d);
}

static void bad_numbers_are_told_of(void** state) {
  (void)state;
  const size_t particle = 2 * STRAND + 5;
  spoiled(RV_POINT, "P", 3 * particle, NAN, RV_BAD_INPUT);
  spoiled(RV_POINT, "P", 3 * particle, INFINITY, RV_BAD_INPUT);
  spoiled(RV_POINT, "P", 3 * particle, 1e30, RV_BAD_INPUT);
  spoiled(RV_POINT, "P", 3 * particle, 1e9, RV_LIMIT);
  spoiled(RV_POINT, "P", 3, NAN, RV_BAD_INPUT);
  spoiled(RV_POINT, "volume", particle, NAN, RV_BAD_INPUT);
  spoiled(RV_POINT, "volume", particle, INFINITY, RV_BAD_INPUT);
  spoiled(RV_POINT, "volume", particle, 1e12, RV_LIMIT);
  spoiled(RV_POINT, "volume", particle, -1, RV_OK);
  spoiled(RV_POINT, "volume", particle, 1e-300, RV_OK);
  spoiled(RV_POINT, "filmheight", 3, NAN, RV_BAD_INPUT);
  spoiled(RV_POINT, "filmheight", 3, INFINITY, RV_BAD_INPUT);
  spoiled(RV_POINT, "filmheight", 3, 1e6, RV_LIMIT);
  spoiled(RV_POINT, "filmheight", 3, -1, RV_OK);
  spoiled(RV_POINT, "v", 3 * particle, NAN, RV_OK);
}

// thousands of particles on one spot, and wet strands on top of each other
static void heaps_end_in_time(void** state) {
  (void)state;
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, 1500, 4, NULL, NULL, &error), error);
  CHECK_OK(rv_detail_add_points(d, 50000, NULL, &error), error);
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  float* film = rv_detail_f32_write(d, RV_POINT, "filmheight", 1, &error);
  float* pscale = rv_detail_f32_write(d, RV_POINT, "pscale", 1, &error);
  for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) {
    P[3 * i] = i < 6000 ? 0.01f * (float)(i % 4) : 0.5f;
    P[3 * i + 1] = P[3 * i + 2] = 0;
    film[i] = 0.001f;
    pscale[i] = 0.005f;
  }
  RvTestCook c = cook(d, "voxelsize=0.002");
  CHECK_OK(c.result, c.error);
  rv_test_cook_free(&c);
  rv_detail_free(d);
}

//---------------------------------------------------------------------------------------------- drops at tips

// a dry strand with a drop of 2 mm at its tip: the surface is a ball of that radius about the tip
static void drop_at_a_tip_is_a_ball(void** state) {
  (void)state;
  const double radius = 0.002, ball = 4.0 / 3 * RV_PI * radius * radius * radius;
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, 1, STRAND, NULL, NULL, &error), error);
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  for (size_t i = 0; i < STRAND; ++i) P[3 * i + 1] = -0.01f * (float)i;
  rv_detail_f32_write(d, RV_POINT, "dropradius", 1, &error)[STRAND - 1] = (float)radius;
  RvSurfaceMeasure m;
  CHECK_OK(rv_rig_surface_measure(d, (const char* const[]){"voxelsize", "0.0002", NULL}, &m, &error), error);
  // the surface of an isolated particle is that of its ball to 1% of its volume (check surface_single)
  CHECK_NEAR(m.volume / ball, 1, 0.02);
  RvTestCook c = cook(d, "voxelsize=0.0002");
  CHECK_OK(c.result, c.error);
  CHECK_NEAR(*rv_detail_f64(c.output[0], RV_GLOBAL, "filmvolume", 1) / ball, 1, 1e-6);
  CHECK_NEAR(*rv_detail_f64(c.output[0], RV_GLOBAL, "bulkvolume", 1), 0, 0);
  rv_test_cook_free(&c);
  rv_detail_f32_write(d, RV_POINT, "dropradius", 1, &error)[STRAND - 1] = NAN;
  c = cook(d, "voxelsize=0.0002");
  CHECK_FAILS(c.result, RV_BAD_INPUT, c.error, "dropradius");
  rv_test_cook_free(&c);
  rv_detail_free(d);
}

// film runs down four hairs and hangs at their tips: the surface has as much liquid as the ledger
static void volume_is_that_of_the_ledger(void** state) {
  (void)state;
  RvSceneRig rig;
  RvDetail *strands, *skin;
  CHECK_OK(
      rv_rig_scene_open(&rig,
                        "\"hair\": {\"type\": \"curve\", \"parms\": {\"count\": 4, \"points\": 21, \"dist\": 0.05,"
                        "  \"dir\": [0, -1, 0], \"spacing\": [0.02, 0, 0]}},"
                        "\"damp\": {\"type\": \"attribute\", \"inputs\": [\"hair\"], \"parms\": {\"name\": "
                        "\"filmheight\", \"value\": [6e-5, 0, 0, 0]}},"
                        "\"s\": {\"type\": \"filmsolver\", \"inputs\": [\"damp\"], \"parms\": {\"absorption\": 0}},"
                        "\"skin\": {\"type\": \"surface\", \"inputs\": [\"s:3\"], \"parms\": {\"voxelsize\": 0.002}}",
                        &error),
      error);
  CHECK_OK(rv_rig_scene_run(&rig, 12, &error), error);
  CHECK_OK(rv_rig_scene_cook(&rig, "s", 12, &strands, &error), error);
  CHECK_OK(rv_rig_scene_cook(&rig, "skin", 12, &skin, &error), error);
  const float* drop = rv_detail_f32(strands, RV_POINT, "dropradius", 1);
  double sum = 0;
  for (size_t i = 0; i < rv_detail_count(strands, RV_POINT); ++i) sum += 4.0 / 3 * RV_PI * pow((double)drop[i], 3);
  // a tenth of the liquid is in drops, so that they would be missed
  assert_true(sum > 0.1 * rig.figures.film);
  // 1e-5: heights and radii are 32-bit floats (check wet_tube)
  CHECK_NEAR(*rv_detail_f64(skin, RV_GLOBAL, "filmvolume", 1) / rig.figures.film, 1, 1e-5);
  rv_detail_free(strands);
  rv_detail_free(skin);
  rv_rig_scene_close(&rig);
}

RV_TESTS(cmocka_unit_test(drop_at_a_tip_is_a_ball), cmocka_unit_test(volume_is_that_of_the_ledger),
         cmocka_unit_test(grids_are_as_houdini_wants_them), cmocka_unit_test(distances_are_distances),
         cmocka_unit_test(mesh_has_velocity_and_wetness), cmocka_unit_test(same_bits_for_threads_and_instructions),
         cmocka_unit_test(nothing_gives_an_empty_grid), cmocka_unit_test(memory_is_bounded),
         cmocka_unit_test(bad_numbers_are_told_of), cmocka_unit_test(heaps_end_in_time))
