// Light: lamps of the flipbook (distant, rectangle, disc, dome) as a point with attributes.
#include "math/scalar.h"
#include "math/vec.h"
#include "node/define.h"
#include "node/look.h"

// Conditions under which a parameter of one type of lamp is hidden.
#define IF_PLACED HIDE("{ lighttype == dome }")
#define IF_AREA HIDE("{ lighttype == distant } { lighttype == dome }")
#define IF_DOME HIDE("{ lighttype == distant } { lighttype == rectangle } { lighttype == disc }")
#define IF_STUDIO                                                                                                      \
  HIDE(                                                                                                                \
      "{ lighttype == distant } { lighttype == rectangle } { lighttype == disc } { dome == image } { dome == uniform " \
      "}")

#define LIGHT_PARMS(X)                                                                                                \
  X(MENU, lighttype, "Type", 0, "distant=Distant|rectangle=Rectangle|disc=Disc|dome=Dome",                            \
    "Distant lights come from far away, as the sun. Rectangles and discs are soft boxes at a place. A dome lights "   \
    "from "                                                                                                           \
    "all around.")                                                                                                    \
  X(COLOR, color, "Color", 1, 1, 1, "Colour of the light.")                                                           \
  X(FLOAT, intensity, "Intensity", 1, HARD(0), SOFT(10), "",                                                          \
    "Brightness. Distant: irradiance of a surface that faces the light; 3 lights white paper fully. Rectangle and "   \
    "disc: "                                                                                                          \
    "irradiance 1 m in front of it. Dome: factor on its radiance.")                                                   \
  X(FLOAT, exposure, "Exposure", 0, HARD(-32), HARD(32), "", "Brightness in stops: 1 doubles it.")                    \
  X(FOLDER, "Place")                                                                                                  \
  X(VEC3, t, "Translate", 1, 1, 1, SOFT(-10), SOFT(10), "m",                                                          \
    "Position of the lamp. A distant light shines from there towards the target, at any distance.", IF_PLACED)        \
  X(VEC3, target, "Target", 0, 0, 0, SOFT(-10), SOFT(10), "m", "Point that the lamp faces.", IF_PLACED)               \
  X(FLOAT, roll, "Roll", 0, SOFT(-180), SOFT(180), "deg", "Turns a rectangle about its axis.",                        \
    HIDE("{ lighttype == distant } { lighttype == dome } { lighttype == disc }"))                                     \
  X(FLOAT, rotate, "Rotate", 0, SOFT(-180), SOFT(180), "deg", "Turns the dome about the vertical axis.", IF_DOME)     \
  X(FOLDER, "Shape")                                                                                                  \
  X(FLOAT, angle, "Angle", 2, HARD(0), HARD(120), "deg",                                                              \
    "Diameter of a distant light in the sky. Larger gives softer shadows; the sun has 0.5, a large soft box 30.",     \
    HIDE("{ lighttype == rectangle } { lighttype == disc } { lighttype == dome }"))                                   \
  X(VEC2, areasize, "Size", 0.5, 0.5, HARD(1e-6), SOFT(5), "m",                                                       \
    "Sides of the rectangle, or diameter of the disc (the first number). Larger gives softer shadows.", IF_AREA)      \
  X(TOGGLE, normalizearea, "Normalize", true,                                                                         \
    "Keeps the light that arrives when the size changes. Off, Intensity is the radiance of the lamp, so that larger " \
    "lamps light more.",                                                                                              \
    IF_AREA, ADVANCED)                                                                                                \
  X(FOLDER, "Dome")                                                                                                   \
  X(MENU, dome, "Dome", 0, "studio=Studio|uniform=Uniform|image=Image",                                               \
    "A studio with key, rim and fill light, the same light from everywhere, or a picture of a place.", IF_DOME)       \
  X(FILE, envmap, "Image", "",                                                                                        \
    "Latitude-longitude picture: .exr, .hdr or .png. Its centre lies along -Z, its upper edge straight up.",          \
    HIDE("{ lighttype == distant } { lighttype == rectangle } { lighttype == disc } { dome == studio } "              \
         "{ dome == uniform }"))                                                                                      \
  X(FLOAT, key, "Key", 1, HARD(0), SOFT(4), "", "Factor on the studio's main light, from the upper left front.",      \
    IF_STUDIO)                                                                                                        \
  X(FLOAT, rim, "Rim", 1, HARD(0), SOFT(4), "",                                                                       \
    "Factor on the studio's light from behind, which draws the outline of hair.", IF_STUDIO)                          \
  X(FLOAT, fill, "Fill", 1, HARD(0), SOFT(4), "", "Factor on the studio's weak light from the right.", IF_STUDIO)     \
  X(TOGGLE, background, "Background", false, "Shows the dome behind the scene instead of the backdrop.", IF_DOME)
