// Checkpoint files: one solver's state at one frame, protected by a hash of all bytes.
//
//   offset  bytes
//        0      8  "RVCHECK\n"
//        8      8  version, 2
//       16      8  frame, double
//       24      8  key: hash of the manifest
//       32      8  hash of the state (rv_state_hash)
//       40      8  T, bytes of the texts
//       48      8  P, bytes of the parts
//       56      T  node, type, stats and manifest, each ended by a zero byte
//     56+T      P  the parts of the state: of each its bytes (8; 0: the part is absent) and the part as .bgeo.sc
//   56+T+P      8  XXH3 (64 bits) of all bytes before
//
// Numbers are little-endian.
#ifndef RV_SCENE_CHECKPOINT_H
#define RV_SCENE_CHECKPOINT_H

#include "scene/host.h"

// A checkpoint in memory. A decoded one owns its members.
typedef struct RvCheckpoint {
  char* node;           // name of the solver
  char* type;           // its node type
  char* manifest;       // everything the state depends on
  double frame;         // of the state
  uint64_t key;         // hash of the manifest
  uint64_t state_hash;  // rv_state_hash of the state
  RvStats stats;        // counts and ledger of the frame; no times
  RvState state;
} RvCheckpoint;

// Encodes into new memory (free *bytes by rv_free). RV_UNSUPPORTED if the state has VDB primitives.
RvResult rv_scene_checkpoint_encode(const RvCheckpoint* checkpoint, void** bytes, size_t* count, RvError* error);
// Decodes and checks every byte; the error says what is wrong and at which offset. `name` appears in errors. On success
// the caller frees *out by rv_scene_checkpoint_free.
RvResult rv_scene_checkpoint_decode(const void* bytes, size_t count, const char* name, RvCheckpoint* out,
                                    RvError* error);
// True if the bytes begin with the signature of a checkpoint.
bool rv_scene_checkpoint_is(const void* bytes, size_t count);
// Reads and decodes a file.
RvResult rv_scene_checkpoint_read(const char* path, RvCheckpoint* out, RvError* error);
// Frees the members and clears the struct.
void rv_scene_checkpoint_free(RvCheckpoint* checkpoint);

//---------------------------------------------------------------------------------------------- resume.c

enum {
  RV_CHECKPOINT_KEEP = 3,    // newest frames whose checkpoints are kept
  RV_CHECKPOINT_EVERY = 24,  // of older frames every 24th from the start is kept, one a second at 24 fps
};
// Writes the entry's state into the scene's checkpoint folder and removes older checkpoints, except those kept by the
// rule above. The first checkpoint of a fresh run removes all of the former run, except the file from which this run is
// started.
RvResult rv_scene_checkpoint_keep(RvScene* scene, RvEntry* entry, RvError* error);
// "<folder>/<node>.<frame>.rvck"; the caller frees it by rv_free. NULL: out of memory.
char* rv_scene_checkpoint_path(const char* folder, const char* node, double frame);
// Makes the folder, locks it for one run (*lock is a file descriptor that the caller closes) and removes temporary
// files of dead processes. *lock is -1 where the file system has no locks; then nothing is removed. RV_BAD_INPUT if
// another run holds the lock.
RvResult rv_scene_checkpoint_open(const char* folder, int* lock, RvError* error);
// Removes temporary files of processes of this machine that no longer exist.
void rv_scene_checkpoint_sweep(const char* folder);
// Fails with RV_BAD_INPUT if a run up to `last` would overwrite the state file from which it is started.
RvResult rv_scene_checkpoint_guard(const RvScene* scene, const char* folder, RvSceneNode* const* solvers, size_t count,
                                   double last, RvError* error);
// Gives every solver its state of the newest frame up to `last` at which all of them have a valid checkpoint. *frame is
// that frame; *found is false if there is none. A checkpoint made with other parameters or files is an error that says
// what changed.
RvResult rv_scene_checkpoint_resume(RvScene* scene, const char* folder, RvSceneNode* const* solvers, size_t count,
                                    double last, bool* found, double* frame, RvError* error);

//---------------------------------------------------------------------------------------------- note.c

// The progress file of a run: which frames have all their files.
typedef struct RvRunNote {
  char* manifest;      // of the targets and their frames
  double first, done;  // first frame of the run, and last frame that is done
} RvRunNote;

// Writes the progress file into the folder.
RvResult rv_scene_note_save(const char* folder, const RvRunNote* progress, RvError* error);
// Reads the progress file; the caller frees out->manifest. *found is false if there is none or it is damaged, which
// gives a warning.
RvResult rv_scene_note_load(RvScene* scene, const char* folder, RvRunNote* out, bool* found, RvError* error);
// *next is the frame at which a run that begins at `first` continues, and *done the last finished frame (-INFINITY:
// none); `base` is the manifest of its targets. Frames made with other parameters or files are an error that says what
// changed.
RvResult rv_scene_note_resume(RvScene* scene, const char* folder, const char* base, RvSceneNode* const* targets,
                              size_t count, double first, double* next, double* done, RvError* error);
// Removes the progress file, if there is one.
void rv_scene_note_remove(const char* folder);

// Gives a solver its initial state at `frame` from a geometry file or a checkpoint, whatever parameters made it. The
// solver is the one that the checkpoint names, or the only one of the list.
RvResult rv_scene_checkpoint_start_from(RvScene* scene, const char* path, double frame, RvSceneNode* const* solvers,
                                        size_t count, RvError* error);

#endif
