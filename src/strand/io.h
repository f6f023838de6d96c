// Strands as geometry: curves and their attributes become definitions (read.c), and the state goes to attributes of the
// detail and comes back without loss (io.c).
#ifndef RV_STRAND_IO_H
#define RV_STRAND_IO_H

#include "rivulet/geo.h"
#include "rivulet/state.h"
#include "strand/strand.h"

//---------------------------------------------------------------------------------------------- reading

// What holds where no attribute says otherwise. Point attributes come before those of primitives; 0 in an attribute is
// "not given", but for hairradius, where it is a fault.
typedef struct RvStrandMaterial {
  double hairradius, density, youngs, shear, damping, stiffness, hairsperguide;
  bool usewidth;         // take half of `width` where there is no hairradius
  double metersperunit;  // of P and width; all else is SI
} RvStrandMaterial;

// name, what is wrong with such a strand
#define RV_STRAND_FAULTS(X)                                                                \
  X(SHORT, "has fewer than 3 points")                                                      \
  X(LONG, "has more than 4096 points")                                                     \
  X(SHARED, "shares a point with a strand before it, or comes by one twice")               \
  X(NUMBER, "has a point whose place is not a number, or more than 10,000 km away")        \
  X(COINCIDENT, "has two neighbouring points in one place, or within a micrometre")        \
  X(RADIUS, "has a radius that is 0, negative or not a number, below 10 nm or above 10 m") \
  X(MATERIAL, "has a density, youngs or shear that is not a number, or an ellipse beyond 0.05 to 20")

typedef enum RvStrandFault {
  RV_STRAND_FINE,
#define RV_STRAND_FAULT_NAME(name, text) RV_STRAND_##name,
  RV_STRAND_FAULTS(RV_STRAND_FAULT_NAME)
#undef RV_STRAND_FAULT_NAME
      RV_STRAND_FAULT_COUNT
} RvStrandFault;
const char* rv_strand_fault_text(RvStrandFault fault);

// The strands of a detail that can be simulated.
typedef struct RvStrandSet {
  size_t count, vertices;
  int32_t* prim;   // [count] primitive
  int32_t* first;  // [count + 1] first vertex, into the arrays of vertices
  int32_t* point;  // [vertices]
  RvStrandDef* defs;
  double* numbers;  // behind the pointers of the definitions
  double origin[3];
  double metersperunit;
  size_t faults[RV_STRAND_FAULT_COUNT];
  int32_t fault_prim[RV_STRAND_FAULT_COUNT];  // the first of each
  size_t bad_rest;                            // strands whose rest is no shape, so that the pose is taken for it
  int32_t bad_rest_prim;                      // the first of them
} RvStrandSet;

// A place that all strands are taken relative to: the middle of the curves' first points, in units of the scene.
void rv_strands_origin(const RvDetail* detail, double origin[3]);
// From P at the start, with all checks; of a state (`state`: it has the fields below) from the exact places, for the
// strands that were simulated so far.
RvResult rv_strands_read(const RvDetail* detail, const RvStrandMaterial* material, const double origin[3], bool state,
                         RvStrandSet* out, RvError* error);
void rv_strands_free(RvStrandSet* set);
// Strands that come as definitions and not from geometry, in metres about the origin: primitive k is strand k, and
// points are the vertices in order. The arrays of the definitions are the caller's.
RvResult rv_strands_from_defs(const RvStrandDef* defs, size_t count, RvStrandSet* out, RvError* error);

//---------------------------------------------------------------------------------------------- state

