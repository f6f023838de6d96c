// Internal header of the headless host: the structures and functions that the files of src/scene share. Only tests
// include it from elsewhere.
#ifndef RV_SCENE_HOST_H
#define RV_SCENE_HOST_H

#include "base/array.h"
#include "parm/text.h"
#include "rivulet/scene.h"

enum {
  RV_SCENE_MAX_NAME = 64,         // characters of a node name: letters, digits, '_' and '-', because names appear in
                                  // wires ("a:2"), settings ("a.parm=1") and file names
  RV_SCENE_MAX_NODES = 100000,    // nodes of one scene
  RV_SCENE_MAX_NESTING = 100,     // nested cooks (a solver that samples a solver ...); bounds the C stack
  RV_SCENE_MAX_FRAMES = 1000000,  // frames of one run, and between a solver's start frame and a requested frame
};

// Seeds of the host's hashes. Each kind of key has its own, so that equal bytes of two kinds give different keys.
enum {
  RV_SCENE_SEED_NODE = 1,        // one node's type, values and scene settings
  RV_SCENE_SEED_GRAPH = 2,       // a node and everything upstream of it
  RV_SCENE_SEED_RESULT = 3,      // the result of a node at a frame
  RV_SCENE_SEED_STATE = 4,       // the state of a solver at a frame
  RV_SCENE_SEED_REPORT = 5,      // the hash of a frame in the report
  RV_SCENE_SEED_FRAME_FILE = 6,  // the files of one node at one frame
  RV_SCENE_SEED_PATH = 7,        // a path in the table of watched files
  RV_SCENE_SEED_SEQUENCES = 8,   // all file sequences upstream of a node
};

typedef struct RvSceneNode RvSceneNode;

// The source of an input.
typedef struct RvWire {
  RvSceneNode* node;  // NULL: not connected
  size_t output;      // index of the source's output, from 0
} RvWire;

// One cooked result: the outputs of a node at a frame. It is reference counted by `pins`; the cache may hold it as
// well.
typedef struct RvEntry {
  uint64_t key;                           // of the cache
  RvSceneNode* node;                      // that made it
  double frame;                           // of the result; for solvers: of the state
  RvState state;                          // of a solver; owned
  RvDetail* output[RV_NODE_MAX_OUTPUTS];  // owned; NULL: not made (yet)
  RvStats stats;                          // of the cook or step
  uint64_t hash;                          // of the state; valid if `hashed`
  bool hashed;
  size_t bytes;           // counted by the cache
  int pins;               // users; at 0 the entry may be evicted, and is freed if it is not cached
  bool cached;            // it is in the cache's table and list
  struct RvEntry* chain;  // next entry of the same hash bucket
  struct RvEntry* newer;  // neighbour in the list by last use
  struct RvEntry* older;
} RvEntry;

// Results by key. Above `limit` bytes the least recently used entries without pins are evicted.
typedef struct RvCache {
  RvEntry** buckets;  // hash table, chained by RvEntry.chain
  size_t nbucket;     // a power of two, or 0
  size_t count;       // entries
  RvEntry* newest;    // list by last use
  RvEntry* oldest;
  size_t bytes;  // of all entries
  size_t limit;  // bytes
} RvCache;

// Prefix sums of the hashes of a file sequence: prefix_sums.data[i] covers the frames `first` to `first + i`.
typedef struct RvFrameSums {
  double first;  // frame
  RV_ARRAY(uint64_t) prefix_sums;
} RvFrameSums;

// One node of the graph.
struct RvSceneNode {
  char* name;
  const RvNodeType* type;
  RvParms* parms;
  RvWire* inputs;      // type->ninput of them
  size_t index;        // in RvScene.nodes
  size_t readers;      // wires that leave this node
  RvSceneNode* chain;  // next node of the same bucket of the name table
  void* cache;         // disposable data of the node's functions
  bool reads_files;    // the type has a file parameter that it reads

