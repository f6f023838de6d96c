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

enum { GRAIN = 1024 };  // pores or points a task
#define NO_PORE UINT32_MAX

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
  p->held = rv_alloc_zero(count, sizeof *p->held);
  p->space = rv_alloc_zero(count, sizeof *p->space);
  p->saturation = rv_alloc_zero(count, sizeof *p->saturation);
  p->dry = rv_alloc_zero(count, sizeof *p->dry);
  p->wetness = rv_alloc_zero(points, sizeof(float));
  p->mass_factor = rv_alloc(points, sizeof(float));
  p->stiffness_factor = rv_alloc(points, sizeof(float));
  if (!p->point || !p->below || !p->pore_of || !p->along || !p->held || !p->space || !p->saturation || !p->dry ||
      !p->wetness || !p->mass_factor || !p->stiffness_factor) {
    rv_pores_free(p);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the pores of %zu strands", nstrand);
  }
  for (size_t i = 0; i < points; ++i) p->pore_of[i] = NO_PORE;
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
  RV_FREE_ALL(p->point, p->below, p->pore_of, p->along, p->held, p->space, p->saturation, p->dry, p->wetness,
              p->mass_factor, p->stiffness_factor);
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

// The middle of the edge, with half of each point (AH-17).
static void place_some(void* arg, size_t begin, size_t end) {
  const Hair* h = arg;
  for (size_t k = begin; k < end; ++k) {
    const double* x = h->hair->x + 3 * (size_t)h->p->point[k];
    const double* v = h->hair->v + 3 * (size_t)h->p->point[k];
    for (size_t a = 0; a < 3; ++a) {
      h->p->place[3 * k + a] = 0.5 * (x[a] + x[a + 3]);
      h->p->velocity[3 * k + a] = 0.5 * (v[a] + v[a + 3]);
    }
  }
}

