// File cache: writes its input, one file a frame, or reads those files.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/platform.h"
#include "geo/compact.h"
#include "geo/io_usda.h"
#include "geo/text.h"
#include "node/define.h"
#include "node/load.h"
#include "rivulet/state.h"

#define FILECACHE_PARMS(X)                                                                                             \
  X(FILE, file, "Geometry File", "$OUT/$OS.$F4.bgeo.sc",                                                               \
    "A .geo, .bgeo, .bgeo.sc, .vdb, .vtp or .usda file. $F4 stands for the frame number.")                             \
  X(TOGGLE, loadfromdisk, "Load from Disk", 0,                                                                         \
    "Reads the files instead of writing them. The input is then not cooked.")                                          \
  X(MENU, missingframe, "Missing Frame", 0, RV_MISSING_MENU,                                                           \
    "Result of a frame without a file: an error, no geometry, or the last earlier frame that exists.",                 \
    WHEN("{ loadfromdisk == 0 }"))                                                                                     \
  X(TOGGLE, half, "Write 16-Bit VDBs", 0,                                                                              \
    "Stores the floats of .vdb files in 16 bits: half the size, 3 significant digits.", WHEN("{ loadfromdisk == 1 }"), \
    ADVANCED)                                                                                                          \
  X(MENU, usdcurves, "USD Curves", 0, "linear=Straight|catmullrom=Catmull-Rom|bspline=B-Spline",                       \
    "How renderers join the points of strands in .usda files: by straight lines, by smooth curves through all points " \
    "(Catmull-Rom), or by smoother curves near them (B-Spline).",                                                      \
    WHEN("{ loadfromdisk == 1 }"), ADVANCED)                                                                           \
  X(MENU, usdmesh, "USD Mesh", 0, "skin=Skin|liquid=Liquid",                                                           \
    "Preview material of closed polygons in .usda files: skin, or the surface of a liquid.",                           \
    WHEN("{ loadfromdisk == 1 }"), ADVANCED)                                                                           \
  X(TOGGLE, keepstate, "Keep State", 1,                                                                                \
    "Also writes the private attributes of the solvers (rv_), from which a simulation can resume. Turn it off for "    \
    "smaller files.",                                                                                                  \
    WHEN("{ loadfromdisk == 1 }"), ADVANCED)                                                                           \
  X(TOGGLE, compact, "Compact", 0,                                                                                     \
    "Writes only what a renderer reads, about a third of the size: v, width, film, wetness and colours in 16 bits, "   \
    "and "                                                                                                             \
    "no rest, orient, curveu or private attributes. Such files cannot be simulated or transferred further.",           \
    WHEN("{ loadfromdisk == 1 }"))                                                                                     \
  X(TOGGLE, verify, "Verify", 0, "Reads every .geo, .bgeo or .bgeo.sc file back and compares it bit by bit.",          \
    WHEN("{ loadfromdisk == 1 }"), ADVANCED)
RV_PARM_TABLE(FilecacheParms, filecache_table, FILECACHE_PARMS)

static const RvPortDef filecache_inputs[] = {{"geometry", "Geometry", "Geometry to write.", false}};
static const RvPortDef filecache_outputs[] = {
    {"geometry", "Geometry", "The input, or the contents of the file.", false}};

//---------------------------------------------------------------------------------------------- writing

// Writes the VDBs in 16 bits, which only their own writer supports.
static RvResult write_half(const RvDetail* detail, const char* path, RvError* error) {
  size_t nprim = rv_detail_count(detail, RV_PRIM), count = 0;
  RvGrid** grids = rv_alloc(nprim, sizeof *grids);
  if (!grids) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu grids", nprim);
  for (size_t i = 0; i < nprim; ++i)
    if (rv_detail_prim_grid(detail, i)) grids[count++] = rv_detail_prim_grid(detail, i);
  RvResult r = rv_grid_write_file(path, grids, count, true, error);
  rv_free(grids);
  return r;
}

// True if the geometry has VDBs only.
static bool only_grids(const RvDetail* detail) {
  if (rv_detail_count(detail, RV_POINT) || !rv_detail_count(detail, RV_PRIM)) return false;
  for (size_t i = 0; i < rv_detail_count(detail, RV_PRIM); ++i)
    if (!rv_detail_prim_grid(detail, i)) return false;
  return true;
}

// detail_at of a sequence of one frame: `user` is the detail.
static RvResult only_detail(void* user, size_t index, const RvDetail** out, RvError* error) {
  (void)index;
  (void)error;
  *out = user;
  return RV_OK;
}

// Writes a USD stage of this frame, at its time code and in the units of the scene.
static RvResult write_usda(RvCook* cook, const RvDetail* detail, const char* path, RvError* error) {
  const FilecacheParms* p = cook->parms;
  RvLog log = rv_cook_log(cook);
  RvUsdaSequence sequence = {.count = 1,
                             .frames = &cook->time.frame,
                             .fps = cook->time.fps,
                             .meters_per_unit = cook->time.meters_per_unit,
                             .basis = (RvUsdaBasis)p->usdcurves,
                             .liquid_mesh = p->usdmesh == 1,
                             .user = (void*)(uintptr_t)detail,
                             .detail_at = only_detail};
  return rv_usda_write_sequence(&sequence, path, &log, error);
}

