// Dispatch of the commands, and their shared helpers: options, frame ranges, signals, messages.
#include "cli/cli.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/platform.h"
#include "shim/reserve.h"

static const struct {
  const char* name;
  int (*run)(int argc, char** argv);
  const char* usage;
} commands[] = {
    {"cook", rv_cli_cook,
     "cook SCENE [--node N] [--frames A-B] [--out DIR] [--set NODE.PARM=VALUE] [--threads N] [--report FILE]\n"
     "             [--preview FACTOR] [--max-memory SIZE] [--resume] [--from STATE --start N] [--confine DIR[:DIR]]\n"
     "             [--progress] [--quiet]"},
    {"flipbook", rv_cli_flipbook,
     "flipbook SCENE|DIR [--frames A-B] [--size WxH] [--camera NODE|auto|X,Y,Z,TX,TY,TZ[,FOV]]\n"
     "             [--node N,N] [--quality draft|normal|high] [--set NODE.PARM=VALUE] [--out DIR] [--threads N]\n"
     "             [--cached [--anyway]] [--liquid surface|particles] [--view beauty|wetness|age|film|clump|speed|density|air]\n"
     "             [--range LOW,HIGH] [--shutter S] [--aperture D] [--focus D] [--exposure STOPS]\n"
     "             [--preview FACTOR] [--max-memory SIZE] [--confine DIR[:DIR]] [--quiet] -o FILE.png|FILE.mp4|DIR"},
    {"nodes", rv_cli_nodes, "nodes [TYPE] [--json|--ds|--help-page|--md] [--write-docs DIR]"},
    {"info", rv_cli_info, "info FILE... [--json]"},
    {"convert", rv_cli_convert,
     "convert IN OUT [--frames A-B] [--fps N] [--metersperunit M] [--curves linear|catmullrom|bspline]\n"
     "             [--mesh skin|liquid]"},
    {"plot", rv_cli_plot, "plot REPORT [-o FILE.svg|FILE.png]"},
    {"check", rv_cli_check, "check [NAME...] [--json]"},
    {"wedge", rv_cli_wedge,
     "wedge SCENE --vary NODE.PARM=a,b,c ... --out DIR [--frames A-B] [--picture FRAME|none] [--size WxH]\n"
     "             [--cached [--simulation DIR]] [--jobs N] [--slurm] [--confine DIR[:DIR]]\n"
     "  rivulet wedge DIR --failed|--sheet [--jobs N] [--slurm]"},
    {"bench", rv_cli_bench, "bench [NAME...] [--threads N] [--shrink N] [--json]"},
};
enum {
  COMMANDS = sizeof commands / sizeof *commands,
  LARGEST_INT = 1000000,  // of an option that takes a whole number
  INTERRUPTED_CODE = 130  // exit code after a signal, as shells expect: 128 + SIGINT
};

static const double LARGEST_FRAME = 1e7;

// The signal that arrived; 0: none.
static volatile sig_atomic_t interrupted;

// First signal: asks the command to stop. Second: ends the process.
static void on_signal(int signal) {
  if (interrupted) _Exit(INTERRUPTED_CODE);
  interrupted = signal;
}

bool rv_cli_interrupted(void) {
  return interrupted != 0;
}

void rv_cli_catch_signals(void) {
  rv_platform_catch_interrupts(on_signal);
}

void rv_cli_warning(void* user, RvLevel level, const char* text) {
  (void)user;
  fputs(level == RV_LEVEL_WARNING ? "warning: " : "note: ", stderr);
  rv_cli_put(stderr, text);
  fputc('\n', stderr);
}

int rv_cli_error(const RvError* error) {
  if (error->code != RV_OK) {
    fputs("rivulet: ", stderr);
    rv_cli_put(stderr, error->text);
    if (error->code == RV_NO_MEMORY) fprintf(stderr, "; %s", rv_cli_memory_advice);
    fputc('\n', stderr);
  }
  return rv_result_exit_code(error->code);
}

//---------------------------------------------------------------------------------------------- options

// Stores the value of an option.
static RvResult take_value(const RvOption* option, const char* value, RvError* error) {
  switch (option->kind) {
    case RV_OPTION_TEXT:
      *(const char**)option->target = value;
      return RV_OK;
    case RV_OPTION_LIST: {
      RvTextList* list = option->target;
      list->items[list->count++] = value;
      return RV_OK;
    }
    case RV_OPTION_INT: {
      char* end;
      long number = strtol(value, &end, 10);
      if (*value == 0 || *end || number < 0 || number > LARGEST_INT)
        return rv_fail(error, RV_BAD_INPUT, "%s takes a whole number from 0 to %d, not '%s'", option->name, LARGEST_INT,
                       value);
      *(int*)option->target = (int)number;
      return RV_OK;
    }
    case RV_OPTION_FLAG:
      break;
  }
  return rv_fail(error, RV_BAD_INPUT, "%s takes no value", option->name);
}

