// Transfer: all hairs follow a few simulated guides.
#include <string.h>

#include "base/array.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "math/scalar.h"
#include "mesh/skin.h"
#include "mesh/xform.h"
#include "node/define.h"
#include "node/shape/select.h"
#include "node/transfer/transfer.h"

#define TRANSFER_PARMS(X)                                                                                              \
  X(STRING, group, "Group", "", "Hairs that follow the guides. The others stay where they are. Empty: all hairs.")     \
  X(INT, maxguides, "Guides per Hair", 4, HARD(1), HARD(16), "",                                                       \
    "Number of nearest guides that move a hair. 1 makes wisps that move as one; more makes the motion smoother. The "  \
    "default 4 suits most grooms; 3 to 6 is sensible.")                                                                \
  X(TOGGLE, keeplength, "Keep Length", true,                                                                           \
    "Keeps the length of every segment. Off, hairs stretch with their guides and shorten where guides move apart.")    \
  X(FLOAT, window, "Curl Window", 0.05, HARD(0), SOFT(0.1), "m",                                                       \
    "Length of a guide over which its bending is averaged to turn the hair around it. Set it to at least the pitch "   \
    "of the curls (1 to 10 cm); a shorter window winds hair around the curls.",                                        \
    ADVANCED)                                                                                                          \
  X(STRING, attribs, "Attributes", "v wetness filmheight filmv waterload absorbed clumpid",                            \
    "Point attributes that hairs take from the simulated guides: names and patterns; ^ before a name leaves it out.")  \
  X(FOLDER, "Wet Clumps")                                                                                              \
  X(FLOAT, blend, "Clump Blend", 1, HARD(0), HARD(1), "",                                                              \
    "Strength of wet clumping: how far wet hairs move to the clump of their guide. 0 switches clumping off, 1 is the " \
    "full effect.")                                                                                                    \
  X(RAMP, wetramp, "Wetness Ramp", "0 0 smooth, 0.5 1 smooth",                                                         \
    "Strength of clumping over the wetness of the guide at that place.", WHEN("{ blend == 0 }"))                       \
  X(RAMP, clumpprofile, "Clump Profile", "0 0 smooth, 0.5 1 smooth",                                                   \
    "Strength of clumping from root (left) to tip (right). Keep it 0 at the root, so that hairs stay rooted.",         \
    ADVANCED, WHEN("{ blend == 0 }"))                                                                                  \
  X(FLOAT, spacing, "Hair Spacing", 1.2, HARD(0), SOFT(3), "",                                                         \
    "Distance of neighbouring hairs in a fully wet clump, in hair diameters. 1 lets them touch; 1 to 2 looks "         \
    "natural.",                                                                                                        \
    ADVANCED, WHEN("{ blend == 0 }"))                                                                                  \
  X(FLOAT, strayamount, "Stray Amount", 0.03, HARD(0), HARD(1), "",                                                    \
    "Share of hairs that follow their clump only in part, each by its own amount. 0.01 to 0.1 breaks up the "          \
    "silhouette.",                                                                                                     \
    WHEN("{ blend == 0 }"))                                                                                            \
  X(STRING, wetnessattrib, "Wetness Attribute", "wetness",                                                             \
    "Point attribute of the guides with their wetness, 0 to 1.", ADVANCED, WHEN("{ blend == 0 }"))                     \
  X(FOLDER, "Roots")                                                                                                   \
  X(STRING, primnumattrib, "Primitive Number", "skinprim",                                                             \
    "Primitive attribute of the hairs with the number of the skin face at the root.", ADVANCED)                        \
  X(STRING, primuvwattrib, "Primitive UVW", "skinprimuv",                                                              \
    "Primitive attribute of the hairs with the parametric position of the root on that face.", ADVANCED)
RV_PARM_TABLE(TransferParms, transfer_table, TRANSFER_PARMS)

// RMS distance (m) of the curls of a hair and a guide at which their similarity is one half.
#define CURL_DISTANCE 1e-3

// Diameter (m) of hairs without a width attribute: human hair.
#define DEFAULT_DIAMETER 8e-5
// Random stream of strays.
#define STREAM_STRAY 14
// Step relative to the edge length below which it has no direction.
#define LEAST_STEP 1e-3

enum { HAIRS_A_TASK = 64 };

// A point attribute that rotates with the hair.
typedef struct Turned {
  RvTag tag;
  RvStorage storage;
  int size;
  void* values;
} Turned;

