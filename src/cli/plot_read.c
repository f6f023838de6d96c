// Reads the report of a cook: JSON lines to columns, sorted by frame and thinned for the sheet.
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/describe.h"
#include "cli/plot.h"

enum {
  MAX_BYTES = 1 << 29,  // of a report; 100,000 frames take about 200 MB
  MAX_POINTS = 1600,    // of a column on the sheet
  SAME_PREFIX = 40      // characters that make two warnings the same
};

static const double LARGEST_NUMBER = 1e100;  // beyond it a value is an error of the file
static const double LARGEST_FRAME = 1e9;     // beyond it neighbouring frames can no longer be told apart

// Position in the file.
typedef struct Reading {
  RvPlotReport* report;
  const char* path;
  size_t line;   // from 1
  size_t frame;  // index of the line among those with a frame
  RvError* error;
} Reading;

// Fails with file, line and the key at fault.
static RvResult refuse(const Reading* r, const char* what, const char* key) {
  return rv_fail(r->error, RV_BAD_FILE, "%s:%zu: %s%s%s%s", r->path, r->line, what, key ? " '" : "", key ? key : "",
                 key ? "'" : "");
}

//---------------------------------------------------------------------------------------------- columns

// Finds a column; NULL if there is none.
static RvPlotColumn* find(const RvPlotReport* r, RvPlotGroup group, const char* name) {
  for (size_t i = 0; i < r->count; ++i)
    if (r->columns[i].group == group && strncmp(r->columns[i].name, name, RV_PLOT_NAME - 1) == 0)
      return (RvPlotColumn*)&r->columns[i];
  return NULL;
}

const double* rv_cli_plot_column(const RvPlotReport* report, RvPlotGroup group, const char* name) {
  const RvPlotColumn* c = find(report, group, name);
  return c ? c->values : NULL;
}

