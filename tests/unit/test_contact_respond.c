// Eight links at a time against the laws of one: forces and energies of contact, friction and bridges, on every path
// with the same bits.
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/rng.h"
#include "contact/law.h"
#include "contact/respond.h"
#include "math/scalar.h"
#include "support/rv_test.h"

#define R 5e-5

static double uniform(uint64_t stream, uint64_t i) {
  return rv_random(31, stream, i, 0);
}

static RvVec3 direction(uint64_t stream, uint64_t i) {
  return rv_normalize(
      rv_vec3(uniform(stream, 3 * i) - 0.5, uniform(stream, 3 * i + 1) - 0.5, uniform(stream, 3 * i + 2) - 0.5),
      rv_vec3(1, 0, 0));
}

static void put3(double to[3][RV_LINKS], int k, RvVec3 x) {
  to[0][k] = x.x;
  to[1][k] = x.y;
  to[2][k] = x.z;
}

// the same on all paths of this machine
static void respond(const RvLinkBlock* link, const RvLawBlock* law, const double* delta, RvLinkResponse* out) {
  rv_contact_respond_lanes(link, law, delta, out);
  for (int isa = 0; isa < RV_ISA_COUNT; ++isa) {
    RvLinkResponse other;
    if (!rv_cpu_force((RvIsa)isa)) continue;
    rv_contact_respond_lanes(link, law, delta, &other);
    assert_memory_equal(out, &other, sizeof other);
  }
  rv_cpu_force(RV_ISA_COUNT);
}

static RvLinkBlock links_of(uint64_t seed, bool slides) {
  RvLinkBlock b = {0};
  for (int k = 0; k < RV_LINKS; ++k) {
    uint64_t i = seed * RV_LINKS + (uint64_t)k;
    put3(b.normal, k, direction(1, i));
    put3(b.origin, k, rv_scale(direction(2, i), R * uniform(3, i)));
    b.reach[k] = 3 * R;
    b.width[k] = (float)R;
    b.stiffness[k] = (float)(1 + uniform(4, i));
    b.friction_limit[k] = slides && k % 3 ? (float)(1e-4 * uniform(5, i)) : 0;
    b.slip[k] = (float)(R * (0.1 + uniform(6, i)));
  }
  return b;
}

// WH-10 and Coulomb's friction: energies as of one link; the force is the slope of the energy
static void dry_links(void** state) {
  (void)state;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    RvLinkBlock b = links_of(seed, true);
    double delta[3][RV_LINKS] __attribute__((aligned(64)));
    double side[3][RV_LINKS] __attribute__((aligned(64)));
    RvLinkResponse at, before, after;
    for (int k = 0; k < RV_LINKS; ++k)
      put3(delta, k, rv_scale(direction(7, seed * RV_LINKS + (uint64_t)k), 4 * R * uniform(8, seed)));
    respond(&b, NULL, delta[0], &at);
    for (int k = 0; k < RV_LINKS; ++k) {
      RvVec3 n = rv_vec3(b.normal[0][k], b.normal[1][k], b.normal[2][k]);
      RvVec3 x = rv_vec3(delta[0][k], delta[1][k], delta[2][k]), o = {b.origin[0][k], b.origin[1][k], b.origin[2][k]};
      double d = rv_dot(n, x), slid = rv_length(rv_sub(rv_mad(x, -d, n), o));
      double energy = rv_contact_force(d, b.reach[k], b.width[k], b.stiffness[k]).energy;
      if (b.friction_limit[k] > 0) energy += rv_contact_friction_force(slid, b.slip[k], b.friction_limit[k]).energy;
      CHECK_NEAR(at.energy[k], energy, 1e-12 * (R * R));
    }
    // without friction, whose force is that of an origin upright on the normal
    b = links_of(seed, false);
    respond(&b, NULL, delta[0], &at);
    for (int axis = 0; axis < 3; ++axis) {
      const double h = 1e-9;
      memcpy(side, delta, sizeof side);
      for (int k = 0; k < RV_LINKS; ++k) side[axis][k] = delta[axis][k] + h;
      rv_contact_respond_lanes(&b, NULL, side[0], &after);
      for (int k = 0; k < RV_LINKS; ++k) side[axis][k] = delta[axis][k] - h;
      rv_contact_respond_lanes(&b, NULL, side[0], &before);
      for (int k = 0; k < RV_LINKS; ++k)
        CHECK_NEAR(at.gradient[axis][k], (after.energy[k] - before.energy[k]) / (2 * h), 1e-5 * R);
    }
  }
}

