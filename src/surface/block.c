// One block of the level set: sums of particle kernels, distances to capsules and webs, their union, and the narrow
// band around the surface as leaves.
#include <math.h>
#include <string.h>

#include "surface/blob_kernel.h"
#include "surface/parts.h"

enum { VOXELS = RV_SPAN * RV_SPAN * RV_SPAN, CELLS3 = RV_CELLS * RV_CELLS * RV_CELLS };
// The ring: centres of the cells of the span, and one more cell on each side.
enum { RING = RV_CELLS + 2, RING3 = RING * RING * RING };

static const float FAR = RV_SURFACE_BAND + 1;  // distance beyond the band, voxels
// A cell is interior, without a surface in it, if the sum of the wide kernels is at least INTERIOR at its centre and at
// the 26 centres around it. Between FILL and FULL of that sum, gaps that random particle positions leave inside the
// liquid are closed. At a flat surface the sum is one half; it reaches FILL one separation below.
static const float INTERIOR = 0.85f, FILL = 0.65f, FULL = 0.85f;
static const float CELL_CENTRE = 1.5f;   // offset of a cell's centre from its first voxel
static const float RING_OFFSET = 2.5f;   // centre i of the ring lies at 4 i - 2.5 voxels of the span
static const float CELL_RADIUS = 2.6f;   // half the diagonal of a cell, voxels
static const float WEB_FILLET = 0.5f;    // fillet between films and webs, voxels
static const float ROOT_OFFSET = 1e-4f;  // keeps distance_like finite at fractions of 0 and 1, where it is 5
static const float PIT_VALUE = 0.2f;     // transformed liquid fraction given to an enclosed air voxel
static const float SHORTEST2 = 1e-12f;   // squared length below which a capsule is a ball, voxels^2
// Largest displacement by `compensate_interpolation`, voxels: that of a ball with a radius of one voxel.
#define COMPENSATION_LIMIT 0.17f
// Largest value of `distance_like`, which it takes at a liquid fraction of 1 only.
#define DISTANCE_LIKE_LIMIT 5.0f

struct RvBlockWork {
  float share[VOXELS];     // liquid fraction of the bulk, then `distance_like` of it, then the final distance
  float phi[VOXELS];       // signed distance, voxels
  float film[VOXELS];      // distance to the capsules of films
  float web[VOXELS];       // distance to the webs
  uint8_t frozen[VOXELS];  // scratch of redistancing
  uint8_t bulk[CELLS3];    // cells: 1 within reach of bulk, 2 may contain its surface
  uint8_t wet[CELLS3];     // cells near a capsule or a web
  uint8_t webbed[CELLS3];  // cells near a web
  float middle[RING3];     // liquid fraction at the centres of cells
  float wide[RING3];       // sum of the wide kernels at the centres of cells
  uint32_t columns[RV_CELLS * RV_CELLS];  // cells with surface along z, one bit each
  bool any_bulk, any_film, any_web;
};

const size_t rv_surface_block_work_bytes = sizeof(RvBlockWork);

// Truncates to an integer within bounds.
static int clamp_int(double x, int lo, int hi) {
  return x < lo ? lo : x > hi ? hi : (int)x;
}

// First and last cells that a box in voxels of the span covers; false: none.
static bool cells_of(const float lo[3], const float hi[3], int first[3], int last[3]) {
  for (int c = 0; c < 3; ++c) {
    if (!(hi[c] >= 0 && lo[c] <= RV_SPAN - 1)) return false;
    first[c] = clamp_int(floorf(lo[c] / RV_CELL), 0, RV_CELLS - 1);
    last[c] = clamp_int(floorf(hi[c] / RV_CELL), 0, RV_CELLS - 1);
  }
  return true;
}

//---------------------------------------------------------------------------------------------- bulk: cells with
// surface

typedef RvBlobLocal Local;

