// Stroke font for PNG sheets, which needs no installed fonts. A capital is 14 units high, a small letter 10.
#include <stdbool.h>
#include <stddef.h>

#include "view/sheet_items.h"

enum {
  CAP = 14,         // height of a capital, units
  GAP = 4,          // between characters, units
  MAX_POINTS = 32,  // of one stroke
  SPLIT = 5         // segments between two points of a curved stroke
};

// Strokes are separated by semicolons; ~ before a stroke makes it a smooth curve through its points.
typedef struct Glyph {
  int width;
  const char* strokes;
} Glyph;

#define BOWL_RIGHT ";~0,7 1,9 4,10 7,9 8,5 7,1 4,0 1,1 0,3"
#define BOWL_LEFT ";~8,7 7,9 4,10 1,9 0,5 1,1 4,0 7,1 8,3"
#define ROUND "~5,0 2,1 0,5 0,9 2,13 5,14 8,13 10,9 10,5 8,1 5,0"
#define OPEN "~10,11 8,13 5,14 2,13 0,9 0,5 2,1 5,0 8,1 10,3"
#define SNAKE "~9,12 7,14 4,14 1,12 1,9 4,7 7,6 9,4 8,1 5,0 2,0 0,2"
#define HALF "0,0 0,14 5,14;0,6 5,6;~5,14 8,13 9,10 8,7 5,6"

