// The sheet of a report: liquid, liquid on hair, drift, stage times, substeps and counts, one below the other over the
// same frames.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/plot.h"

enum {
  WIDTH = 1280,            // of the sheet, pixels
  LEFT = 84,               // left side of the diagrams
  PLOT = 900,              // width of the diagrams
  KEY = LEFT + PLOT + 28,  // left side of the keys
  SHOWN = 11,              // series of one diagram
  ROW = 17,                // height of a line of a key
  MAX_TICKS = 400          // of an axis
};

static const double PROMISED_DRIFT = 1e-12;  // relative drift of the ledger that the solvers guarantee
static const double HEADROOM = 1.06;         // top of an axis over the largest value
static const double LEAST_DRIFT = 1e-18;     // bottom of the drift axis

enum { INK = 0x22262b, GREY = 0x6b727a, GRID = 0xe3e6ea, GROUND = 0xf8f9fb, RED = 0xc8423b };

static const uint32_t palette[SHOWN + 1] = {0x2f6db3, 0xe9962e, 0x2a9d8f, 0xc8423b, 0x7a5ea8, 0x7fb8e6,
                                            0x8c6d4f, 0xd98cb3, 0x9aa63b, 0x4a5a6a, 0xf2cf5b, 0xb9bdc3};

// One diagram of the sheet.
typedef struct Panel {
  RvSheet* sheet;
  const RvPlotReport* report;
  const double* frame;  // [frames]
  double first, last;   // frames at its left and right sides
  double top, height;   // pixels
  double low, high;     // values at its bottom and top
  bool decades;         // logarithmic axis
  int rows;             // lines of the key so far
} Panel;

//---------------------------------------------------------------------------------------------- coordinates

// Horizontal position of a frame.
static double x_of(const Panel* p, double frame) {
  return LEFT + PLOT * (frame - p->first) / (p->last - p->first);
}

// Vertical position of a value, clamped to the diagram.
static double y_of(const Panel* p, double value) {
  double lo = p->decades ? log10(p->low) : p->low, hi = p->decades ? log10(p->high) : p->high;
  double v = p->decades ? log10(fmax(value, p->low)) : value;
  return p->top + p->height * (1 - fmin(fmax((v - lo) / (hi - lo), 0), 1));
}

