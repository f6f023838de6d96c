// Traces one camera ray through water and thick films by Snell's, Fresnel's and Beer's laws to an opaque surface, the
// floor or the room.
#include <math.h>

#include "math/scalar.h"
#include "view/light.h"

enum { MAX_BOUNCES = 16 };  // reflections, refractions and crossings of one path

static const double WATER_INDEX = 1.333;   // of refraction, of films
static const double CLEAR_CORE = 0.7;      // fibre over film radius below which the film is drawn as a clear tube
static const double SHADOW_OFFSET = 2e-5;  // relative offset of shadow rays from the surface, against self intersection
static const double WATER_OFFSET = 1e-5;   // relative offset of refracted and reflected rays
static const double FILM_OFFSET = 2e-5;    // the same at a film
static const double FILM_MIRROR_NEAR = 0.2;  // start of a ray reflected by a film, in radii of the film
static const double FILM_EXIT_NEAR = 2.1;    // and of one that passed through it: a little over its diameter
static const double LEAST_COSINE = 1e-4;     // of grazing incidence
static const double LEAST_MIRRORED = 1e-4;   // reflectance below which the reflected ray is not traced
static const double LEAST_ROUGHNESS = 1e-3;  // of a liquid's surface: a lower one is smooth
static const double FAR_FACTOR = 100;        // length of rays that cross the scene, in scene sizes
static const double SKY_RAY_SHARE = 0.3;     // length of sky rays, in half heights of the view

// State of a light path, followed from the eye.
typedef struct Path {
  RvVec3 from, direction;  // of the current ray
  RvVec3 weight;           // throughput, RGB
  double near, far;        // distances at which the ray begins and ends
  double x, y;             // point of the image, pixels
  int inside;              // number of water bodies that contain the ray; they may be nested
  int bounces;             // reflections, refractions and crossings so far
  const RvWater* water;    // that contains the ray
  RvFirstHit* first;       // filled in by the first hit; NULL: not wanted
} Path;

// Nearest hit; geomID is RTC_INVALID_GEOMETRY_ID if there is none.
static struct RTCRayHit nearest(const RvShader* s, const Path* p, float time, uint64_t* rays) {
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  struct RTCRayHit hit = {.ray = {.org_x = (float)p->from.x,
                                  .org_y = (float)p->from.y,
                                  .org_z = (float)p->from.z,
                                  .tnear = (float)p->near,
                                  .dir_x = (float)p->direction.x,
                                  .dir_y = (float)p->direction.y,
                                  .dir_z = (float)p->direction.z,
                                  .time = time,
                                  .tfar = (float)p->far,
                                  .mask = ~0u},
                          .hit = {.geomID = RTC_INVALID_GEOMETRY_ID, .instID = {RTC_INVALID_GEOMETRY_ID}}};
  rtcIntersect1(s->scene->scene, &context, &hit);
  ++*rays;
  return hit;
}

// Shading data of a hit.
static RvSurface surface_at(const RvShader* s, const Path* p, const struct RTCRayHit* hit, float time) {
  const RvPart* part = &s->scene->parts[hit->hit.geomID];
  double t = hit->ray.tfar, u = hit->hit.u, v = hit->hit.v;
  size_t prim = hit->hit.primID;
  RvSurface out = {.kind = part->kind, .view = rv_neg(p->direction), .core = 1, .value = NAN};
  out.position = rv_mad(p->from, t, p->direction);
  // Geometric normal on the eye's side, and the origin of shadow rays off the surface.
  RvVec3 normal = rv_normalize(rv_vec3(hit->hit.Ng_x, hit->hit.Ng_y, hit->hit.Ng_z), out.view);
  out.entering = rv_dot(normal, out.view) >= 0;
  out.facing = out.entering ? normal : rv_neg(normal);
  out.normal = out.facing;
  out.start = rv_mad(out.position, SHADOW_OFFSET * (t + rv_length(out.position)), out.facing);
  // Normal, colour and false-colour value by kind. Identifiers are not interpolated.
  const float* values = part->values;
  if (part->kind == RV_PART_HAIR) {
    rv_view_surface_hair(part, prim, u, time, &out);
    size_t a = part->indices[prim];
    if (values)
      out.value = s->options->view->label ? values[u < 0.5 ? a : a + 1] : values[a] * (1 - u) + values[a + 1] * u;
  } else if (part->kind == RV_PART_SPHERES) {
    rv_view_surface_sphere(part, prim, time, &out);
    if (values) out.value = values[prim];
  } else {
    rv_view_surface_mesh(part, prim, u, v, time, &out);
    if (values) out.value = values[3 * prim] * (1 - u - v) + values[3 * prim + 1] * u + values[3 * prim + 2] * v;
  }
  return out;
}

