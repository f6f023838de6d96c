// The lock of a wet guide beyond the guide's tip, for the hairs that are longer than their guide. It continues with the
// wave of the guide: tangents beyond the tip are those before it in reverse order, so the line is smooth at the tip.
// Only the wave is repeated. The bend of the whole guide, such as over a shoulder, would bend the tail back: each
// tangent is turned by the rotation between the chords over the window before its place and before the tip.
#include "math/scalar.h"
#include "node/transfer/transfer.h"

static const double LEAST_CHORD = 1e-3;  // of the window: a shorter chord has no direction

// Position of the centres of a lock at an arc length.
static RvVec3 centre_at(const RvTransferGuides* g, const RvTransferLock* locks, size_t first, size_t last,
                        double along) {
  size_t i = first;
  while (i + 1 < last && g->along[i + 1] <= along) ++i;
  double length = g->along[i + 1] - g->along[i];
  double t = length > 0 ? rv_clamp((along - g->along[i]) / length, 0, 1) : 0;
  return rv_lerp(rv_vec3_load64(locks[i].centre), rv_vec3_load64(locks[i + 1].centre), t);
}

// Direction of the chord over the window that ends at an arc length; `otherwise` if it has none.
static RvVec3 chord_before(const RvTransferGuides* g, const RvTransferLock* locks, size_t first, size_t last,
                           double along, double window, RvVec3 otherwise) {
  RvVec3 from = centre_at(g, locks, first, last, along - window);
  RvVec3 chord = rv_sub(centre_at(g, locks, first, last, along), from);
  return rv_length(chord) > LEAST_CHORD * window ? rv_normalize(chord, otherwise) : otherwise;
}

void rv_transfer_tail(const RvTransferGuides* g, size_t guide, double window, const RvTransferLock* locks,
                      RvTransferLock* tail) {
  size_t first = (size_t)g->first[guide], last = (size_t)g->first[guide + 1] - 1;
  RvVec3 tip_chord = chord_before(g, locks, first, last, g->along[last], window, rv_vec3_load64(locks[last].ahead));
  tail[last] = locks[last];
  for (size_t j = last; j > first; --j) {
    // rotation of the whole guide from the middle of this edge to the tip
    double middle = 0.5 * (g->along[j] + g->along[j - 1]);
    RvQuat turn = rv_quat_between(chord_before(g, locks, first, last, middle, window, tip_chord), tip_chord);
    // the edge and its frame, repeated
    RvVec3 edge = rv_sub(rv_vec3_load64(locks[j].centre), rv_vec3_load64(locks[j - 1].centre));
    RvVec3 centre = rv_add(rv_vec3_load64(tail[j].centre), rv_quat_rotate(turn, edge));
    rv_vec3_store64(tail[j - 1].centre, centre);
    rv_vec3_store64(tail[j - 1].side, rv_quat_rotate(turn, rv_vec3_load64(locks[j - 1].side)));
    rv_vec3_store64(tail[j - 1].ahead, rv_quat_rotate(turn, rv_vec3_load64(locks[j - 1].ahead)));
    tail[j - 1].amount = locks[last].amount;
  }
}
