// The parameters of the wet solver, which are also what the strand, liquid and film solvers hand to the solver that all
// four share, and those of the film solver.
#ifndef RV_NODE_SOLVER_WET_PARMS_H
#define RV_NODE_SOLVER_WET_PARMS_H

#include "node/solver/liquid_parms.h"
#include "node/solver/strand_parms.h"

#define RV_WET_TIME_PARMS(X)                                                                                        \
  X(BUTTON, resimulate, "Reset Simulation", "Forgets all frames and starts again.")                                 \
  X(INT, startframe, "Start Frame", 1, SOFT(1), SOFT(240), "", "Frame of the groom; simulation begins after it.")   \
  X(FLOAT, timescale, "Time Scale", 1, HARD(0), SOFT(2), "", "Simulated seconds a second of the scene; 0 freezes.") \
  X(INT, substeps, "Substeps", 4, HARD(1), HARD(1000), "", "Fewest steps a frame of strands, film and liquid.")     \
  X(INT, maxsubsteps, "Max Substeps", 64, HARD(1), HARD(1000), "",                                                  \
    "Most steps a frame, when liquid or roots are fast or the strands do not converge.", ADVANCED)                  \
  X(FLOAT, rootcfl, "Root CFL", 1, HARD(0.01), SOFT(10), "", "Edge lengths that a root may move in a step.", ADVANCED)

// Animated strands have no contacts and no solve of their own.
#define RV_WET_ANIMATED "{ hairmode == animated }"
#define RV_WET_UNBALANCED "{ restmode == natural } { hairmode == animated }"

#define RV_WET_SOLVE_PARMS(X)                                                                             \
  X(INT, strandsubsteps, "Strand Substeps", 1, HARD(1), HARD(100), "",                                    \
    "Steps of strands and film in each step of the liquid. Where liquid joins strands, their steps are at "    \
    "most 4 ms: as many are taken.", ADVANCED)                                                            \
  X(FLOAT, cfl, "CFL", 2, HARD(0.01), HARD(3), "", "Cells that a particle may go in a step.", ADVANCED)   \
  X(INT, niter, "Newton Iterations", 32, HARD(1), HARD(100), "",                                          \
    "Most iterations of the strands a step. 1 is the linearised step, which is fast and soft.", ADVANCED, \
    HIDE(RV_WET_ANIMATED))                                                                                \
  X(FLOAT, tolerance, "Tolerance", 1e-3, HARD(1e-12), HARD(1), "",                                        \
    "Share of the first Newton step that ends a step of the strands.", ADVANCED, HIDE(RV_WET_ANIMATED))   \
  X(FLOAT, pressuretolerance, "Pressure Tolerance", 1e-5, HARD(1e-10), HARD(0.1), "",                     \
    "Relative residual that ends the pressure solve.", ADVANCED)                                          \
  X(MENU, integrator, "Integrator", 1, "euler=Implicit Euler|bdf2=BDF2",                                  \
    "Implicit Euler damps motion with long steps; BDF2 keeps swings and spins alive.", ADVANCED)

// Flow from strand to strand needs their contacts, which only simulated ones have.
#define RV_WET_ACROSS_PARMS(X)                                                                                        \
  X(TOGGLE, transverse, "Transverse Flow", false,                                                                     \
    "Film spreads across neighbouring strands. Strands must be simulated: animated ones have no contacts.", ADVANCED, \
    HIDE(RV_WET_ANIMATED))
#define RV_WET_NO_PARMS(X)

