// Fill: liquid particles in a closed mesh, in a VDB, or in a box.
#include <math.h>
#include <string.h>

#include "base/budget.h"
#include "base/memory.h"
#include "math/scalar.h"
#include "mesh/lattice.h"
#include "mesh/mesh.h"
#include "node/define.h"

#define FILL_PARMS(X)                                                                                                 \
  X(FOLDER, "Particles")                                                                                              \
  X(FLOAT, particlesep, "Particle Separation", 0.01, HARD(0), SOFT(0.1), "m",                                         \
    "Distance of neighbouring particles, each of which is a cube of liquid of this side. Smaller resolves finer "     \
    "splashes; halving it makes eight times as many particles. Must be above 0.")                                     \
  X(FLOAT, jitter, "Jitter", 0.5, HARD(0), HARD(1), "",                                                               \
    "Random offset of particles from the centre of their cell: 0 is a perfect lattice, 1 reaches all of the cell. "   \
    "The default 0.5 hides the lattice.")                                                                             \
  X(INT, jitterseed, "Jitter Seed", 0, SOFT(0), SOFT(100), "",                                                        \
    "Seed of the random offsets, and of the choice of cells at the boundary that get a particle.", ADVANCED)          \
  X(INT, maxparticles, "Maximum Particles", 20000000, HARD(1), HARD(1000000000), "",                                  \
    "Largest number of particles. The node fails before it allocates memory for more.", ADVANCED)                     \
  X(FOLDER, "Shape")                                                                                                  \
  X(VEC3, size, "Size", 1, 1, 1, HARD(0), SOFT(1), "m", "Size of the box that is filled when no shape is wired.",     \
    HIDE("{ hasinput(0) == 1 }"))                                                                                     \
  X(VEC3, t, "Center", 0, 0, 0, SOFT(-1), SOFT(1), "m", "Centre of that box.", HIDE("{ hasinput(0) == 1 }"))          \
  X(STRING, vdbname, "VDB Name", "",                                                                                  \
    "Name of the VDB to fill. Empty: the mesh if there is one, then the VDB surface, then the first level set, then " \
    "the first fog.",                                                                                                 \
    ADVANCED, HIDE("{ hasinput(0) == 0 }"))                                                                           \
  X(FLOAT, isovalue, "Level Set Offset", 0, SOFT(-0.1), SOFT(0.1), "m",                                               \
    "Distance by which the filling extends beyond the surface of a mesh or level set; negative values stay inside.",  \
    ADVANCED, HIDE("{ hasinput(0) == 0 }"))                                                                           \
  X(FLOAT, fogisovalue, "Fog Isovalue", 0.5, HARD(0), SOFT(1), "", "Density from which a fog counts as liquid.",      \
    ADVANCED, HIDE("{ hasinput(0) == 0 }"))                                                                           \
  X(FOLDER, "Attributes")                                                                                             \
  X(VEC3, v, "Initial Velocity", 0, 0, 0, SOFT(-1), SOFT(1), "m1s-1", "Velocity of all particles at the start.")      \
  X(STRING, material, "Material", "", "Name of the material of the liquid. Empty: the solver chooses.")               \
  X(INT, sourceid, "Source ID", 0, HARD(0), HARD(2147483647), "", "Value of the attribute source of all particles.",  \
    ADVANCED)
RV_PARM_TABLE(FillParms, fill_table, FILL_PARMS)

static const RvPortDef fill_inputs[] = {
    {"shape", "Shape", "A closed mesh or a VDB. Without it, a box is filled.", false}};
static const unsigned takes[] = {RV_PORT_FACES | RV_PORT_VDBS};
static const RvPortDef fill_outputs[] = {{"particles", "Particles", "Liquid particles.", false}};

enum {
  BYTES_PER_PARTICLE = 12 + 12 + 4 + 4 + 4 + 8,  // P v pscale id source volume
  CELLS_PER_PARTICLE = 64,                       // cells of a VDB that may be examined for each allowed particle
  LEAST_CELLS = 1 << 26                          // cells of one byte that are allowed in any case
};

