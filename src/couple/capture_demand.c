// What the film of each vertex asks of the liquid around it, and what it returns (WH-18, WH-31, E74, E77).
//
// - A strand that comes out of the bulk draws a film with it (withdraw.c), and in a bundle the liquid between the hairs
//   (spacing.c). The amount belongs to the way from water to air: where w_FF rises by dw, the film gains dw times the
//   film that the whole way leaves. So it does not depend on the length of the step, the width of the surface on the
//   grid or the size of particles.
// - Drops meet the strand's section: in dt the strand sweeps 2 (r + h) |u| dt for each length, u across it. The liquid
// in
//   there is found by a kernel of unit integral over the section, so the mean does not depend on its width. A drop at
//   rest is drawn in with the speed of capillary waves.
// - Under water there is no film: what is there goes back to the particles around within a few milliseconds.
// - A strand takes no more than it can carry (17).
#include <math.h>

#include "base/parallel.h"
#include "couple/capture_work.h"
#include "math/scalar.h"

enum { STRANDS_OF_TASK = 64, TILES_OF_TASK = 64 };
// s: in this time film under water joins the bulk, and a bundle at the surface fills: some periods of the capillary
// waves of 1 mm.
static const double MIXING_TIME = 3e-3;
// Cells: half the width of the tent by which drops are told from the bulk. At the surface of a bulk the fill is a half,
// at half a cell above it BULK_FILL; a single particle has 1/64.
enum { WIDE = 2 };
static const double BULK_FILL = 0.3, DROP_FILL = 0.1;
// Of full submersion: fill of the cells around a strand that the nearest particles of the bulk are about to leave the
// reach of. There it counts as in air, so that those who pay for its film are near as long as it comes out.
static const double OUT_OF_REACH = 0.4;

static double smooth_step(double x) {
  x = rv_clamp(x, 0, 1);
  return x * x * (3 - 2 * x);
}

//---------------------------------------------------------------------------------------------- submersion

// Fill of the cells of some tiles.
static void fill_cells(void* arg, size_t begin, size_t end) {
  const RvCapture* k = arg;
  double inverse = 1 / (k->grid->dx * k->grid->dx * k->grid->dx);
  for (size_t n = begin * RV_TILE_CELLS; n < end * RV_TILE_CELLS; ++n) {
    double sum = 0;
    for (size_t i = k->p->cell_first[n]; i < k->p->cell_first[n + 1]; ++i) sum += k->p->volume[i];
    k->cell_fill[n] = (float)(sum * inverse);
  }
}

// Fill around a position by a tent WIDE cells wide, cells taken as points at their centres.
static double wide_fill(const RvCapture* k, const double x[3]) {
  double weight[3][2 * WIDE + 1], sum = 0;
  int32_t first[3], home[2][2][2];
  for (int a = 0; a < 3; ++a) {
    double at = (x[a] - k->grid->origin[a]) / k->grid->dx;
    first[a] = (int32_t)floor(at) - WIDE;
    for (int n = 0; n <= 2 * WIDE; ++n) weight[a][n] = fmax(1 - fabs(at - (first[a] + n + 0.5)) / WIDE, 0) / WIDE;
  }
  // The cells are of at most two tiles along each axis.
  const int32_t tile[3] = {first[0] >> 3, first[1] >> 3, first[2] >> 3};
  for (int n = 0; n < 8; ++n)
    home[n >> 2][n >> 1 & 1][n & 1] =
        rv_tiles_find(&k->p->homes, tile[0] + (n & 1), tile[1] + (n >> 1 & 1), tile[2] + (n >> 2));
  for (int z = 0; z <= 2 * WIDE; ++z)
    for (int y = 0; y <= 2 * WIDE; ++y) {
      const int32_t in_y = first[1] + y, in_z = first[2] + z;
      const int32_t* of_row = home[(in_z >> 3) - tile[2]][(in_y >> 3) - tile[1]];
      double row = 0;
      for (int n = 0; n <= 2 * WIDE; ++n) {
        const int32_t in_x = first[0] + n, at = of_row[(in_x >> 3) - tile[0]];
        if (at < 0) continue;
        size_t cell = (size_t)rv_tile_cell(in_x & 7, in_y & 7, in_z & 7);
        row += weight[0][n] * (double)k->cell_fill[(size_t)at * RV_TILE_CELLS + cell];
      }
      sum += weight[1][y] * weight[2][z] * row;
    }
  return sum;
}

// Submersion of a strand where the cells around it have that fill.
static double submersion_of(const RvCapture* k, size_t packed, double fill) {
  const RvCouple* c = k->c;
  double fibres = c->vertices.data[packed].radius / c->capacity_radius.data[packed];
  double share = rv_clamp(c->hair_count.data[packed] * fibres * fibres, RV_COUPLE_SHARE_LEAST, RV_COUPLE_SHARE_MOST);
  return smooth_step((fill / (RV_COUPLE_FULL * (1 - share)) - OUT_OF_REACH) / (1 - OUT_OF_REACH));
}

// Submersion of a vertex and dispersion of the liquid around it, by the present positions of the particles: the grid is
// that of the step before, and a front that advances over hair would wet it the more the longer the step is.
static void look(const RvCapture* k, size_t packed) {
  RvCaptureVertex* r = &k->around[packed];
  const double* x = k->c->vertices.data[packed].x;
  double fill = rv_couple_fill(k->grid, k->p, x);
  // without particles within a cell none is within reach
  if (!(fill > 0)) return;
  r->air = 1 - submersion_of(k, packed, fill);
  if (r->air > 0) r->dispersed = smooth_step((BULK_FILL - wide_fill(k, x)) / (BULK_FILL - DROP_FILL)) * r->air;
}

