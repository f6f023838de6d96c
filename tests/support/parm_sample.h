// A parameter table with a row of every kind, for the tests of values and of the texts made from tables.
#ifndef RV_TEST_PARM_SAMPLE_H
#define RV_TEST_PARM_SAMPLE_H

#include "parm/table.h"

#define SAMPLE_PARMS(X)                                                                                  \
  X(BUTTON, reset, "Reset", "Starts anew.")                                                              \
  X(FOLDER, "Shape")                                                                                     \
  X(FLOAT, length, "Length", 0.25, HARD(0), SOFT(2), "m", "Length of a \"strand\".")                     \
  X(INT, count, "Count", 1000, HARD(1), HARD(5000), "", "Number of strands.", ADVANCED, WHEN(""))        \
  X(TOGGLE, closed, "Closed", true, "Closes the curves.", ADVANCED)                                      \
  X(MENU, style, "Style", 1, "straight=Straight|wavy=Wavy Hair|coiled=Coiled", "Shape of the strands.")  \
  X(FLOAT, pitch, "Pitch", 0.01, HARD(-1), SOFT(0.1), "m", "Rise of one turn.", WHEN("{ closed == 0 }"), \
    HIDE("{ style == straight }"))                                                                       \
  X(FOLDER, "Place & Look")                                                                              \
  X(VEC2, uv, "UV", 0.5, 0.5, SOFT(0), SOFT(1), "", "Place on the skin.", HIDE("{ hasinput(0) == 0 }"))  \
  X(VEC3, t, "Translate", 1, 2, 3, SOFT(-10), SOFT(10), "m", "Where it stands.")                         \
  X(VEC4, q, "Quaternion", 0, 0, 0, 1, HARD(-1), HARD(1), "deg", "How it is turned.", ADVANCED)          \
  X(INT3, res, "Resolution", 4, 5, 6, HARD(1), SOFT(100), "kg1m-3", "Cells.")                            \
  X(COLOR, tint, "Tint", 1, 0.5, 0.25, "Colour of it.")                                                  \
  X(STRING, name, "Name", "a$OS", "Its name.")                                                           \
  X(FILE, file, "File", "$OUT/x.$F4.bgeo.sc", "Where it goes.")                                          \
  X(RAMP, taper, "Taper", "0 1 linear, 0.5 0.75 smooth, 1 0 constant", "Radius from root to tip.")

RV_PARM_TABLE(SampleParms, sample_table, SAMPLE_PARMS)

#endif
