// Contact sheet of a wedge: a grid of pictures, each with its values below.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "cli/wedge.h"
#include "view/sheet.h"

enum {
  CELL = 320,          // width of a picture, units of the sheet
  PICTURE = 180,       // height of a picture
  LINE = 15,           // height of a line of text
  EDGE = 14,           // space between pictures
  MAX_COLUMNS = 8,     // of the last parameter, which else does not set the columns
  MAX_CHARACTERS = 44  // of a label; more would run into the next picture
};
#define INK 0x222222
#define FAULT 0xb03030
#define EMPTY 0xdddddd

// Columns of the sheet: a row shows the values of the last parameter, unless there are very many.
static size_t columns_of(const RvWedge* w) {
  size_t last = w->axes[w->naxis - 1].count;
  return w->naxis > 1 && last <= MAX_COLUMNS ? last : w->count <= 4 ? w->count : (size_t)ceil(sqrt((double)w->count));
}

// Writes the values of a variation below its picture.
static RvResult label(RvSheet* s, const RvWedge* w, size_t index, double x, double y, RvError* error) {
  for (size_t axis = 0; axis < w->naxis; ++axis) {
    char* text = rv_cli_wedge_assignment(w, index, axis);
    if (!text) return rv_fail(error, RV_NO_MEMORY, "out of memory");
    if (strlen(text) > MAX_CHARACTERS) memcpy(text + MAX_CHARACTERS - 3, "...", 4);
    rv_view_sheet_text(s, x + CELL / 2.0, y + PICTURE + LINE * (double)(axis + 1), 11, RV_SHEET_MIDDLE, INK, text);
    rv_free(text);
  }
  return RV_OK;
}

// Tells why a picture that should be there is not on the sheet.
static void print_missing(size_t index, const RvError* why) {
  fprintf(stderr, "w%04zu is marked as failed: ", index);
  rv_cli_put(stderr, why->text);
  fputc('\n', stderr);
}

// Draws the picture of a variation, or marks it as failed.
static RvResult cell(RvSheet* s, const RvWedge* w, size_t index, double x, double y, RvError* error) {
  char* path = rv_cli_wedge_path(w, index, "still.png");
  RvError why = {0};
  if (!path) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  bool done = false;
  RvResult result = rv_cli_wedge_is_done(w, index, &done, error);
  if (!result && done && rv_view_sheet_picture(s, x, y, CELL, PICTURE, path, &why)) {
    // A picture that cannot be read is one that failed; lack of memory is not.
    done = false;
    if (why.code == RV_NO_MEMORY)
      result = rv_fail(error, why.code, "%s", why.text);
    else
      print_missing(index, &why);
  }
  if (!done) {
    rv_view_sheet_rect(s, x, y, CELL, PICTURE, EMPTY);
    rv_view_sheet_text(s, x + CELL / 2.0, y + PICTURE / 2.0, 18, RV_SHEET_MIDDLE, FAULT, "failed");
  }
  if (!result) result = label(s, w, index, x, y, error);
  rv_free(path);
  return result;
}

RvResult rv_cli_wedge_sheet(const RvWedge* w, RvError* error) {
  size_t columns = columns_of(w), rows = (w->count + columns - 1) / columns;
  double wide = CELL + EDGE, high = PICTURE + EDGE + LINE * (double)w->naxis;
  RvSheet* s = rv_view_sheet_new(EDGE + wide * (double)columns, EDGE + high * (double)rows);
  char* path = rv_strf("%s/sheet.png", w->dir);
  RvResult result = s && path ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < w->count && !result; ++i)
    result = cell(s, w, i, EDGE + wide * (double)(i % columns), EDGE + high * (double)(i / columns), error);
  if (!result) result = rv_view_sheet_write(s, path, error);
  rv_view_sheet_free(s);
  rv_free(path);
  return result;
}
