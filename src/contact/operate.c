// The contacts as an operator of the strands' Newton.
//
// With w the weights of a link's ends (the source's positive, the receiver's negative), delta = sum w_i x_i, and H_ij =
// w_i w_j M with one 3 x 3 matrix M a link. What joins the two vertices of one end goes to the band of its batch; what
// joins the two ends is left to gather and spread. All sums over links go batch by batch over its own ends.
#include <math.h>

#include "base/parallel.h"
#include "contact/law.h"
#include "contact/store.h"

typedef struct Job {
  RvContacts* c;
  const double* in;
  double* out;
} Job;

static RvVec3 load3(const double* p) {
  return rv_vec3(p[0], p[RV_LANES], p[2 * RV_LANES]);
}

static void add3(double* p, double w, RvVec3 f) {
  p[0] += w * f.x;
  p[RV_LANES] += w * f.y;
  p[2 * RV_LANES] += w * f.z;
}

static RvVec3 value_of(const RvContactEnd* e, const double* in) {
  return rv_lerp(load3(in + e->place), load3(in + e->place + 4 * RV_LANES), e->t);
}

static void spread(const RvContactEnd* e, RvVec3 f, double* out) {
  double t = e->t;
  add3(out + e->place, 1 - t, f);
  add3(out + e->place + 4 * RV_LANES, t, f);
}

static RvVec3 sym_apply(const RvSym3f* s, RvVec3 v) {
  return rv_vec3(s->m[0] * v.x + s->m[1] * v.y + s->m[3] * v.z, s->m[1] * v.x + s->m[2] * v.y + s->m[4] * v.z,
                 s->m[3] * v.x + s->m[4] * v.y + s->m[5] * v.z);
}

static void sym_add(RvSym3* s, double k, RvVec3 v) {
  s->m[0] += k * v.x * v.x;
  s->m[1] += k * v.x * v.y;
  s->m[2] += k * v.y * v.y;
  s->m[3] += k * v.x * v.z;
  s->m[4] += k * v.y * v.z;
  s->m[5] += k * v.z * v.z;
}

//---------------------------------------------------------------------------------------------- one contact

typedef struct Split {
  double d, slid;
  RvVec3 slip;
} Split;

static Split split(const RvContactShape* s, RvVec3 delta) {
  double along = rv_dot(s->normal, delta);
  RvVec3 slip = rv_sub(rv_mad(delta, -along, s->normal), s->origin);
  return (Split){along - s->offset, rv_length(slip), slip};
}

// the distance of a bridge, and which way it grows
static double reach_of_bridge(const RvWetLaw* w, double d, RvVec3 normal, RvVec3 delta, RvVec3* way) {
  double aside = rv_dot(w->side, delta) - w->shift;
  *way = rv_mad(normal, aside, w->side);
  return d + 0.5 * aside * aside;
}

static bool is_wet(const RvWetLaw* w) {
  return w && w->rupture > 0;
}

// Energy of a contact, its gradient and its Hessian, together: most of what they need they have in common.
typedef struct Response {
  double energy;
  RvVec3 gradient;
  RvSym3 hessian;
} Response;

// E46: a bridge pulls less the farther it is stretched; there its tangent bounds its energy from above, so the slope
// that is taken is never below 0. What it pulls sideways is stiffness.
static inline void add_bridge(Response* out, const RvWetLaw* w, double d, RvVec3 normal, RvVec3 delta) {
  RvVec3 way;
  RvWetForce f = rv_contact_wet_force(w, reach_of_bridge(w, d, normal, delta, &way));
  out->energy += f.energy;
  out->gradient = rv_mad(out->gradient, f.force, way);
  if (f.slope > 0) sym_add(&out->hessian, f.slope, way);
  if (f.force > 0) sym_add(&out->hessian, f.force, w->side);
}

