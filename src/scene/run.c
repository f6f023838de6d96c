// A run over frames: all targets at each, a checkpoint of every solver, a line of the report.
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/timer.h"
#include "scene/checkpoint.h"

typedef RV_ARRAY(RvSceneNode*) NodeList;

typedef struct Job {
  RvScene* scene;
  const RvRun* run;
  NodeList targets;
  size_t output;     // of the one target that was asked for by name
  NodeList solvers;  // upstream of the targets
  RV_ARRAY(RvEntry*) entries;
  double first, last;
  char* manifest;  // of the targets, when the run began
  RvRunNote progress;
  int lock;
} Job;

//------------------------------------------------------------------------------------------------ what to cook

static RvResult choose_targets(Job* job, RvError* error) {
  RvScene* scene = job->scene;
  bool ok = true;
  if (job->run->node) {
    RvWire wire;
    RvResult result = rv_scene_graph_resolve(scene, job->run->node, &wire, error);
    if (result) return result;
    job->output = wire.output;
    ok = rv_array_push(&job->targets, wire.node);
  }
  for (size_t i = 0; i < scene->nodes.count && ok && !job->run->node; ++i)
    if (scene->nodes.data[i]->type->flags & RV_NODE_WRITES) ok = rv_array_push(&job->targets, scene->nodes.data[i]);
  bool writes = job->targets.count > 0;
  for (size_t i = 0; i < scene->nodes.count && ok && !writes; ++i)
    if (!scene->nodes.data[i]->readers) ok = rv_array_push(&job->targets, scene->nodes.data[i]);
  if (!ok) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  return job->targets.count ? RV_OK : rv_fail(error, RV_BAD_INPUT, "the scene has no nodes to cook");
}

// in the order of the data, so that reports and hashes are the same every time
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

//------------------------------------------------------------------------------------------------ where to begin

// after the last frame whose files are all there, from the newest states at or before that
static RvResult resume(Job* job, RvError* error) {
  RvScene* scene = job->scene;
  const char* folder = job->run->checkpoint_dir;
  double next;
  RvResult result = rv_scene_note_resume(scene, folder, job->manifest, job->targets.data, job->targets.count,
                                         job->first, &next, error);
  if (result) return result;
  bool found;
  double frame;
  result =
      rv_scene_checkpoint_resume(scene, folder, job->solvers.data, job->solvers.count, next, &found, &frame, error);
  if (result) return result;
  if (next > job->last)
    rv_scene_message(scene, RV_LEVEL_INFO, "host", job->last, "all frames are there already");
  else if (found)
    rv_scene_message(scene, RV_LEVEL_INFO, "host", next, "going on with frame %g from the states of frame %g", next,
                     frame);
  else
    rv_scene_message(scene, RV_LEVEL_INFO, "host", next, "going on with frame %g; there are no states to go on from",
                     next);
  job->first = next;
  return RV_OK;
}

static RvResult begin(Job* job, RvError* error) {
  RvScene* scene = job->scene;
  const RvRun* run = job->run;
  RvResult result = RV_OK;
  if (run->from_state) {
    if (!isfinite(run->from_start)) return rv_fail(error, RV_BAD_INPUT, "the frame of the state must be a number");
    result = rv_scene_checkpoint_start_from(scene, run->from_state, run->from_start, job->solvers.data,
                                            job->solvers.count, error);
    if (!result) result = rv_scene_order_prepare(scene, error);
    if (!result && run->from_start > job->last)
      result = rv_fail(error, RV_BAD_INPUT, "the state stands for frame %g, but the last frame to cook is %g",
                       run->from_start, job->last);
    if (job->first < run->from_start) job->first = run->from_start;
  }
  if (result || !run->checkpoint_dir) return result;
  result = rv_scene_checkpoint_open(run->checkpoint_dir, &job->lock, error);
  if (result) return result;
  // the lock of a folder in $OUT holds for all of it
  size_t length = strlen(scene->out);
  if (job->lock < 0)
    rv_scene_message(scene, RV_LEVEL_WARNING, "host", job->first,
                     "the folder '%s' cannot be locked: see to it that no other run uses it", run->checkpoint_dir);
  else if (strncmp(run->checkpoint_dir, scene->out, length) == 0 && run->checkpoint_dir[length] == '/')
    rv_scene_checkpoint_sweep(scene->out);
  result = rv_scene_manifest_write(scene, job->targets.data, job->targets.count, &job->manifest, error);
  if (result) return result;
  result =
      rv_scene_checkpoint_guard(scene, run->checkpoint_dir, job->solvers.data, job->solvers.count, job->last, error);
  if (result || run->resume) return result ? result : resume(job, error);
  // the states of the former run go when this one has its first; no frame counts as done from now on
  for (size_t i = 0; i < job->solvers.count; ++i) job->solvers.data[i]->begins_anew = true;
  rv_scene_note_remove(run->checkpoint_dir);
  return RV_OK;
}

//------------------------------------------------------------------------------------------------ frames

static void release(Job* job) {
  for (size_t i = 0; i < job->entries.count; ++i) rv_scene_entry_unpin(&job->scene->cache, job->entries.data[i]);
  job->entries.count = 0;
}

