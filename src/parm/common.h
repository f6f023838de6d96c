// Parameters that two tables share by token: how one node's values become those of a solver that several nodes use.
#ifndef RV_PARM_COMMON_H
#define RV_PARM_COMMON_H

#include "rivulet/parm.h"

// Fills a struct of the table with its default numbers; texts and ramps are cleared.
void rv_parm_fill_defaults(const RvParmTable* table, void* out);
// Copies every number whose token, type and size both tables have.
void rv_parm_copy_common(const RvParmTable* from, const void* values, const RvParmTable* to, void* out);

#endif