// Width in units and strokes of the characters from ' ' to '~'.
static const Glyph glyphs[] = {
    {3, ""},
    {2, "1,14 1,4;1,0 1,1"},
    {5, "1,14 1,11;4,14 4,11"},
    {10, "2,0 4,14;6,0 8,14;0,4 9,4;1,10 10,10"},
    {9, SNAKE ";5,16 5,-2"},
    {10, "0,0 10,14;~2,9 0,11 2,14 4,11 2,9;~8,0 6,3 8,5 10,3 8,0"},
    {10, "~9,6 7,1 4,0 1,1 0,4 2,7 5,9 6,12 4,14 2,12 3,9;3,9 10,0"},
    {2, "1,14 1,11"},
    {3, "~3,16 1,12 0,6 1,0 3,-4"},
    {3, "~0,16 2,12 3,6 2,0 0,-4"},
    {8, "4,13 4,7;1,12 7,8;1,8 7,12"},
    {8, "0,6 8,6;4,2 4,10"},
    {2, "1,1 0,-2"},
    {6, "0,6 6,6"},
    {2, "1,0 1,1"},
    {6, "0,-2 6,15"},
    {8, "~4,0 1,2 0,7 1,12 4,14 7,12 8,7 7,2 4,0"},
    {8, "1,11 4,14 4,0"},
    {8, "~0,11 1,13 4,14 7,13 8,10 6,6;6,6 0,0 8,0"},
    {8, "~0,12 2,14 5,14 7,13 8,11 7,8 4,7;~4,7 7,6 8,4 7,1 4,0 2,0 0,2"},
    {8, "6,0 6,14 0,4 8,4"},
    {8, "7,14 1,14 0,7;~0,7 2,9 4,9 7,8 8,5 7,1 4,0 1,0 0,2"},
    {8, "~7,13 5,14 2,12 0,8 0,4 1,1 4,0 7,1 8,4 7,8 4,9 1,8 0,5"},
    {8, "0,14 8,14 3,0"},
    {8, "~4,7 1,8 0,11 1,13 4,14 7,13 8,11 7,8 4,7;~4,7 1,6 0,4 1,1 4,0 7,1 8,4 7,6 4,7"},
    {8, "~1,1 3,0 6,2 8,6 8,10 7,13 4,14 1,13 0,10 1,6 4,5 7,6 8,9"},
    {2, "1,0 1,1;1,8 1,9"},
    {2, "1,1 0,-2;1,8 1,9"},
    {8, "8,11 0,6 8,1"},
    {8, "0,4 8,4;0,8 8,8"},
    {8, "0,11 8,6 0,1"},
    {7, "~0,11 1,13 4,14 7,12 7,9 4,6;4,6 4,4;4,0 4,1"},
    {11, "~7,7 5,9 3,7 4,5 7,6;~7,9 7,5 9,4 11,6 10,11 6,14 1,11 0,5 3,0 8,0"},
    {10, "0,0 5,14 10,0;2,5 8,5"},
    {10, "5,0 0,0 0,14 5,14;0,7 5,7;~5,14 8,13 9,11 8,8 5,7;~5,7 9,6 10,4 9,1 5,0"},
    {10, OPEN},
    {10, "4,0 0,0 0,14 4,14;~4,14 8,13 10,9 10,5 8,1 4,0"},
    {9, "9,0 0,0 0,14 9,14;0,7 7,7"},
    {9, "0,0 0,14 9,14;0,7 7,7"},
    {10, OPEN ";10,3 10,7 6,7"},
    {10, "0,0 0,14;10,0 10,14;0,7 10,7"},
    {2, "1,0 1,14"},
    {6, "6,14 6,4;~6,4 5,1 3,0 0,1"},
    {10, "0,0 0,14;9,14 0,5;3,8 10,0"},
    {8, "0,14 0,0 8,0"},
    {12, "0,0 0,14 6,4 12,14 12,0"},
    {10, "0,0 0,14 10,0 10,14"},
    {10, ROUND},
    {9, HALF},
    {10, ROUND ";6,3 10,-1"},
    {9, HALF ";4,6 9,0"},
    {9, SNAKE},
    {10, "0,14 10,14;5,14 5,0"},
    {10, "0,14 0,4;~0,4 1,1 5,0 9,1 10,4;10,4 10,14"},
    {10, "0,14 5,0 10,14"},
    {14, "0,14 3,0 7,11 11,0 14,14"},
    {10, "0,0 10,14;0,14 10,0"},
    {10, "0,14 5,7 10,14;5,7 5,0"},
    {10, "0,14 10,14 0,0 10,0"},
    {3, "3,16 0,16 0,-3 3,-3"},
    {6, "0,15 6,-2"},
    {3, "0,16 3,16 3,-3 0,-3"},
    {8, "0,9 4,14 8,9"},
    {8, "0,-2 8,-2"},
    {2, "0,14 2,11"},
    {8, "8,10 8,0" BOWL_LEFT},
    {8, "0,14 0,0" BOWL_RIGHT},
    {8, "~8,8 7,9 4,10 1,9 0,5 1,1 4,0 7,1 8,2"},
    {8, "8,14 8,0" BOWL_LEFT},
    {8, "0,5 8,5;~8,5 8,8 6,10 4,10 1,9 0,5 1,1 4,0 7,1 8,2"},
    {5, "~5,14 3,14 2,12 2,10;2,10 2,0;0,10 5,10"},
    {8, "8,10 8,-1;~8,-1 7,-3 4,-4 1,-3" BOWL_LEFT},
    {8, "0,14 0,0;~0,7 2,9 5,10 7,9 8,7;8,7 8,0"},
    {2, "1,10 1,0;1,13 1,14"},
    {4, "3,10 3,-2;~3,-2 2,-4 0,-4;3,13 3,14"},
    {8, "0,14 0,0;7,10 0,4;3,6 8,0"},
    {2, "1,14 1,0"},
    {12, "0,10 0,0;~0,7 2,9 4,10 6,9 6,7;6,7 6,0;~6,7 8,9 10,10 12,9 12,7;12,7 12,0"},
    {8, "0,10 0,0;~0,7 2,9 5,10 7,9 8,7;8,7 8,0"},
    {8, "~4,0 1,1 0,5 1,9 4,10 7,9 8,5 7,1 4,0"},
    {8, "0,10 0,-4" BOWL_RIGHT},
    {8, "8,10 8,-4" BOWL_LEFT},
    {5, "0,10 0,0;~0,6 1,9 3,10 5,10"},
    {7, "~7,9 5,10 3,10 1,9 1,7 4,5 7,3 7,1 5,0 2,0 0,1"},
    {5, "2,13 2,3;~2,3 3,0 5,0;0,10 5,10"},
    {8, "0,10 0,3;~0,3 1,1 3,0 6,1 8,3;8,10 8,0"},
    {8, "0,10 4,0 8,10"},
    {12, "0,10 3,0 6,8 9,0 12,10"},
    {8, "0,0 8,10;0,10 8,0"},
    {8, "0,10 4,0;8,10 4,0 2,-4 0,-4"},
    {7, "0,10 7,10 0,0 7,0"},
    {4, "~4,16 2,15 2,11 2,8 0,6 2,4 2,1 2,-3 4,-4"},
    {2, "1,16 1,-4"},
    {4, "~0,16 2,15 2,11 2,8 4,6 2,4 2,1 2,-3 0,-4"},
    {8, "~0,5 2,7 4,6 6,5 8,7"},
};
_Static_assert(sizeof glyphs / sizeof *glyphs == '~' - ' ' + 1, "a glyph for every printing character");

