// Checkpoints: one solver's state at one frame, in a file that notices any changed bit.
//
//   offset  bytes
//        0      8  "RVCHECK\n"
//        8      8  version, 1
//       16      8  frame, double
//       24      8  key: hash of the manifest
//       32      8  hash of the state (rv_detail_hash)
//       40      8  T, bytes of the texts
//       48      8  P, bytes of the state
//       56      T  node, type, numbers and manifest, each ended by a zero byte
//     56+T      P  the state as .bgeo.sc
//   56+T+P      8  XXH3 (64 bits) of all bytes before
//
// Numbers are little-endian.
#ifndef RV_SCENE_CHECKPOINT_H
#define RV_SCENE_CHECKPOINT_H

#include "scene/host.h"

typedef struct RvCheckpoint {
  char* node;
  char* type;
  char* manifest;
  double frame;
  uint64_t key;  // of the manifest
  uint64_t state_hash;
  RvStats stats;  // counts and ledger of the frame
  RvDetail* state;
} RvCheckpoint;

// To and from bytes. Decoding checks every byte; the error says what is wrong and where. `name` is for errors.
RvResult rv_scene_checkpoint_encode(const RvCheckpoint* checkpoint, void** bytes, size_t* count, RvError* error);
RvResult rv_scene_checkpoint_decode(const void* bytes, size_t count, const char* name, RvCheckpoint* out,
                                    RvError* error);
// True if the bytes begin as a checkpoint does.
bool rv_scene_checkpoint_is(const void* bytes, size_t count);
RvResult rv_scene_checkpoint_read(const char* path, RvCheckpoint* out, RvError* error);
void rv_scene_checkpoint_free(RvCheckpoint* checkpoint);

// resume.c: the folder of a run
// Writes the entry's state into the scene's checkpoint folder and removes those that are no longer worth their room:
// the last RV_CHECKPOINT_KEEP frames stay, and every RV_CHECKPOINT_EVERY-th from the start. The first one of a run that
// begins anew removes all of the former run, but for the state that this one is started from.
enum { RV_CHECKPOINT_KEEP = 3, RV_CHECKPOINT_EVERY = 24 };
RvResult rv_scene_checkpoint_keep(RvScene* scene, RvEntry* entry, RvError* error);
// "<folder>/<node>.<frame>.rvck"; rv_free it.
char* rv_scene_checkpoint_path(const char* folder, const char* node, double frame);
// Locks the folder for one run (*lock, to be closed) and removes what dead processes left half written. *lock is -1
// where the file system has no locks; then nothing is removed.
RvResult rv_scene_checkpoint_open(const char* folder, int* lock, RvError* error);
// Removes temporaries of processes of this machine that are gone.
void rv_scene_checkpoint_sweep(const char* folder);
// Refuses a run up to `last` that would write over the state it is started from.
RvResult rv_scene_checkpoint_guard(const RvScene* scene, const char* folder, RvSceneNode* const* solvers, size_t count,
                                   double last, RvError* error);
// Gives every solver its state of the newest frame up to `last` for which all have a whole one. *frame is that frame;
// *found is false if there is none. A checkpoint of other parameters or files is an error that says which changed.
RvResult rv_scene_checkpoint_resume(RvScene* scene, const char* folder, RvSceneNode* const* solvers, size_t count,
                                    double last, bool* found, double* frame, RvError* error);

// note.c: which frames of a run have all their files
typedef struct RvRunNote {
  char* manifest;  // of the targets and their frames
  double first, done;
} RvRunNote;

RvResult rv_scene_note_save(const char* folder, const RvRunNote* progress, RvError* error);
// *found is false if there is none, or a damaged one, which is told.
RvResult rv_scene_note_load(RvScene* scene, const char* folder, RvRunNote* out, bool* found, RvError* error);
// The frame at which a run that begins at `first` goes on; `base` is the manifest of its targets. Frames made with
// other parameters or files are an error that says which changed.
RvResult rv_scene_note_resume(RvScene* scene, const char* folder, const char* base, RvSceneNode* const* targets,
                              size_t count, double first, double* next, RvError* error);
void rv_scene_note_remove(const char* folder);

// Starts a solver from a state file or a checkpoint, whatever made it. The solver is the one of the list that the
// checkpoint names, or the only one.
RvResult rv_scene_checkpoint_start_from(RvScene* scene, const char* path, double frame, RvSceneNode* const* solvers,
                                        size_t count, RvError* error);

#endif
