// Checks of the liquid bridge's cross-section, its table and the merged force made of it (WH-6 to WH-13, spec 1.2.2 to
// 1.2.4 with E1 to E5, E44, E45). Pure functions, in units of the radius and the tension.
#include <math.h>

#include "base/rng.h"
#include "check/list.h"
#include "contact/bridge_table.h"
#include "contact/law.h"
#include "math/scalar.h"

enum { SEED = 23 };

// Uniform random number in lo to hi; each stream is another quantity.
static double uniform(uint64_t stream, uint64_t i, double lo, double hi) {
  return lo + (hi - lo) * rv_random(SEED, stream, i, 0);
}

//---------------------------------------------------------------------------------------------- the cross-section

// Forces and areas of spec 8.2: radius 0.005 cm, contact angle 60 degrees, tension 72 dyn/cm. Rows are distance of the
// axes (cm), wetted half-angle (rad), and force (dyn/cm) or area (cm2).
static void check_table_of_spec(const RvCheckOut* out) {
  static const double force[4][3] = {
      {0.011, 0.2, 212.3757}, {0.012, 0.4, 167.6858}, {0.015, 0.3, 157.7399}, {0.020, 0.45, 147.7989}};
  static const double area[4][3] = {
      {0.012, 0.2, 3.57571e-6}, {0.012, 0.5, 1.14125e-5}, {0.015, 0.2, 7.10765e-6}, {0.02, 0.5, 4.88573e-5}};
  const RvBridgePair pair = {0.005, 200, {RV_PI / 3, RV_PI / 3}};
  double force_error = 0, area_error = 0;
  for (int k = 0; k < 4; ++k) {
    RvBridge b;
    bool ok = rv_contact_bridge_at(&pair, force[k][0] - 0.01, force[k][1], &b);
    force_error = fmax(force_error, ok ? fabs(72 * rv_contact_bridge_force(&pair, &b) / force[k][2] - 1) : 1);
    ok = rv_contact_bridge_at(&pair, area[k][0] - 0.01, area[k][1], &b);
    area_error = fmax(area_error, ok ? fabs(b.area / area[k][2] - 1) : 1);
  }
  // Tolerances: the digits that the specification prints.
  rv_check_emit(out, "forces_of_8.2", force_error, 0, 5e-7);
  rv_check_emit(out, "areas_of_8.2", area_error, 0, 2e-6);
}

