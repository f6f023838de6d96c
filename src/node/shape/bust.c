// The shape of a bust.
#include "node/shape/bust.h"

#include <stddef.h>

#include "math/scalar.h"

typedef enum Kind { ELLIPSOID, CAPSULE } Kind;
typedef enum Sides { ONE, BOTH } Sides;  // in the middle, or mirrored at x = 0
typedef enum Action { ADD, CARVE } Action;

// A part. Ellipsoid: centre a, half axes b, turned about Y. Capsule: from a with radius ra to b with rb.
typedef struct Part {
  Kind kind;
  Sides sides;
  Action action;
  double a[3], b[3];
  double ra, rb;
  double blend;         // m over which it blends into the parts before it
  double sine, cosine;  // of its turn; a sine of 0: none
} Part;

// Proportions of an adult: the head is 16 cm wide and 19.5 cm deep, the eyes are at half of its height, the ears
// between brow and nose, the shoulders two and a half heads wide.
static const Part parts[] = {
    // skull
    {ELLIPSOID, ONE, ADD, {0, 0.034, -0.014}, {0.0745, 0.083, 0.096}, 0, 0, 0, 0, 0},
    {ELLIPSOID, ONE, ADD, {0, 0.036, 0.034}, {0.062, 0.056, 0.055}, 0, 0, 0.03, 0, 0},
    // jaw, chin and cheeks
    {ELLIPSOID, ONE, ADD, {0, -0.045, 0.026}, {0.053, 0.072, 0.058}, 0, 0, 0.03, 0, 0},
    {CAPSULE, BOTH, ADD, {0.05, -0.055, -0.004}, {0.014, -0.106, 0.062}, 0.014, 0.013, 0.03, 0, 0},
    {ELLIPSOID, ONE, ADD, {0, -0.106, 0.066}, {0.019, 0.014, 0.015}, 0, 0, 0.022, 0, 0},
    {ELLIPSOID, BOTH, ADD, {0.043, -0.022, 0.052}, {0.020, 0.017, 0.020}, 0, 0, 0.03, 0, 0},
    // brow, and the hollows of the eyes below it
    {CAPSULE, BOTH, ADD, {0.010, 0.012, 0.084}, {0.044, 0.013, 0.068}, 0.008, 0.009, 0.02, 0, 0},
    {ELLIPSOID, BOTH, CARVE, {0.032, -0.006, 0.094}, {0.018, 0.011, 0.014}, 0, 0, 0.014, 0, 0},
    // lids over the eyes
    {ELLIPSOID, BOTH, ADD, {0.031, -0.007, 0.069}, {0.0145, 0.0115, 0.0135}, 0, 0, 0.004, 0, 0},
    {ELLIPSOID, ONE, ADD, {0, 0.014, 0.080}, {0.016, 0.012, 0.009}, 0, 0, 0.014, 0, 0},
    {ELLIPSOID, ONE, ADD, {0, -0.024, 0.078}, {0.0135, 0.034, 0.017}, 0, 0, 0.012, 0, 0},
    // nose: bridge, tip, wings
    {CAPSULE, ONE, ADD, {0, 0.004, 0.085}, {0, -0.038, 0.105}, 0.0065, 0.0095, 0.012, 0, 0},
    {ELLIPSOID, ONE, ADD, {0, -0.041, 0.104}, {0.0105, 0.009, 0.0105}, 0, 0, 0.008, 0, 0},
    {ELLIPSOID, BOTH, ADD, {0.0115, -0.044, 0.094}, {0.0075, 0.0075, 0.011}, 0, 0, 0.007, 0, 0},
    // mouth
    {ELLIPSOID, ONE, ADD, {0, -0.071, 0.070}, {0.027, 0.018, 0.020}, 0, 0, 0.02, 0, 0},
    {CAPSULE, BOTH, ADD, {0.004, -0.0668, 0.0885}, {0.0235, -0.0728, 0.0825}, 0.0052, 0.0030, 0.004, 0, 0},
    {CAPSULE, BOTH, ADD, {0.000, -0.0795, 0.0870}, {0.0215, -0.0752, 0.0825}, 0.0062, 0.0030, 0.004, 0, 0},
    // ears: shell and hollow
    {ELLIPSOID, BOTH, ADD, {0.0765, -0.010, -0.014}, {0.0075, 0.030, 0.0175}, 0, 0, 0.008, 0.40776, 0.91309},
    {ELLIPSOID, BOTH, CARVE, {0.0815, -0.007, -0.0085}, {0.0055, 0.018, 0.0095}, 0, 0, 0.007, 0.40776, 0.91309},
    // neck with its two muscles, shoulders, chest, collarbones
    {CAPSULE, ONE, ADD, {0, -0.05, -0.03}, {0, -0.20, -0.042}, 0.052, 0.060, 0.02, 0, 0},
    {CAPSULE, BOTH, ADD, {0.055, -0.045, -0.035}, {0.012, -0.195, 0.018}, 0.010, 0.012, 0.02, 0, 0},
    {CAPSULE, BOTH, ADD, {0.02, -0.165, -0.06}, {0.165, -0.235, -0.05}, 0.040, 0.052, 0.045, 0, 0},
    {ELLIPSOID, ONE, ADD, {0, -0.325, -0.04}, {0.185, 0.12, 0.095}, 0, 0, 0.06, 0, 0},
    {ELLIPSOID, ONE, ADD, {0, -0.225, -0.012}, {0.05, 0.045, 0.036}, 0, 0, 0.05, 0, 0},
    {CAPSULE, BOTH, ADD, {0.018, -0.224, 0.018}, {0.12, -0.215, -0.010}, 0.010, 0.012, 0.05, 0, 0},
};

