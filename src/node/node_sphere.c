// Sphere: a closed mesh of rows and columns around Y, or subdivided from an icosahedron.
#include "math/scalar.h"
#include "node/define.h"
#include "node/shape/shape.h"

#define SPHERE_PARMS(X)                                                                                         \
  X(MENU, type, "Primitive Type", 0, "polymesh=Rows and columns|poly=Icosphere",                                \
    "Layout of the faces: rows and columns of quads, or triangles of nearly equal size.")                       \
  X(FLOAT, radius, "Radius", 0.5, HARD(0), SOFT(1), "m", "Radius. Must be above 0.")                            \
  X(VEC3, t, "Center", 0, 0, 0, SOFT(-1), SOFT(1), "m", "Centre of the sphere.")                                \
  X(INT, rows, "Rows", 13, HARD(3), HARD(4096), "", "Rows of points from pole to pole, both poles included.",   \
    HIDE("{ type != polymesh }"))                                                                               \
  X(INT, cols, "Columns", 24, HARD(3), HARD(4096), "", "Points around each row.", HIDE("{ type != polymesh }")) \
  X(INT, freq, "Frequency", 4, HARD(1), HARD(1000), "",                                                         \
    "Number of parts into which each edge of the icosahedron is divided.", HIDE("{ type != poly }"))            \
  X(TOGGLE, addnormals, "Add Normals", 0, "Adds exact normals as the point attribute N.")
RV_PARM_TABLE(SphereParms, sphere_table, SPHERE_PARMS)

static const RvPortDef sphere_outputs[] = {{"geometry", "Geometry", "The mesh.", false}};

enum { SPHERE_POLYMESH, SPHERE_ICO };
enum { ICO_POINTS = 12, ICO_EDGES = 30, ICO_FACES = 20 };  // of an icosahedron

// Position in a direction from the centre.
static RvVec3 place(const SphereParms* p, RvVec3 direction) {
  return rv_mad(rv_vec3_load64(p->t), p->radius, direction);
}

//---------------------------------------------------------------------------------------------- rows and columns

// Direction of a point of the rows.
static RvVec3 row_direction(const SphereParms* p, int64_t row, int64_t col) {
  double theta = RV_PI * (double)row / (double)(p->rows - 1);
  double phi = 2 * RV_PI * (double)col / (double)p->cols;
  return rv_vec3(rv_sin(theta) * rv_cos(phi), rv_cos(theta), rv_sin(theta) * rv_sin(phi));
}

// Number of a point: 0 is the upper pole, then the rows, last the lower pole. The first and last rows are the poles.
static int32_t row_point(const SphereParms* p, int64_t row, int64_t col) {
  if (row == 0) return 0;
  if (row == p->rows - 1) return (int32_t)(1 + (p->rows - 2) * p->cols);
  return (int32_t)(1 + (row - 1) * p->cols + col % p->cols);
}

// Adds a quad, or a triangle at a pole.
static void put_row_face(const SphereParms* p, RvShape* shape, int64_t row, int64_t col) {
  const int64_t at[4][2] = {{row, col}, {row + 1, col}, {row + 1, col + 1}, {row, col + 1}};
  int32_t corner[4];
  RvVec3 normal[4];
  int n = 0;
  for (int i = 0; i < 4; ++i) {
    int32_t point = row_point(p, at[i][0], at[i][1]);
    // Both corners at a pole are the same point.
    if (n && (point == corner[n - 1] || point == corner[0])) continue;
    corner[n] = point;
    normal[n++] = at[i][0] == 0             ? rv_vec3(0, 1, 0)
                  : at[i][0] == p->rows - 1 ? rv_vec3(0, -1, 0)
                                            : row_direction(p, at[i][0], at[i][1] % p->cols);
  }
  rv_shape_face(shape, n, corner, normal);
}

