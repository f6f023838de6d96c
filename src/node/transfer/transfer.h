// Carrying hairs by guides: what the files of the node transfer share.
//
// A guide is a row of samples at its points: how far along it each lies at rest, where its smoothed line was and is,
// how the hair about it has turned, and what its curls did beyond that. A hair at rest finds the guides whose roots are
// nearest to its own, once; then each of its points goes by the samples of those guides at its own distance from the
// root. What the curls of a guide did is for hairs that curl alike: to others it would be frizz.
#ifndef RV_NODE_TRANSFER_TRANSFER_H
#define RV_NODE_TRANSFER_TRANSFER_H

#include "math/vec.h"
#include "rivulet/node.h"

enum { RV_TRANSFER_MOST = 16, RV_TRANSFER_NEAR = 6 };

//---------------------------------------------------------------------------------------------- transfer_guides.c

typedef struct RvTransferSample {
  double along;              // distance from the root at rest
  double rest[3], moved[3];  // of the smoothed line
  double turn[4];            // quaternion x y z w
  double curl[3];            // what the guide itself moved beyond its line's motion and turn
} RvTransferSample;

typedef struct RvTransferGuides {
  size_t count, nsample;
  int32_t* prim;                 // [count]
  int32_t* first;                // [count + 1] first sample
  int32_t* point;                // [nsample] point of the simulated guides
  double *along, *rest, *moved;  // [nsample], [nsample][3]: the guides themselves
  double* curl;                  // [nsample][3] from the smoothed line to the guide, at rest
  double* room;                  // [nsample][6]
  RvTransferSample* samples;     // [nsample]
} RvTransferGuides;

// Matches the curves of both details one by one. `at_rest` may be NULL: then the point attribute rest of `moved` is
// meant. Guides that cannot guide are left out with a warning; none at all is an error.
RvResult rv_transfer_guides_read(RvCook* cook, const RvDetail* at_rest, const RvDetail* moved, double window,
                                 RvTransferGuides* out, RvError* error);
// Lines, curls and turns. `near` is that of the binding; `window` the length over which the guides were smoothed. Their
// directions are taken over it too, so that curls do not turn the hair about them round and round.
void rv_transfer_guides_turn(RvTransferGuides* guides, const int32_t* near, double window);
void rv_transfer_guides_free(RvTransferGuides* guides);

//---------------------------------------------------------------------------------------------- transfer_bind.c

typedef struct RvTransferBind {
  uint64_t key;  // of what it was made for
  size_t hairs;
  int most;                   // guides a hair
  int32_t* guide;             // [hairs][most], the nearest first; -1: none
  double* weight;             // [hairs][most], of sum 1
  double* alike;              // [hairs][most] times how much the hair curls as the guide does, 0 to 1
  int32_t* near;              // [guides][RV_TRANSFER_NEAR] guides about each, -1: none
  uint8_t* own;               // [hairs] which of its guides a hair belongs to
  float* slot;                // [hairs][2] where in the cross-section of that guide's clump it lies, in diameters
  double *diameter, *radius;  // [guides] of the widest hair of a clump, and of the clump of hairs that touch
} RvTransferBind;

// Hairs at rest: primitives of a detail.
typedef struct RvTransferHairs {
  size_t count;
  const int32_t* prim;                  // [count]
  const int32_t *start, *vertex_point;  // of the detail
  const float* P;
  const double* diameter;  // [count]
  size_t npoint;
  int longest;  // vertices
} RvTransferHairs;

// A binding in *cache that is for these hairs, guides and numbers is taken (`cache` may be NULL). *out is to be freed
// by the caller unless it is in the cache. `apart` is a distance between curls that are no longer alike.
RvResult rv_transfer_bind(const RvTransferGuides* guides, const RvTransferHairs* hairs, int most, double window,
                          double apart, void** cache, RvTransferBind** out, RvError* error);
void rv_transfer_bind_free(void* bind);

//---------------------------------------------------------------------------------------------- transfer_slots.c

// Fills the slots of a binding whose guides are found.
RvResult rv_transfer_slots(RvTransferBind* bind, const RvTransferGuides* guides, const RvTransferHairs* hairs,
                           RvError* error);

//---------------------------------------------------------------------------------------------- transfer_smooth.c

// The mean of a polyline over the window about each of its points; the window is shorter towards the ends, which stay.
// `along` are the points' distances from the first, in any but a falling order; `room` has 3 n numbers.
void rv_transfer_smooth(size_t n, const double* along, const double* x, double window, double* room, double* out);

//---------------------------------------------------------------------------------------------- transfer_values.c

// Where on its guides a point of a hair lies.
typedef struct RvTransferSpot {
  int count, own;
  const double *weight, *alike;
  int32_t at[RV_TRANSFER_MOST];    // sample before it
  double share[RV_TRANSFER_MOST];  // of the way to the next sample
} RvTransferSpot;

typedef struct RvTransferValue {
  RvStorage storage;
  int size;
  double* from;     // [nsample][size] of floats
  const char* raw;  // of integers: the guides' own values
  void* to;         // of the hairs
} RvTransferValue;

typedef struct RvTransferValues {
  RvTransferValue* data;
  size_t count;
} RvTransferValues;

// Point attributes of the simulated guides that `patterns` mean, made on `out` anew.
RvResult rv_transfer_values_open(RvCook* cook, const char* patterns, const RvDetail* moved,
                                 const RvTransferGuides* guides, RvDetail* out, RvTransferValues* values,
                                 RvError* error);
// The values of one point of a hair: floats between the guides, integers of its own guide.
void rv_transfer_values_set(const RvTransferValues* values, const RvTransferGuides* guides, const RvTransferSpot* spot,
                            size_t point);
void rv_transfer_values_free(RvTransferValues* values);

//---------------------------------------------------------------------------------------------- transfer_clump.c

typedef struct RvTransferClumpParms {
  const char* attrib;  // of the guides' points: how wet they are
  double blend;
  const RvRamp *wetramp, *profile;  // how far hairs go to the clump, by wetness; and from root to tip
  double spacing;                   // of hairs in a clump, in diameters
} RvTransferClumpParms;

// A guide's sample as the middle of a clump.
typedef struct RvTransferLock {
  double centre[3], side[3], ahead[3];
  double amount;  // how far hairs go there, 0 to 1
} RvTransferLock;

typedef struct RvTransferClump {
  RvTransferClumpParms p;
  RvTransferLock* locks;  // [nsample]; NULL: nothing is wet
  double* most;           // [guides] largest amount
} RvTransferClump;

// A guide's root at rest and two directions across its first edge.
void rv_transfer_root_frame(const RvTransferGuides* guides, size_t guide, RvVec3* root, RvVec3* side, RvVec3* other);
// The clumps of guides whose lines and turns are made.
RvResult rv_transfer_clump_open(RvCook* cook, const RvDetail* moved, const RvTransferGuides* guides,
                                const RvTransferBind* bind, const RvTransferClumpParms* parms, RvTransferClump* out,
                                RvError* error);
// Where in its clump a hair's point lies, and how far it goes there.
RvVec3 rv_transfer_clump_place(const RvTransferClump* clump, const RvTransferGuides* guides, const RvTransferSpot* spot,
                               double along, const float slot[2], double diameter, double* amount);
void rv_transfer_clump_free(RvTransferClump* clump);

#endif
