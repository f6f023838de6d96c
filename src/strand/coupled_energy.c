// Energy balance of the coupled step of BDF2 (balance.c): strands that the coupling joins are one group, whose lanes
// are added up; a group that gained energy repeats the step with implicit Euler.
#include <string.h>

#include "base/parallel.h"
#include "strand/coupled.h"

typedef struct GroupBalance {
  RvCoupled* c;
  RvBalance* balance;      // [lanes]; of a group, that of its first lane
  double *before, *after;  // [lanes] J: energy of the coupling at the start and at the end of the step
  uint32_t* group;         // [lanes] first lane of the group (RvOperator.groups)
} GroupBalance;

// Balance of each lane: rods, motion, and its share of the coupling.
static void balance_batches(void* arg, size_t begin, size_t end) {
  const GroupBalance* e = arg;
  for (size_t k = begin; k < end; ++k) {
    RvBalance* lanes = &e->balance[k * RV_LANES];
    for (size_t i = 0; i < RV_LANES; ++i) lanes[i].gain = e->after[k * RV_LANES + i] - e->before[k * RV_LANES + i];
    rv_strand_step_balance(e->c->step, &e->c->step->m->batches[k], &e->c->work[k], lanes);
  }
}

// Lowest lane of the group of each lane.
static void find_groups(const RvOperator* op, uint32_t* group, uint32_t count) {
  for (uint32_t k = 0; k < count; ++k) group[k] = op->groups ? k : 0;
  if (op->groups) op->groups(op->user, group);
  for (uint32_t k = 0; k < count; ++k) group[k] = rv_operator_group(group, k);
}

// Adds up the groups, in the order of the lanes, so that the sum does not depend on the workers.
static void add_up_groups(const GroupBalance* e, size_t count) {
  for (size_t k = 0; k < count; ++k) {
    RvBalance* lane = &e->balance[k];
    RvBalance* sum = &e->balance[e->group[k]];
    if (lane == sum) continue;
    sum->gain += lane->gain;
    sum->scale += lane->scale;
    sum->driven |= lane->driven;
  }
}

// Marks the lanes of groups that gained energy; spare lanes do as the strand that they repeat. Returns whether any did.
static bool mark_rising(const GroupBalance* e, size_t count) {
  const RvStrandModel* m = e->c->step->m;
  bool any = false;
  for (size_t k = 0; k < count; ++k) {
    const size_t lane = k % RV_LANES, last = (size_t)m->batches[k / RV_LANES].lanes - 1;
    const size_t repeated = lane > last ? k - lane + last : k;
    if (!rv_strand_step_rises(&e->balance[e->group[repeated]])) continue;
    e->c->work[k / RV_LANES].euler_lanes |= (uint8_t)(1U << lane);
    any = true;
  }
  return any;
}

bool rv_strand_coupled_find_rising(RvCoupled* c, RvArena* arena, bool* any) {
  const size_t count = c->step->m->nbatch * RV_LANES;
  const RvArenaMark mark = rv_arena_mark(arena);
  // the line search is over: its energies are room for those of the coupling
  GroupBalance e = {c, RV_TAKE(arena, RvBalance, count), c->energy, c->trial_energy, RV_TAKE(arena, uint32_t, count)};
  const bool has_room = e.balance && e.group;
  if (has_room) {
    memset(e.balance, 0, count * sizeof *e.balance);
    memset(e.before, 0, count * sizeof(double));
    memset(e.after, 0, count * sizeof(double));
    c->op->energy(c->op->user, c->step->s->q, e.before);
    c->op->energy(c->op->user, c->q, e.after);
    find_groups(c->op, e.group, (uint32_t)count);
    rv_parallel_for(c->step->m->nbatch, 1, balance_batches, &e);
    add_up_groups(&e, count);
    *any = mark_rising(&e, count);
  }
  rv_arena_release(arena, mark);
  return has_room;
}