RvResult rv_pores_place(RvPores* p, const RvPoreHair* hair, RvLookdevLiquid* l, RvError* error) {
  double started = rv_lookdev_liquid_clock(l);
  p->place = RV_TAKE(l->arena, double, 3 * p->count + 1);
  p->velocity = RV_TAKE(l->arena, double, 3 * p->count + 1);
  p->push = RV_TAKE(l->arena, double, 3 * p->count + 1);
  if (!p->place || !p->velocity || !p->push) {
    rv_lookdev_liquid_end(l);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu pores", p->count);
  }
  rv_parallel_for(p->count, GRAIN, place_some, &(Hair){p, hair});
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
POINT_TASK(reaction)
POINT_TASK(clumping)

// Length of the edge of a pore, m.
static double edge_length(const RvPoreHair* hair, size_t point) {
  const double* x = hair->x + 3 * point;
  return rv_distance(rv_vec3_load64(x), rv_vec3_load64(x + 3));
}

// Space that each pore represents (AH-18), once a frame.
static void find_space(RvPores* p, const RvPoreHair* hair, const RvLookdevLiquid* l, float* out) {
  double support = l->model.support;
  double cube = support * support * support;
  RvPoreSums sums = {.lists = &p->pores, .of = p->set.at, .to = p->set.at, .out = out};
  rv_parallel_for(p->count, RV_SPH_GRAIN, density_some, &(Job){&sums, l->single});
  for (size_t n = 0; n < p->count; ++n) {
    size_t k = p->set.from[n];
    double most = edge_length(hair, p->point[k]) * p->model.capillary_length * p->model.capillary_length;
    // Its own kernel is among the sum, so that it is above 0.
    p->space[k] = rv_min(cube / (POLY6 * (double)out[4 * n]), most);
  }
  p->known_space = true;
}

// Forces on the points: half of those of the pores on both sides.
static void split_some(void* arg, size_t begin, size_t end) {
  const Hair* h = arg;
  for (size_t i = begin; i < end; ++i) {
    uint32_t after = h->p->pore_of[i + 1];
    uint32_t before = h->p->pore_of[i];
    for (size_t a = 0; a < 3; ++a) {
      double f = after == NO_PORE ? 0 : 0.5 * h->p->push[3 * (size_t)after + a];
      h->hair->force[3 * i + a] = before == NO_PORE ? f : f + 0.5 * h->p->push[3 * (size_t)before + a];
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

// Share of the drag that each particle takes, so that it does not overshoot the velocity of the hair in a substep: with
// the drag implicit, 1 / (1 + rate dt), where the rate is that of all pores around.
static void share_drag(RvPores* p, const RvLookdevLiquid* l) {
  RvPoreSums sums = {.lists = &p->reverse, .of = l->work.set.at, .to = p->set.at, .out = p->pull};
  rv_parallel_for(l->particles->count, RV_SPH_GRAIN, density_some, &(Job){&sums, l->single});
  float rate = (float)(l->work.dt * p->model.drag * POLY6);
  for (size_t n = 0; n < l->particles->count; ++n) l->work.sums.velocity[4 * n + 3] = 1 / (1 + rate * p->pull[4 * n]);
}

typedef struct Meet {
  RvPores* p;
  const RvPoreHair* hair;
  const float* out;      // sums over the liquid
  double mass, gravity;  // kg of a full particle; m/s2
  double density;        // factor of the kernel's sum
} Meet;

// Liquid at some pores, their saturation, and the reaction on them: at most some weights of the hair.
static void meet_some(void* arg, size_t begin, size_t end) {
  const Meet* m = arg;
  RvPores* p = m->p;
  for (size_t n = begin; n < end; ++n) {
    size_t k = p->set.from[n];
    size_t point = p->point[k];
    const float* out = m->out + 4 * n;
    double capacity = p->model.porosity * p->space[k];
    p->around[n] = out[3];
    p->density[n] = (float)(m->density * (double)out[3]);
    p->saturation[k] = capacity > 0 ? (float)(p->held[k] / capacity) : 0;
    p->dry[k] = (float)rv_max(1 - (double)p->density[n] / UNDER_WATER, 0);
    double* f = p->push + 3 * k;
    double square = 0;
    for (int a = 0; a < 3; ++a) {
      f[a] = m->mass * (double)out[a];
      square += f[a] * f[a];
    }
    double most = p->model.most_reaction * m->gravity * 0.5 * (m->hair->mass[point] + m->hair->mass[point + 1]);
    double share = square > most * most ? most / sqrt(square) : 1;
    for (int a = 0; a < 3; ++a) f[a] *= share;
  }
}

// Liquid at the pores, their saturation, and the reaction of adhesion and drag on the hair.
static void meet_liquid(RvPores* p, const RvPoreHair* hair, const RvLookdevLiquid* l, const float* velocity,
                        float* out) {
  const RvLookdevLiquidModel* m = &l->model;
  double ratio = m->spacing / m->support;
  double volume = ratio * ratio * ratio;
  double mass = m->density * m->spacing * m->spacing * m->spacing;
  double gravity = rv_length(rv_vec3_load64(m->gravity));
  RvPoreSums sums = liquid_sums(p);
  sums.lists = &p->liquid;
  sums.of = p->set.at;
  sums.to = l->work.set.at;
  sums.velocity_of = velocity;
  sums.velocity_to = l->work.sums.velocity;
  sums.out = out;
  rv_parallel_for(p->count, RV_SPH_GRAIN, reaction_some, &(Job){&sums, l->single});
  Meet meet = {p, hair, out, mass, gravity, POLY6 * volume};
  rv_parallel_for(p->count, GRAIN, meet_some, &meet);
}

// The same on the liquid, which gets it after its projection.
static void pull_liquid(RvPores* p, const RvLookdevLiquid* l, const float* velocity) {
  RvPoreSums sums = liquid_sums(p);
  sums.lists = &p->reverse;
  sums.of = l->work.set.at;
  sums.to = p->set.at;
  sums.velocity_of = l->work.sums.velocity;
  sums.velocity_to = velocity;
  sums.out = p->pull;
  rv_parallel_for(l->particles->count, RV_SPH_GRAIN, adhesion_some, &(Job){&sums, l->single});
}

typedef struct Numbers {
  const RvPores* p;
  const RvPoreHair* hair;
  double cube;  // m3 of the support
  float *wet, *velocity;
  atomic_bool any;  // some pore is wet and in air
} Numbers;

// Velocities and numbers of some pores, sorted, and what clumping needs.
static void number_some(void* arg, size_t begin, size_t end) {
  Numbers* job = arg;
  const RvPores* p = job->p;
  bool any = false;
  for (size_t n = begin; n < end; ++n) {
    size_t k = p->set.from[n];
    size_t point = p->point[k];
    float* v = job->velocity + 4 * n;
    for (size_t a = 0; a < 3; ++a) v[a] = (float)p->velocity[3 * k + a];
    // Strands are told apart by gaps: the number of a point grows by one more from strand to strand than that of a
    // pore.
    v[3] = (float)(k + 3 * (size_t)(point - k));
    float* wet = job->wet + 4 * n;
    double saturation = rv_min((double)p->saturation[k], 1);
    wet[0] = (float)(sqrt(saturation) * (double)p->dry[k]);
    wet[1] = (float)(0.5 * (job->hair->mass[point] + job->hair->mass[point + 1]));
    wet[2] = (float)(p->space[k] / job->cube);
    wet[3] = p->along[k];
    any = any || wet[0] > 0;
  }
  if (any) atomic_store(&job->any, true);
}

// Clumping of wet pores.
static void clump(RvPores* p, const RvLookdevLiquid* l, const float* wet, const float* velocity, float* out) {
  RvPoreSums sums = {
      .lists = &p->pores, .of = p->set.at, .to = p->set.at, .out = out, .wet = wet, .velocity = velocity};
  sums.clumping = (float)(p->model.clumping * COHESION / p->cohesion_pull);
  sums.damping = (float)(p->model.clump_damping * POLY6);
  rv_parallel_for(p->count, RV_SPH_GRAIN, clumping_some, &(Job){&sums, l->single});
  for (size_t n = 0; n < p->count; ++n)
    for (size_t a = 0; a < 3; ++a) p->push[3 * (size_t)p->set.from[n] + a] += (double)out[4 * n + a];
}

// Lists of the substep.
static RvResult find_lists(RvPores* p, RvLookdevLiquid* l, RvError* error) {
  const RvSphLattice* lattice = &l->work.lattice;
  RvResult result = rv_sph_set_sort(&p->set, lattice, p->place, NULL, p->count, l->arena, error);
  bool some = rv_pores_volume(p) > 0;
  p->pores = (RvSphLists){0};
  if (!result && (some || !p->known_space))
    result = rv_sph_lists_find(&p->pores, lattice, &p->set, &p->set, l->arena, error);
  if (!result) result = rv_sph_lists_find(&p->liquid, lattice, &p->set, &l->work.set, l->arena, error);
  if (!result) result = rv_sph_lists_find(&p->reverse, lattice, &l->work.set, &p->set, l->arena, error);
  p->full += p->liquid.full;
  return result;
}

RvResult rv_pores_meet(RvPores* p, const RvPoreHair* hair, RvLookdevLiquid* l, RvError* error) {
  double started = rv_lookdev_liquid_clock(l);
  double cube = l->model.support * l->model.support * l->model.support;
  RvResult result = find_lists(p, l, error);
  size_t count = p->count + 1;
  p->around = RV_TAKE(l->arena, float, count);
  p->density = RV_TAKE(l->arena, float, count);
  float* out = RV_TAKE(l->arena, float, 4 * count);
  float* wet = RV_TAKE(l->arena, float, 4 * count);
  float* velocity = RV_TAKE(l->arena, float, 4 * count);
  p->pull = RV_TAKE(l->arena, float, 4 * (l->particles->count + 1));
  if (!result && (!p->around || !p->density || !out || !wet || !velocity || !p->pull))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory for %zu pores", p->count);
  if (result) {
    rv_lookdev_liquid_end(l);
    return result;
  }
  if (!p->known_space) find_space(p, hair, l, out);
  for (size_t n = 0; n < p->count; ++n) p->set.at[4 * n + 3] = (float)(p->space[p->set.from[n]] / cube);
  // Velocities of the pores are needed before the saturations, and the wet numbers after them.
  Numbers numbers = {p, hair, cube, wet, velocity, false};
  memset(wet + 4 * p->count, 0, 4 * sizeof *wet);
  memset(velocity + 4 * p->count, 0, 4 * sizeof *velocity);
  rv_parallel_for(p->count, GRAIN, number_some, &numbers);
  share_drag(p, l);
  meet_liquid(p, hair, l, velocity, out);
  pull_liquid(p, l, velocity);
  atomic_store(&numbers.any, false);
  rv_parallel_for(p->count, GRAIN, number_some, &numbers);
  if (p->pores.count && atomic_load(&numbers.any)) clump(p, l, wet, velocity, out);
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
