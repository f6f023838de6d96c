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
  RvVec3 deep;  // hair: the colour of light that went through many strands
  double near;  // rays to the lights begin at this distance, past the strand itself
  double wet;
} RvSurface;

// Fill in the normal, tangent, colour and start of a hit.
void rv_surface_hair(const RvPart* part, size_t segment, double u, RvSurface* surface);
void rv_surface_sphere(const RvPart* part, size_t sphere, RvSurface* surface);
void rv_surface_mesh(const RvPart* part, size_t triangle, double u, double v, RvVec3 facing, RvSurface* surface);

// Share of a light's irradiance sent to the eye: what comes straight back, and what was scattered among
// strands on the way and so depends on how much of the light is hidden.
typedef struct RvResponse {
  RvVec3 direct, scattered;
} RvResponse;
RvResponse rv_surface_response(const RvSurface* surface, RvVec3 light);
// The scattered part alone of hair, for lights too weak to show in highlights.
RvResponse rv_surface_response_soft(const RvSurface* surface, RvVec3 light);
// The two together for a light of which `open` (0 to 1) arrives.
RvVec3 rv_surface_reflect(const RvSurface* surface, const RvResponse* response, double open);
// The same for even light from all around.
RvVec3 rv_surface_ambient(const RvSurface* surface);
// The sky as the surface mirrors it.
RvVec3 rv_surface_mirror(const RvSurface* surface, RvVec3 (*sky)(RvVec3 direction), double open);

#endif
