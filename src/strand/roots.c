// From the animated input of a frame to the lanes: target positions, material frames of the roots, velocities, and the
// number of substeps that the motion needs.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "math/scalar.h"
#include "strand/solver.h"

// Batches of a task of the parallel loops.
enum { BATCHES_A_TASK = 8 };
// The largest turn of a first edge in one substep, as a distance of unit tangents (about radians).
static const double MAX_TURN = 0.5;
// m: lower bound of a strand's length in a quotient.
static const double TINY_LENGTH = 1e-9;

//---------------------------------------------------------------------------------------------- targets

typedef struct Targets {
  const RvStrandSolver* s;
  const RvStrandSample* sample;
  double* target;
} Targets;

// Targets of a range of batches. A point that is not a number, and every angle, keeps the state's value.
static void target_batches(void* arg, size_t begin, size_t end) {
  const Targets* w = arg;
  const RvStrandSet* set = &w->s->set;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &w->s->model->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int i = 0; i < b->vertices; ++i) {
        double p[3];
        rv_strand_sample_point(w->sample, (size_t)set->point[set->first[b->strand[lane]] + i], p);
        bool finite = isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
        for (int c = 0; c < 3; ++c) {
          size_t at = rv_strand_index(b, lane, i, c);
          w->target[at] = finite ? (p[c] - set->origin[c]) * set->metersperunit : w->s->state->q[at];
        }
        size_t angle = rv_strand_index(b, lane, i, 3);
        w->target[angle] = w->s->state->q[angle];
      }
  }
}

void rv_strand_solver_targets(const RvStrandSolver* s, const RvStrandSample* sample, double* target) {
  Targets w = {s, sample, target};
  rv_parallel_for(s->model->nbatch, BATCHES_A_TASK, target_batches, &w);
}

size_t rv_strand_solver_lost_roots(const RvStrandSolver* s, const float* P, int32_t* first) {
  const RvStrandSet* set = &s->set;
  size_t lost = 0;
  for (size_t k = 0; k < set->count; ++k) {
    bool finite = true;
    for (int32_t v = set->first[k]; v < set->first[k + 1] && finite; ++v) {
      const float* p = P + 3 * (size_t)set->point[v];
      bool prescribed = s->animated || v < set->first[k] + 2 || (s->guide.pinned && s->guide.pinned[v]);
      finite = !prescribed || (isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]));
    }
    if (!finite && !lost++) *first = set->prim[k];
  }
  return lost;
}

//---------------------------------------------------------------------------------------------- root frames

static RvQuat load_orient(const float* orient, size_t point) {
  const float* o = orient + 4 * point;
  return rv_quat_normalize((RvQuat){o[0], o[1], o[2], o[3]});
}

// The material director of a strand's first edge in a state: the reference director turned by the edge's angle.
static RvVec3 root_director(const RvStrandBatch* b, int lane, const RvStrandState* s) {
  size_t frame = 3 * b->edge_at + (size_t)lane;
  RvVec3 t = rv_strand_vector(s->tangent, frame), u = rv_strand_vector(s->director, frame);
  double angle = s->q[rv_strand_index(b, lane, 0, 3)];
  return rv_mad(rv_scale(u, rv_cos(angle)), rv_sin(angle), rv_cross(t, u));
}

void rv_strand_solver_root_directors(RvStrandSolver* s, const float* orient) {
  for (size_t k = 0; k < s->model->nbatch; ++k) {
    const RvStrandBatch* b = &s->model->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane) {
      size_t strand = (size_t)b->strand[lane];
      RvVec3 m = root_director(b, lane, s->state);
      if (orient) {
        RvQuat q = load_orient(orient, (size_t)s->set.point[s->set.first[strand]]);
        m = rv_quat_rotate(rv_quat_conjugate(q), m);
      }
      rv_vec3_store64(s->root_director + 3 * strand, m);
    }
  }
}

// Target angle of one root: the angle from the transported reference director to the material director that `orient`,
// or the roots' common motion, prescribes.
static void turn_root(RvStrandSolver* s, const RvStrandBatch* b, int lane, const float* orient, const RvRigid* motion) {
  size_t strand = (size_t)b->strand[lane];
  size_t at = rv_strand_index(b, lane, 0, 0);
  size_t frame = 3 * b->edge_at + (size_t)lane;
  // Parallel transport of the reference director to the target's first edge.
  RvVec3 before = rv_strand_vector(s->state->tangent, frame), u = rv_strand_vector(s->state->director, frame);
  RvVec3 t =
      rv_normalize(rv_sub(rv_strand_vector(s->target, at + 4 * RV_LANES), rv_strand_vector(s->target, at)), before);
  u = rv_quat_rotate(rv_quat_between(before, t), u);
  // Prescribed material director.
  RvVec3 m;
  if (orient) {
    m = rv_quat_rotate(load_orient(orient, (size_t)s->set.point[s->set.first[strand]]),
                       rv_vec3_load64(s->root_director + 3 * strand));
  } else {
    RvVec3 turned = rv_quat_rotate(motion->turn, before);
    m = rv_quat_rotate(motion->turn, root_director(b, lane, s->state));
    m = rv_quat_rotate(rv_quat_between(turned, t), m);
  }
  // The angle between both, plus the whole turns that bring it nearest to the current angle.
  double now = s->state->q[at + 3 * RV_LANES];
  double angle = rv_atan2(rv_dot(rv_cross(u, m), t), rv_dot(u, m));
  double turns = (now - angle) / (2 * RV_PI);
  if (!isfinite(angle)) {
    angle = now;
    turns = 0;
  }
  s->target[at + 3 * RV_LANES] = angle + 2 * RV_PI * floor(turns + 0.5);
}

