// The headless host: a graph of nodes, its cooking, frame cache and checkpoints.
#ifndef RIVULET_SCENE_H
#define RIVULET_SCENE_H

#include "rivulet/base.h"
#include "rivulet/geo.h"
#include "rivulet/node.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RvScene RvScene;

typedef struct RvStageTime {
  const char* name;
  double seconds;
} RvStageTime;

// One frame of rv_scene_run. Borrowed: valid until frame_done returns.
typedef struct RvFrameReport {
  double frame;
  double seconds, cpu_seconds;  // by the clock, and of all threads together
  RvStats stats;                // of all solvers together, but for stage_seconds and residual; those stand below
  const RvStageTime* stages;    // of all solvers and of the host
  size_t nstage;
  const char* json;  // all of it and more as one line, without the newline
} RvFrameReport;
// Its `json`, for hosts that do not know the struct.
RV_API const char* rv_frame_report_json(const RvFrameReport* report);

// What the host tells while it works. Any function may be NULL.
typedef struct RvSceneHooks {
  void* user;
  bool (*cancelled)(void* user, const char* node, double frame, double fraction, const char* stage);
  void (*message)(void* user, RvLevel level, const char* node, double frame, const char* text);
  // After each frame of rv_scene_run.
  void (*frame_done)(void* user, const RvFrameReport* report);
} RvSceneHooks;

//---------------------------------------------------------------------------------------------- building

RV_API RvScene* rv_scene_new(void);
RV_API void rv_scene_free(RvScene* scene);
// Scene JSON. Errors name the file, the line, the node and the parameter.
RV_API RvResult rv_scene_load(const char* path, RvScene** out, RvError* error);
RV_API RvResult rv_scene_parse(const char* text, size_t bytes, const char* name, RvScene** out, RvError* error);
// The scene as JSON that parses back to the same. rv_free it.
RV_API RvResult rv_scene_write(const RvScene* scene, char** text, RvError* error);

RV_API RvResult rv_scene_add(RvScene* scene, const char* name, const char* type, RvError* error);
RV_API RvResult rv_scene_remove(RvScene* scene, const char* name, RvError* error);
// Wires "node", "node:2" or "node:liquid" (NULL: nothing) into input `index`. A cycle is refused and its nodes named.
RV_API RvResult rv_scene_connect(RvScene* scene, const char* node, size_t index, const char* source, RvError* error);
// The node's values, to be set with rv_parms_set and its kin; then tell the scene with rv_scene_touch.
RV_API RvParms* rv_scene_parms(RvScene* scene, const char* node);
RV_API void rv_scene_touch(RvScene* scene, const char* node);
// "node.parm=value".
RV_API RvResult rv_scene_set(RvScene* scene, const char* assignment, RvError* error);

RV_API void rv_scene_set_fps(RvScene* scene, double fps);
RV_API void rv_scene_set_frames(RvScene* scene, double first, double last);
RV_API void rv_scene_set_meters_per_unit(RvScene* scene, double meters);
RV_API void rv_scene_set_out(RvScene* scene, const char* folder);  // $OUT
RV_API void rv_scene_set_cache_limit(RvScene* scene, size_t bytes);
RV_API void rv_scene_set_hooks(RvScene* scene, const RvSceneHooks* hooks);
RV_API double rv_scene_fps(const RvScene* scene);
RV_API double rv_scene_meters_per_unit(const RvScene* scene);
RV_API void rv_scene_frames(const RvScene* scene, double* first, double* last);

RV_API size_t rv_scene_node_count(const RvScene* scene);
RV_API const char* rv_scene_node_name(const RvScene* scene, size_t index);
// True if a wire leads out of the node.
RV_API bool rv_scene_is_read(const RvScene* scene, const char* node);
RV_API const RvNodeType* rv_scene_node_type(const RvScene* scene, const char* name);

//---------------------------------------------------------------------------------------------- cooking

// Output of a node ("wet", "wet:2", "wet:liquid") at a frame. Looking writes nothing: nodes that write pass their input
// through. Borrowed: valid until the next call on the scene.
RV_API RvResult rv_scene_cook(RvScene* scene, const char* output, double frame, const RvDetail** out, RvError* error);
// Forgets cached frames: a node's (NULL: all) own and everything downstream.
RV_API void rv_scene_forget(RvScene* scene, const char* node);

typedef struct RvRun {
  const char* node;            // NULL: every node that writes, or, if none does, every node nobody reads
  double first, last;          // first > last: the scene's range
  const char* checkpoint_dir;  // NULL: no checkpoints
  bool resume;                 // go on from the checkpoints there; with from_state, of the run that was started from it
  const char* from_state;      // a state file to start solvers from, or NULL; with
  double from_start;           // the frame it stands for; it holds until the next run
} RvRun;

// Cooks the frames in order; nodes that write do so, at whole frames.
RV_API RvResult rv_scene_run(RvScene* scene, const RvRun* run, RvError* error);

#ifdef __cplusplus
}
#endif
#endif
