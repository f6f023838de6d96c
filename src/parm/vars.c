// Expansion of variables in texts.
#include "parm/vars.h"

#include <math.h>
#include <string.h>

#include "math/scalar.h"
#include "parm/number.h"
#include "parm/text.h"

enum {
  MAX_EXPANDED = 1 << 24,  // bytes of an expanded text
  SHOWN_DIGITS = 10,       // of $FF, $T and $FPS
};
static const double max_frame = 1e15;  // $F is clamped to this, within the range of long long
static const double default_fps = 24;  // for $T where the host gives none

typedef enum VarKind { VAR_NONE, VAR_F, VAR_FF, VAR_T, VAR_FPS, VAR_OUT, VAR_HIP, VAR_OS, VAR_DOLLAR } VarKind;

typedef struct Var {
  VarKind kind;
  int padding;    // digits of $F4; 0: none
  size_t length;  // of the name; later of the whole variable with its dollar sign and braces
} Var;

// The names of the variables.
static const struct {
  const char* name;
  VarKind kind;
} names[] = {{"F", VAR_F},     {"FF", VAR_FF},   {"T", VAR_T},  {"FPS", VAR_FPS},
             {"OUT", VAR_OUT}, {"HIP", VAR_HIP}, {"OS", VAR_OS}};

static bool letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// Reads a name. It consists of letters only, so that "$OUT_wet.$F4_a" has the variables $OUT and $F4; F may have one
// digit of padding.
static Var read_name(const char* text) {
  size_t length = 0;
  while (letter(text[length])) ++length;
  // Compare with the known names; a digit after F is its padding.
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (strlen(names[i].name) != length || memcmp(names[i].name, text, length) != 0) continue;
    Var var = {names[i].kind, 0, length};
    if (var.kind == VAR_F && text[length] >= '1' && text[length] <= '9') {
      var.padding = text[length] - '0';
      ++var.length;
    }
    return var;
  }
  return (Var){0};
}

// Reads the variable at a dollar sign. VAR_NONE: it stays as it is written.
static Var read_variable(const char* text) {
  if (text[1] == '$') return (Var){VAR_DOLLAR, 0, 2};
  // $NAME or ${NAME}.
  bool brace = text[1] == '{';
  Var var = read_name(text + 1 + brace);
  if (brace && text[2 + var.length] != '}') return (Var){0};
  if (var.kind) var.length += brace ? strlen("${}") : strlen("$");
  return var;
}

bool rv_vars_animated(const char* text) {
  for (const char* at = strchr(text, '$'); at; at = strchr(at, '$')) {
    Var var = read_variable(at);
    if (var.kind == VAR_F || var.kind == VAR_FF || var.kind == VAR_T) return true;
    at += var.kind ? var.length : 1;
  }
  return false;
}

// Appends the nearest whole frame: 11.999999 is 12. NaN is 0.
static void add_frame(RvText* out, double frame, int padding) {
  long long whole = frame == frame ? (long long)floor(rv_clamp(frame, -max_frame, max_frame) + 0.5) : 0;
  rv_text_addf(out, "%0*lld", padding ? padding : 1, whole);
}

// Appends a number.
static void add_number(RvText* out, double value) {
  char buffer[RV_NUMBER_BYTES];
  rv_text_add(out, rv_number_round(value, SHOWN_DIGITS, buffer));
}

// Appends what a variable stands for. A folder that the host does not have stays as it is written, because "$OUT/a"
// must not become "/a".
static void expand(RvText* out, const RvVars* vars, Var var) {
  switch (var.kind) {
    case VAR_F:
      add_frame(out, vars->frame, var.padding);
      break;
    case VAR_FF:
      add_number(out, vars->frame);
      break;
    case VAR_T:
      add_number(out, (vars->frame - 1) / (vars->fps > 0 ? vars->fps : default_fps));
      break;
    case VAR_FPS:
      add_number(out, vars->fps);
      break;
    case VAR_OUT:
      rv_text_add(out, vars->out ? vars->out : "$OUT");
      break;
    case VAR_HIP:
      rv_text_add(out, vars->hip ? vars->hip : "$HIP");
      break;
    case VAR_OS:
      rv_text_add(out, vars->node ? vars->node : "$OS");
      break;
    case VAR_DOLLAR:
    case VAR_NONE:
      rv_text_add(out, "$");
      break;
  }
}

char* rv_vars_expand(const RvVars* vars, const char* text) {
  RvText out = {0};
  while (*text && out.count < MAX_EXPANDED) {
    // Copy up to the next dollar sign, then expand the variable there.
    size_t plain = strcspn(text, "$");
    rv_text_add_bytes(&out, text, plain);
    text += plain;
    if (!*text) break;
    Var var = read_variable(text);
    expand(&out, vars, var);
    text += var.kind ? var.length : 1;
  }
  if (*text) out.failed = true;  // it became too long
  return rv_text_done(&out);
}
