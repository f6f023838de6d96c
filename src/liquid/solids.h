// Solids on the liquid's grid: channels over its tiles, filled for each substep from meshes, volumes or simple shapes
// as they are at its end (WH-43). The solves read only the channels.
#ifndef RV_LIQUID_SOLIDS_H
#define RV_LIQUID_SOLIDS_H

#include "liquid/grid.h"

#define RV_SOLID_FAR 1e9f  // m: distance where no solid is near

typedef struct RvLiquidSolids {
  // m: signed distance at the LOWER CORNER of each cell, below 0 inside; exact near zero, RV_SOLID_FAR in tiles that
  // are not touched.
  RvChannel distance;
  // Faces, one channel an axis: what part of the face's area is open (0 solid .. 1 open), and the solid's velocity
  // along the axis, m/s; defined where distance < RV_LIQUID_BAND dx.
  RvChannel open[3];
  RvChannel velocity[3];  // without data where nothing moves
  // Friction of the solid at the cell: 0 slips freely, 1 sticks, between is the Coulomb coefficient (collide.c).
  RvChannel friction;
  // For each tile whether a solid lies within RV_LIQUID_BAND dx of it: where 0, distance is RV_SOLID_FAR, velocity 0,
  // open 1 everywhere, friction not filled, and all work for solids is skipped.
  uint8_t* touched;
  size_t capacity;  // of touched
  bool any;         // some tile is touched
  float known;      // m: distances below this are exact; larger ones, and RV_SOLID_FAR, are at least this far
  // Resting solids are the same in every substep: tiles that were filled by solids of the same key are kept. `from`:
  // for each tile its number among the last ones, -1: it is new.
  uint64_t key, *tile_key;
  int32_t* from;
  size_t tile_count, tile_capacity;
  // Work memory of rv_liquid_solids_from_grids, for each solid: its bounds, m, and the background of its level set, m.
  double (*bounds)[2][3];
  float* far;
  size_t solid_capacity;  // of bounds and far
} RvLiquidSolids;

// Room for all channels over the grid's tiles, nothing touched, all open. False when out of memory.
bool rv_liquid_solids_clear(RvLiquidSolids* solids, const RvTiles* tiles);
// The same, but tiles that were filled with this `key` (0: none) keep their values: fill those whose `from` is below
// 0. The key is a hash of all that the values depend on. Not `moving`: there are no velocities.
bool rv_liquid_solids_keep(RvLiquidSolids* solids, const RvTiles* tiles, bool moving, uint64_t key);
void rv_liquid_solids_free(RvLiquidSolids* solids);

// Signed distance (m, below 0 inside) of all solids at a point, with the velocity (m/s) and friction of the nearest.
typedef double RvSolidFn(const void* user, const double x[3], double velocity[3], double* friction);

// Fills all channels from such a function, called at corners and centres of faces from several workers at once. Face
// openings are the area above 0 of the distance, linear over four triangles between the corners and their mean. False
// when out of memory.
bool rv_liquid_solids_from_fn(RvLiquidSolids* solids, const RvLiquidGrid* grid, RvSolidFn* fn, const void* user);
// Snaps a distance at a corner to 0 within a thousandth of a cell. Otherwise rounding would open the faces of a wall
// that lies in their plane.
static inline float rv_liquid_solid_snap(double distance, double dx) {
  return distance < 1e-3 * dx && distance > -1e-3 * dx ? 0 : (float)distance;
}
// Share of a square that is above 0, from the distances at its corners in order around it.
float rv_liquid_solid_open_area(const float corner[4]);

// Simple solids, exact, for tests, walls and checks.
typedef enum RvShapeKind { RV_SHAPE_PLANE, RV_SHAPE_SPHERE, RV_SHAPE_BOX } RvShapeKind;
typedef struct RvSolidShape {
  RvShapeKind kind;
  double center[3];     // a point of the plane
  double size[3];       // plane: unit normal out of the solid; sphere: radius first; box: half sides
  bool inside_out;      // the solid is what lies outside: a tank
  unsigned open_sides;  // box inside out: bit 2a for the lower, 2a+1 for the upper side of axis a that is no wall
  double velocity[3], spin[3];  // of the center, m/s, and about it, rad/s
  double friction;
} RvSolidShape;
typedef struct RvSolidShapes {
  size_t count;
  const RvSolidShape* shape;
} RvSolidShapes;

// Whether none of them moves.
bool rv_liquid_solid_shapes_still(const RvSolidShapes* shapes);
// An RvSolidFn whose user is an RvSolidShapes.
double rv_liquid_solid_shapes_distance(const void* shapes, const double x[3], double velocity[3], double* friction);

#endif
