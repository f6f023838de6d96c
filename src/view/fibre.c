// Shading of hair: single scattering by the fibre (chiang.h) and multiple scattering among strands, by the two-flux
// theory of a pile of layers (Stokes 1862; for hair after Zinke et al. 2008, "Dual scattering approximation"). A fibre
// sends the shares f forward and b back. n strands between the fibre and a light let T pass and send R back,
//
//   T' = T f / (1 - R b),   R' = R + T^2 b / (1 - R b)   with each strand more,
//
// so that with light to and fro between them and the fibre T / (1 - R b) arrives. Light that the fibre sends towards n
// strands comes back through it by R f / (1 - R b). Without absorption both together are 1: white hair returns all
// light.
#include <math.h>

#include "math/scalar.h"
#include "view/light.h"

static const double LEAST_LOOK = 0.05;    // roughness below which no hair is drawn: a picture's few rays would miss it
static const double FILM_ALONG = 0.045;   // roughness of the film's reflection: beads and waves of the film
static const double LEAST_BACK = 1e-5;    // share sent back, against division by zero
static const double DARK = 0.05;          // transmittance below which further strands do not matter
static const double LEAST_CHANCE = 0.15;  // of a sample that does not follow the fibre
static const double PILE_SHARE = 0.8;     // of these samples that follow the light of many strands
// Start of shadow rays, in radii: beyond the strand itself and those beside it, which lie in the same layer of the pile
// and shade each other in the shares of the layer already.
static const double SHADOW_NEAR = 6;
static const double LEAST_FORWARD = 1e-3;  // share sent forward, against the logarithm of 0
enum { FEWEST_CROSSINGS = 2, MOST_CROSSINGS = 24 };

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
                      .wet = s->film,
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
  rv_view_fibre_shares(&s->fibre, &s->forward, &s->back);
  s->deep = rv_vec3(deep_reflectance(s->forward.x, s->back.x), deep_reflectance(s->forward.y, s->back.y),
                    deep_reflectance(s->forward.z, s->back.z));
  s->pile = rv_vec3(fmax(s->deep.x - s->back.x, 0), fmax(s->deep.y - s->back.y, 0), fmax(s->deep.z - s->back.z, 0));
  double bright = (s->pile.x + s->pile.y + s->pile.z) / 3;
  s->pile_chance = LEAST_CHANCE + bright / (1 + bright);
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
  // Wetness rises fast at first: a thin film already covers the scales. Absorbed liquid darkens without one.
  surface->wet = wet * (2 - wet);
  surface->film = part->film ? fmin(between(part->film, a, b, u), surface->wet) : surface->wet;
  surface->core = part->core ? between(part->core, a, b, u) : 1;
  double radius = part->vertices[4 * a + 3] * (1 - u) + part->vertices[4 * b + 3] * u;
  surface->ray_near = SHADOW_NEAR * radius;
  surface->axis = rv_lerp(pa, pb, u);
  surface->radius = radius;
  RvFibreLook look = look_at(part, a, b, u, surface);
  surface->fibre = rv_view_fibre(part->fibres, &look, surface->tangent, surface->view);
  pile_at(surface);
}

// Multiple scattering: diffuse light from the side that faces the eye; its integral is 1.
static double pile_shape(const RvFibre* f, RvVec3 light) {
  return fmax(rv_dot(f->x, light), 0) / RV_PI;
}

RvVec3 rv_view_hair_scatter(const RvSurface* s, RvVec3 light, double* density) {
  RvVec3 f = rv_view_fibre_scatter(&s->fibre, light, density);
  double shape = pile_shape(&s->fibre, light);
  *density = (1 - s->pile_chance) * *density + s->pile_chance * (PILE_SHARE * shape + (1 - PILE_SHARE) / (4 * RV_PI));
  return rv_mad(f, shape, s->pile);
}

// A sample follows the fibre; or the light that many strands scatter; or goes anywhere, so that none is missed.
RvVec3 rv_view_hair_sample(const RvSurface* s, const double lobe[2], const double angle[2]) {
  double fibre = 1 - s->pile_chance, x, y;
  if (lobe[0] < fibre) {
    const double within[2] = {lobe[0] / fibre, lobe[1]};
    return rv_view_fibre_sample(&s->fibre, within, angle);
  }
  rv_view_shade_circle(angle[1], &x, &y);
  if (lobe[0] < fibre + s->pile_chance * PILE_SHARE) {
    double r = sqrt(angle[0]);
    RvVec3 d = rv_mad(rv_scale(s->fibre.tangent, r * x), r * y, s->fibre.y);
    return rv_mad(d, sqrt(fmax(1 - angle[0], 0)), s->fibre.x);
  }
  double z = 1 - 2 * angle[0], r = sqrt(fmax(1 - z * z, 0));
  return rv_vec3(r * x, z, r * y);
}

// Transmittance and reflectance of n strands.
static void layers(double forward, double back, int n, double* through, double* reflected) {
  double t = 1, r = 0;
  for (int i = 0; i < n; ++i) {
    double loop = 1 / (1 - r * back);
    r += t * t * back * loop;
    t *= forward * loop;
  }
  *through = t;
  *reflected = r;
}

// Share of light that arrives through n strands; none through as many as block it.
static double arriving(double forward, double back, int n) {
  double t, r;
  layers(forward, back, n, &t, &r);
  return t / (1 - r * back);
}

RvVec3 rv_view_hair_through(const RvSurface* s, int crossed) {
  if (crossed == 0) return rv_vec3(1, 1, 1);
  if (crossed >= s->crossings) return rv_vec3(0, 0, 0);
  return rv_vec3(arriving(s->forward.x, s->back.x, crossed), arriving(s->forward.y, s->back.y, crossed),
                 arriving(s->forward.z, s->back.z, crossed));
}

// Share of light sent towards n strands that comes back through the fibre; strands that block light are a deep pile.
static double returned(double forward, double back, double deep, int n, int limit) {
  double t, r = deep;
  if (n < limit) layers(forward, back, n, &t, &r);
  return r * forward / (1 - r * back);
}

void rv_view_hair_thickness(RvSurface* s, RvVec3 sent, int strands) {
  s->pile = rv_mul(sent, rv_vec3(returned(s->forward.x, s->back.x, s->deep.x, strands, s->crossings),
                                 returned(s->forward.y, s->back.y, s->deep.y, strands, s->crossings),
                                 returned(s->forward.z, s->back.z, s->deep.z, strands, s->crossings)));
}
