// Open curves as round line segments for Embree: a Catmull-Rom spline through the points, split until its chords are
// accurate to a fraction of a pixel, with radius, film, colour, wetness and velocity at each vertex.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "math/scalar.h"
#include "view/view_scene.h"

enum { ALONG, TILT, VARYING, AROUND = VARYING, INDEX, LOOKS };  // of a strand's look; the first vary along it
enum {
  GRAIN = 256,             // strands a task
  MAX_SPLITS = 8,          // segments a span
  COLOR_SEED = 0x68616972  // "hair"
};

static const double CHORD_ERROR = 0.4;       // greatest distance between chord and curve, pixels
static const double DRAFT_ERROR = 1;         // the same of pictures with few samples
static const double DEFAULT_RADIUS = 40e-6;  // of a human hair, metres
static const double FARTHEST = 1e18;         // metres; Embree's own limit is 1.8e18
static const double LEAST_GAP = 1e-3;        // of two vertices, in radii
static const double FLOAT_GAP = 1e-6;        // the same relative to their position, above the rounding of floats
static const double THIN_PIXELS = 1.5;       // radius up to which a strand is drawn flat
static const double LEAST_AROUND = 0.05;     // roughness around a fibre that the table resolves
static const double LARGEST_ID = 9e18;       // within the range of int64_t
// Film height, in fibre radii, that hides the scales: they stand out by about 0.5 of 40 micrometres, and waves of a
// thin film need some more.
static const double HIDING_FILM = 0.1;

// A numeric attribute of vertices, points, primitives or the detail.
typedef struct Source {
  const RvAttrib* attrib;
  RvOwner owner;
  const float* fast;  // its data if stored as 32-bit floats
  int size;           // components
} Source;

typedef struct Strand {
  uint32_t prim, points;   // primitive number, points of the curve
  uint32_t splits;         // segments a span; 0: the strand is skipped
  uint32_t vertex_count;   // vertices emitted
  size_t vertex, segment;  // its first vertex and segment in the part
} Strand;

typedef struct Hair {
  const RvLens* lens;
  double min_pixels;             // least drawn radius
  const int32_t *start, *point;  // the detail's topology
  const float* position32;
  const RvAttrib* position;
  Source width, radius, pscale, film, color, wet, height, id, velocity, data;
  Source look[LOOKS];  // roughness along the fibre, tilt, roughness around it, index
  const RvViewOptions* options;
  Strand* strands;
  size_t count;
  RvPart* part;
} Hair;

// Finds an attribute of at least `size` components; .attrib is NULL if there is none.
static Source find(const RvDetail* detail, const char* name, int size) {
  const RvOwner owners[] = {RV_VERTEX, RV_POINT, RV_PRIM, RV_GLOBAL};
  Source s = {.attrib = rv_view_attrib(detail, name, size, owners, 4)};
  if (!s.attrib) return s;
  s.owner = rv_attrib_owner(s.attrib);
  s.size = rv_attrib_size(s.attrib);
  if (rv_attrib_storage(s.attrib) == RV_F32) s.fast = rv_attrib_read(s.attrib);
  return s;
}

// One component of an attribute at a vertex of a curve.
static double value(const Source* s, size_t prim, size_t vertex, size_t point, int component) {
  size_t at = s->owner == RV_VERTEX ? vertex : s->owner == RV_POINT ? point : s->owner == RV_PRIM ? prim : 0;
  return s->fast ? s->fast[at * (size_t)s->size + (size_t)component] : rv_attrib_get(s->attrib, at, component);
}

// Position of point i of a strand, relative to the lens.
static RvVec3 position(const Hair* h, const Strand* s, size_t i) {
  size_t p = (size_t)h->point[(size_t)h->start[s->prim] + i];
  RvVec3 at = h->position32 ? rv_vec3_load(h->position32 + 3 * p)
                            : rv_vec3(rv_attrib_get(h->position, p, 0), rv_attrib_get(h->position, p, 1),
                                      rv_attrib_get(h->position, p, 2));
  return rv_sub(at, h->lens->origin);
}

// Control points of span i; the curve is extrapolated linearly beyond its ends.
static void span(const Hair* h, const Strand* s, size_t i, RvVec3 p[4]) {
  p[1] = position(h, s, i);
  p[2] = position(h, s, i + 1);
  p[0] = i > 0 ? position(h, s, i - 1) : rv_sub(rv_scale(p[1], 2), p[2]);
  p[3] = i + 2 < s->points ? position(h, s, i + 2) : rv_sub(rv_scale(p[2], 2), p[1]);
}

