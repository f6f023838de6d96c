// What the node table demands of a row.
#ifndef RV_NODE_TABLE_H
#define RV_NODE_TABLE_H

#include "rivulet/node.h"

// Checks that a row is complete: names, texts, ports, parameters and the functions its flags ask for. The
// error names the type and what it lacks. rv_node_register asks it; a guard test asks it of every built-in
// row.
RvResult rv_node_check(const RvNodeType* type, RvError* error);

// Built-in rows alone.
size_t rv_node_builtin_count(void);

#endif
