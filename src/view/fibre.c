// Scattering of light by hair: the single-scattering lobes R, TT and TRT of a fibre (Marschner et al. 2003), the liquid
// film on it, and an approximation of multiple scattering among strands.
#include <math.h>

#include "math/scalar.h"
#include "view/light.h"

static const double HAIR_F0 = 0.0465;           // reflectance at normal incidence, hair (index 1.55) in air
static const double HAIR_IN_WATER_F0 = 0.0058;  // hair in water (index 1.33)
static const double WATER_F0 = 0.0201;          // water in air
static const double CUTICLE_TILT = 0.05;        // of the scales against the fibre, radians
static const double FAR_WALL = 0.12;            // share reflected at the far wall inside, mean over the fibre's width
static const double MATTED = 0.7;         // wet strands cling together: less air between them, less multiple scattering
static const double SMOOTH = 0.7;         // share of the cuticle that reflects specularly; the edges of scales scatter
static const double BROAD = 4.5;          // film also bridges the gaps between hairs: factor on its specular area
static const double LEAST_COLOR = 1e-4;   // keeps the logarithm of a colour finite
static const double LEAST_LOBE = 1e-4;    // weaker lobes are not evaluated
static const double SCALES_WIDTH = 0.12;  // standard deviations of the longitudinal lobes, in sines: R off the cuticle
static const double FILM_WIDTH = 0.04;    // R off the film, which is smooth
static const double TT_WIDTH = 0.075;
static const double TRT_WIDTH = 0.20;
static const double TRT_NARROWING = 0.05;  // by which the lobe of a fully wet fibre is narrower
static const double LEAST_SQUARE = 1e-6;   // of a cosine, against division by zero
static const double AMBIENT_SHARE = 0.32;  // of the multiple-scattering albedo that uniform light returns

// c^e for each channel.
static RvVec3 power3(RvVec3 c, double e) {
  return rv_vec3(rv_exp(e * rv_log_e(fmax(c.x, LEAST_COLOR))), rv_exp(e * rv_log_e(fmax(c.y, LEAST_COLOR))),
                 rv_exp(e * rv_log_e(fmax(c.z, LEAST_COLOR))));
}

// c^(3/4) by square roots.
static double root34(double c) {
  return sqrt(c * sqrt(c));
}

// Albedo of a wet surface. Light scattered back under a film is partly reflected inwards at the water's surface:
// (1 - Re)(1 - Ri) a / (1 - Ri a) with the external and internal diffuse reflectances of water (Lekner and Dorf 1988,
// "Why some things are darker when wet").
static double wetted(double albedo, double wet) {
  const double outer = 0.066;  // external diffuse reflectance of water, Re
  const double inner = 0.49;   // internal diffuse reflectance of water, Ri
  double under = MATTED * (1 - outer) * (1 - inner) * albedo / (1 - inner * albedo);
  return albedo + (under - albedo) * wet;
}

