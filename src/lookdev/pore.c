// Pores and the forces between hair and liquid; see pore.h. Liquid that they take up and give back is in
// pore_liquid.c.
#include "lookdev/pore.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "lookdev/pore_kernel.h"
#include "math/scalar.h"
#include "sph/crowd.h"

enum { GRAIN = 1024 };  // pores or points a task

// Factors of the kernels in sph/lanes.h.
static const double POLY6 = 315 / (64 * RV_PI);
static const double ADHESION = 0.007;
static const double COHESION = 32 / RV_PI;
// Relative density of liquid at a pore from which it counts as under water: particles at rest have 0.9 to 1.1 between
// them, and clumping must be exactly 0 there.
static const double UNDER_WATER = 0.85;

RvPoreModel rv_pore_defaults(void) {
  return (RvPoreModel){.porosity = 0.25,
                       .adhesion = 30,
                       .drag = 600,
                       .clumping = 30,
                       .clump_damping = 20,
                       .uptake = 15,
                       .retention = 0.35,
                       .drain = 4,
                       .drying = 0,
                       .dripping = 1,
                       .wet_mass = 1,
                       .wet_softness = 0.5,
                       .most_reaction = 5,
                       .capillary_length = 2.7e-3};
}

//---------------------------------------------------------------------------------------------- memory

// Largest pull of a half space by a kernel: with it accelerations are those at the surface of a body.
static double largest_pull(RvSphKernel kernel) {
  RvSphHalf half;
  rv_sph_half_init(&half, kernel);
  float most = 0;
  for (int i = 0; i <= RV_SPH_HALF_PARTS; ++i) most = half.pull[i] > most ? half.pull[i] : most;
  return (double)most;
}

RvResult rv_pores_init(RvPores* p, const RvPoreModel* model, size_t nstrand, const uint32_t* first, RvError* error) {
  *p = (RvPores){.model = *model, .nstrand = nstrand, .points = first[nstrand]};
  for (size_t s = 0; s < nstrand; ++s) p->count += first[s + 1] > first[s] ? first[s + 1] - first[s] - 1 : 0;
  p->adhesion_pull = largest_pull(RV_SPH_ADHESION);
  p->cohesion_pull = largest_pull(RV_SPH_COHESION);
  size_t count = p->count + 1;
  size_t points = p->points + 1;
  p->point = rv_alloc(count, sizeof *p->point);
  p->below = rv_alloc(count, sizeof *p->below);
  p->pore_of = rv_alloc(points, sizeof *p->pore_of);
  p->along = rv_alloc(count, sizeof *p->along);
  p->arc = rv_alloc(count, sizeof *p->arc);
  p->held = rv_alloc_zero(count, sizeof *p->held);
  p->space = rv_alloc_zero(count, sizeof *p->space);
  p->saturation = rv_alloc_zero(count, sizeof *p->saturation);
  p->dry = rv_alloc_zero(count, sizeof *p->dry);
  p->thin = rv_alloc(count, sizeof *p->thin);
  p->wetness = rv_alloc_zero(points, sizeof(float));
  p->mass_factor = rv_alloc(points, sizeof(float));
  p->stiffness_factor = rv_alloc(points, sizeof(float));
  if (!p->point || !p->below || !p->pore_of || !p->along || !p->held || !p->space || !p->saturation || !p->dry ||
      !p->thin || !p->arc || !p->wetness || !p->mass_factor || !p->stiffness_factor) {
    rv_pores_free(p);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the pores of %zu strands", nstrand);
  }
  for (size_t i = 0; i < points; ++i) p->pore_of[i] = RV_NO_PORE;
  size_t k = 0;
  for (size_t s = 0; s < nstrand; ++s)
    for (uint32_t i = first[s]; i + 1 < first[s + 1]; ++i, ++k) {
      p->point[k] = i;
      p->pore_of[i + 1] = (uint32_t)k;
      p->below[k] = first[s + 1] - 2 - i;
      p->along[k] = (float)(i - first[s] + 1) / (float)(first[s + 1] - first[s] - 1);
    }
  for (size_t i = 0; i < points; ++i) {
    p->mass_factor[i] = 1;
    p->stiffness_factor[i] = 1;
  }
  return RV_OK;
}

