// Solids from the input: level sets in metres, rebuilt where their band is too narrow, and the shapes of deforming
// meshes during each part of a frame.
#include "node/solver/colliders.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "math/scalar.h"
#include "shim/vdb_voxel.h"

// Voxels along the longest side of a bare mesh where the solver has no cell size: as fine as the collider node's
// default.
static const double VOXELS_A_SIDE = 100;
// Half-width of a level set's narrow band, in voxels: that of the collider node, and the smallest that is made.
static const double COLLIDER_BAND = 4;
static const double MIN_BAND = 3;
// A level set is rebuilt if its band is below this share of the one that is asked for.
static const double NARROW_BAND_SHARE = 2.0 / 3;
// Properties of solids without the attributes friction and contactangle.
static const double DEFAULT_FRICTION = 0.3;
static const double DEFAULT_ANGLE = RV_PI / 3;  // rad
// Thickness of a shell in voxels: the least through which nothing passes.
static const double SHELL_VOXELS = 2;
// Distance from a solid that is nowhere, in scene units: no medium comes near it.
static const float NOWHERE = 1e6f;

static bool named(const RvGrid* grid, const char* name) {
  return grid && strcmp(rv_grid_name(grid), name) == 0;
}

//---------------------------------------------------------------------------------------------- grids

// The error of a VDB whose voxels are too small for a transform in metres.
static RvResult too_fine(const RvCollidersDef* def, const RvGrid* grid, RvError* error) {
  double voxel = rv_grid_voxel_size(grid);
  return rv_fail(
      error, RV_BAD_INPUT,
      "%s: the VDB '%s' has voxels of %g units, which are %g m, and a solver takes no less than %g m: give it "
      "larger voxels (voxelsize of the collider node), or check metersperunit of the scene, which is %g",
      rv_solver_port(def->cook, def->input).text, rv_grid_name(grid), voxel, voxel * def->unit, RV_VDB_LEAST_VOXEL,
      def->unit);
}

// A grid of the input in metres: the same one where the scene's unit is a metre, else a scaled copy. `value` is the
// factor of the stored values.
static RvResult in_metres(const RvCollidersDef* def, RvGrid* grid, double value, RvGrid** out, RvError* error) {
  double unit = def->unit;
  if (unit == 1 && value == 1) {
    *out = rv_grid_retain(grid);
    return RV_OK;
  }
  double m[16];
  const double scale[9] = {value, 0, 0, 0, value, 0, 0, 0, value};
  RvResult result = rv_grid_copy(grid, out, error);
  if (!result) result = rv_grid_transform(*out, m, error);
  for (int i = 0; !result && i < 16; ++i)
    if (i % 4 < 3) m[i] *= unit;
  // A VDB of the input that exists in the scene's unit can only be too fine in metres.
  RvError own = {0};
  if (!result) result = rv_grid_set_transform(*out, m, &own);
  if (own.code == RV_BAD_INPUT)
    result = too_fine(def, grid, error);
  else if (own.code)
    result = rv_fail(error, own.code, "%s", own.text);
  if (!result) result = rv_grid_map_values(*out, scale, error);
  if (result && *out) {
    rv_grid_release(*out);
    *out = NULL;
  }
  return result;
}

// Whether the band of a level set, which its background value tells, is too narrow for the solver.
static bool too_narrow(const RvColliderNeeds* needs, const RvGrid* grid) {
  float background[3] = {0};
  rv_grid_background(grid, background);
  return needs->band > 0 && background[0] < NARROW_BAND_SHARE * needs->band && rv_grid_leaf_count(grid);
}

// Rebuilds a level set with the band that the solver asks for, over a mesh of its surface.
static RvResult widen(const RvColliderNeeds* needs, RvGrid** grid, RvError* error) {
  double voxel = fmax(rv_grid_voxel_size(*grid), needs->voxel);
  size_t npoint, ntriangle;
  float* points = NULL;
  int32_t* triangles = NULL;
  RvGrid* wide = NULL;
  RvResult result = rv_grid_to_mesh(*grid, 0, 0, &npoint, &points, &ntriangle, &triangles, error);
  // A surface thinner than its voxels gives no faces: the level set stays as it is.
  if (!result && ntriangle)
    result = rv_grid_from_mesh("collision", voxel, fmax(ceil(needs->band / voxel), MIN_BAND), npoint, points, ntriangle,
                               triangles, false, &wide, error);
  rv_free(points);
  rv_free(triangles);
  if (!result && wide) {
    rv_grid_release(*grid);
    *grid = wide;
  }
  return result;
}

