// PNG writer of sheets: antialiased lines by their distance to a pixel, areas by exact pixel coverage, texts,
// pictures.
#include <math.h>
#include <png.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "math/scalar.h"
#include "view/picture.h"
#include "view/sheet_items.h"

static const double CAPITAL = 0.72;         // height of a capital over the font size
static const double LEAST_DASH = 1e-6;      // of a dash: step past rounding errors
static const double LEAST_WIDTH = 1e-9;     // pixels that an edge must span to be sloped
static const double COVERAGE_NOISE = 1e-4;  // rounding of the prefix sums
static const double STROKE = 0.055;         // half width of a stroke over the height of a capital

typedef struct Canvas {
  int width, height;
  uint8_t* rgb;
  float* cover;        // [height][width] coverage of the current item, 0 to 1
  int x0, y0, x1, y1;  // pixels that the current item may cover
} Canvas;

// Clears the coverage of the last item and sets the box of the next.
static void begin(Canvas* c, double x0, double y0, double x1, double y1) {
  for (int y = c->y0; y < c->y1; ++y)
    memset(c->cover + (size_t)y * (size_t)c->width + c->x0, 0, (size_t)(c->x1 - c->x0) * sizeof *c->cover);
  c->x0 = (int)rv_clamp(floor(x0) - 1, 0, c->width);
  c->x1 = (int)rv_clamp(ceil(x1) + 2, c->x0, c->width);
  c->y0 = (int)rv_clamp(floor(y0) - 1, 0, c->height);
  c->y1 = (int)rv_clamp(ceil(y1) + 2, c->y0, c->height);
}

// Blends a colour over the image by the coverage.
static void paint(Canvas* c, uint32_t color) {
  for (int y = c->y0; y < c->y1; ++y)
    for (int x = c->x0; x < c->x1; ++x) {
      size_t at = (size_t)y * (size_t)c->width + (size_t)x;
      double a = rv_clamp(fabs((double)c->cover[at]), 0, 1);
      for (int k = 0; a > 0 && k < 3; ++k) {
        double to = (double)((color >> (16 - 8 * k)) & 255), from = c->rgb[3 * at + (size_t)k];
        c->rgb[3 * at + (size_t)k] = (uint8_t)(from + a * (to - from) + 0.5);
      }
    }
}

//---------------------------------------------------------------------------------------------- lines

// Covers a segment with round ends: full within half the width of its centre line, fading over one pixel.
static void cover_segment(Canvas* c, double ax, double ay, double bx, double by, double half) {
  double dx = bx - ax, dy = by - ay, length2 = dx * dx + dy * dy, reach = half + 1;
  int x0 = (int)rv_clamp(floor(rv_min(ax, bx) - reach), c->x0, c->x1);
  int x1 = (int)rv_clamp(ceil(rv_max(ax, bx) + reach), c->x0, c->x1);
  int y0 = (int)rv_clamp(floor(rv_min(ay, by) - reach), c->y0, c->y1);
  int y1 = (int)rv_clamp(ceil(rv_max(ay, by) + reach), c->y0, c->y1);
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) {
      double px = x + 0.5 - ax, py = y + 0.5 - ay;
      double t = length2 > 0 ? rv_clamp((px * dx + py * dy) / length2, 0, 1) : 0;
      double ex = px - t * dx;
      double ey = py - t * dy;
      double a = rv_clamp(half + 0.5 - sqrt(ex * ex + ey * ey), 0, 1);
      float* to = c->cover + (size_t)y * (size_t)c->width + (size_t)x;
      if (a > *to) *to = (float)a;
    }
}

