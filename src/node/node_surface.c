// Surface: bulk, films and bridges of a solver's output as one level set, a fog, velocities and a mesh.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/scalar.h"
#include "node/define.h"
#include "node/transfer/surface_read.h"
#include "shim/vdb_voxel.h"

#define SURFACE_PARMS(X)                                                                                               \
  X(FOLDER, "Surface")                                                                                                 \
  X(FLOAT, voxelsize, "Voxel Size", 0, HARD(0), SOFT(0.01), "m",                                                       \
    "Side of a voxel. Smaller shows finer detail and takes more memory and time. 0 uses half the particle separation " \
    "or, without particles, the mean radius of wet strands.")                                                          \
  X(FLOAT, particlesep, "Particle Separation", 0, HARD(0), SOFT(0.1), "m",                                             \
    "Distance of particles inside the liquid. 0 derives it from their volume, or else from their number density; "     \
    "pscale then sizes isolated drops only.")                                                                          \
  X(FLOAT, radiusscale, "Particle Radius Scale", 1, HARD(0.1), HARD(10), "",                                           \
    "Multiplies the size of all particles. 1 keeps the volume of the liquid.", ADVANCED)                               \
  X(FLOAT, dropletscale, "Droplet Scale", 1, HARD(0.1), HARD(10), "",                                                  \
    "Multiplies the size of isolated particles; the bulk keeps its own.", ADVANCED)                                    \
  X(FLOAT, smoothing, "Smoothing", 1, HARD(0.25), HARD(4), "",                                                         \
    "Smoothing of the bulk, in particle separations. Raise it to hide single particles, lower it for crisper "         \
    "splashes. Sheets and threads are not smoothed across, so they and the volume are kept.")                          \
  X(TOGGLE, walls, "Walls", false,                                                                                     \
    "Liquid meets the walls of a tank flat and goes on behind them, instead of curving down in front of them. Set "    \
    "the "                                                                                                             \
    "walls of the solver.")                                                                                            \
  X(VEC3, wallsmin, "Walls Min", -1, -1, -1, SOFT(-2), SOFT(2), "m", "Lower corner of the tank.",                      \
    WHEN("{ walls == 0 }"))                                                                                            \
  X(VEC3, wallsmax, "Walls Max", 1, 1, 1, SOFT(-2), SOFT(2), "m", "Upper corner of the tank.", WHEN("{ walls == 0 }")) \
  X(FOLDER, "Film")                                                                                                    \
  X(FLOAT, minfilm, "Minimum Film Radius", 0, HARD(0), HARD(4), "",                                                    \
    "Smallest drawn radius of wet strands, in voxels. 0 draws true radii, which voxels larger than the radius do not " \
    "show; 0.7 shows every wet strand, with more volume than it has.")                                                 \
  X(TOGGLE, bridges, "Bridges", 1, "Draws liquid bridges between strands that are close.")                             \
  X(FLOAT, contactangle, "Contact Angle", 40.8, HARD(0), HARD(170), "deg",                                             \
    "Contact angle of the liquid on hair. It sets how far apart strands may be for a bridge between them.",            \
    WHEN("{ bridges == 0 }"), ADVANCED)                                                                                \
  X(FLOAT, blend, "Blend", 2, HARD(0), HARD(16), "",                                                                   \
    "Radius of the smooth transition between bulk and film, in voxels. 0 makes a sharp seam.", ADVANCED)               \
  X(FLOAT, hairradius, "Hair Radius", 0.00004, HARD(0), SOFT(0.0002), "m",                                             \
    "Radius of strands that have neither hairradius nor filmradius.", ADVANCED)                                        \
  X(FOLDER, "Output")                                                                                                  \
  X(TOGGLE, density, "Density", 0, "Adds the fog VDB density, 1 inside the liquid.")                                   \
  X(TOGGLE, vel, "Velocity", 1, "Adds the staggered velocity VDB vel, for motion blur.")                               \
  X(FLOAT, velscale, "Velocity Voxel Scale", 2, HARD(1), HARD(16), "",                                                 \
    "Voxel size of vel, in voxels of the surface. Larger saves memory.", WHEN("{ vel == 0 mesh == 0 }"), ADVANCED)     \
  X(TOGGLE, half, "16-Bit VDBs", 0,                                                                                    \
    "Marks the VDBs to be written as 16-bit floats: half the size, 3 significant digits.")                             \
  X(TOGGLE, mesh, "Mesh", 0, "Makes a mesh, the second output, with v and wetness on its points.")                     \
  X(FLOAT, adaptivity, "Adaptivity", 0, HARD(0), HARD(1), "",                                                          \
    "Merges faces where the surface is flat. 0 keeps all, 1 simplifies most.", WHEN("{ mesh == 0 }"), ADVANCED)        \
  X(TOGGLE, points, "Points", 0,                                                                                       \
    "Passes the particles, the third output, for a .vdb of points, without attributes that none of them uses.")        \
  X(FOLDER, "Memory")                                                                                                  \
  X(FLOAT, memorylimit, "Memory Limit", 4, HARD(0.05), SOFT(64), "",                                                   \
    "Gigabytes that the surface may take. The node estimates them in advance.", ADVANCED)                              \
  X(MENU, onlimit, "Over the Limit", 0, "coarsen=Coarsen|refuse=Refuse",                                               \
    "Above the limit, uses larger voxels with a warning that names them, or fails.", ADVANCED)
