// The contacts as one term of the energy of the strands' Newton solve: an RvOperator (math/operator.h).
//
// The energy E of a link depends on delta = sum_i w_i x_i alone, where the weights w of its four vertices are positive
// on the source edge and negative on the receiver (spec 1.2.5). So its gradient is w_i dE/d(delta) and its Hessian has
// the blocks H_ij = w_i w_j M, with one symmetric 3 x 3 matrix M = d2E/d(delta)2 a link.
//   - Blocks between the two vertices of one end lie in the band of that strand's batch: strand/band.h.
//   - Blocks between the two ends couple two strands: `gather` and `spread` apply them matrix-free. Links without a
//     Hessian are left out of both.
// A touch has one end; its delta is the point itself and all of its Hessian lies in the band.
//
// Where a batch has many ends, its sums go through ends_kernel.c, which gives the same bits (at_ends.h).
//
// Links are evaluated in two passes. The first interpolates a vector at all ends, the second evaluates eight links at a
// time (respond_kernel.c). Sums then go batch by batch over the batch's own ends, in the order of ends.c: there are no
// atomics, and the bits do not depend on the number of threads.
#include <math.h>

#include "base/parallel.h"
#include "contact/law.h"
#include "contact/store.h"
#include "strand/band.h"

enum { VERTEX_STRIDE = 4 * RV_LANES };  // numbers from one vertex to the next in a block: x, y, z, angle
enum { TASK_ENDS = 2048 };              // ends or links of one parallel task
// Ends to a vertex of all lanes from which on it pays to turn a batch's vectors, or its band (at_ends.h).
enum { MANY_ENDS = 4, MANY_ENDS_OF_BAND = 12 };
enum { TASK_BATCHES = 16 };  // batches of one parallel task where each only sums a few numbers

typedef struct Task {
  RvContacts* c;
  const double* in;  // [unknowns] q, or a vector that the Hessian is applied to
  double* out;       // [unknowns], or [batches x RV_LANES] for energies
} Task;

//---------------------------------------------------------------------------------------------- points of edges

static RvVec3 load3(const double* p) {
  return rv_vec3(p[0], p[RV_LANES], p[2 * RV_LANES]);
}

static void add3(double* p, double weight, RvVec3 f) {
  p[0] += weight * f.x;
  p[RV_LANES] += weight * f.y;
  p[2 * RV_LANES] += weight * f.z;
}

// Value of a vector at the point of an end.
static RvVec3 interpolate(const RvContactEnd* e, const double* in) {
  return rv_lerp(load3(in + e->unknown), load3(in + e->unknown + VERTEX_STRIDE), e->t);
}

// The transpose of `interpolate`: adds f to both vertices of the end's edge.
static void distribute(const RvContactEnd* e, RvVec3 f, double* out) {
  double t = e->t;
  add3(out + e->unknown, 1 - t, f);
  add3(out + e->unknown + VERTEX_STRIDE, t, f);
}

//---------------------------------------------------------------------------------------------- symmetric matrices

static RvVec3 sym_apply(const RvSym3f* s, RvVec3 v) {
  return rv_vec3(s->m[0] * v.x + s->m[1] * v.y + s->m[2] * v.z, s->m[1] * v.x + s->m[4] * v.y + s->m[5] * v.z,
                 s->m[2] * v.x + s->m[5] * v.y + s->m[6] * v.z);
}

// s += k v v^T
static void sym_add(RvSym3* s, double k, RvVec3 v) {
  s->m[0] += k * v.x * v.x;
  s->m[1] += k * v.x * v.y;
  s->m[2] += k * v.y * v.y;
  s->m[3] += k * v.x * v.z;
  s->m[4] += k * v.y * v.z;
  s->m[5] += k * v.z * v.z;
}

//---------------------------------------------------------------------------------------------- one touch

// Energy of a contact, its gradient and its Hessian with respect to delta.
typedef struct Response {
  double energy;
  RvVec3 gradient;
  RvSym3 hessian;
} Response;

