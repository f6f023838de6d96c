// Cooks of single nodes for hosts with a graph of their own (Houdini, Blender, Python): data borrowed during one call,
// and the Solver SOP's rules for one step.
#include "rivulet/job.h"

#include "base/array.h"
#include "base/memory.h"
#include "node/empty_output.h"

// Frame numbers that differ by less are the same: hosts may add them up from fractions.
static const double FRAME_SLACK = 1e-6;

// An input at a frame, as the host gave it.
typedef struct Sample {
  size_t index;
  double frame;
  RvDetail* detail;  // NULL: not wired
} Sample;

// One cook: its context, and everything that must live until it ends.
typedef struct Call {
  const RvJob* job;
  RvHost host;
  RvVars vars;
  RvStats stats;
  RvCook cook;
  void* parms;                                 // the type's parameter struct
  const RvDetail* inputs[RV_NODE_MAX_INPUTS];  // at the cook's frame; borrowed from samples
  RV_ARRAY(Sample) samples;                    // inputs that were asked for
  RV_ARRAY(RvParms*) values;                   // parameter values that were asked for; they hold the texts
} Call;

//---------------------------------------------------------------------------------------------- one call

// RvHost.cancelled.
static bool host_cancelled(void* user, double fraction, const char* stage) {
  const RvJob* job = ((Call*)user)->job;
  return job->cancelled && job->cancelled(job->user, fraction, stage);
}

// RvHost.message.
static void host_message(void* user, RvLevel level, const char* text) {
  const RvJob* job = ((Call*)user)->job;
  if (job->message) job->message(job->user, level, text);
}

// RvHost.input_at: asks the host once for each input and frame.
static RvResult host_input_at(void* user, size_t index, double frame, const RvDetail** out, RvError* error) {
  Call* call = user;
  *out = NULL;
  if (index >= call->job->type->ninput) return RV_OK;
  for (size_t i = 0; i < call->samples.count; ++i) {
    const Sample* sample = &call->samples.data[i];
    if (sample->index != index || sample->frame != frame) continue;
    *out = sample->detail;
    return RV_OK;
  }
  Sample sample = {index, frame, NULL};
  RvResult result = call->job->input(call->job->user, index, frame, &sample.detail, error);
  if (!result && !rv_array_push(&call->samples, sample)) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (result)
    rv_detail_free(sample.detail);
  else
    *out = sample.detail;
  return result;
}

