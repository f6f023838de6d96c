// Checks of the node `surface` (SD-40, WH-48): enclosed volume, connectivity, and constancy over frames.
#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "check/list.h"
#include "math/scalar.h"
#include "rig/scene.h"
#include "rig/surface.h"

static const double SEPARATION = 0.01;    // of particles, m
static const double RADIUS_SHARE = 0.62;  // radius of a ball of a particle's volume, in separations

// Reports that memory ran out.
static RvResult out_of_memory(RvError* error) {
  return rv_fail(error, RV_NO_MEMORY, "out of memory");
}

//---------------------------------------------------------------------------------------------- a ball

// Surface of a ball of particles of 10 separations in radius; pscale is `radii` separations. *expected is the
// particles' volume.
static RvResult measure_ball(double radii, bool volume, double jitter, const char* voxel, const char* smoothing,
                             RvSurfaceMeasure* m, double* expected, RvError* error) {
  const double s = SEPARATION;
  RvDrops drops = {0};
  if (!rv_rig_drops_ball(&drops, rv_vec3(0.003, 0.001, -0.002), 0.1, s, jitter, 7)) return out_of_memory(error);
  for (size_t i = 0; i < drops.count; ++i) drops.data[i].pscale = radii * s;
  *expected = (double)drops.count * s * s * s;
  RvDetail* d = rv_rig_drops_detail(&drops, volume, true, error);
  RvResult r = d ? rv_rig_surface_measure(
                       d, (const char* const[]){"voxelsize", voxel, "vel", "0", "smoothing", smoothing, NULL}, m, error)
                 : out_of_memory(error);
  rv_detail_free(d);
  rv_array_free(&drops);
  return r;
}

// One ball for each variation of pscale, volume, jitter, voxel size and smoothing.
RvResult rv_check_surface_ball(const RvCheckOut* out, RvError* error) {
  static const struct {
    const char* name;
    double radii;  // pscale in separations
    bool volume;   // particles have the attribute `volume`
    double jitter;
    const char *voxel, *smoothing;
  } balls[] = {{"0.2", 0.2, true, 0.5, "0.005", "1"},
               {"1", 1, true, 0.5, "0.005", "1"},
               {"0.2_by_number", 0.2, false, 0.5, "0.005", "1"},
               {"0.4_by_number", 0.4, false, 0.5, "0.005", "1"},
               {"0.62_by_number", 0.62, false, 0.5, "0.005", "1"},
               {"1_by_number", 1, false, 0.5, "0.005", "1"},
               {"lattice", 0.62, true, 0, "0.005", "1"},
               {"fine", 0.62, true, 0.5, "0.003", "1"},
               {"coarse", 0.62, true, 0.5, "0.008", "1"},
               {"smooth", 0.62, true, 0.5, "0.005", "2"}};
  RvResult r = RV_OK;
  for (size_t i = 0; i < sizeof balls / sizeof *balls && !r; ++i) {
    RvSurfaceMeasure m;
    double expected = 0;
    char name[64];
    r = measure_ball(balls[i].radii, balls[i].volume, balls[i].jitter, balls[i].voxel, balls[i].smoothing, &m,
                     &expected, error);
    if (r) break;
    snprintf(name, sizeof name, "volume_%s", balls[i].name);
    // Jitter makes the surface uncertain by a twentieth of a separation: 1.5% of the volume, 0.5% of the radius.
    rv_check_emit(out, name, m.volume / expected, 1, 0.02);
    snprintf(name, sizeof name, "radius_%s", balls[i].name);
    rv_check_emit(out, name, m.radius / rv_pow(3 * expected / (4 * RV_PI), 1.0 / 3), 1, 0.01);
    snprintf(name, sizeof name, "pieces_%s", balls[i].name);
    rv_check_emit(out, name, m.pieces, 1, 0);
    snprintf(name, sizeof name, "rough_%s", balls[i].name);
    rv_check_emit(out, name, m.rough / SEPARATION, 0, balls[i].smoothing[0] == '2' ? 0.1 : 0.2);
  }
  return r;
}