// The wide, isotropic kernel of a particle.
static Local wide_kernel(const RvBlob* b, const Local* l) {
  float m = 1 / (b->wide * b->wide);
  return (Local){
      .x = {l->x[0], l->x[1], l->x[2]}, .m = {m, m, m}, .reach = {b->wide, b->wide, b->wide}, .amount = b->spread};
}

// A kernel in voxels of the span.
static Local localize(const RvBlob* b, const double origin[3]) {
  Local l = {.amount = b->amount};
  for (int c = 0; c < 3; ++c) {
    l.x[c] = (float)(b->x[c] - origin[c]);
    l.reach[c] = b->reach[c];
  }
  memcpy(l.m, b->m, sizeof l.m);
  return l;
}

// Adds a kernel at the centres of cells.
static void add_at_centres(float* middle, const Local* l) {
  int lo[3], hi[3];
  for (int c = 0; c < 3; ++c) {
    lo[c] = clamp_int(ceilf((l->x[c] - l->reach[c] + RING_OFFSET) / RV_CELL), 0, RING);
    hi[c] = clamp_int(floorf((l->x[c] + l->reach[c] + RING_OFFSET) / RV_CELL), -1, RING - 1);
  }
  for (int i = lo[0]; i <= hi[0]; ++i)
    for (int j = lo[1]; j <= hi[1]; ++j) {
      float dx = (float)(RV_CELL * i) - RING_OFFSET - l->x[0], dy = (float)(RV_CELL * j) - RING_OFFSET - l->x[1];
      float a = l->m[0] * dx * dx + l->m[1] * dy * dy + 2 * l->m[5] * dx * dy;
      float b = 2 * (l->m[3] * dy + l->m[4] * dx);
      float* row = middle + (i * RING + j) * RING;
      for (int k = lo[2]; k <= hi[2]; ++k) {
        float dz = (float)(RV_CELL * k) - RING_OFFSET - l->x[2], q = 1 - (a + dz * (b + l->m[2] * dz));
        q = q > 0 ? q : 0;
        row[k] += l->amount * q * q * q;
      }
    }
}

// Marks the cells that a box covers.
static void mark_box(uint8_t* cells, const float lo[3], const float hi[3], uint8_t value) {
  int first[3], last[3];
  if (!cells_of(lo, hi, first, last)) return;
  for (int i = first[0]; i <= last[0]; ++i)
    for (int j = first[1]; j <= last[1]; ++j)
      memset(cells + rv_surface_cell_at(i, j, first[2]), value, (size_t)(last[2] - first[2] + 1));
}

// True if the cell and the 26 around it are interior.
static bool is_interior(const RvBlockWork* w, int i, int j, int k) {
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 3; ++c)
        if (!(w->wide[((i + a) * RING + j + b) * RING + k + c] >= INTERIOR)) return false;
  return true;
}

// Marks with 2 the cells within reach of bulk that are not interior.
static void choose_cells(RvBlockWork* w) {
  for (int i = 0; i < RV_CELLS; ++i)
    for (int j = 0; j < RV_CELLS; ++j)
      for (int k = 0; k < RV_CELLS; ++k)
        if (w->bulk[rv_surface_cell_at(i, j, k)] && !is_interior(w, i, j, k)) w->bulk[rv_surface_cell_at(i, j, k)] = 2;
}

//---------------------------------------------------------------------------------------------- bulk: distances

// Packs the cells with surface into bits along z.
static void list_columns(RvBlockWork* w) {
  for (int c = 0; c < RV_CELLS * RV_CELLS; ++c) {
    w->columns[c] = 0;
    for (int k = 0; k < RV_CELLS; ++k) w->columns[c] |= (uint32_t)(w->bulk[c * RV_CELLS + k] == 2) << k;
  }
}

