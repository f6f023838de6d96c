// Benchmark surface_2m: two million particles and 20,000 wet strands as one level set within a memory limit; the
// particles alone against OpenVDB's ParticlesToLevelSet; and the error of a film's volume by its radius in voxels.
#include <stdio.h>

#include "base/platform.h"
#include "base/rng.h"
#include "base/timer.h"
#include "bench/list.h"
#include "math/scalar.h"
#include "rig/surface.h"
#include "shim/baseline.h"

enum { PARTICLES = 2000000, STRANDS = 20000, POINTS = 31 };
#define SEPARATION 1e-3                 // of particles, m
#define VOXEL 2.5e-4                    // m
#define VOXEL_TEXT "0.00025"            // the same as a parameter
#define LENGTH 0.15                     // of a strand, m
#define HAIR 4e-5                       // radius, m
#define PARTICLE_RADIUS 0.62            // radius of a ball of a particle's volume, in separations
#define GOLDEN_ANGLE 2.399963229728653  // rad, spreads roots evenly

// Largest resident memory of the process so far, bytes.
static double peak_rss(void) {
  return (double)rv_platform_peak_resident();
}

// A cube of jittered particles that moves as a whole.
static RvResult add_pool(RvDetail* d, size_t count, RvError* error) {
  size_t first, side = 1;
  while ((side + 1) * (side + 1) * (side + 1) <= count) ++side;
  count = side * side * side;
  RvResult r = rv_detail_add_points(d, count, &first, error);
  float* P = r ? NULL : rv_detail_f32_write(d, RV_POINT, "P", 3, error);
  float* v = P ? rv_detail_f32_write(d, RV_POINT, "v", 3, error) : NULL;
  float* pscale = v ? rv_detail_f32_write(d, RV_POINT, "pscale", 1, error) : NULL;
  float* volume = pscale ? rv_detail_f32_write(d, RV_POINT, "volume", 1, error) : NULL;
  if (!volume) return r ? r : error->code;
  for (size_t i = 0; i < count; ++i) {
    size_t at[3] = {i / (side * side), i / side % side, i % side};
    size_t p = first + i;
    for (size_t c = 0; c < 3; ++c) {
      double x = (double)at[c] + 0.5 + 0.5 * (rv_random(1, i, c, 0) - 0.5) - (c == 1 ? 1 : 0.5) * (double)side;
      P[3 * p + c] = (float)(x * SEPARATION);
      v[3 * p + c] = c == 0;
    }
    pscale[p] = (float)(PARTICLE_RADIUS * SEPARATION);
    volume[p] = (float)(SEPARATION * SEPARATION * SEPARATION);
  }
  return RV_OK;
}

// Strands that hang from a disk of radius 9 cm, their lower 30% wet with films of 0.05 to 0.5 mm.
static RvResult add_hair(RvDetail* d, size_t count, RvError* error) {
  size_t first;
  RvResult r = rv_detail_add_curves(d, count, POINTS, &first, NULL, error);
  float* P = r ? NULL : rv_detail_f32_write(d, RV_POINT, "P", 3, error);
  float* film = P ? rv_detail_f32_write(d, RV_POINT, "filmheight", 1, error) : NULL;
  float* hair = film ? rv_detail_f32_write(d, RV_POINT, "hairradius", 1, error) : NULL;
  if (!hair) return r ? r : error->code;
  double disk = 0.09 * sqrt((double)count / STRANDS);
  for (size_t i = 0; i < count; ++i) {
    double radius = disk * sqrt(((double)i + 0.5) / (double)count), turn = GOLDEN_ANGLE * (double)i;
    double thick = 5e-5 + 4.5e-4 * rv_random(2, i, 0, 0) * rv_random(2, i, 1, 0);
    for (size_t k = 0; k < POINTS; ++k) {
      size_t p = first + i * POINTS + k;
      double s = LENGTH * (double)k / (POINTS - 1), wet = (s / LENGTH - 0.7) / 0.05;
      rv_vec3_store(P + 3 * p, rv_vec3(radius * rv_cos(turn) + 0.003 * rv_sin(40 * s + (double)i), 0.005 + LENGTH - s,
                                       radius * rv_sin(turn)));
      film[p] = (float)(thick * rv_clamp(wet, 0, 1));
      hair[p] = HAIR;
    }
  }
  return RV_OK;
}

typedef struct Run {
  double wall, cpu;  // s
  uint64_t active;   // voxels
  size_t bytes;      // of the grids
  double estimate;   // the node's estimate of memory, bytes
  double thin;       // share of the film below 1.5 voxels
} Run;

