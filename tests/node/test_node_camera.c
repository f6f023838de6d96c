#include <math.h>

#include "support/cook.h"
#include "support/rv_test.h"

static void what_the_flipbook_reads(void** state) {
  (void)state;
  RvTestCook c = rv_test_cook("camera", "t=1 2 3; target=0 2 3; fov=40; resx=640; resy=480", 0, NULL);
  CHECK_OK(c.result, c.error);
  const RvDetail* d = c.output[0];
  assert_true(rv_detail_f32(d, RV_GLOBAL, "rv_cam_eye", 3)[2] == 3);
  assert_true(rv_detail_f32(d, RV_GLOBAL, "rv_cam_target", 3)[0] == 0);
  assert_true(rv_detail_f32(d, RV_GLOBAL, "rv_cam_up", 3)[1] == 1);
  assert_true(rv_detail_f32(d, RV_GLOBAL, "rv_cam_fov", 1)[0] == 40);
  assert_int_equal(rv_detail_i32(d, RV_GLOBAL, "rv_cam_res", 2)[1], 480);
  rv_test_cook_free(&c);
}

// 36 x 24 film and 50 mm: the well-known 27.0 degrees of a normal lens, vertically
static void focal_length_and_rotation(void** state) {
  (void)state;
  RvTestCook c = rv_test_cook(
      "camera", "aim=rotate; t=0 0 0; r=0 90 0; lens=focal; focal=50; aperture=36; resx=900; resy=600", 0, NULL);
  CHECK_OK(c.result, c.error);
  CHECK_NEAR(rv_detail_f32(c.output[0], RV_GLOBAL, "rv_cam_fov", 1)[0], 26.99, 0.01);
  const float* target = rv_detail_f32(c.output[0], RV_GLOBAL, "rv_cam_target", 3);
  CHECK_NEAR(target[0], -1, 1e-6);  // -Z turned by 90 degrees about Y
  CHECK_NEAR(target[2], 0, 1e-6);
  rv_test_cook_free(&c);
  rv_test_cook_fails("camera", "t=0 0 0", NULL, RV_BAD_INPUT, "target");
  rv_test_cook_fails("camera", "t=0 1 0", NULL, RV_BAD_INPUT, "up");
  rv_test_cook_fails("camera", "near=2; far=1", NULL, RV_BAD_INPUT, "far is 1 and near 2");
}

// 50 mm at f/2 is a lens of 25 mm; without an f-stop all is sharp
static void lens_for_depth_of_field(void** state) {
  (void)state;
  RvTestCook c = rv_test_cook("camera", "lens=focal; focal=50; aperture=36; fstop=2; focus=1.5", 0, NULL);
  CHECK_OK(c.result, c.error);
  CHECK_NEAR(rv_detail_f32(c.output[0], RV_GLOBAL, "rv_cam_aperture", 1)[0], 0.025, 1e-6);
  CHECK_NEAR(rv_detail_f32(c.output[0], RV_GLOBAL, "rv_cam_focus", 1)[0], 1.5, 1e-6);
  rv_test_cook_free(&c);
  c = rv_test_cook("camera", "fov=40", 0, NULL);
  CHECK_OK(c.result, c.error);
  assert_true(rv_detail_f32(c.output[0], RV_GLOBAL, "rv_cam_aperture", 1)[0] == 0);
  rv_test_cook_free(&c);
}

RV_TESTS(cmocka_unit_test(lens_for_depth_of_field), cmocka_unit_test(what_the_flipbook_reads),
         cmocka_unit_test(focal_length_and_rotation))
