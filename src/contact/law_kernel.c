// Force laws of eight bridges (rv_contact_wet_law_lanes): the method of rv_contact_wet_law in bridge_table.c, in lanes.
#include <stddef.h>

#include "contact/choose.h"
#include "contact/respond.h"

void RV_KERNEL(rv_contact_wet_law_lanes)(const RvWetLanes* in, int count, RvLawBlock* out, float* begin, float* push);

#if RV_V == 1
typedef float Floats;
RV_INLINE RvLanes widen(const float* p) {
  return *p;
}
RV_INLINE void narrow(float* p, RvLanes x) {
  *p = (float)x;
}
#else
typedef float Floats __attribute__((vector_size(4 * RV_V)));
RV_INLINE RvLanes widen(const float* p) {
  return __builtin_convertvector(*(const Floats*)p, RvLanes);
}
RV_INLINE void narrow(float* p, RvLanes x) {
  *(Floats*)p = __builtin_convertvector(x, Floats);
}
#endif

enum { INNER = RV_WET_KNOTS - 3 };  // knots that are read off the table
#define FADE 0.1                    // as in bridge_table.c
#define LEAST_GAP 1e-9              // as in bridge_table.c

// Positions of the knots, and their coordinates in the table.
typedef struct Knots {
  double row[RV_LINKS], plane[RV_LINKS], column[INNER][RV_LINKS];
  double per_metre[RV_LINKS];  // 1/m, columns per gap
  double strength[RV_LINKS];   // factor by which the force of thin films goes to 0
  double turn[RV_LINKS], fade[RV_LINKS], rupture[RV_LINKS], step[RV_LINKS];
  long long good[RV_LINKS];  // mask of the bridges that have a law
  double force[INNER][RV_LINKS], slope[INNER][RV_LINKS];
} __attribute__((aligned(64))) Knots;

// Positions of the knots of some bridges.
RV_INLINE void place_knots(const RvWetLanes* in, int at, Knots* k) {
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1), half = rv_lanes_set(0.5);
  const RvLanes area = rv_lanes_load(in->area + at), root = rv_lanes_sqrt(area);
  const RvLanes scale = rv_lanes_load(in->rupture + at) * root, start = widen(in->start + at);
  const RvLanes touch = widen(in->touch + at), end = touch + scale, room = end - start;
  const RvLanes rise = widen(in->turn + at) - start;
  const RvLanes x = clamp(room / rise, zero, one), smooth = x * x * (rv_lanes_set(3) - rv_lanes_set(2) * x);
  // Knots.
  const RvLanes whole = end - lesser(rv_lanes_set(FADE) * scale, half * room);
  const RvLanes turn = lesser(widen(in->turn + at), start + half * (whole - start));
  const RvLanes spread = lesser(half * widen(in->spread + at), rv_lanes_set(RV_BRIDGE_SPREAD) * (whole - turn));
  const RvLanes fade = whole - spread, rupture = end + spread;
  const RvLanes step = (fade - turn) * rv_lanes_set(1.0 / (RV_WET_KNOTS - 4));
  // Coordinates in the table.
  const RvLanes wide = lesser(root / (widen(in->radius + at) * rv_lanes_set(RV_BRIDGE_WIDEST)), one);
  const RvLanes columns = rv_lanes_set(RV_BRIDGE_COLUMNS - 1);
  const RvLanes per_metre = columns / (rv_lanes_set(1 - RV_BRIDGE_NEAREST) * scale);
  rv_lanes_store(k->row + at, rv_lanes_sqrt(wide) * rv_lanes_set(RV_BRIDGE_ROWS - 1));
  rv_lanes_store(k->plane + at,
                 rv_lanes_sqrt(clamp(widen(in->ratio + at), zero, one)) * rv_lanes_set(RV_BRIDGE_RATIOS - 1));
  rv_lanes_store(k->per_metre + at, per_metre);
  rv_lanes_store(k->strength + at, smooth);
  rv_lanes_store(k->turn + at, turn);
  rv_lanes_store(k->fade + at, fade);
  rv_lanes_store(k->rupture + at, rupture);
  rv_lanes_store(k->step + at, step);
  const RvLanes from = turn - touch - rv_lanes_set(RV_BRIDGE_NEAREST) * scale;
  RV_UNROLL
  for (int i = 0; i < INNER; ++i)
    rv_lanes_store(k->column[i] + at, clamp((from + rv_lanes_set(i) * step) * per_metre, zero, columns));
  // a film that is thinner than the rounding of positions has no law
  const RvLaneMask good = MASK(area > zero) & MASK(room > zero) & MASK(scale > rv_lanes_set(LEAST_GAP) * touch);
  *(RvLaneMask*)(k->good + at) = good;
}

// Force and slope of two adjacent columns.
typedef double Columns __attribute__((vector_size(32)));
typedef double LooseColumns __attribute__((vector_size(32), aligned(8)));

