// The pressure of interfaces: that which keeps the density constant (E69), and the forms to compare it with (VI-11).
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/parallel.h"
#include "interface/solver.h"
#include "math/scalar.h"

// The residual of the density, over the path of a free particle in spacings, at which the iterations end: pressures are
// then known to a share of what moves the liquid however short the substep is. The free path is a tenth of a spacing in
// the longest substeps that capillary waves allow, so that 0.05 is stricter than the tolerance of 0.1% below half of
// them. The factors of the tension and the angles are those of the plain tolerance.
static const double FREE_PATH_SHARE = 0.05;
// Lowest residual asked for: densities are sums in single precision, known to some 1e-7.
static const double LEAST_THRESHOLD = 1e-6;
// Ratio of the densities of two phases from which the diagonal is stiffened. Below it the plain one converges.
static const double STIFF_RATIO = 5;
// Excess of density before a substep that is set right within it.
static const float FREE_EXCESS = 0.01f;
// Time in which more is set right, over that in which liquid falls a spacing by tension or weight: the longest substep
// of capillary waves, so that shorter substeps set liquid right as fast as that one does.
static const double RELIEF = 0.32;
// Step of PCISPH and of the explicit form, over that of a particle amid a lattice. Twice as much overshoots in liquid
// that is not a lattice.
static const double LATTICE_STEP = 0.25;
// PCISPH makes at least three iterations (Solenthaler and Pajarola 2009).
enum { LEAST_PCISPH = 3 };

typedef RvInterfaceSolver Solver;

//---------------------------------------------------------------------------------------------- passes

static void push_some(void* arg, size_t begin, size_t end) {
  const Solver* s = arg;
  RV_INTERFACE_CALL(s, rv_interface_push, (&s->work.sums, begin, end));
}

static void pull_some(void* arg, size_t begin, size_t end) {
  const Solver* s = arg;
  RV_INTERFACE_CALL(s, rv_interface_pull, (&s->work.sums, begin, end));
}

static void load_some(void* arg, size_t begin, size_t end) {
  const Solver* s = arg;
  RV_INTERFACE_CALL(s, rv_interface_load, (&s->work.sums, begin, end));
}

static void stiffen_some(void* arg, size_t begin, size_t end) {
  const Solver* s = arg;
  RV_INTERFACE_CALL(s, rv_interface_stiffen, (&s->work.sums, begin, end));
}

typedef struct Excess {
  const Solver* s;
  _Atomic uint32_t largest;  // bits of a float at or above 0, which are ordered as whole numbers
} Excess;

static double predict_some(void* arg, size_t begin, size_t end) {
  Excess* e = arg;
  RvInterfaceExcess excess = e->s->model.method == RV_INTERFACE_IMPLICIT
                                 ? RV_INTERFACE_CALL(e->s, rv_interface_predict, (&e->s->work.sums, begin, end))
                                 : RV_INTERFACE_CALL(e->s, rv_interface_correct, (&e->s->work.sums, begin, end));
  uint32_t bits;
  uint32_t known = atomic_load(&e->largest);
  memcpy(&bits, &excess.largest, sizeof bits);
  while (bits > known && !atomic_compare_exchange_weak(&e->largest, &known, bits)) continue;
  return excess.sum;
}

// Sums the pair forces again where the particles are going to be (`pairupdates`).
static void pull_again(Solver* s) {
  RvInterfaceSums* m = &s->work.sums;
  size_t count = s->work.set.count;
  if (!m->far.index) return;
  for (size_t k = 0; k < 4 * count; ++k) m->ahead[k] = m->at[k] + (k % 4 < 3 ? m->move[k] : 0);
  memcpy(m->ahead + 4 * count, m->at + 4 * count, 4 * sizeof(float));
  rv_parallel_for(count, RV_SPH_GRAIN, pull_some, s);
}

// Displacements by the multipliers in `press`; those of bodies are rigid.
static void push(Solver* s) {
  rv_parallel_for(s->work.set.count, RV_SPH_GRAIN, push_some, s);
  rv_interface_project_bodies(s);
}

// Predicts the density at the end of the displacements and makes a step of the multipliers, `press_next`. The mean
// residual.
static double predict(Solver* s) {
  size_t count = s->work.set.count;
  Excess e = {s, 0};
  double mean = count ? rv_parallel_sum(count, RV_SPH_GRAIN, predict_some, &e) / (double)count : 0;
  uint32_t bits = atomic_load(&e.largest);
  float largest;
  memcpy(&largest, &bits, sizeof largest);
  s->report.largest = (double)largest;
  return mean;
}

