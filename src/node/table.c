// The node table: built-in types from nodes.def, types registered at run time, and the check that a row is complete.
#include "node/table.h"

#include <stdatomic.h>
#include <string.h>

// Room for types of tests and plug-ins; a fixed array, so that readers need no lock.
enum { MAX_REGISTERED = 256 };

#define RV_NODE(type) extern const RvNodeType rv_node_##type;
#include "base/platform.h"
#include "node/nodes.def"
#undef RV_NODE

static const RvNodeType* const builtin[] = {
#define RV_NODE(type) &rv_node_##type,
#include "node/nodes.def"
#undef RV_NODE
};

// Rows are only appended, and the count is raised after the row is written: readers need no lock.
static const RvNodeType* registered[MAX_REGISTERED];
static atomic_size_t nregistered;
static RvMutex registering;

size_t rv_node_builtin_count(void) {
  return sizeof builtin / sizeof *builtin;
}

size_t rv_node_type_count(void) {
  return rv_node_builtin_count() + atomic_load_explicit(&nregistered, memory_order_acquire);
}

const RvNodeType* rv_node_type(size_t index) {
  size_t first = rv_node_builtin_count();
  if (index < first) return builtin[index];
  return index < rv_node_type_count() ? registered[index - first] : NULL;
}

const RvNodeType* rv_node_find(const char* type) {
  if (!type) return NULL;
  // A name may have the namespace before it and the version behind it.
  static const char space[] = "rivulet::";
  if (strncmp(type, space, sizeof space - 1) == 0) type += sizeof space - 1;
  size_t length = strcspn(type, ":");
  if (type[length] && strcmp(type + length, "::1.0") != 0) return NULL;
  for (size_t i = 0; i < rv_node_type_count(); ++i) {
    const RvNodeType* row = rv_node_type(i);
    if (strlen(row->type) == length && memcmp(row->type, type, length) == 0) return row;
  }
  return NULL;
}

//---------------------------------------------------------------------------------------------- check of a row

// Whether a text is missing.
static bool empty(const char* text) {
  return !text || !*text;
}

// A type's name is an identifier of scenes and hosts: lower-case letters and digits, a letter first.
static bool good_name(const char* name) {
  if (empty(name) || name[0] < 'a' || name[0] > 'z') return false;
  return name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789")] == 0;
}

// Inputs or outputs (`what`): at most `limit`, each with name, label and help.
static RvResult check_ports(const RvNodeType* type, const RvPortDef* ports, size_t count, size_t limit,
                            const char* what, RvError* error) {
  if (count > limit)
    return rv_fail(error, RV_BAD_INPUT, "node type %s: %zu %ss, at most %zu are possible", type->type, count, what,
                   limit);
  if (count && !ports) return rv_fail(error, RV_BAD_INPUT, "node type %s: no table of %ss", type->type, what);
  for (size_t i = 0; i < count; ++i) {
    if (empty(ports[i].name) || empty(ports[i].label) || !ports[i].help)
      return rv_fail(error, RV_BAD_INPUT, "node type %s: %s %zu needs a name, a label and a help text", type->type,
                     what, i + 1);
  }
  return RV_OK;
}

// A solver needs start, step, split and stages; every other type a cook function.
static RvResult check_functions(const RvNodeType* type, RvError* error) {
  const char* lacks = NULL;
  if (type->flags & RV_NODE_SOLVER) {
    size_t stages = 0;
    while (type->stages && type->stages[stages]) ++stages;
    if (!type->start)
      lacks = "a start function";
    else if (!type->step)
      lacks = "a step function";
    else if (type->noutput > 1 && !type->split)
      lacks = "a split function";
    else if (!stages)
      lacks = "stages";
    else if (stages > RV_STAGE_MAX)
      lacks = "fewer stages: RV_STAGE_MAX is the limit";
    else if (type->nfield && !type->fields)
      lacks = "its table of state fields";
  } else if (!type->cook) {
    lacks = "a cook function";
  }
  return lacks ? rv_fail(error, RV_BAD_INPUT, "node type %s needs %s", type->type, lacks) : RV_OK;
}

RvResult rv_node_check(const RvNodeType* type, RvError* error) {
  // The name first, as every other message names the type.
  if (!type) return rv_fail(error, RV_BAD_INPUT, "node type: no row was given");
  if (!good_name(type->type))
    return rv_fail(error, RV_BAD_INPUT, "node type '%s': a name is lower-case letters and digits, a letter first",
                   type->type ? type->type : "");
  // Texts and tables, then ports and functions.
  const char* lacks = NULL;
  if (empty(type->label))
    lacks = "a label";
  else if (empty(type->category))
    lacks = "a category";
  else if (empty(type->summary))
    lacks = "a summary";
  else if (!type->help)
    lacks = "a help text, which may be empty";
  else if (!type->parms)
    lacks = "a parameter table, which may be rv_parm_table_empty";
  else if (!type->noutput)
    lacks = "an output";
  if (lacks) return rv_fail(error, RV_BAD_INPUT, "node type %s needs %s", type->type, lacks);
  RvResult result = check_ports(type, type->inputs, type->ninput, RV_NODE_MAX_INPUTS, "input", error);
  if (!result) result = check_ports(type, type->outputs, type->noutput, RV_NODE_MAX_OUTPUTS, "output", error);
  return result ? result : check_functions(type, error);
}

RvResult rv_node_register(const RvNodeType* type, RvError* error) {
  RvResult result = rv_node_check(type, error);
  if (result) return result;
  // Two types of one name must not pass the search at the same time.
  rv_platform_mutex_lock(&registering);
  size_t count = atomic_load(&nregistered);
  if (rv_node_find(type->type)) {
    result = rv_fail(error, RV_BAD_INPUT, "node type %s: the name is taken", type->type);
  } else if (count == MAX_REGISTERED) {
    result = rv_fail(error, RV_LIMIT, "node type %s: %d types are registered already, which is the limit", type->type,
                     MAX_REGISTERED);
  } else {
    // The row is written before the count tells of it.
    registered[count] = type;
    atomic_store_explicit(&nregistered, count + 1, memory_order_release);
  }
  rv_platform_mutex_unlock(&registering);
  return result;
}
