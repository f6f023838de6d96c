// OpenEXR files: pictures with layers written, and latitude-longitude images read, by the C interface of OpenEXR.
#include <OpenEXR/openexr.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/foreign.h"
#include "base/memory.h"
#include "base/platform.h"
#include "view/picture.h"

enum { MAX_SIDE = 65536 };  // pixels a side of a file that is read

// A channel of a picture: its name in the file, and where its numbers are in RvImage.
typedef struct Channel {
  const char* name;
  const float* values;
  int stride;  // floats from pixel to pixel
} Channel;

// OpenEXR must not print.
static void silent(exr_const_context_t context, exr_result_t code, const char* text) {
  (void)context;
  (void)code;
  (void)text;
}

// Settings of OpenEXR's contexts.
static exr_context_initializer_t quiet(void) {
  exr_context_initializer_t c = EXR_DEFAULT_CONTEXT_INITIALIZER;
  c.error_handler_fn = silent;
  return c;
}

//---------------------------------------------------------------------------------------------- writing

// Lists the channels that the image has: the layers are those of compositing programs.
static int list_channels(const RvImage* m, Channel* out) {
  const Channel all[] = {{"R", m->rgb, 3},
                         {"G", m->rgb + 1, 3},
                         {"B", m->rgb + 2, 3},
                         {"A", m->alpha, 1},
                         {"Z", m->depth, 1},
                         {"N.X", m->normal, 3},
                         {"N.Y", m->normal ? m->normal + 1 : NULL, 3},
                         {"N.Z", m->normal ? m->normal + 2 : NULL, 3},
                         {"id.Y", m->id, 1},
                         {"wetness.Y", m->wetness, 1}};
  int count = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    if (all[i].values) out[count++] = all[i];
  return count;
}

// Points the channels of an encoder at the rows of the image.
static void aim_channels(exr_encode_pipeline_t* e, const Channel* list, int count, int width, int y) {
  for (int c = 0; c < e->channel_count; ++c)
    for (int k = 0; k < count; ++k) {
      if (strcmp(e->channels[c].channel_name, list[k].name) != 0) continue;
      e->channels[c].encode_from_ptr =
          (const uint8_t*)(list[k].values + (size_t)list[k].stride * (size_t)width * (size_t)y);
      e->channels[c].user_pixel_stride = list[k].stride * (int)sizeof(float);
      e->channels[c].user_line_stride = list[k].stride * width * (int)sizeof(float);
    }
}

// Writes the blocks of rows.
static exr_result_t write_rows(exr_context_t context, const RvImage* image, const Channel* list, int count) {
  exr_encode_pipeline_t encoder = EXR_ENCODE_PIPELINE_INITIALIZER;
  int32_t rows = 1;
  exr_result_t code = exr_get_scanlines_per_chunk(context, 0, &rows);
  bool begun = false;
  for (int y = 0; y < image->height && !code; y += rows) {
    exr_chunk_info_t chunk;
    code = exr_write_scanline_chunk_info(context, 0, y, &chunk);
    if (code) break;
    code = begun ? exr_encoding_update(context, 0, &chunk, &encoder)
                 : exr_encoding_initialize(context, 0, &chunk, &encoder);
    aim_channels(&encoder, list, count, image->width, y);
    if (!code && !begun) code = exr_encoding_choose_default_routines(context, 0, &encoder);
    begun = true;
    if (!code) code = exr_encoding_run(context, 0, &encoder);
  }
  exr_encoding_destroy(context, &encoder);
  return code;
}

// Writes the whole file under a name.
static exr_result_t write_file(const RvImage* image, const char* path) {
  Channel list[10];
  int count = list_channels(image, list), part = 0;
  exr_context_t context = NULL;
  exr_context_initializer_t settings = quiet();
  exr_result_t code = exr_start_write(&context, path, EXR_WRITE_FILE_DIRECTLY, &settings);
  if (!code) code = exr_add_part(context, "beauty", EXR_STORAGE_SCANLINE, &part);
  if (!code)
    code = exr_initialize_required_attr_simple(context, part, image->width, image->height, EXR_COMPRESSION_ZIP);
  for (int k = 0; k < count && !code; ++k)
    code = exr_add_channel(context, part, list[k].name, EXR_PIXEL_FLOAT, EXR_PERCEPTUALLY_LINEAR, 1, 1);
  if (!code) code = exr_write_header(context);
  if (!code) code = write_rows(context, image, list, count);
  exr_result_t closed = context ? exr_finish(&context) : EXR_ERR_SUCCESS;
  return code ? code : closed;
}

