// Pictures as files, cameras and films.
#include <dirent.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/rng.h"
#include "support/rv_test.h"
#include "view/view.h"

static RvImage noise_image(int width, int height, uint64_t seed) {
  RvImage image = {
      .width = width, .height = height, .rgb = rv_alloc((size_t)width * (size_t)height, 3 * sizeof(float))};
  for (size_t i = 0; i < (size_t)width * (size_t)height * 3; ++i)
    image.rgb[i] = (float)(2 * rv_random(seed, 0, i, 0) * rv_random(seed, 1, i, 0));
  return image;
}

static char* in_folder(const char* name) {
  return rv_strf("%s/%s", rv_test_folder(), name);
}

static size_t files_in(const char* folder) {
  DIR* d = opendir(folder);
  assert_non_null(d);
  size_t count = 0;
  for (struct dirent* e; (e = readdir(d));) count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
  closedir(d);
  return count;
}

// libpng's simplified reader is the oracle of what the file says
static void png_reads_back(void** state) {
  (void)state;
  const int sizes[][2] = {{1, 1}, {37, 23}, {64, 64}, {1, 50}};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
    RvError error = {0};
    RvImage image = noise_image(sizes[k][0], sizes[k][1], k);
    char* path = in_folder("read back.png");
    CHECK_OK(rv_view_write_png(&image, path, &error), error);
    png_image read = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&read, path));
    assert_int_equal(read.width, image.width);
    assert_int_equal(read.height, image.height);
    read.format = PNG_FORMAT_RGB;
    size_t bytes = (size_t)image.width * (size_t)image.height * 3;
    uint8_t *got = rv_alloc(bytes, 1), *expected = rv_alloc(bytes, 1);
    assert_true(png_image_finish_read(&read, NULL, got, 0, NULL));
    rv_view_to_srgb(&image, expected);
    assert_memory_equal(got, expected, bytes);
    rv_free(got);
    rv_free(expected);
    rv_free(path);
    rv_view_image_free(&image);
  }
}

// below the knee the bytes are the sRGB standard's within one step of dither; above it they rise to white
static void transfer_is_srgb_with_roll_off(void** state) {
  (void)state;
  enum { N = 256 };
  float rgb[3 * N];
  uint8_t bytes[3 * N];
  RvImage image = {.width = N, .height = 1, .rgb = rgb};
  for (int i = 0; i < N; ++i)
    for (int k = 0; k < 3; ++k) rgb[3 * i + k] = (float)i / 128;
  rv_view_to_srgb(&image, bytes);
  for (int i = 0; i < N; ++i) {
    double x = i / 128.0, expected = 255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055);
    if (x <= 0.6) CHECK_NEAR(bytes[3 * i], expected, 1.01);
    if (x > 0.6) assert_true(bytes[3 * i] < expected + 1);
    if (i >= 4) assert_true(bytes[3 * i] + 2 >= bytes[3 * i - 3]);
  }
  // black stays black, very bright is white, and what is no number is black
  float special[] = {0, -1, NAN, 1e30f, INFINITY, 100};
  RvImage two = {.width = 2, .height = 1, .rgb = special};
  rv_view_to_srgb(&two, bytes);
  const uint8_t wanted[] = {0, 0, 0, 255, 255, 255};
  assert_memory_equal(bytes, wanted, 6);
}

static void png_errors(void** state) {
  (void)state;
  RvError error = {0};
  RvImage image = noise_image(4, 4, 1), none = {0};
  CHECK_FAILS(rv_view_write_png(&image, "/proc/no/such/place.png", &error), RV_IO, error, "/proc/no");
  CHECK_FAILS(rv_view_write_png(&image, rv_test_folder(), &error), RV_IO, error, "folder");
  CHECK_FAILS(rv_view_write_png(&none, "x.png", &error), RV_BAD_INPUT, error, "x.png");
  // a full disk: every byte refused, and an older file must stay
  CHECK_FAILS(rv_view_write_png(&image, "/dev/full/x.png", &error), RV_IO, error, "/dev/full");
  rv_view_image_free(&image);
}

