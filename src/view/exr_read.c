// OpenEXR files are read by the C interface of OpenEXR: latitude-longitude images of scan lines.
//
// OpenEXR 3.1 unpacks some files of half floats into channels that nobody asked for, without a look at where they
// should go. So every channel has a place: those of light a plane each, all others one plane that nobody reads.
#include <OpenEXR/openexr.h>
#include <string.h>

#include "base/foreign.h"
#include "base/memory.h"
#include "view/picture.h"

enum {
  RED = 0,
  GREY = 3,    // the plane of a picture without colours
  UNUSED = 4,  // the plane of channels that are not light
  PLANES = 5
};

// The rows of a chunk, decoded.
typedef struct Chunk {
  float* planes;       // PLANES x values
  size_t values;       // width x rows
  int width, rows;     // rows: at most, the last chunk may have fewer
  bool found[PLANES];  // in the file
} Chunk;

// OpenEXR must not print.
static void silent(exr_const_context_t context, exr_result_t code, const char* text) {
  (void)context;
  (void)code;
  (void)text;
}

// The plane of a channel.
static int plane_of(const exr_coding_channel_info_t* channel) {
  static const char* const names[] = {"R", "G", "B", "Y"};
  // a channel of fewer pixels than the picture is colour difference
  if (channel->x_samples != 1 || channel->y_samples != 1) return UNUSED;
  for (int k = RED; k <= GREY; ++k)
    if (strcmp(channel->channel_name, names[k]) == 0) return k;
  return UNUSED;
}

// Points every channel of a decoder at the rows of its plane.
static void aim_channels(exr_decode_pipeline_t* decoder, Chunk* chunk) {
  for (int c = 0; c < decoder->channel_count; ++c) {
    exr_coding_channel_info_t* channel = &decoder->channels[c];
    int plane = plane_of(channel);
    chunk->found[plane] = true;
    channel->decode_to_ptr = (uint8_t*)(chunk->planes + (size_t)plane * chunk->values);
    channel->user_pixel_stride = (int)sizeof(float);
    channel->user_line_stride = chunk->width * (int)sizeof(float);
    channel->user_bytes_per_element = sizeof(float);
    channel->user_data_type = EXR_PIXEL_FLOAT;
  }
}

// Copies the decoded rows of a chunk into the picture. A picture with any colour is not grey.
static void copy_rows(const Chunk* chunk, int rows, float* rgb) {
  bool colours = chunk->found[RED] || chunk->found[RED + 1] || chunk->found[RED + 2];
  size_t pixels = (size_t)chunk->width * (size_t)rows;
  for (int k = 0; k < 3; ++k) {
    int plane = colours ? RED + k : GREY;
    const float* from = chunk->planes + (size_t)plane * chunk->values;
    for (size_t i = 0; i < pixels && chunk->found[plane]; ++i) rgb[3 * i + (size_t)k] = from[i];
  }
}

// Reads the rows of the first part, whose first one has the number `first`.
static exr_result_t read_rows(exr_context_t context, Chunk* chunk, int height, int first, float* rgb) {
  exr_decode_pipeline_t decoder = EXR_DECODE_PIPELINE_INITIALIZER;
  exr_result_t code = EXR_ERR_SUCCESS;
  bool begun = false;
  for (int y = 0; y < height && !code; y += chunk->rows) {
    exr_chunk_info_t info;
    code = exr_read_scanline_chunk_info(context, 0, first + y, &info);
    if (code) break;
    code =
        begun ? exr_decoding_update(context, 0, &info, &decoder) : exr_decoding_initialize(context, 0, &info, &decoder);
    if (!code) aim_channels(&decoder, chunk);
    if (!code && !begun) code = exr_decoding_choose_default_routines(context, 0, &decoder);
    begun = true;
    if (!code) code = exr_decoding_run(context, 0, &decoder);
    int left = height - y;
    if (!code) copy_rows(chunk, left < chunk->rows ? left : chunk->rows, rgb + 3 * (size_t)chunk->width * (size_t)y);
  }
  exr_decoding_destroy(context, &decoder);
  return code;
}

// The bytes of a file that OpenEXR reads from.
typedef struct Bytes {
  const uint8_t* data;
  size_t count;
} Bytes;

static int64_t size_of(exr_const_context_t context, void* user) {
  (void)context;
  return (int64_t)((const Bytes*)user)->count;
}

// Copies bytes for OpenEXR; fewer than it asks for at the end of the file.
static int64_t read_bytes(exr_const_context_t context, void* user, void* to, uint64_t size, uint64_t offset,
                          exr_stream_error_func_ptr_t report) {
  const Bytes* bytes = user;
  (void)context;
  (void)report;
  if (offset >= bytes->count) return 0;
  if (size > bytes->count - offset) size = bytes->count - offset;
  memcpy(to, bytes->data + offset, size);
  return (int64_t)size;
}

