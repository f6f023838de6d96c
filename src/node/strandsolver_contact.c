#include "node/strandsolver_contact.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { LINK_NUMBERS = 13, TOUCH_NUMBERS = 8 };

//---------------------------------------------------------------------------------------------- solids

static bool named(const RvGrid* grid, const char* name) {
  return grid && strcmp(rv_grid_name(grid), name) == 0;
}

// a grid in metres: shared where the scene's unit is one, else a scaled copy; `value` scales what it holds
static RvResult in_metres(RvGrid* grid, double unit, double value, RvGrid** out, RvError* error) {
  if (unit == 1 && value == 1) {
    *out = rv_grid_retain(grid);
    return RV_OK;
  }
  double m[16];
  const double scale[9] = {value, 0, 0, 0, value, 0, 0, 0, value};
  RvResult result = rv_grid_copy(grid, out, error);
  if (!result) result = rv_grid_transform(*out, m, error);
  for (int i = 0; !result && i < 16; ++i)
    if (i % 4 < 3) m[i] *= unit;
  if (!result) result = rv_grid_set_transform(*out, m, error);
  if (!result) result = rv_grid_map_values(*out, scale, error);
  if (result && *out) rv_grid_release(*out), *out = NULL;
  return result;
}

// the solids of a detail in order: their number, and if `out` is there, their grids and points
static RvResult read_solids(const RvDetail* d, const RvStrandSolve* s, RvSolid* out, size_t* count, RvError* error) {
  const int32_t *start = rv_detail_prim_start(d), *point = rv_detail_vertex_point(d);
  const RvAttrib* friction = rv_detail_find(d, RV_PRIM, "friction");
  double unit = s->set.metersperunit;
  RvResult result = RV_OK;
  size_t n = 0, first = SIZE_MAX, last = 0;
  for (size_t i = 0; !result && i < rv_detail_count(d, RV_PRIM); ++i) {
    RvGrid* grid = rv_detail_prim_grid(d, i);
    for (int32_t v = start[i]; !grid && v < start[i + 1]; ++v) {
      size_t p = (size_t)point[v];
      first = p < first ? p : first, last = p + 1 > last ? p + 1 : last;
    }
    if (named(grid, "collision") && rv_grid_type(grid) == RV_GRID_FLOAT) {
      if (out) {
        out[n] = (RvSolid){.mesh = last > first && first != SIZE_MAX, .first = first, .last = last, .prim = i};
        out[n].friction = 0.3;
        if (friction && rv_attrib_storage(friction) != RV_STRING) out[n].friction = rv_attrib_get(friction, i, 0);
        // far away is outside
        float far[3] = {0};
        rv_grid_background(grid, far);
        out[n].turned = far[0] < 0;
        result = in_metres(grid, unit, far[0] < 0 ? -unit : unit, &out[n].distance, error);
      }
      n++, first = SIZE_MAX, last = 0;
    } else if (out && n && named(grid, "collisionvel") && rv_grid_type(grid) == RV_GRID_VEC3 && !out[n - 1].velocity) {
      result = in_metres(grid, unit, unit / s->def.timescale, &out[n - 1].velocity, error);
    }
  }
  *count = n;
  return result;
}

static void release_solids(RvSolid* solids, size_t count) {
  for (size_t i = 0; solids && i < count; ++i) {
    if (solids[i].distance) rv_grid_release(solids[i].distance);
    if (solids[i].velocity) rv_grid_release(solids[i].velocity);
  }
  rv_free(solids);
}

// the motion of a solid's points from one detail to another, in metres; false: they are not the same points
static RvResult fit(const RvSolid* solid, const RvDetail* a, const RvDetail* b, double unit, RvRigid* out, double* off,
                    bool* same, RvError* error) {
  *same = solid->mesh && a && b && rv_detail_count(a, RV_POINT) == rv_detail_count(b, RV_POINT);
  if (!*same) return RV_OK;
  size_t n = solid->last - solid->first;
  const float *p = rv_detail_f32(a, RV_POINT, "P", 3), *q = rv_detail_f32(b, RV_POINT, "P", 3);
  double* x = rv_alloc(6 * n, sizeof *x);
  if (!x) return rv_fail(error, RV_NO_MEMORY, "out of memory for the motion of a collider");
  for (size_t i = 0; i < 3 * n; ++i)
    x[i] = p[3 * solid->first + i] * unit, x[3 * n + i] = q[3 * solid->first + i] * unit;
  *out = rv_rigid_fit(n, x, x + 3 * n);
  *off = 0;
  for (size_t i = 0; i < n; ++i)
    *off = fmax(*off, rv_distance(rv_rigid_apply(out, rv_vec3_load64(x + 3 * i)), rv_vec3_load64(x + 3 * n + 3 * i)));
  rv_free(x);
  return RV_OK;
}

