// rivulet convert: converts one file, or a numbered sequence, to another format; a sequence to one .usda file with time
// samples.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "geo/io_usda.h"
#include "geo/text.h"

static const double LARGEST_FPS = 1e6;
static const double LARGEST_UNIT = 1e9;  // m

// One call of the command.
typedef struct Conversion {
  const char *in, *out;     // file names, with $F for a sequence
  double first, last, fps;  // frames, frames a second
  double meters;            // per unit, of a USD stage
  RvUsdaBasis basis;        // of the curves of a USD stage
  bool liquid_mesh;         // its mesh is that of a liquid
} Conversion;

// Loads the input of a frame.
static RvResult load(const Conversion* c, double frame, RvDetail** out, RvError* error) {
  const RvLog log = {NULL, rv_cli_warning};
  char* path = rv_vars_expand(&(RvVars){.frame = frame, .fps = c->fps}, c->in);
  RvResult result = path ? rv_detail_load(path, out, &log, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_free(path);
  return result;
}

// Source of the frames of a stage; only the current one is in memory.
typedef struct Source {
  const Conversion* conversion;
  double first;  // frame
  RvDetail* detail;
} Source;

// Callback of the USD writer: loads frame `index` and releases the one before.
static RvResult next_frame(void* user, size_t index, const RvDetail** out, RvError* error) {
  Source* source = user;
  rv_detail_free(source->detail);
  source->detail = NULL;
  if (rv_cli_interrupted()) return rv_fail(error, RV_CANCELLED, "interrupted");
  RvResult result = load(source->conversion, source->first + (double)index, &source->detail, error);
  *out = source->detail;
  return result;
}

// Writes `count` frames from `first` on to one USD file. A single input without a frame number has no time samples.
static RvResult convert_stage(const Conversion* c, double first, size_t count, RvError* error) {
  const RvLog log = {NULL, rv_cli_warning};
  double* frames = rv_alloc(count, sizeof(double));
  char* path = rv_vars_expand(&(RvVars){.frame = first, .fps = c->fps}, c->out);
  RvResult result = frames && path ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t i = 0; !result && i < count; ++i) frames[i] = first + (double)i;
  Source source = {c, first, NULL};
  RvUsdaSequence sequence = {.count = count,
                             .frames = strchr(c->in, '$') ? frames : NULL,
                             .fps = c->fps,
                             .meters_per_unit = c->meters,
                             .basis = c->basis,
                             .liquid_mesh = c->liquid_mesh,
                             .user = &source,
                             .detail_at = next_frame};
  if (!result) result = rv_usda_write_sequence(&sequence, path, &log, error);
  rv_detail_free(source.detail);
  rv_free(path);
  rv_free(frames);
  return result;
}

// Converts one frame to a file of its own.
static RvResult convert_one(const Conversion* c, double frame, RvError* error) {
  const RvLog log = {NULL, rv_cli_warning};
  if (rv_text_ends(c->out, ".usda")) return convert_stage(c, frame, 1, error);
  RvDetail* detail = NULL;
  RvResult result = load(c, frame, &detail, error);
  if (result) return result;
  char* path = rv_vars_expand(&(RvVars){.frame = frame, .fps = c->fps}, c->out);
  result = path ? rv_detail_save(detail, path, &log, error) : rv_fail(error, RV_NO_MEMORY, "out of memory");
  rv_free(path);
  rv_detail_free(detail);
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
  if (!(c->meters > 0 && c->meters < LARGEST_UNIT))
    return rv_fail(error, RV_BAD_INPUT, "--metersperunit must be above 0 and below %g", LARGEST_UNIT);
  return RV_OK;
}

// Place of a word in a list that ends with NULL.
static RvResult read_word(const char* option, const char* word, const char* const* words, int* place, RvError* error) {
  char known[64] = "";
  for (int i = 0; words[i]; ++i) {
    *place = i;
    if (strcmp(word, words[i]) == 0) return RV_OK;
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, " %s", words[i]);
  }
  return rv_fail(error, RV_BAD_INPUT, "%s takes one of%s, not '%s'", option, known, word);
}

// Reads the options of USD stages.
static RvResult read_stage(const char* curves, const char* mesh, Conversion* c, RvError* error) {
  int place = 0;
  RvResult result = RV_OK;
  if (curves)
    result = read_word("--curves", curves, (const char*[]){"linear", "catmullrom", "bspline", NULL}, &place, error);
  c->basis = (RvUsdaBasis)place;
  place = 0;
  if (!result && mesh) result = read_word("--mesh", mesh, (const char*[]){"skin", "liquid", NULL}, &place, error);
  c->liquid_mesh = place == 1;
  return result;
}

// Reads the command line and converts.
static RvResult run(int argc, char** argv, RvTextList* words, RvError* error) {
  Conversion c = {.first = 1, .last = 1, .fps = 24, .meters = 1};
  const char *frames = NULL, *fps = NULL, *meters = NULL, *curves = NULL, *mesh = NULL;
  const RvOption options[] = {{"--frames", RV_OPTION_TEXT, &frames},
                              {"--fps", RV_OPTION_TEXT, &fps},
                              {"--metersperunit", RV_OPTION_TEXT, &meters},
                              {"--curves", RV_OPTION_TEXT, &curves},
                              {"--mesh", RV_OPTION_TEXT, &mesh}};
  RvResult result = rv_cli_options(argc, argv, options, sizeof options / sizeof *options, words, error);
  if (!result) result = read_stage(curves, mesh, &c, error);
  if (result) return result;
  if (words->count != 2) return rv_fail(error, RV_BAD_INPUT, "convert takes two names: IN OUT");
  c.in = words->items[0];
  c.out = words->items[1];
  if (fps) c.fps = strtod(fps, NULL);
  if (meters) c.meters = strtod(meters, NULL);
  if (frames) result = rv_cli_frames(frames, &c.first, &c.last, error);
  bool to_many = false;
  if (!result) result = has_frame(c.out, &to_many, error);
  if (!result) result = check(&c, frames != NULL, to_many, error);
  if (!result) result = rv_cli_threads_start(error);
  if (!result && frames && !to_many) return convert_stage(&c, c.first, (size_t)(c.last - c.first) + 1, error);
  for (double frame = c.first; !result && frame <= c.last; ++frame) {
    result = convert_one(&c, frame, error);
    if (!result && rv_cli_interrupted()) result = rv_fail(error, RV_CANCELLED, "interrupted");
  }
  return result;
}

int rv_cli_convert(int argc, char** argv) {
  return rv_cli_call(run, argc, argv);
}
