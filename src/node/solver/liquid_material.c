#include "node/solver/liquid_material.h"

#include <math.h>

#include "node/presets.h"
#include "node/solver/scaffold.h"
#include "parm/values.h"

// Pa s: below it the viscosity of the bulk is less than that of the grid (the help of viscosity says so), and its solve
// would only take time. The film takes the value as it is.
static const double LEAST_BULK_VISCOSITY = 5e-3;
// Bounds of the contact angle on strands, degrees, as of the parameter.
static const double LEAST_ANGLE = 5, LARGEST_ANGLE = 85;
static const double MOST_SOLIDS = 0.6;  // as of the parameter

// A property of a preset.
typedef double PresetFn(const RvLiquidPreset* preset);

static double density_of(const RvLiquidPreset* p) {
  return p->density;
}

// At a shear rate of 1/s the viscous stress of a Herschel-Bulkley liquid equals its consistency.
static double viscosity_of(const RvLiquidPreset* p) {
  return p->consistency;
}

static double tension_of(const RvLiquidPreset* p) {
  return p->surfacetension;
}

static double angle_of(const RvLiquidPreset* p) {
  return p->contactangle;
}

static double yield_of(const RvLiquidPreset* p) {
  return p->yieldstress;
}

static double index_of(const RvLiquidPreset* p) {
  return p->flowindex;
}

static double modulus_of(const RvLiquidPreset* p) {
  return p->shearmodulus;
}

static double solids_of(const RvLiquidPreset* p) {
  return p->solids;
}

// One property of all particles.
typedef struct Property {
  const RvAttrib *point, *global;  // attribute; NULL: missing
  const RvAttrib* material;        // names of presets
  const RvAttrib* volume;          // weights; NULL: all equal
  PresetFn* preset;
} Property;

// A numeric attribute of one number; NULL: there is none.
static const RvAttrib* number(const RvDetail* d, RvOwner owner, const char* name) {
  const RvAttrib* a = rv_detail_find(d, owner, name);
  return a && rv_attrib_storage(a) != RV_STRING ? a : NULL;
}

// The names of materials; NULL: the particles have none.
static const RvAttrib* names_of(const RvDetail* d) {
  const RvAttrib* a = rv_detail_find(d, RV_POINT, "material");
  return a && rv_attrib_storage(a) == RV_STRING ? a : NULL;
}

// Value of a particle: its own, that of the detail, that of the preset it names; 0: none.
static double value_at(const Property* p, size_t i) {
  double own = p->point ? rv_attrib_get(p->point, i, 0) : p->global ? rv_attrib_get(p->global, 0, 0) : 0;
  if (own > 0 && isfinite(own)) return own;
  const RvLiquidPreset* preset = p->material ? rv_liquid_preset_find(rv_attrib_string(p->material, i, 0)) : NULL;
  return preset ? p->preset(preset) : 0;
}

// Mean over the particles that have the value. Equal values give just this value.
static double mean(const RvDetail* d, const char* name, PresetFn* preset) {
  Property p = {.point = number(d, RV_POINT, name),
                .global = number(d, RV_GLOBAL, name),
                .material = names_of(d),
                .volume = number(d, RV_POINT, "volume"),
                .preset = preset};
  if (!p.point && !p.global && !p.material) return 0;
  double sum = 0, weight = 0, first = 0;
  bool equal = true;
  for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i) {
    double value = value_at(&p, i), share = p.volume ? rv_attrib_get(p.volume, i, 0) : 1;
    if (!(value > 0) || !(share > 0)) continue;
    if (first == 0) first = value;
    equal = equal && value == first;
    sum += value * share;
    weight += share;
  }
  return equal ? first : sum / weight;
}

// The same for a property that may be 0: an attribute that is there holds, also with 0.
static double mean_with_zeros(const RvDetail* d, const char* name, PresetFn* preset) {
  const RvAttrib* a = number(d, RV_POINT, name);
  if (!a) return mean(d, name, preset);
  double sum = 0;
  size_t count = rv_detail_count(d, RV_POINT);
  for (size_t i = 0; i < count; ++i) {
    double value = rv_attrib_get(a, i, 0);
    sum += value > 0 && isfinite(value) ? value : 0;
  }
  double first = count ? rv_attrib_get(a, 0, 0) : 0;
  return fabs(sum - first * (double)count) <= 1e-12 * sum ? first : sum / (double)count;
}