  // set by rv_scene_order_prepare
  uint64_t own_key;         // hash of type, revision, name, values and scene settings
  uint64_t graph_key;       // hash of own_key and everything upstream
  bool own_time_dependent;  // the result depends on the frame even if the inputs do not
  bool time_dependent;      // the result depends on the frame
  bool loads_from_disk;     // a cache node that reads its files instead of its inputs, which are then not cooked
  double start;             // solvers: the start frame
  // of the node itself and everything upstream
  bool depends_on_sequence;  // reads files that change with the frame
  bool samples_frames;       // has a node that reads its inputs at other frames
  double earliest_start;     // smallest start frame of a solver; +infinity without one
  double latest_start;       // largest start frame of a solver; -infinity without one
  RvFrameSums sums;          // of the node's own files

  // Solvers: the last two states, pinned. The next frame steps from [0]; a reader that samples within the step between
  // them needs [1] as well.
  RvEntry* latest_states[2];
  RvState initial_state;        // given by --from; replaces the start from the inputs. Owned; empty: none
  double initial_state_frame;   // the frame it stands for
  uint64_t initial_state_hash;  // of all bytes of the parts, attributes that only pass through included
  RvStats initial_state_stats;
  bool replaces_checkpoints;  // the folder still has checkpoints of a former run; the first new one removes them

  uint64_t ncook, nstep;  // calls of cook or start, and of step; for tests and reports
};

// A warning of the current frame.
typedef struct RvWarning {
  char* text;    // owned
  size_t count;  // how often it was given
} RvWarning;

// What one frame of a run gathers for the report.
typedef struct RvFrameLog {
  RV_ARRAY(RvWarning) warnings;
  bool incomplete;            // out of memory for a warning: the frame fails
  double geometry_seconds;    // wall clock in nodes that are neither solvers nor writers
  double write_seconds;       // in nodes that write
  double checkpoint_seconds;  // writing checkpoints
} RvFrameLog;

// A file that was read for a node.
typedef struct RvWatched {
  const RvSceneNode* node;
  char* path;  // owned
} RvWatched;

typedef struct RvWatchSlot {
  uint64_t path;   // hash of the path; 0: the slot is empty
  uint64_t stamp;  // hash of the file's size and time when it was first examined; 0: it did not exist
  uint32_t round;  // RvWatch.round in which it was last put into `recent`
} RvWatchSlot;

// Detects input files that change during a run. An open-addressing hash table holds each file's first stamp.
typedef struct RvWatch {
  bool active;  // a run is going on
  bool failed;  // out of memory
  RvWatchSlot* slots;
  size_t count, capacity;      // of the slots; the capacity is a power of two
  RV_ARRAY(RvWatched) recent;  // files of this frame, examined again at its end
  uint32_t round;              // number of the frame within the run
  RvWatched changed;           // the first file whose stamp changed; path NULL: none
} RvWatch;

struct RvScene {
  RV_ARRAY(RvSceneNode*) nodes;  // owned, in the order in which they were added
  RvSceneNode** names;           // hash table by name, chained by RvSceneNode.chain
  size_t nname;                  // buckets, a power of two, or 0
  double fps;                    // frames per second
  double first, last;            // frame range
  double meters;                 // per scene unit
  char* out;                     // $OUT
  char* hip;                     // $HIP, folder of the scene file
  RvSceneHooks hooks;
  RvCache cache;
  bool prepared;        // the nodes' keys are up to date
  bool cooking;         // inside rv_scene_cook or rv_scene_run, which are not reentrant
  int nesting;          // depth of nested rv_scene_cook_node
  int in_step;          // depth of solver functions; nodes cooked inside count as the solver's time
  RvEntry* lent_entry;  // pinned for the caller of the last rv_scene_cook
  RvFrameLog log;
  RvWatch watch;
  const char* checkpoint_dir;  // during a run; NULL: no checkpoints
  const char* from_path;       // during a run: the state file it is started from; NULL: none
  bool drop_caches;            // for tests: the nodes' disposable data is freed before every cook
  RV_ARRAY(char*) confine;     // resolved folders that files may be in, owned; none: anywhere
  struct RvOutputs* outputs;   // during a run with checkpoints: the files that it writes; NULL: none
};