enum { PARTS = sizeof parts / sizeof *parts, FIRST_OF_BODY = 19 };  // parts from here on: neck and shoulders
_Static_assert((int)PARTS <= (int)RV_BUST_MAX_PARTS, "raise RV_BUST_MAX_PARTS");

// The distance from an ellipsoid is not exact, so parts count up to a little farther than their blends reach.
static const double FAR_FACTOR = 1.3;
static const double FAR_MARGIN = 0.01;  // m

// Widest, highest and deepest places of the parts, with some room for their blends.
static const double LOW[3] = {-0.245, 0, -0.165}, HIGH[3] = {0.245, 0.13, 0.13};

static const double BASE_FILLET = 0.016;  // m, at the edge of the base

// About the distance from an ellipsoid: exact on its surface and far from it.
static double ellipsoid_distance(const Part* part, RvVec3 x) {
  RvVec3 p = rv_sub(x, rv_vec3_load64(part->a));
  if (part->sine != 0) {
    p = rv_vec3(part->cosine * p.x + part->sine * p.z, p.y, part->cosine * p.z - part->sine * p.x);
  }
  RvVec3 scaled = rv_vec3(p.x / part->b[0], p.y / part->b[1], p.z / part->b[2]);
  RvVec3 slope = rv_vec3(scaled.x / part->b[0], scaled.y / part->b[1], scaled.z / part->b[2]);
  double level = rv_length(scaled), steepness = rv_length(slope);
  if (steepness < RV_MIN_LENGTH) return -rv_min(part->b[0], rv_min(part->b[1], part->b[2]));
  return level * (level - 1) / steepness;
}

// Distance from the nearest place of the axis, less the radius there.
static double capsule_distance(const Part* part, RvVec3 x) {
  RvVec3 a = rv_vec3_load64(part->a), axis = rv_sub(rv_vec3_load64(part->b), a), p = rv_sub(x, a);
  double t = rv_clamp(rv_dot(p, axis) / rv_dot(axis, axis), 0, 1);
  return rv_length(rv_mad(p, -t, axis)) - (part->ra + t * (part->rb - part->ra));
}

// The lesser of two distances, with a fillet where they differ by less than `blend`.
static double smooth_min(double a, double b, double blend) {
  if (!(blend > 0)) return rv_min(a, b);
  double overlap = rv_max(blend - fabs(a - b), 0) / blend;
  return rv_min(a, b) - 0.25 * overlap * overlap * blend;
}

