// What cook and flipbook share: a scene opened with its assignments, and the hooks that show what it does.
#ifndef RV_CLI_SESSION_H
#define RV_CLI_SESSION_H

#include <stdio.h>

#include "cli/cli.h"
#include "cli/progress.h"

// A message that was shown: one that differs from it in numbers only is counted, not shown.
enum { RV_SESSION_SAID = 16 };
typedef struct RvSaid {
  char line[512], shape[512];
  int more;
} RvSaid;

typedef struct RvSession {
  RvScene* scene;
  RvProgress progress;
  FILE* report;  // JSON lines, or NULL
  bool report_failed;
  bool quiet;
  double first, last;  // the frames of this run
  int frames_done;
  char* out;  // $OUT
  RvSaid said[RV_SESSION_SAID];
  int nsaid;
} RvSession;

typedef struct RvSessionOptions {
  const char* scene;
  const char* frames;  // NULL: the scene's; "middle" for its middle frame
  const char* out;     // NULL: out/<scene> under the current folder
  const RvTextList* set;
  int threads;
  bool quiet;
} RvSessionOptions;

// On failure nothing is left behind. Close in any case.
RvResult rv_cli_session_open(RvSession* session, const RvSessionOptions* options, RvError* error);
// `append` keeps the whole lines that a file has (a resumed run), else it begins anew.
RvResult rv_cli_session_report(RvSession* session, const char* path, bool append, RvError* error);
RvResult rv_cli_session_close(RvSession* session, RvError* error);

#endif