RV_PARM_TABLE(SurfaceParms, surface_table, SURFACE_PARMS)

// Entries of onlimit.
enum { COARSEN, REFUSE };

static const double GIGABYTE = 1e9;             // bytes
static const double DEFAULT_VOXEL = 0.01;       // without particles and films
static const double VOXELS_A_SEPARATION = 0.5;  // voxel size over particle separation
static const double THIN_SHARE = 0.01;          // of the film volume, above which thin films are reported

static const RvPortDef inputs[] = {
    {"liquid", "Liquid", "Output of a solver: its state, particles, wet strands, or several of them merged.", false}};
static const unsigned takes[] = {RV_PORT_POINTS | RV_PORT_CURVES};
static const RvPortDef outputs[] = {{"surface", "Surface", "VDBs surface, density and vel.", false},
                                    {"mesh", "Mesh", "Triangles with v and wetness.", false},
                                    {"points", "Points", "The particles.", false}};

// Asks the host whether to stop.
static bool cancelled(void* user, double fraction) {
  return rv_cook_cancelled(user, fraction, "surface");
}

// Voxel size of the surface.
static double choose_voxel(const SurfaceParms* p, const RvSurfaceInput* in) {
  if (p->voxelsize > 0) return p->voxelsize;
  // The separation is measured in every frame: a run must not end where it becomes tiny.
  if (in->separation > 0) return fmax(VOXELS_A_SEPARATION * in->separation, RV_VDB_LEAST_VOXEL);
  return in->outer > 0 ? fmax(in->outer, RV_VDB_LEAST_VOXEL) : DEFAULT_VOXEL;
}

// Settings of the surface from the parameters.
static RvSurfaceDef def_of(RvCook* cook, const RvSurfaceInput* in) {
  const SurfaceParms* p = cook->parms;
  return (RvSurfaceDef){.voxel = choose_voxel(p, in),
                        .smoothing = p->smoothing,
                        .radiusscale = p->radiusscale,
                        .dropletscale = p->dropletscale,
                        .blend = p->blend,
                        .minfilm = p->minfilm,
                        .bridges = p->bridges,
                        .angle = rv_radians(p->contactangle),
                        .memory = p->memorylimit * GIGABYTE,
                        .coarsen = p->onlimit == COARSEN,
                        .vel = p->vel || p->mesh ? p->velscale : 0,
                        .wetness = p->mesh,
                        .copies = p->density + 2 * p->mesh,
                        .cancelled = cancelled,
                        .user = cook};
}

