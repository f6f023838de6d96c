// The physics checks of `rivulet check`: each measures one thing that has a known answer.
#ifndef RV_CHECK_CHECK_H
#define RV_CHECK_CHECK_H

#include "rivulet/base.h"

typedef struct RvCheckLine {
  const char* name;                      // of the measured quantity; NULL: the check's name
  double measured, expected, tolerance;  // it passes if |measured - expected| <= tolerance
} RvCheckLine;

// Receives the lines of a check as they are measured.
typedef struct RvCheckOut {
  void* user;
  void (*line)(void* user, const RvCheckLine* line);
} RvCheckOut;

typedef struct RvCheck {
  const char* name;
  const char* spec;     // capability numbers that it proves, "WH-1 WH-2"; "" for what all capabilities rest on
  const char* formula;  // what is measured, against which law, and why the tolerance is what it is
  RvResult (*run)(const RvCheckOut* out, RvError* error);
} RvCheck;

// The table, in checks.def order.
extern const RvCheck rv_checks[];
extern const size_t rv_check_count;

// Reports one measured value.
void rv_check_emit(const RvCheckOut* out, const char* name, double measured, double expected, double tolerance);

#endif
