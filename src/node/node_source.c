// Source: describes how liquid leaves or enters a shape; the solvers read the description.
#include <math.h>
#include <string.h>

#include "math/scalar.h"
#include "mesh/mesh.h"
#include "node/define.h"
#include "node/shape/shape.h"

#define SOURCE_PARMS(X)                                                                                               \
  X(FOLDER, "Flow")                                                                                                   \
  X(TOGGLE, active, "Active", 1, "Switches the flow. Key it to start and stop the flow.")                             \
  X(MENU, mode, "Mode", 0, "emit=Emit at a rate|fill=Keep filled|sink=Sink",                                          \
    "Emit releases liquid at a rate from the surface. Keep filled keeps the inside full. Sink removes liquid that "   \
    "enters.")                                                                                                        \
  X(FLOAT, rate, "Rate", 0.001, HARD(0), SOFT(0.01), "m3s-1",                                                         \
    "Volume of liquid per second from the whole surface. 0.001 is one litre per second.", HIDE("{ mode != emit }"))   \
  X(FLOAT, dropsize, "Drop Size", 0, HARD(0), SOFT(0.01), "m",                                                        \
    "Diameter of the drops, as of rain: each is as many particles as it takes, or one small one, so the same drops "  \
    "fall with any particle separation. 0 is a stream.",                                                              \
    HIDE("{ mode != emit }"))                                                                                         \
  X(MENU, velspace, "Velocity Space", 0, "world=World|normal=Along the surface normal",                               \
    "Direction of the Velocity: world axes, or along the outward normal of the surface.", HIDE("{ mode == sink }"),   \
    ADVANCED)                                                                                                         \
  X(VEC3, vel, "Velocity", 0, 0, 0, SOFT(-1), SOFT(1), "m1s-1", "Velocity of new liquid.",                            \
    HIDE("{ mode == sink } { velspace == normal }"))                                                                  \
  X(FLOAT, speed, "Normal Speed", 1, SOFT(0), SOFT(10), "m1s-1", "Speed of new liquid along the outward normal.",     \
    HIDE("{ mode == sink } { velspace == world }"), ADVANCED)                                                         \
  X(FLOAT, inheritvel, "Inherit Velocity", 1, SOFT(0), SOFT(1), "",                                                   \
    "Share of the velocity of the shape (its point attribute v) that new liquid inherits.", HIDE("{ mode == sink }"), \
    ADVANCED)                                                                                                         \
  X(FLOAT, spread, "Spread", 0, HARD(0), HARD(180), "deg",                                                            \
    "Half angle of the cone of directions of new liquid. 0 is a jet, 30 a spray.", HIDE("{ mode == sink }"))          \
  X(FLOAT, life, "Life", 0, HARD(0), SOFT(10), "s",                                                                   \
    "Age at which liquid is removed, in simulated seconds; the ledger counts it as killed. 0: never.",                \
    HIDE("{ mode == sink }"), ADVANCED)                                                                               \
  X(STRING, material, "Material", "", "Name of the material of the liquid. Empty: the solver chooses.",               \
    HIDE("{ mode == sink }"))                                                                                         \
  X(INT, bubble, "Bubble", 0, HARD(0), HARD(65535), "",                                                               \
    "Number of the bubble that new particles are the gas of, in interfacesolver: key it up to blow one bubble after " \
    "another from a ring. 0 is liquid.",                                                                              \
    HIDE("{ mode == sink }"), ADVANCED)                                                                               \
  X(FLOAT, bubblefilm, "Bubble Film", 0.1, HARD(0), HARD(1), "",                                                      \
    "Share of the bubble's volume that is liquid film. Higher makes tauter bubbles.", WHEN("{ bubble == 0 }"),        \
    HIDE("{ mode == sink }"), ADVANCED)                                                                               \
  X(INT, sourceid, "Source ID", 1, HARD(0), HARD(2147483647), "", "Value of the attribute source of new liquid.",     \
    ADVANCED, HIDE("{ mode == sink }"))                                                                               \
  X(FOLDER, "Shape without Input")                                                                                    \
  X(MENU, shape, "Shape", 0, "disc=Disc|box=Box", "Shape of the source when nothing is wired.",                       \
    HIDE("{ hasinput(0) == 1 }"))                                                                                     \
  X(VEC3, size, "Size", 0.1, 0.1, 0.1, HARD(0), SOFT(1), "m",                                                         \
    "Size of that shape; for a disc, the diameters along X and Z.", HIDE("{ hasinput(0) == 1 }"))                     \
  X(VEC3, t, "Center", 0, 0, 0, SOFT(-1), SOFT(1), "m", "Centre of that shape. The disc is horizontal and faces up.", \
    HIDE("{ hasinput(0) == 1 }"))
