// Touches of strands and solids: planes at the point of the surface that a strand's point meets in the step.
//
// The path of a point over the step is taken in the space of the solid, where only their relative motion counts. Sphere
// tracing follows it to where it first comes within reach of the surface: steps by the distance never pass the surface.
// Then the end of the path is projected out of the solid, and the plane is the tangent plane nearest to it. So a point
// cannot pass through a solid however fast either moves, and a point that slides along a curved surface is not lifted
// off by the plane of its start.
#include <math.h>

#include "base/parallel.h"
#include "contact/collider.h"
#include "contact/law.h"
#include "contact/store.h"
#include "math/scalar.h"
#include "space/sort.h"

enum { CHUNKS = 64 };                     // chunks of strands
enum { MAX_WALK = 16 };                   // steps of sphere tracing
static const double NEAR_SURFACE = 0.01;  // of the reach: sphere tracing ends within this distance of it
static const double SAME_SIDE = 0.5;      // least cosine between the normals at the meeting and at the end of the path
static const double SLACK = 0.25;         // of the reach: margin of the distances that a bridge may have in the step
static const double PUSH_SPEED = 0.2;     // m/s at which a point inside a solid is pushed out

// A point of a strand near a solid.
typedef struct Point {
  uint64_t key;     // point << 32 | collider
  RvVec3 x;         // m, at the start of the step
  RvVec3 from, to;  // m, its path in the solid's space, at the time of the solid's grids
  double radius;    // m
  double length;    // m of strand that it stands for
  RvVec3 drift;     // m/s, of the solid's deformation
  double distance;  // m, at the start
  double t;         // position along the path where it first comes within reach
  RvVec3 normal;    // unit, of the plane
  double depth;     // m, distance at `foot`
  RvVec3 foot;      // m, where normal and depth were sampled
  double film;      // m2
  double tension_factor;
  double curve;  // 1/m, mean curvature of the solid
} Point;

typedef RV_ARRAY(Point) Points;

// Lists that are kept from step to step.
typedef struct RvTouchWork {
  Points found[CHUNKS], points;
} RvTouchWork;

void rv_contact_touch_free(RvTouchWork* work) {
  if (!work) return;
  for (int k = 0; k < CHUNKS; ++k) rv_array_free(&work->found[k]);
  rv_array_free(&work->points);
  rv_free(work);
}

// The search for one solid.
typedef struct Touching {
  RvContacts* c;
  const RvContactDef* def;
  const RvCollider* solid;
  size_t index;  // of the solid
  double dt;
  RvPose start, end;  // of the solid in the step
  RvColliderBox box;
  size_t grain;   // strands of a chunk
  Points* found;  // [CHUNKS]
  bool failed[CHUNKS];
  Points* points;
  // from the scratch, one a point
  RvVec3 *at, *slope;
  double* distance;
  size_t* active;
} Touching;

//---------------------------------------------------------------------------------------------- candidates

// d0 of a point.
static double reach_of(const Touching* w, const Point* p) {
  return p->radius + w->def->solid_width;
}

// Distance within which a touch is made, with a margin for accelerations that the velocity does not contain.
static double dry_margin(const Touching* w, const Point* p) {
  return reach_of(w, p) * (1 + w->def->margin) + w->dt * w->dt * rv_length(w->def->acceleration);
}

// H of the film on it, at least d0, so that the film of a strand in equilibrium at d0 touches the solid.
static double height_of(const Touching* w, const Point* p) {
  return rv_max(sqrt(p->film * (1 / RV_PI) + p->radius * p->radius), reach_of(w, p));
}

// The same with liquid.
static double margin_of(const Touching* w, const Point* p) {
  double dry = dry_margin(w, p);
  if (!(p->film > 0)) return dry;
  return rv_max(dry,
                rv_max(height_of(w, p), p->radius + rv_contact_solid_table(w->c, p->key)->rupture * sqrt(p->film)));
}

// Whether a point touched the solid in the step before.
static bool touched(const Touching* w, uint64_t key) {
  const RvContacts* c = w->c;
  return rv_contact_find_key(c->old_touch_keys.data, c->old_touch_keys.count, key) < c->old_touch_keys.count;
}

