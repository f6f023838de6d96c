// The inner loops of multigrid and of its conjugate gradients, a row of eight cells at a time. Differences to the
// neighbours are taken before they are weighted and summed: for a large smooth pressure they are exact, so the rounding
// of A x is that of its gradient, not of its value.
#include "liquid/multigrid_kernel.h"

#include "liquid/rows.h"

// Kernels are also built with one lane, as baselines of benchmarks; rows have one width only.
#if RV_W == 8

// Plain tiles have six faces with c = 1 in each cell.
#define PLAIN_DIAGONAL 6

// Row y of x, and its differences to the rows around.
typedef struct Differences {
  RvRow c, left, right, down, up, back, front;
} Differences;

// Differences of row y of a slice to its six neighbours.
RV_INLINE Differences differences(const RvSlice* s, int y) {
  RvRow c = rv_liquid_slice_own(s, y);
  return (Differences){c,
                       c - rv_liquid_slice_left(s, y),
                       c - rv_liquid_slice_right(s, y),
                       c - rv_liquid_slice_down(s, y),
                       c - rv_liquid_slice_up(s, y),
                       c - rv_liquid_slice_back(s, y),
                       c - rv_liquid_slice_front(s, y)};
}

// Row y of A x in a plain tile; `center` gets the row of x itself.
RV_INLINE RvRow apply_plain(const RvSlice* s, int y, RvRow* center) {
  Differences r = differences(s, y);
  *center = r.c;
  return ((r.left + r.right) + (r.down + r.up)) + (r.back + r.front);
}

// The same with the coefficients of a general tile.
RV_INLINE RvRow apply_general(const RvSlice* s, const float* coef, const float* drain, int y, int z, RvRow* center) {
  Differences r = differences(s, y);
  const float* cx = coef + rv_liquid_mg_face_x(0, y, z);
  const float* cy = coef + rv_liquid_mg_face_y(0, y, z);
  const float* cz = coef + rv_liquid_mg_face_z(0, y, z);
  *center = r.c;
  return ((rv_row_load_loose(cx) * r.left + rv_row_load_loose(cx + 1) * r.right) +
          (rv_row_load(cy) * r.down + rv_row_load(cy + 8) * r.up)) +
         ((rv_row_load(cz) * r.back + rv_row_load(cz + 64) * r.front) + rv_row_load(drain + (z * 8 + y) * 8) * r.c);
}

// What a general tile has that a plain one does not need. Rows without liquid hold zeros and are not written.
typedef struct General {
  const float *coef, *drain, *inverse;
  uint64_t rows;
} General;

// Coefficients of a general tile.
RV_INLINE General general(const RvMgLevel* level, size_t t) {
  size_t slot = (size_t)level->slot[t];
  return (General){level->coef + slot * RV_MG_COEF, level->drain + slot * RV_TILE_CELLS,
                   level->inverse + slot * RV_TILE_CELLS, level->rows[slot]};
}

// Whether a row has a wet cell.
RV_INLINE bool has_row(uint64_t rows, int y, int z) {
  return rows >> (z * 8 + y) & 1;
}