//---------------------------------------------------------------------------------------------- a film

// A strand whose film height varies along it, at three voxel sizes.
RvResult rv_check_surface_film(const RvCheckOut* out, RvError* error) {
  enum { N = 41 };
  static const char* const voxels[] = {"0.0001", "0.00005", "0.000025"};
  const double hair = 0.00005, step = 0.001;
  double height[N], expected = 0;
  for (int i = 0; i < N; ++i) height[i] = 0.00025 + 0.0001 * rv_sin(0.3 * i);
  // Expected: frusta of the film, and half a ball at each end.
  for (int i = 0; i + 1 < N; ++i) {
    double a = hair + height[i], b = hair + height[i + 1];
    expected += RV_PI / 3 * (a * a + a * b + b * b) * step - RV_PI * hair * hair * step;
  }
  double caps = 0;
  double ends[2] = {hair + height[0], hair + height[N - 1]};
  for (int k = 0; k < 2; ++k) caps += 2 * RV_PI / 3 * ends[k] * ends[k] * ends[k];
  RvDetail* d = rv_detail_new();
  RvResult r =
      d ? rv_rig_surface_strand(d, rv_vec3(0.01, 0.02, 0.003), step, N, hair, height, error) : out_of_memory(error);
  for (int i = 0; i < 3 && !r; ++i) {
    RvSurfaceMeasure m;
    char name[64];
    r = rv_rig_surface_measure(d, (const char* const[]){"voxelsize", voxels[i], "vel", "0", NULL}, &m, error);
    if (r) break;
    // The surface without round ends and hair.
    double tube = m.volume - caps - RV_PI * hair * hair * step * (N - 1);
    snprintf(name, sizeof name, "volume_%s", voxels[i]);
    // The mesh lies within the interpolated surface, by 2% at a radius of 3 voxels.
    rv_check_emit(out, name, tube / expected, 1, 0.03);
    snprintf(name, sizeof name, "pieces_%s", voxels[i]);
    rv_check_emit(out, name, m.pieces, 1, 0);
  }
  rv_detail_free(d);
  return r;
}

//---------------------------------------------------------------------------------------------- thin parts

// Surface of n[0] x n[1] x n[2] particles on a lattice, jittered by a part of the separation.
static RvResult measure_lattice(const int n[3], double jitter, const char* const* parms, RvSurfaceMeasure* m,
                                double* expected, RvError* error) {
  const double s = SEPARATION;
  RvDrops drops = {0};
  RvResult r = RV_OK;
  for (int i = 0; i < n[0] * n[1] * n[2] && !r; ++i) {
    double at[3] = {i / (n[1] * n[2]), i / n[2] % n[1], i % n[2]};
    for (int c = 0; c < 3; ++c) at[c] += jitter * (rv_random(11, (uint64_t)i, (uint64_t)c, 0) - 0.5) + 0.37;
    RvDrop drop = {rv_scale(rv_vec3_load64(at), s), s * s * s, RADIUS_SHARE * s};
    if (!rv_array_push(&drops, drop)) r = out_of_memory(error);
  }
  *expected = (double)drops.count * s * s * s;
  RvDetail* d = r ? NULL : rv_rig_drops_detail(&drops, true, true, error);
  if (!r) r = d ? rv_rig_surface_measure(d, parms, m, error) : out_of_memory(error);
  rv_detail_free(d);
  rv_array_free(&drops);
  return r;
}

