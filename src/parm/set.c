// The setters of parameter values and their checks.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/platform.h"
#include "parm/find.h"
#include "parm/number.h"
#include "parm/ramp.h"
#include "parm/values.h"

static const double max_exact_integer = 9007199254740992.0;  // 2^53: whole numbers up to this are exact in a double

// What a setter writes to.
typedef struct Target {
  const RvParmDef* row;
  RvParmValue* value;
  int component;                    // -1: the whole row
  char token[RV_PARM_TOKEN_BYTES];  // of the row or component, for errors
} Target;

// What a parameter takes, for errors.
static const char* takes(const RvParmDef* row) {
  switch (row->type) {
    case RV_PARM_FLOAT:
      return row->size > 1 ? "numbers" : "a number";
    case RV_PARM_INT:
      return row->size > 1 ? "whole numbers" : "a whole number";
    case RV_PARM_TOGGLE:
      return "on or off";
    case RV_PARM_MENU:
      return "a word of its menu";
    case RV_PARM_STRING:
      return "a text";
    case RV_PARM_FILE:
      return "a file name";
    case RV_PARM_COLOR:
      return "three numbers, a colour";
    case RV_PARM_RAMP:
      return "a ramp, such as \"0 0 linear, 1 1 smooth\"";
    case RV_PARM_BUTTON:
      return "no value, it is a button";
    case RV_PARM_FOLDER:
      break;
  }
  return "no value";
}

// Finds the row or component of a token.
static RvResult find_target(RvParms* parms, const char* token, Target* out, RvError* error) {
  int component;
  const RvParmDef* row = rv_parm_lookup(parms->table, token, &component, error);
  if (!row) return error && error->code ? error->code : RV_NOT_FOUND;
  *out = (Target){.row = row, .value = parms->values + (row - parms->table->rows), .component = component};
  rv_parm_component_token(row, component, out->token);
  return RV_OK;
}