// One sweep of the smoother: out = x + w inverse (b - A x). Returns b . out if `dot`.
RV_INLINE double sweep(const RvMgLevel* level, const float* x, const float* b, float w, float* out, bool dot,
                       size_t begin, size_t end) {
  RvRowSum sum = {0};
  for (size_t t = begin; t < end; ++t) {
    RvAround a = rv_liquid_around((const int32_t(*)[6])level->near, x, t);
    // plain tiles have a constant stencil
    bool plain = level->slot[t] < 0;
    General g = plain ? (General){0} : general(level, t);
    RvRow scale = rv_row_set(plain ? w / PLAIN_DIAGONAL : w), c;
    for (int z = 0; z < 8; ++z) {
      RvSlice s = rv_liquid_slice(&a, z);
      const float* right = b + t * RV_TILE_CELLS + z * 64;
      float* to = out + t * RV_TILE_CELLS + z * 64;
      if (plain) {
        RV_UNROLL for (int y = 0; y < 8; ++y) {
          RvRow r = rv_row_load(right + y * 8), ax = apply_plain(&s, y, &c);
          RvRow v = c + scale * (r - ax);
          rv_row_store(to + y * 8, v);
          if (dot) sum += rv_row_wide(r) * rv_row_wide(v);
        }
      } else {
        RV_UNROLL for (int y = 0; y < 8; ++y) {
          // rows without liquid are skipped
          if (!has_row(g.rows, y, z)) continue;
          RvRow r = rv_row_load(right + y * 8), ax = apply_general(&s, g.coef, g.drain, y, z, &c);
          RvRow v = c + scale * rv_row_load(g.inverse + z * 64 + y * 8) * (r - ax);
          rv_row_store(to + y * 8, v);
          if (dot) sum += rv_row_wide(r) * rv_row_wide(v);
        }
      }
    }
  }
  return rv_row_total(sum);
}

double RV_KERNEL(rv_liquid_mg_sweep)(const RvMgLevel* level, const float* x, const float* b, float w, float* out,
                                     int dot, size_t begin, size_t end) {
  return dot ? sweep(level, x, b, w, out, true, begin, end) : sweep(level, x, b, w, out, false, begin, end);
}

// out = A p; returns p . out.
double RV_KERNEL(rv_liquid_mg_apply)(const RvMgLevel* level, const float* p, float* out, size_t begin, size_t end) {
  RvRowSum sum = {0};
  for (size_t t = begin; t < end; ++t) {
    RvAround a = rv_liquid_around((const int32_t(*)[6])level->near, p, t);
    bool plain = level->slot[t] < 0;
    General g = plain ? (General){0} : general(level, t);
    RvRow c;
    for (int z = 0; z < 8; ++z) {
      RvSlice s = rv_liquid_slice(&a, z);
      float* to = out + t * RV_TILE_CELLS + z * 64;
      if (plain) {
        RV_UNROLL for (int y = 0; y < 8; ++y) {
          RvRow v = apply_plain(&s, y, &c);
          rv_row_store(to + y * 8, v);
          sum += rv_row_wide(c) * rv_row_wide(v);
        }
      } else {
        RV_UNROLL for (int y = 0; y < 8; ++y) {
          if (!has_row(g.rows, y, z)) continue;
          RvRow v = apply_general(&s, g.coef, g.drain, y, z, &c);
          rv_row_store(to + y * 8, v);
          sum += rv_row_wide(c) * rv_row_wide(v);
        }
      }
    }
  }
  return rv_row_total(sum);
}

// Right side of a coarse row from the sum of two by two fine rows: half of the sums of eight cells.
RV_INLINE void fold(RvRow s, float* to) {
  RvRow pairs = s + __builtin_shufflevector(s, s, 1, 0, 3, 2, 5, 4, 7, 6);
  for (int k = 0; k < 4; ++k) to[k] = 0.5f * pairs[2 * k];
}

// Residual b - A x of a fine tile, restricted to its octant of the coarse tile.
RV_INLINE void restrict_child(const RvMgLevel* fine, const float* x, const float* b, size_t t, float* to) {
  RvAround a = rv_liquid_around((const int32_t(*)[6])fine->near, x, t);
  bool plain = fine->slot[t] < 0;
  General g = plain ? (General){.rows = ~0ull} : general(fine, t);
  RvRow c;
  for (int z = 0; z < 8; z += 2) {
    // residual of two slices, summed by pairs of rows
    RvRow s[4] = {{0}, {0}, {0}, {0}};
    RV_UNROLL for (int k = 0; k < 2; ++k) {
      RvSlice own = rv_liquid_slice(&a, z + k);
      const float* right = b + t * RV_TILE_CELLS + (z + k) * 64;
      RV_UNROLL for (int y = 0; y < 8; ++y) {
        if (!plain && !has_row(g.rows, y, z + k)) continue;
        s[y / 2] += rv_row_load(right + y * 8) -
                    (plain ? apply_plain(&own, y, &c) : apply_general(&own, g.coef, g.drain, y, z + k, &c));
      }
    }
    for (int y = 0; y < 4; ++y) fold(s[y], to + (z / 2 * 8 + y) * 8);
  }
}

