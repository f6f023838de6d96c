// Tables of bridge forces, and the force laws of links that are read off them; see bridge_table.h.
#include "contact/bridge_table.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/scalar.h"

double rv_contact_bridge_soft(double f) {
  const double w = RV_BRIDGE_SOFT;
  return f >= w ? f : f <= -w ? 0 : (f + w) * (f + w) / (4 * w);
}

void rv_contact_bridge_table_begin(RvBridgeTable* t, double angle1, double angle2) {
  *t = (RvBridgeTable){.angle = {angle1, angle2}, .rupture = 1 + 0.25 * (angle1 + angle2)};
}

void rv_contact_bridge_table_free(RvBridgeTable* t) {
  for (int k = 0; k < RV_BRIDGE_RATIOS; ++k) rv_free(t->plane[k]);
  memset(t->plane, 0, sizeof t->plane);
}

static const double LEAST_ROOT = 1e-3;  // root of the area of the first row, in radii: not 0
static const double FADE = 0.1;         // of the gap at rupture: the last part, over which the force fades
static const double LEAST_GAP = 1e-9;   // of r1 + r2: a gap at rupture below this is lost in the rounding of positions

// Gap of a column, in units of the gap at rupture.
static double column_gap(int j) {
  return RV_BRIDGE_NEAREST + (1 - RV_BRIDGE_NEAREST) * j / (RV_BRIDGE_COLUMNS - 1);
}

// Slopes by differences of fourth order; of second order at the ends.
static void add_slopes(double* row) {
  const int n = RV_BRIDGE_COLUMNS;
  for (int j = 0; j < n; ++j) {
    double* f = row + 2 * j;
    if (j >= 2 && j < n - 2)
      f[1] = (f[-4] - 8 * f[-2] + 8 * f[2] - f[4]) / 12;
    else if (j == 0)
      f[1] = -1.5 * f[0] + 2 * f[2] - 0.5 * f[4];
    else if (j == n - 1)
      f[1] = 1.5 * f[0] - 2 * f[-2] + 0.5 * f[-4];
    else
      f[1] = 0.5 * (f[2] - f[-2]);
  }
}

typedef struct Plane {
  const RvBridgeTable* table;
  double ratio;
  double* out;
} Plane;

// Forces of some rows, from rupture inwards, each starting from the solution before it. From where no bridge exists,
// the liquid engulfs the bodies at all smaller gaps.
static void make_rows(void* arg, size_t begin, size_t end) {
  const Plane* m = arg;
  const RvBridgePair pair = {1, m->ratio, {m->table->angle[0], m->table->angle[1]}};
  for (size_t i = begin; i < end; ++i) {
    double* row = m->out + 2 * i * RV_BRIDGE_COLUMNS;
    double w = (double)i / (RV_BRIDGE_ROWS - 1);
    double a = rv_max(RV_BRIDGE_WIDEST * w * w, LEAST_ROOT);
    double guess = 0;
    bool engulfed = false;
    for (int j = RV_BRIDGE_COLUMNS - 1; j >= 0; --j) {
      RvBridge b;
      engulfed = engulfed || !rv_contact_bridge_solve(&pair, column_gap(j) * m->table->rupture * a, a * a, guess, &b);
      row[2 * j] = engulfed ? 0 : rv_contact_bridge_soft(rv_contact_bridge_force(&pair, &b));
      guess = engulfed ? 0 : b.alpha;
    }
    add_slopes(row);
  }
}

bool rv_contact_bridge_table_make(RvBridgeTable* t, double lo, double hi) {
  const int last = RV_BRIDGE_RATIOS - 1;
  int from = (int)floor(sqrt(rv_clamp(lo, 0, 1)) * last);
  int to = (int)ceil(sqrt(rv_clamp(hi, 0, 1)) * last);
  for (int k = from; k <= to; ++k) {
    if (t->plane[k]) continue;
    Plane m = {t, (double)(k * k) / (last * last), rv_alloc(RV_BRIDGE_ROWS, 2 * RV_BRIDGE_COLUMNS * sizeof(double))};
    if (!m.out) return false;
    rv_parallel_for(RV_BRIDGE_ROWS, 1, make_rows, &m);
    t->plane[k] = m.out;
  }
  return true;
}

// Bilinear interpolation between two rows and two planes; one plane where the ratio is that of a plane.
RvBridgeRow rv_contact_bridge_table_row(const RvBridgeTable* t, double radius, double ratio, double area) {
  double root = sqrt(area);
  double w = sqrt(rv_min(root / radius / RV_BRIDGE_WIDEST, 1)) * (RV_BRIDGE_ROWS - 1);
  double k = sqrt(rv_clamp(ratio, 0, 1)) * (RV_BRIDGE_RATIOS - 1);
  int i = (int)w < RV_BRIDGE_ROWS - 2 ? (int)w : RV_BRIDGE_ROWS - 2, p = (int)k;
  double v = w - i, u = k - p;
  const double *a = t->plane[p], *b = u > 0 ? t->plane[p + 1] : a;
  size_t width = 2 * RV_BRIDGE_COLUMNS, at = (size_t)i * width;
  return (RvBridgeRow){{a + at, a + at + width, b + at, b + at + width},
                       {(1 - u) * (1 - v), (1 - u) * v, u * (1 - v), u * v},
                       u > 0 ? 4 : 2,
                       t->rupture * root,
                       (RV_BRIDGE_COLUMNS - 1) / ((1 - RV_BRIDGE_NEAREST) * t->rupture * root)};
}

