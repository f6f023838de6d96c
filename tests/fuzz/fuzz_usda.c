// Curves of USD text: whatever decodes is sound, small, and gives the same detail again.
#include <stdint.h>

#include "fuzz/decode.h"
#include "geo/io_usda.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  RvError error = {0};
  RvDetail *detail = NULL, *again = NULL;
  rv_threads_set(1);
  RvResult result = rv_usda_decode(data, size, "fuzz", &detail, NULL, &error);
  if (result) {
    fuzz_require(error.code == result && error.text[0] && !detail, "an error without a text", rv_result_name(result));
    fuzz_require(result != RV_NO_MEMORY, "a small file wants too much", error.text);
    return 0;
  }
  fuzz_require(!rv_detail_check(detail, &error), "an unsound detail", error.text);
  // text has at least two bytes a number, and a number takes at most a few times that in memory
  fuzz_require(rv_detail_bytes(detail) < 4096 + 64 * size, "a small file becomes", "much memory");
  fuzz_require(!rv_usda_decode(data, size, "fuzz", &again, NULL, &error), "decode again", error.text);
  fuzz_require(rv_detail_hash(detail) == rv_detail_hash(again), "decode again", "the hashes differ");
  rv_detail_free(again);
  rv_detail_free(detail);
  return 0;
}
