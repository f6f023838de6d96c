// A solver inside another program: strands, liquid and colliders go in as arrays and come out as arrays. There is no
// scene, no file and no node graph; the solver is the node type of the same name, with its parameters and ports, and
// gives the same bits as in a scene.
//
// The order of calls: rv_sim_create, inputs and parameters, rv_sim_start, then a frame at a time rv_sim_set_points for
// what moves and rv_sim_advance, reading with rv_sim_get after each; rv_sim_free ends it. Positions are in units of the
// scene (RvSimDef.meters_per_unit metres each), Y is up; so are all lengths of parameters and attributes (hairradius,
// filmheight). What is not a length is SI. Lengths that are not set have their default, which is given in metres.
// One simulation may be used by one thread at a time; different ones at once by different threads. Every error says in
// words what is wrong (`error` may be NULL), and a call that failed changed nothing, but that a failed start or load
// leaves the simulation without a state.
#ifndef RIVULET_SOLVER_H
#define RIVULET_SOLVER_H

#include <string.h>

#include "rivulet/base.h"
#include "rivulet/geo.h"
#include "rivulet/host.h"
#include "rivulet/node.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RvSim RvSim;

//---------------------------------------------------------------------------------------------- definitions

// What a simulation is made of. Begin with rv_sim_def_default().
typedef struct RvSimDef {
  uint32_t size, version;  // set by rv_sim_def_default, checked by rv_sim_create
  const char* kind;        // node type of a solver: "wetsolver", "strandsolver", "liquidsolver", "filmsolver" ...
  const char* name;        // for messages; copied
  double fps;              // frames a second
  double meters_per_unit;  // metres in a unit of the positions
  void* user;              // handed to the functions below; each may be NULL
  // True to stop: the running call ends with RV_CANCELLED and the state stays that of the last whole frame. Asked
  // between the stages of a step, with the done share of the frame.
  bool (*cancelled)(void* user, double fraction, const char* stage);
  // Warnings and remarks of the solver, as they arise.
  void (*message)(void* user, RvLevel level, const char* text);
  // Positions of all points of an input at any frame, also between whole ones; `positions` holds the last known ones.
  // False: not known at that frame, then the points of rv_sim_set_points are taken, and the motion between whole frames
  // is interpolated. The answer must depend on port and frame alone; other attributes stay those that were set. A port
  // that is not known at the whole frame is not asked between the frames.
  bool (*points_at)(void* user, const char* port, double frame, size_t count, float* positions);
} RvSimDef;

// One more attribute of the points of an input, such as youngs, wetadd or targetweight; the node's page lists those
// that it reads, all others pass through to the output.
typedef struct RvSimAttrib {
  const char* name;
  RvStorage storage;   // any but RV_STRING
  int size;            // numbers a point
  const void* values;  // a row of `size` numbers a point
} RvSimAttrib;

// Hair for an input of curves. Begin with rv_sim_strands_default(). All arrays are copied.
typedef struct RvSimStrands {
  uint32_t size, version;
  size_t strand_count;
  const int32_t* point_counts;  // [strand_count] points of each strand, 2 or more
  size_t point_count;           // of all strands together
  const float* positions;       // [point_count][3], strand after strand, root first
  const double* positions64;    // the same in double, rounded to float; give one of the two
  const float* hair_radius;     // [point_count] m, or NULL: the parameter hairradius
  const float* film_height;     // [point_count] m, liquid film at the start, or NULL: dry
  const RvSimAttrib* attribs;
  size_t attrib_count;
} RvSimStrands;

// Particles for an input of liquid. Begin with rv_sim_liquid_default(). All arrays are copied.
typedef struct RvSimLiquid {
  uint32_t size, version;
  size_t point_count;
  const float* positions;     // [point_count][3]
  const double* positions64;  // the same in double, rounded to float; give one of the two
  const float* velocities;    // [point_count][3] units a second, or NULL: at rest
  const int64_t* ids;         // [point_count] or NULL: by their order
  const double* volumes;      // [point_count] cubic units, or NULL: spheres of radius `radii`
  const float* radii;         // [point_count] units, pscale; NULL and no volumes: cubes of the parameter particlesep
  const RvSimAttrib* attribs;
  size_t attrib_count;
} RvSimLiquid;

