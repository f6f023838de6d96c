// Writes src/interface/measured.def: factors of the pair forces by drops that oscillate, and angles of solids by caps,
// all through the node interfacesolver with the table that is compiled in. It takes five minutes of CPU:
//
//   cmake --build build/release --target derive_interface
//   build/release/tests/derive_interface src/interface/measured.def
//
// A factor is replaced where the mean of its drops is more than a tenth off, and an angle where its cap is more than 4
// degrees off: within that single runs scatter, and scenes would change their bits for nothing.
#include <math.h>
#include <stdio.h>

#include "interface/pair.h"
#include "interface/solver.h"
#include "rig/interface_drops.h"

// Radii in spacings: three drops each of 7 and 9, two of 12, which differ in the places of their particles.
static const double radii[] = {6.9, 7, 7.1, 8.9, 9, 9.1, 11.95, 12.05};
enum { DROPS = sizeof radii / sizeof *radii, MOST_ANGLES = 32 };
static const char* const forms[RV_PAIR_FORMS] = {
    [RV_PAIR_COSINE] = "COSINE",
    [RV_PAIR_TWO_KERNELS] = "TWO_KERNELS",
    [RV_PAIR_SPLINE] = "SPLINE",
};

static const double FACTOR_OFF = 0.1;
static const double ANGLE_OFF = 4;

// Thinner caps spread into films, whose angle cannot be read from a height: the rows below are kept, and those of 0 and
// 180 degrees have no cap.
static const double LEAST_ANGLE = 60;
static const double MOST_ANGLE = 150;
// Where caps begin: of wide angles and of others.
static const RvCapBlock high = {14, 15, 0.05};
static const RvCapBlock flat = {18, 9, 0.05};

static const char head[] =
    "// Measured factors of the pair forces and angles of the solids. `build/release/tests/derive_interface` measures "
    "all\n"
    "// of them anew and writes this file; docs/interface.md says how.\n"
    "//\n"
    "// RV_PAIR_FACTOR(form, factor): tension over that of the mean field, at h of two spacings and k = 1.4.\n"
    "// RV_SOLID_ANGLE(measured, used): the angle, degrees, whose coefficient by Young and Dupre makes a contact "
    "angle.\n";

// Rows of the new table.
typedef struct Table {
  double factor[RV_PAIR_FORMS];
  double measured[MOST_ANGLES];  // degrees
} Table;

static RvResult measure_factors(Table* table, RvError* error) {
  for (int form = 0; form < RV_PAIR_FORMS; ++form) {
    double known = rv_pair_measured((RvPairForm)form);
    RvDropFactor now;
    RvResult result = rv_rig_drop_factor((RvPairForm)form, radii, DROPS, &now, error);
    if (result) return result;
    printf("%s: factor %.3f, was %.3f; single drops scatter by %.3f\n", forms[form], now.factor, known, now.scatter);
    table->factor[form] = fabs(now.factor / known - 1) > FACTOR_OFF ? now.factor : known;
  }
  return RV_OK;
}

static RvResult measure_angles(const RvSolidAngle* known, int count, Table* table, RvError* error) {
  if (count > MOST_ANGLES) return rv_fail(error, RV_LIMIT, "%d angles, more than %d", count, MOST_ANGLES);
  for (int k = 0; k < count; ++k) {
    double angle = known[k].measured;
    double measured = angle;
    RvResult result = RV_OK;
    if (angle >= LEAST_ANGLE && angle <= MOST_ANGLE)
      result = rv_rig_cap_angle(angle, angle > 90 ? &high : &flat, &measured, error);
    if (result) return result;
    printf("angle %g: measured %.1f with %.1f\n", angle, measured, known[k].used);
    table->measured[k] = fabs(measured - angle) > ANGLE_OFF ? measured : angle;
  }
  return RV_OK;
}

// Caps of four times as many particles with the same table, which is not made from them.
static RvResult print_large(RvError* error) {
  static const double angles[] = {60, 90, 120, 150};
  static const RvCapBlock large_high = {22.2, 23.8, 0.05};
  static const RvCapBlock large_flat = {28.6, 14.3, 0.05};
  RvResult result = RV_OK;
  for (size_t k = 0; k < sizeof angles / sizeof *angles && !result; ++k) {
    double measured = 0;
    result = rv_rig_cap_angle(angles[k], angles[k] > 90 ? &large_high : &large_flat, &measured, error);
    if (!result) printf("angle %g of a large cap: measured %.1f\n", angles[k], measured);
  }
  return result;
}

// Writes the file when all is measured, as the library is built from it.
static bool write_table(const char* path, const RvSolidAngle* known, int count, const Table* table) {
  FILE* file = fopen(path, "w");
  if (!file) return false;
  fputs(head, file);
  for (int form = 0; form < RV_PAIR_FORMS; ++form)
    fprintf(file, "RV_PAIR_FACTOR(%s, %.3g)\n", forms[form], table->factor[form]);
  for (int k = 0; k < count; ++k) fprintf(file, "RV_SOLID_ANGLE(%.4g, %.4g)\n", table->measured[k], known[k].used);
  return fclose(file) == 0;
}

int main(int count, char** words) {
  if (count != 2) {
    fprintf(stderr, "usage: derive_interface FILE\n");
    return 1;
  }
  RvError error = {0};
  Table table;
  int angles;
  const RvSolidAngle* known = rv_interface_angles(&angles);
  RvResult result = measure_factors(&table, &error);
  if (!result) result = measure_angles(known, angles, &table, &error);
  if (!result) result = print_large(&error);
  if (result) {
    fprintf(stderr, "derive_interface: %s\n", error.text);
    return 2;
  }
  if (write_table(words[1], known, angles, &table)) return 0;
  fprintf(stderr, "derive_interface: cannot write %s\n", words[1]);
  return 1;
}