// Finds one channel. `component` counts within the row, or is 0 with a component's token.
static RvResult find_channel(RvParms* parms, const char* token, int component, Target* out, RvError* error) {
  RvResult result = find_target(parms, token, out, error);
  if (result) return result;
  const RvParmDef* row = out->row;
  // Texts and ramps have no channels.
  if (!rv_parm_has_channels(row))
    return rv_fail(error, RV_BAD_INPUT, "parameter '%s' takes %s, not a number", out->token, takes(row));
  // The component must exist; a component's own token goes with 0.
  if (out->component >= 0 ? component != 0 : component < 0 || component >= row->size)
    return rv_fail(error, RV_BAD_INPUT, "parameter '%s' has no component %d: it has %d, counted from 0", out->token,
                   component, out->component >= 0 ? 1 : row->size);
  if (out->component < 0) out->component = component;
  rv_parm_component_token(row, out->component, out->token);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- numbers

// Fails if the value is outside of the bounds that exist.
static RvResult check_bounds(const Target* target, double value, double min, bool has_min, double max, bool has_max,
                             RvError* error) {
  bool low = has_min && value < min;
  bool high = has_max && value > max;
  char got[RV_NUMBER_BYTES], bound[RV_NUMBER_BYTES];
  if (!low && !high) return RV_OK;
  return rv_fail(error, RV_BAD_INPUT, "parameter '%s' is %s; it must be at %s %s%s%s", target->token,
                 rv_number_write(value, got), low ? "least" : "most", rv_number_write(low ? min : max, bound),
                 *target->row->unit ? " " : "", target->row->unit);
}

// Checks type and hard range of a number. With `exact`, values of integer parameters must be whole; keys may lie
// between whole numbers and are rounded when they are evaluated.
static RvResult check_number(const Target* target, double value, bool exact, RvError* error) {
  const RvParmDef* row = target->row;
  if (!(fabs(value) <= RV_VALUE_MAX))
    return rv_fail(error, RV_BAD_INPUT, "parameter '%s' must be a finite number below 1e100", target->token);
  char got[RV_NUMBER_BYTES];
  // Whole numbers, toggles, menus and the hard range.
  bool whole = row->type == RV_PARM_INT || row->type == RV_PARM_MENU || row->type == RV_PARM_TOGGLE;
  if (whole && ((exact && value != floor(value)) || fabs(value) > max_exact_integer))
    return rv_fail(error, RV_BAD_INPUT, "parameter '%s' takes %s, not %s", target->token, takes(row),
                   rv_number_write(value, got));
  if (row->type == RV_PARM_TOGGLE && !(value >= 0 && value <= 1))
    return rv_fail(error, RV_BAD_INPUT, "parameter '%s' takes on or off (1 or 0), not %s", target->token,
                   rv_number_write(value, got));
  if (row->type == RV_PARM_MENU) return check_bounds(target, value, 0, true, rv_menu_count(row->menu) - 1, true, error);
  return check_bounds(target, value, row->min, row->hard_min, row->max, row->hard_max, error);
}

// Makes a channel constant.
static void store(Target* target, int component, double value) {
  RvChannel* channel = &target->value->channel[component];
  rv_channel_clear(channel);
  // Adding 0.0 turns -0 into 0, so that both have the same hash.
  channel->value = value + 0.0;
}

RvResult rv_parms_set(RvParms* parms, const char* token, int component, double value, RvError* error) {
  Target target;
  RvResult result = find_channel(parms, token, component, &target, error);
  if (!result) result = check_number(&target, value, true, error);
  if (!result) store(&target, target.component, value);
  return result;
}

//---------------------------------------------------------------------------------------------- texts

// Sets a menu by its token.
static RvResult set_menu(Target* target, const char* text, RvError* error) {
  int index = rv_menu_find(target->row->menu, text);
  // Unknown: list the items.
  if (index < 0) {
    RvText words = {0};
    rv_menu_tokens(target->row->menu, &words);
    char* list = rv_text_done(&words);
    rv_fail(error, RV_BAD_INPUT, "parameter '%s' has no choice '%.60s'; it takes one of: %s", target->token, text,
            list ? list : "");
    rv_free(list);
    return RV_BAD_INPUT;
  }
  store(target, 0, index);
  return RV_OK;
}

// Sets a text of limited length.
static RvResult set_string(Target* target, const char* text, RvError* error) {
  if (rv_platform_strnlen(text, RV_PARM_MAX_TEXT + 1) > RV_PARM_MAX_TEXT)
    return rv_fail(error, RV_LIMIT, "parameter '%s': the text is longer than %d bytes", target->token,
                   RV_PARM_MAX_TEXT);
  // Replace the old text only when there is a copy.
  char* copy = rv_strdup(text);
  if (!copy) return rv_fail(error, RV_NO_MEMORY, "parameter '%s': no memory for its text", target->token);
  rv_free(target->value->text);
  target->value->text = copy;
  return RV_OK;
}

RvResult rv_parms_set_string(RvParms* parms, const char* token, const char* text, RvError* error) {
  Target target;
  RvResult result = find_target(parms, token, &target, error);
  if (result) return result;
  if (!text) return rv_fail(error, RV_BAD_INPUT, "parameter '%s': no text was given", target.token);
  // Numbers are not taken as texts here; rv_parms_set_text does that.
  switch (target.row->type) {
    case RV_PARM_STRING:
    case RV_PARM_FILE:
      return set_string(&target, text, error);
    case RV_PARM_MENU:
      return set_menu(&target, text, error);
    case RV_PARM_RAMP:
      return rv_parms_set_text(parms, token, text, error);
    default:
      return rv_fail(error, RV_BAD_INPUT, "parameter '%s' takes %s, not the text '%.60s'", target.token,
                     takes(target.row), text);
  }
}

// The value of a toggle's word, 0 or 1; -1 if it is not one.
static int toggle_word(const char* text) {
  static const char* const words[] = {"off", "on", "false", "true", "no", "yes", "0", "1"};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (strcmp(words[i], text) == 0) return (int)(i & 1);
  return -1;
}

// The text after leading separators of numbers.
static const char* separators(const char* text) {
  return text + strspn(text, " \t\r\n,");
}

// Sets one component, or all of them. Nothing is stored unless all numbers are valid.
static RvResult set_numbers(Target* target, const char* text, RvError* error) {
  // Read and check.
  int wanted = target->component >= 0 ? 1 : target->row->size;
  int count = 0;
  double values[RV_PARM_MAX_SIZE];
  const char* at = separators(text);
  while (*at) {
    const char* end;
    double value;
    if (!rv_number_read(at, &end, &value) || (*end && separators(end) == end))
      return rv_fail(error, RV_BAD_INPUT, "parameter '%s' takes %s, not '%.60s'", target->token, takes(target->row),
                     text);
    // Numbers beyond those wanted are only counted, for the error.
    if (count < wanted) {
      RvResult result = check_number(target, value, true, error);
      if (result) return result;
      values[count] = value;
    }
    ++count;
    at = separators(end);
  }
  if (count != wanted)
    return rv_fail(error, RV_BAD_INPUT, "parameter '%s' takes %d number%s, not %d", target->token, wanted,
                   wanted == 1 ? "" : "s", count);
  // Store.
  for (int c = 0; c < wanted; ++c) store(target, target->component >= 0 ? target->component : c, values[c]);
  return RV_OK;
}

RvResult rv_parms_set_text(RvParms* parms, const char* token, const char* text, RvError* error) {
  Target target;
  RvResult result = find_target(parms, token, &target, error);
  if (result) return result;
  if (!text) return rv_fail(error, RV_BAD_INPUT, "parameter '%s': no text was given", target.token);
  // Toggles by word.
  if (target.row->type == RV_PARM_TOGGLE && toggle_word(text) >= 0) {
    store(&target, 0, toggle_word(text));
    return RV_OK;
  }
  if (target.row->type == RV_PARM_MENU) {
    // A number is the index of the item, unless the menu has it as a token.
    bool number = *text && text[strspn(text, "0123456789")] == 0 && rv_menu_find(target.row->menu, text) < 0;
    return number ? set_numbers(&target, text, error) : set_menu(&target, text, error);
  }
  if (rv_parm_has_channels(target.row)) return set_numbers(&target, text, error);
  if (target.row->type != RV_PARM_RAMP) return rv_parms_set_string(parms, token, text, error);
  // Ramps.
  RvRamp ramp;
  RvError why = {0};
  result = rv_ramp_parse(text, &ramp, &why);
  if (result) return rv_fail(error, result, "parameter '%s': %s", target.token, why.text);
  target.value->ramp = ramp;
  return RV_OK;
}

RvResult rv_parms_set_ramp(RvParms* parms, const char* token, const RvRamp* ramp, RvError* error) {
  Target target;
  RvResult result = find_target(parms, token, &target, error);
  if (result) return result;
  if (target.row->type != RV_PARM_RAMP)
    return rv_fail(error, RV_BAD_INPUT, "parameter '%s' takes %s, not a ramp", target.token, takes(target.row));
  RvError why = {0};
  result = rv_ramp_check(ramp, &why);
  if (result) return rv_fail(error, result, "parameter '%s': %s", target.token, why.text);
  target.value->ramp = *ramp;
  return RV_OK;
}

RvResult rv_parms_reset(RvParms* parms, const char* token, RvError* error) {
  Target target;
  RvResult result = find_target(parms, token, &target, error);
  if (result) return result;
  if (!rv_parm_value_reset(target.value, target.row, parms->meters))
    return rv_fail(error, RV_NO_MEMORY, "parameter '%s': no memory for its default", target.token);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- keyframes and waves

// Checks number, order and interpolation of keys.
static RvResult check_keys(const Target* target, const RvKey* keys, size_t count, RvInterp interp, RvExtend extend,
                           RvError* error) {
  RvError why = {0};
  if (count > RV_PARM_MAX_CHANNEL_KEYS)
    return rv_fail(error, RV_LIMIT, "parameter '%s' has %zu keys; it takes at most %d", target->token, count,
                   RV_PARM_MAX_CHANNEL_KEYS);
  if (!rv_interp_name(interp) || !rv_extend_name(extend))
    return rv_fail(error, RV_BAD_INPUT,
                   "parameter '%s': keys are constant, linear or smooth, and extended by hold, cycle "
                   "or linear",
                   target->token);
  RvResult result = rv_keys_check(keys, count, &why);
  return result ? rv_fail(error, result, "parameter '%s': %s", target->token, why.text) : RV_OK;
}

// Replaces the target's channel; `keys` are copied into it.
static RvResult store_channel(Target* target, RvChannel channel, const RvKey* keys, size_t count, RvError* error) {
  if (count) {
    channel.keys = rv_alloc(count, sizeof *keys);
    if (!channel.keys) return rv_fail(error, RV_NO_MEMORY, "parameter '%s': no memory for its keys", target->token);
    memcpy(channel.keys, keys, count * sizeof *keys);
    channel.count = count;
  }
  // Replace the old channel only when the keys are copied.
  RvChannel* old = &target->value->channel[target->component];
  rv_channel_clear(old);
  *old = channel;
  return RV_OK;
}

RvResult rv_parms_set_keys(RvParms* parms, const char* token, int component, const RvKey* keys, size_t count,
                           RvInterp interp, RvExtend extend, RvError* error) {
  Target target;
  RvResult result = find_channel(parms, token, component, &target, error);
  if (!result) result = check_keys(&target, keys, count, interp, extend, error);
  // Each value must be within the hard range.
  for (size_t i = 0; !result && i < count; ++i) {
    RvError why = {0};
    char frame[RV_NUMBER_BYTES];
    result = check_number(&target, keys[i].value, false, &why);
    if (result) rv_fail(error, result, "key at frame %s: %s", rv_number_write(keys[i].frame, frame), why.text);
  }
  if (result) return result;
  return store_channel(&target, (RvChannel){.kind = RV_CHANNEL_KEYS, .interp = interp, .extend = extend}, keys, count,
                       error);
}

RvResult rv_parms_set_wave(RvParms* parms, const char* token, int component, const RvWave* wave, RvError* error) {
  Target target;
  RvResult result = find_channel(parms, token, component, &target, error);
  if (result) return result;
  // Check the numbers.
  const struct {
    const char* name;
    double value, limit;
  } numbers[] = {{"amplitude", wave->amplitude, RV_VALUE_MAX},
                 {"frequency", wave->frequency, RV_KEY_MAX_FRAME},
                 {"phase", wave->phase, RV_KEY_MAX_FRAME},
                 {"offset", wave->offset, RV_VALUE_MAX}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    if (!(fabs(numbers[i].value) <= numbers[i].limit))
      return rv_fail(error, RV_BAD_INPUT, "parameter '%s': the %s of its wave must be a finite number of at most %g",
                     target.token, numbers[i].name, numbers[i].limit);
  // Check the envelope.
  bool enveloped = wave->envelope != NULL;
  if (enveloped)
    result =
        check_keys(&target, wave->envelope, wave->envelope_count, wave->envelope_interp, wave->envelope_extend, error);
  if (result) {
    rv_error_context(error, "envelope");
    return result;
  }
  // Store the wave with a copy of its envelope.
  RvChannel channel = {.kind = RV_CHANNEL_WAVE,
                       .amplitude = wave->amplitude,
                       .frequency = wave->frequency,
                       .phase = wave->phase,
                       .offset = wave->offset,
                       .interp = enveloped ? wave->envelope_interp : RV_INTERP_LINEAR,
                       .extend = enveloped ? wave->envelope_extend : RV_EXTEND_HOLD};
  return store_channel(&target, channel, wave->envelope, enveloped ? wave->envelope_count : 0, error);
}