// Adds a kernel to the liquid fraction of the voxels.
static void add_kernel(RvBlockWork* w, RvBlobLocal* l) {
  for (int c = 0; c < 3; ++c) {
    l->lo[c] = clamp_int(ceilf(l->x[c] - l->reach[c]), 0, RV_SPAN);
    l->hi[c] = clamp_int(floorf(l->x[c] + l->reach[c]), -1, RV_SPAN - 1);
    if (l->lo[c] > l->hi[c]) return;
  }
  l->along = (2u << l->hi[2] / RV_CELL) - (1u << l->lo[2] / RV_CELL);
  RV_KERNEL_CALL(rv_surface_blob_add, (w->share, w->columns, l));
}

// Transforms the liquid fraction to a value that is nearly linear in the distance from a flat surface. The fraction is
// nearly the error function of the distance; a fourth root approximates the inverse.
static float distance_like(float share) {
  share = share < 0 ? 0 : share > 1 ? 1 : share;
  return (share - 0.5f) / sqrtf(sqrtf(share * (1 - share) + ROOT_OFFSET));
}

#define FOR_CELL(cell)                                                                  \
  for (int x = (cell) / (RV_CELLS * RV_CELLS) * RV_CELL, x_ = x + RV_CELL; x < x_; ++x) \
    for (int y = (cell) / RV_CELLS % RV_CELLS * RV_CELL, y_ = y + RV_CELL; y < y_; ++y) \
      for (int z = (cell) % RV_CELLS * RV_CELL, z_ = z + RV_CELL; z < z_; ++z)

// Outside the processed cells the liquid fraction is exactly 0 or 1.
static void set_unprocessed_cells(RvBlockWork* w) {
  for (int cell = 0; cell < CELLS3; ++cell)
    if (w->bulk[cell] != 2)
      FOR_CELL(cell) w->share[rv_surface_span_at(x, y, z)] = w->bulk[cell] ? DISTANCE_LIKE_LIMIT : -DISTANCE_LIKE_LIMIT;
}

// Derivative along one axis: one-sided across a change of sign, otherwise central.
static float slope(float before, float here, float after) {
  bool b = (before < 0) != (here < 0), a = (after < 0) != (here < 0);
  float down = here - before, up = after - here;
  if (b && a) return fabsf(down) > fabsf(up) ? down : up;
  return b ? down : a ? up : 0.5f * (after - before);
}

// First-order signed distance -u / |grad u| of a voxel, limited to FAR.
static float share_distance(const float* u, int at, int x, int y, int z) {
  const int X = RV_SPAN * RV_SPAN, Y = RV_SPAN, last = RV_SPAN - 1;
  float here = u[at];
  float a = slope(x > 0 ? u[at - X] : here, here, x < last ? u[at + X] : here);
  float b = slope(y > 0 ? u[at - Y] : here, here, y < last ? u[at + Y] : here);
  float c = slope(z > 0 ? u[at - 1] : here, here, z < last ? u[at + 1] : here);
  float g = sqrtf(a * a + b * b + c * c), far = here < 0 ? FAR : -FAR;
  if (!(fabsf(here) < FAR * g)) return far;
  return -here / g;
}

// Sum of the wide kernels at a voxel, interpolated trilinearly between the centres of cells.
static float wide_at(const RvBlockWork* w, int x, int y, int z) {
  float p[3] = {((float)x + RING_OFFSET) / RV_CELL, ((float)y + RING_OFFSET) / RV_CELL,
                ((float)z + RING_OFFSET) / RV_CELL};
  float sum = 0;
  int i[3] = {(int)p[0], (int)p[1], (int)p[2]};
  for (int c = 0; c < 8; ++c) {
    float weight = 1;
    int at = 0;
    for (int a = 0; a < 3; ++a) {
      float t = p[a] - (float)i[a];
      weight *= c >> a & 1 ? t : 1 - t;
      at = at * RING + i[a] + (c >> a & 1);
    }
    sum += weight * w->wide[at];
  }
  return sum;
}

