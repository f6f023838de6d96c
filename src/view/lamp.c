// Lamps: reading them from details, sampling them, and their radiance in a direction.
#include "view/lamp.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "math/scalar.h"

static const double FARTHEST = 1e18;      // metres; Embree's own limit is 1.8e18
static const double LEAST_RADIUS = 1e-4;  // tangent: a smaller distant lamp has no extent
static const double LEAST_COSINE = 1e-6;  // of a direction to the normal of a lamp
static const double STRONGEST = 1e9;      // of a colour; more is an error
static const double LEAST_SIZE = 1e-9;    // metres

RvLamp* rv_view_lamps_add(RvLamps* lamps) {
  if (!rv_array_reserve_bytes((void**)&lamps->list, &lamps->capacity, lamps->count, lamps->count + 1, sizeof(RvLamp)))
    return NULL;
  RvLamp* lamp = &lamps->list[lamps->count++];
  *lamp = (RvLamp){.reach = INFINITY};
  return lamp;
}

void rv_view_lamps_free(RvLamps* lamps) {
  for (size_t i = 0; i < lamps->count; ++i) {
    rv_view_dome_free(lamps->list[i].dome);
    rv_view_dome_free(lamps->list[i].floor);
  }
  rv_free(lamps->list);
  *lamps = (RvLamps){0};
}

//---------------------------------------------------------------------------------------------- reading

const RvAttrib* rv_view_lamp_kinds(const RvDetail* detail) {
  const RvAttrib* a = detail ? rv_detail_find(detail, RV_POINT, RV_LIGHT_KIND) : NULL;
  return a && rv_attrib_storage(a) != RV_STRING && rv_attrib_size(a) >= 3 ? a : NULL;
}

const char* rv_view_lamp_image(const RvDetail* detail, size_t point) {
  const RvAttrib* kinds = rv_view_lamp_kinds(detail);
  if (!kinds || (int)rv_attrib_get(kinds, point, 0) != RV_LIGHT_DOME) return NULL;
  int source = (int)rv_attrib_get(kinds, point, 1);
  if (source == RV_DOME_UNIFORM || source == RV_DOME_STUDIO) return NULL;
  const RvAttrib* image = rv_detail_find(detail, RV_POINT, RV_LIGHT_IMAGE);
  const char* path = image && rv_attrib_storage(image) == RV_STRING ? rv_attrib_string(image, point, 0) : NULL;
  return path ? path : "";
}

// Numbers of a point attribute; 0 where it is missing.
static void numbers(const RvDetail* d, const char* name, size_t point, int count, double* out) {
  const RvAttrib* a = rv_detail_find(d, RV_POINT, name);
  bool good = a && rv_attrib_storage(a) != RV_STRING && rv_attrib_size(a) >= count;
  for (int k = 0; k < count; ++k) {
    out[k] = good ? rv_attrib_get(a, point, k) : 0;
    if (!isfinite(out[k])) out[k] = 0;
  }
}

// Vector point attribute.
static RvVec3 vector(const RvDetail* d, const char* name, size_t point) {
  double v[3];
  numbers(d, name, point, 3, v);
  return rv_vec3_load64(v);
}

// Loads or makes the image of a dome.
static RvResult read_dome(RvLamp* lamp, const RvDetail* d, size_t point, int source, RvError* error) {
  if (source == RV_DOME_UNIFORM) return RV_OK;
  double factors[3];
  numbers(d, RV_LIGHT_STUDIO, point, 3, factors);
  if (source == RV_DOME_STUDIO) return rv_view_dome_studio(factors, &lamp->dome, error);
  return rv_view_dome_load(rv_view_lamp_image(d, point), &lamp->dome, error);
}

// A direction in the frame of a dome's image, and back.
static RvVec3 to_image(const RvLamp* l, RvVec3 d) {
  return rv_vec3(rv_dot(d, l->right), -rv_dot(d, l->forward), -rv_dot(d, l->up));
}
static RvVec3 from_image(const RvLamp* l, RvVec3 d) {
  return rv_sub(rv_sub(rv_scale(l->right, d.x), rv_scale(l->forward, d.y)), rv_scale(l->up, d.z));
}

