// Where the liquid of a frame comes from and where it goes: the sources of input 3, open sides of the tank, a kill box.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/mesh.h"
#include "node/solver/liquidsolver.h"

enum { INPUT = 2, MODE_EMIT = 0, MODE_FILL = 1, MODE_SINK = 2, ROW = 3, DRIPPED = -1 };

//---------------------------------------------------------------------------------------------- inlets

static double number(const RvDetail* d, const char* name, size_t prim, int component, double otherwise) {
  const RvAttrib* a = rv_detail_find(d, RV_PRIM, name);
  bool usable = a && rv_attrib_storage(a) != RV_STRING && rv_attrib_size(a) > component;
  return usable ? rv_attrib_get(a, prim, component) : otherwise;
}

static RvLiquidInlet* find_inlet(RvLiquidFlows* f, int32_t id) {
  size_t lo = 0, hi = f->count;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (f->inlets[mid].id < id)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < f->count && f->inlets[lo].id == id ? &f->inlets[lo] : NULL;
}

static int by_id(const void* a, const void* b) {
  int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
  return (x > y) - (x < y);
}

static const double* remembered(const RvDetail* state, size_t* count) {
  const RvAttrib* a = rv_detail_find(state, RV_GLOBAL, "rv_sources");
  *count = a && rv_attrib_storage(a) == RV_F64 ? (size_t)rv_attrib_size(a) / ROW : 0;
  return *count ? rv_attrib_read(a) : NULL;
}

static bool whole(double x, double end) {
  return x >= 0 && x < end && x == floor(x);
}

// all ids of the input and of the state, each once, in order
static RvResult list_inlets(RvLiquidFlows* f, const RvDetail* now, const RvDetail* state, RvError* error) {
  size_t kept, prims = now ? rv_detail_count(now, RV_PRIM) : 0, n = 0;
  const double* rows = remembered(state, &kept);
  int32_t* ids = rv_alloc(prims + kept, sizeof *ids);
  if (!ids) return rv_fail(error, RV_NO_MEMORY, "out of memory for the sources");
  for (size_t i = 0; i < prims; ++i) ids[n++] = (int32_t)number(now, "rv_source_id", i, 0, 0);
  for (size_t i = 0; i < kept; ++i)
    if (whole(rows[ROW * i], 2147483648.0)) ids[n++] = (int32_t)rows[ROW * i];
  qsort(ids, n, sizeof *ids, by_id);
  size_t count = 0;
  for (size_t i = 0; i < n; ++i)
    if (!i || ids[i] != ids[i - 1]) ids[count++] = ids[i];
  f->inlets = rv_alloc_zero(count, sizeof *f->inlets);
  if (f->inlets) f->count = count;
  for (size_t i = 0; i < f->count; ++i) f->inlets[i].id = ids[i];
  rv_free(ids);
  if (!f->inlets) return rv_fail(error, RV_NO_MEMORY, "out of memory for the sources");
  for (size_t i = 0; i < kept; ++i) {
    const double* r = rows + ROW * i;
    RvLiquidInlet* inlet = whole(r[0], 2147483648.0) ? find_inlet(f, (int32_t)r[0]) : NULL;
    if (inlet && r[1] >= 0 && isfinite(r[1]) && whole(r[2], 0x1p53))
      inlet->state = (RvSourceState){r[1], (int64_t)r[2]};
  }
  for (size_t i = 0; i < prims; ++i) find_inlet(f, (int32_t)number(now, "rv_source_id", i, 0, 0))->present = true;
  return RV_OK;
}

static const char* material_of(const RvDetail* now, int32_t id) {
  const RvAttrib* a = rv_detail_find(now, RV_PRIM, "rv_source_material");
  if (!a || rv_attrib_storage(a) != RV_STRING) return "";
  for (size_t i = 0; i < rv_detail_count(now, RV_PRIM); ++i)
    if ((int32_t)number(now, "rv_source_id", i, 0, 0) == id) {
      const char* text = rv_attrib_string(a, i, 0);
      return text ? text : "";
    }
  return "";
}

