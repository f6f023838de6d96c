// Houdini's help page of a node.
#include "node/describe/describe.h"
#include "parm/find.h"

enum { COLUMNS = 100 };  // of wrapped text

// Writes the inputs or outputs.
static void write_ports(RvText* out, const char* title, const RvPortDef* ports, size_t count) {
  if (!count) return;
  rv_text_addf(out, "\n@%s\n", title);
  for (size_t i = 0; i < count; ++i) {
    rv_text_addf(out, "%s%s:\n", i ? "\n" : "", ports[i].label);
    rv_describe_wrap(*ports[i].help ? ports[i].help : ports[i].name, 4, COLUMNS, out);
  }
}

// Writes a parameter with its menu.
static void write_parm(RvText* out, const RvParmDef* row) {
  RvMenuItem item;
  rv_text_addf(out, "\n%s:\n    #id: %s\n", row->label, row->token);
  rv_describe_wrap(row->help, 4, COLUMNS, out);
  for (int i = 0; row->type == RV_PARM_MENU && rv_menu_item(row->menu, i, &item); ++i)
    rv_text_addf(out, "\n    %.*s:\n        `%.*s`\n", (int)item.label_length, item.label, (int)item.token_length,
                 item.token);
}

// Header, summary and help, ports and parameters in Houdini's wiki markup.
void rv_describe_help(const RvNodeType* type, RvText* out) {
  rv_text_addf(out, "= %s =\n\n#type: node\n#context: sop\n#internal: rivulet::%s::1.0\n", type->label, type->type);
  rv_text_addf(out, "#icon: SOP/rivulet-%s-1.0\n\n\"\"\"%s\"\"\"\n", type->type, type->summary);
  if (*type->help) {
    rv_text_add(out, "\n");
    rv_describe_wrap(type->help, 0, COLUMNS, out);
  }
  write_ports(out, "inputs", type->inputs, type->ninput);
  write_ports(out, "outputs", type->outputs, type->noutput);
  if (type->parms->count) rv_text_add(out, "\n@parameters\n");
  for (size_t i = 0; i < type->parms->count; ++i) {
    const RvParmDef* row = type->parms->rows + i;
    if (row->type == RV_PARM_FOLDER)
      rv_text_addf(out, "\n== %s ==\n", row->label);
    else
      write_parm(out, row);
  }
}
