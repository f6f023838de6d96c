// Lamps of the light node against their closed forms: irradiance of a white matt card within 1%.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/vec.h"
#include "support/cook.h"
#include "support/rv_test.h"
#include "view/lamp.h"
#include "view/view_scene.h"

// relative error
#define CHECK_CLOSE(value, expected, share) CHECK_NEAR(value, expected, (share)*fabs((double)(expected)))

// a card of half side 1 at the origin that faces +y, white and without highlight; albedo 0.5
static RvDetail* card(void) {
  RvError error = {0};
  const float xyz[] = {-1, 0, 1, 1, 0, 1, 1, 0, -1, -1, 0, -1};
  const int32_t quad[] = {0, 1, 2, 3}, four = 4;
  RvDetail* d = rv_detail_new();
  CHECK_OK(rv_detail_add_points(d, 4, NULL, &error), error);
  memcpy(rv_detail_f32_write(d, RV_POINT, "P", 3, &error), xyz, sizeof xyz);
  CHECK_OK(rv_detail_add_polygons(d, RV_PRIM_POLYGON, 1, &four, quad, NULL, &error), error);
  float* c = rv_detail_f32_write(d, RV_GLOBAL, "Cd", 3, &error);
  c[0] = c[1] = c[2] = 0.5f;
  *rv_detail_f32_write(d, RV_GLOBAL, "specular", 1, &error) = 0;
  return d;
}

// irradiance at the middle of the card, by red, from its radiance: a matt surface has E albedo / pi
static double irradiance(const char* light, int samples) {
  RvError error = {0};
  RvTestCook lamp = rv_test_cook("light", light, 0, NULL);
  CHECK_OK(lamp.result, lamp.error);
  RvDetail* white = card();
  const RvDetail* d[] = {white, lamp.output[0]};
  RvCamera camera = {.eye = {0, 3, 0.5}, .up = {0, 0, -1}, .fov_y_degrees = 0.2};
  RvViewOptions o = rv_view_options(RV_VIEW_NORMAL, 16, 16);
  o.samples = samples;
  // nothing is brighter than the clamp against fireflies
  o.exposure = -6;
  o.noise = 0;
  o.ground = false;
  RvImage image;
  CHECK_OK(rv_view_render(d, 2, &camera, &o, NULL, NULL, &image, &error), error);
  double sum = 0;
  for (int i = 0; i < 16 * 16; ++i) sum += image.rgb[3 * i] / 256.0;
  rv_view_image_free(&image);
  rv_detail_free(white);
  rv_test_cook_free(&lamp);
  return 64 * sum * M_PI / 0.5;
}

// the intensity times the cosine, whatever the angle and the distance
static void distant_lamps(void** state) {
  (void)state;
  CHECK_CLOSE(irradiance("lighttype=distant; t=0 5 0; intensity=2; angle=1", 64), 2, 0.01);
  CHECK_CLOSE(irradiance("lighttype=distant; t=0 1 1; intensity=2; angle=0", 64), 2 * sqrt(0.5), 0.01);
  CHECK_CLOSE(irradiance("lighttype=distant; t=3 1 0; intensity=1; exposure=1; angle=2", 64), 2 / sqrt(10), 0.01);
  // from below nothing arrives
  assert_true(irradiance("lighttype=distant; t=0 -1 0", 16) == 0);
}

// a disc of radius r at the height h above the card: pi L r^2 / (r^2 + h^2)
static void discs(void** state) {
  (void)state;
  CHECK_CLOSE(irradiance("lighttype=disc; t=0 1 0; areasize=2 2; normalizearea=0; intensity=0.5", 256),
              M_PI * 0.5 * 1 / (1 + 1), 0.01);
  // normalised: from afar the intensity over the square of the distance
  CHECK_CLOSE(irradiance("lighttype=disc; t=0 2 0; areasize=0.05 1; intensity=4", 64), 1, 0.01);
  // turned away it gives nothing
  assert_true(irradiance("lighttype=disc; t=0 1 0; target=0 2 0", 16) == 0);
}

// Lambert's formula: irradiance of a polygon is half the sum of the angles of its edges, each times the cosine of the
// edge's plane
static double polygon_irradiance(const double corner[4][3], double radiance) {
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    RvVec3 a = rv_normalize(rv_vec3_load64(corner[i]), rv_vec3(0, 0, 0));
    RvVec3 b = rv_normalize(rv_vec3_load64(corner[(i + 1) % 4]), rv_vec3(0, 0, 0));
    RvVec3 n = rv_cross(a, b);
    sum += acos(rv_dot(a, b)) * n.y / rv_length(n);
  }
  return radiance * fabs(sum) / 2;
}

