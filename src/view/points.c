// Loose points: liquid particles, joined to a surface where they lie close together, or coloured spheres. And the drops
// that hang at the tips of strands.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "view/view_scene.h"

static const double FARTHEST = 1e18;        // metres; Embree's own limit is 1.8e18
static const double FLATTEST = 0.02;        // smallest side of the box for the guess, over its longest side
static const double LARGEST_SHARE = 0.1;    // largest guessed radius over the longest side
static const double FLOOR_ANGLE = 0.9;      // contact angle of drops on floor and skin, about 50 degrees: clean and dry
static const double DEFAULT_RADIUS = 0.01;  // metres, where all points coincide and have no pscale

// Marks the points that a primitive uses, and lamps; NULL when out of memory.
static uint8_t* used_points(const RvDetail* detail) {
  size_t npoint = rv_detail_count(detail, RV_POINT);
  size_t nvertex = rv_detail_count(detail, RV_VERTEX);
  uint8_t* used = rv_alloc_zero(npoint, 1);
  if (!used) return NULL;
  const int32_t* point = rv_detail_vertex_point(detail);
  for (size_t i = 0; i < nvertex; ++i) used[point[i]] = 1;
  // Lamps are not drawn.
  const RvAttrib* lamps = rv_view_lamp_kinds(detail);
  for (size_t i = 0; lamps && i < npoint; ++i)
    if (rv_attrib_get(lamps, i, 0) > 0) used[i] = 1;
  return used;
}

// Radius of points without pscale: half the mean distance in their bounding box, which is joined as at least 2 % of its
// longest side in each direction; at most a tenth of that side.
static double guessed_radius(const RvDetail* detail, size_t count) {
  double lo[3], hi[3];
  if (!rv_detail_bounds(detail, lo, hi)) return 0;
  double longest = fmax(fmax(hi[0] - lo[0], hi[1] - lo[1]), hi[2] - lo[2]), volume = 1;
  if (!(longest > 0)) return DEFAULT_RADIUS;
  for (int k = 0; k < 3; ++k) volume *= fmax(hi[k] - lo[k], FLATTEST * longest);
  return fmin(0.5 * cbrt(volume / (double)count), LARGEST_SHARE * longest);
}

// Element of a point or detail attribute at a point.
static size_t element_of(const RvAttrib* a, size_t point) {
  return rv_attrib_owner(a) == RV_POINT ? point : 0;
}

static void free_drops(RvViewDrops* d) {
  rv_free(d->place);
  rv_free(d->velocity);
  rv_free(d->value);
  rv_free(d->color);
}

// Vector attribute at a point.
static RvVec3 vector_of(const RvAttrib* a, size_t point) {
  size_t i = element_of(a, point);
  return rv_vec3(rv_attrib_get(a, i, 0), rv_attrib_get(a, i, 1), rv_attrib_get(a, i, 2));
}

// Copies the finite points that no primitive uses, with their attributes; false when out of memory.
static bool copy_drops(RvViewDrops* d, RvViewScene* scene, const RvDetail* detail, const uint8_t* used, size_t loose,
                       const RvLens* lens, const RvViewOptions* options) {
  // Attributes and room for them.
  const RvOwner owners[] = {RV_POINT, RV_GLOBAL};
  const RvAttrib* P = rv_detail_find(detail, RV_POINT, "P");
  const RvAttrib* Cd = rv_view_attrib(detail, "Cd", 3, owners, 2);
  const RvAttrib* pscale = rv_view_attrib(detail, "pscale", 1, owners, 2);
  const RvAttrib* v = options->shutter > 0 ? rv_view_attrib(detail, "v", 3, owners, 1) : NULL;
  const RvAttrib* data = rv_view_data_attrib(detail, options);
  if (data && rv_attrib_owner(data) != RV_POINT && rv_attrib_owner(data) != RV_GLOBAL) data = NULL;
  if (!(d->place = rv_alloc(loose, 4 * sizeof(float))) || (v && !(d->velocity = rv_alloc(loose, 3 * sizeof(float)))) ||
      (data && !(d->value = rv_alloc(loose, sizeof(float)))) ||
      (Cd && !(d->color = rv_alloc(loose, 3 * sizeof(float)))))
    return false;
  // Position, radius, velocity, value and colour of each point.
  double guess = pscale ? 0 : guessed_radius(detail, loose);
  size_t npoint = rv_detail_count(detail, RV_POINT);
  for (size_t i = 0; i < npoint; ++i) {
    if (used[i]) continue;
    RvVec3 p = rv_sub(vector_of(P, i), lens->origin);
    double r = pscale ? rv_attrib_get(pscale, element_of(pscale, i), 0) : guess;
    if (!rv_vec3_finite(p) || rv_length(p) > FARTHEST || !isfinite(r) || r < 0 || r > FARTHEST) {
      scene->stats.skipped++;
      continue;
    }
    float* to = d->place + 4 * d->count;
    rv_vec3_store(to, p);
    to[3] = (float)r;
    RvVec3 speed = v ? vector_of(v, i) : rv_vec3(0, 0, 0);
    if (v) rv_vec3_store(d->velocity + 3 * d->count, rv_vec3_finite(speed) ? speed : rv_vec3(0, 0, 0));
    if (data) d->value[d->count] = (float)rv_view_data_value(options, data, element_of(data, i));
    if (Cd) rv_vec3_store(d->color + 3 * d->count, vector_of(Cd, i));
    d->count++;
  }
  return true;
}

