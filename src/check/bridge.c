// Checks of the liquid bridge's cross-section, its table and the merged force made of it (WH-6 to WH-13, spec 1.2.2 to
// 1.2.4 with E1 to E5, E44, E45). Pure functions, in units of the radius and the tension.
#include <math.h>

#include "base/rng.h"
#include "check/list.h"
#include "contact/bridge_table.h"
#include "contact/law.h"
#include "math/scalar.h"

static double uniform(uint64_t stream, uint64_t i, double lo, double hi) {
  return lo + (hi - lo) * rv_random(23, stream, i, 0);
}

//---------------------------------------------------------------------------------------------- the cross-section

// spec 8.2: r 0.005 cm, 60 degrees, 72 dyn/cm
static void check_table_of_spec(const RvCheckOut* out) {
  static const double force[4][3] = {
      {0.011, 0.2, 212.3757}, {0.012, 0.4, 167.6858}, {0.015, 0.3, 157.7399}, {0.020, 0.45, 147.7989}};
  static const double area[4][3] = {
      {0.012, 0.2, 3.57571e-6}, {0.012, 0.5, 1.14125e-5}, {0.015, 0.2, 7.10765e-6}, {0.02, 0.5, 4.88573e-5}};
  const RvBridgePair pair = {0.005, 200, {RV_PI / 3, RV_PI / 3}};
  double worst = 0, worst_area = 0;
  for (int k = 0; k < 4; ++k) {
    RvBridge b;
    bool ok = rv_contact_bridge_at(&pair, force[k][0] - 0.01, force[k][1], &b);
    worst = fmax(worst, ok ? fabs(72 * rv_contact_bridge_force(&pair, &b) / force[k][2] - 1) : 1);
    ok = rv_contact_bridge_at(&pair, area[k][0] - 0.01, area[k][1], &b);
    worst_area = fmax(worst_area, ok ? fabs(b.area / area[k][2] - 1) : 1);
  }
  // the digits that are printed
  rv_check_emit(out, "forces_of_8.2", worst, 0, 5e-7);
  rv_check_emit(out, "areas_of_8.2", worst_area, 0, 2e-6);
}

// Area by points on its outline: arcs of the two bodies and of the menisci's circles, whose common centre is reached
// from either body (the closure of E44); the polygon's error goes with the square of the step.
static double outline_area(const RvBridgePair* p, double gap, const RvBridge* b, double* closure) {
  enum { STEPS = 4000 };
  double r = p->radius, s = r + gap, radius = 1 / b->bend, sum = 0, px = r, py = 0;
  double x2 = p->curvature != 0 ? s + (1 - rv_cos(b->beta)) / p->curvature : s, y2 = b->width;
  double psi1 = p->angle[0] + b->alpha, psi2 = p->angle[1] + b->beta;
  double cx = r * rv_cos(b->alpha) + radius * rv_cos(psi1), cy = r * rv_sin(b->alpha) + radius * rv_sin(psi1);
  *closure = hypot(cx - (x2 - radius * rv_cos(psi2)), cy - (y2 + radius * rv_sin(psi2)));
  for (int part = 0; part < 3; ++part)
    for (int k = 1; k <= STEPS; ++k) {
      double t = (double)k / STEPS, x, y;
      if (part == 0) {
        x = r * rv_cos(t * b->alpha);
        y = r * rv_sin(t * b->alpha);
      } else if (part == 1) {
        // from the first contact line to the second, about the centre
        double a = RV_PI + psi1 + t * b->turn;
        x = cx + radius * rv_cos(a);
        y = cy + radius * rv_sin(a);
      } else {
        double a = (1 - t) * b->beta;
        x = p->curvature != 0 ? s + (1 - rv_cos(a)) / p->curvature : s;
        y = p->curvature != 0 ? rv_sin(a) / p->curvature : (1 - t) * y2;
      }
      sum += px * y - x * py;
      px = x;
      py = y;
    }
  return fabs(sum);
}

