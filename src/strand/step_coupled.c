// The step of strands that something joins: one Newton for all (WH-44), whose linear systems are solved together
// (coupled_solve.c) and whose steps every strand takes as far as is good (coupled_search.c).
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "strand/coupled.h"

//---------------------------------------------------------------------------------------------- one batch each

enum { ALONE_ITERATIONS = 8 };
static const double ALONE_TOLERANCE = 1e-2;

// Whether no strand of a batch that is not held has anywhere to go: its decrement with half of the inertia and without
// what pushes it, which is not below the true one. The derivatives stay for the first iteration of all.
static bool at_rest(RvCoupled* c, size_t k, unsigned held) {
  RvStrandWork* w = &c->work[k];
  const RvStrandBatch* b = &c->step->m->batches[k];
  double slope[RV_LANES] __attribute__((aligned(64))), scale[RV_LANES], sum = 0;
  size_t count = rv_strand_coupled_unknowns(b);
  double *g = w->d, *d = w->trial;
  c->loose[k] = (uint8_t)rv_strand_newton_derive(&w->potential, w->q, w->g, w->band, w->spare);
  c->derived[k] = 1;
  memcpy(g, w->g, count * sizeof(double));
  c->op->block(c->op->user, k, w->q, 0, NULL, g, NULL);
  for (size_t i = 0; i < count; ++i) {
    g[i] *= w->potential.free[i];
    d[i] = g[i];
  }
  rv_ldlt_solve(w->spare, 4 * b->vertices - 1, RV_ROD_BAND, d);
  rv_strand_newton_dot(b->vertices, g, d, slope);
  rv_strand_step_scale(b, w, scale);
  bool rest = true;
  for (int lane = 0; lane < b->lanes; ++lane) {
    double most = ALONE_TOLERANCE * scale[lane];
    rest &= held >> lane & 1 || (!(c->loose[k] >> lane & 1) && slope[lane] <= most * most);
    sum += scale[lane] * scale[lane];
  }
  c->alone[k] = sqrt(sum);
  return rest;
}

// Where a strand would go if the others were not there, solids included: what is hard for one strand is found out by
// that strand alone, and is not iterated with all the others.
static void guess_alone(RvCoupled* c, size_t k) {
  RvStrandWork* w = &c->work[k];
  const RvStrandBatch* b = &c->step->m->batches[k];
  RvStrandStats stats = {0};
  unsigned held = rv_strand_step_held(c->step, b);
  if (c->step->def->max_iterations < 2 || !c->op->block || held == 0xffu) return;
  w->spare = rv_alloc(rv_strand_spare_size(b->vertices), sizeof(double));
  if (!w->spare) return;
  if (!at_rest(c, k, held)) {
    // room that is not needed before the line search
    double* begin = c->b + b->at;
    memcpy(begin, w->q, rv_strand_coupled_unknowns(b) * sizeof(double));
    w->potential.alone = true;
    rv_strand_step_newton(b, w, ALONE_ITERATIONS, ALONE_TOLERANCE, &stats);
    for (size_t i = 0; held && i < rv_strand_coupled_unknowns(b); ++i)
      if (held >> i % RV_LANES & 1) w->q[i] = begin[i];
    c->alone[k] = stats.first;
    c->derived[k] = 0;
    w->potential.alone = false;
    w->potential.careful = 0;
  }
  rv_free(w->spare);
  w->spare = NULL;
}

static void begin_batches(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &c->step->m->batches[k];
    RvStrandWork* w = &c->work[k];
    w->q = c->q + b->at;
    w->g = c->r + b->at;
    w->d = c->d + b->at;
    w->trial = c->ap + b->at;
    rv_strand_work_place(w, c->memory + c->memory_at[k], b->vertices);
    rv_strand_step_begin(c->step, b, w);
    guess_alone(c, k);
  }
}

