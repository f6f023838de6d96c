// The step of strands that something joins: one Newton for all, whose linear systems are solved by conjugate gradients
// with each strand's own factor as preconditioner (WH-45, spec 1.2.12).
//
// The matrix is M + C: M the strands' bands, with what of the coupling fits them, and C the rest. As the directions are
// p = M^-1 r + beta p, their products with M need no multiplication: M p = r + beta M p. So an iteration costs one
// solve with the factors, one application of the coupling, and a few vector operations.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "strand/step.h"

typedef struct Coupled {
  const RvStrandStep* step;
  const RvOperator* op;
  RvStrandWork* work;  // one a batch
  double* memory;      // of the batches
  size_t* memory_at;
  double *q, *d, *b, *r, *z, *p, *mp, *ap;  // [unknowns]; r is the gradient first, ap also the line search's trial
  double *share, *now, *trial, *slope;      // [lanes of all batches] of the line search
  double alpha, beta;
  double forcing;              // tolerance of the linear solve at hand
  double* alone;               // [batches] the first decrement without the others
  uint8_t *caution, *careful;  // [lanes of all batches], [batches] their bits
  int64_t* indefinite;         // one a batch; -1: no memory
} Coupled;

static size_t unknowns_of(const RvStrandBatch* b) {
  return (size_t)b->vertices * 4 * RV_LANES;
}

// spare lanes repeat a strand and must not count
static double dot(const RvStrandBatch* b, const double* x, const double* y) {
  double lanes[RV_LANES] __attribute__((aligned(64))), sum = 0;
  rv_newton_dot(b->vertices, x + b->at, y + b->at, lanes);
  for (int lane = 0; lane < b->lanes; ++lane) sum += lanes[lane];
  return sum;
}

//---------------------------------------------------------------------------------------------- one batch each

enum { ALONE_ITERATIONS = 8 };
static const double ALONE_TOLERANCE = 1e-2;

// Where a strand would go if the others were not there, solids included: what is hard for one strand is found out by
// that strand alone, and is not iterated with all the others.
static void guess_alone(Coupled* c, size_t k) {
  RvStrandWork* w = &c->work[k];
  const RvStrandBatch* b = &c->step->m->batches[k];
  RvStrandStats stats = {0};
  if (c->step->def->max_iterations < 2 || !c->op->block) return;
  w->spare = rv_alloc(rv_spare_size(b->vertices), sizeof(double));
  if (!w->spare) return;
  w->potential.alone = true;
  rv_step_newton(b, w, ALONE_ITERATIONS, ALONE_TOLERANCE, &stats);
  c->alone[k] = stats.first;
  w->potential.alone = false, w->potential.careful = 0;
  rv_free(w->spare), w->spare = NULL;
}

static void begin_batches(void* arg, size_t begin, size_t end) {
  Coupled* c = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &c->step->m->batches[k];
    RvStrandWork* w = &c->work[k];
    w->q = c->q + b->at, w->g = c->r + b->at, w->d = c->d + b->at, w->trial = c->ap + b->at;
    rv_work_place(w, c->memory + c->memory_at[k], b->vertices);
    rv_step_begin(c->step, b, w);
    guess_alone(c, k);
  }
}

static void assemble_batches(void* arg, size_t begin, size_t end) {
  Coupled* c = arg;
  for (size_t k = begin; k < end; ++k) {
    RvStrandWork* w = &c->work[k];
    double* spare = rv_alloc(rv_spare_size(c->step->m->batches[k].vertices), sizeof(double));
    if (!spare)
      c->indefinite[k] = -1;
    else if (rv_newton_assemble(&w->potential, w->q, w->g, w->band, spare) && c->indefinite[k] >= 0)
      c->indefinite[k]++;
    rv_free(spare);
  }
}

// the gradient becomes the right side: fixed unknowns and spare lanes do not move
static void right_side(void* arg, size_t begin, size_t end) {
  Coupled* c = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &c->step->m->batches[k];
    const double* may = c->step->m->free + b->at;
    size_t count = unknowns_of(b);
    for (size_t i = 0; i < count; ++i) c->r[b->at + i] = (int)(i % RV_LANES) < b->lanes ? -c->r[b->at + i] * may[i] : 0;
    memcpy(c->b + b->at, c->r + b->at, count * sizeof(double));
    memset(c->d + b->at, 0, count * sizeof(double));
    memset(c->p + b->at, 0, count * sizeof(double));
    memset(c->mp + b->at, 0, count * sizeof(double));
  }
}

