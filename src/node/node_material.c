// Material: physical properties of hair or liquid as attributes, from presets and overrides.
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "node/define.h"
#include "node/presets.h"
#include "node/shape/select.h"

// A preset of a fibre, SI units.
typedef struct Hair {
  const char* token;
  double density, youngs, shear, damping, hairradius;
} Hair;

// The presets of fibres, in the order of their menu.
static const Hair hairs[] = {
#define RV_HAIR(token, label, ...) {#token, __VA_ARGS__},
#define RV_LIQUID(...)
#include "node/presets.def"
#undef RV_LIQUID
#undef RV_HAIR
};

// Menus are single literals; a test compares them with the tables of presets.
#define LIQUID_MENU                                                                                                  \
  "water=Water|tetrachloroethylene=Tetrachloroethylene|mud=Drilling Mud|paint=Acrylic Paint|cream=Milk Cream|"       \
  "shavingcream=Shaving Cream|oystersauce=Oyster Sauce|chocolate=Milk Chocolate|siliconeoil=Silicone Oil|"           \
  "honey=Honey|syrup=Corn Syrup|shampoo=Shampoo|conditioner=Hair Conditioner|ketchup=Ketchup|toothpaste=Toothpaste|" \
  "yoghurt=Yoghurt"
#define HAIR_MENU                                                                                          \
  "human=Human Hair|humanwavy=Human Hair, Wavy|humancoily=Human Hair, Coily|humanthick=Human Hair, Thick|" \
  "humanwet=Human Hair, Soaked|fine=Fine Fibre|wool=Merino Wool|fur=Dog Fur|nylon=Nylon Bristle"

// Parameters that the other kind does not have are greyed out.
#define IF_HAIR HIDE("{ kind == liquid }")
#define IF_LIQUID HIDE("{ kind == hair }")

#define MATERIAL_PARMS(X)                                                                                              \
  X(MENU, kind, "Kind", 0, "hair=Hair|liquid=Liquid", "Kind of the geometry: hair strands or liquid particles.")       \
  X(MENU, hair, "Hair", 0, HAIR_MENU, "Preset of the fibre.", IF_HAIR)                                                 \
  X(MENU, liquid, "Liquid", 0, LIQUID_MENU, "Preset of the liquid.", IF_LIQUID)                                        \
  X(MENU, class, "Class", 0, "auto=By Kind|point=Point|prim=Primitive|detail=Detail",                                  \
    "Element that carries the attributes. By Kind uses primitives for hair and points for liquid.", ADVANCED)          \
  X(STRING, group, "Group", "", "Elements to set: groups, numbers and ranges. Empty: all.")                            \
  X(FOLDER, "Overrides")                                                                                               \
  X(FLOAT, density, "Density", -1, HARD(-1), SOFT(2000), "kg1m-3",                                                     \
    "Density. -1 uses the preset, here and below. Heavier hair sags more.")                                            \
  X(FLOAT, youngs, "Young's Modulus", -1, HARD(-1), SOFT(6e9), "kg1m-1s-2",                                            \
    "Young's modulus: resistance to stretching and bending. Higher makes stiffer, springier hair.", IF_HAIR)           \
  X(FLOAT, shear, "Shear Modulus", -1, HARD(-1), SOFT(3e9), "kg1m-1s-2", "Shear modulus: resistance to twisting.",     \
    IF_HAIR)                                                                                                           \
  X(FLOAT, damping, "Damping", -1, HARD(-1), SOFT(1e7), "kg1m-1s-1",                                                   \
    "Internal viscosity of the fibre. Higher calms oscillations sooner.", IF_HAIR)                                     \
  X(FLOAT, hairradius, "Hair Radius", -1, HARD(-1), SOFT(0.0002), "m",                                                 \
    "Radius of the fibre. Bending stiffness grows with its fourth power.", IF_HAIR)                                    \
  X(FLOAT, viscosity, "Viscosity", -1, HARD(-1), SOFT(10), "kg1m-1s-1",                                                \
    "Dynamic viscosity. Water has 0.001; higher flows more slowly. The preset uses the apparent viscosity at a shear " \
    "rate of 1/s, above the yield stress.",                                                                            \
    IF_LIQUID)                                                                                                         \
  X(FLOAT, surfacetension, "Surface Tension", -1, HARD(-1), SOFT(0.1), "kg1s-2",                                       \
    "Surface tension against air. Higher makes rounder drops and stronger clumping. Water has 0.072.", IF_LIQUID)      \
  X(FLOAT, yieldstress, "Yield Stress", -1, HARD(-1), SOFT(200), "kg1m-1s-2",                                          \
    "Stress below which the liquid does not flow, so that it keeps its shape. 0 flows always.", IF_LIQUID, ADVANCED)   \
  X(FLOAT, consistency, "Consistency", -1, HARD(-1), SOFT(30), "",                                                     \
    "Herschel-Bulkley consistency, Pa s^n: the resistance of the flowing liquid.", IF_LIQUID, ADVANCED)                \
  X(FLOAT, flowindex, "Flow Index", -1, HARD(-1), SOFT(2), "",                                                         \
    "Exponent of the flow law. Below 1 the liquid thins when sheared (paint), above 1 it thickens.", IF_LIQUID,        \
    ADVANCED)                                                                                                          \
  X(FLOAT, shearmodulus, "Liquid Shear Modulus", -1, HARD(-1), SOFT(2000), "kg1m-1s-2",                                \
    "Elasticity of the liquid below the yield stress.", IF_LIQUID, ADVANCED)                                           \
  X(FLOAT, bulkmodulus, "Bulk Modulus", -1, HARD(-1), SOFT(3e9), "kg1m-1s-2", "Resistance to compression.", IF_LIQUID, \
    ADVANCED)                                                                                                          \
  X(FLOAT, contactangle, "Contact Angle", -1, HARD(-1), HARD(180), "deg",                                              \
    "Angle at which the liquid meets hair. Small angles wet and spread, large angles bead.", IF_LIQUID)                \
  X(FLOAT, solids, "Solids", -1, HARD(-1), HARD(0.6), "",                                                              \
    "Share of the volume that stays as a crust when a film of it dries on hair.", IF_LIQUID, ADVANCED)
