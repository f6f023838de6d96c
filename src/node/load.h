// Reading a frame's file, as the nodes file and filecache do.
#ifndef RV_NODE_LOAD_H
#define RV_NODE_LOAD_H

#include "rivulet/node.h"

#define RV_MISSING_MENU "error=Report Error|empty=No Geometry|hold=Hold Last Frame"
typedef enum RvMissing { RV_MISSING_ERROR, RV_MISSING_EMPTY, RV_MISSING_HOLD } RvMissing;

// The path at a frame, to be freed with rv_free; *path is NULL if it cannot be evaluated. RV_NO_MEMORY is the only
// error.
typedef RvResult RvPathFn(void* user, double frame, char** path, RvError* error);
// The path of the last frame before `frame` that has a file (rv_free it); *found is NULL if none has. `path` is that of
// `frame`.
RvResult rv_load_earlier(RvPathFn* path_at, void* user, const char* path, double frame, char** found, RvError* error);

// `offset`: where the path stands in the type's struct, to ask for it at earlier frames. The error names the parameter
// `file` and the path.
RvResult rv_load_frame(RvCook* cook, const char* path, RvMissing missing, size_t offset, RvDetail** out,
                       RvError* error);

#endif
