// Light at what a camera ray meets: three studio lights, a sky, soft shadows that hair lets partly through.
#include <math.h>
#include <string.h>

#include "math/scalar.h"
#include "view/light.h"
#include "view/view_scene.h"

enum { MAX_CROSSINGS = 3 };

// light left after passing through so many strands
static const double LEFT_AFTER[MAX_CROSSINGS + 1] = {1, 0.42, 0.15, 0};

//---------------------------------------------------------------------------------------------- rays

typedef struct ShadowContext {
  struct RTCIntersectContext embree;  // first: Embree hands a pointer to it back
  int crossings;
} ShadowContext;

// a count, so that the order of the hits does not matter
void rv_view_weaken(const struct RTCFilterFunctionNArguments* arguments) {
  ShadowContext* context = (ShadowContext*)arguments->context;
  if (++context->crossings < MAX_CROSSINGS) arguments->valid[0] = 0;
}

static double visible(const RvShader* s, RvVec3 from, RvVec3 direction, double near, double far, uint64_t* rays) {
  ShadowContext context = {.crossings = 0};
  rtcInitIntersectContext(&context.embree);
  struct RTCRay ray = {.org_x = (float)from.x,
                       .org_y = (float)from.y,
                       .org_z = (float)from.z,
                       .dir_x = (float)direction.x,
                       .dir_y = (float)direction.y,
                       .dir_z = (float)direction.z,
                       .tnear = (float)near,
                       .tfar = (float)far,
                       .mask = ~0u};
  rtcOccluded1(s->scene->scene, &context.embree, &ray);
  ++*rays;
  return ray.tfar < 0 ? 0 : LEFT_AFTER[context.crossings];
}

// the nearest thing; geomID is RTC_INVALID_GEOMETRY_ID for none
static struct RTCRayHit nearest(const RvShader* s, RvVec3 from, RvVec3 direction, uint64_t* rays) {
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  struct RTCRayHit hit = {.ray = {.org_x = (float)from.x,
                                  .org_y = (float)from.y,
                                  .org_z = (float)from.z,
                                  .dir_x = (float)direction.x,
                                  .dir_y = (float)direction.y,
                                  .dir_z = (float)direction.z,
                                  .tfar = INFINITY,
                                  .mask = ~0u},
                          .hit = {.geomID = RTC_INVALID_GEOMETRY_ID, .instID = {RTC_INVALID_GEOMETRY_ID}}};
  rtcIntersect1(s->scene->scene, &context, &hit);
  ++*rays;
  return hit;
}

//---------------------------------------------------------------------------------------------- directions

static RvVec3 from_frame(RvVec3 n, double x, double y, double z) {
  RvVec3 a = rv_perpendicular(n), b = rv_cross(n, a);
  return rv_mad(rv_mad(rv_scale(n, z), x, a), y, b);
}

// a point of the unit circle, nearly even in u: directions of samples need no exact sine
// (Taylor's polynomials over an eighth of the turn, within 4e-5)
static void circle(double u, double* x, double* y) {
  double turn = 4 * u, quadrant = floor(turn + 0.5), a = (turn - quadrant) * (RV_PI / 2), a2 = a * a;
  double s = a * (1 - a2 / 6 * (1 - a2 / 20)), c = 1 - a2 / 2 * (1 - a2 / 12 * (1 - a2 / 30));
  int q = (int)quadrant & 3;
  *x = q == 0 ? c : q == 1 ? -s : q == 2 ? -c : s;
  *y = q == 0 ? s : q == 1 ? c : q == 2 ? -s : -c;
}

// towards a point of a round light
static RvVec3 towards(RvVec3 light, double radius, const double u[2]) {
  double r = radius * sqrt(u[0]), x, y;
  circle(u[1], &x, &y);
  return rv_normalize(from_frame(light, r * x, r * y, 1), light);
}

static RvVec3 cosine_direction(RvVec3 n, const double u[2]) {
  double r = sqrt(u[0]), x, y;
  circle(u[1], &x, &y);
  return from_frame(n, r * x, r * y, sqrt(fmax(1 - u[0], 1e-6)));
}

static RvVec3 sphere_direction(const double u[2]) {
  double z = 1 - 2 * u[0], r = sqrt(fmax(1 - z * z, 0)), x, y;
  circle(u[1], &x, &y);
  return rv_vec3(r * x, z, r * y);
}

// a softbox ceiling over a dim room; below the floor's horizon its bounce
static RvVec3 sky(RvVec3 d) {
  double t = rv_clamp(0.5 + 0.5 * d.y, 0, 1);
  return rv_lerp(rv_vec3(0.20, 0.19, 0.18), rv_vec3(0.62, 0.66, 0.72), t * t * (3 - 2 * t));
}

//---------------------------------------------------------------------------------------------- what was hit

