// The force of bridges tabulated over (gap, area) for one pair of contact angles, made once (WH-13, spec 1.2.4), and
// the merged force of a link that is made from it (WH-10, WH-11, spec 1.2.3 with E45).
//
// The table is in units of the smaller radius, so it serves all hairs. Unequal radii and curved solids are further
// planes of it, spaced by the root of the ratio of the radii from 0 (a plane) to 1. Rows are areas, spaced by the
// fourth root, so that thin films are resolved finer; columns are gaps in units of the gap at rupture. It holds f_s
// limited to positive values by a smooth maximum: bodies that the liquid engulfs do not attract each other (E45).
//
// A link's own law is a C1 piecewise cubic of the distance through knots read off the table, while its area is fixed
// (E51); its energy is the exact integral. It is 0 at d0, rises from there to B = 2 d0 - d_min with initial slope
// f(B) / (B - d0), as printed, then follows the table, and fades over the last tenth before rupture. Below d0 the slope
// falls to 0 at d_min: it adds to the penalty force there, and holds a pair in equilibrium at d0.
//
// A link stands for a length along which the distance varies by `spread`, and is evaluated at its middle (WH-15). There
// the bridge does not rupture at once but end by end: the drop of the force at rupture is spread over that range, which
// is the mean of the drop over the length and keeps the energy. Without it a front between joined and open hairs sticks
// at every vertex, and the parting of two hairs depends on the number of points and on the step.
//
// The merged force f is the difference of two forces: the attraction of the bridge and the push of the surfaces, which
// part at B. From B on f is the attraction. Nearer, the attraction keeps its value f(B), the pull-off force, as the
// cohesion of SD-26 keeps that of contact; so the surfaces push each other by P = f(B) - f. At d0 push and attraction
// are equal, P = f(B); under a load N from outside f = -N, and P = N + f(B), which is the normal force of the shifted
// cone of SD-25. Coulomb's limit is mu P (E76). P is continuous in the distance and the area; as the area goes to 0,
// so does f(B), and P becomes the dry push.
#ifndef RV_CONTACT_BRIDGE_TABLE_H
#define RV_CONTACT_BRIDGE_TABLE_H

#include "contact/bridge.h"
#include "math/vec.h"

enum { RV_BRIDGE_RATIOS = 17, RV_BRIDGE_ROWS = 97, RV_BRIDGE_COLUMNS = 65 };  // planes; rows and columns of each
enum { RV_WET_KNOTS = 8 };                                                    // of a link's law
#define RV_BRIDGE_WIDEST 24.0   // root of the largest area of the table, in radii
#define RV_BRIDGE_NEAREST 0.05  // smallest gap of the table, in units of the gap at rupture
#define RV_BRIDGE_SPREAD 0.9  // of the range from B to fading: most by which the drop of the force is spread to a side
#define RV_BRIDGE_SOFT 0.1    // half-width of the smooth maximum, in units of the tension

typedef struct RvBridgeTable {
  double angle[2];  // rad
  double rupture;   // gap at rupture, in units of the root of the area
  // [rows][columns][2]: force over tension, and its slope over a column; NULL: not made yet
  double* plane[RV_BRIDGE_RATIOS];
} RvBridgeTable;

// max(f, 0), smooth over RV_BRIDGE_SOFT to each side.
double rv_contact_bridge_soft(double force);
// Begins a table without planes; it must be zero or freed before.
void rv_contact_bridge_table_begin(RvBridgeTable* table, double angle1, double angle2);
void rv_contact_bridge_table_free(RvBridgeTable* table);
// Makes the planes for ratios in [lo, hi]. False: no memory.
bool rv_contact_bridge_table_make(RvBridgeTable* table, double lo, double hi);
// Interpolation between the rows of the table for one area and one ratio.
typedef struct RvBridgeRow {
  const double* at[4];
  double weight[4];
  int rows;       // number of rows used
  double scale;   // m, gap at rupture
  double column;  // 1/m, columns per gap
} RvBridgeRow;
RvBridgeRow rv_contact_bridge_table_row(const RvBridgeTable* table, double radius, double ratio, double area);
// Force over tension at a gap, and its slope, 1/m.
double rv_contact_bridge_row_force(const RvBridgeRow* row, double gap, double* slope);

// Force law of a bridge over the distance D in [low, rupture].
typedef struct RvWetLaw {
  double low;                                                             // m, d_min
  double start;                                                           // m, d0
  double turn;                                                            // m, B
  double fade;                                                            // m, where fading begins
  double rupture;                                                         // m, d_max; 0: dry
  double step;                                                            // m, between the inner knots
  double inverse;                                                         // 1/m, 1 / step
  double force[RV_WET_KNOTS], slope[RV_WET_KNOTS], energy[RV_WET_KNOTS];  // N, N/m, J at the knots
  RvVec3 side;                                                            // m^-1/2, D = d + (side . delta)^2 / 2
} RvWetLaw;

typedef struct RvWetDef {
  double touch;     // m, distance at which the surfaces touch, r1 + r2
  double low;       // m, d_min
  double start;     // m, d0
  double turn;      // m, B
  double radius;    // m, the smaller one
  double ratio;     // of the radii, or radius x mean curvature
  double area;      // m2
  double strength;  // N, tension x length x multipliers
  double spread;    // m, difference of the distance between both ends of the length; 0: parallel
} RvWetDef;
// Makes the law of a link; false: it has no force.
bool rv_contact_wet_law(const RvBridgeTable* table, const RvWetDef* def, RvWetLaw* out);
// The distance from which on there is a force.
double rv_contact_wet_begin(const RvWetLaw* law);
// The part of the push P that the law contains at a distance, N; the dry push adds to it. Negative where a law that
// falls at B exceeds f(B) just before.
double rv_contact_wet_push(const RvWetLaw* law, double distance);

typedef struct RvWetForce {
  double energy, force, slope;
} RvWetForce;

// Energy, force and slope of a law at a distance: the cubic Hermite polynomial of the interval of d.
static inline RvWetForce rv_contact_wet_force(const RvWetLaw* w, double d) {
  if (!(d > w->low)) return (RvWetForce){w->energy[0], 0, 0};
  if (!(d < w->rupture)) return (RvWetForce){0, 0, 0};
  double from = w->low, h = w->start - w->low;
  int k = 0;
  if (d >= w->fade) {
    k = RV_WET_KNOTS - 2;
    from = w->fade;
    h = w->rupture - w->fade;
  } else if (d >= w->turn) {
    int i = (int)((d - w->turn) * w->inverse);
    k = i < RV_WET_KNOTS - 5 ? i : RV_WET_KNOTS - 5;
    from = w->turn + k * w->step;
    h = w->step;
    k += 2;
  } else if (d >= w->start) {
    k = 1;
    from = w->start;
    h = w->turn - w->start;
  }
  double u = (d - from) / h, f0 = w->force[k], f1 = w->force[k + 1], m0 = w->slope[k] * h, m1 = w->slope[k + 1] * h;
  double c2 = 3 * (f1 - f0) - 2 * m0 - m1, c3 = 2 * (f0 - f1) + m0 + m1;
  double energy = w->energy[k] + h * u * (f0 + u * (0.5 * m0 + u * (c2 * (1.0 / 3) + 0.25 * u * c3)));
  double force = f0 + u * (m0 + u * (c2 + u * c3));
  double slope = (m0 + u * (2 * c2 + 3 * u * c3)) / h;
  return (RvWetForce){energy, force, slope};
}

#endif
