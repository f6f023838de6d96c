// The writers of rv_node_describe, one a format, and what they share.
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
// The default as rv_parms_set_text takes it; toggles are "on" and "off".
void rv_describe_default(const RvParmDef* row, RvText* out);
// True if the row shows a range; writes "0! to 1", the marked ends being enforced.
bool rv_describe_has_range(const RvParmDef* row);
void rv_describe_range(const RvParmDef* row, RvText* out);
// The words of the type's flags, in their order; NULL beyond the last.
const char* rv_describe_flag(const RvNodeType* type, int index);
// `part` in lines of at most `columns`, each after `indent` blanks; paragraphs are kept.
void rv_describe_wrap(const char* part, size_t indent, size_t columns, RvText* out);

#endif
