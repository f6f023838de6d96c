// The rig of the coupling: strands with film, made of straight lines, and a tank of liquid on a grid without particles.
#include "rig/couple.h"

#include <string.h>

#include "base/memory.h"
#include "liquid/stages.h"

// Model and state of `count` straight strands of n vertices; each stands for `hairs` hairs (E50).
static RvResult make_strands(RvCoupleRig* rig, const RvCoupleLine* lines, size_t count, int n, double hairs,
                             RvError* error) {
  RvStrandDef* defs = rv_alloc_zero(count, sizeof *defs);
  double* x = rv_alloc(count * (size_t)n, 3 * sizeof(double));
  double* radius = rv_alloc(count * (size_t)n, sizeof(double));
  RvResult result = defs && x && radius ? RV_OK : rv_fail(error, RV_NO_MEMORY, "out of memory");
  // Equal edges along each line.
  for (size_t k = 0; k < count && !result; ++k) {
    for (int i = 0; i < n; ++i) {
      for (int a = 0; a < 3; ++a)
        x[3 * (k * (size_t)n + (size_t)i) + (size_t)a] =
            lines[k].from[a] + (lines[k].to[a] - lines[k].from[a]) * i / (n - 1);
      radius[k * (size_t)n + (size_t)i] = lines[k].radius;
    }
    defs[k] = (RvStrandDef){.vertices = n,
                            .x = x + 3 * k * (size_t)n,
                            .radius = radius + k * (size_t)n,
                            .density = lines[k].density,
                            .youngs = 3e9,  // Pa, human hair
                            .shear = 1e9,
                            .ellipse = 1,
                            .multiple = hairs,
                            .id = (int64_t)k};
  }
  if (!result) result = rv_strand_model_new(defs, count, &rig->model, error);
  if (!result) result = rv_strand_state_new(rig->model, defs, &rig->state, error);
  rv_free(defs);
  rv_free(x);
  rv_free(radius);
  return result;
}

// The next `count` numbers of a block of memory.
static double* take_part(double** memory, size_t count) {
  double* p = *memory;
  *memory += count;
  return p;
}

// The film's arrays, its model of water, and the view of the strands that the coupling reads. False: out of memory.
static bool make_film(RvCoupleRig* rig, double hairs) {
  const RvStrandModel* m = rig->model;
  size_t drops = m->nbatch * RV_LANES, total = 4 * m->unknowns + 5 * m->vertices + m->edges + 4 * drops;
  rig->batches = rv_alloc_zero(m->nbatch, sizeof *rig->batches);
  double* memory = rig->memory = rv_alloc_zero(total + m->nstrand, sizeof(double));
  if (!rig->batches || !memory) return false;
  // All arrays of numbers share one block, in this order.
  rig->force = take_part(&memory, m->unknowns);
  rig->stored = take_part(&memory, m->unknowns);
  rig->kick = take_part(&memory, m->unknowns);
  rig->target = take_part(&memory, m->unknowns);
  rig->film_hairs = take_part(&memory, m->vertices);
  rig->load = take_part(&memory, m->vertices);
  rig->film_state = (RvFilmState){.volume = take_part(&memory, m->vertices),
                                  .absorbed = take_part(&memory, m->vertices),
                                  .strain = take_part(&memory, m->vertices),
                                  .speed = take_part(&memory, m->edges),
                                  .drop = take_part(&memory, drops),
                                  .drop_momentum = take_part(&memory, 3 * drops)};
  double* hairs_per_strand = take_part(&memory, m->nstrand);
  for (size_t k = 0; k < m->nstrand; ++k) hairs_per_strand[k] = hairs;
  for (size_t i = 0; i < m->vertices; ++i) rig->film_hairs[i] = hairs;
  // The film's batches have the layout of the strands'.
  for (size_t b = 0; b < m->nbatch; ++b)
    rig->batches[b] = (RvFilmBatch){m->batches[b].vertices, m->batches[b].lanes, m->batches[b].at,
                                    m->batches[b].vertex_at, m->batches[b].edge_at};
  memcpy(rig->target, rig->state->q, m->unknowns * sizeof(double));
  rig->film = (RvFilmModel){
      m->nbatch, rig->batches, m->unknowns,     m->vertices,
      m->edges,  m->radius,    rig->film_hairs, {.density = 1000, .tension = 0.072, .consistency = 1e-3, .index = 1}};
  rig->strands = (RvCoupleStrands){.model = m,
                                   .film = &rig->film,
                                   .film_state = &rig->film_state,
                                   .q = rig->state->q,
                                   .v = rig->state->v,
                                   .v_before = rig->state->v,
                                   .hairs = hairs_per_strand};
  return true;
}

