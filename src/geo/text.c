// Strings made valid for XML and USD. Byte values are those of the UTF-8 encoding (RFC 3629).
#include "geo/text.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/platform.h"

// The first byte gives the length: 0xxxxxxx 1, 110xxxxx 2, 1110xxxx 3, 11110xxx 4; all others are 10xxxxxx.
int rv_text_utf8(const char* text) {
  const unsigned char* s = (const unsigned char*)text;
  if (s[0] == 0) return 0;
  if (s[0] < 0x80) return 1;
  int length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
  // 80 .. c1 begin no character (c0 and c1 only overlong ones), f5 .. ff lie beyond Unicode.
  if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
  for (int i = 1; i < length; ++i) {
    if ((s[i] & 0xc0) != 0x80) return 0;
  }
  // Refuse overlong forms, surrogates and code points beyond U+10FFFF.
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
  if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
  return length;
}

char* rv_text_xml(const char* text) {
  // The longest replacement, &quot;, has six characters.
  char* out = rv_alloc(strlen(text) * 6 + 1, 1);
  if (!out) return NULL;
  size_t used = 0;
  while (*text) {
    int length = rv_text_utf8(text);
    // Characters with a meaning in XML become entities.
    const char* entity = *text == '&'   ? "&amp;"
                         : *text == '<' ? "&lt;"
                         : *text == '>' ? "&gt;"
                         : *text == '"' ? "&quot;"
                                        : NULL;
    // U+FFFE and U+FFFF (ef bf be, ef bf bf) are no characters of XML either.
    bool noncharacter = length == 3 && (unsigned char)text[0] == 0xef && (unsigned char)text[1] == 0xbf &&
                        (unsigned char)text[2] >= 0xbe;
    if (entity) {
      memcpy(out + used, entity, strlen(entity));
      used += strlen(entity);
    } else if (length == 0 || noncharacter || (length == 1 && ((unsigned char)*text < 0x20 || *text == 0x7f))) {
      out[used++] = '_';
    } else {
      memcpy(out + used, text, (size_t)length);
      used += (size_t)length;
    }
    text += length ? length : 1;
  }
  out[used] = 0;
  return out;
}

// An identifier must not begin with a digit nor be empty: such a text gets a '_' in front.
char* rv_text_identifier(const char* text) {
  size_t length = strlen(text);
  size_t used = 0;
  char* out = rv_alloc(length + 2, 1);
  if (!out) return NULL;
  if (!length || (*text >= '0' && *text <= '9')) out[used++] = '_';
  for (; *text; ++text) {
    char c = *text;
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out[used++] = plain ? c : '_';
  }
  out[used] = 0;
  return out;
}

// Control characters and bytes that are not UTF-8 are written as \xNN.
char* rv_text_usda_string(const char* text) {
  // The longest replacement, \xNN, has four characters; quotes and the final 0 are three more.
  char* out = rv_alloc(strlen(text) * 4 + 3, 1);
  if (!out) return NULL;
  size_t used = 0;
  out[used++] = '"';
  while (*text) {
    int length = rv_text_utf8(text);
    unsigned char c = (unsigned char)*text;
    // Escape quotes, backslashes and control characters; copy everything else.
    if (c == '"' || c == '\\') {
      out[used++] = '\\';
      out[used++] = (char)c;
    } else if (c == '\n' || c == '\t' || c == '\r') {
      out[used++] = '\\';
      out[used++] = c == '\n' ? 'n' : c == '\t' ? 't' : 'r';
    } else if (length == 0 || c < 0x20 || c == 0x7f) {
      used += (size_t)snprintf(out + used, 5, "\\x%02x", c);
    } else {
      memcpy(out + used, text, (size_t)length);
      used += (size_t)length;
    }
    text += length ? length : 1;
  }
  out[used++] = '"';
  out[used] = 0;
  return out;
}

bool rv_text_ends(const char* text, const char* ending) {
  size_t length = strlen(text);
  size_t tail = strlen(ending);
  return length >= tail && rv_platform_strcasecmp(text + length - tail, ending) == 0;
}
