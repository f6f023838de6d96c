// Solids are read once a frame for all media: views share the level set of the input where it serves them, and have
// their own of a bare mesh or where the band is too narrow for one of them.
#include "node/solver/cache.h"
#include "node/solver/colliders.h"
#include "support/cook.h"
#include "support/rv_test.h"
#include "support/shapes.h"

static int asked;   // inputs that were asked for
static int warned;  // messages

static RvResult input_at(void* user, size_t index, double frame, const RvDetail** out, RvError* error) {
  (void)index;
  (void)frame;
  (void)error;
  asked++;
  *out = user;
  return RV_OK;
}

static void message(void* user, RvLevel level, const char* text) {
  (void)user;
  (void)level;
  (void)text;
  warned++;
}

// Hair, which takes what there is, and liquid, in cells of `voxel`, on one detail; whether they share the level set.
static bool shared(const RvDetail* solids, double voxel, double band) {
  RvError error = {0};
  void* cache = NULL;
  RvHost host = {.user = (void*)solids, .input_at = input_at, .message = message};
  RvCook cook = {
      .ninput = 1, .input = &solids, .time = {2, 24, 1.0 / 24, 1}, .dt = 1.0 / 24, .cache = &cache, .host = &host};
  RvColliders all = {.def = {&cook, 0, 1, 1}};
  RvColliderView hair = {0}, liquid = {0};
  asked = 0;
  CHECK_OK(rv_collider_view_begin(&hair, &all, &(RvColliderNeeds){0}, &error), error);
  CHECK_OK(rv_collider_view_begin(&liquid, &all, &(RvColliderNeeds){voxel, band}, &error), error);
  // the frame before is asked for once; a solid that stands still is not sampled in between
  assert_int_equal(asked, 1);
  assert_int_equal(hair.count, 1);
  assert_int_equal(liquid.count, 1);
  assert_non_null(hair.solids[0].distance);
  assert_non_null(liquid.solids[0].distance);
  bool same = hair.solids[0].distance == liquid.solids[0].distance;
  if (!same) assert_true(rv_grid_voxel_size(liquid.solids[0].distance) >= 0.999 * voxel);
  rv_collider_view_end(&hair);
  rv_collider_view_end(&liquid);
  rv_colliders_end(&all);
  rv_solver_free_cache(cache);
  return same;
}

static void share_what_serves_both(void** state) {
  (void)state;
  const RvDetail* ball = rv_test_sphere(0.1, 9, 16);
  // voxels of 5 mm with a band of 4 of them, 2 cm
  RvTestCook c = rv_test_cook("collider", "voxelsize=0.005", 1, &ball);
  CHECK_OK(c.result, c.error);
  assert_true(shared(c.output[0], 0.005, 0.02));
  assert_false(shared(c.output[0], 0.02, 0.1));
  assert_false(shared(ball, 0.01, 0.03));
  rv_test_cook_free(&c);
  rv_detail_free((RvDetail*)ball);
}

// A fault of the input is told once, whoever looks at it.
static void warn_once(void** state) {
  (void)state;
  RvError error = {0};
  RvGrid* fog;
  RvDetail* solids = rv_detail_new();
  CHECK_OK(rv_grid_create(RV_GRID_FLOAT, "density", RV_GRID_FOG, 0.1, &(float){0}, &fog, &error), error);
  CHECK_OK(rv_detail_add_vdb(solids, fog, &error), error);
  RvHost host = {.user = solids, .input_at = input_at, .message = message};
  const RvDetail* input = solids;
  RvCook cook = {.ninput = 1, .input = &input, .time = {2, 24, 1.0 / 24, 1}, .dt = 1.0 / 24, .host = &host};
  RvColliders all = {.def = {&cook, 0, 1, 1}};
  RvColliderView views[2] = {0};
  warned = 0;
  for (int i = 0; i < 2; ++i) CHECK_OK(rv_collider_view_begin(&views[i], &all, &(RvColliderNeeds){0}, &error), error);
  assert_int_equal(warned, 1);
  assert_int_equal(views[0].count, 0);
  rv_colliders_end(&all);
  rv_grid_release(fog);
  rv_detail_free(solids);
}

RV_TESTS(cmocka_unit_test(share_what_serves_both), cmocka_unit_test(warn_once))