// Uniform Catmull-Rom spline between p[1] and p[2].
static RvVec3 catmull_rom(const RvVec3 p[4], double t) {
  double t2 = t * t, t3 = t2 * t;
  RvVec3 sum = rv_scale(p[0], -t + 2 * t2 - t3);
  sum = rv_mad(sum, 2 - 5 * t2 + 3 * t3, p[1]);
  sum = rv_mad(sum, t + 4 * t2 - 3 * t3, p[2]);
  return rv_scale(rv_mad(sum, -t2 + t3, p[3]), 0.5);
}

// Chooses the number of segments a span from the chord error; 0 for a strand with a point that is not finite. The error
// falls with the square of the number of segments.
static void choose_splits(void* arg, size_t begin, size_t end) {
  const Hair* h = arg;
  for (size_t k = begin; k < end; ++k) {
    Strand* s = &h->strands[k];
    s->splits = 1;
    bool good = true;
    for (size_t i = 0; i < s->points && good; ++i) {
      RvVec3 p = position(h, s, i);
      good = rv_vec3_finite(p) && rv_length(p) < FARTHEST;
    }
    double worst_error = 0;
    for (size_t i = 0; i + 1 < s->points && good; ++i) {
      RvVec3 p[4];
      span(h, s, i, p);
      // Distance between the midpoints of curve and chord.
      RvVec3 deviation = rv_scale(rv_sub(rv_add(p[1], p[2]), rv_add(p[0], p[3])), 1.0 / 16);
      worst_error = fmax(worst_error, rv_length(deviation) / rv_view_lens_pixel(h->lens, p[1]));
    }
    double allowed = h->options->samples < RV_VIEW_FEW_SAMPLES ? DRAFT_ERROR : CHORD_ERROR;
    double wanted = ceil(sqrt(worst_error / allowed));
    s->splits = good ? (uint32_t)rv_clamp(wanted, 1, MAX_SPLITS) : 0;
  }
}

// Drawn radius at point i of a strand: the fibre, or the liquid film around it where that is larger (WH-48); *core: the
// radius of the fibre alone.
static double radius_at(const Hair* h, const Strand* s, size_t i, double* core) {
  size_t vertex = (size_t)h->start[s->prim] + i, point = (size_t)h->point[vertex];
  double r = h->width.attrib    ? value(&h->width, s->prim, vertex, point, 0) / 2
             : h->radius.attrib ? value(&h->radius, s->prim, vertex, point, 0)
             : h->pscale.attrib ? value(&h->pscale, s->prim, vertex, point, 0)
                                : DEFAULT_RADIUS;
  *core = r > 0 && r < FARTHEST ? r : 0;
  if (h->film.attrib) r = fmax(r, value(&h->film, s->prim, vertex, point, 0));
  return r > 0 && r < FARTHEST ? r : 0;
}

// Default hair colour: dark brown, varied from strand to strand, darker at the root and lighter at the tip.
static RvVec3 natural_color(uint64_t id, double along) {
  RvRandom4 random = rv_random4(COLOR_SEED, id, 0);
  double light = random.v[0] * 0x1p-32, red = random.v[1] * 0x1p-32;
  RvVec3 c = rv_lerp(rv_vec3(0.075, 0.034, 0.0155), rv_vec3(0.125, 0.050, 0.0195), red);
  // Smoothstep over the first 35 % of the strand.
  double root = rv_clamp(along / 0.35, 0, 1);
  return rv_scale(c, (0.7 + 0.75 * light * light) * (0.55 + 0.45 * root * root * (3 - 2 * root)) * (1 + 0.25 * along));
}

// Colour at point i: the attribute, clamped to 0..1, or the default colour.
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

// Wetness at point i, clamped to 0..1.
static double wet_at(const Hair* h, const Strand* s, size_t i) {
  size_t vertex = (size_t)h->start[s->prim] + i;
  double w = value(&h->wet, s->prim, vertex, (size_t)h->point[vertex], 0);
  return w > 0 ? fmin(w, 1) : 0;
}

// Share of the fibre's surface that the film covers at point i, by its height over the radius of the fibre.
static double film_at(const Hair* h, const Strand* s, size_t i) {
  size_t vertex = (size_t)h->start[s->prim] + i;
  double core, height = value(&h->height, s->prim, vertex, (size_t)h->point[vertex], 0);
  radius_at(h, s, i, &core);
  return height > 0 && core > 0 ? fmin(height / (HIDING_FILM * core), 1) : 0;
}