static const double COUNT_MARGIN = 1.005;  // on the particlesep that a message recommends
static const double CELL_MARGIN = 1.1;
static const double LARGEST_BAND = 100;  // voxels of the level set made from a mesh
static const double BAND_MARGIN = 4;     // voxels beyond the isovalue

// Shape to fill as a distance function.
typedef struct Shape {
  RvGrid* grid;         // NULL: the box
  bool fog;             // density instead of distance
  double iso;           // value at the surface
  size_t open_edges;    // of a mesh
  double lo[3], hi[3];  // bounds; lo[0] infinite: nothing to fill
  RvResult (*distance)(const void* arg, size_t count, const double* positions, float* out, RvError* error);
} Shape;

//---------------------------------------------------------------------------------------------- distance

// Signed distance to the box; outside it a lower bound.
static RvResult box_distance(const void* arg, size_t count, const double* positions, float* out, RvError* error) {
  const Shape* shape = arg;
  (void)error;
  for (size_t i = 0; i < count; ++i) {
    double inside = -INFINITY;
    for (int k = 0; k < 3; ++k) {
      double x = positions[3 * i + (size_t)k];
      inside = fmax(inside, fmax(shape->lo[k] - x, x - shape->hi[k]));
    }
    // Outside, the bound is less than the distance, so a few more cells are examined closely.
    out[i] = (float)inside;
  }
  return RV_OK;
}

// Distance to the surface of a level set or fog.
static RvResult grid_distance(const void* arg, size_t count, const double* positions, float* out, RvError* error) {
  const Shape* shape = arg;
  RvResult r = rv_grid_sample(shape->grid, count, positions, out, error);
  for (size_t i = 0; i < count && r == RV_OK; ++i)
    out[i] = shape->fog ? (float)(shape->iso - out[i]) : (float)(out[i] - shape->iso);
  return r;
}

//---------------------------------------------------------------------------------------------- limits

// Fails if there are more particles than maxparticles, naming a particlesep that fits.
static RvResult check_count(const FillParms* p, double count, RvError* error) {
  double limit = (double)p->maxparticles;
  if (count <= limit) return rv_budget_check(count * BYTES_PER_PARTICLE, error, "particlesep: %.0f particles", count);
  double fits = p->particlesep * rv_pow(count / limit, 1.0 / 3) * COUNT_MARGIN;
  return rv_fail(error, RV_LIMIT,
                 "particlesep of %g makes about %.0f particles (%.1f GB), more than maxparticles of %.0f: raise "
                 "particlesep to %.3g or raise maxparticles",
                 p->particlesep, count, count * BYTES_PER_PARTICLE / 1e9, limit, fits);
}

// Checks the number of cells before memory is allocated for them. A mesh or box has few cells that are not particles,
// but nearly all cells of a fog's bounding box may be empty.
static RvResult check_cells(const FillParms* p, const RvLattice* lattice, RvError* error) {
  RvResult r = check_count(p, (double)lattice->nfull * RV_LATTICE_CELLS, error);
  if (r != RV_OK) return r;
  double cells = (double)lattice->nused * RV_LATTICE_CELLS;
  double limit = fmax(CELLS_PER_PARTICLE * (double)p->maxparticles, LEAST_CELLS);
  if (cells <= limit) return RV_OK;
  double fits = p->particlesep * rv_pow(cells / limit, 1.0 / 3) * CELL_MARGIN;
  return rv_fail(error, RV_LIMIT,
                 "particlesep of %g makes %.0f cells to examine, more than the %.0f that maxparticles of %.0f allows: "
                 "raise particlesep to about %.3g",
                 p->particlesep, cells, limit, (double)p->maxparticles, fits);
}

// Cells of a volume.
static double cells_in(const FillParms* p, double volume) {
  return volume / (p->particlesep * p->particlesep * p->particlesep);
}