// Shapes of one to four particles in thickness, on a lattice and jittered.
RvResult rv_check_surface_thin(const RvCheckOut* out, RvError* error) {
  static const struct {
    const char* name;
    int n[3];
    double tolerance;
  } shapes[] = {{"drop", {1, 1, 1}, 0.03},   {"pair", {1, 1, 2}, 0.1},           {"thread", {1, 1, 60}, 0.1},
                {"sheet", {1, 30, 30}, 0.1}, {"double_sheet", {2, 30, 30}, 0.1}, {"slab", {4, 30, 30}, 0.05}};
  RvResult r = RV_OK;
  for (int jitter = 0; jitter < 2 && !r; ++jitter)
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && !r; ++i) {
      RvSurfaceMeasure m;
      double expected = 0;
      char name[64];
      r = measure_lattice(shapes[i].n, 0.5 * jitter, (const char* const[]){"voxelsize", "0.00125", "vel", "0", NULL},
                          &m, &expected, error);
      if (r) break;
      snprintf(name, sizeof name, "%s%s", shapes[i].name, jitter ? "_jittered" : "");
      rv_check_emit(out, name, m.volume / expected, 1, shapes[i].tolerance);
      snprintf(name, sizeof name, "%s%s_pieces", shapes[i].name, jitter ? "_jittered" : "");
      rv_check_emit(out, name, m.pieces, 1, 0);
    }
  return r;
}

//---------------------------------------------------------------------------------------------- bridges

// Surface of two wet strands side by side, `gap` between their films; *expected: tubes with round ends.
static RvResult measure_pair(double gap, bool bridges, RvSurfaceMeasure* m, double* expected, RvError* error) {
  enum { N = 21 };
  const double hair = 0.00004, film = 0.0001, step = 0.0005;
  const double d = 2 * (hair + film) + gap;
  double height[N];
  for (int i = 0; i < N; ++i) height[i] = film;
  RvDetail* det = rv_detail_new();
  RvResult r = det ? rv_rig_surface_strand(det, rv_vec3(0, 0, 0), step, N, hair, height, error) : out_of_memory(error);
  // The vertices of the two strands are not opposite each other.
  if (!r) r = rv_rig_surface_strand(det, rv_vec3(0.37 * step, 0, d), step, N, hair, height, error);
  if (!r)
    r = rv_rig_surface_measure(
        det, (const char* const[]){"voxelsize", "0.00002", "vel", "0", "bridges", bridges ? "1" : "0", NULL}, m, error);
  double R = hair + film;
  *expected = 2 * (RV_PI * R * R * step * (N - 1) + 4.0 / 3 * RV_PI * R * R * R);
  rv_detail_free(det);
  return r;
}

// Two gaps with bridges, one without, and one beyond rupture.
RvResult rv_check_surface_bridge(const RvCheckOut* out, RvError* error) {
  static const double gaps[] = {0.00004, 0.0001};
  RvSurfaceMeasure m;
  double expected = 0;
  RvResult r = RV_OK;
  for (int i = 0; i < 2 && !r; ++i) {
    char name[64];
    r = measure_pair(gaps[i], true, &m, &expected, error);
    if (r) break;
    snprintf(name, sizeof name, "pieces_%g", gaps[i]);
    rv_check_emit(out, name, m.pieces, 1, 0);
    snprintf(name, sizeof name, "volume_%g", gaps[i]);
    // The web between the hairs is integrated in 16 steps, and fillets of half a voxel add to it.
    rv_check_emit(out, name, m.volume / expected, 1, 0.05);
  }
  if (!r) r = measure_pair(gaps[1], false, &m, &expected, error);
  if (!r) rv_check_emit(out, "without", m.pieces, 2, 0);
  // Beyond the rupture gap, (1 + theta / 2) sqrt(A), there is no bridge.
  if (!r) r = measure_pair(0.0006, true, &m, &expected, error);
  if (!r) rv_check_emit(out, "far", m.pieces, 2, 0);
  return r;
}

//---------------------------------------------------------------------------------------------- over frames

