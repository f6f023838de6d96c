// The sums of interfaces; see sums_kernel.h.
#include "interface/sums_kernel.h"

#include "sph/search_lanes.h"

// Share of h squared that is added to squared distances in the viscous force, so that close pairs do not lock.
#define VISCOUS_SOFTENING 0.01f
// Least diagonal of the pressure's equations: that of a particle with one neighbour at the rim of its support.
#define LEAST_DIAGONAL 1e-6f

//---------------------------------------------------------------------------------------------- pair force

// The cosine of 3 pi q / 2 as an even polynomial of q - 2/3, where it is -1: fitted between 0 and 1, error 5e-7.
RV_INLINE RvSphRow cosine(RvSphRow q) {
  RvSphRow t = q - rv_sph_set(2.0f / 3);
  RvSphRow u = t * t;
  RvSphRow y = rv_sph_set(-0.2067881f);
  y = y * u + rv_sph_set(1.4621344f);
  y = y * u + rv_sph_set(-6.023356f);
  y = y * u + rv_sph_set(15.208211f);
  y = y * u + rv_sph_set(-20.547129f);
  y = y * u + rv_sph_set(11.103302f);
  return y * u + rv_sph_set(-1);
}

// Two poly6 kernels, as in sph/kernels.c.
RV_INLINE RvSphRow two_kernels(RvSphRow square) {
  RvSphRow wide = rv_sph_set(1) - square;
  RvSphRow narrow = rv_sph_positive(rv_sph_set(1) - rv_sph_set(1.96f) * square);
  return rv_sph_set(4.878289f) * (narrow * narrow * narrow) - rv_sph_set(3.878289f) * (wide * wide * wide);
}

// The force over the coefficient at the distance q, which is below 1 but for what fills up groups.
RV_INLINE RvSphRow pair_force(RvPairForm form, RvSphRow q, RvSphRow square) {
  RvSphRow f = form == RV_PAIR_COSINE        ? cosine(q)
               : form == RV_PAIR_TWO_KERNELS ? two_kernels(square)
                                             : rv_sph_set(-64) * rv_sph_cohesion(q);
  return rv_sph_where(q < rv_sph_set(1), f);
}

// Coefficients of the neighbours of a group: by the phase of each.
RV_INLINE RvSphRow of_phase(const float table[RV_INTERFACE_PHASES], const uint8_t* phase, const uint32_t* j) {
#if RV_W == 1
  return table[phase[j[0]]];
#else
  return (RvSphRow){table[phase[j[0]]], table[phase[j[1]]], table[phase[j[2]]], table[phase[j[3]]],
                    table[phase[j[4]]], table[phase[j[5]]], table[phase[j[6]]], table[phase[j[7]]]};
#endif
}

// Mixed coefficients of the neighbours of a group, over those of film and film (VI-13): by the shares of film of each,
// and whether it is of the same bubble.
RV_INLINE RvSphRow mixed(const RvInterfaceSums* s, size_t i, const uint32_t* j) {
  const RvSphRow one = rv_sph_set(1), a = rv_sph_set(s->film[i]), b = rv_sph_gather(s->film, j);
  RvSphRow part = a * (one - b) + (one - a) * b;
  RvSphRow mix = a * b + rv_sph_set(s->film_gas) * part + rv_sph_set(s->gas_gas) * ((one - a) * (one - b));
  RvSphRow foreign = rv_sph_where(rv_sph_gather(s->bubble, j) != rv_sph_set(s->bubble[i]), rv_sph_set(1 - s->across));
  return mix * (one - foreign);
}

// Neighbours of a list that are within h, packed in its order.
typedef struct Near {
  uint32_t* list;
  unsigned count;  // above RV_INTERFACE_MOST_NEAR: there may be more
} Near;