// the centre of a solid goes on as it went at the frame before: about an axis, or straight
static void lean(RvSolid* solid, const RvDetail* before, double unit, double fps) {
  const float* v = rv_detail_f32(before, RV_POINT, "v", 3);
  RvVec3 sum = {0};
  for (size_t i = solid->first; v && i < solid->last; ++i) sum = rv_add(sum, rv_vec3_load(v + 3 * i));
  if (v) rv_rigid_lean(&solid->motion, rv_scale(sum, unit / (fps * (double)(solid->last - solid->first))));
}

static bool same_points(const RvSolid* solid, const RvDetail* a, const RvDetail* b) {
  const float *p = a ? rv_detail_f32(a, RV_POINT, "P", 3) : NULL, *q = rv_detail_f32(b, RV_POINT, "P", 3);
  size_t n = solid->last - solid->first;
  return p && q && rv_detail_count(a, RV_POINT) == rv_detail_count(b, RV_POINT) &&
         memcmp(p + 3 * solid->first, q + 3 * solid->first, 3 * n * sizeof *p) == 0;
}

// how a solid moves in the frame: as one, or changing its shape
static RvResult begin_motion(RvStrandContacts* c, RvStrandSolve* s, RvSolid* solid, RvError* error) {
  RvCook* cook = s->cook;
  double off = 0;
  bool same;
  RvResult result = fit(solid, c->before, c->now, s->set.metersperunit, &solid->motion, &off, &same, error);
  if (result) return result;
  // what floats and the artist's rounding leave of a rigid motion is below a tenth of a voxel
  solid->rigid = same && off < 0.1 * rv_grid_voxel_size(solid->distance);
  if (solid->rigid) lean(solid, c->before, s->set.metersperunit, cook->time.fps);
  if (solid->rigid || !solid->mesh) return RV_OK;
  // a source of whole frames answers with one of its two neighbours
  const RvDetail* middle = NULL;
  RvError own = {0};
  if (cook->host->input_at) result = rv_cook_input_at(cook, 1, cook->time.frame - 0.5, &middle, &own);
  if (result == RV_CANCELLED || result == RV_NO_MEMORY) return rv_fail(error, result, "%s", own.text);
  solid->whole = result || !middle || same_points(solid, middle, c->before) || same_points(solid, middle, c->now);
  return RV_OK;
}

static RvResult begin_solids(RvStrandContacts* c, RvStrandSolve* s, RvError* error) {
  RvCook* cook = s->cook;
  c->now = cook->ninput > 1 ? cook->input[1] : NULL;
  if (!c->def.solids || !c->now) return RV_OK;
  RvError own = {0};
  RvResult result = rv_cook_input_at(cook, 1, cook->time.frame - 1, &c->before, &own);
  if (result == RV_CANCELLED || result == RV_NO_MEMORY) return rv_fail(error, result, "%s", own.text);
  if (result || !c->before) c->before = c->now;
  size_t count, had;
  result = read_solids(c->now, s, NULL, &count, error);
  if (!result) result = read_solids(c->before, s, NULL, &had, error);
  if (result) return result;
  if (!count && rv_detail_count(c->now, RV_PRIM))
    rv_cook_warn(cook, "input 2, the colliders, has no VDB named collision: put a collider node before it");
  // a solid that comes or goes is there, or not, for the whole frame
  if (count != had) c->before = c->now;
  if (!count) return RV_OK;
  c->solids = rv_alloc_zero(count, sizeof *c->solids);
  c->colliders = rv_alloc_zero(count, sizeof *c->colliders);
  c->sampled = rv_alloc_zero(count, sizeof *c->sampled);
  c->motions = rv_alloc_zero(count, sizeof *c->motions);
  if (!c->solids || !c->colliders || !c->sampled || !c->motions)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the colliders");
  c->nsolid = count;
  result = read_solids(c->before, s, c->solids, &count, error);
  for (size_t i = 0; i < count && !result; ++i) {
    if (c->solids[i].turned)
      rv_cook_warn(cook, "input 2, level set %zu is inside out, negative far away: its sign is turned round", i + 1);
    result = begin_motion(c, s, &c->solids[i], error);
  }
  return result;
}

