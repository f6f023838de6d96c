"""One statement a line: no comma operator outside the header of a `for`.

Commas of declarations, initialisers, enumerators, arguments and parameters are not operators. Macro bodies that hold
statements are read too, and both sides of an #if.
"""
import os
import sys

top = os.environ.get("RV_SOURCE_DIR") or os.path.join(os.path.dirname(__file__), "..", "..")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import allowance  # noqa: E402
import c_source  # noqa: E402

# files that are still to be cleaned
KNOWN = os.path.join(top, "tests", "guard", "known_commas.txt")

# words that only a declaration begins with
DECLARES = set("""auto bool char class const constexpr double enum extern float friend inline int long namespace register
short signed static struct template thread_local typedef typename union unsigned using virtual void volatile _Alignas
_Atomic _Bool _Static_assert _Thread_local static_assert explicit mutable operator public private protected""".split())
AGGREGATES = {"struct", "union", "enum", "class"}
HEADERS = {"if", "while", "switch"}
KEYWORDS = HEADERS | {"for", "else", "do", "case", "default", "return", "goto", "throw", "delete", "sizeof", "catch", "try"}


def is_name(part):
    return part.kind == "name" and part.text not in KEYWORDS


def is_macro(part):
    return part is not None and part.kind == "name" and part.text.isupper() and len(part.text) > 1


def begins_aggregate(parts):
    """struct, union, enum or class at the head of a declaration, after storage and qualifiers."""
    for part in parts:
        if part.text in AGGREGATES:
            return True
        if part.text not in DECLARES:
            return False
    return False


def without_prefix(parts):
    """A statement without what it is the body of: labels, if (...), else, loops, macros that are loops."""
    at = 0
    while at < len(parts):
        word, after = parts[at], parts[at + 1:at + 2]
        after = after[0] if after else None
        if word.text in HEADERS | {"for", "catch"} and after is not None and after.text == "(":
            at += 2
        elif word.text in ("else", "do", "try"):
            at += 1
        elif word.text == "case":
            while at < len(parts) and parts[at].text != ":":
                at += 1
            at += 1
        elif word.kind == "name" and after is not None and after.text == ":" and parts[at + 2:at + 3] != [":"] and (
                word.text == "default" or is_name(word)):
            at += 2
        elif is_macro(word) and after is not None and after.kind == "name" and after.text in KEYWORDS:
            at += 1
        elif is_macro(word) and "EACH" in word.text and after is not None and after.text == "(":
            at += 2
        else:
            return parts[at:]
    return []


def skip_type(parts):
    """How many parts of a statement may be a type by name: a::b<c>, typeof(x), MACRO(x)."""
    at = 1
    if parts[0].text in ("typeof", "__typeof__", "decltype") or is_macro(parts[0]):
        if at < len(parts) and parts[at].text == "(":
            return at + 1
    while at < len(parts):
        if parts[at].text == "::":
            at += 2
        elif parts[at].text == "<":
            depth = 0
            for k in range(at, len(parts)):
                depth += {"<": 1, ">": -1}.get(parts[k].text, 0)
                if depth == 0:
                    break
            else:
                return at
            at = k + 1
        else:
            break
    return at


def declares(parts):
    """Whether a statement is a declaration: it begins with a word of one, or with a type and a name."""
    if not parts or parts[0].text in DECLARES or parts[0].text.startswith("__attribute__"):
        return True
    if parts[0].text == "[" and parts[0].parts and parts[0].parts[0].text == "[":
        return True
    if not is_name(parts[0]):
        return False
    at = skip_type(parts)
    while at < len(parts) and parts[at].text in ("*", "&", "&&", "const", "volatile", "restrict", "__restrict"):
        at += 1
    # the name, or the ( of a pointer to a function or an array, or the [ of a structured binding
    if at < len(parts) and is_name(parts[at]):
        return True
    return at < len(parts) and parts[at].text == "(" and parts[at].has("*") and at + 1 < len(parts) and (
        parts[at + 1].text in ("(", "["))


def without_templates(parts):
    """A statement without the arguments of templates: name < names, numbers and groups > ( ... )."""
    out, at = [], 0
    while at < len(parts):
        out.append(parts[at])
        if parts[at].text == "<" and at and is_name(parts[at - 1]):
            depth = 0
            for k in range(at, len(parts)):
                depth += {"<": 1, ">": -1}.get(parts[k].text, 0)
                if depth == 0 or (parts[k].kind == "operator" and parts[k].text not in "<>,*&::"):
                    break
            if depth == 0 and k + 1 < len(parts) and parts[k + 1].text in ("(", "::", "{"):
                at = k
        at += 1
    return out


def holds_statements(group):
    return group.text == "{" and group.has(";")


