// The parameters of the strand solver, in the sections that other solvers share.
#ifndef RV_NODE_SOLVER_STRAND_PARMS_H
#define RV_NODE_SOLVER_STRAND_PARMS_H

#include "parm/table.h"

#define RV_STRAND_SIMULATION_PARMS(X)                                                                                  \
  X(BUTTON, resimulate, "Reset Simulation", "Forgets all frames and starts again.")                                    \
  X(INT, startframe, "Start Frame", 1, SOFT(1), SOFT(240), "", "Frame of the groom; simulation begins after it.")      \
  X(FLOAT, timescale, "Time Scale", 1, HARD(0), SOFT(2), "",                                                           \
    "Simulated seconds a second of the scene. 0 freezes the strands, also where the input moves.")                     \
  X(INT, substeps, "Substeps", 4, HARD(1), HARD(1000), "", "Fewest steps a frame.")                                    \
  X(INT, maxsubsteps, "Max Substeps", 64, HARD(1), HARD(1000), "",                                                     \
    "Most steps a frame, when roots move fast or the solver does not converge.", ADVANCED)                             \
  X(FLOAT, cfl, "CFL", 1, HARD(0.01), SOFT(10), "", "Edge lengths that a root may move in a step.", ADVANCED)          \
  X(INT, niter, "Newton Iterations", 12, HARD(1), HARD(100), "",                                                       \
    "Most iterations a step. 1 is the linearised step, which is fast and soft.", ADVANCED)                             \
  X(FLOAT, tolerance, "Tolerance", 1e-4, HARD(1e-12), HARD(1), "", "Share of the first Newton step that ends a step.", \
    ADVANCED)                                                                                                          \
  X(MENU, integrator, "Integrator", 1, "euler=Implicit Euler|bdf2=BDF2",                                               \
    "Implicit Euler damps motion with long steps; BDF2 keeps swings and spins alive.", ADVANCED)

// what is left where strands only go with their animation: the sizes
#define RV_STRAND_SIZE_PARMS(X)                                                                                   \
  X(FLOAT, hairradius, "Hair Radius", 4e-5, HARD(1e-7), SOFT(2e-4), "m", "Where strands have no hairradius.")     \
  X(TOGGLE, usewidth, "Use Width", false, "Take half of width as the radius of strands that have no hairradius.", \
    ADVANCED)                                                                                                     \
  X(FLOAT, density, "Density", 1320, HARD(1), SOFT(2000), "kg1m-3", "Where strands have no density.", ADVANCED)

// `animated`: the condition under which strands go with their animation, and nothing else moves them; "" never
#define RV_STRAND_ELASTIC_PARMS(X, animated)                                                                         \
  X(FLOAT, youngs, "Young's Modulus", 3.9e9, HARD(1), SOFT(6e9), "kg1m-1s-2", "Where strands have no youngs.",       \
    HIDE(animated))                                                                                                  \
  X(FLOAT, shear, "Shear Modulus", 8.9e8, HARD(1), SOFT(3e9), "kg1m-1s-2", "Where strands have no shear.", ADVANCED, \
    HIDE(animated))                                                                                                  \
  X(FLOAT, damping, "Damping", 1e6, HARD(0), SOFT(1e7), "kg1m-1s-1", "Viscosity of the fibre, without damping.",     \
    HIDE(animated))                                                                                                  \
  X(FLOAT, stiffness, "Stiffness", 1, HARD(1e-6), SOFT(10), "", "Scales all stiffness and damping of the fibre.",    \
    HIDE(animated))

#define RV_STRAND_GUIDE_PARMS(X)                                           \
  X(FLOAT, hairsperguide, "Hairs per Guide", 1, HARD(1e-6), SOFT(100), "", \
    "Hairs that a strand stands for, where it has no hairsperguide.")

// `unbalanced`: the condition under which no equilibrium is solved
#define RV_STRAND_REST_BEND_PARMS(X, animated, unbalanced)                                                         \
  X(MENU, restmode, "Rest Shape", 0, "equilibrium=Start Pose in Equilibrium|natural=Natural Shape",                \
    "Equilibrium solves a rest shape that holds the start pose against gravity; natural takes rest, or the start " \
    "pose, as the shape without weight, and sags.",                                                                \
    HIDE(animated))                                                                                                \
  X(FLOAT, restangle, "Rest Angle Cap", 60, HARD(0), HARD(170), "deg",                                             \
    "Most that equilibrium may bend the rest shape at a point. Strands that need more sag; they are counted.",     \
    HIDE(unbalanced), ADVANCED)

