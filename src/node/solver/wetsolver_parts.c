// A solver made of two others: what each of them sees as its cook.
#include <string.h>

#include "base/memory.h"
#include "node/solver/wetsolver.h"

static const size_t strand_ports[] = {RV_WET_INPUT_STRANDS, RV_WET_INPUT_COLLIDERS, RV_WET_INPUT_WIND};
static const size_t liquid_ports[] = {RV_WET_INPUT_LIQUID, RV_WET_INPUT_COLLIDERS, RV_WET_INPUT_SOURCES};

#define COPY(kind, ...) RV_COPY_##kind(out, in, __VA_ARGS__)

static void strand_parms(const RvWetParms* in, RvStrandParms* out) {
  *out = (RvStrandParms){.startframe = in->startframe,
                         .timescale = in->timescale,
                         .substeps = in->substeps,
                         .maxsubsteps = in->maxsubsteps,
                         .cfl = in->rootcfl,
                         .niter = in->niter,
                         .tolerance = in->tolerance,
                         .integrator = in->integrator,
                         .strandcollisions = in->strandcollisions,
                         .keepstate = true};
  RV_STRAND_MATERIAL_PARMS(COPY)
  RV_STRAND_FORCE_PARMS(COPY)
  RV_STRAND_CONTACT_PARMS(COPY)
}

static void liquid_parms(const RvWetParms* in, RvLiquidParms* out) {
  *out = (RvLiquidParms){.startframe = in->startframe,
                         .timescale = in->timescale,
                         .substeps = in->substeps,
                         .maxsubsteps = in->maxsubsteps,
                         .cfl = in->cfl,
                         .tolerance = in->pressuretolerance,
                         .density = in->liquiddensity,
                         .keepstate = true};
  RV_LIQUID_SIZE_PARMS(COPY)
  RV_LIQUID_KIND_PARMS(COPY)
  RV_LIQUID_WALL_PARMS(COPY)
  RV_LIQUID_LIMIT_PARMS(COPY)
  memcpy(out->gravity, in->gravity, sizeof out->gravity);
}

RvResult rv_wetsolve_parms_at(RvWetSolve* s, double frame, RvWetParms* out, RvError* error) {
  RvResult result = s->cook->host->parms_at(s->cook->host->user, frame, s->room, error);
  if (!result) s->translate(s->room, out);
  return result;
}

static RvResult strand_parms_at(void* user, double frame, void* out, RvError* error) {
  RvWetPart* part = user;
  RvWetParms p;
  RvResult result = rv_wetsolve_parms_at(part->whole, frame, &p, error);
  if (!result) strand_parms(&p, out);
  return result;
}

static RvResult liquid_parms_at(void* user, double frame, void* out, RvError* error) {
  RvWetPart* part = user;
  RvWetParms p;
  RvResult result = rv_wetsolve_parms_at(part->whole, frame, &p, error);
  if (!result) liquid_parms(&p, out);
  return result;
}

static RvResult input_at(void* user, size_t index, double frame, const RvDetail** out, RvError* error) {
  RvWetPart* part = user;
  const RvHost* host = part->whole->cook->host;
  return host->input_at(host->user, part->ports[index], frame, out, error);
}

static bool cancelled(void* user, double fraction, const char* stage) {
  RvWetPart* part = user;
  return rv_cook_cancelled(part->whole->cook, fraction, stage);
}

static void message(void* user, RvLevel level, const char* text) {
  RvWetPart* part = user;
  const RvHost* host = part->whole->cook->host;
  if (host->message) host->message(host->user, level, text);
}

typedef RvResult ParmsAt(void* user, double frame, void* out, RvError* error);

static void set_part(RvWetSolve* s, RvWetPart* part, const size_t* ports, const void* parms, ParmsAt* parms_at) {
  const RvHost* host = s->cook->host;
  part->whole = s;
  part->ports = ports;
  part->cook = *s->cook;
  part->cook.parms = parms;
  part->cook.ninput = 3;
  part->cook.input = part->input;
  part->cook.stats = &part->stats;
  part->cook.host = &part->host;
  part->cook.prev = NULL;
  memset(part->cook.output, 0, sizeof part->cook.output);
  for (size_t i = 0; i < 3; ++i) part->input[i] = ports[i] < s->cook->ninput ? s->cook->input[ports[i]] : NULL;
  part->host = (RvHost){.user = part,
                        .cancelled = cancelled,
                        .message = message,
                        .input_at = host->input_at ? input_at : NULL,
                        .parms_at = host->parms_at ? parms_at : NULL};
}

RvResult rv_wetsolve_init(RvWetSolve* s, RvCook* cook, RvWetTranslate* translate, RvError* error) {
  *s = (RvWetSolve){.cook = cook, .translate = translate};
  s->room = rv_alloc_zero(1, cook->type->parms->struct_bytes);
  if (!s->room) return rv_fail(error, RV_NO_MEMORY, "out of memory");
  translate(cook->parms, &s->parms);
  strand_parms(&s->parms, &s->strand_part.parms.strands);
  liquid_parms(&s->parms, &s->liquid_part.parms.liquid);
  set_part(s, &s->strand_part, strand_ports, &s->strand_part.parms.strands, strand_parms_at);
  set_part(s, &s->liquid_part, liquid_ports, &s->liquid_part.parms.liquid, liquid_parms_at);
  return RV_OK;
}

void rv_wetsolve_free(RvWetSolve* s) {
  double* arrays[] = {s->cohesion,     s->drag,   s->capture, s->capacity, s->drip,
                      s->filmfriction, s->drying, s->paint,   s->angle};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) rv_free(arrays[i]);
  rv_wet_free(&s->wet);
  rv_sampler_end(&s->sampler);
  rv_strand_contacts_end(&s->contacts);
  rv_solve_strands_free(&s->strands);
  rv_liquidsolve_end(&s->liquid);
  rv_detail_free(s->strand_state);
  rv_detail_free(s->liquid_state);
  rv_free(s->room);
  rv_free(s->taken);
}
