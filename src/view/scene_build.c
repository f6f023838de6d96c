// Builds the Embree scene: details to parts, motion blur, and the ray acceleration structure.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/foreign.h"
#include "base/memory.h"
#include "shim/tbb.h"
#include "view/view_scene.h"

enum { COMPARED = 64 };  // places at which the strands of two details are compared

static const double WATER_INDEX = 1.333;  // of refraction
static const double LONGEST_STEP = 1e17;  // metres, a tenth of the farthest position that Embree gets

const RvAttrib* rv_view_attrib(const RvDetail* detail, const char* name, int size, const RvOwner* owners, int nowner) {
  for (int i = 0; i < nowner; ++i) {
    const RvAttrib* a = rv_detail_find(detail, owners[i], name);
    if (a && rv_attrib_storage(a) != RV_STRING && rv_attrib_size(a) >= size) return a;
  }
  return NULL;
}

int rv_view_baked(const RvDetail* detail) {
  const RvAttrib* a = rv_detail_find(detail, RV_GLOBAL, RV_LOOK_WET);
  return a && rv_attrib_storage(a) != RV_STRING ? (int)rv_attrib_get(a, 0, 0) & 3 : 0;
}

RvPart* rv_view_new_part(RvViewScene* scene, RvPartKind kind) {
  if (!rv_array_reserve_bytes((void**)&scene->parts, &scene->capacity, scene->count, scene->count + 1, sizeof(RvPart)))
    return NULL;
  RvPart* part = &scene->parts[scene->count++];
  *part = (RvPart){.kind = kind, .object = scene->object, .water = scene->water};
  return part;
}

void rv_view_grow_bounds(RvViewScene* scene, const float* p, double radius) {
  for (int k = 0; k < 3; ++k) {
    scene->lo[k] = fmin(scene->lo[k], p[k] - radius);
    scene->hi[k] = fmax(scene->hi[k], p[k] + radius);
  }
}

// Embree does not survive every failed allocation, not even while it frees: what it does is marked as its own.
static void enter_embree(void) {
  rv_foreign_enter("Embree");
}

// Releases the geometry and arrays of a part.
static void free_part(RvPart* part) {
  enter_embree();
  if (part->geometry) rtcReleaseGeometry(part->geometry);
  rv_foreign_leave();
  rv_free(part->vertices);
  rv_free(part->indices);
  rv_free(part->flags);
  rv_free(part->colors);
  rv_free(part->normals);
  rv_free(part->along);
  rv_free(part->wet);
  rv_free(part->film);
  rv_free(part->look);
  rv_free(part->fibres);
  rv_free(part->beads);
  rv_free(part->rest);
  rv_free(part->core);
  rv_free(part->velocity);
  rv_free(part->closed);
  rv_free(part->values);
  rv_nearest_free(&part->tree);
}

void rv_view_scene_free(RvViewScene* scene) {
  // Release the scene first: it refers to the buffers.
  enter_embree();
  if (scene->scene) rtcReleaseScene(scene->scene);
  for (size_t i = 0; i < scene->count; ++i) free_part(&scene->parts[i]);
  rv_free(scene->parts);
  if (scene->device) rtcReleaseDevice(scene->device);
  rv_foreign_leave();
  rv_view_lamps_free(&scene->lamps);
  rv_free(scene->water_grids);
  *scene = (RvViewScene){0};
}

//---------------------------------------------------------------------------------------------- Embree

// Turns the last error of Embree into a result.
static RvResult embree_error(RvViewScene* scene, RvError* error) {
  enum RTCError code = rtcGetDeviceError(scene->device);
  if (code == RTC_ERROR_NONE) return RV_OK;
  if (code == RTC_ERROR_OUT_OF_MEMORY) return rv_fail(error, RV_NO_MEMORY, "out of memory for the picture's scene");
  return rv_fail(error, RV_SHIM, "Embree failed with error %d", (int)code);
}

// Computes vertices at shutter open and close, centred on the frame; static parts keep one set. False when out of
// memory.
static bool move_part(RvViewScene* scene, RvPart* part, double shutter) {
  bool moving = false;
  for (size_t i = 0; part->velocity && i < 3 * part->nvertex && !moving; ++i) moving = part->velocity[i] != 0;
  if (!moving) return true;
  size_t n = part->kind == RV_PART_MESH || part->kind == RV_PART_WATER ? 3 : 4;
  // Embree reads 16 bytes at the last vertex, so padding follows.
  if (!(part->closed = rv_alloc(part->nvertex + 2, n * sizeof(float)))) return false;
  for (size_t i = 0; i < part->nvertex; ++i) {
    float *from = part->vertices + n * i, *to = part->closed + n * i;
    RvVec3 p = rv_vec3_load(from);
    RvVec3 step = rv_scale(rv_vec3_load(part->velocity + 3 * i), shutter / 2);
    // An absurdly fast vertex is kept static.
    if (!(rv_length(step) < LONGEST_STEP)) step = rv_vec3(0, 0, 0);
    rv_vec3_store(from, rv_sub(p, step));
    rv_vec3_store(to, rv_add(p, step));
    if (n == 4) to[3] = from[3];
    // Dropped hair vertices leave unused entries without a radius.
    if (n == 4 && !(from[3] > 0)) continue;
    rv_view_grow_bounds(scene, from, n == 4 ? from[3] : 0);
    rv_view_grow_bounds(scene, to, n == 4 ? from[3] : 0);
  }
  return true;
}

