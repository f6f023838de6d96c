// The solids of a frame of liquid: the walls of the tank and the colliders.
#include <math.h>

#include "base/memory.h"
#include "node/solver/liquid_port.h"

// Voxels of level sets made of bare meshes, and how far they know distances, in cells of the liquid.
static const double VOXEL = 0.5, BAND = 2.5;

// The tank of wallsmin and wallsmax as a box that is solid outside, without its open sides; what passes these flows
// out.
static RvResult begin_walls(RvLiquidPort* s, const RvWetParms* p, RvError* error) {
  const bool open[6] = {!p->wallnx, !p->wallpx, !p->wallny, !p->wallpy, !p->wallnz, !p->wallpz};
  if (!p->walls) return RV_OK;
  RvSolidShape tank = {.kind = RV_SHAPE_BOX, .inside_out = true};
  for (int a = 0; a < 3; ++a) {
    double low = p->wallsmin[a], high = p->wallsmax[a];
    if (!(high > low))
      return rv_fail(error, RV_BAD_INPUT, "wallsmax%c of %g is not above wallsmin%c of %g: a tank needs room", "xyz"[a],
                     high, "xyz"[a], low);
    tank.center[a] = ((low + high) / 2 - s->globals.origin[a]) * s->units.meters;
    tank.size[a] = (high - low) / 2 * s->units.meters;
    if (open[2 * a]) tank.open_sides |= 1u << (2 * a);
    if (open[2 * a + 1]) tank.open_sides |= 2u << (2 * a);
    s->flows.low[a] = tank.center[a] - tank.size[a];
    s->flows.high[a] = tank.center[a] + tank.size[a];
  }
  s->tank = tank;
  s->flows.open_sides = tank.open_sides;
  // all open: no wall at all
  s->walls = (RvSolidShapes){tank.open_sides != 63, &s->tank};
  return RV_OK;
}

// the fastest that a point of a collider gets, m/s: what is fast is followed in more substeps
static double fastest(const RvColliders* c, double frame) {
  const float *a = rv_detail_f32(c->before, RV_POINT, "P", 3), *b = rv_detail_f32(c->now, RV_POINT, "P", 3);
  size_t n = rv_detail_count(c->now, RV_POINT);
  double most = 0;
  if (!a || !b || rv_detail_count(c->before, RV_POINT) != n) return 0;
  for (size_t i = 0; i < n; ++i) most = fmax(most, rv_distance(rv_vec3_load(a + 3 * i), rv_vec3_load(b + 3 * i)));
  return isfinite(most) && frame > 0 ? most * c->def.unit / frame : 0;
}

RvResult rv_liquid_port_begin_solids(RvLiquidPort* s, const RvWetParms* p, RvError* error) {
  RvResult result = begin_walls(s, p, error);
  s->liquid.inputs.walls = &s->walls;
  if (s->walls_only) return result;
  double dx = s->globals.dx;
  const RvColliderNeeds needs = {.voxel = VOXEL * dx, .band = BAND * dx};
  if (!result) result = rv_collider_view_begin(&s->colliders, s->frame_solids, &needs, error);
  size_t count = s->colliders.count;
  if (result || !count) return result;
  // Corners of cells name their nearest solid in 16 bits.
  if (count >= UINT16_MAX)
    return rv_fail(error, RV_LIMIT, "%s, has %zu solids: merge their meshes",
                   rv_solver_port(s->cook, s->frame_solids->def.input).text, count);
  // Room for their places in a substep.
  s->steps = rv_alloc_zero(count, sizeof *s->steps);
  s->solids = rv_alloc_zero(count, sizeof *s->solids);
  s->thicken = rv_alloc_zero(count, sizeof *s->thicken);
  s->motions = rv_alloc_zero(count, sizeof *s->motions);
  if (!s->steps || !s->solids || !s->thicken || !s->motions)
    return rv_fail(error, RV_NO_MEMORY, "out of memory for the colliders");
  // Substeps follow what is fast.
  s->speed = fmax(s->speed, fastest(s->frame_solids, s->cook->dt * s->units.rate));
  s->liquid.inputs.solids = s->solids;
  s->liquid.inputs.nsolid = count;
  // Thin solids are made thick enough for the grid to see them.
  for (size_t i = 0; i < count; ++i)
    if (s->colliders.solids[i].distance) s->thicken[i] = rv_liquid_solid_thicken(s->colliders.solids[i].distance, dx);
  return RV_OK;
}

