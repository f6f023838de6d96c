// The SOP class: every row of the node table is an operator of it. A solver becomes several hidden operators: its pure
// step, and one for each other output, which extracts it from a state. The digital assets wrap them in a Solver SOP.
#include <OP/OP_Operator.h>
#include <OP/OP_OperatorTable.h>
#include <SOP/SOP_Node.h>
#include <SOP/SOP_NodeVerb.h>
#include <UT/UT_DSOVersion.h>

#include <map>
#include <string>

#include "hdk_compat.h"
#include "hdk_geo.h"
#include "hdk_host.h"
#include "hdk_parm.h"

namespace {

// Parameter values of a cook. A verb that evaluates parameters during its cook gets none loaded where there is a node, so
// they are read from the node then, also at other times; in a compiled block Houdini loads them before.
class Values : public SOP_NodeParms {
 public:
  explicit Values(const RvNodeType* type) : type_(type) {}
  ~Values() override { rv_parms_free(parms_); }
  // Houdini calls this before a cook.
  void loadFromOpSubclass(const LoadParms& load) override {
    rv_parms_free(parms_);
    RvHdkValues from = {load.graph(), nullptr, load.nodeIdx()};
    error_ = RvError();
    rv_hdk_parms(&from, type_->parms, load.context().getTime(), &parms_, &error_);
  }
  void copyFrom(const RvHdkNodeParms* source) override {
    const Values* other = static_cast<const Values*>(source);
    rv_parms_free(parms_);
    parms_ = other->parms_ ? rv_parms_copy(other->parms_) : nullptr;
    error_ = other->error_;
  }
  // A new copy of the loaded values, for a cook without a node.
  RvResult copy(RvParms** out, RvError* error) const {
    *out = parms_ ? rv_parms_copy(parms_) : nullptr;
    if (*out) return RV_OK;
    return error_.code ? rv_fail(error, error_.code, "%s", error_.text) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  }

 private:
  const RvNodeType* type_;
  RvParms* parms_ = nullptr;  // NULL after an error
  RvError error_ = {};        // of reading parms_
};

// The node's disposable data. It is derived from state and inputs, so Houdini may drop it at any time.
struct Cache : SOP_NodeCache {
  explicit Cache(const RvNodeType* row) : type(row) {}
  ~Cache() override {
    if (data && type->free_cache) type->free_cache(data);
  }
  const RvNodeType* type;
  void* data = nullptr;
};

// One operator: a node type and one of its outputs. The last output of a solver is the state, which the step makes; the
// other outputs are extracted from it.
class Verb : public SOP_NodeVerb {
 public:
  Verb(const RvNodeType* row, size_t index)
      : type(row), output(index), solver(row->flags & RV_NODE_SOLVER), step(solver && index + 1 == row->noutput) {
    opname = std::string("rivulet::") + row->type;
    if (solver || index) opname += std::string("_") + (step ? "step" : row->outputs[index].name);
    opname += "::1.0";
  }
  SOP_NodeParms* allocParms() const override { return new Values(type); }
  SOP_NodeCache* allocCache() const override { return new Cache(type); }
  UT_StringHolder name() const override { return UT_StringHolder(opname.c_str()); }
  CookMode cookMode(const SOP_NodeParms*) const override { return COOK_GENERIC; }
  // Solvers ask for values within the frame, files for the path of earlier frames.
  bool evaluatesParametersDuringCook() const override { return true; }
  void cook(const CookParms& cookparms) const override;

