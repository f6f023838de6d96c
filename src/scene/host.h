// Inside of the headless host: what its files share. Nothing outside src/scene includes this, but tests may.
#ifndef RV_SCENE_HOST_H
#define RV_SCENE_HOST_H

#include "base/array.h"
#include "parm/text.h"
#include "rivulet/scene.h"

// A name is used in wires ("a:2"), settings ("a.parm=1") and file names, so it is letters, digits, '_' and '-'.
// A chain of nested samples (a solver that reads a solver that reads ...) is bounded to keep the stack.
enum { RV_SCENE_MAX_NAME = 64, RV_SCENE_MAX_NODES = 100000, RV_SCENE_MAX_NESTING = 100, RV_SCENE_MAX_FRAMES = 1000000 };

typedef struct RvSceneNode RvSceneNode;

typedef struct RvWire {
  RvSceneNode* node;  // NULL: nothing
  size_t output;      // from 0
} RvWire;

// One cooked result: the outputs of a node at a frame. Pinned while in use; the cache holds it besides.
typedef struct RvEntry {
  uint64_t key;
  RvSceneNode* node;
  double frame;  // for solvers: of the state
  RvDetail* output[RV_NODE_MAX_OUTPUTS];
  RvStats stats;
  uint64_t hash;  // of the state, once asked for
  bool hashed;
  size_t bytes;
  int pins;
  bool cached;
  struct RvEntry *chain, *newer, *older;
} RvEntry;

// Least recently used goes first when `limit` is passed; what is pinned stays.
typedef struct RvCache {
  RvEntry** buckets;
  size_t nbucket, count;
  RvEntry *newest, *oldest;
  size_t bytes, limit;
} RvCache;

// Sums over the frames of a sequence of files: to.data[i] is that of `first` to `first + i`.
typedef struct RvFrameSums {
  double first;
  RV_ARRAY(uint64_t) to;
} RvFrameSums;

struct RvSceneNode {
  char* name;
  const RvNodeType* type;
  RvParms* parms;
  RvWire* inputs;      // type->ninput of them
  size_t index;        // in the scene
  size_t readers;      // wires that leave this node
  RvSceneNode* chain;  // of the name table
  void* cache;         // the node's disposable data
  bool reads_files;

  // made by rv_scene_order_prepare
  uint64_t own_key;    // type, revision, name, values, scene settings
  uint64_t graph_key;  // own_key and all upstream
  bool own_time, time_dependent;
  bool cut;      // it reads its files instead of its inputs, which are not cooked
  double start;  // solvers: the start frame
  // of itself and all upstream
  bool sequence, samples;         // files that change with the frame; nodes that look at other frames
  double earliest, latest_start;  // start frames of solvers
  RvFrameSums sums;               // of its own files

  // solvers
  // the last two states made, pinned: the next frame goes on from the one, and a reader that samples the step between
  // them still needs the other
  RvEntry* latest[2];
  RvDetail* from;  // started from this state instead of from the inputs
  double from_frame;
  uint64_t from_hash;
  RvStats from_stats;
  bool begins_anew;  // its checkpoints are of a former run still

  uint64_t ncook, nstep;  // for tests and reports
};

typedef struct RvWarning {
  char* text;
  size_t count;
} RvWarning;

// What one frame of a run gathered for the report.
typedef struct RvFrameLog {
  RV_ARRAY(RvWarning) warnings;
  double geometry_seconds, write_seconds, checkpoint_seconds;
} RvFrameLog;

typedef struct RvWatched {
  const RvSceneNode* node;
  char* path;
} RvWatched;

typedef struct RvWatchSlot {
  uint64_t path;  // hash; 0: empty
  uint64_t stamp;
  uint32_t round;  // when it was looked at last
} RvWatchSlot;

// The files that a run has looked at, as they were the first time.
typedef struct RvWatch {
  bool active, failed;
  RvWatchSlot* slots;
  size_t count, capacity;  // a power of two
  RV_ARRAY(RvWatched) recent;
  uint32_t round;
  RvWatched changed;  // the first that was not as before
} RvWatch;

struct RvScene {
  RV_ARRAY(RvSceneNode*) nodes;
  RvSceneNode** names;
  size_t nname;  // a power of two
  double fps, first, last, meters;
  char* out;
  char* hip;
  RvSceneHooks hooks;
  RvCache cache;
  bool prepared;
  bool cooking;  // inside a top-level call
  int nesting;
  int in_step;    // inside a solver's function, whose time is its own
  RvEntry* held;  // what rv_scene_cook handed out last
  RvFrameLog log;
  RvWatch watch;
  uint64_t nameless;           // keys without memory to make them
  const char* checkpoint_dir;  // during a run
  const char* from_path;       // during a run: the state it is started from
  bool drop_caches;            // tests: the nodes' disposable data goes before every cook
};

