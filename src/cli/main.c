// Entry point of rivulet(1): memory settings of the C library, then the commands.
#include "base/platform.h"
#include "cli/cli.h"

int main(int argc, char** argv) {
  rv_platform_tune_memory();
  return rv_cli_main(argc, argv);
}
