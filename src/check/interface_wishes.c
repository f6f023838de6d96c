// Check of the coefficients from wishes: Young, Neumann and the seed's sequence (VI-6 to VI-8).
#include "interface/wishes.h"

#include <math.h>

#include "check/check.h"
#include "math/scalar.h"

// Tension between two phases by the bonds: (c_aa + c_bb) / 2 - c_ab with c = 2 bonds.
static double tension_of(const RvInterfaceBonds* bonds, int a, int b) {
  return bonds->liquid[a][a] + bonds->liquid[b][b] - 2 * bonds->liquid[a][b];
}

// The egg of the seed: its coefficients of white, yolk and pan (spec 5.4), and the angle inside the yolk, which follows
// from the derived relation; as printed it would be 85 degrees (E33).
static RvResult check_egg(const RvCheckOut* out, RvError* error) {
  const RvInterfaceBonds egg = {.liquid = {{6.0e3, -1.0e3}, {-1.0e3, 1.6e4}}, .solid = {8.0e3, 2.0e3}};
  double cosine = 0;
  RvResult result = rv_interface_shared_angle(&egg, 0, 1, &cosine, error);
  if (!result) rv_check_emit(out, "egg", cosine, -22.0 / 24, 1e-12);
  return result;
}

// Three liquids of equal tensions meet at 120 degrees; a lens of oil between water and air by the law of cosines, and
// the three angles of a meeting fill the circle.
static RvResult check_meetings(const RvCheckOut* out, RvError* error) {
  RvInterfaceWishes w = {.phases = 3,
                         .surface = {0.06, 0.06, 0.06},
                         .between = {{0, 0.04, 0.04}, {0.04, 0, 0.04}, {0.04, 0.04, 0}},
                         .angle = {1, 1, 1}};
  RvInterfaceBonds bonds;
  double angle[3] = {0};
  RvError refused;
  RvResult result = rv_interface_bonds(&w, &bonds, error);
  if (!result) result = rv_interface_meeting(&bonds, (const int[]){0, 1, 2}, angle, error);
  if (result) return result;
  rv_check_emit(out, "three_liquids", angle[0], 2 * RV_PI / 3, 1e-9);
  w.surface[1] = 0.05;
  result = rv_interface_bonds(&w, &bonds, error);
  if (!result) result = rv_interface_meeting(&bonds, (const int[]){0, 1, RV_INTERFACE_AIR}, angle, error);
  if (result) return result;
  rv_check_emit(out, "lens", cos(angle[1]), (0.06 * 0.06 - 0.05 * 0.05 - 0.04 * 0.04) / (2 * 0.05 * 0.04), 1e-12);
  rv_check_emit(out, "whole_circle", angle[0] + angle[1] + angle[2], 2 * RV_PI, 1e-9);
  w.between[0][2] = 0.09;
  w.between[2][0] = 0.09;
  rv_check_emit(out, "refuses_open_liquids", rv_interface_bonds(&w, &bonds, &refused) != RV_OK, 1, 0);
  return RV_OK;
}

RvResult rv_check_interface_wishes(const RvCheckOut* out, RvError* error) {
  RvInterfaceWishes w = {.phases = 2,
                         .surface = {0.072, 0.032},
                         .between = {{0, 0.05}, {0.05, 0}},
                         .angle = {rv_radians(60), rv_radians(40)}};
  RvInterfaceBonds bonds;
  double cosine = 0;
  RvResult result = rv_interface_bonds(&w, &bonds, error);
  if (!result) result = rv_interface_shared_angle(&bonds, 0, 1, &cosine, error);
  if (result) return result;
  rv_check_emit(out, "between", tension_of(&bonds, 0, 1), 0.05, 1e-15);
  // Young's law with the solid's tensions against air: gamma_sa - gamma_sb = gamma_ab cos inside b.
  double young = 0.032 * cos(rv_radians(40)) - 0.072 * cos(rv_radians(60));
  rv_check_emit(out, "shared_angle", cosine, young / 0.05, 1e-12);
  // One liquid: Young and Dupre.
  for (int k = 0; k < 2; ++k)
    rv_check_emit(out, k ? "dupre_second" : "dupre_first", 2 * bonds.solid[k] / bonds.liquid[k][k] - 1, cos(w.angle[k]),
                  1e-12);
  // Wishes that cannot be met are refused: 1.
  RvError refused;
  RvInterfaceWishes open = w;
  open.between[0][1] = 0.2;
  open.between[1][0] = 0.2;
  rv_check_emit(out, "refuses_open_triangle", rv_interface_bonds(&open, &bonds, &refused) != RV_OK, 1, 0);
  open.between[0][1] = 0.01;
  open.between[1][0] = 0.01;
  rv_check_emit(out, "refuses_spreading", rv_interface_bonds(&open, &bonds, &refused) != RV_OK, 1, 0);
  RvInterfaceWishes beyond = w;
  beyond.angle[0] = rv_radians(175);
  beyond.angle[1] = 0;
  bool fine = rv_interface_bonds(&beyond, &bonds, &refused) == RV_OK;
  rv_check_emit(out, "refuses_cosine_beyond_1",
                fine && rv_interface_shared_angle(&bonds, 0, 1, &cosine, &refused) != RV_OK, 1, 0);
  result = check_egg(out, error);
  return result ? result : check_meetings(out, error);
}