// Water (viscosity 8.9e-4 Pa s, tension 0.072 N/m) under gravity; drip rate 100/s; particles of 1 mm3.
RvResult rv_rig_couple_new(RvCoupleRig* rig, const RvCoupleLine* lines, size_t count, int vertices, double hairs,
                           RvError* error) {
  *rig = (RvCoupleRig){0};
  rig->set = (RvCoupleSettings){.viscosity = 8.9e-4,
                                .density = 1000,
                                .tension = 0.072,
                                .drag = 1,
                                .capture = 1,
                                .capacity = 1,
                                .drip = 100,
                                .nominal = 1e-9,
                                .film_in_bulk = true,
                                .gravity = {0, -9.81, 0}};
  RvResult result = make_strands(rig, lines, count, vertices, hairs, error);
  if (!result && (!make_film(rig, hairs) || !(rig->couple = rv_couple_new())))
    result = rv_fail(error, RV_NO_MEMORY, "out of memory");
  if (result) rv_rig_couple_free(rig);
  return result;
}

void rv_rig_couple_free(RvCoupleRig* rig) {
  rv_strand_state_free(rig->state);
  rv_strand_model_free(rig->model);
  rv_couple_free(rig->couple);
  rv_free(rig->batches);
  rv_free(rig->memory);
  rv_rig_pressure_free(&rig->tank);
  *rig = (RvCoupleRig){0};
}

// Batch and lane of a strand.
static void locate(const RvCoupleRig* rig, size_t strand, const RvStrandBatch** batch, int* lane) {
  for (size_t b = 0; b < rig->model->nbatch; ++b)
    for (int l = 0; l < rig->model->batches[b].lanes; ++l)
      if ((size_t)rig->model->batches[b].strand[l] == strand) {
        *batch = &rig->model->batches[b];
        *lane = l;
        return;
      }
}

// Index into arrays of vertices.
size_t rv_rig_couple_vertex(const RvCoupleRig* rig, size_t strand, int i) {
  const RvStrandBatch* batch = rig->model->batches;
  int lane = 0;
  locate(rig, strand, &batch, &lane);
  return batch->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
}

size_t rv_rig_couple_unknown(const RvCoupleRig* rig, size_t strand, int i, int c) {
  const RvStrandBatch* batch = rig->model->batches;
  int lane = 0;
  locate(rig, strand, &batch, &lane);
  return rv_strand_index(batch, lane, i, c);
}

// The three coordinates of vertex i of a lane.
static RvVec3 at3(const double* block, const RvStrandBatch* b, int lane, int i) {
  return rv_vec3(block[rv_strand_index(b, lane, i, 0)], block[rv_strand_index(b, lane, i, 1)],
                 block[rv_strand_index(b, lane, i, 2)]);
}

// Length of edge i; 0 beyond the ends of the strand.
static double edge_length(const RvCoupleRig* rig, const RvStrandBatch* b, int lane, int i) {
  if (i < 0 || i + 1 >= b->vertices) return 0;
  return rv_distance(at3(rig->state->q, b, lane, i), at3(rig->state->q, b, lane, i + 1));
}

// A vertex has the film of half of each edge that meets it.
void rv_rig_couple_set_film(RvCoupleRig* rig, double area) {
  for (size_t k = 0; k < rig->model->nbatch; ++k) {
    const RvStrandBatch* b = &rig->model->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane)
      for (int i = 0; i < b->vertices; ++i)
        rig->film_state.volume[b->vertex_at + (size_t)i * RV_LANES + (size_t)lane] =
            area * 0.5 * (edge_length(rig, b, lane, i - 1) + edge_length(rig, b, lane, i));
  }
}

void rv_rig_couple_load(RvCoupleRig* rig, const double* wet) {
  for (size_t i = 0; i < rig->model->vertices; ++i)
    rig->load[i] = rig->set.density * rig->film_state.volume[i] * (wet ? wet[i] : 1);
  rv_strand_set_load(rig->model, rig->load);
}

// Applies the pressure's stored force and the weight, then one implicit Euler step with drag as sampled (WH-38).
RvResult rv_rig_couple_step(RvCoupleRig* rig, double dt, bool weight, RvError* error) {
  const RvStrandModel* m = rig->model;
  for (size_t b = 0; b < m->nbatch; ++b)
    for (int i = 0; i < m->batches[b].vertices; ++i)
      for (int c = 0; c < 3; ++c)
        for (int lane = 0; lane < RV_LANES; ++lane) {
          size_t at = rv_strand_index(&m->batches[b], lane, i, c);
          rig->force[at] += rig->stored[at] + (weight ? m->mass[at] * rig->set.gravity[c] : 0);
        }
  const RvStrandStepDef def = {.dt = dt,
                               .dt_before = dt,
                               .integrator = RV_EULER,
                               .max_iterations = 60,  // Newton's limit, not reached
                               .tolerance = 1e-12,    // rounding: momentum is compared to 1e-9 and better
                               .force = rig->force,
                               .target = rig->target,
                               .drag = rig->sample->drag,
                               .drag_velocity = rig->sample->drag_velocity};
  RvStrandStats stats;
  return rv_strand_step(rig->model, rig->state, &def, &stats, error);
}

