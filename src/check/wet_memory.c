// Check wet_memory (WH-43, WH-45): a substep allocates nothing once the first frame has sized arenas and kept arrays,
// while the numbers of particles, tiles and links stay as they are. OpenVDB and TBB have memory of their own, which is
// not counted.
#include "base/host.h"
#include "check/list.h"
#include "rig/wet.h"

static const double DX = 0.004;           // m, cell of the liquid
static const double STEP = 1.0 / 24 / 8;  // s, of eight substeps a frame
enum { HAIRS = 16, POINTS = 12, SUBSTEPS = 8 };
enum { SETTLED = 4 };  // frames before the count: menisci draw the tips together first, which makes links

// Hairs 0.2 mm apart that hang into the pool.
static RvVec3 place(void* user, size_t strand, int vertex) {
  (void)user;
  return rv_vec3(2e-4 * (double)(strand % 4), 0.05 - 0.004 * vertex, 2e-4 * (double)(strand / 4));
}

// A ball as a level set in the pool, and sources that have nothing to add: one whose first particle is due after the
// check, one that keeps a part of the pool full.
typedef struct Surroundings {
  RvGrid* ball;
  RvLiquidSolid solid;
  RvLiquidFlows flows;
} Surroundings;

// m: corners of the first source, and the box of the second.
static const double SPOUT[9] = {-0.01, 0.06, 0, 0.01, 0.06, 0, 0, 0.06, 0.01};
static const double FULL[2][3] = {{-0.02, 0.002, -0.02}, {-0.01, 0.004, -0.01}};

// Fills a tank to three cells, so that the band of tiles around the liquid does not reach the next tile when it moves.
static RvResult surround(Surroundings* s, RvLiquidRig* pool, RvError* error) {
  float center[3] = {0}, radius = 0.008f;
  RvResult result = rv_grid_from_spheres("collision", DX / 2, 8, 1, center, &radius, &s->ball, error);
  if (!result) result = rv_liquid_flows_init(&s->flows, 2, error);
  if (result) return result;
  s->solid = (RvLiquidSolid){.placed = {.distance = s->ball, .turn = {0, 0, 0, 1}, .to = {0.015, 0.01, 0.015}}};
  s->flows.any = true;
  s->flows.separation = DX / 2;
  s->flows.inlets[0] = (RvLiquidInlet){.id = 1, .present = true};
  s->flows.inlets[0].source =
      (RvLiquidSource){.id = 1, .active = true, .rate = 1e-12, .ntriangle = 1, .corners = SPOUT};
  s->flows.inlets[1] = (RvLiquidInlet){.id = 2, .present = true};
  s->flows.inlets[1].source =
      (RvLiquidSource){.id = 2, .mode = RV_SOURCE_FILL, .active = true, .region = rv_liquid_region_box(FULL)};
  const double low[3] = {-0.03, 0, -0.03}, high[3] = {0.03, 0.1, 0.03}, surface[3] = {0.03, 3 * DX, 0.03};
  const unsigned open_above = 8;
  rv_rig_liquid_tank(pool, low, high, open_above);
  // Walls and level sets are joined, as a node does it.
  pool->liquid.inputs = (RvLiquidInputs){.solids = &s->solid, .nsolid = 1, .walls = &pool->shapes, .flows = &s->flows};
  return rv_rig_liquid_fill(pool, low, surface, 0, error);
}

static void free_surroundings(Surroundings* s) {
  rv_grid_release(s->ball);
  rv_liquid_flows_free(&s->flows);
}

static RvLiquidModel water(void) {
  RvLiquidModel model = rv_liquid_model_default(DX);
  model.most_tiles = 10000;  // of which the sources take their limit
  return model;
}

// Strands, film, bulk, a collider of the strands and one of the liquid, walls and sources. The first frames and the
// first substep of the next size all memory; *taken counts allocations of the rest of that frame.
static RvResult run_wet(double* taken, double* links, RvError* error) {
  Surroundings s = {0};
  RvWetRig rig;
  RvWetRigDef def = rv_rig_wet_water(rv_rig_contact_hair(HAIRS, POINTS, place, NULL));
  RvCollider plane = {.shape = RV_COLLIDER_PLANE, .orientation = {0, 0, 0, 1}, .position = {0, 0.005, 0}};
  def.contact.colliders = &plane;
  def.contact.ncollider = 1;
  def.liquid = water();
  def.wet.film.transverse = true;
  def.strand_substeps = 2;
  // Only the tips of the hairs move, and the film stays on them, so that links do not change.
  def.clamped = POINTS - 2;
  def.wet.film.viscous = true;
  def.wet.liquid.consistency = 100;
  RvResult result = rv_rig_wet_new(&rig, &def, error);
  if (result) return result;
  result = surround(&s, &rig.pool, error);
  rv_rig_wet_film(&rig, 5e-5);
  // the liquid comes to rest in the bundle first, so that no more of it is near
  for (int k = 0; k < SETTLED * SUBSTEPS + 1 && !result; ++k) result = rv_rig_wet_step(&rig, STEP, error);
  size_t before = rv_host_allocations();
  for (int k = 1; k < SUBSTEPS && !result; ++k) result = rv_rig_wet_step(&rig, STEP, error);
  *taken = (double)(rv_host_allocations() - before);
  *links = (double)rv_contacts_link_count(rig.contacts.contacts);
  rv_rig_wet_free(&rig);
  free_surroundings(&s);
  return result;
}

// The liquid alone, viscous and with tension, whose work memory is its own.
static RvResult run_liquid(double* taken, RvError* error) {
  Surroundings s = {0};
  RvLiquidRig pool;
  RvLiquidModel model = water();
  model.viscosity = 1e-3;
  model.tension = 0.07;
  RvResult result = rv_rig_liquid_new(&pool, &model, error);
  if (result) return result;
  result = surround(&s, &pool, error);
  for (int k = 0; k < SUBSTEPS + 1 && !result; ++k) result = rv_liquid_substep(&pool.liquid, STEP, error);
  size_t before = rv_host_allocations();
  for (int k = 1; k < SUBSTEPS && !result; ++k) {
    rv_liquid_longest(&pool.liquid);  // a frame asks it before each substep
    result = rv_liquid_substep(&pool.liquid, STEP, error);
  }
  *taken = (double)(rv_host_allocations() - before);
  rv_rig_liquid_free(&pool);
  free_surroundings(&s);
  return result;
}

RvResult rv_check_wet_memory(const RvCheckOut* out, RvError* error) {
  double wet = 0, liquid = 0, links = 0;
  RvResult result = run_wet(&wet, &links, error);
  if (!result) result = run_liquid(&liquid, error);
  if (result) return result;
  rv_check_emit(out, "wet", wet, 0, 0);
  rv_check_emit(out, "liquid_alone", liquid, 0, 0);
  rv_check_emit(out, "some_links", links > 0, 1, 0);
  return RV_OK;
}