//---------------------------------------------------------------------------------------------- graph.c

RvSceneNode* rv_scene_graph_find(const RvScene* scene, const char* name);
// As rv_scene_connect; without the cycle check, which a parser does once at its end.
RvResult rv_scene_graph_wire(RvScene* scene, RvSceneNode* node, size_t index, const char* source, bool check,
                             RvError* error);
RvResult rv_scene_graph_resolve(const RvScene* scene, const char* text, RvWire* wire, RvError* error);
void rv_scene_graph_free(RvScene* scene);
// Inputs that a cook asks for: all, or none of a node that reads its own files instead.
static inline size_t rv_scene_graph_live_inputs(const RvSceneNode* node) {
  return node->cut ? 0 : node->type->ninput;
}
// "; did you mean 'x'?" or "": the nearest of the candidates that `next` gives until NULL. At most `size` bytes.
typedef const char* RvCandidateFn(const void* user, size_t index);
const char* rv_scene_graph_suggest(const char* word, RvCandidateFn* next, const void* user, char* text, size_t size);
const char* rv_scene_graph_suggest_list(const char* word, const char* const* list, char* text, size_t size);

//---------------------------------------------------------------------------------------------- order.c

// Upstream of `target` (itself last), each node after its inputs. With `stop_at_solvers` nothing above another solver
// than the target. NULL target: the whole graph. rv_free *order. A cycle is an error that names its nodes.
RvResult rv_scene_order_upstream(const RvScene* scene, const RvSceneNode* target, bool stop_at_solvers,
                                 RvSceneNode*** order, size_t* count, RvError* error);
// Keys and time dependence of all nodes, if anything changed since the last time.
RvResult rv_scene_order_prepare(RvScene* scene, RvError* error);
// The targets and all that is cooked for them, each node after its inputs. rv_free *order.
RvResult rv_scene_order_live(const RvScene* scene, RvSceneNode* const* targets, size_t ntarget, RvSceneNode*** order,
                             size_t* count, RvError* error);
// The node's values at a frame. Their texts live until the next call for the node.
RvResult rv_scene_order_eval(RvScene* scene, RvSceneNode* node, double frame, void* out, RvError* error);
// The same in memory of its own (rv_free), for the host's own questions; NULL if they cannot be had.
void* rv_scene_order_values(RvScene* scene, RvSceneNode* node, double frame);

//---------------------------------------------------------------------------------------------- files.c

bool rv_scene_files_read(const RvSceneNode* node);      // it reads files
bool rv_scene_files_sequence(const RvSceneNode* node);  // they may change with the frame
// Hash of the size and time of the files that the node reads at a frame; 0 if it reads none.
uint64_t rv_scene_files_stamp(RvScene* scene, RvSceneNode* node, double frame);
// The stamps of all whole frames of a range as one number.
uint64_t rv_scene_files_sum(RvScene* scene, RvSceneNode* node, double first, double last);
// Widens a range of frames to all whose files the node's result there depends on.
void rv_scene_files_range(const RvSceneNode* node, double* first, double* last);
// Of all sequences that the node's result depends on; 0 if there are none.
uint64_t rv_scene_files_above(RvScene* scene, RvSceneNode* node, double first, double last);
// From now on every file must stay as it is when it is first looked at; or an end of that.
void rv_scene_files_watch(RvScene* scene, bool active);
// An error that names the file if one did not.
RvResult rv_scene_files_check(const RvScene* scene, RvError* error);
// Looks again at the files of this frame before its results count; then as above.
RvResult rv_scene_files_settle(RvScene* scene, RvError* error);

//---------------------------------------------------------------------------------------------- cache.c

RvEntry* rv_scene_cache_find(RvCache* cache, uint64_t key);   // pinned for the caller; NULL if it is not there
void rv_scene_cache_put(RvCache* cache, RvEntry* entry);      // the caller's pin stays
void rv_scene_cache_changed(RvCache* cache, RvEntry* entry);  // its outputs grew
void rv_scene_cache_drop(RvCache* cache, RvEntry* entry);
void rv_scene_cache_trim(RvCache* cache);
void rv_scene_cache_clear(RvCache* cache);
RvEntry* rv_scene_entry_new(RvSceneNode* node, uint64_t key, double frame);  // with one pin
void rv_scene_entry_unpin(RvCache* cache, RvEntry* entry);                   // NULL is fine
uint64_t rv_scene_entry_state_hash(RvEntry* entry);

//---------------------------------------------------------------------------------------------- cook.c

