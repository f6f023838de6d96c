#include <math.h>
#include <string.h>

#include "support/cook.h"
#include "support/rv_test.h"
#include "support/shapes.h"

static double value(const RvDetail* d, RvOwner owner, const char* name) {
  const RvAttrib* a = rv_detail_find(d, owner, name);
  if (!a) fail_msg("no attribute %s", name);
  return rv_attrib_get(a, 0, 0);
}

// Table 15.2 of spec 2.5 as printed, in CGS; the factors to SI are those of the units
static void liquid_presets_are_the_specs(void** state) {
  (void)state;
  static const struct {
    const char* token;
    double rho, kappa, mu, tau, eta, n;
  } rows[] = {
      {"water", 1.0, 2.0e10, 0, 0, 8.9e-3, 1},
      {"tetrachloroethylene", 1.622, 3.1e10, 0, 0, 8.9e-3, 1},
      {"mud", 1.22, 2.0e10, 1.0e3, 16.813, 6.496, 0.5173},
      {"paint", 0.95, 1.35e9, 4.0e3, 9.6, 173.56, 0.3162},
      {"cream", 0.275, 1.09e6, 1.6e4, 1.2e3, 50.0, 0.27},
      {"shavingcream", 0.2, 1.09e6, 2.9e3, 3.19e2, 2.72e2, 0.22},
      {"oystersauce", 1.207, 2e10, 4.0e3, 26.5, 16.1, 0.62},
      {"chocolate", 0.95, 4.28e6, 4.0e3, 3.0e2, 28.0, 0.98},
  };
  RvDetail* skin = rv_test_square(1);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    char parms[100];
    snprintf(parms, sizeof parms, "kind=liquid; liquid=%s", rows[i].token);
    RvTestCook c = rv_test_cook("material", parms, 1, (const RvDetail*[]){skin});
    CHECK_OK(c.result, c.error);
    const RvDetail* d = c.output[0];
    // attributes are 32-bit floats
    CHECK_NEAR(value(d, RV_POINT, "density"), rows[i].rho * 1000, 1e-4);
    CHECK_NEAR(value(d, RV_POINT, "bulkmodulus"), rows[i].kappa * 0.1, 1e-7 * rows[i].kappa);
    CHECK_NEAR(value(d, RV_POINT, "shearmodulus"), rows[i].mu * 0.1, 1e-7 * rows[i].mu);
    // The table's law is for norms of deviators; the attributes are those of simple shear (spec 2.2.1).
    bool elastic = rows[i].mu > 0;
    double yield = rows[i].tau * 0.1 / sqrt(3);
    double consistency = rows[i].eta * 0.1 * (elastic ? pow(2, -(1 + rows[i].n) / 2) : 1);
    CHECK_NEAR(value(d, RV_POINT, "yieldstress"), yield, 2e-7 * yield);
    CHECK_NEAR(value(d, RV_POINT, "consistency"), consistency, 2e-7 * consistency);
    CHECK_NEAR(value(d, RV_POINT, "flowindex"), rows[i].n, 1e-7);
    assert_string_equal(rv_attrib_string(rv_detail_find(d, RV_POINT, "material"), 3, 0), rows[i].token);
    rv_test_cook_free(&c);
  }
  RvTestCook c = rv_test_cook("material", "kind=liquid", 1, (const RvDetail*[]){skin});
  CHECK_NEAR(value(c.output[0], RV_POINT, "surfacetension"), 71.97e-3, 1e-8);
  CHECK_NEAR(value(c.output[0], RV_POINT, "viscosity"), 8.9e-4, 1e-10);
  CHECK_NEAR(value(c.output[0], RV_POINT, "contactangle"), 60, 0);
  rv_test_cook_free(&c);
  rv_detail_free(skin);
}

// the menus' tokens, in order, are the tables': a preset asked for by name writes that name
static void menus_and_tables_agree(void** state) {
  (void)state;
  const char* tokens[] = {
#define RV_LIQUID(token, label, ...) #token "=" label,
#define RV_HAIR(...)
#include "node/presets.def"
#undef RV_LIQUID
#undef RV_HAIR
  };
  const char* hairs[] = {
#define RV_HAIR(token, label, ...) #token "=" label,
#define RV_LIQUID(...)
#include "node/presets.def"
#undef RV_LIQUID
#undef RV_HAIR
  };
  char menu[2000] = "";
  for (size_t i = 0; i < sizeof tokens / sizeof *tokens; ++i) strcat(strcat(menu, i ? "|" : ""), tokens[i]);
  assert_string_equal(rv_parm_find(rv_node_find("material")->parms, "liquid")->menu, menu);
  menu[0] = 0;
  for (size_t i = 0; i < sizeof hairs / sizeof *hairs; ++i) strcat(strcat(menu, i ? "|" : ""), hairs[i]);
  assert_string_equal(rv_parm_find(rv_node_find("material")->parms, "hair")->menu, menu);
}

static void overrides_groups_and_the_rest(void** state) {
  (void)state;
  RvError error = {0};
  RvDetail* skin = rv_test_square(1);
  rv_detail_f32_write(skin, RV_POINT, "mine", 2, &error)[3] = 7;
  RvGroup* group;
  CHECK_OK(rv_detail_add_group(skin, RV_POINT, "half", &group, &error), error);
  rv_group_write(group)[1] = 1;
  float* density = rv_detail_f32_write(skin, RV_POINT, "density", 1, &error);
  for (int i = 0; i < 4; ++i) density[i] = 5;
  RvTestCook c = rv_test_cook("material", "kind=liquid; liquid=cream; group=half; density=300; yieldstress=0", 1,
                              (const RvDetail*[]){skin});
  CHECK_OK(c.result, c.error);
  const float* d = rv_detail_f32(c.output[0], RV_POINT, "density", 1);
  assert_true(d[0] == 5 && d[1] == 300 && d[2] == 5);
  assert_true(rv_detail_f32(c.output[0], RV_POINT, "yieldstress", 1)[1] == 0);
  CHECK_NEAR(rv_detail_f32(c.output[0], RV_POINT, "consistency", 1)[1], 3.219704, 1e-6);
  assert_true(rv_detail_f32(c.output[0], RV_POINT, "mine", 2)[3] == 7);
  assert_true(rv_group_read(rv_detail_find_group(c.output[0], RV_POINT, "half"))[1] == 1);
  rv_test_cook_free(&c);
  c = rv_test_cook("material", "hair=wool", 1, (const RvDetail*[]){skin});
  CHECK_OK(c.result, c.error);
  CHECK_NEAR(value(c.output[0], RV_PRIM, "hairradius"), 1e-5, 1e-11);
  CHECK_NEAR(value(c.output[0], RV_PRIM, "youngs"), 2.6e9, 200);
  rv_test_cook_free(&c);
  rv_test_cook_fails("material", "group=none", skin, RV_BAD_INPUT, "none");
  rv_test_cook_fails("material", "", NULL, RV_BAD_INPUT, "not wired");
  rv_detail_free(skin);
}

RV_TESTS(cmocka_unit_test(liquid_presets_are_the_specs), cmocka_unit_test(menus_and_tables_agree),
         cmocka_unit_test(overrides_groups_and_the_rest))
