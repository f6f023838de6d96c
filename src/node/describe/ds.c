// Houdini's DialogScript: the parameter interface of a node in a digital asset or a plug-in.
#include <string.h>

#include "node/describe/describe.h"
#include "parm/find.h"
#include "parm/ramp.h"

// DialogScript type of a parameter.
static const char* ds_type(const RvParmDef* row) {
  static const char* const floats[] = {"float", "float", "vector2", "vector", "vector4"};
  static const char* const integers[] = {"integer", "integer", "intvector2", "intvector", "intvector4"};
  switch (row->type) {
    case RV_PARM_FLOAT:
      return floats[row->size];
    case RV_PARM_INT:
      return integers[row->size];
    case RV_PARM_TOGGLE:
      return "toggle";
    case RV_PARM_MENU:
      return "ordinal";
    case RV_PARM_STRING:
      return "string";
    case RV_PARM_FILE:
      return "file";
    case RV_PARM_COLOR:
      return "color";
    case RV_PARM_RAMP:
      return "ramp_flt";
    case RV_PARM_BUTTON:
      return "button";
    case RV_PARM_FOLDER:
      break;
  }
  return "label";
}

// Begins a line with a keyword.
static void word(RvText* out, int depth, const char* name) {
  rv_text_addf(out, "%*s%-7s ", depth * 4, "", name);
}

// Writes a line of a keyword and a quoted value.
static void quoted_word(RvText* out, int depth, const char* name, const char* value) {
  word(out, depth, name);
  rv_text_quoted(out, value);
  rv_text_add(out, "\n");
}

// Default ramp of a parameter.
static RvRamp ramp_of(const RvParmDef* row) {
  RvRamp ramp = {2, {{0, 0, RV_INTERP_LINEAR}, {1, 1, RV_INTERP_LINEAR}}};
  if (row->standard_text) rv_ramp_parse(row->standard_text, &ramp, NULL);
  return ramp;
}

// Writes the default of a string or file. $OUT, the folder of a headless cook, is $HIP/geo where Houdini keeps caches.
static void write_text_default(RvText* out, const char* text) {
  static const char out_folder[] = "$OUT/";
  bool cooked = strncmp(text, out_folder, sizeof out_folder - 1) == 0;
  RvText path = {0};
  rv_text_add(&path, cooked ? "$HIP/geo/" : "");
  rv_text_add(&path, cooked ? text + sizeof out_folder - 1 : text);
  char* value = rv_text_done(&path);
  if (value)
    rv_text_quoted(out, value);
  else
    out->failed = true;
  rv_free(value);
}

// Writes the default value.
static void write_default(RvText* out, int depth, const RvParmDef* row) {
  word(out, depth, "default");
  rv_text_add(out, "{");
  if (row->type == RV_PARM_STRING || row->type == RV_PARM_FILE) {
    rv_text_add(out, " ");
    write_text_default(out, row->standard_text ? row->standard_text : "");
  } else if (row->type == RV_PARM_RAMP) {
    rv_text_addf(out, " \"%d\"", ramp_of(row).count);
  } else {
    for (int c = 0; c < (row->size > 1 ? row->size : 1); ++c) {
      rv_text_add(out, " \"");
      rv_text_number(out, row->standard[c]);
      rv_text_add(out, "\"");
    }
  }
  rv_text_add(out, " }\n");
}

// Writes a parmtag line.
static void write_tag(RvText* out, int depth, const char* name, const char* value) {
  word(out, depth, "parmtag");
  rv_text_addf(out, "{ \"%s\" ", name);
  rv_text_quoted(out, value);
  rv_text_add(out, " }\n");
}

// Writes the unit as Houdini's pairs of m, kg or s and an exponent, which is never left out: "m1", "kg1m-3". Units that
// Houdini does not scale with the scene, such as degrees, have no tag.
static void write_unit(RvText* out, int depth, const char* unit) {
  RvText pairs = {0};
  bool known = *unit;
  for (const char* at = unit; known && *at;) {
    size_t letters = strspn(at, "abcdefghijklmnopqrstuvwxyzH");
    size_t digits = strspn(at + letters, "-0123456789");
    known = (letters == 1 && (*at == 'm' || *at == 's')) || (letters == 2 && memcmp(at, "kg", 2) == 0);
    rv_text_add_bytes(&pairs, at, letters + digits);
    rv_text_add(&pairs, digits ? "" : "1");
    at += letters + digits;
  }
  char* value = rv_text_done(&pairs);
  if (!value)
    out->failed = true;
  else if (known)
    write_tag(out, depth, "units", value);
  rv_free(value);
}

