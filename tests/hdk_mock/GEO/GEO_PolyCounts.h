#include "mock_ga.h"