// z = M^-1 r; gives r . z
static double precondition(void* arg, size_t begin, size_t end) {
  Coupled* c = arg;
  double sum = 0;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &c->step->m->batches[k];
    memcpy(c->z + b->at, c->r + b->at, unknowns_of(b) * sizeof(double));
    rv_ldlt_solve(c->work[k].band, 4 * b->vertices - 1, RV_ROD_BAND, c->z + b->at);
    sum += dot(b, c->r, c->z);
  }
  return sum;
}

// p = z + beta p, M p = r + beta M p, and room for A p
static void turn(void* arg, size_t begin, size_t end) {
  Coupled* c = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &c->step->m->batches[k];
    size_t count = unknowns_of(b);
    double *p = c->p + b->at, *mp = c->mp + b->at, *ap = c->ap + b->at;
    const double *z = c->z + b->at, *r = c->r + b->at;
    for (size_t i = 0; i < count; ++i) {
      p[i] = z[i] + c->beta * p[i];
      mp[i] = r[i] + c->beta * mp[i];
      ap[i] = 0;
    }
  }
}

// A p = M p + C p over the free unknowns; gives p . A p
static double close_product(void* arg, size_t begin, size_t end) {
  Coupled* c = arg;
  double sum = 0;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &c->step->m->batches[k];
    size_t count = unknowns_of(b);
    const double* may = c->step->m->free + b->at;
    for (size_t i = 0; i < count; ++i) c->ap[b->at + i] = c->mp[b->at + i] + may[i] * c->ap[b->at + i];
    sum += dot(b, c->p, c->ap);
  }
  return sum;
}

static void advance(void* arg, size_t begin, size_t end) {
  Coupled* c = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &c->step->m->batches[k];
    size_t count = unknowns_of(b);
    for (size_t i = b->at; i < b->at + count; ++i) {
      c->d[i] += c->alpha * c->p[i];
      c->r[i] -= c->alpha * c->ap[i];
    }
  }
}

// each strand's own energy at ap
static void strand_energies(void* arg, size_t begin, size_t end) {
  Coupled* c = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &c->step->m->batches[k];
    rv_newton_energy(&c->work[k].potential, c->ap + b->at, c->trial + k * RV_LANES);
    for (int lane = b->lanes; lane < RV_LANES; ++lane) c->trial[k * RV_LANES + (size_t)lane] = 0;
  }
}

static void move_batches(void* arg, size_t begin, size_t end) {
  Coupled* c = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &c->step->m->batches[k];
    rv_newton_move(b->vertices, c->q + b->at, c->share + k * RV_LANES, c->d + b->at, c->ap + b->at);
  }
  strand_energies(arg, begin, end);
}

// begins the line search: how the potential of each strand should change, and a whole step for all
static void begin_search(void* arg, size_t begin, size_t end) {
  Coupled* c = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &c->step->m->batches[k];
    rv_newton_dot(b->vertices, c->b + b->at, c->d + b->at, c->slope + k * RV_LANES);
    for (int lane = 0; lane < RV_LANES; ++lane) c->share[k * RV_LANES + (size_t)lane] = 1;
  }
}

static double scale_sum(void* arg, size_t begin, size_t end) {
  const Coupled* c = arg;
  double sum = 0;
  for (size_t k = begin; k < end; ++k) {
    double scale[RV_LANES];
    rv_step_scale(&c->step->m->batches[k], &c->work[k], scale);
    for (int lane = 0; lane < c->step->m->batches[k].lanes; ++lane) sum += scale[lane] * scale[lane];
  }
  return sum;
}

// spare lanes take what the strand that they repeat has come to
static void finish_batches(void* arg, size_t begin, size_t end) {
  Coupled* c = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &c->step->m->batches[k];
    RvStrandWork* w = &c->work[k];
    size_t count = unknowns_of(b);
    for (size_t i = 0; i < count; i += RV_LANES)
      for (int lane = b->lanes; lane < RV_LANES; ++lane) w->q[i + (size_t)lane] = w->q[i + (size_t)b->lanes - 1];
    w->spare = c->z + b->at;  // room for a twist a vertex
    rv_step_finish(c->step, b, w);
  }
}

//---------------------------------------------------------------------------------------------- all together

