// write_docs FOLDER: renews the generated pages of the manual. Run by the build's target `docs`.
#include <stdio.h>

#include "node/describe/docs.h"

int main(int argc, char** argv) {
  RvError error = {0};
  if (argc != 2) {
    fprintf(stderr, "usage: write_docs FOLDER\n");
    return 1;
  }
  RvResult result = rv_node_write_docs(argv[1], &error);
  if (result) fprintf(stderr, "%s\n", error.text);
  return rv_result_exit_code(result);
}