// Adds a vertex, or the middle of the edge after it, if it may come near the solid.
static void consider(Touching* w, size_t chunk, size_t vertex, bool middle, double length) {
  const RvSegments* s = &w->c->segments;
  Point p = {.key = (uint64_t)(2 * vertex + middle) << 32 | w->index, .x = s->x[vertex], .length = length};
  RvVec3 v = s->v[vertex];
  p.radius = s->radius[vertex];
  if (w->c->wet) {
    p.film = s->area[vertex];
    p.tension_factor = s->tension_factor[vertex];
  }
  if (middle && w->c->wet) {
    p.film = 0.5 * (p.film + s->area[vertex + 1]);
    p.tension_factor = 0.5 * (p.tension_factor + s->tension_factor[vertex + 1]);
  }
  if (middle) {
    p.x = rv_lerp(p.x, s->x[vertex + 1], 0.5);
    v = rv_lerp(v, s->v[vertex + 1], 0.5);
    p.radius = 0.5 * (p.radius + s->radius[vertex + 1]);
  }
  p.from = rv_contact_pose_in(&w->start, p.x);
  p.to = rv_contact_pose_in(&w->end, rv_mad(p.x, w->dt, v));
  if (!rv_contact_collider_near(w->solid, &w->box, p.from, margin_of(w, &p) + rv_distance(p.from, p.to))) return;
  // A point that touches goes on as it moves: the solid, friction and the strand hold its weight. With the fall of a
  // step in its path, hair at rest on a curved solid would be held by the planes of places farther down, above the
  // surface and inclined.
  if (touched(w, p.key))
    p.to = rv_contact_pose_in(&w->end, rv_mad(p.x, w->dt, rv_mad(v, -w->dt, w->def->acceleration)));
  if (!rv_array_push(&w->found[chunk], p)) w->failed[chunk] = true;
}

// Points of some chunks of strands. A vertex stands for half of both edges; with midpoints, these take half of their
// edge.
static void consider_strands(void* arg, size_t begin, size_t end) {
  Touching* w = arg;
  const RvContacts* c = w->c;
  for (size_t chunk = begin; chunk < end; ++chunk) {
    size_t last = (chunk + 1) * w->grain < c->nstrand ? (chunk + 1) * w->grain : c->nstrand;
    for (size_t k = chunk * w->grain; k < last; ++k) {
      const RvContactStrand* s = &c->strands[k];
      const RvStrandBatch* b = &c->model->batches[s->batch];
      const double* rest = c->model->rest_length + b->edge_at + s->lane;
      double arc = 0;                                   // m from the root
      double share = w->solid->midpoints ? 0.25 : 0.5;  // of each edge that a vertex stands for
      for (int i = 0; i < b->vertices; ++i) {
        double before = i > 0 ? rest[(size_t)(i - 1) * RV_LANES] : 0;
        double after = i + 1 < b->vertices ? rest[(size_t)i * RV_LANES] : 0;
        size_t vertex = s->first + k + (size_t)i;
        bool fixed = c->model->free[rv_contact_unknown(c, s, (size_t)i)] == 0;
        if (!fixed && arc >= w->def->root_free) consider(w, chunk, vertex, false, share * (before + after));
        if (w->solid->midpoints && i + 1 < b->vertices && arc + 0.5 * after >= w->def->root_free)
          consider(w, chunk, vertex, true, 0.5 * after);
        arc += after;
      }
    }
  }
}

// Joins the points of all chunks, and takes the temporary arrays; false: no memory.
static bool collect(Touching* w) {
  size_t total = 0;
  for (int k = 0; k < CHUNKS; ++k) {
    if (w->failed[k]) return false;
    total += w->found[k].count;
  }
  if (!rv_array_resize(w->points, total)) return false;
  size_t at = 0;
  for (int k = 0; k < CHUNKS; ++k)
    for (size_t i = 0; i < w->found[k].count; ++i) w->points->data[at++] = w->found[k].data[i];
  RvArena* scratch = w->c->scratch;
  w->at = RV_TAKE(scratch, RvVec3, total);
  w->slope = RV_TAKE(scratch, RvVec3, total);
  w->distance = RV_TAKE(scratch, double, total);
  w->active = RV_TAKE(scratch, size_t, total);
  return w->at && w->slope && w->distance && w->active;
}

//---------------------------------------------------------------------------------------------- paths

