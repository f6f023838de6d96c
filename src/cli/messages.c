#include "cli/messages.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_BYTES = 97 };  // of a message in the line that counts its repetitions, with its ending zero

// Copies a message with '#' for every number, so that "2.5e-05" and "0.001" are of one kind. A digit within a word, as
// in a node's name, belongs to it.
static void shape_of(const char* line, char* shape) {
  bool in_word = false;
  while (*line) {
    char* end = NULL;
    if (!in_word && isdigit((unsigned char)*line)) {
      strtod(line, &end);
      *shape++ = '#';
      line = end;
    } else {
      // The sign of a number is part of it; within a name, a dash belongs to the name.
      bool sign = !in_word && *line == '-' && isdigit((unsigned char)line[1]);
      in_word = isalnum((unsigned char)*line) || *line == '_' || (in_word && *line == '-');
      if (!sign) *shape++ = *line;
      ++line;
    }
  }
  *shape = 0;
}

// Counts a message of a known kind; false: it is new.
static bool count_repeat(RvMessages* messages, const RvMessageKind* message) {
  for (int i = 0; i < messages->count; ++i) {
    RvMessageKind* kind = &messages->kinds[i];
    if (strcmp(message->shape, kind->shape) != 0) continue;
    kind->repeats++;
    kind->last = message->last;
    return true;
  }
  return false;
}

void rv_cli_messages_show(RvMessages* messages, RvProgress* progress, RvLevel level, const char* node, double frame,
                          const char* text) {
  RvMessageKind message = {.last = frame};
  snprintf(message.line, sizeof message.line, "%s: %s: %s", level == RV_LEVEL_WARNING ? "warning" : "note",
           node ? node : "scene", text);
  shape_of(message.line, message.shape);
  if (count_repeat(messages, &message)) return;
  if (messages->count == RV_MESSAGE_KINDS) {
    messages->further++;
    return;
  }
  messages->kinds[messages->count++] = message;
  if (progress) rv_cli_progress_clear(progress);
  rv_cli_put(stderr, message.line);
  fprintf(stderr, " (frame %g)\n", frame);
}

void rv_cli_messages_flush(RvMessages* messages) {
  for (int i = 0; i < messages->count; ++i) {
    const RvMessageKind* kind = &messages->kinds[i];
    if (!kind->repeats) continue;
    char shown[SHOWN_BYTES];
    snprintf(shown, sizeof shown, "%s", kind->line);
    fprintf(stderr, "  (%d more up to frame %g: ", kind->repeats, kind->last);
    rv_cli_put(stderr, shown);
    fputs(strlen(kind->line) < SHOWN_BYTES ? ")\n" : "...)\n", stderr);
  }
  if (messages->further)
    fprintf(stderr, "  (%d messages of further kinds; --report FILE has all warnings)\n", messages->further);
  messages->count = 0;
  messages->further = 0;
}
