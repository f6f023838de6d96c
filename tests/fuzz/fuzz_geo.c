// Text JSON.
#include "fuzz/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz_decode(data, size, "geo");
  return 0;
}
