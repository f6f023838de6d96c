#include "node/solver/liquid_mixture.h"

#include "base/memory.h"
#include "node/presets.h"

// The attributes of points that name or make a material; NULL: missing.
typedef struct Attribs {
  const RvAttrib *material, *viscosity, *yieldstress, *flowindex, *shearmodulus;
} Attribs;

static const RvAttrib* number(const RvDetail* d, const char* name) {
  const RvAttrib* a = rv_detail_find(d, RV_POINT, name);
  return a && rv_attrib_storage(a) != RV_STRING ? a : NULL;
}

static Attribs find_attribs(const RvDetail* d) {
  const RvAttrib* material = rv_detail_find(d, RV_POINT, "material");
  return (Attribs){material && rv_attrib_storage(material) == RV_STRING ? material : NULL, number(d, "viscosity"),
                   number(d, "yieldstress"), number(d, "flowindex"), number(d, "shearmodulus")};
}

static double value(const RvAttrib* a, size_t i, double missing) {
  double x = a ? rv_attrib_get(a, i, 0) : 0;
  return x > 0 && x < 1e30 ? x : missing;
}

// The law of a row. A point that a source made has the name alone, and 0 in the numbers that others brought.
static RvRheology law_of(const Attribs* a, size_t i, const RvRheology* standard) {
  double viscosity = value(a->viscosity, i, 0);
  if (viscosity > 0)
    return (RvRheology){value(a->shearmodulus, i, 0), value(a->yieldstress, i, 0), viscosity,
                        value(a->flowindex, i, 1)};
  const RvLiquidPreset* p = a->material ? rv_liquid_preset_find(rv_attrib_string(a->material, i, 0)) : NULL;
  if (!p) return *standard;
  return (RvRheology){p->shearmodulus, p->yieldstress, p->consistency, p->flowindex};
}

// Presets and attributes, which are floats, give the same law.
static bool is_same(const RvRheology* a, const RvRheology* b) {
  return (float)a->modulus == (float)b->modulus && (float)a->yield == (float)b->yield &&
         (float)a->consistency == (float)b->consistency && (float)a->index == (float)b->index;
}

RvResult rv_liquid_mixture_read(const RvDetail* points, const RvRheology* standard, RvLiquidMaterials* m,
                                uint8_t** of_row, bool* too_many, RvError* error) {
  size_t rows = rv_detail_count(points, RV_POINT);
  Attribs a = find_attribs(points);
  *m = (RvLiquidMaterials){.rows = rows};
  *too_many = false;
  if (!a.material && !a.viscosity) return RV_OK;
  uint8_t* of = *of_row = rv_alloc_zero(rows + 1, sizeof *of);
  if (!of) return rv_fail(error, RV_NO_MEMORY, "out of memory for the materials of %zu particles", rows);
  m->of_row = of;
  for (size_t i = 0; i < rows; ++i) {
    RvRheology law = law_of(&a, i, standard);
    int k = 0;
    while (k < m->count && !is_same(&m->law[k], &law)) ++k;
    *too_many = k == RV_LIQUID_MOST_MATERIALS;
    if (*too_many) {
      m->count = 0;
      return RV_OK;
    }
    if (k == m->count) m->law[m->count++] = law;
    of[i] = (uint8_t)k;
  }
  return RV_OK;
}
