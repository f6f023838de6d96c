// Direct lighting of a hit: soft boxes and sky with soft shadows, which hair and water attenuate; false colours;
// floor.
#include <math.h>
#include <string.h>

#include "math/scalar.h"
#include "view/light.h"
#include "view/view_scene.h"

enum {
  MAX_CROSSINGS = 3,  // strands that block a shadow ray completely
  MAX_WATER = 6,      // water surfaces that block a shadow ray completely
  MANY_SAMPLES = 8,   // samples a pixel from which hair alternates between rim light and sky
  FLOOR_FACTOR = 3    // on the rays of the floor where the first samples found a shadow
};

static const double LEAST_RESPONSE = 1e-3;   // of a light, below which no shadow ray is traced
static const double LEAST_MIRRORED = 0.01;   // reflectance of hair from which the reflection gets a ray of its own
static const double LEAST_SQUARE = 1e-6;     // of a cosine: keeps directions above the horizon
static const double FLOOR_OFFSET = 1e-4;     // start of rays above the floor, in half heights of the view
static const double UNSHADOWED = 0.999;      // visibility from which the floor counts as plain
static const double FLOOR_KEY_SHARE = 0.55;  // of the floor's light that the key lamp gives
static const double FLOOR_SKY_SHARE = 0.45;  // and the sky

// Transmittance after n strands and after n water surfaces. Water refracts light away from one place towards another,
// so on average it casts a light shadow.
static const double STRAND_TRANSMITTANCE[MAX_CROSSINGS + 1] = {1, 0.42, 0.15, 0};
static const double WATER_TRANSMITTANCE[MAX_WATER + 1] = {1, 0.76, 0.60, 0.50, 0.42, 0.35, 0};

//---------------------------------------------------------------------------------------------- rays

typedef struct ShadowContext {
  struct RTCIntersectContext embree;  // first member: Embree passes a pointer to it to the filter
  int crossings, water;               // strands and water surfaces crossed
} ShadowContext;

// Counts the crossings; the count does not depend on the order in which Embree finds the hits.
void rv_view_attenuate(const struct RTCFilterFunctionNArguments* arguments) {
  ShadowContext* context = (ShadowContext*)arguments->context;
  bool water = arguments->geometryUserPtr != NULL;
  if (water ? ++context->water < MAX_WATER : ++context->crossings < MAX_CROSSINGS) arguments->valid[0] = 0;
}

// Transmittance of a shadow ray, 0 (blocked) to 1.
static double transmittance(const RvShader* s, RvVec3 from, RvVec3 direction, double near, double far, float time,
                            uint64_t* rays) {
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
                       .time = time,
                       .mask = ~0u};
  rtcOccluded1(s->scene->scene, &context.embree, &ray);
  ++*rays;
  return ray.tfar < 0 ? 0 : STRAND_TRANSMITTANCE[context.crossings] * WATER_TRANSMITTANCE[context.water];
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

