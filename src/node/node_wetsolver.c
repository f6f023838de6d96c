// Wet solver: strands, the film on them and the liquid around them (design section 3). Its method is rv_wet_substep in
// wet/solver.c.
#include "node/define.h"
#include "node/solver/solver_presets.h"
#include "node/solver/wet_frame.h"

typedef RvWetParms RV_PARM_THIS;
static const RvParmDef rows[] = {RV_WET_PARMS(RV_PARM_ROW)};
const RvParmTable rv_wet_parm_table = {rows, sizeof rows / sizeof *rows, sizeof(RvWetParms)};

// The parameters are already those of the wet solver.
static void translate(const void* parms, RvWetParms* out) {
  *out = *(const RvWetParms*)parms;
}

// All media and all inputs.
static const RvWetNode node = {.translate = translate,
                               .strands = true,
                               .liquid = true,
                               .strand_input = 0,
                               .liquid_input = 1,
                               .source_input = 3,
                               .wind_input = 4};

static const RvSolverType solver = RV_WET_SOLVER(node, 2);
RV_SOLVER_CALLS(wet, solver)

static const RvPresetDef presets[] = {
    RV_LIQUID_PRESETS(" viscosity=0", " viscosity=0", " viscosity=0.08", " viscosity=10"),
    RV_FIBRE_PRESETS,
    {"preview", "Preview", "Coarse solves for blocking a shot.",
     "substeps=2 niter=8 tolerance=1e-2 pressuretolerance=1e-3"},
    {"final", "Final", "Fine solves for the shot.", "substeps=8 niter=64 tolerance=1e-4 pressuretolerance=1e-6"}};

static const RvPortDef inputs[] = {
    {"strands", "Strands", "Animated curves, root first: the groom at the start frame, roots, pins and goals after.",
     false},
    {"liquid", "Liquid", "Particles at the start frame, or, where liquidmode is cached, of every frame.", false},
    {"colliders", "Colliders", "Solids that strands and liquid meet.", false},
    {"sources", "Sources", "Shapes that liquid comes out of or vanishes in.", false},
    {"wind", "Wind", "A VDB vel, the velocity of the air.", false}};
static const unsigned takes[] = {RV_PORT_CURVES, RV_PORT_POINTS | RV_PORT_VDBS, RV_PORT_FACES | RV_PORT_VDBS,
                                 RV_PORT_FACES | RV_PORT_VDBS, RV_PORT_VDBS};
static const RvPortDef outputs[] = {
    {"strands", "Strands",
     "The strands, with filmheight filmradius dropradius filmv waterload wetness absorbed clumpid, and solids coating "
     "of a liquid with solids.",
     false},
    {"liquid", "Liquid", "The particles, with P v pscale id age volume source.", false},
    {"state", "State", "Both, with all that a resumed run needs.", false}};

const RvNodeType rv_node_wetsolver = {
    .type = "wetsolver",
    .label = "Wet Solver",
    .category = "Solvers",
    .summary = "Simulates hair and fur in, under and out of liquid.",
    .help =
        "Strands are elastic rods, the liquid around them particles on a sparse grid, and between the two is a film on "
        "every strand, which flows along it, soaks into it, pulls it to its neighbours, and drips.\n\n"
        "Strands draw a film out of the liquid that they leave, and the liquid between them where they stand close; "
        "they "
        "catch the drops that they meet; under water their film goes back. They carry what their number, radius and "
        "acceleration allow; what is more drips off, at the tips and along the strand. No liquid is "
        "lost or made by it: what is on strands, in them and around them is always what came in less what went out. "
        "Liquid between strands pulls them into clumps, which open again when it is gone: an evaporated groom is what "
        "it was.\n\n"
        "Under water strands feel pressure and drag, and the liquid feels theirs.\n\n"
        "Film at the start comes from the strands' point attribute filmheight, and more in every frame from "
        "wetadd (height a second). The point or primitive attributes cohesion drag capture capacity drip filmfriction "
        "drying multiply the parameters of these names; hairsperguide hairs are stood for by a guide in all of it. "
        "Drops that left a strand have the source -1 and their age since then.\n\n"
        "With hairmode animated the strands go where the input goes; with liquidmode cached the liquid does, and what "
        "is captured of it is remembered by its id, so that no particle wets twice as much as it holds.\n\n"
        "Everything else is as in the nodes strandsolver and liquidsolver, to which this one is equal, to the bit, "
        "where there is nothing wet or no strand.",
    .flags = RV_NODE_SOLVER | RV_NODE_DOP,
    .revision = 16,
    RV_NODE_INPUTS(inputs),
    .takes = takes,
    RV_NODE_OUTPUTS(outputs),
    .parms = &rv_wet_parm_table,
    RV_NODE_PRESETS(presets),
    .stages = rv_wet_node_stages,
    .fields = rv_wet_fields,
    .nfield = RV_WET_FIELD_COUNT,
    .parts = rv_wet_parts,
    .npart = RV_STATE_PARTS,
    RV_SOLVER_MEMBERS(wet),
};