// Covers the dashes of a segment; *done: length of the line before the segment.
static void cover_dashes(Canvas* c, const double* a, const double* b, double half, double dash, double* done) {
  double length = hypot(b[0] - a[0], b[1] - a[1]), at = 0;
  while (at < length) {
    double phase = fmod(*done + at, 2 * dash);
    double left = phase < dash ? dash - phase : 2 * dash - phase;
    double end = rv_min(at + rv_max(left, LEAST_DASH * dash), length);
    double s = at / length;
    double t = end / length;
    if (phase < dash)
      cover_segment(c, a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]), a[0] + t * (b[0] - a[0]),
                    a[1] + t * (b[1] - a[1]), half);
    at = end;
  }
  *done += length;
}

// Bounding box of points.
static void box_of(const double* xy, size_t count, double scale, double box[4]) {
  box[0] = box[1] = 1e300;
  box[2] = box[3] = -1e300;
  for (size_t i = 0; i < count; ++i)
    for (int k = 0; k < 2; ++k) {
      box[k] = rv_min(box[k], scale * xy[2 * i + (size_t)k]);
      box[2 + k] = rv_max(box[2 + k], scale * xy[2 * i + (size_t)k]);
    }
}

// Draws a polyline, solid or dashed.
static void draw_line(Canvas* c, const RvSheet* s, const RvSheetItem* item, double scale) {
  const double* xy = s->points.data + 2 * item->first;
  double box[4], half = 0.5 * scale * item->width, done = 0;
  box_of(xy, item->count, scale, box);
  begin(c, box[0] - half, box[1] - half, box[2] + half, box[3] + half);
  for (size_t i = 0; i < item->count; ++i) {
    size_t j = i + 1 < item->count ? i + 1 : i;
    if (j == i && i > 0) break;
    double a[2] = {scale * xy[2 * i], scale * xy[2 * i + 1]}, b[2] = {scale * xy[2 * j], scale * xy[2 * j + 1]};
    if (item->dash > 0)
      cover_dashes(c, a, b, half, scale * item->dash, &done);
    else
      cover_segment(c, a[0], a[1], b[0], b[1], half);
  }
  paint(c, item->color);
}

//---------------------------------------------------------------------------------------------- areas

// Adds the signed area between an edge and the right border of the sheet to the pixels of its rows, stored as
// differences along the row: the prefix sum from the left is the coverage.
static void cover_edge(Canvas* c, double ax, double ay, double bx, double by) {
  double sign = 1;
  // Orient the edge downwards.
  if (ay > by) {
    double x = ax, y = ay;
    ax = bx;
    ay = by;
    bx = x;
    by = y;
    sign = -1;
  }
  if (!(by > ay)) return;
  // Clip the edge to each row and spread its height over the pixels that it crosses.
  double slope = (bx - ax) / (by - ay);
  int last = (int)rv_clamp(ceil(by), c->y0, c->y1);
  for (int y = (int)rv_clamp(floor(ay), c->y0, c->y1); y < last; ++y) {
    double top = rv_max(ay, y), bottom = rv_min(by, y + 1.0);
    if (!(bottom > top)) continue;
    double height = sign * (bottom - top);
    double l = ax + slope * (top - ay);
    double r = ax + slope * (bottom - ay);
    if (l > r) {
      double x = l;
      l = r;
      r = x;
    }
    l = rv_clamp(l, c->x0, c->x1 - 1.0);
    r = rv_clamp(r, c->x0, c->x1 - 1.0);
    float* row = c->cover + (size_t)y * (size_t)c->width;
    double before = 0, width = r - l;
    for (int x = (int)l; x < c->x1 && x <= (int)r + 1; ++x) {
      // Share of this pixel to the right of the edge, which also holds for all further pixels.
      double u = rv_clamp(x + 1.0 - l, 0, width);
      double v = rv_clamp(x - l, 0, width);
      double share = 1;
      if (x < r) share = width > LEAST_WIDTH ? (u * u - v * v) / (2 * width) + rv_max(x + 1.0 - r, 0) : x + 1.0 - l;
      row[x] += (float)(height * (share - before));
      before = share;
      if (share >= 1) break;
    }
  }
}

