// The container. As it comes, and, since no fuzzer finds a whole frame by chance, also with a frame built around the
// bytes: the first four say how they are cut into blocks, so that damaged block heads and contents are reached.
#include <string.h>

#include "fuzz/decode.h"
#include "geo/io_houdini.h"

static void put_big(uint8_t* at, uint64_t value) {
  for (int i = 0; i < 8; ++i) at[i] = (uint8_t)(value >> (56 - 8 * i));
}

static void decode_framed(const uint8_t* data, size_t size) {
  size_t nblock = 1 + data[0] % 4, block = ((size_t)data[1] << 8 | data[2]) + 1, last = 1 + data[3] * block / 256;
  const uint8_t* body = data + 4;
  size_t length = size - 4, index = 8 * (nblock + 1), total = 12 + length + index + 12, at = 12 + length;
  uint8_t* file = malloc(total);
  if (!file) return;
  memcpy(file, "scf1", 4);
  put_big(file + 4, 0);
  memcpy(file + 12, body, length);
  for (size_t i = 1; i < nblock; ++i, at += 8) put_big(file + at, length * i / nblock);
  put_big(file + at, block);
  put_big(file + at + 8, last);
  put_big(file + at + 16, index);
  memcpy(file + at + 24, "1fcs", 4);
  fuzz_decode(file, total, "bgeo.sc");
  free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz_decode(data, size, "bgeo.sc");
  if (size > 4) decode_framed(data, size);
  return 0;
}
