// Mock of the HDK: parameters, operators, nodes and SOPs. Own code; not Houdini.
#include "mock_op.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "mock_sim.h"

bool mock_compiled = false;

//---------------------------------------------------------------------------------------------- DialogScript

namespace {

// Words, quoted texts and braces; a quoted text begins with a quote here, to tell it from a word.
std::vector<std::string> split(const char* p) {
  std::vector<std::string> out;
  while (*p) {
    if (isspace((unsigned char)*p)) {
      ++p;
    } else if (*p == '{' || *p == '}') {
      out.push_back(std::string(1, *p++));
    } else if (*p == '"') {
      std::string text = "\"";
      for (++p; *p && *p != '"'; ++p) {
        if (*p == '\\' && p[1]) ++p;
        text += *p;
      }
      if (*p) ++p;
      out.push_back(text);
    } else {
      std::string word;
      while (*p && !isspace((unsigned char)*p) && *p != '{' && *p != '}' && *p != '"') word += *p++;
      out.push_back(word);
    }
  }
  return out;
}

struct Reader {
  std::vector<std::string> words;
  size_t at = 0;
  std::vector<PRM_Template>* out;

  const std::string& next() {
    if (at >= words.size()) throw std::runtime_error("mock: the DialogScript ends too early");
    return words[at++];
  }
  void expect(const char* word) {
    if (next() != word) throw std::runtime_error("mock: DialogScript: expected " + std::string(word));
  }
  std::string text() {
    std::string word = next();
    return !word.empty() && word[0] == '"' ? word.substr(1) : word;
  }
  std::vector<std::string> list() {
    std::vector<std::string> all;
    expect("{");
    while (words.at(at) != "}") all.push_back(text());
    ++at;
    return all;
  }
  void parm() {
    PRM_Template t;
    expect("{");
    while (words.at(at) != "}") {
      std::string key = next();
      if (key == "name") {
        t.token = text();
      } else if (key == "label") {
        t.label = text();
      } else if (key == "type") {
        t.type = text();
      } else if (key == "size") {
        t.size = atoi(text().c_str());
      } else if (key == "default") {
        t.defaults = list();
        // [ "expression" hscript-expr ]
        if (t.defaults.size() == 4 && t.defaults[0] == "[" && t.defaults[2] == "hscript-expr" && t.defaults[3] == "]") {
          t.expression = t.defaults[1];
          t.defaults.clear();
        }
      } else if (key == "invisible") {
        t.invisible = true;
      } else if (key == "menu") {
        std::vector<std::string> items = list();
        for (size_t i = 0; i < items.size(); i += 2) t.menu.push_back(items[i]);
      } else if (key == "parmtag") {
        std::vector<std::string> tag = list();
        if (tag.at(0) == "rampfloatdefault") t.ramp = tag.at(1);
      } else if (key == "range") {
        list();
      } else if (key == "help" || key == "disablewhen" || key == "hidewhen") {
        text();
      } else {
        throw std::runtime_error("mock: DialogScript: unknown word " + key);
      }
    }
    ++at;
    out->push_back(t);
  }
  void block() {
    expect("{");
    while (words.at(at) != "}") {
      std::string key = next();
      if (key == "parm")
        parm();
      else if (key == "group" || key == "groupcollapsible")
        block();
      else if (key == "grouptag" || key == "parmtag")
        list();
      else if (key == "name" || key == "label")
        text();
      else
        throw std::runtime_error("mock: DialogScript: unknown word " + key);
    }
    ++at;
  }
};

// "1pos ( 0 ) 1value ( 0 ) 1interp ( linear ) ..."
UT_Ramp ramp_default(const std::string& text) {
  UT_Ramp ramp;
  for (const char* p = text.c_str(); *p;) {
    int index = 0, length = 0;
    char key[16], value[32];
    if (sscanf(p, " %d%15[a-z] ( %31[^ )] )%n", &index, key, value, &length) < 3 || !length) break;
    if ((size_t)index > ramp.nodes.size()) ramp.nodes.resize((size_t)index);
    UT_ColorNode& node = ramp.nodes[(size_t)index - 1];
    if (!strcmp(key, "pos"))
      node.t = strtof(value, nullptr);
    else if (!strcmp(key, "value"))
      node.rgba.r = strtof(value, nullptr);
    else
      node.basis = !strcmp(value, "constant") ? UT_SPLINE_CONSTANT
                   : !strcmp(value, "linear") ? UT_SPLINE_LINEAR
                                              : UT_SPLINE_MONOTONECUBIC;
    p += length;
  }
  return ramp;
}

std::vector<OP_Node*>& all_nodes() {
  static std::vector<OP_Node*> nodes;
  return nodes;
}

const OP_GraphProxy the_graph;

// The verb that cooks a node now.
thread_local const SOP_NodeVerb* cooking = nullptr;

// It is never freed: Houdini's table lives longer than the plug-ins, which take their verbs out of it when they end.
std::map<std::string, SOP_NodeVerb*>& all_verbs() {
  static auto* verbs = new std::map<std::string, SOP_NodeVerb*>;
  return *verbs;
}

const MockParm& find_parm(exint node, const char* name) {
  if (cooking && !cooking->evaluatesParametersDuringCook())
    throw std::runtime_error("mock: a verb that does not declare it evaluates a parameter during its cook");
  auto& parms = all_nodes().at((size_t)node)->parms;
  auto it = parms.find(name);
  if (it == parms.end()) throw std::runtime_error(std::string("mock: no parameter ") + name);
  return it->second;
}

}  // namespace

