// Transfer: all hairs follow a few guides that were simulated.
#include <string.h>

#include "base/array.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "math/scalar.h"
#include "mesh/skin.h"
#include "mesh/xform.h"
#include "node/shape/select.h"
#include "node/transfer/transfer.h"
#include "parm/table.h"

#define TRANSFER_PARMS(X)                                                                                           \
  X(STRING, group, "Group", "", "Hairs that follow; all if empty. The others stay.")                                \
  X(INT, maxguides, "Guides per Hair", 4, HARD(1), HARD(16), "",                                                    \
    "Nearest guides that a hair goes by. 1 makes wisps that move as one; more is smoother.")                        \
  X(TOGGLE, keeplength, "Keep Length", true,                                                                        \
    "Every segment keeps its length. Off, hairs stretch with the guides and shrink between guides that part.")      \
  X(FLOAT, window, "Curl Window", 0.05, HARD(0), SOFT(0.1), "m",                                                    \
    "Length of a guide that tells how the hair about it has turned. At least the pitch of its curls, else hair is " \
    "wound about them.")                                                                                            \
  X(STRING, attribs, "Attributes", "v wetness filmheight filmv waterload absorbed clumpid",                         \
    "Point attributes of the simulated guides that hairs take on: names and patterns, ^ before what not to take.")  \
  X(FOLDER, "Wet Clumps")                                                                                           \
  X(FLOAT, blend, "Clump Blend", 1, HARD(0), HARD(1), "", "How far wet hairs go to the clump of their guide.")      \
  X(RAMP, wetramp, "Wetness Ramp", "0 0 smooth, 0.5 1 smooth", "How far, by the guide's wetness there.")            \
  X(RAMP, clumpprofile, "Clump Profile", "0 0 smooth, 0.5 1 smooth", "How far, from root to tip.")                  \
  X(FLOAT, spacing, "Hair Spacing", 1.2, HARD(0), SOFT(3), "",                                                      \
    "Distance of hairs in a full clump, in their diameters: 1 lets them touch.")                                    \
  X(FLOAT, strayamount, "Stray Amount", 0.03, HARD(0), HARD(1), "",                                                 \
    "Share of hairs that only go a part of the way, each its own.")                                                 \
  X(STRING, wetnessattrib, "Wetness Attribute", "wetness",                                                          \
    "Point attribute of the guides that tells how wet they are.")                                                   \
  X(FOLDER, "Roots")                                                                                                \
  X(STRING, primnumattrib, "Primitive Number", "skinprim", "Primitive attribute with the root's skin primitive.")   \
  X(STRING, primuvwattrib, "Primitive UVW", "skinprimuv", "Primitive attribute with the root's place on it.")
RV_PARM_TABLE(TransferParms, transfer_table, TRANSFER_PARMS)

// curls that run farther apart than this (m) are different curls
#define ALIKE 1e-3

// a human hair's diameter (m), where hairs have none
#define DIAMETER 8e-5
// random numbers of strays
#define STREAM_STRAY 14

// point values that turn with the hair
typedef struct Turned {
  RvTag tag;
  RvStorage storage;
  int size;
  void* values;
} Turned;

typedef struct Transfer {
  RvCook* cook;
  const TransferParms* p;
  double meters;  // a unit
  RvTransferGuides guides;
  RvTransferBind* bind;
  RvTransferValues values;
  RvTransferClump clump;
  RvDetail* out;
  size_t nhair;
  int longest;       // vertices of a hair
  int32_t* prim;     // [nhair] hairs that follow
  double* diameter;  // [nhair]
  RvVec3* held;      // [nhair] where the skin has the roots; not finite: nowhere. NULL: no skin
  int32_t* mover;    // of each point: the vertex with which it moves, -1 none
  const float* rest;
  float* P;
  RV_ARRAY(Turned) turned;
} Transfer;

//---------------------------------------------------------------------------------------------- carrying

// How one point of a hair goes by its guides: from the mean of their places at rest to the mean of the moved ones, with
// the mean of their turns.
typedef struct Carried {
  RvVec3 place;
  RvQuat turn;
} Carried;

