// Compares two details element by element, by the public interface alone: independent of rv_detail_hash.
#ifndef RV_TEST_DETAIL_COMPARE_H
#define RV_TEST_DETAIL_COMPARE_H

#include "rivulet/geo.h"

// True if all is equal; else `why` (of `size` bytes) says what differs first. Floats compare by their bits.
bool rv_test_details_equal(const RvDetail* a, const RvDetail* b, char* why, size_t size);

#endif
