// The model of the interface solver from parameters and attributes: liquids, bodies, and the coefficients between them.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "node/solver/interface_frame.h"

typedef RvInterfaceFrame Frame;

// Phases: the two liquids, and all bodies.
enum { FIRST, SECOND, BODIES, PHASES };

//---------------------------------------------------------------------------------------------- coefficients

// Coefficients of both liquids and of bodies; one liquid alone needs no wish between two. Bodies do not attract each
// other.
static RvResult set_coefficients(const Frame* f, const RvInterfaceParms* p, RvInterfaceModel* m, RvError* error) {
  const double angle = rv_radians(p->bodyangle);
  RvInterfaceWishes wishes = {
      .phases = f->second ? BODIES : SECOND, .surface = {m->tension, p->surfacetension2}, .angle = {angle, angle}};
  RvInterfaceBonds bonds;
  wishes.between[FIRST][SECOND] = p->interfacetension;
  wishes.between[SECOND][FIRST] = p->interfacetension;
  RvResult result = rv_interface_bonds(&wishes, &bonds, error);
  double unit = rv_pair_coefficient(m->form, 1, rv_interface_support(m));
  for (int i = 0; i < wishes.phases; ++i) {
    for (int j = 0; j < wishes.phases; ++j) m->coefficient[i][j] = unit * bonds.liquid[i][j];
    m->coefficient[i][BODIES] = unit * bonds.solid[i];
    m->coefficient[BODIES][i] = unit * bonds.solid[i];
    m->tension = fmax(m->tension, wishes.surface[i]);
  }
  return result;
}

RvResult rv_interface_frame_model(const Frame* f, const RvInterfaceParms* p, RvInterfaceModel* out, RvError* error) {
  const RvLiquidMaterial* material = &f->material;
  RvInterfaceModel m = rv_interface_defaults(f->liquid.separation);
  m.dx = f->liquid.globals.dx;
  m.ratio = p->pairsupport;
  m.form = (RvPairForm)p->pairforce;
  memcpy(m.gravity, p->gravity, sizeof m.gravity);
  m.tolerance = p->densitytolerance;
  m.iterations = (int)p->densityiter;
  m.method = (RvInterfaceMethod)p->solver;
  m.pair_updates = p->pairupdates;
  m.phases = f->row_solid ? PHASES : f->row_phase ? BODIES : SECOND;
  m.phase[FIRST].density = material->density > 0 ? material->density : p->density;
  m.phase[FIRST].viscosity = material->viscosity > 0 ? material->viscosity : p->viscosity;
  m.phase[SECOND].density = p->density2;
  m.phase[SECOND].viscosity = p->viscosity2;
  // Liquid drags on bodies as on itself.
  m.phase[BODIES].density = p->bodydensity;
  m.phase[BODIES].viscosity = m.phase[FIRST].viscosity;
  m.tension = material->surfacetension > 0 ? material->surfacetension : p->surfacetension;
  m.second_angle = p->contactangle2 >= 0 ? rv_radians(p->contactangle2) : -1;
  *out = m;
  return set_coefficients(f, p, out, error);
}

//---------------------------------------------------------------------------------------------- attributes

// Adds the phases of the attribute `phase` to the rows; whether one of them is of the second liquid.
static RvResult read_phases(const Frame* f, const RvDetail* rows, uint8_t* phase, bool* second, RvError* error) {
  const RvAttrib* a = rv_detail_find(rows, RV_POINT, "phase");
  *second = false;
  if (!a || rv_attrib_storage(a) == RV_STRING) return RV_OK;
  for (size_t i = 0; i < rv_detail_count(rows, RV_POINT); ++i) {
    double value = rv_attrib_get(a, i, 0);
    if (value != FIRST && value != SECOND)
      return rv_fail(error, RV_BAD_INPUT,
                     "%s, has a point with phase %g: the first liquid is phase 0, the second is phase 1",
                     rv_solver_port(f->cook, 0).text, value);
    phase[i] = value == SECOND;
    *second = *second || phase[i];
  }
  return RV_OK;
}

RvResult rv_interface_frame_phases(Frame* f, RvError* error) {
  const RvDetail* rows = f->liquid.rows ? f->liquid.rows : f->liquid.state;
  size_t count = rv_detail_count(rows, RV_POINT);
  uint8_t* phase = rv_alloc_zero(count + 1, 1);
  if (!phase) return rv_fail(error, RV_NO_MEMORY, "out of memory for the phases");
  RvResult result = read_phases(f, rows, phase, &f->second, error);
  if (!result)
    result = rv_interface_frame_numbers(f, rows, "bodyid", "bodies", RV_INTERFACE_MOST_BODIES, &f->row_solid,
                                        &f->solver.bodies.count, error);
  for (size_t i = 0; f->row_solid && i < count; ++i)
    if (f->row_solid[i]) phase[i] = BODIES;
  if (result || (!f->second && !f->row_solid)) {
    rv_free(phase);
    phase = NULL;
  }
  f->row_phase = phase;
  f->solver.row_phase = phase;
  f->solver.bodies.row_body = f->row_solid;
  return result;
}
