// Checks of surfaces: what they enclose, how they hold together, and that they do not flicker.
#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "cli/check_list.h"
#include "cli/surface_rig.h"
#include "math/scalar.h"

static RvResult lost(RvError* error) {
  return rv_fail(error, RV_NO_MEMORY, "out of memory");
}

//---------------------------------------------------------------------------------------------- a ball

static RvResult measure_ball(double radii, bool volume, double jitter, const char* voxel, RvSurfaceMeasure* m,
                             double* expected, RvError* error) {
  const double s = 0.01;
  RvDrops drops = {0};
  if (!rv_drops_ball(&drops, rv_vec3(0.003, 0.001, -0.002), 0.1, s, jitter, 7)) return lost(error);
  for (size_t i = 0; i < drops.count; ++i) drops.data[i].pscale = radii * s;
  *expected = (double)drops.count * s * s * s;
  RvDetail* d = rv_drops_detail(&drops, volume, true, error);
  RvResult r = d ? rv_surface_rig_measure(d, (const char* const[]){"voxelsize", voxel, "vel", "0", NULL}, m, error)
                 : lost(error);
  rv_detail_free(d);
  rv_array_free(&drops);
  return r;
}

RvResult rv_check_surface_ball(const RvCheckOut* out, RvError* error) {
  static const double radii[] = {0.2, 0.4, 0.62, 1};
  RvResult r = RV_OK;
  for (int i = 0; i < 10 && !r; ++i) {
    RvSurfaceMeasure m;
    double expected = 0;
    char name[64];
    bool volume = i < 4;
    double jitter = i >= 8 ? 0 : 0.5;
    const char* voxel = i == 9 ? "0.003" : "0.005";
    r = measure_ball(radii[i % 4], volume || i >= 8, jitter, voxel, &m, &expected, error);
    if (r) break;
    snprintf(name, sizeof name, "volume_%g%s", radii[i % 4],
             i >= 8   ? (i == 8 ? "_lattice" : "_fine")
             : volume ? ""
                      : "_by_number");
    rv_check_emit(out, name, m.volume / expected, 1, 0.02);
    snprintf(name, sizeof name, "radius_%g%s", radii[i % 4],
             i >= 8   ? (i == 8 ? "_lattice" : "_fine")
             : volume ? ""
                      : "_by_number");
    rv_check_emit(out, name, m.radius / rv_pow(3 * expected / (4 * RV_PI), 1.0 / 3), 1, 0.01);
    rv_check_emit(out, "pieces", m.pieces, 1, 0);
  }
  return r;
}

//---------------------------------------------------------------------------------------------- a film

RvResult rv_check_surface_film(const RvCheckOut* out, RvError* error) {
  enum { N = 41 };
  static const char* const voxels[] = {"0.0001", "0.00005", "0.000025"};
  const double hair = 0.00005, step = 0.001;
  double height[N], expected = 0;
  for (int i = 0; i < N; ++i) height[i] = 0.00025 + 0.0001 * rv_sin(0.3 * i);
  // frusta, and half a ball at each end
  for (int i = 0; i + 1 < N; ++i) {
    double a = hair + height[i], b = hair + height[i + 1];
    expected += RV_PI / 3 * (a * a + a * b + b * b) * step - RV_PI * hair * hair * step;
  }
  double caps = 0, ends[2] = {hair + height[0], hair + height[N - 1]};
  for (int k = 0; k < 2; ++k) caps += 2 * RV_PI / 3 * ends[k] * ends[k] * ends[k];
  RvDetail* d = rv_detail_new();
  RvResult r = d ? rv_surface_rig_strand(d, rv_vec3(0.01, 0.02, 0.003), step, N, hair, height, error) : lost(error);
  for (int i = 0; i < 3 && !r; ++i) {
    RvSurfaceMeasure m;
    char name[64];
    r = rv_surface_rig_measure(d, (const char* const[]){"voxelsize", voxels[i], "vel", "0", NULL}, &m, error);
    if (r) break;
    double tube = m.volume - caps - RV_PI * hair * hair * step * (N - 1);
    snprintf(name, sizeof name, "volume_%s", voxels[i]);
    rv_check_emit(out, name, tube / expected, 1, 0.03);
    rv_check_emit(out, "pieces", m.pieces, 1, 0);
  }
  rv_detail_free(d);
  return r;
}

//---------------------------------------------------------------------------------------------- thin parts

// n[0] x n[1] x n[2] particles on a lattice, jittered by a part of the separation
static RvResult measure_lattice(const int n[3], double jitter, const char* const* parms, RvSurfaceMeasure* m,
                                double* expected, RvError* error) {
  const double s = 0.01;
  RvDrops drops = {0};
  RvResult r = RV_OK;
  for (int i = 0; i < n[0] * n[1] * n[2] && !r; ++i) {
    double at[3] = {i / (n[1] * n[2]), i / n[2] % n[1], i % n[2]};
    for (int c = 0; c < 3; ++c) at[c] += jitter * (rv_random(11, (uint64_t)i, (uint64_t)c, 0) - 0.5) + 0.37;
    RvDrop drop = {rv_scale(rv_vec3_load64(at), s), s * s * s, 0.62 * s};
    if (!rv_array_push(&drops, drop)) r = lost(error);
  }
  *expected = (double)drops.count * s * s * s;
  RvDetail* d = r ? NULL : rv_drops_detail(&drops, true, true, error);
  if (!r) r = d ? rv_surface_rig_measure(d, parms, m, error) : lost(error);
  rv_detail_free(d);
  rv_array_free(&drops);
  return r;
}

RvResult rv_check_surface_thin(const RvCheckOut* out, RvError* error) {
  static const struct {
    const char* name;
    int n[3];
    double tolerance;
  } shapes[] = {{"drop", {1, 1, 1}, 0.03}, {"pair", {1, 1, 2}, 0.1}, {"thread", {1, 1, 60}, 0.1},
                {"sheet", {1, 30, 30}, 0.1}, {"double_sheet", {2, 30, 30}, 0.1}, {"slab", {4, 30, 30}, 0.05}};
  RvResult r = RV_OK;
  for (int jitter = 0; jitter < 2 && !r; ++jitter)
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && !r; ++i) {
      RvSurfaceMeasure m;
      double expected = 0;
      char name[64];
      r = measure_lattice(shapes[i].n, 0.5 * jitter, (const char* const[]){"voxelsize", "0.00125", "vel", "0", NULL}, &m,
                          &expected, error);
      if (r) break;
      snprintf(name, sizeof name, "%s%s", shapes[i].name, jitter ? "_jittered" : "");
      rv_check_emit(out, name, m.volume / expected, 1, shapes[i].tolerance);
      snprintf(name, sizeof name, "%s%s_pieces", shapes[i].name, jitter ? "_jittered" : "");
      rv_check_emit(out, name, m.pieces, 1, 0);
    }
  return r;
}
