// Source of the frames of a flipbook: the outputs of a scene, or a folder of caches; a list of details for each frame.
#ifndef RV_CLI_SHOTS_H
#define RV_CLI_SHOTS_H

#include "cli/session.h"
#include "view/view.h"

enum { RV_SHOT_MAX_DETAILS = 64 };

// Geometry of one frame.
typedef struct RvShotFrame {
  RvDetail* details[RV_SHOT_MAX_DETAILS];
  size_t count;
} RvShotFrame;

typedef struct RvShotFile {
  char* path;
  double frame;
  bool still;  // without a frame number: drawn in every frame
} RvShotFile;

typedef struct RvShotSource {
  RvSession* session;  // scene; NULL: a folder
  char* folder;        // folder; NULL: a scene
  RvShotFile* files;   // of the folder, by name
  size_t nfile;
  const char* outputs[RV_SHOT_MAX_DETAILS];  // scene: nodes that are drawn
  char* output_text;                         // memory of their names
  size_t noutput;
  RvLog log;           // of the readers of files
  const char* camera;  // scene: the first camera node, or NULL
  double first, last;  // frames
} RvShotSource;

// nodes: comma separated names of the outputs; NULL: every node whose output no other node reads.
RvResult rv_cli_shots_from_scene(RvShotSource* source, RvSession* session, const char* nodes, RvError* error);
RvResult rv_cli_shots_from_folder(RvShotSource* source, const char* folder, RvError* error);
void rv_cli_shot_close(RvShotSource* source);

RvResult rv_cli_shot_frame(RvShotSource* source, double frame, RvShotFrame* out, RvError* error);
void rv_cli_shot_release(RvShotFrame* frame);

#endif
