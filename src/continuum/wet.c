// Masses and stiffness of wet hair.
#include "continuum/wet.h"

#include "base/memory.h"
#include "base/parallel.h"

enum { LINKS_A_TASK = 4096 };
// Numbers a link: mass, both moments of inertia, three stiffnesses, three dampings, water.
enum { NUMBERS_A_LINK = 10 };

typedef struct Work {
  const RvWetHair* wet;
  const RvChainModel* dry;
  RvChainModel* now;
} Work;

static void weigh(void* arg, size_t begin, size_t end) {
  const Work* w = arg;
  for (size_t i = begin; i < end; ++i) {
    double load = w->wet->load[i], heavier = 1 + load, softer = 1 - w->wet->softness * rv_wetness(load);
    w->now->mass[i] = heavier * w->dry->mass[i];
    w->now->across[i] = heavier * w->dry->across[i];
    w->now->axial[i] = heavier * w->dry->axial[i];
    w->wet->water[i] = load * w->dry->mass[i];
    size_t at = i / RV_LANES * 3 * RV_LANES + i % RV_LANES;
    for (size_t k = at; k < at + 3 * RV_LANES; k += RV_LANES) {
      w->now->stiffness[k] = softer * w->dry->stiffness[k];
      w->now->damping[k] = softer * w->dry->damping[k];
    }
  }
}

RvResult rv_wet_hair_model(RvWetHair* wet, const RvChainModel* dry, RvChainModel* now, RvError* error) {
  *now = *dry;
  if (!wet->load) return RV_OK;
  size_t links = dry->links;
  if (!wet->memory) wet->memory = rv_alloc(NUMBERS_A_LINK * links + 1, sizeof(double));
  if (!wet->memory) return rv_fail(error, RV_NO_MEMORY, "out of memory for the water on %zu strands", dry->nstrand);
  now->mass = wet->memory;
  now->across = wet->memory + links;
  now->axial = wet->memory + 2 * links;
  wet->water = wet->memory + 3 * links;
  now->stiffness = wet->memory + 4 * links;
  now->damping = wet->memory + 7 * links;
  Work w = {wet, dry, now};
  rv_parallel_for(links, LINKS_A_TASK, weigh, &w);
  return RV_OK;
}

void rv_wet_hair_free(RvWetHair* wet) {
  rv_free(wet->memory);
  *wet = (RvWetHair){0};
}