static void assemble(RvCoupled* c, size_t k, double* g) {
  RvStrandWork* w = &c->work[k];
  double* spare = rv_alloc(rv_strand_spare_size(c->step->m->batches[k].vertices), sizeof(double));
  if (!spare) {
    c->indefinite[k] = -1;
    return;
  }
  if (!c->derived[k]) c->loose[k] = (uint8_t)rv_strand_newton_derive(&w->potential, w->q, g, w->band, spare);
  c->derived[k] = 0;
  if (rv_strand_newton_factor(&w->potential, w->q, c->loose[k], w->band, spare) && c->indefinite[k] >= 0)
    c->indefinite[k]++;
  rv_free(spare);
}

// of those that may be quiet the gradient alone
static void assemble_batches(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  for (size_t k = begin; k < end; ++k) {
    RvStrandWork* w = &c->work[k];
    c->looks[k] = c->quiet[k];
    if (c->quiet[k])
      rv_strand_newton_derive(&w->potential, w->q, w->g, NULL, NULL);
    else
      assemble(c, k, w->g);
  }
}

// those that were not: their gradient is known already
static void assemble_woken(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  for (size_t i = begin; i < end; ++i) {
    const size_t k = c->list[i];
    if (c->looks[k]) assemble(c, k, c->p + c->step->m->batches[k].at);
  }
}

static double scale_sum(void* arg, size_t begin, size_t end) {
  const RvCoupled* c = arg;
  double sum = 0;
  for (size_t k = begin; k < end; ++k) {
    double scale[RV_LANES];
    rv_strand_step_scale(&c->step->m->batches[k], &c->work[k], scale);
    for (int lane = 0; lane < c->step->m->batches[k].lanes; ++lane) sum += scale[lane] * scale[lane];
  }
  return sum;
}

// spare lanes take what the strand that they repeat has come to
static void finish_batches(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &c->step->m->batches[k];
    RvStrandWork* w = &c->work[k];
    size_t count = rv_strand_coupled_unknowns(b);
    for (size_t i = 0; i < count; i += RV_LANES)
      for (int lane = b->lanes; lane < RV_LANES; ++lane) w->q[i + (size_t)lane] = w->q[i + (size_t)b->lanes - 1];
    w->spare = c->mp + b->at;  // room for a twist a vertex
    rv_strand_step_finish(c->step, b, w);
  }
}

//---------------------------------------------------------------------------------------------- all together

// What the next decrement will be, in the last: what the linear solve left, and, as a surprise of the energy is a third
// of that of the gradient, what was not linear. In a bundle of wet hair the decrement came out at two to four times
// this, at up to eight in the first few steps after it was let go; five times it is reckoned with, so in such a step
// what is left may be somewhat above the tolerance.
static double expected(const RvCoupled* c, double decrement) {
  double bent = 3 * c->surprise / (decrement * decrement);
  return 5 * sqrt(c->left * c->left + bent * bent);
}

// What is asked of a linear solve at most times: hair that bends and slips leaves more than this of the last residual
// anyway, and a tenth took a fifth more iterations to no use.
static const double LOOSEST = 0.25;

// Of the tolerance: a step that is known by the time it turns out to be within the tolerance is taken too, unless it is
// this little. Slow hair, such as a row that liquid draws together, would else lag behind.
static const double NOTHING = 0.1;

