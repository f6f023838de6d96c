// A run over frames: it cooks all targets at each frame, writes a checkpoint of every solver and a line of the report.
#include <math.h>
#include <string.h>

#include "base/platform.h"
#include "base/timer.h"
#include "scene/checkpoint.h"
#include "scene/outputs.h"

typedef RV_ARRAY(RvSceneNode*) NodeList;

// The last frame is cooked even if adding up the frames misses it by this much, in frames.
static const double last_frame_slack = 1e-6;

typedef struct Job {
  RvScene* scene;
  const RvRun* run;
  NodeList targets;            // nodes to cook at every frame
  size_t output;               // output of the target that was requested by name
  NodeList solvers;            // upstream of the targets, in topological order
  RV_ARRAY(RvEntry*) entries;  // results of this frame, pinned: targets, then states of the solvers
  double first, last;          // frames to cook
  char* manifest;              // of the targets when the run began; NULL without checkpoints
  RvRunNote progress;          // frames that are done
  int lock;                    // file descriptor of the locked checkpoint folder; -1: none
  RvFrameList bad;             // finished frames with files that are not what was written
} Job;

//------------------------------------------------------------------------------------------------ targets

// Targets are the node requested by name, else all nodes that write, else all nodes without readers.
static RvResult choose_targets(Job* job, RvError* error) {
  RvScene* scene = job->scene;
  // The requested node.
  bool ok = true;
  if (job->run->node) {
    RvWire wire;
    RvResult result = rv_scene_graph_resolve(scene, job->run->node, &wire, error);
    if (result) return result;
    job->output = wire.output;
    ok = rv_array_push(&job->targets, wire.node);
  }
  // All writers.
  for (size_t i = 0; i < scene->nodes.count && ok && !job->run->node; ++i)
    if (scene->nodes.data[i]->type->flags & RV_NODE_WRITES) ok = rv_array_push(&job->targets, scene->nodes.data[i]);
  // Without them all nodes without readers.
  bool writes = job->targets.count > 0;
  for (size_t i = 0; i < scene->nodes.count && ok && !writes; ++i)
    if (!scene->nodes.data[i]->readers) ok = rv_array_push(&job->targets, scene->nodes.data[i]);
  if (!ok) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  return job->targets.count ? RV_OK : rv_fail(error, RV_BAD_INPUT, "the scene has no nodes to cook; add a node");
}

// Lists the solvers upstream of the targets in topological order, so that reports and hashes are reproducible.
static RvResult find_solvers(Job* job, RvError* error) {
  RvScene* scene = job->scene;
  RvSceneNode** order;
  size_t count;
  RvResult result = rv_scene_order_live(scene, job->targets.data, job->targets.count, &order, &count, error);
  for (size_t i = 0; i < count && !result; ++i)
    if ((order[i]->type->flags & RV_NODE_SOLVER) && !rv_array_push(&job->solvers, order[i]))
      result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_free(order);
  return result;
}

//------------------------------------------------------------------------------------------------ first frame

// Gives the solver that the state file names its initial state; the run begins at the frame it stands for or later.
static RvResult start_from_state(Job* job, RvError* error) {
  const RvRun* run = job->run;
  if (!isfinite(run->from_start))
    return rv_fail(error, RV_BAD_INPUT, "the frame of the state '%s' must be a finite number", run->from_state);
  RvResult result = rv_scene_checkpoint_start_from(job->scene, run->from_state, run->from_start, job->solvers.data,
                                                   job->solvers.count, error);
  if (!result) result = rv_scene_order_prepare(job->scene, error);
  if (!result && run->from_start > job->last)
    result = rv_fail(error, RV_BAD_INPUT,
                     "the state '%s' is given for frame %g, but the last frame to cook is %g; cook a later range",
                     run->from_state, run->from_start, job->last);
  if (job->first < run->from_start) job->first = run->from_start;
  return result;
}

