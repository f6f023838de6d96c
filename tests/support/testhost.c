// rivulet(1) with the test nodes, for tests that need a process of its own.
#include "cli/cli.h"
#include "support/node_counter.h"

int main(int argc, char** argv) {
  rv_test_register();
  return rv_cli_main(argc, argv);
}
