// Every row of every built-in node table keeps the rules: names, labels, help, ranges, menus, conditions, units.
#include <stdlib.h>
#include <string.h>

#include "node/table.h"
#include "parm/find.h"
#include "parm/ramp.h"
#include "support/rv_test.h"

static int faults;

// all faults are told at once, because tables are mended in bulk
#define FAULT(type, row, ...)                                                                              \
  do {                                                                                                     \
    print_error("node %s, parameter '%s': ", (type)->type, (row) ? ((const RvParmDef*)(row))->token : ""); \
    print_error(__VA_ARGS__);                                                                              \
    print_error("\n");                                                                                     \
    ++faults;                                                                                              \
  } while (0)

// Base units with exponents, in the order kilogram, metre, second
static const char* const known_units[] = {"",       "m",         "m2",        "m3",     "m-1",      "s",      "s-1",
                                          "Hz",     "kg",        "kg1m-3",    "m1s-1",  "m1s-2",    "m2s-1",  "m3s-1",
                                          "kg1s-2", "kg1m-1s-2", "kg1m-1s-1", "deg",    "rad",      "frame",  "byte",
                                          "kg1m-1", "m-2",       "kg1s-1",    "kg1m-2", "kg1m1s-2", "deg1s-1"};

static bool is_sentence(const char* text) {
  size_t n = strlen(text);
  return n > 1 && (text[n - 1] == '.' || (n > 2 && text[n - 1] == ')' && text[n - 2] == '.'));
}

static bool good_token(const char* token) {
  // Houdini's own words for the two orders of a transform
  if (strcmp(token, "xOrd") == 0 || strcmp(token, "rOrd") == 0) return true;
  return *token >= 'a' && *token <= 'z' && !token[strspn(token, "abcdefghijklmnopqrstuvwxyz0123456789")];
}

static void check_texts(const RvNodeType* type, const RvParmDef* row) {
  if (!good_token(row->token)) FAULT(type, row, "a token is lower-case letters and digits, without underscores");
  if (!row->label || !*row->label) FAULT(type, row, "no label");
  if (!row->help || !is_sentence(row->help)) FAULT(type, row, "the help must be sentences, ended by a full stop");
  if (row->help && (strchr(row->help, '\n') || strchr(row->help, '\t'))) FAULT(type, row, "the help must be one line");
  if (!row->unit) FAULT(type, row, "the unit is NULL, write \"\"");
  bool known = false;
  for (size_t i = 0; row->unit && i < sizeof known_units / sizeof *known_units; ++i)
    known = known || !strcmp(row->unit, known_units[i]);
  if (!known) FAULT(type, row, "unknown unit '%s'", row->unit ? row->unit : "");
}

static void check_range(const RvNodeType* type, const RvParmDef* row) {
  if (row->type != RV_PARM_FLOAT && row->type != RV_PARM_INT && row->type != RV_PARM_COLOR) return;
  if (!(row->min < row->max)) FAULT(type, row, "the range %g to %g is empty", row->min, row->max);
  for (int c = 0; c < row->size; ++c)
    if (!(row->standard[c] >= row->min && row->standard[c] <= row->max))
      FAULT(type, row, "the default %g is not within %g to %g", row->standard[c], row->min, row->max);
}

static void check_menu(const RvNodeType* type, const RvParmDef* row) {
  if (row->type != RV_PARM_MENU) return;
  int count = rv_menu_count(row->menu);
  if (count < 2) FAULT(type, row, "a menu needs two items at least");
  if (!(row->standard[0] >= 0 && row->standard[0] < count)) FAULT(type, row, "the default is not an item");
  RvMenuItem a, b;
  for (int i = 0; rv_menu_item(row->menu, i, &a); ++i) {
    char token[RV_PARM_TOKEN_BYTES];
    snprintf(token, sizeof token, "%.*s", (int)a.token_length, a.token);
    if (!*token || token[strspn(token, "abcdefghijklmnopqrstuvwxyz0123456789_")])
      FAULT(type, row, "menu item %d: bad token '%s'", i, token);
    if (!a.label_length || a.label == a.token) FAULT(type, row, "menu item '%s' has no label", token);
    for (int j = 0; j < i && rv_menu_item(row->menu, j, &b); ++j)
      if (a.token_length == b.token_length && !memcmp(a.token, b.token, a.token_length))
        FAULT(type, row, "menu item '%s' is there twice", token);
  }
}

