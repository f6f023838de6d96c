// Between the geometry of a frame and the lanes: roots, pins, goals, targets, velocities.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/scalar.h"
#include "node/solver/strandsolver.h"

static RvVec3 lane_vector(const double* a, size_t at) {
  return rv_vec3(a[at], a[at + RV_LANES], a[at + 2 * RV_LANES]);
}

//---------------------------------------------------------------------------------------------- memory

RvResult rv_solve_strands_new(RvStrandSolve* s, RvError* error) {
  size_t u = s->model->unknowns, n = s->set.count;
  s->memory = rv_alloc_zero(7 * u + 5 * n, sizeof(double));
  s->backup = rv_strand_state_alloc(s->model);
  s->scratch = rv_arena_new(0);
  if (!s->memory || !s->backup || !s->scratch) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu strands", n);
  double* next = s->memory;
  double** arrays[] = {&s->forces.force, &s->forces.drag,   &s->forces.drag_velocity, &s->forces.spring,
                       &s->target,       &s->target_before, &s->target_velocity};
  for (int i = 0; i < 7; ++i, next += u) *arrays[i] = next;
  s->multiple = next;
  s->stiffen = next + n;
  s->rootdir = next + 2 * n;
  for (size_t i = 0; i < n; ++i) {
    s->multiple[i] = s->set.defs[i].multiple;
    s->stiffen[i] = 1;
  }
  return RV_OK;
}

static void free_guide(RvStrandGuide* g) {
  rv_free(g->wind);
  rv_free(g->force);
  rv_free(g->goal);
  rv_free(g->pinned);
  *g = (RvStrandGuide){0};
}

void rv_solve_strands_free(RvStrandSolve* s) {
  free_guide(&s->guide);
  rv_free(s->air);
  rv_free(s->memory);
  rv_arena_free(s->scratch);
  rv_strand_state_free(s->state);
  rv_strand_state_free(s->backup);
  rv_strand_model_free(s->model);
  rv_strands_free(&s->set);
}

void rv_solve_copy_state(const RvStrandModel* m, const RvStrandState* a, RvStrandState* b) {
  size_t u = m->unknowns * sizeof(double), e = 3 * m->edges * sizeof(double);
  memcpy(b->q, a->q, u);
  memcpy(b->v, a->v, u);
  memcpy(b->q_before, a->q_before, u);
  memcpy(b->v_before, a->v_before, u);
  memcpy(b->tangent, a->tangent, e);
  memcpy(b->director, a->director, e);
  memcpy(b->reference_twist, a->reference_twist, m->vertices * sizeof(double));
  b->has_before = a->has_before;
}

//---------------------------------------------------------------------------------------------- guiding attributes

// a numeric attribute of points, else of primitives, by vertex of the set; false without memory
static bool gather(const RvStrandSet* set, const RvDetail* d, const char* name, int size, float** out) {
  const RvAttrib *point = rv_detail_find(d, RV_POINT, name), *prim = rv_detail_find(d, RV_PRIM, name);
  *out = NULL;
  if (point && (rv_attrib_storage(point) == RV_STRING || rv_attrib_size(point) < size)) point = NULL;
  if (prim && (rv_attrib_storage(prim) == RV_STRING || rv_attrib_size(prim) < size)) prim = NULL;
  const RvAttrib* from = point ? point : prim;
  if (!from) return true;
  float* values = rv_alloc(set->vertices * (size_t)size, sizeof *values);
  if (!values) return false;
  for (size_t s = 0; s < set->count; ++s)
    for (int32_t v = set->first[s]; v < set->first[s + 1]; ++v)
      for (int c = 0; c < size; ++c)
        values[(size_t)v * (size_t)size + (size_t)c] =
            (float)rv_attrib_get(from, (size_t)(point ? set->point[v] : set->prim[s]), c);
  *out = values;
  return true;
}

// the first edge and its angle are given, and so are pinned vertices
static void set_free(RvStrandSolve* s) {
  RvStrandModel* m = s->model;
  for (size_t k = 0; k < m->nbatch; ++k) {
    RvStrandBatch* b = &m->batches[k];
    b->pinned = false;
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int i = 0; i < b->vertices; ++i) {
        bool pinned = s->guide.pinned && s->guide.pinned[s->set.first[b->strand[lane]] + i];
        for (int c = 0; c < 3; ++c) m->free[rv_strand_index(b, lane, i, c)] = i > 1 && !pinned;
        m->free[rv_strand_index(b, lane, i, 3)] = i > 0 && i + 1 < b->vertices;
        b->pinned |= i > 1 && pinned;
      }
  }
}