// A ball that falls in the liquid solver, resampling included: largest change of volume in a frame, and the drift.
static RvResult fall_simulated(const RvCheckOut* out, RvError* error) {
  static const char nodes[] =
      "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.06, \"rows\": 25, \"cols\": 36}},"
      "\"drop\": {\"type\": \"fill\", \"inputs\": [\"ball\"], \"parms\": {\"particlesep\": 0.008}},"
      "\"s\": {\"type\": \"liquidsolver\", \"inputs\": [\"drop\"]},"
      "\"skin\": {\"type\": \"surface\", \"inputs\": [\"s:liquid\"], \"parms\": {\"vel\": false}}";
  RvSceneRig rig;
  // Each frame against the one before it, and the last against the first.
  double last = 0, largest_change = 0, first = 0;
  RvResult r = rv_rig_scene_open(&rig, nodes, error);
  if (r) return r;
  for (int frame = 1; frame <= 8 && !r; ++frame) {
    RvDetail* d = NULL;
    RvSurfaceMeasure m;
    r = rv_rig_scene_cook(&rig, "skin", frame, &d, error);
    if (!r) r = rv_rig_surface_mesh(rv_detail_find_vdb(d, "surface"), &m, error);
    rv_detail_free(d);
    if (r) break;
    if (frame > 1) largest_change = fmax(largest_change, fabs(m.volume / last - 1));
    if (frame == 1) first = m.volume;
    last = m.volume;
  }
  rv_rig_scene_close(&rig);
  if (r) return r;
  rv_check_emit(out, "simulated_flicker", largest_change, 0, 0.005);
  rv_check_emit(out, "simulated_drift", last / first - 1, 0, 0.02);
  return RV_OK;
}

// Particles in free fall, each frame by another fraction of a voxel; then the simulated ball.
RvResult rv_check_surface_fall(const RvCheckOut* out, RvError* error) {
  enum { FRAMES = 12 };
  const double s = SEPARATION;
  RvDrops drops = {0};
  RvResult r = rv_rig_drops_ball(&drops, rv_vec3(0, 0, 0), 0.06, s, 0.5, 3) ? RV_OK : out_of_memory(error);
  double last = 0, largest_change = 0, lo = INFINITY, hi = 0, t = 0;
  for (int frame = 0; frame < FRAMES && !r; ++frame) {
    RvSurfaceMeasure m;
    // Free fall for 20 ms a frame, by fractions of a voxel that never repeat.
    for (size_t i = 0; i < drops.count; ++i) {
      double step = frame ? 0.5 * 9.81 * ((t + 0.02) * (t + 0.02) - t * t) : 0;
      drops.data[i].x.y -= step;
    }
    if (frame) t += 0.02;
    RvDetail* d = rv_rig_drops_detail(&drops, true, true, error);
    r = d ? rv_rig_surface_measure(d, (const char* const[]){"vel", "0", NULL}, &m, error) : out_of_memory(error);
    rv_detail_free(d);
    if (r) break;
    if (frame) largest_change = fmax(largest_change, fabs(m.volume / last - 1));
    last = m.volume;
    lo = fmin(lo, m.volume);
    hi = fmax(hi, m.volume);
  }
  rv_array_free(&drops);
  if (!r) {
    rv_check_emit(out, "flicker", largest_change, 0, 0.005);
    rv_check_emit(out, "range", hi / lo - 1, 0, 0.005);
    r = fall_simulated(out, error);
  }
  return r;
}

// Every fourth particle is split into halves up to a quarter of a separation apart, or merged with its nearest.
static RvResult resample_quarter(RvDrops* drops, bool split, double s, RvError* error) {
  size_t n = drops->count;
  for (size_t i = 0; i < n; i += 4) {
    RvDrop* a = &drops->data[i];
    if (split) {
      RvDrop b = *a;
      a->volume *= 0.5;
      b.volume = a->volume;
      a->pscale *= 0.7937;  // cube root of 1/2
      b.pscale = a->pscale;
      RvVec3 by = rv_vec3(0.125 * s * (rv_random(5, i, 0, 0) - 0.5) * 2, 0.125 * s * (rv_random(5, i, 1, 0) - 0.5) * 2,
                          0.125 * s);
      b.x = rv_add(b.x, by);
      a->x = rv_sub(a->x, by);
      if (!rv_array_push(drops, b)) return out_of_memory(error);
      continue;
    }
    // Merge: the nearest particle that still has volume.
    size_t nearest = i;
    double best = INFINITY;
    for (size_t k = 0; k < n; ++k) {
      double d = rv_distance(a->x, drops->data[k].x);
      if (k != i && drops->data[k].volume > 0 && d < best) {
        best = d;
        nearest = k;
      }
    }
    RvDrop* b = &drops->data[nearest];
    if (!(a->volume > 0) || nearest == i) continue;
    // Volume and centre of mass are kept; the merged particle has no volume left.
    double v = a->volume + b->volume;
    a->x = rv_add(rv_scale(a->x, a->volume / v), rv_scale(b->x, b->volume / v));
    a->volume = v;
    a->pscale *= 1.26;  // cube root of 2
    b->volume = 0;
  }
  return RV_OK;
}