typedef struct RvOutputs RvOutputs;

//---------------------------------------------------------------------------------------------- graph.c

// The node of that name; NULL if there is none or `name` is NULL.
RvSceneNode* rv_scene_graph_find(const RvScene* scene, const char* name);
// As rv_scene_connect. `check` looks for a cycle; a parser passes false and checks once at its end.
RvResult rv_scene_graph_wire(RvScene* scene, RvSceneNode* node, size_t index, const char* source, bool check,
                             RvError* error);
// Reads "node", "node:2" or "node:liquid" into *wire.
RvResult rv_scene_graph_resolve(const RvScene* scene, const char* text, RvWire* wire, RvError* error);
// Frees all nodes and the name table.
void rv_scene_graph_free(RvScene* scene);
// Number of inputs that a cook asks for: all, or 0 for a node that reads its own files instead.
static inline size_t rv_scene_graph_live_inputs(const RvSceneNode* node) {
  return node->loads_from_disk ? 0 : node->type->ninput;
}
// Candidate `index` of a list of names; NULL ends the list.
typedef const char* RvCandidateFn(const void* user, size_t index);
// Writes "; did you mean 'x'?" into `text` (at most `size` bytes), with the candidate nearest to `word` by edit
// distance; "" if none is near. Returns `text`.
const char* rv_scene_graph_suggest(const char* word, RvCandidateFn* next, const void* user, char* text, size_t size);
// The same with candidates from a list that NULL ends.
const char* rv_scene_graph_suggest_list(const char* word, const char* const* list, char* text, size_t size);

//---------------------------------------------------------------------------------------------- order.c

// Topological order of the nodes upstream of `target` (itself last): each node after its inputs. `stop_at_solvers`
// leaves out what is upstream of a solver. NULL target: the whole graph. The caller frees *order by rv_free. A cycle is
// an error that names its nodes.
RvResult rv_scene_order_upstream(const RvScene* scene, const RvSceneNode* target, bool stop_at_solvers,
                                 RvSceneNode*** order, size_t* count, RvError* error);
// Computes keys and time dependence of all nodes, if anything changed since the last call.
RvResult rv_scene_order_prepare(RvScene* scene, RvError* error);
// Topological order of the targets and every node that is cooked for them. The caller frees *order by rv_free.
RvResult rv_scene_order_live(const RvScene* scene, RvSceneNode* const* targets, size_t ntarget, RvSceneNode*** order,
                             size_t* count, RvError* error);
// Evaluates the node's parameters at a frame into `out`. Texts live until the next call for the node.
RvResult rv_scene_order_eval(RvScene* scene, RvSceneNode* node, double frame, void* out, RvError* error);
// The same into new memory (free *out by rv_free). RV_NO_MEMORY is the only error: *out is NULL for values that cannot
// be evaluated, since the cook of the node tells the reason, and a node that nobody cooks may have them.
RvResult rv_scene_order_values(RvScene* scene, RvSceneNode* node, double frame, void** out, RvError* error);

//---------------------------------------------------------------------------------------------- files.c

// True if the node reads files.
bool rv_scene_files_read(const RvSceneNode* node);
// True if it reads files whose names may change with the frame.
bool rv_scene_files_sequence(const RvSceneNode* node);
// Hash of the size and time of the files that the node reads at a frame; 0 if it reads none.
RvResult rv_scene_files_stamp(RvScene* scene, RvSceneNode* node, double frame, uint64_t* stamp, RvError* error);
// Sum of the hashes of the node's files over all whole frames of a range.
RvResult rv_scene_files_sum(RvScene* scene, RvSceneNode* node, double first, double last, uint64_t* sum,
                            RvError* error);
// Widens a range of frames to all frames whose files the node's results in the range depend on.
void rv_scene_files_range(const RvSceneNode* node, double* first, double* last);
// Hash of all file sequences upstream of the node over a range of frames; 0 if there are none.
RvResult rv_scene_files_above(RvScene* scene, RvSceneNode* node, double first, double last, uint64_t* hash,
                              RvError* error);