// Sum of the pair forces on particle i over its list, at the places `at`, and which of it is near; the form is a
// constant of each call, and so is whether `near` is NULL.
RV_INLINE void sum_pairs(const RvInterfaceSums* s, RvPairForm form, const float* at, size_t i, const uint32_t* list,
                         unsigned groups, Near* near, float out[4]) {
  const float* x = at + 4 * i;
  const float* pull = s->pull[s->phase[i]];
  const RvSphRow x0 = rv_sph_set(x[0]), x1 = rv_sph_set(x[1]), x2 = rv_sph_set(x[2]);
  const RvSphRow reach = rv_sph_set(1 / (s->ratio * s->ratio));
  RvSphRow f0 = rv_sph_set(0), f1 = f0, f2 = f0;
  unsigned kept = 0;
  RV_SPH_EACH(j, list, groups) {
    RvSphRow4 p = rv_sph_gather4(at, j);
    RvSphRow d0 = x0 - p.x, d1 = x1 - p.y, d2 = x2 - p.z;
    RvSphRow square = d0 * d0 + d1 * d1 + d2 * d2;
    RvSphDistance r = rv_sph_distance(square);
    RvSphRow f = p.w * pair_force(form, r.q, square) * r.inverse;
    if (s->phases > 1) f = f * of_phase(pull, s->phase, j);
    if (s->film) f = f * mixed(s, i, j);
    f0 += f * d0;
    f1 += f * d1;
    f2 += f * d2;
    // Groups are written whole.
    if (near && kept <= RV_INTERFACE_MOST_NEAR) kept += rv_sph_pack_hits(near->list + kept, j, square < reach);
  }
  float total[4] __attribute__((aligned(16)));
  rv_sph_totals(f0, f1, f2, f2, total);
  float all = s->phases > 1 ? 1 : pull[0];
  for (size_t a = 0; a < 3; ++a) out[a] = all * total[a];
  out[3] = 0;
  if (near) near->count = kept;
}

// The same by the form of the sums.
RV_INLINE void sum_form(const RvInterfaceSums* s, const float* at, size_t i, const uint32_t* list, unsigned groups,
                        Near* near, float out[4]) {
  if (s->form == RV_PAIR_COSINE) sum_pairs(s, RV_PAIR_COSINE, at, i, list, groups, near, out);
  if (s->form == RV_PAIR_TWO_KERNELS) sum_pairs(s, RV_PAIR_TWO_KERNELS, at, i, list, groups, near, out);
  if (s->form == RV_PAIR_SPLINE) sum_pairs(s, RV_PAIR_SPLINE, at, i, list, groups, near, out);
}

// Keeps the list of particle i within k h, so that its pair forces can be summed again; groups of the task's room from
// `group` on. False where the room is used up: the list is cut.
RV_INLINE bool keep_far(const RvInterfaceSums* s, size_t i, const uint32_t* far, unsigned groups, uint32_t* group,
                        uint32_t last_group) {
  unsigned room = last_group - *group;
  unsigned kept = groups < room ? groups : room;
  uint32_t* out = s->far.index + 8 * (size_t)*group;
  for (unsigned k = 0; k < 8 * kept; ++k) out[k] = far[k];
  s->far.first[i] = *group;
  s->far.groups[i] = (uint16_t)kept;
  *group += kept;
  return kept == groups;
}

RvInterfaceFound RV_KERNEL(rv_interface_pairs)(const RvInterfaceSums* s, size_t begin, size_t end) {
  const RvSphSet* set = s->set;
  RvInterfaceFound found = {0};
  int64_t offset[RV_SPH_ROWS];
  RvSphWalk walk;
  RvSphCandidates candidates;
  uint32_t far[RV_INTERFACE_MOST_FAR + 32];
  uint32_t group = (uint32_t)(begin / RV_SPH_GRAIN * (RV_INTERFACE_TASK_INDICES / 8));
  const uint32_t last_group = group + RV_INTERFACE_TASK_GROUPS;
  uint32_t far_group = (uint32_t)(begin / RV_SPH_GRAIN * RV_INTERFACE_TASK_FAR);
  const uint32_t last_far = far_group + RV_INTERFACE_TASK_FAR;
  size_t i = begin;
  for (size_t cell = rv_sph_walk_begin(s->lattice, set, set, begin, offset, &walk); i < end; ++cell) {
    rv_sph_collect(set, offset, set->key[cell], &walk, &candidates);
    size_t last = set->first[cell + 1] < end ? set->first[cell + 1] : end;
    for (; i < last; ++i) {
      // Neighbours within k h, then those of them within h.
      Near near = {s->lists->index + 8 * (size_t)group, 0};
      const float x[3] = {set->x[0][i], set->x[1][i], set->x[2][i]};
      unsigned count = rv_sph_search(&candidates, x, RV_INTERFACE_MOST_FAR, far);
      bool full = candidates.left_out || count > RV_INTERFACE_MOST_FAR;
      if (count > RV_INTERFACE_MOST_FAR) count = RV_INTERFACE_MOST_FAR;
      unsigned far_groups = (count + 7) / 8;
      for (unsigned k = count; k < 8 * far_groups; ++k) far[k] = (uint32_t)set->count;
      sum_form(s, s->at, i, far, far_groups, &near, s->free_move + 4 * i);
      unsigned kept = near.count;
      full = full || kept > RV_INTERFACE_MOST_NEAR;
      if (kept > RV_INTERFACE_MOST_NEAR) kept = RV_INTERFACE_MOST_NEAR;
      unsigned groups = (kept + 7) / 8;
      // A task whose room is used up cuts its lists.
      if (groups > last_group - group) {
        groups = last_group - group;
        kept = kept < 8 * groups ? kept : 8 * groups;
        full = true;
      }
      for (unsigned k = kept; k < 8 * groups; ++k) near.list[k] = (uint32_t)set->count;
      s->lists->first[i] = group;
      s->lists->groups[i] = (uint16_t)groups;
      group += groups;
      found.near += kept;
      found.pairs += count;
      found.full += full;
      if (!s->far.index) continue;
      full = !keep_far(s, i, far, far_groups, &far_group, last_far);
      found.full += full;
      for (size_t a = 0; a < 4; ++a) s->pulled[4 * i + a] = s->free_move[4 * i + a];
    }
  }
  return found;
}