// how old the liquid of a source gets, s; on the points that new particles carry, if it is said of one
static RvResult put_lives(RvLiquidFlows* f, const RvDetail* now, size_t first, RvError* error) {
  const RvAttrib* there = rv_detail_find(f->rows, RV_POINT, "life");
  bool any = false;
  for (size_t i = 0; i < rv_detail_count(now, RV_PRIM); ++i) any = any || number(now, "rv_source_life", i, 0, 0) > 0;
  if (!any || (there && (rv_attrib_storage(there) != RV_F32 || rv_attrib_size(there) != 1))) return RV_OK;
  float* life = rv_detail_f32_write(f->rows, RV_POINT, "life", 1, error);
  if (!life) return rv_fail(error, RV_NO_MEMORY, "out of memory for the sources");
  for (size_t i = rv_detail_count(now, RV_PRIM); i-- > 0;) {
    const RvLiquidInlet* inlet = find_inlet(f, (int32_t)number(now, "rv_source_id", i, 0, 0));
    life[first + (size_t)(inlet - f->inlets)] = (float)number(now, "rv_source_life", i, 0, 0);
  }
  return RV_OK;
}

// a point for each inlet behind those of the state: new particles carry its attributes, source and material among them
static RvResult make_rows(RvLiquidFlows* f, const RvDetail* now, const RvDetail* state, RvError* error) {
  static const char* const own[] = {"v",       "pscale", "id",        "age",   "volume", "rv_cell",
                                    "rv_flow", "rv_c",   "rv_volume", "rv_id", "rv_age"};
  size_t first = 0;
  f->rows = rv_detail_copy(state);
  if (!f->rows) return rv_fail(error, RV_NO_MEMORY, "out of memory for the sources");
  for (size_t i = 0; i < sizeof own / sizeof *own; ++i) rv_detail_remove_attrib(f->rows, RV_POINT, own[i]);
  RvResult result = rv_detail_add_points(f->rows, f->count + f->drips, &first, error);
  if (result) return result;
  const RvAttrib* there = rv_detail_find(f->rows, RV_POINT, "source");
  int32_t* source = NULL;
  if (!there || (rv_attrib_storage(there) == RV_I32 && rv_attrib_size(there) == 1))
    if (!(source = rv_detail_i32_write(f->rows, RV_POINT, "source", 1, error)))
      return rv_fail(error, RV_NO_MEMORY, "out of memory for the sources");
  for (size_t i = 0; i < f->count; ++i) {
    f->inlets[i].source.row = (int32_t)(first + i);
    if (source) source[first + i] = f->inlets[i].id;
  }
  f->drip_row = (int32_t)(first + f->count);
  if (source && f->drips) source[first + f->count] = DRIPPED;
  for (size_t i = 0; i < f->count && now && !result; ++i) {
    const char* text = material_of(now, f->inlets[i].id);
    RvAttrib* material = rv_detail_find_mutable(f->rows, RV_POINT, "material");
    if (!text[0] || (material && rv_attrib_storage(material) != RV_STRING)) continue;
    if (!material)
      result = rv_detail_add_attrib(f->rows, RV_POINT, "material", RV_STRING, 1, RV_TAG_NONE, &material, error);
    if (!result) result = rv_attrib_set_string(material, first + i, 0, text, error);
  }
  return result || !now ? result : put_lives(f, now, first, error);
}

// the fastest that new liquid gets, for the length of substeps
static double fastest(const RvDetail* d) {
  double most = 0;
  const RvAttrib* v = rv_detail_find(d, RV_POINT, "v");
  for (size_t i = 0; i < rv_detail_count(d, RV_PRIM); ++i) {
    double x = number(d, "rv_source_vel", i, 0, 0), y = number(d, "rv_source_vel", i, 1, 0),
           z = number(d, "rv_source_vel", i, 2, 0);
    most = fmax(most, sqrt(x * x + y * y + z * z) + fabs(number(d, "rv_source_speed", i, 0, 0)));
  }
  double own = 0;
  for (size_t i = 0; v && rv_attrib_storage(v) != RV_STRING && i < rv_detail_count(d, RV_POINT); ++i)
    for (int a = 0; a < rv_attrib_size(v) && a < 3; ++a) own = fmax(own, fabs(rv_attrib_get(v, i, a)));
  return isfinite(most + own) ? most + own : 0;
}

