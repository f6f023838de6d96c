// Scattering of light at opaque surfaces: hair, skin and solids. Water is transparent and handled by trace.c.
#ifndef RV_VIEW_LIGHT_H
#define RV_VIEW_LIGHT_H

#include "math/scalar.h"
#include "view/chiang.h"
#include "view/view_scene.h"

// A ray hit with the quantities that shading needs. Vectors are unit, positions relative to the lens's origin.
typedef struct RvSurface {
  RvPartKind kind;
  RvVec3 position, start;  // hit point; origin of shadow rays
  RvVec3 view;             // towards the eye
  RvVec3 normal;           // shading normal on the eye's side
  RvVec3 facing;           // geometric normal on the eye's side
  bool entering;           // the ray enters the body
  RvVec3 tangent;          // hair: from root to tip
  RvVec3 axis;             // hair: nearest point of the centre line
  RvVec3 color;            // linear RGB
  double ray_near;         // shadow rays begin at this distance, beyond the strand itself
  double wetness;          // the attribute, 0 to 1
  double wet;              // how wet it looks, 0 to 1: darker
  double film;             // hair: share of the fibre covered by film, which reflects in place of its scales
  double core;             // hair: fibre radius over drawn radius (fibre + film)
  double radius;           // hair: drawn radius (fibre + film)
  double value;            // attribute of false colours; NaN: none
  // Hair: the fibre, the shares of light that each strand of the pile sends forward and back, the reflectance of a deep
  // pile, the light that other strands return through the fibre, and the number of strands that block light.
  RvFibre fibre;
  RvVec3 forward, back, deep, pile;
  double pile_chance;  // of sampling the light that many strands scatter
  int crossings;
  // Skin and solids: roughness of the highlight, reflectance along the normal, share of subsurface scattering.
  double roughness, f0, subsurface;
} RvSurface;

// Position of a vertex of a part with `stride` floats a vertex, at a time of the shutter (0 open, 1 closed).
static inline RvVec3 rv_view_part_vertex(const RvPart* part, size_t stride, size_t i, double time) {
  RvVec3 p = rv_vec3_load(part->vertices + stride * i);
  return part->closed ? rv_lerp(p, rv_vec3_load(part->closed + stride * i), time) : p;
}

// Schlick's approximation of the Fresnel reflectance; f0 is that of light along the normal.
static inline double rv_view_fresnel(double f0, double cosine) {
  double m = rv_clamp(1 - cosine, 0, 1), m2 = m * m;
  return f0 + (1 - f0) * m2 * m2 * m;
}

#define RV_VIEW_WATER_F0 0.0255  // reflectance of water in air, and of skin in water, along the normal

// Beads of water (beads.c). At a place of a surface in rest space, with its unit normal: true if a bead covers it, of
// which cells of the size of the beads have one by `share`; *bent: its normal.
bool rv_view_bead(RvVec3 rest, RvVec3 normal, double share, double radius, RvVec3* bent);
void rv_view_add_bead(const RvPart* part, size_t triangle, const double weight[3], double time, RvSurface* surface);

// Fill in the normal, tangent, colour, look and start of a hit.
void rv_view_surface_hair(const RvPart* part, size_t segment, double u, double time, RvSurface* surface);
void rv_view_surface_sphere(const RvPart* part, size_t sphere, double time, RvSurface* surface);
void rv_view_surface_mesh(const RvPart* part, size_t triangle, double u, double v, double time, RvSurface* surface);

// Scattered radiance per radiance and solid angle of light, the cosine included; *density: of rv_view_scatter_sample.
RvVec3 rv_view_scatter(const RvSurface* surface, RvVec3 light, double* density);
// Samples a direction of light about in proportion to what it scatters, with four random numbers.
RvVec3 rv_view_scatter_sample(const RvSurface* surface, const double u[2], const double v[2]);
// Share of light that is left after strands: at hair by colour, at other surfaces grey.
RvVec3 rv_view_scatter_through(const RvSurface* surface, int crossed);

// The hair model (fibre.c).
RvVec3 rv_view_hair_scatter(const RvSurface* surface, RvVec3 light, double* density);
RvVec3 rv_view_hair_sample(const RvSurface* surface, const double lobe[2], const double angle[2]);
RvVec3 rv_view_hair_through(const RvSurface* surface, int crossed);
// Sets the light that other strands return: `sent` towards a number of strands, as a share of the light that arrives.
void rv_view_hair_thickness(RvSurface* surface, RvVec3 sent, int strands);

// Radiance of an opaque surface (shade.c).
RvVec3 rv_view_shade(const RvShader* shader, RvSurface* surface, RvSampler* sampler, uint64_t* rays);
RvVec3 rv_view_shade_data(const RvShader* shader, const RvSurface* surface, RvSampler* sampler, uint64_t* rays);
// Visible share of the sky at a surface.
double rv_view_shade_open(const RvShader* shader, const RvSurface* surface, RvSampler* sampler, uint64_t* rays);
// Shadow-catching floor of colour `base`; *through: visible share of the sky; *plain: no shadow falls on it.
RvVec3 rv_view_shade_floor(const RvShader* shader, RvVec3 position, RvVec3 base, RvSampler* sampler, uint64_t* rays,
                           double* through, bool* plain);
// A point of the unit circle at the angle 2 pi u (approximately).
void rv_view_shade_circle(double u, double* x, double* y);

#endif
