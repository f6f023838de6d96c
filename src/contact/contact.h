// Contact of strands with strands and with colliders, dry or with a liquid bridge: one term of the energy in the
// strands' Newton solve.
//
// Before a step rv_contacts_find makes the set of links and touches, which is fixed during the step (spec E51); the
// operator gives their energy, gradient and Hessian; after the step rv_contacts_accept advances the friction anchors.
//
// A link joins a point of an edge (the source) and a point of an edge of another strand (the receiver). It stands for
// the length of the source that faces the receiver, with one quadrature point in its middle (spec 1.2.5). Its distance
// is signed, d = n . (x_source - x_receiver) with the normal n of the start of the step: strands that cross during the
// step have d < 0 and are pushed back, and where the edges cross at an angle, sliding along either of them does not
// change d. The normal keeps its side from step to step, except for parallel strands, which may go round each other.
//
// The dry law is the merged force of WH-10 without liquid, per length: f = k (d - d0) below d_min and a cubic from
// there to 0 at d0 with both slopes matched (spec E45). A touch has the same law between a point of a strand and a
// plane that moves with the solid; its distance is that of the centre line to the surface, d_min is the radius, and d0
// is larger by RvContactDef.solid_width.
//
// Liquid adds the attraction of a capillary bridge to links and touches (bridge_table.h, wet.c). A bridge forms where
// the films touch, at min(H1 + H2, d_max) with H at least half of d0, or next to an existing bridge. It breaks beyond
// max(H1 + H2, d_max), or where other bridges leave it too small a share of the films. A new bridge has its share of
// the films at once and its force within milliseconds; later its area relaxes to its share as fast. Area and force law
// are fixed during a step. Bridges that cannot have a force in the step are kept, but are not links of the operator.
// Between parallel strands the distance of a bridge also grows with sideways motion, to second order.
//
// Friction is Coulomb friction with the push of the surfaces at the start of the step, a bridge's attraction included
// (bridge_table.h): a potential of the slip since the anchor, quadratic at first and of slope mu P beyond `slip`, so it
// does not creep. Both strands get opposite forces.
//
// Stiffness: a line load p (N/m) is in equilibrium at d0 - d = p / k where that exceeds d0 - d_min, and above d_min
// otherwise. Between strands 1e3 N/m2 (that of WH-10) supports the weight of 15 cm of hair (r 40 um) on a single
// crossing above d_min. Crossings need no more stiffness, as d is signed, and the iterations of the global solve grow
// with the root of k. Solids have 1e3 too and begin to push 0.1 mm above the strand: that supports 300 layers of hair
// above d_min and stops a strand of 3 m/s within 10 um, as inertia (m / dt^2) is a ten thousandth of k. A larger k
// would only make Newton slower.
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
  RV_COLLIDER_SPHERE,   // around the origin
  RV_COLLIDER_CAPSULE,  // along y, from -half_height to +half_height
  RV_COLLIDER_GRID,     // signed distance, negative inside
} RvColliderShape;

// A solid: a shape in its own space, which moves rigidly; a grid may also deform by a velocity field.
typedef struct RvCollider {
  RvColliderShape shape;
  double radius, half_height;  // m, of spheres and capsules
  const RvGrid* distance;      // float, m, signed distance in the solid's space
  const RvGrid* velocity;      // vec3, m/s in the solid's space, as far out as it moves in a step; NULL: none
  // Instead of `velocity`: the host's velocities of the surface at n points of the solid's space, 0 where the surface
  // is farther than `reach`. No point of it is faster than `fastest`, m/s. NULL: none.
  void (*motion)(const void* user, size_t n, const RvVec3* at, double reach, RvVec3* velocity);
  const void* motion_user;
  double fastest;
  double grid_time;  // s from the time of the grids to the start of the step: their velocity advects them
  RvVec3 position;   // m, at the start of the step
  RvQuat orientation;
  RvVec3 linear, angular;  // m/s, rad/s in the world, constant during the step
  double offset;           // m added to the surface
  double friction;
  double angle;    // rad, contact angle of liquid on it
  bool midpoints;  // also test the middles of edges, for solids thinner than the length of an edge
} RvCollider;

// The liquid between strands (WH-6 to WH-18, spec 1.2.2 to 1.2.5 with E44, E45, E46, E51). Arrays are [vertices] of the
// model's blocks.
typedef struct RvContactWet {
  double tension;          // N/m
  double angle;            // rad, contact angle on strands
  const double* angle_at;  // rad, each strand takes its mean; must not change between steps. NULL: `angle`
  double cohesion;         // multiplies the force of the bridges
  const double* area;      // m2, cross-section of the film on one hair; the links of a vertex share it
  const double* wet;       // w_FF: 1 in air, 0 under water, where bridges have no force; NULL: 1
  const double* stronger;  // multiplies cohesion; NULL: 1
} RvContactWet;

