// Scattering of light at opaque surfaces: hair and skin. Water is transparent and handled by trace.c.
#ifndef RV_VIEW_LIGHT_H
#define RV_VIEW_LIGHT_H

#include "math/scalar.h"
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
  RvVec3 multiple_color;   // hair: albedo of light scattered by many strands
  double ray_near;         // shadow rays begin at this distance, beyond the strand itself
  double wet;              // hair: share of the fibre covered by film, 0 to 1
  double core;             // hair: fibre radius over drawn radius (fibre + film)
  double radius;           // hair: drawn radius (fibre + film)
  double value;            // attribute of false colours; NaN: none
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

// Fill in the normal, tangent, colour and start of a hit.
void rv_view_surface_hair(const RvPart* part, size_t segment, double u, double time, RvSurface* surface);
void rv_view_surface_sphere(const RvPart* part, size_t sphere, double time, RvSurface* surface);
void rv_view_surface_mesh(const RvPart* part, size_t triangle, double u, double v, double time, RvSurface* surface);

// Radiance towards the eye per irradiance of a light: by a single scattering event, and by multiple scattering among
// strands, whose colour depends on how much of the light is occluded.
typedef struct RvResponse {
  RvVec3 direct, scattered;
} RvResponse;
RvResponse rv_view_surface_response(const RvSurface* surface, RvVec3 light);
// For hair the multiple scattering alone, for lights too weak to show highlights.
RvResponse rv_view_surface_response_soft(const RvSurface* surface, RvVec3 light);
// Both parts together for a light of which the share `open` (0 to 1) arrives.
RvVec3 rv_view_surface_reflect(const RvSurface* surface, const RvResponse* response, double open);
// Reflectance for uniform light from all directions.
RvVec3 rv_view_surface_ambient(const RvSurface* surface);
// Samples a mirror direction with u; returns the share of its radiance that the surface reflects to the eye.
double rv_view_surface_mirror(const RvSurface* surface, const double u[2], RvVec3* direction);

// The hair model (fibre.c).
RvVec3 rv_view_fibre_direct(const RvSurface* surface, RvVec3 light);
RvVec3 rv_view_fibre_scattered(const RvSurface* surface, RvVec3 light);
RvVec3 rv_view_fibre_ambient(const RvSurface* surface);
double rv_view_fibre_mirror(const RvSurface* surface, const double u[2], RvVec3* direction);

// Radiance of an opaque surface (shade.c).
RvVec3 rv_view_shade(const RvShader* shader, const RvSurface* surface, RvSampler* sampler, uint64_t* rays);
RvVec3 rv_view_shade_data(const RvShader* shader, const RvSurface* surface, RvSampler* sampler, uint64_t* rays);
// Visible share of the sky at a surface.
double rv_view_shade_open(const RvShader* shader, const RvSurface* surface, RvSampler* sampler, uint64_t* rays);
// Shadow-catching floor of colour `base`; *through: visible share of the sky; *plain: no shadow falls on it.
RvVec3 rv_view_shade_floor(const RvShader* shader, RvVec3 position, RvVec3 base, RvSampler* sampler, uint64_t* rays,
                           double* through, bool* plain);
// A point of the unit circle at the angle 2 pi u (approximately).
void rv_view_shade_circle(double u, double* x, double* y);

#endif