class Reader:
    def __init__(self):
        self.found = set()

    def statement(self, parts):
        """A whole statement with its commas."""
        rest = without_templates(without_prefix(parts))
        commas = [part for part in rest if part.text == ","]
        if commas and not declares(rest):
            self.found.add(commas[0].line)

    def block(self, group):
        """Splits what stands in braces, or in a file, into statements."""
        statement = []
        for k, part in enumerate(group.parts):
            after = group.parts[k + 1] if k + 1 < len(group.parts) else None
            if part.text == ";":
                self.statement(statement)
                statement = []
                continue
            statement.append(part)
            if part.text != "{":
                continue
            # a body ends its statement; the braces of a type or of an initialiser do not
            goes_on = after is not None and (after.text in (";", ",", ".", "->", "(", "[", "=", "*", "&") or (
                after.kind not in ("name", "group")))
            if after is not None and (after.kind == "name" or after.text == "*") and begins_aggregate(statement):
                goes_on = True
            elif holds_statements(part) and not begins_aggregate(statement) and not any(
                    word.text == "=" for word in statement):
                goes_on = after is not None and after.text in (",", ")")
            if not goes_on:
                statement = []
        if group.text == "{" and not holds_statements(group):
            return
        self.statement(statement)

    def parentheses(self, group, in_macro):
        """A comma in parentheses that are neither arguments nor parameters."""
        before = group.before
        if not group.commas() or in_macro:
            return
        if before is None:
            self.found.add(group.commas()[0].line)
            return
        operator = before.kind == "operator" and before.text not in (">", "#", "##", "~", "...")
        if operator or before.text in HEADERS | {"return", "case", "throw", "sizeof"}:
            self.found.add(group.commas()[0].line)

    def walk(self, group, in_macro, after_operator_word=False):
        """Reads a group and all in it. in_macro: it is, or is in, the arguments of a macro."""
        if group.text == "{":
            self.block(group)
        elif group.text == "(" and not after_operator_word:
            self.parentheses(group, in_macro)
        for k, part in enumerate(group.parts):
            if part.kind != "group":
                continue
            before = part.before
            if before is not None and before.text == "for":
                # the header may have commas; bodies of lambdas in it are not worth a rule
                continue
            called = before is not None and (is_macro(before) or before.text.startswith("__attribute__") or (
                before.text in ("alignas", "asm", "__asm__", "_Pragma")))
            macro = (called and part.text == "(") or (in_macro and part.text != "{")
            word = group.parts[k - 2].text if k > 1 else ""
            self.walk(part, macro, word == "operator")


def commas_of(text):
    """Lines of the text on which a comma is an operator."""
    reader = Reader()
    first, last = c_source.code(text), c_source.code(text, True)
    for side in (first,) if first == last else (first, last):
        reader.walk(c_source.nest(c_source.tokens(side)), False)
    for line, body in c_source.macro_bodies(text):
        if any(token.text == ";" for token in c_source.tokens(body)):
            reader.walk(c_source.nest(c_source.tokens("{" + body + ";}", line)), False)
    return sorted(reader.found)


BAD = """
int f(int a, int b) { a = 1, b = 2; return a; }
void f(void) { sum->merged += done.merged, sum->split += done.split; }
void f(void) { if (a) b = 1, c = 2; }
void f(void) { if (a) b = 1; else c(), d(); }
void f(void) { for (int i = 0; i < 3; ++i) a[i] = 1, b[i] = 2; }
void f(void) { while (c) a++, b++; }
void f(void) { do a++, b++; while (c); }
void f(void) { switch (a) { case 1: b = 1, c = 2; break; } }
void f(void) { switch (a) { case 'x': case B: b(), c(); } }
int f(void) { return a++, b; }
void f(void) { while (a = b(), a > 0) c(); }
void f(void) { if (a(), b()) c(); }
void f(void) { a = (b(), c()); }
void f(void) { f((a(), b())); }
void f(void) { again: a(), b(); }
void f(void) { *p = 1, *q = 2; }
void f(void) { p->x[3] = 1,\\n p->y[3] = g(1, 2); }
void f(void) { (*p)++, (*q)++; }
void f(void) { RV_UNROLL for (int k = 0; k < 3; ++k) a(k), b(k); }
void f(void) { RV_EACH_ROW(at, level, t) a(at), b(at); }
void f(void) { x = (Pair){1, 2}, y = (Pair){3, 4}; }
void f(void) { if (a) { b(); } c = 1, d = 2; }
#define SWAP(a, b) t = a, a = b; b = t
void f(void) {\\n#if A\\n a();\\n#else\\n b(), c();\\n#endif\\n}
void f() { auto g = [&](int a, int b) { c = a, d = b; }; }
void f() { std::swap(a, b), c(); }
void f(void) { x = a < b, y = c > (d); }
struct A { void f() { a = 1, b = 2; } };
""".strip().split("\n")

