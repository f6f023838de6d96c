// The picture in tiles: every pixel's samples are a pure function of its place, so no order of work matters.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/timer.h"
#include "math/scalar.h"
#include "view/view_scene.h"

enum { TILE = 8, BATCHES = 48 };

// brighter samples are held down: one lucky ray must not make a speck
static const double BRIGHTEST = 6;

//---------------------------------------------------------------------------------------------- samples

static uint32_t reversed(uint32_t x) {
  x = (x >> 16) | (x << 16);
  x = ((x & 0xff00ff00u) >> 8) | ((x & 0x00ff00ffu) << 8);
  x = ((x & 0xf0f0f0f0u) >> 4) | ((x & 0x0f0f0f0fu) << 4);
  x = ((x & 0xccccccccu) >> 2) | ((x & 0x33333333u) << 2);
  return ((x & 0xaaaaaaaau) >> 1) | ((x & 0x55555555u) << 1);
}

// Owen's scrambling by a hash whose bits only depend on higher ones (Laine and Karras 2011; constants of
// Burley 2020, "Practical hash-based Owen scrambling")
static uint32_t scrambled(uint32_t x, uint32_t seed) {
  x = reversed(x);
  x += seed;
  x ^= x * 0x6c50b47cu;
  x ^= x * 0xb82f1e52u;
  x ^= x * 0xc7afe638u;
  x ^= x * 0x8d22f6e6u;
  return reversed(x);
}

static uint32_t mixed(uint32_t seed, uint32_t k) {
  uint32_t h = seed ^ (k * 0x9e3779b9u);
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  return h ^ (h >> 16);
}

// the first two dimensions of Sobol's sequence, shuffled and scrambled anew for every use
void rv_sampler_next(RvSampler* s, double out[2]) {
  uint32_t key = mixed(s->seed, s->dimension++), i = scrambled(s->index, key), y = 0;
  uint32_t x = reversed(i);
  for (uint32_t v = 1u << 31, n = i; n; n >>= 1, v ^= v >> 1)
    if (n & 1) y ^= v;
  out[0] = scrambled(x, mixed(key, 1)) * 0x1p-32;
  out[1] = scrambled(y, mixed(key, 2)) * 0x1p-32;
}

// a tent two pixels wide about the pixel's middle
static double tent(double u) {
  return u < 0.5 ? sqrt(2 * u) - 1 : 1 - sqrt(2 - 2 * u);
}

//---------------------------------------------------------------------------------------------- tiles

typedef struct Job {
  RvShader shader;
  RvImage* image;
  int across;    // tiles a row
  size_t first;  // tile of this batch
  uint64_t* tile_rays;
  double gain;
} Job;

// adds the samples [first, last) of a pixel; true if all of them saw nothing but the backdrop
static bool add_samples(const Job* job, int x, int y, int first, int last, RvVec3* sum, uint64_t* rays) {
  const RvViewOptions* o = job->shader.options;
  RvSampler sampler = {.seed = rv_random4(o->seed, (size_t)y * (size_t)o->width + (size_t)x, 0).v[0]};
  bool quiet = true;
  for (int i = first; i < last; ++i) {
    sampler.index = (uint32_t)i, sampler.dimension = 0;
    double u[2];
    bool plain;
    rv_sampler_next(&sampler, u);
    RvVec3 c = rv_shader_trace(&job->shader, x + 0.5 + tent(u[0]), y + 0.5 + tent(u[1]), &sampler, rays, &plain);
    double most = fmax(c.x, fmax(c.y, c.z));
    // written so that a sample that is no number counts as black
    if (!(most <= BRIGHTEST)) c = most > BRIGHTEST ? rv_scale(c, BRIGHTEST / most) : rv_vec3(0, 0, 0);
    *sum = rv_add(*sum, c);
    quiet = quiet && plain;
  }
  return quiet;
}

// a tile in which a quarter of the samples met nothing is done; the others get them all
static void render_tile(const Job* job, size_t tile) {
  const RvViewOptions* o = job->shader.options;
  int x0 = (int)(tile % (size_t)job->across) * TILE, y0 = (int)(tile / (size_t)job->across) * TILE;
  int x1 = x0 + TILE < o->width ? x0 + TILE : o->width, y1 = y0 + TILE < o->height ? y0 + TILE : o->height;
  int quarter = (o->samples + 3) / 4, done = quarter;
  RvVec3 sum[TILE * TILE] = {{0, 0, 0}};
  bool quiet = true;
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x)
      quiet &= add_samples(job, x, y, 0, quarter, &sum[(y - y0) * TILE + x - x0], &job->tile_rays[tile]);
  if (!quiet) done = o->samples;
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) {
      RvVec3* c = &sum[(y - y0) * TILE + x - x0];
      if (done > quarter) add_samples(job, x, y, quarter, done, c, &job->tile_rays[tile]);
      float* out = job->image->rgb + 3 * ((size_t)y * (size_t)o->width + (size_t)x);
      rv_vec3_store(out, rv_scale(*c, job->gain / done));
    }
}

static void render_tiles(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  for (size_t i = begin; i < end; ++i) render_tile(job, job->first + i);
}

