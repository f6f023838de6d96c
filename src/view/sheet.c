// Sheets of lines, areas and texts: collecting the items, and the SVG writer.
#include "view/sheet.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "parm/text.h"
#include "view/sheet_items.h"

static const double FARTHEST = 1e5;  // largest coordinate, units of the sheet

RvSheet* rv_view_sheet_new(double width, double height) {
  RvSheet* sheet = rv_alloc_zero(1, sizeof *sheet);
  if (sheet) {
    sheet->width = width;
    sheet->height = height;
  }
  return sheet;
}

void rv_view_sheet_fail(RvSheet* s) {
  s->failed = true;
}

void rv_view_sheet_free(RvSheet* sheet) {
  if (!sheet) return;
  rv_array_free(&sheet->items);
  rv_array_free(&sheet->points);
  rv_array_free(&sheet->chars);
  rv_array_free(&sheet->bytes);
  rv_free(sheet);
}

// Adds an area or a line with its points.
static void add_points(RvSheet* s, RvSheetItem item, size_t count, const double* xy) {
  item.first = s->points.count / 2;
  item.count = count;
  // Coordinates far outside the sheet are clamped, so that the writers can convert them to integers.
  for (size_t i = 0; i < 2 * count; ++i) {
    double x = xy[i] > -FARTHEST ? fmin(xy[i], FARTHEST) : -FARTHEST;
    if (!rv_array_push(&s->points, x)) s->failed = true;
  }
  if (s->failed || !rv_array_push(&s->items, item)) s->failed = true;
}

void rv_view_sheet_rect(RvSheet* s, double x, double y, double width, double height, uint32_t color) {
  rv_view_sheet_area(s, 4, (double[]){x, y, x + width, y, x + width, y + height, x, y + height}, color);
}

void rv_view_sheet_area(RvSheet* s, size_t count, const double* xy, uint32_t color) {
  if (count > 2) add_points(s, (RvSheetItem){.kind = RV_SHEET_AREA, .color = color}, count, xy);
}

void rv_view_sheet_line(RvSheet* s, size_t count, const double* xy, double width, uint32_t color, double dash) {
  if (count)
    add_points(s, (RvSheetItem){.kind = RV_SHEET_LINE, .color = color, .width = width, .dash = dash}, count, xy);
}

void rv_view_sheet_text(RvSheet* s, double x, double y, double size, RvSheetAnchor anchor, uint32_t color,
                        const char* text) {
  RvSheetItem item = {.kind = RV_SHEET_TEXT, .color = color, .x = x, .y = y, .size = size, .anchor = anchor};
  item.first = s->chars.count;
  item.count = strlen(text);
  for (const char* c = text; *c; ++c)
    if (!rv_array_push(&s->chars, *c >= ' ' && *c <= '~' ? *c : '?')) s->failed = true;
  if (s->failed || !rv_array_push(&s->items, item)) s->failed = true;
}

//---------------------------------------------------------------------------------------------- SVG

// Appends a point with two decimals.
static void add_place(RvText* t, double x, double y) {
  rv_text_addf(t, "%.6g,%.6g ", round(100 * x) / 100, round(100 * y) / 100);
}

// Appends a polyline.
static void svg_line(const RvSheet* s, const RvSheetItem* item, RvText* t) {
  const double* xy = s->points.data + 2 * item->first;
  rv_text_add(t, "<polyline points=\"");
  for (size_t i = 0; i < item->count; ++i) add_place(t, xy[2 * i], xy[2 * i + 1]);
  // A line of no length with round ends_with draws a dot.
  if (item->count == 1) add_place(t, xy[0], xy[1]);
  rv_text_addf(
      t, "\" fill=\"none\" stroke=\"#%06x\" stroke-width=\"%g\" stroke-linecap=\"round\" stroke-linejoin=\"round\"",
      item->color, item->width);
  if (item->dash > 0) rv_text_addf(t, " stroke-dasharray=\"%g\"", item->dash);
  rv_text_add(t, "/>\n");
}

// Appends a polygon.
static void svg_area(const RvSheet* s, const RvSheetItem* item, RvText* t) {
  const double* xy = s->points.data + 2 * item->first;
  rv_text_add(t, "<polygon points=\"");
  for (size_t i = 0; i < item->count; ++i) add_place(t, xy[2 * i], xy[2 * i + 1]);
  rv_text_addf(t, "\" fill=\"#%06x\"/>\n", item->color);
}

// Appends a text with XML escapes.
static void svg_text(const RvSheet* s, const RvSheetItem* item, RvText* t) {
  static const char* const anchors[] = {"start", "middle", "end"};
  rv_text_addf(t, "<text x=\"%.6g\" y=\"%.6g\" font-size=\"%g\" text-anchor=\"%s\" fill=\"#%06x\">", item->x, item->y,
               item->size, anchors[item->anchor], item->color);
  for (size_t i = 0; i < item->count; ++i) {
    char c = s->chars.data[item->first + i];
    if (c == '<')
      rv_text_add(t, "&lt;");
    else if (c == '>')
      rv_text_add(t, "&gt;");
    else if (c == '&')
      rv_text_add(t, "&amp;");
    else
      rv_text_add_bytes(t, &c, 1);
  }
  rv_text_add(t, "</text>\n");
}

// Writes all items as an SVG file.
static RvResult write_svg(const RvSheet* s, const char* path, RvError* error) {
  RvText t = {0};
  rv_text_addf(&t,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
               "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" xml:space=\"preserve\">\n"
               "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
               s->width, s->height, s->width, s->height);
  for (size_t i = 0; i < s->items.count; ++i) {
    const RvSheetItem* item = &s->items.data[i];
    if (item->kind == RV_SHEET_AREA) svg_area(s, item, &t);
    if (item->kind == RV_SHEET_LINE) svg_line(s, item, &t);
    if (item->kind == RV_SHEET_TEXT) svg_text(s, item, &t);
  }
  rv_text_add(&t, "</svg>\n");
  char* text = rv_text_done(&t);
  if (!text) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvResult result = rv_file_write(path, text, strlen(text), error);
  rv_free(text);
  return result;
}

// True if the text ends_with with a suffix.
static bool ends_with(const char* text, const char* with) {
  size_t n = strlen(text), m = strlen(with);
  return n > m && strcmp(text + n - m, with) == 0;
}

RvResult rv_view_sheet_write(const RvSheet* s, const char* path, RvError* error) {
  if (s->failed) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  bool pictures = s->bytes.count > 0;
  if (ends_with(path, ".svg") && pictures)
    return rv_fail(error, RV_UNSUPPORTED, "cannot write '%s': a sheet with pictures must be a .png file", path);
  if (ends_with(path, ".svg")) return write_svg(s, path, error);
  if (ends_with(path, ".png")) return rv_view_sheet_write_png(s, path, error);
  return rv_fail(error, RV_BAD_INPUT, "cannot write '%s': the name must end in .svg or .png", path);
}