//---------------------------------------------------------------------------------------------- reading

// Names of the VDBs that are read: those of the collider node, or those of a liquid cache.
typedef struct Names {
  const char *distance, *velocity[2];
} Names;

static Names names_of(const RvDetail* d) {
  Names collider = {"collision", {"collisionvel", NULL}}, cache = {"surface", {"vel", "v"}};
  if (rv_detail_find_vdb(d, "collision") || !rv_detail_find_vdb(d, "surface")) return collider;
  return cache;
}

// Whether a grid is the velocity field of a solid.
static bool is_velocity(const RvGrid* grid, const Names* names) {
  if (!grid || rv_grid_type(grid) != RV_GRID_VEC3) return false;
  return named(grid, names->velocity[0]) || (names->velocity[1] && named(grid, names->velocity[1]));
}

// The faces between two level sets of a detail, which are one mesh: ranges of points and primitives.
typedef struct Run {
  size_t first, last, first_prim, last_prim;
} Run;

static const Run no_run = {SIZE_MAX, 0, SIZE_MAX, 0};

// Extends a run by a face; curves bound no solid.
static void add_face(Run* run, const RvDetail* d, size_t prim) {
  if (rv_detail_prim_type(d, prim) != RV_PRIM_POLYGON) return;
  const int32_t *start = rv_detail_prim_start(d), *point = rv_detail_vertex_point(d);
  for (int32_t v = start[prim]; v < start[prim + 1]; ++v) {
    size_t p = (size_t)point[v];
    run->first = p < run->first ? p : run->first;
    run->last = p + 1 > run->last ? p + 1 : run->last;
  }
  if (run->first_prim == SIZE_MAX) run->first_prim = prim;
  run->last_prim = prim + 1;
}

// A solid without its grids: the mesh of a run, friction and contact angle of a primitive.
static RvSolid begin_solid(const RvDetail* d, const Run* run, size_t prim) {
  const RvAttrib* friction = rv_detail_find(d, RV_PRIM, "friction");
  RvSolid solid = {.mesh = run->first < run->last,
                   .first = run->first,
                   .last = run->last,
                   .friction = DEFAULT_FRICTION,
                   .angle = DEFAULT_ANGLE,
                   .first_prim = run->first_prim,
                   .last_prim = run->last_prim};
  if (friction && rv_attrib_storage(friction) != RV_STRING) solid.friction = rv_attrib_get(friction, prim, 0);
  const RvAttrib* angle = rv_detail_find(d, RV_PRIM, "contactangle");
  if (angle && rv_attrib_storage(angle) != RV_STRING) solid.angle = rv_radians(rv_attrib_get(angle, prim, 0));
  return solid;
}

// Triangles [begin, end) of a mesh that belong to a solid.
static void triangle_range(const RvMesh* mesh, const RvSolid* solid, size_t* begin, size_t* end) {
  *begin = 0;
  while (*begin < mesh->ntriangle && (size_t)mesh->prims[*begin] < solid->first_prim) ++*begin;
  *end = *begin;
  while (*end < mesh->ntriangle && (size_t)mesh->prims[*end] < solid->last_prim) ++*end;
}

// How solids are read.
typedef struct Request {
  const RvCollidersDef* def;
  const RvColliderNeeds* needs;  // NULL: level sets as the input has them, and none of bare meshes
  bool keep;                     // level sets of meshes are kept in the node's cache
} Request;

