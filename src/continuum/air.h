// Air around hair, solved (HC-17): incompressible on tiles, with the strands' drag and share inside it.
//
// The air moves with the velocity a + w at the faces of a staggered grid: `a` is the wind as it would be without hair
// and solids, and `w` what these change of it. w is 0 far away, so that changes of the wind arrive everywhere at once
// and air without hair and solids is exactly the wind. There are tiles around the hair alone; outside of them w is 0
// and the pressure that of the surroundings: sides are open, and the wind goes through them.
//
// A substep of dt, with m = density dx^3 the air of a face:
//
//   1. w is carried along by a + w: upwind fluxes of second order with van Leer's limiter, conservative.
//   2. The pressure p makes the flow incompressible as it will be with the drag D on the hair, which moves with v:
//      (m + dt D)(u - a) = m (w - dt grad p / density) + dt D (v - a), u as given by the solids where faces are closed,
//      and the flux through a face is share u + (1 - share) v (spec 1.2.11, E48; liquid/pressure.h).
//   3. Strands are drawn to U = w - dt grad p / density + a by the drag g D, g = m / (m + dt D): this is the drag to the
//      air that the drag itself slows down in the step, so that it is stable for any D.
//   4. After the chains' step the impulse that the strands took is taken from the faces that it came from.
//
// Forces of pressure cancel in pairs, as do those of drag: the momentum of hair and air is constant to the rounding of
// doubles, but for what leaves through the open sides and what solids take, which are counted.
#ifndef RV_CONTINUUM_AIR_H
#define RV_CONTINUUM_AIR_H

#include "contact/collider.h"
#include "continuum/medium.h"
#include "liquid/pressure.h"

// A component of what the wind adds to its mean, at the 8^3 places origin + dx (i, j, k), x fastest: v, m/s.
typedef RvResult RvAirGustsFn(const void* user, const double origin[3], double dx, int component, double* v);

typedef struct RvAirDef {
  double dx;                           // m: side of a cell
  int reach;                           // cells of air around hair, 1 to 8
  double density;                      // kg/m3
  double drag_normal, drag_tangent;    // kg/(m s): of a length of one hair, across and along it
  double wind[3];                      // m/s: mean
  RvAirGustsFn* gusts;                 // NULL: none
  const void* gusts_user;
  const RvCollider* colliders;  // at the start of the substep
  size_t ncollider;
  size_t most_tiles;  // refused beyond; 0: any
  double fibre_density;  // kg/m3
} RvAirDef;

// Numbers of an axis at faces.
typedef RV_ARRAY(double) RvAirFaces;
typedef RV_ARRAY(float) RvAirFloats;

// A point of a link, in the air.
typedef struct RvAirPoint {
  double drag, fibre;  // kg/s, m3
  RvVec3 over;         // m/s: velocity over the wind, at the start of the step
  RvVec3 impulse;      // kg m/s: what the air gives it in the step
  double felt[3];      // share of the drag that it feels along each axis
} RvAirPoint;

typedef struct RvAir {
  RvAirDef def;
  double size;                // m: side of the cells of w
  RvMedium hair;              // points of the links, and the tiles
  RV_ARRAY(uint8_t) inside;   // [tiles] 1: all tiles around exist; its cells have a pressure
  RV_ARRAY(uint8_t) blocked;  // [tiles] 1: a solid touches the tile
  RvAirFaces w[3], spare[3];  // m/s: deviation from the wind
  RvAirFaces gust[3];         // m/s: wind without its mean; empty without gusts
  RvAirFaces drag[3];         // kg/s: of the hair on the face's air
  RvAirFaces pull[3];         // kg m/s2: drag times the velocity of the hair over the wind
  RvAirFaces fibre[3];        // m3 of hair
  RvAirFaces corner;          // m: distance to the solids at the lower corner of each cell
  // Channels of the pressure solve.
  RvAirFloats velocity[3], open[3], solid[3], share[3], rate[3], target[3];
  RvAirFloats distance, divergence, pressure;
  RvPressure* solver;
  RvTiles tiles_before;
  RV_ARRAY(RvAirPoint) points;  // of the links, as those of `hair`
  // Report.
  double lost[3];  // kg m/s that left through open sides and with tiles, and that solids took, since it was cleared
  double fastest;  // m/s: largest w
  double residual;
  int cycles, iterations;  // of the last substep
} RvAir;

void rv_air_free(RvAir* air);
// Bytes of a tile with all that belongs to it.
enum { RV_AIR_TILE_BYTES = 150000 };
// The strands of a substep.
typedef struct RvAirHair {
  const RvChainModel* model;
  const double *x, *v;     // [vertices][3] in lanes, at the start of the substep
  const int32_t* first;    // as in RvChainLoadDef
  const double* multiple;  // [strands] hairs; NULL: 1
  const float* wind_at;    // [vertices][3] m/s: the wind at the vertices without its mean; NULL: none
} RvAirHair;
// Steps 1 to 3: adds the drag to the loads of the chains; `implicitness` as in RvChainStepDef.
RvResult rv_air_begin(RvAir* air, const RvAirDef* def, const RvAirHair* hair, double dt, double implicitness,
                      double* force, double* torque, double* line_mass, RvError* error);
// Step 4: `v` [vertices][3] are the velocities after the step in the places of its start.
void rv_air_end(RvAir* air, const RvAirHair* hair, const double* v, double dt);
// Momentum of w, kg m/s.
void rv_air_momentum(const RvAir* air, double sum[3]);
// w at a place, m/s; 0 outside of the tiles.
void rv_air_at(const RvAir* air, const double x[3], double w[3]);
// The state: coordinates of the tiles [tiles][3], and w [tiles][3][RV_TILE_CELLS].
size_t rv_air_state_tiles(const RvAir* air);
void rv_air_save(const RvAir* air, double* coords, double* w);
RvResult rv_air_load(RvAir* air, double dx, const double* coords, const double* w, size_t tiles, RvError* error);

// Private to the air's files.
// Whether the face of cell (x, y, z) of a tile, each from -1 to 8, is one of the flow: it touches a cell with pressure.
bool rv_air_acts(const RvAir* air, size_t tile, int axis, int x, int y, int z);
// How many planes of a tile's faces of an axis, from its lower side on, are faces of the flow: 0, 1 or all.
int rv_air_planes(const RvAir* air, size_t tile, int axis);
RvResult rv_air_flow(RvAir* air, double dt, RvError* error);
RvResult rv_air_block(RvAir* air, double dt, RvError* error);
RvResult rv_air_sum_hair(RvAir* air, const RvAirHair* hair, RvError* error);
void rv_air_load_hair(RvAir* air, const RvAirHair* hair, double dt, double implicitness, double* force,
                      double* torque, double* line_mass);
void rv_air_pay_back(RvAir* air, const RvAirHair* hair, const double* v, double dt);
// Mass of the air of a face, kg.
static inline double rv_air_face_mass(const RvAir* air) {
  return air->def.density * air->def.dx * air->def.dx * air->def.dx;
}

#endif
