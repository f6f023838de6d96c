// What every model makes of the definition of a strand: lengths, sections, batches of lanes, and what is refused.
#ifndef RV_STRAND_DEF_H
#define RV_STRAND_DEF_H

#include "strand/order.h"

// Trouton's ratio: elongational over shear viscosity, for stretching and bending of a viscous thread.
static const double RV_STRAND_TROUTON = 3;

// Natural length of edge i: given, or that of the natural shape.
double rv_strand_def_length(const RvStrandDef* strand, int i);

// Second moments of an elliptic section with the half axes a, along the first director, and a / ellipse.
typedef struct RvStrandSection {
  double about_first, about_second;  // m4: of bending about the first and the second director
  double polar;                      // m4: St Venant's torsion constant
} RvStrandSection;
RvStrandSection rv_strand_section(double a, double ellipse);

// What a method takes.
typedef struct RvStrandLimits {
  int least, most;  // vertices of a strand
  bool limp;        // youngs and shear may be 0
} RvStrandLimits;
// Refuses strands that cannot be simulated, naming the strand and the point.
RvResult rv_strand_defs_check(const RvStrandDef* strands, size_t count, const RvStrandLimits* limits, RvError* error);

// Number of strands that share a batch: those of equal vertex count from key `from` on, at most RV_LANES.
int rv_strand_lanes_from(const RvStrandKey* keys, size_t from, size_t count);
// The strands of its lanes; spare lanes repeat the last strand.
void rv_strand_fill_lanes(const RvStrandKey* keys, size_t from, int lanes, int32_t strand[RV_LANES]);

#endif
