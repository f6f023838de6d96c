// Pictures read from files as linear light: .png by libpng's simplified interface, .hdr (Radiance RGBE), .exr.
#include "view/picture.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/foreign.h"
#include "base/memory.h"
#include "geo/text.h"
#include "view/lamp.h"

enum {
  MAX_SIDE = 65536,         // pixels
  FREE_PIXELS = 1 << 22,    // of a file of any size: 50 MB of light
  BYTE_PIXELS = 1024,       // more for each byte of a file: deflate, the densest code, makes at most 1032 bytes of one
  LEAST_RUN_WIDTH = 8,      // Radiance: narrower rows are stored plainly
  MOST_RUN_WIDTH = 0x7fff,  // and wider ones
  LARGEST_RUN = 128         // a count above it is a run of one byte
};

static const size_t LARGEST_FILE = (size_t)1 << 31;  // bytes

// A reader of one format, and the end of the names of its files.
typedef struct Format {
  const char* ending;
  RvResult (*decode)(const char* name, const void* bytes, size_t count, int* width, int* height, float** rgb,
                     RvError* error);
} Format;

static const Format formats[] = {
    {".exr", rv_view_decode_exr}, {".hdr", rv_view_decode_hdr}, {".png", rv_view_decode_png}};

RvResult rv_view_read_picture(const char* path, int* width, int* height, float** rgb, RvError* error) {
  const Format* format = NULL;
  for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i)
    if (rv_text_ends(path, formats[i].ending)) format = &formats[i];
  *rgb = NULL;
  if (!format)
    return rv_fail(error, RV_UNSUPPORTED, "cannot read '%s' as the image of a dome: it must end in .exr, .hdr or .png",
                   path);
  void* bytes = NULL;
  size_t count = 0;
  RvResult result = rv_file_read(path, LARGEST_FILE, &bytes, &count, error);
  if (!result) result = format->decode(path, bytes, count, width, height, rgb, error);
  rv_free(bytes);
  return result;
}

// Pixels that a file of so many bytes can have.
static size_t most_pixels(size_t count) {
  return FREE_PIXELS + BYTE_PIXELS * count;
}

size_t rv_view_picture_most_bytes(size_t count) {
  return 3 * sizeof(float) * most_pixels(count);
}

static RvResult check_size(const char* name, size_t count, int64_t width, int64_t height, RvError* error) {
  char size[64];
  snprintf(size, sizeof size, "%lld x %lld", (long long)width, (long long)height);
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE)
    return rv_fail(error, RV_BAD_FILE, "cannot read '%s': it says that it has %s pixels; 1 to %d a side are read", name,
                   size, MAX_SIDE);
  if ((size_t)width * (size_t)height > most_pixels(count))
    return rv_fail(
        error, RV_BAD_FILE,
        "cannot read '%s': it says that it has %s pixels, more than its %zu bytes can hold; it is damaged, or "
        "of one colour, and then a small picture does",
        name, size, count);
  return RV_OK;
}

RvResult rv_view_picture_room(const char* name, size_t count, int64_t width, int64_t height, float** rgb,
                              RvError* error) {
  *rgb = NULL;
  RvResult result = check_size(name, count, width, height, error);
  if (result) return result;
  *rgb = rv_alloc_zero((size_t)width * (size_t)height, 3 * sizeof(float));
  return *rgb ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory to read '%s'", name);
}

// Linear light of an sRGB byte (IEC 61966-2-1).
static float linear(uint8_t byte) {
  double x = byte / 255.0;
  return (float)(x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4));
}

bool rv_view_png_lacks_memory(const char* message) {
  // "out of memory" and "Out of memory"
  return strstr(message, "ut of memory") || strstr(message, "insufficient memory");
}

// Why libpng refused a picture.
static RvResult refuse_png(const png_image* image, const char* name, RvError* error) {
  if (rv_view_png_lacks_memory(image->message)) return rv_fail(error, RV_NO_MEMORY, "out of memory to read '%s'", name);
  return rv_fail(error, RV_BAD_FILE, "cannot read '%s': it is not a whole .png picture", name);
}

// Reads the pixels of an open picture into room for them.
static RvResult read_png_pixels(png_image* image, const char* name, uint8_t** srgb, RvError* error) {
  image->format = PNG_FORMAT_RGB;
  *srgb = rv_alloc((size_t)image->width * image->height, 3);
  if (!*srgb) return rv_fail(error, RV_NO_MEMORY, "out of memory to read '%s'", name);
  rv_foreign_enter("libpng");
  bool good = png_image_finish_read(image, NULL, *srgb, 0, NULL);
  rv_foreign_leave();
  if (good) return RV_OK;
  rv_free(*srgb);
  *srgb = NULL;
  return refuse_png(image, name, error);
}

RvResult rv_view_decode_srgb(const char* name, const void* bytes, size_t count, int* width, int* height, uint8_t** srgb,
                             RvError* error) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  *srgb = NULL;
  rv_foreign_enter("libpng");
  bool good = png_image_begin_read_from_memory(&image, bytes, count);
  rv_foreign_leave();
  RvResult result = good ? check_size(name, count, image.width, image.height, error) : refuse_png(&image, name, error);
  if (!result) result = read_png_pixels(&image, name, srgb, error);
  png_image_free(&image);
  *width = (int)image.width;
  *height = (int)image.height;
  return result;
}

RvResult rv_view_decode_png(const char* name, const void* bytes, size_t count, int* width, int* height, float** rgb,
                            RvError* error) {
  uint8_t* srgb;
  *rgb = NULL;
  RvResult result = rv_view_decode_srgb(name, bytes, count, width, height, &srgb, error);
  if (result) return result;
  size_t values = 3 * (size_t)*width * (size_t)*height;
  *rgb = rv_alloc(values, sizeof(float));
  if (!*rgb) result = rv_fail(error, RV_NO_MEMORY, "out of memory to read '%s'", name);
  float table[256];
  for (int i = 0; i < 256; ++i) table[i] = linear((uint8_t)i);
  for (size_t i = 0; !result && i < values; ++i) (*rgb)[i] = table[srgb[i]];
  rv_free(srgb);
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

// Reads the lines before the pixels; false if they are not those of a picture whose rows begin at the top left.
static bool read_header(Stream* s, int* width, int* height) {
  char line[128];
  bool good = next_line(s, line) && strncmp(line, "#?", 2) == 0;
  while (good && *line) good = next_line(s, line);
  return good && next_line(s, line) && sscanf(line, "-Y %d +X %d", height, width) == 2;
}

RvResult rv_view_decode_hdr(const char* name, const void* bytes, size_t count, int* width, int* height, float** rgb,
                            RvError* error) {
  Stream s = {bytes, (const uint8_t*)bytes + count};
  uint8_t* row = NULL;
  *rgb = NULL;
  *width = 0;
  *height = 0;
  bool good = read_header(&s, width, height);
  RvResult result = good ? rv_view_picture_room(name, count, *width, *height, rgb, error) : RV_OK;
  if (!result && good && !(row = rv_alloc((size_t)*width, 4)))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory to read '%s'", name);
  if (!result && (!good || !read_pixels(&s, *width, *height, row, *rgb)))
    result = rv_fail(error, RV_BAD_FILE,
                     "cannot read '%s': it is not a whole Radiance .hdr picture with rows from the "
                     "top and pixels from the left",
                     name);
  if (result) {
    rv_free(*rgb);
    *rgb = NULL;
  }
  rv_free(row);
  return result;
}