RV_PARM_TABLE(SourceParms, source_table, SOURCE_PARMS)

static const RvPortDef source_inputs[] = {
    {"shape", "Shape", "A mesh or a level set. Without it, a disc or a box.", false}};
static const unsigned takes[] = {RV_PORT_FACES | RV_PORT_VDBS};
static const RvPortDef source_outputs[] = {{"source", "Source", "The shape with the description of the flow.", false}};

// Entries of mode and shape; corners of the disc.
enum { MODE_EMIT, MODE_FILL, MODE_SINK };
enum { SHAPE_DISC = 0, DISC_CORNERS = 32 };

//---------------------------------------------------------------------------------------------- shapes

// A horizontal disc as one polygon.
static RvResult make_disc(const SourceParms* p, RvDetail** out, RvError* error) {
  RvShape shape;
  RvResult r = rv_shape_begin(&shape, DISC_CORNERS, 1, DISC_CORNERS, false, error);
  if (r != RV_OK) return r;
  int32_t corners[DISC_CORNERS];
  for (int i = 0; i < DISC_CORNERS; ++i) {
    double a = 2 * RV_PI * i / DISC_CORNERS;
    // From x towards z is clockwise seen from above, Houdini's winding.
    RvVec3 q = rv_vec3(p->size[0] / 2 * rv_cos(a), 0, p->size[2] / 2 * rv_sin(a));
    corners[i] = rv_shape_point(&shape, rv_add(rv_vec3_load64(p->t), q));
  }
  rv_shape_face(&shape, DISC_CORNERS, corners, NULL);
  return rv_shape_end(&shape, false, out, error);
}

