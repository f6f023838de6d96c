// How hair answers light: the paths through a fibre, the film on it, and what strands send on to strands.
#include <math.h>

#include "math/scalar.h"
#include "view/light.h"

static const double HAIR_F0 = 0.0465;   // reflected straight back: index 1.55 in air,
static const double UNDER_F0 = 0.0058;  // under water of 1.33,
static const double COAT_F0 = 0.0201;   // and of the water itself
static const double TILT = 0.05;        // of the cuticle's scales, radians
static const double FAR_WALL = 0.12;    // reflected inside, mean over the width of a fibre
static const double MATTED = 0.7;       // strands that cling together have less air between them to scatter in
static const double SMOOTH = 0.7;       // share of the scales that mirrors; their edges scatter the rest
static const double BROAD = 4.5;        // a film also fills the gaps between hairs: more surface mirrors than theirs

// c^e a channel
static RvVec3 power3(RvVec3 c, double e) {
  return rv_vec3(rv_exp(e * rv_log_e(fmax(c.x, 1e-4))), rv_exp(e * rv_log_e(fmax(c.y, 1e-4))),
                 rv_exp(e * rv_log_e(fmax(c.z, 1e-4))));
}

// c^(3/4) by roots alone
static double root34(double c) {
  return sqrt(c * sqrt(c));
}

static double fresnel(double f0, double cosine) {
  double m = rv_clamp(1 - cosine, 0, 1), m2 = m * m;
  return f0 + (1 - f0) * m2 * m2 * m;
}

// Under a film, light that was scattered back meets the water's surface from below and is half of it thrown back in:
// (1 - Re)(1 - Ri) a / (1 - Ri a) with the two diffuse reflectances of water (Lekner and Dorf 1988, "Why some things
// are darker when wet").
static double wetted(double albedo, double wet) {
  const double outer = 0.066, inner = 0.49;
  double under = MATTED * (1 - outer) * (1 - inner) * albedo / (1 - inner * albedo);
  return albedo + (under - albedo) * wet;
}

void rv_view_surface_hair(const RvPart* part, size_t segment, double u, double time, RvSurface* surface) {
  size_t a = part->indices[segment], b = a + 1;
  // tangents at both ends from their neighbours, so that segments do not show
  size_t before = part->flags[segment] & RTC_CURVE_FLAG_NEIGHBOR_LEFT ? a - 1 : a;
  size_t after = part->flags[segment] & RTC_CURVE_FLAG_NEIGHBOR_RIGHT ? b + 1 : b;
  RvVec3 pa = rv_view_part_vertex(part, 4, a, time), pb = rv_view_part_vertex(part, 4, b, time),
         chord = rv_normalize(rv_sub(pb, pa), surface->view);
  RvVec3 ta = rv_normalize(rv_sub(pb, rv_view_part_vertex(part, 4, before, time)), chord);
  RvVec3 tb = rv_normalize(rv_sub(rv_view_part_vertex(part, 4, after, time), pa), chord);
  surface->tangent = rv_normalize(rv_lerp(ta, tb, u), chord);
  surface->color = rv_lerp(rv_vec3_load(part->colors + 3 * a), rv_vec3_load(part->colors + 3 * b), u);
  double wet = part->wet ? part->wet[a] * (1 - u) + part->wet[b] * u : 0;
  // a little film already closes over the scales
  wet = surface->wet = wet * (2 - wet);
  surface->core = part->core ? part->core[a] * (1 - u) + part->core[b] * u : 1;
  double radius = part->vertices[4 * a + 3] * (1 - u) + part->vertices[4 * b + 3] * u;
  surface->near = 2.1 * radius;
  surface->axis = rv_lerp(pa, pb, u);
  surface->radius = radius;
  RvVec3 c = surface->color;
  surface->deep =
      rv_vec3(wetted(root34(fmax(c.x, 0)), wet), wetted(root34(fmax(c.y, 0)), wet), wetted(root34(fmax(c.z, 0)), wet));
  // the way through a wet fibre is longer: fewer rays leave at its first wall
  surface->color = rv_scale(c, 1 - 0.4 * wet);
}

// a lobe about the cone of mirrored directions, over the sine of the angle to the fibre: its sum over that is 1
static double gauss(double width, double x) {
  return rv_exp(-0.5 * x * x / (width * width)) / (width * 2.5066282746);
}

// shares that the scales and the film mirror; `half`: cosine of half the angle between light and eye
static double scale_share(double wet, double half) {
  return SMOOTH * (1 - 0.8 * wet) * fresnel(HAIR_F0 + (UNDER_F0 - HAIR_F0) * wet, half);
}

static double coat_mirrors(double half) {
  return fresnel(BROAD * COAT_F0, half);
}