static RvResult keep(Job* job, RvEntry* entry, RvError* error) {
  if (rv_array_push(&job->entries, entry)) return RV_OK;
  rv_scene_entry_unpin(&job->scene->cache, entry);
  return rv_fail(error, RV_NO_MEMORY, "out of memory");
}

static RvResult cook_targets(Job* job, double frame, RvError* error) {
  RvResult result = RV_OK;
  for (size_t i = 0; i < job->targets.count && !result; ++i) {
    RvEntry* entry;
    const RvDetail* detail;
    result = rv_scene_cook_node(job->scene, job->targets.data[i], frame, true, &entry, error);
    if (!result) result = keep(job, entry, error);
    if (!result) result = rv_scene_cook_output(job->scene, entry, job->output, &detail, error);
  }
  // every solver has its state by now; a pin of each for the report
  for (size_t i = 0; i < job->solvers.count && !result; ++i) {
    RvEntry* entry;
    result = rv_scene_solve(job->scene, job->solvers.data[i], frame, &entry, error);
    if (!result) result = keep(job, entry, error);
  }
  return result;
}

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

static RvResult run_frame(Job* job, double frame, RvError* error) {
  RvScene* scene = job->scene;
  double wall = rv_clock_wall(), cpu = rv_clock_cpu();
  job->progress.done = frame;
  // what was found out about files when the run began holds to its end
  RvResult result = scene->prepared ? RV_OK : rv_scene_order_prepare(scene, error);
  if (!result) result = cook_targets(job, frame, error);
  if (!result) result = rv_scene_files_settle(scene, error);
  RvFrameReport report = {.frame = frame, .seconds = rv_clock_wall() - wall, .cpu_seconds = rv_clock_cpu() - cpu};
  size_t ntarget = job->targets.count;
  if (!result && scene->hooks.frame_done) {
    result = rv_scene_report_write(scene, job->entries.data, ntarget, job->entries.data + ntarget, job->solvers.count,
                                   &report, error);
    if (!result) scene->hooks.frame_done(scene->hooks.user, &report);
  }
  // after the report: a line that comes twice does less harm than one that is missing
  if (!result && job->manifest) result = save_note(job, error);
  rv_scene_report_clear(&report);
  release(job);
  rv_scene_report_begin(scene);
  return result;
}

static RvResult run_frames(Job* job, RvError* error) {
  double span = job->last - job->first;
  if (!(span <= RV_SCENE_MAX_FRAMES)) return rv_fail(error, RV_LIMIT, "a run has at most a million frames");
  RvResult result = RV_OK;
  for (double i = 0; i <= span + 1e-6 && !result; ++i) {
    double frame = job->first + i;
    if (rv_scene_is_cancelled(job->scene, "host", frame, 0, "frame"))
      result = rv_fail(error, RV_CANCELLED, "interrupted before frame %g", frame);
    else
      result = run_frame(job, frame, error);
  }
  return result;
}

// a state that an earlier run was started from is not this one's
static void forget_states(RvScene* scene) {
  for (size_t i = 0; i < scene->nodes.count; ++i) {
    RvSceneNode* node = scene->nodes.data[i];
    if (!node->from) continue;
    rv_detail_free(node->from);
    node->from = NULL;
    scene->prepared = false;
  }
}

static void job_end(Job* job) {
  release(job);
  rv_array_free(&job->entries);
  rv_array_free(&job->targets);
  rv_array_free(&job->solvers);
  rv_free(job->manifest);
  if (job->lock >= 0) close(job->lock);
}

RvResult rv_scene_run(RvScene* scene, const RvRun* run, RvError* error) {
  RvError own = {0};
  if (!error) error = &own;
  if (scene->cooking)
    return rv_fail(error, RV_BAD_INPUT, "the scene is cooking already; wait until that call has ended");
  rv_scene_entry_unpin(&scene->cache, scene->held);
  scene->held = NULL;
  bool whole = run->first > run->last;
  Job job = {.scene = scene, .run = run, .lock = -1};
  job.first = whole ? scene->first : run->first;
  job.last = whole ? scene->last : run->last;
  job.progress.first = job.first;
  if (!isfinite(job.first) || !isfinite(job.last)) return rv_fail(error, RV_BAD_INPUT, "the frames must be numbers");
  scene->cooking = true;
  rv_scene_report_begin(scene);
  rv_scene_files_watch(scene, true);
  forget_states(scene);
  scene->from_path = run->from_state;
  for (size_t i = 0; i < scene->nodes.count; ++i) scene->nodes.data[i]->begins_anew = false;
  RvResult result = choose_targets(&job, error);
  if (!result) result = rv_scene_order_prepare(scene, error);
  if (!result) result = find_solvers(&job, error);
  if (!result) result = begin(&job, error);
  scene->checkpoint_dir = run->checkpoint_dir;
  if (!result) result = run_frames(&job, error);
  scene->checkpoint_dir = scene->from_path = NULL;
  job_end(&job);
  rv_scene_files_watch(scene, false);
  scene->cooking = false;
  return result;
}