void rv_liquid_port_free_solids(RvLiquidPort* s) {
  rv_collider_view_end(&s->colliders);
  rv_free(s->steps);
  rv_free(s->solids);
  rv_free(s->thicken);
  rv_free(s->motions);
  s->steps = NULL;
  s->solids = NULL;
  s->thicken = NULL;
  s->motions = NULL;
}

// the surface of a mesh that changes its shape; what is farther away than it matters is asked of nobody
static void mesh_field(const void* user, size_t count, const double* at, float* out) {
  enum { BATCH = 64 };
  const RvLiquidMotion* m = user;
  RvVec3 x[BATCH], v[BATCH];
  for (size_t i = 0; i < count; i += BATCH) {
    size_t n = count - i < BATCH ? count - i : BATCH;
    for (size_t k = 0; k < n; ++k) x[k] = rv_vec3_load64(at + 3 * (i + k));
    rv_mesh_motion_at(m->motion, n, x, m->reach, v);
    for (size_t k = 0; k < n; ++k) rv_vec3_store(out + 3 * (i + k), v[k]);
  }
}

// a rigid solid moves about its middle, not about the scene's origin: a wheel's middle may go straight
static void set_motion(const RvSolidStep* step, RvVec3 origin, double dt, RvLiquidSolid* out) {
  RvVec3 middle = step->solid->motion.from;
  RvVec3 a = rv_sub(rv_rigid_apply(&step->from, middle), origin), b = rv_sub(rv_rigid_apply(&step->to, middle), origin);
  rv_vec3_store64(out->center, b);
  rv_vec3_store64(out->linear, rv_scale(rv_sub(b, a), 1 / dt));
  rv_vec3_store64(out->angular, rv_rigid_turning(&step->from, &step->to, dt));
}

RvResult rv_liquid_port_move_solids(RvLiquidPort* s, double from, double to, RvError* error) {
  double frame = s->cook->dt * s->units.rate, dt = to - from;
  RvVec3 origin = rv_scale(rv_vec3_load64(s->globals.origin), s->units.meters);
  if (!s->colliders.count) return RV_OK;
  RvResult result = rv_collider_view_step(&s->colliders, from / frame, to / frame, dt, s->steps, error);
  for (size_t i = 0; i < s->colliders.count && !result; ++i) {
    const RvSolidStep* step = &s->steps[i];
    RvLiquidSolid* out = &s->solids[i];
    // The level set as it is at the end of the part.
    RvVec3 moved = rv_sub(step->to.to, rv_quat_rotate(step->to.turn, step->to.from));
    *out = (RvLiquidSolid){.placed = {.distance = step->distance,
                                      .velocity = step->velocity,
                                      .field_time = step->field_time + dt,
                                      .turn = step->to.turn,
                                      .to = rv_sub(moved, origin),
                                      .thicken = s->thicken[i]}};
    double friction = step->solid->friction;
    out->friction = friction >= 0 ? fmin(friction, 1) : 0;
    if (step->solid->rigid) set_motion(step, origin, dt, out);
    // A mesh that deforms: its velocity is asked for as far as the liquid can be from it.
    if (!step->motion) continue;
    s->motions[i].motion = step->motion;
    s->motions[i].reach = (RV_LIQUID_BAND + 1) * s->globals.dx + step->motion->fastest * fabs(out->placed.field_time);
    out->placed.motion = mesh_field;
    out->placed.user = &s->motions[i];
    out->placed.fastest = step->motion->fastest;
    if (step->distance) out->placed.thicken = rv_liquid_solid_thicken(step->distance, s->globals.dx);
  }
  return result;
}
