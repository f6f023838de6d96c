#include "scene/preview.h"

#include <math.h>
#include <string.h>

#include "math/scalar.h"
#include "parm/number.h"
#include "scene/host.h"

static const double LARGEST_FACTOR = 1000;
enum { SHOWN_DIGITS = 4 };  // of a value in a message

// True if the node is of a type.
static bool is_type(const RvSceneNode* node, const char* type) {
  return strcmp(node->type->type, type) == 0;
}

// Multiplies a constant parameter and tells it. Whole numbers are rounded and stay above 0. A parameter that the node
// does not have, and one that is 0 (chosen by the node), stay.
static RvResult multiply(RvScene* scene, RvSceneNode* node, const char* token, double factor, RvError* error) {
  const RvParmDef* row = rv_parm_find(node->type->parms, token);
  RvValue value;
  if (!row || !rv_parms_get(node->parms, token, 0, &value)) return RV_OK;
  if (value.kind != RV_VALUE_DEFAULT && value.kind != RV_VALUE_NUMBER) {
    rv_scene_message(scene, RV_LEVEL_INFO, node->name, scene->first, "preview: %s is keyed and stays", token);
    return RV_OK;
  }
  double before = value.number, after = before * factor;
  if (row->type == RV_PARM_INT) after = fmax(floor(after + 0.5), 1);
  if (!(before > 0) || after == before) return RV_OK;
  char was[RV_NUMBER_BYTES], is[RV_NUMBER_BYTES];
  rv_number_round(before, SHOWN_DIGITS, was);
  rv_number_round(after, SHOWN_DIGITS, is);
  RvResult result = rv_parms_set(node->parms, token, 0, after, error);
  if (result) return rv_error_context(error, "--preview: node '%s'", node->name);
  rv_scene_touch(scene, node->name);
  rv_scene_message(scene, RV_LEVEL_INFO, node->name, scene->first, "preview: %s is %s instead of %s", token, is, was);
  return RV_OK;
}

// Marks the grooms upstream of a solver from which no guides are chosen on the way. *found: there is one.
static RvResult mark_simulated(RvScene* scene, const RvSceneNode* solver, bool* groom, bool* found, RvError* error) {
  RvSceneNode** order = NULL;
  size_t count = 0;
  RvResult result = rv_scene_order_upstream(scene, solver, false, &order, &count, error);
  bool* reached = result ? NULL : rv_alloc_zero(scene->nodes.count, sizeof *reached);
  if (!result && !reached) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) reached[solver->index] = true;
  // Readers come after what they read: go from the solver upwards.
  for (size_t i = count; i-- > 0 && !result;) {
    const RvSceneNode* node = order[i];
    if (!reached[node->index] || is_type(node, "guides")) continue;
    if (is_type(node, "groom")) {
      groom[node->index] = true;
      *found = true;
    }
    for (size_t k = 0; k < node->type->ninput; ++k)
      if (node->inputs[k].node) reached[node->inputs[k].node->index] = true;
  }
  rv_free(order);
  rv_free(reached);
  return result;
}

// The parameter that gives a groom its number of strands: count, or, by its method, density.
static const char* number_of_strands(const RvSceneNode* groom) {
  RvValue method;
  return rv_parms_get(groom->parms, "method", 0, &method) && method.number == 1 ? "density" : "count";
}

// Fewer strands of the grooms that solvers simulate as they are; each stands for more hairs.
static RvResult thin_grooms(RvScene* scene, double factor, RvError* error) {
  size_t count = scene->nodes.count;
  bool* groom = rv_alloc_zero(count, sizeof *groom);
  RvResult result = groom ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < count && !result; ++i) {
    RvSceneNode* node = scene->nodes.data[i];
    bool found = false;
    if (!(node->type->flags & RV_NODE_SOLVER)) continue;
    result = mark_simulated(scene, node, groom, &found, error);
    if (!result && found) result = multiply(scene, node, "hairsperguide", factor, error);
  }
  for (size_t i = 0; i < count && !result; ++i) {
    RvSceneNode* node = scene->nodes.data[i];
    if (groom[i]) result = multiply(scene, node, number_of_strands(node), 1 / factor, error);
  }
  rv_free(groom);
  return result;
}

RvResult rv_scene_preview(RvScene* scene, double factor, RvError* error) {
  if (!(factor >= 1 && factor <= LARGEST_FACTOR))
    return rv_fail(error, RV_BAD_INPUT, "--preview takes a factor from 1 to %g, not %g", LARGEST_FACTOR, factor);
  RvResult result = factor > 1 ? thin_grooms(scene, factor, error) : RV_OK;
  double side = rv_pow(factor, 1.0 / 3);
  for (size_t i = 0; i < scene->nodes.count && !result && factor > 1; ++i) {
    RvSceneNode* node = scene->nodes.data[i];
    if (is_type(node, "guides")) result = multiply(scene, node, "step", factor, error);
    if (!result) result = multiply(scene, node, "particlesep", side, error);
    if (!result && (node->type->flags & RV_NODE_SOLVER)) result = multiply(scene, node, "substeps", 1 / factor, error);
  }
  return result;
}