//---------------------------------------------------------------------------------------------- water

// Fresnel reflectance of a smooth surface for unpolarised light, and the cosine of the refracted ray. index: refractive
// index of the incident side over that of the other side.
static double fresnel_exact(double index, double cosine, double* bent) {
  double sine2 = index * index * (1 - cosine * cosine);
  if (sine2 >= 1) {
    *bent = 0;
    return 1;
  }
  *bent = sqrt(1 - sine2);
  double across = (index * cosine - *bent) / (index * cosine + *bent);
  double along = (cosine - index * *bent) / (cosine + index * *bent);
  return 0.5 * (across * across + along * along);
}

// Throughput after a length of a liquid (Beer's law).
static RvVec3 absorbed(const RvShader* s, const RvWater* water, RvVec3 weight, double length) {
  const double* a = water ? water->absorption : s->options->absorption;
  return rv_vec3(weight.x * rv_exp(-a[0] * length), weight.y * rv_exp(-a[1] * length),
                 weight.z * rv_exp(-a[2] * length));
}

// Reflection and refraction of a ray at a smooth surface.
typedef struct Bend {
  double mirrored;              // Fresnel reflectance
  RvVec3 reflected, refracted;  // directions of the reflected and the refracted ray
} Bend;

// Reflects and refracts the ray of a hit.
static Bend bend_at(const RvSurface* f, double index) {
  RvVec3 n = f->normal, d = rv_neg(f->view);
  for (int i = 0; i < 2; ++i) {
    double cosine = rv_dot(n, f->view), bent;
    Bend b = {.mirrored = fresnel_exact(index, fmax(cosine, LEAST_COSINE), &bent)};
    b.reflected = rv_normalize(rv_mad(d, 2 * cosine, n), n);
    b.refracted = rv_normalize(rv_mad(rv_scale(d, index), index * cosine - bent, n), d);
    // The interpolated normal may send a ray to the wrong side of the triangle; the second try uses the geometric
    // normal.
    if (i == 1 || (cosine > LEAST_COSINE && rv_dot(b.reflected, f->facing) > 0 &&
                   (bent == 0 || rv_dot(b.refracted, f->facing) < 0)))
      return b;
    n = f->facing;
  }
  return (Bend){0};
}

static RvVec3 follow(const RvShader* s, Path p, RvSampler* sampler, uint64_t* rays, bool* plain);

