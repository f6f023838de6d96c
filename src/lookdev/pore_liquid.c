// Liquid of pores: taken up from particles, running down strands, dripping, drying (AH-20, AH-22, AH-23, E65).
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/timer.h"
#include "lookdev/pore.h"
#include "lookdev/pore_kernel.h"
#include "math/scalar.h"

enum { GRAIN = 256 };          // particles or pores a task
enum { PORES_A_TASK = 2048 };  // of the simple loops
// A particle with less than this share of a full one's volume ends, and its rest goes to the nearest pore.
static const double LEAST_SHARE = 0.05;
// m3: a drop that leaves a lock of hair (about 3 mm wide), and the least and largest share of a full particle that
// it becomes.
static const double DROP = 1.2e-8;
static const double LEAST_DROP = 0.1;
// m: highest film that is painted, that of the wet solver.
static const double MOST_FILM = 0.003;
// Largest saturation that makes hair heavier: a drop that hangs there is not part of the hair.
static const double MOST_SATURATION = 1.5;

//---------------------------------------------------------------------------------------------- taken up

typedef struct Soak {
  RvPores* p;
  RvLookdevLiquid* l;
  float* wish;   // [pores + 1][4] place, and m3 that the pore wishes a unit of the kernel; sorted
  float* give;   // [particles + 1][4] place, and the factor of the wishes that the particle meets; sorted
  double* loss;  // [particles] m3; sorted
  double* gain;  // [pores] m3; sorted
} Soak;

// Weight of a pair of sorted indices: the kernel over its factor.
static inline float pair_weight(const Soak* s, size_t particle, size_t pore) {
  const float* x = s->give + 4 * particle;
  const float* y = s->wish + 4 * pore;
  float d0 = x[0] - y[0];
  float d1 = x[1] - y[1];
  float d2 = x[2] - y[2];
  float t = 1 - (d0 * d0 + d1 * d1 + d2 * d2);
  return t > 0 ? t * t * t : 0;
}

// What each pore lacks, as far as liquid surrounds it, a unit of the weights around it.
static void wish_some(void* arg, size_t begin, size_t end) {
  const Soak* s = arg;
  const RvPores* p = s->p;
  double rate = p->model.uptake * s->l->work.dt;
  for (size_t n = begin; n < end; ++n) {
    float* wish = s->wish + 4 * n;
    memcpy(wish, p->set.at + 4 * n, 3 * sizeof *wish);
    wish[3] = 0;
    if (!(p->density[n] > 0)) continue;
    size_t k = p->set.from[n];
    double lacking = p->model.porosity * p->space[k] - p->held[k];
    if (!(lacking > 0)) continue;
    double surrounded = rv_min((double)p->density[n], 1);
    wish[3] = (float)(lacking * surrounded * rate / (1 + rate) / (double)p->around[n]);
  }
}

// What a particle gives of the wishes, `wanted` m3 a unit of its mass: all, or as much as it has. The factor is a float
// rounded down, so that a particle never gives more than its volume.
static void give(const Soak* s, size_t n, double wanted) {
  const double DOWN = 1 - 0x1p-22;
  double volume = s->l->particles->volume[s->l->work.set.from[n]];
  float* factor = s->give + 4 * n + 3;
  if (wanted * (double)*factor > volume) *factor = (float)(DOWN * volume / wanted);
  s->loss[n] = wanted * (double)*factor;
}

// Tasks of the sums over ranges of particles and pores.
static void wanted_some(void* arg, size_t begin, size_t end) {
  const Soak* s = arg;
  RvPoreSums sums = {.lists = &s->p->reverse, .of = s->give, .to = s->wish, .total = s->loss};
  if (s->l->single)
    RV_KERNEL_CALL_SINGLE(rv_pore_wanted, (&sums, begin, end));
  else
    RV_KERNEL_CALL(rv_pore_wanted, (&sums, begin, end));
  for (size_t n = begin; n < end; ++n)
    if (s->loss[n] > 0) give(s, n, s->loss[n]);
}

static void gained_some(void* arg, size_t begin, size_t end) {
  const Soak* s = arg;
  RvPoreSums sums = {.lists = &s->p->liquid, .of = s->wish, .to = s->give, .total = s->gain};
  if (s->l->single)
    RV_KERNEL_CALL_SINGLE(rv_pore_gained, (&sums, begin, end));
  else
    RV_KERNEL_CALL(rv_pore_gained, (&sums, begin, end));
  for (size_t n = begin; n < end; ++n)
    if (s->gain[n] > 0) s->p->held[s->p->set.from[n]] += s->gain[n];
}

