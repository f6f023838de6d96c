// One level set of bulk particles, films on strands and the liquid between strands (SD-40, WH-48), and a velocity grid.
//
// Bulk. Every particle is a smooth kernel of the integral of its volume; their sum is the share of liquid at a place,
// and the surface is where it is one half. A kernel is as wide, in each direction, as its neighbours are spread there
// (their covariance, weighed by volume), so sheets and threads have kernels that are thin across them; a lone particle
// is a ball of its own volume. All weights are C1 in places and volumes: nothing pops (kernels.c).
// Film. A strand's segment is a tapered capsule with the outer radius of its film. Liquid between two strands is a web
// between their axes, thin in the middle, of the area that the films give to it (bridges.c).
// Grid. Space is cut into blocks of 64^3 voxels. A block is finished at once and its 8^3 leaves are handed on, so room
// is needed for a few blocks only (block.c, build.c). All that is summed in a voxel is summed in the order of the
// input: the bits do not depend on the workers.
//
// Lengths are in units of the scene, whatever these are.
#ifndef RV_SURFACE_SURFACE_H
#define RV_SURFACE_SURFACE_H

#include "rivulet/base.h"
#include "rivulet/vdb.h"

enum { RV_SURFACE_BAND = 3 };  // voxels on each side

typedef struct RvSurfaceParticles {
  size_t count;
  double* x;       // [3 count]
  double* volume;  // [count], above 0
  float* v;        // [3 count]
} RvSurfaceParticles;

// Wet strands only; vertex e and e + 1 are the ends of edge e unless `strand` of both differs.
typedef struct RvSurfaceFilm {
  size_t count;     // vertices
  double* x;        // [3 count]
  float* radius;    // of the hair
  float* height;    // of the film on it; 0: dry
  float* v;         // [3 count]
  float* wetness;   // 0 to 1
  int32_t* strand;  // ascending
  int32_t* clump;   // strands with liquid between them have the same; NULL: not known
} RvSurfaceFilm;

typedef struct RvSurfaceDef {
  double voxel;
  double smoothing;     // of the bulk's kernels, 1: as wide as two separations
  double radiusscale;   // of all particles
  double dropletscale;  // of lone ones
  double blend;         // voxels: how far bulk and film run into each other
  double minfilm;       // voxels: films are drawn at least so thick in radius
  bool bridges;
  double angle;  // contact angle, for the reach of bridges
  // over so many bytes: a larger voxel if `coarsen`, else an error
  double memory;
  bool coarsen;
  double vel;    // voxel of the velocity in voxels of the surface; 0: none
  bool wetness;  // a grid of it too
  int copies;    // of the level set that will be made of it later, for the estimate
  bool (*cancelled)(void* user, double fraction);
  void* user;
} RvSurfaceDef;

typedef struct RvSurfaceOut {
  RvGrid *surface, *vel, *wetness;
  double voxel;     // that was chosen
  double estimate;  // bytes, at that voxel
  size_t bridges;
  double bulk, film;  // volumes that went in
  double thin;        // of film: on strands of an outer radius under 1.5 voxels
  double small;       // of bulk: particles of a radius under one voxel
} RvSurfaceOut;

// RV_LIMIT with a voxel that fits where memory does not suffice and `coarsen` is off.
RvResult rv_surface_make(const RvSurfaceDef* def, const RvSurfaceParticles* particles, const RvSurfaceFilm* film,
                         RvSurfaceOut* out, RvError* error);
void rv_surface_release(RvSurfaceOut* out);

// Separation of particles that fill space, from their number in places that have neighbours on all sides; 0: there is
// no such place.
double rv_surface_separation(size_t count, const double* x, double guess);

// Particles with neighbours on all sides get the volume of the separation, lone ones keep theirs (none: that of the
// separation), and between it goes over.
RvResult rv_surface_fill_volumes(RvSurfaceParticles* particles, double separation, RvError* error);

#endif