// Settings of the level set of a mesh. A mesh with holes, or with the `thickness` that the collider node gives to open
// ones, becomes a shell.
static RvMeshGrid grid_settings(const RvDetail* d, const Request* r, const RvSolid* solid, const RvMeshFacts* facts) {
  const RvColliderNeeds* needs = r->needs;
  double side = 0;
  for (int k = 0; k < 3; ++k) side = fmax(side, facts->hi[k] - facts->lo[k]);
  // The level set is made in units of the scene and then taken to metres; a VDB must exist in both.
  const double least = RV_VDB_LEAST_VOXEL / fmin(r->def->unit, 1);
  double voxel = needs->voxel > 0 ? needs->voxel / r->def->unit : fmax(side / VOXELS_A_SIDE, least);
  double band = needs->voxel > 0 ? ceil(needs->band / needs->voxel) : COLLIDER_BAND;
  const RvAttrib* thickness = rv_detail_find(d, RV_PRIM, "thickness");
  bool known = thickness && rv_attrib_storage(thickness) != RV_STRING;
  double thick = known ? rv_attrib_get(thickness, solid->first_prim, 0) : 0;
  RvMeshGrid want = {"collision", voxel, fmax(band, MIN_BAND), .exact = !(needs->voxel > 0), .parm = "particlesep"};
  if (known ? thick > 0 : facts->open_edges > 0) want.shell = fmax(thick, SHELL_VOXELS * voxel);
  return want;
}

// Level set of a mesh without area, as one has that grows from a point: it is empty, and outside everywhere.
static RvResult empty_level_set(const Request* r, const RvMeshGrid* want, RvGrid** grid, RvError* error) {
  rv_cook_warn(r->def->cook, "%s, has a mesh without area, which stops nothing",
               rv_solver_port(r->def->cook, r->def->input).text);
  return rv_grid_create(RV_GRID_FLOAT, "collision", RV_GRID_LEVEL_SET, want->voxel_size, &NOWHERE, grid, error);
}

// Makes the level set of a solid from its mesh, in place of the one it has.
static RvResult mesh_solid(const RvDetail* d, const Request* r, RvSolid* solid, RvError* error) {
  double unit = r->def->unit;
  RvMesh mesh;
  RvGrid* grid = NULL;
  RvResult result = rv_mesh_from_detail(d, &mesh, error);
  if (result) return result;
  // The part of the mesh that is this solid, and its level set in scene units.
  size_t begin, end;
  triangle_range(&mesh, solid, &begin, &end);
  RvMesh part = {mesh.npoint, mesh.points, end - begin, mesh.triangles + 3 * begin, mesh.prims + begin};
  RvMeshFacts facts;
  result = rv_mesh_measure(&part, &facts, error);
  if (!result) {
    RvMeshGrid want = grid_settings(d, r, solid, &facts);
    if (!(facts.area > 0))
      result = empty_level_set(r, &want, &grid, error);
    else if (r->keep)
      result = rv_collider_cache_grid(r->def->cook, &part, &facts, solid, &want, &grid, error);
    else
      result = rv_mesh_to_grid(&part, &facts, &want, &grid, error);
  }
  // The same in metres.
  if (!result && grid) {
    if (solid->distance) rv_grid_release(solid->distance);
    solid->distance = NULL;
    result = in_metres(r->def, grid, unit, &solid->distance, error);
  }
  if (grid) rv_grid_release(grid);
  rv_mesh_free(&mesh);
  return result;
}

// Makes the level set of a solid serve a medium: wide enough, and there at all where a solid is a bare mesh.
static RvResult fit_level_set(const RvDetail* d, const Request* r, RvSolid* solid, RvError* error) {
  if (solid->distance && !too_narrow(r->needs, solid->distance)) return RV_OK;
  if (solid->mesh) return mesh_solid(d, r, solid, error);
  return solid->distance ? widen(r->needs, &solid->distance, error) : RV_OK;
}

// Takes the level set of a solid from a VDB: positive outside.
static RvResult grid_solid(const RvDetail* d, RvGrid* grid, const Request* r, RvSolid* solid, RvError* error) {
  // The background is outside, so it must be positive.
  float background[3] = {0};
  rv_grid_background(grid, background);
  solid->turned = background[0] < 0;
  double unit = r->def->unit;
  RvResult result = in_metres(r->def, grid, solid->turned ? -unit : unit, &solid->distance, error);
  return result || !r->needs ? result : fit_level_set(d, r, solid, error);
}