// Writes the default ramp as a tag. Keys are numbered from 1; "smooth" is a monotone cubic.
static void write_ramp_tag(RvText* out, int depth, const RvParmDef* row) {
  static const char* const interps[] = {"constant", "linear", "monotonecubic"};
  RvRamp ramp = ramp_of(row);
  RvText text = {0};
  for (int i = 0; i < ramp.count; ++i) {
    rv_text_addf(&text, "%s%dpos ( ", i ? " " : "", i + 1);
    rv_text_number(&text, ramp.keys[i].position);
    rv_text_addf(&text, " ) %dvalue ( ", i + 1);
    rv_text_number(&text, ramp.keys[i].value);
    rv_text_addf(&text, " ) %dinterp ( %s )", i + 1, interps[ramp.keys[i].interp]);
  }
  char* value = rv_text_done(&text);
  if (value)
    write_tag(out, depth, "rampfloatdefault", value);
  else
    out->failed = true;
  rv_free(value);
}

// Writes the range; ! marks an enforced end.
static void write_range(RvText* out, int depth, const RvParmDef* row) {
  word(out, depth, "range");
  rv_text_add(out, "{ ");
  rv_text_number(out, row->min);
  rv_text_add(out, row->hard_min ? "! " : " ");
  rv_text_number(out, row->max);
  rv_text_add(out, row->hard_max ? "! }\n" : " }\n");
}

// Writes a quoted part of a menu item.
static void write_item(RvText* out, int depth, const char* part, size_t count, const char* after) {
  RvText copy = {0};
  rv_text_add_bytes(&copy, part, count);
  char* text = rv_text_done(&copy);
  rv_text_fill(out, ' ', (size_t)depth * 4);
  if (text)
    rv_text_quoted(out, text);
  else
    out->failed = true;
  rv_text_add(out, after);
  rv_free(text);
}

// Writes tokens and labels of a menu.
static void write_menu(RvText* out, int depth, const char* menu) {
  RvMenuItem item;
  rv_text_addf(out, "%*smenu {\n", depth * 4, "");
  for (int i = 0; rv_menu_item(menu, i, &item); ++i) {
    write_item(out, depth + 1, item.token, item.token_length, " ");
    write_item(out, 0, item.label, item.label_length, "\n");
  }
  rv_text_addf(out, "%*s}\n", depth * 4, "");
}

// Writes one parameter.
static void write_parm(RvText* out, int depth, const RvParmDef* row, bool writes) {
  rv_text_addf(out, "%*sparm {\n", depth * 4, "");
  int inside = depth + 1;
  quoted_word(out, inside, "name", row->token);
  quoted_word(out, inside, "label", row->label);
  word(out, inside, "type");
  rv_text_addf(out, "%s\n", ds_type(row));
  if (row->size > 1) {
    word(out, inside, "size");
    rv_text_addf(out, "%d\n", row->size);
  }
  write_default(out, inside, row);
  if (rv_describe_has_range(row)) write_range(out, inside, row);
  if (row->type == RV_PARM_MENU) write_menu(out, inside, row->menu);
  if (*row->help) quoted_word(out, inside, "help", row->help);
  if (row->disable_when) quoted_word(out, inside, "disablewhen", row->disable_when);
  if (row->hide_when) quoted_word(out, inside, "hidewhen", row->hide_when);
  write_unit(out, inside, row->unit);
  if (row->type == RV_PARM_RAMP) write_ramp_tag(out, inside, row);
  if (row->type == RV_PARM_FILE) write_tag(out, inside, "filechooser_mode", writes ? "write" : "read");
  rv_text_addf(out, "%*s}\n", depth * 4, "");
}