// State of one cook.
typedef struct Transfer {
  RvCook* cook;
  const TransferParms* p;
  double meters;  // per unit of length
  RvTransferGuides guides;
  RvTransferBind* bind;
  RvTransferValues values;
  RvTransferClump clump;
  RvDetail* out;
  size_t nhair;
  int longest;       // vertices of the longest hair
  int32_t* prim;     // [nhair] primitives of the hairs that follow
  double* diameter;  // [nhair]
  RvVec3* root;      // [nhair] positions of the roots on the skin; not finite: unknown. NULL: no skin
  int32_t* mover;    // [points] vertex with which a point moves, -1: none
  const float* rest;
  float* P;
  RV_ARRAY(Turned) turned;
} Transfer;

//---------------------------------------------------------------------------------------------- carrying

// Motion of a point of a hair by its guides: from their mean position at rest to the mean moved position, with their
// mean rotation.
typedef struct Carried {
  RvVec3 place;
  RvQuat turn;
} Carried;

// Moves a point x at rest by the guides of a spot.
static Carried carry_point(const RvTransferSample* samples, const RvTransferSpot* spot, RvVec3 x) {
  double from[3] = {0}, to[3] = {0}, turn[4] = {0};
  for (int j = 0; j < spot->count; ++j) {
    const RvTransferSample *a = samples + spot->at[j], *b = a + 1;
    double u = spot->weight[j] * (1 - spot->share[j]);
    double v = spot->weight[j] * spot->share[j];
    double dot = 0;
    for (int c = 0; c < 3; ++c) from[c] += u * a->rest[c] + v * b->rest[c];
    for (int c = 0; c < 3; ++c) to[c] += u * a->moved[c] + v * b->moved[c];
    // q and -q are the same rotation: use the one in the hemisphere of the sum.
    for (int c = 0; c < 4; ++c) dot += turn[c] * a->turn[c];
    if (dot < 0) {
      u = -u;
      v = -v;
    }
    for (int c = 0; c < 4; ++c) turn[c] += u * a->turn[c] + v * b->turn[c];
    // Add the motion of the guide's curls, weighted by the similarity of the hair's.
    for (int c = 0; c < 3; ++c)
      to[c] += spot->curl_weight[j] * (a->curl[c] + spot->share[j] * (b->curl[c] - a->curl[c]));
  }
  Carried out = {.turn = rv_quat_normalize((RvQuat){turn[0], turn[1], turn[2], turn[3]})};
  out.place = rv_add(rv_vec3_load64(to), rv_quat_rotate(out.turn, rv_sub(x, rv_vec3_load64(from))));
  return out;
}

// Advances the spot to an arc length. Beyond the tip of a guide its last sample counts.
static void advance(const RvTransferGuides* g, const int32_t* guide, double along, RvTransferSpot* spot) {
  for (int j = 0; j < spot->count; ++j) {
    int32_t at = spot->at[j], last = g->first[guide[j] + 1] - 2;
    const RvTransferSample* s = g->samples;
    while (at < last && s[at + 1].along <= along) ++at;
    double length = s[at + 1].along - s[at].along;
    double share = length > 0 ? (along - s[at].along) / length : 0;
    spot->at[j] = at;
    spot->share[j] = share < 1 ? share : 1;
  }
}