// Position of delta relative to the contact: distance along the normal and slip across it.
typedef struct Offset {
  double distance;  // d
  double slid;      // |slip|
  RvVec3 slip;      // since the friction anchor
} Offset;

static Offset offset_of(const RvContactShape* s, RvVec3 delta) {
  double along = rv_dot(s->normal, delta);
  RvVec3 slip = rv_sub(rv_mad(delta, -along, s->normal), s->origin);
  return (Offset){along - s->offset, rv_length(slip), slip};
}

// Adds a bridge. Its distance D = d + (side . delta)^2 / 2 is that of parallel strands to second order in what lies
// beside the normal; the gradient of D, n + (side . delta) side, points from one to the other. A stretched bridge pulls
// less the farther it is stretched: its force has negative slope, which is replaced by 0 to keep the Hessian positive
// semidefinite (E46).
static inline void add_bridge(Response* out, const RvWetLaw* law, double d, RvVec3 normal, RvVec3 delta) {
  double sideways = rv_dot(law->side, delta);
  RvVec3 gradient = rv_mad(normal, sideways, law->side);
  RvWetForce f = rv_contact_wet_force(law, d + 0.5 * sideways * sideways);
  out->energy += f.energy;
  out->gradient = rv_mad(out->gradient, f.force, gradient);
  if (f.slope > 0) sym_add(&out->hessian, f.slope, gradient);
  if (f.force > 0) sym_add(&out->hessian, f.force, law->side);
}

// Evaluates one contact. `law` is NULL or has rupture 0 where there is no liquid.
// The Hessian is k n n^T + secant (I - n n^T) + (slope - secant) t t^T with k the slope of the normal force, t the
// direction of slip, and the slope and secant stiffness of friction. The true slope along t (0 while sliding) lets
// Newton overshoot between slip and stick; the secant alone, an upper bound, converges slowly. The careful choice is
// the mean of both. Links always use it (respond_kernel.c), which converged best between strands.
static inline Response evaluate(const RvContactShape* s, const RvWetLaw* law, RvVec3 delta, bool careful) {
  // Normal force.
  double d = rv_dot(s->normal, delta) - s->offset;
  RvContactForce normal = rv_contact_force(d, s->reach, s->width, s->stiffness);
  Response out = {normal.energy, rv_scale(s->normal, normal.force), {{0}}};
  bool bridged = law && law->rupture > 0;

  // Without friction that is all, but for the liquid.
  if (!(s->friction_limit > 0)) {
    if (normal.slope > 0) sym_add(&out.hessian, normal.slope, s->normal);
    if (bridged) add_bridge(&out, law, d, s->normal, delta);
    return out;
  }

  // Friction and liquid.
  Offset at = offset_of(s, delta);
  RvFrictionForce f = rv_contact_friction_force(at.slid, s->slip, s->friction_limit);
  out.hessian.m[0] = out.hessian.m[2] = out.hessian.m[5] = f.secant;
  sym_add(&out.hessian, normal.slope - f.secant, s->normal);
  if (at.slid > 0) sym_add(&out.hessian, (careful ? 0.5 : 1) * (f.slope - f.secant), rv_scale(at.slip, 1 / at.slid));
  if (bridged) add_bridge(&out, law, d, s->normal, delta);
  out.energy += f.energy;
  out.gradient = rv_mad(out.gradient, f.secant, at.slip);
  return out;
}

