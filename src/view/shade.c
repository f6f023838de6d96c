// Direct lighting of a hit: lamps and sky with soft shadows, which hair and water attenuate; false colours; floor. Each
// lamp is sampled by its own brightness and by what the surface scatters, combined by the balance heuristic (Veach
// 1997). Of these candidates hair traces only few, chosen by what they would bring unshadowed (resampled importance
// sampling, Talbot et al. 2005).
#include <math.h>
#include <string.h>

#include "math/scalar.h"
#include "view/light.h"
#include "view/view_scene.h"

enum {
  MAX_WATER = 6,     // water surfaces that block a shadow ray completely
  DOME_CHOICES = 4,  // candidates of a dome a sample: it has bright and dark places
  MAX_CANDIDATES = (DOME_CHOICES + 1) * RV_VIEW_MAX_LAMPS,
  HAIR_PICKS = 2,     // candidates that hair traces a sample
  MESH_PICKS = 2,     // candidates that skin and solids trace a sample, or one for each lamp if there are more
  MANY_SAMPLES = 8,   // samples a pixel after which the floor traces more rays
  FLOOR_STRANDS = 3,  // strands that block light at the floor and in ambient occlusion
  FLOOR_FACTOR = 3    // on the rays of the floor where the first samples found a shadow
};

static const double LATTICE_STEP = 0.3819660112501051;  // across, of the candidates of a dome: the golden section
static const double LEAST_RESPONSE = 1e-4;              // of a candidate, below which no shadow ray is traced
static const double LEAST_PILE = 0.015;                 // multiple scattering below which hair is taken for a deep pile
static const double LEAST_SQUARE = 1e-6;                // of a cosine: keeps directions above the horizon
static const double FLOOR_OFFSET = 1e-4;                // start of rays above the floor, in half heights of the view
static const double UNSHADOWED = 0.999;                 // visibility from which the floor counts as plain
static const double DARKEST_FLOOR = 0.08;  // share of the floor's light that no shadow takes: light between surfaces
static const double EVEN_SHARE = 0.01;     // of a candidate's light that counts whatever the surface scatters
static const double FAR_SHARE = 0.9999;    // of the distance to a lamp: its shadow rays end before it

// Transmittance after n strands and after n water surfaces. Water refracts light away from one place towards another,
// so on average it casts a light shadow.
static const double STRAND_TRANSMITTANCE[FLOOR_STRANDS + 1] = {1, 0.42, 0.15, 0};
static const double WATER_TRANSMITTANCE[MAX_WATER + 1] = {1, 0.76, 0.60, 0.50, 0.42, 0.35, 0};

//---------------------------------------------------------------------------------------------- rays

typedef struct ShadowContext {
  struct RTCIntersectContext embree;  // first member: Embree passes a pointer to it to the filter
  int crossings, water;               // strands and water surfaces crossed
  int limit;                          // strands that block the ray
} ShadowContext;

// Counts the crossings; the count does not depend on the order in which Embree finds the hits.
void rv_view_attenuate(const struct RTCFilterFunctionNArguments* arguments) {
  ShadowContext* context = (ShadowContext*)arguments->context;
  bool water = arguments->geometryUserPtr != NULL;
  if (water ? ++context->water < MAX_WATER : ++context->crossings < context->limit) arguments->valid[0] = 0;
}

// A shadow ray: strands crossed, at most `limit`, and the transmittance of the rest, 0 where something solid blocks it.
static double cast(const RvShader* s, RvVec3 from, RvVec3 direction, double near, double far, int limit, float time,
                   int* strands, uint64_t* rays) {
  ShadowContext context = {.limit = limit};
  rtcInitIntersectContext(&context.embree);
  struct RTCRay ray = {.org_x = (float)from.x,
                       .org_y = (float)from.y,
                       .org_z = (float)from.z,
                       .dir_x = (float)direction.x,
                       .dir_y = (float)direction.y,
                       .dir_z = (float)direction.z,
                       .tnear = (float)near,
                       .tfar = (float)far,
                       .time = time,
                       .mask = ~0u};
  rtcOccluded1(s->scene->scene, &context.embree, &ray);
  ++*rays;
  *strands = context.crossings;
  return ray.tfar < 0 ? 0 : WATER_TRANSMITTANCE[context.water];
}

// Grey transmittance of a shadow ray, 0 (blocked) to 1.
static double transmittance(const RvShader* s, RvVec3 from, RvVec3 direction, double near, double far, float time,
                            uint64_t* rays) {
  int strands;
  double open = cast(s, from, direction, near, far, FLOOR_STRANDS, time, &strands, rays);
  return open * STRAND_TRANSMITTANCE[strands < FLOOR_STRANDS ? strands : FLOOR_STRANDS];
}

