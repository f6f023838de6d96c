// Liquid and pores beside the rods; see pore_hair.h.
#include "lookdev/pore_hair.h"

#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/scalar.h"

enum { FIRST_BLOCK = 1 << 22 };  // bytes of the arena
enum { GRAIN = 2048 };           // points a task
enum { BATCHES_A_TASK = 16 };

//---------------------------------------------------------------------------------------------- memory

// Where the vertices are in the lanes, what they weigh and expose dry, and how thick they are.
static void map_vertices(RvLookdevWater* w) {
  const RvStrandModel* m = w->strands->model;
  for (size_t k = 0; k < m->nbatch; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane)
      for (int i = 0; i < b->vertices; ++i) {
        size_t strand = (size_t)b->strand[lane];
        size_t own = (size_t)(w->strands->set.first[strand] + i);
        size_t vertex = b->vertex_at + (size_t)i * RV_LANES + (size_t)lane;
        w->at[own] = (uint32_t)rv_strand_index(b, lane, i, 0);
        w->batch[own] = (uint32_t)k;
        w->mass[own] = m->hair_mass[vertex];
        w->radius[own] = m->radius[vertex];
        bool last = i + 1 == b->vertices;
        double edge = last ? 0 : m->rest_length[b->edge_at + (size_t)i * RV_LANES + (size_t)lane];
        w->area[own] = w->strands->multiple[strand] * 2 * RV_PI * m->radius[vertex] * edge;
      }
  }
}

RvResult rv_lookdev_water_init(RvLookdevWater* w, const RvLookdevLiquidModel* liquid, const RvPoreModel* pores,
                               RvError* error) {
  const RvStrandModel* m = w->strands->model;
  const RvStrandSet* set = &w->strands->set;
  size_t count = set->vertices + 1;
  w->arena = rv_arena_new(FIRST_BLOCK);
  w->at = rv_alloc_zero(count, sizeof *w->at);
  w->batch = rv_alloc_zero(count, sizeof *w->batch);
  w->x = rv_alloc_zero(3 * count, sizeof(double));
  w->v = rv_alloc_zero(3 * count, sizeof(double));
  w->mass = rv_alloc_zero(count, sizeof(double));
  w->area = rv_alloc_zero(count, sizeof(double));
  w->radius = rv_alloc_zero(count, sizeof(double));
  w->force = rv_alloc_zero(3 * count, sizeof(double));
  w->wet = rv_alloc_zero(m->nbatch + 1, sizeof *w->wet);
  w->wet_mass = rv_alloc(m->unknowns + RV_LANES, sizeof(double));
  w->wet_bend = rv_alloc(6 * (m->vertices + RV_LANES), sizeof(double));
  uint32_t* first = rv_alloc(set->count + 1, sizeof *first);
  RvResult result = RV_OK;
  if (!w->arena || !w->at || !w->batch || !w->x || !w->v || !w->mass || !w->area || !w->radius || !w->force ||
      !w->wet || !w->wet_mass || !w->wet_bend || !first)
    result = rv_fail(error, RV_NO_MEMORY, "out of memory for the pores of %zu strands", set->count);
  for (size_t s = 0; s <= set->count && !result; ++s) first[s] = (uint32_t)set->first[s];
  if (!result) result = rv_pores_init(&w->pores, pores, set->count, first, error);
  rv_free(first);
  if (result) return result;
  rv_lookdev_liquid_init(&w->liquid, liquid, &w->bulk->particles, w->arena);
  map_vertices(w);
  return RV_OK;
}

void rv_lookdev_water_free(RvLookdevWater* w) {
  rv_pores_free(&w->pores);
  rv_arena_free(w->arena);
  RV_FREE_ALL(w->at, w->batch, w->x, w->v, w->mass, w->area, w->radius, w->force, w->wet, w->wet_mass, w->wet_bend,
              w->colliders);
  *w = (RvLookdevWater){0};
}

RvResult rv_lookdev_water_solids(RvLookdevWater* w, const RvCollider* colliders, size_t count, RvError* error) {
  if (count != w->ncollider) {
    rv_free(w->colliders);
    w->ncollider = 0;
    w->colliders = rv_alloc(count + 1, sizeof *w->colliders);
    if (!w->colliders) return rv_fail(error, RV_NO_MEMORY, "out of memory for %zu solids", count);
    w->ncollider = count;
  }
  RvVec3 offset = rv_vec3_load64(w->offset);
  for (size_t k = 0; k < count; ++k) {
    w->colliders[k] = colliders[k];
    w->colliders[k].position = rv_add(colliders[k].position, offset);
  }
  w->liquid.solids.colliders = w->colliders;
  w->liquid.solids.ncollider = count;
  return RV_OK;
}

//---------------------------------------------------------------------------------------------- stages

RvResult rv_lookdev_water_flow(RvLookdevWater* w, double dt, RvError* error) {
  RvLiquid* l = w->bulk;
  const RvLiquidFlows* flows = l->inputs.flows;
  if (w->paint) rv_pores_paint(&w->pores, w->paint, w->area, w->radius, dt);
  if (!flows || !(flows->any || flows->killing || flows->open_sides || flows->life)) return RV_OK;
  // Sources that fill count the particles of cells, so that these are sorted.
  RvResult result = rv_liquid_particles_sort(&l->particles, &l->report.lost, error);
  if (!result) result = rv_liquid_take(l, error);
  if (!result) result = rv_liquid_give(l, dt, error);
  return result ? result : rv_liquid_particles_sort(&l->particles, &l->report.lost, error);
}