// The touches of one batch: adds their energies to `energy` [RV_LANES], their gradient to `gradient` and their Hessian
// to `band`, each where it is not NULL. q, gradient and band begin at the batch's first unknown.
static void add_touches(const RvContacts* c, size_t batch, const double* q, uint8_t careful, double* energy,
                        double* gradient, double* band) {
  size_t first = c->model->batches[batch].at;
  for (size_t k = c->touch_at[batch]; k < c->touch_at[batch + 1]; ++k) {
    const RvContactShape* shape = &c->touch_shapes.data[k];
    const RvWetLaw* law = c->touch_laws.count ? &c->touch_laws.data[k] : NULL;
    RvContactEnd e = c->touch_ends.data[k];
    e.unknown -= (uint32_t)first;
    uint32_t lane = e.unknown % RV_LANES;
    Response r = evaluate(shape, law, interpolate(&e, q), careful >> lane & 1);
    if (energy) energy[lane] += r.energy;
    if (gradient) distribute(&e, r.gradient, gradient);
    if (band) rv_strand_add_to_band(band, e.unknown, e.t, &r.hessian);
  }
}

//---------------------------------------------------------------------------------------------- all links

// Whether the ends of a batch are summed by the kernels: there are `least` to a vertex of all lanes, and the batch is
// short enough to be turned.
static bool are_many(const RvBatchEnds* at, size_t least) {
  return at->vertices <= RV_TURNED_VERTICES && at->count >= least * (size_t)at->vertices;
}

// All ends of a batch.
static RvBatchEnds all_ends(const RvContacts* c, size_t batch) {
  const RvStrandBatch* b = &c->model->batches[batch];
  const size_t first = c->end_at[batch];
  return (RvBatchEnds){c->ends.data + first, c->end_at[batch + 1] - first, b->at, b->vertices};
}

// The ends of a batch whose links have a Hessian.
static RvBatchEnds stiff_ends(const RvContacts* c, size_t batch) {
  const RvStrandBatch* b = &c->model->batches[batch];
  return (RvBatchEnds){c->stiff_ends.data + c->end_at[batch], c->stiff_count[batch], b->at, b->vertices};
}

// The vector p at some ends of one batch.
static void gather_ends(RvContacts* c, size_t batch, const RvBatchEnds* at, const double* p) {
  RvEndValue* values = c->end_values.data + c->end_at[batch];
  if (are_many(at, MANY_ENDS))
    rv_contact_gather_ends(at, p + at->first, values);
  else
    for (size_t k = 0; k < at->count; ++k) values[k].x = interpolate(&at->ends[k], p);
}

// First half of the matrix-free product.
static void gather(void* user, size_t batch, const double* p) {
  const RvBatchEnds at = stiff_ends(user, batch);
  gather_ends(user, batch, &at, p);
}

static void gather_batches(void* arg, size_t begin, size_t end) {
  const Task* task = arg;
  for (size_t batch = begin; batch < end; ++batch) {
    const RvBatchEnds at = all_ends(task->c, batch);
    gather_ends(task->c, batch, &at, task->in);
  }
}

// delta of the link in a slot, after `gather_batches` of all batches.
static RvVec3 delta_of(const RvContacts* c, size_t slot) {
  const uint32_t* end = &c->end_of.data[2 * slot];
  return rv_sub(c->end_values.data[end[0]].x, c->end_values.data[end[1]].x);
}

// Used slots of a block of eight: wet and dry links each end with a block that may be partly empty.
static size_t used_slots(const RvContacts* c, size_t block) {
  size_t first = block * RV_LINKS;
  size_t end = first < c->wet_slots ? c->wet_slots : c->slots;
  return end - first < RV_LINKS ? end - first : RV_LINKS;
}

