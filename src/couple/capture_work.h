// One call of capture: what its files share (capture.c, capture_body.c, capture_demand.c, capture_tiles.c). Private to
// src/couple.
#ifndef RV_COUPLE_CAPTURE_WORK_H
#define RV_COUPLE_CAPTURE_WORK_H

#include "couple/capture_kernel.h"
#include "couple/store.h"

// Radii of a strand by which a drop is wider to it: so a drop smaller than the strand gives what it has, and no more is
// asked for: the strand is as wide as the kernel of a point, 2 x 1.02 radii (capture_kernel.h).
#define RV_CAPTURE_HIT 2.1

// A piece of an edge near a tile.
typedef struct RvCaptureEntry {
  uint32_t edge;   // packed index of its lower vertex
  uint32_t home;   // tile of particles
  float from, to;  // along the edge, 0..1
} RvCaptureEntry;

typedef RV_ARRAY(RvCaptureEntry) RvCaptureEntries;

typedef RV_ARRAY(RvCaptureGroup) RvCaptureOverflow;

// Groups of a share of tiles: in the scratch, or in the overflow where that is too small.
typedef struct RvCaptureGroups {
  RvCaptureGroup* data;
  RvCaptureOverflow* overflow;
  size_t count, capacity;
} RvCaptureGroups;

// Sums of a piece for its lower and its upper vertex: first of the liquid around, later of what is taken.
typedef struct RvCaptureSums {
  double at[2 * RV_CAPTURE_WEIGHTS];
} RvCaptureSums;

// A vertex in the liquid.
typedef struct RvCaptureVertex {
  double air;          // w_FF by the present positions of the particles
  double air_before;   // and in the call before
  bool sparse;         // there are particles around, but no bulk
  double taken_share;  // share of the available liquid around that the film asks for
  double swept_share;  // and of drops besides
  double stopped;      // share of what it takes that has come to rest on it: all that it draws out of the bulk
  double given_share;  // by which the film adds to it
  double given;        // m3 that the film returns
} RvCaptureVertex;

// Lists that are kept from call to call.
typedef struct RvCaptureWork {
  RvCaptureEntries chunk[RV_COUPLE_CHUNKS], entries;
  RvCaptureOverflow overflow[RV_COUPLE_CHUNKS];
} RvCaptureWork;

// One call of capture.
typedef struct RvCapture {
  RvCouple* c;
  RvCaptureWork* w;
  const RvCoupleStrands* strands;
  const RvCoupleSettings* set;
  const RvLiquidGrid* grid;
  RvParticles* p;
  double dt;
  double side;      // m, of the cube of a nominal particle: least reach of an edge
  uint64_t random;  // of the call: decides about particles too small to be divided
  double* kick;
  double* loss;          // [particles] m3 that each gives, less what it gets; NULL: not wanted
  int32_t lo[3], hi[3];  // box of the particles' tiles; hi is one beyond
  size_t first;          // first strand of the first chunk
  bool failed[RV_COUPLE_CHUNKS];
  size_t shares[RV_COUPLE_CHUNKS + 1];  // first tile of each share; shares have about equal numbers of entries
  RvCaptureGroups groups[RV_COUPLE_CHUNKS];
  // from the scratch
  uint64_t* rows;                // [homes] rows of cells that hold particles: bit 8 z + y
  float* cell_fill;              // [homes x cells] volume of the particles over that of the cell
  float* tile_velocity;          // [6 homes] m/s, least and largest velocity of its particles on each axis
  float* reach;                  // [packed] m, of the edge above each vertex for bodies of liquid
  float* search;                 // [packed] cells, and as far as particles are looked for
  uint32_t* edge_first;          // [packed + 1] entries of each edge
  uint32_t *tile_first, *order;  // [homes + 1], [entries] those of each tile
  RvCapturePiece* pieces;        // [entries]
  RvCaptureSums* sums;           // [entries]
  RvCaptureVertex* around;       // [packed]
  double* gain;                  // [4 packed] m3 and kg m/s
  double* available;             // [particles] m3 that may pass to the film
  float *dispersed, *drop;       // [particles] as in RvCaptureTile
  float* ball;                   // [particles] 1 / radius^2 of a drop of known size, 1/cells^2; else 0
  float* tile_ball;              // [homes] cells, largest radius of its drops of known size
  double* asked;                 // [particles] share of it that is asked for; later m3 that is captured
  double* each;                  // [particles] m3 given for each share asked
  double* returned;              // [particles] share of it that the film adds
  double* momentum[3];           // [particles] that share times the film's velocity, m/s
} RvCapture;

// What the film of every vertex asks for and returns. (capture_demand.c)
//
// Before the search for pairs: fill of cells, submersion of every vertex, and the reach of edges.
void rv_couple_capture_look(RvCapture* k);
// After it: the demands, from the sums of the liquid around.
void rv_couple_capture_demand(RvCapture* k);
// Whether anything can pass between the film of a vertex and the liquid around.
bool rv_couple_capture_active(const RvCapture* k, const RvCoupleStrand* s, int i);
// Adds the sums `from` to `from + count` of the pieces around a vertex, which have `width` for each end.
void rv_couple_capture_add(const RvCapture* k, size_t vertex, int width, int count, double* sum);

// How far the particles of a tile are drops, not parts of a body of liquid. (capture_body.c)
void rv_couple_capture_disperse(const RvCapture* k, size_t home);

// The box of the tiles with particles. (capture_tiles.c)
void rv_couple_capture_set_box(RvCapture* k);
// An edge a + t d in cells from the grid's origin. (capture_tiles.c)
void rv_couple_capture_edge(const RvCapture* k, uint32_t edge, double a[3], double d[3]);
// Entries of all edges within reach of tiles with particles, by edges; false: no memory. (capture_tiles.c)
bool rv_couple_capture_find_entries(RvCapture* k);
// Sorts the entries by tiles and takes the memory of the passes; false: no memory. (capture_tiles.c)
bool rv_couple_capture_sort_entries(RvCapture* k);

#endif
