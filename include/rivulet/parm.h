// Parameters. Each node type has one table, from which the C struct, the command line, JSON, DialogScript, help pages
// and the manual are made. RvParms holds the values of one node, which may be constant, keyframed or waves.
#ifndef RIVULET_PARM_H
#define RIVULET_PARM_H

#include "rivulet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum RvParmType {
  RV_PARM_FOLDER,  // no value: the parameters that follow are shown in this folder
  RV_PARM_FLOAT,   // double x size
  RV_PARM_INT,     // int64_t x size
  RV_PARM_TOGGLE,  // bool
  RV_PARM_MENU,    // int, the index of the item; files have its token
  RV_PARM_STRING,  // const char*, never NULL; $F and the other variables of RvVars are expanded
  RV_PARM_FILE,    // as a string: a path
  RV_PARM_COLOR,   // double x 3, linear
  RV_PARM_RAMP,    // RvRamp
  RV_PARM_BUTTON,  // no value
} RvParmType;

enum {
  RV_PARM_MAX_SIZE = 4,   // components of a parameter
  RV_RAMP_MAX_KEYS = 32,  // of a ramp
};

// Interpolation between two keys: the value of the first, a straight line, or a monotone cubic.
typedef enum RvInterp { RV_INTERP_CONSTANT, RV_INTERP_LINEAR, RV_INTERP_SMOOTH } RvInterp;
// Extrapolation outside of the keys: the value of the end key, repetition, or a straight line.
typedef enum RvExtend { RV_EXTEND_HOLD, RV_EXTEND_CYCLE, RV_EXTEND_LINEAR } RvExtend;

typedef struct RvRampKey {
  double position, value;  // position in [0, 1]
  RvInterp interp;         // towards the next key
} RvRampKey;

// A curve over [0, 1] with keys at increasing positions.
typedef struct RvRamp {
  int count;
  RvRampKey keys[RV_RAMP_MAX_KEYS];
} RvRamp;

// Value of a ramp. Outside of the keys it has the value of the end key; 0 if the ramp has no keys. NaN gives the value
// of the first key.
RV_API double rv_ramp_eval(const RvRamp* ramp, double position);

// Who needs a parameter. Dialogs show the advanced ones apart, so that a node opens with the few that every shot needs.
typedef enum RvParmLevel { RV_LEVEL_SIMPLE, RV_LEVEL_ADVANCED } RvParmLevel;

// One row of a table. Texts are static and not NULL unless it is said.
typedef struct RvParmDef {
  const char* token;  // the name in files, in scripts and on the command line
  const char* label;  // the name that an artist sees
  RvParmType type;
  int size;                           // components
  double standard[RV_PARM_MAX_SIZE];  // default of numbers; of menus: the index
  const char* standard_text;          // default of strings, files and ramps ("0 0 linear, 1 1 linear")
  double min, max;                    // range of the slider; a hard bound is also enforced
  bool hard_min, hard_max;
  const char* unit;  // SI: base units with their exponents ("m", "kg1m-3"), or "deg"; "" none
  const char* menu;  // "token=Label|token=Label"; NULL if it is not a menu
  // When the parameter has no effect, "{ style == straight }", or NULL. A dialog greys it out by the first, and hides
  // it by the second, where it belongs to another choice of a menu.
  const char* disable_when;
  const char* hide_when;
  RvParmLevel level;
  const char* help;  // sentences for the manual
  size_t offset;     // of the value in the node's struct
} RvParmDef;

// The parameters of a node type, in the order of the user interface.
typedef struct RvParmTable {
  const RvParmDef* rows;
  size_t count;
  size_t struct_bytes;  // size of the node's struct
} RvParmTable;

// The row of a token; NULL if there is none or `token` is NULL. Tokens of components ("tx") are not found.
RV_API const RvParmDef* rv_parm_find(const RvParmTable* table, const char* token);

//---------------------------------------------------------------------------------------------- values

// A keyframe.
typedef struct RvKey {
  double frame, value;
} RvKey;

// A wave: offset + amplitude * envelope(frame) * sin(2 pi (frequency * T + phase / 360)), T = (frame - 1) / fps.
typedef struct RvWave {
  double amplitude;       // in the unit of the parameter
  double frequency;       // Hz
  double phase;           // degrees
  double offset;          // in the unit of the parameter
  const RvKey* envelope;  // keys of a factor of the amplitude; NULL: 1
  size_t envelope_count;
  RvInterp envelope_interp;
  RvExtend envelope_extend;
} RvWave;

// The values of one node.
//
// All setters copy what they are given and change nothing on failure. They return RV_NOT_FOUND for an unknown token
// (the error suggests the nearest one), RV_BAD_INPUT for a wrong component, type, or value outside of the hard range
// (the error names the parameter, the value and what it takes), RV_LIMIT for a text or a list that is too long, and
// RV_NO_MEMORY. `error` may be NULL.
//
// A component can be named by its number together with the token of the row, or by its own token with component 0: "tx"
// is component 0 of `t`. The suffixes are x y z w, of colours r g b, or 1 to 4.
typedef struct RvParms RvParms;

