#include "mock_op.h"