// Writes the name of a folder: the letters and digits of its label. `after` tells folders of one label apart.
static void write_folder_name(RvText* out, int depth, const char* label, const char* after) {
  word(out, depth, "name");
  rv_text_add(out, "\"fd_");
  for (const char* c = label; *c; ++c) {
    bool upper = *c >= 'A' && *c <= 'Z';
    bool plain = (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9');
    if (upper || plain) rv_text_addf(out, "%c", upper ? *c - 'A' + 'a' : *c);
  }
  rv_text_addf(out, "%s\"\n", after);
}

// Writes the rows of one level; returns their number. `out` NULL: only counts.
static size_t write_level(RvText* out, int depth, const RvNodeType* type, size_t begin, size_t end, RvParmLevel level) {
  size_t count = 0;
  for (size_t i = begin; i < end; ++i) {
    const RvParmDef* row = type->parms->rows + i;
    if (row->level != level) continue;
    if (out) write_parm(out, depth, row, type->flags & RV_NODE_WRITES);
    ++count;
  }
  return count;
}

// Writes the rows of a folder: first those that every shot needs, then the others in a folder that is closed at first.
// A folder and not a toggle: a toggle would be a parameter, whose change makes Houdini cook again.
static void write_rows(RvText* out, int depth, const RvNodeType* type, size_t begin, size_t end, const char* label) {
  write_level(out, depth, type, begin, end, RV_LEVEL_SIMPLE);
  if (!write_level(NULL, depth, type, begin, end, RV_LEVEL_ADVANCED)) return;
  rv_text_addf(out, "%*sgroupcollapsible {\n", depth * 4, "");
  write_folder_name(out, depth + 1, label, *label ? "_advanced" : "advanced");
  quoted_word(out, depth + 1, "label", "Advanced");
  word(out, depth + 1, "grouptag");
  rv_text_add(out, "{ \"group_type\" \"collapsible\" }\n");
  write_tag(out, depth + 1, "group_default", "0");
  write_level(out, depth + 1, type, begin, end, RV_LEVEL_ADVANCED);
  rv_text_addf(out, "%*s}\n", depth * 4, "");
}

// Writes all parameters, grouped into folders.
static void write_parms(const RvNodeType* type, RvText* out) {
  const RvParmTable* table = type->parms;
  rv_text_add(out, "{\n    name    parameters\n");
  for (size_t begin = 0; begin < table->count;) {
    bool folder = table->rows[begin].type == RV_PARM_FOLDER;
    const char* label = folder ? table->rows[begin].label : "";
    size_t end = begin + 1;
    while (end < table->count && table->rows[end].type != RV_PARM_FOLDER) ++end;
    if (folder) {
      rv_text_add(out, "    group {\n");
      write_folder_name(out, 2, label, "");
      quoted_word(out, 2, "label", label);
    }
    write_rows(out, folder ? 2 : 1, type, begin + folder, end, label);
    if (folder) rv_text_add(out, "    }\n");
    begin = end;
  }
}

void rv_describe_ds(const RvNodeType* type, RvText* out) {
  write_parms(type, out);
  rv_text_add(out, "}\n");
}

// A DOP has no geometry inputs, so it gets a SOP path parameter for each input. The hidden steptime is the simulation
// time for which Houdini evaluates the node: it tells the plug-in whether the engine's time is the beginning or the end
// of a step.
void rv_describe_dop(const RvNodeType* type, RvText* out) {
  write_parms(type, out);
  rv_text_add(out, "    parm {\n        name    \"steptime\"\n        label   \"Step Time\"\n        type    float\n");
  rv_text_add(out, "        invisible\n        default { [ \"$ST\" hscript-expr ] }\n    }\n");
  for (size_t i = 0; i < type->ninput; ++i) {
    rv_text_addf(out, "    parm {\n        name    \"%spath\"\n        label   \"%s SOP\"\n", type->inputs[i].name,
                 type->inputs[i].label);
    rv_text_add(out, "        type    oppath\n        default { \"\" }\n");
    quoted_word(out, 2, "help", type->inputs[i].help);
    write_tag(out, 2, "opfilter", "!!SOP!!");
    write_tag(out, 2, "oprelative", "/");
    rv_text_add(out, "    }\n");
  }
  rv_text_add(out, "}\n");
}
