// Interface solver: drops, jets and films by forces between pairs of particles (design section 3). Its method is
// rv_interface_substep in interface/solver.c.
#include "node/define.h"
#include "node/solver/interface_frame.h"

RV_PARM_ROWS(RvInterfaceParms, interface_table, RV_INTERFACE_PARMS)

static const RvSolverType solver = {.data_bytes = sizeof(RvInterfaceFrame),
                                    .collider_input = 1,
                                    .longest = rv_interface_frame_longest,
                                    .substep = rv_interface_frame_substep,
                                    .media = &rv_interface_media};
RV_SOLVER_CALLS(interface, solver)

static const RvPresetDef presets[] = {
    {"water", "Water", "Clean water.", "density=1000 viscosity=0.001 surfacetension=0.072"},
    {"soap", "Soapy Water", "Water with shampoo.", "density=1000 viscosity=0.001 surfacetension=0.03"},
    {"oil", "Oil", "Olive oil.", "density=915 viscosity=0.08 surfacetension=0.032"}};

static const RvPortDef inputs[] = {
    {"liquid", "Liquid", "Particles at the start frame: P v pscale id volume material life phase bubbleid film bodyid.", false},
    {"colliders", "Colliders", "Solids that the liquid meets.", false},
    {"sources", "Sources", "Shapes that liquid comes out of or vanishes in.", false}};
static const unsigned takes[] = {RV_PORT_POINTS, RV_PORT_FACES | RV_PORT_VDBS, RV_PORT_FACES | RV_PORT_VDBS};
static const RvPortDef outputs[] = {{"liquid", "Liquid", "The particles, with P v pscale id age volume, film of bubbles and layer.", false},
                                    {"strands", "Strands", "Nothing: this solver has no hair.", false},
                                    {"state", "State", "The liquid with all that a resumed run needs.", false}};

const RvNodeType rv_node_interfacesolver = {
    .type = "interfacesolver",
    .label = "Interface Solver",
    .category = "Solvers",
    .summary = "Simulates drops and their interfaces by forces between particles.",
    .help =
        "Particles attract each other at a distance and repel each other nearby; so liquid has a surface tension, "
        "which Surface Tension sets in newtons a metre. The density is kept constant to Density Tolerance in every "
        "step. Ports and attributes are those of liquidsolver: change the type of one node into the other.\n\n"
        "It is meant for small looks, where tension shapes the liquid: drops, threads, taps, jets. Steps are as short "
        "as waves of the surface need, 0.32 sqrt(density separation^3 / tension), so small drops take many steps; "
        "large bodies of liquid are the work of liquidsolver.\n\n"
        "Particles with the integer attribute phase 1 are a second liquid, with its own density, viscosity and "
        "tension; Interface Tension is that between the two.\n\n"
        "Particles with the integer attribute bodyid above 0 are the free body of that number: rigid, moved by the liquid "
        "and its weight, and felt by it. Its volume is in the ledger with that of the liquid.\n\n"
        "Particles with the integer attribute bubbleid above 0 are the gas of the bubble of that number. Its outermost "
        "layer is part film; the attribute film tells the share, and the volume of film of a bubble stays as it is. "
        "Bubbles that meet share a wall. They pop by number, age or thin film: then their particles leave the "
        "liquid.\n\n"
        "The volume of every particle is kept exactly. Other attributes and groups of the particles pass through. In "
        "the output points stand in the order of their ids.",
    .flags = RV_NODE_SOLVER | RV_NODE_DOP,
    .revision = 5,
    RV_NODE_INPUTS(inputs),
    .takes = takes,
    RV_NODE_OUTPUTS(outputs),
    .empty_output = 2,
    .parms = &interface_table,
    RV_NODE_PRESETS(presets),
    .stages = rv_interface_node_stages,
    .fields = rv_liquid_fields,
    .nfield = RV_LIQUID_FIELD_COUNT,
    RV_SOLVER_MEMBERS(interface),
};