static Carried carry_point(const RvTransferSample* samples, const RvTransferSpot* spot, RvVec3 x) {
  double from[3] = {0}, to[3] = {0}, turn[4] = {0};
  for (int j = 0; j < spot->count; ++j) {
    const RvTransferSample *a = samples + spot->at[j], *b = a + 1;
    double u = spot->weight[j] * (1 - spot->share[j]), v = spot->weight[j] * spot->share[j], dot = 0;
    for (int c = 0; c < 3; ++c) from[c] += u * a->rest[c] + v * b->rest[c];
    for (int c = 0; c < 3; ++c) to[c] += u * a->moved[c] + v * b->moved[c];
    // q and -q are one turn: take the one on the side of the nearest guide's
    for (int c = 0; c < 4; ++c) dot += turn[c] * a->turn[c];
    if (dot < 0) {
      u = -u;
      v = -v;
    }
    for (int c = 0; c < 4; ++c) turn[c] += u * a->turn[c] + v * b->turn[c];
    // and what the guide's curls did, as far as the hair has the same
    for (int c = 0; c < 3; ++c) to[c] += spot->alike[j] * (a->curl[c] + spot->share[j] * (b->curl[c] - a->curl[c]));
  }
  Carried out = {.turn = rv_quat_normalize((RvQuat){turn[0], turn[1], turn[2], turn[3]})};
  out.place = rv_add(rv_vec3_load64(to), rv_quat_rotate(out.turn, rv_sub(x, rv_vec3_load64(from))));
  return out;
}

// Moves the spot on to a distance from the root. Beyond a guide's tip its last sample holds.
static void advance(const RvTransferGuides* g, const int32_t* guide, double along, RvTransferSpot* spot) {
  for (int j = 0; j < spot->count; ++j) {
    int32_t at = spot->at[j], last = g->first[guide[j] + 1] - 2;
    const RvTransferSample* s = g->samples;
    while (at < last && s[at + 1].along <= along) ++at;
    double length = s[at + 1].along - s[at].along, share = length > 0 ? (along - s[at].along) / length : 0;
    spot->at[j] = at;
    spot->share[j] = share < 1 ? share : 1;
  }
}

static void turn_values(const Transfer* t, size_t point, RvQuat q) {
  RvMat3 m = rv_quat_matrix(q);
  RvXform x = {.linear = m, .normal = m, .rotation = m};
  for (size_t k = 0; k < t->turned.count; ++k) {
    const Turned* a = &t->turned.data[k];
    if (a->tag == RV_TAG_QUATERNION && a->storage == RV_F32) {
      float* o = (float*)a->values + 4 * point;
      RvQuat r = rv_quat_mul(q, (RvQuat){o[0], o[1], o[2], o[3]});
      o[0] = (float)r.x;
      o[1] = (float)r.y;
      o[2] = (float)r.z;
      o[3] = (float)r.w;
    } else
      rv_xform_element(&x, a->tag, a->storage, a->size, a->values, point);
  }
}

// and then the shortest way from where the hair was carried to where it goes
static RvQuat turned_on(RvQuat turn, RvVec3 from, RvVec3 to) {
  RvVec3 a = rv_normalize(from, rv_vec3(0, 0, 0)), b = rv_normalize(to, rv_vec3(0, 0, 0));
  if (!(rv_dot(a, a) > 0 && rv_dot(b, b) > 0)) return turn;
  return rv_quat_normalize(rv_quat_mul(rv_quat_between(a, b), turn));
}

// A hair on its way from root to tip.
typedef struct Walk {
  RvTransferSpot spot;
  const int32_t* guide;
  const float* slot;       // NULL: the hair is dry
  double diameter, stray;  // of its clump; 1: goes all the way
  double along, whole;     // from the root, and to the tip; the latter of wet hairs
  double wet, amount;      // how far it goes by its own guide alone, and how far it is in the clump
  RvVec3 clump;            // its place there
  RvVec3 rest, carried, aim, place;
} Walk;

