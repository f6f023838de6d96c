// Strands as geometry: curves and their attributes become strand definitions (read.c), and the state is saved to
// attributes of the detail and loaded again without loss (io.c).
#ifndef RV_STRAND_IO_H
#define RV_STRAND_IO_H

#include "rivulet/geo.h"
#include "rivulet/state.h"
#include "strand/strand.h"

//---------------------------------------------------------------------------------------------- reading

// Material of strands without attributes. A point attribute overrides that of its primitive, which overrides this
// value; a 0 in an attribute means "not given", except in hairradius, where it is a fault.
typedef struct RvStrandMaterial {
  double hairradius;     // m
  double density;        // kg/m3
  double youngs, shear;  // Pa
  double damping;        // Pa s: viscosity of the strand's material
  double stiffness;      // multiplier of all stiffnesses
  double hairsperguide;  // hairs that a strand stands for
  bool usewidth;         // take half of `width` where there is no hairradius
  double metersperunit;  // of P and width; all else is SI
} RvStrandMaterial;

// Reasons why a strand is not simulated: name, end of the sentence "the strand ...".
#define RV_STRAND_FAULTS(X)                                                                \
  X(SHORT, "has fewer than 3 points")                                                      \
  X(LONG, "has more than 4096 points")                                                     \
  X(SHARED, "shares a point with an earlier strand, or uses a point twice")                \
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
// The text of a fault, for messages.
const char* rv_strand_fault_text(RvStrandFault fault);

// The strands of a detail that can be simulated.
typedef struct RvStrandSet {
  size_t count;       // strands
  size_t vertices;    // of all strands
  int32_t* prim;      // [count] primitive of the detail
  int32_t* first;     // [count + 1] first vertex, index into the arrays of vertices
  int32_t* point;     // [vertices] point of the detail
  RvStrandDef* defs;  // [count]
  double* numbers;    // memory of the arrays that the definitions point to
  double origin[3];   // positions are relative to it, in units of the scene
  double metersperunit;
  size_t faults[RV_STRAND_FAULT_COUNT];       // strands left out, by reason
  int32_t fault_prim[RV_STRAND_FAULT_COUNT];  // primitive of the first strand with each fault
  size_t bad_rest;                            // strands with an unusable `rest`: their pose is the natural shape
  int32_t bad_rest_prim;                      // primitive of the first of them
} RvStrandSet;

// Origin of the strands' coordinates: centre of the bounding box of the curves' first points, in units of the scene.
void rv_strands_origin(const RvDetail* detail, double origin[3]);
// Reads the strands of a detail. With `state` false the positions are those of P, and every check is made. With `state`
// true the detail has the fields below: positions come from rv_x, and only strands marked rv_simulated are read.
RvResult rv_strands_read(const RvDetail* detail, const RvStrandMaterial* material, const double origin[3], bool state,
                         RvStrandSet* out, RvError* error);
// Frees the arrays of a set and zeroes it.
void rv_strands_free(RvStrandSet* set);
// Makes a set from definitions instead of geometry, in metres about the origin: primitive k is strand k, and points are
// the vertices in order. The arrays of the definitions stay the caller's.
RvResult rv_strands_from_defs(const RvStrandDef* defs, size_t count, RvStrandSet* out, RvError* error);

//---------------------------------------------------------------------------------------------- state