// Target angles of all roots.
static void turn_roots(RvStrandSolver* s, const float* orient, const RvRigid* motion) {
  for (size_t k = 0; k < s->model->nbatch; ++k)
    for (int lane = 0; lane < RV_LANES; ++lane) turn_root(s, &s->model->batches[k], lane, orient, motion);
}

//---------------------------------------------------------------------------------------------- substeps

// Substeps that the root of one strand needs: its path in edge lengths over cfl, or its turn over MAX_TURN. Path and
// turn are measured from the state over the middle of the frame to its end.
static double substeps_needed(const RvStrandSolver* s, const RvStrandBatch* b, int lane, const RvStrandSample* middle,
                              const RvStrandSample* end) {
  const RvStrandSet* set = &s->set;
  const int32_t* point = set->point + set->first[b->strand[lane]];
  size_t at = rv_strand_index(b, lane, 0, 0);
  double length = 0, path = 0, turn = 0;
  for (int j = 0; j + 1 < b->vertices; ++j)
    length += s->model->rest_length[b->edge_at + (size_t)j * RV_LANES + (size_t)lane];
  // Path of the first two vertices: x[moment][vertex].
  RvVec3 x[3][2];
  for (int i = 0; i < 2; ++i) {
    RvVec3 origin = rv_vec3_load64(set->origin);
    x[0][i] = rv_strand_vector(s->state->q, at + (size_t)(4 * i) * RV_LANES);
    for (int at_end = 0; at_end < 2; ++at_end) {
      double p[3];
      rv_strand_sample_point(at_end ? end : middle, (size_t)point[i], p);
      x[1 + at_end][i] = rv_scale(rv_sub(rv_vec3_load64(p), origin), set->metersperunit);
    }
    path = fmax(path, rv_distance(x[0][i], x[1][i]) + rv_distance(x[1][i], x[2][i]));
  }
  // Turn of the first edge in both halves.
  for (int i = 0; i < 2; ++i) {
    RvVec3 a = rv_normalize(rv_sub(x[i][1], x[i][0]), rv_vec3(0, 1, 0));
    turn += rv_distance(a, rv_normalize(rv_sub(x[i + 1][1], x[i + 1][0]), a));
  }
  return fmax(path * (b->vertices - 1) / (s->settings.cfl * fmax(length, TINY_LENGTH)), turn / MAX_TURN);
}

int rv_strand_solver_substeps(const RvStrandSolver* s, const RvStrandSample* middle, const RvStrandSample* end,
                              double* wanted) {
  double needed = 0;
  for (size_t k = 0; k < s->model->nbatch; ++k) {
    const RvStrandBatch* b = &s->model->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane) {
      double own = substeps_needed(s, b, lane, middle, end);
      if (isfinite(own)) needed = fmax(needed, own);
    }
  }
  *wanted = ceil(needed);
  int allowed = s->settings.maxsubsteps > s->settings.substeps ? s->settings.maxsubsteps : s->settings.substeps;
  needed = fmin(*wanted, allowed);
  return needed > s->settings.substeps ? (int)needed : s->settings.substeps;
}

//---------------------------------------------------------------------------------------------- velocities

void rv_strand_solver_skin_velocity(RvStrandSolver* s, const float* v) {
  for (size_t k = 0; k < s->model->nbatch; ++k) {
    const RvStrandBatch* b = &s->model->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int i = 0; i < b->vertices; ++i) {
        const float* skin = v + 3 * (size_t)s->set.point[s->set.first[b->strand[lane]] + i];
        for (int c = 0; c < 3; ++c) {
          size_t at = rv_strand_index(b, lane, i, c);
          if (s->model->free[at] == 0 && isfinite(skin[c])) s->state->v[at] = skin[c] / s->globals.rate;
        }
      }
  }
}

//---------------------------------------------------------------------------------------------- stages

void rv_strand_solver_roots(RvStrandSolver* s, const RvStrandSample* sample, double dt) {
  rv_strand_solver_targets(s, sample, s->target);
  for (size_t i = 0; i < s->model->unknowns; ++i) s->target_velocity[i] = (s->target[i] - s->target_before[i]) / dt;
}

RvResult rv_strand_solver_carry(RvStrandSolver* s, const RvStrandSample* sample, double dt, RvError* error) {
  RvRigid motion;
  bool carried = s->settings.inertiascale < 1;
  RvResult result = rv_strand_root_motion(s->model, s->state, s->target, s->scratch, &motion, error);
  if (result) return result;
  // The whole state moves by the share that the strands do not feel; what the roots still have to do is fitted again.
  if (carried) {
    RvRigid share = rv_rigid_share(&motion, 1 - s->settings.inertiascale);
    rv_strand_add_carry(s->model, s->state, s->globals.carry, -1);
    rv_strand_move(s->model, s->state, &share);
    rv_rigid_rates(&share, dt, s->globals.carry);
    result = rv_strand_root_motion(s->model, s->state, s->target, s->scratch, &motion, error);
  }
  if (!result) turn_roots(s, sample->orient, &motion);
  return result;
}
