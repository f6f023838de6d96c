// SANITIZED is defined in a build with the address or thread sanitizer, which maps terabytes for itself.
#ifndef RV_TEST_SANITIZED_H
#define RV_TEST_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#endif