// Hands one part to Embree under an id.
static void attach(RvViewScene* scene, RvPart* part, unsigned id) {
  static const enum RTCGeometryType types[] = {
      [RV_PART_HAIR] = RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE,
      [RV_PART_MESH] = RTC_GEOMETRY_TYPE_TRIANGLE,
      [RV_PART_WATER] = RTC_GEOMETRY_TYPE_TRIANGLE,
      [RV_PART_SPHERES] = RTC_GEOMETRY_TYPE_SPHERE_POINT,
  };
  bool mesh = part->kind == RV_PART_MESH || part->kind == RV_PART_WATER;
  // Vertices, at one or two times.
  bool ribbons = part->kind == RV_PART_HAIR && part->thin;
  enum RTCGeometryType type = ribbons ? RTC_GEOMETRY_TYPE_FLAT_LINEAR_CURVE : types[part->kind];
  RTCGeometry g = part->geometry = rtcNewGeometry(scene->device, type);
  rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, mesh ? RTC_FORMAT_FLOAT3 : RTC_FORMAT_FLOAT4, part->vertices,
                             0, (mesh ? 3 : 4) * sizeof(float), part->nvertex);
  if (part->closed) {
    rtcSetGeometryTimeStepCount(g, 2);
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 1, mesh ? RTC_FORMAT_FLOAT3 : RTC_FORMAT_FLOAT4, part->closed,
                               0, (mesh ? 3 : 4) * sizeof(float), part->nvertex);
  }
  // Triangles, or segments of hair.
  if (mesh)
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, part->indices, 0, 3 * sizeof(uint32_t),
                               part->count);
  if (part->kind == RV_PART_HAIR) {
    rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT, part->indices, 0, sizeof(uint32_t),
                               part->count);
    if (!ribbons)
      rtcSetSharedGeometryBuffer(g, RTC_BUFFER_TYPE_FLAGS, 0, RTC_FORMAT_UCHAR, part->flags, 0, 1, part->count);
  }
  // Hair and water attenuate shadow rays.
  if (part->kind != RV_PART_MESH) rtcSetGeometryOccludedFilterFunction(g, rv_view_attenuate);
  rtcSetGeometryUserData(g, (void*)(uintptr_t)rv_view_part_is_water(part));
  rtcCommitGeometry(g);
  rtcAttachGeometryByID(scene->scene, g, id);
}

// Starts Embree.
static RvResult start(RvViewScene* scene, RvError* error) {
  char config[64];
  // An Embree device with a thread count limits TBB in the whole process while it lives, so the count is given only
  // when fewer threads than cores are wanted.
  enter_embree();
  if (rv_threads() < rv_tbb_cores())
    snprintf(config, sizeof config, "verbose=0,threads=%d", rv_threads());
  else
    snprintf(config, sizeof config, "verbose=0");
  scene->device = rtcNewDevice(config);
  enum RTCError code = scene->device ? RTC_ERROR_NONE : rtcGetDeviceError(NULL);
  rv_foreign_leave();
  if (scene->device) return RV_OK;
  // It tells lack of memory in several ways; what else it refuses is the processor.
  if (code == RTC_ERROR_UNSUPPORTED_CPU)
    return rv_fail(error, RV_SHIM, "Embree, which draws the pictures, does not support this processor");
  return rv_fail(error, RV_NO_MEMORY, "out of memory to start Embree, which draws the pictures (its error %d)",
                 (int)code);
}

