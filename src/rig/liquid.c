// The rig of the liquid: particles in boxes, solids of simple shapes, and sums of volume and momentum over the
// particles.
#include "rig/liquid.h"

#include "base/rng.h"

RvResult rv_rig_liquid_new(RvLiquidRig* rig, const RvLiquidModel* model, RvError* error) {
  *rig = (RvLiquidRig){0};
  return rv_liquid_init(&rig->liquid, model) ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
}

void rv_rig_liquid_free(RvLiquidRig* rig) {
  rv_liquid_free(&rig->liquid);
}

void rv_rig_liquid_solid(RvLiquidRig* rig, const RvSolidShape* shape) {
  if (rig->shapes.count < sizeof rig->shape / sizeof *rig->shape) rig->shape[rig->shapes.count++] = *shape;
  rig->shapes.shape = rig->shape;
  rig->liquid.inputs.solid = rv_liquid_solid_shapes_distance;
  rig->liquid.inputs.solid_user = &rig->shapes;
}

// A tank is a box turned inside out.
void rv_rig_liquid_tank(RvLiquidRig* rig, const double low[3], const double high[3], unsigned open_sides) {
  RvSolidShape s = {.kind = RV_SHAPE_BOX, .inside_out = true, .open_sides = open_sides};
  for (int a = 0; a < 3; ++a) {
    s.center[a] = (low[a] + high[a]) / 2;
    s.size[a] = (high[a] - low[a]) / 2;
  }
  rv_rig_liquid_solid(rig, &s);
}

// Sites at half a cell, so eight a cell; the volume of each is an eighth of a cell.
RvResult rv_rig_liquid_fill(RvLiquidRig* rig, const double low[3], const double high[3], double jitter,
                            RvError* error) {
  RvLiquid* l = &rig->liquid;
  double dx = l->model.dx;
  // Range of sites, to the nearest.
  int64_t begin[3], end[3];
  for (int a = 0; a < 3; ++a) {
    begin[a] = (int64_t)floor((low[a] - l->model.origin[a]) / dx * 2 + 0.5);
    end[a] = (int64_t)floor((high[a] - l->model.origin[a]) / dx * 2 + 0.5);
  }
  size_t count = l->particles.count;
  if (end[0] > begin[0] && end[1] > begin[1] && end[2] > begin[2])
    count += (size_t)((end[0] - begin[0]) * (end[1] - begin[1]) * (end[2] - begin[2]));
  RvResult result = rv_liquid_particles_reserve(&l->particles, count, error);
  if (result) return result;
  // One particle a site, moved by its own random numbers (stream 11).
  for (int64_t k = begin[2]; k < end[2]; ++k)
    for (int64_t j = begin[1]; j < end[1]; ++j)
      for (int64_t i = begin[0]; i < end[0]; ++i) {
        int64_t place[3] = {i, j, k};
        double cell[3];
        for (int a = 0; a < 3; ++a)
          cell[a] =
              0.5 * ((double)place[a] + 0.5 + jitter * (rv_random(11, (uint64_t)l->next_id, (uint64_t)a, 0) - 0.5));
        size_t at = rv_liquid_particles_add(&l->particles, cell);
        if (at == SIZE_MAX) return rv_fail(error, RV_NO_MEMORY, "out of memory");
        l->particles.volume[at] = dx * dx * dx / 8;
        l->particles.id[at] = l->next_id++;
      }
  return RV_OK;
}

// Particles are stored relative to their cell.
RvVec3 rv_rig_liquid_at(const RvLiquidRig* rig, size_t i) {
  double cell[3];
  const RvLiquidModel* m = &rig->liquid.model;
  rv_liquid_particles_place(&rig->liquid.particles, i, cell);
  return rv_vec3(m->origin[0] + m->dx * cell[0], m->origin[1] + m->dx * cell[1], m->origin[2] + m->dx * cell[2]);
}

// Sums over particles with their affine velocity C (APIC, WH-34).
RvLiquidSums rv_rig_liquid_sums(const RvLiquidRig* rig, RvVec3 about) {
  const RvParticles* p = &rig->liquid.particles;
  double dx = rig->liquid.model.dx, density = rig->liquid.model.density;
  RvLiquidSums s = {0};
  for (size_t i = 0; i < p->count; ++i) {
    double m = density * p->volume[i];
    RvVec3 at = rv_rig_liquid_at(rig, i);
    RvVec3 x = rv_sub(at, about);
    RvVec3 v = {p->v[0][i], p->v[1][i], p->v[2][i]};
    RvVec3 spin = {0, 0, 0};
    for (int a = 0; a < 3; ++a) {
      // Spin of the affine part: first moment of the momentum along axis a, crossed with that axis. The faces of axis a
      // lie at whole cells along a and at halves across it; f is the place between two of them.
      double d[3];
      for (int b = 0; b < 3; ++b) {
        double y = (double)p->x[b][i] + (a == b ? 0 : 0.5), f = y - floor(y);
        d[b] = dx * dx * f * (1 - f) * (double)p->c[3 * a + b][i];
      }
      RvVec3 axis = {a == 0, a == 1, a == 2};
      spin = rv_add(spin, rv_cross(rv_vec3_load64(d), axis));
    }
    RvVec3 angular = rv_scale(rv_add(rv_cross(x, v), spin), m);
    s.volume += p->volume[i];
    s.center = rv_mad(s.center, p->volume[i], at);
    s.linear = rv_mad(s.linear, m, v);
    s.angular = rv_add(s.angular, angular);
    s.scale_linear += m * rv_length(v);
    s.scale_angular += rv_length(angular);
  }
  if (s.volume > 0) s.center = rv_scale(s.center, 1 / s.volume);
  return s;
}
