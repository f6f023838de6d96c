// Pictures read from files as linear light: .png by libpng's simplified interface, .hdr (Radiance RGBE), .exr.
#include "view/picture.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/foreign.h"
#include "base/memory.h"
#include "geo/text.h"
#include "view/lamp.h"

enum {
  MAX_SIDE = 65536,         // pixels
  LEAST_RUN_WIDTH = 8,      // Radiance: narrower rows are stored plainly
  MOST_RUN_WIDTH = 0x7fff,  // and wider ones
  LARGEST_RUN = 128         // a count above it is a run of one byte
};

static const size_t LARGEST_FILE = (size_t)1 << 31;  // bytes

RvResult rv_view_read_picture(const char* path, int* width, int* height, float** rgb, RvError* error) {
  *rgb = NULL;
  if (rv_text_ends(path, ".exr")) return rv_view_read_exr(path, width, height, rgb, error);
  if (rv_text_ends(path, ".hdr")) return rv_view_read_hdr(path, width, height, rgb, error);
  if (rv_text_ends(path, ".png")) return rv_view_read_png(path, width, height, rgb, error);
  return rv_fail(error, RV_UNSUPPORTED, "cannot read '%s' as the image of a dome: it must end in .exr, .hdr or .png",
                 path);
}

// Linear light of an sRGB byte (IEC 61966-2-1).
static float linear(uint8_t byte) {
  double x = byte / 255.0;
  return (float)(x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4));
}

RvResult rv_view_read_png(const char* path, int* width, int* height, float** rgb, RvError* error) {
  void* bytes = NULL;
  size_t count = 0;
  RvResult result = rv_file_read(path, LARGEST_FILE, &bytes, &count, error);
  if (result) return result;
  png_image image = {.version = PNG_IMAGE_VERSION};
  uint8_t* pixels = NULL;
  rv_foreign_enter("libpng");
  bool good =
      png_image_begin_read_from_memory(&image, bytes, count) && image.width <= MAX_SIDE && image.height <= MAX_SIDE;
  size_t n = good ? (size_t)image.width * image.height : 0;
  image.format = PNG_FORMAT_RGB;
  if (good) pixels = rv_alloc(n, 3);
  if (good) *rgb = rv_alloc(n, 3 * sizeof(float));
  if (good && (!pixels || !*rgb))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory to read '%s'", path);
  else if (!good || !png_image_finish_read(&image, NULL, pixels, 0, NULL))
    result = rv_fail(error, RV_BAD_INPUT, "cannot read '%s': it is not a whole .png picture", path);
  png_image_free(&image);
  rv_foreign_leave();
  *width = (int)image.width;
  *height = (int)image.height;
  float table[256];
  for (int i = 0; i < 256; ++i) table[i] = linear((uint8_t)i);
  for (size_t i = 0; !result && i < 3 * n; ++i) (*rgb)[i] = table[pixels[i]];
  if (result) {
    rv_free(*rgb);
    *rgb = NULL;
  }
  rv_free(pixels);
  rv_free(bytes);
  return result;
}

//---------------------------------------------------------------------------------------------- Radiance

// Bytes of a file that are read in order.
typedef struct Stream {
  const uint8_t *at, *end;
} Stream;

// Reads the next line of the header; false at the end.
static bool next_line(Stream* s, char line[128]) {
  size_t n = 0;
  while (s->at < s->end && *s->at != '\n') {
    if (n < 127) line[n++] = (char)*s->at;
    s->at++;
  }
  line[n] = 0;
  bool more = s->at < s->end;
  s->at += more;
  return more;
}

// Reads one component of a row in runs; false if the data end or do not fit.
static bool read_runs(Stream* s, uint8_t* to, int width) {
  for (int x = 0; x < width;) {
    if (s->end - s->at < 2) return false;
    int count = *s->at++;
    bool run = count > LARGEST_RUN;
    if (run) count -= LARGEST_RUN;
    if (count == 0 || x + count > width || (!run && s->end - s->at < count)) return false;
    if (run)
      memset(to + x, *s->at++, (size_t)count);
    else
      memcpy(to + x, s->at, (size_t)count);
    if (!run) s->at += count;
    x += count;
  }
  return true;
}

// Reads a row: its four components one after another in runs, or plain pixels.
static bool read_row(Stream* s, uint8_t* row, int width) {
  bool runs = width >= LEAST_RUN_WIDTH && width <= MOST_RUN_WIDTH && s->end - s->at >= 4 && s->at[0] == 2 &&
              s->at[1] == 2 && s->at[2] == width >> 8 && s->at[3] == (width & 255);
  if (runs) {
    s->at += 4;
    for (int k = 0; k < 4; ++k)
      if (!read_runs(s, row + (size_t)k * (size_t)width, width)) return false;
    return true;
  }
  if (s->end - s->at < 4 * (ptrdiff_t)width) return false;
  for (int x = 0; x < width; ++x)
    for (int k = 0; k < 4; ++k) row[k * width + x] = *s->at++;
  return true;
}

// Reads the pixels after the header.
static bool read_pixels(Stream* s, int width, int height, uint8_t* row, float* rgb) {
  for (int y = 0; y < height; ++y) {
    if (!read_row(s, row, width)) return false;
    for (int x = 0; x < width; ++x) {
      // The fourth byte is a shared exponent, 0 for black.
      double scale = row[3 * width + x] ? ldexp(1, row[3 * width + x] - 136) : 0;
      for (int k = 0; k < 3; ++k) *rgb++ = (float)(scale ? (row[k * width + x] + 0.5) * scale : 0);
    }
  }
  return true;
}

RvResult rv_view_read_hdr(const char* path, int* width, int* height, float** rgb, RvError* error) {
  void* bytes = NULL;
  size_t count = 0;
  RvResult result = rv_file_read(path, LARGEST_FILE, &bytes, &count, error);
  if (result) return result;
  Stream s = {bytes, (const uint8_t*)bytes + count};
  char line[128];
  bool good = next_line(&s, line) && strncmp(line, "#?", 2) == 0;
  while (good && *line) good = next_line(&s, line);
  *width = 0;
  *height = 0;
  good = good && next_line(&s, line) && sscanf(line, "-Y %d +X %d", height, width) == 2 && *width > 0 && *height > 0 &&
         *width <= MAX_SIDE && *height <= MAX_SIDE;
  uint8_t* row = good ? rv_alloc((size_t)*width, 4) : NULL;
  *rgb = good ? rv_alloc((size_t)*width * (size_t)*height, 3 * sizeof(float)) : NULL;
  if (good && (!row || !*rgb))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory to read '%s'", path);
  else if (!good || !read_pixels(&s, *width, *height, row, *rgb))
    result = rv_fail(error, RV_BAD_INPUT,
                     "cannot read '%s': it is not a whole Radiance .hdr picture with rows from the "
                     "top and pixels from the left",
                     path);
  if (result) {
    rv_free(*rgb);
    *rgb = NULL;
  }
  rv_free(row);
  rv_free(bytes);
  return result;
}