void rv_view_surface_hair(const RvPart* part, size_t segment, double u, double time, RvSurface* surface) {
  size_t a = part->indices[segment], b = a + 1;
  // Tangents at both ends from the neighbouring vertices, interpolated so that shading is smooth across segments.
  size_t before = part->flags[segment] & RTC_CURVE_FLAG_NEIGHBOR_LEFT ? a - 1 : a;
  size_t after = part->flags[segment] & RTC_CURVE_FLAG_NEIGHBOR_RIGHT ? b + 1 : b;
  RvVec3 pa = rv_view_part_vertex(part, 4, a, time);
  RvVec3 pb = rv_view_part_vertex(part, 4, b, time);
  RvVec3 chord = rv_normalize(rv_sub(pb, pa), surface->view);
  RvVec3 ta = rv_normalize(rv_sub(pb, rv_view_part_vertex(part, 4, before, time)), chord);
  RvVec3 tb = rv_normalize(rv_sub(rv_view_part_vertex(part, 4, after, time), pa), chord);
  surface->tangent = rv_normalize(rv_lerp(ta, tb, u), chord);
  surface->color = rv_lerp(rv_vec3_load(part->colors + 3 * a), rv_vec3_load(part->colors + 3 * b), u);
  double wet = part->wet ? part->wet[a] * (1 - u) + part->wet[b] * u : 0;
  // Wetness rises fast at first: a thin film already covers the scales.
  wet = wet * (2 - wet);
  surface->wet = wet;
  surface->core = part->core ? part->core[a] * (1 - u) + part->core[b] * u : 1;
  double radius = part->vertices[4 * a + 3] * (1 - u) + part->vertices[4 * b + 3] * u;
  // Shadow rays begin outside the strand, a little over its diameter away.
  surface->ray_near = 2.1 * radius;
  surface->axis = rv_lerp(pa, pb, u);
  surface->radius = radius;
  RvVec3 c = surface->color;
  surface->multiple_color =
      rv_vec3(wetted(root34(fmax(c.x, 0)), wet), wetted(root34(fmax(c.y, 0)), wet), wetted(root34(fmax(c.z, 0)), wet));
  // The path through a wet fibre is longer, because less light is reflected at its walls: up to 40 % darker.
  surface->color = rv_scale(c, 1 - 0.4 * wet);
}

// Longitudinal lobe: normalised Gaussian in the sine of the inclination, about the cone of specular directions.
static double gauss(double width, double x) {
  return rv_exp(-0.5 * x * x / (width * width)) / (width * 2.5066282746);  // sqrt(2 pi)
}

// Specular reflectance of the cuticle, which a film hides by up to 80 %. `half`: cosine of half the angle between light
// and eye.
static double cuticle_reflectance(double wet, double half) {
  return SMOOTH * (1 - 0.8 * wet) * rv_view_fresnel(HAIR_F0 + (HAIR_IN_WATER_F0 - HAIR_F0) * wet, half);
}

// Specular reflectance of the film.
static double film_reflectance(double half) {
  return rv_view_fresnel(BROAD * WATER_F0, half);
}

// Single scattering by a fibre (Marschner et al. 2003) as products of a longitudinal and an azimuthal lobe, each with
// integral 1 or less, so that energy is conserved: R off the cuticle, TT straight through, TRT back from the far wall.
// The azimuthal lobes are cosines and von Mises distributions, with the fits of Karis 2016, "Physically based hair
// shading in Unreal". A film nearly matches the index of the cuticle and hides it; its own smooth surface has no tilt.
RvVec3 rv_view_fibre_direct(const RvSurface* s, RvVec3 light) {
  // Inclinations to the fibre, azimuth between light and eye, half angles.
  double sin_l = rv_clamp(rv_dot(s->tangent, light), -1, 1);
  double sin_v = rv_clamp(rv_dot(s->tangent, s->view), -1, 1);
  double cos_l = sqrt(fmax(1 - sin_l * sin_l, LEAST_SQUARE));
  double cos_v = sqrt(fmax(1 - sin_v * sin_v, LEAST_SQUARE));
  double cos_phi = rv_clamp((rv_dot(light, s->view) - sin_l * sin_v) / (cos_l * cos_v), -1, 1);
  double half_phi = sqrt(fmax(0.5 + 0.5 * cos_phi, 0));
  double sum = sin_l + sin_v;
  double wet = s->wet;
  double cos_d = sqrt(fmax(0.5 * (1 + cos_l * cos_v + sin_l * sin_v), 1e-4));
  double half = sqrt(rv_clamp(0.5 + 0.5 * rv_dot(light, s->view), 0, 1));

  // R: off the cuticle and off the film.
  double scales = gauss(SCALES_WIDTH, sum + 2 * CUTICLE_TILT) * cuticle_reflectance(wet, half);
  double film_share = wet * film_reflectance(half);
  double film = wet > 0 ? gauss(FILM_WIDTH, sum) * film_share : 0;
  double r = 0.25 * half_phi * (scales + film);
  RvVec3 out = {r, r, r};

  // Transmitted into the fibre and out again, through the film both times.
  double in = 1 - rv_view_fresnel(HAIR_F0, cos_d);
  double inside = in * in;
  double through_film = 1 - wet * film_reflectance(cos_d);
  inside *= through_film * through_film;

  // TT: forward lobe, coloured by one crossing of the fibre (Karis 2016).
  if (cos_phi < 0.3) {
    double bend = 1 / (1.19 / cos_d + 0.36 * cos_d);
    double h = half_phi * (1 + bend * (0.6 - 0.8 * cos_phi));
    double path = 0.5 * sqrt(fmax(1 - rv_clamp(h * h * bend * bend, 0, 1), 0)) / cos_d;
    double tt = gauss(TT_WIDTH, sum - CUTICLE_TILT) * inside * (1 - FAR_WALL) * rv_exp(-3.65 * cos_phi - 3.98);
    if (tt > LEAST_LOBE) out = rv_mad(out, tt, power3(s->color, path));
  }

  // TRT: backward lobe, coloured by two crossings; 0.8671 = 1 / (2 pi I0(5) e^-5) normalises the azimuthal lobe.
  if (cos_phi > -0.3) {
    double trt = gauss(TRT_WIDTH - TRT_NARROWING * wet, sum - 3 * CUTICLE_TILT) * inside * FAR_WALL * 0.8671 *
                 rv_exp(5 * cos_phi - 5);
    if (trt > LEAST_LOBE) out = rv_mad(out, trt, power3(s->color, 0.8 / cos_d));
  }
  return out;
}