//---------------------------------------------------------------------------------------------- directions

// Vector from components in a frame about n.
static RvVec3 from_frame(RvVec3 n, double x, double y, double z) {
  RvVec3 a = rv_perpendicular(n), b = rv_cross(n, a);
  return rv_mad(rv_mad(rv_scale(n, z), x, a), y, b);
}

// Point of the unit circle at the angle 2 pi u. Taylor polynomials over an eighth of a turn are accurate to 4e-5, which
// suffices for sample directions.
void rv_view_shade_circle(double u, double* x, double* y) {
  double turn = 4 * u;
  double quadrant = floor(turn + 0.5);
  double a = (turn - quadrant) * (RV_PI / 2);
  double a2 = a * a;
  double s = a * (1 - a2 / 6 * (1 - a2 / 20)), c = 1 - a2 / 2 * (1 - a2 / 12 * (1 - a2 / 30));
  int q = (int)quadrant & 3;
  *x = q == 0 ? c : q == 1 ? -s : q == 2 ? -c : s;
  *y = q == 0 ? s : q == 1 ? c : q == 2 ? -s : -c;
}

// Direction of the hemisphere about n with cosine density.
static RvVec3 cosine_direction(RvVec3 n, const double u[2]) {
  double r = sqrt(u[0]), x, y;
  rv_view_shade_circle(u[1], &x, &y);
  return from_frame(n, r * x, r * y, sqrt(fmax(1 - u[0], LEAST_SQUARE)));
}

// Uniform direction.
static RvVec3 sphere_direction(const double u[2]) {
  double z = 1 - 2 * u[0], r = sqrt(fmax(1 - z * z, 0)), x, y;
  rv_view_shade_circle(u[1], &x, &y);
  return rv_vec3(r * x, z, r * y);
}

//---------------------------------------------------------------------------------------------- lights

// A direction from which light may arrive.
typedef struct Candidate {
  RvVec3 direction;
  RvVec3 light;   // that it scatters to the eye unshadowed: over the density of its sampling, by the balance heuristic
  double far;     // length of its shadow ray
  double target;  // brightness that it would bring unshadowed, about: the chance of being traced
} Candidate;

// The candidates of one hit.
typedef struct Choices {
  Candidate list[MAX_CANDIDATES];
  int count;
  double sum;  // of the targets
} Choices;

// Rec. 709 luminance.
static double luminance(RvVec3 c) {
  return 0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z;
}

// Adds a candidate; `f`: what the surface scatters from there.
static void propose(Choices* c, const RvSurface* surface, RvVec3 f, RvVec3 direction, RvVec3 light, double far) {
  double even = surface->kind == RV_PART_HAIR ? EVEN_SHARE / (4 * RV_PI) : 0;
  double target = luminance(rv_mul(f, light)) + even * luminance(light);
  if (!(target > LEAST_RESPONSE * LEAST_RESPONSE) || !isfinite(target) || c->count >= MAX_CANDIDATES) return;
  c->list[c->count++] = (Candidate){direction, rv_mul(f, light), far, target};
  c->sum += target;
}

// Length of a shadow ray to a lamp.
static double reach_of(const RvShader* s, const RvLamp* lamp, double distance) {
  return fmin(isfinite(distance) ? FAR_SHARE * distance : s->far, lamp->reach);
}

// Candidates of a lamp a sample, by its own brightness.
static int choices_of(const RvLamp* lamp) {
  return lamp->soft_sky ? 0 : lamp->dome ? DOME_CHOICES : 1;
}

// Candidates of each lamp, by the lamp's own brightness. Those of a dome are a lattice, so that they complement each
// other.
static void sample_lamps(const RvShader* s, const RvSurface* surface, Choices* c, RvSampler* sampler) {
  for (size_t i = 0; i < s->lamps->count; ++i) {
    const RvLamp* lamp = &s->lamps->list[i];
    double u[2], density;
    int choices = choices_of(lamp);
    if (choices) rv_view_sampler_next(sampler, u);
    for (int k = 0; k < choices; ++k) {
      double down = u[0] + (double)k / choices, across = u[1] + k * LATTICE_STEP;
      const double v[2] = {down - floor(down), across - floor(across)};
      RvLampRay ray;
      if (!rv_view_lamp_sample(lamp, surface->start, v, &ray)) continue;
      RvVec3 f = rv_view_scatter(surface, ray.direction, &density);
      double weight = ray.density > 0 ? 1 / (choices * ray.density + density) : 1;
      propose(c, surface, f, ray.direction, rv_scale(ray.radiance, weight), reach_of(s, lamp, ray.distance));
    }
  }
}