  const RvNodeType* type;
  size_t output;       // index of the output
  bool solver;         // the type is a solver
  bool step;           // this operator is the solver's step
  std::string opname;  // rivulet::<type>[_<output>]::1.0
};

// One cook: what the callbacks of the job need.
struct Cook : RvHdkCook {
  const SOP_NodeVerb::CookParms* parms;
  bool step;  // input 1 of the node is the state, so the solver's inputs begin at 2
};

// Callback of the job: shows a warning or a note on the node.
void message(void* user, RvLevel level, const char* text) {
  const SOP_NodeVerb::CookParms* parms = static_cast<Cook*>(user)->parms;
  level == RV_LEVEL_WARNING ? parms->sopAddWarning(SOP_MESSAGE, text) : parms->sopAddMessage(SOP_MESSAGE, text);
}

// The geometry wired into an input of the node, at the cook's frame or at another; NULL if nothing is wired.
RvResult socket(Cook* cook, exint index, double frame, RvDetail** out, RvError* error) {
  RvLog log = {cook, message};
  *out = nullptr;
  const GU_Detail* geo = index < cook->parms->nInputs() ? cook->parms->inputGeo(index) : nullptr;
  if (!geo) return RV_OK;
  if (frame == cook->job.time.frame || !cook->job.samples) return rv_hdk_geo_read(geo, out, &log, error);
  SOP_Node* from = CAST_SOPNODE(cook->parms->getNode()->getInput((unsigned)index));
  OP_Context context(rv_hdk_time(frame));
  GU_DetailHandle handle = from ? from->getCookedGeoHandle(context) : GU_DetailHandle();
  GU_DetailHandleAutoReadLock lock(handle);
  if (lock.getGdp()) return rv_hdk_geo_read(lock.getGdp(), out, &log, error);
  // Escape may have ended the cook of the input: then this one ends too, as it would go on without the sample
  if (cook->job.cancelled(cook, 0, "inputs")) return rv_fail(error, RV_CANCELLED, "interrupted");
  return rv_fail(error, RV_BAD_INPUT,
                 "input %d cannot be cooked at frame %g; set RIVULET_WHOLE_FRAMES=1 to read whole frames only",
                 (int)index + 1, frame);
}

// Callback of the job: an input of the node type.
RvResult input(void* user, size_t index, double frame, RvDetail** out, RvError* error) {
  return socket(static_cast<Cook*>(user), (exint)index + static_cast<Cook*>(user)->step, frame, out, error);
}

// Callback of the job: parameter values at a frame.
RvResult values(void* user, double frame, RvParms** out, RvError* error) {
  Cook* cook = static_cast<Cook*>(user);
  SOP_Node* node = cook->parms->getNode();
  if (!node) return cook->parms->parms<Values>().copy(out, error);
  RvHdkValues from = {SOPdirectGraphProxy(), nullptr, node->getUniqueId()};
  return rv_hdk_parms(&from, cook->job.type->parms, rv_hdk_time(frame), out, error);
}

// Cooks the operator: fills a job, reads the state of a solver, runs the job and writes the result to Houdini.
void Verb::cook(const CookParms& cookparms) const {
  // the job: node type, name, time, interrupt and callbacks
  RvHdkBoss boss(type->label);
  SOP_Node* node = cookparms.getNode();
  Cook cook = {};
  cook.parms = &cookparms;
  cook.step = step;
  rv_hdk_begin(&cook, type, node ? node->getName().c_str() : type->type, cookparms.getCookTime(), &boss);
  // compiled blocks have no node to cook at other times, and one value of each parameter
  cook.job.samples = cook.job.samples && node;
  cook.job.animates = node != nullptr;
  cook.job.cache = &static_cast<Cache*>(cookparms.cache())->data;
  cook.job.input = input;
  cook.job.parms = values;
  cook.job.message = message;
  // the state before, for a solver
  RvError error = {};
  RvDetail *state = nullptr, *made = nullptr;
  RvResult result = solver ? socket(&cook, 0, cook.job.time.frame, &state, &error) : RV_OK;
  if (!result && solver && !step && !state)
    result = rv_fail(&error, RV_BAD_INPUT, "input 1 is empty: wire the state of a %s into it", type->type);
  // the step, an output of a state, or a node that is not a solver
  if (!result && step)
    result = rv_job_step(&cook.job, state, !state, &made, &error);
  else if (!result)
    result =
        solver ? rv_job_split(&cook.job, state, output, &made, &error) : rv_job_cook(&cook.job, output, &made, &error);
  // the result
  GU_Detail* gdp = cookparms.gdh().gdpNC();
  if (!result) result = rv_hdk_geo_write(made, gdp, &error);
  rv_detail_free(state);
  rv_detail_free(made);
  if (!result) return;
  // after an error or an interrupt the output is empty, so that Houdini caches no incomplete state
  gdp->clearAndDestroy();
  gdp->bumpDataIdsForAddOrRemove(true, true, true);
  cookparms.sopAddError(SOP_MESSAGE, error.text);
}

// The verbs by the operator's name. Houdini finds a verb by its name, which is the operator's, once it is registered.
struct Verbs : std::map<std::string, Verb*> {
  ~Verbs() {
    for (auto& each : *this) {
      SOP_NodeVerb::unregisterVerb(each.second);
      delete each.second;
    }
  }
} verbs;

// The node that Houdini creates; its verb does the work.
class Node : public SOP_Node {
 public:
  Node(OP_Network* net, const char* name, OP_Operator* op)
      : SOP_Node(net, name, op), verb_(verbs.at(op->getName().c_str())) {
    mySopFlags.setManagesDataIDs(true);
  }
  static OP_Node* create(OP_Network* net, const char* name, OP_Operator* op) { return new Node(net, name, op); }
  const SOP_NodeVerb* cookVerb() const override { return verb_; }

 protected:
  OP_ERROR cookMySop(OP_Context& context) override {
    if (verb_->step || (verb_->type->flags & RV_NODE_TIME_DEPENDENT)) flags().setTimeDep(true);
    return cookMyselfAsVerb(context);
  }
  const char* inputLabel(unsigned index) const override {
    if (verb_->solver && index == 0) return "State";
    return index - verb_->step < verb_->type->ninput ? verb_->type->inputs[index - verb_->step].label : "";
  }

 private:
  const Verb* verb_;
};

// Registers an operator and takes ownership of its verb.
void add(OP_OperatorTable* table, Verb* verb) {
  const RvNodeType* type = verb->type;
  // inputs: the type's own; a step has the state before them, an output of a solver has the state alone
  unsigned ninput = (unsigned)(!verb->solver ? type->ninput : verb->step ? type->ninput + 1 : 1);
  auto* templates = static_cast<PRM_Template*>(rv_hdk_templates(type, "ds"));
  OP_Operator* op = new OP_Operator(verb->opname.c_str(), type->label, Node::create, templates, 0, ninput, nullptr,
                                    ninput ? 0 : OP_FLAG_GENERATOR, nullptr, 1, "Rivulet");
  op->setIconName((std::string("SOP_rivulet-") + type->type + "-1.0").c_str());
  verbs[verb->opname] = verb;
  SOP_NodeVerb::registerVerb(verb);
  table->addOperator(op);
  if (verb->solver) table->addOpHidden(op->getName());
}

}  // namespace

// Houdini calls this when it loads the plug-in: one operator for each output of each type.
extern "C" SYS_VISIBILITY_EXPORT void newSopOperator(OP_OperatorTable* table) {
  for (size_t i = 0; i < rv_node_type_count(); ++i) {
    const RvNodeType* type = rv_node_type(i);
    for (size_t k = 0; k < type->noutput && !(type->flags & RV_NODE_HIDDEN); ++k) add(table, new Verb(type, k));
  }
}
