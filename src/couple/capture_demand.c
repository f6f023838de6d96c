// What the film of each vertex asks of the liquid around it, and what it returns (WH-18, WH-31, E74, E77).
//
// What decides how much is left on a strand:
// - A body of liquid (capture_body.c), as a pool, a jet or a sheet, immerses the strand. A strand that comes out of it
//   draws a film with it (withdraw.c), and in a bundle the liquid between the hairs (spacing.c). The amount belongs to
//   the way from water to air: where w_FF rises by dw, the film gains dw times the film that the whole way leaves. So
//   it does not depend on the length of the step, the width of the surface on the grid or the size of particles. A
//   bundle that stands in the surface fills by wicking. Of liquid that leaves a bundle fast it keeps what suction and
//   friction stop. What a strand draws out is at rest on it: liquid that is not goes on with the bulk. A film with the
//   speed of the bulk would run with the end of a jet, and what stayed would depend on how finely that end is resolved.
// - Drops meet the strand's section: in dt the strand sweeps 2 (r + h) |u| dt for each length, u
//   across it. The liquid in there is found by a kernel of unit integral over the section. That of a drop of known size
//   is as wide as the drop, and is averaged over its way in the step: so a drop wets the strands that it meets, however
//   large cells and steps are. Of spray whose drops are not known the mean alone is right. A drop at rest is drawn in
//   with the speed of capillary waves. The carrying capacity is the limit.
// - Jets, threads and sheets in between are bodies from a width of two separations of the particles on, and leave the
//   withdrawn film and the bundle's liquid whether they are 1 or 6 cells wide. What is thinner counts as drops.
// - Under water there is no film: what is there goes back to the particles around within a few milliseconds.
// - A strand takes no more than it can carry (17).
#include <float.h>
#include <math.h>

#include "base/parallel.h"
#include "couple/capture_work.h"
#include "liquid/drop.h"
#include "math/scalar.h"

enum { STRANDS_OF_TASK = 64, TILES_OF_TASK = 64 };
// s: in this time film under water joins the bulk, and a bundle at the surface fills: some periods of the capillary
// waves of 1 mm.
static const double MIXING_TIME = 3e-3;
// Cells: half the width of the tent by which a strand looks for bulk; at most so far it reaches for fast drops. Above
// SPARSE_FILL there is bulk.
enum { WIDE = 2 };
static const double SPARSE_FILL = 0.15;
// Of full submersion: fill of the cells around a strand that the nearest particles of the bulk are about to leave the
// reach of. There it counts as in air, so that those who pay for its film are near as long as it comes out.
static const double OUT_OF_REACH = 0.4;

//---------------------------------------------------------------------------------------------- submersion

// Radius of the kernel of a drop in that of its ball: the mean square distance from its axis is that of the ball.
static const double KERNEL_OF_BALL = 1.2649;  // root of 8/5

// Radius of the kernel of a particle that is a drop of rain of known size or a part of one, cells; else 0.
static double drop_kernel(const RvCapture* k, size_t i) {
  const double volume = k->p->volume[i];
  if (rv_couple_drop_kind(k->set, k->p->row[i]) != RV_DROP_OF_SOURCE || !(volume > 0)) return 0;
  return KERNEL_OF_BALL * rv_liquid_drop_radius(volume) / k->grid->dx;
}

// Fill of the cells of some tiles, the range of their particles' velocities, and the size of drops.
static void fill_cells(void* arg, size_t begin, size_t end) {
  const RvCapture* k = arg;
  double inverse = 1 / (k->grid->dx * k->grid->dx * k->grid->dx);
  for (size_t t = begin; t < end; ++t) {
    float* range = k->tile_velocity + 6 * t;
    for (int a = 0; a < 3; ++a) {
      range[a] = FLT_MAX;
      range[3 + a] = -FLT_MAX;
    }
    k->tile_ball[t] = 0;
    for (size_t n = t * RV_TILE_CELLS; n < (t + 1) * RV_TILE_CELLS; ++n) {
      double sum = 0;
      for (size_t i = k->p->cell_first[n]; i < k->p->cell_first[n + 1]; ++i) {
        const double ball = drop_kernel(k, i);
        k->ball[i] = ball > 0 ? (float)(1 / (ball * ball)) : 0;
        k->tile_ball[t] = (float)fmax((double)k->tile_ball[t], ball);
        sum += k->p->volume[i];
        for (int a = 0; a < 3; ++a) {
          const float v = k->p->v[a][i];
          range[a] = v < range[a] ? v : range[a];
          range[3 + a] = v > range[3 + a] ? v : range[3 + a];
        }
      }
      k->cell_fill[n] = (float)(sum * inverse);
    }
  }
}

// Largest speed of a tile's particles relative to the velocity v, m/s.
static double relative_speed(const float* range, const double v[3]) {
  double square = 0;
  for (int a = 0; a < 3; ++a) {
    double most = fmax(fabs((double)range[a] - v[a]), fabs((double)range[3 + a] - v[a]));
    square += most * most;
  }
  return sqrt(square);
}