// An impulse changes the velocity by itself over the mass that moves with the vertex.
void rv_rig_couple_apply_kick(RvCoupleRig* rig) {
  for (size_t i = 0; i < rig->model->unknowns; ++i) {
    if (rig->kick[i] != 0) rig->state->v[i] += rig->kick[i] / rig->model->mass[i];
    rig->kick[i] = 0;
  }
}

// Film and drops, m3.
double rv_rig_couple_film(const RvCoupleRig* rig) {
  double sum = 0;
  for (size_t i = 0; i < rig->model->vertices; ++i) sum += rig->film_state.volume[i];
  for (size_t i = 0; i < rig->model->nbatch * RV_LANES; ++i) sum += rig->film_state.drop[i];
  return sum;
}

// The film of a vertex is divided between its two edges by their lengths.
void rv_rig_couple_shares(const RvCoupleRig* rig, const RvStrandBatch* b, int lane, int i, double part[2]) {
  const double* volume = &rig->film_state.volume[b->vertex_at + (size_t)i * RV_LANES + (size_t)lane];
  double length[3] = {0};
  for (int k = 0; k < 3; ++k) {
    int j = i - 1 + k;
    if (j >= 0 && j + 1 < b->vertices)
      length[k] = rv_distance(at3(rig->state->q, b, lane, j), at3(rig->state->q, b, lane, j + 1));
  }
  part[0] = volume[0] * length[1] / (length[0] + length[1]);
  part[1] = volume[RV_LANES] * length[1] / (length[1] + length[2]);
}

// Momentum of hair, of film that moves with it, of film along its edges, of drops at the tips, of pending impulses and
// of the force that the next step applies (E42).
RvVec3 rv_rig_couple_momentum(const RvCoupleRig* rig, double dt) {
  RvVec3 sum = {0, 0, 0};
  double density = rig->set.density;
  for (size_t k = 0; k < rig->model->nbatch; ++k) {
    const RvStrandBatch* b = &rig->model->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane) {
      size_t drop = k * RV_LANES + (size_t)lane;
      // Mass that moves with the vertex, and what is still to be applied to it.
      for (int i = 0; i < b->vertices; ++i) {
        size_t vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
        double mass = rig->model->hair_mass[vertex] + density * rig->film_state.volume[vertex];
        if (i + 1 == b->vertices) mass += density * rig->film_state.drop[drop];
        sum = rv_mad(sum, mass, at3(rig->state->v, b, lane, i));
        sum = rv_add(sum, rv_add(at3(rig->kick, b, lane, i), rv_scale(at3(rig->stored, b, lane, i), dt)));
        if (i + 1 == b->vertices) continue;
        // Film's own motion along the edge.
        RvVec3 t = rv_sub(at3(rig->state->q, b, lane, i + 1), at3(rig->state->q, b, lane, i));
        double speed = rig->film_state.speed[b->edge_at + (size_t)i * RV_LANES + (size_t)lane];
        double part[2];
        rv_rig_couple_shares(rig, b, lane, i, part);
        sum = rv_mad(sum, density * (part[0] + part[1]) * speed / rv_length(t), t);
      }
      // The drop at the tip, relative to its vertex.
      const double* p = &rig->film_state.drop_momentum[3 * k * RV_LANES + (size_t)lane];
      sum = rv_add(sum, rv_vec3(p[0], p[RV_LANES], p[2 * RV_LANES]));
    }
  }
  return sum;
}

//---------------------------------------------------------------------------------------------- the tank

// Lays liquid on the tiles where `liquid` is negative, at rest; a face has the mean mass of the two cells beside it.
RvResult rv_rig_couple_tank(RvCoupleRig* rig, const int lo[3], const int hi[3], double dx, RvLiquidFn* liquid,
                            const void* user, RvError* error) {
  RvLiquidGrid* g = &rig->tank.grid;
  RvResult result = rv_rig_pressure_build(&rig->tank, lo, hi, dx, liquid, user, true, error);
  if (result) return result;
  size_t tiles = g->tiles.count;
  bool ok = rv_channel_fit(&g->fill, tiles);
  for (int a = 0; a < 3; ++a) ok = ok && rv_channel_fit(&g->mass[a], tiles) && rv_channel_fit(&g->momentum[a], tiles);
  if (!ok) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  double full = rig->set.density * dx * dx * dx;
  for (size_t t = 0; t < tiles; ++t)
    for (int i = 0; i < RV_TILE_CELLS; ++i) {
      size_t at = t * RV_TILE_CELLS + (size_t)i;
      bool wet = g->distance.data[at] < 0;
      g->fill.data[at] = wet ? 1 : 0;
      for (int a = 0; a < 3; ++a) {
        float other = rv_tiles_read(&g->tiles, g->distance.data, t, (i & 7) - (a == 0), (i >> 3 & 7) - (a == 1),
                                    (i >> 6) - (a == 2), 1);
        g->mass[a].data[at] = (float)(full * 0.5 * (wet + (other < 0)));
        g->momentum[a].data[at] = 0;
      }
    }
  return RV_OK;
}

