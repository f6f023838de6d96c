// What the files of this module share: kernels, capsules and webs in voxels, and blocks.
#ifndef RV_SURFACE_PARTS_H
#define RV_SURFACE_PARTS_H

#include "base/memory.h"
#include "surface/surface.h"

enum {
  RV_BLOCK = 64,  // voxels of a block
  RV_HALO = 4,    // voxels around it that its band depends on
  RV_SPAN = RV_BLOCK + 2 * RV_HALO,
  RV_CELL = 4,  // voxels of a cell, the least that is worked on or left out
  RV_CELLS = RV_SPAN / RV_CELL,
  RV_MARGIN = 2 * RV_CELL,  // voxels around a block that an element must reach to matter to it
  RV_BLOCK_LEAVES = RV_BLOCK / 8,
};

// A particle: amount * (1 - q^2)^3 for q^2 = d m d < 1, all in voxels.
typedef struct RvBlob {
  double x[3];
  float m[6];  // xx yy zz yz xz xy
  float reach[3];
  float amount;
  float wide, spread;  // a second kernel, round and wide, which tells what is deep: its reach and amount
} RvBlob;

// A piece of a strand with its film: radius r[0] at a to r[1] at b.
typedef struct RvTube {
  double a[3], b[3];
  float r[2];
} RvTube;

// Liquid between two pieces of strands: ends of both, half thickness at the strands and in the middle.
typedef struct RvWeb {
  double a[2][3], b[2][3];
  float edge, middle;
} RvWeb;

typedef struct RvParts {
  size_t nblob, ntube, nweb;
  RvBlob* blobs;
  RvTube* tubes;
  RvWeb* webs;
} RvParts;

// Elements are numbered blobs first, then tubes, then webs.
typedef struct RvBlockList {
  size_t count;       // blocks
  int32_t (*at)[3];   // in blocks, by Morton order
  size_t* first;      // [count + 1] into element
  uint32_t* element;  // ascending in each block
} RvBlockList;

// kernels.c: particles to kernels. `scale` is voxels a unit.
RvResult rv_surface_kernels(const RvSurfaceDef* def, const RvSurfaceParticles* p, double scale, RvBlob* out,
                            RvError* error);
// film.c: strands to tubes, bridges.c: pairs of them to webs. Take memory, also on failure.
RvResult rv_surface_tubes(const RvSurfaceDef* def, const RvSurfaceFilm* film, const float* share, double scale,
                          RvParts* out, RvError* error);
RvResult rv_surface_webs(const RvSurfaceDef* def, const RvSurfaceFilm* film, double scale, float* share, RvParts* out,
                         RvError* error);
// bins.c: which elements a block may see; and how many pairs of both there are, each of RV_PAIR_BYTES while sorted.
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
// How many leaves the block will have, about; cheap.
size_t rv_surface_block_survey(RvBlockWork* work, const RvParts* parts, const RvBlockList* list, size_t block);
// False: no memory.
bool rv_surface_block_make(RvBlockWork* work, const RvParts* parts, const RvBlockList* list, size_t block, float blend,
                           RvBlockLeaves* out);

// distance.c: `phi` of RV_SPAN^3, of which the voxels next to a change of sign are right; those of the marked cells
// become distances up to the band. `room` is as large as `phi`.
void rv_surface_block_redistance(float* phi, uint8_t* cells, uint8_t* frozen, uint32_t* room);

// velocity.c: the grids vel and wetness; and how many leaves each would have, about.
RvResult rv_surface_velocity(const RvSurfaceDef* def, double voxel, const RvSurfaceParticles* p,
                             const RvSurfaceFilm* film, RvSurfaceOut* out, RvError* error);
double rv_surface_velocity_leaves(const RvSurfaceDef* def, double voxel, const RvSurfaceParticles* p,
                                  const RvSurfaceFilm* film);

// work.c: room for the workers, as many as work at once. Never more is in use than that.
typedef struct RvRoom RvRoom;
RvRoom* rv_surface_room_new(size_t bytes);
void rv_surface_room_free(RvRoom* room);
void* rv_surface_room_take(RvRoom* room);  // NULL: no memory
void rv_surface_room_give(RvRoom* room, void* work);

static inline int rv_surface_span_at(int x, int y, int z) {
  return (x * RV_SPAN + y) * RV_SPAN + z;
}
static inline int rv_surface_cell_at(int x, int y, int z) {
  return (x * RV_CELLS + y) * RV_CELLS + z;
}

#endif
