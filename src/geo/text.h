// Strings made valid for a file format, and UTF-8 decoding.
#ifndef RV_GEO_TEXT_H
#define RV_GEO_TEXT_H

#include "rivulet/base.h"

// Bytes of the UTF-8 character at `text`: 1 to 4, or 0 if it is invalid or the end of the string.
int rv_text_utf8(const char* text);
// `text` as the content of an XML attribute; characters that XML does not allow become '_'. Free with rv_free; NULL
// when out of memory.
char* rv_text_xml(const char* text);
// `text` as a USD identifier, [A-Za-z_][A-Za-z0-9_]*, each other byte becoming '_'. Free with rv_free; NULL when out of
// memory.
char* rv_text_identifier(const char* text);
// `text` as a quoted USD string. Free with rv_free; NULL when out of memory.
char* rv_text_usda_string(const char* text);
// True if `text` ends with `ending`, whatever the letter case.
bool rv_text_ends(const char* text, const char* ending);

#endif