// Counts the solids of a detail, in order, and reads them to `out` unless that is NULL. With `skip`, the grids of the
// solids it marks, and all velocities, are not read.
static RvResult read_solids(const RvDetail* d, const Request* r, const bool* skip, RvSolid* out, size_t* count,
                            RvError* error) {
  double unit = r->def->unit;
  Names names = names_of(d);
  RvResult result = RV_OK;
  size_t n = 0, prims = rv_detail_count(d, RV_PRIM);
  Run run = no_run;
  for (size_t i = 0; !result && i < prims; ++i) {
    RvGrid* grid = rv_detail_prim_grid(d, i);
    if (!grid) add_face(&run, d, i);
    // A level set ends the run of faces before it; a velocity belongs to the level set before it.
    if (named(grid, names.distance) && rv_grid_type(grid) == RV_GRID_FLOAT) {
      if (out) {
        out[n] = begin_solid(d, &run, i);
        if (!skip || !skip[n]) result = grid_solid(d, grid, r, &out[n], error);
      }
      n++;
      run = no_run;
    } else if (out && n && is_velocity(grid, &names) && !out[n - 1].velocity && !skip) {
      result = in_metres(r->def, grid, unit / r->def->timescale, &out[n - 1].velocity, error);
    }
  }
  // Faces without a level set after them are a bare mesh.
  if (!result && run.first < run.last) {
    if (out) {
      out[n] = begin_solid(d, &run, run.first_prim);
      if (r->needs && (!skip || !skip[n])) result = mesh_solid(d, r, &out[n], error);
    }
    n++;
  }
  *count = n;
  return result;
}

// Releases the grids of solids and frees the array.
static void release_solids(RvSolid* solids, size_t count) {
  for (size_t i = 0; solids && i < count; ++i) {
    if (solids[i].distance) rv_grid_release(solids[i].distance);
    if (solids[i].velocity) rv_grid_release(solids[i].velocity);
  }
  rv_free(solids);
}

// Warns of an input without solids.
static void warn_none(const RvCollidersDef* def) {
  rv_cook_warn(def->cook, "%s, has neither faces nor a VDB named collision or surface",
               rv_solver_port(def->cook, def->input).text);
}

// Reads the input at both ends of the frame.
static RvResult begin(RvColliders* c, RvError* error) {
  const RvCollidersDef* def = &c->def;
  const Request request = {def, NULL, false};
  RvCook* cook = def->cook;
  c->now = rv_solver_input(cook, def->input);
  if (!c->now) return RV_OK;
  RvResult result = rv_solver_input_at(cook, def->input, 0, &c->before, error);
  if (result) return result;
  if (!c->before) c->before = c->now;
  // How many solids there are; where that changes, the current ones hold for the whole frame.
  size_t count, count_before;
  result = read_solids(c->now, &request, NULL, NULL, &count, error);
  if (!result) result = read_solids(c->before, &request, NULL, NULL, &count_before, error);
  if (result) return result;
  if (!count && rv_detail_count(c->now, RV_PRIM)) warn_none(def);
  if (count != count_before) c->before = c->now;
  if (!count) return RV_OK;
  // The solids at the previous frame, and the motion of those that have a level set.
  c->solids = rv_alloc_zero(count, sizeof *c->solids);
  if (!c->solids) return rv_fail(error, RV_NO_MEMORY, "out of memory for the colliders");
  c->count = count;
  result = read_solids(c->before, &request, NULL, c->solids, &count, error);
  for (size_t i = 0; i < count && !result; ++i) {
    if (c->solids[i].turned)
      rv_cook_warn(cook, "%s: level set %zu is inside out, negative far away; its sign is changed",
                   rv_solver_port(cook, def->input).text, i + 1);
    if (c->solids[i].distance) result = rv_solid_begin(c, &c->solids[i], error);
  }
  return result;
}

RvResult rv_colliders_begin(RvColliders* c, RvError* error) {
  if (c->begun) return RV_OK;
  double start = rv_clock_wall();
  RvResult result = begin(c, error);
  c->begun = !result;
  c->begin_seconds += rv_clock_wall() - start;
  return result;
}

void rv_colliders_end(RvColliders* c) {
  release_solids(c->solids, c->count);
  *c = (RvColliders){.def = c->def};
}