// Continues the path by reflection or refraction, chosen at random with the Fresnel reflectance. The first surface of a
// path follows both, because choosing there would be noisy. Returns the radiance of the extra reflected path;
// *refracted: the path continues beyond the surface.
static RvVec3 branch(const RvShader* s, Path* p, const RvSurface* f, const Bend* b, double step, bool* refracted,
                     RvSampler* sampler, uint64_t* rays) {
  RvVec3 light = {0, 0, 0}, side = rv_scale(f->facing, step);
  double u[2];
  Path mirror = *p;
  mirror.from = rv_add(f->position, side);
  mirror.direction = b->reflected;
  mirror.near = 0;
  mirror.far = INFINITY;
  mirror.bounces++;
  *refracted = true;
  if (b->mirrored >= 1) {
    *p = mirror;
    *refracted = false;
  } else if (p->bounces == 0) {
    bool ignored;
    mirror.weight = rv_scale(p->weight, b->mirrored);
    if (b->mirrored > LEAST_MIRRORED) light = follow(s, mirror, sampler, rays, &ignored);
    p->weight = rv_scale(p->weight, 1 - b->mirrored);
  } else {
    rv_view_sampler_next(sampler, u);
    if (u[0] < b->mirrored) {
      *p = mirror;
      *refracted = false;
    }
  }
  if (*refracted) {
    p->from = rv_sub(f->position, side);
    p->direction = b->refracted;
    p->near = 0;
    p->far = INFINITY;
    p->bounces++;
  }
  return light;
}

// Turns the normal of a rough surface to that of a random facet (GGX; Walter et al. 2007).
static void roughen(RvSurface* f, double roughness, RvSampler* sampler) {
  double u[2], x, y, a2 = roughness * roughness * roughness * roughness;
  rv_view_sampler_next(sampler, u);
  rv_view_shade_circle(u[1], &x, &y);
  double cosine = sqrt((1 - u[0]) / (1 + (a2 - 1) * u[0])), sine = sqrt(fmax(1 - cosine * cosine, 0));
  RvVec3 a = rv_perpendicular(f->normal), b = rv_cross(f->normal, a);
  f->normal = rv_mad(rv_mad(rv_scale(f->normal, cosine), sine * x, a), sine * y, b);
}

// Crosses the surface of a water body. A surface inside another body does not refract.
static RvVec3 cross_water(const RvShader* s, Path* p, RvSurface* f, const RvWater* water, double step,
                          RvSampler* sampler, uint64_t* rays) {
  int after = p->inside + (f->entering ? 1 : -1);
  int others = f->entering ? p->inside : after;  // other bodies that contain the point
  RvVec3 none = {0, 0, 0};
  if (f->entering && others == 0) p->water = water;
  if (others > 0) {
    p->from = rv_mad(f->position, -step, f->facing);
    p->near = 0;
    p->far = INFINITY;
    p->inside = after;
    // A crossing without refraction counts as a bounce; otherwise a ray could be caught between two faces for ever.
    p->bounces++;
    return none;
  }
  if (water->roughness > LEAST_ROUGHNESS) roughen(f, water->roughness, sampler);
  Bend b = bend_at(f, f->entering ? 1 / water->index : water->index);
  bool refracted;
  // A reflected ray stays on its side of the surface.
  if (!f->entering && p->inside < 1) p->inside = 1;
  RvVec3 light = branch(s, p, f, &b, step, &refracted, sampler, rays);
  if (refracted) p->inside = f->entering ? 1 : 0;
  return light;
}

// Direction of a ray that crossed a clear cylinder of water at the offset h (in radii) from its axis: it is turned by
// twice the angle between its directions outside and inside. *cos_inside: cosine of the angle of refraction.
static RvVec3 through_cylinder(const RvSurface* f, RvVec3 d, double h, double* cos_inside) {
  double in = h / WATER_INDEX;
  double c1 = sqrt(fmax(1 - h * h, 0));
  double c2 = sqrt(fmax(1 - in * in, 0));
  double sine = h * c2 - c1 * in, cosine = c1 * c2 + h * in;                  // of the difference of both angles
  double turn_s = 2 * sine * cosine, turn_c = cosine * cosine - sine * sine;  // of twice the difference
  RvVec3 along = rv_scale(f->tangent, rv_dot(d, f->tangent)), plane = rv_sub(d, along);
  *cos_inside = c2;
  return rv_add(rv_add(along, rv_scale(plane, turn_c)), rv_scale(rv_cross(f->tangent, plane), turn_s));
}