void rv_pores_free(RvPores* p) {
  RV_FREE_ALL(p->point, p->below, p->pore_of, p->along, p->held, p->space, p->saturation, p->dry, p->thin, p->arc,
              p->wetness, p->mass_factor, p->stiffness_factor);
  *p = (RvPores){0};
}

double rv_pores_volume(const RvPores* p) {
  RvSum sum = {0, 0};
  for (size_t k = 0; k < p->count; ++k) rv_sum_add(&sum, p->held[k]);
  return rv_sum_total(&sum);
}

//---------------------------------------------------------------------------------------------- place

typedef struct Hair {
  RvPores* p;
  const RvPoreHair* hair;
} Hair;

// What finding the places needs.
typedef struct Place {
  Hair hair;
  double low[3], high[3];  // m: box around the liquid and its support
  double* all;             // [count][3] m
  uint8_t* keep;           // [count] whether the pore is active
} Place;

// Length of the edge of a pore, m.
static double edge_length(const RvPoreHair* hair, size_t point) {
  const double* x = hair->x + 3 * point;
  return rv_distance(rv_vec3_load64(x), rv_vec3_load64(x + 3));
}

// Places of the pores along all strands. Strands are two supports apart there, so that none is near another. After
// MOST_ARC supports places begin anew, so that floats know them to 1/256 of a support at any number of strands; of the
// pairs of different strands a ten-thousandth is then taken for pairs of one strand.
static void find_arcs(RvPores* p, const RvPoreHair* hair, double support) {
  const double GAP = 2;
  const double MOST_ARC = 32768;
  double end = 0;
  for (size_t k = 0; k < p->count; ++k) {
    double length = edge_length(hair, p->point[k]) / support;
    p->arc[k] = (float)(end + 0.5 * length);
    end += length;
    if (!p->below[k]) end = end > MOST_ARC ? 0 : end + GAP;
  }
}

// The middle of the edge, with half of each point (AH-17).
static void place_some(void* arg, size_t begin, size_t end) {
  const Place* job = arg;
  const RvPores* p = job->hair.p;
  for (size_t k = begin; k < end; ++k) {
    const double* x = job->hair.hair->x + 3 * (size_t)p->point[k];
    const double* v = job->hair.hair->v + 3 * (size_t)p->point[k];
    float* velocity = p->velocity + 4 * k;
    bool near = true;
    for (size_t a = 0; a < 3; ++a) {
      double place = 0.5 * (x[a] + x[a + 3]);
      job->all[3 * k + a] = place;
      // A place that is no number is kept, for the error.
      near = near && !(place < job->low[a]) && !(place > job->high[a]);
      velocity[a] = (float)(0.5 * (v[a] + v[a + 3]));
    }
    velocity[3] = p->arc[k];
    job->keep[k] = near || p->held[k] > 0 || !p->known_space;
    // Those that are left out have neither liquid nor forces.
    p->dry[k] = 1;
    p->saturation[k] = 0;
    memset(p->push + 3 * k, 0, 3 * sizeof *p->push);
  }
}

// The box in which pores may have liquid around.
static void find_box(const RvLookdevLiquid* l, Place* job) {
  rv_sph_box(l->work.place, l->particles->count, job->low, job->high);
  for (size_t a = 0; a < 3; ++a) {
    job->low[a] -= l->model.support;
    job->high[a] += l->model.support;
  }
}