static void newton(RvCoupled* c, RvStrandStats* stats) {
  const RvStrandStepDef* def = c->step->def;
  size_t n = c->step->m->nbatch;
  double first = 0, scale = sqrt(rv_parallel_sum(n, 1, scale_sum, c));
  // what is left is measured against the first step of all from where they were, not from the better guess
  for (size_t k = 0; k < n; ++k) first += c->alone[k] * c->alone[k];
  scale = fmax(scale, sqrt(first));
  // the linearised step has only one solve (WH-44)
  c->forcing = def->max_iterations > 1 ? LOOSEST : def->cg_tolerance;
  for (int it = 0; it < def->max_iterations; ++it) {
    c->op->prepare(c->op->user, c->q, c->careful);
    rv_strand_coupled_stays(c, c->q);
    rv_parallel_for(n, 1, assemble_batches, c);
    c->op->gradient(c->op->user, c->q, c->r);
    double before = stats->residual, rests = rv_strand_coupled_choose(c);
    if (it > 0) rv_parallel_for(c->count, 1, assemble_woken, c);
    double decrement = sqrt(rv_strand_coupled_solve(c, stats) + rests);
    if (it == 0) first = fmax(decrement, scale);
    // all that are quiet have together a quarter of what may be left
    if (it == 0) c->little = 0.25 * def->tolerance * def->tolerance * first * first / (double)n;
    stats->residual = decrement / first;
    if (!(stats->residual > NOTHING * def->tolerance)) break;
    // Eisenstat and Walker 1996, choice 2: as exact as the last iteration was good
    double ratio = it ? stats->residual / before : 1;
    c->forcing = fmax(def->cg_tolerance, fmin(LOOSEST, 0.9 * ratio * ratio));
    stats->iterations = it + 1;
    if (it == 0) rv_strand_coupled_measure(c);
    if (!rv_strand_coupled_search(c, stats) || !(stats->residual > def->tolerance)) break;
    double next = stats->residual * expected(c, decrement);
    if (def->brisk && next <= def->tolerance) {
      stats->residual = next;
      break;
    }
  }
  rv_strand_coupled_stays(c, NULL);
  if (stats->residual > def->tolerance) stats->unconverged = (int64_t)n;
}

//---------------------------------------------------------------------------------------------- energy

typedef struct Energy {
  RvCoupled* c;
  RvBalance* balance;      // [lanes of all batches]; of a group that of its first lane
  double *before, *after;  // [lanes of all batches] of the coupling
  uint32_t* group;         // [lanes of all batches]
} Energy;

static void balance_batches(void* arg, size_t begin, size_t end) {
  const Energy* e = arg;
  for (size_t k = begin; k < end; ++k) {
    RvBalance* lanes = &e->balance[k * RV_LANES];
    for (size_t i = 0; i < RV_LANES; ++i) lanes[i].gain = e->after[k * RV_LANES + i] - e->before[k * RV_LANES + i];
    rv_strand_step_balance(e->c->step, &e->c->step->m->batches[k], &e->c->work[k], lanes);
  }
}

// adds up the groups, in the order of the strands, and marks the lanes of those that rise
static bool mark_rising(const Energy* e) {
  const RvStrandModel* m = e->c->step->m;
  size_t count = m->nbatch * RV_LANES;
  bool any = false;
  for (size_t k = 0; k < count; ++k) {
    RvBalance *own = &e->balance[k], *sum = &e->balance[e->group[k]];
    if (own != sum) {
      sum->gain += own->gain;
      sum->scale += own->scale;
      sum->led |= own->led;
    }
  }
  for (size_t k = 0; k < count; ++k) {
    size_t lane = k % RV_LANES, used = (size_t)m->batches[k / RV_LANES].lanes - 1;
    if (!rv_strand_step_rises(&e->balance[e->group[lane > used ? k - lane + used : k]])) continue;
    e->c->work[k / RV_LANES].euler |= (uint8_t)(1U << lane);
    any = true;
  }
  return any;
}

// Marks the lanes of groups whose energy rises; *any: there are some.
static bool find_rising(RvCoupled* c, bool* any) {
  size_t count = c->step->m->nbatch * RV_LANES;
  Energy e = {c, rv_alloc_zero(count, sizeof(RvBalance)), c->now, c->trial, rv_alloc_zero(count, sizeof(uint32_t))};
  bool fine = e.balance && e.group;
  if (fine) {
    memset(e.before, 0, count * sizeof(double));
    memset(e.after, 0, count * sizeof(double));
    c->op->energy(c->op->user, c->step->s->q, e.before);
    c->op->energy(c->op->user, c->q, e.after);
    if (c->op->groups) c->op->groups(c->op->user, e.group);
    rv_parallel_for(c->step->m->nbatch, 1, balance_batches, &e);
    *any = mark_rising(&e);
  }
  rv_free(e.balance);
  rv_free(e.group);
  return fine;
}

// nothing of the first Newton is known any more
static void forget(RvCoupled* c) {
  size_t n = c->step->m->nbatch;
  memset(c->quiet, 0, n);
  memset(c->derived, 0, n);
  memset(c->rests, 0, n * sizeof *c->rests);
  c->little = 0;
}