// Reads one lamp.
static RvResult read_lamp(RvLamps* lamps, const RvDetail* d, size_t point, const int kind[3], RvVec3 origin,
                          RvError* error) {
  RvLamp* lamp = rv_view_lamps_add(lamps);
  if (!lamp) return rv_fail(error, RV_NO_MEMORY, "out of memory for the lights");
  double size[2], angle;
  numbers(d, RV_LIGHT_SIZE, point, 2, size);
  numbers(d, RV_LIGHT_ANGLE, point, 1, &angle);
  lamp->kind = kind[0];
  lamp->background = kind[2] != 0;
  lamp->color = vector(d, RV_LIGHT_COLOR, point);
  lamp->position = rv_sub(vector(d, "P", point), origin);
  // The upper side need not be at right angles to the axis after a transform.
  lamp->forward = rv_normalize(vector(d, RV_LIGHT_FORWARD, point), rv_vec3(0, -1, 0));
  RvVec3 up = vector(d, RV_LIGHT_UP, point);
  up = rv_mad(up, -rv_dot(up, lamp->forward), lamp->forward);
  lamp->up = rv_normalize(up, rv_perpendicular(lamp->forward));
  lamp->right = rv_cross(lamp->forward, lamp->up);
  lamp->half[0] = fmax(size[0] / 2, LEAST_SIZE);
  lamp->half[1] = fmax(size[1] / 2, LEAST_SIZE);
  lamp->radius = tan(rv_radians(rv_clamp(angle, 0, 170) / 2));
  RvVec3 c = lamp->color;
  if (!(c.x >= 0 && c.y >= 0 && c.z >= 0 && fmax(c.x, fmax(c.y, c.z)) < STRONGEST) ||
      !(rv_length(lamp->position) < FARTHEST))
    return rv_fail(error, RV_BAD_INPUT, "a light has a colour of %g %g %g or a place that is no number: check its node",
                   c.x, c.y, c.z);
  RvResult result = kind[0] == RV_LIGHT_DOME ? read_dome(lamp, d, point, kind[1], error) : RV_OK;
  if (result || !lamp->dome) return result;
  return rv_view_dome_floor(lamp->dome, to_image(lamp, rv_vec3(0, 1, 0)), &lamp->floor, &lamp->floor_irradiance, error);
}

RvResult rv_view_lamps_read(RvLamps* lamps, const RvDetail* const* details, size_t count, RvVec3 origin,
                            RvError* error) {
  RvResult result = RV_OK;
  for (size_t i = 0; i < count; ++i) {
    const RvAttrib* kinds = rv_view_lamp_kinds(details[i]);
    size_t npoint = kinds ? rv_detail_count(details[i], RV_POINT) : 0;
    for (size_t p = 0; p < npoint && !result; ++p) {
      int kind[3];
      for (int k = 0; k < 3; ++k) kind[k] = (int)rv_attrib_get(kinds, p, k);
      if (kind[0] >= RV_LIGHT_DISTANT && kind[0] <= RV_LIGHT_DOME)
        result = read_lamp(lamps, details[i], p, kind, origin, error);
    }
  }
  return result;
}

//---------------------------------------------------------------------------------------------- domes

// Samples a dome: by its image, or evenly.
static bool sample_dome(const RvLamp* l, const double u[2], RvLampRay* ray) {
  ray->distance = INFINITY;
  if (l->dome) {
    ray->direction = from_image(l, rv_view_dome_sample(l->dome, u, &ray->radiance, &ray->density));
    ray->radiance = rv_mul(l->color, ray->radiance);
    return ray->density > 0;
  }
  double z = 1 - 2 * u[0], r = sqrt(fmax(1 - z * z, 0));
  ray->direction = rv_vec3(r * cos(2 * RV_PI * u[1]), z, r * sin(2 * RV_PI * u[1]));
  ray->radiance = l->color;
  ray->density = 1 / (4 * RV_PI);
  return true;
}

//---------------------------------------------------------------------------------------------- sampling

// Density per solid angle of a point of a lamp's surface that is sampled evenly; 0 behind the lamp.
static double area_density(const RvLamp* l, double distance, RvVec3 direction) {
  double cosine = -rv_dot(direction, l->forward);
  double area = l->kind == RV_LIGHT_DISC ? RV_PI * l->half[0] * l->half[0] : 4 * l->half[0] * l->half[1];
  return cosine > LEAST_COSINE ? distance * distance / (cosine * area) : 0;
}

// A point of the unit disc.
static void disc_point(const double u[2], double* x, double* y) {
  double r = sqrt(u[0]);
  *x = r * cos(2 * RV_PI * u[1]);
  *y = r * sin(2 * RV_PI * u[1]);
}

