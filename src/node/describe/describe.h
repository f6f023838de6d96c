// Writers of rv_node_describe, one for each format, and their shared helpers.
#ifndef RV_NODE_DESCRIBE_DESCRIBE_H
#define RV_NODE_DESCRIBE_DESCRIBE_H

#include "parm/text.h"
#include "rivulet/node.h"

void rv_describe_text(const RvNodeType* type, RvText* out);
void rv_describe_json(const RvNodeType* type, RvText* out);
void rv_describe_ds(const RvNodeType* type, RvText* out);
void rv_describe_dop(const RvNodeType* type, RvText* out);
void rv_describe_help(const RvNodeType* type, RvText* out);
void rv_describe_md(const RvNodeType* type, RvText* out);

// "float", "int", "toggle", ...
const char* rv_describe_parm_type(RvParmType type);
// Writes the default as rv_parms_set_text reads it; toggles are "on" and "off".
void rv_describe_default(const RvParmDef* row, RvText* out);
// True if the parameter has a range; it is written as "0! to 1", where ! marks an enforced end.
bool rv_describe_has_range(const RvParmDef* row);
void rv_describe_range(const RvParmDef* row, RvText* out);
// Name of the index-th flag of a type; NULL beyond the last.
const char* rv_describe_flag(const RvNodeType* type, int index);
// A value of a preset, borrowed from its text.
typedef struct RvPresetValue {
  const RvParmDef* row;  // NULL: there are no more values, or the text is wrong
  const char* text;      // as rv_parms_set_text reads it, `count` bytes
  size_t count;
  const char* next;  // where the next value begins
} RvPresetValue;
// The value at a place of RvPresetDef.values.
RvPresetValue rv_describe_preset(const RvNodeType* type, const char* values);
// Writes a text in lines of at most `columns`, each indented by `indent` blanks; paragraphs are kept.
void rv_describe_wrap(const char* part, size_t indent, size_t columns, RvText* out);

#endif
