// Writes src/interface/measured.def: factors of the pair forces by drops that oscillate, and angles of solids by caps,
// all through the node interfacesolver with the table that is compiled in. It takes about ten minutes of CPU:
//
//   cmake --build build/release --target derive_interface && build/release/derive_interface src/interface/measured.def
//
// After a change of more than a tenth it is run again, as periods and angles depend a little on the factors themselves.
#include <math.h>
#include <stdio.h>

#include "interface/solver.h"
#include "math/scalar.h"
#include "rig/interface_drops.h"

// Radii in spacings: three drops each of 7 and 9, two of 12, which differ in the places of their particles.
static const double radii[] = {6.9, 7, 7.1, 8.9, 9, 9.1, 11.95, 12.05};
enum { DROPS = sizeof radii / sizeof *radii };
static const char* const forms[RV_PAIR_FORMS] = {
    [RV_PAIR_COSINE] = "COSINE", [RV_PAIR_TWO_KERNELS] = "TWO_KERNELS", [RV_PAIR_SPLINE] = "SPLINE"};

// Contact angles, degrees, and where their caps begin.
static const double angles[] = {60, 90, 120, 150};
static const RvCapBlock blocks[] = {{18, 9, 0.05}, {18, 9, 0.05}, {14, 15, 0.05}, {14, 15, 0.05}};
enum { ANGLES = sizeof angles / sizeof *angles };

static const char head[] =
    "// Measured factors of the pair forces and angles of the solids. Made by `build/release/derive_interface`, which\n"
    "// measures all of them anew and writes this file; docs/interface.md says how.\n"
    "//\n"
    "// RV_PAIR_FACTOR(form, factor): tension over that of the mean field, at h of two spacings and k = 1.4.\n"
    "// RV_SOLID_ANGLE(measured, used): the angle, degrees, whose coefficient by Young and Dupre makes a contact "
    "angle.\n";

static RvResult write_factors(FILE* file, RvError* error) {
  for (int form = 0; form < RV_PAIR_FORMS; ++form) {
    RvDropFactor now;
    RvResult result = rv_rig_drop_factor((RvPairForm)form, radii, DROPS, &now, error);
    if (result) return result;
    printf("%s: factor %.3f, was %.3f; single drops scatter by %.3f\n", forms[form], now.factor,
           rv_pair_measured((RvPairForm)form), now.scatter);
    fprintf(file, "RV_PAIR_FACTOR(%s, %.3g)\n", forms[form], now.factor);
  }
  return RV_OK;
}

// Angles below 60 degrees spread into films, whose angle cannot be read from a height: the table goes to 0 straight.
static RvResult write_angles(FILE* file, RvError* error) {
  double last = 0;
  fprintf(file, "RV_SOLID_ANGLE(0, 0)\n");
  for (int k = 0; k < ANGLES; ++k) {
    double measured = 0;
    RvResult result = rv_rig_cap_angle(angles[k], &blocks[k], &measured, error);
    if (result) return result;
    double used = rv_interface_used_angle(rv_radians(angles[k])) * 180 / RV_PI;
    printf("angle %g: measured %.1f with %.1f\n", angles[k], measured, used);
    if (!(measured > last && measured < 180)) continue;
    fprintf(file, "RV_SOLID_ANGLE(%.4g, %.4g)\n", measured, used);
    last = measured;
  }
  fprintf(file, "RV_SOLID_ANGLE(180, 180)\n");
  return RV_OK;
}

int main(int count, char** words) {
  RvError error = {0};
  FILE* file = count == 2 ? fopen(words[1], "w") : NULL;
  if (!file) {
    fprintf(stderr, "usage: derive_interface FILE, a file that can be written\n");
    return 1;
  }
  fputs(head, file);
  RvResult result = write_factors(file, &error);
  if (!result) result = write_angles(file, &error);
  if (result) fprintf(stderr, "derive_interface: %s\n", error.text);
  return fclose(file) || result ? 2 : 0;
}
