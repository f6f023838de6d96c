#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "shim/tbb.h"
#include "view/view_scene.h"

const RvAttrib* rv_view_attrib(const RvDetail* detail, const char* name, int size, const RvOwner* owners, int nowner) {
  for (int i = 0; i < nowner; ++i) {
    const RvAttrib* a = rv_detail_find(detail, owners[i], name);
    if (a && rv_attrib_storage(a) != RV_STRING && rv_attrib_size(a) >= size) return a;
  }
  return NULL;
}

RvPart* rv_view_new_part(RvViewScene* scene, RvPartKind kind) {
  if (!rv_array_reserve_bytes((void**)&scene->parts, &scene->capacity, scene->count, scene->count + 1, sizeof(RvPart)))
    return NULL;
  RvPart* part = &scene->parts[scene->count++];
  *part = (RvPart){.kind = kind};
  return part;
}

void rv_view_grow_bounds(RvViewScene* scene, const float* p, double radius) {
  for (int k = 0; k < 3; ++k) {
    scene->lo[k] = fmin(scene->lo[k], p[k] - radius);
    scene->hi[k] = fmax(scene->hi[k], p[k] + radius);
  }
}

static void free_part(RvPart* part) {
  if (part->geometry) rtcReleaseGeometry(part->geometry);
  rv_free(part->vertices);
  rv_free(part->indices);
  rv_free(part->flags);
  rv_free(part->colors);
  rv_free(part->normals);
  rv_free(part->along);
  rv_free(part->wet);
}

void rv_view_scene_free(RvViewScene* scene) {
  // the scene first: it still refers to the buffers
  if (scene->scene) rtcReleaseScene(scene->scene);
  for (size_t i = 0; i < scene->count; ++i) free_part(&scene->parts[i]);
  rv_free(scene->parts);
  if (scene->device) rtcReleaseDevice(scene->device);
  *scene = (RvViewScene){0};
}

//---------------------------------------------------------------------------------------------- loose points

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

static RvResult add_spheres(RvViewScene* scene, const RvDetail* detail, const RvLens* lens, double min_pixels,
                            RvError* error) {
  size_t npoint = rv_detail_count(detail, RV_POINT), loose = 0;
  if (npoint == 0) return RV_OK;
  uint8_t* used = used_points(detail);
  if (!used) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu points", npoint);
  for (size_t i = 0; i < npoint; ++i) loose += !used[i];
  RvPart* part = loose ? rv_view_new_part(scene, RV_PART_SPHERES) : NULL;
  if (loose == 0) goto done;
  if (!part || !(part->vertices = rv_alloc(loose, 4 * sizeof(float)))) goto full;
  const RvOwner owners[] = {RV_POINT, RV_GLOBAL};
  const RvAttrib *P = rv_detail_find(detail, RV_POINT, "P"), *Cd = rv_view_attrib(detail, "Cd", 3, owners, 2);
  const RvAttrib* pscale = rv_view_attrib(detail, "pscale", 1, owners, 2);
  if (Cd && !(part->colors = rv_alloc(loose, 3 * sizeof(float)))) goto full;
  double guess = pscale ? 0 : guessed_radius(detail, loose);
  for (size_t i = 0; i < npoint; ++i) {
    if (used[i]) continue;
    RvVec3 p = rv_sub(rv_vec3(rv_attrib_get(P, i, 0), rv_attrib_get(P, i, 1), rv_attrib_get(P, i, 2)), lens->origin);
    double r = pscale ? rv_attrib_get(pscale, rv_attrib_owner(pscale) == RV_POINT ? i : 0, 0) : guess;
    if (!rv_vec3_finite(p) || rv_length(p) > 1e18 || !isfinite(r) || r < 0 || r > 1e18) {
      scene->stats.skipped++;
      continue;
    }
    float* v = part->vertices + 4 * part->count;
    rv_vec3_store(v, p);
    v[3] = (float)fmax(r, min_pixels * rv_lens_pixel(lens, p));
    rv_view_grow_bounds(scene, v, v[3]);
    for (int k = 0; Cd && k < 3; ++k)
      part->colors[3 * part->count + k] = (float)rv_attrib_get(Cd, rv_attrib_owner(Cd) == RV_POINT ? i : 0, k);
    part->count++;
  }
  part->nvertex = part->count;
  scene->stats.spheres += part->count;
done:
  rv_free(used);
  return RV_OK;
full:
  rv_free(used);
  return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu spheres", loose);
}

//---------------------------------------------------------------------------------------------- Embree

static RvResult embree_error(RvViewScene* scene, RvError* error) {
  enum RTCError code = rtcGetDeviceError(scene->device);
  if (code == RTC_ERROR_NONE) return RV_OK;
  if (code == RTC_ERROR_OUT_OF_MEMORY) return rv_fail(error, RV_NO_MEMORY, "out of memory for the picture's scene");
  return rv_fail(error, RV_SHIM, "Embree failed with error %d", (int)code);
}

