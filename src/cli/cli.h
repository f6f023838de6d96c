// rivulet(1): the commands and their shared helpers.
#ifndef RV_CLI_CLI_H
#define RV_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "rivulet/rivulet.h"

// The whole program; test hosts register their nodes first. Returns the exit code.
int rv_cli_main(int argc, char** argv);

// One option of a command. Flags set a bool; the other kinds take the next word, or the text after '='.
typedef enum RvOptionKind { RV_OPTION_FLAG, RV_OPTION_TEXT, RV_OPTION_INT, RV_OPTION_LIST } RvOptionKind;

typedef struct RvTextList {
  const char** items;
  size_t count;
} RvTextList;

typedef struct RvOption {
  const char* name;  // "--frames", or "-o"
  RvOptionKind kind;
  void* target;  // bool*, const char**, int*, RvTextList*
} RvOption;

// Separates options from plain words (`words`, with room for argc). The error names the option.
RvResult rv_cli_options(int argc, char** argv, const RvOption* options, size_t count, RvTextList* words,
                        RvError* error);

// Runs the body of a command with an array for its words, prints its error and returns the exit code.
typedef RvResult RvCommandFn(int argc, char** argv, RvTextList* words, RvError* error);
int rv_cli_call(RvCommandFn* body, int argc, char** argv);

// Parses a frame range "A-B", "A" or "A:B" (A and B may be negative with ':').
RvResult rv_cli_frames(const char* text, double* first, double* last, RvError* error);
// Sets the memory limit of the process to that of a text, "4G" or "none"; NULL: that of the environment variable
// RIVULET_MAX_MEMORY, or nine tenths of what the machine, its control group and ulimit -v allow.
RvResult rv_cli_memory_limit(const char* text, RvError* error);
// What to do when memory runs out; ends every such error of the command line.
extern const char rv_cli_memory_advice[];
// True after Ctrl-C (SIGINT), SIGTERM or SIGHUP (a closed terminal). A second signal ends the process at once; files
// are never left partly written.
bool rv_cli_interrupted(void);
void rv_cli_catch_signals(void);
// Starts the worker threads, so that a lack of room for them is an error at the start.
RvResult rv_cli_threads_start(RvError* error);
// Tells a crash inside a library of others as an error (last_resort.c).
void rv_cli_last_resort(void);

void rv_cli_warning(void* user, RvLevel level,
                    const char* text);   // RvLog callback of the commands: prints to standard error
int rv_cli_error(const RvError* error);  // prints the error, returns the exit code
// Prints text that comes from a scene or a file: control characters, line ends and bytes that are not UTF-8 become
// escapes such as \x1b.
void rv_cli_put(FILE* stream, const char* text);

int rv_cli_cook(int argc, char** argv);
int rv_cli_flipbook(int argc, char** argv);
int rv_cli_nodes(int argc, char** argv);
int rv_cli_info(int argc, char** argv);
int rv_cli_convert(int argc, char** argv);
int rv_cli_plot(int argc, char** argv);
int rv_cli_check(int argc, char** argv);
int rv_cli_bench(int argc, char** argv);
int rv_cli_wedge(int argc, char** argv);

#endif
