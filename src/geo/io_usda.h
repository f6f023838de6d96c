// USD as text (houdini.md F.3): open polygons as linear BasisCurves, closed ones as a Mesh, free points as Points.
#ifndef RV_GEO_IO_USDA_H
#define RV_GEO_IO_USDA_H

#include "rivulet/geo.h"

// A sequence to be written as one file with time samples. Topology and attributes may change from frame to frame.
typedef struct RvUsdaSequence {
  size_t count;            // frames
  const double* frames;    // ascending time codes; NULL with one frame: no time samples
  double fps;              // 0: 24
  double meters_per_unit;  // 0: 1
  void* user;
  // Gives frame `index`, each once and in order; the detail need only live until the next call.
  RvResult (*detail_at)(void* user, size_t index, const RvDetail** out, RvError* error);
} RvUsdaSequence;

RvResult rv_usda_write_sequence(const RvUsdaSequence* sequence, const char* path, const RvLog* log, RvError* error);
// One detail without time.
RvResult rv_usda_write(const RvDetail* detail, const char* path, const RvLog* log, RvError* error);

#endif
