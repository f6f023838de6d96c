// Check coalescence: a row of wet fibres, clamped at their roots and joined at their tips, opens to where bending and
// cohesion balance (Bico et al. 2004; spec E47). No gravity.
//
// Two halves of N / 2 fibres, which have closed nearer to the roots, meet at L_N = [(9/8) N^3 EI (D - d0)^2 /
// G_N]^(1/4); G_N is the work to part a unit length of the middle pair. A fibre's film is shared among its bridges by
// their weights w(d) (E51). A pair has all of it: G_2 is the integral of the force f(d, A) at the full area A. From N =
// 4 on each of the two middle fibres has a second bridge, at d0, to which the film goes as the middle one opens, so
// that
//   G_N = integral of f(d, A w(d) / (w(d) + w(d0))) from d0 to rupture, the same for N = 4, 8, 16.
// The bridge that takes the film up does no work, as its force is 0 at d0.
#include <math.h>

#include "base/memory.h"
#include "check/list.h"
#include "contact/bridge_table.h"
#include "math/scalar.h"
#include "rig/contact.h"

#define RADIUS 50e-6                // m
#define SPACING 2e-3                // of the clamped roots, m
#define YOUNGS 1.4e10               // Pa
#define TENSION 0.072               // N/m, water
#define D0 (3 * RADIUS)             // distance of touching fibres without force, m
#define AREA (4 * RADIUS * RADIUS)  // cross-section of a bridge, m2

typedef struct Row {
  int count, vertices;     // fibres; vertices of each, with edges of L / 36 for 50 vertices
  double spacing, youngs;  // m, Pa
  double length, joined;   // m, of a fibre; from the root to where all are joined at the start
} Row;

// Natural shape: parallel straight fibres.
static RvVec3 straight(void* user, size_t strand, int vertex) {
  const Row* r = user;
  return rv_vec3(r->spacing * ((double)strand - 0.5 * (r->count - 1)), -r->length * vertex / (r->vertices - 1), 0);
}

// Position of a fibre across the row when groups of `size` touch, centred on their roots.
static double grouped(const Row* r, size_t strand, int size) {
  double first = (double)(strand / (size_t)size * (size_t)size), middle = first + 0.5 * (size - 1);
  return r->spacing * (middle - 0.5 * (r->count - 1)) + D0 * ((double)strand - middle);
}

// Start: a tree of pairs, pairs of pairs and so on, closed slightly more than the expected equilibrium.
static RvVec3 joined(void* user, size_t strand, int vertex) {
  const Row* r = user;
  RvVec3 x = straight(user, strand, vertex);
  double from = 0;
  for (int size = 2; size <= r->count; size *= 2) {
    double to = r->joined * pow((double)size / r->count, 0.75), t = rv_clamp((-x.y - from) / (to - from), 0, 1);
    double before = grouped(r, strand, size / 2);
    if (t > 0) x.x = before + (grouped(r, strand, size) - before) * t * t * (3 - 2 * t);
    from = to;
  }
  return x;
}

// EI of a fibre, N m2.
static double bending(const Row* r) {
  return r->youngs * RV_PI * pow(RADIUS, 4) / 4;
}

// Weight of a bridge in the shares of the film, by its distance (E51): 0 at rupture, falling with the fourth power
// beyond d0.
static double weight(const RvBridgeTable* t, double d) {
  double x = d / (2 * RADIUS + t->rupture * sqrt(AREA)), y = d / D0;
  double vanish = rv_max(1 - x * x, 0), near = 1 / (1 + y * y);
  return vanish * vanish * near * near;
}