// d = A^-1 r. Returns d . b, the fall of the quadratic model times two.
static double solve(Coupled* c, RvStrandStats* stats) {
  size_t n = c->step->m->nbatch;
  double gamma = rv_parallel_sum(n, 1, precondition, c), first = gamma, fall = 0;
  c->beta = 0;
  stats->cg_iterations = 0;
  for (int it = 0; it < c->step->def->max_cg && gamma > 0; ++it) {
    rv_parallel_for(n, 1, turn, c);
    c->op->apply(c->op->user, c->p, c->ap);
    double curvature = rv_parallel_sum(n, 1, close_product, c);
    if (!(curvature > 0)) break;
    c->alpha = gamma / curvature;
    rv_parallel_for(n, 1, advance, c);
    fall += c->alpha * gamma;
    stats->cg_iterations = it + 1;
    double next = rv_parallel_sum(n, 1, precondition, c), tolerance = c->forcing;
    if (!(next > tolerance * tolerance * first)) break;
    c->beta = next / gamma;
    gamma = next;
  }
  return fall;
}

static void swap(double** a, double** b) {
  double* c = *a;
  *a = *b, *b = c;
}

static double sum_lanes(const double* lanes, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n * RV_LANES; ++i) sum += lanes[i];
  return sum;
}

// by how much the share of a strand rose above what a quadratic would have given it
static double excess(const Coupled* c, size_t i) {
  return c->trial[i] - c->now[i] + 0.5 * c->share[i] * c->slope[i];
}

// Halves the steps of the strands that are in the way of the fall: how much more than promised each one's share rose
// tells which. Strands that share links also share their energy, so only large excesses count.
static void shorten(Coupled* c, bool all) {
  size_t n = c->step->m->nbatch * RV_LANES;
  double worst = 0;
  for (size_t i = 0; i < n; ++i) worst = fmax(worst, excess(c, i));
  for (size_t i = 0; i < n; ++i) {
    if (all)
      c->share[i] *= 0.25;
    else if (excess(c, i) > 0.1 * worst)
      c->share[i] = rv_step_shorter(c->share[i], c->slope[i], c->trial[i] - c->now[i]);
  }
}

static void set_careful(Coupled* c) {
  for (size_t k = 0; k < c->step->m->nbatch; ++k) {
    c->careful[k] = 0;
    for (size_t lane = 0; lane < RV_LANES; ++lane)
      if (rv_step_careful(&c->caution[k * RV_LANES + lane], c->share[k * RV_LANES + lane]))
        c->careful[k] |= (uint8_t)(1U << lane);
    c->work[k].potential.careful = c->careful[k];
  }
}

static double promised(const Coupled* c) {
  double fall = 0;
  for (size_t i = 0; i < c->step->m->nbatch * RV_LANES; ++i) fall += c->share[i] * c->slope[i];
  return fall;
}

// Shortens steps until the potential of all falls as it should: first those of the strands that are in the way, so
// that one strand in trouble does not hold back the others.
static bool search(Coupled* c, RvStrandStats* stats) {
  size_t n = c->step->m->nbatch;
  double energy = sum_lanes(c->now, n);
  rv_parallel_for(n, 1, begin_search, c);
  for (int halving = 0; halving <= RV_STRAND_MAX_HALVINGS; ++halving) {
    rv_parallel_for(n, 1, move_batches, c);
    c->op->energy(c->op->user, c->ap, c->trial);
    double trial = sum_lanes(c->trial, n);
    bool late = halving >= RV_STRAND_MAX_HALVINGS / 2;
    // at convergence the fall is below the energy's own rounding, which must not stop the last step
    if (trial <= energy - (late ? 1e-4 : 0.1) * promised(c) + 1e-13 * fabs(energy)) {
      swap(&c->q, &c->ap), swap(&c->now, &c->trial);
      set_careful(c);
      return true;
    }
    stats->searches++;
    shorten(c, late);
  }
  return false;
}

static void bind(Coupled* c) {
  for (size_t k = 0; k < c->step->m->nbatch; ++k) {
    const RvStrandBatch* b = &c->step->m->batches[k];
    c->work[k].q = c->q + b->at, c->work[k].trial = c->ap + b->at;
  }
}

static void first_energy(Coupled* c) {
  swap(&c->q, &c->ap), swap(&c->now, &c->trial);
  rv_parallel_for(c->step->m->nbatch, 1, strand_energies, c);
  c->op->energy(c->op->user, c->ap, c->trial);
  swap(&c->q, &c->ap), swap(&c->now, &c->trial);
}

