// The hair medium on sparse tiles (HC-1 to HC-8): density, pressure and friction of hair as a continuum.
//
// Links carry points of equal mass. Their mass and momentum go to the nodes of a grid by trilinear weights W, and there
// through the binomial mean S = (1 2 1) / 4 along each axis, so that a lattice of strands looks even and forces are
// smooth. A cell has the mean density of its eight nodes and, where all of them have mass, a pressure, which pushes its
// nodes apart: forces that sum to 0. The nodes' change of velocity goes back to the points through the same S and W.
// S is symmetric, so the points get exactly the momentum that the nodes got.
//
// The pressure is that of the density at the end of the step (the medium's sound would want many steps a frame): with y
// the density of a cell after the step over that before, y = 1 - dt div v, it is the solution of p = P(density y) +
// friction max(0, y - 1) with v = v* + dt G p / m in all cells at once. P does not fall with y, so this is the minimum
// of a convex function of the pressures, which sweeps over the cells reach, each solving its own cell (Gauss-Seidel).
// Cells of one colour share no node, so that the sweeps are parallel and their bits do not depend on the threads.
//
// Friction of hair on hair is the viscous pressure of hair that is being compressed, and a pull of every point towards
// the velocity of the medium at the rate c / smoothing; the sum of that pull is 0 too, because the medium's velocity is
// the mean of the points'.
#ifndef RV_CONTINUUM_MEDIUM_H
#define RV_CONTINUUM_MEDIUM_H

#include "base/array.h"
#include "continuum/chain.h"
#include "continuum/medium_law.h"
#include "space/tiles.h"

enum { RV_MEDIUM_COLOURS = 8 };

typedef struct RvMediumDef {
  RvMediumLaw law;
  double smoothing;  // m: size of a cell, or h of the particles
  bool particles;    // sums over pairs of points in place of the grid (medium_pairs.h)
  bool continuity;   // their density follows the flow within a frame; else it is summed in every step
  double friction;   // m/s: c of the viscous pressure
  double tolerance;  // of the pressures, over the largest of them
  int max_sweeps;
  int corrections;  // of the pressures by the answer of the chains
  // Wet hair: density counts the hair alone, and its rest density is higher.
  const double* water;  // [links] kg, a part of the masses of the model; NULL: dry
  double collapse;      // of RvWetHair
  int reach;            // cells around the points for which there are tiles; 0: as many as the medium itself needs
  bool border;          // and the tiles next to these
  int parts;            // least points a link; 0: as many as the medium itself needs
} RvMediumDef;

// A point of a link.
typedef struct RvMediumPoint {
  uint32_t tile;          // RV_MEDIUM_NOWHERE: outside the range of the grid
  uint32_t vertex, link;  // number in arrays with one number a vertex (the inner one) or a link
  uint16_t cell, part;    // its cell in the tile, and which point of its link it is
  float f[3];             // place in the cell, 0 to 1
} RvMediumPoint;
#define RV_MEDIUM_NOWHERE UINT32_MAX

// The node at the lowest corner of a cell.
typedef struct RvMediumNode {
  double mass;       // kg, smoothed
  double before[3];  // m/s: velocity without pressure
  double inverse;    // 1/kg; 0 without mass
  double v[3];       // m/s: velocity with the pressure
} RvMediumNode;

// Sums of a node, or what it gives back: four numbers.
typedef struct RvMediumSum {
  double n[4];  // mass and momentum of the points; later 0 and the velocity that points gain or are drawn to
} RvMediumSum;

// A cell whose eight nodes have mass.
typedef struct RvMediumFull {
  int32_t corner[8];  // nodes, x fastest
  double density;     // kg/m3, of the hair alone
  double rest;        // kg/m3: rest density
  double give;        // 1/Pa: relative loss of density by its own pressure
  double pressure;    // Pa
} RvMediumFull;

// A tile with its points, order[first..last).
typedef struct RvMediumTile {
  uint32_t tile, first, last;
} RvMediumTile;

