// Parameters of Houdini's nodes from the node table, and their values as RvParms.
#include "hdk_parm.h"

#include <PRM/PRM_TemplateBuilder.h>
#include <SIM/SIM_Options.h>
#include <UT/UT_Ramp.h>

#include <cstdio>
#include <cstdlib>
#include <list>
#include <string>

#include "hdk_compat.h"
#include "hdk_host.h"

void* rv_hdk_templates(const RvNodeType* type, const char* format) {
  // Houdini keeps pointers into both, so they live as long as the process
  static std::list<std::string> scripts;
  static std::list<PRM_TemplateBuilder> builders;
  char* script = rv_node_describe(type, format);
  scripts.emplace_back(script ? script : "{ }");
  rv_free(script);
  builders.emplace_back(UT_StringHolder(type->type), scripts.back().c_str());
  return builders.back().templates();
}

namespace {

// One parameter at one time, from either kind of values (RvHdkValues).
struct Row {
  const RvHdkGraph* graph;
  const SIM_Options* options;
  exint node;
  const RvParmDef* def;
  double time;
  // The value of the graph if there is one, else the given option.
  template <typename V>
  V value(V option) const {
    if (graph) graph->evalOpParm(option, node, def->token, time, nullptr);
    return option;
  }
  // The components of a vector.
  template <typename V>
  void spread(V option, double* out) const {
    V vector = value(option);
    for (int c = 0; c < def->size; ++c) out[c] = vector(c);
  }
};

// Values of a numeric parameter, a menu or a toggle; HDK types depend on the size and the kind.
void get_numbers(const Row& row, double* out) {
  const SIM_Options* o = row.options;
  const char* name = row.def->token;
  if (row.def->size == 2)
    row.spread<UT_Vector2D>(o ? o->getOptionV2(name) : UT_Vector2D(), out);
  else if (row.def->size == 3)
    row.spread<UT_Vector3D>(o ? o->getOptionV3(name) : UT_Vector3D(), out);
  else if (row.def->size == 4)
    row.spread<UT_Vector4D>(o ? o->getOptionV4(name) : UT_Vector4D(), out);
  else if (row.def->type == RV_PARM_FLOAT)
    *out = row.value<fpreal64>(o ? o->getOptionF(name) : 0);
  else
    *out = (double)row.value<int64>(!o                                ? 0
                                    : row.def->type == RV_PARM_TOGGLE ? (int64)o->getOptionB(name)
                                                                      : o->getOptionI(name));
}

// Houdini's ramps hold floats. Seven digits give the number back that was typed: 0.1 and not 0.100000001.
double typed(float value) {
  char text[32];
  snprintf(text, sizeof text, "%.7g", value);
  return strtod(text, nullptr);
}

// A ramp of Houdini as ours; bases other than constant and linear become smooth.
RvRamp ramp_of(const UT_Ramp& ramp) {
  RvRamp out = {};
  for (; out.count < ramp.getNodeCount() && out.count < RV_RAMP_MAX_KEYS; ++out.count) {
    const UT_ColorNode* node = ramp.getNode(out.count);
    RvInterp curve = node->basis == UT_SPLINE_CONSTANT ? RV_INTERP_CONSTANT : RV_INTERP_SMOOTH;
    if (node->basis == UT_SPLINE_LINEAR) curve = RV_INTERP_LINEAR;
    out.keys[out.count] = {typed(node->t), typed(node->rgba.r), curve};
  }
  return out;
}

// Copies one parameter from Houdini into `into`.
RvResult set_row(const Row& row, RvParms* into, RvError* error) {
  const char* name = row.def->token;
  if (row.def->type == RV_PARM_STRING || row.def->type == RV_PARM_FILE) {
    UT_StringHolder text = row.value<UT_StringHolder>(row.options ? row.options->getOptionS(name) : UT_StringHolder());
    return rv_parms_set_string(into, name, text, error);
  }
  if (row.def->type == RV_PARM_RAMP) {
    UT_SharedPtr<UT_Ramp> ramp = row.value(UT_SharedPtr<UT_Ramp>());
    RvRamp keys = ramp ? ramp_of(*ramp) : RvRamp();
    return keys.count ? rv_parms_set_ramp(into, name, &keys, error) : RV_OK;
  }
  double numbers[RV_PARM_MAX_SIZE];
  get_numbers(row, numbers);
  RvResult result = RV_OK;
  for (int c = 0; c < (row.def->size > 1 ? row.def->size : 1) && !result; ++c)
    result = rv_parms_set(into, name, c, numbers[c], error);
  return result;
}

}  // namespace

RvResult rv_hdk_parms(const RvHdkValues* from, const RvParmTable* table, double time, RvParms** out, RvError* error) {
  *out = rv_parms_new(table);
  RvResult result = *out ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  RV_HDK_BEGIN
  for (const RvParmDef* def = table->rows; def < table->rows + table->count && !result; ++def) {
    const SIM_Options* options = static_cast<const SIM_Options*>(from->options);
    bool none = def->type == RV_PARM_FOLDER || def->type == RV_PARM_BUTTON;
    if (none || (options && !options->hasOption(def->token))) continue;
    result = set_row({static_cast<const RvHdkGraph*>(from->graph), options, from->node, def, time}, *out, error);
  }
  if (result) {
    rv_parms_free(*out);
    *out = nullptr;
  }
  return result;
  RV_HDK_END(error)
}
