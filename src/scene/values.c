// Parameter values from and to JSON: plain, keyed, waves and ramps.
#include <string.h>

#include "base/memory.h"
#include "parm/find.h"
#include "parm/ramp.h"
#include "scene/doc.h"
#include "scene/host.h"

enum {
  HINT_BYTES = 120,  // of "; did you mean ..."
  WAVE_NUMBERS = 4,  // amplitude, frequency, phase and offset
};

// The parameter that is being set.
typedef struct Target {
  RvParms* parms;
  const RvParmDef* def;
  const char* token;  // as written; may name one component
  int size;           // components of a whole value
  int* line;          // of the error
  RvError* error;
} Target;

// The error for a value of the wrong kind.
static RvResult wrong(const Target* t, const RvDoc* at, const char* wanted) {
  *t->line = at->line;
  return rv_fail(t->error, RV_BAD_INPUT, "parameter '%s' takes %s here, not %s", t->token, wanted,
                 rv_scene_doc_kind_name(at->kind));
}

static RvResult no_memory(const Target* t) {
  return rv_fail(t->error, RV_NO_MEMORY, "out of memory");
}

// Refuses keys of an object that are not in `known`.
static RvResult refuse_unknown(const Target* t, const RvDoc* object, const char* const* known) {
  const RvDoc* member = rv_scene_doc_unknown(object, known);
  char hint[HINT_BYTES];
  if (!member) return RV_OK;
  *t->line = member->line;
  return rv_fail(t->error, RV_BAD_INPUT, "parameter '%s': unknown key '%.60s'%s", t->token, member->key,
                 rv_scene_graph_suggest_list(member->key, known, hint, sizeof hint));
}

//------------------------------------------------------------------------------------------------ keys

// Keyframes of one or more components.
typedef struct Keys {
  RvKey* keys[RV_PARM_MAX_SIZE];  // one list a component
  size_t count;
  int size;
  RvInterp interp;
  RvExtend extend;
} Keys;

static void keys_free(Keys* keys) {
  for (int c = 0; c < RV_PARM_MAX_SIZE; ++c) rv_free(keys->keys[c]);
}

// Reads one key: [frame, value] or [frame, [x, y, z]].
static RvResult read_key(const Target* t, const RvDoc* pair, Keys* keys, size_t index) {
  if (pair->kind != RV_DOC_ARRAY || pair->count != 2) return wrong(t, pair, "keys of the form [frame, value]");
  const RvDoc* frame = pair->first;
  const RvDoc* value = frame->next;
  if (frame->kind != RV_DOC_NUMBER) return wrong(t, frame, "a frame number");
  // A single number for one component, else one number per component.
  bool vector = value->kind == RV_DOC_ARRAY;
  if (vector ? value->count != (size_t)keys->size || keys->size < 2 : value->kind != RV_DOC_NUMBER || keys->size > 1)
    return wrong(t, value, keys->size > 1 ? "as many numbers in brackets as it has components" : "a number");
  const RvDoc* item = vector ? value->first : value;
  for (int c = 0; c < keys->size; ++c, item = item->next) {
    if (item->kind != RV_DOC_NUMBER) return wrong(t, item, "a number");
    keys->keys[c][index] = (RvKey){frame->number, item->number};
  }
  return RV_OK;
}

// Reads "interp" (default linear) and "extend" (default hold).
static RvResult read_words(const Target* t, const RvDoc* object, Keys* keys) {
  const RvDoc* interp = rv_scene_doc_find(object, "interp");
  const RvDoc* extend = rv_scene_doc_find(object, "extend");
  keys->interp = RV_INTERP_LINEAR;
  keys->extend = RV_EXTEND_HOLD;
  if (interp &&
      (interp->kind != RV_DOC_STRING || !rv_interp_find(interp->string, strlen(interp->string), &keys->interp)))
    return wrong(t, interp, "\"constant\", \"linear\" or \"smooth\" as interp");
  if (extend &&
      (extend->kind != RV_DOC_STRING || !rv_extend_find(extend->string, strlen(extend->string), &keys->extend)))
    return wrong(t, extend, "\"hold\", \"cycle\" or \"linear\" as extend");
  return RV_OK;
}

