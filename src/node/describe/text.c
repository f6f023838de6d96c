// Description of a node as text for a terminal.
#include "node/describe/describe.h"
#include "parm/find.h"

enum { COLUMNS = 100 };  // of wrapped text

// Writes the inputs or outputs.
static void write_ports(const char* title, const RvPortDef* ports, size_t count, bool inputs, RvText* out) {
  if (!count) return;
  rv_text_addf(out, "\n%s\n", title);
  for (size_t i = 0; i < count; ++i) {
    rv_text_addf(out, "  %zu %s%s\n", i + 1, ports[i].name, !inputs || ports[i].required ? "" : " (optional)");
    if (*ports[i].help) rv_describe_wrap(ports[i].help, 6, COLUMNS, out);
  }
}

// Writes size, default, unit and range of a parameter.
static void write_value(const RvParmDef* row, RvText* out) {
  if (row->size > 1) rv_text_addf(out, " x %d", row->size);
  if (row->type == RV_PARM_BUTTON) return;
  rv_text_add(out, " = ");
  bool quoted = row->type == RV_PARM_STRING || row->type == RV_PARM_FILE || row->type == RV_PARM_RAMP;
  if (quoted)
    rv_text_quoted(out, row->standard_text ? row->standard_text : "");
  else
    rv_describe_default(row, out);
  if (*row->unit) rv_text_addf(out, " %s", row->unit);
  if (rv_describe_has_range(row)) {
    rv_text_add(out, ", ");
    rv_describe_range(row, out);
  }
}

// Writes a parameter with its help and menu.
static void write_parm(const RvParmDef* row, RvText* out) {
  rv_text_addf(out, "  %-18s %s", row->token, rv_describe_parm_type(row->type));
  write_value(row, out);
  rv_text_add(out, "\n");
  rv_describe_wrap(row->help, 6, COLUMNS, out);
  if (row->type == RV_PARM_MENU) {
    RvText words = {0};
    rv_text_add(&words, "One of: ");
    rv_menu_tokens(row->menu, &words);
    rv_text_add(&words, ".");
    char* list = rv_text_done(&words);
    if (list)
      rv_describe_wrap(list, 6, COLUMNS, out);
    else
      out->failed = true;
    rv_free(list);
  }
  if (row->disable_when) rv_text_addf(out, "      Not used when %s.\n", row->disable_when);
  if (row->hide_when) rv_text_addf(out, "      Not used when %s.\n", row->hide_when);
  if (row->level == RV_LEVEL_ADVANCED) rv_text_add(out, "      Advanced.\n");
}

// Writes all parameters under the titles of their folders.
static void write_parms(const RvNodeType* type, RvText* out) {
  bool ranged = false;
  for (size_t i = 0; i < type->parms->count; ++i) {
    const RvParmDef* row = type->parms->rows + i;
    if (row->type == RV_PARM_FOLDER) {
      rv_text_addf(out, "\n%s\n", row->label);
      continue;
    }
    if (i == 0) rv_text_add(out, "\nParameters\n");
    write_parm(row, out);
    ranged = ranged || rv_describe_has_range(row);
  }
  if (ranged) rv_text_add(out, "\nAn end of a range that is marked ! is enforced; the others are the slider's.\n");
}

// Writes the stages and state fields of a solver.
static void write_state(const RvNodeType* type, RvText* out) {
  if (type->stages) {
    rv_text_add(out, "\nStages\n ");
    for (size_t i = 0; type->stages[i]; ++i) rv_text_addf(out, " %s", type->stages[i]);
    rv_text_add(out, "\n");
  }
  if (type->nfield) rv_text_add(out, "\nState\n");
  for (size_t i = 0; i < type->nfield; ++i) {
    const RvFieldDef* field = type->fields + i;
    rv_text_addf(out, "  %-18s %s %s", field->name, rv_owner_name(field->owner), rv_storage_name(field->storage));
    if (field->size)
      rv_text_addf(out, " x %d", field->size);
    else
      rv_text_add(out, ", a list");
    rv_text_addf(out, "%s%s, %s\n", *field->unit ? " " : "", field->unit, field->saved ? "saved" : "derived");
    rv_describe_wrap(field->help, 6, COLUMNS, out);
  }
}

// Name and flags, summary and help, ports, parameters and state.
void rv_describe_text(const RvNodeType* type, RvText* out) {
  rv_text_addf(out, "%s: %s (%s)\nrivulet::%s::1.0", type->type, type->label, type->category, type->type);
  for (int i = 0; rv_describe_flag(type, i); ++i) rv_text_addf(out, ", %s", rv_describe_flag(type, i));
  rv_text_add(out, "\n\n");
  rv_describe_wrap(type->summary, 0, COLUMNS, out);
  if (*type->help) {
    rv_text_add(out, "\n");
    rv_describe_wrap(type->help, 0, COLUMNS, out);
  }
  write_ports("Inputs", type->inputs, type->ninput, true, out);
  write_ports("Outputs", type->outputs, type->noutput, false, out);
  write_parms(type, out);
  write_state(type, out);
}
