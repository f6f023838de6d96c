#include "mock_ut.h"