static double length_of(const Transfer* t, size_t prim) {
  const int32_t *start = rv_detail_prim_start(t->out), *point = rv_detail_vertex_point(t->out);
  double sum = 0;
  for (int32_t v = start[prim] + 1; v < start[prim + 1]; ++v)
    sum += rv_distance(rv_vec3_load(t->rest + 3 * (size_t)point[v - 1]), rv_vec3_load(t->rest + 3 * (size_t)point[v]));
  return sum;
}

static Walk begin_walk(const Transfer* t, size_t hair) {
  size_t most = (size_t)t->bind->most, prim = (size_t)t->prim[hair];
  Walk w = {.guide = t->bind->guide + hair * most, .stray = 1};
  w.spot = (RvTransferSpot){.weight = t->bind->weight + hair * most, .alike = t->bind->alike + hair * most};
  while (w.spot.count < t->bind->most && w.guide[w.spot.count] >= 0) ++w.spot.count;
  for (int j = 0; j < w.spot.count; ++j) w.spot.at[j] = t->guides.first[w.guide[j]];
  w.spot.own = t->bind->own[hair];
  int32_t own = w.guide[w.spot.own];
  if (!t->clump.locks || !(t->clump.most[own] > 0)) return w;
  w.slot = t->bind->slot + 2 * hair;
  w.diameter = t->bind->diameter[own];
  w.whole = length_of(t, prim);
  if (t->p->strayamount > 0 && rv_random(0, STREAM_STRAY, prim, 0) < t->p->strayamount)
    w.stray = rv_random(0, STREAM_STRAY, prim, 1);
  return w;
}

// Where in its clump the point is to be, and how wet it is. Hair beyond a wet place hangs on with it.
static void find_clump(const Transfer* t, Walk* w) {
  double wet, u = w->whole > 0 ? w->along / w->whole : 0;
  w->clump = rv_transfer_clump_place(&t->clump, &t->guides, &w->spot, w->along, w->slot, w->diameter, &wet);
  double profile = w->along > 0 ? rv_clamp(rv_ramp_eval(&t->p->clumpprofile, u), 0, 1) : 0;
  w->wet = rv_max(w->wet, w->stray * wet);
  w->amount = rv_max(w->amount, w->stray * wet * profile);
}

// A wet lock moves as one: the wetter, the more a hair goes by its own guide alone.
static Carried carry(const Transfer* t, const Walk* w, RvVec3 x) {
  if (!(w->wet > 0)) return carry_point(t->guides.samples, &w->spot, x);
  int k = w->spot.own;
  const double one = 1, alike = w->spot.alike[k] / w->spot.weight[k];
  RvTransferSpot own = {.count = 1, .weight = &one, .alike = &alike};
  own.at[0] = w->spot.at[k];
  own.share[0] = w->spot.share[k];
  Carried a = carry_point(t->guides.samples, &own, x);
  if (w->wet >= 1) return a;
  Carried b = carry_point(t->guides.samples, &w->spot, x);
  double u = rv_quat_dot(a.turn, b.turn) < 0 ? -w->wet : w->wet, v = 1 - w->wet;
  a.place = rv_lerp(b.place, a.place, w->wet);
  a.turn = rv_quat_normalize((RvQuat){u * a.turn.x + v * b.turn.x, u * a.turn.y + v * b.turn.y,
                                      u * a.turn.z + v * b.turn.z, u * a.turn.w + v * b.turn.w});
  return a;
}

// One step along the hair. What a wet hair is beside its aim, as lengths are kept, it makes up for on its way.
static RvVec3 step_on(const Transfer* t, const Walk* w, RvVec3 aim, RvVec3 edge, RvQuat turn, double length) {
  RvVec3 step = rv_sub(aim, w->aim);
  double way = rv_length(step);
  if (!t->p->keeplength) return step;
  // where guides go against each other the step may come to nothing: the turn is left
  if (!(way > 1e-3 * length)) return rv_quat_rotate(turn, edge);
  if (w->amount > 0) {
    RvVec3 off = rv_sub(w->aim, w->place);
    off = rv_mad(off, -rv_dot(off, step) / (way * way), step);
    // at most half the step's length, so that no hair turns at right angles
    step = rv_mad(step, w->amount * length / (length + 2 * rv_length(off)), off);
    way = rv_length(step);
  }
  return rv_scale(step, length / way);
}