static RvResult render_image(Job* job, bool (*cancelled)(void*, double), void* user, RvViewStats* stats,
                             RvError* error) {
  int down = (job->image->height + TILE - 1) / TILE;
  job->across = (job->image->width + TILE - 1) / TILE;
  size_t tiles = (size_t)job->across * (size_t)down, step = (tiles + BATCHES - 1) / BATCHES;
  job->tile_rays = rv_alloc_zero(tiles, sizeof(uint64_t));
  if (!job->tile_rays) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvResult result = RV_OK;
  // in batches, so that the host is asked on its own thread
  if (step < 64) step = 64;
  for (job->first = 0; job->first < tiles && !result; job->first += step) {
    size_t left = tiles - job->first;
    rv_parallel_for(left < step ? left : step, 2, render_tiles, job);
    double fraction = (double)(left < step ? tiles : job->first + step) / (double)tiles;
    if (cancelled && cancelled(user, fraction)) result = rv_fail(error, RV_CANCELLED, "the picture was interrupted");
  }
  for (size_t i = 0; i < tiles; ++i) stats->rays += job->tile_rays[i];
  rv_free(job->tile_rays);
  return result;
}

//---------------------------------------------------------------------------------------------- the call

RvViewOptions rv_view_options(RvViewQuality quality, int width, int height) {
  static const struct { int samples, sky; } presets[RV_VIEW_QUALITY_COUNT] = {{4, 1}, {12, 1}, {64, 2}};
  if (quality < 0 || quality >= RV_VIEW_QUALITY_COUNT) quality = RV_VIEW_NORMAL;
  return (RvViewOptions){.width = width,
                         .height = height,
                         .samples = presets[quality].samples,
                         .sky_samples = presets[quality].sky,
                         .ground = true,
                         .ground_height = NAN,
                         .min_pixels = 0.3,
                         .background_top = {0.34f, 0.36f, 0.39f},
                         .background_bottom = {0.52f, 0.53f, 0.55f}};
}

bool rv_view_quality_from_name(const char* name, RvViewQuality* quality) {
  static const char* const names[RV_VIEW_QUALITY_COUNT] = {"draft", "normal", "high"};
  for (int i = 0; i < RV_VIEW_QUALITY_COUNT; ++i)
    if (name && strcmp(name, names[i]) == 0) {
      *quality = (RvViewQuality)i;
      return true;
    }
  return false;
}

static RvResult check_options(const RvViewOptions* o, RvError* error) {
  if (o->width < 1 || o->height < 1 || o->width > RV_VIEW_MAX_SIZE || o->height > RV_VIEW_MAX_SIZE)
    return rv_fail(error, RV_BAD_INPUT, "a picture of %d x %d pixels; each side takes 1 to %d", o->width, o->height,
                   RV_VIEW_MAX_SIZE);
  if (o->samples < 1 || o->samples > 65536 || o->sky_samples < 0 || o->sky_samples > 4096)
    return rv_fail(error, RV_BAD_INPUT, "%d samples a pixel and %d to the sky; they take 1 to 65536 and 0 to 4096",
                   o->samples, o->sky_samples);
  if (!(o->min_pixels >= 0 && o->min_pixels <= 100) || !(fabs(o->exposure) <= 64))
    return rv_fail(error, RV_BAD_INPUT, "a least radius of %g pixels (0 to 100) and %g stops (-64 to 64)",
                   o->min_pixels, o->exposure);
  return RV_OK;
}

RvResult rv_view_render_stats(const RvDetail* const* details, size_t count, const RvCamera* camera,
                              const RvViewOptions* options, bool (*cancelled)(void*, double), void* user, RvImage* out,
                              RvViewStats* stats, RvError* error) {
  *out = (RvImage){0};
  RvLens lens;
  RvResult result = check_options(options, error);
  if (!result) result = rv_lens_make(camera, options->width, options->height, &lens, error);
  if (result) return result;

  RvImage image = {options->width, options->height, NULL};
  RvViewScene scene = {0};
  double start = rv_clock_wall();
  image.rgb = rv_alloc((size_t)image.width * (size_t)image.height, 3 * sizeof(float));
  if (!image.rgb)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for a picture of %d x %d", image.width, image.height);
  result = rv_view_scene_build(&scene, details, count, &lens, options, error);
  double built = rv_clock_wall();
  Job job = {.image = &image};
  // only the beauty pass is light; the others are shares
  job.gain = options->pass == RV_VIEW_BEAUTY ? rv_pow(2, options->exposure) : 1;
  if (!result) result = rv_shader_make(&job.shader, &scene, &lens, options, error);
  if (!result) result = render_image(&job, cancelled, user, &scene.stats, error);
  scene.stats.build_seconds = built - start;
  scene.stats.render_seconds = rv_clock_wall() - built;
  if (stats) *stats = scene.stats;
  rv_view_scene_free(&scene);
  if (result)
    rv_image_free(&image);
  else
    *out = image;
  return result;
}

RvResult rv_view_render(const RvDetail* const* details, size_t count, const RvCamera* camera,
                        const RvViewOptions* options, bool (*cancelled)(void*, double), void* user, RvImage* out,
                        RvError* error) {
  return rv_view_render_stats(details, count, camera, options, cancelled, user, out, NULL, error);
}
