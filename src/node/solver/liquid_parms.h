// The parameters of the liquid solver, in the sections that other solvers share.
#ifndef RV_NODE_SOLVER_LIQUID_PARMS_H
#define RV_NODE_SOLVER_LIQUID_PARMS_H

#include "parm/table.h"

#define RV_LIQUID_SIMULATION_PARMS(X)                                                                               \
  X(BUTTON, resimulate, "Reset Simulation", "Forgets all frames and starts again.")                                 \
  X(INT, startframe, "Start Frame", 1, SOFT(1), SOFT(240), "", "Frame of the input; simulation begins after it.")   \
  X(FLOAT, timescale, "Time Scale", 1, HARD(0), SOFT(2), "", "Simulated seconds a second of the scene; 0 freezes.") \
  X(INT, substeps, "Min Substeps", 1, HARD(1), HARD(1000), "", "Fewest steps a frame.")                             \
  X(INT, maxsubsteps, "Max Substeps", 64, HARD(1), HARD(1000), "", "Most steps a frame, when the liquid is fast.",  \
    ADVANCED)                                                                                                       \
  X(FLOAT, cfl, "CFL", 2, HARD(0.01), HARD(3), "", "Cells that a particle may go in a step.", ADVANCED)             \
  X(FLOAT, tolerance, "Tolerance", 1e-6, HARD(1e-10), HARD(0.1), "",                                                \
    "Relative residual that ends the pressure solve.", ADVANCED)

#define RV_LIQUID_SIZE_PARMS(X)                                                                     \
  X(FLOAT, maxmemory, "Max Memory", 16, HARD(0.01), SOFT(64), "",                                   \
    "Gigabytes that the grid may take; more is refused before it is taken.", ADVANCED)              \
  X(FLOAT, particlesep, "Particle Separation", 0, HARD(0), SOFT(0.1), "m",                          \
    "Spacing of the particles. 0 takes the cube root of the mean volume of the input's particles.") \
  X(FLOAT, gridscale, "Grid Scale", 2, HARD(1), HARD(4), "", "Side of a cell in particle separations.", ADVANCED)

// density is of each solver
#define RV_LIQUID_KIND_PARMS(X)                                                                                        \
  X(FLOAT, viscosity, "Viscosity", 0, HARD(0), SOFT(10), "kg1m-1s-1",                                                  \
    "Of the whole liquid: water 0.001, honey some 10. Below about 0.01 the grid's own is larger.")                     \
  X(FLOAT, yieldstress, "Yield Stress", 0, HARD(0), SOFT(200), "kg1m-1s-2",                                            \
    "Stress below which the liquid stands, in simple shear: ketchup 15, toothpaste 200. It needs a shear modulus.",    \
    ADVANCED)                                                                                                          \
  X(FLOAT, flowindex, "Flow Index", 1, HARD(0.1), HARD(3), "",                                                         \
    "Exponent of the flow: stress = yield stress + viscosity x rate^index. Below 1 the liquid thins when it is "       \
    "sheared, as paint and shampoo do; above 1 it thickens.",                                                          \
    ADVANCED)                                                                                                          \
  X(FLOAT, shearmodulus, "Shear Modulus", 0, HARD(0), SOFT(2000), "kg1m-1s-2",                                         \
    "Elasticity of a liquid that yields: it wobbles like jelly below its yield stress. 0: none. 100 to 2000 are "      \
    "usual; higher takes more steps.",                                                                                 \
    ADVANCED)                                                                                                          \
  X(TOGGLE, stick, "Stick", true, "A viscous liquid does not slip on solids.", WHEN("{ viscosity == 0 }"), ADVANCED)   \
  X(MENU, shearsolve, "Shear Solve", 0, "together=With Pressure|split=Split",                                          \
    "With Pressure balances the shear of a viscous liquid and its pressure in every substep: what stands does not "    \
    "creep. Split solves one after the other; it takes a fraction of the time and will do for oil.",                   \
    WHEN("{ viscosity == 0 }"), ADVANCED)                                                                              \
  X(FLOAT, surfacetension, "Surface Tension", 0, HARD(0), SOFT(0.1), "kg1s-2",                                         \
    "At the surface of the bulk: water 0.072. Steps are then no longer than its shortest waves allow.")                \
  X(FLOAT, volumetime, "Volume Time", 0.1, HARD(0), SOFT(1), "s",                                                      \
    "Time in which cells that came to hold too much or too little liquid are brought back. 0 lets them be.", ADVANCED) \
  X(TOGGLE, reseeding, "Reseeding", true,                                                                              \
    "Merge particles that are too small, split those that are too large or too few. Volume and momentum are kept.",    \
    ADVANCED)

