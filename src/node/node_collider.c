// Collider: prepares a mesh or VDB for the solvers: signed distance, velocity, friction and contact angle.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "mesh/mesh.h"
#include "node/define.h"
#include "shim/vdb_voxel.h"

#define COLLIDER_PARMS(X)                                                                                           \
  X(FOLDER, "Distance")                                                                                             \
  X(MENU, mode, "Mesh", 0, "auto=Closed if it is|closed=Closed|open=Open",                                          \
    "Treats the mesh as closed, with an inside, or as open: an open mesh becomes a shell of the Thickness below.")  \
  X(FLOAT, voxelsize, "Voxel Size", 0, HARD(0), SOFT(0.1), "m",                                                     \
    "Voxel size of the level set. Smaller keeps finer detail and takes more memory. 0 uses a hundredth of the "     \
    "largest side, or a sixteenth of the Thickness of a shell where that is more.")                                 \
  X(FLOAT, band, "Band", 4, HARD(3), HARD(100), "",                                                                 \
    "Half width of the level set in voxels. Raise it if strands or liquid pass through a fast collider.", ADVANCED) \
  X(FLOAT, thickness, "Thickness", 0, HARD(0), SOFT(0.1), "m",                                                      \
    "Thickness of the shell of an open mesh. 0 uses two voxels.", HIDE("{ mode == closed }"))                       \
  X(FOLDER, "Motion")                                                                                               \
  X(MENU, vmode, "Velocity", 0,                                                                                     \
    "auto=Attribute v, else motion|attribute=Attribute v|motion=Motion of the points|none=None",                    \
    "Source of the velocity. Motion measures the points from half a frame before to half a frame after.", ADVANCED) \
  X(FOLDER, "Surface")                                                                                              \
  X(FLOAT, friction, "Friction", 0.3, HARD(0), SOFT(1), "",                                                         \
    "Coefficient of friction: 0 is slippery, 0.3 the default, 1 rough.")                                            \
  X(FLOAT, contactangle, "Contact Angle", 60, HARD(0), HARD(180), "deg",                                            \
    "Angle at which liquid meets the surface: below 90 degrees it wets, above it beads.")
RV_PARM_TABLE(ColliderParms, collider_table, COLLIDER_PARMS)

static const RvPortDef collider_inputs[] = {
    {"shape", "Shape", "A mesh, open or closed, still or animated, or a VDB surface or collision, with vel.", true}};
static const unsigned takes[] = {RV_PORT_FACES | RV_PORT_VDBS};
static const RvPortDef collider_outputs[] = {
    {"collider", "Collider", "The input with v, the VDB collision and the surface's properties.", false}};

static const double DEFAULT_VOXELS = 100;  // along the largest side
// Voxels across the shell of an open mesh, at most: it is rounded by half its thickness, so more show nothing, and a
// shell that is thicker than its mesh is wide would have millions.
static const double SHELL_VOXELS = 16;
static const double LARGEST_BAND = 200;  // voxels from the mesh to the end of the band of its shell

// Entries of mode and vmode.
enum { MODE_AUTO, MODE_CLOSED, MODE_OPEN };
enum { V_AUTO, V_ATTRIBUTE, V_MOTION, V_NONE };

//---------------------------------------------------------------------------------------------- attributes

