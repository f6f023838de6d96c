// Progress line: frame, share done, remaining time, liquid and slowest stage.
#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/platform.h"
#include "base/timer.h"

enum { LINE_COLUMNS = 110 };

static const double REDRAW_SECONDS = 0.1;  // least time between two updates
static const double LEAST_SHARE = 0.01;    // of the run, from which the remaining time is estimated

RvProgress rv_cli_progress_begin(double first, double last, bool quiet, bool lines) {
  return (RvProgress){.live = lines || (!quiet && rv_platform_is_terminal(stderr)),
                      .lines = lines,
                      .first = first,
                      .last = last,
                      .begun = rv_clock_wall(),
                      .from = NAN};
}

void rv_cli_progress_clear(RvProgress* progress) {
  if (!progress->on_screen) return;
  fprintf(stderr, "\r%*s\r", LINE_COLUMNS, "");
  progress->on_screen = false;
}

// Prints a volume in litres or millilitres.
static void print_litres(char* text, size_t room, double cubic_metres) {
  double litres = cubic_metres * 1000;
  if (litres >= 1)
    snprintf(text, room, "%.2f l", litres);
  else
    snprintf(text, room, "%.2f ml", litres * 1000);
}

void rv_cli_progress_update(RvProgress* progress, double frame, double fraction, const char* what) {
  double now = rv_clock_wall();
  if (!progress->live || now - progress->shown < REDRAW_SECONDS) return;
  progress->shown = now;
  if (isnan(progress->from)) progress->from = frame;
  double total = progress->last - progress->first + 1, at = frame + fraction;
  double done = fmin(1, fmax(0, (at - progress->first) / total));
  // Remaining time, from the share of the frames that this run itself cooks: a resumed run starts later.
  double own_share = (at - progress->from) / (progress->last + 1 - progress->from);
  char remaining[32] = "";
  if (own_share > LEAST_SHARE && own_share <= 1) {
    int seconds = (int)((now - progress->begun) * (1 - own_share) / own_share + 0.5);
    snprintf(remaining, sizeof remaining, "  %d:%02d left", seconds / 60, seconds % 60);
  }
  // Liquid in bulk and on hair.
  char liquid[64] = "";
  if (progress->liquid_bulk > 0 || progress->liquid_hair > 0) {
    char bulk[24], hair[24];
    print_litres(bulk, sizeof bulk, progress->liquid_bulk);
    print_litres(hair, sizeof hair, progress->liquid_hair);
    snprintf(liquid, sizeof liquid, "  bulk %s, on hair %s", bulk, hair);
  }
  // The line itself.
  const char* stage = progress->slowest[0] ? progress->slowest : what ? what : "";
  char line[256];
  snprintf(line, sizeof line, "frame %g/%g  %3.0f%%%s%s  %s", frame, progress->last, 100 * done, remaining, liquid,
           stage);
  if (progress->lines)
    fprintf(stderr, "%s\n", line);
  else
    fprintf(stderr, "\r%-*.*s", LINE_COLUMNS, LINE_COLUMNS, line);
  fflush(stderr);
  progress->on_screen = !progress->lines;
}

void rv_cli_progress_report(RvProgress* progress, const RvFrameReport* report) {
  const RvLedger* ledger = &report->stats.ledger;
  progress->liquid_bulk = ledger->bulk;
  progress->liquid_hair = ledger->film + ledger->absorbed;
  double worst = 0;
  for (size_t i = 0; i < report->nstage; ++i) {
    if (report->stages[i].seconds <= worst) continue;
    worst = report->stages[i].seconds;
    snprintf(progress->slowest, sizeof progress->slowest, "%s", report->stages[i].name);
  }
}