// RvHost.parms_at. The values are kept until the call ends, as the texts in `out` point into them.
static RvResult host_parms_at(void* user, double frame, void* out, RvError* error) {
  Call* call = user;
  const RvJob* job = call->job;
  RvParms* values = NULL;
  RvResult result = job->parms(job->user, frame, &values, error);
  if (result) return result;
  if (!rv_array_push(&call->values, values)) {
    rv_parms_free(values);
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  RvVars vars = call->vars;
  vars.frame = frame;
  return rv_parms_eval(values, &vars, out, error);
}

// Prepares a cook at a frame and evaluates its parameters. call_end frees it, also after a failure.
static RvResult call_begin(Call* call, const RvJob* job, double frame, RvError* error) {
  double fps = job->time.fps;
  *call = (Call){.job = job};
  call->host = (RvHost){.user = call,
                        .cancelled = host_cancelled,
                        .message = host_message,
                        .input_at = job->samples ? host_input_at : NULL,
                        .parms_at = job->animates ? host_parms_at : NULL};
  call->vars = (RvVars){frame, fps, job->out, job->hip, job->node};
  call->parms = rv_alloc_zero(1, job->type->parms->struct_bytes + 1);
  call->cook = (RvCook){
      .type = job->type,
      .node = job->node,
      .time = {frame, fps, (frame - 1) / fps, job->time.meters_per_unit},
      .parms = call->parms,
      .ninput = job->type->ninput,
      .input = call->inputs,
      .stats = &call->stats,
      .cache = job->cache,
      .vars = &call->vars,
      .host = &call->host,
  };
  if (!call->parms) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  return host_parms_at(call, job->animates ? frame : job->time.frame, call->parms, error);
}

// Gets the inputs of the cook's frame; a required one must be wired.
static RvResult call_inputs(Call* call, RvError* error) {
  const RvNodeType* type = call->job->type;
  RvResult result = RV_OK;
  for (size_t i = 0; i < type->ninput && !result; ++i) {
    result = host_input_at(call, i, call->cook.time.frame, &call->inputs[i], error);
    if (!result && !call->inputs[i] && type->inputs[i].required)
      result = rv_fail(error, RV_BAD_INPUT, "input %zu (%s) is not connected; wire a node into it", i + 1,
                       type->inputs[i].label);
  }
  for (size_t i = 0; i < type->ninput && !result; ++i) result = rv_node_check_input(type, i, call->inputs[i], error);
  if (!result && host_cancelled(call, 0, "cook")) result = rv_fail(error, RV_CANCELLED, "interrupted");
  return result;
}

// Ends a cook: hands out one output, or fills `error`, and frees the rest. `out` is NULL where only the parameter
// values were wanted.
static RvResult call_end(Call* call, RvResult result, size_t output, RvDetail** out, RvError* error) {
  if (!result && out && !call->cook.output[output]) result = rv_fail(error, RV_INTERNAL, "the node made no output");
  if (result) {
    rv_fail(error, result, "%s", rv_result_text(result));
  } else if (out) {
    *out = call->cook.output[output];
    call->cook.output[output] = NULL;
  }
  for (int i = 0; i < RV_NODE_MAX_OUTPUTS; ++i) rv_detail_free(call->cook.output[i]);
  rv_state_free(&call->cook.state);
  for (size_t i = 0; i < call->samples.count; ++i) rv_detail_free(call->samples.data[i].detail);
  for (size_t i = 0; i < call->values.count; ++i) rv_parms_free(call->values.data[i]);
  rv_array_free(&call->samples);
  rv_array_free(&call->values);
  rv_free(call->parms);
  return result;
}

//---------------------------------------------------------------------------------------------- nodes

RvResult rv_job_cook(const RvJob* job, size_t output, RvDetail** out, RvError* error) {
  RvError own = {0};
  if (!error) error = &own;
  *out = NULL;
  Call call;
  RvResult result = call_begin(&call, job, job->time.frame, error);
  if (!result) result = call_inputs(&call, error);
  if (!result) result = job->type->cook(&call.cook, error);
  return call_end(&call, result, output, out, error);
}

// The parameter startframe of a solver; 1 without one.
static double start_frame(const RvJob* job, const void* parms) {
  const RvParmDef* row = rv_parm_find(job->type->parms, "startframe");
  if (!row || (row->type != RV_PARM_INT && row->type != RV_PARM_FLOAT)) return 1;
  const char* at = (const char*)parms + row->offset;
  return row->type == RV_PARM_INT ? (double)*(const int64_t*)at : *(const double*)at;
}

// The state of a frame: a step from the state before it, or the start without one.
static RvResult make_state(const RvJob* job, double start, double frame, const RvState* before, RvState* out,
                           RvError* error) {
  Call call;
  RvResult result = call_begin(&call, job, frame, error);
  if (!result) result = call_inputs(&call, error);
  call.cook.start_frame = start;
  call.cook.prev = before;
  call.cook.dt = before ? job->step / job->time.fps : 0;
  if (!result) result = before ? job->type->step(&call.cook, error) : job->type->start(&call.cook, error);
  if (!result && rv_state_empty(&call.cook.state)) result = rv_fail(error, RV_INTERNAL, "the solver made no state");
  if (!result) {
    *out = call.cook.state;
    call.cook.state = (RvState){0};
  }
  return call_end(&call, result, 0, NULL, error);
}

// The start frame at the job's time.
static RvResult find_start(const RvJob* job, double* start, RvError* error) {
  Call call;
  RvResult result = call_begin(&call, job, job->time.frame, error);
  if (!result) *start = start_frame(job, call.parms);
  return call_end(&call, result, 0, NULL, error);
}

// Steps from the state before, if the detail is one, else from the start (rv_job_step).
static RvResult step(const RvJob* job, const RvDetail* before, bool seed, RvState* out, RvError* error) {
  double start = 1;
  double frame = job->time.frame;
  RvResult result = find_start(job, &start, error);
  if (result) return result;
  // A state: one step on from it. A Solver SOP runs its network on the start frame too, with the initial state as the
  // frame before (reference J): up to the start frame the state stays as it is.
  RvState first = {0};
  if (before && rv_detail_find(before, RV_GLOBAL, RV_STATE_VERSION)) {
    result = rv_node_cut_state(job->type, before, &first, error);
    if (!result && frame <= start + FRAME_SLACK) {
      *out = first;
      return RV_OK;
    }
    if (!result) result = make_state(job, start, frame, &first, out, error);
    rv_state_free(&first);
    return result;
  }
  // None, long after the start frame: the host lost it.
  if (!seed && frame > start + job->step + FRAME_SLACK)
    return rv_fail(error, RV_BAD_INPUT,
                   "startframe is %g, and at frame %g there is no state to continue from: reset the simulation, or set "
                   "startframe to its first frame",
                   start, frame);
  // None, around the start frame: the initial state, and one step where the frame is the first after it.
  result = make_state(job, start, start, NULL, &first, error);
  if (!result && !seed && frame > start + FRAME_SLACK) {
    result = make_state(job, start, frame, &first, out, error);
    rv_state_free(&first);
  } else {
    *out = first;
  }
  return result;
}

// The host has one stream of geometry: the state before is cut into its parts, the new one is joined.
RvResult rv_job_step(const RvJob* job, const RvDetail* before, bool seed, RvDetail** out, RvError* error) {
  RvError own = {0};
  if (!error) error = &own;
  *out = NULL;
  RvState state = {0};
  RvResult result = step(job, before, seed, &state, error);
  if (!result) result = rv_node_join_state(&state, out, error);
  rv_state_free(&state);
  return result;
}

RvResult rv_job_split(const RvJob* job, const RvDetail* state, size_t output, RvDetail** out, RvError* error) {
  RvError own = {0};
  if (!error) error = &own;
  *out = NULL;
  RvState parts;
  RvResult result = rv_node_cut_state(job->type, state, &parts, error);
  if (result) return rv_error_context(error, "input 1 is no state of a %s", job->type->type);
  Call call;
  result = call_begin(&call, job, job->time.frame, error);
  if (!result) result = job->type->split(&call.cook, &parts, error);
  char empty[RV_EMPTY_OUTPUT_BYTES];
  if (!result && rv_node_output_is_empty(job->type, output, empty)) rv_cook_warn(&call.cook, "%s", empty);
  rv_state_free(&parts);
  return call_end(&call, result, output, out, error);
}
