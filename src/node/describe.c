#include "base/memory.h"
#include "rivulet/node.h"

char* rv_node_describe(const RvNodeType* type, const char* format) {
  (void)format;
  return rv_strf("%s\n", type->type);
}
