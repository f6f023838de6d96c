// Text functions that C17 lacks, in plain C, so that they do the same on every system.
#include "base/platform.h"

#include <string.h>

//---------------------------------------------------------------------------------------------- text

size_t rv_platform_strnlen(const char* text, size_t most) {
  const char* end = memchr(text, 0, most);
  return end ? (size_t)(end - text) : most;
}

char* rv_platform_strsep(char** text, const char* delimiters) {
  char* word = *text;
  if (!word) return NULL;
  char* end = word + strcspn(word, delimiters);
  *text = *end ? end + 1 : NULL;
  *end = 0;
  return word;
}

char* rv_platform_strtok(char* text, const char* delimiters, char** next) {
  char* word = text ? text : *next;
  word += strspn(word, delimiters);
  *next = word;
  if (!*word) return NULL;
  *next = word + strcspn(word, delimiters);
  if (**next) *(*next)++ = 0;
  return word;
}

// A letter in lower case; other bytes stay, those of UTF-8 too.
static int lower(char c) {
  return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

int rv_platform_strncasecmp(const char* a, const char* b, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    int order = lower(a[i]) - lower(b[i]);
    if (order || !a[i]) return order;
  }
  return 0;
}

int rv_platform_strcasecmp(const char* a, const char* b) {
  return rv_platform_strncasecmp(a, b, SIZE_MAX);
}

//---------------------------------------------------------------------------------------------- patterns

// Whether a set "[a-z]" has the character; `set` stands after its bracket. Returns the place after the set, or NULL if
// it has no end: the bracket then stands for itself.
static const char* match_set(const char* set, unsigned char c, bool* member) {
  bool negative = *set == '!' || *set == '^';
  bool found = false;
  const char* at = set + negative;
  // A bracket at the beginning is a member.
  for (const char* first = at; *at != ']' || at == first;) {
    if (*at == '\\' && at[1]) ++at;
    if (!*at) return NULL;
    unsigned char low = (unsigned char)*at++, high = low;
    if (at[0] == '-' && at[1] && at[1] != ']') {
      at += 1 + (at[1] == '\\' && at[2]);
      high = (unsigned char)*at++;
    }
    found |= low <= c && c <= high;
  }
  *member = found != negative;
  return at + 1;
}

// Matches one character. Returns the place after its part of the pattern, or NULL if it does not match.
static const char* match_one(const char* pattern, char c) {
  if (*pattern == '?') return pattern + 1;
  if (*pattern == '[') {
    bool member = false;
    const char* after = match_set(pattern + 1, (unsigned char)c, &member);
    if (after) return member ? after : NULL;
  }
  // A backslash at the end matches nothing.
  if (*pattern == '\\' && !*++pattern) return NULL;
  return *pattern == c ? pattern + 1 : NULL;
}

bool rv_platform_match(const char* pattern, const char* text) {
  // After the last star: where the pattern goes on, and the first character that the star does not cover yet. A
  // mismatch lets that star cover one more; earlier stars need no second try.
  const char *star = NULL, *uncovered = NULL;
  while (*text) {
    if (*pattern == '*') {
      star = ++pattern;
      uncovered = text;
      continue;
    }
    const char* next = *pattern ? match_one(pattern, *text) : NULL;
    if (next) {
      pattern = next;
      ++text;
    } else if (star) {
      pattern = star;
      text = ++uncovered;
    } else {
      return false;
    }
  }
  while (*pattern == '*') ++pattern;
  return !*pattern;
}

//---------------------------------------------------------------------------------------------- bytes, files

uint64_t rv_platform_little64(uint64_t value) {
  unsigned char bytes[sizeof value];
  for (size_t i = 0; i < sizeof value; ++i) bytes[i] = (unsigned char)(value >> 8 * i);
  memcpy(&value, bytes, sizeof value);
  return value;
}

bool rv_platform_same_file(const RvFileInfo* a, const RvFileInfo* b) {
  return a->device == b->device && a->number == b->number;
}
