// Mock of the HDK, part 3: parameters, operators, nodes and SOPs. Own code; not Houdini.
#ifndef RV_HDK_MOCK_OP_H
#define RV_HDK_MOCK_OP_H

#include <functional>
#include <set>

#include "mock_ga.h"

//---------------------------------------------------------------------------------------------- parameters

// What a DialogScript says of a parameter; the last one of a list has no token.
struct PRM_Template {
  std::string token, label, type;
  int size = 1;
  std::vector<std::string> defaults, menu;
  std::string ramp, expression;
  bool invisible = false;
};
class PRM_TemplateBuilder {
 public:
  PRM_TemplateBuilder(const UT_StringRef& name, const char* script);
  PRM_Template* templates() { return list_.data(); }

 private:
  std::vector<PRM_Template> list_;
};

// The channels of a parameter: a function of the time in seconds for each component.
struct MockParm {
  std::vector<std::function<double(double)>> number;
  std::function<std::string(double)> text;
  std::function<UT_Ramp(double)> ramp;
};

class OP_Context {
 public:
  explicit OP_Context(fpreal time = 0) : time_(time) {}
  fpreal getTime() const { return time_; }

 private:
  fpreal time_;
};

//---------------------------------------------------------------------------------------------- operators, nodes

class OP_Network;
class OP_Node;
class OP_Operator;
class SOP_Node;
typedef OP_Node* (*OP_Constructor)(OP_Network* net, const char* name, OP_Operator* op);
#define OP_FLAG_GENERATOR 1

class OP_Operator {
 public:
  OP_Operator(const char* opname, const char* ui, OP_Constructor constructor, PRM_Template* parms, unsigned min,
              unsigned max, void* vars, unsigned flags, const char** labels, int maxoutputs, const char* menu);
  const UT_StringHolder& getName() const { return name; }
  void setIconName(const char* text) { icon = text; }
  UT_StringHolder name, label, icon, submenu;
  OP_Constructor make;
  PRM_Template* templates;
  unsigned min_inputs, max_inputs, op_flags;
  int outputs;
};
class OP_OperatorTable {
 public:
  bool addOperator(OP_Operator* op);
  void addOpHidden(const char* name) { hidden.insert(name); }
  std::map<std::string, std::unique_ptr<OP_Operator>> ops;
  std::set<std::string> hidden;
};

class OP_Node {
 public:
  OP_Node(OP_Network* net, const char* name, OP_Operator* op);
  virtual ~OP_Node();
  const UT_StringHolder& getName() const { return name_; }
  exint getUniqueId() const { return id; }
  OP_Node* getInput(unsigned index) const { return index < inputs.size() ? inputs[index] : nullptr; }
  virtual SOP_Node* castToSOPNode() { return nullptr; }
  // the mock's own
  std::vector<OP_Node*> inputs;
  std::map<std::string, MockParm> parms;
  exint id;
  void set_templates(const PRM_Template* list);  // default channels
  void set_number(const char* token, int component, double value);
  void set_text(const char* token, const char* text);

 private:
  UT_StringHolder name_;
};

class OP_Director {
 public:
  OP_Node* findNode(const char* path) const;
};
OP_Director* OPgetDirector();
#define CAST_SOPNODE(node) ((node) ? (node)->castToSOPNode() : nullptr)

// Houdini expands variables in the values of string parameters before anyone sees them: $F, $F4, $HIP, $OS.
std::string mock_expand(const std::string& text, const OP_Node& node, double time);

class DEP_MicroNode;
// Of an older HDK (MOCK_HDK_OLD) the graph is SOP_GraphProxy, and parameters are known as SOP_NodeParms only.
#ifdef MOCK_HDK_OLD
#define OP_GraphProxy SOP_GraphProxy
#define OP_NodeParms SOP_NodeParms
#endif
class OP_GraphProxy {
 public:
  void evalOpParm(int64& v, exint node, const char* name, fpreal time, DEP_MicroNode*) const;
  void evalOpParm(fpreal64& v, exint node, const char* name, fpreal time, DEP_MicroNode*) const;
  void evalOpParm(UT_Vector2D& v, exint node, const char* name, fpreal time, DEP_MicroNode*) const;
  void evalOpParm(UT_Vector3D& v, exint node, const char* name, fpreal time, DEP_MicroNode*) const;
  void evalOpParm(UT_Vector4D& v, exint node, const char* name, fpreal time, DEP_MicroNode*) const;
  void evalOpParm(UT_StringHolder& v, exint node, const char* name, fpreal time, DEP_MicroNode*) const;
  void evalOpParm(UT_SharedPtr<UT_Ramp>& v, exint node, const char* name, fpreal time, DEP_MicroNode*) const;
};

// The graph of all nodes; its indices are their unique ids.
const OP_GraphProxy* SOPdirectGraphProxy();

//---------------------------------------------------------------------------------------------- SOPs

enum { SOP_MESSAGE = 1 };

class OP_NodeParms {
 public:
  class LoadParms {
   public:
    LoadParms(const OP_GraphProxy* graph, const OP_Node* node, exint index, const OP_Context& context)
        : graph_(graph), node_(node), index_(index), context_(context) {}
    const OP_GraphProxy* graph() const { return graph_; }
    const OP_Node* node() const { return node_; }
    exint nodeIdx() const { return index_; }
    const OP_Context& context() const { return context_; }

