// Runs the variations of a wedge as processes of this machine, or as jobs of Slurm.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/platform.h"
#include "cli/wedge.h"

//---------------------------------------------------------------------------------------------- one task

// Command line of a command that is called in this process; owns its words.
typedef struct Words {
  char* items[2 * RV_WEDGE_MAX_AXES + 24];  // two words per --set, and the other options
  int count;
  bool failed;  // out of memory
} Words;

// Appends a word and takes ownership of it.
static void add(Words* words, char* text) {
  words->failed |= !text;
  words->items[words->count++] = text;
}

// Appends a copy of a word.
static void add_copy(Words* words, const char* text) {
  add(words, rv_strf("%s", text));
}

static void clear(Words* words) {
  for (int i = 0; i < words->count; ++i) rv_free(words->items[i]);
  *words = (Words){0};
}

// Appends --set NODE.PARM=VALUE for each varied parameter.
static void add_values(const RvWedge* w, size_t index, Words* words) {
  for (size_t axis = 0; axis < w->naxis; ++axis) {
    add_copy(words, "--set");
    add(words, rv_cli_wedge_assignment(w, index, axis));
  }
}

// Appends an option and its value, if there is one.
static void add_option(Words* words, const char* name, const char* value) {
  if (!value) return;
  add_copy(words, name);
  add_copy(words, value);
}

// Runs a command in this process and frees its words; returns the exit code.
static int call(Words* words, int (*command)(int argc, char** argv)) {
  RvError error = {0};
  if (words->failed) rv_fail(&error, RV_NO_MEMORY, "out of memory");
  int code = words->failed ? rv_cli_error(&error) : command(words->count, words->items);
  clear(words);
  return code;
}

// An internal error, or lack of memory, keeps its exit code.
static RvResult failure_of(int code) {
  return code == rv_result_exit_code(RV_INTERNAL) ? RV_INTERNAL : RV_BAD_INPUT;
}

// Appends the options that cook and flipbook share.
static void add_common(const RvWedge* w, int threads, Words* words) {
  add_copy(words, "--quiet");
  add_option(words, "--confine", w->confine);
  if (threads < 1) return;
  add_copy(words, "--threads");
  add(words, rv_strf("%d", threads));
}

// Cooks a variation; returns the exit code.
static int cook(const RvWedge* w, size_t index, int threads) {
  Words words = {0};
  add_copy(&words, w->scene);
  add_values(w, index, &words);
  add_copy(&words, "--out");
  add(&words, rv_strf("%s/w%04zu", w->dir, index));
  add_copy(&words, "--report");
  add(&words, rv_cli_wedge_path(w, index, "report.jsonl"));
  add_option(&words, "--frames", w->frames);
  add_common(w, threads, &words);
  return call(&words, rv_cli_cook);
}

RvResult rv_cli_wedge_simulate(const RvWedge* w, RvError* error) {
  Words words = {0};
  add_copy(&words, w->scene);
  add_option(&words, "--out", w->simulation);
  // Frames that are there are not cooked again; those of other values are refused.
  add_copy(&words, "--resume");
  add_option(&words, "--frames", w->frames);
  add_common(w, 0, &words);
  int code = call(&words, rv_cli_cook);
  if (code == rv_result_exit_code(RV_CANCELLED)) return rv_fail(error, RV_CANCELLED, "interrupted");
  return code ? rv_fail(error, failure_of(code), "the simulation whose look should vary failed (in %s)", w->simulation)
              : RV_OK;
}

// Draws the picture of a variation; returns the exit code.
static int draw(const RvWedge* w, size_t index, int threads) {
  Words words = {0};
  add_copy(&words, w->scene);
  add_values(w, index, &words);
  add_copy(&words, "--cached");
  add_copy(&words, "--out");
  add(&words, w->simulation ? rv_strdup(w->simulation) : rv_strf("%s/w%04zu", w->dir, index));
  add_option(&words, "--size", w->size ? w->size : "480x270");
  add_option(&words, "--frames", w->picture);
  add_common(w, threads, &words);
  add_copy(&words, "-o");
  add(&words, rv_cli_wedge_path(w, index, "still.png"));
  return call(&words, rv_cli_flipbook);
}

