// Internals of the renderer: the Embree scene built from the details, the camera basis, the studio lamps and the
// shader.
#ifndef RV_VIEW_VIEW_SCENE_H
#define RV_VIEW_VIEW_SCENE_H

#include <embree3/rtcore.h>

#include "math/vec.h"
#include "mesh/nearest.h"
#include "view/chiang.h"
#include "view/lamp.h"
#include "view/view.h"

// The camera as an orthonormal basis. Positions are relative to `origin` (the camera's target), so that a scene far
// from the world origin does not lose precision in floats.
typedef struct RvLens {
  RvVec3 origin, eye;         // origin in world space, eye relative to it
  RvVec3 right, up, forward;  // unit
  double tan_half;            // tangent of half the vertical field of view
  double aspect;              // width over height
  int width, height;          // pixels
  double near, far;           // m along forward: camera rays see what lies between
  double half_height;         // half height of the view at the target, m: the length scale of the shot
} RvLens;

typedef enum RvPartKind { RV_PART_HAIR, RV_PART_MESH, RV_PART_WATER, RV_PART_SPHERES } RvPartKind;

// What a liquid is made of.
typedef struct RvWater {
  double absorption[3];  // 1/m
  double index;          // of refraction
  double roughness;      // of its surface
} RvWater;

// One Embree geometry and its shading data. Its index in the scene is the geometry's id.
typedef struct RvPart {
  RvPartKind kind;
  RTCGeometry geometry;
  size_t count;       // primitives: segments, triangles or spheres
  size_t nvertex;     // of Embree's vertex buffer
  float* vertices;    // hair and spheres: x y z radius; meshes: x y z
  uint32_t* indices;  // hair: first vertex of a segment; meshes: three a triangle
  uint8_t* flags;     // hair: neighbours of a segment
  bool thin;          // hair: no strand is wide enough to look round; it is drawn as ribbons that face each ray
  float* colors;      // r g b: one a hair vertex (always present), a mesh corner, a sphere; NULL: the kind's default
  float* normals;     // meshes: one a corner
  float* along;       // hair: 0 at the root to 1 at the tip, one a vertex
  float* wet;         // wetness 0 to 1, one a hair vertex or a mesh corner; NULL: dry
  float* film;        // hair: share of the fibre that its film covers, one a vertex; NULL: follows from wetness
  float* look;  // 2 floats a hair vertex (roughness along the fibre, tilt in degrees), 4 a mesh corner (roughness,
                // index, specular, subsurface); NULL: the kind's default
  float *beads, *rest;   // meshes: share of cells with a bead of water and its radius, rest position; one a corner
  RvFibreTable* fibres;  // hair: means over the width of a fibre
  int baked;             // 1: colours include wetness already; 2: roughness does
  int object;            // number of the detail, from 1
  RvWater water;         // water: what it is made of
  float* core;           // hair: fibre radius over drawn radius (fibre + film), one a vertex; NULL: 1
  float* velocity;       // x y z a vertex, m/s; NULL: static
  float* closed;         // vertices at shutter close (`vertices`: at shutter open); NULL: static
  RvNearest tree;        // meshes: over the triangles, from the first search for drops on it to the last
  float* values;         // attribute of false colours: one a hair vertex, a mesh corner, a sphere; NaN or NULL: none
} RvPart;

// Water is transparent. Loose points are drops of water unless they carry a colour.
static inline bool rv_view_part_is_water(const RvPart* part) {
  return part->kind == RV_PART_WATER || (part->kind == RV_PART_SPHERES && !part->colors);
}

