// Loose points: drops of liquid, joined to a surface where they lie close, and spheres where they have a colour.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "view/view_scene.h"

static const double FARTHEST = 1e18;  // Embree's own limit is 1.8e18

// marks the points that some primitive uses; NULL when out of memory
static uint8_t* used_points(const RvDetail* detail) {
  size_t npoint = rv_detail_count(detail, RV_POINT), nvertex = rv_detail_count(detail, RV_VERTEX);
  uint8_t* used = rv_alloc_zero(npoint, 1);
  if (!used) return NULL;
  const int32_t* point = rv_detail_vertex_point(detail);
  for (size_t i = 0; i < nvertex; ++i) used[point[i]] = 1;
  return used;
}

// without pscale: spheres that would fill the box about half, were they spread evenly
static double guessed_radius(const RvDetail* detail, size_t count) {
  double lo[3], hi[3];
  if (!rv_detail_bounds(detail, lo, hi)) return 0;
  double longest = fmax(fmax(hi[0] - lo[0], hi[1] - lo[1]), hi[2] - lo[2]), volume = 1;
  if (!(longest > 0)) return 0.01;
  for (int k = 0; k < 3; ++k) volume *= fmax(hi[k] - lo[k], 0.02 * longest);
  return fmin(0.5 * cbrt(volume / (double)count), 0.1 * longest);
}

static size_t element_of(const RvAttrib* a, size_t point) {
  return rv_attrib_owner(a) == RV_POINT ? point : 0;
}

static void free_drops(RvDrops* d) {
  rv_free(d->place);
  rv_free(d->speed);
  rv_free(d->value);
  rv_free(d->color);
}

static RvVec3 vector_of(const RvAttrib* a, size_t point) {
  size_t i = element_of(a, point);
  return rv_vec3(rv_attrib_get(a, i, 0), rv_attrib_get(a, i, 1), rv_attrib_get(a, i, 2));
}

// the points that no primitive uses and that are places; false when out of memory
static bool take_drops(RvDrops* d, RvViewScene* scene, const RvDetail* detail, const uint8_t* used, size_t loose,
                       const RvLens* lens, const RvViewOptions* options) {
  const RvOwner owners[] = {RV_POINT, RV_GLOBAL};
  const RvAttrib *P = rv_detail_find(detail, RV_POINT, "P"), *Cd = rv_view_attrib(detail, "Cd", 3, owners, 2);
  const RvAttrib* pscale = rv_view_attrib(detail, "pscale", 1, owners, 2);
  const RvAttrib* v = options->shutter > 0 ? rv_view_attrib(detail, "v", 3, owners, 1) : NULL;
  const RvAttrib* data = rv_view_data_attrib(detail, options);
  if (data && rv_attrib_owner(data) != RV_POINT && rv_attrib_owner(data) != RV_GLOBAL) data = NULL;
  if (!(d->place = rv_alloc(loose, 4 * sizeof(float))) || (v && !(d->speed = rv_alloc(loose, 3 * sizeof(float)))) ||
      (data && !(d->value = rv_alloc(loose, sizeof(float)))) ||
      (Cd && !(d->color = rv_alloc(loose, 3 * sizeof(float)))))
    return false;
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
    if (v) rv_vec3_store(d->speed + 3 * d->count, rv_vec3_finite(speed) ? speed : rv_vec3(0, 0, 0));
    if (data) d->value[d->count] = (float)rv_view_data_value(options, data, element_of(data, i));
    if (Cd) rv_vec3_store(d->color + 3 * d->count, vector_of(Cd, i));
    d->count++;
  }
  return true;
}

// the drops that no surface stands for; false when out of memory
static bool add_spheres(RvViewScene* scene, const RvDrops* d, const uint8_t* taken, const RvLens* lens,
                        double min_pixels) {
  size_t count = 0;
  for (size_t i = 0; i < d->count; ++i) count += !taken[i];
  if (count == 0) return true;
  RvPart* part = rv_view_new_part(scene, RV_PART_SPHERES);
  if (!part || !(part->vertices = rv_alloc(count, 4 * sizeof(float))) ||
      (d->color && !(part->colors = rv_alloc(count, 3 * sizeof(float)))) ||
      (d->speed && !(part->speed = rv_alloc(count, 3 * sizeof(float)))) ||
      (d->value && !(part->values = rv_alloc(count, sizeof(float)))))
    return false;
  for (size_t i = 0; i < d->count; ++i) {
    if (taken[i]) continue;
    size_t n = part->count++;
    float* v = part->vertices + 4 * n;
    memcpy(v, d->place + 4 * i, 4 * sizeof(float));
    v[3] = (float)fmax(v[3], min_pixels * rv_view_lens_pixel(lens, rv_vec3_load(v)));
    if (d->color) memcpy(part->colors + 3 * n, d->color + 3 * i, 3 * sizeof(float));
    if (d->speed) memcpy(part->speed + 3 * n, d->speed + 3 * i, 3 * sizeof(float));
    if (d->value) part->values[n] = d->value[i];
    rv_view_grow_bounds(scene, v, v[3]);
  }
  part->nvertex = part->count;
  scene->stats.spheres += part->count;
  return true;
}

RvResult rv_view_add_points(RvViewScene* scene, const RvDetail* detail, const RvLens* lens,
                            const RvViewOptions* options, RvError* error) {
  size_t npoint = rv_detail_count(detail, RV_POINT), loose = 0;
  if (npoint == 0) return RV_OK;
  RvDrops drops = {0};
  RvResult result = RV_OK;
  uint8_t *used = used_points(detail), *taken = NULL;
  for (size_t i = 0; used && i < npoint; ++i) loose += !used[i];
  bool good = used && (loose == 0 || ((taken = rv_alloc_zero(loose, 1)) &&
                                      take_drops(&drops, scene, detail, used, loose, lens, options)));
  if (good && drops.count && !drops.color && options->liquid == RV_VIEW_LIQUID_SURFACE)
    result = rv_view_add_liquid(scene, &drops, lens, options, taken, error);
  if (good && !result && drops.count) good = add_spheres(scene, &drops, taken, lens, options->min_pixels);
  free_drops(&drops);
  rv_free(used);
  rv_free(taken);
  return good || result ? result : rv_fail(error, RV_NO_MEMORY, "out of memory for %zu points", loose);
}