// What pores wish of each particle, by the pores' lists alone and one after the other: where lists are full, those of
// the particles do not have the same pairs, and liquid would be lost.
static void want_one_by_one(const Soak* s) {
  const RvPores* p = s->p;
  size_t count = s->l->work.set.count;
  for (size_t j = 0; j < count; ++j) s->loss[j] = 0;
  for (size_t n = 0; n < p->set.count; ++n) {
    const uint32_t* list = p->liquid.index + 8 * (size_t)p->liquid.first[n];
    float wish = s->wish[4 * n + 3];
    for (size_t j = 0; wish > 0 && j < 8 * (size_t)p->liquid.groups[n]; ++j)
      if (list[j] < count) s->loss[list[j]] += (double)(pair_weight(s, list[j], n) * wish);
  }
  for (size_t j = 0; j < count; ++j) give(s, j, s->loss[j]);
}

// Particles that are nearly empty end: the pore with the largest weight gets the rest.
static void end_small(const Soak* s) {
  const RvSphLists* lists = &s->p->reverse;
  RvParticles* particles = s->l->particles;
  double spacing = s->l->model.spacing;
  double least = LEAST_SHARE * spacing * spacing * spacing;
  for (size_t n = 0; n < s->l->work.set.count; ++n) {
    size_t i = s->l->work.set.from[n];
    if (!(s->loss[n] > 0)) continue;
    particles->volume[i] = rv_max(particles->volume[i] - s->loss[n], 0);
    s->p->taken += s->loss[n];
    if (!(particles->volume[i] < least)) continue;
    const uint32_t* list = lists->index + 8 * (size_t)lists->first[n];
    float largest = 0;
    size_t nearest = 0;
    for (size_t j = 0; j < 8 * (size_t)lists->groups[n]; ++j) {
      float weight = list[j] < s->p->set.count ? pair_weight(s, n, list[j]) : 0;
      if (!(weight > largest)) continue;
      largest = weight;
      nearest = list[j];
    }
    if (!(largest > 0)) continue;
    s->p->held[s->p->set.from[nearest]] += particles->volume[i];
    s->p->taken += particles->volume[i];
    particles->volume[i] = 0;
  }
}

// Memory of the exchange: places of both sets beside their factors. False: out of memory.
static bool begin_soak(Soak* s) {
  RvArena* arena = s->l->arena;
  size_t count = s->l->work.set.count, pores = s->p->set.count;
  s->wish = RV_TAKE(arena, float, 4 * (pores + 1));
  s->give = RV_TAKE(arena, float, 4 * (count + 1));
  s->loss = RV_TAKE(arena, double, count + 1);
  s->gain = RV_TAKE(arena, double, pores + 1);
  if (!s->wish || !s->give || !s->loss || !s->gain) return false;
  memcpy(s->give, s->l->work.start, 4 * (count + 1) * sizeof(float));
  memcpy(s->wish + 4 * pores, s->p->set.at + 4 * pores, 4 * sizeof(float));
  s->wish[4 * pores + 3] = 0;
  return true;
}