// `across`: the rows of flow from strand to strand, or RV_WET_NO_PARMS
#define RV_WET_FILM_PARMS(X, across)                                                                                 \
  X(FLOAT, liquiddensity, "Liquid Density", 1000, HARD(1), SOFT(2000), "kg1m-3", "Mass of a volume of the liquid.",  \
    ADVANCED)                                                                                                        \
  X(FLOAT, tension, "Tension", 0.072, HARD(0), SOFT(0.1), "kg1s-2",                                                  \
    "Surface tension on strands: what bridges pull with, and how much strands carry. Water 0.072.")                  \
  X(FLOAT, contactangle, "Contact Angle", 60, HARD(5), HARD(85), "deg",                                              \
    "Of the liquid on the strands. Their attribute contactangle, in degrees, takes its place.")                      \
  X(FLOAT, filmviscosity, "Film Viscosity", 8.9e-4, HARD(0), SOFT(0.1), "kg1m-1s-1",                                 \
    "Of the liquid on strands, and of its drag on strands under water. Water 0.00089.")                              \
  X(TOGGLE, viscousfilm, "Viscous Film", true,                                                                       \
    "The film's own viscosity slows it on the strand: thin films creep, thick ones run.", ADVANCED)                  \
  X(FLOAT, sliplength, "Slip Length", 0, HARD(0), SOFT(1e-3), "m", "How freely the film slips on the strand.",       \
    ADVANCED)                                                                                                        \
  X(FLOAT, filmfriction, "Film Friction", 1, HARD(0), SOFT(10), "s-1",                                               \
    "Slows the film along the strand, besides its viscosity. The strands' attribute filmfriction multiplies it.",    \
    ADVANCED)                                                                                                        \
  across(X) X(FLOAT, absorption, "Absorption", 0.2, HARD(0), SOFT(5), "s-1",                                         \
              "Rate at which film goes into a dry strand.")                                                          \
      X(FLOAT, saturation, "Saturation", 0.3, HARD(0), SOFT(1), "",                                                  \
        "Volume of liquid that a strand takes in at most, in volumes of its own.")                                   \
          X(FLOAT, drying, "Drying", 0, HARD(0), SOFT(1e-4), "m1s-1",                                                \
            "Speed at which surfaces evaporate: 1e-7 is a room, 1e-5 a hair dryer. The attribute drying "            \
            "multiplies it.")                                                                                        \
              X(FLOAT, solids, "Solids", 0, HARD(0), HARD(0.6), "",                                                  \
                "Share of the liquid's volume that stays when it dries: mud 0.14, paint 0.35. The film "             \
                "thickens as it dries until a crust holds; 0 dries away.",                                           \
                ADVANCED)                                                                                            \
                  X(FLOAT, addedsolids, "Added Solids", -1, HARD(-1), HARD(0.6), "",                                 \
                    "Solids of what strands take up and of wetadd; -1: as Solids. Key it to 0 for clear water that " \
                    "softens a crust.",                                                                              \
                    ADVANCED, WHEN("{ solids == 0 }"))                                                               \
                      X(FLOAT, wettime, "Wet Time", 0.15, HARD(0), SOFT(1), "s",                                     \
                        "Time in which the attribute wetness follows the film, so that looks do not pop.", ADVANCED)

#define RV_WET_COUPLE_PARMS(X)                                                                    \
  X(FLOAT, capture, "Capture", 1, HARD(0), SOFT(4), "",                                           \
    "How much liquid strands draw out of the bulk and catch of drops; 1: as in nature, 0: none. " \
    "The attribute capture multiplies it.")                                                       \
  X(FLOAT, capacity, "Capacity", 1, HARD(0), SOFT(4), "",                                         \
    "Scales what strands carry before they drip. The attribute capacity multiplies it.")          \
  X(FLOAT, drip, "Drip", 30, HARD(0), SOFT(100), "s-1",                                           \
    "Rate at which film above the capacity drips off. The attribute drip multiplies it.")

#define RV_WET_BRIDGE_PARMS(X)                                                                                       \
  X(FLOAT, cohesion, "Cohesion", 1, HARD(0), SOFT(4), "",                                                            \
    "Scales the pull of liquid between strands. The attribute cohesion multiplies it.", HIDE(RV_WET_ANIMATED))       \
  X(FLOAT, drag, "Drag", 1, HARD(0), SOFT(10), "",                                                                   \
    "Scales the drag between strands and liquid around them. The attribute drag multiplies it.")                     \
  X(MENU, draglaw, "Drag Law", 0, "literal=Literal|forchheimer=Forchheimer",                                         \
    "How the drag grows with speed: as the authors print it, or as flow through porous beds. Liquids that yield or " \
    "thin have a law of their own.",                                                                                 \
    ADVANCED, WHEN("{ yieldstress != 0 shearmodulus != 0 viscosity != 0 } { flowindex != 1 }"))

#define RV_WET_OUTPUT_PARMS(X)                                                                                      \
  X(FOLDER, "Output")                                                                                               \
  X(TOGGLE, guides, "Viewport Guides", false,                                                                       \
    "Color the strands by their wetness (Cd) and give their points the radius of strand and film (pscale), as any " \
    "viewport draws them.")                                                                                         \
  X(TOGGLE, keepstate, "Keep State", false, "Keep the solver's own attributes on strands and liquid.", ADVANCED)

