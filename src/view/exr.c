// OpenEXR files are written by the C interface of OpenEXR: pictures with layers.
#include <OpenEXR/openexr.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/foreign.h"
#include "base/memory.h"
#include "base/platform.h"
#include "view/picture.h"

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