// Rotates the attributes of a point.
static void turn_values(const Transfer* t, size_t point, RvQuat q) {
  RvMat3 m = rv_quat_matrix(q);
  RvXform x = {.linear = m, .normal = m, .rotation = m};
  for (size_t k = 0; k < t->turned.count; ++k) {
    const Turned* a = &t->turned.data[k];
    // The common case, orient, without matrices.
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

// Adds the smallest rotation from the direction `from` to the direction `to`.
static RvQuat turned_on(RvQuat turn, RvVec3 from, RvVec3 to) {
  RvVec3 a = rv_normalize(from, rv_vec3(0, 0, 0)), b = rv_normalize(to, rv_vec3(0, 0, 0));
  if (!(rv_dot(a, a) > 0 && rv_dot(b, b) > 0)) return turn;
  return rv_quat_normalize(rv_quat_mul(rv_quat_between(a, b), turn));
}

// A hair on its way from root to tip.
typedef struct Walk {
  RvTransferSpot spot;
  const int32_t* guide;
  const float* slot;       // in the clump; NULL: the hair is dry
  double diameter, stray;  // of the widest hair of the clump; strength of this hair, 1: full
  double along, whole;     // arc length from the root; length of the hair, known for wet hairs only
  double wet;              // share to which the own guide alone moves the hair
  double amount;           // strength of clumping
  RvVec3 clump;            // position in the clump
  RvVec3 rest, carried;    // last point: at rest, and moved by the guides
  RvVec3 aim, place;       // last point: target with clumping, and final position
} Walk;

// Length of a hair at rest.
static double length_of(const Transfer* t, size_t prim) {
  const int32_t *start = rv_detail_prim_start(t->out), *point = rv_detail_vertex_point(t->out);
  double sum = 0;
  for (int32_t v = start[prim] + 1; v < start[prim + 1]; ++v)
    sum += rv_distance(rv_vec3_load(t->rest + 3 * (size_t)point[v - 1]), rv_vec3_load(t->rest + 3 * (size_t)point[v]));
  return sum;
}

// Guides, slot and stray strength of a hair.
static Walk begin_walk(const Transfer* t, size_t hair) {
  size_t max_guides = (size_t)t->bind->max_guides, prim = (size_t)t->prim[hair];
  Walk w = {.guide = t->bind->guide + hair * max_guides, .stray = 1};
  w.spot = (RvTransferSpot){.weight = t->bind->weight + hair * max_guides,
                            .curl_weight = t->bind->curl_weight + hair * max_guides};
  // The guides of the hair, up to the first empty place.
  while (w.spot.count < t->bind->max_guides && w.guide[w.spot.count] >= 0) ++w.spot.count;
  for (int j = 0; j < w.spot.count; ++j) w.spot.at[j] = t->guides.first[w.guide[j]];
  w.spot.owner = t->bind->owner[hair];
  int32_t own = w.guide[w.spot.owner];
  // A hair whose own guide is dry all along has no place in a lock.
  if (!t->clump.locks || !(t->clump.max_amount[own] > 0)) return w;
  w.slot = t->bind->slot + 2 * hair;
  w.diameter = t->bind->diameter[own];
  w.whole = length_of(t, prim);
  if (t->p->strayamount > 0 && rv_random(0, STREAM_STRAY, prim, 0) < t->p->strayamount)
    w.stray = rv_random(0, STREAM_STRAY, prim, 1);
  return w;
}

// Position of the current point in its clump, and the strength there. Hair beyond a wet place stays with its clump.
static void find_clump(const Transfer* t, Walk* w) {
  double wet, u = w->whole > 0 ? w->along / w->whole : 0;
  w->clump = rv_transfer_clump_place(&t->clump, &t->guides, &w->spot, w->along, w->slot, w->diameter, &wet);
  double profile = w->along > 0 ? rv_clamp(rv_ramp_eval(&t->p->clumpprofile, u), 0, 1) : 0;
  w->wet = rv_max(w->wet, w->stray * wet);
  w->amount = rv_max(w->amount, w->stray * wet * profile);
}

// Moves a point by the guides. A wet lock moves as one: the wetter, the more a hair follows its own guide alone.
static Carried carry(const Transfer* t, const Walk* w, RvVec3 x) {
  if (!(w->wet > 0)) return carry_point(t->guides.samples, &w->spot, x);
  // Wet hairs follow their own guide, dry ones the mean of all around them.
  int k = w->spot.owner;
  const double one = 1, similarity = w->spot.curl_weight[k] / w->spot.weight[k];
  RvTransferSpot own = {.count = 1, .weight = &one, .curl_weight = &similarity};
  own.at[0] = w->spot.at[k];
  own.share[0] = w->spot.share[k];
  Carried a = carry_point(t->guides.samples, &own, x);
  if (w->wet >= 1) return a;
  // In between both are blended; the sign takes the shorter way between the rotations.
  Carried b = carry_point(t->guides.samples, &w->spot, x);
  double u = rv_quat_dot(a.turn, b.turn) < 0 ? -w->wet : w->wet, v = 1 - w->wet;
  a.place = rv_lerp(b.place, a.place, w->wet);
  a.turn = rv_quat_normalize((RvQuat){u * a.turn.x + v * b.turn.x, u * a.turn.y + v * b.turn.y,
                                      u * a.turn.z + v * b.turn.z, u * a.turn.w + v * b.turn.w});
  return a;
}

// Step from the last point to the next, with the length of the edge if keeplength is on. A wet hair that lies beside
// its target, because lengths are kept, is steered back to it.
static RvVec3 step_on(const Transfer* t, const Walk* w, RvVec3 aim, RvVec3 edge, RvQuat turn, double length) {
  RvVec3 step = rv_sub(aim, w->aim);
  double distance = rv_length(step);
  if (!t->p->keeplength) return step;
  // Where guides move against each other the step may vanish: use the rotated edge.
  if (!(distance > LEAST_STEP * length)) return rv_quat_rotate(turn, edge);
  if (w->amount > 0) {
    RvVec3 off = rv_sub(w->aim, w->place);
    off = rv_mad(off, -rv_dot(off, step) / (distance * distance), step);
    // The correction is at most half the step, so that no hair bends at a right angle.
    step = rv_mad(step, w->amount * length / (length + 2 * rv_length(off)), off);
    distance = rv_length(step);
  }
  return rv_scale(step, length / distance);
}

// Moves one hair from root to tip.
static void carry_hair(const Transfer* t, size_t hair) {
  const int32_t *start = rv_detail_prim_start(t->out), *point = rv_detail_vertex_point(t->out);
  size_t prim = (size_t)t->prim[hair];
  Walk w = begin_walk(t, hair);
  w.rest = rv_vec3_load(t->rest + 3 * (size_t)point[start[prim]]);
  for (int32_t v = start[prim]; v < start[prim + 1]; ++v) {
    size_t p = (size_t)point[v];
    RvVec3 x = rv_vec3_load(t->rest + 3 * p), edge = rv_sub(x, w.rest);
    // Target of the point.
    double length = rv_length(edge);
    w.along += length;
    advance(&t->guides, w.guide, w.along, &w.spot);
    if (w.slot) find_clump(t, &w);
    Carried c = carry(t, &w, x);
    RvVec3 aim = w.amount > 0 ? rv_lerp(c.place, w.clump, w.amount) : c.place;
    RvQuat turn = c.turn;
    // The root is fixed to the skin if there is one; the others follow step by step.
    if (v == start[prim]) {
      w.place = t->root && rv_vec3_finite(t->root[hair]) ? t->root[hair] : aim;
    } else {
      RvVec3 step = step_on(t, &w, aim, edge, c.turn, length);
      w.place = rv_add(w.place, step);
      if (w.amount > 0 && t->turned.count) turn = turned_on(turn, rv_sub(c.place, w.carried), step);
    }
    w.rest = x;
    w.carried = c.place;
    w.aim = aim;
    // Write the point once, with its attributes.
    if (t->mover[p] != v) continue;
    rv_vec3_store(t->P + 3 * p, w.place);
    if (t->turned.count) turn_values(t, p, turn);
    rv_transfer_values_set(&t->values, &t->guides, &w.spot, p);
  }
}

// Moves a range of hairs.
static void carry_range(void* arg, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) carry_hair(arg, i);
}

//---------------------------------------------------------------------------------------------- the hairs

// True if all points of a hair are finite.
static bool is_finite(const Transfer* t, size_t prim) {
  const int32_t *start = rv_detail_prim_start(t->out), *point = rv_detail_vertex_point(t->out);
  for (int32_t v = start[prim]; v < start[prim + 1]; ++v)
    if (!rv_vec3_finite(rv_vec3_load(t->rest + 3 * (size_t)point[v]))) return false;
  return true;
}

// Lists the hairs that follow.
static RvResult find_hairs(Transfer* t, RvError* error) {
  size_t nprim = rv_detail_count(t->out, RV_PRIM);
  size_t bad = 0;
  size_t first_bad = 0;
  const int32_t* start = rv_detail_prim_start(t->out);
  RvOwner owner;
  uint8_t* mask = NULL;
  RvResult result = rv_select(t->out, t->p->group, RV_SELECT_PRIMS, &owner, &mask, error);
  if (result) return result;
  // Curves of the group whose points are numbers.
  t->prim = rv_alloc(nprim, sizeof *t->prim);
  if (!t->prim) result = rv_fail(error, RV_NO_MEMORY, "out of memory for %zu hairs", nprim);
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
                 "%zu hairs stay where they are; the first, primitive %zu, has a point whose position is not finite",
                 bad, first_bad);
  return result;
}