// Sets the value of a column at the current frame; a new column starts as NAN.
static RvResult put(Reading* r, RvPlotGroup group, const char* name, double value) {
  RvPlotReport* p = r->report;
  RvPlotColumn* c = find(p, group, name);
  if (!c) {
    if (p->count == RV_PLOT_MAX_COLUMNS)
      return refuse(r, "too many different columns: this is not the report of a cook", NULL);
    c = &p->columns[p->count];
    c->values = rv_alloc(p->capacity, sizeof *c->values);
    if (!c->values) return rv_fail(r->error, RV_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < p->capacity; ++i) c->values[i] = NAN;
    c->group = group;
    snprintf(c->name, sizeof c->name, "%.*s", RV_PLOT_NAME - 1, name);
    p->count++;
  }
  c->values[r->frame] = value;
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- a line

// Reads a number; null, which stands for values that are not finite, stays NAN.
static RvResult put_number(Reading* r, RvPlotGroup group, const char* name, const json_t* value) {
  if (json_is_null(value)) return RV_OK;
  if (!json_is_number(value)) return refuse(r, "this should be a number:", name);
  double x = json_number_value(value);
  return fabs(x) < LARGEST_NUMBER ? put(r, group, name, x) : refuse(r, "this number is out of range:", name);
}

// Reads all numbers of an object, and the sinks of the ledger.
static RvResult put_object(Reading* r, RvPlotGroup group, const json_t* line, const char* key) {
  json_t* object = json_object_get(line, key);
  if (!object) return refuse(r, "there is no", key);
  if (!json_is_object(object)) return refuse(r, "this should be an object:", key);
  const char* name;
  json_t* value;
  RvResult result = RV_OK;
  json_object_foreach(object, name, value) {
    if (group == RV_PLOT_LEDGER && strcmp(name, "sinks") == 0)
      result = put_object(r, RV_PLOT_SINK, object, "sinks");
    else
      result = put_number(r, group, name, value);
    if (result) break;
  }
  return result;
}

// Counts the warnings of a frame and keeps the first different ones.
static RvResult put_warnings(Reading* r, const json_t* line) {
  const json_t* list = json_object_get(line, "warnings");
  if (list && !json_is_array(list)) return refuse(r, "this should be a list:", "warnings");
  RvPlotReport* p = r->report;
  for (size_t i = 0; i < json_array_size(list); ++i) {
    const char* text = json_string_value(json_array_get(list, i));
    if (!text) return refuse(r, "these should be texts:", "warnings");
    char note[sizeof *p->notes];
    snprintf(note, sizeof note, "%s", text);
    bool known = p->nnote == RV_PLOT_NOTES;
    // Warnings that differ in digits only are the same.
    for (size_t k = 0; k < p->nnote && !known; ++k) {
      const char *a = p->notes[k], *b = note;
      while (*a && *b && (*a == *b || (strchr("0123456789", *a) && strchr("0123456789", *b)))) {
        ++a;
        ++b;
      }
      known = b - note > SAME_PREFIX || (!*a && !*b);
    }
    if (!known) memcpy(p->notes[p->nnote++], note, sizeof note);
  }
  return put(r, RV_PLOT_FRAME, "warnings", (double)json_array_size(list));
}

// Reads one line of the report.
static RvResult read_line(Reading* r, const char* text, size_t bytes) {
  json_error_t fault;
  rv_cli_json_begin();
  json_t* line = rv_cli_json_load(text, bytes, &fault);
  if (rv_cli_json_failed()) {
    json_decref(line);
    return rv_fail(r->error, RV_NO_MEMORY, "out of memory for '%s'", r->path);
  }
  if (!line)
    return rv_fail(r->error, RV_BAD_FILE,
                   "%s:%zu: this is not a line of a report (%s, column %d); the file may be incomplete", r->path,
                   r->line, fault.text, fault.column);
  static const char* const plain[] = {"seconds", "cpu_seconds", "substeps", "iterations"};
  RvResult result = json_is_object(line) ? RV_OK : refuse(r, "a line of a report is an object", NULL);
  json_t* frame = json_object_get(line, "frame");
  if (!result && !json_is_number(frame)) result = refuse(r, "there is no number", "frame");
  if (!result && !(fabs(json_number_value(frame)) <= LARGEST_FRAME))
    result = refuse(r, "this number is out of range:", "frame");
  if (!result) result = put_number(r, RV_PLOT_FRAME, "frame", frame);
  for (int i = 0; i < 4 && !result; ++i) {
    json_t* value = json_object_get(line, plain[i]);
    result = value ? put_number(r, RV_PLOT_FRAME, plain[i], value) : refuse(r, "there is no", plain[i]);
  }
  if (!result) result = put_object(r, RV_PLOT_STAGE, line, "stages");
  if (!result) result = put_object(r, RV_PLOT_COUNT, line, "counts");
  if (!result) result = put_object(r, RV_PLOT_LEDGER, line, "ledger");
  if (!result) result = put_warnings(r, line);
  json_decref(line);
  return result;
}

//---------------------------------------------------------------------------------------------- frames

// A frame and its line.
typedef struct Order {
  double frame;
  size_t index;
} Order;

// Order by frame, then by line, for qsort.
static int by_frame(const void* a, const void* b) {
  const Order *x = a, *y = b;
  if (x->frame != y->frame) return x->frame < y->frame ? -1 : 1;
  return x->index < y->index ? -1 : 1;
}

// Sorts all columns by frame; of equal frames the last line is kept.
static RvResult sort_frames(RvPlotReport* p, RvError* error) {
  Order* order = rv_alloc(p->frames, sizeof *order);
  double* room = rv_alloc(p->frames, sizeof *room);
  bool enough = order && room;
  size_t n = 0;
  for (size_t i = 0; enough && i < p->frames; ++i) order[i] = (Order){p->columns[0].values[i], i};
  if (enough) qsort(order, p->frames, sizeof *order, by_frame);
  for (size_t i = 0; enough && i < p->frames; ++i)
    if (i + 1 == p->frames || order[i + 1].frame != order[i].frame) order[n++] = order[i];
  for (size_t k = 0; enough && k < p->count; ++k) {
    for (size_t i = 0; i < n; ++i) room[i] = p->columns[k].values[order[i].index];
    memcpy(p->columns[k].values, room, n * sizeof *room);
  }
  p->frames = n;
  if (enough) {
    p->first = p->columns[0].values[0];
    p->last = p->columns[0].values[n - 1];
  }
  rv_free(order);
  rv_free(room);
  return enough ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
}

// Averages neighbouring frames until at most MAX_POINTS remain; of drift the largest is kept, so that peaks show.
static void merge_frames(RvPlotReport* p) {
  size_t each = (p->frames + MAX_POINTS - 1) / MAX_POINTS, n = 0;
  p->merged = 1;
  if (each < 2) return;
  for (size_t k = 0; k < p->count; ++k) {
    double* v = p->columns[k].values;
    bool worst = strcmp(p->columns[k].name, "drift") == 0;
    n = 0;
    for (size_t i = 0; i < p->frames; i += each, ++n) {
      double sum = 0, largest = 0;
      size_t good = 0;
      for (size_t j = i; j < i + each && j < p->frames; ++j) {
        if (isnan(v[j])) continue;
        sum += v[j];
        ++good;
        if (fabs(v[j]) > fabs(largest)) largest = v[j];
      }
      v[n] = !good ? NAN : worst ? largest : sum / (double)good;
    }
  }
  p->merged = (double)p->frames / (double)n;
  p->frames = n;
}

// Reads all lines.
static RvResult read_lines(Reading* r, const char* text) {
  size_t n = 0;
  for (const char* c = text; *c; ++c) n += *c == '\n';
  r->report->capacity = n + 1;
  if (n >= RV_PLOT_MAX_LINES)
    return rv_fail(r->error, RV_LIMIT, "%s: more than %d lines; plot a part of the file", r->path, RV_PLOT_MAX_LINES);
  RvResult result = RV_OK;
  for (const char* c = text; *c && !result;) {
    size_t bytes = strcspn(c, "\n");
    ++r->line;
    if (strspn(c, " \t\r") < bytes) {
      result = read_line(r, c, bytes);
      ++r->frame;
    }
    c += bytes + (c[bytes] == '\n');
  }
  r->report->frames = r->frame;
  r->report->lines = r->line;
  if (!result && !r->frame) result = rv_fail(r->error, RV_BAD_FILE, "%s:1: the report is empty", r->path);
  return result;
}

RvResult rv_cli_plot_read(const char* path, RvPlotReport* out, RvError* error) {
  memset(out, 0, sizeof *out);
  void* text = NULL;
  size_t bytes = 0;
  RvResult result = rv_file_read(path, MAX_BYTES, &text, &bytes, error);
  Reading r = {out, path, 0, 0, error};
  if (!result && memchr(text, 0, bytes)) {
    for (const char* c = text; *c; ++c) r.line += *c == '\n';
    r.line++;
    result = refuse(&r, "there is a zero byte: this is not a report", NULL);
  }
  if (!result) result = read_lines(&r, text);
  rv_free(text);
  if (!result) result = sort_frames(out, error);
  if (!result) merge_frames(out);
  if (result) rv_cli_plot_free(out);
  return result;
}

void rv_cli_plot_free(RvPlotReport* report) {
  for (size_t i = 0; i < report->count; ++i) rv_free(report->columns[i].values);
  memset(report, 0, sizeof *report);
}
