#include "parm/common.h"

#include <string.h>

// Bytes of one number of a row in the struct; 0: the row holds no numbers.
static size_t number_bytes(const RvParmDef* row) {
  switch (row->type) {
    case RV_PARM_FLOAT:
    case RV_PARM_COLOR:
      return sizeof(double);
    case RV_PARM_INT:
      return sizeof(int64_t);
    case RV_PARM_MENU:
      return sizeof(int);
    case RV_PARM_TOGGLE:
      return sizeof(bool);
    default:
      return 0;
  }
}

static void put_default(const RvParmDef* row, int component, char* at) {
  double value = row->standard[component];
  switch (row->type) {
    case RV_PARM_INT:
      memcpy(at, &(int64_t){(int64_t)value}, sizeof(int64_t));
      break;
    case RV_PARM_MENU:
      memcpy(at, &(int){(int)value}, sizeof(int));
      break;
    case RV_PARM_TOGGLE:
      memcpy(at, &(bool){value != 0}, sizeof(bool));
      break;
    default:
      memcpy(at, &value, sizeof value);
  }
}

void rv_parm_fill_defaults(const RvParmTable* table, void* out) {
  memset(out, 0, table->struct_bytes);
  for (size_t i = 0; i < table->count; ++i) {
    const RvParmDef* row = &table->rows[i];
    size_t bytes = number_bytes(row);
    for (int c = 0; bytes && c < row->size; ++c) put_default(row, c, (char*)out + row->offset + (size_t)c * bytes);
  }
}

void rv_parm_copy_common(const RvParmTable* from, const void* values, const RvParmTable* to, void* out) {
  for (size_t i = 0; i < to->count; ++i) {
    const RvParmDef* row = &to->rows[i];
    size_t bytes = number_bytes(row);
    const RvParmDef* same = bytes ? rv_parm_find(from, row->token) : NULL;
    if (!same || same->type != row->type || same->size != row->size) continue;
    memcpy((char*)out + row->offset, (const char*)values + same->offset, (size_t)row->size * bytes);
  }
}