// Cooks the node and reads its figures.
static RvResult run(const RvDetail* d, const char* const* parms, Run* out, RvError* error) {
  RvDetail* outputs[3] = {0};
  double wall = rv_clock_wall(), cpu = rv_clock_cpu();
  RvResult r = rv_rig_surface_cook(d, parms, outputs, error);
  out->wall = rv_clock_wall() - wall;
  out->cpu = rv_clock_cpu() - cpu;
  for (size_t i = 0; !r && i < rv_detail_count(outputs[0], RV_PRIM); ++i) {
    const RvGrid* grid = rv_detail_prim_grid(outputs[0], i);
    uint64_t active = 0;
    r = rv_grid_active_count(grid, &active, error);
    out->active += active;
    out->bytes += rv_grid_bytes(grid);
  }
  if (!r) {
    double film = *rv_detail_f64(outputs[0], RV_GLOBAL, "filmvolume", 1);
    out->estimate = *rv_detail_f64(outputs[0], RV_GLOBAL, "memoryestimate", 1);
    out->thin = film > 0 ? *rv_detail_f64(outputs[0], RV_GLOBAL, "thinfilmvolume", 1) / film : 0;
  }
  if (!r && rv_grid_voxel_size(rv_detail_find_vdb(outputs[0], "surface")) > VOXEL * 1.0001)
    r = rv_fail(error, RV_LIMIT, "surface_2m: the node used a coarser voxel than was asked for; raise memorylimit");
  for (int i = 0; i < 3; ++i) rv_detail_free(outputs[i]);
  return r;
}

// Particles and strands together.
static RvResult bench_all(const RvBenchOut* out, RvError* error) {
  RvDetail* d = rv_detail_new();
  Run all = {0};
  RvResult r =
      d ? add_pool(d, (size_t)(PARTICLES / out->shrink), error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!r) r = add_hair(d, (size_t)(STRANDS / out->shrink + 1), error);
  double before = peak_rss();
  if (!r)
    r = run(d, (const char* const[]){"voxelsize", VOXEL_TEXT, "memorylimit", "4", "onlimit", "refuse", NULL}, &all,
            error);
  rv_detail_free(d);
  if (r) return r;
  rv_bench_emit(out, "seconds", all.wall, "s");
  rv_bench_emit(out, "cpu_seconds", all.cpu, "s");
  rv_bench_emit(out, "peak_rss", peak_rss() / 1e9, "GB");
  rv_bench_emit(out, "input_rss", before / 1e9, "GB");
  rv_bench_emit(out, "grids", (double)all.bytes / 1e9, "GB");
  rv_bench_emit(out, "estimate", all.estimate / 1e9, "GB");
  rv_bench_emit(out, "film_under_1.5_voxels", 100 * all.thin, "%");
  rv_bench_emit(out, "million_voxels", (double)all.active / 1e6, "1e6");
  return RV_OK;
}

// The particles alone, and by OpenVDB.
static RvResult bench_particles(const RvBenchOut* out, RvError* error) {
  RvDetail* d = rv_detail_new();
  Run own = {0};
  RvGrid* grid = NULL;
  size_t dropped = 0;
  RvResult r =
      d ? add_pool(d, (size_t)(PARTICLES / out->shrink), error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!r) r = run(d, (const char* const[]){"voxelsize", VOXEL_TEXT, "vel", "0", NULL}, &own, error);
  double million = r ? 1 : (double)rv_detail_count(d, RV_POINT) / 1e6;
  double cpu = rv_clock_cpu();
  double wall = rv_clock_wall();
  if (!r)
    // OpenVDB's spheres of the same radius.
    r = rv_vdb_particles_baseline(VOXEL, rv_detail_count(d, RV_POINT), rv_detail_f32(d, RV_POINT, "P", 3),
                                  (float)(PARTICLE_RADIUS * SEPARATION), &dropped, &grid, error);
  cpu = rv_clock_cpu() - cpu;
  wall = rv_clock_wall() - wall;
  if (!r) {
    rv_bench_emit(out, "cpu_seconds_per_million", own.cpu / million, "s");
    rv_bench_emit(out, "seconds_per_million", own.wall / million, "s");
    rv_bench_emit(out, "openvdb_cpu_seconds_per_million", cpu / million, "s");
    rv_bench_emit(out, "openvdb_seconds_per_million", wall / million, "s");
    rv_bench_emit(out, "ratio_to_openvdb", own.cpu / cpu, "x");
  }
  rv_grid_release(grid);
  rv_detail_free(d);
  return r;
}

