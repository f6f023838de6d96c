// Reader of curves from USD as text: every BasisCurves prim with its points, widths and ids, moved by the Xforms around
// it, in a stage whose Y axis is up. Grooms of other programs come in this way. Materials, meshes, references, variants
// and overs are left out; of time samples the first is taken.
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/memory.h"
#include "geo/io_usda.h"
#include "math/scalar.h"
#include "math/vec.h"
#include "shim/number.h"

enum { MAX_DEPTH = 64, MAX_OPS = 8, WORD = 96 };  // prims within prims; transforms of a prim; bytes of a name
static const double LARGEST_COUNT = 1e9;

typedef RV_ARRAY(double) Numbers;

// Rotation, scale and shear by columns, and a translation.
typedef struct Place {
  RvVec3 x, y, z, t;
} Place;

// One transform of a prim and its name in xformOpOrder.
typedef struct Op {
  char name[WORD];
  Place place;
} Op;

// A prim while it is read.
typedef struct Prim {
  bool curves;
  Numbers counts, points, widths, ids;
  bool widths_per_curve;
  char basis[WORD], type[WORD];
  Op ops[MAX_OPS];
  int op_count;
  char order[MAX_OPS][WORD];
  int order_count;
} Prim;

// One file.
typedef struct Reader {
  const char *at, *end;
  int line;
  RvDetail* out;
  RvError* error;
  bool z_up;
  double meters;
  size_t curves, samples, odd_ops;  // curves read; time samples and transforms left out
} Reader;

//---------------------------------------------------------------------------------------------- text

static RvResult wrong(Reader* r, const char* what) {
  return rv_fail(r->error, RV_BAD_INPUT, "line %d: %s", r->line, what);
}

// Skips blanks and comments; line ends only if asked.
static void skip_blanks(Reader* r, bool lines) {
  for (; r->at < r->end; ++r->at) {
    if (*r->at == '#')
      while (r->at + 1 < r->end && r->at[1] != '\n') r->at++;
    else if (*r->at == '\n' && !lines)
      return;
    else if (!strchr(" \t\r\n;,", *r->at) || !*r->at)
      return;
    if (*r->at == '\n') r->line++;
  }
}

static bool next_is(Reader* r, char c) {
  return r->at < r->end && *r->at == c;
}

// Skips a string in quotes, simple or triple, and copies its beginning.
static RvResult skip_string(Reader* r, char copy[WORD]) {
  char quote = *r->at;
  size_t n = 0, length = 1;
  if (r->end - r->at >= 6 && r->at[1] == quote && r->at[2] == quote) length = 3;
  r->at += length;
  for (; r->at < r->end; ++r->at) {
    if (*r->at == '\n') r->line++;
    if (*r->at == '\\' && r->at + 1 < r->end) {
      r->at++;
      continue;
    }
    bool ends = *r->at == quote && (length == 1 || (r->end - r->at >= 3 && r->at[1] == quote && r->at[2] == quote));
    if (ends) {
      r->at += length;
      if (copy) copy[n] = 0;
      return RV_OK;
    }
    if (copy && n + 1 < WORD) copy[n++] = *r->at;
  }
  return wrong(r, "a string does not end");
}

// Skips a comment up to the end of its line, or a path between two @, whose quotes and brackets mean nothing.
static bool skip_verbatim(Reader* r) {
  char first = *r->at;
  if (first != '#' && first != '@') return false;
  const char* stop = memchr(r->at + 1, first == '#' ? '\n' : '@', (size_t)(r->end - r->at - 1));
  if (first == '@' && (!stop || memchr(r->at, '\n', (size_t)(stop - r->at)))) return false;
  r->at = !stop ? r->end : first == '@' ? stop + 1 : stop;
  return true;
}