RvResult rv_solve_guide(RvStrandSolve* s, const RvDetail* input, RvError* error) {
  RvStrandGuide* g = &s->guide;
  free_guide(g);
  float* pins = NULL;
  bool fine = gather(&s->set, input, "wind", 3, &g->wind) && gather(&s->set, input, "force", 3, &g->force) &&
              gather(&s->set, input, "targetweight", 1, &g->goal) && gather(&s->set, input, "pintoanimation", 1, &pins);
  if (fine && pins) {
    g->pinned = rv_alloc(s->set.vertices, 1);
    for (size_t i = 0; g->pinned && i < s->set.vertices; ++i) g->pinned[i] = pins[i] >= 0.5f;
    fine = g->pinned != NULL;
  }
  rv_free(pins);
  if (!fine) return rv_fail(error, RV_NO_MEMORY, "out of memory for the attributes of the strands");
  set_free(s);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- targets

typedef struct Targets {
  RvStrandSolve* s;
  const RvStrandSample* sample;
  double* target;
} Targets;

static void target_batches(void* arg, size_t begin, size_t end) {
  const Targets* w = arg;
  const RvStrandSet* set = &w->s->set;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &w->s->model->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane)
      for (int i = 0; i < b->vertices; ++i) {
        double p[3];
        rv_sample_point(w->sample, (size_t)set->point[set->first[b->strand[lane]] + i], p);
        bool fine = isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
        for (int c = 0; c < 3; ++c) {
          size_t at = rv_strand_index(b, lane, i, c);
          w->target[at] = fine ? (p[c] - set->origin[c]) * set->metersperunit : w->s->state->q[at];
        }
        size_t angle = rv_strand_index(b, lane, i, 3);
        w->target[angle] = w->s->state->q[angle];
      }
  }
}

void rv_solve_targets(RvStrandSolve* s, const RvStrandSample* sample, double* target) {
  Targets w = {s, sample, target};
  rv_parallel_for(s->model->nbatch, 8, target_batches, &w);
}

size_t rv_solve_lost_roots(const RvStrandSolve* s, const float* P, int32_t* first) {
  const RvStrandSet* set = &s->set;
  size_t lost = 0;
  for (size_t k = 0; k < set->count; ++k) {
    bool fine = true;
    for (int32_t v = set->first[k]; v < set->first[k + 1] && fine; ++v) {
      const float* p = P + 3 * (size_t)set->point[v];
      bool given = s->animated || v < set->first[k] + 2 || (s->guide.pinned && s->guide.pinned[v]);
      fine = !given || (isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]));
    }
    if (!fine && !lost++) *first = set->prim[k];
  }
  return lost;
}

static RvQuat load_orient(const float* orient, size_t point) {
  const float* o = orient + 4 * point;
  return rv_quat_normalize((RvQuat){o[0], o[1], o[2], o[3]});
}

// the material director of a strand's first edge in a state
static RvVec3 root_director(const RvStrandBatch* b, int lane, const RvStrandState* s) {
  size_t frame = 3 * b->edge_at + (size_t)lane;
  RvVec3 t = lane_vector(s->tangent, frame), u = lane_vector(s->director, frame);
  double angle = s->q[rv_strand_index(b, lane, 0, 3)];
  return rv_mad(rv_scale(u, rv_cos(angle)), rv_sin(angle), rv_cross(t, u));
}

void rv_solve_root_directors(RvStrandSolve* s, const float* orient) {
  for (size_t k = 0; k < s->model->nbatch; ++k) {
    const RvStrandBatch* b = &s->model->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane) {
      size_t strand = (size_t)b->strand[lane];
      RvVec3 m = root_director(b, lane, s->state);
      if (orient) {
        RvQuat q = load_orient(orient, (size_t)s->set.point[s->set.first[strand]]);
        m = rv_quat_rotate(rv_quat_conjugate(q), m);
      }
      rv_vec3_store64(s->rootdir + 3 * strand, m);
    }
  }
}

