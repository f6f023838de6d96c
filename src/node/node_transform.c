// Transform: translates, rotates and scales points, attributes and VDBs by their type.
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/scalar.h"
#include "mesh/xform.h"
#include "node/define.h"
#include "node/shape/select.h"

#define TRANSFORM_PARMS(X)                                                                                             \
  X(STRING, group, "Group", "", "Points or primitives to transform: groups, numbers and ranges. Empty: all.")          \
  X(MENU, grouptype, "Group Type", 0, RV_SELECT_MENU, "Meaning of the names and numbers of the group.",                \
    WHEN("{ group == \"\" }"), ADVANCED)                                                                               \
  X(MENU, xOrd, "Transform Order", 0, RV_XFORM_ORDER_MENU, "Order of scale, rotation and translation.", ADVANCED)      \
  X(MENU, rOrd, "Rotate Order", 0, RV_ROTATE_ORDER_MENU, "Order of the rotations about the axes.", ADVANCED)           \
  X(VEC3, t, "Translate", 0, 0, 0, SOFT(-1), SOFT(1), "m", "Translation.")                                             \
  X(VEC3, r, "Rotate", 0, 0, 0, SOFT(-180), SOFT(180), "deg", "Rotation about each axis.")                             \
  X(VEC3, s, "Scale", 1, 1, 1, SOFT(-2), SOFT(2), "", "Scale along each axis. A negative value mirrors.")              \
  X(VEC3, p, "Pivot", 0, 0, 0, SOFT(-1), SOFT(1), "m", "Point that rotation and scale leave in place.", ADVANCED)      \
  X(FLOAT, scale, "Uniform Scale", 1, SOFT(0), SOFT(10), "", "Scale along all axes.")                                  \
  X(TOGGLE, invertxform, "Invert Transformation", 0, "Applies the inverse transform.", ADVANCED)                       \
  X(STRING, attribs, "Attributes", "* ^rest",                                                                          \
    "Attributes to transform besides P, as far as their type says how: names and patterns; ^ before a name leaves it " \
    "out. A rest that is left out keeps place and orientation, and still takes the scale.",                            \
    ADVANCED)
RV_PARM_TABLE(TransformParms, transform_table, TRANSFORM_PARMS)

static const RvPortDef transform_inputs[] = {{"geometry", "Geometry", "Geometry to transform.", true}};
static const RvPortDef transform_outputs[] = {{"geometry", "Geometry", "The transformed geometry.", false}};

enum { GRAIN = 8192 };  // elements a task

// Attributes of one number that are lengths, and volumes, by the power of length in their unit.
static const struct {
  const char* name;
  int power;
} LENGTHS[] = {{"width", 1},      {"hairradius", 1}, {"pscale", 1}, {"filmheight", 1}, {"filmradius", 1},
               {"dropradius", 1}, {"filmv", 1},      {"wetadd", 1}, {"thickness", 1},  {"volume", 3}};

static const double UNIFORM = 1e-6;      // relative difference of scales that counts as none
static const double UNIT_SCALE = 1e-12;  // deviation from 1 that is rounding

// A transform and the elements to which it applies.
typedef struct Move {
  RvXform xform;
  RvAttrib* attrib;             // being transformed
  void* values;                 // its data
  RvXform stretch;              // the transform without its rotation and translation
  double scale;                 // mean scale
  double factor;                // of an attribute that is only scaled
  const uint8_t* points;        // mask; NULL: all
  const uint8_t* prims;         // mask of primitives whose points all move; NULL: all
  const int32_t* vertex_point;  // point of each vertex
} Move;

//---------------------------------------------------------------------------------------------- attributes

// True if an element moves.
static bool is_selected(const Move* m, RvOwner owner, size_t i) {
  if (!m->points) return true;
  if (owner == RV_POINT) return m->points[i];
  if (owner == RV_VERTEX) return m->points[m->vertex_point[i]];
  return owner == RV_PRIM && m->prims[i];
}