static void check_ramp(const RvNodeType* type, const RvParmDef* row) {
  RvRamp ramp;
  RvError e = {0};
  if (row->type == RV_PARM_RAMP && (!row->standard_text || rv_ramp_parse(row->standard_text, &ramp, &e)))
    FAULT(type, row, "the default is not a ramp: %s", e.text);
}

// one comparison of a condition: "token operator value"; `what` is disable_when or hide_when
static void check_clause(const RvNodeType* type, const RvParmDef* row, const char* what, const char* token,
                         const char* op, const char* value) {
  static const char* const ops[] = {"==", "!=", "<", ">", "<=", ">="};
  bool known = false;
  for (int i = 0; i < 6; ++i) known = known || !strcmp(op, ops[i]);
  if (!known) FAULT(type, row, "%s: unknown operator '%s'", what, op);
  const RvParmDef* other = rv_parm_find(type->parms, token);
  if (!other) {
    // Houdini's function of an input that the node has
    char* end = NULL;
    bool function = !strncmp(token, "hasinput(", 9);
    unsigned long input = function ? strtoul(token + 9, &end, 10) : 0;
    if (!function || strcmp(end, ")") != 0 || input >= type->ninput || (strcmp(value, "0") && strcmp(value, "1")))
      FAULT(type, row, "%s names '%s', which is no parameter", what, token);
    return;
  }
  if (other->type == RV_PARM_MENU && rv_menu_find(other->menu, value) < 0)
    FAULT(type, row, "%s: '%s' is no item of '%s'", what, value, token);
  if (other->type == RV_PARM_TOGGLE && strcmp(value, "0") && strcmp(value, "1"))
    FAULT(type, row, "%s: the toggle '%s' is compared with '%s', write 0 or 1", what, token, value);
}

static void check_condition(const RvNodeType* type, const RvParmDef* row, const char* what, const char* condition) {
  if (!condition) return;
  char copy[512], *words[64];
  int n = 0;
  snprintf(copy, sizeof copy, "%s", condition);
  for (char* word = strtok(copy, " "); word && n < 64; word = strtok(NULL, " ")) words[n++] = word;
  int i = 0, clauses = 0;
  while (i < n && !strcmp(words[i], "{")) {
    for (++i; i + 2 < n && strcmp(words[i], "}"); i += 3, ++clauses)
      check_clause(type, row, what, words[i], words[i + 1], words[i + 2]);
    if (i >= n || strcmp(words[i], "}")) break;
    ++i;
  }
  if (i != n || !clauses) FAULT(type, row, "%s '%s' is not \"{ token == value }\"", what, condition);
}

static void check_row(const RvNodeType* type, const RvParmDef* row) {
  if (row->type == RV_PARM_FOLDER) {
    if (!row->label || !*row->label) FAULT(type, row, "a folder without a label");
    return;
  }
  check_texts(type, row);
  check_range(type, row);
  check_menu(type, row);
  check_ramp(type, row);
  check_condition(type, row, "disable_when", row->disable_when);
  check_condition(type, row, "hide_when", row->hide_when);
}

// names by which a value can be set: the tokens and the tokens of components
static void check_names(const RvNodeType* type) {
  const RvParmTable* table = type->parms;
  for (size_t i = 0; i < table->count; ++i) {
    const RvParmDef* row = table->rows + i;
    for (size_t j = 0; j < table->count; ++j) {
      const RvParmDef* other = table->rows + j;
      bool folders = row->type == RV_PARM_FOLDER && other->type == RV_PARM_FOLDER;
      if (j > i && folders && !strcmp(row->label, other->label)) FAULT(type, row, "two folders '%s'", row->label);
      if (i == j || row->type == RV_PARM_FOLDER || other->type == RV_PARM_FOLDER) continue;
      if (j > i && !strcmp(row->token, other->token)) FAULT(type, row, "the token is there twice");
      for (int c = 0; row->size > 1 && c < row->size; ++c) {
        char token[RV_PARM_TOKEN_BYTES];
        if (!strcmp(rv_parm_component_token(row, c, token), other->token))
          FAULT(type, row, "its component has the token of the parameter '%s'", other->token);
      }
    }
  }
}

// The simple view of a node is not empty and fits a screen: 40 rows of a dialog, in its tabs.
static void check_levels(const RvNodeType* type) {
  enum { SCREEN = 40 };
  size_t simple = 0, all = 0;
  for (size_t i = 0; i < type->parms->count; ++i) {
    if (type->parms->rows[i].type == RV_PARM_FOLDER) continue;
    ++all;
    simple += type->parms->rows[i].level == RV_LEVEL_SIMPLE;
  }
  if (all && (!simple || simple > SCREEN)) FAULT(type, NULL, "the simple view has %zu of %zu parameters", simple, all);
}