void RV_KERNEL(rv_interface_pull)(const RvInterfaceSums* s, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    float now[4] = {0};
    sum_form(s, s->ahead, i, s->far.index + 8 * (size_t)s->far.first[i], s->far.groups[i], NULL, now);
    for (size_t a = 0; a < 3; ++a) {
      s->free_move[4 * i + a] += now[a] - s->pulled[4 * i + a];
      s->pulled[4 * i + a] = now[a];
    }
  }
}

//---------------------------------------------------------------------------------------------- density and viscosity

// Groups of the neighbours of i within h.
#define EACH_NEAR(s, i, j) RV_SPH_EACH(j, (s)->lists->index + 8 * (size_t)(s)->lists->first[i], (s)->lists->groups[i])

// Minus the slope of the density kernel, Wendland's C2, over the distance, over slope_factor; 0 from h on. `value` is
// the kernel's.
RV_INLINE RvSphRow slope_of(const RvInterfaceSums* s, RvSphRow square, RvSphRow* value) {
  RvSphRow u = rv_sph_positive(rv_sph_set(1) - rv_sph_set(s->ratio) * rv_sph_sqrt(square));
  RvSphRow slope = u * u * u;
  // (1 - q)^4 (1 + 4 q), q = 1 - u.
  *value = slope * u * (rv_sph_set(5) - rv_sph_set(4) * u);
  return slope;
}

// Sums over the neighbours of i: density, its gradient, the diagonal, and the viscous force, which is central so that
// it keeps angular momentum (Monaghan 1992).
void RV_KERNEL(rv_interface_density)(const RvInterfaceSums* s, size_t begin, size_t end) {
  const float soft = VISCOUS_SOFTENING / (s->ratio * s->ratio);
  const RvSphRow zero = rv_sph_set(0);
  for (size_t i = begin; i < end; ++i) {
    const float* x = s->at + 4 * i;
    const float* y = s->drift + 4 * i;
    const float* viscosity = s->viscosity[s->phase[i]];
    RvSphRow value = zero, square_sum = zero, g0 = zero, g1 = zero, g2 = zero, v0 = zero, v1 = zero, v2 = zero;
    EACH_NEAR(s, i, j) {
      RvSphRow4 p = rv_sph_gather4(s->at, j);
      RvSphRow4 m = rv_sph_gather4(s->drift, j);
      RvSphRow d0 = rv_sph_set(x[0]) - p.x, d1 = rv_sph_set(x[1]) - p.y, d2 = rv_sph_set(x[2]) - p.z;
      RvSphRow square = d0 * d0 + d1 * d1 + d2 * d2;
      RvSphRow u;
      RvSphRow slope = slope_of(s, square, &u);
      RvSphRow weighted = p.w * slope;
      value += p.w * u;
      square_sum += weighted * slope * square * m.w;
      g0 += weighted * d0;
      g1 += weighted * d1;
      g2 += weighted * d2;
      RvSphRow apart = d0 * (rv_sph_set(y[0]) - m.x) + d1 * (rv_sph_set(y[1]) - m.y) + d2 * (rv_sph_set(y[2]) - m.z);
      RvSphRow slow = weighted * apart / (square + rv_sph_set(soft));
      if (s->phases > 1) slow = slow * of_phase(viscosity, s->phase, j);
      v0 -= slow * d0;
      v1 -= slow * d1;
      v2 -= slow * d2;
    }
    float total[8] __attribute__((aligned(16)));
    rv_sph_totals(g0, g1, g2, value, total);
    rv_sph_totals(v0, v1, v2, square_sum, total + 4);
    float factor = s->slope_factor, norm = 0;
    float slow = factor * (s->phases > 1 ? 1 : viscosity[0]);
    for (size_t a = 0; a < 3; ++a) {
      s->own[4 * i + a] = factor * total[a] - s->solid[4 * i + a];
      s->free_move[4 * i + a] = y[a] + (s->free_move[4 * i + a] + slow * total[4 + a] + s->fall[a]);
      norm += s->own[4 * i + a] * s->own[4 * i + a];
    }
    // The density of solids around is there already.
    s->own[4 * i + 3] += s->value_factor * total[3];
    float diagonal = y[3] * norm + x[3] * factor * factor * total[7];
    s->diagonal[i] = diagonal > LEAST_DIAGONAL ? diagonal : LEAST_DIAGONAL;
  }
}

