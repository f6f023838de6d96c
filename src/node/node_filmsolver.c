// Film solver: the surface-flow stage alone (design section 3): strands are animated, liquid is cached or none.
#include "node/define.h"
#include "node/solver/solver_presets.h"
#include "node/solver/wet_frame.h"

RV_PARM_TABLE(RvFilmParms, film_table, RV_FILM_PARMS)

// Strands go with their animation and liquid with its cache: parameters of either's own motion have no effect.
static void translate(const void* parms, RvWetParms* out) {
  (void)parms;
  out->hairmode = 1;
  out->liquidmode = 1;
  out->strandsubsteps = 1;
  out->niter = 1;
  out->integrator = RV_EULER;
  // the shape is given: the one that it would have without weight is not asked for
  out->restmode = 1;
}

// Strands and liquid, but no wind: strands go with their animation.
static const RvWetNode node = {.translate = translate,
                               .strands = true,
                               .liquid = true,
                               .strand_input = 0,
                               .liquid_input = 1,
                               .source_input = 3,
                               .wind_input = -1};

static const RvSolverType solver = RV_WET_SOLVER(node, 2);
RV_SOLVER_CALLS(film, solver)

static const RvPresetDef presets[] = {RV_LIQUID_PRESETS("", "", "", "")};

static const RvPortDef inputs[] = {
    {"strands", "Strands", "Animated curves, root first, as they are in every frame.", true},
    {"liquid", "Liquid", "Particles of every frame, with P v pscale id, that wet the strands.", false},
    {"colliders", "Colliders", "Solids that drops meet.", false},
    {"sources", "Sources", "Shapes that liquid comes out of or vanishes in.", false}};
static const unsigned takes[] = {RV_PORT_CURVES, RV_PORT_POINTS | RV_PORT_VDBS, RV_PORT_FACES | RV_PORT_VDBS,
                                 RV_PORT_FACES | RV_PORT_VDBS};
static const RvPortDef outputs[] = {
    {"strands", "Strands",
     "The strands, with filmheight filmradius dropradius filmv waterload wetness absorbed clumpid, and solids coating "
     "of a liquid with solids.",
     false},
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
        "Film at the start comes from the point attribute filmheight, and more in every frame from wetadd "
        "(metres a second). The node wetsolver has the same film, with strands that feel it.",
    .flags = RV_NODE_SOLVER | RV_NODE_DOP,
    .revision = 12,
    RV_NODE_INPUTS(inputs),
    .takes = takes,
    RV_NODE_OUTPUTS(outputs),
    .parms = &film_table,
    RV_NODE_PRESETS(presets),
    .stages = rv_wet_node_stages,
    .fields = rv_wet_fields,
    .nfield = RV_WET_FIELD_COUNT,
    .parts = rv_wet_parts,
    .npart = RV_STATE_PARTS,
    RV_SOLVER_MEMBERS(film),
};
