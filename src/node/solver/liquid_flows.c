// Sources and sinks of a frame of liquid: read from the input sources, remembered in rv_sources, and set for every
// substep. What they do is liquid/flows.c.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "liquid/drop.h"
#include "math/scalar.h"
#include "mesh/mesh.h"
#include "node/solver/liquid_port.h"

// rv_source_mode of a primitive; numbers of a row of rv_sources; the source of drops that left a strand.
enum { MODE_EMIT = 0, MODE_FILL = 1, MODE_SINK = 2, ROW = 3, DRIPPED = -1 };

//---------------------------------------------------------------------------------------------- inlets

// A number of a primitive, or `otherwise` where it has none.
static double number(const RvDetail* d, const char* name, size_t prim, int component, double otherwise) {
  const RvAttrib* a = rv_detail_find(d, RV_PRIM, name);
  bool usable = a && rv_attrib_storage(a) != RV_STRING && rv_attrib_size(a) > component;
  return usable ? rv_attrib_get(a, prim, component) : otherwise;
}

// Order of ids, for qsort.
static int by_id(const void* a, const void* b) {
  int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
  return (x > y) - (x < y);
}

// The rows of rv_sources in a state, and their number.
static const double* remembered(const RvDetail* state, size_t* count) {
  const RvAttrib* a = rv_detail_find(state, RV_GLOBAL, "rv_sources");
  *count = a && rv_attrib_storage(a) == RV_F64 ? (size_t)rv_attrib_size(a) / ROW : 0;
  return *count ? rv_attrib_read(a) : NULL;
}

// Whether a number is an integer within [0, end): a state may be damaged.
static bool whole(double x, double end) {
  return x >= 0 && x < end && x == floor(x);
}

// all ids of the input and of the state, each once, in order
static RvResult list_inlets(RvLiquidFlows* f, const RvDetail* now, const RvDetail* state, RvError* error) {
  size_t kept, prims = now ? rv_detail_count(now, RV_PRIM) : 0, n = 0;
  const double* rows = remembered(state, &kept);
  int32_t* ids = rv_alloc(prims + kept, sizeof *ids);
  if (!ids) return rv_fail(error, RV_NO_MEMORY, "out of memory for the sources");
  // All ids, sorted, each once.
  for (size_t i = 0; i < prims; ++i) ids[n++] = (int32_t)number(now, "rv_source_id", i, 0, 0);
  for (size_t i = 0; i < kept; ++i)
    if (whole(rows[ROW * i], 2147483648.0)) ids[n++] = (int32_t)rows[ROW * i];
  qsort(ids, n, sizeof *ids, by_id);
  size_t count = 0;
  for (size_t i = 0; i < n; ++i)
    if (!i || ids[i] != ids[i - 1]) ids[count++] = ids[i];
  // An inlet for each.
  RvResult result = rv_liquid_flows_init(f, count, error);
  for (size_t i = 0; i < f->count; ++i) f->inlets[i].id = ids[i];
  rv_free(ids);
  if (result) return result;
  // What the state remembers: the volume that is owed, and how many particles were born.
  for (size_t i = 0; i < kept; ++i) {
    const double* r = rows + ROW * i;
    RvLiquidInlet* inlet = whole(r[0], 2147483648.0) ? rv_liquid_flows_find(f, (int32_t)r[0]) : NULL;
    if (inlet && r[1] >= 0 && isfinite(r[1]) && whole(r[2], 0x1p53))
      inlet->state = (RvSourceState){r[1], (int64_t)r[2]};
  }
  for (size_t i = 0; i < prims; ++i)
    rv_liquid_flows_find(f, (int32_t)number(now, "rv_source_id", i, 0, 0))->present = true;
  return RV_OK;
}

// Material of the first primitive of a source; "": none.
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

