// The start of a simulation: positions, twist-free frames, and the rest strains of the natural shape.
#include <string.h>

#include "base/memory.h"
#include "math/vec.h"
#include "strand/strand.h"

// Reference frames of a shape without twist: the root's director, parallel-transported along the strand.
static void twist_free_frames(const RvStrandBatch* b, int lane, const double* x, const double* director,
                              double* tangent, double* directors) {
  RvVec3 before = {0}, u = {0};
  for (int j = 0; j + 1 < b->vertices; ++j) {
    RvVec3 e = rv_sub(rv_vec3_load64(x + 3 * j + 3), rv_vec3_load64(x + 3 * j)), t = rv_normalize(e, rv_vec3(0, 1, 0));
    if (j == 0) {
      u = director ? rv_vec3_load64(director) : rv_perpendicular(t);
      u = rv_normalize(rv_mad(u, -rv_dot(u, t), t), rv_perpendicular(t));
    } else {
      u = rv_quat_rotate(rv_quat_between(before, t), u);
      u = rv_normalize(rv_mad(u, -rv_dot(u, t), t), rv_perpendicular(t));
    }
    before = t;
    size_t at = 3 * b->edge_at + (size_t)(3 * j) * RV_LANES + (size_t)lane;
    tangent[at] = t.x;
    tangent[at + RV_LANES] = t.y;
    tangent[at + 2 * RV_LANES] = t.z;
    directors[at] = u.x;
    directors[at + RV_LANES] = u.y;
    directors[at + 2 * RV_LANES] = u.z;
  }
}

// Positions of a strand, with all angles 0.
static void set_pose(const RvStrandBatch* b, int lane, const double* x, double* q) {
  for (int i = 0; i < b->vertices; ++i) {
    for (int c = 0; c < 3; ++c) q[rv_strand_index(b, lane, i, c)] = x[3 * i + c];
    q[rv_strand_index(b, lane, i, 3)] = 0;
  }
}

// A batch's view of its frames, all that strains need.
static RvRodBatch frames_of(const RvStrandBatch* b, const RvStrandState* s) {
  return (RvRodBatch){.vertices = b->vertices,
                      .tangent = s->tangent + 3 * b->edge_at,
                      .director = s->director + 3 * b->edge_at,
                      .reference_twist = s->reference_twist + b->vertex_at};
}

// Allocates the arrays of a state. False: out of memory.
static bool take_arrays(const RvStrandModel* m, RvStrandState* s) {
  return (s->q = rv_alloc_zero(m->unknowns, sizeof(double))) && (s->v = rv_alloc_zero(m->unknowns, sizeof(double))) &&
         (s->q_before = rv_alloc_zero(m->unknowns, sizeof(double))) &&
         (s->v_before = rv_alloc_zero(m->unknowns, sizeof(double))) &&
         (s->tangent = rv_alloc_zero(3 * m->edges, sizeof(double))) &&
         (s->director = rv_alloc_zero(3 * m->edges, sizeof(double))) &&
         (s->reference_twist = rv_alloc_zero(m->vertices, sizeof(double)));
}

void rv_strand_state_free(RvStrandState* s) {
  if (!s) return;
  RV_FREE_ALL(s->q, s->v, s->q_before, s->v_before, s->tangent, s->director, s->reference_twist, s);
}

RvStrandState* rv_strand_state_alloc(const RvStrandModel* m) {
  RvStrandState* s = rv_alloc_zero(1, sizeof *s);
  if (!s || take_arrays(m, s)) return s;
  rv_strand_state_free(s);
  return NULL;
}

RvResult rv_strand_state_new(RvStrandModel* m, const RvStrandDef* strands, RvStrandState** out, RvError* error) {
  RvStrandState* s = rv_strand_state_alloc(m);
  *out = NULL;
  if (!s) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", m->nstrand);
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    // pass 0: the natural shape, whose strains are the rest strains; pass 1: the pose
    for (int pass = 0; pass < 2; ++pass) {
      for (int lane = 0; lane < RV_LANES; ++lane) {
        const RvStrandDef* d = &strands[b->strand[lane]];
        const double* x = pass == 0 && d->rest ? d->rest : d->x;
        set_pose(b, lane, x, s->q);
        twist_free_frames(b, lane, x, d->director, s->tangent, s->director);
      }
      RvRodBatch rod = frames_of(b, s);
      if (pass == 0)
        rv_strand_rod_strain(
            &rod, s->q + b->at,
            &(RvRodStrain){.curvature = m->rest_curvature + 4 * b->vertex_at, .twist = m->rest_twist + b->vertex_at});
    }
  }
  memcpy(s->q_before, s->q, m->unknowns * sizeof(double));
  *out = s;
  return RV_OK;
}