RvResult rv_cli_wedge_task(const RvWedge* w, size_t index, int threads, RvError* error) {
  if (index >= w->count)
    return rv_fail(error, RV_BAD_INPUT, "there is no variation %zu; this wedge has %zu", index, w->count);
  char* mark = rv_cli_wedge_path(w, index, "done");
  char* still = rv_cli_wedge_path(w, index, "still.png");
  RvResult result = mark && still ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) {
    rv_platform_remove(mark);
    rv_platform_remove(still);
  }
  int code = result || w->simulation ? 0 : cook(w, index, threads);
  if (!result && !code && w->picture) code = draw(w, index, threads);
  if (!result && code == rv_result_exit_code(RV_CANCELLED)) result = rv_fail(error, RV_CANCELLED, "interrupted");
  if (!result && code) result = rv_fail(error, failure_of(code), "variation %zu failed; see its log.txt", index);
  if (!result) result = rv_file_write(mark, "done\n", 5, error);
  rv_free(mark);
  rv_free(still);
  return result;
}

//---------------------------------------------------------------------------------------------- processes

// Path of this program; the caller frees it.
static RvResult own_program(char** program, RvError* error) {
  char path[RV_PATH_BYTES];
  *program = NULL;
  if (!rv_platform_program(path)) return rv_fail(error, RV_IO, "cannot find the path of this program");
  *program = rv_strdup(path);
  return *program ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
}

// Prints the outcome of a variation with its values.
static void print_outcome(const RvWedge* w, size_t index, const char* how) {
  fprintf(stderr, "w%04zu %s:", index, how);
  for (size_t axis = 0; axis < w->naxis; ++axis) {
    char* text = rv_cli_wedge_assignment(w, index, axis);
    fputc(' ', stderr);
    rv_cli_put(stderr, text ? text : "?");
    rv_free(text);
  }
  fprintf(stderr, "\n");
}

// Starts a variation as a process whose output goes to its log.txt. Returns an errno value.
static int start_with_log(const RvWedge* w, size_t index, const char* program, int threads, RvProcess* process) {
  char *log = rv_cli_wedge_path(w, index, "log.txt"), number[24], workers[24];
  snprintf(number, sizeof number, "%zu", index);
  snprintf(workers, sizeof workers, "%d", threads);
  const char* words[] = {program, "wedge", w->dir, "--task", number, "--threads", workers, NULL};
  if (!log) return ENOMEM;
  int file = rv_platform_open(log, RV_OPEN_WRITE | RV_OPEN_CREATE | RV_OPEN_EMPTY | RV_OPEN_NO_LINK);
  int reason = file < 0 ? errno : rv_platform_start(program, words, RV_FILE_NONE, file, file, process);
  if (file >= 0) rv_platform_close(file);
  rv_free(log);
  return reason;
}