RvLiquidMaterial rv_liquid_material_read(const RvDetail* particles) {
  if (!particles) return (RvLiquidMaterial){0};
  return (RvLiquidMaterial){.density = mean(particles, "density", density_of),
                            .viscosity = mean(particles, "viscosity", viscosity_of),
                            .surfacetension = mean(particles, "surfacetension", tension_of),
                            .contactangle = mean(particles, "contactangle", angle_of),
                            .yieldstress = mean_with_zeros(particles, "yieldstress", yield_of),
                            .flowindex = mean(particles, "flowindex", index_of),
                            .shearmodulus = mean_with_zeros(particles, "shearmodulus", modulus_of),
                            .solids = mean_with_zeros(particles, "solids", solids_of)};
}

void rv_liquid_material_apply(const RvLiquidMaterial* m, RvWetParms* p) {
  if (m->density > 0) p->liquiddensity = m->density;
  if (m->viscosity > 0) {
    bool plain = !(m->shearmodulus > 0) && (m->flowindex == 1 || !(m->flowindex > 0));
    p->viscosity = plain && m->viscosity < LEAST_BULK_VISCOSITY ? 0 : m->viscosity;
    p->filmviscosity = m->viscosity;
  }
  if (m->flowindex > 0) {
    p->flowindex = m->flowindex;
    p->yieldstress = m->yieldstress;
    p->shearmodulus = m->shearmodulus;
  }
  if (m->surfacetension > 0) {
    p->surfacetension = m->surfacetension;
    p->tension = m->surfacetension;
  }
  if (m->solids > 0) p->solids = fmin(m->solids, MOST_SOLIDS);
  if (m->contactangle > 0) p->contactangle = fmin(fmax(m->contactangle, LEAST_ANGLE), LARGEST_ANGLE);
}

// Warns of a parameter that was set and that a value of the material overrides.
static void note_override(const RvCook* cook, const char* token, double value) {
  const RvParmDef* row = rv_parm_find(cook->type->parms, token);
  if (!row || !(value > 0)) return;
  double given = rv_solver_number(cook, token);
  if (given != rv_parm_standard(row, 0, rv_cook_meters(cook)) && fabs(given - value) > 1e-6 * value)
    rv_cook_warn(cook,
                 "%s of %g has no effect: the particles bring a material with %g, which comes first; change it in the "
                 "node material, or take the material away",
                 token, given, value);
}

// Tells of names that are no preset, and of several materials, which flow as their mean.
static void note_names(const RvCook* cook, const RvDetail* particles) {
  const RvAttrib* names = names_of(particles);
  const RvLiquidPreset* first = NULL;
  for (size_t i = 0; names && i < rv_detail_count(particles, RV_POINT); ++i) {
    const char* name = rv_attrib_string(names, i, 0);
    const RvLiquidPreset* preset = rv_liquid_preset_find(name);
    if (*name && !preset && !number(particles, RV_POINT, "viscosity")) {
      rv_cook_warn(cook,
                   "material '%s' is no preset of the node material: it is a label without effect on the flow; the "
                   "parameters of the solver hold",
                   name);
      return;
    }
    if (preset && first && preset != first) {
      rv_cook_info(cook, "particles of %s and %s flow each by their own law, weight and tension", first->label,
                   preset->label);
      return;
    }
    if (preset) first = preset;
  }
}

void rv_liquid_material_note(const RvCook* cook, const RvLiquidMaterial* m, const RvDetail* particles) {
  bool wet = rv_parm_find(cook->type->parms, "liquiddensity") != NULL;
  note_override(cook, wet ? "liquiddensity" : "density", m->density);
  note_override(cook, "viscosity", m->viscosity);
  note_override(cook, "filmviscosity", m->viscosity);
  note_override(cook, "flowindex", m->flowindex);
  note_override(cook, "yieldstress", m->yieldstress);
  note_override(cook, "shearmodulus", m->shearmodulus);
  note_override(cook, "surfacetension", m->surfacetension);
  note_override(cook, "tension", m->surfacetension);
  note_override(cook, "contactangle", m->contactangle);
  note_override(cook, "solids", m->solids);
  if (particles) note_names(cook, particles);
}
