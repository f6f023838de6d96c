// Sums over the ends of links, x, y and z at once, against sums one by one: the same bits on every path.
#include <string.h>

#include "base/cpu.h"
#include "base/rng.h"
#include "contact/at_ends.h"
#include "strand/rod.h"
#include "support/rv_test.h"

enum { VERTICES = 7, ENDS = 200, LINKS = 150 };
enum { VERTEX = 4 * RV_LANES, UNKNOWNS = VERTICES * VERTEX, FIRST = 3 * VERTEX };
enum { ROW = (RV_ROD_BAND + 1) * RV_LANES, BAND = 4 * VERTICES * ROW };

static RvContactEnd ends[ENDS];
static RvEndValue values[ENDS];
static RvLinkEnergy energies[LINKS];
static RvSym3f hessian[LINKS];

static double uniform(uint64_t stream, uint64_t i) {
  return 2 * rv_random(17, stream, i, 0) - 1;
}

// a whole number below `limit`
static uint64_t number(uint64_t stream, uint64_t i, int limit) {
  return (uint64_t)(rv_random(17, stream, i, 0) * limit);
}

static void fill(double* out, size_t count, uint64_t stream) {
  for (size_t i = 0; i < count; ++i) out[i] = uniform(stream, i);
}

// ends at random places, several at one vertex; some values are zeros of either sign
static RvBatchEnds make_ends(void) {
  for (uint64_t k = 0; k < ENDS; ++k) {
    uint64_t vertex = number(1, k, VERTICES - 1), lane = number(2, k, RV_LANES);
    ends[k] = (RvContactEnd){.t = k % 9 ? (float)rv_random(17, 3, k, 0) : 0,
                             .unknown = (uint32_t)(FIRST + vertex * VERTEX + lane),
                             .link = (uint32_t)number(4, k, 2 * LINKS),
                             .other = (uint32_t)number(5, k, ENDS)};
    values[k] = (RvEndValue){rv_vec3(uniform(6, k), k % 5 ? uniform(7, k) : -0.0, uniform(8, k)), 0};
  }
  for (uint64_t k = 0; k < LINKS; ++k) {
    energies[k] = (RvLinkEnergy){rv_vec3(uniform(9, k), k % 7 ? uniform(10, k) : 0.0, uniform(11, k)), uniform(12, k)};
    for (uint64_t i = 0; i < 8; ++i) hessian[k].m[i] = i % 4 == 3 ? 0 : (float)uniform(13 + i, k);
  }
  return (RvBatchEnds){ends, ENDS, FIRST, VERTICES};
}

// the next path of this machine from `isa` on; RV_ISA_COUNT after the last
static int next_path(int isa) {
  while (isa < RV_ISA_COUNT && !rv_cpu_force((RvIsa)isa)) ++isa;
  if (isa == RV_ISA_COUNT) rv_cpu_force(RV_ISA_COUNT);
  return isa;
}

static double* number_of(double* from, const RvContactEnd* e, int side, int axis) {
  return from + e->unknown - FIRST + side * VERTEX + axis * RV_LANES;
}

static void values_at_ends(void** state) {
  (void)state;
  RvBatchEnds at = make_ends();
  double in[UNKNOWNS] __attribute__((aligned(64)));
  RvEndValue out[ENDS];
  fill(in, UNKNOWNS, 30);
  for (int isa = next_path(0); isa < RV_ISA_COUNT; isa = next_path(isa + 1)) {
    rv_contact_gather_ends(&at, in, out);
    for (int k = 0; k < ENDS; ++k) {
      double t = (double)ends[k].t, got[3] = {out[k].x.x, out[k].x.y, out[k].x.z};
      for (int a = 0; a < 3; ++a) {
        double expected = *number_of(in, &ends[k], 0, a) * (1 - t) + *number_of(in, &ends[k], 1, a) * t;
        assert_memory_equal(&got[a], &expected, sizeof expected);
      }
    }
  }
}

