// --max-memory: sizes as text, and the limit where none is given; and what to do when memory runs out.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "cli/cli.h"

// Share of the machine's memory that is used where no limit is given; the rest is for the system and for libraries
// between two looks at their memory.
static const double MACHINE_SHARE = 0.9;
// Bytes below which nothing can be cooked, not even the error.
static const double LEAST = 16 * 0x1p20;

const char rv_cli_memory_advice[] =
    "close other programs, use fewer --threads or a smaller scene, or raise --max-memory and ulimit -v; cook --resume "
    "continues a run";

// Reads "1.5G", "500M", "none" or a number of bytes; `source` names where the text comes from.
static RvResult read_size(const char* source, const char* text, size_t* bytes, RvError* error) {
  static const char suffixes[] = "KMGT";
  char* end;
  *bytes = 0;
  if (strcmp(text, "none") == 0) return RV_OK;
  double size = strtod(text, &end);
  const char* suffix = *end ? strchr(suffixes, *end) : NULL;
  for (const char* s = suffixes; suffix && s <= suffix; ++s) size *= 1024;
  // An ending of B or iB is allowed: 4GB, 4GiB.
  if (suffix) ++end;
  if (suffix && *end == 'i') ++end;
  if (*end == 'B') ++end;
  if (end == text || *end || !(size >= LEAST && size < 0x1p62))
    return rv_fail(error, RV_BAD_INPUT, "%s takes a size of at least 16M, such as 4G or 500M, or none; not '%s'",
                   source, text);
  *bytes = (size_t)size;
  return RV_OK;
}

RvResult rv_cli_memory_limit(const char* text, RvError* error) {
  static const char variable[] = "RIVULET_MAX_MEMORY";
  const char* source = text ? "--max-memory" : variable;
  // An empty variable counts as none.
  if (!text) text = getenv(variable);
  if (text && !*text && source == variable) text = NULL;
  size_t bytes = rv_budget_machine();
  bytes = bytes == SIZE_MAX ? 0 : (size_t)(MACHINE_SHARE * (double)bytes);
  RvResult result = text ? read_size(source, text, &bytes, error) : RV_OK;
  if (!result) rv_memory_limit_set(bytes);
  return result;
}
