#error "TBB 2020 has no tbb/info.h"
