// The flipbook renderer: ray traces details into a linear image, writes PNG stills and encodes movies of them.
//
//   RvCamera camera = rv_view_frame(lo, hi, 640.0 / 360);
//   RvViewOptions options = rv_view_options(RV_VIEW_NORMAL, 640, 360);
//   RvImage image = {0};
//   if (!rv_view_render(&detail, 1, &camera, &options, NULL, NULL, &image, &error))
//     rv_view_write_png(&image, "still.png", &error);
//   rv_view_image_free(&image);
//
// The same details, camera and options give the same bits whatever the number of workers.
#ifndef RV_VIEW_VIEW_H
#define RV_VIEW_VIEW_H

#include "rivulet/base.h"
#include "rivulet/geo.h"

enum { RV_VIEW_MAX_SIZE = 16384 };  // pixels a side

// World space, Y up unless `up` says otherwise. `up` need not be at right angles to the view.
typedef struct RvCamera {
  double eye[3], target[3], up[3];  // world positions and the up direction, metres
  double fov_y_degrees;             // vertical field of view
  int width, height;                // requested image size, pixels; 0: none
  double aperture, focus;           // lens diameter and focus distance, metres, as in RvViewOptions; 0: none
  double near, far;                 // metres along the view: nothing nearer or farther is drawn; 0: no such limit
  double exposure;                  // stops
  int tone;                         // RvViewTone
} RvCamera;

// How scene light becomes display light (tone.c): a straight line with a soft shoulder; an approximation of the ACES
// reference and output transforms for sRGB; an approximation of AgX.
typedef enum RvViewTone { RV_VIEW_TONE_SHOULDER, RV_VIEW_TONE_ACES, RV_VIEW_TONE_AGX, RV_VIEW_TONE_COUNT } RvViewTone;

typedef enum RvViewQuality { RV_VIEW_DRAFT, RV_VIEW_NORMAL, RV_VIEW_HIGH, RV_VIEW_QUALITY_COUNT } RvViewQuality;

// Output of the renderer: shaded light (beauty), coverage (1 where a ray hits geometry), ambient occlusion (visible
// share of the sky, 1 on the background), or the attribute of `options.view` in false colours (data).
typedef enum RvViewPass { RV_VIEW_BEAUTY, RV_VIEW_COVERAGE, RV_VIEW_OCCLUSION, RV_VIEW_DATA } RvViewPass;

// A false-colour view: the attribute that it shows and how the legend labels it.
typedef struct RvViewData {
  const char* name;          // as on the command line
  const char *title, *unit;  // of the legend
  const char* attribute;     // of points, vertices, primitives or the detail
  double scale;              // factor from the attribute's unit to the legend's unit, in a scene in metres
  bool metric;               // the attribute is in units of the scene
  bool length;               // the attribute is a vector and its length is shown
  bool label;                // the attribute is an identifier: consecutive numbers get clearly different colours
} RvViewData;
// "wetness", "age", "film", "clump", "speed", "density" or "air"; NULL if `name` is none of them.
const RvViewData* rv_view_data(const char* name);

// How loose points without a colour are drawn: as the surface of the liquid that they sample, or as single drops.
typedef enum RvViewLiquid { RV_VIEW_LIQUID_SURFACE, RV_VIEW_LIQUID_PARTICLES } RvViewLiquid;

typedef struct RvViewOptions {
  int width, height;  // image size, pixels
  int samples;        // camera rays a pixel, at most
  int sky_samples;    // sky rays a camera ray
  double noise;       // a tile stops sampling when its noise falls below this share of middle grey; 0: never early
  RvViewPass pass;
  const RvViewData* view;  // attribute shown by RV_VIEW_DATA
  double range[2];         // ends of the colour scale, in the legend's unit; NaN: range of the data
  RvViewLiquid liquid;
  double liquid_memory;  // bytes that the surface of loose points may take; beyond it points are drawn as drops, with a
                         // warning
  double meters;         // of a unit of the scene, for false colours
  double absorption[3];  // absorption coefficient of liquid, red green blue, 1/m (Beer's law)
  double shutter;        // shutter time, s, centred on the frame; geometry moves by its `v`
  double aperture;       // lens diameter, m; 0: pinhole, everything in focus
  double focus;          // focus distance, m; 0: the camera's target
  bool furnace;          // white furnace test: uniform radiance 1 from all directions and no lamps
  bool ground;           // shadow-catching studio floor that fades into the backdrop
  double ground_height;  // y of the floor, m; NaN: the lowest bound of the geometry
  double exposure;       // stops
  int tone;              // RvViewTone of the image
  bool layers;           // fills the layers of the image
  double min_pixels;     // least drawn radius of a strand or particle, in pixels
  float background_top[3], background_bottom[3];  // linear RGB
  uint64_t seed;                                  // of the sample sequence
  int sparse;           // renders one of every `sparse` tiles of 8 x 8 pixels, spread evenly; 0 and 1: all
  const RvCamera* rig;  // the lamps are placed relative to this camera, so that they stay fixed while the camera moves;
                        // NULL: the rendering camera
  const RvLog* log;     // receives warnings about skipped geometry; NULL: none
} RvViewOptions;

