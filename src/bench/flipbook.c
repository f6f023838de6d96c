// Benchmark flipbook: cost and noise of a picture of a scene like the default one.
//
// The reference has 1,024 samples a pixel with other random numbers, of one tile in 47 only. These are spread evenly
// over the picture, so they represent it, and the benchmark ends within minutes. RMSE is over all channels, relative to
// the mean linear radiance of the reference.
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/timer.h"
#include "bench/list.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "view/view.h"

enum { STRANDS = 2000, POINTS = 22, WIDTH = 1280, HEIGHT = 720, SPARSE = 47, TILE = 8, REFERENCE = 1024 };

static const double SEP = 0.009;                       // separation of particles, m
static const double GOLDEN_ANGLE = 2.399963229728653;  // rad, spreads roots evenly
static const RvVec3 HEAD = {0.08, 0.115, 0.098};       // half axes, m

// Uniform random number in 0 to 1.
static double chance(uint64_t stream, uint64_t i, int lane) {
  return rv_random(7, stream, i, lane);
}

// An ellipsoid of the size of the default scene's head.
static RvDetail* make_head(RvError* error) {
  enum { U = 72, V = 48 };
  RvDetail* d = rv_detail_new();
  if (!d || rv_detail_add_points(d, (size_t)U * (V + 1), NULL, error)) return d;
  float* p = rv_detail_f32_write(d, RV_POINT, "P", 3, error);
  for (int i = 0; p && i < U * (V + 1); ++i) {
    double a = 2 * RV_PI * (i % U) / U, b = RV_PI * (i / U) / V;
    rv_vec3_store(p + 3 * i,
                  rv_vec3(HEAD.x * rv_sin(b) * rv_cos(a), HEAD.y * rv_cos(b), HEAD.z * rv_sin(b) * rv_sin(a)));
  }
  for (int i = 0; i < U * V; ++i) {
    int k = i / U * U;
    int a = i % U;
    int b = (a + 1) % U;
    int32_t four = 4;
    int32_t quad[4] = {k + a, k + b, k + b + U, k + a + U};
    if (rv_detail_add_polygons(d, RV_PRIM_POLYGON, 1, &four, quad, NULL, error)) return d;
  }
  return d;
}

// Strands that leave the upper half of the head and hang, wetter towards their tips, with film on their lower half.
static RvDetail* make_hair(size_t count, RvError* error) {
  RvDetail* d = rv_detail_new();
  if (!d || rv_detail_add_curves(d, count, POINTS, NULL, NULL, error)) return d;
  float* p = rv_detail_f32_write(d, RV_POINT, "P", 3, error);
  float* w = rv_detail_f32_write(d, RV_POINT, "wetness", 1, error);
  float* f = rv_detail_f32_write(d, RV_POINT, "filmradius", 1, error);
  float* width = rv_detail_f32_write(d, RV_PRIM, "width", 1, error);
  // Roots in a golden spiral; a strand starts along the normal and bends down step by step, with a small curl.
  for (size_t s = 0; p && w && f && width && s < count; ++s) {
    double y = 1 - 1.15 * ((double)s + 0.5) / (double)count;
    double around = sqrt(1 - y * y);
    double a = GOLDEN_ANGLE * (double)s;
    RvVec3 out = {around * rv_cos(a), y, around * rv_sin(a)}, at = rv_mul(out, HEAD);
    RvVec3 direction = rv_normalize(rv_add(out, rv_vec3(0, 0.3, 0)), out);
    double step = 0.32 * (0.85 + 0.3 * chance(1, s, 0)) / (POINTS - 1), phase = 6.3 * chance(1, s, 1);
    width[s] = 2.4e-4f;
    for (size_t i = 0; i < POINTS; ++i) {
      size_t k = s * POINTS + i;
      double t = (double)i / (POINTS - 1), wave = 0.003 * t;
      RvVec3 curl = {wave * rv_cos(18 * t + phase), 0, wave * rv_sin(18 * t + phase)};
      rv_vec3_store(p + 3 * k, rv_add(at, curl));
      w[k] = (float)rv_clamp(1.6 * t - 0.6, 0, 0.95);
      f[k] = (float)(4e-5 + 3e-4 * rv_clamp(2 * t - 1, 0, 1) * chance(2, k, 0));
      at = rv_mad(at, step, direction);
      direction = rv_normalize(rv_mad(direction, -0.35, rv_vec3(0, 1, 0)), direction);
    }
  }
  return d;
}