RV_PARM_TABLE(LightParms, light_table, LIGHT_PARMS)

static const double LEAST_SINE = 1e-6;  // of the angle between the lamp's axis and the vertical

// Writes a vector point attribute.
static bool put3(RvDetail* d, const char* name, RvTag tag, RvVec3 value, RvError* error) {
  RvAttrib* a = NULL;
  if (rv_detail_add_attrib(d, RV_POINT, name, RV_F32, 3, tag, &a, error)) return false;
  float* to = rv_detail_f32_write(d, RV_POINT, name, 3, error);
  if (to) rv_vec3_store(to, value);
  return to != NULL;
}

// Writes numbers of a point attribute.
static bool put(RvDetail* d, const char* name, int count, const double* values, RvError* error) {
  float* to = rv_detail_f32_write(d, RV_POINT, name, count, error);
  for (int i = 0; to && i < count; ++i) to[i] = (float)values[i];
  return to != NULL;
}

// Colour times intensity times exposure. That of an area lamp is its radiance: with Normalize it sends the intensity
// towards its front, so that irradiance at 1 m is the intensity, whatever the size.
static RvVec3 light_of(const LightParms* p, double metres) {
  double power = p->intensity * rv_pow(2, p->exposure);
  bool disc = p->lighttype == RV_LIGHT_DISC - 1;
  double area = disc ? RV_PI / 4 * p->areasize[0] * p->areasize[0] : p->areasize[0] * p->areasize[1];
  bool has_area = disc || p->lighttype == RV_LIGHT_RECTANGLE - 1;
  if (has_area && p->normalizearea) power /= area * metres * metres;
  return rv_scale(rv_vec3(p->color[0], p->color[1], p->color[2]), power);
}

// Axes of the lamp: the direction in which it shines, and its upper side.
static RvResult axes_of(const LightParms* p, RvVec3* forward, RvVec3* up, RvError* error) {
  *forward = rv_vec3(0, -1, 0);
  // The upper side of a dome points to the middle of its image.
  double turn = rv_radians(p->rotate);
  *up = rv_vec3(-rv_sin(turn), 0, -rv_cos(turn));
  if (p->lighttype == RV_LIGHT_DOME - 1) return RV_OK;
  RvVec3 axis = rv_sub(rv_vec3_load64(p->target), rv_vec3_load64(p->t));
  if (!(rv_length(axis) > 0))
    return rv_fail(error, RV_BAD_INPUT, "t and target are the same point: move one of them, so that the lamp faces it");
  *forward = rv_normalize(axis, *forward);
  RvVec3 side = rv_cross(*forward, rv_vec3(0, 1, 0));
  side = rv_length(side) > LEAST_SINE ? rv_normalize(side, side) : rv_perpendicular(*forward);
  RvVec3 upright = rv_cross(side, *forward);
  double roll = p->lighttype == RV_LIGHT_RECTANGLE - 1 ? rv_radians(p->roll) : 0;
  *up = rv_mad(rv_scale(upright, rv_cos(roll)), rv_sin(roll), side);
  return RV_OK;
}