// A triangle mesh for an input of colliders or sources. Begin with rv_sim_mesh_default(). All arrays are copied.
typedef struct RvSimMesh {
  uint32_t size, version;
  size_t point_count;
  const float* positions;     // [point_count][3]
  const double* positions64;  // the same in double, rounded to float; give one of the two
  size_t triangle_count;
  const int32_t* triangles;  // [triangle_count][3] points, clockwise seen from outside as in Houdini
  // Parameters of the node collider (for colliders) or source (for sources): token, text, token, text, ... NULL; or
  // NULL. For instance {"friction", "0.5", "voxelsize", "0.01", NULL}.
  const char* const* parms;
  const RvSimAttrib* attribs;
  size_t attrib_count;
} RvSimMesh;

// A wet solver at 24 frames a second, in metres, without callbacks.
static inline RvSimDef rv_sim_def_default(void) {
  RvSimDef def;
  memset(&def, 0, sizeof def);
  def.size = (uint32_t)sizeof def;
  def.version = RV_VERSION_NUMBER;
  def.kind = "wetsolver";
  def.name = "sim";
  def.fps = 24;
  def.meters_per_unit = 1;
  return def;
}

// No strands.
static inline RvSimStrands rv_sim_strands_default(void) {
  RvSimStrands strands;
  memset(&strands, 0, sizeof strands);
  strands.size = (uint32_t)sizeof strands;
  strands.version = RV_VERSION_NUMBER;
  return strands;
}

// No particles.
static inline RvSimLiquid rv_sim_liquid_default(void) {
  RvSimLiquid liquid;
  memset(&liquid, 0, sizeof liquid);
  liquid.size = (uint32_t)sizeof liquid;
  liquid.version = RV_VERSION_NUMBER;
  return liquid;
}

// An empty mesh with the default parameters of its node.
static inline RvSimMesh rv_sim_mesh_default(void) {
  RvSimMesh mesh;
  memset(&mesh, 0, sizeof mesh);
  mesh.size = (uint32_t)sizeof mesh;
  mesh.version = RV_VERSION_NUMBER;
  return mesh;
}

//---------------------------------------------------------------------------------------------- life

// Makes a simulation without inputs. Refuses a definition that was not filled, headers of another version than the
// library's, and an unknown kind. *out is NULL on failure.
RV_API RvResult rv_sim_create(const RvSimDef* def, RvSim** out, RvError* error);
// Ends it and frees all that it gave out. NULL is allowed.
RV_API void rv_sim_free(RvSim* sim);

//---------------------------------------------------------------------------------------------- parameters

// Sets a number, toggle (0 or 1) or one component of a vector by the parameter's name: ("gravity", 1, -9.81), or
// ("gravityy", 0, -9.81). `rivulet nodes wetsolver` lists them. Takes effect with the next start or advance.
RV_API RvResult rv_sim_set_number(RvSim* sim, const char* parm, int component, double value, RvError* error);
// Sets any parameter from text, as on the command line: "0 -9.81 0", "on", a word of a menu, a ramp.
RV_API RvResult rv_sim_set_text(RvSim* sim, const char* parm, const char* text, RvError* error);
// Animates a component by keys over frames.
RV_API RvResult rv_sim_set_keys(RvSim* sim, const char* parm, int component, const RvKey* keys, size_t count,
                                RvInterp interp, RvExtend extend, RvError* error);
// All values of the solver, for what the three above cannot do: waves, ramps, reading. Borrowed.
RV_API RvParms* rv_sim_parms(RvSim* sim);
// The values of the node behind a mesh (collider or source), by the number that rv_sim_add_mesh gave; so a source is
// keyed on and off. Borrowed; NULL if there is no such mesh.
RV_API RvParms* rv_sim_mesh_parms(RvSim* sim, const char* port, size_t mesh);

//---------------------------------------------------------------------------------------------- inputs

