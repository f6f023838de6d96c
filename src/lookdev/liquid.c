// One substep of position-based liquid; see liquid.h.
#include "lookdev/liquid.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/parallel.h"
#include "base/timer.h"
#include "math/scalar.h"

enum { GRAIN = 1024 };  // particles a task of the simple loops

// Slope of spiky at 0, its sign changed: 45 / pi. Factors of the kernels in sph/lanes.h.
static const double POLY6 = 315 / (64 * RV_PI);
static const double SPIKY_SLOPE = 45 / RV_PI;
static const double VISCOSITY = 15 / (2 * RV_PI);
static const double COHESION = 32 / RV_PI;
// Surface tension of the cohesion kernel relative to the mean field of spec 5.2, at two spacings (E67).
static const double TENSION_MEASURED = 1.13;
// Largest share of a velocity difference that explicit viscosity may take away in a substep: the sum of the kernel over
// compressed neighbours reaches 1.5, and above 2 the step would overshoot.
static const double MOST_VISCOSITY = 0.5;
// Free fall of a substep, in spacings, up to which the last pressure is a good guess: in longer substeps a column moves
// so far that the guess throws particles out of its surface.
static const double WARM_FALL = 0.025;
// Times that, at which the guess is not worth its time.
static const double MOST_WARM = 2;
// m/s2: the projection may add the speed of a fall from half a spacing, so that waves and drops of the particles' size
// move freely.
static const double EARTH = 9.81;
// Weight of the speed of solids in that limit, so that a solid may carry liquid along with all of its speed.
static const float SOLID_CARRY = 4;
// Supports that a particle may go in a substep, and share of the period of the shortest capillary wave.
static const double CFL = 2;
static const double CAPILLARY_SHARE = 0.5;

RvLookdevLiquidModel rv_lookdev_liquid_defaults(double spacing) {
  return (RvLookdevLiquidModel){.dx = 2 * spacing,
                                .spacing = spacing,
                                .support = 2 * spacing,
                                .density = 1000,
                                .gravity = {0, -9.81, 0},
                                .viscosity = 1e-3,
                                .smoothing = 5,
                                .tension = 0.072,
                                .curvature = 0.01,
                                .tolerance = 0.01,
                                .iterations = 4,
                                .relaxation = 0.1,
                                .over = 0.6,
                                .warm = 0.4,
                                .margin = 0.25 * spacing};
}

void rv_lookdev_liquid_init(RvLookdevLiquid* l, const RvLookdevLiquidModel* model, RvParticles* particles,
                            RvArena* arena) {
  *l = (RvLookdevLiquid){.model = *model, .particles = particles, .arena = arena};
  rv_sph_half_init(&l->half, RV_SPH_POLY6);
  rv_sph_half_init(&l->adhesive, RV_SPH_ADHESION);
  float most = 0;
  for (int i = 0; i <= RV_SPH_HALF_PARTS; ++i) most = l->adhesive.pull[i] > most ? l->adhesive.pull[i] : most;
  for (int i = 0; i <= RV_SPH_HALF_PARTS; ++i) l->adhesive.pull[i] /= most;
  l->cohesion_moment = rv_sph_moment(RV_SPH_COHESION, 4);
}

double rv_lookdev_liquid_clock(const RvLookdevLiquid* l) {
  return l->cpu_time ? rv_clock_cpu() : rv_clock_wall();
}

void rv_lookdev_liquid_end(RvLookdevLiquid* l) {
  rv_arena_release(l->arena, l->work.mark);
}

//---------------------------------------------------------------------------------------------- predict

// Velocities with gravity, and the places to which they lead.
static void predict_some(void* arg, size_t begin, size_t end) {
  RvLookdevLiquid* l = arg;
  RvLookdevLiquidWork* w = &l->work;
  RvParticles* p = l->particles;
  double full = l->model.spacing * l->model.spacing * l->model.spacing;
  for (size_t i = begin; i < end; ++i) {
    double cell[3];
    rv_liquid_particles_place(p, i, cell);
    // Liquid that hair holds grows heavier until it drips (AH-22).
    double held = 1 + rv_min((double)p->c[RV_LOOKDEV_HOLD][i], RV_LOOKDEV_MOST_HOLD);
    for (size_t a = 0; a < 3; ++a) {
      double speed = (double)p->v[a][i] + w->dt * held * l->model.gravity[a];
      w->place[3 * i + a] = cell[a] * l->model.dx + w->dt * speed;
    }
    w->weight[i] = (float)(p->volume[i] / full);
  }
}