// A pool with waves, and drops in the air.
static RvDetail* make_liquid(size_t spray, RvError* error) {
  enum { NX = 55, NY = 18, NZ = 55 };
  size_t pool = (size_t)NX * NY * NZ, count = pool + spray;
  RvDetail* d = rv_detail_new();
  if (!d || rv_detail_add_points(d, count, NULL, error)) return d;
  float* p = rv_detail_f32_write(d, RV_POINT, "P", 3, error);
  float* r = rv_detail_f32_write(d, RV_POINT, "pscale", 1, error);
  for (size_t i = 0; p && r && i < count; ++i) {
    double x = (double)(i % NX) / NX - 0.5;
    double z = (double)(i / NX % NZ) / NZ - 0.5;
    double y = (double)(i / NX / NZ) + 0.5;
    // Waves grow from the bottom to 6% of the depth.
    double wave = 1 + 0.06 * rv_sin(20 * x + 3) * rv_cos(14 * z) * y / NY;
    RvVec3 at = {x * SEP * NX, -0.48 + y * SEP * wave, 0.2 + z * SEP * NZ};
    if (i >= pool)
      at = rv_vec3(0.5 * chance(3, i, 0) - 0.25, -0.3 + 0.8 * chance(3, i, 1) * chance(4, i, 0), 0.5 * chance(4, i, 1));
    else
      at =
          rv_add(at, rv_scale(rv_vec3(chance(5, i, 0) - 0.5, chance(5, i, 1) - 0.5, chance(6, i, 0) - 0.5), 0.5 * SEP));
    rv_vec3_store(p + 3 * i, at);
    r[i] = (float)(0.62 * SEP * (i < pool ? 1 : 0.4 + 0.6 * chance(6, i, 1)));
  }
  return d;
}

// Rms difference over the reference's tiles, and the mean of the reference.
static double rmse(const RvImage* image, const RvImage* reference, double* mean) {
  int across = (image->width + TILE - 1) / TILE;
  double sum = 0, square = 0, n = 0;
  for (int y = 0; y < image->height; ++y)
    for (int x = 0; x < image->width; ++x) {
      if ((y / TILE * across + x / TILE) % SPARSE) continue;
      for (size_t k = 3 * ((size_t)y * (size_t)image->width + (size_t)x), end = k + 3; k < end; ++k) {
        double e = (double)image->rgb[k] - (double)reference->rgb[k];
        square += e * e;
        sum += reference->rgb[k];
        n++;
      }
    }
  *mean = sum / n;
  return sqrt(square / n);
}

// Renders the picture and the reference, and emits the figures.
static RvResult measure(const RvBenchOut* out, const RvDetail* const* details, size_t count, RvError* error) {
  RvCamera camera = {.eye = {1.0, 0.08, 0.75}, .target = {0, -0.14, 0.1}, .up = {0, 1, 0}, .fov_y_degrees = 37};
  // A shrunk run also has a smaller picture.
  int part = out->shrink > 1 ? 8 : 1, pixels = WIDTH / part * (HEIGHT / part);
  RvViewOptions options = rv_view_options(RV_VIEW_NORMAL, WIDTH / part, HEIGHT / part), best = options;
  best.samples = out->shrink > 1 ? REFERENCE / out->shrink : REFERENCE;
  // No adaptive sampling, other random numbers.
  best.noise = 0;
  best.sparse = SPARSE;
  best.seed = 1;
  RvImage image = {0}, reference = {0};
  RvViewStats stats = {0};
  double cpu = rv_clock_cpu();
  RvResult result = rv_view_render_stats(details, count, &camera, &options, NULL, NULL, &image, &stats, error);
  cpu = rv_clock_cpu() - cpu;
  double seconds = stats.build_seconds + stats.render_seconds, mean = 0;
  if (!result) {
    rv_bench_emit(out, "seconds", seconds, "s");
    // On a busy machine this over the number of cores is the time of an idle one.
    rv_bench_emit(out, "cpu_seconds", cpu, "s");
    rv_bench_emit(out, "build_seconds", stats.build_seconds, "s");
    rv_bench_emit(out, "million_rays_per_second", (double)stats.rays / stats.render_seconds * 1e-6, "1/us");
    rv_bench_emit(out, "million_rays_per_cpu_second", (double)stats.rays / cpu * 1e-6, "1/us");
    rv_bench_emit(out, "samples_per_pixel", (double)stats.samples / pixels, "");
    result = rv_view_render_stats(details, count, &camera, &best, NULL, NULL, &reference, &stats, error);
  }
  if (!result) {
    double error_of = rmse(&image, &reference, &mean);
    rv_bench_emit(out, "rmse_over_mean_radiance", 100 * error_of / mean, "%");
    // Time of all pixels at the reference's samples, over that of the picture.
    rv_bench_emit(out, "speedup_over_1024_samples", SPARSE * stats.render_seconds / seconds, "x");
  }
  rv_view_image_free(&image);
  rv_view_image_free(&reference);
  return result;
}

// Head, hair and liquid.
RvResult rv_bench_flipbook(const RvBenchOut* out, RvError* error) {
  size_t shrink = out->shrink > 1 ? (size_t)out->shrink : 1;
  RvDetail* details[] = {make_head(error), make_hair(STRANDS / shrink, error), make_liquid(600, error)};
  RvResult result = RV_OK;
  for (int i = 0; i < 3; ++i)
    if (!details[i]) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result && error && error->code) result = error->code;
  if (!result) result = measure(out, (const RvDetail* const*)details, 3, error);
  for (int i = 0; i < 3; ++i) rv_detail_free(details[i]);
  return result;
}
