// Messages of a long command: the first of each kind is printed at once, the others are counted and told at the end.
#ifndef RV_CLI_MESSAGES_H
#define RV_CLI_MESSAGES_H

#include "cli/cli.h"
#include "cli/progress.h"

enum { RV_MESSAGE_BYTES = 512, RV_MESSAGE_KINDS = 64 };

// A kind of message: those that differ in numbers only.
typedef struct RvMessageKind {
  char line[RV_MESSAGE_BYTES];   // the first one, as printed
  char shape[RV_MESSAGE_BYTES];  // without its numbers
  int repeats;                   // after the first
  double last;                   // frame of the last
} RvMessageKind;

// Begins as {0}.
typedef struct RvMessages {
  RvMessageKind kinds[RV_MESSAGE_KINDS];
  int count;
  int further;  // messages of further kinds, which are not printed
} RvMessages;

// Prints a message or counts it. `node` NULL: of the scene. `progress` is cleared first; it may be NULL.
void rv_cli_messages_show(RvMessages* messages, RvProgress* progress, RvLevel level, const char* node, double frame,
                          const char* text);
// Prints one line for each kind that was repeated, and forgets all.
void rv_cli_messages_flush(RvMessages* messages);

#endif
