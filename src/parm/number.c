// Reading and writing of numbers independent of the locale.
#include "parm/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform.h"

enum {
  MIN_DIGITS = 6,   // significant digits tried first
  MAX_DIGITS = 17,  // enough for every double
};
static const double max_plain_integer = 1e15;  // whole numbers below this are written without an exponent

bool rv_number_read(const char* text, const char** end, double* out) {
  // Refuse what strtod also takes: leading blanks, hexadecimal numbers, "inf" and "nan".
  const char* digits = text + (*text == '-' || *text == '+');
  if (!(*digits >= '0' && *digits <= '9') && *digits != '.') return false;
  if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) return false;
  // The host's user interface may have set a locale with decimal commas.
  RvNumberLocale locale = rv_platform_locale_enter();
  char* after;
  *out = strtod(text, &after);
  rv_platform_locale_leave(locale);
  *end = after;
  return after != text && isfinite(*out);
}

const char* rv_number_round(double value, int digits, char buffer[RV_NUMBER_BYTES]) {
  // The host's user interface may have set a locale with decimal commas.
  RvNumberLocale locale = rv_platform_locale_enter();
  snprintf(buffer, RV_NUMBER_BYTES, "%.*g", digits, value);
  rv_platform_locale_leave(locale);
  return buffer;
}

const char* rv_number_write(double value, char buffer[RV_NUMBER_BYTES]) {
  // Whole numbers: "1000000", not "1e+06". Adding 0.0 turns -0 into 0.
  if (value == floor(value) && fabs(value) < max_plain_integer) {
    snprintf(buffer, RV_NUMBER_BYTES, "%.0f", value + 0.0);
    return buffer;
  }
  // Others: more digits until the text reads back to the same value.
  for (int digits = MIN_DIGITS; digits <= MAX_DIGITS; ++digits) {
    const char* end;
    double reread;
    rv_number_round(value, digits, buffer);
    if (!rv_number_read(buffer, &end, &reread) || reread == value) break;
  }
  return buffer;
}
