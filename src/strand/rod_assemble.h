// Maps the 8 x 8 matrix of an inner vertex from edges and angles to the eleven unknowns and adds it to the band; adds
// the stretching of an edge. Part of rod_kernel.c.
#ifndef RV_STRAND_ROD_ASSEMBLE_H
#define RV_STRAND_ROD_ASSEMBLE_H

// Adds w at row, column (row >= column) of the unknowns counted from `first`.
RV_INLINE void add_entry(double* band, int first, int row, int column, RvLanes w) {
  double* p = band + ((size_t)(first + column) * (RV_ROD_BAND + 1) + (size_t)(row - column)) * RV_W;
  rv_lanes_store(p, rv_lanes_load(p) + w);
}

// Adds a symmetric 3 x 3 matrix on the diagonal.
RV_INLINE void add_diagonal(double* band, int first, int at, const RvLanes s[6]) {
  add_entry(band, first, at, at, s[0]);
  add_entry(band, first, at + 1, at, s[1]);
  add_entry(band, first, at + 1, at + 1, s[2]);
  add_entry(band, first, at + 2, at, s[3]);
  add_entry(band, first, at + 2, at + 1, s[4]);
  add_entry(band, first, at + 2, at + 2, s[5]);
}

// Adds a 3 x 3 matrix below the diagonal, given by its transpose: m[3 r + c] belongs at row `row + c`, column `column +
// r`.
RV_INLINE void add_below(double* band, int first, int row, int column, const RvLanes m[9]) {
  RV_UNROLL
  for (int r = 0; r < 3; ++r) {
    add_entry(band, first, row, column + r, m[3 * r]);
    add_entry(band, first, row + 1, column + r, m[3 * r + 1]);
    add_entry(band, first, row + 2, column + r, m[3 * r + 2]);
  }
}

// Adds three entries of a row.
RV_INLINE void add_row(double* band, int first, int row, int column, RvLanes3 v) {
  add_entry(band, first, row, column, v.x);
  add_entry(band, first, row, column + 1, v.y);
  add_entry(band, first, row, column + 2, v.z);
}

// Adds three entries of a column.
RV_INLINE void add_column(double* band, int first, int row, int column, RvLanes3 v) {
  add_entry(band, first, row, column, v.x);
  add_entry(band, first, row + 1, column, v.y);
  add_entry(band, first, row + 2, column, v.z);
}

// Symmetric 3 x 3 matrix from its lower triangle.
RV_INLINE void expand(const RvLanes s[6], RvLanes m[9]) {
  m[0] = s[0];
  m[4] = s[2];
  m[8] = s[5];
  m[1] = m[3] = s[1];
  m[2] = m[6] = s[3];
  m[5] = m[7] = s[4];
}

// Unknowns of the three vertices: x0 0..2, angle of e 3, x1 4..6, angle of f 7, x2 8..10; e = x1 - x0, f = x2 - x1.
RV_INLINE void spread(const Block* h, double* band, int first) {
  RvLanes ee[9], ff[9], middle[6], m[9];
  expand(h->ee, ee);
  expand(h->ff, ff);
  // column x0
  add_diagonal(band, first, 0, h->ee);
  add_row(band, first, 3, 0, rv_lanes3_scale(h->ea, SET(-1)));
  RV_UNROLL
  for (int k = 0; k < 9; ++k) m[k] = h->ef[k] - ee[k];
  add_below(band, first, 4, 0, m);
  add_row(band, first, 7, 0, rv_lanes3_scale(h->eb, SET(-1)));
  RV_UNROLL
  for (int k = 0; k < 9; ++k) m[k] = -h->ef[k];
  add_below(band, first, 8, 0, m);
  // column angle of e
  add_entry(band, first, 3, 3, h->aa);
  add_column(band, first, 4, 3, rv_lanes3_sub(h->ea, h->fa));
  add_entry(band, first, 7, 3, h->ab);
  add_column(band, first, 8, 3, h->fa);
  // column x1
  middle[0] = h->ee[0] + h->ff[0] - SET(2) * h->ef[0];
  middle[1] = h->ee[1] + h->ff[1] - h->ef[1] - h->ef[3];
  middle[2] = h->ee[2] + h->ff[2] - SET(2) * h->ef[4];
  middle[3] = h->ee[3] + h->ff[3] - h->ef[2] - h->ef[6];
  middle[4] = h->ee[4] + h->ff[4] - h->ef[5] - h->ef[7];
  middle[5] = h->ee[5] + h->ff[5] - SET(2) * h->ef[8];
  add_diagonal(band, first, 4, middle);
  add_row(band, first, 7, 4, rv_lanes3_sub(h->eb, h->fb));
  RV_UNROLL
  for (int k = 0; k < 9; ++k) m[k] = h->ef[k] - ff[k];
  add_below(band, first, 8, 4, m);
  // columns angle of f and x2
  add_entry(band, first, 7, 7, h->bb);
  add_column(band, first, 8, 7, h->fb);
  add_diagonal(band, first, 8, h->ff);
}

// Stretching energy of edge j: k (|e| - L)^2 / 2.
RV_INLINE RvLanes stretch_energy(const RvRodBatch* rod, const Edge* e, int j, int lane) {
  const RvLanes k = rv_lanes_load(rod->stretch + (size_t)j * RV_W + lane);
  const RvLanes d = e->length - rv_lanes_load(rod->length + (size_t)j * RV_W + lane);
  return SET(0.5) * k * d * d;
}

// p += v
RV_INLINE void add3(double* p, RvLanes3 v) {
  rv_lanes3_store(p, rv_lanes3_add(rv_lanes3_load(p), v));
}

// Gradient and, if band is not NULL, Hessian of the stretching of edge j.
RV_INLINE void add_stretch(const RvRodBatch* rod, const Edge* e, int j, int lane, int full, double* g, double* band) {
  const RvLanes k = rv_lanes_load(rod->stretch + (size_t)j * RV_W + lane);
  const RvLanes d = e->length - rv_lanes_load(rod->length + (size_t)j * RV_W + lane);
  const RvLanes3 force = rv_lanes3_scale(e->t, k * d);
  add3(g + (size_t)(4 * j) * RV_W, rv_lanes3_scale(force, SET(-1)));
  add3(g + (size_t)(4 * j + 4) * RV_W, force);
  if (!band) return;
  // k t t^T + k (1 - L / |e|)(I - t t^T); the Gauss-Newton Hessian drops the second term under compression, where it
  // is negative
  RvLanes across = k * d * e->inverse;
  if (!full) across = rv_lanes_max(across, SET(0));
  RvLanes s[6] = {across, SET(0), across, SET(0), SET(0), across}, m[9];
  add_square(s, k - across, e->t);
  expand(s, m);
  add_diagonal(band, 4 * j, 0, s);
  add_diagonal(band, 4 * j, 4, s);
  RV_UNROLL
  for (int c = 0; c < 9; ++c) m[c] = -m[c];
  add_below(band, 4 * j, 4, 0, m);
}

#endif
