// Mock of the HDK, part 4: DOPs. A mock network copies an object's data every frame, as Houdini's cache does. Own code;
// not Houdini.
#ifndef RV_HDK_MOCK_SIM_H
#define RV_HDK_MOCK_SIM_H

#include "mock_op.h"

typedef fpreal SIM_Time;
#define SIM_SOLVER_DATANAME "Solver"
#define SIM_GEOMETRY_DATANAME "Geometry"
enum { SIM_MESSAGE = 1 };
enum { SIM_DATA_RETURN_EXISTING = 1, SIM_DATA_ADOPT_EXISTING_ON_DELETE = 2 };

class SIM_DataFactory {};

class SIM_Geometry {
 public:
  virtual ~SIM_Geometry() = default;
  // the mock's own
  GU_Detail gdp;
  mutable MockLock lock;
};
class SIM_GeometryCopy : public SIM_Geometry {};
class SIM_GeometryAutoReadLock {
 public:
  explicit SIM_GeometryAutoReadLock(const SIM_Geometry* geometry) : geometry_(geometry) {
    if (geometry) geometry->lock.read();
  }
  ~SIM_GeometryAutoReadLock() {
    if (geometry_) --geometry_->lock.readers;
  }
  SIM_GeometryAutoReadLock(const SIM_GeometryAutoReadLock&) = delete;
  const GU_Detail* getGdp() const { return geometry_ ? &geometry_->gdp : nullptr; }

 private:
  const SIM_Geometry* geometry_;
};
class SIM_GeometryAutoWriteLock {
 public:
  explicit SIM_GeometryAutoWriteLock(SIM_GeometryCopy* geometry) : geometry_(geometry) {
    geometry->lock.write();
    ++mock_sim_write_locks;
  }
  ~SIM_GeometryAutoWriteLock() {
    --geometry_->lock.writers;
    --mock_sim_write_locks;
  }
  SIM_GeometryAutoWriteLock(const SIM_GeometryAutoWriteLock&) = delete;
  GU_Detail& getGdp() const { return geometry_->gdp; }

 private:
  SIM_GeometryCopy* geometry_;
};

class SIM_Object {
 public:
  UT_StringHolder getName() const { return name; }
  std::string name;
  std::map<std::string, std::shared_ptr<SIM_GeometryCopy>> data;
  SIM_GeometryCopy* create(const char* dataname);
  std::unique_ptr<SIM_Object> copy() const;  // of all data
};
#define SIM_DATA_CREATE(object, name, type, flags) (object).create(name)
class SIM_ObjectArray {};

struct MockSimMessage {
  std::string text;
  UT_ErrorSeverity severity;
};
extern std::vector<MockSimMessage> mock_sim_messages;

class SIM_Data {
 public:
  explicit SIM_Data(const SIM_DataFactory*) {}
  virtual ~SIM_Data() = default;
  UT_ErrorSeverity addError(const SIM_Object*, int, const char* text, UT_ErrorSeverity severity) const;
  void addOPInterest(OP_Node* node) const { interests.insert(node); }
  mutable std::set<OP_Node*> interests;
};

class SIM_Options {
 public:
  bool hasOption(const char* name) const { return numbers.count(name) || texts.count(name); }
  fpreal64 getOptionF(const char* name) const { return one(name, 'F'); }
  int64 getOptionI(const char* name) const { return (int64)one(name, 'I'); }
  bool getOptionB(const char* name) const { return one(name, 'B') != 0; }
  UT_Vector2D getOptionV2(const char* name) const { return many<UT_Vector2D>(name, 2); }
  UT_Vector3D getOptionV3(const char* name) const { return many<UT_Vector3D>(name, 3); }
  UT_Vector4D getOptionV4(const char* name) const { return many<UT_Vector4D>(name, 4); }
  UT_StringHolder getOptionS(const char* name) const { return texts.at(name); }
  // the mock's own: as documented, a value is of one type and no other
  std::map<std::string, std::pair<char, std::vector<double>>> numbers;
  std::map<std::string, std::string> texts;
  // `time` is global; `simulated` is the simulation time for which the node is evaluated, $ST.
  void load(const OP_Node& node, const PRM_Template* templates, double time, double simulated);