// Crosses a thick film: a clear tube with the fibre at its centre. The tube is a lens in which the fibre appears 1.33
// times as wide; beside it the ray passes through. True where the ray hits the fibre.
static bool cross_film(const RvShader* s, Path* p, RvSurface* f, RvSampler* sampler, uint64_t* rays, RvVec3* light) {
  // Offset of the ray from the axis of the tube, in radii.
  RvVec3 across = rv_normalize(rv_mad(f->view, -rv_dot(f->view, f->tangent), f->tangent), f->normal);
  RvVec3 out = rv_normalize(rv_mad(f->normal, -rv_dot(f->normal, f->tangent), f->tangent), f->normal);
  RvVec3 side = rv_cross(f->tangent, across);
  double h = rv_clamp(rv_dot(out, side), -1, 1);
  double step = FILM_OFFSET * (rv_length(f->position) + f->radius);
  bool hits_fibre = fabs(h) < WATER_INDEX * f->core;

  // Refraction; under water the film has no surface.
  bool under = p->inside > 0, refracted;
  Bend b = bend_at(f, 1 / WATER_INDEX);
  double cos_inside;
  RvVec3 d = p->direction, turned = through_cylinder(f, d, h, &cos_inside);
  if (under) {
    b.mirrored = 0;
    b.refracted = d;
  } else {
    b.refracted = rv_normalize(turned, d);
  }
  *light = branch(s, p, f, &b, step, &refracted, sampler, rays);
  if (!refracted) {
    p->near = FILM_MIRROR_NEAR * f->radius;
    return false;
  }
  if (hits_fibre) return true;

  // Beside the fibre: absorption along the chord, then onwards behind the tube.
  if (!under) p->weight = absorbed(s, NULL, p->weight, 2 * f->radius * cos_inside);
  p->from = f->position;
  p->near = FILM_EXIT_NEAR * f->radius;
  return false;
}

//---------------------------------------------------------------------------------------------- paths

// Radiance of the room, soft boxes included. Their edges blur with the number of bounces.
static RvVec3 room_light(const RvShader* s, const Path* p) {
  if (p->bounces == 0) return rv_view_room_behind(s, p->direction, p->x, p->y);
  double blur = rv_clamp((p->bounces - 1) / 2.0, 0, 1);
  return rv_add(rv_view_room_towards(s, p->direction), rv_view_room_mirrored(s, p->direction, blur));
}

// Radiance of the floor at a distance along the path.
static RvVec3 floor_at(const RvShader* s, const Path* p, double length, RvSampler* sampler, uint64_t* rays,
                       bool* plain) {
  RvVec3 at = rv_mad(p->from, length, p->direction), from_eye = rv_sub(at, s->lens->eye);
  RvVec3 base =
      p->bounces ? rv_view_room_towards(s, rv_normalize(from_eye, p->direction)) : rv_view_room_backdrop(s, p->x, p->y);
  double through;
  RvVec3 light = rv_view_shade_floor(s, at, base, sampler, rays, &through, plain);
  // Seen through water, the backdrop is not plain.
  if (p->bounces) *plain = false;
  return s->options->pass == RV_VIEW_OCCLUSION ? rv_vec3(through, through, through) : light;
}

// Radiance of an opaque surface in the pass that is rendered.
static RvVec3 opaque_light(const RvShader* s, RvSurface* surface, RvSampler* sampler, uint64_t* rays) {
  if (s->options->pass == RV_VIEW_DATA) return rv_view_shade_data(s, surface, sampler, rays);
  if (s->options->pass == RV_VIEW_BEAUTY) return rv_view_shade(s, surface, sampler, rays);
  double open = rv_view_shade_open(s, surface, sampler, rays);
  return rv_vec3(open, open, open);
}