// Fills a polygon.
static void draw_area(Canvas* c, const RvSheet* s, const RvSheetItem* item, double scale) {
  const double* xy = s->points.data + 2 * item->first;
  double box[4];
  box_of(xy, item->count, scale, box);
  begin(c, box[0], box[1], box[2], box[3]);
  if (c->x1 <= c->x0) return;
  for (size_t i = 0; i < item->count; ++i) {
    size_t j = i + 1 < item->count ? i + 1 : 0;
    cover_edge(c, scale * xy[2 * i], scale * xy[2 * i + 1], scale * xy[2 * j], scale * xy[2 * j + 1]);
  }
  // Prefix sums turn the differences into coverage; rounding noise is cleared.
  for (int y = c->y0; y < c->y1; ++y) {
    double sum = 0;
    for (int x = c->x0; x < c->x1; ++x) {
      float* at = c->cover + (size_t)y * (size_t)c->width + (size_t)x;
      sum += *at;
      *at = fabs(sum) < COVERAGE_NOISE ? 0 : (float)sum;
    }
  }
  paint(c, item->color);
}

//---------------------------------------------------------------------------------------------- texts

// Position and size of a text, pixels.
typedef struct Pen {
  Canvas* canvas;
  double x, y;        // start of the baseline
  double size, half;  // height of a capital, half width of a stroke
} Pen;

// Covers one stroke of a character.
static void draw_stroke(void* user, size_t count, const double* xy) {
  const Pen* p = user;
  for (size_t i = 0; i + 1 < count || i == 0; ++i) {
    size_t j = i + 1 < count ? i + 1 : i;
    cover_segment(p->canvas, p->x + p->size * xy[2 * i], p->y - p->size * xy[2 * i + 1], p->x + p->size * xy[2 * j],
                  p->y - p->size * xy[2 * j + 1], p->half);
  }
}

// Draws a text with the stroke font.
static void draw_text(Canvas* c, const RvSheet* s, const RvSheetItem* item, double scale) {
  const char* text = s->chars.data + item->first;
  double size = CAPITAL * scale * item->size;
  double width = size * rv_view_sheet_strokes(text, item->count, NULL, NULL);
  double x = scale * item->x - (item->anchor == RV_SHEET_END ? width : item->anchor == RV_SHEET_MIDDLE ? width / 2 : 0);
  Pen pen = {c, x, scale * item->y, size, rv_max(STROKE * size, 0.5)};
  begin(c, x - size, pen.y - 1.5 * size, x + width + size, pen.y + 0.5 * size);
  rv_view_sheet_strokes(text, item->count, draw_stroke, &pen);
  paint(c, item->color);
}

//---------------------------------------------------------------------------------------------- pictures

// Source pixels [*a, *b) that pixel i of the sheet covers.
static void source_range(int i, double from, double step, int n, int* a, int* b) {
  *a = (int)rv_clamp((i - from) * step, 0, n - 1);
  *b = (int)rv_clamp(ceil((i + 1 - from) * step), *a + 1, n);
}

// Draws a scaled picture; each pixel is the mean of the source pixels that it covers.
static void draw_picture(Canvas* c, const RvSheet* s, const RvSheetItem* item, double scale) {
  const uint8_t* from = s->bytes.data + item->first;
  double x = scale * item->box[0], y = scale * item->box[1], w = scale * item->box[2], h = scale * item->box[3];
  int x0 = (int)rv_clamp(x, 0, c->width), x1 = (int)rv_clamp(x + w, x0, c->width);
  int y0 = (int)rv_clamp(y, 0, c->height), y1 = (int)rv_clamp(y + h, y0, c->height);
  for (int j = y0; j < y1; ++j)
    for (int i = x0; i < x1; ++i) {
      int i0, i1, j0, j1;
      unsigned sum[3] = {0}, count = 0;
      source_range(i, x, item->columns / w, item->columns, &i0, &i1);
      source_range(j, y, item->rows / h, item->rows, &j0, &j1);
      for (int r = j0; r < j1; ++r)
        for (int q = i0; q < i1; ++q, ++count)
          for (int k = 0; k < 3; ++k) sum[k] += from[3 * ((size_t)r * (size_t)item->columns + (size_t)q) + (size_t)k];
      for (int k = 0; k < 3; ++k)
        c->rgb[3 * ((size_t)j * (size_t)c->width + (size_t)i) + (size_t)k] = (uint8_t)((sum[k] + count / 2) / count);
    }
}