// True if the cell may contain voxels whose gaps are closed.
static bool may_fill(const RvBlockWork* w, int cell) {
  int i = cell / (RV_CELLS * RV_CELLS), j = cell / RV_CELLS % RV_CELLS, k = cell % RV_CELLS;
  for (int a = 0; a < 27; ++a)
    if (w->wide[((i + a / 9) * RING + j + a / 3 % 3) * RING + k + a % 3] > FILL) return true;
  return false;
}

// Raises the liquid fraction towards 1 where the wide kernels say that the voxel is inside the liquid.
static void close_gaps(RvBlockWork* w, int cell) {
  FOR_CELL(cell) {
    float* share = &w->share[rv_surface_span_at(x, y, z)];
    if (*share >= 1) continue;
    float t = (wide_at(w, x, y, z) - FILL) / (FULL - FILL);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    *share += t * t * (3 - 2 * t) * (1 - *share);
  }
}

// Fills single air voxels with liquid on all six sides: they come from random particle positions and are smaller than
// any bubble that the grid resolves. Two such voxels are never neighbours, so the order of filling does not matter.
static void close_pits(RvBlockWork* w, int cell) {
  const int X = RV_SPAN * RV_SPAN, Y = RV_SPAN, last = RV_SPAN - 1;
  float* u = w->share;
  FOR_CELL(cell) {
    int at = rv_surface_span_at(x, y, z);
    if (u[at] > 0 || x == 0 || y == 0 || z == 0 || x == last || y == last || z == last) continue;
    if (u[at - X] > 0 && u[at + X] > 0 && u[at - Y] > 0 && u[at + Y] > 0 && u[at - 1] > 0 && u[at + 1] > 0)
      u[at] = PIT_VALUE;
  }
}

// Distance of the bulk: close gaps, transform the fraction, fill pits, divide by the gradient.
static void make_bulk(RvBlockWork* w) {
  for (int cell = 0; cell < CELLS3; ++cell)
    if (w->bulk[cell] == 2 && may_fill(w, cell)) close_gaps(w, cell);
  for (int cell = 0; cell < CELLS3; ++cell)
    if (w->bulk[cell] == 2)
      FOR_CELL(cell) w->share[rv_surface_span_at(x, y, z)] = distance_like(w->share[rv_surface_span_at(x, y, z)]);
  for (int cell = 0; cell < CELLS3; ++cell)
    if (w->bulk[cell] == 2) close_pits(w, cell);
  for (int cell = 0; cell < CELLS3; ++cell) {
    if (w->bulk[cell] == 1) FOR_CELL(cell) w->phi[rv_surface_span_at(x, y, z)] = -FAR;
    if (w->bulk[cell] == 2) FOR_CELL(cell) {
        int at = rv_surface_span_at(x, y, z);
        w->phi[at] = share_distance(w->share, at, x, y, z);
      }
  }
}

//---------------------------------------------------------------------------------------------- film

// A capsule in voxels of the span.
typedef struct Bar {
  float a[3], e[3], inverse;  // axis from a to a + e; 1 / |e|^2
  float r, dr;                // radius at a; radius at the other end less r
  float lean;                 // cosine of the taper angle
} Bar;

// A capsule from its end points and radii.
static Bar bar_of(const double a[3], const double b[3], float r0, float r1, const double origin[3]) {
  Bar bar = {.r = r0, .dr = r1 - r0};
  float length2 = 0;
  for (int c = 0; c < 3; ++c) {
    bar.a[c] = (float)(a[c] - origin[c]);
    bar.e[c] = (float)(b[c] - a[c]);
    length2 += bar.e[c] * bar.e[c];
  }
  bar.inverse = length2 > SHORTEST2 ? 1 / length2 : 0;
  bar.lean = length2 > SHORTEST2 ? sqrtf(length2 / (length2 + bar.dr * bar.dr)) : 1;
  return bar;
}

