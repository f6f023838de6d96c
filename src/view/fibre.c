// Shading of hair: single scattering by the fibre (chiang.h) and multiple scattering among strands, by the two-flux
// theory of a pile of fibres (after Zinke et al. 2008, "Dual scattering approximation"): light that crossed n strands
// on its way is attenuated by the share that each sends forward, and a thick pile sends back the light that entered it.
#include <math.h>

#include "math/scalar.h"
#include "view/light.h"

static const double LEAST_LOOK = 0.05;     // roughness below which no hair is drawn: a picture's few rays would miss it
static const double FILM_ALONG = 0.07;     // roughness of the film's reflection: beads and waves of the film
static const double SPREAD = 0.02;         // longitudinal variance that each strand adds to light that crosses it
static const double LEAST_BACK = 1e-5;     // share sent back, against division by zero
static const double DARK = 0.05;           // transmittance below which further strands do not matter
static const double SIDEWAYS = 0.4;        // share of multiple scattering that is even around the fibre
static const double LEAST_FORWARD = 1e-3;  // share sent forward, against the logarithm of 0
enum { FEWEST_CROSSINGS = 2, MOST_CROSSINGS = 16 };

// Reflectance of a deep pile whose layers send `forward` and `back`: the fixed point of adding one layer,
// R = b + f^2 R / (1 - b R).
static double deep_reflectance(double forward, double back) {
  double b = fmax(back, LEAST_BACK);
  double p = 1 + b * b - forward * forward;
  return (p - sqrt(fmax(p * p - 4 * b * b, 0))) / (2 * b);
}

// Value of a vertex array between two vertices.
static double between(const float* values, size_t a, size_t b, double u) {
  return values[a] * (1 - u) + values[b] * u;
}

// Look of the fibre at a hit.
static RvFibreLook look_at(const RvPart* part, size_t a, size_t b, double u, const RvSurface* s) {
  RvFibreLook look = {.along = RV_LOOK_HAIR_ROUGHNESS,
                      .tilt = rv_radians(RV_LOOK_HAIR_TILT),
                      .wet = s->wet,
                      .film_along = FILM_ALONG,
                      // A colour that includes its wetness already is not darkened again.
                      .sunk = part->baked & 1 ? 0 : s->wet};
  double around = part->fibres->around;
  if (part->look) {
    look.along = rv_clamp(part->look[2 * a] * (1 - u) + part->look[2 * b] * u, LEAST_LOOK, 1);
    look.tilt = rv_radians(part->look[2 * a + 1] * (1 - u) + part->look[2 * b + 1] * u);
  }
  look.absorption = rv_vec3(rv_look_absorption(s->color.x, around), rv_look_absorption(s->color.y, around),
                            rv_look_absorption(s->color.z, around));
  return look;
}

// Shares of the pile around the fibre, by colour channel, and the number of strands that block light.
static void pile_at(RvSurface* s) {
  RvVec3 back;
  rv_view_fibre_shares(&s->fibre, &s->forward, &back);
  s->pile = rv_vec3(fmax(deep_reflectance(s->forward.x, back.x) - back.x, 0),
                    fmax(deep_reflectance(s->forward.y, back.y) - back.y, 0),
                    fmax(deep_reflectance(s->forward.z, back.z) - back.z, 0));
  double most = fmax(fmax(s->forward.x, s->forward.y), fmax(s->forward.z, LEAST_FORWARD));
  double crossings = most < 1 ? ceil(log(DARK) / log(most)) : MOST_CROSSINGS;
  s->crossings = (int)rv_clamp(crossings, FEWEST_CROSSINGS, MOST_CROSSINGS);
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
  double wet = part->wet ? between(part->wet, a, b, u) : 0;
  surface->wetness = wet;
  // Wetness rises fast at first: a thin film already covers the scales.
  surface->wet = wet * (2 - wet);
  surface->core = part->core ? between(part->core, a, b, u) : 1;
  double radius = part->vertices[4 * a + 3] * (1 - u) + part->vertices[4 * b + 3] * u;
  // Shadow rays begin outside the strand, a little over its diameter away.
  surface->ray_near = 2.1 * radius;
  surface->axis = rv_lerp(pa, pb, u);
  surface->radius = radius;
  RvFibreLook look = look_at(part, a, b, u, surface);
  surface->fibre = rv_view_fibre(part->fibres, &look, surface->tangent, surface->view);
  pile_at(surface);
}

// Multiple scattering: diffuse, from the side that faces the eye and evenly around the fibre; its integral is 1.
static double pile_shape(const RvFibre* f, RvVec3 light) {
  double along = rv_dot(f->tangent, light), across = sqrt(fmax(1 - along * along, 0));
  return (1 - SIDEWAYS) * (rv_dot(f->x, light) + 1) / (4 * RV_PI) + SIDEWAYS * across / (RV_PI * RV_PI);
}

RvVec3 rv_view_hair_scatter(const RvSurface* s, RvVec3 light, int crossed, double* density) {
  RvVec3 f = rv_view_fibre_scatter(&s->fibre, light, SPREAD * crossed, density);
  // One in four samples goes anywhere, for the light that many strands scatter.
  *density = 0.75 * *density + 0.25 / (4 * RV_PI);
  return rv_mad(f, pile_shape(&s->fibre, light), rv_mul(s->pile, s->thick));
}

RvVec3 rv_view_hair_sample(const RvSurface* s, const double lobe[2], const double angle[2]) {
  if (lobe[0] < 0.75) {
    const double within[2] = {lobe[0] / 0.75, lobe[1]};
    return rv_view_fibre_sample(&s->fibre, within, angle);
  }
  double z = 1 - 2 * angle[0], r = sqrt(fmax(1 - z * z, 0));
  return rv_vec3(r * cos(2 * RV_PI * angle[1]), z, r * sin(2 * RV_PI * angle[1]));
}

// c^n for each channel.
static RvVec3 power3(RvVec3 c, int n) {
  RvVec3 out = {1, 1, 1};
  for (int i = 0; i < n; ++i) out = rv_mul(out, c);
  return out;
}

RvVec3 rv_view_hair_through(const RvSurface* s, int crossed) {
  return crossed >= s->crossings ? rv_vec3(0, 0, 0) : power3(s->forward, crossed);
}

void rv_view_hair_thickness(RvSurface* s, int behind) {
  s->thick = rv_sub(rv_vec3(1, 1, 1), rv_view_hair_through(s, behind));
}
