// Description of a node as JSON.
#include "node/describe/describe.h"
#include "parm/find.h"

// Writes UTF-8 bytes as a JSON string.
static void write_bytes(RvText* out, const char* text, size_t count) {
  rv_text_add(out, "\"");
  for (size_t i = 0; i < count; ++i) {
    unsigned char c = (unsigned char)text[i];
    if (c == '"' || c == '\\')
      rv_text_addf(out, "\\%c", c);
    else if (c == '\n')
      rv_text_add(out, "\\n");
    else if (c < 0x20)
      rv_text_addf(out, "\\u%04x", c);
    else
      rv_text_add_bytes(out, text + i, 1);
  }
  rv_text_add(out, "\"");
}

// Writes a text as a JSON string.
static void write_string(RvText* out, const char* text) {
  size_t count = 0;
  while (text[count]) ++count;
  write_bytes(out, text, count);
}

// Begins a member.
static void key(RvText* out, const char* before, const char* name) {
  rv_text_addf(out, "%s\"%s\": ", before, name);
}

// Writes a member that is a string.
static void string_member(RvText* out, const char* before, const char* name, const char* text) {
  key(out, before, name);
  write_string(out, text);
}

static const char* boolean(bool value) {
  return value ? "true" : "false";
}

// Writes the default as a JSON value.
static void write_default(RvText* out, const RvParmDef* row) {
  if (row->type == RV_PARM_TOGGLE) {
    rv_text_add(out, boolean(row->standard[0] != 0));
  } else if (row->type == RV_PARM_MENU) {
    RvMenuItem item = {0};
    rv_menu_item(row->menu, (int)row->standard[0], &item);
    write_bytes(out, item.token, item.token_length);
  } else if (!rv_parm_has_channels(row)) {
    write_string(out, row->standard_text ? row->standard_text : "");
  } else {
    if (row->size > 1) rv_text_add(out, "[");
    for (int c = 0; c < row->size; ++c) {
      if (c) rv_text_add(out, ", ");
      rv_text_number(out, row->standard[c]);
    }
    if (row->size > 1) rv_text_add(out, "]");
  }
}

// Writes the items of a menu.
static void write_menu(RvText* out, const char* menu) {
  RvMenuItem item;
  key(out, ", ", "menu");
  for (int i = 0; rv_menu_item(menu, i, &item); ++i) {
    rv_text_add(out, i ? ", " : "[");
    key(out, "{", "token");
    write_bytes(out, item.token, item.token_length);
    key(out, ", ", "label");
    write_bytes(out, item.label, item.label_length);
    rv_text_add(out, "}");
  }
  rv_text_add(out, "]");
}

// Writes one parameter.
static void write_parm(RvText* out, const RvParmDef* row, const char* folder) {
  string_member(out, "{", "token", row->token);
  string_member(out, ", ", "label", row->label);
  string_member(out, ", ", "type", rv_describe_parm_type(row->type));
  string_member(out, ", ", "folder", folder);
  rv_text_addf(out, ", \"size\": %d", row->size);
  if (rv_parm_has_value(row)) {
    key(out, ", ", "default");
    write_default(out, row);
  }
  if (rv_describe_has_range(row)) {
    key(out, ", ", "min");
    rv_text_number(out, row->min);
    key(out, ", ", "max");
    rv_text_number(out, row->max);
    rv_text_addf(out, ", \"hard_min\": %s, \"hard_max\": %s", boolean(row->hard_min), boolean(row->hard_max));
  }
  string_member(out, ", ", "unit", row->unit);
  if (row->type == RV_PARM_MENU) write_menu(out, row->menu);
  if (row->disable_when) string_member(out, ", ", "disable_when", row->disable_when);
  if (row->hide_when) string_member(out, ", ", "hide_when", row->hide_when);
  string_member(out, ", ", "level", row->level == RV_LEVEL_ADVANCED ? "advanced" : "simple");
  string_member(out, ", ", "help", row->help);
  rv_text_add(out, "}");
}

// Writes the kinds of geometry that an input takes, of which one must be there; an empty list takes any.
static void write_takes(RvText* out, unsigned takes) {
  static const char* const words[] = {"curves", "faces", "points", "vdbs"};
  key(out, ", ", "takes");
  rv_text_add(out, "[");
  const char* before = "\"";
  for (size_t k = 0; k < sizeof words / sizeof *words; ++k) {
    if (!(takes & 1u << k)) continue;
    rv_text_addf(out, "%s%s\"", before, words[k]);
    before = ", \"";
  }
  rv_text_add(out, "]");
}