// Signed distance to a capsule.
static inline float bar_distance(const Bar* b, float x, float y, float z) {
  float px = x - b->a[0], py = y - b->a[1], pz = z - b->a[2];
  float t = (px * b->e[0] + py * b->e[1] + pz * b->e[2]) * b->inverse;
  t = t < 0 ? 0 : t;
  t = t > 1 ? 1 : t;
  px -= t * b->e[0];
  py -= t * b->e[1];
  pz -= t * b->e[2];
  return (sqrtf(px * px + py * py + pz * pz) - (b->r + t * b->dr)) * b->lean;
}

// Lowers the film distance in the voxels of a cell to that of a capsule.
static void lower_tube(float* film, const Bar* b, int cell) {
  int x0 = cell / (RV_CELLS * RV_CELLS) * RV_CELL;
  int y0 = cell / RV_CELLS % RV_CELLS * RV_CELL;
  int z0 = cell % RV_CELLS * RV_CELL;
  for (int x = x0; x < x0 + RV_CELL; ++x)
    for (int y = y0; y < y0 + RV_CELL; ++y) {
      float* row = film + rv_surface_span_at(x, y, z0);
      for (int z = 0; z < RV_CELL; ++z) {
        float d = bar_distance(b, (float)x, (float)y, (float)(z0 + z));
        row[z] = d < row[z] ? d : row[z];
      }
    }
}

// Marks the cells within the band of a capsule and, if `values`, writes its distances.
static void add_tube(RvBlockWork* w, const RvTube* t, const double origin[3], bool values) {
  Bar bar = bar_of(t->a, t->b, t->r[0], t->r[1], origin);
  float thick = fmaxf(t->r[0], t->r[1]) + RV_SURFACE_BAND, lo[3], hi[3];
  int first[3], last[3];
  for (int c = 0; c < 3; ++c) {
    lo[c] = fminf(bar.a[c], bar.a[c] + bar.e[c]) - thick;
    hi[c] = fmaxf(bar.a[c], bar.a[c] + bar.e[c]) + thick;
  }
  if (!cells_of(lo, hi, first, last)) return;
  for (int i = first[0]; i <= last[0]; ++i)
    for (int j = first[1]; j <= last[1]; ++j)
      for (int k = first[2]; k <= last[2]; ++k) {
        float x = (float)(RV_CELL * i) + CELL_CENTRE, y = (float)(RV_CELL * j) + CELL_CENTRE,
              z = (float)(RV_CELL * k) + CELL_CENTRE;
        if (!(bar_distance(&bar, x, y, z) < RV_SURFACE_BAND + CELL_RADIUS)) continue;
        w->wet[rv_surface_cell_at(i, j, k)] = 1;
        w->any_film = true;
        if (values) lower_tube(w->film, &bar, rv_surface_cell_at(i, j, k));
      }
}

//---------------------------------------------------------------------------------------------- bridges

// A web in voxels of the span.
typedef struct Sheet {
  Bar a, b;            // axes, as capsules of radius 0
  float edge, middle;  // half thickness at the axes and in the middle
} Sheet;

// Nearest point of an axis; returns its parameter.
static inline float on_bar(const Bar* b, float x, float y, float z, float out[3]) {
  float t = ((x - b->a[0]) * b->e[0] + (y - b->a[1]) * b->e[1] + (z - b->a[2]) * b->e[2]) * b->inverse;
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  for (int c = 0; c < 3; ++c) out[c] = b->a[c] + t * b->e[c];
  return t;
}

// Signed distance to a web: distance to the line between the nearest points of both axes, less the half thickness,
// which is quadratic along that line.
static float sheet_distance(const Sheet* s, float x, float y, float z) {
  float p[3], q[3], d[3], length2 = 0, along = 0;
  on_bar(&s->a, x, y, z, p);
  on_bar(&s->b, x, y, z, q);
  d[0] = x - p[0];
  d[1] = y - p[1];
  d[2] = z - p[2];
  for (int c = 0; c < 3; ++c) {
    q[c] -= p[c];
    length2 += q[c] * q[c];
    along += q[c] * d[c];
  }
  float u = length2 > SHORTEST2 ? along / length2 : 0;
  float distance2 = 0;
  u = u < 0 ? 0 : u > 1 ? 1 : u;
  for (int c = 0; c < 3; ++c) distance2 += (d[c] - u * q[c]) * (d[c] - u * q[c]);
  float v = 2 * u - 1;
  return sqrtf(distance2) - (s->middle + (s->edge - s->middle) * v * v);
}

