// Mock of the HDK: DOPs. Own code; not Houdini.
#include "mock_sim.h"

#include <cmath>
#include <stdexcept>

std::vector<MockSimMessage> mock_sim_messages;

std::map<std::string, MockDopType>& mock_dop_types() {
  static std::map<std::string, MockDopType> types;
  return types;
}

SIM_GeometryCopy* SIM_Object::create(const char* dataname) {
  auto& slot = data[dataname];
  if (!slot) slot = std::make_shared<SIM_GeometryCopy>();
  return slot.get();
}

std::unique_ptr<SIM_Object> SIM_Object::copy() const {
  std::unique_ptr<SIM_Object> made(new SIM_Object);
  made->name = name;
  for (auto& each : data) made->create(each.first.c_str())->gdp.duplicate(each.second->gdp);
  return made;
}

UT_ErrorSeverity SIM_Data::addError(const SIM_Object*, int, const char* text, UT_ErrorSeverity severity) const {
  mock_sim_messages.push_back({text, severity});
  return severity;
}

double SIM_Options::one(const char* name, char type) const {
  if (numbers.at(name).first != type) throw std::runtime_error(std::string("mock: option of another type: ") + name);
  return numbers.at(name).second.at(0);
}

void SIM_Options::load(const OP_Node& node, const PRM_Template* list, double time, double simulated) {
  for (const PRM_Template* t = list; !t->token.empty(); ++t) {
    const MockParm& parm = node.parms.at(t->token);
    if (t->type == "button" || t->type == "ramp_flt") continue;
    if (t->type == "string" || t->type == "file" || t->type == "oppath") {
      texts[t->token] = mock_expand(parm.text(time), node, time);
      continue;
    }
    auto& slot = numbers[t->token];
    slot.first = t->size > 1 ? 'V' : t->type == "toggle" ? 'B' : t->type == "float" ? 'F' : 'I';
    slot.second.clear();
    for (auto& channel : parm.number) slot.second.push_back(channel(time));
    if (t->expression == "$ST") slot.second[0] = simulated;
  }
}

static const MockDopType& find_type(const char* optype) {
  return mock_dop_types().at(optype);
}

MockDopNet::MockDopNet(const char* optype, const char* name, double first_frame, bool solve_on_creation,
                       MockSimTime reading)
    : node(nullptr, name, nullptr),
      type_(find_type(optype)),
      first_(std::lround(first_frame)),
      solve_on_creation_(solve_on_creation),
      reading_(reading) {
  node.set_templates(type_.description->templates);
}

const GU_Detail* MockDopNet::geometry(double frame) {
  double fps = CHgetManager()->fps;
  for (long f = first_; f <= std::lround(frame); ++f) {
    if (frames.count(f)) continue;
    std::unique_ptr<SIM_Object> object(new SIM_Object);
    if (f > first_) object = frames.at(f - 1)->copy();
    object->name = "object1";
    if (f > first_ || solve_on_creation_) {
      // the solver itself is made anew each step: nothing may live in it
      SIM_DataFactory factory;
      std::unique_ptr<SIM_Data> made(type_.make(&factory));
      engine.offset = (double)(first_ - 1) / fps;
      double end = (double)(f - first_) / fps;
      dynamic_cast<SIM_OptionsUser&>(*made).mock_options().load(node, type_.description->templates,
                                                                engine.getGlobalTime(end), end);
      dynamic_cast<SIM_OptionsUser&>(*made).mock_options().numbers.erase(without_option);
      engine.time = reading_ == MOCK_TIME_END ? end : (double)(f - first_ - 1) / fps;
      if (reading_ == MOCK_TIME_START_NOT_NEGATIVE && engine.time < 0) engine.time = 0;
      SIM_ObjectArray feedback;
      bool fresh = f == first_ + (solve_on_creation_ ? 0 : 1);
      auto& solver = dynamic_cast<SIM_SingleSolver&>(*made);
      if (solver.solveSingleObject(engine, *object, feedback, 1 / fps, fresh) != SIM_Solver::SIM_SOLVER_SUCCESS)
        return nullptr;
    }
    frames[f] = std::move(object);
  }
  SIM_GeometryCopy* geometry = frames.at(std::lround(frame))->create(SIM_GEOMETRY_DATANAME);
  return &geometry->gdp;
}
