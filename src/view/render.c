// Renders the image in tiles with adaptive sampling. The samples of a pixel depend on its position and the seed only,
// so the result does not depend on the order of work.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "math/scalar.h"
#include "view/view_scene.h"

enum {
  TILE = 8,          // pixels along a tile
  BATCHES = 96,      // calls of the host's `cancelled` in a render of many tiles
  LEAST_BATCH = 64,  // tiles a batch, at least
  TILES_A_TASK = 2,
  PLAIN_SAMPLES = 4,      // samples a pixel after which a tile that shows only the backdrop ends
  DRAFT_PLAIN = 1,        // the same of pictures with few samples
  DRAFT_SMOOTH = 2,       // samples a pixel after which a tile of smooth surfaces ends in such pictures
  FIRST_SAMPLES = 8,      // samples a pixel before the noise of a tile is measured
  MAX_SAMPLES = 65536,    // of options.samples
  MAX_SKY_SAMPLES = 4096  // of options.sky_samples
};

static const double DRAFT_BRIGHTEST =
    2;                                   // the same of pictures with few samples, where a firefly would not average out
static const double BRIGHTEST = 6;       // samples are clamped to this, after exposure, which suppresses fireflies
static const double MIDDLE_GREY = 0.18;  // linear; the unit of options.noise

//---------------------------------------------------------------------------------------------- samples

// Samples the tent filter, two pixels wide, about the pixel's centre.
static double tent(double u) {
  return u < 0.5 ? sqrt(2 * u) - 1 : 1 - sqrt(2 - 2 * u);
}

//---------------------------------------------------------------------------------------------- tiles

// Work counters of one tile.
typedef struct Work {
  uint64_t rays, samples;
} Work;

// One render.
typedef struct Job {
  RvShader shader;
  RvImage* image;
  int across;           // tiles a row
  size_t first;         // first tile of the batch
  Work* work;           // of each tile
  RvViewGuide* guides;  // of each pixel of a draft; NULL: not a draft
  double gain;          // exposure as a factor
} Job;

// Sums over the samples of a pixel: radiance, and squared luminance for the noise estimate.
typedef struct Pixel {
  RvVec3 sum;
  double square;
  // Layers: samples that met something, sums of their normals and wetness, depth and detail of the nearest.
  int met, object;
  bool hair_or_water;  // a sample met something that is not smooth
  RvVec3 normal;
  double wetness, depth;
} Pixel;

// Rec. 709 luminance.
static double luminance(RvVec3 c) {
  return 0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z;
}

// Adds what a sample met first to the layers of its pixel.
static void add_layers(Pixel* pixel, const RvFirstHit* first) {
  if (!first->any) return;
  pixel->hair_or_water |= !first->mesh || (pixel->met && first->object != pixel->object);
  pixel->normal = rv_add(pixel->normal, first->normal);
  pixel->wetness += first->wetness;
  if (pixel->met++ && pixel->depth <= first->depth) return;
  pixel->depth = first->depth;
  pixel->object = first->object;
}

// Adds the samples [first, last) of a pixel; true if all of them saw only the unshadowed backdrop.
static bool add_samples(const Job* job, int x, int y, int first, int last, Pixel* pixel, Work* work) {
  const RvViewOptions* o = job->shader.options;
  RvSampler sampler = rv_view_sampler_at(o->seed, x, y, o->samples);
  bool backdrop_only = true;
  for (int i = first; i < last; ++i) {
    sampler.index = (uint32_t)i;
    sampler.dimension = 0;
    double u[2];
    bool plain;
    rv_view_sampler_next(&sampler, u);
    RvFirstHit first_hit = {0};
    RvVec3 c = rv_view_shader_trace(&job->shader, x + 0.5 + tent(u[0]), y + 0.5 + tent(u[1]), &sampler, &work->rays,
                                    &plain, o->layers || job->guides ? &first_hit : NULL);
    add_layers(pixel, &first_hit);
    double peak = fmax(c.x, fmax(c.y, c.z)),
           brightest = (o->samples < RV_VIEW_FEW_SAMPLES ? DRAFT_BRIGHTEST : BRIGHTEST) / job->gain;
    // Clamp; a sample that is NaN counts as black.
    if (!(peak <= brightest)) c = peak > brightest ? rv_scale(c, brightest / peak) : rv_vec3(0, 0, 0);
    double b = luminance(c);
    pixel->sum = rv_add(pixel->sum, c);
    pixel->square += b * b;
    backdrop_only = backdrop_only && plain;
  }
  work->samples += (uint64_t)(last - first);
  return backdrop_only;
}

