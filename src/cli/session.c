// A scene opened for cook or flipbook: assignments, frames, output folder, messages and the report file.
#include "cli/session.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/platform.h"
#include "scene/preview.h"

// Hook of the scene: shows progress; true after an interrupt.
static bool on_cancel(void* user, const char* node, double frame, double fraction, const char* stage) {
  RvSession* session = user;
  rv_cli_progress_update(&session->progress, frame, fraction, stage ? stage : node);
  return rv_cli_interrupted();
}

// Hook of the scene: prints the first message of a kind and counts the others.
static void on_message(void* user, RvLevel level, const char* node, double frame, const char* text) {
  RvSession* session = user;
  if (session->quiet && level != RV_LEVEL_WARNING) return;
  rv_cli_messages_show(&session->messages, &session->progress, level, node, frame, text);
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

//---------------------------------------------------------------------------------------------- report

// Cuts off an incomplete last line, which a killed run may have left. Returns 0 on success.
static int cut_partial_line(FILE* stream) {
  long end = 0;
  int c;
  rewind(stream);
  while ((c = fgetc(stream)) != EOF)
    if (c == '\n') end = ftell(stream);
  return fflush(stream) != 0 || !rv_platform_cut(rv_platform_descriptor(stream), (uint64_t)end) ||
         fseek(stream, end, SEEK_SET) != 0;
}

// Begins every line of a report.
static const char report_start[] = "{\"frame\": ";

// Refuses to write over a file that is no report: it may be a scene. A killed run may have cut the first line.
static RvResult check_former(const RvSession* session, int fd, const RvFileInfo* info, RvError* error) {
  RvFileInfo scene;
  if (rv_platform_info(session->scene_path, &scene) && rv_platform_same_file(&scene, info))
    return rv_fail(error, RV_BAD_INPUT, "--report: '%s' is the scene itself; choose another name",
                   session->report_path);
  char head[sizeof report_start - 1];
  ptrdiff_t got = rv_platform_read_at(fd, head, sizeof head, 0);
  if (got >= 0 && memcmp(head, report_start, (size_t)got) == 0) return RV_OK;
  return rv_fail(error, RV_BAD_INPUT,
                 "--report: '%s' exists and is no report of a run; remove it, or choose another name",
                 session->report_path);
}

// Opens the file without changing it; one that does not exist is made. -1: errno says why.
static int open_unchanged(const char* path, bool* regular) {
  RvFileInfo info;
  *regular = !rv_platform_info(path, &info) || info.kind == RV_FILE_REGULAR;
  // A pipe or a terminal has no lines to keep.
  if (!*regular) return rv_platform_open(path, RV_OPEN_WRITE);
  const int change = RV_OPEN_READ | RV_OPEN_WRITE;
  int fd = rv_platform_open(path, change);
  // A link that leads nowhere is not followed.
  return fd < 0 && errno == ENOENT ? rv_platform_open(path, change | RV_OPEN_NEW | RV_OPEN_NO_LINK) : fd;
}

// Locks the report and checks what is in it, before anything is changed.
static RvResult take_report(const RvSession* session, int fd, RvError* error) {
  RvFileInfo info;
  if (!rv_platform_open_info(fd, &info))
    return rv_fail(error, rv_file_reason(errno), "--report: cannot write '%s': %s", session->report_path,
                   strerror(errno));
  if (rv_platform_lock(fd) == RV_LOCK_TAKEN)
    return rv_fail(error, RV_BAD_INPUT, "--report: another run writes '%s'; wait for it, or choose another name",
                   session->report_path);
  return info.bytes > 0 ? check_former(session, fd, &info, error) : RV_OK;
}

// Makes the folder of the report.
static RvResult make_report_folder(const char* path, RvError* error) {
  const char* slash = strrchr(path, '/');
  if (!slash || slash == path) return RV_OK;
  char* folder = rv_strf("%.*s", (int)(slash - path), path);
  RvResult result = folder ? rv_file_make_folder(folder, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_free(folder);
  return result ? rv_error_context(error, "--report %s", path) : RV_OK;
}

// Hook of the scene: opens the report, now that no other run uses the output folder.
static RvResult on_begun(void* user, RvError* error) {
  RvSession* session = user;
  const char* path = session->report_path;
  if (!path) return RV_OK;
  RvResult result = make_report_folder(path, error);
  if (result) return result;
  bool regular;
  int fd = open_unchanged(path, &regular);
  if (fd < 0) return rv_fail(error, rv_file_reason(errno), "--report: cannot write '%s': %s", path, strerror(errno));
  if (regular) result = take_report(session, fd, error);
  if (!result && regular && !session->report_append && !rv_platform_cut(fd, 0))
    result = rv_fail(error, rv_file_reason(errno), "--report: cannot write '%s': %s", path, strerror(errno));
  if (!result) session->report = rv_platform_stream(fd, regular ? "r+" : "w");
  if (!session->report) {
    rv_platform_close(fd);
    return result ? result : rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  if (regular && cut_partial_line(session->report))
    return rv_fail(error, rv_file_reason(errno), "--report: cannot write '%s': %s", path, strerror(errno));
  return RV_OK;
}

void rv_cli_session_report(RvSession* session, const char* path, bool append) {
  session->report_path = path;
  session->report_append = append;
}

// True if the file that was written is no longer the one of the report's name.
static bool report_is_gone(const RvSession* session) {
  RvFileInfo ours, there;
  if (!rv_platform_open_info(rv_platform_descriptor(session->report), &ours)) return false;
  if (ours.kind != RV_FILE_REGULAR) return false;
  return !rv_platform_info(session->report_path, &there) || !rv_platform_same_file(&ours, &there);
}

// Closes the report; lines that were lost make the run fail.
static RvResult close_report(RvSession* session, RvError* error) {
  if (!session->report) return RV_OK;
  bool gone = report_is_gone(session);
  if (fclose(session->report) != 0 || session->report_failed)
    return rv_fail(error, RV_IO, "--report: some lines could not be written; the disk may be full");
  if (gone) return rv_fail(error, RV_IO, "--report: '%s' was removed or replaced during the run", session->report_path);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- session

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

// Makes the scene coarser by the factor of --preview.
static RvResult take_preview(RvSession* session, const char* text, RvError* error) {
  char* end;
  double factor = strtod(text, &end);
  if (end == text || *end) return rv_fail(error, RV_BAD_INPUT, "--preview takes a factor such as 4, not '%s'", text);
  return rv_scene_preview(session->scene, factor, error);
}

RvResult rv_cli_session_open(RvSession* session, const RvSessionOptions* options, RvError* error) {
  *session = (RvSession){.quiet = options->quiet, .scene_path = options->scene};
  if (options->threads) rv_threads_set(options->threads);
  RvResult result = rv_cli_memory_limit(options->max_memory, error);
  if (!result) result = rv_cli_threads_start(error);
  if (!result) result = rv_scene_load(options->scene, &session->scene, error);
  for (size_t i = 0; !result && options->set && i < options->set->count; ++i) {
    result = rv_scene_set(session->scene, options->set->items[i], error);
    if (result) rv_error_context(error, "--set %s", options->set->items[i]);
  }
  if (!result && options->confine) {
    result = rv_scene_confine(session->scene, options->confine, error);
    if (result) rv_error_context(error, "--confine");
  }
  if (!result) result = choose_frames(session, options->frames, error);
  if (!result) result = choose_out(session, options, error);
  if (result) {
    rv_cli_session_close(session, NULL);
    return result;
  }
  session->progress = rv_cli_progress_begin(session->first, session->last, options->quiet, options->progress);
  rv_scene_set_hooks(
      session->scene,
      &(RvSceneHooks){
          .user = session, .cancelled = on_cancel, .message = on_message, .frame_done = on_frame, .begun = on_begun});
  // The messages of the preview need the hooks.
  if (options->preview) result = take_preview(session, options->preview, error);
  if (result) rv_cli_session_close(session, NULL);
  return result;
}

RvResult rv_cli_session_close(RvSession* session, RvError* error) {
  rv_cli_progress_clear(&session->progress);
  rv_cli_messages_flush(&session->messages);
  RvResult result = close_report(session, error);
  rv_scene_free(session->scene);
  rv_free(session->out);
  *session = (RvSession){0};
  return result;
}
