// Manual page of a node in Markdown.
#include "node/describe/describe.h"
#include "node/describe/docs.h"
#include "parm/find.h"

enum { COLUMNS = 118 };  // of wrapped text

// Writes a cell of a table; bars are escaped and line ends become blanks.
static void write_cell(RvText* out, const char* text) {
  for (; *text; ++text) {
    if (*text == '|') rv_text_add(out, "\\");
    rv_text_add_bytes(out, *text == '\n' ? " " : text, 1);
  }
}

// Writes the table of inputs or outputs.
static void write_ports(RvText* out, const char* title, const RvPortDef* ports, size_t count, bool inputs) {
  if (!count) return;
  rv_text_addf(out, "\n## %s\n\n| | name | |\n|---|---|---|\n", title);
  for (size_t i = 0; i < count; ++i) {
    rv_text_addf(out, "| %zu | `%s` | ", i + 1, ports[i].name);
    write_cell(out, ports[i].help);
    rv_text_addf(out, "%s |\n", !inputs ? "" : ports[i].required ? " Required." : " Optional.");
  }
}

// Writes the default value of a parameter.
static void write_default(RvText* out, const RvParmDef* row) {
  bool text = row->type == RV_PARM_STRING || row->type == RV_PARM_FILE || row->type == RV_PARM_RAMP;
  if (row->type == RV_PARM_BUTTON || (text && (!row->standard_text || !*row->standard_text))) return;
  bool code = text || row->type == RV_PARM_MENU;
  rv_text_add(out, code ? "`" : "");
  if (text)
    write_cell(out, row->standard_text);
  else
    rv_describe_default(row, out);
  rv_text_add(out, code ? "`" : "");
}

// Writes when a parameter has no effect.
static void write_condition(RvText* out, const char* condition) {
  if (!condition) return;
  rv_text_add(out, " Not used when `");
  write_cell(out, condition);
  rv_text_add(out, "`.");
}

// Writes the help of a parameter, its menu, when it has no effect and whether it is advanced.
static void write_help(RvText* out, const RvParmDef* row) {
  write_cell(out, row->help);
  RvMenuItem item;
  for (int i = 0; row->type == RV_PARM_MENU && rv_menu_item(row->menu, i, &item); ++i)
    rv_text_addf(out, "%s `%.*s` %.*s", i ? ";" : "", (int)item.token_length, item.token, (int)item.label_length,
                 item.label);
  if (row->type == RV_PARM_MENU) rv_text_add(out, ".");
  write_condition(out, row->disable_when);
  write_condition(out, row->hide_when);
  if (row->level == RV_LEVEL_ADVANCED) rv_text_add(out, " *Advanced.*");
}

// Writes the row of a parameter.
static void write_row(RvText* out, const RvParmDef* row) {
  rv_text_addf(out, "| %s | `%s` | %s", row->label, row->token, rv_describe_parm_type(row->type));
  if (row->size > 1 && row->type != RV_PARM_COLOR) rv_text_addf(out, " x %d", row->size);
  rv_text_add(out, " | ");
  write_default(out, row);
  rv_text_add(out, " | ");
  if (rv_describe_has_range(row)) rv_describe_range(row, out);
  rv_text_addf(out, " | %s | ", row->unit);
  write_help(out, row);
  rv_text_add(out, " |\n");
}

// Writes the tables of parameters, one for each folder.
static void write_parms(RvText* out, const RvParmTable* table) {
  static const char head[] = "| label | token | type | default | range | unit | |\n|---|---|---|---|---|---|---|\n";
  if (!table->count) return;
  rv_text_add(out,
              "\n## Parameters\n\nAn end of a range that is marked `!` is enforced; the others are the slider's.\n");
  for (size_t i = 0; i < table->count; ++i) {
    const RvParmDef* row = table->rows + i;
    if (row->type == RV_PARM_FOLDER) {
      rv_text_addf(out, "\n### %s\n\n%s", row->label, head);
      continue;
    }
    if (i == 0) rv_text_addf(out, "\n%s", head);
    write_row(out, row);
  }
}

// Writes the table of presets.
static void write_presets(RvText* out, const RvNodeType* type) {
  if (!type->npreset) return;
  rv_text_add(out, "\n## Presets\n\n| preset | token | sets | |\n|---|---|---|---|\n");
  for (size_t i = 0; i < type->npreset; ++i)
    rv_text_addf(out, "| %s | `%s` | `%s` | %s |\n", type->presets[i].label, type->presets[i].token,
                 type->presets[i].values, type->presets[i].help);
}

// Writes the stages and state fields of a solver.
static void write_state(RvText* out, const RvNodeType* type) {
  if (type->stages) rv_text_add(out, "\n## Stages\n\nThe names of the timers, in the order of a substep:");
  for (size_t i = 0; type->stages && type->stages[i]; ++i) rv_text_addf(out, "%s `%s`", i ? "," : "", type->stages[i]);
  if (type->stages) rv_text_add(out, ".\n");
  if (!type->nfield) return;
  rv_text_add(out, "\n## State\n\n| name | owner | type | unit | made by | | |\n|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < type->nfield; ++i) {
    const RvFieldDef* field = type->fields + i;
    rv_text_addf(out, "| `%s` | %s%s%s | %s", field->name, rv_owner_name(field->owner), *field->group ? " of " : "",
                 field->group, rv_storage_name(field->storage));
    if (field->size)
      rv_text_addf(out, " x %d", field->size);
    else
      rv_text_add(out, ", a list");
    rv_text_addf(out, " | %s | %s | %s | ", field->unit, field->producer, field->saved ? "saved" : "derived");
    write_cell(out, field->help);
    rv_text_add(out, " |\n");
  }
}

// Summary and help, kind of node, ports, parameters and state.
void rv_describe_md(const RvNodeType* type, RvText* out) {
  rv_text_addf(out, "%s\n# %s\n\n", RV_DOCS_MARK, type->label);
  rv_describe_wrap(type->summary, 0, COLUMNS, out);
  if (*type->help) {
    rv_text_add(out, "\n");
    rv_describe_wrap(type->help, 0, COLUMNS, out);
  }
  rv_text_addf(out, "\nType `%s`, in Houdini `rivulet::%s::1.0`; category %s.", type->type, type->type, type->category);
  if (type->flags & RV_NODE_SOLVER) rv_text_add(out, " A solver: it steps through every frame from its start frame.");
  if (type->flags & RV_NODE_GENERATOR) rv_text_add(out, " It needs no input.");
  if (type->flags & RV_NODE_WRITES) rv_text_add(out, " It writes to disk.");
  if (type->flags & RV_NODE_DOP) rv_text_add(out, " It exists as a DOP solver too.");
  rv_text_add(out, "\n");
  write_ports(out, "Inputs", type->inputs, type->ninput, true);
  write_ports(out, "Outputs", type->outputs, type->noutput, false);
  write_parms(out, type->parms);
  write_presets(out, type);
  write_state(out, type);
}
