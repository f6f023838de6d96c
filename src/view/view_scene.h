// Inside the renderer: what the details became, the camera and the lights, and how a hit is shaded.
#ifndef RV_VIEW_VIEW_SCENE_H
#define RV_VIEW_VIEW_SCENE_H

#include <embree3/rtcore.h>

#include "math/vec.h"
#include "view/view.h"

// The camera as a basis. Positions are relative to `origin` (its target), so that a scene far from zero keeps
// its digits.
typedef struct RvLens {
  RvVec3 origin, eye;         // origin in world space, eye relative to it
  RvVec3 right, up, forward;  // unit
  double tan_half, aspect;    // of the vertical angle
  int width, height;
  double reach;  // half height of the picture at the target: the size of what is looked at
} RvLens;

typedef enum RvPartKind { RV_PART_HAIR, RV_PART_MESH, RV_PART_WATER, RV_PART_SPHERES } RvPartKind;

// One Embree geometry and what its shading needs. Its index is the geometry's id.
typedef struct RvPart {
  RvPartKind kind;
  RTCGeometry geometry;
  size_t count;       // primitives: segments, triangles or spheres
  size_t nvertex;     // of Embree's vertex buffer
  float* vertices;    // hair and spheres: x y z radius; meshes: x y z
  uint32_t* indices;  // hair: first vertex of a segment; meshes: three a triangle
  uint8_t* flags;     // hair: neighbours of a segment
  float* colors;      // r g b: hair a vertex (always there), meshes a corner, spheres each; NULL: the kind's own
  float* normals;     // meshes: a corner
  float* along;       // hair: 0 at the root to 1 at the tip, a vertex
  float* wet;         // hair: 0 to 1 a vertex; NULL: dry
} RvPart;

typedef struct RvViewScene {
  RTCDevice device;
  RTCScene scene;
  RvPart* parts;
  size_t count, capacity;
  double lo[3], hi[3];  // relative to the lens's origin; lo > hi when empty
  RvViewStats stats;
} RvViewScene;

RvResult rv_lens_make(const RvCamera* camera, int width, int height, RvLens* lens, RvError* error);
// Width of a pixel at the depth of a point (relative to the origin); at least that at a hundredth of the
// target's.
double rv_lens_pixel(const RvLens* lens, RvVec3 p);
// Unit direction through a point of the picture, in pixels.
RvVec3 rv_lens_direction(const RvLens* lens, double x, double y);

RvResult rv_view_scene_build(RvViewScene* scene, const RvDetail* const* details, size_t count, const RvLens* lens,
                             const RvViewOptions* options, RvError* error);
void rv_view_scene_free(RvViewScene* scene);

// For the builders: the kinds of geometry of one detail become parts. `scene->parts` has room for one more.
RvResult rv_view_add_hair(RvViewScene* scene, const RvDetail* detail, const RvLens* lens, double min_pixels,
                          RvError* error);
RvResult rv_view_add_polygons(RvViewScene* scene, const RvDetail* detail, const RvLens* lens, RvError* error);
RvResult rv_view_add_level_set(RvViewScene* scene, const RvGrid* grid, const RvLens* lens, RvError* error);
// Room for a part; NULL when out of memory.
RvPart* rv_view_new_part(RvViewScene* scene, RvPartKind kind);
void rv_view_grow_bounds(RvViewScene* scene, const float* p, double radius);
// A numeric attribute of one of the owners, first found; NULL if there is none of at least `size` components.
const RvAttrib* rv_view_attrib(const RvDetail* detail, const char* name, int size, const RvOwner* owners, int nowner);

// Shading of one camera ray: a pure function of its arguments.
typedef struct RvShader {
  const RvViewScene* scene;
  const RvLens* lens;
  const RvViewOptions* options;
  RvVec3 key, rim, fill;  // unit, towards the lights
  double key_radius;      // tangent of the key light's half angle
  double ground;          // height relative to the origin; -infinity: none
  double far;             // beyond everything
  double near_sky;        // how far hair and crevices look for what hides the sky
} RvShader;

typedef struct RvSampler {
  uint32_t seed, index, dimension;
} RvSampler;

// Hair and drops weaken a shadow ray instead of ending it: their occlusion filter.
void rv_view_weaken(const struct RTCFilterFunctionNArguments* arguments);

// Two numbers of a stratified sequence over the samples of one pixel (shade.c, render.c).
void rv_sampler_next(RvSampler* sampler, double out[2]);

RvResult rv_shader_make(RvShader* shader, const RvViewScene* scene, const RvLens* lens, const RvViewOptions* options,
                        RvError* error);
// Light along the ray through a point of the picture. *plain: it is the backdrop, with no shadow on it.
RvVec3 rv_shader_trace(const RvShader* shader, double x, double y, RvSampler* sampler, uint64_t* rays, bool* plain);

#endif