// pose of x -> motion(x) at its start, in the solver's places, and the rates that lead to its end
static void set_motion(RvCollider* c, const RvRigid* a, const RvRigid* b, RvVec3 origin, double dt) {
  // both are maps from the grid's space
  RvVec3 pa = rv_sub(rv_rigid_apply(a, rv_vec3(0, 0, 0)), origin),
         pb = rv_sub(rv_rigid_apply(b, rv_vec3(0, 0, 0)), origin);
  double rates[9];
  RvRigid turn = {.turn = rv_quat_normalize(rv_quat_mul(b->turn, rv_quat_conjugate(a->turn)))};
  if (turn.turn.w < 0) turn.turn = (RvQuat){-turn.turn.x, -turn.turn.y, -turn.turn.z, -turn.turn.w};
  rv_rigid_rates(&turn, dt, rates);
  c->position = pa, c->orientation = a->turn;
  c->linear = rv_scale(rv_sub(pb, pa), 1 / dt), c->angular = rv_vec3_load64(rates + 3);
}

// Two moments of the colliders and how far between them the step begins: its own ends, or those of the frame.
typedef struct Moments {
  const RvDetail *a, *b;
  double span;  // s
  double from;  // share
  bool whole;   // for the solids that are known at whole frames only
} Moments;

// the shape at the second moment, which its points reach on straight ways from the first
static RvResult deform_solid(RvStrandContacts* c, RvStrandSolve* s, size_t i, const Moments* at, RvSolid* solid,
                             const RvMesh* mesh, size_t* triangle, RvError* error) {
  size_t begin = *triangle, end = begin;
  while (end < mesh->ntriangle && (size_t)mesh->prims[end] < solid->prim) ++end;
  *triangle = end;
  if (c->solids[i].rigid || !c->solids[i].mesh || c->solids[i].whole != at->whole) return RV_OK;
  double unit = s->set.metersperunit;
  bool same = rv_detail_count(at->a, RV_POINT) == rv_detail_count(at->b, RV_POINT);
  RvMeshMotionDef def = {.first = solid->mesh ? solid->first : 0,
                         .last = solid->mesh ? solid->last : 0,
                         .ntriangle = solid->mesh ? end - begin : 0,
                         .triangles = mesh->triangles + 3 * begin,
                         .P = rv_detail_f32(same ? at->a : at->b, RV_POINT, "P", 3),
                         .after = same ? rv_detail_f32(at->b, RV_POINT, "P", 3) : NULL,
                         .v = rv_detail_f32(at->b, RV_POINT, "v", 3),
                         .unit = unit,
                         .dt = at->span,
                         .rate = unit / s->def.timescale,
                         .from = at->from};
  RvResult result = rv_mesh_motion_init(&c->motions[i], &def, error);
  if (result) return result;
  RvCollider* collider = &c->colliders[i];
  collider->distance = c->sampled[i] = solid->distance;
  solid->distance = NULL;
  collider->motion = rv_mesh_motion_at, collider->motion_user = &c->motions[i];
  collider->fastest = c->motions[i].fastest;
  collider->grid_time = (at->from - 1) * at->span;
  return RV_OK;
}

static RvResult deform_solids(RvStrandContacts* c, RvStrandSolve* s, const Moments* at, RvError* error) {
  RvSolid* solids = rv_alloc_zero(c->nsolid, sizeof *solids);
  RvMesh mesh = {0};
  size_t count = c->nsolid, triangle = 0;
  RvResult result = solids ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the colliders");
  if (!result) result = read_solids(at->b, s, solids, &count, error);
  if (!result) result = rv_mesh_from_detail(at->b, &mesh, error);
  for (size_t i = 0; i < c->nsolid && !result; ++i)
    result = deform_solid(c, s, i, at, &solids[i], &mesh, &triangle, error);
  rv_mesh_free(&mesh);
  release_solids(solids, c->nsolid);
  return result;
}

