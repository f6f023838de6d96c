// The generated part of the manual: one page for each node type, and the index.
#ifndef RV_NODE_DESCRIBE_DOCS_H
#define RV_NODE_DESCRIBE_DOCS_H

#include "rivulet/node.h"

// First line of every generated page.
#define RV_DOCS_MARK "<!-- Made from the node tables by `cmake --build build/release --target docs`; do not edit. -->"

// Writes <folder>/<type>.md for every built-in type and <folder>/README.md, and removes generated pages of
// types that no longer exist. Other files are left alone.
RvResult rv_node_write_docs(const char* folder, RvError* error);

#endif