 private:
  double one(const char* name, char type) const;
  template <typename V>
  V many(const char* name, size_t n) const {
    V v;
    for (size_t c = 0; c < n; ++c) v((int)c) = numbers.at(name).second.at(c);
    return v;
  }
};
class SIM_OptionsUser {
 public:
  explicit SIM_OptionsUser(SIM_Data*) {}
  virtual ~SIM_OptionsUser() = default;
  const SIM_Options& getOptions() const { return options_; }
  SIM_Options& mock_options() { return options_; }

 protected:
  SIM_Options& getOptions() { return options_; }

 private:
  SIM_Options options_;
};

class SIM_Engine {
 public:
  const SIM_Time& getSimulationTime() const { return time; }
  SIM_Time getGlobalTime(const SIM_Time& t) const { return t + offset; }
  SIM_Time time = 0, offset = 0;
};
class SIM_Solver : public SIM_Data {
 public:
  enum SIM_Result { SIM_SOLVER_SUCCESS, SIM_SOLVER_REPEAT, SIM_SOLVER_SUBSTEP, SIM_SOLVER_FAIL };
  using SIM_Data::SIM_Data;
};
class SIM_SingleSolver : public SIM_Solver {
 public:
  using SIM_Solver::SIM_Solver;
  SIM_Result solveSingleObject(SIM_Engine& engine, SIM_Object& object, SIM_ObjectArray& feedback,
                               const SIM_Time& timestep, bool newobject) {
    return solveSingleObjectSubclass(engine, object, feedback, timestep, newobject);
  }

 protected:
  virtual SIM_Result solveSingleObjectSubclass(SIM_Engine& engine, SIM_Object& object, SIM_ObjectArray& feedback,
                                               const SIM_Time& timestep, bool newobject) = 0;
};

class SIM_DopDescription {
 public:
  SIM_DopDescription(bool node, const char* op, const char* ui, const char* dataname, const char* datatype,
                     PRM_Template* parms)
      : make_node(node), opname(op), label(ui), data_name(dataname), data_type(datatype), templates(parms) {}
  bool make_node;
  std::string opname, label, data_name, data_type;
  PRM_Template* templates;
};

struct MockDopType {
  SIM_Data* (*make)(const SIM_DataFactory*);
  const SIM_DopDescription* description;
};
std::map<std::string, MockDopType>& mock_dop_types();  // by operator name

#define DECLARE_STANDARD_GETCASTTOTYPE() \
 public:                                 \
  typedef int MockCastable
#define DECLARE_DATAFACTORY(DataClass, Super, text, parms)     \
 public:                                                       \
  static const char* classname() {                             \
    return #DataClass;                                         \
  }                                                            \
  static SIM_Data* mock_make(const SIM_DataFactory* factory) { \
    return new DataClass(factory);                             \
  }                                                            \
  static const SIM_DopDescription* mock_description() {        \
    return parms;                                              \
  }                                                            \
  static_assert(sizeof(text) > 1, "a description")
#define IMPLEMENT_DATAFACTORY(DataClass)                                      \
  do {                                                                        \
    const SIM_DopDescription* made = DataClass::mock_description();           \
    mock_dop_types()[made->opname] = MockDopType{DataClass::mock_make, made}; \
  } while (0)

// What SIM_Engine::getSimulationTime() is while a step is solved: its end or its beginning. At the creation frame of the
// first object the beginning may be before the simulation, or no earlier than its start.
enum MockSimTime { MOCK_TIME_END, MOCK_TIME_START, MOCK_TIME_START_NOT_NEGATIVE };

// The mock of a DOP network with one object and one solver. Frames are kept; one that failed is not. Parameters are
// evaluated for the end of the step.
class MockDopNet {
 public:
  MockDopNet(const char* optype, const char* name, double first_frame, bool solve_on_creation,
             MockSimTime reading = MOCK_TIME_END);
  OP_Node node;                             // the DOP whose parameters are the solver's options
  const GU_Detail* geometry(double frame);  // NULL if a step failed
  std::map<long, std::unique_ptr<SIM_Object>> frames;
  SIM_Engine engine;
  std::string without_option;  // an option that the solver's data lack

 private:
  const MockDopType& type_;
  long first_;
  bool solve_on_creation_;
  MockSimTime reading_;
};

extern "C" void newSopOperator(OP_OperatorTable* table);
extern "C" void initializeSIM(void*);

#endif
