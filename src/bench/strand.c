// Benchmarks strand_10k, strand_dog, strand_head: the strand solver on curly human hair on a rotating head. libWetHair
// takes 34 to 60 microseconds a vertex a substep and 44 to 69 KB a vertex.
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "bench/list.h"
#include "bench/strand_lanes.h"
#include "contact/contact.h"

typedef struct Case {
  RvBenchGroomDef groom;
  int dry;       // steps without contacts; with contacts there is one, which takes a minute for a million vertices
  size_t crown;  // the step with contacts has the strands of the crown, as dense as the head: one in `crown`
} Case;

//---------------------------------------------------------------------------------------------- threads

enum { CHUNKS = 256, ROUNDS = 20000 };

// Arithmetic that touches no memory: the best speed-up that the machine's cores can give.
static double arithmetic(void* arg, size_t begin, size_t end) {
  double sum = 0;
  (void)arg;
  for (size_t k = begin; k < end; ++k) {
    double a[8];
    for (int i = 0; i < 8; ++i) a[i] = 1e-3 * (double)(k + (size_t)i);
    for (int r = 0; r < ROUNDS; ++r)
      for (int i = 0; i < 8; ++i) a[i] = a[i] * 0.999 + 1e-3;
    for (int i = 0; i < 8; ++i) sum += a[i];
  }
  return sum;
}

// Wall seconds of it with that many workers.
static double time_arithmetic(int workers) {
  rv_threads_set(workers);
  double start = rv_clock_wall();
  volatile double result = rv_parallel_sum(CHUNKS, 1, arithmetic, NULL);
  (void)result;
  return rv_clock_wall() - start;
}

//---------------------------------------------------------------------------------------------- dry

typedef struct Dry {
  double cpu, solves;           // CPU seconds and vertices times linear solves of all measured steps
  double step[2], plain[2];     // least wall seconds with one and two workers: a solve, and the arithmetic
  double iterations, residual;  // largest of a step
  double indefinite, batches;   // factorisations of an indefinite Hessian that were repeated, and all
} Dry;

// Steps without contacts. The first is not measured; the others have two and one workers in turn.
static RvResult run_dry(RvBenchGroom* g, int steps, Dry* out, RvError* error) {
  int threads = rv_threads();
  *out = (Dry){.step = {INFINITY, INFINITY}, .plain = {INFINITY, INFINITY}};
  RvResult result = RV_OK;
  for (int k = 0; !result && k <= steps; ++k) {
    if (rv_bench_interrupted()) result = rv_fail(error, RV_CANCELLED, "interrupted");
    if (result) break;
    RvStrandStepDef def = rv_bench_groom_move(g);
    RvStrandStats stats;
    int two = k % 2;
    out->plain[two] = fmin(out->plain[two], time_arithmetic(1 + two));
    // The step alone is timed.
    double wall = rv_clock_wall(), cpu = rv_clock_cpu();
    result = rv_strand_step(g->model, g->state, &def, &stats, error);
    cpu = rv_clock_cpu() - cpu;
    wall = rv_clock_wall() - wall;
    if (k == 0) continue;
    double solves = (double)stats.solves;
    out->cpu += cpu;
    out->solves += solves;
    out->step[two] = fmin(out->step[two], wall / solves);
    out->iterations = fmax(out->iterations, stats.iterations);
    out->residual = fmax(out->residual, stats.residual);
    out->indefinite += (double)stats.indefinite;
    out->batches += solves * (double)g->model->nbatch / (double)g->model->nvertex;
  }
  rv_threads_set(threads);
  return result;
}

//---------------------------------------------------------------------------------------------- lanes

// Shares of the stages in an iteration, and the speed-up of eight lanes over one for every instruction set.
static RvResult run_lanes(const RvBenchOut* out, const RvBenchGroom* g, const Dry* dry, RvError* error) {
  static const char* const ratios[RV_ISA_COUNT] = {"base_speedup_over_w1", "avx2_speedup_over_w1",
                                                   "avx512_speedup_over_w1"};
  static const char* const shares[RV_BENCH_STAGES] = {"share_derivatives", "share_factor", "share_solve",
                                                      "share_search"};
  RvIsa own = rv_cpu_isa();
  RvResult result = RV_OK;
  double solve = dry->cpu / dry->solves, share_rest = 1;
  for (int isa = 0; !result && isa < RV_ISA_COUNT; ++isa) {
    if (!rv_cpu_force((RvIsa)isa)) continue;
    RvBenchLanes lanes;
    result = rv_bench_lanes(g, &lanes, error);
    // Sums of the stages; shares only for the machine's own instruction set.
    double wide = 0, single = 0;
    for (int k = 0; k < RV_BENCH_STAGES; ++k) {
      wide += lanes.wide[k];
      single += lanes.single[k];
    }
    for (int k = 0; isa == (int)own && k < RV_BENCH_STAGES; ++k) {
      rv_bench_emit(out, shares[k], lanes.wide[k] / solve, "");
      share_rest -= lanes.wide[k] / solve;
    }
    rv_bench_emit(out, ratios[isa], single / wide, "x");
  }
  rv_cpu_force(RV_ISA_COUNT);
  rv_bench_emit(out, "share_rest", share_rest, "");
  return result;
}

//---------------------------------------------------------------------------------------------- with contacts

// The measured step with contacts.
typedef struct Touching {
  double cpu, find;  // s, whole step and finding contacts
  RvStrandStats stats;
  RvContactStats found;
} Touching;

