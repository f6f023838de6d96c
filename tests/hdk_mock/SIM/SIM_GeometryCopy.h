#include "mock_sim.h"