// Transforms a range of elements of an attribute.
static void move_range(void* arg, size_t begin, size_t end) {
  const Move* m = arg;
  RvOwner owner = rv_attrib_owner(m->attrib);
  RvStorage storage = rv_attrib_storage(m->attrib);
  RvTag tag = rv_attrib_tag(m->attrib);
  int size = rv_attrib_size(m->attrib);
  for (size_t i = begin; i < end; ++i)
    if (is_selected(m, owner, i)) rv_xform_element(&m->xform, tag, storage, size, m->values, i);
}

// Scales a range of elements of an attribute of any size.
static void scale_range(void* arg, size_t begin, size_t end) {
  const Move* m = arg;
  RvOwner owner = rv_attrib_owner(m->attrib);
  RvStorage storage = rv_attrib_storage(m->attrib);
  size_t size = (size_t)rv_attrib_size(m->attrib);
  for (size_t i = begin; i < end; ++i)
    for (size_t k = size * i; is_selected(m, owner, i) && k < size * (i + 1); ++k)
      rv_xform_store(storage, m->values, k, m->factor * rv_xform_load(storage, m->values, k));
}

// Applies the stretch of the transform to a range of rest positions.
static void stretch_range(void* arg, size_t begin, size_t end) {
  const Move* m = arg;
  RvStorage storage = rv_attrib_storage(m->attrib);
  for (size_t i = begin; i < end; ++i)
    if (is_selected(m, RV_POINT, i)) rv_xform_element(&m->stretch, RV_TAG_POINT, storage, 3, m->values, i);
}

// Power of length of an attribute's unit; 0: it is none.
static int length_power(const RvAttrib* attrib) {
  if (rv_attrib_size(attrib) != 1) return 0;
  for (size_t i = 0; i < sizeof LENGTHS / sizeof *LENGTHS; ++i)
    if (strcmp(rv_attrib_name(attrib), LENGTHS[i].name) == 0) return LENGTHS[i].power;
  return 0;
}

// True if the stretch is none, up to rounding: the transform is rigid.
static bool is_rigid(const Move* m) {
  for (int c = 0; c < 3; ++c) {
    RvVec3 unit = {c == 0, c == 1, c == 2};
    if (rv_length(rv_sub(m->stretch.linear.c[c], unit)) > UNIT_SCALE) return false;
  }
  return true;
}

// What the transform does to an attribute; NULL: nothing. Lengths take the mean scale, and keep their bits without one.
// The natural shape (rest) of strands is theirs whatever their place, but not whatever their size.
static RvRangeFn* way_of(const RvAttrib* attrib, const TransformParms* p, Move* m) {
  const char* name = rv_attrib_name(attrib);
  RvStorage storage = rv_attrib_storage(attrib);
  int size = rv_attrib_size(attrib);
  bool point = rv_attrib_owner(attrib) == RV_POINT;
  bool chosen = rv_select_name(p->attribs, name), scales = fabs(m->scale - 1) > UNIT_SCALE;
  if (storage != RV_F16 && storage != RV_F32 && storage != RV_F64) return NULL;
  if (point && strcmp(name, "P") == 0) return move_range;
  if (point && !chosen && strcmp(name, "rest") == 0 && size == 3) return is_rigid(m) ? NULL : stretch_range;
  if (!chosen) return NULL;
  int power = length_power(attrib);
  m->factor = power == 3 ? m->scale * m->scale * m->scale : m->scale;
  if (power) return scales ? scale_range : NULL;
  return rv_xform_moves(rv_attrib_tag(attrib), size) ? move_range : NULL;
}

