// The contacts' own arrays. Private to src/contact.
#ifndef RV_CONTACT_STORE_H
#define RV_CONTACT_STORE_H

#include "base/arena.h"
#include "base/array.h"
#include "contact/bridge_table.h"
#include "contact/contact.h"
#include "contact/respond.h"

// Edges are numbered strand by strand, strands in the order of the batches and lanes; so the numbers of one strand, and
// of one batch, are consecutive.
typedef struct RvContactStrand {
  uint32_t first;  // edge
  uint32_t batch;
  int32_t lane, input;
} RvContactStrand;

// What one contact needs: d = n . delta - offset, slip = (I - n n^T) delta - origin.
typedef struct RvContactShape {
  RvVec3 normal, origin;
  double offset, reach, width, stiffness;
  double limit, slip;  // mu N, and the slip of full friction
} RvContactShape;

// A symmetric 3 x 3: xx xy yy xz yz zz.
typedef struct RvSym3 {
  double m[6];
} RvSym3;
// And for the products of the solver, which only must be the same in all of them.
typedef struct RvSym3f {
  float m[6];
} RvSym3f;

// An end of a link, or a touch: the point (1 - t) x_i + t x_{i+1}; `place` is that of x_i in the blocks.
typedef struct RvContactEnd {
  float t;
  uint32_t place;
  uint32_t link;   // 2 x slot + side; of a touch its number
  uint32_t other;  // where the other end of the link stands
} RvContactEnd;

// What a link does where it was looked at.
typedef struct RvLinkPush {
  double energy;
  RvVec3 force;
} RvLinkPush;

typedef struct RvFloat3 {
  float x, y, z;
} RvFloat3;
static inline RvFloat3 rv_contact_float3(RvVec3 a) {
  return (RvFloat3){(float)a.x, (float)a.y, (float)a.z};
}
static inline RvVec3 rv_contact_from_float3(RvFloat3 a) {
  return rv_vec3(a.x, a.y, a.z);
}

// Mostly in floats: a state that is put back has the same bits.
typedef struct RvLinkMemory {
  RvFloat3 slip, normal;
  float reach;
  int32_t age;
  float area, pull;  // of the bridge; and the part of its force that it has
} RvLinkMemory;
typedef struct RvTouchMemory {
  RvVec3 slip;
  double reach, area;
  int32_t age;
  float pull;
} RvTouchMemory;

// What a pair or a touch has of liquid, until its share is known. (wet.c)
typedef struct RvWetPair {
  double weight;                                  // in the shares of its edges' films; 0: no bridge
  double length;                                  // m that it stands for
  double film[2];                                 // m2 on each side; the second is 0 for a solid
  double strength;                                // N
  double distance;                                // between the centre lines, or from it to a solid
  double least, most;                             // that it may come to in the step
  double touch, low, start, turn, radius, ratio;  // as in RvWetDef
  RvVec3 side;                                    // as in RvWetLaw
  double shift;
  bool dry;     // the dry law may push
  bool needed;  // there may be a force in the step
  bool pulls;   // it has a law
} RvWetPair;

// Of a bridge, as the film wants it.
typedef struct RvSpan {
  float distance, length;
} RvSpan;

// Contact angles in classes. (angles.c)
enum { RV_ANGLE_CLASSES = 8, RV_ANGLE_PAIRS = RV_ANGLE_CLASSES * (RV_ANGLE_CLASSES + 1) / 2 };

// Edges as they are at the start of a step. Of vectors one more can be read than there are.
typedef struct RvSegments {
  RvVec3 *x, *v;   // of the vertices: strand s has edges + 1, from first + s on
  double* radius;  // of the vertices
  double* area;    // of the vertices: film on one hair, m2; NULL: never wet
  double* lift;    // of the vertices: what multiplies the tension
  RvVec3* plane;   // of the vertices: upright on what parts the two edges there
  RvVec3* along;   // of the edges: unit
  double* span;    // of the edges: length
  double* thick;   // of the edges: larger radius
  double* film;    // of the edges: larger area of film
  double* height;  // of the edges: radius of strand and film, at least half of d0 over the sum of radii
  RvVec3* reach;   // of the edges: half of d0 with its margin, and what it may move against its surroundings
  double length;   // mean
  RvVec3 lo, hi;   // box of the vertices
} RvSegments;

// What becomes of a pair. Its first part is that of a link, as in RvContactShape; the rest what it has of liquid, until
// its share is known, as in RvWetPair and RvWetLaw (low is start - width, and start the memory's reach).
typedef struct RvMadeLink {
  uint64_t key;
  RvVec3 normal, origin;
  double reach;
  RvLinkMemory memory;
  float along[2];
  float width, stiffness, limit, slip;
  double weight, length, film[2], strength;
  float distance, least, most, touch, turn, radius, ratio;
  RvFloat3 side;
  float shift;
  uint8_t dry, needed, pulls, law;  // law: it has a lane in those of its block
} RvMadeLink;

