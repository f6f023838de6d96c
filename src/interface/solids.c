// Solids as fields (VI-9): what the half space behind a plane adds to the density, and how it pulls.
//
// A lattice of particles in a solid would pin contact lines. The integrals of the kernels over a half space depend on
// the distance alone, so a drop slides on a smooth solid as the pair forces say, and the contact angle follows from the
// coefficient between solid and liquid by Young and Dupre: cos = 2 c_sf / c_ff - 1 (E34).
#include <math.h>

#include "base/parallel.h"
#include "interface/solver.h"
#include "math/scalar.h"

enum { GRAIN = 1024 };  // particles a task

// Distance that particles keep from solids whatever pushes them, in spacings.
static const double MARGIN = 0.2;
// Contact angles that were measured and the angles used for them, degrees. Liquid has structure next to a solid that
// has none, and thin caps feel the support of the pair force.
static const RvSolidAngle table[] = {
#define RV_PAIR_FACTOR(form, factor)
#define RV_SOLID_ANGLE(measured, used) {(measured), (used)},
#include "interface/measured.def"
#undef RV_PAIR_FACTOR
#undef RV_SOLID_ANGLE
};
enum { ANGLES = sizeof table / sizeof *table };

const RvSolidAngle* rv_interface_angles(int* count) {
  *count = ANGLES;
  return table;
}

double rv_interface_used_angle(double angle) {
  double degrees = rv_clamp(angle * 180 / RV_PI, 0, 180);
  int k = 0;
  while (k + 2 < ANGLES && degrees > table[k + 1].measured) ++k;
  const RvSolidAngle* below = &table[k];
  const RvSolidAngle* above = &table[k + 1];
  double share = (degrees - below->measured) / (above->measured - below->measured);
  return rv_radians(below->used + share * (above->used - below->used));
}

double rv_interface_adhesion(const RvInterfaceModel* m, int phase, double angle) {
  return 0.5 * (1 + rv_cos(rv_interface_used_angle(angle))) * m->coefficient[phase][phase];
}

// Whether particle i is of a body: bodies meet solids as a whole (bodies.c).
static bool is_rigid(const RvInterfaceSolver* s, size_t i) {
  return s->bodies.row_body && s->bodies.row_body[s->bulk->particles.row[i]];
}

// Bodies keep their shape: their particles are not moved out of solids one by one.
static void keep_shape_some(void* arg, size_t begin, size_t end) {
  const RvInterfaceSolver* s = arg;
  const RvParticles* p = &s->bulk->particles;
  for (size_t i = begin; i < end; ++i) {
    double cell[3];
    if (!is_rigid(s, i)) continue;
    rv_liquid_particles_place(p, i, cell);
    for (size_t a = 0; a < 3; ++a) s->work.place[3 * i + a] = cell[a] * s->model.dx;
  }
}

RvResult rv_interface_meet_solids(RvInterfaceSolver* s, RvError* error) {
  RvInterfaceWork* w = &s->work;
  size_t count = s->bulk->particles.count;
  if (!s->solids.walls && !s->solids.ncollider) return RV_OK;
  w->planes = RV_TAKE(s->arena, RvContactPlanes, count + 1);
  w->near = RV_TAKE(s->arena, uint8_t, count + 1);
  if (!w->planes || !w->near)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the solids around %zu particles", count);
  s->report.buried = 0;
  RvPlaneSearch search = {.solids = &s->solids,
                          .reach = rv_interface_support(&s->model),
                          .margin = MARGIN * s->model.spacing,
                          .count = count,
                          .place = w->place,
                          .planes = w->planes,
                          .near = w->near,
                          .buried = &s->report.buried};
  RvResult result = rv_contact_planes_find(&search, s->arena, error);
  if (!result && s->bodies.row_body) rv_parallel_for(count, GRAIN, keep_shape_some, s);
  return result;
}

