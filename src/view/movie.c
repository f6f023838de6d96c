#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "view/view.h"

extern char** environ;

enum { PNG_LIMIT = 1 << 30 };

bool rv_view_has_ffmpeg(void) {
  const char* path = getenv("PATH");
  if (!path || !*path) path = "/usr/local/bin:/usr/bin:/bin";
  bool found = false;
  while (*path && !found) {
    size_t n = strcspn(path, ":");
    char* name = rv_strf("%.*s/ffmpeg", (int)n, path);
    if (!name) return false;
    found = n > 0 && access(name, X_OK) == 0;
    rv_free(name);
    path += n + (path[n] == ':');
  }
  return found;
}

// ffmpeg with its input from `input` and its complaints to `complaints`; no shell, so no name can be a
// command
static int start(const char* const* arguments, int input, int complaints, pid_t* pid) {
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
  int status = posix_spawn_file_actions_adddup2(&actions, input, 0);
  if (!status) status = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  if (!status) status = posix_spawn_file_actions_adddup2(&actions, complaints, 2);
  if (!status) status = posix_spawnp(pid, "ffmpeg", &actions, NULL, (char* const*)arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return status;
}

// all bytes, or false when the other end is gone; a socket, unlike a pipe, tells so without a signal
static bool send_all(int socket, const char* bytes, size_t count) {
  while (count > 0) {
    ssize_t n = send(socket, bytes, count, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n;
    count -= (size_t)n;
  }
  return true;
}

static RvResult feed(int socket, const char* const* pngs, size_t count, bool* gone, RvError* error) {
  static const unsigned char magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  for (size_t i = 0; i < count && !*gone; ++i) {
    void* bytes = NULL;
    size_t size = 0;
    RvResult result = rv_file_read(pngs[i], PNG_LIMIT, &bytes, &size, error);
    if (result) return result;
    if (size < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
      result = rv_fail(error, RV_BAD_FILE, "'%s' is not a PNG picture", pngs[i]);
    else
      *gone = !send_all(socket, bytes, size);
    rv_free(bytes);
    if (result) return result;
  }
  return RV_OK;
}

// waits for the process; true if it ended well
static bool finish(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// the last line ffmpeg wrote
static void last_words(FILE* complaints, char* text, size_t size) {
  rewind(complaints);
  char line[256];
  snprintf(text, size, "it gave no reason");
  while (fgets(line, sizeof line, complaints)) {
    line[strcspn(line, "\r\n")] = 0;
    if (line[0]) snprintf(text, size, "%s", line);
  }
}

static RvResult encode(const char* const* pngs, size_t count, double fps, const char* path, const char* temporary,
                       RvError* error) {
  RvResult result = RV_OK;
  int ends[2] = {-1, -1};
  FILE* complaints = tmpfile();
  // "file:" so that a name with a colon is not taken for a protocol
  char *rate = rv_strf("%.6f", fps), *target = rv_strf("file:%s", temporary);
  if (!rate || !target) {
    result = rv_fail(error, RV_NO_MEMORY, "out of memory");
    goto done;
  }
  if (!complaints || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    result = rv_fail(error, RV_IO, "cannot start ffmpeg for '%s': %s", path, strerror(errno));
    goto done;
  }
  const char* arguments[] = {"ffmpeg",
                             "-hide_banner",
                             "-loglevel",
                             "error",
                             "-nostdin",
                             "-y",
                             "-f",
                             "image2pipe",
                             "-c:v",
                             "png",
                             "-framerate",
                             rate,
                             "-i",
                             "pipe:0",
                             "-an",
                             "-c:v",
                             "libx264",
                             "-preset",
                             "medium",
                             "-crf",
                             "16",
                             "-vf",
                             "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
                             "-colorspace",
                             "bt709",
                             "-color_primaries",
                             "bt709",
                             "-color_trc",
                             "bt709",
                             "-color_range",
                             "tv",
                             "-movflags",
                             "+faststart",
                             "-fflags",
                             "+bitexact",
                             "-f",
                             "mp4",
                             target,
                             NULL};
  pid_t pid = 0;
  int status = start(arguments, ends[0], fileno(complaints), &pid);
  if (status) {
    result = status == ENOENT ? rv_fail(error, RV_NOT_FOUND,
                                        "cannot write '%s': there is no ffmpeg on the PATH; install it (Debian: "
                                        "apt-get install ffmpeg) or write PNG files to a folder",
                                        path)
                              : rv_fail(error, RV_IO, "cannot start ffmpeg for '%s': %s", path, strerror(status));
    goto done;
  }
  close(ends[0]);
  ends[0] = -1;
  bool gone = false;
  result = feed(ends[1], pngs, count, &gone, error);
  close(ends[1]);
  ends[1] = -1;
  bool well = finish(pid);
  if (!result && (gone || !well)) {
    char text[256];
    last_words(complaints, text, sizeof text);
    result = rv_fail(error, RV_IO, "ffmpeg could not write '%s': %s", path, text);
  }
done:
  if (ends[0] >= 0) close(ends[0]);
  if (ends[1] >= 0) close(ends[1]);
  if (complaints) fclose(complaints);
  rv_free(rate);
  rv_free(target);
  return result;
}

RvResult rv_view_write_mp4(const char* const* pngs, size_t count, double fps, const char* path, RvError* error) {
  if (count == 0) return rv_fail(error, RV_BAD_INPUT, "there are no pictures to make '%s' of", path);
  if (!(fps >= 0.01 && fps <= 1000))
    return rv_fail(error, RV_BAD_INPUT, "cannot write '%s': %g frames a second; it takes 0.01 to 1000", path, fps);
  char* temporary = NULL;
  RvResult result = rv_file_temporary(path, &temporary, error);
  if (result) return result;
  result = encode(pngs, count, fps, path, temporary, error);
  if (!result) result = rv_file_rename(temporary, path, error);
  if (result) unlink(temporary);
  rv_free(temporary);
  return result;
}
