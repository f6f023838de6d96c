// Open curves to round segments: Catmull-Rom through the points, as finely as the picture can show.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "math/scalar.h"
#include "view/view_scene.h"

enum { GRAIN = 256, MAX_SPLITS = 8 };

static const double CHORD_PIXELS = 0.4;      // how far a chord may stray from the curve
static const double DEFAULT_RADIUS = 40e-6;  // a human hair's, in metres
static const double FARTHEST = 1e18;         // Embree's own limit is 1.8e18

// a number of an attribute wherever it lives
typedef struct Source {
  const RvAttrib* attrib;
  RvOwner owner;
  const float* fast;  // its data if plain floats
  int size;
} Source;

typedef struct Strand {
  uint32_t prim, points, splits;  // splits 0: not shown
  uint32_t made;                  // vertices made of it
  size_t vertex, segment;         // first of its own
} Strand;

typedef struct Hair {
  const RvLens* lens;
  double min_pixels;
  const int32_t *start, *point;  // the detail's topology
  const float* position32;
  const RvAttrib* position;
  Source width, radius, pscale, film, color, wet, id, speed, data;
  const RvViewOptions* options;
  Strand* strands;
  size_t count;
  RvPart* part;
} Hair;

static Source find(const RvDetail* detail, const char* name, int size) {
  const RvOwner owners[] = {RV_VERTEX, RV_POINT, RV_PRIM, RV_GLOBAL};
  Source s = {.attrib = rv_view_attrib(detail, name, size, owners, 4)};
  if (!s.attrib) return s;
  s.owner = rv_attrib_owner(s.attrib);
  s.size = rv_attrib_size(s.attrib);
  if (rv_attrib_storage(s.attrib) == RV_F32) s.fast = rv_attrib_read(s.attrib);
  return s;
}

static double value(const Source* s, size_t prim, size_t vertex, size_t point, int component) {
  size_t at = s->owner == RV_VERTEX ? vertex : s->owner == RV_POINT ? point : s->owner == RV_PRIM ? prim : 0;
  return s->fast ? s->fast[at * (size_t)s->size + (size_t)component] : rv_attrib_get(s->attrib, at, component);
}

static RvVec3 position(const Hair* h, const Strand* s, size_t i) {
  size_t p = (size_t)h->point[(size_t)h->start[s->prim] + i];
  RvVec3 at = h->position32 ? rv_vec3_load(h->position32 + 3 * p)
                            : rv_vec3(rv_attrib_get(h->position, p, 0), rv_attrib_get(h->position, p, 1),
                                      rv_attrib_get(h->position, p, 2));
  return rv_sub(at, h->lens->origin);
}

// the points about span i; beyond the ends the curve goes straight on
static void span(const Hair* h, const Strand* s, size_t i, RvVec3 p[4]) {
  p[1] = position(h, s, i);
  p[2] = position(h, s, i + 1);
  p[0] = i > 0 ? position(h, s, i - 1) : rv_sub(rv_scale(p[1], 2), p[2]);
  p[3] = i + 2 < s->points ? position(h, s, i + 2) : rv_sub(rv_scale(p[2], 2), p[1]);
}

static RvVec3 catmull_rom(const RvVec3 p[4], double t) {
  double t2 = t * t, t3 = t2 * t;
  RvVec3 sum = rv_scale(p[0], -t + 2 * t2 - t3);
  sum = rv_mad(sum, 2 - 5 * t2 + 3 * t3, p[1]);
  sum = rv_mad(sum, t + 4 * t2 - 3 * t3, p[2]);
  return rv_scale(rv_mad(sum, -t2 + t3, p[3]), 0.5);
}