void rv_interface_feel_solids(const RvInterfaceSolver* s, size_t k) {
  const RvInterfaceWork* w = &s->work;
  const RvInterfaceSums* m = &w->sums;
  size_t i = w->set.from[k];
  if (!w->near || !w->near[i] || is_rigid(s, i)) return;
  const RvContactPlanes* planes = &w->planes[i];
  const int phase = m->phase[k];
  const double support = w->lattice.support;
  float* solid = m->solid + 4 * k;
  float free = 1;
  for (int n = 0; n < planes->count; ++n) {
    const float* normal = planes->plane[n];
    double d = planes->offset[n];
    for (int a = 0; a < 3; ++a) d += (double)normal[a] * w->place[3 * i + (size_t)a];
    d /= support;
    // Density, its gradient and what the solid's own motion adds. Planes at right angles cut the kernel about
    // independently: what is left free is the product of what each leaves free.
    RvSphHalfSums half = rv_sph_half_at(&s->half, (float)(d * s->model.ratio));
    float slope = half.slope * (float)s->model.ratio;
    double moved = 0;
    for (int a = 0; a < 3; ++a) moved += (double)normal[a] * (double)planes->velocity[n][a] * w->dt / support;
    for (int a = 0; a < 3; ++a) solid[a] = solid[a] * (1 - half.share) + free * slope * normal[a];
    solid[3] = solid[3] * (1 - half.share) - free * slope * (float)moved;
    free *= 1 - half.share;
    // The pair force of the half space, per volume of a whole particle as the pairs' own.
    double pull = (double)rv_sph_half_at(&s->pull, (float)d).pull;
    double angle = phase == 1 && s->model.second_angle >= 0 ? s->model.second_angle : (double)planes->angle[n];
    double adhesion = rv_interface_adhesion(&s->model, phase, angle);
    double size = w->dt * w->dt * adhesion * support * support / s->model.phase[phase].density;
    for (int a = 0; a < 3; ++a) m->free_move[4 * k + (size_t)a] += (float)(size * pull) * normal[a];
  }
  m->own[4 * k + 3] = 1 - free;
}

void rv_interface_hold(const RvInterfaceSolver* s, size_t k) {
  const RvInterfaceWork* w = &s->work;
  const RvInterfaceSums* m = &w->sums;
  size_t i = w->set.from[k];
  if (!w->near || !w->near[i] || is_rigid(s, i)) return;
  const RvContactPlanes* planes = &w->planes[i];
  const double support = w->lattice.support;
  float* y = m->move + 4 * k;
  // Push of the solids by the pressure, as a displacement.
  float multiplier = m->press[4 * k + 3] / m->at[4 * k + 3] * m->drift[4 * k + 3];
  const float* solid = m->solid + 4 * k;
  float push = multiplier * sqrtf(solid[0] * solid[0] + solid[1] * solid[1] + solid[2] * solid[2]);
  for (int n = 0; n < planes->count; ++n) {
    const float* normal = planes->plane[n];
    double d = planes->offset[n];
    float own[3];
    float into = 0;
    for (int a = 0; a < 3; ++a) {
      d += (double)normal[a] * w->place[3 * i + (size_t)a];
      own[a] = y[a] - (float)((double)planes->velocity[n][a] * w->dt / support);
      into += own[a] * normal[a];
    }
    // Coulomb's law: friction takes at most its share of the push away from the motion along the solid.
    float along[3];
    float path = 0;
    for (int a = 0; a < 3; ++a) {
      along[a] = own[a] - into * normal[a];
      path += along[a] * along[a];
    }
    path = sqrtf(path);
    float most = planes->friction[n] * push;
    float lost = path > 0 ? (most < path ? most / path : 1) : 0;
    for (int a = 0; a < 3; ++a) y[a] -= lost * along[a];
    // No place comes nearer than the margin.
    float least = (float)((MARGIN * s->model.spacing - d) / support);
    for (int a = 0; a < 3 && into < least; ++a) y[a] += (least - into) * normal[a];
  }
}