RvResult rv_view_write_exr(const RvImage* image, const char* path, RvError* error) {
  if (!image->rgb || image->width < 1 || image->height < 1)
    return rv_fail(error, RV_BAD_INPUT, "there is no picture to write to '%s'", path);
  char* temporary = NULL;
  RvResult result = rv_file_temporary(path, &temporary, NULL, error);
  if (result) return result;
  rv_foreign_enter("OpenEXR");
  exr_result_t code = write_file(image, temporary);
  rv_foreign_leave();
  if (code) {
    rv_platform_remove(temporary);
    result = code == EXR_ERR_OUT_OF_MEMORY
                 ? rv_fail(error, RV_NO_MEMORY, "out of memory to write '%s'", path)
                 : rv_fail(error, RV_IO, "cannot write '%s': %s", path, exr_get_default_error_message(code));
  } else {
    result = rv_file_rename(temporary, path, error);
  }
  rv_free(temporary);
  return result;
}

//---------------------------------------------------------------------------------------------- reading

// Component of a channel's name: 0 to 2 for red, green and blue; 3 for a grey image; -1 for any other.
static int component_of(const char* name) {
  static const char* const names[] = {"R", "G", "B", "Y"};
  for (int k = 0; k < 4; ++k)
    if (strcmp(name, names[k]) == 0) return k;
  return -1;
}

// Reads the rows of the first part.
static exr_result_t read_rows(exr_context_t context, int width, int height, int first, float* rgb, bool* grey) {
  exr_decode_pipeline_t decoder = EXR_DECODE_PIPELINE_INITIALIZER;
  int32_t rows = 1;
  exr_result_t code = exr_get_scanlines_per_chunk(context, 0, &rows);
  bool begun = false;
  for (int y = 0; y < height && !code; y += rows) {
    exr_chunk_info_t chunk;
    code = exr_read_scanline_chunk_info(context, 0, first + y, &chunk);
    if (code) break;
    code = begun ? exr_decoding_update(context, 0, &chunk, &decoder)
                 : exr_decoding_initialize(context, 0, &chunk, &decoder);
    for (int c = 0; !code && c < decoder.channel_count; ++c) {
      exr_coding_channel_info_t* channel = &decoder.channels[c];
      int k = component_of(channel->channel_name);
      channel->decode_to_ptr = NULL;
      if (k < 0 || channel->x_samples != 1 || channel->y_samples != 1) continue;
      *grey |= k == 3;
      channel->decode_to_ptr = (uint8_t*)(rgb + 3 * (size_t)width * (size_t)y + (k == 3 ? 0 : k));
      channel->user_pixel_stride = 3 * (int)sizeof(float);
      channel->user_line_stride = 3 * width * (int)sizeof(float);
      channel->user_bytes_per_element = sizeof(float);
      channel->user_data_type = EXR_PIXEL_FLOAT;
    }
    if (!code && !begun) code = exr_decoding_choose_default_routines(context, 0, &decoder);
    begun = true;
    if (!code) code = exr_decoding_run(context, 0, &decoder);
  }
  exr_decoding_destroy(context, &decoder);
  return code;
}

// Reads an open file.
static RvResult read_open(exr_context_t context, const char* path, int* width, int* height, float** rgb,
                          RvError* error) {
  exr_storage_t storage;
  exr_attr_box2i_t window;
  exr_result_t code = exr_get_storage(context, 0, &storage);
  if (!code) code = exr_get_data_window(context, 0, &window);
  if (!code && storage != EXR_STORAGE_SCANLINE)
    return rv_fail(error, RV_UNSUPPORTED, "'%s' is a tiled or deep .exr file: save it as scan lines", path);
  int64_t w = code ? 0 : (int64_t)window.max.x - window.min.x + 1,
          h = code ? 0 : (int64_t)window.max.y - window.min.y + 1;
  if (code || w < 1 || h < 1 || w > MAX_SIDE || h > MAX_SIDE)
    return rv_fail(error, RV_BAD_INPUT, "'%s' is not a readable .exr picture", path);
  *width = (int)w;
  *height = (int)h;
  *rgb = rv_alloc_zero((size_t)w * (size_t)h, 3 * sizeof(float));
  if (!*rgb) return rv_fail(error, RV_NO_MEMORY, "out of memory to read '%s'", path);
  bool grey = false;
  code = read_rows(context, *width, *height, window.min.y, *rgb, &grey);
  for (size_t i = 0; grey && i < (size_t)w * (size_t)h; ++i) {
    (*rgb)[3 * i + 1] = (*rgb)[3 * i];
    (*rgb)[3 * i + 2] = (*rgb)[3 * i];
  }
  if (!code) return RV_OK;
  rv_free(*rgb);
  *rgb = NULL;
  return rv_fail(error, RV_BAD_INPUT, "cannot read '%s': %s", path, exr_get_default_error_message(code));
}

RvResult rv_view_read_exr(const char* path, int* width, int* height, float** rgb, RvError* error) {
  exr_context_t context = NULL;
  exr_context_initializer_t settings = quiet();
  rv_foreign_enter("OpenEXR");
  exr_result_t code = exr_start_read(&context, path, &settings);
  RvResult result =
      code ? rv_fail(error, RV_BAD_INPUT, "cannot read '%s': %s", path, exr_get_default_error_message(code))
           : read_open(context, path, width, height, rgb, error);
  if (context) exr_finish(&context);
  rv_foreign_leave();
  return result;
}
