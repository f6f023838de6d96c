// Rigid motion of the roots, and the state moved with it.
#include "strand/carry.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/scalar.h"

// Batches of a task of the parallel loops.
enum { BATCHES_A_TASK = 8 };
// The first edge of a strand is its root: two vertices.
enum { ROOT_VERTICES = 2 };

RvResult rv_strand_root_motion(const RvStrandModel* m, const RvStrandState* s, const double* target, RvArena* scratch,
                               RvRigid* out, RvError* error) {
  // Room for all root vertices, before and after.
  RvArenaMark mark = rv_arena_mark(scratch);
  size_t numbers = 3 * ROOT_VERTICES * m->nstrand;
  double* before = RV_TAKE(scratch, double, 2 * numbers);
  if (!before) return rv_fail(error, RV_NO_MEMORY, "out of memory for the motion of the roots");
  double* after = before + numbers;
  // Gather them from the lanes, and fit.
  size_t n = 0;
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < m->batches[k].lanes; ++lane)
      for (int i = 0; i < ROOT_VERTICES; ++i, ++n)
        for (int c = 0; c < 3; ++c) {
          size_t at = rv_strand_index(&m->batches[k], lane, i, c);
          before[3 * n + (size_t)c] = s->q[at];
          after[3 * n + (size_t)c] = target[at];
        }
  *out = rv_rigid_fit(n, before, after);
  rv_arena_release(scratch, mark);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- states

// A change of all strands: a rigid motion, or a velocity field with its sign.
typedef struct Move {
  const RvStrandModel* m;
  RvStrandState* s;
  const RvRigid* rigid;
  const double* carry;
  double sign;
} Move;

// Positions are moved; velocities, tangents and directors only turn.
static void move_batches(void* arg, size_t begin, size_t end) {
  const Move* w = arg;
  RvStrandState* s = w->s;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &w->m->batches[k];
    for (int i = 0; i < b->vertices; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        size_t at = rv_strand_index(b, lane, i, 0);
        rv_strand_set_vector(s->q, at, rv_rigid_apply(w->rigid, rv_strand_vector(s->q, at)));
        rv_strand_set_vector(s->q_before, at, rv_rigid_apply(w->rigid, rv_strand_vector(s->q_before, at)));
        rv_strand_set_vector(s->v, at, rv_quat_rotate(w->rigid->turn, rv_strand_vector(s->v, at)));
        rv_strand_set_vector(s->v_before, at, rv_quat_rotate(w->rigid->turn, rv_strand_vector(s->v_before, at)));
        if (i + 1 == b->vertices) continue;
        size_t frame = 3 * b->edge_at + (size_t)(3 * i) * RV_LANES + (size_t)lane;
        rv_strand_set_vector(s->tangent, frame, rv_quat_rotate(w->rigid->turn, rv_strand_vector(s->tangent, frame)));
        rv_strand_set_vector(s->director, frame, rv_quat_rotate(w->rigid->turn, rv_strand_vector(s->director, frame)));
      }
  }
}

void rv_strand_move(const RvStrandModel* m, RvStrandState* s, const RvRigid* rigid) {
  Move w = {.m = m, .s = s, .rigid = rigid};
  rv_parallel_for(m->nbatch, BATCHES_A_TASK, move_batches, &w);
}

// Adds the velocity field of the carried frame.
static void carry_batches(void* arg, size_t begin, size_t end) {
  const Move* w = arg;
  RvVec3 v = rv_vec3_load64(w->carry);
  RvVec3 omega = rv_vec3_load64(w->carry + 3);
  RvVec3 centre = rv_vec3_load64(w->carry + 6);
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &w->m->batches[k];
    for (int i = 0; i < b->vertices; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        size_t at = rv_strand_index(b, lane, i, 0);
        RvVec3 field = rv_add(v, rv_cross(omega, rv_sub(rv_strand_vector(w->s->q, at), centre)));
        rv_strand_set_vector(w->s->v, at, rv_mad(rv_strand_vector(w->s->v, at), w->sign, field));
      }
  }
}

void rv_strand_add_carry(const RvStrandModel* m, RvStrandState* s, const double carry[9], double sign) {
  Move w = {.m = m, .s = s, .carry = carry, .sign = sign};
  rv_parallel_for(m->nbatch, BATCHES_A_TASK, carry_batches, &w);
}
