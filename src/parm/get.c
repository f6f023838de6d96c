// Queries how values were set.
#include "parm/find.h"
#include "parm/values.h"

const RvParmTable* rv_parms_table(const RvParms* parms) {
  return parms->table;
}

// Describes a channel; `standard` is its default.
static void get_channel(const RvChannel* channel, double standard, RvValue* out) {
  out->number = channel->value;
  out->keys = channel->keys;
  out->count = channel->count;
  out->interp = channel->interp;
  out->extend = channel->extend;
  switch (channel->kind) {
    case RV_CHANNEL_CONSTANT:
      out->kind = channel->value == standard ? RV_VALUE_DEFAULT : RV_VALUE_NUMBER;
      break;
    case RV_CHANNEL_KEYS:
      out->kind = RV_VALUE_KEYS;
      break;
    case RV_CHANNEL_WAVE:
      out->kind = RV_VALUE_WAVE;
      out->wave = (RvWave){channel->amplitude, channel->frequency, channel->phase,  channel->offset,
                           channel->keys,      channel->count,     channel->interp, channel->extend};
      break;
  }
}

bool rv_parms_get(const RvParms* parms, const char* token, int component, RvValue* out) {
  *out = (RvValue){0};
  int own;
  const RvParmDef* row = rv_parm_lookup(parms->table, token, &own, NULL);
  if (!row || !rv_parm_has_value(row)) return false;
  // Values are in the order of the rows.
  const RvParmValue* value = parms->values + (row - parms->table->rows);
  bool standard = rv_parm_value_is_default(value, row, parms->meters);
  // The token of a component goes with component 0.
  if (own >= 0 && component != 0) return false;
  if (own >= 0) component = own;
  if (component < 0 || component >= (row->size > 1 ? row->size : 1)) return false;
  // Describe it by its type.
  if (rv_parm_has_channels(row)) {
    get_channel(&value->channel[component], rv_parm_standard(row, component, parms->meters), out);
  } else if (row->type == RV_PARM_RAMP) {
    out->kind = standard ? RV_VALUE_DEFAULT : RV_VALUE_RAMP;
    out->ramp = &value->ramp;
  } else {
    out->kind = standard ? RV_VALUE_DEFAULT : RV_VALUE_TEXT;
    out->text = value->text;
  }
  return true;
}