// The node's result at a frame, pinned. `write` lets a writing target touch the disk.
RvResult rv_scene_cook_node(RvScene* scene, RvSceneNode* node, double frame, bool write, RvEntry** out, RvError* error);
// One output of an entry, split from the state if need be.
RvResult rv_scene_cook_output(RvScene* scene, RvEntry* entry, size_t output, const RvDetail** out, RvError* error);

// One call of a node's function: its values, its inputs, its host. All that it borrows is released at the end.
typedef struct RvCall {
  RvScene* scene;
  RvSceneNode* node;
  double frame;
  RV_ARRAY(RvEntry*) pins;
  RV_ARRAY(char*) texts;
  RvHost host;
  RvVars vars;
  void* parms;
  const RvDetail* inputs[RV_NODE_MAX_INPUTS];
  RvCook cook;
} RvCall;

RvResult rv_scene_call_begin(RvCall* call, RvScene* scene, RvSceneNode* node, double frame, RvStats* stats,
                             RvError* error);
// Cooks the inputs at the call's frame by rv_scene_cook_node.
RvResult rv_scene_call_inputs(RvCall* call, RvError* error);
// An input that is wired must be there, and one that is required must be wired.
RvResult rv_scene_call_check_inputs(const RvCall* call, RvError* error);
// Names the node in the error of its function; frees the outputs if it failed.
RvResult rv_scene_call_finish(RvCall* call, RvResult result, RvError* error);
void rv_scene_call_end(RvCall* call);

bool rv_scene_is_cancelled(RvScene* scene, const char* node, double frame, double fraction, const char* stage);
void rv_scene_message(RvScene* scene, RvLevel level, const char* node, double frame, const char* format, ...)
    RV_PRINTF(5, 6);

//---------------------------------------------------------------------------------------------- solve.c

// The state for a frame by the Solver SOP's rules, pinned.
RvResult rv_scene_solve(RvScene* scene, RvSceneNode* node, double frame, RvEntry** out, RvError* error);
uint64_t rv_scene_solve_key(RvScene* scene, RvSceneNode* node, double frame);
// Makes outputs of an entry's node from its state.
RvResult rv_scene_solve_split(RvScene* scene, RvEntry* entry, RvError* error);
// Frame of the state that a request for `frame` shows.
double rv_scene_solve_state_frame(const RvSceneNode* node, double frame);
// Gives the solver a state that it need not compute. Takes the detail.
RvResult rv_scene_solve_adopt(RvScene* scene, RvSceneNode* node, double frame, RvDetail* state, const RvStats* stats,
                              RvError* error);
// Every saved field of the solver's table must be in the detail.
RvResult rv_scene_solve_check_state(const RvSceneNode* node, const RvDetail* state, RvError* error);
size_t rv_scene_solve_state_output(const RvNodeType* type);
void rv_scene_solve_forget(RvScene* scene, RvSceneNode* node);
// The node's disposable data.
void rv_scene_solve_drop_cache(RvSceneNode* node);

//---------------------------------------------------------------------------------------------- values.c, manifest.c

struct RvDoc;
// Sets the parameter `value->key`. On failure *line is that of the wrong part.
RvResult rv_scene_values_read(RvParms* parms, const struct RvDoc* value, int* line, RvError* error);
// Appends `"token": value` for every value that differs from its default, each led by `separator` but the first.
size_t rv_scene_values_write(RvText* text, const RvParms* parms, const char* separator);

// All that the results of some nodes depend on, a line a fact, but for files that change with the frame. rv_free it.
RvResult rv_scene_manifest_write(RvScene* scene, RvSceneNode* const* nodes, size_t count, char** text, RvError* error);
// The manifest `base`, and the files of sequences that the results of the frames `first` to `last` depend on. Of a
// solver up to the frame of its state, its hash is the key of a checkpoint. rv_free it.
RvResult rv_scene_manifest_frames(RvScene* scene, const char* base, RvSceneNode* const* nodes, size_t count,
                                  double first, double last, char** text, RvError* error);
// What the first difference of two manifests is, as a sentence.
void rv_scene_manifest_compare(const char* old_text, const char* new_text, char* sentence, size_t size);

//---------------------------------------------------------------------------------------------- report.c

void rv_scene_report_begin(RvScene* scene);
// Fills the report, of which the frame and the times are set, from what was cooked. rv_scene_report_clear it in any
// case.
RvResult rv_scene_report_write(RvScene* scene, RvEntry* const* targets, size_t ntarget, RvEntry* const* states,
                               size_t nstate, RvFrameReport* report, RvError* error);
void rv_scene_report_clear(RvFrameReport* report);
void rv_scene_report_free(RvScene* scene);

#endif