static void check_ports(const RvNodeType* type, const RvPortDef* ports, size_t count, const char* what) {
  for (size_t i = 0; i < count; ++i) {
    if (!is_sentence(ports[i].help)) FAULT(type, NULL, "%s %zu: the help must be a sentence", what, i + 1);
    for (size_t j = 0; j < i; ++j)
      if (!strcmp(ports[i].name, ports[j].name)) FAULT(type, NULL, "two %ss '%s'", what, ports[i].name);
  }
}

// A preset sets parameters that exist to values that they take.
static void check_presets(const RvNodeType* type) {
  for (size_t i = 0; i < type->npreset; ++i) {
    const RvPresetDef* preset = type->presets + i;
    char copy[512];
    snprintf(copy, sizeof copy, "%s", preset->values);
    RvParms* parms = rv_parms_new(type->parms);
    int count = 0;
    for (char* word = strtok(copy, " "); word; word = strtok(NULL, " "), ++count) {
      RvError e = {0};
      char* value = strchr(word, '=');
      if (value) *value++ = 0;
      if (!value || rv_parms_set_text(parms, word, value, &e))
        FAULT(type, NULL, "preset %s: %s", preset->token, e.text);
    }
    rv_parms_free(parms);
    if (!count || !is_sentence(preset->help)) FAULT(type, NULL, "preset %s has no values or no help", preset->token);
    for (size_t j = 0; j < i; ++j)
      if (!strcmp(preset->token, type->presets[j].token)) FAULT(type, NULL, "two presets '%s'", preset->token);
  }
}

static void tables_keep_the_rules(void** state) {
  (void)state;
  assert_true(rv_node_builtin_count() > 0);
  for (size_t i = 0; i < rv_node_builtin_count(); ++i) {
    const RvNodeType* type = rv_node_type(i);
    RvError e = {0};
    CHECK_OK(rv_node_check(type, &e), e);
    if (!is_sentence(type->summary)) FAULT(type, NULL, "the summary must be one sentence");
    if (*type->help && !is_sentence(type->help)) FAULT(type, NULL, "the help must be sentences");
    check_ports(type, type->inputs, type->ninput, "input");
    check_ports(type, type->outputs, type->noutput, "output");
    check_names(type);
    check_levels(type);
    check_presets(type);
    for (size_t r = 0; r < type->parms->count; ++r) check_row(type, type->parms->rows + r);
    for (size_t j = 0; j < i; ++j)
      if (!strcmp(type->type, rv_node_type(j)->type)) FAULT(type, NULL, "two node types of that name");
  }
  assert_int_equal(faults, 0);
}

// every default can be evaluated, and a node's values start out as its defaults
static void defaults_evaluate(void** state) {
  (void)state;
  for (size_t i = 0; i < rv_node_builtin_count(); ++i) {
    const RvParmTable* table = rv_node_type(i)->parms;
    RvError e = {0};
    RvParms* parms = rv_parms_new(table);
    uint64_t hash = rv_parms_hash(parms);
    // what the text format of a default says, the setter takes, and it is the default
    for (size_t r = 0; r < table->count; ++r) {
      const RvParmDef* row = table->rows + r;
      RvText text = {0};
      if (!rv_parm_has_value(row)) continue;
      if (row->type == RV_PARM_MENU) {
        RvMenuItem item;
        assert_true(rv_menu_item(row->menu, (int)row->standard[0], &item));
        rv_text_add_bytes(&text, item.token, item.token_length);
      } else if (rv_parm_has_channels(row)) {
        for (int c = 0; c < row->size; ++c) {
          rv_text_number(&text, row->standard[c]);
          rv_text_add(&text, " ");
        }
        if (row->type == RV_PARM_TOGGLE) text.data[1] = 0;
      } else {
        rv_text_add(&text, row->standard_text ? row->standard_text : "");
      }
      char* standard = rv_text_done(&text);
      CHECK_OK(rv_parms_set_text(parms, row->token, standard, &e), e);
      rv_free(standard);
    }
    assert_true(rv_parms_hash(parms) == hash);
    rv_parms_free(parms);
  }
}

RV_TESTS(cmocka_unit_test(tables_keep_the_rules), cmocka_unit_test(defaults_evaluate))
