// Values of one node: creation, copies, hash and evaluation.
#include "parm/values.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "parm/find.h"
#include "parm/number.h"
#include "parm/ramp.h"
#include "parm/vars.h"

// Relative tolerance for values at a hard bound: interpolation may exceed it by rounding errors.
static const double range_tolerance = 1e-9;
static const double max_exact_integer = 9007199254740992.0;  // 2^53: whole numbers up to this are exact in a double
enum { SHOWN_DIGITS = 9 };                                   // of a value in an error

static const char* standard_text(const RvParmDef* row) {
  return row->standard_text ? row->standard_text : "";
}

// Default of a ramp: that of the table, else the straight line from 0 to 1.
static RvRamp standard_ramp(const RvParmDef* row) {
  RvRamp ramp = {2, {{0, 0, RV_INTERP_LINEAR}, {1, 1, RV_INTERP_LINEAR}}};
  if (row->standard_text) rv_ramp_parse(row->standard_text, &ramp, NULL);
  return ramp;
}

// True if the value of the row is a text.
static bool has_text(const RvParmDef* row) {
  return row->type == RV_PARM_STRING || row->type == RV_PARM_FILE;
}

double rv_parm_standard(const RvParmDef* row, int component, double meters) {
  bool length = row->type == RV_PARM_FLOAT && row->unit && strcmp(row->unit, "m") == 0;
  return length ? row->standard[component] / meters : row->standard[component];
}

bool rv_parm_value_reset(RvParmValue* value, const RvParmDef* row, double meters) {
  // By type: text, ramp or channels.
  if (has_text(row)) {
    char* text = rv_strdup(standard_text(row));
    if (!text) return false;
    rv_free(value->text);
    value->text = text;
  } else if (row->type == RV_PARM_RAMP) {
    value->ramp = standard_ramp(row);
  } else if (rv_parm_has_channels(row)) {
    for (int c = 0; c < row->size; ++c) {
      rv_channel_clear(&value->channel[c]);
      value->channel[c].value = rv_parm_standard(row, c, meters);
    }
  }
  return true;
}

// True if two ramps have equal keys.
static bool same_ramp(const RvRamp* a, const RvRamp* b) {
  if (a->count != b->count) return false;
  for (int i = 0; i < a->count; ++i)
    if (a->keys[i].position != b->keys[i].position || a->keys[i].value != b->keys[i].value ||
        a->keys[i].interp != b->keys[i].interp)
      return false;
  return true;
}

bool rv_parm_value_is_default(const RvParmValue* value, const RvParmDef* row, double meters) {
  if (has_text(row)) return strcmp(value->text, standard_text(row)) == 0;
  if (row->type == RV_PARM_RAMP) {
    RvRamp ramp = standard_ramp(row);
    return same_ramp(&value->ramp, &ramp);
  }
  for (int c = 0; rv_parm_has_channels(row) && c < row->size; ++c)
    if (value->channel[c].kind != RV_CHANNEL_CONSTANT || value->channel[c].value != rv_parm_standard(row, c, meters))
      return false;
  return true;
}

void rv_parms_set_meters(RvParms* parms, double meters) {
  double before = parms->meters;
  parms->meters = meters;
  for (size_t i = 0; i < parms->table->count; ++i) {
    const RvParmDef* row = parms->table->rows + i;
    RvParmValue* value = parms->values + i;
    for (int c = 0; rv_parm_has_channels(row) && c < row->size; ++c) {
      RvChannel* channel = &value->channel[c];
      bool standard = channel->kind == RV_CHANNEL_CONSTANT && channel->value == rv_parm_standard(row, c, before);
      if (standard) channel->value = rv_parm_standard(row, c, meters);
    }
  }
}

//---------------------------------------------------------------------------------------------- creation

RvParms* rv_parms_new(const RvParmTable* table) {
  RvParms* parms = rv_alloc_zero(1, sizeof *parms);
  if (!parms) return NULL;
  parms->table = table;
  parms->meters = 1;
  parms->values = rv_alloc_zero(table->count, sizeof *parms->values);
  // All rows at their defaults.
  bool ok = parms->values != NULL;
  for (size_t i = 0; ok && i < table->count; ++i) ok = rv_parm_value_reset(parms->values + i, table->rows + i, 1);
  if (ok) return parms;
  rv_parms_free(parms);
  return NULL;
}

void rv_parms_free(RvParms* parms) {
  if (!parms) return;
  for (size_t i = 0; parms->values && i < parms->table->count; ++i) {
    RvParmValue* value = parms->values + i;
    for (int c = 0; c < RV_PARM_MAX_SIZE; ++c) rv_channel_clear(&value->channel[c]);
    rv_free(value->text);
    rv_free(value->expanded);
  }
  rv_free(parms->values);
  rv_free(parms);
}

