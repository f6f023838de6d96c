// Text of scenes and files on a terminal: control characters, which could move the cursor or change what was printed
// before, are shown as escapes.
#include <stdint.h>

#include "cli/cli.h"

enum {
  FIRST_PRINTED = 0x20,  // code points below are the C0 controls
  DELETE = 0x7f,
  LAST_C1 = 0x9f,  // 0x80 to here are the C1 controls, which terminals obey too
  LONGEST = 4,     // bytes of a code point in UTF-8
};

// Decodes one code point; returns its bytes, or 0 if they are not UTF-8 (RFC 3629).
static int decode(const unsigned char* at, uint32_t* code) {
  int count = at[0] < 0x80 ? 1 : at[0] >= 0xc2 && at[0] < 0xe0 ? 2 : at[0] >= 0xe0 && at[0] < 0xf0 ? 3 : 4;
  if (count == 4 && !(at[0] >= 0xf0 && at[0] < 0xf5)) return 0;
  static const unsigned char first_bits[LONGEST + 1] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  *code = at[0] & first_bits[count];
  for (int i = 1; i < count; ++i) {
    if ((at[i] & 0xc0) != 0x80) return 0;
    *code = *code << 6 | (at[i] & 0x3f);
  }
  bool overlong = (count == 3 && *code < 0x800) || (count == 4 && *code < 0x10000);
  return overlong || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ? 0 : count;
}

// True for code points that change how others are shown: controls, line separators and marks of the writing direction.
static bool is_control(uint32_t code) {
  if (code < FIRST_PRINTED || (code >= DELETE && code <= LAST_C1)) return true;
  return code == 0x061c || (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

void rv_cli_put(FILE* stream, const char* text) {
  for (const unsigned char* at = (const unsigned char*)(text ? text : ""); *at;) {
    uint32_t code;
    int count = decode(at, &code);
    if (count && !is_control(code))
      fwrite(at, 1, (size_t)count, stream);
    else if (*at == '\n')
      fputs("\\n", stream);
    else if (*at == '\t')
      fputs("\\t", stream);
    else
      for (int i = 0; i < (count ? count : 1); ++i) fprintf(stream, "\\x%02x", at[i]);
    at += count ? count : 1;
  }
}