RvResult rv_liquid_flows_begin(RvLiquidSolve* s, RvError* error) {
  RvLiquidFlows* f = &s->flows;
  const RvDetail* now = s->cook->ninput > INPUT ? s->cook->input[INPUT] : NULL;
  if (now && rv_detail_count(now, RV_PRIM) && !rv_detail_find(now, RV_PRIM, "rv_source_mode")) {
    rv_cook_warn(s->cook, "input 3, the sources, does not say how they flow: put a source node before it");
    now = NULL;
  }
  RvResult result = list_inlets(f, now, s->cook->prev, error);
  f->any = now && rv_detail_count(now, RV_PRIM);
  if (f->any) s->speed = fmax(s->speed, fastest(now));
  if (!result && (f->any || f->drips)) result = make_rows(f, now, s->cook->prev, error);
  const RvAttrib* life = rv_detail_find(f->rows ? f->rows : s->cook->prev, RV_POINT, "life");
  f->life = life && rv_attrib_storage(life) != RV_STRING && rv_attrib_size(life) == 1 ? life : NULL;
  return result;
}

void rv_liquid_flows_end(RvLiquidSolve* s) {
  RvLiquidFlows* f = &s->flows;
  for (size_t i = 0; i < f->count; ++i) {
    RvLiquidInlet* inlet = &f->inlets[i];
    rv_free(inlet->corners);
    rv_free(inlet->velocities);
    rv_free(inlet->reference);
    if (inlet->grid) rv_grid_release(inlet->grid);
  }
  rv_free(f->inlets);
  rv_detail_free(f->rows);
  f->inlets = NULL;
  f->rows = NULL;
  f->count = 0;
}

//---------------------------------------------------------------------------------------------- shapes

static bool fit(RvLiquidInlet* inlet, size_t triangles) {
  if (triangles <= inlet->capacity) return true;
  size_t capacity = triangles + triangles / 4;
  rv_free(inlet->corners);
  rv_free(inlet->velocities);
  inlet->corners = rv_alloc(9 * capacity, sizeof *inlet->corners);
  inlet->velocities = rv_alloc(9 * capacity, sizeof *inlet->velocities);
  inlet->capacity = inlet->corners && inlet->velocities ? capacity : 0;
  return inlet->capacity > 0;
}

// places and velocities of the corners of its triangles at the end of the substep, half of which is still to come
static RvResult set_corners(RvLiquidSolve* s, const RvDetail* d, const RvMesh* mesh, RvLiquidInlet* inlet, double half,
                            RvError* error) {
  const float* v = rv_detail_f32(d, RV_POINT, "v", 3);
  size_t n = 0;
  double rate = s->units.meters / s->units.rate;
  for (size_t t = 0; t < mesh->ntriangle; ++t)
    n += (int32_t)number(d, "rv_source_id", (size_t)mesh->prims[t], 0, 0) == inlet->id;
  if (!fit(inlet, n)) return n ? rv_fail(error, RV_NO_MEMORY, "out of memory for source %d", inlet->id) : RV_OK;
  n = 0;
  for (size_t t = 0; t < mesh->ntriangle; ++t) {
    if ((int32_t)number(d, "rv_source_id", (size_t)mesh->prims[t], 0, 0) != inlet->id) continue;
    for (size_t k = 0; k < 9; ++k) {
      size_t at = 3 * (size_t)mesh->triangles[3 * t + k / 3] + k % 3;
      double speed = v ? v[at] * rate : 0, x = mesh->points[at];
      inlet->corners[9 * n + k] = (x - s->globals.origin[k % 3]) * s->units.meters + half * speed;
      inlet->velocities[9 * n + k] = (float)speed;
    }
    n++;
  }
  inlet->source.ntriangle = n;
  inlet->source.corners = inlet->corners;
  inlet->source.corner_velocity = inlet->velocities;
  return RV_OK;
}