// Direction to a random point of a disc light.
static RvVec3 towards(RvVec3 light, double radius, const double u[2]) {
  double r = radius * sqrt(u[0]), x, y;
  rv_view_shade_circle(u[1], &x, &y);
  return rv_normalize(from_frame(light, r * x, r * y, 1), light);
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

// Rays per light: smooth surfaces show noise that the detail of hair hides.
static int rays_of(const RvSurface* surface) {
  return surface->kind == RV_PART_HAIR ? 1 : 2;
}

// Mean radiance of the sky as attenuated by the scene; *through: its transmittance.
static RvVec3 sky_light(const RvShader* s, const RvSurface* surface, double* through, RvSampler* sampler,
                        uint64_t* rays) {
  RvVec3 sum = {0, 0, 0};
  int count = s->options->sky_samples * rays_of(surface);
  bool hair = surface->kind == RV_PART_HAIR;
  *through = 0;
  for (int i = 0; i < count; ++i) {
    double u[2];
    rv_view_sampler_next(sampler, u);
    // Hair receives light from all sides but not from inside the head: directions lean outwards.
    RvVec3 d = hair ? rv_normalize(rv_mad(sphere_direction(u), 0.6, surface->normal), surface->normal)
                    : cosine_direction(surface->normal, u);
    double open = transmittance(s, surface->start, d, surface->ray_near, s->sky_ray_length, sampler->time, rays);
    *through += open / count;
    sum = rv_mad(sum, open / count, rv_view_room_sky(s, d));
  }
  if (count == 0) {
    *through = 1;
    sum = rv_view_room_sky(s, surface->normal);
  }
  return sum;
}

double rv_view_shade_open(const RvShader* s, const RvSurface* surface, RvSampler* sampler, uint64_t* rays) {
  double through;
  sky_light(s, surface, &through, sampler, rays);
  return through;
}

// Radiance by one soft box, with shadow rays to points of its disc.
static RvVec3 light_from(const RvShader* s, const RvSurface* surface, const RvBox* box, RvSampler* sampler,
                         uint64_t* rays) {
  RvVec3 sum = {0, 0, 0};
  int count = rays_of(surface);
  if (!(box->power.x > 0)) return sum;
  for (int i = 0; i < count; ++i) {
    double u[2];
    rv_view_sampler_next(sampler, u);
    RvVec3 d = towards(box->direction, box->radius, u);
    RvResponse response = rv_view_surface_response(surface, d);
    // Skip the shadow ray where the response is negligible.
    RvVec3 all = rv_add(response.direct, response.scattered);
    if (all.x + all.y + all.z < LEAST_RESPONSE) continue;
    double open = transmittance(s, surface->start, d, surface->ray_near, s->far, sampler->time, rays);
    if (open > 0) sum = rv_mad(sum, 1.0 / count, rv_mul(rv_view_surface_reflect(surface, &response, open), box->power));
  }
  return sum;
}

// Reflection of the room. The highlights of the soft boxes are part of the response and are not added again.
static RvVec3 mirrored(const RvShader* s, const RvSurface* surface, double open, RvSampler* sampler, uint64_t* rays) {
  double u[2] = {0.5, 0.5};
  bool hair = surface->kind == RV_PART_HAIR;
  if (hair) rv_view_sampler_next(sampler, u);
  RvVec3 d;
  double share = rv_view_surface_mirror(surface, u, &d);
  if (hair && share > LEAST_MIRRORED)
    open = transmittance(s, surface->start, d, surface->ray_near, s->sky_ray_length, sampler->time, rays);
  return rv_scale(rv_view_room_sky(s, d), share * open);
}

RvVec3 rv_view_shade(const RvShader* s, const RvSurface* surface, RvSampler* sampler, uint64_t* rays) {
  // With many samples, hair alternates: even samples evaluate the rim light, odd ones the sky, both with twice the
  // weight.
  bool alternate = surface->kind == RV_PART_HAIR && s->options->samples >= MANY_SAMPLES;
  bool odd = sampler->index & 1;
  double weight = alternate ? 2 : 1, through;
  const RvBox* fill = &s->boxes[RV_BOX_FILL];
  RvVec3 sum = light_from(s, surface, &s->boxes[RV_BOX_KEY], sampler, rays);
  if (!alternate || !odd) sum = rv_mad(sum, weight, light_from(s, surface, &s->boxes[RV_BOX_RIM], sampler, rays));
  if (alternate && !odd) return sum;
  // Sky, fill light (occluded like the sky) and reflection of the room.
  RvVec3 ambient = rv_mul(rv_view_surface_ambient(surface), sky_light(s, surface, &through, sampler, rays));
  RvResponse soft = rv_view_surface_response_soft(surface, fill->direction);
  ambient = rv_add(ambient, rv_mul(rv_view_surface_reflect(surface, &soft, through), fill->power));
  ambient = rv_add(ambient, mirrored(s, surface, through, sampler, rays));
  return rv_mad(sum, weight, ambient);
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
  // Visibility of the key lamp and of the sky.
  double key = 0, open = 0;
  // A plain floor shows noise more than hair does: after the first samples found a shadow, more rays are traced.
  int count = s->options->sky_samples * (sampler->index < MANY_SAMPLES ? 1 : FLOOR_FACTOR);
  for (int i = 0; i < count; ++i) {
    rv_view_sampler_next(sampler, u);
    RvVec3 d = towards(s->boxes[RV_BOX_KEY].direction, s->boxes[RV_BOX_KEY].radius, u);
    key += d.y > 0 ? transmittance(s, start, d, 0, s->far, sampler->time, rays) / count : 1.0 / count;
    rv_view_sampler_next(sampler, u);
    open += transmittance(s, start, cosine_direction(up, u), 0, s->sky_ray_length, sampler->time, rays) / count;
  }
  if (count == 0) {
    key = 1;
    open = 1;
  }
  *plain = key > UNSHADOWED && open > UNSHADOWED;
  *through = open;
  return rv_scale(base, 1 - fade * (1 - (FLOOR_KEY_SHARE * key + FLOOR_SKY_SHARE * open)));
}