// Fill around a position by a tent WIDE cells wide, cells taken as points at their centres; and the largest speed
// relative to the vertex and the largest drop, cells, of the tiles there.
static double wide_fill(const RvCapture* k, const RvCoupleVertex* v, double* speed, double* ball) {
  double weight[3][2 * WIDE + 1], sum = 0;
  int32_t first[3], home[2][2][2];
  for (int a = 0; a < 3; ++a) {
    double at = (v->x[a] - k->grid->origin[a]) / k->grid->dx;
    if (!(at > k->lo[a] * RV_TILE_SIDE - WIDE && at < k->hi[a] * RV_TILE_SIDE + WIDE)) return 0;
    first[a] = (int32_t)floor(at) - WIDE;
    for (int n = 0; n <= 2 * WIDE; ++n) weight[a][n] = fmax(1 - fabs(at - (first[a] + n + 0.5)) / WIDE, 0) / WIDE;
  }
  // The cells are of at most two tiles along each axis.
  const int32_t tile[3] = {first[0] >> 3, first[1] >> 3, first[2] >> 3};
  for (int n = 0; n < 8; ++n) {
    int32_t at = rv_tiles_find(&k->p->homes, tile[0] + (n & 1), tile[1] + (n >> 1 & 1), tile[2] + (n >> 2));
    home[n >> 2][n >> 1 & 1][n & 1] = at;
    if (at < 0) continue;
    *speed = fmax(*speed, relative_speed(k->tile_velocity + 6 * at, v->v));
    *ball = fmax(*ball, (double)k->tile_ball[at]);
  }
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
  return rv_smooth_step((fill / (RV_COUPLE_FULL * (1 - share)) - OUT_OF_REACH) / (1 - OUT_OF_REACH));
}

// Submersion of a vertex by the present positions of the particles: the grid is that of the step before, and a front
// that advances over hair would wet it the more the longer the step is. *reach, m: how far it reaches for liquid. Where
// there is no bulk that is as far as drops move in a step, so that none passes unseen. *search, cells: how far it looks
// for drops of known size.
static void look(const RvCapture* k, size_t packed, double* reach, double* search) {
  RvCaptureVertex* r = &k->around[packed];
  const RvCoupleVertex* v = &k->c->vertices.data[packed];
  double speed = 0, ball = 0, wide = wide_fill(k, v, &speed, &ball);
  double fill = wide > 0 ? rv_couple_fill(k->grid, k->p, v->x) : 0;
  if (fill > 0) r->air = 1 - submersion_of(k, packed, fill);
  r->sparse = wide < SPARSE_FILL;
  bool comes_out = r->air_before < r->air;
  double moved = speed * k->dt + (comes_out ? k->side : 0);
  if (r->sparse || comes_out) *reach = rv_clamp(moved, k->side, WIDE * k->grid->dx);
  if (ball > 0) *search = fmin(speed * k->dt / k->grid->dx, WIDE) + ball + RV_CAPTURE_HIT * v->radius / k->grid->dx;
}