// Reads {"keys": [...], "interp": ..., "extend": ...}. The caller frees the keys also on failure.
static RvResult read_keys(const Target* t, const RvDoc* object, int size, Keys* keys) {
  static const char* const known[] = {"keys", "interp", "extend", NULL};
  *keys = (Keys){.size = size};
  RvResult result = refuse_unknown(t, object, known);
  if (!result) result = read_words(t, object, keys);
  if (result) return result;
  // The list of keys, into one array per component.
  const RvDoc* list = rv_scene_doc_find(object, "keys");
  if (!list) return wrong(t, object, "{\"keys\": [[frame, value], ...]} or {\"wave\": {...}}");
  if (list->kind != RV_DOC_ARRAY || !list->count) return wrong(t, list, "a list of keys [[frame, value], ...]");
  for (int c = 0; c < size; ++c)
    if (!(keys->keys[c] = rv_alloc(list->count, sizeof(RvKey)))) return no_memory(t);
  for (const RvDoc* pair = list->first; pair && !result; pair = pair->next)
    result = read_key(t, pair, keys, keys->count++);
  return result;
}

// Sets keyframes on `size` components from `component` on.
static RvResult set_keys(const Target* t, const RvDoc* object, int component, int size) {
  Keys keys;
  RvResult result = read_keys(t, object, size, &keys);
  for (int c = 0; c < size && !result; ++c)
    result = rv_parms_set_keys(t->parms, t->token, component + c, keys.keys[c], keys.count, keys.interp, keys.extend,
                               t->error);
  keys_free(&keys);
  return result;
}

//------------------------------------------------------------------------------------------------ waves

// Reads the members of a wave. `envelope` owns the keys that wave->envelope points to.
static RvResult read_wave(const Target* t, const RvDoc* object, RvWave* wave, Keys* envelope) {
  static const char* const known[] = {"amplitude", "frequency", "phase", "offset", "envelope", NULL};
  RvResult result = refuse_unknown(t, object, known);
  // Numbers, in the order of `known`.
  double* const numbers[] = {&wave->amplitude, &wave->frequency, &wave->phase, &wave->offset};
  for (int i = 0; i < WAVE_NUMBERS && !result; ++i) {
    const RvDoc* member = rv_scene_doc_find(object, known[i]);
    if (!member) continue;
    if (member->kind != RV_DOC_NUMBER) return wrong(t, member, "a number in its wave");
    *numbers[i] = member->number;
  }
  const RvDoc* member = rv_scene_doc_find(object, "envelope");
  if (result || !member) return result;
  // A bare list of keys is read as {"keys": list}: linear, held at its ends.
  RvDoc keyed = {.kind = RV_DOC_OBJECT, .line = member->line, .count = 1};
  RvDoc list = *member;
  list.key = "keys";
  list.next = NULL;
  keyed.first = &list;
  if (member->kind != RV_DOC_ARRAY && member->kind != RV_DOC_OBJECT)
    return wrong(t, member, "keys as the envelope of its wave");
  result = read_keys(t, member->kind == RV_DOC_ARRAY ? &keyed : member, 1, envelope);
  wave->envelope = envelope->keys[0];
  wave->envelope_count = envelope->count;
  wave->envelope_interp = envelope->interp;
  wave->envelope_extend = envelope->extend;
  return result;
}

// Sets a component to {"wave": {...}}.
static RvResult set_wave(const Target* t, const RvDoc* object, int component) {
  static const char* const known[] = {"wave", NULL};
  RvResult result = refuse_unknown(t, object, known);
  if (result) return result;
  const RvDoc* member = rv_scene_doc_find(object, "wave");
  if (member->kind != RV_DOC_OBJECT) return wrong(t, member, "{\"wave\": {\"amplitude\": ..., \"frequency\": ...}}");
  // Defaults: amplitude 1, 1 Hz, phase and offset 0.
  RvWave wave = {.amplitude = 1, .frequency = 1};
  Keys envelope = {0};
  result = read_wave(t, member, &wave, &envelope);
  if (!result) result = rv_parms_set_wave(t->parms, t->token, component, &wave, t->error);
  keys_free(&envelope);
  return result;
}

//------------------------------------------------------------------------------------------------ ramps

