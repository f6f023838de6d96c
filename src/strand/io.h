// Strands as geometry: curves and their attributes become strand definitions (read.c), and the state is saved to
// attributes of the detail and loaded again without loss (io.c).
#ifndef RV_STRAND_IO_H
#define RV_STRAND_IO_H

#include "geo/state_map.h"
#include "rivulet/geo.h"
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
#define RV_STRAND_FAULTS(X)                                                                             \
  X(SHORT, "has fewer than 3 points")                                                                   \
  X(LONG, "has more than 4096 points")                                                                  \
  X(SHARED, "shares a point with an earlier strand, or uses a point twice")                             \
  X(NUMBER, "has a point whose place is not a number, or more than 10,000 km away")                     \
  X(COINCIDENT, "has two neighbouring points in one place, or within a micrometre")                     \
  X(RADIUS, "has a hairradius or width that is 0, negative or not a number, below 10 nm or above 10 m") \
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
// Hash of everything in a state that rv_strands_read takes, except the positions, and of the rest shape: two states
// with the same key have the same strands, materials, natural lengths and rest shapes.
uint64_t rv_strands_key(const RvDetail* state, const RvStrandMaterial* material, const double origin[3]);
// Takes the positions of a state into a set that was read from one with the same key. False: a strand can no longer be
// simulated, and the set must be read anew.
bool rv_strands_move(const RvDetail* state, RvStrandSet* set);
// Frees the arrays of a set and zeroes it.
void rv_strands_free(RvStrandSet* set);
// Makes a set from definitions instead of geometry, in metres about the origin: primitive k is strand k, and points are
// the vertices in order. The arrays of the definitions stay the caller's.
RvResult rv_strands_from_defs(const RvStrandDef* defs, size_t count, RvStrandSet* out, RvError* error);

//---------------------------------------------------------------------------------------------- state

// Numbers of a state beside the arrays of RvStrandState.
typedef struct RvStrandGlobals {
  double origin[3];
  double dt;           // s: length of the last step
  double rate;         // factor from the last step's velocities to scene units a second: units a metre times timescale
  int32_t has_before;  // has_before of RvStrandState
  double carry[9];     // velocity, angular velocity and centre of the motion that the strands are carried by (carry.h)
} RvStrandGlobals;

// What the rows of the state refer to.
typedef struct RvStrandRecord {
  RvStrandGlobals globals;
  RvStrandState* state;
  RvStrandModel* model;
} RvStrandRecord;

// Where a row's numbers are: `width` rows of lanes a vertex (or edge) of an array of the state (or the model), from
// `first` on.
#define RV_STRAND_STATE(m, where, width, first) \
  RV_AT_HELD(RvStrandRecord, state, RvStrandState, m), RV_IN_LANES(where, width, first)
#define RV_STRAND_MODEL(m, where, width) \
  RV_AT_HELD(RvStrandRecord, model, RvStrandModel, m), RV_IN_LANES(where, width, 0)
#define RV_STRAND_GLOBAL(m) RV_AT(RvStrandRecord, globals.m), .layout = RV_LAYOUT_NUMBERS

