// The flipbook renderer: details in, a linear picture out; PNG stills and movies of them.
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
  double eye[3], target[3], up[3];
  double fov_y_degrees;
  int width, height;       // the picture size the camera asks for; 0: none
  double aperture, focus;  // diameter of its lens and distance of what is sharp, as in RvViewOptions; 0: none
} RvCamera;

typedef enum RvViewQuality { RV_VIEW_DRAFT, RV_VIEW_NORMAL, RV_VIEW_HIGH, RV_VIEW_QUALITY_COUNT } RvViewQuality;

// What the picture shows. Coverage is 1 where geometry is; occlusion is the open share of the sky, 1 on the
// background; data is the number of `options.view` in false colours.
typedef enum RvViewPass { RV_VIEW_BEAUTY, RV_VIEW_COVERAGE, RV_VIEW_OCCLUSION, RV_VIEW_DATA } RvViewPass;

// A number that geometry carries, to be seen in false colours.
typedef struct RvViewData {
  const char *name, *title, *unit;
  const char* attribute;  // of points, vertices, primitives or the detail
  double scale;           // from the attribute's unit to the legend's
  bool length;            // of a vector
  bool label;             // a name and no amount: neighbours in number get colours far apart
} RvViewData;
// "wetness", "age", "film", "clump" or "speed"; NULL if `name` is none of them.
const RvViewData* rv_view_data(const char* name);

// How loose points without a colour are drawn: as drops, or joined to the surface of the liquid that they are of.
typedef enum RvViewLiquid { RV_VIEW_LIQUID_SURFACE, RV_VIEW_LIQUID_PARTICLES } RvViewLiquid;

typedef struct RvViewOptions {
  int width, height;
  int samples;      // camera rays a pixel, at most
  int sky_samples;  // rays to the sky a camera ray
  double noise;     // a tile whose noise is below this share of middle grey gets no more samples; 0: all get all
  RvViewPass pass;
  const RvViewData* view;  // of RV_VIEW_DATA
  double range[2];         // of its colours, in the legend's unit; NaN: what there is
  RvViewLiquid liquid;
  double liquid_memory;  // bytes that the surface of loose points may take; more: drops, and a warning
  double absorption[3];  // of liquid, red green blue, 1 / unit of length (Beer's law)
  double shutter;        // seconds that it is open, about the frame's own time; geometry moves by its `v`
  double aperture;       // diameter of the lens, in units of length; 0: all is sharp
  double focus;          // distance of what is sharp; 0: the camera's target
  bool furnace;          // light of 1 from everywhere and nothing else, to see whether energy is kept
  bool ground;           // a studio floor that fades into the backdrop and catches shadows
  double ground_height;  // along y; NaN: the lowest bound of what is shown
  double exposure;       // stops
  double min_pixels;     // thinnest radius of a strand or particle, in pixels; finer ones are widened to it
  float background_top[3], background_bottom[3];  // linear
  uint64_t seed;
  int sparse;           // only one tile of 8 x 8 pixels in so many is rendered, spread evenly; 0 and 1: all
  const RvCamera* rig;  // the lights stand about this camera's view; NULL: the camera itself. For moving cameras.
  const RvLog* log;     // skipped geometry is told here; NULL: silence
} RvViewOptions;

// width x height x 3 floats, linear light, first row on top.
typedef struct RvImage {
  int width, height;
  float* rgb;
  bool exact;  // colours are data: no roll-off of highlights, no dither
} RvImage;

// Figures of the last render, for reports: not part of the picture.
typedef struct RvViewStats {
  size_t strands, segments, spheres, triangles, skipped;
  uint64_t rays, samples;  // samples: camera rays
  double data_range[2];    // of the colours of RV_VIEW_DATA; NaN: nothing had the attribute
  double build_seconds, render_seconds;
} RvViewStats;

RvViewOptions rv_view_options(RvViewQuality quality, int width, int height);
// "draft", "normal" or "high"; false if `name` is none of them.
bool rv_view_quality_from_name(const char* name, RvViewQuality* quality);

// Renders what the details hold: open curves as hair, faces, loose points as spheres, level sets. Details may
// be NULL. `cancelled` (may be NULL) is called on the calling thread with the fraction done; true ends with
// RV_CANCELLED.
RvResult rv_view_render(const RvDetail* const* details, size_t count, const RvCamera* camera,
                        const RvViewOptions* options, bool (*cancelled)(void* user, double fraction), void* user,
                        RvImage* out, RvError* error);
// The same with figures of the work done.
RvResult rv_view_render_stats(const RvDetail* const* details, size_t count, const RvCamera* camera,
                              const RvViewOptions* options, bool (*cancelled)(void* user, double fraction), void* user,
                              RvImage* out, RvViewStats* stats, RvError* error);
void rv_view_image_free(RvImage* image);

// A `camera` node's detail: global attributes rv_cam_eye, rv_cam_target, rv_cam_up (3 floats), rv_cam_fov
// (degrees, vertical), and optional rv_cam_res (2 integers), rv_cam_aperture and rv_cam_focus (lengths). False if they
// are not there or make no camera.
bool rv_view_camera_from_detail(const RvDetail* detail, RvCamera* camera);
// Sees the whole box with a margin, from the front, a little right and above.
RvCamera rv_view_frame(const double lo[3], const double hi[3], double aspect);
// The same about what is really there, which is tighter than its box: begin, add every detail of every frame, ask.
typedef struct RvViewFit {
  double aspect, side[4];  // how far the points reach along the normals of the picture's four sides
  double front, back;      // and along the view
  double lowest;           // y of the lowest point; infinite when there is none
} RvViewFit;
RvViewFit rv_view_fit(double aspect);
void rv_view_fit_add(RvViewFit* fit, const RvDetail* detail);
RvCamera rv_view_fit_camera(const RvViewFit* fit);
// Pixel coordinates of a world point, y down; false behind the eye.
bool rv_view_project(const RvCamera* camera, int width, int height, const double point[3], double pixel[2]);

// What the file holds: sRGB bytes, rolled off towards white, dithered. width x height x 3.
void rv_view_to_srgb(const RvImage* image, uint8_t* bytes);
RvResult rv_view_write_png(const RvImage* image, const char* path, RvError* error);
// An H.264 film of PNG files of one size, by ffmpeg, which must be installed.
RvResult rv_view_write_mp4(const char* const* pngs, size_t count, double fps, const char* path, RvError* error);
bool rv_view_has_ffmpeg(void);

#endif