//---------------------------------------------------------------------------------------------- outputs

// Adds a VDB to the output.
static RvResult add_grid(const SurfaceParms* p, RvDetail* d, RvGrid* grid, RvError* error) {
  RvResult r = p->half ? rv_grid_set_meta_bool(grid, "is_saved_as_half_float", true, error) : RV_OK;
  return r ? r : rv_detail_add_vdb(d, grid, error);
}

// Adds surface, density and vel to the first output.
static RvResult put_grids(const SurfaceParms* p, RvSurfaceOut* made, RvDetail* d, RvError* error) {
  RvResult r = add_grid(p, d, made->surface, error);
  // The fog is 1 inside and falls to 0 towards the surface.
  if (!r && p->density) {
    RvGrid* fog = NULL;
    r = rv_grid_to_fog(made->surface, "density", &fog, error);
    if (!r) r = add_grid(p, d, fog, error);
    rv_grid_release(fog);
  }
  if (!r && p->vel) r = add_grid(p, d, made->vel, error);
  return r;
}

// Samples a grid into a point attribute.
static RvResult sample_to(const RvGrid* grid, const double* x, size_t count, RvDetail* d, const char* name, int size,
                          RvError* error) {
  float* to = rv_detail_f32_write(d, RV_POINT, name, size, error);
  if (!to) return error->code;
  return rv_grid_sample(grid, count, x, to, error);
}

// Makes the mesh of the second output.
static RvResult put_mesh(const SurfaceParms* p, const RvSurfaceOut* made, RvDetail* d, RvError* error) {
  size_t npoint, ntriangle;
  float* points;
  int32_t* triangles;
  RvResult r = rv_grid_to_mesh(made->surface, 0, p->adaptivity, &npoint, &points, &ntriangle, &triangles, error);
  if (r) return r;
  // Corner counts for the polygons, and positions in doubles for the samplers.
  int32_t* three = rv_alloc(ntriangle + 1, sizeof *three);
  double* x = rv_alloc(3 * npoint + 3, sizeof *x);
  if (!three || !x) r = rv_fail(error, RV_NO_MEMORY, "out of memory for a mesh of %zu triangles", ntriangle);
  for (size_t i = 0; !r && i < ntriangle; ++i) three[i] = 3;
  for (size_t i = 0; !r && i < 3 * npoint; ++i) x[i] = points[i];
  // Points and faces.
  if (!r) r = rv_detail_add_points(d, npoint, NULL, error);
  float* P = r ? NULL : rv_detail_f32_write(d, RV_POINT, "P", 3, error);
  for (size_t i = 0; P && i < 3 * npoint; ++i) P[i] = points[i];
  if (!r) r = P ? rv_detail_add_polygons(d, RV_PRIM_POLYGON, ntriangle, three, triangles, NULL, error) : error->code;
  // Attributes from the grids.
  if (!r) r = sample_to(made->vel, x, npoint, d, "v", 3, error);
  if (!r) r = sample_to(made->wetness, x, npoint, d, "wetness", 1, error);
  rv_free(points);
  rv_free(triangles);
  rv_free(three);
  rv_free(x);
  return r;
}

// Converts volume to 32 bits, since a .vdb of points has no 64-bit floats.
static RvResult narrow_volume(RvDetail* d, RvError* error) {
  const double* wide = rv_detail_f64(d, RV_POINT, "volume", 1);
  size_t n = rv_detail_count(d, RV_POINT);
  if (!wide) return RV_OK;
  float* kept = rv_alloc(n + 1, sizeof *kept);
  if (!kept) return rv_fail(error, RV_NO_MEMORY, "out of memory for the particles");
  for (size_t i = 0; i < n; ++i) kept[i] = (float)wide[i];
  // An attribute cannot change its storage: it is replaced.
  rv_detail_remove_attrib(d, RV_POINT, "volume");
  float* to = rv_detail_f32_write(d, RV_POINT, "volume", 1, error);
  for (size_t i = 0; to && i < n; ++i) to[i] = kept[i];
  rv_free(kept);
  return to ? RV_OK : error->code;
}