//---------------------------------------------------------------------------------------------- volume of films

// Volume within the surface as its voxels are interpolated: 3^3 samples in voxels that it may cross.
static RvResult inner_volume(const RvGrid* grid, double* volume, RvError* error) {
  enum { N = 3, SUB = N * N * N };
  double h = rv_grid_voxel_size(grid), sum = 0;
  const RvLeaf* leaves = NULL;
  RvResult r = rv_grid_leaves(grid, &leaves, error);
  for (size_t l = 0; l < rv_grid_leaf_count(grid) && !r; ++l) {
    const RvLeaf leaf = leaves[l];
    for (int v = 0; v < 512 && !r; ++v) {
      double x[3 * SUB];
      float value[SUB];
      // Farther than 1.2 voxels from the surface a voxel is inside or outside as a whole.
      if (fabs(leaf.values[v]) > 1.2 * h) {
        sum += leaf.values[v] < 0;
        continue;
      }
      for (int s = 0; s < SUB; ++s) {
        const int at[3] = {v / 64, v / 8 % 8, v % 8};
        const int sub[3] = {s / (N * N), s / N % N, s % N};
        for (int c = 0; c < 3; ++c) x[3 * s + c] = (leaf.origin[c] + at[c] + (sub[c] + 0.5) / N - 0.5) * h;
      }
      r = rv_grid_sample(grid, SUB, x, value, error);
      for (int s = 0; s < SUB; ++s) sum += (value[s] < 0) / (double)SUB;
    }
  }
  *volume = sum * h * h * h;
  return r;
}

// Relative error of the film's volume on slanted strands of one outer radius, in voxels, far from each other.
static RvResult film_error(double voxels, double* relative, RvError* error) {
  enum { COUNT = 6, N = 21 };
  double outer = voxels * VOXEL, expected = 0, inner = 0;
  RvDetail *d = rv_detail_new(), *outputs[3] = {0};
  size_t first = 0;
  RvResult r =
      d ? rv_detail_add_curves(d, COUNT, N, &first, NULL, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  float* P = r ? NULL : rv_detail_f32_write(d, RV_POINT, "P", 3, error);
  float* film = P ? rv_detail_f32_write(d, RV_POINT, "filmheight", 1, error) : NULL;
  float* hair = film ? rv_detail_f32_write(d, RV_POINT, "hairradius", 1, error) : NULL;
  for (size_t i = 0; hair && i < COUNT * N; ++i) {
    double s = 0.001 * (double)(i % N), tilt = 0.13 * (double)(i / N);
    rv_vec3_store(P + 3 * i, rv_vec3(s * rv_cos(tilt), s * rv_sin(tilt) + 0.01 * (double)(i / N), 0.37 * s));
    film[i] = (float)(outer - HAIR);
    hair[i] = HAIR;
  }
  // Expected: tubes without the hair.
  double length = 0.001 * (N - 1) * sqrt(1 + 0.37 * 0.37), section = RV_PI * (outer * outer - HAIR * HAIR);
  expected = COUNT * length * section;
  if (!r)
    r = hair ? rv_rig_surface_cook(d, (const char* const[]){"voxelsize", VOXEL_TEXT, "vel", "0", "bridges", "0", NULL},
                                   outputs, error)
             : error->code;
  if (!r) r = inner_volume(rv_detail_find_vdb(outputs[0], "surface"), &inner, error);
  // Without the round ends and the hairs.
  inner -= COUNT * (4.0 / 3 * RV_PI * outer * outer * outer + length * RV_PI * HAIR * HAIR);
  *relative = inner / expected - 1;
  for (int i = 0; i < 3; ++i) rv_detail_free(outputs[i]);
  rv_detail_free(d);
  return r;
}

// Everything, the particles alone, then films of 1 to 3 voxels in radius.
RvResult rv_bench_surface_2m(const RvBenchOut* out, RvError* error) {
  static const double radii[] = {1, 1.5, 2, 3};
  RvResult r = bench_all(out, error);
  if (!r) r = bench_particles(out, error);
  for (size_t i = 0; i < sizeof radii / sizeof *radii && !r; ++i) {
    char name[64];
    double relative = 0;
    r = film_error(radii[i], &relative, error);
    snprintf(name, sizeof name, "film_error_at_%g_voxels", radii[i]);
    if (!r) rv_bench_emit(out, name, 100 * relative, "%");
  }
  return r;
}