// Places and velocities of the strands by point.
static void gather_some(void* arg, size_t begin, size_t end) {
  RvLookdevWater* w = arg;
  const RvStrandState* state = w->strands->state;
  for (size_t i = begin; i < end; ++i)
    for (size_t a = 0; a < 3; ++a) {
      w->x[3 * i + a] = state->q[w->at[i] + a * RV_LANES] + w->offset[a];
      w->v[3 * i + a] = state->v[w->at[i] + a * RV_LANES];
    }
}

static RvPoreHair hair_of(const RvLookdevWater* w) {
  return (RvPoreHair){w->x, w->v, w->mass, w->area, w->force};
}

RvResult rv_lookdev_water_find(RvLookdevWater* w, double dt, RvError* error) {
  RvPoreHair hair = hair_of(w);
  rv_parallel_for(w->pores.points, GRAIN, gather_some, w);
  RvResult result = rv_lookdev_liquid_predict(&w->liquid, dt, error);
  if (!result) result = rv_pores_place(&w->pores, &hair, &w->liquid, error);
  return result ? result : rv_lookdev_liquid_arrange(&w->liquid, w->pores.place, w->pores.nactive, error);
}

// Forces of the pores in the lanes of some batches.
typedef struct Pull {
  const RvLookdevWater* w;
  void (*claim)(void* user, size_t batch);
  void* user;
  double* force;
} Pull;

static void pull_batches(void* arg, size_t begin, size_t end) {
  const Pull* job = arg;
  const RvLookdevWater* w = job->w;
  const RvStrandModel* m = w->strands->model;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    for (int lane = 0; lane < b->lanes; ++lane) {
      const double* f = w->force + 3 * (size_t)w->strands->set.first[b->strand[lane]];
      for (int i = 0; i < b->vertices; ++i, f += 3) {
        if (f[0] == 0 && f[1] == 0 && f[2] == 0) continue;
        job->claim(job->user, k);
        size_t at = rv_strand_index(b, lane, i, 0);
        for (size_t a = 0; a < 3; ++a) job->force[at + a * RV_LANES] += f[a];
      }
    }
  }
}

RvResult rv_lookdev_water_pull(RvLookdevWater* w, void (*claim)(void* user, size_t batch), void* user, double* force,
                               RvError* error) {
  RvPoreHair hair = hair_of(w);
  RvResult result = rv_pores_meet(&w->pores, &hair, &w->liquid, error);
  if (!result) rv_parallel_for(w->strands->model->nbatch, BATCHES_A_TASK, pull_batches, &(Pull){w, claim, user, force});
  return result;
}

RvResult rv_lookdev_water_project(RvLookdevWater* w, RvError* error) {
  return rv_lookdev_liquid_project(&w->liquid, error);
}

RvResult rv_lookdev_water_move(RvLookdevWater* w, double dt, RvError* error) {
  RvPoreHair hair = hair_of(w);
  rv_pores_adhere(&w->pores, &w->liquid);
  RvResult result = rv_pores_soak(&w->pores, &w->liquid, error);
  if (!result) result = rv_lookdev_liquid_move(&w->liquid, error);
  if (result) return result;
  return rv_pores_drain(&w->pores, &hair, &w->liquid, dt, &w->bulk->next_id, w->drip_row, error);
}

// Mass and compliance of a batch, wet where its points are.
typedef struct Weigh {
  RvLookdevWater* w;
  const double* bend;  // [vertices][6] dry
} Weigh;

static bool batch_is_wet(const RvLookdevWater* w, const RvStrandBatch* b) {
  for (int lane = 0; lane < b->lanes; ++lane) {
    const float* wetness = w->pores.wetness + w->strands->set.first[b->strand[lane]];
    for (int i = 0; i < b->vertices; ++i)
      if (wetness[i] > 0) return true;
  }
  return false;
}

static void weigh_batches(void* arg, size_t begin, size_t end) {
  const Weigh* job = arg;
  RvLookdevWater* w = job->w;
  const RvStrandModel* m = w->strands->model;
  for (size_t k = begin; k < end; ++k) {
    const RvStrandBatch* b = &m->batches[k];
    bool wet = batch_is_wet(w, b);
    if (!wet && !w->wet[k]) continue;
    w->wet[k] = wet;
    size_t rows = (size_t)b->vertices * RV_LANES;
    double* mass = w->wet_mass + b->at;
    double* bend = w->wet_bend + 6 * b->vertex_at;
    memcpy(mass, m->mass + b->at, 4 * rows * sizeof(double));
    memcpy(bend, job->bend + 6 * b->vertex_at, 6 * rows * sizeof(double));
    for (size_t i = 0; i < (size_t)b->vertices && wet; ++i) {
      double heavier[RV_LANES], softer[RV_LANES];
      for (int lane = 0; lane < RV_LANES; ++lane) {
        size_t own = (size_t)w->strands->set.first[b->strand[lane]] + i;
        heavier[lane] = (double)w->pores.mass_factor[own];
        softer[lane] = 1 / (double)w->pores.stiffness_factor[own];
      }
      for (size_t k = 0; k < 3 * RV_LANES; ++k) mass[4 * i * RV_LANES + k] *= heavier[k % RV_LANES];
      for (size_t k = 0; k < 6 * RV_LANES; ++k) bend[6 * i * RV_LANES + k] *= softer[k % RV_LANES];
    }
  }
}

void rv_lookdev_water_weigh(RvLookdevWater* w, const double* bend) {
  const RvStrandModel* m = w->strands->model;
  // The first substep begins with all hair dry.
  if (!w->weighed) {
    memcpy(w->wet_mass, m->mass, m->unknowns * sizeof(double));
    memcpy(w->wet_bend, bend, 6 * m->vertices * sizeof(double));
    memset(w->wet, 0, m->nbatch * sizeof *w->wet);
    w->weighed = true;
  }
  rv_parallel_for(m->nbatch, BATCHES_A_TASK, weigh_batches, &(Weigh){w, bend});
}