// Diameters as renderers draw them: width, or twice hairradius, of points or primitives.
static RvResult find_diameters(Transfer* t, RvError* error) {
  static const struct {
    const char* name;
    RvOwner owner;
    double scale;
  } sources[] = {
      {"width", RV_POINT, 1}, {"width", RV_PRIM, 1}, {"hairradius", RV_POINT, 2}, {"hairradius", RV_PRIM, 2}};
  const RvAttrib* a = NULL;
  int k = 0;
  // The first of width and twice the radius that the hairs have.
  for (; !a && k < 4; ++k) a = rv_detail_find(t->out, sources[k].owner, sources[k].name);
  if (a && rv_attrib_storage(a) == RV_STRING) a = NULL;
  t->diameter = rv_alloc(t->nhair, sizeof *t->diameter);
  if (!t->diameter) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu hairs", t->nhair);
  const int32_t *start = rv_detail_prim_start(t->out), *point = rv_detail_vertex_point(t->out);
  for (size_t i = 0; i < t->nhair; ++i) {
    size_t prim = (size_t)t->prim[i];
    size_t at = a && rv_attrib_owner(a) == RV_PRIM ? prim : (size_t)point[start[prim]];
    double d = a ? sources[k - 1].scale * rv_attrib_get(a, at, 0) : 0;
    t->diameter[i] = isfinite(d) && d > 0 ? d : DEFAULT_DIAMETER / t->meters;
  }
  return RV_OK;
}

