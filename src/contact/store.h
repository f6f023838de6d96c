// The contacts' own arrays. Private to src/contact.
//
// Links go through three forms. The broad phase gives pairs of edges (broad.c); pairs that may touch or that hold
// liquid become candidates (RvLinkCandidate, links.c); candidates that may have a force in the step stand in slots,
// eight to a block, where the operator reads them (keep.c, operate.c).
#ifndef RV_CONTACT_STORE_H
#define RV_CONTACT_STORE_H

#include "base/arena.h"
#include "base/array.h"
#include "contact/at_ends.h"
#include "contact/bridge_table.h"
#include "contact/contact.h"
#include "contact/respond.h"

// Edges are numbered strand by strand, strands in the order of the batches and lanes; so the numbers of one strand, and
// of one batch, are consecutive.
typedef struct RvContactStrand {
  uint32_t first;  // its first edge
  uint32_t batch;
  int32_t lane;
  int32_t input;  // its number in the input
} RvContactStrand;

// Parameters of one contact, fixed during the step: d = n . delta - offset, slip = (I - n n^T) delta - origin.
typedef struct RvContactShape {
  RvVec3 normal;          // n, unit
  RvVec3 origin;          // m, friction anchor in the plane of contact
  double offset;          // m, n . (point of the solid); 0 for links
  double reach;           // m, d0: the force begins below it
  double width;           // m, d0 - d_min: range of the cubic part of the force
  double stiffness;       // N/m, k times the length that the contact stands for
  double friction_limit;  // N, mu times the push of the surfaces at the start of the step
  double slip;            // m, slip at which friction is full
} RvContactShape;


typedef struct RvFloat3 {
  float x, y, z;
} RvFloat3;
static inline RvFloat3 rv_contact_float3(RvVec3 a) {
  return (RvFloat3){(float)a.x, (float)a.y, (float)a.z};
}
static inline RvVec3 rv_contact_from_float3(RvFloat3 a) {
  return rv_vec3(a.x, a.y, a.z);
}

// State of a link between steps, in floats, so that a state written as RvLinkState restores the same bits.
typedef struct RvLinkMemory {
  RvFloat3 slip;  // m, since the friction anchor
  RvFloat3 normal;
  float reach;  // m, d0 of this pair
  int32_t age;  // steps
  float area;   // m2, of its liquid bridge; 0: none
  float pull;   // share of the bridge's force that it has reached, 0 to 1
} RvLinkMemory;
// State of a touch between steps.
typedef struct RvTouchMemory {
  RvVec3 slip;   // m, since the friction anchor
  double reach;  // m, d0 of this touch
  double area;   // m2, of its liquid bridge; 0: none
  int32_t age;   // steps
  float pull;    // share of the bridge's force that it has reached, 0 to 1
} RvTouchMemory;

// The liquid of a touch, until its share of the film is known. (wet.c)
typedef struct RvWetPair {
  double weight;         // in the shares of its edges' films; 0: no bridge
  double length;         // m of strand that it stands for
  double film[2];        // m2 of film on each side; the second is 0 for a solid
  double strength;       // N, tension times length
  double distance;       // m between the centre lines, or from it to a solid
  double distance_min;   // m, bounds of the distance during the step
  double distance_max;   // m
  double touch, low;     // m, as in RvWetDef
  double start, turn;    // m, as in RvWetDef
  double radius, ratio;  // as in RvWetDef
  RvVec3 side;           // as in RvWetLaw
  bool dry;              // the dry contact force may act in the step
  bool active;           // there may be a force in the step
  bool has_law;          // it has a force law
} RvWetPair;

// Gap and length of a bridge, for the flow across strands (RvFilmBridge).
typedef struct RvSpan {
  float distance, length;  // m
} RvSpan;

// Strands fall into classes by their contact angle; each pair of classes has a table of bridges. (angles.c)
enum { RV_ANGLE_CLASSES = 8, RV_ANGLE_PAIRS = RV_ANGLE_CLASSES * (RV_ANGLE_CLASSES + 1) / 2 };

