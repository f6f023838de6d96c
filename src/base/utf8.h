// Encoding of UTF-8, for the readers of JSON.
#ifndef RV_BASE_UTF8_H
#define RV_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

// Writes a code point below 0x110000 as UTF-8 (RFC 3629); returns the number of bytes, at most 4.
static inline size_t rv_utf8_put(char* out, uint32_t code) {
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  if (code < 0x800) {
    out[0] = (char)(0xc0 | code >> 6);
    out[1] = (char)(0x80 | (code & 63));
    return 2;
  }
  if (code < 0x10000) {
    out[0] = (char)(0xe0 | code >> 12);
    out[1] = (char)(0x80 | (code >> 6 & 63));
    out[2] = (char)(0x80 | (code & 63));
    return 3;
  }
  out[0] = (char)(0xf0 | code >> 18);
  out[1] = (char)(0x80 | (code >> 12 & 63));
  out[2] = (char)(0x80 | (code >> 6 & 63));
  out[3] = (char)(0x80 | (code & 63));
  return 4;
}

#endif
