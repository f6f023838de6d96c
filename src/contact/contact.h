// Contact: strand with strand and strand with colliders, dry or with liquid between, as one term of the energy of the
// strands' Newton.
//
// Before a step rv_contacts_find makes the set of links and touches, which then is fixed (spec E51); during the step
// the operator gives energy, gradient and Hessian; after it rv_contacts_accept moves the friction anchors on.
//
// A link joins a point of an edge (the source) and a point of an edge of another strand (the receiver). It stands for
// the length of the source that faces the receiver, with one quadrature point in the middle of it (spec 1.2.5). Its
// distance is signed, d = n . (x_source - x_receiver) with the normal n of the start of the step: strands that cross
// between the start and the end of a step have d < 0 and are pushed back, and where the edges cross at an angle sliding
// along either of them does not change d, as it should not. n keeps its side from one step to the next, but for strands
// side by side, which may go round each other.
//
// The law is the merged force of WH-10 without liquid, f = k (d - d0) below d_min and a cubic from there to 0 at d0
// with both slopes matched (spec E45), per length. A touch is the same law between a point of a strand and a plane that
// moves with the solid; its distance is from the centre line to the surface, d_min the radius, d0 half as much more.
//
// Liquid adds the pull of a bridge to links and touches (bridge_table.h, wet.c). A pair becomes a bridge where the
// films touch, min(H1 + H2, d_max) with H at least half of d0, or beside a place that is one; it ends beyond max(H1 +
// H2, d_max), or where others leave it too small a share of the films. A new bridge has its share of them at once and
// its force within milliseconds; from then on its area follows its share as fast. Both are fixed during a step. Bridges
// whose distance allows no force in the step are kept, but are no links of the operator. Where strands are parallel the
// distance of a bridge also grows sideways, to second order.
//
// Friction is Coulomb's with the normal force of the start of the step: a potential of the slip since the anchor, which
// is quadratic-like below `slip` and of slope mu N above (it does not creep). Both strands feel opposite forces.
//
// Stiffness: a line load p (N/m) rests at d0 - d = p / k while that is more than d0 - d_min, and above d_min otherwise.
// Between strands 1e3 N/m2 (that of WH-10) holds the weight of 15 cm of hair (r 40 um) on a single crossing above
// d_min; crossing costs no stiffness, as d is signed, and the iterations of the global solve grow with the root of k.
// Solids have 1e3 and begin to push 0.1 mm above the strand: 300 layers of hair rest above d_min; a strand that comes
// at 3 m/s is stopped within 10 um, as inertia (m / dt^2) is a ten thousandth of k. More would only make Newton slower.
#ifndef RV_CONTACT_CONTACT_H
#define RV_CONTACT_CONTACT_H

#include "base/arena.h"
#include "film/film.h"
#include "math/operator.h"
#include "math/vec.h"
#include "rivulet/vdb.h"
#include "strand/strand.h"

typedef enum RvColliderShape {
  RV_COLLIDER_PLANE,    // y = 0, solid below
  RV_COLLIDER_SPHERE,   // round the origin
  RV_COLLIDER_CAPSULE,  // along y, from -half_height to +half_height
  RV_COLLIDER_GRID,     // signed distance, negative inside
} RvColliderShape;

// A solid: a shape in its own space, which moves rigidly, and for grids also by a field of velocities.
typedef struct RvCollider {
  RvColliderShape shape;
  double radius, half_height;  // of spheres and capsules
  const RvGrid* distance;
  const RvGrid* velocity;  // vec3, in the solid's space, as far out as it moves in a step; NULL: none
  // Or by what the host knows of its surface: velocities at n points of the solid's space, 0 where it is farther than
  // `reach`; no place of it is faster than `fastest`. NULL: none.
  void (*motion)(const void* user, size_t n, const RvVec3* at, double reach, RvVec3* velocity);
  const void* motion_user;
  double fastest;
  double grid_time;  // s from the moment of the grids to the start of the step: they are carried by its velocity
  RvVec3 position;   // at the start of the step
  RvQuat orientation;
  RvVec3 linear, angular;  // m/s, rad/s in the world, constant during the step
  double offset;           // m added to the surface
  double friction;
  double angle;    // rad, contact angle of liquid on it
  bool midpoints;  // also test the middles of edges: for solids thinner than an edge is long
} RvCollider;

// The liquid between strands (WH-6 to WH-18, spec 1.2.2 to 1.2.5 with E44, E45, E46, E51). Arrays are [vertices] of the
// model's blocks.
typedef struct RvContactWet {
  double tension;  // N/m
  double angle;    // rad, contact angle on strands
  const double*
      angle_at;  // rad, where strands differ; each takes its mean. NULL: all have `angle`. Its values stay as they are
  double cohesion;         // multiplies the force of the bridges
  const double* area;      // m2: cross-section of the film on one hair; it is shared among the links of a vertex
  const double* wet;       // w_FF: 1 in air, 0 under water, where bridges do not pull; NULL: 1
  const double* stronger;  // multiplies cohesion; NULL: 1
  bool unshared;           // every link has the whole of both films, as in the seed: a comparison only (E51)
} RvContactWet;