// A number that sources say of their liquid, as `life` s, on the points that new particles carry, if one says it. An
// artist's own attribute of another kind is left alone.
static RvResult put_of_sources(RvLiquidPort* s, const RvDetail* now, size_t first, const char* said, const char* name,
                               RvError* error) {
  const RvLiquidFlows* f = &s->flows;
  const RvAttrib* there = rv_detail_find(s->rows, RV_POINT, name);
  bool any = false;
  for (size_t i = 0; i < rv_detail_count(now, RV_PRIM); ++i) any = any || number(now, said, i, 0, 0) > 0;
  if (!any || (there && (rv_attrib_storage(there) != RV_F32 || rv_attrib_size(there) != 1))) return RV_OK;
  float* value = rv_detail_f32_write(s->rows, RV_POINT, name, 1, error);
  if (!value) return rv_fail(error, RV_NO_MEMORY, "out of memory for the sources");
  for (size_t i = rv_detail_count(now, RV_PRIM); i-- > 0;) {
    const RvLiquidInlet* inlet = rv_liquid_flows_find(f, (int32_t)number(now, "rv_source_id", i, 0, 0));
    value[first + (size_t)(inlet - f->inlets)] = (float)number(now, said, i, 0, 0);
  }
  return RV_OK;
}

// The bubbles that sources blow: numbers and shares of film on the points that new particles carry.
static RvResult put_bubbles(RvLiquidPort* s, const RvDetail* now, size_t first, RvError* error) {
  bool any = false;
  for (size_t i = 0; i < rv_detail_count(now, RV_PRIM); ++i) any = any || number(now, "rv_source_bubble", i, 0, 0) > 0;
  if (!any) return RV_OK;
  const RvAttrib* there = rv_detail_find(s->rows, RV_POINT, "film");
  if (there && rv_attrib_storage(there) != RV_F64) rv_detail_remove_attrib(s->rows, RV_POINT, "film");
  int32_t* bubble = rv_detail_i32_write(s->rows, RV_POINT, "bubbleid", 1, error);
  double* film = rv_detail_f64_write(s->rows, RV_POINT, "film", 1, error);
  if (!bubble || !film) return rv_fail(error, RV_NO_MEMORY, "out of memory for the sources");
  for (size_t i = rv_detail_count(now, RV_PRIM); i-- > 0;) {
    const RvLiquidInlet* inlet = rv_liquid_flows_find(&s->flows, (int32_t)number(now, "rv_source_id", i, 0, 0));
    size_t row = first + (size_t)(inlet - s->flows.inlets);
    bubble[row] = (int32_t)number(now, "rv_source_bubble", i, 0, 0);
    film[row] = bubble[row] ? number(now, "rv_source_bubblefilm", i, 0, 0) : 0;
  }
  return RV_OK;
}

// Which rows are drops: those that left a strand by their attribute `source`, those of sources by `dropsize`. It
// follows from the points, so that a drop stays one from frame to frame.
static RvResult mark_drops(RvLiquidPort* s, RvError* error) {
  const RvDetail* d = s->rows ? s->rows : s->state;
  const RvAttrib* source = rv_detail_find(d, RV_POINT, "source");
  const float* size = rv_detail_f32(d, RV_POINT, "dropsize", 1);
  size_t count = rv_detail_count(d, RV_POINT);
  bool sourced = source && rv_attrib_storage(source) == RV_I32 && rv_attrib_size(source) == 1;
  const int32_t* of = sourced ? rv_attrib_read(source) : NULL;
  s->drop_kind = rv_alloc_zero(count, sizeof *s->drop_kind);
  if (!s->drop_kind) return rv_fail(error, RV_NO_MEMORY, "out of memory for the sources");
  for (size_t i = 0; i < count; ++i) {
    bool dripped = s->drips && ((of && of[i] == DRIPPED) || i == (size_t)s->drip_row);
    s->drop_kind[i] = dripped ? RV_DROP_OF_STRAND : size && size[i] > 0 ? RV_DROP_OF_SOURCE : RV_DROP_NONE;
  }
  return RV_OK;
}

