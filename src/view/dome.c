// Domes: latitude-longitude images, sampled in proportion to their brightness, and the built-in studio.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "view/lamp.h"

enum { STUDIO_WIDTH = 256, STUDIO_HEIGHT = 128 };

static const double LEAST_SHARE = 1e-4;  // of the mean brightness that a pixel counts, so that none is never sampled
static const double LEAST_SINE = 1e-6;   // of the angle to the pole

void rv_view_dome_free(RvDome* dome) {
  if (!dome) return;
  rv_free(dome->rgb);
  rv_free(dome->rows);
  rv_free(dome->columns);
  rv_free(dome);
}

// Sums within the rows and over the rows. A pixel counts by its brightness and its solid angle.
static void sum_image(RvDome* d) {
  size_t w = (size_t)d->width;
  double mean = 0;
  for (size_t i = 0; i < 3 * w * (size_t)d->height; ++i) mean += d->rgb[i];
  mean = LEAST_SHARE * mean / (double)(w * (size_t)d->height) + 1e-30;
  for (int y = 0; y < d->height; ++y) {
    const float* row = d->rgb + 3 * w * (size_t)y;
    float* to = d->columns + (w + 1) * (size_t)y;
    double sum = 0;
    for (size_t x = 0; x < w; ++x) sum += (double)row[3 * x] + row[3 * x + 1] + row[3 * x + 2] + mean;
    double below = 0;
    for (size_t x = 0; x < w; ++x) {
      to[x] = (float)(below / sum);
      below += (double)row[3 * x] + row[3 * x + 1] + row[3 * x + 2] + mean;
    }
    to[w] = 1;
    d->rows[y + 1] = d->rows[y] + sum * sin(RV_PI * (y + 0.5) / d->height);
  }
  for (int y = 0; y <= d->height; ++y) d->rows[y] /= d->rows[d->height];
}

RvResult rv_view_dome_make(int width, int height, const float* rgb, RvDome** dome, RvError* error) {
  size_t pixels = (size_t)width * (size_t)height;
  RvDome* d = rv_alloc_zero(1, sizeof *d);
  *dome = d;
  if (d) {
    d->width = width;
    d->height = height;
    d->rgb = rv_alloc(pixels, 3 * sizeof(float));
    d->rows = rv_alloc_zero((size_t)height + 1, sizeof(double));
    d->columns = rv_alloc((size_t)height * ((size_t)width + 1), sizeof(float));
  }
  if (!d || !d->rgb || !d->rows || !d->columns) {
    rv_view_dome_free(d);
    *dome = NULL;
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the image of a dome");
  }
  for (size_t i = 0; i < 3 * pixels; ++i) d->rgb[i] = isfinite(rgb[i]) && rgb[i] > 0 ? rgb[i] : 0;
  sum_image(d);
  return RV_OK;
}

RvResult rv_view_dome_load(const char* path, RvDome** dome, RvError* error) {
  int width, height;
  float* rgb = NULL;
  RvResult result = rv_view_read_picture(path, &width, &height, &rgb, error);
  if (!result) result = rv_view_dome_make(width, height, rgb, dome, error);
  rv_free(rgb);
  return result;
}

//---------------------------------------------------------------------------------------------- directions

// Place of a direction in the image, 0 to 1 from the left and from the top.
static void place_of(RvVec3 d, double* x, double* y) {
  *x = 0.5 + atan2(d.x, -d.z) / (2 * RV_PI);
  *y = acos(rv_clamp(d.y, -1, 1)) / RV_PI;
}

// Pixel of a coordinate.
static int pixel_of(double x, int count) {
  return (int)rv_clamp(floor(x * count), 0, count - 1);
}

RvVec3 rv_view_dome_radiance(const RvDome* d, RvVec3 direction, bool smooth) {
  double x, y;
  place_of(direction, &x, &y);
  if (!smooth)
    return rv_vec3_load(d->rgb +
                        3 * ((size_t)pixel_of(y, d->height) * (size_t)d->width + (size_t)pixel_of(x, d->width)));
  // Bilinear, around the seam too.
  double u = x * d->width - 0.5, v = rv_clamp(y * d->height - 0.5, 0, d->height - 1);
  double left = floor(u), top = floor(v);
  RvVec3 sum = {0, 0, 0};
  for (int k = 0; k < 4; ++k) {
    double wx = k & 1 ? u - left : 1 - (u - left), wy = k & 2 ? v - top : 1 - (v - top);
    int column = ((int)left + (k & 1) + d->width) % d->width;
    int row = (int)top + (k >> 1) < d->height ? (int)top + (k >> 1) : d->height - 1;
    sum = rv_mad(sum, wx * wy, rv_vec3_load(d->rgb + 3 * ((size_t)row * (size_t)d->width + (size_t)column)));
  }
  return sum;
}

