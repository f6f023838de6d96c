// Pictures of domes: .exr, .png and .hdr, told apart by their first bytes. Whatever decodes has the room that it says.
#include <string.h>

#include "fuzz/decode.h"
#include "view/picture.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static const uint8_t EXR_MAGIC[] = {0x76, 0x2f, 0x31, 0x01};

static bool begins_with(const uint8_t* data, size_t size, const void* magic, size_t length) {
  return size >= length && memcmp(data, magic, length) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  RvError error = {0};
  int width = 0, height = 0;
  float* rgb = NULL;
  RvResult result;
  if (begins_with(data, size, EXR_MAGIC, sizeof EXR_MAGIC))
    result = rv_view_decode_exr("fuzz.exr", data, size, &width, &height, &rgb, &error);
  else if (begins_with(data, size, "#?", 2))
    result = rv_view_decode_hdr("fuzz.hdr", data, size, &width, &height, &rgb, &error);
  else
    result = rv_view_decode_png("fuzz.png", data, size, &width, &height, &rgb, &error);
  if (result) {
    bool foreseen = result == RV_BAD_FILE || result == RV_UNSUPPORTED;
    fuzz_require(foreseen && strstr(error.text, "fuzz.") && !rgb, rv_result_name(result), error.text);
    return 0;
  }
  // the sanitizer looks at the first and the last value
  volatile float ends = rgb[0] + rgb[3 * (size_t)width * (size_t)height - 1];
  (void)ends;
  rv_free(rgb);
  return 0;
}