static RvWetDef bridge_of(uint64_t i) {
  double r = R * (1 + uniform(11, i)), keep = 3 * R * (0.8 + 0.2 * uniform(12, i)), a = 12 * R * uniform(13, i);
  return (RvWetDef){.touch = R + r,
                    .low = keep - (float)R,
                    .start = (float)keep,
                    .turn = 3 * (R + r) - (R + r),
                    .radius = R,
                    .ratio = R / r,
                    .area = i % 7 == 0 ? 0 : a * a,
                    .strength = 1e-4 * uniform(14, i),
                    .spread = i % 3 == 0 ? 0 : (float)(4 * R * uniform(16, i))};
}

// WH-13: the laws of eight are those of one, to what a float holds, at all distances
static void wet_laws(void** state) {
  (void)state;
  RvBridgeTable table = {0};
  rv_contact_bridge_table_begin(&table, RV_PI / 3, RV_PI / 4);
  assert_true(rv_contact_bridge_table_make(&table, 0.25, 1));
  int with = 0, pushed = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    RvWetLanes in = {0};
    RvWetLaw one[RV_LINKS];
    RvLawBlock law = {0}, other = {0};
    float begin[RV_LINKS] __attribute__((aligned(64)));
    float push[RV_LINKS] __attribute__((aligned(64)));
    float other_push[RV_LINKS] __attribute__((aligned(64)));
    RvLinkBlock b = {0};
    bool pulls[RV_LINKS];
    for (int k = 0; k < RV_LINKS; ++k) {
      RvWetDef d = bridge_of(seed * RV_LINKS + (uint64_t)k);
      pulls[k] = rv_contact_wet_law(&table, &d, &one[k]);
      with += pulls[k];
      in.area[k] = d.area;
      in.rupture[k] = table.rupture;
      in.table[k] = &table;
      in.touch[k] = (float)d.touch;
      in.start[k] = (float)d.start;
      in.width[k] = (float)R;
      in.turn[k] = (float)d.turn;
      in.radius[k] = (float)d.radius;
      in.ratio[k] = (float)d.ratio;
      in.spread[k] = (float)d.spread;
      in.distance[k] = (float)(R * (1 + 8 * uniform(15, seed * RV_LINKS + (uint64_t)k)));
      law.strength[k] = d.strength;
      b.normal[0][k] = 1;
      b.width[k] = 1;
    }
    other = law;
    rv_contact_wet_law_lanes(&in, RV_LINKS, &law, begin, push);
    for (int isa = 0; isa < RV_ISA_COUNT; ++isa) {
      if (!rv_cpu_force((RvIsa)isa)) continue;
      rv_contact_wet_law_lanes(&in, RV_LINKS, &other, begin, other_push);
      assert_memory_equal(&law, &other, sizeof law);
      assert_memory_equal(push, other_push, sizeof push);
    }
    rv_cpu_force(RV_ISA_COUNT);
    for (int k = 0; k < RV_LINKS; ++k) {
      assert_int_equal(pulls[k], law.rupture[k] > 0);
      if (pulls[k]) CHECK_NEAR(begin[k], rv_contact_wet_begin(&one[k]), 1e-6 * R);
      // as forces below
      CHECK_NEAR(law.strength[k] * push[k], rv_contact_wet_push(&one[k], in.distance[k]), 1e-5 * law.strength[k]);
      pushed += push[k] > 0;
    }
    for (int step = 0; step < 60; ++step) {
      double delta[3][RV_LINKS] __attribute__((aligned(64))) = {{0}};
      RvLinkResponse at;
      for (int k = 0; k < RV_LINKS; ++k) delta[0][k] = R * (1 + 0.4 * step);
      respond(&b, &law, delta[0], &at);
      for (int k = 0; k < RV_LINKS; ++k) {
        RvWetForce f = pulls[k] ? rv_contact_wet_force(&one[k], delta[0][k]) : (RvWetForce){0};
        // 6e-8 of places and knots, and a law that may rise from 0 to a few strengths within a tenth of its way
        double most = law.strength[k];
        CHECK_NEAR(at.energy[k], f.energy, 1e-5 * most * R);
        CHECK_NEAR(at.gradient[0][k], f.force, 1e-5 * most);
        CHECK_NEAR(at.hessian[0][k], rv_max(f.slope, 0), 1e-4 * most / R);
      }
    }
  }
  assert_true(with > 400 && pushed > 100);
  rv_contact_bridge_table_free(&table);
}

RV_TESTS(cmocka_unit_test(dry_links), cmocka_unit_test(wet_laws))