//---------------------------------------------------------------------------------------------- shapes

// The box without input.
static RvResult box_shape(const FillParms* p, Shape* shape, RvLattice* lattice, RvError* error) {
  // Sides of the box, and its volume, which the lattice must hold exactly.
  double volume = 1;
  for (int k = 0; k < 3; ++k) {
    if (!(p->size[k] > 0))
      return rv_fail(error, RV_BAD_INPUT, "size%c is %g: a box to fill needs sides above 0", "xyz"[k], p -> size[k]);
    shape->lo[k] = p->t[k] - p->size[k] / 2;
    shape->hi[k] = p->t[k] + p->size[k] / 2;
    volume *= p->size[k];
    // Whole cells fit from wall to wall; the remainder is shared by both walls.
    double cells = ceil(p->size[k] / p->particlesep - 1e-9);
    lattice->anchor[k] = p->t[k] - cells / 2 * p->particlesep;
  }
  shape->distance = box_distance;
  lattice->volume = volume;
  lattice->metric = true;
  return check_count(p, cells_in(p, volume), error);
}

// A mesh, sampled as a level set.
static RvResult mesh_shape(RvCook* cook, const RvMesh* mesh, Shape* shape, RvLattice* lattice, RvError* error) {
  const FillParms* p = cook->parms;
  // Check the mesh and the number of particles.
  RvMeshFacts facts;
  RvResult r = rv_mesh_measure(mesh, &facts, error);
  if (r != RV_OK) return r;
  shape->open_edges = facts.open_edges;
  if (facts.open_edges)
    rv_cook_warn(cook, "the mesh is open at %zu edges: liquid leaks through holes wider than %g m; close them",
                 facts.open_edges, p->particlesep / 2);
  r = check_count(p, cells_in(p, fabs(facts.volume)), error);
  // Level set with a band that contains the isovalue.
  double voxel = p->particlesep / 2, band = BAND_MARGIN + fabs(p->isovalue) / voxel;
  if (band > LARGEST_BAND)
    return rv_fail(error, RV_BAD_INPUT, "isovalue of %g is more than 48 times particlesep: resize the mesh instead",
                   p->isovalue);
  // Exact distances are needed only away from the surface.
  RvMeshGrid want = {"surface", voxel, band, .exact = p->isovalue != 0, .parm = "particlesep"};
  if (r == RV_OK) r = rv_mesh_to_grid(mesh, &facts, &want, &shape->grid, error);
  if (r != RV_OK) return r;
  for (int k = 0; k < 3; ++k) {
    shape->lo[k] = facts.lo[k] - fmax(p->isovalue, 0);
    shape->hi[k] = facts.hi[k] + fmax(p->isovalue, 0);
  }
  shape->iso = p->isovalue;
  shape->distance = grid_distance;
  lattice->metric = true;
  return RV_OK;
}

// First float VDB of a class; NULL if there is none.
static RvGrid* first_of_class(const RvDetail* detail, RvGridClass grid_class) {
  for (size_t i = 0; i < rv_detail_count(detail, RV_PRIM); ++i) {
    RvGrid* grid = rv_detail_prim_grid(detail, i);
    if (grid && rv_grid_type(grid) == RV_GRID_FLOAT && rv_grid_class(grid) == grid_class) return grid;
  }
  return NULL;
}

// Checks that the isovalue lies within the values of a VDB. Beyond its band a VDB has only its background, and such an
// isovalue would fill the whole bounding box, or nothing.
static RvResult check_iso(const RvGrid* grid, const Shape* shape, RvError* error) {
  float background[3] = {0};
  rv_grid_background(grid, background);
  double band = background[0];
  if (shape->fog && !(shape->iso >= band))
    return rv_fail(error, RV_BAD_INPUT,
                   "fogisovalue of %g is not above %g, the density of VDB %s where it has no voxels", shape->iso, band,
                   rv_grid_name(grid));
  // The margin allows for the 32-bit rounding of the band.
  if (!shape->fog && !(fabs(shape->iso) < band * (1 - 1e-6)))
    return rv_fail(error, RV_BAD_INPUT,
                   "isovalue of %g is outside the band of VDB %s, which has distances below %g m only: widen its band "
                   "or use a smaller isovalue",
                   shape->iso, rv_grid_name(grid), band);
  return RV_OK;
}