// the level set of the corners
static RvResult make_inside(RvLiquidSolve* s, RvLiquidInlet* inlet, RvError* error) {
  size_t n = inlet->source.ntriangle;
  float* points = rv_alloc(9 * n, sizeof *points);
  int32_t* triangles = rv_alloc(3 * n, sizeof *triangles);
  RvMesh mesh = {.npoint = 3 * n, .points = points, .ntriangle = n, .triangles = triangles};
  RvMeshFacts facts;
  RvMeshGrid want = {"region", s->globals.dx / 2, 4, .parm = "particlesep"};
  RvResult result = points && triangles && n <= INT32_MAX / 3
                        ? RV_OK
                        : rv_fail(error, RV_NO_MEMORY, "out of memory for source %d", inlet->id);
  for (size_t i = 0; !result && i < 9 * n; ++i) points[i] = (float)inlet->corners[i];
  for (size_t i = 0; !result && i < 3 * n; ++i) triangles[i] = (int32_t)i;
  if (!result) result = rv_mesh_measure(&mesh, &facts, error);
  if (!result && facts.open_edges && !inlet->told) {
    rv_cook_warn(s->cook, "source %d is open at %zu edges: what it fills or drains runs out where holes are wide",
                 inlet->id, facts.open_edges);
    inlet->told = true;
  }
  if (!result) result = rv_mesh_to_grid(&mesh, &facts, &want, &inlet->grid, error);
  rv_free(points);
  rv_free(triangles);
  inlet->reference = result ? NULL : rv_alloc(9 * n, sizeof *inlet->reference);
  if (!result && !inlet->reference) result = rv_fail(error, RV_NO_MEMORY, "out of memory for source %d", inlet->id);
  if (result) return result;
  memcpy(inlet->reference, inlet->corners, 9 * n * sizeof *inlet->reference);
  inlet->nreference = n;
  return RV_OK;
}

// as long as the shape moves as one, its level set moves with it
static RvResult set_inside(RvLiquidSolve* s, RvLiquidInlet* inlet, RvError* error) {
  size_t n = inlet->source.ntriangle;
  RvRigid motion = {.turn = rv_quat_identity()};
  bool fits = inlet->grid && inlet->nreference == n;
  if (fits) {
    double off = 0;
    motion = rv_rigid_fit(3 * n, inlet->reference, inlet->corners);
    for (size_t i = 0; i < 3 * n; ++i) {
      RvVec3 x = rv_rigid_apply(&motion, rv_vec3_load64(inlet->reference + 3 * i));
      off = fmax(off, rv_distance(x, rv_vec3_load64(inlet->corners + 3 * i)));
    }
    fits = off < 0.05 * s->globals.dx;
  }
  if (!fits) {
    if (inlet->grid) rv_grid_release(inlet->grid);
    rv_free(inlet->reference);
    inlet->grid = NULL;
    inlet->reference = NULL;
    inlet->nreference = 0;
    motion = (RvRigid){.turn = rv_quat_identity()};
    RvResult result = n ? make_inside(s, inlet, error) : RV_OK;
    if (result) return result;
  }
  inlet->placed = (RvPlacedGrid){
      .distance = inlet->grid, .turn = motion.turn, .to = rv_sub(motion.to, rv_quat_rotate(motion.turn, motion.from))};
  return RV_OK;
}

// a level set among its primitives, in place of a mesh
static RvResult set_level_set(RvLiquidSolve* s, RvGrid* grid, RvLiquidInlet* inlet, RvError* error) {
  double m[16];
  const double unit = s->units.meters, scale[9] = {unit, 0, 0, 0, unit, 0, 0, 0, unit};
  if (inlet->grid) rv_grid_release(inlet->grid);
  inlet->grid = NULL;
  RvResult result = rv_grid_copy(grid, &inlet->grid, error);
  if (!result) result = rv_grid_transform(inlet->grid, m, error);
  for (int i = 0; !result && i < 16; ++i)
    if (i % 4 < 3) m[i] = (m[i] - (i / 4 == 3 ? s->globals.origin[i % 4] : 0)) * unit;
  if (!result) result = rv_grid_set_transform(inlet->grid, m, error);
  if (!result) result = rv_grid_map_values(inlet->grid, scale, error);
  inlet->placed = (RvPlacedGrid){.distance = inlet->grid, .turn = rv_quat_identity()};
  return result;
}

