// Images of domes that are damaged, made to do harm, or no files: each is refused by name, with what is wrong.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/memory.h"
#include "rivulet/host.h"
#include "support/rv_test.h"
#include "view/lamp.h"
#include "view/picture.h"

#define DAMAGED RV_SOURCE_DIR "/tests/fuzz/regressions/picture/"

// What a file is refused with; its name must be in the text.
static RvResult refusal(const char* path, RvError* error) {
  int width = 0, height = 0;
  float* rgb = NULL;
  *error = (RvError){0};
  RvResult result = rv_view_read_picture(path, &width, &height, &rgb, error);
  assert_true(!result || (!rgb && strstr(error->text, path)));
  rv_free(rgb);
  return result;
}

static void write_bytes(const char* path, const void* bytes, size_t count) {
  FILE* file = fopen(path, "wb");
  fwrite(bytes, 1, count, file);
  fclose(file);
}

// heads of 65,536 x 65,536 pixels, which are 51 GB, in files of some hundred bytes
static void large_heads(void** state) {
  (void)state;
  static const char* const names[] = {DAMAGED "large_head.hdr", DAMAGED "large_head.png", DAMAGED "large_head.exr"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    RvError error;
    assert_int_equal(refusal(names[i], &error), RV_BAD_FILE);
    assert_non_null(strstr(error.text, "65536 x 65536"));
  }
}

// a picture of one colour is dense, and as large as a picture may be
static void dense_pictures_have_room(void** state) {
  (void)state;
  RvError error = {0};
  float* rgb = NULL;
  const size_t count = 200000;  // bytes of 8192 x 4096 equal pixels of half floats with ZIP
  CHECK_OK(rv_view_picture_room("sky.exr", count, 8192, 4096, &rgb, &error), error);
  rv_free(rgb);
  assert_int_equal(rv_view_picture_room("sky.exr", 20000, 8192, 4096, &rgb, &error), RV_BAD_FILE);
}

static void no_files(void** state) {
  (void)state;
  RvError error;
  // nobody writes into this pipe
  assert_int_equal(mkfifo("pipe.exr", 0600), 0);
  assert_int_equal(refusal("pipe.exr", &error), RV_IO);
  remove("pipe.exr");
  write_bytes("empty.png", "", 0);
  assert_int_equal(refusal("empty.png", &error), RV_BAD_FILE);
  remove("empty.png");
}

// three channels of half floats, of which one is not light: OpenEXR 3.1 unpacks it without a look at where it should go
static void channels_of_no_light(void** state) {
  (void)state;
  RvError error = {0};
  int width = 0, height = 0;
  float* rgb = NULL;
  CHECK_OK(rv_view_read_picture(DAMAGED "half_channel_of_no_light.exr", &width, &height, &rgb, &error), error);
  assert_int_equal(width, 16);
  assert_int_equal(height, 40);
  // The file has B, G and X interleaved, where every fifth number is not 0.
  enum { PERIOD = 5, FACTOR = 7919, MODULUS = 101 };
  for (int i = 0; i < 3 * width * height; ++i) {
    double value = i % PERIOD ? 0 : (i * FACTOR % MODULUS) / 50.0;
    if (i % 3 == 2) continue;
    // half floats have 11 bits
    CHECK_NEAR(rgb[3 * (i / 3) + 2 - i % 3], value, value / 2048);
    assert_true(rgb[3 * (i / 3)] == 0);
  }
  rv_free(rgb);
}

// a picture without light is not a black one
static void no_light(void** state) {
  (void)state;
  RvError error;
  assert_int_equal(refusal(DAMAGED "depth_only.exr", &error), RV_UNSUPPORTED);
  assert_non_null(strstr(error.text, "R, G, B or Y"));
}

// a Huffman code that does not fit is damage, which OpenEXR calls a lack of memory
static void damage_is_no_lack_of_memory(void** state) {
  (void)state;
  RvError error;
  assert_int_equal(refusal(DAMAGED "damaged_huffman.exr", &error), RV_BAD_FILE);
}

// a picture that does not fit into the limit of memory is told as that
static void limits_of_memory(void** state) {
  (void)state;
  enum { SIDE = 1000 };  // pixels: 12 MB of light
  RvError error = {0};
  RvImage image = {.width = SIDE, .height = SIDE, .rgb = rv_alloc_zero((size_t)SIDE * SIDE, 3 * sizeof(float))};
  CHECK_OK(rv_view_write_exr(&image, "large.exr", &error), error);
  CHECK_OK(rv_view_write_png(&image, "large.png", &error), error);
  rv_view_image_free(&image);
  const size_t half = (size_t)SIDE * SIDE * 6;
  rv_memory_limit_set(rv_budget_used() + half);
  RvResult exr = refusal("large.exr", &error);
  RvResult png = refusal("large.png", &error);
  rv_memory_limit_set(0);
  assert_int_equal(exr, RV_NO_MEMORY);
  assert_int_equal(png, RV_NO_MEMORY);
  assert_int_equal(refusal("large.exr", &error), RV_OK);
  assert_int_equal(refusal("large.png", &error), RV_OK);
  remove("large.exr");
  remove("large.png");
}

RV_TESTS(cmocka_unit_test(large_heads), cmocka_unit_test(dense_pictures_have_room), cmocka_unit_test(no_files),
         cmocka_unit_test(channels_of_no_light), cmocka_unit_test(no_light),
         cmocka_unit_test(damage_is_no_lack_of_memory), cmocka_unit_test(limits_of_memory))