// Marks the cells within the band of a web and, if `values`, writes its distances.
static void add_web(RvBlockWork* w, const RvWeb* t, const double origin[3], bool values) {
  Sheet s = {bar_of(t->a[0], t->a[1], 0, 0, origin), bar_of(t->b[0], t->b[1], 0, 0, origin), t->edge, t->middle};
  // Box of both axes, widened by the thickness and the band.
  float thick = fmaxf(t->edge, t->middle) + RV_SURFACE_BAND, lo[3], hi[3];
  int first[3], last[3];
  for (int c = 0; c < 3; ++c) {
    float a0 = s.a.a[c], a1 = a0 + s.a.e[c], b0 = s.b.a[c], b1 = b0 + s.b.e[c];
    lo[c] = fminf(fminf(a0, a1), fminf(b0, b1)) - thick;
    hi[c] = fmaxf(fmaxf(a0, a1), fmaxf(b0, b1)) + thick;
  }
  if (!cells_of(lo, hi, first, last)) return;
  for (int i = first[0]; i <= last[0]; ++i)
    for (int j = first[1]; j <= last[1]; ++j)
      for (int k = first[2]; k <= last[2]; ++k) {
        int cell = rv_surface_cell_at(i, j, k);
        float x = (float)(RV_CELL * i) + CELL_CENTRE, y = (float)(RV_CELL * j) + CELL_CENTRE,
              z = (float)(RV_CELL * k) + CELL_CENTRE;
        // The distance at the centre decides whether the cell can reach the band.
        if (!(sheet_distance(&s, x, y, z) < RV_SURFACE_BAND + CELL_RADIUS)) continue;
        w->wet[cell] = 1;
        w->webbed[cell] = 1;
        w->any_web = true;
        w->any_film = true;
        if (!values) continue;
        FOR_CELL(cell) {
          float* at = &w->web[rv_surface_span_at(x, y, z)];
          float d = sheet_distance(&s, (float)x, (float)y, (float)z);
          *at = d < *at ? d : *at;
        }
      }
}

//---------------------------------------------------------------------------------------------- the block

// Sets all voxels to a value.
static void fill(float* values, float value) {
  for (int i = 0; i < VOXELS; ++i) values[i] = value;
}

// Union of two distance fields, with a fillet of width k where they meet.
static float smooth_union(float a, float b, float k) {
  float h = k - fabsf(a - b), least = a < b ? a : b;
  return h > 0 ? least - h * h / (4 * k) : least;
}

// Visits all elements of a block: marks the cells that they influence and, if `values`, computes the distances to
// capsules and webs. *origin: position of the first voxel of the span.
static void visit_elements(RvBlockWork* w, const RvParts* p, const RvBlockList* list, size_t block, double origin[3],
                           bool values) {
  for (int c = 0; c < 3; ++c) origin[c] = (double)list->at[block][c] * RV_BLOCK - RV_HALO;
  // Clear the marks.
  w->any_bulk = false;
  w->any_film = false;
  w->any_web = false;
  memset(w->bulk, 0, sizeof w->bulk);
  memset(w->wet, 0, sizeof w->wet);
  memset(w->webbed, 0, sizeof w->webbed);
  memset(w->middle, 0, sizeof w->middle);
  memset(w->wide, 0, sizeof w->wide);
  if (values) {
    fill(w->film, FAR);
    fill(w->web, FAR);
  }
  // Particles are marked by their box, films and webs by their distance.
  for (size_t i = list->first[block]; i < list->first[block + 1]; ++i) {
    size_t e = list->element[i];
    if (e < p->nblob) {
      Local l = localize(&p->blobs[e], origin);
      float lo[3], hi[3];
      for (int c = 0; c < 3; ++c) {
        lo[c] = l.x[c] - l.reach[c] - RV_SURFACE_BAND;
        hi[c] = l.x[c] + l.reach[c] + RV_SURFACE_BAND;
      }
      Local wide = wide_kernel(&p->blobs[e], &l);
      add_at_centres(w->wide, &wide);
      if (!values) add_at_centres(w->middle, &l);
      mark_box(w->bulk, lo, hi, 1);
      w->any_bulk = true;
    } else if (e < p->nblob + p->ntube) {
      add_tube(w, &p->tubes[e - p->nblob], origin, values);
    } else {
      add_web(w, &p->webs[e - p->nblob - p->ntube], origin, values);
    }
  }
  if (w->any_bulk) choose_cells(w);
}

