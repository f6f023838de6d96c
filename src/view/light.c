// Shading of meshes and spheres: diffuse light, softened by scattering below skin, and a GGX highlight; wet surfaces
// are darker and glossier. Dispatch to the hair model.
#include "view/light.h"

#include <math.h>

#include "math/scalar.h"

enum { FLOATS = 4, STRANDS = 3 };  // numbers of a corner's look; strands that block light at a mesh

static const RvVec3 SKIN = {0.31, 0.225, 0.185};  // default albedo of meshes, linear RGB
static const double SKIN_INDEX = 1.44;
static const double SKIN_ROUGHNESS = 0.5;      // of the GGX highlight
static const double LEAST_ROUGHNESS = 0.05;    // a picture's few rays would miss narrower highlights
static const double WET_ROUGHNESS = 0.22;      // of a film on skin: it follows the skin's relief
static const double LEAST_VIEW_COSINE = 0.05;  // limits the highlight at grazing angles
static const double SKIN_WRAP = 0.15;          // cosine beyond the terminator to which scattered light reaches
static const double LEAST_DENSITY = 1e-6;

// Share of light that strands let through to a mesh.
static const double STRAND_TRANSMITTANCE[STRANDS + 1] = {1, 0.42, 0.15, 0};
// Share of diffuse light that scattered below skin, by red, green and blue: red light goes farthest.
static const double BELOW[3] = {0.6, 0.3, 0.2};

// Albedo of a wet surface. Light scattered back under a film is partly reflected inwards at the water's surface:
// (1 - Re)(1 - Ri) a / (1 - Ri a) with the external and internal diffuse reflectances of water (Lekner and Dorf 1988,
// "Why some things are darker when wet").
static double wetted(double albedo, double wet) {
  const double outer = 0.066;  // external diffuse reflectance of water, Re
  const double inner = 0.49;   // internal diffuse reflectance of water, Ri
  double under = (1 - outer) * (1 - inner) * albedo / (1 - inner * fmin(albedo, 1));
  return albedo + (under - albedo) * wet;
}

//---------------------------------------------------------------------------------------------- hits

// Applies wetness to the look of a surface.
static void wet_surface(RvSurface* s, int baked) {
  double wet = s->wet = s->wetness * (2 - s->wetness);
  if (wet <= 0) return;
  if (!(baked & 1)) s->color = rv_vec3(wetted(s->color.x, wet), wetted(s->color.y, wet), wetted(s->color.z, wet));
  if (!(baked & 2)) s->roughness += wet * (fmin(WET_ROUGHNESS, s->roughness) - s->roughness);
  s->f0 += wet * (RV_VIEW_WATER_F0 - s->f0);
}

// Reflectance along the normal of a surface with an index of refraction.
static double reflectance(double index) {
  double r = (index - 1) / (index + 1);
  return r * r;
}

void rv_view_surface_sphere(const RvPart* part, size_t sphere, double time, RvSurface* surface) {
  if (part->colors) surface->color = rv_vec3_load(part->colors + 3 * sphere);
  surface->roughness = SKIN_ROUGHNESS;
  surface->f0 = reflectance(SKIN_INDEX);
  surface->normal = rv_normalize(rv_sub(surface->position, rv_view_part_vertex(part, 4, sphere, time)), surface->view);
  if (rv_dot(surface->normal, surface->view) < 0) surface->normal = rv_neg(surface->normal);
}

// Look of a mesh between the corners of a triangle.
static void mesh_look(const RvPart* part, size_t triangle, const double weight[3], RvSurface* s) {
  double v[FLOATS] = {SKIN_ROUGHNESS, SKIN_INDEX, 1, part->colors ? 0 : 1};
  for (int i = 0; part->look && i < FLOATS; ++i) {
    v[i] = 0;
    for (size_t k = 0; k < 3; ++k) v[i] += weight[k] * part->look[FLOATS * (3 * triangle + k) + (size_t)i];
  }
  s->roughness = rv_clamp(v[0], LEAST_ROUGHNESS, 1);
  s->f0 = reflectance(rv_clamp(v[1], 1, 3)) * rv_clamp(v[2], 0, 1);
  s->subsurface = rv_clamp(v[3], 0, 1);
  s->wetness = 0;
  for (size_t k = 0; part->wet && k < 3; ++k) s->wetness += weight[k] * part->wet[3 * triangle + k];
  wet_surface(s, part->baked);
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
  mesh_look(part, triangle, weight, surface);
  if (part->beads) rv_view_add_bead(part, triangle, weight, time, surface);
}

//---------------------------------------------------------------------------------------------- skin and solids