// a point for each inlet behind those of the state: new particles carry its attributes, source and material among them
static RvResult make_rows(RvLiquidPort* s, const RvDetail* now, RvError* error) {
  RvLiquidFlows* f = &s->flows;
  size_t first = 0;
  s->rows = rv_detail_copy(s->state);
  if (!s->rows) return rv_fail(error, RV_NO_MEMORY, "out of memory for the sources");
  // The solver writes its own attributes itself.
  rv_liquid_remove_own(s->rows, RV_POINT);
  RvResult result = rv_detail_add_points(s->rows, f->count + s->drips, &first, error);
  if (result) return result;
  // The attribute source: the id of the inlet. An artist's own of another kind is left alone.
  const RvAttrib* there = rv_detail_find(s->rows, RV_POINT, "source");
  int32_t* source = NULL;
  if (!there || (rv_attrib_storage(there) == RV_I32 && rv_attrib_size(there) == 1))
    if (!(source = rv_detail_i32_write(s->rows, RV_POINT, "source", 1, error)))
      return rv_fail(error, RV_NO_MEMORY, "out of memory for the sources");
  for (size_t i = 0; i < f->count; ++i) {
    f->inlets[i].source.row = (int32_t)(first + i);
    if (source) source[first + i] = f->inlets[i].id;
  }
  s->drip_row = (int32_t)(first + f->count);
  if (source && s->drips) source[first + f->count] = DRIPPED;
  // The attribute material, where a source names one.
  for (size_t i = 0; i < f->count && now && !result; ++i) {
    const char* text = material_of(now, f->inlets[i].id);
    RvAttrib* material = rv_detail_find_mutable(s->rows, RV_POINT, "material");
    if (!text[0] || (material && rv_attrib_storage(material) != RV_STRING)) continue;
    if (!material)
      result = rv_detail_add_attrib(s->rows, RV_POINT, "material", RV_STRING, 1, RV_TAG_NONE, &material, error);
    if (!result) result = rv_attrib_set_string(material, first + i, 0, text, error);
  }
  if (!result && now) result = put_of_sources(s, now, first, "rv_source_life", "life", error);
  if (!result && now) result = put_bubbles(s, now, first, error);
  return result || !now ? result : put_of_sources(s, now, first, "rv_source_drop", "dropsize", error);
}

// the fastest that new liquid gets, for the length of substeps; a sink makes none, and its shape alone moves
static double fastest(const RvDetail* d) {
  double most = 0;
  const RvAttrib* v = rv_detail_find(d, RV_POINT, "v");
  for (size_t i = 0; i < rv_detail_count(d, RV_PRIM); ++i) {
    if (number(d, "rv_source_mode", i, 0, 0) == MODE_SINK) continue;
    double x = number(d, "rv_source_vel", i, 0, 0), y = number(d, "rv_source_vel", i, 1, 0),
           z = number(d, "rv_source_vel", i, 2, 0);
    most = fmax(most, sqrt(x * x + y * y + z * z) + fabs(number(d, "rv_source_speed", i, 0, 0)));
  }
  double own = 0;
  for (size_t i = 0; v && rv_attrib_storage(v) != RV_STRING && i < rv_detail_count(d, RV_POINT); ++i)
    for (int a = 0; a < rv_attrib_size(v) && a < 3; ++a) own = fmax(own, fabs(rv_attrib_get(v, i, a)));
  return isfinite(most + own) ? most + own : 0;
}

RvResult rv_liquid_port_begin_flows(RvLiquidPort* s, const RvWetParms* p, RvError* error) {
  RvLiquidFlows* f = &s->flows;
  const RvDetail* now = rv_solver_input(s->cook, s->source_input);
  // Only the source node says how much flows, and where.
  if (now && rv_detail_count(now, RV_PRIM) && !rv_detail_find(now, RV_PRIM, "rv_source_mode")) {
    rv_cook_warn(s->cook, "%s, does not say how they flow: put a source node before it",
                 rv_solver_port(s->cook, s->source_input).text);
    now = NULL;
  }
  RvResult result = list_inlets(f, now, s->state, error);
  if (result) return result;
  s->shapes = rv_alloc_zero(f->count, sizeof *s->shapes);
  if (!s->shapes) return rv_fail(error, RV_NO_MEMORY, "out of memory for the sources");
  s->liquid.inputs.flows = f;
  // The kill box, in the liquid's metres.
  f->separation = s->separation;
  f->killing = p->killbox;
  for (int a = 0; a < 3; ++a) {
    f->kill_low[a] = (p->killmin[a] - s->globals.origin[a]) * s->units.meters;
    f->kill_high[a] = (p->killmax[a] - s->globals.origin[a]) * s->units.meters;
  }
  // Rows for new particles, and the fastest of them, which substeps follow.
  f->any = now && rv_detail_count(now, RV_PRIM);
  if (f->any) s->speed = fmax(s->speed, fastest(now));
  if (f->any || s->drips) result = make_rows(s, now, error);
  if (!result) result = mark_drops(s, error);
  const RvAttrib* life = rv_detail_find(s->rows ? s->rows : s->state, RV_POINT, "life");
  f->life = life && rv_attrib_storage(life) != RV_STRING && rv_attrib_size(life) == 1 ? life : NULL;
  return result;
}