// Locks the checkpoint folder and removes temporary files that dead processes left there.
static RvResult open_folder(Job* job, RvError* error) {
  const RvScene* scene = job->scene;
  const char* folder = job->run->checkpoint_dir;
  RvResult result = rv_scene_checkpoint_open(folder, &job->lock, error);
  if (result) return result;
  // The lock of a folder inside $OUT protects all of $OUT, so abandoned files there can be removed as well.
  size_t length = strlen(scene->out);
  if (job->lock < 0)
    rv_scene_message(job->scene, RV_LEVEL_WARNING, "host", job->first,
                     "the folder '%s' cannot be locked; make sure that no other run uses it", folder);
  else if (strncmp(folder, scene->out, length) == 0 && folder[length] == '/')
    rv_scene_checkpoint_sweep(scene->out);
  return RV_OK;
}

// Tells the caller that the run begins.
static RvResult tell_begun(const RvScene* scene, RvError* error) {
  return scene->hooks.begun ? scene->hooks.begun(scene->hooks.user, error) : RV_OK;
}

// Resuming: finds the first frame that is not done, and the finished frames whose files are not what was written.
static RvResult find_done(Job* job, RvError* error) {
  RvScene* scene = job->scene;
  const char* folder = job->run->checkpoint_dir;
  double next, done;
  RvResult result = rv_scene_note_resume(scene, folder, job->manifest, job->targets.data, job->targets.count,
                                         job->first, &next, &done, error);
  if (!result) result = rv_scene_outputs_begin(scene, folder, true, done, error);
  size_t checked = 0;
  if (!result)
    result = rv_scene_outputs_verify(scene, job->targets.data, job->targets.count, job->first,
                                     fmin(next - 1, job->last), &job->bad, &checked, error);
  if (result) return result;
  if (next > job->last && !job->bad.count)
    rv_scene_message(scene, RV_LEVEL_INFO, "host", job->last,
                     "all frames are done already, and their %zu files are what was written; nothing is left to cook",
                     checked);
  job->first = next;
  return RV_OK;
}

// Prepares the run: the initial state, the checkpoint folder, and either resuming or a fresh start.
static RvResult begin(Job* job, RvError* error) {
  RvScene* scene = job->scene;
  const RvRun* run = job->run;
  RvResult result = run->from_state ? start_from_state(job, error) : RV_OK;
  if (result || !run->checkpoint_dir) return result ? result : tell_begun(scene, error);
  result = open_folder(job, error);
  if (result) return result;
  result = rv_scene_manifest_write(scene, job->targets.data, job->targets.count, &job->manifest, error);
  if (result) return result;
  result =
      rv_scene_checkpoint_guard(scene, run->checkpoint_dir, job->solvers.data, job->solvers.count, job->last, error);
  if (!result) result = tell_begun(scene, error);
  if (result || run->resume) return result ? result : find_done(job, error);
  // A fresh start: no frame counts as done, and each solver's first new checkpoint removes those of the former run.
  for (size_t i = 0; i < job->solvers.count; ++i) job->solvers.data[i]->replaces_checkpoints = true;
  rv_scene_note_remove(run->checkpoint_dir);
  return rv_scene_outputs_begin(scene, run->checkpoint_dir, false, 0, error);
}

//------------------------------------------------------------------------------------------------ frames

// Unpins the results of the frame.
static void release(Job* job) {
  for (size_t i = 0; i < job->entries.count; ++i) rv_scene_entry_unpin(&job->scene->cache, job->entries.data[i]);
  job->entries.count = 0;
}

// Keeps a pinned result until the end of the frame; unpins it on failure.
static RvResult keep(Job* job, RvEntry* entry, RvError* error) {
  if (rv_array_push(&job->entries, entry)) return RV_OK;
  rv_scene_entry_unpin(&job->scene->cache, entry);
  return rv_fail(error, RV_NO_MEMORY, "out of memory");
}