// the colliders as they are at a share of the frame, if they are as many as at its end
static RvResult ask(RvStrandContacts* c, RvStrandSolve* s, double share, const RvDetail** out, RvError* error) {
  RvError own = {0};
  size_t count = 0;
  RvResult result = rv_cook_input_at(s->cook, 1, s->cook->time.frame - 1 + share, out, &own);
  if (result == RV_CANCELLED || result == RV_NO_MEMORY) return rv_fail(error, result, "%s", own.text);
  if (!result && *out) result = read_solids(*out, s, NULL, &count, error);
  if (result || !*out || count != c->nsolid) *out = c->now;
  return RV_OK;
}

static void release_samples(RvStrandContacts* c) {
  for (size_t i = 0; i < c->nsolid && c->sampled && c->motions; ++i) {
    if (c->sampled[i]) rv_grid_release(c->sampled[i]);
    c->sampled[i] = NULL;
    rv_mesh_motion_free(&c->motions[i]);
  }
}

static RvResult sample_solids(RvStrandContacts* c, RvStrandSolve* s, double from, double to, double dt,
                              RvError* error) {
  bool any[2] = {false, false};
  for (size_t i = 0; i < c->nsolid; ++i)
    if (c->solids[i].mesh && !c->solids[i].rigid) any[c->solids[i].whole] = true;
  release_samples(c);
  RvResult result = RV_OK;
  if (any[1]) {
    Moments at = {c->before, c->now, s->cook->dt * s->def.timescale, from, true};
    result = deform_solids(c, s, &at, error);
  }
  if (!result && any[0]) {
    Moments at = {.span = dt};
    result = ask(c, s, from, &at.a, error);
    if (!result) result = ask(c, s, to, &at.b, error);
    if (!result) result = deform_solids(c, s, &at, error);
  }
  return result;
}

static RvResult set_colliders(RvStrandContacts* c, RvStrandSolve* s, double from, double to, double dt,
                              RvError* error) {
  RvVec3 origin = rv_scale(rv_vec3_load64(s->set.origin), s->set.metersperunit);
  bool all = true;
  for (size_t i = 0; i < c->nsolid; ++i) {
    const RvSolid* solid = &c->solids[i];
    c->colliders[i] = (RvCollider){.shape = RV_COLLIDER_GRID,
                                   .distance = solid->distance,
                                   .orientation = rv_quat_identity(),
                                   .position = rv_neg(origin),
                                   .offset = c->def.thickness,
                                   .friction = solid->friction >= 0 ? solid->friction : 0};
    if (solid->rigid) {
      RvRigid a = rv_rigid_share(&solid->motion, from), b = rv_rigid_share(&solid->motion, to);
      set_motion(&c->colliders[i], &a, &b, origin, dt);
    } else if (solid->mesh) {
      all = false;
    } else if (solid->velocity) {
      // a level set that moves by its field, from the frame before
      c->colliders[i].velocity = solid->velocity;
      c->colliders[i].grid_time = from * s->cook->dt * s->def.timescale;
    }
  }
  return all ? RV_OK : sample_solids(c, s, from, to, dt, error);
}

//---------------------------------------------------------------------------------------------- memory

static bool take_memory(RvContactMemory* m, size_t nlink, size_t ntouch) {
  rv_free(m->links), rv_free(m->touches);
  m->links = rv_alloc(nlink, sizeof *m->links), m->touches = rv_alloc(ntouch, sizeof *m->touches);
  m->nlink = nlink, m->ntouch = ntouch;
  return m->links && m->touches;
}

RvResult rv_strand_contacts_remember(RvStrandContacts* c, RvError* error) {
  if (!c->contacts) return RV_OK;
  RvContactMemory* m = &c->memory;
  m->begun = c->begun;
  if (!take_memory(m, rv_contacts_link_count(c->contacts), rv_contacts_touch_count(c->contacts)))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for contacts");
  for (size_t i = 0; i < m->nlink; ++i) m->links[i] = rv_contacts_link(c->contacts, i);
  for (size_t i = 0; i < m->ntouch; ++i) m->touches[i] = rv_contacts_touch(c->contacts, i);
  return RV_OK;
}