// The joint lies in the middle of the neck. The head ends on a plane that leans, as the chin hangs lower than the
// skull.
static const double JOINT[3] = {0, -0.15, -0.035};
static const double LEAN = 0.45;                       // slope of the plane
static const double STILL = -0.155, TURNING = -0.075;  // m, heights above it from which on places turn

RvVec3 rv_bust_joint(void) {
  return rv_vec3_load64(JOINT);
}

double rv_bust_turning(RvVec3 x) {
  return rv_smooth_step((x.y + LEAN * (x.z - JOINT[2]) - STILL) / (TURNING - STILL));
}

void rv_bust_init(RvBust* bust, double base, double falloff, RvBustPart part) {
  *bust = (RvBust){.base = base, .falloff = falloff, .part = part};
  for (size_t i = 0; i < PARTS; ++i) {
    const Part* part = &parts[i];
    RvVec3 a = rv_vec3_load64(part->a), b = rv_vec3_load64(part->b);
    bool capsule = part->kind == CAPSULE;
    bust->around[i].centre = capsule ? rv_lerp(a, b, 0.5) : a;
    bust->around[i].radius =
        capsule ? rv_distance(a, b) / 2 + rv_max(part->ra, part->rb) : rv_max(b.x, rv_max(b.y, b.z));
  }
}

// True if a part is too far away to change the distance d, which lies within its blend only near it.
static bool is_far(const RvBust* bust, size_t i, RvVec3 x, double d) {
  double level = parts[i].action == ADD ? d : -d;
  double reach = bust->around[i].radius + rv_max(FAR_FACTOR * (level + parts[i].blend), 0) + FAR_MARGIN;
  RvVec3 off = rv_sub(x, bust->around[i].centre);
  return rv_dot(off, off) > reach * reach;
}

double rv_bust_distance(const void* user, RvVec3 x) {
  const RvBust* bust = user;
  double d = 1;  // m, far away
  RvVec3 mirrored = rv_vec3(fabs(x.x), x.y, x.z);
  size_t first = bust->part == RV_BUST_BODY_ONLY ? FIRST_OF_BODY : 0;
  size_t end = bust->part == RV_BUST_HEAD_ONLY ? FIRST_OF_BODY : PARTS;
  for (size_t i = first; i < end; ++i) {
    const Part* part = &parts[i];
    RvVec3 p = part->sides == BOTH ? mirrored : x;
    if (is_far(bust, i, p, d)) continue;
    double own = part->kind == ELLIPSOID ? ellipsoid_distance(part, p) : capsule_distance(part, p);
    d = part->action == ADD ? smooth_min(d, own, part->blend) : -smooth_min(-d, own, part->blend);
  }
  return -smooth_min(-d, x.y - bust->base, BASE_FILLET);
}

// Height of the hairline at an angle about Y from the face, in degrees: forehead, temple, before, above and behind the
// ear, nape.
static double hairline(double degrees) {
  static const double at[] = {0, 28, 48, 62, 72, 80, 105, 118, 140, 180};
  static const double height[] = {0.066, 0.068, 0.052, 0.022, 0.004, 0.024, 0.022, -0.030, -0.062, -0.072};
  enum { KNOTS = sizeof at / sizeof *at };
  for (int i = 1; i < KNOTS; ++i)
    if (degrees <= at[i])
      return height[i - 1] + (height[i] - height[i - 1]) * rv_smooth_step((degrees - at[i - 1]) / (at[i] - at[i - 1]));
  return height[KNOTS - 1];
}

double rv_bust_density(const RvBust* bust, RvVec3 x) {
  double degrees = rv_atan2(fabs(x.x), x.z + 0.012) * (180 / RV_PI);
  double above = x.y - hairline(degrees);
  if (bust->falloff > 0) return rv_smooth_step(above / bust->falloff);
  return above > 0 ? 1 : 0;
}

void rv_bust_bounds(const RvBust* bust, RvVec3* low, RvVec3* high) {
  *low = rv_vec3(LOW[0], bust->base, LOW[2]);
  *high = rv_vec3(HIGH[0], HIGH[1], HIGH[2]);
}