// Makes the mesh of rows and columns.
static RvResult make_rows(const SphereParms* p, RvShape* shape, RvError* error) {
  size_t rows = (size_t)p->rows, cols = (size_t)p->cols;
  size_t vertices = 4 * (rows - 1) * cols - 2 * cols;
  RvResult r = rv_shape_begin(shape, 2 + (rows - 2) * cols, (rows - 1) * cols, vertices, p->addnormals, error);
  if (r != RV_OK) return r;
  rv_shape_point(shape, place(p, rv_vec3(0, 1, 0)));
  for (int64_t row = 1; row + 1 < p->rows; ++row)
    for (int64_t col = 0; col < p->cols; ++col) rv_shape_point(shape, place(p, row_direction(p, row, col)));
  rv_shape_point(shape, place(p, rv_vec3(0, -1, 0)));
  for (int64_t row = 0; row + 1 < p->rows; ++row)
    for (int64_t col = 0; col < p->cols; ++col) put_row_face(p, shape, row, col);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- icosphere

// Topology of the icosahedron.
typedef struct Ico {
  int64_t freq;  // parts of an edge
  RvVec3 corner[ICO_POINTS];
  int edge[ICO_POINTS][ICO_POINTS];  // number of the edge between two corners; -1: none
  int face[ICO_FACES][3];            // clockwise seen from outside
} Ico;

// Builds the icosahedron: corners (0, +-1, +-g) and their cyclic permutations, g the golden ratio; neighbouring corners
// are 2 apart.
static void ico_make(Ico* ico, int64_t freq) {
  const double g = (1 + sqrt(5.0)) / 2;
  ico->freq = freq;
  for (int i = 0; i < ICO_POINTS; ++i) {
    double v[3] = {0, i & 1 ? -1 : 1, i & 2 ? -g : g};
    int turn = i / 4;
    ico->corner[i] = rv_vec3(v[(3 - turn) % 3], v[(4 - turn) % 3], v[(5 - turn) % 3]);
  }
  int edges = 0, faces = 0;
  for (int a = 0; a < ICO_POINTS; ++a)
    for (int b = a; b < ICO_POINTS; ++b) {
      bool near = a != b && rv_distance(ico->corner[a], ico->corner[b]) < 2.1;
      int edge = near ? edges++ : -1;
      ico->edge[a][b] = edge;
      ico->edge[b][a] = edge;
    }
  for (int a = 0; a < ICO_POINTS; ++a)
    for (int b = a + 1; b < ICO_POINTS; ++b)
      for (int c = b + 1; c < ICO_POINTS; ++c) {
        if (ico->edge[a][b] < 0 || ico->edge[b][c] < 0 || ico->edge[a][c] < 0) continue;
        bool outward = rv_dot(ico->corner[a], rv_cross(ico->corner[c], ico->corner[b])) > 0;
        int* face = ico->face[faces++];
        face[0] = a;
        face[1] = outward ? b : c;
        face[2] = outward ? c : b;
      }
}

// Number of a point of a face: corners come first, then edges, then the insides of faces. i and j count towards corners
// 1 and 2.
static int32_t ico_point(const Ico* ico, int face, int64_t i, int64_t j) {
  int64_t f = ico->freq, weight[3] = {f - i - j, i, j};
  const int* corner = ico->face[face];
  for (int k = 0; k < 3; ++k) {
    if (weight[k] == f) return corner[k];
    int a = corner[(k + 1) % 3], b = corner[(k + 2) % 3];
    if (weight[k] != 0 || weight[(k + 1) % 3] == f || weight[(k + 2) % 3] == f) continue;
    int64_t along = a < b ? weight[(k + 2) % 3] : weight[(k + 1) % 3];
    return (int32_t)(ICO_POINTS + ico->edge[a][b] * (f - 1) + along - 1);
  }
  int64_t inside = (f - 1) * (f - 2) / 2, before = (i - 1) * (f - 1) - i * (i - 1) / 2;
  return (int32_t)(ICO_POINTS + ICO_EDGES * (f - 1) + face * inside + before + j - 1);
}

// Adds a triangle with exact normals.
static void put_ico_face(RvShape* shape, int32_t a, int32_t b, int32_t c, const SphereParms* p) {
  int32_t corner[3] = {a, b, c};
  RvVec3 normal[3];
  for (int k = 0; k < 3; ++k) {
    RvVec3 offset = rv_sub(rv_vec3_load(shape->points + 3 * (size_t)corner[k]), rv_vec3_load64(p->t));
    normal[k] = rv_normalize(offset, rv_vec3(0, 1, 0));
  }
  rv_shape_face(shape, 3, corner, normal);
}

// Direction of a point of a face.
static RvVec3 ico_direction(const Ico* ico, int face, int64_t i, int64_t j) {
  const int* c = ico->face[face];
  RvVec3 sum = rv_scale(ico->corner[c[0]], (double)(ico->freq - i - j));
  sum = rv_mad(sum, (double)i, ico->corner[c[1]]);
  return rv_normalize(rv_mad(sum, (double)j, ico->corner[c[2]]), rv_vec3(0, 1, 0));
}

// Makes the icosphere.
static RvResult make_ico(const SphereParms* p, RvShape* shape, RvError* error) {
  Ico ico;
  ico_make(&ico, p->freq);
  size_t f = (size_t)p->freq, faces = ICO_FACES * f * f;
  RvResult r = rv_shape_begin(shape, 10 * f * f + 2, faces, 3 * faces, p->addnormals, error);
  if (r != RV_OK) return r;
  shape->npoint = 10 * f * f + 2;
  // A shared point is written by each of its faces, with the same position up to rounding; the last one counts.
  for (int face = 0; face < ICO_FACES; ++face)
    for (int64_t i = 0; i <= p->freq; ++i)
      for (int64_t j = 0; i + j <= p->freq; ++j)
        rv_vec3_store(shape->points + 3 * (size_t)ico_point(&ico, face, i, j),
                      place(p, ico_direction(&ico, face, i, j)));
  for (int face = 0; face < ICO_FACES; ++face)
    for (int64_t i = 0; i < p->freq; ++i)
      for (int64_t j = 0; i + j < p->freq; ++j) {
        int32_t a = ico_point(&ico, face, i, j), b = ico_point(&ico, face, i + 1, j);
        int32_t c = ico_point(&ico, face, i, j + 1);
        put_ico_face(shape, a, b, c, p);
        if (i + j + 1 < p->freq) put_ico_face(shape, b, ico_point(&ico, face, i + 1, j + 1), c, p);
      }
  return RV_OK;
}

// Makes the mesh of the chosen type.
static RvResult cook(RvCook* cook, RvError* error) {
  const SphereParms* p = cook->parms;
  if (!(p->radius > 0)) return rv_fail(error, RV_BAD_INPUT, "radius is %g: a sphere needs one above 0", p->radius);
  RvShape shape;
  RvResult r = p->type == SPHERE_ICO ? make_ico(p, &shape, error) : make_rows(p, &shape, error);
  return r == RV_OK ? rv_shape_end(&shape, true, &cook->output[0], error) : r;
}

RV_NODE_TYPE(sphere, "Sphere", "Geometry", "Makes a closed sphere of polygons.",
             "The mesh is closed and no two points coincide. Faces are wound clockwise seen from outside, as in "
             "Houdini. Rows and columns give quads, with triangles at the two poles on Y; an icosphere gives "
             "triangles of nearly equal size.",
             .flags = RV_NODE_GENERATOR, RV_NODE_OUTPUTS(sphere_outputs))