// Starts a variation in its folder.
static RvResult start_task(const RvWedge* w, size_t index, const char* program, int threads, RvProcess* process,
                           RvError* error) {
  char* folder = rv_strf("%s/w%04zu", w->dir, index);
  RvResult result = folder ? rv_file_make_folder(folder, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_free(folder);
  int reason = result ? 0 : start_with_log(w, index, program, threads, process);
  bool memory = reason == ENOMEM || reason == EAGAIN;
  if (reason)
    result = rv_fail(error, memory ? RV_NO_MEMORY : RV_IO, "cannot start variation %zu: %s%s", index,
                     memory ? "out of memory: " : "", strerror(reason));
  return result;
}

enum { MAX_JOBS = 256 };

// The running processes and their variations.
typedef struct Running {
  RvProcess process[MAX_JOBS];
  size_t index[MAX_JOBS];
  int count;
} Running;

// Waits for one process to end and removes it from the list.
static void wait_for_one(const RvWedge* w, Running* running, RvWedgeFailures* failures) {
  int code = 0;
  ptrdiff_t ended;
  do ended = rv_platform_wait(running->process, (size_t)running->count, &code);
  while (ended < 0 && errno == EINTR && !rv_cli_interrupted());
  // Without any child to wait for, all of them are lost.
  if (ended < 0 && errno == ECHILD) {
    failures->count += (size_t)running->count;
    running->count = 0;
  }
  if (ended < 0) return;
  failures->count += code != 0;
  failures->internal |= failure_of(code) == RV_INTERNAL;
  print_outcome(w, running->index[ended], code == 0 ? "done" : "FAILED");
  --running->count;
  running->process[ended] = running->process[running->count];
  running->index[ended] = running->index[running->count];
}

RvResult rv_cli_wedge_local(const RvWedge* w, const bool* todo, int jobs, RvWedgeFailures* failures, RvError* error) {
  Running running = {.count = 0};
  int cores = rv_platform_cores();
  char* program;
  RvResult result = own_program(&program, error);
  if (result) return result;
  jobs = jobs < 1 ? 1 : jobs > MAX_JOBS ? MAX_JOBS : jobs;
  int threads = cores / jobs > 1 ? cores / jobs : 1;
  // Keep `jobs` processes running.
  for (size_t i = 0; i < w->count && !result && !rv_cli_interrupted(); ++i) {
    if (!todo[i]) continue;
    result = start_task(w, i, program, threads, &running.process[running.count], error);
    if (result) break;
    running.index[running.count++] = i;
    while (running.count >= jobs && !rv_cli_interrupted()) wait_for_one(w, &running, failures);
  }
  // After an interrupt, stop the running processes; wait for all of them.
  if (rv_cli_interrupted())
    for (int k = 0; k < running.count; ++k) rv_platform_stop(running.process[k]);
  while (running.count > 0) wait_for_one(w, &running, failures);
  rv_free(program);
  if (!result && rv_cli_interrupted()) result = rv_fail(error, RV_CANCELLED, "interrupted");
  return result;
}

//---------------------------------------------------------------------------------------------- Slurm

// Runs sbatch and reads the first line of its output.
static RvResult run_sbatch(const char* command, char* line, size_t room, RvError* error) {
  FILE* pipe = rv_platform_shell(command);
  bool got = pipe && fgets(line, (int)room, pipe);
  int code = pipe ? rv_platform_shell_end(pipe) : -1;
  if (code != 0 || !got)
    return rv_fail(error, RV_IO,
                   "sbatch did not accept the job: check that Slurm is installed and its controller is running");
  line[strcspn(line, "\n;")] = 0;
  return RV_OK;
}

// Quotes a text for a shell: in single quotes, each inner quote as '\''. NULL when out of memory.
static char* quoted(const char* text) {
  size_t length = 4 * strlen(text) + 3, at = 0;
  char* out = rv_alloc(length, 1);
  if (!out) return NULL;
  out[at++] = '\'';
  for (const char* c = text; *c; ++c)
    if (*c == '\'') {
      memcpy(out + at, "'\\''", 4);
      at += 4;
    } else
      out[at++] = *c;
  out[at++] = '\'';
  out[at] = 0;
  return out;
}

// Comma separated numbers of the variations to run; NULL when out of memory.
static char* list_of(const bool* todo, size_t count) {
  char* text = rv_alloc_zero(5 * count + 8, 1);
  for (size_t i = 0, at = 0; text && i < count; ++i)
    if (todo[i]) at += (size_t)sprintf(text + at, "%s%zu", at ? "," : "", i);
  return text;
}

// Submits a job that runs `wedge DIR WORDS` of this program; returns the number of the job.
static RvResult submit(const RvWedge* w, const char* options, const char* log, const char* words, char number[64],
                       RvError* error) {
  char* program;
  RvResult result = own_program(&program, error);
  if (result) return result;
  char* me = quoted(program);
  char* dir = quoted(w->dir);
  char* command = NULL;
  if (me && dir)
    command = rv_strf("D=%s P=%s sbatch --parsable --export=ALL %s --output=%s/%s --wrap='exec \"$P\" wedge \"$D\" %s'",
                      dir, me, options, dir, log, words);
  result = command ? run_sbatch(command, number, 64, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_free(program);
  rv_free(me);
  rv_free(dir);
  rv_free(command);
  return result;
}

RvResult rv_cli_wedge_slurm(const RvWedge* w, const bool* todo, RvError* error) {
  char array[64], sheet[64], *list = list_of(todo, w->count), *options = NULL;
  RvResult result = RV_OK;
  for (size_t i = 0; i < w->count && !result; ++i) {
    char* folder = rv_strf("%s/w%04zu", w->dir, i);
    result = folder ? rv_file_make_folder(folder, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
    rv_free(folder);
  }
  if (!result && !(list && (options = rv_strf("--job-name=rivulet --array=%s", list))))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) result = submit(w, options, "slurm_%a.txt", "--task \"$SLURM_ARRAY_TASK_ID\"", array, error);
  rv_free(options);
  options = NULL;
  // The sheet is made when all tasks have ended, also if some failed.
  if (!result && !(options = rv_strf("--job-name=rivulet-sheet --dependency=afterany:%s", array)))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!result) result = submit(w, options, "slurm_sheet.txt", "--sheet", sheet, error);
  if (!result) printf("array %s\nsheet %s\n", array, sheet);
  rv_free(list);
  rv_free(options);
  return result;
}