#define RV_STRAND_REST_STIFFEN_PARMS(X, unbalanced)                                                                    \
  X(FLOAT, reststiffen, "Rest Stiffening", 4, HARD(1), SOFT(16), "",                                                   \
    "Most that a strand may be made stiffer where its material could not hold the pose, or would not come back to it " \
    "after a push. 1 keeps the material.",                                                                             \
    HIDE(unbalanced), ADVANCED)

#define RV_STRAND_REST_PARMS(X, animated, unbalanced)                                                               \
  RV_STRAND_REST_BEND_PARMS(X, animated, unbalanced)                                                                \
  X(FLOAT, reststretch, "Rest Stretch Cap", 0.01, HARD(0), HARD(0.5), "", "Most that it may change a rest length.", \
    HIDE(unbalanced), ADVANCED)                                                                                     \
  RV_STRAND_REST_STIFFEN_PARMS(X, unbalanced)

#define RV_STRAND_MATERIAL_PARMS(X, animated, unbalanced) \
  RV_STRAND_SIZE_PARMS(X)                                 \
  RV_STRAND_ELASTIC_PARMS(X, animated)                    \
  RV_STRAND_GUIDE_PARMS(X)                                \
  RV_STRAND_REST_PARMS(X, animated, unbalanced)

#define RV_STRAND_FORCE_PARMS(X, animated)                                                                        \
  X(VEC3, gravity, "Gravity", 0, -9.81, 0, SOFT(-20), SOFT(20), "m1s-2", "Acceleration.")                         \
  X(VEC3, wind, "Wind", 0, 0, 0, SOFT(-20), SOFT(20), "m1s-1", "Velocity of the air.", HIDE(animated))            \
  X(FLOAT, dragnormal, "Drag Normal", 3e-5, HARD(0), SOFT(1e-3), "kg1m-1s-1",                                     \
    "Drag across a hair, a length and a speed. A single hair in still air has some 2e-4, one among others less.", \
    ADVANCED, HIDE(animated))                                                                                     \
  X(FLOAT, dragtangent, "Drag Tangent", 1.5e-5, HARD(0), SOFT(1e-3), "kg1m-1s-1", "Drag along a hair.", ADVANCED, \
    HIDE(animated))                                                                                               \
  X(FLOAT, inertiascale, "Inertia Scale", 1, HARD(0), HARD(1), "",                                                \
    "How much of the roots' common motion the strands feel: 0 moves them along, 1 is real.")                      \
  X(FLOAT, targettime, "Target Time", 0.2, HARD(1e-3), SOFT(2), "s",                                              \
    "Period of the critically damped springs that pull points of targetweight 1 to the animation.", ADVANCED,     \
    HIDE(animated))

// strandcollisions is of each solver
#define RV_STRAND_SOLID_PARMS(X, animated)                                                                \
  X(FLOAT, thickness, "Thickness", 0, HARD(0), SOFT(0.01), "m", "Added to the surface of the colliders.", \
    HIDE(animated))                                                                                       \
  X(FLOAT, rootfree, "Root Free", 0.01, HARD(0), SOFT(0.1), "m",                                          \
    "Length at the root that colliders do not touch, since roots begin inside the skin.", ADVANCED, HIDE(animated))

#define RV_STRAND_CONTACT_PARMS(X, animated)                                                                  \
  X(FLOAT, friction, "Friction", 0.3, HARD(0), SOFT(1), "", "Of strand on strand; colliders have their own.", \
    WHEN("{ strandcollisions == 0 }"), HIDE(animated))                                                        \
  RV_STRAND_SOLID_PARMS(X, animated)                                                                          \
  X(INT, collisionsiter, "Coupled Iterations", 100, HARD(1), HARD(10000), "",                                 \
    "Most iterations of the solve that joins strands in contact, a Newton iteration.", ADVANCED, HIDE(animated))

#define RV_STRAND_PARMS(X)                                                                            \
  X(FOLDER, "Simulation")                                                                             \
  RV_STRAND_SIMULATION_PARMS(X)                                                                       \
  X(FOLDER, "Strands")                                                                                \
  RV_STRAND_MATERIAL_PARMS(X, "", "{ restmode == natural }")                                          \
  X(FOLDER, "Forces")                                                                                 \
  RV_STRAND_FORCE_PARMS(X, "")                                                                        \
  X(FOLDER, "Contact")                                                                                \
  X(TOGGLE, strandcollisions, "Strand Collisions", false, "Strands touch each other, with friction.") \
  RV_STRAND_CONTACT_PARMS(X, "")                                                                      \
  X(FOLDER, "Output")                                                                                 \
  X(TOGGLE, keepstate, "Keep State", false, "Keep the solver's own attributes on the strands.", ADVANCED)
RV_PARM_STRUCT(RvStrandParms, RV_STRAND_PARMS)

#endif