// Standard error of the pixels of a tile after `samples` samples each, as a share of middle grey.
static double noise_of(const Pixel* pixels, int count, int samples) {
  double sum = 0, n = samples;
  for (int i = 0; i < count; ++i) {
    double mean = luminance(pixels[i].sum) / n;
    sum += fmax(pixels[i].square / n - mean * mean, 0) / (n - 1);
  }
  return sqrt(sum / count) / MIDDLE_GREY;
}

// Writes the layers of a pixel.
static void store_layers(RvImage* image, size_t at, const Pixel* p, int samples) {
  RvVec3 none = {0, 0, 0};
  image->alpha[at] = (float)((double)p->met / samples);
  image->depth[at] = p->met ? (float)p->depth : INFINITY;
  image->id[at] = (float)p->object;
  image->wetness[at] = p->met ? (float)(p->wetness / p->met) : 0;
  rv_vec3_store(image->normal + 3 * at, p->met ? rv_normalize(p->normal, none) : none);
}

// What a pixel shows, for the smoothing of drafts. Pixels at edges show several things.
static RvViewGuide guide_of(const Pixel* p, int samples) {
  RvViewGuide g = {.surface = RV_VIEW_GUIDE_NONE};
  if (p->hair_or_water || (p->met && p->met < samples)) return g;
  g.surface = p->met ? p->object : RV_VIEW_GUIDE_FLOOR;
  g.depth = (float)p->depth;
  rv_vec3_store(g.normal, rv_normalize(p->normal, rv_vec3(0, 0, 0)));
  return g;
}

// True if every pixel shows one smooth surface, from which rv_view_smooth takes the noise.
static bool is_smooth(const Pixel* pixels, int count, int samples) {
  for (int i = 0; i < count; ++i)
    if (guide_of(&pixels[i], samples).surface == RV_VIEW_GUIDE_NONE) return false;
  return true;
}

// Room for the layers; false when out of memory.
static bool allocate_layers(RvImage* image) {
  size_t n = (size_t)image->width * (size_t)image->height;
  return (image->alpha = rv_alloc_zero(n, sizeof(float))) && (image->depth = rv_alloc_zero(n, sizeof(float))) &&
         (image->normal = rv_alloc_zero(n, 3 * sizeof(float))) && (image->id = rv_alloc_zero(n, sizeof(float))) &&
         (image->wetness = rv_alloc_zero(n, sizeof(float)));
}

// Renders one tile. The number of samples doubles until the noise is low enough; a tile whose first samples saw only
// the backdrop ends early. The decision depends on the tile alone, which keeps the image independent of threads.
static void render_tile(const Job* job, size_t tile) {
  const RvViewOptions* o = job->shader.options;
  int x0 = (int)(tile % (size_t)job->across) * TILE;
  int y0 = (int)(tile / (size_t)job->across) * TILE;
  int x1 = x0 + TILE < o->width ? x0 + TILE : o->width;
  int y1 = y0 + TILE < o->height ? y0 + TILE : o->height;
  int wide = x1 - x0, count = wide * (y1 - y0), done = 0;
  Pixel pixels[TILE * TILE] = {{.met = 0}};
  bool backdrop_only = true;
  int first = o->samples < RV_VIEW_FEW_SAMPLES ? DRAFT_PLAIN : PLAIN_SAMPLES;
  for (int next = o->samples < first ? o->samples : first; done < next;) {
    for (int i = 0; i < count; ++i)
      backdrop_only &= add_samples(job, x0 + i % wide, y0 + i / wide, done, next, &pixels[i], &job->work[tile]);
    done = next;
    bool calm = done >= FIRST_SAMPLES && job->gain * noise_of(pixels, count, done) < o->noise;
    next = backdrop_only || calm || (job->guides && done >= DRAFT_SMOOTH && is_smooth(pixels, count, done)) ? done
                                                                                                            : 2 * done;
    if (next > o->samples) next = o->samples;
  }
  for (int i = 0; i < count; ++i) {
    float* out = job->image->rgb + 3 * ((size_t)(y0 + i / wide) * (size_t)o->width + (size_t)(x0 + i % wide));
    rv_vec3_store(out, rv_scale(pixels[i].sum, job->gain / done));
    size_t at = (size_t)(out - job->image->rgb) / 3;
    if (job->guides) job->guides[at] = guide_of(&pixels[i], done);
    if (o->layers) store_layers(job->image, at, &pixels[i], done);
  }
}