//---------------------------------------------------------------------------------------------- views

// A medium's own of a shared solid: the same level set and motion, or a level set that serves it, and the motion by
// the tolerance of its voxels.
static RvResult view_solid(RvColliderView* view, const RvSolid* shared, RvSolid* out, RvError* error) {
  const RvColliders* c = view->of;
  *out = *shared;
  if (out->distance) rv_grid_retain(out->distance);
  if (out->velocity) rv_grid_retain(out->velocity);
  RvResult result = fit_level_set(c->before, &(Request){&c->def, &view->needs, true}, out, error);
  if (result || (out->distance && out->distance == shared->distance)) return result;
  // Another level set: its motion is found again.
  out->ahead = out->ahead_turn = rv_vec3(0, 0, 0);
  out->rigid = out->uneven = out->whole = false;
  return rv_solid_begin(c, out, error);
}

RvResult rv_collider_view_begin(RvColliderView* view, RvColliders* c, const RvColliderNeeds* needs, RvError* error) {
  RvResult result = rv_colliders_begin(c, error);
  *view = (RvColliderView){.of = c, .needs = *needs};
  if (result || !c->count) return result;
  double start = rv_clock_wall();
  view->solids = rv_alloc_zero(c->count, sizeof *view->solids);
  view->sampled = rv_alloc_zero(c->count, sizeof *view->sampled);
  view->motions = rv_alloc_zero(c->count, sizeof *view->motions);
  if (!view->solids || !view->sampled || !view->motions)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the colliders");
  view->count = c->count;
  for (size_t i = 0; i < c->count && !result; ++i) result = view_solid(view, &c->solids[i], &view->solids[i], error);
  c->begin_seconds += rv_clock_wall() - start;
  return result;
}

void rv_collider_view_end(RvColliderView* view) {
  rv_collider_view_release(view);
  release_solids(view->solids, view->count);
  rv_free(view->sampled);
  rv_free(view->motions);
  *view = (RvColliderView){0};
}

//---------------------------------------------------------------------------------------------- parts of the frame

// Two samples of the colliders, and where between them the part starts. The samples are the ends of the part, or, for
// solids that are known at whole frames only, the ends of the frame.
typedef struct Moments {
  const RvDetail *a, *b;
  double span;  // simulated seconds between both
  double from;  // start of the part as a share of the span
  bool whole;   // for the solids that are known at whole frames only
} Moments;

// Whether a solid deforms and is sampled at these moments.
static bool deforms(const RvSolid* solid, const Moments* at) {
  return solid->mesh && !solid->rigid && solid->whole == at->whole;
}

// Level set of one solid at the second moment, and the motion of its points, on straight lines, from the first.
static RvResult deform_solid(RvColliderView* view, size_t i, const Moments* at, RvSolid* solid, const RvMesh* mesh,
                             RvSolidStep* step, RvError* error) {
  if (!deforms(&view->solids[i], at)) return RV_OK;
  size_t begin, end;
  triangle_range(mesh, solid, &begin, &end);
  // With another number of points there is no motion between the moments, only the attribute v.
  bool same = rv_detail_count(at->a, RV_POINT) == rv_detail_count(at->b, RV_POINT);
  RvMeshMotionDef def = {.first = solid->mesh ? solid->first : 0,
                         .last = solid->mesh ? solid->last : 0,
                         .ntriangle = solid->mesh ? end - begin : 0,
                         .triangles = mesh->triangles + 3 * begin,
                         .P = rv_detail_f32(same ? at->a : at->b, RV_POINT, "P", 3),
                         .after = same ? rv_detail_f32(at->b, RV_POINT, "P", 3) : NULL,
                         .v = rv_detail_f32(at->b, RV_POINT, "v", 3),
                         .unit = view->of->def.unit,
                         .dt = at->span,
                         .rate = view->of->def.unit / view->of->def.timescale,
                         .from = at->from};
  RvResult result = rv_mesh_motion_init(&view->motions[i], &def, error);
  if (result) return result;
  // The level set is kept until the next part.
  view->sampled[i] = solid->distance;
  step->distance = solid->distance;
  solid->distance = NULL;
  step->motion = &view->motions[i];
  step->field_time = (at->from - 1) * at->span;
  return RV_OK;
}