static void carry_hair(const Transfer* t, size_t hair) {
  const int32_t *start = rv_detail_prim_start(t->out), *point = rv_detail_vertex_point(t->out);
  size_t prim = (size_t)t->prim[hair];
  Walk w = begin_walk(t, hair);
  w.rest = rv_vec3_load(t->rest + 3 * (size_t)point[start[prim]]);
  for (int32_t v = start[prim]; v < start[prim + 1]; ++v) {
    size_t p = (size_t)point[v];
    RvVec3 x = rv_vec3_load(t->rest + 3 * p), edge = rv_sub(x, w.rest);
    double length = rv_length(edge);
    w.along += length;
    advance(&t->guides, w.guide, w.along, &w.spot);
    if (w.slot) find_clump(t, &w);
    Carried c = carry(t, &w, x);
    RvVec3 aim = w.amount > 0 ? rv_lerp(c.place, w.clump, w.amount) : c.place;
    RvQuat turn = c.turn;
    if (v == start[prim]) {
      w.place = t->held && rv_vec3_finite(t->held[hair]) ? t->held[hair] : aim;
    } else {
      RvVec3 step = step_on(t, &w, aim, edge, c.turn, length);
      w.place = rv_add(w.place, step);
      if (w.amount > 0 && t->turned.count) turn = turned_on(turn, rv_sub(c.place, w.carried), step);
    }
    w.rest = x;
    w.carried = c.place;
    w.aim = aim;
    if (t->mover[p] != v) continue;
    rv_vec3_store(t->P + 3 * p, w.place);
    if (t->turned.count) turn_values(t, p, turn);
    rv_transfer_values_set(&t->values, &t->guides, &w.spot, p);
  }
}

static void carry_range(void* arg, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) carry_hair(arg, i);
}

//---------------------------------------------------------------------------------------------- the hairs

static bool is_finite(const Transfer* t, size_t prim) {
  const int32_t *start = rv_detail_prim_start(t->out), *point = rv_detail_vertex_point(t->out);
  for (int32_t v = start[prim]; v < start[prim + 1]; ++v)
    if (!rv_vec3_finite(rv_vec3_load(t->rest + 3 * (size_t)point[v]))) return false;
  return true;
}

static RvResult find_hairs(Transfer* t, RvError* error) {
  size_t nprim = rv_detail_count(t->out, RV_PRIM), bad = 0, first_bad = 0;
  const int32_t* start = rv_detail_prim_start(t->out);
  RvOwner owner;
  uint8_t* mask = NULL;
  RvResult result = rv_select(t->out, t->p->group, RV_SELECT_PRIMS, &owner, &mask, error);
  if (result) return result;
  t->prim = rv_alloc(nprim, sizeof *t->prim);
  if (!t->prim) result = rv_fail(error, RV_NO_MEMORY, "no memory for %zu hairs", nprim);
  for (size_t i = 0; !result && i < nprim; ++i) {
    if ((mask && !mask[i]) || rv_detail_prim_type(t->out, i) != RV_PRIM_CURVE || start[i + 1] == start[i]) continue;
    if (!is_finite(t, i)) {
      if (!bad++) first_bad = i;
      continue;
    }
    if (start[i + 1] - start[i] > t->longest) t->longest = start[i + 1] - start[i];
    t->prim[t->nhair++] = (int32_t)i;
  }
  rv_free(mask);
  if (!result && bad)
    rv_cook_warn(t->cook,
                 "%zu hairs stay where they are; the first, primitive %zu, has a point whose place is not a number",
                 bad, first_bad);
  return result;
}

