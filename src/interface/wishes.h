// Coefficients of the pair force from what an artist wishes: tensions of liquids against air and against each other,
// and contact angles on solids (VI-4, VI-6 to VI-8, E33, E34).
//
// In units of the tension that a coefficient makes, gamma_a = c_aa / 2 against air, which has no particles, and
// gamma_ab = (c_aa + c_bb) / 2 - c_ab. So the sequence starts from air: c_aa = 2 gamma_a, then
// c_ab = gamma_a + gamma_b - gamma_ab, then for each solid by Young and Dupre c_sa = gamma_a (1 + cos theta_a). The
// angle at which two liquids meet on a solid follows: cos theta_b = (c_aa - c_bb + 2 c_sb - 2 c_sa) / (c_aa + c_bb - 2
// c_ab).
#ifndef RV_INTERFACE_WISHES_H
#define RV_INTERFACE_WISHES_H

#include "interface/sums_kernel.h"

typedef struct RvInterfaceWishes {
  int phases;
  double surface[RV_INTERFACE_PHASES];                       // N/m against air
  double between[RV_INTERFACE_PHASES][RV_INTERFACE_PHASES];  // N/m between two liquids, symmetric
  double angle[RV_INTERFACE_PHASES];                         // rad in air, on one solid
} RvInterfaceWishes;

// Tensions over those of a unit coefficient; times rv_pair_coefficient(form, 1, support) they are coefficients.
typedef struct RvInterfaceBonds {
  double liquid[RV_INTERFACE_PHASES][RV_INTERFACE_PHASES];  // N/m
  double solid[RV_INTERFACE_PHASES];                        // N/m
} RvInterfaceBonds;

// All coefficients; or an error that names the wish that cannot be met: a negative tension, an angle that is none, or a
// Neumann triangle of two liquids and air, or of three liquids, that does not close.
RvResult rv_interface_bonds(const RvInterfaceWishes* wishes, RvInterfaceBonds* out, RvError* error);
// Air among the phases of a meeting.
enum { RV_INTERFACE_AIR = -1 };
// Angles (rad) inside three phases where they meet in a line, by Neumann's triangle of their tensions. An error where
// it does not close.
RvResult rv_interface_meeting(const RvInterfaceBonds* bonds, const int phase[3], double angle[3], RvError* error);
// Cosine of the angle inside phase b where the liquids a and b meet on the solid. An error where it is beyond 1: one of
// them spreads.
RvResult rv_interface_shared_angle(const RvInterfaceBonds* bonds, int a, int b, double* cosine, RvError* error);

#endif
