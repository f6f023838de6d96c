// Shared declarations of this module: kernels, capsules and webs in voxel units, and blocks.
#ifndef RV_SURFACE_PARTS_H
#define RV_SURFACE_PARTS_H

#include "base/memory.h"
#include "surface/surface.h"

enum {
  RV_BLOCK = 64,                     // voxels along a block
  RV_HALO = 4,                       // voxels around it that its band depends on
  RV_SPAN = RV_BLOCK + 2 * RV_HALO,  // voxels along a block with its halo
  RV_CELL = 4,                       // voxels along a cell, the unit that is processed or skipped
  RV_CELLS = RV_SPAN / RV_CELL,      // cells along the span
  RV_MARGIN = 2 * RV_CELL,           // voxels around a block within which elements influence it
  RV_BLOCK_LEAVES = RV_BLOCK / 8,    // leaves along a block
};

// Kernel of a particle: amount * (1 - q^2)^3 for q^2 = d m d < 1, all in voxels.
typedef struct RvBlob {
  double x[3];     // centre
  float m[6];      // symmetric matrix: xx yy zz yz xz xy
  float reach[3];  // half extents of its box
  float amount;    // value at the centre
  float wide;      // radius of a second, isotropic kernel whose sum tells the interior from the surface
  float spread;    // value of the second kernel at the centre
} RvBlob;

// A piece of a strand with its film: a tapered capsule of outer radius r[0] at a and r[1] at b, in voxels.
typedef struct RvTube {
  double a[3], b[3];
  float r[2];
} RvTube;

// Liquid web between two pieces of strands: end points of both axes, half thickness at the axes and in the middle,
// voxels.
typedef struct RvWeb {
  double a[2][3], b[2][3];
  float edge, middle;
} RvWeb;

// All elements of one surface.
typedef struct RvParts {
  size_t nblob, ntube, nweb;
  RvBlob* blobs;
  RvTube* tubes;
  RvWeb* webs;
} RvParts;

// Elements that may influence each block. Elements are numbered blobs first, then tubes, then webs.
typedef struct RvBlockList {
  size_t count;       // blocks
  int32_t (*at)[3];   // in blocks, by Morton order
  size_t* first;      // [count + 1] into element
  uint32_t* element;  // ascending in each block
} RvBlockList;

// kernels.c: particles to kernels. `scale`: voxels per unit of length.
RvResult rv_surface_kernels(const RvSurfaceDef* def, const RvSurfaceParticles* p, double scale, RvBlob* out,
                            RvError* error);
// film.c: strands to tubes; bridges.c: pairs of strands to webs. share: part of each vertex's film that is in webs. The
// caller frees the arrays of `out`, also after a failure.
RvResult rv_surface_tubes(const RvSurfaceDef* def, const RvSurfaceFilm* film, const float* share, double scale,
                          RvParts* out, RvError* error);
RvResult rv_surface_webs(const RvSurfaceDef* def, const RvSurfaceFilm* film, double scale, float* share, RvParts* out,
                         RvError* error);
// bins.c: assigns elements to the blocks that they may influence. Sorting takes RV_PAIR_BYTES for each pair of element
// and block; rv_surface_pairs counts the pairs.
enum { RV_PAIR_BYTES = 24 };
// The box of element e, in voxels.
typedef void RvBoxFn(const void* user, size_t e, double lo[3], double hi[3]);
double rv_surface_pairs(size_t count, RvBoxFn* box, const void* user);
RvResult rv_surface_bins(size_t count, RvBoxFn* box, const void* user, RvBlockList* out, RvError* error);
void rv_surface_bins_free(RvBlockList* list);
RvBoxFn rv_surface_parts_box;  // of RvParts

// block.c
typedef struct RvBlockWork RvBlockWork;
typedef struct RvBlockLeaves {
  size_t count;
  int32_t* origin;   // [3 count] in voxels
  float* values;     // [512 count] in voxels
  uint64_t* active;  // [8 count]
} RvBlockLeaves;
extern const size_t rv_surface_block_work_bytes;
// Estimates the number of leaves of a block from samples at the centres of its cells.
size_t rv_surface_block_survey(RvBlockWork* work, const RvParts* parts, const RvBlockList* list, size_t block);
// Computes the leaves of a block. False: out of memory.
bool rv_surface_block_make(RvBlockWork* work, const RvParts* parts, const RvBlockList* list, size_t block, float blend,
                           RvBlockLeaves* out);

// distance.c: redistancing of `phi` (RV_SPAN^3 voxels, exact next to the zero crossing) in the marked cells, up to the
// width of the band. `frozen` and `room` are scratch arrays of the size of `phi`.
void rv_surface_block_redistance(float* phi, uint8_t* cells, uint8_t* frozen, uint32_t* room);

// velocity.c: the grids vel and wetness; and an estimate of the number of leaves of each.
RvResult rv_surface_velocity(const RvSurfaceDef* def, double voxel, const RvSurfaceParticles* p,
                             const RvSurfaceFilm* film, RvSurfaceOut* out, RvError* error);
RvResult rv_surface_velocity_leaves(const RvSurfaceDef* def, double voxel, const RvSurfaceParticles* p,
                                    const RvSurfaceFilm* film, double* leaves, RvError* error);

// work.c: pool of equally sized work areas, one for each thread that is at work.
typedef struct RvRoom RvRoom;
RvRoom* rv_surface_room_new(size_t bytes);
void rv_surface_room_free(RvRoom* room);
void* rv_surface_room_take(RvRoom* room);  // NULL: out of memory
void rv_surface_room_give(RvRoom* room, void* work);

// Index of a voxel of the span, z fastest.
static inline int rv_surface_span_at(int x, int y, int z) {
  return (x * RV_SPAN + y) * RV_SPAN + z;
}
// Index of a cell of the span, z fastest.
static inline int rv_surface_cell_at(int x, int y, int z) {
  return (x * RV_CELLS + y) * RV_CELLS + z;
}

#endif
