#define XXH_INLINE_ALL
#define rv_hash inline_hash
#define rv_hasher_new inline_hasher_new
#define rv_hasher_add inline_hasher_add
#define rv_hasher_add_string inline_hasher_add_string
#define rv_hasher_add_u64 inline_hasher_add_u64
#define rv_hasher_done inline_hasher_done
#include "base/hash.c"