// Edges at the start of a step. Arrays of vectors have one more element than is used: kernels read four doubles.
typedef struct RvSegments {
  // of the vertices: strand s has edges + 1 of them, from first + s on
  RvVec3* x;               // m
  RvVec3* v;               // m/s
  double* radius;          // m
  double* area;            // m2 of film on one hair; NULL: never wet
  double* tension_factor;  // multiplies the surface tension of bridges
  RvVec3* plane;           // normals of the planes that separate the two edges at each vertex
  // of the edges
  RvVec3* tangent;        // unit
  double* edge_length;    // m
  double* edge_radius;    // m, the larger of both ends
  double* film;           // m2, the larger film area of both ends
  double* height;         // m, H of WH-11: radius of strand and film, at least half of d0
  RvVec3* search_extent;  // m, half of d0 with its margin, and how far it may move against its surroundings
  double mean_length;     // m, of all edges
  RvVec3 lo, hi;          // m, box of the vertices
} RvSegments;

// A pair of edges that may become a link. The first part is that of a link, as in RvContactShape; the second part is
// its liquid until its share of the film is known, as in RvWetPair and RvWetLaw (low is start - width, start is the
// memory's reach).
typedef struct RvLinkCandidate {
  uint64_t key;  // source << 32 | receiver
  RvVec3 normal, origin;
  double reach;
  RvLinkMemory memory;
  float along[2];  // position on either edge, 0 to 1
  float width, stiffness, friction_limit, slip;
  double weight, length, film[2], strength;
  float distance, distance_min, distance_max, touch, turn, radius, ratio, spread;
  RvFloat3 side;
  uint8_t dry, active, has_law;  // as in RvWetPair
  uint8_t law_lane;              // 1: a lane of its block's laws is its own
} RvLinkCandidate;

// Pairs of one source edge that the broad phase keeps: twice the links that are kept.
enum { RV_CONTACT_MAX_PAIRS = 2 * RV_CONTACT_MAX_LINKS };

typedef RV_ARRAY(uint64_t) RvKeys;
typedef RV_ARRAY(uint32_t) RvIndices;

// Candidates are made in blocks of so many source edges. Each block has room for all of its pairs, taken from the
// scratch block by block: an arena that must grow then grows by what is missing only.
enum { RV_CANDIDATE_EDGES = 64 };
// Claim of a bridge on the films of its edges.
typedef struct RvFilmClaim {
  uint32_t edge[2];
  double amount;  // m, weight x length
} RvFilmClaim;
// Numbers of a block that are kept; after a prefix sum, where they go.
typedef struct RvKeptCount {
  uint32_t links, wet, dry, dropped;
} RvKeptCount;
typedef struct RvLinkCandidates {
  size_t blocks;
  RvLinkCandidate** links;  // [blocks][pairs]
  RvFilmClaim** claims;     // [blocks][pairs] of the bridges
  uint32_t* count;          // [blocks] candidates
  uint32_t* bridges;        // [blocks] of them bridges
  uint32_t* law_first;      // [blocks] into `laws`
  RvKeptCount* kept;        // [blocks]
  RvLawBlock* laws;
} RvLinkCandidates;