// Vertices of some strands.
static void look_some(void* arg, size_t begin, size_t end) {
  const RvCapture* k = arg;
  double* air = k->strands->air;
  for (size_t n = begin; n < end; ++n) {
    const RvCoupleStrand* s = &k->c->strands.data[n];
    double last = k->side, last_search = 0;
    for (int i = 0; i < s->count; ++i) {
      size_t packed = s->first + (size_t)i;
      RvCaptureVertex* r = &k->around[packed];
      double reach = k->side, search = 0;
      *r = (RvCaptureVertex){.air = 1, .air_before = 1};
      if (s->valid) {
        r->air_before = air ? rv_couple_at(air, s, i) : -1;
        look(k, packed, &reach, &search);
        // below 0: not known yet
        if (!(r->air_before >= 0 && r->air_before <= 1)) r->air_before = r->air;
        if (air) rv_couple_put1(air, s, i, r->air);
      }
      // An edge reaches far where both of its ends see no bulk, or one of them has just left it.
      bool comes_out = r->air_before < r->air || (i > 0 && r[-1].air_before < r[-1].air);
      k->reach[packed] = (float)reach;
      if (i > 0) {
        k->reach[packed - 1] = (float)(comes_out ? fmax(last, reach) : fmin(last, reach));
        k->search[packed - 1] = (float)fmax((double)k->reach[packed - 1] / k->grid->dx, fmax(last_search, search));
      }
      last = reach;
      last_search = search;
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

// m2 of the strand's length times the volume that it sweeps up in dt, for the sums of the liquid around. The kernel has
// a unit integral over the section.
static double swept(const RvCapture* k, const RvCoupleStrand* s, size_t packed, const double* around, double height) {
  double drop = k->c->capacity_radius.data[packed];
  if (!(drop > 0)) return 0;
  double pull = sqrt(k->set->tension / (k->set->density * drop));
  double width = 2 * (k->c->vertices.data[packed].radius + height);
  double volume = around[RV_CAPTURE_ACROSS] + pull * around[RV_CAPTURE_FILL];
  return k->around[packed].air * s->hairs * width * volume * k->dt;
}

// Share of the liquid between the hairs that comes to rest on them where it leaves the bulk at `speed`; all that is not
// at rest goes on with the bulk. Suction stops it while the flow through the section carries no more momentum than the
// suction gives, density speed^2 = suction. Of the rest, friction stops what it can while the liquid passes a meniscus
// of the length `meniscus`, as in withdraw.c.
static double stopped_share(const RvCapture* k, double radius, double free, double suction, double meniscus,
                            double speed) {
  double momentum = k->set->density * speed * speed;
  if (!(momentum > suction)) return 1;
  const double height = rv_film_height(free, radius), passing = meniscus / speed;
  double by_friction = rv_film_stopped_share(&k->strands->film->liquid, height, radius, passing, speed);
  return 1 - (1 - suction / momentum) * (1 - by_friction);
}

// m2 of liquid between the hairs of a bundle that stays where the bulk leaves it at `speed`, for each hair. Above the
// surface the bundle holds a column of the energy balance, height = 2 pi r tension cos(angle) / (density g free area).
// Where that is less than the half cell over which the grid blurs the surface, only so much of the half cell is full.
static double between_hairs(const RvCapture* k, const RvCoupleStrand* s, int i, double speed) {
  const RvCoupleSettings* set = k->set;
  size_t packed = s->first + (size_t)i;
  double free = k->c->free_area.data[packed], share = k->c->bundle_share.data[packed];
  double radius = k->c->vertices.data[packed].radius;
  const double* g = set->gravity;
  double gravity = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), half = 0.5 * k->grid->dx;
  if (!(share > 0) || !(free > 0)) return 0;
  if (!(gravity > 0)) return share * free;
  double angle = set->angle_at ? rv_couple_at(set->angle_at, s, i) : set->angle;
  double suction = 2 * RV_PI * radius * set->tension * fmax(rv_cos(angle), 0) / free;
  double column = suction / (set->density * gravity), meniscus = sqrt(set->tension / (set->density * gravity));
  return share * free * fmin(column / half, 1) * stopped_share(k, radius, free, share * suction, meniscus, speed);
}

// Demand and return of a vertex.
static void demand(const RvCapture* k, const RvCoupleStrand* s, int i) {
  size_t packed = s->first + (size_t)i;
  RvCaptureVertex* r = &k->around[packed];
  const RvCoupleVertex* v = &k->c->vertices.data[packed];
  const double film = k->strands->film_state->volume[s->vertex + (size_t)i * RV_LANES];
  const double length = v->length * s->hairs;
  if (!s->valid || !(length > 0)) return;
  double around[RV_CAPTURE_WEIGHTS] = {0};
  rv_couple_capture_add(k, packed, RV_CAPTURE_WEIGHTS, RV_CAPTURE_WEIGHTS, around);
  const double liquid = around[RV_CAPTURE_VOLUME], drops = around[RV_CAPTURE_DROPS];
  if (!(liquid > 0) && !(drops > 0)) return;

  // The film that the way out of the bulk leaves, m2.
  double multiplier = fmax(k->set->capture * rv_couple_at(k->set->capture_at, s, i), 0);
  double area = film / length;
  double speed = liquid > 0 ? around[RV_CAPTURE_SPEED] / liquid : 0;
  double thin = rv_film_area(rv_couple_withdrawn_height(v->radius, speed, k->set), v->radius);
  double between = between_hairs(k, s, i, speed);
  double drawn = multiplier * (thin + between);

  // Gains: from the bulk, by wicking into a bundle at its surface, from drops. The submerged part of the bundle is what
  // wicks, so the rate is continuous where the last of it leaves the bulk.
  const double under = 1 - r->air, held = r->air * drawn;
  double gain = fmax(r->air - r->air_before, 0) * drawn;
  double wicked = 1 - rv_exp(-under * k->dt / MIXING_TIME);
  gain += wicked * fmax(r->air * multiplier * between - area - gain, 0);
  if (!(liquid > 0)) gain = 0;  // drops have passed, and nobody else can pay
  double height = rv_film_height(area, v->radius);
  double sweep = multiplier * swept(k, s, packed, around, height);
  double want = gain * length + sweep, room = fmax(k->c->capacity.data[packed] - film, 0);
  double accepted = want > room ? room / want : 1;
  r->stopped = want > 0 ? gain * length / want : 0;
  r->taken_share = liquid > 0 ? accepted * gain * length / liquid : 0;
  r->swept_share = drops > 0 ? accepted * sweep / drops : 0;

  // Film that comes under water goes back with the part of the strand that it is on. What has flowed under water goes
  // back within a time; that on the part in the air stays.
  double back = r->air < r->air_before ? 1 - r->air / r->air_before : 0;
  double mixed = 1 - rv_exp(-under * under * k->dt / MIXING_TIME);
  back += (1 - back) * mixed * (area > held ? 1 - held / area : 0);
  r->given = liquid > 0 ? back * film : 0;
  r->given_share = liquid > 0 ? r->given / liquid : 0;
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
