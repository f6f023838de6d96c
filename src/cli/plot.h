// A cook's report as columns over frames, and the sheet drawn of it.
#ifndef RV_CLI_PLOT_H
#define RV_CLI_PLOT_H

#include "rivulet/base.h"
#include "view/sheet.h"

typedef enum RvPlotGroup { RV_PLOT_FRAME, RV_PLOT_STAGE, RV_PLOT_COUNT, RV_PLOT_LEDGER, RV_PLOT_SINK } RvPlotGroup;

enum { RV_PLOT_MOST_COLUMNS = 128, RV_PLOT_MOST_LINES = 100000, RV_PLOT_NOTES = 3, RV_PLOT_NAME = 40 };

// One figure over all frames; NAN where a line does not have it.
typedef struct RvPlotColumn {
  RvPlotGroup group;
  char name[RV_PLOT_NAME];
  double* values;
} RvPlotColumn;

typedef struct RvPlotReport {
  size_t frames, capacity, lines;
  double merged;                               // frames that a point stands for, 1 or more
  double first, last;                          // frames
  RvPlotColumn columns[RV_PLOT_MOST_COLUMNS];  // the first is the frame
  size_t count;
  char notes[RV_PLOT_NOTES][160];  // warnings that came first
  size_t nnote;
} RvPlotReport;

// Reads JSON lines, brings them in the order of the frames (of two of one frame the later counts, as after --resume)
// and, of more frames than a sheet can show, makes means of neighbours. The error names the line.
RvResult rv_cli_plot_read(const char* path, RvPlotReport* out, RvError* error);
void rv_cli_plot_free(RvPlotReport* report);
// NULL if there is none.
const double* rv_cli_plot_column(const RvPlotReport* report, RvPlotGroup group, const char* name);

// NULL when out of memory.
RvSheet* rv_cli_plot_draw(const RvPlotReport* report, const char* title);

#endif