// Removes the solid's deformation from the paths, which are then at the time of its grids.
static RvResult remove_drift(Touching* w, RvError* error) {
  size_t n = w->points->count;
  // the solid's velocity is needed only where both can meet
  double reach = w->solid->offset + w->solid->fastest * (fabs(w->solid->grid_time) + w->dt);
  double longest = 0;
  for (size_t k = 0; k < n; ++k) {
    const Point* p = &w->points->data[k];
    longest = rv_max(longest, margin_of(w, p) + rv_distance(p->from, p->to));
    w->at[k] = p->from;
  }
  RvResult result = rv_contact_collider_velocity(w->solid, w->c->scratch, n, w->at, reach + longest, w->slope, error);
  for (size_t k = 0; !result && k < n; ++k) {
    Point* p = &w->points->data[k];
    p->drift = w->slope[k];
    p->from = rv_mad(p->from, -w->solid->grid_time, p->drift);
    p->to = rv_mad(p->to, -(w->solid->grid_time + w->dt), p->drift);
  }
  return result;
}

// Sphere tracing: the position along its path where each point first comes within reach.
static RvResult trace_paths(Touching* w, RvError* error) {
  size_t n = w->points->count, left = n;
  for (size_t k = 0; k < n; ++k) w->active[k] = k;
  for (int round = 0; round < MAX_WALK && left > 0; ++round) {
    for (size_t k = 0; k < left; ++k) {
      const Point* p = &w->points->data[w->active[k]];
      w->at[k] = rv_lerp(p->from, p->to, p->t);
    }
    RvResult result = rv_contact_collider_distance(w->solid, w->c->scratch, left, w->at, w->distance, NULL, error);
    if (result) return result;
    size_t kept = 0;
    for (size_t k = 0; k < left; ++k) {
      Point* p = &w->points->data[w->active[k]];
      double clear = w->distance[k] - reach_of(w, p), path = rv_distance(p->from, p->to);
      if (round == 0) p->distance = w->distance[k];
      if (clear <= NEAR_SURFACE * reach_of(w, p) || p->t >= 1) continue;
      p->t = clear < (1 - p->t) * path ? p->t + clear / path : 1;
      // a point that reaches its end freely is done: its plane is that of the end
      if (p->t < 1) w->active[kept++] = w->active[k];
    }
    left = kept;
  }
  return RV_OK;
}

// Removes points that cannot come near: at the end the distance is at least that of the start less the path's length.
static void drop_far(Touching* w) {
  size_t kept = 0;
  for (size_t k = 0; k < w->points->count; ++k) {
    const Point* p = &w->points->data[k];
    if (p->t >= 1 && p->distance - rv_distance(p->from, p->to) > margin_of(w, p)) continue;
    w->points->data[kept++] = *p;
  }
  w->points->count = kept;
}

// Planes: first where the point meets the surface, then nearest to the end of its path projected out of the solid.
static RvResult find_planes(Touching* w, RvError* error) {
  size_t n = w->points->count;
  for (size_t k = 0; k < n; ++k)
    w->at[k] = rv_lerp(w->points->data[k].from, w->points->data[k].to, w->points->data[k].t);
  RvResult result = rv_contact_collider_distance(w->solid, w->c->scratch, n, w->at, w->distance, w->slope, error);
  if (result) return result;
  for (size_t k = 0; k < n; ++k) {
    Point* p = &w->points->data[k];
    p->normal = w->slope[k];
    p->depth = w->distance[k];
    p->foot = w->at[k];
    double inside = rv_dot(p->normal, rv_sub(p->to, w->at[k])) + p->depth - reach_of(w, p);
    w->at[k] = inside < 0 ? rv_mad(p->to, -inside, p->normal) : p->to;
  }
  result = rv_contact_collider_distance(w->solid, w->c->scratch, n, w->at, w->distance, w->slope, error);
  for (size_t k = 0; !result && k < n; ++k) {
    Point* p = &w->points->data[k];
    if (!(rv_dot(w->slope[k], p->normal) > SAME_SIDE)) continue;
    p->normal = w->slope[k];
    p->depth = w->distance[k];
    p->foot = w->at[k];
  }
  return result;
}

// Mean curvatures of the solid at the feet of the points (WH-9).
static RvResult find_curvatures(Touching* w, RvError* error) {
  size_t n = w->points->count;
  for (size_t k = 0; k < n; ++k) {
    const Point* p = &w->points->data[k];
    w->at[k] = rv_mad(p->foot, -p->depth, p->normal);
  }
  RvResult result = rv_contact_collider_curvature(w->solid, w->c->scratch, n, w->at, w->distance, error);
  for (size_t k = 0; !result && k < n; ++k) w->points->data[k].curve = w->distance[k];
  return result;
}

//---------------------------------------------------------------------------------------------- touches

