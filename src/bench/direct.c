// Sparse LDL^T of the flip's matrix: ordering by nested dissection, assembly, elimination tree, up-looking
// factorisation, substitution.
#include "bench/direct.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"

enum {
  STRIDE = RV_FLIP_STRIDE,  // numbers of a band's column
  NONE = -1,                // no parent in the elimination tree
  LEAF = 6                  // strands below which a part is not divided further
};

typedef struct Sparse {
  const RvFlip* f;
  size_t n;        // unknowns
  int32_t* order;  // [n] new number of unknown [strand][4 vertices - 1]
  // The matrix: its upper part by columns in the new order.
  size_t* start;
  int32_t* row;
  double* entry;
  // The factor L by columns, and the entries of each column so far.
  size_t *lstart, *filled;
  int32_t* lrow;
  double *lentry, *d;       // entries of L; the diagonal D
  int32_t *parent, *flag;   // elimination tree; last row that visited a column
  int32_t *pattern, *path;  // columns of the current row, in topological order; one path of the tree
  double* y;                // the current row, dense
} Sparse;

// Unknowns of a strand.
static size_t unknowns(const RvFlip* f) {
  return (size_t)(4 * f->vertices - 1);
}

//---------------------------------------------------------------------------------------------- order

typedef struct Place {
  double at[2];
  size_t strand;
} Place;

// Nested dissection of the cross-section: divides the strands across the longer side and numbers both halves before the
// separator, the strands beside the cut.
static void dissect(Sparse* s, Place* p, size_t count, size_t* next) {
  double lo[2] = {INFINITY, INFINITY};
  double hi[2] = {-INFINITY, -INFINITY};
  for (size_t k = 0; k < count; ++k)
    for (int c = 0; c < 2; ++c) {
      lo[c] = fmin(lo[c], p[k].at[c]);
      hi[c] = fmax(hi[c], p[k].at[c]);
    }
  // The cut across the middle of the longer side.
  int axis = hi[1] - lo[1] > hi[0] - lo[0];
  double cut = 0.5 * (lo[axis] + hi[axis]);
  size_t left = 0, right = 0, part[3] = {0};
  for (int side = 0; side < 2 && count > LEAF; ++side) {
    // Strands before the cut, then those beyond the separator, which is one lattice distance wide.
    for (size_t k = left + right; k < count; ++k)
      if (side ? p[k].at[axis] >= cut + 1.001 : p[k].at[axis] < cut) {
        Place swap = p[k];
        p[k] = p[left + right];
        p[left + right] = swap;
        if (side)
          right++;
        else
          left++;
      }
  }
  // The halves, then the separator; a part without halves is numbered as it is.
  part[0] = left;
  part[1] = right;
  part[2] = count - left - right;
  for (int k = 0; k < 2 && part[2] < count; ++k) {
    if (part[k]) dissect(s, p, part[k], next);
    p += part[k];
  }
  for (size_t k = 0; k < part[2]; ++k)
    for (size_t i = 0; i < unknowns(s->f); ++i) s->order[p[k].strand * unknowns(s->f) + i] = (int32_t)(*next)++;
}

