// Ramps: evaluation, checks and text.
#include "parm/ramp.h"

#include <math.h>
#include <string.h>

#include "parm/channel.h"
#include "parm/curve.h"
#include "parm/number.h"

enum { NAMES = 3 };  // of each list
static const char* const interp_names[] = {"constant", "linear", "smooth"};
static const char* const extend_names[] = {"hold", "cycle", "linear"};

const char* rv_interp_name(RvInterp interp) {
  return (unsigned)interp < NAMES ? interp_names[interp] : NULL;
}

const char* rv_extend_name(RvExtend extend) {
  return (unsigned)extend < NAMES ? extend_names[extend] : NULL;
}

// Index of a name in a list; -1 if it is not there.
static int find(const char* const* names, const char* word, size_t length) {
  for (int i = 0; i < NAMES; ++i)
    if (strlen(names[i]) == length && memcmp(names[i], word, length) == 0) return i;
  return -1;
}

bool rv_interp_find(const char* word, size_t length, RvInterp* out) {
  int i = find(interp_names, word, length);
  if (i >= 0) *out = (RvInterp)i;
  return i >= 0;
}

bool rv_extend_find(const char* word, size_t length, RvExtend* out) {
  int i = find(extend_names, word, length);
  if (i >= 0) *out = (RvExtend)i;
  return i >= 0;
}

//---------------------------------------------------------------------------------------------- value

// Slope of the straight line from a key to the next.
static double secant(const RvRampKey* key) {
  return (key[1].value - key[0].value) / (key[1].position - key[0].position);
}

// Slope of the smooth curve at key `i`; 0 at both ends.
static double slope(const RvRamp* ramp, int i) {
  if (i == 0 || i == ramp->count - 1) return 0;
  const RvRampKey* key = ramp->keys + i;
  return rv_curve_slope(key[0].position - key[-1].position, secant(key - 1), key[1].position - key[0].position,
                        secant(key));
}

double rv_ramp_eval(const RvRamp* ramp, double position) {
  if (ramp->count < 1) return 0;
  // The negated comparison sends NaN to the first key.
  if (ramp->count == 1 || !(position > ramp->keys[0].position)) return ramp->keys[0].value;
  int last = ramp->count - 1;
  if (position >= ramp->keys[last].position) return ramp->keys[last].value;
  // Find the segment and interpolate.
  int i = 0;
  while (ramp->keys[i + 1].position <= position) ++i;
  const RvRampKey* a = ramp->keys + i;
  const RvRampKey* b = a + 1;
  double h = b->position - a->position;
  double t = (position - a->position) / h;
  if (a->interp == RV_INTERP_CONSTANT) return a->value;
  if (a->interp == RV_INTERP_LINEAR) return rv_curve_line(t, a->value, b->value);
  return rv_curve_hermite(t, h, a->value, slope(ramp, i), b->value, slope(ramp, i + 1));
}

//---------------------------------------------------------------------------------------------- text

RvResult rv_ramp_check(const RvRamp* ramp, RvError* error) {
  if (ramp->count < 1 || ramp->count > RV_RAMP_MAX_KEYS)
    return rv_fail(error, RV_BAD_INPUT, "a ramp has 1 to %d keys, not %d", RV_RAMP_MAX_KEYS, ramp->count);
  for (int i = 0; i < ramp->count; ++i) {
    const RvRampKey* key = ramp->keys + i;
    if (!(key->position >= 0 && key->position <= 1))
      return rv_fail(error, RV_BAD_INPUT, "ramp key %d: the position must be between 0 and 1", i + 1);
    if (!(fabs(key->value) <= RV_VALUE_MAX))
      return rv_fail(error, RV_BAD_INPUT, "ramp key %d: the value is not a finite number below 1e100", i + 1);
    if (!rv_interp_name(key->interp))
      return rv_fail(error, RV_BAD_INPUT, "ramp key %d: the interpolation must be constant, linear or smooth", i + 1);
    if (i && !(key->position - key[-1].position >= RV_KEY_MIN_GAP))
      return rv_fail(error, RV_BAD_INPUT, "ramp key %d does not come after the key before it", i + 1);
  }
  return RV_OK;
}

// The text after leading white space.
static const char* blanks(const char* text) {
  return text + strspn(text, " \t\r\n");
}

// Reads one key and the white space after it. NULL if there is no key.
static const char* parse_key(const char* text, RvRampKey* key) {
  // Position and value, separated by white space.
  *key = (RvRampKey){.interp = RV_INTERP_LINEAR};
  text = blanks(text);
  if (!rv_number_read(text, &text, &key->position)) return NULL;
  const char* next = blanks(text);
  if (next == text || !rv_number_read(next, &text, &key->value)) return NULL;
  next = blanks(text);
  // Interpolation, if it is given.
  size_t length = strcspn(next, ", \t\r\n");
  if (length) {
    if (next == text || !rv_interp_find(next, length, &key->interp)) return NULL;
    next = blanks(next + length);
  }
  return next;
}

RvResult rv_ramp_parse(const char* text, RvRamp* out, RvError* error) {
  // Read keys separated by commas into a copy, so that *out is unchanged on failure.
  RvRamp ramp = {0};
  for (;;) {
    if (ramp.count == RV_RAMP_MAX_KEYS)
      return rv_fail(error, RV_BAD_INPUT, "a ramp has at most %d keys", RV_RAMP_MAX_KEYS);
    const char* next = parse_key(text, &ramp.keys[ramp.count++]);
    if (!next || (*next && *next != ','))
      return rv_fail(error, RV_BAD_INPUT,
                     "ramp key %d in '%.60s' is not \"position value interpolation\", such as "
                     "\"0 0 linear, 1 1 smooth\"",
                     ramp.count, text);
    if (!*next) break;
    text = next + 1;
  }
  RvResult result = rv_ramp_check(&ramp, error);
  if (!result) *out = ramp;
  return result;
}

void rv_ramp_write(const RvRamp* ramp, RvText* text) {
  for (int i = 0; i < ramp->count; ++i) {
    if (i) rv_text_add(text, ", ");
    rv_text_number(text, ramp->keys[i].position);
    rv_text_add(text, " ");
    rv_text_number(text, ramp->keys[i].value);
    const char* interp = rv_interp_name(ramp->keys[i].interp);
    rv_text_addf(text, " %s", interp ? interp : "linear");
  }
}