// Energies, gradients and Hessians of some blocks of eight links.
static void evaluate_blocks(void* arg, size_t begin, size_t end) {
  RvContacts* c = ((Task*)arg)->c;
  double delta[3][RV_LINKS] __attribute__((aligned(64))) = {0};
  RvLinkResponse r;
  for (size_t block = begin; block < end; ++block) {
    size_t used = used_slots(c, block);
    size_t first = block * RV_LINKS;
    for (size_t k = 0; k < used; ++k) {
      RvVec3 x = delta_of(c, first + k);
      delta[0][k] = x.x;
      delta[1][k] = x.y;
      delta[2][k] = x.z;
    }
    const RvLawBlock* law = first < c->wet_slots ? &c->law_blocks.data[block] : NULL;
    rv_contact_respond_lanes(&c->blocks.data[block], law, delta[0], &r);
    for (size_t k = 0; k < used; ++k) {
      RvVec3 gradient = rv_vec3(r.gradient[0][k], r.gradient[1][k], r.gradient[2][k]);
      c->link_energies.data[first + k] = (RvLinkEnergy){gradient, r.energy[k]};
      float h[6];
      for (int m = 0; m < 6; ++m) h[m] = (float)r.hessian[m][k];
      c->hessian.data[first + k] = (RvSym3f){{h[0], h[1], h[3], 0, h[2], h[4], h[5]}};
    }
  }
}

// Evaluates all links at q, unless that was done already: Newton claims for the energy of a trial point, and for
// gradient and Hessian only if it accepts the point.
static void evaluate_links(RvContacts* c, const double* q) {
  if (c->evaluated_at == q) return;
  Task task = {c, q, NULL};
  rv_parallel_for(c->model->nbatch, 1, gather_batches, &task);
  rv_parallel_for(c->blocks.count, TASK_ENDS / RV_LINKS, evaluate_blocks, &task);
}

//---------------------------------------------------------------------------------------------- energy and gradient

// RvOperator.stays: q is unchanged until the next call, so what was evaluated there stays valid.
static void keep_evaluation(void* user, const double* q) {
  ((RvContacts*)user)->evaluated_at = q;
}

// Energies of some batches: half of each link's energy belongs to either of its strands.
static double sum_energies(void* arg, size_t begin, size_t end) {
  const Task* task = arg;
  const RvContacts* c = task->c;
  double sum = 0;
  for (size_t b = begin; b < end; ++b) {
    double own[RV_LANES] = {0};
    for (size_t k = c->end_at[b]; k < c->end_at[b + 1]; ++k) {
      const RvContactEnd* e = &c->ends.data[k];
      own[e->unknown % RV_LANES] += 0.5 * c->link_energies.data[e->link / 2].energy;
    }
    add_touches(c, b, task->in + c->model->batches[b].at, 0, own, NULL, NULL);
    for (int lane = 0; lane < RV_LANES; ++lane) sum += own[lane];
    for (int lane = 0; task->out && lane < RV_LANES; ++lane) task->out[b * RV_LANES + (size_t)lane] += own[lane];
  }
  return sum;
}

static double energy(void* user, const double* q, double* lanes) {
  RvContacts* c = user;
  Task task = {c, q, lanes};
  evaluate_links(c, q);
  return rv_parallel_sum(c->model->nbatch, TASK_BATCHES, sum_energies, &task);
}

// Gradients of some batches: the receiver's end has negative weights.
static void add_gradients(void* arg, size_t begin, size_t end) {
  const Task* task = arg;
  const RvContacts* c = task->c;
  for (size_t b = begin; b < end; ++b) {
    const RvBatchEnds at = all_ends(c, b);
    const bool many = are_many(&at, MANY_ENDS);
    if (many) rv_contact_push_ends(&at, c->link_energies.data, task->out + at.first);
    for (size_t k = 0; !many && k < at.count; ++k) {
      const RvContactEnd* e = &at.ends[k];
      bool receiver = e->link % 2;
      RvVec3 g = c->link_energies.data[e->link / 2].gradient;
      distribute(e, receiver ? rv_neg(g) : g, task->out);
    }
    add_touches(c, b, task->in + at.first, 0, NULL, task->out + at.first, NULL);
  }
}

static void gradient(void* user, const double* q, double* g) {
  RvContacts* c = user;
  Task task = {c, q, g};
  evaluate_links(c, q);
  rv_parallel_for(c->model->nbatch, 1, add_gradients, &task);
}

//---------------------------------------------------------------------------------------------- Hessian

