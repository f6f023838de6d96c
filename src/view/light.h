// How surfaces answer light: hair, skin and matt things. Water is not lit, it is looked through (trace.c).
#ifndef RV_VIEW_LIGHT_H
#define RV_VIEW_LIGHT_H

#include "view/view_scene.h"

typedef struct RvSurface {
  RvPartKind kind;
  RvVec3 position, start;  // where it was hit, and where rays to the lights begin
  RvVec3 view, normal;     // unit, towards the eye and outwards on its side
  RvVec3 facing;           // the normal of the geometry itself, on the eye's side
  bool entering;           // the ray goes in
  RvVec3 tangent;          // hair: root to tip
  RvVec3 axis;             // hair: the point of its middle line
  RvVec3 color;
  RvVec3 deep;    // hair: the colour of light that went through many strands
  double near;    // rays to the lights begin at this distance, past the strand itself
  double wet;     // hair: 0 to 1
  double core;    // hair: share of the radius that is hair; the rest is film
  double radius;  // hair: of the tube, with its film
  double value;   // of false colours; NaN: none
} RvSurface;

// Place of a vertex of a part with `stride` floats a vertex, at a time of the shutter.
static inline RvVec3 rv_view_part_vertex(const RvPart* part, size_t stride, size_t i, double time) {
  RvVec3 p = rv_vec3_load(part->vertices + stride * i);
  return part->moved ? rv_lerp(p, rv_vec3_load(part->moved + stride * i), time) : p;
}

// Fill in the normal, tangent, colour and start of a hit.
void rv_view_surface_hair(const RvPart* part, size_t segment, double u, double time, RvSurface* surface);
void rv_view_surface_sphere(const RvPart* part, size_t sphere, double time, RvSurface* surface);
void rv_view_surface_mesh(const RvPart* part, size_t triangle, double u, double v, double time, RvSurface* surface);

// Share of a light's irradiance sent to the eye: what comes straight back, and what was scattered among
// strands on the way and so depends on how much of the light is hidden.
typedef struct RvResponse {
  RvVec3 direct, scattered;
} RvResponse;
RvResponse rv_view_surface_response(const RvSurface* surface, RvVec3 light);
// The scattered part alone of hair, for lights too weak to show in highlights.
RvResponse rv_view_surface_response_soft(const RvSurface* surface, RvVec3 light);
// The two together for a light of which `open` (0 to 1) arrives.
RvVec3 rv_view_surface_reflect(const RvSurface* surface, const RvResponse* response, double open);
// The same for even light from all around.
RvVec3 rv_view_surface_ambient(const RvSurface* surface);
// A direction that the surface mirrors, chosen by u; returns the share of what comes from there that goes to the eye.
double rv_view_surface_mirror(const RvSurface* surface, const double u[2], RvVec3* direction);

// Hair's own (fibre.c).
RvVec3 rv_view_fibre_direct(const RvSurface* surface, RvVec3 light);
RvVec3 rv_view_fibre_scattered(const RvSurface* surface, RvVec3 light);
RvVec3 rv_view_fibre_ambient(const RvSurface* surface);
double rv_view_fibre_mirror(const RvSurface* surface, const double u[2], RvVec3* direction);

// Light at a surface that is not looked through (shade.c).
RvVec3 rv_view_shade(const RvShader* shader, const RvSurface* surface, RvSampler* sampler, uint64_t* rays);
RvVec3 rv_view_shade_data(const RvShader* shader, const RvSurface* surface, RvSampler* sampler, uint64_t* rays);
// The open share of the sky over a surface.
double rv_view_shade_open(const RvShader* shader, const RvSurface* surface, RvSampler* sampler, uint64_t* rays);
// The floor: a backdrop of colour `base` that catches shadows.
RvVec3 rv_view_shade_floor(const RvShader* shader, RvVec3 position, RvVec3 base, RvSampler* sampler, uint64_t* rays,
                           double* through, bool* plain);
// A point of the unit circle, nearly even in u.
void rv_view_shade_circle(double u, double* x, double* y);

#endif
