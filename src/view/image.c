// Display encoding of an image (tone mapping, sRGB, dither) and PNG files by libpng.
#include <png.h>
#include <setjmp.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "math/scalar.h"
#include "view/view.h"

enum {
  DITHER_SEED = 0x64697468,  // "dith"
  ROWS_A_TASK = 8,
  PNG_COMPRESSION = 4  // zlib level, 0 (fast) to 9 (small)
};

void rv_view_image_free(RvImage* image) {
  if (!image) return;
  rv_free(image->rgb);
  rv_free(image->alpha);
  rv_free(image->depth);
  rv_free(image->normal);
  rv_free(image->id);
  rv_free(image->wetness);
  *image = (RvImage){0};
}

// sRGB transfer function (IEC 61966-2-1).
static double srgb(double x) {
  return x <= 0.0031308 ? 12.92 * x : 1.055 * rv_pow(x, 1 / 2.4) - 0.055;
}

typedef struct Convert {
  const RvImage* image;
  uint8_t* bytes;
} Convert;

// Encodes rows of pixels. Triangular dither of one step hides banding on the smooth backdrop; its amplitude shrinks
// towards 0 and 255, so that black and white stay exact.
static void convert_rows(void* arg, size_t begin, size_t end) {
  const Convert* c = arg;
  for (size_t y = begin; y < end; ++y)
    for (size_t x = 0; x < (size_t)c->image->width; ++x) {
      size_t at = y * (size_t)c->image->width + x;
      RvRandom4 noise = rv_random4(DITHER_SEED, at, 0);
      double display[3];
      rv_view_tone(c->image->tone, c->image->rgb + 3 * at, display);
      for (int k = 0; k < 3; ++k) {
        double linear = c->image->rgb[3 * at + k];
        double v = 255 * srgb(c->image->exact ? rv_clamp(linear, 0, 1) : display[k]);
        if (c->image->exact) {
          c->bytes[3 * at + k] = (uint8_t)(v + 0.5);
          continue;
        }
        // Sum of two uniform numbers, less their mean: triangular on -1 to 1.
        double dither = ((double)(noise.v[k] >> 16) + (double)(noise.v[k] & 0xffff)) / 65535 - 1;
        double margin = v < 254.5 - v + 0.5 ? v : 255 - v;
        v += dither * rv_clamp(margin, 0, 0.5);
        c->bytes[3 * at + k] = (uint8_t)(rv_clamp(v, 0, 255) + 0.5);
      }
    }
}

void rv_view_to_srgb(const RvImage* image, uint8_t* bytes) {
  Convert c = {image, bytes};
  rv_parallel_for((size_t)image->height, ROWS_A_TASK, convert_rows, &c);
}

// libpng must not print: errors return by longjmp, warnings are dropped. It tells lack of memory by its text only.
static void png_failed(png_structp png, png_const_charp text) {
  bool* no_memory = png_get_error_ptr(png);
  if (text && strstr(text, "memory")) *no_memory = true;
  png_longjmp(png, 1);
}

static void png_warned(png_structp png, png_const_charp text) {
  (void)png;
  (void)text;
}

// Writes the image as PNG; false if libpng failed. No other code may run between setjmp and the libpng calls.
static bool encode_png(FILE* stream, const RvImage* image, const uint8_t* bytes, bool* no_memory) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, no_memory, png_failed, png_warned);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) *no_memory = true;
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return false;
  }
  png_init_io(png, stream);
  png_set_compression_level(png, PNG_COMPRESSION);
  png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, 8, PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB_gAMA_and_cHRM(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_write_info(png, info);
  for (int y = 0; y < image->height; ++y) png_write_row(png, bytes + 3 * (size_t)image->width * (size_t)y);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return true;
}

RvResult rv_view_write_png(const RvImage* image, const char* path, RvError* error) {
  if (!image->rgb || image->width < 1 || image->height < 1)
    return rv_fail(error, RV_BAD_INPUT, "there is no picture to write to '%s'", path);
  size_t pixels = (size_t)image->width * (size_t)image->height;
  uint8_t* bytes = rv_alloc(pixels, 3);
  if (!bytes) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_view_to_srgb(image, bytes);
  RvFileOut out = {0};
  RvResult result = rv_file_begin(&out, path, error);
  if (result) goto done;
  bool no_memory = false;
  if (!encode_png(out.stream, image, bytes, &no_memory)) {
    rv_file_abandon(&out);
    result = no_memory ? rv_fail(error, RV_NO_MEMORY, "out of memory to write '%s'", path)
                       : rv_fail(error, RV_IO, "cannot write '%s': the disk may be full", path);
    goto done;
  }
  result = rv_file_commit(&out, error);
done:
  rv_free(bytes);
  return result;
}