// Skips a group in brackets of any kind.
static RvResult skip_group(Reader* r) {
  int depth = 0;
  while (r->at < r->end) {
    char c = *r->at;
    if (c == '"' || c == '\'') {
      RvResult result = skip_string(r, NULL);
      if (result) return result;
      continue;
    }
    if (skip_verbatim(r)) continue;
    if (c == '\n') r->line++;
    depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    r->at++;
    if (depth == 0) return RV_OK;
  }
  return wrong(r, "a bracket is not closed");
}

// A word of letters, digits and _:.[]<>/@; empty if there is none.
static void read_word(Reader* r, char word[WORD]) {
  size_t n = 0;
  for (; r->at < r->end; ++r->at) {
    char c = *r->at;
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  (c && strchr("_:.[]<>/@-+|!", c) != NULL);
    if (!letter) break;
    if (n + 1 < WORD) word[n++] = c;
  }
  word[n] = 0;
}

// Skips what is left of a statement: to the end of the line outside of brackets.
static RvResult skip_statement(Reader* r) {
  while (r->at < r->end && *r->at != '\n' && *r->at != '}') {
    RvResult result = RV_OK;
    if (*r->at == '"' || *r->at == '\'')
      result = skip_string(r, NULL);
    else if (*r->at == '(' || *r->at == '[' || *r->at == '{')
      result = skip_group(r);
    else if (!skip_verbatim(r))
      r->at++;
    if (result) return result;
  }
  return RV_OK;
}

// Numbers of an array, a tuple or a single value; their brackets do not matter.
static RvResult read_numbers(Reader* r, Numbers* out) {
  int depth = 0;
  do {
    skip_blanks(r, true);
    if (r->at >= r->end) return wrong(r, "a list of numbers does not end");
    char c = *r->at;
    if (c == '(' || c == '[') {
      depth++;
      r->at++;
    } else if (c == ')' || c == ']') {
      depth--;
      r->at++;
    } else {
      double value;
      size_t length = rv_number_parse_f64(r->at, (size_t)(r->end - r->at), &value);
      if (length == 0) return wrong(r, "a number is expected");
      if (!isfinite(value)) return wrong(r, "a number is not finite");
      r->at += length;
      if (!rv_array_push(out, value)) return rv_fail(r->error, RV_NO_MEMORY, "out of memory for the numbers");
    }
  } while (depth > 0);
  return RV_OK;
}

// The numbers of a property, of its first time sample if it has several.
static RvResult read_values(Reader* r, bool samples, Numbers* out) {
  out->count = 0;
  if (!samples) return read_numbers(r, out);
  if (!next_is(r, '{')) return wrong(r, "time samples are expected in {}");
  const char* begin = r->at;
  int line = r->line;
  r->at++;
  skip_blanks(r, true);
  if (next_is(r, '}')) {
    r->at++;
    return RV_OK;
  }
  while (r->at < r->end && *r->at != ':') r->at++;
  RvResult result = RV_OK;
  if (r->at < r->end)
    r->at++;
  else
    result = wrong(r, "a time sample has no value");
  if (!result) result = read_numbers(r, out);
  skip_blanks(r, true);
  r->samples += !next_is(r, '}');
  // The whole group is passed over.
  r->at = begin;
  r->line = line;
  return result ? result : skip_group(r);
}

//---------------------------------------------------------------------------------------------- places

