#include "view/light.h"

#include <math.h>

#include "math/scalar.h"

static const RvVec3 SKIN = {0.31, 0.225, 0.185}, WATER = {0.07, 0.22, 0.33};

// c^e a channel
static RvVec3 power3(RvVec3 c, double e) {
  return rv_vec3(rv_exp(e * rv_log_e(fmax(c.x, 1e-4))), rv_exp(e * rv_log_e(fmax(c.y, 1e-4))),
                 rv_exp(e * rv_log_e(fmax(c.z, 1e-4))));
}

// c^(3/4) by roots alone
static double root34(double c) {
  return sqrt(c * sqrt(c));
}

//---------------------------------------------------------------------------------------------- what was hit

void rv_surface_hair(const RvPart* part, size_t segment, double u, RvSurface* surface) {
  size_t a = part->indices[segment], b = a + 1;
  const float* v = part->vertices;
  // tangents at both ends from their neighbours, so that segments do not show
  size_t before = part->flags[segment] & RTC_CURVE_FLAG_NEIGHBOR_LEFT ? a - 1 : a;
  size_t after = part->flags[segment] & RTC_CURVE_FLAG_NEIGHBOR_RIGHT ? b + 1 : b;
  RvVec3 pa = rv_vec3_load(v + 4 * a), pb = rv_vec3_load(v + 4 * b),
         chord = rv_normalize(rv_sub(pb, pa), surface->view);
  RvVec3 ta = rv_normalize(rv_sub(pb, rv_vec3_load(v + 4 * before)), chord);
  RvVec3 tb = rv_normalize(rv_sub(rv_vec3_load(v + 4 * after), pa), chord);
  surface->tangent = rv_normalize(rv_lerp(ta, tb, u), chord);
  surface->color = rv_lerp(rv_vec3_load(part->colors + 3 * a), rv_vec3_load(part->colors + 3 * b), u);
  surface->wet = part->wet ? part->wet[a] * (1 - u) + part->wet[b] * u : 0;
  surface->near = 2.1 * (v[4 * a + 3] * (1 - u) + v[4 * b + 3] * u);
  // wet hair is darker: the film lets more light in than out
  surface->color = rv_scale(surface->color, 1 - 0.5 * surface->wet);
  RvVec3 c = surface->color;
  surface->deep = rv_vec3(root34(fmax(c.x, 0)), root34(fmax(c.y, 0)), root34(fmax(c.z, 0)));
}

void rv_surface_sphere(const RvPart* part, size_t sphere, RvSurface* surface) {
  surface->color = part->colors ? rv_vec3_load(part->colors + 3 * sphere) : WATER;
  surface->normal = rv_normalize(rv_sub(surface->position, rv_vec3_load(part->vertices + 4 * sphere)), surface->view);
  if (rv_dot(surface->normal, surface->view) < 0) surface->normal = rv_neg(surface->normal);
}

void rv_surface_mesh(const RvPart* part, size_t triangle, double u, double v, RvVec3 facing, RvSurface* surface) {
  double weight[3] = {1 - u - v, u, v};
  RvVec3 normal = {0, 0, 0}, color = {0, 0, 0}, lift = {0, 0, 0};
  for (int k = 0; k < 3; ++k) {
    size_t corner = 3 * triangle + (size_t)k;
    normal = rv_mad(normal, weight[k], rv_vec3_load(part->normals + 3 * corner));
    if (part->colors) color = rv_mad(color, weight[k], rv_vec3_load(part->colors + 3 * corner));
  }
  double side = rv_dot(normal, facing) < 0 ? -1 : 1;
  // rays begin on the round surface that the triangles stand for, or its terminator shows them
  // (Hanika 2021, "Hacking the shadow terminator")
  for (int k = 0; k < 3; ++k) {
    size_t corner = 3 * triangle + (size_t)k;
    RvVec3 n = rv_scale(rv_vec3_load(part->normals + 3 * corner), side);
    RvVec3 from = rv_sub(surface->position, rv_vec3_load(part->vertices + 3 * (size_t)part->indices[corner]));
    lift = rv_mad(lift, -weight[k] * fmin(rv_dot(from, n), 0), n);
  }
  surface->start = rv_add(surface->start, lift);
  surface->normal = rv_normalize(rv_scale(normal, side), facing);
  surface->color = part->colors ? color : part->kind == RV_PART_WATER ? WATER : SKIN;
}