// Slope n n^T + pull (I - n n^T) + (bend - pull) t t^T, t the direction of the slip. Friction's true slope along it
// (bend = 0 in sliding) lets Newton overshoot from slip to stick and back; the secant (bend = pull), which bounds it
// from above, comes slowly to rest. Halfway is the careful choice, and between strands always did best.
static inline Response respond(const RvContactShape* s, const RvWetLaw* w, RvVec3 delta, bool careful) {
  double d = rv_dot(s->normal, delta) - s->offset;
  RvContactForce dry = rv_contact_force(d, s->reach, s->width, s->stiffness);
  Response out = {dry.energy, rv_scale(s->normal, dry.force), {{0}}};
  if (!(s->limit > 0)) {
    if (dry.slope > 0) sym_add(&out.hessian, dry.slope, s->normal);
    if (is_wet(w)) add_bridge(&out, w, d, s->normal, delta);
    return out;
  }
  Split at = split(s, delta);
  RvFrictionForce f = rv_contact_friction_force(at.slid, s->slip, s->limit);
  out.hessian.m[0] = out.hessian.m[2] = out.hessian.m[5] = f.pull;
  sym_add(&out.hessian, dry.slope - f.pull, s->normal);
  if (at.slid > 0) sym_add(&out.hessian, (careful ? 0.5 : 1) * (f.slope - f.pull), rv_scale(at.slip, 1 / at.slid));
  if (is_wet(w)) add_bridge(&out, w, d, s->normal, delta);
  out.energy += f.energy;
  out.gradient = rv_mad(out.gradient, f.pull, at.slip);
  return out;
}

//---------------------------------------------------------------------------------------------- one block

// the blocks of the two vertices of an end; `at` is its place within the batch
static void add_blocks(double* band, size_t at, double t, const RvSym3* h) {
  static const int8_t place[3][3] = {{0, 1, 3}, {1, 2, 4}, {3, 4, 5}};
  size_t row = at / RV_LANES, lane = at % RV_LANES, stride = (RV_ROD_BAND + 1) * RV_LANES;
  double w[2] = {1 - t, t};
  for (size_t i = 0; i < 2; ++i)
    for (size_t r = 0; r < 3; ++r) {
      double* column = band + (row + 4 * i + r) * stride + lane;
      for (size_t s = r; s < 3; ++s) column[(s - r) * RV_LANES] += w[i] * w[i] * h->m[place[r][s]];
      if (i > 0) continue;
      for (size_t s = 0; s < 3; ++s) column[(4 + s - r) * RV_LANES] += w[0] * w[1] * h->m[place[r][s]];
    }
}

// the touches of a block, whose q, gradient and band are its own
static void touch_block(const RvContacts* c, size_t block, const double* q, uint8_t careful, double* lanes, double* g,
                        double* band) {
  size_t first = c->model->batches[block].at;
  for (size_t k = c->touch_at[block]; k < c->touch_at[block + 1]; ++k) {
    const RvContactShape* shape = &c->touch_shapes.data[k];
    const RvWetLaw* law = c->touch_laws.count ? &c->touch_laws.data[k] : NULL;
    RvContactEnd e = c->touch_ends.data[k];
    e.place -= (uint32_t)first;
    RvVec3 at = value_of(&e, q);
    Response r = respond(shape, law, at, careful >> e.place % RV_LANES & 1);
    if (lanes) lanes[e.place % RV_LANES] += r.energy;
    if (g) spread(&e, r.gradient, g);
    if (band) add_blocks(band, e.place, e.t, &r.hessian);
  }
}

static void block(void* user, size_t index, const double* q, uint8_t careful, double* lanes, double* g, double* band) {
  touch_block(user, index, q, careful, lanes, g, band);
}

//---------------------------------------------------------------------------------------------- all

static void gather_ends(void* arg, size_t begin, size_t end) {
  Job* j = arg;
  for (size_t k = begin; k < end; ++k) j->c->value.data[k] = value_of(&j->c->ends.data[k], j->in);
}

static RvVec3 delta_of(const RvContacts* c, size_t slot) {
  return rv_sub(c->value.data[c->end_of.data[2 * slot]], c->value.data[c->end_of.data[2 * slot + 1]]);
}

// the slots of a block that are used
static size_t used_of(const RvContacts* c, size_t block) {
  size_t first = block * RV_LINKS, end = first < c->wet_slots ? c->wet_slots : c->slots;
  return end - first < RV_LINKS ? end - first : RV_LINKS;
}

