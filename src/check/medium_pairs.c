// Checks of the hair medium as particles (HC-1 to HC-8): density, pair forces, and against the grid.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "check/list.h"
#include "math/scalar.h"
#include "rig/continuum.h"

enum { SIDE = 12, STRANDS = SIDE * SIDE, LINKS = 12 };
static const double SPACING = 1e-3;                    // m: of strands, and of the points along them
static const double RADIUS = 40e-6, DENSITY = 1320;    // m, kg/m3, of a hair
static const double HAIRS = 20;                        // a strand

static RvResult lattice_new(RvContinuum* c, RvError* error) {
  double root[STRANDS][2];
  for (int i = 0; i < STRANDS; ++i) {
    root[i][0] = SPACING * (i % SIDE);
    root[i][1] = SPACING * (i / SIDE);
  }
  const RvRigBundleDef def = {.root = (const double(*)[2])root,
                              .strands = STRANDS,
                              .links = LINKS,
                              .length = LINKS * SPACING,
                              .radius = RADIUS,
                              .density = DENSITY,
                              .youngs = 1e9,
                              .shear = 4e8,
                              .hairs = HAIRS};
  return rv_rig_bundle_new(c, &def, error);
}

static RvMediumDef pairs_def(double h) {
  return (RvMediumDef){.law = {.rest_density = 20, .packing_density = 1197, .stiffness = 100, .power = 2},
                       .smoothing = h,
                       .friction = 0.1,
                       .particles = true};
}

// Mean density of the points that the kernel does not carry beyond the lattice.
static double middle_density(const RvMediumPairs* p, double h) {
  const double low = 2 * h, high = (SIDE - 1) * SPACING - 2 * h;
  double sum = 0, count = 0;
  for (size_t i = 0; i < p->points.count; ++i) {
    const double* x = p->points.data[i].x;
    if (x[0] < low || x[0] > high || x[2] < low || x[2] > high || -x[1] < low || -x[1] > high) continue;
    sum += p->points.data[i].density;
    count++;
  }
  return sum / count;
}

// Density of a lattice; and of one that is compressed along x by a tenth in 100 steps, by continuity over the sum.
static RvResult densities(const RvCheckOut* out, RvError* error) {
  static const double h[2] = {2e-3, 1.5e-3};
  static const char* const names[2][2] = {{"lattice_2", "continuity_2"}, {"lattice_1.5", "continuity_1.5"}};
  const double truth = HAIRS * DENSITY * RV_PI * RADIUS * RADIUS / (SPACING * SPACING), dt = 1e-3, rate = -1;
  RvResult result = RV_OK;
  for (int k = 0; k < 2 && !result; ++k) {
    RvContinuum c = {0};
    RvMediumPairs sum = {0}, flow = {0};
    RvMediumDef def = pairs_def(h[k]);
    result = lattice_new(&c, error);
    if (!result)
      result = rv_medium_pairs_load(&sum, &def, c.model, c.state->x, c.state->v, dt, c.scratch, c.load.force,
                                    c.load.torque, error);
    if (!result) rv_check_emit(out, names[k][0], middle_density(&sum, h[k]) / truth, 1, 0.01);
    def.continuity = true;
    for (int step = 0; step <= 100 && !result; ++step) {
      for (size_t i = 0; i < 3 * c.model->vertices; ++i) c.state->v[i] = 0;
      for (size_t b = 0; b < c.model->nbatch; ++b)
        for (int n = 0; n <= LINKS; ++n)
          for (int lane = 0; lane < RV_LANES; ++lane) {
            size_t at = rv_chain_vertex(&c.model->batches[b], lane, n, 3, 0);
            c.state->v[at] = rate * (c.state->x[at] - 0.5 * (SIDE - 1) * SPACING);
          }
      result = rv_medium_pairs_load(&flow, &def, c.model, c.state->x, c.state->v, dt, c.scratch, c.load.force,
                                    c.load.torque, error);
      for (size_t i = 0; step < 100 && i < 3 * c.model->vertices; ++i) c.state->x[i] += dt * c.state->v[i];
    }
    def.continuity = false;
    if (!result)
      result = rv_medium_pairs_load(&sum, &def, c.model, c.state->x, c.state->v, dt, c.scratch, c.load.force,
                                    c.load.torque, error);
    if (!result)
      rv_check_emit(out, names[k][1], middle_density(&flow, h[k]) / middle_density(&sum, h[k]), 1, 0.01);
    rv_medium_pairs_free(&sum);
    rv_medium_pairs_free(&flow);
    rv_continuum_free(&c);
  }
  return result;
}

RvResult rv_check_pairs_density(const RvCheckOut* out, RvError* error) {
  return densities(out, error);
}

// Sum of forces and of torques of all points, over the sums of their sizes; and of the loads of the links.
RvResult rv_check_pairs_momentum(const RvCheckOut* out, RvError* error) {
  RvContinuum c = {0};
  RvMediumPairs p = {0};
  const RvMediumDef def = pairs_def(2e-3);
  RvResult result = lattice_new(&c, error);
  for (size_t i = 0; !result && i < 3 * c.model->links; ++i) c.state->spin[i] = 40 * rv_random(4, 0, i, 0) - 20;
  if (!result) rv_chain_place(c.model, c.state);
  // crooked strands
  for (int k = 0; k < 20 && !result; ++k) result = rv_continuum_substep(&c, 1e-3, error);
  memset(c.load.force, 0, 6 * c.model->links * sizeof(double));
  if (!result)
    result = rv_medium_pairs_load(&p, &def, c.model, c.state->x, c.state->v, 1e-3, c.scratch, c.load.force,
                                  c.load.torque, error);
  RvVec3 force = {0}, torque = {0}, loads = {0}, moments = {0};
  double size = 0, lever = 0;
  for (size_t i = 0; !result && i < p.points.count; ++i) {
    RvVec3 f = rv_vec3_load64(p.force.data + 3 * i), t = rv_cross(rv_vec3_load64(p.place.data + 3 * i), f);
    force = rv_add(force, f);
    torque = rv_add(torque, t);
    size += rv_length(f);
    lever += rv_length(t);
  }
  for (size_t k = 0; !result && k < c.model->nbatch; ++k)
    for (int lane = 0; lane < c.model->batches[k].lanes; ++lane)
      for (int i = 0; i < LINKS; ++i) {
        const RvChainBatch* b = &c.model->batches[k];
        size_t at = rv_chain_link(b, lane, i, 3, 0);
        RvVec3 f = rv_strand_vector(c.load.force, at);
        loads = rv_add(loads, f);
        RvVec3 joint = rv_strand_vector(c.state->x, rv_chain_vertex(b, lane, i, 3, 0));
        moments = rv_add(moments, rv_add(rv_strand_vector(c.load.torque, at), rv_cross(joint, f)));
      }
  if (!result) {
    rv_check_emit(out, "acts", size > 0, 1, 0);
    rv_check_emit(out, "force", rv_length(force) / size, 0, 1e-12);
    rv_check_emit(out, "torque", rv_length(torque) / lever, 0, 1e-12);
    rv_check_emit(out, "links_force", rv_length(loads) / size, 0, 1e-12);
    rv_check_emit(out, "links_torque", rv_length(moments) / lever, 0, 1e-12);
  }
  rv_medium_pairs_free(&p);
  rv_continuum_free(&c);
  return result;
}
