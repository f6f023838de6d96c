// Evaluation of channels: keyframes with their interpolation and extension, and waves.
#include "parm/channel.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "parm/curve.h"
#include "parm/number.h"

RvResult rv_keys_check(const RvKey* keys, size_t count, RvError* error) {
  if (!count || !keys) return rv_fail(error, RV_BAD_INPUT, "there are no keys; give at least one [frame, value]");
  for (size_t i = 0; i < count; ++i) {
    char frame[RV_NUMBER_BYTES], before[RV_NUMBER_BYTES];
    rv_number_write(keys[i].frame, frame);
    // The negated comparisons also refuse NaN.
    if (!(fabs(keys[i].frame) <= RV_KEY_MAX_FRAME))
      return rv_fail(error, RV_BAD_INPUT, "key %zu: frame %s is not a number between -1e9 and 1e9", i + 1, frame);
    if (!(fabs(keys[i].value) <= RV_VALUE_MAX))
      return rv_fail(error, RV_BAD_INPUT, "key %zu at frame %s: the value is not a finite number below 1e100", i + 1,
                     frame);
    if (i && !(keys[i].frame - keys[i - 1].frame >= RV_KEY_MIN_GAP))
      return rv_fail(error, RV_BAD_INPUT, "key %zu at frame %s does not come after the key before it at frame %s",
                     i + 1, frame, rv_number_write(keys[i - 1].frame, before));
  }
  return RV_OK;
}

// Slope of the straight line from a key to the next.
static double secant(const RvKey* key) {
  return (key[1].value - key[0].value) / (key[1].frame - key[0].frame);
}

// Slope of the smooth curve at key `i`.
static double slope(const RvKey* keys, size_t count, size_t i, RvExtend extend) {
  // At the ends the slope is 0, or that of the line beyond them.
  if (count < 2) return 0;
  if (i == 0 || i == count - 1) return extend == RV_EXTEND_LINEAR ? secant(keys + (i ? i - 1 : 0)) : 0;
  double h0 = keys[i].frame - keys[i - 1].frame, h1 = keys[i + 1].frame - keys[i].frame;
  return rv_curve_slope(h0, secant(keys + i - 1), h1, secant(keys + i));
}

// Index of the last key at or before a frame between the first and the last key (bisection).
static size_t segment(const RvKey* keys, size_t count, double frame) {
  size_t low = 0, high = count - 1;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (keys[middle].frame <= frame)
      low = middle;
    else
      high = middle;
  }
  return low;
}

double rv_keys_eval(const RvKey* keys, size_t count, RvInterp interp, RvExtend extend, double frame) {
  const RvKey* first = keys;
  const RvKey* last = keys + count - 1;
  if (count == 1) return first->value;
  // Outside of the keys.
  bool before = frame < first->frame, after = frame >= last->frame;
  if (extend == RV_EXTEND_CYCLE && (before || after)) {
    double period = last->frame - first->frame;
    double local = fmod(frame - first->frame, period);
    frame = first->frame + (local < 0 ? local + period : local);
    // Rounding may give the end of the period, which is its beginning.
    if (!(frame >= first->frame && frame < last->frame)) return first->value;
  } else if (before || after) {
    const RvKey* end = before ? first : last;
    if (extend == RV_EXTEND_HOLD || interp == RV_INTERP_CONSTANT || frame == end->frame) return end->value;
    return end->value + (frame - end->frame) * secant(before ? first : last - 1);
  }
  // Between two keys.
  size_t i = segment(keys, count, frame);
  const RvKey* a = keys + i;
  const RvKey* b = a + 1;
  double h = b->frame - a->frame;
  double t = (frame - a->frame) / h;
  if (interp == RV_INTERP_CONSTANT) return a->value;
  if (interp == RV_INTERP_LINEAR) return rv_curve_line(t, a->value, b->value);
  return rv_curve_hermite(t, h, a->value, slope(keys, count, i, extend), b->value, slope(keys, count, i + 1, extend));
}

double rv_channel_eval(const RvChannel* channel, double frame, double fps) {
  if (channel->kind == RV_CHANNEL_CONSTANT) return channel->value;
  // Keys, or the envelope of a wave; a wave without one has the factor 1.
  double keyed =
      channel->count ? rv_keys_eval(channel->keys, channel->count, channel->interp, channel->extend, frame) : 1;
  if (channel->kind == RV_CHANNEL_KEYS) return keyed;
  // Whole turns are removed before the sine, so that late frames do not lose precision.
  const double degrees_per_turn = 360;
  double turns = channel->frequency * ((frame - 1) / fps) + channel->phase / degrees_per_turn;
  return channel->offset + channel->amplitude * keyed * rv_sin(2 * RV_PI * (turns - floor(turns)));
}

void rv_channel_clear(RvChannel* channel) {
  rv_free(channel->keys);
  *channel = (RvChannel){0};
}

bool rv_channel_copy(RvChannel* to, const RvChannel* from) {
  *to = *from;
  if (!from->keys) return true;
  to->keys = rv_alloc(from->count, sizeof *from->keys);
  if (!to->keys) {
    *to = (RvChannel){0};
    return false;
  }
  memcpy(to->keys, from->keys, from->count * sizeof *from->keys);
  return true;
}
