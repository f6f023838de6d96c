// Lengths, sections and batches of strand definitions.
#include "strand/def.h"

#include <math.h>

#include "math/scalar.h"

// Length of edge i in a pose.
static double edge_length(const double* x, int i) {
  return rv_distance(rv_vec3_load64(x + 3 * i), rv_vec3_load64(x + 3 * i + 3));
}

double rv_strand_def_length(const RvStrandDef* d, int i) {
  return d->length ? d->length[i] : edge_length(d->rest ? d->rest : d->x, i);
}

RvStrandSection rv_strand_section(double a, double ellipse) {
  double c = a / ellipse;
  return (RvStrandSection){.about_first = 0.25 * RV_PI * a * c * c * c,
                           .about_second = 0.25 * RV_PI * a * a * a * c,
                           .polar = RV_PI * a * a * a * c * c * c / (a * a + c * c)};
}

//---------------------------------------------------------------------------------------------- faults

// Points are finite, edges have a length, and points a radius.
static RvResult check_shape(const RvStrandDef* d, size_t s, RvError* error) {
  const double* shape = d->rest ? d->rest : d->x;
  for (int i = 0; i < 3 * d->vertices; ++i)
    if (!isfinite(d->x[i]) || !isfinite(shape[i]))
      return rv_fail(error, RV_BAD_INPUT, "strand %zu, point %d: a coordinate is not a number", s, i / 3);
  for (int i = 0; i + 1 < d->vertices; ++i)
    if (!(rv_strand_def_length(d, i) > 0) || !(edge_length(d->x, i) > 0))
      return rv_fail(error, RV_BAD_INPUT, "strand %zu: points %d and %d coincide; remove one of them", s, i, i + 1);
  for (int i = 0; i < d->vertices; ++i)
    if (!(d->radius[i] > 0) || !isfinite(d->radius[i]))
      return rv_fail(error, RV_BAD_INPUT, "strand %zu, point %d: the radius is not above 0; give it a width", s, i);
  return RV_OK;
}

static RvResult check_material(const RvStrandDef* d, size_t s, bool limp, RvError* error) {
  bool elastic = limp ? d->youngs >= 0 && d->shear >= 0 : d->youngs > 0 && d->shear > 0;
  if (elastic && d->density > 0 && d->viscosity >= 0 && d->ellipse > 0 && d->multiple > 0) return RV_OK;
  return rv_fail(error, RV_BAD_INPUT,
                 limp ? "strand %zu: density must be above 0, youngs, shear and viscosity not below"
                      : "strand %zu: density, youngs and shear must be above 0, viscosity not below",
                 s);
}

RvResult rv_strand_defs_check(const RvStrandDef* strands, size_t count, const RvStrandLimits* limits, RvError* error) {
  // indices of lanes are 32-bit
  if (count > INT32_MAX / RV_LANES)
    return rv_fail(error, RV_LIMIT, "%zu strands are more than can be simulated", count);
  RvResult result = RV_OK;
  for (size_t s = 0; s < count && !result; ++s) {
    const RvStrandDef* d = &strands[s];
    if (d->vertices < limits->least || d->vertices > limits->most)
      return rv_fail(error, RV_BAD_INPUT, "strand %zu has %d points; a strand needs %d to %d", s, d->vertices,
                     limits->least, limits->most);
    result = check_shape(d, s, error);
    if (!result) result = check_material(d, s, limits->limp, error);
  }
  return result;
}

//---------------------------------------------------------------------------------------------- batches

int rv_strand_lanes_from(const RvStrandKey* keys, size_t from, size_t count) {
  int lanes = 1;
  while (lanes < RV_LANES && from + (size_t)lanes < count && keys[from + (size_t)lanes].vertices == keys[from].vertices)
    lanes++;
  return lanes;
}

void rv_strand_fill_lanes(const RvStrandKey* keys, size_t from, int lanes, int32_t strand[RV_LANES]) {
  for (int k = 0; k < RV_LANES; ++k) strand[k] = keys[from + (size_t)(k < lanes ? k : lanes - 1)].strand;
}
