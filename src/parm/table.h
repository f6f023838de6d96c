// Macros that make the C struct and the parameter table of a node from one list of rows.
//
//   #define GROOM_PARMS(X)
//     X(FOLDER, "Placement")
//     X(INT, count, "Count", 1000, HARD(1), SOFT(100000), "", "Number of strands.")
//     X(MENU, style, "Style", 0, "straight=Straight|wavy=Wavy", "Shape of the strands.")
//     X(FLOAT, pitch, "Pitch", 0.01, HARD(0), SOFT(0.1), "m", "Rise of one turn.", HIDE("{ style == straight }"))
//   RV_PARM_TABLE(GroomParms, groom_table, GROOM_PARMS)
//
// (each line ended by a backslash) makes `typedef struct GroomParms { int64_t count; int style; double pitch; }
// GroomParms` and `static const RvParmTable groom_table`. Help texts are sentences. A row may end with
// - WHEN or HIDE: the condition under which it has no effect and is greyed out, or hidden,
// - ADVANCED: it is shown apart from the parameters that every shot needs.
#ifndef RV_PARM_TABLE_H
#define RV_PARM_TABLE_H

#include "rivulet/parm.h"

// For a node without parameters.
extern const RvParmTable rv_parm_table_empty;

// The two numbers before the unit are the range: HARD(v) is enforced, SOFT(v) is the slider's end.
#define RV_MIN_HARD(v) .min = (v), .hard_min = true
#define RV_MIN_SOFT(v) .min = (v)
#define RV_MAX_HARD(v) .max = (v), .hard_max = true
#define RV_MAX_SOFT(v) .max = (v)
// The empty condition is none: sections that several nodes share take it from those that have no such mode.
#define WHEN(condition) .disable_when = sizeof(condition) > 1 ? (condition) : NULL
#define HIDE(condition) .hide_when = sizeof(condition) > 1 ? (condition) : NULL
#define ADVANCED .level = RV_LEVEL_ADVANCED

// Fields of the struct, by kind of row.
#define RV_FIELD_BUTTON(t, l, h, ...)
#define RV_FIELD_FLOAT(t, ...) double t;
#define RV_FIELD_VEC2(t, ...) double t[2];
#define RV_FIELD_VEC3(t, ...) double t[3];
#define RV_FIELD_VEC4(t, ...) double t[4];
#define RV_FIELD_COLOR(t, ...) double t[3];
#define RV_FIELD_INT(t, ...) int64_t t;
#define RV_FIELD_INT3(t, ...) int64_t t[3];
#define RV_FIELD_TOGGLE(t, ...) bool t;
#define RV_FIELD_MENU(t, ...) int t;
#define RV_FIELD_STRING(t, ...) const char* t;
#define RV_FIELD_FILE(t, ...) const char* t;
#define RV_FIELD_RAMP(t, ...) RvRamp t;
#define RV_FIELD_FOLDER(l)

// Rows of the table, by kind: t token, l label, v x y z w default, lo hi range, u unit, h help.
#define RV_ROW_HEAD(k, t, l, n, h) \
  .type = RV_PARM_##k, .token = #t, .label = l, .size = n, .help = h, .offset = offsetof(RV_PARM_THIS, t)