// Starts (or ends) the watch: while it is active, every file must stay as it was when it was first examined.
void rv_scene_files_watch(RvScene* scene, bool active);
// RV_BAD_INPUT that names the first watched file that changed; RV_OK if none did.
RvResult rv_scene_files_check(const RvScene* scene, RvError* error);
// Examines the files of this frame again, before its results are recorded as done; then as rv_scene_files_check.
RvResult rv_scene_files_settle(RvScene* scene, RvError* error);

//---------------------------------------------------------------------------------------------- confine.c

// RV_BAD_INPUT if the path leads out of the folders that the scene is confined to. `written`: the file is written, else
// read.
RvResult rv_scene_confine_check(const RvScene* scene, const char* path, bool written, RvError* error);
// The same for all file parameters of a node; `parms` is its evaluated struct.
RvResult rv_scene_confine_node(const RvScene* scene, const RvSceneNode* node, const void* parms, RvError* error);
// The same for the folder of checkpoints, where it is a link; NULL is none.
RvResult rv_scene_confine_checkpoints(const RvScene* scene, const char* folder, RvError* error);
// Frees the list of folders.
void rv_scene_confine_free(RvScene* scene);

//---------------------------------------------------------------------------------------------- cache.c

// The entry of a key, pinned for the caller; NULL if it is not cached.
RvEntry* rv_scene_cache_find(RvCache* cache, uint64_t key);
// Adds an entry in place of another of its key. The caller's pin stays. Out of memory, the entry is not cached.
void rv_scene_cache_put(RvCache* cache, RvEntry* entry);
// Counts the bytes of an entry again after an output was added.
void rv_scene_cache_changed(RvCache* cache, RvEntry* entry);
// Takes an entry out of the cache. It is freed once it has no pins.
void rv_scene_cache_drop(RvCache* cache, RvEntry* entry);
// Evicts entries without pins, least recently used first, until the cache is within its limit.
void rv_scene_cache_trim(RvCache* cache);
// Takes out all entries and frees the table. The limit stays.
void rv_scene_cache_clear(RvCache* cache);
// A new entry with one pin and no outputs; NULL out of memory.
RvEntry* rv_scene_entry_new(RvSceneNode* node, uint64_t key, double frame);
// Releases one pin. `entry` may be NULL.
void rv_scene_entry_unpin(RvCache* cache, RvEntry* entry);
// Hash of a solver's state (rv_state_hash); computed once.
uint64_t rv_scene_entry_state_hash(RvEntry* entry);

//---------------------------------------------------------------------------------------------- cook.c

// Cooks the node at a frame; *out is pinned for the caller. `write` allows a writing target to write its files.
RvResult rv_scene_cook_node(RvScene* scene, RvSceneNode* node, double frame, bool write, RvEntry** out, RvError* error);
// One output of an entry (borrowed), split from the solver's state if it has not been made yet.
RvResult rv_scene_cook_output(RvScene* scene, RvEntry* entry, size_t output, const RvDetail** out, RvError* error);

// One call of a node's function: its values, its inputs, its host. rv_scene_call_end releases everything it borrows.
typedef struct RvCall {
  RvScene* scene;
  RvSceneNode* node;
  double frame;
  RV_ARRAY(RvEntry*) pins;  // inputs sampled during the call
  RV_ARRAY(char*) texts;    // owned copies of text parameters
  RvHost host;
  RvVars vars;
  void* parms;  // the node's struct, evaluated at `frame`; owned
  const RvDetail* inputs[RV_NODE_MAX_INPUTS];
  RvCook cook;
} RvCall;

// Prepares the call and evaluates the parameters. rv_scene_call_end it in any case.
RvResult rv_scene_call_begin(RvCall* call, RvScene* scene, RvSceneNode* node, double frame, RvStats* stats,
                             RvError* error);
// Cooks the inputs at the call's frame by rv_scene_cook_node.
RvResult rv_scene_call_inputs(RvCall* call, RvError* error);
// RV_BAD_INPUT if a required input is not connected.
RvResult rv_scene_call_check_inputs(const RvCall* call, RvError* error);
// If `result` is an error: frees the outputs and names the node in the error. Returns `result`.
RvResult rv_scene_call_finish(RvCall* call, RvResult result, RvError* error);
// Releases pins, texts and parameters.
void rv_scene_call_end(RvCall* call);

