// Deforming hairs by simulated guides: shared declarations of the node transfer.
//
// A guide is a row of samples at its points: arc length at rest, position of its smoothed line at rest and now,
// rotation of the hair around it, and the motion of its curls beyond that. A hair at rest is bound once to the guides
// with the nearest roots; then each of its points follows the samples of those guides at its own arc length. The
// motion of a guide's curls applies to hairs with similar curls only; on others it would look like frizz.
#ifndef RV_NODE_TRANSFER_TRANSFER_H
#define RV_NODE_TRANSFER_TRANSFER_H

#include "math/vec.h"
#include "rivulet/node.h"

enum {
  RV_TRANSFER_MAX_GUIDES = 16,  // of a hair
  RV_TRANSFER_NEAR = 6          // guides around a guide, for the rotation of its root
};

//---------------------------------------------------------------------------------------------- guides.c

// A point of a guide.
typedef struct RvTransferSample {
  double along;              // arc length from the root, at rest
  double rest[3], moved[3];  // smoothed line, at rest and now
  double turn[4];            // rotation since rest, quaternion x y z w
  double curl[3];            // displacement of the guide beyond the motion and rotation of its line
} RvTransferSample;

// All guides.
typedef struct RvTransferGuides {
  size_t count, nsample;
  int32_t* prim;              // [count] primitive
  int32_t* first;             // [count + 1] first sample
  int32_t* point;             // [nsample] point of the simulated guides
  double* along;              // [nsample] arc length at rest
  double *rest, *moved;       // [nsample][3] points of the guides, at rest and now
  double* curl;               // [nsample][3] from the smoothed line to the guide, at rest
  double* scratch;            // [nsample][6]
  RvTransferSample* samples;  // [nsample]
} RvTransferGuides;

// Matches the curves of both details one by one. Without `at_rest` (NULL) the point attribute rest of `moved` is used.
// Invalid guides are left out with a warning; it is an error if none remains.
RvResult rv_transfer_guides_read(RvCook* cook, const RvDetail* at_rest, const RvDetail* moved, double window,
                                 RvTransferGuides* out, RvError* error);
// Computes the moved lines, curls and rotations. near: neighbours from the binding. window: length over which the
// guides are smoothed. Directions are chords over the same window, so that curls do not spin the hair around them.
void rv_transfer_guides_turn(RvTransferGuides* guides, const int32_t* near, double window);
void rv_transfer_guides_free(RvTransferGuides* guides);

//---------------------------------------------------------------------------------------------- bind.c

// Binding of hairs to guides.
typedef struct RvTransferBind {
  uint64_t key;  // hash of hairs, guides and settings
  size_t hairs;
  int max_guides;       // of a hair
  int32_t* guide;       // [hairs][max_guides], the nearest first; -1: none
  double* weight;       // [hairs][max_guides], with sum 1
  double* curl_weight;  // [hairs][max_guides] weight times the similarity of the curls, 0 to 1
  int32_t* near;        // [guides][RV_TRANSFER_NEAR] nearest other guides, -1: none
  uint8_t* owner;       // [hairs] index of the guide, among those of the hair, to whose clump it belongs
  float* slot;          // [hairs][2] position in the cross section of that clump, in diameters
  double* diameter;     // [guides] of the widest hair of a clump
  double* radius;       // [guides] of a clump whose hairs touch
} RvTransferBind;

// Hairs at rest: primitives of a detail.
typedef struct RvTransferHairs {
  size_t count;
  const int32_t* prim;                  // [count]
  const int32_t *start, *vertex_point;  // of the detail
  const float* P;                       // [npoint][3]
  const double* diameter;               // [count]
  size_t npoint;
  int longest;  // vertices of the longest hair
} RvTransferHairs;

// Binds hairs to guides, or reuses the binding in *cache (may be NULL) if it has the same key. The caller frees *out
// unless it is in the cache. apart: RMS distance of two curls at which their similarity is one half.
RvResult rv_transfer_bind(const RvTransferGuides* guides, const RvTransferHairs* hairs, int max_guides, double window,
                          double apart, void** cache, RvTransferBind** out, RvError* error);
void rv_transfer_bind_free(void* bind);

//---------------------------------------------------------------------------------------------- slots.c

