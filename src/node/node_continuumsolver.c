// Continuum solver: hair as chains of rigid links in a medium (design section 3). Its method is rv_continuum_substep in
// continuum/solver.c.
#include "node/define.h"
#include "node/solver/continuum_frame.h"
#include "node/solver/solver_presets.h"

RV_PARM_ROWS(RvContinuumParms, continuum_table, RV_CONTINUUM_PARMS)

static const RvSolverType solver = {.data_bytes = sizeof(RvContinuumFrame),
                                    .collider_input = 1,
                                    .advance = rv_continuum_advance,
                                    .media = &rv_continuum_media};
RV_SOLVER_CALLS(continuum, solver)

static const RvFieldDef fields[] = {RV_STRAND_FIELDS("strands"), RV_CHAIN_FIELDS("strands")};

static const RvPresetDef presets[] = {
    RV_FIBRE_PRESETS,
    {"preview", "Preview", "Coarse steps for blocking a shot.", "substeps=2 niter=0"},
    {"final", "Final", "Fine steps for the shot.", "substeps=8 niter=2 tolerance=1e-3"}};

static const RvPortDef inputs[] = {
    {"strands", "Strands", "Animated curves, root first: the groom at the start frame, roots, pins and goals after.",
     true},
    {"colliders", "Colliders", "Solids that the strands meet.", false},
    {"wind", "Wind", "A VDB vel, the velocity of the air.", false}};
static const unsigned takes[] = {RV_PORT_CURVES, RV_PORT_FACES | RV_PORT_VDBS, RV_PORT_VDBS};
static const RvPortDef outputs[] = {{"strands", "Strands", "The simulated strands.", false},
                                    {"liquid", "Liquid", "Nothing: this solver is dry.", false},
                                    {"state", "State", "The strands with all that a resumed run needs.", false}};

const RvNodeType rv_node_continuumsolver = {
    .type = "continuumsolver",
    .label = "Continuum Solver",
    .category = "Solvers",
    .summary = "Simulates hair with body: strands in a medium that keeps its volume.",
    .help =
        "Every curve is a chain of rigid links that never stretches; joints bend and twist with the stiffness of hair. "
        "All strands together are a medium that resists being compressed, so that thousands of strands part, settle "
        "and keep their body at a cost that does not depend on their contacts. Ports, attributes and parameters are "
        "those of strandsolver: change the type of one node into the other.\n\n"
        "At the start frame the output is the groom itself, and with the rest shape in equilibrium and a rest density "
        "of 0 nothing moves afterwards.\n\n"
        "Attributes of the input guide the strands as in strandsolver: pintoanimation, targetweight, force and wind. "
        "waterload, or else filmheight, of another solver makes hair heavier and softer and lets its volume "
        "collapse.\n\n"
        "hairdensity of the output is the mass of hair in a volume, in kilograms a cubic metre, and airspeed the speed "
        "of the air at the point, in metres a second.",
    .flags = RV_NODE_SOLVER | RV_NODE_DOP,
    .revision = 3,
    RV_NODE_INPUTS(inputs),
    .takes = takes,
    RV_NODE_OUTPUTS(outputs),
    .empty_output = 2,
    .parms = &continuum_table,
    RV_NODE_PRESETS(presets),
    .stages = rv_continuum_node_stages,
    .fields = fields,
    .nfield = sizeof fields / sizeof *fields,
    RV_SOLVER_MEMBERS(continuum),
};