// Asks the `cancelled` hook.
bool rv_scene_is_cancelled(RvScene* scene, const char* node, double frame, double fraction, const char* stage);
// Passes a message to the hook; a warning is also recorded for the report of the frame.
void rv_scene_message(RvScene* scene, RvLevel level, const char* node, double frame, const char* format, ...)
    RV_PRINTF(5, 6);

//---------------------------------------------------------------------------------------------- solve.c

// The state for a frame by the Solver SOP's rules; *out is pinned for the caller.
RvResult rv_scene_solve(RvScene* scene, RvSceneNode* node, double frame, RvEntry** out, RvError* error);
// Cache key of the state of a frame.
RvResult rv_scene_solve_key(RvScene* scene, RvSceneNode* node, double frame, uint64_t* key, RvError* error);
// Makes the outputs of a solver's entry from its state, all but the last.
RvResult rv_scene_solve_split(RvScene* scene, RvEntry* entry, RvError* error);
// Frame of the state that a request for `frame` shows.
double rv_scene_solve_state_frame(const RvSceneNode* node, double frame);
// Gives the solver a computed state of a frame, as loaded from a checkpoint. Takes the details of `state`, also on
// failure, and leaves it empty.
RvResult rv_scene_solve_adopt(RvScene* scene, RvSceneNode* node, double frame, RvState* state, const RvStats* stats,
                              RvError* error);
// Checks that the parts have every saved field of the solver's table.
RvResult rv_scene_solve_check_state(const RvSceneNode* node, const RvState* state, RvError* error);
// Index of the output that is the state; 0 for other nodes.
size_t rv_scene_solve_state_output(const RvNodeType* type);
// Releases the node's latest states and disposable data.
void rv_scene_solve_forget(RvScene* scene, RvSceneNode* node);
// Frees the node's disposable data.
void rv_scene_solve_drop_cache(RvSceneNode* node);

//---------------------------------------------------------------------------------------------- values.c, manifest.c

struct RvDoc;
// Sets the parameter named `value->key` from JSON. On failure *line is the line of the wrong part.
RvResult rv_scene_values_read(RvParms* parms, const struct RvDoc* value, int* line, RvError* error);
// Appends `"token": value` for every value that differs from its default, with `separator` between them. Returns their
// number.
size_t rv_scene_values_write(RvText* text, const RvParms* parms, const char* separator);

// Lists everything that the results of some nodes depend on, one fact per line, except files that change with the
// frame. The caller frees *text by rv_free.
RvResult rv_scene_manifest_write(RvScene* scene, RvSceneNode* const* nodes, size_t count, char** text, RvError* error);
// The manifest `base` followed by the file sequences that the results of the frames `first` to `last` depend on. For a
// solver at the frame of its state, the hash of this text is the key of the checkpoint. The caller frees *text.
RvResult rv_scene_manifest_frames(RvScene* scene, const char* base, RvSceneNode* const* nodes, size_t count,
                                  double first, double last, char** text, RvError* error);
// Describes the first difference of two manifests in a phrase of at most `size` bytes.
void rv_scene_manifest_compare(const char* old_text, const char* new_text, char* sentence, size_t size);

//---------------------------------------------------------------------------------------------- report.c

// Clears warnings and times for the next frame.
void rv_scene_report_begin(RvScene* scene);
// Fills the report from the cooked targets and states; its frame and times are set by the caller, who also calls
// rv_scene_report_clear in any case.
RvResult rv_scene_report_write(RvScene* scene, RvEntry* const* targets, size_t ntarget, RvEntry* const* states,
                               size_t nstate, RvFrameReport* report, RvError* error);
// Frees what rv_scene_report_write allocated.
void rv_scene_report_clear(RvFrameReport* report);
// Frees the frame log of the scene.
void rv_scene_report_free(RvScene* scene);

#endif
