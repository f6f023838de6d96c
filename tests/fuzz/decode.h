// What the geometry targets share: whatever decodes must be sound, and must survive being written and read again.
#ifndef RV_FUZZ_DECODE_H
#define RV_FUZZ_DECODE_H

#include <stdio.h>
#include <stdlib.h>

#include "rivulet/geo.h"

static inline void fuzz_require(bool good, const char* what, const char* text) {
  if (good) return;
  fprintf(stderr, "%s: %s\n", what, text);
  abort();
}

static inline void fuzz_decode(const void* bytes, size_t count, const char* format) {
  RvError error = {0};
  RvDetail *detail = NULL, *back = NULL;
  void* written = NULL;
  size_t size = 0;
  rv_threads_set(1);
  RvResult result = rv_detail_decode(bytes, count, &detail, NULL, &error);
  if (result) {
    fuzz_require(error.code == result && error.text[0] && !detail, "an error without a text", rv_result_name(result));
    // inputs are small: what they may become is limited long before the memory is used up
    fuzz_require(result != RV_NO_MEMORY, "a small file wants too much", error.text);
    return;
  }
  fuzz_require(!rv_detail_check(detail, &error), "an unsound detail", error.text);
  // large ones are not written again: the time goes into bytes, not into cases
  if (rv_detail_bytes(detail) < ((size_t)1 << 20)) {
    fuzz_require(!rv_detail_encode(detail, format, &written, &size, NULL, &error), "encode", error.text);
    fuzz_require(!rv_detail_decode(written, size, &back, NULL, &error), "decode again", error.text);
    fuzz_require(rv_detail_hash(detail) == rv_detail_hash(back), "round trip", "the hashes differ");
  }
  rv_free(written);
  rv_detail_free(back);
  rv_detail_free(detail);
}

#endif