// Builds the acceleration structure over all parts.
static RvResult commit(RvViewScene* scene, double shutter, RvError* error) {
  // Drop empty parts, so that the id of a geometry is the index of its part.
  size_t kept = 0;
  for (size_t i = 0; i < scene->count; ++i) {
    if (scene->parts[i].count)
      scene->parts[kept++] = scene->parts[i];
    else
      free_part(&scene->parts[i]);
  }
  scene->count = kept;
  for (size_t i = 0; i < kept; ++i)
    if (!move_part(scene, &scene->parts[i], shutter)) return rv_fail(error, RV_NO_MEMORY, "out of memory for motion");
  enter_embree();
  scene->scene = rtcNewScene(scene->device);
  for (size_t i = 0; i < kept; ++i) attach(scene, &scene->parts[i], (unsigned)i);
  // Rays must not slip between the triangles of a liquid. Hair and solids are traced faster without that promise.
  bool water = false;
  for (size_t i = 0; i < kept; ++i) water |= rv_view_part_is_water(&scene->parts[i]);
  if (water) rtcSetSceneFlags(scene->scene, RTC_SCENE_FLAG_ROBUST);
  rtcSetSceneBuildQuality(scene->scene, RTC_BUILD_QUALITY_MEDIUM);
  rtcCommitScene(scene->scene);
  // Even the question for its error allocates.
  RvResult result = embree_error(scene, error);
  rv_foreign_leave();
  return result;
}

bool rv_view_grid_is_water(const RvGrid* grid) {
  return rv_grid_type(grid) == RV_GRID_FLOAT && rv_grid_class(grid) == RV_GRID_LEVEL_SET &&
         strncmp(rv_grid_name(grid), "collision", 9) != 0;
}

// Lists the level sets of liquid of a detail.
static RvResult list_water(RvViewScene* scene, const RvDetail* detail, const RvViewOptions* options, RvError* error) {
  size_t nprim = detail && options->liquid == RV_VIEW_LIQUID_SURFACE ? rv_detail_count(detail, RV_PRIM) : 0;
  for (size_t i = 0; i < nprim; ++i) {
    const RvGrid* grid = rv_detail_prim_grid(detail, i);
    if (!grid || !rv_view_grid_is_water(grid)) continue;
    size_t n = scene->water_grid_count;
    if (!rv_array_reserve_bytes((void**)&scene->water_grids, &scene->water_grid_capacity, n, n + 1, sizeof grid))
      return rv_fail(error, RV_NO_MEMORY, "out of memory for the picture's scene");
    scene->water_grids[scene->water_grid_count++] = grid;
  }
  return RV_OK;
}

uint8_t* rv_view_inside_water(const RvViewScene* scene, const RvLens* lens, const float* places, double margin,
                              size_t count) {
  if (scene->water_grid_count == 0 || count == 0) return NULL;
  double* world = rv_alloc(count, 3 * sizeof(double));
  float* distance = rv_alloc(count, sizeof(float));
  uint8_t* inside = rv_alloc_zero(count, 1);
  for (size_t i = 0; world && i < count; ++i)
    rv_vec3_store64(world + 3 * i, rv_add(rv_vec3_load(places + 4 * i), lens->origin));
  for (size_t g = 0; world && distance && inside && g < scene->water_grid_count; ++g) {
    if (rv_grid_sample(scene->water_grids[g], count, world, distance, NULL)) continue;
    for (size_t i = 0; i < count; ++i) inside[i] |= distance[i] < margin * places[4 * i + 3];
  }
  rv_free(world);
  rv_free(distance);
  return inside;
}

// Adds the level sets of a detail.
static RvResult add_grids(RvViewScene* scene, const RvDetail* detail, const RvLens* lens, const RvViewOptions* options,
                          RvError* error) {
  const RvGrid* velocity = rv_detail_find_vdb(detail, "vel");
  if (!velocity) velocity = rv_detail_find_vdb(detail, "v");
  if (velocity && rv_grid_type(velocity) != RV_GRID_VEC3) velocity = NULL;
  RvResult result = RV_OK;
  size_t nprim = rv_detail_count(detail, RV_PRIM);
  for (size_t i = 0; i < nprim && !result; ++i) {
    const RvGrid* grid = rv_detail_prim_grid(detail, i);
    if (!grid) continue;
    if (rv_grid_type(grid) == RV_GRID_FLOAT && rv_grid_class(grid) == RV_GRID_LEVEL_SET) {
      result = rv_view_add_level_set(scene, grid, velocity, lens, options, error);
    } else if (grid != velocity) {
      rv_log(options->log, RV_LEVEL_INFO, "the grid '%s' is not a level set and is not drawn", rv_grid_name(grid));
    }
  }
  return result;
}

// Numbers of a detail attribute; false if it is missing.
static bool globals(const RvDetail* detail, const char* name, int count, double* out) {
  const RvAttrib* a = rv_detail_find(detail, RV_GLOBAL, name);
  if (!a || rv_attrib_storage(a) == RV_STRING || rv_attrib_size(a) < count) return false;
  for (int k = 0; k < count; ++k) {
    out[k] = rv_attrib_get(a, 0, k);
    if (!isfinite(out[k])) return false;
  }
  return true;
}

