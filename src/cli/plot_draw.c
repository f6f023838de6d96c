// The sheet: liquid, what of it is on hair, drift, stage times, substeps and counts, one below the other over the same
// frames.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/plot.h"

enum { WIDTH = 1280, LEFT = 84, PLOT = 900, KEY = LEFT + PLOT + 28, SHOWN = 11, ROW = 17 };
enum { INK = 0x22262b, GREY = 0x6b727a, GRID = 0xe3e6ea, GROUND = 0xf8f9fb, RED = 0xc8423b };

static const uint32_t palette[SHOWN + 1] = {0x2f6db3, 0xe9962e, 0x2a9d8f, 0xc8423b, 0x7a5ea8, 0x7fb8e6,
                                            0x8c6d4f, 0xd98cb3, 0x9aa63b, 0x4a5a6a, 0xf2cf5b, 0xb9bdc3};

// One diagram of the sheet.
typedef struct Panel {
  RvSheet* sheet;
  const RvPlotReport* report;
  const double* frame;
  double first, last;  // frames at its sides
  double top, height;
  double low, high;  // values at its bottom and top; of logarithms the values themselves
  bool decades;
  int rows;  // of the key
} Panel;

//---------------------------------------------------------------------------------------------- places

static double x_of(const Panel* p, double frame) {
  return LEFT + PLOT * (frame - p->first) / (p->last - p->first);
}

static double y_of(const Panel* p, double value) {
  double lo = p->decades ? log10(p->low) : p->low, hi = p->decades ? log10(p->high) : p->high;
  double v = p->decades ? log10(fmax(value, p->low)) : value;
  return p->top + p->height * (1 - fmin(fmax((v - lo) / (hi - lo), 0), 1));
}

