// The report of a cook as columns over frames, and the sheet of diagrams drawn from it.
#ifndef RV_CLI_PLOT_H
#define RV_CLI_PLOT_H

#include "rivulet/base.h"
#include "view/sheet.h"

typedef enum RvPlotGroup { RV_PLOT_FRAME, RV_PLOT_STAGE, RV_PLOT_COUNT, RV_PLOT_LEDGER, RV_PLOT_SINK } RvPlotGroup;

enum {
  RV_PLOT_MAX_COLUMNS = 128,
  RV_PLOT_MAX_LINES = 100000,
  RV_PLOT_NOTES = 3,  // warnings that the sheet quotes
  RV_PLOT_NAME = 40   // characters of a column name
};

// One quantity over all frames; NAN where a line lacks it.
typedef struct RvPlotColumn {
  RvPlotGroup group;
  char name[RV_PLOT_NAME];
  double* values;
} RvPlotColumn;

typedef struct RvPlotReport {
  size_t frames, capacity, lines;             // points of a column; room of a column; lines of the file
  double merged;                              // frames averaged into one point, 1 or more
  double first, last;                         // frames
  RvPlotColumn columns[RV_PLOT_MAX_COLUMNS];  // the first is the frame
  size_t count;
  char notes[RV_PLOT_NOTES][160];  // first warnings
  size_t nnote;
} RvPlotReport;

// Reads JSON lines and sorts them by frame; of two lines of one frame the later counts, as after --resume. If there are
// more frames than a sheet can show, neighbours are averaged. The error names the line.
RvResult rv_cli_plot_read(const char* path, RvPlotReport* out, RvError* error);
void rv_cli_plot_free(RvPlotReport* report);
// Values of a column; NULL if there is none.
const double* rv_cli_plot_column(const RvPlotReport* report, RvPlotGroup group, const char* name);

// Draws the sheet. NULL when out of memory.
RvSheet* rv_cli_plot_draw(const RvPlotReport* report, const char* title);

#endif