// The step of the multipliers that was predicted becomes the present one.
static void take_step(Solver* s) {
  RvInterfaceSums* m = &s->work.sums;
  float* next = m->press_next;
  m->press_next = m->press;
  m->press = next;
}

// `kept` is the mean excess that is left for later substeps.
static void report(Solver* s, int iterations, double mean, double kept) {
  s->report.iterations += iterations;
  if (iterations > s->report.most_iterations) s->report.most_iterations = iterations;
  s->report.excess = rv_max(s->report.excess, mean + kept);
  s->report.unconverged += mean >= s->model.tolerance;
}

//---------------------------------------------------------------------------------------------- implicit

// Acceleration of the heaviest phase by tension over a spacing, m/s2, and by weight.
static double tension_acceleration(const RvInterfaceModel* m) {
  double heaviest = 0;
  for (int i = 0; i < m->phases; ++i) heaviest = rv_max(heaviest, m->phase[i].density);
  return m->tension / (heaviest * m->spacing * m->spacing);
}

static double weight_acceleration(const RvInterfaceModel* m) {
  return sqrt(m->gravity[0] * m->gravity[0] + m->gravity[1] * m->gravity[1] + m->gravity[2] * m->gravity[2]);
}

static double acceleration_of(const RvInterfaceModel* m) {
  return rv_max(tension_acceleration(m), weight_acceleration(m));
}

// Largest ratio of the densities of two phases.
static double density_ratio(const RvInterfaceModel* m) {
  double least = m->phase[0].density;
  double most = least;
  for (int i = 1; i < m->phases; ++i) {
    least = rv_min(least, m->phase[i].density);
    most = rv_max(most, m->phase[i].density);
  }
  return most / least;
}

// Liquid that is packed too densely at first, as a fill is, would be set right in one substep, and the path of that
// become a velocity: the shorter the substep the faster. Light particles would be shot through heavy ones. Excess is
// set right in the time of the longest substep that one phase alone would have. The mean of what is kept.
static double relieve(Solver* s) {
  RvInterfaceSums* sums = &s->work.sums;
  size_t count = s->work.set.count;
  double acceleration = acceleration_of(&s->model);
  // Where tension alone makes the substeps, one is about as long as that already.
  bool slow = tension_acceleration(&s->model) < weight_acceleration(&s->model);
  bool compared = s->model.method != RV_INTERFACE_IMPLICIT;
  if (!slow && !compared && !(density_ratio(&s->model) > STIFF_RATIO)) return 0;
  double time = acceleration > 0 ? RELIEF * sqrt(s->model.spacing / acceleration) : 0;
  float kept = time > s->work.dt ? (float)(1 - s->work.dt / time) : 0;
  double sum = 0;
  for (size_t k = 0; k < count; ++k) {
    float excess = kept * (sums->own[4 * k + 3] - 1 - FREE_EXCESS);
    if (!(excess > 0)) continue;
    sums->own[4 * k + 3] -= excess;
    sum += (double)excess;
  }
  return count ? sum / (double)count : 0;
}

// Residual at which the iterations end. A residual r of the density allows an error r rho s^2 / dt^2 of the pressure,
// which must stay small against tension and weight however short the substep is. Else smooth errors of pressure, which
// change densities least, would stay in the warm start and drive the drop.
static double residual_threshold(const Solver* s) {
  const RvInterfaceModel* m = &s->model;
  double acceleration = acceleration_of(m);
  double path = s->work.dt * s->work.dt * acceleration / m->spacing;
  double wanted = rv_max(FREE_PATH_SHARE * path, LEAST_THRESHOLD);
  // Bubbles, whose volumes have been measured with the tolerance alone, keep it.
  return acceleration > 0 && !s->bubbles.row_body ? rv_min(m->tolerance, wanted) : m->tolerance;
}

