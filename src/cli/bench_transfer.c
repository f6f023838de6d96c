// Benchmark transfer: 100,000 hairs of 32 points carried by 2,000 simulated guides, a frame; against the same hairs by
// one guide each, and the first frame, which finds the guides.
#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/timer.h"
#include "cli/bench_list.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "rivulet/node.h"

enum { HAIRS = 100000, POINTS = 32, STEP = 50, REPEATS = 5 };

// curls of a third of a metre on half a ball, spread by the golden angle
static RvDetail* make_hairs(int count, RvError* error) {
  RvDetail* d = rv_detail_new();
  bool made = d && !rv_detail_add_curves(d, (size_t)count, POINTS, NULL, NULL, error);
  float* P = made ? rv_detail_f32_write(d, RV_POINT, "P", 3, error) : NULL;
  for (int i = 0; P && i < count; ++i) {
    double y = (i + 0.5) / count, r = sqrt(1 - y * y), a = 2.399963229728653 * i;
    RvVec3 out = rv_vec3(r * rv_cos(a), y, r * rv_sin(a)), across = rv_perpendicular(out);
    for (int k = 0; k < POINTS; ++k) {
      double s = 0.3 * k / (POINTS - 1), phase = 200 * s + i;
      RvVec3 x = rv_scale(out, 0.09 + s);
      x = rv_add(x, rv_scale(across, 0.005 * rv_cos(phase)));
      x = rv_add(x, rv_scale(rv_cross(out, across), 0.005 * rv_sin(phase)));
      rv_vec3_store(P + 3 * ((size_t)i * POINTS + (size_t)k), x);
    }
  }
  if (!P) rv_detail_free(d);
  return P ? d : NULL;
}

// the guides swing, each a little differently, and have velocities
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

// a node's cook with one parameter other than standard
static RvResult cook_node(const char* name, const char* parm, double value, const RvDetail* const* inputs, void** cache,
                          RvDetail** out, RvError* error) {
  const RvNodeType* type = rv_node_find(name);
  RvVars vars = {.frame = 1, .fps = 24, .out = ".", .hip = ".", .node = name};
  RvStats stats = {0};
  RvHost host = {0};
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

static double resident(void) {
  unsigned long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%*u %lu", &pages) != 1) pages = 0;
  if (file) fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

typedef struct Figures {
  double first, frame, wall, one, bytes;
} Figures;

static RvResult measure(const RvDetail* const* inputs, Figures* f, RvError* error) {
  *f = (Figures){.frame = 1e9, .wall = 1e9, .one = 1e9};
  const RvNodeType* type = rv_node_find("transfer");
  RvResult result = RV_OK;
  for (int most = 4; most >= 1 && !result; most -= 3) {
    void* cache = NULL;
    double before = resident();
    for (int i = 0; i <= REPEATS && !result; ++i) {
      RvDetail* out;
      double cpu = rv_clock_cpu(), wall = rv_clock_wall();
      result = cook_node("transfer", "maxguides", most, inputs, &cache, &out, error);
      cpu = rv_clock_cpu() - cpu, wall = rv_clock_wall() - wall;
      if (i == 0 && most == 4) f->first = cpu, f->bytes = resident() - before;
      if (i > 0 && most == 4) f->frame = fmin(f->frame, cpu), f->wall = fmin(f->wall, wall);
      if (i > 0 && most == 1) f->one = fmin(f->one, cpu);
      rv_detail_free(out);
    }
    if (cache) type->free_cache(cache);
  }
  return result;
}

RvResult rv_bench_transfer(const RvBenchOut* out, RvError* error) {
  int count = HAIRS / out->shrink > 1 ? HAIRS / out->shrink : 1;
  RvDetail *hairs = make_hairs(count, error), *rest = NULL, *moved = NULL;
  Figures f = {0};
  RvResult result = hairs ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) result = cook_node("guides", "step", STEP, (const RvDetail*[]){hairs}, NULL, &rest, error);
  if (!result && !(moved = move_guides(rest, error))) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) result = measure((const RvDetail*[]){hairs, rest, moved, NULL}, &f, error);
  if (!result) {
    rv_bench_emit(out, "cpu_seconds_per_frame", f.frame, "s");
    rv_bench_emit(out, "seconds_per_frame", f.wall, "s");
    rv_bench_emit(out, "ns_per_point", f.frame / ((double)count * POINTS) * 1e9, "ns");
    rv_bench_emit(out, "ratio_to_one_guide", f.frame / f.one, "x");
    rv_bench_emit(out, "first_frame_ratio", f.first / f.frame, "x");
    rv_bench_emit(out, "bytes_per_point", f.bytes / ((double)count * POINTS), "B");
  }
  rv_detail_free(hairs), rv_detail_free(rest), rv_detail_free(moved);
  return result;
}
