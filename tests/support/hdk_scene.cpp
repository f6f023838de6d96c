#include "support/hdk_scene.h"

#include <dlfcn.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "hdk_geo.h"
#include "hdk_host.h"
#include "support/scene_wires.h"

// The plug-in's two hooks: those that are linked in, or those of the library that RV_HOUDINI_PLUGIN names, which is
// loaded as Houdini loads it. Its symbols of the HDK are found in this program.
struct Hooks {
  void (*sops)(OP_OperatorTable*) = newSopOperator;
  void (*dops)(void*) = initializeSIM;
  Hooks() {
    const char* path = getenv("RV_HOUDINI_PLUGIN");
    if (!path) return;
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(dlerror());
    sops = reinterpret_cast<void (*)(OP_OperatorTable*)>(dlsym(library, "newSopOperator"));
    dops = reinterpret_cast<void (*)(void*)>(dlsym(library, "initializeSIM"));
    if (!sops || !dops || sops == newSopOperator || dops == initializeSIM)
      throw std::runtime_error(std::string(path) + " has no hooks of its own");
  }
};

OP_OperatorTable& hdk_operators() {
  static OP_OperatorTable table;
  if (table.ops.empty()) {
    Hooks hooks;
    hooks.sops(&table);
    hooks.dops(nullptr);
  }
  return table;
}

uint64_t hdk_hash(const GU_Detail& gdp) {
  RvError error = {};
  RvDetail* detail = nullptr;
  if (rv_hdk_geo_read(&gdp, &detail, nullptr, &error)) throw std::runtime_error(error.text);
  uint64_t hash = rv_detail_hash(detail);
  rv_detail_free(detail);
  return hash;
}

uint64_t hdk_state_hash(const GU_Detail& gdp) {
  RvError error = {};
  RvDetail* detail = nullptr;
  if (rv_hdk_geo_read(&gdp, &detail, nullptr, &error)) throw std::runtime_error(error.text);
  rv_detail_remove_attrib(detail, RV_GLOBAL, "rv_frame");
  uint64_t hash = rv_detail_hash(detail);
  rv_detail_free(detail);
  return hash;
}

size_t hdk_asset_outputs(const RvNodeType* type) {
  const char* top = getenv("RV_SOURCE_DIR");
  std::string path = std::string(top ? top : RV_SOURCE_DIR) + "/otls/rivulet_" + type->type + ".1.0.hda/INDEX__SECTION";
  std::ifstream file(path);
  size_t count = 0;
  for (std::string key; file >> key;)
    if (key == "Outputs:") file >> count;
  if (!count) throw std::runtime_error(path + " names no number of outputs");
  return count;
}

//---------------------------------------------------------------------------------------------- values

// one component of a keyed value or a wave, evaluated as the scene does
static double value_at(const std::shared_ptr<RvParms>& parms, const RvParmDef* row, int component, double time) {
  RvVars vars = {rv_hdk_frame(time), CHgetManager()->fps, "", "", ""};
  std::vector<double> room(rv_parms_table(parms.get())->struct_bytes / sizeof(double) + 1);
  RvError error = {};
  if (rv_parms_eval(parms.get(), &vars, room.data(), &error)) throw std::runtime_error(error.text);
  const char* at = reinterpret_cast<const char*>(room.data()) + row->offset;
  switch (row->type) {
    case RV_PARM_INT:
      return (double)reinterpret_cast<const int64_t*>(at)[component];
    case RV_PARM_TOGGLE:
      return *reinterpret_cast<const bool*>(at);
    case RV_PARM_MENU:
      return *reinterpret_cast<const int*>(at);
    default:
      return reinterpret_cast<const double*>(at)[component];
  }
}

static UT_Ramp ramp_of(const RvRamp& ramp) {
  static const UT_SPLINE_BASIS basis[] = {UT_SPLINE_CONSTANT, UT_SPLINE_LINEAR, UT_SPLINE_MONOTONECUBIC};
  UT_Ramp out;
  for (int i = 0; i < ramp.count; ++i) {
    float value = (float)ramp.keys[i].value;
    out.nodes.push_back({(float)ramp.keys[i].position, {value, value, value, 1}, basis[ramp.keys[i].interp]});
  }
  return out;
}

