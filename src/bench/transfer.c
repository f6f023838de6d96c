// Benchmark transfer: one frame of 100,000 hairs of 32 points deformed by 2,000 simulated guides, dry and wet; against
// one guide a hair, against copying the result, and against the first frame, which finds the guides.
#include <stdio.h>

#include "base/memory.h"
#include "base/platform.h"
#include "base/timer.h"
#include "bench/list.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "rivulet/node.h"

enum { HAIRS = 100000, POINTS = 32, STEP = 50, REPEATS = 5 };  // STEP: hairs for each guide
static const double GOLDEN_ANGLE = 2.399963229728653;          // rad, spreads roots evenly

// Curls of 30 cm on half a ball, spread by the golden angle.
static RvDetail* make_hairs(int count, RvError* error) {
  RvDetail* d = rv_detail_new();
  bool ok = d && !rv_detail_add_curves(d, (size_t)count, POINTS, NULL, NULL, error);
  float* P = ok ? rv_detail_f32_write(d, RV_POINT, "P", 3, error) : NULL;
  for (int i = 0; P && i < count; ++i) {
    double y = (i + 0.5) / count;
    double r = sqrt(1 - y * y);
    double a = GOLDEN_ANGLE * i;
    RvVec3 out = rv_vec3(r * rv_cos(a), y, r * rv_sin(a)), across = rv_perpendicular(out);
    for (int k = 0; k < POINTS; ++k) {
      double s = 0.3 * k / (POINTS - 1), phase = 200 * s + i;
      // A helix of 5 mm about the normal, which starts on a head of 9 cm.
      RvVec3 x = rv_scale(out, 0.09 + s);
      x = rv_add(x, rv_scale(across, 0.005 * rv_cos(phase)));
      x = rv_add(x, rv_scale(rv_cross(out, across), 0.005 * rv_sin(phase)));
      rv_vec3_store(P + 3 * ((size_t)i * POINTS + (size_t)k), x);
    }
  }
  if (!P) rv_detail_free(d);
  return P ? d : NULL;
}

// The guides rotate about y, each slightly differently, and have velocities.
static RvDetail* move_guides(const RvDetail* rest, RvError* error) {
  RvDetail* d = rv_detail_copy(rest);
  float* P = d ? rv_detail_f32_write(d, RV_POINT, "P", 3, error) : NULL;
  float* v = P ? rv_detail_f32_write(d, RV_POINT, "v", 3, error) : NULL;
  for (size_t i = 0; v && i < rv_detail_count(d, RV_POINT); ++i) {
    RvVec3 x = rv_vec3_load(P + 3 * i);
    RvQuat q = rv_quat_axis_angle(rv_vec3(0, 1, 0), 0.5 + 0.5 * rv_length(x) + 0.1 * rv_sin((double)(i / POINTS)));
    rv_vec3_store(P + 3 * i, rv_quat_rotate(q, x));
    rv_vec3_store(v + 3 * i, rv_cross(rv_vec3(0, 5, 0), rv_vec3_load(P + 3 * i)));
  }
  if (!v) rv_detail_free(d);
  return v ? d : NULL;
}

// Cooks a node with one parameter that is not its default.
static RvResult cook_node(const char* name, const char* parm, double value, const RvDetail* const* inputs, void** cache,
                          RvDetail** out, RvError* error) {
  const RvNodeType* type = rv_node_find(name);
  RvVars vars = {.frame = 1, .fps = 24, .out = ".", .hip = ".", .node = name};
  RvStats stats = {0};
  RvHost host = {0};
  // The least that a cook needs.
  RvParms* values = rv_parms_new(type->parms);
  void* parms = rv_alloc_zero(1, type->parms->struct_bytes);
  RvCook cook = {.type = type,
                 .node = name,
                 .time = {1, 24, 0, 1},
                 .parms = parms,
                 .ninput = type->ninput,
                 .input = inputs,
                 .stats = &stats,
                 .cache = cache,
                 .vars = &vars,
                 .host = &host};
  RvResult result = values && parms ? rv_parms_set(values, parm, 0, value, error) : RV_NO_MEMORY;
  if (!result) result = rv_parms_eval(values, &vars, parms, error);
  if (!result) result = type->cook(&cook, error);
  *out = result ? NULL : cook.output[0];
  rv_free(parms);
  rv_parms_free(values);
  return result;
}

// Resident memory of the process, bytes.
static double resident(void) {
  return (double)rv_platform_resident();
}

// The same guides with a wet solver's attributes, fully wet from the middle down.
static RvDetail* wet_guides(const RvDetail* moved, RvError* error) {
  RvDetail* d = rv_detail_copy(moved);
  float* wetness = d ? rv_detail_f32_write(d, RV_POINT, "wetness", 1, error) : NULL;
  float* film = wetness ? rv_detail_f32_write(d, RV_POINT, "filmheight", 1, error) : NULL;
  int32_t* clump = film ? rv_detail_i32_write(d, RV_POINT, "clumpid", 1, error) : NULL;
  // Films of up to 50 micrometres; three guides to a clump.
  for (size_t i = 0; clump && i < rv_detail_count(d, RV_POINT); ++i) {
    wetness[i] = (float)fmin(1, 2.0 * (double)(i % POINTS) / POINTS);
    film[i] = 5e-5f * wetness[i];
    clump[i] = (int32_t)(i / POINTS / 3);
  }
  if (!clump) rv_detail_free(d);
  return clump ? d : NULL;
}

