#include "strand/carry.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/scalar.h"

RvResult rv_strand_root_motion(const RvStrandModel* m, const RvStrandState* s, const double* target, RvArena* scratch,
                               RvRigid* out, RvError* error) {
  RvArenaMark mark = rv_arena_mark(scratch);
  double* points = RV_TAKE(scratch, double, 12 * m->nstrand);
  if (!points) return rv_fail(error, RV_NO_MEMORY, "out of memory for the motion of the roots");
  double *before = points, *after = points + 6 * m->nstrand;
  size_t n = 0;
  for (size_t k = 0; k < m->nbatch; ++k)
    for (int lane = 0; lane < m->batches[k].lanes; ++lane)
      for (int i = 0; i < 2; ++i, ++n)
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

typedef struct Move {
  const RvStrandModel* m;
  RvStrandState* s;
  const RvRigid* rigid;
  const double* carry;
  double sign;
} Move;

static RvVec3 lane_vector(const double* a, size_t at) {
  return rv_vec3(a[at], a[at + RV_LANES], a[at + 2 * RV_LANES]);
}

static void put(double* a, size_t at, RvVec3 v) {
  a[at] = v.x;
  a[at + RV_LANES] = v.y;
  a[at + 2 * RV_LANES] = v.z;
}

static void move_batches(void* arg, size_t begin, size_t end) {
  const Move* w = arg;
  RvStrandState* s = w->s;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &w->m->batches[k];
    for (int i = 0; i < b->vertices; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        size_t at = rv_strand_index(b, lane, i, 0);
        put(s->q, at, rv_rigid_apply(w->rigid, lane_vector(s->q, at)));
        put(s->q_before, at, rv_rigid_apply(w->rigid, lane_vector(s->q_before, at)));
        put(s->v, at, rv_quat_rotate(w->rigid->turn, lane_vector(s->v, at)));
        put(s->v_before, at, rv_quat_rotate(w->rigid->turn, lane_vector(s->v_before, at)));
        if (i + 1 == b->vertices) continue;
        size_t frame = 3 * b->edge_at + (size_t)(3 * i) * RV_LANES + (size_t)lane;
        put(s->tangent, frame, rv_quat_rotate(w->rigid->turn, lane_vector(s->tangent, frame)));
        put(s->director, frame, rv_quat_rotate(w->rigid->turn, lane_vector(s->director, frame)));
      }
  }
}

void rv_strand_move(const RvStrandModel* m, RvStrandState* s, const RvRigid* rigid) {
  Move w = {.m = m, .s = s, .rigid = rigid};
  rv_parallel_for(m->nbatch, 8, move_batches, &w);
}

static void carry_batches(void* arg, size_t begin, size_t end) {
  const Move* w = arg;
  RvVec3 v = rv_vec3_load64(w->carry), turning = rv_vec3_load64(w->carry + 3), centre = rv_vec3_load64(w->carry + 6);
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &w->m->batches[k];
    for (int i = 0; i < b->vertices; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane) {
        size_t at = rv_strand_index(b, lane, i, 0);
        RvVec3 field = rv_add(v, rv_cross(turning, rv_sub(lane_vector(w->s->q, at), centre)));
        put(w->s->v, at, rv_mad(lane_vector(w->s->v, at), w->sign, field));
      }
  }
}

void rv_strand_add_carry(const RvStrandModel* m, RvStrandState* s, const double carry[9], double sign) {
  Move w = {.m = m, .s = s, .carry = carry, .sign = sign};
  rv_parallel_for(m->nbatch, 8, carry_batches, &w);
}