// Four numbers of a particle.
typedef float Quad __attribute__((vector_size(16)));

RV_INLINE Quad quad_set(float x) {
  return (Quad){x, x, x, x};
}

// Squares of the slopes from i over the pairs within h, times a number of each neighbour: what a diagonal sums.
RV_INLINE float sum_squares(const RvInterfaceSums* s, size_t i, const float* of) {
  const float* x = s->at + 4 * i;
  RvSphRow sum = rv_sph_set(0);
  EACH_NEAR(s, i, j) {
    RvSphRow4 p = rv_sph_gather4(s->at, j);
    RvSphRow d0 = rv_sph_set(x[0]) - p.x, d1 = rv_sph_set(x[1]) - p.y, d2 = rv_sph_set(x[2]) - p.z;
    RvSphRow square = d0 * d0 + d1 * d1 + d2 * d2;
    RvSphRow u;
    RvSphRow slope = slope_of(s, square, &u);
    sum += p.w * (slope * slope * square) * rv_sph_gather(of, j);
  }
  return x[3] * s->slope_factor * s->slope_factor * rv_sph_total(sum);
}

// Square of the gradient of the density of i by its own place, over its mass.
RV_INLINE float own_square(const RvInterfaceSums* s, size_t i) {
  const float* own = s->own + 4 * i;
  return s->drift[4 * i + 3] * (own[0] * own[0] + own[1] * own[1] + own[2] * own[2]);
}

void RV_KERNEL(rv_interface_load)(const RvInterfaceSums* s, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i)
    s->load[i] = own_square(s, i) / s->diagonal[i] + s->drift[4 * i + 3] * sum_squares(s, i, s->inverse_diagonal);
}

void RV_KERNEL(rv_interface_stiffen)(const RvInterfaceSums* s, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    // `load_light` is the load over the mass.
    float taken = own_square(s, i) * s->load[i] + sum_squares(s, i, s->load_light);
    s->diagonal[i] = taken > s->diagonal[i] ? taken : s->diagonal[i];
  }
}

//---------------------------------------------------------------------------------------------- pressure

void RV_KERNEL(rv_interface_push)(const RvInterfaceSums* s, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    const float* x = s->press + 4 * i;
    const RvSphRow x0 = rv_sph_set(x[0]), x1 = rv_sph_set(x[1]), x2 = rv_sph_set(x[2]);
    RvSphRow g0 = rv_sph_set(0), g1 = g0, g2 = g0;
    EACH_NEAR(s, i, j) {
      RvSphRow4 p = rv_sph_gather4(s->press, j);
      RvSphRow d0 = x0 - p.x, d1 = x1 - p.y, d2 = x2 - p.z;
      RvSphRow u;
      RvSphRow push = p.w * slope_of(s, d0 * d0 + d1 * d1 + d2 * d2, &u);
      g0 += push * d0;
      g1 += push * d1;
      g2 += push * d2;
    }
    float total[4] __attribute__((aligned(16)));
    rv_sph_totals(g0, g1, g2, g2, total);
    // (pi_i + pi_j) of each pair: the particle's own part is the gradient of its density. Four numbers at a time; the
    // fourth is none.
    Quad multiplier = quad_set(x[3] / s->at[4 * i + 3]);
    Quad light = quad_set(s->drift[4 * i + 3]);
    Quad own = *(const Quad*)(s->own + 4 * i);
    Quad push = multiplier * own + quad_set(s->slope_factor) * *(const Quad*)total;
    *(Quad*)(s->move + 4 * i) = *(const Quad*)(s->free_move + 4 * i) + light * push;
  }
}