// Sets a ramp from [[position, value], [position, value, "smooth"], ...].
static RvResult set_ramp(const Target* t, const RvDoc* list) {
  static const char form[] = "a ramp as text or as [[position, value, \"linear\"], ...]";
  RvRamp ramp = {0};
  if (list->kind != RV_DOC_ARRAY) return wrong(t, list, form);
  if (list->count > RV_RAMP_MAX_KEYS) {
    *t->line = list->line;
    return rv_fail(t->error, RV_LIMIT, "parameter '%s' has %zu ramp keys; a ramp takes at most %d", t->token,
                   list->count, RV_RAMP_MAX_KEYS);
  }
  // Read the keys: position, value and, optionally, the interpolation.
  for (const RvDoc* item = list->first; item; item = item->next) {
    if (item->kind != RV_DOC_ARRAY || item->count < 2 || item->count > 3) return wrong(t, item, form);
    const RvDoc* position = item->first;
    const RvDoc* value = position->next;
    const RvDoc* interp = value->next;
    RvRampKey* key = &ramp.keys[ramp.count++];
    if (position->kind != RV_DOC_NUMBER) return wrong(t, position, "a number as the ramp's position");
    if (value->kind != RV_DOC_NUMBER) return wrong(t, value, "a number as the ramp's value");
    *key = (RvRampKey){position->number, value->number, RV_INTERP_LINEAR};
    if (interp &&
        (interp->kind != RV_DOC_STRING || !rv_interp_find(interp->string, strlen(interp->string), &key->interp)))
      return wrong(t, interp, "\"constant\", \"linear\" or \"smooth\" as the ramp's interpolation");
  }
  return rv_parms_set_ramp(t->parms, t->token, &ramp, t->error);
}

//------------------------------------------------------------------------------------------------ any value

// What a parameter takes, for errors.
static const char* takes(const RvParmDef* def, int size) {
  switch (def->type) {
    case RV_PARM_TOGGLE:
      return "true or false";
    case RV_PARM_MENU:
      return "a word of its menu in quotes";
    case RV_PARM_STRING:
      return "a text in quotes";
    case RV_PARM_FILE:
      return "a file name in quotes";
    case RV_PARM_COLOR:
      return size > 1 ? "a colour [r, g, b]" : "a number";
    default:
      break;
  }
  if (size > 1)
    return size == 2 ? "two numbers [x, y]" : size == 3 ? "three numbers [x, y, z]" : "four numbers [x, y, z, w]";
  return def->type == RV_PARM_INT ? "a whole number" : "a number";
}

// Sets one component to a number, a toggle, a menu item, keyframes or a wave.
static RvResult set_component(const Target* t, const RvDoc* value, int component) {
  const RvParmDef* def = t->def;
  if (value->kind == RV_DOC_NUMBER) return rv_parms_set(t->parms, t->token, component, value->number, t->error);
  if (value->kind == RV_DOC_BOOL && def->type == RV_PARM_TOGGLE)
    return rv_parms_set(t->parms, t->token, component, value->boolean, t->error);
  if (value->kind == RV_DOC_STRING && def->type == RV_PARM_MENU)
    return rv_parms_set_string(t->parms, t->token, value->string, t->error);
  if (value->kind != RV_DOC_OBJECT) return wrong(t, value, takes(def, 1));
  return rv_scene_doc_find(value, "wave") ? set_wave(t, value, component) : set_keys(t, value, component, 1);
}

RvResult rv_scene_values_read(RvParms* parms, const RvDoc* value, int* line, RvError* error) {
  int component;
  *line = value->line;
  const RvParmDef* def = rv_parm_lookup(rv_parms_table(parms), value->key, &component, error);
  if (!def) return error && error->code ? error->code : RV_NOT_FOUND;
  // Find out what the parameter takes.
  Target t = {parms, def, value->key, component >= 0 || def->size < 1 ? 1 : def->size, line, error};
  if (!rv_parm_has_value(def))
    return rv_fail(error, RV_BAD_INPUT, "parameter '%s' is a button and takes no value; remove it from the scene",
                   value->key);
  if (!rv_parm_has_channels(def)) {
    if (value->kind == RV_DOC_STRING) return rv_parms_set_text(parms, t.token, value->string, error);
    return def->type == RV_PARM_RAMP ? set_ramp(&t, value) : wrong(&t, value, takes(def, 1));
  }
  // One component.
  if (t.size == 1) return set_component(&t, value, 0);
  // All components at once by keys whose values are vectors.
  if (value->kind == RV_DOC_OBJECT && !rv_scene_doc_find(value, "wave")) return set_keys(&t, value, 0, t.size);
  // One item per component.
  if (value->kind != RV_DOC_ARRAY) return wrong(&t, value, takes(def, t.size));
  if (value->count != (size_t)t.size)
    return rv_fail(error, RV_BAD_INPUT, "parameter '%s' takes %s, not %zu of them", t.token, takes(def, t.size),
                   value->count);
  int c = 0;
  for (const RvDoc* item = value->first; item; item = item->next, ++c) {
    RvResult result = set_component(&t, item, c);
    if (result) return result;
  }
  return RV_OK;
}

