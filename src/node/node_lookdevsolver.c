// Lookdev solver: coily hair in real time (design section 3). Its method is rv_lookdev_substep in lookdev/solver.c.
#include "node/define.h"
#include "node/solver/lookdev_frame.h"
#include "node/solver/solver_presets.h"

RV_PARM_ROWS(RvLookdevParms, lookdev_table, RV_LOOKDEV_PARMS)

static const RvSolverType solver = {.data_bytes = sizeof(RvLookdevFrame),
                                    .collider_input = 2,
                                    .advance = rv_lookdev_advance,
                                    .media = &rv_lookdev_media};
RV_SOLVER_CALLS(lookdev, solver)

static const RvFieldDef fields[] = {
    RV_STRAND_FIELDS("strands"), RV_LOOKDEV_FIELDS("strands"),
    RV_LIQUID_FIELDS_C("liquid", "", "move",
                       "Pressure of the particle as its multiplier over the square of "
                       "the substep, 1/s2; growth of gravity while hair holds it; seven "
                       "zeros."),
    RV_LOOKDEV_PORE_FIELDS("pores")};

static const RvPresetDef presets[] = {RV_FIBRE_PRESETS,
                                      {"preview", "Preview", "Coarse steps for the mouse.", "substeps=3 niter=1"},
                                      {"final", "Final", "Fine steps for fast motion.", "substeps=10 niter=2"}};

static const RvPortDef inputs[] = {
    {"strands", "Strands", "Animated curves, root first: the groom at the start frame, roots, pins and goals after.",
     true},
    {"liquid", "Liquid", "Particles at the start frame.", false},
    {"colliders", "Colliders", "Solids that strands and liquid meet.", false},
    {"sources", "Sources", "Shapes that liquid comes out of or vanishes in.", false},
    {"wind", "Wind", "A VDB vel, the velocity of the air.", false}};
static const unsigned takes[] = {RV_PORT_CURVES, RV_PORT_POINTS | RV_PORT_VDBS, RV_PORT_FACES | RV_PORT_VDBS,
                                 RV_PORT_FACES | RV_PORT_VDBS, RV_PORT_VDBS};
static const RvPortDef outputs[] = {{"strands", "Strands", "The simulated strands.", false},
                                    {"liquid", "Liquid", "The particles.", false},
                                    {"state", "State", "Both, with all that a resumed run needs.", false}};

const RvNodeType rv_node_lookdevsolver = {
    .type = "lookdevsolver",
    .label = "Lookdev Solver",
    .category = "Solvers",
    .summary = "Simulates wet coily hair in real time, for lookdev.",
    .help =
        "Every curve is a Cosserat rod of points and quaternions, solved at once in each step, so that hair hangs the "
        "same whatever the substeps; coils of 4 to 6 points a turn are as stiff as finer ones. Ports, attributes and "
        "parameters are those of wetsolver: change the type of one node into the other.\n\n"
        "At the start frame the output is the groom itself, and with the rest shape in equilibrium nothing sags "
        "afterwards. Strands meet solids, with friction, and push apart where they are denser than in the groom; "
        "single strands pass through each other.\n\n"
        "Liquid is position-based: particles that push apart where they are denser than at rest, with cohesion and "
        "viscosity. Hair takes up the liquid around it, gets heavier and softer, clumps where it is wet and in air, "
        "drips from its tips and dries; no drop is lost.",
    .flags = RV_NODE_SOLVER | RV_NODE_DOP,
    .revision = 5,
    RV_NODE_INPUTS(inputs),
    .takes = takes,
    RV_NODE_OUTPUTS(outputs),
    .parms = &lookdev_table,
    RV_NODE_PRESETS(presets),
    .stages = rv_lookdev_node_stages,
    .fields = fields,
    .nfield = sizeof fields / sizeof *fields,
    .parts = rv_wet_parts,
    .npart = RV_STATE_PARTS,
    RV_SOLVER_MEMBERS(lookdev),
};