RvResult rv_pores_place(RvPores* p, const RvPoreHair* hair, RvLookdevLiquid* l, RvError* error) {
  double started = rv_lookdev_liquid_clock(l);
  p->place = RV_TAKE(l->arena, double, 3 * p->count + 1);
  p->velocity = RV_TAKE(l->arena, float, 4 * p->count + 1);
  p->push = RV_TAKE(l->arena, double, 3 * p->count + 1);
  p->active = RV_TAKE(l->arena, uint32_t, p->count + 1);
  Place job = {{p, hair}, .all = RV_TAKE(l->arena, double, 3 * p->count + 1)};
  job.keep = RV_TAKE(l->arena, uint8_t, p->count + 1);
  if (!p->place || !p->velocity || !p->push || !p->active || !job.all || !job.keep) {
    rv_lookdev_liquid_end(l);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu pores", p->count);
  }
  find_box(l, &job);
  if (!p->known_space) find_arcs(p, hair, l->model.support);
  rv_parallel_for(p->count, GRAIN, place_some, &job);
  p->nactive = 0;
  for (size_t k = 0; k < p->count; ++k) {
    if (!job.keep[k]) continue;
    memcpy(p->place + 3 * p->nactive, job.all + 3 * k, 3 * sizeof *p->place);
    p->active[p->nactive++] = (uint32_t)k;
  }
  p->seconds += rv_lookdev_liquid_clock(l) - started;
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- meet

// What the tasks of a sum need.
typedef struct Job {
  const RvPoreSums* sums;
  bool single;
} Job;

// Tasks of each sum, over ranges of particles or pores.
#define POINT_TASK(name)                                              \
  static void name##_some(void* arg, size_t begin, size_t end) {      \
    const Job* job = arg;                                             \
    if (job->single)                                                  \
      RV_KERNEL_CALL_SINGLE(rv_pore_##name, (job->sums, begin, end)); \
    else                                                              \
      RV_KERNEL_CALL(rv_pore_##name, (job->sums, begin, end));        \
  }
POINT_TASK(density)
POINT_TASK(adhesion)
POINT_TASK(clumping)

// Sums of the kernel over the pores around each pore, `stride` apart in *sum, and how many they are where that is more
// than lists hold.
static RvResult measure_crowd(RvPores* p, RvLookdevLiquid* l, float* out, const float** sum, size_t* stride,
                              RvError* error) {
  p->crowded = p->pores.full > 0;
  if (!p->crowded) {
    RvPoreSums sums = {.lists = &p->pores, .of = p->set.at, .to = p->set.at, .out = out};
    rv_parallel_for(p->set.count, RV_SPH_GRAIN, density_some, &(Job){&sums, l->single});
    *sum = out;
    *stride = 4;
    return RV_OK;
  }
  uint32_t* number;
  float* total;
  RvResult result = rv_sph_crowd_measure(&l->work.lattice, &p->set, &p->set, &number, &total, l->arena, error);
  if (result) return result;
  for (size_t n = 0; n < p->set.count; ++n) p->thin[p->set.from[n]] = rv_sph_thin_of(number[n]);
  *sum = total;
  *stride = 1;
  return RV_OK;
}

// Space that each pore represents (AH-18), once a frame.
static RvResult find_space(RvPores* p, const RvPoreHair* hair, RvLookdevLiquid* l, float* out, RvError* error) {
  double support = l->model.support;
  double cube = support * support * support;
  const float* sum = NULL;
  size_t stride = 0;
  RvResult result = measure_crowd(p, l, out, &sum, &stride, error);
  if (result) return result;
  for (size_t n = 0; n < p->set.count; ++n) {
    size_t k = p->set.from[n];
    double most = edge_length(hair, p->point[k]) * p->model.capillary_length * p->model.capillary_length;
    // Its own kernel is among the sum, so that it is above 0.
    p->space[k] = rv_min(cube / (POLY6 * (double)sum[stride * n]), most);
  }
  p->known_space = true;
  return RV_OK;
}

// Forces on the points: half of those of the pores on both sides.
static void split_some(void* arg, size_t begin, size_t end) {
  const Hair* h = arg;
  for (size_t i = begin; i < end; ++i) {
    uint32_t after = h->p->pore_of[i + 1];
    uint32_t before = h->p->pore_of[i];
    for (size_t a = 0; a < 3; ++a) {
      double f = after == RV_NO_PORE ? 0 : 0.5 * h->p->push[3 * (size_t)after + a];
      h->hair->force[3 * i + a] = before == RV_NO_PORE ? f : f + 0.5 * h->p->push[3 * (size_t)before + a];
    }
  }
}

// Accelerations between liquid and pores, of both sides.
static RvPoreSums liquid_sums(const RvPores* p) {
  RvPoreSums sums = {0};
  sums.adhesion = (float)(p->model.adhesion * ADHESION / p->adhesion_pull);
  sums.drag = (float)(p->model.drag * POLY6);
  return sums;
}

typedef struct Meet {
  RvPores* p;
  const RvPoreHair* hair;
  const RvLookdevLiquid* l;
  RvPoreSums sums;       // over the liquid
  double mass, gravity;  // kg of a full particle; m/s2
  double density;        // factor of the kernel's sum
  atomic_size_t capped;
} Meet;

// Liquid at a pore, its saturation, and the reaction on it: at most some weights of the hair. Returns what is above, N.
static double meet_pore(const Meet* m, size_t n) {
  RvPores* p = m->p;
  size_t k = p->set.from[n];
  size_t point = p->point[k];
  const float* out = m->sums.out + 4 * n;
  p->around[n] = out[3];
  p->density[n] = (float)(m->density * (double)out[3]);
  p->dry[k] = (float)rv_max(1 - (double)p->density[n] / UNDER_WATER, 0);
  double* f = p->push + 3 * k;
  double square = 0;
  for (int a = 0; a < 3; ++a) {
    f[a] = m->mass * (double)out[a];
    square += f[a] * f[a];
  }
  double most = p->model.most_reaction * m->gravity * 0.5 * (m->hair->mass[point] + m->hair->mass[point + 1]);
  if (!(square > most * most)) return 0;
  double size = sqrt(square);
  for (int a = 0; a < 3; ++a) f[a] *= most / size;
  return size - most;
}

// A pore without liquid around it.
static void miss_pore(RvPores* p, size_t n) {
  size_t k = p->set.from[n];
  p->around[n] = 0;
  p->density[n] = 0;
  p->dry[k] = 1;
  for (size_t a = 0; a < 3; ++a) p->push[3 * k + a] = 0;
}

// Some pores; the sum of the forces that they do not feel, N.
static double meet_some(void* arg, size_t begin, size_t end) {
  Meet* m = arg;
  double unfelt = 0;
  size_t capped = 0;
  const RvPores* p = m->p;
  if (m->l->single)
    RV_KERNEL_CALL_SINGLE(rv_pore_reaction, (&m->sums, begin, end));
  else
    RV_KERNEL_CALL(rv_pore_reaction, (&m->sums, begin, end));
  for (size_t n = begin; n < end; ++n) {
    size_t k = p->set.from[n];
    double capacity = p->model.porosity * p->space[k];
    p->saturation[k] = capacity > 0 ? (float)(p->held[k] / capacity) : 0;
    double above = 0;
    if (p->liquid.groups[n])
      above = meet_pore(m, n);
    else
      miss_pore(m->p, n);
    capped += above > 0;
    unfelt += above;
  }
  atomic_fetch_add(&m->capped, capped);
  return unfelt;
}

// Liquid at the pores, their saturation, and the reaction of adhesion and drag on the hair.
static void meet_liquid(RvPores* p, const RvPoreHair* hair, const RvLookdevLiquid* l, const float* velocity,
                        float* out) {
  const RvLookdevLiquidModel* m = &l->model;
  double ratio = m->spacing / m->support;
  Meet meet = {.p = p,
               .hair = hair,
               .l = l,
               .sums = liquid_sums(p),
               .mass = m->density * m->spacing * m->spacing * m->spacing,
               .gravity = rv_length(rv_vec3_load64(m->gravity)),
               .density = POLY6 * ratio * ratio * ratio};
  meet.sums.lists = &p->liquid;
  meet.sums.of = p->set.at;
  meet.sums.to = l->work.set.at;
  meet.sums.velocity_of = velocity;
  meet.sums.velocity_to = l->work.sums.velocity;
  meet.sums.out = out;
  if (!p->set.count) return;
  p->unfelt += l->work.dt * rv_parallel_sum(p->set.count, RV_SPH_GRAIN, meet_some, &meet);
  p->capped += atomic_load(&meet.capped);
}

// The same on the liquid, which gets it after its projection; and the share of the drag that each particle takes.
static void pull_liquid(RvPores* p, const RvLookdevLiquid* l, const float* velocity) {
  RvPoreSums sums = liquid_sums(p);
  sums.lists = &p->reverse;
  sums.of = l->work.set.at;
  sums.to = p->set.at;
  sums.velocity_of = l->work.sums.velocity;
  sums.velocity_to = velocity;
  sums.drag_share = l->work.sums.velocity + 3;
  sums.dt = (float)l->work.dt;
  sums.out = p->pull;
  rv_parallel_for(l->particles->count, RV_SPH_GRAIN, adhesion_some, &(Job){&sums, l->single});
}

//---------------------------------------------------------------------------------------------- clumping

// The pores that are wet and in air, of which alone clumping consists.
typedef struct Wet {
  RvSphSet set;
  uint32_t* index;        // [count] in the set of all pores
  float *wet, *velocity;  // [count + 1][4]
  float* thin;            // [count + 1] that of the pores; NULL: lists have all pairs
  float* out;             // [count][4]
} Wet;

// What finding the numbers of wet pores needs.
typedef struct Number {
  RvPores* p;
  const RvPoreHair* hair;
  const Wet* wet;
  const float* velocity;  // of all pores
  double cube;            // m3
  uint8_t* keep;          // [pores] whether clumping acts on it
} Number;

// Which pores are wet and in air; their number.
static double find_wet(void* arg, size_t begin, size_t end) {
  const Number* job = arg;
  const RvPores* p = job->p;
  size_t count = 0;
  for (size_t n = begin; n < end; ++n) {
    size_t k = p->set.from[n];
    job->keep[n] = p->saturation[k] > 0 && p->dry[k] > 0;
    count += job->keep[n];
  }
  return (double)count;
}

// Numbers that clumping needs.
static void number_some(void* arg, size_t begin, size_t end) {
  const Number* job = arg;
  const Wet* w = job->wet;
  const RvPores* p = job->p;
  const RvPoreHair* hair = job->hair;
  for (size_t n = begin; n < end; ++n) {
    size_t k = w->set.from[n];
    size_t point = p->point[k];
    float* wet = w->wet + 4 * n;
    double saturation = rv_min((double)p->saturation[k], 1);
    wet[0] = (float)(sqrt(saturation) * (double)p->dry[k]);
    wet[1] = (float)(0.5 * (hair->mass[point] + hair->mass[point + 1]));
    wet[2] = (float)(p->space[k] / job->cube);
    wet[3] = p->along[k];
    memcpy(w->velocity + 4 * n, job->velocity + 4 * (size_t)w->index[n], 4 * sizeof *job->velocity);
  }
}

// Adds the forces to those of the liquid.
static void add_clumping(void* arg, size_t begin, size_t end) {
  const Number* job = arg;
  for (size_t n = begin; n < end; ++n)
    for (size_t a = 0; a < 3; ++a)
      job->p->push[3 * (size_t)job->wet->set.from[n] + a] += (double)job->wet->out[4 * n + a];
}

// Pairs of wet pores: all, or where hair is dense a random batch.
static RvResult find_pairs(const RvPores* p, Wet* w, const RvLookdevLiquid* l, RvSphLists* lists, RvError* error) {
  const RvSphLattice* lattice = &l->work.lattice;
  RvResult result = rv_sph_lists_find(lists, lattice, &w->set, &w->set, l->arena, error);
  if (result || !p->crowded || !lists->full) return result;
  size_t count = w->set.count;
  w->thin = RV_TAKE(l->arena, float, count + 1);
  if (!w->thin) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu pores", p->count);
  for (size_t n = 0; n < count; ++n) w->thin[n] = p->thin[w->set.from[n]];
  w->thin[count] = 1;
  return rv_sph_lists_find_thinned(lists, lattice, &w->set, w->set.from, w->thin, l->arena, error);
}

// Clumping of wet pores.
static RvResult clump(RvPores* p, const RvPoreHair* hair, const RvLookdevLiquid* l, const float* velocity,
                      RvError* error) {
  Wet w = {0};
  double support = l->model.support;
  Number job = {.p = p, .hair = hair, .wet = &w, .velocity = velocity, .cube = support * support * support};
  job.keep = RV_TAKE(l->arena, uint8_t, p->set.count + 1);
  if (!job.keep) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu pores", p->count);
  // Whole numbers, whose sum is exact.
  size_t count = (size_t)rv_parallel_sum(p->set.count, GRAIN, find_wet, &job);
  if (!count || !(p->model.clumping > 0 || p->model.clump_damping > 0)) return RV_OK;
  RvSphLists lists;
  RvResult result = rv_sph_set_pick(&w.set, &p->set, job.keep, &w.index, l->arena, error);
  if (!result) result = find_pairs(p, &w, l, &lists, error);
  if (result) return result;
  w.wet = RV_TAKE(l->arena, float, 4 * (count + 1));
  w.velocity = RV_TAKE(l->arena, float, 4 * (count + 1));
  w.out = RV_TAKE(l->arena, float, 4 * (count + 1));
  if (!w.wet || !w.velocity || !w.out) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu pores", p->count);
  rv_parallel_for(count, GRAIN, number_some, &job);
  memset(w.wet + 4 * count, 0, 4 * sizeof *w.wet);
  memset(w.velocity + 4 * count, 0, 4 * sizeof *w.velocity);
  RvPoreSums sums = {.lists = &lists,
                     .of = w.set.at,
                     .to = w.set.at,
                     .out = w.out,
                     .wet = w.wet,
                     .velocity = w.velocity,
                     .thin = w.thin};
  sums.clumping = (float)(p->model.clumping * COHESION / p->cohesion_pull);
  sums.damping = (float)(p->model.clump_damping * POLY6);
  rv_parallel_for(count, RV_SPH_GRAIN, clumping_some, &(Job){&sums, l->single});
  rv_parallel_for(count, GRAIN, add_clumping, &job);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- meet

// The pores that active ones are.
static void name_some(void* arg, size_t begin, size_t end) {
  const RvPores* p = arg;
  for (size_t n = begin; n < end; ++n) p->set.from[n] = p->active[p->set.from[n]];
}

// Velocities of the pores in their new order, beside the space that they stand for.
typedef struct Sorted {
  const RvPores* p;
  double cube;  // m3
  float* velocity;
} Sorted;

static void sort_velocities(void* arg, size_t begin, size_t end) {
  const Sorted* job = arg;
  const RvPores* p = job->p;
  for (size_t n = begin; n < end; ++n) {
    p->set.at[4 * n + 3] = (float)(p->space[p->set.from[n]] / job->cube);
    memcpy(job->velocity + 4 * n, p->velocity + 4 * (size_t)p->set.from[n], 4 * sizeof *job->velocity);
  }
}

// Lists of the substep.
static RvResult find_lists(RvPores* p, RvLookdevLiquid* l, RvError* error) {
  const RvSphLattice* lattice = &l->work.lattice;
  RvResult result = rv_sph_set_sort(&p->set, lattice, p->place, NULL, p->nactive, l->arena, error);
  if (!result) rv_parallel_for(p->set.count, GRAIN, name_some, p);
  p->pores = (RvSphLists){0};
  if (!result && !p->known_space) result = rv_sph_lists_find(&p->pores, lattice, &p->set, &p->set, l->arena, error);
  if (!result) result = rv_sph_lists_find(&p->liquid, lattice, &p->set, &l->work.set, l->arena, error);
  if (!result) result = rv_sph_lists_find(&p->reverse, lattice, &l->work.set, &p->set, l->arena, error);
  // Particles in dense hair have more pores around than a list holds.
  if (!result && p->reverse.full)
    result = rv_sph_lists_find_all(&p->reverse, lattice, &l->work.set, &p->set, l->arena, error);
  p->full += p->liquid.full;
  return result;
}

RvResult rv_pores_meet(RvPores* p, const RvPoreHair* hair, RvLookdevLiquid* l, RvError* error) {
  double started = rv_lookdev_liquid_clock(l);
  double cube = l->model.support * l->model.support * l->model.support;
  RvResult result = find_lists(p, l, error);
  size_t count = p->nactive + 1;
  p->around = RV_TAKE(l->arena, float, count);
  p->density = RV_TAKE(l->arena, float, count);
  float* out = RV_TAKE(l->arena, float, 4 * count);
  float* velocity = RV_TAKE(l->arena, float, 4 * count);
  p->pull = RV_TAKE(l->arena, float, 4 * (l->particles->count + 1));
  if (!result && (!p->around || !p->density || !out || !velocity || !p->pull))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory for %zu pores", p->count);
  const bool first = !p->known_space;
  if (!result && first) result = find_space(p, hair, l, out, error);
  if (result) {
    rv_lookdev_liquid_end(l);
    return result;
  }
  // Hair that was wet in the frame before is heavy from the first substep on.
  if (first) rv_pores_wet_points(p);
  // Space and velocities of the pores, in their new order.
  rv_parallel_for(p->set.count, GRAIN, sort_velocities, &(Sorted){p, cube, velocity});
  memset(velocity + 4 * p->set.count, 0, 4 * sizeof *velocity);
  // Forces: on the liquid, of the liquid on the pores, and between wet pores.
  pull_liquid(p, l, velocity);
  meet_liquid(p, hair, l, velocity, out);
  result = clump(p, hair, l, velocity, error);
  if (result) {
    rv_lookdev_liquid_end(l);
    return result;
  }
  rv_parallel_for(p->points, GRAIN, split_some, &(Hair){p, hair});
  p->seconds += rv_lookdev_liquid_clock(l) - started;
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- adhere

typedef struct Adhere {
  const RvPores* p;
  RvLookdevLiquid* l;
} Adhere;

// Velocities by adhesion and drag, and the time that hair holds a particle.
static void adhere_some(void* arg, size_t begin, size_t end) {
  const Adhere* job = arg;
  RvLookdevLiquid* l = job->l;
  float dt = (float)l->work.dt;
  float* hold = l->particles->c[RV_LOOKDEV_HOLD];
  for (size_t n = begin; n < end; ++n) {
    size_t i = l->work.set.from[n];
    const float* pull = job->p->pull + 4 * n;
    bool near = pull[3] > 0;
    for (size_t a = 0; a < 3 && near; ++a) l->work.sums.velocity[4 * n + a] += dt * pull[a];
    // AH-22: the factor of gravity is 1 + hold; it grows with the density and is 1 away from hair.
    hold[i] = near ? hold[i] + dt * (float)job->p->model.dripping * l->work.sums.density[n] : 0;
  }
}

void rv_pores_adhere(RvPores* p, RvLookdevLiquid* l) {
  double started = rv_lookdev_liquid_clock(l);
  rv_parallel_for(l->particles->count, RV_SPH_GRAIN, adhere_some, &(Adhere){p, l});
  p->seconds += rv_lookdev_liquid_clock(l) - started;
}