// Writes the point and its attributes.
static RvResult write_light(RvDetail* d, const LightParms* p, double metres, RvError* error) {
  RvVec3 forward, up;
  RvResult result = axes_of(p, &forward, &up, error);
  if (!result) result = rv_detail_add_points(d, 1, NULL, error);
  if (result) return result;
  float* P = rv_detail_f32_write(d, RV_POINT, "P", 3, error);
  if (P && p->lighttype != RV_LIGHT_DOME - 1) rv_vec3_store(P, rv_vec3_load64(p->t));
  // Numbers that the type does not use are 0.
  int kind = (int)p->lighttype + 1;
  bool dome = kind == RV_LIGHT_DOME, area = kind == RV_LIGHT_RECTANGLE || kind == RV_LIGHT_DISC;
  bool studio = dome && p->dome == RV_DOME_STUDIO;
  const double factors[3] = {studio ? p->key : 0, studio ? p->rim : 0, studio ? p->fill : 0};
  const double size[2] = {area ? p->areasize[0] : 0, kind == RV_LIGHT_RECTANGLE ? p->areasize[1] : 0};
  double angle = kind == RV_LIGHT_DISTANT ? p->angle : 0;
  bool good = P && put3(d, RV_LIGHT_COLOR, RV_TAG_COLOR, light_of(p, metres), error) &&
              put3(d, RV_LIGHT_FORWARD, RV_TAG_VECTOR, forward, error) &&
              put3(d, RV_LIGHT_UP, RV_TAG_VECTOR, up, error) && put(d, RV_LIGHT_SIZE, 2, size, error) &&
              put(d, RV_LIGHT_ANGLE, 1, &angle, error) && put(d, RV_LIGHT_STUDIO, 3, factors, error);
  int32_t* kinds = good ? rv_detail_i32_write(d, RV_POINT, RV_LIGHT_KIND, 3, error) : NULL;
  if (!kinds) return error && error->code ? error->code : RV_NO_MEMORY;
  kinds[0] = kind;
  kinds[1] = dome ? (int32_t)p->dome : 0;
  kinds[2] = dome && p->background;
  RvAttrib* image = NULL;
  result = rv_detail_add_attrib(d, RV_POINT, RV_LIGHT_IMAGE, RV_STRING, 1, RV_TAG_NONE, &image, error);
  bool picture = dome && p->dome == RV_DOME_IMAGE;
  return result ? result : rv_attrib_set_string(image, 0, 0, picture ? p->envmap : "", error);
}

// Makes the point of the lamp.
static RvResult cook(RvCook* cook, RvError* error) {
  const LightParms* p = cook->parms;
  if (p->lighttype == RV_LIGHT_DOME - 1 && p->dome == RV_DOME_IMAGE && !*p->envmap)
    return rv_fail(error, RV_BAD_INPUT, "envmap is empty: name a .exr, .hdr or .png picture, or set Dome to Studio");
  // The renderer reads the picture, so a confined scene is stopped here.
  bool picture = p->lighttype == RV_LIGHT_DOME - 1 && p->dome == RV_DOME_IMAGE;
  if (picture && cook->host && cook->host->may_read) {
    RvResult allowed = cook->host->may_read(cook->host->user, p->envmap, error);
    if (allowed != RV_OK) return rv_error_context(error, "envmap");
  }
  RvDetail* out = rv_detail_new();
  if (!out) return rv_fail(error, RV_NO_MEMORY, "out of memory for a light");
  return rv_node_give(cook, out, write_light(out, p, cook->time.meters_per_unit, error));
}

static const RvPortDef outputs[] = {{"light", "Light", "One point with the attributes of the lamp.", false}};

RV_NODE_TYPE(
    light, "Light", "Geometry", "Places a lamp for the flipbook.",
    "A scene with at least one light is lit by its lights alone; without any, the flipbook has a studio of its "
    "own. The output need not be wired. merge joins lights, and transform moves and turns them.\n\n"
    "The point has rv_light_kind (type, dome, background), rv_light_color (irradiance of a distant light, "
    "radiance of the others), rv_light_forward, rv_light_up, rv_light_size, rv_light_angle, rv_light_studio "
    "and rv_light_image. Rectangles and discs shine to their front only. Lamps are seen in mirrors and water, "
    "not by the camera itself.",
    .flags = RV_NODE_GENERATOR, RV_NODE_OUTPUTS(outputs))
