// Node types and the cook: what a node sees of its host, and what a host sees of a node. Every host (headless, Houdini,
// Blender, Python) runs nodes through this header alone.
#ifndef RIVULET_NODE_H
#define RIVULET_NODE_H

#include "rivulet/base.h"
#include "rivulet/geo.h"
#include "rivulet/parm.h"
#include "rivulet/state.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RV_NODE_MAX_INPUTS = 8, RV_NODE_MAX_OUTPUTS = 3, RV_STAGE_MAX = 48, RV_STATS_MAX_WARNINGS = 16 };

// The moment of a cook.
typedef struct RvTime {
  double frame;            // may be fractional
  double fps;              // frames a second
  double time;             // seconds, 0 at frame 1
  double meters_per_unit;  // metres of a unit of the scene
} RvTime;

//---------------------------------------------------------------------------------------------- report

// Columns of the report's `counts` object.
#define RV_COUNTS(X) X(strands) X(vertices) X(particles) X(tiles) X(contacts) X(bridges) X(clumps)

// Liquid in m^3: bulk + film + absorbed = initial + sources - sinks, every frame; nothing is rescaled to fit.
typedef struct RvLedger {
  double bulk, film, absorbed;         // where it is now
  double initial, sources;             // liquid that came in: at the start frame, and since then
  double killed, evaporated, outflow;  // sinks: liquid that went out, counted where it happened
} RvLedger;

// Liquid that is there now, m^3: bulk + film + absorbed.
RV_API double rv_ledger_total(const RvLedger* ledger);
// Relative error of the balance: (total - initial - sources + sinks) / (initial + sources). Without any inflow the
// divisor is total + sinks, so that liquid out of nothing is a drift of 1.
RV_API double rv_ledger_drift(const RvLedger* ledger);

// Report of one cook of a frame. Solvers fill it, hosts show it; a step never reads it.
typedef struct RvStats {
  int substeps;
  int iterations;                      // largest number of solver iterations of a substep
  double residual;                     // largest relative residual of a substep
  double stage_seconds[RV_STAGE_MAX];  // by index into the type's stages
#define RV_COUNT_FIELD(name) int64_t name;
  RV_COUNTS(RV_COUNT_FIELD)
#undef RV_COUNT_FIELD
  RvLedger ledger;
} RvStats;

//---------------------------------------------------------------------------------------------- host

typedef struct RvCook RvCook;

// Functions that the node may call on its host during a cook. Any of them may be NULL.
typedef struct RvHost {
  void* user;  // passed to every function
  // True to stop: the node returns at once with RV_CANCELLED and no output. Polled between stages and iterations.
  bool (*cancelled)(void* user, double fraction, const char* stage);
  // Shows a message of the node to the user.
  void (*message)(void* user, RvLevel level, const char* text);
  // Input `index` at another (fractional) frame; borrowed until the cook ends. NULL detail: not wired. A host that has
  // whole frames only leaves this NULL, and the solver interpolates between its own samples.
  RvResult (*input_at)(void* user, size_t index, double frame, const RvDetail** out, RvError* error);
  // The node's parameters at another frame, into a struct of the type's table.
  RvResult (*parms_at)(void* user, double frame, void* out, RvError* error);
  // Whether the node may read a file; the error says why not.
  RvResult (*may_read)(void* user, const char* path, RvError* error);
} RvHost;

// One cook of a node: what the host gives to it, and its outputs.
struct RvCook {
  const struct RvNodeType* type;
  const char* node;                       // its name in the scene, for messages
  RvTime time;                            // solvers: the end of the step
  double dt;                              // solvers: seconds of the step, 0 at the start frame
  double start_frame;                     // solvers
  const void* parms;                      // the type's struct, evaluated at time
  size_t ninput;                          // entries of input
  const RvDetail* const* input;           // NULL entries are not wired
  const RvState* prev;                    // solvers: the state of the previous frame, NULL at the start frame
  RvState state;                          // solvers: made by start and step, then the host's
  RvDetail* output[RV_NODE_MAX_OUTPUTS];  // made by the cook, then the host's
  bool write;                             // RV_NODE_WRITES: false when only passing through, then nothing is written
  RvStats* stats;                         // never NULL
  void** cache;                           // disposable data of the node; deleting it must not change a result
  const RvVars* vars;                     // variables of texts that the node expands during the cook
  const RvHost* host;                     // never NULL
};

// Asks the host whether to stop, and reports progress: the fraction of the cook that is done, and the current stage.
RV_API bool rv_cook_cancelled(const RvCook* cook, double fraction, const char* stage);
// Sends a warning to the host: the result may not be what the artist wants. `format` is that of printf.
RV_API void rv_cook_warn(const RvCook* cook, const char* format, ...) RV_PRINTF(2, 3);
// Sends a message to the host that needs no action. `format` is that of printf.
RV_API void rv_cook_info(const RvCook* cook, const char* format, ...) RV_PRINTF(2, 3);
// A log that sends the messages of file readers and libraries to the host, as messages of the node.
RV_API RvLog rv_cook_log(const RvCook* cook);
// Input `index` at `frame`, from the host. A host without input_at gives the input of the cook's own frame.
RV_API RvResult rv_cook_input_at(RvCook* cook, size_t index, double frame, const RvDetail** out, RvError* error);

//---------------------------------------------------------------------------------------------- types

// An input or output of a node type.
typedef struct RvPortDef {
  const char* name;  // "strands"; outputs can be asked for by name ("wet:liquid") or number ("wet:2")
  const char* label;
  const char* help;
  bool required;  // inputs
} RvPortDef;

