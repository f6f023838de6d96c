// The coupling's own arrays. Private to src/couple.
#ifndef RV_COUPLE_STORE_H
#define RV_COUPLE_STORE_H

#include <math.h>

#include "base/arena.h"
#include "base/array.h"
#include "couple/couple.h"
#include "couple/meniscus_springs.h"
#include "liquid/drop.h"
#include "math/scalar.h"
#include "math/vec.h"

// A strand of a used lane. The numbers of its vertex i are in the blocks at unknown + 4 i RV_LANES, vertex + i RV_LANES
// and edge + i RV_LANES.
typedef struct RvCoupleStrand {
  size_t unknown, vertex, edge;
  size_t first;   // its first vertex among the packed ones
  int count;      // vertices
  int lane;       // its lane; the last strand of a batch fills the lanes `lane` to `last`
  int last;       // last lane that holds it
  int32_t input;  // its number in the input
  size_t drop;    // index of its drop in the film's state
  double hairs;   // number of hairs that it stands for
  bool placed;    // all its positions are finite
  bool valid;     // and all its velocities
} RvCoupleStrand;

// A packed vertex, strand by strand: one cache line.
typedef struct RvCoupleVertex {
  double x[3];    // m, in the liquid's space
  double v[3];    // m/s
  double length;  // m, half of both edges
  double radius;  // m
} RvCoupleVertex;

// A quadrature point along the strands, by edges (WH-40). The passes share these floats: all of them read the same
// rounded numbers, so what one side gives is exactly what the other takes.
typedef struct RvCouplePoint {
  uint32_t tile;          // index among the tiles near points
  uint32_t edge;          // packed index of the edge's lower vertex
  uint16_t cell;          // in the tile
  float f[3];             // position in the cell, 0..1
  float t;                // position along the edge, 0..1
  float length;           // m of strand that it stands for
  float hairs;            // of the strand
  float submersion;       // 1 - w_FF (WH-18)
  float under_water;      // 0..1: share of it that is under the surface, for drag and buoyancy
  float share;            // volume fraction phi of fibres around, for the drag law (WH-39)
  float drag[3];          // kg/s, diagonal of the drag tensor
  float slant;            // kg/s, drag along less drag across the strand
  float inverse_mass[3];  // 1/kg, of the liquid around by the weights of each axis; 0: no liquid
  float off_diagonal[3];  // N/kg, force of the off-diagonal drag per effective mass of liquid
} RvCouplePoint;

typedef RV_ARRAY(RvCouplePoint) RvCouplePoints;
typedef RV_ARRAY(double) RvCoupleDoubles;
typedef RV_ARRAY(uint32_t) RvCoupleIndices;

// A tile with points, which are order[first .. last).
typedef struct RvCoupleTile {
  uint32_t tile;  // index among the tiles near points
  size_t first, last;
} RvCoupleTile;

// Growing lists are made in chunks of RV_COUPLE_GRAIN strands, so many chunks in parallel; tiles have 8 colours.
enum { RV_COUPLE_CHUNKS = 64, RV_COUPLE_GRAIN = 8, RV_COUPLE_COLOURS = 8 };
// A strand is under water where the fill of cells reaches sqrt(2) pi / 6, the density of closest packing (spec 1.2.5).
#define RV_COUPLE_FULL 0.74048048969306104
// m/s2: a twentieth of gravity always pulls, so that all capacities are finite.
#define RV_COUPLE_LEAST_PULL (0.05 * 9.81)
// Range of the fibres' volume fraction in which the drag law holds (spec 1.2.10).
#define RV_COUPLE_SHARE_LEAST 1e-6
#define RV_COUPLE_SHARE_MOST 0.4

// Face channels of the three axes over the tiles near points, in scratch memory.
typedef struct RvCoupleFaces {
  float* axis[3];
} RvCoupleFaces;
// Neighbours of a tile.
typedef struct RvCoupleNear {
  int32_t tile[RV_TILE_NEAR];
} RvCoupleNear;
#define RV_COUPLE_FAR UINT32_MAX  // a tile of the grid that is not near points