typedef struct RvMedium {
  RvMediumDef def;
  int parts;  // points a link
  RvTiles tiles;
  RV_ARRAY(uint64_t) keys;
  RV_ARRAY(RvMediumPoint) points;
  RV_ARRAY(uint32_t) order, tile_first;
  RV_ARRAY(RvMediumTile) occupied;  // by colour
  size_t tile_colour[RV_MEDIUM_COLOURS + 1];
  RV_ARRAY(RvMediumNode) nodes;
  RV_ARRAY(RvMediumSum) sums;    // of the nodes
  RV_ARRAY(double) water;        // kg, of the nodes, smoothed; none where hair is dry
  RV_ARRAY(RvMediumFull) cells;  // by colour
  size_t cell_colour[RV_MEDIUM_COLOURS + 1];
  RV_ARRAY(double) changes;  // of the tasks of a sweep
  // of the last step
  bool corrected;  // the last solution was a correction
  int sweeps;
  double residual;          // largest change of a pressure in the last sweep, over the largest pressure
  double largest_density;   // kg/m3, of a cell
  double largest_pressure;  // Pa
} RvMedium;

// Whether the medium acts at all.
static inline bool rv_medium_acts(const RvMediumDef* def) {
  return def->law.stiffness > 0 || def->friction > 0;
}

// Refuses settings that have no meaning.
RvResult rv_medium_check(const RvMediumDef* def, RvError* error);
void rv_medium_free(RvMedium* medium);
// Points, density and cells for vertices at x with the velocities v, [vertices][3] each; v NULL: at rest. A zeroed
// RvMedium is empty.
RvResult rv_medium_place(RvMedium* medium, const RvMediumDef* def, const RvChainModel* model, const double* x,
                         const double* v, RvError* error);
// Pressures over a step of dt that would end with these velocities without them.
void rv_medium_solve(RvMedium* medium, double dt);
// Corrects the pressures: the step with the forces so far would end with the velocities v. Nodes answer a pressure more
// than chains do, so that the first solution is too low; a hair medium at rest gets the pressure of its density by
// this.
void rv_medium_correct(RvMedium* medium, const RvChainModel* model, const double* v, double dt);
// Adds the forces of the last solution or correction to those of the links; arms are those of the places x. Friction
// comes with the solution.
void rv_medium_load(RvMedium* medium, const RvChainModel* model, const double* x, const double* v, double dt,
                    double* force, double* torque);
// Density of the hair, without its water, at every vertex, kg/m3, in lanes.
void rv_medium_density(const RvMedium* medium, const RvChainModel* model, const double* x, double* density);

// Private to the medium's files.
void rv_medium_scatter(RvMedium* medium, const double* mass, const double* v);
// Smooths the sums of the water, in place of a mass.
void rv_medium_keep_water(RvMedium* medium);
// Smooths mass and momentum and makes velocities of them; and what the nodes give back, of which `share` of their
// velocity.
void rv_medium_begin_nodes(RvMedium* medium);
void rv_medium_end_nodes(RvMedium* medium, double share);
RvResult rv_medium_make_points(RvMedium* medium, const RvChainModel* model, const double* x, RvError* error);
RvResult rv_medium_make_cells(RvMedium* medium, RvError* error);
// Number of a vector's first component, of the vertex or link with this number.
static inline size_t rv_medium_vector(uint32_t number) {
  return 3 * (size_t)(number & ~(uint32_t)(RV_LANES - 1)) + (number & (RV_LANES - 1));
}
// Number of the first point of a batch.
static inline size_t rv_medium_first_point(const RvMedium* medium, const RvChainModel* model, size_t batch) {
  size_t n = 0;
  for (size_t k = 0; k < batch; ++k)
    n += (size_t)(model->batches[k].links * model->batches[k].lanes * medium->parts);
  return n;
}
// Repeats the last lane in use of values of `size` numbers a link in the spare lanes.
static inline void rv_medium_repeat_lane(double* values, const RvChainBatch* b, int size) {
  for (int row = 0; row < size * b->links; ++row)
    for (int lane = b->lanes; lane < RV_LANES; ++lane) {
      double* at = values + (size_t)size * b->at + (size_t)row * RV_LANES;
      at[lane] = at[b->lanes - 1];
    }
}
// Trilinear weights of the corners of a cell, x fastest.
static inline void rv_medium_weights(const float f[3], double w[8]) {
  double x1 = f[0], y1 = f[1], z1 = f[2], x0 = 1 - x1, y0 = 1 - y1, z0 = 1 - z1;
  double a = y0 * z0, b = y1 * z0, c = y0 * z1, d = y1 * z1;
  w[0] = x0 * a;
  w[1] = x1 * a;
  w[2] = x0 * b;
  w[3] = x1 * b;
  w[4] = x0 * c;
  w[5] = x1 * c;
  w[6] = x0 * d;
  w[7] = x1 * d;
}

#endif