// True for an attribute of particles, or one with a value other than its default.
static bool is_kept(const RvDetail* d, const RvAttrib* a) {
  static const char* const always[] = {"P", "v", "pscale", "id", "age", "source", "volume"};
  for (size_t i = 0; i < sizeof always / sizeof *always; ++i)
    if (strcmp(rv_attrib_name(a), always[i]) == 0) return true;
  // Merged geometry fills foreign attributes with defaults.
  size_t bytes = rv_storage_bytes(rv_attrib_storage(a)) * (size_t)rv_attrib_size(a);
  const char *values = rv_attrib_read(a), *none = rv_attrib_default(a);
  for (size_t i = 0; i < rv_detail_count(d, RV_POINT); ++i)
    if (memcmp(values + bytes * i, none, bytes) != 0) return true;
  return false;
}

// Removes attributes that only the strands of a state use.
static void drop_foreign(RvDetail* d) {
  for (size_t i = rv_detail_attrib_count(d, RV_POINT); i > 0; --i) {
    const RvAttrib* a = rv_detail_attrib(d, RV_POINT, i - 1);
    if (!is_kept(d, a)) rv_detail_remove_attrib(d, RV_POINT, rv_attrib_name(a));
  }
}

// Makes the particles of the third output.
static RvResult put_points(const RvDetail* input, const RvSurfaceInput* in, RvDetail** out, RvError* error) {
  RvDetail* d = rv_detail_copy(input);
  if (!d) return rv_fail(error, RV_NO_MEMORY, "out of memory for the particles");
  // Loose points without private attributes.
  rv_state_strip(d, false);
  RvResult r = rv_detail_keep(d, in->loose, NULL, false, error);
  if (!r) {
    drop_foreign(d);
    r = narrow_volume(d, error);
  }
  if (r)
    rv_detail_free(d);
  else
    *out = d;
  return r;
}

// Warns of a coarser voxel, particles without volume and thin films.
static void tell(RvCook* cook, const RvSurfaceDef* def, const RvSurfaceInput* in, const RvSurfaceOut* made) {
  const SurfaceParms* p = cook->parms;
  // Above memorylimit with coarsen.
  if (made->voxel > def->voxel)
    rv_cook_warn(cook, "voxelsize: voxels of %g need more than memorylimit of %g GB, so voxels of %.4g are used",
                 def->voxel, p->memorylimit, made->voxel);
  if (in->empty)
    rv_cook_warn(cook, "%zu particles have no volume and are left out: check volume and pscale", in->empty);
  if (made->thin > THIN_SHARE * made->film && !(p->minfilm > 0))
    rv_cook_info(cook,
                 "films with a radius below 1.5 voxels lose volume or do not show (see thinfilmvolume): use smaller "
                 "voxels, or set minfilm");
}

// Writes the volumes as detail attributes: input, and too small for the voxels. Pendant drops are drawn as particles
// but belong to the strands, as in the ledger.
static RvResult put_volumes(const RvSurfaceInput* in, const RvSurfaceOut* made, RvDetail* d, RvError* error) {
  const struct {
    const char* name;
    double value;
  } rows[] = {{"bulkvolume", made->bulk - in->drops},
              {"filmvolume", made->film + in->drops},
              {"smallbulkvolume", made->small},
              {"thinfilmvolume", made->thin},
              {"memoryestimate", made->estimate}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    double* to = rv_detail_f64_write(d, RV_GLOBAL, rows[i].name, 1, error);
    if (!to) return error->code;
    *to = rows[i].value;
  }
  return RV_OK;
}

