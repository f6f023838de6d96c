// A scene opened for cook or flipbook, with its --set assignments and the hooks that show progress and messages.
#ifndef RV_CLI_SESSION_H
#define RV_CLI_SESSION_H

#include <stdio.h>

#include "cli/cli.h"
#include "cli/messages.h"
#include "cli/progress.h"

typedef struct RvSession {
  RvScene* scene;
  RvProgress progress;
  const char* scene_path;
  const char* report_path;  // file of JSON lines; NULL: none
  bool report_append;       // its complete lines are kept
  FILE* report;             // open once the run has begun, else NULL
  bool report_failed;       // a line could not be written
  bool quiet;
  double first, last;  // frames of this run
  int frames_done;
  char* out;  // $OUT
  RvMessages messages;
} RvSession;

typedef struct RvSessionOptions {
  const char* scene;
  const char* frames;     // NULL: the scene's; "middle" for its middle frame
  const char* out;        // NULL: out/<scene> under the current folder
  const char* confine;    // folders that the scene may read and write; NULL: all
  const RvTextList* set;  // NODE.PARM=VALUE
  const char* preview;    // factor of a faster, coarser scene; NULL: 1
  int threads;
  const char* max_memory;  // --max-memory; NULL: what the environment or the machine gives
  bool progress;           // --progress: the progress as lines
  bool quiet;
} RvSessionOptions;

// Opens a scene. Close the session in any case.
RvResult rv_cli_session_open(RvSession* session, const RvSessionOptions* options, RvError* error);
// Gives the run a report file, which is opened when the run holds its folder. `append` keeps its complete lines, for a
// resumed run; otherwise a former report is overwritten. A file that is no report, and one that another run writes, are
// refused.
void rv_cli_session_report(RvSession* session, const char* path, bool append);
RvResult rv_cli_session_close(RvSession* session, RvError* error);

#endif
