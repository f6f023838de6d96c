// Progress line of a long command: redrawn on a terminal, or line by line for a program that reads it (--progress).
#ifndef RV_CLI_PROGRESS_H
#define RV_CLI_PROGRESS_H

#include <stdbool.h>

#include "rivulet/scene.h"

typedef struct RvProgress {
  bool live;                        // standard error is a terminal and --quiet is not given, or lines
  bool lines;                       // each update is a line of its own
  double first, last;               // frames
  double from;                      // first frame that this run cooked; NaN until then
  double begun;                     // wall clock, s
  double shown;                     // wall clock of the last update, s
  double liquid_bulk, liquid_hair;  // liquid in the last report, m^3
  char slowest[48];                 // slowest stage of the last report
  bool on_screen;                   // the line is visible
} RvProgress;

RvProgress rv_cli_progress_begin(double first, double last, bool quiet, bool lines);
// Draws at most ten times a second. `fraction` is of the frame.
void rv_cli_progress_update(RvProgress* progress, double frame, double fraction, const char* what);
// Takes the liquid and the slowest stage from a frame's report.
void rv_cli_progress_report(RvProgress* progress, const RvFrameReport* report);
// Clears the line so that other text can be printed.
void rv_cli_progress_clear(RvProgress* progress);

#endif
