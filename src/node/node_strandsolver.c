// Strand solver: the hair stage alone (design section 3), the wet solver without liquid. Its method is rv_wet_substep
// in wet/solver.c.
#include "node/define.h"
#include "node/solver/solver_presets.h"
#include "node/solver/wet_frame.h"

RV_PARM_ROWS(RvStrandParms, strand_table, RV_STRAND_PARMS)

// The wet solver tells the CFL of roots and of particles apart.
static void translate(const void* parms, RvWetParms* out) {
  const RvStrandParms* in = parms;
  out->rootcfl = in->cfl;
}

// Strands alone: no liquid, no sources.
static const RvWetNode node = {.translate = translate,
                               .strands = true,
                               .strand_input = 0,
                               .liquid_input = -1,
                               .source_input = -1,
                               .wind_input = 2};

static const RvSolverType solver = RV_WET_SOLVER(node, 1);
RV_SOLVER_CALLS(strand, solver)

static const RvPresetDef presets[] = {
    RV_FIBRE_PRESETS,
    {"preview", "Preview", "Coarse solves for blocking a shot.", "substeps=2 niter=4 tolerance=1e-2"},
    {"final", "Final", "Fine solves for the shot.", "substeps=8 niter=24 tolerance=1e-5"}};

static const RvPortDef inputs[] = {
    {"strands", "Strands", "Animated curves, root first: the groom at the start frame, roots, pins and goals after.",
     true},
    {"colliders", "Colliders", "Solids that the strands meet.", false},
    {"wind", "Wind", "A VDB vel, the velocity of the air.", false}};
static const unsigned takes[] = {RV_PORT_CURVES, RV_PORT_FACES | RV_PORT_VDBS, RV_PORT_VDBS};
static const RvPortDef outputs[] = {{"strands", "Strands", "The simulated strands.", false},
                                    {"liquid", "Liquid", "Nothing: this solver is dry.", false},
                                    {"state", "State", "The strands with all that a resumed run needs.", false}};

const RvNodeType rv_node_strandsolver = {
    .type = "strandsolver",
    .label = "Strand Solver",
    .category = "Solvers",
    .summary = "Simulates hair and fur as elastic rods.",
    .help =
        "Every curve is a discrete elastic rod that stretches, bends and twists; its first edge is held by the "
        "animated "
        "input, whose orient turns it. At the start frame the output is the groom itself, and with the rest shape in "
        "equilibrium nothing sags afterwards.\n\n"
        "Attributes of points, or else of primitives, come before the parameters: hairradius, density, youngs, shear, "
        "damping, stiffness, hairsperguide, and ellipse, the ratio of the section's half axes (the first is "
        "hairradius, along "
        "the frame of the root); a 0 is not given. They are metres, kilograms and seconds whatever the "
        "scene's unit; P, v and width are units of the scene. A radius that tapers to nothing is held at a tenth of "
        "the strand's largest.\n\n"
        "Each frame the input's attributes are read that guide the strands: pintoanimation of 0.5 or more holds a "
        "point to the animation, targetweight pulls it there, force (newton a hair) and wind (metres a second) push "
        "it.\n\n"
        "Roots are sampled at every substep. Where the input has whole frames only, as files do, the motion between "
        "them is interpolated: its common turn as a turn, the rest with continuous velocity.\n\n"
        "Drag is linear in the speed relative to the air, with one coefficient across and one along a hair.",
    .flags = RV_NODE_SOLVER | RV_NODE_DOP,
    .revision = 10,
    RV_NODE_INPUTS(inputs),
    .takes = takes,
    RV_NODE_OUTPUTS(outputs),
    .empty_output = 2,
    .parms = &strand_table,
    RV_NODE_PRESETS(presets),
    .stages = rv_strand_node_stages,
    .fields = rv_strand_fields,
    .nfield = RV_STRAND_FIELD_COUNT,
    RV_SOLVER_MEMBERS(strand),
};