RV_PARM_TABLE(MaterialParms, material_table, MATERIAL_PARMS)

// Elements that get the attributes.
typedef struct Target {
  RvDetail* detail;
  RvOwner owner;
  size_t count;
  const uint8_t* mask;  // NULL: all
} Target;

// Writes an attribute: the given value, or the preset if that is negative.
static RvResult put(const Target* t, const char* name, double preset, double given, RvError* error) {
  float* values = rv_detail_f32_write(t->detail, t->owner, name, 1, error);
  if (!values) return error && error->code ? error->code : RV_NO_MEMORY;
  float value = (float)(given >= 0 ? given : preset);
  for (size_t i = 0; i < t->count; ++i)
    if (!t->mask || t->mask[i]) values[i] = value;
  return RV_OK;
}

// Writes the name of the preset.
static RvResult put_name(const Target* t, const char* token, RvError* error) {
  RvAttrib* attrib;
  RvResult result = rv_detail_add_attrib(t->detail, t->owner, "material", RV_STRING, 1, RV_TAG_NONE, &attrib, error);
  for (size_t i = 0; result == RV_OK && i < t->count; ++i)
    if (!t->mask || t->mask[i]) result = rv_attrib_set_string(attrib, i, 0, token, error);
  return result;
}

// An attribute with its preset and the override.
typedef struct Row {
  const char* name;
  double preset, given;
} Row;

// Writes several attributes.
static RvResult put_rows(const Target* t, const Row* rows, size_t count, RvError* error) {
  RvResult result = RV_OK;
  for (size_t i = 0; result == RV_OK && i < count; ++i)
    result = put(t, rows[i].name, rows[i].preset, rows[i].given, error);
  return result;
}

// Writes the attributes of hair; lengths are in units of the scene.
static RvResult write_hair(const Target* t, const MaterialParms* p, double meters, RvError* error) {
  const Hair* h = &hairs[p->hair];
  const Row rows[] = {{"density", h->density, p->density},
                      {"youngs", h->youngs, p->youngs},
                      {"shear", h->shear, p->shear},
                      {"damping", h->damping, p->damping},
                      {"hairradius", h->hairradius / meters, p->hairradius}};
  return put_rows(t, rows, sizeof rows / sizeof *rows, error);
}

// Consistency of the liquid: the override, or that of the preset.
static double consistency_of(const MaterialParms* p) {
  return p->consistency >= 0 ? p->consistency : rv_liquid_presets[p->liquid].consistency;
}