// splits a span so that no chord strays visibly; 0 for a strand with a point that is no place
static void measure(void* arg, size_t begin, size_t end) {
  const Hair* h = arg;
  for (size_t k = begin; k < end; ++k) {
    Strand* s = &h->strands[k];
    s->splits = 1;
    bool good = true;
    for (size_t i = 0; i < s->points && good; ++i) {
      RvVec3 p = position(h, s, i);
      good = rv_vec3_finite(p) && rv_length(p) < FARTHEST;
    }
    double worst = 0;
    for (size_t i = 0; i + 1 < s->points && good; ++i) {
      RvVec3 p[4];
      span(h, s, i, p);
      // distance of the curve's middle from the chord's
      RvVec3 stray = rv_scale(rv_sub(rv_add(p[1], p[2]), rv_add(p[0], p[3])), 1.0 / 16);
      worst = fmax(worst, rv_length(stray) / rv_view_lens_pixel(h->lens, p[1]));
    }
    double wanted = ceil(sqrt(worst / CHORD_PIXELS));
    s->splits = good ? (uint32_t)rv_clamp(wanted, 1, MAX_SPLITS) : 0;
  }
}

// liquid on the strand is drawn around it, as thick as it is (WH-48); *core: the hair's own radius
static double radius_at(const Hair* h, const Strand* s, size_t i, double* core) {
  size_t vertex = (size_t)h->start[s->prim] + i, point = (size_t)h->point[vertex];
  double r = h->width.attrib    ? value(&h->width, s->prim, vertex, point, 0) / 2
             : h->radius.attrib ? value(&h->radius, s->prim, vertex, point, 0)
             : h->pscale.attrib ? value(&h->pscale, s->prim, vertex, point, 0)
                                : DEFAULT_RADIUS;
  *core = r > 0 && r < FARTHEST ? r : 0;
  // film is a tube of its own radius around the strand, where it is thicker than the strand is drawn (WH-48)
  if (h->film.attrib) r = fmax(r, value(&h->film, s->prim, vertex, point, 0));
  return r > 0 && r < FARTHEST ? r : 0;
}

// dark brown, each strand a little other, roots darker and tips sun-bleached
static RvVec3 natural_color(uint64_t id, double along) {
  RvRandom4 random = rv_random4(0x68616972, id, 0);
  double light = random.v[0] * 0x1p-32, red = random.v[1] * 0x1p-32;
  RvVec3 c = rv_lerp(rv_vec3(0.075, 0.034, 0.0155), rv_vec3(0.125, 0.050, 0.0195), red);
  double root = rv_clamp(along / 0.35, 0, 1);
  return rv_scale(c, (0.7 + 0.75 * light * light) * (0.55 + 0.45 * root * root * (3 - 2 * root)) * (1 + 0.25 * along));
}

static RvVec3 color_at(const Hair* h, const Strand* s, size_t i, double along, uint64_t id) {
  if (!h->color.attrib) return natural_color(id, along);
  size_t vertex = (size_t)h->start[s->prim] + i, point = (size_t)h->point[vertex];
  double c[3];
  for (int k = 0; k < 3; ++k) {
    double v = value(&h->color, s->prim, vertex, point, k);
    c[k] = v > 0 ? fmin(v, 1) : 0;
  }
  return rv_vec3_load64(c);
}

static double wet_at(const Hair* h, const Strand* s, size_t i) {
  size_t vertex = (size_t)h->start[s->prim] + i;
  double w = value(&h->wet, s->prim, vertex, (size_t)h->point[vertex], 0);
  return w > 0 ? fmin(w, 1) : 0;
}

static RvVec3 speed_at(const Hair* h, const Strand* s, size_t i, size_t next, double t) {
  double v[3];
  size_t a = (size_t)h->start[s->prim] + i, b = (size_t)h->start[s->prim] + next;
  for (int k = 0; k < 3; ++k) {
    v[k] = value(&h->speed, s->prim, a, (size_t)h->point[a], k) * (1 - t);
    if (t > 0) v[k] += value(&h->speed, s->prim, b, (size_t)h->point[b], k) * t;
    if (!isfinite(v[k])) v[k] = 0;
  }
  return rv_vec3_load64(v);
}

static double data_at(const Hair* h, const Strand* s, size_t i) {
  size_t vertex = (size_t)h->start[s->prim] + i;
  size_t at = h->data.owner == RV_VERTEX  ? vertex
              : h->data.owner == RV_POINT ? (size_t)h->point[vertex]
              : h->data.owner == RV_PRIM  ? s->prim
                                          : 0;
  return rv_view_data_value(h->options, h->data.attrib, at);
}

