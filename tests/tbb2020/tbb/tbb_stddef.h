// Version of TBB 2020.3. Own text; not TBB.
#pragma once
#include <cstddef>

#define TBB_VERSION_MAJOR 2020
#define TBB_VERSION_MINOR 3
#define TBB_INTERFACE_VERSION 11103

namespace tbb {
using std::size_t;
}
