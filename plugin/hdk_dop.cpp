// The DOP solver class: every row of the node table with the flag RV_NODE_DOP is a data type derived from it. The state
// of a simulation is the object's Geometry and nothing else, so Houdini's cache handles scrubbing and resimulation.
#include <CH/CH_Manager.h>
#include <OP/OP_Director.h>
#include <SIM/SIM_DopDescription.h>
#include <SIM/SIM_Engine.h>
#include <SIM/SIM_GeometryCopy.h>
#include <SIM/SIM_Object.h>
#include <SIM/SIM_OptionsUser.h>
#include <SIM/SIM_SingleSolver.h>
#include <SOP/SOP_Node.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "hdk_geo.h"
#include "hdk_host.h"
#include "hdk_parm.h"

// Detail attribute of the object's Geometry: the frame of the state. The solvers of SOPs and files have none.
#define RV_HDK_FRAME "rv_frame"

namespace {

// A solver of one node type; it solves one object at a time and keeps nothing between calls.
class Solver : public SIM_SingleSolver, public SIM_OptionsUser {
 protected:
  Solver(const SIM_DataFactory* factory, const char* row)
      : SIM_SingleSolver(factory), SIM_OptionsUser(this), type_(rv_node_find(row)) {}
  SIM_Result solveSingleObjectSubclass(SIM_Engine& engine, SIM_Object& object, SIM_ObjectArray&,
                                       const SIM_Time& timestep, bool) override;

