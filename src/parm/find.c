// Search in parameter tables by token, with suggestions for misspelt ones.
#include "parm/find.h"

#include <stdio.h>
#include <string.h>

#include "base/platform.h"
#include "parm/table.h"

const RvParmTable rv_parm_table_empty = {NULL, 0, 0};

bool rv_parm_has_value(const RvParmDef* row) {
  return row->type != RV_PARM_FOLDER && row->type != RV_PARM_BUTTON;
}

bool rv_parm_has_channels(const RvParmDef* row) {
  return row->type == RV_PARM_FLOAT || row->type == RV_PARM_INT || row->type == RV_PARM_TOGGLE ||
         row->type == RV_PARM_MENU || row->type == RV_PARM_COLOR;
}

const RvParmDef* rv_parm_find(const RvParmTable* table, const char* token) {
  for (size_t i = 0; token && i < table->count; ++i) {
    const RvParmDef* row = table->rows + i;
    if (row->type != RV_PARM_FOLDER && strcmp(row->token, token) == 0) return row;
  }
  return NULL;
}

//---------------------------------------------------------------------------------------------- components

const char* rv_parm_component_token(const RvParmDef* row, int component, char buffer[RV_PARM_TOKEN_BYTES]) {
  const char* suffix = row->type == RV_PARM_COLOR ? "rgba" : "xyzw";
  if (row->size > 1 && component >= 0 && component < row->size)
    snprintf(buffer, RV_PARM_TOKEN_BYTES, "%s%c", row->token, suffix[component]);
  else
    snprintf(buffer, RV_PARM_TOKEN_BYTES, "%s", row->token);
  return buffer;
}

// Row and component of a token such as "tx", "colorg" or "t2".
static const RvParmDef* find_component(const RvParmTable* table, const char* token, int* component) {
  size_t length = strlen(token);
  for (size_t i = 0; length > 1 && i < table->count; ++i) {
    const RvParmDef* row = table->rows + i;
    if (row->size < 2 || strlen(row->token) != length - 1 || memcmp(row->token, token, length - 1) != 0) continue;
    const char* suffixes = row->type == RV_PARM_COLOR ? "rgba1234" : "xyzw1234";
    const char* at = strchr(suffixes, token[length - 1]);
    if (!at || (at - suffixes) % RV_PARM_MAX_SIZE >= row->size) continue;
    *component = (int)((at - suffixes) % RV_PARM_MAX_SIZE);
    return row;
  }
  return NULL;
}

// Restricted Damerau-Levenshtein distance by dynamic programming. Only the last three rows of the matrix are kept.
int rv_edit_distance(const char* a, const char* b) {
  int rows[3][RV_PARM_TOKEN_BYTES];
  int n = (int)rv_platform_strnlen(a, RV_PARM_TOKEN_BYTES - 1);
  int m = (int)rv_platform_strnlen(b, RV_PARM_TOKEN_BYTES - 1);
  // rows[i % 3][j] is the distance of the first i characters of `a` to the first j characters of `b`.
  for (int j = 0; j <= m; ++j) rows[0][j] = j;
  for (int i = 1; i <= n; ++i) {
    int* now = rows[i % 3];
    const int* before = rows[(i + 2) % 3];
    const int* two_before = rows[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= m; ++j) {
      // Replace (or keep), delete, insert, swap.
      int best = before[j - 1] + (a[i - 1] != b[j - 1]);
      if (before[j] + 1 < best) best = before[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped && two_before[j - 2] + 1 < best) best = two_before[j - 2] + 1;
      now[j] = best;
    }
  }
  return rows[n % 3][m];
}

// Finds the token nearest to a misspelt one. False if none is near.
static bool nearest(const RvParmTable* table, const char* token, char best[RV_PARM_TOKEN_BYTES]) {
  // At most half of the word may be wrong, as in "len" for "length".
  int best_distance = 1 + (int)rv_platform_strnlen(token, RV_PARM_TOKEN_BYTES) / 2;
  bool found = false;
  for (size_t i = 0; i < table->count; ++i) {
    const RvParmDef* row = table->rows + i;
    if (row->type == RV_PARM_FOLDER) continue;
    // Tokens of the row and of its components.
    for (int c = -1; c < (row->size > 1 ? row->size : 0); ++c) {
      char candidate[RV_PARM_TOKEN_BYTES];
      int distance = rv_edit_distance(token, rv_parm_component_token(row, c, candidate));
      if (distance >= best_distance) continue;
      best_distance = distance;
      memcpy(best, candidate, sizeof candidate);
      found = true;
    }
  }
  return found;
}

const RvParmDef* rv_parm_lookup(const RvParmTable* table, const char* token, int* component, RvError* error) {
  *component = -1;
  const RvParmDef* row = rv_parm_find(table, token);
  if (!row && token) row = find_component(table, token, component);
  if (row) return row;
  // Not found: suggest the nearest token.
  char best[RV_PARM_TOKEN_BYTES];
  if (!token)
    rv_fail(error, RV_BAD_INPUT, "the name of the parameter is missing");
  else if (nearest(table, token, best))
    rv_fail(error, RV_NOT_FOUND, "there is no parameter '%.60s'; did you mean '%s'?", token, best);
  else
    rv_fail(error, RV_NOT_FOUND, "there is no parameter '%.60s'", token);
  return NULL;
}

//---------------------------------------------------------------------------------------------- menus

bool rv_menu_item(const char* menu, int index, RvMenuItem* out) {
  if (!menu || !*menu || index < 0) return false;
  // Skip the items before it.
  for (int i = 0; i < index; ++i) {
    menu = strchr(menu, '|');
    if (!menu) return false;
    ++menu;
  }
  // "token=Label", or "token" alone, which is its own label.
  size_t length = strcspn(menu, "|");
  size_t token = strcspn(menu, "|=");
  bool labelled = token < length;
  *out = (RvMenuItem){menu, labelled ? menu + token + 1 : menu, token, labelled ? length - token - 1 : length};
  return true;
}

int rv_menu_count(const char* menu) {
  if (!menu || !*menu) return 0;
  int count = 1;
  for (; *menu; ++menu) count += *menu == '|';
  return count;
}

int rv_menu_find(const char* menu, const char* token) {
  RvMenuItem item;
  for (int i = 0; rv_menu_item(menu, i, &item); ++i)
    if (strlen(token) == item.token_length && memcmp(token, item.token, item.token_length) == 0) return i;
  return -1;
}

void rv_menu_tokens(const char* menu, RvText* out) {
  RvMenuItem item;
  for (int i = 0; rv_menu_item(menu, i, &item); ++i)
    rv_text_addf(out, "%s%.*s", i ? ", " : "", (int)item.token_length, item.token);
}