// Kinds of geometry that an input of a node type may take, as bits.
typedef enum RvPortKind {
  RV_PORT_CURVES = 1,  // open polygons: strands
  RV_PORT_FACES = 2,   // closed polygons: a mesh
  RV_PORT_POINTS = 4,  // points that no primitive uses: particles
  RV_PORT_VDBS = 8,
} RvPortKind;

// A preset of a node type: values of some of its parameters that belong together. The others stay as they are.
typedef struct RvPresetDef {
  const char* token;
  const char* label;
  const char* help;    // a sentence: what it is for
  const char* values;  // "viscosity=10 stick=on": tokens of parameters with values as rv_parms_set_text reads them
} RvPresetDef;

typedef enum RvNodeFlag {
  RV_NODE_GENERATOR = 1,        // needs no input
  RV_NODE_SOLVER = 2,           // start + step, Solver SOP rules
  RV_NODE_TIME_DEPENDENT = 4,   // result depends on the frame even when parameters do not
  RV_NODE_WRITES = 8,           // a sink: cooking it has an effect on disk
  RV_NODE_DOP = 16,             // also exists as a DOP solver
  RV_NODE_HIDDEN = 32,          // for tests
  RV_NODE_SAMPLES_FRAMES = 64,  // asks for inputs at other frames, up to one before and one after its own
} RvNodeFlag;

// A row of the node table: texts, ports, parameters, state fields and functions of a node type.
typedef struct RvNodeType {
  const char* type;      // "groom"; the internal name is rivulet::groom::1.0
  const char* label;     // "Groom"
  const char* category;  // folder of the manual and the TAB menu: "Hair", "Liquid", "Solvers", "Files", "Geometry"
  const char* summary;   // one sentence
  const char* help;      // paragraphs, plain text; may be ""
  unsigned flags;
  int revision;  // raised when the same parameters and inputs give other bits than before: old caches become stale
  const RvPortDef* inputs;
  size_t ninput;  // maximum number; a multi-input node repeats the last
  const unsigned* takes;  // kinds of each input, of which one must be there; 0: any. NULL: any in all
  const RvPortDef* outputs;
  size_t noutput;
  size_t empty_output;  // solvers: number (from 1) of the output that is always empty; 0: none. Reading it is a warning
  const RvParmTable* parms;
  const RvPresetDef* presets;  // NULL: none
  size_t npreset;
  const char* const* stages;  // solvers: names of the timers, NULL-terminated; else NULL
  const RvFieldDef* fields;   // solvers: the state
  size_t nfield;
  // Solvers with a state of several details: their names. A field belongs to the part that its group names, else to the
  // first. NULL: the state is one detail.
  const char* const* parts;
  size_t npart;
  // Reads cook->input and cook->parms, sets cook->output[0]. On failure outputs are left NULL.
  RvResult (*cook)(RvCook* cook, RvError* error);
  // Solvers. start: inputs at the start frame -> state. step: prev + inputs -> state. split: state -> the outputs but
  // the last, which is the state as one detail: the host makes it with rv_node_join_state where it is asked for.
  RvResult (*start)(RvCook* cook, RvError* error);
  RvResult (*step)(RvCook* cook, RvError* error);
  RvResult (*split)(RvCook* cook, const RvState* state, RvError* error);
  void (*free_cache)(void* cache);
} RvNodeType;

// Number of rows of the node table. Built-in types come first, in the palette's order; registered ones (tests,
// plug-ins) follow.
RV_API size_t rv_node_type_count(void);
// The row at an index of the table, NULL beyond its end.
RV_API const RvNodeType* rv_node_type(size_t index);
// The row of a type by name: "groom", "rivulet::groom" or "rivulet::groom::1.0". NULL: there is none.
RV_API const RvNodeType* rv_node_find(const char* type);
// Appends a row to the table. The row must outlive the library's use. Fails on a name that is taken and on an
// incomplete row.
RV_API RvResult rv_node_register(const RvNodeType* type, RvError* error);

// Checks that geometry is of a kind that an input of the type takes. Empty geometry is. The error names the port, what
// is there and what is wanted.
RV_API RvResult rv_node_check_input(const RvNodeType* type, size_t index, const RvDetail* detail, RvError* error);

// Checks that a state is one of this type: each part that is present has the schema and its saved fields.
RV_API RvResult rv_node_check_state(const RvNodeType* type, const RvState* state, RvError* error);
// The parts of a state as one detail, for hosts with one stream of geometry and for files: the points of the first
// part, then those of the second, with the names of the attributes of each.
RV_API RvResult rv_node_join_state(const RvState* state, RvDetail** out, RvError* error);
// The parts of a state that was joined, checked. The caller frees them with rv_state_free.
RV_API RvResult rv_node_cut_state(const RvNodeType* type, const RvDetail* joined, RvState* out, RvError* error);

// The hash of a state that was joined: the `hash` of the report, the checkpoint and rv_sim_hash for it. 0: this is no
// state of the type.
RV_API uint64_t rv_node_state_hash(const RvNodeType* type, const RvDetail* joined);

// Describes a node type in a format: "text", "json", "ds" (DialogScript), "dop" (DialogScript of the DOP solver, with a
// SOP path for every input), "help" (Houdini help page), "md" (manual page). The caller frees the text with rv_free.
// NULL for another format and when out of memory.
RV_API char* rv_node_describe(const RvNodeType* type, const char* format);

#ifdef __cplusplus
}
#endif
#endif