// The rows of the state as part of another solver's, which names its parts.
#define RV_STRAND_FIELDS(part)                                                                                      \
  RV_FIELD("rv_x", RV_POINT, RV_F64, 3, RV_TAG_NONE, part, "", "update", true,                                      \
           "Exact place, in units of the scene, relative to rv_origin."),                                           \
      RV_FIELD("rv_v", RV_POINT, RV_F64, 3, RV_TAG_VECTOR, part, "m/s", "update", true,                             \
               "Exact velocity, per simulated second."),                                                            \
      RV_FIELD("rv_xbefore", RV_POINT, RV_F64, 3, RV_TAG_NONE, part, "", "update", true, "Place a step before."),   \
      RV_FIELD("rv_vbefore", RV_POINT, RV_F64, 3, RV_TAG_VECTOR, part, "m/s", "update", true,                       \
               "Velocity a step before."),                                                                          \
      RV_FIELD("rv_angle", RV_POINT, RV_F64, 4, RV_TAG_NONE, part, "rad", "update", true,                           \
               "Angle of the material frame of the edge after the point, its rate, and both a step before."),       \
      RV_FIELD("rv_director", RV_POINT, RV_F64, 3, RV_TAG_VECTOR, part, "", "update", true,                         \
               "Reference director of that edge."),                                                                 \
      RV_FIELD("rv_twist", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "rad", "update", true,                           \
               "Reference twist at the point."),                                                                    \
      RV_FIELD("rv_rest", RV_POINT, RV_F64, 7, RV_TAG_NONE, part, "", "start", true,                                \
               "Rest length, natural length, rest twist and four rest curvatures."),                                \
      RV_FIELD("rv_sample", RV_POINT, RV_F32, 6, RV_TAG_NONE, part, "", "sample", true,                             \
               "The input at the state's frame: P, and its way in the frame before."),                              \
      RV_FIELD("rv_simulated", RV_PRIM, RV_I32, 1, RV_TAG_NONE, part, "", "start", true,                            \
               "1: simulated, 0: animated."),                                                                       \
      RV_FIELD("rv_rootdir", RV_PRIM, RV_F64, 3, RV_TAG_NONE, part, "", "start", true,                              \
               "The root's material director in the frame of the input's orient."),                                 \
      RV_FIELD("rv_stiffen", RV_PRIM, RV_F64, 1, RV_TAG_NONE, part, "", "start", true,                              \
               "How many times stiffer the strand is than its material, to hold its pose."),                        \
      RV_FIELD("rv_origin", RV_GLOBAL, RV_F64, 3, RV_TAG_NONE, part, "", "start", true,                             \
               "What places are relative to."),                                                                     \
      RV_FIELD("rv_dt", RV_GLOBAL, RV_F64, 2, RV_TAG_NONE, part, "", "update", true,                                \
               "The last step, in seconds, and what turned velocities into those of the scene."),                   \
      RV_FIELD("rv_hasbefore", RV_GLOBAL, RV_I32, 1, RV_TAG_NONE, part, "", "update", true,                         \
               "Whether there was a step before."),                                                                 \
      RV_FIELD("rv_carry", RV_GLOBAL, RV_F64, 9, RV_TAG_NONE, part, "", "update", true,                             \
               "Velocity, turning and centre of the motion the strands were carried by."),                          \
      RV_FIELD("rv_links", RV_GLOBAL, RV_F64, 0, RV_TAG_NONE, part, "", "contacts", true,                           \
               "Of each contact of two strands: primitives, edges, age, slip, normal, reach and liquid."),          \
      RV_FIELD("rv_touches", RV_GLOBAL, RV_F64, 0, RV_TAG_NONE, part, "", "contacts", true,                         \
               "Of each contact with a solid: primitive, point, solid, age, slip and reach."),                      \
      RV_FIELD(                                                                                                     \
          "rv_contacts", RV_GLOBAL, RV_I32, 0, RV_TAG_NONE, part, "", "contacts", true,                             \
          "There once a step had contacts: what comes close after it is pushed out, what was close before stays."), \
      RV_FIELD("rv_tangent", RV_POINT, RV_F64, 3, RV_TAG_VECTOR, part, "", "update", false, "Made of the places.")

enum { RV_STRAND_FIELD_COUNT = 20 };
extern const RvFieldDef rv_strand_fields[RV_STRAND_FIELD_COUNT];

// What a state holds beside the arrays of RvStrandState.
typedef struct RvStrandGlobals {
  double origin[3];
  double dt;        // of the last step
  double rate;      // what turned the last velocities into ones of the scene: units a metre, times the timescale
  bool has_before;  // of RvStrandState
  double carry[9];  // velocity, turning and centre of the motion that the strands are carried by (carry.h)
} RvStrandGlobals;

RvResult rv_strands_load_globals(const RvDetail* state, RvStrandGlobals* out, RvError* error);
// The fields of `detail` into a new state and the model's rest strains. Fails on numbers that are none.
RvResult rv_strands_load(const RvDetail* detail, const RvStrandSet* set, RvStrandModel* model, RvStrandState** out,
                         RvError* error);
// All fields, and P and v as their rounded copies.
RvResult rv_strands_save(const RvStrandSet* set, const RvStrandModel* model, const RvStrandState* state,
                         const RvStrandGlobals* globals, RvDetail* detail, RvError* error);
// Where P or v are not the rounded copies of the exact fields, somebody edited them: the edit wins. Returns how many
// points were edited in *edited; the steps before them count no more.
RvResult rv_strands_reconcile(RvDetail* state, size_t* edited, RvError* error);

#endif
