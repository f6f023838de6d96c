// The coupling's own arrays. Private to src/couple.
#ifndef RV_COUPLE_STORE_H
#define RV_COUPLE_STORE_H

#include <math.h>

#include "base/arena.h"
#include "base/array.h"
#include "couple/couple.h"
#include "math/vec.h"

// A strand of a used lane. The numbers of its vertex i stand in the blocks at unknown + 4 i RV_LANES, vertex + i
// RV_LANES and edge + i RV_LANES.
typedef struct RvCoupleStrand {
  size_t unknown, vertex, edge;
  size_t first;    // of its vertices among the packed ones
  int count;       // vertices
  int lane, last;  // lanes that hold the same: `lane` to `last`, more than one for the last strand of a batch
  int32_t input;
  size_t drop;   // its place among the film's drops
  double hairs;  // that it stands for
  bool sound;    // all its numbers are finite
} RvCoupleStrand;

// A vertex, strand by strand: one line of the cache.
typedef struct RvCoupleVertex {
  double x[3], v[3];  // m in the liquid's space, m/s
  double length;      // m: half of both edges
  double radius;
} RvCoupleVertex;

// A point of the quadrature along the strands, by edges (WH-40). What the passes share stands here in float; all of
// them read the same numbers, so what one side gives is what the other takes.
typedef struct RvCouplePoint {
  uint32_t tile;     // among those near points
  uint32_t edge;     // packed index of its lower vertex
  uint16_t cell;     // in the tile
  float f[3];        // place in the cell, 0..1
  float t, length;   // along the edge 0..1, m of strand that it stands for
  float hairs;       // of the strand
  float under;       // 1 - w_FF
  float share;       // fibres' part of the space
  float drag[3];     // kg/s: diagonal of the tensor
  float slant;       // kg/s: drag along less that across
  float inverse[3];  // 1/kg: of the liquid around by the weights of each axis; 0: none
  float off[3];      // N/kg: the rest of the tensor, for each kg of liquid times its yielding
} RvCouplePoint;

typedef RV_ARRAY(RvCouplePoint) RvCouplePoints;
typedef RV_ARRAY(double) RvCoupleDoubles;
typedef RV_ARRAY(uint32_t) RvCoupleIndices;

// A tile with points, which are order[first .. last).
typedef struct RvCoupleTile {
  uint32_t tile;  // among those near points
  size_t first, last;
} RvCoupleTile;

// Lists that grow are made for so many chunks of strands at a time.
enum { RV_COUPLE_CHUNKS = 64, RV_COUPLE_GRAIN = 8, RV_COUPLE_COLOURS = 8 };
// spec 1.2.5: under water at sqrt 2 pi / 6 of a full cell
#define RV_COUPLE_FULL 0.74048048969306104
#define RV_COUPLE_SHARE_LEAST 1e-6
#define RV_COUPLE_SHARE_MOST 0.4

// Three channels over the tiles near points, in memory that is given back.
typedef struct RvCoupleFaces {
  float* axis[3];
} RvCoupleFaces;
typedef struct RvCoupleNear {
  int32_t tile[RV_TILE_NEAR];
} RvCoupleNear;
#define RV_COUPLE_FAR UINT32_MAX

struct RvCouple {
  RvArena *own, *scratch;  // scratch: the one that is used
  RV_ARRAY(RvCoupleStrand) strands;
  struct {
    RvCoupleVertex* data;  // from the scratch: within a call alone
    size_t count;
  } vertices;
  // points
  RvCouplePoints chunk[RV_COUPLE_CHUNKS], points;
  RvCoupleIndices edge_first;         // [vertices + 1] first point of the edge above each packed vertex
  RvCoupleIndices order, tile_first;  // points by tiles; [tiles + 2] the first of each
  RV_ARRAY(RvCoupleTile) tiles;
  size_t colour[RV_COUPLE_COLOURS + 1];
  // Tiles with points and those beside them, in the order of the grid's; the coupling has channels on these alone.
  // `near` holds their count and neighbours, nothing else; neighbours are those of tiles with points.
  RvTiles near;
  RvCoupleIndices near_home;            // [near] the grid's tile
  RvCoupleIndices near_of;              // [grid's tiles] and back; RV_COUPLE_FAR: none
  RV_ARRAY(RvCoupleNear) near_near;     // of `near`
  RvCoupleFaces mass, velocity, yield;  // of the sample; kg, m/s; kg: mass / (1 + dt rate)
  RvChannel volume[3], rate[3];         // sums over points; kept from the sample on
  RvChannel mass_kept[3];               // from react to the pressure, where the grid has no scratch
  RvCoupleDoubles out;                  // the arrays of `sample`
  RvCoupleDoubles start;                // [3 packed] velocity at the last sample
  RvCoupleDoubles span;                 // [packed] m of the vertex's points in liquid
  RvCoupleDoubles submerged;            // [packed] kg of its film that the grid has
  RvCoupleDoubles film_v;               // [3 packed] its velocity there
  RvCoupleSample sample;
  bool any, any_film;
  size_t grid_tiles;  // of the sample
  // capacity
  RvCoupleDoubles capacity, reach, pull, count;  // [packed] m3, m, m/s2, hairs
  RvCoupleDoubles tip;                           // [strands] m/s2: all that pulls at the tip
  uint64_t capacity_key, count_key;
  // capture and drip
  struct RvCaptureWork* capture;
  struct RvDripWork* drip;
};