// Renders the tiles of a batch, skipping those that `sparse` leaves out.
static void render_tiles(void* arg, size_t begin, size_t end) {
  const Job* job = arg;
  size_t sparse = job->shader.options->sparse > 1 ? (size_t)job->shader.options->sparse : 1;
  for (size_t i = begin; i < end; ++i)
    if ((job->first + i) % sparse == 0) render_tile(job, job->first + i);
}

// Renders all tiles in batches and adds up their work counters.
static RvResult render_image(Job* job, bool (*cancelled)(void*, double), void* user, RvViewStats* stats,
                             RvError* error) {
  int down = (job->image->height + TILE - 1) / TILE;
  job->across = (job->image->width + TILE - 1) / TILE;
  size_t tiles = (size_t)job->across * (size_t)down, step = (tiles + BATCHES - 1) / BATCHES;
  job->work = rv_alloc_zero(tiles, sizeof(Work));
  if (!job->work) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvResult result = RV_OK;
  // Between batches the host is asked, on its own thread, whether to stop.
  if (step < LEAST_BATCH) step = LEAST_BATCH;
  for (job->first = 0; job->first < tiles && !result; job->first += step) {
    size_t remaining = tiles - job->first;
    rv_parallel_for(remaining < step ? remaining : step, TILES_A_TASK, render_tiles, job);
    double fraction = (double)(remaining < step ? tiles : job->first + step) / (double)tiles;
    if (cancelled && cancelled(user, fraction)) result = rv_fail(error, RV_CANCELLED, "the picture was interrupted");
  }
  for (size_t i = 0; i < tiles; ++i) {
    stats->rays += job->work[i].rays;
    stats->samples += job->work[i].samples;
  }
  rv_free(job->work);
  return result;
}

//---------------------------------------------------------------------------------------------- the call

