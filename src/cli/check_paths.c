// Check paths: the bits of a shot do not depend on the number of workers, on the instruction set, nor on whether it was
// interrupted and gone on with by another. Strands of three lengths that do not fill their batches, curls, wind, a head
// that turns, contacts of all kinds.
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "cli/check_list.h"
#include "cli/scene_rig.h"

enum { LAST = 5, HALF = 3 };

static const char shot[] =
    "\"ball\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.1, \"rows\": 13, \"cols\": 18}},"
    "\"a\": {\"type\": \"groom\", \"inputs\": [\"ball\"], \"parms\": {\"count\": 45, \"length\": 0.12, \"points\": 17,"
    "  \"style\": \"curly\", \"curlradius\": 0.006, \"curlpitch\": 0.03}},"
    "\"b\": {\"type\": \"groom\", \"inputs\": [\"ball\"], \"parms\": {\"count\": 13, \"length\": 0.09, \"points\": 9,"
    "  \"seed\": 3}},"
    "\"all\": {\"type\": \"merge\", \"inputs\": [\"a\", \"b\"]},"
    "\"turn\": {\"type\": \"transform\", \"inputs\": [\"all\"], \"parms\": {\"ry\": {\"keys\": [[1, 0], [8, 120]],"
    "  \"interp\": \"smooth\", \"extend\": \"hold\"}}},"
    "\"nod\": {\"type\": \"transform\", \"inputs\": [\"ball\"], \"parms\": {\"ry\": {\"keys\": [[1, 0], [8, 120]],"
    "  \"interp\": \"smooth\", \"extend\": \"hold\"}}},"
    "\"head\": {\"type\": \"collider\", \"inputs\": [\"nod\"], \"parms\": {\"voxelsize\": 0.02}},"
    "\"s\": {\"type\": \"strandsolver\", \"inputs\": [\"turn\", \"head\"], \"parms\": {\"strandcollisions\": true,"
    "  \"inertiascale\": 0.7, \"rootfree\": 0.005, \"restmode\": \"natural\","
    "  \"wind\": [{\"wave\": {\"amplitude\": 2, \"frequency\": 3}}, 0, 1]}}";

// the hash of all bytes of the last state; frames up to HALF are taken from the checkpoints in `folder`, if given
static RvResult run(const char* folder, bool resume, int last, uint64_t* hash, int64_t* contacts, RvError* error) {
  RvSceneRig rig;
  RvResult result = rv_scene_rig_open(&rig, shot, error);
  if (result) return result;
  const RvDetail* state;
  RvRun def = {.node = "s", .first = 1, .last = last, .checkpoint_dir = folder, .resume = resume};
  if (folder) result = rv_scene_run(rig.scene, &def, error);
  if (!result) result = rv_scene_cook(rig.scene, "s:state", last, &state, error);
  if (!result) *hash = rv_detail_hash(state);
  if (!result && contacts) {
    const RvAttrib* links = rv_detail_find(state, RV_GLOBAL, "rv_links");
    const RvAttrib* touches = rv_detail_find(state, RV_GLOBAL, "rv_touches");
    *contacts = (links ? rv_attrib_size(links) : 0) + (touches ? rv_attrib_size(touches) : 0);
  }
  rv_scene_rig_close(&rig);
  return result;
}

static void remove_folder(const char* folder) {
  DIR* dir = opendir(folder);
  for (const struct dirent* e; dir && (e = readdir(dir));) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) remove(path);
  }
  if (dir) closedir(dir);
  rmdir(folder);
}

// frames 1 to HALF on one path and the rest on another
static RvResult cross(RvIsa first, RvIsa second, uint64_t* hash, RvError* error) {
  const char* base = getenv("TMPDIR");
  char folder[512];
  uint64_t half;
  snprintf(folder, sizeof folder, "%s/rivulet-check-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(folder)) return rv_fail(error, RV_BAD_FILE, "cannot make a folder '%s'; set TMPDIR", folder);
  rv_cpu_force(first);
  RvResult result = run(folder, false, HALF, &half, NULL, error);
  rv_cpu_force(second);
  if (!result) result = run(folder, true, LAST, hash, NULL, error);
  remove_folder(folder);
  return result;
}

static RvResult check_isa(const RvCheckOut* out, uint64_t expected, RvError* error) {
  static const char* const alone[RV_ISA_COUNT] = {"base", "avx2", "avx512"};
  static const char* const absent[RV_ISA_COUNT] = {"base_not_here", "avx2_not_on_this_machine",
                                                   "avx512_not_on_this_machine"};
  static const char* const resumed[RV_ISA_COUNT] = {"base_after_avx512", "avx2_after_base", "avx512_after_avx2"};
  static const char* const back[RV_ISA_COUNT] = {"", "", "avx2_after_avx512"};
  RvResult result = RV_OK;
  for (int isa = 0; isa < RV_ISA_COUNT && !result; ++isa) {
    uint64_t hash = 0;
    int before = (isa + RV_ISA_COUNT - 1) % RV_ISA_COUNT;
    if (!rv_cpu_force((RvIsa)isa)) {
      rv_check_emit(out, absent[isa], 0, 0, 0);
      continue;
    }
    result = run(NULL, false, LAST, &hash, NULL, error);
    if (!result) rv_check_emit(out, alone[isa], hash == expected, 1, 0);
    if (result || !rv_cpu_force((RvIsa)before)) continue;
    result = cross((RvIsa)before, (RvIsa)isa, &hash, error);
    if (!result) rv_check_emit(out, resumed[isa], hash == expected, 1, 0);
    if (result || isa != RV_ISA_AVX512) continue;
    result = cross(RV_ISA_AVX512, RV_ISA_AVX2, &hash, error);
    if (!result) rv_check_emit(out, back[isa], hash == expected, 1, 0);
  }
  return result;
}

RvResult rv_check_paths(const RvCheckOut* out, RvError* error) {
  static const struct {
    int workers;
    const char* name;
  } counts[] = {{1, "workers_1"}, {2, "workers_2"}, {3, "workers_3"}, {8, "workers_8"}, {16, "workers_16"}};
  uint64_t expected = 0, hash = 0;
  int64_t contacts = 0;
  int threads = rv_threads();
  RvIsa isa = rv_cpu_isa();
  RvResult result = run(NULL, false, LAST, &expected, &contacts, error);
  if (!result) rv_check_emit(out, "contacts_missing", contacts == 0, 0, 0);
  for (size_t i = 0; i < sizeof counts / sizeof *counts && !result; ++i) {
    rv_threads_set(counts[i].workers);
    result = run(NULL, false, LAST, &hash, NULL, error);
    if (!result) rv_check_emit(out, counts[i].name, hash == expected, 1, 0);
  }
  rv_threads_set(threads);
  if (!result) result = check_isa(out, expected, error);
  rv_cpu_force(isa == rv_cpu_isa() ? RV_ISA_COUNT : isa);
  return result;
}