PRM_TemplateBuilder::PRM_TemplateBuilder(const UT_StringRef&, const char* script) {
  Reader reader;
  reader.words = split(script);
  reader.out = &list_;
  reader.block();
  list_.emplace_back();
}

//---------------------------------------------------------------------------------------------- nodes

OP_Operator::OP_Operator(const char* opname, const char* ui, OP_Constructor constructor, PRM_Template* parms,
                         unsigned min, unsigned max, void*, unsigned flags, const char**, int maxoutputs,
                         const char* menu)
    : name(opname),
      label(ui),
      submenu(menu),
      make(constructor),
      templates(parms),
      min_inputs(min),
      max_inputs(max),
      op_flags(flags),
      outputs(maxoutputs) {}

bool OP_OperatorTable::addOperator(OP_Operator* op) {
  if (ops.count(op->name.c_str())) throw std::runtime_error(std::string("mock: operator twice: ") + op->name.c_str());
  ops[op->name.c_str()].reset(op);
  return true;
}

OP_Node::OP_Node(OP_Network*, const char* name, OP_Operator* op) : id((exint)all_nodes().size()), name_(name) {
  all_nodes().push_back(this);
  if (op) set_templates(op->templates);
  if (op) inputs.resize(op->max_inputs);
}

OP_Node::~OP_Node() {
  all_nodes()[(size_t)id] = nullptr;
}

void OP_Node::set_templates(const PRM_Template* list) {
  for (const PRM_Template* t = list; !t->token.empty(); ++t) {
    MockParm parm;
    std::string first = t->defaults.empty() ? "" : t->defaults[0];
    parm.text = [first](double) { return first; };
    UT_Ramp ramp = ramp_default(t->ramp);
    if (t->type == "ramp_flt") parm.ramp = [ramp](double) { return ramp; };
    for (int c = 0; c < t->size; ++c) {
      double value = (size_t)c < t->defaults.size() ? atof(t->defaults[(size_t)c].c_str()) : 0;
      parm.number.push_back([value](double) { return value; });
    }
    parms[t->token] = parm;
  }
}

void OP_Node::set_number(const char* token, int component, double value) {
  parms.at(token).number.at((size_t)component) = [value](double) { return value; };
}

void OP_Node::set_text(const char* token, const char* text) {
  std::string copy = text;
  parms.at(token).text = [copy](double) { return copy; };
}

OP_Node* OP_Director::findNode(const char* path) const {
  for (OP_Node* node : all_nodes())
    if (node && std::string("/obj/") + node->getName().c_str() == path) return node;
  return nullptr;
}
OP_Director* OPgetDirector() {
  static OP_Director director;
  return &director;
}

const OP_GraphProxy* SOPdirectGraphProxy() {
  return &the_graph;
}

