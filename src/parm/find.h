// Search in parameter tables: rows and components by token, menu items, and suggestions for misspelt tokens.
#ifndef RV_PARM_FIND_H
#define RV_PARM_FIND_H

#include "parm/text.h"
#include "rivulet/parm.h"

enum { RV_PARM_TOKEN_BYTES = 64 };  // of a token with its ending zero

// True if the row has a value: not a folder, not a button.
bool rv_parm_has_value(const RvParmDef* row);
// True if the value consists of channels (float, int, toggle, menu, colour); else it is a text or a ramp.
bool rv_parm_has_channels(const RvParmDef* row);

// Token of a component: "tx"; the row's own token if it has one component only. Returns `buffer`.
const char* rv_parm_component_token(const RvParmDef* row, int component, char buffer[RV_PARM_TOKEN_BYTES]);
// Row of a token or of a component's token; *component is -1 for the whole row. NULL with `error` filled.
const RvParmDef* rv_parm_lookup(const RvParmTable* table, const char* token, int* component, RvError* error);

// One item of a menu, borrowed from the menu's text. The texts are not ended by a zero.
typedef struct RvMenuItem {
  const char* token;
  const char* label;  // the token if the item has none
  size_t token_length, label_length;
} RvMenuItem;

// Number of items; 0 if `menu` is NULL or empty.
int rv_menu_count(const char* menu);
// Item `index` of a menu. False if there is no such item.
bool rv_menu_item(const char* menu, int index, RvMenuItem* out);
// Index of the item with a token; -1 if there is none.
int rv_menu_find(const char* menu, const char* token);
// Appends all tokens, such as "straight, wavy, coiled".
void rv_menu_tokens(const char* menu, RvText* out);

// Edit distance of two words: the number of insertions, deletions, replacements and swaps of neighbours. Words are cut
// at 63 characters.
int rv_edit_distance(const char* a, const char* b);

#endif
