// The one live line of a long command, on a terminal only.
#ifndef RV_CLI_PROGRESS_H
#define RV_CLI_PROGRESS_H

#include <stdbool.h>

#include "rivulet/scene.h"

typedef struct RvProgress {
  bool live;                        // standard error is a terminal and nobody asked for quiet
  double first, last;               // frames
  double from;                      // the frame with which this run really began, once one was shown
  double begun;                     // wall clock
  double shown;                     // when the line was last drawn
  double liquid_bulk, liquid_hair;  // m^3, of the last frame's report
  char slowest[48];                 // stage
  bool on_screen;
} RvProgress;

RvProgress rv_cli_progress_begin(double first, double last, bool quiet);
// Draws at most ten times a second. `fraction` is of the frame.
void rv_cli_progress_update(RvProgress* progress, double frame, double fraction, const char* what);
// Takes the liquid and the slowest stage from a frame's report.
void rv_cli_progress_report(RvProgress* progress, const RvFrameReport* report);
// Clears the line so that other text can be printed.
void rv_cli_progress_clear(RvProgress* progress);

#endif