// Area by the shoelace formula over points of the outline: an arc of the first body, the meniscus' arc and an arc (or
// line) of the second, one half mirrored. *closure: distance between the meniscus' centre as seen from either body, 0
// by E44. The polygon's error goes with the square of the step.
static double outline_area(const RvBridgePair* p, double gap, const RvBridge* b, double* closure) {
  enum { STEPS = 4000 };
  // Contact point on the second body, then the meniscus' centre from the first.
  double r = p->radius;
  double s = r + gap;
  double radius = 1 / b->bend;
  double sum = 0;
  double px = r;
  double py = 0;
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
        // From the first contact line to the second, about the centre.
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

// A bridge of random ratio of radii (every fifth a plane, every fifth equal), contact angles, area and gap; false if
// there is none.
static bool random_bridge(uint64_t k, RvBridgePair* pair, double* gap, double* area, RvBridge* b) {
  *pair = (RvBridgePair){1, k % 5 == 0 ? 0 : k % 5 == 1 ? 1 : uniform(1, k, 0.02, 1), {0}};
  pair->angle[0] = uniform(2, k, 0.05, 1.4);
  pair->angle[1] = k % 3 ? uniform(3, k, 0.05, 1.4) : pair->angle[0];
  double a = uniform(4, k, 0.3, 6);
  *area = a * a;
  *gap = rv_contact_bridge_rupture(pair, *area) * uniform(5, k, 0.1, 1);
  return rv_contact_bridge_solve(pair, *gap, *area, 0, b);
}

// Two limits with closed forms: flat menisci, and a large cylinder.
static void check_limits(const RvCheckOut* out) {
  // Flat menisci: R is infinite, so f = 2 sigma.
  const RvBridgePair pair = {1, 1, {RV_PI / 3, RV_PI / 3}};
  RvBridge b;
  bool ok = rv_contact_bridge_at(&pair, 2, RV_PI / 6, &b);
  rv_check_emit(out, "flat", ok ? rv_contact_bridge_force(&pair, &b) : 0, 2, 1e-12);
  // A large cylinder tends to a plane; the difference goes with its curvature.
  double difference[2];
  RvBridge flat;
  for (int k = 0; k < 2; ++k) {
    const RvBridgePair plane = {1, 0, {1, 0.8}}, sphere = {1, k ? 1e-4 : 1e-3, {1, 0.8}};
    ok = rv_contact_bridge_solve(&plane, 2, 4, 0, &flat) && rv_contact_bridge_solve(&sphere, 2, 4, 0, &b);
    difference[k] = ok ? fabs(rv_contact_bridge_force(&sphere, &b) - rv_contact_bridge_force(&plane, &flat)) : 1;
  }
  rv_check_emit(out, "sphere_to_plane", difference[1], 0, 1e-3);
  rv_check_emit(out, "sphere_to_plane_order", difference[0] / difference[1], 10, 0.1);
}

// Forces, areas and energy of 400 random bridges, then two limits with closed forms (WH-6 to WH-9).
RvResult rv_check_bridge(const RvCheckOut* out, RvError* error) {
  (void)error;
  check_table_of_spec(out);
  double body_difference = 0, work_error = 0, outline_error = 0, closure_error = 0, area_error_after_solve = 0;
  int count = 0;
  for (uint64_t k = 0; k < 400; ++k) {
    RvBridgePair pair;
    RvBridge b, side[4];
    double gap, area, closure;
    if (!random_bridge(k, &pair, &gap, &area, &b)) continue;
    // Four neighbours in the gap at constant area, for the energy's slope.
    double h = 1e-3 * gap;
    bool ok = true;
    for (int i = 0; i < 4; ++i)
      ok = ok && rv_contact_bridge_solve(&pair, gap + (i < 2 ? i - 2 : i - 1) * h, area, b.alpha, &side[i]);
    // Nearly flat menisci have a centre too far away for the outline.
    if (!ok || fabs(b.bend) < 1e-3) continue;
    double f = rv_contact_bridge_force(&pair, &b);
    double slope = (side[0].energy - 8 * side[1].energy + 8 * side[2].energy - side[3].energy) / (12 * h);
    body_difference = fmax(body_difference, fabs(f - rv_contact_bridge_force_second(&pair, &b)));
    work_error = fmax(work_error, fabs(f - slope));
    outline_error = fmax(outline_error, fabs(outline_area(&pair, gap, &b, &closure) / b.area - 1));
    closure_error = fmax(closure_error, closure);
    area_error_after_solve = fmax(area_error_after_solve, fabs(b.area / area - 1));
    ++count;
  }
  rv_check_emit(out, "bridges_found", count > 250, 1, 0);
  rv_check_emit(out, "both_bodies_alike", body_difference, 0, 1e-9);
  rv_check_emit(out, "closure", closure_error, 0, 1e-9);
  // Differences of fourth order at a thousandth of the gap.
  rv_check_emit(out, "energy_derivative", work_error, 0, 1e-6);
  rv_check_emit(out, "area_by_outline", outline_error, 0, 1e-6);
  rv_check_emit(out, "area_round_trip", area_error_after_solve, 0, 1e-10);
  check_limits(out);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- the table

// The closed form as the table stores it; 0 where there is no bridge.
static double closed_form(const RvBridgePair* pair, double gap, double area) {
  RvBridge b;
  if (!rv_contact_bridge_solve(pair, gap, area, 0, &b)) return 0;
  return rv_contact_bridge_soft(rv_contact_bridge_force(pair, &b));
}

// Largest error at the nodes: every seventh row and fifth column of every ratio of radii.
static double error_at_nodes(const RvBridgeTable* t) {
  double worst = 0;
  for (int k = 0; k < RV_BRIDGE_RATIOS; ++k)
    for (int i = 4; i < RV_BRIDGE_ROWS; i += 7)
      for (int j = 1; j < RV_BRIDGE_COLUMNS; j += 5) {
        double w = (double)i / (RV_BRIDGE_ROWS - 1), a = RV_BRIDGE_WIDEST * w * w;
        double gap = t->rupture * a * (RV_BRIDGE_NEAREST + (1 - RV_BRIDGE_NEAREST) * j / (RV_BRIDGE_COLUMNS - 1));
        const double root = (double)k / (RV_BRIDGE_RATIOS - 1);
        const RvBridgePair pair = {1, root * root, {RV_PI / 3, RV_PI / 3}};
        double f = t->plane[k][2 * (i * RV_BRIDGE_COLUMNS + j)];
        worst = fmax(worst, fabs(f - closed_form(&pair, gap, a * a)));
      }
  return worst;
}

// Largest errors between the nodes, of the force and of its slope (in tensions a radius), for hairs of 37 to 50
// micrometres, films up to 400 r^2 and gaps as the law reads them.
static void errors_between(const RvBridgeTable* t, double* force_error, double* slope_error) {
  *force_error = *slope_error = 0;
  for (uint64_t k = 0; k < 3000; ++k) {
    double r = uniform(7, k, 37e-6, 50e-6);
    double ratio = k % 2 ? 1 : uniform(8, k, 0, 1);
    double a = r * uniform(9, k, 0.7, 20);
    double gap = fmax(0.5 * r, t->rupture * a * uniform(10, k, 0.06, 1));
    double slope, change, unused;
    if (gap > t->rupture * a) continue;
    const RvBridgePair pair = {r, ratio / r, {RV_PI / 3, RV_PI / 3}};
    RvBridgeRow row = rv_contact_bridge_table_row(t, r, ratio, a * a);
    double f = rv_contact_bridge_row_force(&row, gap, &slope), h = 1e-6 * gap;
    *force_error = fmax(*force_error, fabs(f - closed_form(&pair, gap, a * a)));
    change = rv_contact_bridge_row_force(&row, gap + h, &unused) - rv_contact_bridge_row_force(&row, gap - h, &unused);
    *slope_error = fmax(*slope_error, fabs(change / (2 * h) - slope) * r);
  }
}

// The table against the closed form, at its nodes and between them (WH-13).
RvResult rv_check_bridge_table(const RvCheckOut* out, RvError* error) {
  RvBridgeTable t;
  rv_contact_bridge_table_begin(&t, RV_PI / 3, RV_PI / 3);
  if (!rv_contact_bridge_table_make(&t, 0, 1)) {
    rv_contact_bridge_table_free(&t);
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  double node_error = error_at_nodes(&t), force_error, slope_error;
  errors_between(&t, &force_error, &slope_error);
  rv_contact_bridge_table_free(&t);
  rv_check_emit(out, "at_its_nodes", node_error, 0, 1e-6);
  // 1% of the largest force of these gaps, 2 tensions.
  rv_check_emit(out, "between_them", force_error, 0, 0.01 * 2);
  rv_check_emit(out, "slope", slope_error, 0, 1e-4);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- the merged force

// The merged force of one pair, in units of radius and tension.
typedef struct Merged {
  RvWetLaw wet;
  bool pulls;  // there is a bridge
  double k;    // contact stiffness
} Merged;

// Equal hairs of radius 1 with a bridge of that area; k is such that contact and bridge both matter.
static Merged merged(const RvBridgeTable* t, double area, double k) {
  Merged m = {.k = k};
  const RvWetDef def = {2, 2, 3, 4, 1, 1, area, 1, 0};
  m.pulls = rv_contact_wet_law(t, &def, &m.wet);
  return m;
}

// Contact and bridge together at distance d.
static RvWetForce at(const Merged* m, double d) {
  RvContactForce dry = rv_contact_force(d, 3, 1, m->k);
  RvWetForce wet = m->pulls ? rv_contact_wet_force(&m->wet, d) : (RvWetForce){0, 0, 0};
  return (RvWetForce){dry.energy + wet.energy, dry.force + wet.force, dry.slope + wet.slope};
}

// Jumps of value and slope at every knot of the law, over 2e-9 (the slope's counts a tenth, relative to the steepest),
// and the difference between the force's work and the energy over the whole range.
static void smoothness(const Merged* m, double* jump, double* work) {
  const double e = 1e-9;
  // Knots: contact's at 2 r and d0, and the bridge's.
  double knots[RV_WET_KNOTS + 2] = {2, 3};
  int n = 2;
  for (int k = 0; m->pulls && k + 5 <= RV_WET_KNOTS; ++k) knots[n++] = m->wet.turn + k * m->wet.step;
  if (m->pulls) {
    knots[n++] = m->wet.fade;
    knots[n++] = m->wet.rupture;
  }
  // Jumps across each knot.
  double steep = m->k;
  for (int k = 0; k < RV_WET_KNOTS; ++k) steep = fmax(steep, fabs(m->wet.slope[k]));
  for (int k = 0; k < n; ++k) {
    RvWetForce a = at(m, knots[k] - e), b = at(m, knots[k] + e);
    *jump = fmax(*jump, fmax(fabs(a.force - b.force), 0.1 * fabs(a.slope - b.slope) / steep));
  }
  // Work by the midpoint rule.
  enum { STEPS = 20000 };
  double end = fmax(m->pulls ? m->wet.rupture : 3, 3) + 0.5;
  double sum = 0;
  double h = (end - 1) / STEPS;
  for (int k = 0; k < STEPS; ++k) sum += at(m, 1 + (k + 0.5) * h).force * h;
  *work = fmax(*work, fabs(sum - (at(m, end).energy - at(m, 1).energy)));
}

// Single values of E45 and of the dry law.
static void check_single_values(const RvCheckOut* out, const RvBridgeTable* t) {
  // E45: f_s(B) is 0 at 12.6 r^2; pairs are engulfed from 23 r^2 on; at 4 r^2 the closed form holds.
  const RvBridgePair pair = {1, 1, {RV_PI / 3, RV_PI / 3}};
  RvBridge b;
  bool ok = rv_contact_bridge_solve(&pair, 2, 12.6, 0, &b);
  rv_check_emit(out, "f_s_of_12.6", ok ? rv_contact_bridge_force(&pair, &b) : 1, 0, 0.01);
  Merged thick = merged(t, 23, 5), usual = merged(t, 4, 5);
  rv_check_emit(out, "engulfed", at(&thick, 4).force, 0, 1e-12);
  ok = rv_contact_bridge_solve(&pair, 2.3, 4, 0, &b);
  rv_check_emit(out, "follows_closed_form", at(&usual, 4.3).force / (ok ? rv_contact_bridge_force(&pair, &b) : 1), 1,
                0.005);
  rv_check_emit(out, "rupture", usual.wet.rupture, 2 + (1 + RV_PI / 6) * 2, 1e-12);
  // Dry pairs: k (d - d0) below 2 r (WH-12).
  Merged dry = merged(t, 0, 5);
  rv_check_emit(out, "dry", at(&dry, 1.5).force, 5 * (1.5 - 3), 1e-12);
}

// Number of laws for areas below the rounding of distances, 0 expected. Pairs pressed below 2 r have room for a law at
// any area.
static double count_tiny_bridges(const RvBridgeTable* t) {
  double count = 0;
  for (int k = 20; k <= 300; ++k) {
    const RvWetDef def = {2, 1, 1.5, 2.5, 1, 1, pow(10, -k), 1, 0};
    RvWetLaw law;
    count += rv_contact_wet_law(t, &def, &law);
  }
  return count;
}

// Areas of 0 to 400 r^2, then single values of E45 and the dry law (WH-10 to WH-12).
RvResult rv_check_merged_force(const RvCheckOut* out, RvError* error) {
  RvBridgeTable t;
  rv_contact_bridge_table_begin(&t, RV_PI / 3, RV_PI / 3);
  if (!rv_contact_bridge_table_make(&t, 1, 1)) {
    rv_contact_bridge_table_free(&t);
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  double jump = 0, work = 0, repels = 0, at_d0 = 0, area_jump = 0, thin_count = 0, force_beyond_rupture = 0,
         last_strongest = 0;
  for (int k = 0; k <= 800; ++k) {
    double area = 400 * pow(k / 800.0, 3);
    Merged m = merged(&t, area, 5);
    smoothness(&m, &jump, &work);
    at_d0 = fmax(at_d0, fabs(at(&m, 3).force));
    // Below this area a bridge ruptures within d0 (E45).
    if (area < 0.4307) thin_count += m.pulls;
    double strongest = 0, rupture = 2 + (1 + RV_PI / 6) * sqrt(area);
    for (int i = 1; i <= 400; ++i) {
      RvWetForce f = at(&m, 3 + 0.1 * i);
      repels = fmax(repels, -f.force);
      strongest = fmax(strongest, f.force);
      if (3 + 0.1 * i > rupture) force_beyond_rupture = fmax(force_beyond_rupture, fabs(f.force));
    }
    if (k > 0) area_jump = fmax(area_jump, fabs(strongest - last_strongest));
    last_strongest = strongest;
  }
  // The step across a knot times the slope of 5, and rounding.
  rv_check_emit(out, "jumps", jump, 0, 1e-7);
  rv_check_emit(out, "zero_at_d0", at_d0, 0, 0);
  rv_check_emit(out, "work_of_a_cycle", work, 0, 1e-6);
  rv_check_emit(out, "repels_beyond_d0", repels, 0, 0);
  rv_check_emit(out, "beyond_rupture", force_beyond_rupture, 0, 0);
  rv_check_emit(out, "thin_films_pull", thin_count, 0, 0);
  rv_check_emit(out, "films_below_rounding_pull", count_tiny_bridges(&t), 0, 0);
  // Change of the strongest pull from one area to the next.
  rv_check_emit(out, "jumps_in_area", area_jump, 0, 0.1);
  check_single_values(out, &t);
  rv_contact_bridge_table_free(&t);
  return RV_OK;
}