// Keeps what a camera ray met first.
static void note_first(const RvShader* s, Path* p, const RvSurface* surface, const RvPart* part, double length) {
  *p->first = (RvFirstHit){.any = true,
                           .depth = length * rv_dot(p->direction, s->lens->forward),
                           .normal = surface->normal,
                           .wetness = surface->wetness,
                           .object = part->object,
                           .mesh = part->kind == RV_PART_MESH};
  p->first = NULL;
}

// Follows a path until it meets an opaque surface, the floor or the room; returns its radiance.
static RvVec3 follow(const RvShader* s, Path p, RvSampler* sampler, uint64_t* rays, bool* plain) {
  RvVec3 sum = {0, 0, 0};
  bool beauty = s->options->pass == RV_VIEW_BEAUTY;
  while (p.bounces < MAX_BOUNCES) {
    // Nearest of geometry and floor.
    struct RTCRayHit hit = nearest(s, &p, sampler->time, rays);
    bool met = hit.hit.geomID != RTC_INVALID_GEOMETRY_ID;
    *plain = !met && p.bounces == 0;
    if (s->options->pass == RV_VIEW_COVERAGE) return rv_scale(p.weight, met);
    double drop = s->ground - p.from.y;
    double to_floor = drop < 0 && p.direction.y < 0 ? drop / p.direction.y : INFINITY;
    bool floor = to_floor < (met ? hit.ray.tfar : s->far);
    double length = floor ? to_floor : hit.ray.tfar;
    // Rays that a surface turned see the lamps themselves.
    RvVec3 lamp;
    if (beauty && p.bounces > 0 && rv_view_room_lamp(s, p.from, p.direction, floor || met ? length : INFINITY, &lamp))
      return rv_add(sum, rv_mul(p.weight, lamp));
    // Absorption on the way, then the floor or the room end the path.
    if (p.inside > 0 && (floor || met)) p.weight = absorbed(s, p.water, p.weight, length);
    if (floor) return rv_add(sum, rv_mul(p.weight, floor_at(s, &p, to_floor, sampler, rays, plain)));
    if (!met) break;
    RvSurface surface = surface_at(s, &p, &hit, sampler->time);
    const RvPart* part = &s->scene->parts[hit.hit.geomID];
    if (p.first) note_first(s, &p, &surface, part, hit.ray.tfar);
    // Water and thick films redirect the path; anything else ends it.
    bool water = beauty && rv_view_part_is_water(part);
    if (water) {
      double step = WATER_OFFSET * (hit.ray.tfar + rv_length(surface.position));
      sum = rv_add(sum, cross_water(s, &p, &surface, &part->water, step, sampler, rays));
      continue;
    }
    bool film = beauty && part->kind == RV_PART_HAIR && surface.core < CLEAR_CORE, seen = true;
    if (film) {
      RvVec3 light;
      seen = cross_film(s, &p, &surface, sampler, rays, &light);
      sum = rv_add(sum, light);
    }
    if (seen) return rv_add(sum, rv_mul(p.weight, opaque_light(s, &surface, sampler, rays)));
  }
  RvVec3 light = s->options->pass == RV_VIEW_OCCLUSION ? rv_vec3(1, 1, 1) : room_light(s, &p);
  return rv_add(sum, rv_mul(p.weight, light));
}

// Ends a camera ray at the planes of the camera. Rays that continue it in mirrors and through water have no such end:
// what they show is not in front of the camera.
static void clip(const RvLens* lens, Path* p) {
  double cosine = rv_dot(p->direction, lens->forward);
  p->near = lens->near / cosine;
  p->far = lens->far / cosine;
}