RvResult rv_lookdev_liquid_predict(RvLookdevLiquid* l, double dt, RvError* error) {
  RvLookdevLiquidWork* w = &l->work;
  size_t count = l->particles->count;
  double started = rv_lookdev_liquid_clock(l);
  *w = (RvLookdevLiquidWork){.mark = rv_arena_mark(l->arena), .dt = dt};
  w->place = RV_TAKE(l->arena, double, 3 * count + 1);
  w->weight = RV_TAKE(l->arena, float, count + 1);
  RvResult result =
      w->place && w->weight ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for %zu particles", count);
  if (!result) rv_parallel_for(count, GRAIN, predict_some, l);
  double predicted = rv_lookdev_liquid_clock(l);
  if (!result) result = rv_lookdev_liquid_meet_solids(l, error);
  l->report.seconds[RV_LOOKDEV_LIQUID_STAGE_predict] += predicted - started;
  l->report.seconds[RV_LOOKDEV_LIQUID_STAGE_solids] += rv_lookdev_liquid_clock(l) - predicted;
  if (result) rv_lookdev_liquid_end(l);
  return result;
}

//---------------------------------------------------------------------------------------------- arrange

// Planes on the lattice, velocities, and pressures as multipliers, in the new order.
static void arrange_some(void* arg, size_t begin, size_t end) {
  RvLookdevLiquid* l = arg;
  RvLookdevLiquidWork* w = &l->work;
  const RvLookdevSums* s = &w->sums;
  const double* origin = w->lattice.origin;
  for (size_t k = begin; k < end; ++k) {
    size_t i = w->set.from[k];
    ((int32_t*)s->plane_at)[k] = w->near[i] ? (int32_t)i : -1;
    s->multiplier[k] = (float)(w->warm * l->particles->c[RV_LOOKDEV_PRESSURE][i] * w->dt * w->dt);
    for (size_t a = 0; a < 3; ++a) s->velocity[4 * k + a] = l->particles->v[a][i];
    s->velocity[4 * k + 3] = 0;
    memset(s->solid + 4 * k, 0, 4 * sizeof(float));
    if (!w->near[i]) continue;
    RvLookdevPlanes* planes = &w->planes[i];
    for (int n = 0; n < planes->count; ++n) {
      float* plane = planes->plane[n];
      double offset = planes->offset[n] + plane[0] * origin[0] + plane[1] * origin[1] + plane[2] * origin[2];
      plane[3] = (float)(offset / w->lattice.support);
    }
    rv_lookdev_solid_share(s, k, s->solid + 4 * k);
  }
}

