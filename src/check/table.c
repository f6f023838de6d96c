// The table of checks, made from checks.def.
#include "check/list.h"

const RvCheck rv_checks[] = {
#define RV_CHECK(name, spec, formula) {#name, spec, formula, rv_check_##name},
#include "check/checks.def"
#undef RV_CHECK
};

// A name that occurs twice in checks.def does not compile.
enum {
#define RV_CHECK(name, spec, formula) ONLY_ONE_##name,
#include "check/checks.def"
#undef RV_CHECK
};
const size_t rv_check_count = sizeof rv_checks / sizeof *rv_checks;

void rv_check_emit(const RvCheckOut* out, const char* name, double measured, double expected, double tolerance) {
  out->line(out->user, &(RvCheckLine){name, measured, expected, tolerance});
}