// the hit as the light functions want it
static RvSurface surface_at(const RvShader* s, const struct RTCRayHit* hit, RvVec3 direction) {
  const RvPart* part = &s->scene->parts[hit->hit.geomID];
  double t = hit->ray.tfar, u = hit->hit.u, v = hit->hit.v;
  size_t prim = hit->hit.primID;
  RvSurface out = {.kind = part->kind, .view = rv_neg(direction), .position = rv_mad(s->lens->eye, t, direction)};
  RvVec3 facing = rv_normalize(rv_vec3(hit->hit.Ng_x, hit->hit.Ng_y, hit->hit.Ng_z), out.view);
  if (rv_dot(facing, out.view) < 0) facing = rv_neg(facing);
  out.normal = facing;
  out.start = rv_mad(out.position, 2e-5 * (t + rv_length(out.position)), facing);
  if (part->kind == RV_PART_HAIR)
    rv_surface_hair(part, prim, u, &out);
  else if (part->kind == RV_PART_SPHERES)
    rv_surface_sphere(part, prim, &out);
  else
    rv_surface_mesh(part, prim, u, v, facing, &out);
  return out;
}

// smooth surfaces show noise that hair hides in its own detail
static int rays_of(const RvSurface* surface) {
  return surface->kind == RV_PART_HAIR ? 1 : surface->kind == RV_PART_SPHERES ? 2 : 3;
}

// sum over the sky of what comes through; `through` is the open share
static RvVec3 sky_light(const RvShader* s, const RvSurface* surface, double* through, RvSampler* sampler,
                        uint64_t* rays) {
  RvVec3 sum = {0, 0, 0};
  int count = s->options->sky_samples * rays_of(surface);
  bool hair = surface->kind == RV_PART_HAIR;
  *through = 0;
  for (int i = 0; i < count; ++i) {
    double u[2];
    rv_sampler_next(sampler, u);
    // a hair is lit from all around, but not from within the head: lean outwards
    RvVec3 d = hair ? rv_normalize(rv_mad(sphere_direction(u), 0.6, surface->normal), surface->normal)
                    : cosine_direction(surface->normal, u);
    double open = visible(s, surface->start, d, surface->near, s->near_sky, rays);
    *through += open / count;
    sum = rv_mad(sum, open / count, sky(d));
  }
  if (count == 0) *through = 1, sum = sky(surface->normal);
  return sum;
}

typedef struct Light {
  RvVec3 direction, power;
  double radius;  // tangent of its half angle
} Light;

static RvVec3 light_from(const RvShader* s, const RvSurface* surface, const Light* light, RvSampler* sampler,
                         uint64_t* rays) {
  RvVec3 sum = {0, 0, 0};
  int count = rays_of(surface);
  for (int i = 0; i < count; ++i) {
    double u[2];
    rv_sampler_next(sampler, u);
    RvVec3 d = towards(light->direction, light->radius, u);
    RvResponse response = rv_surface_response(surface, d);
    // a ray is worth its while only where it can add something
    RvVec3 all = rv_add(response.direct, response.scattered);
    if (all.x + all.y + all.z < 1e-3) continue;
    double open = visible(s, surface->start, d, surface->near, s->far, rays);
    if (open > 0) sum = rv_mad(sum, 1.0 / count, rv_mul(rv_surface_reflect(surface, &response, open), light->power));
  }
  return sum;
}

static RvVec3 shade(const RvShader* s, const RvSurface* surface, RvSampler* sampler, uint64_t* rays) {
  static const RvVec3 FILL = {0.42, 0.46, 0.52};
  const Light key = {s->key, {4.6, 4.15, 3.6}, s->key_radius}, rim = {s->rim, {3.0, 3.1, 3.3}, 0.5 * s->key_radius};
  // of many samples on hair, every other one looks for the rim light and the rest for the sky
  bool share = surface->kind == RV_PART_HAIR && s->options->samples >= 8, odd = sampler->index & 1;
  double weight = share ? 2 : 1, through;
  RvVec3 sum = light_from(s, surface, &key, sampler, rays);
  if (!share || !odd) sum = rv_mad(sum, weight, light_from(s, surface, &rim, sampler, rays));
  if (share && !odd) return sum;
  RvVec3 ambient = rv_mul(rv_surface_ambient(surface), sky_light(s, surface, &through, sampler, rays));
  RvResponse soft = rv_surface_response_soft(surface, s->fill);
  ambient = rv_add(ambient, rv_mul(rv_surface_reflect(surface, &soft, through), FILL));
  ambient = rv_add(ambient, rv_surface_mirror(surface, sky, through));
  return rv_mad(sum, weight, ambient);
}

//---------------------------------------------------------------------------------------------- backdrop