// Rows of the strands' state fields, for the field table of a solver whose group name is `part`.
#define RV_STRAND_FIELDS(part)                                                                                         \
  RV_FIELD_AT("rv_x", RV_POINT, RV_F64, 3, RV_TAG_NONE, part, "", "update",                                            \
              "Exact position, in units of the scene, relative to rv_origin.",                                         \
              RV_STRAND_STATE(q, RV_LAYOUT_VERTEX_LANES, 4, 0), .scaled = true),                                       \
      RV_FIELD_AT("rv_v", RV_POINT, RV_F64, 3, RV_TAG_VECTOR, part, "m/s", "update",                                   \
                  "Exact velocity, per simulated second.", RV_STRAND_STATE(v, RV_LAYOUT_VERTEX_LANES, 4, 0)),          \
      RV_FIELD_AT("rv_xbefore", RV_POINT, RV_F64, 3, RV_TAG_NONE, part, "", "update", "Position one step before.",     \
                  RV_STRAND_STATE(q_before, RV_LAYOUT_VERTEX_LANES, 4, 0), .scaled = true),                            \
      RV_FIELD_AT("rv_vbefore", RV_POINT, RV_F64, 3, RV_TAG_VECTOR, part, "m/s", "update",                             \
                  "Velocity one step before.", RV_STRAND_STATE(v_before, RV_LAYOUT_VERTEX_LANES, 4, 0)),               \
      RV_FIELD_AT("rv_angle", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "rad", "update",                                 \
                  "Angle of the material frame of the edge after the point.",                                          \
                  RV_STRAND_STATE(q, RV_LAYOUT_VERTEX_LANES, 4, 3)),                                                   \
      RV_FIELD_AT("rv_anglerate", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "rad/s", "update", "Rate of that angle.",    \
                  RV_STRAND_STATE(v, RV_LAYOUT_VERTEX_LANES, 4, 3)),                                                   \
      RV_FIELD_AT("rv_anglebefore", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "rad", "update", "Angle one step before.", \
                  RV_STRAND_STATE(q_before, RV_LAYOUT_VERTEX_LANES, 4, 3)),                                            \
      RV_FIELD_AT("rv_angleratebefore", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "rad/s", "update",                     \
                  "Rate of the angle one step before.", RV_STRAND_STATE(v_before, RV_LAYOUT_VERTEX_LANES, 4, 3)),      \
      RV_FIELD_AT("rv_director", RV_POINT, RV_F64, 3, RV_TAG_VECTOR, part, "", "update",                               \
                  "Reference director of the edge after the point.",                                                   \
                  RV_STRAND_STATE(director, RV_LAYOUT_EDGE_LANES, 3, 0)),                                              \
      RV_FIELD_AT("rv_twist", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "rad", "update",                                 \
                  "Reference twist at the point.", RV_STRAND_STATE(reference_twist, RV_LAYOUT_VERTEX_LANES, 1, 0)),    \
      RV_FIELD_AT("rv_restlength", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "m", "start",                               \
                  "Rest length of the edge after the point.", RV_STRAND_MODEL(rest_length, RV_LAYOUT_EDGE_LANES, 1)),  \
      RV_FIELD_AT("rv_resttwist", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "rad", "start", "Rest twist at the point.",  \
                  RV_STRAND_MODEL(rest_twist, RV_LAYOUT_VERTEX_LANES, 1)),                                             \
      RV_FIELD_AT("rv_restcurvature", RV_POINT, RV_F64, 4, RV_TAG_NONE, part, "", "start",                             \
                  "Four rest curvatures at the point, in the material frames of the edges before and after it.",       \
                  RV_STRAND_MODEL(rest_curvature, RV_LAYOUT_VERTEX_LANES, 4)),                                         \
      RV_FIELD("rv_naturallength", RV_POINT, RV_F64, 1, RV_TAG_NONE, part, "m", "start", true,                         \
               "Natural length of the edge after the point, which gives its mass and stiffness."),                     \
      RV_FIELD("rv_sample", RV_POINT, RV_F32, 6, RV_TAG_NONE, part, "", "sample", true,                                \
               "The input at the state's frame: P, and its slope there, in units a frame."),                           \
      RV_FIELD("rv_simulated", RV_PRIM, RV_I32, 1, RV_TAG_NONE, part, "", "start", true,                               \
               "1: simulated, 0: animated."),                                                                          \
      RV_FIELD("rv_rootdir", RV_PRIM, RV_F64, 3, RV_TAG_NONE, part, "", "start", true,                                 \
               "The root's material director in the frame of the input's orient."),                                    \
      RV_FIELD("rv_stiffen", RV_PRIM, RV_F64, 1, RV_TAG_NONE, part, "", "start", true,                                 \
               "Factor by which the strand was stiffened so that it holds its pose."),                                 \
      RV_FIELD_AT("rv_origin", RV_GLOBAL, RV_F64, 3, RV_TAG_NONE, part, "", "start",                                   \
                  "Origin that positions are relative to.", RV_STRAND_GLOBAL(origin)),                                 \
      RV_FIELD_AT("rv_dt", RV_GLOBAL, RV_F64, 2, RV_TAG_NONE, part, "", "update",                                      \
                  "Length of the last step, in seconds, and the factor from its velocities to scene units a second.",  \
                  RV_STRAND_GLOBAL(dt)),                                                                               \
      RV_FIELD_AT("rv_hasbefore", RV_GLOBAL, RV_I32, 1, RV_TAG_NONE, part, "", "update",                               \
                  "1: the fields of one step before are valid.", RV_STRAND_GLOBAL(has_before)),                        \
      RV_FIELD_AT("rv_carry", RV_GLOBAL, RV_F64, 9, RV_TAG_NONE, part, "", "update",                                   \
                  "Velocity, angular velocity and centre of the rigid motion the strands were carried by.",            \
                  RV_STRAND_GLOBAL(carry)),                                                                            \
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

// Reads the detail attributes of a state. Fails on values that are not finite.
RvResult rv_strands_load_globals(const RvDetail* state, RvStrandGlobals* out, RvError* error);
// Loads the fields of `detail` into a new state and into the model's rest strains. Fails on values that are not finite.
RvResult rv_strands_load(const RvDetail* detail, const RvStrandSet* set, RvStrandModel* model, RvStrandState** out,
                         RvError* error);
// Saves all fields to `detail`, and their rounded copies P and v.
RvResult rv_strands_save(const RvStrandSet* set, const RvStrandModel* model, const RvStrandState* state,
                         const RvStrandGlobals* globals, RvDetail* detail, RvError* error);
// Where the strands of a set are in the lanes of a model, for fields that are loaded and saved by their rows.
RvStateLanes rv_strands_lanes(const RvStrandSet* set, const RvStrandModel* model);
// Takes over edits: where P or v differ from the rounded exact fields, an artist changed them, and the edit wins.
// *edited receives the number of edits. An edit invalidates the fields of one step before.
RvResult rv_strands_reconcile(RvDetail* state, size_t* edited, RvError* error);

#endif
