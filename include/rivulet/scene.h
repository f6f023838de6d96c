// The headless host: a graph of nodes, its cooking, frame cache and checkpoints.
#ifndef RIVULET_SCENE_H
#define RIVULET_SCENE_H

#include "rivulet/base.h"
#include "rivulet/geo.h"
#include "rivulet/node.h"

#ifdef __cplusplus
extern "C" {
#endif

// A graph of nodes with its values, frame cache and settings. Pointers to a scene must not be NULL unless it is said. A
// scene is used by one thread at a time. `error` may be NULL everywhere; a filled error is kept.
typedef struct RvScene RvScene;

// Time of a stage of a solver or of the host, summed over a frame.
typedef struct RvStageTime {
  const char* name;
  double seconds;  // wall clock
} RvStageTime;

// Report of one frame of rv_scene_run. Borrowed: valid until frame_done returns.
typedef struct RvFrameReport {
  double frame;
  double seconds;             // wall clock
  double cpu_seconds;         // of all threads together
  RvStats stats;              // sums over all solvers; stage_seconds and residual are not set, see `stages` and `json`
  const RvStageTime* stages;  // of all solvers and of the host
  size_t nstage;
  const char* json;  // everything above and more as one line of JSON, without the line end
} RvFrameReport;
// The `json` of a report, for callers from other languages that do not know the struct. Borrowed like the report.
RV_API const char* rv_frame_report_json(const RvFrameReport* report);

// Callbacks of the host. Any function may be NULL.
typedef struct RvSceneHooks {
  void* user;  // passed to every callback
  // True stops the call with RV_CANCELLED. Polled between nodes, stages and iterations; `fraction` is the progress of
  // the node's cook, from 0 to 1.
  bool (*cancelled)(void* user, const char* node, double frame, double fraction, const char* stage);
  // A message of a node, or of the host itself, whose `node` is "host". `text` is borrowed.
  void (*message)(void* user, RvLevel level, const char* node, double frame, const char* text);
  // Called after each frame of rv_scene_run.
  void (*frame_done)(void* user, const RvFrameReport* report);
  // Called by rv_scene_run once, when its folder is locked and its inputs are accepted, before it writes anything. A
  // failure ends the run.
  RvResult (*begun)(void* user, RvError* error);
} RvSceneHooks;

//---------------------------------------------------------------------------------------------- building

// An empty scene: 24 fps, frames 1 to 240, one metre per unit. The caller frees it by rv_scene_free. NULL: out of
// memory.
RV_API RvScene* rv_scene_new(void);
// Frees a scene and everything borrowed from it. NULL is allowed.
RV_API void rv_scene_free(RvScene* scene);
// Reads a scene from a JSON file; $HIP becomes its folder. On success the caller frees *out by rv_scene_free, on
// failure it is NULL. RV_BAD_INPUT for a wrong scene: the error names the file, the line, the node and the parameter.
RV_API RvResult rv_scene_load(const char* path, RvScene** out, RvError* error);
// The same from `bytes` characters of text. `name` stands for the file in errors; NULL: "scene".
RV_API RvResult rv_scene_parse(const char* text, size_t bytes, const char* name, RvScene** out, RvError* error);
// Writes the scene as JSON that parses back to the same scene. The caller frees *text by rv_free.
RV_API RvResult rv_scene_write(const RvScene* scene, char** text, RvError* error);

// Adds a node. A name has 1 to 64 letters, digits, '_' and '-' and must not be taken (RV_BAD_INPUT); RV_NOT_FOUND for
// an unknown type.
RV_API RvResult rv_scene_add(RvScene* scene, const char* name, const char* type, RvError* error);
// Removes a node and its wires. RV_NOT_FOUND if there is no such node.
RV_API RvResult rv_scene_remove(RvScene* scene, const char* name, RvError* error);
// Connects input `index` (from 0) to `source`: "node", "node:2" (its second output) or "node:liquid"; NULL disconnects.
// RV_NOT_FOUND for an unknown node or output, RV_BAD_INPUT for an unknown input or a cycle, which is named.
RV_API RvResult rv_scene_connect(RvScene* scene, const char* node, size_t index, const char* source, RvError* error);
// The values of a node, to be changed by rv_parms_set and the other setters; call rv_scene_touch afterwards. Borrowed
// until the node is removed. NULL if there is no such node.
RV_API RvParms* rv_scene_parms(RvScene* scene, const char* node);
// Tells the scene that the values of a node were changed, so that results are cooked again where needed.
RV_API void rv_scene_touch(RvScene* scene, const char* node);
// Sets a parameter by "node.parm=value", as on the command line. The error names the node and the parameter.
RV_API RvResult rv_scene_set(RvScene* scene, const char* assignment, RvError* error);

// Sets the frames per second. Ignored unless positive and finite.
RV_API void rv_scene_set_fps(RvScene* scene, double fps);
// Sets the frame range of a run. Ignored unless finite.
RV_API void rv_scene_set_frames(RvScene* scene, double first, double last);
// Sets the metres of one scene unit. Ignored unless positive and finite.
RV_API void rv_scene_set_meters_per_unit(RvScene* scene, double meters);
// Sets $OUT, the folder of outputs; the text is copied. NULL or "": the current folder.
RV_API RvResult rv_scene_set_out(RvScene* scene, const char* folder, RvError* error);
// Confines the files that nodes read and write to folders, separated by ':'; links and ".." are resolved. A node with
// another file fails. NULL: files may be anywhere. State files and checkpoints of a run are the caller's.
RV_API RvResult rv_scene_confine(RvScene* scene, const char* folders, RvError* error);
// Sets the memory limit of the frame cache in bytes. The default is a quarter of the machine's memory, between 256 MB
// and 4 GB. Results in use may exceed it.
RV_API void rv_scene_set_cache_limit(RvScene* scene, size_t bytes);
// Sets the callbacks; the struct is copied. NULL: none.
RV_API void rv_scene_set_hooks(RvScene* scene, const RvSceneHooks* hooks);
// Frames per second.
RV_API double rv_scene_fps(const RvScene* scene);
// Metres of one scene unit.
RV_API double rv_scene_meters_per_unit(const RvScene* scene);
// First and last frame of the range. Either pointer may be NULL.
RV_API void rv_scene_frames(const RvScene* scene, double* first, double* last);

// Number of nodes.
RV_API size_t rv_scene_node_count(const RvScene* scene);
// Name of node `index` in the order of adding; borrowed until the node is removed. NULL: out of range.
RV_API const char* rv_scene_node_name(const RvScene* scene, size_t index);
// True if an input of another node is connected to this node. False if there is no such node.
RV_API bool rv_scene_is_read(const RvScene* scene, const char* node);
// Type of a node; NULL if there is no such node.
RV_API const RvNodeType* rv_scene_node_type(const RvScene* scene, const char* name);

//---------------------------------------------------------------------------------------------- cooking

// Cooks one output of a node ("wet", "wet:2", "wet:liquid") at a frame. Nothing is written to disk: nodes that write
// pass their input through. *out is borrowed: valid until the next call on the scene; NULL on failure. RV_CANCELLED if
// a hook asked to stop. The error of a node names the node and the frame.
RV_API RvResult rv_scene_cook(RvScene* scene, const char* output, double frame, const RvDetail** out, RvError* error);
// Drops the cached results of a node (NULL: of all nodes) and of everything downstream.
RV_API void rv_scene_forget(RvScene* scene, const char* node);

// What rv_scene_run cooks.
typedef struct RvRun {
  const char* node;            // target; NULL: every node that writes, or, if none does, every node without readers
  double first, last;          // frames; first > last: the scene's range
  const char* checkpoint_dir;  // folder of checkpoints and progress; NULL: none
  bool resume;                 // continue the run that wrote these checkpoints; with from_state: that started from it
  const char* from_state;      // state file or checkpoint that replaces the start of a solver; NULL: none
  double from_start;           // the frame that this state stands for
} RvRun;

// Cooks the frames in order; nodes that write write their files, at whole frames only. Each state of a solver becomes a
// checkpoint, if there is a folder for them. RV_BAD_INPUT if resuming would continue results made with other parameters
// or files, if an input file changes during the run, if two nodes write one file, if several frames go to one file, and
// if another run uses the checkpoint folder; RV_CANCELLED if a hook asked to stop. A resumed run compares the files of
// finished frames with their checksums and cooks frames again whose files are missing, cut or changed.
RV_API RvResult rv_scene_run(RvScene* scene, const RvRun* run, RvError* error);

#ifdef __cplusplus
}
#endif
#endif
