// rivulet wedge: cooks variations of a scene side by side and makes a contact sheet of them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/wedge.h"

// Options of the command.
typedef struct WedgeOptions {
  const char *out, *frames, *picture, *size, *confine, *simulation;
  const char* task;   // number of one variation to run in this process
  int jobs, threads;  // variations at once; threads of each
  bool slurm;         // submit to Slurm instead of running here
  bool failed;        // run only what is not done
  bool sheet;         // make only the contact sheet
  bool cached;        // vary the look of one simulation
  bool quiet;
} WedgeOptions;

// Reads the command line.
static RvResult parse(int argc, char** argv, RvTextList* vary, RvTextList* words, WedgeOptions* o, RvError* error) {
  const RvOption options[] = {
      {"--vary", RV_OPTION_LIST, vary},
      {"--out", RV_OPTION_TEXT, &o->out},
      {"--frames", RV_OPTION_TEXT, &o->frames},
      {"--picture", RV_OPTION_TEXT, &o->picture},
      {"--size", RV_OPTION_TEXT, &o->size},
      {"--jobs", RV_OPTION_INT, &o->jobs},
      {"--slurm", RV_OPTION_FLAG, &o->slurm},
      {"--failed", RV_OPTION_FLAG, &o->failed},
      {"--task", RV_OPTION_TEXT, &o->task},
      {"--threads", RV_OPTION_INT, &o->threads},
      {"--sheet", RV_OPTION_FLAG, &o->sheet},
      {"--quiet", RV_OPTION_FLAG, &o->quiet},
      {"--confine", RV_OPTION_TEXT, &o->confine},
      {"--cached", RV_OPTION_FLAG, &o->cached},
      {"--simulation", RV_OPTION_TEXT, &o->simulation},
  };
  RvResult result = rv_cli_options(argc, argv, options, sizeof options / sizeof *options, words, error);
  if (result) return result;
  if (words->count != 1)
    return rv_fail(error, RV_BAD_INPUT, "wedge takes one scene, or the folder of an earlier wedge; it was given %zu",
                   words->count);
  if (!vary->count && !o->failed && !o->task && !o->sheet)
    return rv_fail(error, RV_BAD_INPUT,
                   "give --vary NODE.PARM=a,b,c and --out DIR, or a folder and --failed or --sheet");
  if (vary->count && !o->out) return rv_fail(error, RV_BAD_INPUT, "--vary needs --out DIR");
  if (!vary->count && o->cached)
    return rv_fail(error, RV_BAD_INPUT, "--cached goes with --vary; the folder of a wedge keeps it for its tasks");
  if (o->simulation && !o->cached)
    return rv_fail(error, RV_BAD_INPUT, "--simulation goes with --cached: it is the folder whose look varies");
  if (o->cached && o->picture && strcmp(o->picture, "none") == 0)
    return rv_fail(error, RV_BAD_INPUT, "--cached varies the look: with --picture none there is nothing to make");
  if (!vary->count && o->confine)
    return rv_fail(error, RV_BAD_INPUT, "--confine goes with --vary; the folder of a wedge keeps it for its tasks");
  return RV_OK;
}

// Sets the frame of the pictures to the last of the range.
static RvResult last_frame(RvWedge* w, RvError* error) {
  double first = 0, last = 0;
  RvScene* scene = NULL;
  RvResult result = w->frames ? rv_cli_frames(w->frames, &first, &last, error) : RV_OK;
  if (!result && !w->frames) result = rv_scene_load(w->scene, &scene, error);
  if (!result && scene) rv_scene_frames(scene, &first, &last);
  rv_scene_free(scene);
  if (!result) w->picture = rv_strf("%g", last);
  if (!result && !w->picture) result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  return result;
}

// Keeps a copy of an option that was given.
static RvResult keep(const char* text, char** copy, RvError* error) {
  *copy = text ? rv_strdup(text) : NULL;
  return text && !*copy ? rv_fail(error, RV_NO_MEMORY, "out of memory") : RV_OK;
}

