// The studio around the scene: a bright ceiling over a dim room, three soft boxes (key, rim, fill) and the backdrop.
#include <math.h>

#include "math/scalar.h"
#include "view/view_scene.h"

static const double PANEL_EDGE = 0.04;         // softness of a panel's edge, tangent
static const double BLURRED_EDGE = 0.25;       // added to it at full blur
static const double LEAST_PANEL_COSINE = 0.2;  // of directions towards a panel

// Smoothstep from 0 at lo to 1 at hi.
static double smooth(double lo, double hi, double x) {
  double t = rv_clamp((x - lo) / (hi - lo), 0, 1);
  return t * t * (3 - 2 * t);
}

// A soft box in a direction, its sides aligned with the rig camera.
static RvBox box(RvVec3 direction, const RvLens* rig, RvVec3 power, double radius, double wide, double high) {
  RvVec3 right = rv_normalize(rv_cross(direction, rig->up), rig->right);
  return (RvBox){direction, right, rv_cross(right, direction), power, radius, wide, high};
}

// Unit direction from components in the basis of the rig camera.
static RvVec3 from_rig(const RvLens* rig, double right, double up, double forward) {
  RvVec3 d = rv_mad(rv_mad(rv_scale(rig->right, right), up, rig->up), forward, rig->forward);
  return rv_normalize(d, rig->up);
}

// Places the lamps: key from upper left behind the camera, rim from upper right behind the subject, fill from the
// right. Each line gives direction, irradiance (linear RGB), radius of the disc and half sides of the panel, whose area
// about equals the disc's.
void rv_view_room_make(RvShader* s, const RvLens* rig) {
  double on = s->options->furnace ? 0 : 1;
  s->boxes[RV_BOX_KEY] =
      box(from_rig(rig, -0.60, 0.75, -0.75), rig, rv_scale(rv_vec3(4.6, 4.15, 3.6), on), 0.28, 0.20, 0.31);
  s->boxes[RV_BOX_RIM] =
      box(from_rig(rig, 0.75, 0.55, 0.70), rig, rv_scale(rv_vec3(3.0, 3.1, 3.3), on), 0.14, 0.08, 0.20);
  s->boxes[RV_BOX_FILL] =
      box(from_rig(rig, 0.80, 0.05, -0.70), rig, rv_scale(rv_vec3(0.42, 0.46, 0.52), on), 0.40, 0.16, 0.60);
}

// Radiance of ceiling and walls, from the light bounced by the floor below to the ceiling above.
RvVec3 rv_view_room_sky(const RvShader* s, RvVec3 d) {
  if (s->options->furnace) return rv_vec3(1, 1, 1);
  // A dark horizon under a bright ceiling gives water a reflection that sets it off from the floor.
  return rv_lerp(rv_vec3(0.20, 0.195, 0.19), rv_vec3(0.78, 0.83, 0.90), smooth(-0.15, 0.95, d.y));
}

// Vertical gradient of the backdrop with a vignette centred at 45 % of the height.
RvVec3 rv_view_room_backdrop(const RvShader* s, double x, double y) {
  if (s->options->furnace) return rv_vec3(1, 1, 1);
  double v = y / s->lens->height, h = x / s->lens->width - 0.5, w = v - 0.45;
  const float *top = s->options->background_top, *bottom = s->options->background_bottom;
  RvVec3 c = rv_lerp(rv_vec3_load(top), rv_vec3_load(bottom), smooth(0, 1, v));
  return rv_scale(c, 1.12 - 0.75 * rv_clamp(h * h + w * w, 0, 0.7));
}

// The backdrop fills the directions around the view and blends into the room beyond.
RvVec3 rv_view_room_towards(const RvShader* s, RvVec3 d) {
  const RvLens* lens = s->lens;
  double depth = rv_dot(d, lens->forward), backdrop_share = smooth(0.25, 0.75, depth);
  RvVec3 room = rv_view_room_sky(s, d);
  if (backdrop_share <= 0) return room;
  double u = rv_dot(d, lens->right) / (depth * lens->tan_half * lens->aspect);
  double v = rv_dot(d, lens->up) / (depth * lens->tan_half);
  return rv_lerp(room, rv_view_room_backdrop(s, 0.5 * (u + 1) * lens->width, 0.5 * (1 - v) * lens->height),
                 backdrop_share);
}

// Radiance of a panel with a soft edge: its irradiance over its solid angle. `blur` from 0 to 1 enlarges and softens
// it.
static RvVec3 panel(const RvBox* b, RvVec3 d, double blur) {
  double along = rv_dot(d, b->direction);
  // The tangent plane projection serves only directions near the panel.
  if (along < LEAST_PANEL_COSINE) return rv_vec3(0, 0, 0);
  double grow = 1 + blur;
  double wide = b->wide * grow;
  double high = b->high * grow;
  double edge = PANEL_EDGE + BLURRED_EDGE * blur;
  double x = fabs(rv_dot(d, b->right) / along), y = fabs(rv_dot(d, b->up) / along);
  double share = (1 - smooth(wide - edge, wide + edge, x)) * (1 - smooth(high - edge, high + edge, y));
  // The diffuser is brighter at its centre.
  double middle = 1.15 - 0.45 * (x * x / (wide * wide) + y * y / (high * high)) / 2;
  return rv_scale(b->power, share * fmax(middle, 0) / (4 * wide * high));
}

RvVec3 rv_view_room_mirrored(const RvShader* s, RvVec3 d, double blur) {
  RvVec3 light = {0, 0, 0};
  for (int i = 0; i < RV_BOX_COUNT; ++i) light = rv_add(light, panel(&s->boxes[i], d, blur));
  return light;
}