// Density of a pixel's directions per solid angle.
static double pixel_density(const RvDome* d, int x, int y, double sine) {
  const float* row = d->columns + ((size_t)d->width + 1) * (size_t)y;
  double share = (d->rows[y + 1] - d->rows[y]) * ((double)row[x + 1] - row[x]);
  return share * d->width * d->height / (2 * RV_PI * RV_PI * fmax(sine, LEAST_SINE));
}

double rv_view_dome_density(const RvDome* d, RvVec3 direction) {
  double x, y;
  place_of(direction, &x, &y);
  return pixel_density(d, pixel_of(x, d->width), pixel_of(y, d->height), sin(RV_PI * y));
}

RvVec3 rv_view_dome_sample(const RvDome* d, const double u[2], double* density) {
  // Row and column by bisection of the sums, then a point within the pixel.
  int y = 0, x = 0;
  for (int lo = 0, hi = d->height; lo < hi;) {
    y = (lo + hi) / 2;
    if (d->rows[y + 1] <= u[0])
      lo = y + 1;
    else
      hi = y;
    y = lo < d->height ? lo : d->height - 1;
  }
  const float* row = d->columns + ((size_t)d->width + 1) * (size_t)y;
  for (int lo = 0, hi = d->width; lo < hi;) {
    x = (lo + hi) / 2;
    if (row[x + 1] <= u[1])
      lo = x + 1;
    else
      hi = x;
    x = lo < d->width ? lo : d->width - 1;
  }
  double down = (u[0] - d->rows[y]) / fmax(d->rows[y + 1] - d->rows[y], 1e-300);
  double across = (u[1] - row[x]) / fmax((double)row[x + 1] - row[x], 1e-300);
  double polar = RV_PI * (y + rv_clamp(down, 0, 1)) / d->height;
  double azimuth = 2 * RV_PI * ((x + rv_clamp(across, 0, 1)) / d->width - 0.5);
  double sine = sin(polar);
  *density = pixel_density(d, x, y, sine);
  return rv_vec3(sine * sin(azimuth), cos(polar), -sine * cos(azimuth));
}

//---------------------------------------------------------------------------------------------- the studio

// A soft box of the studio: direction, half sides (tangents), radiance.
typedef struct Panel {
  RvVec3 direction;
  double wide, high;
  RvVec3 radiance;
} Panel;

// Key from the upper left front, rim from the upper right behind, fill from the right; the subject faces +z.
static const Panel PANELS[3] = {
    {{-0.62, 0.55, 0.56}, 0.36, 0.5, {17, 15.6, 13.8}},
    {{0.66, 0.42, -0.62}, 0.14, 0.42, {24, 25, 27}},
    {{0.86, 0.1, 0.5}, 0.5, 0.8, {1.2, 1.32, 1.5}},
};

// Share of a panel in a direction: 1 inside, with a soft edge.
static double in_panel(const Panel* p, RvVec3 d) {
  const double edge = 0.05;
  RvVec3 n = rv_normalize(p->direction, p->direction);
  double along = rv_dot(d, n);
  if (along < 0.2) return 0;
  RvVec3 right = rv_normalize(rv_cross(n, rv_vec3(0, 1, 0)), n), up = rv_cross(right, n);
  double x = (p->wide - fabs(rv_dot(d, right) / along)) / edge, y = (p->high - fabs(rv_dot(d, up) / along)) / edge;
  return rv_clamp(x + 0.5, 0, 1) * rv_clamp(y + 0.5, 0, 1);
}

RvResult rv_view_dome_studio(const double factors[3], RvDome** dome, RvError* error) {
  float* rgb = rv_alloc((size_t)STUDIO_WIDTH * STUDIO_HEIGHT, 3 * sizeof(float));
  if (!rgb) return rv_fail(error, RV_NO_MEMORY, "out of memory for the image of a dome");
  for (int y = 0; y < STUDIO_HEIGHT; ++y)
    for (int x = 0; x < STUDIO_WIDTH; ++x) {
      double polar = RV_PI * (y + 0.5) / STUDIO_HEIGHT, azimuth = 2 * RV_PI * ((x + 0.5) / STUDIO_WIDTH - 0.5);
      RvVec3 d = rv_vec3(sin(polar) * sin(azimuth), cos(polar), -sin(polar) * cos(azimuth));
      // Walls that are brighter above, as lit by the lamps.
      double up = rv_clamp(0.5 + 0.5 * d.y, 0, 1);
      RvVec3 c = rv_lerp(rv_vec3(0.06, 0.058, 0.055), rv_vec3(0.3, 0.32, 0.35), up * up);
      for (int k = 0; k < 3; ++k) c = rv_mad(c, in_panel(&PANELS[k], d) * factors[k], PANELS[k].radiance);
      rv_vec3_store(rgb + 3 * (y * STUDIO_WIDTH + x), c);
    }
  RvResult result = rv_view_dome_make(STUDIO_WIDTH, STUDIO_HEIGHT, rgb, dome, error);
  rv_free(rgb);
  return result;
}