std::string mock_expand(const std::string& text, const OP_Node& node, double time) {
  const char* hip = getenv("HIP");
  char frame[32];
  std::string out;
  for (size_t i = 0; i < text.size();) {
    auto starts = [&](const char* word) { return text.compare(i, strlen(word), word) == 0; };
    if (starts("$HIP")) {
      out += hip ? hip : "$HIP";
      i += 4;
    } else if (starts("$OS")) {
      out += node.getName().c_str();
      i += 3;
    } else if (starts("$F") && !starts("$FF")) {
      int digits = i + 2 < text.size() && isdigit((unsigned char)text[i + 2]) ? text[i + 2] - '0' : 0;
      snprintf(frame, sizeof frame, "%0*ld", digits, std::lround(CHgetManager()->getSample(time)));
      out += frame;
      i += digits ? 3 : 2;
    } else {
      out += text[i++];
    }
  }
  return out;
}

void SOP_NodeVerb::registerVerb(SOP_NodeVerb* verb) {
  if (!all_verbs().emplace(verb->name().c_str(), verb).second)
    throw std::runtime_error(std::string("mock: two verbs are called ") + verb->name().c_str());
}
void SOP_NodeVerb::unregisterVerb(SOP_NodeVerb* verb) {
  all_verbs().erase(verb->name().c_str());
}
const SOP_NodeVerb* SOP_NodeVerb::lookupVerb(const UT_StringRef& name) {
  auto it = all_verbs().find(name.c_str());
  return it == all_verbs().end() ? nullptr : it->second;
}

void OP_GraphProxy::evalOpParm(int64& v, exint node, const char* name, fpreal time, DEP_MicroNode*) const {
  v = (int64)find_parm(node, name).number.at(0)(time);
}
void OP_GraphProxy::evalOpParm(fpreal64& v, exint node, const char* name, fpreal time, DEP_MicroNode*) const {
  v = find_parm(node, name).number.at(0)(time);
}
template <typename V>
static void eval_vector(V& v, int n, exint node, const char* name, double time) {
  for (int c = 0; c < n; ++c) v(c) = find_parm(node, name).number.at((size_t)c)(time);
}
void OP_GraphProxy::evalOpParm(UT_Vector2D& v, exint node, const char* name, fpreal time, DEP_MicroNode*) const {
  eval_vector(v, 2, node, name, time);
}
void OP_GraphProxy::evalOpParm(UT_Vector3D& v, exint node, const char* name, fpreal time, DEP_MicroNode*) const {
  eval_vector(v, 3, node, name, time);
}
void OP_GraphProxy::evalOpParm(UT_Vector4D& v, exint node, const char* name, fpreal time, DEP_MicroNode*) const {
  eval_vector(v, 4, node, name, time);
}
void OP_GraphProxy::evalOpParm(UT_StringHolder& v, exint node, const char* name, fpreal time, DEP_MicroNode*) const {
  v = mock_expand(find_parm(node, name).text(time), *all_nodes().at((size_t)node), time);
}
void OP_GraphProxy::evalOpParm(UT_SharedPtr<UT_Ramp>& v, exint node, const char* name, fpreal time,
                               DEP_MicroNode*) const {
  v = std::make_shared<UT_Ramp>(find_parm(node, name).ramp(time));
}

//---------------------------------------------------------------------------------------------- SOPs

SOP_Node::SOP_Node(OP_Network* net, const char* name, OP_Operator* op) : OP_Node(net, name, op), mySopFlags{this} {
  gdh.allocateAndSet(new GU_Detail);
  if (op) optype = op->name.c_str();
}

// A handle on a copy: the node may be cooked at another time while the first is still read.
GU_DetailHandle SOP_Node::getCookedGeoHandle(OP_Context& context) {
  if (mock_sim_write_locks) throw std::runtime_error("mock: a SOP cooks while a simulation's geometry is locked");
  if (!cooked_ || cooked_time_ != context.getTime()) {
    errors.clear();
    warnings.clear();
    messages.clear();
    ++ncook;
    cookMySop(context);
    cooked_ = errors.empty();
    cooked_time_ = context.getTime();
  }
  GU_DetailHandle handle;
  if (errors.empty()) handle.allocateAndSet(new GU_Detail(*gdh.mock_gdp()));
  return handle;
}