// Factors of the sums.
static void set_factors(RvLookdevLiquid* l) {
  const RvLookdevLiquidModel* m = &l->model;
  RvLookdevSums* s = &l->work.sums;
  double dt = l->work.dt;
  double ratio = m->spacing / m->support;
  double volume = ratio * ratio * ratio;
  double rest = rv_sph_lattice_share(RV_SPH_POLY6, m->spacing, m->support);
  s->value_factor = (float)(POLY6 * volume / rest);
  s->slope_factor = (float)(SPIKY_SLOPE * volume / rest);
  // The diagonal of a lattice at rest: its gradient is 0, and each of the neighbours adds the square of its slope.
  double slopes = 0;
  int reach = (int)(1 / ratio);
  for (int n = -reach; n <= reach; ++n)
    for (int k = -reach; k <= reach; ++k)
      for (int j = -reach; j <= reach; ++j) {
        double q = ratio * sqrt((double)(n * n + k * k + j * j));
        double slope = s->slope_factor * (q < 1 ? (1 - q) * (1 - q) : 0);
        slopes += q > 0 ? slope * slope : 0;
      }
  s->relaxation = (float)(m->relaxation * slopes);
  s->over = (float)m->over;
  // Accelerations: cohesion has the coefficient of the surface tension, sigma = pi / 8 rho^2 gamma H^2 M4.
  double gamma = 8 * m->tension /
                 (RV_PI * m->density * m->density * m->support * m->support * l->cohesion_moment * TENSION_MEASURED);
  double cohesion = dt * gamma * m->density * volume;
  s->cohesion = (float)(cohesion * COHESION);
  s->curvature = (float)(cohesion * m->curvature * rest);
  s->allowance = (float)sqrt(EARTH * m->spacing);
  // XSPH with the rate of the viscosity: <r^2> is that of a lattice at rest, which is an eighth larger than that of the
  // kernel, as no particle is near the pole of the kernel.
  double square = rv_sph_lattice_square(RV_SPH_VISCOSITY, m->spacing, m->support) * m->support * m->support;
  double rate = m->smoothing + 6 * m->viscosity / (m->density * square);
  l->report.limited += rate * dt > MOST_VISCOSITY;
  s->viscosity = (float)(rv_min(rate * dt, MOST_VISCOSITY) * VISCOSITY * volume);
}

// Share of the last pressure with which the substep begins.
static double warm_share(const RvLookdevLiquidModel* m, double dt) {
  double fall = rv_length(rv_vec3_load64(m->gravity)) * dt * dt / m->spacing;
  double longer = fall / WARM_FALL;
  if (longer > MOST_WARM) return 0;
  return longer > 1 ? m->warm / (longer * longer) : m->warm;
}

// Arrays of the sums.
static bool take_sums(RvLookdevLiquid* l) {
  RvLookdevLiquidWork* w = &l->work;
  RvLookdevSums* s = &w->sums;
  size_t count = w->set.count + 1;
  float** quads[] = {&s->next, &s->normal, &s->solid, &s->velocity, &s->velocity_next, &s->before, &w->start};
  float** singles[] = {&s->density, &s->multiplier, &s->change};
  bool fine = true;
  for (size_t k = 0; k < sizeof quads / sizeof *quads; ++k) {
    *quads[k] = RV_TAKE(l->arena, float, 4 * count);
    fine = fine && *quads[k];
    // The particle that fills up groups.
    if (fine) memset(*quads[k] + 4 * (count - 1), 0, 4 * sizeof(float));
  }
  for (size_t k = 0; k < sizeof singles / sizeof *singles; ++k) {
    *singles[k] = RV_TAKE(l->arena, float, count);
    fine = fine && *singles[k];
    if (fine) (*singles[k])[count - 1] = 0;
  }
  s->plane_at = RV_TAKE(l->arena, int32_t, count);
  fine = fine && s->plane_at;
  if (!fine) return false;
  s->at = w->set.at;
  memcpy(s->next + 4 * (count - 1), s->at + 4 * (count - 1), 4 * sizeof(float));
  // Pairs divide by the sum of their densities.
  s->normal[4 * (count - 1) + 3] = 1;
  s->lists = &w->lists;
  s->half = &l->half;
  s->planes = w->planes;
  return true;
}

