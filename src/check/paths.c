// Checks paths and wet_paths: the bits of a shot do not depend on the number of workers, the instruction set, or on
// whether it was interrupted and resumed on another. The dry shot has strands of two lengths that do not fill their
// batches, curls, wind, a rotating head and contacts of all kinds; the wet one damp fur that liquid falls on.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/platform.h"
#include "check/list.h"
#include "rig/scene.h"

typedef struct Shot {
  const char* text;  // nodes of the scene; the solver is "s"
  const char* type;  // of the solver
  int half, last;    // frames: where it is interrupted; the last
} Shot;

static const char dry_shot[] =
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

// Every stage of the wet solver takes part: capture, film, bridges, drag, drops, absorption and drying.
static const char wet_shot[] =
    "\"b\": {\"type\": \"sphere\", \"parms\": {\"radius\": 0.03}},"
    "\"h\": {\"type\": \"groom\", \"inputs\": [\"b\"], \"parms\": {\"count\": 60, \"length\": 0.03, \"points\": 12}},"
    "\"d\": {\"type\": \"attribute\", \"inputs\": [\"h\"], \"parms\": {\"name\": \"filmheight\","
    "  \"value\": [0.0001, 0, 0, 0]}},"
    "\"turn\": {\"type\": \"transform\", \"inputs\": [\"d\"], \"parms\": {\"rz\": {\"keys\": [[1, 0], [5, 70]]}}},"
    "\"solid\": {\"type\": \"transform\", \"inputs\": [\"b\"], \"parms\": {\"rz\": {\"keys\": [[1, 0], [5, 70]]}}},"
    "\"c\": {\"type\": \"collider\", \"inputs\": [\"solid\"], \"parms\": {\"voxelsize\": 0.004}},"
    "\"w\": {\"type\": \"fill\", \"parms\": {\"size\": [0.05, 0.02, 0.05], \"t\": [0, 0.06, 0],"
    "  \"particlesep\": 0.004, \"v\": [0, -1, 0]}},"
    "\"spray\": {\"type\": \"source\", \"parms\": {\"rate\": 2e-5, \"vel\": [0, -1, 0], \"size\": [0.02, 0.004, 0.02],"
    "  \"t\": [0.01, 0.1, 0]}},"
    "\"s\": {\"type\": \"wetsolver\", \"inputs\": [\"turn\", \"w\", \"c\", \"spray\"], \"parms\": {\"walls\": true,"
    "  \"wallsmin\": [-0.1, -0.07, -0.1], \"wallsmax\": [0.1, 0.3, 0.1], \"drying\": 1e-6, \"transverse\": true}}";

static const Shot dry = {dry_shot, "strandsolver", 3, 5};
static const Shot wet = {wet_shot, "wetsolver", 2, 3};

// Hash of the state at frame `last`, and the number of contacts. With a folder the shot is run with
// checkpoints there; with `resume` it continues from them.
static RvResult run(const Shot* shot, const char* folder, bool resume, int last, uint64_t* hash, int64_t* contacts,
                    RvError* error) {
  RvSceneRig rig;
  RvResult result = rv_rig_scene_open(&rig, shot->text, error);
  if (result) return result;
  // Checkpoints are written by a run; without a folder the state is cooked directly.
  const RvDetail* state;
  RvRun def = {.node = "s", .first = 1, .last = last, .checkpoint_dir = folder, .resume = resume};
  if (folder) result = rv_scene_run(rig.scene, &def, error);
  if (!result) result = rv_scene_cook(rig.scene, "s:state", last, &state, error);
  if (!result) *hash = rv_node_state_hash(rv_node_find(shot->type), state);
  if (!result && contacts) {
    const RvAttrib* links = rv_detail_find(state, RV_GLOBAL, "rv_links");
    const RvAttrib* touches = rv_detail_find(state, RV_GLOBAL, "rv_touches");
    *contacts = (links ? rv_attrib_size(links) : 0) + (touches ? rv_attrib_size(touches) : 0);
  }
  rv_rig_scene_close(&rig);
  return result;
}

// Removes a folder of checkpoints.
static void remove_folder(const char* folder) {
  RvFolder* dir = rv_platform_folder_open(folder);
  for (const char* name = dir ? rv_platform_folder_next(dir) : NULL; name; name = rv_platform_folder_next(dir)) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) remove(path);
  }
  if (dir) rv_platform_folder_close(dir);
  rv_platform_remove_folder(folder);
}