static void emit(const Hair* h, Strand* s, size_t i, double t, RvVec3 p, uint64_t id) {
  size_t next = i + (t > 0), at = s->vertex + s->made;
  double along = ((double)i + t) / (double)(s->points - 1);
  double core, next_core = 0, r = radius_at(h, s, i, &core) * (1 - t);
  r += t > 0 ? radius_at(h, s, next, &next_core) * t : 0;
  double least = h->min_pixels * rv_view_lens_pixel(h->lens, p), hair = core * (1 - t) + next_core * t;
  // a film thinner than a pixel shows as the shine of wet hair, not as a tube
  if (h->part->core) h->part->core[at] = r > 2 * least && r > 0 ? (float)rv_clamp(fmax(hair, least) / r, 0, 1) : 1;
  r = fmax(r, least);
  float* v = h->part->vertices + 4 * at;
  rv_vec3_store(v, p);
  v[3] = (float)r;
  // two points in one place make no segment
  if (s->made > 0) {
    double gap = rv_distance(rv_vec3_load(v), rv_vec3_load(v - 4));
    if (!(gap > 1e-3 * r) || !(gap > 1e-6 * rv_length(p))) return;
  }
  RvVec3 c = color_at(h, s, i, along, id);
  if (t > 0 && h->color.attrib) c = rv_lerp(c, color_at(h, s, next, along, id), t);
  rv_vec3_store(h->part->colors + 3 * at, c);
  h->part->along[at] = (float)along;
  if (h->part->speed) rv_vec3_store(h->part->speed + 3 * at, speed_at(h, s, i, next, t));
  if (h->part->values)
    h->part->values[at] = (float)(data_at(h, s, i) * (1 - t) + (t > 0 ? data_at(h, s, next) * t : 0));
  if (h->part->wet) h->part->wet[at] = (float)(wet_at(h, s, i) * (1 - t) + (t > 0 ? wet_at(h, s, next) * t : 0));
  s->made++;
}

static void fill_vertices(void* arg, size_t begin, size_t end) {
  const Hair* h = arg;
  for (size_t k = begin; k < end; ++k) {
    Strand* s = &h->strands[k];
    if (s->splits == 0) continue;
    size_t vertex = (size_t)h->start[s->prim];
    uint64_t id = h->id.attrib ? (uint64_t)(int64_t)rv_clamp(
                                     value(&h->id, s->prim, vertex, (size_t)h->point[vertex], 0), -9e18, 9e18)
                               : s->prim;
    for (size_t i = 0; i + 1 < s->points; ++i) {
      RvVec3 p[4];
      span(h, s, i, p);
      for (uint32_t j = 0; j < s->splits; ++j) {
        double t = (double)j / s->splits;
        emit(h, s, i, t, j ? catmull_rom(p, t) : p[1], id);
      }
    }
    emit(h, s, s->points - 1, 0, position(h, s, s->points - 1), id);
  }
}

static void fill_segments(void* arg, size_t begin, size_t end) {
  const Hair* h = arg;
  for (size_t k = begin; k < end; ++k) {
    const Strand* s = &h->strands[k];
    for (size_t i = 0; i + 1 < s->made; ++i) {
      h->part->indices[s->segment + i] = (uint32_t)(s->vertex + i);
      h->part->flags[s->segment + i] =
          (uint8_t)((i > 0 ? RTC_CURVE_FLAG_NEIGHBOR_LEFT : 0) | (i + 2 < s->made ? RTC_CURVE_FLAG_NEIGHBOR_RIGHT : 0));
    }
  }
}

// the strands of a detail, measured; false when out of memory
static bool list_strands(Hair* h, const RvDetail* detail) {
  size_t nprim = rv_detail_count(detail, RV_PRIM), count = 0;
  for (size_t i = 0; i < nprim; ++i) count += rv_detail_prim_type(detail, i) == RV_PRIM_CURVE;
  if (!(h->strands = rv_alloc_zero(count, sizeof(Strand)))) return false;
  for (size_t i = 0; i < nprim; ++i) {
    int32_t points = h->start[i + 1] - h->start[i];
    if (rv_detail_prim_type(detail, i) != RV_PRIM_CURVE || points < 2) continue;
    h->strands[h->count++] = (Strand){.prim = (uint32_t)i, .points = (uint32_t)points};
  }
  rv_parallel_for(h->count, GRAIN, measure, h);
  return true;
}