// Writes the geometry in the format of the name.
static RvResult write_file(RvCook* cook, const RvDetail* detail, const char* path, RvError* error) {
  const FilecacheParms* p = cook->parms;
  RvLog log = rv_cook_log(cook);
  if (rv_text_ends(path, ".usda")) return write_usda(cook, detail, path, error);
  // Only a .vdb of VDBs alone has 16-bit floats.
  if (!p->half || !rv_text_ends(path, ".vdb")) return rv_detail_save(detail, path, &log, error);
  if (only_grids(detail)) return write_half(detail, path, error);
  rv_cook_warn(cook, "half: the geometry is more than VDBs, so it is written in 32 bits");
  return rv_detail_save(detail, path, &log, error);
}

// Checks that the file exists and is not empty; with verify, that it reads back the same.
static RvResult check_file(RvCook* cook, const RvDetail* detail, const char* path, RvError* error) {
  const FilecacheParms* p = cook->parms;
  RvFileInfo info;
  // A full disk or a broken share may lose a file that was written without an error.
  if (!rv_platform_info(path, &info))
    return rv_fail(error, rv_file_reason(errno), "%s was written but does not exist: %s", path, strerror(errno));
  if (!info.bytes) return rv_fail(error, RV_IO, "%s was written, but is empty: the disk may be full", path);
  if (!p->verify || !(rv_text_ends(path, ".geo") || rv_text_ends(path, ".bgeo") || rv_text_ends(path, ".bgeo.sc")))
    return RV_OK;
  // The lossless formats are compared, as far as they keep everything.
  if (rv_detail_find_vdb(detail, NULL)) {
    rv_cook_warn(cook, "verify: VDBs are not kept in %s, so it was not compared", path);
    return RV_OK;
  }
  // Read back.
  RvDetail* loaded = NULL;
  RvResult r = rv_detail_load(path, &loaded, NULL, error);
  if (r != RV_OK) return rv_error_context(error, "verify");
  uint64_t read_back = rv_detail_hash(loaded), written = rv_detail_hash(detail);
  if (!read_back || !written)
    r = rv_fail(error, RV_NO_MEMORY, "verify: out of memory to compare %s", path);
  else if (read_back != written)
    r = rv_fail(error, RV_IO, "verify: %s reads back differently: the disk may be damaged", path);
  rv_detail_free(loaded);
  return r;
}

// Writes the current frame.
static RvResult write_frame(RvCook* cook, const RvDetail* detail, RvError* error) {
  const FilecacheParms* p = cook->parms;
  if (!p->file[0]) return rv_fail(error, RV_BAD_INPUT, "file: give a file name");
  // Without keepstate a copy is written that has no private attributes; a compact copy has even fewer.
  RvDetail* stripped = NULL;
  RvResult r = RV_OK;
  if (!p->keepstate || p->compact) {
    stripped = rv_detail_copy(detail);
    if (!stripped) return rv_fail(error, RV_NO_MEMORY, "out of memory for the geometry");
    rv_state_strip(stripped, false);
    if (p->compact) r = rv_detail_compact(stripped, error);
    detail = stripped;
  }
  if (r == RV_OK) r = write_file(cook, detail, p->file, error);
  if (r == RV_OK) r = check_file(cook, detail, p->file, error);
  if (r != RV_OK) rv_error_context(error, "file");
  rv_detail_free(stripped);
  return r;
}

// Reads the frame, or passes the input through and writes it.
static RvResult cook(RvCook* cook, RvError* error) {
  const FilecacheParms* p = cook->parms;
  // Reading.
  if (p->loadfromdisk)
    return rv_load_frame(cook, p->file, (RvMissing)p->missingframe, offsetof(FilecacheParms, file), &cook->output[0],
                         error);
  const RvDetail* input = cook->ninput ? cook->input[0] : NULL;
  if (!input)
    return rv_fail(error, RV_BAD_INPUT, "input 1 is not wired: wire the geometry to write, or set loadfromdisk");
  // Samples between frames are not written.
  bool whole = cook->time.frame == floor(cook->time.frame);
  RvResult r = cook->write && whole ? write_frame(cook, input, error) : RV_OK;
  if (r != RV_OK) return r;
  cook->output[0] = rv_detail_copy(input);
  return cook->output[0] ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the geometry");
}

RV_NODE_TYPE(filecache, "File Cache", "Files", "Writes its input to disk, one file a frame, or reads it back.",
             "A file is written when its frame is cooked; cooks between frames and samples for other nodes only pass "
             "the input through. Files are written under a temporary name and renamed when complete, so an older file "
             "stays intact if the disk is full. The ending selects the format: .geo, .bgeo and .bgeo.sc keep "
             "everything, unless Compact is on; .vdb keeps VDBs and points; .vtp and .usda are for other programs and "
             "cannot be read back.",
             .flags = RV_NODE_WRITES, RV_NODE_INPUTS(filecache_inputs), RV_NODE_OUTPUTS(filecache_outputs))