// as renderers draw them: width, or twice hairradius, of points or primitives
static RvResult find_diameters(Transfer* t, RvError* error) {
  static const struct {
    const char* name;
    RvOwner owner;
    double scale;
  } sources[] = {
      {"width", RV_POINT, 1}, {"width", RV_PRIM, 1}, {"hairradius", RV_POINT, 2}, {"hairradius", RV_PRIM, 2}};
  const RvAttrib* a = NULL;
  int k = 0;
  for (; !a && k < 4; ++k) a = rv_detail_find(t->out, sources[k].owner, sources[k].name);
  if (a && rv_attrib_storage(a) == RV_STRING) a = NULL;
  t->diameter = rv_alloc(t->nhair, sizeof *t->diameter);
  if (!t->diameter) return rv_fail(error, RV_NO_MEMORY, "no memory for %zu hairs", t->nhair);
  const int32_t *start = rv_detail_prim_start(t->out), *point = rv_detail_vertex_point(t->out);
  for (size_t i = 0; i < t->nhair; ++i) {
    size_t prim = (size_t)t->prim[i], at = a && rv_attrib_owner(a) == RV_PRIM ? prim : (size_t)point[start[prim]];
    double d = a ? sources[k - 1].scale * rv_attrib_get(a, at, 0) : 0;
    t->diameter[i] = isfinite(d) && d > 0 ? d : DIAMETER / t->meters;
  }
  return RV_OK;
}

// A point moves once, with the first hair that follows and has it: a closed curve may end on its first point.
static RvResult find_movers(Transfer* t, RvError* error) {
  size_t npoint = rv_detail_count(t->out, RV_POINT);
  t->mover = rv_alloc(npoint, sizeof *t->mover);
  if (!t->mover) return rv_fail(error, RV_NO_MEMORY, "no memory for %zu points", npoint);
  memset(t->mover, 0xff, npoint * sizeof *t->mover);
  const int32_t *start = rv_detail_prim_start(t->out), *point = rv_detail_vertex_point(t->out);
  for (size_t i = 0; i < t->nhair; ++i)
    for (int32_t v = start[t->prim[i]]; v < start[t->prim[i] + 1]; ++v)
      if (t->mover[point[v]] < 0) t->mover[point[v]] = v;
  return RV_OK;
}

// Directions turn with the hair but those that the guides give; places other than P, such as rest, stay.
static RvResult open_turned(Transfer* t, RvError* error) {
  for (size_t i = 0; i < rv_detail_attrib_count(t->out, RV_POINT); ++i) {
    const RvAttrib* a = rv_detail_attrib(t->out, RV_POINT, i);
    const char* name = rv_attrib_name(a);
    Turned turned = {rv_attrib_tag(a), rv_attrib_storage(a), rv_attrib_size(a), NULL};
    if (strcmp(name, "orient") == 0 && turned.size == 4) turned.tag = RV_TAG_QUATERNION;
    if (rv_select_name(t->p->attribs, name) && rv_detail_find(t->cook->input[2], RV_POINT, name)) continue;
    bool real = turned.storage == RV_F16 || turned.storage == RV_F32 || turned.storage == RV_F64;
    if (!real || turned.tag == RV_TAG_POINT || turned.tag == RV_TAG_HPOINT || !rv_xform_moves(turned.tag, turned.size))
      continue;
    turned.values = rv_attrib_write(rv_detail_find_mutable(t->out, RV_POINT, name));
    if (!turned.values || !rv_array_push(&t->turned, turned))
      return rv_fail(error, RV_NO_MEMORY, "no memory for the attribute %s", name);
  }
  return RV_OK;
}

// where the skin has a root
static RvVec3 place_on(const RvSkin* skin, const RvAttrib* prim, const RvAttrib* uvw, size_t hair) {
  double number = rv_attrib_get(prim, hair, 0);
  RvSite site = {-1, rv_attrib_get(uvw, hair, 0), rv_attrib_get(uvw, hair, 1)};
  bool fine = number >= 0 && number < 2147483647 && isfinite(site.u) && isfinite(site.v) &&
              rv_skin_has_face(skin, (int64_t)number);
  site.prim = fine ? (int32_t)number : -1;
  return fine ? rv_skin_frame(skin, site).position : rv_vec3(NAN, NAN, NAN);
}

