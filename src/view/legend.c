// Colour scales of the false-colour views, and the legend.
#include <math.h>
#include <stdio.h>

#include "math/scalar.h"
#include "view/view_scene.h"

enum { LABELS_IN_LEGEND = 12 };  // identifiers that the bar of a label view shows

static const double GOLDEN_RATIO = 0.6180339887498949;   // its fractional part
static const RvVec3 NO_DATA_COLOR = {0.18, 0.18, 0.18};  // middle grey, linear

// OKLab to linear sRGB (Ottosson 2020, "A perceptual color space for image processing", whose matrices these are):
// equal steps in lightness, a and b look equal.
static RvVec3 from_oklab(double lightness, double a, double b) {
  double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
  double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
  double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
  l = l * l * l;
  m = m * m * m;
  s = s * s * s;
  RvVec3 c = {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
              -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
              -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
  return rv_vec3(rv_clamp(c.x, 0, 1), rv_clamp(c.y, 0, 1), rv_clamp(c.z, 0, 1));
}

// Lightness rises linearly, so that the scale also reads in grey; the hue turns from violet (310 degrees) over blue and
// green to yellow (105 degrees). Chroma is lower in the middle, where sRGB cannot show more.
RvVec3 rv_view_color(double t) {
  double turn = rv_radians(310 - 205 * t), chroma = 0.15 - 0.18 * t * (1 - t);
  return from_oklab(0.34 + 0.56 * t, chroma * rv_cos(turn), chroma * rv_sin(turn));
}

// Consecutive labels differ in hue by the golden angle; lightness cycles through three steps.
RvVec3 rv_view_label_color(double label) {
  double n = floor(label + 0.5), turn = 2 * RV_PI * (n * GOLDEN_RATIO - floor(n * GOLDEN_RATIO));
  double step = n - 3 * floor(n / 3);
  return from_oklab(0.58 + 0.12 * step, 0.13 * rv_cos(turn), 0.13 * rv_sin(turn));
}

// Blends a colour over the pixels [x0, x1) x [y0, y1), clipped to the image.
static void fill(RvImage* image, int x0, int y0, int x1, int y1, RvVec3 color, double share) {
  for (int y = y0 > 0 ? y0 : 0; y < y1 && y < image->height; ++y)
    for (int x = x0 > 0 ? x0 : 0; x < x1 && x < image->width; ++x) {
      float* p = image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
      rv_vec3_store(p, rv_lerp(rv_vec3_load(p), color, share));
    }
}

// Colour of the bar at height t, 0 to 1.
static RvVec3 bar_color(const RvViewData* view, const double range[2], double t) {
  if (isnan(range[0])) return NO_DATA_COLOR;
  return view->label ? rv_view_label_color(floor(range[0] + t * LABELS_IN_LEGEND)) : rv_view_color(t);
}

void rv_view_draw_legend(RvImage* image, const RvViewData* view, const double range[2]) {
  const RvVec3 white = {0.92, 0.92, 0.92};    // text and ticks
  const RvVec3 dark = {0.012, 0.012, 0.014};  // panel behind them
  // Dots grow with the image, so that the text stays readable.
  int scale = image->height >= 2160 ? 4 : image->height >= 1080 ? 3 : image->height >= 360 ? 2 : 1;
  int line = 10 * scale;
  // Texts: the title with its unit, and the values at the bottom, middle and top of the bar.
  char title[64], ends[3][32];
  snprintf(title, sizeof title, "%s%s%s", view->title, *view->unit ? ", " : "", view->unit);
  for (int i = 0; i < 3; ++i) snprintf(ends[i], sizeof ends[i], "%.4g", range[0] + (range[1] - range[0]) * i / 2);
  bool none = isnan(range[0]);
  if (none) snprintf(ends[0], sizeof ends[0], "no '%s'", view->attribute);
  // Width of the legend: the widest text.
  int bar = image->height / 2;
  int wide = 8 * scale;
  int text = rv_view_text_width(title, scale);
  for (int i = 0; i < (none ? 1 : 3); ++i) {
    int w = wide + 6 * scale + rv_view_text_width(ends[i], scale);
    text = w > text ? w : text;
  }
  // Panel at the right border, title, bar and tick marks.
  int x = image->width - text - 3 * line / 2, y = (image->height - bar) / 2;
  fill(image, x - line / 2, y - 2 * line, x + text + line / 2, y + bar + line, dark, 0.8);
  rv_view_draw_text(image, title, x, y - 3 * line / 2, scale, white);
  for (int i = 0; i < bar; ++i)
    fill(image, x, y + i, x + wide, y + i + 1, bar_color(view, range, bar > 1 ? 1 - (double)i / (bar - 1) : 0), 1);
  for (int i = 0; i < (none ? 1 : 3); ++i) {
    // Identifiers have no middle value.
    if (view->label && i == 1) continue;
    int at = y + (none ? bar / 2 : bar - 1 - (bar - 1) * i / 2);
    if (!none) fill(image, x + wide, at, x + wide + 3 * scale, at + 1, white, 1);
    rv_view_draw_text(image, ends[i], x + wide + 6 * scale, at - 3 * scale, scale, white);
  }
}
