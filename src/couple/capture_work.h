// One call of capture: what its two files share (capture.c, capture_tiles.c). Private to src/couple.
#ifndef RV_COUPLE_CAPTURE_WORK_H
#define RV_COUPLE_CAPTURE_WORK_H

#include "couple/capture_kernel.h"
#include "couple/store.h"

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

// Volume and momentum that a piece's particles offer to its lower and upper vertex.
typedef struct RvCaptureSums {
  double at[RV_CAPTURE_SUMS];
} RvCaptureSums;

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
  double side;               // m, of the cube of a nominal particle
  const double* given_rate;  // [vertices] 1/s; NULL: that of the settings, in air only
  double* kick;
  int32_t lo[3], hi[3];  // box of the particles' tiles; hi is one beyond
  size_t first;          // first strand of the first chunk
  bool failed[RV_COUPLE_CHUNKS];
  size_t shares[RV_COUPLE_CHUNKS + 1];  // first tile of each share; shares have about equal numbers of entries
  RvCaptureGroups groups[RV_COUPLE_CHUNKS];
  // from the scratch
  uint64_t* rows;                // [homes] rows of cells that hold particles: bit 8 z + y
  uint32_t* edge_first;          // [packed + 1] entries of each edge
  uint32_t *tile_first, *order;  // [homes + 1], [entries] those of each tile
  RvCapturePiece* pieces;        // [entries]
  RvCaptureSums* sums;           // [entries] m3 and m3 m/s offered to both ends
  double* room;                  // [packed] m3 that the vertex may accept
  double* scale;                 // [packed] rate of capture, 1/s; later the accepted share of the offers
  double* gain;                  // [4 packed] m3 and kg m/s
  double* reach;                 // [packed] cells, of edges
  double* weight;                // [particles] sum of weights; later m3 that is captured
  double* each;                  // [particles] m3 offered for each weight
  float* rate;                   // [particles] sum of weight times rate
  float* nearest;                // [particles] largest weight; later: some of the offer was refused
} RvCapture;

// An edge a + t d in cells from the grid's origin. (capture_tiles.c)
void rv_couple_capture_edge(const RvCapture* k, uint32_t edge, double a[3], double d[3]);
// Entries of all edges within reach of tiles with particles, by edges; false: no memory. (capture_tiles.c)
bool rv_couple_capture_find_entries(RvCapture* k);
// Sorts the entries by tiles and takes the memory of the passes; false: no memory. (capture_tiles.c)
bool rv_couple_capture_sort_entries(RvCapture* k);

#endif