// What the open file may take in one allocation, and whether one failed: OpenEXR says "out of memory" of damaged files
// too.
static _Thread_local size_t most_bytes;
static _Thread_local bool memory_failed;

// OpenEXR's memory is counted as ours, so that a memory limit holds for it.
static void* take_memory(size_t bytes) {
  if (bytes > most_bytes) return NULL;
  void* memory = rv_alloc(bytes, 1);
  memory_failed |= !memory;
  return memory;
}

// Why OpenEXR refused a picture.
static RvResult refuse(exr_result_t code, const char* name, RvError* error) {
  if (memory_failed) return rv_fail(error, RV_NO_MEMORY, "out of memory to read '%s'", name);
  if (code == EXR_ERR_FEATURE_NOT_IMPLEMENTED)
    return rv_fail(error, RV_UNSUPPORTED, "cannot read '%s': its compression is not supported; save it with ZIP or PIZ",
                   name);
  const char* reason = code == EXR_ERR_OUT_OF_MEMORY ? "it is damaged" : exr_get_default_error_message(code);
  return rv_fail(error, RV_BAD_FILE, "cannot read '%s': %s", name, reason);
}

// Finds the size of the first part, which must be one of scan lines.
static RvResult find_window(exr_context_t context, const char* name, exr_attr_box2i_t* window, RvError* error) {
  exr_storage_t storage;
  exr_result_t code = exr_get_storage(context, 0, &storage);
  if (!code) code = exr_get_data_window(context, 0, window);
  if (code) return refuse(code, name, error);
  if (storage == EXR_STORAGE_SCANLINE) return RV_OK;
  return rv_fail(error, RV_UNSUPPORTED, "'%s' is a tiled or deep .exr file: save it as scan lines", name);
}

// Reads the light of a part with this window into room for it.
static RvResult read_light(exr_context_t context, const char* name, const exr_attr_box2i_t* window, float* rgb,
                           RvError* error) {
  Chunk chunk = {.width = window->max.x - window->min.x + 1};
  int height = window->max.y - window->min.y + 1;
  int32_t rows = 0;
  exr_result_t code = exr_get_scanlines_per_chunk(context, 0, &rows);
  if (code || rows < 1) return refuse(code ? code : EXR_ERR_INVALID_ATTR, name, error);
  // A picture may be lower than a chunk, and its head must not ask for more than it has.
  chunk.rows = rows < height ? rows : height;
  chunk.values = (size_t)chunk.width * (size_t)chunk.rows;
  chunk.planes = rv_alloc_zero(chunk.values, PLANES * sizeof(float));
  if (!chunk.planes) return rv_fail(error, RV_NO_MEMORY, "out of memory to read '%s'", name);
  code = read_rows(context, &chunk, height, window->min.y, rgb);
  rv_free(chunk.planes);
  if (code) return refuse(code, name, error);
  for (int k = RED; k <= GREY; ++k)
    if (chunk.found[k]) return RV_OK;
  return rv_fail(error, RV_UNSUPPORTED,
                 "cannot read '%s': it has no channel R, G, B or Y; save it as a picture of one layer", name);
}

// Reads an open file of `count` bytes.
static RvResult read_open(exr_context_t context, const char* name, size_t count, int* width, int* height, float** rgb,
                          RvError* error) {
  exr_attr_box2i_t window;
  RvResult result = find_window(context, name, &window, error);
  if (result) return result;
  int64_t w = (int64_t)window.max.x - window.min.x + 1;
  int64_t h = (int64_t)window.max.y - window.min.y + 1;
  result = rv_view_picture_room(name, count, w, h, rgb, error);
  if (result) return result;
  *width = (int)w;
  *height = (int)h;
  result = read_light(context, name, &window, *rgb, error);
  if (!result) return RV_OK;
  rv_free(*rgb);
  *rgb = NULL;
  return result;
}

RvResult rv_view_decode_exr(const char* name, const void* bytes, size_t count, int* width, int* height, float** rgb,
                            RvError* error) {
  exr_context_t context = NULL;
  Bytes file = {bytes, count};
  exr_context_initializer_t settings = EXR_DEFAULT_CONTEXT_INITIALIZER;
  settings.error_handler_fn = silent;
  settings.user_data = &file;
  settings.read_fn = read_bytes;
  settings.size_fn = size_of;
  settings.alloc_fn = take_memory;
  settings.free_fn = rv_free;
  most_bytes = rv_view_picture_most_bytes(count);
  memory_failed = false;
  *rgb = NULL;
  rv_foreign_enter("OpenEXR");
  exr_result_t code = exr_start_read(&context, name, &settings);
  RvResult result = code ? refuse(code, name, error) : read_open(context, name, count, width, height, rgb, error);
  if (context) exr_finish(&context);
  rv_foreign_leave();
  return result;
}