static RvVec3 tangential(RvVec3 a, RvVec3 n) {
  return rv_mad(a, -rv_dot(a, n), n);
}

// The bridge of a touch (WH-9): the input of its share and of its law; weight 0 where there is none.
static RvWetPair bridge_of(const Touching* w, const Point* p, double multiple, double after, const RvTouchMemory* old) {
  RvWetPair out = {0};
  double reach = reach_of(w, p);
  double slack = SLACK * reach + w->dt * w->dt * rv_length(w->def->acceleration);
  RvWetMeeting m = {p->distance, reach, p->radius, height_of(w, p), {p->film, 0}, old ? old->area : 0, 0};
  double weight;
  if (!rv_contact_wet_meets(rv_contact_solid_table(w->c, p->key), &m, &weight)) return out;
  out = (RvWetPair){.weight = weight,
                    .length = p->length,
                    .film = {p->film, 0},
                    .strength = w->def->liquid->tension * p->tension_factor * p->length * multiple,
                    .distance = p->distance,
                    .distance_min = rv_min(p->distance, after) - slack,
                    .distance_max = rv_max(p->distance, after) + slack,
                    .touch = p->radius,
                    .turn = 2 * reach - p->radius,
                    .radius = p->radius,
                    // concave places count as flat, edges sharper than the strand as its radius
                    .ratio = rv_clamp(p->curve * p->radius, 0, 1)};
  return out;
}

// Makes the touch of a point, if it is within range; false: no memory.
static bool add_touch(Touching* w, const Point* p, RvContactStats* stats) {
  RvContacts* c = w->c;
  const RvContactDef* def = w->def;
  double reach = reach_of(w, p), push = def->solid_stiffness * p->length;
  if (rv_dot(p->normal, p->normal) == 0) {
    stats->lost += p->distance < reach || p->t < 1;
    return true;
  }
  // Whether it may touch, or hold liquid.
  RvVec3 foot = rv_mad(p->foot, -p->depth, p->normal);
  double ahead = rv_dot(p->normal, rv_sub(p->to, foot));
  bool dry = rv_min(p->distance, ahead) < dry_margin(w, p);
  if (!dry && !(p->film > 0)) return true;
  size_t at = rv_contact_find_key(c->old_touch_keys.data, c->old_touch_keys.count, p->key);
  const RvTouchMemory* old = at < c->old_touch_keys.count ? &c->old_touch_memory.data[at] : NULL;
  double multiple = def->multiple ? def->multiple[c->strands[rv_contact_strand(c, (size_t)(p->key >> 33))].input] : 1;
  if (def->multiple) push *= multiple;
  RvWetPair bridge = {0};
  if (c->wet) bridge = bridge_of(w, p, multiple, ahead, old);
  if (!dry && !(bridge.weight > 0)) return true;
  // The plane at the end of the step.
  RvVec3 before = rv_contact_pose_out(&w->start, rv_mad(foot, w->solid->grid_time, p->drift));
  RvVec3 after = rv_contact_pose_out(&w->end, rv_mad(foot, w->solid->grid_time + w->dt, p->drift));
  RvVec3 normal = rv_quat_rotate(w->end.orientation, p->normal);
  RvContactShape s = {.normal = normal, .offset = rv_dot(normal, after), .stiffness = push};
  // d0: a point that starts inside a solid stays where it was groomed; one that gets inside later is pushed out,
  double keep = old ? rv_max(old->reach, rv_min(reach, p->distance)) : c->begun ? reach : rv_min(reach, p->distance);
  // with a smaller d0 the plane must agree with the distance at the start, or it would push the point
  if (keep < reach) s.offset += rv_dot(p->normal, rv_sub(p->from, foot)) - p->distance;
  // at a bounded speed, so that it does not fly off.
  s.reach = rv_min(keep, p->distance + reach + PUSH_SPEED * w->dt);
  s.width = def->solid_width;
  // Friction anchor.
  s.friction_limit = -w->solid->friction * rv_contact_force(p->distance, s.reach, s.width, push).force;
  s.slip = rv_max(def->slip * reach, def->slip_speed * w->dt);
  RvVec3 slip = old ? tangential(old->slip, normal) : rv_vec3(0, 0, 0);
  s.origin = rv_sub(tangential(rv_add(p->x, rv_sub(after, before)), normal), slip);
  RvTouchMemory memory = {slip, keep, bridge.weight > 0 && old ? old->area : 0, old ? old->age : 0,
                          old ? old->pull : 0};
  bridge.start = keep;
  bridge.low = keep - s.width;
  if (c->wet && !rv_array_push(&c->wet_touches, bridge)) return false;
  return rv_array_push(&c->touch_keys, p->key) && rv_array_push(&c->touch_shapes, s) &&
         rv_array_push(&c->touch_memory, memory);
}