// What the liquid of a detail is made of: clear water, or its look.
static RvWater water_of(const RvDetail* detail, const RvViewOptions* options) {
  RvWater water = {.index = WATER_INDEX};
  for (int k = 0; k < 3; ++k) water.absorption[k] = options->absorption[k];
  double v[5];
  if (!globals(detail, RV_LOOK_WATER, 5, v)) return water;
  for (int k = 0; k < 3; ++k) water.absorption[k] = fmax(v[k], 0);
  water.index = fmin(fmax(v[3], 1.0001), 3);
  water.roughness = fmin(fmax(v[4], 0), 1);
  return water;
}

// Adds hair, meshes and level sets of one detail.
static RvResult add_detail(RvViewScene* scene, const RvDetail* detail, const RvLens* lens, const RvViewOptions* options,
                           RvError* error) {
  scene->object++;
  scene->water = water_of(detail, options);
  RvResult result = rv_view_add_hair(scene, detail, lens, options, error);
  if (!result) result = rv_view_add_polygons(scene, detail, lens, options, error);
  return result ? result : add_grids(scene, detail, lens, options, error);
}

// Adds the loose points of one detail, when all meshes are known, on which they may lie.
static RvResult add_loose(RvViewScene* scene, const RvDetail* detail, const RvLens* lens, const RvViewOptions* options,
                          RvError* error) {
  bool water = false;
  scene->object++;
  scene->water = water_of(detail, options);
  for (size_t i = 0; i < scene->count; ++i)
    water |= scene->parts[i].object == scene->object && scene->parts[i].kind == RV_PART_WATER;
  // A liquid that comes with its surface is drawn by that surface; its particles are not drawn.
  if (water && options->liquid == RV_VIEW_LIQUID_SURFACE) return RV_OK;
  return rv_view_add_points(scene, detail, lens, options, error);
}

// True if two parts of hair lie at the same places: compared at places spread over all strands.
static bool coincide(const RvPart* a, const RvPart* b) {
  if (a->kind != RV_PART_HAIR || b->kind != RV_PART_HAIR || a->nvertex != b->nvertex || a->count != b->count)
    return false;
  for (size_t k = 0; k < COMPARED; ++k) {
    size_t i = k * (a->nvertex - 1) / (COMPARED - 1);
    if (memcmp(a->vertices + 4 * i, b->vertices + 4 * i, 3 * sizeof(float)) != 0) return false;
  }
  return true;
}

// Warns of hair that two drawn nodes have: the look of one shows through that of the other.
static void tell_twice(const RvViewScene* scene, const RvLog* log) {
  for (size_t i = 0; i < scene->count; ++i)
    for (size_t k = 0; k < i; ++k) {
      if (!scene->parts[i].count || !coincide(&scene->parts[i], &scene->parts[k])) continue;
      rv_log(log, RV_LEVEL_WARNING,
             "two of the drawn nodes have the same strands, which show through each other: name the nodes to draw by "
             "--node, or wire the cached strands into the look");
      return;
    }
}

RvResult rv_view_scene_build(RvViewScene* scene, const RvDetail* const* details, size_t count, const RvLens* lens,
                             const RvViewOptions* options, RvError* error) {
  *scene = (RvViewScene){.lo = {DBL_MAX, DBL_MAX, DBL_MAX}, .hi = {-DBL_MAX, -DBL_MAX, -DBL_MAX}};
  RvResult result = start(scene, error);
  if (!result) result = rv_view_lamps_read(&scene->lamps, details, count, lens->origin, error);
  if (!result && scene->lamps.count > RV_VIEW_MAX_LAMPS)
    result = rv_fail(error, RV_LIMIT, "the scene has %zu lights; a picture takes at most %d", scene->lamps.count,
                     RV_VIEW_MAX_LAMPS);
  for (size_t i = 0; i < count && !result; ++i) result = list_water(scene, details[i], options, error);
  for (size_t i = 0; i < count && !result; ++i)
    if (details[i]) result = add_detail(scene, details[i], lens, options, error);
  scene->object = 0;
  for (size_t i = 0; i < count && !result; ++i)
    if (details[i]) result = add_loose(scene, details[i], lens, options, error);
  if (!result && scene->stats.skipped)
    rv_log(options->log, RV_LEVEL_WARNING,
           "%zu strands, faces or points have positions that are not finite numbers and are left out: check P upstream",
           scene->stats.skipped);
  if (!result) tell_twice(scene, options->log);
  if (!result && !rv_view_settle_drops(scene))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory for the drops on the picture's meshes");
  return result ? result : commit(scene, options->shutter, error);
}