// width x height x 3 floats, linear light, first row on top.
typedef struct RvImage {
  int width, height;  // pixels
  float* rgb;
  bool exact;  // colours encode data: written without tone mapping and dither
  int tone;    // RvViewTone of display files
  // Layers, one number a pixel; NULL: not wanted. Coverage; depth along the view of the nearest sample (infinite on the
  // background); mean unit normal (3 numbers); number of the detail of the nearest sample, from 1; mean wetness.
  float *alpha, *depth, *normal, *id, *wetness;
} RvImage;

// Statistics of one render.
typedef struct RvViewStats {
  size_t strands, segments, spheres, triangles;  // geometry in the scene
  size_t skipped;                                // strands, faces and points without finite positions
  uint64_t rays, samples;                        // all rays; camera rays
  double data_range[2];                          // ends of the colour scale of RV_VIEW_DATA; NaN: no data
  double build_seconds, render_seconds;          // wall time
} RvViewStats;

RvViewOptions rv_view_options(RvViewQuality quality, int width, int height);
// "draft", "normal" or "high"; false if `name` is none of them.
bool rv_view_quality_from_name(const char* name, RvViewQuality* quality);

// Renders details: open curves as hair, faces, loose points as liquid or spheres, level sets as surfaces. Details may
// be NULL. `cancelled` (may be NULL) is called on the calling thread with the finished fraction; when it returns true
// the render ends with RV_CANCELLED.
RvResult rv_view_render(const RvDetail* const* details, size_t count, const RvCamera* camera,
                        const RvViewOptions* options, bool (*cancelled)(void* user, double fraction), void* user,
                        RvImage* out, RvError* error);
// The same, and fills in the statistics.
RvResult rv_view_render_stats(const RvDetail* const* details, size_t count, const RvCamera* camera,
                              const RvViewOptions* options, bool (*cancelled)(void* user, double fraction), void* user,
                              RvImage* out, RvViewStats* stats, RvError* error);
void rv_view_image_free(RvImage* image);

// A `camera` node's detail: global attributes rv_cam_eye, rv_cam_target, rv_cam_up (3 floats), rv_cam_fov
// (degrees, vertical), and optional rv_cam_res (2 integers), rv_cam_aperture, rv_cam_focus, rv_cam_near and rv_cam_far
// (lengths), rv_cam_exposure (stops) and rv_cam_tone (RvViewTone). False if an attribute is missing or the values
// define no view.
bool rv_view_camera_from_detail(const RvDetail* detail, RvCamera* camera);
// A three-quarter view of the whole box, with a margin.
RvCamera rv_view_frame(const double lo[3], const double hi[3], double aspect);
// The same view fitted to the points themselves, which is tighter than their box: start with rv_view_fit, add every
// detail of every frame, then ask for the camera.
typedef struct RvViewFit {
  double aspect;       // width over height of the image
  double side[4];      // extent of the points along the normals of the frustum's four sides
  double front, back;  // nearest and farthest extent along the view axis, towards the eye
  double lowest;       // y of the lowest point; infinite when there is none
} RvViewFit;
RvViewFit rv_view_fit(double aspect);
void rv_view_fit_add(RvViewFit* fit, const RvDetail* detail);
RvCamera rv_view_fit_camera(const RvViewFit* fit);
// Pixel coordinates of a world point, y down; false behind the eye.
bool rv_view_project(const RvCamera* camera, int width, int height, const double point[3], double pixel[2]);

// Reads ground and background of a `lookmaterial` node into the options. False if no detail has them.
bool rv_view_backdrop_from_details(const RvDetail* const* details, size_t count, RvViewOptions* options);
// True if all points of a detail are lamps: it has nothing to frame and no place on the ground.
bool rv_view_is_lamp(const RvDetail* detail);
// Scene light to display light, 0 to 1.
void rv_view_tone(int tone, const float* rgb, double* out);
// Display encoding: sRGB bytes with tone mapping and dither. width x height x 3.
void rv_view_to_srgb(const RvImage* image, uint8_t* bytes);
RvResult rv_view_write_png(const RvImage* image, const char* path, RvError* error);
// OpenEXR file of linear light, 32-bit floats: channels R G B, and of the layers that the image has A, Z, N.X N.Y N.Z,
// id.Y and wetness.Y.
RvResult rv_view_write_exr(const RvImage* image, const char* path, RvError* error);
// Encodes PNG files of one size as an H.264 movie with ffmpeg, which must be installed.
RvResult rv_view_write_mp4(const char* const* pngs, size_t count, double fps, const char* path, RvError* error);
bool rv_view_has_ffmpeg(void);

#endif