static void attach(RvViewScene* scene, RvPart* part, unsigned id) {
  static const enum RTCGeometryType types[] = {
      [RV_PART_HAIR] = RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE,
      [RV_PART_MESH] = RTC_GEOMETRY_TYPE_TRIANGLE,
      [RV_PART_WATER] = RTC_GEOMETRY_TYPE_TRIANGLE,
      [RV_PART_SPHERES] = RTC_GEOMETRY_TYPE_SPHERE_POINT,
  };
  bool mesh = part->kind == RV_PART_MESH || part->kind == RV_PART_WATER;
  RTCGeometry g = part->geometry = rtcNewGeometry(scene->device, types[part->kind]);
  rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, mesh ? RTC_FORMAT_FLOAT3 : RTC_FORMAT_FLOAT4, part->vertices,
                             0, (mesh ? 3 : 4) * sizeof(float), part->nvertex);
  if (mesh)
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, part->indices, 0, 3 * sizeof(uint32_t),
                               part->count);
  if (part->kind == RV_PART_HAIR) {
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT, part->indices, 0, sizeof(uint32_t),
                               part->count);
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_FLAGS, 0, RTC_FORMAT_UCHAR, part->flags, 0, 1, part->count);
  }
  if (part->kind != RV_PART_MESH) rtcSetGeometryOccludedFilterFunction(g, rv_view_weaken);
  rtcCommitGeometry(g);
  rtcAttachGeometryByID(scene->scene, g, id);
}

static RvResult commit(RvViewScene* scene, RvError* error) {
  scene->scene = rtcNewScene(scene->device);
  // empty parts are dropped, so that a geometry's id is its part's index
  size_t kept = 0;
  for (size_t i = 0; i < scene->count; ++i) {
    if (scene->parts[i].count)
      scene->parts[kept++] = scene->parts[i];
    else
      free_part(&scene->parts[i]);
  }
  scene->count = kept;
  for (size_t i = 0; i < kept; ++i) attach(scene, &scene->parts[i], (unsigned)i);
  rtcSetSceneFlags(scene->scene, RTC_SCENE_FLAG_ROBUST);
  rtcSetSceneBuildQuality(scene->scene, RTC_BUILD_QUALITY_MEDIUM);
  rtcCommitScene(scene->scene);
  return embree_error(scene, error);
}

static RvResult add_detail(RvViewScene* scene, const RvDetail* detail, const RvLens* lens, const RvViewOptions* options,
                           RvError* error) {
  RvResult result = rv_view_add_hair(scene, detail, lens, options->min_pixels, error);
  if (!result) result = rv_view_add_polygons(scene, detail, lens, error);
  if (!result) result = add_spheres(scene, detail, lens, options->min_pixels, error);
  size_t nprim = rv_detail_count(detail, RV_PRIM);
  for (size_t i = 0; i < nprim && !result; ++i) {
    const RvGrid* grid = rv_detail_prim_grid(detail, i);
    if (!grid) continue;
    if (rv_grid_type(grid) == RV_GRID_FLOAT && rv_grid_class(grid) == RV_GRID_LEVEL_SET)
      result = rv_view_add_level_set(scene, grid, lens, error);
    else
      rv_log(options->log, RV_LEVEL_INFO, "the grid '%s' is no level set and is not shown", rv_grid_name(grid));
  }
  return result;
}

RvResult rv_view_scene_build(RvViewScene* scene, const RvDetail* const* details, size_t count, const RvLens* lens,
                             const RvViewOptions* options, RvError* error) {
  *scene = (RvViewScene){.lo = {DBL_MAX, DBL_MAX, DBL_MAX}, .hi = {-DBL_MAX, -DBL_MAX, -DBL_MAX}};
  char config[64];
  // a device with a number of threads limits all of TBB's while it lives, so it gets one only to do with less
  if (rv_threads() < rv_tbb_cores())
    snprintf(config, sizeof config, "verbose=0,threads=%d", rv_threads());
  else
    snprintf(config, sizeof config, "verbose=0");
  scene->device = rtcNewDevice(config);
  if (!scene->device) return rv_fail(error, RV_SHIM, "Embree could not start");
  RvResult result = RV_OK;
  for (size_t i = 0; i < count && !result; ++i)
    if (details[i]) result = add_detail(scene, details[i], lens, options, error);
  if (!result && scene->stats.skipped)
    rv_log(options->log, RV_LEVEL_WARNING, "%zu strands, faces or points have positions that are not numbers: left out",
           scene->stats.skipped);
  return result ? result : commit(scene, error);
}