// Rows of the strands' state fields, for the field table of a solver whose group name is `part`.
#define RV_STRAND_FIELDS(part)                                                                                         \
  RV_FIELD("rv_x", RV_POINT, RV_F64, 3, RV_TAG_NONE, part, "", "update", true,                                         \
           "Exact position, in units of the scene, relative to rv_origin."),                                           \
      RV_FIELD("rv_v", RV_POINT, RV_F64, 3, RV_TAG_VECTOR, part, "m/s", "update", true,                                \
               "Exact velocity, per simulated second."),                                                               \
      RV_FIELD("rv_xbefore", RV_POINT, RV_F64, 3, RV_TAG_NONE, part, "", "update", true, "Position one step before."), \
      RV_FIELD("rv_vbefore", RV_POINT, RV_F64, 3, RV_TAG_VECTOR, part, "m/s", "update", true,                          \
               "Velocity one step before."),                                                                           \
      RV_FIELD("rv_angle", RV_POINT, RV_F64, 4, RV_TAG_NONE, part, "rad", "update", true,                              \
               "Angle of the material frame of the edge after the point, its rate, and both one step before."),        \
      RV_FIELD("rv_director", RV_POINT, RV_F64, 3, RV_TAG_VECTOR, part, "", "update", true,                            \
               "Reference director of that edge."),                                                                    \
      RV_FIELD("rv_twist", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "rad", "update", true,                              \
               "Reference twist at the point."),                                                                       \
      RV_FIELD("rv_rest", RV_POINT, RV_F64, 7, RV_TAG_NONE, part, "", "start", true,                                   \
               "Rest length, natural length, rest twist and four rest curvatures."),                                   \
      RV_FIELD("rv_sample", RV_POINT, RV_F32, 6, RV_TAG_NONE, part, "", "sample", true,                                \
               "The input at the state's frame: P, and its slope there, in units a frame."),                           \
      RV_FIELD("rv_simulated", RV_PRIM, RV_I32, 1, RV_TAG_NONE, part, "", "start", true,                               \
               "1: simulated, 0: animated."),                                                                          \
      RV_FIELD("rv_rootdir", RV_PRIM, RV_F64, 3, RV_TAG_NONE, part, "", "start", true,                                 \
               "The root's material director in the frame of the input's orient."),                                    \
      RV_FIELD("rv_stiffen", RV_PRIM, RV_F64, 1, RV_TAG_NONE, part, "", "start", true,                                 \
               "Factor by which the strand was stiffened so that it holds its pose."),                                 \
      RV_FIELD("rv_origin", RV_GLOBAL, RV_F64, 3, RV_TAG_NONE, part, "", "start", true,                                \
               "Origin that positions are relative to."),                                                              \
      RV_FIELD("rv_dt", RV_GLOBAL, RV_F64, 2, RV_TAG_NONE, part, "", "update", true,                                   \
               "Length of the last step, in seconds, and the factor from its velocities to scene units a second."),    \
      RV_FIELD("rv_hasbefore", RV_GLOBAL, RV_I32, 1, RV_TAG_NONE, part, "", "update", true,                            \
               "1: the fields of one step before are valid."),                                                         \
      RV_FIELD("rv_carry", RV_GLOBAL, RV_F64, 9, RV_TAG_NONE, part, "", "update", true,                                \
               "Velocity, angular velocity and centre of the rigid motion the strands were carried by."),              \
      RV_FIELD("rv_links", RV_GLOBAL, RV_F64, 0, RV_TAG_NONE, part, "", "contacts", true,                              \
               "For each contact of two strands: primitives, edges, age, slip, normal, reach and liquid."),            \
      RV_FIELD("rv_touches", RV_GLOBAL, RV_F64, 0, RV_TAG_NONE, part, "", "contacts", true,                            \
               "For each contact with a solid: primitive, point, solid, age, slip, reach and liquid."),                \
      RV_FIELD(                                                                                                        \
          "rv_contacts", RV_GLOBAL, RV_I32, 0, RV_TAG_NONE, part, "", "contacts", true,                                \
          "Present after the first step with contacts: strands that start closer than their contact distance stay "    \
          "so, later ones are pushed apart."),                                                                         \
      RV_FIELD("rv_tangent", RV_POINT, RV_F64, 3, RV_TAG_VECTOR, part, "", "update", false,                            \
               "Unit tangent of the edge after the point, computed from the positions.")

enum { RV_STRAND_FIELD_COUNT = RV_FIELD_COUNT(RV_STRAND_FIELDS("")) };
extern const RvFieldDef rv_strand_fields[RV_STRAND_FIELD_COUNT];

// Numbers of a state beside the arrays of RvStrandState.
typedef struct RvStrandGlobals {
  double origin[3];
  double dt;        // s: length of the last step
  double rate;      // factor from the last step's velocities to scene units a second: units a metre times timescale
  bool has_before;  // has_before of RvStrandState
  double carry[9];  // velocity, angular velocity and centre of the motion that the strands are carried by (carry.h)
} RvStrandGlobals;

// Reads the detail attributes of a state. Fails on values that are not finite.
RvResult rv_strands_load_globals(const RvDetail* state, RvStrandGlobals* out, RvError* error);
// Loads the fields of `detail` into a new state and into the model's rest strains. Fails on values that are not finite.
RvResult rv_strands_load(const RvDetail* detail, const RvStrandSet* set, RvStrandModel* model, RvStrandState** out,
                         RvError* error);
// Saves all fields to `detail`, and their rounded copies P and v.
RvResult rv_strands_save(const RvStrandSet* set, const RvStrandModel* model, const RvStrandState* state,
                         const RvStrandGlobals* globals, RvDetail* detail, RvError* error);
// Takes over edits: where P or v differ from the rounded exact fields, an artist changed them, and the edit wins.
// *edited receives the number of edits. An edit invalidates the fields of one step before.
RvResult rv_strands_reconcile(RvDetail* state, size_t* edited, RvError* error);

#endif
