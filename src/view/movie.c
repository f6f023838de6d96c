// Movies: PNG files are sent to ffmpeg, which encodes them as H.264 in an MP4 file.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/platform.h"
#include "view/view.h"

enum {
  PNG_LIMIT = 1 << 30,  // bytes of one PNG file
  MESSAGE_LIMIT = 256   // characters of a line of ffmpeg's error output
};

static const double SLOWEST_RATE = 0.01;  // frames a second
static const double FASTEST_RATE = 1000;

bool rv_view_has_ffmpeg(void) {
  const char* path = getenv("PATH");
  if (!path || !*path) path = "/usr/local/bin:/usr/bin:/bin";
  bool found = false;
  while (*path && !found) {
    size_t n = strcspn(path, ":");
    char* name = rv_strf("%.*s/ffmpeg", (int)n, path);
    if (!name) return false;
    found = n > 0 && rv_platform_is_program(name);
    rv_free(name);
    path += n + (path[n] == ':');
  }
  return found;
}

// Sends all bytes; false when the reader has closed.
static bool send_all(int socket, const char* bytes, size_t count) {
  while (count > 0) {
    ptrdiff_t n = rv_platform_send(socket, bytes, count);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n;
    count -= (size_t)n;
  }
  return true;
}

// Sends the PNG files in order. *closed: ffmpeg stopped reading.
static RvResult send_pngs(int socket, const char* const* pngs, size_t count, bool* closed, RvError* error) {
  static const unsigned char magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  for (size_t i = 0; i < count && !*closed; ++i) {
    void* bytes = NULL;
    size_t size = 0;
    RvResult result = rv_file_read(pngs[i], PNG_LIMIT, &bytes, &size, error);
    if (result) return result;
    if (size < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
      result = rv_fail(error, RV_BAD_FILE, "'%s' is not a PNG picture", pngs[i]);
    else
      *closed = !send_all(socket, bytes, size);
    rv_free(bytes);
    if (result) return result;
  }
  return RV_OK;
}

// Waits for the process; true if it exited with status 0.
static bool wait_for_success(RvProcess process) {
  int code = 0;
  while (rv_platform_wait(&process, 1, &code) < 0)
    if (errno != EINTR) return false;
  return code == 0;
}

// Copies the last line of ffmpeg's error output.
static void last_message(FILE* messages, char* text, size_t size) {
  rewind(messages);
  char line[MESSAGE_LIMIT];
  snprintf(text, size, "it gave no reason");
  while (fgets(line, sizeof line, messages)) {
    line[strcspn(line, "\r\n")] = 0;
    if (line[0]) snprintf(text, size, "%s", line);
  }
}

// What one run of ffmpeg owns.
typedef struct Encoder {
  const char* path;  // of the movie, for messages
  char* rate;        // frames a second, as text
  char* target;      // output file as an ffmpeg URL
  FILE* messages;    // error output of ffmpeg
  int ends[2];       // channel: ffmpeg's input, our output; -1 when closed
  RvProcess process;
} Encoder;

// Makes the texts, the message file and the channel.
static RvResult encoder_open(Encoder* e, double fps, const char* temporary, RvError* error) {
  e->messages = tmpfile();
  e->rate = rv_strf("%.6f", fps);
  // "file:" keeps ffmpeg from reading a name with a colon as a protocol.
  e->target = rv_strf("file:%s", temporary);
  if (!e->rate || !e->target) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (!e->messages || !rv_platform_channel(e->ends))
    return rv_fail(error, rv_file_reason(errno), "cannot start ffmpeg for '%s': %s", e->path, strerror(errno));
  return RV_OK;
}

// Starts ffmpeg: PNG pictures on standard input; H.264 at constant quality (crf 16), padded to even sides, BT.709 video
// range, 4:2:0; the index at the head of the file, and no encoder version or date in it, so that equal pictures give
// equal files. No shell is involved, so no file name can act as a command.
static RvResult encoder_start(Encoder* e, RvError* error) {
  // clang-format off
  const char* arguments[] = {
      "ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-y",
      "-f", "image2pipe", "-c:v", "png", "-framerate", e->rate, "-i", "pipe:0",
      "-an", "-c:v", "libx264", "-preset", "medium", "-crf", "16",
      "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
      "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv",
      "-movflags", "+faststart", "-fflags", "+bitexact",
      "-f", "mp4", e->target, NULL};
  // clang-format on
  int status = rv_platform_start("ffmpeg", arguments, e->ends[0], RV_FILE_NONE, rv_platform_descriptor(e->messages),
                                 &e->process);
  if (status == ENOENT)
    return rv_fail(error, RV_NOT_FOUND,
                   "cannot write '%s': there is no ffmpeg on the PATH; install it (Debian: apt-get install ffmpeg) or "
                   "write PNG files to a folder",
                   e->path);
  if (status)
    return rv_fail(error, rv_file_reason(status), "cannot start ffmpeg for '%s': %s", e->path, strerror(status));
  return RV_OK;
}

// Closes one end of the channel.
static void encoder_close_end(Encoder* e, int end) {
  if (e->ends[end] >= 0) rv_platform_close(e->ends[end]);
  e->ends[end] = -1;
}

// Sends the pictures to the running ffmpeg and waits for it to finish the file.
static RvResult encoder_run(Encoder* e, const char* const* pngs, size_t count, RvError* error) {
  bool closed = false;
  encoder_close_end(e, 0);
  RvResult result = send_pngs(e->ends[1], pngs, count, &closed, error);
  encoder_close_end(e, 1);
  bool success = wait_for_success(e->process);
  if (result || (success && !closed)) return result;
  char text[MESSAGE_LIMIT];
  last_message(e->messages, text, sizeof text);
  return rv_fail(error, RV_IO, "ffmpeg could not write '%s': %s", e->path, text);
}

// Releases everything but the process, which has ended.
static void encoder_free(Encoder* e) {
  encoder_close_end(e, 0);
  encoder_close_end(e, 1);
  if (e->messages) fclose(e->messages);
  rv_free(e->rate);
  rv_free(e->target);
}

RvResult rv_view_write_mp4(const char* const* pngs, size_t count, double fps, const char* path, RvError* error) {
  if (count == 0) return rv_fail(error, RV_BAD_INPUT, "there are no pictures for the movie '%s'", path);
  if (!(fps >= SLOWEST_RATE && fps <= FASTEST_RATE))
    return rv_fail(error, RV_BAD_INPUT, "cannot write '%s': %g frames a second; a movie takes %g to %g", path, fps,
                   SLOWEST_RATE, FASTEST_RATE);
  char* temporary = NULL;
  RvResult result = rv_file_temporary(path, &temporary, NULL, error);
  if (result) return result;
  Encoder encoder = {.path = path, .ends = {-1, -1}};
  result = encoder_open(&encoder, fps, temporary, error);
  if (!result) result = encoder_start(&encoder, error);
  if (!result) result = encoder_run(&encoder, pngs, count, error);
  encoder_free(&encoder);
  if (!result) result = rv_file_rename(temporary, path, error);
  if (result) rv_platform_remove(temporary);
  rv_free(temporary);
  return result;
}
