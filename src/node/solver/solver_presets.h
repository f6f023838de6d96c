// Presets of the solvers. Fibres have the numbers of node/presets.def, and a test compares them. Water is that of spec
// 0. Soapy water, olive oil and honey at 20 C are typical values, rounded: they vary by more from bottle to bottle.
#ifndef RV_NODE_SOLVER_SOLVER_PRESETS_H
#define RV_NODE_SOLVER_SOLVER_PRESETS_H

#include "rivulet/node.h"

// Members of RvNodeType: an array of RvPresetDef and its length.
#define RV_NODE_PRESETS(rows) .presets = (rows), .npreset = sizeof(rows) / sizeof *(rows)

#define RV_FIBRE_PRESETS                                                                                           \
  {"human", "Human Hair", "Straight human hair, dry.",                                                             \
   "density=1320 youngs=3.9e9 shear=8.9e8 damping=1e6 hairradius=4e-5"},                                           \
      {"coily", "Coily Hair", "Thin hair with more inner friction, for coils.",                                    \
       "density=1320 youngs=3.9e9 shear=8.9e8 damping=2e6 hairradius=3.5e-5"},                                     \
      {"fur", "Fur", "The coat of a dog.", "density=1310 youngs=3.5e9 shear=8.9e8 damping=1e6 hairradius=3e-5"}, { \
    "wool", "Wool", "Merino: thin and soft.", "density=1310 youngs=2.6e9 shear=1.2e9 damping=1e6 hairradius=1e-5"  \
  }

// The liquid on strands; `also` is what the bulk needs besides.
#define RV_FILM_PRESET(token, label, help, density, tension, angle, viscosity, also)                         \
  {                                                                                                          \
    token, label, help,                                                                                      \
        "liquiddensity=" density " tension=" tension " contactangle=" angle " filmviscosity=" viscosity also \
  }
#define RV_LIQUID_PRESETS(water, soap, oil, honey)                                                                  \
  RV_FILM_PRESET("water", "Water", "Clean water.", "1000", "0.072", "60", "8.9e-4", water),                         \
      RV_FILM_PRESET("soap", "Soapy Water", "Water with shampoo: hair clumps less and holds less.", "1000", "0.03", \
                     "30", "1e-3", soap),                                                                           \
      RV_FILM_PRESET("oil", "Oil", "Olive oil: runs slowly and clings.", "915", "0.032", "20", "0.08", oil),        \
      RV_FILM_PRESET("honey", "Honey", "Creeps in thick films and long threads.", "1420", "0.055", "60", "10", honey)

#endif