// Where a place of the tiles near points is in the grid's own channels.
static inline size_t rv_couple_home(const RvCouple* c, size_t at) {
  return (size_t)c->near_home.data[at / RV_TILE_CELLS] * RV_TILE_CELLS + at % RV_TILE_CELLS;
}
// Channels of faces near points from the scratch; false: no memory.
static inline bool rv_couple_take(RvCouple* c, RvCoupleFaces* faces) {
  for (int a = 0; a < 3; ++a)
    if (!(faces->axis[a] = RV_TAKE(c->scratch, float, c->near.count* RV_TILE_CELLS))) return false;
  return true;
}

static inline RvVec3 rv_couple_x(const RvCoupleVertex* v) {
  return rv_vec3_load64(v->x);
}
static inline RvVec3 rv_couple_v(const RvCoupleVertex* v) {
  return rv_vec3_load64(v->v);
}
// Unit tangent of the edge above a vertex.
static inline RvVec3 rv_couple_tangent(const RvCoupleVertex* v) {
  return rv_normalize(rv_sub(rv_couple_x(v + 1), rv_couple_x(v)), rv_vec3(0, 1, 0));
}
// Liquid is around it on every axis.
static inline bool rv_couple_point_wet(const RvCouplePoint* p) {
  return p->inverse[0] > 0 && p->inverse[1] > 0 && p->inverse[2] > 0;
}
// The part of the film of vertex i of n, `v`, that belongs to the edge above it; the rest is that of the edge below. As
// in the film's own step (rv_film_edge_masses) it goes by their lengths: an end's film belongs to its one edge.
static inline double rv_couple_above(const RvCoupleVertex* v, int i, int n) {
  if (i == 0 || i == n - 1) return i == 0;
  double edge = rv_distance(rv_couple_x(v), rv_couple_x(v + 1)), both = 2 * v->length;
  return both > 0 ? fmin(edge / both, 1) : 0.5;
}
// The momentum of the drop at a strand's tip: its components are RV_LANES apart.
static inline double* rv_couple_drop_momentum(const RvFilmState* film, const RvCoupleStrand* s) {
  return film->drop_momentum + 3 * (s->drop - s->drop % RV_LANES) + s->drop % RV_LANES;
}
// A number of a vertex goes to all lanes that hold its strand.
static inline void rv_couple_put3(double* block, const RvCoupleStrand* s, int i, RvVec3 a) {
  for (int lane = s->lane; lane <= s->last; ++lane) {
    double* p = block + s->unknown + (size_t)(4 * i) * RV_LANES + (size_t)(lane - s->lane);
    p[0] = a.x;
    p[RV_LANES] = a.y;
    p[2 * RV_LANES] = a.z;
  }
}
static inline void rv_couple_put1(double* block, const RvCoupleStrand* s, int i, double a) {
  for (int lane = s->lane; lane <= s->last; ++lane)
    block[s->vertex + (size_t)i * RV_LANES + (size_t)(lane - s->lane)] = a;
}
static inline RvVec3 rv_couple_get3(const double* block, const RvCoupleStrand* s, int i) {
  const double* p = block + s->unknown + (size_t)(4 * i) * RV_LANES;
  return rv_vec3(p[0], p[RV_LANES], p[2 * RV_LANES]);
}
// Impulses are given to the strand's own lane alone: copies hold no film, so they would weigh too little for them.
static inline void rv_couple_kick(double* kick, const RvCoupleStrand* s, int i, RvVec3 a) {
  double* p = kick + s->unknown + (size_t)(4 * i) * RV_LANES;
  p[0] += a.x;
  p[RV_LANES] += a.y;
  p[2 * RV_LANES] += a.z;
}
static inline double rv_couple_at(const double* block, const RvCoupleStrand* s, int i) {
  return block ? block[s->vertex + (size_t)i * RV_LANES] : 1;
}

// Strands and vertices as they are now; the vertices are taken from the scratch. (couple.c)
RvResult rv_couple_load(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings, RvError* error);
// Mass, velocity and yield of the faces near points, from the grid's mass and momentum and, with `yields`, from `rate`.
// (sample.c)
void rv_couple_copy_faces(RvCouple* c, const RvLiquidGrid* grid);
void rv_couple_find_yield(RvCouple* c, double dt);
// Points near liquid, sorted by tile. (points.c)
RvResult rv_couple_points(RvCouple* c, const RvLiquidGrid* grid, RvError* error);
// Capacity, reach and hairs of the packed vertices; computed anew only when something changed. (capacity.c)
RvResult rv_couple_find_capacity(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                                 RvError* error);

// The part of the space around a place that sorted particles fill: about 1 within liquid. Continuous. (fill.c)
double rv_couple_fill(const RvLiquidGrid* space, const RvParticles* particles, const double x[3]);

// Cube root; 0 for what is not a number above 0. (law.c)
double rv_couple_root3(double x);

void rv_couple_capture_free(struct RvCaptureWork* work);
void rv_couple_drip_free(struct RvDripWork* work);

#endif