// A box of six quads.
static RvResult make_box(const SourceParms* p, RvDetail** out, RvError* error) {
  // The bits of a corner's number are its sides along x, y, z; faces are clockwise seen from outside.
  static const int32_t faces[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1},
                                      {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
  RvShape shape;
  RvResult r = rv_shape_begin(&shape, 8, 6, 24, false, error);
  if (r != RV_OK) return r;
  for (int i = 0; i < 8; ++i)
    rv_shape_point(&shape, rv_vec3(p->t[0] + p->size[0] * ((i & 1) - 0.5), p->t[1] + p->size[1] * ((i >> 1 & 1) - 0.5),
                                   p->t[2] + p->size[2] * ((i >> 2 & 1) - 0.5)));
  for (int i = 0; i < 6; ++i) rv_shape_face(&shape, 4, faces[i], NULL);
  return rv_shape_end(&shape, false, out, error);
}

// The shape without input.
static RvResult make_shape(const SourceParms* p, RvDetail** out, RvError* error) {
  for (int k = 0; k < 3; ++k)
    // A disc has no height.
    if (!(p->size[k] > 0) && !(p->shape == SHAPE_DISC && k == 1))
      return rv_fail(error, RV_BAD_INPUT, "size%c is %g: it must be above 0", "xyz"[k], p -> size[k]);
  return p->shape == SHAPE_DISC ? make_disc(p, out, error) : make_box(p, out, error);
}

//---------------------------------------------------------------------------------------------- checks

// True if the detail has a level set, which has an inside like a closed mesh.
static bool has_level_set(const RvDetail* detail) {
  for (size_t i = 0; i < rv_detail_count(detail, RV_PRIM); ++i) {
    RvGrid* grid = rv_detail_prim_grid(detail, i);
    if (grid && rv_grid_class(grid) == RV_GRID_LEVEL_SET) return true;
  }
  return false;
}

// Checks that the shape fits the mode.
static RvResult check_shape(RvCook* cook, const RvDetail* detail, RvError* error) {
  const SourceParms* p = cook->parms;
  RvMesh mesh;
  RvMeshFacts facts;
  // Faces, their holes and their volume.
  RvResult r = rv_mesh_from_detail(detail, &mesh, error);
  if (r != RV_OK) return r;
  r = rv_mesh_measure(&mesh, &facts, error);
  bool level_set = has_level_set(detail), empty = !mesh.ntriangle && !level_set;
  rv_mesh_free(&mesh);
  if (r != RV_OK) return r;
  // Emitting needs an area; filling and draining need an inside.
  if (empty) {
    rv_cook_warn(cook, "the input has neither faces nor a level set: nothing flows");
  } else if (p->mode == MODE_EMIT && level_set && !facts.area) {
    return rv_fail(error, RV_BAD_INPUT,
                   "mode: emit needs faces, but the input has only a VDB: wire a mesh, or use fill");
  } else if (p->mode != MODE_EMIT && facts.open_edges) {
    return rv_fail(error, RV_BAD_INPUT, "mode %s needs an inside, but the mesh is open at %zu edges: close it",
                   p->mode == MODE_FILL ? "fill" : "sink", facts.open_edges);
  } else if (facts.area && !facts.open_edges && facts.volume < 0) {
    rv_cook_warn(cook, "the mesh is inside out, so the normal speed points inward: reverse its faces");
  }
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- description

// Adds a number to all primitives.
static RvResult put_number(RvDetail* detail, const char* name, RvStorage storage, double value, RvError* error) {
  RvAttrib* attrib = NULL;
  RvResult r = rv_detail_add_attrib(detail, RV_PRIM, name, storage, 1, RV_TAG_NONE, &attrib, error);
  void* values = r == RV_OK ? rv_attrib_write(attrib) : NULL;
  if (r == RV_OK && !values) r = rv_fail(error, RV_NO_MEMORY, "out of memory for attribute %s", name);
  for (size_t i = 0; i < rv_detail_count(detail, RV_PRIM) && r == RV_OK; ++i) {
    if (storage == RV_F64) ((double*)values)[i] = value;
    if (storage == RV_I32) ((int32_t*)values)[i] = (int32_t)value;
  }
  return r;
}

// Adds the world velocity to all primitives.
static RvResult put_velocity(const SourceParms* p, RvDetail* detail, RvError* error) {
  RvAttrib* attrib = NULL;
  RvResult r = rv_detail_add_attrib(detail, RV_PRIM, "rv_source_vel", RV_F64, 3, RV_TAG_VECTOR, &attrib, error);
  double* values = r == RV_OK ? rv_attrib_write(attrib) : NULL;
  if (r == RV_OK && !values) r = rv_fail(error, RV_NO_MEMORY, "out of memory for attribute rv_source_vel");
  for (size_t i = 0; i < rv_detail_count(detail, RV_PRIM) && r == RV_OK; ++i)
    for (int k = 0; k < 3; ++k) values[3 * i + (size_t)k] = p->velspace ? 0 : p->vel[k];
  return r;
}

// Adds the name of the material to all primitives.
static RvResult put_material(const SourceParms* p, RvDetail* detail, RvError* error) {
  RvAttrib* attrib = NULL;
  RvResult r = rv_detail_add_attrib(detail, RV_PRIM, "rv_source_material", RV_STRING, 1, RV_TAG_NONE, &attrib, error);
  for (size_t i = 0; i < rv_detail_count(detail, RV_PRIM) && r == RV_OK; ++i)
    r = rv_attrib_set_string(attrib, i, 0, p->material, error);
  return r;
}

// Adds the whole description.
static RvResult describe(const SourceParms* p, RvDetail* detail, RvError* error) {
  RvResult r = put_number(detail, "rv_source_id", RV_I32, (double)p->sourceid, error);
  if (r == RV_OK) r = put_number(detail, "rv_source_active", RV_I32, p->active, error);
  if (r == RV_OK) r = put_number(detail, "rv_source_mode", RV_I32, p->mode, error);
  if (r == RV_OK) r = put_number(detail, "rv_source_rate", RV_F64, p->mode == MODE_EMIT ? p->rate : 0, error);
  if (r == RV_OK) r = put_number(detail, "rv_source_drop", RV_F64, p->mode == MODE_EMIT ? p->dropsize : 0, error);
  if (r == RV_OK) r = put_velocity(p, detail, error);
  if (r == RV_OK) r = put_number(detail, "rv_source_speed", RV_F64, p->velspace ? p->speed : 0, error);
  if (r == RV_OK) r = put_number(detail, "rv_source_inherit", RV_F64, p->inheritvel, error);
  if (r == RV_OK) r = put_number(detail, "rv_source_spread", RV_F64, rv_radians(p->spread), error);
  if (r == RV_OK) r = put_number(detail, "rv_source_life", RV_F64, p->life, error);
  if (r == RV_OK) r = put_number(detail, "rv_source_bubble", RV_I32, (double)p->bubble, error);
  if (r == RV_OK) r = put_number(detail, "rv_source_bubblefilm", RV_F64, p->bubblefilm, error);
  if (r == RV_OK) r = put_material(p, detail, error);
  return r;
}

// Takes or makes the shape, checks it and adds the description.
static RvResult cook(RvCook* cook, RvError* error) {
  const SourceParms* p = cook->parms;
  const RvDetail* input = cook->ninput ? cook->input[0] : NULL;
  RvDetail* detail = input ? rv_detail_copy(input) : NULL;
  RvResult r = RV_OK;
  // The shape: the input, or a disc or a box.
  if (!input)
    r = make_shape(p, &detail, error);
  else if (!detail)
    r = rv_fail(error, RV_NO_MEMORY, "out of memory for the geometry");
  if (r == RV_OK) r = check_shape(cook, detail, error);
  if (r == RV_OK) r = describe(p, detail, error);
  return rv_node_give(cook, detail, r);
}

RV_NODE_TYPE(
    source, "Source", "Liquid", "Makes a shape an emitter, a region kept full, or a sink of liquid.",
    "The shape passes through with all its attributes. The description is stored on its primitives, so that "
    "merged sources stay separate:\n\n"
    "rv_source_id (integer) becomes the attribute source of new liquid; primitives of the same id are one "
    "source.\n\n"
    "rv_source_active (integer) is 0 or 1.\n\n"
    "rv_source_mode (integer) is 0 emit, 1 fill, 2 sink.\n\n"
    "rv_source_rate (64 bit) is the volume in cubic metres per second of the whole source.\n\n"
    "rv_source_drop (64 bit) is the diameter of its drops; 0 or none: a stream. Their particles have it as the "
    "point attribute dropsize.\n\n"
    "rv_source_vel (64 bit, vector) and rv_source_speed (64 bit) are the velocity of new liquid in the world "
    "and along the outward normal, which add up; rv_source_inherit (64 bit) is the share of the shape's own "
    "v that is added.\n\n"
    "rv_source_spread (64 bit) is half the opening angle of the directions, in radians.\n\n"
    "rv_source_life (64 bit) is the age at which liquid is removed, in seconds; 0: never.\n\n"
    "rv_source_bubble (integer) is the number of the bubble that new particles are of; 0: none. "
    "rv_source_bubblefilm (64 bit) is the share of film in it.\n\n"
    "rv_source_material (string) is the name of the material.\n\n"
    "Fill and sink need a closed mesh or a level set; emit needs faces, open or closed.",
    .flags = RV_NODE_GENERATOR, .revision = 2, RV_NODE_INPUTS(source_inputs), .takes = takes,
    RV_NODE_OUTPUTS(source_outputs))
