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
  float* core;        // hair: share of the radius that is hair and not film, a vertex; NULL: all
  float* speed;       // x y z a vertex, in units a second; NULL: at rest
  float* moved;       // the vertices when the shutter closes (`vertices`: when it opens); NULL: at rest
  float* values;      // of false colours: hair a vertex, meshes a corner, spheres each; NaN or NULL: none
} RvPart;

// Liquid is seen through: loose points are drops of it unless they have a colour of their own.
static inline bool rv_view_part_is_water(const RvPart* part) {
  return part->kind == RV_PART_WATER || (part->kind == RV_PART_SPHERES && !part->colors);
}

typedef struct RvViewScene {
  RTCDevice device;
  RTCScene scene;
  RvPart* parts;
  size_t count, capacity;
  double lo[3], hi[3];  // relative to the lens's origin; lo > hi when empty
  RvViewStats stats;
} RvViewScene;

RvResult rv_view_lens_make(const RvCamera* camera, int width, int height, RvLens* lens, RvError* error);
// Width of a pixel at the depth of a point (relative to the origin); at least that at a hundredth of the
// target's.
double rv_view_lens_pixel(const RvLens* lens, RvVec3 p);
// Unit direction through a point of the picture, in pixels.
RvVec3 rv_view_lens_direction(const RvLens* lens, double x, double y);

RvResult rv_view_scene_build(RvViewScene* scene, const RvDetail* const* details, size_t count, const RvLens* lens,
                             const RvViewOptions* options, RvError* error);
void rv_view_scene_free(RvViewScene* scene);

// For the builders: the kinds of geometry of one detail become parts. `scene->parts` has room for one more.
RvResult rv_view_add_hair(RvViewScene* scene, const RvDetail* detail, const RvLens* lens, const RvViewOptions* options,
                          RvError* error);
RvResult rv_view_add_polygons(RvViewScene* scene, const RvDetail* detail, const RvLens* lens,
                              const RvViewOptions* options, RvError* error);
RvResult rv_view_add_level_set(RvViewScene* scene, const RvGrid* grid, const RvGrid* velocity, const RvLens* lens,
                               const RvViewOptions* options, RvError* error);
RvResult rv_view_add_points(RvViewScene* scene, const RvDetail* detail, const RvLens* lens,
                            const RvViewOptions* options, RvError* error);

// Loose points as the builders hand them on. Positions are relative to the lens's origin.
typedef struct RvDrops {
  size_t count;
  float *place, *speed, *value, *color;  // x y z radius; x y z; one; r g b: NULL if not wanted or not there
} RvDrops;
// The surface of the liquid that the drops are samples of, as a part; `taken` marks those that it stands for, the
// others are drops of their own. None is taken where the surface would need more memory than `options` allow.
RvResult rv_view_add_liquid(RvViewScene* scene, const RvDrops* drops, const RvLens* lens, const RvViewOptions* options,
                            uint8_t* taken, RvError* error);
// A part of triangles becomes water: wound outwards, with smooth normals (`round`: even over sharp edges). False when
// out of memory.
bool rv_view_finish_water(RvPart* part, bool round);
// Room for a part; NULL when out of memory.
RvPart* rv_view_new_part(RvViewScene* scene, RvPartKind kind);
void rv_view_grow_bounds(RvViewScene* scene, const float* p, double radius);
// A numeric attribute of one of the owners, first found; NULL if there is none of at least `size` components.
const RvAttrib* rv_view_attrib(const RvDetail* detail, const char* name, int size, const RvOwner* owners, int nowner);
// The number of `options.view` where it has the attribute; NULL if not wanted or not there.
const RvAttrib* rv_view_data_attrib(const RvDetail* detail, const RvViewOptions* options);
// Its value at an element, in the legend's unit.
double rv_view_data_value(const RvViewOptions* options, const RvAttrib* attrib, size_t element);

// A soft box of the studio: lights by its power, and is mirrored in what shines.
typedef struct RvBox {
  RvVec3 direction, right, up;  // unit; towards it and along its sides
  RvVec3 power;                 // irradiance on a surface that faces it, nothing between
  double radius;                // tangent of the half angle of the round light that it is to matt things
  double wide, high;            // tangents of the half angles of the panel that mirrors show
} RvBox;

enum { RV_BOX_KEY, RV_BOX_RIM, RV_BOX_FILL, RV_BOX_COUNT };

// Shading of one camera ray: a pure function of its arguments.
typedef struct RvShader {
  const RvViewScene* scene;
  const RvLens* lens;
  const RvViewOptions* options;
  RvBox boxes[RV_BOX_COUNT];
  double ground;         // height relative to the origin; -infinity: none
  double far;            // beyond everything
  double near_sky;       // how far hair and crevices look for what hides the sky
  double data_range[2];  // of false colours
} RvShader;

typedef struct RvSampler {
  uint32_t seed, index, dimension;
  float time;  // of the ray, 0 when the shutter opens to 1 when it closes
} RvSampler;

// Hair and drops weaken a shadow ray instead of ending it: their occlusion filter.
void rv_view_weaken(const struct RTCFilterFunctionNArguments* arguments);

// Two numbers of a stratified sequence over the samples of one pixel (render.c).
void rv_view_sampler_next(RvSampler* sampler, double out[2]);

RvResult rv_view_shader_make(RvShader* shader, const RvViewScene* scene, const RvLens* lens,
                             const RvViewOptions* options, RvError* error);
// Light along the ray through a point of the picture. *plain: it is the backdrop, with no shadow on it.
RvVec3 rv_view_shader_trace(const RvShader* shader, double x, double y, RvSampler* sampler, uint64_t* rays,
                            bool* plain);

// The studio (room.c): ceiling and walls without the soft boxes, the boxes in mirrors (`blur` from 0, sharp, to 1 for
// light that went a long way), and the backdrop at a point of the picture or in a direction.
RvVec3 rv_view_room_sky(const RvShader* shader, RvVec3 direction);
RvVec3 rv_view_room_mirrored(const RvShader* shader, RvVec3 direction, double blur);
RvVec3 rv_view_room_backdrop(const RvShader* shader, double x, double y);
RvVec3 rv_view_room_towards(const RvShader* shader, RvVec3 direction);
void rv_view_room_make(RvShader* shader, const RvLens* rig);

// A perceptually even colour, linear, for 0 to 1; and one of many for a label.
RvVec3 rv_view_color(double t);
RvVec3 rv_view_label_color(double label);
// Draws the bar, its title and its ends into a picture in false colours; range NaN: nothing to show.
void rv_view_draw_legend(RvImage* image, const RvViewData* view, const double range[2]);
// Text of 5 x 7 dots, each `scale` pixels wide, its upper left corner at (x, y). Returns its width in pixels.
int rv_view_draw_text(RvImage* image, const char* text, int x, int y, int scale, RvVec3 color);
int rv_view_text_width(const char* text, int scale);

#endif
