// Houdini's DialogScript: the parameter interface of a node in a digital asset or a plug-in.
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

// Writes the default value.
static void write_default(RvText* out, int depth, const RvParmDef* row) {
  word(out, depth, "default");
  rv_text_add(out, "{");
  if (row->type == RV_PARM_STRING || row->type == RV_PARM_FILE) {
    rv_text_add(out, " ");
    rv_text_quoted(out, row->standard_text ? row->standard_text : "");
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
  if (*row->unit) write_tag(out, inside, "units", row->unit);
  if (row->type == RV_PARM_RAMP) write_ramp_tag(out, inside, row);
  if (row->type == RV_PARM_FILE) write_tag(out, inside, "filechooser_mode", writes ? "write" : "read");
  rv_text_addf(out, "%*s}\n", depth * 4, "");
}

// Begins a folder; its name is made of the letters and digits of its label.
static void begin_folder(RvText* out, const char* label) {
  rv_text_add(out, "    group {\n        name    \"fd_");
  for (const char* c = label; *c; ++c) {
    bool upper = *c >= 'A' && *c <= 'Z';
    bool plain = (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9');
    if (upper || plain) rv_text_addf(out, "%c", upper ? *c - 'A' + 'a' : *c);
  }
  rv_text_add(out, "\"\n");
  quoted_word(out, 2, "label", label);
}

// Writes all parameters, grouped into folders.
static void write_parms(const RvNodeType* type, RvText* out) {
  rv_text_add(out, "{\n    name    parameters\n");
  bool folder = false;
  for (size_t i = 0; i < type->parms->count; ++i) {
    const RvParmDef* row = type->parms->rows + i;
    if (row->type == RV_PARM_FOLDER) {
      if (folder) rv_text_add(out, "    }\n");
      begin_folder(out, row->label);
      folder = true;
    } else {
      write_parm(out, folder ? 2 : 1, row, type->flags & RV_NODE_WRITES);
    }
  }
  if (folder) rv_text_add(out, "    }\n");
}

void rv_describe_ds(const RvNodeType* type, RvText* out) {
  write_parms(type, out);
  rv_text_add(out, "}\n");
}

// A DOP has no geometry inputs, so it gets a SOP path parameter for each input. The hidden steptime is the simulation time
// for which Houdini evaluates the node: it tells the plug-in whether the engine's time is the beginning or the end of a
// step.
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
