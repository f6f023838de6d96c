// For our own bugs only, in every build: reports to a replaceable handler. The default traps in debug builds and in
// tests, and goes on otherwise, because a host must stay alive.
#ifndef RV_BASE_ASSERT_H
#define RV_BASE_ASSERT_H

typedef void RvAssertFn(const char* expression, const char* file, int line);

void rv_assert_set(RvAssertFn* handler);  // NULL: the default
void rv_assert_failed(const char* expression, const char* file, int line);

#define RV_ASSERT(e) ((e) ? (void)0 : rv_assert_failed(#e, __FILE__, __LINE__))

#endif
