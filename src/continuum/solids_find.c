// The ways of vertices through the spaces of the solids.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "continuum/solids.h"
#include "math/scalar.h"

// Least step on a way, in voxels: thinner solids than this have no voxel inside.
static const double LEAST_STEP = 0.5;
static const double LEAST_LENGTH = 1e-4;  // m: least step on the way to a solid without voxels
enum { MOST_STEPS = 400, BISECTIONS = 4 };
// m/s: speed at which vertices that begin inside are pushed out.
static const double PUSH_SPEED = 0.3;
enum { BATCHES_A_TASK = 16 };

// The way of a vertex in a solid's space.
typedef struct Way {
  uint32_t batch;
  int32_t vertex, lane;
  RvVec3 a, b;         // m: begin and end
  RvVec3 drift;        // m/s: deformation of the solid there
  double length;       // m
  double out;          // share of the way that is known to be outside
  double in;           // share at which it is inside; above 1: it stays outside
  double start, last;  // m: distances at its begin, and at the share asked for last
} Way;

typedef struct Find {
  RvChainSolids* s;
  const RvChainModel* m;
  const RvCollider* solid;
  RvPose start, end;
  RvColliderBox box;
  const double* to;
  double dt, least, near;
  uint32_t* count;  // [batches + 1] ways before each batch
  Way* ways;
  // Samples.
  uint32_t* index;
  RvVec3 *at, *normal;
  double* distance;
} Find;

//---------------------------------------------------------------------------------------------- ways

static RvVec3 vertex_of(const double* x, const RvChainBatch* b, int lane, int i) {
  return rv_strand_vector(x, rv_chain_vertex(b, lane, i, 3, 0));
}

// Visits the vertices of a batch whose ways come near the solid; counts them, or fills the ways.
static void visit(const Find* f, size_t k, bool fill) {
  const RvChainBatch* b = &f->m->batches[k];
  uint32_t n = fill ? f->count[k] : 0;
  for (int lane = 0; lane < RV_LANES; ++lane) {
    double arc = 0;
    for (int i = 1; i <= b->links; ++i) {
      arc += f->m->length[rv_chain_link(b, lane, i - 1, 1, 0)];
      if (arc < f->s->rootfree) continue;
      RvVec3 from = rv_contact_pose_in(&f->start, vertex_of(f->s->from, b, lane, i));
      RvVec3 to = rv_contact_pose_in(&f->end, vertex_of(f->to, b, lane, i));
      double half = 0.5 * rv_distance(from, to);
      if (!rv_contact_collider_near(f->solid, &f->box, rv_lerp(from, to, 0.5), half + f->s->layer + RV_CHAIN_MARGIN))
        continue;
      if (fill) f->ways[n] = (Way){.batch = (uint32_t)k, .vertex = i, .lane = lane, .a = from, .b = to, .in = 2};
      n++;
    }
  }
  if (!fill) f->count[k + 1] = n;
}

static void count_ways(void* arg, size_t begin, size_t end) {
  for (size_t k = begin; k < end; ++k) visit(arg, k, false);
}

static void fill_ways(void* arg, size_t begin, size_t end) {
  for (size_t k = begin; k < end; ++k) visit(arg, k, true);
}

static RvVec3 place(const Way* w, double share) {
  return rv_lerp(w->a, w->b, share);
}

// Distances of the `n` ways in `index` at the shares in `distance`, which they replace.
static RvResult sample(Find* f, size_t n, RvArena* scratch, RvError* error) {
  for (size_t k = 0; k < n; ++k) f->at[k] = place(&f->ways[f->index[k]], f->distance[k]);
  return rv_contact_collider_distance(f->solid, scratch, n, f->at, f->distance, NULL, error);
}

// The ways without the solid's deformation: its grids are those of another time.
static RvResult remove_drift(Find* f, size_t n, RvArena* scratch, RvError* error) {
  const RvCollider* c = f->solid;
  double longest = 0;
  for (size_t k = 0; k < n; ++k) {
    f->at[k] = f->ways[k].a;
    longest = fmax(longest, rv_distance(f->ways[k].a, f->ways[k].b));
  }
  double reach = c->offset + longest + f->s->layer + c->fastest * (fabs(c->grid_time) + f->dt);
  RvResult result = rv_contact_collider_velocity(c, scratch, n, f->at, reach, f->normal, error);
  for (size_t k = 0; k < n && !result; ++k) {
    Way* w = &f->ways[k];
    w->drift = f->normal[k];
    w->a = rv_mad(w->a, -c->grid_time, w->drift);
    w->b = rv_mad(w->b, -(c->grid_time + f->dt), w->drift);
    w->length = rv_distance(w->a, w->b);
  }
  return result;
}

