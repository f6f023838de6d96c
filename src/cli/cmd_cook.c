// rivulet cook: cooks a scene over its frames, with checkpoints, a report and a progress line.
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "cli/session.h"

// Options of the command.
typedef struct CookOptions {
  RvSessionOptions session;
  const char* node;          // NULL: all outputs
  const char* report;        // file of JSON lines; NULL: none
  const char *from, *start;  // state to start from, and its frame
  bool resume;               // continue from the checkpoints
} CookOptions;

// Reads the command line.
static RvResult parse(int argc, char** argv, RvTextList* set, RvTextList* words, CookOptions* o, RvError* error) {
  const RvOption options[] = {
      {"--node", RV_OPTION_TEXT, &o->node},
      {"--frames", RV_OPTION_TEXT, &o->session.frames},
      {"--out", RV_OPTION_TEXT, &o->session.out},
      {"--set", RV_OPTION_LIST, set},
      {"--threads", RV_OPTION_INT, &o->session.threads},
      {"--max-memory", RV_OPTION_TEXT, &o->session.max_memory},
      {"--report", RV_OPTION_TEXT, &o->report},
      {"--resume", RV_OPTION_FLAG, &o->resume},
      {"--from", RV_OPTION_TEXT, &o->from},
      {"--start", RV_OPTION_TEXT, &o->start},
      {"--confine", RV_OPTION_TEXT, &o->session.confine},
      {"--preview", RV_OPTION_TEXT, &o->session.preview},
      {"--progress", RV_OPTION_FLAG, &o->session.progress},
      {"--quiet", RV_OPTION_FLAG, &o->session.quiet},
  };
  RvResult result = rv_cli_options(argc, argv, options, sizeof options / sizeof *options, words, error);
  if (result) return result;
  if (words->count != 1) return rv_fail(error, RV_BAD_INPUT, "cook takes one scene; it was given %zu", words->count);
  if (!o->from != !o->start)
    return rv_fail(error, RV_BAD_INPUT, "--from STATE and --start N go together: a state, and the frame of that state");
  o->session.scene = words->items[0];
  o->session.set = set;
  return RV_OK;
}

// Cooks the frames of an open session.
static RvResult run(RvSession* session, const CookOptions* o, RvError* error) {
  RvRun run = {
      .node = o->node, .first = session->first, .last = session->last, .resume = o->resume, .from_state = o->from};
  double unused;
  RvResult result = o->start ? rv_cli_frames(o->start, &run.from_start, &unused, error) : RV_OK;
  if (!result && o->report) rv_cli_session_report(session, o->report, o->resume);
  if (result) return result;
  char* checkpoints = rv_strf("%s/checkpoints", session->out);
  if (!checkpoints) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  run.checkpoint_dir = checkpoints;
  result = rv_scene_run(session->scene, &run, error);
  rv_free(checkpoints);
  return result;
}

// Prints what was done.
static void print_done(int frames, double seconds, const char* out) {
  fprintf(stderr, "cooked %d frame%s in %.1f s into ", frames, frames == 1 ? "" : "s", seconds);
  rv_cli_put(stderr, out);
  fputc('\n', stderr);
}

int rv_cli_cook(int argc, char** argv) {
  // Read the options, open the scene and cook.
  RvError error = {0};
  CookOptions options = {0};
  RvTextList set = {rv_alloc((size_t)argc + 1, sizeof(char*)), 0},
             words = {rv_alloc((size_t)argc + 1, sizeof(char*)), 0};
  RvSession session = {0};
  double begun = rv_clock_wall();
  RvResult result = set.items && words.items ? parse(argc, argv, &set, &words, &options, &error)
                                             : rv_fail(&error, RV_NO_MEMORY, "out of memory");
  if (!result) result = rv_cli_session_open(&session, &options.session, &error);
  if (!result) result = run(&session, &options, &error);
  // Report the outcome; a failure without a text must not look like success.
  if (result && !error.code) rv_fail(&error, result, "%s", rv_result_text(result));
  rv_cli_progress_clear(&session.progress);
  int frames = session.frames_done;
  char out[512] = "";
  if (session.out) snprintf(out, sizeof out, "%s", session.out);
  rv_cli_session_close(&session, &error);
  if (error.code == RV_CANCELLED && !options.session.quiet)
    fprintf(stderr, "rivulet: interrupted after %d frame%s; continue with --resume\n", frames, frames == 1 ? "" : "s");
  else if (error.code == RV_OK && !options.session.quiet)
    print_done(frames, rv_clock_wall() - begun, out);
  rv_free(set.items);
  rv_free(words.items);
  return error.code == RV_CANCELLED ? rv_result_exit_code(RV_CANCELLED) : rv_cli_error(&error);
}