// Look number k at point i, or its default.
static double look_at(const Hair* h, const Strand* s, size_t i, int k) {
  static const double standard[LOOKS] = {RV_LOOK_HAIR_ROUGHNESS, RV_LOOK_HAIR_TILT, RV_LOOK_HAIR_ROUGHNESS,
                                         RV_LOOK_HAIR_IOR};
  if (!h->look[k].attrib) return standard[k];
  size_t vertex = (size_t)h->start[s->prim] + i;
  double v = value(&h->look[k], s->prim, vertex, (size_t)h->point[vertex], 0);
  return isfinite(v) ? v : standard[k];
}

// Velocity between points i and next at parameter t; components that are not finite count as 0.
static RvVec3 velocity_at(const Hair* h, const Strand* s, size_t i, size_t next, double t) {
  double v[3];
  size_t a = (size_t)h->start[s->prim] + i, b = (size_t)h->start[s->prim] + next;
  for (int k = 0; k < 3; ++k) {
    v[k] = value(&h->velocity, s->prim, a, (size_t)h->point[a], k) * (1 - t);
    if (t > 0) v[k] += value(&h->velocity, s->prim, b, (size_t)h->point[b], k) * t;
    if (!isfinite(v[k])) v[k] = 0;
  }
  return rv_vec3_load64(v);
}

// Attribute of false colours at point i, in the unit of the legend.
static double data_at(const Hair* h, const Strand* s, size_t i) {
  size_t vertex = (size_t)h->start[s->prim] + i;
  size_t at = h->data.owner == RV_VERTEX  ? vertex
              : h->data.owner == RV_POINT ? (size_t)h->point[vertex]
              : h->data.owner == RV_PRIM  ? s->prim
                                          : 0;
  return rv_view_data_value(h->options, h->data.attrib, at);
}

// Emits the vertex at parameter t of span i, at position p. A vertex on top of the previous one is dropped.
static void emit_vertex(const Hair* h, Strand* s, size_t i, double t, RvVec3 p, uint64_t id) {
  size_t next = i + (t > 0), at = s->vertex + s->vertex_count;
  double along = ((double)i + t) / (double)(s->points - 1);
  double core, next_core = 0, r = radius_at(h, s, i, &core) * (1 - t);
  r += t > 0 ? radius_at(h, s, next, &next_core) * t : 0;
  double least = h->min_pixels * rv_view_lens_pixel(h->lens, p);
  double hair = core * (1 - t) + next_core * t;
  // A film thinner than the least drawn radius appears as the shine of wet hair, not as a tube.
  if (h->part->core) h->part->core[at] = r > 2 * least && r > 0 ? (float)rv_clamp(fmax(hair, least) / r, 0, 1) : 1;
  r = fmax(r, least);
  float* v = h->part->vertices + 4 * at;
  rv_vec3_store(v, p);
  v[3] = (float)r;
  // Embree needs segments of positive length.
  if (s->vertex_count > 0) {
    double gap = rv_distance(rv_vec3_load(v), rv_vec3_load(v - 4));
    if (!(gap > LEAST_GAP * r) || !(gap > FLOAT_GAP * rv_length(p))) return;
  }
  // Shading data, interpolated linearly along the span.
  RvVec3 c = color_at(h, s, i, along, id);
  if (t > 0 && h->color.attrib) c = rv_lerp(c, color_at(h, s, next, along, id), t);
  rv_vec3_store(h->part->colors + 3 * at, c);
  h->part->along[at] = (float)along;
  if (h->part->velocity) rv_vec3_store(h->part->velocity + 3 * at, velocity_at(h, s, i, next, t));
  if (h->part->values)
    h->part->values[at] = (float)(data_at(h, s, i) * (1 - t) + (t > 0 ? data_at(h, s, next) * t : 0));
  if (h->part->wet) h->part->wet[at] = (float)(wet_at(h, s, i) * (1 - t) + (t > 0 ? wet_at(h, s, next) * t : 0));
  if (h->part->film) h->part->film[at] = (float)(film_at(h, s, i) * (1 - t) + (t > 0 ? film_at(h, s, next) * t : 0));
  for (int k = 0; h->part->look && k < VARYING; ++k)
    h->part->look[VARYING * at + (size_t)k] =
        (float)(look_at(h, s, i, k) * (1 - t) + (t > 0 ? look_at(h, s, next, k) * t : 0));
  s->vertex_count++;
}