// Writes the attributes of a liquid; presets of SD-5, spec 2.5. At a shear rate of 1/s the viscous stress of a
// Herschel-Bulkley liquid equals its consistency, which the solvers read as `viscosity`.
static RvResult write_liquid(const Target* t, const MaterialParms* p, RvError* error) {
  const RvLiquidPreset* l = &rv_liquid_presets[p->liquid];
  const Row rows[] = {{"density", l->density, p->density},
                      {"viscosity", consistency_of(p), p->viscosity},
                      {"surfacetension", l->surfacetension, p->surfacetension},
                      {"yieldstress", l->yieldstress, p->yieldstress},
                      {"consistency", l->consistency, p->consistency},
                      {"flowindex", l->flowindex, p->flowindex},
                      {"shearmodulus", l->shearmodulus, p->shearmodulus},
                      {"bulkmodulus", l->bulkmodulus, p->bulkmodulus},
                      {"contactangle", l->contactangle, p->contactangle},
                      {"solids", l->solids, p->solids}};
  RvResult result = put_name(t, l->token, error);
  return result == RV_OK ? put_rows(t, rows, sizeof rows / sizeof *rows, error) : result;
}

// Says what of the liquid the solvers leave out: films on strands flow by the law, and are not elastic.
static void tell_left_out(RvCook* cook, const MaterialParms* p) {
  const RvLiquidPreset* l = &rv_liquid_presets[p->liquid];
  double elastic = p->shearmodulus >= 0 ? p->shearmodulus : l->shearmodulus;
  if (!(elastic > 0)) return;
  rv_cook_info(
      cook,
      "%s: bulk and films flow by yield stress, consistency and flow index. Left out: the shear modulus (%g Pa) "
      "in films on strands, which rest below the yield stress without wobbling",
      l->label, elastic);
}

// Copies the input and writes the attributes of the material.
static RvResult cook(RvCook* cook, RvError* error) {
  const MaterialParms* p = cook->parms;
  if (!cook->ninput || !cook->input[0]) return rv_fail(error, RV_BAD_INPUT, "input 1 is not wired");
  static const RvOwner owners[] = {RV_POINT, RV_POINT, RV_PRIM, RV_GLOBAL};
  // By kind: strands are primitives, particles are points.
  RvOwner owner = p->class ? owners[p->class] : p->kind ? RV_POINT : RV_PRIM, selected;
  uint8_t* mask = NULL;
  RvResult result = RV_OK;
  if (*p->group && owner == RV_GLOBAL) return rv_fail(error, RV_BAD_INPUT, "group: detail attributes have no groups");
  if (*p->group)
    result = rv_select(cook->input[0], p->group, owner == RV_PRIM ? RV_SELECT_PRIMS : RV_SELECT_POINTS, &selected,
                       &mask, error);
  if (result != RV_OK) return result;
  // Values of elements outside the group stay.
  RvDetail* out = rv_detail_copy(cook->input[0]);
  if (!out) result = rv_fail(error, RV_NO_MEMORY, "out of memory for a copy");
  if (result == RV_OK) {
    double meters = cook->time.meters_per_unit > 0 ? cook->time.meters_per_unit : 1;
    Target target = {out, owner, rv_detail_count(out, owner), mask};
    result = p->kind ? write_liquid(&target, p, error) : write_hair(&target, p, meters, error);
  }
  rv_free(mask);
  if (result == RV_OK && p->kind) tell_left_out(cook, p);
  return rv_node_give(cook, out, result);
}

static const RvPortDef inputs[] = {{"geometry", "Geometry", "Strands or liquid particles.", true}};
static const RvPortDef outputs[] = {
    {"geometry", "Geometry", "The same geometry with the attributes of the material.", false}};

RV_NODE_TYPE(
    material, "Material", "Hair", "Gives hair or liquid the attributes of a material.",
    "Hair gets density, youngs, shear, damping and hairradius. Liquid gets material (the name of the "
    "preset), density, viscosity, surfacetension, yieldstress, consistency, flowindex, shearmodulus, "
    "bulkmodulus, contactangle and solids. All are in SI units. With a group, elements outside it keep their values; "
    "in a new attribute they have 0, which the solvers treat as not given.\n\n"
    "A liquid of the Herschel-Bulkley law, stress = yieldstress + consistency x rate^flowindex in simple shear, as a "
    "rheometer measures it, flows by it in the bulk of liquidsolver and wetsolver; viscosity is the consistency. Below "
    "the yield stress it is elastic with shearmodulus and stands. Films on strands flow by the same law: thin ones "
    "rest, "
    "thick ones run off; only the elasticity is left out in them, which a note says. Particles of several "
    "materials, up to eight, flow each by their own law, weight and tension. Values of the material come before the "
    "parameters of the solver.",
    .revision = 4, RV_NODE_INPUTS(inputs), RV_NODE_OUTPUTS(outputs))