// A level set or fog.
static RvResult vdb_shape(const FillParms* p, RvGrid* grid, Shape* shape, RvLattice* lattice, RvError* error) {
  const char* name = rv_grid_name(grid);
  RvGridClass grid_class = rv_grid_class(grid);
  if (rv_grid_type(grid) != RV_GRID_FLOAT || (grid_class != RV_GRID_LEVEL_SET && grid_class != RV_GRID_FOG))
    return rv_fail(error, RV_BAD_INPUT, "vdbname: VDB %s is neither a level set nor a fog volume", name);
  // A level set has distances, a fog only an inside.
  int32_t lo[3], hi[3];
  shape->grid = rv_grid_retain(grid);
  shape->fog = grid_class == RV_GRID_FOG;
  shape->iso = shape->fog ? p->fogisovalue : p->isovalue;
  shape->distance = grid_distance;
  lattice->metric = !shape->fog;
  RvResult r = check_iso(grid, shape, error);
  if (r != RV_OK) return r;
  if (!rv_grid_bounds(grid, lo, hi, shape->lo, shape->hi)) shape->lo[0] = INFINITY;
  return RV_OK;
}

// Chooses what is filled: the named VDB, the mesh, or the first suitable VDB.
static RvResult choose_shape(RvCook* cook, const RvDetail* input, Shape* shape, RvLattice* lattice, RvError* error) {
  const FillParms* p = cook->parms;
  shape->lo[0] = INFINITY;
  // A VDB by name, else a mesh, else the first VDB that has an inside.
  if (p->vdbname[0]) {
    RvGrid* grid = rv_detail_find_vdb(input, p->vdbname);
    if (grid) return vdb_shape(p, grid, shape, lattice, error);
    return rv_fail(error, RV_BAD_INPUT, "vdbname: the input has no VDB '%s'", p->vdbname);
  }
  RvMesh mesh;
  RvResult r = rv_mesh_from_detail(input, &mesh, error);
  if (r != RV_OK) return r;
  if (mesh.ntriangle) {
    r = mesh_shape(cook, &mesh, shape, lattice, error);
    rv_mesh_free(&mesh);
    return r;
  }
  rv_mesh_free(&mesh);
  RvGrid* grid = rv_detail_find_vdb(input, "surface");
  if (!grid) grid = first_of_class(input, RV_GRID_LEVEL_SET);
  if (!grid) grid = first_of_class(input, RV_GRID_FOG);
  if (grid) return vdb_shape(p, grid, shape, lattice, error);
  rv_cook_warn(cook, "the input has neither faces nor a VDB to fill: no particles");
  return RV_OK;
}

// What mark_leaf needs.
typedef struct Marking {
  RvLattice* lattice;
  double matrix[16];  // index to world
} Marking;

// RvLeafFn: marks the cells around a block.
static void mark_leaf(void* arg, const RvLeaf* leaf) {
  const Marking* marking = arg;
  const double* m = marking->matrix;
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int corner = 0; corner < 8; ++corner)
    for (int k = 0; k < 3; ++k) {
      // One more voxel on each side, the reach of interpolation.
      double x = m[12 + k];
      for (int axis = 0; axis < 3; ++axis)
        x += m[4 * axis + k] * (leaf->origin[axis] + (corner >> axis & 1 ? 8.0 : -1.0));
      lo[k] = fmin(lo[k], x);
      hi[k] = fmax(hi[k], x);
    }
  rv_lattice_mark(marking->lattice, lo, hi);
}