#define RV_ROW_FOLDER(l) {.type = RV_PARM_FOLDER, .token = "", .label = l, .unit = "", .help = ""},
#define RV_ROW_BUTTON(t, l, h, ...) \
  {.type = RV_PARM_BUTTON, .token = #t, .label = l, .unit = "", .help = h, __VA_ARGS__},
#define RV_ROW_FLOAT(t, l, v, lo, hi, u, h, ...) \
  {RV_ROW_HEAD(FLOAT, t, l, 1, h), .standard = {v}, RV_MIN_##lo, RV_MAX_##hi, .unit = u, __VA_ARGS__},
#define RV_ROW_VEC2(t, l, x, y, lo, hi, u, h, ...) \
  {RV_ROW_HEAD(FLOAT, t, l, 2, h), .standard = {x, y}, RV_MIN_##lo, RV_MAX_##hi, .unit = u, __VA_ARGS__},
#define RV_ROW_VEC3(t, l, x, y, z, lo, hi, u, h, ...) \
  {RV_ROW_HEAD(FLOAT, t, l, 3, h), .standard = {x, y, z}, RV_MIN_##lo, RV_MAX_##hi, .unit = u, __VA_ARGS__},
#define RV_ROW_VEC4(t, l, x, y, z, w, lo, hi, u, h, ...) \
  {RV_ROW_HEAD(FLOAT, t, l, 4, h), .standard = {x, y, z, w}, RV_MIN_##lo, RV_MAX_##hi, .unit = u, __VA_ARGS__},
#define RV_ROW_COLOR(t, l, r, g, b, h, ...) \
  {RV_ROW_HEAD(COLOR, t, l, 3, h), .standard = {r, g, b}, .max = 1, .unit = "", __VA_ARGS__},
#define RV_ROW_INT(t, l, v, lo, hi, u, h, ...) \
  {RV_ROW_HEAD(INT, t, l, 1, h), .standard = {v}, RV_MIN_##lo, RV_MAX_##hi, .unit = u, __VA_ARGS__},
#define RV_ROW_INT3(t, l, x, y, z, lo, hi, u, h, ...) \
  {RV_ROW_HEAD(INT, t, l, 3, h), .standard = {x, y, z}, RV_MIN_##lo, RV_MAX_##hi, .unit = u, __VA_ARGS__},
#define RV_ROW_TOGGLE(t, l, v, h, ...) \
  {RV_ROW_HEAD(TOGGLE, t, l, 1, h), .standard = {v}, .max = 1, .unit = "", __VA_ARGS__},
#define RV_ROW_MENU(t, l, v, items, h, ...) \
  {RV_ROW_HEAD(MENU, t, l, 1, h), .standard = {v}, .menu = items, .unit = "", __VA_ARGS__},
#define RV_ROW_STRING(t, l, v, h, ...) {RV_ROW_HEAD(STRING, t, l, 1, h), .standard_text = v, .unit = "", __VA_ARGS__},
#define RV_ROW_FILE(t, l, v, h, ...) {RV_ROW_HEAD(FILE, t, l, 1, h), .standard_text = v, .unit = "", __VA_ARGS__},
#define RV_ROW_RAMP(t, l, v, h, ...) {RV_ROW_HEAD(RAMP, t, l, 1, h), .standard_text = v, .unit = "", __VA_ARGS__},

#define RV_PARM_FIELD(kind, ...) RV_FIELD_##kind(__VA_ARGS__)
#define RV_PARM_ROW(kind, ...) RV_ROW_##kind(__VA_ARGS__)

// RV_PARM_ROWS takes offsets of the type RV_PARM_THIS, so a file can have only one table. RV_PARM_STRUCT alone may be
// used in a header, for solvers that combine others.
#define RV_PARM_STRUCT(Struct, LIST) \
  typedef struct Struct {            \
    LIST(RV_PARM_FIELD)              \
  } Struct;
#define RV_PARM_ROWS(Struct, name, LIST)                      \
  typedef Struct RV_PARM_THIS;                                \
  static const RvParmDef name##_rows[] = {LIST(RV_PARM_ROW)}; \
  static const RvParmTable name = {name##_rows, sizeof name##_rows / sizeof *name##_rows, sizeof(Struct)};
#define RV_PARM_TABLE(Struct, name, LIST) \
  RV_PARM_STRUCT(Struct, LIST)            \
  RV_PARM_ROWS(Struct, name, LIST)

// Rows that two structs share, copied from one to the other: RV_PARM_COPY_ROWS(to, from, LIST).
#define RV_COPY_BUTTON(to, from, ...)
#define RV_COPY_FOLDER(to, from, ...)
#define RV_COPY_NUMBERS(to, from, t) memcpy(&(to)->t, &(from)->t, sizeof(to)->t);
#define RV_COPY_FLOAT(to, from, t, ...) RV_COPY_NUMBERS(to, from, t)
#define RV_COPY_VEC3(to, from, t, ...) RV_COPY_NUMBERS(to, from, t)
#define RV_COPY_INT(to, from, t, ...) RV_COPY_NUMBERS(to, from, t)
#define RV_COPY_TOGGLE(to, from, t, ...) RV_COPY_NUMBERS(to, from, t)
#define RV_COPY_MENU(to, from, t, ...) RV_COPY_NUMBERS(to, from, t)

#endif
