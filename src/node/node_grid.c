// Grid: a flat sheet of quads.
#include "node/define.h"
#include "node/shape/shape.h"

#define GRID_PARMS(X)                                                                                   \
  X(MENU, orient, "Orientation", 2, "xy=XY Plane|yz=YZ Plane|zx=ZX Plane",                              \
    "Plane of the grid. Its faces point along the third axis.")                                         \
  X(VEC2, size, "Size", 1, 1, HARD(0), SOFT(10), "m",                                                   \
    "Lengths along the first axis of the plane (columns) and its second (rows). Each must be above 0.") \
  X(VEC3, t, "Center", 0, 0, 0, SOFT(-1), SOFT(1), "m", "Centre of the grid.")                          \
  X(INT, rows, "Rows", 10, HARD(2), HARD(8192), "", "Number of rows of points.")                        \
  X(INT, cols, "Columns", 10, HARD(2), HARD(8192), "", "Number of columns of points.")                  \
  X(TOGGLE, addnormals, "Add Normals", 0, "Adds the normal of the plane as the point attribute N.")
RV_PARM_TABLE(GridParms, grid_table, GRID_PARMS)

static const RvPortDef grid_outputs[] = {{"geometry", "Geometry", "The mesh.", false}};

// Position of a point.
static RvVec3 grid_position(const GridParms* p, int64_t row, int64_t col) {
  // Both axes of the plane.
  int u = p->orient, v = (p->orient + 1) % 3;
  double q[3] = {p->t[0], p->t[1], p->t[2]};
  q[u] += p->size[0] * ((double)col / (double)(p->cols - 1) - 0.5);
  q[v] += p->size[1] * ((double)row / (double)(p->rows - 1) - 0.5);
  return rv_vec3_load64(q);
}

// Makes the points and faces of the grid.
static RvResult cook(RvCook* cook, RvError* error) {
  const GridParms* p = cook->parms;
  for (int k = 0; k < 2; ++k)
    if (!(p->size[k] > 0))
      return rv_fail(error, RV_BAD_INPUT, "size%c is %g: a grid needs sides above 0", "xy"[k], p -> size[k]);
  size_t rows = (size_t)p->rows, cols = (size_t)p->cols, faces = (rows - 1) * (cols - 1);
  RvShape shape;
  RvResult r = rv_shape_begin(&shape, rows * cols, faces, 4 * faces, p->addnormals, error);
  if (r != RV_OK) return r;
  // One normal for all corners.
  double normal[3] = {0, 0, 0};
  normal[(p->orient + 2) % 3] = 1;
  RvVec3 normals[4];
  for (int k = 0; k < 4; ++k) normals[k] = rv_vec3_load64(normal);
  // Points row by row, then the quads between them.
  for (int64_t row = 0; row < p->rows; ++row)
    for (int64_t col = 0; col < p->cols; ++col) rv_shape_point(&shape, grid_position(p, row, col));
  for (int32_t row = 0; row + 1 < p->rows; ++row)
    for (int32_t col = 0; col + 1 < p->cols; ++col) {
      int32_t n = (int32_t)p->cols, a = row * n + col;
      // Clockwise seen from the positive side of the third axis.
      rv_shape_face(&shape, 4, (int32_t[]){a, a + n, a + n + 1, a + 1}, normals);
    }
  return rv_shape_end(&shape, true, &cook->output[0], error);
}

RV_NODE_TYPE(grid, "Grid", "Geometry", "Makes a flat sheet of quads.",
             "Rows and columns count points, as in Houdini. Points are numbered along the rows.",
             .flags = RV_NODE_GENERATOR, RV_NODE_OUTPUTS(grid_outputs))
