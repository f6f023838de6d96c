// Rows and components by token, menu items, and the nearest token to a misspelt one.
#ifndef RV_PARM_FIND_H
#define RV_PARM_FIND_H

#include "parm/text.h"
#include "rivulet/parm.h"

enum { RV_PARM_TOKEN_BYTES = 64 };

// True if the row has a value: not a folder, not a button.
bool rv_parm_has_value(const RvParmDef* row);
// Float, int, toggle, menu, colour: channels; else a text or a ramp.
bool rv_parm_has_channels(const RvParmDef* row);

// Token of a component: "tx"; the row's own token if it has one component only. Returns `buffer`.
const char* rv_parm_component_token(const RvParmDef* row, int component, char buffer[RV_PARM_TOKEN_BYTES]);
// Row of a token or of a component's token; *component is -1 for the whole row. NULL with `error` filled.
const RvParmDef* rv_parm_lookup(const RvParmTable* table, const char* token, int* component, RvError* error);

typedef struct RvMenuItem {
  const char *token, *label;  // not ended by a 0
  size_t token_length, label_length;
} RvMenuItem;

int rv_menu_count(const char* menu);
// False if there is no such item.
bool rv_menu_item(const char* menu, int index, RvMenuItem* out);
// Index of a token, or -1.
int rv_menu_find(const char* menu, const char* token);
void rv_menu_tokens(const char* menu, RvText* out);  // "straight, wavy, coiled"

// Edits (insert, delete, replace, swap of neighbours) from one word to another; words are cut at 63
// characters.
int rv_edit_distance(const char* a, const char* b);

#endif