struct RvContacts {
  const RvStrandModel* model;
  size_t nstrand, nedge;
  RvContactStrand* strands;  // [nstrand + 1], the last with first = nedge
  uint32_t* strand_of;       // [nedge]
  uint32_t* unknown_of;      // [nedge] index of its first vertex in the blocks of unknowns
  RvSegments segments;
  RvArena* own;                 // used where the caller gives no scratch
  RvArena* scratch;             // of the search at hand
  RvKeys pairs;                 // source << 32 | receiver, ascending
  uint32_t* pair_first;         // [nedge + 1] first pair of each source
  uint64_t* extra;              // stretched bridges (stretched.c), by source; NULL: none. Scratch
  uint32_t* extra_first;        // [nedge + 2] of each source
  RvLinkCandidates candidates;  // scratch
  // All links, ascending by key: those that may have a force in this step, and those that only hold liquid.
  RvKeys keys;
  RV_ARRAY(RvLinkMemory) memory;
  RV_ARRAY(float) along;   // [2 links] position of each end on its edge, 0 to 1
  RV_ARRAY(RvSpan) spans;  // [links] if wet
  // Links that may have a force stand in slots: first those with liquid, then, from the next whole block on, the dry.
  size_t active;                         // links in slots
  size_t slots;                          // slots, unused ones between wet and dry included
  size_t wet_slots;                      // the first so many hold bridges
  RvIndices link_of;                     // [slots]
  RV_ARRAY(RvLinkBlock) blocks;          // of eight slots
  RV_ARRAY(RvLawBlock) law_blocks;       // of the first ones, with liquid
  RV_ARRAY(RvContactEnd) ends;           // two a link, by (batch, slot, side)
  RvIndices end_of;                      // [2 slots] index of each end
  size_t* end_at;                        // [batches + 1] first end of each batch
  uint8_t* bridged_lanes;                // [batches] bit of each lane at which bridges pull
  RV_ARRAY(RvEndValue) end_values;       // [ends] the vector at hand, interpolated
  RV_ARRAY(RvLinkEnergy) link_energies;  // [slots]
  RV_ARRAY(RvSym3f) hessian;             // [slots]
  RV_ARRAY(RvContactEnd) stiff_ends;     // of each batch, from end_at on: ends of links whose Hessian is not 0
  RvIndices stiff_of;                    // [ends] index of such an end among stiff_ends, which `other` there refers to
  uint32_t* stiff_count;                 // [batches] number of its stiff ends
  const double* evaluated_at;            // the q of these two, while the solver keeps it unchanged; not owned
  // Touches, ascending by key: point << 32 | collider.
  RvKeys touch_keys;
  RV_ARRAY(RvContactShape) touch_shapes;
  RV_ARRAY(RvTouchMemory) touch_memory;
  RV_ARRAY(RvContactEnd) touch_ends;
  size_t* touch_at;  // [batches + 1] first touch of each batch
  // Liquid; the arrays are empty in a dry step.
  bool wet;
  double least_radius, largest_radius;  // m, of all vertices
  int nangle;                           // classes of contact angles
  double angles[RV_ANGLE_CLASSES];
  const double* angles_from;             // the input array that the classes were made from
  uint8_t* angle_of;                     // [nstrand] its class; NULL: one class
  RvBridgeTable tables[RV_ANGLE_PAIRS];  // strand with strand, of classes j <= i at i (i + 1) / 2 + j
  RV_ARRAY(RvBridgeTable) solid_tables;  // [solids][classes]
  double* share;                         // [nedge] sum of the weights on it
  double* bridge_range;                  // [nedge] largest distance of new bridges, in halves of d0
  RV_ARRAY(RvWetPair) wet_touches;       // [touches]
  RV_ARRAY(RvWetLaw) touch_laws;         // [touches]
  double* old_distance;                  // [old links] m, distance now; infinite: no liquid. Scratch
  // Of the step before.
  uint32_t* old_first;  // [nedge + 1] first old link of each source
  RvKeys old_keys, old_touch_keys;
  RV_ARRAY(RvLinkMemory) old_memory;
  RV_ARRAY(RvTouchMemory) old_touch_memory;
  bool accepted;  // the memory is that of the end of a step
  bool begun;     // there was a step, or a state was restored
  // Lists of the search, kept from step to step.
  struct RvBroadWork* broad;
  struct RvStretchWork* stretch;
  struct RvTouchWork* touch_work;
  // Of the operator.
  const double* hessian_at;  // the q of the Hessian of `prepare`
  const uint8_t* careful;    // [batches] lanes that ask for a majorising Hessian; NULL: none
  RvOperator op;
};

// Index of an edge's first vertex in the arrays of RvSegments; the second follows.
static inline size_t rv_contact_vertex(const RvContacts* c, size_t edge) {
  return edge + c->strand_of[edge];
}
// Index of the x of vertex `vertex` of a strand in the blocks of unknowns.
static inline size_t rv_contact_unknown(const RvContacts* c, const RvContactStrand* s, size_t vertex) {
  return rv_strand_index(&c->model->batches[s->batch], s->lane, (int)vertex, 0);
}
// The strand of a vertex, in the order of the contacts.
size_t rv_contact_strand(const RvContacts* c, size_t vertex);
// Index of a key among ascending ones; `count` where it is not there.
size_t rv_contact_find_key(const uint64_t* keys, size_t count, uint64_t key);