// The folder of the one simulation: --simulation, or DIR/simulation.
static RvResult choose_simulation(RvWedge* w, const WedgeOptions* o, RvError* error) {
  char* folder = o->simulation ? rv_strdup(o->simulation) : rv_strf("%s/simulation", w->dir);
  RvResult result = folder ? rv_file_make_folder(folder, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  // Absolute, because a task may run in another folder.
  if (!result) result = rv_file_resolve(folder, true, &w->simulation, error);
  rv_free(folder);
  return result;
}

// Plans a new wedge and saves it; one with the same key that the folder holds already is resumed.
static RvResult begin(RvWedge* w, const char* scene, const RvTextList* vary, WedgeOptions* o, RvError* error) {
  RvResult result = rv_cli_wedge_plan(w, scene, o->out, vary, o->confine, error);
  bool pictures = !o->picture || strcmp(o->picture, "none") != 0;
  if (!result) result = keep(o->frames, &w->frames, error);
  if (!result) result = keep(o->size, &w->size, error);
  if (!result && pictures) result = keep(o->picture, &w->picture, error);
  if (!result && !o->picture) result = last_frame(w, error);
  if (!result && o->cached) result = rv_cli_wedge_check_look(w, error);
  if (!result && o->cached) result = choose_simulation(w, o, error);
  bool resumed = false;
  if (!result) result = rv_cli_wedge_claim(w, &resumed, error);
  if (!result) result = rv_cli_wedge_save(w, error);
  if (!result && resumed) {
    o->failed = true;
    if (!o->quiet) fprintf(stderr, "note: the folder holds this wedge: only what is not done runs\n");
  }
  return result;
}

// Runs the variations and makes the contact sheet.
static RvResult run(RvWedge* w, const WedgeOptions* o, RvError* error) {
  bool* todo = rv_alloc_zero(w->count, sizeof *todo);
  size_t remaining = 0;
  RvWedgeFailures failures = {0};
  RvResult result = todo ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < w->count && !result; ++i) {
    bool done = false;
    if (o->failed) result = rv_cli_wedge_is_done(w, i, &done, error);
    todo[i] = !done;
    remaining += todo[i];
  }
  if (!result && remaining && w->simulation) result = rv_cli_wedge_simulate(w, error);
  if (!result && remaining)
    result = o->slurm ? rv_cli_wedge_slurm(w, todo, error) : rv_cli_wedge_local(w, todo, o->jobs, &failures, error);
  rv_free(todo);
  if (result || o->slurm) return result;
  if (w->picture) result = rv_cli_wedge_sheet(w, error);
  if (!result && !o->quiet && w->picture)
    fprintf(stderr, "%zu variations, %zu failed: %s/sheet.png\n", w->count, failures.count, w->dir);
  if (!result && failures.count)
    result =
        rv_fail(error, failures.internal ? RV_INTERNAL : RV_BAD_INPUT,
                "%zu of %zu variations failed; see log.txt in their folders. To repeat them: rivulet wedge %s --failed",
                failures.count, w->count, w->dir);
  return result;
}

// Runs one variation in this process.
static RvResult one_task(const RvWedge* w, const WedgeOptions* o, RvError* error) {
  char* end;
  unsigned long index = strtoul(o->task, &end, 10);
  if (end == o->task || *end) return rv_fail(error, RV_BAD_INPUT, "--task takes a number, not '%s'", o->task);
  return rv_cli_wedge_task(w, index, o->threads, error);
}

int rv_cli_wedge(int argc, char** argv) {
  RvError error = {0};
  WedgeOptions o = {0};
  RvTextList vary = {rv_alloc((size_t)argc + 1, sizeof(char*)), 0},
             words = {rv_alloc((size_t)argc + 1, sizeof(char*)), 0};
  RvWedge w = {0};
  RvResult result = vary.items && words.items ? parse(argc, argv, &vary, &words, &o, &error)
                                              : rv_fail(&error, RV_NO_MEMORY, "out of memory");
  if (!result)
    result = vary.count ? begin(&w, words.items[0], &vary, &o, &error) : rv_cli_wedge_load(&w, words.items[0], &error);
  if (!result) {
    if (o.task)
      result = one_task(&w, &o, &error);
    else if (o.sheet)
      result = rv_cli_wedge_sheet(&w, &error);
    else
      result = run(&w, &o, &error);
  }
  rv_cli_wedge_free(&w);
  rv_free(vary.items);
  rv_free(words.items);
  return error.code == RV_CANCELLED ? rv_result_exit_code(RV_CANCELLED) : rv_cli_error(&error);
}
