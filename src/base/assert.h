// Assertions against our own bugs, active in every build: a failure is reported to a replaceable handler. The default
// handler traps in debug builds and in tests, and continues otherwise, because a host application must not be ended.
#ifndef RV_BASE_ASSERT_H
#define RV_BASE_ASSERT_H

typedef void RvAssertFn(const char* expression, const char* file, int line);

// Sets the handler of failed assertions; NULL: the default.
void rv_assert_set(RvAssertFn* handler);
// Reports a failed assertion to the handler.
void rv_assert_failed(const char* expression, const char* file, int line);

#define RV_ASSERT(e) ((e) ? (void)0 : rv_assert_failed(#e, __FILE__, __LINE__))

#endif