static void repeat_batches(void* arg, size_t begin, size_t end) {
  RvCoupled* c = arg;
  for (size_t k = begin; k < end; ++k)
    if (c->work[k].euler) rv_strand_step_again(c->step, &c->step->m->batches[k], &c->work[k]);
}

// Newton, and once more where energy came of nothing.
static bool solve(RvCoupled* c, RvStrandStats* stats) {
  bool again = false;
  newton(c, stats);
  if (c->step->bdf2 && !find_rising(c, &again)) return false;
  if (!again) return true;
  rv_parallel_for(c->step->m->nbatch, 1, repeat_batches, c);
  forget(c);
  newton(c, stats);
  return true;
}

//---------------------------------------------------------------------------------------------- all

static void* take_zero(RvArena* arena, size_t count, size_t size) {
  void* memory = rv_arena_take(arena, count, size);
  return memory ? memset(memory, 0, count * size) : NULL;
}

static bool take_memory(RvCoupled* c, RvArena* arena) {
  const RvStrandModel* m = c->step->m;
  size_t n = m->nbatch, total = 0;
  c->work = take_zero(arena, n, sizeof *c->work);
  c->memory_at = RV_TAKE(arena, size_t, n);
  c->alone = take_zero(arena, n, sizeof *c->alone);
  c->indefinite = take_zero(arena, n, sizeof *c->indefinite);
  uint8_t** bytes[] = {&c->caution, &c->careful, &c->derived, &c->loose, &c->quiet, &c->looks};
  for (size_t i = 0; i < sizeof bytes / sizeof *bytes; ++i)
    if (!(*bytes[i] = take_zero(arena, n, i == 0 ? RV_LANES : 1))) return false;
  c->rests = take_zero(arena, n, sizeof *c->rests);
  c->list = RV_TAKE(arena, size_t, n);
  if (!c->work || !c->memory_at || !c->alone || !c->indefinite || !c->rests || !c->list) return false;
  for (size_t k = 0; k < n; ++k) {
    c->memory_at[k] = total;
    total += rv_strand_work_size(m->batches[k].vertices);
  }
  double** lanes[] = {&c->now, &c->trial, &c->own, &c->own_trial, &c->share, &c->slope};
  for (size_t i = 0; i < sizeof lanes / sizeof *lanes; ++i)
    if (!(*lanes[i] = take_zero(arena, n * RV_LANES, sizeof(double)))) return false;
  double** vectors[] = {&c->q, &c->d, &c->b, &c->r, &c->p, &c->mp, &c->ap};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i)
    if (!(*vectors[i] = RV_TAKE(arena, double, m->unknowns))) return false;
  return (c->memory = RV_TAKE(arena, double, total)) != NULL;
}

RvResult rv_strand_step_coupled(const RvStrandStep* step, RvStrandStats* stats, RvError* error) {
  RvCoupled c = {.step = step, .op = step->def->couple};
  size_t n = step->m->nbatch;
  RvArena* arena = step->def->scratch ? step->def->scratch : rv_arena_new(0);
  RvArenaMark mark = arena ? rv_arena_mark(arena) : (RvArenaMark){0};
  RvResult result = arena && take_memory(&c, arena)
                        ? RV_OK
                        : rv_fail(error, RV_NO_MEMORY, "out of memory in the step of the strands");
  if (!result) {
    rv_parallel_for(n, 1, begin_batches, &c);
    if (!solve(&c, stats)) result = rv_fail(error, RV_NO_MEMORY, "out of memory in the step of the strands");
    rv_parallel_for(n, 1, finish_batches, &c);
    for (size_t k = 0; k < n; ++k) {
      if (c.indefinite[k] < 0) result = rv_fail(error, RV_NO_MEMORY, "out of memory in the step of the strands");
      stats->indefinite += c.indefinite[k] > 0 ? c.indefinite[k] : 0;
    }
  }
  if (arena) rv_arena_release(arena, mark);
  if (!step->def->scratch) rv_arena_free(arena);
  return result;
}