#define RV_WET_PARMS(X)                                                                                   \
  X(FOLDER, "Simulation")                                                                                 \
  RV_WET_TIME_PARMS(X)                                                                                    \
  RV_WET_SOLVE_PARMS(X)                                                                                   \
  X(MENU, hairmode, "Hair Mode", 0, "simulate=Simulate|animated=Animated",                                \
    "Animated strands go where the input goes, and carry film and drip.")                                 \
  X(MENU, liquidmode, "Liquid Mode", 0, "coupled=Coupled|cached=Cached",                                  \
    "Cached liquid goes where the input goes, drives the strands and wets them, and does not feel them.") \
  X(FOLDER, "Strands")                                                                                    \
  RV_STRAND_MATERIAL_PARMS(X, RV_WET_ANIMATED, RV_WET_UNBALANCED)                                         \
  X(FOLDER, "Wetting")                                                                                    \
  RV_WET_BRIDGE_PARMS(X)                                                                                  \
  RV_WET_COUPLE_PARMS(X)                                                                                  \
  X(FOLDER, "Film")                                                                                       \
  RV_WET_FILM_PARMS(X, RV_WET_ACROSS_PARMS)                                                               \
  X(FOLDER, "Liquid")                                                                                     \
  RV_LIQUID_SIZE_PARMS(X)                                                                                 \
  RV_LIQUID_KIND_PARMS(X)                                                                                 \
  X(FOLDER, "Forces")                                                                                     \
  RV_STRAND_FORCE_PARMS(X, RV_WET_ANIMATED)                                                               \
  X(FOLDER, "Contact")                                                                                    \
  X(TOGGLE, strandcollisions, "Strand Collisions", true, "Strands touch each other, with friction.",      \
    HIDE(RV_WET_ANIMATED))                                                                                \
  RV_STRAND_CONTACT_PARMS(X, RV_WET_ANIMATED)                                                             \
  X(FOLDER, "Walls")                                                                                      \
  RV_LIQUID_WALL_PARMS(X)                                                                                 \
  X(FOLDER, "Drops on Solids")                                                                            \
  RV_LIQUID_DROP_PARMS(X)                                                                                 \
  X(FOLDER, "Limits")                                                                                     \
  RV_LIQUID_LIMIT_PARMS(X)                                                                                \
  RV_WET_OUTPUT_PARMS(X)
RV_PARM_STRUCT(RvWetParms, RV_WET_PARMS)
// The table of wetsolver.
extern const RvParmTable rv_wet_parm_table;

// The law of the film's flow where there is no bulk.
#define RV_FILM_FLOW_PARMS(X)                                                                                         \
  X(FLOAT, yieldstress, "Yield Stress", 0, HARD(0), SOFT(200), "kg1m-1s-2",                                           \
    "Stress below which the film rests on its strand, in simple shear: mud 1, ketchup 15. Thick films run off, thin " \
    "ones stay.",                                                                                                     \
    ADVANCED)                                                                                                         \
  X(FLOAT, flowindex, "Flow Index", 1, HARD(0.1), HARD(3), "",                                                        \
    "Exponent of the flow: stress = yield stress + film viscosity x rate^index. Below 1 the film thins when it is "   \
    "sheared, as paint and shampoo do; above 1 it thickens.",                                                         \
    ADVANCED)

// Strands that are animated, liquid that is cached or none: what is left of the above.
#define RV_FILM_PARMS(X)                                                                  \
  X(FOLDER, "Simulation")                                                                 \
  RV_WET_TIME_PARMS(X)                                                                    \
  X(FOLDER, "Strands")                                                                    \
  RV_STRAND_SIZE_PARMS(X)                                                                 \
  RV_STRAND_GUIDE_PARMS(X)                                                                \
  X(FOLDER, "Wetting")                                                                    \
  RV_WET_COUPLE_PARMS(X)                                                                  \
  X(FOLDER, "Film")                                                                       \
  RV_WET_FILM_PARMS(X, RV_WET_NO_PARMS)                                                   \
  RV_FILM_FLOW_PARMS(X)                                                                   \
  X(FOLDER, "Liquid")                                                                     \
  RV_LIQUID_SIZE_PARMS(X)                                                                 \
  X(FOLDER, "Forces")                                                                     \
  X(VEC3, gravity, "Gravity", 0, -9.81, 0, SOFT(-20), SOFT(20), "m1s-2", "Acceleration.") \
  X(FOLDER, "Limits")                                                                     \
  RV_LIQUID_LIMIT_PARMS(X)                                                                \
  RV_WET_OUTPUT_PARMS(X)

#endif
