// Liquid solver: the liquid stage alone (design section 3), the wet solver without strands. Its method is
// rv_wet_substep in wet/solver.c.
#include "node/define.h"
#include "node/solver/solver_presets.h"
#include "node/solver/wet_frame.h"

RV_PARM_ROWS(RvLiquidParms, liquid_table, RV_LIQUID_PARMS)

// The wet solver tells the tolerances and densities of strands and liquid apart.
static void translate(const void* parms, RvWetParms* out) {
  const RvLiquidParms* in = parms;
  out->pressuretolerance = in->tolerance;
  out->liquiddensity = in->density;
}

// Liquid alone: no strands, no wind.
static const RvWetNode node = {
    .translate = translate,
    .liquid = true,
    .strand_input = -1,
    .liquid_input = 0,
    .source_input = 2,
    .wind_input = -1,
};

static const RvSolverType solver = RV_WET_SOLVER(node, 1);
RV_SOLVER_CALLS(liquid, solver)

static const RvPresetDef presets[] = {
    {"water", "Water", "Clean water, with the tension of its surface.",
     "density=1000 viscosity=0 surfacetension=0.072"},
    {"soap", "Soapy Water", "Water with shampoo.", "density=1000 viscosity=0 surfacetension=0.03"},
    {"oil", "Oil", "Olive oil.", "density=915 viscosity=0.08 surfacetension=0.032"},
    {"honey", "Honey", "Folds and coils as it falls.", "density=1420 viscosity=10 surfacetension=0.055 stick=on"},
    {"preview", "Preview", "Coarse solves for blocking a shot; the surface has no tension.",
     "substeps=1 tolerance=1e-3 surfacetension=0"},
    {"final", "Final", "Fine solves for the shot.", "substeps=4 tolerance=1e-7"}};

static const RvPortDef inputs[] = {
    {"liquid", "Liquid", "Particles at the start frame: P v pscale id volume material life.", false},
    {"colliders", "Colliders", "Solids that the liquid meets.", false},
    {"sources", "Sources", "Shapes that liquid comes out of or vanishes in.", false}};
static const unsigned takes[] = {RV_PORT_POINTS, RV_PORT_FACES | RV_PORT_VDBS, RV_PORT_FACES | RV_PORT_VDBS};
static const RvPortDef outputs[] = {{"liquid", "Liquid", "The particles, with P v pscale id age volume.", false},
                                    {"strands", "Strands", "Nothing: this solver has no hair.", false},
                                    {"state", "State", "The liquid with all that a resumed run needs.", false}};

const RvNodeType rv_node_liquidsolver = {
    .type = "liquidsolver",
    .label = "Liquid Solver",
    .category = "Solvers",
    .summary = "Simulates liquid as particles on a sparse grid.",
    .help =
        "Particles carry velocity and its slopes (APIC); a grid of cells of gridscale times particlesep, which exists "
        "only "
        "where there is liquid, makes them incompressible. There is no box around the scene: liquid goes as far as it "
        "goes, unless walls are asked for.\n\n"
        "The volume of every particle is kept exactly. Particles that became too small are merged, those too large or "
        "too "
        "few are split; a merged one keeps id, age and attributes of the larger, the halves of a split one both have "
        "the "
        "attributes of their parent, and one of them a new id. Where cells come to hold too much or too little liquid, "
        "the "
        "flow brings them back within volumetime.\n\n"
        "Solids are what the node collider makes, and also bare meshes, closed or with holes, and the VDB pair surface "
        "and vel. They may move and change their shape. What is thinner than 1.4 cells is made that thick, and a mesh "
        "with "
        "holes is a shell, so that no liquid passes; the primitive attribute friction is the coefficient of Coulomb's "
        "law "
        "for particles that hit the solid, and from 1 on they stick. Liquid that solids leave no room waits between "
        "them "
        "and comes out when they part; a warning tells of it.\n\n"
        "Sources are what the node source makes: they give volume by rate, exact to one particle, keep a region full, "
        "or "
        "drain it. New particles have the attributes source and material of their source, and of all others the "
        "defaults. "
        "What goes out through an open side of the tank is gone, unless gravity brings it back, and counts as outflow "
        "as "
        "what drains does; what leaves the kill box counts as killed.\n\n"
        "Other attributes and groups of the particles pass through. In the output points stand in the order of their "
        "ids.",
    .flags = RV_NODE_SOLVER | RV_NODE_DOP,
    .revision = 8,
    RV_NODE_INPUTS(inputs),
    .takes = takes,
    RV_NODE_OUTPUTS(outputs),
    .empty_output = 2,
    .parms = &liquid_table,
    RV_NODE_PRESETS(presets),
    .stages = rv_liquid_node_stages,
    .fields = rv_liquid_fields,
    .nfield = RV_LIQUID_FIELD_COUNT,
    RV_SOLVER_MEMBERS(liquid),
};