// All solids that deform between two moments.
static RvResult deform_solids(RvColliderView* view, const Moments* at, RvSolidStep* steps, RvError* error) {
  RvSolid* solids = rv_alloc_zero(view->count, sizeof *solids);
  RvMesh mesh = {0};
  size_t count = view->count;
  bool* skip = rv_alloc(view->count, sizeof *skip);
  RvResult result = solids && skip ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the colliders");
  // Deforming meshes have a new shape each time: caching them would only push others out.
  const Request request = {&view->of->def, &view->needs, false};
  for (size_t i = 0; i < view->count && !result; ++i) skip[i] = !deforms(&view->solids[i], at);
  if (!result) result = read_solids(at->b, &request, skip, solids, &count, error);
  if (!result) result = rv_mesh_from_detail(at->b, &mesh, error);
  for (size_t i = 0; i < view->count && !result; ++i)
    result = deform_solid(view, i, at, &solids[i], &mesh, &steps[i], error);
  rv_mesh_free(&mesh);
  release_solids(solids, view->count);
  rv_free(skip);
  return result;
}

// The input at a share of the frame; that of the current frame where the number of solids is another.
static RvResult input_at_share(RvColliderView* view, double share, const RvDetail** out, RvError* error) {
  size_t count = 0;
  RvResult result = rv_solver_input_at(view->of->def.cook, view->of->def.input, share, out, error);
  if (result) return result;
  RvError ignored = {0};
  const Request request = {&view->of->def, &view->needs, false};
  if (*out && read_solids(*out, &request, NULL, NULL, &count, &ignored)) *out = NULL;
  if (!*out || count != view->count) *out = view->of->now;
  return RV_OK;
}

// The deforming solids during a part: first those known at whole frames only, then those sampled at the part's ends.
static RvResult sample_solids(RvColliderView* view, double from, double to, double dt, RvSolidStep* steps,
                              RvError* error) {
  bool any[2] = {false, false};
  for (size_t i = 0; i < view->count; ++i)
    if (view->solids[i].mesh && !view->solids[i].rigid) any[view->solids[i].whole] = true;
  RvResult result = RV_OK;
  if (any[1]) {
    Moments at = {view->of->before, view->of->now, view->of->def.cook->dt * view->of->def.timescale, from, true};
    result = deform_solids(view, &at, steps, error);
  }
  if (!result && any[0]) {
    Moments at = {.span = dt};
    result = input_at_share(view, from, &at.a, error);
    if (!result) result = input_at_share(view, to, &at.b, error);
    if (!result) result = deform_solids(view, &at, steps, error);
  }
  return result;
}

void rv_collider_view_release(RvColliderView* view) {
  for (size_t i = 0; i < view->count && view->sampled && view->motions; ++i) {
    if (view->sampled[i]) rv_grid_release(view->sampled[i]);
    view->sampled[i] = NULL;
    rv_mesh_motion_free(&view->motions[i]);
  }
}

RvResult rv_collider_view_step(RvColliderView* view, double from, double to, double dt, RvSolidStep* steps,
                               RvError* error) {
  bool any_deforms = false;
  RvResult result = RV_OK;
  rv_collider_view_release(view);
  for (size_t i = 0; i < view->count && !result; ++i) {
    const RvSolid* solid = &view->solids[i];
    RvRigid still = {.turn = rv_quat_identity()};
    steps[i] = (RvSolidStep){.solid = solid, .distance = solid->distance, .from = still, .to = still};
    if (solid->rigid) {
      result = rv_solid_pose(view->of, solid, from, &steps[i].from, error);
      if (!result) result = rv_solid_pose(view->of, solid, to, &steps[i].to, error);
    } else if (solid->mesh) {
      any_deforms = true;
    } else if (solid->velocity) {
      // A level set without a mesh is advected by its velocity field since the previous frame.
      steps[i].velocity = solid->velocity;
      steps[i].field_time = from * view->of->def.cook->dt * view->of->def.timescale;
    }
  }
  return result || !any_deforms ? result : sample_solids(view, from, to, dt, steps, error);
}