RvResult rv_strand_contacts_recall(RvStrandContacts* c, const RvStrandSolve* s, RvError* error) {
  if (!c->contacts) return RV_OK;
  const RvContactMemory* m = &c->memory;
  c->begun = m->begun;
  if (!m->begun) {
    rv_contacts_free(c->contacts);
    return rv_contacts_new(s->model, &c->contacts, error);
  }
  return rv_contacts_restore(c->contacts, m->links, m->nlink, m->touches, m->ntouch, error);
}

// rows of numbers, with primitives in place of strands: a strand that is lost takes its contacts along
static RvResult put_rows(RvDetail* d, const char* name, size_t count, double** out, RvError* error) {
  rv_detail_remove_attrib(d, RV_GLOBAL, name);
  *out = NULL;
  if (count > INT32_MAX / 2) return rv_fail(error, RV_LIMIT, "there are more contacts than a state can hold");
  if (!count) return RV_OK;
  *out = rv_detail_f64_write(d, RV_GLOBAL, name, (int)count, error);
  return *out ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for contacts");
}

RvResult rv_strand_contacts_save(RvStrandContacts* c, const RvStrandSolve* s, RvDetail* state, RvError* error) {
  double *links = NULL, *touches = NULL;
  RvResult result = rv_strand_contacts_remember(c, error);
  const RvContactMemory* m = &c->memory;
  size_t nlink = c->contacts ? m->nlink : 0, ntouch = c->contacts ? m->ntouch : 0;
  if (!result && c->begun && !rv_detail_i32_write(state, RV_GLOBAL, "rv_contacts", 1, error))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory for contacts");
  if (!result) result = put_rows(state, "rv_links", nlink * LINK_NUMBERS, &links, error);
  if (!result) result = put_rows(state, "rv_touches", ntouch * TOUCH_NUMBERS, &touches, error);
  for (size_t i = 0; !result && i < nlink; ++i) {
    const RvLinkState* l = &m->links[i];
    const double row[LINK_NUMBERS] = {s->set.prim[l->strand[0]],
                                      s->set.prim[l->strand[1]],
                                      l->edge[0],
                                      l->edge[1],
                                      l->age,
                                      l->slip[0],
                                      l->slip[1],
                                      l->slip[2],
                                      l->normal[0],
                                      l->normal[1],
                                      l->normal[2],
                                      l->reach,
                                      l->area};
    memcpy(links + i * LINK_NUMBERS, row, sizeof row);
  }
  for (size_t i = 0; !result && i < ntouch; ++i) {
    const RvTouchState* t = &m->touches[i];
    const double row[TOUCH_NUMBERS] = {
        s->set.prim[t->strand], t->point, t->collider, t->age, t->slip[0], t->slip[1], t->slip[2], t->reach};
    memcpy(touches + i * TOUCH_NUMBERS, row, sizeof row);
  }
  return result;
}

// a whole number of an attribute within [0, end), or -1
static int32_t whole(double x, double end) {
  return x >= 0 && x < end && x == floor(x) ? (int32_t)x : -1;
}

static const double* get_rows(const RvDetail* d, const char* name, size_t width, size_t* count) {
  const RvAttrib* a = rv_detail_find(d, RV_GLOBAL, name);
  *count = a && rv_attrib_storage(a) == RV_F64 ? (size_t)rv_attrib_size(a) / width : 0;
  return *count ? rv_attrib_read(a) : NULL;
}