// True if the surface of the bulk may pass through a cell, judged by the liquid fraction at the centres around it: the
// threshold 0.3 allows for a surface between the centres.
static bool straddles(const RvBlockWork* w, int i, int j, int k) {
  float lo = 1, hi = 0;
  for (int a = 0; a < 27; ++a) {
    float m = w->middle[((i + a / 9) * RING + j + a / 3 % 3) * RING + k + a % 3];
    lo = m < lo ? m : lo;
    hi = m > hi ? m : hi;
  }
  return lo < 0.5f && hi > 0.3f;
}

size_t rv_surface_block_survey(RvBlockWork* w, const RvParts* p, const RvBlockList* list, size_t block) {
  double origin[3];
  visit_elements(w, p, list, block, origin, false);
  size_t count = 0;
  for (int leaf = 0; leaf < RV_BLOCK_LEAVES * RV_BLOCK_LEAVES * RV_BLOCK_LEAVES; ++leaf) {
    int x = leaf / 64, y = leaf / 8 % 8, z = leaf % 8;
    bool any = false;
    for (int c = 0; c < 8 && !any; ++c) {
      int i = 1 + 2 * x + c / 4;
      int j = 1 + 2 * y + c / 2 % 2;
      int k = 1 + 2 * z + c % 2;
      int cell = rv_surface_cell_at(i, j, k);
      any = w->wet[cell] || (w->bulk[cell] == 2 && straddles(w, i, j, k));
    }
    count += any;
  }
  return count;
}

// Compensates the error of trilinear interpolation between voxels, whose mean exceeds the function by 1/12 of its
// Laplacian and which would shrink a curved surface: that much is subtracted, so that the surface encloses the right
// volume. The correction fades out over the outer half of the band. The result replaces the liquid fractions.
static void compensate_interpolation(RvBlockWork* w) {
  const int X = RV_SPAN * RV_SPAN, Y = RV_SPAN;
  const float* phi = w->phi;
  for (int x = RV_HALO; x < RV_SPAN - RV_HALO; ++x)
    for (int y = RV_HALO; y < RV_SPAN - RV_HALO; ++y)
      for (int at = rv_surface_span_at(x, y, RV_HALO), last = at + RV_BLOCK; at < last; ++at) {
        float here = phi[at], fade = (RV_SURFACE_BAND - fabsf(here)) * (2.0f / 3);
        float laplacian = phi[at - X] + phi[at + X] + phi[at - Y] + phi[at + Y] + phi[at - 1] + phi[at + 1] - 6 * here;
        fade = fade < 0 ? 0 : fade > 1 ? 1 : fade;
        float by = laplacian * (1.0f / 12);
        by = by < -COMPENSATION_LIMIT ? -COMPENSATION_LIMIT : by > COMPENSATION_LIMIT ? COMPENSATION_LIMIT : by;
        w->share[at] = here - fade * by;
      }
}