// Hash of a shot whose frames up to `half` run on one instruction set and whose others resume on another.
static RvResult cross(const Shot* shot, RvIsa first, RvIsa second, uint64_t* hash, RvError* error) {
  char folder[512];
  uint64_t half;
  snprintf(folder, sizeof folder, "%s/rivulet-check-XXXXXX", rv_platform_temporary_place());
  if (!rv_platform_temporary_folder(folder))
    return rv_fail(error, RV_BAD_FILE,
                   "cannot create the folder '%s' for checkpoints; set TMPDIR to a folder that can be written", folder);
  rv_cpu_force(first);
  RvResult result = run(shot, folder, false, shot->half, &half, NULL, error);
  rv_cpu_force(second);
  if (!result) result = run(shot, folder, true, shot->last, hash, NULL, error);
  remove_folder(folder);
  return result;
}

// Every instruction set of the machine alone, and resumed from the one before it.
static RvResult check_isa(const Shot* shot, const RvCheckOut* out, uint64_t expected, RvError* error) {
  // Names of the lines, by instruction set.
  static const char* const alone[RV_ISA_COUNT] = {"base", "avx2", "avx512"};
  static const char* const absent[RV_ISA_COUNT] = {"base_not_here", "avx2_not_on_this_machine",
                                                   "avx512_not_on_this_machine"};
  static const char* const resumed[RV_ISA_COUNT] = {"base_after_avx512", "avx2_after_base", "avx512_after_avx2"};
  static const char* const resumed_back[RV_ISA_COUNT] = {"", "", "avx2_after_avx512"};
  RvResult result = RV_OK;
  for (int isa = 0; isa < RV_ISA_COUNT && !result; ++isa) {
    uint64_t hash = 0;
    int before = (isa + RV_ISA_COUNT - 1) % RV_ISA_COUNT;
    if (!rv_cpu_force((RvIsa)isa)) {
      rv_check_emit(out, absent[isa], 0, 0, 0);
      continue;
    }
    // Alone.
    result = run(shot, NULL, false, shot->last, &hash, NULL, error);
    if (!result) rv_check_emit(out, alone[isa], hash == expected, 1, 0);
    // Resumed after the one before it (the widest, for the first), where the machine has it.
    if (result || !rv_cpu_force((RvIsa)before)) continue;
    result = cross(shot, (RvIsa)before, (RvIsa)isa, &hash, error);
    if (!result) rv_check_emit(out, resumed[isa], hash == expected, 1, 0);
    if (result || isa != RV_ISA_AVX512) continue;
    result = cross(shot, RV_ISA_AVX512, RV_ISA_AVX2, &hash, error);
    if (!result) rv_check_emit(out, resumed_back[isa], hash == expected, 1, 0);
  }
  return result;
}

// The reference run has the machine's own settings, which are restored at the end.
static RvResult check_shot(const Shot* shot, const RvCheckOut* out, RvError* error) {
  static const struct {
    int workers;
    const char* name;
  } counts[] = {{1, "workers_1"}, {2, "workers_2"}, {3, "workers_3"}, {8, "workers_8"}, {16, "workers_16"}};
  uint64_t expected = 0, hash = 0;
  int64_t contacts = 0;
  // Settings that are restored at the end.
  int threads = rv_threads();
  RvIsa isa = rv_cpu_isa();
  RvResult result = run(shot, NULL, false, shot->last, &expected, &contacts, error);
  if (!result) rv_check_emit(out, "contacts_missing", contacts == 0, 0, 0);
  // More workers than cores, too.
  for (size_t i = 0; i < sizeof counts / sizeof *counts && !result; ++i) {
    rv_threads_set(counts[i].workers);
    result = run(shot, NULL, false, shot->last, &hash, NULL, error);
    if (!result) rv_check_emit(out, counts[i].name, hash == expected, 1, 0);
  }
  rv_threads_set(threads);
  if (!result) result = check_isa(shot, out, expected, error);
  rv_cpu_force(isa == rv_cpu_isa() ? RV_ISA_COUNT : isa);
  return result;
}

RvResult rv_check_paths(const RvCheckOut* out, RvError* error) {
  return check_shot(&dry, out, error);
}

RvResult rv_check_wet_paths(const RvCheckOut* out, RvError* error) {
  return check_shot(&wet, out, error);
}