void rv_liquid_port_free_flows(RvLiquidPort* s) {
  for (size_t i = 0; s->shapes && i < s->flows.count; ++i) {
    RvInletShape* shape = &s->shapes[i];
    rv_free(shape->corners);
    rv_free(shape->velocities);
    rv_free(shape->reference);
    if (shape->grid) rv_grid_release(shape->grid);
  }
  rv_free(s->shapes);
  rv_liquid_flows_free(&s->flows);
  rv_detail_free(s->rows);
  rv_free(s->drop_kind);
  s->drop_kind = NULL;
  s->shapes = NULL;
  s->rows = NULL;
}

//---------------------------------------------------------------------------------------------- shapes

// Makes room for the corners of triangles, with a quarter to spare since meshes of sources may grow. False: no memory.
static bool fit(RvInletShape* shape, size_t triangles) {
  if (triangles <= shape->capacity) return true;
  size_t capacity = triangles + triangles / 4;
  rv_free(shape->corners);
  rv_free(shape->velocities);
  shape->corners = rv_alloc(9 * capacity, sizeof *shape->corners);
  shape->velocities = rv_alloc(9 * capacity, sizeof *shape->velocities);
  shape->capacity = shape->corners && shape->velocities ? capacity : 0;
  return shape->capacity > 0;
}

// places and velocities of the corners of its triangles at the end of the substep, half of which is still to come
static RvResult set_corners(RvLiquidPort* s, const RvDetail* d, const RvMesh* mesh, RvLiquidInlet* inlet,
                            RvInletShape* shape, double half, RvError* error) {
  const float* v = rv_detail_f32(d, RV_POINT, "v", 3);
  size_t n = 0;
  double rate = s->units.meters / s->units.rate;
  for (size_t t = 0; t < mesh->ntriangle; ++t)
    n += (int32_t)number(d, "rv_source_id", (size_t)mesh->prims[t], 0, 0) == inlet->id;
  // A source without triangles is a level set, or empty.
  if (!fit(shape, n)) return n ? rv_fail(error, RV_NO_MEMORY, "out of memory for source %d", inlet->id) : RV_OK;
  n = 0;
  for (size_t t = 0; t < mesh->ntriangle; ++t) {
    if ((int32_t)number(d, "rv_source_id", (size_t)mesh->prims[t], 0, 0) != inlet->id) continue;
    for (size_t k = 0; k < 9; ++k) {
      size_t at = 3 * (size_t)mesh->triangles[3 * t + k / 3] + k % 3;
      double speed = v ? v[at] * rate : 0, x = mesh->points[at];
      shape->corners[9 * n + k] = (x - s->globals.origin[k % 3]) * s->units.meters + half * speed;
      shape->velocities[9 * n + k] = (float)speed;
    }
    n++;
  }
  inlet->source.ntriangle = n;
  inlet->source.corners = shape->corners;
  inlet->source.corner_velocity = shape->velocities;
  return RV_OK;
}