// Force and slope of two adjacent columns.
typedef double Columns __attribute__((vector_size(32), aligned(8)));

double rv_contact_bridge_row_force(const RvBridgeRow* row, double gap, double* slope) {
  double x = (gap - RV_BRIDGE_NEAREST * row->scale) * row->column;
  x = rv_clamp(x, 0, RV_BRIDGE_COLUMNS - 1);
  int j = (int)x < RV_BRIDGE_COLUMNS - 2 ? (int)x : RV_BRIDGE_COLUMNS - 2;
  double u = x - j;
  Columns v = {0};
  for (int k = 0; k < row->rows; ++k) v += row->weight[k] * *(const Columns*)(row->at[k] + 2 * (size_t)j);
  double c2 = 3 * (v[2] - v[0]) - 2 * v[1] - v[3], c3 = 2 * (v[0] - v[2]) + v[1] + v[3];
  *slope = (v[1] + u * (2 * c2 + 3 * u * c3)) * row->column;
  return v[0] + u * (v[1] + u * (c2 + u * c3));
}

//---------------------------------------------------------------------------------------------- the law of a link

static double smooth(double x) {
  x = rv_clamp(x, 0, 1);
  return x * x * (3 - 2 * x);
}

// Limits the slopes at the knots so that the Bezier control points of every cubic are not negative and not far above
// its ends. So no cubic between attractive knots repels, and none is more than twice as strong as its ends, as where
// the force of a thin film falls off within a thousandth of a step.
static void limit_slopes(RvWetLaw* w) {
  double first = 3 / (w->turn - w->start);
  double inner = 3 * w->inverse;
  double last = 3 / (w->rupture - w->fade);
  for (int k = 2; k + 1 < RV_WET_KNOTS; ++k) {
    double left = k == 2 ? first : inner, right = k == RV_WET_KNOTS - 2 ? last : inner;
    double low = rv_min(w->force[k] * right, rv_max(w->force[k - 1], w->force[k]) * left);
    double high = rv_min(w->force[k] * left, rv_max(w->force[k], w->force[k + 1]) * right);
    w->slope[k] = rv_clamp(w->slope[k], -low, high);
  }
}

// Energies at the knots, integrated from rupture inwards.
static void add_energies(RvWetLaw* w) {
  for (int k = RV_WET_KNOTS - 2; k >= 0; --k) {
    double h = k == 0                  ? w->start - w->low
               : k == 1                ? w->turn - w->start
               : k == RV_WET_KNOTS - 2 ? w->rupture - w->fade
                                       : w->step;
    w->energy[k] = w->energy[k + 1] -
                   h * (0.5 * (w->force[k] + w->force[k + 1]) + h * (w->slope[k] - w->slope[k + 1]) * (1.0 / 12));
  }
}

bool rv_contact_wet_law(const RvBridgeTable* t, const RvWetDef* def, RvWetLaw* w) {
  *w = (RvWetLaw){0};
  if (!(def->area > 0) || !(def->strength > 0)) return false;
  RvBridgeRow row = rv_contact_bridge_table_row(t, def->radius, def->ratio, def->area);
  double rupture = def->touch + row.scale, room = rupture - def->start;
  // knots of a film that is thinner than the rounding of positions would coincide: it has no force
  if (!(room > 0) || !(row.scale > LEAST_GAP * def->touch)) return false;
  // The force of thin films goes to 0 with the range from d0 to rupture.
  double strength = def->strength * smooth(room / (def->turn - def->start));
  // Knots.
  w->low = def->low;
  w->start = def->start;
  w->rupture = rupture;
  w->fade = rupture - rv_min(FADE * row.scale, 0.5 * room);
  w->turn = rv_min(def->turn, w->start + 0.5 * (w->fade - w->start));
  double half = rv_min(0.5 * def->spread, RV_BRIDGE_SPREAD * (w->fade - w->turn));
  w->fade -= half;
  w->rupture += half;
  w->step = (w->fade - w->turn) / (RV_WET_KNOTS - 4);
  w->inverse = 1 / w->step;
  // Forces and slopes from the table.
  bool any = false;
  for (int k = 2; k + 1 < RV_WET_KNOTS; ++k) {
    double slope, f = rv_contact_bridge_row_force(&row, w->turn + (k - 2) * w->step - def->touch, &slope);
    w->force[k] = strength * rv_max(f, 0);
    w->slope[k] = strength * slope;
    any = any || w->force[k] > 0;
  }
  limit_slopes(w);
  w->slope[1] = w->force[2] / (w->turn - w->start);
  add_energies(w);
  if (!any) w->rupture = 0;
  return any;
}

double rv_contact_wet_push(const RvWetLaw* w, double d) {
  enum { TURN = 2 };  // the knot of B
  bool touch = w->rupture > 0 && d < w->turn;
  return touch ? w->force[TURN] - rv_contact_wet_force(w, d).force : 0;
}

double rv_contact_wet_begin(const RvWetLaw* w) {
  int k = 2;
  while (k + 1 < RV_WET_KNOTS && !(w->force[k] > 0)) ++k;
  return k == 2 ? w->low : k == 3 ? w->turn : w->turn + (k - 3) * w->step;
}
