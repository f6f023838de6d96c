#include "cli/cli.h"

int main(int argc, char** argv) {
  return rv_cli_main(argc, argv);
}