// the level set of the corners
static RvResult make_inside(RvLiquidPort* s, RvLiquidInlet* inlet, RvInletShape* shape, RvError* error) {
  size_t n = inlet->source.ntriangle;
  float* points = rv_alloc(9 * n, sizeof *points);
  int32_t* triangles = rv_alloc(3 * n, sizeof *triangles);
  RvMesh mesh = {.npoint = 3 * n, .points = points, .ntriangle = n, .triangles = triangles};
  RvMeshFacts facts;
  // Voxels of half a cell, as solids have them.
  RvMeshGrid want = {"region", s->globals.dx / 2, 4, .parm = "particlesep"};
  RvResult result = points && triangles && n <= INT32_MAX / 3
                        ? RV_OK
                        : rv_fail(error, RV_NO_MEMORY, "out of memory for source %d", inlet->id);
  // Every triangle has corners of its own here.
  for (size_t i = 0; !result && i < 9 * n; ++i) points[i] = (float)shape->corners[i];
  for (size_t i = 0; !result && i < 3 * n; ++i) triangles[i] = (int32_t)i;
  if (!result) result = rv_mesh_measure(&mesh, &facts, error);
  if (!result && facts.open_edges && !shape->warned) {
    rv_cook_warn(s->cook, "source %d is open at %zu edges: what it fills or drains runs out where holes are wide",
                 inlet->id, facts.open_edges);
    shape->warned = true;
  }
  if (!result) result = rv_mesh_to_grid(&mesh, &facts, &want, &shape->grid, error);
  rv_free(points);
  rv_free(triangles);
  // The shape that the level set is of, to find its motion later.
  shape->reference = result ? NULL : rv_alloc(9 * n, sizeof *shape->reference);
  if (!result && !shape->reference) result = rv_fail(error, RV_NO_MEMORY, "out of memory for source %d", inlet->id);
  if (result) return result;
  memcpy(shape->reference, shape->corners, 9 * n * sizeof *shape->reference);
  shape->nreference = n;
  return RV_OK;
}

// as long as the shape moves as one, its level set moves with it
static RvResult set_inside(RvLiquidPort* s, RvLiquidInlet* inlet, RvInletShape* shape, RvError* error) {
  size_t n = inlet->source.ntriangle;
  RvRigid motion = {.turn = rv_quat_identity()};
  // The rigid motion since the level set was made, if all corners keep to it within a twentieth of a cell.
  bool fits = shape->grid && shape->nreference == n;
  if (fits) {
    double off = 0;
    motion = rv_rigid_fit(3 * n, shape->reference, shape->corners);
    for (size_t i = 0; i < 3 * n; ++i) {
      RvVec3 x = rv_rigid_apply(&motion, rv_vec3_load64(shape->reference + 3 * i));
      off = fmax(off, rv_distance(x, rv_vec3_load64(shape->corners + 3 * i)));
    }
    fits = off < 0.05 * s->globals.dx;
  }
  // Else the level set is made anew.
  if (!fits) {
    if (shape->grid) rv_grid_release(shape->grid);
    rv_free(shape->reference);
    shape->grid = NULL;
    shape->reference = NULL;
    shape->nreference = 0;
    motion = (RvRigid){.turn = rv_quat_identity()};
    RvResult result = n ? make_inside(s, inlet, shape, error) : RV_OK;
    if (result) return result;
  }
  shape->placed = (RvPlacedGrid){
      .distance = shape->grid, .turn = motion.turn, .to = rv_sub(motion.to, rv_quat_rotate(motion.turn, motion.from))};
  return RV_OK;
}

// a level set among its primitives, in place of a mesh
static RvResult set_level_set(RvLiquidPort* s, RvGrid* grid, RvInletShape* shape, RvError* error) {
  double m[16];
  const double unit = s->units.meters, scale[9] = {unit, 0, 0, 0, unit, 0, 0, 0, unit};
  if (shape->grid) rv_grid_release(shape->grid);
  shape->grid = NULL;
  RvResult result = rv_grid_copy(grid, &shape->grid, error);
  if (!result) result = rv_grid_transform(shape->grid, m, error);
  for (int i = 0; !result && i < 16; ++i)
    if (i % 4 < 3) m[i] = (m[i] - (i / 4 == 3 ? s->globals.origin[i % 4] : 0)) * unit;
  if (!result) result = rv_grid_set_transform(shape->grid, m, error);
  if (!result) result = rv_grid_map_values(shape->grid, scale, error);
  shape->placed = (RvPlacedGrid){.distance = shape->grid, .turn = rv_quat_identity()};
  return result;
}