// Cooks every target at a frame and pins the states of all solvers.
static RvResult cook_targets(Job* job, double frame, RvError* error) {
  RvResult result = RV_OK;
  for (size_t i = 0; i < job->targets.count && !result; ++i) {
    RvEntry* entry;
    const RvDetail* detail;
    result = rv_scene_cook_node(job->scene, job->targets.data[i], frame, true, &entry, error);
    if (!result) result = keep(job, entry, error);
    if (!result) result = rv_scene_cook_output(job->scene, entry, job->output, &detail, error);
  }
  // Every solver has its state by now; the report needs a pin of each.
  for (size_t i = 0; i < job->solvers.count && !result; ++i) {
    RvEntry* entry;
    result = rv_scene_solve(job->scene, job->solvers.data[i], frame, &entry, error);
    if (!result) result = keep(job, entry, error);
  }
  return result;
}

// Records that all frames up to this one are done.
static RvResult save_note(Job* job, RvError* error) {
  RvRunNote* note = &job->progress;
  RvResult result = rv_scene_manifest_frames(job->scene, job->manifest, job->targets.data, job->targets.count,
                                             note->first, note->done, &note->manifest, error);
  if (!result) result = rv_scene_files_check(job->scene, error);
  if (!result) result = rv_scene_note_save(job->run->checkpoint_dir, note, error);
  rv_free(note->manifest);
  note->manifest = NULL;
  return result;
}

const char* rv_frame_report_json(const RvFrameReport* report) {
  return report->json;
}

// Cooks one frame and reports it; `record`: all frames up to it are done then.
static RvResult run_frame(Job* job, double frame, bool record, RvError* error) {
  RvScene* scene = job->scene;
  double wall = rv_clock_wall();
  double cpu = rv_clock_cpu();
  // Cook. The keys stay those of the beginning of the run: files must not change while it lasts.
  RvResult result = scene->prepared ? RV_OK : rv_scene_order_prepare(scene, error);
  if (!result) result = cook_targets(job, frame, error);
  if (!result) result = rv_scene_files_settle(scene, error);
  // Report.
  RvFrameReport report = {.frame = frame, .seconds = rv_clock_wall() - wall, .cpu_seconds = rv_clock_cpu() - cpu};
  size_t ntarget = job->targets.count;
  if (!result && scene->hooks.frame_done) {
    result = rv_scene_report_write(scene, job->entries.data, ntarget, job->entries.data + ntarget, job->solvers.count,
                                   &report, error);
    if (!result) scene->hooks.frame_done(scene->hooks.user, &report);
  }
  // Record progress after the report: after a crash, a repeated report line does less harm than a missing one. The
  // checksums of the files come first, so that every finished frame has them.
  if (!result) result = rv_scene_outputs_commit(scene, error);
  if (!result && record && job->manifest) {
    job->progress.done = frame;
    result = save_note(job, error);
  }
  rv_scene_report_clear(&report);
  release(job);
  rv_scene_report_begin(scene);
  return result;
}

// Cooks finished frames again whose files are not what was written. Checkpoints are left as they are: the run goes on
// from them.
static RvResult repair(Job* job, RvError* error) {
  RvResult result = RV_OK;
  for (size_t i = 0; i < job->bad.count && !result; ++i) {
    double frame = job->bad.data[i], from;
    bool found, follows = i > 0 && job->bad.data[i - 1] == frame - 1;
    if (!follows)
      result = rv_scene_checkpoint_resume(job->scene, job->run->checkpoint_dir, job->solvers.data, job->solvers.count,
                                          frame, &found, &from, error);
    if (!result && rv_scene_is_cancelled(job->scene, "host", frame, 0, "frame"))
      result = rv_fail(error, RV_CANCELLED, "interrupted before frame %g", frame);
    if (!result) result = run_frame(job, frame, false, error);
  }
  return result;
}

// Repairs the finished frames, then continues after them from the newest checkpoints.
static RvResult resume(Job* job, RvError* error) {
  RvScene* scene = job->scene;
  double next = job->first;
  RvResult result = repair(job, error);
  if (result || next > job->last) return result;
  // Checkpoints to start from.
  bool found;
  double frame;
  result = rv_scene_checkpoint_resume(scene, job->run->checkpoint_dir, job->solvers.data, job->solvers.count, next,
                                      &found, &frame, error);
  if (result) return result;
  if (found)
    rv_scene_message(scene, RV_LEVEL_INFO, "host", next, "resuming with frame %g from the checkpoints of frame %g",
                     next, frame);
  else
    rv_scene_message(scene, RV_LEVEL_INFO, "host", next,
                     "resuming with frame %g without checkpoints; solvers are cooked again from their start frames",
                     next);
  return RV_OK;
}

