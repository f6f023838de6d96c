// A scene rebuilt in the mock of the HDK: every node becomes an operator of the glue, every solver a mock Solver SOP
// around its step. What both hosts cook must be equal to the bit.
#ifndef RV_TEST_HDK_SCENE_H
#define RV_TEST_HDK_SCENE_H

#include "mock_sim.h"
#include "rivulet/rivulet.h"

// The operators of the glue, registered once.
OP_OperatorTable& hdk_operators();

class HdkScene {
 public:
  // `seeded`: the Solver SOP's first input is the step without a state, as the digital assets have it; else the raw
  // first input, as an artist's own Solver SOP.
  explicit HdkScene(RvScene* scene, bool seeded = true);
  // The SOP that has an output (from 0) of a node.
  SOP_Node* sop(const char* node, size_t output = 0) const;
  // Its geometry as our detail at a frame; NULL with `error` filled.
  RvDetail* cook(const char* node, size_t output, double frame, std::string* error = nullptr) const;
  uint64_t hash(const char* node, size_t output, double frame) const;
  MockSolverSop* solver(const char* node) const { return solvers_.at(node); }
  const std::vector<SOP_Node*>& all() const { return sops_; }
  // Gives a node of the mock the values of the scene's node.
  static void set_parms(RvScene* scene, const char* node, OP_Node* to);

 private:
  SOP_Node* make(const char* optype, const std::string& name, RvScene* scene, const char* node);
  std::vector<std::unique_ptr<OP_Node>> owned_;
  std::vector<SOP_Node*> sops_;
  std::map<std::string, std::vector<SOP_Node*>> outputs_;
  std::map<std::string, MockSolverSop*> solvers_;
};

uint64_t hdk_hash(const GU_Detail& gdp);
// The same without the frame that a DOP solver keeps beside the state.
uint64_t hdk_state_hash(const GU_Detail& gdp);
// Number of outputs in the file of a solver's digital asset.
size_t hdk_asset_outputs(const RvNodeType* type);

#endif