// Transforms P and all selected attributes.
static RvResult move_attribs(RvDetail* detail, const TransformParms* p, Move* m, RvError* error) {
  m->scale = rv_pow(fabs(rv_mat3_det(m->xform.linear)), 1.0 / 3);
  m->stretch.linear = rv_mat3_mul(rv_mat3_transpose(m->xform.rotation), m->xform.linear);
  for (int o = 0; o < RV_OWNER_COUNT; ++o) {
    RvOwner owner = (RvOwner)o;
    // A detail attribute cannot move in part.
    if (owner == RV_GLOBAL && m->points) continue;
    for (size_t i = 0; i < rv_detail_attrib_count(detail, owner); ++i) {
      const RvAttrib* attrib = rv_detail_attrib(detail, owner, i);
      const char* name = rv_attrib_name(attrib);
      RvRangeFn* way = way_of(attrib, p, m);
      if (!way) continue;
      m->attrib = rv_detail_find_mutable(detail, owner, name);
      m->values = m->attrib ? rv_attrib_write(m->attrib) : NULL;
      if (!m->values) return rv_fail(error, RV_NO_MEMORY, "out of memory for attribute %s", name);
      rv_parallel_for(rv_attrib_count(m->attrib), GRAIN, way, m);
    }
  }
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- primitives

// Marks the primitives whose points all move; VDBs follow the primitive group itself.
static RvResult find_prims(const RvDetail* detail, const TransformParms* p, const uint8_t* points, uint8_t** prims,
                           RvError* error) {
  RvOwner owner;
  uint8_t* mask = NULL;
  *prims = NULL;
  if (!points) return RV_OK;
  RvResult r = rv_select(detail, p->group, (RvSelectType)p->grouptype, &owner, &mask, error);
  if (r != RV_OK) return r;
  size_t count = rv_detail_count(detail, RV_PRIM);
  *prims = rv_alloc(count, 1);
  if (!*prims) r = rv_fail(error, RV_NO_MEMORY, "out of memory for a group");
  const int32_t* start = rv_detail_prim_start(detail);
  const int32_t* corner = rv_detail_vertex_point(detail);
  for (size_t i = 0; i < count && r == RV_OK; ++i) {
    bool vdb = rv_detail_prim_type(detail, i) == RV_PRIM_VDB, all = true;
    for (int32_t v = start[i]; all && v < start[i + 1]; ++v) all = points[corner[v]];
    (*prims)[i] = owner == RV_PRIM && vdb ? mask[i] : !vdb && all;
  }
  rv_free(mask);
  return r;
}

// Transforms the values of a VDB that are lengths or directions.
static RvResult move_values(RvCook* cook, const RvXform* x, RvGrid* grid, RvError* error) {
  RvVec3 rows[3] = {rv_mat3_transpose(x->linear).c[0], rv_mat3_transpose(x->linear).c[1],
                    rv_mat3_transpose(x->linear).c[2]};
  double length = rv_length(rows[0]);
  bool uniform = true;
  for (int k = 0; k < 3; ++k) {
    uniform = uniform && fabs(rv_length(rows[k]) - length) <= UNIFORM * length;
    uniform = uniform && fabs(rv_dot(rows[k], rows[(k + 1) % 3])) <= UNIFORM * length * length;
  }
  const char* name = rv_grid_name(grid);
  if (rv_grid_type(grid) == RV_GRID_FLOAT && rv_grid_class(grid) == RV_GRID_LEVEL_SET) {
    if (!uniform)
      rv_cook_warn(cook, "VDB %s: after a non-uniform scale its values are no longer distances: rebuild it", name);
    double s = uniform ? length : rv_pow(fabs(rv_mat3_det(x->linear)), 1.0 / 3);
    // A scale of 1 up to rounding is a rotation: the values keep their bits.
    if (fabs(s - 1) < UNIT_SCALE) return RV_OK;
    return rv_grid_map_values(grid, (const double[9]){s, 0, 0, 0, s, 0, 0, 0, s}, error);
  }
  if (rv_grid_type(grid) != RV_GRID_VEC3) return RV_OK;
  if (rv_grid_class(grid) == RV_GRID_STAGGERED)
    rv_cook_warn(cook, "VDB %s is staggered: its values are rotated as if they were at voxel centres", name);
  double m[9];
  for (int row = 0; row < 3; ++row) rv_vec3_store64(m + 3 * row, rows[row]);
  return rv_grid_map_values(grid, m, error);
}

// Transforms the selected VDBs.
static RvResult move_grids(RvCook* cook, RvDetail* detail, const RvXform* x, const uint8_t* prims, RvError* error) {
  for (size_t i = 0; i < rv_detail_count(detail, RV_PRIM); ++i) {
    RvGrid* grid = rv_detail_prim_grid(detail, i);
    if (!grid || (prims && !prims[i])) continue;
    if (!(fabs(rv_mat3_det(x->linear)) > 0))
      return rv_fail(error, RV_BAD_INPUT, "s: a scale of 0 would flatten the VDB %s", rv_grid_name(grid));
    RvGrid* moved = NULL;
    double from[16], to[16];
    RvResult r = rv_grid_transform(grid, from, error);
    if (r == RV_OK) r = rv_grid_copy(grid, &moved, error);
    if (r == RV_OK) {
      rv_xform_grid(x, from, to);
      r = rv_grid_set_transform(moved, to, error);
    }
    if (r == RV_OK) r = move_values(cook, x, moved, error);
    if (r == RV_OK) r = rv_detail_set_grid(detail, i, moved, error);
    if (moved) rv_grid_release(moved);
    if (r != RV_OK) return r;
  }
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- cook

// The transform of the parameters.
static RvXform parms_xform(const TransformParms* p) {
  RvXformParts parts = {.order = p->xOrd,
                        .rotate_order = p->rOrd,
                        .translate = rv_vec3_load64(p->t),
                        .rotate = rv_vec3_load64(p->r),
                        .scale = rv_scale(rv_vec3_load64(p->s), p->scale),
                        .pivot = rv_vec3_load64(p->p)};
  return rv_xform_make(&parts);
}

// Transforms the selected points, attributes and VDBs of a copy of the input.
static RvResult cook(RvCook* cook, RvError* error) {
  const TransformParms* p = cook->parms;
  Move m = {.xform = parms_xform(p)};
  double det = rv_mat3_det(m.xform.linear);
  if (p->invertxform) {
    if (!(fabs(det) > 0)) return rv_fail(error, RV_BAD_INPUT, "s: a transform with a scale of 0 cannot be inverted");
    m.xform = rv_xform_inverse(&m.xform);
  }
  RvDetail* detail = rv_detail_copy(cook->input[0]);
  if (!detail) return rv_fail(error, RV_NO_MEMORY, "out of memory for the geometry");
  // Selected points and primitives.
  uint8_t *points = NULL, *prims = NULL;
  RvResult r = rv_select_points(detail, p->group, (RvSelectType)p->grouptype, &points, error);
  if (r == RV_OK) r = find_prims(detail, p, points, &prims, error);
  if (r == RV_OK) {
    m.points = points;
    m.prims = prims;
    m.vertex_point = rv_detail_vertex_point(detail);
    r = move_attribs(detail, p, &m, error);
  }
  if (r == RV_OK) r = move_grids(cook, detail, &m.xform, prims, error);
  // Mirrored faces are rewound to point outward; strands stay root first.
  if (r == RV_OK && det < 0) r = rv_detail_reverse(detail, prims, error);
  rv_free(points);
  rv_free(prims);
  return rv_node_give(cook, detail, r);
}

RV_NODE_TYPE(transform, "Transform", "Geometry", "Translates, rotates and scales geometry.",
             "Attributes transform by their type: positions are transformed, vectors (such as v) rotate and scale, "
             "normals stay perpendicular and keep their length, quaternions (orient) and matrices rotate. Lengths "
             "(width, hairradius, pscale, filmheight, filmradius, dropradius, filmv, wetadd, thickness) take the mean "
             "scale, volume its cube. The rest position keeps its place and orientation and takes the scale, so that "
             "it still describes the rest shape. VDBs get the transform; distances in a level "
             "set scale, and vectors rotate with it. Mirrored faces are rewound, so that a closed mesh still points "
             "outward; strands keep their order from root to tip.",
             .revision = 1, RV_NODE_INPUTS(transform_inputs), RV_NODE_OUTPUTS(transform_outputs))