#define RV_LIQUID_DROP_PARMS(X)                                                                                       \
  X(FLOAT, droptension, "Drop Tension", 0, HARD(0), SOFT(0.1), "kg1s-2",                                              \
    "Drops on colliders and walls, smaller than the cells: small ones stick, larger ones run down and leave beads. "  \
    "Water 0.072. 0: liquid slides on solids by friction alone.")                                                     \
  X(FLOAT, dropadvancing, "Advancing Angle", 85, HARD(1), HARD(179), "deg",                                           \
    "Contact angle at the front of a drop that runs. Skin about 85. The farther it is above the receding angle, the " \
    "larger are the drops that stick.",                                                                               \
    WHEN("{ droptension == 0 }"), ADVANCED)                                                                           \
  X(FLOAT, dropreceding, "Receding Angle", 30, HARD(1), HARD(179), "deg",                                             \
    "Contact angle at the rear of a drop that runs. Skin about 30, wax 90. The smaller it is, the earlier a drop "    \
    "leaves a trail.",                                                                                                \
    WHEN("{ droptension == 0 }"), ADVANCED)                                                                           \
  X(FLOAT, dropviscosity, "Drop Viscosity", 8.9e-4, HARD(0), SOFT(0.1), "kg1m-1s-1",                                  \
    "Slows drops that run. Water 0.00089.", WHEN("{ droptension == 0 }"), ADVANCED)                                   \
  X(FLOAT, droptrail, "Drop Trail", 1, HARD(0), SOFT(4), "",                                                          \
    "Scales the beads that fast drops leave behind; 1: as in nature, 0: none.",                                       \
    WHEN("{ droptension == 0 } { dropviscosity == 0 }"), ADVANCED)

#define RV_LIQUID_WALL_PARMS(X)                                                                                        \
  X(TOGGLE, walls, "Walls", false, "A tank around the liquid. Without it the liquid goes where it likes.")             \
  X(VEC3, wallsmin, "Walls Min", -1, -1, -1, SOFT(-2), SOFT(2), "m", "Lower corner of the tank.",                      \
    WHEN("{ walls == 0 }"))                                                                                            \
  X(VEC3, wallsmax, "Walls Max", 1, 1, 1, SOFT(-2), SOFT(2), "m", "Upper corner of the tank.", WHEN("{ walls == 0 }")) \
  X(TOGGLE, wallnx, "Wall -X", true, "Closed on that side.", WHEN("{ walls == 0 }"), ADVANCED)                         \
  X(TOGGLE, wallpx, "Wall +X", true, "Closed on that side.", WHEN("{ walls == 0 }"), ADVANCED)                         \
  X(TOGGLE, wallny, "Wall -Y", true, "Closed on that side.", WHEN("{ walls == 0 }"), ADVANCED)                         \
  X(TOGGLE, wallpy, "Wall +Y", false, "Closed on that side.", WHEN("{ walls == 0 }"), ADVANCED)                        \
  X(TOGGLE, wallnz, "Wall -Z", true, "Closed on that side.", WHEN("{ walls == 0 }"), ADVANCED)                         \
  X(TOGGLE, wallpz, "Wall +Z", true, "Closed on that side.", WHEN("{ walls == 0 }"), ADVANCED)

#define RV_LIQUID_LIMIT_PARMS(X)                                                                        \
  X(TOGGLE, killbox, "Kill Box", false, "Take away liquid that leaves a box; it is counted as killed.") \
  X(VEC3, killmin, "Kill Min", -10, -10, -10, SOFT(-10), SOFT(10), "m", "Lower corner of the box.",     \
    WHEN("{ killbox == 0 }"))                                                                           \
  X(VEC3, killmax, "Kill Max", 10, 10, 10, SOFT(-10), SOFT(10), "m", "Upper corner of the box.",        \
    WHEN("{ killbox == 0 }"))

#define RV_LIQUID_PARMS(X)                                                                                 \
  X(FOLDER, "Simulation")                                                                                  \
  RV_LIQUID_SIMULATION_PARMS(X)                                                                            \
  X(FOLDER, "Liquid")                                                                                      \
  RV_LIQUID_SIZE_PARMS(X)                                                                                  \
  X(FLOAT, density, "Density", 1000, HARD(0.001), SOFT(2000), "kg1m-3", "Mass of a volume of the liquid.") \
  RV_LIQUID_KIND_PARMS(X)                                                                                  \
  X(FOLDER, "Forces")                                                                                      \
  X(VEC3, gravity, "Gravity", 0, -9.81, 0, SOFT(-20), SOFT(20), "m1s-2", "Acceleration.")                  \
  X(FOLDER, "Walls")                                                                                       \
  RV_LIQUID_WALL_PARMS(X)                                                                                  \
  X(FOLDER, "Drops on Solids")                                                                             \
  RV_LIQUID_DROP_PARMS(X)                                                                                  \
  X(FOLDER, "Limits")                                                                                      \
  RV_LIQUID_LIMIT_PARMS(X)                                                                                 \
  X(FOLDER, "Output")                                                                                      \
  X(TOGGLE, keepstate, "Keep State", false, "Keep the solver's own attributes on the liquid.", ADVANCED)
RV_PARM_STRUCT(RvLiquidParms, RV_LIQUID_PARMS)

#endif
