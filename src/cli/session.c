// A scene opened for cook or flipbook: assignments, frames, output folder, messages and the report file.
#include "cli/session.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"

enum { START_SECONDS = 20 };  // in which all threads have started, on a busy machine too

// Hook of the scene: shows progress; true after an interrupt.
static bool on_cancel(void* user, const char* node, double frame, double fraction, const char* stage) {
  RvSession* session = user;
  rv_cli_progress_update(&session->progress, frame, fraction, stage ? stage : node);
  return rv_cli_interrupted();
}

// Copies a message without its digits, to recognise a warning that is repeated on every frame.
static void shape_of(const char* line, char* shape) {
  for (; *line; ++line)
    if (!(*line >= '0' && *line <= '9')) *shape++ = *line;
  *shape = 0;
}

// Prints how often messages were repeated.
static void flush_repeats(RvSession* session) {
  rv_cli_progress_clear(&session->progress);
  for (int i = 0; i < session->nprinted; ++i)
    if (session->printed[i].repeats > 0)
      fprintf(stderr, "  (%d more of: %.72s...)\n", session->printed[i].repeats, session->printed[i].line);
  session->nprinted = 0;
}

// Hook of the scene: prints a message once and counts its repetitions.
static void on_message(void* user, RvLevel level, const char* node, double frame, const char* text) {
  RvSession* session = user;
  if (session->quiet && level != RV_LEVEL_WARNING) return;
  RvPrinted message = {.repeats = 0};
  snprintf(message.line, sizeof message.line, "%s: %s: %s", level == RV_LEVEL_WARNING ? "warning" : "note",
           node ? node : "scene", text);
  shape_of(message.line, message.shape);
  for (int i = 0; i < session->nprinted; ++i)
    if (strcmp(message.shape, session->printed[i].shape) == 0) {
      session->printed[i].repeats++;
      return;
    }
  if (session->nprinted < RV_SESSION_PRINTED) session->printed[session->nprinted++] = message;
  rv_cli_progress_clear(&session->progress);
  fprintf(stderr, "%s (frame %g)\n", message.line, frame);
}

// Hook of the scene: writes the report line of a finished frame.
static void on_frame(void* user, const RvFrameReport* report) {
  RvSession* session = user;
  session->frames_done++;
  if (session->report && (fprintf(session->report, "%s\n", report->json) < 0 || fflush(session->report) != 0))
    session->report_failed = true;
  rv_cli_progress_report(&session->progress, report);
  rv_cli_progress_update(&session->progress, report->frame, 1, NULL);
}

// Frames of this run: those of --frames, or of the scene.
static RvResult choose_frames(RvSession* session, const char* text, RvError* error) {
  rv_scene_frames(session->scene, &session->first, &session->last);
  if (text && strcmp(text, "middle") == 0) {
    session->first = floor((session->first + session->last) / 2);
    session->last = session->first;
    return RV_OK;
  }
  return text ? rv_cli_frames(text, &session->first, &session->last, error) : RV_OK;
}

// Output folder $OUT: --out, or out/<scene name>.
static RvResult choose_out(RvSession* session, const RvSessionOptions* options, RvError* error) {
  if (options->out && !*options->out) return rv_fail(error, RV_BAD_INPUT, "--out needs the name of a folder");
  if (options->out) {
    session->out = rv_strdup(options->out);
  } else {
    const char* slash = strrchr(options->scene, '/');
    const char* name = slash ? slash + 1 : options->scene;
    const char* dot = strrchr(name, '.');
    session->out = rv_strf("out/%.*s", (int)(dot && dot != name ? dot - name : (long)strlen(name)), name);
  }
  if (!session->out) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  return rv_scene_set_out(session->scene, session->out, error);
}

RvResult rv_cli_session_open(RvSession* session, const RvSessionOptions* options, RvError* error) {
  *session = (RvSession){.quiet = options->quiet};
  if (options->threads) rv_threads_set(options->threads);
  // TBB may wait forever for a thread that could not be started; the alarm ends that (last_resort.c).
  alarm(START_SECONDS);
  RvResult result = rv_threads_start(error);
  alarm(0);
  if (!result) result = rv_scene_load(options->scene, &session->scene, error);
  for (size_t i = 0; !result && options->set && i < options->set->count; ++i) {
    result = rv_scene_set(session->scene, options->set->items[i], error);
    if (result) rv_error_context(error, "--set %s", options->set->items[i]);
  }
  if (!result) result = choose_frames(session, options->frames, error);
  if (!result) result = choose_out(session, options, error);
  if (result) {
    rv_cli_session_close(session, NULL);
    return result;
  }
  session->progress = rv_cli_progress_begin(session->first, session->last, options->quiet);
  rv_scene_set_hooks(
      session->scene,
      &(RvSceneHooks){.user = session, .cancelled = on_cancel, .message = on_message, .frame_done = on_frame});
  return RV_OK;
}

// Cuts off an incomplete last line, which a killed run may have left. Returns 0 on success.
static int cut_partial_line(FILE* stream) {
  long end = 0;
  int c;
  rewind(stream);
  while ((c = fgetc(stream)) != EOF)
    if (c == '\n') end = ftell(stream);
  return fflush(stream) != 0 || ftruncate(fileno(stream), end) != 0 || fseek(stream, end, SEEK_SET) != 0;
}

RvResult rv_cli_session_report(RvSession* session, const char* path, bool append, RvError* error) {
  const char* slash = strrchr(path, '/');
  if (slash && slash != path) {
    char* folder = rv_strf("%.*s", (int)(slash - path), path);
    RvResult result = folder ? rv_file_make_folder(folder, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
    rv_free(folder);
    if (result) return rv_error_context(error, "--report %s", path);
  }
  session->report = append && access(path, F_OK) == 0 ? fopen(path, "r+e") : fopen(path, "we");
  if (!session->report || (append && cut_partial_line(session->report)))
    return rv_fail(error, rv_file_reason(errno), "--report: cannot write '%s': %s", path, strerror(errno));
  return RV_OK;
}

RvResult rv_cli_session_close(RvSession* session, RvError* error) {
  RvResult result = RV_OK;
  flush_repeats(session);
  rv_cli_progress_clear(&session->progress);
  if (session->report && (fclose(session->report) != 0 || session->report_failed))
    result = rv_fail(error, RV_IO, "--report: some lines could not be written; the disk may be full");
  rv_scene_free(session->scene);
  rv_free(session->out);
  *session = (RvSession){0};
  return result;
}