// G: work to part a unit length of the middle pair, N. A fibre within a bundle shares its film between the bridge that
// opens and the one behind it, which stays at d0.
static double cohesion(const Row* r) {
  enum { STEPS = 2000 };
  RvBridgeTable t;
  double work = 0;
  rv_contact_bridge_table_begin(&t, RV_PI / 3, RV_PI / 3);
  if (rv_contact_bridge_table_make(&t, 1, 1)) {
    double far = 2 * RADIUS + t.rupture * sqrt(AREA), step = (far - D0) / STEPS;
    for (int k = 0; k < STEPS; ++k) {
      double d = D0 + (k + 0.5) * step, w = weight(&t, d);
      double area = r->count == 2 ? AREA : AREA * w / (w + weight(&t, D0));
      RvWetLaw law = {0};
      const RvWetDef def = {2 * RADIUS, 2 * RADIUS, D0, 4 * RADIUS, RADIUS, 1, area, TENSION, 0};
      if (rv_contact_wet_law(&t, &def, &law)) work += step * rv_contact_wet_force(&law, d).force;
    }
  }
  rv_contact_bridge_table_free(&t);
  return work;
}

// L_N of E47.
static double predicted(const Row* r) {
  double apart = r->spacing - D0;
  return sqrt(sqrt(9.0 / 8 * pow(r->count, 3) * bending(r) * apart * apart / cohesion(r)));
}

// Distance from the roots at which the middle pair comes within 1.05 d0.
static double front(const RvContactRig* rig, const Row* r) {
  double before = INFINITY;
  double limit = 1.05 * 3 * RADIUS;
  double edge = r->length / (r->vertices - 1);
  size_t middle = (size_t)r->count / 2 - 1;
  for (int i = 0; i < r->vertices; ++i) {
    double d = rv_distance(rv_rig_contact_get(rig, rig->state->q, middle, i),
                           rv_rig_contact_get(rig, rig->state->q, middle + 1, i));
    if (d <= limit) return edge * (i - (isfinite(before) ? (limit - d) / (before - d) : 0));
    before = d;
  }
  return r->length;
}

// Fixes z: out of the plane of the row bundles would pack more densely.
static void keep_plane(RvContactRig* rig) {
  for (size_t k = 0; k < rig->model->nbatch; ++k)
    for (int i = 0; i < rig->n; ++i)
      for (int lane = 0; lane < RV_LANES; ++lane)
        rig->model->free[rv_strand_index(&rig->model->batches[k], lane, i, 2)] = 0;
}

// Equilibrium length: steps until the front is constant.
static RvResult settle(Row* r, double* length, RvError* error) {
  // Fibres longer than the expected length, joined a little before it.
  r->length = 1.35 * predicted(r);
  r->joined = 0.9 * predicted(r);
  RvContactRigDef hair = {.count = (size_t)r->count,
                          .vertices = r->vertices,
                          .radius = RADIUS,
                          .density = 1300,
                          .youngs = r->youngs,
                          .viscosity = 0.1 * r->youngs,
                          .place = joined,
                          .user = r,
                          .rest = straight};
  RvContactRig rig;
  RvResult result = rv_rig_contact_new(&rig, &hair, error);
  if (result) return result;
  rv_rig_contact_clamp(&rig, 2);
  keep_plane(&rig);
  // The same film everywhere; no friction or gravity.
  double* area = rv_alloc_zero(rig.model->vertices, sizeof(double));
  for (size_t k = 0; area && k < rig.model->vertices; ++k) area[k] = 0.5 * AREA;
  const RvContactWet wet = {.tension = TENSION, .angle = RV_PI / 3, .cohesion = 1, .area = area};
  RvContactDef def = rv_contact_defaults();
  RvContactStats stats;
  RvStrandStats solved;
  def.liquid = &wet;
  def.friction = 0;
  def.acceleration = rv_vec3(0, 0, 0);
  if (!area) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  double last = 0;
  // The fibres' viscosity lets them creep to equilibrium within a second, so that no oscillation tears them apart.
  // Steps grow from 1 to 20 ms; the front is compared every 30 steps.
  for (int k = 0; k < 600 && !result; ++k) {
    result = rv_rig_contact_step(&rig, &def, fmin(1e-3 * pow(1.1, k), 0.02), 1e-8, &stats, &solved, error);
    if (k % 30 != 29) continue;
    *length = front(&rig, r);
    if (fabs(*length - last) < 1e-4 * *length && k > 60) break;
    last = *length;
  }
  rv_free(area);
  rv_rig_contact_free(&rig);
  return result;
}