RvResult rv_view_sheet_picture(RvSheet* s, double x, double y, double width, double height, const char* path,
                               RvError* error) {
  enum { MAX_BYTES = 1 << 28 };
  void* file = NULL;
  size_t bytes = 0;
  int columns = 0, rows = 0;
  uint8_t* rgb = NULL;
  RvResult result = rv_file_read(path, MAX_BYTES, &file, &bytes, error);
  if (!result) result = rv_view_decode_srgb(path, file, bytes, &columns, &rows, &rgb, error);
  rv_free(file);
  if (result) return result;
  double fit = rv_min(width / columns, height / rows);
  double w = fit * columns;
  double h = fit * rows;
  RvSheetItem item = {.kind = RV_SHEET_PICTURE,
                      .first = s->bytes.count,
                      .count = 3 * (size_t)columns * (size_t)rows,
                      .box = {x + (width - w) / 2, y + (height - h) / 2, w, h},
                      .columns = columns,
                      .rows = rows};
  if (rv_array_resize(&s->bytes, item.first + item.count) && rv_array_push(&s->items, item))
    memcpy(s->bytes.data + item.first, rgb, item.count);
  else
    s->failed = true;
  rv_free(rgb);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- file

// The error of libpng when it writes.
static RvResult png_failure(const png_image* image, const char* path, RvError* error) {
  if (rv_view_png_lacks_memory(image->message)) return rv_fail(error, RV_NO_MEMORY, "out of memory for '%s'", path);
  return rv_fail(error, RV_SHIM, "libpng cannot write '%s': %s", path, image->message);
}

// Writes the image as a PNG file.
static RvResult encode_png(const Canvas* c, const char* path, RvError* error) {
  png_image image = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)c->width,
                     .height = (png_uint_32)c->height,
                     .format = PNG_FORMAT_RGB};
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
  void* memory = rv_alloc(bytes, 1);
  RvResult result = memory ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for '%s'", path);
  if (memory && !png_image_write_to_memory(&image, memory, &bytes, 0, c->rgb, 0, NULL))
    result = png_failure(&image, path, error);
  png_image_free(&image);
  if (!result) result = rv_file_write(path, memory, bytes, error);
  rv_free(memory);
  return result;
}

RvResult rv_view_sheet_write_png(const RvSheet* s, const char* path, RvError* error) {
  double scale = RV_SHEET_SCALE;
  Canvas c = {.width = (int)ceil(scale * s->width), .height = (int)ceil(scale * s->height)};
  size_t pixels = (size_t)c.width * (size_t)c.height;
  c.rgb = rv_alloc(pixels, 3);
  c.cover = rv_alloc_zero(pixels, sizeof *c.cover);
  RvResult result = c.rgb && c.cover ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) memset(c.rgb, 255, 3 * pixels);
  for (size_t i = 0; !result && i < s->items.count; ++i) {
    const RvSheetItem* item = &s->items.data[i];
    if (item->kind == RV_SHEET_AREA) draw_area(&c, s, item, scale);
    if (item->kind == RV_SHEET_LINE) draw_line(&c, s, item, scale);
    if (item->kind == RV_SHEET_TEXT) draw_text(&c, s, item, scale);
    if (item->kind == RV_SHEET_PICTURE) draw_picture(&c, s, item, scale);
  }
  if (!result) result = encode_png(&c, path, error);
  rv_free(c.rgb);
  rv_free(c.cover);
  return result;
}