RvViewOptions rv_view_options(RvViewQuality quality, int width, int height) {
  // Samples a pixel, sky rays a sample, noise at which a tile ends: draft, normal, high.
  static const struct {
    int samples, sky;
    double noise;
  } presets[RV_VIEW_QUALITY_COUNT] = {{4, 1, 0}, {40, 1, 0.06}, {256, 1, 0.025}};
  if (quality < 0 || quality >= RV_VIEW_QUALITY_COUNT) quality = RV_VIEW_NORMAL;
  return (RvViewOptions){.width = width,
                         .height = height,
                         .samples = presets[quality].samples,
                         .sky_samples = presets[quality].sky,
                         .noise = presets[quality].noise,
                         .range = {NAN, NAN},
                         .liquid_memory = 2e9,
                         .meters = 1,
                         .absorption = {2.5, 0.85, 0.55},
                         .ground = true,
                         .ground_height = NAN,
                         .min_pixels = 0.3,
                         .background_top = {0.20f, 0.215f, 0.24f},
                         .background_bottom = {0.47f, 0.48f, 0.49f}};
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

// Checks the ranges of the options.
static RvResult check_options(const RvViewOptions* o, RvError* error) {
  if (o->width < 1 || o->height < 1 || o->width > RV_VIEW_MAX_SIZE || o->height > RV_VIEW_MAX_SIZE)
    return rv_fail(error, RV_BAD_INPUT, "cannot render %d x %d pixels: each side takes 1 to %d", o->width, o->height,
                   RV_VIEW_MAX_SIZE);
  if (o->samples < 1 || o->samples > MAX_SAMPLES || o->sky_samples < 0 || o->sky_samples > MAX_SKY_SAMPLES)
    return rv_fail(error, RV_BAD_INPUT,
                   "cannot render with %d samples a pixel (1 to %d) and %d sky rays a sample (0 to %d)", o->samples,
                   MAX_SAMPLES, o->sky_samples, MAX_SKY_SAMPLES);
  if (!(o->shutter >= 0 && o->shutter <= 1e6) || !(o->aperture >= 0 && o->aperture < 1e9) || !isfinite(o->focus))
    return rv_fail(
        error, RV_BAD_INPUT,
        "cannot render with a shutter of %g s, an aperture of %g and a focus distance of %g: none may be negative",
        o->shutter, o->aperture, o->focus);
  for (int k = 0; k < 3; ++k)
    if (!(o->absorption[k] >= 0 && o->absorption[k] < 1e9))
      return rv_fail(error, RV_BAD_INPUT,
                     "cannot render liquid with an absorption of %g per metre: it must be 0 or more", o->absorption[k]);
  if (o->pass == RV_VIEW_DATA && !o->view)
    return rv_fail(error, RV_BAD_INPUT, "false colours need a view: wetness, age, film, clump, speed, density or air");
  if (!(o->min_pixels >= 0 && o->min_pixels <= 100) || !(fabs(o->exposure) <= 64))
    return rv_fail(error, RV_BAD_INPUT,
                   "cannot render with a least radius of %g pixels (0 to 100) and an exposure of %g stops (-64 to 64)",
                   o->min_pixels, o->exposure);
  return RV_OK;
}

// Draws the legend; warns where nothing has the attribute.
static void finish_data(Job* job, RvViewStats* stats, const RvViewOptions* options) {
  job->image->exact = true;
  for (int k = 0; k < 2; ++k) stats->data_range[k] = job->shader.data_range[k];
  rv_view_draw_legend(job->image, options->view, stats->data_range);
  if (isnan(stats->data_range[0]))
    rv_log(options->log, RV_LEVEL_WARNING, "nothing in the picture has the attribute '%s', so the view '%s' is grey",
           options->view->attribute, options->view->name);
}

RvResult rv_view_render_stats(const RvDetail* const* details, size_t count, const RvCamera* camera,
                              const RvViewOptions* options, bool (*cancelled)(void*, double), void* user, RvImage* out,
                              RvViewStats* stats, RvError* error) {
  *out = (RvImage){0};
  RvLens lens;
  RvResult result = check_options(options, error);
  if (!result) result = rv_view_lens_make(camera, options->width, options->height, &lens, error);
  if (result) return result;

  // Build the scene.
  RvImage image = {.width = options->width, .height = options->height, .tone = options->tone};
  RvViewScene scene = {0};
  double start = rv_clock_wall();
  image.rgb = rv_alloc_zero((size_t)image.width * (size_t)image.height, 3 * sizeof(float));
  if (!image.rgb || (options->layers && !allocate_layers(&image))) {
    rv_view_image_free(&image);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for a picture of %d x %d", options->width, options->height);
  }
  result = rv_view_scene_build(&scene, details, count, &lens, options, error);
  double built = rv_clock_wall();
  // Shade every tile.
  Job job = {.image = &image};
  // Exposure applies to the beauty pass; the other passes are shares and data.
  job.gain = options->pass == RV_VIEW_BEAUTY ? rv_pow(2, options->exposure) : 1;
  if (!result) result = rv_view_shader_make(&job.shader, &scene, &lens, options, error);
  bool draft = options->samples < RV_VIEW_FEW_SAMPLES && options->pass == RV_VIEW_BEAUTY && options->sparse <= 1;
  if (!result && draft && !(job.guides = rv_alloc((size_t)image.width * (size_t)image.height, sizeof(RvViewGuide))))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory for a picture of %d x %d", options->width, options->height);
  if (!result) result = render_image(&job, cancelled, user, &scene.stats, error);
  if (!result && draft && !rv_view_smooth(&image, job.guides)) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_free(job.guides);
  if (!result && options->pass == RV_VIEW_DATA) finish_data(&job, &scene.stats, options);
  // Hand over the image, or release it after an error.
  scene.stats.build_seconds = built - start;
  scene.stats.render_seconds = rv_clock_wall() - built;
  if (stats) *stats = scene.stats;
  rv_view_scene_free(&scene);
  if (result)
    rv_view_image_free(&image);
  else
    *out = image;
  return result;
}

RvResult rv_view_render(const RvDetail* const* details, size_t count, const RvCamera* camera,
                        const RvViewOptions* options, bool (*cancelled)(void*, double), void* user, RvImage* out,
                        RvError* error) {
  return rv_view_render_stats(details, count, camera, options, cancelled, user, out, NULL, error);
}
