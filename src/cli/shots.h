// Where flipbook's pictures come from: a scene's outputs or a folder of caches, one list of details a frame.
#ifndef RV_CLI_SHOTS_H
#define RV_CLI_SHOTS_H

#include "cli/session.h"
#include "view/view.h"

enum { RV_SHOT_MAX_DETAILS = 64 };

// What is shown at one frame.
typedef struct RvShotFrame {
  RvDetail* details[RV_SHOT_MAX_DETAILS];
  size_t count;
} RvShotFrame;

typedef struct RvShotFile {
  char* path;
  double frame;
  bool still;  // no frame number: shown at every frame
} RvShotFile;

typedef struct RvShotSource {
  RvSession* session;  // a scene, or
  char* folder;        // a folder
  RvShotFile* files;
  size_t nfile;
  const char* outputs[RV_SHOT_MAX_DETAILS];  // scene: what is drawn
  char* output_text;
  size_t noutput;
  const char* camera;  // scene: the camera node, or NULL
  double first, last;
} RvShotSource;

// `nodes`: comma separated outputs, NULL for every node that nobody reads (and what writing nodes are given).
RvResult rv_cli_shots_from_scene(RvShotSource* source, RvSession* session, const char* nodes, RvError* error);
RvResult rv_cli_shots_from_folder(RvShotSource* source, const char* folder, RvError* error);
void rv_cli_shot_close(RvShotSource* source);

RvResult rv_cli_shot_frame(RvShotSource* source, double frame, RvShotFrame* out, RvError* error);
void rv_cli_shot_release(RvShotFrame* frame);

#endif