void rv_solve_root_angles(RvStrandSolve* s, const float* orient, const RvRigid* motion) {
  for (size_t k = 0; k < s->model->nbatch; ++k) {
    const RvStrandBatch* b = &s->model->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane) {
      size_t strand = (size_t)b->strand[lane], at = rv_strand_index(b, lane, 0, 0),
             frame = 3 * b->edge_at + (size_t)lane;
      RvVec3 before = lane_vector(s->state->tangent, frame), u = lane_vector(s->state->director, frame);
      RvVec3 t = rv_normalize(rv_sub(lane_vector(s->target, at + 4 * RV_LANES), lane_vector(s->target, at)), before);
      // where the reference director goes, and where the material one has to
      u = rv_quat_rotate(rv_quat_between(before, t), u);
      RvVec3 m;
      if (orient)
        m = rv_quat_rotate(load_orient(orient, (size_t)s->set.point[s->set.first[strand]]),
                           rv_vec3_load64(s->rootdir + 3 * strand));
      else {
        RvVec3 turned = rv_quat_rotate(motion->turn, before);
        m = rv_quat_rotate(motion->turn, root_director(b, lane, s->state));
        m = rv_quat_rotate(rv_quat_between(turned, t), m);
      }
      double now = s->state->q[at + 3 * RV_LANES];
      double angle = rv_atan2(rv_dot(rv_cross(u, m), t), rv_dot(u, m)), turns = (now - angle) / (2 * RV_PI);
      if (!isfinite(angle)) {
        angle = now;
        turns = 0;
      }
      s->target[at + 3 * RV_LANES] = angle + 2 * RV_PI * floor(turns + 0.5);
    }
  }
}

// the longest way of a root in edges, and the largest turn of a first edge in half radians, over the frame by its
// middle
int rv_solve_count(const RvStrandSolve* s, const RvStrandSample* middle, const RvStrandSample* end) {
  double most = 0;
  const RvStrandSet* set = &s->set;
  for (size_t k = 0; k < s->model->nbatch; ++k) {
    const RvStrandBatch* b = &s->model->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane) {
      const int32_t* point = set->point + set->first[b->strand[lane]];
      size_t at = rv_strand_index(b, lane, 0, 0);
      RvVec3 x[3][2];
      double length = 0, way = 0, turn = 0;
      for (int j = 0; j + 1 < b->vertices; ++j)
        length += s->model->rest_length[b->edge_at + (size_t)j * RV_LANES + (size_t)lane];
      for (int i = 0; i < 2; ++i) {
        RvVec3 origin = rv_vec3_load64(set->origin);
        x[0][i] = lane_vector(s->state->q, at + (size_t)(4 * i) * RV_LANES);
        for (int at_end = 0; at_end < 2; ++at_end) {
          double p[3];
          rv_sample_point(at_end ? end : middle, (size_t)point[i], p);
          x[1 + at_end][i] = rv_scale(rv_sub(rv_vec3_load64(p), origin), set->metersperunit);
        }
        way = fmax(way, rv_distance(x[0][i], x[1][i]) + rv_distance(x[1][i], x[2][i]));
      }
      for (int i = 0; i < 2; ++i) {
        RvVec3 a = rv_normalize(rv_sub(x[i][1], x[i][0]), rv_vec3(0, 1, 0));
        turn += rv_distance(a, rv_normalize(rv_sub(x[i + 1][1], x[i + 1][0]), a));
      }
      double need = fmax(way * (b->vertices - 1) / (s->def.cfl * fmax(length, 1e-9)), turn / 0.5);
      if (isfinite(need)) most = fmax(most, need);
    }
  }
  int most_allowed = s->def.maxsubsteps > s->def.substeps ? s->def.maxsubsteps : s->def.substeps;
  most = fmin(ceil(most), most_allowed);
  return most > s->def.substeps ? (int)most : s->def.substeps;
}

//---------------------------------------------------------------------------------------------- velocities

void rv_solve_skin_velocity(RvStrandSolve* s, const float* v) {
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

size_t rv_solve_heal(RvStrandSolve* s) {
  size_t healed = 0;
  for (size_t k = 0; k < s->model->nbatch; ++k) {
    const RvStrandBatch* b = &s->model->batches[k];
    for (int lane = 0; lane < RV_LANES; ++lane) {
      double sum = 0;
      for (int i = 0; i < 4 * b->vertices; ++i) {
        size_t at = b->at + (size_t)i * RV_LANES + (size_t)lane;
        sum += fabs(s->state->q[at]) + fabs(s->state->v[at]);
      }
      if (sum < 1e12) continue;
      healed += lane < b->lanes;
      for (int i = 0; i < 4 * b->vertices; ++i) {
        size_t at = b->at + (size_t)i * RV_LANES + (size_t)lane;
        s->state->q[at] = s->state->q_before[at] = s->backup->q[at];
        s->state->v[at] = s->state->v_before[at] = 0;
      }
      for (int j = 0; j < 3 * (b->vertices - 1); ++j) {
        size_t at = 3 * b->edge_at + (size_t)j * RV_LANES + (size_t)lane;
        s->state->tangent[at] = s->backup->tangent[at];
        s->state->director[at] = s->backup->director[at];
      }
      for (int i = 0; i < b->vertices; ++i) {
        size_t at = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
        s->state->reference_twist[at] = s->backup->reference_twist[at];
      }
    }
  }
  return healed;
}
