// Binary JSON, also what is inside a .bgeo.sc.
#include "fuzz/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz_decode(data, size, "bgeo");
  return 0;
}
