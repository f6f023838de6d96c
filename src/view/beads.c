// Beads of water on wet skin and solids, smaller than a simulation resolves: spherical caps that turn the normal, so
// that each has its own glint. They lie on a lattice of cells in the rest space of the surface and so move with it; one
// seed makes place and size of a cell's bead, so the picture does not depend on the order of work.
#include <math.h>

#include "base/rng.h"
#include "math/scalar.h"
#include "view/light.h"

enum { BEAD_SEED = 0x62656164, REACH = 1 };  // "bead"; cells to each side whose beads may cover a place

static const double CELL = 2.6;           // side of a cell, in largest bead radii: beads hardly overlap
// Square of the farthest that a bead's centre is from a place that it covers, in cells: its radius along the surface and
// half a cell off it, rounded up.
static const double FARTHEST2 = 0.4;
static const double SMALLEST = 0.35;      // radius of the smallest bead over the largest
static const double CONTACT_SINE = 0.78;  // of the contact angle of water on skin, about 50 degrees
static const double BEAD_ROUGHNESS = 0.06;
static const double FARTHEST_CELL = 1e9;  // cells from the origin that a number can count

// Bead of a cell in its rest space; false if the cell has none.
static bool bead_of(const int64_t cell[3], double side, double share, double radius, RvVec3* centre, double* own) {
  uint64_t key = (uint64_t)cell[0] * 0x9e3779b97f4a7c15u ^ (uint64_t)cell[1] * 0xc2b2ae3d27d4eb4fu ^
                 (uint64_t)cell[2] * 0x165667b19e3779f9u;
  RvRandom4 a = rv_random4(BEAD_SEED, key, 0);
  if (!(a.v[3] * 0x1p-32 < share)) return false;
  RvRandom4 b = rv_random4(BEAD_SEED, key, 1);
  *centre = rv_vec3(side * ((double)cell[0] + a.v[0] * 0x1p-32), side * ((double)cell[1] + a.v[1] * 0x1p-32),
                    side * ((double)cell[2] + a.v[2] * 0x1p-32));
  // Small beads are more frequent than large ones.
  double u = b.v[0] * 0x1p-32;
  *own = radius * (SMALLEST + (1 - SMALLEST) * u * u);
  return true;
}

bool rv_view_bead(RvVec3 rest, RvVec3 normal, double share, double radius, RvVec3* bent) {
  double side = CELL * radius;
  const double x[3] = {floor(rest.x / side), floor(rest.y / side), floor(rest.z / side)};
  bool found = false;
  double best = 1;
  for (int k = 0; k < 3; ++k)
    if (!(fabs(x[k]) < FARTHEST_CELL)) return false;
  // Squared distance from the place to the cells before, at and after its own along each axis, in cells.
  const double at[3] = {rest.x / side - x[0], rest.y / side - x[1], rest.z / side - x[2]};
  double apart[3][3];
  for (int k = 0; k < 3; ++k) {
    apart[k][0] = at[k] * at[k];
    apart[k][1] = 0;
    apart[k][2] = (1 - at[k]) * (1 - at[k]);
  }
  for (int n = 0; n < 27; ++n) {
    if (apart[0][n % 3] + apart[1][n / 3 % 3] + apart[2][n / 9] > FARTHEST2) continue;
    const int64_t cell[3] = {(int64_t)x[0] + n % 3 - REACH, (int64_t)x[1] + n / 3 % 3 - REACH,
                             (int64_t)x[2] + n / 9 - REACH};
    RvVec3 centre;
    double own;
    if (!bead_of(cell, side, share, radius, &centre, &own)) continue;
    // A bead belongs to the surface that passes its centre within half a cell.
    RvVec3 off = rv_sub(rest, centre);
    double height = rv_dot(off, normal);
    if (fabs(height) > 0.5 * side) continue;
    RvVec3 flat = rv_mad(off, -height, normal);
    double out = rv_length(flat) / own;
    if (!(out < best)) continue;
    best = out;
    found = true;
    double sine = CONTACT_SINE * out;
    *bent = rv_mad(rv_scale(normal, sqrt(1 - sine * sine)), sine, rv_normalize(flat, rv_vec3(0, 0, 0)));
  }
  return found;
}

// Rotation from the rest frame of a triangle to its present one, applied to a vector.
static RvVec3 carried(RvVec3 v, const RvVec3 from[3], const RvVec3 to[3]) {
  RvVec3 sum = {0, 0, 0};
  for (int k = 0; k < 3; ++k) sum = rv_mad(sum, rv_dot(v, from[k]), to[k]);
  return sum;
}

// Orthonormal frame of a triangle: along its first edge, across, and its normal.
static void frame_of(RvVec3 a, RvVec3 b, RvVec3 c, RvVec3 frame[3]) {
  frame[0] = rv_normalize(rv_sub(b, a), rv_vec3(1, 0, 0));
  frame[2] = rv_normalize(rv_cross(rv_sub(b, a), rv_sub(c, a)), rv_perpendicular(frame[0]));
  frame[1] = rv_cross(frame[2], frame[0]);
}

void rv_view_add_bead(const RvPart* part, size_t triangle, const double weight[3], double time, RvSurface* s) {
  double share = 0, radius = 0;
  for (size_t k = 0; k < 3; ++k) {
    share += weight[k] * part->beads[2 * (3 * triangle + k)];
    radius += weight[k] * part->beads[2 * (3 * triangle + k) + 1];
  }
  if (!(share > 0) || !(radius > 0)) return;
  // The place and the smooth normal in rest space.
  RvVec3 rest = {0, 0, 0}, at[3], then[3], from[3], to[3], bent;
  for (size_t k = 0; k < 3; ++k) {
    at[k] = rv_view_part_vertex(part, 3, part->indices[3 * triangle + k], time);
    then[k] = rv_vec3_load(part->rest + 3 * (3 * triangle + k));
    rest = rv_mad(rest, weight[k], then[k]);
  }
  frame_of(then[0], then[1], then[2], from);
  frame_of(at[0], at[1], at[2], to);
  if (!rv_view_bead(rest, carried(s->normal, to, from), share, radius, &bent)) return;
  RvVec3 normal = rv_normalize(carried(bent, from, to), s->normal);
  // A bead that turns away from the eye shows its edge.
  if (rv_dot(normal, s->view) > 0) s->normal = normal;
  s->roughness = BEAD_ROUGHNESS;
  s->f0 = RV_VIEW_WATER_F0;
  s->wet = 1;
}