// Marks drops that a level set of liquid shows already.
static void leave_covered(const RvViewScene* scene, const RvViewDrops* d, const RvLens* lens, uint8_t* joined) {
  uint8_t* inside = rv_view_inside_water(scene, lens, d->place, 1, d->count);
  for (size_t i = 0; inside && i < d->count; ++i) joined[i] |= inside[i];
  rv_free(inside);
}

void rv_view_drop_on_surface(float* v, RvVec3 foot, RvVec3 normal, double height) {
  double r = v[3];
  if (!(r > 0) || !(height < r)) return;
  double angle = FLOOR_ANGLE + (RV_PI - FLOOR_ANGLE) * fmax(height / r, 0), c = cos(angle);
  // Volume of a cap, pi R^3 (1 - c)^2 (2 + c) / 3, is that of the ball.
  double larger = r * cbrt(4 / ((1 - c) * (1 - c) * (2 + c)));
  rv_vec3_store(v, rv_mad(foot, -larger * c, normal));
  v[3] = (float)larger;
}

void rv_view_drop_on_floor(float* v, double floor) {
  rv_view_drop_on_surface(v, rv_vec3(v[0], floor, v[2]), rv_vec3(0, 1, 0), v[1] - floor);
}

// Adds the points that no surface covers as spheres; false when out of memory.
static bool add_spheres(RvViewScene* scene, const RvViewDrops* d, const uint8_t* joined, const RvLens* lens,
                        const RvViewOptions* options, double min_pixels) {
  // A floor whose height is given cuts drops; one at the lowest point lies below them.
  bool floored = options->ground && !options->furnace && !isnan(options->ground_height);
  double floor = floored ? options->ground_height - lens->origin.y : -INFINITY;
  size_t count = 0;
  for (size_t i = 0; i < d->count; ++i) count += !joined[i];
  if (count == 0) return true;
  // Room for their attributes.
  RvPart* part = rv_view_new_part(scene, RV_PART_SPHERES);
  if (!part || !(part->vertices = rv_alloc(count, 4 * sizeof(float))) ||
      (d->color && !(part->colors = rv_alloc(count, 3 * sizeof(float)))) ||
      (d->velocity && !(part->velocity = rv_alloc(count, 3 * sizeof(float)))) ||
      (d->value && !(part->values = rv_alloc(count, sizeof(float)))))
    return false;
  // Radii are widened to the least drawn radius.
  for (size_t i = 0; i < d->count; ++i) {
    if (joined[i]) continue;
    size_t n = part->count++;
    float* v = part->vertices + 4 * n;
    memcpy(v, d->place + 4 * i, 4 * sizeof(float));
    v[3] = (float)fmax(v[3], min_pixels * rv_view_lens_pixel(lens, rv_vec3_load(v)));
    if (d->color) memcpy(part->colors + 3 * n, d->color + 3 * i, 3 * sizeof(float));
    if (d->velocity) memcpy(part->velocity + 3 * n, d->velocity + 3 * i, 3 * sizeof(float));
    if (d->value) part->values[n] = d->value[i];
    rv_view_grow_bounds(scene, v, v[3]);
    if (!d->color) rv_view_drop_on_floor(v, floor);
  }
  part->nvertex = part->count;
  scene->stats.spheres += part->count;
  return true;
}