// a step of 1, 2 or 5 that gives `wanted` of them or a few more
static double nice_step(double range, double wanted) {
  double raw = range / wanted, ten = pow(10, floor(log10(raw))), part = raw / ten;
  return ten * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

static double largest(const RvPlotReport* r, const double* v) {
  double most = 0;
  for (size_t i = 0; v && i < r->frames; ++i)
    if (v[i] > most) most = v[i];
  return most;
}

// of all frames, also where a point stands for several
static double sum_of(const RvPlotReport* r, const double* v) {
  double sum = 0;
  for (size_t i = 0; v && i < r->frames; ++i)
    if (v[i] > 0) sum += v[i];
  return sum * r->merged;
}

//---------------------------------------------------------------------------------------------- frame

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

static void draw_value_axis(const Panel* p) {
  double range = log10(p->high / p->low), step = p->decades ? fmax(1, ceil(range / 6)) : nice_step(p->high - p->low, 5);
  int count = (int)floor((p->decades ? range : (p->high - p->low) / step) + 1e-6);
  for (int k = 0; k <= count && k < 400; k += p->decades ? (int)step : 1) {
    double v = p->decades ? p->low * pow(10, k) : p->low + k * step, y = y_of(p, v);
    rv_view_sheet_line(p->sheet, 2, (double[]){LEFT, y, LEFT + PLOT, y}, 1, GRID, 0);
    if (p->decades)
      text(p, LEFT - 8, y + 4, 11, RV_SHEET_END, GREY, k == 0 ? "0" : v >= 1e5 || v < 1e-2 ? "%.0e" : "%g", v);
    else
      text(p, LEFT - 8, y + 4, 11, RV_SHEET_END, GREY, "%g", v);
  }
}

static void draw_frame_axis(const Panel* p) {
  double step = fmax(nice_step(p->last - p->first, 12), 1);
  for (double f = ceil(p->first / step) * step; f <= p->last; f += step) {
    double x = x_of(p, f);
    rv_view_sheet_line(p->sheet, 2, (double[]){x, p->top, x, p->top + p->height}, 1, GRID, 0);
    text(p, x, p->top + p->height + 16, 11, RV_SHEET_MIDDLE, GREY, "%g", f);
  }
}

static void draw_frame(const Panel* p, const char* title, const char* unit) {
  rv_view_sheet_rect(p->sheet, LEFT, p->top, PLOT, p->height, GROUND);
  draw_frame_axis(p);
  draw_value_axis(p);
  text(p, LEFT, p->top - 9, 14, RV_SHEET_START, INK, "%s", title);
  text(p, LEFT + PLOT, p->top - 9, 11, RV_SHEET_END, GREY, "%s", unit);
}

static void draw_edge(const Panel* p) {
  rv_view_sheet_line(p->sheet, 2, (double[]){LEFT, p->top + p->height, LEFT + PLOT, p->top + p->height}, 1, GREY, 0);
}

typedef enum Mark { AREA, LINE, DASHED } Mark;

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

// a line through the frames that have a value
static void draw_series(const Panel* p, const double* v, double scale, double width, uint32_t color, double dash) {
  double* xy = rv_alloc(p->report->frames, 2 * sizeof *xy);
  size_t n = 0;
  for (size_t i = 0; xy && v && i <= p->report->frames; ++i) {
    // a logarithm has no zero: the line ends there
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

// What is filled from the bottom up to `v`: a column a frame for what a frame takes, or straight from frame to frame
// for what there is at its end.
static void draw_filled(const Panel* p, const double* v, double scale, bool columns, uint32_t color) {
  size_t n = p->report->frames;
  double *xy = rv_alloc(2 * n + 2, 2 * sizeof *xy), *at = xy;
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

// Layers on top of each other, the first lowest. Drawn whole from the highest down, so that no seams show.
static void draw_stack(const Panel* p, size_t count, const double* const* layers, const uint32_t* colors, double scale,
                       bool columns) {
  size_t n = p->report->frames;
  double* sum = rv_alloc(n, sizeof *sum);
  for (size_t k = count; sum && k-- > 0;) {
    for (size_t i = 0; i < n; ++i) {
      sum[i] = 0;
      for (size_t j = 0; j <= k; ++j) sum[i] += layers[j][i] > 0 ? layers[j][i] : 0;
    }
    draw_filled(p, sum, scale, columns, colors[k]);
  }
  rv_free(sum);
}

static void duration(double seconds, char* out, size_t bytes) {
  if (seconds < 60)
    snprintf(out, bytes, "%.3g s", seconds);
  else if (seconds < 3600)
    snprintf(out, bytes, "%.0f min %.0f s", floor(seconds / 60), fmod(seconds, 60));
  else
    snprintf(out, bytes, "%.0f h %.0f min", floor(seconds / 3600), floor(fmod(seconds, 3600) / 60));
}

//---------------------------------------------------------------------------------------------- panels

// new numbers for all frames: a + b + ... of those that are there
static double* add_up(const RvPlotReport* r, size_t count, const double* const* parts, const double* signs) {
  double* out = rv_alloc_zero(r->frames, sizeof *out);
  for (size_t k = 0; out && k < count; ++k)
    for (size_t i = 0; parts[k] && i < r->frames; ++i) out[i] += isfinite(parts[k][i]) ? signs[k] * parts[k][i] : 0;
  return out;
}

// what a volume in m3 is multiplied by to be read
static double unit_of(double most, const char** unit) {
  *unit = most >= 1 ? "m3" : most >= 1e-3 ? "litres" : most >= 1e-6 ? "ml" : "mm3";
  return most >= 1 ? 1 : most >= 1e-3 ? 1e3 : most >= 1e-6 ? 1e6 : 1e9;
}

static void draw_liquid(Panel* p) {
  const RvPlotReport* r = p->report;
  static const char *const held[] = {"film", "absorbed", "bulk"}, *const gone[] = {"killed", "evaporated", "outflow"};
  const uint32_t colors[] = {0x2a9d8f, 0x8c6d4f, 0x9cc5ea};
  const double *parts[3], *sinks[3], ones[] = {1, 1, 1, 1, 1};
  for (int k = 0; k < 3; ++k) {
    parts[k] = rv_cli_plot_column(r, RV_PLOT_LEDGER, held[k]);
    sinks[k] = rv_cli_plot_column(r, RV_PLOT_SINK, gone[k]);
  }
  const double* in[] = {rv_cli_plot_column(r, RV_PLOT_LEDGER, "initial"),
                        rv_cli_plot_column(r, RV_PLOT_LEDGER, "sources"), sinks[0], sinks[1], sinks[2]};
  double *total = add_up(r, 3, parts, ones), *out = add_up(r, 3, sinks, ones),
         *due = add_up(r, 5, in, (double[]){1, 1, -1, -1, -1});
  bool whole = parts[0] && parts[1] && parts[2] && total && out && due;
  double most = whole ? fmax(fmax(largest(r, total), largest(r, due)), largest(r, out)) : 0;
  const char* unit;
  double scale = unit_of(most, &unit);
  p->high = most > 0 ? 1.06 * scale * most : 1;
  draw_frame(p, "Liquid", unit);
  if (!(most > 0)) text(p, LEFT + PLOT / 2, p->top + p->height / 2, 13, RV_SHEET_MIDDLE, GREY, "no liquid");
  if (most > 0) {
    size_t last = r->frames - 1;
    draw_stack(p, 3, parts, colors, scale, false);
    draw_series(p, out, scale, 2, RED, 0);
    draw_series(p, due, scale, 1.5, INK, 5);
    for (int k = 2; k >= 0; --k) key(p, AREA, colors[k], held[k], "%.4g %s", scale * parts[k][last], unit);
    key(p, DASHED, INK, "came in - went out", "%.4g %s", scale * due[last], unit);
    key(p, LINE, RED, "went out", "%.4g %s", scale * out[last], unit);
    for (int k = 0; k < 3; ++k)
      if (largest(r, sinks[k]) > 0) {
        text(p, KEY + 34, p->top + 12 + ROW * p->rows, 12, RV_SHEET_START, GREY, "%s", gone[k]);
        text(p, WIDTH - 16, p->top + 12 + ROW * p->rows++, 12, RV_SHEET_END, GREY, "%.4g %s", scale * sinks[k][last],
             unit);
      }
  }
  draw_edge(p);
  rv_free(total);
  rv_free(out);
  rv_free(due);
}

// the same without the bulk, of which it may be a thousandth
static void draw_film(Panel* p) {
  const RvPlotReport* r = p->report;
  const uint32_t colors[] = {0x2a9d8f, 0x8c6d4f};
  const double* parts[] = {rv_cli_plot_column(r, RV_PLOT_LEDGER, "film"),
                           rv_cli_plot_column(r, RV_PLOT_LEDGER, "absorbed")};
  double* total = add_up(r, 2, parts, (double[]){1, 1});
  double most = parts[0] && parts[1] && total ? largest(r, total) : 0;
  const char* unit;
  double scale = unit_of(most, &unit);
  p->high = most > 0 ? 1.06 * scale * most : 1;
  draw_frame(p, "Liquid on and in hair", unit);
  if (!(most > 0)) text(p, LEFT + PLOT / 2, p->top + p->height / 2, 13, RV_SHEET_MIDDLE, GREY, "none");
  if (most > 0) {
    draw_stack(p, 2, parts, colors, scale, false);
    key(p, AREA, colors[1], "absorbed", "%.4g %s", scale * parts[1][r->frames - 1], unit);
    key(p, AREA, colors[0], "film", "%.4g %s", scale * parts[0][r->frames - 1], unit);
  }
  draw_edge(p);
  rv_free(total);
}

static double worst_drift(const RvPlotReport* r) {
  const double* drift = rv_cli_plot_column(r, RV_PLOT_LEDGER, "drift");
  double most = 0;
  for (size_t i = 0; drift && i < r->frames; ++i) most = fmax(most, fabs(drift[i]));
  return most;
}

static void draw_drift(Panel* p) {
  const RvPlotReport* r = p->report;
  const double* drift = rv_cli_plot_column(r, RV_PLOT_LEDGER, "drift");
  double most = worst_drift(r);
  p->decades = true;
  p->low = 1e-18;
  p->high = pow(10, fmax(ceil(log10(fmax(most, 1e-11))), -11));
  draw_frame(p, "Drift of the ledger", "share of the liquid that came in");
  double y = y_of(p, 1e-12);
  rv_view_sheet_line(p->sheet, 2, (double[]){LEFT, y, LEFT + PLOT, y}, 1.5, GREY, 5);
  for (size_t i = 0; drift && i < r->frames; ++i)
    if (isfinite(drift[i]))
      rv_view_sheet_line(p->sheet, 1, (double[]){x_of(p, p->frame[i]), y_of(p, fabs(drift[i]))}, 4, RED, 0);
  key(p, LINE, RED, "worst", "%.2g", most);
  key(p, DASHED, GREY, "what is promised", "1e-12");
  draw_edge(p);
}

typedef struct Share {
  const RvPlotColumn* column;
  double sum;
} Share;

static int by_sum(const void* a, const void* b) {
  const Share *x = a, *y = b;
  if (x->sum != y->sum) return x->sum > y->sum ? -1 : 1;
  return x->column < y->column ? -1 : 1;
}

static void draw_times(Panel* p) {
  const RvPlotReport* r = p->report;
  Share shares[RV_PLOT_MOST_COLUMNS];
  size_t n = 0;
  double all = 0;
  for (size_t k = 0; k < r->count; ++k)
    if (r->columns[k].group == RV_PLOT_STAGE) {
      shares[n].column = &r->columns[k];
      all += shares[n++].sum = sum_of(r, r->columns[k].values);
    }
  qsort(shares, n, sizeof *shares, by_sum);
  size_t shown = n > SHOWN ? SHOWN : n;
  const double *layers[SHOWN + 1], *rest[RV_PLOT_MOST_COLUMNS];
  double ones[RV_PLOT_MOST_COLUMNS], others = 0;
  for (size_t k = 0; k < n; ++k) {
    ones[k] = 1;
    if (k < shown) layers[k] = shares[k].column->values;
    if (k >= shown) {
      rest[k - shown] = shares[k].column->values;
      others += shares[k].sum;
    }
  }
  double *other = add_up(r, n - shown, rest, ones), *stacked = NULL;
  if (other && n > shown) layers[shown++] = other;
  stacked = add_up(r, shown, layers, ones);
  const double *wall = rv_cli_plot_column(r, RV_PLOT_FRAME, "seconds"),
               *cpu = rv_cli_plot_column(r, RV_PLOT_FRAME, "cpu_seconds");
  double most = fmax(fmax(largest(r, stacked), largest(r, wall)), largest(r, cpu));
  double scale = most < 0.1 ? 1e3 : most > 600 ? 1.0 / 60 : 1;
  p->high = most > 0 ? 1.06 * scale * most : 1;
  draw_frame(p, "Time by stage", most < 0.1 ? "ms a frame" : most > 600 ? "minutes a frame" : "seconds a frame");
  draw_stack(p, shown, layers, palette, scale, true);
  draw_series(p, cpu, scale, 1.5, INK, 5);
  draw_series(p, wall, scale, 2, INK, 0);
  char time[40];
  duration(sum_of(r, wall), time, sizeof time);
  key(p, LINE, INK, "clock", "%s", time);
  duration(sum_of(r, cpu), time, sizeof time);
  key(p, DASHED, INK, "CPU", "%s", time);
  for (size_t k = shown; k-- > 0;) {
    bool last = layers[k] == other;
    double sum = last ? others : shares[k].sum;
    duration(sum, time, sizeof time);
    key(p, AREA, palette[k], last ? "others" : shares[k].column->name, "%s  %.0f%%", time,
        all > 0 ? 100 * sum / all : 0);
  }
  draw_edge(p);
  rv_free(other);
  rv_free(stacked);
}

static void draw_substeps(Panel* p) {
  const RvPlotReport* r = p->report;
  const double *substeps = rv_cli_plot_column(r, RV_PLOT_FRAME, "substeps"),
               *iterations = rv_cli_plot_column(r, RV_PLOT_FRAME, "iterations"),
               *warnings = rv_cli_plot_column(r, RV_PLOT_FRAME, "warnings");
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

static void draw_counts(Panel* p) {
  const RvPlotReport* r = p->report;
  double most = 1;
  for (size_t k = 0; k < r->count; ++k)
    if (r->columns[k].group == RV_PLOT_COUNT) most = fmax(most, largest(r, r->columns[k].values));
  p->decades = true;
  p->low = 0.1;
  p->high = pow(10, fmax(ceil(log10(most)), 1));
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
  text(&p, LEFT + PLOT, p.top - GAP + 34, 11, RV_SHEET_END, GREY, "frame");
  for (size_t i = 0; i < r->nnote; ++i)
    text(&p, LEFT, p.top - GAP + 44 + ROW * (double)i, 11, RV_SHEET_START, RED, "%.150s", r->notes[i]);
  return sheet;
}