// Follows all ways until they enter the solid or end.
static RvResult march(Find* f, size_t n, RvArena* scratch, RvError* error) {
  for (size_t k = 0; k < n; ++k) {
    f->index[k] = (uint32_t)k;
    f->distance[k] = 0;
  }
  RvResult result = sample(f, n, scratch, error);
  size_t open = 0;
  for (size_t k = 0; k < n && !result; ++k) {
    f->ways[k].start = f->ways[k].last = f->distance[k];
    if (f->distance[k] >= 0) f->index[open++] = (uint32_t)k;
  }
  for (int step = 0; step < MOST_STEPS && open && !result; ++step) {
    for (size_t k = 0; k < open; ++k) {
      const Way* w = &f->ways[f->index[k]];
      double stride = fmax(w->last, f->least) / fmax(w->length, f->least);
      f->distance[k] = step + 1 == MOST_STEPS ? 1 : fmin(w->out + stride, 1);
      f->normal[k].x = f->distance[k];  // the share, for below
    }
    result = sample(f, open, scratch, error);
    size_t left = 0;
    for (size_t k = 0; k < open && !result; ++k) {
      Way* w = &f->ways[f->index[k]];
      double share = f->normal[k].x;
      w->last = f->distance[k];
      if (w->last < 0) {
        w->in = share;
        continue;
      }
      w->out = share;
      if (share < 1) f->index[left++] = f->index[k];
    }
    open = left;
  }
  return result;
}

// Narrows the place of entry of the ways that have one.
static RvResult bisect(Find* f, size_t n, RvArena* scratch, RvError* error) {
  RvResult result = RV_OK;
  for (int step = 0; step < BISECTIONS && !result; ++step) {
    size_t some = 0;
    for (size_t k = 0; k < n; ++k) {
      const Way* w = &f->ways[k];
      if (!(w->in <= 1)) continue;
      f->index[some] = (uint32_t)k;
      f->distance[some++] = 0.5 * (w->out + w->in);
    }
    result = sample(f, some, scratch, error);
    for (size_t k = 0; k < some && !result; ++k) {
      Way* w = &f->ways[f->index[k]];
      double middle = 0.5 * (w->out + w->in);
      if (f->distance[k] < 0)
        w->in = middle;
      else
        w->out = middle;
    }
  }
  return result;
}

//---------------------------------------------------------------------------------------------- planes

// Hamming's window of the distance (HC-14), 1 at the surface and 0.08 at the end of the layer.
static double window(double distance, double layer) {
  if (!(distance < layer)) return 0;
  return 0.54 + 0.46 * rv_cos(RV_PI * fmax(distance, 0) / layer);
}

// The plane of a way, from distance and normal at its last place outside, or at its begin inside.
static void set_plane(const Find* f, const Way* w, double distance, RvVec3 normal, size_t* inside) {
  const RvChainBatch* b = &f->m->batches[w->batch];
  RvChainPlane* p = &f->s->planes[rv_chain_vertex(b, w->lane, w->vertex, 1, 0)];
  const bool begins_inside = w->start<0, ends_near = w->in> 1 && w->last < f->near;
  const bool enters = w->in <= 1 || begins_inside || ends_near;
  const double slip = window(enters ? 0 : distance, f->s->layer);
  if (!enters && !(slip > p->slip)) return;
  if (p->blocks) return;  // the plane of a solid before
  if (rv_dot(normal, normal) == 0) {
    if (begins_inside) return;  // so deep that the way out is not known
    normal = rv_normalize(rv_sub(w->a, w->b), rv_vec3(0, 1, 0));
  }
  *inside += w->start < -RV_CHAIN_MARGIN && w->lane < b->lanes;
  // The plane in the solid's space, then in the world at the end of the step.
  RvVec3 y = begins_inside ? w->a : place(w, w->out);
  double rise = begins_inside ? fmin(-w->start + RV_CHAIN_MARGIN, PUSH_SPEED * f->dt) : RV_CHAIN_MARGIN - distance;
  RvVec3 on = rv_mad(rv_mad(y, rise, normal), f->solid->grid_time + f->dt, w->drift);
  RvVec3 world = rv_contact_pose_out(&f->end, on), n = rv_quat_rotate(f->end.orientation, normal);
  RvVec3 surface = rv_add(f->solid->linear, rv_cross(f->solid->angular, rv_sub(world, f->end.position)));
  surface = rv_add(surface, rv_quat_rotate(f->end.orientation, w->drift));
  *p = (RvChainPlane){.offset = rv_dot(n, world),
                      .slip = slip,
                      .friction = (float)f->solid->friction,
                      .blocks = enters,
                      .inside = begins_inside};
  rv_vec3_store64(p->normal, n);
  rv_vec3_store64(p->surface, surface);
}

