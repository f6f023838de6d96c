// rv_node_describe: chooses the writer of a format; helpers for defaults, ranges, flags and line wrapping.
#include "node/describe/describe.h"

#include <string.h>

#include "parm/find.h"

// Writes the description of a type in a format; NULL for an unknown format or when out of memory.
char* rv_node_describe(const RvNodeType* type, const char* format) {
  static const struct {
    const char* format;
    void (*write)(const RvNodeType*, RvText*);
  } writers[] = {{"text", rv_describe_text}, {"json", rv_describe_json}, {"ds", rv_describe_ds},
                 {"dop", rv_describe_dop},   {"help", rv_describe_help}, {"md", rv_describe_md}};
  for (size_t i = 0; i < sizeof writers / sizeof *writers; ++i) {
    if (strcmp(writers[i].format, format) != 0) continue;
    RvText out = {0};
    writers[i].write(type, &out);
    return rv_text_done(&out);
  }
  return NULL;
}

const char* rv_describe_parm_type(RvParmType type) {
  static const char* const names[] = {"folder", "float", "int",   "toggle", "menu",
                                      "string", "file",  "color", "ramp",   "button"};
  return names[type];
}

// Numbers separated by blanks, "on" or "off", the token of a menu item, or the text itself.
void rv_describe_default(const RvParmDef* row, RvText* out) {
  RvMenuItem item;
  switch (row->type) {
    case RV_PARM_FLOAT:
    case RV_PARM_INT:
    case RV_PARM_COLOR:
      for (int c = 0; c < row->size; ++c) {
        if (c) rv_text_add(out, " ");
        rv_text_number(out, row->standard[c]);
      }
      break;
    case RV_PARM_TOGGLE:
      rv_text_add(out, row->standard[0] != 0 ? "on" : "off");
      break;
    case RV_PARM_MENU:
      if (rv_menu_item(row->menu, (int)row->standard[0], &item)) rv_text_add_bytes(out, item.token, item.token_length);
      break;
    case RV_PARM_STRING:
    case RV_PARM_FILE:
    case RV_PARM_RAMP:
      rv_text_add(out, row->standard_text ? row->standard_text : "");
      break;
    case RV_PARM_FOLDER:
    case RV_PARM_BUTTON:
      break;
  }
}

bool rv_describe_has_range(const RvParmDef* row) {
  return (row->type == RV_PARM_FLOAT || row->type == RV_PARM_INT) && row->min < row->max;
}

void rv_describe_range(const RvParmDef* row, RvText* out) {
  rv_text_number(out, row->min);
  rv_text_addf(out, "%s to ", row->hard_min ? "!" : "");
  rv_text_number(out, row->max);
  rv_text_add(out, row->hard_max ? "!" : "");
}

// Flags are named in the order of their bits.
const char* rv_describe_flag(const RvNodeType* type, int index) {
  static const char* const names[] = {"generator", "solver", "timedependent", "writes", "dop", "hidden"};
  for (int bit = 0; bit < (int)(sizeof names / sizeof *names); ++bit)
    if ((type->flags >> bit & 1) && index-- == 0) return names[bit];
  return NULL;
}

RvPresetValue rv_describe_preset(const RvNodeType* type, const char* values) {
  RvPresetValue value = {0};
  char token[RV_PARM_TOKEN_BYTES] = {0};
  values += strspn(values, " ");
  size_t name = strcspn(values, "=");
  if (!values[name] || name >= sizeof token) return value;
  memcpy(token, values, name);
  value.row = rv_parm_find(type->parms, token);
  value.text = values + name + 1;
  value.count = strcspn(value.text, " ");
  value.next = value.text + value.count;
  return value;
}

void rv_describe_wrap(const char* part, size_t indent, size_t columns, RvText* out) {
  size_t used = 0;
  while (*part) {
    size_t blank = strspn(part, " ");
    part += blank;
    if (*part == '\n') {
      // One line end is a blank; two begin a new paragraph.
      size_t ends = strspn(part, "\n ");
      if (memchr(part + 1, '\n', ends - 1) && used && part[ends]) {
        rv_text_add(out, "\n\n");
        used = 0;
      }
      part += ends;
      continue;
    }
    // Append the next word, on a new line if it does not fit.
    size_t word = strcspn(part, " \n");
    if (!word) break;
    if (used && used + 1 + word > columns) {
      rv_text_add(out, "\n");
      used = 0;
    }
    if (used) {
      rv_text_add(out, " ");
      ++used;
    } else {
      rv_text_fill(out, ' ', indent);
      used = indent;
    }
    rv_text_add_bytes(out, part, word);
    used += word;
    part += word;
  }
  rv_text_add(out, "\n");
}
