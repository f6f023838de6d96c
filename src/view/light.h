// How surfaces answer light: hair, skin and water.
#ifndef RV_VIEW_LIGHT_H
#define RV_VIEW_LIGHT_H

#include "view/view_scene.h"

typedef struct RvSurface {
  RvPartKind kind;
  RvVec3 position, start;  // where it was hit, and where rays to the lights begin
  RvVec3 view, normal;     // unit, towards the eye and outwards
  RvVec3 tangent;          // hair: root to tip
  RvVec3 color;
  double near;  // rays to the lights begin at this distance, past the strand itself
  double wet;
} RvSurface;

// Fill in the normal, tangent, colour and start of a hit.
void rv_surface_hair(const RvPart* part, size_t segment, double u, RvSurface* surface);
void rv_surface_sphere(const RvPart* part, size_t sphere, RvSurface* surface);
void rv_surface_mesh(const RvPart* part, size_t triangle, double u, double v, RvVec3 facing,
                     RvSurface* surface);

// Share of a light's irradiance sent to the eye; `open` (0 to 1) is what of it arrives, which tints scattered
// light.
RvVec3 rv_surface_response(const RvSurface* surface, RvVec3 light, double open);
// The same for even light from all around.
RvVec3 rv_surface_ambient(const RvSurface* surface);
// The sky as the surface mirrors it.
RvVec3 rv_surface_mirror(const RvSurface* surface, RvVec3 (*sky)(RvVec3 direction), double open);

#endif
