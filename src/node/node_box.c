// Box: a closed mesh of quads with divided faces.
#include "node/define.h"
#include "node/shape/shape.h"

#define BOX_PARMS(X)                                                                                       \
  X(VEC3, size, "Size", 1, 1, 1, HARD(0), SOFT(10), "m",                                                   \
    "Lengths of the edges along X, Y and Z. Each must be above 0.")                                        \
  X(VEC3, t, "Center", 0, 0, 0, SOFT(-1), SOFT(1), "m", "Centre of the box.")                              \
  X(FLOAT, scale, "Uniform Scale", 1, HARD(0), SOFT(10), "", "Multiplies the size.")                       \
  X(INT3, divrate, "Axis Divisions", 1, 1, 1, HARD(1), HARD(1024), "", "Number of faces along each axis.") \
  X(TOGGLE, addnormals, "Add Normals", 0, "Adds flat normals as the vertex attribute N.")
RV_PARM_TABLE(BoxParms, box_table, BOX_PARMS)

static const RvPortDef box_outputs[] = {{"geometry", "Geometry", "The mesh.", false}};

// Number of a point of the surface of a lattice; points are numbered slab by slab along z, row by row along y.
static int32_t lattice_point(const int64_t n[3], const int64_t at[3]) {
  int64_t x = at[0];
  int64_t y = at[1];
  int64_t z = at[2];
  // Points of a whole slab, and of a ring around the box.
  int64_t full = (n[0] + 1) * (n[1] + 1);
  int64_t ring = 2 * (n[0] + n[1]);
  // The first and the last slab are whole, those between are rings.
  if (z == 0) return (int32_t)(y * (n[0] + 1) + x);
  if (z == n[2]) return (int32_t)(full + (n[2] - 1) * ring + y * (n[0] + 1) + x);
  int64_t base = full + (z - 1) * ring;
  // The first and the last row of a ring are whole, the others have two points.
  if (y == 0) return (int32_t)(base + x);
  if (y == n[1]) return (int32_t)(base + n[0] + 1 + 2 * (n[1] - 1) + x);
  return (int32_t)(base + n[0] + 1 + 2 * (y - 1) + (x ? 1 : 0));
}

// Adds the points of the surface in that order.
static void put_points(const BoxParms* p, RvShape* shape) {
  const int64_t* n = p->divrate;
  for (int64_t z = 0; z <= n[2]; ++z)
    for (int64_t y = 0; y <= n[1]; ++y) {
      bool whole = z == 0 || z == n[2] || y == 0 || y == n[1];
      for (int64_t x = 0; x <= n[0]; x += whole ? 1 : n[0]) {
        const int64_t at[3] = {x, y, z};
        double q[3];
        for (int k = 0; k < 3; ++k) q[k] = p->t[k] + p->scale * p->size[k] * ((double)at[k] / (double)n[k] - 0.5);
        rv_shape_point(shape, rv_vec3_load64(q));
      }
    }
}

// Adds the faces of the two sides across an axis.
static void put_sides(const BoxParms* p, RvShape* shape, int axis) {
  const int64_t* n = p->divrate;
  int u = (axis + 1) % 3, v = (axis + 2) % 3;
  for (int far = 0; far < 2; ++far)
    for (int64_t i = 0; i < n[u]; ++i)
      for (int64_t j = 0; j < n[v]; ++j) {
        double normal[3] = {0, 0, 0};
        normal[axis] = far ? 1 : -1;
        RvVec3 normals[4];
        int32_t corner[4];
        for (int k = 0; k < 4; ++k) {
          // Houdini's winding is clockwise seen from outside, so the order differs on both sides.
          static const int du[4] = {0, 0, 1, 1}, dv[4] = {0, 1, 1, 0};
          int64_t at[3];
          at[axis] = far ? n[axis] : 0;
          at[u] = i + (far ? du[k] : dv[k]);
          at[v] = j + (far ? dv[k] : du[k]);
          corner[k] = lattice_point(n, at);
          normals[k] = rv_vec3_load64(normal);
        }
        rv_shape_face(shape, 4, corner, normals);
      }
}

// Makes the points and faces of the box.
static RvResult cook(RvCook* cook, RvError* error) {
  const BoxParms* p = cook->parms;
  for (int k = 0; k < 3; ++k)
    if (!(p->size[k] * p->scale > 0))
      return rv_fail(error, RV_BAD_INPUT, "size%c times scale is %g: a box needs edges above 0", "xyz"[k],
                     p -> size[k] * p -> scale);
  size_t n[3] = {(size_t)p->divrate[0], (size_t)p->divrate[1], (size_t)p->divrate[2]};
  // Euler's formula: a closed mesh of quads has two points more than faces.
  size_t faces = 2 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]);
  RvShape shape;
  RvResult r = rv_shape_begin(&shape, faces + 2, faces, 4 * faces, p->addnormals, error);
  if (r != RV_OK) return r;
  put_points(p, &shape);
  for (int axis = 0; axis < 3; ++axis) put_sides(p, &shape, axis);
  return rv_shape_end(&shape, false, &cook->output[0], error);
}

RV_NODE_TYPE(box, "Box", "Geometry", "Makes a closed box of quads.",
             "The mesh is closed and no two points coincide. Faces are wound clockwise seen from outside, as in "
             "Houdini.",
             .flags = RV_NODE_GENERATOR, RV_NODE_OUTPUTS(box_outputs))