// Numbers all unknowns.
static RvResult find_order(Sparse* s, RvError* error) {
  Place* places = rv_alloc(s->f->nstrand, sizeof *places);
  if (!places) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  size_t count = 0, next = 0;
  for (size_t k = 0; k < s->f->nstrand; ++k) {
    if (rv_bench_flip_hair(s->f, k) < 0) continue;
    places[count].strand = k;
    rv_bench_flip_lattice(s->f, (size_t)rv_bench_flip_hair(s->f, k), places[count++].at);
  }
  dissect(s, places, count, &next);
  s->n = next;
  rv_free(places);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- matrix

// Adds an entry (pass 1) or only counts it (pass 0), in the upper triangle of the new order.
static void put(Sparse* s, int pass, size_t a, size_t b, double value) {
  int32_t i = s->order[a], j = s->order[b];
  size_t column = (size_t)(i > j ? i : j);
  if (pass) {
    size_t at = s->start[column] + s->filled[column];
    s->row[at] = i > j ? j : i;
    s->entry[at] = value;
  }
  s->filled[column]++;
}

// Entries of a strand's band.
static void put_strand(Sparse* s, int pass, size_t strand) {
  const RvFlip* f = s->f;
  const RvStrandBatch* b = &f->model->batches[strand / RV_LANES];
  size_t n = unknowns(f);
  size_t lane = strand % RV_LANES;
  size_t base = strand * n;
  const double* band = f->band + STRIDE * b->at;
  for (size_t j = 0; j < n; ++j)
    for (size_t q = 0; q < STRIDE && j + q < n; ++q) {
      double value = band[(j * STRIDE + q) * RV_LANES + lane];
      if (value != 0 || q == 0) put(s, pass, base + j + q, base + j, value);
    }
}

// Entries of a pair's bridges, diagonal blocks of both strands and the block between them; each pair once.
static void put_pair(Sparse* s, int pass, size_t strand, size_t pair) {
  const RvFlip* f = s->f;
  size_t n = unknowns(f);
  size_t row = (size_t)f->edges;
  size_t ends[2] = {strand * n, f->other[pair] * n};
  if (f->other[pair] < strand) return;
  for (size_t j = RV_FLIP_CLAMPED - 1; j + 1 < (size_t)f->vertices; ++j)
    for (size_t r = 0; r < 12; ++r)
      for (size_t q = 0; q <= r; ++q) {
        size_t at[2] = {4 * j + r % 6 + (r % 6 > 2), 4 * j + q % 6 + (q % 6 > 2)};
        if (at[0] < 4 * RV_FLIP_CLAMPED - 1 || at[1] < 4 * RV_FLIP_CLAMPED - 1) continue;
        double value = 0.25 * f->pull[(3 * pair + r % 3) * row + j] * f->pull[(3 * pair + q % 3) * row + j];
        put(s, pass, ends[r / 6] + at[0], ends[q / 6] + at[1], r / 6 == q / 6 ? value : -value);
      }
}

// Counts and then fills the columns. Duplicate entries are summed in the factorisation. False: out of memory.
static bool fill_matrix(Sparse* s) {
  s->start = rv_alloc_zero(s->n + 1, sizeof *s->start);
  s->filled = rv_alloc_zero(s->n, sizeof *s->filled);
  if (!s->start || !s->filled) return false;
  for (int pass = 0; pass < 2; ++pass) {
    for (size_t k = 0; k < s->f->nstrand; ++k) {
      if (rv_bench_flip_hair(s->f, k) < 0) continue;
      put_strand(s, pass, k);
      for (size_t p = s->f->first[k]; p < s->f->first[k + 1]; ++p) put_pair(s, pass, k, p);
    }
    if (pass) break;
    for (size_t k = 0; k < s->n; ++k) s->start[k + 1] = s->start[k] + s->filled[k];
    memset(s->filled, 0, s->n * sizeof *s->filled);
    s->row = rv_alloc(s->start[s->n], sizeof *s->row);
    s->entry = rv_alloc(s->start[s->n], sizeof(double));
    if (!s->row || !s->entry) return false;
  }
  return true;
}

//---------------------------------------------------------------------------------------------- factor

// Elimination tree and column counts of the factor: the pattern of row k are the paths from the entries of column k
// towards the root, up to where they meet.
static void analyse(Sparse* s, RvDirect* out) {
  memset(s->filled, 0, s->n * sizeof *s->filled);
  for (size_t k = 0; k < s->n; ++k) {
    s->parent[k] = NONE;
    s->flag[k] = (int32_t)k;
    for (size_t p = s->start[k]; p < s->start[k + 1]; ++p)
      for (int32_t i = s->row[p]; i < (int32_t)k && s->flag[i] != (int32_t)k; i = s->parent[i]) {
        if (s->parent[i] == NONE) s->parent[i] = (int32_t)k;
        s->filled[i]++;
        s->flag[i] = (int32_t)k;
      }
  }
  for (size_t k = 0; k < s->n; ++k) {
    s->lstart[k + 1] = s->lstart[k] + s->filled[k];
    out->flops += (double)s->filled[k] * (double)(s->filled[k] + 2);
  }
  out->n = s->n;
  out->entries = s->lstart[s->n];
}

// Row k of L: its pattern from the tree, then a sparse triangular solve.
static void factor_row(Sparse* s, size_t k) {
  size_t top = s->n;
  s->y[k] = 0;
  s->flag[k] = (int32_t)k;
  // Pattern: paths from the entries of column k, the deepest first.
  for (size_t p = s->start[k]; p < s->start[k + 1]; ++p) {
    size_t length = 0;
    s->y[s->row[p]] += s->entry[p];
    for (int32_t i = s->row[p]; s->flag[i] != (int32_t)k; i = s->parent[i]) {
      s->path[length++] = i;
      s->flag[i] = (int32_t)k;
    }
    while (length > 0) s->pattern[--top] = s->path[--length];
  }
  // Columns in topological order.
  s->d[k] = s->y[k];
  s->y[k] = 0;
  for (; top < s->n; ++top) {
    size_t i = (size_t)s->pattern[top], end = s->lstart[i] + s->filled[i];
    double y = s->y[i], l = y / s->d[i];
    s->y[i] = 0;
    for (size_t p = s->lstart[i]; p < end; ++p) s->y[s->lrow[p]] -= s->lentry[p] * y;
    s->d[k] -= l * y;
    s->lrow[end] = (int32_t)k;
    s->lentry[end] = l;
    s->filled[i]++;
  }
}

// L, D and L^T.
static void substitute(const Sparse* s, double* b) {
  for (size_t j = 0; j < s->n; ++j)
    for (size_t p = s->lstart[j]; p < s->lstart[j + 1]; ++p) b[s->lrow[p]] -= s->lentry[p] * b[j];
  for (size_t j = s->n; j-- > 0;) {
    b[j] /= s->d[j];
    for (size_t p = s->lstart[j]; p < s->lstart[j + 1]; ++p) b[j] -= s->lentry[p] * b[s->lrow[p]];
  }
}

// Copies between the order of the flip's vectors (`theirs`) and that of the factor (`mine`).
static void permute(const Sparse* s, double* mine, double* theirs, bool to_theirs) {
  for (size_t k = 0; k < s->f->nstrand; ++k)
    for (size_t i = 0; i < unknowns(s->f) && rv_bench_flip_hair(s->f, k) >= 0; ++i) {
      double* a = &mine[s->order[k * unknowns(s->f) + i]];
      double* b = &theirs[rv_bench_flip_place(s->f, k, 0) + i * RV_LANES];
      if (to_theirs)
        *b = *a;
      else
        *a = *b;
    }
}

// Numeric factorisation and solve.
static RvResult factor_and_solve(Sparse* s, double* x, RvError* error) {
  size_t entries = s->lstart[s->n];
  s->lrow = rv_alloc(entries, sizeof *s->lrow);
  s->lentry = rv_alloc(entries, sizeof(double));
  s->pattern = rv_alloc(s->n, sizeof *s->pattern);
  s->path = rv_alloc(s->n, sizeof *s->path);
  s->d = rv_alloc(s->n, sizeof(double));
  s->y = rv_alloc_zero(s->n, sizeof(double));
  if (!s->lrow || !s->lentry || !s->pattern || !s->path || !s->d || !s->y)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for a factor of %zu entries", entries);
  memset(s->filled, 0, s->n * sizeof *s->filled);
  memset(s->flag, 0xff, s->n * sizeof *s->flag);
  for (size_t k = 0; k < s->n; ++k) factor_row(s, k);
  memcpy(x, s->f->right, s->f->model->unknowns * sizeof(double));
  permute(s, s->y, x, false);
  substitute(s, s->y);
  permute(s, s->y, x, true);
  return RV_OK;
}

// Order, matrix and analysis are always done; the factorisation only within the limits.
RvResult rv_bench_direct_solve(const RvFlip* f, double most_flops, size_t most_entries, double* x, RvDirect* out,
                               RvError* error) {
  Sparse s = {.f = f};
  double start = rv_clock_cpu();
  *out = (RvDirect){0};
  s.order = rv_alloc(f->nstrand * unknowns(f), sizeof *s.order);
  RvResult result = s.order ? find_order(&s, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) {
    s.lstart = rv_alloc_zero(s.n + 1, sizeof *s.lstart);
    s.parent = rv_alloc(s.n, sizeof *s.parent);
    s.flag = rv_alloc(s.n, sizeof *s.flag);
    if (!s.lstart || !s.parent || !s.flag || !fill_matrix(&s)) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  if (!result) {
    analyse(&s, out);
    out->solved = out->flops <= most_flops && out->entries <= most_entries;
    if (out->solved) result = factor_and_solve(&s, x, error);
  }
  out->cpu = rv_clock_cpu() - start;
  void* memory[] = {s.order,  s.start, s.row,     s.entry, s.lstart, s.filled, s.lrow,
                    s.parent, s.flag,  s.pattern, s.path,  s.lentry, s.d,      s.y};
  for (size_t k = 0; k < sizeof memory / sizeof *memory; ++k) rv_free(memory[k]);
  return result;
}