//---------------------------------------------------------------------------------------------- skin and
// water

static double fresnel(double f0, double cosine) {
  double m = rv_clamp(1 - cosine, 0, 1), m2 = m * m;
  return f0 + (1 - f0) * m2 * m2 * m;
}

// GGX with Smith's masking (Walter et al. 2007), times the cosine
static double gloss(RvVec3 n, RvVec3 v, RvVec3 l, double roughness, double f0) {
  double nl = rv_dot(n, l), nv = fmax(rv_dot(n, v), 0.05);
  if (nl <= 0) return 0;
  RvVec3 h = rv_normalize(rv_add(v, l), n);
  double nh = rv_clamp(rv_dot(n, h), 0, 1), a2 = roughness * roughness * roughness * roughness;
  double d = nh * nh * (a2 - 1) + 1, k = (roughness + 1) * (roughness + 1) / 8;
  double masking = (nl / (nl * (1 - k) + k)) * (nv / (nv * (1 - k) + k));
  return a2 / (RV_PI * d * d) * masking * fresnel(f0, rv_dot(v, h)) / (4 * nv);
}

static bool is_water(const RvSurface* s) {
  return s->kind == RV_PART_WATER || s->kind == RV_PART_SPHERES;
}

static RvVec3 skin_response(const RvSurface* s, RvVec3 light) {
  // light goes a little round the edge, redder than it came in
  double nl = rv_dot(s->normal, light), soft = fmax((nl + 0.15) / 1.15, 0), hard = fmax(nl, 0);
  RvVec3 diffuse = {s->color.x * (0.4 * hard + 0.6 * soft * soft), s->color.y * (0.7 * hard + 0.3 * soft * soft),
                    s->color.z * (0.8 * hard + 0.2 * soft * soft)};
  double shine = gloss(s->normal, s->view, light, 0.5, 0.035);
  return rv_add(rv_scale(diffuse, 1 / RV_PI), rv_vec3(shine, shine, shine));
}

static RvVec3 water_response(const RvSurface* s, RvVec3 light) {
  double nl = rv_dot(s->normal, light), soft = fmax((nl + 0.5) / 1.5, 0);
  double shine = fmin(gloss(s->normal, s->view, light, 0.22, 0.03), 6);
  return rv_add(rv_scale(s->color, soft / RV_PI), rv_vec3(shine, shine, shine));
}

//---------------------------------------------------------------------------------------------- hair

static double gauss(double width, double x) {
  return rv_exp(-0.5 * x * x / (width * width)) / (width * 2.5066282746);
}