// Whether a link has a Hessian. Links are made well before strands touch, so that most of a loose bundle have none.
static bool is_stiff(const RvSym3f* hessian) {
  const float* m = hessian->m;
  return m[0] != 0 || m[1] != 0 || m[2] != 0 || m[4] != 0 || m[5] != 0 || m[6] != 0;
}

// Lists the stiff ends of some batches, in the order of all ends.
static void list_stiff(void* arg, size_t begin, size_t end) {
  RvContacts* c = ((Task*)arg)->c;
  for (size_t batch = begin; batch < end; ++batch) {
    const size_t first = c->end_at[batch];
    size_t at = first;
    for (size_t k = first; k < c->end_at[batch + 1]; ++k) {
      if (!is_stiff(&c->hessian.data[c->ends.data[k].link / 2])) continue;
      c->stiff_of.data[k] = (uint32_t)at;
      c->stiff_ends.data[at++] = c->ends.data[k];
    }
    c->stiff_count[batch] = (uint32_t)(at - first);
  }
}

// Lets the stiff ends of some batches refer to each other.
static void join_stiff(void* arg, size_t begin, size_t end) {
  RvContacts* c = ((Task*)arg)->c;
  for (size_t batch = begin; batch < end; ++batch) {
    RvContactEnd* e = c->stiff_ends.data + c->end_at[batch];
    for (size_t k = 0; k < c->stiff_count[batch]; ++k) e[k].other = c->stiff_of.data[e[k].other];
  }
}

// Fixes the Hessian to that at q. `careful` concerns touches only: links are always evaluated carefully.
static void prepare(void* user, const double* q, const uint8_t* careful) {
  RvContacts* c = user;
  Task task = {c, q, NULL};
  c->hessian_at = q;
  c->careful = careful;
  evaluate_links(c, q);
  rv_parallel_for(c->model->nbatch, TASK_BATCHES, list_stiff, &task);
  rv_parallel_for(c->model->nbatch, TASK_BATCHES, join_stiff, &task);
}

// The part of the Hessian within the band of one batch.
static void diagonal(void* user, size_t batch, double* band) {
  const RvContacts* c = user;
  const RvBatchEnds at = stiff_ends(c, batch);
  const bool many = are_many(&at, MANY_ENDS_OF_BAND);
  if (many) rv_contact_band_ends(&at, c->hessian.data, band);
  for (size_t k = 0; !many && k < at.count; ++k) {
    const RvContactEnd* e = &at.ends[k];
    const float* m = c->hessian.data[e->link / 2].m;
    rv_strand_add_to_band(band, e->unknown - at.first, e->t, &(RvSym3){{m[0], m[1], m[4], m[2], m[5], m[6]}});
  }
  add_touches(c, batch, c->hessian_at + at.first, c->careful ? c->careful[batch] : 0, NULL, NULL, band);
}

// Second half of the product: -M p_other at each end, as the weights of the two ends have opposite signs.
static void spread(void* user, size_t batch, double* out) {
  const RvContacts* c = user;
  const RvBatchEnds at = stiff_ends(c, batch);
  const bool many = are_many(&at, MANY_ENDS);
  if (many) rv_contact_spread_ends(&at, c->end_values.data, c->hessian.data, out + at.first);
  for (size_t k = 0; !many && k < at.count; ++k) {
    const RvContactEnd* e = &at.ends[k];
    RvVec3 other = c->end_values.data[e->other].x;
    distribute(e, rv_neg(sym_apply(&c->hessian.data[e->link / 2], other)), out);
  }
}

// The terms of one batch alone. Links couple batches, so these are the touches.
static void block(void* user, size_t batch, const double* q, uint8_t careful, double* lanes, double* g, double* band) {
  add_touches(user, batch, q, careful, lanes, g, band);
}

static unsigned bridged_lanes(void* user, size_t batch) {
  return ((const RvContacts*)user)->bridged_lanes[batch];
}

//---------------------------------------------------------------------------------------------- groups of strands

