#include "liquid/flows.h"

#include "base/memory.h"
#include "liquid/liquid.h"

// Share of a cell by which filled particles stray from an even lattice.
static const double FILL_JITTER = 0.5;
static const unsigned ALL_SIDES = 63;

RvResult rv_liquid_flows_init(RvLiquidFlows* f, size_t count, RvError* error) {
  f->inlets = rv_alloc_zero(count, sizeof *f->inlets);
  f->sinks = rv_alloc_zero(count + 2, sizeof *f->sinks);
  f->scratch = rv_arena_new(0);
  f->count = f->inlets ? count : 0;
  return f->inlets && f->sinks && f->scratch ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory for the sources");
}

void rv_liquid_flows_free(RvLiquidFlows* f) {
  rv_free(f->inlets);
  rv_free(f->sinks);
  rv_arena_free(f->scratch);
  *f = (RvLiquidFlows){0};
}

RvLiquidInlet* rv_liquid_flows_find(const RvLiquidFlows* f, int32_t id) {
  size_t low = 0, high = f->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (f->inlets[middle].id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < f->count && f->inlets[low].id == id ? &f->inlets[low] : NULL;
}

// Open sides through which gravity does not bring liquid back.
static unsigned draining_sides(const RvLiquidFlows* f, const double gravity[3]) {
  unsigned sides = 0;
  for (int side = 0; side < 6; ++side) {
    double g = gravity[side / 2];
    bool leaves = side & 1 ? g >= 0 : g <= 0;
    if ((f->open_sides >> side & 1) && leaves) sides |= 1u << side;
  }
  return sides;
}

static void set_box(RvRegion* region, const double low[3], const double high[3]) {
  for (int a = 0; a < 3; ++a) {
    region->lo[a] = low[a];
    region->hi[a] = high[a];
  }
}

RvResult rv_liquid_take(RvLiquid* l, RvError* error) {
  RvLiquidFlows* f = l->inputs.flows;
  static const double zero[3] = {0};
  size_t n = 0;
  if (!f) return RV_OK;

  // the tank's open sides, then the kill box, then the drains
  unsigned sides = draining_sides(f, l->model.gravity);
  if (sides) {
    f->sinks[n] = (RvLiquidSink){.outside = sides};
    set_box(&f->sinks[n++].region, f->low, f->high);
  }
  if (f->killing) {
    f->sinks[n] = (RvLiquidSink){.outside = ALL_SIDES, .kill = true};
    set_box(&f->sinks[n++].region, f->kill_low, f->kill_high);
  }
  for (size_t i = 0; i < f->count; ++i)
    if (f->inlets[i].present && f->inlets[i].drains && f->inlets[i].source.active)
      f->sinks[n++] = (RvLiquidSink){.region = f->inlets[i].source.region};

  if (!rv_liquid_sinks_take(&l->particles, l->model.dx, zero, f->sinks, n, &f->flow))
    return rv_fail(error, RV_NO_MEMORY, "out of memory for sinks");
  if (f->life) rv_liquid_lives_take(&l->particles, f->life, &f->flow);
  return RV_OK;
}

RvResult rv_liquid_give(RvLiquid* l, double dt, RvError* error) {
  RvLiquidFlows* f = l->inputs.flows;
  if (!f || !f->any) return RV_OK;
  const RvSolidShapes* walls = l->inputs.walls && l->inputs.walls->count ? l->inputs.walls : NULL;
  RvSolidUnion solids = {l->inputs.solids, l->inputs.nsolid, walls};
  RvRegion solid = rv_liquid_region_solids(&solids);
  RvSourceSettings set = {
      .dx = l->model.dx, .separation = f->separation, .jitter = FILL_JITTER, .solid = &solid, .scratch = f->scratch};
  // as many particles as fit into the memory that the grid may take
  set.max_particles = l->model.most_tiles * (RV_LIQUID_TILE_BYTES / RV_PARTICLE_BYTES);
  RvResult result = RV_OK;
  for (size_t i = 0; i < f->count && !result; ++i) {
    RvLiquidInlet* inlet = &f->inlets[i];
    if (!inlet->present || inlet->drains) continue;
    size_t idle = f->flow.idle, born = f->flow.born;
    result =
        rv_liquid_source_flow(&inlet->source, &inlet->state, &set, dt, &l->particles, &l->next_id, &f->flow, error);
    if (!result && f->flow.idle > idle) inlet->idle = true;
    // a region that is filled next must see what this one added
    bool filled = inlet->source.mode == RV_SOURCE_FILL && f->flow.born > born;
    if (!result && filled && i + 1 < f->count) result = rv_liquid_particles_sort(&l->particles, &l->report.lost, error);
  }
  return result;
}