// Inverse diagonal of a tile; NULL: plain.
static const float* inverse_of(const RvMgLevel* level, size_t t) {
  return level->slot[t] < 0 ? NULL : level->inverse + (size_t)level->slot[t] * RV_TILE_CELLS;
}

// out = w inverse r: the first sweep of the smoother, from 0.
RV_INLINE void scale_tile(const float* inverse, float w, const float* r, float* out) {
  RvRow scale = rv_row_set(inverse ? w : w / PLAIN_DIAGONAL);
  if (inverse)
    for (int i = 0; i < RV_TILE_CELLS; i += 8)
      rv_row_store(out + i, scale * rv_row_load(inverse + i) * rv_row_load(r + i));
  else
    for (int i = 0; i < RV_TILE_CELLS; i += 8) rv_row_store(out + i, scale * rv_row_load(r + i));
}

// Right side of the coarse tiles from the fine residual, and their first sweep from 0.
void RV_KERNEL(rv_liquid_mg_restrict)(const RvMgLevel* fine, const RvMgLevel* coarse, const float* x, const float* b,
                                      size_t begin, size_t end) {
  for (size_t t = begin; t < end; ++t) {
    float* to = coarse->b + t * RV_TILE_CELLS;
    for (int k = 0; k < 8; ++k) {
      int32_t child = coarse->child[t][k];
      float* part = to + rv_tile_cell((k & 1) * 4, (k >> 1 & 1) * 4, (k >> 2) * 4);
      // octants without a fine tile are dry
      if (child >= 0)
        restrict_child(fine, x, b, (size_t)child, part);
      else
        for (int z = 0; z < 4; ++z)
          for (int y = 0; y < 4; ++y)
            for (int i = 0; i < 4; ++i) part[rv_tile_cell(i, y, z)] = 0;
    }
    scale_tile(inverse_of(coarse, t), coarse->weight[0], to, coarse->x + t * RV_TILE_CELLS);
  }
}

// v where the fine cell is wet, 0 elsewhere: dry cells must stay 0.
RV_INLINE RvRow wet_only(const float* inverse, int row, RvRow v) {
  if (!inverse) return v;
  typedef int Mask __attribute__((vector_size(32)));
  Mask wet = rv_row_load(inverse + row) > (RvRow){0};
  return (RvRow)((Mask)v & wet);
}

// Adds the coarse correction to the wet fine cells, constant by cells.
void RV_KERNEL(rv_liquid_mg_prolong)(const RvMgLevel* fine, const RvMgLevel* coarse, size_t begin, size_t end) {
  for (size_t t = begin; t < end; ++t)
    for (int k = 0; k < 8; ++k) {
      int32_t child = coarse->child[t][k];
      if (child < 0) continue;
      const float* from = coarse->y + t * RV_TILE_CELLS + rv_tile_cell((k & 1) * 4, (k >> 1 & 1) * 4, (k >> 2) * 4);
      float* to = fine->y + (size_t)child * RV_TILE_CELLS;
      const float* inverse = inverse_of(fine, (size_t)child);
      for (int z = 0; z < 8; z += 2)
        for (int y = 0; y < 8; y += 2) {
          const float* f = from + (z / 2 * 8 + y / 2) * 8;
          RvRow v = {f[0], f[0], f[1], f[1], f[2], f[2], f[3], f[3]};
          RV_UNROLL for (int j = 0; j < 4; ++j) {
            int row = ((z + (j >> 1)) * 8 + y + (j & 1)) * 8;
            rv_row_store(to + row, rv_row_load(to + row) + wet_only(inverse, row, v));
          }
        }
    }
}