typedef struct RvContactDef {
  bool strands;                // contact of strands with strands
  const RvContactWet* liquid;  // NULL: dry
  double reach;                // d0 in units of the sum of the two radii
  double stiffness;            // k between strands, N/m2
  double friction;             // of strand on strand
  double solid_stiffness;      // k on solids, N/m2
  double solid_width;          // m above the strand's surface at which a solid begins to push
  double slip;                 // slip at which friction is full, in d0,
  double slip_speed;           // m/s, and at least the slip of this speed in a step; matters in steps above 15 ms
  double margin;               // links are made up to this far beyond d0, in d0
  RvVec3 acceleration;         // m/s2, gravity: a strand may fall by it or be supported, whatever the velocity says
  int neighbours;              // edges of one strand with at most this difference of index do not touch
  double root_free;            // m of arc length at the root that solids do not touch
  const double* multiple;      // [strands] number of hairs that a strand stands for; NULL: 1
  const RvCollider* colliders;
  size_t ncollider;
  RvArena* scratch;  // temporary memory of the search; NULL: the contacts have their own
} RvContactDef;

// strands on, d0 = 3 r, k = 1e3 N/m2, on solids too, friction 0.3, slip 0.5 d0, margin 1 d0, gravity along -y, 4
// neighbours.
RvContactDef rv_contact_defaults(void);

typedef struct RvContactStats {
  size_t segments;  // edges
  size_t entries;   // edges in cells
  size_t tests;     // box tests
  size_t pairs;     // exact tests
  size_t links, touches;
  size_t bridges;  // links and touches that hold liquid
  size_t clipped;  // edges that move by more than a third of an edge a step against their surroundings: contacts of
                   // these may be missed
  size_t skipped;  // touching pairs of edges that have too many, and pairs left untested in overfull cells
  size_t dropped;  // links beyond the nearest RV_CONTACT_MAX_LINKS of a source edge
  size_t lost;     // points near a grid where the distance has no gradient
} RvContactStats;

enum { RV_CONTACT_MAX_LINKS = 32 };    // of a source edge
enum { RV_CONTACT_MAX_TESTS = 4096 };  // box tests of an edge in a cell

typedef struct RvContacts RvContacts;

// The model must outlive it.
RvResult rv_contacts_new(const RvStrandModel* model, RvContacts** out, RvError* error);
void rv_contacts_free(RvContacts* contacts);

// Predicted mean velocity of a step: v + dt force / mass, and (target - q) / dt of fixed unknowns. `out` as q.
void rv_contacts_predict(const RvStrandModel* model, const RvStrandState* state, const RvStrandStepDef* step,
                         double* out);
// Finds the contacts of a step of dt from q with the predicted velocity.
RvResult rv_contacts_find(RvContacts* contacts, const double* q, const double* velocity, double dt,
                          const RvContactDef* def, RvContactStats* stats, RvError* error);
// Valid until the contacts are freed.
const RvOperator* rv_contacts_operator(RvContacts* contacts);
// Accepts the step: the friction anchors follow the slip at its q.
void rv_contacts_accept(RvContacts* contacts, const double* q);

size_t rv_contacts_link_count(const RvContacts* contacts);
size_t rv_contacts_touch_count(const RvContacts* contacts);

// The state of the contacts between steps, by input strand: a checkpoint holds all of it.
typedef struct RvLinkState {
  int32_t strand[2], edge[2];  // source, receiver
  int32_t age;                 // steps
  double slip[3];              // m, since the friction anchor
  double normal[3];            // unit
  double reach;                // m, d0; less for pairs that met closer (no strand jumps at the start)
  double area;                 // m2, of the liquid bridge; 0: none
  double pull;                 // share of the bridge's force that it has reached, 0 to 1
} RvLinkState;
typedef struct RvTouchState {
  int32_t strand;
  int32_t point;  // 2 x vertex, or 2 x edge + 1: the middle of the edge
  int32_t collider;
  int32_t age;     // steps
  double slip[3];  // m, since the friction anchor
  double reach;    // m, d0
  double area;     // m2, of the liquid bridge; 0: none
  double pull;     // share of the bridge's force that it has reached, 0 to 1
} RvTouchState;
RvLinkState rv_contacts_link(const RvContacts* contacts, size_t index);
RvTouchState rv_contacts_touch(const RvContacts* contacts, size_t index);
// The links that hold liquid, for rv_film_across; writes at most `most` of them and returns the number of all.
size_t rv_contacts_bridges(const RvContacts* contacts, RvFilmBridge* out, size_t most);
// Clumps: connected components of vertices that bridges join. clump [vertices] is the smallest input strand of the
// component, the strand's own where it is single. Returns the number of groups of strands that bridges join in the last
// quarter of their length, as an artist counts clumps at the tips. SIZE_MAX: no memory.
size_t rv_contacts_clumps(const RvContacts* contacts, int32_t* clump);
// Restores a state, in any order; the next rv_contacts_find then gives the same bits.
RvResult rv_contacts_restore(RvContacts* contacts, const RvLinkState* links, size_t nlink, const RvTouchState* touches,
                             size_t ntouch, RvError* error);

#endif