// Tick distance of 1, 2 or 5 times a power of ten that gives about `wanted` ticks.
static double nice_step(double range, double wanted) {
  double raw = range / wanted;
  double ten = pow(10, floor(log10(raw)));
  double part = raw / ten;
  return ten * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

// Largest value of a column, at least 0.
static double largest(const RvPlotReport* r, const double* v) {
  double peak = 0;
  for (size_t i = 0; v && i < r->frames; ++i)
    if (v[i] > peak) peak = v[i];
  return peak;
}

// Sum over all frames, also where a point is the mean of several.
static double sum_of(const RvPlotReport* r, const double* v) {
  double sum = 0;
  for (size_t i = 0; v && i < r->frames; ++i)
    if (v[i] > 0) sum += v[i];
  return sum * r->merged;
}

//---------------------------------------------------------------------------------------------- axes and key

// Prints a formatted text.
static void text(const Panel* p, double x, double y, double size, RvSheetAnchor anchor, uint32_t color,
                 const char* format, ...) RV_PRINTF(7, 8);
static void text(const Panel* p, double x, double y, double size, RvSheetAnchor anchor, uint32_t color,
                 const char* format, ...) {
  char line[200];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  rv_view_sheet_text(p->sheet, x, y, size, anchor, color, line);
}

// Horizontal grid lines with their values.
static void draw_value_axis(const Panel* p) {
  double range = log10(p->high / p->low);
  double step = p->decades ? fmax(1, ceil(range / 6)) : nice_step(p->high - p->low, 5);
  int count = (int)floor((p->decades ? range : (p->high - p->low) / step) + 1e-6);
  for (int k = 0; k <= count && k < MAX_TICKS; k += p->decades ? (int)step : 1) {
    double v = p->decades ? p->low * pow(10, k) : p->low + k * step, y = y_of(p, v);
    rv_view_sheet_line(p->sheet, 2, (double[]){LEFT, y, LEFT + PLOT, y}, 1, GRID, 0);
    if (p->decades)
      text(p, LEFT - 8, y + 4, 11, RV_SHEET_END, GREY, k == 0 ? "0" : v >= 1e5 || v < 1e-2 ? "%.0e" : "%g", v);
    else
      text(p, LEFT - 8, y + 4, 11, RV_SHEET_END, GREY, "%g", v);
  }
}

// Vertical grid lines with their frames.
static void draw_frame_axis(const Panel* p) {
  double step = fmax(nice_step(p->last - p->first, 12), 1);
  for (double f = ceil(p->first / step) * step; f <= p->last; f += step) {
    double x = x_of(p, f);
    rv_view_sheet_line(p->sheet, 2, (double[]){x, p->top, x, p->top + p->height}, 1, GRID, 0);
    text(p, x, p->top + p->height + 16, 11, RV_SHEET_MIDDLE, GREY, "%g", f);
  }
}

// Background, axes, title and unit of a diagram.
static void draw_frame(const Panel* p, const char* title, const char* unit) {
  rv_view_sheet_rect(p->sheet, LEFT, p->top, PLOT, p->height, GROUND);
  draw_frame_axis(p);
  draw_value_axis(p);
  text(p, LEFT, p->top - 9, 14, RV_SHEET_START, INK, "%s", title);
  text(p, LEFT + PLOT, p->top - 9, 11, RV_SHEET_END, GREY, "%s", unit);
}

// Base line of a diagram.
static void draw_edge(const Panel* p) {
  rv_view_sheet_line(p->sheet, 2, (double[]){LEFT, p->top + p->height, LEFT + PLOT, p->top + p->height}, 1, GREY, 0);
}

// Symbol of a line of the key.
typedef enum Mark { AREA, LINE, DASHED } Mark;

// Adds a line to the key: symbol, name and value.
static void key(Panel* p, Mark mark, uint32_t color, const char* name, const char* format, ...) RV_PRINTF(5, 6);
static void key(Panel* p, Mark mark, uint32_t color, const char* name, const char* format, ...) {
  double y = p->top + 8 + ROW * p->rows++;
  char value[80];
  va_list list;
  va_start(list, format);
  vsnprintf(value, sizeof value, format, list);
  va_end(list);
  if (mark == AREA) rv_view_sheet_rect(p->sheet, KEY, y - 5, 14, 10, color);
  if (mark != AREA)
    rv_view_sheet_line(p->sheet, 2, (double[]){KEY, y, KEY + 14, y}, mark == LINE ? 2.5 : 1.5, color,
                       mark == DASHED ? 4 : 0);
  text(p, KEY + 22, y + 4, 12, RV_SHEET_START, INK, "%.18s", name);
  text(p, WIDTH - 16, y + 4, 12, RV_SHEET_END, GREY, "%s", value);
}

//---------------------------------------------------------------------------------------------- data

// Draws a line through the frames that have a value; a single one becomes a dot.
static void draw_series(const Panel* p, const double* v, double scale, double width, uint32_t color, double dash) {
  double* xy = rv_alloc(p->report->frames, 2 * sizeof *xy);
  size_t n = 0;
  if (!xy) rv_view_sheet_fail(p->sheet);
  for (size_t i = 0; xy && v && i <= p->report->frames; ++i) {
    // A logarithmic axis has no zero: the line is interrupted there.
    if (i < p->report->frames && isfinite(v[i]) && !(p->decades && !(v[i] > 0))) {
      xy[2 * n] = x_of(p, p->frame[i]);
      xy[2 * n++ + 1] = y_of(p, scale * v[i]);
      continue;
    }
    rv_view_sheet_line(p->sheet, n, xy, n == 1 ? 5 : width, color, n == 1 ? 0 : dash);
    n = 0;
  }
  rv_free(xy);
}

// Fills the area below v: as columns, for quantities of a frame such as times, or linearly from frame to frame, for
// amounts at the end of a frame.
static void draw_filled(const Panel* p, const double* v, double scale, bool columns, uint32_t color) {
  size_t n = p->report->frames;
  double *xy = rv_alloc(2 * n + 2, 2 * sizeof *xy), *at = xy;
  if (!xy) rv_view_sheet_fail(p->sheet);
  if (!xy) return;
  columns = columns || n == 1;
  *at++ = x_of(p, columns ? p->first : p->frame[0]);
  *at++ = y_of(p, p->low);
  for (size_t i = 0; i < n; ++i) {
    double a = i ? 0.5 * (p->frame[i - 1] + p->frame[i]) : p->first, y = y_of(p, scale * v[i]);
    double b = i + 1 < n ? 0.5 * (p->frame[i] + p->frame[i + 1]) : p->last;
    *at++ = x_of(p, columns ? a : p->frame[i]);
    *at++ = y;
    if (columns) {
      *at++ = x_of(p, b);
      *at++ = y;
    }
  }
  *at++ = x_of(p, columns ? p->last : p->frame[n - 1]);
  *at++ = y_of(p, p->low);
  rv_view_sheet_area(p->sheet, (size_t)(at - xy) / 2, xy, color);
  rv_free(xy);
}

// Stacked layers, the first at the bottom. Each is drawn down to the base line, from the top layer on, so that no seams
// show.
static void draw_stack(const Panel* p, size_t count, const double* const* layers, const uint32_t* colors, double scale,
                       bool columns) {
  size_t n = p->report->frames;
  double* sum = rv_alloc(n, sizeof *sum);
  if (!sum) rv_view_sheet_fail(p->sheet);
  for (size_t k = count; sum && k-- > 0;) {
    for (size_t i = 0; i < n; ++i) {
      sum[i] = 0;
      for (size_t j = 0; j <= k; ++j) sum[i] += layers[j][i] > 0 ? layers[j][i] : 0;
    }
    draw_filled(p, sum, scale, columns, colors[k]);
  }
  rv_free(sum);
}

// Prints a duration in s, min or h.
static void duration(double seconds, char* out, size_t bytes) {
  if (seconds < 60)
    snprintf(out, bytes, "%.3g s", seconds);
  else if (seconds < 3600)
    snprintf(out, bytes, "%.0f min %.0f s", floor(seconds / 60), fmod(seconds, 60));
  else
    snprintf(out, bytes, "%.0f h %.0f min", floor(seconds / 3600), floor(fmod(seconds, 3600) / 60));
}

//---------------------------------------------------------------------------------------------- panels

// Signed sum of columns at each frame; missing values count as 0. NULL when out of memory: the sheet has failed then.
static double* add_up(const Panel* p, size_t count, const double* const* parts, const double* signs) {
  const RvPlotReport* r = p->report;
  double* out = rv_alloc_zero(r->frames, sizeof *out);
  if (!out) rv_view_sheet_fail(p->sheet);
  for (size_t k = 0; out && k < count; ++k)
    for (size_t i = 0; parts[k] && i < r->frames; ++i) out[i] += isfinite(parts[k][i]) ? signs[k] * parts[k][i] : 0;
  return out;
}

// Readable unit of a volume, and the factor from m3.
static double unit_of(double peak, const char** unit) {
  *unit = peak >= 1 ? "m3" : peak >= 1e-3 ? "litres" : peak >= 1e-6 ? "ml" : "mm3";
  return peak >= 1 ? 1 : peak >= 1e-3 ? 1e3 : peak >= 1e-6 ? 1e6 : 1e9;
}

// Columns of the liquid ledger; the sums are allocated.
typedef struct LedgerColumns {
  const double* stored[3];  // film, absorbed, bulk
  const double* sinks[3];   // killed, evaporated, outflow
  double* total;            // sum of stored
  double* removed;          // sum of sinks
  double* expected;         // initial + sources - sinks
} LedgerColumns;

static const char* const STORED_NAMES[] = {"film", "absorbed", "bulk"};
static const char* const SINK_NAMES[] = {"killed", "evaporated", "outflow"};
static const uint32_t STORED_COLORS[] = {0x2a9d8f, 0x8c6d4f, 0x9cc5ea};

// Finds the columns and makes the sums.
static LedgerColumns ledger_columns(const Panel* p) {
  const RvPlotReport* r = p->report;
  LedgerColumns c;
  for (int k = 0; k < 3; ++k) {
    c.stored[k] = rv_cli_plot_column(r, RV_PLOT_LEDGER, STORED_NAMES[k]);
    c.sinks[k] = rv_cli_plot_column(r, RV_PLOT_SINK, SINK_NAMES[k]);
  }
  const double ones[] = {1, 1, 1};
  const double* in[] = {rv_cli_plot_column(r, RV_PLOT_LEDGER, "initial"),
                        rv_cli_plot_column(r, RV_PLOT_LEDGER, "sources"), c.sinks[0], c.sinks[1], c.sinks[2]};
  c.total = add_up(p, 3, c.stored, ones);
  c.removed = add_up(p, 3, c.sinks, ones);
  c.expected = add_up(p, 5, in, (double[]){1, 1, -1, -1, -1});
  return c;
}

// Adds the amounts of the last frame to the key; sinks only if they removed liquid.
static void liquid_key(Panel* p, const LedgerColumns* c, double scale, const char* unit) {
  size_t last = p->report->frames - 1;
  for (int k = 2; k >= 0; --k)
    key(p, AREA, STORED_COLORS[k], STORED_NAMES[k], "%.4g %s", scale * c->stored[k][last], unit);
  key(p, DASHED, INK, "came in - went out", "%.4g %s", scale * c->expected[last], unit);
  key(p, LINE, RED, "went out", "%.4g %s", scale * c->removed[last], unit);
  for (int k = 0; k < 3; ++k)
    if (largest(p->report, c->sinks[k]) > 0) {
      text(p, KEY + 34, p->top + 12 + ROW * p->rows, 12, RV_SHEET_START, GREY, "%s", SINK_NAMES[k]);
      text(p, WIDTH - 16, p->top + 12 + ROW * p->rows++, 12, RV_SHEET_END, GREY, "%.4g %s", scale * c->sinks[k][last],
           unit);
    }
}

// Diagram of all liquid: bulk, absorbed and film stacked, with the balance of what came in and went out.
static void draw_liquid(Panel* p) {
  const RvPlotReport* r = p->report;
  LedgerColumns c = ledger_columns(p);
  bool whole = c.stored[0] && c.stored[1] && c.stored[2] && c.total && c.removed && c.expected;
  double peak = whole ? fmax(fmax(largest(r, c.total), largest(r, c.expected)), largest(r, c.removed)) : 0;
  const char* unit;
  double scale = unit_of(peak, &unit);
  p->high = peak > 0 ? HEADROOM * scale * peak : 1;
  draw_frame(p, "Liquid", unit);
  if (!(peak > 0)) text(p, LEFT + PLOT / 2, p->top + p->height / 2, 13, RV_SHEET_MIDDLE, GREY, "no liquid");
  if (peak > 0) {
    draw_stack(p, 3, c.stored, STORED_COLORS, scale, false);
    draw_series(p, c.removed, scale, 2, RED, 0);
    draw_series(p, c.expected, scale, 1.5, INK, 5);
    liquid_key(p, &c, scale, unit);
  }
  draw_edge(p);
  rv_free(c.total);
  rv_free(c.removed);
  rv_free(c.expected);
}

// Diagram of the liquid on and in hair alone, which may be a thousandth of the bulk.
static void draw_film(Panel* p) {
  const RvPlotReport* r = p->report;
  const uint32_t colors[] = {0x2a9d8f, 0x8c6d4f};
  const double* parts[] = {rv_cli_plot_column(r, RV_PLOT_LEDGER, "film"),
                           rv_cli_plot_column(r, RV_PLOT_LEDGER, "absorbed")};
  double* total = add_up(p, 2, parts, (double[]){1, 1});
  double peak = parts[0] && parts[1] && total ? largest(r, total) : 0;
  const char* unit;
  double scale = unit_of(peak, &unit);
  p->high = peak > 0 ? HEADROOM * scale * peak : 1;
  draw_frame(p, "Liquid on and in hair", unit);
  if (!(peak > 0)) text(p, LEFT + PLOT / 2, p->top + p->height / 2, 13, RV_SHEET_MIDDLE, GREY, "none");
  if (peak > 0) {
    draw_stack(p, 2, parts, colors, scale, false);
    key(p, AREA, colors[1], "absorbed", "%.4g %s", scale * parts[1][r->frames - 1], unit);
    key(p, AREA, colors[0], "film", "%.4g %s", scale * parts[0][r->frames - 1], unit);
  }
  draw_edge(p);
  rv_free(total);
}

// Largest relative drift of the ledger.
static double worst_drift(const RvPlotReport* r) {
  const double* drift = rv_cli_plot_column(r, RV_PLOT_LEDGER, "drift");
  double peak = 0;
  for (size_t i = 0; drift && i < r->frames; ++i) peak = fmax(peak, fabs(drift[i]));
  return peak;
}

// Diagram of the drift of the ledger, logarithmic, with the promised limit.
static void draw_drift(Panel* p) {
  const RvPlotReport* r = p->report;
  const double* drift = rv_cli_plot_column(r, RV_PLOT_LEDGER, "drift");
  double peak = worst_drift(r);
  p->decades = true;
  p->low = LEAST_DRIFT;
  p->high = pow(10, fmax(ceil(log10(fmax(peak, 1e-11))), -11));
  draw_frame(p, "Drift of the ledger", "share of the liquid that came in");
  double y = y_of(p, PROMISED_DRIFT);
  rv_view_sheet_line(p->sheet, 2, (double[]){LEFT, y, LEFT + PLOT, y}, 1.5, GREY, 5);
  for (size_t i = 0; drift && i < r->frames; ++i)
    if (isfinite(drift[i]))
      rv_view_sheet_line(p->sheet, 1, (double[]){x_of(p, p->frame[i]), y_of(p, fabs(drift[i]))}, 4, RED, 0);
  key(p, LINE, RED, "worst", "%.2g", peak);
  key(p, DASHED, GREY, "promised", "1e-12");
  draw_edge(p);
}

// A stage and its time in all frames.
typedef struct Share {
  const RvPlotColumn* column;
  double sum;  // seconds
} Share;

// Longest first, then by column, for qsort.
static int by_sum(const void* a, const void* b) {
  const Share *x = a, *y = b;
  if (x->sum != y->sum) return x->sum > y->sum ? -1 : 1;
  return x->column < y->column ? -1 : 1;
}

// Stage times as layers of the diagram: the longest stages one by one, all others as one layer.
typedef struct StageLayers {
  Share shares[RV_PLOT_MAX_COLUMNS];  // of all stages, longest first
  double all;                         // seconds of all stages
  const double* layers[SHOWN + 1];
  size_t shown;      // layers
  double* other;     // the last layer, sum of the shorter stages; allocated
  double other_sum;  // its seconds
  double* stacked;   // sum of the layers; allocated
} StageLayers;

// Sorts the stages by time and sums up those beyond SHOWN.
static void stage_layers(const Panel* p, StageLayers* s) {
  const RvPlotReport* r = p->report;
  size_t n = 0;
  s->all = 0;
  for (size_t k = 0; k < r->count; ++k)
    if (r->columns[k].group == RV_PLOT_STAGE) {
      s->shares[n] = (Share){&r->columns[k], sum_of(r, r->columns[k].values)};
      s->all += s->shares[n++].sum;
    }
  qsort(s->shares, n, sizeof *s->shares, by_sum);
  // The longest are layers of their own, the others are summed up.
  s->shown = n > SHOWN ? SHOWN : n;
  s->other_sum = 0;
  const double* others[RV_PLOT_MAX_COLUMNS] = {0};
  double ones[RV_PLOT_MAX_COLUMNS] = {0};
  for (size_t k = 0; k < n; ++k) {
    ones[k] = 1;
    if (k < s->shown) s->layers[k] = s->shares[k].column->values;
    if (k >= s->shown) {
      others[k - s->shown] = s->shares[k].column->values;
      s->other_sum += s->shares[k].sum;
    }
  }
  s->other = add_up(p, n - s->shown, others, ones);
  if (s->other && n > s->shown) s->layers[s->shown++] = s->other;
  s->stacked = add_up(p, s->shown, s->layers, ones);
}

// Adds clock time, CPU time and the share of each layer to the key.
static void times_key(Panel* p, const StageLayers* s, const double* wall, const double* cpu) {
  char time[40];
  duration(sum_of(p->report, wall), time, sizeof time);
  key(p, LINE, INK, "clock", "%s", time);
  duration(sum_of(p->report, cpu), time, sizeof time);
  key(p, DASHED, INK, "CPU", "%s", time);
  for (size_t k = s->shown; k-- > 0;) {
    bool last = s->layers[k] == s->other;
    double sum = last ? s->other_sum : s->shares[k].sum;
    duration(sum, time, sizeof time);
    key(p, AREA, palette[k], last ? "others" : s->shares[k].column->name, "%s  %.0f%%", time,
        s->all > 0 ? 100 * sum / s->all : 0);
  }
}

// Diagram of the time by stage, with clock and CPU time of the frame.
static void draw_times(Panel* p) {
  const RvPlotReport* r = p->report;
  StageLayers s;
  stage_layers(p, &s);
  const double* wall = rv_cli_plot_column(r, RV_PLOT_FRAME, "seconds");
  const double* cpu = rv_cli_plot_column(r, RV_PLOT_FRAME, "cpu_seconds");
  double peak = fmax(fmax(largest(r, s.stacked), largest(r, wall)), largest(r, cpu));
  bool short_frames = peak<0.1, long_frames = peak> 600;  // seconds
  double scale = short_frames ? 1e3 : long_frames ? 1.0 / 60 : 1;
  p->high = peak > 0 ? HEADROOM * scale * peak : 1;
  draw_frame(p, "Time by stage", short_frames ? "ms a frame" : long_frames ? "minutes a frame" : "seconds a frame");
  draw_stack(p, s.shown, s.layers, palette, scale, true);
  draw_series(p, cpu, scale, 1.5, INK, 5);
  draw_series(p, wall, scale, 2, INK, 0);
  times_key(p, &s, wall, cpu);
  draw_edge(p);
  rv_free(s.other);
  rv_free(s.stacked);
}

// Diagram of substeps and solver iterations; red marks below are frames with warnings.
static void draw_substeps(Panel* p) {
  const RvPlotReport* r = p->report;
  const double* substeps = rv_cli_plot_column(r, RV_PLOT_FRAME, "substeps");
  const double* iterations = rv_cli_plot_column(r, RV_PLOT_FRAME, "iterations");
  const double* warnings = rv_cli_plot_column(r, RV_PLOT_FRAME, "warnings");
  p->high = fmax(1.1 * fmax(largest(r, substeps), largest(r, iterations)), 1);
  draw_frame(p, "Substeps and iterations", "a frame; red below: warnings");
  draw_series(p, iterations, 1, 2, palette[1], 0);
  draw_series(p, substeps, 1, 2, palette[0], 0);
  size_t warned = 0;
  double y = p->top + p->height;
  for (size_t i = 0; warnings && i < r->frames; ++i) {
    if (!(warnings[i] > 0)) continue;
    double x = x_of(p, p->frame[i]);
    rv_view_sheet_line(p->sheet, 2, (double[]){x, y - 7, x, y}, 2, RED, 0);
    ++warned;
  }
  key(p, LINE, palette[0], "substeps", "%.0f in all", sum_of(r, substeps));
  key(p, LINE, palette[1], "iterations", "%.0f in all", sum_of(r, iterations));
  if (warned) key(p, LINE, RED, "warnings", "%zu of %zu frames", warned, r->frames);
  draw_edge(p);
}

// Diagram of the counts, logarithmic.
static void draw_counts(Panel* p) {
  const RvPlotReport* r = p->report;
  double peak = 1;
  for (size_t k = 0; k < r->count; ++k)
    if (r->columns[k].group == RV_PLOT_COUNT) peak = fmax(peak, largest(r, r->columns[k].values));
  p->decades = true;
  p->low = 0.1;
  p->high = pow(10, fmax(ceil(log10(peak)), 1));
  draw_frame(p, "Counts", "at the end of the frame");
  for (size_t k = 0, shown = 0; k < r->count && shown <= SHOWN; ++k) {
    const RvPlotColumn* c = &r->columns[k];
    if (c->group != RV_PLOT_COUNT || !(largest(r, c->values) > 0)) continue;
    draw_series(p, c->values, 1, 2, palette[shown], 0);
    key(p, LINE, palette[shown++], c->name, "%.0f", c->values[r->frames - 1]);
  }
  draw_edge(p);
}

//---------------------------------------------------------------------------------------------- sheet

// Name of the report and its summary.
static void draw_head(const Panel* p, const char* title) {
  const RvPlotReport* r = p->report;
  char wall[40], cpu[40];
  duration(sum_of(r, rv_cli_plot_column(r, RV_PLOT_FRAME, "seconds")), wall, sizeof wall);
  duration(sum_of(r, rv_cli_plot_column(r, RV_PLOT_FRAME, "cpu_seconds")), cpu, sizeof cpu);
  const char* slash = strrchr(title, '/');
  text(p, LEFT, 38, 20, RV_SHEET_START, INK, "%.80s", slash ? slash + 1 : title);
  text(p, LEFT, 60, 12, RV_SHEET_START, GREY,
       "frames %g to %g   |   %s by the clock, %s of CPU   |   worst drift %.2g%s", p->frame[0],
       p->frame[r->frames - 1], wall, cpu, worst_drift(r), r->merged > 1 ? "   |   points are means of frames" : "");
}

RvSheet* rv_cli_plot_draw(const RvPlotReport* r, const char* title) {
  // Diagrams from top to bottom, with their heights.
  static const struct {
    void (*draw)(Panel*);
    int height;
  } panels[] = {{draw_liquid, 190}, {draw_film, 110},     {draw_drift, 90},
                {draw_times, 250},  {draw_substeps, 100}, {draw_counts, 170}};
  enum { COUNT = sizeof panels / sizeof *panels, HEAD = 108, GAP = 58 };
  double height = HEAD + 16 + ROW * (double)r->nnote;
  for (int i = 0; i < COUNT; ++i) height += panels[i].height + (i ? GAP : 0);
  RvSheet* sheet = rv_view_sheet_new(WIDTH, height + 24);
  if (!sheet) return NULL;
  // All diagrams share the frame axis, which reaches half a frame beyond both ends.
  const double* frame = rv_cli_plot_column(r, RV_PLOT_FRAME, "frame");
  double first = frame[0], last = frame[r->frames - 1];
  double half = r->frames > 1 ? 0.5 * (last - first) / (double)(r->frames - 1) : 0.5;
  Panel p = {.sheet = sheet, .report = r, .frame = frame, .first = first - half, .last = last + half};
  draw_head(&p, title);
  p.top = HEAD;
  for (int i = 0; i < COUNT; ++i) {
    p.height = panels[i].height;
    p.low = 0;
    p.high = 1;
    p.decades = false;
    p.rows = 0;
    panels[i].draw(&p);
    p.top += p.height + GAP;
  }
  // Label of the axis, and the first warnings.
  text(&p, LEFT + PLOT, p.top - GAP + 34, 11, RV_SHEET_END, GREY, "frame");
  for (size_t i = 0; i < r->nnote; ++i)
    text(&p, LEFT, p.top - GAP + 44 + ROW * (double)i, 11, RV_SHEET_START, RED, "%.150s", r->notes[i]);
  return sheet;
}
