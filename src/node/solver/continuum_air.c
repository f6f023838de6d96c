// The solved air of the continuum solver: settings, wind at its faces, state.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "node/solver/continuum_frame.h"

typedef RvContinuumFrame Frame;

static const double BYTES_A_GIGABYTE = 1e9;
static const double CELLS = 2;  // size of a cell of air, in smoothing lengths, where none is given

//---------------------------------------------------------------------------------------------- settings

// Adds a component of the VDB to a lattice of the air.
static RvResult add_vdb(const Frame* f, const double origin[3], double dx, int component, double* v) {
  const RvStrandSet* set = &f->strands.solver.set;
  double x[RV_TILE_CELLS][3];
  float vel[RV_TILE_CELLS][3];
  for (int i = 0; i < RV_TILE_CELLS; ++i) {
    const int at[3] = {i & 7, i >> 3 & 7, i >> 6};
    for (int c = 0; c < 3; ++c) x[i][c] = (origin[c] + dx * at[c]) / set->metersperunit + set->origin[c];
  }
  RvResult result = rv_grid_sample(f->strands.wind, RV_TILE_CELLS, x[0], vel[0], NULL);
  for (int i = 0; i < RV_TILE_CELLS && !result; ++i) {
    double own = vel[i][component];
    v[i] += isfinite(own) ? own * set->metersperunit : 0;
  }
  return result;
}

// RvAirGustsFn: what turbulence and the VDB add to the mean wind.
static RvResult gusts_at(const void* user, const double origin[3], double dx, int component, double* v) {
  const Frame* f = user;
  const RvStrandSet* set = &f->strands.solver.set;
  RvTurbulenceLattice lattice = {.step = dx, .side = RV_TILE_SIDE};
  // of the world, so that gusts do not depend on where the groom is
  for (int c = 0; c < 3; ++c) lattice.origin[c] = origin[c] + set->metersperunit * set->origin[c];
  if (f->gusty)
    rv_turbulence_lattice(&f->gusts, &lattice, component, v);
  else
    memset(v, 0, RV_TILE_CELLS * sizeof *v);
  return f->strands.wind ? add_vdb(f, origin, dx, component, v) : RV_OK;
}

void rv_continuum_air_set_up(Frame* f, const RvContinuumParms* p) {
  RvContinuum* c = &f->hair.continuum;
  const double meters = rv_cook_meters(f->cook), dx = p->airsize > 0 ? p->airsize : CELLS * p->smoothing;
  c->air_solved = p->air == 1;
  c->air_def = (RvAirDef){.dx = dx * meters,
                          .reach = (int)p->airreach,
                          .density = p->airdensity,
                          .fibre_density = f->parms.density > 0 ? f->parms.density : 1,
                          .most_tiles = (size_t)(BYTES_A_GIGABYTE * f->parms.maxmemory / RV_AIR_TILE_BYTES)};
  if (!f->gusty && !f->strands.wind) return;
  c->air_def.gusts = gusts_at;
  c->air_def.gusts_user = f;
}

//---------------------------------------------------------------------------------------------- state

RvResult rv_continuum_air_load(Frame* f, const RvDetail* state, RvError* error) {
  const RvAttrib* tiles = rv_detail_find(state, RV_GLOBAL, "rv_airtiles");
  const RvAttrib* w = rv_detail_find(state, RV_GLOBAL, "rv_airw");
  RvContinuum* c = &f->hair.continuum;
  if (!c->air_solved || !tiles || !w) return RV_OK;
  size_t numbers = (size_t)rv_attrib_size(tiles), count = numbers / 3;
  const double* own = rv_attrib_read(tiles);
  if (rv_attrib_storage(tiles) != RV_F64 || rv_attrib_storage(w) != RV_F64 || numbers != 3 * count + 1 ||
      (size_t)rv_attrib_size(w) != 3 * RV_TILE_CELLS * count)
    return rv_fail(error, RV_BAD_INPUT, "the state of the air is damaged: reset the simulation");
  // Cells of another size: the air begins as the wind.
  return own[0] == c->air_def.dx ? rv_air_load(&c->air, own[0], own + 1, rv_attrib_read(w), count, error) : RV_OK;
}

RvResult rv_continuum_air_save(Frame* f, RvDetail* out, RvError* error) {
  const RvAir* air = &f->hair.continuum.air;
  size_t tiles = f->hair.continuum.air_solved ? rv_air_state_tiles(air) : 0;
  rv_detail_remove_attrib(out, RV_GLOBAL, "rv_airtiles");
  rv_detail_remove_attrib(out, RV_GLOBAL, "rv_airw");
  if (!tiles) return RV_OK;
  if (tiles > INT32_MAX / (3 * RV_TILE_CELLS))
    return rv_fail(error, RV_LIMIT, "the air around the hair is more than a state can hold; raise airsize");
  double* coords = rv_detail_f64_write(out, RV_GLOBAL, "rv_airtiles", (int)(3 * tiles + 1), error);
  double* w = coords ? rv_detail_f64_write(out, RV_GLOBAL, "rv_airw", (int)(3 * RV_TILE_CELLS * tiles), error) : NULL;
  if (!w) return rv_fail(error, RV_NO_MEMORY, "out of memory for the state of the air");
  coords[0] = air->def.dx;
  rv_air_save(air, coords + 1, w);
  return RV_OK;
}