static RvResult hold_roots(Transfer* t, RvError* error) {
  const RvDetail* in = t->cook->ninput > 3 ? t->cook->input[3] : NULL;
  if (!in) return RV_OK;
  const RvAttrib* prim = rv_detail_find(t->out, RV_PRIM, t->p->primnumattrib);
  const RvAttrib* uvw = rv_detail_find(t->out, RV_PRIM, t->p->primuvwattrib);
  if (!prim || !uvw || rv_attrib_storage(prim) == RV_STRING || rv_attrib_storage(uvw) == RV_STRING ||
      rv_attrib_size(uvw) < 2) {
    rv_cook_warn(t->cook, "the hairs have no %s and %s, so the skin (input 4) cannot hold their roots",
                 t->p->primnumattrib, t->p->primuvwattrib);
    return RV_OK;
  }
  RvSkin skin;
  RvResult result = rv_skin_init(&skin, in, NULL, 0, "input 4, the skin", error);
  if (result) return result;
  t->held = rv_alloc(t->nhair, sizeof *t->held);
  if (!t->held) result = rv_fail(error, RV_NO_MEMORY, "no memory for %zu roots", t->nhair);
  size_t lost = 0, first = 0;
  for (size_t i = 0; !result && i < t->nhair; ++i) {
    t->held[i] = place_on(&skin, prim, uvw, (size_t)t->prim[i]);
    if (!rv_vec3_finite(t->held[i]) && !lost++) first = (size_t)t->prim[i];
  }
  rv_skin_free(&skin);
  if (lost)
    rv_cook_warn(t->cook,
                 "%zu hairs name no face of the skin in %s and are rooted by their guides; the first is primitive %zu",
                 lost, t->p->primnumattrib, first);
  return result;
}

//---------------------------------------------------------------------------------------------- node

static RvResult open_output(Transfer* t, RvError* error) {
  const RvDetail* in = t->cook->input[0];
  t->out = rv_detail_copy(in);
  if (!t->out) return rv_fail(error, RV_NO_MEMORY, "no memory for the hairs");
  t->rest = rv_detail_f32(in, RV_POINT, "P", 3);
  t->P = rv_detail_f32_write(t->out, RV_POINT, "P", 3, error);
  return t->P && t->rest ? RV_OK : error && error->code ? error->code : RV_NO_MEMORY;
}

static RvResult transfer(Transfer* t, RvError* error) {
  const RvCook* cook = t->cook;
  if (!cook->ninput || !cook->input[0]) return rv_fail(error, RV_BAD_INPUT, "input 1, the hairs, is not wired");
  if (cook->ninput < 3 || !cook->input[2])
    return rv_fail(error, RV_BAD_INPUT, "input 3, the simulated guides, is not wired");
  t->meters = cook->time.meters_per_unit > 0 ? cook->time.meters_per_unit : 1;
  double window = t->p->window / t->meters;
  RvResult result = rv_transfer_guides_read(t->cook, cook->input[1], cook->input[2], window, &t->guides, error);
  if (!result) result = open_output(t, error);
  if (!result) result = find_hairs(t, error);
  if (!result) result = find_movers(t, error);
  if (!result) result = find_diameters(t, error);
  if (!result) result = hold_roots(t, error);
  if (!result)
    result = rv_transfer_values_open(t->cook, t->p->attribs, cook->input[2], &t->guides, t->out, &t->values, error);
  if (!result) result = open_turned(t, error);
  if (!result && rv_cook_cancelled(cook, 0.2, "bind")) result = rv_fail(error, RV_CANCELLED, "interrupted");
  if (result) return result;
  RvTransferHairs hairs = {.count = t->nhair,
                           .prim = t->prim,
                           .P = t->rest,
                           .diameter = t->diameter,
                           .longest = t->longest,
                           .npoint = rv_detail_count(t->out, RV_POINT),
                           .start = rv_detail_prim_start(t->out),
                           .vertex_point = rv_detail_vertex_point(t->out)};
  result = rv_transfer_bind(&t->guides, &hairs, (int)t->p->maxguides, window, ALIKE / t->meters, cook->cache, &t->bind,
                            error);
  if (result) return result;
  if (rv_cook_cancelled(cook, 0.4, "carry")) return rv_fail(error, RV_CANCELLED, "interrupted");
  rv_transfer_guides_turn(&t->guides, t->bind->near, window);
  RvTransferClumpParms wet = {t->p->wetnessattrib, t->p->blend, &t->p->wetramp, &t->p->clumpprofile, t->p->spacing};
  result = rv_transfer_clump_open(t->cook, cook->input[2], &t->guides, t->bind, &wet, &t->clump, error);
  if (result) return result;
  rv_parallel_for(t->nhair, 64, carry_range, t);
  return RV_OK;
}