// Where light particles lie among heavy ones, each of them is moved by the pressures of all its neighbours, and every
// one of those takes it for its own: Jacobi steps then diverge. The diagonal is raised by how often a particle's motion
// is taken (its load), which brings the largest eigenvalue back to that of one phase.
static RvResult stiffen(Solver* s, RvError* error) {
  RvInterfaceSums* m = &s->work.sums;
  size_t count = s->work.set.count;
  m->load = RV_TAKE(s->arena, float, count + 1);
  m->load_light = RV_TAKE(s->arena, float, count + 1);
  m->inverse_diagonal = RV_TAKE(s->arena, float, count + 1);
  if (!m->load || !m->load_light || !m->inverse_diagonal)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the pressure of %zu particles", count);
  // The particle that fills up groups has no slopes; its numbers only need to be finite.
  m->load_light[count] = 0;
  m->inverse_diagonal[count] = 0;
  for (size_t k = 0; k < count; ++k) m->inverse_diagonal[k] = 1 / m->diagonal[k];
  rv_parallel_for(count, RV_SPH_GRAIN, load_some, s);
  for (size_t k = 0; k < count; ++k) m->load_light[k] = m->load[k] * m->drift[4 * k + 3];
  rv_parallel_for(count, RV_SPH_GRAIN, stiffen_some, s);
  return RV_OK;
}

// Projected gradient steps, scaled by the diagonal and accelerated (Nesterov 1983), until the predicted density is
// constant (E69). The acceleration starts anew where the residual grows (O'Donoghue and Candes 2015). The displacements
// at the end are those of the multipliers in `press`.
static RvResult solve_implicit(Solver* s, RvError* error) {
  RvInterfaceSums* m = &s->work.sums;
  const double threshold = residual_threshold(s);
  double mean = 0;
  double before = INFINITY;
  double pace = 1;
  int iterations = 0;
  if (density_ratio(&s->model) > STIFF_RATIO) {
    RvResult result = stiffen(s, error);
    if (result) return result;
  }
  const double kept = relieve(s);
  for (;; ++iterations) {
    double next_pace = 0.5 * (1 + sqrt(1 + 4 * pace * pace));
    m->momentum = (float)((pace - 1) / next_pace);
    push(s);
    mean = predict(s);
    if (!(mean >= threshold) || iterations == s->model.iterations) break;
    take_step(s);
    pull_again(s);
    pace = mean > before ? 1 : next_pace;
    before = mean;
  }
  report(s, iterations, mean, kept);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- to compare

// Pressures of 0, and the step that a particle amid a lattice needs.
static void begin_lattice(Solver* s) {
  RvInterfaceSums* m = &s->work.sums;
  const double side = 1 / (RV_INTERFACE_SPACINGS * s->model.ratio);
  const int reach = (int)RV_INTERFACE_SPACINGS;
  double sum = 0;
  // Squares of the slopes to all neighbours; the gradient by the particle's own place is 0 there.
  for (int i = -reach; i <= reach; ++i)
    for (int j = -reach; j <= reach; ++j)
      for (int k = -reach; k <= reach; ++k) {
        double square = (double)(i * i + j * j + k * k) * side * side;
        double u = rv_max(1 - s->model.ratio * sqrt(square), 0);
        double slope = (double)m->slope_factor * u * u * u;
        sum += slope * slope * square;
      }
  m->lattice_step = (float)(LATTICE_STEP / sum);
  for (size_t k = 0; k < s->work.set.count; ++k) m->press[4 * k + 3] = 0;
}

// PCISPH as the seed prints it (Algorithm 1): pressures begin at 0, and each iteration predicts places, adds to the
// pressure what the excess of density there asks for, and sums the forces anew.
static RvResult solve_pcisph(Solver* s) {
  double mean = 0;
  int iterations = 0;
  const double kept = relieve(s);
  begin_lattice(s);
  for (;; ++iterations) {
    push(s);
    mean = predict(s);
    bool enough = iterations >= LEAST_PCISPH && mean < s->model.tolerance;
    if (enough || iterations == s->model.iterations) break;
    take_step(s);
    pull_again(s);
  }
  report(s, iterations, mean, kept);
  return RV_OK;
}

// The explicit form: the pressure is proportional to the excess of density at the beginning of the substep, with the
// largest speed of sound that the substep allows.
static RvResult solve_explicit(Solver* s) {
  RvInterfaceSums* m = &s->work.sums;
  size_t count = s->work.set.count;
  const double kept = relieve(s);
  begin_lattice(s);
  // The density before the step: that at the end of no displacement.
  memset(m->move, 0, 4 * count * sizeof(float));
  predict(s);
  take_step(s);
  push(s);
  report(s, 1, predict(s), kept);
  return RV_OK;
}

RvResult rv_interface_solve_pressure(RvInterfaceSolver* s, RvError* error) {
  if (s->model.method == RV_INTERFACE_PCISPH) return solve_pcisph(s);
  if (s->model.method == RV_INTERFACE_EXPLICIT) return solve_explicit(s);
  return solve_implicit(s, error);
}
