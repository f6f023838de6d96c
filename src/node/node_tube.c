// Tube: a cylinder or cone around an axis, open or capped.
#include "base/memory.h"
#include "math/scalar.h"
#include "node/define.h"
#include "node/shape/shape.h"

#define TUBE_PARMS(X)                                                                                  \
  X(MENU, orient, "Orientation", 1, "x=X Axis|y=Y Axis|z=Z Axis", "Axis of the tube.")                 \
  X(TOGGLE, cap, "End Caps", 1, "Closes the ends, so that the mesh encloses a volume.")                \
  X(VEC2, rad, "Radius", 0.5, 0.5, HARD(0), SOFT(1), "m",                                              \
    "Radius at the positive end of the axis, then at the negative end. One of them may be 0: a cone.") \
  X(FLOAT, height, "Height", 1, HARD(0), SOFT(10), "m", "Length along the axis. Must be above 0.")     \
  X(VEC3, t, "Center", 0, 0, 0, SOFT(-1), SOFT(1), "m", "Centre of the tube.")                         \
  X(INT, rows, "Rows", 2, HARD(2), HARD(4096), "", "Rows of points from end to end.")                  \
  X(INT, cols, "Columns", 12, HARD(3), HARD(4096), "", "Points around each row.")                      \
  X(TOGGLE, addnormals, "Add Normals", 0,                                                              \
    "Adds normals as the vertex attribute N: smooth around the side, flat on the caps.")
RV_PARM_TABLE(TubeParms, tube_table, TUBE_PARMS)

static const RvPortDef tube_outputs[] = {{"geometry", "Geometry", "The mesh.", false}};

// State of one cook.
typedef struct Tube {
  const TubeParms* p;
  bool tip[2];  // the positive and the negative end are points
  RvShape shape;
} Tube;

// Vector from components around and along the axis.
static RvVec3 turned(const TubeParms* p, double cosine, double along, double sine) {
  double q[3];
  q[p->orient] = along;
  q[(p->orient + 2) % 3] = cosine;
  q[(p->orient + 1) % 3] = sine;
  return rv_vec3_load64(q);
}

// True if a row is the tip of a cone.
static bool is_tip(const Tube* t, int64_t row) {
  return (row == 0 && t->tip[0]) || (row == t->p->rows - 1 && t->tip[1]);
}

// Number of a point.
static int32_t tube_point(const Tube* t, int64_t row, int64_t col) {
  // A tip is one point instead of a row.
  int64_t n = t->p->cols, first = t->tip[0] ? 1 + (row - 1) * n : row * n;
  if (row == 0 && t->tip[0]) return 0;
  return (int32_t)(is_tip(t, row) ? first : first + col % n);
}

// Angle of a column, radians.
static double tube_angle(const Tube* t, int64_t col) {
  return 2 * RV_PI * (double)col / (double)t->p->cols;
}

// Adds all points, row by row.
static void put_points(Tube* t) {
  const TubeParms* p = t->p;
  for (int64_t row = 0; row < p->rows; ++row) {
    double s = (double)row / (double)(p->rows - 1), radius = p->rad[0] * (1 - s) + p->rad[1] * s;
    for (int64_t col = 0; col < (is_tip(t, row) ? 1 : p->cols); ++col) {
      double angle = tube_angle(t, col);
      RvVec3 q = turned(p, radius * rv_cos(angle), p->height * (0.5 - s), radius * rv_sin(angle));
      rv_shape_point(&t->shape, rv_add(rv_vec3_load64(p->t), q));
    }
  }
}

// Normal of the side at a column.
static RvVec3 side_normal(const Tube* t, double col) {
  const TubeParms* p = t->p;
  // The side leans by the difference of the radii over the height.
  double angle = 2 * RV_PI * col / (double)p->cols, rise = (p->rad[1] - p->rad[0]) / p->height;
  return rv_normalize(turned(p, rv_cos(angle), rise, rv_sin(angle)), rv_vec3(0, 1, 0));
}

// Adds a face of the side: a quad, or a triangle at a tip.
static void put_side(Tube* t, int64_t row, int64_t col) {
  const int64_t at[4][2] = {{row, col}, {row + 1, col}, {row + 1, col + 1}, {row, col + 1}};
  int32_t corner[4];
  RvVec3 normal[4];
  int n = 0;
  for (int i = 0; i < 4; ++i) {
    int32_t point = tube_point(t, at[i][0], at[i][1]);
    // At a tip two corners are the same point.
    if (n && (point == corner[n - 1] || point == corner[0])) continue;
    corner[n] = point;
    // The tip of a cone has no normal of its own: each face uses that of its middle.
    normal[n++] = side_normal(t, is_tip(t, at[i][0]) ? (double)col + 0.5 : (double)at[i][1]);
  }
  rv_shape_face(&t->shape, n, corner, normal);
}

// Adds the end caps.
static RvResult put_caps(Tube* t, RvError* error) {
  int n = (int)t->p->cols;
  int32_t* corner = rv_alloc((size_t)n, sizeof *corner);
  RvVec3* normal = rv_alloc((size_t)n, sizeof *normal);
  RvResult r = corner && normal ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the caps of a tube");
  for (int end = 0; end < 2 && r == RV_OK; ++end) {
    if (t->tip[end]) continue;
    for (int i = 0; i < n; ++i) {
      // The caps face away from each other, so one of them runs backwards.
      corner[i] = tube_point(t, end ? t->p->rows - 1 : 0, end ? n - 1 - i : i);
      normal[i] = turned(t->p, 0, end ? -1 : 1, 0);
    }
    rv_shape_face(&t->shape, n, corner, normal);
  }
  rv_free(corner);
  rv_free(normal);
  return r;
}

// Makes the points, side faces and caps.
static RvResult cook(RvCook* cook, RvError* error) {
  const TubeParms* p = cook->parms;
  Tube t = {.p = p, .tip = {!(p->rad[0] > 0), !(p->rad[1] > 0)}};
  if (!(p->height > 0)) return rv_fail(error, RV_BAD_INPUT, "height is %g: it must be above 0", p->height);
  if (t.tip[0] && t.tip[1]) return rv_fail(error, RV_BAD_INPUT, "rad is 0 at both ends: at least one must be above 0");
  // Room for quads everywhere and both caps.
  size_t rows = (size_t)p->rows, cols = (size_t)p->cols;
  RvResult r = rv_shape_begin(&t.shape, rows * cols, (rows - 1) * cols + 2, 4 * (rows - 1) * cols + 2 * cols,
                              p->addnormals, error);
  if (r != RV_OK) return r;
  put_points(&t);
  for (int64_t row = 0; row + 1 < p->rows; ++row)
    for (int64_t col = 0; col < p->cols; ++col) put_side(&t, row, col);
  if (p->cap) r = put_caps(&t, error);
  if (r != RV_OK) {
    rv_shape_free(&t.shape);
    return r;
  }
  return rv_shape_end(&t.shape, false, &cook->output[0], error);
}

RV_NODE_TYPE(tube, "Tube", "Geometry", "Makes a cylinder or a cone of polygons, open or capped.",
             "With caps the mesh is closed; a radius of 0 ends in one point. Faces are wound clockwise seen from "
             "outside, as in Houdini.",
             .flags = RV_NODE_GENERATOR, RV_NODE_OUTPUTS(tube_outputs))