static void respond_blocks(void* arg, size_t begin, size_t end) {
  RvContacts* c = ((Job*)arg)->c;
  double delta[3][RV_LINKS] __attribute__((aligned(64))) = {0};
  RvLinkResponse r;
  for (size_t b = begin; b < end; ++b) {
    size_t used = used_of(c, b), first = b * RV_LINKS;
    for (size_t k = 0; k < used; ++k) {
      RvVec3 x = delta_of(c, first + k);
      delta[0][k] = x.x;
      delta[1][k] = x.y;
      delta[2][k] = x.z;
    }
    rv_contact_respond_lanes(&c->blocks.data[b], first < c->wet_slots ? &c->law_blocks.data[b] : NULL, delta[0], &r);
    for (size_t k = 0; k < used; ++k) {
      c->push.data[first + k] =
          (RvLinkPush){r.energy[k], rv_vec3(r.gradient[0][k], r.gradient[1][k], r.gradient[2][k])};
      for (size_t i = 0; i < 6; ++i) c->hessian.data[first + k].m[i] = (float)r.hessian[i][k];
    }
  }
}

enum { GRAIN = 2048 };

// All of the links at q. Newton asks for the energy where it may go, and then, if it went there, for the rest.
static void respond_at(RvContacts* c, const double* q) {
  if (c->responded_at == q) return;
  Job j = {c, q, NULL};
  rv_parallel_for(c->ends.count, GRAIN, gather_ends, &j);
  rv_parallel_for(c->blocks.count, GRAIN / RV_LINKS, respond_blocks, &j);
}

static void stays(void* user, const double* q) {
  ((RvContacts*)user)->responded_at = q;
}

static double share_energies(void* arg, size_t begin, size_t end) {
  const Job* j = arg;
  const RvContacts* c = j->c;
  double sum = 0;
  for (size_t b = begin; b < end; ++b) {
    double own[RV_LANES] = {0};
    for (size_t k = c->end_at[b]; k < c->end_at[b + 1]; ++k)
      own[c->ends.data[k].place % RV_LANES] += 0.5 * c->push.data[c->ends.data[k].link / 2].energy;
    touch_block(c, b, j->in + c->model->batches[b].at, 0, own, NULL, NULL);
    for (int lane = 0; lane < RV_LANES; ++lane) sum += own[lane];
    for (int lane = 0; j->out && lane < RV_LANES; ++lane) j->out[b * RV_LANES + (size_t)lane] += own[lane];
  }
  return sum;
}

static double energy(void* user, const double* q, double* lanes) {
  RvContacts* c = user;
  Job j = {c, q, lanes};
  respond_at(c, q);
  return rv_parallel_sum(c->model->nbatch, 16, share_energies, &j);
}

static void spread_forces(void* arg, size_t begin, size_t end) {
  const Job* j = arg;
  const RvContacts* c = j->c;
  for (size_t b = begin; b < end; ++b) {
    for (size_t k = c->end_at[b]; k < c->end_at[b + 1]; ++k) {
      const RvContactEnd* e = &c->ends.data[k];
      RvVec3 f = c->push.data[e->link / 2].force;
      spread(e, e->link % 2 ? rv_neg(f) : f, j->out);
    }
    size_t at = c->model->batches[b].at;
    touch_block(c, b, j->in + at, 0, NULL, j->out + at, NULL);
  }
}

static void gradient(void* user, const double* q, double* g) {
  RvContacts* c = user;
  Job j = {c, q, g};
  respond_at(c, q);
  rv_parallel_for(c->model->nbatch, 1, spread_forces, &j);
}

static void prepare(void* user, const double* q, const uint8_t* careful) {
  RvContacts* c = user;
  c->prepared = q;
  c->careful = careful;
  respond_at(c, q);
}

static void diagonal(void* user, size_t index, double* band) {
  const RvContacts* c = user;
  size_t first = c->model->batches[index].at;
  for (size_t k = c->end_at[index]; k < c->end_at[index + 1]; ++k) {
    const RvContactEnd* e = &c->ends.data[k];
    RvSym3 h;
    for (int i = 0; i < 6; ++i) h.m[i] = c->hessian.data[e->link / 2].m[i];
    add_blocks(band, e->place - first, e->t, &h);
  }
  touch_block(c, index, c->prepared + first, c->careful ? c->careful[index] : 0, NULL, NULL, band);
}