bool rv_view_lamp_sample(const RvLamp* l, RvVec3 from, const double u[2], RvLampRay* ray) {
  *ray = (RvLampRay){.distance = INFINITY, .radiance = l->color};
  double x, y;
  if (l->kind == RV_LIGHT_DOME) return sample_dome(l, u, ray);
  disc_point(u, &x, &y);
  if (l->kind == RV_LIGHT_DISTANT) {
    RvVec3 d = rv_mad(rv_mad(rv_neg(l->forward), l->radius * x, l->right), l->radius * y, l->up);
    ray->direction = rv_normalize(d, d);
    if (l->radius < LEAST_RADIUS) return true;
    // Points of the tangent disc are even, so that each carries the same irradiance.
    double cosine = -rv_dot(ray->direction, l->forward);
    ray->density = 1 / (RV_PI * l->radius * l->radius * cosine * cosine * cosine);
    ray->radiance = rv_scale(l->color, ray->density);
    return true;
  }
  bool disc = l->kind == RV_LIGHT_DISC;
  double across = disc ? x * l->half[0] : (2 * u[0] - 1) * l->half[0];
  double upward = disc ? y * l->half[0] : (2 * u[1] - 1) * l->half[1];
  RvVec3 d = rv_sub(rv_mad(rv_mad(l->position, across, l->right), upward, l->up), from);
  ray->distance = rv_length(d);
  if (!(ray->distance > 0)) return false;
  ray->direction = rv_scale(d, 1 / ray->distance);
  ray->density = area_density(l, ray->distance, ray->direction);
  return ray->density > 0;
}

bool rv_view_lamp_towards(const RvLamp* l, RvVec3 from, RvVec3 d, RvLampRay* ray) {
  *ray = (RvLampRay){.direction = d, .distance = INFINITY, .radiance = l->color, .density = 1 / (4 * RV_PI)};
  if (l->kind == RV_LIGHT_DOME) {
    if (!l->dome) return true;
    ray->radiance = rv_mul(l->color, rv_view_dome_towards(l->dome, to_image(l, d), &ray->density));
    return true;
  }
  double cosine = -rv_dot(d, l->forward);
  if (cosine < LEAST_COSINE) return false;
  if (l->kind == RV_LIGHT_DISTANT) {
    double x = rv_dot(d, l->right) / cosine, y = rv_dot(d, l->up) / cosine;
    if (l->radius < LEAST_RADIUS || x * x + y * y > l->radius * l->radius) return false;
    ray->density = 1 / (RV_PI * l->radius * l->radius * cosine * cosine * cosine);
    ray->radiance = rv_scale(l->color, ray->density);
    return true;
  }
  // Where the ray crosses the plane of the lamp.
  double t = rv_dot(rv_sub(l->position, from), l->forward) / -cosine;
  if (!(t > 0)) return false;
  RvVec3 at = rv_sub(rv_mad(from, t, d), l->position);
  double x = rv_dot(at, l->right) / l->half[0];
  double y = rv_dot(at, l->up) / (l->kind == RV_LIGHT_DISC ? l->half[0] : l->half[1]);
  bool inside = l->kind == RV_LIGHT_DISC ? x * x + y * y <= 1 : fabs(x) <= 1 && fabs(y) <= 1;
  ray->distance = t;
  ray->density = area_density(l, t, d);
  return inside && ray->density > 0;
}

RvVec3 rv_view_lamp_seen(const RvLamp* l, RvVec3 direction) {
  return l->dome ? rv_mul(l->color, rv_view_dome_smooth(l->dome, to_image(l, direction))) : l->color;
}

RvVec3 rv_view_lamp_floor_direction(const RvLamp* l, const double u[2]) {
  RvVec3 radiance;
  double density;
  return from_image(l, rv_view_dome_sample(l->floor, u, &radiance, &density));
}

double rv_view_lamp_on_floor(const RvLamp* l, RvVec3 at) {
  double strength = (l->color.x + l->color.y + l->color.z) / 3;
  if (l->floor) return l->floor_irradiance * strength;
  if (l->kind == RV_LIGHT_DOME) return RV_PI * strength * (l->soft_sky ? 0.5 : 1);
  if (l->kind == RV_LIGHT_DISTANT) return strength * fmax(-l->forward.y, 0);
  RvVec3 d = rv_sub(l->position, at);
  double distance = rv_length(d);
  if (!(distance > 0) || d.y <= 0) return 0;
  double density = area_density(l, distance, rv_scale(d, 1 / distance));
  return density > 0 ? strength * d.y / distance / density : 0;
}