// Puts strands on an input, by its name ("strands"). Before the start they are the groom; afterwards the same strands
// in the pose and with the attributes of the next frame.
RV_API RvResult rv_sim_set_strands(RvSim* sim, const char* port, const RvSimStrands* strands, RvError* error);
// Puts particles on an input ("liquid"): the liquid at the start, or, where the parameter liquidmode is cached, that of
// the next frame.
RV_API RvResult rv_sim_set_liquid(RvSim* sim, const char* port, const RvSimLiquid* liquid, RvError* error);
// Adds a mesh to an input ("colliders" or "sources"); its number there goes to *mesh (may be NULL). Before the start
// only.
RV_API RvResult rv_sim_add_mesh(RvSim* sim, const char* port, const RvSimMesh* def, size_t* mesh, RvError* error);
// Puts any geometry on an input, as a wire of a scene would: VDBs of wind, caches, curves of a file. It is copied (its
// arrays are shared).
RV_API RvResult rv_sim_set_detail(RvSim* sim, const char* port, const RvDetail* detail, RvError* error);
// Moves the points of an input for the next frame (before the start: for the start frame). `count` must be that of all
// its points, meshes in the order of their adding. What is not moved stays where it is.
RV_API RvResult rv_sim_set_points(RvSim* sim, const char* port, const float* positions, size_t count, RvError* error);
// The same with positions in double, which are rounded to float.
RV_API RvResult rv_sim_set_points64(RvSim* sim, const char* port, const double* positions, size_t count,
                                    RvError* error);

//---------------------------------------------------------------------------------------------- stepping

// Makes the state of the start frame (parameter startframe) from the inputs. Called again it starts anew, from the
// inputs as they are now.
RV_API RvResult rv_sim_start(RvSim* sim, RvError* error);
// Goes that many frames on, one after the other, with all substeps. Points that were set are those of the first of
// them; points_at is asked for each. Ends at the first error; whole frames that were done stay.
RV_API RvResult rv_sim_advance(RvSim* sim, int frames, RvError* error);
// The frame of the state; 1 before the start.
RV_API double rv_sim_frame(const RvSim* sim);

//---------------------------------------------------------------------------------------------- results

// An attribute of an output, shared with the simulation: valid until its next start, advance, load or free.
typedef struct RvSimArray {
  const void* data;   // count x size numbers of the storage
  size_t count;       // elements: points, primitives, or 1 of the whole
  int size;           // numbers an element
  RvStorage storage;  // RV_F32: float, RV_F64: double, RV_I32, RV_I64 ...
  RvOwner owner;      // points, primitives or the whole; searched in that order
} RvSimArray;

// Reads an attribute ("P", "v", "filmheight", "wetness", "id") of an output ("strands", "liquid", "state"). The error
// of an unknown name lists what there is.
RV_API RvResult rv_sim_get(RvSim* sim, const char* port, const char* attrib, RvSimArray* out, RvError* error);
// A whole output as geometry, for topology, groups and files. Borrowed as in rv_sim_get.
RV_API RvResult rv_sim_detail(RvSim* sim, const char* port, const RvDetail** out, RvError* error);
// What the last start or frame did: ledger of the liquid, counts, substeps, residual. Borrowed, never NULL.
RV_API const RvStats* rv_sim_stats(const RvSim* sim);
// Name of stage `index` and its seconds in the last frame; NULL if there is none of that number.
RV_API const char* rv_sim_stage(const RvSim* sim, size_t index, double* seconds);
// Warnings of the last start or advance: how many, and the text of the first RV_STATS_MAX_WARNINGS of them. NULL
// beyond.
RV_API size_t rv_sim_warning_count(const RvSim* sim);
// Text of warning `index`.
RV_API const char* rv_sim_warning(const RvSim* sim, size_t index);
// Hash of every saved field of the state (rv_state_hash): the `hash` in the report of `rivulet cook`. 0
// before the start.
RV_API uint64_t rv_sim_hash(const RvSim* sim);

//---------------------------------------------------------------------------------------------- saving

// Writes the state, the frame and the poses of strands and meshes to a file: .bgeo.sc, .bgeo or .geo.
RV_API RvResult rv_sim_save(const RvSim* sim, const char* path, RvError* error);
// Reads such a file into a simulation of the same kind with the same inputs set; it then goes on with the same bits as
// the one that was saved. A state that `rivulet cook` wrote is taken for that of the start frame.
RV_API RvResult rv_sim_load(RvSim* sim, const char* path, RvError* error);
// The same to memory, as .bgeo.sc. Free *bytes with rv_free.
RV_API RvResult rv_sim_save_memory(const RvSim* sim, void** bytes, size_t* count, RvError* error);
// The same from memory.
RV_API RvResult rv_sim_load_memory(RvSim* sim, const void* bytes, size_t count, RvError* error);

#ifdef __cplusplus
}
#endif
#endif
