// Contents of a sheet, shared by its SVG and PNG writers.
#ifndef RV_VIEW_SHEET_ITEMS_H
#define RV_VIEW_SHEET_ITEMS_H

#include "base/array.h"
#include "view/sheet.h"

typedef enum RvSheetKind { RV_SHEET_AREA, RV_SHEET_LINE, RV_SHEET_TEXT, RV_SHEET_PICTURE } RvSheetKind;

typedef struct RvSheetItem {
  RvSheetKind kind;
  uint32_t color;
  size_t first, count;  // points of areas and lines, characters of texts, bytes of pictures
  double width, dash;   // of lines
  double x, y, size;    // of texts
  RvSheetAnchor anchor;
  double box[4];  // of pictures: x, y, width, height
  int columns, rows;
} RvSheetItem;

struct RvSheet {
  double width, height;
  RV_ARRAY(RvSheetItem) items;
  RV_ARRAY(double) points;  // x y
  RV_ARRAY(char) chars;
  RV_ARRAY(uint8_t) bytes;  // r g b
  bool failed;              // out of memory
};

// One stroke of a letter, x y x y ... in heights of a capital letter, y up from the baseline.
typedef void RvStrokeFn(void* user, size_t count, const double* xy);
// Calls fn for every stroke of the text from x = 0 on; returns the text's width. `fn` may be NULL.
double rv_view_sheet_strokes(const char* text, size_t count, RvStrokeFn* fn, void* user);

RvResult rv_view_sheet_write_png(const RvSheet* sheet, const char* path, RvError* error);

#endif