typedef struct RvContactDef {
  bool strands;                // strand with strand
  const RvContactWet* liquid;  // NULL: dry
  double reach;                // d0 in sums of the two radii
  double stiffness;            // k between strands, N/m a metre
  double friction;             // of strand on strand
  double solid_stiffness;      // k on solids
  double solid_width;          // m above the strand's surface at which a solid begins to push
  double slip;                 // slip at which friction is full, in d0
  double slip_speed;           // and at least what this speed slips in a step, m/s
  double margin;               // links are made this far beyond d0, in d0
  RvVec3 acceleration;         // m/s2 that the velocity may or may not hold: what is held up does not fall
  int neighbours;              // edges of one strand that are at most so far apart do not touch
  double root_free;            // m of arc length at the root that solids do not touch
  const double* multiple;      // [strands] hairs that a strand stands for; NULL: 1
  const RvCollider* colliders;
  size_t ncollider;
  RvArena* scratch;  // for what is not needed after the search; NULL: the contacts have their own
} RvContactDef;

// strands on, d0 = 3 r, k = 1e3 N/m2, on solids too, friction 0.3, slip 0.5 d0, margin 1 d0, gravity along -y, 4
// neighbours.
RvContactDef rv_contact_defaults(void);

typedef struct RvContactStats {
  size_t segments, entries;  // edges; their places in cells
  size_t tests, pairs;       // box tests; pairs that went on to the exact test
  size_t links, touches;
  size_t bridges;  // links and touches that hold liquid
  size_t clipped;  // edges faster against their surroundings than a third of an edge a step: their contacts may be
                   // missed
  size_t skipped;  // pairs that touch, of edges with too many; or left untested in overfull cells
  size_t dropped;  // links beyond the nearest RV_CONTACT_MAX_LINKS of a source edge
  size_t lost;     // points near a grid whose slope there has no direction
} RvContactStats;

enum { RV_CONTACT_MAX_LINKS = 32, RV_CONTACT_MAX_TESTS = 4096 };

typedef struct RvContacts RvContacts;

// The model must outlive it.
RvResult rv_contacts_new(const RvStrandModel* model, RvContacts** out, RvError* error);
void rv_contacts_free(RvContacts* contacts);

// The mean velocity of a step as far as it is known before it: v + dt force / mass, and of fixed unknowns
// (target - q) / dt. `out` as q.
void rv_contacts_predict(const RvStrandModel* model, const RvStrandState* state, const RvStrandStepDef* step,
                         double* out);
// Finds the contacts of a step of dt from q with that velocity.
RvResult rv_contacts_find(RvContacts* contacts, const double* q, const double* velocity, double dt,
                          const RvContactDef* def, RvContactStats* stats, RvError* error);
// Valid until the contacts are freed.
const RvOperator* rv_contacts_operator(RvContacts* contacts);
// After the step, with its q.
void rv_contacts_accept(RvContacts* contacts, const double* q);

size_t rv_contacts_link_count(const RvContacts* contacts);
size_t rv_contacts_touch_count(const RvContacts* contacts);

// All that lasts from one step to the next, by input strand: what a checkpoint must hold.
typedef struct RvLinkState {
  int32_t strand[2], edge[2];  // source, receiver
  int32_t age;                 // steps
  double slip[3];              // since the friction anchor
  double normal[3];
  double reach;  // d0, less for pairs that were closer when they met (no strand jumps at the start)
  double area;   // of the liquid bridge, m2
  double pull;   // part of its force that it has, 0 to 1
} RvLinkState;
typedef struct RvTouchState {
  int32_t strand, point;  // 2 x vertex, or 2 x edge + 1: its middle
  int32_t collider, age;
  double slip[3];
  double reach;
  double area, pull;  // of the liquid bridge
} RvTouchState;
RvLinkState rv_contacts_link(const RvContacts* contacts, size_t index);
RvTouchState rv_contacts_touch(const RvContacts* contacts, size_t index);
// The links that hold liquid, as film/film.h wants them for the flow across; at most `most` are written, all are
// counted.
size_t rv_contacts_bridges(const RvContacts* contacts, RvFilmBridge* out, size_t most);
// Clumps: places of strands that bridges join, level by level along the strands. clump [vertices] is the smallest input
// strand of those that hang together there, its own where it is alone. Returns how many groups of strands hang together
// anywhere in their last quarters: what an artist would count at the tips. SIZE_MAX: no memory.
size_t rv_contacts_clumps(const RvContacts* contacts, int32_t* clump);
// Puts them back, in any order; the next rv_contacts_find then gives the same bits.
RvResult rv_contacts_restore(RvContacts* contacts, const RvLinkState* links, size_t nlink, const RvTouchState* touches,
                             size_t ntouch, RvError* error);

#endif