// Pairs of an edge in a cell, and in all of them: four times the links that are kept.
enum { RV_CONTACT_MAX_PAIRS = 2 * RV_CONTACT_MAX_LINKS };

typedef RV_ARRAY(uint64_t) RvKeys;
typedef RV_ARRAY(uint32_t) RvIndices;

// Links are made block by block of source edges, each with room for all of its pairs. Scratch, in pieces: an arena that
// has to grow then grows by what is missing.
enum { RV_MADE_EDGES = 64 };
// What a bridge asks of the films of its edges.
typedef struct RvWetAsk {
  uint32_t edge[2];
  double amount;  // weight x length
} RvWetAsk;
// Of a block, what is kept; then where it goes.
typedef struct RvKept {
  uint32_t links, wet, dry, dropped;
} RvKept;
typedef struct RvMaking {
  size_t blocks;
  RvMadeLink** links;   // [blocks][pairs]
  RvWetAsk** asks;      // [blocks][pairs] of the bridges
  uint32_t* live;       // [blocks]
  uint32_t* wet;        // [blocks] of them bridges
  uint32_t* law_first;  // [blocks]
  RvKept* kept;         // [blocks]
  RvLawBlock* laws;
} RvMaking;

struct RvContacts {
  const RvStrandModel* model;
  size_t nstrand, nedge;
  RvContactStrand* strands;  // one more at the end, with first = nedge
  uint32_t* strand_of;       // [nedge]
  uint32_t* place_of;        // [nedge] of its first vertex in the blocks
  RvSegments segments;
  RvArena *own, *scratch;  // if none is given; of the search at hand
  RvKeys pairs;            // source << 32 | receiver, ascending
  uint32_t* pair_first;    // [nedge + 1] of each source
  uint64_t* extra;         // pairs that are known otherwise, by source, from extra_first on; NULL: none. Scratch
  uint32_t* extra_first;   // [nedge + 2]
  RvMaking made;
  // all links, ascending by key: those that may have a force in this step, and those that only hold liquid
  RvKeys keys;
  RV_ARRAY(RvLinkMemory) memory;
  RV_ARRAY(float) along;   // [2 links] where on its edge each end is
  RV_ARRAY(RvSpan) spans;  // [links] if wet
  // What may have a force stands in slots: first those with liquid, then, from a whole block on, those without.
  size_t active, slots, wet_slots;
  RvIndices link_of;                // [slots]
  RV_ARRAY(RvLinkBlock) blocks;     // of eight slots
  RV_ARRAY(RvLawBlock) law_blocks;  // of the first ones
  RV_ARRAY(RvContactEnd) ends;      // two a link, by (batch, slot, side)
  RvIndices end_of;                 // [2 slots] where the ends stand
  size_t* end_at;                   // [batches + 1]
  uint8_t* held;                    // [batches] lanes at which bridges pull
  RV_ARRAY(RvVec3) value;           // [ends] of the vector at hand
  RV_ARRAY(RvLinkPush) push;        // [slots]
  RV_ARRAY(RvSym3f) hessian;        // [slots]
  const double* responded_at;       // where these were taken, if it stays as it is; not ours
  // touches, ascending by key: point << 32 | collider
  RvKeys touch_keys;
  RV_ARRAY(RvContactShape) touch_shapes;
  RV_ARRAY(RvTouchMemory) touch_memory;
  RV_ARRAY(RvContactEnd) touch_ends;
  size_t* touch_at;  // [batches + 1]
  // liquid; the arrays are empty in a dry step
  bool wet;
  double thinnest, thickest;  // radii of all vertices
  int nangle;                 // classes of contact angles
  double angles[RV_ANGLE_CLASSES];
  const double* angles_from;             // the array that the classes are of
  uint8_t* angle_of;                     // [nstrand] its class; NULL: all alike
  RvBridgeTable tables[RV_ANGLE_PAIRS];  // strand with strand, of classes j <= i at i (i + 1) / 2 + j
  RV_ARRAY(RvBridgeTable) solid_tables;  // [solids][classes]
  double* share;                         // [nedge] sum of the weights on it
  double* crowd;                         // [nedge] farthest that it may make bridges to, in halves of d0
  RV_ARRAY(RvWetPair) wet_touches;       // [touches]
  RV_ARRAY(RvWetLaw) touch_laws;         // [touches]
  double* nearness;                      // [old links] distances now; infinite: no liquid. Scratch
  // of the step before
  uint32_t* old_first;  // [nedge + 1] of each source
  RvKeys old_keys, old_touch_keys;
  RV_ARRAY(RvLinkMemory) old_memory;
  RV_ARRAY(RvTouchMemory) old_touch_memory;
  bool accepted;           // the memory is that of the end of a step
  bool begun;              // there was a step, or a state was restored
  const double* prepared;  // the q of the Hessian at hand, and who is careful
  const uint8_t* careful;
  RvOperator op;
};