// Number of the lane that holds an edge's strand, among those of all batches.
static uint32_t lane_of(const RvContacts* c, uint64_t edge) {
  const RvContactStrand* s = &c->strands[c->strand_of[edge]];
  return s->batch * RV_LANES + (uint32_t)s->lane;
}

// Joins the lanes that links couple.
static void groups(void* user, uint32_t* group) {
  const RvContacts* c = user;
  for (size_t k = 0; k < c->active; ++k)
    rv_operator_join(group, lane_of(c, c->keys.data[k] >> 32), lane_of(c, c->keys.data[k] & UINT32_MAX));
}

void rv_contact_bind_operator(RvContacts* c) {
  bool links = c->active > 0;
  c->evaluated_at = NULL;
  c->op = (RvOperator){.user = c,
                       .energy = energy,
                       .gradient = gradient,
                       .stays = keep_evaluation,
                       .prepare = prepare,
                       .diagonal = diagonal,
                       .gather = links ? gather : NULL,
                       .spread = links ? spread : NULL,
                       .block = block,
                       .held = c->wet ? bridged_lanes : NULL,
                       .groups = groups};
}

//---------------------------------------------------------------------------------------------- after the step

// Slip that friction still holds at the end of a step: at most the slip of full friction, and none where the surfaces
// do not push, from `parted` on: d0, or B with a bridge. The friction anchor follows the remainder.
static RvVec3 remaining_slip(const RvContactShape* s, double parted, RvVec3 delta) {
  Offset at = offset_of(s, delta);
  bool pressed = at.distance < parted && s->friction_limit > 0;
  if (!pressed) return rv_vec3(0, 0, 0);
  return at.slid > s->slip ? rv_scale(at.slip, s->slip / at.slid) : at.slip;
}

// Slip and age of some blocks of links.
static void accept_blocks(void* arg, size_t begin, size_t end) {
  RvContacts* c = ((Task*)arg)->c;
  for (size_t block = begin; block < end; ++block)
    for (size_t k = 0; k < used_slots(c, block); ++k) {
      const RvLinkBlock* from = &c->blocks.data[block];
      size_t slot = block * RV_LINKS + k;
      RvContactShape s = {.normal = rv_vec3(from->normal[0][k], from->normal[1][k], from->normal[2][k]),
                          .origin = rv_vec3(from->origin[0][k], from->origin[1][k], from->origin[2][k]),
                          .reach = from->reach[k],
                          .friction_limit = from->friction_limit[k],
                          .slip = from->slip[k]};
      RvLinkMemory* memory = &c->memory.data[c->link_of.data[slot]];
      double parted = slot < c->wet_slots ? c->law_blocks.data[block].turn[k] : s.reach;
      memory->slip = rv_contact_float3(remaining_slip(&s, parted, delta_of(c, slot)));
      memory->age++;
    }
}

// Slip and age of some touches.
static void accept_touches(void* arg, size_t begin, size_t end) {
  const Task* task = arg;
  RvContacts* c = task->c;
  for (size_t k = begin; k < end; ++k) {
    RvVec3 x = interpolate(&c->touch_ends.data[k], task->in);
    const RvContactShape* s = &c->touch_shapes.data[k];
    bool bridged = c->touch_laws.count && c->touch_laws.data[k].rupture > 0;
    c->touch_memory.data[k].slip = remaining_slip(s, bridged ? c->touch_laws.data[k].turn : s->reach, x);
    c->touch_memory.data[k].age++;
  }
}

void rv_contacts_accept(RvContacts* c, const double* q) {
  Task task = {c, q, NULL};
  rv_parallel_for(c->model->nbatch, 1, gather_batches, &task);
  rv_parallel_for(c->blocks.count, TASK_ENDS / RV_LINKS, accept_blocks, &task);
  rv_parallel_for(c->touch_keys.count, TASK_ENDS, accept_touches, &task);
  c->accepted = true;
  c->begun = true;
}