RvResult rv_lookdev_liquid_arrange(RvLookdevLiquid* l, const double* others, size_t nother, RvError* error) {
  RvLookdevLiquidWork* w = &l->work;
  size_t count = l->particles->count;
  const double* places[] = {w->place, others};
  const size_t counts[] = {count, nother};
  double started = rv_lookdev_liquid_clock(l);
  RvResult result = rv_sph_lattice_fit(&w->lattice, l->model.support, others ? 2 : 1, places, counts, error);
  if (!result) result = rv_sph_set_sort(&w->set, &w->lattice, w->place, w->weight, count, l->arena, error);
  double sorted = rv_lookdev_liquid_clock(l);
  if (!result)
    result = l->single ? rv_sph_lists_find_single(&w->lists, &w->lattice, &w->set, &w->set, l->arena, error)
                       : rv_sph_lists_find(&w->lists, &w->lattice, &w->set, &w->set, l->arena, error);
  l->report.seconds[RV_LOOKDEV_LIQUID_STAGE_sort] += sorted - started;
  l->report.seconds[RV_LOOKDEV_LIQUID_STAGE_neighbours] += rv_lookdev_liquid_clock(l) - sorted;
  if (!result && !take_sums(l)) result = rv_fail(error, RV_NO_MEMORY, "out of memory for %zu particles", count);
  if (result) {
    rv_lookdev_liquid_end(l);
    return result;
  }
  set_factors(l);
  w->warm = warm_share(&l->model, w->dt);
  rv_parallel_for(count, GRAIN, arrange_some, l);
  memcpy(w->start, w->sums.at, 4 * count * sizeof(float));
  l->report.full += w->lists.full;
  l->report.pairs = w->lists.pairs;
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- project

typedef struct Density {
  const RvLookdevLiquid* l;
  _Atomic uint32_t largest;  // bits of a float at or above 0, which are ordered as whole numbers
} Density;

// Sum of the excess over some particles.
static double density_some(void* arg, size_t begin, size_t end) {
  Density* d = arg;
  const RvLookdevSums* s = &d->l->work.sums;
  RvLookdevExcess excess = d->l->single ? RV_KERNEL_CALL_SINGLE(rv_lookdev_density, (s, begin, end))
                                        : RV_KERNEL_CALL(rv_lookdev_density, (s, begin, end));
  uint32_t bits;
  uint32_t known = atomic_load(&d->largest);
  memcpy(&bits, &excess.largest, sizeof bits);
  while (bits > known && !atomic_compare_exchange_weak(&d->largest, &known, bits)) continue;
  return excess.sum;
}

// Keeps a place out of solids.
static void hold_out(const RvLookdevPlanes* planes, float margin, float* x) {
  for (int n = 0; n < planes->count; ++n) {
    const float* plane = planes->plane[n];
    float d = plane[0] * x[0] + plane[1] * x[1] + plane[2] * x[2] + plane[3];
    for (int a = 0; a < 3 && d < margin; ++a) x[a] += (margin - d) * plane[a];
  }
}

static void displace_some(void* arg, size_t begin, size_t end) {
  const RvLookdevLiquid* l = arg;
  const RvLookdevSums* s = &l->work.sums;
  float margin = (float)(l->model.margin / l->model.support);
  if (l->single)
    RV_KERNEL_CALL_SINGLE(rv_lookdev_displace, (s, begin, end));
  else
    RV_KERNEL_CALL(rv_lookdev_displace, (s, begin, end));
  for (size_t k = begin; k < end; ++k)
    if (s->plane_at[k] >= 0) hold_out(&s->planes[s->plane_at[k]], margin, s->next + 4 * k);
}

// Moves all particles by the changes of the multipliers.
static void displace(RvLookdevLiquid* l) {
  RvLookdevSums* s = &l->work.sums;
  rv_parallel_for(l->particles->count, RV_SPH_GRAIN, displace_some, l);
  float* at = s->at;
  s->at = s->next;
  s->next = at;
}

// Moves all particles by the pressure of the last substep, a first guess of this one's.
static void start_warm(RvLookdevLiquid* l) {
  RvLookdevSums* s = &l->work.sums;
  memcpy(s->change, s->multiplier, l->particles->count * sizeof(float));
  displace(l);
}

// Velocity of a particle with gravity, and its speed or that of a solid near it, before the projection.
static void velocity_before(const RvLookdevLiquid* l, size_t k) {
  const RvLookdevLiquidWork* w = &l->work;
  size_t i = w->set.from[k];
  float* before = w->sums.before + 4 * k;
  float square = 0;
  for (int a = 0; a < 3; ++a) {
    before[a] = l->particles->v[a][i] + (float)(w->dt * l->model.gravity[a]);
    square += before[a] * before[a];
  }
  int32_t near = w->sums.plane_at[k];
  for (int n = 0; near >= 0 && n < w->planes[near].count; ++n) {
    const float* v = w->planes[near].velocity[n];
    float solid = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    // Solids carry the liquid with them.
    float carried = SOLID_CARRY * SOLID_CARRY * solid;
    square = carried > square ? carried : square;
  }
  before[3] = sqrtf(square);
}

// Path of a particle in the substep, m, kept in `next`, and the velocity that it means.
static void velocity_some(void* arg, size_t begin, size_t end) {
  const RvLookdevLiquid* l = arg;
  const RvLookdevLiquidWork* w = &l->work;
  const RvLookdevSums* s = &w->sums;
  double per_dt = 1 / w->dt;
  for (size_t k = begin; k < end; ++k) {
    size_t i = w->set.from[k];
    double cell[3];
    rv_liquid_particles_place(l->particles, i, cell);
    for (size_t a = 0; a < 3; ++a) {
      double displaced = (double)(s->at[4 * k + a] - w->start[4 * k + a]) * w->lattice.support;
      double path = w->place[3 * i + a] + displaced - cell[a] * l->model.dx;
      s->next[4 * k + a] = (float)path;
      s->velocity[4 * k + a] = (float)(path * per_dt);
    }
    velocity_before(l, k);
  }
}

RvResult rv_lookdev_liquid_project(RvLookdevLiquid* l, RvError* error) {
  const RvLookdevLiquidModel* m = &l->model;
  size_t count = l->particles->count;
  double started = rv_lookdev_liquid_clock(l);
  double mean = 0;
  int iterations = 0;
  (void)error;
  if (l->work.warm > 0) start_warm(l);
  for (;; ++iterations) {
    Density d = {l, 0};
    mean = count ? rv_parallel_sum(count, RV_SPH_GRAIN, density_some, &d) / (double)count : 0;
    uint32_t bits = atomic_load(&d.largest);
    float largest;
    memcpy(&largest, &bits, sizeof largest);
    l->report.largest = (double)largest;
    if (iterations == m->iterations || (iterations > 0 && mean < m->tolerance)) break;
    displace(l);
    // A single iteration is not measured: that would take as long as the iteration itself.
    if (m->iterations == 1) break;
  }
  rv_parallel_for(count, GRAIN, velocity_some, l);
  l->report.excess = mean;
  if (m->iterations == 1) iterations = 1;
  l->report.iterations += iterations;
  if (iterations > l->report.most_iterations) l->report.most_iterations = iterations;
  l->report.unconverged += mean >= m->tolerance;
  l->report.seconds[RV_LOOKDEV_LIQUID_STAGE_density] += rv_lookdev_liquid_clock(l) - started;
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- move

typedef struct Forces {
  const RvLookdevLiquid* l;
  atomic_size_t calmed;
} Forces;

// Forces on some particles; what the limit of impacts took from them.
static double forces_some(void* arg, size_t begin, size_t end) {
  Forces* job = arg;
  const RvLookdevSums* s = &job->l->work.sums;
  RvLookdevCalmed calmed = job->l->single ? RV_KERNEL_CALL_SINGLE(rv_lookdev_forces, (s, begin, end))
                                          : RV_KERNEL_CALL(rv_lookdev_forces, (s, begin, end));
  atomic_fetch_add(&job->calmed, calmed.count);
  return calmed.speed;
}

// Velocity relative to each solid that the particle touches: what goes into it is removed, and of the tangential part
// as much as Coulomb's law gives for that impulse; adhesion pulls towards it.
static void touch_solids(const RvLookdevLiquid* l, const RvLookdevPlanes* planes, const float* x, float* v) {
  const RvLookdevLiquidWork* w = &l->work;
  float reach = (float)(1.01 * l->model.margin / l->model.support);
  float pull = (float)(w->dt * l->model.adhesion);
  for (int n = 0; n < planes->count; ++n) {
    const float* plane = planes->plane[n];
    const float* solid = planes->velocity[n];
    float d = plane[0] * x[0] + plane[1] * x[1] + plane[2] * x[2] + plane[3];
    float attraction = pull > 0 ? pull * rv_sph_half_at(&l->adhesive, d).pull : 0;
    for (int a = 0; a < 3; ++a) v[a] -= attraction * plane[a];
    float into = 0;
    for (int a = 0; a < 3; ++a) into += (v[a] - solid[a]) * plane[a];
    if (!(into < 0) || d > reach) continue;
    float along[3];
    float speed = 0;
    for (int a = 0; a < 3; ++a) {
      along[a] = v[a] - solid[a] - into * plane[a];
      speed += along[a] * along[a];
    }
    speed = sqrtf(speed);
    float lost = -into * planes->friction[n];
    float kept = planes->friction[n] >= 1 ? 0 : lost < speed ? 1 - lost / speed : 0;
    if (!(planes->friction[n] > 0)) kept = 1;
    for (int a = 0; a < 3; ++a) v[a] = solid[a] + kept * along[a];
  }
}

// New places, velocities, pressures and ages of the particles.
static void move_some(void* arg, size_t begin, size_t end) {
  RvLookdevLiquid* l = arg;
  RvLookdevLiquidWork* w = &l->work;
  RvLookdevSums* s = &w->sums;
  RvParticles* p = l->particles;
  double per_cell = 1 / l->model.dx;
  double pressure = 1 / (w->dt * w->dt);
  for (size_t k = begin; k < end; ++k) {
    size_t i = w->set.from[k];
    float* v = s->velocity_next + 4 * k;
    if (s->plane_at[k] >= 0) touch_solids(l, &s->planes[s->plane_at[k]], s->at + 4 * k, v);
    for (size_t a = 0; a < 3; ++a) {
      p->x[a][i] = (float)((double)p->x[a][i] + (double)s->next[4 * k + a] * per_cell);
      p->v[a][i] = v[a];
    }
    p->c[RV_LOOKDEV_PRESSURE][i] = (float)((double)s->multiplier[k] * pressure);
    p->age[i] += (float)w->dt;
  }
}

RvResult rv_lookdev_liquid_move(RvLookdevLiquid* l, RvError* error) {
  size_t count = l->particles->count;
  double started = rv_lookdev_liquid_clock(l);
  (void)error;
  Forces job = {l, 0};
  double speed = count ? rv_parallel_sum(count, RV_SPH_GRAIN, forces_some, &job) : 0;
  double spacing = l->model.spacing;
  l->report.calmed += atomic_load(&job.calmed);
  l->report.calmed_momentum += l->model.density * spacing * spacing * spacing * speed;
  double forced = rv_lookdev_liquid_clock(l);
  rv_parallel_for(count, GRAIN, move_some, l);
  l->report.seconds[RV_LOOKDEV_LIQUID_STAGE_forces] += forced - started;
  l->report.seconds[RV_LOOKDEV_LIQUID_STAGE_move] += rv_lookdev_liquid_clock(l) - forced;
  l->report.substeps++;
  rv_lookdev_liquid_end(l);
  return RV_OK;
}

RvResult rv_lookdev_liquid_substep(RvLookdevLiquid* l, double dt, RvError* error) {
  RvResult result = rv_lookdev_liquid_predict(l, dt, error);
  if (!result) result = rv_lookdev_liquid_arrange(l, NULL, 0, error);
  if (!result) result = rv_lookdev_liquid_project(l, error);
  return result ? result : rv_lookdev_liquid_move(l, error);
}

//---------------------------------------------------------------------------------------------- length of a substep

double rv_lookdev_liquid_longest(const RvLookdevLiquid* l) {
  const RvLookdevLiquidModel* m = &l->model;
  const RvParticles* p = l->particles;
  float fastest = 0;
  for (size_t i = 0; i < p->count; ++i) {
    float square = p->v[0][i] * p->v[0][i] + p->v[1][i] * p->v[1][i] + p->v[2][i] * p->v[2][i];
    fastest = square > fastest ? square : fastest;
  }
  double longest = fastest > 0 ? CFL * m->support / sqrt((double)fastest) : INFINITY;
  // Waves as long as two spacings have the frequency sqrt(sigma k^3 / rho).
  double k = RV_PI / m->spacing;
  double period = m->tension > 0 ? 2 * RV_PI / sqrt(m->tension * k * k * k / m->density) : INFINITY;
  return rv_min(longest, CAPILLARY_SHARE * period);
}