// the three paths of light through a fibre (Marschner et al. 2003) with the azimuthal fits of Karis 2016,
// "Physically based hair shading in Unreal": R off the cuticle, TT straight through, TRT back from the far
// wall
static RvVec3 fibre(const RvSurface* s, RvVec3 light) {
  double sin_l = rv_clamp(rv_dot(s->tangent, light), -1, 1), sin_v = rv_clamp(rv_dot(s->tangent, s->view), -1, 1);
  double cos_l = sqrt(fmax(1 - sin_l * sin_l, 1e-6)), cos_v = sqrt(fmax(1 - sin_v * sin_v, 1e-6));
  double cos_phi = rv_clamp((rv_dot(light, s->view) - sin_l * sin_v) / (cos_l * cos_v), -1, 1);
  double half_phi = sqrt(fmax(0.5 + 0.5 * cos_phi, 0));
  double cos_d = sqrt(fmax(0.5 * (1 + cos_l * cos_v + sin_l * sin_v), 1e-4));
  double rough = 0.30 - 0.08 * s->wet, b = rough * rough, tilt = 0.035, sum = sin_l + sin_v;
  double shine = 1.5 + 0.8 * s->wet;

  double shift = -2 * tilt * 2 * half_phi * cos_v;
  double r = gauss(fmax((0.02 + b) * 1.4142 * half_phi, 0.06), sum - shift) * 0.25 * half_phi *
             fresnel(0.0465, sqrt(rv_clamp(0.5 + 0.5 * rv_dot(light, s->view), 0, 1))) * shine;

  RvVec3 out = {r, r, r};
  // the other two are narrow about the light's far and near side
  if (cos_phi < 0.3) {
    double bend = 1 / (1.19 / cos_d + 0.36 * cos_d), h = half_phi * (1 + bend * (0.6 - 0.8 * cos_phi));
    double inside = fresnel(0.0465, cos_d * sqrt(fmax(1 - h * h, 0)));
    double path = 0.5 * sqrt(fmax(1 - h * h * bend * bend, 0)) / cos_d;
    double tt = gauss(0.02 + b / 2, sum - tilt) * (1 - inside) * (1 - inside) * rv_exp(-3.65 * cos_phi - 3.98);
    if (tt > 1e-3) out = rv_mad(out, tt, power3(s->color, path));
  }
  if (cos_phi > 0.6) {
    double wall = fresnel(0.0465, cos_d * 0.5);
    double trt = gauss(0.02 + 2 * b, sum - 4 * tilt) * (1 - wall) * (1 - wall) * wall * rv_exp(17 * cos_phi - 16.78);
    if (trt > 1e-3) out = rv_mad(out, 2.2 * trt, power3(s->color, 0.8 / cos_d));
  }
  return out;
}

// light that went from strand to strand: diffuse, wrapped about the fibre's near side
static RvVec3 scattered(const RvSurface* s, RvVec3 light) {
  RvVec3 near_side = rv_normalize(rv_mad(s->view, -rv_dot(s->view, s->tangent), s->tangent), s->normal);
  double wrapped = (rv_dot(near_side, light) + 1) / (4 * RV_PI);
  double along = rv_dot(s->tangent, light), across = sqrt(fmax(1 - along * along, 0));
  return rv_scale(s->deep, 0.45 * wrapped + 0.3 * across / (2 * RV_PI));
}

RvResponse rv_surface_response(const RvSurface* s, RvVec3 light) {
  if (s->kind == RV_PART_HAIR) return (RvResponse){fibre(s, light), scattered(s, light)};
  return (RvResponse){is_water(s) ? water_response(s, light) : skin_response(s, light), {0, 0, 0}};
}

RvResponse rv_surface_response_soft(const RvSurface* s, RvVec3 light) {
  if (s->kind == RV_PART_HAIR) return (RvResponse){{0, 0, 0}, scattered(s, light)};
  return rv_surface_response(s, light);
}

RvVec3 rv_surface_reflect(const RvSurface* s, const RvResponse* response, double open) {
  RvVec3 deep = response->scattered;
  // the deeper, the more of the hair's own colour: every strand on the way took its share
  if (s->kind == RV_PART_HAIR && open < 1) {
    double luma = fmax(0.2126 * s->color.x + 0.7152 * s->color.y + 0.0722 * s->color.z, 1e-4);
    deep = rv_mul(deep, rv_lerp(rv_scale(s->color, 1 / luma), rv_vec3(1, 1, 1), open));
  }
  return rv_scale(rv_add(response->direct, deep), open);
}

RvVec3 rv_surface_ambient(const RvSurface* s) {
  if (s->kind != RV_PART_HAIR) return s->color;
  return rv_add(rv_scale(s->deep, 0.32), rv_vec3(0.008, 0.008, 0.008));
}

RvVec3 rv_surface_mirror(const RvSurface* s, RvVec3 (*sky)(RvVec3), double open) {
  if (s->kind == RV_PART_HAIR) return rv_vec3(0, 0, 0);
  double cosine = fmax(rv_dot(s->normal, s->view), 0);
  RvVec3 d = rv_sub(rv_scale(s->normal, 2 * cosine), s->view);
  double share = is_water(s) ? fresnel(0.03, cosine) : 0.25 * fresnel(0.035, cosine);
  return rv_scale(sky(d), share * open);
}