// what a source does in a substep, from the first of its primitives
static RvResult set_inlet(RvLiquidSolve* s, const RvDetail* d, const RvMesh* mesh, RvLiquidInlet* inlet, double half,
                          RvError* error) {
  RvLiquidSource* out = &inlet->source;
  RvGrid* level_set = NULL;
  size_t prim = SIZE_MAX;
  out->active = false;
  for (size_t i = rv_detail_count(d, RV_PRIM); i-- > 0;) {
    if ((int32_t)number(d, "rv_source_id", i, 0, 0) != inlet->id) continue;
    RvGrid* grid = rv_detail_prim_grid(d, i);
    if (grid && rv_grid_type(grid) == RV_GRID_FLOAT && rv_grid_class(grid) == RV_GRID_LEVEL_SET) level_set = grid;
    prim = i;
  }
  if (prim == SIZE_MAX) return RV_OK;
  inlet->mode = (int)number(d, "rv_source_mode", prim, 0, 0);
  out->mode = inlet->mode == MODE_FILL ? RV_SOURCE_FILL : RV_SOURCE_EMIT;
  out->id = inlet->id;
  out->active = number(d, "rv_source_active", prim, 0, 1) != 0;
  out->rate = number(d, "rv_source_rate", prim, 0, 0);
  for (int a = 0; a < 3; ++a) out->velocity[a] = number(d, "rv_source_vel", prim, a, 0);
  out->speed = number(d, "rv_source_speed", prim, 0, 0);
  out->inherit = number(d, "rv_source_inherit", prim, 0, 1);
  out->spread = number(d, "rv_liquid_source_spread", prim, 0, 0);
  if (!out->active) return RV_OK;
  RvResult result = set_corners(s, d, mesh, inlet, half, error);
  if (result || inlet->mode == MODE_EMIT) return result;
  result = level_set ? set_level_set(s, level_set, inlet, error) : set_inside(s, inlet, error);
  // what is inside moves as its surface does on the whole
  memset(out->linear, 0, sizeof out->linear);
  for (size_t i = 0; i < 9 * out->ntriangle; ++i)
    out->linear[i % 3] += (double)inlet->velocities[i] / (3.0 * (double)out->ntriangle);
  if (!result) out->region = rv_liquid_region_grid(&inlet->placed);
  return result;
}

//---------------------------------------------------------------------------------------------- a substep

// open sides that the liquid does not fall back through, the kill box, the drains
static bool take(RvLiquidSolve* s, RvParticles* p, RvError* error) {
  const RvLiquidFlows* f = &s->flows;
  static const double zero[3] = {0};
  RvLiquidSink* sinks = rv_alloc_zero(f->count + 2, sizeof *sinks);
  size_t n = 0;
  if (!sinks) return rv_fail(error, RV_NO_MEMORY, "out of memory for sinks") == RV_OK;
  for (int side = 0; side < 6 && s->walls.on; ++side) {
    double g = s->liquid.model.gravity[side / 2];
    if (s->walls.open[side] && (side & 1 ? g >= 0 : g <= 0)) sinks[0].outside |= 1u << side;
  }
  for (int a = 0; a < 3; ++a) {
    sinks[0].region.lo[a] = s->shape.center[a] - s->shape.size[a];
    sinks[0].region.hi[a] = s->shape.center[a] + s->shape.size[a];
  }
  n += sinks[0].outside != 0;
  if (f->killing) {
    sinks[n] = (RvLiquidSink){.outside = 63, .kill = true};
    for (int a = 0; a < 3; ++a) {
      sinks[n].region.lo[a] = (f->kill[0][a] - s->globals.origin[a]) * s->units.meters;
      sinks[n].region.hi[a] = (f->kill[1][a] - s->globals.origin[a]) * s->units.meters;
    }
    n++;
  }
  for (size_t i = 0; i < f->count; ++i)
    if (f->inlets[i].present && f->inlets[i].mode == MODE_SINK && f->inlets[i].source.active)
      sinks[n++] = (RvLiquidSink){.region = rv_liquid_region_grid(&f->inlets[i].placed)};
  bool ok = rv_liquid_sinks_take(p, s->globals.dx, zero, sinks, n, &s->flows.flow);
  rv_free(sinks);
  if (ok && f->life) rv_liquid_lives_take(p, f->life, &s->flows.flow);
  if (!ok) rv_fail(error, RV_NO_MEMORY, "out of memory for sinks");
  return ok;
}