static bool take_memory(const Hair* h, RvPart* part, size_t nvertex) {
  bool wet = h->wet.attrib, film = h->film.attrib, moves = h->speed.attrib, data = h->data.attrib;
  part->nvertex = nvertex;
  // Embree reads a whole register at the last vertex
  return (part->vertices = rv_alloc_zero(nvertex + 1, 4 * sizeof(float))) &&
         (part->colors = rv_alloc(nvertex, 3 * sizeof(float))) && (part->along = rv_alloc(nvertex, sizeof(float))) &&
         (!wet || (part->wet = rv_alloc(nvertex, sizeof(float)))) &&
         (!film || (part->core = rv_alloc(nvertex, sizeof(float)))) &&
         (!moves || (part->speed = rv_alloc_zero(nvertex, 3 * sizeof(float)))) &&
         (!data || (part->values = rv_alloc(nvertex, sizeof(float)))) &&
         (part->indices = rv_alloc(nvertex, sizeof(uint32_t))) && (part->flags = rv_alloc(nvertex, 1));
}

static void count_segments(RvViewScene* scene, Hair* h) {
  for (size_t k = 0; k < h->count; ++k) {
    Strand* s = &h->strands[k];
    s->segment = h->part->count;
    if (s->made < 2) continue;
    h->part->count += s->made - 1;
    scene->stats.strands++;
    for (size_t i = 0; i < s->made; ++i) {
      const float* v = h->part->vertices + 4 * (s->vertex + i);
      rv_view_grow_bounds(scene, v, v[3]);
    }
  }
  scene->stats.segments += h->part->count;
}

RvResult rv_view_add_hair(RvViewScene* scene, const RvDetail* detail, const RvLens* lens, const RvViewOptions* options,
                          RvError* error) {
  Hair h = {.lens = lens,
            .options = options,
            .min_pixels = options->min_pixels,
            .start = rv_detail_prim_start(detail),
            .point = rv_detail_vertex_point(detail),
            .position32 = rv_detail_f32(detail, RV_POINT, "P", 3),
            .position = rv_detail_find(detail, RV_POINT, "P"),
            .width = find(detail, "width", 1),
            .radius = find(detail, "hairradius", 1),
            .pscale = find(detail, "pscale", 1),
            .film = find(detail, "filmradius", 1),
            .color = find(detail, "Cd", 3),
            .wet = find(detail, "wetness", 1),
            .id = find(detail, "id", 1)};
  if (options->shutter > 0) h.speed = find(detail, "v", 3);
  if ((h.data.attrib = rv_view_data_attrib(detail, options))) h.data.owner = rv_attrib_owner(h.data.attrib);
  RvResult result = RV_OK;
  if (!list_strands(&h, detail)) goto full;
  if (h.count == 0) goto done;
  size_t nvertex = 0;
  for (size_t k = 0; k < h.count; ++k) {
    Strand* s = &h.strands[k];
    s->vertex = nvertex;
    if (s->splits) nvertex += (size_t)(s->points - 1) * s->splits + 1;
    scene->stats.skipped += s->splits == 0;
  }
  if (nvertex > UINT32_MAX - 8) {
    result = rv_fail(error, RV_LIMIT, "%zu points of strands are more than a picture can show (4 thousand million)",
                     nvertex);
    goto done;
  }
  h.part = rv_view_new_part(scene, RV_PART_HAIR);
  if (!h.part || !take_memory(&h, h.part, nvertex)) goto full;
  rv_parallel_for(h.count, GRAIN, fill_vertices, &h);
  count_segments(scene, &h);
  rv_parallel_for(h.count, GRAIN, fill_segments, &h);
done:
  rv_free(h.strands);
  return result;
full:
  result = rv_fail(error, RV_NO_MEMORY, "out of memory for the strands of the picture");
  goto done;
}
