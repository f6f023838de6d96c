// Pictures in files: readers and writers by format.
#ifndef RV_VIEW_PICTURE_H
#define RV_VIEW_PICTURE_H

#include "view/view.h"

// Each decodes the bytes of a file, whose name is for errors, into linear light: width x height x 3 floats that the
// caller frees by rv_free.
RvResult rv_view_decode_exr(const char* name, const void* bytes, size_t count, int* width, int* height, float** rgb,
                            RvError* error);
RvResult rv_view_decode_png(const char* name, const void* bytes, size_t count, int* width, int* height, float** rgb,
                            RvError* error);
RvResult rv_view_decode_hdr(const char* name, const void* bytes, size_t count, int* width, int* height, float** rgb,
                            RvError* error);
// The sRGB bytes of a .png picture, width x height x 3, which the caller frees by rv_free.
RvResult rv_view_decode_srgb(const char* name, const void* bytes, size_t count, int* width, int* height, uint8_t** srgb,
                             RvError* error);
// Bytes that a library may take at once to read a file of `count` bytes.
size_t rv_view_picture_most_bytes(size_t count);
// Room for the light of a picture, black, unless the file of `count` bytes can hardly have so many pixels: a damaged
// head must not ask for the memory of the machine.
RvResult rv_view_picture_room(const char* name, size_t count, int64_t width, int64_t height, float** rgb,
                              RvError* error);

// Whether a message of libpng tells of a lack of memory: it and zlib tell so in words only.
bool rv_view_png_lacks_memory(const char* message);

#endif