// The three paths of light through a fibre (Marschner et al. 2003) as products of a lobe along it and one around it,
// each of sum 1 or less, so that what they take together is what is left: R off the scales, TT straight through, TRT
// back from the far wall. The lobes around are cosines and von Mises' (Karis 2016, "Physically based hair shading in
// Unreal"). A film hides the scales, whose index it nearly has, and has its own smooth surface, which has no tilt.
RvVec3 rv_view_fibre_direct(const RvSurface* s, RvVec3 light) {
  double sin_l = rv_clamp(rv_dot(s->tangent, light), -1, 1), sin_v = rv_clamp(rv_dot(s->tangent, s->view), -1, 1);
  double cos_l = sqrt(fmax(1 - sin_l * sin_l, 1e-6)), cos_v = sqrt(fmax(1 - sin_v * sin_v, 1e-6));
  double cos_phi = rv_clamp((rv_dot(light, s->view) - sin_l * sin_v) / (cos_l * cos_v), -1, 1);
  double half_phi = sqrt(fmax(0.5 + 0.5 * cos_phi, 0)), sum = sin_l + sin_v, wet = s->wet;
  double cos_d = sqrt(fmax(0.5 * (1 + cos_l * cos_v + sin_l * sin_v), 1e-4));
  double half = sqrt(rv_clamp(0.5 + 0.5 * rv_dot(light, s->view), 0, 1));
  double scales = gauss(0.12, sum + 2 * TILT) * scale_share(wet, half), coat_share = wet * coat_mirrors(half);
  double coat = wet > 0 ? gauss(0.04, sum) * coat_share : 0;
  double r = 0.25 * half_phi * (scales + coat), in = 1 - fresnel(HAIR_F0, cos_d), inside = in * in;
  double film = 1 - wet * coat_mirrors(cos_d);  // on the way in and on the way out
  inside *= film * film;
  RvVec3 out = {r, r, r};
  if (cos_phi < 0.3) {
    double bend = 1 / (1.19 / cos_d + 0.36 * cos_d), h = half_phi * (1 + bend * (0.6 - 0.8 * cos_phi));
    double path = 0.5 * sqrt(fmax(1 - rv_clamp(h * h * bend * bend, 0, 1), 0)) / cos_d;
    double tt = gauss(0.075, sum - TILT) * inside * (1 - FAR_WALL) * rv_exp(-3.65 * cos_phi - 3.98);
    if (tt > 1e-4) out = rv_mad(out, tt, power3(s->color, path));
  }
  if (cos_phi > -0.3) {
    // 0.8671 = 1 / (2 pi I0(5) e^-5) makes the lobe around the fibre one of sum 1
    double trt = gauss(0.20 - 0.05 * wet, sum - 3 * TILT) * inside * FAR_WALL * 0.8671 * rv_exp(5 * cos_phi - 5);
    if (trt > 1e-4) out = rv_mad(out, trt, power3(s->color, 0.8 / cos_d));
  }
  return out;
}

// light that went from strand to strand: diffuse, wrapped about the fibre's near side. It can only be what the direct
// paths left over.
RvVec3 rv_view_fibre_scattered(const RvSurface* s, RvVec3 light) {
  RvVec3 near_side = rv_normalize(rv_mad(s->view, -rv_dot(s->view, s->tangent), s->tangent), s->normal);
  double wrapped = (rv_dot(near_side, light) + 1) / (4 * RV_PI);
  double along = rv_dot(s->tangent, light), across = sqrt(fmax(1 - along * along, 0));
  RvVec3 c = s->color, left = {0.92 - 0.8 * c.x - 0.1 * c.x * c.x, 0.92 - 0.8 * c.y - 0.1 * c.y * c.y,
                               0.92 - 0.8 * c.z - 0.1 * c.z * c.z};
  return rv_scale(rv_mul(s->deep, left), (1 - 0.3 * s->wet) * (0.5 * wrapped + 0.33 * across / (2 * RV_PI)));
}

RvVec3 rv_view_fibre_ambient(const RvSurface* s) {
  return rv_scale(s->deep, 0.32);
}

// A direction of the mirrored cone, chosen as the scales and the coat spread light around the fibre; returns the share
// that is mirrored.
double rv_view_fibre_mirror(const RvSurface* s, const double u[2], RvVec3* direction) {
  double sin_v = rv_clamp(rv_dot(s->tangent, s->view), -1, 1);
  // between the tilted lobe of the scales and the coat's
  double sin_d = rv_clamp(-sin_v - (u[1] < s->wet ? 0 : 2 * TILT), -0.999, 0.999), cos_d = sqrt(1 - sin_d * sin_d);
  RvVec3 x = rv_normalize(rv_mad(s->view, -sin_v, s->tangent), s->normal), y = rv_cross(s->tangent, x);
  double half = 2 * u[0] - 1, whole = 2 * half * sqrt(fmax(1 - half * half, 0)), cosine = 1 - 2 * half * half;
  *direction = rv_mad(rv_mad(rv_scale(s->tangent, sin_d), cos_d * cosine, x), cos_d * whole, y);
  double middle = sqrt(rv_clamp(0.5 + 0.5 * rv_dot(*direction, s->view), 0, 1));
  return s->wet * fresnel(COAT_F0, middle) + scale_share(s->wet, middle);
}
