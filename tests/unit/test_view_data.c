// Views in false colours: the right range in the legend, in letters too; grey and a warning where there is nothing.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "support/rv_test.h"
#include "view/view_scene.h"

// three strands before the camera with a number at each point
static RvDetail* strands(const char* attribute, float lo, float hi) {
  RvError error = {0};
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_curves(d, 3, 5, NULL, NULL, &error), error);
  float* p = rv_detail_f32_write(d, RV_POINT, "P", 3, &error);
  for (int i = 0; i < 15; ++i) {
    p[3 * i] = (float)(-0.5 + 0.3 * (i / 5));
    p[3 * i + 1] = (float)(-0.5 + 0.25 * (i % 5));
  }
  *rv_detail_f32_write(d, RV_GLOBAL, "width", 1, &error) = 0.1f;
  float* a = rv_detail_f32_write(d, RV_POINT, attribute, 1, &error);
  for (int i = 0; i < 15; ++i) a[i] = lo + (hi - lo) * (float)i / 14;
  return d;
}

static RvViewOptions data_options(const char* view) {
  RvViewOptions o = rv_view_options(RV_VIEW_DRAFT, 400, 200);
  o.pass = RV_VIEW_DATA;
  o.view = rv_view_data(view);
  assert_non_null(o.view);
  return o;
}

static bool is_text(const RvImage* image, int x, int y) {
  const float* c = image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
  return c[0] == 0.92f && c[1] == 0.92f && c[2] == 0.92f;
}

// the text is in the picture, dot by dot
static bool has_text(const RvImage* image, const char* text) {
  RvImage word = {.width = rv_view_text_width(text, 1), .height = 9};
  word.rgb = rv_alloc_zero((size_t)word.width * 9, 3 * sizeof(float));
  rv_view_draw_text(&word, text, 0, 0, 1, rv_vec3(0.92, 0.92, 0.92));
  bool found = false;
  for (int y = 0; y + 9 <= image->height && !found; ++y)
    for (int x = 0; x + word.width <= image->width && !found; ++x) {
      found = true;
      for (int j = 0; j < 9 && found; ++j)
        for (int i = 0; i < word.width && found; ++i) found = is_text(&word, i, j) == is_text(image, x + i, y + j);
    }
  rv_free(word.rgb);
  return found;
}

static RvImage render(RvDetail* d, const RvViewOptions* o, RvViewStats* stats) {
  RvError error = {0};
  const RvDetail* details[] = {d};
  RvCamera camera = {.eye = {0, 0, 3}, .up = {0, 1, 0}, .fov_y_degrees = 40};
  RvImage image;
  CHECK_OK(rv_view_render_stats(details, 1, &camera, o, NULL, NULL, &image, stats, &error), error);
  return image;
}

static void legend_shows_the_range(void** state) {
  (void)state;
  RvDetail* d = strands("wetness", 0.25f, 0.75f);
  RvViewOptions o = data_options("wetness");
  RvViewStats stats;
  RvImage image = render(d, &o, &stats);
  CHECK_NEAR(stats.data_range[0], 0.25, 1e-6);
  CHECK_NEAR(stats.data_range[1], 0.75, 1e-6);
  assert_true(image.exact);
  assert_true(has_text(&image, "wetness") && has_text(&image, "0.25") && has_text(&image, "0.75"));
  assert_false(has_text(&image, "0.74"));
  rv_view_image_free(&image);
  // a range that was asked for
  o.range[0] = 0;
  o.range[1] = 2;
  image = render(d, &o, &stats);
  assert_true(has_text(&image, "2") && !has_text(&image, "0.75"));
  rv_view_image_free(&image);
  rv_detail_free(d);
  // film is told in millimetres
  d = strands("filmheight", 0, 0.0005f);
  o = data_options("film");
  image = render(d, &o, &stats);
  CHECK_NEAR(stats.data_range[1], 0.5, 1e-6);
  assert_true(has_text(&image, "film height, mm") && has_text(&image, "0.5"));
  rv_view_image_free(&image);
  rv_detail_free(d);
}

// the colour of a pixel is that of its number, but for the shading
static void colours_follow_the_number(void** state) {
  (void)state;
  RvViewOptions o = data_options("wetness");
  o.range[0] = 0;
  o.range[1] = 1;
  for (int i = 0; i < 5; ++i) {
    double t = i / 4.0;
    RvDetail* d = strands("wetness", (float)t, (float)t);
    RvImage image = render(d, &o, NULL);
    // the middle strand's middle: x = -0.2
    int x = 200 + (int)(-0.2 * 100 / (3 * tan(20 * M_PI / 180)));
    const float* c = image.rgb + 3 * (100 * 400 + (size_t)x);
    RvVec3 want = rv_view_color(t);
    double share = c[1] / want.y;
    assert_true(share > 0.5 && share <= 1.001);
    CHECK_NEAR(c[0], share * want.x, 0.01);
    CHECK_NEAR(c[2], share * want.z, 0.01);
    rv_view_image_free(&image);
    rv_detail_free(d);
  }
}

// lightness rises evenly from end to end: it reads in grey too
static void colours_rise_evenly(void** state) {
  (void)state;
  double before = 0;
  for (int i = 0; i <= 20; ++i) {
    RvVec3 c = rv_view_color(i / 20.0);
    // no channel was cut off: it would bend the scale
    assert_true(c.x > 0 && c.y > 0 && c.z > 0 && c.x < 1 && c.y < 1 && c.z < 1);
    double light = cbrt(0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z);
    if (i) CHECK_NEAR(light - before, 0.028, 0.012);
    before = light;
  }
}

static void count_warning(void* user, RvLevel level, const char* text) {
  if (level == RV_LEVEL_WARNING && strstr(text, "'age'")) ++*(int*)user;
}

static void missing_numbers_are_told(void** state) {
  (void)state;
  RvDetail* d = strands("wetness", 0, 1);
  RvViewOptions o = data_options("age");
  int warnings = 0;
  RvLog log = {&warnings, count_warning};
  o.log = &log;
  RvViewStats stats;
  RvImage image = render(d, &o, &stats);
  assert_int_equal(warnings, 1);
  assert_true(isnan(stats.data_range[0]));
  assert_true(has_text(&image, "no 'age'"));
  for (int i = 0; i < 400 * 200 * 3; ++i) assert_true(image.rgb[i] >= 0 && image.rgb[i] <= 1);
  rv_view_image_free(&image);
  rv_detail_free(d);
  RvError error = {0};
  RvCamera camera = {.eye = {0, 0, 3}, .up = {0, 1, 0}, .fov_y_degrees = 40};
  o.view = NULL;
  CHECK_FAILS(rv_view_render(NULL, 0, &camera, &o, NULL, NULL, &image, &error), RV_BAD_INPUT, error, "wetness");
  assert_null(rv_view_data("beauty"));
}

RV_TESTS(cmocka_unit_test(legend_shows_the_range), cmocka_unit_test(colours_follow_the_number),
         cmocka_unit_test(colours_rise_evenly), cmocka_unit_test(missing_numbers_are_told))
