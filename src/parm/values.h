// The inside of RvParms, for the setters and for hosts that write values out again.
#ifndef RV_PARM_VALUES_H
#define RV_PARM_VALUES_H

#include "parm/channel.h"
#include "rivulet/parm.h"

// What one row holds, by its type: channels, a text or a ramp.
typedef struct RvParmValue {
  RvChannel channel[RV_PARM_MAX_SIZE];
  char* text;      // as it was set
  char* expanded;  // of the last evaluation
  RvRamp ramp;
} RvParmValue;

struct RvParms {
  const RvParmTable* table;
  RvParmValue* values;  // one a row
};

enum { RV_PARM_MAX_TEXT = 1 << 20, RV_PARM_MAX_CHANNEL_KEYS = 1 << 20 };

// Sets the row to its default; false when out of memory (the row is then as it was).
bool rv_parm_value_reset(RvParmValue* value, const RvParmDef* row);
// True if the row has the value of its default; a host writes only the others.
bool rv_parm_value_is_default(const RvParmValue* value, const RvParmDef* row);

#endif
