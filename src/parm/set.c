#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "parm/find.h"
#include "parm/number.h"
#include "parm/ramp.h"
#include "parm/values.h"

// where a setter writes
typedef struct Target {
  const RvParmDef* row;
  RvParmValue* value;
  int component;  // -1: the whole row
  char token[RV_PARM_TOKEN_BYTES];
} Target;

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

static RvResult find_target(RvParms* parms, const char* token, Target* out, RvError* error) {
  int component;
  const RvParmDef* row = rv_parm_lookup(parms->table, token, &component, error);
  if (!row) return error && error->code ? error->code : RV_NOT_FOUND;
  *out = (Target){.row = row, .value = parms->values + (row - parms->table->rows), .component = component};
  rv_parm_component_token(row, component, out->token);
  return RV_OK;
}

// `component` as the caller gave it: of the whole row, or 0 with a component's token
static RvResult find_channel(RvParms* parms, const char* token, int component, Target* out, RvError* error) {
  RvResult result = find_target(parms, token, out, error);
  if (result) return result;
  const RvParmDef* row = out->row;
  if (!rv_parm_has_channels(row))
    return rv_fail(error, RV_BAD_INPUT, "parameter '%s' takes %s, not a number", out->token, takes(row));
  if (out->component >= 0 ? component != 0 : component < 0 || component >= row->size)
    return rv_fail(error, RV_BAD_INPUT, "parameter '%s' has no component %d: it has %d, counted from 0", out->token,
                   component, out->component >= 0 ? 1 : row->size);
  if (out->component < 0) out->component = component;
  rv_parm_component_token(row, out->component, out->token);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- checks of
// numbers

static RvResult check_bounds(const Target* target, double value, double least, bool has_least, double most,
                             bool has_most, RvError* error) {
  bool low = has_least && value < least, high = has_most && value > most;
  char got[RV_NUMBER_BYTES], bound[RV_NUMBER_BYTES];
  if (!low && !high) return RV_OK;
  return rv_fail(error, RV_BAD_INPUT, "parameter '%s' is %s; it must be at %s %s%s%s", target->token,
                 rv_number_write(value, got), low ? "least" : "most", rv_number_write(low ? least : most, bound),
                 *target->row->unit ? " " : "", target->row->unit);
}

// with `exact`, whole numbers must be whole; keys of them may lie between and are rounded when evaluated
static RvResult check_number(const Target* target, double value, bool exact, RvError* error) {
  const RvParmDef* row = target->row;
  if (!(fabs(value) <= RV_VALUE_MAX))
    return rv_fail(error, RV_BAD_INPUT, "parameter '%s' must be a finite number below 1e100", target->token);
  char got[RV_NUMBER_BYTES];
  bool whole = row->type == RV_PARM_INT || row->type == RV_PARM_MENU || row->type == RV_PARM_TOGGLE;
  if (whole && ((exact && value != floor(value)) || fabs(value) > 9007199254740992.0))
    return rv_fail(error, RV_BAD_INPUT, "parameter '%s' takes %s, not %s", target->token, takes(row),
                   rv_number_write(value, got));
  if (row->type == RV_PARM_TOGGLE && !(value >= 0 && value <= 1))
    return rv_fail(error, RV_BAD_INPUT, "parameter '%s' takes on or off (1 or 0), not %s", target->token,
                   rv_number_write(value, got));
  if (row->type == RV_PARM_MENU) return check_bounds(target, value, 0, true, rv_menu_count(row->menu) - 1, true, error);
  return check_bounds(target, value, row->min, row->hard_min, row->max, row->hard_max, error);
}

static void store(Target* target, int component, double value) {
  RvChannel* channel = &target->value->channel[component];
  rv_channel_clear(channel);
  // the two zeros are one value
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

static RvResult set_menu(Target* target, const char* text, RvError* error) {
  int index = rv_menu_find(target->row->menu, text);
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

static RvResult set_string(Target* target, const char* text, RvError* error) {
  if (strnlen(text, RV_PARM_MAX_TEXT + 1) > RV_PARM_MAX_TEXT)
    return rv_fail(error, RV_LIMIT, "parameter '%s': the text is longer than %d bytes", target->token,
                   RV_PARM_MAX_TEXT);
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

// the words of a toggle; -1 if it is none
static int toggle_word(const char* text) {
  static const char* const words[] = {"off", "on", "false", "true", "no", "yes", "0", "1"};
  for (int i = 0; i < 8; ++i)
    if (strcmp(words[i], text) == 0) return i & 1;
  return -1;
}

static const char* separators(const char* text) {
  return text + strspn(text, " \t\r\n,");
}

// numbers for one component or for all of them; nothing is stored unless all are right
static RvResult set_numbers(Target* target, const char* text, RvError* error) {
  int wanted = target->component >= 0 ? 1 : target->row->size, count = 0;
  double values[RV_PARM_MAX_SIZE];
  const char* at = separators(text);
  while (*at) {
    const char* end;
    double value;
    if (!rv_number_read(at, &end, &value) || (*end && separators(end) == end))
      return rv_fail(error, RV_BAD_INPUT, "parameter '%s' takes %s, not '%.60s'", target->token, takes(target->row),
                     text);
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
  for (int c = 0; c < wanted; ++c) store(target, target->component >= 0 ? target->component : c, values[c]);
  return RV_OK;
}

RvResult rv_parms_set_text(RvParms* parms, const char* token, const char* text, RvError* error) {
  Target target;
  RvResult result = find_target(parms, token, &target, error);
  if (result) return result;
  if (!text) return rv_fail(error, RV_BAD_INPUT, "parameter '%s': no text was given", target.token);
  if (target.row->type == RV_PARM_TOGGLE && toggle_word(text) >= 0) {
    store(&target, 0, toggle_word(text));
    return RV_OK;
  }
  if (target.row->type == RV_PARM_MENU) {
    // a number is the index, unless it is a word of the menu
    bool number = *text && text[strspn(text, "0123456789")] == 0 && rv_menu_find(target.row->menu, text) < 0;
    return number ? set_numbers(&target, text, error) : set_menu(&target, text, error);
  }
  if (rv_parm_has_channels(target.row)) return set_numbers(&target, text, error);
  if (target.row->type != RV_PARM_RAMP) return rv_parms_set_string(parms, token, text, error);
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
  if (!rv_parm_value_reset(target.value, target.row))
    return rv_fail(error, RV_NO_MEMORY, "parameter '%s': no memory for its default", target.token);
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- motion

static RvResult check_keys(const Target* target, const RvKey* keys, size_t count, RvInterp interp, RvExtend extend,
                           RvError* error) {
  RvError why = {0};
  if (count > RV_PARM_MAX_CHANNEL_KEYS)
    return rv_fail(error, RV_LIMIT, "parameter '%s': %zu keys, at most %d are possible", target->token, count,
                   RV_PARM_MAX_CHANNEL_KEYS);
  if (!rv_interp_name(interp) || !rv_extend_name(extend))
    return rv_fail(error, RV_BAD_INPUT,
                   "parameter '%s': keys are constant, linear or smooth, and extended by hold, cycle "
                   "or linear",
                   target->token);
  RvResult result = rv_keys_check(keys, count, &why);
  return result ? rv_fail(error, result, "parameter '%s': %s", target->token, why.text) : RV_OK;
}

// replaces the target's channel; `channel.keys` are copied
static RvResult store_channel(Target* target, RvChannel channel, const RvKey* keys, size_t count, RvError* error) {
  if (count) {
    channel.keys = rv_alloc(count, sizeof *keys);
    if (!channel.keys) return rv_fail(error, RV_NO_MEMORY, "parameter '%s': no memory for its keys", target->token);
    memcpy(channel.keys, keys, count * sizeof *keys);
    channel.count = count;
  }
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
  const double numbers[] = {wave->amplitude, wave->frequency, wave->phase, wave->offset};
  const char* const names[] = {"amplitude", "frequency", "phase", "offset"};
  for (int i = 0; i < 4; ++i)
    if (!(fabs(numbers[i]) <= (i == 1 || i == 2 ? RV_KEY_MAX_FRAME : RV_VALUE_MAX)))
      return rv_fail(error, RV_BAD_INPUT, "parameter '%s': the %s of its wave is not a number of a sensible size",
                     target.token, names[i]);
  bool enveloped = wave->envelope != NULL;
  if (enveloped)
    result =
        check_keys(&target, wave->envelope, wave->envelope_count, wave->envelope_interp, wave->envelope_extend, error);
  if (result) return rv_error_context(error, "envelope"), result;
  RvChannel channel = {.kind = RV_CHANNEL_WAVE,
                       .amplitude = wave->amplitude,
                       .frequency = wave->frequency,
                       .phase = wave->phase,
                       .offset = wave->offset,
                       .interp = enveloped ? wave->envelope_interp : RV_INTERP_LINEAR,
                       .extend = enveloped ? wave->envelope_extend : RV_EXTEND_HOLD};
  return store_channel(&target, channel, wave->envelope, enveloped ? wave->envelope_count : 0, error);
}