static void camera_from_detail(void** state) {
  (void)state;
  RvError error = {0};
  RvCamera camera = {.width = -7};
  RvDetail* detail = rv_detail_new();
  assert_false(rv_view_camera_from_detail(detail, &camera));
  assert_false(rv_view_camera_from_detail(NULL, &camera));
  const float eye[] = {1, 2, 3}, target[] = {0, 0.5f, 0}, up[] = {0, 0, 1};
  memcpy(rv_detail_f32_write(detail, RV_GLOBAL, "rv_cam_eye", 3, &error), eye, sizeof eye);
  assert_false(rv_view_camera_from_detail(detail, &camera));
  assert_int_equal(camera.width, -7);
  memcpy(rv_detail_f32_write(detail, RV_GLOBAL, "rv_cam_target", 3, &error), target, sizeof target);
  memcpy(rv_detail_f32_write(detail, RV_GLOBAL, "rv_cam_up", 3, &error), up, sizeof up);
  *rv_detail_f32_write(detail, RV_GLOBAL, "rv_cam_fov", 1, &error) = 42;
  int32_t* res = rv_detail_i32_write(detail, RV_GLOBAL, "rv_cam_res", 2, &error);
  res[0] = 320;
  res[1] = 200;
  assert_true(rv_view_camera_from_detail(detail, &camera));
  for (int k = 0; k < 3; ++k) {
    CHECK_NEAR(camera.eye[k], eye[k], 0);
    CHECK_NEAR(camera.target[k], target[k], 0);
    CHECK_NEAR(camera.up[k], up[k], 0);
  }
  CHECK_NEAR(camera.fov_y_degrees, 42, 0);
  assert_int_equal(camera.width, 320);
  assert_int_equal(camera.height, 200);
  // an eye on its target is no camera
  memcpy(rv_detail_f32_write(detail, RV_GLOBAL, "rv_cam_eye", 3, &error), target, sizeof target);
  assert_false(rv_view_camera_from_detail(detail, &camera));
  rv_detail_free(detail);
}

// every corner of any box lies inside the picture by a margin of 2%, and the box is not small in it
static void framing_holds_the_box(void** state) {
  (void)state;
  const double aspects[] = {16.0 / 9, 1, 0.5, 3};
  for (uint64_t i = 0; i < 400; ++i) {
    double lo[3], hi[3], aspect = aspects[i % 4];
    for (int k = 0; k < 3; ++k) {
      double centre = (rv_random(5, 1, 8 * i + (uint64_t)k, 0) - 0.5) * 20;
      double half = pow(10, 4 * rv_random(5, 2, 8 * i + (uint64_t)k, 0) - 2);
      lo[k] = centre - half;
      hi[k] = centre + half;
    }
    RvCamera camera = rv_view_frame(lo, hi, aspect);
    int height = 1000, width = (int)(aspect * height);
    double most = 0;
    for (int c = 0; c < 8; ++c) {
      double corner[3] = {c & 1 ? hi[0] : lo[0], c & 2 ? hi[1] : lo[1], c & 4 ? hi[2] : lo[2]}, pixel[2];
      assert_true(rv_view_project(&camera, width, height, corner, pixel));
      most = fmax(most, fmax(fabs(pixel[0] / width - 0.5), fabs(pixel[1] / height - 0.5)));
    }
    assert_true(most < 0.49);
    assert_true(most > 0.40);
  }
}