// The same ball unchanged, split and merged (WH-33).
RvResult rv_check_surface_resample(const RvCheckOut* out, RvError* error) {
  const double s = SEPARATION;
  double volume[3];
  RvResult r = RV_OK;
  for (int i = 0; i < 3 && !r; ++i) {
    RvSurfaceMeasure m;
    RvDrops drops = {0};
    r = rv_rig_drops_ball(&drops, rv_vec3(0.001, 0.002, 0), 0.08, s, 0.4, 9) ? RV_OK : out_of_memory(error);
    if (!r && i) r = resample_quarter(&drops, i == 1, s, error);
    RvDetail* d = r ? NULL : rv_rig_drops_detail(&drops, true, true, error);
    if (!r)
      r = d ? rv_rig_surface_measure(d, (const char* const[]){"voxelsize", "0.005", "vel", "0", NULL}, &m, error)
            : out_of_memory(error);
    rv_detail_free(d);
    rv_array_free(&drops);
    if (!r) volume[i] = m.volume;
  }
  if (!r) rv_check_emit(out, "split", volume[1] / volume[0], 1, 0.005);
  if (!r) rv_check_emit(out, "merged", volume[2] / volume[0], 1, 0.005);
  return r;
}

// WH-48: a simulated column that collapses and splashes against a wall; its volume is 0.08 m3.
RvResult rv_check_surface_splash(const RvCheckOut* out, RvError* error) {
  static const char nodes[] =
      "\"water\": {\"type\": \"fill\", \"parms\": {\"particlesep\": 0.02, \"size\": [0.4, 0.5, 0.4], \"t\": [-0.3, "
      "0.25, 0]}},"
      "\"s\": {\"type\": \"liquidsolver\", \"inputs\": [\"water\"], \"parms\": {\"walls\": true,"
      "  \"wallsmin\": [-0.5, 0, -0.2], \"wallsmax\": [0.5, 1.2, 0.2]}},"
      "\"skin\": {\"type\": \"surface\", \"inputs\": [\"s:liquid\"], \"parms\": {\"vel\": false, \"voxelsize\": "
      "0.006}}";
  RvSceneRig rig;
  // The volume of every fifth frame, and the largest change in a frame.
  double last = 0, largest_change = 0;
  RvResult r = rv_rig_scene_open(&rig, nodes, error);
  if (r) return r;
  for (int frame = 1; frame <= 20 && !r; ++frame) {
    RvDetail* d = NULL;
    RvSurfaceMeasure m;
    char name[64];
    r = rv_rig_scene_cook(&rig, "skin", frame, &d, error);
    if (!r) r = rv_rig_surface_mesh(rv_detail_find_vdb(d, "surface"), &m, error);
    rv_detail_free(d);
    if (r) break;
    if (frame > 1) largest_change = fmax(largest_change, fabs(m.volume / last - 1));
    last = m.volume;
    snprintf(name, sizeof name, "frame_%d", frame);
    if (frame % 5 == 0) rv_check_emit(out, name, m.volume / 0.08, 1, 0.05);
  }
  rv_rig_scene_close(&rig);
  if (!r) rv_check_emit(out, "flicker", largest_change, 0, 0.02);
  return r;
}
