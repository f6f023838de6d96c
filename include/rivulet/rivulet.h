// Includes the whole interface of the library. Each header can also be included on its own.
#ifndef RIVULET_RIVULET_H
#define RIVULET_RIVULET_H

#include "rivulet/base.h"
#include "rivulet/geo.h"
#include "rivulet/host.h"
#include "rivulet/job.h"
#include "rivulet/node.h"
#include "rivulet/parm.h"
#include "rivulet/scene.h"
#include "rivulet/solver.h"
#include "rivulet/state.h"
#include "rivulet/vdb.h"

#endif
