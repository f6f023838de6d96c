// Where flipbook's pictures come from: a scene's outputs or a folder of caches, one list of details a frame.
#ifndef RV_CLI_FILM_H
#define RV_CLI_FILM_H

#include "cli/session.h"
#include "view/view.h"

enum { RV_FILM_MAX_DETAILS = 64 };

// What is shown at one frame.
typedef struct RvFilmFrame {
  RvDetail* details[RV_FILM_MAX_DETAILS];
  size_t count;
} RvFilmFrame;

typedef struct RvFilmFile {
  char* path;
  double frame;
  bool still;  // no frame number: shown at every frame
} RvFilmFile;

typedef struct RvFilmSource {
  RvSession* session;  // a scene, or
  char* folder;        // a folder
  RvFilmFile* files;
  size_t nfile;
  const char* outputs[RV_FILM_MAX_DETAILS];  // scene: what is drawn
  char* output_text;
  size_t noutput;
  const char* camera;  // scene: the camera node, or NULL
  double first, last;
} RvFilmSource;

// `nodes`: comma separated outputs, NULL for every node that nobody reads (and what writing nodes are given).
RvResult rv_film_from_scene(RvFilmSource* source, RvSession* session, const char* nodes, RvError* error);
RvResult rv_film_from_folder(RvFilmSource* source, const char* folder, RvError* error);
void rv_film_close(RvFilmSource* source);

RvResult rv_film_frame(RvFilmSource* source, double frame, RvFilmFrame* out, RvError* error);
void rv_film_release(RvFilmFrame* frame);

#endif