// x and v of an edge's first vertex; the second follows
static inline size_t rv_contact_vertex(const RvContacts* c, size_t edge) {
  return edge + c->strand_of[edge];
}
// place of the x of vertex `vertex` of a strand in the blocks
static inline size_t rv_contact_place(const RvContacts* c, const RvContactStrand* s, size_t vertex) {
  return rv_strand_index(&c->model->batches[s->batch], s->lane, (int)vertex, 0);
}
// the strand of a vertex, in the order of the contacts
size_t rv_contact_strand(const RvContacts* c, size_t vertex);
// where a key stands among ascending ones, or `count`
size_t rv_contact_find_key(const uint64_t* keys, size_t count, uint64_t key);

// Positions, velocities, reaches. (segments.c)
RvResult rv_contact_segments_fill(RvContacts* c, const double* q, const double* velocity, double dt,
                                  const RvContactDef* def, RvContactStats* stats, RvError* error);
// Pairs that hold liquid and are farther apart than others are looked for: the extra ones. (stretched.c)
RvResult rv_contact_stretched(RvContacts* c, const RvContactDef* def, RvError* error);
// Pairs of edges that may touch, and the extra ones. (broad.c)
RvResult rv_contact_pairs(RvContacts* c, double dt, const RvContactDef* def, RvContactStats* stats, RvError* error);
// Puts the pairs of one source in order, each once; returns how many are left. (order.c)
size_t rv_contact_order(uint64_t* pairs, size_t count);
// Where the old links of each source edge begin. (links.c)
void rv_contact_index_old(RvContacts* c);
// Links of the pairs. (links.c)
RvResult rv_contact_links(RvContacts* c, double dt, const RvContactDef* def, RvError* error);
// Of what was made what is needed: counts a block, when its bridges have their laws; then takes all. (keep.c)
void rv_contact_count(RvContacts* c, size_t block);
RvResult rv_contact_keep(RvContacts* c, RvContactStats* stats, RvError* error);
// Touches of points and solids. (touches.c)
RvResult rv_contact_touches(RvContacts* c, double dt, const RvContactDef* def, RvContactStats* stats, RvError* error);
// Liquid. (wet.c)
RvResult rv_contact_wet_begin_step(RvContacts* c, const RvContactDef* def, RvError* error);
// How far the bridges of the step before let each edge look for others; false: no memory.
bool rv_contact_wet_crowd(RvContacts* c, const RvContactDef* def);
// Whether a pair of that distance is or becomes a bridge; then `out` has what its law and its share depend on.
typedef struct RvWetMeeting {
  double distance, reach, touch;  // centre lines; d0; the radii's sum
  double height;                  // sum of the heights
  double film[2];
  double old_area;
} RvWetMeeting;
bool rv_contact_wet_meets(const RvBridgeTable* table, const RvWetMeeting* at, double* weight);
// Shares the films and makes the laws of all.
RvResult rv_contact_wet_share(RvContacts* c, double dt, const RvContactDef* def, RvContactStats* stats, RvError* error);
// Ends of the links and touches by batches. (ends.c)
RvResult rv_contact_ends(RvContacts* c, RvError* error);

void rv_contact_bind_operator(RvContacts* c);

// The classes of a step and their tables. False: no memory.
bool rv_contact_angles_begin(RvContacts* contacts, const RvContactDef* def);

// The table of bridges between two edges; and from a strand's vertex, or the middle after it, to a solid, by their key.
static inline const RvBridgeTable* rv_contact_table(const RvContacts* c, size_t e, size_t f) {
  if (!c->angle_of) return c->tables;
  int a = c->angle_of[c->strand_of[e]], b = c->angle_of[c->strand_of[f]];
  return &c->tables[a > b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a];
}

static inline RvBridgeTable* rv_contact_solid_table(const RvContacts* c, uint64_t touch) {
  size_t at = c->angle_of ? c->angle_of[rv_contact_strand(c, (size_t)(touch >> 33))] : 0;
  return &c->solid_tables.data[(size_t)(touch & UINT32_MAX) * (size_t)c->nangle + at];
}

#endif