// Reads an integer; returns the position behind it.
static const char* read_number(const char* c, double* out) {
  bool minus = *c == '-';
  *out = 0;
  for (c += minus; *c >= '0' && *c <= '9'; ++c) *out = 10 * *out + (*c - '0');
  if (minus) *out = -*out;
  return c;
}

// Uniform Catmull-Rom spline between b and c.
static double spline(double a, double b, double c, double d, double t) {
  return 0.5 * (2 * b + t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a))));
}

// Samples a spline through the points; the curve is closed if it ends where it begins. Returns the number of points.
static size_t smooth(size_t n, const double* p, double* out) {
  bool closed = p[0] == p[2 * n - 2] && p[1] == p[2 * n - 1];
  size_t count = 0;
  for (size_t i = 0; i + 1 < n; ++i)
    for (int k = 0; k < SPLIT + (i + 2 == n); ++k, ++count) {
      size_t before = i > 0 ? i - 1 : closed ? n - 2 : 0;
      size_t after = i + 2 < n ? i + 2 : closed ? 1 : n - 1;
      for (size_t c = 0; c < 2; ++c)
        out[2 * count + c] =
            spline(p[2 * before + c], p[2 * i + c], p[2 * i + 2 + c], p[2 * after + c], (double)k / SPLIT);
    }
  return count;
}

// Calls fn for each stroke of a character at x.
static void draw_glyph(const Glyph* g, double x, RvStrokeFn* fn, void* user) {
  for (const char* c = g->strokes; *c;) {
    double p[2 * MAX_POINTS], fine[2 * (MAX_POINTS * SPLIT + 1)];
    size_t n = 0;
    bool curved = *c == '~';
    for (c += curved; *c && *c != ';' && n < MAX_POINTS; ++n) {
      c = read_number(c, &p[2 * n]) + 1;
      c = read_number(c, &p[2 * n + 1]);
      while (*c == ' ') ++c;
    }
    if (*c == ';') ++c;
    size_t count = curved ? smooth(n, p, fine) : n;
    double* out = curved ? fine : p;
    for (size_t i = 0; i < count; ++i) {
      out[2 * i] = (x + out[2 * i]) / CAP;
      out[2 * i + 1] /= CAP;
    }
    fn(user, count, out);
  }
}

double rv_view_sheet_strokes(const char* text, size_t count, RvStrokeFn* fn, void* user) {
  double x = 0;
  for (size_t i = 0; i < count; ++i) {
    const Glyph* g = &glyphs[text[i] >= ' ' && text[i] <= '~' ? text[i] - ' ' : '?' - ' '];
    if (fn) draw_glyph(g, x, fn, user);
    x += g->width + GAP;
  }
  return count ? (x - GAP) / CAP : 0;
}