   private:
    const OP_GraphProxy* graph_;
    const OP_Node* node_;
    exint index_;
    OP_Context context_;
  };
  virtual ~OP_NodeParms() = default;
  void loadFromOp(const LoadParms& load) { loadFromOpSubclass(load); }
  virtual void copyFrom(const OP_NodeParms* source) = 0;

 protected:
  virtual void loadFromOpSubclass(const LoadParms& load) = 0;
};
#ifndef MOCK_HDK_OLD
class SOP_NodeParms : public OP_NodeParms {};
#endif
class SOP_NodeCache {
 public:
  virtual ~SOP_NodeCache() = default;
};

class SOP_NodeVerb {
 public:
  enum CookMode { COOK_INPLACE, COOK_DUPLICATE, COOK_GENERATOR, COOK_INSTANCE, COOK_GENERIC, COOK_PASSTHROUGH };
  class CookParms {
   public:
    template <typename T>
    const T& parms() const {
      return *static_cast<const T*>(parms_);
    }
    GU_DetailHandle gdh() const { return gdh_; }
    const GU_Detail* inputGeo(exint i) const { return inputs_[(size_t)i].mock_gdp(); }
    exint nInputs() const { return (exint)inputs_.size(); }
    SOP_NodeCache* cache() const { return cache_; }
    SOP_Node* getNode() const { return node_; }
    fpreal getCookTime() const { return time_; }
    void sopAddError(int, const char* text) const { errors_->push_back(text); }
    void sopAddWarning(int, const char* text) const { warnings_->push_back(text); }
    void sopAddMessage(int, const char* text) const { messages_->push_back(text); }
    // the mock's own
    const SOP_NodeParms* parms_;
    GU_DetailHandle gdh_;
    std::vector<GU_DetailHandle> inputs_;
    SOP_NodeCache* cache_;
    SOP_Node* node_;
    fpreal time_;
    std::vector<std::string>*errors_, *warnings_, *messages_;
  };
  virtual ~SOP_NodeVerb() = default;
  virtual SOP_NodeParms* allocParms() const = 0;
  virtual SOP_NodeCache* allocCache() const { return nullptr; }
  virtual UT_StringHolder name() const = 0;
  virtual CookMode cookMode(const SOP_NodeParms*) const { return COOK_DUPLICATE; }
  // True: the verb evaluates parameters itself while it cooks a node, and none are loaded for it there. False: it may not.
  virtual bool evaluatesParametersDuringCook() const { return false; }
  virtual void cook(const CookParms& cookparms) const = 0;
  // Verbs are found by name; a node cooks by its verb only if that is registered under the operator's name.
  static void registerVerb(SOP_NodeVerb* verb);
  static void unregisterVerb(SOP_NodeVerb* verb);
  static const SOP_NodeVerb* lookupVerb(const UT_StringRef& name);
};

// As in a compiled block: verbs see no node.
extern bool mock_compiled;

class SOP_Node : public OP_Node {
 public:
  SOP_Node(OP_Network* net, const char* name, OP_Operator* op);
  SOP_Node* castToSOPNode() override { return this; }
  virtual const SOP_NodeVerb* cookVerb() const { return nullptr; }
  GU_DetailHandle getCookedGeoHandle(OP_Context& context);
  // the mock's own
  std::vector<std::string> errors, warnings, messages;
  bool time_dependent = false, manages_ids = false;
  int ncook = 0;
  GU_DetailHandle gdh;  // what was cooked last; verbs of COOK_GENERIC find it as it is
  std::string optype;   // name of the operator
  void drop_cache() { cache_.reset(); }
  void touch() { cooked_ = false; }
  const char* label_of(unsigned index) const { return inputLabel(index); }

 protected:
  virtual OP_ERROR cookMySop(OP_Context& context) = 0;
  virtual const char* inputLabel(unsigned) const { return ""; }
  OP_ERROR cookMyselfAsVerb(OP_Context& context);
  struct Flags {
    SOP_Node* node;
    void setTimeDep(bool on) { node->time_dependent = on; }
  };
  Flags flags() { return {this}; }
  struct SopFlags {
    SOP_Node* node;
    void setManagesDataIDs(bool on) { node->manages_ids = on; }
  } mySopFlags;

 private:
  std::unique_ptr<SOP_NodeCache> cache_;
  bool cooked_ = false;
  double cooked_time_ = 0;
};

// The mock of a Solver SOP, by its published rules: at the start frame and before it shows its first input; then every
// missing frame is cooked in order by the inner node, whose input 1 is the frame before.
class MockSolverSop : public SOP_Node {
 public:
  MockSolverSop(const char* name, OP_Node* first, double start);
  SOP_Node* inner = nullptr;  // wire its input 1 to prev()
  SOP_Node* prev() { return prev_.get(); }
  void drop_frames() {
    frames_.clear();
    touch();
  }

 protected:
  OP_ERROR cookMySop(OP_Context& context) override;

 private:
  double start_;
  std::unique_ptr<SOP_Node> prev_;
  std::map<long, std::unique_ptr<GU_Detail>> frames_;
};

// A SOP that holds geometry.
class MockHoldSop : public SOP_Node {
 public:
  explicit MockHoldSop(const char* name) : SOP_Node(nullptr, name, nullptr) {}
  void hold(const GU_Detail& gdp) {
    gdh.mock_gdp()->duplicate(gdp);
    touch();
  }

 protected:
  OP_ERROR cookMySop(OP_Context&) override { return UT_ERROR_NONE; }
};

#endif