// Vertices of some strands.
static void look_some(void* arg, size_t begin, size_t end) {
  const RvCapture* k = arg;
  double* air = k->strands->air;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleStrand* s = &k->c->strands.data[n];
    for (int i = 0; i < s->count; ++i) {
      size_t packed = s->first + (size_t)i;
      RvCaptureVertex* r = &k->around[packed];
      *r = (RvCaptureVertex){.air = 1, .air_before = 1};
      if (!s->valid) continue;
      look(k, packed);
      double before = air ? rv_couple_at(air, s, i) : -1;
      // below 0: not known yet
      r->air_before = before >= 0 && before <= 1 ? before : r->air;
      if (air) rv_couple_put1(air, s, i, r->air);
    }
  }
}

void rv_couple_capture_look(RvCapture* k) {
  rv_parallel_for(k->p->homes.count, TILES_OF_TASK, fill_cells, k);
  rv_parallel_for(k->c->strands.count, STRANDS_OF_TASK, look_some, k);
}

bool rv_couple_capture_active(const RvCapture* k, const RvCoupleStrand* s, int i) {
  const RvCaptureVertex* r = &k->around[s->first + (size_t)i];
  double film = k->strands->film_state->volume[s->vertex + (size_t)i * RV_LANES];
  return s->valid && (r->air > 0 || film > 0);
}

//---------------------------------------------------------------------------------------------- demands

// The liquid around a vertex.
typedef struct Liquid {
  double volume;  // m3, by weight
  double speed;   // m/s, mean relative to the strand
  double across;  // m4/s, volume times speed across the strand
} Liquid;

static Liquid liquid_around(const RvCapture* k, size_t packed) {
  double sum[RV_CAPTURE_WEIGHTS] = {0};
  rv_couple_capture_add(k, packed, RV_CAPTURE_WEIGHTS, RV_CAPTURE_WEIGHTS, sum);
  double volume = sum[RV_CAPTURE_VOLUME];
  return (Liquid){volume, volume > 0 ? sum[RV_CAPTURE_SPEED] / volume : 0, sum[RV_CAPTURE_ACROSS]};
}

// m3 that the strand sweeps up in dt. The kernel (1 - d^2 / R^2)^2 has the integral pi R^2 / 3 over the section.
static double swept(const RvCapture* k, const RvCoupleStrand* s, size_t packed, const Liquid* l, double height) {
  const RvCaptureVertex* r = &k->around[packed];
  const RvCoupleVertex* v = &k->c->vertices.data[packed];
  double drop = k->c->capacity_radius.data[packed];
  if (!(r->dispersed > 0) || !(drop > 0)) return 0;
  double pull = sqrt(k->set->tension / (k->set->density * drop));
  double section = RV_PI * k->reach * k->reach / 3;
  return r->dispersed * s->hairs * 2 * (v->radius + height) / section * (l->across + pull * l->volume) * k->dt;
}

// Demand and return of a vertex.
static void demand(const RvCapture* k, const RvCoupleStrand* s, int i) {
  size_t packed = s->first + (size_t)i;
  RvCaptureVertex* r = &k->around[packed];
  const RvCoupleVertex* v = &k->c->vertices.data[packed];
  const double film = k->strands->film_state->volume[s->vertex + (size_t)i * RV_LANES];
  const double length = v->length * s->hairs;
  if (!s->valid || !(length > 0)) return;
  Liquid l = liquid_around(k, packed);
  if (!(l.volume > 0)) return;

  // The film that the way out of the bulk leaves, m2.
  double multiplier = fmax(k->set->capture * rv_couple_at(k->set->capture_at, s, i), 0);
  double area = film / length;
  double thin = rv_film_area(rv_couple_withdrawn_height(v->radius, l.speed, k->set), v->radius);
  double between = 0;
  double drawn = multiplier * (thin + between);

  // Gains: from the bulk, by wicking into a bundle at its surface, from drops.
  double mixed = 1 - rv_exp(-k->dt / MIXING_TIME);
  double gain = fmax(r->air - r->air_before, 0) * drawn;
  if (r->air < 1) gain += mixed * fmax(r->air * multiplier * between - area - gain, 0);
  double height = rv_film_height(area, v->radius);
  double want = gain * length + multiplier * swept(k, s, packed, &l, height);
  double room = fmax(k->c->capacity.data[packed] - film, 0);
  r->volume = l.volume;
  r->taken_share = fmin(want, room) / l.volume;

  // Film that comes under water goes back with the part of the strand that it is on; film under water within a time.
  double back = r->air < r->air_before ? 1 - r->air / r->air_before : 0;
  if (!(r->air > 0)) back = fmax(back, mixed);
  r->given = back * film;
  r->given_share = r->given / l.volume;
}

static void demand_some(void* arg, size_t begin, size_t end) {
  const RvCapture* k = arg;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleStrand* s = &k->c->strands.data[n];
    for (int i = 0; i < s->count; ++i) demand(k, s, i);
  }
}

void rv_couple_capture_demand(RvCapture* k) {
  rv_parallel_for(k->c->strands.count, STRANDS_OF_TASK, demand_some, k);
}