// a ball's own points fill the picture between its margins, which its box does not; a second detail counts too
static void fitting_is_tight(void** state) {
  (void)state;
  RvError error = {0};
  enum { N = 2000 };
  RvDetail* d[] = {rv_detail_new(), rv_detail_new()};
  const double centre[2][3] = {{3, 2, -1}, {4.2, 2.5, 0}};
  RvViewFit fit = rv_view_fit(16.0 / 9);
  for (int k = 0; k < 2; ++k) {
    CHECK_OK(rv_detail_add_points(d[k], N, NULL, &error), error);
    float* p = rv_detail_f32_write(d[k], RV_POINT, "P", 3, &error);
    for (int i = 0; i < N; ++i) {
      double z = 1 - (2 * i + 1.0) / N, r = sqrt(1 - z * z), a = 2.399963 * i;
      p[3 * i] = (float)(centre[k][0] + r * cos(a));
      p[3 * i + 1] = (float)(centre[k][1] + z);
      p[3 * i + 2] = (float)(centre[k][2] + r * sin(a));
    }
    rv_view_fit_add(&fit, d[k]);
    RvCamera camera = rv_view_fit_camera(&fit);
    double lo[2] = {1e9, 1e9}, hi[2] = {-1e9, -1e9}, pixel[2];
    for (int j = 0; j <= k; ++j)
      for (int i = 0; i < N; ++i) {
        const float* q = rv_detail_f32(d[j], RV_POINT, "P", 3) + 3 * i;
        const double point[3] = {q[0], q[1], q[2]};
        assert_true(rv_view_project(&camera, 1600, 900, point, pixel));
        for (int c = 0; c < 2; ++c) {
          lo[c] = fmin(lo[c], pixel[c]);
          hi[c] = fmax(hi[c], pixel[c]);
        }
      }
    // 3.5% of the height stays free above and below, within half a pixel
    CHECK_NEAR(lo[1], 0.035 * 900, 0.5);
    CHECK_NEAR(hi[1], 0.965 * 900, 0.5);
    assert_true(lo[0] > 0 && hi[0] < 1600);
  }
  // z = 1 - (2 N - 1) / N is the lowest of the points
  CHECK_NEAR(fit.lowest, 2 - 1 + 1.0 / N, 1e-6);
  rv_detail_free(d[0]);
  rv_detail_free(d[1]);
}

// the middle, right and top of the picture by hand: 90 degrees, looking along -z
static void projection_by_hand(void** state) {
  (void)state;
  RvCamera camera = {.eye = {0, 0, 2}, .up = {0, 1, 0}, .fov_y_degrees = 90};
  double pixel[2], middle[] = {0, 0, 0}, right[] = {1, 0, 0}, above[] = {0, 1, 0}, behind[] = {0, 0, 3};
  assert_true(rv_view_project(&camera, 200, 100, middle, pixel));
  CHECK_NEAR(pixel[0], 100, 1e-9);
  CHECK_NEAR(pixel[1], 50, 1e-9);
  assert_true(rv_view_project(&camera, 200, 100, right, pixel));
  CHECK_NEAR(pixel[0], 125, 1e-9);
  assert_true(rv_view_project(&camera, 200, 100, above, pixel));
  CHECK_NEAR(pixel[1], 25, 1e-9);
  assert_false(rv_view_project(&camera, 200, 100, behind, pixel));
}

// boxes that are none: a point, upside down, no numbers; each still gives a camera that sees something
static void framing_of_odd_boxes(void** state) {
  (void)state;
  double point[3] = {5, 5, 5}, other[3] = {-1, 0, 0}, nan[3] = {NAN, 0, 0}, pixel[2];
  RvCamera camera = rv_view_frame(point, point, 1.5);
  assert_true(rv_view_project(&camera, 30, 20, point, pixel));
  CHECK_NEAR(pixel[0], 15, 1e-6);
  const RvCamera odd[] = {rv_view_frame(point, other, 1), rv_view_frame(nan, nan, 1), rv_view_frame(other, point, NAN)};
  for (int i = 0; i < 3; ++i) assert_true(rv_view_project(&odd[i], 10, 10, odd[i].target, pixel));
}

//---------------------------------------------------------------------------------------------- films

static char* first_line_of(const char* command) {
  static char line[256];
  FILE* pipe = popen(command, "r");
  assert_non_null(pipe);
  if (!fgets(line, sizeof line, pipe)) line[0] = 0;
  pclose(pipe);
  line[strcspn(line, "\r\n")] = 0;
  return line;
}

enum { FRAMES = 5 };