// New values, all at their defaults. The caller frees them by rv_parms_free; the table must outlive them. NULL: out of
// memory.
RV_API RvParms* rv_parms_new(const RvParmTable* table);
// Frees the values and all texts of the last evaluation. NULL is allowed.
RV_API void rv_parms_free(RvParms* parms);
// A copy of the values, without the texts of the last evaluation, for example to evaluate at another frame. The caller
// frees it by rv_parms_free. NULL: out of memory.
RV_API RvParms* rv_parms_copy(const RvParms* parms);
// Sets all components of a parameter to the default.
RV_API RvResult rv_parms_reset(RvParms* parms, const char* token, RvError* error);
// Sets one component to a constant number: floats, whole numbers, colours, toggles (0 or 1) and menus (the index).
RV_API RvResult rv_parms_set(RvParms* parms, const char* token, int component, double value, RvError* error);
// Sets a string or file to `text` as it is, a menu by its token, a ramp by its text.
RV_API RvResult rv_parms_set_string(RvParms* parms, const char* token, const char* text, RvError* error);
// Sets a parameter as on the command line: numbers separated by spaces or commas, true/false/on/off/yes/no, a menu
// token or index, or the text of a ramp ("0 0 linear, 1 1 smooth").
RV_API RvResult rv_parms_set_text(RvParms* parms, const char* token, const char* text, RvError* error);
// Sets a ramp. Its positions must increase from key to key.
RV_API RvResult rv_parms_set_ramp(RvParms* parms, const char* token, const RvRamp* ramp, RvError* error);
// Sets the keyframes of a component, at increasing frames. Values of whole numbers are rounded when they are evaluated.
RV_API RvResult rv_parms_set_keys(RvParms* parms, const char* token, int component, const RvKey* keys, size_t count,
                                  RvInterp interp, RvExtend extend, RvError* error);
// Sets a component to a wave. The result may leave the hard range; this is an error of the evaluation.
RV_API RvResult rv_parms_set_wave(RvParms* parms, const char* token, int component, const RvWave* wave, RvError* error);
// True if any value is keyframed, a wave, or a text that changes with the frame ($F, $FF or $T).
RV_API bool rv_parms_animated(const RvParms* parms);
// Hash of all values, whatever the order in which they were set: equal hashes mean equal values at every frame.
RV_API uint64_t rv_parms_hash(const RvParms* parms);

// How a component was set. A host needs this to write a scene to a file.
typedef enum RvValueKind {
  RV_VALUE_DEFAULT,  // not set, or set to the default, which is in `number`, `text` or `ramp`
  RV_VALUE_NUMBER,   // numbers, toggles (0 or 1) and menus (the index)
  RV_VALUE_TEXT,     // strings and files, as written, not expanded
  RV_VALUE_RAMP,
  RV_VALUE_KEYS,
  RV_VALUE_WAVE,
} RvValueKind;

// The value of one component. Pointers are borrowed from the RvParms until its next setter.
typedef struct RvValue {
  RvValueKind kind;
  double number;       // RV_VALUE_NUMBER
  const char* text;    // RV_VALUE_TEXT
  const RvRamp* ramp;  // RV_VALUE_RAMP
  const RvKey* keys;   // RV_VALUE_KEYS, with the next three
  size_t count;
  RvInterp interp;
  RvExtend extend;
  RvWave wave;  // RV_VALUE_WAVE
} RvValue;

// The table of the values.
RV_API const RvParmTable* rv_parms_table(const RvParms* parms);
// How a component was set. False, with *out cleared, if there is no such token or component.
RV_API bool rv_parms_get(const RvParms* parms, const char* token, int component, RvValue* out);

// What the variables in texts expand to. A NULL text leaves its variable as it is written.
typedef struct RvVars {
  double frame, fps;
  const char* out;   // $OUT
  const char* hip;   // $HIP, the scene's folder
  const char* node;  // $OS, the node's name
} RvVars;

// Expands $F (the nearest whole frame), $F1..$F9 (the same, padded with zeros), $FF (the frame), $T (seconds), $FPS,
// $OUT, $HIP, $OS and ${NAME}; $$ is a dollar sign. A name consists of letters; unknown names stay as they are written.
// The caller frees the result by rv_free. NULL: out of memory, or the result is longer than 16 MB.
RV_API char* rv_vars_expand(const RvVars* vars, const char* text);

// Evaluates all values at vars->frame into the node's struct `out` (table->struct_bytes). Texts in it are borrowed
// until the next call for `parms` or its free. `vars` NULL: frame 1 at 24 fps. RV_BAD_INPUT if keys or a wave leave the
// hard range at this frame.
RV_API RvResult rv_parms_eval(RvParms* parms, const RvVars* vars, void* out, RvError* error);

#ifdef __cplusplus
}
#endif
#endif