GOOD = """
int a, b; double *p = NULL, *q[3] = {0}, (*r)[2];
void f(void) { double a = g(1, 2), b = 3,\\n c[2] = {1, 2}, *d; }
void f(void) { for (int i = 0, j = 1; i < 3; ++i, j += 2) g(i, j); }
void f(void) { for (uint64_t r = rows(a, b), at; r && (at = t + 8, 1); r &= r - 1) g(at); }
typedef enum Kind { A, B, C = 3, } Kind;
static const int table[][2] = {{1, 2}, {3, 4}};
struct Pair { double x, y; int (*run)(void* user, int n), z; } pair = {1, 2, NULL, 3};
struct { Tile tile, other; }* room = rv_alloc(1, sizeof *room);
typedef struct Rod { double a, b; } Rod;
void f(void) { RvBatch rod = {.vertices = n, .tangent = t}; g(&rod, (RvRange){1, 2}); return; }
int f(void) { return g(a, b) + (Pair){1, 2}.x; }
void f(void) { a = b ? g(1, 2) : h(3, 4); x[g(1, 2)] = 3; }
void f(void) { const RvLanes x = a, y = b; static int u, v; unsigned long n, m; }
void f(void) { RvThing *x = a, *y = b; size_t n = 1,\\n m = 2; const char *const s = "a, b;", *t; }
void f(void) { double e[8] __attribute__((aligned(64), may_alias)), g[8] __attribute__((aligned(64))); }
void f(void) { RV_KERNEL_CALL(rv_sweep, (a, b, c)); return RV_KERNEL_CALL(rv_sum, (a, b)); }
RV_KERNEL_DECLARE(void, rv_scatter, (const RvSpan*, double*, float*))
RV_TESTS(cmocka_unit_test(a), cmocka_unit_test(b))
#define RV_CHECK(name, spec) {#name, spec, rv_check_##name},
#define ROWS(part) {"a; b", 1, part}, {"c", 2, part}
#define STAGE(name, call) if (!result) { result = call(name, 1); }
// a = 1, b = 2;
/* a = 1, b = 2; */ int x, y;
const char* s = "a = 1, b = 2;"; char c = ',', d = ';';
void f(void) {\\n#if A\\n if (g(1, 2)) {\\n#else\\n if (h(3, 4)) {\\n#endif\\n a(); } int b, c; }
void f(int (*compare)(const void*, const void*), int n) { qsort(a, n, 8, compare); }
void (*signal(int sig, void (*f)(int)))(int);
template <typename A, typename B> struct Map { A a; B b; };
void f() { std::map<int, std::vector<int>> a, b; std::pair<int, int> c{1, 2}, d = {3, 4}; auto [e, g] = c; }
struct Foo : Bar, Baz { Foo(int a, int b) : x(a), y(b) {} int x, y; bool operator<(const Foo& o) const { return x < o.x; } };
Foo::Foo(int a) : x(a), y{a} { g(a, 1); }
bool operator==(const Foo& a, const Foo& b) { return a.x == b.x; }
void f() { auto g = [&](int a, int b) -> int { int c = a, d = b; return c + d; }; h([](int a, int b) { return a < b; }, 1); }
void f() { std::function<void(int, int)> g = h, k = m; foo<int, 3>(a, b); using T = std::pair<int, int>; }
namespace rv { enum class A { B, C }; int a, b; }
extern "C" { int f(int a, int b); }
void f(void) { int n = sizeof(struct Pair), m = (int)x, k; if ((p = g(1, 2))) return; }
void f(void) { goto done; done: h(a, b); label: ; int x, y; }
void f(void) { if (a) { b(); } int c, d; while (x) { y(); } RvThing e, g; }
void f(void) { static const struct { const char *a, *b; bool c; } cases[] = {{"a", "b", true}, {"c", "d", false}}; }
void f(void) { RV_ARRAY(double) a = b, c; typeof(a) d, e; _Alignas(64) double g[3], h; }
void f(void) { switch (a) { case 1: { int b, c; g(b, c); } break; default: h(1, 2); } }
""".strip().split("\n")


def rule_bites():
    for text in BAD:
        assert commas_of(text.replace("\\n", "\n")), "not found: " + text
    for text in GOOD:
        assert not commas_of(text.replace("\\n", "\n")), "no comma operator: " + text
    assert commas_of("int a;\n\nvoid f(void) {\n  /* x,\n y */ b = 1,\n      c = 2;\n}\n") == [5]


def main():
    rule_bites()
    found, count = {}, 0
    for path in c_source.files(top, ("src", "include", "plugin", "tests"), (".c", ".h", ".cpp", ".def")):
        count += 1
        name = os.path.relpath(path, top)
        with open(path, encoding="utf-8") as stream:
            lines = commas_of(stream.read())
        if lines:
            found[name] = "\n".join("%s:%d: a comma operator; one statement a line" % (name, line) for line in lines)
    assert count > 300, "no sources found"
    wrong = allowance.judge(found, KNOWN, 13)
    print("\n".join(wrong) or "%d files without comma statements" % count)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
