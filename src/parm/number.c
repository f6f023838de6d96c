#include "parm/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the thread's locale is changed for the call only, because a host's user interface may have set one with
// commas
static locale_t enter(locale_t* made) {
  *made = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  return *made ? uselocale(*made) : (locale_t)0;
}

static void leave(locale_t made, locale_t old) {
  if (!made) return;
  uselocale(old);
  freelocale(made);
}

bool rv_number_read(const char* text, const char** end, double* out) {
  // strtod also takes blanks, hexadecimals, "inf" and "nan"
  const char* digits = text + (*text == '-' || *text == '+');
  if (!(*digits >= '0' && *digits <= '9') && *digits != '.') return false;
  if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) return false;
  locale_t made, old = enter(&made);
  char* after;
  *out = strtod(text, &after);
  leave(made, old);
  *end = after;
  return after != text && isfinite(*out);
}

const char* rv_number_round(double value, int digits, char buffer[RV_NUMBER_BYTES]) {
  locale_t made, old = enter(&made);
  snprintf(buffer, RV_NUMBER_BYTES, "%.*g", digits, value);
  leave(made, old);
  return buffer;
}

const char* rv_number_write(double value, char buffer[RV_NUMBER_BYTES]) {
  // "1000000", not "1e+06"
  if (value == floor(value) && fabs(value) < 1e15) {
    snprintf(buffer, RV_NUMBER_BYTES, "%.0f", value + 0.0);
    return buffer;
  }
  for (int digits = 6; digits <= 17; ++digits) {
    const char* end;
    double back;
    rv_number_round(value, digits, buffer);
    if (!rv_number_read(buffer, &end, &back) || back == value) break;
  }
  return buffer;
}
