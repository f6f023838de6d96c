// Internal structure of RvParms, and what hosts of this library ask beyond the public header.
#ifndef RV_PARM_VALUES_H
#define RV_PARM_VALUES_H

#include "parm/channel.h"
#include "rivulet/parm.h"

// The value of one row; its type decides which members are used: channels, a text or a ramp.
typedef struct RvParmValue {
  RvChannel channel[RV_PARM_MAX_SIZE];
  char* text;      // as it was set; owned
  char* expanded;  // by the last evaluation; owned
  RvRamp ramp;
} RvParmValue;

struct RvParms {
  const RvParmTable* table;
  double meters;        // of a unit of the scene: lengths have defaults in metres, and values in units
  RvParmValue* values;  // one per row
};

enum {
  RV_PARM_MAX_TEXT = 1 << 20,          // bytes of a text
  RV_PARM_MAX_CHANNEL_KEYS = 1 << 20,  // keys of a channel
};

// Sets the row to its default. False: out of memory; the row is unchanged.
bool rv_parm_value_reset(RvParmValue* value, const RvParmDef* row, double meters);
// True if the row has its default value; hosts write only the others to files.
bool rv_parm_value_is_default(const RvParmValue* value, const RvParmDef* row, double meters);
// Default of a component in units of the scene, `meters` metres each: the table has lengths (unit "m") in metres.
double rv_parm_standard(const RvParmDef* row, int component, double meters);
// Sets the metres of a unit of the scene. Lengths at their default follow it; those that were set stay.
void rv_parms_set_meters(RvParms* parms, double meters);
// As rv_parms_animated, without the names of files.
bool rv_parms_animated_beside_files(const RvParms* parms);

#endif