static void rectangles(void** state) {
  (void)state;
  // parallel to the card, 2 x 2 at the height 0.7
  const double square[4][3] = {{-1, 0.7, -1}, {1, 0.7, -1}, {1, 0.7, 1}, {-1, 0.7, 1}};
  CHECK_CLOSE(irradiance("lighttype=rectangle; t=0 0.7 0; areasize=2 2; normalizearea=0; intensity=0.4", 256),
              polygon_irradiance(square, 0.4), 0.01);
  // upright at x = 1, 0.8 high and 0.6 wide, its middle 0.9 high: it faces -x, so that its width runs along z
  const double upright[4][3] = {{1, 0.5, -0.3}, {1, 1.3, -0.3}, {1, 1.3, 0.3}, {1, 0.5, 0.3}};
  CHECK_CLOSE(irradiance("lighttype=rectangle; t=1 0.9 0; target=-5 0.9 0; areasize=0.6 0.8; normalizearea=0; "
                         "intensity=2",
                         256),
              polygon_irradiance(upright, 2), 0.01);
  // rolled by 90 degrees width and height change places
  CHECK_CLOSE(irradiance("lighttype=rectangle; t=1 0.9 0; target=-5 0.9 0; areasize=0.8 0.6; roll=90; normalizearea=0; "
                         "intensity=2",
                         256),
              polygon_irradiance(upright, 2), 0.01);
}

// a picture of a dome: rows of brightness by the angle to the zenith
static char* dome_file(const char* name, int width, int height, double (*light)(RvVec3)) {
  char* path = rv_strf("%s.exr", name);
  RvImage image = {.width = width, .height = height};
  image.rgb = rv_alloc((size_t)width * (size_t)height, 3 * sizeof(float));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double polar = M_PI * (y + 0.5) / height, azimuth = 2 * M_PI * ((x + 0.5) / width - 0.5);
      RvVec3 d = rv_vec3(sin(polar) * sin(azimuth), cos(polar), -sin(polar) * cos(azimuth));
      for (int k = 0; k < 3; ++k) image.rgb[3 * (y * width + x) + k] = (float)light(d);
    }
  RvError error = {0};
  CHECK_OK(rv_view_write_exr(&image, path, &error), error);
  rv_view_image_free(&image);
  return path;
}

static double cosine_sky(RvVec3 d) {
  return fmax(d.y, 0);
}
// light from the half x > 0 alone, bright in a small patch
static double patchy_sky(RvVec3 d) {
  return d.x > 0 ? (d.y > sqrt(0.5) ? 10 : 0.2) : 0;
}

static void domes(void** state) {
  (void)state;
  CHECK_CLOSE(irradiance("lighttype=dome; dome=uniform; intensity=0.4", 64), 0.4 * M_PI, 0.01);
  char* path = dome_file("lamps_cosine", 512, 256, cosine_sky);
  char text[256];
  snprintf(text, sizeof text, "lighttype=dome; dome=image; envmap=%s", path);
  // the integral of cosine squared over the upper half is 2 pi / 3
  CHECK_CLOSE(irradiance(text, 256), 2 * M_PI / 3, 0.01);
  remove(path);
  rv_free(path);
  // half the sky, within 45 degrees of the zenith and beyond: each has half of the projected solid angle
  path = dome_file("lamps_patchy", 512, 256, patchy_sky);
  snprintf(text, sizeof text, "lighttype=dome; dome=image; envmap=%s; rotate=40; color=0.5 1 1", path);
  CHECK_CLOSE(irradiance(text, 256), 0.5 * (M_PI / 4 * 10 + M_PI / 4 * 0.2), 0.01);
  remove(path);
  rv_free(path);
}

// directions are drawn with the density that is told: its integral is 1, and the mean of f / p is the integral of f
static void density_of_a_dome(void** state) {
  (void)state;
  const double factors[3] = {1, 1, 1};
  RvError error = {0};
  RvDome* dome = NULL;
  CHECK_OK(rv_view_dome_studio(factors, &dome, &error), error);
  enum { N = 480 };  // places of a square of numbers, as many in each of the cells of which a dome has a sample
  double whole = 0, drawn = 0;
  for (int i = 0; i < N; ++i)
    for (int k = 0; k < N; ++k) {
      double z = 1 - 2 * (i + 0.5) / N, a = 2 * M_PI * (k + 0.5) / N, r = sqrt(1 - z * z), p,
             u[2] = {(i + 0.5) / N, (k + 0.5) / N};
      RvVec3 seen, light;
      double other;
      rv_view_dome_towards(dome, rv_vec3(r * cos(a), z, r * sin(a)), &other);
      whole += other * 4 * M_PI / N / N;
      RvVec3 d = rv_view_dome_sample(dome, u, &light, &p);
      CHECK_NEAR(rv_length(d), 1, 1e-7);  // directions are kept as floats
      drawn += 1 / p / N / N;
      if (i % 64 || k % 64) continue;
      // a direction that was drawn finds its own pixel again
      seen = rv_view_dome_towards(dome, d, &other);
      CHECK_CLOSE(other, p, 1e-3);
      CHECK_NEAR(seen.x, light.x, 1e-6);
    }
  CHECK_NEAR(whole, 1, 0.01);
  // the mean of 1 / p is the solid angle of all directions
  CHECK_CLOSE(drawn, 4 * M_PI, 0.01);
  rv_view_dome_free(dome);
}