// Camera ray through a point of the image. With an aperture it starts at a random point of the lens and passes through
// the point in focus.
static Path camera_path(const RvShader* s, double x, double y, RvSampler* sampler) {
  const RvLens* lens = s->lens;
  Path p = {.from = lens->eye, .direction = rv_view_lens_direction(lens, x, y), .weight = {1, 1, 1}, .x = x, .y = y};
  clip(lens, &p);
  if (!(s->options->aperture > 0)) return p;
  double u[2], cx, cy, focus = s->options->focus > 0 ? s->options->focus : rv_length(lens->eye);
  rv_view_sampler_next(sampler, u);
  rv_view_shade_circle(u[1], &cx, &cy);
  double r = s->options->aperture / 2 * sqrt(u[0]);
  RvVec3 sharp = rv_mad(p.from, focus / rv_dot(p.direction, lens->forward), p.direction);
  p.from = rv_mad(rv_mad(p.from, r * cx, lens->right), r * cy, lens->up);
  p.direction = rv_normalize(rv_sub(sharp, p.from), p.direction);
  clip(lens, &p);
  return p;
}

RvVec3 rv_view_shader_trace(const RvShader* s, double x, double y, RvSampler* sampler, uint64_t* rays, bool* plain,
                            RvFirstHit* first) {
  double u[2];
  sampler->time = 0.5f;
  if (s->options->shutter > 0) {
    rv_view_sampler_next(sampler, u);
    sampler->time = (float)u[0];
  }
  *plain = true;
  Path path = camera_path(s, x, y, sampler);
  path.first = first;
  return follow(s, path, sampler, rays, plain);
}

// Ends of the colour scale: those of the options, otherwise the range of the data.
static void find_range(RvShader* s) {
  double lo = INFINITY, hi = -INFINITY;
  for (size_t i = 0; i < s->scene->count; ++i) {
    const RvPart* part = &s->scene->parts[i];
    bool mesh = part->kind == RV_PART_MESH || part->kind == RV_PART_WATER;
    size_t n = !part->values ? 0 : mesh ? 3 * part->count : part->nvertex;
    // Skipped hair leaves unused vertices, so the values of hair are read through its segments.
    for (size_t k = 0; k < n && part->kind != RV_PART_HAIR; ++k)
      if (!isnan(part->values[k])) {
        lo = fmin(lo, part->values[k]);
        hi = fmax(hi, part->values[k]);
      }
    for (size_t k = 0; n && part->kind == RV_PART_HAIR && k < 2 * part->count; ++k) {
      double v = part->values[part->indices[k / 2] + k % 2];
      if (!isnan(v)) {
        lo = fmin(lo, v);
        hi = fmax(hi, v);
      }
    }
  }
  bool any = lo <= hi;
  s->data_range[0] = !any ? NAN : isnan(s->options->range[0]) ? lo : s->options->range[0];
  s->data_range[1] = !any ? NAN : isnan(s->options->range[1]) ? hi : s->options->range[1];
}

RvResult rv_view_shader_make(RvShader* shader, RvViewScene* scene, const RvLens* lens, const RvViewOptions* options,
                             RvError* error) {
  *shader = (RvShader){.scene = scene, .lens = lens, .options = options, .ground = -INFINITY};
  shader->lamps = &scene->lamps;
  // The lamps stand relative to the rig camera.
  RvLens rig = *lens;
  if (options->rig) {
    RvResult result = rv_view_lens_make(options->rig, options->width, options->height, &rig, error);
    if (result) return result;
  }
  // Lengths of rays from the size of the scene.
  double size = 0;
  for (int k = 0; k < 3; ++k)
    if (scene->hi[k] >= scene->lo[k]) size += (scene->hi[k] - scene->lo[k]) * (scene->hi[k] - scene->lo[k]);
  shader->far = FAR_FACTOR * (sqrt(size) + rv_length(lens->eye));
  shader->sky_ray_length = options->pass == RV_VIEW_OCCLUSION ? shader->far : SKY_RAY_SHARE * lens->half_height;
  if (options->ground && !options->furnace && scene->lo[1] <= scene->hi[1])
    shader->ground = isnan(options->ground_height) ? scene->lo[1] : options->ground_height - lens->origin.y;
  if (options->pass == RV_VIEW_DATA) find_range(shader);
  return rv_view_room_make(shader, &rig, error);
}