struct RvCouple {
  RvArena* own;      // used where the caller gives no scratch
  RvArena* scratch;  // the one in use
  // Strands and their vertices, packed (couple.c).
  RV_ARRAY(RvCoupleStrand) strands;
  RV_ARRAY(RvCoupleVertex) vertices;
  uint64_t pose_key;  // RvCoupleStrands.pose_key of the packed positions; 0: none
  // Quadrature points (points.c).
  RvCouplePoints chunk[RV_COUPLE_CHUNKS], points;
  RvCoupleIndices edge_first;            // [packed + 1] first point of the edge above each packed vertex
  RvCoupleIndices order;                 // [points] by tiles
  RvCoupleIndices tile_first;            // [grid's tiles + 2] first of each tile in `order`
  RV_ARRAY(RvCoupleTile) tiles;          // by colour
  size_t colour[RV_COUPLE_COLOURS + 1];  // first tile of each colour
  // Tiles with points and their neighbours, in the order of the grid's; the coupling has channels on these alone.
  // `near` holds their count and neighbours, nothing else; neighbours are those of tiles with points.
  RvTiles near;
  RvCoupleIndices near_home;         // [near] the grid's tile
  RvCoupleIndices near_of;           // [grid's tiles] index among the near ones; RV_COUPLE_FAR: none
  RV_ARRAY(RvCoupleNear) near_near;  // of `near`
  // Sample (sample.c).
  RvCoupleFaces mass, velocity;      // kg, m/s, of the liquid on faces
  RvCoupleFaces effective_mass;      // kg: mass / (1 + dt rate), with implicit drag
  RvChannel volume[3];               // volume fraction of fibres on faces
  RvChannel fill;                    // of cells: volume of liquid over the volume that fibres leave to it
  RvCoupleIndices crowded;           // tiles of the grid where fibres leave noticeably less room
  RvChannel rate[3];                 // 1/s, drag over mass on faces
  RvChannel mass_kept[3];            // `mass` from react to the pressure, where the grid has no scratch
  RvCoupleDoubles out;               // the arrays of `sample`
  RvCoupleDoubles sampled_velocity;  // [3 packed] m/s of the strands
  RvCoupleDoubles wet_length;        // [packed] m of the vertex's points in liquid
  RvCoupleDoubles submerged;         // [packed] kg of its film that the grid has
  RvCoupleDoubles film_v;            // [3 packed] m/s, its velocity
  RvCoupleSample sample;
  bool has_points;          // some strands are near liquid
  bool has_submerged_film;  // some film is on the grid
  size_t grid_tiles;        // of the sample
  // Fibres around strands (fibres.c).
  RvCoupleDoubles fibre_share;  // [packed] volume fraction phi of the drag law
  uint64_t fibre_key;           // RvCoupleSettings.count_key of fibre_share
  // Capacity (capacity.c).
  RvCoupleDoubles capacity;         // [packed] m3
  RvCoupleDoubles capacity_radius;  // [packed] m, r_max of (17)
  RvCoupleDoubles acceleration;     // [packed] m/s2 that pulls the film off
  RvCoupleDoubles hair_count;       // [packed] hairs N around the vertex
  RvCoupleDoubles tip_pull;         // [3 x strands] m/s2 that pulls at the tip's drop
  uint64_t capacity_key;            // hash of the input that the capacity was made from
  uint64_t count_key;               // RvCoupleSettings.count_key of hair_count
  // Lists of capture and drip, kept from call to call.
  struct RvCaptureWork* capture;
  struct RvDripWork* drip;
  // Bundles (spacing.c).
  RvCoupleDoubles free_area;     // [packed] m2 of space between the hairs, for each hair
  RvCoupleDoubles bundle_share;  // [packed] chi: 1 within a bundle that holds a column, 0 outside
  uint64_t spacing_key;          // RvCoupleSettings.count_key of these
  RvMeniscusSprings springs;     // between strands that pierce the surface (meniscus.c)
};