// half of a disc hidden by a wall gives half its light
static void lamps_cast_shadows(void** state) {
  (void)state;
  RvError error = {0};
  RvTestCook lamp =
      rv_test_cook("light", "lighttype=disc; t=0 1 0; areasize=0.4 1; normalizearea=0; intensity=4", 0, NULL);
  CHECK_OK(lamp.result, lamp.error);
  RvDetail *white = card(), *wall = card();
  // the wall lies half way, over x < 0
  float* p = rv_detail_f32_write(wall, RV_POINT, "P", 3, &error);
  for (int i = 0; i < 4; ++i) {
    p[3 * i] = p[3 * i] < 0 ? -1 : 0;
    p[3 * i + 1] = 0.5f;
  }
  const RvDetail* d[] = {white, wall, lamp.output[0]};
  RvCamera camera = {.eye = {3, 0.2, 0}, .up = {0, 1, 0}, .fov_y_degrees = 0.1};
  RvViewOptions o = rv_view_options(RV_VIEW_NORMAL, 8, 8);
  o.samples = 512;
  o.noise = 0;
  o.ground = false;
  RvImage image;
  CHECK_OK(rv_view_render(d, 3, &camera, &o, NULL, NULL, &image, &error), error);
  double sum = 0;
  for (int i = 0; i < 64; ++i) sum += image.rgb[3 * i] / 64;
  CHECK_CLOSE(sum * M_PI / 0.5, 0.5 * M_PI * 4 * 0.04 / 1.04, 0.01);
  rv_view_image_free(&image);
  rv_detail_free(white);
  rv_detail_free(wall);
  rv_test_cook_free(&lamp);
}

// a .hdr with and without runs, and a .png, read as the light that they hold
static void images_of_domes(void** state) {
  (void)state;
  RvError error = {0};
  int width = 0, height = 0;
  float* rgb = NULL;
  FILE* file = fopen("lamps.hdr", "wb");
  fputs("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2 +X 8\n", file);
  // a row of runs: 8 pixels of 128, 64, 32 with exponent 129: 1, 0.5, 0.25
  const uint8_t runs[] = {2, 2, 0, 8, 136, 128, 136, 64, 136, 32, 136, 129};
  fwrite(runs, 1, sizeof runs, file);
  for (int i = 0; i < 8; ++i) fwrite((const uint8_t[]){128, 128, 128, 128}, 1, 4, file);
  fclose(file);
  CHECK_OK(rv_view_read_picture("lamps.hdr", &width, &height, &rgb, &error), error);
  assert_int_equal(width, 8);
  assert_int_equal(height, 2);
  // the mantissa stands for the middle of its step
  CHECK_NEAR(rgb[3 * 7], 128.5 / 128, 1e-6);
  CHECK_NEAR(rgb[3 * 7 + 1], 64.5 / 128, 1e-6);
  CHECK_NEAR(rgb[3 * 8 + 2], 128.5 / 256, 1e-6);
  rv_free(rgb);
  // cut short
  file = fopen("lamps.hdr", "wb");
  fputs("#?RADIANCE\n\n-Y 200 +X 8\n", file);
  fclose(file);
  assert_int_equal(rv_view_read_picture("lamps.hdr", &width, &height, &rgb, &error), RV_BAD_FILE);
  remove("lamps.hdr");
  float grey[3 * 4] = {0.25f, 0.5f, 0, 0.25f, 0.5f, 0, 0.25f, 0.5f, 0, 0.25f, 0.5f, 0};
  RvImage image = {.width = 2, .height = 2, .rgb = grey, .exact = true};
  error = (RvError){0};
  CHECK_OK(rv_view_write_png(&image, "lamps.png", &error), error);
  CHECK_OK(rv_view_read_picture("lamps.png", &width, &height, &rgb, &error), error);
  CHECK_NEAR(rgb[0], 0.25, 0.005);
  CHECK_NEAR(rgb[10], 0.5, 0.01);
  rv_free(rgb);
  remove("lamps.png");
  assert_int_equal(rv_view_read_picture("nowhere.exr", &width, &height, &rgb, &error), RV_NOT_FOUND);
  error = (RvError){0};
  assert_int_equal(rv_view_read_picture("lamps.jpg", &width, &height, &rgb, &error), RV_UNSUPPORTED);
  rv_test_cook_fails("light", "lighttype=dome; dome=image", NULL, RV_BAD_INPUT, "envmap is empty");
  rv_test_cook_fails("light", "t=0 0 0", NULL, RV_BAD_INPUT, "same point");
}

RV_TESTS(cmocka_unit_test(distant_lamps), cmocka_unit_test(discs), cmocka_unit_test(rectangles),
         cmocka_unit_test(domes), cmocka_unit_test(density_of_a_dome), cmocka_unit_test(lamps_cast_shadows),
         cmocka_unit_test(images_of_domes))
