// Film solver: the surface-flow stage alone (design section 3): strands are animated, liquid is cached or none.
#include <string.h>

#include "node/solver/wetsolver.h"

RV_PARM_STRUCT(RvFilmParms, RV_FILM_PARMS)
RV_PARM_ROWS(RvFilmParms, film_table, RV_FILM_PARMS)

#define COPY(kind, ...) RV_COPY_##kind(out, in, __VA_ARGS__)

static void translate(const void* parms, RvWetParms* out) {
  const RvFilmParms* in = parms;
  *out = (RvWetParms){.hairmode = 1,
                      .liquidmode = 1,
                      .strandsubsteps = 1,
                      // of no effect where strands are animated, but 0 is no fibre
                      .youngs = 1,
                      .shear = 1,
                      .stiffness = 1,
                      .cfl = 2,
                      .niter = 1,
                      .tolerance = 1e-3,
                      .pressuretolerance = 1e-5,
                      .integrator = RV_EULER,
                      .inertiascale = 1,
                      .targettime = 1,
                      .volumetime = 0.1,
                      .reseeding = true,
                      .keepstate = in->keepstate};
  RV_WET_TIME_PARMS(COPY)
  RV_STRAND_SIZE_PARMS(COPY)
  RV_STRAND_GUIDE_PARMS(COPY)
  RV_WET_COUPLE_PARMS(COPY)
  RV_WET_FILM_PARMS(COPY)
  RV_LIQUID_SIZE_PARMS(COPY)
  RV_LIQUID_LIMIT_PARMS(COPY)
  memcpy(out->gravity, in->gravity, sizeof out->gravity);
  // the shape is given: what it would be without weight does not matter
  out->restmode = 1;
}

static RvResult start(RvCook* cook, RvError* error) {
  return rv_wetsolve_start(cook, translate, error);
}

static RvResult step(RvCook* cook, RvError* error) {
  return rv_wetsolve_step(cook, translate, error);
}

static RvResult split(RvCook* cook, const RvDetail* state, RvError* error) {
  return rv_wetsolve_split(cook, state, ((const RvFilmParms*)cook->parms)->keepstate, error);
}

static const RvPortDef inputs[] = {
    {"strands", "Strands", "Animated curves, root first, as they are in every frame.", true},
    {"liquid", "Liquid", "Particles of every frame, with P v pscale id, that wet the strands.", false},
    {"colliders", "Colliders", "Solids that drops meet.", false},
    {"sources", "Sources", "Shapes that liquid comes out of or vanishes in.", false}};
static const RvPortDef outputs[] = {
    {"strands", "Strands", "The strands, with filmheight filmradius filmv waterload wetness absorbed clumpid.", false},
    {"liquid", "Liquid", "The drops that left the strands.", false},
    {"state", "State", "Both, with all that a resumed run needs.", false}};

const RvNodeType rv_node_filmsolver = {
    .type = "filmsolver",
    .label = "Film Solver",
    .category = "Solvers",
    .summary = "Wets animated hair and lets the film on it flow and drip.",
    .help =
        "For strands that are simulated already, or animated: film flows along them with gravity and with their "
        "motion, soaks in, dries and drips. Liquid that was cached from another solver wets them; what is taken up of "
        "a particle is remembered by its id, and counts as a source. Drops that leave the strands are simulated.\n\n"
        "Film at the start comes from the point attribute filmheight (metres), and more in every frame from wetadd "
        "(metres a second). The node wetsolver has the same film, with strands that feel it.",
    .flags = RV_NODE_SOLVER | RV_NODE_DOP,
    .revision = 4,
    .inputs = inputs,
    .ninput = 4,
    .outputs = outputs,
    .noutput = 3,
    .parms = &film_table,
    .stages = rv_wetsolve_stages,
    .fields = rv_wet_fields,
    .nfield = RV_WET_FIELD_COUNT,
    .start = start,
    .step = step,
    .split = split,
    .free_cache = rv_colliders_free_cache,
};