// Assigns each point to the first hair that uses it, so that it moves once: a closed curve ends on its first point.
static RvResult find_movers(Transfer* t, RvError* error) {
  size_t npoint = rv_detail_count(t->out, RV_POINT);
  t->mover = rv_alloc(npoint, sizeof *t->mover);
  if (!t->mover) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu points", npoint);
  memset(t->mover, 0xff, npoint * sizeof *t->mover);
  const int32_t *start = rv_detail_prim_start(t->out), *point = rv_detail_vertex_point(t->out);
  for (size_t i = 0; i < t->nhair; ++i)
    for (int32_t v = start[t->prim[i]]; v < start[t->prim[i] + 1]; ++v)
      if (t->mover[point[v]] < 0) t->mover[point[v]] = v;
  return RV_OK;
}

// Lists the direction attributes, which rotate with the hair unless the guides provide them. Positions other than P,
// such as rest, stay.
static RvResult open_turned(Transfer* t, RvError* error) {
  for (size_t i = 0; i < rv_detail_attrib_count(t->out, RV_POINT); ++i) {
    const RvAttrib* a = rv_detail_attrib(t->out, RV_POINT, i);
    const char* name = rv_attrib_name(a);
    Turned turned = {rv_attrib_tag(a), rv_attrib_storage(a), rv_attrib_size(a), NULL};
    if (strcmp(name, "orient") == 0 && turned.size == 4) turned.tag = RV_TAG_QUATERNION;
    // What is copied from the guides does not turn as well.
    if (rv_select_name(t->p->attribs, name) && rv_detail_find(t->cook->input[2], RV_POINT, name)) continue;
    bool real = turned.storage == RV_F16 || turned.storage == RV_F32 || turned.storage == RV_F64;
    if (!real || turned.tag == RV_TAG_POINT || turned.tag == RV_TAG_HPOINT || !rv_xform_moves(turned.tag, turned.size))
      continue;
    // Opened before the parallel loop, which must not copy shared data.
    turned.values = rv_attrib_write(rv_detail_find_mutable(t->out, RV_POINT, name));
    if (!turned.values || !rv_array_push(&t->turned, turned))
      return rv_fail(error, RV_NO_MEMORY, "out of memory for the attribute %s", name);
  }
  return RV_OK;
}

// Position of a root on the skin; not finite if its attributes name no face.
static RvVec3 root_on_skin(const RvSkin* skin, const RvAttrib* prim, const RvAttrib* uvw, size_t hair) {
  double number = rv_attrib_get(prim, hair, 0);
  RvSite site = {-1, rv_attrib_get(uvw, hair, 0), rv_attrib_get(uvw, hair, 1)};
  bool fine = number >= 0 && number < INT32_MAX && isfinite(site.u) && isfinite(site.v) &&
              rv_skin_has_face(skin, (int64_t)number);
  site.prim = fine ? (int32_t)number : -1;
  return fine ? rv_skin_frame(skin, site).position : rv_vec3(NAN, NAN, NAN);
}

