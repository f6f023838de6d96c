// The files that a run writes. Each file has one writer and one frame; a journal in the checkpoint folder keeps size
// and checksum of every file, so that a resumed run finds those that are missing, cut or changed.
//
// The journal is a text: the line "rivulet outputs 1", then for each file
//   FRAME BYTES XXH3 NODE PATH<TAB>CHECK
// with the XXH3 of the line before the tab as CHECK. Lines are appended before the frame counts as done, so a crash can
// only lose the lines of a frame that is cooked again; a line that is cut fails its check. A later line of the same
// frame, node and path replaces an earlier one. The VDBs of a USD stage stand in a file beside it, which has a line of its
// own after the stage's; where the stage has none, BYTES is 0 and the file is nobody's. In PATH, "$OUT" stands for the output folder, and control characters, spaces
// and "%" are written as %XX.
#ifndef RV_SCENE_OUTPUTS_H
#define RV_SCENE_OUTPUTS_H

#include "scene/host.h"

// What the journal says about one file.
typedef struct RvOutputRecord {
  double frame;
  uint64_t bytes, hash;
  char* node;    // owned
  char* path;    // as in the journal; owned
  size_t order;  // of its line: later ones replace earlier ones
} RvOutputRecord;

// The outputs of a run.
struct RvOutputs {
  char* journal_path;
  int journal;                       // descriptor, for appending; -1: not open
  RV_ARRAY(RvOutputRecord) records;  // read from the journal, sorted by frame, node and order
  RvText lines;                      // of the frame at hand, not in the journal yet
};

typedef RV_ARRAY(double) RvFrameList;

// Fails if two nodes of the scene write the same file, if one of the targets writes several frames of a changing input
// to the same file, or if a target that writes has no whole frame to write.
RvResult rv_scene_outputs_check(RvScene* scene, RvSceneNode* const* targets, size_t count, double first, double last,
                                RvError* error);
// Opens the journal of a checkpoint folder. A fresh run begins a new one; a resumed run keeps the records of the frames
// up to `done`. scene->outputs is set; rv_scene_outputs_end it in any case.
RvResult rv_scene_outputs_begin(RvScene* scene, const char* folder, bool resume, double done, RvError* error);
// Records the files that a node wrote at a frame; `parms` is its evaluated struct, `detail` what it wrote. Does nothing
// without a journal.
RvResult rv_scene_outputs_wrote(RvScene* scene, const RvSceneNode* node, double frame, const void* parms,
                                const RvDetail* detail, RvError* error);
// Appends the records of the frame to the journal and flushes it to disk.
RvResult rv_scene_outputs_commit(RvScene* scene, RvError* error);
// Compares the files of the frames `first` to `last` with the journal, byte for byte. Frames with a file that is not
// what was written are added to `bad`; one warning counts them. *checked is the number of files.
RvResult rv_scene_outputs_verify(RvScene* scene, RvSceneNode* const* targets, size_t count, double first, double last,
                                 RvFrameList* bad, size_t* checked, RvError* error);
// Closes the journal.
void rv_scene_outputs_end(RvScene* scene);

#endif