static RvResult load(RvStrandContacts* c, const RvStrandSolve* s, const RvDetail* state, RvError* error) {
  size_t nlink, ntouch, nprim = rv_detail_count(state, RV_PRIM), kept = 0;
  const double* links = get_rows(state, "rv_links", LINK_NUMBERS, &nlink);
  const double* touches = get_rows(state, "rv_touches", TOUCH_NUMBERS, &ntouch);
  int32_t* strand = rv_alloc(nprim + 1, sizeof *strand);
  if (!strand || !take_memory(&c->memory, nlink, ntouch)) {
    rv_free(strand);
    return rv_fail(error, RV_NO_MEMORY, "out of memory for contacts");
  }
  memset(strand, 0xff, (nprim + 1) * sizeof *strand);
  for (size_t i = 0; i < s->set.count; ++i) strand[s->set.prim[i]] = (int32_t)i;
  RvContactMemory* m = &c->memory;
  for (size_t i = 0; i < nlink; ++i) {
    const double* r = links + i * LINK_NUMBERS;
    int32_t a = whole(r[0], (double)nprim), b = whole(r[1], (double)nprim);
    a = a < 0 ? -1 : strand[a], b = b < 0 ? -1 : strand[b];
    if (a < 0 || b < 0) continue;
    RvLinkState l = {.strand = {a, b},
                     .edge = {whole(r[2], s->set.defs[a].vertices - 1), whole(r[3], s->set.defs[b].vertices - 1)},
                     .age = whole(r[4], INT32_MAX),
                     .slip = {r[5], r[6], r[7]},
                     .normal = {r[8], r[9], r[10]},
                     .reach = r[11],
                     .area = r[12]};
    if (l.edge[0] >= 0 && l.edge[1] >= 0 && l.age >= 0) m->links[kept++] = l;
  }
  m->nlink = kept, kept = 0;
  for (size_t i = 0; i < ntouch; ++i) {
    const double* r = touches + i * TOUCH_NUMBERS;
    int32_t a = whole(r[0], (double)nprim);
    a = a < 0 ? -1 : strand[a];
    if (a < 0) continue;
    RvTouchState t = {.strand = a,
                      .point = whole(r[1], 2.0 * s->set.defs[a].vertices - 1),
                      .collider = whole(r[2], (double)c->nsolid),
                      .age = whole(r[3], INT32_MAX),
                      .slip = {r[4], r[5], r[6]},
                      .reach = r[7]};
    if (t.point >= 0 && t.collider >= 0 && t.age >= 0) m->touches[kept++] = t;
  }
  m->ntouch = kept;
  rv_free(strand);
  m->begun = rv_detail_find(state, RV_GLOBAL, "rv_contacts") != NULL;
  return rv_strand_contacts_recall(c, s, error);
}

//---------------------------------------------------------------------------------------------- the frame

RvResult rv_strand_contacts_begin(RvStrandContacts* c, RvStrandSolve* s, const RvDetail* state, RvError* error) {
  RvResult result = begin_solids(c, s, error);
  if (result || !s->set.count || (!c->nsolid && !c->def.strands)) return result;
  c->velocity = rv_alloc_zero(s->model->unknowns, sizeof *c->velocity);
  if (!c->velocity) return rv_fail(error, RV_NO_MEMORY, "out of memory for contacts");
  result = rv_contacts_new(s->model, &c->contacts, error);
  return result ? result : load(c, s, state, error);
}

RvResult rv_strand_contacts_find(RvStrandContacts* c, RvStrandSolve* s, const RvStrandStepDef* step, double from,
                                 double to, const RvOperator** out, RvError* error) {
  *out = NULL;
  if (!c->contacts) return RV_OK;
  RvResult result = set_colliders(c, s, from, to, step->dt, error);
  if (result) return result;
  RvContactDef def = rv_contact_defaults();
  def.strands = c->def.strands, def.friction = c->def.friction, def.root_free = c->def.rootfree;
  def.multiple = s->multiple, def.colliders = c->colliders, def.ncollider = c->nsolid;
  def.acceleration = rv_vec3_load64(s->def.gravity);
  rv_contacts_predict(s->model, s->state, step, c->velocity);
  result = rv_contacts_find(c->contacts, s->state->q, c->velocity, step->dt, &def, &c->stats, error);
  if (!result && c->stats.links + c->stats.touches > 0) *out = rv_contacts_operator(c->contacts);
  return result;
}

void rv_strand_contacts_accept(RvStrandContacts* c, RvStrandSolve* s) {
  if (c->contacts) {
    rv_contacts_accept(c->contacts, s->state->q);
    c->begun = true;
  }
  release_samples(c);
}

void rv_strand_contacts_end(RvStrandContacts* c) {
  release_samples(c);
  rv_contacts_free(c->contacts);
  release_solids(c->solids, c->nsolid);
  rv_free(c->colliders), rv_free(c->sampled), rv_free(c->motions), rv_free(c->velocity);
  rv_free(c->memory.links), rv_free(c->memory.touches);
}