// |x|: clears the sign bits.
RV_INLINE RvRow absolute(RvRow x) {
  typedef int Mask __attribute__((vector_size(32)));
  return (RvRow)((Mask)x & 0x7fffffff);
}

RV_INLINE RvRow larger(RvRow a, RvRow b) {
  typedef int Mask __attribute__((vector_size(32)));
  Mask m = a > b;
  return (RvRow)(((Mask)a & m) | ((Mask)b & ~m));
}

// Bits of the rows of a tile that have liquid.
RV_INLINE uint64_t rows_of(const RvMgLevel* level, size_t t) {
  return level->slot[t] < 0 ? ~0ull : level->rows[level->slot[t]];
}

// Loops over the rows of eight cells of tile t that have liquid; `at` is the index of the row's first cell.
#define RV_EACH_ROW(at, level, t)                                                                                      \
  for (uint64_t rows = rows_of(level, t), at; rows && (at = (t)*RV_TILE_CELLS + 8 * (size_t)__builtin_ctzll(rows), 1); \
       rows &= rows - 1)

// CG step: r -= alpha q, and the first sweep of the preconditioner, level.x = weight[0] inverse r. Returns r . r; of
// each tile the largest |r| and r . level.x.
double RV_KERNEL(rv_liquid_mg_advance)(const RvMgLevel* level, float alpha, const float* q, float* r, float* largest,
                                       double* cross, size_t begin, size_t end) {
  RvRowSum sum = {0};
  RvRow step = rv_row_set(alpha);
  for (size_t t = begin; t < end; ++t) {
    const float* inverse = inverse_of(level, t);
    RvRow largest_row = {0}, scale = rv_row_set(inverse ? level->weight[0] : level->weight[0] / PLAIN_DIAGONAL);
    RvRowSum own = {0};
    RV_EACH_ROW(at, level, t) {
      RvRow residual = rv_row_load(r + at) - step * rv_row_load(q + at);
      RvRow x = inverse ? scale * rv_row_load(inverse + at % RV_TILE_CELLS) * residual : scale * residual;
      rv_row_store(r + at, residual);
      rv_row_store(level->x + at, x);
      sum += rv_row_wide(residual) * rv_row_wide(residual);
      own += rv_row_wide(residual) * rv_row_wide(x);
      largest_row = larger(absolute(residual), largest_row);
    }
    float largest_value = 0;
    for (int k = 0; k < 8; ++k) largest_value = largest_row[k] > largest_value ? largest_row[k] : largest_value;
    largest[t] = largest_value;
    cross[t] = rv_row_total(own);
  }
  return rv_row_total(sum);
}

// CG direction: out = z + beta p.
void RV_KERNEL(rv_liquid_mg_turn)(const RvMgLevel* level, const float* z, float beta, const float* p, float* out,
                                  size_t begin, size_t end) {
  RvRow scale = rv_row_set(beta);
  for (size_t t = begin; t < end; ++t)
    RV_EACH_ROW(at, level, t) rv_row_store(out + at, rv_row_load(z + at) + scale * rv_row_load(p + at));
}

// x += sum of alpha p over `count` directions, in double.
void RV_KERNEL(rv_liquid_mg_gather)(const RvMgLevel* level, float* const* p, const float* alpha, int count, double* x,
                                    size_t begin, size_t end) {
  for (size_t t = begin; t < end; ++t) RV_EACH_ROW(at, level, t) {
      RvRowSum sum = *(RvRowSum*)(x + at);
      for (int k = 0; k < count; ++k) sum += (double)alpha[k] * rv_row_wide(rv_row_load(p[k] + at));
      *(RvRowSum*)(x + at) = sum;
    }
}

#endif
