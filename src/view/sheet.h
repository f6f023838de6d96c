// A sheet of lines, areas and texts: drawn once, written as SVG and as PNG.
//
//   RvSheet* sheet = rv_view_sheet_new(800, 600);
//   rv_view_sheet_line(sheet, 2, (double[]){0, 0, 800, 600}, 1.5, 0x1f5fa8, 0);
//   rv_view_sheet_text(sheet, 400, 20, 14, RV_SHEET_MIDDLE, 0x222222, "a line");
//   if (!rv_view_sheet_write(sheet, "line.svg", &error)) rv_view_sheet_write(sheet, "line.png", &error);
//   rv_view_sheet_free(sheet);
//
// Units are pixels of the SVG, y down; the PNG has RV_SHEET_SCALE times as many. Colours are 0xrrggbb.
#ifndef RV_VIEW_SHEET_H
#define RV_VIEW_SHEET_H

#include "rivulet/base.h"

#define RV_SHEET_SCALE 1.5  // PNG pixels a unit of the sheet

typedef struct RvSheet RvSheet;
typedef enum RvSheetAnchor { RV_SHEET_START, RV_SHEET_MIDDLE, RV_SHEET_END } RvSheetAnchor;

// NULL when out of memory. If memory runs out while drawing, writing the sheet fails.
RvSheet* rv_view_sheet_new(double width, double height);
void rv_view_sheet_free(RvSheet* sheet);
// Notes that memory ran out for something to be drawn: writing the sheet then fails.
void rv_view_sheet_fail(RvSheet* sheet);
void rv_view_sheet_rect(RvSheet* sheet, double x, double y, double width, double height, uint32_t color);
// A closed polygon that does not cross itself, x y x y ...
void rv_view_sheet_area(RvSheet* sheet, size_t count, const double* xy, uint32_t color);
// `dash`: length of dashes and of the gaps between them; 0: none. One point is a dot.
void rv_view_sheet_line(RvSheet* sheet, size_t count, const double* xy, double width, uint32_t color, double dash);
// On the baseline y. Anything but printing ASCII becomes a question mark.
void rv_view_sheet_text(RvSheet* sheet, double x, double y, double size, RvSheetAnchor anchor, uint32_t color,
                        const char* text);
// Places a PNG file in a box, scaled to fit and centred. Only sheets written as .png can hold pictures.
RvResult rv_view_sheet_picture(RvSheet* sheet, double x, double y, double width, double height, const char* path,
                               RvError* error);

// Writes an SVG or PNG file, by the ending of the name; on failure no partial file remains.
RvResult rv_view_sheet_write(const RvSheet* sheet, const char* path, RvError* error);

#endif