// Assigns each hair to a clump and a slot in it; the guides of the binding are known.
RvResult rv_transfer_slots(RvTransferBind* bind, const RvTransferGuides* guides, const RvTransferHairs* hairs,
                           RvError* error);

//---------------------------------------------------------------------------------------------- smooth.c

// Moving average of a polyline over a window of arc length. The window shrinks towards the ends, which stay fixed.
// along: arc lengths of the points, not decreasing; scratch: 3 n numbers.
void rv_transfer_smooth(size_t n, const double* along, const double* x, double window, double* scratch, double* out);

//---------------------------------------------------------------------------------------------- values.c

// Position of a point of a hair on its guides.
typedef struct RvTransferSpot {
  int count, owner;                      // guides; the one of its clump
  const double *weight, *curl_weight;    // [count]
  int32_t at[RV_TRANSFER_MAX_GUIDES];    // sample before the point
  double share[RV_TRANSFER_MAX_GUIDES];  // interpolation parameter to the next sample
} RvTransferSpot;

// A point attribute that is transferred.
typedef struct RvTransferValue {
  RvStorage storage;
  int size;
  double* from;     // floats: [nsample][size] values of the guides
  const char* raw;  // integers: values of the guides' points
  void* to;         // values of the hairs' points
} RvTransferValue;

typedef struct RvTransferValues {
  RvTransferValue* data;
  size_t count;
} RvTransferValues;

// Creates the point attributes of the simulated guides that match `patterns` on `out`.
RvResult rv_transfer_values_open(RvCook* cook, const char* patterns, const RvDetail* moved,
                                 const RvTransferGuides* guides, RvDetail* out, RvTransferValues* values,
                                 RvError* error);
// Sets the values of one point of a hair: floats are interpolated between guides, integers come from its own guide.
void rv_transfer_values_set(const RvTransferValues* values, const RvTransferGuides* guides, const RvTransferSpot* spot,
                            size_t point);
void rv_transfer_values_free(RvTransferValues* values);

//---------------------------------------------------------------------------------------------- clump.c

typedef struct RvTransferClumpParms {
  const char* attrib;     // wetness of the guides' points
  double blend;           // strength of clumping, 0 to 1
  const RvRamp* wetramp;  // strength over wetness
  const RvRamp* profile;  // strength from root to tip
  double spacing;         // distance of hairs in a clump, in diameters
  double window;          // arc length of guide whose chord is free of its wave
} RvTransferClumpParms;

// Centre of a clump (a lock of hair) at a sample of its guide.
typedef struct RvTransferLock {
  double centre[3], side[3], ahead[3];  // position; unit vectors across and along the guide
  double amount;                        // strength of clumping, 0 to 1
} RvTransferLock;

typedef struct RvTransferClump {
  RvTransferClumpParms p;
  RvTransferLock* locks;  // [nsample]; NULL: nothing is wet
  RvTransferLock* tail;   // [nsample] beyond the tip, the mirror of each sample: at arc length 2 tip - along
  double* max_amount;     // [guides] largest amount
} RvTransferClump;

// Root of a guide at rest and two unit vectors across its first edge.
void rv_transfer_root_frame(const RvTransferGuides* guides, size_t guide, RvVec3* root, RvVec3* side, RvVec3* other);
// Prepares the clumps; lines and rotations of the guides are known.
RvResult rv_transfer_clump_open(RvCook* cook, const RvDetail* moved, const RvTransferGuides* guides,
                                const RvTransferBind* bind, const RvTransferClumpParms* parms, RvTransferClump* out,
                                RvError* error);
// Position of a point of a hair in its clump; *amount: strength of clumping there.
RvVec3 rv_transfer_clump_place(const RvTransferClump* clump, const RvTransferGuides* guides, const RvTransferSpot* spot,
                               double along, const float slot[2], double diameter, double* amount);
void rv_transfer_clump_free(RvTransferClump* clump);

//---------------------------------------------------------------------------------------------- tail.c

// Computes the tail of a guide's lock: locks and tail [nsample], as in RvTransferClump.
void rv_transfer_tail(const RvTransferGuides* guides, size_t guide, double window, const RvTransferLock* locks,
                      RvTransferLock* tail);

#endif
