// Cameras: the orthonormal basis of a view, projection, reading a camera from attributes, and automatic framing.
#include <math.h>
#include <string.h>

#include "math/scalar.h"
#include "view/view_scene.h"

static const double FOV = 30;               // degrees: a portrait lens, with little perspective distortion
static const double WIDEST_FOV = 179;       // degrees; at 180 the tangent of the half angle diverges
static const double LEAST_VIEW = 1e-100;    // metres: distance of eye and target whose square is still a number
static const double LEAST_SINE = 1e-6;      // of the angle between view and up
static const double NEAREST_SHARE = 0.01;   // of the target distance: smallest depth for the size of a pixel
static const double LEAST_EXTENT = 1e-6;    // relative size that a single point is given for framing
static const double LARGEST_EXPOSURE = 64;  // stops
static const double LONGEST_LENGTH = 1e9;   // metres; larger apertures and focus distances are taken for errors

static bool finite3(const double* v) {
  return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

// Builds right, up and forward from eye, target and up; false if they define no view.
static bool basis(const RvCamera* camera, RvVec3* right, RvVec3* up, RvVec3* forward) {
  if (!finite3(camera->eye) || !finite3(camera->target) || !finite3(camera->up)) return false;
  if (!(camera->fov_y_degrees > 0 && camera->fov_y_degrees < WIDEST_FOV)) return false;
  RvVec3 view = rv_sub(rv_vec3_load64(camera->target), rv_vec3_load64(camera->eye));
  if (!(rv_length(view) > LEAST_VIEW) || !isfinite(rv_length(view))) return false;
  *forward = rv_normalize(view, rv_vec3(0, 0, -1));
  RvVec3 side = rv_cross(*forward, rv_normalize(rv_vec3_load64(camera->up), rv_vec3(0, 1, 0)));
  // The view is parallel to `up`: any perpendicular direction serves as right.
  *right = rv_length(side) > LEAST_SINE ? rv_normalize(side, rv_vec3(1, 0, 0)) : rv_perpendicular(*forward);
  *up = rv_cross(*right, *forward);
  return true;
}

RvResult rv_view_lens_make(const RvCamera* camera, int width, int height, RvLens* lens, RvError* error) {
  *lens = (RvLens){.width = width, .height = height, .aspect = (double)width / height};
  if (!basis(camera, &lens->right, &lens->up, &lens->forward))
    return rv_fail(error, RV_BAD_INPUT,
                   "the camera makes no view: its eye and target must differ, all numbers must be finite, and the "
                   "field of view (%g) must lie between 0 and 179 degrees",
                   camera->fov_y_degrees);
  lens->origin = rv_vec3_load64(camera->target);
  lens->eye = rv_sub(rv_vec3_load64(camera->eye), lens->origin);
  double half = rv_radians(camera->fov_y_degrees) / 2;
  lens->tan_half = rv_sin(half) / rv_cos(half);
  lens->half_height = rv_length(lens->eye) * lens->tan_half;
  lens->near = camera->near > 0 ? camera->near : 0;
  lens->far = camera->far > 0 ? camera->far : INFINITY;
  return RV_OK;
}

double rv_view_lens_pixel(const RvLens* lens, RvVec3 p) {
  double depth = rv_dot(rv_sub(p, lens->eye), lens->forward);
  double nearest = NEAREST_SHARE * rv_length(lens->eye);
  return 2 * lens->tan_half / lens->height * fmax(depth, nearest);
}

RvVec3 rv_view_lens_direction(const RvLens* lens, double x, double y) {
  double u = (2 * x / lens->width - 1) * lens->tan_half * lens->aspect;
  double v = (1 - 2 * y / lens->height) * lens->tan_half;
  return rv_normalize(rv_mad(rv_mad(lens->forward, u, lens->right), v, lens->up), lens->forward);
}

bool rv_view_project(const RvCamera* camera, int width, int height, const double point[3], double pixel[2]) {
  RvLens lens;
  if (width < 1 || height < 1 || rv_view_lens_make(camera, width, height, &lens, NULL)) return false;
  RvVec3 d = rv_sub(rv_sub(rv_vec3_load64(point), lens.origin), lens.eye);
  double depth = rv_dot(d, lens.forward);
  if (!(depth > 0)) return false;
  pixel[0] = (rv_dot(d, lens.right) / (depth * lens.tan_half * lens.aspect) + 1) / 2 * width;
  pixel[1] = (1 - rv_dot(d, lens.up) / (depth * lens.tan_half)) / 2 * height;
  return true;
}

// Three components of a detail attribute; false if it is missing.
static bool global3(const RvDetail* detail, const char* name, double* out) {
  const RvAttrib* a = rv_detail_find(detail, RV_GLOBAL, name);
  if (!a || rv_attrib_storage(a) == RV_STRING || rv_attrib_size(a) < 3 || rv_attrib_count(a) < 1) return false;
  for (int i = 0; i < 3; ++i) out[i] = rv_attrib_get(a, 0, i);
  return true;
}

// Length in a detail attribute; 0 if it is missing, negative or absurdly large.
static double global_length(const RvDetail* detail, const char* name) {
  const RvAttrib* a = rv_detail_find(detail, RV_GLOBAL, name);
  if (!a || rv_attrib_storage(a) == RV_STRING || rv_attrib_count(a) < 1) return 0;
  double x = rv_attrib_get(a, 0, 0);
  return x > 0 && x < LONGEST_LENGTH ? x : 0;
}

bool rv_view_camera_from_detail(const RvDetail* detail, RvCamera* camera) {
  RvCamera c = {.up = {0, 1, 0}, .fov_y_degrees = FOV};
  if (!detail || !global3(detail, "rv_cam_eye", c.eye) || !global3(detail, "rv_cam_target", c.target)) return false;
  global3(detail, "rv_cam_up", c.up);
  const RvAttrib* fov = rv_detail_find(detail, RV_GLOBAL, "rv_cam_fov");
  if (fov && rv_attrib_storage(fov) != RV_STRING && rv_attrib_count(fov) > 0)
    c.fov_y_degrees = rv_attrib_get(fov, 0, 0);
  const RvAttrib* res = rv_detail_find(detail, RV_GLOBAL, "rv_cam_res");
  if (res && rv_attrib_storage(res) != RV_STRING && rv_attrib_size(res) >= 2 && rv_attrib_count(res) > 0) {
    double w = rv_attrib_get(res, 0, 0), h = rv_attrib_get(res, 0, 1);
    if (w >= 1 && h >= 1 && w <= RV_VIEW_MAX_SIZE && h <= RV_VIEW_MAX_SIZE) {
      c.width = (int)w;
      c.height = (int)h;
    }
  }
  c.aperture = global_length(detail, "rv_cam_aperture");
  c.focus = global_length(detail, "rv_cam_focus");
  c.near = global_length(detail, "rv_cam_near");
  c.far = global_length(detail, "rv_cam_far");
  const RvAttrib* exposure = rv_detail_find(detail, RV_GLOBAL, "rv_cam_exposure");
  if (exposure && rv_attrib_storage(exposure) != RV_STRING && fabs(rv_attrib_get(exposure, 0, 0)) <= LARGEST_EXPOSURE)
    c.exposure = rv_attrib_get(exposure, 0, 0);
  const RvAttrib* tone = rv_detail_find(detail, RV_GLOBAL, "rv_cam_tone");
  if (tone && rv_attrib_storage(tone) != RV_STRING)
    c.tone = (int)rv_clamp(rv_attrib_get(tone, 0, 0), 0, RV_VIEW_TONE_COUNT - 1);
  RvVec3 right, up, forward;
  if (!basis(&c, &right, &up, &forward)) return false;
  *camera = c;
  return true;
}

//---------------------------------------------------------------------------------------------- framing

// Fixed viewing direction of automatic framing.
typedef struct Framing {
  RvVec3 right, up, back;  // unit; back points from the target to the eye
  double tx, ty;           // tangents of the half angles of the field of view, less a margin
} Framing;

// Three-quarter view: 30 degrees to the right of the front, 14 degrees above it. `margin` leaves 7 % of the half angle
// free at the border of the image.
static Framing framing(double aspect) {
  const double azimuth = rv_radians(30);
  const double elevation = rv_radians(14);
  const double margin = 0.93;
  Framing f;
  f.back = rv_vec3(rv_sin(azimuth) * rv_cos(elevation), rv_sin(elevation), rv_cos(azimuth) * rv_cos(elevation));
  f.right = rv_normalize(rv_cross(rv_vec3(0, 1, 0), f.back), rv_vec3(1, 0, 0));
  f.up = rv_cross(f.back, f.right);
  f.ty = margin * rv_sin(rv_radians(FOV / 2)) / rv_cos(rv_radians(FOV / 2));
  f.tx = f.ty * aspect;
  return f;
}

RvViewFit rv_view_fit(double aspect) {
  RvViewFit fit = {.aspect = aspect > 0 && isfinite(aspect) ? aspect : 1, .front = -INFINITY, .back = INFINITY};
  for (int i = 0; i < 4; ++i) fit.side[i] = -INFINITY;
  fit.lowest = INFINITY;
  return fit;
}

// Extends the fit by filled point. A point (x, y, z) of the framing basis is visible from an eye at e when
// |x - ex| <= tx (ez - z) and likewise for y: four half spaces, so the extreme point along each of the four normals
// suffices.
static void fit_point(RvViewFit* fit, const Framing* f, RvVec3 p) {
  if (!rv_vec3_finite(p)) return;
  double x = rv_dot(p, f->right);
  double y = rv_dot(p, f->up);
  double z = rv_dot(p, f->back);
  const double reach[4] = {x + f->tx * z, -x + f->tx * z, y + f->ty * z, -y + f->ty * z};
  for (int i = 0; i < 4; ++i) fit->side[i] = fmax(fit->side[i], reach[i]);
  fit->front = fmax(fit->front, z);
  fit->back = fmin(fit->back, z);
  fit->lowest = fmin(fit->lowest, p.y);
}

// Extends the fit by the corners of a box.
static void fit_box(RvViewFit* fit, const double lo[3], const double hi[3]) {
  Framing f = framing(fit->aspect);
  for (int i = 0; i < 8; ++i)
    fit_point(fit, &f, rv_vec3(i & 1 ? hi[0] : lo[0], i & 2 ? hi[1] : lo[1], i & 4 ? hi[2] : lo[2]));
}

bool rv_view_is_lamp(const RvDetail* detail) {
  const RvAttrib* kinds = rv_view_lamp_kinds(detail);
  size_t npoint = rv_detail_count(detail, RV_POINT);
  for (size_t i = 0; kinds && i < npoint; ++i)
    if (!(rv_attrib_get(kinds, i, 0) > 0)) return false;
  return kinds != NULL;
}

bool rv_view_backdrop_from_details(const RvDetail* const* details, size_t count, RvViewOptions* options) {
  bool any = false;
  for (size_t i = 0; i < count; ++i) {
    const RvAttrib* colors = details[i] ? rv_detail_find(details[i], RV_GLOBAL, RV_LOOK_BACKDROP) : NULL;
    const RvAttrib* ground = details[i] ? rv_detail_find(details[i], RV_GLOBAL, RV_LOOK_GROUND) : NULL;
    if (!colors || !ground || rv_attrib_size(colors) < 6 || rv_attrib_size(ground) < 3) continue;
    for (int k = 0; k < 3; ++k) {
      options->background_top[k] = (float)rv_attrib_get(colors, 0, k);
      options->background_bottom[k] = (float)rv_attrib_get(colors, 0, k + 3);
    }
    options->ground = rv_attrib_get(ground, 0, 0) > 0;
    if (rv_attrib_get(ground, 0, 1) > 0) options->ground_height = rv_attrib_get(ground, 0, 2);
    any = true;
  }
  return any;
}

void rv_view_fit_add(RvViewFit* fit, const RvDetail* detail) {
  if (!detail || rv_view_is_lamp(detail)) return;
  const RvAttrib* P = rv_detail_find(detail, RV_POINT, "P");
  size_t npoint = rv_detail_count(detail, RV_POINT);
  Framing f = framing(fit->aspect);
  for (size_t i = 0; i < npoint; ++i)
    fit_point(fit, &f, rv_vec3(rv_attrib_get(P, i, 0), rv_attrib_get(P, i, 1), rv_attrib_get(P, i, 2)));
  // Grids contribute their bounding box.
  double lo[3], hi[3];
  if (rv_detail_find_vdb(detail, NULL) && rv_detail_bounds(detail, lo, hi)) fit_box(fit, lo, hi);
}

RvCamera rv_view_fit_camera(const RvViewFit* fit) {
  RvViewFit filled = *fit;
  const double lo[3] = {-0.5, -0.5, -0.5}, hi[3] = {0.5, 0.5, 0.5};
  // An empty scene is framed as a unit box.
  if (!(filled.front >= filled.back)) fit_box(&filled, lo, hi);
  Framing f = framing(filled.aspect);
  const double* s = filled.side;
  double x = (s[0] - s[1]) / 2, y = (s[2] - s[3]) / 2, middle = (filled.front + filled.back) / 2;
  // The eye moves back until both pairs of opposite sides fit.
  double z = fmax((s[0] + s[1]) / (2 * f.tx), (s[2] + s[3]) / (2 * f.ty));
  // A single point gets a small extent, so that eye and target differ.
  double least = LEAST_EXTENT * (1 + fabs(x) + fabs(y) + fabs(middle));
  z = fmax(z, middle + least / f.ty);
  // Target in the middle of the depth range, eye in front of it.
  RvCamera camera = {.up = {0, 1, 0}, .fov_y_degrees = FOV};
  RvVec3 across = rv_mad(rv_scale(f.right, x), y, f.up);
  rv_vec3_store64(camera.target, rv_mad(across, middle, f.back));
  rv_vec3_store64(camera.eye, rv_mad(across, z, f.back));
  return camera;
}

RvCamera rv_view_frame(const double lo[3], const double hi[3], double aspect) {
  RvViewFit fit = rv_view_fit(aspect);
  if (finite3(lo) && finite3(hi) && lo[0] <= hi[0] && lo[1] <= hi[1] && lo[2] <= hi[2]) fit_box(&fit, lo, hi);
  return rv_view_fit_camera(&fit);
}