static bool random_bridge(uint64_t k, RvBridgePair* pair, double* gap, double* area, RvBridge* b) {
  *pair = (RvBridgePair){1, k % 5 == 0 ? 0 : k % 5 == 1 ? 1 : uniform(1, k, 0.02, 1), {0}};
  pair->angle[0] = uniform(2, k, 0.05, 1.4);
  pair->angle[1] = k % 3 ? uniform(3, k, 0.05, 1.4) : pair->angle[0];
  double a = uniform(4, k, 0.3, 6);
  *area = a * a;
  *gap = rv_contact_bridge_rupture(pair, *area) * uniform(5, k, 0.1, 1);
  return rv_contact_bridge_solve(pair, *gap, *area, 0, b);
}

RvResult rv_check_bridge(const RvCheckOut* out, RvError* error) {
  (void)error;
  check_table_of_spec(out);
  double both = 0, virtual_work = 0, areas = 0, closes = 0, round_trip = 0;
  int found = 0;
  for (uint64_t k = 0; k < 400; ++k) {
    RvBridgePair pair;
    RvBridge b, side[4];
    double gap, area, closure;
    if (!random_bridge(k, &pair, &gap, &area, &b)) continue;
    double h = 1e-3 * gap;
    bool ok = true;
    for (int i = 0; i < 4; ++i)
      ok = ok && rv_contact_bridge_solve(&pair, gap + (i < 2 ? i - 2 : i - 1) * h, area, b.alpha, &side[i]);
    if (!ok || fabs(b.bend) < 1e-3) continue;
    double f = rv_contact_bridge_force(&pair, &b);
    double slope = (side[0].energy - 8 * side[1].energy + 8 * side[2].energy - side[3].energy) / (12 * h);
    both = fmax(both, fabs(f - rv_contact_bridge_force_second(&pair, &b)));
    virtual_work = fmax(virtual_work, fabs(f - slope));
    areas = fmax(areas, fabs(outline_area(&pair, gap, &b, &closure) / b.area - 1));
    closes = fmax(closes, closure);
    round_trip = fmax(round_trip, fabs(b.area / area - 1));
    ++found;
  }
  rv_check_emit(out, "bridges_found", found > 250, 1, 0);
  rv_check_emit(out, "both_bodies_alike", both, 0, 1e-9);
  rv_check_emit(out, "closure", closes, 0, 1e-9);
  // differences of fourth order at a thousandth of the gap
  rv_check_emit(out, "energy_derivative", virtual_work, 0, 1e-6);
  rv_check_emit(out, "area_by_outline", areas, 0, 1e-6);
  rv_check_emit(out, "area_round_trip", round_trip, 0, 1e-10);
  // flat menisci: R is infinite, f = 2 sigma
  const RvBridgePair pair = {1, 1, {RV_PI / 3, RV_PI / 3}};
  RvBridge b;
  bool ok = rv_contact_bridge_at(&pair, 2, RV_PI / 6, &b);
  rv_check_emit(out, "flat", ok ? rv_contact_bridge_force(&pair, &b) : 0, 2, 1e-12);
  // a large sphere is a plane; the difference goes with the curvature
  double difference[2];
  RvBridge flat;
  for (int k = 0; k < 2; ++k) {
    const RvBridgePair plane = {1, 0, {1, 0.8}}, sphere = {1, k ? 1e-4 : 1e-3, {1, 0.8}};
    ok = rv_contact_bridge_solve(&plane, 2, 4, 0, &flat) && rv_contact_bridge_solve(&sphere, 2, 4, 0, &b);
    difference[k] = ok ? fabs(rv_contact_bridge_force(&sphere, &b) - rv_contact_bridge_force(&plane, &flat)) : 1;
  }
  rv_check_emit(out, "sphere_to_plane", difference[1], 0, 1e-3);
  rv_check_emit(out, "sphere_to_plane_order", difference[0] / difference[1], 10, 0.1);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- the table

RvResult rv_check_bridge_table(const RvCheckOut* out, RvError* error) {
  RvBridgeTable t;
  rv_contact_bridge_table_begin(&t, RV_PI / 3, RV_PI / 3);
  if (!rv_contact_bridge_table_make(&t, 0, 1)) {
    rv_contact_bridge_table_free(&t);
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  double nodes = 0, between = 0, slopes = 0;
  for (int k = 0; k < RV_BRIDGE_RATIOS; ++k)
    for (int i = 4; i < RV_BRIDGE_ROWS; i += 7)
      for (int j = 1; j < RV_BRIDGE_COLUMNS; j += 5) {
        double w = (double)i / (RV_BRIDGE_ROWS - 1), a = RV_BRIDGE_WIDEST * w * w;
        double gap = t.rupture * a * (RV_BRIDGE_NEAREST + (1 - RV_BRIDGE_NEAREST) * j / (RV_BRIDGE_COLUMNS - 1));
        const double root = (double)k / (RV_BRIDGE_RATIOS - 1);
        const RvBridgePair pair = {1, root * root, {RV_PI / 3, RV_PI / 3}};
        RvBridge b;
        double f = t.plane[k][2 * (i * RV_BRIDGE_COLUMNS + j)];
        double exact = rv_contact_bridge_solve(&pair, gap, a * a, 0, &b)
                           ? rv_contact_bridge_soft(rv_contact_bridge_force(&pair, &b))
                           : 0;
        nodes = fmax(nodes, fabs(f - exact));
      }
  // anywhere, of hairs of 37 to 50 micrometres: thick films to 400 r^2, gaps as the law reads them
  for (uint64_t k = 0; k < 3000; ++k) {
    double r = uniform(7, k, 37e-6, 50e-6), ratio = k % 2 ? 1 : uniform(8, k, 0, 1), a = r * uniform(9, k, 0.7, 20);
    double gap = fmax(0.5 * r, t.rupture * a * uniform(10, k, 0.06, 1)), slope, plus, unused;
    if (gap > t.rupture * a) continue;
    const RvBridgePair pair = {r, ratio / r, {RV_PI / 3, RV_PI / 3}};
    RvBridge b;
    RvBridgeRow row = rv_contact_bridge_table_row(&t, r, ratio, a * a);
    double exact = rv_contact_bridge_solve(&pair, gap, a * a, 0, &b)
                       ? rv_contact_bridge_soft(rv_contact_bridge_force(&pair, &b))
                       : 0;
    double f = rv_contact_bridge_row_force(&row, gap, &slope), h = 1e-6 * gap;
    between = fmax(between, fabs(f - exact));
    plus = rv_contact_bridge_row_force(&row, gap + h, &unused) - rv_contact_bridge_row_force(&row, gap - h, &unused);
    slopes = fmax(slopes, fabs(plus / (2 * h) - slope) * r);
  }
  rv_contact_bridge_table_free(&t);
  rv_check_emit(out, "at_its_nodes", nodes, 0, 1e-6);
  rv_check_emit(out, "between_them", between, 0, 0.01 * 2);
  rv_check_emit(out, "slope", slopes, 0, 1e-4);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- the merged force

typedef struct Merged {
  RvWetLaw wet;
  bool pulls;
  double k;
} Merged;

// r 1, tension 1; the penalty such that both matter
static Merged merged(const RvBridgeTable* t, double area, double k) {
  Merged m = {.k = k};
  const RvWetDef def = {2, 2, 3, 4, 1, 1, area, 1};
  m.pulls = rv_contact_wet_law(t, &def, &m.wet);
  return m;
}

static RvWetForce at(const Merged* m, double d) {
  RvContactForce dry = rv_contact_force(d, 3, 1, m->k);
  RvWetForce wet = m->pulls ? rv_contact_wet_force(&m->wet, d) : (RvWetForce){0, 0, 0};
  return (RvWetForce){dry.energy + wet.energy, dry.force + wet.force, dry.slope + wet.slope};
}

// jumps of value and slope over steps of 1e-9, and the work against the energy, the dry part's included
static void smoothness(const Merged* m, double* jump, double* work) {
  const double e = 1e-9;
  double knots[RV_WET_KNOTS + 2] = {2, 3};
  int n = 2;
  for (int k = 0; m->pulls && k + 5 <= RV_WET_KNOTS; ++k) knots[n++] = m->wet.turn + k * m->wet.step;
  if (m->pulls) {
    knots[n++] = m->wet.fade;
    knots[n++] = m->wet.rupture;
  }
  double steep = m->k;
  for (int k = 0; k < RV_WET_KNOTS; ++k) steep = fmax(steep, fabs(m->wet.slope[k]));
  for (int k = 0; k < n; ++k) {
    RvWetForce a = at(m, knots[k] - e), b = at(m, knots[k] + e);
    *jump = fmax(*jump, fmax(fabs(a.force - b.force), 0.1 * fabs(a.slope - b.slope) / steep));
  }
  enum { STEPS = 20000 };
  double end = fmax(m->pulls ? m->wet.rupture : 3, 3) + 0.5, sum = 0, h = (end - 1) / STEPS;
  for (int k = 0; k < STEPS; ++k) sum += at(m, 1 + (k + 0.5) * h).force * h;
  *work = fmax(*work, fabs(sum - (at(m, end).energy - at(m, 1).energy)));
}

RvResult rv_check_merged_force(const RvCheckOut* out, RvError* error) {
  RvBridgeTable t;
  rv_contact_bridge_table_begin(&t, RV_PI / 3, RV_PI / 3);
  if (!rv_contact_bridge_table_make(&t, 1, 1)) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  double jump = 0, work = 0, repels = 0, at_d0 = 0, steps = 0, thin = 0, beyond = 0, before = 0;
  for (int k = 0; k <= 800; ++k) {
    double area = 400 * pow(k / 800.0, 3);
    Merged m = merged(&t, area, 5);
    smoothness(&m, &jump, &work);
    at_d0 = fmax(at_d0, fabs(at(&m, 3).force));
    if (area < 0.4307) thin += m.pulls;
    double most = 0, rupture = 2 + (1 + RV_PI / 6) * sqrt(area);
    for (int i = 1; i <= 400; ++i) {
      RvWetForce f = at(&m, 3 + 0.1 * i);
      repels = fmax(repels, -f.force);
      most = fmax(most, f.force);
      if (3 + 0.1 * i > rupture) beyond = fmax(beyond, fabs(f.force));
    }
    if (k > 0) steps = fmax(steps, fabs(most - before));
    before = most;
  }
  // e times the slope of 5, and rounding
  rv_check_emit(out, "jumps", jump, 0, 1e-7);
  rv_check_emit(out, "zero_at_d0", at_d0, 0, 0);
  rv_check_emit(out, "work_of_a_cycle", work, 0, 1e-6);
  rv_check_emit(out, "repels_beyond_d0", repels, 0, 0);
  rv_check_emit(out, "beyond_rupture", beyond, 0, 0);
  rv_check_emit(out, "thin_films_pull", thin, 0, 0);
  // pressed below 2 r there is room for a law however little is there; below the rounding of d it cannot be told
  double least = 0;
  for (int k = 20; k <= 300; ++k) {
    const RvWetDef def = {2, 1, 1.5, 2.5, 1, 1, pow(10, -k), 1};
    RvWetLaw law;
    least += rv_contact_wet_law(&t, &def, &law);
  }
  rv_check_emit(out, "films_below_rounding_pull", least, 0, 0);
  // the strongest pull, from an area to the next
  rv_check_emit(out, "jumps_in_area", steps, 0, 0.1);
  // E45: f_s(B) is 0 at 12.6 r^2; engulfed from 23 r^2 on; at 4 r^2 it is what the closed form says
  const RvBridgePair pair = {1, 1, {RV_PI / 3, RV_PI / 3}};
  RvBridge b;
  bool ok = rv_contact_bridge_solve(&pair, 2, 12.6, 0, &b);
  rv_check_emit(out, "f_s_of_12.6", ok ? rv_contact_bridge_force(&pair, &b) : 1, 0, 0.01);
  Merged thick = merged(&t, 23, 5), usual = merged(&t, 4, 5);
  rv_check_emit(out, "engulfed", at(&thick, 4).force, 0, 1e-12);
  ok = rv_contact_bridge_solve(&pair, 2.3, 4, 0, &b);
  rv_check_emit(out, "follows_closed_form", at(&usual, 4.3).force / (ok ? rv_contact_bridge_force(&pair, &b) : 1), 1,
                0.005);
  rv_check_emit(out, "rupture", usual.wet.rupture, 2 + (1 + RV_PI / 6) * 2, 1e-12);
  // dry pairs: k (d - d0) below 2 r and nothing else (WH-12)
  Merged dry = merged(&t, 0, 5);
  rv_check_emit(out, "dry", at(&dry, 1.5).force, 5 * (1.5 - 3), 1e-12);
  rv_contact_bridge_table_free(&t);
  return RV_OK;
}
