// Lengths, tangents and shares of a batch's strands (RvFilmShape of work.h).
#include "film/work.h"
#include "math/lanes_math.h"

// Two unit tangents count as opposite where the square of their sum is below this: within a millionth of a radian.
#define OPPOSITE 1e-12

// Tangent of a vertex: the normalised mean of both edges' tangents, or the later one's where they are opposite.
RV_INLINE RvLanes3 mean_tangent(RvLanes3 a, RvLanes3 b) {
  const RvLanes3 sum = rv_lanes3_add(a, b);
  const RvLanes square = rv_lanes3_dot(sum, sum), least = rv_lanes_set(OPPOSITE);
  const RvLaneMask good = rv_lanes_positive(square - least);
  const RvLanes inverse = rv_lanes_set(1) / rv_lanes_sqrt(rv_lanes_select(good, square, rv_lanes_set(1)));
  const RvLanes3 unit = rv_lanes3_scale(sum, inverse);
  return (RvLanes3){rv_lanes_select(good, unit.x, b.x), rv_lanes_select(good, unit.y, b.y),
                    rv_lanes_select(good, unit.z, b.z)};
}

// Unit tangent of the edge from `here` to `next`, and its length, which is at least RV_FILM_NO_LENGTH.
RV_INLINE RvLanes3 edge_tangent(RvLanes3 here, RvLanes3 next, RvLanes* length) {
  const RvLanes3 d = rv_lanes3_sub(next, here);
  *length = rv_lanes_max(rv_lanes_sqrt(rv_lanes3_dot(d, d)), rv_lanes_set(RV_FILM_NO_LENGTH));
  return rv_lanes3_scale(d, rv_lanes_set(1) / *length);
}

void RV_KERNEL(rv_film_shape)(int n, const double* x, const RvFilmShape* s) {
  const RvLanes half = rv_lanes_set(0.5), one = rv_lanes_set(1);
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    RvLanes3 here = rv_lanes3_load(x + lane), t_before = {0};
    RvLanes l_before = rv_lanes_set(0);
    for (int i = 0; i < n; ++i) {
      const int k = i * RV_W + lane, k3 = 3 * i * RV_W + lane;
      // the last vertex has no edge after it
      if (i + 1 == n) {
        rv_lanes_store(s->cell + k, half * l_before);
        rv_lanes_store(s->share + k, rv_lanes_set(0));
        rv_lanes3_store(s->along + k3, t_before);
        break;
      }
      const RvLanes3 next = rv_lanes3_load(x + 4 * (i + 1) * RV_W + lane);
      RvLanes length;
      const RvLanes3 t = edge_tangent(here, next, &length);
      // The edge, and the mean of both edges at the vertex.
      rv_lanes_store(s->length + k, length);
      rv_lanes3_store(s->tangent + k3, t);
      rv_lanes_store(s->cell + k, half * (l_before + length));
      rv_lanes_store(s->share + k, i == 0 ? one : length / (l_before + length));
      rv_lanes3_store(s->along + k3, i == 0 ? t : mean_tangent(t_before, t));
      here = next;
      t_before = t;
      l_before = length;
    }
  }
}

// As `along` of rv_film_shape, with the same bits.
void RV_KERNEL(rv_film_vertex_tangents)(int n, const double* x, double* along) {
  for (int lane = 0; lane < RV_W; lane += RV_V) {
    RvLanes3 here = rv_lanes3_load(x + lane), t_before = {0};
    for (int i = 0; i + 1 < n; ++i) {
      const RvLanes3 next = rv_lanes3_load(x + 4 * (i + 1) * RV_W + lane);
      RvLanes length;
      const RvLanes3 t = edge_tangent(here, next, &length);
      rv_lanes3_store(along + 3 * i * RV_W + lane, i == 0 ? t : mean_tangent(t_before, t));
      here = next;
      t_before = t;
    }
    rv_lanes3_store(along + 3 * (n - 1) * RV_W + lane, t_before);
  }
}