// Positions, velocities and search extents of all edges. (segments.c)
RvResult rv_contact_segments_fill(RvContacts* c, const double* q, const double* velocity, double dt,
                                  const RvContactDef* def, RvContactStats* stats, RvError* error);
// Bridges of the step before that are stretched beyond the range of the broad phase: the extra pairs. (stretched.c)
RvResult rv_contact_stretched(RvContacts* c, const RvContactDef* def, RvError* error);
// Pairs of edges that may touch, and the extra ones. (broad.c)
RvResult rv_contact_pairs(RvContacts* c, double dt, const RvContactDef* def, RvContactStats* stats, RvError* error);
void rv_contact_stretch_free(struct RvStretchWork* work);
void rv_contact_broad_free(struct RvBroadWork* work);
void rv_contact_touch_free(struct RvTouchWork* work);
// Sorts the pairs of one source and removes duplicates; returns their number. (order.c)
size_t rv_contact_order(uint64_t* pairs, size_t count);
// Finds the first old link of each source edge. (links.c)
void rv_contact_index_old(RvContacts* c);
// Candidate links of the pairs. (links.c)
RvResult rv_contact_links(RvContacts* c, double dt, const RvContactDef* def, RvError* error);
// Counts the candidates of a block that are kept, when its bridges have their laws; then keeps those of all. (keep.c)
void rv_contact_count(RvContacts* c, size_t block);
RvResult rv_contact_keep(RvContacts* c, RvContactStats* stats, RvError* error);
// Touches of points and solids. (touches.c)
RvResult rv_contact_touches(RvContacts* c, double dt, const RvContactDef* def, RvContactStats* stats, RvError* error);
// Checks the liquid's settings and prepares the tables of bridges. (wet.c)
RvResult rv_contact_wet_begin_step(RvContacts* c, const RvContactDef* def, RvError* error);
// Largest distance at which each edge may form new bridges, given those of the step before; false: no memory. (wet.c)
bool rv_contact_wet_bridge_ranges(RvContacts* c, const RvContactDef* def);
// A pair that may be bridged.
typedef struct RvWetMeeting {
  double distance;  // m, between the centre lines
  double reach;     // m, d0
  double touch;     // m, sum of the radii
  double height;    // m, sum of the heights H
  double film[2];   // m2, on each side
  double old_area;  // m2, of its bridge in the step before; 0: none
  double spread;    // m, as in RvWetDef
} RvWetMeeting;
// Whether the pair is or becomes a bridge, and its weight in the shares of the films. (wet.c)
bool rv_contact_wet_meets(const RvBridgeTable* table, const RvWetMeeting* at, double* weight);
// Shares the films among the bridges and makes their force laws. (wet.c)
RvResult rv_contact_wet_share(RvContacts* c, double dt, const RvContactDef* def, RvContactStats* stats, RvError* error);
// Ends of the links and touches by batches. (ends.c)
RvResult rv_contact_ends(RvContacts* c, RvError* error);
// Fills c->op for the links and touches that were found. (operate.c)
void rv_contact_bind_operator(RvContacts* c);

// The angle classes of a step and their tables; false: no memory. (angles.c)
bool rv_contact_angles_begin(RvContacts* contacts, const RvContactDef* def);

// The table of bridges between two edges.
static inline const RvBridgeTable* rv_contact_table(const RvContacts* c, size_t e, size_t f) {
  if (!c->angle_of) return c->tables;
  int a = c->angle_of[c->strand_of[e]], b = c->angle_of[c->strand_of[f]];
  return &c->tables[a > b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a];
}

// The table of bridges from a point of a strand to a solid, by the touch's key.
static inline RvBridgeTable* rv_contact_solid_table(const RvContacts* c, uint64_t touch) {
  size_t at = c->angle_of ? c->angle_of[rv_contact_strand(c, (size_t)(touch >> 33))] : 0;
  return &c->solid_tables.data[(size_t)(touch & UINT32_MAX) * (size_t)c->nangle + at];
}

#endif