// Emits the vertices of a range of strands.
static void fill_vertices(void* arg, size_t begin, size_t end) {
  const Hair* h = arg;
  for (size_t k = begin; k < end; ++k) {
    Strand* s = &h->strands[k];
    if (s->splits == 0) continue;
    size_t vertex = (size_t)h->start[s->prim];
    uint64_t id = h->id.attrib
                      ? (uint64_t)(int64_t)rv_clamp(value(&h->id, s->prim, vertex, (size_t)h->point[vertex], 0),
                                                    -LARGEST_ID, LARGEST_ID)
                      : s->prim;
    for (size_t i = 0; i + 1 < s->points; ++i) {
      RvVec3 p[4];
      span(h, s, i, p);
      for (uint32_t j = 0; j < s->splits; ++j) {
        double t = (double)j / s->splits;
        emit_vertex(h, s, i, t, j ? catmull_rom(p, t) : p[1], id);
      }
    }
    emit_vertex(h, s, s->points - 1, 0, position(h, s, s->points - 1), id);
  }
}

// Connects the vertices of a range of strands.
static void fill_segments(void* arg, size_t begin, size_t end) {
  const Hair* h = arg;
  for (size_t k = begin; k < end; ++k) {
    const Strand* s = &h->strands[k];
    for (size_t i = 0; i + 1 < s->vertex_count; ++i) {
      h->part->indices[s->segment + i] = (uint32_t)(s->vertex + i);
      h->part->flags[s->segment + i] = (uint8_t)((i > 0 ? RTC_CURVE_FLAG_NEIGHBOR_LEFT : 0) |
                                                 (i + 2 < s->vertex_count ? RTC_CURVE_FLAG_NEIGHBOR_RIGHT : 0));
    }
  }
}

// Lists the curves of a detail and chooses their splits; false when out of memory.
static bool list_strands(Hair* h, const RvDetail* detail) {
  size_t nprim = rv_detail_count(detail, RV_PRIM), count = 0;
  for (size_t i = 0; i < nprim; ++i) count += rv_detail_prim_type(detail, i) == RV_PRIM_CURVE;
  if (!(h->strands = rv_alloc_zero(count, sizeof(Strand)))) return false;
  for (size_t i = 0; i < nprim; ++i) {
    int32_t points = h->start[i + 1] - h->start[i];
    if (rv_detail_prim_type(detail, i) != RV_PRIM_CURVE || points < 2) continue;
    h->strands[h->count++] = (Strand){.prim = (uint32_t)i, .points = (uint32_t)points};
  }
  rv_parallel_for(h->count, GRAIN, choose_splits, h);
  return true;
}

// Allocates the arrays of the part; false when out of memory.
static bool allocate_part(const Hair* h, RvPart* part, size_t nvertex) {
  bool wet = h->wet.attrib;
  bool film = h->film.attrib;
  bool covered = wet && h->height.attrib;
  bool moves = h->velocity.attrib;
  bool data = h->data.attrib;
  bool look = h->look[ALONG].attrib || h->look[TILT].attrib;
  part->nvertex = nvertex;
  // Embree reads 16 bytes at the last vertex, so one vertex of padding follows.
  return (part->vertices = rv_alloc_zero(nvertex + 1, 4 * sizeof(float))) &&
         (part->colors = rv_alloc(nvertex, 3 * sizeof(float))) && (part->along = rv_alloc(nvertex, sizeof(float))) &&
         (!wet || (part->wet = rv_alloc(nvertex, sizeof(float)))) &&
         (!covered || (part->film = rv_alloc(nvertex, sizeof(float)))) &&
         (!look || (part->look = rv_alloc(nvertex, VARYING * sizeof(float)))) &&
         (part->fibres = rv_alloc(1, sizeof(RvFibreTable))) &&
         (!film || (part->core = rv_alloc(nvertex, sizeof(float)))) &&
         (!moves || (part->velocity = rv_alloc_zero(nvertex, 3 * sizeof(float)))) &&
         (!data || (part->values = rv_alloc(nvertex, sizeof(float)))) &&
         (part->indices = rv_alloc(nvertex, sizeof(uint32_t))) && (part->flags = rv_alloc(nvertex, 1));
}

// Makes the table of the fibres: index and roughness around them are the means over the strands.
static void make_table(const Hair* h) {
  double around = 0, index = 0;
  for (size_t k = 0; k < h->count; ++k) {
    around += look_at(h, &h->strands[k], 0, AROUND) / (double)h->count;
    index += look_at(h, &h->strands[k], 0, INDEX) / (double)h->count;
  }
  rv_view_fibre_table(h->part->fibres, rv_clamp(index, 1.01, 3), rv_clamp(around, LEAST_AROUND, 1));
}