// Three steps, of which the last is measured.
static RvResult run_touching(RvBenchGroom* g, Touching* out, RvError* error) {
  const RvContactDef contact = rv_contact_defaults();
  RvContacts* contacts = NULL;
  *out = (Touching){0};
  double* velocity = rv_alloc(g->model->unknowns, sizeof(double));
  if (!velocity) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvResult result = rv_contacts_new(g->model, &contacts, error);
  // A step without contacts brings the hair into motion; the second has contacts, the third is measured.
  for (int k = 0; !result && k < 3; ++k) {
    RvStrandStepDef def = rv_bench_groom_move(g);
    double start = rv_clock_cpu();
    if (k > 0) {
      rv_contacts_predict(g->model, g->state, &def, velocity);
      result = rv_contacts_find(contacts, g->state->q, velocity, def.dt, &contact, &out->found, error);
      if (out->found.links + out->found.touches > 0) def.couple = rv_contacts_operator(contacts);
    }
    // The strandsolver's defaults, except for the tolerance and the limit of iterations.
    def.max_cg = 200;
    def.cg_tolerance = 1e-3;
    def.max_iterations = k < 2 ? 3 : 40;
    out->find = rv_clock_cpu() - start;
    if (!result) result = rv_strand_step(g->model, g->state, &def, &out->stats, error);
    if (!result && k > 0) rv_contacts_accept(contacts, g->state->q);
    out->cpu = rv_clock_cpu() - start;
  }
  rv_contacts_free(contacts);
  rv_free(velocity);
  return result;
}

// Figures of the step with contacts.
static RvResult emit_touching(const RvBenchOut* out, const RvBenchGroomDef* def, RvError* error) {
  double idle = rv_bench_memory_mark();
  RvBenchGroom g;
  Touching t;
  RvResult result = rv_bench_groom_new(&g, def, error);
  if (result) return result;
  result = run_touching(&g, &t, error);
  if (!result) {
    double vertices = (double)g.model->nvertex;
    rv_bench_emit(out, "us_per_vertex_substep", 1e6 * t.cpu / vertices, "us");
    rv_bench_emit(out, "substep_find_share", t.find / t.cpu, "");
    rv_bench_emit(out, "substep_residual", t.stats.residual, "");
    rv_bench_emit(out, "substep_newton_iterations", t.stats.iterations, "");
    rv_bench_emit(out, "substep_last_cg_iterations", t.stats.cg_iterations, "");
    rv_bench_emit(out, "substep_links_per_vertex", (double)t.found.links / vertices, "");
    rv_bench_emit(out, "substep_bytes_per_vertex", (rv_bench_memory_peak() - idle) / vertices, "B");
  }
  rv_bench_groom_free(&g);
  return result;
}

//---------------------------------------------------------------------------------------------- all

// Strands divided by `by`, at least 16.
static size_t shrunk(size_t strands, size_t by) {
  return strands / by > 16 ? strands / by : 16;
}

// Steps without contacts, lanes, then the crown with contacts.
static RvResult run(const RvBenchOut* out, Case c, RvError* error) {
  c.groom.of = c.groom.strands = shrunk(c.groom.strands, (size_t)out->shrink);
  time_arithmetic(2);  // starts the workers before memory is measured
  double idle = rv_bench_memory_mark();
  RvBenchGroom g;
  Dry dry;
  RvResult result = rv_bench_groom_new(&g, &c.groom, error);
  if (result) return result;
  double vertices = (double)g.model->nvertex;
  result = run_dry(&g, c.dry, &dry, error);
  if (!result) {
    rv_bench_emit(out, "us_per_vertex_iteration", 1e6 * dry.cpu / dry.solves, "us");
    rv_bench_emit(out, "us_per_vertex_dry_substep", 1e6 * dry.cpu / (c.dry * vertices), "us");
    rv_bench_emit(out, "dry_newton_iterations", dry.iterations, "");
    rv_bench_emit(out, "dry_residual", dry.residual, "");
    rv_bench_emit(out, "dry_factors_replaced", dry.indefinite / dry.batches, "");
    rv_bench_emit(out, "bytes_per_vertex", (rv_bench_memory_peak() - idle) / vertices, "B");
    rv_bench_emit(out, "thread_scaling", dry.step[0] / dry.step[1], "x");
    rv_bench_emit(out, "thread_scaling_to_arithmetic", dry.step[0] / dry.step[1] / (dry.plain[0] / dry.plain[1]), "");
    result = run_lanes(out, &g, &dry, error);
  }
  // With contacts the crown only.
  rv_bench_groom_free(&g);
  c.groom.strands = shrunk(c.groom.strands, c.crown);
  return result ? result : emit_touching(out, &c.groom, error);
}

// Strands, of (set later), vertices, length, curl radius, step; steps without contacts; share of the crown.
RvResult rv_bench_strand_10k(const RvBenchOut* out, RvError* error) {
  return run(out, (Case){{10000, 0, 30, 0.16, 4e-3, 1.0 / 240}, 6, 2}, error);
}

RvResult rv_bench_strand_dog(const RvBenchOut* out, RvError* error) {
  return run(out, (Case){{32000, 0, 16, 0.05, 1.5e-3, 1.0 / 240}, 6, 4}, error);
}

RvResult rv_bench_strand_head(const RvBenchOut* out, RvError* error) {
  return run(out, (Case){{100000, 0, 32, 0.16, 4e-3, 1.0 / 240}, 2, 20}, error);
}
