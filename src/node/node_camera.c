// Camera: where the flipbook looks from, as detail attributes.
#include "math/scalar.h"
#include "math/vec.h"
#include "parm/table.h"
#include "rivulet/node.h"

#define CAMERA_PARMS(X)                                                                                           \
  X(VEC3, t, "Translate", 0, 0, 1, SOFT(-10), SOFT(10), "m", "The eye.")                                          \
  X(MENU, aim, "Aim", 0, "target=At a Target|rotate=By Rotation", "What turns the camera.")                       \
  X(VEC3, target, "Target", 0, 0, 0, SOFT(-10), SOFT(10), "m", "What it looks at.", WHEN("{ aim == rotate }"))    \
  X(VEC3, r, "Rotate", 0, 0, 0, SOFT(-180), SOFT(180), "deg",                                                     \
    "Turn about X, then Y, then Z of a camera that looks along -Z.", WHEN("{ aim == target }"))                   \
  X(VEC3, up, "Up", 0, 1, 0, SOFT(-1), SOFT(1), "", "What is upwards in the picture.", WHEN("{ aim == rotate }")) \
  X(MENU, lens, "Lens", 0, "fov=Field of View|focal=Focal Length", "How the angle of view is given.")             \
  X(FLOAT, fov, "Field of View", 35, HARD(0.1), HARD(170), "deg", "Vertical angle of view.",                      \
    WHEN("{ lens == focal }"))                                                                                    \
  X(FLOAT, focal, "Focal Length", 50, HARD(0.1), SOFT(300), "", "In millimetres.", WHEN("{ lens == fov }"))       \
  X(FLOAT, aperture, "Aperture", 41.4214, HARD(0.1), SOFT(100), "", "Width of the film in millimetres.",          \
    WHEN("{ lens == fov }"))                                                                                      \
  X(FLOAT, fstop, "F-Stop", 0, HARD(0), SOFT(22), "",                                                             \
    "Focal length over the diameter of the lens: less blurs more what is out of focus. 0: all is sharp.")         \
  X(FLOAT, focus, "Focus Distance", 0, HARD(0), SOFT(10), "m", "What is sharp. 0: the target.",                   \
    WHEN("{ fstop == 0 }"))                                                                                       \
  X(INT, resx, "Width", 1280, HARD(1), HARD(16384), "", "Pixels across.")                                         \
  X(INT, resy, "Height", 720, HARD(1), HARD(16384), "", "Pixels down.")                                           \
  X(FLOAT, near, "Near", 0.001, HARD(0), SOFT(1), "m", "Nothing nearer is shown.")                                \
  X(FLOAT, far, "Far", 10000, HARD(0), SOFT(10000), "m", "Nothing farther is shown.")
RV_PARM_TABLE(CameraParms, camera_table, CAMERA_PARMS)

// the frame the picture is taken in
typedef struct View {
  RvVec3 eye, target, up;
  double fov, lens;  // vertical angle, diameter of the lens in units of the scene
} View;

static RvResult make_view(const CameraParms* p, double meters, View* view, RvError* error) {
  view->eye = rv_vec3_load64(p->t);
  view->target = rv_vec3_load64(p->target);
  view->up = rv_vec3_load64(p->up);
  if (p->aim == 1) {
    RvQuat x = rv_quat_axis_angle(rv_vec3(1, 0, 0), rv_radians(p->r[0]));
    RvQuat y = rv_quat_axis_angle(rv_vec3(0, 1, 0), rv_radians(p->r[1]));
    RvQuat z = rv_quat_axis_angle(rv_vec3(0, 0, 1), rv_radians(p->r[2]));
    RvQuat q = rv_quat_mul(z, rv_quat_mul(y, x));
    view->target = rv_add(view->eye, rv_quat_rotate(q, rv_vec3(0, 0, -1)));
    view->up = rv_quat_rotate(q, rv_vec3(0, 1, 0));
  }
  RvVec3 way = rv_sub(view->target, view->eye);
  if (!(rv_length(way) > 0)) return rv_fail(error, RV_BAD_INPUT, "target: it is where the eye is, so there is no view");
  if (!(rv_length(rv_cross(way, view->up)) > 1e-9 * rv_length(way) * rv_length(view->up)))
    return rv_fail(error, RV_BAD_INPUT, "up: it runs along the view; choose another");
  double height = p->aperture * (double)p->resy / (double)p->resx;
  view->fov = p->lens == 1 ? 2 * rv_atan2(height / 2, p->focal) * 180 / RV_PI : p->fov;
  double half = rv_radians(view->fov) / 2, focal = height / 2 * rv_cos(half) / rv_sin(half);
  view->lens = p->fstop > 0 ? 0.001 * focal / p->fstop / meters : 0;
  return RV_OK;
}

static bool put(RvDetail* d, const char* name, RvVec3 value, RvError* error) {
  float* to = rv_detail_f32_write(d, RV_GLOBAL, name, 3, error);
  if (to) rv_vec3_store(to, value);
  return to != NULL;
}

static bool put_number(RvDetail* d, const char* name, double value, RvError* error) {
  float* to = rv_detail_f32_write(d, RV_GLOBAL, name, 1, error);
  if (to) *to = (float)value;
  return to != NULL;
}

static RvResult write_view(RvDetail* d, const CameraParms* p, const View* v, RvError* error) {
  RvResult result = rv_detail_add_points(d, 1, NULL, error);
  if (result != RV_OK) return result;
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, error);
  if (P) rv_vec3_store(P, v->eye);
  bool ok = P && put(d, "rv_cam_eye", v->eye, error) && put(d, "rv_cam_target", v->target, error) &&
            put(d, "rv_cam_up", v->up, error) && put_number(d, "rv_cam_fov", v->fov, error) &&
            put_number(d, "rv_cam_aperture", v->lens, error) && put_number(d, "rv_cam_focus", p->focus, error) &&
            put_number(d, "rv_cam_near", p->near, error) && put_number(d, "rv_cam_far", p->far, error);
  int32_t* res = ok ? rv_detail_i32_write(d, RV_GLOBAL, "rv_cam_res", 2, error) : NULL;
  if (!res) return error && error->code ? error->code : RV_NO_MEMORY;
  res[0] = (int32_t)p->resx;
  res[1] = (int32_t)p->resy;
  return RV_OK;
}

static RvResult cook(RvCook* cook, RvError* error) {
  View view = {0};
  RvResult result = make_view(cook->parms, cook->time.meters_per_unit, &view, error);
  if (result != RV_OK) return result;
  RvDetail* out = rv_detail_new();
  if (!out) return rv_fail(error, RV_NO_MEMORY, "no memory for a camera");
  result = write_view(out, cook->parms, &view, error);
  if (result == RV_OK)
    cook->output[0] = out;
  else
    rv_detail_free(out);
  return result;
}

static const RvPortDef outputs[] = {{"camera", "Camera", "One point with the camera's detail attributes.", false}};

const RvNodeType rv_node_camera = {
    .type = "camera",
    .label = "Camera",
    .category = "Geometry",
    .summary = "A camera for the flipbook.",
    .help =
        "One point at the eye, and the detail attributes rv_cam_eye, rv_cam_target, rv_cam_up (3 floats each), "
        "rv_cam_fov "
        "(degrees, vertical), rv_cam_near, rv_cam_far, rv_cam_aperture (diameter of the lens, 0 if all is sharp), "
        "rv_cam_focus and rv_cam_res (2 integers).",
    .flags = RV_NODE_GENERATOR,
    .outputs = outputs,
    .noutput = 1,
    .parms = &camera_table,
    .cook = cook,
};
