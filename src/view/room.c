// The studio around the scene: a bright ceiling over a dim room, soft boxes (key, rim, fill) and the backdrop.
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

// A soft box as a distant lamp.
static RvResult add_box(RvShader* s, const RvBox* b, RvError* error) {
  RvLamp* lamp = rv_view_lamps_add(s->lamps);
  if (!lamp) return rv_fail(error, RV_NO_MEMORY, "out of memory for the lights");
  lamp->kind = RV_LIGHT_DISTANT;
  lamp->color = b->power;
  lamp->forward = rv_neg(b->direction);
  lamp->right = b->right;
  lamp->up = b->up;
  lamp->radius = b->radius;
  return RV_OK;
}

// Places the lamps of the built-in studio: key from upper left behind the camera, with a bright spot in its middle that
// makes wet things sparkle, rim from upper right behind the subject, fill from the right. Each line gives direction,
// irradiance (linear RGB), radius of the disc and half sides of the panel, whose area about equals the disc's. The
// ceiling is a lamp too. A furnace has only its even light.
RvResult rv_view_room_make(RvShader* s, const RvLens* rig, RvError* error) {
  s->studio = s->lamps->count == 0 || s->options->furnace;
  if (!s->studio) return RV_OK;
  rv_view_lamps_free(s->lamps);
  s->boxes[RV_BOX_KEY] = box(from_rig(rig, -0.60, 0.75, -0.75), rig, rv_vec3(1.9, 1.72, 1.5), 0.28, 0.20, 0.31);
  s->boxes[RV_BOX_SPOT] = box(from_rig(rig, -0.60, 0.75, -0.75), rig, rv_vec3(2.7, 2.43, 2.1), 0.05, 0.045, 0.045);
  s->boxes[RV_BOX_RIM] = box(from_rig(rig, 0.75, 0.55, 0.70), rig, rv_vec3(3.0, 3.1, 3.3), 0.14, 0.08, 0.20);
  s->boxes[RV_BOX_FILL] = box(from_rig(rig, 0.80, 0.05, -0.70), rig, rv_vec3(0.42, 0.46, 0.52), 0.40, 0.16, 0.60);
  RvResult result = RV_OK;
  for (int i = 0; i < RV_BOX_COUNT && !result && !s->options->furnace; ++i) result = add_box(s, &s->boxes[i], error);
  RvLamp* sky = result ? NULL : rv_view_lamps_add(s->lamps);
  if (!sky) return result ? result : rv_fail(error, RV_NO_MEMORY, "out of memory for the lights");
  sky->kind = RV_LIGHT_DOME;
  sky->color = rv_vec3(1, 1, 1);
  sky->soft_sky = true;
  sky->reach = s->options->furnace ? INFINITY : s->sky_ray_length;
  return RV_OK;
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

// Radiance of the domes in a direction; `shown`: of those that are the background.
static RvVec3 domes(const RvShader* s, RvVec3 d, bool shown) {
  RvVec3 sum = {0, 0, 0};
  for (size_t i = 0; i < s->lamps->count; ++i) {
    const RvLamp* lamp = &s->lamps->list[i];
    if (lamp->kind != RV_LIGHT_DOME || (shown && !lamp->background)) continue;
    sum = rv_add(sum, rv_view_lamp_seen(lamp, d));
  }
  return sum;
}

// True if a dome is the background.
static bool dome_shown(const RvShader* s) {
  for (size_t i = 0; !s->studio && i < s->lamps->count; ++i)
    if (s->lamps->list[i].kind == RV_LIGHT_DOME && s->lamps->list[i].background) return true;
  return false;
}

RvVec3 rv_view_room_behind(const RvShader* s, RvVec3 d, double x, double y) {
  return dome_shown(s) ? domes(s, d, true) : rv_view_room_backdrop(s, x, y);
}

bool rv_view_room_lamp(const RvShader* s, RvVec3 from, RvVec3 d, double length, RvVec3* radiance) {
  bool any = false;
  for (size_t i = 0; !s->studio && i < s->lamps->count; ++i) {
    RvLampRay ray;
    int kind = s->lamps->list[i].kind;
    if (kind != RV_LIGHT_RECTANGLE && kind != RV_LIGHT_DISC) continue;
    if (!rv_view_lamp_towards(&s->lamps->list[i], from, d, &ray) || ray.distance >= length) continue;
    length = ray.distance;
    *radiance = ray.radiance;
    any = true;
  }
  return any;
}

// The backdrop fills the directions around the view and blends into the room beyond.
RvVec3 rv_view_room_towards(const RvShader* s, RvVec3 d) {
  const RvLens* lens = s->lens;
  double depth = rv_dot(d, lens->forward), backdrop_share = dome_shown(s) ? 0 : smooth(0.25, 0.75, depth);
  RvVec3 room = s->studio ? rv_view_room_sky(s, d) : domes(s, d, false);
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
  if (s->options->furnace) return light;
  for (int i = 0; s->studio && i < RV_BOX_COUNT; ++i) light = rv_add(light, panel(&s->boxes[i], d, blur));
  for (size_t i = 0; !s->studio && i < s->lamps->count; ++i) {
    RvLampRay ray;
    const RvLamp* lamp = &s->lamps->list[i];
    if (lamp->kind == RV_LIGHT_DISTANT && rv_view_lamp_towards(lamp, rv_vec3(0, 0, 0), d, &ray))
      light = rv_add(light, ray.radiance);
  }
  return light;
}