// Adds the images of the liquid behind the walls.
static RvResult mirror_at_walls(const SurfaceParms* p, RvSurfaceInput* in, RvError* error) {
  RvSurfaceWalls w;
  for (int k = 0; k < 3; ++k) {
    w.lo[k] = p->wallsmin[k];
    w.hi[k] = p->wallsmax[k];
    if (!(w.lo[k] < w.hi[k]))
      return rv_fail(error, RV_BAD_INPUT, "wallsmin (%g %g %g) must lie below wallsmax (%g %g %g)", p->wallsmin[0],
                     p->wallsmin[1], p->wallsmin[2], p->wallsmax[0], p->wallsmax[1], p->wallsmax[2]);
  }
  return rv_surface_mirror(in, &w, p->smoothing, error);
}

// Reads the liquid and makes all outputs.
static RvResult make(RvCook* cook, const RvDetail* input, RvDetail* out[3], RvError* error) {
  const SurfaceParms* p = cook->parms;
  // Particles and films of the input; without one everything is empty.
  RvSurfaceRead how = {p->particlesep, p->hairradius};
  RvSurfaceInput in = {0};
  RvSurfaceOut made = {0};
  RvSurfaceDef def = {0};
  RvResult r = input ? rv_surface_read(cook, input, &how, &in, error) : RV_OK;
  if (!r && p->walls && in.particles.count) r = mirror_at_walls(p, &in, error);
  if (!r) {
    def = def_of(cook, &in);
    r = rv_surface_make(&def, &in.particles, &in.film, &made, error);
    // The reason says what a VDB takes.
    if (r && def.voxel < RV_VDB_LEAST_VOXEL) rv_error_context(error, "voxelsize");
  }
  // Outputs 1 and 2; the third replaces its empty detail.
  if (!r) tell(cook, &def, &in, &made);
  if (!r) r = put_grids(p, &made, out[0], error);
  if (!r) r = put_volumes(&in, &made, out[0], error);
  if (!r && p->mesh) r = put_mesh(p, &made, out[1], error);
  if (!r && p->points && input) {
    rv_detail_free(out[2]);
    out[2] = NULL;
    r = put_points(input, &in, &out[2], error);
  }
  rv_surface_release(&made);
  rv_surface_input_free(&in);
  return r;
}

// Makes the three outputs.
static RvResult cook(RvCook* cook, RvError* error) {
  const RvDetail* input = cook->ninput ? cook->input[0] : NULL;
  RvDetail* out[3] = {rv_detail_new(), rv_detail_new(), rv_detail_new()};
  RvResult r = out[0] && out[1] && out[2] ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the surface");
  if (!r) r = make(cook, input, out, error);
  for (int i = 0; i < 3; ++i) {
    if (r)
      rv_detail_free(out[i]);
    else
      cook->output[i] = out[i];
  }
  return r;
}

RV_NODE_TYPE(surface, "Surface", "Liquid",
             "Makes one level set of bulk liquid, films on strands and liquid bridges between strands.",
             "Particles are points that no primitive uses, with volume (or pscale) and v. Films are on curves with "
             "the point attributes filmheight, filmradius or hairradius, v and wetness, as the solvers write "
             "them; dropradius is the radius of a drop that hangs at the tip. Other primitives are ignored.\n\n"
             "The surface encloses the volume of the particles. An isolated particle is a ball of its own volume, "
             "sheets and threads stay as thin as they are, and nothing pops: the surface changes smoothly as "
             "particles move, merge and split. A film is a tube of its outer radius around the hair, which it "
             "includes, and a drop at the tip is a ball about it. Strands that are close enough for their films (of "
             "one clumpid, if that is known) have liquid "
             "between them.\n\n"
             "The VDB surface is a level set with a band of 3 voxels on each side; density is a fog; vel is "
             "staggered, in units per second. The result is the same bit for bit with any number of threads.\n\n"
             "The detail attributes bulkvolume and filmvolume (films and drops at tips) give the input liquid in cubic "
             "units; smallbulkvolume the part in particles and drops with a radius below one voxel, and thinfilmvolume "
             "the part on strands with a "
             "radius below 1.5 voxels; memoryestimate the estimated bytes.",
             .revision = 2, RV_NODE_INPUTS(inputs), .takes = takes, RV_NODE_OUTPUTS(outputs))