 private:
  const RvNodeType* type_;
};

// One call of the solver: what the callbacks of the job need.
struct Solve : RvHdkCook {
  const Solver* solver;        // receives messages
  const SIM_Object* object;    // is being solved
  const SIM_Options* options;  // parameter values of the DOP node
};

// Callback of the job: shows a warning or a note on the DOP node.
void message(void* user, RvLevel level, const char* text) {
  Solve* s = static_cast<Solve*>(user);
  s->solver->addError(s->object, SIM_MESSAGE, text, level == RV_LEVEL_WARNING ? UT_ERROR_WARNING : UT_ERROR_MESSAGE);
}

// Callback of the job: cooks the SOP whose path is in the parameter <input>path. An empty path is an empty input.
RvResult input(void* user, size_t index, double frame, RvDetail** out, RvError* error) {
  Solve* s = static_cast<Solve*>(user);
  std::string parm = std::string(s->job.type->inputs[index].name) + "path";
  UT_StringHolder path = s->options->hasOption(parm.c_str()) ? s->options->getOptionS(parm.c_str()) : UT_StringHolder();
  *out = nullptr;
  if (!path.isstring()) return RV_OK;
  SOP_Node* sop = CAST_SOPNODE(OPgetDirector()->findNode(path));
  OP_Context context(rv_hdk_time(s->job.samples ? frame : s->job.time.frame));
  GU_DetailHandle handle = sop ? sop->getCookedGeoHandle(context) : GU_DetailHandle();
  GU_DetailHandleAutoReadLock lock(handle);
  // Escape may have ended the cook of the input
  if (!lock.getGdp() && s->job.cancelled(s, 0, "inputs")) return rv_fail(error, RV_CANCELLED, "interrupted");
  if (!lock.getGdp())
    return rv_fail(error, RV_BAD_INPUT, "%s: '%s' is not a SOP that cooks at frame %g; set the path of another SOP",
                   parm.c_str(), path.c_str(), frame);
  RvLog log = {user, message};
  s->solver->addOPInterest(sop);
  return rv_hdk_geo_read(lock.getGdp(), out, &log, error);
}

// Callback of the job: the values of the DOP node; a SIM_Options has them at one time only.
RvResult values(void* user, double, RvParms** out, RvError* error) {
  RvHdkValues from = {nullptr, static_cast<Solve*>(user)->options, 0};
  return rv_hdk_parms(&from, static_cast<Solve*>(user)->job.type->parms, 0, out, error);
}

// Two frame numbers are the same but for rounding.
bool same(double a, double b) {
  return std::fabs(a - b) < RV_HDK_FRAME_ROUNDING;
}

// Takes the frame out of a state that this solver wrote. False: there is none.
bool take_frame(RvDetail* state, double* frame) {
  const RvAttrib* attrib = rv_detail_find(state, RV_GLOBAL, RV_HDK_FRAME);
  bool found = attrib && rv_attrib_storage(attrib) == RV_F64 && rv_attrib_size(attrib) == 1;
  if (found) rv_attrib_get_doubles(attrib, frame);
  if (attrib) rv_detail_remove_attrib(state, RV_GLOBAL, RV_HDK_FRAME);
  return found;
}

// The frame at the end of the step. No public page says whether SIM_Engine::getSimulationTime() is the beginning or the
// end of the step that is solved. The state knows the frame before, which decides for all steps but the first. At the
// first step the parameter steptime decides: its expression $ST is the simulation time for which the node is evaluated,
// which is the end of the step. RIVULET_DOP_TIME=start is the last resort: the time is the beginning.
double end_frame(const SIM_Engine& engine, const SIM_Options& options, double timestep, double step,
                 const double* previous) {
  const double time = engine.getSimulationTime();
  const double now = rv_hdk_frame(engine.getGlobalTime(time));
  if (previous && (same(now, *previous) || same(now, *previous + step))) return *previous + step;
  const char* reading = getenv("RIVULET_DOP_TIME");
  if (reading) return std::string(reading) == "start" ? now + step : now;
  double evaluated = options.hasOption("steptime") ? options.getOptionF("steptime") : time;
  return std::fabs(evaluated - time - timestep) < timestep * RV_HDK_FRAME_ROUNDING ? now + step : now;
}

// The state in the object's Geometry. The lock ends here: cooking inputs may read the object.
RvResult read_state(const SIM_GeometryCopy* geometry, RvDetail** out, RvError* error) {
  SIM_GeometryAutoReadLock lock(geometry);
  *out = nullptr;
  if (!lock.getGdp()) return RV_OK;
  return rv_hdk_geo_read(lock.getGdp(), out, nullptr, error);
}

// Writes a state and its frame to the object's Geometry.
RvResult write_state(RvDetail* state, double frame, SIM_GeometryCopy* geometry, RvError* error) {
  RvAttrib* attrib = nullptr;
  RvResult result = rv_detail_add_attrib(state, RV_GLOBAL, RV_HDK_FRAME, RV_F64, 1, RV_TAG_NONE, &attrib, error);
  if (!result) result = rv_attrib_set_doubles(attrib, &frame, error);
  if (result) return result;
  SIM_GeometryAutoWriteLock lock(geometry);
  return rv_hdk_geo_write(state, &lock.getGdp(), error);
}

// Steps one object: Geometry before -> job -> Geometry after.
SIM_Solver::SIM_Result Solver::solveSingleObjectSubclass(SIM_Engine& engine, SIM_Object& object, SIM_ObjectArray&,
                                                         const SIM_Time& timestep, bool) {
  // the state before, and its frame
  RvError error = {};
  RvDetail *before = nullptr, *made = nullptr;
  SIM_GeometryCopy* geometry = SIM_DATA_CREATE(object, SIM_GEOMETRY_DATANAME, SIM_GeometryCopy,
                                               SIM_DATA_RETURN_EXISTING | SIM_DATA_ADOPT_EXISTING_ON_DELETE);
  RvResult result =
      geometry ? read_state(geometry, &before, &error)
               : rv_fail(&error, RV_SHIM, "the object accepts no Geometry data; wire the solver to an Empty Object");
  double previous = 0;
  bool continues = before && take_frame(before, &previous);
  // the job: node type, name, time, interrupt and callbacks; the solver keeps no cache between calls
  RvHdkBoss boss(type_->label);
  void* cache = nullptr;
  Solve s = {};
  s.solver = this;
  s.object = &object;
  s.options = &getOptions();
  // a time step that is a whole number of frames but for rounding becomes exactly that number
  double frames = timestep * CHgetManager()->getSamplesPerSec();
  double whole = std::round(frames);
  double step = whole > 0 && same(frames, whole) ? whole : frames;
  double end = end_frame(engine, getOptions(), timestep, step, continues ? &previous : nullptr);
  rv_hdk_begin(&s, type_, object.getName().c_str(), rv_hdk_time(end), &boss);
  s.job.step = step;
  s.job.cache = &cache;
  s.job.input = input;
  s.job.parms = values;
  s.job.message = message;
  // the step, and the state after
  if (!result) result = rv_job_step(&s.job, before, false, &made, &error);
  if (!result) result = write_state(made, end, geometry, &error);
  // clean up, and report a failure on the object
  if (cache && type_->free_cache) type_->free_cache(cache);
  rv_detail_free(before);
  rv_detail_free(made);
  if (result) addError(&object, SIM_MESSAGE, error.text, UT_ERROR_ABORT);
  return result ? SIM_SOLVER_FAIL : SIM_SOLVER_SUCCESS;
}

// Houdini wants one class for each data type. CMake writes the list of rows from the node table.
#define RV_DOP_ROW(row)                                                                                              \
  class SIM_Rivulet_##row : public Solver {                                                                          \
    explicit SIM_Rivulet_##row(const SIM_DataFactory* factory) : Solver(factory, #row) {}                            \
    static const SIM_DopDescription* description() {                                                                 \
      static SIM_DopDescription made(true, "rivulet::" #row "::1.0", rv_node_find(#row)->label, SIM_SOLVER_DATANAME, \
                                     classname(),                                                                    \
                                     static_cast<PRM_Template*>(rv_hdk_templates(rv_node_find(#row), "dop")));       \
      return &made;                                                                                                  \
    }                                                                                                                \
    DECLARE_STANDARD_GETCASTTOTYPE();                                                                                \
    DECLARE_DATAFACTORY(SIM_Rivulet_##row, SIM_SingleSolver, "Rivulet " #row, description());                        \
  };
#include "rivulet_dop_rows.def"

}  // namespace

// Houdini calls this when it loads the plug-in: registers the data types.
extern "C" SYS_VISIBILITY_EXPORT void initializeSIM(void*) {
#define RV_DOP_ROW(row) IMPLEMENT_DATAFACTORY(SIM_Rivulet_##row);
#include "rivulet_dop_rows.def"
}
