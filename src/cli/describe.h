// Description of a detail as JSON, for info and for tests: counts, bounds, attributes with ranges, groups, grids,
// volumes.
#ifndef RV_CLI_DESCRIBE_H
#define RV_CLI_DESCRIBE_H

#include <jansson.h>

#include "rivulet/geo.h"

// Adds the description to `object`.
void rv_cli_describe_detail(json_t* object, const RvDetail* detail);

#endif
