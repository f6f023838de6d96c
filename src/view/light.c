// Shading of meshes and spheres: a skin-like diffuse response with a GGX highlight; dispatch to the hair model.
#include "view/light.h"

#include <math.h>

#include "math/scalar.h"

static const RvVec3 SKIN = {0.31, 0.225, 0.185};  // default albedo of meshes, linear RGB
static const double SKIN_F0 = 0.035;              // reflectance at normal incidence (index 1.46)
static const double SKIN_ROUGHNESS = 0.5;         // of the GGX highlight
static const double SKIN_SKY_SHARE = 0.25;        // of the mirrored room that a rough surface shows
static const double LEAST_VIEW_COSINE = 0.05;     // limits the highlight at grazing angles
static const double LEAST_LUMA = 1e-4;            // of the hair colour, against division by zero
static const double SKIN_WRAP = 0.15;             // cosine beyond the terminator to which scattered light reaches

//---------------------------------------------------------------------------------------------- hits

void rv_view_surface_sphere(const RvPart* part, size_t sphere, double time, RvSurface* surface) {
  if (part->colors) surface->color = rv_vec3_load(part->colors + 3 * sphere);
  surface->normal = rv_normalize(rv_sub(surface->position, rv_view_part_vertex(part, 4, sphere, time)), surface->view);
  if (rv_dot(surface->normal, surface->view) < 0) surface->normal = rv_neg(surface->normal);
}

void rv_view_surface_mesh(const RvPart* part, size_t triangle, double u, double v, double time, RvSurface* surface) {
  double weight[3] = {1 - u - v, u, v};
  // Interpolated normal and colour.
  RvVec3 normal = {0, 0, 0}, color = {0, 0, 0}, lift = {0, 0, 0};
  for (int k = 0; k < 3; ++k) {
    size_t corner = 3 * triangle + (size_t)k;
    normal = rv_mad(normal, weight[k], rv_vec3_load(part->normals + 3 * corner));
    if (part->colors) color = rv_mad(color, weight[k], rv_vec3_load(part->colors + 3 * corner));
  }
  double side = rv_dot(normal, surface->facing) < 0 ? -1 : 1;
  // Shadow rays begin on the smooth surface that the triangles approximate; otherwise the facets show at the shadow
  // terminator (Hanika 2021, "Hacking the shadow terminator").
  for (int k = 0; k < 3; ++k) {
    size_t corner = 3 * triangle + (size_t)k;
    RvVec3 n = rv_scale(rv_vec3_load(part->normals + 3 * corner), side);
    RvVec3 from = rv_sub(surface->position, rv_view_part_vertex(part, 3, part->indices[corner], time));
    lift = rv_mad(lift, -weight[k] * fmin(rv_dot(from, n), 0), n);
  }
  surface->start = rv_add(surface->start, lift);
  surface->normal = rv_normalize(rv_scale(normal, side), surface->facing);
  surface->color = part->colors ? color : SKIN;
}

//---------------------------------------------------------------------------------------------- skin

// GGX highlight with Smith masking (Walter et al. 2007), multiplied by the cosine of the light.
static double gloss(RvVec3 n, RvVec3 v, RvVec3 l, double roughness, double f0) {
  double nl = rv_dot(n, l), nv = fmax(rv_dot(n, v), LEAST_VIEW_COSINE);
  if (nl <= 0) return 0;
  RvVec3 h = rv_normalize(rv_add(v, l), n);
  double nh = rv_clamp(rv_dot(n, h), 0, 1), a2 = roughness * roughness * roughness * roughness;
  double d = nh * nh * (a2 - 1) + 1, k = (roughness + 1) * (roughness + 1) / 8;
  double masking = (nl / (nl * (1 - k) + k)) * (nv / (nv * (1 - k) + k));
  return a2 / (RV_PI * d * d) * masking * rv_view_fresnel(f0, rv_dot(v, h)) / (4 * nv);
}

// Diffuse and specular response of skin to light from one direction.
static RvVec3 skin_response(const RvSurface* s, RvVec3 light) {
  // Subsurface scattering softens the terminator, more in red than in green and blue. 1.15 = 1 + SKIN_WRAP.
  double nl = rv_dot(s->normal, light);
  double soft = fmax((nl + SKIN_WRAP) / 1.15, 0);
  double hard = fmax(nl, 0);
  RvVec3 diffuse = {s->color.x * (0.4 * hard + 0.6 * soft * soft), s->color.y * (0.7 * hard + 0.3 * soft * soft),
                    s->color.z * (0.8 * hard + 0.2 * soft * soft)};
  double shine = gloss(s->normal, s->view, light, SKIN_ROUGHNESS, SKIN_F0);
  return rv_add(rv_scale(diffuse, 1 / RV_PI), rv_vec3(shine, shine, shine));
}

//---------------------------------------------------------------------------------------------- dispatch by kind

RvResponse rv_view_surface_response(const RvSurface* s, RvVec3 light) {
  if (s->kind == RV_PART_HAIR) return (RvResponse){rv_view_fibre_direct(s, light), rv_view_fibre_scattered(s, light)};
  return (RvResponse){skin_response(s, light), {0, 0, 0}};
}

RvResponse rv_view_surface_response_soft(const RvSurface* s, RvVec3 light) {
  if (s->kind == RV_PART_HAIR) return (RvResponse){{0, 0, 0}, rv_view_fibre_scattered(s, light)};
  return rv_view_surface_response(s, light);
}

RvVec3 rv_view_surface_reflect(const RvSurface* s, const RvResponse* response, double open) {
  RvVec3 multiple = response->scattered;
  // Light that passed more strands is more saturated by the hair colour: each strand absorbed its share.
  if (s->kind == RV_PART_HAIR && open < 1) {
    // Rec. 709 luminance.
    double luma = fmax(0.2126 * s->color.x + 0.7152 * s->color.y + 0.0722 * s->color.z, LEAST_LUMA);
    multiple = rv_mul(multiple, rv_lerp(rv_scale(s->color, 1 / luma), rv_vec3(1, 1, 1), open));
  }
  return rv_scale(rv_add(response->direct, multiple), open);
}

RvVec3 rv_view_surface_ambient(const RvSurface* s) {
  return s->kind == RV_PART_HAIR ? rv_view_fibre_ambient(s) : s->color;
}

double rv_view_surface_mirror(const RvSurface* s, const double u[2], RvVec3* direction) {
  if (s->kind == RV_PART_HAIR) return rv_view_fibre_mirror(s, u, direction);
  double cosine = fmax(rv_dot(s->normal, s->view), 0);
  *direction = rv_sub(rv_scale(s->normal, 2 * cosine), s->view);
  return SKIN_SKY_SHARE * rv_view_fresnel(SKIN_F0, cosine);
}