// Index in the grid's own channels of index `at` in the channels near points.
static inline size_t rv_couple_home(const RvCouple* c, size_t at) {
  return (size_t)c->near_home.data[at / RV_TILE_CELLS] * RV_TILE_CELLS + at % RV_TILE_CELLS;
}
// Takes face channels near points from the scratch; false: no memory.
static inline bool rv_couple_take(RvCouple* c, RvCoupleFaces* faces) {
  for (int a = 0; a < 3; ++a)
    if (!(faces->axis[a] = RV_TAKE(c->scratch, float, c->near.count* RV_TILE_CELLS))) return false;
  return true;
}

// The strand behind the last one of a chunk of a wave that begins with strand `first`.
static inline size_t rv_couple_chunk_end(const RvCouple* c, size_t first, size_t chunk) {
  size_t last = first + (chunk + 1) * RV_COUPLE_GRAIN;
  return last < c->strands.count ? last : c->strands.count;
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
// m3 of fibre that a point stands for.
static inline double rv_couple_point_volume(const RvCouple* c, const RvCouplePoint* p) {
  const RvCoupleVertex* v = &c->vertices.data[p->edge];
  double radius = v[0].radius + (double)p->t * (v[1].radius - v[0].radius);
  return (double)p->length * (double)p->hairs * RV_PI * radius * radius;
}
// Whether there is liquid around the point on every axis.
static inline bool rv_couple_point_wet(const RvCouplePoint* p) {
  return p->inverse_mass[0] > 0 && p->inverse_mass[1] > 0 && p->inverse_mass[2] > 0;
}
// Share of the film of vertex i of n, `v`, that belongs to the edge above it; the edge below has the remainder. As in
// the film's own step (rv_film_edge_masses) it goes by the edges' lengths; an end's film belongs to its one edge.
static inline double rv_couple_above(const RvCoupleVertex* v, int i, int n) {
  if (i == 0 || i == n - 1) return i == 0;
  double edge = rv_distance(rv_couple_x(v), rv_couple_x(v + 1)), both = 2 * v->length;
  return both > 0 ? fmin(edge / both, 1) : 0.5;
}
// The momentum of the drop at a strand's tip: its components are RV_LANES apart.
static inline double* rv_couple_drop_momentum(const RvFilmState* film, const RvCoupleStrand* s) {
  return film->drop_momentum + 3 * (s->drop - s->drop % RV_LANES) + s->drop % RV_LANES;
}
// Writes a vector of a vertex to all lanes that hold its strand.
static inline void rv_couple_put3(double* block, const RvCoupleStrand* s, int i, RvVec3 a) {
  for (int lane = s->lane; lane <= s->last; ++lane) {
    double* p = block + s->unknown + (size_t)(4 * i) * RV_LANES + (size_t)(lane - s->lane);
    p[0] = a.x;
    p[RV_LANES] = a.y;
    p[2 * RV_LANES] = a.z;
  }
}
// The same for a number.
static inline void rv_couple_put1(double* block, const RvCoupleStrand* s, int i, double a) {
  for (int lane = s->lane; lane <= s->last; ++lane)
    block[s->vertex + (size_t)i * RV_LANES + (size_t)(lane - s->lane)] = a;
}
static inline RvVec3 rv_couple_get3(const double* block, const RvCoupleStrand* s, int i) {
  const double* p = block + s->unknown + (size_t)(4 * i) * RV_LANES;
  return rv_vec3(p[0], p[RV_LANES], p[2 * RV_LANES]);
}
// Adds an impulse to the strand's own lane only: its copies hold no film, so their mass is too small for it.
static inline void rv_couple_kick(double* kick, const RvCoupleStrand* s, int i, RvVec3 a) {
  double* p = kick + s->unknown + (size_t)(4 * i) * RV_LANES;
  p[0] += a.x;
  p[RV_LANES] += a.y;
  p[2 * RV_LANES] += a.z;
}
// A multiplier of a vertex; 1 without an array.
static inline double rv_couple_at(const double* block, const RvCoupleStrand* s, int i) {
  return block ? block[s->vertex + (size_t)i * RV_LANES] : 1;
}

// m of a strand.
static inline double rv_couple_strand_length(const RvCouple* c, const RvCoupleStrand* s) {
  double sum = 0;
  for (int i = 0; i < s->count; ++i) sum += c->vertices.data[s->first + (size_t)i].length;
  return sum;
}
// A walk along a strand, for beads at equal distances: the edge that it is on, and m from the root to it.
typedef struct RvCoupleWalk {
  int edge;
  double at;
} RvCoupleWalk;
// Walks on to the length `want` from the root; the place on the edge there, 0..1.
static inline double rv_couple_walk_to(RvCoupleWalk* w, const RvCouple* c, const RvCoupleStrand* s, double want) {
  const RvCoupleVertex* v = &c->vertices.data[s->first];
  double edge = rv_distance(rv_couple_x(v + w->edge), rv_couple_x(v + w->edge + 1));
  while (want > w->at + edge && w->edge + 2 < s->count) {
    w->at += edge;
    ++w->edge;
    edge = rv_distance(rv_couple_x(v + w->edge), rv_couple_x(v + w->edge + 1));
  }
  return edge > 0 ? rv_clamp((want - w->at) / edge, 0, 1) : 0;
}

// Packs the strands: lane by lane into consecutive vertices. Positions are packed only when the pose changed.
// (couple.c)
RvResult rv_couple_pack(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings, RvError* error);
// Mass and velocity of the faces near points from the grid's mass and momentum; their effective mass from `rate`.
// (sample.c)
void rv_couple_copy_faces(RvCouple* c, const RvLiquidGrid* grid);
void rv_couple_find_effective_mass(RvCouple* c, double dt);
// Quadrature points near liquid, sorted by tile. (points.c)
RvResult rv_couple_points(RvCouple* c, const RvLiquidGrid* grid, RvError* error);
// Free area and bundle share of the packed vertices, computed again with a new count key. (spacing.c)
RvResult rv_couple_find_spacing(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                                RvError* error);
// Capacity, its radius and the hair count of the packed vertices, and their spacing; computed only when the input
// changed. (capacity.c)
RvResult rv_couple_find_capacity(RvCouple* c, const RvCoupleStrands* strands, const RvCoupleSettings* settings,
                                 RvError* error);

// Fibres within a radius of the packed vertices, counted by their volume in hairs of the vertex's own strand.
typedef struct RvCoupleFibres {
  double radius;        // m
  double lo[3], hi[3];  // m, box of the places where they are wanted; elsewhere the strand's own hairs may be given
  double* count;        // [packed]
} RvCoupleFibres;
// False: no memory. (fibre_count.c)
bool rv_couple_count_fibres(RvCouple* c, const RvCoupleFibres* fibres);
// Volume fraction phi of fibres around the packed vertices, for the drag law; and the fill of the cells near points.
// False: no memory. (fibres.c)
bool rv_couple_find_fibre_share(RvCouple* c, const RvCoupleSettings* settings, const RvLiquidGrid* grid);
bool rv_couple_find_fill(RvCouple* c, const RvCoupleSettings* settings, const RvLiquidGrid* grid);

// What a particle of that row is a part of.
static inline RvDropKind rv_couple_drop_kind(const RvCoupleSettings* settings, int32_t row) {
  if (settings->drop_kind) return (RvDropKind)settings->drop_kind[row];
  return row == settings->drip_row ? RV_DROP_OF_STRAND : RV_DROP_NONE;
}

// Volume of sorted particles around a place in cells from the grid's origin, m3, by tents of one cell to each side.
// (fill.c)
double rv_couple_volume_near(const RvParticles* particles, const double at[3]);
// Volume fraction of sorted particles around x, about 1 within liquid; continuous in x. (fill.c)
double rv_couple_fill(const RvLiquidGrid* space, const RvParticles* particles, const double x[3]);

void rv_couple_capture_free(struct RvCaptureWork* work);
void rv_couple_drip_free(struct RvDripWork* work);

#endif