RvResult rv_pores_soak(RvPores* p, RvLookdevLiquid* l, RvError* error) {
  if (!p->liquid.pairs) return RV_OK;
  double started = rv_lookdev_liquid_clock(l);
  RvArenaMark mark = rv_arena_mark(l->arena);
  size_t count = l->particles->count;
  Soak s = {.p = p, .l = l};
  if (!begin_soak(&s)) {
    rv_lookdev_liquid_end(l);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu pores", p->count);
  }
  rv_parallel_for(p->set.count, GRAIN, wish_some, &s);
  if (p->liquid.full || p->reverse.full)
    want_one_by_one(&s);
  else
    rv_parallel_for(count, GRAIN, wanted_some, &s);
  rv_parallel_for(p->set.count, GRAIN, gained_some, &s);
  end_small(&s);
  rv_arena_release(l->arena, mark);
  p->seconds += rv_lookdev_liquid_clock(l) - started;
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- down the strand

// Component along gravity of the way from one pore to the next, over its length: 1 straight down. By the points.
static double descent(const RvPoreHair* hair, const RvLookdevLiquid* l, size_t from, size_t to) {
  RvVec3 way = rv_sub(rv_vec3_load64(hair->x + 3 * to), rv_vec3_load64(hair->x + 3 * from));
  RvVec3 g = rv_vec3_load64(l->model.gravity);
  double length = rv_length(way) * rv_length(g);
  return length > 0 ? rv_dot(way, g) / length : 0;
}

// A new particle at a point of the hair.
static RvResult drip(RvLookdevLiquid* l, const RvPoreHair* hair, size_t point, double volume, int64_t* next_id,
                     int32_t row, RvError* error) {
  double cell[3];
  for (size_t a = 0; a < 3; ++a) cell[a] = hair->x[3 * point + a] / l->model.dx;
  RvParticles* particles = l->particles;
  size_t i = rv_liquid_particles_add(particles, cell);
  if (i == SIZE_MAX) return rv_fail(error, RV_NO_MEMORY, "no memory or no place for a drop of liquid");
  for (size_t a = 0; a < 3; ++a) particles->v[a][i] = (float)hair->v[3 * point + a];
  particles->volume[i] = volume;
  // A drop that fell is not held again by the hair that it leaves.
  particles->c[RV_LOOKDEV_HOLD][i] = (float)RV_LOOKDEV_MOST_HOLD;
  particles->id[i] = (*next_id)++;
  particles->row[i] = row;
  return RV_OK;
}

// What draining needs. Strands do not depend on each other.
typedef struct Drain {
  RvPores* p;
  const RvPoreHair* hair;
  const RvLookdevLiquid* l;
  double dt;
  double drop;    // m3
  uint8_t* falls;  // [count] whether a drop falls from the pore
  double* gone;    // [count] m3 that dries
} Drain;

// Moves liquid of pore k to its lower neighbour, or lets a drop fall where there is none.
static void run_down(const Drain* job, size_t k) {
  RvPores* p = job->p;
  double capacity = p->model.porosity * p->space[k];
  double mobile = p->held[k] - p->model.retention * capacity;
  if (!(mobile > 0)) return;
  // Neighbours along the strand: a pore begins at its point, so that the next one's way is that of this edge.
  size_t point = p->point[k];
  bool first = k == 0 || p->below[k - 1] == 0;
  double onward = p->below[k] ? descent(job->hair, job->l, point, point + 1) : -1;
  double back = first ? -1 : descent(job->hair, job->l, point + 1, point);
  double down = rv_max(onward, back);
  if (down > 0) {
    double rate = p->model.drain * job->dt * down;
    double flow = mobile * rate / (1 + rate);
    p->held[k] -= flow;
    p->held[onward > back ? k + 1 : k - 1] += flow;
    return;
  }
  // No way further down: a drop gathers, and falls.
  if (mobile < job->drop) return;
  job->falls[k] = 1;
  p->held[k] -= job->drop;
}

// The pores of the strands whose first pore is one of [begin, end).
static void drain_strands(void* arg, size_t begin, size_t end) {
  const Drain* job = arg;
  RvPores* p = job->p;
  size_t k = begin;
  while (k > 0 && k < end && p->below[k - 1]) ++k;
  for (; k < p->count && (k < end || p->below[k - 1]); ++k) {
    job->falls[k] = 0;
    job->gone[k] = 0;
    if (!(p->held[k] > 0)) continue;
    run_down(job, k);
    // What evaporates of the hairs' surface is a sink.
    job->gone[k] = rv_min(p->model.drying * job->hair->area[p->point[k]] * job->dt, p->held[k]);
    p->held[k] -= job->gone[k];
  }
}

//---------------------------------------------------------------------------------------------- film

// The section of a film is pi ((r + h)^2 - r^2), and the surface of the edge 2 pi r times its length.
double rv_pores_film_volume(double height, double area, double radius) {
  return area * height * (1 + 0.5 * height / radius);
}

double rv_pores_film_height(double volume, double area, double radius) {
  if (!(volume > 0) || !(area > 0)) return 0;
  double x = 2 * volume / (area * radius);
  // r (sqrt(1 + x) - 1) without its cancellation
  return radius * x / (1 + sqrt(1 + x));
}

void rv_pores_paint(RvPores* p, const double* rate, const double* area, const double* radius, double dt) {
  RvSum sum = {p->painted, 0};
  for (size_t k = 0; k < p->count; ++k) {
    size_t i = p->point[k];
    double growth = 0.5 * (rate[i] + rate[i + 1]) * dt;
    if (!(growth > 0)) continue;
    double height = rv_min(rv_pores_film_height(p->held[k], area[i], radius[i]) + growth, MOST_FILM);
    double added = rv_max(rv_pores_film_volume(height, area[i], radius[i]) - p->held[k], 0);
    p->held[k] += added;
    rv_sum_add(&sum, added);
  }
  p->painted = rv_sum_total(&sum);
}

//---------------------------------------------------------------------------------------------- wet hair

static void saturate_some(void* arg, size_t begin, size_t end) {
  const RvPores* p = arg;
  for (size_t k = begin; k < end; ++k) {
    double capacity = p->model.porosity * p->space[k];
    p->saturation[k] = capacity > 0 ? (float)(p->held[k] / capacity) : 0;
  }
}

// The mean of the two edges of a point; its only edge at an end.
static void wet_some(void* arg, size_t begin, size_t end) {
  const RvPores* p = arg;
  for (size_t i = begin; i < end; ++i) {
    uint32_t before = p->pore_of[i];
    uint32_t after = p->pore_of[i + 1];
    bool both = before != RV_NO_PORE && after != RV_NO_PORE;
    float sum = before == RV_NO_PORE ? 0 : p->saturation[before];
    if (after != RV_NO_PORE) sum = both ? 0.5f * sum + 0.5f * p->saturation[after] : p->saturation[after];
    p->wetness[i] = sum;
    double wet = rv_min((double)p->wetness[i], MOST_SATURATION);
    p->mass_factor[i] = (float)(1 + p->model.wet_mass * wet);
    p->stiffness_factor[i] = (float)(1 - p->model.wet_softness * rv_min(wet, 1));
  }
}

void rv_pores_wet_points(RvPores* p) {
  rv_parallel_for(p->count, PORES_A_TASK, saturate_some, p);
  rv_parallel_for(p->points, PORES_A_TASK, wet_some, p);
}

RvResult rv_pores_drain(RvPores* p, const RvPoreHair* hair, RvLookdevLiquid* l, double dt, int64_t* next_id,
                        int32_t row, RvError* error) {
  double started = rv_lookdev_liquid_clock(l);
  RvResult result = RV_OK;
  RvArenaMark mark = rv_arena_mark(l->arena);
  double full = l->model.spacing * l->model.spacing * l->model.spacing;
  Drain job = {.p = p, .hair = hair, .l = l, .dt = dt, .drop = rv_clamp(DROP, LEAST_DROP * full, full)};
  job.falls = RV_TAKE(l->arena, uint8_t, p->count + 1);
  job.gone = RV_TAKE(l->arena, double, p->count + 1);
  if (!job.falls || !job.gone) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu pores", p->count);
  rv_parallel_for(p->count, PORES_A_TASK, drain_strands, &job);
  // Drops and sums in the order of the pores.
  for (size_t k = 0; k < p->count && !result; ++k) {
    p->evaporated += job.gone[k];
    if (!job.falls[k]) continue;
    result = drip(l, hair, p->point[k] + (p->below[k] == 0), job.drop, next_id, row, error);
    p->dripped += job.drop;
  }
  rv_arena_release(l->arena, mark);
  rv_pores_wet_points(p);
  p->seconds += rv_lookdev_liquid_clock(l) - started;
  return result;
}

//---------------------------------------------------------------------------------------------- a substep

RvResult rv_pores_substep(RvPores* p, const RvPoreHair* hair, RvLookdevLiquid* l, double dt, int64_t* next_id,
                          RvError* error) {
  RvResult result = rv_lookdev_liquid_predict(l, dt, error);
  if (!result) result = rv_pores_place(p, hair, l, error);
  if (!result) result = rv_lookdev_liquid_arrange(l, p->place, p->nactive, error);
  if (!result) result = rv_pores_meet(p, hair, l, error);
  if (!result) result = rv_lookdev_liquid_project(l, error);
  if (result) return result;
  rv_pores_adhere(p, l);
  result = rv_pores_soak(p, l, error);
  if (!result) result = rv_lookdev_liquid_move(l, error);
  return result ? result : rv_pores_drain(p, hair, l, dt, next_id, 0, error);
}
