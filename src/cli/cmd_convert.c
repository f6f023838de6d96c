// rivulet convert: converts one file, or a numbered sequence, to another format; a sequence to one .usda file with time
// samples.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "geo/io_usda.h"
#include "geo/text.h"

static const double LARGEST_FPS = 1e6;

// One call of the command.
typedef struct Conversion {
  const char *in, *out;     // file names, with $F for a sequence
  double first, last, fps;  // frames, frames a second
} Conversion;

// Loads the input of a frame.
static RvResult load(const Conversion* c, double frame, RvDetail** out, RvError* error) {
  const RvLog log = {NULL, rv_cli_warning};
  char* path = rv_vars_expand(&(RvVars){.frame = frame, .fps = c->fps}, c->in);
  RvResult result = path ? rv_detail_load(path, out, &log, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_free(path);
  return result;
}

// Converts one frame to a file of its own.
static RvResult convert_one(const Conversion* c, double frame, RvError* error) {
  const RvLog log = {NULL, rv_cli_warning};
  RvDetail* detail = NULL;
  RvResult result = load(c, frame, &detail, error);
  if (result) return result;
  char* path = rv_vars_expand(&(RvVars){.frame = frame, .fps = c->fps}, c->out);
  result = path ? rv_detail_save(detail, path, &log, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_free(path);
  rv_detail_free(detail);
  return result;
}

// Source of the frames of a sequence; only the current one is in memory.
typedef struct Sequence {
  const Conversion* conversion;
  RvDetail* detail;
} Sequence;

// Callback of the USD writer: loads frame `index` and releases the one before.
static RvResult next_frame(void* user, size_t index, const RvDetail** out, RvError* error) {
  Sequence* sequence = user;
  rv_detail_free(sequence->detail);
  sequence->detail = NULL;
  if (rv_cli_interrupted()) return rv_fail(error, RV_CANCELLED, "interrupted");
  RvResult result = load(sequence->conversion, sequence->conversion->first + (double)index, &sequence->detail, error);
  *out = sequence->detail;
  return result;
}

// Converts a sequence to one USD file with time samples.
static RvResult convert_sequence(const Conversion* c, RvError* error) {
  const RvLog log = {NULL, rv_cli_warning};
  size_t count = (size_t)(c->last - c->first) + 1;
  double* frames = rv_alloc(count, sizeof(double));
  if (!frames) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < count; ++i) frames[i] = c->first + (double)i;
  Sequence sequence = {c, NULL};
  char* path = rv_vars_expand(&(RvVars){.frame = c->first, .fps = c->fps}, c->out);
  if (!path) {
    rv_free(frames);
    return rv_fail(error, RV_NO_MEMORY, "out of memory");
  }
  RvResult result = rv_usda_write_sequence(
      &(RvUsdaSequence){.count = count, .frames = frames, .fps = c->fps, .user = &sequence, .detail_at = next_frame},
      path, &log, error);
  rv_detail_free(sequence.detail);
  rv_free(path);
  rv_free(frames);
  return result;
}

// *differ: a name differs from frame to frame. A variable such as $HIP alone would give all frames the same name.
static RvResult has_frame(const char* name, bool* differ, RvError* error) {
  char* one = rv_vars_expand(&(RvVars){.frame = 1, .fps = 24}, name);
  char* two = rv_vars_expand(&(RvVars){.frame = 2, .fps = 24}, name);
  *differ = one && two && strcmp(one, two) != 0;
  RvResult result = one && two ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_free(one);
  rv_free(two);
  return result;
}

// Checks that input, output and frame range fit together.
static RvResult check(const Conversion* c, bool has_frames, bool to_many, RvError* error) {
  bool from_many = strchr(c->in, '$') != NULL;
  if (from_many && !has_frames)
    return rv_fail(error, RV_BAD_INPUT, "'%s' is a sequence: give its frames with --frames A-B", c->in);
  if (!from_many && has_frames)
    return rv_fail(error, RV_BAD_INPUT, "--frames needs a numbered input such as name.$F4.bgeo.sc");
  if (from_many && !to_many && !rv_text_ends(c->out, ".usda"))
    return rv_fail(error, RV_BAD_INPUT, "'%s' needs a frame number such as $F4; only .usda files hold many frames",
                   c->out);
  if (!(c->fps > 0 && c->fps < LARGEST_FPS))
    return rv_fail(error, RV_BAD_INPUT, "--fps must be above 0 and below %g", LARGEST_FPS);
  return RV_OK;
}

// Reads the command line and converts.
static RvResult run(int argc, char** argv, RvTextList* words, RvError* error) {
  Conversion c = {.first = 1, .last = 1, .fps = 24};
  const char *frames = NULL, *fps = NULL;
  const RvOption options[] = {{"--frames", RV_OPTION_TEXT, &frames}, {"--fps", RV_OPTION_TEXT, &fps}};
  RvResult result = rv_cli_options(argc, argv, options, 2, words, error);
  if (result) return result;
  if (words->count != 2) return rv_fail(error, RV_BAD_INPUT, "convert takes two names: IN OUT");
  c.in = words->items[0];
  c.out = words->items[1];
  if (fps) c.fps = strtod(fps, NULL);
  if (frames) result = rv_cli_frames(frames, &c.first, &c.last, error);
  bool to_many = false;
  if (!result) result = has_frame(c.out, &to_many, error);
  if (!result) result = check(&c, frames != NULL, to_many, error);
  if (!result) result = rv_cli_threads_start(error);
  if (!result && frames && !to_many) return convert_sequence(&c, error);
  for (double frame = c.first; !result && frame <= c.last; ++frame) {
    result = convert_one(&c, frame, error);
    if (!result && rv_cli_interrupted()) result = rv_fail(error, RV_CANCELLED, "interrupted");
  }
  return result;
}

int rv_cli_convert(int argc, char** argv) {
  return rv_cli_call(run, argc, argv);
}
