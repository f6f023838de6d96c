// Pictures in files: readers and writers by format.
#ifndef RV_VIEW_PICTURE_H
#define RV_VIEW_PICTURE_H

#include "view/view.h"

// Each gives linear light, width x height x 3 floats that the caller frees by rv_free.
RvResult rv_view_read_exr(const char* path, int* width, int* height, float** rgb, RvError* error);
RvResult rv_view_read_png(const char* path, int* width, int* height, float** rgb, RvError* error);
RvResult rv_view_read_hdr(const char* path, int* width, int* height, float** rgb, RvError* error);

#endif