RvInterfaceExcess RV_KERNEL(rv_interface_predict)(const RvInterfaceSums* s, size_t begin, size_t end) {
  RvInterfaceExcess excess = {0};
  for (size_t i = begin; i < end; ++i) {
    const float* x = s->at + 4 * i;
    const float* y = s->move + 4 * i;
    const RvSphRow x0 = rv_sph_set(x[0]), x1 = rv_sph_set(x[1]), x2 = rv_sph_set(x[2]);
    const RvSphRow y0 = rv_sph_set(y[0]), y1 = rv_sph_set(y[1]), y2 = rv_sph_set(y[2]);
    RvSphRow change = rv_sph_set(0);
    EACH_NEAR(s, i, j) {
      RvSphRow4 p = rv_sph_gather4(s->at, j);
      RvSphRow4 m = rv_sph_gather4(s->move, j);
      RvSphRow d0 = x0 - p.x, d1 = x1 - p.y, d2 = x2 - p.z;
      RvSphRow u;
      RvSphRow slope = slope_of(s, d0 * d0 + d1 * d1 + d2 * d2, &u);
      change += p.w * slope * (d0 * (y0 - m.x) + d1 * (y1 - m.y) + d2 * (y2 - m.z));
    }
    const float* solid = s->solid + 4 * i;
    float density = s->own[4 * i + 3] - s->slope_factor * rv_sph_total(change) +
                    (solid[0] * y[0] + solid[1] * y[1] + solid[2] * y[2]) + solid[3];
    float error = density - 1;
    // A step down the scaled gradient. The multiplier as a whole stays at or above 0, not its change (E69): a warm
    // start that pushes too much is taken back. The next step starts from beyond, by a share of the change (Nesterov
    // 1983).
    float next = s->press[4 * i + 3] + x[3] * s->relaxation * error / s->diagonal[i];
    next = next > 0 ? next : 0;
    float beyond = next + s->momentum * (next - s->multiplier[i]);
    for (size_t a = 0; a < 3; ++a) s->press_next[4 * i + a] = x[a];
    s->press_next[4 * i + 3] = beyond > 0 ? beyond : 0;
    s->multiplier[i] = next;
    // The residual of the complementarity problem: liquid that is too dense, or too thin although pressure pushes it
    // apart. Without the second a warm start that pushes too much would pass for solved, and drops would breathe.
    float held = s->press[4 * i + 3] / x[3] * s->diagonal[i];
    float thin = -error < held ? -error : held;
    float residual = error > 0 ? error : thin;
    excess.sum += (double)residual;
    excess.largest = error > excess.largest ? error : excess.largest;
  }
  return excess;
}

RvInterfaceExcess RV_KERNEL(rv_interface_correct)(const RvInterfaceSums* s, size_t begin, size_t end) {
  RvInterfaceExcess excess = {0};
  for (size_t i = begin; i < end; ++i) {
    const float* x = s->at + 4 * i;
    const float* y = s->move + 4 * i;
    RvSphRow change = rv_sph_set(0);
    EACH_NEAR(s, i, j) {
      RvSphRow4 p = rv_sph_gather4(s->at, j);
      RvSphRow4 m = rv_sph_gather4(s->move, j);
      RvSphRow d0 = rv_sph_set(x[0]) - p.x, d1 = rv_sph_set(x[1]) - p.y, d2 = rv_sph_set(x[2]) - p.z;
      RvSphRow before, after;
      slope_of(s, d0 * d0 + d1 * d1 + d2 * d2, &before);
      d0 += rv_sph_set(y[0]) - m.x;
      d1 += rv_sph_set(y[1]) - m.y;
      d2 += rv_sph_set(y[2]) - m.z;
      slope_of(s, d0 * d0 + d1 * d1 + d2 * d2, &after);
      change += p.w * (after - before);
    }
    const float* solid = s->solid + 4 * i;
    float density = s->own[4 * i + 3] + s->value_factor * rv_sph_total(change) +
                    (solid[0] * y[0] + solid[1] * y[1] + solid[2] * y[2]) + solid[3];
    float error = density - 1;
    float next = s->press[4 * i + 3] + x[3] * s->lattice_step * error / s->drift[4 * i + 3];
    for (size_t a = 0; a < 3; ++a) s->press_next[4 * i + a] = x[a];
    s->press_next[4 * i + 3] = next > 0 ? next : 0;
    // Thin liquid is a free surface here: pressures that push too much fall by themselves.
    excess.sum += (double)(error > 0 ? error : 0);
    excess.largest = error > excess.largest ? error : excess.largest;
  }
  return excess;
}