// Chance of sampling the highlight: glossy surfaces need it most.
static double gloss_chance(const RvSurface* s) {
  return s->f0 > 0 ? 0.25 + 0.25 * (1 - s->roughness) : 0;
}

// GGX distribution of half vectors (Walter et al. 2007).
static double ggx(double nh, double roughness) {
  double a2 = roughness * roughness * roughness * roughness, d = nh * nh * (a2 - 1) + 1;
  return a2 / (RV_PI * d * d);
}

// GGX highlight with Smith masking, multiplied by the cosine of the light; *density: of its sampling.
static double gloss(const RvSurface* s, RvVec3 light, double nl, double* density) {
  *density = 0;
  double nv = fmax(rv_dot(s->normal, s->view), LEAST_VIEW_COSINE);
  if (nl <= 0 || s->f0 <= 0) return 0;
  RvVec3 h = rv_normalize(rv_add(s->view, light), s->normal);
  double nh = rv_clamp(rv_dot(s->normal, h), 0, 1), vh = fmax(rv_dot(s->view, h), LEAST_VIEW_COSINE);
  double d = ggx(nh, s->roughness), k = (s->roughness + 1) * (s->roughness + 1) / 8;
  double masking = (nl / (nl * (1 - k) + k)) * (nv / (nv * (1 - k) + k));
  *density = d * nh / (4 * vh);
  return d * masking * rv_view_fresnel(s->f0, vh) / (4 * nv);
}

// Diffuse and specular response to light from one direction.
static RvVec3 mesh_scatter(const RvSurface* s, RvVec3 light, double* density) {
  double nl = rv_dot(s->normal, light), hard = fmax(nl, 0);
  double soft = fmax((nl + SKIN_WRAP) / (1 + SKIN_WRAP), 0);
  double shine_density, shine = gloss(s, light, nl, &shine_density), chance = gloss_chance(s);
  *density = (1 - chance) * hard / RV_PI + chance * shine_density;
  // Light that the highlight reflects does not reach the inside.
  double inside = (s->f0 > 0 ? 1 - rv_view_fresnel(s->f0, fmax(rv_dot(s->normal, s->view), 0)) : 1) / RV_PI;
  const double color[3] = {s->color.x, s->color.y, s->color.z};
  double out[3];
  for (int k = 0; k < 3; ++k) {
    double below = s->subsurface * BELOW[k];
    out[k] = color[k] * inside * ((1 - below) * hard + below * soft * soft) + shine;
  }
  return rv_vec3_load64(out);
}

// Vector from components in a frame about n.
static RvVec3 about(RvVec3 n, double x, double y, double z) {
  RvVec3 a = rv_perpendicular(n), b = rv_cross(n, a);
  return rv_mad(rv_mad(rv_scale(n, z), x, a), y, b);
}

// Samples the highlight or the cosine of the normal.
static RvVec3 mesh_sample(const RvSurface* s, const double u[2], const double v[2]) {
  double x, y;
  rv_view_shade_circle(v[1], &x, &y);
  if (u[0] >= gloss_chance(s)) {
    double r = sqrt(v[0]);
    return about(s->normal, r * x, r * y, sqrt(fmax(1 - v[0], 0)));
  }
  double a2 = s->roughness * s->roughness * s->roughness * s->roughness;
  double cosine = sqrt((1 - v[0]) / (1 + (a2 - 1) * v[0])), sine = sqrt(fmax(1 - cosine * cosine, 0));
  RvVec3 h = about(s->normal, sine * x, sine * y, cosine);
  return rv_sub(rv_scale(h, 2 * rv_dot(s->view, h)), s->view);
}

//---------------------------------------------------------------------------------------------- dispatch by kind

RvVec3 rv_view_scatter(const RvSurface* s, RvVec3 light, double* density) {
  RvVec3 f = s->kind == RV_PART_HAIR ? rv_view_hair_scatter(s, light, density) : mesh_scatter(s, light, density);
  *density = fmax(*density, LEAST_DENSITY);
  return f;
}

RvVec3 rv_view_scatter_sample(const RvSurface* s, const double u[2], const double v[2]) {
  return s->kind == RV_PART_HAIR ? rv_view_hair_sample(s, u, v) : mesh_sample(s, u, v);
}

RvVec3 rv_view_scatter_through(const RvSurface* s, int crossed) {
  if (s->kind == RV_PART_HAIR) return rv_view_hair_through(s, crossed);
  double t = STRAND_TRANSMITTANCE[crossed < STRANDS ? crossed : STRANDS];
  return rv_vec3(t, t, t);
}