static RvVec3 backdrop(const RvShader* s, double x, double y) {
  double v = y / s->lens->height, h = x / s->lens->width - 0.5, w = v - 0.45;
  const float *top = s->options->background_top, *bottom = s->options->background_bottom;
  double t = rv_clamp(v, 0, 1);
  RvVec3 c = rv_lerp(rv_vec3_load(top), rv_vec3_load(bottom), t * t * (3 - 2 * t));
  return rv_scale(c, 1.12 - 0.75 * (h * h + w * w));
}

// the floor has the backdrop's own colour, so that only shadows show it
static RvVec3 floor_light(const RvShader* s, RvVec3 position, RvVec3 base, RvSampler* sampler, uint64_t* rays,
                          double* through, bool* plain) {
  double from_middle = rv_length(rv_vec3(position.x, 0, position.z)) / s->lens->reach;
  double fade = rv_clamp((6 - from_middle) / 3, 0, 1), u[2];
  *through = 1, *plain = true;
  if (fade <= 0) return base;
  RvVec3 up = {0, 1, 0}, start = rv_mad(position, 1e-4 * s->lens->reach, up);
  // an even floor shows noise that hair would hide; its rays mostly miss and cost little
  double key = 0, open = 0;
  int count = 3 * s->options->sky_samples;
  for (int i = 0; i < count; ++i) {
    rv_sampler_next(sampler, u);
    RvVec3 d = towards(s->key, s->key_radius, u);
    key += d.y > 0 ? visible(s, start, d, 0, s->far, rays) / count : 1.0 / count;
    rv_sampler_next(sampler, u);
    open += visible(s, start, cosine_direction(up, u), 0, s->near_sky, rays) / count;
  }
  if (count == 0) key = open = 1;
  *plain = key > 0.999 && open > 0.999;
  *through = open;
  return rv_scale(base, 1 - fade * (1 - (0.55 * key + 0.45 * open)));
}

RvVec3 rv_shader_trace(const RvShader* s, double x, double y, RvSampler* sampler, uint64_t* rays, bool* plain) {
  RvVec3 direction = rv_lens_direction(s->lens, x, y), white = {1, 1, 1};
  struct RTCRayHit hit = nearest(s, s->lens->eye, direction, rays);
  bool met = hit.hit.geomID != RTC_INVALID_GEOMETRY_ID;
  RvViewPass pass = s->options->pass;
  *plain = !met;
  if (pass == RV_VIEW_COVERAGE) return rv_scale(white, met);
  double through, drop = s->ground - s->lens->eye.y,
                  to_floor = drop < 0 && direction.y < 0 ? drop / direction.y : INFINITY;
  if (to_floor < (met ? hit.ray.tfar : s->far)) {
    RvVec3 p = rv_mad(s->lens->eye, to_floor, direction);
    RvVec3 light = floor_light(s, p, backdrop(s, x, y), sampler, rays, &through, plain);
    return pass == RV_VIEW_OCCLUSION ? rv_scale(white, through) : light;
  }
  if (!met) return pass == RV_VIEW_OCCLUSION ? white : backdrop(s, x, y);
  RvSurface surface = surface_at(s, &hit, direction);
  if (pass == RV_VIEW_OCCLUSION) {
    sky_light(s, &surface, &through, sampler, rays);
    return rv_scale(white, through);
  }
  return shade(s, &surface, sampler, rays);
}

RvResult rv_shader_make(RvShader* shader, const RvViewScene* scene, const RvLens* lens, const RvViewOptions* options,
                        RvError* error) {
  *shader = (RvShader){.scene = scene, .lens = lens, .options = options, .ground = -INFINITY};
  RvLens rig = *lens;
  if (options->rig) {
    RvResult result = rv_lens_make(options->rig, options->width, options->height, &rig, error);
    if (result) return result;
  }
  RvVec3 r = rig.right, u = rig.up, f = rig.forward;
  shader->key = rv_normalize(rv_add(rv_add(rv_scale(r, -0.60), rv_scale(u, 0.75)), rv_scale(f, -0.75)), u);
  shader->rim = rv_normalize(rv_add(rv_add(rv_scale(r, 0.75), rv_scale(u, 0.55)), rv_scale(f, 0.70)), u);
  shader->fill = rv_normalize(rv_add(rv_add(rv_scale(r, 0.80), rv_scale(u, 0.05)), rv_scale(f, -0.70)), u);
  shader->key_radius = 0.28;
  double size = 0;
  for (int k = 0; k < 3; ++k)
    if (scene->hi[k] >= scene->lo[k]) size += (scene->hi[k] - scene->lo[k]) * (scene->hi[k] - scene->lo[k]);
  shader->far = 100 * (sqrt(size) + rv_length(lens->eye));
  shader->near_sky = options->pass == RV_VIEW_OCCLUSION ? shader->far : 0.3 * lens->reach;
  if (options->ground && scene->lo[1] <= scene->hi[1])
    shader->ground = isnan(options->ground_height) ? scene->lo[1] : options->ground_height - lens->origin.y;
  return RV_OK;
}