// Finds an option by the first `length` characters of a word; NULL if unknown.
static const RvOption* find_option(const RvOption* options, size_t count, const char* word, size_t length) {
  for (size_t i = 0; i < count; ++i)
    if (strlen(options[i].name) == length && strncmp(options[i].name, word, length) == 0) return &options[i];
  return NULL;
}

// Fails with the list of known options.
static RvResult unknown_option(const RvOption* options, size_t count, const char* word, RvError* error) {
  char known[512] = "";
  for (size_t i = 0; i < count; ++i) {
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, " %s", options[i].name);
  }
  return rv_fail(error, RV_BAD_INPUT, "unknown option '%s'; this command takes%s", word, known);
}

RvResult rv_cli_options(int argc, char** argv, const RvOption* options, size_t count, RvTextList* words,
                        RvError* error) {
  // After "--" all words are plain words.
  bool only_words = false;
  for (int i = 0; i < argc; ++i) {
    const char* word = argv[i];
    if (only_words || word[0] != '-' || word[1] == 0) {
      words->items[words->count++] = word;
      continue;
    }
    if (strcmp(word, "--") == 0) {
      only_words = true;
      continue;
    }
    // Find the option, with its value after "=" or in the next word.
    const char* equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const RvOption* option = find_option(options, count, word, length);
    if (!option) return unknown_option(options, count, word, error);
    if (option->kind == RV_OPTION_FLAG && !equals) {
      *(bool*)option->target = true;
      continue;
    }
    const char* value = equals ? equals + 1 : i + 1 < argc ? argv[++i] : NULL;
    if (!value) return rv_fail(error, RV_BAD_INPUT, "%s needs a value", word);
    RvResult result = take_value(option, value, error);
    if (result) return result;
  }
  return RV_OK;
}

int rv_cli_call(RvCommandFn* body, int argc, char** argv) {
  RvError error = {0};
  RvTextList words = {rv_alloc((size_t)argc + 1, sizeof(char*)), 0};
  RvResult result = words.items ? body(argc, argv, &words, &error) : rv_fail(&error, RV_NO_MEMORY, "out of memory");
  // A failure without a text must not look like success.
  if (result && !error.code) rv_fail(&error, result, "%s", rv_result_text(result));
  rv_free(words.items);
  return rv_cli_error(&error);
}

RvResult rv_cli_frames(const char* text, double* first, double* last, RvError* error) {
  char* end;
  *first = strtod(text, &end);
  bool good = end != text;
  if (good && *end == 0) {
    *last = *first;
  } else if (good && (*end == '-' || *end == ':')) {
    const char* second = end + 1;
    *last = strtod(second, &end);
    good = end != second && *end == 0;
  } else {
    good = false;
  }
  // The comparisons are false for NaN.
  if (!good || !(*first <= *last) || !(*first >= -LARGEST_FRAME && *last <= LARGEST_FRAME))
    return rv_fail(error, RV_BAD_INPUT, "'%s' is not a frame range: write 12, 1-48 or -5:20", text);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- main

// Prints the list of commands.
static void usage(FILE* stream) {
  fprintf(stream, "rivulet %s: hair, fur and the liquid on and around them\n\n", rv_version());
  for (size_t i = 0; i < COMMANDS; ++i) fprintf(stream, "  rivulet %s\n", commands[i].usage);
  fprintf(stream, "\nExit codes: 0 done, 1 wrong input, 2 internal error, 130 interrupted.\n");
}

// True if --help or -h is among the words.
static bool wants_help(int argc, char** argv) {
  for (int i = 0; i < argc; ++i)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
  return false;
}

// True for a pipe or socket, whose reader (head, a pager) may close early without that being an error.
static bool is_pipe(FILE* stream) {
  RvFileInfo info;
  return rv_platform_open_info(rv_platform_descriptor(stream), &info) && info.kind == RV_FILE_PIPE;
}

// Runs one command; output that could not be written makes it fail.
static int run_command(size_t index, int argc, char** argv) {
  if (wants_help(argc, argv)) {
    printf("usage: rivulet %s\n", commands[index].usage);
    return 0;
  }
  int code = commands[index].run(argc, argv);
  bool failed = fflush(stdout) != 0 || ferror(stdout);
  if (failed && !is_pipe(stdout) && code == 0) {
    fprintf(stderr, "rivulet: cannot write the output; is the disk full?\n");
    code = 1;
  }
  return code;
}

int rv_cli_main(int argc, char** argv) {
  rv_cli_catch_signals();
  rv_cli_last_resort();
  RvError error = {0};
  if (rv_reserve_begin(&error)) return rv_cli_error(&error);
  if (argc < 2) {
    usage(stderr);
    return 1;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("rivulet %s\n", rv_version());
    return 0;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
    usage(stdout);
    return 0;
  }
  for (size_t i = 0; i < COMMANDS; ++i)
    if (strcmp(argv[1], commands[i].name) == 0) return run_command(i, argc - 2, argv + 2);
  fprintf(stderr, "rivulet: unknown command '%s'\n", argv[1]);
  usage(stderr);
  return 1;
}
