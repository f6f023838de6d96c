// Writer of USD as text (houdini.md F.3): open polygons become BasisCurves, closed ones a Mesh, points without
// primitives Points, VDBs a Volume whose grids stand in .vdb files beside the layer, a camera node's attributes a
// Camera. Each has a preview material.
#ifndef RV_GEO_IO_USDA_H
#define RV_GEO_IO_USDA_H

#include "rivulet/geo.h"

// How the points of a strand are joined.
typedef enum RvUsdaBasis { RV_USDA_LINEAR, RV_USDA_CATMULL_ROM, RV_USDA_BSPLINE } RvUsdaBasis;

// Frames to be written as one file with time samples. Topology and attributes may change from frame to frame.
typedef struct RvUsdaSequence {
  size_t count;            // frames
  const double* frames;    // time code of each, ascending; NULL for a single frame without time samples
  double fps;              // frames per second; 0 or not finite: 24
  double meters_per_unit;  // scale of the stage; 0 or not finite: 1
  RvUsdaBasis basis;       // of the curves
  bool liquid_mesh;        // closed polygons are the surface of a liquid, else skin: their preview material
  void* user;              // for detail_at
  // Gives frame `index`; called once for each frame in order. *out is borrowed until the next call.
  RvResult (*detail_at)(void* user, size_t index, const RvDetail** out, RvError* error);
} RvUsdaSequence;

// Writes the frames; warnings go to `log` (may be NULL). VDBs go to files NAME.volume.vdb (one frame) or
// NAME.volume.FRAME.vdb. On failure no file is left.
RvResult rv_usda_write_sequence(const RvUsdaSequence* sequence, const char* path, const RvLog* log, RvError* error);
// Curves of a stage (usda_read.c), from its text or its file; `path` names it in messages.
RvResult rv_usda_decode(const void* bytes, size_t count, const char* path, RvDetail** out, const RvLog* log,
                        RvError* error);
RvResult rv_usda_read(const char* path, RvDetail** out, const RvLog* log, RvError* error);
// Writes one detail without time samples.
RvResult rv_usda_write(const RvDetail* detail, const char* path, const RvLog* log, RvError* error);

// The file beside a stage of one frame that its VDBs go to. Free with rv_free; NULL when out of memory.
char* rv_usda_volume_path(const char* path);
// Whether a stage of the detail has such a file.
bool rv_usda_has_volume(const RvDetail* detail);

#endif
