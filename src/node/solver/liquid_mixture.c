#include "node/solver/liquid_mixture.h"

#include "base/memory.h"
#include "node/presets.h"

// The attributes of points that name or make a material; NULL: missing.
typedef struct Attribs {
  const RvAttrib *material, *viscosity, *yieldstress, *flowindex, *shearmodulus, *density, *tension;
} Attribs;

static const RvAttrib* number(const RvDetail* d, const char* name) {
  const RvAttrib* a = rv_detail_find(d, RV_POINT, name);
  return a && rv_attrib_storage(a) != RV_STRING ? a : NULL;
}

static Attribs find_attribs(const RvDetail* d) {
  const RvAttrib* material = rv_detail_find(d, RV_POINT, "material");
  return (Attribs){.material = material && rv_attrib_storage(material) == RV_STRING ? material : NULL,
                   .viscosity = number(d, "viscosity"),
                   .yieldstress = number(d, "yieldstress"),
                   .flowindex = number(d, "flowindex"),
                   .shearmodulus = number(d, "shearmodulus"),
                   .density = number(d, "density"),
                   .tension = number(d, "surfacetension")};
}

static double value(const RvAttrib* a, size_t i, double missing) {
  double x = a ? rv_attrib_get(a, i, 0) : 0;
  return x > 0 && x < 1e30 ? x : missing;
}

// The material of a row. A point that a source made has the name alone, and 0 in the numbers that others brought.
static RvLiquidStandard material_of(const Attribs* a, size_t i, const RvLiquidStandard* standard) {
  const RvLiquidPreset* p = a->material ? rv_liquid_preset_find(rv_attrib_string(a->material, i, 0)) : NULL;
  RvLiquidStandard m = *standard;
  if (p) m.law = (RvRheology){p->shearmodulus, p->yieldstress, p->consistency, p->flowindex};
  double viscosity = value(a->viscosity, i, 0);
  if (viscosity > 0)
    m.law =
        (RvRheology){value(a->shearmodulus, i, 0), value(a->yieldstress, i, 0), viscosity, value(a->flowindex, i, 1)};
  m.density = value(a->density, i, p ? p->density : standard->density);
  m.tension = value(a->tension, i, p ? p->surfacetension : standard->tension);
  return m;
}

// Presets and attributes, which are floats, give the same material.
static bool is_same(const RvLiquidMaterials* m, int k, const RvLiquidStandard* other) {
  const RvRheology *a = &m->law[k], *b = &other->law;
  return (float)a->modulus == (float)b->modulus && (float)a->yield == (float)b->yield &&
         (float)a->consistency == (float)b->consistency && (float)a->index == (float)b->index &&
         (float)m->density[k] == (float)other->density && (float)m->tension[k] == (float)other->tension;
}

static void add_material(RvLiquidMaterials* m, const RvLiquidStandard* one) {
  m->law[m->count] = one->law;
  m->density[m->count] = one->density;
  m->tension[m->count] = one->tension;
  m->count++;
}

RvResult rv_liquid_mixture_read(const RvDetail* points, const RvLiquidStandard* standard, RvLiquidMaterials* m,
                                uint8_t** of_row, bool* too_many, RvError* error) {
  size_t rows = rv_detail_count(points, RV_POINT);
  Attribs a = find_attribs(points);
  *m = (RvLiquidMaterials){.rows = rows};
  *too_many = false;
  if (!a.material && !a.viscosity && !a.density && !a.tension) return RV_OK;
  uint8_t* of = *of_row = rv_alloc_zero(rows + 1, sizeof *of);
  if (!of) return rv_fail(error, RV_NO_MEMORY, "out of memory for the materials of %zu particles", rows);
  m->of_row = of;
  for (size_t i = 0; i < rows; ++i) {
    RvLiquidStandard one = material_of(&a, i, standard);
    int k = 0;
    while (k < m->count && !is_same(m, k, &one)) ++k;
    *too_many = k == RV_LIQUID_MOST_MATERIALS;
    if (*too_many) {
      m->count = 0;
      return RV_OK;
    }
    if (k == m->count) add_material(m, &one);
    of[i] = (uint8_t)k;
  }
  return RV_OK;
}