// Forces and slopes of one bridge's knots, as rv_contact_bridge_table_row and rv_contact_bridge_row_force.
RV_INLINE void read_table(const RvBridgeTable* t, Knots* k, int lane) {
  const double w = k->row[lane], p = k->plane[lane], per_metre = k->per_metre[lane];
  const int i = (int)w < RV_BRIDGE_ROWS - 2 ? (int)w : RV_BRIDGE_ROWS - 2, plane = (int)p;
  const double v = w - i, u = p - plane, more[4] = {(1 - u) * (1 - v), (1 - u) * v, u * (1 - v), u * v};
  const size_t width = 2 * RV_BRIDGE_COLUMNS, at = (size_t)i * width;
  const double *a = t->plane[plane] + at, *b = u > 0 ? t->plane[plane + 1] + at : a;
  for (int n = 0; n < INNER; ++n) {
    const double x = k->column[n][lane];
    const int j = (int)x < RV_BRIDGE_COLUMNS - 2 ? (int)x : RV_BRIDGE_COLUMNS - 2;
    const double s = x - j;
    Columns f = more[0] * *(const LooseColumns*)(a + 2 * j) + more[1] * *(const LooseColumns*)(a + width + 2 * j);
    if (u > 0) f += more[2] * *(const LooseColumns*)(b + 2 * j) + more[3] * *(const LooseColumns*)(b + width + 2 * j);
    const double c2 = 3 * (f[2] - f[0]) - 2 * f[1] - f[3], c3 = 2 * (f[0] - f[2]) + f[1] + f[3];
    k->force[n][lane] = f[0] + s * (f[1] + s * (c2 + s * c3));
    k->slope[n][lane] = (f[1] + s * (2 * c2 + 3 * s * c3)) * per_metre;
  }
}

// Limited slope at a knot, as limit_slopes of bridge_table.c.
RV_INLINE RvLanes limited(RvLanes slope, RvLanes before, RvLanes force, RvLanes after, RvLanes left, RvLanes right) {
  const RvLanes low = lesser(force * right, greater(before, force) * left);
  const RvLanes high = lesser(force * left, greater(force, after) * right);
  return clamp(slope, -low, high);
}

// As rv_contact_wet_push, over the strength; `force` and `slope` are those at the turn.
RV_INLINE RvLanes push_of(const RvWetLanes* in, int at, RvLanes turn, RvLanes force, RvLanes slope) {
  const RvLanes zero = rv_lanes_set(0), one = rv_lanes_set(1), d = widen(in->distance + at);
  const RvLanes start = widen(in->start + at), width = widen(in->width + at), rise = turn - start;
  // The cubic below d0 has only the slope at its end; the one above it ends with the force and slope of the turn.
  const RvLanes u = greater((d - (start - width)) / width, zero), x = (d - start) / rise;
  const RvLanes below = force / rise * width * u * u * (u - one);
  const RvLanes above = x * (force + (force - slope * rise) * x * (one - x));
  return rv_lanes_select(MASK(d < turn), force - rv_lanes_select(MASK(d < start), below, above), zero);
}

// Forces and limited slopes of some bridges into the block of laws, from where on there is a force, and the push.
RV_INLINE void finish(const RvWetLanes* in, int at, const Knots* k, RvLawBlock* out, float* begin, float* push) {
  const RvLanes zero = rv_lanes_set(0), three = rv_lanes_set(3), strength = rv_lanes_load(k->strength + at);
  const RvLanes start = widen(in->start + at), turn = rv_lanes_load(k->turn + at), fade = rv_lanes_load(k->fade + at);
  const RvLanes rupture = rv_lanes_load(k->rupture + at), step = rv_lanes_load(k->step + at);
  const RvLanes low = start - widen(in->width + at), inner = three / step, rise = turn - start;
  const RvLaneMask good = *(const RvLaneMask*)(k->good + at);
  // Forces at the knots, not negative.
  RvLanes force[INNER + 2] = {zero}, none = rupture, first_slope = zero;
  RV_UNROLL
  for (int i = 0; i < INNER; ++i) {
    const RvLanes f = rv_lanes_load(k->force[i] + at);
    force[i + 1] = strength * rv_lanes_select(MASK(f > zero), f, zero);
  }
  force[INNER + 1] = zero;
  RV_UNROLL
  // Limited slopes; from where on there is a force.
  for (int i = INNER - 1; i >= 0; --i) {
    const RvLanes left = i == 0 ? three / rise : inner, right = i == INNER - 1 ? three / (rupture - fade) : inner;
    const RvLanes slope =
        limited(strength * rv_lanes_load(k->slope[i] + at), force[i], force[i + 1], force[i + 2], left, right);
    if (i == 0) first_slope = slope;
    narrow(out->force[i] + at, rv_lanes_select(good, force[i + 1], zero));
    narrow(out->slope[i + 1] + at, rv_lanes_select(good, slope, zero));
    none = rv_lanes_select(MASK(force[i + 1] > zero), i == 0 ? low : turn + rv_lanes_set(i - 1) * step, none);
  }
  // The rise from d0 to B, and the knots.
  narrow(out->slope[0] + at, rv_lanes_select(good, force[1] / rise, zero));
  const RvLaneMask any = good & MASK(none < rupture);
  narrow(out->low + at, low);
  narrow(out->start + at, start);
  narrow(out->turn + at, turn);
  narrow(out->fade + at, fade);
  narrow(out->rupture + at, rv_lanes_select(any, rupture, zero));
  narrow(begin + at, none);
  narrow(push + at, rv_lanes_select(any, push_of(in, at, turn, force[1], first_slope), zero));
}

void RV_KERNEL(rv_contact_wet_law_lanes)(const RvWetLanes* in, int count, RvLawBlock* out, float* begin, float* push) {
  Knots k;
  for (int at = 0; at < RV_LINKS; at += RV_V) place_knots(in, at, &k);
  for (int lane = 0; lane < RV_LINKS; ++lane) {
    for (int n = 0; n < INNER; ++n) k.force[n][lane] = k.slope[n][lane] = 0;
    if (lane < count && k.good[lane]) read_table(in->table[lane], &k, lane);
  }
  for (int at = 0; at < RV_LINKS; at += RV_V) finish(in, at, &k, out, begin, push);
}