//------------------------------------------------------------------------------------------------ writing

// Writes "keys", "interp" and "extend" without the braces.
static void write_pairs(RvText* text, const RvKey* keys, size_t count, RvInterp interp, RvExtend extend) {
  rv_text_add(text, "\"keys\": [");
  for (size_t i = 0; i < count; ++i) {
    rv_text_add(text, i ? ", [" : "[");
    rv_scene_doc_add_number(text, keys[i].frame);
    rv_text_add(text, ", ");
    rv_scene_doc_add_number(text, keys[i].value);
    rv_text_add(text, "]");
  }
  rv_text_addf(text, "], \"interp\": \"%s\", \"extend\": \"%s\"", rv_interp_name(interp), rv_extend_name(extend));
}

// Writes {"wave": {...}}.
static void write_wave(RvText* text, const RvWave* wave) {
  static const char* const names[] = {"amplitude", "frequency", "phase", "offset"};
  const double numbers[] = {wave->amplitude, wave->frequency, wave->phase, wave->offset};
  rv_text_add(text, "{\"wave\": {");
  for (int i = 0; i < WAVE_NUMBERS; ++i) {
    rv_text_addf(text, "%s\"%s\": ", i ? ", " : "", names[i]);
    rv_scene_doc_add_number(text, numbers[i]);
  }
  if (wave->envelope && wave->envelope_count) {
    rv_text_add(text, ", \"envelope\": {");
    write_pairs(text, wave->envelope, wave->envelope_count, wave->envelope_interp, wave->envelope_extend);
    rv_text_add(text, "}");
  }
  rv_text_add(text, "}}");
}

// Writes one component in the form that rv_scene_values_read takes.
static void write_component(RvText* text, const RvParmDef* def, const RvValue* value) {
  // Animated values, then constants by type.
  RvMenuItem item;
  if (value->kind == RV_VALUE_KEYS) {
    rv_text_add(text, "{");
    write_pairs(text, value->keys, value->count, value->interp, value->extend);
    rv_text_add(text, "}");
  } else if (value->kind == RV_VALUE_WAVE) {
    write_wave(text, &value->wave);
  } else if (def->type == RV_PARM_TOGGLE) {
    rv_text_add(text, value->number != 0 ? "true" : "false");
  } else if (def->type == RV_PARM_MENU && rv_menu_item(def->menu, (int)value->number, &item)) {
    rv_text_addf(text, "\"%.*s\"", (int)item.token_length, item.token);
  } else if (def->type == RV_PARM_STRING || def->type == RV_PARM_FILE) {
    rv_scene_doc_add_string(text, value->text);
  } else if (def->type == RV_PARM_RAMP) {
    // Ramps are written as text.
    RvText ramp = {0};
    rv_ramp_write(value->ramp, &ramp);
    char* words = rv_text_done(&ramp);
    if (words)
      rv_scene_doc_add_string(text, words);
    else
      text->failed = true;
    rv_free(words);
  } else {
    rv_scene_doc_add_number(text, value->number);
  }
}

size_t rv_scene_values_write(RvText* text, const RvParms* parms, const char* separator) {
  const RvParmTable* table = rv_parms_table(parms);
  size_t written = 0;
  for (size_t i = 0; i < table->count; ++i) {
    const RvParmDef* def = &table->rows[i];
    if (!rv_parm_has_value(def)) continue;
    int size = rv_parm_has_channels(def) && def->size > 1 ? def->size : 1;
    // Skip parameters at their default.
    RvValue values[RV_PARM_MAX_SIZE];
    bool set = false;
    for (int c = 0; c < size; ++c) {
      rv_parms_get(parms, def->token, c, &values[c]);
      set = set || values[c].kind != RV_VALUE_DEFAULT;
    }
    if (!set) continue;
    // Write all components, those of vectors in brackets.
    rv_text_addf(text, "%s\"%s\": %s", written++ ? separator : "", def->token, size > 1 ? "[" : "");
    for (int c = 0; c < size; ++c) {
      if (c) rv_text_add(text, ", ");
      write_component(text, def, &values[c]);
    }
    if (size > 1) rv_text_add(text, "]");
  }
  return written;
}