// Marks the cells that the surface may pass through: those of the leaves of a level set; of a fog, whose border may lie
// between tiles, the whole bounding box.
static RvResult mark_surface(const Shape* shape, RvLattice* lattice, RvError* error) {
  // Without a level set the surface may be anywhere in the box.
  if (!shape->grid || shape->fog) {
    rv_lattice_mark(lattice, shape->lo, shape->hi);
    return RV_OK;
  }
  // The surface of a level set lies in the leaves of its tree.
  Marking marking = {.lattice = lattice};
  RvResult r = rv_grid_transform(shape->grid, marking.matrix, error);
  if (r == RV_OK) rv_grid_each_leaf(shape->grid, mark_leaf, &marking);
  return r;
}

//---------------------------------------------------------------------------------------------- particles

// Adds the attributes that are equal for all particles, and their ids.
static RvResult add_constants(const FillParms* p, RvDetail* out, size_t count, RvError* error) {
  float* v = rv_detail_f32_write(out, RV_POINT, "v", 3, error);
  float* pscale = rv_detail_f32_write(out, RV_POINT, "pscale", 1, error);
  int32_t* id = rv_detail_i32_write(out, RV_POINT, "id", 1, error);
  int32_t* source = rv_detail_i32_write(out, RV_POINT, "source", 1, error);
  double* volume = rv_detail_f64_write(out, RV_POINT, "volume", 1, error);
  int32_t* nextid = rv_detail_i32_write(out, RV_GLOBAL, "nextid", 1, error);
  if (!v || !pscale || !id || !source || !volume || !nextid)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu particles", count);
  double cell = p->particlesep * p->particlesep * p->particlesep;
  // Radius of the sphere of the same volume.
  float radius = (float)(p->particlesep * rv_pow(3 / (4 * RV_PI), 1.0 / 3));
  for (size_t i = 0; i < count; ++i) {
    for (int k = 0; k < 3; ++k) v[3 * i + (size_t)k] = (float)p->v[k];
    pscale[i] = radius;
    id[i] = (int32_t)i;
    source[i] = (int32_t)p->sourceid;
    volume[i] = cell;
  }
  nextid[0] = (int32_t)count;
  // The material, as one string that all particles share.
  if (!p->material[0]) return RV_OK;
  RvAttrib* material = NULL;
  RvResult r = rv_detail_add_attrib(out, RV_POINT, "material", RV_STRING, 1, RV_TAG_NONE, &material, error);
  if (r == RV_OK && count) r = rv_attrib_set_string(material, 0, 0, p->material, error);
  int32_t* text = r == RV_OK ? rv_attrib_write(material) : NULL;
  if (r == RV_OK && !text) r = rv_fail(error, RV_NO_MEMORY, "out of memory for %zu particles", count);
  for (size_t i = 1; i < count && r == RV_OK; ++i) text[i] = text[0];
  return r;
}

