// Memory that is kept for the moment when the machine has none left: OpenVDB and TBB allocate in places where they
// cannot report a failure. When operator new fails, the reserve is freed and the allocation is tried again, so that the
// library ends its work; the shim then reports that memory has run out, or goes on if the reserve can be taken anew.
#ifndef RV_SHIM_RESERVE_H
#define RV_SHIM_RESERVE_H

#include "rivulet/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Takes the reserve and installs the handler of operator new, which is one of the whole process: programs call it, the
// library does not.
RvResult rv_reserve_begin(RvError* error);
// Takes the reserve anew if it was used. False: there is no memory for it.
bool rv_reserve_renew(void);

#ifdef __cplusplus
}
#endif
#endif
