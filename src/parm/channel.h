// One number over time: a constant, keys, or a wave.
#ifndef RV_PARM_CHANNEL_H
#define RV_PARM_CHANNEL_H

#include "rivulet/parm.h"

typedef enum RvChannelKind { RV_CHANNEL_CONSTANT, RV_CHANNEL_KEYS, RV_CHANNEL_WAVE } RvChannelKind;

typedef struct RvChannel {
  RvChannelKind kind;
  double value;  // constant
  RvKey* keys;   // keys, or the envelope of a wave
  size_t count;
  RvInterp interp;
  RvExtend extend;
  double amplitude, frequency, phase, offset;  // wave
} RvChannel;

// Finite, in range and at least RV_KEY_MIN_GAP apart, in the order of time; the error names the frame.
#define RV_KEY_MIN_GAP 1e-6
#define RV_KEY_MAX_FRAME 1e9
#define RV_VALUE_MAX 1e100
RvResult rv_keys_check(const RvKey* keys, size_t count, RvError* error);

// Value of keys at a frame.
//   constant  holds the last key at or before the frame.
//   linear    a straight line between keys.
//   smooth    a cubic whose slope is continuous. Its slope is 0 at the first and the last key and wherever
//   the values
//             turn or rest; elsewhere it is the weighted harmonic mean of the slopes on both sides. It never
//             leaves the interval between two neighbouring keys. With `linear` extension the slope at an end
//             is that of the straight line through the two end keys, so that the motion goes on without a
//             kink.
// Outside of the keys:
//   hold      the end key.
//   cycle     repeats; the period is the time from the first to the last key, whose moment shows the first
//   key again. linear    a straight line: with linear keys through the two end keys, with smooth ones the
//   same, with constant flat.
double rv_keys_eval(const RvKey* keys, size_t count, RvInterp interp, RvExtend extend, double frame);

double rv_channel_eval(const RvChannel* channel, double frame, double fps);
void rv_channel_clear(RvChannel* channel);                   // frees the keys
bool rv_channel_copy(RvChannel* to, const RvChannel* from);  // false when out of memory

#endif