RvParms* rv_parms_copy(const RvParms* parms) {
  RvParms* copy = rv_parms_new(parms->table);
  bool ok = copy != NULL;
  if (ok) copy->meters = parms->meters;
  for (size_t i = 0; ok && i < parms->table->count; ++i) {
    // Each row: channels, text and ramp.
    const RvParmValue* from = parms->values + i;
    RvParmValue* to = copy->values + i;
    for (int c = 0; ok && c < RV_PARM_MAX_SIZE; ++c) ok = rv_channel_copy(&to->channel[c], &from->channel[c]);
    if (from->text) {
      rv_free(to->text);
      to->text = rv_strdup(from->text);
      ok = ok && to->text;
    }
    to->ramp = from->ramp;
  }
  if (ok) return copy;
  rv_parms_free(copy);
  return NULL;
}

//---------------------------------------------------------------------------------------------- queries

// True if a value changes with the frame; names of files count if `files` is set.
static bool animated(const RvParms* parms, bool files) {
  for (size_t i = 0; i < parms->table->count; ++i) {
    const RvParmValue* value = parms->values + i;
    if (!files && parms->table->rows[i].type == RV_PARM_FILE) continue;
    // Unused channels are constant.
    for (int c = 0; c < RV_PARM_MAX_SIZE; ++c)
      if (value->channel[c].kind != RV_CHANNEL_CONSTANT) return true;
    if (value->text && rv_vars_animated(value->text)) return true;
  }
  return false;
}

bool rv_parms_animated(const RvParms* parms) {
  return animated(parms, true);
}

bool rv_parms_animated_beside_files(const RvParms* parms) {
  return animated(parms, false);
}

// Adds a number to the hash; adding 0.0 turns -0 into 0, so that both have the same hash.
static void add_number(RvHasher* hasher, double value) {
  value += 0.0;
  rv_hasher_add(hasher, &value, sizeof value);
}

// Adds a channel to the hash: its kind, then the members that this kind uses.
static void add_channel(RvHasher* hasher, const RvChannel* channel) {
  rv_hasher_add_u64(hasher, channel->kind);
  if (channel->kind == RV_CHANNEL_CONSTANT) {
    add_number(hasher, channel->value);
    return;
  }
  rv_hasher_add_u64(hasher, channel->count);
  rv_hasher_add_u64(hasher, channel->interp);
  rv_hasher_add_u64(hasher, channel->extend);
  for (size_t i = 0; i < channel->count; ++i) {
    add_number(hasher, channel->keys[i].frame);
    add_number(hasher, channel->keys[i].value);
  }
  if (channel->kind != RV_CHANNEL_WAVE) return;
  add_number(hasher, channel->amplitude);
  add_number(hasher, channel->frequency);
  add_number(hasher, channel->phase);
  add_number(hasher, channel->offset);
}

// Adds a ramp to the hash.
static void add_ramp(RvHasher* hasher, const RvRamp* ramp) {
  rv_hasher_add_u64(hasher, (uint64_t)ramp->count);
  for (int i = 0; i < ramp->count; ++i) {
    add_number(hasher, ramp->keys[i].position);
    add_number(hasher, ramp->keys[i].value);
    rv_hasher_add_u64(hasher, ramp->keys[i].interp);
  }
}

uint64_t rv_parms_hash(const RvParms* parms) {
  RvHasher hasher = rv_hasher_new(0);
  for (size_t i = 0; i < parms->table->count; ++i) {
    const RvParmDef* row = parms->table->rows + i;
    const RvParmValue* value = parms->values + i;
    if (!rv_parm_has_value(row)) continue;
    // The order of the table makes the hash independent of the order of setting.
    rv_hasher_add_string(&hasher, row->token);
    if (has_text(row))
      rv_hasher_add_string(&hasher, value->text);
    else if (row->type == RV_PARM_RAMP)
      add_ramp(&hasher, &value->ramp);
    else
      for (int c = 0; c < row->size; ++c) add_channel(&hasher, &value->channel[c]);
  }
  return rv_hasher_done(&hasher);
}

//---------------------------------------------------------------------------------------------- evaluation