// Least-squares exponent: slope of log y over log x.
static double exponent(const double* x, const double* y, int n) {
  double mx = 0, my = 0, xy = 0, xx = 0;
  for (int k = 0; k < n; ++k) {
    mx += log(x[k]) / n;
    my += log(y[k]) / n;
  }
  for (int k = 0; k < n; ++k) {
    xy += (log(x[k]) - mx) * (log(y[k]) - my);
    xx += (log(x[k]) - mx) * (log(x[k]) - mx);
  }
  return xy / xx;
}

// Lines of one resolution: fibres of so many vertices.
typedef struct Lines {
  int vertices;
  const char* prefactor[4];  // of 2, 4, 8 and 16 fibres
  const char *number, *distance, *stiffness;
} Lines;

// Number of fibres: the length itself, and its exponent. The change of G from the pair to the bundles is taken out.
static RvResult check_number(const RvCheckOut* out, const Lines* lines, RvError* error) {
  static const double counts[4] = {2, 4, 8, 16};
  double length[4], scaled[4];
  for (int k = 0; k < 4; ++k) {
    Row r = {.count = (int)counts[k], .vertices = lines->vertices, .spacing = SPACING, .youngs = YOUNGS};
    RvResult result = settle(&r, &length[k], error);
    if (result) return result;
    rv_check_emit(out, lines->prefactor[k], length[k] / predicted(&r), 1, 0.15);
    scaled[k] = length[k] * sqrt(sqrt(cohesion(&r)));
  }
  // 0.03 of E47, and 0.005 for the film that a bridge shares while it breaks along its length
  rv_check_emit(out, lines->number, exponent(counts, scaled, 4), 0.75, 0.035);
  return RV_OK;
}

// Spacing: half, once and twice. Stiffness: a quarter, once and four times.
static RvResult check_distance_and_stiffness(const RvCheckOut* out, const Lines* lines, RvError* error) {
  double apart[3], rigid[3], by_distance[3], by_stiffness[3];
  for (int k = 0; k < 3; ++k) {
    Row r = {.count = 4, .vertices = lines->vertices, .spacing = 0.5 * SPACING * (1 << k), .youngs = YOUNGS};
    apart[k] = r.spacing - D0;
    RvResult result = settle(&r, &by_distance[k], error);
    r.spacing = SPACING;
    r.youngs = YOUNGS * pow(4, k - 1);
    rigid[k] = bending(&r);
    if (!result) result = settle(&r, &by_stiffness[k], error);
    if (result) return result;
  }
  rv_check_emit(out, lines->distance, exponent(apart, by_distance, 3), 0.5, 0.03);
  rv_check_emit(out, lines->stiffness, exponent(rigid, by_stiffness, 3), 0.25, 0.03);
  return RV_OK;
}

RvResult rv_check_coalescence(const RvCheckOut* out, RvError* error) {
  static const Lines lines[2] = {
      {50,
       {"coarse_prefactor_2", "coarse_prefactor_4", "coarse_prefactor_8", "coarse_prefactor_16"},
       "coarse_exponent_of_number",
       "coarse_exponent_of_distance",
       "coarse_exponent_of_stiffness"},
      {100,
       {"prefactor_2", "prefactor_4", "prefactor_8", "prefactor_16"},
       "exponent_of_number",
       "exponent_of_distance",
       "exponent_of_stiffness"},
  };
  RvResult result = RV_OK;
  for (int k = 0; k < 2 && !result; ++k) {
    result = check_number(out, &lines[k], error);
    if (!result) result = check_distance_and_stiffness(out, &lines[k], error);
  }
  return result;
}
