// First guess of the coupled step: each batch solves its own Newton without the other strands, solids included. What is
// hard for a single strand is thus found by that strand, and is not iterated with all the others.
#include <math.h>
#include <string.h>

#include "strand/coupled.h"

// Most iterations of the guess, and its tolerance relative to the first decrement: it only has to come near.
enum { GUESS_ITERATIONS = 8 };
static const double GUESS_TOLERANCE = 1e-2;
// The same for lanes that other strands draw (RvOperator.drawn): alone they would spring back, so they are solved alone
// only if they are farther off than a large acceleration moves them, as after a jump of the roots.
static const double DRAWN_GUESS_TOLERANCE = 1;

static const unsigned ALL_LANES = 0xffu;

// Whether the Newton decrement of every lane that is free to leave its start is below the tolerance already. It is
// taken with half of the inertia and without the Hessian of the coupling, which bounds the true one from above. The
// derivatives are kept for the first iteration of all strands.
static bool is_converged(RvCoupled* c, size_t k, unsigned start_lanes) {
  RvStrandWork* w = &c->work[k];
  const RvStrandBatch* b = &c->step->m->batches[k];
  const size_t count = rv_strand_coupled_unknowns(b);
  double* gradient = w->d;
  double* direction = w->trial;

  // gradient of the rods and of the block's own coupling terms; factor with half of the inertia in `spare`
  c->indefinite_lanes[k] = (uint8_t)rv_strand_newton_derive(&w->potential, w->q, w->g, w->band, w->spare);
  c->derived[k] = 1;
  memcpy(gradient, w->g, count * sizeof(double));
  c->op->block(c->op->user, k, w->q, 0, NULL, gradient, NULL);
  for (size_t i = 0; i < count; ++i) {
    gradient[i] *= w->potential.free[i];
    direction[i] = gradient[i];
  }

  // squared decrement of each lane
  double squared_decrement[RV_LANES] __attribute__((aligned(64)));
  rv_ldlt_solve(w->spare, 4 * b->vertices - 1, RV_ROD_BAND, direction);
  rv_strand_newton_dot(b->vertices, gradient, direction, squared_decrement);

  // against the reference decrement of each lane
  double scale[RV_LANES], sum = 0;
  bool converged = true;
  const unsigned drawn_lanes = c->op->drawn ? c->op->drawn(c->op->user, k) : 0;
  rv_strand_step_scale(b, w, scale);
  for (int lane = 0; lane < b->lanes; ++lane) {
    const double threshold = (drawn_lanes >> lane & 1 ? DRAWN_GUESS_TOLERANCE : GUESS_TOLERANCE) * scale[lane];
    const bool definite = !(c->indefinite_lanes[k] >> lane & 1);
    converged &= start_lanes >> lane & 1 || (definite && squared_decrement[lane] <= threshold * threshold);
    sum += scale[lane] * scale[lane];
  }
  c->solo_decrement[k] = sqrt(sum);
  return converged;
}

// Newton for the batch alone, with the coupling's terms of this block; lanes that must start in place are put back.
static void solve_alone(RvCoupled* c, size_t k, unsigned start_lanes) {
  RvStrandWork* w = &c->work[k];
  const RvStrandBatch* b = &c->step->m->batches[k];
  const size_t count = rv_strand_coupled_unknowns(b);
  RvStrandStats stats = {0};
  double* start = c->b + b->at;  // free until the first linear solve
  memcpy(start, w->q, count * sizeof(double));
  w->potential.block_terms = true;
  // without a last step: it would only go farther from where the other strands hold this one
  rv_strand_step_newton(b, w, GUESS_ITERATIONS, GUESS_TOLERANCE, 1, &stats);
  for (size_t i = 0; start_lanes && i < count; ++i)
    if (start_lanes >> i % RV_LANES & 1) w->q[i] = start[i];
  c->solo_decrement[k] = stats.first;
  c->derived[k] = 0;
  w->has_guess_energy = false;
  w->potential.block_terms = false;
  w->potential.cautious_lanes = 0;
}

void rv_strand_coupled_guess(RvCoupled* c, size_t k) {
  RvStrandWork* w = &c->work[k];
  const unsigned start_lanes = rv_strand_step_start_lanes(c->step, &c->step->m->batches[k]);
  // the linearised step has one iteration, from where the strands are
  if (c->step->def->max_iterations < 2 || !c->op->block || start_lanes == ALL_LANES) return;
  w->spare = rv_strand_rooms_enter(&c->assembly_room);
  if (!w->spare) {
    c->indefinite_count[k] = -1;
    return;
  }
  if (!is_converged(c, k, start_lanes)) solve_alone(c, k, start_lanes);
  rv_strand_rooms_leave(&c->assembly_room, w->spare);
  w->spare = NULL;
}
