// Runs every file of the folders given through a fuzz target. A folder that is not there counts as empty. With
// RV_BLIND_SECONDS it then fuzzes blindly for so long (blind.h), from the seed RV_BLIND_SEED.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "fuzz/blind.h"
#include "support/sanitized.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static int replay(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) return 0;
  if (fseek(file, 0, SEEK_END) != 0) {
    fclose(file);
    return 0;
  }
  long size = ftell(file);
  rewind(file);
  // memory of just that size, so that a sanitizer sees a read past the end
  uint8_t* data = size >= 0 ? malloc(size ? (size_t)size : 1) : NULL;
  int done = data && fread(data, 1, (size_t)size, file) == (size_t)size;
  fclose(file);
  if (done) LLVMFuzzerTestOneInput(data, (size_t)size);
  if (done) done = blind_add(data, (size_t)size);
  free(data);
  return done;
}

int main(int argc, char** argv) {
  int count = 0;
#ifndef SANITIZED
  // an input that wants more than this fails here and not on the machine of a user
  const struct rlimit limit = {(rlim_t)4 << 30, (rlim_t)4 << 30};
  if (setrlimit(RLIMIT_AS, &limit)) return 1;
#endif
  for (int i = 1; i < argc; ++i) {
    DIR* dir = opendir(argv[i]);
    if (!dir) continue;
    for (struct dirent* entry; (entry = readdir(dir));) {
      char path[4096];
      if (entry->d_name[0] == '.') continue;
      snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
      if (!replay(path)) {
        fprintf(stderr, "cannot read %s\n", path);
        closedir(dir);
        return 1;
      }
      ++count;
    }
    closedir(dir);
  }
  printf("%d inputs\n", count);
  const char *seconds = getenv("RV_BLIND_SECONDS"), *seed = getenv("RV_BLIND_SEED");
  printf("%lu changed ones\n", blind_run(seconds ? atof(seconds) : 0, seed ? (unsigned)atol(seed) : 0));
  // a corpus that went missing must not look like a pass
  return count == 0;
}