// Gravity for one step on every face that has mass.
static void add_gravity(RvLiquidGrid* g, const double* gravity, double dt) {
  for (int a = 0; a < 3; ++a)
    for (size_t i = 0; i < g->tiles.count * RV_TILE_CELLS; ++i)
      if (g->mass[a].data[i] > 0) g->velocity[a].data[i] += (float)(gravity[a] * dt);
}

// Momentum of the faces for the next step; `share`: the fibres' volume is taken off the mass, once (WH-39).
static void store_momentum(RvLiquidGrid* g, bool share) {
  for (int a = 0; a < 3; ++a)
    for (size_t i = 0; i < g->tiles.count * RV_TILE_CELLS; ++i) {
      if (share && g->shared) g->mass[a].data[i] *= g->share[a].data[i];
      g->momentum[a].data[i] = g->mass[a].data[i] * g->velocity[a].data[i];
    }
}

RvResult rv_rig_couple_capture(RvCoupleRig* rig, const RvLiquidGrid* grid, RvParticles* particles, double dt,
                               uint64_t random, RvCoupleReport* report, RvError* error) {
  RvCoupleStrands strands = rig->strands;
  // w_FF of the call before is 0: all strands come out of the bulk
  strands.air = rv_alloc_zero(rig->model->vertices, sizeof *strands.air);
  if (!strands.air) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  RvResult result =
      rv_couple_capture(rig->couple, &strands, &rig->set, grid, particles, dt, random, rig->kick, report, error);
  rv_free(strands.air);
  return result;
}

// Sample, strand step, reaction, gravity, pressure, then the pressure's force on the strands: the order of the wet
// substep (WH-38 to WH-42).
RvResult rv_rig_couple_substep(RvCoupleRig* rig, double dt, RvError* error) {
  RvLiquidGrid* g = &rig->tank.grid;
  size_t bytes = rig->model->unknowns * sizeof(double), faces = g->tiles.count * RV_TILE_CELLS;
  // Submerged film counts as mass of the faces within the substep only (E51), so the faces' mass is restored at its
  // end.
  float* mass = rv_alloc(3 * faces, sizeof(float));
  if (!mass) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  for (size_t a = 0; a < 3; ++a) memcpy(mass + a * faces, g->mass[a].data, faces * sizeof(float));
  // Drag and the fibres' share from the grid, then the strands move.
  g->shared = g->dragged = false;
  memset(rig->force, 0, bytes);
  RvResult result = rv_couple_sample(rig->couple, &rig->strands, &rig->set, g, dt, rig->force, &rig->sample, error);
  if (!result) rv_rig_couple_load(rig, rig->sample->wet);
  if (!result && !rig->fixed) result = rv_rig_couple_step(rig, dt, true, error);
  // Reaction of the drag on the liquid, then its own step: gravity and projection.
  if (!result) result = rv_couple_react(rig->couple, &rig->strands, &rig->set, g, dt, error);
  if (!result) {
    rv_liquid_grid_velocity(g);
    add_gravity(g, rig->set.gravity, dt);
    rv_liquid_mark_valid(g);
    RvPressureIn in = rv_liquid_pressure_of_grid(g, NULL, rig->set.density, dt);
    in.warm = rig->started;
    RvPressureOptions options = {.tolerance = 1e-7, .divergence = -1};  // relative residual only
    result = rv_liquid_pressure_solve(rig->tank.pressure, &in, &options, NULL, error);
  }
  // Pressure on the strands; all film moves with its strand again.
  if (!result) result = rv_couple_pressure(rig->couple, &rig->strands, &rig->set, g, dt, rig->stored, rig->kick, error);
  rv_rig_couple_load(rig, NULL);
  if (!result) rv_rig_couple_apply_kick(rig);
  for (size_t a = 0; a < 3; ++a) memcpy(g->mass[a].data, mass + a * faces, faces * sizeof(float));
  rv_free(mass);
  store_momentum(g, !rig->started);
  rig->started = true;
  return result;
}