// Fails if a wave or an extrapolation leaves the hard range. A value that exceeds it by rounding errors is clamped.
static RvResult check_range(const RvParmDef* row, int component, double frame, double* value, RvError* error) {
  double slack = range_tolerance * (1 + fabs(*value));
  if (row->hard_min && *value < row->min && *value >= row->min - slack) *value = row->min;
  if (row->hard_max && *value > row->max && *value <= row->max + slack) *value = row->max;
  bool low = row->hard_min && !(*value >= row->min);
  bool high = row->hard_max && !(*value <= row->max);
  if (!low && !high && isfinite(*value)) return RV_OK;
  // Compose the error.
  char token[RV_PARM_TOKEN_BYTES], at[RV_NUMBER_BYTES], got[RV_NUMBER_BYTES], bound[RV_NUMBER_BYTES];
  rv_parm_component_token(row, component, token);
  rv_number_write(frame, at);
  if (!low && !high) return rv_fail(error, RV_BAD_INPUT, "parameter '%s' is not finite at frame %s", token, at);
  return rv_fail(error, RV_BAD_INPUT, "parameter '%s' is %s at frame %s, %s than %s; change its keys or its wave",
                 token, rv_number_round(*value, SHOWN_DIGITS, got), at, low ? "less" : "more",
                 rv_number_write(low ? row->min : row->max, bound));
}

// Nearest whole number; halves are rounded up.
static double rounded(double value) {
  return floor(value + 0.5);
}

// Evaluates one component, rounded for menus, toggles and whole numbers.
static RvResult eval_channel(const RvParmDef* row, const RvChannel* channel, int component, const RvVars* vars,
                             double* out, RvError* error) {
  double value = rv_channel_eval(channel, vars->frame, vars->fps);
  if (row->type == RV_PARM_MENU || row->type == RV_PARM_TOGGLE) {
    // Their range is that of the items.
    RvParmDef bounded = *row;
    bounded.min = 0;
    bounded.max = row->type == RV_PARM_TOGGLE ? 1 : rv_menu_count(row->menu) - 1;
    bounded.hard_min = true;
    bounded.hard_max = true;
    value = rounded(value);
    *out = value;
    return channel->kind == RV_CHANNEL_CONSTANT ? RV_OK : check_range(&bounded, component, vars->frame, out, error);
  }
  // Whole numbers beyond 2^53 are not exact and become an error.
  if (row->type == RV_PARM_INT && channel->kind != RV_CHANNEL_CONSTANT) {
    value = rounded(value);
    if (!(fabs(value) <= max_exact_integer)) value = NAN;
  }
  *out = value;
  return channel->kind == RV_CHANNEL_CONSTANT ? RV_OK : check_range(row, component, vars->frame, out, error);
}

// Evaluates all components of a row into the struct.
static RvResult eval_channels(const RvParmDef* row, const RvParmValue* value, const RvVars* vars, char* out,
                              RvError* error) {
  for (int c = 0; c < row->size; ++c) {
    double number;
    RvResult result = eval_channel(row, &value->channel[c], c, vars, &number, error);
    if (result) return result;
    // Store it as the type of the struct's member.
    if (row->type == RV_PARM_INT)
      ((int64_t*)(void*)out)[c] = (int64_t)number;
    else if (row->type == RV_PARM_TOGGLE)
      *(bool*)out = number != 0;
    else if (row->type == RV_PARM_MENU)
      *(int*)(void*)out = (int)number;
    else
      ((double*)(void*)out)[c] = number;
  }
  return RV_OK;
}

// Expands the variables of a text; the row keeps it until the next evaluation.
static RvResult eval_text(const RvParmDef* row, RvParmValue* value, const RvVars* vars, char* out, RvError* error) {
  // The text of the last evaluation stays valid if this one fails.
  char* expanded = rv_vars_expand(vars, value->text);
  if (!expanded) return rv_fail(error, RV_NO_MEMORY, "parameter '%s': no memory for its expanded text", row->token);
  rv_free(value->expanded);
  value->expanded = expanded;
  *(const char**)(void*)out = expanded;
  return RV_OK;
}

RvResult rv_parms_eval(RvParms* parms, const RvVars* vars, void* out, RvError* error) {
  RvVars plain = {.frame = 1, .fps = 24};
  if (!vars) vars = &plain;
  if (!isfinite(vars->frame) || !(vars->fps > 0) || !isfinite(vars->fps))
    return rv_fail(error, RV_BAD_INPUT,
                   "parameters cannot be evaluated at this frame and frame rate: the frame must be "
                   "finite and the rate positive");
  // Evaluate row by row into the cleared struct.
  RvResult result = RV_OK;
  if (parms->table->struct_bytes) memset(out, 0, parms->table->struct_bytes);
  for (size_t i = 0; !result && i < parms->table->count; ++i) {
    const RvParmDef* row = parms->table->rows + i;
    RvParmValue* value = parms->values + i;
    char* field = (char*)out + row->offset;
    if (rv_parm_has_channels(row))
      result = eval_channels(row, value, vars, field, error);
    else if (has_text(row))
      result = eval_text(row, value, vars, field, error);
    else if (row->type == RV_PARM_RAMP)
      *(RvRamp*)(void*)field = value->ramp;
  }
  return result;
}
