// Surface nets: a mesh of quads around the region where a function is below 0.
#include "node/shape/nets.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/scalar.h"

enum { CORNERS = 8, EDGES = 12, NEWTON_STEPS = 3, POINTS_A_TASK = 256 };

static const double MOST_MOVE = 0.6;         // cells that a Newton step may move a point by, so that quads do not fold
static const double DIFFERENCE = 0.05;       // cells: half the width of the central differences of the gradient
static const double JOINED_DEPTH = 1e-3;     // cells that a place is inside which joins two sheets
static const double LEAST_GRADIENT2 = 1e-6;  // below it the gradient has no direction

// Lattice, samples, and the points and faces that are counted from them.
typedef struct Work {
  const RvNets* nets;
  float* value;    // [places] samples
  int32_t* point;  // [places] number of the point of the cell with this lowest corner; -1: none
  RvShape* shape;
} Work;

// Number of a place of the lattice.
static size_t place_index(const RvNets* n, int i, int j, int k) {
  return ((size_t)k * (size_t)n->count[1] + (size_t)j) * (size_t)n->count[0] + (size_t)i;
}

// Position of a place, which may lie between the places of the lattice.
static RvVec3 place_at(const RvNets* n, double i, double j, double k) {
  return rv_mad(n->low, n->spacing, rv_vec3(i, j, k));
}

// Samples the layers [begin, end) of the lattice.
static void sample_layers(void* user, size_t begin, size_t end) {
  Work* w = user;
  const RvNets* n = w->nets;
  for (size_t k = begin; k < end; ++k)
    for (int j = 0; j < n->count[1]; ++j)
      for (int i = 0; i < n->count[0]; ++i)
        w->value[place_index(n, i, j, (int)k)] = (float)n->distance(n->user, place_at(n, i, j, (double)k));
}

// Whether the corners of a cell in a bit mask are connected by its edges.
static bool is_connected(unsigned corners) {
  unsigned reached = corners & (0u - corners);
  for (unsigned before = 0; reached != before;) {
    before = reached;
    for (int c = 0; c < CORNERS; ++c)
      if (before >> c & 1) reached |= (1u << (c ^ 1) | 1u << (c ^ 2) | 1u << (c ^ 4)) & corners;
  }
  return reached == corners;
}

