// Marks calls into libraries of others. Some of them end the process when an allocation or a thread fails; the command
// line then says which library it was (src/cli/last_resort.c).
#ifndef RV_BASE_FOREIGN_H
#define RV_BASE_FOREIGN_H

#include "rivulet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Begins a call into a library; its name is a constant. Calls may nest, and run in several threads.
void rv_foreign_enter(const char* library);
// Ends it.
void rv_foreign_leave(void);
// The library that was entered last while a call is open; NULL if none is. Signal handlers may ask.
const char* rv_foreign_library(void);

#ifdef __cplusplus
}
#endif
#endif
