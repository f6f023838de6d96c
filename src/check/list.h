// Declares the function of every row of checks.def.
#ifndef RV_CHECK_LIST_H
#define RV_CHECK_LIST_H

#include "check/check.h"

#define RV_CHECK(name, spec, formula) RvResult rv_check_##name(const RvCheckOut* out, RvError* error);
#include "check/checks.def"
#undef RV_CHECK

#endif
