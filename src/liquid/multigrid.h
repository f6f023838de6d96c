// Multigrid on sparse tiles, the preconditioner of the pressure solve.
//
// The operator of every level is A x = sum over faces of c (x - x_j) + drain x, with c in [0, 1] (1: an open face
// between two wet cells) and drain the conductance to the free surface.
//
// A coarse cell covers 2 x 2 x 2 fine ones. Its faces have the mean c of the four fine faces, its drain and its right
// side half of the sums over eight cells. Up to the factor 2^level, which is omitted, this is the Galerkin operator of
// piecewise constant transfers with the conductance between cells halved, as their distance doubles; so a plain coarse
// cell is plain again. As nothing is discretised anew, no drop, sheet or gap is lost: what is wet stays wet on every
// level, and a thin sheet keeps all of its drain.
//
// The low order of the transfers is compensated by the smoother: Jacobi with the weights of Chebyshev's polynomial
// (Adams, Brezina, Hu, Tuminaro 2003), the same before and after, so that the cycle is symmetric. Restriction and
// prolongation are transposes of each other, so the cycle is positive definite for any coarse operator. The eigenvalues
// of the scaled operator lie in [0, 2] for any c and drain (Gershgorin), so no bounds are estimated. The V-cycle is
// after McAdams, Sifakis, Teran 2010, and for sparse tiles Setaluri, Aanjaneya, Bauer, Sifakis 2014, whose bands of
// extra smoothing at boundaries are not needed here.
#ifndef RV_LIQUID_MULTIGRID_H
#define RV_LIQUID_MULTIGRID_H

#include "base/arena.h"
#include "space/tiles.h"

enum {
  RV_MG_LEVELS = 16,             // most levels
  RV_MG_FACES = 576,             // 8 x 8 rows of 9 faces, and so along y and z
  RV_MG_COEF = 3 * RV_MG_FACES,  // of a tile
  RV_MG_FINE_DEGREE = 2,         // of the smoother on the finest level
  RV_MG_DEGREE = 4,              // and below
  RV_MG_LAST_DEGREE = 16,        // and on the coarsest; all are powers of two
  RV_MG_MOST_DEGREE = 16,
  RV_MG_KEPT = 4,  // CG directions that are kept until they are added to x together
};

// Place of a face within the coefficients of a tile: along its axis 0..8, along the others 0..7; the upper faces of a
// tile are there too, equal to its neighbour's lower ones.
static inline int rv_liquid_mg_face_x(int x, int y, int z) {
  return (z * 8 + y) * 9 + x;
}
static inline int rv_liquid_mg_face_y(int x, int y, int z) {
  return RV_MG_FACES + (z * 9 + y) * 8 + x;
}
static inline int rv_liquid_mg_face_z(int x, int y, int z) {
  return 2 * RV_MG_FACES + (z * 8 + y) * 8 + x;
}

// A level. Vectors have 512 floats for each tile and one more tile of zeros at the end, which represents all that
// are absent. Dry rows hold zeros and are never written.
typedef struct RvMgLevel {
  size_t count;                     // tiles
  int32_t (*coord)[3];              // of each, in tiles
  int32_t (*near)[6];               // the tiles at -x, +x, -y, +y, -z, +z; `count`: absent
  int32_t* slot;                    // where its coefficients are; -1: a plain tile, wet everywhere, c = 1 and no drain
  size_t slots;                     // tiles that have coefficients
  float* coef;                      // RV_MG_COEF a slot
  float* drain;                     // 512 a slot
  float* inverse;                   // 512 a slot: 1 / (drain + sum of c), 0 where dry
  uint64_t* rows;                   // of a slot: bit z*8 + y is set where some cell of that row is wet
  int32_t (*child)[8];              // tiles of the finer level, x fastest; -1: absent
  float *x, *y, *b;                 // iterates of the smoother, and right side (not on the finest level)
  size_t coupled;                   // cells with a c above 0
  int degree;                       // sweeps of the smoother
  float weight[RV_MG_MOST_DEGREE];  // of each sweep
} RvMgLevel;

typedef struct RvMultigrid {
  int count;
  RvMgLevel level[RV_MG_LEVELS];
} RvMultigrid;

// Builds the coarser levels from level 0, of which coord, near, slot, coef, drain, inverse are given. Memory is of the
// arena. False when there is none.
bool rv_liquid_multigrid_build(RvMultigrid* mg, RvArena* arena);
// Bytes that one iteration of conjugate gradients with this preconditioner reads and writes, each vector once a pass.
double rv_liquid_multigrid_traffic(const RvMultigrid* mg);
// Vectors of a level, zeros in the tile of the absent and in those that have coefficients.
float* rv_liquid_mg_vector(const RvMgLevel* level, RvArena* arena);
// z = V-cycle of r; level[0].x must hold weight[0] inverse r already. Returns r . z; z is level[0].y.
double rv_liquid_multigrid_cycle(RvMultigrid* mg, const float* r);

// Vector operations over all tiles of a level, in parallel.
// out = A p; returns p . out
double rv_liquid_mg_apply(const RvMgLevel* level, const float* p, float* out);
// r -= alpha q, level.x = weight[0] inverse r; returns r . r, and of each tile the largest |r| and r . level.x
double rv_liquid_mg_advance(const RvMgLevel* level, float alpha, const float* q, float* r, float* largest,
                            double* cross);
// out = z + beta p
void rv_liquid_mg_turn(const RvMgLevel* level, const float* z, float beta, const float* p, float* out);
// x += the sum of alpha p of `count` directions. x is double, so a pass over it for each direction would cost more than
// any other vector operation.
void rv_liquid_mg_gather(const RvMgLevel* level, float* const* p, const float* alpha, int count, double* x);
// Inverse diagonal and rows of a slot from its c and drain; returns the number of its cells with a c above 0.
size_t rv_liquid_mg_invert(const RvMgLevel* level, size_t slot);

// Tiles a worker takes at a time: 16 kB of each vector.
enum { RV_MG_GRAIN = 8 };

#endif
