// One level set of bulk particles, films on strands and the liquid between strands (SD-40, WH-48), and a velocity
// grid.
//
// Bulk. Each particle is a smooth kernel whose integral is its volume. The sum of the kernels is the liquid fraction,
// and the surface is its contour at one half. The kernel is anisotropic: its extent in each direction follows the
// volume-weighted covariance of its neighbours, so that sheets and threads get kernels that are thin across them; an
// isolated particle is a ball of its own volume. All weights are C1 in positions and volumes, so that nothing pops
// (kernels.c).
// Film. A segment of a strand is a tapered capsule with the outer radius of its film. Liquid between two strands is a
// web between their axes, thin in the middle, with the cross section that the films give to it (bridges.c).
// Grid. Space is divided into blocks of 64^3 voxels. A block is finished at once and its 8^3 leaves are passed on, so
// that memory is needed for a few blocks only (block.c, build.c). Sums in a voxel run in the order of the input: the
// bits do not depend on the number of threads.
//
// Lengths are in units of the scene, whatever these are.
#ifndef RV_SURFACE_SURFACE_H
#define RV_SURFACE_SURFACE_H

#include "rivulet/base.h"
#include "rivulet/vdb.h"

enum { RV_SURFACE_BAND = 3 };  // half width of the narrow band, voxels

typedef struct RvSurfaceParticles {
  size_t count;
  double* x;        // [3 count] positions
  double* volume;   // [count], above 0
  float* v;         // [3 count] velocities
  size_t mirrored;  // the last of them are images behind walls, which no volume counts
} RvSurfaceParticles;

// Wet strands only; vertex e and e + 1 are the ends of edge e unless `strand` of both differs.
typedef struct RvSurfaceFilm {
  size_t count;     // vertices
  double* x;        // [3 count] positions
  float* radius;    // of the fibre
  float* height;    // of the film on it; 0: dry
  float* v;         // [3 count] velocities
  float* wetness;   // 0 to 1
  int32_t* strand;  // strand of a vertex, ascending
  int32_t* clump;   // equal for strands with liquid between them; NULL: unknown
} RvSurfaceFilm;

typedef struct RvSurfaceDef {
  double voxel;         // size
  double smoothing;     // of the bulk's kernels; 1: they reach over two particle separations
  double radiusscale;   // of all particles
  double dropletscale;  // of isolated particles
  double blend;         // radius of the fillet between bulk and film, voxels
  double minfilm;       // least drawn outer radius of a film, voxels
  bool bridges;         // liquid bridges between strands
  double angle;         // contact angle, radians, for the rupture distance of bridges
  double memory;        // limit, bytes; beyond it the voxels grow if `coarsen`, else it is an error
  bool coarsen;
  double vel;    // voxel size of the velocity grid over that of the surface; 0: no velocity grid
  bool wetness;  // make a wetness grid too
  int copies;    // further copies of the level set that the caller will make, for the memory estimate
  bool (*cancelled)(void* user, double fraction);
  void* user;  // of `cancelled`
} RvSurfaceDef;

typedef struct RvSurfaceOut {
  RvGrid *surface, *vel, *wetness;
  double voxel;       // chosen size
  double estimate;    // of memory at that size, bytes
  size_t bridges;     // number of webs
  double bulk, film;  // input volumes
  double thin;        // film volume on strands with an outer radius under 1.5 voxels
  double small;       // bulk volume of particles with a radius under one voxel
} RvSurfaceOut;

// Builds the grids. Fails with RV_LIMIT, naming a voxel size that fits, if memory does not suffice and `coarsen` is
// off.
RvResult rv_surface_make(const RvSurfaceDef* def, const RvSurfaceParticles* particles, const RvSurfaceFilm* film,
                         RvSurfaceOut* out, RvError* error);
void rv_surface_release(RvSurfaceOut* out);

// Separation of the particles in the interior of the liquid, estimated from their number density there; 0: there is no
// interior. `guess`: a length of its order.
double rv_surface_separation(size_t count, const double* x, double guess);

// Sets volumes: interior particles get the cube of the separation, isolated ones keep their own (if they have none,
// also the cube), with a smooth transition between.
RvResult rv_surface_fill_volumes(RvSurfaceParticles* particles, double separation, RvError* error);

#endif