// Finds the roots on the animated skin, if it is wired.
static RvResult find_roots(Transfer* t, RvError* error) {
  const RvDetail* in = t->cook->ninput > 3 ? t->cook->input[3] : NULL;
  if (!in) return RV_OK;
  // Attributes that locate the roots.
  const RvAttrib* prim = rv_detail_find(t->out, RV_PRIM, t->p->primnumattrib);
  const RvAttrib* uvw = rv_detail_find(t->out, RV_PRIM, t->p->primuvwattrib);
  if (!prim || !uvw || rv_attrib_storage(prim) == RV_STRING || rv_attrib_storage(uvw) == RV_STRING ||
      rv_attrib_size(uvw) < 2) {
    rv_cook_warn(
        t->cook,
        "the hairs have no attributes %s and %s, so the skin (input 4) cannot fix their roots: groom writes them",
        t->p->primnumattrib, t->p->primuvwattrib);
    return RV_OK;
  }
  // Root of each hair on the skin; those without a face keep the root that the guides give.
  RvSkin skin;
  RvResult result = rv_skin_init(&skin, in, NULL, 0, "input 4, the skin", error);
  if (result) return result;
  t->root = rv_alloc(t->nhair, sizeof *t->root);
  if (!t->root) result = rv_fail(error, RV_NO_MEMORY, "out of memory for %zu roots", t->nhair);
  size_t lost = 0, first = 0;
  for (size_t i = 0; !result && i < t->nhair; ++i) {
    t->root[i] = root_on_skin(&skin, prim, uvw, (size_t)t->prim[i]);
    if (!rv_vec3_finite(t->root[i]) && !lost++) first = (size_t)t->prim[i];
  }
  rv_skin_free(&skin);
  if (lost)
    rv_cook_warn(
        t->cook,
        "%zu hairs name no face of the skin in %s, so their guides move their roots; the first is primitive %zu", lost,
        t->p->primnumattrib, first);
  return result;
}

//---------------------------------------------------------------------------------------------- node

// Copies the hairs for the output.
static RvResult open_output(Transfer* t, RvError* error) {
  const RvDetail* in = t->cook->input[0];
  t->out = rv_detail_copy(in);
  if (!t->out) return rv_fail(error, RV_NO_MEMORY, "out of memory for the hairs");
  t->rest = rv_detail_f32(in, RV_POINT, "P", 3);
  t->P = rv_detail_f32_write(t->out, RV_POINT, "P", 3, error);
  return t->P && t->rest ? RV_OK : error && error->code ? error->code : RV_NO_MEMORY;
}

// The whole cook: read, bind, move.
static RvResult transfer(Transfer* t, RvError* error) {
  const RvCook* cook = t->cook;
  if (!cook->ninput || !cook->input[0]) return rv_fail(error, RV_BAD_INPUT, "input 1, the hairs, is not wired");
  if (cook->ninput < 3 || !cook->input[2])
    return rv_fail(error, RV_BAD_INPUT, "input 3, the simulated guides, is not wired");
  t->meters = cook->time.meters_per_unit > 0 ? cook->time.meters_per_unit : 1;
  // Read the guides and the hairs, and find what moves, how thick it is and where it is rooted.
  double window = t->p->window;
  RvResult result = rv_transfer_guides_read(t->cook, cook->input[1], cook->input[2], window, &t->guides, error);
  if (!result) result = open_output(t, error);
  if (!result) result = find_hairs(t, error);
  if (!result) result = find_movers(t, error);
  if (!result) result = find_diameters(t, error);
  if (!result) result = find_roots(t, error);
  if (!result)
    result = rv_transfer_values_open(t->cook, t->p->attribs, cook->input[2], &t->guides, t->out, &t->values, error);
  if (!result) result = open_turned(t, error);
  if (!result && rv_cook_cancelled(cook, 0.2, "bind")) result = rv_fail(error, RV_CANCELLED, "interrupted");
  if (result) return result;
  // Bind the hairs to the guides; the binding is reused while nothing at rest changes.
  RvTransferHairs hairs = {.count = t->nhair,
                           .prim = t->prim,
                           .P = t->rest,
                           .diameter = t->diameter,
                           .longest = t->longest,
                           .npoint = rv_detail_count(t->out, RV_POINT),
                           .start = rv_detail_prim_start(t->out),
                           .vertex_point = rv_detail_vertex_point(t->out)};
  result = rv_transfer_bind(&t->guides, &hairs, (int)t->p->maxguides, window, CURL_DISTANCE / t->meters, cook->cache,
                            &t->bind, error);
  if (result) return result;
  if (rv_cook_cancelled(cook, 0.4, "carry")) return rv_fail(error, RV_CANCELLED, "interrupted");
  // Motion of the guides in this frame, and of the hairs.
  rv_transfer_guides_turn(&t->guides, t->bind->near, window);
  RvTransferClumpParms wet = {t->p->wetnessattrib, t->p->blend,   &t->p->wetramp,
                              &t->p->clumpprofile, t->p->spacing, window};
  result = rv_transfer_clump_open(t->cook, cook->input[2], &t->guides, t->bind, &wet, &t->clump, error);
  if (result) return result;
  rv_parallel_for(t->nhair, HAIRS_A_TASK, carry_range, t);
  return RV_OK;
}