// Removes particles that a level set of liquid shows already.
static void drop_covered(const RvViewScene* scene, RvViewDrops* d, const RvLens* lens) {
  uint8_t* inside = rv_view_inside_water(scene, lens, d->place, 1, d->count);
  size_t kept = 0;
  for (size_t i = 0; inside && i < d->count; ++i) {
    if (inside[i]) continue;
    memmove(d->place + 4 * kept, d->place + 4 * i, 4 * sizeof(float));
    if (d->velocity) memmove(d->velocity + 3 * kept, d->velocity + 3 * i, 3 * sizeof(float));
    if (d->value) d->value[kept] = d->value[i];
    kept++;
  }
  if (inside) d->count = kept;
  rv_free(inside);
}

// Adds the drops at the tips of strands, points with a dropradius, as spheres. False when out of memory.
static bool add_tip_drops(RvViewScene* scene, const RvDetail* detail, const RvLens* lens,
                          const RvViewOptions* options) {
  const RvOwner owner = RV_POINT;
  const RvAttrib* radius = rv_view_attrib(detail, "dropradius", 1, &owner, 1);
  const RvAttrib* P = rv_detail_find(detail, RV_POINT, "P");
  size_t npoint = rv_detail_count(detail, RV_POINT), count = 0;
  for (size_t i = 0; radius && i < npoint; ++i) count += rv_attrib_get(radius, i, 0) > 0;
  if (count == 0) return true;
  const RvAttrib* v = options->shutter > 0 ? rv_view_attrib(detail, "v", 3, &owner, 1) : NULL;
  RvViewDrops d = {.place = rv_alloc(count, 4 * sizeof(float)), .velocity = v ? rv_alloc(count, 3 * sizeof(float)) : 0};
  uint8_t* joined = rv_alloc_zero(count, 1);
  bool good = joined && d.place && (!v || d.velocity);
  for (size_t i = 0; good && i < npoint; ++i) {
    RvVec3 p = rv_sub(vector_of(P, i), lens->origin), speed = v ? vector_of(v, i) : rv_vec3(0, 0, 0);
    double r = rv_attrib_get(radius, i, 0);
    if (!(r > 0) || !(r < FARTHEST) || !rv_vec3_finite(p) || !rv_vec3_finite(speed) || rv_length(p) > FARTHEST)
      continue;
    rv_vec3_store(d.place + 4 * d.count, p);
    d.place[4 * d.count + 3] = (float)r;
    if (v) rv_vec3_store(d.velocity + 3 * d.count, speed);
    d.count++;
  }
  if (good) leave_covered(scene, &d, lens, joined);
  good = good && (d.count == 0 || add_spheres(scene, &d, joined, lens, options, 0));
  free_drops(&d);
  rv_free(joined);
  return good;
}

RvResult rv_view_add_points(RvViewScene* scene, const RvDetail* detail, const RvLens* lens,
                            const RvViewOptions* options, RvError* error) {
  size_t npoint = rv_detail_count(detail, RV_POINT), loose = 0;
  if (npoint == 0) return RV_OK;
  RvViewDrops drops = {0};
  RvResult result = RV_OK;
  uint8_t *used = used_points(detail), *joined = NULL;
  for (size_t i = 0; used && i < npoint; ++i) loose += !used[i];
  bool good = used && (loose == 0 || ((joined = rv_alloc_zero(loose, 1)) &&
                                      copy_drops(&drops, scene, detail, used, loose, lens, options)));
  if (good && drops.count && !drops.color) drop_covered(scene, &drops, lens);
  // Points without colour are liquid and join into a surface; all others are spheres, and small drops on meshes.
  bool surface = good && !drops.color && options->liquid == RV_VIEW_LIQUID_SURFACE;
  size_t gathered = 0;
  if (surface && drops.count) good = rv_view_gather_drops(scene, &drops, &gathered);
  if (good && surface && drops.count > gathered) {
    RvViewDrops others = {drops.count - gathered, drops.place + 4 * gathered,
                          drops.velocity ? drops.velocity + 3 * gathered : NULL,
                          drops.value ? drops.value + gathered : NULL, NULL};
    result = rv_view_add_liquid(scene, &others, lens, options, joined + gathered, error);
  }
  if (good && !result && drops.count) good = add_spheres(scene, &drops, joined, lens, options, options->min_pixels);
  if (good && !result) good = add_tip_drops(scene, detail, lens, options);
  free_drops(&drops);
  rv_free(used);
  rv_free(joined);
  return good || result ? result : rv_fail(error, RV_NO_MEMORY, "out of memory for %zu points", loose);
}