// Writes the inputs, with the kinds that they take, or the outputs.
static void write_ports(RvText* out, const char* name, const RvPortDef* ports, size_t count, bool inputs,
                        const unsigned* takes) {
  key(out, ",\n  ", name);
  rv_text_add(out, "[");
  for (size_t i = 0; i < count; ++i) {
    string_member(out, i ? ",\n    {" : "\n    {", "name", ports[i].name);
    string_member(out, ", ", "label", ports[i].label);
    if (inputs) {
      rv_text_addf(out, ", \"required\": %s", boolean(ports[i].required));
      write_takes(out, takes ? takes[i] : 0);
    }
    string_member(out, ", ", "help", ports[i].help);
    rv_text_add(out, "}");
  }
  rv_text_add(out, "]");
}

// Writes all parameters with the folder of each.
static void write_parms(RvText* out, const RvParmTable* table) {
  key(out, ",\n  ", "parms");
  rv_text_add(out, "[");
  const char *folder = "", *before = "\n    ";
  for (size_t i = 0; i < table->count; ++i) {
    const RvParmDef* row = table->rows + i;
    if (row->type == RV_PARM_FOLDER) {
      folder = row->label;
      continue;
    }
    rv_text_add(out, before);
    write_parm(out, row, folder);
    before = ",\n    ";
  }
  rv_text_add(out, "]");
}

// Writes a value of a preset as JSON.
static void write_preset_value(RvText* out, const RvParmDef* row, const char* text, size_t count) {
  if (row->type == RV_PARM_TOGGLE)
    rv_text_add(out, boolean(count == 2));  // "on", not "off"
  else if (row->type == RV_PARM_FLOAT || row->type == RV_PARM_INT)
    rv_text_add_bytes(out, text, count);
  else
    write_bytes(out, text, count);
}

// Writes the presets: label, help, and values by token.
static void write_presets(RvText* out, const RvNodeType* type) {
  key(out, ",\n  ", "presets");
  rv_text_add(out, "[");
  for (size_t i = 0; i < type->npreset; ++i) {
    const RvPresetDef* preset = type->presets + i;
    string_member(out, i ? ",\n    {" : "\n    {", "token", preset->token);
    string_member(out, ", ", "label", preset->label);
    string_member(out, ", ", "help", preset->help);
    key(out, ", ", "values");
    const char* before = "{";
    for (RvPresetValue value = rv_describe_preset(type, preset->values); value.row;
         value = rv_describe_preset(type, value.next)) {
      key(out, before, value.row->token);
      write_preset_value(out, value.row, value.text, value.count);
      before = ", ";
    }
    rv_text_add(out, "}}");
  }
  rv_text_add(out, "]");
}

// Writes the stages and state fields of a solver.
static void write_state(RvText* out, const RvNodeType* type) {
  key(out, ",\n  ", "stages");
  rv_text_add(out, "[");
  for (size_t i = 0; type->stages && type->stages[i]; ++i) {
    rv_text_add(out, i ? ", " : "");
    write_string(out, type->stages[i]);
  }
  rv_text_add(out, "]");
  // Fields of the state, with owner, type and unit.
  key(out, ",\n  ", "fields");
  rv_text_add(out, "[");
  for (size_t i = 0; i < type->nfield; ++i) {
    const RvFieldDef* field = type->fields + i;
    string_member(out, i ? ",\n    {" : "\n    {", "name", field->name);
    string_member(out, ", ", "owner", rv_owner_name(field->owner));
    string_member(out, ", ", "storage", rv_storage_name(field->storage));
    rv_text_addf(out, ", \"size\": %d", field->size);
    string_member(out, ", ", "tag", rv_tag_name(field->tag));
    string_member(out, ", ", "group", field->group);
    string_member(out, ", ", "unit", field->unit);
    string_member(out, ", ", "producer", field->producer);
    rv_text_addf(out, ", \"saved\": %s", boolean(field->saved));
    string_member(out, ", ", "help", field->help);
    rv_text_add(out, "}");
  }
  rv_text_add(out, "]");
}

// Identity and help of the type first, then flags, ports, parameters and state.
void rv_describe_json(const RvNodeType* type, RvText* out) {
  string_member(out, "{\n  ", "type", type->type);
  rv_text_addf(out, ",\n  \"name\": \"rivulet::%s::1.0\"", type->type);
  string_member(out, ",\n  ", "label", type->label);
  string_member(out, ",\n  ", "category", type->category);
  string_member(out, ",\n  ", "summary", type->summary);
  string_member(out, ",\n  ", "help", type->help);
  key(out, ",\n  ", "flags");
  rv_text_add(out, "[");
  for (int i = 0; rv_describe_flag(type, i); ++i) {
    rv_text_add(out, i ? ", " : "");
    write_string(out, rv_describe_flag(type, i));
  }
  rv_text_add(out, "]");
  write_ports(out, "inputs", type->inputs, type->ninput, true, type->takes);
  write_ports(out, "outputs", type->outputs, type->noutput, false, NULL);
  write_parms(out, type->parms);
  write_presets(out, type);
  write_state(out, type);
  rv_text_add(out, "\n}\n");
}
