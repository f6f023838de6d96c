// The functions of the table of checks.
#ifndef RV_CLI_CHECK_LIST_H
#define RV_CLI_CHECK_LIST_H

#include "cli/check.h"

#define RV_CHECK(name, spec, formula) RvResult rv_check_##name(const RvCheckOut* out, RvError* error);
#include "cli/checks.def"
#undef RV_CHECK

#endif