// what a source does in a substep, from the first of its primitives
static RvResult set_inlet(RvLiquidPort* s, const RvDetail* d, const RvMesh* mesh, RvLiquidInlet* inlet,
                          RvInletShape* shape, double half, RvError* error) {
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
  // What the source does, from its attributes.
  if (prim == SIZE_MAX) return RV_OK;
  int mode = (int)number(d, "rv_source_mode", prim, 0, 0);
  inlet->drains = mode == MODE_SINK;
  out->mode = mode == MODE_FILL ? RV_SOURCE_FILL : RV_SOURCE_EMIT;
  out->id = inlet->id;
  out->active = number(d, "rv_source_active", prim, 0, 1) != 0;
  out->rate = number(d, "rv_source_rate", prim, 0, 0);
  double size = number(d, "rv_source_drop", prim, 0, 0) * s->units.meters;
  out->drop = RV_PI / 6 * size * size * size;
  for (int a = 0; a < 3; ++a) out->velocity[a] = number(d, "rv_source_vel", prim, a, 0);
  out->speed = number(d, "rv_source_speed", prim, 0, 0);
  out->inherit = number(d, "rv_source_inherit", prim, 0, 1);
  out->spread = number(d, "rv_source_spread", prim, 0, 0);
  // Where it does it: its surface, or its inside.
  if (!out->active) return RV_OK;
  RvResult result = set_corners(s, d, mesh, inlet, shape, half, error);
  if (result || mode == MODE_EMIT) return result;
  result = level_set ? set_level_set(s, level_set, shape, error) : set_inside(s, inlet, shape, error);
  // what is inside moves as its surface does on the whole
  memset(out->linear, 0, sizeof out->linear);
  for (size_t i = 0; i < 9 * out->ntriangle; ++i)
    out->linear[i % 3] += (double)shape->velocities[i] / (3.0 * (double)out->ntriangle);
  if (!result) out->region = rv_liquid_region_grid(&shape->placed);
  return result;
}

//---------------------------------------------------------------------------------------------- a substep

RvResult rv_liquid_port_set_flows(RvLiquidPort* s, double from, double to, RvError* error) {
  RvLiquidFlows* f = &s->flows;
  if (!f->any) return RV_OK;
  // in the middle of the substep keyed rates are what they are on the whole
  const RvDetail* d;
  RvMesh mesh = {0};
  double share = 0.5 * (from + to) / (s->cook->dt * s->units.rate);
  RvResult result = rv_cook_input_at(s->cook, (size_t)s->source_input, s->cook->time.frame - 1 + share, &d, error);
  if (!result && !d) d = s->cook->input[s->source_input];
  if (!result) result = rv_mesh_from_detail(d, &mesh, error);
  for (size_t i = 0; i < f->count && !result; ++i)
    if (f->inlets[i].present) result = set_inlet(s, d, &mesh, &f->inlets[i], &s->shapes[i], 0.5 * (to - from), error);
  rv_mesh_free(&mesh);
  return result;
}

// An emitter needs an area, and what fills needs an inside.
void rv_liquid_port_tell_flows(const RvLiquidPort* s) {
  for (size_t i = 0; i < s->flows.count; ++i) {
    const RvLiquidInlet* inlet = &s->flows.inlets[i];
    const char* missing = inlet->source.mode == RV_SOURCE_FILL ? "inside" : "area";
    if (inlet->idle) rv_cook_warn(s->cook, "source %d has no %s: nothing flows", inlet->id, missing);
  }
}

RvResult rv_liquid_port_save_flows(RvLiquidPort* s, RvDetail* state, RvError* error) {
  RvLiquidFlows* f = &s->flows;
  rv_detail_remove_attrib(state, RV_GLOBAL, "rv_sources");
  if (!f->count) return RV_OK;
  // What is owed and born goes on in the next frame, also for a source that is not there now.
  double* rows = rv_detail_f64_write(state, RV_GLOBAL, "rv_sources", (int)(ROW * f->count), error);
  if (!rows) return rv_fail(error, RV_NO_MEMORY, "out of memory for the sources");
  for (size_t i = 0; i < f->count; ++i) {
    const RvLiquidInlet* inlet = &f->inlets[i];
    memcpy(rows + ROW * i, (double[ROW]){inlet->id, inlet->state.owed, (double)inlet->state.born}, ROW * sizeof *rows);
  }
  return RV_OK;
}
