// Camera: eye, direction and lens of the flipbook, as detail attributes.
#include "math/scalar.h"
#include "math/vec.h"
#include "node/define.h"

#define CAMERA_PARMS(X)                                                                                                \
  X(VEC3, t, "Translate", 0, 0, 1, SOFT(-10), SOFT(10), "m", "Position of the eye.")                                   \
  X(MENU, aim, "Aim", 0, "target=At a Target|rotate=By Rotation",                                                      \
    "Aims the camera at a target point or by rotation angles.")                                                        \
  X(VEC3, target, "Target", 0, 0, 0, SOFT(-10), SOFT(10), "m",                                                         \
    "Point that the camera looks at; it appears in the centre of the picture.", HIDE("{ aim == rotate }"))             \
  X(VEC3, r, "Rotate", 0, 0, 0, SOFT(-180), SOFT(180), "deg",                                                          \
    "Rotation about X, then Y, then Z of a camera that looks along -Z.", HIDE("{ aim == target }"))                    \
  X(VEC3, up, "Up", 0, 1, 0, SOFT(-1), SOFT(1), "", "Direction that appears upwards in the picture.",                  \
    HIDE("{ aim == rotate }"))                                                                                         \
  X(MENU, lens, "Lens", 0, "fov=Field of View|focal=Focal Length",                                                     \
    "Gives the angle of view directly, or by focal length and sensor width.")                                          \
  X(FLOAT, fov, "Field of View", 35, HARD(0.1), HARD(170), "deg",                                                      \
    "Vertical angle of view. Small angles magnify; 20 to 40 degrees suits portraits.", HIDE("{ lens == focal }"))      \
  X(FLOAT, focal, "Focal Length", 50, HARD(0.1), SOFT(300), "",                                                        \
    "Focal length in millimetres. Longer magnifies; 50 is a normal lens.", HIDE("{ lens == fov }"))                    \
  X(FLOAT, aperture, "Aperture", 41.4214, HARD(0.1), SOFT(100), "", "Width of the sensor in millimetres.",             \
    HIDE("{ lens == fov }"))                                                                                           \
  X(FLOAT, fstop, "F-Stop", 0, HARD(0), SOFT(22), "",                                                                  \
    "Focal length over lens diameter. Lower values blur more outside the focus; 0 keeps everything sharp, 1.4 to 16 "  \
    "is usual.")                                                                                                       \
  X(FLOAT, focus, "Focus Distance", 0, HARD(0), SOFT(10), "m",                                                         \
    "Distance from the eye that is sharp. 0 focuses on the target.", WHEN("{ fstop == 0 }"))                           \
  X(FLOAT, exposure, "Exposure", 0, HARD(-32), HARD(32), "", "Brightness of the picture in stops: 1 doubles it.")      \
  X(MENU, tonemap, "Tone Mapping", 0, "shoulder=Soft Shoulder|aces=ACES|agx=AgX",                                      \
    "How light becomes the colours of a display. Soft Shoulder keeps colours and compresses highlights; ACES has the " \
    "contrast of film; AgX lets bright colours fade to white. .exr files are not tone mapped.")                        \
  X(INT, resx, "Width", 1280, HARD(1), HARD(16384), "", "Width of the picture in pixels.")                             \
  X(INT, resy, "Height", 720, HARD(1), HARD(16384), "", "Height of the picture in pixels.")                            \
  X(FLOAT, near, "Near", 0.001, HARD(0), SOFT(1), "m", "Distance along the view below which nothing is drawn.",        \
    ADVANCED)                                                                                                          \
  X(FLOAT, far, "Far", 10000, HARD(0), SOFT(10000), "m",                                                               \
    "Distance along the view beyond which nothing is drawn. Floor, mirror images and what is seen through water are "  \
    "not cut off.",                                                                                                    \
    ADVANCED)
RV_PARM_TABLE(CameraParms, camera_table, CAMERA_PARMS)

static const double LEAST_SINE = 1e-9;   // of the angle between view and up
static const double MILLIMETRE = 0.001;  // metres

// Position, direction and lens.
typedef struct View {
  RvVec3 eye, target, up;
  double fov, lens;  // vertical angle, degrees; diameter of the lens, units of the scene
} View;

