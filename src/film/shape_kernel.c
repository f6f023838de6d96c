// Lengths, tangents and shares of a batch's strands; see work.h.
#include "film/work.h"
#include "math/lanes_math.h"

// the tangent of a vertex: half of both edges'; of edges that fold back on each other that of the one after it
RV_INLINE RvLanes3 between(RvLanes3 a, RvLanes3 b) {
  const RvLanes3 sum = rv_lanes3_add(a, b);
  const RvLanes square = rv_lanes3_dot(sum, sum), least = rv_lanes_set(1e-12);
  const RvLaneMask good = rv_lanes_positive(square - least);
  const RvLanes inverse = rv_lanes_set(1) / rv_lanes_sqrt(rv_lanes_select(good, square, rv_lanes_set(1)));
  const RvLanes3 unit = rv_lanes3_scale(sum, inverse);
  return (RvLanes3){rv_lanes_select(good, unit.x, b.x), rv_lanes_select(good, unit.y, b.y),
                    rv_lanes_select(good, unit.z, b.z)};
}

void RV_KERNEL(rv_film_shape)(int n, const double* x, const RvFilmShape* s) {
  const RvLanes half = rv_lanes_set(0.5), least = rv_lanes_set(RV_FILM_NO_LENGTH), one = rv_lanes_set(1);
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    RvLanes3 here = rv_lanes3_load(x + lane), t_before = {0};
    RvLanes l_before = rv_lanes_set(0);
    for (int i = 0; i < n; ++i) {
      const int k = i * RV_W + lane, k3 = 3 * i * RV_W + lane;
      if (i + 1 == n) {
        rv_lanes_store(s->cell + k, half * l_before);
        rv_lanes_store(s->share + k, rv_lanes_set(0));
        rv_lanes3_store(s->along + k3, t_before);
        break;
      }
      const RvLanes3 next = rv_lanes3_load(x + 4 * (i + 1) * RV_W + lane), d = rv_lanes3_sub(next, here);
      const RvLanes true_length = rv_lanes_sqrt(rv_lanes3_dot(d, d)), length = rv_lanes_max(true_length, least);
      const RvLanes3 t = rv_lanes3_scale(d, one / length);
      rv_lanes_store(s->length + k, length);
      rv_lanes3_store(s->tangent + k3, t);
      rv_lanes_store(s->cell + k, half * (l_before + length));
      rv_lanes_store(s->share + k, i == 0 ? one : length / (l_before + length));
      rv_lanes3_store(s->along + k3, i == 0 ? t : between(t_before, t));
      here = next;
      t_before = t;
      l_before = length;
    }
  }
}