// A direction by what the surface scatters, and a candidate for each lamp that is there.
static void sample_surface(const RvShader* s, const RvSurface* surface, Choices* c, RvSampler* sampler) {
  double u[2], v[2], density;
  rv_view_sampler_next(sampler, u);
  rv_view_sampler_next(sampler, v);
  RvVec3 d = rv_view_scatter_sample(surface, u, v);
  RvVec3 f = rv_view_scatter(surface, d, &density);
  for (size_t i = 0; i < s->lamps->count; ++i) {
    const RvLamp* lamp = &s->lamps->list[i];
    RvLampRay ray = {.radiance = rv_view_room_sky(s, d), .distance = INFINITY};
    if (!lamp->soft_sky && !rv_view_lamp_towards(lamp, surface->start, d, &ray)) continue;
    double weight = 1 / (density + choices_of(lamp) * ray.density);
    propose(c, surface, f, d, rv_scale(ray.radiance, weight), reach_of(s, lamp, ray.distance));
  }
}

// Traces a candidate: the light that arrives and is scattered to the eye.
static RvVec3 trace_candidate(const RvShader* s, const RvSurface* surface, const Candidate* c, RvSampler* sampler,
                              uint64_t* rays) {
  int limit = surface->kind == RV_PART_HAIR ? surface->crossings : FLOOR_STRANDS, strands;
  double open = cast(s, surface->start, c->direction, surface->ray_near, c->far, limit, sampler->time, &strands, rays);
  if (!(open > 0)) return rv_vec3(0, 0, 0);
  return rv_scale(rv_mul(c->light, rv_view_scatter_through(surface, strands)), open);
}

// Counts the strands in a direction into which a hair sends light: they return part of it.
static void find_thickness(const RvShader* s, RvSurface* surface, RvSampler* sampler, uint64_t* rays) {
  if (luminance(surface->pile) < LEAST_PILE) return;
  double u[2], v[2], density;
  int strands;
  rv_view_sampler_next(sampler, u);
  rv_view_sampler_next(sampler, v);
  RvVec3 d = rv_view_scatter_sample(surface, u, v);
  double open =
      cast(s, surface->start, d, surface->ray_near, s->far, surface->crossings, sampler->time, &strands, rays);
  surface->pile = rv_vec3(0, 0, 0);
  RvVec3 sent = rv_view_scatter(surface, d, &density);
  rv_view_hair_thickness(surface, rv_scale(sent, 1 / density), open > 0 ? strands : surface->crossings);
}

RvVec3 rv_view_shade(const RvShader* s, RvSurface* surface, RvSampler* sampler, uint64_t* rays) {
  bool hair = surface->kind == RV_PART_HAIR;
  Choices c;
  c.count = 0;
  c.sum = 0;
  if (hair) find_thickness(s, surface, sampler, rays);
  sample_lamps(s, surface, &c, sampler);
  sample_surface(s, surface, &c, sampler);
  RvVec3 sum = {0, 0, 0};
  int lamps = (int)s->lamps->count, picks = hair ? HAIR_PICKS : lamps > MESH_PICKS ? lamps : MESH_PICKS;
  if (picks >= c.count) {
    for (int i = 0; i < c.count; ++i) sum = rv_add(sum, trace_candidate(s, surface, &c.list[i], sampler, rays));
    return sum;
  }
  // Systematic resampling: evenly spaced marks on the sum of the targets.
  double u[2], below = 0;
  rv_view_sampler_next(sampler, u);
  for (int i = 0, mark = 0; i < c.count && mark < picks; ++i) {
    below += c.list[i].target;
    while (mark < picks && (mark + u[0]) / picks * c.sum < below) {
      RvVec3 light = trace_candidate(s, surface, &c.list[i], sampler, rays);
      sum = rv_mad(sum, c.sum / (picks * c.list[i].target), light);
      mark++;
    }
  }
  return sum;
}

// Visible share of the sky, by one ray or several.
double rv_view_shade_open(const RvShader* s, const RvSurface* surface, RvSampler* sampler, uint64_t* rays) {
  int count = s->options->sky_samples * (surface->kind == RV_PART_HAIR ? 1 : 2);
  bool hair = surface->kind == RV_PART_HAIR;
  double open = 0;
  for (int i = 0; i < count; ++i) {
    double u[2];
    rv_view_sampler_next(sampler, u);
    // Hair receives light from all sides but not from inside the head: directions lean outwards.
    RvVec3 d = hair ? rv_normalize(rv_mad(sphere_direction(u), 0.6, surface->normal), surface->normal)
                    : cosine_direction(surface->normal, u);
    open += transmittance(s, surface->start, d, surface->ray_near, s->sky_ray_length, sampler->time, rays) / count;
  }
  return count ? open : 1;
}