// Selects the cells and makes the particles.
static RvResult make_particles(RvCook* cook, RvLattice* lattice, const Shape* shape, RvDetail* out, RvError* error) {
  const FillParms* p = cook->parms;
  RvResult r = RV_OK;
  // Cells of the lattice by their share inside, with limits before memory is taken.
  if (isfinite(shape->lo[0])) {
    r = rv_lattice_begin(lattice, shape->lo, shape->hi, error);
    if (r == RV_OK) r = mark_surface(shape, lattice, error);
    if (r == RV_OK && rv_cook_cancelled(cook, 0.2, "fill")) r = rv_fail(error, RV_CANCELLED, "interrupted");
    if (r == RV_OK) r = rv_lattice_survey(lattice, error);
    if (r == RV_OK) r = check_cells(p, lattice, error);
    if (r == RV_OK) r = rv_lattice_measure(lattice, error);
    if (r == RV_OK) r = check_count(p, (double)lattice->count, error);
    if (r == RV_OK && rv_cook_cancelled(cook, 0.6, "fill")) r = rv_fail(error, RV_CANCELLED, "interrupted");
    if (r == RV_OK) r = rv_lattice_take(lattice, (uint64_t)p->jitterseed, error);
  }
  if (r == RV_OK && shape->open_edges && !lattice->count)
    r = rv_fail(
        error, RV_BAD_INPUT,
        "input 1 (Shape): the mesh is open at %zu edges and has no inside: there is no liquid in it. Close it (the "
        "node tube has cap), or fill a box",
        shape->open_edges);
  if (r == RV_OK && isfinite(shape->lo[0]) && !lattice->count)
    rv_cook_warn(cook, "no particles: the shape is smaller than one particle at particlesep %g", p->particlesep);
  // Particles in them.
  if (r == RV_OK) r = rv_detail_add_points(out, lattice->count, NULL, error);
  if (r == RV_OK) r = add_constants(p, out, lattice->count, error);
  float* positions = r == RV_OK ? rv_detail_f32_write(out, RV_POINT, "P", 3, error) : NULL;
  if (r == RV_OK && !positions) r = rv_fail(error, RV_NO_MEMORY, "out of memory for %zu particles", lattice->count);
  if (r == RV_OK) r = rv_lattice_positions(lattice, p->jitter, (uint64_t)p->jitterseed, positions, error);
  return r;
}

// Chooses the shape and fills it with particles.
static RvResult cook(RvCook* cook, RvError* error) {
  const FillParms* p = cook->parms;
  const RvDetail* input = cook->ninput ? cook->input[0] : NULL;
  if (!(p->particlesep > 0))
    return rv_fail(error, RV_BAD_INPUT, "particlesep is %g: it must be above 0", p->particlesep);
  Shape shape = {0};
  RvLattice lattice = {.spacing = p->particlesep};
  RvDetail* out = rv_detail_new();
  RvResult r = out ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for particles");
  // Detail attributes pass through, but the counter of ids is of the new particles.
  if (r == RV_OK && input) r = rv_detail_gather(out, RV_GLOBAL, 0, 1, input, (const int32_t[]){0}, "nextid", error);
  if (r == RV_OK)
    r = input ? choose_shape(cook, input, &shape, &lattice, error) : box_shape(p, &shape, &lattice, error);
  lattice.distance = shape.distance;
  lattice.arg = &shape;
  if (r == RV_OK) r = make_particles(cook, &lattice, &shape, out, error);
  if (r == RV_OK) {
    cook->stats->particles = (int64_t)lattice.count;
    // The ledger of the report begins with this liquid.
    double side = p->particlesep * (cook->time.meters_per_unit > 0 ? cook->time.meters_per_unit : 1);
    cook->stats->ledger.bulk = (double)lattice.count * side * side * side;
  }
  rv_node_give(cook, out, r);
  rv_lattice_free(&lattice);
  if (shape.grid) rv_grid_release(shape.grid);
  return r;
}

RV_NODE_TYPE(fill, "Fill", "Liquid", "Fills a closed mesh, a VDB or a box with liquid particles.",
             "Particles lie on a cubic lattice. Each is a cube of liquid of side particlesep: the attribute volume "
             "(64 bit) is particlesep cubed, and pscale is the radius of the sphere of that volume, 0.62 particlesep. "
             "The node takes as many cells as the volume of the shape holds, the fullest first, so the volume of the "
             "liquid equals that of the shape to half a particle. In meshes and VDBs the lattice is anchored at the "
             "world origin, so that moving one wall changes nothing elsewhere; in a box without input it is anchored "
             "at the box, which whole cells fill exactly.\n\n"
             "Points have P, v, pscale, id, source, volume and, if named, material; the detail attribute nextid is "
             "the first free id. Detail attributes of the input pass through.\n\n"
             "A mesh should be closed: liquid leaks through holes wider than half of particlesep, and a warning "
             "counts the open edges. Its faces may point either way.",
             .flags = RV_NODE_GENERATOR, RV_NODE_INPUTS(fill_inputs), .takes = takes, RV_NODE_OUTPUTS(fill_outputs))