typedef struct RvViewScene {
  RTCDevice device;
  RTCScene scene;
  RvPart* parts;
  size_t count, capacity;
  double lo[3], hi[3];  // relative to the lens's origin; lo > hi when empty
  RvLamps lamps;
  const RvGrid** water_grids;  // level sets of liquid: film, drops and particles inside them are not drawn again
  size_t water_grid_count, water_grid_capacity;
  int object;     // number of the detail that is being added
  RvWater water;  // of the detail that is being added
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

// Builders: each turns one kind of geometry of a detail into parts of the scene.
RvResult rv_view_add_hair(RvViewScene* scene, const RvDetail* detail, const RvLens* lens, const RvViewOptions* options,
                          RvError* error);
RvResult rv_view_add_polygons(RvViewScene* scene, const RvDetail* detail, const RvLens* lens,
                              const RvViewOptions* options, RvError* error);
RvResult rv_view_add_level_set(RvViewScene* scene, const RvGrid* grid, const RvGrid* velocity, const RvLens* lens,
                               const RvViewOptions* options, RvError* error);
RvResult rv_view_add_points(RvViewScene* scene, const RvDetail* detail, const RvLens* lens,
                            const RvViewOptions* options, RvError* error);

// Marks places (x y z relative to the lens's origin, radius) that lie inside a level set of liquid, or outside by less
// than `margin` radii; NULL without an error: none is drawn, or out of memory, where everything counts as outside.
uint8_t* rv_view_inside_water(const RvViewScene* scene, const RvLens* lens, const float* places, double margin,
                              size_t count);
// True for a level set that is drawn as liquid.
bool rv_view_grid_is_water(const RvGrid* grid);

// Loose points of a detail. Positions are relative to the lens's origin. Arrays are NULL if not wanted or missing.
typedef struct RvViewDrops {
  size_t count;
  float* place;     // x y z radius
  float* velocity;  // x y z, m/s
  float* value;     // attribute of false colours
  float* color;     // r g b
} RvViewDrops;
// Makes a drop (x y z radius) that touches a surface a cap of its volume: a larger sphere whose middle lies below the
// surface, which cuts it at the contact angle. `foot` is the nearest place of the surface, `height` the drop's over it.
// A falling drop touches as a ball, with an angle of half a turn, and spreads as its middle comes down.
void rv_view_drop_on_surface(float* drop, RvVec3 foot, RvVec3 normal, double height);
// The same on a floor at the height `floor`.
void rv_view_drop_on_floor(float* drop, double floor);
// Adds the surface of the liquid that the points sample, as a part. `joined` marks the points that the surface covers;
// the others remain single drops. No point is joined where the surface would need more memory than `options` allow.
RvResult rv_view_add_liquid(RvViewScene* scene, const RvViewDrops* drops, const RvLens* lens,
                            const RvViewOptions* options, uint8_t* joined, RvError* error);
// Makes one drop of the particles of each small body of liquid that touches a mesh (drops.c): these come first, and
// *gathered is their number. False when out of memory.
bool rv_view_gather_drops(const RvViewScene* scene, RvViewDrops* drops, size_t* gathered);
// Makes the single drops that touch a mesh caps on it. False when out of memory.
bool rv_view_settle_drops(RvViewScene* scene);
// Removes the ripples of single particles from a flat surface (calm.c); false when out of memory.
bool rv_view_calm(RvPart* part);
// Lists the triangle corners at each point: start[point] .. start[point + 1] in `list`. False when out of memory.
bool rv_view_corners(const RvPart* part, uint32_t** start, uint32_t** list);
// Prepares triangles as water: orients them outwards and computes smooth normals (`round`: the surface of particles or
// of a level set, whose ripples are removed and whose normals are smooth over sharp edges too).
// False when out of memory.
bool rv_view_finish_water(RvPart* part, bool round);
// Room for a part; NULL when out of memory.
RvPart* rv_view_new_part(RvViewScene* scene, RvPartKind kind);
void rv_view_grow_bounds(RvViewScene* scene, const float* p, double radius);
// A numeric attribute of one of the owners, first found; NULL if there is none of at least `size` components.
const RvAttrib* rv_view_attrib(const RvDetail* detail, const char* name, int size, const RvOwner* owners, int nowner);
// What the wetness node put into the colours (1) and the roughness (2) of a detail already.
int rv_view_baked(const RvDetail* detail);
// The detail's attribute that `options.view` shows; NULL if no false colours are wanted or the detail lacks it.
const RvAttrib* rv_view_data_attrib(const RvDetail* detail, const RvViewOptions* options);
// Its value at an element, in the legend's unit.
double rv_view_data_value(const RvViewOptions* options, const RvAttrib* attrib, size_t element);

// A soft box of the studio at infinite distance. Diffuse and hair shading sample it as a disc; reflections see it as a
// rectangular panel of about the same solid angle.
typedef struct RvBox {
  RvVec3 direction, right, up;  // unit; towards the box and along its sides
  RvVec3 power;                 // unoccluded irradiance on a surface that faces it
  double radius;                // disc: tangent of the half angle
  double wide, high;            // panel: tangents of the half angles
} RvBox;

enum { RV_BOX_KEY, RV_BOX_SPOT, RV_BOX_RIM, RV_BOX_FILL, RV_BOX_COUNT };
enum {
  RV_VIEW_MAX_LAMPS = 32,
  RV_VIEW_FEW_SAMPLES = 8  // samples a pixel below which a picture is a draft: coarser curves, tighter clamp
};

// Shading of one camera ray: a pure function of its arguments.
typedef struct RvShader {
  const RvViewScene* scene;
  const RvLens* lens;
  const RvViewOptions* options;
  RvBox boxes[RV_BOX_COUNT];  // of the built-in studio
  bool studio;                // the scene has no lamps of its own
  RvLamps* lamps;
  double ground;          // y of the floor relative to the origin; -infinity: no floor
  double far;             // length of a ray that crosses the whole scene
  double sky_ray_length;  // length of the rays that test occlusion of the sky
  double data_range[2];   // ends of the colour scale
} RvShader;

// Position in the low-discrepancy sequence of one pixel.
typedef struct RvSampler {
  uint32_t seed;       // of the block of pixels
  uint32_t first;      // place of the pixel's first sample in the block's sequence
  uint32_t index;      // of the sample
  uint32_t dimension;  // next pair of dimensions
  float time;          // of the ray: 0 at shutter open, 1 at shutter close
} RvSampler;

// Embree occlusion filter of hair and water: they attenuate a shadow ray instead of blocking it.
void rv_view_attenuate(const struct RTCFilterFunctionNArguments* arguments);

// Samples of a pixel (sampler.c), of which there are at most `samples`; then two numbers at a time of a sequence that
// is stratified over the samples of a pixel and over the pixels around it.
RvSampler rv_view_sampler_at(uint64_t seed, int x, int y, int samples);
void rv_view_sampler_next(RvSampler* sampler, double out[2]);

RvResult rv_view_shader_make(RvShader* shader, RvViewScene* scene, const RvLens* lens, const RvViewOptions* options,
                             RvError* error);
// What a camera ray met first.
typedef struct RvFirstHit {
  bool any;
  double depth;   // along the view
  RvVec3 normal;  // world space, towards the eye
  double wetness;
  int object;  // number of the detail, from 1
  bool mesh;   // skin or a solid
} RvFirstHit;
// What a pixel of a draft shows: nothing that is smooth, the floor and what lies behind it, or from 1 on the detail of
// a mesh, with its normal and depth.
enum { RV_VIEW_GUIDE_NONE = -1, RV_VIEW_GUIDE_FLOOR = 0 };
typedef struct RvViewGuide {
  int surface;
  float normal[3], depth;
} RvViewGuide;
// Removes noise from the smooth surfaces of a draft (smooth.c); false when out of memory.
bool rv_view_smooth(RvImage* image, const RvViewGuide* guides);

// Radiance along the ray through a point of the image. *plain: the ray saw only the unshadowed backdrop.
RvVec3 rv_view_shader_trace(const RvShader* shader, double x, double y, RvSampler* sampler, uint64_t* rays, bool* plain,
                            RvFirstHit* first);

// Radiance of the studio (room.c): ceiling and walls without the soft boxes (sky); the soft boxes in reflections, with
// their edges softened by `blur` from 0, sharp, to 1; the backdrop at a point of the image, or in a direction.
RvVec3 rv_view_room_sky(const RvShader* shader, RvVec3 direction);
RvVec3 rv_view_room_mirrored(const RvShader* shader, RvVec3 direction, double blur);
RvVec3 rv_view_room_backdrop(const RvShader* shader, double x, double y);
RvVec3 rv_view_room_towards(const RvShader* shader, RvVec3 direction);
RvResult rv_view_room_make(RvShader* shader, const RvLens* rig, RvError* error);
// Radiance of the nearest rectangle or disc that a ray meets before `length`; false if there is none.
bool rv_view_room_lamp(const RvShader* shader, RvVec3 from, RvVec3 direction, double length, RvVec3* radiance);
// Radiance behind the scene in a direction: the dome that is shown, or the backdrop at a point of the image.
RvVec3 rv_view_room_behind(const RvShader* shader, RvVec3 direction, double x, double y);

// Linear colour of a perceptually uniform scale for t from 0 to 1; and a distinct colour for an identifier.
RvVec3 rv_view_color(double t);
RvVec3 rv_view_label_color(double label);
// Draws the colour bar with its title and end values into an image in false colours; range NaN: no data.
void rv_view_draw_legend(RvImage* image, const RvViewData* view, const double range[2]);
// Text of 5 x 7 dots, each `scale` pixels wide, its upper left corner at (x, y). Returns its width in pixels.
int rv_view_draw_text(RvImage* image, const char* text, int x, int y, int scale, RvVec3 color);
int rv_view_text_width(const char* text, int scale);

#endif
