#include "node/solver/input_notes.h"

#include <math.h>

#include "math/vec.h"
#include "node/solver/scaffold.h"
#include "parm/values.h"

// Sizes beyond which a factor of 100 is more likely than the size itself, m: hair is 1 mm (fur) to 2 m long and 5 to
// 200 micrometres thick; particles resolve drops to oceans.
static const double LONGEST_HAIR = 5, SHORTEST_HAIR = 3e-4;
static const double THICKEST_HAIR = 1e-3, THINNEST_HAIR = 1e-6;
static const double WIDEST_SEPARATION = 0.5, NARROWEST_SEPARATION = 2e-5;

//---------------------------------------------------------------------------------------------- overrides

// True if the points or primitives have the number.
static bool has_number(const RvDetail* d, const char* name) {
  const RvAttrib *point, *prim;
  rv_solver_find_attrib(d, name, 1, &point, &prim);
  return point || prim;
}

// True if an element has another number than `value`, which is in *found then. A 0 means that it is not given.
static bool differs(const RvDetail* d, const char* name, double value, double* found) {
  const double SAME = 1e-6;  // relative: rounding of a float
  const RvAttrib *point, *prim;
  rv_solver_find_attrib(d, name, 1, &point, &prim);
  const RvAttrib* attrib = point ? point : prim;
  for (size_t i = 0; attrib && i < rv_attrib_count(attrib); ++i) {
    *found = rv_attrib_get(attrib, i, 0);
    if (*found != 0 && !(fabs(*found - value) <= SAME * fabs(value))) return true;
  }
  return false;
}

// True if a parameter of the node has another value than its default.
static bool is_set(const RvCook* cook, const char* token) {
  const RvParmDef* row = rv_parm_find(cook->type->parms, token);
  return row && rv_solver_number(cook, token) != rv_parm_standard(row, 0, rv_cook_meters(cook));
}

void rv_solver_note_overrides(const RvCook* cook, const RvDetail* strands) {
  static const char* const names[] = {"hairradius", "density",       "youngs",      "shear",
                                      "damping",    "hairsperguide", "contactangle"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    double found = 0;
    if (is_set(cook, names[i]) && differs(strands, names[i], rv_solver_number(cook, names[i]), &found))
      rv_cook_warn(
          cook,
          "%s of %g has no effect: the strands bring the attribute %s (%g), which comes first; change it there (groom "
          "and material write it), or remove it",
          names[i], rv_solver_number(cook, names[i]), names[i], found);
  }
  if (is_set(cook, "usewidth") && has_number(strands, "hairradius"))
    rv_cook_warn(cook, "usewidth has no effect: the strands bring the attribute hairradius, which comes before width");
}

//---------------------------------------------------------------------------------------------- units

// Says which unit the scene may have instead.
static void hint(const RvCook* cook, const char* what, double size, bool large) {
  double meters = rv_cook_meters(cook);
  if (large)
    rv_cook_warn(cook, "%s %.3g m: is the scene in centimetres? metersperunit is %g, and 0.01 would make it %.3g m",
                 what, size, meters, size / meters * 0.01);
  else
    rv_cook_warn(
        cook,
        "%s %.3g m: is the scene in metres, or the value? metersperunit is %g, and lengths are in units of the "
        "scene",
        what, size, meters);
}

void rv_solver_note_hair_size(const RvCook* cook, const RvStrandSet* strands) {
  double length = 0, radius = 0, vertices = 0;
  for (size_t k = 0; k < strands->count; ++k) {
    const RvStrandDef* strand = &strands->defs[k];
    for (int i = 0; i < strand->vertices; ++i) {
      radius += strand->radius[i];
      vertices++;
      if (i) length += rv_distance(rv_vec3_load64(strand->x + 3 * i), rv_vec3_load64(strand->x + 3 * i - 3));
    }
  }
  if (!strands->count) return;
  length /= (double)strands->count;
  radius /= vertices;
  if (length > LONGEST_HAIR || length < SHORTEST_HAIR)
    hint(cook, "the strands have a mean length of", length, length > LONGEST_HAIR);
  if (radius > THICKEST_HAIR || radius < THINNEST_HAIR)
    hint(cook, "the strands have a mean radius of", radius, radius > THICKEST_HAIR);
}

void rv_solver_note_separation(const RvCook* cook, double separation) {
  if (separation > WIDEST_SEPARATION || separation < NARROWEST_SEPARATION)
    hint(cook, "the particles have a separation of", separation, separation > WIDEST_SEPARATION);
}