// Values of a leaf, clamped to the band, and the mask of voxels inside it; false: no voxel is inside.
static bool cut_leaf(const RvBlockWork* w, int x, int y, int z, float* values, uint64_t* active) {
  uint64_t any = 0;
  memset(active, 0, 64);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      const float* row = w->share + rv_surface_span_at(RV_HALO + 8 * x + i, RV_HALO + 8 * y + j, RV_HALO + 8 * z);
      float* to = values + i * 64 + j * 8;
      for (int k = 0; k < 8; ++k) {
        float d = row[k];
        float cut = d < -RV_SURFACE_BAND ? -RV_SURFACE_BAND : d > RV_SURFACE_BAND ? RV_SURFACE_BAND : d;
        to[k] = cut;
        active[i] |= (uint64_t)(d > -RV_SURFACE_BAND && d < RV_SURFACE_BAND) << (8 * j + k);
      }
      any |= active[i];
    }
  return any != 0;
}

// Collects the leaves that contain the band; false: out of memory.
static bool collect_leaves(const RvBlockWork* w, const int32_t at[3], RvBlockLeaves* out) {
  const int side = RV_BLOCK_LEAVES, all = side * side * side;
  size_t count = 0;
  uint16_t found[RV_BLOCK_LEAVES * RV_BLOCK_LEAVES * RV_BLOCK_LEAVES];
  float values[512];
  uint64_t active[8];
  for (int leaf = 0; leaf < all; ++leaf)
    if (cut_leaf(w, leaf / 64, leaf / 8 % 8, leaf % 8, values, active)) found[count++] = (uint16_t)leaf;
  if (!count) return true;
  out->origin = rv_alloc(3 * count, sizeof *out->origin);
  out->values = rv_alloc(512 * count, sizeof *out->values);
  out->active = rv_alloc(8 * count, sizeof *out->active);
  if (!out->origin || !out->values || !out->active) return false;
  for (size_t n = 0; n < count; ++n) {
    int leaf = found[n], place[3] = {leaf / 64, leaf / 8 % 8, leaf % 8};
    cut_leaf(w, place[0], place[1], place[2], out->values + 512 * n, out->active + 8 * n);
    for (int c = 0; c < 3; ++c) out->origin[3 * n + (size_t)c] = at[c] * RV_BLOCK + 8 * place[c];
  }
  out->count = count;
  return true;
}

bool rv_surface_block_make(RvBlockWork* w, const RvParts* p, const RvBlockList* list, size_t block, float blend,
                           RvBlockLeaves* out) {
  double origin[3];
  *out = (RvBlockLeaves){0};
  visit_elements(w, p, list, block, origin, true);
  if (!w->any_bulk && !w->any_film) return true;
  // Bulk: sum the kernels, then turn the liquid fraction into a distance.
  fill(w->phi, FAR);
  if (w->any_bulk) {
    memset(w->share, 0, sizeof w->share);
    list_columns(w);
    for (size_t i = list->first[block]; i < list->first[block + 1] && list->element[i] < p->nblob; ++i) {
      Local l = localize(&p->blobs[list->element[i]], origin);
      add_kernel(w, &l);
    }
    set_unprocessed_cells(w);
    make_bulk(w);
  }
  // Union with films and webs.
  for (int cell = 0; cell < CELLS3 && w->any_film; ++cell)
    if (w->wet[cell]) FOR_CELL(cell) {
        int at = rv_surface_span_at(x, y, z);
        float film = w->webbed[cell] ? smooth_union(w->film[at], w->web[at], WEB_FILLET) : w->film[at];
        w->phi[at] = w->bulk[cell] ? smooth_union(w->phi[at], film, blend) : film;
      }
  // Redistance around the bulk, whose values are only first-order accurate.
  if (w->any_bulk) {
    for (int cell = 0; cell < CELLS3; ++cell) w->bulk[cell] = w->bulk[cell] == 2;
    rv_surface_block_redistance(w->phi, w->bulk, w->frozen, (uint32_t*)(void*)w->web);
  }
  compensate_interpolation(w);
  return collect_leaves(w, list->at[block], out);
}
