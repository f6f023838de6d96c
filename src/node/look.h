// Attributes by which nodes tell the flipbook of light and look: `light` and `lookmaterial` write them, view reads
// them.
#ifndef RV_NODE_LOOK_H
#define RV_NODE_LOOK_H

#include <math.h>

#include "math/scalar.h"

// Points with a kind above 0 are lamps and are not drawn.
#define RV_LIGHT_KIND "rv_light_kind"        // 3 integers: RvLightKind, RvDomeKind, 1 if the dome is the background
#define RV_LIGHT_COLOR "rv_light_color"      // distant: irradiance; rectangle, disc, dome: radiance
#define RV_LIGHT_FORWARD "rv_light_forward"  // direction in which the lamp shines
#define RV_LIGHT_UP "rv_light_up"            // upper side; dome: direction of the middle of the image
#define RV_LIGHT_SIZE "rv_light_size"        // 2 lengths: sides of a rectangle, diameter of a disc
#define RV_LIGHT_ANGLE "rv_light_angle"      // degrees: diameter of a distant lamp
#define RV_LIGHT_STUDIO "rv_light_studio"    // factors on key, rim and fill
#define RV_LIGHT_IMAGE "rv_light_image"      // file of a dome's image

enum { RV_LIGHT_DISTANT = 1, RV_LIGHT_RECTANGLE, RV_LIGHT_DISC, RV_LIGHT_DOME };
enum { RV_DOME_STUDIO, RV_DOME_UNIFORM, RV_DOME_IMAGE };

// Look of surfaces: numeric attributes of points, vertices, primitives or the detail, beside Cd and wetness.
#define RV_LOOK_ROUGHNESS "roughness"               // hair: along the fibre; others: of the highlight; 0 to 1
#define RV_LOOK_ROUGHNESS_AROUND "roughnessaround"  // hair: around the fibre, 0 to 1
#define RV_LOOK_IOR "ior"                           // index of refraction
#define RV_LOOK_TILT "cuticletilt"                  // hair: degrees by which the scales lean towards the root
#define RV_LOOK_SPECULAR "specular"                 // factor on the highlight of skin and solids
#define RV_LOOK_SUBSURFACE "subsurface"             // share of skin's diffuse light that scattered below the surface
#define RV_LOOK_BEADS "beads"             // skin and solids: share of the places that have a bead of water, 0 to 1
#define RV_LOOK_BEAD_RADIUS "beadradius"  // radius of the largest beads, a length

// Detail attributes.
#define RV_LOOK_WATER "rv_look_water"        // 5 floats: absorption a scene unit (red, green, blue), index, roughness
#define RV_LOOK_GROUND "rv_look_ground"      // 3 floats: 1 if there is a ground, 1 if its height is given, height
#define RV_LOOK_BACKDROP "rv_look_backdrop"  // 6 floats: colour at the top and at the bottom
#define RV_LOOK_WET "rv_look_wet"            // 1: Cd includes wetness already, 2: roughness does, 3: both

// Hair without look attributes.
#define RV_LOOK_HAIR_ROUGHNESS 0.3  // along and around the fibre: Chiang et al. 2016
#define RV_LOOK_HAIR_IOR 1.55       // keratin
#define RV_LOOK_HAIR_TILT 2.5       // degrees; measured scales lean by 2 to 4

// Denominator of the fit between the colour of dense hair and the absorption of a fibre, by the roughness around it
// (Chiang et al. 2016, "A practical and controllable hair and fur model", section 4.2).
static inline double rv_look_fit(double around) {
  double b = around, b2 = b * b;
  return 5.969 - 0.215 * b + 2.532 * b2 - 10.73 * b2 * b + 5.574 * b2 * b2 + 0.245 * b2 * b2 * b;
}

// Absorption of a fibre, per fibre radius, whose dense hair has a colour, and the inverse.
static inline double rv_look_absorption(double color, double around) {
  double root = rv_log_e(rv_clamp(color, 1e-5, 1)) / rv_look_fit(around);
  return root * root;
}
static inline double rv_look_color(double absorption, double around) {
  return rv_exp(-sqrt(absorption) * rv_look_fit(around));
}

#endif