static void newton(Coupled* c, RvStrandStats* stats) {
  const RvStrandStepDef* def = c->step->def;
  size_t n = c->step->m->nbatch;
  double first = 0, scale = sqrt(rv_parallel_sum(n, 1, scale_sum, c));
  // what is left is measured against the first step of all from where they were, not from the better guess
  for (size_t k = 0; k < n; ++k) first += c->alone[k] * c->alone[k];
  scale = fmax(scale, sqrt(first));
  first_energy(c);
  // the linearised step has only one solve (WH-44)
  c->forcing = def->max_iterations > 1 ? 0.1 : def->cg_tolerance;
  for (int it = 0; it < def->max_iterations; ++it) {
    c->op->prepare(c->op->user, c->q, c->careful);
    rv_parallel_for(n, 1, assemble_batches, c);
    c->op->gradient(c->op->user, c->q, c->r);
    rv_parallel_for(n, 1, right_side, c);
    double before = stats->residual;
    double fall = solve(c, stats), decrement = sqrt(fall);
    if (it == 0) first = fmax(decrement, scale);
    stats->residual = decrement / first;
    // Eisenstat and Walker 1996, choice 2: as exact as the last iteration was good
    double ratio = it ? stats->residual / before : 1;
    c->forcing = fmax(def->cg_tolerance, fmin(0.1, 0.9 * ratio * ratio));
    if (!(stats->residual > def->tolerance)) break;
    stats->iterations = it + 1;
    if (!search(c, stats)) break;
    bind(c);
  }
  if (stats->residual > def->tolerance) stats->unconverged = (int64_t)n;
}

static bool take_memory(Coupled* c) {
  const RvStrandModel* m = c->step->m;
  c->work = rv_alloc_zero(m->nbatch, sizeof *c->work);
  c->memory_at = rv_alloc(m->nbatch, sizeof *c->memory_at);
  c->alone = rv_alloc_zero(m->nbatch, sizeof *c->alone);
  c->caution = rv_alloc_zero(m->nbatch, RV_LANES);
  c->careful = rv_alloc_zero(m->nbatch, 1);
  if (!c->alone || !c->caution || !c->careful) return false;
  c->indefinite = rv_alloc_zero(m->nbatch, sizeof *c->indefinite);
  if (!c->work || !c->memory_at || !c->indefinite) return false;
  size_t total = 0;
  for (size_t k = 0; k < m->nbatch; ++k) {
    c->memory_at[k] = total;
    total += rv_work_size(m->batches[k].vertices);
  }
  double** lanes[] = {&c->share, &c->now, &c->trial, &c->slope};
  for (size_t i = 0; i < sizeof lanes / sizeof *lanes; ++i)
    if (!(*lanes[i] = rv_alloc(m->nbatch * RV_LANES, sizeof(double)))) return false;
  double** vectors[] = {&c->q, &c->d, &c->b, &c->r, &c->z, &c->p, &c->mp, &c->ap};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i)
    if (!(*vectors[i] = rv_alloc(m->unknowns, sizeof(double)))) return false;
  return (c->memory = rv_alloc(total, sizeof(double))) != NULL;
}

RvResult rv_step_coupled(const RvStrandStep* step, RvStrandStats* stats, RvError* error) {
  Coupled c = {.step = step, .op = step->def->couple};
  size_t n = step->m->nbatch;
  RvResult result = take_memory(&c) ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory in the step of the strands");
  if (!result) {
    rv_parallel_for(n, 1, begin_batches, &c);
    newton(&c, stats);
    rv_parallel_for(n, 1, finish_batches, &c);
    for (size_t k = 0; k < n; ++k) {
      if (c.indefinite[k] < 0) result = rv_fail(error, RV_NO_MEMORY, "out of memory in the step of the strands");
      stats->indefinite += c.indefinite[k] > 0 ? c.indefinite[k] : 0;
    }
  }
  rv_free(c.work), rv_free(c.memory_at), rv_free(c.indefinite), rv_free(c.memory);
  rv_free(c.alone), rv_free(c.caution), rv_free(c.careful);
  rv_free(c.share), rv_free(c.now), rv_free(c.trial), rv_free(c.slope);
  rv_free(c.q), rv_free(c.d), rv_free(c.b), rv_free(c.r), rv_free(c.z), rv_free(c.p), rv_free(c.mp), rv_free(c.ap);
  return result;
}