static void tell_idle(RvLiquidSolve* s, RvLiquidInlet* inlet) {
  if (!inlet->told)
    rv_cook_warn(s->cook, "source %d has no %s: nothing flows", inlet->id, inlet->mode ? "inside" : "area");
  inlet->told = true;
}

static RvResult give(RvLiquidSolve* s, RvParticles* p, int64_t* next_id, double dt, RvError* error) {
  RvLiquidFlows* f = &s->flows;
  RvSolidUnion solids = {s->solids, s->colliders.count, s->shapes.count ? &s->shapes : NULL};
  RvRegion solid = rv_liquid_region_solids(&solids);
  RvSourceSettings set = {.dx = s->globals.dx, .separation = s->separation, .jitter = 0.5, .solid = &solid};
  set.max_particles = s->liquid.model.most_tiles * (RV_LIQUID_TILE_BYTES / RV_PARTICLE_BYTES);
  RvResult result = RV_OK;
  for (size_t i = 0; i < f->count && !result; ++i) {
    RvLiquidInlet* inlet = &f->inlets[i];
    if (!inlet->present || inlet->mode == MODE_SINK) continue;
    size_t idle = f->flow.idle, born = f->flow.born;
    result = rv_liquid_source_flow(&inlet->source, &inlet->state, &set, dt, p, next_id, &f->flow, error);
    if (!result && f->flow.idle > idle) tell_idle(s, inlet);
    // the next that fills sees what came
    if (!result && f->flow.born > born && inlet->mode == MODE_FILL && i + 1 < f->count)
      result = rv_liquid_particles_sort(p, &s->liquid.report.lost, error);
  }
  return result;
}

RvResult rv_liquid_flows_at(void* user, RvParticles* p, int64_t* next_id, double from, double to, bool* any,
                            RvError* error) {
  RvLiquidSolve* s = user;
  RvLiquidFlows* f = &s->flows;
  size_t removed = f->flow.removed, born = f->flow.born;
  RvResult result = RV_OK;
  if (f->any) {
    // in the middle of the substep keyed rates are what they are on the whole
    const RvDetail* d;
    RvMesh mesh = {0};
    double share = 0.5 * (from + to) / (s->cook->dt * s->units.rate);
    result = rv_cook_input_at(s->cook, INPUT, s->cook->time.frame - 1 + share, &d, error);
    if (!result && !d) d = s->cook->input[INPUT];
    if (!result) result = rv_mesh_from_detail(d, &mesh, error);
    for (size_t i = 0; i < f->count && !result; ++i)
      if (f->inlets[i].present) result = set_inlet(s, d, &mesh, &f->inlets[i], 0.5 * (to - from), error);
    rv_mesh_free(&mesh);
    if (!result) result = rv_liquid_solids_move(s, from, to, error);
  }
  if (result) return result;
  if (!take(s, p, error)) return RV_NO_MEMORY;
  if (f->any) result = give(s, p, next_id, to - from, error);
  *any = f->flow.removed > removed || f->flow.born > born;
  return result;
}

RvResult rv_liquid_flows_drain(RvLiquidSolve* s, RvError* error) {
  return take(s, &s->liquid.particles, error) ? RV_OK : RV_NO_MEMORY;
}

RvResult rv_liquid_flows_save(RvLiquidSolve* s, RvDetail* state, RvError* error) {
  RvLiquidFlows* f = &s->flows;
  rv_detail_remove_attrib(state, RV_GLOBAL, "rv_sources");
  if (!f->count) return RV_OK;
  double* rows = rv_detail_f64_write(state, RV_GLOBAL, "rv_sources", (int)(ROW * f->count), error);
  if (!rows) return rv_fail(error, RV_NO_MEMORY, "out of memory for the sources");
  for (size_t i = 0; i < f->count; ++i) {
    const RvLiquidInlet* inlet = &f->inlets[i];
    memcpy(rows + ROW * i, (double[ROW]){inlet->id, inlet->state.owed, (double)inlet->state.born}, ROW * sizeof *rows);
  }
  return RV_OK;
}