static void write_frames(char* paths[FRAMES]) {
  RvError error = {0};
  for (int i = 0; i < FRAMES; ++i) {
    char name[64];
    snprintf(name, sizeof name, "film frames/a b;$(x)'%d.png", i);
    paths[i] = in_folder(name);
    RvImage image = noise_image(33, 17, (uint64_t)i);
    CHECK_OK(rv_view_write_png(&image, paths[i], &error), error);
    rv_view_image_free(&image);
  }
}

// odd sizes, and names that a shell, ffmpeg's options or its protocols would take for something else
static void film_has_its_frames(void** state) {
  (void)state;
  if (!rv_view_has_ffmpeg()) skip();
  RvError error = {0};
  char* paths[FRAMES];
  write_frames(paths);
  char *target = in_folder("films/-http:%d '$HOME'.mp4"), *plain = in_folder("films/plain.mp4");
  CHECK_OK(rv_view_write_mp4((const char* const*)paths, FRAMES, 24, target, &error), error);
  assert_int_equal(rename(target, plain), 0);
  char* command = rv_strf(
      "ffprobe -v error -count_frames -select_streams v:0 -show_entries "
      "stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames -of csv=p=0 '%s'",
      plain);
  assert_string_equal(first_line_of(command), "h264,34,18,yuv420p,24/1,5");
  char* folder = in_folder("films");
  assert_int_equal(files_in(folder), 1);
  rv_free(folder);
  rv_free(command);
  rv_free(target);
  rv_free(plain);
  for (int i = 0; i < FRAMES; ++i) rv_free(paths[i]);
}

static void film_errors(void** state) {
  (void)state;
  RvError error = {0};
  char* paths[FRAMES];
  write_frames(paths);
  const char* const* frames = (const char* const*)paths;
  char *target = in_folder("none/film.mp4"), *folder = in_folder("none"), *text = in_folder("text.png");
  CHECK_FAILS(rv_view_write_mp4(frames, 0, 24, target, &error), RV_BAD_INPUT, error, "no pictures");
  CHECK_FAILS(rv_view_write_mp4(frames, 1, NAN, target, &error), RV_BAD_INPUT, error, "frames a second");
  CHECK_FAILS(rv_view_write_mp4(frames, 1, 24, "/proc/no/film.mp4", &error), RV_IO, error, "/proc/no");
  if (rv_view_has_ffmpeg()) {
    FILE* f = fopen(text, "w");
    fputs("no picture at all", f);
    fclose(f);
    const char* wrong[] = {paths[0], text};
    CHECK_FAILS(rv_view_write_mp4(wrong, 2, 24, target, &error), RV_BAD_FILE, error, "text.png");
    const char* missing[] = {paths[0], "/no/such/frame.png"};
    assert_int_not_equal(rv_view_write_mp4(missing, 2, 24, target, &error), RV_OK);
    assert_non_null(strstr(error.text, "/no/such/frame.png"));
    error = (RvError){0};
  }
  // without ffmpeg the error says what to install
  char* before = rv_strdup(getenv("PATH"));
  setenv("PATH", rv_test_folder(), 1);
  assert_false(rv_view_has_ffmpeg());
  CHECK_FAILS(rv_view_write_mp4(frames, FRAMES, 24, target, &error), RV_NOT_FOUND, error, "apt-get install ffmpeg");
  setenv("PATH", before, 1);
  // nothing half written is left behind
  assert_int_equal(files_in(folder), 0);
  rv_free(before);
  rv_free(target);
  rv_free(folder);
  rv_free(text);
  for (int i = 0; i < FRAMES; ++i) rv_free(paths[i]);
}

RV_TESTS(cmocka_unit_test(png_reads_back), cmocka_unit_test(transfer_is_srgb_with_roll_off),
         cmocka_unit_test(png_errors), cmocka_unit_test(camera_from_detail), cmocka_unit_test(framing_holds_the_box),
         cmocka_unit_test(fitting_is_tight), cmocka_unit_test(projection_by_hand),
         cmocka_unit_test(framing_of_odd_boxes), cmocka_unit_test(film_has_its_frames), cmocka_unit_test(film_errors))
