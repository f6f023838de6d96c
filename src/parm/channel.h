// A channel: one number over time, given by a constant, keyframes or a wave.
#ifndef RV_PARM_CHANNEL_H
#define RV_PARM_CHANNEL_H

#include "rivulet/parm.h"

typedef enum RvChannelKind { RV_CHANNEL_CONSTANT, RV_CHANNEL_KEYS, RV_CHANNEL_WAVE } RvChannelKind;

typedef struct RvChannel {
  RvChannelKind kind;
  double value;                                // of a constant
  RvKey* keys;                                 // of keyframes or of the envelope of a wave; owned
  size_t count;                                // of the keys
  RvInterp interp;                             // between the keys
  RvExtend extend;                             // outside of the keys
  double amplitude, frequency, phase, offset;  // of a wave, as in RvWave
} RvChannel;

#define RV_KEY_MIN_GAP 1e-6   // frames (or positions of a ramp) between two keys; keeps slopes finite
#define RV_KEY_MAX_FRAME 1e9  // magnitude of a key's frame; also bounds frequency and phase of a wave
#define RV_VALUE_MAX 1e100    // magnitude of a value
// Checks that keys are finite, within these bounds and in increasing order of frames; the error names the key.
RvResult rv_keys_check(const RvKey* keys, size_t count, RvError* error);

// Value of keys at a frame.
//   constant  the last key at or before the frame.
//   linear    a straight line between keys.
//   smooth    a monotone cubic with continuous slope. The slope is 0 at the first and the last key, at extrema, and
//   next
//             to equal values; elsewhere it is the weighted harmonic mean of the slopes on both sides. The curve never
//             leaves the interval between two neighbouring values. With `linear` extension the slope at an end is that
//             of the straight line through the two end keys, so that the motion continues without a kink.
// Outside of the keys:
//   hold      the value of the end key.
//   cycle     repetition. The period is the time from the first to the last key, at which the first value appears.
//   linear    the straight line through the two end keys; with constant interpolation the value of the end key.
double rv_keys_eval(const RvKey* keys, size_t count, RvInterp interp, RvExtend extend, double frame);

// Value of a channel at a frame.
double rv_channel_eval(const RvChannel* channel, double frame, double fps);
// Frees the keys; the channel becomes the constant 0.
void rv_channel_clear(RvChannel* channel);
// Copies a channel with its keys into `to`, which must hold no keys. False: out of memory.
bool rv_channel_copy(RvChannel* to, const RvChannel* from);

#endif