// Place of a corner of a cell.
static size_t corner_index(const RvNets* n, int i, int j, int k, int c) {
  return place_index(n, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
}

// Makes the surface within a cell one sheet, as a cell has only one point: while the corners inside, or those outside,
// are not connected, the corner outside that is nearest to the surface is counted as inside. Returns whether one was.
static bool join_sheets(Work* w, int i, int j, int k) {
  unsigned inside = 0;
  int nearest = -1;
  float least = 0;
  for (int c = 0; c < CORNERS; ++c) {
    float value = w->value[corner_index(w->nets, i, j, k, c)];
    if (value < 0) {
      inside |= 1u << c;
    } else if (nearest < 0 || value < least) {
      nearest = c;
      least = value;
    }
  }
  if (nearest < 0 || (is_connected(inside) && is_connected(~inside & 0xffu))) return false;
  w->value[corner_index(w->nets, i, j, k, nearest)] = -(float)(JOINED_DEPTH * w->nets->spacing);
  return true;
}

// Joins the sheets of all cells. It ends because places only change from outside to inside.
static void join_all_sheets(Work* w) {
  const RvNets* n = w->nets;
  for (bool changed = true; changed;) {
    changed = false;
    for (int k = 0; k + 1 < n->count[2]; ++k)
      for (int j = 0; j + 1 < n->count[1]; ++j)
        for (int i = 0; i + 1 < n->count[0]; ++i)
          while (join_sheets(w, i, j, k)) changed = true;
  }
}

// Mean of the crossings of a cell's edges, in cells from its lowest corner. False: the surface does not cross the cell.
static bool cell_centre(const Work* w, int i, int j, int k, RvVec3* centre) {
  static const int ends[EDGES][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                     {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
  double value[CORNERS];
  for (int c = 0; c < CORNERS; ++c) value[c] = w->value[corner_index(w->nets, i, j, k, c)];
  RvVec3 sum = {0};
  int crossings = 0;
  for (int e = 0; e < EDGES; ++e) {
    int a = ends[e][0], b = ends[e][1];
    if ((value[a] < 0) == (value[b] < 0)) continue;
    double t = value[a] / (value[a] - value[b]);
    RvVec3 from = rv_vec3(a & 1, a >> 1 & 1, a >> 2);
    RvVec3 to = rv_vec3(b & 1, b >> 1 & 1, b >> 2);
    sum = rv_add(sum, rv_lerp(from, to, t));
    ++crossings;
  }
  if (!crossings) return false;
  *centre = rv_scale(sum, 1.0 / crossings);
  return true;
}

// Moves a place onto the surface by Newton steps along the gradient.
static RvVec3 project(const RvNets* n, RvVec3 x) {
  double h = DIFFERENCE * n->spacing;
  for (int step = 0; step < NEWTON_STEPS; ++step) {
    double d = n->distance(n->user, x);
    RvVec3 g =
        rv_vec3(n->distance(n->user, rv_add(x, rv_vec3(h, 0, 0))) - n->distance(n->user, rv_add(x, rv_vec3(-h, 0, 0))),
                n->distance(n->user, rv_add(x, rv_vec3(0, h, 0))) - n->distance(n->user, rv_add(x, rv_vec3(0, -h, 0))),
                n->distance(n->user, rv_add(x, rv_vec3(0, 0, h))) - n->distance(n->user, rv_add(x, rv_vec3(0, 0, -h))));
    g = rv_scale(g, 0.5 / h);
    double g2 = rv_dot(g, g);
    if (g2 < LEAST_GRADIENT2) break;
    RvVec3 move = rv_scale(g, -d / g2);
    double length = rv_length(move), most = MOST_MOVE * n->spacing;
    x = rv_mad(x, length > most ? most / length : 1, move);
  }
  return x;
}

// Numbers the cells that the surface crosses; returns how many there are.
static size_t number_cells(Work* w) {
  const RvNets* n = w->nets;
  size_t points = 0;
  for (int k = 0; k < n->count[2]; ++k)
    for (int j = 0; j < n->count[1]; ++j)
      for (int i = 0; i < n->count[0]; ++i) {
        RvVec3 centre;
        bool cell = i + 1 < n->count[0] && j + 1 < n->count[1] && k + 1 < n->count[2];
        bool crossed = cell && cell_centre(w, i, j, k, &centre);
        w->point[place_index(n, i, j, k)] = crossed ? (int32_t)points++ : -1;
      }
  return points;
}

// Adds the point of every crossed cell.
static void put_points(Work* w) {
  const RvNets* n = w->nets;
  for (int k = 0; k + 1 < n->count[2]; ++k)
    for (int j = 0; j + 1 < n->count[1]; ++j)
      for (int i = 0; i + 1 < n->count[0]; ++i) {
        RvVec3 centre;
        if (w->point[place_index(n, i, j, k)] < 0 || !cell_centre(w, i, j, k, &centre)) continue;
        rv_shape_point(w->shape, place_at(n, i + centre.x, j + centre.y, k + centre.z));
      }
}

// Moves the points [begin, end) onto the surface.
static void project_points(void* user, size_t begin, size_t end) {
  const Work* w = user;
  for (size_t i = begin; i < end; ++i) {
    float* at = w->shape->points + 3 * i;
    rv_vec3_store(at, project(w->nets, rv_vec3_load(at)));
  }
}

// The quad around an edge of the lattice from (i, j, k) along an axis. Without `put` it is only counted. Returns
// whether the edge crosses the surface.
static bool edge_quad(Work* w, int i, int j, int k, int axis, bool put) {
  const RvNets* n = w->nets;
  int at[3] = {i, j, k}, to[3] = {i, j, k};
  to[axis]++;
  int u = (axis + 1) % 3, v = (axis + 2) % 3;
  if (to[axis] >= n->count[axis] || at[u] == 0 || at[v] == 0) return false;
  bool inside = w->value[place_index(n, at[0], at[1], at[2])] < 0;
  if (inside == (w->value[place_index(n, to[0], to[1], to[2])] < 0)) return false;
  if (!put) return true;
  int32_t corner[4];
  // Counter-clockwise about the axis; turned around where the axis leads outwards, as faces are clockwise from outside.
  static const int around[4][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}};
  for (int c = 0; c < 4; ++c) {
    int cell[3] = {at[0], at[1], at[2]};
    cell[u] -= around[c][0];
    cell[v] -= around[c][1];
    corner[inside ? 3 - c : c] = w->point[place_index(n, cell[0], cell[1], cell[2])];
  }
  rv_shape_face(w->shape, 4, corner, NULL);
  return true;
}

// Counts the quads, or adds them.
static size_t walk_edges(Work* w, bool put) {
  const RvNets* n = w->nets;
  size_t quads = 0;
  for (int k = 0; k < n->count[2]; ++k)
    for (int j = 0; j < n->count[1]; ++j)
      for (int i = 0; i < n->count[0]; ++i)
        for (int axis = 0; axis < 3; ++axis) quads += edge_quad(w, i, j, k, axis, put);
  return quads;
}

RvResult rv_nets_mesh(const RvNets* nets, RvShape* shape, RvError* error) {
  size_t places = (size_t)nets->count[0] * (size_t)nets->count[1] * (size_t)nets->count[2];
  Work w = {nets, rv_alloc(places, sizeof *w.value), rv_alloc(places, sizeof *w.point), shape};
  RvResult result = w.value && w.point ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for %zu samples", places);
  if (result == RV_OK) {
    rv_parallel_for((size_t)nets->count[2], 1, sample_layers, &w);
    join_all_sheets(&w);
    size_t points = number_cells(&w);
    size_t quads = walk_edges(&w, false);
    result = rv_shape_begin(shape, points, quads, 4 * quads, false, error);
  }
  if (result == RV_OK) {
    put_points(&w);
    rv_parallel_for(shape->npoint, POINTS_A_TASK, project_points, &w);
    walk_edges(&w, true);
  }
  rv_free(w.value);
  rv_free(w.point);
  return result;
}