// Colour of the attribute, shaded lightly by facing and occlusion so that shape shows; grey where there is no value.
RvVec3 rv_view_shade_data(const RvShader* s, const RvSurface* surface, RvSampler* sampler, uint64_t* rays) {
  RvVec3 color = {0.18, 0.18, 0.18};
  const double* range = s->data_range;
  if (!isnan(surface->value)) {
    double span = range[1] - range[0], t = span > 0 ? (surface->value - range[0]) / span : 0.5;
    color = s->options->view->label ? rv_view_label_color(surface->value) : rv_view_color(rv_clamp(t, 0, 1));
  }
  double facing = fabs(rv_dot(surface->facing, surface->view));
  if (surface->kind == RV_PART_HAIR) facing = 1;
  return rv_scale(color, (0.65 + 0.35 * facing) * (0.7 + 0.3 * rv_view_shade_open(s, surface, sampler, rays)));
}

//---------------------------------------------------------------------------------------------- floor

// Direction from the floor towards a lamp, by the irradiance that it brings; *far: length of the shadow ray. False if
// no light comes from there.
static bool floor_direction(const RvShader* s, const RvLamp* lamp, RvVec3 start, const double u[2], RvVec3* direction,
                            double* far) {
  RvLampRay ray = {.distance = INFINITY};
  if (lamp->kind == RV_LIGHT_DOME)
    ray.direction = lamp->floor ? rv_view_lamp_floor_direction(lamp, u) : cosine_direction(rv_vec3(0, 1, 0), u);
  else if (!rv_view_lamp_sample(lamp, start, u, &ray))
    return false;
  *direction = ray.direction;
  *far = reach_of(s, lamp, ray.distance);
  return ray.direction.y > 0;
}

// Visibility of the lamps from the floor: that of one lamp, chosen by its light there.
static double floor_visibility(const RvShader* s, RvVec3 start, RvSampler* sampler, uint64_t* rays) {
  double weight[RV_VIEW_MAX_LAMPS + 1], sum = 0, u[2], v[2], far;
  for (size_t i = 0; i < s->lamps->count; ++i) {
    weight[i] = rv_view_lamp_on_floor(&s->lamps->list[i], start);
    sum += weight[i];
  }
  if (!(sum > 0)) return 1;
  rv_view_sampler_next(sampler, v);
  size_t i = 0;
  if (s->lamps->count > 1) {
    rv_view_sampler_next(sampler, u);
    for (double below = weight[0]; i + 1 < s->lamps->count && u[0] * sum >= below; below += weight[i]) i++;
  }
  RvVec3 direction;
  if (!floor_direction(s, &s->lamps->list[i], start, v, &direction, &far)) return 1;
  return transmittance(s, start, direction, 0, fmin(far, s->far), sampler->time, rays);
}

// The floor has the colour of the backdrop, so that only shadows show. It fades out between 3 and 6 view half-heights
// from the target.
RvVec3 rv_view_shade_floor(const RvShader* s, RvVec3 position, RvVec3 base, RvSampler* sampler, uint64_t* rays,
                           double* through, bool* plain) {
  // Fade with the distance from the target.
  double from_middle = rv_length(rv_vec3(position.x, 0, position.z)) / s->lens->half_height;
  double fade = rv_clamp((6 - from_middle) / 3, 0, 1), u[2];
  *through = 1;
  *plain = true;
  if (fade <= 0) return base;
  RvVec3 up = {0, 1, 0}, start = rv_mad(position, FLOOR_OFFSET * s->lens->half_height, up);
  // A plain floor shows noise more than hair does: after the first samples found a shadow, more rays are traced.
  int factor = s->options->samples < RV_VIEW_FEW_SAMPLES ? 1 : sampler->index < MANY_SAMPLES ? 2 : FLOOR_FACTOR;
  int count = s->options->sky_samples * factor;
  double lit = 0, open = 0;
  bool occlusion = s->options->pass == RV_VIEW_OCCLUSION;
  for (int i = 0; i < count; ++i) {
    if (!occlusion) lit += floor_visibility(s, start, sampler, rays) / count;
    if (!occlusion) continue;
    rv_view_sampler_next(sampler, u);
    open += transmittance(s, start, cosine_direction(up, u), 0, s->sky_ray_length, sampler->time, rays) / count;
  }
  *through = occlusion && count ? open : 1;
  double seen = occlusion ? *through : count ? lit : 1;
  *plain = seen > UNSHADOWED;
  return rv_scale(base, 1 - fade * (1 - DARKEST_FLOOR) * (1 - seen));
}