// Moves the hairs and hands them over.
static RvResult cook(RvCook* cook, RvError* error) {
  Transfer t = {.cook = cook, .p = cook->parms};
  RvResult result = transfer(&t, error);
  if (!result) {
    cook->stats->strands = (int64_t)rv_detail_count(t.out, RV_PRIM);
    cook->stats->vertices = (int64_t)rv_detail_count(t.out, RV_POINT);
  }
  rv_node_give(cook, t.out, result);
  // The binding belongs to the node's cache, where there is one.
  if (!cook->cache) rv_transfer_bind_free(t.bind);
  rv_transfer_values_free(&t.values);
  rv_transfer_clump_free(&t.clump);
  rv_transfer_guides_free(&t.guides);
  rv_free(t.prim);
  rv_free(t.diameter);
  rv_free(t.root);
  rv_free(t.mover);
  rv_array_free(&t.turned);
  return result;
}

static const RvPortDef inputs[] = {
    {"hairs", "Hairs", "The groom: all hairs at rest, root first.", true},
    {"rest", "Guides at Rest",
     "The guides of that groom at rest. Without it, the attribute rest of the simulated guides.", false},
    {"guides", "Simulated Guides", "The same guides after simulation.", true},
    {"skin", "Animated Skin", "Fixes the roots exactly to the skin, by skinprim and skinprimuv.", false}};
static const unsigned takes[] = {RV_PORT_CURVES, RV_PORT_CURVES, RV_PORT_CURVES, RV_PORT_FACES};
static const RvPortDef outputs[] = {{"hairs", "Hairs", "All hairs, moved by the guides.", false}};

RV_NODE_TYPE(transfer, "Transfer", "Hair", "Moves all hairs of a groom by a few simulated guides.",
             "Each hair follows the guides with the nearest roots. Their weights fall smoothly to zero where the next "
             "guide takes over. Every point of a hair moves and turns with those guides at the same distance from the "
             "root, so curls keep their shape. Hair that is longer than a guide continues from its tip. Guides and "
             "hairs may have any number of points.\n\n"
             "If all guides move as one rigid body, so does the hair. Guides at rest leave the hair as it was. A hair "
             "that is a guide itself takes the simulated shape (with its own length, if keeplength is on).\n\n"
             "The rotation at a root comes from the first edges of the guides around it, which follow the skin. Along "
             "a guide it follows the direction of the guide without adding twist. Directions and positions are those "
             "of the guide smoothed over the Curl Window. The motion of the curls themselves goes to hairs whose "
             "curls agree with the guide's to about a millimetre.\n\n"
             "Wet guides draw their hairs together. Each hair belongs to one guide, the nearest that leaves the skin "
             "in a similar direction, and has its own slot in a ring around it. So a clump is as thick as its hairs "
             "and ends in a point. The strength is a continuous function of the guide's wetness along it; the number "
             "of a clump has no influence. Clumps of guides that stick together lie side by side. Hair beyond a wet "
             "place follows its clump to the tip. Hair longer than its guide continues with the wave of the guide.\n\n"
             "Point attributes of the guides are transferred to the hairs: floats are interpolated, integers come "
             "from the hair's own guide. Orient and vectors of the hairs turn with them; rest stays.\n\n"
             "Guides are assigned again when anything at rest changes; otherwise the assignment is reused from frame "
             "to frame. A guide with points that are not finite is left out, with a warning.",
             .revision = 2, RV_NODE_INPUTS(inputs), .takes = takes, RV_NODE_OUTPUTS(outputs),
             .free_cache = rv_transfer_bind_free)