// Cooks the frames in order until the end, an error or an interruption.
static RvResult run_frames(Job* job, RvError* error) {
  double span = job->last - job->first;
  if (!(span <= RV_SCENE_MAX_FRAMES))
    return rv_fail(error, RV_LIMIT, "a run has at most a million frames, but %g to %g was requested", job->first,
                   job->last);
  RvResult result = RV_OK;
  // Frames are counted from the first, which may be fractional.
  for (double i = 0; i <= span + last_frame_slack && !result; ++i) {
    double frame = job->first + i;
    if (rv_scene_is_cancelled(job->scene, "host", frame, 0, "frame"))
      result = rv_fail(error, RV_CANCELLED, "interrupted before frame %g", frame);
    else
      result = run_frame(job, frame, true, error);
  }
  return result;
}

// Removes the initial states that an earlier run was given.
static void remove_initial_states(RvScene* scene) {
  for (size_t i = 0; i < scene->nodes.count; ++i) {
    RvSceneNode* node = scene->nodes.data[i];
    if (rv_state_empty(&node->initial_state)) continue;
    rv_state_free(&node->initial_state);
    scene->prepared = false;
  }
}

// Releases everything that the run holds; closing the lock's file descriptor releases the lock.
static void job_end(Job* job) {
  release(job);
  rv_array_free(&job->entries);
  rv_array_free(&job->targets);
  rv_array_free(&job->solvers);
  rv_array_free(&job->bad);
  rv_scene_outputs_end(job->scene);
  rv_free(job->manifest);
  if (job->lock >= 0) rv_platform_close(job->lock);
}

RvResult rv_scene_run(RvScene* scene, const RvRun* run, RvError* error) {
  RvError own = {0};
  if (!error) error = &own;
  if (scene->cooking)
    return rv_fail(error, RV_BAD_INPUT, "the scene is cooking already; wait until that call has ended");
  rv_scene_entry_unpin(&scene->cache, scene->lent_entry);
  scene->lent_entry = NULL;
  // Choose the frames.
  bool whole = run->first > run->last;
  Job job = {.scene = scene, .run = run, .lock = -1};
  job.first = whole ? scene->first : run->first;
  job.last = whole ? scene->last : run->last;
  job.progress.first = job.first;
  if (!isfinite(job.first) || !isfinite(job.last))
    return rv_fail(error, RV_BAD_INPUT, "the first and last frame must be finite numbers");
  // Reset what an earlier run left.
  scene->cooking = true;
  rv_scene_report_begin(scene);
  rv_scene_files_watch(scene, true);
  remove_initial_states(scene);
  scene->from_path = run->from_state;
  for (size_t i = 0; i < scene->nodes.count; ++i) scene->nodes.data[i]->replaces_checkpoints = false;
  // Run.
  RvResult result = choose_targets(&job, error);
  if (!result) result = rv_scene_order_prepare(scene, error);
  if (!result) result = find_solvers(&job, error);
  if (!result) result = rv_scene_outputs_check(scene, job.targets.data, job.targets.count, job.first, job.last, error);
  if (!result) result = rv_scene_confine_checkpoints(scene, run->checkpoint_dir, error);
  if (!result) result = begin(&job, error);
  if (!result && run->resume && run->checkpoint_dir) result = resume(&job, error);
  scene->checkpoint_dir = run->checkpoint_dir;
  if (!result) result = run_frames(&job, error);
  scene->checkpoint_dir = NULL;
  scene->from_path = NULL;
  job_end(&job);
  rv_scene_files_watch(scene, false);
  scene->cooking = false;
  return result;
}