static Place identity(void) {
  return (Place){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
}

static RvVec3 moved(const Place* p, RvVec3 v, bool point) {
  RvVec3 sum = point ? p->t : rv_vec3(0, 0, 0);
  return rv_mad(rv_mad(rv_mad(sum, v.x, p->x), v.y, p->y), v.z, p->z);
}

// First `inner`, then `outer`.
static Place joined(const Place* outer, const Place* inner) {
  return (Place){moved(outer, inner->x, false), moved(outer, inner->y, false), moved(outer, inner->z, false),
                 moved(outer, inner->t, true)};
}

// Rotation about X, then Y, then Z.
static Place rotation(RvVec3 degrees) {
  RvQuat q = rv_quat_mul(rv_quat_axis_angle(rv_vec3(0, 0, 1), rv_radians(degrees.z)),
                         rv_quat_mul(rv_quat_axis_angle(rv_vec3(0, 1, 0), rv_radians(degrees.y)),
                                     rv_quat_axis_angle(rv_vec3(1, 0, 0), rv_radians(degrees.x))));
  return (Place){rv_quat_rotate(q, rv_vec3(1, 0, 0)),
                 rv_quat_rotate(q, rv_vec3(0, 1, 0)),
                 rv_quat_rotate(q, rv_vec3(0, 0, 1)),
                 {0, 0, 0}};
}

// A transform by its kind, the word after "xformOp:"; false if it is not known.
static bool place_of(const char* kind, const Numbers* n, Place* out) {
  *out = identity();
  const double* v = n->data;
  size_t length = strcspn(kind, ":.");
  if (length == 9 && !memcmp(kind, "transform", 9) && n->count == 16) {
    *out = (Place){rv_vec3_load64(v), rv_vec3_load64(v + 4), rv_vec3_load64(v + 8), rv_vec3_load64(v + 12)};
    return true;
  }
  if (length == 9 && !memcmp(kind, "translate", 9) && n->count == 3) {
    out->t = rv_vec3_load64(v);
    return true;
  }
  if (length == 5 && !memcmp(kind, "scale", 5) && n->count == 3) {
    *out = (Place){{v[0], 0, 0}, {0, v[1], 0}, {0, 0, v[2]}, {0, 0, 0}};
    return true;
  }
  if (length == 9 && !memcmp(kind, "rotateXYZ", 9) && n->count == 3) {
    *out = rotation(rv_vec3_load64(v));
    return true;
  }
  bool single = length == 7 && !memcmp(kind, "rotate", 6) && n->count == 1;
  if (single) *out = rotation(rv_vec3(kind[6] == 'X' ? v[0] : 0, kind[6] == 'Y' ? v[0] : 0, kind[6] == 'Z' ? v[0] : 0));
  return single;
}

// The transform of a prim: its ops in their order, the first outermost.
static Place place_of_prim(Reader* r, const Prim* p) {
  Place sum = identity();
  for (int i = 0; i < p->order_count; ++i) {
    int k = 0;
    while (k < p->op_count && strcmp(p->ops[k].name, p->order[i]) != 0) k++;
    if (k < p->op_count)
      sum = joined(&sum, &p->ops[k].place);
    else
      r->odd_ops++;
  }
  return sum;
}

//---------------------------------------------------------------------------------------------- curves

// A control point of a curve as a point that the curve passes: those of a B-spline lie beside it.
static RvVec3 point_of(const Prim* p, size_t first, size_t count, size_t i) {
  const double* v = p->points.data + 3 * (first + i);
  bool inner = i > 0 && i + 1 < count;
  if (strcmp(p->type, "cubic") != 0 || strcmp(p->basis, "bspline") != 0 || !inner) return rv_vec3_load64(v);
  RvVec3 around = rv_add(rv_vec3_load64(v - 3), rv_vec3_load64(v + 3));
  return rv_scale(rv_mad(around, 4, rv_vec3_load64(v)), 1.0 / 6);
}

// Checks the counts; *total: points of all curves.
static RvResult check_counts(Reader* r, const Prim* p, size_t* total) {
  *total = 0;
  for (size_t i = 0; i < p->counts.count; ++i) {
    double n = p->counts.data[i];
    if (!(n >= 1 && n < LARGEST_COUNT) || n != floor(n))
      return wrong(r, "curveVertexCounts has an entry that is no count");
    *total += (size_t)n;
  }
  if (3 * *total != p->points.count)
    return rv_fail(
        r->error, RV_BAD_INPUT,
        "line %d: curveVertexCounts ask for %zu points, but the curves before this line have %zu: the file is "
        "cut or damaged",
        r->line, *total, p->points.count / 3);
  return RV_OK;
}

// Widths and ids of the curves that were added last.
static RvResult add_attributes(Reader* r, const Prim* p, size_t point, size_t prim, size_t total) {
  size_t curves = p->counts.count, given = p->widths.count;
  bool constant = given == 1, each = given == curves && (p->widths_per_curve || curves != total);
  if (constant || each || given == total) {
    float* width = rv_detail_f32_write(r->out, RV_POINT, "width", 1, r->error);
    if (!width) return rv_fail(r->error, RV_NO_MEMORY, "out of memory for the widths");
    for (size_t i = 0, at = 0; i < curves; ++i)
      for (size_t k = 0; k < (size_t)p->counts.data[i]; ++k, ++at)
        width[point + at] = (float)p->widths.data[constant ? 0 : each ? i : at];
  }
  if (p->ids.count != curves) return RV_OK;
  int32_t* id = rv_detail_i32_write(r->out, RV_PRIM, "id", 1, r->error);
  if (!id) return rv_fail(r->error, RV_NO_MEMORY, "out of memory for the ids");
  for (size_t i = 0; i < curves; ++i) id[prim + i] = (int32_t)rv_clamp(p->ids.data[i], INT32_MIN, INT32_MAX);
  return RV_OK;
}

// Adds the curves of a prim to the detail.
static RvResult add_curves(Reader* r, const Prim* p, const Place* place) {
  size_t total, curves = p->counts.count, point = rv_detail_count(r->out, RV_POINT);
  size_t prim = rv_detail_count(r->out, RV_PRIM);
  RvResult result = check_counts(r, p, &total);
  if (result || curves == 0) return result;
  int32_t* sizes = rv_alloc(curves, sizeof *sizes);
  int32_t* points = rv_alloc(total, sizeof *points);
  if (!sizes || !points) result = rv_fail(r->error, RV_NO_MEMORY, "out of memory for the curves");
  if (!result) result = rv_detail_add_points(r->out, total, NULL, r->error);
  for (size_t i = 0; !result && i < curves; ++i) sizes[i] = (int32_t)p->counts.data[i];
  for (size_t i = 0; !result && i < total; ++i) points[i] = (int32_t)(point + i);
  if (!result) result = rv_detail_add_polygons(r->out, RV_PRIM_CURVE, curves, sizes, points, NULL, r->error);
  float* P = result ? NULL : rv_detail_f32_write(r->out, RV_POINT, "P", 3, r->error);
  if (!result && !P) result = rv_fail(r->error, RV_NO_MEMORY, "out of memory for the curves");
  for (size_t i = 0, first = 0; !result && i < curves; first += (size_t)sizes[i++])
    for (size_t k = 0; k < (size_t)sizes[i]; ++k) {
      RvVec3 v = moved(place, point_of(p, first, (size_t)sizes[i], k), true);
      if (r->z_up) v = rv_vec3(v.x, v.z, -v.y);
      rv_vec3_store(P + 3 * (point + first + k), v);
    }
  if (!result) result = add_attributes(r, p, point, prim, total);
  r->curves += curves;
  rv_free(sizes);
  rv_free(points);
  return result;
}

//---------------------------------------------------------------------------------------------- prims

// Strings of a list.
static RvResult read_order(Reader* r, Prim* p) {
  p->order_count = 0;
  while (r->at < r->end && *r->at != ']') {
    skip_blanks(r, true);
    if (next_is(r, '"')) {
      char word[WORD];
      RvResult result = skip_string(r, word);
      if (result) return result;
      if (p->order_count < MAX_OPS) memcpy(p->order[p->order_count++], word, WORD);
    } else if (r->at < r->end && *r->at != ']') {
      r->at++;
    }
  }
  return RV_OK;
}

// Value of a property after its "=".
static RvResult read_property(Reader* r, Prim* p, char name[WORD]) {
  char* dot = strstr(name, ".timeSamples");
  if (dot) *dot = 0;
  skip_blanks(r, false);
  Numbers* to = !p->curves                               ? NULL
                : strcmp(name, "points") == 0            ? &p->points
                : strcmp(name, "curveVertexCounts") == 0 ? &p->counts
                : strcmp(name, "widths") == 0            ? &p->widths
                : strcmp(name, "primvars:id") == 0       ? &p->ids
                                                         : NULL;
  if (to) {
    RvResult result = read_values(r, dot != NULL, to);
    // The metadata on the same line say whether there is a width a curve.
    if (!result && to == &p->widths) {
      const char* stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
      p->widths_per_curve = false;
      for (const char* c = r->at; c + 9 < (stop ? stop : r->end); ++c)
        p->widths_per_curve |= memcmp(c, "\"uniform\"", 9) == 0;
    }
    return result;
  }
  if (strcmp(name, "xformOpOrder") == 0) return read_order(r, p);
  if (strncmp(name, "xformOp:", 8) == 0 && p->op_count < MAX_OPS) {
    Numbers numbers = {0};
    RvResult result = read_values(r, dot != NULL, &numbers);
    Op* op = &p->ops[p->op_count];
    if (!result && place_of(name + 8, &numbers, &op->place)) {
      memcpy(op->name, name, WORD);
      p->op_count++;
    }
    rv_array_free(&numbers);
    return result;
  }
  bool text = strcmp(name, "basis") == 0 || strcmp(name, "type") == 0;
  if (text && next_is(r, '"')) return skip_string(r, *name == 'b' ? p->basis : p->type);
  return RV_OK;
}

static RvResult read_body(Reader* r, Prim* p, const Place* outer, int depth);

// A prim after its word "def".
static RvResult read_prim(Reader* r, const Place* outer, int depth) {
  if (depth > MAX_DEPTH) return wrong(r, "prims are nested too deeply");
  char type[WORD] = "";
  skip_blanks(r, true);
  read_word(r, type);
  skip_blanks(r, true);
  RvResult result = next_is(r, '"') ? skip_string(r, NULL) : wrong(r, "a prim has no name");
  skip_blanks(r, true);
  if (!result && next_is(r, '(')) result = skip_group(r);
  skip_blanks(r, true);
  if (!result && !next_is(r, '{')) result = wrong(r, "a prim has no {}");
  if (result) return result;
  r->at++;
  Prim* p = rv_alloc_zero(1, sizeof *p);
  if (!p) return rv_fail(r->error, RV_NO_MEMORY, "out of memory");
  p->curves = strcmp(type, "BasisCurves") == 0;
  result = read_body(r, p, outer, depth);
  if (!result && p->curves) {
    Place own = place_of_prim(r, p), place = joined(outer, &own);
    result = add_curves(r, p, &place);
  }
  rv_array_free(&p->counts);
  rv_array_free(&p->points);
  rv_array_free(&p->widths);
  rv_array_free(&p->ids);
  rv_free(p);
  return result;
}

// Statements up to the closing bracket of a prim, or to the end of the file.
static RvResult read_body(Reader* r, Prim* p, const Place* outer, int depth) {
  RvResult result = RV_OK;
  char word[WORD], last[WORD] = "";
  while (!result) {
    skip_blanks(r, true);
    if (r->at >= r->end) return depth == 0 ? RV_OK : wrong(r, "a prim does not end");
    if (*r->at == '}') {
      if (depth == 0) return wrong(r, "a } has no {");
      r->at++;
      return RV_OK;
    }
    // The words before "=", of which the last is the name of a property.
    *last = 0;
    for (read_word(r, word); *word; read_word(r, word)) {
      bool first = !*last;
      memcpy(last, word, WORD);
      skip_blanks(r, false);
      if (!first || strcmp(word, "def") != 0) continue;
      Place own = place_of_prim(r, p), inner = joined(outer, &own);
      result = read_prim(r, &inner, depth + 1);
      *last = 0;
      break;
    }
    if (result || !*last) {
      if (!result && !*word) result = skip_statement(r);
      if (!result && r->at < r->end && !*word && *r->at != '\n' && *r->at != '}') r->at++;
      continue;
    }
    if (next_is(r, '=')) {
      r->at++;
      result = read_property(r, p, last);
    }
    if (!result) result = skip_statement(r);
    // A group on the next line belongs to an over, a class or a set of variants, which are left out.
    if (!result && (strcmp(last, "over") == 0 || strcmp(last, "class") == 0)) {
      skip_blanks(r, true);
      while (!result && (next_is(r, '(') || next_is(r, '{'))) {
        result = skip_group(r);
        skip_blanks(r, true);
      }
    }
  }
  return result;
}

// The text after a word of the metadata, "=" and blanks.
static const char* value_after(const Reader* r, const char* at, size_t word) {
  for (at += word; at < r->at && (*at == ' ' || *at == '=');) at++;
  return at;
}

// Up axis and unit from the metadata of the stage.
static RvResult read_stage(Reader* r) {
  skip_blanks(r, true);
  if (!next_is(r, '(')) return RV_OK;
  const char* begin = r->at;
  RvResult result = skip_group(r);
  if (result) return result;
  for (const char* c = begin; c < r->at; ++c) {
    size_t left = (size_t)(r->at - c);
    if (left > 6 && memcmp(c, "upAxis", 6) == 0) {
      const char* value = value_after(r, c, 6);
      r->z_up = r->at - value >= 3 && memcmp(value, "\"Z\"", 3) == 0;
    }
    if (left > 13 && memcmp(c, "metersPerUnit", 13) == 0) {
      const char* value = value_after(r, c, 13);
      if (!rv_number_parse_f64(value, (size_t)(r->at - value), &r->meters)) r->meters = 1;
    }
  }
  return RV_OK;
}

// What an artist should know of the file.
static void tell(const Reader* r, const char* path, const RvLog* log) {
  if (r->samples) rv_log(log, RV_LEVEL_INFO, "'%s': the first time sample is read, and others are left out", path);
  if (r->odd_ops)
    rv_log(log, RV_LEVEL_WARNING, "'%s': %zu transforms of prims are of a kind that is not read, and are left out",
           path, r->odd_ops);
  if (r->meters > 0 && r->meters != 1)
    rv_log(log, RV_LEVEL_INFO,
           "'%s': its unit is %g m; give the scene the same metersperunit, or scale the curves with transform", path,
           r->meters);
}

RvResult rv_usda_decode(const void* bytes, size_t count, const char* path, RvDetail** out, const RvLog* log,
                        RvError* error) {
  const char* text = bytes;
  RvResult result = RV_OK;
  Reader r = {.at = text, .end = text + count, .line = 1, .error = error, .out = rv_detail_new(), .meters = 1};
  *out = NULL;
  if (!r.out) return rv_fail(error, RV_NO_MEMORY, "out of memory to read '%s'", path);
  if (count < 5 || memcmp(text, "#usda", 5) != 0)
    result = rv_fail(error, RV_BAD_INPUT, "it does not begin with #usda: save the stage as text (.usda)");
  Place world = identity();
  Prim root = {0};
  if (!result) result = read_stage(&r);
  if (!result) result = read_body(&r, &root, &world, 0);
  if (!result && r.curves == 0)
    result = rv_fail(error, RV_BAD_INPUT, "it has no BasisCurves: only curves are read from .usda");
  if (result) {
    rv_error_context(error, "'%s'", path);
    rv_detail_free(r.out);
    return result;
  }
  tell(&r, path, log);
  *out = r.out;
  return RV_OK;
}

RvResult rv_usda_read(const char* path, RvDetail** out, const RvLog* log, RvError* error) {
  void* bytes = NULL;
  size_t count = 0;
  *out = NULL;
  RvResult result = rv_file_read(path, 0, &bytes, &count, error);
  if (!result) result = rv_usda_decode(bytes, count, path, out, log, error);
  rv_free(bytes);
  return result;
}