void HdkScene::set_parms(RvScene* scene, const char* node, OP_Node* to) {
  RvParms* source = rv_scene_parms(scene, node);
  std::shared_ptr<RvParms> parms(rv_parms_copy(source), rv_parms_free);
  const RvParmTable* table = rv_parms_table(source);
  for (size_t i = 0; i < table->count; ++i) {
    const RvParmDef* row = table->rows + i;
    if (row->type == RV_PARM_FOLDER || row->type == RV_PARM_BUTTON) continue;
    MockParm& parm = to->parms.at(row->token);
    RvValue value;
    for (int c = 0; rv_parms_get(source, row->token, c, &value); ++c) {
      if (row->type == RV_PARM_STRING || row->type == RV_PARM_FILE) {
        std::string text = value.text;
        parm.text = [text](double) { return text; };
        break;
      }
      if (row->type == RV_PARM_RAMP) {
        UT_Ramp ramp = ramp_of(*value.ramp);
        parm.ramp = [ramp](double) { return ramp; };
        break;
      }
      double number = value.number;
      if (value.kind == RV_VALUE_KEYS || value.kind == RV_VALUE_WAVE)
        parm.number.at((size_t)c) = [parms, row, c](double time) { return value_at(parms, row, c, time); };
      else
        parm.number.at((size_t)c) = [number](double) { return number; };
    }
  }
}

//---------------------------------------------------------------------------------------------- nodes

SOP_Node* HdkScene::make(const char* optype, const std::string& name, RvScene* scene, const char* node) {
  OP_Operator* op = hdk_operators().ops.at(optype).get();
  OP_Node* made = op->make(nullptr, name.c_str(), op);
  owned_.emplace_back(made);
  sops_.push_back(made->castToSOPNode());
  set_parms(scene, node, made);
  return made->castToSOPNode();
}

HdkScene::HdkScene(RvScene* scene, bool seeded) {
  CHgetManager()->fps = rv_scene_fps(scene);
  struct Socket {
    SOP_Node* sop;
    size_t shift;
    std::string node;
  };
  std::vector<Socket> sockets;
  for (size_t i = 0; i < rv_scene_node_count(scene); ++i) {
    std::string name = rv_scene_node_name(scene, i);
    const RvNodeType* type = rv_scene_node_type(scene, name.c_str());
    std::string base = std::string("rivulet::") + type->type;
    if (!(type->flags & RV_NODE_SOLVER)) {
      SOP_Node* sop = make((base + "::1.0").c_str(), name, scene, name.c_str());
      outputs_[name] = {sop};
      sockets.push_back({sop, 0, name});
      continue;
    }
    // seed -> Solver SOP { step } -> outputs
    std::string step = base + "_step::1.0";
    SOP_Node* seed = make(step.c_str(), name + "_seed", scene, name.c_str());
    SOP_Node* inner = make(step.c_str(), name + "_step", scene, name.c_str());
    auto* solver = new MockSolverSop((name + "_solver").c_str(), seed, seed->parms.at("startframe").number.at(0)(0));
    owned_.emplace_back(solver);
    solver->inner = inner;
    inner->inputs[0] = solver->prev();
    solvers_[name] = solver;
    sockets.push_back({seed, 1, name});
    sockets.push_back({inner, 1, name});
    // the asset has as many outputs as its file says; the last is the state
    for (size_t k = 0; k + 1 < hdk_asset_outputs(type); ++k) {
      std::string split = base + "_" + type->outputs[k].name + "::1.0";
      outputs_[name].push_back(make(split.c_str(), name + "_" + type->outputs[k].name, scene, name.c_str()));
      outputs_[name].back()->inputs[0] = solver;
    }
    outputs_[name].push_back(solver);
  }
  for (Socket& socket : sockets)
    for (size_t i = 0; i + socket.shift < socket.sop->inputs.size(); ++i) {
      size_t output = 0;
      const char* source = rv_test_wire(scene, socket.node.c_str(), i, &output);
      if (source) socket.sop->inputs[i + socket.shift] = outputs_.at(source).at(output);
    }
  for (auto& each : solvers_)
    if (!seeded) each.second->inputs[0] = each.second->inner->inputs[1];
}

SOP_Node* HdkScene::sop(const char* node, size_t output) const {
  return outputs_.at(node).at(output);
}

RvDetail* HdkScene::cook(const char* node, size_t output, double frame, std::string* error) const {
  OP_Context context(rv_hdk_time(frame));
  SOP_Node* from = sop(node, output);
  GU_DetailHandle handle = from->getCookedGeoHandle(context);
  if (!handle.isValid()) {
    if (!error) throw std::runtime_error(from->errors.at(0));
    *error = from->errors.at(0);
    return nullptr;
  }
  RvDetail* detail = nullptr;
  RvError own = {};
  if (rv_hdk_geo_read(handle.mock_gdp(), &detail, nullptr, &own)) throw std::runtime_error(own.text);
  return detail;
}

uint64_t HdkScene::hash(const char* node, size_t output, double frame) const {
  RvDetail* detail = cook(node, output, frame);
  uint64_t hash = rv_detail_hash(detail);
  rv_detail_free(detail);
  return hash;
}