// Computes the view from the parameters.
static RvResult make_view(const CameraParms* p, double meters, View* view, RvError* error) {
  view->eye = rv_vec3_load64(p->t);
  view->target = rv_vec3_load64(p->target);
  view->up = rv_vec3_load64(p->up);
  // By rotations, in the order X, Y, Z; a camera without any looks along -Z.
  if (p->aim == 1) {
    RvQuat x = rv_quat_axis_angle(rv_vec3(1, 0, 0), rv_radians(p->r[0]));
    RvQuat y = rv_quat_axis_angle(rv_vec3(0, 1, 0), rv_radians(p->r[1]));
    RvQuat z = rv_quat_axis_angle(rv_vec3(0, 0, 1), rv_radians(p->r[2]));
    RvQuat q = rv_quat_mul(z, rv_quat_mul(y, x));
    view->target = rv_add(view->eye, rv_quat_rotate(q, rv_vec3(0, 0, -1)));
    view->up = rv_quat_rotate(q, rv_vec3(0, 1, 0));
  }
  // A view needs a direction, and an up that is not along it.
  RvVec3 direction = rv_sub(view->target, view->eye);
  if (!(rv_length(direction) > 0))
    return rv_fail(error, RV_BAD_INPUT, "target: it coincides with the eye (t); move one of them");
  if (!(rv_length(rv_cross(direction, view->up)) > LEAST_SINE * rv_length(direction) * rv_length(view->up)))
    return rv_fail(error, RV_BAD_INPUT, "up: it is parallel to the view direction; choose another");
  if (!(p->near < p->far))
    return rv_fail(error, RV_BAD_INPUT, "far is %g and near %g: nothing lies between them; far must be larger", p->far,
                   p->near);
  // Angle of view from the sensor height, and the lens diameter from the f-stop.
  double height = p->aperture * (double)p->resy / (double)p->resx;
  view->fov = p->lens == 1 ? 2 * rv_atan2(height / 2, p->focal) * 180 / RV_PI : p->fov;
  double half = rv_radians(view->fov) / 2, focal = height / 2 * rv_cos(half) / rv_sin(half);
  view->lens = p->fstop > 0 ? MILLIMETRE * focal / p->fstop / meters : 0;
  return RV_OK;
}

// Writes a vector detail attribute; false on failure.
static bool put(RvDetail* d, const char* name, RvVec3 value, RvError* error) {
  float* to = rv_detail_f32_write(d, RV_GLOBAL, name, 3, error);
  if (to) rv_vec3_store(to, value);
  return to != NULL;
}

// Writes a number detail attribute; false on failure.
static bool put_number(RvDetail* d, const char* name, double value, RvError* error) {
  float* to = rv_detail_f32_write(d, RV_GLOBAL, name, 1, error);
  if (to) *to = (float)value;
  return to != NULL;
}

// Writes the point and all attributes.
static RvResult write_view(RvDetail* d, const CameraParms* p, const View* v, RvError* error) {
  // One point, so that the camera has a place in a viewport.
  RvResult result = rv_detail_add_points(d, 1, NULL, error);
  if (result != RV_OK) return result;
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, error);
  if (P) rv_vec3_store(P, v->eye);
  bool ok = P && put(d, "rv_cam_eye", v->eye, error) && put(d, "rv_cam_target", v->target, error) &&
            put(d, "rv_cam_up", v->up, error) && put_number(d, "rv_cam_fov", v->fov, error) &&
            put_number(d, "rv_cam_aperture", v->lens, error) && put_number(d, "rv_cam_focus", p->focus, error) &&
            put_number(d, "rv_cam_near", p->near, error) && put_number(d, "rv_cam_far", p->far, error) &&
            put_number(d, "rv_cam_exposure", p->exposure, error) && put_number(d, "rv_cam_tone", p->tonemap, error);
  int32_t* res = ok ? rv_detail_i32_write(d, RV_GLOBAL, "rv_cam_res", 2, error) : NULL;
  if (!res) return error && error->code ? error->code : RV_NO_MEMORY;
  res[0] = (int32_t)p->resx;
  res[1] = (int32_t)p->resy;
  return RV_OK;
}

// Makes the point with the attributes of the camera.
static RvResult cook(RvCook* cook, RvError* error) {
  View view = {0};
  RvResult result = make_view(cook->parms, cook->time.meters_per_unit, &view, error);
  if (result != RV_OK) return result;
  RvDetail* out = rv_detail_new();
  if (!out) return rv_fail(error, RV_NO_MEMORY, "out of memory for a camera");
  result = write_view(out, cook->parms, &view, error);
  return rv_node_give(cook, out, result);
}

static const RvPortDef outputs[] = {{"camera", "Camera", "One point with the camera's detail attributes.", false}};

RV_NODE_TYPE(
    camera, "Camera", "Geometry", "Places a camera for the flipbook.",
    "The output is one point at the eye and the detail attributes rv_cam_eye, rv_cam_target, rv_cam_up (3 "
    "floats each), rv_cam_fov (degrees, vertical), rv_cam_near, rv_cam_far, rv_cam_aperture (diameter of the "
    "lens, 0 for a pinhole), rv_cam_focus, rv_cam_exposure (stops), rv_cam_tone (0 soft shoulder, 1 ACES, 2 AgX) "
    "and rv_cam_res (2 integers).",
    .flags = RV_NODE_GENERATOR, RV_NODE_OUTPUTS(outputs))