OP_ERROR SOP_Node::cookMyselfAsVerb(OP_Context& context) {
  SOP_NodeVerb::CookParms cook;
  for (OP_Node* input : inputs) {
    SOP_Node* sop = CAST_SOPNODE(input);
    cook.inputs_.push_back(sop ? sop->getCookedGeoHandle(context) : GU_DetailHandle());
    if (sop && !cook.inputs_.back().isValid()) errors.push_back(sop->errors.at(0));
  }
  if (!errors.empty()) return UT_ERROR_ABORT;
  const SOP_NodeVerb* verb = cookVerb();
  if (SOP_NodeVerb::lookupVerb(optype) != verb)
    throw std::runtime_error("mock: the verb of " + optype + " is not registered");
  std::unique_ptr<SOP_NodeParms> loaded(verb->allocParms());
  std::unique_ptr<SOP_NodeParms> copy(verb->allocParms());
  // A verb that evaluates parameters itself gets none, but in a compiled block, where it has no node to ask.
  if (mock_compiled || !verb->evaluatesParametersDuringCook()) {
    loaded->loadFromOp(OP_NodeParms::LoadParms(&the_graph, mock_compiled ? nullptr : this, id, context));
    copy->copyFrom(loaded.get());
  }
  loaded.reset();
  if (!cache_) cache_.reset(verb->allocCache());
  if (verb->cookMode(copy.get()) != SOP_NodeVerb::COOK_GENERIC) gdh.mock_gdp()->clearAndDestroy();
  cook.parms_ = copy.get();
  cook.gdh_ = gdh;
  cook.cache_ = cache_.get();
  cook.node_ = mock_compiled ? nullptr : this;
  cook.time_ = context.getTime();
  cook.errors_ = &errors;
  cook.warnings_ = &warnings;
  cook.messages_ = &messages;
  const SOP_NodeVerb* outer = cooking;
  cooking = verb;
  gdh.mock_writable(true);
  verb->cook(cook);
  gdh.mock_writable(false);
  cooking = outer;
  return errors.empty() ? UT_ERROR_NONE : UT_ERROR_ABORT;
}

MockSolverSop::MockSolverSop(const char* name, OP_Node* first, double start)
    : SOP_Node(nullptr, name, nullptr), start_(start), prev_(new MockHoldSop((std::string(name) + "_prev").c_str())) {
  inputs.push_back(first);
}

OP_ERROR MockSolverSop::cookMySop(OP_Context& context) {
  CH_Manager* manager = CHgetManager();
  long start = std::lround(start_), wanted = std::lround(std::floor(manager->getSample(context.getTime()) + 1e-6));
  // As Houdini's Solver SOP does, the network runs on the start frame too: the frame before it is the first input there.
  for (long frame = start; frame <= std::max(wanted, start); ++frame) {
    if (frames_.count(frame)) continue;
    if (frame == start) {
      OP_Context at((start_ - 1) / manager->fps);
      SOP_Node* first = CAST_SOPNODE(inputs[0]);
      GU_DetailHandle seed = first->getCookedGeoHandle(at);
      if (!seed.isValid()) {
        errors = first->errors;
        return UT_ERROR_ABORT;
      }
      static_cast<MockHoldSop*>(prev_.get())->hold(*seed.mock_gdp());
    } else {
      static_cast<MockHoldSop*>(prev_.get())->hold(*frames_.at(frame - 1));
    }
    OP_Context at((double)(frame - 1) / manager->fps);
    inner->touch();
    GU_DetailHandle made = inner->getCookedGeoHandle(at);
    warnings.insert(warnings.end(), inner->warnings.begin(), inner->warnings.end());
    // a frame that failed is not kept
    if (!made.isValid()) {
      errors = inner->errors;
      return UT_ERROR_ABORT;
    }
    frames_[frame].reset(new GU_Detail(*made.mock_gdp()));
  }
  gdh.mock_gdp()->duplicate(*frames_.at(wanted < start ? start : wanted));
  return UT_ERROR_NONE;
}