// Removes the film of vertices inside a level set of liquid, which shows it already.
static void uncover(const RvViewScene* scene, const Hair* h) {
  RvPart* part = h->part;
  uint8_t* inside = part->core ? rv_view_inside_water(scene, h->lens, part->vertices, 0, part->nvertex) : NULL;
  for (size_t i = 0; inside && i < part->nvertex; ++i) {
    if (!inside[i] || !(part->core[i] < 1)) continue;
    part->vertices[4 * i + 3] *= part->core[i];
    part->core[i] = 1;
  }
  rv_free(inside);
}

// True if no strand looks round: it is narrower than a few pixels, and no film shows on it.
static bool is_thin(const Hair* h) {
  if (h->part->core) return false;
  for (size_t k = 0; k < h->count; ++k)
    for (size_t i = 0; i < h->strands[k].vertex_count; ++i) {
      const float* v = h->part->vertices + 4 * (h->strands[k].vertex + i);
      if (v[3] > THIN_PIXELS * rv_view_lens_pixel(h->lens, rv_vec3_load(v))) return false;
    }
  return true;
}

// Numbers the segments of all strands and extends the bounds and statistics of the scene.
static void count_segments(RvViewScene* scene, Hair* h) {
  for (size_t k = 0; k < h->count; ++k) {
    Strand* s = &h->strands[k];
    s->segment = h->part->count;
    if (s->vertex_count < 2) continue;
    h->part->count += s->vertex_count - 1;
    scene->stats.strands++;
    for (size_t i = 0; i < s->vertex_count; ++i) {
      const float* v = h->part->vertices + 4 * (s->vertex + i);
      rv_view_grow_bounds(scene, v, v[3]);
    }
  }
  scene->stats.segments += h->part->count;
}

// Finds the topology and the attributes of the strands.
static Hair read_attributes(const RvDetail* detail, const RvLens* lens, const RvViewOptions* options) {
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
            .height = find(detail, "filmheight", 1),
            .id = find(detail, "id", 1)};
  static const char* const looks[LOOKS] = {RV_LOOK_ROUGHNESS, RV_LOOK_TILT, RV_LOOK_ROUGHNESS_AROUND, RV_LOOK_IOR};
  for (int k = 0; k < LOOKS; ++k) h.look[k] = find(detail, looks[k], 1);
  if (options->shutter > 0) h.velocity = find(detail, "v", 3);
  h.data.attrib = rv_view_data_attrib(detail, options);
  if (h.data.attrib) h.data.owner = rv_attrib_owner(h.data.attrib);
  return h;
}

// Numbers the vertices: each strand gets the room of its splits. Returns their number.
static size_t number_vertices(RvViewScene* scene, Hair* h) {
  size_t nvertex = 0;
  for (size_t k = 0; k < h->count; ++k) {
    Strand* s = &h->strands[k];
    s->vertex = nvertex;
    if (s->splits) nvertex += (size_t)(s->points - 1) * s->splits + 1;
    scene->stats.skipped += s->splits == 0;
  }
  return nvertex;
}

RvResult rv_view_add_hair(RvViewScene* scene, const RvDetail* detail, const RvLens* lens, const RvViewOptions* options,
                          RvError* error) {
  Hair h = read_attributes(detail, lens, options);
  RvResult result = RV_OK;
  if (!list_strands(&h, detail)) goto full;
  if (h.count == 0) goto done;
  size_t nvertex = number_vertices(scene, &h);
  // Indices of vertices have 32 bits; the margin covers Embree's padding.
  if (nvertex > UINT32_MAX - 8) {
    result = rv_fail(
        error, RV_LIMIT,
        "the strands need %zu vertices, more than the 4 thousand million of one picture: hide some of them", nvertex);
    goto done;
  }
  // Fill the part strand by strand.
  h.part = rv_view_new_part(scene, RV_PART_HAIR);
  if (!h.part || !allocate_part(&h, h.part, nvertex)) goto full;
  h.part->baked = rv_view_baked(detail);
  make_table(&h);
  rv_parallel_for(h.count, GRAIN, fill_vertices, &h);
  uncover(scene, &h);
  count_segments(scene, &h);
  h.part->thin = is_thin(&h);
  rv_parallel_for(h.count, GRAIN, fill_segments, &h);
done:
  rv_free(h.strands);
  return result;
full:
  result = rv_fail(error, RV_NO_MEMORY, "out of memory for the strands of the picture");
  goto done;
}
