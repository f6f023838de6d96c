// Domes: latitude-longitude images, sampled in proportion to their brightness, and the built-in studio.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "math/scalar.h"
#include "view/light.h"

enum {
  STUDIO_WIDTH = 256,
  STUDIO_HEIGHT = 128,
  FLOOR_WIDTH = 128,  // of the image by which the floor samples a dome: its shadows are soft
  FLOOR_HEIGHT = 64,
  SAMPLES = 160,             // a side of the square of samples that are made beforehand: they fit a core's cache
  SAMPLE_SEED = 0x646f6d65,  // "dome"
  GUIDES = 64                // entries of a guide: places in the sums from which a search begins
};

static const double LEAST_SHARE = 1e-4;  // of the mean brightness that a pixel counts, so that none is never sampled
static const double LEAST_SINE = 1e-6;   // of the angle to the pole

void rv_view_dome_free(RvDome* dome) {
  if (!dome) return;
  rv_free(dome->rgb);
  rv_free(dome->rows);
  rv_free(dome->columns);
  rv_free(dome->samples);
  rv_free(dome->row_guide);
  rv_free(dome->column_guide);
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

// For numbers from k / GUIDES on, the pixel whose share of the sums holds the first of them.
static void make_guides(RvDome* d) {
  for (int k = 0, y = 0; k < GUIDES; ++k) {
    while (y < d->height - 1 && d->rows[y + 1] <= (double)k / GUIDES) y++;
    d->row_guide[k] = y;
  }
  for (int y = 0; y < d->height; ++y) {
    const float* row = d->columns + ((size_t)d->width + 1) * (size_t)y;
    for (int k = 0, x = 0; k < GUIDES; ++k) {
      while (x < d->width - 1 && row[x + 1] <= (double)k / GUIDES) x++;
      d->column_guide[(size_t)y * GUIDES + (size_t)k] = x;
    }
  }
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

// Arc tangent of a slope from 0 to 1, accurate to 1e-5: a tenth of a pixel of the largest images in use (Abramowitz and
// Stegun 4.4.47).
static double small_angle(double slope) {
  double q = slope * slope;
  return slope * (0.9998660 + q * (-0.3302995 + q * (0.1801410 + q * (-0.0851330 + q * 0.0208351))));
}

// Angle of a vector in turns, from -0.5 to 0.5.
static double turns_of(double y, double x) {
  double ax = fabs(x), ay = fabs(y), most = fmax(ax, ay);
  if (!(most > 0)) return 0;
  double a = small_angle(fmin(ax, ay) / most) / (2 * RV_PI);
  if (ay > ax) a = 0.25 - a;
  if (x < 0) a = 0.5 - a;
  return y < 0 ? -a : a;
}

// Place of a direction in the image, 0 to 1 from the left and from the top; returns the sine of its angle to the pole.
static double place_of(RvVec3 d, double* x, double* y) {
  double sine = sqrt(d.x * d.x + d.z * d.z);
  *x = 0.5 + turns_of(d.x, -d.z);
  *y = 2 * turns_of(sine, d.y);
  return sine;
}

// Pixel of a coordinate.
static int pixel_of(double x, int count) {
  return (int)rv_clamp(floor(x * count), 0, count - 1);
}

// Radiance of a pixel.
static RvVec3 pixel_radiance(const RvDome* d, int x, int y) {
  return rv_vec3_load(d->rgb + 3 * ((size_t)y * (size_t)d->width + (size_t)x));
}

RvVec3 rv_view_dome_smooth(const RvDome* d, RvVec3 direction) {
  double x, y;
  place_of(direction, &x, &y);
  // Bilinear, around the seam too.
  double u = x * d->width - 0.5, v = rv_clamp(y * d->height - 0.5, 0, d->height - 1);
  double left = floor(u), top = floor(v);
  RvVec3 sum = {0, 0, 0};
  for (int k = 0; k < 4; ++k) {
    double wx = k & 1 ? u - left : 1 - (u - left), wy = k & 2 ? v - top : 1 - (v - top);
    int column = ((int)left + (k & 1) + d->width) % d->width;
    int row = (int)top + (k >> 1) < d->height ? (int)top + (k >> 1) : d->height - 1;
    sum = rv_mad(sum, wx * wy, pixel_radiance(d, column, row));
  }
  return sum;
}

// Density of a pixel's directions per solid angle.
static double pixel_density(const RvDome* d, int x, int y, double sine) {
  const float* row = d->columns + ((size_t)d->width + 1) * (size_t)y;
  double share = (d->rows[y + 1] - d->rows[y]) * ((double)row[x + 1] - row[x]);
  return share * d->width * d->height / (2 * RV_PI * RV_PI * fmax(sine, LEAST_SINE));
}

RvVec3 rv_view_dome_towards(const RvDome* d, RvVec3 direction, double* density) {
  double across, down, sine = place_of(direction, &across, &down);
  int x = pixel_of(across, d->width), y = pixel_of(down, d->height);
  *density = pixel_density(d, x, y, sine);
  return pixel_radiance(d, x, y);
}

// Samples a direction in proportion to brightness.
static RvVec3 sample_image(const RvDome* d, const double u[2], RvVec3* radiance, double* density) {
  // Row and column: the guides give a place at or before them.
  int y = d->row_guide[(int)(u[0] * GUIDES)];
  while (y < d->height - 1 && d->rows[y + 1] <= u[0]) y++;
  const float* row = d->columns + ((size_t)d->width + 1) * (size_t)y;
  int x = d->column_guide[(size_t)y * GUIDES + (size_t)(int)(u[1] * GUIDES)];
  while (x < d->width - 1 && row[x + 1] <= u[1]) x++;
  // A point within the pixel.
  double down = (u[0] - d->rows[y]) / fmax(d->rows[y + 1] - d->rows[y], 1e-300);
  double across = (u[1] - row[x]) / fmax((double)row[x + 1] - row[x], 1e-300);
  double cosine, sine, c, s;
  rv_view_shade_circle(0.5 * (y + rv_clamp(down, 0, 1)) / d->height, &cosine, &sine);
  rv_view_shade_circle((x + rv_clamp(across, 0, 1)) / d->width + 0.5, &c, &s);
  *density = pixel_density(d, x, y, sine);
  *radiance = pixel_radiance(d, x, y);
  return rv_normalize(rv_vec3(sine * s, cosine, -sine * c), rv_vec3(0, 1, 0));
}

// Makes the samples: one in each cell of a square of numbers, at a random place of it.
static void make_samples(RvDome* d) {
  for (int i = 0; i < SAMPLES * SAMPLES; ++i) {
    RvRandom4 random = rv_random4(SAMPLE_SEED, (uint64_t)i, 0);
    const double u[2] = {(i / SAMPLES + random.v[0] * 0x1p-32) / SAMPLES,
                         (i % SAMPLES + random.v[1] * 0x1p-32) / SAMPLES};
    RvVec3 radiance;
    double density;
    rv_vec3_store(d->samples[i].direction, sample_image(d, u, &radiance, &density));
    rv_vec3_store(d->samples[i].radiance, radiance);
    d->samples[i].density = (float)density;
  }
}

RvVec3 rv_view_dome_sample(const RvDome* d, const double u[2], RvVec3* radiance, double* density) {
  int row = (int)(u[0] * SAMPLES), column = (int)(u[1] * SAMPLES);
  const RvDomeSample* s =
      &d->samples[(row < SAMPLES ? row : SAMPLES - 1) * SAMPLES + (column < SAMPLES ? column : SAMPLES - 1)];
  *radiance = rv_vec3_load(s->radiance);
  *density = (double)s->density;
  return rv_vec3_load(s->direction);
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
    d->samples = rv_alloc((size_t)SAMPLES * SAMPLES, sizeof *d->samples);
    d->row_guide = rv_alloc(GUIDES, sizeof(int));
    d->column_guide = rv_alloc((size_t)height, GUIDES * sizeof(int));
  }
  if (!d || !d->rgb || !d->rows || !d->columns || !d->samples || !d->row_guide || !d->column_guide) {
    rv_view_dome_free(d);
    *dome = NULL;
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the image of a dome");
  }
  for (size_t i = 0; i < 3 * pixels; ++i) d->rgb[i] = isfinite(rgb[i]) && rgb[i] > 0 ? rgb[i] : 0;
  sum_image(d);
  make_guides(d);
  make_samples(d);
  return RV_OK;
}

// Direction of the middle of a pixel.
static RvVec3 direction_of(int x, int y, int width, int height) {
  double polar = RV_PI * (y + 0.5) / height, azimuth = 2 * RV_PI * ((x + 0.5) / width - 0.5);
  return rv_vec3(sin(polar) * sin(azimuth), cos(polar), -sin(polar) * cos(azimuth));
}

// Mean radiance of the pixels of an image within one pixel of a coarser image.
static RvVec3 mean_pixel(const RvDome* d, int x, int y, int width, int height) {
  int x0 = (int)((int64_t)x * d->width / width), x1 = (int)((int64_t)(x + 1) * d->width / width);
  int y0 = (int)((int64_t)y * d->height / height), y1 = (int)((int64_t)(y + 1) * d->height / height);
  RvVec3 sum = {0, 0, 0};
  int count = 0;
  for (int j = y0; j < y1 || j == y0; ++j)
    for (int i = x0; i < x1 || i == x0; ++i, ++count) sum = rv_add(sum, pixel_radiance(d, i, j));
  return rv_scale(sum, 1.0 / count);
}

RvResult rv_view_dome_floor(const RvDome* dome, RvVec3 up, RvDome** floor, double* irradiance, RvError* error) {
  float* rgb = rv_alloc((size_t)FLOOR_WIDTH * FLOOR_HEIGHT, 3 * sizeof(float));
  if (!rgb) return rv_fail(error, RV_NO_MEMORY, "out of memory for the image of a dome");
  *irradiance = 0;
  for (int y = 0; y < FLOOR_HEIGHT; ++y)
    for (int x = 0; x < FLOOR_WIDTH; ++x) {
      double cosine = fmax(rv_dot(direction_of(x, y, FLOOR_WIDTH, FLOOR_HEIGHT), up), 0);
      RvVec3 c = rv_scale(mean_pixel(dome, x, y, FLOOR_WIDTH, FLOOR_HEIGHT), cosine);
      rv_vec3_store(rgb + 3 * (y * FLOOR_WIDTH + x), c);
      double solid_angle = sin(RV_PI * (y + 0.5) / FLOOR_HEIGHT) * 2 * RV_PI * RV_PI / (FLOOR_WIDTH * FLOOR_HEIGHT);
      *irradiance += solid_angle * (c.x + c.y + c.z) / 3;
    }
  RvResult result = rv_view_dome_make(FLOOR_WIDTH, FLOOR_HEIGHT, rgb, floor, error);
  rv_free(rgb);
  return result;
}

//---------------------------------------------------------------------------------------------- the studio

// A soft box of the studio: which factor it has, direction, half sides and width of the edge (tangents), radiance.
typedef struct Panel {
  int factor;
  RvVec3 direction;
  double wide, high, edge;
  RvVec3 radiance;
} Panel;

// Key from the upper left front, rim from the upper right behind, fill from the right; the subject faces +z.
// The key has a bright spot in its middle, which makes wet things sparkle.
enum { PANEL_COUNT = 4 };
static const Panel PANELS[PANEL_COUNT] = {
    {0, {-0.62, 0.55, 0.56}, 0.36, 0.5, 0.05, {11, 10.1, 9}},
    {0, {-0.62, 0.55, 0.56}, 0.05, 0.05, 0.025, {430, 396, 350}},
    {1, {0.66, 0.42, -0.62}, 0.14, 0.42, 0.05, {24, 25, 27}},
    {2, {0.86, 0.1, 0.5}, 0.5, 0.8, 0.05, {1.2, 1.32, 1.5}},
};

// Share of a panel in a direction: 1 inside, with a soft edge.
static double in_panel(const Panel* p, RvVec3 d) {
  RvVec3 n = rv_normalize(p->direction, p->direction);
  double along = rv_dot(d, n);
  if (along < 0.2) return 0;
  RvVec3 right = rv_normalize(rv_cross(n, rv_vec3(0, 1, 0)), n), up = rv_cross(right, n);
  double x = (p->wide - fabs(rv_dot(d, right) / along)) / p->edge;
  double y = (p->high - fabs(rv_dot(d, up) / along)) / p->edge;
  return rv_clamp(x + 0.5, 0, 1) * rv_clamp(y + 0.5, 0, 1);
}

RvResult rv_view_dome_studio(const double factors[3], RvDome** dome, RvError* error) {
  float* rgb = rv_alloc((size_t)STUDIO_WIDTH * STUDIO_HEIGHT, 3 * sizeof(float));
  if (!rgb) return rv_fail(error, RV_NO_MEMORY, "out of memory for the image of a dome");
  for (int y = 0; y < STUDIO_HEIGHT; ++y)
    for (int x = 0; x < STUDIO_WIDTH; ++x) {
      RvVec3 d = direction_of(x, y, STUDIO_WIDTH, STUDIO_HEIGHT);
      // Walls that are brighter above, as lit by the lamps.
      double up = rv_clamp(0.5 + 0.5 * d.y, 0, 1);
      RvVec3 c = rv_lerp(rv_vec3(0.06, 0.058, 0.055), rv_vec3(0.3, 0.32, 0.35), up * up);
      for (int k = 0; k < PANEL_COUNT; ++k)
        c = rv_mad(c, in_panel(&PANELS[k], d) * factors[PANELS[k].factor], PANELS[k].radiance);
      rv_vec3_store(rgb + 3 * (y * STUDIO_WIDTH + x), c);
    }
  RvResult result = rv_view_dome_make(STUDIO_WIDTH, STUDIO_HEIGHT, rgb, dome, error);
  rv_free(rgb);
  return result;
}
