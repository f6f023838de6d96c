// Parameters: one table a node type, from which the C struct, the command line, JSON, DialogScript, help pages and the
// manual are made; and the values of one node, which may be keyed or waves.
#ifndef RIVULET_PARM_H
#define RIVULET_PARM_H

#include "rivulet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum RvParmType {
  RV_PARM_FOLDER,  // no value: the parameters that follow stand in this folder
  RV_PARM_FLOAT,   // double x size
  RV_PARM_INT,     // int64_t x size
  RV_PARM_TOGGLE,  // bool
  RV_PARM_MENU,    // int, the index of the item; written by its token
  RV_PARM_STRING,  // const char*, never NULL; $F and its kin are expanded
  RV_PARM_FILE,    // the same, a path
  RV_PARM_COLOR,   // double x 3, linear
  RV_PARM_RAMP,    // RvRamp
  RV_PARM_BUTTON,  // no value
} RvParmType;

enum { RV_PARM_MAX_SIZE = 4, RV_RAMP_MAX_KEYS = 32 };

typedef enum RvInterp { RV_INTERP_CONSTANT, RV_INTERP_LINEAR, RV_INTERP_SMOOTH } RvInterp;
typedef enum RvExtend { RV_EXTEND_HOLD, RV_EXTEND_CYCLE, RV_EXTEND_LINEAR } RvExtend;

typedef struct RvRampKey {
  double position, value;  // position in [0, 1]
  RvInterp interp;         // towards the next key
} RvRampKey;

typedef struct RvRamp {
  int count;
  RvRampKey keys[RV_RAMP_MAX_KEYS];
} RvRamp;

RV_API double rv_ramp_eval(const RvRamp* ramp, double position);

// One row of a table.
typedef struct RvParmDef {
  const char* token;  // the one name, everywhere
  const char* label;
  RvParmType type;
  int size;                           // components
  double standard[RV_PARM_MAX_SIZE];  // default of numbers; menus: the index
  const char* standard_text;          // default of strings, files and ramps ("0 0 linear, 1 1 linear")
  double min, max;                    // suggested range; a hard bound is enforced
  bool hard_min, hard_max;
  const char* unit;          // SI, Houdini's spelling ("m", "kg1m-3"); "" none
  const char* menu;          // "token=Label|token=Label"
  const char* disable_when;  // "{ style == straight }", or NULL
  const char* help;
  size_t offset;  // in the node's struct
} RvParmDef;

typedef struct RvParmTable {
  const RvParmDef* rows;
  size_t count;
  size_t struct_bytes;
} RvParmTable;

RV_API const RvParmDef* rv_parm_find(const RvParmTable* table, const char* token);

//---------------------------------------------------------------------------------------------- values

typedef struct RvKey {
  double frame, value;
} RvKey;

// A wave: offset + amplitude * envelope(frame) * sin(2 pi (frequency * T + phase / 360)), T = (frame - 1) / fps.
typedef struct RvWave {
  double amplitude, frequency, phase, offset;  // Hz, degrees
  const RvKey* envelope;                       // NULL: 1
  size_t envelope_count;
  RvInterp envelope_interp;
  RvExtend envelope_extend;
} RvWave;

// The values of one node. All setters check the token, the component, the type and the hard range; the error names the
// parameter, what it was given and what it takes (with the nearest token when it is misspelt).
typedef struct RvParms RvParms;

RV_API RvParms* rv_parms_new(const RvParmTable* table);
RV_API void rv_parms_free(RvParms* parms);
// The same values apart from the texts of the last evaluation, to evaluate at another frame; NULL out of memory.
RV_API RvParms* rv_parms_copy(const RvParms* parms);
// Back to the default, all components.
RV_API RvResult rv_parms_reset(RvParms* parms, const char* token, RvError* error);
// A component has a token of its own, with component 0: "tx" is component 0 of `t` (x y z w, of colours r g b, or 1 to
// 4).
RV_API RvResult rv_parms_set(RvParms* parms, const char* token, int component, double value, RvError* error);
// Strings and files as they are, menus by token.
RV_API RvResult rv_parms_set_string(RvParms* parms, const char* token, const char* text, RvError* error);
// As on the command line: numbers separated by spaces or commas, true/false/on/off, a menu token, a ramp text.
RV_API RvResult rv_parms_set_text(RvParms* parms, const char* token, const char* text, RvError* error);
RV_API RvResult rv_parms_set_ramp(RvParms* parms, const char* token, const RvRamp* ramp, RvError* error);
RV_API RvResult rv_parms_set_keys(RvParms* parms, const char* token, int component, const RvKey* keys, size_t count,
                                  RvInterp interp, RvExtend extend, RvError* error);
RV_API RvResult rv_parms_set_wave(RvParms* parms, const char* token, int component, const RvWave* wave, RvError* error);
// True if any value is keyed, a wave or a text with $F in it.
RV_API bool rv_parms_animated(const RvParms* parms);
// Hash of what was set: equal hashes, equal values at every frame.
RV_API uint64_t rv_parms_hash(const RvParms* parms);

// How a component was given; what a host needs to write a scene down again.
typedef enum RvValueKind {
  RV_VALUE_DEFAULT,  // never set, or set to the default; `number`, `text` or `ramp` hold it
  RV_VALUE_NUMBER,   // numbers, toggles (0 or 1) and menus (the index)
  RV_VALUE_TEXT,     // strings and files, as written: not expanded
  RV_VALUE_RAMP,
  RV_VALUE_KEYS,
  RV_VALUE_WAVE,
} RvValueKind;

// Pointers are borrowed from the RvParms until its next setter.
typedef struct RvValue {
  RvValueKind kind;
  double number;
  const char* text;
  const RvRamp* ramp;
  const RvKey* keys;
  size_t count;
  RvInterp interp;
  RvExtend extend;
  RvWave wave;
} RvValue;

RV_API const RvParmTable* rv_parms_table(const RvParms* parms);
// False if there is no such token or component.
RV_API bool rv_parms_get(const RvParms* parms, const char* token, int component, RvValue* out);

// What texts expand to. Unknown names stay as they are written.
typedef struct RvVars {
  double frame, fps;
  const char* out;   // $OUT
  const char* hip;   // $HIP, the scene's folder
  const char* node;  // $OS
} RvVars;

// Expands $F (the nearest whole frame), $F1..$F9 (the same, padded with zeros), $FF (the frame), $T (seconds), $FPS,
// $OUT, $HIP, $OS and ${NAME}; $$ is a dollar sign. A name is letters and ends at any other character. rv_free the
// result; NULL out of memory.
RV_API char* rv_vars_expand(const RvVars* vars, const char* text);

// Evaluates all values into the node's struct (`table->struct_bytes`). Texts live until the next call or the free.
RV_API RvResult rv_parms_eval(RvParms* parms, const RvVars* vars, void* out, RvError* error);

#ifdef __cplusplus
}
#endif
#endif
