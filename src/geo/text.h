// Texts of any origin, made fit for a file.
#ifndef RV_GEO_TEXT_H
#define RV_GEO_TEXT_H

#include "rivulet/base.h"

// Bytes of the UTF-8 character at `text`: 1 to 4, or 0 if it is none (or a NUL).
int rv_text_utf8(const char* text);
// `text` as the content of an XML attribute; what XML cannot hold becomes '_'. rv_free it; NULL out of memory.
char* rv_text_xml(const char* text);
// `text` as an identifier of USD: [A-Za-z_][A-Za-z0-9_]*, each other byte becoming '_'. rv_free it.
char* rv_text_identifier(const char* text);
// `text` as a quoted string of USD. rv_free it.
char* rv_text_usda_string(const char* text);
// True if `text` ends with `ending`, letter case apart.
bool rv_text_ends(const char* text, const char* ending);

#endif