// Multiple scattering from strand to strand: diffuse, wrapped around the fibre's side that faces the eye. The factor
// `remaining` leaves it only the energy that single scattering does not take: a quadratic fit in the hair colour.
RvVec3 rv_view_fibre_scattered(const RvSurface* s, RvVec3 light) {
  RvVec3 near_side = rv_normalize(rv_mad(s->view, -rv_dot(s->view, s->tangent), s->tangent), s->normal);
  double wrapped = (rv_dot(near_side, light) + 1) / (4 * RV_PI);
  double along = rv_dot(s->tangent, light), across = sqrt(fmax(1 - along * along, 0));
  RvVec3 c = s->color;
  RvVec3 remaining = {0.92 - 0.8 * c.x - 0.1 * c.x * c.x, 0.92 - 0.8 * c.y - 0.1 * c.y * c.y,
                      0.92 - 0.8 * c.z - 0.1 * c.z * c.z};
  return rv_scale(rv_mul(s->multiple_color, remaining),
                  (1 - 0.3 * s->wet) * (0.5 * wrapped + 0.33 * across / (2 * RV_PI)));
}

RvVec3 rv_view_fibre_ambient(const RvSurface* s) {
  return rv_scale(s->multiple_color, AMBIENT_SHARE);
}

// Samples a direction of the specular cone with the azimuthal distribution of the R lobe; returns its reflectance.
double rv_view_fibre_mirror(const RvSurface* s, const double u[2], RvVec3* direction) {
  double sin_v = rv_clamp(rv_dot(s->tangent, s->view), -1, 1);
  // Chooses between the tilted lobe of the cuticle and the film's, which has no tilt.
  double sin_d = rv_clamp(-sin_v - (u[1] < s->wet ? 0 : 2 * CUTICLE_TILT), -0.999, 0.999);
  double cos_d = sqrt(1 - sin_d * sin_d);
  RvVec3 x = rv_normalize(rv_mad(s->view, -sin_v, s->tangent), s->normal);
  RvVec3 y = rv_cross(s->tangent, x);
  double half = 2 * u[0] - 1;
  double whole = 2 * half * sqrt(fmax(1 - half * half, 0));
  double cosine = 1 - 2 * half * half;
  *direction = rv_mad(rv_mad(rv_scale(s->tangent, sin_d), cos_d * cosine, x), cos_d * whole, y);
  double middle = sqrt(rv_clamp(0.5 + 0.5 * rv_dot(*direction, s->view), 0, 1));
  return s->wet * rv_view_fresnel(WATER_F0, middle) + cuticle_reflectance(s->wet, middle);
}