static void gather(void* user, size_t index, const double* p) {
  RvContacts* c = user;
  for (size_t k = c->end_at[index]; k < c->end_at[index + 1]; ++k) c->value.data[k] = value_of(&c->ends.data[k], p);
}

static void spread_products(void* user, size_t index, double* out) {
  const RvContacts* c = user;
  for (size_t k = c->end_at[index]; k < c->end_at[index + 1]; ++k) {
    const RvContactEnd* e = &c->ends.data[k];
    RvVec3 other = c->value.data[e->other];
    spread(e, rv_neg(sym_apply(&c->hessian.data[e->link / 2], other)), out);
  }
}

static unsigned held(void* user, size_t index) {
  return ((const RvContacts*)user)->held[index];
}

static uint32_t root_of(uint32_t* group, uint32_t k) {
  while (group[k] != k) k = group[k] = group[group[k]];
  return k;
}

static uint32_t lane_of(const RvContacts* c, uint64_t edge) {
  const RvContactStrand* s = &c->strands[c->strand_of[edge]];
  return s->batch * RV_LANES + (uint32_t)s->lane;
}

static void groups(void* user, uint32_t* group) {
  const RvContacts* c = user;
  uint32_t count = (uint32_t)(c->model->nbatch * RV_LANES);
  for (uint32_t k = 0; k < count; ++k) group[k] = k;
  for (size_t k = 0; k < c->active; ++k) {
    uint32_t a = root_of(group, lane_of(c, c->keys.data[k] >> 32)),
             b = root_of(group, lane_of(c, c->keys.data[k] & UINT32_MAX));
    if (a != b) group[a > b ? a : b] = a > b ? b : a;
  }
  for (uint32_t k = 0; k < count; ++k) group[k] = root_of(group, k);
}

void rv_contact_bind_operator(RvContacts* c) {
  c->responded_at = NULL;
  bool joins = c->active > 0;
  c->op = (RvOperator){c,
                       energy,
                       gradient,
                       stays,
                       prepare,
                       diagonal,
                       joins ? gather : NULL,
                       joins ? spread_products : NULL,
                       block,
                       c->wet ? held : NULL,
                       groups};
}

//---------------------------------------------------------------------------------------------- after the step

// Slip that friction could not hold is gone; what is left of it stays. No pressure, no memory.
static RvVec3 slip_left(const RvContactShape* s, RvVec3 delta) {
  Split at = split(s, delta);
  if (!(at.d < s->reach) || !(s->limit > 0)) return rv_vec3(0, 0, 0);
  return at.slid > s->slip ? rv_scale(at.slip, s->slip / at.slid) : at.slip;
}

static void accept_blocks(void* arg, size_t begin, size_t end) {
  RvContacts* c = ((Job*)arg)->c;
  for (size_t b = begin; b < end; ++b)
    for (size_t k = 0; k < used_of(c, b); ++k) {
      const RvLinkBlock* from = &c->blocks.data[b];
      RvContactShape s = {.normal = rv_vec3(from->normal[0][k], from->normal[1][k], from->normal[2][k]),
                          .origin = rv_vec3(from->origin[0][k], from->origin[1][k], from->origin[2][k]),
                          .reach = from->reach[k],
                          .limit = from->limit[k],
                          .slip = from->slip[k]};
      RvLinkMemory* memory = &c->memory.data[c->link_of.data[b * RV_LINKS + k]];
      memory->slip = rv_contact_float3(slip_left(&s, delta_of(c, b * RV_LINKS + k)));
      memory->age++;
    }
}

static void accept_touches(void* arg, size_t begin, size_t end) {
  const Job* j = arg;
  RvContacts* c = j->c;
  for (size_t k = begin; k < end; ++k) {
    c->touch_memory.data[k].slip = slip_left(&c->touch_shapes.data[k], value_of(&c->touch_ends.data[k], j->in));
    c->touch_memory.data[k].age++;
  }
}

void rv_contacts_accept(RvContacts* c, const double* q) {
  Job j = {c, q, NULL};
  rv_parallel_for(c->ends.count, GRAIN, gather_ends, &j);
  rv_parallel_for(c->blocks.count, GRAIN / RV_LINKS, accept_blocks, &j);
  rv_parallel_for(c->touch_keys.count, GRAIN, accept_touches, &j);
  c->accepted = c->begun = true;
}