// CPU seconds of copying every point attribute to new memory, the least that the node must do.
static double copy_seconds(const RvDetail* out) {
  double best = 1e9;
  for (int i = 0; i < REPEATS; ++i) {
    RvDetail* copy = rv_detail_copy(out);
    double cpu = rv_clock_cpu();
    for (size_t k = 0; copy && k < rv_detail_attrib_count(copy, RV_POINT); ++k)
      rv_attrib_write(rv_detail_find_mutable(copy, RV_POINT, rv_attrib_name(rv_detail_attrib(copy, RV_POINT, k))));
    best = fmin(best, rv_clock_cpu() - cpu);
    rv_detail_free(copy);
  }
  return best;
}

// CPU of the first frame; least CPU and wall seconds of later ones; memory of the first; CPU of a copy.
typedef struct Figures {
  double first, cpu, wall, bytes, copy;
} Figures;

// Cooks some frames with the same cache.
static RvResult measure(const RvDetail* const* inputs, int max_guides, Figures* f, RvError* error) {
  *f = (Figures){.cpu = 1e9, .wall = 1e9};
  const RvNodeType* type = rv_node_find("transfer");
  RvResult result = RV_OK;
  void* cache = NULL;
  double before = resident();
  for (int i = 0; i <= REPEATS && !result; ++i) {
    RvDetail* out;
    double cpu = rv_clock_cpu(), wall = rv_clock_wall();
    result = cook_node("transfer", "maxguides", max_guides, inputs, &cache, &out, error);
    cpu = rv_clock_cpu() - cpu;
    wall = rv_clock_wall() - wall;
    // The first frame finds the guides and allocates the cache.
    if (i == 0) {
      f->first = cpu;
      f->bytes = resident() - before;
    }
    if (i > 0) {
      f->cpu = fmin(f->cpu, cpu);
      f->wall = fmin(f->wall, wall);
    }
    if (!result && i == REPEATS) f->copy = copy_seconds(out);
    rv_detail_free(out);
  }
  if (cache) type->free_cache(cache);
  return result;
}

// Figures of the dry run, of one guide a hair, and of the wet run.
static void emit(const RvBenchOut* out, double points, const Figures* dry, const Figures* one, const Figures* wet) {
  rv_bench_emit(out, "cpu_seconds_per_frame", dry->cpu, "s");
  rv_bench_emit(out, "seconds_per_frame", dry->wall, "s");
  rv_bench_emit(out, "ns_per_point", dry->cpu / points * 1e9, "ns");
  rv_bench_emit(out, "ratio_to_one_guide", dry->cpu / one->cpu, "x");
  rv_bench_emit(out, "ratio_to_copy", dry->cpu / dry->copy, "x");
  rv_bench_emit(out, "first_frame_ratio", dry->first / dry->cpu, "x");
  rv_bench_emit(out, "bytes_per_point", dry->bytes / points, "B");
  rv_bench_emit(out, "wet_cpu_seconds_per_frame", wet->cpu, "s");
  rv_bench_emit(out, "wet_seconds_per_frame", wet->wall, "s");
  rv_bench_emit(out, "wet_ratio_to_dry", wet->cpu / dry->cpu, "x");
  rv_bench_emit(out, "wet_ratio_to_copy", wet->cpu / wet->copy, "x");
}

// Guides are every 50th hair; four guides a hair, one, and four that are wet.
RvResult rv_bench_transfer(const RvBenchOut* out, RvError* error) {
  int count = HAIRS / out->shrink > 1 ? HAIRS / out->shrink : 1;
  RvDetail* hairs = make_hairs(count, error);
  RvDetail *rest = NULL, *moved = NULL, *wet = NULL;
  Figures by4, by1, by4_wet;
  RvResult result = hairs ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) result = cook_node("guides", "step", STEP, (const RvDetail*[]){hairs}, NULL, &rest, error);
  if (!result && (!(moved = move_guides(rest, error)) || !(wet = wet_guides(moved, error))))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) result = measure((const RvDetail*[]){hairs, rest, moved, NULL}, 4, &by4, error);
  if (!result) result = measure((const RvDetail*[]){hairs, rest, moved, NULL}, 1, &by1, error);
  if (!result) result = measure((const RvDetail*[]){hairs, rest, wet, NULL}, 4, &by4_wet, error);
  if (!result) emit(out, (double)count * POINTS, &by4, &by1, &by4_wet);
  rv_detail_free(hairs);
  rv_detail_free(rest);
  rv_detail_free(moved);
  rv_detail_free(wet);
  return result;
}