static void gradients_of_ends(void** state) {
  (void)state;
  RvBatchEnds at = make_ends();
  double start[UNKNOWNS], expected[UNKNOWNS], out[UNKNOWNS] __attribute__((aligned(64)));
  fill(start, UNKNOWNS, 31);
  memcpy(expected, start, sizeof start);
  for (int k = 0; k < ENDS; ++k) {
    double t = (double)ends[k].t, sign = ends[k].link % 2 ? -1 : 1;
    RvVec3 g = rv_scale(energies[ends[k].link / 2].gradient, sign);
    double f[3] = {g.x, g.y, g.z};
    for (int a = 0; a < 3; ++a) {
      *number_of(expected, &ends[k], 0, a) += (1 - t) * f[a];
      *number_of(expected, &ends[k], 1, a) += t * f[a];
    }
  }
  for (int isa = next_path(0); isa < RV_ISA_COUNT; isa = next_path(isa + 1)) {
    memcpy(out, start, sizeof start);
    rv_contact_push_ends(&at, energies, out);
    assert_memory_equal(out, expected, sizeof out);
  }
}

static void product_at_ends(void** state) {
  (void)state;
  RvBatchEnds at = make_ends();
  double start[UNKNOWNS], expected[UNKNOWNS], out[UNKNOWNS] __attribute__((aligned(64)));
  fill(start, UNKNOWNS, 32);
  memcpy(expected, start, sizeof start);
  for (int k = 0; k < ENDS; ++k) {
    const float* m = hessian[ends[k].link / 2].m;
    RvVec3 v = values[ends[k].other].x;
    double t = (double)ends[k].t;
    double f[3] = {(double)m[0] * v.x + (double)m[1] * v.y + (double)m[2] * v.z,
                   (double)m[1] * v.x + (double)m[4] * v.y + (double)m[5] * v.z,
                   (double)m[2] * v.x + (double)m[5] * v.y + (double)m[6] * v.z};
    for (int a = 0; a < 3; ++a) {
      *number_of(expected, &ends[k], 0, a) += (1 - t) * -f[a];
      *number_of(expected, &ends[k], 1, a) += t * -f[a];
    }
  }
  for (int isa = next_path(0); isa < RV_ISA_COUNT; isa = next_path(isa + 1)) {
    memcpy(out, start, sizeof start);
    rv_contact_spread_ends(&at, values, hessian, out);
    assert_memory_equal(out, expected, sizeof out);
  }
}

static void band_of_ends(void** state) {
  (void)state;
  static const int entry[3][3] = {{0, 1, 2}, {1, 4, 5}, {2, 5, 6}};
  static double start[BAND], expected[BAND], out[BAND];
  RvBatchEnds at = make_ends();
  fill(start, BAND, 33);
  memcpy(expected, start, sizeof start);
  for (int k = 0; k < ENDS; ++k) {
    size_t unknown = ends[k].unknown - FIRST, row = unknown / RV_LANES, lane = unknown % RV_LANES;
    double t = (double)ends[k].t, w[2] = {1 - t, t};
    for (size_t i = 0; i < 2; ++i)
      for (size_t r = 0; r < 3; ++r)
        for (size_t j = i; j < 2; ++j)
          for (size_t s = j == i ? r : 0; s < 3; ++s)
            expected[(row + 4 * i + r) * ROW + (4 * (j - i) + s - r) * RV_LANES + lane] +=
                w[i] * w[j] * (double)hessian[ends[k].link / 2].m[entry[r][s]];
  }
  for (int isa = next_path(0); isa < RV_ISA_COUNT; isa = next_path(isa + 1)) {
    memcpy(out, start, sizeof start);
    rv_contact_band_ends(&at, hessian, out);
    assert_memory_equal(out, expected, sizeof out);
  }
}

RV_TESTS(cmocka_unit_test(values_at_ends), cmocka_unit_test(gradients_of_ends), cmocka_unit_test(product_at_ends),
         cmocka_unit_test(band_of_ends))