// Adds a property to the primitives unless the artist has painted it.
static RvResult put_property(RvDetail* detail, const char* name, double value, RvError* error) {
  if (rv_detail_find(detail, RV_POINT, name) || rv_detail_find(detail, RV_PRIM, name)) return RV_OK;
  float* values = rv_detail_f32_write(detail, RV_PRIM, name, 1, error);
  if (!values) return rv_fail(error, RV_NO_MEMORY, "out of memory for attribute %s", name);
  for (size_t i = 0; i < rv_detail_count(detail, RV_PRIM); ++i) values[i] = (float)value;
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- velocity

// True if both details have the same points and faces.
static bool same_topology(const RvDetail* a, const RvDetail* b) {
  for (int o = RV_POINT; o <= RV_PRIM; ++o)
    if (rv_detail_count(a, (RvOwner)o) != rv_detail_count(b, (RvOwner)o)) return false;
  size_t nprim = rv_detail_count(a, RV_PRIM), nvertex = rv_detail_count(a, RV_VERTEX);
  return memcmp(rv_detail_prim_start(a), rv_detail_prim_start(b), (nprim + 1) * sizeof(int32_t)) == 0 &&
         (!nvertex || memcmp(rv_detail_vertex_point(a), rv_detail_vertex_point(b), nvertex * sizeof(int32_t)) == 0);
}

// Input at another frame; *there is false where it does not exist, as before the start of a sequence. Any other
// failure, such as a damaged file, is an error, since the velocity would be wrong.
static RvResult sample_input(RvCook* cook, double frame, const RvDetail** out, bool* there, RvError* error) {
  RvError own = {0};
  RvResult r = rv_cook_input_at(cook, 0, frame, out, &own);
  *there = r == RV_OK && *out;
  if (r == RV_OK || r == RV_NOT_FOUND) return RV_OK;
  return rv_fail(error, r, "cannot measure the motion at frame %g: %s", frame, own.text);
}

// Samples of the input half a frame to each side. At the end of a file sequence, which has no half frames, the current
// frame and the next whole frame on the other side.
static RvResult sample_motion(RvCook* cook, double frames[2], const RvDetail* samples[2], RvError* error) {
  bool there[2];
  RvResult r = RV_OK;
  for (int i = 0; i < 2 && r == RV_OK; ++i) {
    frames[i] = cook->time.frame + i - 0.5;
    r = sample_input(cook, frames[i], &samples[i], &there[i], error);
  }
  if (r != RV_OK || (there[0] && there[1])) return r;
  // One side is missing: the current frame stands for it.
  int absent = there[0] ? 1 : 0;
  bool other = there[1 - absent];
  frames[absent] = cook->time.frame;
  samples[absent] = cook->input[0];
  if (other) {
    frames[1 - absent] = cook->time.frame + (absent ? -1 : 1);
    r = sample_input(cook, frames[1 - absent], &samples[1 - absent], &other, error);
  }
  // Both are missing: the mesh stands still.
  if (!other) {
    samples[0] = cook->input[0];
    samples[1] = cook->input[0];
  }
  return r;
}

// Velocity by finite differences of the point positions.
static RvResult motion_velocity(RvCook* cook, RvDetail* detail, RvError* error) {
  const RvDetail* samples[2];
  double frames[2];
  size_t npoint = rv_detail_count(detail, RV_POINT);
  rv_detail_remove_attrib(detail, RV_POINT, "v");
  float* v = rv_detail_f32_write(detail, RV_POINT, "v", 3, error);
  if (!v) return rv_fail(error, RV_NO_MEMORY, "out of memory for attribute v");
  memset(v, 0, 3 * npoint * sizeof *v);
  // The difference is only defined between the same points.
  RvResult r = sample_motion(cook, frames, samples, error);
  if (r != RV_OK || samples[0] == samples[1]) return r;
  if (!same_topology(samples[0], cook->input[0]) || !same_topology(samples[1], cook->input[0])) {
    rv_cook_warn(cook,
                 "the mesh changes its topology around frame %g and has no v: its velocity is taken as 0; give it "
                 "a point attribute v",
                 cook->time.frame);
    return RV_OK;
  }
  const float *a = rv_detail_f32(samples[0], RV_POINT, "P", 3), *b = rv_detail_f32(samples[1], RV_POINT, "P", 3);
  double rate = cook->time.fps / (frames[1] - frames[0]);
  for (size_t i = 0; i < 3 * npoint; ++i) v[i] = (float)(((double)b[i] - a[i]) * rate);
  return RV_OK;
}

// Adds or keeps v as vmode says.
static RvResult add_velocity(RvCook* cook, RvDetail* detail, RvError* error) {
  const ColliderParms* p = cook->parms;
  const RvAttrib* v = rv_detail_find(detail, RV_POINT, "v");
  bool usable = v && rv_attrib_size(v) == 3 && rv_attrib_storage(v) != RV_STRING;
  if (usable && (p->vmode == V_AUTO || p->vmode == V_ATTRIBUTE)) return RV_OK;
  if (v && !usable) rv_cook_warn(cook, "the point attribute v is not a vector of three numbers and is replaced");
  if (p->vmode == V_ATTRIBUTE)
    return rv_fail(error, RV_BAD_INPUT, "vmode: the input has no point attribute v of three numbers");
  // Measured, or none at all.
  if (p->vmode != V_NONE) return motion_velocity(cook, detail, error);
  rv_detail_remove_attrib(detail, RV_POINT, "v");
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- meshes

// Warns about open, inconsistently wound and inside-out meshes.
static void tell_faults(RvCook* cook, const RvMeshFacts* facts, bool open) {
  const ColliderParms* p = cook->parms;
  if (p->mode == MODE_CLOSED && facts->open_edges)
    rv_cook_warn(cook,
                 "mode: the mesh is taken as closed, but is open at %zu edges; holes wider than a voxel leave it "
                 "without an inside: close them",
                 facts->open_edges);
  if (p->mode == MODE_AUTO && open)
    rv_cook_warn(cook,
                 "the mesh is open at %zu edges: it becomes a shell. Close it, or set mode to open if this is "
                 "intended",
                 facts->open_edges);
  if (open) return;
  if (facts->flipped_edges)
    rv_cook_warn(cook, "the faces at %zu edges have opposite winding; the distance does not depend on it",
                 facts->flipped_edges);
  else if (facts->volume < 0)
    rv_cook_warn(cook, "the mesh is inside out; the distance does not depend on it, but normals do: reverse its faces");
}

// Level set of a mesh; *thickness: that of the shell of an open mesh, 0 for a closed one.
static RvResult mesh_distance(RvCook* cook, const RvMesh* mesh, const RvMeshFacts* facts, double* thickness,
                              RvGrid** out, RvError* error) {
  const ColliderParms* p = cook->parms;
  bool open = p->mode == MODE_OPEN || (p->mode == MODE_AUTO && facts->open_edges);
  double side = fmax(fmax(facts->hi[0] - facts->lo[0], facts->hi[1] - facts->lo[1]), facts->hi[2] - facts->lo[2]);
  // A mesh with holes is a shell, unless mode says closed.
  double voxel = p->voxelsize > 0 ? p->voxelsize : fmax(side / DEFAULT_VOXELS, RV_VDB_LEAST_VOXEL);
  *thickness = 0;
  if (!(facts->area > 0)) return rv_fail(error, RV_BAD_INPUT, "the mesh has no area: a collider needs a surface");
  tell_faults(cook, facts, open);
  if (!(p->voxelsize > 0) && side / DEFAULT_VOXELS < voxel)
    rv_cook_warn(cook,
                 "the mesh is %g units wide, %.0f of the smallest voxels of a VDB: use smaller units "
                 "(metersperunit)",
                 side, side / voxel);
  RvMeshGrid want = {"collision", voxel, p->band, .exact = true, .parm = "voxelsize"};
  if (!open) return rv_mesh_to_grid(mesh, facts, &want, out, error);
  // A shell thinner than two voxels would fall between voxels.
  if (!(p->voxelsize > 0) && p->thickness > 0)
    voxel = fmax(rv_clamp(voxel, p->thickness / SHELL_VOXELS, p->thickness / 2), RV_VDB_LEAST_VOXEL);
  *thickness = fmax(p->thickness, 2 * voxel);
  if (p->thickness > 0 && p->thickness < 2 * voxel)
    rv_cook_warn(cook, "thickness of %g is less than two voxels of %g: %g is used", p->thickness, voxel, *thickness);
  if (p->band + *thickness / 2 / voxel > LARGEST_BAND)
    return rv_fail(error, RV_BAD_INPUT, "thickness of %g is %.0f voxels: choose a larger voxelsize", *thickness,
                   *thickness / voxel);
  want = (RvMeshGrid){"collision", voxel, p->band, .shell = *thickness, .exact = true, .parm = "voxelsize"};
  return rv_mesh_to_grid(mesh, facts, &want, out, error);
}

// Adds distance, velocity and thickness of a mesh.
static RvResult collide_mesh(RvCook* cook, RvDetail* detail, const RvMesh* mesh, bool has_distance, RvError* error) {
  const ColliderParms* p = cook->parms;
  RvMeshFacts facts;
  RvGrid* grid = NULL;
  double thickness = 0;
  RvResult r = rv_mesh_measure(mesh, &facts, error);
  if (r == RV_OK && !has_distance) r = mesh_distance(cook, mesh, &facts, &thickness, &grid, error);
  // The velocity compares the topology with the input, so it comes before the VDB primitive is added.
  if (r == RV_OK) r = add_velocity(cook, detail, error);
  if (r == RV_OK && grid) r = rv_detail_add_vdb(detail, grid, error);
  if (r == RV_OK) r = put_property(detail, "thickness", has_distance ? p->thickness : thickness, error);
  if (grid) rv_grid_release(grid);
  return r;
}

//---------------------------------------------------------------------------------------------- VDBs

// Finds a VDB by the first matching name. Its type is checked later: a wrong type is an error, not a reason to search
// on.
static bool find_grid(const RvDetail* detail, const char* const* names, size_t* prim) {
  for (size_t n = 0; names[n]; ++n)
    for (size_t i = 0; i < rv_detail_count(detail, RV_PRIM); ++i) {
      RvGrid* grid = rv_detail_prim_grid(detail, i);
      if (!grid || strcmp(rv_grid_name(grid), names[n]) != 0) continue;
      *prim = i;
      return true;
    }
  return false;
}

// Renames a VDB, on a copy.
static RvResult rename_grid(RvDetail* detail, size_t prim, const char* name, RvError* error) {
  RvGrid* grid = rv_detail_prim_grid(detail, prim);
  if (strcmp(rv_grid_name(grid), name) == 0) return RV_OK;
  RvGrid* copy = NULL;
  RvResult r = rv_grid_copy(grid, &copy, error);
  if (r != RV_OK) return r;
  r = rv_grid_set_name(copy, name, error);
  if (r == RV_OK) r = rv_detail_set_grid(detail, prim, copy, error);
  rv_grid_release(copy);
  return r;
}

// Uses a level set of the input as the distance; *found: there is one.
static RvResult collide_vdb(RvCook* cook, RvDetail* detail, bool* found, RvError* error) {
  static const char* const distances[] = {"collision", "surface", NULL};
  static const char* const velocities[] = {"collisionvel", "vel", "v", NULL};
  size_t prim;
  // By name, else the first level set.
  *found = find_grid(detail, distances, &prim);
  for (size_t i = 0; !*found && i < rv_detail_count(detail, RV_PRIM); ++i) {
    RvGrid* grid = rv_detail_prim_grid(detail, i);
    *found = grid && rv_grid_type(grid) == RV_GRID_FLOAT && rv_grid_class(grid) == RV_GRID_LEVEL_SET;
    prim = i;
  }
  if (!*found) return RV_OK;
  RvGrid* grid = rv_detail_prim_grid(detail, prim);
  const char* name = rv_grid_name(grid);
  if (rv_grid_type(grid) != RV_GRID_FLOAT || rv_grid_class(grid) == RV_GRID_FOG)
    return rv_fail(error, RV_BAD_INPUT, "VDB %s is not a signed distance (level set): convert it first", name);
  if (rv_grid_class(grid) != RV_GRID_LEVEL_SET)
    rv_cook_warn(cook, "VDB %s is not marked as a level set; its values are used as distances", name);
  RvResult r = rename_grid(detail, prim, "collision", error);
  // Its velocity, where there is one.
  if (r != RV_OK || !find_grid(detail, velocities, &prim)) return r;
  grid = rv_detail_prim_grid(detail, prim);
  if (rv_grid_type(grid) != RV_GRID_VEC3)
    return rv_fail(error, RV_BAD_INPUT, "VDB %s is not a vector grid: velocities need one", rv_grid_name(grid));
  return rename_grid(detail, prim, "collisionvel", error);
}

// Distance and velocity of the VDBs and the mesh, then the properties of the surface.
static RvResult cook(RvCook* cook, RvError* error) {
  const ColliderParms* p = cook->parms;
  RvMesh mesh = {0};
  bool vdb = false;
  RvDetail* detail = rv_detail_copy(cook->input[0]);
  RvResult r = detail ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the geometry");
  if (r == RV_OK) r = rv_mesh_from_detail(cook->input[0], &mesh, error);
  if (r == RV_OK) r = collide_vdb(cook, detail, &vdb, error);
  if (r == RV_OK && mesh.ntriangle) r = collide_mesh(cook, detail, &mesh, vdb, error);
  if (r == RV_OK && !mesh.ntriangle && !vdb)
    rv_cook_warn(cook, "the input has neither faces nor a level set: nothing collides");
  if (r == RV_OK) r = put_property(detail, "friction", p->friction, error);
  if (r == RV_OK) r = put_property(detail, "contactangle", p->contactangle, error);
  rv_mesh_free(&mesh);
  return rv_node_give(cook, detail, r);
}

RV_NODE_TYPE(collider, "Collider", "Liquid",
             "Prepares a mesh or VDB to collide with: distance, velocity and surface properties.",
             "The input passes through and gets:\n\n"
             "The VDB collision, a level set that is negative inside. For a closed mesh it is the signed distance, "
             "whichever way the faces point; for an open mesh the distance to a shell of the Thickness. A VDB input "
             "keeps its distance, renamed from surface if needed; its velocity vel or v becomes collisionvel, and "
             "without one the collider stands still.\n\n"
             "The point attribute v of a mesh, in metres per second: that of the input, or the motion of the points "
             "over one frame. A mesh whose topology changes needs its own v.\n\n"
             "The primitive attributes friction, contactangle (degrees) and thickness, unless the input "
             "already has them on points or primitives.",
             .flags = RV_NODE_SAMPLES_FRAMES, .revision = 1, RV_NODE_INPUTS(collider_inputs), .takes = takes,
             RV_NODE_OUTPUTS(collider_outputs))
