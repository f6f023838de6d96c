// Description of a detail as JSON, for info and for tests: counts, bounds, attributes with ranges, groups, grids,
// volumes.
#ifndef RV_CLI_DESCRIBE_H
#define RV_CLI_DESCRIBE_H

#include <jansson.h>

#include "rivulet/geo.h"

// Adds the description to `object`. The caller asks rv_cli_json_failed whether all of it could be stored.
RvResult rv_cli_describe_detail(json_t* object, const RvDetail* detail, RvError* error);
// Makes the JSON library note failed allocations: its functions leave out silently what they have no memory for.
void rv_cli_json_begin(void);
// True if an allocation of the JSON library has failed since rv_cli_json_begin.
bool rv_cli_json_failed(void);

// Reads a text between the two above. In a lack of memory the JSON library may end the process by an assertion, so the
// call is marked as one into a library.
json_t* rv_cli_json_load(const char* text, size_t bytes, json_error_t* error);

#endif