static RvResult cook(RvCook* cook, RvError* error) {
  Transfer t = {.cook = cook, .p = cook->parms};
  RvResult result = transfer(&t, error);
  if (!result) {
    cook->stats->strands = (int64_t)rv_detail_count(t.out, RV_PRIM);
    cook->stats->vertices = (int64_t)rv_detail_count(t.out, RV_POINT);
    cook->output[0] = t.out;
    t.out = NULL;
  }
  rv_detail_free(t.out);
  if (!cook->cache) rv_transfer_bind_free(t.bind);
  rv_transfer_values_free(&t.values);
  rv_transfer_clump_free(&t.clump);
  rv_transfer_guides_free(&t.guides);
  rv_free(t.prim);
  rv_free(t.diameter);
  rv_free(t.held);
  rv_free(t.mover);
  rv_array_free(&t.turned);
  return result;
}

static const RvPortDef inputs[] = {
    {"hairs", "Hairs", "All hairs at rest, root first: the groom.", true},
    {"rest", "Guides at Rest", "The guides of that groom; without it, the simulated ones' rest.", false},
    {"guides", "Simulated Guides", "The same guides, moved.", true},
    {"skin", "Animated Skin", "Holds the roots exactly, by skinprim and skinprimuv.", false}};
static const RvPortDef outputs[] = {{"hairs", "Hairs", "All hairs, moved.", false}};

const RvNodeType rv_node_transfer = {
    .type = "transfer",
    .label = "Transfer",
    .category = "Hair",
    .revision = 1,
    .summary = "Carries all hairs by the motion of a few simulated guides.",
    .help =
        "A hair goes by the guides whose roots are nearest to its own, with weights that fall smoothly to nothing "
        "where "
        "the next one would take over. Each of its points is carried by what those guides do at the same distance from "
        "the root: it goes where they go and turns as they turn, so that curls keep their shape. Hair that is longer "
        "than a guide goes on from its tip. Guides and hairs may have any number of points.\n\n"
        "If all guides move as one body, so does the hair; guides that did not move leave it as it was; a hair that is "
        "a guide itself becomes the simulated one (with its own length, if keeplength is on).\n\n"
        "How a guide has turned at its root is found from the first edges of the guides about it; they follow the "
        "skin. "
        "From there on it turns with the guide's direction, the shortest way. Direction and way are those of the "
        "guide's "
        "line, smoothed over the curl window; what its curls did beside goes to hairs that curl in step with it "
        "(within "
        "about a millimetre) and to those of straight guides.\n\n"
        "Where guides are wet their hairs come together. Each belongs to one guide, the nearest that leaves the skin "
        "in much the same direction, and has a place of its own beside it, in rings, so that a clump is as thick as "
        "its hairs and ends in a point. How far it goes there is a continuous function of the guide's wetness along "
        "it; the number of a clump moves nothing. Bundles of guides that stick together lie side by side. Hairs that "
        "are wet somewhere hang on with it to their tips.\n\n"
        "Point attributes of the guides go over to the hairs: floats in between, integers from its own guide. "
        "Orient and vectors of the hairs turn with them; rest stays.\n\n"
        "Which guides a hair goes by is found again when anything at rest changes, else kept from frame to frame. A "
        "guide "
        "whose points are not numbers is left out, with a warning.",
    .inputs = inputs,
    .ninput = 4,
    .outputs = outputs,
    .noutput = 1,
    .parms = &transfer_table,
    .cook = cook,
    .free_cache = rv_transfer_bind_free,
};