// Planes of the ways that enter, begin inside, or end in the layer.
static RvResult set_planes(Find* f, size_t n, size_t* inside, RvArena* scratch, RvError* error) {
  size_t some = 0;
  for (size_t k = 0; k < n; ++k) {
    const Way* w = &f->ways[k];
    if (w->in > 1 && w->start >= 0 && !(w->last < f->s->layer)) continue;
    f->index[some] = (uint32_t)k;
    f->at[some++] = w->start < 0 ? w->a : place(w, w->out);
  }
  RvResult result = rv_contact_collider_distance(f->solid, scratch, some, f->at, f->distance, f->normal, error);
  for (size_t k = 0; k < some && !result; ++k)
    set_plane(f, &f->ways[f->index[k]], f->distance[k], f->normal[k], inside);
  return result;
}

// One solid.
static RvResult find(Find* f, size_t* inside, RvArena* scratch, RvError* error) {
  f->start = rv_contact_collider_pose(f->solid, 0);
  f->end = rv_contact_collider_pose(f->solid, f->dt);
  f->box = rv_contact_collider_box(f->solid, f->dt);
  f->least = f->solid->shape == RV_COLLIDER_GRID ? LEAST_STEP * rv_grid_voxel_size(f->solid->distance) : LEAST_LENGTH;
  f->count = RV_TAKE(scratch, uint32_t, f->m->nbatch + 1);
  if (!f->count) return rv_fail(error, RV_NO_MEMORY, "out of memory for contacts with solids");
  f->count[0] = 0;
  rv_parallel_for(f->m->nbatch, BATCHES_A_TASK, count_ways, f);
  for (size_t k = 0; k < f->m->nbatch; ++k) f->count[k + 1] += f->count[k];
  size_t n = f->count[f->m->nbatch];
  f->ways = RV_TAKE(scratch, Way, n + 1);
  f->index = RV_TAKE(scratch, uint32_t, n + 1);
  f->at = RV_TAKE(scratch, RvVec3, n + 1);
  f->normal = RV_TAKE(scratch, RvVec3, n + 1);
  f->distance = RV_TAKE(scratch, double, n + 1);
  if (!f->ways || !f->index || !f->at || !f->normal || !f->distance)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for contacts with solids");
  rv_parallel_for(f->m->nbatch, BATCHES_A_TASK, fill_ways, f);
  RvResult result = remove_drift(f, n, scratch, error);
  if (!result) result = march(f, n, scratch, error);
  if (!result) result = bisect(f, n, scratch, error);
  return result ? result : set_planes(f, n, inside, scratch, error);
}

RvResult rv_chain_solids_find(RvChainSolids* s, const RvChainModel* m, const double* to, double dt, double near,
                              bool keep, RvArena* scratch, size_t* inside, RvError* error) {
  RvResult result = RV_OK;
  *inside = 0;
  for (size_t i = 0; i < m->vertices; ++i)
    if (!keep || !s->planes[i].blocks) s->planes[i] = (RvChainPlane){0};
  for (size_t k = 0; k < s->count && !result; ++k) {
    RvArenaMark mark = rv_arena_mark(scratch);
    Find f = {.s = s, .m = m, .solid = &s->colliders[k], .to = to, .dt = dt, .near = near};
    result = find(&f, inside, scratch, error);
    rv_arena_release(scratch, mark);
  }
  return result;
}