// All touches with one solid.
static RvResult touch_solid(Touching* w, RvContactStats* stats, RvError* error) {
  RvContacts* c = w->c;
  RvArenaMark mark = rv_arena_mark(c->scratch);
  for (int k = 0; k < CHUNKS; ++k) w->found[k].count = 0;
  w->points->count = 0;
  w->box = rv_contact_collider_box(w->solid, w->dt);
  w->start = rv_contact_collider_pose(w->solid, 0);
  w->end = rv_contact_collider_pose(w->solid, w->dt);
  w->grain = (c->nstrand + CHUNKS - 1) / CHUNKS;
  rv_parallel_for((c->nstrand + w->grain - 1) / w->grain, 1, consider_strands, w);
  bool room = collect(w);
  RvResult result = room ? remove_drift(w, error) : RV_NO_MEMORY;
  if (!result) result = trace_paths(w, error);
  if (!result) drop_far(w);
  if (!result) result = find_planes(w, error);
  if (!result && c->wet) result = find_curvatures(w, error);
  for (size_t k = 0; !result && k < w->points->count; ++k)
    if (!add_touch(w, &w->points->data[k], stats)) result = RV_NO_MEMORY;
  if (result == RV_NO_MEMORY) rv_fail(error, result, "contacts: out of memory for collider %zu", w->index);
  rv_arena_release(c->scratch, mark);
  return result;
}

// Sorts the touches by point, then by solid; each solid's own are in order already.
static RvResult sort_touches(RvContacts* c, RvError* error) {
  size_t n = c->touch_keys.count;
  RvArena* a = c->scratch;
  RvArenaMark mark = rv_arena_mark(a);
  RvContactShape* shapes = RV_TAKE(a, RvContactShape, n);
  RvTouchMemory* memory = RV_TAKE(a, RvTouchMemory, n);
  RvWetPair* wet = RV_TAKE(a, RvWetPair, c->wet ? n : 1);
  uint64_t* spare_keys = RV_TAKE(a, uint64_t, n);
  uint32_t *order = RV_TAKE(a, uint32_t, n), *spare = RV_TAKE(a, uint32_t, n);
  bool room = shapes && memory && wet && spare_keys && order && spare;
  for (size_t k = 0; room && k < n; ++k) order[k] = (uint32_t)k;
  if (room) rv_sort_keys(c->touch_keys.data, order, spare_keys, spare, n, 64);
  for (size_t k = 0; room && k < n; ++k) {
    shapes[k] = c->touch_shapes.data[order[k]];
    memory[k] = c->touch_memory.data[order[k]];
    if (c->wet) wet[k] = c->wet_touches.data[order[k]];
  }
  for (size_t k = 0; room && k < n; ++k) {
    c->touch_shapes.data[k] = shapes[k];
    c->touch_memory.data[k] = memory[k];
  }
  for (size_t k = 0; room && c->wet && k < n; ++k) c->wet_touches.data[k] = wet[k];
  rv_arena_release(a, mark);
  return room ? RV_OK : rv_fail(error, RV_NO_MEMORY, "contacts: out of memory for %zu contacts with solids", n);
}

RvResult rv_contact_touches(RvContacts* c, double dt, const RvContactDef* def, RvContactStats* stats, RvError* error) {
  c->touch_keys.count = 0;
  c->touch_shapes.count = 0;
  c->touch_memory.count = 0;
  c->wet_touches.count = 0;
  if (def->ncollider > 0 && !c->touch_work && !(c->touch_work = rv_alloc_zero(1, sizeof *c->touch_work)))
    return rv_fail(error, RV_NO_MEMORY, "contacts: out of memory for %zu colliders", def->ncollider);
  RvResult result = RV_OK;
  for (size_t k = 0; k < def->ncollider && !result; ++k) {
    Touching w = {.c = c, .def = def, .solid = &def->colliders[k], .index = k, .dt = dt};
    w.found = c->touch_work->found;
    w.points = &c->touch_work->points;
    result = touch_solid(&w, stats, error);
  }
  if (!result && def->ncollider > 1) result = sort_touches(c, error);
  stats->touches = c->touch_keys.count;
  return result;
}
